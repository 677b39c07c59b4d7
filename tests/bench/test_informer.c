/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-informer against the replay server: every mode keeps the protocol and counts what was
 * served; what it cannot measure leaves no figures.
 */
#include "replay_server.h"

#include "pods_fixture.h"
#include "protobuf_fixture.h"

#include <string.h>

enum { PODS = 40, EVENTS = 300 };

static char *quiet_dir;  /* Pods, and no events */
static char *data_dir;   /* Pods and events */
static char *listed_dir; /* Pods, as a list alone */
static char *json_dir;   /* Pods and events, without protobuf */

static const char *program(void)
{
    return program_path("KIN_BENCH_INFORMER", "kin-bench-informer");
}

/* `args` begins with the mode. */
static void run_mode(struct result *r, const struct server *s, const char *const *more)
{
    const char *args[20];
    size_t n = 0;

    while (*more)
        args[n++] = *more++;
    args[n++] = "--url";
    args[n++] = s->url;
    if (s->ca[0]) {
        args[n++] = "--ca";
        args[n++] = s->ca;
    }
    args[n] = NULL;
    run_to_end(r, program(), args);
    if (r->status != 0)
        fail_msg("%s ended with %d: %s", args[0], r->status, r->err);
    assert_string_equal(r->err, "");
    assert_true(value_of(r->out, "wall") > 0);
    assert_true(value_of(r->out, "cpu") > 0);
}

/* --- what it counts --- */

static void sync_has_all_objects(void **state)
{
    static const char *const cases[][8] = {
        {"sync", NULL},
        {"sync", "--list-mode", "list", "--rest", NULL},
        {"sync", "--list-mode", "watchlist", "--rest", NULL},
        {"sync", "--queue", "ordered", "--delivery", "pool", NULL},
        {"sync", "--encoding", "json", NULL},
        {"sync", "--encoding", "json", "--list-mode", "watchlist", "--rest", NULL},
    };
    const char *const args[][4] = {{"--data", quiet_dir, NULL},
                                   {"--data", quiet_dir, "--tls", NULL}};
    struct server s;
    struct result r;

    (void)state;
    for (size_t tls = 0; tls < 2; tls++) {
        server_start(&s, args[tls]);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            run_mode(&r, &s, cases[i]);
            assert_int_equal((int)value_of(r.out, "objects"), PODS);
            assert_near(value_of(r.out, "ops") * value_of(r.out, "wall"), PODS);
            assert_true(value_of(r.out, "peak_rss") > 0);
            assert_true(value_of(r.out, "received") > 1000.0 * PODS);
            assert_null(strstr(r.out, "watch events came"));
            assert_non_null(strstr(r.out, i < 4 ? "note protobuf, " : "note json, "));
            if (strstr(r.out, "measure heap "))
                (void)value_of(r.out, "heap_per_object"); /* of a sanitizer's heap no figure */
        }
        server_stop(&s);
    }
}

/*
 * A streaming list that the server has not: what follows is a list, and is not measured as the
 * other.
 */
static void what_falls_back_is_no_measurement(void **state)
{
    const char *const args[] = {"--data", listed_dir, NULL};
    struct server s;
    const char *const run[] = {"sync", "--list-mode", "watchlist", "--url", s.url, NULL};

    (void)state;
    server_start(&s, args);
    expect_refused(program(), run, 1, "has failed");
    server_stop(&s);
}

/* A server without protobuf answers in JSON, which is not measured as protobuf. */
static void another_encoding_is_no_measurement(void **state)
{
    static const char *const modes[] = {"sync", "flood", "latency"};
    const char *const args[] = {"--data", json_dir, NULL};
    struct server s;

    (void)state;
    server_start(&s, args);
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        const char *const protobuf[] = {modes[i], "--events", "300", "--warmup",
                                        "50",     "--url",    s.url, NULL};
        const char *const json[] = {modes[i], "--events",   "300",  "--warmup",
                                    "50",     "--encoding", "json", NULL};
        struct result r;

        expect_refused(program(), protobuf, 1, "asked for protobuf, the server answered in json");
        run_mode(&r, &s, json);
    }
    server_stop(&s);
}

static void rest_is_told_when_asked_for(void **state)
{
    static const char *const with[] = {"sync", "--rest", NULL};
    static const char *const without[] = {"sync", NULL};
    const char *const args[] = {"--data", quiet_dir, NULL};
    struct server s;
    struct result r;

    (void)state;
    server_start(&s, args);
    run_mode(&r, &s, with);
    assert_true(value_of(r.out, "rss") > 0);
    (void)value_of(r.out, "rss_per_object");
    (void)value_of(r.out, "base_heap");
    run_mode(&r, &s, without);
    assert_null(strstr(r.out, "per_object"));
    server_stop(&s);
}

static void flood_takes_so_many_events(void **state)
{
    static const char *const cases[][8] = {
        {"flood", "--events", "300", NULL},
        {"flood", "--events", "300", "--delivery", "pool", NULL},
        {"flood", "--events", "300", "--queue", "ordered", NULL},
        {"flood", "--events", "300", "--encoding", "json", NULL},
    };
    const char *const args[] = {"--data", data_dir, NULL};
    struct server s;
    struct result r;

    (void)state;
    server_start(&s, args);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_mode(&r, &s, cases[i]);
        assert_int_equal((int)value_of(r.out, "events"), EVENTS);
        assert_int_equal((int)value_of(r.out, "objects"), PODS);
        assert_near(value_of(r.out, "ops") * value_of(r.out, "wall"), EVENTS - 1);
        assert_true(value_of(r.out, "cpu_per_event") > 0);
    }
    server_stop(&s);
}

static void latency_has_the_ages_of_events(void **state)
{
    /* Whatever else the machine has to do, it keeps up with that. */
    static const char *const some[] = {"latency", "--events", "300", "--warmup",
                                       "50",      "--rate",   "1",   NULL};
    const char *const args[] = {"--data", data_dir, "--rate", "5000", NULL};
    struct server s;
    struct result r;

    (void)state;
    server_start(&s, args);
    run_mode(&r, &s, some);
    assert_int_equal((int)value_of(r.out, "events"), EVENTS - 50);
    assert_true(value_of(r.out, "p50") > 0);
    assert_true(value_of(r.out, "p50") <= value_of(r.out, "p90"));
    assert_true(value_of(r.out, "p90") <= value_of(r.out, "p99"));
    assert_true(value_of(r.out, "p99") <= value_of(r.out, "max"));
    assert_null(strstr(r.out, "did not keep up"));
    server_stop(&s);
}

static void who_does_not_keep_up_is_told(void **state)
{
    /* The server sends five times less than is said here. */
    static const char *const some[] = {"latency", "--events", "300",  "--warmup",
                                       "50",      "--rate",   "5000", NULL};
    const char *const args[] = {"--data", data_dir, "--rate", "1000", NULL};
    struct server s;
    struct result r;

    (void)state;
    server_start(&s, args);
    run_mode(&r, &s, some);
    assert_non_null(strstr(r.out, "did not keep up"));
    server_stop(&s);
}

static void idle_has_few_threads(void **state)
{
    static const char *const cases[][10] = {
        {"idle", "--kinds", "10", "--window", "50", "--list-mode", "watchlist", NULL},
        {"idle", "--kinds", "10", "--window", "50", "--delivery", "pool", NULL},
    };
    static const unsigned handlers[] = {10, 0};
    const char *const args[] = {NULL};
    struct server s;
    struct result r;

    (void)state;
    server_start(&s, args);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        run_mode(&r, &s, cases[i]);
        /* Main, I/O, two workers, the second if the first was busy; a sanitizer may have one more. */
        assert_in_range((unsigned)value_of(r.out, "threads"), handlers[i] + 3, handlers[i] + 5);
        assert_true(value_of(r.out, "rss_anon") > 0);
    }
    server_stop(&s);
}

static void what_fails_leaves_no_figures(void **state)
{
    struct server s;
    const char *const args[] = {"--data", data_dir, "--tls", NULL};
    const char *const cases[][6] = {
        {"sync", "--url", s.url, NULL}, /* whom nobody trusts */
        {"flood", "--url", s.url, NULL},
        {"latency", "--url", s.url, NULL},
        {"idle", "--url", s.url, NULL},
        {"sync", "--url", "http://127.0.0.1:1", NULL},
        {"sync", "--kubeconfig", "/nonexistent", NULL},
        {"idle", "--url", s.url, "--kinds", "0", NULL},
        {"idle", "--url", s.url, "--kinds", "13", NULL},
    };

    (void)state;
    server_start(&s, args);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 1, "");
    server_stop(&s);
}

static void wrong_usage_is_refused(void **state)
{
    static const char *const cases[][7] = {
        {NULL},
        {"sync", NULL},
        {"nothing", "--url", "http://127.0.0.1:1", NULL},
        {"sync", "stray", "--url", "http://127.0.0.1:1", NULL},
        {"sync", "--bogus", NULL},
        {"sync", "--url", "http://127.0.0.1:1", "--list-mode", "both", NULL},
        {"sync", "--url", "http://127.0.0.1:1", "--queue", "heap", NULL},
        {"sync", "--url", "http://127.0.0.1:1", "--encoding", "yaml", NULL},
        {"sync", "--url", "http://127.0.0.1:1", "--kubeconfig", "/nonexistent", NULL},
        {"sync", "--ca", "/nonexistent", "--kubeconfig", "/nonexistent", NULL},
        {"sync", "--url", "http://127.0.0.1:1", "--delivery", "loop", NULL},
        {"latency", "--url", "http://127.0.0.1:1", "--events", "501", NULL},
        {"flood", "--url", "http://127.0.0.1:1", "--events", "1", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 2, "usage: kin-bench-informer");
}

static int make_data(void **state)
{
    (void)state;
    data_dir = make_pods_dir(PODS, EVENTS, KIN_BENCH_FILES_ALL);
    quiet_dir = make_pods_dir(PODS, 0, KIN_BENCH_FILES_ALL);
    listed_dir = make_pods_dir(PODS, 0, 1u << KIN_BENCH_FILE_PODS | 1u << KIN_BENCH_FILE_EVENTS);
    json_dir = make_pods_dir(PODS, EVENTS, KIN_BENCH_FILES_ALL);
    make_protobuf_files(data_dir);
    make_protobuf_files(quiet_dir);
    make_protobuf_files(listed_dir);
    return 0;
}

static int drop_data(void **state)
{
    (void)state;
    remove_dir(data_dir);
    remove_dir(quiet_dir);
    remove_dir(listed_dir);
    remove_dir(json_dir);
    return 0;
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sync_has_all_objects),
        cmocka_unit_test(what_falls_back_is_no_measurement),
        cmocka_unit_test(another_encoding_is_no_measurement),
        cmocka_unit_test(rest_is_told_when_asked_for),
        cmocka_unit_test(flood_takes_so_many_events),
        cmocka_unit_test(latency_has_the_ages_of_events),
        cmocka_unit_test(who_does_not_keep_up_is_told),
        cmocka_unit_test(idle_has_few_threads),
        cmocka_unit_test(what_fails_leaves_no_figures),
        cmocka_unit_test(wrong_usage_is_refused),
    };

    return cmocka_run_group_tests(tests, make_data, drop_data);
}
