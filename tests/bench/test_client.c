/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-client against the replay server, plain and with TLS: every mode keeps the protocol and
 * counts what was served; what it cannot measure leaves no figures.
 */
#include "bench_test.h"

#include "pods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PODS = 40, EVENTS = 30, STREAMS = 7 };

static char *data_dir;

struct result {
    int status;
    char out[8192];
    char err[4096];
};

static void run_program(struct result *r, const char *const *args)
{
    struct child c;

    child_start(&c, program_path("KIN_BENCH_CLIENT", "kin-bench-client"), args, -1);
    child_close_stdin(&c);
    child_read(c.out, r->out, sizeof(r->out), false);
    child_read(c.err, r->err, sizeof(r->err), false);
    r->status = child_wait(&c);
}

/* The value of a measure; fails the test if it is not there. */
static double value_of(const char *out, const char *name)
{
    char begin[64];
    const char *at;

    (void)snprintf(begin, sizeof(begin), "measure %s ", name);
    at = strstr(out, begin);
    if (!at)
        fail_msg("there is no %s in: %s", name, out);
    assert_true(at && (at == out || at[-1] == '\n'));
    return at ? strtod(at + strlen(begin), NULL) : 0;
}

/* How many there were, of a rate. Measures have nine decimals. */
static double total_of(const char *out, const char *name)
{
    return value_of(out, name) * value_of(out, "wall");
}

static void assert_near(double got, double want)
{
    if (fabs(got - want) > 1e-3 * want)
        fail_msg("%f instead of %f", got, want);
}

/* ---- the server ---- */

struct server {
    struct child child;
    char url[128];
    char ca[1024];
};

static void server_start(struct server *s, bool tls)
{
    const char *const args[] = {"--data", data_dir, tls ? "--tls" : NULL, NULL};
    char line[1200];

    child_start(&s->child, program_path("KIN_BENCH_REPLAY", "kin-bench-replay"), args, -1);
    child_read(s->child.out, line, sizeof(line), true);
    assert_int_equal(sscanf(line, "listening %127s ca %1023s", s->url, s->ca), tls ? 2 : 1);
}

static void run_mode(struct result *r, const struct server *s, bool tls, const char *mode,
                     const char *const *more)
{
    const char *args[16] = {mode, "--url", s->url};
    size_t n = 3;

    if (tls) {
        args[n++] = "--ca";
        args[n++] = s->ca;
    }
    while (*more)
        args[n++] = *more++;
    run_program(r, args);
    if (r->status != 0)
        fail_msg("%s ended with %d: %s", mode, r->status, r->err);
    assert_string_equal(r->err, "");
    assert_true(value_of(r->out, "wall") > 0);
    assert_true(value_of(r->out, "cpu") > 0);
    assert_true(value_of(r->out, "rss_anon") > 0);
}

/* ---- what it counts ---- */

static void check_lists(const struct server *s, bool tls)
{
    static const char *const none[] = {NULL};
    char *file = join_path(data_dir, "pods.json");
    const char *const with_file[] = {"--file", file, NULL};
    struct span list = read_file(data_dir, "pods.json");
    struct result r;

    run_mode(&r, s, tls, "fetch", none);
    assert_near(total_of(r.out, "bytes"), (double)list.len);
    run_mode(&r, s, tls, "list", with_file);
    assert_near(total_of(r.out, "bytes"), (double)list.len);
    assert_near(total_of(r.out, "ops"), PODS);
    run_mode(&r, s, tls, "list", none);
    assert_null(strstr(r.out, "measure bytes "));
    free_span(list);
    free(file);
}

static void check_watches(const struct server *s, bool tls)
{
    static const char *const all[] = {"--streams", "7", "--events", "30", NULL};
    struct result r;

    run_mode(&r, s, tls, "watch", all);
    assert_near(total_of(r.out, "ops"), (double)STREAMS * EVENTS);
    (void)value_of(r.out, "heap_per_watch"); /* of a sanitizer's heap there is no figure */
    /* Main, I/O, two workers; a sanitizer may have one more. */
    assert_in_range((unsigned)value_of(r.out, "threads"), 4, 5);
    run_mode(&r, s, tls, "watch-raw", all);
    assert_near(total_of(r.out, "ops"), (double)STREAMS * EVENTS);
    assert_true(value_of(r.out, "rss_anon_per_watch") > 0);
    assert_in_range((unsigned)value_of(r.out, "threads"), 2, 3);
}

static void counts_what_is_served(void **state)
{
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        struct server s;

        server_start(&s, tls);
        check_lists(&s, tls);
        check_watches(&s, tls);
        assert_int_equal(child_wait(&s.child), 0);
    }
}

static void what_fails_leaves_no_figures(void **state)
{
    struct server s;
    const char *const cases[][6] = {
        {"list", "--url", s.url, NULL}, /* whom nobody trusts */
        {"fetch", "--url", s.url, NULL},
        {"watch", "--url", s.url, NULL},
        {"watch-raw", "--url", s.url, NULL},
        {"list", "--url", "http://127.0.0.1:1", "--file", "/nonexistent", NULL},
        {"watch", "--url", s.url, "--streams", "0", NULL},
    };
    struct result r;

    (void)state;
    server_start(&s, true);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(&r, cases[i]);
        if (r.status != 1 || r.out[0] || !r.err[0])
            fail_msg("case %zu ended with %d: %s%s", i, r.status, r.out, r.err);
    }
    assert_int_equal(child_wait(&s.child), 0);
}

static void wrong_usage_is_refused(void **state)
{
    static const char *const cases[][5] = {
        {NULL},
        {"list", NULL},
        {"nothing", "--url", "http://127.0.0.1:1", NULL},
        {"list", "stray", "--url", "http://127.0.0.1:1", NULL},
        {"list", "--bogus", NULL},
    };
    struct result r;

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_program(&r, cases[i]);
        assert_int_equal(r.status, 2);
        assert_string_equal(r.out, "");
        assert_non_null(strstr(r.err, "usage: kin-bench-client"));
    }
}

static int make_data(void **state)
{
    struct kin_bench_pods_options o = {.pods = PODS,
                                       .events = EVENTS,
                                       .seed = 3,
                                       .variant = KIN_BENCH_TEMPLATED,
                                       .files = KIN_BENCH_FILES_ALL};

    (void)state;
    data_dir = make_temp_dir();
    return kin_bench_pods_write(&o, data_dir, NULL, NULL, NULL);
}

static int drop_data(void **state)
{
    (void)state;
    remove_dir(data_dir);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_what_is_served),
        cmocka_unit_test(what_fails_leaves_no_figures),
        cmocka_unit_test(wrong_usage_is_refused),
    };

    return cmocka_run_group_tests(tests, make_data, drop_data);
}
