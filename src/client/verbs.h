/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of the client's own.
 */
#ifndef KIN_CLIENT_VERBS_H
#define KIN_CLIENT_VERBS_H

#include "kinform/client.h"

/*
 * GET a path, of which `max_bytes` at most are taken (0: the default of decoding). *ret is OWNED and
 * terminated, release with kin__free(). 0, or any code that a request can end with.
 */
int kin__client_text(kin_client *client, char **ret, size_t *ret_len, const char *target,
                     const char *accept, size_t max_bytes, kin_error *err);

#endif
