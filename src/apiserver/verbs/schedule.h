/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread for what is due at a time, or as soon as possible but not here: bookmarks, ends of
 * watches, grace periods, clearing out of namespaces.
 */
#ifndef KIN_APISERVER_VERBS_SCHEDULE_H
#define KIN_APISERVER_VERBS_SCHEDULE_H

#include "base/list.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "base/timers.h"

/* A member of the caller's struct. */
typedef struct kin__due {
    /* On the schedule's thread, without a lock. The struct may be gone afterwards. */
    void (*fn)(struct kin__due *due);
    kin__timer timer; /* (schedule's lock) */
    kin__list link;   /* (schedule's lock) among those that are to run at once */
} kin__due;

typedef struct kin__schedule {
    kin__mutex lock;    /* rank KIN__RANK_API_TIMERS */
    kin__cond changed;  /* there is something to do, or `running` has returned */
    kin__timers timers; /* (lock) */
    kin__list ready;    /* (lock) */
    kin__due *running;  /* (lock) */
    bool is_stopping;   /* (lock) */
    kin_clock *clock;   /* const; BORROWED */
    kin__thread thread; /* const after start */
} kin__schedule;

/* 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__schedule_start(kin__schedule *schedule, kin_clock *clock, kin_error *err);
/*
 * What has not run yet never will. Waits for what runs. Nothing may be set afterwards but is
 * cancelled.
 */
void kin__schedule_stop(kin__schedule *schedule);
void kin__schedule_done(kin__schedule *schedule);

void kin__due_init(kin__due *due, void (*fn)(kin__due *due));
/* At a time of the clock; one that is set already is moved. 0, KIN_ENOMEM. */
int kin__schedule_at(kin__schedule *schedule, kin__due *due, int64_t deadline);
/*
 * As soon as possible. Nothing happens if it is to run at once already. Any lock of a lower rank
 * held.
 */
void kin__schedule_now(kin__schedule *schedule, kin__due *due);
/* It does not run any more when this returns, unless called from its own function. */
void kin__schedule_cancel(kin__schedule *schedule, kin__due *due);

#endif
