/* SPDX-License-Identifier: Apache-2.0 */
/* Failures as replies. */
#include "apiserver/protocol/reply.h"

#include <stdio.h>
#include <string.h>

void kin__failure_reply(const kin__failure *failure, kin__reply *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->status = failure->status;
    ret->content_type = "application/json";
    kin__buf_init(&ret->body, 1 << 20);
    kin__failure_write(failure, &ret->body);
    kin__buf_append_char(&ret->body, '\n');
    if (failure->retry_after_s > 0) {
        kin__reply_header *header = &ret->headers[ret->n_headers++];

        header->name = "Retry-After";
        snprintf(header->value, sizeof(header->value), "%d", failure->retry_after_s);
    }
}
