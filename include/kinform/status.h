/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Statuses: what an API server says of a request that failed.
 *
 * kin_error has what most programs look at. The Status has all: what it was about, and each cause.
 * Watches have one in their ERROR events.
 */
#ifndef KINFORM_STATUS_H
#define KINFORM_STATUS_H

#include <kinform/error.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** One of the causes of a failure. Its strings are BORROWED while the Status and it live. */
typedef struct kin_cause {
    kin_str reason;         /**< machine-readable: "FieldValueInvalid", "ResourceVersionTooLarge" */
    kin_str message;        /**< for people */
    kin_str field;          /**< path of the field it is about: "spec.replicas"; may be empty */
    kin_scratch scratch[3]; /**< private */
} kin_cause;

/**
 * Whether an object is a Status.
 *
 * @param object  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API bool kin_object_is_status(const kin_object *object);

/**
 * The error that a Status stands for: the code, the HTTP status, the reason, the message and the time to wait that a
 * request of the client fails with when it is answered with this Status. Sources of the program's own end their
 * operations with it.
 *
 * @param status  BORROWED for the call.
 * @param err     filled in unless 0 is returned; may be NULL.
 * @return the negative code of the error; 0: it tells of a success; KIN_EINVAL: also if `status` is NULL or not a
 *         Status.
 * @thread any
 */
KIN_API int kin_status_to_error(const kin_object *status, kin_error *err);

/**
 * The machine-readable reason: "NotFound", "AlreadyExists", "Expired"; empty if there is none.
 *
 * @param status   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_status_reason(const kin_object *status, kin_scratch *scratch);

/**
 * What is wrong, for people; empty if there is none.
 *
 * @param status   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_status_message(const kin_object *status, kin_scratch *scratch);

/**
 * The HTTP status code that goes with it.
 *
 * @param status  BORROWED for the call.
 * @return 0 if it has none.
 * @thread any
 */
KIN_API int kin_status_code(const kin_object *status);

/**
 * What kind of object or resource it is about: "pods"; empty if it does not say.
 *
 * @param status   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_status_details_kind(const kin_object *status, kin_scratch *scratch);

/**
 * The group of what it is about; empty for the core group, or if it does not say.
 *
 * @param status   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_status_details_group(const kin_object *status, kin_scratch *scratch);

/**
 * The name of the object it is about; empty if it does not say.
 *
 * @param status   BORROWED while the result is used.
 * @param scratch  BORROWED as for kin_value_string().
 * @thread any, one at a time per scratch
 */
KIN_API kin_str kin_status_details_name(const kin_object *status, kin_scratch *scratch);

/**
 * One of its causes.
 *
 * @param[out] ret  filled in; untouched on failure.
 * @param status    BORROWED while the strings in `ret` are used.
 * @param index     from 0.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (there are no more).
 * @thread any
 */
KIN_API int kin_status_cause(kin_cause *ret, const kin_object *status, size_t index);

/**
 * When to try again: milliseconds from when it came; -1 if it does not say.
 *
 * @param status  BORROWED for the call.
 * @thread any
 */
KIN_API int64_t kin_status_retry_after_ms(const kin_object *status);

KIN_END_DECLS

#endif
