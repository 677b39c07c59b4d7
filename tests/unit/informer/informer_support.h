/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer over a source that does what the test says, on a clock that stands, with one handler that
 * notes what it is told, and what it logs.
 */
#ifndef KIN_TEST_INFORMER_SUPPORT_H
#define KIN_TEST_INFORMER_SUPPORT_H

#include "kin_test.h"
#include "kinform/informer.h"
#include "listener_support.h"
#include "source.h"

typedef struct kin_test_stage {
    kin_clock *clock;
    kin_logger *logger;
    kin_test_source *source;
    kin_informer *informer;
    kin_test_handler handler;
    kin_registration *registration; /* of `handler`; NULL: it was not added */
    kin_informer_options options;
    /* Raised whenever the informer says that its state has changed, unless the options have a function. */
    kin_test_latch changes;
    pthread_mutex_t lock;
    char log[16384]; /* (lock) a line per record of level warn or worse */
    size_t log_len;  /* (lock) */
} kin_test_stage;

/* Change `options` and then make it. OWNED; release with kin_test_stage_free(). */
kin_test_stage *kin_test_stage_new(void);
void kin_test_stage_make(kin_test_stage *stage);
/* The same at once, made with these; clock, logger, name and seed are the stage's. NULL: the defaults. */
kin_test_stage *kin_test_stage_with(const kin_informer_options *options);
void kin_test_stage_free(kin_test_stage *stage);

typedef void kin_test_stage_fn(kin_test_stage *stage);
/* Once with each kind of queue. */
void kin_test_with_each_queue(kin_test_stage_fn *test);
/* And with options, as above. */
void kin_test_with_each_queue_and(const kin_informer_options *options, kin_test_stage_fn *test);

/* Add the handler; its options may be NULL. */
void kin_test_add_handler(kin_test_stage *stage, const kin_handler_options *options);
/* Start it: the first list is there, and the watch behind it, which is returned, has begun. */
kin_test_pull *kin_test_start(kin_test_stage *stage, const char *version, const char *pods);
/* Stop it, and wait; the pull is ended when it is cancelled. */
void kin_test_stop_at(kin_test_stage *stage, kin_test_pull *open);
/* Until the store has seen a version. */
void kin_test_await_version(kin_test_stage *stage, const char *version);
/* What is to come then was set before: wait for that first. */
void kin_test_advance(kin_test_stage *stage, int64_t seconds);
kin_informer_status kin_test_informer_status(kin_test_stage *stage);
/* Until it is in this state, and has said so. */
void kin_test_await_informer(kin_test_stage *stage, kin_informer_state state);
/* Whether a line of the log has both of these words. */
bool kin_test_stage_logged(kin_test_stage *stage, const char *a, const char *b);
/* The store has these: "a:1 b:2", in the order of their names. At once. */
void kin_test_stage_has(kin_test_stage *stage, const char *pods);

#endif
