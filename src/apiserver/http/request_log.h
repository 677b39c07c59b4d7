/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The last requests, for tests to look at and wait for. Bounded: the oldest goes when a new one
 * comes. Without memory a request is counted and not remembered.
 */
#ifndef KIN_APISERVER_HTTP_REQUEST_LOG_H
#define KIN_APISERVER_HTTP_REQUEST_LOG_H

#include "base/buf.h"
#include "kinform/apiserver.h"

typedef struct kin__request_log kin__request_log; /* any thread */

/* `clock` BORROWED for as long as the log lives. 0, KIN_ENOMEM. */
int kin__request_log_new(kin__request_log **ret, size_t capacity, kin_clock *clock, kin_error *err);
/* In a forked child it only gives memory back. */
void kin__request_log_free(kin__request_log *log);

typedef struct kin__logged_request {
    kin_str method;
    kin_str path;
    kin_str query;
    const char *verb; /* static */
    const char *caller;
    uint64_t fault;
} kin__logged_request;

/* COPIED. The request's id. */
uint64_t kin__request_log_add(kin__request_log *log, const kin__logged_request *request);
/* It has met a fault behind its answer. */
void kin__request_log_met(kin__request_log *log, uint64_t id, uint64_t fault);
void kin__request_log_answered(kin__request_log *log, uint64_t id, int status);
void kin__request_log_ended(kin__request_log *log, uint64_t id, uint64_t body_bytes);

int kin__request_log_visit(kin__request_log *log, const kin_request_filter *filter,
                           kin_request_fn *fn, void *arg, kin_error *err);
int kin__request_log_wait(kin__request_log *log, const kin_request_filter *filter, size_t n,
                          int64_t timeout_ms, kin_error *err);

/* As a JSON document {"requests": […]}. Only memory can be missing: see the buffer. */
void kin__request_log_write(kin__request_log *log, kin__buf *out);

#endif
