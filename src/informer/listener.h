/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A listener: hands what an informer says to one handler, in a thread of its own, in workers, or in
 * the program's event loop. client-go's processorListener, with an end to its memory.
 *
 * | state   | until                                   | events that come | those that wait |
 * |---------|-----------------------------------------|------------------|-----------------|
 * | new     | kin__listener_start()                   | wait             | wait            |
 * | running | kin__listener_end()                     | wait             | are told        |
 * | dropped | the call under way, if any, has returned| are not taken    | are released    |
 * | ended   | for ever; the handler's `arg` was freed |                  |                 |
 */
#ifndef KIN_INFORMER_LISTENER_H
#define KIN_INFORMER_LISTENER_H

#include "base/workers.h"
#include "informer/dispatcher.h"
#include "informer/event_queue.h"
#include "kinform/clock.h"
#include "kinform/log.h"

typedef struct kin__listener kin__listener; /* SHARED */

#define KIN__LISTENER_UNNAMED "handler" /* the name of a handler without one */

typedef struct kin__listener_options {
    const kin_handler_options *handler; /* complete, COPIED */
    kin_event_fn *fn;
    void *arg;             /* CONSUMED if the handler has an arg_free, once the listener is made */
    kin_clock *clock;      /* SHARED */
    kin_logger *logger;    /* SHARED */
    kin__workers *workers; /* the informer's; BORROWED until it has ended; started for the pool */
    kin__dispatcher *dispatcher; /* of KIN_DELIVER_LOOP; BORROWED until it has ended */
    const char *informer;        /* whose handler it is, for logs and errors; COPIED */
    /* Run by a thread of its own when it has ended and the thread is about to: it can be joined. May be NULL. */
    void (*ended)(void *arg);
    void *ended_arg; /* BORROWED until the thread was joined */
} kin__listener_options;

/* 0, KIN_ENOMEM. */
int kin__listener_new(kin__listener **ret, const kin__listener_options *options, kin_error *err);
kin__listener *kin__listener_ref(kin__listener *listener);
/* It has ended, or was never started. May be NULL. */
void kin__listener_unref(kin__listener *listener);

/*
 * Begin with these objects: additions that are told before anything else. Before anything was put, once.
 * CONSUMES the array, which is of kin__malloc(), and the references in it.
 */
void kin__listener_begin_with(kin__listener *listener, const kin_object **objects, size_t n);
/*
 * From now on the handler is called; nothing happens if it was ended. 0, KIN_ENOMEM, KIN_ESYSTEM (there
 * is no thread: it can be tried again).
 */
int kin__listener_start(kin__listener *listener, kin_error *err);

/*
 * So many events can be put, in one or several calls, until kin__listener_unreserve(): whoever tells
 * many listeners can be sure of all before it tells the first. One thread at a time, no lock held. 0,
 * KIN_ENOMEM.
 */
int kin__listener_reserve(kin__listener *listener, size_t n);
void kin__listener_unreserve(kin__listener *listener);
/* Events for the handler, for which there is room; lost if it ends. The same thread. */
void kin__listener_put(kin__listener *listener, const kin__notice *notices, size_t n);
/* All initial additions were put: the handler is synced when it has been told of them. */
void kin__listener_upstream_synced(kin__listener *listener);

/* Whether they may still be put. */
typedef enum kin__upstream {
    KIN__UPSTREAM_RUNS,    /* or will */
    KIN__UPSTREAM_STOPPED, /* not before it is started again */
    KIN__UPSTREAM_GONE,    /* never */
    KIN__UPSTREAM_REFUSED, /* not before the server's answer changes */
} kin__upstream;
/* `why` it is refused, else ignored; COPIED. Any thread, the informer's lock held. */
void kin__listener_set_upstream(kin__listener *listener, kin__upstream upstream,
                                const kin_error *why);

bool kin__listener_has_synced(kin__listener *listener);
/*
 * 0, KIN_ETIMEOUT, KIN_ECLOSED (it ended before, or what it waits for will not come), KIN_EBUSY (from its own
 * handler, or it would have to wait in a worker). Real or fake milliseconds of its clock; -1 waits for ever.
 */
int kin__listener_wait_synced(kin__listener *listener, int64_t timeout_ms, kin_error *err);

/* Whether nothing waits and no call is under way; true of one that nobody will tell anything, too. */
bool kin__listener_has_told(kin__listener *listener);
/* Until then, or until a time of its clock. Not from its own handler. 0, KIN_ETIMEOUT. */
int kin__listener_wait_told(kin__listener *listener, int64_t deadline, kin_error *err);
/* Whether the caller is its handler. */
bool kin__listener_calls_here(kin__listener *listener);
/* Whether an event loop delivers, which may never come again. */
bool kin__listener_is_of_loop(const kin__listener *listener);

/* At most the call that is under way is finished. Returns at once. Any thread, its handler included. */
void kin__listener_end(kin__listener *listener);
/*
 * Wait until it has ended; somebody has ended it. 0, KIN_EBUSY (from its own handler; of the pool's, if it
 * would have to wait in a worker).
 */
int kin__listener_wait_ended(kin__listener *listener, kin_error *err);
/* The same, whoever asks. */
void kin__listener_await_ended(kin__listener *listener);
bool kin__listener_has_ended(kin__listener *listener);

/* `ret->size` is not touched. */
void kin__listener_get_status(kin__listener *listener, kin_handler_status *ret);
const char *kin__listener_name(const kin__listener *listener);

#endif
