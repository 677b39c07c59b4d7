/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures as the server tells them: HTTP status and body made into an error and a Status. Warning
 * headers. No I/O. The public half is kinform/status.h.
 */
#ifndef KIN_CLIENT_STATUS_H
#define KIN_CLIENT_STATUS_H

#include "base/buf.h"
#include "kinform/object.h"
#include "kinform/status.h"

/* Of a failure's body so much has to be kept; what is longer is not read as a Status. */
#define KIN__STATUS_MAX_BYTES 1048576
/* Of a body that is no Status so much is told. */
#define KIN__STATUS_MAX_TEXT 2048

/* An answer whose status is not one of success. */
typedef struct kin__failure {
    int http_status;
    const char *method;     /* of the request; tells what a conflict is */
    int64_t retry_after_ms; /* of the header; -1: none */
    kin_str body;           /* BORROWED for the call */
    bool is_protobuf;       /* the body; else JSON or text */
} kin__failure;

/*
 * The code that stands for it; never 0. `err` gets code, flags, HTTP status, reason, message and
 * retry-after. *ret_status, unless `ret_status` is NULL, is what the server sent, or one made of
 * what is known: SHARED, release with kin_object_unref(). Untouched with KIN_ENOMEM and
 * KIN_ESYSTEM, which say that it could not be read.
 */
int kin__failure_read(const kin_object **ret_status, const kin__failure *failure, kin_error *err);

/*
 * The same of a Status that came in a stream, or where an object was expected. 0 if it tells of a
 * success.
 */
int kin__status_error(const kin_object *status, kin_error *err);

/*
 * Take the next warning off the value of a Warning header, which may have several. False if there
 * is none any more, or what follows is no warning. *ret_code is its number (299: for people); its
 * text is put into `text`, which is emptied first: failures stick there.
 */
bool kin__warning_next(kin_str *rest, int *ret_code, kin__buf *text);

#endif
