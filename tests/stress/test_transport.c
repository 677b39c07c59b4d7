/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that start, read, cancel and abandon exchanges on one transport, thousands of them, with
 * small buffers, while others are notified on the I/O thread. Whatever is not cancelled is complete
 * and right; the transport is freed with some in flight.
 */
#include "transport_support.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/thread.h"
#include "rng.h"

#define THREADS 4
#define EXCHANGES 800 /* of each thread */
#define AT_ONCE 16

struct world {
    transport_fixture f;
    kin__identity identity;
    atomic_uint complete;
    atomic_uint cancelled;
    atomic_uint notified;
    atomic_uint args; /* that are not freed yet */
};

struct worker {
    struct world *world;
    kin_test_rng rng;
    kin__thread thread;
    const char *wrong;
};

/* As many bytes as the target says, all alike. */
static void serve(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    size_t n = strtoul(request->target + 1, NULL, 10);
    char *body = malloc(n + 1);

    (void)arg;
    if (!body)
        abort();
    memset(body, 'x', n);
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "text/plain");
    if (n % 2)
        kin_test_http_gzip_body(conn, body, n);
    else
        kin_test_http_body(conn, body, n);
    free(body);
}

static void on_notify(kin__exchange *exchange, void *arg)
{
    struct world *world = arg;

    (void)exchange;
    atomic_fetch_add(&world->notified, 1);
}

static void on_arg_free(void *arg)
{
    struct world *world = arg;

    atomic_fetch_sub(&world->args, 1);
}

struct running {
    kin__exchange *exchange;
    size_t size;
    bool cancelled;
};

static bool begin(struct worker *worker, struct running *running)
{
    struct world *world = worker->world;
    kin__exchange_spec spec = transport_get(NULL);
    char target[32];

    running->size = kin_test_below(&worker->rng, 8) == 0 ? kin_test_below(&worker->rng, 300000)
                                                         : kin_test_below(&worker->rng, 2000);
    running->cancelled = false;
    snprintf(target, sizeof(target), "/%zu", running->size);
    spec.target = target;
    spec.identity = &world->identity;
    spec.kind = (enum kin__lane_kind)kin_test_below(&worker->rng, KIN__LANE_WATCH_LIST + 1);
    spec.buffer_limit = 1 + kin_test_below(&worker->rng, 50000);
    if (kin_test_below(&worker->rng, 2)) {
        spec.notify = on_notify;
        spec.arg_free = on_arg_free;
        spec.arg = world;
        atomic_fetch_add(&world->args, 1);
    }
    return kin__transport_start(world->f.transport, &running->exchange, &spec, NULL) == 0;
}

static const char *finish(struct worker *worker, struct running *running)
{
    struct world *world = worker->world;
    size_t len = 0;
    kin_str bytes;
    int code;

    for (;;) {
        while (kin__exchange_read(running->exchange, &bytes))
            len += bytes.len;
        if (kin__exchange_ended(running->exchange, &code, NULL))
            break;
        if (kin__exchange_wait(running->exchange, INT64_MAX) < 0)
            return "waiting failed";
    }
    kin__exchange_unref(running->exchange);
    running->exchange = NULL;
    if (code == KIN_ECANCELED && running->cancelled) {
        atomic_fetch_add(&world->cancelled, 1);
        return NULL;
    }
    atomic_fetch_add(&world->complete, 1);
    if (code != 0)
        return kin_error_name(code);
    return len == running->size ? NULL : "not all came";
}

/* Something with one of those that run: begin, finish, cancel, let go. */
static const char *step(struct worker *worker, struct running *running)
{
    if (!running->exchange)
        return begin(worker, running) ? NULL : "starting failed";
    switch (kin_test_below(&worker->rng, 6)) {
    case 0:
        kin__exchange_cancel(running->exchange);
        running->cancelled = true;
        return NULL;
    case 1:
        kin__exchange_unref(running->exchange);
        running->exchange = NULL;
        return NULL;
    default:
        return finish(worker, running);
    }
}

static void work(void *arg)
{
    struct worker *worker = arg;
    struct running running[AT_ONCE] = {{NULL, 0, false}};

    for (int i = 0; i < EXCHANGES * 2 && !worker->wrong; i++)
        worker->wrong = step(worker, &running[kin_test_below(&worker->rng, AT_ONCE)]);
    /* Half is left to the end of the transport. */
    for (int i = 0; i < AT_ONCE; i++) {
        if (running[i].exchange && i % 2)
            kin__exchange_unref(running[i].exchange);
        else if (running[i].exchange && !worker->wrong)
            worker->wrong = finish(worker, &running[i]);
    }
}

static void run_world(bool tls)
{
    struct world world = {.notified = 0};
    struct worker workers[THREADS];
    transport_setup setup = {.server.handler = serve};
    kin_test_pki *pki = NULL;

    if (tls) {
        kin_test_pki_new(&pki);
        setup.server.tls.certificate = pki->server.certificate;
        setup.server.tls.key = pki->server.key;
        world.identity.tls = transport_material(1, pki->ca.certificate, NULL);
    }
    transport_open(&world.f, &setup);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.world = &world, .rng = {(uint64_t)i + 1}};
        assert_code(kin__thread_start(&workers[i].thread, "worker", work, &workers[i], NULL), 0);
    }
    for (int i = 0; i < THREADS; i++)
        kin__thread_join(&workers[i].thread, NULL);
    for (int i = 0; i < THREADS; i++) {
        if (workers[i].wrong)
            fail_msg("%s", workers[i].wrong);
    }
    print_message("%u complete, %u cancelled, %u notified, %u connections\n", world.complete,
                  world.cancelled, world.notified, kin_test_http_count(world.f.server).connections);
    assert_true(world.complete > EXCHANGES);
    assert_true(world.cancelled > 0);
    transport_close(&world.f);
    assert_int_equal(world.args, 0);
    kin__tls_material_unref(world.identity.tls);
    if (pki)
        kin_test_pki_free(pki);
}

static void plain(void **state)
{
    (void)state;
    run_world(false);
}

static void secure(void **state)
{
    (void)state;
    run_world(true);
}

/* All at once, and all come back. */
static void thousands_at_once(void **state)
{
    enum { N = 3000 };
    transport_fixture f = {0};
    static kin__exchange *exchanges[N];
    transport_result result;

    (void)state;
    transport_open(&f, &(transport_setup){.server.handler = serve});
    for (int i = 0; i < N; i++) {
        kin__exchange_spec spec = transport_get("/100");

        exchanges[i] = transport_start(&f, &spec);
    }
    for (int i = 0; i < N; i++) {
        transport_finish(&f, exchanges[i], &result);
        assert_code(result.code, 0);
        assert_int_equal(result.len, 100);
        transport_result_done(&result);
    }
    assert_true(kin_test_http_count(f.server).connections <= 25);
    transport_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain),
        cmocka_unit_test(secure),
        cmocka_unit_test(thousands_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
