/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A watch is closed while the server ends it: nobody wakes a reader that has gone.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "alloc.h"
#include "api_support.h"

struct reader {
    kin__source *source;
    kin_test_latch entered; /* it is being woken */
    kin_test_latch leave;
    kin_test_latch closing;
    atomic_bool has_left;
    atomic_bool is_closed;
    bool has_waited; /* the wake had returned when it was closed */
};

static kin_test_api api;

static void wake_slowly(void *arg)
{
    struct reader *reader = arg;

    kin_test_latch_raise(&reader->entered);
    kin_test_latch_wait(&reader->leave, 1);
    atomic_store(&reader->has_left, true);
}

static void *stop(void *unused)
{
    kin__api_stop(api.api);
    return unused;
}

static void *close_source(void *arg)
{
    struct reader *reader = arg;

    kin_test_latch_raise(&reader->closing);
    reader->source->close(reader->source);
    reader->has_waited = atomic_load(&reader->has_left);
    atomic_store(&reader->is_closed, true);
    return NULL;
}

static void closed_while_it_is_woken(void **unused)
{
    struct reader reader = {.source = NULL};
    kin_test_call call;
    pthread_t stopper;
    pthread_t closer;

    (void)unused;
    kin_test_latch_init(&reader.entered);
    kin_test_latch_init(&reader.leave);
    kin_test_latch_init(&reader.closing);
    kin_test_api_start(&api, NULL);
    kin_test_call_start(&api, &call,
                        &(kin_test_request){.line = "GET /api/v1/pods?watch=1&resourceVersion=1"});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0); /* nothing: it waits */
    reader.source = call.reply.source;
    reader.source->wake = wake_slowly;
    reader.source->wake_arg = &reader;
    call.reply.source = NULL;

    assert_int_equal(pthread_create(&stopper, NULL, stop, NULL), 0);
    kin_test_latch_wait(&reader.entered, 1);
    assert_int_equal(pthread_create(&closer, NULL, close_source, &reader), 0);
    kin_test_latch_wait(&reader.closing, 1);
    /* Time enough to come back too early, if it would. */
    for (int i = 0; i < 1000 && !atomic_load(&reader.is_closed); i++)
        sched_yield();
    kin_test_latch_raise(&reader.leave);
    pthread_join(closer, NULL);
    pthread_join(stopper, NULL);
    assert_true(reader.has_waited);

    kin_test_call_done(&call);
    kin_test_api_stop(&api);
    kin_test_latch_done(&reader.entered);
    kin_test_latch_done(&reader.leave);
    kin_test_latch_done(&reader.closing);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_while_it_is_woken)};

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
