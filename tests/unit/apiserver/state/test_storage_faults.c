/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Disks that fail: the first, the second, … write or sync of a database, alone or with all behind
 * it, with an error or because the disk is full. Whatever fails, what was acknowledged is there
 * afterwards, and what was not was never seen.
 */
#include "kin_test.h"

#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "latch.h"
#include "state_support.h"

/* --- a VFS around SQLite's own --- */

struct faulty_file {
    sqlite3_file base;
    sqlite3_file *real; /* behind this struct */
};

static sqlite3_vfs *real_vfs;
static sqlite3_vfs faulty_vfs;
static _Atomic int countdown; /* writes and syncs until one fails */
static bool fails_on;         /* and all behind it */
static int failure;           /* SQLITE_FULL or an error of I/O */

static bool is_to_fail(void)
{
    int left = atomic_fetch_sub(&countdown, 1);

    return left == 1 || (left < 1 && fails_on);
}

static sqlite3_file *real_of(sqlite3_file *file)
{
    return kin__container_of(file, struct faulty_file, base)->real;
}

static int faulty_close(sqlite3_file *file)
{
    return real_of(file)->pMethods->xClose(real_of(file));
}

static int faulty_read(sqlite3_file *file, void *data, int n, sqlite3_int64 at)
{
    return real_of(file)->pMethods->xRead(real_of(file), data, n, at);
}

/* A write that fails has written a half. */
static int faulty_write(sqlite3_file *file, const void *data, int n, sqlite3_int64 at)
{
    bool fails = is_to_fail();
    int result = real_of(file)->pMethods->xWrite(real_of(file), data, fails ? n / 2 : n, at);

    return fails ? failure : result;
}

static int faulty_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return real_of(file)->pMethods->xTruncate(real_of(file), size);
}

/* The disk itself is not asked: what is lost with its power is not what is tested here. */
static int faulty_sync(sqlite3_file *file, int flags)
{
    (void)file;
    (void)flags;
    return is_to_fail() ? SQLITE_IOERR_FSYNC : SQLITE_OK;
}

static int faulty_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return real_of(file)->pMethods->xFileSize(real_of(file), size);
}

static int faulty_lock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xLock(real_of(file), lock);
}

static int faulty_unlock(sqlite3_file *file, int lock)
{
    return real_of(file)->pMethods->xUnlock(real_of(file), lock);
}

static int faulty_check(sqlite3_file *file, int *ret)
{
    return real_of(file)->pMethods->xCheckReservedLock(real_of(file), ret);
}

static int faulty_control(sqlite3_file *file, int op, void *arg)
{
    return real_of(file)->pMethods->xFileControl(real_of(file), op, arg);
}

static int faulty_sector(sqlite3_file *file)
{
    return real_of(file)->pMethods->xSectorSize(real_of(file));
}

static int faulty_device(sqlite3_file *file)
{
    return real_of(file)->pMethods->xDeviceCharacteristics(real_of(file));
}

static int faulty_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                       int *ret_flags)
{
    /* No shared memory: an exclusive lock does without. */
    static const sqlite3_io_methods methods = {1,
                                               faulty_close,
                                               faulty_read,
                                               faulty_write,
                                               faulty_truncate,
                                               faulty_sync,
                                               faulty_size,
                                               faulty_lock,
                                               faulty_unlock,
                                               faulty_check,
                                               faulty_control,
                                               faulty_sector,
                                               faulty_device,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL,
                                               NULL};
    struct faulty_file *faulty = kin__container_of(file, struct faulty_file, base);
    int result;

    (void)vfs;
    faulty->real = (sqlite3_file *)(void *)(faulty + 1);
    result = real_vfs->xOpen(real_vfs, name, faulty->real, flags, ret_flags);
    faulty->base.pMethods = result == SQLITE_OK ? &methods : NULL;
    return result;
}

static void install(void)
{
    real_vfs = sqlite3_vfs_find(NULL);
    assert_non_null(real_vfs);
    faulty_vfs = *real_vfs;
    faulty_vfs.zName = "faulty";
    faulty_vfs.pNext = NULL;
    faulty_vfs.szOsFile += (int)sizeof(struct faulty_file);
    faulty_vfs.xOpen = faulty_open;
    assert_int_equal(sqlite3_vfs_register(&faulty_vfs, 1), SQLITE_OK);
}

/* --- the writes --- */

enum { N = 24 };

static int codes[N]; /* of each write */

/* Write what can be written; each its own key. Wait for all answers. */
static void write_all(kin__state *state)
{
    kin__collection *pods = kin_test_collection(state, "pods");
    kin_test_latch latch;
    kin_test_done done[N];
    unsigned taken = 0;
    unsigned seen = 0;
    char key[16];

    kin_test_latch_init(&latch);
    for (unsigned i = 0; i < N; i++) {
        kin_test_done_init(&done[i], &latch);
        snprintf(key, sizeof(key), "a/%02u", i);
        codes[i] = kin_test_try_put(state, pods, key, i, &done[i].base, NULL, NULL);
        taken += codes[i] == 0;
        if (i % 4 == 3)
            kin_test_latch_wait(&latch, taken);
    }
    kin_test_latch_wait(&latch, taken);
    for (unsigned i = 0; i < N; i++) {
        if (codes[i] == 0)
            codes[i] = done[i].code;
        assert_true(codes[i] == 0 || codes[i] == KIN_ESYSTEM);
        assert_true(i == 0 || codes[i] <= codes[i - 1]); /* the first failure is for good */
        snprintf(key, sizeof(key), "a/%02u", i);
        assert_int_equal(kin_test_value(state, pods, key), codes[i] == 0 ? (int)i : -1);
        seen += codes[i] == 0;
    }
    assert_int_equal(kin__state_version(state), 1 + seen);
    kin_test_latch_done(&latch);
}

static void run(const char *path, bool full_sync)
{
    kin__state_options options = {.window_changes = 10};
    kin_error err = KIN_ERROR_INIT;
    kin__state *state = NULL;
    int code = kin__storage_sqlite_open(&options.storage, path, full_sync, &err);

    for (unsigned i = 0; i < N; i++)
        codes[i] = KIN_ESYSTEM;
    if (code == 0) {
        code = kin__state_new(&state, &options, &err);
        if (code < 0)
            options.storage->storage_class->free(options.storage);
    }
    if (code < 0) {
        assert_code(code, KIN_ESYSTEM);
        assert_non_null(strstr(err.message, path));
        return;
    }
    write_all(state);
    kin__state_free(state);
}

/* On a disk that works again. */
static void check(const char *path)
{
    kin__state *state = kin_test_open_state(path, 10, 0);
    kin__collection *pods = kin_test_collection(state, "pods");
    char key[16];

    for (unsigned i = 0; i < N; i++) {
        snprintf(key, sizeof(key), "a/%02u", i);
        if (codes[i] == 0)
            assert_int_equal(kin_test_value(state, pods, key), i);
    }
    kin_test_put(state, pods, "b/new", 1);
    kin__state_free(state);
}

static void fail_each(bool rest, int how, bool full_sync)
{
    const char *path = kin_test_database("faulty.db");
    bool has_failed = true;

    for (int n = 1; has_failed; n++) {
        assert_true(n < 5000);
        kin_test_remove_database(path);
        fails_on = rest;
        failure = how;
        atomic_store(&countdown, n);
        run(path, full_sync);
        has_failed = atomic_exchange(&countdown, 0) < 1;
        fails_on = false;
        check(path);
    }
    kin_test_remove_database(path);
    for (unsigned i = 0; i < N; i++)
        assert_code(codes[i], 0);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void one_error(void **state)
{
    (void)state;
    fail_each(false, SQLITE_IOERR_WRITE, false);
}

static void errors_from_then_on(void **state)
{
    (void)state;
    fail_each(true, SQLITE_IOERR_WRITE, true);
}

static void a_full_disk(void **state)
{
    (void)state;
    fail_each(true, SQLITE_FULL, false);
}

/* Going back fails, and the storage goes on: what it counts is what the disk has. */
static void errors_in_going_back(void **unused)
{
    const char *path = kin_test_database("faulty.db");
    int code = KIN_ESYSTEM;

    (void)unused;
    failure = SQLITE_IOERR_WRITE;
    for (int n = 1; code < 0; n++) {
        kin_test_latch latch;
        kin_test_done done;
        kin__state *state;
        kin__collection *pods;

        assert_true(n < 1000);
        kin_test_remove_database(path);
        state = kin_test_open_state(path, 4, 0);
        pods = kin_test_collection(state, "pods");
        kin_test_latch_init(&latch);
        kin_test_done_init(&done, &latch);
        for (unsigned i = 0; i < 8; i++)
            assert_code(
                kin_test_try_put(state, pods, "a/a", i, i == 7 ? &done.base : NULL, NULL, NULL), 0);
        kin_test_latch_wait(&latch, 1);
        kin_test_latch_done(&latch);
        atomic_store(&countdown, n);
        code = kin__state_rewind(state, 7, NULL);
        atomic_store(&countdown, 0);
        assert_int_equal(kin__state_version(state), code < 0 ? 9 : 7);
        /* First what only forgets, which says anew how much there is. */
        kin__state_compact(state);
        kin__state_free(state);
        state = kin_test_open_state(path, 4, 0);
        pods = kin_test_collection(state, "pods");
        assert_int_equal(kin__state_version(state), code < 0 ? 9 : 7);
        assert_int_equal(kin_test_value(state, pods, "a/a"), code < 0 ? 7 : 5);
        kin__state_free(state);
    }
    kin_test_remove_database(path);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_error),
        cmocka_unit_test(errors_from_then_on),
        cmocka_unit_test(a_full_disk),
        cmocka_unit_test(errors_in_going_back),
    };

    kin_test_alloc_install();
    install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
