/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-snapshot: both modes keep the protocol and count what there is; what it cannot measure
 * leaves no figures, and nothing leaves a file.
 */
#include "bench_test.h"

#include "pods_fixture.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 50 };

static char *data_dir;
static char *pods_file;
static char *out_file;

static const char *program(void)
{
    return program_path("KIN_BENCH_SNAPSHOT", "kin-bench-snapshot");
}

static void both_modes_count(void **state)
{
    static const char *const modes[] = {"write", "read"};
    const size_t before = count_entries(data_dir);
    struct span list = read_file(data_dir, "pods.json");
    struct result r;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *const args[] = {modes[i], "--file",    pods_file, "--out",
                                    out_file, "--level",   "3",       "--block",
                                    "65536",  "--seconds", "0.01",    NULL};

        run_to_end(&r, program(), args);
        if (r.status != 0)
            fail_msg("%s ended with %d: %s", modes[i], r.status, r.err);
        const double wall = value_of(r.out, "wall");
        const double passes = value_of(r.out, "ops") * wall / PODS;
        const double json = value_of(r.out, "json");

        assert_true(passes > 0.99 && fabs(passes - round(passes)) < 0.01);
        assert_true(fabs(value_of(r.out, "bytes") * wall / json - passes) < 0.01);
        /* The items have kind and apiVersion, which the list has once. */
        assert_true(fabs(json / (double)list.len - 1) < 0.05);
        assert_true(value_of(r.out, "file") < json / 3);
        assert_true(value_of(r.out, "cpu") > 0);
        assert_int_equal(count_entries(data_dir), before);
    }
    free_span(list);
}

static void what_fails_leaves_no_figures(void **state)
{
    const char *const cases[][6] = {
        {"write", "--file", "/nonexistent", "--out", out_file, NULL},
        {"write", "--file", pods_file, "--out", "/nonexistent/x", NULL},
        {"read", "--file", pods_file, "--out", "/nonexistent/x", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 1, "");
}

static void wrong_usage_is_refused(void **state)
{
    static const char *const cases[][7] = {
        {NULL},
        {"append", "--file", "a", "--out", "b", NULL},
        {"write", "--out", "b", NULL},
        {"write", "--file", "a", NULL},
        {"write", "--file", "a", "--out", "b", "stray", NULL},
        {"write", "--level", "20", NULL},
        {"write", "--block", "x", NULL},
        {"write", "--seconds", "0", NULL},
        {"write", "--bogus", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 2, "kin-bench-snapshot --help");
}

static int make_data(void **state)
{
    (void)state;
    data_dir = make_pods_dir(PODS, 0, KIN_BENCH_FILES_ALL);
    pods_file = join_path(data_dir, "pods.json");
    out_file = join_path(data_dir, "snapshot");
    return 0;
}

static int drop_data(void **state)
{
    (void)state;
    free(pods_file);
    free(out_file);
    remove_dir(data_dir);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_modes_count),
        cmocka_unit_test(what_fails_leaves_no_figures),
        cmocka_unit_test(wrong_usage_is_refused),
    };

    return cmocka_run_group_tests(tests, make_data, drop_data);
}
