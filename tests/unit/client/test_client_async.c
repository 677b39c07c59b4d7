/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that nobody waits for: what they tell, in which order, and how they share workers. How
 * they are ended is tested by test_client_end.c.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"

static const struct {
    enum kin_verb verb;
    const char *method;
    const char *body;
    const char *seen;
    const char *key; /* of the result; NULL: there is none */
} verbs[] = {
    {KIN_VERB_GET, "GET", POD, "", "ns/web"},
    {KIN_VERB_LIST, "GET", PODS, "ns/a ns/b", ""},
    {KIN_VERB_WATCH, "GET", EVENT("ADDED", "a", "1") EVENT("DELETED", "a", "2"),
     "ADDED:a DELETED:a", NULL},
    {KIN_VERB_CREATE, "POST", POD, "", "ns/web"},
    {KIN_VERB_UPDATE, "PUT", POD, "", "ns/web"},
    {KIN_VERB_PATCH, "PATCH", POD, "", "ns/web"},
    {KIN_VERB_DELETE, "DELETE", POD, "", "ns/web"},
    {KIN_VERB_DELETE_COLLECTION, "DELETE", PODS, "", ""},
};

static void every_verb_ends_once_and_last(void **state)
{
    const kin_object *pod = client_object(POD);

    (void)state;
    for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
        client_fixture f;
        client_told told;
        kin_request request = KIN_REQUEST_INIT;
        kin_error err = KIN_ERROR_INIT;
        bool has_name = verbs[i].verb == KIN_VERB_GET || verbs[i].verb == KIN_VERB_PATCH ||
                        verbs[i].verb == KIN_VERB_DELETE;

        client_open(&f, NULL, NULL);
        client_told_init(&told);
        client_route(&f, verbs[i].method, NULL, 200, verbs[i].body);
        kin_call_handlers handlers = client_told_handlers(&told);
        request.verb = verbs[i].verb;
        request.resource = f.pods;
        request.namespace_ = "ns";
        request.name = has_name ? "web" : NULL;
        request.object = pod;
        request.patch = kin_str_of("{}");
        assert_code(kin_client_start(f.client, NULL, &request, &handlers, &err), 0);
        client_assert_ended(&told, 0);
        assert_string_equal(told.seen.text, verbs[i].seen);
        assert_int_equal(told.has_object, verbs[i].key != NULL);
        assert_string_equal(told.key, verbs[i].key ? verbs[i].key : "");
        client_close(&f);
        client_told_done(&told);
    }
    kin_object_unref(pod);
}

static void a_failure_is_told_with_its_status(void **state)
{
    client_fixture f;
    client_told told;

    (void)state;
    client_open(&f, NULL, NULL);
    client_told_init(&told);
    client_route(&f, NULL, NULL, 409, STATUS(409, "Conflict"));
    kin_call_unref(client_start(&f, KIN_VERB_DELETE, &told, NULL));
    client_assert_ended(&told, KIN_ECONFLICT);
    assert_int_equal(told.status_code, 409);
    assert_string_equal(told.err.reason, "Conflict");
    assert_false(told.has_object);
    client_close(&f);
    client_told_done(&told);
}

static void nothing_is_told_of_what_was_not_started(void **state)
{
    client_fixture f;
    client_told told;
    kin_call *call = NULL;

    (void)state;
    client_open(&f, NULL, NULL);
    client_told_init(&told);
    for (int i = 0; i < 12; i++) {
        kin_call_handlers handlers = client_told_handlers(&told);
        kin_request request = KIN_REQUEST_INIT;
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
        kin_error err = KIN_ERROR_INIT;

        request.resource = f.pods;
        request.namespace_ = "ns";
        request.name = "web";
        request.options = &options;
        switch (i) {
        case 0:
            request.resource = NULL;
            break;
        case 1:
            request.name = NULL;
            break;
        case 2:
            request.name = "a/b";
            break;
        case 3:
            request.verb = (enum kin_verb)99;
            break;
        case 4:
            request.verb = KIN_VERB_LIST;
            handlers.item = NULL;
            break;
        case 5:
            request.verb = KIN_VERB_WATCH;
            handlers.event = NULL;
            break;
        case 6:
            request.verb = KIN_VERB_CREATE;
            break;
        case 7:
            request.verb = KIN_VERB_PATCH;
            break;
        case 8:
            request.size = 1;
            break;
        case 9:
            handlers.size = 1;
            break;
        case 10:
            options.size = 1;
            break;
        default:
            options.decode = &decode;
            decode.size = 1;
            break;
        }
        if (kin_client_start(f.client, &call, &request, &handlers, &err) != KIN_EINVAL)
            fail_msg("case %d was started", i);
        assert_true(err.message[0]);
    }
    assert_code(kin_client_start(f.client, &call, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_client_start(NULL, &call, &(kin_request)KIN_REQUEST_INIT, NULL, NULL),
                KIN_EINVAL);
    assert_null(call);
    assert_int_equal(told.n_freed, 0);
    assert_int_equal(told.n_done, 0);
    assert_int_equal(kin_test_http_count(f.server).connections, 0);
    client_close(&f);
    client_told_done(&told);
}

static void nobody_need_be_told(void **state)
{
    client_fixture f;
    kin_request request = KIN_REQUEST_INIT;
    kin_call *call = NULL;

    (void)state;
    client_open(&f, NULL, NULL);
    client_route(&f, NULL, NULL, 200, POD);
    request.verb = KIN_VERB_DELETE;
    request.resource = f.pods;
    request.namespace_ = "ns";
    request.name = "web";
    assert_code(kin_client_start(f.client, &call, &request, NULL, NULL), 0);
    assert_code(kin_call_wait(call, -1, NULL), 0);
    assert_int_equal(kin_test_http_count(f.server).requests, 1);
    kin_call_unref(call);
    client_close(&f);
}

/* --- long answers --- */

/* All has come before a worker looks, and unfolds to more than one step takes. */
static void a_long_answer_is_read_to_its_end(void **state)
{
    char *text = client_long_list(20000, 200);

    (void)state;
    for (int gzip = 0; gzip < 2; gzip++) {
        client_fixture f;
        client_told told;

        client_open(&f, NULL, NULL);
        client_told_init(&told);
        kin_test_http_add_route(
            f.server, &(kin_test_http_route){
                          .body = text, .shape = gzip ? KIN_TEST_HTTP_GZIP : KIN_TEST_HTTP_LENGTH});
        kin_call_unref(client_start(&f, KIN_VERB_LIST, &told, NULL));
        client_assert_ended(&told, 0);
        assert_int_equal(told.seen.n, 20000);
        assert_true(told.has_object);
        client_close(&f);
        client_told_done(&told);
    }
    free(text);
}

/* --- waiting --- */

struct waiter {
    kin_call *call;
    int64_t timeout_ms;
    int code;
    kin_error err;
};

static void *wait_for_call(void *arg)
{
    struct waiter *waiter = arg;

    waiter->code = kin_call_wait(waiter->call, waiter->timeout_ms, &waiter->err);
    return NULL;
}

static void waiting_has_an_end_of_its_own(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request_options unlimited = KIN_REQUEST_OPTIONS_INIT;
    client_fixture f;
    client_told told;
    pthread_t thread;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.clock = client_fake_clock();
    unlimited.timeout_ms = -1;
    client_open(&f, &options, NULL);
    client_told_init(&told);
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.body = POD, .shape = KIN_TEST_HTTP_STALL_FIRST});
    struct waiter waiter = {client_start(&f, KIN_VERB_GET, &told, &unlimited), 5000, 0,
                            KIN_ERROR_INIT};
    kin_test_http_await_stalled(f.server, 1);
    assert_code(kin_call_wait(waiter.call, 0, &err), KIN_ETIMEOUT);
    assert_true(err.message[0]);
    assert_int_equal(pthread_create(&thread, NULL, wait_for_call, &waiter), 0);
    client_advance(options.clock, 1, 4999);
    assert_int_equal(told.n_done, 0);
    client_advance(options.clock, 1, 1);
    pthread_join(thread, NULL);
    assert_code(waiter.code, KIN_ETIMEOUT);
    assert_int_equal(told.n_done, 0);

    waiter.timeout_ms = -1;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_call, &waiter), 0);
    kin_test_http_release_all(f.server);
    pthread_join(thread, NULL);
    assert_code(waiter.code, 0);
    /* The last callback has returned. */
    assert_int_equal(told.n_freed, 1);
    assert_code(kin_call_wait(waiter.call, 0, NULL), 0);
    assert_code(kin_call_wait(NULL, 0, NULL), KIN_EINVAL);
    kin_call_unref(waiter.call);
    client_close(&f);
    client_told_done(&told);
    kin_clock_unref(options.clock);
}

struct self {
    _Atomic(kin_call *) call;
    kin_test_latch ready;
    int code[3];
    int n;
};

static void wait_for_itself(client_told *told, char what)
{
    struct self *self = told->hook_arg;

    (void)what;
    kin_test_latch_wait(&self->ready, 1);
    if (self->n < 3)
        self->code[self->n++] = kin_call_wait(self->call, -1, NULL);
}

static void a_callback_does_not_wait_for_its_own_request(void **state)
{
    client_fixture f;
    client_told told;
    struct self self = {.n = 0};

    (void)state;
    client_open(&f, NULL, NULL);
    client_told_init(&told);
    kin_test_latch_init(&self.ready);
    told.hook = wait_for_itself;
    told.hook_arg = &self;
    client_route(&f, NULL, NULL, 200, LIST("", ITEM("a")));
    self.call = client_start(&f, KIN_VERB_LIST, &told, NULL);
    kin_test_latch_raise(&self.ready);
    client_assert_ended(&told, 0);
    assert_int_equal(self.n, 3); /* item, end, release */
    for (int i = 0; i < 3; i++)
        assert_code(self.code[i], KIN_EBUSY);
    kin_call_unref(self.call);
    client_close(&f);
    kin_test_latch_done(&self.ready);
    client_told_done(&told);
}

/* --- the beginning of a watch --- */

struct beginning {
    unsigned n;
    size_t n_seen; /* before it */
    int code;      /* what it returns */
};

static int note_begun(void *arg, kin_error *err)
{
    client_told *told = arg;
    struct beginning *beginning = told->hook_arg;

    beginning->n++;
    beginning->n_seen = told->seen.n;
    return beginning->code ? kin_error_set(err, beginning->code, "not now") : 0;
}

static void start_noting(enum kin_verb verb, int status, const char *body,
                         struct beginning *beginning, int code, const char *seen)
{
    kin_request request = KIN_REQUEST_INIT;
    kin_error err = KIN_ERROR_INIT;
    client_fixture f;
    client_told told;

    client_open(&f, NULL, NULL);
    client_told_init(&told);
    told.hook_arg = beginning;
    client_route(&f, "GET", NULL, status, body);
    kin_call_handlers handlers = client_told_handlers(&told);

    handlers.begun = note_begun;
    request.verb = verb;
    request.resource = f.pods;
    assert_code(kin_client_start(f.client, NULL, &request, &handlers, &err), 0);
    client_assert_ended(&told, code);
    assert_string_equal(told.seen.text, seen);
    client_close(&f);
    client_told_done(&told);
}

static void a_watch_says_that_it_stands(void **state)
{
    struct beginning beginning = {.n = 0};

    (void)state;
    start_noting(KIN_VERB_WATCH, 200, EVENT("ADDED", "a", "1"), &beginning, 0, "ADDED:a");
    assert_int_equal(beginning.n, 1);
    assert_int_equal(beginning.n_seen, 0);
    /* What was not agreed to does not stand, and a list is none. */
    start_noting(KIN_VERB_WATCH, 410, STATUS(410, "Expired"), &beginning, KIN_EEXPIRED, "");
    start_noting(KIN_VERB_LIST, 200, PODS, &beginning, 0, "ns/a ns/b");
    assert_int_equal(beginning.n, 1);
    /* Whoever is told may not want it. */
    beginning.code = KIN_ERANGE;
    start_noting(KIN_VERB_WATCH, 200, EVENT("ADDED", "a", "1"), &beginning, KIN_ERANGE, "");
    assert_int_equal(beginning.n, 2);
}

/* --- together --- */

static void thousands_at_once(void **state)
{
    enum { N = 3000 };
    client_fixture f;
    client_told *told = calloc(N, sizeof(*told));

    (void)state;
    assert_non_null(told);
    client_open(&f, NULL, NULL);
    client_route(&f, NULL, NULL, 200, POD);
    for (size_t i = 0; i < N; i++) {
        client_told_init(&told[i]);
        kin_call_unref(client_start(&f, KIN_VERB_GET, &told[i], NULL));
    }
    for (size_t i = 0; i < N; i++) {
        client_assert_ended(&told[i], 0);
        assert_string_equal(told[i].key, "ns/web");
        client_told_done(&told[i]);
    }
    assert_int_equal(kin_test_http_count(f.server).requests, N);
    client_close(&f);
    free(told);
}

struct endless {
    atomic_size_t sent;
    char *text;
};

/* A list of 256 MiB, if somebody takes it. */
static void send_endless(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct endless *endless = arg;
    bool first = true;

    if (strstr(request->target, "/pods/web")) {
        kin_test_http_answer(conn, 200, "application/json", POD);
        return;
    }
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[");
    for (int i = 0; i < 4096; i++) {
        if (!first)
            kin_test_http_chunk_text(conn, ",");
        first = false;
        if (!kin_test_http_chunk_text(conn, endless->text))
            return;
        atomic_fetch_add(&endless->sent, 65536);
    }
    kin_test_http_chunk_text(conn, "],\"metadata\":{\"resourceVersion\":\"9\"}}");
    kin_test_http_end_chunks(conn);
}

struct gate {
    kin_test_latch in;
    kin_test_latch out;
};

static void stand_in_gate(client_told *told, char what)
{
    struct gate *gate = told->hook_arg;

    if (what != 'i')
        return;
    kin_test_latch_raise(&gate->in);
    kin_test_latch_wait(&gate->out, 1);
}

static void a_callback_that_blocks_holds_up_its_own_request(void **state)
{
    struct endless endless = {.sent = 0};
    client_fixture f;
    client_told told;
    struct gate gate;
    kin_call *call;

    (void)state;
    endless.text = malloc(65537);
    assert_non_null(endless.text);
    snprintf(endless.text, 65537,
             "{\"metadata\":{\"name\":\"a\",\"namespace\":\"ns\"},\"data\":\"%0*d\"}", 65480, 0);
    client_open(&f, NULL, &(kin_test_http_options){.handler = send_endless, .arg = &endless});
    client_told_init(&told);
    kin_test_latch_init(&gate.in);
    kin_test_latch_init(&gate.out);
    told.hook = stand_in_gate;
    told.hook_arg = &gate;
    call = client_start(&f, KIN_VERB_LIST, &told, NULL);
    kin_test_latch_wait(&gate.in, 1);
    for (int i = 0; i < 50; i++) {
        client_told other;

        client_told_init(&other);
        kin_call_unref(client_start(&f, KIN_VERB_GET, &other, NULL));
        client_assert_ended(&other, 0);
        client_told_done(&other);
    }
    /* What was sent is in our buffer and the kernel's two, and not more than a few MiB. */
    assert_true(atomic_load(&endless.sent) < (size_t)64 << 20);
    assert_int_equal(told.seen.n, 1);
    kin_call_cancel(call);
    kin_test_latch_raise(&gate.out);
    client_assert_ended(&told, KIN_ECANCELED);
    assert_int_equal(told.seen.n, 1);
    kin_call_unref(call);
    client_close(&f);
    kin_test_latch_done(&gate.in);
    kin_test_latch_done(&gate.out);
    client_told_done(&told);
    free(endless.text);
}

/* From within a callback everything is possible, other requests that are waited for too. */
static void get_another(client_told *told, char what)
{
    client_fixture *f = told->hook_arg;
    const kin_object *pod = NULL;

    if (what == 'f')
        return;
    if (kin_client_get(f->client, &pod, f->pods, "ns", "web", NULL, NULL) == 0)
        told->status_code++;
    kin_object_unref(pod);
}

static void a_callback_may_ask_for_more(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    client_fixture f;
    client_told told;

    (void)state;
    options.n_workers = 1;
    client_open(&f, &options, NULL);
    client_told_init(&told);
    client_route(&f, NULL, "/api/v1/namespaces/ns/pods/web*", 200, POD);
    client_route(&f, NULL, NULL, 200, PODS);
    told.hook = get_another;
    told.hook_arg = &f;
    kin_call_unref(client_start(&f, KIN_VERB_LIST, &told, NULL));
    client_assert_ended(&told, 0);
    assert_int_equal(told.status_code, 3);
    client_close(&f);
    client_told_done(&told);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(every_verb_ends_once_and_last),
        client_test(a_failure_is_told_with_its_status),
        client_test(nothing_is_told_of_what_was_not_started),
        client_test(nobody_need_be_told),
        client_test(a_long_answer_is_read_to_its_end),
        client_test(waiting_has_an_end_of_its_own),
        client_test(a_callback_does_not_wait_for_its_own_request),
        client_test(a_watch_says_that_it_stands),
        client_test(thousands_at_once),
        client_test(a_callback_that_blocks_holds_up_its_own_request),
        client_test(a_callback_may_ask_for_more),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
