/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories whose informers are started, shut down and freed while something of them is still under way.
 */
#include "kin_test.h"
#include "kinform/factory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "kinform/log.h"
#include "kinform/owner.h"
#include "latch.h"
#include "source.h"

enum { N_SOURCES = 2 };

/* A factory, and sources for what is made by it: in the order in which it is made. */
struct fixture {
    kin_clock *clock;
    kin_factory *factory;
    kin_test_source *sources[N_SOURCES];
    size_t n_made;
};

static void begin_with(struct fixture *f, kin_factory_options *options, kin_logger *logger)
{
    kin_informer_options informers = KIN_INFORMER_OPTIONS_INIT;

    memset(f, 0, sizeof(*f));
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    for (size_t i = 0; i < N_SOURCES; i++)
        f->sources[i] = kin_test_source_new(false);
    informers.clock = f->clock;
    informers.logger = logger;
    options->informers = &informers;
    assert_code(kin_factory_new(&f->factory, NULL, options, NULL), 0);
    options->informers = NULL;
}

static void begin(struct fixture *f)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    begin_with(f, &options, NULL);
}

static void end(struct fixture *f)
{
    kin_factory_free(f->factory);
    for (size_t i = 0; i < N_SOURCES; i++)
        kin_test_source_free(f->sources[i]);
    kin_clock_unref(f->clock);
}

static int construct(kin_informer **ret, kin_client *client, const char *resource,
                     const kin_informer_options *options, void *arg, kin_error *err)
{
    struct fixture *f = arg;

    (void)client;
    (void)resource;
    assert_true(f->n_made < N_SOURCES);
    return kin_informer_new_from(ret, kin_test_source_list_watch(f->sources[f->n_made++]), options,
                                 err);
}

static kin_informer *ask(struct fixture *f, const char *resource)
{
    kin_informer *informer = NULL;

    assert_code(kin_factory_informer_for(f->factory, &informer, resource, construct, f, NULL), 0);
    return informer;
}

/* The first list of the n-th one, and the watch behind it. */
static kin_test_pull *sync_source(struct fixture *f, size_t n, const char *version,
                                  const char *pods)
{
    kin_test_pull_list(kin_test_source_await(f->sources[n], 0), version, pods);
    return kin_test_source_await(f->sources[n], 1);
}

static void raise_latch(void *arg)
{
    kin_test_latch_raise(arg);
}

/* --- the end of all --- */

/* A handler that is at work while the factory is freed, and looks at another informer there. */
struct onlooker {
    struct fixture f;
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
    begin(&onlooker.f);
    onlooker.other = ask(&onlooker.f, "nodes");
    pods = ask(&onlooker.f, "pods");
    tells_its_end.arg_free = raise_latch;
    assert_code(kin_informer_add_handler(pods, NULL, look_elsewhere, &onlooker, NULL, NULL), 0);
    assert_code(
        kin_informer_add_handler(pods, NULL, ignore, &onlooker.leaving, &tells_its_end, NULL), 0);
    assert_code(kin_factory_start(onlooker.f.factory, NULL), 0);
    sync_source(&onlooker.f, 0, "5", "n:1");
    sync_source(&onlooker.f, 1, "5", "a:1");
    kin_test_latch_wait(&onlooker.inside, 1);
    end(&onlooker.f);
    assert_code(onlooker.codes[0], 0);
    assert_code(onlooker.codes[1], KIN_ENOTFOUND);
    kin_test_latch_done(&onlooker.inside);
    kin_test_latch_done(&onlooker.leaving);
}

/* --- shutdown --- */

/* Handlers that wait for the test in their first call. */
struct held {
    struct fixture f;
    kin_test_latch inside;
    kin_test_latch go;
    atomic_uint n_told;
    int code; /* of a shutdown by the handler itself */
};

static void begin_held(struct held *held, kin_event_fn *fn, kin_delivery delivery)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_informer *pods;

    begin(&held->f);
    kin_test_latch_init(&held->inside);
    kin_test_latch_init(&held->go);
    atomic_init(&held->n_told, 0);
    options.name = "slow";
    options.delivery = delivery;
    pods = ask(&held->f, "pods");
    assert_code(kin_informer_add_handler(pods, NULL, fn, held, &options, NULL), 0);
    assert_code(kin_factory_start(held->f.factory, NULL), 0);
}

static void end_held(struct held *held)
{
    end(&held->f);
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
    kin_test_pull_event(sync_source(&held.f, 0, "5", "a:1"), KIN_WATCH_ADDED, "b:6");
    kin_test_latch_wait(&held.inside, 1);
    kin_factory_shutdown(held.f.factory, 0, NULL);
    assert_code(kin_informer_wait_stopped(ask(&held.f, "pods"), -1, NULL), 0);
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
    sync_source(&held.f, 0, "5", "a:1");
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
    struct fixture f;
    kin_logger *logger;
    kin_test_latch inside;
    kin_test_latch go;
    int codes[3];
};

static void begin_caller(struct caller *caller, kin_log_fn *log)
{
    kin_factory_options options = KIN_FACTORY_OPTIONS_INIT;

    kin_test_latch_init(&caller->inside);
    kin_test_latch_init(&caller->go);
    assert_code(kin_logger_new(&caller->logger, KIN_LOG_INFO, log, caller, NULL, NULL), 0);
    options.tweak = look_for_snapshot;
    begin_with(&caller->f, &options, caller->logger);
    ask(&caller->f, "pods");
}

static void end_caller(struct caller *caller)
{
    end(&caller->f);
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
    assert_code(kin_informer_get_status(ask(&caller.f, "pods"), &status, NULL), 0);
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
    assert_code(kin_informer_get_status(ask(&caller.f, "pods"), &status, NULL), 0);
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
