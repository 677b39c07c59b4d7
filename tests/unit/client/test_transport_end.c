/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How exchanges and transports end: cancelled at every stage, freed with exchanges in flight, from a
 * callback, in a forked child, and without memory.
 */
#include "transport_support.h"

#include <netdb.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "child.h"
#include "client/transport_inside.h"
#include "kinform/memory.h"
#include "oom.h"

/* --- a resolver that hangs on one name, so that looking up can be cancelled --- */

static kin_test_latch resolving;
static kin_test_latch resolve;

/* libcurl calls this one instead of the C library's: it is in the program. */
int getaddrinfo(const char *name, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret)
{
    (void)service;
    (void)hints;
    (void)ret;
    if (name && strcmp(name, "slow.example") == 0) {
        kin_test_latch_raise(&resolving);
        kin_test_latch_wait(&resolve, 1);
    }
    return EAI_NONAME;
}

/* --- how long a cancellation takes --- */

#define ROUNDS 51

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

/* Cancel it, and return after how long it had ended. */
static int64_t cancel_timed(kin__exchange *exchange)
{
    int code;
    int64_t begin = kin_clock_now(kin_clock_system());

    kin__exchange_cancel(exchange);
    while (!kin__exchange_ended(exchange, &code, NULL))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    int64_t took = kin_clock_now(kin_clock_system()) - begin;
    assert_code(code, KIN_ECANCELED);
    return took;
}

/* For people: how busy this machine is says more than a limit would. */
static void print_times(const char *stage, int64_t *times, size_t n)
{
    qsort(times, n, sizeof(times[0]), compare);
    print_message("%-12s median %5lld us, worst %6lld us\n", stage,
                  (long long)(times[n / 2] / 1000), (long long)(times[n - 1] / 1000));
}

typedef void (*stage_fn)(transport_fixture *f);

static kin__exchange *current;

/* Start, wait for the stage, cancel; so often that the median means something. */
static void cancel_at(const char *stage, transport_fixture *f, const kin__exchange_spec *spec,
                      stage_fn reached)
{
    int64_t times[ROUNDS];

    for (size_t i = 0; i < ROUNDS; i++) {
        kin__exchange *exchange = transport_start(f, spec);

        current = exchange;
        reached(f);
        times[i] = cancel_timed(exchange);
        kin__exchange_unref(exchange);
        if (f->server)
            kin_test_http_await_open(f->server, 0);
    }
    print_times(stage, times, ROUNDS);
}

static void at_once(transport_fixture *f)
{
    (void)f;
}

/* Nothing can come; meanwhile it gets as far as it can. */
static void when_it_had_time(transport_fixture *f)
{
    int64_t soon = kin_clock_now(f->clock) + KIN__MILLISECOND;

    assert_code(kin__exchange_wait(current, soon), KIN_ETIMEOUT);
}

static unsigned n_connections;
static unsigned n_resolving;

static void when_resolving(transport_fixture *f)
{
    (void)f;
    kin_test_latch_wait(&resolving, ++n_resolving);
}

static void when_connected(transport_fixture *f)
{
    kin_test_http_await_connections(f->server, ++n_connections);
}

static void when_stalled(transport_fixture *f)
{
    kin_test_http_await_stalled(f->server, 1);
}

static void is_cancelled_before_its_time(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    /* No answer is so quick that it comes first. */
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    cancel_at("at once", &f, &spec, at_once);
    spec.not_before = INT64_MAX;
    cancel_at("waiting", &f, &spec, when_it_had_time);
    transport_close(&f);
}

static void is_cancelled_while_resolving(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    kin_test_latch_init(&resolving);
    kin_test_latch_init(&resolve);
    transport_open_alone(&f, &(transport_setup){.url = "http://slow.example:81"});
    cancel_at("resolving", &f, &spec, when_resolving);
    transport_close(&f);
    /* The look-ups end by themselves; their latches stay. */
    kin_test_latch_raise(&resolve);
}

#define FILLERS 4

/* A listener whose queue is full: whoever connects gets no answer. fds[0] listens. */
static void open_full_listener(int *fds, char *url, size_t size)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof(address);

    fds[0] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fds[0], (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(fds[0], 0), 0);
    assert_int_equal(getsockname(fds[0], (struct sockaddr *)&address, &len), 0);
    for (int i = 1; i <= FILLERS; i++) {
        fds[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(fds[i], (struct sockaddr *)&address, len);
    }
    snprintf(url, size, "http://127.0.0.1:%u", ntohs(address.sin_port));
}

static void is_cancelled_while_connecting(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    int fds[1 + FILLERS];
    char url[64];

    (void)state;
    open_full_listener(fds, url, sizeof(url));
    transport_open_alone(&f, &(transport_setup){.url = url});
    cancel_at("connecting", &f, &spec, when_it_had_time);
    transport_close(&f);
    for (size_t i = 0; i < kin__array_len(fds); i++)
        close(fds[i]);
}

static void is_cancelled_in_the_handshake(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin__identity identity = {.generation = 1};
    kin_test_pki *pki;

    (void)state;
    kin_test_pki_new(&pki);
    /* The system's CAs would take libcurl 25 ms to read; those of a cluster are one. */
    identity.tls = transport_material(1, pki->ca.certificate, NULL);
    spec.identity = &identity;
    transport_open(&f, &(transport_setup){.server.tls = {.certificate = pki->server.certificate,
                                                         .key = pki->server.key,
                                                         .fate = KIN_TEST_TLS_STALLED}});
    n_connections = 0;
    cancel_at("handshake", &f, &spec, when_stalled);
    transport_close(&f);
    kin__tls_material_unref(identity.tls);
    kin_test_pki_free(pki);
}

static void is_cancelled_while_waiting_and_streaming(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    static const struct {
        const char *stage;
        kin_test_http_shape shape;
        stage_fn reached;
    } stages[] = {
        {"sent", KIN_TEST_HTTP_STALL_FIRST, when_stalled},
        {"headers", KIN_TEST_HTTP_STALL_IN_HEAD, when_stalled},
        {"body", KIN_TEST_HTTP_STALL_IN_BODY, when_stalled},
        {"streaming", KIN_TEST_HTTP_ENDLESS_BODY, when_connected},
    };

    (void)state;
    transport_open(&f, &(transport_setup){0});
    for (size_t i = 0; i < kin__array_len(stages); i++) {
        kin_test_http_clear_routes(f.server);
        kin_test_http_add_route(f.server, &(kin_test_http_route){
                                              .shape = stages[i].shape,
                                              .body = "some body",
                                              .size = 3,
                                          });
        n_connections = kin_test_http_count(f.server).connections;
        spec.buffer_limit = SIZE_MAX / 2;
        cancel_at(stages[i].stage, &f, &spec, stages[i].reached);
    }
    transport_close(&f);
}

static void is_cancelled_while_paused(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    int64_t times[ROUNDS];

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_ENDLESS_BODY});
    spec.buffer_limit = 1;
    for (size_t i = 0; i < ROUNDS; i++) {
        kin__exchange *exchange = transport_start(&f, &spec);

        transport_await_paused(exchange);
        times[i] = cancel_timed(exchange);
        kin__exchange_unref(exchange);
    }
    print_times("paused", times, ROUNDS);
    transport_close(&f);
}

static void is_cancelled_by_its_last_user(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    kin__exchange *exchange = transport_start(&f, &spec);
    kin__exchange *again = kin__exchange_ref(exchange);
    kin_test_http_await_stalled(f.server, 1);
    kin__exchange_unref(exchange);
    assert_int_equal(kin_test_http_count(f.server).open, 1);
    kin__exchange_unref(again);
    kin_test_http_await_open(f.server, 0);
    transport_close(&f);
}

/* --- free --- */

static void free_ends_everything(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin__exchange *exchanges[20];
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    for (size_t i = 0; i < kin__array_len(exchanges); i++) {
        spec.not_before = i % 2 ? INT64_MAX : 0;
        exchanges[i] = transport_start(&f, &spec);
    }
    kin_test_http_await_stalled(f.server, 10);
    kin__transport_free(f.transport);
    f.transport = NULL;
    for (size_t i = 0; i < kin__array_len(exchanges); i++) {
        int code = 0;

        assert_true(kin__exchange_ended(exchanges[i], &code, &err));
        assert_code(code, KIN_ECANCELED);
        kin__exchange_cancel(exchanges[i]); /* nobody is there any more */
        kin__exchange_unref(exchanges[i]);
    }
    transport_close(&f);
}

static void what_ended_stays_readable(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "late"});
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_str bytes;
    while (!kin__exchange_read(exchange, &bytes))
        assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
    assert_true(kin_str_equal(bytes, kin_str_of("late")));
    assert_code(transport_await_end(exchange, NULL), 0);
    kin__transport_free(f.transport);
    f.transport = NULL;
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    assert_int_equal(result.status, 200);
    transport_result_done(&result);
    transport_close(&f);
}

static void frees_what_was_never_used(void **state)
{
    transport_fixture f = {0};

    (void)state;
    kin__transport_free(NULL);
    kin__exchange_unref(NULL);
    transport_open_alone(&f, &(transport_setup){.url = "http://127.0.0.1:1"});
    transport_close(&f);
}

struct told {
    transport_fixture *f;
    kin_test_latch notified;
    kin_test_latch freed;
    bool free_transport;
};

static void on_notify(kin__exchange *exchange, void *arg)
{
    struct told *told = arg;

    (void)exchange;
    if (told->free_transport) {
        told->free_transport = false;
        kin__transport_free(told->f->transport);
    }
    kin_test_latch_raise(&told->notified);
}

static void on_arg_free(void *arg)
{
    struct told *told = arg;

    kin_test_latch_raise(&told->freed);
}

static void is_freed_from_its_own_callback(void **state)
{
    transport_fixture f = {0};
    struct told told = {.f = &f, .free_transport = true};
    struct told other = {.f = &f};
    kin__exchange_spec spec = transport_get("/stalled");

    (void)state;
    kin_test_latch_init(&told.notified);
    kin_test_latch_init(&told.freed);
    kin_test_latch_init(&other.notified);
    kin_test_latch_init(&other.freed);
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.target = "/stalled", .shape = KIN_TEST_HTTP_STALL_FIRST});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.target = "/"});
    spec.notify = on_notify;
    spec.arg_free = on_arg_free;
    spec.arg = &other;
    kin__exchange *stalled = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 1);
    spec.target = "/";
    spec.arg = &told;
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_test_latch_wait(&told.freed, 1);
    kin_test_latch_wait(&other.freed, 1);
    f.transport = NULL;
    assert_int_equal(other.notified.count, 1);
    assert_code(transport_await_end(stalled, NULL), KIN_ECANCELED);
    kin__exchange_unref(exchange);
    kin__exchange_unref(stalled);
    transport_close(&f);
    kin_test_latch_done(&told.notified);
    kin_test_latch_done(&told.freed);
    kin_test_latch_done(&other.notified);
    kin_test_latch_done(&other.freed);
}

struct watched {
    kin_test_latch freed;
    bool was_told_first;
};

static void look_at_libcurl(kin__exchange *exchange, void *arg)
{
    struct watched *watched = arg;

    watched->was_told_first = exchange->easy != NULL;
}

static void watched_free(void *arg)
{
    kin_test_latch_raise(&((struct watched *)arg)->freed);
}

/* What libcurl has to do for its end may take a while. */
static void is_told_before_libcurl_has_cleaned_up(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    struct watched watched = {.was_told_first = false};

    (void)state;
    kin_test_latch_init(&watched.freed);
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    spec.notify = look_at_libcurl;
    spec.arg_free = watched_free;
    spec.arg = &watched;
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 1);
    kin__exchange_cancel(exchange);
    kin_test_latch_wait(&watched.freed, 1);
    assert_true(watched.was_told_first);
    kin__exchange_unref(exchange);
    transport_close(&f);
    kin_test_latch_done(&watched.freed);
}

static void notify_comes_once_until_somebody_looks(void **state)
{
    transport_fixture f = {0};
    struct told told = {.f = &f};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    kin_test_latch_init(&told.notified);
    kin_test_latch_init(&told.freed);
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){
                      .shape = KIN_TEST_HTTP_CHUNKED, .body = "0123456789", .size = 1, .split = 1});
    spec.notify = on_notify;
    spec.arg_free = on_arg_free;
    spec.arg = &told;
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_test_latch_wait(&told.freed, 1); /* all of it has come */
    assert_int_equal(told.notified.count, 1);
    transport_finish(&f, exchange, &result);
    assert_string_equal(result.body, "0123456789");
    transport_result_done(&result);
    transport_close(&f);
    kin_test_latch_done(&told.notified);
    kin_test_latch_done(&told.freed);
}

/* --- fork --- */

static int use_in_child(void *arg)
{
    transport_fixture *f = arg;
    kin__exchange_spec spec = transport_get("/");
    kin__exchange *exchange = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin__transport_start(f->transport, &exchange, &spec, &err) != KIN_EFORKED)
        return 1;
    kin__transport_free(f->transport);
    return 0;
}

static kin__exchange *inherited;

static int read_in_child(void *arg)
{
    int code = 0;
    kin_str bytes;

    (void)arg;
    if (kin__exchange_wait(inherited, INT64_MAX) != KIN_EFORKED ||
        kin__exchange_read(inherited, &bytes) || kin__exchange_answer(inherited) ||
        !kin__exchange_ended(inherited, &code, NULL) || code != KIN_EFORKED)
        return 1;
    kin__exchange_cancel(inherited);
    kin__exchange_unref(inherited);
    return 0;
}

static void is_refused_in_a_forked_child(void **state)
{
    transport_fixture f = {0};
    kin__exchange_spec spec = transport_get("/");
    kin_test_child child;
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){0});
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_IN_BODY, .body = "whole"});
    kin__exchange *exchange = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 1);
    kin_test_run_child(&child, use_in_child, &f);
    assert_int_equal(child.exit_code, 0);
    inherited = exchange;
    kin_test_run_child(&child, read_in_child, NULL);
    assert_int_equal(child.exit_code, 0);
    /* The parent has lost nothing by it. */
    kin_test_http_release_all(f.server);
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "whole");
    transport_result_done(&result);
    transport_close(&f);
}

/* --- memory --- */

static int run_without_memory(void *arg, kin_error *err)
{
    kin_config config = {.server = kin__unconst(arg)};
    kin__transport_options options = {.config = &config, .clock = kin_clock_system()};
    kin__exchange_spec spec = transport_get("/");
    kin__transport *transport;
    kin__exchange *exchange;
    kin_str bytes;
    int code = kin__transport_new(&transport, &options, err);

    if (code < 0)
        return code;
    code = kin__transport_start(transport, &exchange, &spec, err);
    if (code == 0) {
        while (!kin__exchange_ended(exchange, &code, err)) {
            if (!kin__exchange_read(exchange, &bytes))
                assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
        }
        kin__exchange_unref(exchange);
    }
    kin__transport_free(transport);
    return code;
}

static void survives_without_memory(void **state)
{
    kin_test_http *server;

    (void)state;
    kin_test_http_start(&server, &(kin_test_http_options){0});
    kin_test_http_add_route(server,
                            &(kin_test_http_route){
                                .shape = KIN_TEST_HTTP_GZIP,
                                .fields = "Warning: 299 - \"a\"\r\nWarning: 299 - \"b\"\r\n",
                                .body = "compressed",
                            });
    kin_test_fail_each_allocation(run_without_memory, kin__unconst(kin_test_http_url(server)));
    kin_test_http_stop(server);
}

static void leaves_no_secret_behind(void **state)
{
    transport_fixture f = {0};
    kin__identity identity = {.generation = 1};
    kin__header header = {kin_str_of("X-Secret"), kin_str_of("hush-header")};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.proxy_url = NULL});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_NO_ANSWER});
    assert_code(kin__secret_set(&identity.authorization, kin_str_of("Bearer hush-token")), 0);
    spec.identity = &identity;
    spec.headers = &header;
    spec.n_headers = 1;
    kin_test_alloc_look_for("hush");
    transport_run(&f, &spec, &result);
    assert_code(result.code, KIN_ECONNECT);
    assert_null(strstr(result.err.message, "hush"));
    transport_result_done(&result);
    kin__secret_done(&identity.authorization);
    transport_close(&f);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

/* "/bye" is answered, and its connection is closed later; "/slow" is answered later; others are at once. */
struct closing {
    atomic_bool closes;
    atomic_bool answers;
};

static bool is_set(void *flag)
{
    return atomic_load((atomic_bool *)flag);
}

static void answer_and_close(kin_test_http_conn *conn, const kin_test_http_request *request,
                             void *arg)
{
    struct closing *closing = arg;

    if (strcmp(request->target, "/slow") == 0)
        kin_test_http_stall_until(conn, is_set, &closing->answers);
    kin_test_http_answer(conn, 200, "text/plain", "x");
    if (strcmp(request->target, "/bye") == 0) {
        kin_test_http_stall_until(conn, is_set, &closing->closes);
        kin_test_http_close(conn);
    }
}

static void run_get(transport_fixture *f, const char *target, enum kin__lane_kind kind)
{
    kin__exchange_spec spec = transport_get(target);
    transport_result result;

    spec.kind = kind;
    transport_run(f, &spec, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
}

/* One that the server has closed, and that libcurl has found: the others are kept all the same. */
static void connections_are_kept_beside_one_that_was_closed(void **state)
{
    struct closing closing = {false, false};
    transport_fixture f = {0};
    kin__exchange_spec slow = transport_get("/slow");
    kin__exchange *exchange;
    transport_result result;

    (void)state;
    transport_open(&f,
                   &(transport_setup){.server = {.handler = answer_and_close, .arg = &closing}});
    exchange = transport_start(&f, &slow);
    kin_test_http_await_requests(f.server, 1);
    run_get(&f, "/bye", KIN__LANE_SHORT);
    atomic_store(&closing.closes, true);
    kin_test_http_release(f.server, 0);
    kin_test_http_await_closed(f.server, 1);
    /* Meanwhile the end is noticed. */
    for (unsigned i = 0; i < 4; i++)
        run_get(&f, "/", KIN__LANE_LIST);
    run_get(&f, "/", KIN__LANE_SHORT);
    assert_int_equal(kin_test_http_count(f.server).connections, 4);
    atomic_store(&closing.answers, true);
    kin_test_http_release(f.server, 0);
    transport_finish(&f, exchange, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    /* Nothing is under way: now the lane would go. */
    run_get(&f, "/", KIN__LANE_SHORT);
    run_get(&f, "/", KIN__LANE_SHORT);
    assert_int_equal(kin_test_http_count(f.server).connections, 4);
    transport_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_cancelled_before_its_time),
        cmocka_unit_test(is_cancelled_while_resolving),
        cmocka_unit_test(is_cancelled_while_connecting),
        cmocka_unit_test(is_cancelled_in_the_handshake),
        cmocka_unit_test(is_cancelled_while_waiting_and_streaming),
        cmocka_unit_test(is_cancelled_while_paused),
        cmocka_unit_test(is_cancelled_by_its_last_user),
        cmocka_unit_test(free_ends_everything),
        cmocka_unit_test(what_ended_stays_readable),
        cmocka_unit_test(frees_what_was_never_used),
        cmocka_unit_test(is_freed_from_its_own_callback),
        cmocka_unit_test(is_told_before_libcurl_has_cleaned_up),
        cmocka_unit_test(notify_comes_once_until_somebody_looks),
        cmocka_unit_test(is_refused_in_a_forked_child),
        cmocka_unit_test(survives_without_memory),
        cmocka_unit_test(leaves_no_secret_behind),
        cmocka_unit_test(connections_are_kept_beside_one_that_was_closed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
