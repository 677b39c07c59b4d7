/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A handler that takes two seconds for each event, in a world that changes twenty times a second, for an
 * hour of the fake clock: memory stays as it is, how deep it is in is to be seen, the log names it, another
 * handler does not notice, and in the end it has missed nothing that matters.
 */
#include "kin_test.h"
#include "kinform/informer.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "informer/informer.h"
#include "rng.h"
#include "world.h"

enum {
    SECONDS = KIN_TEST_SANITIZED ? 900 : 3600, /* those builds are slow */
    CHANGES = 20,                              /* per second */
    MAX_QUEUED = 16,
    /* Beyond the limit each key has two at most, and some were taken out and cannot be merged. */
    MAX_DEPTH = MAX_QUEUED + 2 * KIN_TEST_WORLD_PODS + 256,
};

struct hour {
    kin_clock *clock;
    kin_logger *logger;
    kin_test_world *world;
    kin_informer *informer;
    kin_test_mirror slow;
    kin_test_mirror quick;
    kin_registration *slow_registration;
    kin_registration *quick_registration;
    kin_test_latch entered;
    kin_test_latch may_return;
    unsigned n_entered;  /* the handler's */
    atomic_bool is_free; /* it is not held any more */
    atomic_uint n_warnings;
    atomic_uint n_foreign; /* warnings of another handler */
};

static void take_time(void *arg)
{
    struct hour *hour = arg;

    kin_test_latch_raise(&hour->entered);
    hour->n_entered++;
    if (!atomic_load(&hour->is_free))
        kin_test_latch_wait(&hour->may_return, hour->n_entered);
}

static void on_log(const kin_log_record *record, void *arg)
{
    struct hour *hour = arg;
    bool is_named = false;
    bool is_of_informer = false;

    if (strcmp(record->message, "a handler is slow") != 0)
        return;
    for (size_t i = 0; i < record->n_fields; i++) {
        is_named |= strcmp(record->fields[i].key, "handler") == 0 &&
                    kin_str_equal(record->fields[i].value.str, kin_str_of("tortoise"));
        is_of_informer |= strcmp(record->fields[i].key, "informer") == 0 &&
                          kin_str_equal(record->fields[i].value.str, kin_str_of("animals"));
    }
    atomic_fetch_add(is_named && is_of_informer ? &hour->n_warnings : &hour->n_foreign, 1);
}

static void begin(struct hour *hour, kin_delivery delivery)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(&hour->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&hour->logger, KIN_LOG_WARN, on_log, hour, NULL, NULL), 0);
    hour->world = kin_test_world_new();
    kin_test_mirror_init(&hour->slow);
    kin_test_mirror_init(&hour->quick);
    kin_test_latch_init(&hour->entered);
    kin_test_latch_init(&hour->may_return);
    hour->slow.during = take_time;
    hour->slow.during_arg = hour;
    options.name = "animals";
    options.clock = hour->clock;
    options.logger = hour->logger;
    options.seed = 1;
    assert_code(kin_informer_new_from(&hour->informer, kin_test_world_list_watch(hour->world),
                                      &options, NULL),
                0);
    handler.name = "tortoise";
    handler.delivery = delivery;
    handler.max_queued = MAX_QUEUED;
    handler.slow_ms = 500;
    assert_code(kin_informer_add_handler(hour->informer, &hour->slow_registration,
                                         kin_test_mirror_handle, &hour->slow, &handler, NULL),
                0);
    handler.name = "hare";
    handler.delivery = KIN_DELIVER_THREAD;
    assert_code(kin_informer_add_handler(hour->informer, &hour->quick_registration,
                                         kin_test_mirror_handle, &hour->quick, &handler, NULL),
                0);
}

static void end(struct hour *hour)
{
    kin_registration_unref(hour->slow_registration);
    kin_registration_unref(hour->quick_registration);
    kin_informer_free(hour->informer);
    kin_test_world_free(hour->world);
    kin_test_latch_done(&hour->may_return);
    kin_test_latch_done(&hour->entered);
    kin_test_mirror_done(&hour->quick);
    kin_test_mirror_done(&hour->slow);
    kin_logger_unref(hour->logger);
    kin_clock_unref(hour->clock);
}

static kin_handler_status status_of(kin_registration *registration)
{
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;

    assert_code(kin_registration_get_status(registration, &status, NULL), 0);
    return status;
}

/* The handler has been told of all. */
static void await_told(kin_registration *registration)
{
    assert_code(kin__listener_wait_told(registration->listener, INT64_MAX, NULL), 0);
}

static void pass_second(struct hour *hour, kin_test_rng *rng)
{
    char version[24];

    for (unsigned i = 0; i < CHANGES; i++) {
        unsigned pod = (unsigned)kin_test_below(rng, KIN_TEST_WORLD_PODS);

        if (kin_test_below(rng, 4))
            kin_test_world_put(hour->world, pod);
        else
            kin_test_world_delete(hour->world, pod);
    }
    kin_test_world_version(hour->world, version);
    assert_code(kin_informer_wait_version(hour->informer, version, -1, NULL), 0);
    await_told(hour->quick_registration);
    assert_code(kin_clock_advance(hour->clock, KIN__SECOND, NULL), 0);
}

struct seen {
    size_t depth;      /* the most */
    int64_t lag_ns;    /* the longest */
    size_t bytes;      /* the most, behind the first sixth */
    size_t warm_bytes; /* the most of the first sixth */
};

static void look(struct hour *hour, unsigned second, struct seen *seen)
{
    kin_handler_status status = status_of(hour->slow_registration);
    size_t *bytes = second < SECONDS / 6 ? &seen->warm_bytes : &seen->bytes;
    size_t now = kin_test_alloc_bytes();

    if (status.queued > seen->depth)
        seen->depth = status.queued;
    if (status.lag_ns > seen->lag_ns)
        seen->lag_ns = status.lag_ns;
    if (now > *bytes)
        *bytes = now;
    /* The call that is under way is to be seen, too. */
    assert_true(status.running_ns >= KIN__SECOND);
    assert_int_equal(status_of(hour->quick_registration).slow, 0);
}

static void pass_hour(struct hour *hour, struct seen *seen)
{
    kin_test_rng rng = {1};
    unsigned n_calls = 0;

    for (unsigned second = 0; second < SECONDS; second++) {
        pass_second(hour, &rng);
        if (second == 0)
            kin_test_latch_wait(&hour->entered, ++n_calls);
        if (second > 0)
            look(hour, second, seen);
        if (second % 2 == 0)
            continue;
        kin_test_latch_raise(&hour->may_return);
        kin_test_latch_wait(&hour->entered, ++n_calls);
    }
}

static void catch_up(struct hour *hour)
{
    const char *found;

    atomic_store(&hour->is_free, true);
    kin_test_latch_raise(&hour->may_return);
    await_told(hour->slow_registration);
    found = kin_test_mirror_differs(&hour->slow, hour->world);
    if (found)
        fail_msg("%s", found);
}

static void run(kin_delivery delivery)
{
    struct hour *hour = calloc(1, sizeof(*hour));
    struct seen seen = {.depth = 0};
    kin_handler_status status;

    begin(hour, delivery);
    assert_code(kin_informer_start(hour->informer, NULL), 0);
    pass_hour(hour, &seen);
    status = status_of(hour->slow_registration);
    print_message("%u events to the quick one, %llu to the slow one; %llu merged, %llu vanished; "
                  "depth up to %zu, lag up to %lld s; %zu KiB, then %zu KiB; %u warnings\n",
                  hour->quick.n_told, (unsigned long long)status.delivered,
                  (unsigned long long)status.merged, (unsigned long long)status.vanished,
                  seen.depth, (long long)(seen.lag_ns / KIN__SECOND), seen.warm_bytes / 1024,
                  seen.bytes / 1024, atomic_load(&hour->n_warnings));
    assert_in_range(seen.depth, MAX_QUEUED, MAX_DEPTH);
    assert_true(seen.lag_ns > 60 * KIN__SECOND);
    assert_true(seen.bytes < seen.warm_bytes + 32768);
    assert_true(status.merged > 0);
    assert_int_equal(status.slow, status.delivered);
    /* One a minute, not one a call. */
    assert_in_range(atomic_load(&hour->n_warnings), SECONDS / 120, SECONDS / 60 + 1);
    assert_int_equal(atomic_load(&hour->n_foreign), 0);
    assert_null(kin_test_mirror_differs(&hour->quick, hour->world));
    catch_up(hour);
    end(hour);
    free(hour);
}

static void in_a_thread(void **state)
{
    (void)state;
    run(KIN_DELIVER_THREAD);
}

static void in_the_pool(void **state)
{
    (void)state;
    run(KIN_DELIVER_POOL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_a_thread),
        cmocka_unit_test(in_the_pool),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
