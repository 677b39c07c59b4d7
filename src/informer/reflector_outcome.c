/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an end means, and what follows from it. Pure.
 *
 * The table is client-go's reaction matrix, with what kinform adds to it: a store that fails is listed
 * for again, and a streaming list whose end never comes, or that the server does not understand, is not
 * tried for a while. A streaming list that exceeds a limit is not followed by a list at once, which would download the
 * same again. A connection that is lost before the server agreed to a watch says nothing about the version, so
 * the watch is tried again before a list; client-go does that inside its REST client. Where protobuf
 * turns out to be of no use, the same request follows in JSON. Where a cell says that something is tried at once, the
 * server has done what it was asked for, or another question is asked; all else backs off.
 */
#include <errno.h>
#include <string.h>

#include "informer/reflector.h"
#include "kinform/status.h"

/* clang-format off */
static const unsigned char reactions[][KIN__N_OUTCOMES] = {
    [KIN__CALL_LIST] = {
        [KIN__OUTCOME_OK]          = KIN__GO_ON,
        [KIN__OUTCOME_SHORT]       = KIN__FAIL_ROUND,
        [KIN__OUTCOME_NO_END]      = KIN__FAIL_ROUND,
        [KIN__OUTCOME_EXPIRED]     = KIN__LIST_FRESH,
        [KIN__OUTCOME_TOO_LARGE]   = KIN__LIST_FRESH,
        [KIN__OUTCOME_REFUSED]     = KIN__FAIL_ROUND,
        [KIN__OUTCOME_TOO_MANY]    = KIN__FAIL_ROUND,
        [KIN__OUTCOME_INTERNAL]    = KIN__FAIL_ROUND,
        [KIN__OUTCOME_UNSUPPORTED] = KIN__FAIL_ROUND,
        [KIN__OUTCOME_DENIED]      = KIN__FAIL_ROUND,
        [KIN__OUTCOME_NOT_FOUND]   = KIN__FAIL_ROUND,
        [KIN__OUTCOME_LOST]        = KIN__FAIL_ROUND,
        [KIN__OUTCOME_UNREADABLE]  = KIN__FAIL_ROUND,
        [KIN__OUTCOME_NEEDS_JSON]  = KIN__PAGE_AGAIN,
        [KIN__OUTCOME_LIMIT]       = KIN__FAIL_ROUND,
        [KIN__OUTCOME_STORE]       = KIN__FAIL_ROUND,
        [KIN__OUTCOME_OTHER]       = KIN__FAIL_ROUND,
    },
    [KIN__CALL_STREAM] = {
        [KIN__OUTCOME_OK]          = KIN__STREAM_AGAIN,
        [KIN__OUTCOME_SHORT]       = KIN__FALL_BACK,
        [KIN__OUTCOME_NO_END]      = KIN__STREAM_AGAIN,
        [KIN__OUTCOME_EXPIRED]     = KIN__STREAM_FRESH,
        [KIN__OUTCOME_TOO_LARGE]   = KIN__STREAM_FRESH,
        [KIN__OUTCOME_REFUSED]     = KIN__STREAM_LATER,
        [KIN__OUTCOME_TOO_MANY]    = KIN__STREAM_LATER,
        [KIN__OUTCOME_INTERNAL]    = KIN__FALL_BACK,
        [KIN__OUTCOME_UNSUPPORTED] = KIN__FALL_BACK_LONG,
        [KIN__OUTCOME_DENIED]      = KIN__FALL_BACK,
        [KIN__OUTCOME_NOT_FOUND]   = KIN__FALL_BACK,
        [KIN__OUTCOME_LOST]        = KIN__FALL_BACK,
        [KIN__OUTCOME_UNREADABLE]  = KIN__FALL_BACK,
        [KIN__OUTCOME_NEEDS_JSON]  = KIN__BEGIN_ANEW,
        [KIN__OUTCOME_LIMIT]       = KIN__FAIL_STREAM,
        [KIN__OUTCOME_STORE]       = KIN__FALL_BACK,
        [KIN__OUTCOME_OTHER]       = KIN__FALL_BACK,
    },
    [KIN__CALL_BEGIN] = {
        [KIN__OUTCOME_OK]          = KIN__WATCH_AGAIN,
        [KIN__OUTCOME_SHORT]       = KIN__END_ROUND,
        [KIN__OUTCOME_NO_END]      = KIN__END_ROUND,
        [KIN__OUTCOME_EXPIRED]     = KIN__FAIL_ROUND,
        [KIN__OUTCOME_TOO_LARGE]   = KIN__FAIL_ROUND,
        [KIN__OUTCOME_REFUSED]     = KIN__WATCH_LATER,
        [KIN__OUTCOME_TOO_MANY]    = KIN__WATCH_LATER,
        [KIN__OUTCOME_INTERNAL]    = KIN__FAIL_ROUND,
        [KIN__OUTCOME_UNSUPPORTED] = KIN__FAIL_ROUND,
        [KIN__OUTCOME_DENIED]      = KIN__FAIL_ROUND,
        [KIN__OUTCOME_NOT_FOUND]   = KIN__FAIL_ROUND,
        [KIN__OUTCOME_LOST]        = KIN__WATCH_TRY,
        [KIN__OUTCOME_UNREADABLE]  = KIN__FAIL_ROUND,
        [KIN__OUTCOME_NEEDS_JSON]  = KIN__WATCH_AGAIN,
        [KIN__OUTCOME_LIMIT]       = KIN__FAIL_ROUND,
        [KIN__OUTCOME_STORE]       = KIN__END_ROUND,
        [KIN__OUTCOME_OTHER]       = KIN__FAIL_ROUND,
    },
    [KIN__CALL_WATCH] = {
        [KIN__OUTCOME_OK]          = KIN__WATCH_AGAIN,
        [KIN__OUTCOME_SHORT]       = KIN__END_ROUND,
        [KIN__OUTCOME_NO_END]      = KIN__END_ROUND,
        [KIN__OUTCOME_EXPIRED]     = KIN__END_ROUND,
        [KIN__OUTCOME_TOO_LARGE]   = KIN__END_ROUND,
        [KIN__OUTCOME_REFUSED]     = KIN__WATCH_LATER,
        [KIN__OUTCOME_TOO_MANY]    = KIN__WATCH_LATER,
        [KIN__OUTCOME_INTERNAL]    = KIN__WATCH_FOR_A_WHILE,
        [KIN__OUTCOME_UNSUPPORTED] = KIN__END_ROUND,
        [KIN__OUTCOME_DENIED]      = KIN__END_ROUND,
        [KIN__OUTCOME_NOT_FOUND]   = KIN__END_ROUND,
        [KIN__OUTCOME_LOST]        = KIN__WATCH_AGAIN,
        [KIN__OUTCOME_UNREADABLE]  = KIN__END_ROUND,
        [KIN__OUTCOME_NEEDS_JSON]  = KIN__WATCH_AGAIN,
        [KIN__OUTCOME_LIMIT]       = KIN__END_ROUND,
        [KIN__OUTCOME_STORE]       = KIN__END_ROUND,
        [KIN__OUTCOME_OTHER]       = KIN__END_ROUND,
    },
};
/* clang-format on */

kin__reaction kin__reaction_to(kin__reflector_call_kind kind, kin__outcome outcome)
{
    return (kin__reaction)reactions[kind][outcome];
}

static const char too_large[] = "Too large resource version";

bool kin__status_is_too_large(const kin_object *status)
{
    kin_scratch scratch;
    kin_cause cause;
    bool is_timeout;

    if (!status)
        return false;
    is_timeout = kin_str_equal(kin_status_reason(status, &scratch), kin_str_of("Timeout"));
    for (size_t i = 0; kin_status_cause(&cause, status, i) == 0; i++) {
        if (kin_str_equal(cause.reason, kin_str_of("ResourceVersionTooLarge")))
            return true;
        /* Servers of 1.17 and 1.18 name no reason. */
        if (is_timeout && kin_str_equal(cause.message, kin_str_of(too_large)))
            return true;
    }
    if (!is_timeout)
        return false;
    /* Those before have no causes. */
    kin_str message = kin_status_message(status, &scratch);
    return message.len > 0 && memmem(message.data, message.len, too_large, sizeof(too_large) - 1);
}

static bool is_internal(const kin_error *err)
{
    return strcmp(err->reason, "InternalError") == 0 ||
           (err->reason[0] == '\0' && err->http_status == 500);
}

/* What the server said, or the way to it, of which the code alone says enough. */
static kin__outcome outcome_of_code(int code)
{
    switch (code) {
    case KIN_EREFUSED:
        return KIN__OUTCOME_UNSUPPORTED;
    case KIN_EDENIED:
        return KIN__OUTCOME_DENIED;
    case KIN_ENOTFOUND:
        return KIN__OUTCOME_NOT_FOUND;
    case KIN_ECONNECT:
    case KIN_ETIMEOUT:
        return KIN__OUTCOME_LOST;
    case KIN_EPARSE:
    case KIN_EPROTOCOL:
        return KIN__OUTCOME_UNREADABLE;
    case KIN_ELIMIT:
        return KIN__OUTCOME_LIMIT;
    default:
        return KIN__OUTCOME_OTHER;
    }
}

kin__outcome kin__outcome_of(int code, const kin_error *err, bool too_large_version)
{
    if (code == 0)
        return KIN__OUTCOME_OK;
    if (too_large_version)
        return KIN__OUTCOME_TOO_LARGE;
    if (code == KIN_EEXPIRED)
        return KIN__OUTCOME_EXPIRED;
    if (code == KIN_ECONNECT && err->os_error == ECONNREFUSED)
        return KIN__OUTCOME_REFUSED;
    if (code == KIN_ESERVER && err->http_status == 429)
        return KIN__OUTCOME_TOO_MANY;
    if (code == KIN_ESERVER && is_internal(err))
        return KIN__OUTCOME_INTERNAL;
    return outcome_of_code(code);
}
