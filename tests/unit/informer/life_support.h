/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A life in which each call that comes to the test may be the one that stops or frees what lives. Its
 * clock stands, and is moved when somebody waits on it.
 */
#ifndef KIN_TEST_LIFE_SUPPORT_H
#define KIN_TEST_LIFE_SUPPORT_H

#include "base/clock.h"
#include "kin_test.h"
#include "kinform/reflector.h"
#include "latch.h"

typedef struct kin_test_life {
    kin_clock *clock;   /* NULL until it is made */
    kin_logger *logger; /* says nothing */
    size_t at;          /* the call that ends it; 0: none. Set before the start */
    bool frees;         /* by freeing, not by stopping */
    void (*end)(void *arg, bool frees);
    void *arg;
    kin_test_latch gone; /* raised by kin_test_life_on_gone() */

    pthread_mutex_t lock;
    pthread_cond_t was_called;
    size_t n_calls;           /* (lock) */
    bool is_ending;           /* (lock) the call has come */
    bool freed;               /* (lock) and it frees */
    bool ended;               /* (lock) nothing may come any more */
    size_t n_after;           /* (lock) calls that came all the same */
    kin__clock_waiter keeper; /* waits on the clock for ever, once it is ending */
    bool has_keeper;          /* (lock) */
} kin_test_life;

/* `end` stops or frees what lives. */
void kin_test_life_init(kin_test_life *life, void (*end)(void *arg, bool frees), void *arg);
/* The clock and the logger. 0, KIN_ENOMEM. */
int kin_test_life_make(kin_test_life *life, kin_error *err);
/* What lives is gone; that its callbacks were let go is waited for so many times. */
void kin_test_life_done(kin_test_life *life, unsigned n_gone);

/* A call has come; every callback of a test begins with it. */
void kin_test_life_called(kin_test_life *life);
/* Clock, logger, a resync every 500 ms, and callbacks that do nothing else; `arg` is the life. */
void kin_test_life_options(kin_test_life *life, kin_reflector_options *options);
/* As `arg_free`. */
void kin_test_life_on_gone(void *arg);

size_t kin_test_life_calls(kin_test_life *life);
/* Until there were more calls than so many, or it is ending. */
void kin_test_life_await_call(kin_test_life *life, size_t seen);
bool kin_test_life_is_ending(kin_test_life *life);
bool kin_test_life_was_freed(kin_test_life *life);
/* Wait until somebody waits on the clock, or it is ending, and let time pass. */
void kin_test_life_pass(kin_test_life *life, int64_t ns);
/* It has ended: from here on calls count as too late. How many there were. */
size_t kin_test_life_close(kin_test_life *life);

#endif
