/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for reporting errors inside the library; the public half is kinform/error.h.
 */
#ifndef KIN_BASE_ERROR_H
#define KIN_BASE_ERROR_H

#include "kinform/error.h"

/*
 * Report a failed system call as KIN_ESYSTEM (KIN_ENOMEM for ENOMEM): `what` names the
 * call or what it was for, the errno's meaning is appended. Returns the code.
 */
int kin__error_system(kin_error *err, int os_error, const char *what);

/* Report that an allocation failed. Inline: checkers of callers see that it is no success. */
static inline int kin__error_no_memory(kin_error *err)
{
    kin_error_set(err, KIN_ENOMEM, "%s", kin_error_string(KIN_ENOMEM));
    return KIN_ENOMEM;
}

/* Report that a mandatory argument is NULL. Inline for the same reason. */
static inline int kin__error_null(kin_error *err, const char *parameter)
{
    kin_error_set(err, KIN_EINVAL, "%s is NULL", parameter);
    return KIN_EINVAL;
}

/* Report that nothing is under a key. Inline for the same reason. */
static inline int kin__error_no_key(kin_error *err, kin_str key)
{
    kin_error_set(err, KIN_ENOTFOUND, "there is no %" KIN_STR_FMT, KIN_STR_ARG(key));
    return KIN_ENOTFOUND;
}

/* Add to an error that was just set what an API server would have said with it. Cut to fit. */
void kin__error_http(kin_error *err, int http_status, kin_str reason);

/*
 * An error of our own, for a callback to fill in: ready for use without all of it being written,
 * which costs more than most callbacks.
 */
static inline void kin__error_begin(kin_error *err)
{
    err->size = sizeof(*err);
    err->code = 0;
    err->flags = 0;
    err->os_error = 0;
    err->http_status = 0;
    err->retry_after_ms = 0;
    err->reason[0] = '\0';
    err->message[0] = '\0';
    err->offset = 0;
}

/*
 * Pass on what a callback said, if it said it of this code; else the code's own text. Returns the
 * code.
 */
int kin__error_pass(kin_error *err, int code, const kin_error *said);

/*
 * Report malformed input, or input beyond a limit: `code` is mostly KIN_EPARSE or KIN_ELIMIT,
 * `offset` the byte at which the input stopped making sense. The message gets " at byte N" appended.
 * Returns the code.
 */
int kin__error_input(kin_error *err, int code, uint64_t offset, const char *fmt, ...)
    KIN_PRINTF(4, 5);
/* The same for KIN_EPARSE. */
int kin__error_parse(kin_error *err, uint64_t offset, const char *fmt, ...) KIN_PRINTF(3, 4);

#endif
