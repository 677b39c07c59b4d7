/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clients under load: threads that start requests, wait for them, cancel them and let go of them, in
 * any order, while the client is freed under those that are left. The model is a count: whatever was
 * started ends exactly once, is released once after that, and tells nothing later.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "rng.h"

enum {
    N_THREADS = 4,
    N_ROUNDS = 6,
    N_STEPS = KIN_TEST_SANITIZED ? 60 : 200,
    N_HELD = 8, /* requests that a thread knows at a time */
};

struct counts {
    atomic_uint started;
    atomic_uint done;
    atomic_uint freed;
    atomic_uint wrong; /* something came twice, or too late, or with a code of no sense */
};

/* One request; freed with its last callback. */
struct asked {
    struct counts *counts;
    atomic_bool is_done;
};

static void check_open(struct asked *asked)
{
    if (atomic_load(&asked->is_done))
        atomic_fetch_add(&asked->counts->wrong, 1);
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    check_open(arg);
    return 0;
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    (void)type;
    return on_item(object, arg, err);
}

static void on_done(const kin_result *result, void *arg)
{
    struct asked *asked = arg;

    check_open(asked);
    atomic_store(&asked->is_done, true);
    if (result->code != 0 && result->code != KIN_ECANCELED && result->code != KIN_ENOTFOUND &&
        result->code != KIN_ECONNECT)
        atomic_fetch_add(&asked->counts->wrong, 1);
    atomic_fetch_add(&asked->counts->done, 1);
}

static void on_free(void *arg)
{
    struct asked *asked = arg;

    if (!atomic_load(&asked->is_done))
        atomic_fetch_add(&asked->counts->wrong, 1);
    atomic_fetch_add(&asked->counts->freed, 1);
    free(asked);
}

struct actor {
    client_fixture *f;
    struct counts *counts;
    kin_test_rng rng;
    kin_call *held[N_HELD];
    pthread_t thread;
};

static void start_one(struct actor *actor, kin_call **ret)
{
    static const enum kin_verb verbs[] = {KIN_VERB_GET, KIN_VERB_LIST, KIN_VERB_WATCH,
                                          KIN_VERB_DELETE};
    static const char *const names[] = {"web", "none", "lost"};
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    struct asked *asked = calloc(1, sizeof(*asked));

    if (!asked)
        abort();
    asked->counts = actor->counts;
    handlers.item = on_item;
    handlers.event = on_event;
    handlers.done = on_done;
    handlers.arg = asked;
    handlers.arg_free = on_free;
    request.verb = verbs[kin_test_below(&actor->rng, 4)];
    request.resource = actor->f->pods;
    if (request.verb == KIN_VERB_GET || request.verb == KIN_VERB_DELETE) {
        request.namespace_ = "ns";
        request.name = names[kin_test_below(&actor->rng, 3)];
    }
    atomic_fetch_add(&actor->counts->started, 1);
    if (kin_client_start(actor->f->client, ret, &request, &handlers, NULL) < 0)
        abort();
}

static void act(struct actor *actor)
{
    kin_call **call = &actor->held[kin_test_below(&actor->rng, N_HELD)];

    switch (kin_test_below(&actor->rng, 8)) {
    case 0:
        kin_call_cancel(*call);
        break;
    case 1:
        /* A watch may last until it is cancelled. */
        kin_call_cancel(*call);
        if (*call)
            kin_call_wait(*call, -1, NULL);
        break;
    case 2:
        if (*call)
            kin_call_wait(*call, 0, NULL);
        break;
    case 3:
        kin_call_unref(*call);
        *call = NULL;
        break;
    case 4:
        kin_client_get(actor->f->client, NULL, actor->f->pods, "ns", "web", NULL, NULL);
        break;
    default:
        kin_call_unref(*call);
        *call = NULL;
        start_one(actor, call);
        break;
    }
}

static void *actor_run(void *arg)
{
    for (int i = 0; i < N_STEPS; i++)
        act(arg);
    return NULL;
}

static void answer(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)arg;
    if (strstr(request->target, "/none")) {
        kin_test_http_answer(conn, 404, "application/json", STATUS(404, "NotFound"));
    } else if (strstr(request->target, "/lost")) {
        kin_test_http_reset(conn);
    } else if (strstr(request->target, "/web")) {
        kin_test_http_answer(conn, 200, "application/json", POD);
    } else if (strstr(request->target, "watch=")) {
        kin_test_http_status(conn, 200);
        kin_test_http_header(conn, "Content-Type", "application/json");
        kin_test_http_chunk_text(conn, EVENT("ADDED", "a", "1"));
        kin_test_http_wait_for_client_close(conn);
    } else {
        kin_test_http_answer(conn, 200, "application/json", PODS);
    }
}

static void play_round(uint64_t seed)
{
    struct actor actors[N_THREADS];
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    struct counts counts = {.started = 0};
    client_fixture f;

    options.max_retries = -1;
    options.n_workers = 1 + (unsigned)(seed % 3);
    client_open(&f, &options, &(kin_test_http_options){.handler = answer});
    for (uint64_t i = 0; i < N_THREADS; i++) {
        actors[i] = (struct actor){.f = &f, .counts = &counts, .rng = {seed * 100 + i}};
        assert_int_equal(pthread_create(&actors[i].thread, NULL, actor_run, &actors[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(actors[i].thread, NULL);
    kin_client_free(f.client);
    f.client = NULL;
    /* It has waited for all of them. */
    assert_int_equal(counts.done, counts.started);
    assert_int_equal(counts.freed, counts.started);
    assert_int_equal(counts.wrong, 0);
    assert_true(counts.started > N_STEPS);
    for (int i = 0; i < N_THREADS; i++) {
        for (int k = 0; k < N_HELD; k++)
            kin_call_unref(actors[i].held[k]);
    }
    client_close(&f);
}

static void everything_that_starts_ends_once(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= N_ROUNDS; round++)
        play_round(round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(everything_that_starts_ends_once),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
