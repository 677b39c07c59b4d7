/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server knows: for each kind a collection of objects in the order of their keys, with the
 * recent past. One version counts the writes of all collections, as etcd's revision does.
 *
 * A write is made in two steps: kin__state_begin() shows the newest state of a key and the version
 * that the write will have; kin__state_commit() takes the new state. From begin to commit or abort
 * no other write can be made. Once the storage has it for good the write is published: only then
 * readers and watchers see it, and its `done` is called. Versions are published in their order.
 *
 * A collection remembers its last changes, up to a number and a sum of bytes; older ones are
 * compacted. Within that window lists of any version can be had, and watches from any version.
 *
 * All functions may be called from any thread. Between begin and commit a thread holds a lock of
 * rank API_WRITER. No callback runs under a lock.
 */
#ifndef KIN_APISERVER_STATE_STATE_H
#define KIN_APISERVER_STATE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "base/ref.h"
#include "kinform/object.h"
#include "kinform/object_list.h"

typedef struct kin__state kin__state;
/* Lives as long as the state; empty when its kind has gone. */
typedef struct kin__collection kin__collection;
struct kin__storage;

typedef struct kin__state_options {
    struct kin__storage *storage; /* CONSUMED; NULL: memory only */
    size_t window_changes;        /* per collection; 0: 10,000 */
    size_t window_bytes;          /* of all collections together; 0: 64 MiB */
    uint64_t first_version;       /* before the first write, all before it is expired; 0: 1 */
} kin__state_options;

/* Makes it from what the storage has. 0, KIN_ENOMEM, or what the storage says. */
int kin__state_new(kin__state **ret, const kin__state_options *options, kin_error *err);
/*
 * Nobody is between begin and commit, no list is being made, no watcher is open. What was committed
 * is written first, and its `done` is called. May be NULL.
 */
void kin__state_free(kin__state *state);

/*
 * The collection of that name, "pods" or "deployments.apps", made if there is none. It stays: a
 * kind that comes back finds its versions going on. BORROWED from the state. 0, KIN_ENOMEM.
 */
int kin__state_collection(kin__state *state, kin__collection **ret, kin_str name, kin_error *err);

/*
 * Up to which version changes may have objects that protobuf cannot hold, whole or (`is_metadata`) of their metadata: 0 until one
 * was met. Any thread, no lock.
 */
uint64_t kin__collection_unfit(const kin__collection *collection, bool is_metadata);
/* One was met; a smaller version changes nothing. */
void kin__collection_met_unfit(kin__collection *collection, bool is_metadata, uint64_t version);

/* The newest version that is published; the first one when nothing was ever written. */
uint64_t kin__state_version(kin__state *state);

/* --- writing --- */

/*
 * Called once: 0, or why the storage could not keep it (the write is undone then). In any thread,
 * without a lock; it must not block and may begin no write.
 */
typedef struct kin__write_done {
    void (*fn)(struct kin__write_done *done, int code);
    struct kin__write_done *next; /* private: of those that were given to settle */
} kin__write_done;

typedef struct kin__write {
    kin__collection *collection;
    kin_str key;               /* BORROWED until commit or abort: the caller's */
    const kin_object *current; /* the newest state, published or not; NULL: there is none; BORROWED
                                  until commit or abort */
    uint64_t version; /* what the write will have; metadata.resourceVersion of the new object */
    uint64_t seen;    /* the newest version that what is seen now may rest on; see settle */
} kin__write;

/* Waits for the write before it to be committed (not: published). Cannot fail. */
void kin__state_begin(kin__state *state, kin__write *write, kin__collection *collection,
                      kin_str key);
/*
 * `object`: the new state, whose resourceVersion is write->version; SHARED. If is_deletion it is
 * the last state of an object that is there, likewise with the version of the deletion. `done` may
 * be called before this returns; it may be NULL. 0, KIN_ENOMEM, KIN_ESYSTEM (the storage has
 * failed, and takes no more writes): nothing was written, done is not called, and the write is
 * over.
 */
int kin__state_commit(kin__state *state, kin__write *write, const kin_object *object,
                      bool is_deletion, kin__write_done *done, kin_error *err);
void kin__state_abort(kin__state *state, kin__write *write);
/*
 * Whoever begins a write and then makes none, because it would change nothing or must not be, has
 * judged by a state that may not be published. He is told when it is: `done` gets 0, or why that
 * state was undone, possibly before this returns. `seen` is that of the write.
 */
void kin__state_settle(kin__state *state, uint64_t seen, kin__write_done *done);

/* --- reading --- */

/* 0: *ret SHARED; KIN_ENOTFOUND. The newest published state. */
int kin__state_get(kin__state *state, kin__collection *collection, kin_str key,
                   const kin_object **ret, kin_error *err);

/*
 * Between begin and commit: the newest state of another key, published or not. SHARED; NULL: there
 * is none.
 */
const kin_object *kin__state_newest(kin__state *state, kin__collection *collection, kin_str key);

typedef bool kin__state_match_fn(const kin_object *object, void *arg);

typedef struct kin__state_query {
    kin_str prefix;             /* keys that begin so: "default/"; empty: all */
    kin_str after;              /* keys behind this one; empty: from the first */
    uint64_t version;           /* 0: the newest */
    size_t limit;               /* 0: none */
    kin__state_match_fn *match; /* without any lock; may be NULL */
    void *match_arg;
} kin__state_query;

typedef struct kin__state_page {
    kin_object_list objects; /* in the order of their keys; kin_object_list_done() */
    uint64_t version;        /* of which this is the state */
    bool more;               /* limit was reached and a key follows (match not asked) */
    size_t remaining; /* keys that follow, if `more` and there is no `match`; 0: unknown, because
                         this is not the collection's newest state */
} kin__state_page;

/*
 * 0, KIN_EEXPIRED (compacted, or rewound meanwhile), KIN_ERANGE (a version that is not there yet),
 * KIN_ENOMEM. What is listed is one version, whatever is written meanwhile.
 */
int kin__state_list(kin__state *state, kin__collection *collection, const kin__state_query *query,
                    kin__state_page *ret, kin_error *err);

/* --- watching --- */

/* What whoever writes events keeps with a change: put first into a struct of its own. */
typedef struct kin__encoded {
    void (*free)(struct kin__encoded *encoded); /* any thread, no lock */
    struct kin__encoded *next;                  /* the log's, once it has taken it out */
} kin__encoded;

/* One change of the log. Const, SHARED; but for `encoded`. */
typedef struct kin__change {
    kin__ref ref;
    bool is_deletion;
    uint64_t version;
    const kin_object
        *object;           /* the new state; of a deletion the last, with the deletion's version */
    const kin_object *old; /* the state before; NULL: created */
    /*
     * Texts made once for all watchers. Whoever finds NULL here and has a reference to the change
     * may put something in its place, once (compare and exchange). It stays at least as long as
     * anybody but the log has a reference; the log frees it when the change is no longer among the
     * newest.
     */
    kin__encoded *_Atomic encoded;
} kin__change;

kin__change *kin__change_ref(kin__change *change);
/* May be NULL. */
void kin__change_unref(kin__change *change);

/*
 * Put into a struct of the watcher's own, with `notify` set; stays where it is until it is closed.
 */
typedef struct kin__watcher {
    /*
     * Something may be there to read. After it was called once it is called again only after
     * kin__watcher_read() has said that there is nothing. Any thread, no lock; must not block, and
     * may close this watcher but no other.
     */
    void (*notify)(struct kin__watcher *watcher);
    /* private */
    kin__state *state;           /* const while open */
    kin__collection *collection; /* const while open */
    uint64_t epoch;              /* const while open */
    uint64_t next;  /* (state's lock) number of the next change in the collection's log */
    uint64_t read;  /* (state's lock) the first of the changes that the last read has given */
    kin__list link; /* (state's lock) among those that wait, or that are being notified */
} kin__watcher;

/* Changes behind `version`. 0, KIN_EEXPIRED, KIN_ERANGE (not there yet). */
int kin__watcher_open(kin__watcher *watcher, kin__state *state, kin__collection *collection,
                      uint64_t version, kin_error *err);
/*
 * Up to `max` changes in their order, a reference to each, the caller's; n = 0: nothing now, notify
 * will be called. *ret_version: nothing up to it is missing after these (for bookmarks). 0,
 * KIN_EEXPIRED: it was too slow, or all was compacted. One thread at a time per watcher.
 */
int kin__watcher_read(kin__watcher *watcher, kin__change **ret, size_t max, size_t *ret_n,
                      uint64_t *ret_version);
/* Waits until a running notify has returned, unless called from it. */
void kin__watcher_close(kin__watcher *watcher);

/* --- faults --- */

/* Forget the past: every version before this moment is expired, for lists and all open watches. */
void kin__state_compact(kin__state *state);
/*
 * Back to what was at `version`, as a restored backup: versions count on from there. Open watchers
 * end with KIN_EEXPIRED. Waits for writes that are not published yet. 0, KIN_EEXPIRED (not in the
 * window any more), KIN_ERANGE (not there yet), KIN_ENOMEM, KIN_ESYSTEM (the storage could not).
 */
int kin__state_rewind(kin__state *state, uint64_t version, kin_error *err);
/*
 * Whoever keeps something that follows from the state is told when that has gone back: from the
 * thread that rewinds, before any other write can be begun. It may read and begins no write. NULL:
 * nobody is told.
 */
void kin__state_on_rewind(kin__state *state, void (*fn)(void *arg), void *arg);

#endif
