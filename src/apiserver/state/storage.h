/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where states are kept for good: a log of writes. Implementations put a kin__storage first into
 * their struct.
 *
 * The order of calls: load, start, then the others, from any thread and possibly with the state's
 * locks held (rank API_STATE); then free.
 */
#ifndef KIN_APISERVER_STATE_STORAGE_H
#define KIN_APISERVER_STATE_STORAGE_H

#include "kinform/error.h"
#include "kinform/object.h"

typedef struct kin__storage kin__storage;

/* One write. The strings and the object are BORROWED until the record was written. */
typedef struct kin__storage_record {
    kin_str collection;
    kin_str key;
    uint64_t version;
    bool is_deletion;
    const kin_object *object; /* of a deletion the last state, with the deletion's version */
} kin__storage_record;

/* In the place of a collection: those that are still to be made are compacted, too. */
#define KIN__STORAGE_ALL ((kin_str){"", 0})

/* Who is told what a storage has. What it is given is BORROWED for the call. */
typedef struct kin__storage_loader {
    /*
     * First, for each collection that was compacted, KIN__STORAGE_ALL before all others: changes up to
     * this version are forgotten.
     */
    int (*compacted)(struct kin__storage_loader *loader, kin_str collection, uint64_t version,
                     kin_error *err);
    /*
     * Then in the order of versions: the newest state of each key, and all changes that are not
     * forgotten. States that were to be forgotten may be among them.
     */
    int (*record)(struct kin__storage_loader *loader, const kin__storage_record *record,
                  kin_error *err);
} kin__storage_loader;

/*
 * Versions up to `version` are durable; or, if `code` is not 0, nothing that was not said to be
 * durable is, and nothing will ever be again. `text` says why then. From the storage's thread,
 * without a lock.
 */
typedef void kin__storage_written_fn(void *arg, uint64_t version, int code, const char *text);

typedef struct kin__storage_class {
    /* *ret_version: the newest version that was ever written, 0 for none. 0, KIN_ENOMEM, KIN_EPARSE
     * (what is kept makes no sense), KIN_ESYSTEM, or what the loader says. */
    int (*load)(kin__storage *storage, kin__storage_loader *loader, uint64_t *ret_version,
                kin_error *err);
    /* 0, KIN_ENOMEM, KIN_ESYSTEM. */
    int (*start)(kin__storage *storage, kin__storage_written_fn *written, void *arg,
                 kin_error *err);
    /*
     * Take a record, of a higher version than all before. Does not wait. 0, KIN_ENOMEM,
     * KIN_ESYSTEM.
     */
    int (*append)(kin__storage *storage, const kin__storage_record *record, kin_error *err);
    /*
     * Changes of a collection up to `version`, which is published, are forgotten, and with them the
     * records of these versions. Does not wait; what cannot be done is left: the next load shows
     * it. The loader may call it, too.
     */
    void (*compact)(kin__storage *storage, kin_str collection, uint64_t version,
                    const uint64_t *dead, size_t n_dead);
    /* All after `version` is undone. Waits for it. No write is under way. 0, KIN_ESYSTEM. */
    int (*rewind)(kin__storage *storage, uint64_t version, kin_error *err);
    /* Writes what it has taken first. May be called instead of start. */
    void (*free)(kin__storage *storage);
} kin__storage_class;

struct kin__storage {
    const kin__storage_class *storage_class; /* const */
};

#endif
