/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a store. The parts: store.c (life, options), store_write.c (records in and out, and
 * publication), store_reclaim.c (old states out of memory), store_read.c, view.c, store_transaction.c, store_replace.c,
 * store_index.c (adding indexes).
 *
 * Versions. A write makes records that are born in the version behind the published one, links them
 * in, and lets the ones they follow die in it; publishing that version is one store of a counter,
 * and makes all of it visible at once. Until then readers go past what is not born yet to what it
 * followed. A write that fails half-way takes its records out again; nobody has seen them.
 *
 * | what | written by | read by |
 * |------|-----------|---------|
 * | records, map, postings, indexes | the writer, under `lock` | anyone with a pin |
 * | pins.version | the writer | anyone |
 * | stamps | the writer | anyone, checked by their version |
 * | all else | the writer | the writer |
 */
#ifndef KIN_CACHE_STORE_H
#define KIN_CACHE_STORE_H

#include "base/log_limit.h"
#include "base/mutex.h"
#include "base/process.h"
#include "base/ref.h"
#include "cache/index.h"
#include "cache/pins.h"
#include "cache/read_map.h"
#include "cache/record.h"
#include "kinform/store.h"

enum { KIN__STAMP_WORDS = (KIN_RESOURCE_VERSION_BYTES_MAX + 1) / sizeof(uint64_t) };

/* What a version has besides records. Of the last two versions: see kin__store_read_stamp(). */
typedef struct kin__stamp {
    _Atomic uint64_t version; /* 0 while it is written */
    _Atomic uint64_t len;
    _Atomic uint64_t resource_version_len;
    _Atomic uint64_t resource_version[KIN__STAMP_WORDS];
} kin__stamp;

/* Taken out by reclaiming: to be freed when all pins are of `version` or later. */
typedef struct kin__limbo {
    uint64_t version;
    kin__record *records;
    kin__garbage *blocks;
} kin__limbo;

/* What may be freed, once the lock is given back: destroying an object calls the user. */
typedef struct kin__freed {
    kin__record *records;
    kin__garbage *blocks;
} kin__freed;

struct kin_store {
    kin__ref ref;
    kin__fork_guard guard;
    char *name;
    kin_logger *logger;
    kin_key_fn *key;
    void *key_arg;
    kin_transform_fn *transform;
    void *transform_arg;
    kin__pins pins;
    kin__read_map records;
    _Atomic(kin__indexes *) indexes;
    kin__stamp stamps[2];
    _Atomic uint64_t index_errors;
    atomic_bool renames;         /* the transformer has changed a key */
    kin__log_limit index_log;    /* of warnings about index functions */
    _Atomic bool reclaim_wanted; /* look once more after unlocking: somebody has stopped reading */
    _Atomic bool is_crowded;     /* more old states were left behind than one write takes out */
    _Atomic bool scan_warned;    /* a lister has said that there is no index of namespaces */
    _Atomic bool owner_scan_warned; /* likewise, of owners */

    kin__mutex lock;          /* rank STORE */
    kin__cond indexed;        /* `indexing` has become false */
    bool indexing;            /* (lock) an index is being added: writers wait */
    pthread_t indexer;        /* (lock) by this thread */
    size_t len;               /* (lock) */
    kin_str resource_version; /* (lock) of the last write; in resource_version_bytes */
    char resource_version_bytes[KIN_RESOURCE_VERSION_BYTES_MAX + 1]; /* (lock) */
    kin__record *retired;      /* (lock) the dead, first died first */
    kin__record **retired_end; /* (lock) */
    size_t n_retired;          /* (lock) */
    size_t reclaim_in;         /* (lock) reclaim after as many writes */
    size_t splice_at;          /* (lock) look behind the head when there are as many */
    size_t patience;           /* const but in tests: writes between two looks in vain */
    size_t splice_min;         /* const but in tests: fewer are not worth a look behind the head */
    kin__limbo limbo[2];       /* (lock) the younger, the older */
    kin__garbage *garbage;     /* (lock) blocks taken out by the write that is under way */
    kin__read_table *old_tables; /* (lock) replaced ones that readers may still have */
    kin__garbage *old_indexes;   /* (lock) replaced arrays of indexes; freed with the store */
};

/* --- store_write.c --- */

/* One step of a write: a record that was put in, or one that died. */
typedef struct kin__change {
    kin__record *record; /* NULL: nothing was done */
    bool deleted;
} kin__change;

/*
 * Make a record of an object that can be linked in later, its values resolved: takes the lock for a
 * moment. `transform`: whether the transformer has yet to run. *ret_indexes tells for which indexes
 * it was made.
 */
int kin__store_stage(kin_store *store, const kin_object *object, bool transform, kin__record **ret,
                     const kin__indexes **ret_indexes, kin_error *err);
/* Give up records that were staged and not linked in. */
void kin__store_unstage(kin_store *store, kin__change *changes, size_t n);

/* For which indexes records were staged. */
typedef struct kin__staged {
    const kin__indexes *indexes; /* of the last one; NULL: none was staged */
    bool mixed;                  /* they are not all for the same ones */
} kin__staged;

static inline void kin__staged_note(kin__staged *staged, const kin__indexes *indexes)
{
    staged->mixed |= staged->indexes && staged->indexes != indexes;
    staged->indexes = indexes;
}

/*
 * Stage again, without transforming again, what was staged for other indexes. Indexes can be added
 * meanwhile too, and it can fail half-way: then the records are not all for the same ones.
 */
int kin__store_stage_again(kin_store *store, kin__change *changes, size_t n, kin__staged *staged,
                           kin_error *err);

/* Whether the caller adds an index: it is an index function. Any thread; locks of lower ranks. */
bool kin__store_is_indexed_here(kin_store *store);
/* Wait while an index is added. 0, KIN_EBUSY: it is added by this thread. */
int kin__store_wait_turn_locked(kin_store *store, kin_error *err) KIN_REQUIRES(store->lock);

/* Give up a record whose values were resolved and which is not linked. */
void kin__store_unresolve_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);

/* Link a resolved record in, born in the next version. 0 or KIN_ENOMEM. */
int kin__store_link_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);
/* Let the newest record of a key die in the next version. NULL if there is none. */
kin__record *kin__store_kill_locked(kin_store *store, kin_str key, uint32_t hash)
    KIN_REQUIRES(store->lock);
/* Let a live record die in the next version. */
void kin__store_kill_record_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);
/* Take back what was done; records that were put in go to limbo. Each `record` becomes NULL. */
void kin__store_undo_locked(kin_store *store, kin__change *changes, size_t n)
    KIN_REQUIRES(store->lock);
/* Publish what was done. */
void kin__store_publish_locked(kin_store *store, const kin__change *changes, size_t n)
    KIN_REQUIRES(store->lock);
/* Note a resource version; the next publication shows it. An empty one changes nothing. */
void kin__store_note_version_locked(kin_store *store, kin_str resource_version)
    KIN_REQUIRES(store->lock);

/* End a write: reclaim, unlock, free. */
void kin__store_finish(kin_store *store) KIN_RELEASE(store->lock);
/* Before a write: 0, KIN_EINVAL (NULL), KIN_EFORKED. */
int kin__store_check(const kin_store *store, kin_error *err);

/* --- store_reclaim.c --- */

/* A dead record into the queue. */
void kin__store_retire_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);
/* A table that was replaced, if not NULL: views may have it. */
void kin__store_keep_table_locked(kin_store *store, kin__read_table *table)
    KIN_REQUIRES(store->lock);
/* After a long read: take out what it held up, if that is much. No lock is held, nor a pin. */
void kin__store_reclaim_crowd(kin_store *store);
/* The table of now, for a view with a pin that it read its version under: kept until it is given back. */
const kin__read_table *kin__store_take_table(kin_store *store);
void kin__store_give_table(const kin__read_table *table);
/* Free a record that was taken out when no reader can have it any more. */
void kin__store_defer_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);
/* The same, and give up its values. */
void kin__store_bury_locked(kin_store *store, kin__record *record) KIN_REQUIRES(store->lock);
/* Out of the map and the postings; `older`, if not NULL, gets back the places that it had. */
void kin__store_detach_locked(kin_store *store, kin__record *record, kin__record *older)
    KIN_REQUIRES(store->lock);
/* Take out what nobody can see any more, a bounded part of it. */
void kin__store_reclaim_locked(kin_store *store, kin__freed *ret) KIN_REQUIRES(store->lock);
/* The same until nothing is left or somebody holds it up, a part at a time. No lock is held. */
void kin__store_reclaim_all(kin_store *store);
/* Free it. No lock is held. */
void kin__freed_free(kin__freed *freed);
void kin__record_free(kin__record *record);

/* --- store_read.c --- */

/* The length and resource version of the current version. `buf` may be NULL. */
uint64_t kin__store_read_stamp(const kin_store *store, size_t *ret_len,
                               char buf[KIN_RESOURCE_VERSION_BYTES_MAX + 1], size_t *ret_buf_len);

/* The live state of the key, for whoever has a pin. */
static inline kin__record *kin__store_find(const kin_store *store, kin_str key, uint32_t hash,
                                           uint64_t version)
{
    return kin__record_at(
        kin__record_of(kin__read_table_get(kin__read_map_table(&store->records), key, hash)),
        version);
}

static inline kin__indexes *kin__store_indexes(const kin_store *store)
{
    return atomic_load_explicit(&store->indexes, memory_order_acquire);
}

/* Whether staged records are incomplete, since an index was added. */
static inline bool kin__staged_is_outdated(const kin__staged *staged, const kin_store *store)
{
    return staged->indexes && (staged->mixed || staged->indexes != kin__store_indexes(store));
}

/*
 * Where somebody is who goes through the records of a value. When places have got other numbers, the
 * records that a pin of the version keeps stand in the same order: as many as were seen are skipped.
 */
typedef struct kin__index_cursor {
    uint32_t place; /* the next */
    uint32_t epoch; /* of the numbers */
    uint32_t seen;
} kin__index_cursor;

enum { KIN__RECORDS_BATCH = 32 };

/*
 * The next states of a version, from where `iter` stands in the table: up to KIN__RECORDS_BATCH, 0 at
 * the end. Several at once, since their memory and that of their objects is asked for together.
 */
size_t kin__store_next_records(const kin__read_table *table, kin__map_iter *iter, uint64_t version,
                               kin__record *ret[KIN__RECORDS_BATCH]);

/* The records of a value in a version, one after the other; all of *cursor starts at 0. NULL is the end. */
kin__record *kin__index_value_next(const kin__index_value *value, uint64_t version,
                                   kin__index_cursor *cursor);

/*
 * Go through the objects of a value in the current version, with a pin and no lock: `fn` may take
 * references and allocate, and no more. It ends with what is not 0. 0, KIN_ENOTFOUND (no such index),
 * KIN_ENOMEM, what `fn` returned.
 */
typedef int kin__record_fn(const kin__record *record, void *arg);
int kin__store_read_value(kin_store *store, kin_str index, kin_str value, kin__record_fn *fn,
                          void *arg, kin_error *err);

/* The value of an index in a version. *ret is NULL if no object has it. 0, KIN_ENOTFOUND: no such index. */
int kin__store_find_value(const kin_store *store, kin_str index, kin_str value, uint64_t version,
                          kin__index_value **ret, kin_error *err);

/* What a store has under a key, compared with a version. */
typedef enum kin__store_age {
    KIN__STORE_LACKS,
    KIN__STORE_HAS_OLDER,       /* or a version that cannot be compared */
    KIN__STORE_HAS_UNVERSIONED, /* an object without a version */
    KIN__STORE_HAS,             /* that version or a later one */
} kin__store_age;

/* It takes no reference, so it can be called with a lock held: the object is not destroyed here. */
kin__store_age kin__store_compare_version(kin_store *store, kin_str key, kin_str version);

#endif
