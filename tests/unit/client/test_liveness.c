/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Probes of a silent server, on a fake clock and over HTTP/1.1: when one is sent, what counts as an answer,
 * and what an unanswered one ends.
 */
#include "transport_support.h"

#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "client/transport_inside.h"

#define AFTER (20 * KIN__SECOND)
/* With the jitter: a probe is due by then, whatever was drawn. */
#define DUE (AFTER + AFTER / 4)
#define TIMEOUT (15 * KIN__SECOND)

/* A watch, and how often its consumer was told something. */
struct watch {
    kin__exchange *exchange;
    kin_test_latch told;
};

struct scene {
    transport_fixture f;
    struct watch watches[2];
    size_t n;
};

static void on_notify(kin__exchange *exchange, void *arg)
{
    struct watch *watch = arg;

    (void)exchange;
    kin_test_latch_raise(&watch->told);
}

static void answer(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)arg;
    kin_test_http_status(conn, 200);
    kin_test_http_chunk_text(conn, "one");
    /* A line for each release, so that a test decides when bytes come. */
    while (strncmp(request->target, "/watch", 6) == 0 && kin_test_http_stall(conn))
        kin_test_http_chunk_text(conn, "more");
    kin_test_http_end_chunks(conn);
}

static void await_waiter(struct scene *scene)
{
    assert_code(kin_clock_await_waiters(scene->f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

/* Not before the I/O thread waits for the clock. */
static void advance(struct scene *scene, int64_t ns)
{
    await_waiter(scene);
    assert_code(kin_clock_advance(scene->f.clock, ns, NULL), 0);
}

static void read_text(kin__exchange *exchange, const char *text)
{
    kin_str bytes;

    while (!kin__exchange_read(exchange, &bytes))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    assert_true(kin_str_equal(bytes, kin_str_of(text)));
}

static void start_watch(struct scene *scene, kin__exchange_spec spec)
{
    struct watch *watch = &scene->watches[scene->n++];

    kin_test_latch_init(&watch->told);
    spec.notify = on_notify;
    spec.arg = watch;
    watch->exchange = transport_start(&scene->f, &spec);
    read_text(watch->exchange, "one");
}

static kin__exchange_spec watch_spec(void)
{
    kin__exchange_spec spec = transport_get("/watch");

    spec.kind = KIN__LANE_WATCH;
    spec.is_probed = true;
    return spec;
}

static void open_server(struct scene *scene, int64_t after, size_t n)
{
    memset(scene, 0, sizeof(*scene));
    transport_open(&scene->f, &(transport_setup){
                                  .fake_clock = true,
                                  .server.handler = answer,
                                  .options.probe_after_ns = after,
                                  .options.probe_timeout_ns = TIMEOUT,
                                  .options.probe_target = "/livez",
                              });
    for (size_t i = 0; i < n; i++)
        start_watch(scene, watch_spec());
}

static void close_scene(struct scene *scene)
{
    for (size_t i = 0; i < scene->n; i++)
        kin__exchange_unref(scene->watches[i].exchange);
    transport_close(&scene->f);
    for (size_t i = 0; i < scene->n; i++)
        kin_test_latch_done(&scene->watches[i].told);
}

static void route_probes(struct scene *scene, const kin_test_http_route *route)
{
    kin_test_http_route all = *route;

    all.target = "/livez";
    kin_test_http_add_route(scene->f.server, &all);
}

/* Until a watch has heard of its server at this time of the clock. */
static void await_heard(struct scene *scene, size_t i)
{
    int64_t now = kin_clock_now(scene->f.clock);

    while (kin__exchange_heard(scene->watches[i].exchange) != now)
        sched_yield();
}

static void await_doubt(struct scene *scene, size_t i, bool in_doubt)
{
    struct watch *watch = &scene->watches[i];
    unsigned n = kin_test_latch_count(&watch->told);

    while (kin__exchange_in_doubt(watch->exchange) != in_doubt) {
        kin_test_latch_wait(&watch->told, n + 1);
        n = kin_test_latch_count(&watch->told);
    }
}

static unsigned n_requests(struct scene *scene)
{
    return kin_test_http_count(scene->f.server).requests;
}

static void assert_dead(struct scene *scene, size_t i)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(transport_await_end(scene->watches[i].exchange, &err), KIN_ECONNECT);
    assert_non_null(strstr(err.message, "no answer to a probe for 15000 ms"));
}

/* --- tests --- */

static void one_probe_is_for_all_silent_watches(void **state)
{
    struct scene scene;

    (void)state;
    open_server(&scene, AFTER, 2);
    route_probes(&scene, &(kin_test_http_route){.body = "ok"});
    advance(&scene, AFTER - 1);
    await_waiter(&scene);
    assert_int_equal(n_requests(&scene), 2);
    for (unsigned round = 1; round <= 3; round++) {
        advance(&scene, DUE);
        await_heard(&scene, 0);
        await_heard(&scene, 1);
        assert_int_equal(n_requests(&scene), 2 + round);
    }
    assert_string_equal(kin_test_http_request_at(scene.f.server, 2)->target, "/livez");
    /* They use one connection. */
    assert_int_equal(kin_test_http_count(scene.f.server).connections, 3);
    close_scene(&scene);
}

static void a_probe_has_the_headers_of_its_watch(void **state)
{
    struct scene scene;
    kin__exchange_spec spec = watch_spec();
    kin__identity identity = {0};
    kin__header headers[] = {
        {kin_str_of("User-Agent"), kin_str_of("probe/1")},
        {kin_str_of("Impersonate-Group"), kin_str_of("a")},
        {kin_str_of("Impersonate-Group"), kin_str_of("b: c")},
        {kin_str_of("X-Empty"), kin_str_of("")},
    };

    (void)state;
    open_server(&scene, AFTER, 0);
    assert_code(kin__secret_set(&identity.authorization, kin_str_of("Bearer token")), 0);
    spec.identity = &identity;
    spec.headers = headers;
    spec.n_headers = 4;
    start_watch(&scene, spec);
    advance(&scene, DUE);
    const kin_test_http_request *watch = kin_test_http_request_at(scene.f.server, 0);
    const kin_test_http_request *probe = kin_test_http_request_at(scene.f.server, 1);

    assert_string_equal(probe->method, "GET");
    assert_int_equal(probe->n_fields, watch->n_fields);
    assert_string_equal(kin_test_http_field_of(probe, "Authorization"), "Bearer token");
    assert_string_equal(kin_test_http_field_of(probe, "User-Agent"), "probe/1");
    assert_int_equal(kin_test_http_fields_of(probe, "Impersonate-Group"), 2);
    assert_int_equal(kin_test_http_fields_of(probe, "X-Empty"), 1);
    close_scene(&scene);
    kin__secret_done(&identity.authorization);
}

/* Whatever the server says: it is alive. */
static void any_answer_counts(void **state)
{
    static const int answers[] = {200, 302, 401, 403, 404, 429, 500, 503};

    (void)state;
    for (size_t i = 0; i < kin__array_len(answers); i++) {
        struct scene scene;
        int code;

        open_server(&scene, AFTER, 1);
        route_probes(&scene,
                     &(kin_test_http_route){.status = answers[i], .fields = "Location: /x\r\n"});
        advance(&scene, DUE);
        await_heard(&scene, 0);
        advance(&scene, TIMEOUT);
        await_waiter(&scene);
        assert_false(kin__exchange_ended(scene.watches[0].exchange, &code, NULL));
        close_scene(&scene);
    }
}

static void an_unanswered_probe_ends_all_silent_watches(void **state)
{
    struct scene scene;
    int code;

    (void)state;
    open_server(&scene, AFTER, 2);
    route_probes(&scene, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    advance(&scene, DUE);
    kin_test_http_await_requests(scene.f.server, 3);
    assert_false(kin__exchange_in_doubt(scene.watches[0].exchange));
    advance(&scene, TIMEOUT / 3);
    await_doubt(&scene, 0, true);
    await_doubt(&scene, 1, true);
    advance(&scene, TIMEOUT - TIMEOUT / 3 - 1);
    await_waiter(&scene);
    assert_false(kin__exchange_ended(scene.watches[0].exchange, &code, NULL));
    assert_false(kin__exchange_ended(scene.watches[1].exchange, &code, NULL));
    advance(&scene, 1);
    assert_dead(&scene, 0);
    assert_dead(&scene, 1);
    assert_false(kin__exchange_in_doubt(scene.watches[0].exchange));
    kin_test_http_await_open(scene.f.server, 0);
    close_scene(&scene);
}

static void an_answer_that_comes_late_ends_the_doubt(void **state)
{
    struct scene scene;
    int code;

    (void)state;
    open_server(&scene, AFTER, 1);
    route_probes(&scene, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    advance(&scene, DUE);
    kin_test_http_await_requests(scene.f.server, 2);
    advance(&scene, TIMEOUT / 3);
    await_doubt(&scene, 0, true);
    kin_test_http_release_all(scene.f.server);
    await_doubt(&scene, 0, false);
    await_heard(&scene, 0);
    advance(&scene, TIMEOUT);
    await_waiter(&scene);
    assert_false(kin__exchange_ended(scene.watches[0].exchange, &code, NULL));
    close_scene(&scene);
}

static void bytes_put_a_probe_off(void **state)
{
    struct scene scene;

    (void)state;
    open_server(&scene, AFTER, 1);
    route_probes(&scene, &(kin_test_http_route){.body = "ok"});
    for (int i = 0; i < 5; i++) {
        advance(&scene, AFTER - 1);
        kin_test_http_release(scene.f.server, 1);
        read_text(scene.watches[0].exchange, "more");
    }
    await_waiter(&scene);
    assert_int_equal(n_requests(&scene), 1);
    advance(&scene, DUE);
    await_heard(&scene, 0);
    assert_int_equal(n_requests(&scene), 2);
    close_scene(&scene);
}

/* The verdict takes the whole timeout. In real time: nothing tells when the repetition waits for its own. */
static void a_probe_that_failed_is_repeated(void **state)
{
    struct scene scene = {0};
    int code;

    (void)state;
    transport_open(&scene.f, &(transport_setup){
                                 .server.handler = answer,
                                 .options.probe_after_ns = 100 * KIN__MILLISECOND,
                                 .options.probe_timeout_ns = 20 * KIN__SECOND,
                                 .options.probe_target = "/livez",
                             });
    route_probes(&scene, &(kin_test_http_route){.shape = KIN_TEST_HTTP_NO_ANSWER, .times = 2});
    route_probes(&scene, &(kin_test_http_route){.body = "ok"});
    start_watch(&scene, watch_spec());
    int64_t begun = kin__exchange_heard(scene.watches[0].exchange);
    kin_test_http_await_requests(scene.f.server, 4);
    while (kin__exchange_heard(scene.watches[0].exchange) == begun)
        sched_yield();
    assert_false(kin__exchange_ended(scene.watches[0].exchange, &code, NULL));
    close_scene(&scene);
}

static void there_is_none_without_a_silent_watch(void **state)
{
    struct scene scene;
    kin__exchange_spec spec = watch_spec();

    (void)state;
    /* Off; for an exchange that is not to be probed; for none at all. */
    open_server(&scene, -1, 1);
    assert_code(kin_clock_advance(scene.f.clock, 100 * DUE, NULL), 0);
    transport_expect(&scene.f,
                     &(kin__exchange_spec){.method = "GET", .target = "/", .deadline = INT64_MAX},
                     0, "");
    assert_int_equal(n_requests(&scene), 2);
    close_scene(&scene);
    open_server(&scene, AFTER, 0);
    spec.is_probed = false;
    start_watch(&scene, spec);
    assert_code(kin_clock_advance(scene.f.clock, 100 * DUE, NULL), 0);
    transport_expect(&scene.f,
                     &(kin__exchange_spec){.method = "GET", .target = "/", .deadline = INT64_MAX},
                     0, "");
    assert_int_equal(n_requests(&scene), 2);
    close_scene(&scene);
}

static void a_transport_is_freed_in_the_midst_of_a_round(void **state)
{
    struct scene scene;

    (void)state;
    open_server(&scene, AFTER, 2);
    route_probes(&scene, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    advance(&scene, DUE);
    kin_test_http_await_requests(scene.f.server, 3);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_probe_is_for_all_silent_watches),
        cmocka_unit_test(a_probe_has_the_headers_of_its_watch),
        cmocka_unit_test(any_answer_counts),
        cmocka_unit_test(an_unanswered_probe_ends_all_silent_watches),
        cmocka_unit_test(an_answer_that_comes_late_ends_the_doubt),
        cmocka_unit_test(bytes_put_a_probe_off),
        cmocka_unit_test(a_probe_that_failed_is_repeated),
        cmocka_unit_test(there_is_none_without_a_silent_watch),
        cmocka_unit_test(a_transport_is_freed_in_the_midst_of_a_round),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
