/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What went wrong with a request, as Kubernetes says it: a metav1.Status. Messages are those of the
 * real server, because people and programs look for them.
 */
#ifndef KIN_APISERVER_KINDS_FAILURE_H
#define KIN_APISERVER_KINDS_FAILURE_H

#include "apiserver/kinds/kind.h"
#include "base/buf.h"
#include "kinform/error.h"
#include "kinform/object.h"

typedef struct kin__cause {
    const char *reason; /* static: "FieldValueInvalid"; NULL: none */
    char field[256];
    char message[1024];
} kin__cause;

#define KIN__CAUSES_MAX 16

/* Fixed buffers: it can be made without memory. Longer texts are cut at a character boundary. */
typedef struct kin__failure {
    int status;         /* 404; 0: no failure */
    const char *reason; /* static: "NotFound" */
    char message[4096];
    char name[256];            /* details.name */
    char group[256];           /* details.group */
    char kind[256];            /* details.kind: the resource, as the real server has it */
    char uid[64];              /* details.uid */
    bool has_details;          /* there are details, if need be empty ones */
    char continue_token[1024]; /* metadata.continue: how a list can go on; "" none */
    int retry_after_s;         /* details.retryAfterSeconds and the header; 0: none */
    unsigned n_causes;         /* no more than KIN__CAUSES_MAX: the first are kept */
    kin__cause causes[KIN__CAUSES_MAX];
} kin__failure;

/* No failure yet: what validations begin with. */
void kin__failure_init(kin__failure *failure);

/* Each sets *failure and returns false, so that one can write: return kin__fail_not_found(…). */
bool kin__fail(kin__failure *failure, int status, const char *reason, const char *fmt, ...)
    KIN_PRINTF(4, 5);
bool kin__fail_not_found(kin__failure *failure, const kin__kind *kind, kin_str name);
bool kin__fail_already_exists(kin__failure *failure, const kin__kind *kind, kin_str name);
/* A generated name is taken: the client may try again. */
bool kin__fail_generated_name_exists(kin__failure *failure, const kin__kind *kind, kin_str name);
bool kin__fail_conflict(kin__failure *failure, const kin__kind *kind, kin_str name, const char *fmt,
                        ...) KIN_PRINTF(4, 5);
/*
 * The same where the real server names the kind instead of the resource: preconditions of deletes.
 */
bool kin__fail_precondition(kin__failure *failure, const kin__kind *kind, kin_str name,
                            const char *fmt, ...) KIN_PRINTF(4, 5);
/* 422: an update must say which version it changes (see kin__kind.unconditional_update). */
bool kin__fail_no_version(kin__failure *failure, const kin__kind *kind, kin_str name);
bool kin__fail_forbidden(kin__failure *failure, const kin__kind *kind, kin_str name,
                         const char *fmt, ...) KIN_PRINTF(4, 5);
bool kin__fail_bad_request(kin__failure *failure, const char *fmt, ...) KIN_PRINTF(2, 3);
bool kin__fail_expired(kin__failure *failure, const char *fmt, ...) KIN_PRINTF(2, 3);
/* 404 of a path that leads nowhere, 405 of a method that it does not have. */
bool kin__fail_no_path(kin__failure *failure);
bool kin__fail_no_method(kin__failure *failure);
/* 405 of a verb that the kind does not have: "watch is not supported on resources of kind …". */
bool kin__fail_not_supported(kin__failure *failure, const kin__kind *kind, const char *action);
/* 500. What is not the client's business is not in `err`'s message. */
bool kin__fail_internal(kin__failure *failure, const kin_error *err);
bool kin__fail_no_memory(kin__failure *failure);

/* 422: begin with this, then add causes; the message is made of them. */
void kin__fail_invalid(kin__failure *failure, const kin__kind *kind, kin_str name);
/* The same for what is no kind: "meta.k8s.io", "ListOptions". */
void kin__fail_invalid_kind(kin__failure *failure, const char *group, const char *kind,
                            kin_str name);
/* What is wrong with which field: `fmt` gives the whole text, "Invalid value: …". */
void kin__fail_add_cause(kin__failure *failure, const char *reason, kin_str field, const char *fmt,
                         ...) KIN_PRINTF(4, 5);
/* At the end of a validation: true, and no failure, if there were no causes. */
bool kin__fail_if_causes(kin__failure *failure);

/* Causes as the real server words them. `field` COPIED, as all texts are. */
void kin__cause_invalid(kin__failure *failure, kin_str field, kin_str value, const char *detail);
/* The same of a value that is no string, written as JSON. */
void kin__cause_invalid_value(kin__failure *failure, kin_str field, kin_value value,
                              const char *detail);
void kin__cause_required(kin__failure *failure, kin_str field, const char *detail);
void kin__cause_forbidden(kin__failure *failure, kin_str field, const char *detail);
void kin__cause_duplicate(kin__failure *failure, kin_str field, kin_str value);
void kin__cause_too_long(kin__failure *failure, kin_str field, size_t max);
/* `supported` ends with NULL. */
void kin__cause_not_supported(kin__failure *failure, kin_str field, kin_str value,
                              const char *const *supported);

/* A text of at most `size - 1` bytes, terminated, that grows; what does not fit is cut off. */
typedef struct kin__cutline {
    char *data;
    size_t size; /* not 0 */
    size_t len;
} kin__cutline;

void kin__cutline_init(kin__cutline *line, char *data, size_t size);
void kin__cutline_append(kin__cutline *line, kin_str s);
void kin__cutline_appendf(kin__cutline *line, const char *fmt, ...) KIN_PRINTF(2, 3);
/*
 * Whether a character of `len` bytes can be printed, as Go sees it up to U+00FF; those beyond count
 * as printable, and `len` 0, a byte that is no character, does not.
 */
bool kin__is_printable(const char *p, size_t len);
/* In double quotes, with escapes for what cannot be printed, as Go's %q has it. */
void kin__cutline_append_quoted(kin__cutline *line, kin_str s);

/* "deployments.apps", "pods". */
void kin__cutline_append_resource(kin__cutline *line, const kin__kind *kind);
/*
 * The package in which the real server has a group's own types, as some messages tell: "core",
 * "rbac".
 */
kin_str kin__go_package(const char *group);

/* The Status as JSON text. Only memory can be missing: see the buffer. */
void kin__failure_write(const kin__failure *failure, kin__buf *out);

#endif
