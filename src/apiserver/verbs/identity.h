/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random names and uids, from a seed.
 */
#ifndef KIN_APISERVER_VERBS_IDENTITY_H
#define KIN_APISERVER_VERBS_IDENTITY_H

#include <stdatomic.h>
#include <stdint.h>

#include "kinform/common.h"

/* Any number of threads at once. */
typedef struct kin__random {
    _Atomic uint64_t state;
} kin__random;

/* 0: of the process's own. */
void kin__random_init(kin__random *random, uint64_t seed);
uint64_t kin__random_next(kin__random *random);

/* Room for a uid, and for a name. */
#define KIN__UID_SIZE 37
#define KIN__GENERATED_NAME_SIZE 64

/* A version 4 UUID. */
void kin__uid_make(kin__random *random, char *ret);
/* The prefix, cut to 58 bytes, and five of the characters that the real server takes. */
void kin__name_generate(kin__random *random, kin_str prefix, char *ret);

#endif
