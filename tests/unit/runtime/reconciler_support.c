/* SPDX-License-Identifier: Apache-2.0 */
#include "reconciler_support.h"

#include <stdlib.h>
#include <string.h>

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    kin_test_reconciler *test = arg;
    unsigned n;
    int code;

    pthread_mutex_lock(&test->lock);
    n = ++test->n;
    test->times[(n - 1) % 1024] = kin_clock_now(test->stage->clock);
    test->len += (size_t)snprintf(test->text + test->len, sizeof(test->text) - test->len, "%s ",
                                  kin_reconcile_key(call).data);
    pthread_mutex_unlock(&test->lock);
    kin_test_latch_raise(&test->entered);
    if (test->is_held)
        kin_test_latch_wait(&test->may_return, n);
    code = test->step ? test->step(test, call, n, err) : 0;
    kin_test_latch_raise(&test->calls);
    return code;
}

kin_test_reconciler *kin_test_reconciler_new(void)
{
    return kin_test_reconciler_new_over(NULL);
}

kin_test_reconciler *kin_test_reconciler_new_over(const kin_informer_options *informer)
{
    kin_test_reconciler *test = calloc(1, sizeof(*test));

    assert_non_null(test);
    test->stage = kin_test_stage_with(informer);
    test->options = (kin_reconciler_options)KIN_RECONCILER_OPTIONS_INIT;
    pthread_mutex_init(&test->lock, NULL);
    kin_test_latch_init(&test->entered);
    kin_test_latch_init(&test->calls);
    kin_test_latch_init(&test->may_return);
    return test;
}

void kin_test_reconciler_make(kin_test_reconciler *test, kin_reconcile_keys_fn *keys)
{
    test->options.clock = test->stage->clock;
    test->options.logger = test->stage->logger;
    if (!test->options.name)
        test->options.name = "test";
    assert_code(kin_reconciler_new(&test->reconciler, reconcile, test, &test->options, NULL), 0);
    if (keys)
        assert_code(
            kin_reconciler_watch(test->reconciler, test->stage->informer, keys, NULL, NULL, NULL),
            0);
}

void kin_test_reconciler_free(kin_test_reconciler *test)
{
    kin_reconciler_free(test->reconciler);
    kin_test_stage_free(test->stage);
    kin_test_latch_done(&test->entered);
    kin_test_latch_done(&test->calls);
    kin_test_latch_done(&test->may_return);
    pthread_mutex_destroy(&test->lock);
    free(test);
}

void kin_test_reconciler_start(kin_test_reconciler *test, const char *pods)
{
    test->watch = kin_test_start(test->stage, "5", pods);
    assert_code(kin_reconciler_start(test->reconciler, NULL), 0);
}

kin_test_reconciler *kin_test_reconciler_with(const kin_reconciler_options *options,
                                              kin_test_step_fn *step, bool is_held,
                                              const char *pods)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    if (options)
        test->options = *options;
    test->step = step;
    test->is_held = is_held;
    kin_test_reconciler_make(test, kin_keys_of_object);
    kin_test_reconciler_start(test, pods);
    return test;
}

void kin_test_assert_reconciled(kin_test_reconciler *test, unsigned n, const char *expected)
{
    kin_test_latch_wait(&test->calls, n);
    pthread_mutex_lock(&test->lock);
    assert_string_equal(test->text, expected);
    pthread_mutex_unlock(&test->lock);
}

kin_reconciler_status kin_test_reconciler_status(kin_test_reconciler *test)
{
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;

    assert_code(kin_reconciler_get_status(test->reconciler, &status, NULL), 0);
    return status;
}
