/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rate limiters. All of them, ours too, are a table of functions and an argument, so that a
 * caller's own limiter is as good as any.
 *
 * Threads: any. Who counts per key has a lock of its own (failures.h), the bucket has its own; no
 * function is called with a lock held, and none of ours calls out under one.
 */
#include "kinform/rate_limiter.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "base/process.h"
#include "base/rate_limit.h"
#include "base/ref.h"
#include "workqueue/failures.h"

/* client-go's defaults. */
#define CONTROLLER_BASE (5 * KIN__MILLISECOND)
#define ITEM_BASE KIN__MILLISECOND
#define MAX_DELAY (1000 * KIN__SECOND)
#define CONTROLLER_QPS 10.0
#define CONTROLLER_BURST 100

struct kin_rate_limiter {
    kin__ref ref;
    kin__fork_guard guard;                /* const after new */
    kin_rate_limiter_functions functions; /* const after new */
    void *arg;                            /* const after new */
    void (*arg_free)(void *arg);          /* const after new */
};

/* --- any limiter --- */

int kin_rate_limiter_new(kin_rate_limiter **ret, const kin_rate_limiter_functions *functions,
                         void *arg, void (*arg_free)(void *arg), kin_error *err)
{
    kin_rate_limiter_functions all = KIN_RATE_LIMITER_FUNCTIONS_INIT;
    kin_rate_limiter *limiter;
    int code;

    if (!ret || !functions)
        return kin__error_null(err, ret ? "functions" : "ret");
    code = kin__options_take(&all, sizeof(all), functions, "KIN_RATE_LIMITER_FUNCTIONS_INIT", err);
    if (code < 0)
        return code;
    if (!all.when)
        return kin__error_null(err, "when");
    limiter = kin__malloc(sizeof(*limiter));
    if (!limiter)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&limiter->guard, err);
    if (code < 0) {
        kin__free(limiter);
        return code;
    }
    kin__ref_init(&limiter->ref);
    limiter->functions = all;
    limiter->arg = arg;
    limiter->arg_free = arg_free;
    *ret = limiter;
    return 0;
}

/* One of ours: it frees its argument if it fails. */
static int new_own(kin_rate_limiter **ret, const kin_rate_limiter_functions *functions, void *arg,
                   void (*arg_free)(void *arg), kin_error *err)
{
    int code = kin_rate_limiter_new(ret, functions, arg, arg_free, err);

    if (code < 0)
        arg_free(arg);
    return code;
}

kin_rate_limiter *kin_rate_limiter_ref(kin_rate_limiter *limiter)
{
    if (limiter)
        kin__ref_get(&limiter->ref);
    return limiter;
}

void kin_rate_limiter_unref(kin_rate_limiter *limiter)
{
    if (!limiter || !kin__ref_put(&limiter->ref))
        return;
    if (limiter->arg_free)
        limiter->arg_free(limiter->arg);
    kin__free(limiter);
}

int kin_rate_limiter_when(kin_rate_limiter *limiter, kin_str key, int64_t *ret, kin_error *err)
{
    int64_t delay = 0;
    kin_error said;
    int code;

    if (!limiter || !ret)
        return kin__error_null(err, limiter ? "ret" : "limiter");
    code = kin__fork_guard_check(&limiter->guard, err);
    if (code < 0)
        return code;
    kin__assert_no_locks();
    kin__error_begin(&said);
    code = limiter->functions.when(key, &delay, limiter->arg, &said);
    if (code > 0)
        return kin_error_set(err, KIN_EINVAL, "a rate limiter returned %d", code);
    if (code < 0)
        return kin__error_pass(err, code, &said);
    *ret = delay;
    return 0;
}

void kin_rate_limiter_forget(kin_rate_limiter *limiter, kin_str key)
{
    if (!limiter || kin__fork_guard_check(&limiter->guard, NULL) < 0)
        return;
    kin__assert_no_locks();
    if (limiter->functions.forget)
        limiter->functions.forget(key, limiter->arg);
}

uint64_t kin_rate_limiter_n_requeues(kin_rate_limiter *limiter, kin_str key)
{
    if (!limiter || kin__fork_guard_check(&limiter->guard, NULL) < 0)
        return 0;
    kin__assert_no_locks();
    return limiter->functions.n_requeues ? limiter->functions.n_requeues(key, limiter->arg) : 0;
}

/* --- those that count per key --- */

struct per_key {
    kin__failures failures;
    int64_t first;   /* the base, or fast */
    int64_t then;    /* the most, or slow */
    uint64_t n_fast; /* of fast-slow */
};

static void per_key_free(void *arg)
{
    struct per_key *p = arg;

    kin__failures_done(&p->failures);
    kin__free(p);
}

static void per_key_forget(kin_str key, void *arg)
{
    struct per_key *p = arg;

    kin__failures_forget(&p->failures, key);
}

static uint64_t per_key_n_requeues(kin_str key, void *arg)
{
    struct per_key *p = arg;

    return kin__failures_of(&p->failures, key);
}

static int new_per_key(kin_rate_limiter **ret, kin_rate_limiter_when_fn *when, int64_t first,
                       int64_t then, uint64_t n_fast, kin_error *err)
{
    const kin_rate_limiter_functions functions = {sizeof(functions), when, per_key_forget,
                                                  per_key_n_requeues};
    struct per_key *p;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    if (first < 0 || then < 0)
        return kin_error_set(err, KIN_EINVAL, "a negative delay");
    p = kin__malloc(sizeof(*p));
    if (!p)
        return kin__error_no_memory(err);
    code = kin__failures_init(&p->failures, err);
    if (code < 0) {
        kin__free(p);
        return code;
    }
    p->first = first;
    p->then = then;
    p->n_fast = n_fast;
    return new_own(ret, &functions, p, per_key_free, err);
}

static int when_exponential(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct per_key *p = arg;
    uint64_t n = 0;
    int code = kin__failures_count(&p->failures, key, &n, err);

    if (code < 0)
        return code;
    /* Compared before it is shifted, so that nothing overflows. */
    *ret = n < 63 && p->first <= p->then >> n ? p->first << n : p->then;
    if (p->first == 0)
        *ret = 0;
    return 0;
}

int kin_rate_limiter_new_exponential(kin_rate_limiter **ret, int64_t base_ns, int64_t max_ns,
                                     kin_error *err)
{
    return new_per_key(ret, when_exponential, base_ns, max_ns, 0, err);
}

static int when_fast_slow(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct per_key *p = arg;
    uint64_t n = 0;
    int code = kin__failures_count(&p->failures, key, &n, err);

    if (code < 0)
        return code;
    *ret = n < p->n_fast ? p->first : p->then;
    return 0;
}

int kin_rate_limiter_new_fast_slow(kin_rate_limiter **ret, int64_t fast_ns, int64_t slow_ns,
                                   uint64_t n_fast, kin_error *err)
{
    return new_per_key(ret, when_fast_slow, fast_ns, slow_ns, n_fast, err);
}

/* --- a bucket --- */

struct bucket {
    kin__fork_guard guard; /* const after new */
    kin__rate_limit limit;
    kin_clock *clock; /* const after new */
};

static void bucket_free(void *arg)
{
    struct bucket *b = arg;

    if (kin__fork_guard_check(&b->guard, NULL) == 0)
        kin__rate_limit_done(&b->limit);
    kin_clock_unref(b->clock);
    kin__free(b);
}

static int when_bucket(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct bucket *b = arg;
    int64_t now = kin_clock_now(b->clock);

    (void)key;
    (void)err;
    *ret = kin__rate_limit_reserve(&b->limit, now).at - now;
    return 0;
}

int kin_rate_limiter_new_bucket(kin_rate_limiter **ret, double qps, int burst, kin_clock *clock,
                                kin_error *err)
{
    const kin_rate_limiter_functions functions = {sizeof(functions), when_bucket, NULL, NULL};
    struct bucket *b;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    if (!(qps > 1e-9) || burst < 1)
        return kin_error_set(err, KIN_EINVAL, "a bucket wants a rate above 0 and a burst of 1");
    b = kin__malloc(sizeof(*b));
    if (!b)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&b->guard, err);
    if (code < 0) {
        kin__free(b);
        return code;
    }
    kin__rate_limit_init(&b->limit, qps, burst);
    b->clock = kin_clock_ref(clock ? clock : kin_clock_system());
    return new_own(ret, &functions, b, bucket_free, err);
}

/* --- those that ask others --- */

struct max_of {
    size_t n;
    kin_rate_limiter *limiters[];
};

static void max_of_free(void *arg)
{
    struct max_of *m = arg;

    for (size_t i = 0; i < m->n; i++)
        kin_rate_limiter_unref(m->limiters[i]);
    kin__free(m);
}

/* All are asked, also if one fails: each has counted then, and forgetting makes them even. */
static int when_max_of(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct max_of *m = arg;
    int64_t longest = 0;
    int failed = 0;

    for (size_t i = 0; i < m->n; i++) {
        int64_t delay = 0;
        int code = kin_rate_limiter_when(m->limiters[i], key, &delay, failed < 0 ? NULL : err);

        if (failed == 0)
            failed = code;
        if (delay > longest)
            longest = delay;
    }
    *ret = longest;
    return failed;
}

static void max_of_forget(kin_str key, void *arg)
{
    struct max_of *m = arg;

    for (size_t i = 0; i < m->n; i++)
        kin_rate_limiter_forget(m->limiters[i], key);
}

static uint64_t max_of_n_requeues(kin_str key, void *arg)
{
    struct max_of *m = arg;
    uint64_t most = 0;

    for (size_t i = 0; i < m->n; i++) {
        uint64_t n = kin_rate_limiter_n_requeues(m->limiters[i], key);

        if (n > most)
            most = n;
    }
    return most;
}

int kin_rate_limiter_new_max_of(kin_rate_limiter **ret, kin_rate_limiter *const *limiters, size_t n,
                                kin_error *err)
{
    const kin_rate_limiter_functions functions = {sizeof(functions), when_max_of, max_of_forget,
                                                  max_of_n_requeues};
    struct max_of *m;

    if (!ret || (n > 0 && !limiters))
        return kin__error_null(err, ret ? "limiters" : "ret");
    for (size_t i = 0; i < n; i++) {
        if (!limiters[i])
            return kin__error_null(err, "a limiter");
    }
    if (n > (SIZE_MAX - sizeof(*m)) / sizeof(m->limiters[0]))
        return kin__error_no_memory(err);
    m = kin__malloc(sizeof(*m) + n * sizeof(m->limiters[0]));
    if (!m)
        return kin__error_no_memory(err);
    m->n = n;
    for (size_t i = 0; i < n; i++)
        m->limiters[i] = kin_rate_limiter_ref(limiters[i]);
    return new_own(ret, &functions, m, max_of_free, err);
}

struct max_wait {
    kin_rate_limiter *limiter;
    int64_t max;
};

static void max_wait_free(void *arg)
{
    struct max_wait *m = arg;

    kin_rate_limiter_unref(m->limiter);
    kin__free(m);
}

static int when_max_wait(kin_str key, int64_t *ret, void *arg, kin_error *err)
{
    struct max_wait *m = arg;
    int code = kin_rate_limiter_when(m->limiter, key, ret, err);

    if (code == 0 && *ret > m->max)
        *ret = m->max;
    return code;
}

static void max_wait_forget(kin_str key, void *arg)
{
    struct max_wait *m = arg;

    kin_rate_limiter_forget(m->limiter, key);
}

static uint64_t max_wait_n_requeues(kin_str key, void *arg)
{
    struct max_wait *m = arg;

    return kin_rate_limiter_n_requeues(m->limiter, key);
}

int kin_rate_limiter_new_max_wait(kin_rate_limiter **ret, kin_rate_limiter *limiter, int64_t max_ns,
                                  kin_error *err)
{
    const kin_rate_limiter_functions functions = {sizeof(functions), when_max_wait, max_wait_forget,
                                                  max_wait_n_requeues};
    struct max_wait *m;

    if (!ret || !limiter)
        return kin__error_null(err, ret ? "limiter" : "ret");
    if (max_ns < 0)
        return kin_error_set(err, KIN_EINVAL, "a negative delay");
    m = kin__malloc(sizeof(*m));
    if (!m)
        return kin__error_no_memory(err);
    m->limiter = kin_rate_limiter_ref(limiter);
    m->max = max_ns;
    return new_own(ret, &functions, m, max_wait_free, err);
}

/* --- defaults --- */

int kin_rate_limiter_new_default(kin_rate_limiter **ret, kin_clock *clock, kin_error *err)
{
    kin_rate_limiter *both[2] = {NULL, NULL};
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin_rate_limiter_new_exponential(&both[0], CONTROLLER_BASE, MAX_DELAY, err);
    if (code == 0)
        code = kin_rate_limiter_new_bucket(&both[1], CONTROLLER_QPS, CONTROLLER_BURST, clock, err);
    if (code == 0)
        code = kin_rate_limiter_new_max_of(ret, both, 2, err);
    kin_rate_limiter_unref(both[0]);
    kin_rate_limiter_unref(both[1]);
    return code;
}

int kin_rate_limiter_new_default_per_item(kin_rate_limiter **ret, kin_error *err)
{
    return kin_rate_limiter_new_exponential(ret, ITEM_BASE, MAX_DELAY, err);
}
