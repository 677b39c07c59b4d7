/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An API without a server: requests are made, answers are looked at.
 */
#ifndef KIN_TEST_API_SUPPORT_H
#define KIN_TEST_API_SUPPORT_H

#include "apiserver/verbs/api.h"
#include "latch.h"

/* Where the fake clock's wall time begins: 2026-01-01T00:00:00Z. */
#define KIN_TEST_API_TIME INT64_C(1767225600)

typedef struct kin_test_api {
    kin_clock *clock; /* a fake one */
    kin__state *state;
    kin__api *api;
} kin_test_api;

/* Over memory, with the default options or, if not NULL, others (state and clock are set). */
void kin_test_api_start(kin_test_api *t, const kin__api_options *options);
/* 0, or what failed; for runs in which memory is missing. */
int kin_test_api_try_start(kin_test_api *t, const kin__api_options *options,
                           const kin__state_options *state_options, kin_error *err);
void kin_test_api_stop(kin_test_api *t);

typedef struct kin_test_request {
    const char *line; /* "GET /api/v1/pods?limit=1" */
    const char *body; /* NULL: none */
    size_t body_len;  /* 0: as long as the text is */
    const char *content_type;
    const char *accept;
    const char *if_none_match;
    bool read_only;
} kin_test_request;

/* An answer that may come later. Stays where it is until it is done. */
typedef struct kin_test_call {
    kin__api_call base;
    kin__request request;
    kin_test_latch answered;
    kin_test_latch woken;
    kin__reply reply;
    kin__buf text;   /* of the body, as far as it was read */
    bool is_reading; /* it was read from */
    bool has_ended;  /* the source has */
    bool was_aborted;
    unsigned n_wakes; /* that were waited for */
} kin_test_call;

void kin_test_call_start(kin_test_api *t, kin_test_call *call, const kin_test_request *request);
/* Until it was answered. */
void kin_test_call_wait(kin_test_call *call);
/*
 * Read what there is, until the source would wait or has ended; `piece` bytes at a time, 0: many.
 */
void kin_test_call_read(kin_test_call *call, size_t piece);
/* Wait until the source wakes its reader, and read. */
void kin_test_call_read_more(kin_test_call *call);
void kin_test_call_done(kin_test_call *call);

/* Make a request and give the whole body; BORROWED until the next call. The status is told. */
const char *kin_test_ask(kin_test_api *t, const kin_test_request *request, int *ret_status);
/* The same without a body, or with a JSON body; fails the test if the status is another. */
const char *kin_test_get(kin_test_api *t, int status, const char *line);
const char *kin_test_send(kin_test_api *t, int status, const char *line, const char *body);
const char *kin_test_patch(kin_test_api *t, int status, const char *path, const char *type,
                           const char *body);

/* Fails the test unless the text holds the other. */
void kin_test_assert_has(const char *text, const char *part);
void kin_test_assert_has_not(const char *text, const char *part);
/* What stands behind `"name":"` in a text; BORROWED until the next call. "" if it is not there. */
const char *kin_test_member(const char *text, const char *name);

#endif
