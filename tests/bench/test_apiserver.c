/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-apiserver with itself: every mode keeps the protocol and counts what was done; what it
 * cannot measure leaves no figures, and no files stay.
 */
#include "bench_test.h"

#include "pods_fixture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 60, STREAMS = 7, EVENTS = 30 };

static char *data_dir;
static char *pods_file;

static const char *program(void)
{
    return program_path("KIN_BENCH_APISERVER", "kin-bench-apiserver");
}

static void run_well(struct result *r, const char *const *args)
{
    run_to_end(r, program(), args);
    if (r->status != 0 || r->err[0])
        fail_msg("%s ended with %d: %s", args[0], r->status, r->err);
}

static void assert_total(const struct result *r, double want)
{
    double got = value_of(r->out, "ops") * value_of(r->out, "wall");

    if (fabs(got - want) > 1e-3 * want)
        fail_msg("%f instead of %f", got, want);
    assert_true(value_of(r->out, "cpu") > 0);
}

struct server {
    struct child child;
    char url[128];
};

static void server_start(struct server *s, const char *option, const char *value)
{
    const char *const args[] = {"serve", option, value, NULL};
    char line[200];

    child_start(&s->child, program(), args, -1);
    child_read(s->child.out, line, sizeof(line), true);
    assert_int_equal(sscanf(line, "listening %127s", s->url), 1);
}

static void counts_what_is_done(void **state)
{
    static const char *const storages[] = {NULL, "--sqlite"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct server s;
        const char *const create[] = {"create",  "--url",   s.url, "--pods",
                                      pods_file, "--depth", "3",   NULL};
        const char *const watch[] = {"watch", "--url",    s.url, "--streams",
                                     "7",     "--events", "30",  NULL};
        struct result r;

        server_start(&s, storages[i], NULL);
        run_well(&r, create);
        assert_total(&r, PODS);
        /* All of them are there already. */
        run_to_end(&r, program(), create);
        assert_int_equal(r.status, 1);
        assert_string_equal(r.out, "");
        assert_non_null(strstr(r.err, "409"));
        run_well(&r, watch);
        assert_total(&r, (double)STREAMS * EVENTS);
        /* A line of 512 bytes in a chunk; what came in one chunk with others has less around it. */
        assert_in_range((unsigned)value_of(r.out, "event_bytes"), 505, 525);
        child_close_stdin(&s.child);
        assert_int_equal(child_wait(&s.child), 0);
    }
}

static void starts_servers_of_its_own(void **state)
{
    const char *const start[] = {"start", NULL};
    const char *const start_sqlite[] = {"start", "--sqlite", NULL};
    const char *const memory[] = {"memory", "--pods", pods_file, NULL};
    struct result r;

    (void)state;
    run_well(&r, start);
    assert_true(value_of(r.out, "wall") > 0 && value_of(r.out, "cpu") > 0);
    assert_true(value_of(r.out, "rss") > 0);
    run_well(&r, start_sqlite);
    run_well(&r, memory);
    assert_true(value_of(r.out, "peak_rss") >= value_of(r.out, "rss"));
    assert_true(value_of(r.out, "rss_created") > 0);
}

static void serves_pods_from_the_beginning(void **state)
{
    struct server s;
    const char *const create[] = {"create", "--url", s.url, "--pods", pods_file, NULL};
    struct result r;

    (void)state;
    server_start(&s, "--pods", pods_file);
    run_to_end(&r, program(), create);
    assert_int_equal(r.status, 1);
    assert_non_null(strstr(r.err, "409"));
    child_close_stdin(&s.child);
    assert_int_equal(child_wait(&s.child), 0);
}

static void what_fails_leaves_no_figures(void **state)
{
    const char *const cases[][8] = {
        {"create", "--url", "http://127.0.0.1:1", "--pods", pods_file, NULL},
        {"create", "--url", "http://127.0.0.1:1", "--pods", "/nonexistent", NULL},
        {"watch", "--url", "http://127.0.0.1:1", NULL},
        {"watch", "--url", "https://example.org", NULL},
        {"watch", "--url", "http://127.0.0.1:1", "--streams", "0", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 1, "");
}

static void wrong_usage_is_refused(void **state)
{
    static const char *const cases[][5] = {
        {NULL},
        {"nothing", NULL},
        {"create", "--url", "http://127.0.0.1:1", NULL},
        {"watch", NULL},
        {"start", "stray", NULL},
        {"start", "--url", "http://127.0.0.1:1", NULL},
        {"start", "--bogus", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 2, "usage: kin-bench-apiserver");
}

static int make_data(void **state)
{
    (void)state;
    data_dir = make_pods_dir(PODS, 0, KIN_BENCH_FILES_ALL);
    pods_file = join_path(data_dir, "pods.json");
    return 0;
}

static int drop_data(void **state)
{
    (void)state;
    free(pods_file);
    remove_dir(data_dir);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_done),
        cmocka_unit_test(starts_servers_of_its_own),
        cmocka_unit_test(serves_pods_from_the_beginning),
        cmocka_unit_test(what_fails_leaves_no_figures),
        cmocka_unit_test(wrong_usage_is_refused),
    };

    return cmocka_run_group_tests(tests, make_data, drop_data);
}
