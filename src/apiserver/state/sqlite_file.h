/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The database file of a storage: what is in it, and how it is read and written. No threads: one
 * caller at a time.
 *
 * One row per write: the newest state of each key, and the changes that are remembered. Deletions
 * are rows, too. Rows carry a checksum and are counted, so that damage which SQLite cannot see is
 * not served. The newest version ever given outlives the row that had it.
 */
#ifndef KIN_APISERVER_STATE_SQLITE_FILE_H
#define KIN_APISERVER_STATE_SQLITE_FILE_H

#include "apiserver/state/storage.h"
#include "base/buf.h"

enum kin__sqlite_statement {
    KIN__SQLITE_BEGIN,
    KIN__SQLITE_COMMIT,
    KIN__SQLITE_ROLLBACK,
    KIN__SQLITE_INSERT,
    KIN__SQLITE_ERASE,
    KIN__SQLITE_ERASE_BEHIND,
    KIN__SQLITE_COMPACTED,
    KIN__SQLITE_NEWEST,
    KIN__SQLITE_COUNT
};

typedef struct kin__sqlite_file {
    struct sqlite3 *db;
    struct sqlite3_stmt *statements[KIN__SQLITE_COUNT];
    kin__buf body;
    char *path;
    uint64_t newest;           /* once loaded: the newest version that was ever given, */
    uint64_t rows;             /* and how many are kept */
    uint64_t committed_newest; /* both as the file has them, for a transaction that is cancelled */
    uint64_t committed_rows;
} kin__sqlite_file;

/*
 * Open or make it, and lock it. Codes as kin__storage_sqlite_open(). Whatever it says, it is to be
 * closed.
 */
int kin__sqlite_file_open(kin__sqlite_file *file, const char *path, bool full_sync, kin_error *err);
void kin__sqlite_file_close(kin__sqlite_file *file);

/* As a storage's load. */
int kin__sqlite_file_load(kin__sqlite_file *file, kin__storage_loader *loader,
                          uint64_t *ret_version, kin_error *err);

/*
 * A transaction: begin, any number of the others, then commit; or cancel after a failure: the file
 * is as before. All: 0, KIN_ENOMEM, KIN_EPARSE (damaged), KIN_ESYSTEM.
 */
int kin__sqlite_file_begin(kin__sqlite_file *file, kin_error *err);
int kin__sqlite_file_insert(kin__sqlite_file *file, const kin__storage_record *record,
                            kin_error *err);
/* One version, which may be gone already. */
int kin__sqlite_file_erase(kin__sqlite_file *file, uint64_t version, kin_error *err);
/* All behind a version, which is the newest then. */
int kin__sqlite_file_rewind(kin__sqlite_file *file, uint64_t version, kin_error *err);
int kin__sqlite_file_set_compacted(kin__sqlite_file *file, kin_str collection, uint64_t version,
                                   kin_error *err);
int kin__sqlite_file_commit(kin__sqlite_file *file, kin_error *err);
void kin__sqlite_file_cancel(kin__sqlite_file *file);

#endif
