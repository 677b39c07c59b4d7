/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-cache: every mode runs, on both kinds of objects, keeps the protocol and reports
 * figures that agree with each other; wrong arguments and wrong files are refused, and leave no
 * figures.
 */
#include "bench_test.h"

#include "pods_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PODS 60
#define MAX_ARGS 24

static void run_program(struct result *r, const char *const *args)
{
    run_to_end(r, program_path("KIN_BENCH_CACHE", "kin-bench-cache"), args);
}

/* --- modes --- */

#define STORE "--min-time 0.01"
#define FIFO "--min-time 0.01 --adds 500"

static const struct mode {
    const char *name;
    const char *options;
    const char *measures; /* that must be there, and above 0 */
} modes[] = {
    {"store-add", STORE, "ops"},
    {"store-update", STORE, "ops"},
    {"store-update", STORE " --batch 7", "ops"},
    {"store-update", STORE " --batch 1000", "ops"},
    {"store-delete", STORE, "ops"},
    {"store-replace", STORE, "ops per_call"},
    {"store-get", STORE, "ops objects"},
    {"store-get", STORE " --readers 3", "ops objects"},
    {"store-view-get", STORE " --readers 2", "ops objects"},
    {"store-list", STORE " --readers 2", "ops objects"},
    {"store-view-list", STORE, "ops objects"},
    {"store-by-index", STORE, "ops objects"},
    {"store-by-index", STORE " --index nodeName --readers 2", "ops objects"},
    {"writer-while-get", "--min-time 0.01 --readers 2",
     "ops undisturbed_ops ratio_of_undisturbed reader_ops"},
    {"writer-while-list", "--min-time 0.01", "ops undisturbed_ops ratio_of_undisturbed reader_ops"},
    {"store-memory", "", "ops"},
    {"fifo-add-pop", FIFO, "ops adds_per_pop"},
    {"fifo-add-popbatch", FIFO, "ops adds_per_pop"},
    {"fifo-batch-batch", FIFO, "ops adds_per_pop"},
    {"fifo-batch-batch", FIFO " --batch 9", "ops adds_per_pop"},
    {"fifo-hot", FIFO " --hot-keys 3", "ops adds_per_pop"},
    {"fifo-lockstep", FIFO, "ops"},
    {"fifo-add", STORE, "ops"},
    {"fifo-pop", STORE, "ops"},
    {"fifo-replace", STORE, "ops per_call"},
    {"fifo-replace-empty", STORE, "ops per_call"},
    {"fifo-resync", STORE, "ops per_call"},
};

/* Split at spaces; the words lie in `text`. */
static size_t split(char *text, const char **words, size_t room)
{
    char *rest = text;
    size_t n = 0;

    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n + 1 < room);
        words[n++] = word;
    }
    words[n] = NULL;
    return n;
}

static bool has(const char *words, const char *word)
{
    return strstr(words, word) != NULL;
}

/* Measures have nine decimals: of a writer that hardly came to run there are few digits. */
static bool nearly(double a, double b)
{
    return fabs(a - b) <= 1e-6 * fabs(b) + 1e-9;
}

static void check_protocol(const char *out)
{
    struct span rest = {out, strlen(out)};
    struct span line;

    assert_true(rest.len > 0);
    while (next_line(&rest, &line)) {
        if (strncmp(line.data, "measure ", 8) != 0 && strncmp(line.data, "note ", 5) != 0)
            fail_msg("not of the protocol: %.*s", (int)line.len, line.data);
    }
}

static void check_measures(const struct mode *mode, const char *out)
{
    char names[128];
    const char *words[MAX_ARGS];

    (void)snprintf(names, sizeof(names), "wall %s", mode->measures);
    for (size_t i = 0, n = split(names, words, MAX_ARGS); i < n; i++) {
        if (!(value_of(out, words[i]) > 0))
            fail_msg("%s: %s is not above 0", mode->name, words[i]);
    }
    (void)value_of(out, "cpu");
}

/* Figures of one run that say the same in two ways. */
static void check_agreement(const struct mode *mode, const char *out)
{
    double ops = value_of(out, "ops");

    if (has(mode->name, "-get") && has(mode->measures, "objects"))
        assert_true(nearly(value_of(out, "objects"), ops));
    if (has(mode->name, "-list") && has(mode->measures, "objects"))
        assert_true(nearly(value_of(out, "objects"), ops * PODS));
    if (has(mode->measures, "per_call"))
        assert_true(nearly(value_of(out, "per_call") * ops, 1000.0 * PODS));
    if (has(mode->measures, "undisturbed"))
        assert_true(
            nearly(value_of(out, "ratio_of_undisturbed"), ops / value_of(out, "undisturbed_ops")));
    if (has(mode->measures, "adds_per_pop"))
        assert_true(value_of(out, "adds_per_pop") >= 1);
}

static void run_mode(const struct mode *mode, const char *source)
{
    static struct result r;
    const char *args[MAX_ARGS];
    char text[1024];

    (void)snprintf(text, sizeof(text), "%s %s %s %d %s", mode->name, source,
                   strncmp(mode->name, "fifo", 4) == 0 ? "--keys" : "--pods", PODS, mode->options);
    (void)split(text, args, MAX_ARGS);
    run_program(&r, args);
    if (r.status != 0)
        fail_msg("%s %s ends with %d: %s", mode->name, source, r.status, r.err);
    assert_string_equal(r.err, "");
    check_protocol(r.out);
    check_measures(mode, r.out);
    check_agreement(mode, r.out);
}

static void slim_objects_go_through_every_mode(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
        run_mode(&modes[m], "--slim");
}

static void full_objects_go_through_every_mode(void **state)
{
    char *dir = make_pods_dir(PODS, 0, KIN_BENCH_FILES_ALL);
    char source[512];

    (void)state;
    (void)snprintf(source, sizeof(source), "--file %s/pods.json", dir);
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++)
        run_mode(&modes[m], source);
    remove_dir(dir);
}

/* The number of the help's lines that begin with a mode's name. */
static size_t count_modes(const char *help)
{
    struct span rest = {help, strlen(help)};
    struct span line;
    size_t n = 0;

    while (next_line(&rest, &line))
        n += line.len > 2 && line.data[0] == ' ' && line.data[2] >= 'a' && line.data[2] <= 'z';
    return n;
}

static void help_has_every_mode(void **state)
{
    static const char *const args[] = {"--help", NULL};
    static struct result r;
    size_t different = 0;

    (void)state;
    run_program(&r, args);
    assert_int_equal(r.status, 0);
    assert_string_equal(r.err, "");
    for (size_t m = 0; m < sizeof(modes) / sizeof(modes[0]); m++) {
        char name[64];

        (void)snprintf(name, sizeof(name), "\n  %s ", modes[m].name);
        assert_non_null(strstr(r.out, name));
        different += m == 0 || strcmp(modes[m].name, modes[m - 1].name) != 0;
    }
    /* Then no mode is left out here, either. */
    assert_int_equal(count_modes(r.out), different);
}

/* --- what is refused --- */

static void assert_refused(const char *line, int status, const char *says)
{
    static struct result r;
    const char *args[MAX_ARGS];
    char text[512];

    (void)snprintf(text, sizeof(text), "%s", line);
    (void)split(text, args, MAX_ARGS);
    run_program(&r, args);
    if (r.status != status || !strstr(r.err, says))
        fail_msg("\"%s\" ends with %d: %s", line, r.status, r.err);
    assert_string_equal(r.out, "");
}

static void bad_arguments_are_refused(void **state)
{
    static const struct {
        const char *line;
        const char *says;
    } cases[] = {
        {"", "the first argument is a mode"},
        {"nonsense --slim --pods 5", "the first argument is a mode: nonsense"},
        {"store-add", "either --file or --slim"},
        {"store-add --slim --file x --pods 5", "either --file or --slim"},
        {"store-add --slim", "--slim wants --pods or --keys"},
        {"store-add --slim --pods 0", "a number from 1"},
        {"store-add --slim --pods -1", "a number from 1"},
        {"store-add --slim --pods 1e3", "a number from 1"},
        {"store-add --slim --pods 100000001", "a number from 1"},
        {"store-add --slim --pods 5 --min-time 0", "--min-time wants"},
        {"store-add --slim --pods 5 --min-time nan", "--min-time wants"},
        {"store-add --slim --pods 5 --min-time 1s", "--min-time wants"},
        {"store-get --slim --pods 5 --readers 65", "--readers wants"},
        {"store-get --slim --pods 5 --readers 0", "a number from 1"},
        {"store-by-index --slim --pods 5 --index name", "--index wants"},
        {"store-add --slim --pods 5 more", "unexpected argument: more"},
        {"store-add --slim --pods", "--help"},
        {"store-add --nonsense", "--help"},
        {"store-add --slim --keys 5", "this mode has no option: keys"},
        {"fifo-add --slim --pods 5", "this mode has no option: pods"},
        {"store-add --slim --pods 5 --readers 2", "this mode has no option: readers"},
        {"store-add --slim --pods 5 --batch 2", "this mode has no option: batch"},
        {"store-get --slim --pods 5 --index namespace", "this mode has no option: index"},
        {"store-memory --slim --pods 5 --min-time 1", "this mode has no option: min-time"},
        {"fifo-add --slim --keys 5 --adds 2", "this mode has no option: adds"},
        {"fifo-add-pop --slim --keys 5 --hot-keys 2", "this mode has no option: hot-keys"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_refused(cases[i].line, 2, cases[i].says);
}

static void a_run_that_fails_has_no_figures(void **state)
{
    char *dir = make_pods_dir(PODS, 0, KIN_BENCH_FILES_ALL);
    char line[512];

    (void)state;
    write_file(dir, "empty.json", "{\"items\":[]}", 12);
    assert_refused("store-add --file /nonexistent", 1, "No such file");
    (void)snprintf(line, sizeof(line), "store-add --file %s/empty.json", dir);
    assert_refused(line, 1, "not a list, or an empty one");
    (void)snprintf(line, sizeof(line), "store-add --file %s/pods.json --pods %d", dir, PODS + 1);
    assert_refused(line, 1, "has 60 objects only");
    assert_refused("fifo-hot --slim --keys 5 --hot-keys 6 --adds 5", 1, "there are 5 keys only");
    remove_dir(dir);
}

static void a_full_disk_is_a_failure(void **state)
{
    static const char *const cases[][7] = {
        {"--help", NULL},
        {"store-add", "--slim", "--pods", "5", "--min-time", "0.001", NULL},
    };
    char err[1024];

    (void)state;
    for (size_t i = 0; i < 2; i++)
        expect_unheard(program_path("KIN_BENCH_CACHE", "kin-bench-cache"), cases[i], err,
                       sizeof(err));
    assert_non_null(strstr(err, "cannot write the report"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(slim_objects_go_through_every_mode),
        cmocka_unit_test(full_objects_go_through_every_mode),
        cmocka_unit_test(help_has_every_mode),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(a_run_that_fails_has_no_figures),
        cmocka_unit_test(a_full_disk_is_a_failure),
    };

    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}
