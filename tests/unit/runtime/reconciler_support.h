/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reconciler over one informer, whose source does what the test says, on a clock that stands. Its
 * function notes keys, can be held up, and does what the test wants of each call.
 */
#ifndef KIN_TEST_RECONCILER_SUPPORT_H
#define KIN_TEST_RECONCILER_SUPPORT_H

#include <pthread.h>

#include "informer_support.h"
#include "kin_test.h"
#include "kinform/reconciler.h"
#include "latch.h"

typedef struct kin_test_reconciler kin_test_reconciler;

/* What is wanted of the n-th call in all, counted from 1. */
typedef int kin_test_step_fn(kin_test_reconciler *test, kin_reconcile *call, unsigned n,
                             kin_error *err);

struct kin_test_reconciler {
    kin_test_stage *stage;
    kin_reconciler *reconciler;
    kin_reconciler_options options; /* clock and logger are the stage's */
    kin_test_step_fn *step;         /* NULL: 0 */
    kin_test_pull *watch;           /* of the informer, once it was started */
    kin_test_latch entered;         /* raised at the begin of each call */
    kin_test_latch calls;           /* and at its end */
    kin_test_latch may_return; /* if `is_held`: the n-th call waits for it to be raised n times */
    bool is_held;
    pthread_mutex_t lock;
    unsigned n;          /* (lock) */
    char text[65536];    /* (lock) "default/a default/b " */
    size_t len;          /* (lock) */
    int64_t times[1024]; /* (lock) when they began */
};

/* Change `options`, and then make it; it watches the stage's informer by `keys`, if that is not NULL. */
kin_test_reconciler *kin_test_reconciler_new(void);
/* The same over an informer with these options. */
kin_test_reconciler *kin_test_reconciler_new_over(const kin_informer_options *informer);
void kin_test_reconciler_make(kin_test_reconciler *test, kin_reconcile_keys_fn *keys);
void kin_test_reconciler_free(kin_test_reconciler *test);

/* Made with these options or NULL, and both started: the first list is there. */
kin_test_reconciler *kin_test_reconciler_with(const kin_reconciler_options *options,
                                              kin_test_step_fn *step, bool is_held,
                                              const char *pods);
/* Start the informer with this list, and the reconciler. */
void kin_test_reconciler_start(kin_test_reconciler *test, const char *pods);

/* Wait for `n` calls in all, and compare their keys: "default/a default/b ". */
void kin_test_assert_reconciled(kin_test_reconciler *test, unsigned n, const char *expected);
kin_reconciler_status kin_test_reconciler_status(kin_test_reconciler *test);

/* Until it is so; other threads are at it. */
#define kin_test_until(condition)                                                                  \
    do {                                                                                           \
        int64_t until_ = kin_test_deadline();                                                      \
                                                                                                   \
        while (!(condition)) {                                                                     \
            if (!kin_test_wait_turn(until_))                                                       \
                fail_msg("waited for %s", #condition);                                             \
        }                                                                                          \
    } while (0)

/* The same where it depends on times that others set meanwhile: the clock goes on in such steps. */
#define kin_test_advance_until(stage, ns, condition)                                               \
    kin_test_until((condition) ||                                                                  \
                   (assert_code(kin_clock_advance((stage)->clock, ns, NULL), 0), false))

#endif
