/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who may use the server: static bearer tokens. Their bytes are wiped when they go, are compared in a
 * time that does not tell how much of a guess was right, and are never logged.
 */
#ifndef KIN_APISERVER_HTTP_TOKENS_H
#define KIN_APISERVER_HTTP_TOKENS_H

#include "apiserver/kinds/failure.h"
#include "apiserver/protocol/reply.h"
#include "apiserver/protocol/target.h"
#include "kinform/apiserver.h"

typedef struct kin__tokens kin__tokens; /* const after new */

/* COPIED. 0, KIN_EINVAL (an empty token, or bytes that no header can hold), KIN_ENOMEM. */
int kin__tokens_new(kin__tokens **ret, const kin_apiserver_token *tokens, size_t n, kin_error *err);
void kin__tokens_free(kin__tokens *tokens);
size_t kin__tokens_count(const kin__tokens *tokens);
/* The first one; "" if there is none. BORROWED. */
kin_str kin__tokens_first(const kin__tokens *tokens);

/*
 * Who sends this Authorization header (empty: there is none). False: 401. The name is BORROWED from
 * the tokens. Without tokens everybody is system:anonymous and may do all.
 */
bool kin__tokens_check(const kin__tokens *tokens, kin_str authorization, kin__caller *ret,
                       kin__failure *failure);

/* Whether the caller may do it. False: 403, in the words of the real server's RBAC. */
bool kin__caller_may(const kin__caller *caller, const kin__target *target, kin_str path,
                     kin__failure *failure);

#endif
