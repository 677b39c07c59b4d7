/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Peers that are dead without having said so, in real time: a process that was stopped, a wire that
 * was cut, a machine that is gone. Each is found within its bound, and what comes next is on a
 * connection of its own.
 *
 * Each test waits for seconds: with its name as the argument it runs alone, so that all can at once.
 */
#include "transport_support.h"

#include <string.h>

#include "base/clock.h"
#include "netns.h"
#include "peer.h"

/* A loaded machine is late; a bound that does not work is later still. */
#define LATE (60 * KIN__SECOND)
/* Of a peer: not so short that one on a loaded machine, which is slow with its first bytes, is taken for dead. */
#define IDLE_MS 5000

static const char *no_namespaces;

static int64_t now(void)
{
    return kin_clock_now(kin_clock_system());
}

static kin__exchange *watch_peer(transport_fixture *f, kin_test_peer *peer, int64_t idle_ns,
                                 const kin__identity *identity)
{
    kin__exchange_spec spec = transport_get("/watch");
    kin_str bytes;

    spec.kind = KIN__LANE_WATCH;
    spec.idle_ns = idle_ns;
    spec.identity = identity;
    unsigned requests = kin_test_peer_count(peer, "requests");
    kin__exchange *exchange = transport_start(f, &spec);
    kin_test_peer_await(peer, "requests", requests + 1);
    while (!kin__exchange_answer(exchange))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    kin_test_peer_event(peer, "first");
    while (!kin__exchange_read(exchange, &bytes))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    return exchange;
}

static void expect_answer(transport_fixture *f, const kin__identity *identity)
{
    kin__exchange_spec spec = transport_get("/other");
    transport_result result;

    spec.identity = identity;
    transport_run(f, &spec, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "peer\n");
    transport_result_done(&result);
}

/*
 * For a wire that was mended. A connect that joins an ARP request of the time before fails with it, although the wire is up;
 * the next connect makes the kernel ask again.
 */
static void expect_answer_in_the_end(transport_fixture *f)
{
    kin__exchange_spec spec = transport_get("/other");
    int64_t end = now() + LATE;
    transport_result result;
    int code;

    do {
        transport_run(f, &spec, &result);
        code = result.code;
        transport_result_done(&result);
    } while (code == KIN_ECONNECT && now() < end);
    assert_code(code, 0);
}

static void finds_a_stopped_process(void **state)
{
    transport_fixture f = {0};
    kin_test_peer *peer;
    kin_error err = KIN_ERROR_INIT;
    kin__identity identity = {.tls =
                                  transport_material(1, kin_test_group_pki->ca.certificate, NULL)};
    kin_test_peer_options options = {.certificate_file =
                                         kin_test_group_pki->server.certificate_file,
                                     .key_file = kin_test_group_pki->server.key_file};

    (void)state;
    assert_null(kin_test_peer_start(&peer, &options));
    transport_open_alone(&f, &(transport_setup){.url = kin_test_peer_url(peer)});
    kin__exchange *exchange = watch_peer(&f, peer, IDLE_MS * KIN__MILLISECOND, &identity);
    kin_test_peer_freeze(peer);
    int64_t begin = now();
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    int64_t took = now() - begin;
    print_message("a stopped process was found after %lld ms of %d\n",
                  (long long)(took / KIN__MILLISECOND), IDLE_MS);
    assert_true(took < LATE);
    assert_non_null(strstr(err.message, "no byte for 5000 ms"));
    kin__exchange_unref(exchange);
    kin_test_peer_thaw(peer);
    expect_answer(&f, &identity);
    assert_int_equal(kin_test_peer_count(peer, "connections"), 2);
    transport_close(&f);
    kin_test_peer_stop(peer);
    kin__tls_material_unref(identity.tls);
}

/* In the tests of probes: short, so that they take seconds. */
#define PROBE_AFTER_MS 1000
#define PROBE_TIMEOUT_MS 4000

static kin__transport_options with_probes(void)
{
    return (kin__transport_options){
        .probe_after_ns = PROBE_AFTER_MS * KIN__MILLISECOND,
        .probe_timeout_ns = PROBE_TIMEOUT_MS * KIN__MILLISECOND,
    };
}

/* A watch that has heard something, or a list without an answer. */
static kin__exchange *start_probed(transport_fixture *f, kin_test_peer *peer, bool is_list,
                                   const kin__identity *identity)
{
    kin__exchange_spec spec = transport_get(is_list ? "/stall" : "/watch");
    unsigned requests = kin_test_peer_count(peer, "requests");
    kin_str bytes;

    spec.kind = is_list ? KIN__LANE_LIST : KIN__LANE_WATCH_LIST;
    spec.is_probed = true;
    spec.identity = identity;
    kin__exchange *exchange = transport_start(f, &spec);
    if (is_list) {
        kin_test_peer_await(peer, "stalled", 1);
        return exchange;
    }
    kin_test_peer_await(peer, "requests", requests + 1);
    while (!kin__exchange_answer(exchange))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    kin_test_peer_event(peer, "first");
    while (!kin__exchange_read(exchange, &bytes))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    return exchange;
}

static void assert_probe_finds(transport_fixture *f, kin__exchange *exchange, const char *what)
{
    kin_error err = KIN_ERROR_INIT;
    int64_t begin = now();

    (void)f;
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    print_message("%s: found after %lld ms: %s\n", what,
                  (long long)((now() - begin) / KIN__MILLISECOND), err.message);
    assert_true(now() - begin < LATE);
    assert_non_null(strstr(err.message, "no answer to a probe"));
    kin__exchange_unref(exchange);
}

static void find_frozen(bool is_tls, bool is_list, const char *what)
{
    transport_fixture f = {0};
    kin_test_peer *peer;
    kin__identity identity = {0};
    kin_test_peer_options options = {0};

    if (is_tls) {
        identity.tls = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
        options.certificate_file = kin_test_group_pki->server.certificate_file;
        options.key_file = kin_test_group_pki->server.key_file;
    }
    assert_null(kin_test_peer_start(&peer, &options));
    transport_open_alone(
        &f, &(transport_setup){.url = kin_test_peer_url(peer), .options = with_probes()});
    kin__exchange *exchange = start_probed(&f, peer, is_list, &identity);
    /* Probes are answered as long as the server runs. */
    unsigned requests = kin_test_peer_count(peer, "requests");
    kin_test_peer_await(peer, "requests", requests + 2);
    int code;
    assert_false(kin__exchange_ended(exchange, &code, NULL));
    kin_test_peer_freeze(peer);
    assert_probe_finds(&f, exchange, what);
    kin_test_peer_thaw(peer);
    expect_answer(&f, &identity);
    transport_close(&f);
    kin_test_peer_stop(peer);
    kin__tls_material_unref(identity.tls);
}

static void probes_a_frozen_server(void **state)
{
    (void)state;
    find_frozen(false, false, "a frozen HTTP server");
}

static void probes_a_frozen_tls_server(void **state)
{
    (void)state;
    find_frozen(true, false, "a frozen HTTPS server");
}

static void probes_during_a_stalled_list(void **state)
{
    (void)state;
    find_frozen(false, true, "a stalled list");
}

/* The kernel's keepalive would take 42 s. */
static void probes_over_a_wire_that_is_cut(void **state)
{
    transport_fixture f = {0};
    kin_test_peer *peer;

    (void)state;
    if (no_namespaces)
        skip();
    const char *why = kin_test_peer_start(&peer, &(kin_test_peer_options){.in_namespace = true});
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    transport_open_alone(
        &f, &(transport_setup){.url = kin_test_peer_url(peer), .options = with_probes()});
    kin__exchange *exchange = start_probed(&f, peer, false, NULL);
    kin_test_peer_vanish(peer);
    assert_probe_finds(&f, exchange, "a peer that is gone");
    kin_test_peer_mend(peer);
    expect_answer_in_the_end(&f);
    transport_close(&f);
    kin_test_peer_kill(peer);
    kin_test_peer_stop(peer);
}

static void finds_a_killed_process(void **state)
{
    transport_fixture f = {0};
    kin_test_peer *peer;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_null(kin_test_peer_start(&peer, &(kin_test_peer_options){0}));
    transport_open_alone(&f, &(transport_setup){.url = kin_test_peer_url(peer)});
    kin__exchange *exchange = watch_peer(&f, peer, 0, NULL);
    kin_test_peer_kill(peer);
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    kin__exchange_unref(exchange);
    transport_close(&f);
    kin_test_peer_stop(peer);
}

/* No bound of ours: the kernel's probes find it. */
static void find_by_keepalive(void (*vanish)(kin_test_peer *peer), const char *what)
{
    transport_fixture f = {0};
    kin_test_peer *peer;
    kin_error err = KIN_ERROR_INIT;

    if (no_namespaces)
        skip();
    const char *why = kin_test_peer_start(&peer, &(kin_test_peer_options){.in_namespace = true});
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    transport_open_alone(&f, &(transport_setup){
                                 .url = kin_test_peer_url(peer),
                                 .options.keepalive_idle_ns = KIN__SECOND,
                                 .options.keepalive_interval_ns = KIN__SECOND,
                             });
    kin__exchange *exchange = watch_peer(&f, peer, 0, NULL);
    vanish(peer);
    int64_t begin = now();
    assert_code(transport_await_end(exchange, &err), KIN_ECONNECT);
    int64_t took = now() - begin;
    print_message("%s: found after %lld ms of 4000\n", what, (long long)(took / KIN__MILLISECOND));
    assert_true(took < LATE);
    kin__exchange_unref(exchange);
    kin_test_peer_mend(peer);
    expect_answer_in_the_end(&f);
    transport_close(&f);
    /* It may hang on the connection that it lost. */
    kin_test_peer_kill(peer);
    kin_test_peer_stop(peer);
}

static void finds_a_cut_wire(void **state)
{
    (void)state;
    find_by_keepalive(kin_test_peer_cut, "a cut wire");
}

static void finds_a_peer_that_is_gone(void **state)
{
    (void)state;
    find_by_keepalive(kin_test_peer_vanish, "a peer that is gone");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_stopped_process),
        cmocka_unit_test(finds_a_killed_process),
        cmocka_unit_test(finds_a_cut_wire),
        cmocka_unit_test(finds_a_peer_that_is_gone),
        cmocka_unit_test(probes_a_frozen_server),
        cmocka_unit_test(probes_a_frozen_tls_server),
        cmocka_unit_test(probes_during_a_stalled_list),
        cmocka_unit_test(probes_over_a_wire_that_is_cut),
    };
    bool is_known = argc == 1;

    for (size_t i = 0; argc > 1 && i < sizeof(tests) / sizeof(tests[0]); i++)
        is_known |= strcmp(argv[1], tests[i].name) == 0;
    if (!is_known) {
        fprintf(stderr, "no such test: %s\n", argv[1]);
        return 1;
    }
    if (argc > 1)
        cmocka_set_test_filter(argv[1]);
    no_namespaces = kin_test_net_isolate();
    if (no_namespaces)
        fprintf(stderr, "skipped in part, no network namespaces: %s\n", no_namespaces);
    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
