/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rowid of a row is its version: writes append to the end of one tree, and what is forgotten is
 * found without an index. The locking mode is exclusive, so nobody else can look at the file while
 * it is open, and the WAL needs no shared memory.
 */
#include "apiserver/state/sqlite_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "kinform/json.h"
#include "object/json.h"

_Static_assert(SQLITE_VERSION_NUMBER >= 3040000, "SQLite 3.40 or newer is needed");

enum {
    APPLICATION_ID = 0x6b696e66, /* "kinf" */
    FORMAT = 1,
    BODY_KEPT = 1024 * 1024, /* bytes of working memory that stay */
};

static const char schema[] =
    "CREATE TABLE revisions (version INTEGER PRIMARY KEY, collection TEXT NOT NULL,"
    " key TEXT NOT NULL, deletion INTEGER NOT NULL, body BLOB NOT NULL, sum INTEGER NOT NULL);"
    "CREATE TABLE compacted (collection TEXT PRIMARY KEY, version INTEGER NOT NULL,"
    " sum INTEGER NOT NULL) WITHOUT ROWID;"
    "CREATE TABLE newest (id INTEGER PRIMARY KEY CHECK (id = 1), version INTEGER NOT NULL,"
    " rows INTEGER NOT NULL, sum INTEGER NOT NULL);"
    "PRAGMA application_id = 1802071654;" /* APPLICATION_ID */
    "PRAGMA user_version = 1;";           /* FORMAT */

static const char *const texts[KIN__SQLITE_COUNT] = {
    [KIN__SQLITE_BEGIN] = "BEGIN IMMEDIATE",
    [KIN__SQLITE_COMMIT] = "COMMIT",
    [KIN__SQLITE_ROLLBACK] = "ROLLBACK",
    [KIN__SQLITE_INSERT] = "INSERT INTO revisions VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    [KIN__SQLITE_ERASE] = "DELETE FROM revisions WHERE version = ?1",
    [KIN__SQLITE_ERASE_BEHIND] = "DELETE FROM revisions WHERE version > ?1",
    [KIN__SQLITE_COMPACTED] = "INSERT OR REPLACE INTO compacted VALUES (?2, ?1, ?3)",
    [KIN__SQLITE_NEWEST] = "INSERT OR REPLACE INTO newest VALUES (1, ?1, ?2, ?3)",
};

/* Say what SQLite said. */
static int fail(const kin__sqlite_file *file, int result, const char *what, kin_error *err)
{
    const char *why = file->db ? sqlite3_errmsg(file->db) : sqlite3_errstr(result);

    switch (result & 0xff) {
    case SQLITE_NOMEM:
        return kin__error_no_memory(err);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return kin_error_set(err, KIN_EBUSY, "%s is in use by another process", file->path);
    case SQLITE_NOTADB:
        return kin_error_set(err, KIN_EPARSE, "%s is not a database of ours: %s", file->path, why);
    case SQLITE_CORRUPT:
        return kin_error_set(err, KIN_EPARSE, "%s is damaged: %s", file->path, why);
    default:
        return kin_error_set(err, KIN_ESYSTEM, "%s %s: %s", what, file->path, why);
    }
}

static int execute(kin__sqlite_file *file, const char *sql, const char *what, kin_error *err)
{
    int result = sqlite3_exec(file->db, sql, NULL, NULL, NULL);

    return result == SQLITE_OK ? 0 : fail(file, result, what, err);
}

/* The one number or word that a statement gives. */
static int ask(kin__sqlite_file *file, const char *sql, int64_t *ret, char *text, size_t size,
               kin_error *err)
{
    sqlite3_stmt *statement = NULL;
    int result = sqlite3_prepare_v2(file->db, sql, -1, &statement, NULL);
    int code = 0;

    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result == SQLITE_DONE)
        code = kin_error_set(err, KIN_EPARSE, "%s is damaged: a table is empty", file->path);
    else if (result != SQLITE_ROW)
        code = fail(file, result, "reading", err);
    if (code == 0) {
        const char *word = (const char *)sqlite3_column_text(statement, 0);

        *ret = sqlite3_column_int64(statement, 0);
        if (text)
            snprintf(text, size, "%s", word ? word : "");
    }
    sqlite3_finalize(statement);
    return code;
}

/* Whether it is ours; *ret_empty: nobody's yet. */
static int identify(kin__sqlite_file *file, bool *ret_empty, kin_error *err)
{
    int64_t application = 0;
    int64_t format = 0;
    int64_t tables = 0;
    int code = ask(file, "PRAGMA application_id", &application, NULL, 0, err);

    if (code == 0)
        code = ask(file, "PRAGMA user_version", &format, NULL, 0, err);
    if (code == 0)
        code = ask(file, "SELECT count(*) FROM sqlite_schema", &tables, NULL, 0, err);
    if (code < 0)
        return code;
    *ret_empty = application == 0 && format == 0 && tables == 0;
    if (*ret_empty)
        return 0;
    if (application != APPLICATION_ID)
        return kin_error_set(err, KIN_EPARSE, "%s is a database of another program", file->path);
    if (format != FORMAT)
        return kin_error_set(err, KIN_EPARSE,
                             "%s has format %" PRId64 ", this program knows format %d", file->path,
                             format, FORMAT);
    return 0;
}

/*
 * The file may have been written by another program on purpose. Its schema must not run code: triggers
 * and views are off, and expressions in it may only use functions that SQLite declares harmless.
 */
static int distrust(kin__sqlite_file *file, kin_error *err)
{
    static const struct {
        int option, value;
    } settings[] = {
        {SQLITE_DBCONFIG_DEFENSIVE, 1},
        {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
        {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
        {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
    };

    for (size_t i = 0; i < kin__array_len(settings); i++) {
        int is_set = -1;
        int result = sqlite3_db_config(file->db, settings[i].option, settings[i].value, &is_set);

        if (result != SQLITE_OK || is_set != settings[i].value)
            return fail(file, result, "securing", err);
    }
    return 0;
}

static int set_up(kin__sqlite_file *file, bool full_sync, kin_error *err)
{
    bool is_empty = false;
    char mode[16] = "";
    int64_t ignored;
    /* Before anything is looked at: what is read once stays locked. */
    int code = execute(file, "PRAGMA locking_mode = EXCLUSIVE", "opening", err);

    if (code == 0)
        code = identify(file, &is_empty, err);
    if (code == 0)
        code = ask(file, "PRAGMA journal_mode = WAL", &ignored, mode, sizeof(mode), err);
    if (code == 0 && strcmp(mode, "wal") != 0)
        code = kin_error_set(err, KIN_ESYSTEM, "%s cannot have a write-ahead log", file->path);
    /* A checkpoint waits for the disk, so there are few of them. */
    if (code == 0)
        code = execute(file,
                       full_sync ? "PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 4096"
                                 : "PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4096",
                       "opening", err);
    if (code == 0)
        code = execute(file, "BEGIN EXCLUSIVE", "opening", err);
    if (code == 0 && is_empty)
        code = execute(file, schema, "setting up", err);
    if (code == 0)
        code = execute(file, "COMMIT", "setting up", err);
    return code;
}

/*
 * Secrets of a cluster are for nobody else to read. A file that is there keeps its mode, and is not
 * even opened: closing it would give up the locks that this process may have on it.
 */
static int make_private(const char *path, kin_error *err)
{
    struct stat st;
    int fd;

    if (stat(path, &st) == 0)
        return 0;
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0 && errno != EEXIST)
        return kin__error_system(err, errno, path);
    if (fd >= 0)
        close(fd);
    return 0;
}

int kin__sqlite_file_open(kin__sqlite_file *file, const char *path, bool full_sync, kin_error *err)
{
    int result;
    int code;

    memset(file, 0, sizeof(*file));
    kin__buf_init(&file->body, SIZE_MAX - 1);
    if (path[0] == '\0' || path[0] == ':')
        return kin_error_set(err, KIN_EINVAL, "the storage needs the path of a file, not '%s'",
                             path);
    file->path = kin__memdup_str(kin_str_of(path));
    if (!file->path)
        return kin__error_no_memory(err);
    if (!sqlite3_threadsafe())
        return kin_error_set(err, KIN_ESYSTEM, "this SQLite was built without threads");
    code = make_private(path, err);
    if (code < 0)
        return code;
    result = sqlite3_open_v2(
        path, &file->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, NULL);
    if (result != SQLITE_OK)
        return fail(file, result, "opening", err);
    sqlite3_extended_result_codes(file->db, 1);
    code = distrust(file, err);
    if (code == 0)
        code = set_up(file, full_sync, err);
    for (size_t i = 0; code == 0 && i < KIN__SQLITE_COUNT; i++) {
        result = sqlite3_prepare_v3(file->db, texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                                    &file->statements[i], NULL);
        if (result != SQLITE_OK) /* a table is missing, or is another one */
            code =
                kin_error_set(err, KIN_EPARSE, "%s is damaged: %s", path, sqlite3_errmsg(file->db));
    }
    return code;
}

void kin__sqlite_file_close(kin__sqlite_file *file)
{
    for (size_t i = 0; i < KIN__SQLITE_COUNT; i++)
        sqlite3_finalize(file->statements[i]);
    sqlite3_close(file->db);
    kin__buf_done(&file->body);
    kin__free(file->path);
}

/* --- reading --- */

static int64_t checksum(const kin__storage_record *record, kin_str body)
{
    uint64_t sum = kin__hash(record->version, record->collection.data, record->collection.len);

    sum = kin__hash(sum, record->key.data, record->key.len);
    return (int64_t)kin__hash(sum + record->is_deletion, body.data, body.len);
}

static int64_t checksum_of_compacted(kin_str collection, uint64_t version)
{
    return (int64_t)kin__hash(version, collection.data, collection.len);
}

static int64_t checksum_of_newest(uint64_t version, uint64_t rows)
{
    return (int64_t)kin__hash(version, &rows, sizeof(rows));
}

static kin_str column(sqlite3_stmt *statement, int i)
{
    /* In this order, as SQLite wants it. */
    const char *data = sqlite3_column_blob(statement, i);

    return kin_str_make(data ? data : "", (size_t)sqlite3_column_bytes(statement, i));
}

static int load_row(kin__sqlite_file *file, sqlite3_stmt *row, kin_decoder *decoder,
                    kin__storage_loader *loader, kin_error *err)
{
    kin__storage_record record = {
        .version = (uint64_t)sqlite3_column_int64(row, 0),
        .collection = column(row, 1),
        .key = column(row, 2),
        .is_deletion = sqlite3_column_int64(row, 3) != 0,
    };
    kin_str body = column(row, 4);
    kin_error said = KIN_ERROR_INIT;
    int code;

    if (sqlite3_column_int64(row, 5) != checksum(&record, body))
        return kin_error_set(err, KIN_EPARSE,
                             "%s is damaged: version %" PRIu64 " is not as written", file->path,
                             record.version);
    code = kin_decoder_decode(decoder, &record.object, body, &said);
    if (code == KIN_EPARSE || code == KIN_ELIMIT)
        return kin_error_set(err, KIN_EPARSE, "%s: version %" PRIu64 " is no object: %s",
                             file->path, record.version, said.message);
    if (code < 0)
        return kin__error_pass(err, code, &said);
    code = loader->record(loader, &record, err);
    kin_object_unref(record.object);
    return code;
}

static int load_rows(kin__sqlite_file *file, sqlite3_stmt *row, kin__storage_loader *loader,
                     kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;
    int result = SQLITE_DONE;
    uint64_t last = 0;
    uint64_t n = 0;
    int code;

    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    code = kin_decoder_new(&decoder, &options, err);
    for (; code == 0 && (result = sqlite3_step(row)) == SQLITE_ROW; n++) {
        last = (uint64_t)sqlite3_column_int64(row, 0);
        code = load_row(file, row, decoder, loader, err);
    }
    kin_decoder_free(decoder);
    if (code == 0 && result != SQLITE_DONE)
        code = fail(file, result, "reading", err);
    if (code == 0 && (n != file->rows || last > file->newest))
        code = kin_error_set(err, KIN_EPARSE,
                             "%s is damaged: %" PRIu64 " versions up to %" PRIu64
                             " were found, %" PRIu64 " up to %" PRIu64 " were written",
                             file->path, n, last, file->rows, file->newest);
    return code;
}

static int load_compacted(kin__sqlite_file *file, sqlite3_stmt *row, kin__storage_loader *loader,
                          kin_error *err)
{
    int result = SQLITE_DONE;
    int code = 0;

    while (code == 0 && (result = sqlite3_step(row)) == SQLITE_ROW) {
        kin_str collection = column(row, 0);
        uint64_t version = (uint64_t)sqlite3_column_int64(row, 1);

        if (sqlite3_column_int64(row, 2) != checksum_of_compacted(collection, version))
            return kin_error_set(err, KIN_EPARSE, "%s is damaged: what was compacted is unknown",
                                 file->path);
        code = loader->compacted(loader, collection, version, err);
    }
    if (code == 0 && result != SQLITE_DONE)
        code = fail(file, result, "reading", err);
    return code;
}

/* The one row, which a database without any write has not. */
static int load_newest(kin__sqlite_file *file, sqlite3_stmt *row, kin__storage_loader *loader,
                       kin_error *err)
{
    int result = sqlite3_step(row);

    (void)loader;
    if (result == SQLITE_DONE)
        return 0;
    if (result != SQLITE_ROW)
        return fail(file, result, "reading", err);
    file->newest = (uint64_t)sqlite3_column_int64(row, 0);
    file->rows = (uint64_t)sqlite3_column_int64(row, 1);
    if (sqlite3_column_int64(row, 2) != checksum_of_newest(file->newest, file->rows))
        return kin_error_set(err, KIN_EPARSE, "%s is damaged: the newest version is unknown",
                             file->path);
    return 0;
}

typedef int load_fn(kin__sqlite_file *file, sqlite3_stmt *row, kin__storage_loader *loader,
                    kin_error *err);

static int load_with(kin__sqlite_file *file, const char *sql, load_fn *load,
                     kin__storage_loader *loader, kin_error *err)
{
    sqlite3_stmt *rows = NULL;
    int result = sqlite3_prepare_v2(file->db, sql, -1, &rows, NULL);
    int code =
        result == SQLITE_OK ? load(file, rows, loader, err) : fail(file, result, "reading", err);

    sqlite3_finalize(rows);
    return code;
}

int kin__sqlite_file_load(kin__sqlite_file *file, kin__storage_loader *loader,
                          uint64_t *ret_version, kin_error *err)
{
    int code = load_with(file, "SELECT version, rows, sum FROM newest", load_newest, loader, err);

    if (code == 0)
        code = load_with(file, "SELECT collection, version, sum FROM compacted ORDER BY collection",
                         load_compacted, loader, err);
    if (code == 0)
        code = load_with(file,
                         "SELECT version, collection, key, deletion, body, sum FROM revisions"
                         " ORDER BY version",
                         load_rows, loader, err);
    if (code == 0)
        *ret_version = file->newest;
    return code;
}

/* --- writing --- */

/* Run a statement whose parameters are bound; `result`: how binding them went. */
static int run_statement(kin__sqlite_file *file, enum kin__sqlite_statement which, int result,
                         kin_error *err)
{
    sqlite3_stmt *statement = file->statements[which];
    int code = 0;

    if (result == SQLITE_OK)
        result = sqlite3_step(statement);
    if (result != SQLITE_DONE)
        code = fail(file, result, "writing", err);
    sqlite3_reset(statement);
    return code;
}

static int run_with_version(kin__sqlite_file *file, enum kin__sqlite_statement which,
                            uint64_t version, kin_error *err)
{
    return run_statement(file, which,
                         sqlite3_bind_int64(file->statements[which], 1, (int64_t)version), err);
}

static int bind_text(sqlite3_stmt *statement, int i, kin_str text)
{
    return sqlite3_bind_text64(statement, i, text.data, text.len, SQLITE_STATIC, SQLITE_UTF8);
}

int kin__sqlite_file_begin(kin__sqlite_file *file, kin_error *err)
{
    file->committed_newest = file->newest;
    file->committed_rows = file->rows;
    return run_statement(file, KIN__SQLITE_BEGIN, SQLITE_OK, err);
}

int kin__sqlite_file_insert(kin__sqlite_file *file, const kin__storage_record *record,
                            kin_error *err)
{
    sqlite3_stmt *insert = file->statements[KIN__SQLITE_INSERT];
    kin_str body;
    int result = sqlite3_bind_int64(insert, 1, (int64_t)record->version);
    int code;

    kin__buf_recycle(&file->body, BODY_KEPT);
    kin__json_write(&file->body, kin_object_root(record->object), KIN_JSON_COMPACT);
    if (file->body.failed)
        return kin__error_no_memory(err);
    body = kin__buf_str(&file->body);
    if (result == SQLITE_OK)
        result = bind_text(insert, 2, record->collection);
    if (result == SQLITE_OK)
        result = bind_text(insert, 3, record->key);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(insert, 4, record->is_deletion);
    if (result == SQLITE_OK)
        result = sqlite3_bind_blob64(insert, 5, body.data, body.len, SQLITE_STATIC);
    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(insert, 6, checksum(record, body));
    code = run_statement(file, KIN__SQLITE_INSERT, result, err);
    sqlite3_clear_bindings(insert); /* what they point at goes */
    file->rows++;
    file->newest = record->version;
    return code;
}

static int erase(kin__sqlite_file *file, enum kin__sqlite_statement which, uint64_t version,
                 kin_error *err)
{
    int code = run_with_version(file, which, version, err);

    if (code == 0)
        file->rows -= (uint64_t)sqlite3_changes64(file->db);
    return code;
}

int kin__sqlite_file_erase(kin__sqlite_file *file, uint64_t version, kin_error *err)
{
    return erase(file, KIN__SQLITE_ERASE, version, err);
}

int kin__sqlite_file_rewind(kin__sqlite_file *file, uint64_t version, kin_error *err)
{
    file->newest = version;
    return erase(file, KIN__SQLITE_ERASE_BEHIND, version, err);
}

int kin__sqlite_file_set_compacted(kin__sqlite_file *file, kin_str collection, uint64_t version,
                                   kin_error *err)
{
    sqlite3_stmt *statement = file->statements[KIN__SQLITE_COMPACTED];
    int result = bind_text(statement, 2, collection);

    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(statement, 3, checksum_of_compacted(collection, version));
    if (result != SQLITE_OK)
        return fail(file, result, "writing", err);
    return run_with_version(file, KIN__SQLITE_COMPACTED, version, err);
}

int kin__sqlite_file_commit(kin__sqlite_file *file, kin_error *err)
{
    sqlite3_stmt *statement = file->statements[KIN__SQLITE_NEWEST];
    int result = sqlite3_bind_int64(statement, 2, (int64_t)file->rows);
    int code;

    if (result == SQLITE_OK)
        result = sqlite3_bind_int64(statement, 3, checksum_of_newest(file->newest, file->rows));
    if (result != SQLITE_OK)
        return fail(file, result, "writing", err);
    code = run_with_version(file, KIN__SQLITE_NEWEST, file->newest, err);
    return code < 0 ? code : run_statement(file, KIN__SQLITE_COMMIT, SQLITE_OK, err);
}

void kin__sqlite_file_cancel(kin__sqlite_file *file)
{
    /* SQLite may have rolled back by itself; then this says so, and that is all. */
    run_statement(file, KIN__SQLITE_ROLLBACK, SQLITE_OK, NULL);
    file->newest = file->committed_newest;
    file->rows = file->committed_rows;
}
