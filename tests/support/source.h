/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A source of objects that does what a test says.
 *
 * Each list and watch that is begun is recorded, with what it was asked for, and waits. The test calls
 * back for it, from any thread; or from within its beginning, where the test has a function for that. An
 * operation that is cancelled ends only when the test says so, or with the source: late.
 *
 * Objects are pods of one namespace: "a:3" is "default/a" in version 3.
 */
#ifndef KIN_TEST_SOURCE_H
#define KIN_TEST_SOURCE_H

#include <pthread.h>

#include "kinform/list_watch.h"

typedef struct kin_test_source kin_test_source;

typedef struct kin_test_pull {
    kin_operation base;
    kin_test_source *source;
    size_t index;
    bool is_list;
    char version[64]; /* "" where none was asked for */
    char match[32];
    char token[64];
    int64_t limit;
    int64_t timeout_ms;
    int64_t progress_timeout_ms;
    int64_t watch_timeout_ms;
    bool bookmarks;
    bool streams;
    kin_call_handlers handlers;
    bool cancelled; /* (source's lock) */
    bool released;  /* (source's lock) */
    bool ended;     /* (source's lock) */
} kin_test_pull;

/* Runs within the beginning of an operation. Negative: it cannot be begun. */
typedef int kin_test_begin_fn(kin_test_pull *op, void *arg, kin_error *err);

/* How a failure looks. */
typedef struct kin_test_failure_of {
    int code;
    int http_status;
    const char *reason;
    const char *message;
    const char *cause;         /* the reason of a cause in the Status; NULL: there is none */
    const char *cause_message; /* the same */
    int os_error;
    int64_t retry_after_ms;
} kin_test_failure_of;

kin_test_source *kin_test_source_new(bool streams);
/* Ends all that has not, and gives the reference back. */
void kin_test_source_free(kin_test_source *source);
/* BORROWED while the source lives. */
kin_list_watch *kin_test_source_list_watch(kin_test_source *source);
/* Before anything is begun. */
void kin_test_source_on_begin(kin_test_source *source, kin_test_begin_fn *fn, void *arg);

/* How many were begun. */
size_t kin_test_source_count(kin_test_source *source);
/* The operation with this number, from 0; waits until it was begun. BORROWED while the source lives. */
kin_test_pull *kin_test_source_await(kin_test_source *source, size_t index);
/* Whether it has neither ended nor been cancelled. */
bool kin_test_pull_is_open(kin_test_pull *op);
/* Waits until it was cancelled. */
void kin_test_pull_await_cancel(kin_test_pull *op);

/* --- calling back: what the callback returned --- */

int kin_test_pull_item(kin_test_pull *op, const char *pod);
int kin_test_pull_item_object(kin_test_pull *op, const kin_object *object);
int kin_test_pull_event(kin_test_pull *op, enum kin_watch_type type, const char *pod);
int kin_test_pull_event_object(kin_test_pull *op, enum kin_watch_type type,
                               const kin_object *object);
/* The watch stands. 0 if nobody wants to know. */
int kin_test_pull_begun(kin_test_pull *op);
void kin_test_pull_doubt(kin_test_pull *op, bool in_doubt);
/* A bookmark; `end`: of the initial events. */
int kin_test_pull_bookmark(kin_test_pull *op, const char *version, bool end);
/* An error event, and then the end. */
void kin_test_pull_error_event(kin_test_pull *op, const kin_test_failure_of *failure);
/* An object that could not be read; `type` 0: of a list; `key` "": not even that. */
int kin_test_pull_bad(kin_test_pull *pull, enum kin_watch_type type, const char *key);
/* The end of a list, with its version and the token of the next page or NULL. */
void kin_test_pull_list_done(kin_test_pull *op, const char *version, const char *token);
void kin_test_pull_list_done_object(kin_test_pull *op, const kin_object *list);
/* All of a list: pods are separated by blanks. */
void kin_test_pull_list(kin_test_pull *op, const char *version, const char *pods);
/* The end. `stood`: the server had agreed. */
void kin_test_pull_end(kin_test_pull *op, int code, const kin_error *err, const kin_object *status,
                       bool stood);
void kin_test_pull_fail(kin_test_pull *op, const kin_test_failure_of *failure, bool stood);
void kin_test_pull_close(kin_test_pull *op);
/* done() without the release: what a source must not do twice. */
void kin_test_pull_done_again(kin_test_pull *op);

/* --- objects: one reference, the caller's; NULL only if there is no memory --- */

const kin_object *kin_test_pod(const char *pod);
const kin_object *kin_test_json(const char *json);

#endif
