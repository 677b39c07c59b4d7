/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client-go's process loop, of an informer or a controller: a strand that takes turns while there is something to
 * do, and a life that others start, stop and wait for. Each informer and controller has exactly one.
 *
 * Whoever has something for it wakes it: it takes a turn, once, however often it was woken before. A turn
 * that could not do its work for want of memory is repeated a moment later.
 *
 * | life     | becomes  | by                                                           |
 * |----------|----------|--------------------------------------------------------------|
 * | new      | running  | kin__process_loop_start()                                            |
 * | running  | stopping | kin__process_loop_stop()                                             |
 * | stopping | stopped  | a turn: all that brings something has ended, nothing is left |
 * | stopped  | running  | kin__process_loop_start()                                            |
 * | any      | stopped  | the end of the workers, with their client: for ever          |
 */
#ifndef KIN_INFORMER_PROCESS_LOOP_H
#define KIN_INFORMER_PROCESS_LOOP_H

#include <stdatomic.h>

#include "base/mutex.h"
#include "informer/shared_workers.h"
#include "kinform/log.h"

typedef enum kin__life {
    KIN__LIFE_NEW,
    KIN__LIFE_RUNNING,
    KIN__LIFE_STOPPING,
    KIN__LIFE_STOPPED,
} kin__life;

typedef struct kin__process_loop kin__process_loop;

/* All but the last three run on the strand, with no lock held. */
typedef struct kin__process_loop_class {
    const char *component; /* what it is, in logs and errors: "controller" */
    /* While it stops: let everything end that brings something; whether all has. */
    bool (*stop)(kin__process_loop *loop);
    /* 0: there is nothing more; 1: there is; or a code: the same again in a moment. */
    int (*work)(kin__process_loop *loop, kin__life life, kin_error *err);
    /* The last of a turn; `has_stopped`: in this one. */
    void (*after)(kin__process_loop *loop, bool has_stopped);
    /* The next two are for kin__process_loop_free(), and NULL where that is not used. */
    /* Whether the caller is in a callback that it waits for when it stops; the workers aside. */
    bool (*runs_here)(kin__process_loop *loop);
    /* Release what has it: nothing runs any more. By whoever is the last. */
    void (*destroy)(kin__process_loop *loop);
    /* With the lock: it was started, or has stopped. May be NULL. */
    void (*turned)(kin__process_loop *loop);
} kin__process_loop_class;

struct kin__process_loop {
    const kin__process_loop_class *loop_class; /* const, as the next five */
    const char *name;                          /* BORROWED from the owner, as all of these */
    kin_logger *logger;
    kin__shared_workers *shared_workers;
    kin_clock *clock;
    kin__mutex *lock;   /* of who has it */
    kin__cond *changed; /* the life, and whatever else others wait for */
    bool is_made;       /* const */

    kin__strand strand;
    kin__task task;
    atomic_bool is_posted; /* the task is, and has not begun */
    atomic_bool can_post;  /* it was started */
    kin__alarm retry;      /* (strand) */

    kin__life life;  /* (lock) */
    bool is_running; /* (lock) a turn is */
    bool has_source; /* (lock) a source has not ended, and may wake it */
    bool is_closed;  /* (lock) the client is gone */
    bool is_held;    /* (lock) somebody prepares it, and it must not be started */
    bool is_freed;   /* (lock) whoever is the last to use it releases it */
};

/*
 * `loop` has its const fields, all of who has it, but for `clock` and `is_made`; the rest is zero. 0,
 * KIN_ENOMEM.
 */
int kin__process_loop_init(kin__process_loop *loop, kin_error *err);
/* Nothing runs any more. Also if it was never made. */
void kin__process_loop_done(kin__process_loop *loop);

/* There is something to do. Any thread, no lock held. */
void kin__process_loop_wake(kin__process_loop *loop);
/*
 * A source that wakes it begins, (strand); and has ended, with its last call: that may find that nothing
 * else uses a freed loop, and destroys it.
 */
void kin__process_loop_source_begins(kin__process_loop *loop);
void kin__process_loop_source_ended(kin__process_loop *loop);
/* The source could not begin: there is nothing to do for it. (strand) */
void kin__process_loop_source_failed(kin__process_loop *loop);
/* The workers take nothing more: it has ended, for ever. No lock held. */
void kin__process_loop_close(kin__process_loop *loop);
/* Say why something has to wait, and wake it in a moment. (strand) */
void kin__process_loop_retry(kin__process_loop *loop, const kin_error *why);
/* Wake it at a time. (strand) */
void kin__process_loop_wake_at(kin__process_loop *loop, int64_t deadline);

/* 0, KIN_EBUSY (it runs, or is stopping), KIN_ECLOSED, KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__process_loop_start(kin__process_loop *loop, kin_error *err);
/* Whether it ran. */
bool kin__process_loop_stop(kin__process_loop *loop);
/*
 * Stop it, wait for that, and destroy it. Where it would wait for itself it does not wait: the strand destroys
 * it when it has stopped, or, if the workers are gone, who is the last to use it.
 */
void kin__process_loop_free(kin__process_loop *loop);

/* It was started: wait until its strand is idle, for ever. It has stopped. */
void kin__process_loop_settle(kin__process_loop *loop);

/* Whether the caller would wait for itself, or might. */
bool kin__process_loop_runs_here(kin__process_loop *loop);
/*
 * As kin__process_loop_wake(), but takes no lock except the workers': if these have stopped, it does not close the loop.
 * Any thread, with locks of ranks below WORKERS.
 */
void kin__process_loop_nudge(kin__process_loop *loop);
kin__life kin__process_loop_life(kin__process_loop *loop);

/* Whether what is waited for is there; or a code: it will not come. With the lock. */
typedef int kin__process_loop_condition_fn(kin__process_loop *loop, const void *arg);

/* 0, KIN_ETIMEOUT, KIN_EINVAL, KIN_EBUSY, or what the condition says. Without words. */
int kin__process_loop_wait(kin__process_loop *loop, kin__process_loop_condition_fn *is_there,
                           const void *arg, int64_t timeout_ms);
/* 0, KIN_ETIMEOUT, KIN_EINVAL, KIN_EBUSY. */
int kin__process_loop_wait_stopped(kin__process_loop *loop, int64_t timeout_ms, kin_error *err);
/* For ever, and from any thread. */
void kin__process_loop_await_stopped(kin__process_loop *loop);

#endif
