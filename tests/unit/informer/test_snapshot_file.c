/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots and the system: each call fails in turn, the process is killed at each call, disks are full,
 * others write at the same time. There is always an old or a new file, whole, and nothing else.
 */
#include "snapshot_support.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zstd.h>
#include <zstd_errors.h>

#include "alloc.h"
#include "child.h"

#define POD(name) "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"" name "\"}}"

static const char *const old_pods[] = {POD("a"), NULL};
static const char *const new_pods[] = {POD("b"), POD("c"), POD("d"), NULL};
static const char old_text[] = POD("a") "\n";
static const char new_text[] = POD("b") "\n" POD("c") "\n" POD("d") "\n";

/* --- system calls of the library --- */

static struct {
    unsigned calls; /* since it was armed */
    unsigned at;    /* the one at which it happens, from 1; 0: never */
    int os_error;   /* what happens; 0: the process is killed */
    size_t most;    /* bytes that are written or read at once; 0: any number */
    bool interrupt; /* each write and read once before */
    bool interrupted;
    void (*on_lock)(void); /* before the next flock() */
    const char *failed;
    bool no_context; /* zstd has no memory at first, or later */
    bool no_workspace;
} calls;

static bool is_failing(const char *name)
{
    if (calls.at == 0 || ++calls.calls != calls.at)
        return false;
    if (calls.os_error == 0)
        kill(getpid(), SIGKILL);
    calls.failed = name;
    errno = calls.os_error;
    return true;
}

static bool is_interrupted(void)
{
    if (!calls.interrupt)
        return false;
    calls.interrupted = !calls.interrupted;
    errno = EINTR;
    return calls.interrupted;
}

static size_t shorten(size_t len)
{
    return calls.most > 0 && len > calls.most ? calls.most : len;
}

/* The linker puts these in the place of the C library's. */
#define WRAP(type, name, parameters)                                                               \
    type fake_##name parameters __asm__("__wrap_" #name);                                          \
    type real_##name parameters __asm__("__real_" #name)

WRAP(int, open, (const char *path, int flags, ...));
WRAP(int, openat, (int folder, const char *path, int flags, ...));
WRAP(int, flock, (int fd, int how));
WRAP(int, fchmod, (int fd, mode_t mode));
WRAP(int, ftruncate, (int fd, off_t len));
WRAP(ssize_t, write, (int fd, const void *data, size_t len));
WRAP(ssize_t, pwrite, (int fd, const void *data, size_t len, off_t at));
WRAP(ssize_t, pread, (int fd, void *data, size_t len, off_t at));
WRAP(int, fsync, (int fd));
WRAP(int, renameat, (int from_folder, const char *from, int to_folder, const char *to));
WRAP(ZSTD_CCtx *, ZSTD_createCCtx, (void));
WRAP(ZSTD_DCtx *, ZSTD_createDCtx, (void));
WRAP(size_t, ZSTD_compress2,
     (ZSTD_CCtx * zstd, void *to, size_t size, const void *from, size_t len));

int fake_open(const char *path, int flags, ...)
{
    return is_failing("open") ? -1 : real_open(path, flags, 0600);
}

int fake_openat(int folder, const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    va_start(ap, flags);
    if (flags & O_CREAT)
        mode = va_arg(ap, mode_t);
    va_end(ap);
    return is_failing("openat") ? -1 : real_openat(folder, path, flags, mode);
}

int fake_flock(int fd, int how)
{
    void (*hook)(void) = calls.on_lock;

    if (hook) {
        calls.on_lock = NULL;
        hook();
    }
    return is_failing("flock") || is_interrupted() ? -1 : real_flock(fd, how);
}

int fake_fchmod(int fd, mode_t mode)
{
    return is_failing("fchmod") ? -1 : real_fchmod(fd, mode);
}

int fake_ftruncate(int fd, off_t len)
{
    return is_failing("ftruncate") ? -1 : real_ftruncate(fd, len);
}

ssize_t fake_write(int fd, const void *data, size_t len)
{
    return is_failing("write") || is_interrupted() ? -1 : real_write(fd, data, shorten(len));
}

ssize_t fake_pwrite(int fd, const void *data, size_t len, off_t at)
{
    return is_failing("pwrite") || is_interrupted() ? -1 : real_pwrite(fd, data, shorten(len), at);
}

ssize_t fake_pread(int fd, void *data, size_t len, off_t at)
{
    return is_failing("pread") || is_interrupted() ? -1 : real_pread(fd, data, shorten(len), at);
}

int fake_fsync(int fd)
{
    return is_failing("fsync") ? -1 : real_fsync(fd);
}

int fake_renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    return is_failing("renameat") ? -1 : real_renameat(from_folder, from, to_folder, to);
}

/* zstd's memory is not ours to fail. */
ZSTD_CCtx *fake_ZSTD_createCCtx(void)
{
    return calls.no_context ? NULL : real_ZSTD_createCCtx();
}

ZSTD_DCtx *fake_ZSTD_createDCtx(void)
{
    return calls.no_context ? NULL : real_ZSTD_createDCtx();
}

size_t fake_ZSTD_compress2(ZSTD_CCtx *zstd, void *to, size_t size, const void *from, size_t len)
{
    return calls.no_workspace ? (size_t)-ZSTD_error_memory_allocation
                              : real_ZSTD_compress2(zstd, to, size, from, len);
}

static int reset(void **state)
{
    (void)state;
    memset(&calls, 0, sizeof(calls));
    return 0;
}

static void arm(unsigned at, int os_error)
{
    reset(NULL);
    calls.at = at;
    calls.os_error = os_error;
}

static int write_new(const char *path, kin_error *err)
{
    kin_snapshot_options options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;
    kin_store *store = snapshot_store(new_pods);

    options.block_bytes = 1;
    int code = kin_snapshot_write(path, store, &info, &options, err);

    kin_store_unref(store);
    return code;
}

static void write_old(const char *path)
{
    kin_store *store = snapshot_store(old_pods);

    snapshot_write(path, store, 0);
    kin_store_unref(store);
}

/* --- calls that fail --- */

static void each_call_may_fail(void **state)
{
    bool renamed = false;
    snapshot_scene scene;
    unsigned n;
    int code = -1;

    (void)state;
    snapshot_scene_open(&scene);
    for (n = 1; code < 0; n++) {
        kin_error err = KIN_ERROR_INIT;

        write_old(scene.path);
        arm(n, ENOSPC);
        code = write_new(scene.path, &err);
        calls.at = 0;
        assert_false(snapshot_exists(scene.temporary));
        if (code == 0)
            break;
        assert_code(code, KIN_ESYSTEM);
        assert_int_equal(err.os_error, ENOSPC);
        assert_non_null(strstr(err.message, scene.path));
        /* The only one behind the renaming is the flushing of the folder. */
        renamed = strcmp(calls.failed, "fsync") == 0 && strstr(err.message, "folder");
        snapshot_assert_holds(scene.path, renamed ? new_text : old_text);
    }
    /* The folder, the file, lock, mode, size, info, checksum, 3 blocks, header, disk, name, folder. */
    assert_int_equal(n, 15);
    assert_true(renamed);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static void folders_that_cannot_be_flushed(void **state)
{
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    arm(14, EINVAL);
    assert_code(write_new(scene.path, NULL), 0);
    assert_string_equal(calls.failed, "fsync");
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static void reading_may_fail(void **state)
{
    snapshot_scene scene;
    int code = -1;
    unsigned n;

    (void)state;
    snapshot_scene_open(&scene);
    assert_code(write_new(scene.path, NULL), 0);
    for (n = 1; code < 0; n++) {
        kin_error err = KIN_ERROR_INIT;
        kin__buf text;

        kin__buf_init(&text, SIZE_MAX - 1);
        arm(n, EIO);
        code = snapshot_read_text(&text, scene.path, &err);
        calls.at = 0;
        if (code < 0) {
            assert_code(code, KIN_ESYSTEM);
            assert_int_equal(err.os_error, EIO);
            assert_int_equal(text.len, 0);
        }
        kin__buf_done(&text);
    }
    assert_true(n > 9); /* opening, header, info, and two for each of 3 blocks */
    snapshot_scene_close(&scene);
}

static void zstd_without_memory(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;
    kin__buf text;

    (void)state;
    snapshot_scene_open(&scene);
    write_old(scene.path);
    calls.no_context = true;
    assert_code(write_new(scene.path, &err), KIN_ENOMEM);
    assert_int_equal(err.code, KIN_ENOMEM);
    kin__buf_init(&text, SIZE_MAX - 1);
    assert_code(snapshot_read_text(&text, scene.path, NULL), KIN_ENOMEM);
    kin__buf_done(&text);
    calls.no_context = false;
    calls.no_workspace = true;
    assert_code(write_new(scene.path, NULL), KIN_ENOMEM);
    snapshot_assert_holds(scene.path, old_text);
    snapshot_scene_close(&scene);
}

static void little_at_a_time(void **state)
{
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    calls.most = 7;
    calls.interrupt = true;
    assert_code(write_new(scene.path, NULL), 0);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static int shorten_file_on_read(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    assert_int_equal(truncate(arg, 300), 0);
    return 0;
}

static void files_that_become_shorter(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_snapshot *snapshot;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    assert_code(write_new(scene.path, NULL), 0);
    assert_code(kin_snapshot_open(&snapshot, scene.path, NULL), 0);
    assert_true(kin_snapshot_get_info(snapshot)->file_bytes > 300);
    assert_code(kin_snapshot_read(snapshot, NULL, shorten_file_on_read, scene.path, &err),
                KIN_EPARSE);
    assert_non_null(strstr(err.message, "cut off while it was read"));
    kin_snapshot_free(snapshot);
    snapshot_scene_close(&scene);
}

/* --- processes that end --- */

static int write_and_die(void *path)
{
    return write_new(path, NULL) == 0 ? 0 : 1;
}

static void killed_at_each_call(void **state)
{
    kin_test_child child = {.signal = SIGKILL};
    unsigned old_files = 0;
    unsigned new_files = 0;
    unsigned left = 0;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    for (unsigned n = 1; child.signal != 0; n++) {
        kin_error err = KIN_ERROR_INIT;
        kin__buf text;

        write_old(scene.path);
        arm(n, 0);
        kin_test_run_child(&child, write_and_die, scene.path);
        reset(NULL);
        assert_true(child.signal == SIGKILL || child.exit_code == 0);
        kin__buf_init(&text, SIZE_MAX - 1);
        assert_code(snapshot_read_text(&text, scene.path, &err), 0);
        if (strcmp(text.data, new_text) == 0)
            new_files++;
        else
            old_files++;
        if (strcmp(text.data, new_text) != 0)
            assert_string_equal(text.data, old_text);
        kin__buf_done(&text);
        /* What was left is used up by the next. */
        left += snapshot_exists(scene.temporary);
        assert_code(write_new(scene.path, NULL), 0);
        assert_false(snapshot_exists(scene.temporary));
        snapshot_assert_holds(scene.path, new_text);
    }
    assert_int_equal(old_files, 13);
    assert_int_equal(new_files, 2); /* before the folder was flushed, and not killed at all */
    assert_true(left >= 9);
    snapshot_scene_close(&scene);
}

struct before_fork {
    const char *path;
    kin_store *store;
    kin_view *view;
};

static int write_in_child(void *arg)
{
    const struct before_fork *before = arg;
    kin_snapshot_info info = KIN_SNAPSHOT_INFO_INIT;

    if (kin_snapshot_write(before->path, before->store, &info, NULL, NULL) != KIN_EFORKED)
        return 1;
    return kin_snapshot_write_view(before->path, before->view, &info, NULL, NULL) != KIN_EFORKED;
}

static void what_was_made_before_a_fork_is_not_written(void **state)
{
    struct before_fork before;
    kin_test_child child;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    write_old(scene.path);
    before.path = scene.path;
    before.store = snapshot_store(new_pods);
    assert_code(kin_view_new(&before.view, before.store, NULL), 0);
    kin_test_run_child(&child, write_in_child, &before);
    assert_int_equal(child.exit_code, 0);
    snapshot_assert_holds(scene.path, old_text);
    kin_view_free(before.view);
    kin_store_unref(before.store);
    snapshot_scene_close(&scene);
}

static int write_with_limit(void *path)
{
    const struct rlimit limit = {200, 200};
    kin_error err = KIN_ERROR_INIT;

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
        return 2;
    return write_new(path, &err) == KIN_ESYSTEM && err.os_error == EFBIG ? 0 : 1;
}

static void files_may_not_grow(void **state)
{
    kin_test_child child;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    write_old(scene.path);
    kin_test_run_child(&child, write_with_limit, scene.path);
    assert_int_equal(child.exit_code, 0);
    assert_false(snapshot_exists(scene.temporary));
    snapshot_assert_holds(scene.path, old_text);
    snapshot_scene_close(&scene);
}

/* --- rights and names --- */

static const char *made;

static void look_before_lock(void)
{
    struct stat st;

    assert_int_equal(stat(made, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

/* Not even for a moment: who has it open may go on reading. */
static void nobody_else_ever_reads_it(void **state)
{
    const mode_t before = umask(0);
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    made = scene.temporary;
    calls.on_lock = look_before_lock;
    assert_code(write_new(scene.path, NULL), 0);
    assert_null(calls.on_lock);
    umask(before);
    snapshot_scene_close(&scene);
}

static void only_its_owner_reads_it(void **state)
{
    static const mode_t masks[] = {0, 022, 0777};
    snapshot_scene scene;
    struct stat st;

    (void)state;
    snapshot_scene_open(&scene);
    /* Whatever was there before. */
    snapshot_store_file(scene.path, "x", 1);
    assert_int_equal(chmod(scene.path, 0666), 0);
    snapshot_store_file(scene.temporary, "x", 1);
    assert_int_equal(chmod(scene.temporary, 0666), 0);
    int fd = open(scene.temporary, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
        const mode_t before = umask(masks[i]);

        assert_code(write_new(scene.path, NULL), 0);
        umask(before);
        assert_int_equal(stat(scene.path, &st), 0);
        assert_int_equal(st.st_mode & 07777, 0600);
    }
    /* Who had it open when it was everybody's sees nothing new. */
    assert_int_equal(fstat(fd, &st), 0);
    assert_int_equal(st.st_size, 1);
    assert_int_equal(st.st_nlink, 0);
    close(fd);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static void names_without_a_folder(void **state)
{
    snapshot_scene scene;
    char before[4096];

    (void)state;
    snapshot_scene_open(&scene);
    assert_non_null(getcwd(before, sizeof(before)));
    assert_int_equal(chdir(scene.folder), 0);
    assert_code(write_new("pods", NULL), 0);
    snapshot_assert_holds("pods", new_text);
    assert_code(write_new("./pods", NULL), 0);
    assert_int_equal(chdir(before), 0);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static void places_where_nothing_can_be(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;
    char path[200];

    (void)state;
    snapshot_scene_open(&scene);
    snprintf(path, sizeof(path), "%s/missing/pods", scene.folder);
    assert_code(write_new(path, &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, ENOENT);
    /* Where a folder is. */
    assert_int_equal(mkdir(scene.path, 0700), 0);
    assert_code(write_new(scene.path, &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, EISDIR);
    assert_false(snapshot_exists(scene.temporary));
    assert_int_equal(rmdir(scene.path), 0);
    snapshot_scene_close(&scene);
}

static void a_link_is_replaced_and_not_followed(void **state)
{
    snapshot_scene scene;
    char other[200];
    struct stat st;

    (void)state;
    snapshot_scene_open(&scene);
    snprintf(other, sizeof(other), "%s/.other", scene.folder);
    snapshot_store_file(other, "mine", 4);
    assert_int_equal(symlink(other, scene.path), 0);
    assert_code(write_new(scene.path, NULL), 0);
    assert_int_equal(lstat(scene.path, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(st.st_size, 4);

    /* In the temporary file's place others may have laid out a link, or a second name of a file. */
    assert_int_equal(symlink(other, scene.temporary), 0);
    assert_code(write_new(scene.path, NULL), KIN_ESYSTEM);
    assert_int_equal(unlink(scene.temporary), 0);
    assert_int_equal(link(other, scene.temporary), 0);
    assert_code(write_new(scene.path, NULL), KIN_EDENIED);
    assert_int_equal(stat(other, &st), 0);
    assert_int_equal(st.st_size, 4);
    assert_int_equal(unlink(scene.temporary), 0);
    assert_int_equal(unlink(other), 0);
    snapshot_scene_close(&scene);
}

/* --- others --- */

static void another_writer_is_not_disturbed(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    write_old(scene.path);
    int fd = open(scene.temporary, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(flock(fd, LOCK_EX), 0);
    assert_code(write_new(scene.path, &err), KIN_EBUSY);
    assert_true(err.flags & KIN_ERROR_RETRIABLE);
    assert_true(snapshot_exists(scene.temporary));
    snapshot_assert_holds(scene.path, old_text);
    close(fd);
    assert_code(write_new(scene.path, NULL), 0);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

static snapshot_scene *racing;
static unsigned races;

/* The other one was done between our opening and our locking of its file. */
static void rename_before_lock(void)
{
    assert_int_equal(rename(racing->temporary, racing->path), 0);
}

/* And failed, and a third one has begun. */
static void replace_before_lock(void)
{
    races++;
    assert_int_equal(unlink(racing->temporary), 0);
    snapshot_store_file(racing->temporary, "x", 1);
}

static void replace_before_each_lock(void)
{
    replace_before_lock();
    calls.on_lock = replace_before_each_lock;
}

static void the_file_of_another_is_left_alone(void **state)
{
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    racing = &scene;
    calls.on_lock = rename_before_lock;
    assert_code(write_new(scene.path, NULL), 0);
    snapshot_assert_holds(scene.path, new_text);
    calls.on_lock = replace_before_lock;
    assert_code(write_new(scene.path, NULL), 0);
    snapshot_assert_holds(scene.path, new_text);
    assert_int_equal(races, 1);
    calls.on_lock = replace_before_each_lock;
    assert_code(write_new(scene.path, NULL), KIN_EBUSY);
    calls.on_lock = NULL;
    assert_true(races > 10 && races < 1000);
    assert_int_equal(unlink(scene.temporary), 0);
    snapshot_scene_close(&scene);
}

enum { WRITERS = 3, WRITES = 15 };

struct crowd {
    const char *path;
    atomic_uint written;
    atomic_uint running;
    atomic_int failed; /* a code that none should have */
};

static void *write_often(void *arg)
{
    struct crowd *crowd = arg;

    for (unsigned i = 0; i < WRITES; i++) {
        int code = write_new(crowd->path, NULL);

        if (code == 0)
            atomic_fetch_add(&crowd->written, 1);
        else if (code != KIN_EBUSY)
            atomic_store(&crowd->failed, code);
    }
    atomic_fetch_sub(&crowd->running, 1);
    return NULL;
}

static void many_writers_and_a_reader(void **state)
{
    struct crowd crowd;
    pthread_t threads[WRITERS];
    snapshot_scene scene;

    (void)state;
    snapshot_scene_open(&scene);
    crowd.path = scene.path;
    atomic_init(&crowd.written, 0);
    atomic_init(&crowd.running, WRITERS);
    atomic_init(&crowd.failed, 0);
    assert_code(write_new(scene.path, NULL), 0);
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_often, &crowd), 0);
    while (atomic_load(&crowd.running) > 0)
        snapshot_assert_holds(scene.path, new_text);
    for (unsigned i = 0; i < WRITERS; i++)
        pthread_join(threads[i], NULL);
    assert_code(atomic_load(&crowd.failed), 0);
    assert_true(atomic_load(&crowd.written) > 0);
    snapshot_assert_holds(scene.path, new_text);
    snapshot_scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_call_may_fail, reset),
        cmocka_unit_test_setup(folders_that_cannot_be_flushed, reset),
        cmocka_unit_test_setup(reading_may_fail, reset),
        cmocka_unit_test_setup(zstd_without_memory, reset),
        cmocka_unit_test_setup(little_at_a_time, reset),
        cmocka_unit_test_setup(files_that_become_shorter, reset),
        cmocka_unit_test_setup(killed_at_each_call, reset),
        cmocka_unit_test_setup(what_was_made_before_a_fork_is_not_written, reset),
        cmocka_unit_test_setup(files_may_not_grow, reset),
        cmocka_unit_test_setup(only_its_owner_reads_it, reset),
        cmocka_unit_test_setup(nobody_else_ever_reads_it, reset),
        cmocka_unit_test_setup(names_without_a_folder, reset),
        cmocka_unit_test_setup(places_where_nothing_can_be, reset),
        cmocka_unit_test_setup(a_link_is_replaced_and_not_followed, reset),
        cmocka_unit_test_setup(another_writer_is_not_disturbed, reset),
        cmocka_unit_test_setup(the_file_of_another_is_left_alone, reset),
        cmocka_unit_test_setup(many_writers_and_a_reader, reset),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
