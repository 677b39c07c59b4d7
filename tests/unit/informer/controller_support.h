/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller between a scripted source and a process function that notes what it is given, on a clock
 * that stands.
 */
#ifndef KIN_TEST_CONTROLLER_SUPPORT_H
#define KIN_TEST_CONTROLLER_SUPPORT_H

#include "kin_test.h"
#include "kinform/controller.h"
#include "latch.h"
#include "source.h"

enum { KIN_TEST_MAX_CALLS = 64 };

typedef struct kin_test_control {
    kin_clock *clock;
    int64_t start;      /* its first time */
    kin_logger *logger; /* says nothing */
    kin_test_source *source;
    kin_store *store; /* what is known: the process function writes to it */
    kin_delta_fifo *deltas;
    kin_ordered_fifo *ordered;
    kin_fifo *fifo;
    kin_queue queue;
    kin_reflector_options reflector;
    kin_controller_options options;
    kin_controller *controller;

    pthread_mutex_t lock;
    /* (lock) "aR1!@0 ": the key's name, letters and versions of its deltas, initial, milliseconds */
    char text[4096];
    size_t len;                    /* (lock) of the text */
    size_t n_calls;                /* (lock) */
    int codes[KIN_TEST_MAX_CALLS]; /* what each call returns; set before */
    bool says_nothing;             /* a failure has no error */
    kin_test_latch calls;          /* raised at the end of each call */
    kin_test_latch entered;        /* raised at the begin of each call */
    kin_test_latch may_return; /* if `is_held`: the n-th call waits for it to be raised n times */
    bool is_held;
    void (*during)(struct kin_test_control *control); /* run in each call; may be NULL */
    kin_test_latch freed;                             /* raised by arg_free */
} kin_test_control;

typedef enum kin_test_queue {
    KIN_TEST_DELTA_FIFO,
    KIN_TEST_ORDERED_FIFO,
    KIN_TEST_FIFO,
    KIN_TEST_QUEUES, /* how many there are */
} kin_test_queue;

/* Options and a queue; change them, and then make the controller. */
void kin_test_control_init(kin_test_control *control, kin_test_queue queue);
void kin_test_control_make(kin_test_control *control);
void kin_test_control_done(kin_test_control *control);

/* The two process functions. The argument is the control. */
int kin_test_process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err);
int kin_test_process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                           kin_error *err);

/* Start it and answer its first list: the watch behind it. */
kin_test_pull *kin_test_control_start(kin_test_control *control, const char *version,
                                      const char *pods);
/* After so many calls, this is what was noted. */
void kin_test_expect_text(kin_test_control *control, unsigned n_calls, const char *expected);
kin_controller_status kin_test_control_status(kin_test_control *control);
/* Move the clock when somebody waits for it. */
void kin_test_control_advance(kin_test_control *control, int64_t ms);

#endif
