/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a list that came in pieces goes on: `{"v":"meta.k8s.io/v1","rv":7,"start":"name\u0000"}` in
 * base64, as the real server has it. Pure; fuzzed.
 */
#ifndef KIN_APISERVER_PROTOCOL_CONTINUE_TOKEN_H
#define KIN_APISERVER_PROTOCOL_CONTINUE_TOKEN_H

#include "apiserver/kinds/failure.h"

/* Bytes of a token as sent; more is 400. */
#define KIN__CONTINUE_MAX 4096

typedef struct kin__continue {
    int64_t version; /* of the first piece; -1: the newest, whatever was before */
    kin__buf
        after; /* the last key of the piece before, without what all keys of the list begin with */
} kin__continue;

/* False: 400. Release with _done in either case. */
bool kin__continue_read(kin__continue *ret, kin_str token, kin__failure *failure);
void kin__continue_done(kin__continue *continue_);
/* Only memory can be missing: see the buffer. */
void kin__continue_write(kin__buf *out, int64_t version, kin_str after);

#endif
