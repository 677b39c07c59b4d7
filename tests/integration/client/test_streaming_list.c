/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Streaming lists (watches with sendInitialEvents) and a consumer that is slow: all arrives, the server
 * waits, memory is bounded, and watches beside it go on. Against Go's HTTP/2 server, on which a stream
 * that nobody reads costs its client 32 MiB, and against a scripted one.
 */
#include "client_support.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "alloc.h"
#include "certificates.h"
#include "h2_server.h"

#define BYTES ((int64_t)80 * 1024 * 1024)
#define SELECTOR "bytes=83886080"
/* What the two kernels hold, ours, and the server's own buffers; a paused HTTP/2 stream is beyond. */
#define HELD_MAX ((int64_t)20 * 1024 * 1024)
/* The consumer rests before the first object, and then so often. */
#define RESTS 4
#define OBJECTS_PER_REST 256

struct consumer {
    kin_test_latch resting;
    kin_test_latch go_on;
    kin_test_latch synced; /* the bookmark came */
    kin_test_latch ended;
    unsigned n_rests;
    size_t n_objects;
    bool out_of_order;
    bool is_synced; /* the consumer's own */
    int code;
};

static void consumer_init(struct consumer *consumer)
{
    memset(consumer, 0, sizeof(*consumer));
    kin_test_latch_init(&consumer->resting);
    kin_test_latch_init(&consumer->go_on);
    kin_test_latch_init(&consumer->synced);
    kin_test_latch_init(&consumer->ended);
}

static void consumer_done(struct consumer *consumer)
{
    kin_test_latch_done(&consumer->resting);
    kin_test_latch_done(&consumer->go_on);
    kin_test_latch_done(&consumer->synced);
    kin_test_latch_done(&consumer->ended);
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    struct consumer *consumer = arg;
    char key[32];

    (void)err;
    /* It is a watch from then on; the main thread looks at what came before. */
    if (consumer->is_synced)
        return 0;
    if (type == KIN_WATCH_BOOKMARK) {
        consumer->is_synced = true;
        kin_test_latch_raise(&consumer->synced);
        return 0;
    }
    if (consumer->n_objects % OBJECTS_PER_REST == 0 && consumer->n_rests < RESTS) {
        kin_test_latch_raise(&consumer->resting);
        kin_test_latch_wait(&consumer->go_on, ++consumer->n_rests);
    }
    snprintf(key, sizeof(key), "ns/p%zu", consumer->n_objects++);
    if (strcmp(kin_object_key(object), key) != 0)
        consumer->out_of_order = true;
    return 0;
}

static void on_done(const kin_result *result, void *arg)
{
    struct consumer *consumer = arg;

    consumer->code = result->code;
    kin_test_latch_raise(&consumer->ended);
}

static kin_call *start_list(const client_fixture *f, struct consumer *consumer)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_call *call = NULL;

    options.send_initial_events = true;
    options.label_selector = SELECTOR;
    request.verb = KIN_VERB_WATCH;
    request.resource = f->pods;
    request.options = &options;
    handlers.event = on_event;
    handlers.done = on_done;
    handlers.arg = consumer;
    assert_code(kin_client_start(f->client, &call, &request, &handlers, NULL), 0);
    return call;
}

static int64_t peak_bytes(void)
{
    struct rusage usage;

    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}

/* What differs between the two servers. */
struct server {
    kin_test_h2 *h2;
    _Atomic int64_t *sent; /* of the scripted one */
    client_fixture f;
    client_told watch; /* beside the list */
    unsigned n_events;
};

static int64_t sent_of(struct server *server)
{
    return server->h2 ? kin_test_h2_count(server->h2, "sent") : *server->sent;
}

static void send_event(struct server *server)
{
    if (server->h2) {
        kin_test_h2_order(server->h2, "event {\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\","
                                      "\"metadata\":{\"name\":\"w\",\"resourceVersion\":\"1\"}}}");
    } else {
        kin_test_http_release(server->f.server, 1);
    }
    kin_test_latch_wait(&server->watch.told, ++server->n_events);
}

/* Until the server has sent no more for a while, in which the watch was served. */
static int64_t await_standstill(struct server *server)
{
    int64_t before = -1;
    int64_t sent = 0;

    for (int same = 0; same < 50;) {
        send_event(server);
        sent = sent_of(server);
        same = sent == before ? same + 1 : 0;
        before = sent;
    }
    return sent;
}

static void read_slowly(struct server *server)
{
    struct consumer consumer;
    int64_t before = peak_bytes();
    int64_t most = 0;

    consumer_init(&consumer);
    kin_call *list = start_list(&server->f, &consumer);
    for (unsigned rest = 1; rest <= RESTS; rest++) {
        kin_test_latch_wait(&consumer.resting, rest);
        int64_t held = await_standstill(server) - (int64_t)consumer.n_objects * 16384;

        most = held > most ? held : most;
        kin_test_latch_raise(&consumer.go_on);
    }
    kin_test_latch_wait(&consumer.synced, 1);
    int64_t grown = peak_bytes() - before;

    print_message("at most %lld KiB were on their way, the peak grew by %lld KiB\n",
                  (long long)most / 1024, (long long)grown / 1024);
    assert_true(most < HELD_MAX);
    /* Sanitizers keep what was freed. */
    if (!KIN_TEST_SANITIZED)
        assert_true(grown < HELD_MAX);
    assert_true((int64_t)consumer.n_objects * 16384 > (int64_t)64 * 1024 * 1024);
    assert_int_equal(sent_of(server) / (int64_t)consumer.n_objects / 16384, 1);
    assert_false(consumer.out_of_order);
    send_event(server);
    kin_call_cancel(list);
    kin_test_latch_wait(&consumer.ended, 1);
    assert_code(consumer.code, KIN_ECANCELED);
    kin_call_unref(list);
    consumer_done(&consumer);
}

static void a_slow_consumer_holds_up_an_http2_server(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec pods = KIN_RESOURCE_SPEC_INIT;
    struct server server = {.sent = NULL};
    const char *why = kin_test_h2_start(
        &server.h2,
        &(kin_test_h2_options){.certificate_file = kin_test_group_pki->server.certificate_file,
                               .key_file = kin_test_group_pki->server.key_file,
                               .standard = true});

    (void)state;
    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    config.server = kin_test_h2_url(server.h2);
    config.ca_file = kin_test_group_pki->ca.certificate_file;
    assert_code(kin_config_new(&options.config, &config, NULL), 0);
    assert_code(kin_client_new(&server.f.client, &options, NULL), 0);
    kin_config_unref(options.config);
    pods.version = "v1";
    pods.resource = "pods";
    assert_code(kin_resource_new(&server.f.pods, &pods, NULL), 0);

    client_told_init(&server.watch);
    kin_call *watch = client_start(&server.f, KIN_VERB_WATCH, &server.watch, NULL);
    kin_test_h2_await(server.h2, "watches", 1);
    read_slowly(&server);
    /* The list had a connection of its own, not of HTTP/2. */
    assert_int_equal(kin_test_h2_count(server.h2, "connections"), 2);
    assert_int_equal(kin_test_h2_count(server.h2, "not_h2"), 1);
    kin_call_cancel(watch);
    client_assert_ended(&server.watch, KIN_ECANCELED);
    kin_call_unref(watch);
    client_told_done(&server.watch);
    kin_client_free(server.f.client);
    kin_resource_unref(server.f.pods);
    kin_test_h2_stop(server.h2);
}

/* --- the scripted server --- */

static void send_pods(kin_test_http_conn *conn, _Atomic int64_t *sent)
{
    static char stuffing[16384 + 1];
    static char event[sizeof(stuffing) + 512];
    int n = 0;

    memset(stuffing, 's', sizeof(stuffing) - 1);
    for (; *sent < BYTES; n++) {
        int len = snprintf(event, sizeof(event),
                           "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Pod\",\"metadata\":{"
                           "\"name\":\"p%d\",\"namespace\":\"ns\",\"resourceVersion\":\"%d\","
                           "\"annotations\":{\"stuffing\":\"%s\"}}}}\n",
                           n, n + 1, stuffing);

        if (!kin_test_http_chunk(conn, event, (size_t)len))
            return;
        *sent += len;
    }
    kin_test_http_chunk_text(conn, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\","
                                   "\"metadata\":{\"resourceVersion\":\"1\",\"annotations\":{"
                                   "\"k8s.io/initial-events-end\":\"true\"}}}}\n");
    kin_test_http_wait_for_client_close(conn);
}

static void serve(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    if (strstr(request->target, "sendInitialEvents")) {
        send_pods(conn, arg);
        return;
    }
    while (kin_test_http_stall(conn)) {
        if (!kin_test_http_chunk_text(conn, EVENT("ADDED", "w", "1")))
            return;
    }
}

static void hold_up_a_scripted_server(const kin_test_tls *tls)
{
    _Atomic int64_t sent = 0;
    struct server server = {.sent = &sent};

    client_open(&server.f, NULL,
                &(kin_test_http_options){.handler = serve, .arg = &sent, .tls = *tls});
    client_told_init(&server.watch);
    kin_call *watch = client_start(&server.f, KIN_VERB_WATCH, &server.watch, NULL);
    read_slowly(&server);
    kin_call_cancel(watch);
    client_assert_ended(&server.watch, KIN_ECANCELED);
    kin_call_unref(watch);
    client_told_done(&server.watch);
    client_close(&server.f);
}

static void a_slow_consumer_holds_up_a_plain_server(void **state)
{
    (void)state;
    hold_up_a_scripted_server(&(kin_test_tls){.certificate = NULL});
}

static void a_slow_consumer_holds_up_a_tls_server(void **state)
{
    (void)state;
    hold_up_a_scripted_server(&(kin_test_tls){.certificate = kin_test_group_pki->server.certificate,
                                              .key = kin_test_group_pki->server.key});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_slow_consumer_holds_up_an_http2_server),
        client_test(a_slow_consumer_holds_up_a_plain_server),
        client_test(a_slow_consumer_holds_up_a_tls_server),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
