/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of the client's own.
 */
#ifndef KIN_CLIENT_VERBS_H
#define KIN_CLIENT_VERBS_H

#include "kinform/client.h"

/* A GET whose answer is kept as it is. */
typedef struct kin__text_request {
    const char *target;
    const char *accept;
    size_t max_bytes; /* 0: the default of decoding */
    bool unlimited;   /* it does not wait for the rate limit */
} kin__text_request;

/*
 * *ret is OWNED and terminated, release with kin__free(). 0, or any code that a request can end with.
 */
int kin__client_text(kin_client *client, char **ret, size_t *ret_len,
                     const kin__text_request *request, kin_error *err);

#endif
