/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state in SQLite: what comes back, what is forgotten, and files that are refused.
 */
#include "kin_test.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "apiserver/state/sqlite_file.h"
#include "base/compiler.h"
#include "latch.h"
#include "oom.h"
#include "program.h"
#include "rng.h"
#include "state_support.h"

static char path[256];

static int set_up(void **unused)
{
    (void)unused;
    snprintf(path, sizeof(path), "%s", kin_test_database("state.db"));
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin_test_remove_database(path);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

/* Wait until all that was committed is durable. */
static void settle(kin__state *state)
{
    kin_test_latch latch;
    kin_test_done done;

    kin_test_latch_init(&latch);
    kin_test_done_init(&done, &latch);
    assert_code(kin_test_try_put(state, kin_test_collection(state, "settled"), "s", 0, &done.base,
                                 NULL, NULL),
                0);
    kin_test_latch_wait(&latch, 1);
    assert_code(done.code, 0);
    kin_test_latch_done(&latch);
}

/* Rows of the table, once the file is closed. */
static int64_t count_rows(void)
{
    sqlite3_stmt *statement = NULL;
    sqlite3 *db = NULL;
    int64_t n;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT count(*) FROM revisions", -1, &statement, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    n = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return n;
}

static void execute(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void on_notify(kin__watcher *watcher)
{
    (void)watcher;
}

/* Versions of all changes behind one. */
static size_t changes_behind(kin__state *state, const char *name, uint64_t version,
                             uint64_t *versions)
{
    kin__watcher watcher = {.notify = on_notify};
    kin__change *changes[64];
    uint64_t up_to;
    size_t n;

    assert_code(kin__watcher_open(&watcher, state, kin_test_collection(state, name), version, NULL),
                0);
    assert_code(kin__watcher_read(&watcher, changes, 64, &n, &up_to), 0);
    for (size_t i = 0; i < n; i++) {
        versions[i] = changes[i]->version;
        kin__change_unref(changes[i]);
    }
    kin__watcher_close(&watcher);
    return n;
}

static void what_was_written_comes_back(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    uint64_t versions[64];
    char lists[8][256];

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, kin_test_collection(state, "nodes"), "n", 2);
    kin_test_put(state, pods, "a/y", 3);
    kin_test_put(state, pods, "a/x", 4);
    kin_test_delete(state, pods, "a/y"); /* 6 */
    settle(state);
    for (uint64_t v = 1; v < 8; v++)
        snprintf(lists[v], sizeof(lists[v]), "%s", kin_test_list(state, pods, v));
    kin__state_free(state);

    state = kin_test_open_state(path, 0, 0);
    pods = kin_test_collection(state, "pods");
    assert_int_equal(kin__state_version(state), 7);
    for (uint64_t v = 1; v < 8; v++)
        assert_string_equal(kin_test_list(state, pods, v), lists[v]);
    assert_int_equal(kin_test_value(state, kin_test_collection(state, "nodes"), "n"), 2);
    assert_int_equal(changes_behind(state, "pods", 2, versions), 3);
    assert_int_equal(versions[0], 4);
    assert_int_equal(versions[2], 6);
    assert_int_equal(kin_test_put(state, pods, "a/z", 5), 8);
    kin__state_free(state);
    state = kin_test_open_state(path, 0, 0);
    assert_int_equal(kin_test_value(state, kin_test_collection(state, "pods"), "a/z"), 5);
    kin__state_free(state);
}

/* A file whose schema tries to run code when it is read or written. */
static void the_schema_of_a_file_runs_nothing(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__sqlite_file file;
    kin_error err = KIN_ERROR_INIT;
    int is_on = -1;

    (void)unused;
    kin_test_put(state, kin_test_collection(state, "pods"), "a/x", 1);
    settle(state);
    kin__state_free(state);
    execute("CREATE TABLE stolen (body BLOB);"
            "CREATE TRIGGER thief AFTER INSERT ON revisions BEGIN"
            " INSERT INTO stolen VALUES (new.body); DELETE FROM revisions; END;");
    state = kin_test_open_state(path, 0, 0);
    kin_test_put(state, kin_test_collection(state, "pods"), "a/y", 2);
    settle(state);
    kin__state_free(state);
    state = kin_test_open_state(path, 0, 0);
    assert_int_equal(kin_test_value(state, kin_test_collection(state, "pods"), "a/x"), 1);
    assert_int_equal(kin_test_value(state, kin_test_collection(state, "pods"), "a/y"), 2);
    kin__state_free(state);

    assert_code(kin__sqlite_file_open(&file, path, false, &err), 0);
    assert_int_equal(sqlite3_db_config(file.db, SQLITE_DBCONFIG_DEFENSIVE, -1, &is_on), SQLITE_OK);
    assert_int_equal(is_on, 1);
    assert_int_equal(sqlite3_db_config(file.db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1, &is_on),
                     SQLITE_OK);
    assert_int_equal(is_on, 0);
    assert_int_equal(sqlite3_exec(file.db, "PRAGMA writable_schema = ON; DELETE FROM sqlite_schema",
                                  NULL, NULL, NULL),
                     SQLITE_ERROR);
    kin__sqlite_file_close(&file);

    /* A view in the place of a table. */
    execute(
        "ALTER TABLE revisions RENAME TO hidden; CREATE VIEW revisions AS SELECT * FROM hidden");
    assert_code(kin__sqlite_file_open(&file, path, false, &err), KIN_EPARSE);
    kin__sqlite_file_close(&file);
}

static void the_version_outlives_a_forgotten_deletion(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    kin__watcher watcher = {.notify = on_notify};
    kin_test_latch latch;
    kin_test_done done;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    settle(state);
    assert_code(
        kin_test_try_delete(state, kin_test_collection(state, "settled"), "s", NULL, NULL, NULL),
        0);
    kin_test_latch_init(&latch);
    kin_test_done_init(&done, &latch);
    assert_code(kin_test_try_delete(state, pods, "a/x", &done.base, NULL, NULL), 0); /* 5 */
    kin_test_latch_wait(&latch, 1);
    kin_test_latch_done(&latch);
    kin__state_compact(state);
    kin__state_free(state);
    assert_int_equal(count_rows(), 0);
    state = kin_test_open_state(path, 0, 0);
    pods = kin_test_collection(state, "pods");
    assert_int_equal(kin__state_version(state), 5);
    assert_code(kin__watcher_open(&watcher, state, pods, 4, NULL), KIN_EEXPIRED);
    assert_code(kin__watcher_open(&watcher, state, pods, 5, NULL), 0);
    kin__watcher_close(&watcher);
    assert_int_equal(kin_test_put(state, pods, "a/x", 1), 6);
    kin__state_free(state);
}

static void the_window_survives_and_the_rest_is_forgotten(void **unused)
{
    enum { WINDOW = 20, WRITES = 500 };
    kin__state *state = kin_test_open_state(path, WINDOW, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    kin__watcher watcher = {.notify = on_notify};
    uint64_t versions[64];

    (void)unused;
    for (unsigned i = 0; i < WRITES; i++) {
        char key[16];

        snprintf(key, sizeof(key), "a/%u", i % 7);
        if (i % 70 == 69)
            kin_test_delete(state, pods, key);
        else
            kin_test_put(state, pods, key, i);
    }
    settle(state);
    kin__state_free(state);
    assert_true(count_rows() < WINDOW + 7 + 64 + 10); /* it is told some at a time */
    state = kin_test_open_state(path, WINDOW, 0);
    pods = kin_test_collection(state, "pods");
    assert_int_equal(kin__state_version(state), 2 + WRITES);
    assert_int_equal(changes_behind(state, "pods", 1 + WRITES - WINDOW, versions), WINDOW);
    assert_code(kin__watcher_open(&watcher, state, pods, WRITES - WINDOW, NULL), KIN_EEXPIRED);
    assert_int_equal(kin_test_value(state, pods, "a/2"), 499);
    assert_int_equal(kin_test_value(state, pods, "a/6"), 496);
    kin__state_free(state);
}

static void a_smaller_window_forgets_more(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    kin__watcher watcher = {.notify = on_notify};

    (void)unused;
    for (unsigned i = 0; i < 10; i++)
        kin_test_put(state, pods, "a/x", i);
    kin_test_put(state, pods, "a/y", 1);
    kin_test_delete(state, pods, "a/y"); /* 13 */
    settle(state);
    kin__state_free(state);
    assert_int_equal(count_rows(), 13);
    state = kin_test_open_state(path, 1, 0);
    pods = kin_test_collection(state, "pods");
    assert_int_equal(kin_test_value(state, pods, "a/x"), 9);
    assert_int_equal(kin_test_value(state, pods, "a/y"), -1);
    assert_code(kin__watcher_open(&watcher, state, pods, 11, NULL), KIN_EEXPIRED);
    kin__state_compact(state);
    kin__state_free(state);
    assert_int_equal(count_rows(), 2);
}

/* The storage did not hear of one compaction, but of the next. */
static void what_was_to_be_forgotten_is_forgotten_later(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    kin__watcher watcher = {.notify = on_notify};

    (void)unused;
    for (unsigned i = 0; i < 10; i++)
        kin_test_put(state, pods, "a/x", i);
    kin_test_put(state, pods, "a/y", 1);
    kin_test_delete(state, pods, "a/y"); /* 13 */
    settle(state);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin__state_compact(state);
    assert_true(kin_test_alloc_disarm());
    kin_test_put(state, pods, "a/z", 2); /* 15 */
    settle(state);
    kin__state_compact(state);
    kin__state_free(state);
    assert_int_equal(count_rows(), 14); /* all but the first that `settled` has */
    state = kin_test_open_state(path, 0, 0);
    pods = kin_test_collection(state, "pods");
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=9@11 a/z=2@15");
    assert_code(kin__watcher_open(&watcher, state, pods, 15, NULL), KIN_EEXPIRED);
    kin__state_free(state);
    assert_int_equal(count_rows(), 3);
    state = kin_test_open_state(path, 0, 0);
    assert_string_equal(kin_test_list(state, kin_test_collection(state, "pods"), 0),
                        "a/x=9@11 a/z=2@15");
    kin__state_free(state);
}

static void going_back_is_for_good(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/x", 2);
    kin_test_delete(state, pods, "a/x");
    kin_test_put(state, pods, "a/y", 2);
    assert_code(kin__state_rewind(state, 3, NULL), 0);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=2@3");
    kin_test_put(state, pods, "a/z", 3); /* 4, again */
    kin__state_free(state);
    state = kin_test_open_state(path, 0, 0);
    pods = kin_test_collection(state, "pods");
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=2@3 a/z=3@4");
    assert_int_equal(kin__state_version(state), 4);
    kin__state_free(state);
}

static void all_that_was_taken_is_written_before_it_ends(void **unused)
{
    enum { N = 1500 }; /* more than a transaction */
    kin_test_done *done = calloc(N, sizeof(*done));
    kin__state *state = kin_test_open_state(path, 0, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    char key[16];

    (void)unused;
    assert_non_null(done);
    for (unsigned i = 0; i < N; i++) {
        kin_test_done_init(&done[i], NULL);
        snprintf(key, sizeof(key), "a/%u", i);
        assert_code(kin_test_try_put(state, pods, key, i, &done[i].base, NULL, NULL), 0);
    }
    kin__state_free(state);
    for (unsigned i = 0; i < N; i++) {
        assert_int_equal(done[i].calls, 1);
        assert_code(done[i].code, 0);
    }
    free(done);
    assert_int_equal(count_rows(), N);
}

/* --- files that are refused --- */

static int open_code(kin_error *err)
{
    kin__state_options options = {.storage = NULL};
    kin__state *state = NULL;
    int code = kin__storage_sqlite_open(&options.storage, path, false, err);

    if (code == 0) {
        code = kin__state_new(&state, &options, err);
        if (code < 0)
            options.storage->storage_class->free(options.storage);
    }
    kin__state_free(state);
    return code;
}

static void write_file(const void *data, size_t size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, data, size), (ssize_t)size);
    close(fd);
}

static void what_is_not_ours_is_refused(void **unused)
{
    static const char text[] =
        "apiVersion: v1\nkind: List\nitems: []\n"
        "# this is longer than the header of a database, which has a hundred "
        "bytes, so that SQLite looks at it\n";
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    write_file(text, sizeof(text) - 1);
    assert_code(open_code(&err), KIN_EPARSE);
    assert_non_null(strstr(err.message, "is not a database of ours"));
    kin_test_remove_database(path);

    execute("CREATE TABLE theirs (a)");
    assert_code(open_code(&err), KIN_EPARSE);
    assert_non_null(strstr(err.message, "of another program"));
    execute("PRAGMA application_id = 7");
    assert_code(open_code(&err), KIN_EPARSE);
    kin_test_remove_database(path);

    assert_code(open_code(&err), 0);
    execute("PRAGMA user_version = 2");
    assert_code(open_code(&err), KIN_EPARSE);
    assert_non_null(strstr(err.message, "has format 2, this program knows format 1"));
    execute("PRAGMA user_version = 1; DROP TABLE newest");
    assert_code(open_code(&err), KIN_EPARSE);
    assert_non_null(strstr(err.message, "damaged"));
}

static void paths_that_are_none_are_refused(void **unused)
{
    kin__storage *storage = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    assert_code(kin__storage_sqlite_open(&storage, "", false, &err), KIN_EINVAL);
    assert_code(kin__storage_sqlite_open(&storage, ":memory:", false, &err), KIN_EINVAL);
    assert_code(kin__storage_sqlite_open(&storage, "/nowhere/at/all.db", false, &err), KIN_ESYSTEM);
    assert_non_null(strstr(err.message, "/nowhere/at/all.db"));
    assert_code(kin__storage_sqlite_open(&storage, "/tmp", false, &err), KIN_ESYSTEM);
    assert_null(storage);
}

/* What main() does for it_is_in_use_by_one(), in a process of its own: SQLite is not for use behind a fork(). */
static int open_and_tell(void)
{
    kin_error err = KIN_ERROR_INIT;
    int code = open_code(&err);

    printf("%s: %s\n", kin_error_name(code), err.message);
    return 0;
}

static void assert_in_use_elsewhere(void)
{
    const char *const arguments[] = {"/proc/self/exe", path, NULL};
    const char *busy = kin_error_name(KIN_EBUSY);
    kin_test_program program;
    const char *said;

    kin_test_program_start(&program, arguments);
    said = kin_test_program_hear(&program);
    assert_int_equal(strncmp(said, busy, strlen(busy)), 0);
    assert_non_null(strstr(said, "in use"));
    kin_test_program_stop(&program);
}

static void it_is_in_use_by_one(void **unused)
{
    kin__state *state = kin_test_open_state(path, 0, 0);

    (void)unused;
    assert_code(open_code(NULL), KIN_EBUSY);
    assert_in_use_elsewhere();
    settle(state);
    assert_in_use_elsewhere();
    kin__state_free(state);
    assert_code(open_code(NULL), 0);
}

static void others_cannot_read_it(void **unused)
{
    struct stat st;

    (void)unused;
    assert_code(open_code(NULL), 0);
    assert_int_equal(stat(path, &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
}

/* --- damage --- */

/* A file of several pages, and what is in it. */
static char *make_file(size_t *ret_size, char *list, size_t size)
{
    kin__state *state = kin_test_open_state(path, 30, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    char key[16];
    char *data;
    int fd;

    for (unsigned i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "a/%02u", i % 40);
        kin_test_put(state, pods, key, i);
    }
    settle(state);
    snprintf(list, size, "%s", kin_test_list(state, pods, 0));
    kin__state_free(state);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    *ret_size = (size_t)lseek(fd, 0, SEEK_END);
    data = malloc(*ret_size);
    assert_non_null(data);
    assert_int_equal(pread(fd, data, *ret_size, 0), (ssize_t)*ret_size);
    close(fd);
    return data;
}

/* It is refused with a word, or it is what it was. */
static bool check_damaged(const char *list)
{
    kin__state_options options = {.window_changes = 30};
    kin_error err = KIN_ERROR_INIT;
    kin__state *state = NULL;
    int code = kin__storage_sqlite_open(&options.storage, path, false, &err);

    if (code == 0)
        code = kin__state_new(&state, &options, &err);
    if (code == 0) {
        assert_string_equal(kin_test_list(state, kin_test_collection(state, "pods"), 0), list);
        assert_int_equal(kin__state_version(state), 102);
        kin__state_free(state);
        return false;
    }
    if (options.storage)
        options.storage->storage_class->free(options.storage);
    /* The header may say what only another system or a newer SQLite can do. */
    assert_true(code == KIN_EPARSE || code == KIN_ESYSTEM);
    assert_true(err.message[0] != '\0');
    return true;
}

/* What SQLite itself has nothing against. */
static void rows_that_are_missing_or_changed_are_noticed(void **unused)
{
    static const char *const damages[] = {
        "DELETE FROM revisions WHERE version = 90",
        "UPDATE revisions SET key = 'a/39' WHERE version = 90",
        "UPDATE revisions SET collection = 'nodes' WHERE version = 90",
        "UPDATE revisions SET deletion = 1 WHERE version = 90",
        "UPDATE revisions SET version = 110 WHERE version = 90",
        "UPDATE compacted SET version = version - 1 WHERE collection = 'pods'",
        "UPDATE newest SET version = version + 1",
        "UPDATE newest SET rows = rows - 1",
        "DELETE FROM newest",
    };
    kin_error err = KIN_ERROR_INIT;
    char list[4096];
    size_t size;
    char *data = make_file(&size, list, sizeof(list));

    (void)unused;
    for (size_t i = 0; i < kin__array_len(damages); i++) {
        kin_test_remove_database(path);
        write_file(data, size);
        assert_false(check_damaged(list));
        execute(damages[i]);
        assert_code(open_code(&err), KIN_EPARSE);
        assert_non_null(strstr(err.message, "is damaged"));
    }
    free(data);
}

static void a_cut_file_is_refused(void **unused)
{
    char list[4096];
    size_t size;
    char *data = make_file(&size, list, sizeof(list));
    unsigned refused = 0;
    unsigned n = 0;

    (void)unused;
    for (size_t cut = 100; cut < size; cut += 1009, n++) {
        kin_test_remove_database(path);
        write_file(data, cut);
        refused += check_damaged(list);
    }
    assert_int_equal(refused, n);
    free(data);
}

static void a_damaged_file_is_refused_or_unharmed(void **unused)
{
    kin_test_rng rng = {4711};
    char list[4096];
    size_t size;
    char *data = make_file(&size, list, sizeof(list));
    unsigned refused = 0;

    (void)unused;
    for (unsigned i = 0; i < 300; i++) {
        size_t at = kin_test_below(&rng, size);
        char was = data[at];

        data[at] = (char)(was ^ (1 << kin_test_below(&rng, 8)));
        kin_test_remove_database(path);
        write_file(data, size);
        refused += check_damaged(list);
        data[at] = was;
    }
    assert_true(refused > 50);
    free(data);
}

/* --- no memory --- */

static int in_sqlite(void *arg, kin_error *err)
{
    kin__state_options options = {.window_changes = 5};
    kin__collection *pods = NULL;
    kin__state *state = NULL;
    char key[16];
    int code = kin__storage_sqlite_open(&options.storage, path, false, err);

    (void)arg;
    if (code < 0)
        return code;
    code = kin__state_new(&state, &options, err);
    if (code < 0)
        options.storage->storage_class->free(options.storage);
    if (code == 0)
        code = kin__state_collection(state, &pods, kin_str_of("pods"), err);
    for (unsigned i = 0; code == 0 && i < 12; i++) {
        snprintf(key, sizeof(key), "a/%u", i % 3);
        code = kin_test_try_put(state, pods, key, i, NULL, NULL, err);
    }
    kin__state_free(state);
    /* The storage's thread had none: whoever comes later is told that it has failed. */
    if (code == KIN_ESYSTEM)
        code = kin_error_set(err, KIN_ENOMEM, "no memory");
    return code;
}

static void it_survives_a_lack_of_memory(void **unused)
{
    (void)unused;
    kin_test_fail_each_allocation(in_sqlite, NULL);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        test(what_was_written_comes_back),
        test(the_schema_of_a_file_runs_nothing),
        test(the_version_outlives_a_forgotten_deletion),
        test(the_window_survives_and_the_rest_is_forgotten),
        test(a_smaller_window_forgets_more),
        test(what_was_to_be_forgotten_is_forgotten_later),
        test(going_back_is_for_good),
        test(all_that_was_taken_is_written_before_it_ends),
        test(what_is_not_ours_is_refused),
        test(paths_that_are_none_are_refused),
        test(it_is_in_use_by_one),
        test(others_cannot_read_it),
        test(rows_that_are_missing_or_changed_are_noticed),
        test(a_cut_file_is_refused),
        test(a_damaged_file_is_refused_or_unharmed),
        test(it_survives_a_lack_of_memory),
    };

    if (argc > 1) {
        snprintf(path, sizeof(path), "%s", argv[1]);
        return open_and_tell();
    }
    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
