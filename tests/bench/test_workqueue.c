/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-workqueue: every mode runs, keeps the protocol and reports figures; wrong arguments are
 * refused, and leave no figures.
 */
#include "bench_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ARGS 24
#define SMALL "--keys 50 --hot-keys 5 --adds 500 --min-time 0.001 "

static void run_program(struct result *r, const char *arguments)
{
    const char *args[MAX_ARGS];
    char text[256];
    char *rest = NULL;
    size_t n = 0;

    (void)snprintf(text, sizeof(text), "%s", arguments);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n + 1 < MAX_ARGS);
        args[n++] = word;
    }
    args[n] = NULL;
    run_to_end(r, program_path("KIN_BENCH_WORKQUEUE", "kin-bench-workqueue"), args);
}

static void assert_measure(const char *out, const char *name)
{
    if (!(value_of(out, name) > 0))
        fail_msg("%s is not above 0 in: %s", name, out);
}

static void every_mode_runs(void **state)
{
    static const struct {
        const char *arguments;
        const char *also;
    } cases[] = {
        {SMALL "--mode lockstep", "ops"},
        {SMALL "--mode lockstep --next", "ops"},
        {SMALL "--mode burst", "ops"},
        {SMALL "--mode burst --next", "ops"},
        {SMALL "--mode waiting", "ops"},
        {SMALL "--mode add-get-done", "adds_per_get"},
        {SMALL "--mode add-get-done --next --consumers 3", "adds_per_get"},
        {SMALL "--mode add-get-done --batch 7 --consumers 2", "adds_per_get"},
        {SMALL "--mode hot", "adds_per_get"},
        {SMALL "--mode ratelimited --consumers 2", "add_ops"},
    };
    struct result r;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(&r, cases[i].arguments);
        if (r.status != 0)
            fail_msg("%s: %s", cases[i].arguments, r.err);
        assert_measure(r.out, "wall");
        assert_measure(r.out, "ops");
        assert_measure(r.out, cases[i].also);
        assert_non_null(strstr(r.out, "measure cpu "));
    }
}

static void wrong_arguments_are_refused(void **state)
{
    static const char *const cases[] = {
        "",
        "--mode",
        "--mode none",
        "--mode hot more",
        "--mode hot --keys 0",
        "--mode hot --keys x",
        "--mode hot --keys 5 --hot-keys 6",
        "--mode hot --consumers 65",
        "--mode hot --batch 1025",
        "--mode hot --min-time 0",
        "--mode hot --min-time nan",
        "--wrong",
    };
    struct result r;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(&r, cases[i]);
        if (r.status != 2 || r.out[0] != '\0' || !strstr(r.err, "--help"))
            fail_msg("%s: %d %s", cases[i], r.status, r.err);
    }
    run_program(&r, "--help");
    assert_int_equal(r.status, 0);
    assert_non_null(strstr(r.out, "ratelimited"));
}

static void a_full_disk_is_a_failure(void **state)
{
    static const char *const args[] = {"--mode",     "lockstep", "--keys", "5", "--hot-keys", "5",
                                       "--min-time", "0.001",    "--adds", "5", NULL};
    char err[1024];

    (void)state;
    expect_unheard(program_path("KIN_BENCH_WORKQUEUE", "kin-bench-workqueue"), args, err,
                   sizeof(err));
    assert_non_null(strstr(err, "cannot write the report"));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mode_runs),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_full_disk_is_a_failure),
    };

    return cmocka_run_group_tests_name("workqueue", tests, NULL, NULL);
}
