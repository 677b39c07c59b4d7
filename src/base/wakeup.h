/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waking a thread that sits in poll(), from any thread.
 *
 * Signals that come before the sleeper has looked are one: the first writes to an
 * eventfd, the others find that done and cost one atomic exchange. None is lost: what
 * was done before kin__wakeup_signal() is seen after the kin__wakeup_clear() that
 * follows it.
 */
#ifndef KIN_BASE_WAKEUP_H
#define KIN_BASE_WAKEUP_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kinform/error.h"

typedef struct kin__wakeup {
    int fd;              /* readable while signalled; const after init */
    atomic_bool pending; /* a signal was written and not yet cleared */
} kin__wakeup;

/* 0, KIN_ESYSTEM (out of descriptors), KIN_ENOMEM. */
int kin__wakeup_init(kin__wakeup *wakeup, kin_error *err);
void kin__wakeup_done(kin__wakeup *wakeup);

/* Make fd readable. Any thread. Keeps errno. */
void kin__wakeup_signal(kin__wakeup *wakeup);

/*
 * Make fd unreadable again; whether there had been a signal. The sleeper calls it
 * first and only then looks for work: a signal that comes in between wakes it again.
 */
bool kin__wakeup_clear(kin__wakeup *wakeup);

#endif
