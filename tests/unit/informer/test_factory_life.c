/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories whose informers are started, shut down and freed while something of them is still under way.
 */
#include "factory_support.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "kinform/log.h"
#include "kinform/owner.h"
#include "latch.h"

static void raise_latch(void *arg)
{
    kin_test_latch_raise(arg);
}

/* --- the end of all --- */

/* A handler that is at work while the factory is freed, and looks at another informer there. */
struct onlooker {
    kin_test_factory f;
    kin_informer *other;
    kin_test_latch inside;
    kin_test_latch leaving; /* the handlers of its own informer are being ended */
    int codes[2];
};

static void look_elsewhere(const kin_event *event, void *arg)
{
    struct onlooker *onlooker = arg;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    kin_test_latch_raise(&onlooker->inside);
    kin_test_latch_wait(&onlooker->leaving, 1);
    onlooker->codes[0] = kin_informer_get_status(onlooker->other, &status, NULL);
    onlooker->codes[1] = kin_factory_owner(onlooker->f.factory, NULL, event->object, NULL, NULL);
}

static void ignore(const kin_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

static void a_handler_may_look_at_others_until_the_end(void **context)
{
    kin_handler_options tells_its_end = KIN_HANDLER_OPTIONS_INIT;
    struct onlooker onlooker = {.codes = {1, 1}};
    kin_informer *pods;

    (void)context;
    kin_test_latch_init(&onlooker.inside);
    kin_test_latch_init(&onlooker.leaving);
    kin_test_factory_init(&onlooker.f);
    onlooker.other = kin_test_ask(&onlooker.f, "nodes");
    pods = kin_test_ask(&onlooker.f, "pods");
    tells_its_end.arg_free = raise_latch;
    assert_code(kin_informer_add_handler(pods, NULL, look_elsewhere, &onlooker, NULL, NULL), 0);
    assert_code(
        kin_informer_add_handler(pods, NULL, ignore, &onlooker.leaving, &tells_its_end, NULL), 0);
    assert_code(kin_factory_start(onlooker.f.factory, NULL), 0);
    kin_test_sync_source(&onlooker.f, 0, "5", "n:1");
    kin_test_sync_source(&onlooker.f, 1, "5", "a:1");
    kin_test_latch_wait(&onlooker.inside, 1);
    kin_test_factory_done(&onlooker.f);
    assert_code(onlooker.codes[0], 0);
    assert_code(onlooker.codes[1], KIN_ENOTFOUND);
    kin_test_latch_done(&onlooker.inside);
    kin_test_latch_done(&onlooker.leaving);
}

/* --- shutdown --- */

/* Handlers that wait for the test in their first call. */
struct held {
    kin_test_factory f;
    kin_test_latch inside;
    kin_test_latch go;
    atomic_uint n_told;
    int code; /* of a shutdown by the handler itself */
};

static void begin_held(struct held *held, kin_event_fn *fn, kin_delivery delivery)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_informer *pods;

    kin_test_factory_init(&held->f);
    kin_test_latch_init(&held->inside);
    kin_test_latch_init(&held->go);
    atomic_init(&held->n_told, 0);
    options.name = "slow";
    options.delivery = delivery;
    pods = kin_test_ask(&held->f, "pods");
    assert_code(kin_informer_add_handler(pods, NULL, fn, held, &options, NULL), 0);
    assert_code(kin_factory_start(held->f.factory, NULL), 0);
}

static void end_held(struct held *held)
{
    kin_test_factory_done(&held->f);
    kin_test_latch_done(&held->inside);
    kin_test_latch_done(&held->go);
}

static void wait_first(const kin_event *event, void *arg)
{
    struct held *held = arg;

    (void)event;
    kin_test_latch_raise(&held->inside);
    kin_test_latch_wait(&held->go, 1);
    atomic_fetch_add(&held->n_told, 1);
}

static void assert_shutdown_waits(kin_delivery delivery)
{
    kin_error err = KIN_ERROR_INIT;
    struct held held;

    begin_held(&held, wait_first, delivery);
    kin_test_pull_event(kin_test_sync_source(&held.f, 0, "5", "a:1"), KIN_WATCH_ADDED, "b:6");
    kin_test_latch_wait(&held.inside, 1);
    kin_factory_shutdown(held.f.factory, 0, NULL);
    assert_code(kin_informer_wait_stopped(kin_test_ask(&held.f, "pods"), -1, NULL), 0);
    assert_code(kin_factory_shutdown(held.f.factory, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "the handler \"informer/slow\" was not told of all in time");
    kin_test_latch_raise(&held.go);
    assert_code(kin_factory_shutdown(held.f.factory, -1, NULL), 0);
    assert_int_equal(atomic_load(&held.n_told), 2);
    end_held(&held);
}

static void shutdown_waits_until_handlers_were_told(void **context)
{
    (void)context;
    assert_shutdown_waits(KIN_DELIVER_THREAD);
    assert_shutdown_waits(KIN_DELIVER_POOL);
}

/* Nobody dispatches. */
static void shutdown_does_not_wait_for_event_loops(void **context)
{
    struct held held;

    (void)context;
    begin_held(&held, wait_first, KIN_DELIVER_LOOP);
    kin_test_sync_source(&held.f, 0, "5", "a:1");
    assert_code(kin_factory_wait_for_sync(held.f.factory, -1, NULL), 0);
    assert_code(kin_factory_shutdown(held.f.factory, -1, NULL), 0);
    assert_int_equal(atomic_load(&held.n_told), 0);
    end_held(&held);
}

static void shut_down(const kin_event *event, void *arg)
{
    struct held *held = arg;

    (void)event;
    held->code = kin_factory_shutdown(held->f.factory, -1, NULL);
    kin_test_latch_raise(&held->inside);
}

static void a_handler_may_shut_its_factory_down(void **context)
{
    static const kin_delivery deliveries[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL};

    (void)context;
    for (size_t i = 0; i < 2; i++) {
        struct held held;

        begin_held(&held, shut_down, deliveries[i]);
        kin_test_pull_list(kin_test_source_await(held.f.sources[0], 0), "5", "a:1");
        kin_test_latch_wait(&held.inside, 1);
        assert_code(held.code, KIN_EBUSY);
        assert_code(kin_factory_start(held.f.factory, NULL), KIN_ECLOSED);
        assert_code(kin_factory_shutdown(held.f.factory, -1, NULL), 0);
        end_held(&held);
    }
}

/* --- starts that call back --- */

/* Each informer looks for a snapshot that is not there, and logs that. */
static int look_for_snapshot(const char *resource, kin_informer_options *options, void *arg,
                             kin_error *err)
{
    (void)resource;
    (void)arg;
    (void)err;
    options->snapshot_path = "/dev/null/none";
    return 0;
}

struct caller {
    kin_test_factory f;
    kin_logger *logger;
    kin_test_latch inside;
    kin_test_latch go;
    int codes[3];
};

static void begin_caller(struct caller *caller, kin_log_fn *log)
{
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    kin_test_latch_init(&caller->inside);
    kin_test_latch_init(&caller->go);
    assert_code(kin_logger_new(&caller->logger, KIN_LOG_INFO, log, caller, NULL, NULL), 0);
    options.tweak = look_for_snapshot;
    informers.logger = caller->logger;
    options.informers = &informers;
    kin_test_factory_init_with(&caller->f, &options);
    kin_test_ask(&caller->f, "pods");
}

static void end_caller(struct caller *caller)
{
    kin_test_factory_done(&caller->f);
    kin_logger_unref(caller->logger);
    kin_test_latch_done(&caller->inside);
    kin_test_latch_done(&caller->go);
}

static bool is_of_snapshot(const kin_log_record *record)
{
    return strstr(record->message, "snapshot") != NULL;
}

static void call_factory(const kin_log_record *record, void *arg)
{
    struct caller *caller = arg;

    if (!is_of_snapshot(record))
        return;
    caller->codes[0] = kin_factory_start(caller->f.factory, NULL);
    caller->codes[1] = kin_factory_wait_for_sync(caller->f.factory, -1, NULL);
    caller->codes[2] = kin_factory_shutdown(caller->f.factory, -1, NULL);
}

static void what_a_start_calls_may_call_the_factory(void **context)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct caller caller;

    (void)context;
    begin_caller(&caller, call_factory);
    /* It was shut down, so that what was being started is stopped again. */
    assert_code(kin_factory_start(caller.f.factory, NULL), KIN_ECLOSED);
    assert_code(caller.codes[0], 0);
    assert_code(caller.codes[1], KIN_EBUSY);
    assert_code(caller.codes[2], KIN_EBUSY);
    assert_code(kin_factory_shutdown(caller.f.factory, -1, NULL), 0);
    assert_code(kin_informer_get_status(kin_test_ask(&caller.f, "pods"), &status, NULL), 0);
    assert_int_equal(status.state, KIN_INFORMER_STOPPED);
    end_caller(&caller);
}

static void wait_in_log(const kin_log_record *record, void *arg)
{
    struct caller *caller = arg;

    if (!is_of_snapshot(record))
        return;
    kin_test_latch_raise(&caller->inside);
    kin_test_latch_wait(&caller->go, 1);
}

static void *start_factory(void *arg)
{
    struct caller *caller = arg;

    caller->codes[0] = kin_factory_start(caller->f.factory, NULL);
    return NULL;
}

static void a_start_under_way_is_waited_for(void **context)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct caller caller;
    pthread_t thread;

    (void)context;
    begin_caller(&caller, wait_in_log);
    assert_int_equal(pthread_create(&thread, NULL, start_factory, &caller), 0);
    kin_test_latch_wait(&caller.inside, 1);
    assert_code(kin_factory_wait_for_sync(caller.f.factory, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "informers are still being started");
    assert_code(kin_factory_shutdown(caller.f.factory, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "informers are still being started");
    kin_test_latch_raise(&caller.go);
    assert_code(kin_factory_shutdown(caller.f.factory, -1, NULL), 0);
    /* It was started behind the first shutdown, and not left so. */
    assert_code(kin_informer_get_status(kin_test_ask(&caller.f, "pods"), &status, NULL), 0);
    assert_int_equal(status.state, KIN_INFORMER_STOPPED);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(caller.codes[0], KIN_ECLOSED);
    end_caller(&caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_handler_may_look_at_others_until_the_end),
        cmocka_unit_test(shutdown_waits_until_handlers_were_told),
        cmocka_unit_test(shutdown_does_not_wait_for_event_loops),
        cmocka_unit_test(a_handler_may_shut_its_factory_down),
        cmocka_unit_test(what_a_start_calls_may_call_the_factory),
        cmocka_unit_test(a_start_under_way_is_waited_for),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
