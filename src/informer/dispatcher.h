/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listeners that have something to tell and wait for the program's event loop to let them. Its
 * descriptor is readable while there is one, and once for each other thing that the loop is to look at.
 */
#ifndef KIN_INFORMER_DISPATCHER_H
#define KIN_INFORMER_DISPATCHER_H

#include "base/list.h"
#include "base/mutex.h"
#include "base/wakeup.h"

/* A member of whoever has something to tell. */
typedef struct kin__dispatched {
    kin__list link; /* (dispatcher's lock) */
    /*
     * Tell up to `max`, and add to *ret_n how many. Who has more adds itself again. Runs in the thread of
     * the event loop, without a lock; never twice at the same time.
     */
    void (*run)(struct kin__dispatched *dispatched, size_t max, size_t *ret_n);
} kin__dispatched;

typedef struct kin__dispatcher {
    kin__mutex lock; /* rank DISPATCHER */
    kin__list ready; /* (lock) */
    kin__wakeup wakeup;
} kin__dispatcher;

/* 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__dispatcher_init(kin__dispatcher *dispatcher, kin_error *err);
/* Nobody is in it any more. */
void kin__dispatcher_done(kin__dispatcher *dispatcher);

/* It has something to tell. It must not be in it already. Any lock of a lower rank held. */
void kin__dispatcher_add(kin__dispatcher *dispatcher, kin__dispatched *dispatched);
/* The loop is to look, without anything to be told. Any lock held. */
void kin__dispatcher_wake(kin__dispatcher *dispatcher);
/* Take it out; false if it is not in it, since it is running or never was. */
bool kin__dispatcher_remove(kin__dispatcher *dispatcher, kin__dispatched *dispatched);

/*
 * Let those that are there tell, in turns, up to `max` events in all, 0 for any number, but not what
 * comes in meanwhile without end. How many were told.
 */
size_t kin__dispatcher_run(kin__dispatcher *dispatcher, size_t max);

#endif
