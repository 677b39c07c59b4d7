/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files: read whole, up to a limit, without traces; paths as they are meant where they stand.
 */
#include "kin_test.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "client/files.h"
#include "config_support.h"
#include "kinform/memory.h"
#include "oom.h"

static void are_read_whole(void **state)
{
    kin__secret text = KIN__SECRET_INIT;

    (void)state;
    assert_code(kin__file_read(&text, kin_test_write("a", "hush"), 4, NULL), 0);
    assert_string_equal(text.data, "hush");
    assert_int_equal(text.len, 4);
    assert_code(kin__file_read(&text, kin_test_write("empty", ""), 4, NULL), 0);
    assert_null(text.data);
    assert_int_equal(text.len, 0);
}

static void have_a_limit(void **state)
{
    kin__secret text = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__file_read(&text, kin_test_write("a", "hush!"), 4, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "/a: longer than 4 bytes"));
    assert_null(text.data);
}

static void that_cannot_be_read_are_named(void **state)
{
    kin__secret text = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__file_read(&text, kin_test_path("none"), 4, &err), KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, "/none: "));
    assert_code(kin__file_read(&text, kin_test_path("."), 4, &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, EISDIR);
    assert_code(kin__file_read(&text, kin_test_path("none/x"), 4, &err), KIN_ENOTFOUND);
    kin_test_write("plain", "");
    assert_code(kin__file_read(&text, kin_test_path("plain/x"), 4, &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, ENOTDIR);
    assert_int_equal(kin__file_check(kin_test_path("none")), ENOENT);
    assert_int_equal(kin__file_check(kin_test_path("plain")), 0);
}

/* A pipe of more than the first piece: the text grows, and no piece is left behind. */
static void may_be_pipes(void **state)
{
    kin__secret text = KIN__SECRET_INIT;
    char big[30000];
    char path[64];
    int ends[2];

    (void)state;
    for (size_t i = 0; i + 5 <= sizeof(big); i += 5)
        memcpy(big + i, "hush!", 5);
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], big, sizeof(big)), sizeof(big));
    close(ends[1]);
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    kin_test_alloc_look_for("hush!");
    assert_code(kin__file_read(&text, path, sizeof(big), NULL), 0);
    close(ends[0]);
    assert_int_equal(text.len, sizeof(big));
    assert_memory_equal(text.data, big, sizeof(big));
    kin__secret_done(&text);
    assert_int_equal(kin_test_alloc_found(), 0);

    assert_code(kin__file_read(&text, kin_test_write("a", "hush! hush!"), 6, NULL), KIN_ELIMIT);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void resolves(const char *file, const char *path, const char *expected)
{
    char *resolved = NULL;

    assert_code(kin__file_resolve(&resolved, file, path, NULL), 0);
    assert_string_equal(resolved, expected);
    kin_free(resolved);
}

static void paths_are_relative_to_their_file(void **state)
{
    char here[PATH_MAX / 2];
    char expected[PATH_MAX];

    (void)state;
    resolves("/home/me/.kube/config", "ca.crt", "/home/me/.kube/ca.crt");
    resolves("/home/me/.kube/config", "./a//b/../ca.crt", "/home/me/.kube/a/ca.crt");
    resolves("/home/me/.kube/config", "../../ca.crt", "/home/ca.crt");
    resolves("/a/config", "../../../..", "/");
    resolves("/config", "ca.crt", "/ca.crt");
    resolves("/a/config", "/x/../ca.crt", "/x/../ca.crt"); /* absolute ones stay as they are */
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(expected, sizeof(expected), "%s/ca.crt", here);
    resolves("config", "ca.crt", expected);
    snprintf(expected, sizeof(expected), "%s/d/ca.crt", here);
    resolves("./d/config", "ca.crt", expected);
}

static int read_and_resolve(void *arg, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    char *path = NULL;
    int code = kin__file_read(&text, arg, 100, err);

    if (!code)
        code = kin__file_resolve(&path, "a/config", "ca.crt", err);
    kin__secret_done(&text);
    kin_free(path);
    return code;
}

static void need_memory(void **state)
{
    char path[PATH_MAX];

    (void)state;
    snprintf(path, sizeof(path), "%s", kin_test_write("a", "hush"));
    kin_test_fail_each_allocation(read_and_resolve, path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        config_test(are_read_whole),
        config_test(have_a_limit),
        config_test(that_cannot_be_read_are_named),
        config_test(may_be_pipes),
        config_test(need_memory),
        config_test(paths_are_relative_to_their_file),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
