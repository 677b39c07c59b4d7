/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reflector between a scripted source and a store, on a clock that stands.
 */
#ifndef KIN_TEST_REFLECTOR_SUPPORT_H
#define KIN_TEST_REFLECTOR_SUPPORT_H

#include "kin_test.h"
#include "kinform/reflector.h"
#include "latch.h"
#include "source.h"

typedef struct kin_test_scene {
    kin_clock *clock;
    kin_logger *logger; /* says nothing */
    kin_test_source *source;
    kin_store *store;
    kin_reflector *reflector;
    kin_reflector_store into; /* what the reflector was given; functions below go first */
    kin_reflector_options options;

    kin_test_latch moved; /* raised when the reflector has said something, or put something */
    pthread_mutex_t lock;
    size_t n_failures;                /* (lock) calls of the error function */
    size_t n_errors;                  /* (lock) of these: those for client-go's handler */
    kin_failed_operation last_failed; /* (lock) of the last call */
    kin_error last_error;             /* (lock) */
    kin_reflector_state states[64];   /* (lock) of the calls of the status function */
    size_t n_states;                  /* (lock) */

    /* What the store is to fail with; 0: nothing. Set while nothing is under way. */
    int put_code;
    int begin_code;
    int resync_code;
    int bookmark_code;
    bool blocks;           /* changes wait in the store until they are let go */
    kin_test_latch inside; /* a change waits there */
    kin_test_latch let_go;
    size_t n_resyncs;  /* (lock) */
    size_t n_puts;     /* (lock) */
    char bookmark[64]; /* (lock) the last that the store was told */
    bool refuses_resync;
} kin_test_scene;

/* Backs off 800 ms, 1600 ms, … without jitter; change `options` and then make it. */
void kin_test_scene_init(kin_test_scene *scene, bool streams);
void kin_test_scene_make(kin_test_scene *scene);
void kin_test_scene_done(kin_test_scene *scene);
/* All three, and the start. */
void kin_test_scene_begin(kin_test_scene *scene, bool streams);

kin_test_pull *kin_test_await(kin_test_scene *scene, size_t index);
/* The operation is a list (a watch, a streaming list) at this version. */
kin_test_pull *kin_test_await_list(kin_test_scene *scene, size_t index, const char *version);
kin_test_pull *kin_test_await_watch(kin_test_scene *scene, size_t index, const char *version);
kin_test_pull *kin_test_await_stream(kin_test_scene *scene, size_t index, const char *version);

/* Until it is in this state. */
void kin_test_await_state(kin_test_scene *scene, kin_reflector_state state);
/* It backs off, for so long, and tries nothing before. Then the time has come. */
void kin_test_pass_delay(kin_test_scene *scene, int64_t expected_ms);
void kin_test_advance_ms(kin_test_scene *scene, int64_t ms);
kin_reflector_status kin_test_status(kin_test_scene *scene);
/* The store has these pods: "a:1 b:2", in the order of their names. Waits until it does. */
void kin_test_expect_store(kin_test_scene *scene, const char *pods);
/* The last version. */
void kin_test_expect_version(kin_test_scene *scene, const char *version);
void kin_test_stop(kin_test_scene *scene);
size_t kin_test_errors(kin_test_scene *scene);
size_t kin_test_failures(kin_test_scene *scene, kin_failed_operation *ret_last);

#endif
