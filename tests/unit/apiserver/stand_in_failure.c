/* SPDX-License-Identifier: Apache-2.0 */
/* As much of failures as the server needs to be tested without the rest. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apiserver/failure.h"
#include "object/json.h"

bool kin__fail(kin__failure *failure, int status, const char *reason, const char *fmt, ...)
{
    va_list ap;

    memset(failure, 0, sizeof(*failure));
    failure->status = status;
    failure->reason = reason;
    va_start(ap, fmt);
    (void)vsnprintf(failure->message, sizeof(failure->message), fmt, ap);
    va_end(ap);
    return false;
}

void kin__failure_write(const kin__failure *failure, kin__buf *out)
{
    kin__buf_append(out, kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                                    "\"status\":\"Failure\",\"message\":"));
    kin__json_write_string(out, kin_str_of(failure->message));
    kin__buf_appendf(out, ",\"reason\":\"%s\"", failure->reason);
    if (failure->has_details || failure->retry_after_s > 0)
        kin__buf_appendf(out, ",\"details\":{\"kind\":\"%s\"}", failure->kind);
    kin__buf_appendf(out, ",\"code\":%d}", failure->status);
}

void kin__failure_reply(const kin__failure *failure, kin__reply *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->status = failure->status;
    ret->content_type = "application/json";
    kin__buf_init(&ret->body, 1 << 20);
    kin__failure_write(failure, &ret->body);
    if (failure->retry_after_s > 0) {
        ret->headers[0].name = "Retry-After";
        snprintf(ret->headers[0].value, sizeof(ret->headers[0].value), "%d",
                 failure->retry_after_s);
        ret->n_headers = 1;
    }
}
