/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Errors: one table of codes, and a caller-owned struct for the details.
 *
 * Functions return 0 or a negative `KIN_E…` code. Those that can say more take a
 * `kin_error *err` as their last argument, which may be NULL. The struct has
 * fixed buffers: there is nothing to free, no thread-local state, and reporting
 * out-of-memory needs no memory. docs/errors.md tells how to write and read them.
 */
#ifndef KINFORM_ERROR_H
#define KINFORM_ERROR_H

#include <kinform/common.h>

KIN_BEGIN_DECLS

/** Trying again later, unchanged, can succeed. */
#define KIN_ERROR_RETRIABLE 0x1u
/** Nothing but a change of the caller's side can help: configuration, rights, arguments. */
#define KIN_ERROR_FATAL 0x2u

/**
 * All codes: X(name, value, default flags, description).
 *
 * Values never change and are never used again for something else.
 */
#define KIN_ERROR_MAP(X)                                                                           \
    X(EINVAL, -1, KIN_ERROR_FATAL, "invalid argument")                                             \
    X(ENOMEM, -2, KIN_ERROR_RETRIABLE, "out of memory")                                            \
    X(ELIMIT, -3, KIN_ERROR_FATAL, "a limit was exceeded")                                         \
    X(EPARSE, -4, KIN_ERROR_FATAL, "malformed input")                                              \
    X(EBUSY, -5, KIN_ERROR_RETRIABLE, "in use")                                                    \
    X(ETIMEOUT, -6, KIN_ERROR_RETRIABLE, "timed out")                                              \
    X(ECLOSED, -7, KIN_ERROR_FATAL, "closed")                                                      \
    X(EFORKED, -8, KIN_ERROR_FATAL, "made before a fork, unusable in the child")                   \
    X(ESYSTEM, -9, KIN_ERROR_RETRIABLE, "the operating system refused")                            \
    X(ENOTFOUND, -10, KIN_ERROR_FATAL, "not found")                                                \
    X(ETYPE, -11, KIN_ERROR_FATAL, "a value of another type")                                      \
    X(ERANGE, -12, KIN_ERROR_FATAL, "out of range")                                                \
    X(EMISMATCH, -13, KIN_ERROR_FATAL, "the test of a patch failed")                               \
    X(EREQUEUE, -14, KIN_ERROR_RETRIABLE, "to be processed again")                                 \
    X(ECANCELED, -15, KIN_ERROR_FATAL, "cancelled")                                                \
    X(ECONNECT, -16, KIN_ERROR_RETRIABLE, "no connection, or it was lost")                         \
    X(ETLS, -17, KIN_ERROR_FATAL, "no secure connection")                                          \
    X(EDENIED, -18, KIN_ERROR_FATAL, "not allowed")                                                \
    X(ECONFLICT, -19, KIN_ERROR_FATAL, "somebody else has changed it")                             \
    X(EEXISTS, -20, KIN_ERROR_FATAL, "it exists already")                                          \
    X(EEXPIRED, -21, KIN_ERROR_FATAL, "a version that is too old")                                 \
    X(ESERVER, -22, KIN_ERROR_RETRIABLE, "the server failed")                                      \
    X(EREFUSED, -23, KIN_ERROR_FATAL, "the server refused the request")                            \
    X(EPROTOCOL, -24, KIN_ERROR_RETRIABLE, "an answer that makes no sense")

/** The error codes; 0 is success. */
enum kin_error_code {
    KIN_OK = 0, /**< no error */
#define KIN_ERROR_ENUM(name, value, flags, description) KIN_##name = (value),
    KIN_ERROR_MAP(KIN_ERROR_ENUM)
#undef KIN_ERROR_ENUM
};

/**
 * The details of a failure. Caller-owned; start with KIN_ERROR_INIT.
 *
 * Written only on failure: after a success it holds what it held before. Fields
 * are only ever appended, and `size` tells the library how many of them exist.
 */
typedef struct kin_error {
    size_t size;            /**< sizeof(kin_error); set by KIN_ERROR_INIT */
    int code;               /**< 0 or a KIN_E… code */
    unsigned flags;         /**< KIN_ERROR_RETRIABLE, KIN_ERROR_FATAL */
    int os_error;           /**< errno of the failed system call, or 0 */
    int http_status;        /**< HTTP status of the answer, or 0 */
    int64_t retry_after_ms; /**< what the other side asked for, or 0 */
    char reason[64];        /**< Kubernetes' machine-readable reason, e.g. "Expired", or "" */
    char message[512];      /**< for people; terminated, valid UTF-8 if its parts are */
    uint64_t offset;        /**< of malformed input: the byte at which it went wrong, from 0 */
} kin_error;

/* clang-format off */
/** An empty kin_error: `kin_error err = KIN_ERROR_INIT;` */
#define KIN_ERROR_INIT {sizeof(kin_error), 0, 0, 0, 0, 0, {0}, {0}, 0}
/* clang-format on */

/**
 * The symbolic name of a code: "KIN_EINVAL", "KIN_OK", or "KIN_E?" for an unknown one.
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_error_name(int code);

/**
 * What a code means, in a few English words, whatever the locale.
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_error_string(int code);

/**
 * Fill in an error and return its code, for callbacks that report failures to the library:
 * `return kin_error_set(err, KIN_EINVAL, "no label %s", name);`
 *
 * The flags become the code's defaults; all other details are reset. A message that
 * is too long is cut at a character boundary. The arguments may point into `err` itself.
 *
 * @param err   may be NULL; one whose `size` was never set is left alone.
 * @param code  a KIN_E… code.
 * @param fmt   printf format, formatted in the C locale; COPIED.
 * @return `code`.
 * @thread any, one at a time per `err`
 */
KIN_API int kin_error_set(kin_error *err, int code, const char *fmt, ...) KIN_PRINTF(3, 4);

/**
 * Reset an error to KIN_ERROR_INIT, to use it again.
 *
 * @param err  may be NULL.
 * @thread any, one at a time per `err`
 */
KIN_API void kin_error_clear(kin_error *err);

KIN_END_DECLS

#endif
