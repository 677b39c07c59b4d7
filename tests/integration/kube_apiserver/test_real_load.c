/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many requests at once to a real server that ends connections at random, as those behind load
 * balancers are told to: no request may fail of it, and no write may happen twice.
 */
#include "real_support.h"

#include <stdlib.h>
#include <string.h>

enum { N_WRITERS = 40, N_ROUNDS = 50, N_WATCHES = 20 };

static int setup(void **state)
{
    (void)state;
    return real_setup_with("--goaway-chance=0.02");
}

/* One that creates objects, one behind the other, none of them waited for. */
struct writer {
    real *r;
    unsigned number;
    unsigned round;
    kin_test_latch *ended;
    atomic_uint *n_failed;
    char message[640];
};

static void next_write(struct writer *w);

static void on_done(const kin_result *result, void *arg)
{
    struct writer *w = arg;

    if (result->code < 0) {
        atomic_fetch_add(w->n_failed, 1);
        snprintf(w->message, sizeof(w->message), "round %u: %s: %s", w->round,
                 kin_error_name(result->code), result->err->message);
    }
    if (++w->round < N_ROUNDS)
        next_write(w);
    else
        kin_test_latch_raise(w->ended);
}

static void next_write(struct writer *w)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    const kin_object *object =
        real_object("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                    "\"c-%u-%u\"},\"data\":{\"a\":\"1\"}}",
                    w->number, w->round);

    request.verb = KIN_VERB_CREATE;
    request.resource = w->r->configmaps;
    request.namespace_ = w->r->namespace_;
    request.object = object;
    handlers.done = on_done;
    handlers.arg = w;
    if (kin_client_start(w->r->client, NULL, &request, &handlers, NULL) < 0)
        atomic_fetch_add(w->n_failed, 1);
    kin_object_unref(object);
}

static int count_event(enum kin_watch_type type, const kin_object *object, void *arg,
                       kin_error *err)
{
    (void)object;
    (void)err;
    if (type == KIN_WATCH_ADDED)
        kin_test_latch_raise(arg);
    return 0;
}

static void connections_that_end_are_not_noticed(void **state)
{
    static struct writer writers[N_WRITERS];
    static kin_test_latch seen[N_WATCHES];
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    kin_call *watches[N_WATCHES];
    kin_error err = KIN_ERROR_INIT;
    kin_test_latch ended;
    atomic_uint n_failed = 0;
    real_seen listed;
    real r;

    (void)state;
    real_open(&r, "load");
    kin_test_latch_init(&ended);
    request.verb = KIN_VERB_WATCH;
    request.resource = r.configmaps;
    request.namespace_ = "load";
    handlers.event = count_event;
    for (int i = 0; i < N_WATCHES; i++) {
        kin_test_latch_init(&seen[i]);
        handlers.arg = &seen[i];
        assert_good(kin_client_start(r.client, &watches[i], &request, &handlers, &err), &err);
    }
    for (unsigned i = 0; i < N_WRITERS; i++) {
        writers[i] = (struct writer){
            .r = &r, .number = i, .ended = &ended, .n_failed = &n_failed, .message = ""};
        next_write(&writers[i]);
    }
    kin_test_latch_wait(&ended, N_WRITERS);
    for (unsigned i = 0; i < N_WRITERS; i++) {
        if (writers[i].message[0])
            print_error("writer %u: %s\n", i, writers[i].message);
    }
    assert_int_equal(n_failed, 0);
    /* A connection that takes no more requests goes on with those it has. */
    for (int i = 0; i < N_WATCHES; i++) {
        kin_test_latch_wait(&seen[i], N_WRITERS * N_ROUNDS);
        kin_call_cancel(watches[i]);
        assert_code(kin_call_wait(watches[i], KIN_TEST_TIMEOUT_MS, NULL), 0);
        kin_call_unref(watches[i]);
        kin_test_latch_done(&seen[i]);
    }
    real_seen_init(&listed);
    assert_good(kin_client_list_all(r.client, NULL, r.configmaps, "load", real_see_item, NULL,
                                    &listed, NULL, &err),
                &err);
    assert_int_equal(listed.n, N_WRITERS * N_ROUNDS);
    real_seen_done(&listed);
    kin_test_latch_done(&ended);
    real_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(connections_that_end_are_not_noticed),
    };

    return cmocka_run_group_tests(tests, setup, real_teardown);
}
