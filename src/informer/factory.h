/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a factory.
 *
 * An entry is there from the moment at which somebody begins to make its informer. Whoever asks for
 * it meanwhile waits. One that could not be made is taken out again.
 *
 * Entries are gone through without holding the lock in between: the one that somebody is at is in use, and
 * stays in its place. What was removed is passed over. It stays until the factory is freed, unless its informer
 * was given away: then it goes when nobody is at it.
 */
#ifndef KIN_INFORMER_FACTORY_H
#define KIN_INFORMER_FACTORY_H

#include <pthread.h>

#include "base/process.h"
#include "informer/informer.h"
#include "kinform/factory.h"

typedef struct kin__factory_name {
    char *resource; /* const; as it was asked for first */
    char *key;      /* (lock) the same for all names of the resource, if `is_known` */
    bool is_known;  /* (lock) */
} kin__factory_name;

typedef struct kin__factory_entry {
    kin__list link; /* (lock) */
    kin__factory_name name;
    kin_informer *informer; /* (lock) OWNED; const once it is there; NULL: it is being made */
    pthread_t maker;        /* const; who makes it */
    pthread_t starter;      /* (lock) who starts it, while `is_starting` */
    bool is_starting;       /* (lock) */
    bool is_started;        /* (lock) */
    bool is_removed;        /* (lock) nobody is to find it any more */
    unsigned n_uses;        /* (lock) */
} kin__factory_entry;

struct kin_factory {
    kin__fork_guard guard;
    char *name;                     /* const; may be NULL */
    kin_client *client;             /* const; BORROWED; may be NULL */
    kin_clock *clock;               /* const; SHARED */
    kin_logger *logger;             /* const; SHARED; NULL: the default */
    kin__scope scope;               /* const; what all informers look at */
    char *snapshot_identity;        /* const; may be NULL */
    kin_decode_options decode;      /* const; its projection is SHARED */
    kin__reflector_wishes wishes;   /* const */
    kin_informer_metrics metrics;   /* const */
    kin_informer_options informers; /* const; points into the above */
    bool index_owners;              /* const */
    kin_factory_tweak_fn *tweak;    /* const */
    void *tweak_arg;                /* const */

    kin__mutex lock;   /* rank FACTORY */
    kin__cond made;    /* an informer, or not; or a start is over, or the use of what was removed */
    kin__list entries; /* (lock) */
    kin__list waiters; /* (lock) for informers that are being made */
    kin__list resyncs; /* (lock) */
    bool was_started;  /* (lock) */
    bool is_shut;      /* (lock) */
};

/* 0, KIN_EINVAL, KIN_EFORKED. */
int kin__factory_check(const kin_factory *factory, kin_error *err);

/*
 * The next entry whose informer is there, of NULL the first; NULL: none. It is in use until this is called with
 * it, or kin__factory_leave(). Take the lock.
 */
kin__factory_entry *kin__factory_next(kin_factory *factory, kin__factory_entry *entry);
/* May be NULL. */
void kin__factory_leave(kin_factory *factory, kin__factory_entry *entry);

/* Whether this thread is called back by a start. */
bool kin__factory_starts_here_locked(kin_factory *factory) KIN_REQUIRES(factory->lock);

/* All are told to stop, before anybody waits for one; none is started any more. Takes the lock. */
void kin__factory_stop(kin_factory *factory);

/*
 * Until no informer is being started, or until a time of the factory's clock. 0, KIN_ETIMEOUT, KIN_EBUSY: by
 * what a start calls. Takes the lock.
 */
int kin__factory_await_starts(kin_factory *factory, int64_t deadline, kin_error *err);

#endif
