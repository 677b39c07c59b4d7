/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that cannot be had when a reconciler starts. The linker puts create() in the place of
 * pthread_create(), for the whole program.
 */
#include "reconciler_support.h"

#include <errno.h>
#include <string.h>

#include "alloc.h"

enum { WORKERS = 3, THREADS = WORKERS + 1 }; /* and the keeper */

typedef void *thread_fn(void *arg);

int create(pthread_t *thread, const pthread_attr_t *attr, thread_fn *run,
           void *arg) __asm__("__wrap_pthread_create");
int really_create(pthread_t *thread, const pthread_attr_t *attr, thread_fn *run,
                  void *arg) __asm__("__real_pthread_create");

/* Of those that this thread makes: so many can be had; below 0: all. Informers make some, too. */
static _Thread_local int n_left = -1;

int create(pthread_t *thread, const pthread_attr_t *attr, thread_fn *run, void *arg)
{
    if (n_left == 0)
        return EAGAIN;
    n_left -= n_left > 0;
    return really_create(thread, attr, run, arg);
}

static kin_test_reconciler *make(void)
{
    kin_test_reconciler *test = kin_test_reconciler_new();

    test->options.n_workers = WORKERS;
    kin_test_reconciler_make(test, kin_keys_of_object);
    test->watch = kin_test_start(test->stage, "5", "a:1");
    return test;
}

static int start_with(kin_test_reconciler *test, int n_threads, kin_error *err)
{
    int code;

    n_left = n_threads;
    code = kin_reconciler_start(test->reconciler, err);
    n_left = -1;
    return code;
}

/* Nothing has begun, and it can be tried again. */
static void a_start_without_threads_starts_nothing(void **state)
{
    (void)state;
    for (int n = 0; n < THREADS; n++) {
        kin_test_reconciler *test = make();
        kin_error err = KIN_ERROR_INIT;

        assert_code(start_with(test, n, &err), KIN_ESYSTEM);
        assert_non_null(strstr(err.message, "starting a thread"));
        assert_int_equal(err.os_error, EAGAIN);
        assert_int_equal(kin_test_reconciler_status(test).state, KIN_RECONCILER_NEW);
        assert_int_equal(kin_test_reconciler_status(test).n_queued, 1);
        assert_int_equal(kin_test_latch_count(&test->entered), 0);
        assert_code(kin_reconciler_wait_stopped(test->reconciler, 0, NULL), 0);
        assert_code(start_with(test, n, NULL), KIN_ESYSTEM);
        assert_code(start_with(test, THREADS, NULL), 0);
        kin_test_assert_reconciled(test, 1, "default/a ");
        kin_test_reconciler_free(test);
    }
}

static void one_that_could_not_be_started_can_be_stopped_and_freed(void **state)
{
    size_t before = kin_test_alloc_live();
    kin_test_reconciler *test = make();

    (void)state;
    assert_code(start_with(test, THREADS - 1, NULL), KIN_ESYSTEM);
    kin_reconciler_stop(test->reconciler, KIN_RECONCILER_DRAIN);
    assert_code(kin_reconciler_wait_stopped(test->reconciler, -1, NULL), 0);
    assert_code(start_with(test, -1, NULL), KIN_ECLOSED);
    kin_test_reconciler_free(test);
    test = make();
    assert_code(start_with(test, 1, NULL), KIN_ESYSTEM);
    kin_test_reconciler_free(test);
    /* Not earlier: the informer has threads of its own, which allocate when they like. */
    assert_int_equal(kin_test_alloc_live(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_start_without_threads_starts_nothing),
        cmocka_unit_test(one_that_could_not_be_started_can_be_stopped_and_freed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
