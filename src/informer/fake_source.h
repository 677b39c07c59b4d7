/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a fake source; the public half is kinform/fake_source.h. Two parts: fake_source.c has the objects, their
 * history and the faults, fake_source_operation.c the lists and watches.
 *
 * Callers of any thread change the state under the lock and post operations that have something to do. One worker
 * runs them: it takes one step under the lock, releases it, and calls back. So callbacks are in order, and a
 * callback may use the source.
 */
#ifndef KIN_INFORMER_FAKE_SOURCE_H
#define KIN_INFORMER_FAKE_SOURCE_H

#include "base/list.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"
#include "base/workers.h"
#include "kinform/fake_source.h"
#include "kinform/object_list.h"

/* One change of the history; a bookmark is one, too. Const once it is in the history. */
typedef struct kin__fake_change {
    kin__list link; /* (lock) */
    uint64_t seq;   /* counts changes and bookmarks */
    uint64_t version;
    enum kin_watch_type type;
    bool is_lost;             /* no watch receives it */
    const kin_object *object; /* SHARED; as watches receive it */
    const kin_object *old;    /* SHARED; the object that had the key before, or NULL */
} kin__fake_change;

/* Operations that are to fail. */
typedef struct kin__fake_failures {
    size_t n;
    kin_error why;
} kin__fake_failures;

/* Objects in the order of their keys. */
typedef struct kin__fake_objects {
    const kin_object **items;
    size_t len;
    size_t cap;
} kin__fake_objects;

struct kin_fake_source {
    kin_list_watch base;
    kin__fork_guard guard;
    kin__workers *workers; /* one thread */
    kin__strand strand;
    kin__mutex lock;            /* rank FAKE_SOURCE */
    kin__cond begun;            /* an operation was begun */
    kin__fake_objects objects;  /* (lock) a reference to each */
    uint64_t version;           /* (lock) of the last change */
    uint64_t floor;             /* (lock) older versions have expired */
    uint64_t next_seq;          /* (lock) */
    kin__list changes;          /* (lock) the history */
    kin__list operations;       /* (lock) that have not ended */
    kin__fake_failures lists;   /* (lock) that are to fail */
    kin__fake_failures watches; /* (lock) the same */
    size_t n_lists;             /* (lock) that were begun */
    size_t n_watches;           /* (lock) the same */
    size_t n_to_lose;           /* (lock) changes whose events are lost */
    bool stalls;                /* (lock) */
    bool is_closed;             /* (lock) */
    char *api_version;          /* (lock) of bookmarks; NULL: not known yet */
    char *kind;                 /* (lock) the same */
};

/* --- fake_source.c --- */

static inline kin__fake_change *kin__fake_change_of(kin__list *link)
{
    return kin__list_entry(link, kin__fake_change, link);
}

/* The first place whose key is not less. */
size_t kin__fake_objects_find(const kin__fake_objects *objects, const char *key,
                              bool *ret_is_there);
/* The objects of a version that has not expired, BORROWED; free the array. 0 or KIN_ENOMEM. */
int kin__fake_objects_at_locked(kin_fake_source *source, uint64_t version, kin__fake_objects *ret)
    KIN_REQUIRES(source->lock);
/* `ends_list`: the one that ends a streaming list. 0, KIN_ENOMEM and others as kin_editor_finish(). */
int kin__fake_bookmark_locked(kin_fake_source *source, const kin_object **ret, bool ends_list,
                              kin_error *err) KIN_REQUIRES(source->lock);

/* --- fake_source_operation.c --- */

extern const kin_list_watch_class kin__fake_source_classes[2]; /* [streaming_lists] */

/* Open watches have a new change. */
void kin__fake_changed_locked(kin_fake_source *source, kin__fake_change *change)
    KIN_REQUIRES(source->lock);
/* All operations look whether they have something to do. */
void kin__fake_wake_locked(kin_fake_source *source) KIN_REQUIRES(source->lock);
/* Open watches end after the changes up to now; `why` has code 0 for an ordinary end. */
void kin__fake_break_locked(kin_fake_source *source, const kin_error *why)
    KIN_REQUIRES(source->lock);
/* The oldest change that an open watch has yet to receive, or UINT64_MAX. */
uint64_t kin__fake_oldest_locked(kin_fake_source *source) KIN_REQUIRES(source->lock);
/* The last reference is gone. */
void kin__fake_source_destroy(kin_list_watch *base);

#endif
