/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong with a request, as Kubernetes says it: a metav1.Status. Messages are those of the
 * real server, because people and programs look for them.
 */
#ifndef KIN_APISERVER_FAILURE_H
#define KIN_APISERVER_FAILURE_H

#include "apiserver/reply.h"

typedef struct kin__cause {
    const char *reason; /* "FieldValueInvalid" */
    char field[256];
    char message[512];
} kin__cause;

#define KIN__CAUSES_MAX 16

/* Fixed buffers: it can be made without memory. Longer texts are cut at a character boundary. */
typedef struct kin__failure {
    int status;         /* 404; 0: no failure */
    const char *reason; /* static: "NotFound" */
    char message[1024];
    char name[256];     /* details.name */
    char group[128];    /* details.group */
    char kind[128];     /* details.kind: the resource, as the real server has it */
    char uid[64];      /* details.uid */
    bool has_details;  /* there are details, if need be empty ones */
    int retry_after_s;  /* details.retryAfterSeconds and the header; 0: none */
    unsigned n_causes;
    kin__cause causes[KIN__CAUSES_MAX];
} kin__failure;

struct kin__kind;
/* Each sets *failure and returns false, so that one can write: return kin__fail_not_found(…). */
bool kin__fail(kin__failure *failure, int status, const char *reason, const char *fmt, ...) KIN_PRINTF(4, 5);
bool kin__fail_not_found(kin__failure *failure, const struct kin__kind *kind, kin_str name);
bool kin__fail_already_exists(kin__failure *failure, const struct kin__kind *kind, kin_str name);
bool kin__fail_conflict(kin__failure *failure, const struct kin__kind *kind, kin_str name, const char *fmt, ...) KIN_PRINTF(4, 5);
bool kin__fail_bad_request(kin__failure *failure, const char *fmt, ...) KIN_PRINTF(2, 3);
bool kin__fail_expired(kin__failure *failure, const char *fmt, ...) KIN_PRINTF(2, 3);
bool kin__fail_internal(kin__failure *failure, const kin_error *err);
/* 422: begin with this, then add causes; the message is made of them. */
void kin__fail_invalid(kin__failure *failure, const struct kin__kind *kind, kin_str name);
void kin__fail_add_cause(kin__failure *failure, const char *reason, kin_str field, const char *fmt, ...) KIN_PRINTF(4, 5);

/* The Status as JSON text. Only memory can be missing: see the buffer. */
void kin__failure_write(const kin__failure *failure, kin__buf *out);
/* The reply, with Retry-After where there is one. */
void kin__failure_reply(const kin__failure *failure, kin__reply *ret);

#endif
