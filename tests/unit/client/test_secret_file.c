/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that hold secrets: read whole, up to a limit, and wiped wherever they have been.
 */
#include "kin_test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "client/secret_file.h"
#include "credentials_support.h"
#include "oom.h"

/* `len` bytes of 'x' with "hush" every 1,000. */
static char *long_text(size_t len)
{
    char *content = malloc(len + 1);

    assert_non_null(content);
    memset(content, 'x', len);
    for (size_t at = 0; at + 4 <= len; at += 1000)
        memcpy(content + at, "hush", 4);
    content[len] = '\0';
    return content;
}

static void reads_files_of_any_size_up_to_the_limit(void **state)
{
    static const size_t sizes[] = {0, 1, 4095, 4096, 4097, 100000, KIN__SECRET_FILE_MAX};
    kin__secret secret = KIN__SECRET_INIT;

    (void)state;
    kin_test_alloc_look_for("hush");
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char *content = long_text(sizes[i]);

        write_file("secret", content);
        assert_code(kin__secret_file_read(&secret, in_folder("secret"), NULL), 0);
        assert_int_equal(secret.len, sizes[i]);
        if (sizes[i] > 0)
            assert_string_equal(secret.data, content);
        free(content);
    }
    kin__secret_done(&secret);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void refuses_what_is_longer(void **state)
{
    char *content = long_text(KIN__SECRET_FILE_MAX + 1);
    kin__secret secret = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    write_file("secret", content);
    free(content);
    kin_test_alloc_look_for("hush");
    assert_code(kin__secret_file_read(&secret, in_folder("secret"), &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, in_folder("secret")));
    assert_null(secret.data);
    /* What has no end, too. */
    assert_code(kin__secret_file_read(&secret, "/dev/zero", NULL), KIN_ELIMIT);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void says_why_it_cannot_be_read(void **state)
{
    kin__secret secret = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    set_secret(&secret, "old");
    assert_code(kin__secret_file_read(&secret, in_folder("none"), &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, ENOENT);
    assert_non_null(strstr(err.message, "/none"));
    assert_code(kin__secret_file_read(&secret, "/tmp", &err), KIN_ESYSTEM);
    assert_int_equal(err.os_error, EISDIR);
    /* A pipe that nobody writes to is empty; nobody waits for it. */
    assert_string_equal(secret.data, "old");
    assert_int_equal(mkfifo(in_folder("pipe"), 0600), 0);
    assert_code(kin__secret_file_read(&secret, in_folder("pipe"), &err), 0);
    assert_int_equal(secret.len, 0);
    kin__secret_done(&secret);
}

static int read_one(void *arg, kin_error *err)
{
    kin__secret secret = KIN__SECRET_INIT;
    int code = kin__secret_file_read(&secret, arg, err);

    kin__secret_done(&secret);
    return code;
}

static void survives_without_memory(void **state)
{
    char *content = long_text(10000);

    (void)state;
    write_file("secret", content);
    free(content);
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(read_one, in_folder("secret"));
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(reads_files_of_any_size_up_to_the_limit, folder_setup,
                                        folder_teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_longer, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(says_why_it_cannot_be_read, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(survives_without_memory, folder_setup, folder_teardown),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
