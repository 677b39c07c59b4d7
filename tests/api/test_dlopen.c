/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library as a plug-in sees it: loaded by dlopen() into a program that is not linked to
 * it, used, closed, and still there (DESIGN decision 13).
 *
 * The path of the library is the program's argument. cmocka is linked; kinform and
 * tests/support, which would bring a copy of it, are not.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <kinform.h>

static const char *library_path;

/* POSIX's way from dlsym()'s object pointer to a function pointer. */
static void look_up(void *ret_function, void *library, const char *name)
{
    void *symbol = dlsym(library, name);

    if (!symbol)
        fail_msg("%s: %s", name, dlerror());
    memcpy(ret_function, &symbol, sizeof(symbol));
}

static void *load(void)
{
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);

    if (!library)
        fail_msg("%s", dlerror());
    return library;
}

/* The entries of a directory of /proc/self: threads or descriptors. */
static unsigned count_entries(const char *path)
{
    DIR *dir = opendir(path);
    unsigned count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* Runs first: it must see the library come. */
static void test_loading_leaves_no_trace(void **state)
{
    unsigned threads = count_entries("/proc/self/task");
    unsigned descriptors = count_entries("/proc/self/fd");
    struct sigaction before[65];
    struct sigaction after;

    (void)state;
    memset(before, 0, sizeof(before));
    for (int number = 1; number < 65; number++)
        (void)sigaction(number, NULL, &before[number]);
    assert_null(dlopen(library_path, RTLD_NOW | RTLD_NOLOAD));

    void *library = load();
    assert_int_equal(count_entries("/proc/self/task"), threads);
    assert_int_equal(count_entries("/proc/self/fd"), descriptors);
    for (int number = 1; number < 65; number++) {
        if (sigaction(number, NULL, &after) == 0)
            assert_ptr_equal(after.sa_handler, before[number].sa_handler);
    }
    assert_int_equal(dlclose(library), 0);
}

static void test_names_stay_local(void **state)
{
    void *library = load();

    (void)state;
    assert_null(dlsym(RTLD_DEFAULT, "kin_version_string"));
    assert_int_equal(dlclose(library), 0);
}

static void test_functions_work(void **state)
{
    void *library = load();
    int (*clock_new_fake)(kin_clock * *ret, int64_t unix_ns, kin_error * err);
    int (*clock_advance)(kin_clock * clock, int64_t ns, kin_error * err);
    int64_t (*clock_unix_now)(kin_clock * clock);
    void (*clock_unref)(kin_clock * clock);
    const char *(*error_name)(int code);
    kin_error err = KIN_ERROR_INIT;
    kin_clock *clock = NULL;

    (void)state;
    look_up(&clock_new_fake, library, "kin_clock_new_fake");
    look_up(&clock_advance, library, "kin_clock_advance");
    look_up(&clock_unix_now, library, "kin_clock_unix_now");
    look_up(&clock_unref, library, "kin_clock_unref");
    look_up(&error_name, library, "kin_error_name");

    assert_int_equal(clock_new_fake(&clock, 5, &err), 0);
    assert_int_equal(clock_advance(clock, 37, &err), 0);
    assert_int_equal(clock_unix_now(clock), 42);
    assert_int_equal(clock_advance(clock, -1, &err), KIN_EINVAL);
    assert_string_equal(error_name(err.code), "KIN_EINVAL");
    clock_unref(clock);
    assert_int_equal(dlclose(library), 0);
}

static void test_code_stays_after_closing(void **state)
{
    void *library = load();
    const char *(*version_string)(void);
    int (*version_number)(void);
    Dl_info info;
    void *address;

    (void)state;
    look_up(&version_string, library, "kin_version_string");
    look_up(&version_number, library, "kin_version_number");
    assert_int_equal(dlclose(library), 0);

    /* Without -z nodelete this would be a call into nothing: ask first. */
    memcpy(&address, &version_number, sizeof(address));
    assert_int_not_equal(dladdr(address, &info), 0);
    assert_string_equal(info.dli_sname, "kin_version_number");
    assert_int_equal(version_number(), KIN_VERSION_NUMBER);
    assert_string_equal(version_string(), KIN_VERSION_STRING);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loading_leaves_no_trace),
        cmocka_unit_test(test_names_stay_local),
        cmocka_unit_test(test_functions_work),
        cmocka_unit_test(test_code_stays_after_closing),
    };

    if (argc != 2) {
        fprintf(stderr, "usage: %s libkinform.so\n", argv[0]);
        return 2;
    }
    library_path = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
