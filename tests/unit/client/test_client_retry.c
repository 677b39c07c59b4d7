/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is tried again, when, and when no more; and when a request is sent at all. All times are of
 * a fake clock. Requests have no timeout where none is tested, so that who waits on the clock waits
 * for the next try.
 */
#include "client_support.h"

#include <openssl/tls1.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/compiler.h"
#include "certificates.h"
#include "kinform/memory.h"

struct scene {
    client_fixture f;
    kin_clock *clock;
    client_told told;
    const kin_object *pod;
};

static void scene_open(struct scene *scene, kin_client_options options,
                       const kin_test_http_options *server, const kin_config_options *config)
{
    scene->clock = client_fake_clock();
    options.clock = scene->clock;
    if (!options.timeout_ms)
        options.timeout_ms = -1;
    client_open_as(&scene->f, &options, server, config);
    client_told_init(&scene->told);
    scene->pod = client_object(POD);
}

static void scene_close(struct scene *scene)
{
    client_close(&scene->f);
    client_told_done(&scene->told);
    kin_object_unref(scene->pod);
    kin_clock_unref(scene->clock);
}

static const kin_client_options plain = KIN_CLIENT_OPTIONS_INIT;

/* A get, or a create. */
static void start(struct scene *scene, enum kin_verb verb, const kin_request_options *options)
{
    kin_call_handlers handlers = client_told_handlers(&scene->told);
    kin_request request = KIN_REQUEST_INIT;

    if (verb != KIN_VERB_CREATE) {
        kin_call_unref(client_start(&scene->f, verb, &scene->told, options));
        return;
    }
    request.verb = verb;
    request.resource = scene->f.pods;
    request.object = scene->pod;
    request.options = options;
    assert_code(kin_client_start(scene->f.client, NULL, &request, &handlers, NULL), 0);
}

static unsigned n_requests(struct scene *scene)
{
    return kin_test_http_count(scene->f.server).requests;
}

/* `n` requests have come; the next one waits, not 1 ms less than `ms`. */
static void assert_waits(struct scene *scene, unsigned n, int64_t ms)
{
    kin_test_http_await_requests(scene->f.server, n);
    client_advance(scene->clock, 1, ms - 1);
    assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(n_requests(scene), n);
    assert_int_equal(scene->told.n_done, 0);
    client_advance(scene->clock, 1, 1);
}

static void add_busy(struct scene *scene, unsigned times, int status, const char *fields)
{
    kin_test_http_add_route(scene->f.server,
                            &(kin_test_http_route){.times = times,
                                                   .status = status,
                                                   .fields = fields,
                                                   .body = STATUS(429, "TooManyRequests")});
}

/* --- the server says when --- */

static void a_busy_server_is_asked_again_when_it_says(void **state)
{
    static const enum kin_verb verbs[] = {KIN_VERB_GET, KIN_VERB_CREATE, KIN_VERB_DELETE};
    static const int statuses[] = {429, 503, 500};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct scene scene;

        scene_open(&scene, plain, NULL, NULL);
        add_busy(&scene, 2, statuses[i], "Retry-After: 10\r\n");
        client_route(&scene.f, NULL, NULL, 200, POD);
        start(&scene, verbs[i], NULL);
        assert_waits(&scene, 1, 10000);
        assert_waits(&scene, 2, 10000);
        client_assert_ended(&scene.told, 0);
        assert_int_equal(n_requests(&scene), 3);
        /* Each try is the same request. */
        const kin_test_http_request *first = kin_test_http_request_at(scene.f.server, 0);
        const kin_test_http_request *last = kin_test_http_request_at(scene.f.server, 2);
        assert_string_equal(first->target, last->target);
        assert_string_equal(first->method, last->method);
        assert_string_equal(first->body, last->body);
        scene_close(&scene);
    }
}

static void a_server_that_does_not_say_when_is_not_asked_again(void **state)
{
    static const int statuses[] = {429, 500, 503};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        struct scene scene;

        scene_open(&scene, plain, NULL, NULL);
        kin_test_http_add_route(scene.f.server,
                                &(kin_test_http_route){.status = statuses[i], .body = "no"});
        start(&scene, KIN_VERB_GET, NULL);
        client_assert_ended(&scene.told, KIN_ESERVER);
        assert_int_equal(scene.told.err.http_status, statuses[i]);
        assert_int_equal(n_requests(&scene), 1);
        scene_close(&scene);
    }
    struct scene scene;
    scene_open(&scene, plain, NULL, NULL);
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.status = 404,
                                                   .fields = "Retry-After: 0\r\n",
                                                   .body = STATUS(404, "NotFound")});
    start(&scene, KIN_VERB_GET, NULL);
    client_assert_ended(&scene.told, KIN_ENOTFOUND);
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);
}

static void tries_are_counted(void **state)
{
    static const struct {
        int max_retries;
        unsigned requests;
    } cases[] = {{0, 11}, {3, 4}, {-1, 1}};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        kin_client_options options = plain;
        struct scene scene;

        options.max_retries = cases[i].max_retries;
        scene_open(&scene, options, NULL, NULL);
        add_busy(&scene, 0, 429, "Retry-After: 0\r\n");
        start(&scene, KIN_VERB_GET, NULL);
        client_assert_ended(&scene.told, KIN_ESERVER);
        assert_int_equal(scene.told.err.http_status, 429);
        assert_int_equal(scene.told.status_code, 429);
        assert_int_equal(n_requests(&scene), cases[i].requests);
        scene_close(&scene);
    }
}

/* --- deadlines --- */

static void a_try_behind_the_deadline_is_not_waited_for(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct scene scene;

    (void)state;
    scene_open(&scene, plain, NULL, NULL);
    add_busy(&scene, 2, 503, "Retry-After: 0\r\n");
    add_busy(&scene, 0, 503, "Retry-After: 25\r\n");
    options.timeout_ms = 25000;
    start(&scene, KIN_VERB_GET, &options);
    client_assert_ended(&scene.told, KIN_ESERVER);
    assert_int_equal(scene.told.err.http_status, 503);
    assert_int_equal(scene.told.err.retry_after_ms, 25000);
    assert_int_equal(n_requests(&scene), 3);
    assert_non_null(strstr(kin_test_http_request_at(scene.f.server, 0)->target, "timeout=25s"));
    scene_close(&scene);
}

static void a_silent_server_is_waited_for_until_the_deadline(void **state)
{
    kin_client_options options = plain;
    struct scene scene;

    (void)state;
    options.timeout_ms = 7000;
    scene_open(&scene, options, NULL, NULL);
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    start(&scene, KIN_VERB_GET, NULL);
    kin_test_http_await_stalled(scene.f.server, 1);
    client_advance(scene.clock, 1, 6999);
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(scene.told.n_done, 0);
    client_advance(scene.clock, 1, 1);
    client_assert_ended(&scene.told, KIN_ETIMEOUT);
    assert_int_equal(n_requests(&scene), 1);
    assert_non_null(strstr(kin_test_http_request_at(scene.f.server, 0)->target, "timeout=7s"));
    scene_close(&scene);
}

/* --- connections --- */

static void nobody_is_tried_again_who_is_not_there(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene, plain, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, POD);
    kin_test_http_close_listener(scene.f.server);
    start(&scene, KIN_VERB_GET, NULL);
    client_assert_ended(&scene.told, KIN_ECONNECT);
    assert_true(scene.told.err.flags & KIN_ERROR_RETRIABLE);
    kin_test_http_open_listener(scene.f.server);
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, NULL), 0);
    scene_close(&scene);
}

static void a_lost_connection_is_for_reads_to_try_again(void **state)
{
    static const kin_test_http_shape shapes[] = {KIN_TEST_HTTP_NO_ANSWER,
                                                 KIN_TEST_HTTP_RESET_ANSWER,
                                                 KIN_TEST_HTTP_HALF_HEAD, KIN_TEST_HTTP_SHORT};

    (void)state;
    for (size_t i = 0; i < kin__array_len(shapes); i++) {
        /* On a connection of its own, and on one that was used before. */
        for (int used = 0; used < 2; used++) {
            struct scene scene;

            scene_open(&scene, plain, NULL, NULL);
            if (used) {
                client_route(&scene.f, NULL, "/version", 200, "{}");
                char *text = NULL;
                assert_code(kin_client_get_text(scene.f.client, &text, NULL, "/version", NULL), 0);
                kin_free(text);
            }
            kin_test_http_add_route(
                scene.f.server,
                &(kin_test_http_route){.times = 1, .shape = shapes[i], .body = POD});
            client_route(&scene.f, NULL, NULL, 200, POD);
            start(&scene, KIN_VERB_CREATE, NULL);
            client_assert_ended(&scene.told, KIN_ECONNECT);
            assert_int_equal(n_requests(&scene), (unsigned)(1 + used));
            scene_close(&scene);
        }
        struct scene scene;
        scene_open(&scene, plain, NULL, NULL);
        kin_test_http_add_route(
            scene.f.server, &(kin_test_http_route){.times = 1, .shape = shapes[i], .body = POD});
        client_route(&scene.f, NULL, NULL, 200, POD);
        start(&scene, KIN_VERB_GET, NULL);
        assert_waits(&scene, 1, 1000);
        client_assert_ended(&scene.told, 0);
        assert_int_equal(n_requests(&scene), 2);
        scene_close(&scene);
    }
}

/*
 * Where nothing but the end of the connection ends a body, the document says whether it is whole. With
 * a length the server has said that it is.
 */
static void a_read_that_was_cut_off_is_tried_again(void **state)
{
    static const struct {
        enum kin_verb verb;
        const char *body;
    } cases[] = {
        {KIN_VERB_GET,
         "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82\"}}"},
        {KIN_VERB_LIST, LIST("", "")},
        {KIN_VERB_WATCH, "{\"type\":"}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        for (size_t len = 0; len < strlen(cases[i].body); len++) {
            struct scene scene;

            scene_open(&scene, plain, NULL, NULL);
            /* An empty body is as good as none for a watch only. */
            kin_test_http_add_route(scene.f.server,
                                    &(kin_test_http_route){.times = 1,
                                                           .shape = KIN_TEST_HTTP_UNTIL_CLOSE,
                                                           .body = len ? cases[i].body : NULL,
                                                           .body_len = len});
            client_route(&scene.f, NULL, NULL, 200,
                         cases[i].verb == KIN_VERB_WATCH ? "" : cases[i].body);
            start(&scene, cases[i].verb, NULL);
            if (len > 0 || cases[i].verb != KIN_VERB_WATCH)
                assert_waits(&scene, 1, 1000);
            client_assert_ended(&scene.told, 0);
            scene_close(&scene);
        }
    }
    struct scene scene;
    scene_open(&scene, plain, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, "{\"kind\":\"Pod\"");
    start(&scene, KIN_VERB_GET, NULL);
    client_assert_ended(&scene.told, KIN_EPARSE);
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);
    /* What is malformed stays so. */
    scene_open(&scene, plain, NULL, NULL);
    kin_test_http_add_route(
        scene.f.server,
        &(kin_test_http_route){.shape = KIN_TEST_HTTP_UNTIL_CLOSE, .body = "{\"kind\":x}"});
    start(&scene, KIN_VERB_GET, NULL);
    client_assert_ended(&scene.told, KIN_EPARSE);
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);
}

/* Bytes behind the first answer that come late. */
static void answer_with_surplus(kin_test_http_conn *conn, const kin_test_http_request *request,
                                void *arg)
{
    (void)arg;
    if (request->connection == 0 && request->number == 1)
        kin_test_http_raw_text(conn, "surplus\r\n");
    kin_test_http_answer(conn, 200, "application/json", POD);
}

static void a_read_behind_surplus_bytes_is_tried_again(void **state)
{
    static const struct {
        enum kin_verb verb;
        int code;
        unsigned requests;
    } cases[] = {{KIN_VERB_GET, 0, 3}, {KIN_VERB_CREATE, KIN_ECONNECT, 2}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct scene scene;

        scene_open(&scene, plain, &(kin_test_http_options){.handler = answer_with_surplus}, NULL);
        assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, NULL), 0);
        start(&scene, cases[i].verb, NULL);
        if (cases[i].code == 0)
            assert_waits(&scene, 2, 1000);
        client_assert_ended(&scene.told, cases[i].code);
        assert_int_equal(n_requests(&scene), cases[i].requests);
        scene_close(&scene);
    }
}

static void nothing_is_tried_again_that_was_told(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene, plain, NULL, NULL);
    kin_test_http_add_route(
        scene.f.server,
        &(kin_test_http_route){.times = 1, .body = PODS, .size = 10, .shape = KIN_TEST_HTTP_SHORT});
    start(&scene, KIN_VERB_LIST, NULL);
    client_assert_ended(&scene.told, KIN_ECONNECT);
    assert_string_equal(scene.told.seen.text, "ns/a ns/b");
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);

    /* A list that was cut off before its first item is as good as not begun. */
    scene_open(&scene, plain, NULL, NULL);
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.times = 1,
                                                   .body = "{\"metadata\":{\"resourceVersion\":",
                                                   .size = 10,
                                                   .shape = KIN_TEST_HTTP_SHORT});
    client_route(&scene.f, NULL, NULL, 200, PODS);
    start(&scene, KIN_VERB_LIST, NULL);
    assert_waits(&scene, 1, 1000);
    client_assert_ended(&scene.told, 0);
    assert_string_equal(scene.told.seen.text, "ns/a ns/b");
    scene_close(&scene);
}

/* --- watches --- */

static void a_watch_is_tried_again_before_it_is_answered(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene, plain, NULL, NULL);
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.times = 1,
                                                   .status = 429,
                                                   .fields = "Retry-After: 2\r\n",
                                                   .body = STATUS(429, "TooManyRequests")});
    client_route(&scene.f, NULL, NULL, 200, EVENT("ADDED", "a", "1"));
    start(&scene, KIN_VERB_WATCH, NULL);
    client_advance(scene.clock, 1, 2000);
    client_assert_ended(&scene.told, 0);
    assert_string_equal(scene.told.seen.text, "ADDED:a");
    assert_int_equal(n_requests(&scene), 2);
    scene_close(&scene);
}

static void tell_once(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, EVENT("ADDED", "a", "1"));
    kin_test_http_wait_for_client_close(conn);
}

static void a_silent_watch_is_dead(void **state)
{
    static const struct {
        int64_t idle_ms;    /* the client's option */
        int64_t timeout_ms; /* what the server was asked for */
        int64_t silence;    /* after which it is; -1: never */
    } cases[] = {{5000, 0, 5000}, {5000, 600000, 5000}, {0, 1000, 91000}, {-1, 1000, -1}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_request_options asked = KIN_REQUEST_OPTIONS_INIT;
        kin_client_options options = plain;
        struct scene scene;
        kin_call *call;

        options.watch_idle_ms = cases[i].idle_ms;
        asked.watch_timeout_ms = cases[i].timeout_ms;
        scene_open(&scene, options, &(kin_test_http_options){.handler = tell_once}, NULL);
        call = client_start(&scene.f, KIN_VERB_WATCH, &scene.told, &asked);
        kin_test_latch_wait(&scene.told.told, 1);
        if (cases[i].silence < 0) {
            client_advance(scene.clock, 0, INT64_C(86400000));
            kin_call_cancel(call);
            client_assert_ended(&scene.told, KIN_ECANCELED);
        } else {
            client_advance(scene.clock, 1, cases[i].silence - 1);
            assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
            assert_int_equal(scene.told.n_done, 0);
            client_advance(scene.clock, 1, 1);
            client_assert_ended(&scene.told, KIN_ECONNECT);
        }
        kin_call_unref(call);
        scene_close(&scene);
    }
}

/* --- credentials --- */

struct guard {
    _Atomic(const char *) wanted;
};

static void want_token(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct guard *guard = arg;
    const char *given = kin_test_http_field_of(request, "Authorization");

    if (given && strcmp(given, guard->wanted) == 0)
        kin_test_http_answer(conn, 200, "application/json", POD);
    else
        kin_test_http_answer(conn, 401, "application/json", STATUS(401, "Unauthorized"));
}

static void a_token_is_refreshed_once(void **state)
{
    char path[] = "/tmp/kin-token-XXXXXX";
    struct guard guard = {.wanted = "Bearer old"};
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct scene scene;
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    close(fd);
    kin_test_replace_file(path, "old");
    config.token_file = path;
    scene_open(&scene, plain, &(kin_test_http_options){.handler = want_token, .arg = &guard},
               &config);
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, &err), 0);
    assert_int_equal(n_requests(&scene), 1);

    kin_test_replace_file(path, "new");
    guard.wanted = "Bearer new";
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, &err), 0);
    assert_int_equal(n_requests(&scene), 3);
    assert_string_equal(
        kin_test_http_field_of(kin_test_http_request_at(scene.f.server, 1), "Authorization"),
        "Bearer old");

    guard.wanted = "Bearer other";
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, &err),
                KIN_EDENIED);
    assert_int_equal(err.http_status, 401);
    assert_null(strstr(err.message, "new"));
    assert_int_equal(n_requests(&scene), 5);
    scene_close(&scene);
    unlink(path);
}

static void copy_file(char *path, const char *text)
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    close(fd);
    kin_test_replace_file(path, text);
}

static int get(struct scene *scene)
{
    return kin_client_get(scene->f.client, NULL, scene->f.pods, "ns", "web", NULL, NULL);
}

static int create(struct scene *scene)
{
    return kin_client_create(scene->f.client, NULL, scene->f.pods, NULL, scene->pod, NULL, NULL);
}

/* Others from now on, also for those who are connected. */
static void rotate(struct scene *scene, const kin_test_tls *tls)
{
    kin_test_http_set_tls(scene->f.server, tls);
    kin_test_http_close_connections(scene->f.server);
    kin_test_http_await_open(scene->f.server, 0);
}

static unsigned n_handshakes(struct scene *scene)
{
    kin_test_http_counts counts = kin_test_http_count(scene->f.server);

    return counts.handshakes + counts.failed_handshakes;
}

/* Files are looked at every ten seconds; a connection that fails does not wait for that. */
static void a_ca_is_read_again_if_the_server_is_not_trusted(void **state)
{
    char path[] = "/tmp/kin-ca-XXXXXX";
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_test_http_options server = {0};
    kin_test_pki *pki;
    struct scene scene;

    (void)state;
    kin_test_pki_new(&pki);
    server.tls = (kin_test_tls){.certificate = pki->server.certificate, .key = pki->server.key};
    copy_file(path, pki->ca.certificate);
    config.ca_file = path;
    scene_open(&scene, plain, &server, &config);
    client_route(&scene.f, NULL, NULL, 200, POD);
    assert_code(get(&scene), 0);

    client_advance(scene.clock, 0, 1000);
    server.tls =
        (kin_test_tls){.certificate = pki->other_server.certificate, .key = pki->other_server.key};
    rotate(&scene, &server.tls);
    kin_test_replace_file(path, pki->other_ca.certificate);
    assert_code(get(&scene), 0);

    /* Nothing new: no second try. Nor just now. */
    for (int64_t ms = 1000; ms <= 1999; ms += 999) {
        unsigned n;

        client_advance(scene.clock, 0, ms);
        server.tls = (kin_test_tls){.certificate = pki->server.certificate, .key = pki->server.key};
        rotate(&scene, &server.tls);
        n = n_handshakes(&scene);
        assert_code(get(&scene), KIN_ETLS);
        kin_test_http_await_connections(scene.f.server, n + 1);
        kin_test_http_await_open(scene.f.server, 0);
        assert_int_equal(n_handshakes(&scene), n + 1);
    }
    /* Nothing was sent, so writes are tried, too. */
    client_advance(scene.clock, 0, 1000);
    kin_test_replace_file(path, pki->ca.certificate);
    assert_code(create(&scene), 0);
    scene_close(&scene);
    unlink(path);
    kin_test_pki_free(pki);
}

/* With TLS 1.3 a server that wants another certificate says so when the request was sent. */
static void a_certificate_is_read_again_if_it_is_refused(void **state)
{
    (void)state;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        char certificate[] = "/tmp/kin-crt-XXXXXX";
        char key[] = "/tmp/kin-key-XXXXXX";
        kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
        kin_test_http_options server = {0};
        kin_test_pki *pki;
        struct scene scene;

        kin_test_pki_new(&pki);
        server.tls = (kin_test_tls){.certificate = pki->server.certificate,
                                    .key = pki->server.key,
                                    .client_ca = pki->ca.certificate,
                                    .require_client_certificate = true,
                                    .max_version = version};
        copy_file(certificate, pki->client.certificate);
        copy_file(key, pki->client.key);
        config.certificate_file = certificate;
        config.key_file = key;
        config.ca_file = pki->ca.certificate_file;
        scene_open(&scene, plain, &server, &config);
        client_route(&scene.f, NULL, NULL, 200, POD);
        assert_code(get(&scene), 0);

        client_advance(scene.clock, 0, 1000);
        server.tls.client_ca = pki->other_ca.certificate;
        rotate(&scene, &server.tls);
        kin_test_replace_file(certificate, pki->other_client.certificate);
        kin_test_replace_file(key, pki->other_client.key);
        /* What a write has done nobody knows, whether the reason has come through or not. */
        if (version == TLS1_3_VERSION)
            assert_true(create(&scene) < 0);
        assert_code(get(&scene), 0);
        assert_int_equal(n_requests(&scene), 2);
        scene_close(&scene);
        unlink(certificate);
        unlink(key);
        kin_test_pki_free(pki);
    }
}

/* --- the rate limit --- */

static void requests_are_limited_and_watches_are_not(void **state)
{
    enum { N = 5 };
    kin_client_options options = plain;
    client_told told[N];
    client_told watch;
    struct scene scene;

    (void)state;
    options.qps = 1;
    options.burst = 2;
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, "/api/v1/namespaces/ns/pods/*", 200, POD);
    client_route(&scene.f, NULL, NULL, 200, EVENT("ADDED", "a", "1"));
    for (size_t i = 0; i < N; i++) {
        client_told_init(&told[i]);
        kin_call_unref(client_start(&scene.f, KIN_VERB_GET, &told[i], NULL));
        if (i < 2)
            client_assert_ended(&told[i], 0);
        else
            /* Turns are given in the order of the starts, if each has one before the next. */
            assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    }
    for (int i = 0; i < 3; i++) {
        client_told_init(&watch);
        kin_call_unref(client_start(&scene.f, KIN_VERB_WATCH, &watch, NULL));
        client_assert_ended(&watch, 0);
        client_told_done(&watch);
    }
    assert_int_equal(n_requests(&scene), 5);
    for (unsigned i = 2; i < N; i++) {
        client_advance(scene.clock, 1, 999);
        assert_int_equal(n_requests(&scene), i + 3);
        client_advance(scene.clock, 1, 1);
        kin_test_http_await_requests(scene.f.server, i + 4);
    }
    for (size_t i = 0; i < N; i++) {
        client_assert_ended(&told[i], 0);
        client_told_done(&told[i]);
    }
    scene_close(&scene);
}

/* What was sent has had its turn, even if no time has passed since. */
static void a_turn_is_given_back_by_who_waits_for_it(void **state)
{
    kin_client_options options = plain;
    client_told told[3];
    struct scene scene;
    kin_call *call;

    (void)state;
    options.qps = 1;
    options.burst = 1;
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, POD);
    for (int i = 0; i < 3; i++)
        client_told_init(&told[i]);
    kin_call_unref(client_start(&scene.f, KIN_VERB_GET, &told[0], NULL));
    client_assert_ended(&told[0], 0);
    for (int i = 0; i < 10; i++) {
        client_told other;

        client_told_init(&other);
        call = client_start(&scene.f, KIN_VERB_GET, &other, NULL);
        assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        kin_call_cancel(call);
        kin_call_unref(call);
        client_assert_ended(&other, KIN_ECANCELED);
        client_told_done(&other);
    }
    kin_call_unref(client_start(&scene.f, KIN_VERB_GET, &told[1], NULL));
    assert_waits(&scene, 1, 1000);
    client_assert_ended(&told[1], 0);
    assert_int_equal(n_requests(&scene), 2);
    for (int i = 0; i < 3; i++)
        client_told_done(&told[i]);
    scene_close(&scene);
}

static void a_turn_that_comes_too_late_is_not_waited_for(void **state)
{
    kin_request_options late = KIN_REQUEST_OPTIONS_INIT;
    kin_client_options options = plain;
    kin_error err = KIN_ERROR_INIT;
    struct scene scene;

    (void)state;
    options.qps = 0.1;
    options.burst = 1;
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, POD);
    late.timeout_ms = 9999;
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", &late, &err), 0);
    for (int i = 0; i < 3; i++) {
        assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", &late, &err),
                    KIN_ETIMEOUT);
        assert_non_null(strstr(err.message, "rate limit"));
    }
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);
}

struct waits {
    size_t n_warned, n_told;
    char path[128];
    int64_t ms;
};

static void note_wait(const kin_log_record *record, void *arg)
{
    struct waits *waits = arg;

    if (!strstr(record->message, "rate limit"))
        return;
    if (record->level == KIN_LOG_WARN)
        waits->n_warned++;
    waits->n_told++;
    for (size_t i = 0; i < record->n_fields; i++) {
        const kin_log_field *field = &record->fields[i];

        if (strcmp(field->key, "path") == 0)
            snprintf(waits->path, sizeof(waits->path), "%" KIN_STR_FMT,
                     KIN_STR_ARG(field->value.str));
        if (strcmp(field->key, "ms") == 0)
            waits->ms = field->value.i64;
    }
}

/* One request at a time, each waits for two seconds. */
static void a_long_wait_is_logged(void **state)
{
    enum { N = 8 };
    kin_client_options options = plain;
    kin_request_options selected = KIN_REQUEST_OPTIONS_INIT;
    struct waits waits = {0, 0, "", 0};
    struct scene scene;

    (void)state;
    options.qps = 0.5;
    options.burst = 1;
    selected.label_selector = "hush";
    assert_code(kin_logger_new(&options.logger, KIN_LOG_DEBUG, note_wait, &waits, NULL, NULL), 0);
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, PODS);
    for (size_t i = 0; i < N; i++) {
        client_told told;

        client_told_init(&told);
        kin_call_unref(client_start(&scene.f, KIN_VERB_LIST, &told, &selected));
        if (i > 0)
            client_advance(scene.clock, 1, 2000);
        client_assert_ended(&told, 0);
        client_told_done(&told);
    }
    scene_close(&scene);
    kin_logger_unref(options.logger);
    /* The second and the seventh request, ten seconds later, are warned of. */
    assert_int_equal(waits.n_told, N - 1);
    assert_int_equal(waits.n_warned, 2);
    assert_string_equal(waits.path, "/api/v1/pods");
    assert_int_equal(waits.ms, 2000);
}

static void a_short_wait_is_not_logged(void **state)
{
    kin_client_options options = plain;
    struct waits waits = {0, 0, "", 0};
    struct scene scene;

    (void)state;
    options.qps = 1;
    options.burst = 1;
    assert_code(kin_logger_new(&options.logger, KIN_LOG_DEBUG, note_wait, &waits, NULL, NULL), 0);
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, PODS);
    for (size_t i = 0; i < 3; i++) {
        client_told told;

        client_told_init(&told);
        kin_call_unref(client_start(&scene.f, KIN_VERB_LIST, &told, NULL));
        if (i > 0)
            client_advance(scene.clock, 1, 1000);
        client_assert_ended(&told, 0);
        client_told_done(&told);
    }
    scene_close(&scene);
    kin_logger_unref(options.logger);
    assert_int_equal(waits.n_told, 0);
}

/*
 * 40 gets in a row used to take 6 s with the defaults. A turn that comes after the timeout is refused, so
 * none of them had to wait.
 */
static void forty_requests_do_not_wait(void **state)
{
    kin_request_options soon = KIN_REQUEST_OPTIONS_INIT;
    kin_client_options options = plain;
    struct scene scene;

    (void)state;
    options.qps = 1e-12; /* the default, which the fixture would replace */
    soon.timeout_ms = 1;
    scene_open(&scene, options, NULL, NULL);
    client_route(&scene.f, NULL, NULL, 200, POD);
    for (int i = 0; i < 40; i++)
        assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", &soon, NULL),
                    0);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_long_wait_is_logged),
        client_test(a_short_wait_is_not_logged),
        client_test(forty_requests_do_not_wait),
        client_test(a_busy_server_is_asked_again_when_it_says),
        client_test(a_server_that_does_not_say_when_is_not_asked_again),
        client_test(tries_are_counted),
        client_test(a_try_behind_the_deadline_is_not_waited_for),
        client_test(a_silent_server_is_waited_for_until_the_deadline),
        client_test(nobody_is_tried_again_who_is_not_there),
        client_test(a_lost_connection_is_for_reads_to_try_again),
        client_test(a_read_that_was_cut_off_is_tried_again),
        client_test(a_read_behind_surplus_bytes_is_tried_again),
        client_test(nothing_is_tried_again_that_was_told),
        client_test(a_watch_is_tried_again_before_it_is_answered),
        client_test(a_silent_watch_is_dead),
        client_test(a_token_is_refreshed_once),
        client_test(a_ca_is_read_again_if_the_server_is_not_trusted),
        client_test(a_certificate_is_read_again_if_it_is_refused),
        client_test(requests_are_limited_and_watches_are_not),
        client_test(a_turn_is_given_back_by_who_waits_for_it),
        client_test(a_turn_that_comes_too_late_is_not_waited_for),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
