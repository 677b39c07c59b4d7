/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers of the tests' own: they note what they are told, can be held up, and say when they are
 * called.
 */
#ifndef KIN_TEST_LISTENER_SUPPORT_H
#define KIN_TEST_LISTENER_SUPPORT_H

#include <pthread.h>
#include <stdbool.h>

#include "informer/listener.h"
#include "latch.h"

typedef struct kin_test_handler {
    pthread_mutex_t lock;
    char text[65536];          /* (lock) "+a1 ~a1>2 -a2 "; "!" initial, "=" sync, "?" a tombstone */
    size_t len;                /* (lock) */
    kin_test_latch calls;      /* raised at the end of each call */
    kin_test_latch entered;    /* raised at the begin of each call */
    kin_test_latch may_return; /* if `is_held`: the n-th call waits for it to be raised n times */
    bool is_held;              /* const while it is used */
    unsigned n_entered;        /* (lock) */
    void (*during)(void *arg); /* run in each call; may be NULL */
    void *during_arg;
    kin_test_latch freed; /* raised by arg_free */
} kin_test_handler;

void kin_test_handler_init(kin_test_handler *handler);
void kin_test_handler_done(kin_test_handler *handler);

/* The kin_event_fn and the arg_free of it. */
void kin_test_handle(const kin_event *event, void *arg);
void kin_test_handler_freed(void *arg);

/* Wait for `n` calls in all, and compare. */
void kin_test_assert_told(kin_test_handler *handler, unsigned n, const char *expected);
/* Whether this is a part of what it was told so far; more may come meanwhile. */
bool kin_test_was_told(kin_test_handler *handler, const char *text);

/* Put one event of an item. */
void kin_test_put(kin__listener *listener, kin_event_type type, const char *key,
                  unsigned old_version, unsigned version);
/* The same, initial. */
void kin_test_put_initial(kin__listener *listener, const char *key, unsigned version);

#endif
