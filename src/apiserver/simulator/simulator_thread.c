/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drives a simulator: step, then sleep until something is due, is noticed, or it is time to stop.
 *
 * The lock guards what others say and ask; it is never held while the simulator runs. Notices wait
 * in a ring of fixed size, as they come from the server's own write path, where nothing may fail.
 */
#include "apiserver/simulator/simulator_thread.h"

#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/thread.h"

#define NOTICES 256
#define NOTICE_KEY 320
#define LAG_MAX (1 * KIN__SECOND)
#define LOG_INTERVAL (10 * KIN__SECOND)

struct notice {
    enum kin__simulated kind;
    size_t namespace_len, name_len;
    char key[NOTICE_KEY]; /* the namespace and the name, one behind the other */
};

struct kin__simulator_thread {
    kin__mutex lock; /* rank KIN__RANK_API_SIMULATOR */
    kin__cond cond;
    kin__thread thread;
    kin_clock *clock;               /* const */
    kin_logger *logger;             /* const */
    kin__simulator_sink *sink;      /* const; BORROWED */
    kin__simulator *sim;            /* the thread's */
    int64_t logged;                 /* the thread's: when it last did */
    bool stop;                      /* (lock) */
    bool woken;                     /* (lock) the sink has something to tell */
    bool populated;                 /* (lock) */
    bool has_churn;                 /* (lock) */
    unsigned churn;                 /* (lock) */
    kin__simulator_stats stats;     /* (lock) */
    size_t first, n;                /* (lock) */
    struct notice notices[NOTICES]; /* (lock) */
};

/* --- the thread --- */

static bool take_notice(kin__simulator_thread *t, struct notice *ret)
{
    bool taken = false;

    kin__mutex_lock(&t->lock);
    if (t->n > 0) {
        *ret = t->notices[t->first];
        t->first = (t->first + 1) % NOTICES;
        t->n--;
        taken = true;
    }
    kin__mutex_unlock(&t->lock);
    return taken;
}

static void pass_notices(kin__simulator_thread *t, int64_t now)
{
    struct notice n;

    while (take_notice(t, &n))
        (void)kin__simulator_notice(t->sim, n.kind, kin_str_make(n.key, n.namespace_len),
                                    kin_str_make(n.key + n.namespace_len, n.name_len), now, NULL);
}

static void log_failure(kin__simulator_thread *t, int64_t now, const kin_error *err)
{
    if (t->logged && now - t->logged < LOG_INTERVAL)
        return;
    t->logged = now;
    kin__log(t->logger, KIN_LOG_WARN, "simulator", "a write failed and is tried again",
             KIN__LOG_S("error", err->message));
}

static void step(kin__simulator_thread *t)
{
    kin_error err;
    int64_t now = kin_clock_now(t->clock);

    kin__error_begin(&err);
    pass_notices(t, now);
    if (kin__simulator_poll(t->sim, now, &err) < 0)
        log_failure(t, now, &err);
    if (kin__simulator_step(t->sim, now, &err) < 0)
        log_failure(t, now, &err);
    if (kin__simulator_is_populated(t->sim) && now - kin__simulator_next(t->sim) > LAG_MAX)
        kin__simulator_skip(t->sim, now);
}

/* Tell what there is, take what is wanted, and sleep. False: stop. */
static bool rest(kin__simulator_thread *t)
{
    kin__simulator_stats stats;
    bool populated = kin__simulator_is_populated(t->sim);
    int64_t next = kin__simulator_next(t->sim);

    kin__simulator_get_stats(t->sim, &stats);
    kin__mutex_lock(&t->lock);
    t->stats = stats;
    if (populated && !t->populated) {
        t->populated = true;
        kin__cond_broadcast(&t->cond);
    }
    while (!t->stop && !t->has_churn && !t->woken && t->n == 0 &&
           kin__cond_wait_until(&t->cond, &t->lock, t->clock, next)) {
    }
    if (t->has_churn)
        kin__simulator_set_churn(t->sim, t->churn);
    t->has_churn = false;
    t->woken = false;
    bool stop = t->stop;
    kin__mutex_unlock(&t->lock);
    return !stop;
}

/* Of the sink. From any thread, this one included, without a lock. */
static void wake(void *arg)
{
    kin__simulator_thread *t = arg;

    kin__mutex_lock(&t->lock);
    t->woken = true;
    kin__cond_broadcast(&t->cond);
    kin__mutex_unlock(&t->lock);
}

static void simulator_run(void *arg)
{
    kin__simulator_thread *t = arg;

    do {
        step(t);
    } while (rest(t));
}

/* --- the others --- */

static int listen(kin__simulator_thread *t, bool is_on, kin_error *err)
{
    const kin__simulator_sink_class *c = t->sink->sink_class;

    return c->listen ? c->listen(t->sink, is_on ? wake : NULL, t, err) : 0;
}

static void free_thread(kin__simulator_thread *t)
{
    kin__simulator_free(t->sim);
    kin_logger_unref(t->logger);
    kin_clock_unref(t->clock);
    kin__cond_done(&t->cond);
    kin__mutex_done(&t->lock);
    kin__free(t);
}

int kin__simulator_thread_start(kin__simulator_thread **ret, const kin__simulator_options *options,
                                kin_logger *logger, kin_error *err)
{
    if (!options->clock)
        return kin__error_null(err, "clock");

    kin__simulator_thread *t = kin__calloc(1, sizeof(*t));

    if (!t)
        return kin__error_no_memory(err);
    kin__mutex_init(&t->lock, KIN__RANK_API_SIMULATOR);
    kin__cond_init(&t->cond);
    t->clock = kin_clock_ref(options->clock);
    t->logger = kin_logger_ref(logger);
    t->thread = KIN__THREAD_INIT;
    t->sink = options->sink;
    int code = kin__simulator_new(&t->sim, options, err);
    if (code < 0) {
        free_thread(t);
        return code;
    }
    code = listen(t, true, err);
    if (code == 0)
        code = kin__thread_start(&t->thread, "kin-simulator", simulator_run, t, err);
    if (code < 0) {
        (void)listen(t, false, NULL);
        free_thread(t);
        return code;
    }
    *ret = t;
    return 0;
}

void kin__simulator_thread_stop(kin__simulator_thread *t, kin__simulator_stats *ret_last)
{
    if (!t)
        return;
    kin__mutex_lock(&t->lock);
    t->stop = true;
    kin__cond_broadcast(&t->cond);
    kin__mutex_unlock(&t->lock);
    (void)kin__thread_join(&t->thread, NULL);
    (void)listen(t, false, NULL);
    if (ret_last)
        kin__simulator_get_stats(t->sim, ret_last);
    free_thread(t);
}

int kin__simulator_thread_await_populated(kin__simulator_thread *t, int64_t timeout_ms)
{
    kin_clock *clock = kin_clock_system();
    int64_t deadline = kin__clock_deadline_ms(clock, timeout_ms);
    bool in_time = true;

    kin__mutex_lock(&t->lock);
    while (!t->populated && in_time)
        in_time = kin__cond_wait_until(&t->cond, &t->lock, clock, deadline);
    bool populated = t->populated;
    kin__mutex_unlock(&t->lock);
    return populated ? 0 : KIN_ETIMEOUT;
}

void kin__simulator_thread_get_stats(kin__simulator_thread *t, kin__simulator_stats *ret)
{
    kin__mutex_lock(&t->lock);
    *ret = t->stats;
    kin__mutex_unlock(&t->lock);
}

void kin__simulator_thread_set_churn(kin__simulator_thread *t, unsigned churn)
{
    kin__mutex_lock(&t->lock);
    t->churn = churn;
    t->has_churn = true;
    kin__cond_broadcast(&t->cond);
    kin__mutex_unlock(&t->lock);
}

void kin__simulator_thread_notice(kin__simulator_thread *t, enum kin__simulated kind,
                                  kin_str namespace_, kin_str name)
{
    if (namespace_.len + name.len > NOTICE_KEY)
        return;
    kin__mutex_lock(&t->lock);
    if (t->n < NOTICES) {
        struct notice *n = &t->notices[(t->first + t->n++) % NOTICES];

        n->kind = kind;
        n->namespace_len = namespace_.len;
        n->name_len = name.len;
        memcpy(n->key, namespace_.data, namespace_.len);
        memcpy(n->key + namespace_.len, name.data, name.len);
        kin__cond_broadcast(&t->cond);
    }
    kin__mutex_unlock(&t->lock);
}
