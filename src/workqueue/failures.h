/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How often each key has failed: what the limiters that count per key stand on.
 *
 * A key has a record from its first failure until it is forgotten. Records that are given up are
 * kept to be used again, a bounded number of them, so that keys that fail and recover cost no
 * allocation.
 */
#ifndef KIN_WORKQUEUE_FAILURES_H
#define KIN_WORKQUEUE_FAILURES_H

#include "base/list.h"
#include "base/map.h"
#include "base/process.h"
#include "base/quick_lock.h"

typedef struct kin__failures {
    kin__fork_guard guard; /* const after init */
    kin__quick_lock lock;  /* rank FAILURES */
    kin__map records;      /* (lock) */
    kin__list spare;       /* (lock) */
    size_t n_spare;        /* (lock) */
} kin__failures;

/* 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__failures_init(kin__failures *failures, kin_error *err);
void kin__failures_done(kin__failures *failures);

/* Count one more; *ret is how many there were before. 0, KIN_ENOMEM, KIN_ELIMIT. Any thread. */
int kin__failures_count(kin__failures *failures, kin_str key, uint64_t *ret, kin_error *err);
uint64_t kin__failures_of(kin__failures *failures, kin_str key);
void kin__failures_forget(kin__failures *failures, kin_str key);

#endif
