/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a state, for the files that make it up.
 *
 * A collection has an entry for each key, and an entry a chain of revisions, the newest first: what
 * the key was from which version on. Writes put revisions on top; whoever reads a version skips
 * what is newer, so that a write that is not published yet needs no place of its own.
 *
 * Each write is a record, too: first among those that are not published, then in its collection's
 * log. When the log forgets it, the revision that it has superseded goes, and with a deletion the
 * deletion's own. So entries of deleted keys stay as long as the deletion can be watched.
 *
 * What is forgotten (`first`, `compacted`) and what is freed (`base`) can differ: a list under way
 * pins its version, and the revisions that it sees are freed when it has ended.
 */
#ifndef KIN_APISERVER_STATE_STATE_INSIDE_H
#define KIN_APISERVER_STATE_STATE_INSIDE_H

#include <pthread.h>

#include "apiserver/state/sorted.h"
#include "apiserver/state/state.h"
#include "apiserver/state/storage.h"
#include "base/map.h"
#include "base/mutex.h"

/* The log keeps the texts of so many changes, the newest ones, for watchers to come. */
#define KIN__TEXTS_KEPT 256

/* What a key was from a version on. */
typedef struct kin__revision {
    struct kin__entry *entry;
    struct kin__revision *older;
    struct kin__revision *newer;
    const kin_object *object; /* a reference; of a deletion the last state */
    uint64_t version;
    bool is_deletion;
} kin__revision;

typedef struct kin__entry {
    kin__sorted_node node; /* counted: the newest published revision is no deletion */
    kin__revision *newest; /* never NULL between two holds of the lock */
    char key[];
} kin__entry;

/* A write on its way, and then a change in a log. */
typedef struct kin__record {
    kin__change change; /* first; the references are to this */
    kin__collection *collection;
    kin__revision *revision;
    size_t held;             /* bytes that only the window holds because of it */
    kin__write_done *done;   /* until it is published; may be NULL */
    kin__write_done *judged; /* the same: a chain of those who have judged by it */
    kin__list link;          /* in `pending`, then in `window`, then in garbage */
} kin__record;

/* A ring; the records have numbers that count on. */
typedef struct kin__log {
    kin__record **items;
    size_t cap; /* a power of 2, or 0 */
    size_t head;
    size_t len;
    uint64_t base; /* the number of the item at `head` */
} kin__log;

/* All of it (state's lock) but for the name. */
struct kin__collection {
    kin__map_node node;
    kin__sorted entries;
    kin__log log;
    uint64_t first;     /* number of the first record that is not forgotten; >= log.base */
    uint64_t compacted; /* states before this version are not known any more */
    uint64_t newest;    /* no newer change is published */
    size_t n_pending;   /* for which the log has room */
    kin__list armed;    /* watchers that wait for a change */
    kin__list pins;
    uint64_t dead[64]; /* versions that the storage may forget, and was not told yet */
    size_t n_dead;
    uint64_t flushed;          /* the `compacted` that it was told */
    _Atomic uint64_t unfit[2]; /* see kin__collection_unfit() */
    char name[];
};

struct kin__state {
    kin__mutex writer; /* rank API_WRITER; held from begin to commit */
    kin__mutex lock;   /* rank API_STATE */
    kin__cond quiet;   /* nothing is pending any more, or a notify has returned */

    kin__storage *storage; /* const after new; may be NULL */
    size_t window_changes; /* const after new */
    size_t window_bytes;   /* const after new */

    uint64_t last;           /* (writer) the newest version that was given */
    void (*rewound)(void *); /* (writer) who is told that it went back; may be NULL */
    void *rewound_arg;       /* (writer) */

    uint64_t published;    /* (lock) */
    uint64_t compacted;    /* (lock) by kin__state_compact(); new collections begin with it */
    uint64_t epoch;        /* (lock) watchers of another one have ended */
    uint64_t rewinds;      /* (lock) */
    int failed;            /* (lock) why the storage takes no more */
    char failed_text[512]; /* (lock) */
    kin__map collections;  /* (lock) */
    kin__list pending;     /* (lock) records that are not published, by version */
    kin__list window;      /* (lock) records of all logs that are not forgotten, by version */
    size_t held;           /* (lock) sum over `window` */
    kin__list batches;     /* (lock) whoever notifies watchers at this moment */
    unsigned n_closing;    /* (lock) closes that wait for a notify */
};

/* A version that is being listed. */
typedef struct kin__pin {
    kin__list link;
    uint64_t version;
} kin__pin;

/* What is to be given back once no lock is held. */
typedef struct kin__garbage {
    kin__list records;
    kin__revision *revisions;
    kin__encoded *texts;
} kin__garbage;

void kin__garbage_init(kin__garbage *garbage);
void kin__garbage_free(kin__garbage *garbage);

/* What is to be done, once no lock is held, because of what was done under it. */
typedef struct kin__batch {
    kin__list link;        /* (lock) in the state's batches, if there are watchers */
    kin__list watchers;    /* (lock) to be notified */
    kin__watcher *current; /* (lock) being notified */
    pthread_t thread;      /* const */
    bool is_known;         /* whether it was linked; this thread's alone */
    kin__write_done *done[64];
    size_t n_done;
    kin__write_done *judged; /* a chain, told behind those */
    int code;                /* for all of them */
    kin__garbage garbage;
} kin__batch;

void kin__batch_init(kin__batch *batch);
/* Take over the collection's watchers that wait. */
void kin__batch_take_locked(kin__state *state, kin__batch *batch, kin__collection *collection)
    KIN_REQUIRES(state->lock);
/* Tell writers and watchers, and free. The batch is over. */
void kin__batch_run(kin__state *state, kin__batch *batch);

/* --- entries and revisions (state_write.c) --- */

static inline kin__entry *kin__entry_of(kin__sorted_node *node)
{
    return kin__container_of(node, kin__entry, node);
}

/* What the key was at a version: NULL if it was not there. */
static inline const kin_object *kin__entry_at(const kin__entry *entry, uint64_t version)
{
    const kin__revision *revision = entry->newest;

    while (revision && revision->version > version)
        revision = revision->older;
    return revision && !revision->is_deletion ? revision->object : NULL;
}

/* One write, before it is a record. */
typedef struct kin__new_state {
    kin__collection *collection;
    kin_str key;
    const kin_object *object;
    uint64_t version;
    bool is_deletion;
} kin__new_state;

/* Put a write on top and among the pending ones. 0, or KIN_ENOMEM: nothing has changed. */
int kin__state_put_locked(kin__state *state, const kin__new_state *write, kin__record **ret)
    KIN_REQUIRES(state->lock);
/* Publish the first of the pending ones. */
void kin__state_publish_locked(kin__state *state, kin__garbage *garbage) KIN_REQUIRES(state->lock);
/* Take the revision of a record away, which is its key's newest. The record goes, too. */
void kin__record_undo_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
    KIN_REQUIRES(state->lock);

/* The storage's callback. */
kin__storage_written_fn kin__state_written;

/* --- records (change.c) --- */

/* With one reference. NULL: no memory. */
kin__record *kin__record_new(const kin__new_state *write, const kin_object *old);

static inline kin__record *kin__record_of(kin__list *link)
{
    return kin__container_of(link, kin__record, link);
}

/* Take the texts out if nobody but the log can be using them. */
void kin__record_drop_texts_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
    KIN_REQUIRES(state->lock);

/* --- the log and the window (window.c) --- */

/* Room for so many more. 0, or KIN_ENOMEM: nothing has changed. */
int kin__log_reserve(kin__log *log, size_t n);
void kin__log_done(kin__log *log);

/* By number, which is there. */
static inline kin__record *kin__log_at(const kin__log *log, uint64_t number)
{
    return log->items[(log->head + (size_t)(number - log->base)) & (log->cap - 1)];
}

/* The number that the next record will get. */
static inline uint64_t kin__log_end(const kin__log *log)
{
    return log->base + log->len;
}

/* The first number behind all changes up to a version that is not forgotten. */
uint64_t kin__log_behind(const kin__collection *collection, uint64_t version);

/* Put a record that was just published in, for which there is room, and forget what is too much. */
void kin__window_add_locked(kin__state *state, kin__record *record, kin__garbage *garbage)
    KIN_REQUIRES(state->lock);
/* Forget the first record of a collection's log. */
void kin__window_forget_locked(kin__state *state, kin__collection *collection)
    KIN_REQUIRES(state->lock);
/* Free what was forgotten and is not pinned. */
void kin__window_trim_locked(kin__state *state, kin__collection *collection, kin__garbage *garbage)
    KIN_REQUIRES(state->lock);
/* Tell the storage what it may forget. */
void kin__window_flush_locked(kin__state *state, kin__collection *collection)
    KIN_REQUIRES(state->lock);
/* Collections that are made from now on know nothing from before; the storage is told, too. */
void kin__window_compact_all_locked(kin__state *state) KIN_REQUIRES(state->lock);

#endif
