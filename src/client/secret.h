/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that nobody else may read: tokens, passwords, private keys.
 *
 * They are wiped before their memory is given back. They are never part of a log line or of an
 * error; what is told about a secret is where it came from.
 */
#ifndef KIN_CLIENT_SECRET_H
#define KIN_CLIENT_SECRET_H

#include <stdbool.h>

#include "kinform/common.h"

/* All zero is the empty secret, which owns nothing. */
typedef struct kin__secret {
    char *data; /* terminated; NULL if it is empty */
    size_t len;
} kin__secret;

#define KIN__SECRET_INIT ((kin__secret){NULL, 0})

/* Another value; COPIED, and the old one is wiped. 0 or KIN_ENOMEM: it has the old one. */
int kin__secret_set(kin__secret *secret, kin_str value);
/* One made of several parts, such as "Bearer " and a token. */
int kin__secret_join(kin__secret *secret, const kin_str *parts, size_t n);
/* Wipe and release it; empty then. */
void kin__secret_done(kin__secret *secret);
/* Wipe memory that held a secret and is not a kin__secret. */
void kin__secret_wipe(void *data, size_t len);

/* Takes the same time whatever differs, and tells only the length. */
bool kin__secret_equal(const kin__secret *a, const kin__secret *b);

static inline kin_str kin__secret_str(const kin__secret *secret)
{
    return kin_str_make(secret->data, secret->len);
}

#endif
