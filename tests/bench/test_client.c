/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-client against the replay server, plain and with TLS: every mode keeps the protocol and
 * counts what was served; what it cannot measure leaves no figures.
 */
#include "replay_server.h"

#include "pods_fixture.h"
#include "protobuf_fixture.h"

#include <stdlib.h>
#include <string.h>

enum { PODS = 40, EVENTS = 30, STREAMS = 7 };

static char *data_dir;

static const char *program(void)
{
    return program_path("KIN_BENCH_CLIENT", "kin-bench-client");
}

/* How many there were, of a rate. Measures have nine decimals. */
static double total_of(const char *out, const char *name)
{
    return value_of(out, name) * value_of(out, "wall");
}

/* What objects are asked for in, and the file that the server then has as its list. */
static const struct encoding {
    const char *name;
    const char *list;
} encodings[] = {{"protobuf", "pods.pb"}, {"json", "pods.json"}};

static void run_mode(struct result *r, const struct server *s, const struct encoding *encoding,
                     const char *mode, const char *const *more)
{
    const char *args[16] = {mode, "--url", s->url, "--encoding", encoding->name};
    size_t n = 5;

    if (s->ca[0]) {
        args[n++] = "--ca";
        args[n++] = s->ca;
    }
    while (*more)
        args[n++] = *more++;
    run_to_end(r, program(), args);
    if (r->status != 0)
        fail_msg("%s ended with %d: %s", mode, r->status, r->err);
    assert_string_equal(r->err, "");
    assert_true(value_of(r->out, "wall") > 0);
    assert_true(value_of(r->out, "cpu") > 0);
    assert_true(value_of(r->out, "rss_anon") > 0);
}

/* --- what it counts --- */

static void check_lists(const struct server *s, const struct encoding *encoding)
{
    static const char *const none[] = {NULL};
    char *file = join_path(data_dir, encoding->list);
    const char *const with_file[] = {"--file", file, NULL};
    struct span list = read_file(data_dir, encoding->list);
    struct result r;

    run_mode(&r, s, encoding, "fetch", none);
    assert_near(total_of(r.out, "bytes"), (double)list.len);
    run_mode(&r, s, encoding, "list", with_file);
    assert_near(total_of(r.out, "bytes"), (double)list.len);
    assert_near(total_of(r.out, "ops"), PODS);
    run_mode(&r, s, encoding, "list", none);
    assert_null(strstr(r.out, "measure bytes "));
    free_span(list);
    free(file);
}

static void check_watches(const struct server *s, const struct encoding *encoding)
{
    static const char *const all[] = {"--streams", "7", "--events", "30", NULL};
    struct result r;

    run_mode(&r, s, encoding, "watch", all);
    assert_near(total_of(r.out, "ops"), (double)STREAMS * EVENTS);
    (void)value_of(r.out, "heap_per_watch"); /* of a sanitizer's heap there is no figure */
    /* Main, I/O, two workers; a sanitizer may have one more. */
    assert_in_range((unsigned)value_of(r.out, "threads"), 4, 5);
    run_mode(&r, s, encoding, "watch-raw", all);
    assert_near(total_of(r.out, "ops"), (double)STREAMS * EVENTS);
    assert_true(value_of(r.out, "rss_anon_per_watch") > 0);
    assert_in_range((unsigned)value_of(r.out, "threads"), 2, 3);
}

static void counts_what_is_served(void **state)
{
    (void)state;
    for (int tls = 0; tls < 2; tls++) {
        const char *const args[] = {"--data", data_dir, tls ? "--tls" : NULL, NULL};
        struct server s;

        server_start(&s, args);
        for (size_t i = 0; i < sizeof(encodings) / sizeof(encodings[0]); i++) {
            check_lists(&s, &encodings[i]);
            check_watches(&s, &encodings[i]);
        }
        server_stop(&s);
    }
}

static void what_fails_leaves_no_figures(void **state)
{
    const char *const args[] = {"--data", data_dir, "--tls", NULL};
    struct server s;
    const char *const cases[][6] = {
        {"list", "--url", s.url, NULL}, /* whom nobody trusts */
        {"fetch", "--url", s.url, NULL},
        {"watch", "--url", s.url, NULL},
        {"watch-raw", "--url", s.url, NULL},
        {"list", "--url", "http://127.0.0.1:1", "--file", "/nonexistent", NULL},
        {"watch", "--url", s.url, "--streams", "0", NULL},
    };

    (void)state;
    server_start(&s, args);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 1, "");
    server_stop(&s);
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

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        expect_refused(program(), cases[i], 2, "usage: kin-bench-client");
}

static int make_data(void **state)
{
    (void)state;
    data_dir = make_pods_dir(PODS, EVENTS, KIN_BENCH_FILES_ALL);
    make_protobuf_files(data_dir);
    return 0;
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
