/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Independence of the locale, under a real one: German, with a decimal comma and a
 * translated strerror(). Few machines have it, so it is made here, with localedef and a
 * message catalogue of one entry, in a directory of its own. The first tests prove that
 * it is in force; without that the others would prove nothing.
 *
 * newlocale() below takes the place of the C library's, so that it can fail.
 */
#include "kin_test.h"

#include <dlfcn.h>
#include <errno.h>
#include <libintl.h>
#include <locale.h>
#include <pthread.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/locale.h"
#include "base/memory.h"
#include "folder.h"
#include "kinform/log.h"
#include "latch.h"

#define GERMAN "de_DE.UTF-8"
#define ENGLISH_TEXT "No such file or directory" /* of ENOENT */
#define GERMAN_TEXT "Datei oder Verzeichnis nicht gefunden"

/* --- making the locale --- */

static char directory[] = "/tmp/kin_test_locale.XXXXXX";

/* localedef's exit code, or -1. */
static int run_localedef(void)
{
    char target[sizeof(directory) + sizeof(GERMAN) + 1];
    char program[] = "localedef";
    char input[] = "-i";
    char input_name[] = "de_DE";
    char charmap[] = "-f";
    char charmap_name[] = "UTF-8";
    char *const argv[] = {program, input, input_name, charmap, charmap_name, target, NULL};
    pid_t pid;
    int status;

    snprintf(target, sizeof(target), "%s/" GERMAN, directory);
    int os_error = posix_spawnp(&pid, program, NULL, NULL, argv, environ);
    if (os_error != 0) {
        fprintf(stderr, "localedef can't be run: %s\n", strerror(os_error));
        return -1;
    }
    while (waitpid(pid, &status, 0) < 0) {
        if (errno != EINTR)
            return -1;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The C library's messages in German: a GNU .mo file with one entry. */
static bool write_catalogue(void)
{
    static const struct {
        uint32_t magic, revision, n, originals_at, translations_at, hash_size, hash_at;
        uint32_t original_len, original_at, translation_len, translation_at;
        char original[sizeof(ENGLISH_TEXT)];
        char translation[sizeof(GERMAN_TEXT)];
    } mo = {0x950412de,
            0,
            1,
            28,
            36,
            0,
            44,
            sizeof(ENGLISH_TEXT) - 1,
            44,
            sizeof(GERMAN_TEXT) - 1,
            44 + sizeof(ENGLISH_TEXT),
            ENGLISH_TEXT,
            GERMAN_TEXT};
    char path[256];

    snprintf(path, sizeof(path), "%s/de", directory);
    if (mkdir(path, 0700) != 0)
        return false;
    snprintf(path, sizeof(path), "%s/de/LC_MESSAGES", directory);
    if (mkdir(path, 0700) != 0)
        return false;
    snprintf(path, sizeof(path), "%s/de/LC_MESSAGES/libc.mo", directory);
    FILE *file = fopen(path, "wb");
    if (!file)
        return false;
    bool written = fwrite(&mo, sizeof(mo), 1, file) == 1;
    return fclose(file) == 0 && written;
}

static bool make_german(void)
{
    if (!mkdtemp(directory)) {
        perror("mkdtemp");
        return false;
    }
    int exit_code = run_localedef();
    if (!write_catalogue()) {
        perror("writing the catalogue");
        return false;
    }
    unsetenv("LANGUAGE");
    unsetenv("LC_ALL");
    if (setenv("LOCPATH", directory, 1) != 0 || !bindtextdomain("libc", directory) ||
        !setlocale(LC_ALL, GERMAN)) {
        fprintf(stderr,
                "This test needs a locale with a decimal comma and can't make one: localedef -i "
                "de_DE -f UTF-8 gave %d. Is the package `locales` installed?\n",
                exit_code);
        return false;
    }
    return true;
}

static void remove_german(void)
{
    kin_test_folder_remove(directory);
}

/* --- a newlocale() that can fail --- */

static bool newlocale_fails;

locale_t newlocale(int mask, const char *name, locale_t base)
{
    locale_t (*real)(int, const char *, locale_t);
    void *symbol = dlsym(RTLD_NEXT, "newlocale");

    if (newlocale_fails) {
        errno = ENOMEM;
        return (locale_t)0;
    }
    memcpy(&real, &symbol, sizeof(real));
    return real(mask, name, base);
}

/* --- helpers --- */

/* 0.5 as the calling thread's locale writes it. */
static const char *half(void)
{
    static _Thread_local char text[16];

    snprintf(text, sizeof(text), "%.1f", 0.5);
    return text;
}

static const char *logged_half(void)
{
    static char line[256];
    const kin_log_field field = {"ratio", KIN_LOG_DOUBLE, {.dbl = 0.5}};
    const kin_log_record record = {
        .size = sizeof(record),
        .level = KIN_LOG_INFO,
        .component = "test",
        .message = "message",
        .fields = &field,
        .n_fields = 1,
    };

    kin_log_format(&record, line, sizeof(line));
    return line;
}

static void assert_all_speak_c(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin__buf buf;
    char text[128];

    kin_error_set(&err, KIN_EINVAL, "%.1f", 0.5);
    assert_string_equal(err.message, "0.5");
    kin__buf_init(&buf, 1000);
    kin__buf_appendf(&buf, "%.1f", 0.5);
    kin__buf_appendf(&buf, " %.1f %s", 0.5, "and more than fits at once");
    assert_string_equal(buf.data, "0.5 0.5 and more than fits at once");
    kin__buf_done(&buf);
    assert_string_equal(logged_half(), "1970-01-01T00:00:00.000000Z info test: message ratio=0.5");
    assert_string_equal(kin__strerror(ENOENT, text, sizeof(text)), ENGLISH_TEXT);
    kin__error_system(&err, ENOENT, "open");
    assert_string_equal(err.message, "open: " ENGLISH_TEXT);
    assert_string_equal(kin_error_string(KIN_ENOMEM), "out of memory");
}

/* --- the test proves itself --- */

static void printf_writes_a_decimal_comma_here(void **state)
{
    (void)state;
    assert_string_equal(half(), "0,5");
    assert_string_equal(localeconv()->decimal_point, ",");
}

static void strerror_speaks_german_here(void **state)
{
    (void)state;
    assert_string_equal(strerror(ENOENT), GERMAN_TEXT);
}

/* --- the process's locale --- */

static void texts_do_not_depend_on_the_process_s_locale(void **state)
{
    (void)state;
    assert_all_speak_c();
}

static void the_process_s_locale_is_not_changed(void **state)
{
    char before[1024];

    (void)state;
    snprintf(before, sizeof(before), "%s", setlocale(LC_ALL, NULL));
    assert_string_equal(before, GERMAN);
    assert_all_speak_c();
    assert_string_equal(setlocale(LC_ALL, NULL), before);
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    assert_string_equal(half(), "0,5");
    assert_string_equal(strerror(ENOENT), GERMAN_TEXT);
}

/* --- the thread's locale --- */

static void a_thread_s_own_locale_neither_matters_nor_changes(void **state)
{
    /* Not newlocale(): glibc 2.36's leaks what it made of LOCPATH. */
    locale_t german = duplocale(LC_GLOBAL_LOCALE);

    (void)state;
    assert_true(german != (locale_t)0);
    assert_non_null(setlocale(LC_ALL, "C"));
    assert_string_equal(half(), "0.5");
    uselocale(german);
    assert_string_equal(half(), "0,5");
    assert_all_speak_c();
    assert_true(uselocale((locale_t)0) == german);
    assert_string_equal(half(), "0,5");
    uselocale(LC_GLOBAL_LOCALE);
    freelocale(german);
    assert_non_null(setlocale(LC_ALL, GERMAN));
}

static void a_scope_is_in_c_and_ends_where_it_began(void **state)
{
    kin__locale_scope outer;
    kin__locale_scope inner;

    (void)state;
    kin__c_locale_begin(&outer);
    assert_string_equal(half(), "0.5");
    kin__c_locale_begin(&inner);
    assert_string_equal(half(), "0.5");
    kin__c_locale_end(&inner);
    assert_string_equal(half(), "0.5");
    kin__c_locale_end(&outer);
    assert_string_equal(half(), "0,5");
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
}

static void the_end_of_a_scope_keeps_errno(void **state)
{
    kin__locale_scope scope;

    (void)state;
    kin__c_locale_begin(&scope);
    errno = E2BIG;
    kin__c_locale_end(&scope);
    assert_int_equal(errno, E2BIG);
}

struct visitor {
    kin_test_latch inside;
    kin_test_latch leave;
    char before[16];
    char within[16];
    char after[16];
};

static void *visit_scope(void *arg)
{
    struct visitor *v = arg;
    kin__locale_scope scope;

    snprintf(v->before, sizeof(v->before), "%s", half());
    kin__c_locale_begin(&scope);
    kin_test_latch_raise(&v->inside);
    kin_test_latch_wait(&v->leave, 1);
    snprintf(v->within, sizeof(v->within), "%s", half());
    kin__c_locale_end(&scope);
    snprintf(v->after, sizeof(v->after), "%s", half());
    return NULL;
}

static void a_scope_is_one_thread_s_only(void **state)
{
    struct visitor v;
    pthread_t thread;
    char here[16];

    (void)state;
    kin_test_latch_init(&v.inside);
    kin_test_latch_init(&v.leave);
    assert_int_equal(pthread_create(&thread, NULL, visit_scope, &v), 0);
    kin_test_latch_wait(&v.inside, 1);
    snprintf(here, sizeof(here), "%s", half());
    kin_test_latch_raise(&v.leave);
    pthread_join(thread, NULL);
    kin_test_latch_done(&v.inside);
    kin_test_latch_done(&v.leave);
    assert_string_equal(here, "0,5");
    assert_string_equal(v.before, "0,5");
    assert_string_equal(v.within, "0.5");
    assert_string_equal(v.after, "0,5");
}

/* --- without the C locale --- */

static void without_a_c_locale_texts_look_different_and_nothing_breaks(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char text[64];

    (void)state;
    newlocale_fails = true;
    int code = kin_error_set(&err, KIN_EINVAL, "%.1f", 0.5);
    kin__strerror(ENOENT, text, sizeof(text));
    newlocale_fails = false;
    assert_code(code, KIN_EINVAL);
    assert_code(err.code, KIN_EINVAL);
    assert_string_equal(err.message, "0,5");
    assert_string_equal(text, "unknown error");
    assert_true(uselocale((locale_t)0) == LC_GLOBAL_LOCALE);
    assert_string_equal(half(), "0,5");
}

/* --- kin__strerror() --- */

static void strerror_gives_its_buffer(void **state)
{
    char text[32];

    (void)state;
    assert_ptr_equal(kin__strerror(EACCES, text, sizeof(text)), text);
    assert_string_equal(text, "Permission denied");
    assert_string_equal(kin__strerror(0, text, sizeof(text)), "Success");
}

static void strerror_names_unknown_numbers(void **state)
{
    char text[64];

    (void)state;
    assert_string_equal(kin__strerror(99999, text, sizeof(text)), "Unknown error 99999");
    assert_string_equal(kin__strerror(-1, text, sizeof(text)), "Unknown error -1");
}

static void strerror_cuts_what_does_not_fit(void **state)
{
    static const char whole[] = "Invalid or incomplete multibyte or wide character";
    char text[40];

    (void)state;
    assert_string_equal(kin__strerror(EILSEQ, text, sizeof(text)),
                        "Invalid or incomplete multibyte or wide");
    memset(text, 'x', sizeof(text));
    kin__strerror(EILSEQ, text, 32);
    assert_int_equal(strlen(text), 31);
    assert_memory_equal(text, whole, 31);
    assert_int_equal(text[32], 'x');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printf_writes_a_decimal_comma_here),
        cmocka_unit_test(strerror_speaks_german_here),
        cmocka_unit_test(texts_do_not_depend_on_the_process_s_locale),
        cmocka_unit_test(the_process_s_locale_is_not_changed),
        cmocka_unit_test(a_thread_s_own_locale_neither_matters_nor_changes),
        cmocka_unit_test(a_scope_is_in_c_and_ends_where_it_began),
        cmocka_unit_test(the_end_of_a_scope_keeps_errno),
        cmocka_unit_test(a_scope_is_one_thread_s_only),
        cmocka_unit_test(without_a_c_locale_texts_look_different_and_nothing_breaks),
        cmocka_unit_test(strerror_gives_its_buffer),
        cmocka_unit_test(strerror_names_unknown_numbers),
        cmocka_unit_test(strerror_cuts_what_does_not_fit),
    };
    bool made = make_german();
    int failed = made ? cmocka_run_group_tests(tests, NULL, NULL) : 1;

    remove_german();
    return failed;
}
