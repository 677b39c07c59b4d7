/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listeners: each way of delivery tells the same, syncs, ends and is removed in the same way. Each test runs
 * with all three; the event loop is a thread of the test's own.
 */
#include "informer/listener.h"
#include "kin_test.h"

#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/memory.h"
#include "item.h"
#include "listener_support.h"
#include "oom.h"

/* --- set up --- */

struct fixture {
    kin_delivery delivery;
    kin_clock *clock;
    kin__workers *workers;
    kin__dispatcher dispatcher;
    kin__wakeup quit;
    pthread_t loop;
    kin_test_handler handler;
};

/* What a program with poll() does. */
static void *run_loop(void *arg)
{
    struct fixture *f = arg;
    struct pollfd fds[2] = {{f->dispatcher.wakeup.fd, POLLIN, 0}, {f->quit.fd, POLLIN, 0}};

    while (poll(fds, 2, -1) > 0 && !(fds[1].revents & POLLIN))
        kin__dispatcher_run(&f->dispatcher, 3);
    return NULL;
}

static void begin(struct fixture *f, kin_delivery delivery)
{
    *f = (struct fixture){.delivery = delivery};
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    assert_code(kin__workers_new(&f->workers, "kin-test", 2, f->clock, NULL), 0);
    assert_code(kin__workers_start(f->workers, NULL), 0);
    assert_code(kin__dispatcher_init(&f->dispatcher, NULL), 0);
    assert_code(kin__wakeup_init(&f->quit, NULL), 0);
    kin_test_handler_init(&f->handler);
    assert_int_equal(pthread_create(&f->loop, NULL, run_loop, f), 0);
}

static void end(struct fixture *f)
{
    kin__wakeup_signal(&f->quit);
    pthread_join(f->loop, NULL);
    kin__wakeup_done(&f->quit);
    kin__dispatcher_done(&f->dispatcher);
    kin__workers_free(f->workers);
    kin_clock_unref(f->clock);
    kin_test_handler_done(&f->handler);
    assert_int_equal(kin_test_items_live(), 0);
}

static kin__listener *listener_with(struct fixture *f, kin_handler_options *options)
{
    kin__listener_options all = {
        options, kin_test_handle, &f->handler, f->clock, kin_default_logger(), f->workers,
        NULL,    "pods",          NULL,        NULL};
    kin__listener *listener = NULL;

    options->delivery = f->delivery;
    options->arg_free = kin_test_handler_freed;
    if (f->delivery == KIN_DELIVER_LOOP)
        all.dispatcher = &f->dispatcher;
    assert_code(kin__listener_new(&listener, &all, NULL), 0);
    kin_logger_unref(all.logger);
    return listener;
}

static kin__listener *new_listener(struct fixture *f)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;

    return listener_with(f, &options);
}

static kin__listener *started_listener(struct fixture *f)
{
    kin__listener *listener = new_listener(f);

    assert_code(kin__listener_start(listener, NULL), 0);
    return listener;
}

/* End it, and see that the handler was freed, once. */
static void stop(struct fixture *f, kin__listener *listener)
{
    kin__listener_end(listener);
    assert_code(kin__listener_wait_ended(listener, NULL), 0);
    assert_int_equal(f->handler.freed.count, 1);
    kin__listener_unref(listener);
}

typedef void test_fn(struct fixture *f);

static void with_each_delivery(test_fn *test)
{
    static const kin_delivery all[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL, KIN_DELIVER_LOOP};

    for (size_t i = 0; i < 3; i++) {
        struct fixture *f = malloc(sizeof(*f));

        begin(f, all[i]);
        test(f);
        end(f);
        free(f);
    }
}

/* --- telling --- */

static void tells(struct fixture *f)
{
    kin__listener *listener = started_listener(f);

    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 1, 2);
    kin_test_put(listener, KIN_EVENT_DELETE, "a", 0, 3);
    kin_test_assert_told(&f->handler, 3, "+a1 ~a1>2 -a3 ");
    stop(f, listener);
}

static void events_are_told_in_order(void **context)
{
    (void)context;
    with_each_delivery(tells);
}

static void waits_for_start(struct fixture *f)
{
    kin__listener *listener = new_listener(f);
    kin_handler_status status = {.size = sizeof(status)};

    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    kin__listener_get_status(listener, &status);
    assert_int_equal(status.queued, 1);
    assert_int_equal(f->handler.entered.count, 0);
    assert_code(kin__listener_start(listener, NULL), 0);
    kin_test_assert_told(&f->handler, 1, "+a1 ");
    stop(f, listener);
}

static void before_the_start_events_wait(void **context)
{
    (void)context;
    with_each_delivery(waits_for_start);
}

static void begin_with(kin__listener *listener, unsigned n)
{
    const kin_object **objects = kin__malloc((n + 1) * sizeof(*objects));

    for (unsigned i = 0; i < n; i++) {
        char key[16];

        snprintf(key, sizeof(key), "k%u", i);
        objects[i] = kin_test_item(key, i, NULL);
    }
    kin__listener_begin_with(listener, objects, n);
}

static void begins_with_objects(struct fixture *f)
{
    kin__listener *listener = new_listener(f);

    begin_with(listener, 5);
    assert_code(kin__listener_start(listener, NULL), 0);
    kin_test_put(listener, KIN_EVENT_UPDATE, "k0", 0, 7);
    kin_test_assert_told(&f->handler, 6, "+k00! +k11! +k22! +k33! +k44! ~k00>7 ");
    stop(f, listener);
}

static void what_it_begins_with_comes_first(void **context)
{
    (void)context;
    with_each_delivery(begins_with_objects);
}

static void many_events(struct fixture *f)
{
    kin__listener *listener = started_listener(f);

    for (unsigned i = 0; i < 1000; i++)
        kin_test_put(listener, KIN_EVENT_UPDATE, "a", i, i + 1);
    kin_test_latch_wait(&f->handler.calls, 1000);
    stop(f, listener);
}

static void there_may_be_more_than_one_turn(void **context)
{
    (void)context;
    with_each_delivery(many_events);
}

/* --- filters --- */

static bool is_even(const kin_object *object, void *arg)
{
    (void)arg;
    return kin_test_item_version(object) % 2 == 0;
}

static void put_tombstone(kin__listener *listener, const char *key, const kin_object *last)
{
    kin__notice notice = {KIN_EVENT_DELETE, false, false, {NULL, 0}, NULL, NULL};

    assert_code(kin_tombstone_new(&notice.object, kin_str_of(key), last, NULL), 0);
    notice.key = kin_str_of(kin_object_key(notice.object));
    assert_code(kin__listener_reserve(listener, 1), 0);
    kin__listener_put(listener, &notice, 1);
    kin__listener_unreserve(listener);
    kin_object_unref(notice.object);
}

static void filters(struct fixture *f)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    const kin_object *odd = kin_test_item("t", 5, NULL);
    const kin_object *even = kin_test_item("u", 6, NULL);
    kin__listener *listener;

    options.filter = is_even;
    listener = listener_with(f, &options);
    assert_code(kin__listener_start(listener, NULL), 0);
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 1, 3);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 3, 4);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 4, 6);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 6, 7);
    kin_test_put(listener, KIN_EVENT_DELETE, "a", 0, 7);
    kin_test_put(listener, KIN_EVENT_ADD, "b", 0, 2);
    kin_test_put(listener, KIN_EVENT_DELETE, "b", 0, 2);
    put_tombstone(listener, "t", odd);
    put_tombstone(listener, "u", even);
    put_tombstone(listener, "v", NULL);
    kin_test_assert_told(&f->handler, 7, "+a4 ~a4>6 -a6 +b2 -b2 -u6? -v0? ");
    kin_object_unref(odd);
    kin_object_unref(even);
    stop(f, listener);
}

static void objects_enter_and_leave_a_filter(void **context)
{
    (void)context;
    with_each_delivery(filters);
}

/* --- syncing --- */

static void syncs(struct fixture *f)
{
    kin__listener *listener = new_listener(f);

    f->handler.is_held = true;
    begin_with(listener, 1);
    kin_test_put_initial(listener, "b", 1);
    assert_code(kin__listener_start(listener, NULL), 0);
    kin__listener_upstream_synced(listener);
    assert_false(kin__listener_has_synced(listener));
    assert_code(kin__listener_wait_synced(listener, 0, NULL), KIN_ETIMEOUT);
    kin_test_latch_raise(&f->handler.may_return);
    kin_test_latch_wait(&f->handler.calls, 1);
    assert_false(kin__listener_has_synced(listener));
    kin_test_latch_raise(&f->handler.may_return);
    assert_code(kin__listener_wait_synced(listener, -1, NULL), 0);
    assert_int_equal(f->handler.calls.count, 2);
    stop(f, listener);
}

static void it_is_synced_when_all_of_the_beginning_was_told(void **context)
{
    (void)context;
    with_each_delivery(syncs);
}

static void syncs_without_objects(struct fixture *f)
{
    kin__listener *listener = started_listener(f);

    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    assert_false(kin__listener_has_synced(listener));
    kin__listener_upstream_synced(listener);
    assert_true(kin__listener_has_synced(listener));
    kin_test_latch_wait(&f->handler.calls, 1);
    stop(f, listener);
}

static void other_events_do_not_hold_it_up(void **context)
{
    (void)context;
    with_each_delivery(syncs_without_objects);
}

static void vanished_ones_count(struct fixture *f)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_handler_status status = {.size = sizeof(status)};
    kin__listener *listener;

    options.max_queued = 1;
    listener = listener_with(f, &options);
    kin_test_put_initial(listener, "a", 1);
    kin_test_put_initial(listener, "b", 1);
    kin_test_put(listener, KIN_EVENT_DELETE, "b", 0, 2);
    kin__listener_upstream_synced(listener);
    assert_false(kin__listener_has_synced(listener));
    assert_code(kin__listener_start(listener, NULL), 0);
    assert_code(kin__listener_wait_synced(listener, -1, NULL), 0);
    kin_test_assert_told(&f->handler, 1, "+a1! ");
    kin__listener_get_status(listener, &status);
    assert_int_equal(status.vanished, 1);
    assert_int_equal(status.delivered, 1);
    assert_true(status.is_synced);
    stop(f, listener);
}

static void an_addition_that_vanished_is_not_waited_for(void **context)
{
    (void)context;
    with_each_delivery(vanished_ones_count);
}

static void removed_before_synced(struct fixture *f)
{
    kin__listener *listener = started_listener(f);

    kin__listener_end(listener);
    assert_code(kin__listener_wait_synced(listener, -1, NULL), KIN_ECLOSED);
    kin__listener_upstream_synced(listener);
    assert_false(kin__listener_has_synced(listener));
    stop(f, listener);
}

static void one_that_was_removed_never_syncs(void **context)
{
    (void)context;
    with_each_delivery(removed_before_synced);
}

/* --- the end --- */

static void drops(struct fixture *f)
{
    kin__listener *listener = started_listener(f);

    f->handler.is_held = true;
    for (unsigned i = 0; i < 10; i++)
        kin_test_put(listener, KIN_EVENT_UPDATE, "a", i, i + 1);
    kin_test_latch_wait(&f->handler.entered, 1);
    kin__listener_end(listener);
    assert_int_equal(f->handler.freed.count, 0);
    kin_test_put(listener, KIN_EVENT_UPDATE, "a", 10, 11);
    kin_test_latch_raise(&f->handler.may_return);
    stop(f, listener);
    kin_test_assert_told(&f->handler, 1, "~a0>1 ");
    assert_int_equal(f->handler.entered.count, 1);
}

static void what_waits_is_dropped_with_the_handler(void **context)
{
    (void)context;
    with_each_delivery(drops);
}

static void never_started(struct fixture *f)
{
    kin__listener *listener = new_listener(f);

    begin_with(listener, 2);
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    stop(f, listener);
    assert_int_equal(f->handler.entered.count, 0);
}

static void one_that_was_never_started_can_end(void **context)
{
    (void)context;
    with_each_delivery(never_started);
}

struct own_call {
    kin__listener *listener;
    int wait_ended;
    int wait_synced;
};

static void end_from_inside(void *arg)
{
    struct own_call *own = arg;

    own->wait_synced = kin__listener_wait_synced(own->listener, -1, NULL);
    kin__listener_end(own->listener);
    own->wait_ended = kin__listener_wait_ended(own->listener, NULL);
}

static void ends_itself(struct fixture *f)
{
    struct own_call own = {started_listener(f), 0, 0};

    f->handler.during = end_from_inside;
    f->handler.during_arg = &own;
    kin_test_put(own.listener, KIN_EVENT_ADD, "a", 0, 1);
    kin_test_put(own.listener, KIN_EVENT_ADD, "b", 0, 1);
    kin_test_latch_wait(&f->handler.freed, 1);
    stop(f, own.listener);
    assert_int_equal(own.wait_ended, KIN_EBUSY);
    assert_int_equal(own.wait_synced, KIN_EBUSY);
    kin_test_assert_told(&f->handler, 1, "+a1 ");
}

static void a_handler_can_end_itself(void **context)
{
    (void)context;
    with_each_delivery(ends_itself);
}

/* Without the loop: nobody will ever come. */
static void a_loop_that_does_not_come_is_not_waited_for(void **context)
{
    struct fixture *f = malloc(sizeof(*f));
    kin__listener *listener;

    (void)context;
    begin(f, KIN_DELIVER_LOOP);
    kin__wakeup_signal(&f->quit);
    pthread_join(f->loop, NULL);
    listener = started_listener(f);
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    stop(f, listener);
    assert_int_equal(kin__dispatcher_run(&f->dispatcher, 0), 0);
    assert_int_equal(pthread_create(&f->loop, NULL, run_loop, f), 0);
    end(f);
    free(f);
}

static void workers_that_stop_end_it(void **context)
{
    struct fixture *f = malloc(sizeof(*f));
    kin__listener *listener;

    (void)context;
    begin(f, KIN_DELIVER_POOL);
    listener = started_listener(f);
    kin__workers_stop(f->workers, KIN__WORKERS_DROP);
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    assert_code(kin__listener_wait_ended(listener, NULL), 0);
    assert_int_equal(f->handler.freed.count, 1);
    assert_int_equal(f->handler.entered.count, 0);
    kin__listener_unref(listener);
    end(f);
    free(f);
}

/* --- how it fares --- */

static void shows(struct fixture *f)
{
    kin__listener *listener = started_listener(f);
    kin_handler_status status = {.size = sizeof(status)};

    f->handler.is_held = true;
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    kin_test_latch_wait(&f->handler.entered, 1);
    assert_code(kin_clock_advance(f->clock, 2 * KIN__SECOND, NULL), 0);
    kin_test_put(listener, KIN_EVENT_ADD, "b", 0, 1);
    assert_code(kin_clock_advance(f->clock, KIN__SECOND, NULL), 0);
    kin__listener_get_status(listener, &status);
    assert_int_equal(status.queued, 2);
    assert_true(status.lag_ns == 3 * KIN__SECOND);
    assert_true(status.running_ns == 3 * KIN__SECOND);
    assert_int_equal(status.delivered, 0);
    kin_test_latch_raise(&f->handler.may_return);
    kin_test_latch_wait(&f->handler.entered, 2);
    kin__listener_get_status(listener, &status);
    assert_int_equal(status.queued, 1);
    assert_true(status.lag_ns == KIN__SECOND);
    assert_true(status.running_ns == 0);
    assert_int_equal(status.delivered, 1);
    assert_int_equal(status.slow, 1);
    kin_test_latch_raise(&f->handler.may_return);
    stop(f, listener);
}

static void on_log(const kin_log_record *record, void *arg)
{
    if (strcmp(record->message, "a handler does not return") == 0)
        atomic_fetch_add((atomic_uint *)arg, 1);
}

/* It is said while it lasts: of one that never returns there is no later. */
static void hangs(struct fixture *f)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    atomic_uint n_lines = 0;
    kin_logger *logger = NULL;
    kin__listener *listener;

    assert_code(kin_logger_new(&logger, KIN_LOG_WARN, on_log, &n_lines, NULL, NULL), 0);
    assert_code(kin_set_default_logger(logger, NULL), 0);
    listener = listener_with(f, &options);
    assert_code(kin_set_default_logger(NULL, NULL), 0);
    assert_code(kin__listener_start(listener, NULL), 0);
    f->handler.is_held = true;
    kin_test_put(listener, KIN_EVENT_ADD, "a", 0, 1);
    kin_test_latch_wait(&f->handler.entered, 1);
    assert_code(kin_clock_advance(f->clock, 59 * KIN__SECOND, NULL), 0);
    kin_test_put(listener, KIN_EVENT_ADD, "b", 0, 1);
    assert_int_equal(atomic_load(&n_lines), 0);
    assert_code(kin_clock_advance(f->clock, KIN__SECOND, NULL), 0);
    kin_test_put(listener, KIN_EVENT_ADD, "c", 0, 1);
    kin_test_put(listener, KIN_EVENT_ADD, "d", 0, 1);
    assert_int_equal(atomic_load(&n_lines), 1);
    kin__listener_end(listener);
    kin_test_latch_raise(&f->handler.may_return);
    stop(f, listener);
    kin_logger_unref(logger);
}

static void a_call_that_does_not_return_is_logged(void **context)
{
    (void)context;
    with_each_delivery(hangs);
}

static void lag_and_slow_calls_are_visible(void **context)
{
    (void)context;
    with_each_delivery(shows);
}

static void bounded(struct fixture *f)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin_handler_status status = {.size = sizeof(status)};
    kin__listener *listener;

    options.max_queued = 100;
    listener = listener_with(f, &options);
    assert_code(kin__listener_start(listener, NULL), 0);
    f->handler.is_held = true;
    for (unsigned i = 0; i < 20000; i++) {
        char key[16];

        snprintf(key, sizeof(key), "k%u", i % 50);
        kin_test_put(listener, i < 50 ? KIN_EVENT_ADD : KIN_EVENT_UPDATE, key, i, i + 50);
    }
    kin__listener_get_status(listener, &status);
    /* Up to 256 were taken out when the handler was called. */
    assert_true(status.queued <= 100 + 50 + 256);
    assert_true(status.merged >= 20000 - 100 - 50 - 256);
    assert_true(kin_test_items_live() <= 2 * (100 + 50 + 256));
    kin__listener_end(listener);
    kin_test_latch_raise(&f->handler.may_return);
    stop(f, listener);
}

static void a_handler_that_hangs_costs_a_bounded_amount(void **context)
{
    (void)context;
    with_each_delivery(bounded);
}

/* --- without memory --- */

/* What it runs in is its own, so that all of its memory is back at the end. */
struct life {
    kin_delivery delivery;
    kin_test_handler handler;
    kin_clock *clock;
};

static int put_some(kin__listener *listener, kin_error *err)
{
    kin__notice notice = {KIN_EVENT_ADD, false, false, {NULL, 0}, NULL, NULL};
    int code = 0;

    for (unsigned i = 0; code == 0 && i < 3; i++) {
        notice.object = kin_test_item(i % 2 ? "a" : "b", i, NULL);
        notice.key = kin_str_of(kin_object_key(notice.object));
        code = kin__listener_reserve(listener, 1);
        if (code == 0)
            kin__listener_put(listener, &notice, 1);
        kin__listener_unreserve(listener);
        kin_object_unref(notice.object);
    }
    return code < 0 ? kin_error_set(err, code, "out of memory") : 0;
}

static int live_with(struct life *life, kin__workers *workers, kin__dispatcher *dispatcher,
                     kin_error *err)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
    kin__listener_options all = {
        &options, kin_test_handle, &life->handler, life->clock, kin_default_logger(), workers,
        NULL,     "pods",          NULL,           NULL};
    kin__listener *listener = NULL;
    int code;

    options.delivery = life->delivery;
    options.max_queued = 1;
    if (life->delivery == KIN_DELIVER_LOOP)
        all.dispatcher = dispatcher;
    code = kin__listener_new(&listener, &all, err);
    kin_logger_unref(all.logger);
    if (code < 0)
        return code;
    code = put_some(listener, err);
    if (code == 0)
        code = kin__listener_start(listener, err);
    if (code == 0)
        code = put_some(listener, err);
    kin__dispatcher_run(dispatcher, 1);
    kin__listener_end(listener);
    kin__listener_wait_ended(listener, NULL);
    kin__listener_unref(listener);
    return code;
}

static int whole_life(void *arg, kin_error *err)
{
    kin__workers *workers = NULL;
    kin__dispatcher dispatcher;
    int code = kin__dispatcher_init(&dispatcher, err);

    if (code < 0)
        return code;
    code = kin__workers_new(&workers, "kin-test", 1, kin_clock_system(), err);
    if (code == 0)
        code = kin__workers_start(workers, err);
    if (code == 0)
        code = live_with(arg, workers, &dispatcher, err);
    kin__workers_free(workers);
    kin__dispatcher_done(&dispatcher);
    return code;
}

static void every_allocation_may_fail(void **context)
{
    static const kin_delivery all[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL, KIN_DELIVER_LOOP};
    struct life *life = malloc(sizeof(*life));

    (void)context;
    kin_test_handler_init(&life->handler);
    assert_code(kin_clock_new_fake(&life->clock, 0, NULL), 0);
    for (size_t i = 0; i < 3; i++) {
        life->delivery = all[i];
        kin_test_fail_each_allocation(whole_life, life);
    }
    kin_clock_unref(life->clock);
    kin_test_handler_done(&life->handler);
    free(life);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_told_in_order),
        cmocka_unit_test(before_the_start_events_wait),
        cmocka_unit_test(what_it_begins_with_comes_first),
        cmocka_unit_test(there_may_be_more_than_one_turn),
        cmocka_unit_test(objects_enter_and_leave_a_filter),
        cmocka_unit_test(it_is_synced_when_all_of_the_beginning_was_told),
        cmocka_unit_test(other_events_do_not_hold_it_up),
        cmocka_unit_test(an_addition_that_vanished_is_not_waited_for),
        cmocka_unit_test(one_that_was_removed_never_syncs),
        cmocka_unit_test(what_waits_is_dropped_with_the_handler),
        cmocka_unit_test(one_that_was_never_started_can_end),
        cmocka_unit_test(a_handler_can_end_itself),
        cmocka_unit_test(a_loop_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(workers_that_stop_end_it),
        cmocka_unit_test(lag_and_slow_calls_are_visible),
        cmocka_unit_test(a_call_that_does_not_return_is_logged),
        cmocka_unit_test(a_handler_that_hangs_costs_a_bounded_amount),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
