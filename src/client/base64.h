/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64 of what is secret: the standard alphabet, padded, on one line (RFC 4648, section 4).
 */
#ifndef KIN_CLIENT_BASE64_H
#define KIN_CLIENT_BASE64_H

#include "client/secret.h"

/* 0 or KIN_ENOMEM; `ret` is untouched then, else its old value is wiped. */
int kin__base64_encode(kin__secret *ret, kin_str data);

#endif
