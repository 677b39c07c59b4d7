/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where states are kept for good: a log of writes. Implementations put this first into their struct.
 */
#ifndef KIN_APISERVER_STORAGE_H
#define KIN_APISERVER_STORAGE_H

#include "kinform/error.h"
#include "kinform/object.h"

typedef struct kin__storage kin__storage;

typedef struct kin__storage_record {
    kin_str collection;
    kin_str key;
    uint64_t version;
    bool is_deletion;
    const kin_object *object; /* BORROWED until the record was written */
} kin__storage_record;

typedef struct kin__storage_class {
    /* All that is kept, in the order of versions: the newest state of each key, and the window's
     * changes. Then the newest version ever given. */
    int (*load)(kin__storage *storage, int (*each)(const kin__storage_record *record, void *arg, kin_error *err),
                void *arg, uint64_t *ret_version, kin_error *err);
    /* Take a record; `written(version, code)` was set with `start` and is called once versions up to
     * it are durable, from the storage's thread. 0, KIN_ENOMEM, KIN_ESYSTEM. */
    int (*append)(kin__storage *storage, const kin__storage_record *record, kin_error *err);
    /* Superseded states and deletions up to `version` of a collection may be forgotten. */
    void (*compact)(kin__storage *storage, kin_str collection, uint64_t version);
    /* All after `version` is undone. */
    int (*rewind)(kin__storage *storage, uint64_t version, kin_error *err);
    int (*start)(kin__storage *storage, void (*written)(void *arg, uint64_t version, int code), void *arg, kin_error *err);
    void (*free)(kin__storage *storage); /* writes what it has taken first */
} kin__storage_class;

struct kin__storage {
    const kin__storage_class *storage_class;
};

/* SQLite in WAL mode, writes grouped into transactions. 0, KIN_ENOMEM, KIN_ESYSTEM, KIN_EPARSE (not ours, or of a newer format), KIN_EBUSY (in use by another process). */
int kin__storage_sqlite_open(kin__storage **ret, const char *path, bool full_sync, kin_error *err);

#endif
