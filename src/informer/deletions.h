/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The deletions that an informer applied last: whether an object that its store lacks was there before.
 *
 * A bounded memory, which forgets the oldest. An entry has the hash of its key, so that another key can be taken for it
 * with a probability of 2^-64.
 */
#ifndef KIN_INFORMER_DELETIONS_H
#define KIN_INFORMER_DELETIONS_H

#include <stddef.h>
#include <stdint.h>

#include "kinform/common.h"

typedef struct kin__deletion kin__deletion;

/* All zero is an empty one. */
typedef struct kin__deletions {
    kin__deletion *items; /* OWNED; NULL until there is one */
    size_t n;             /* how many there were in all */
} kin__deletions;

void kin__deletions_done(kin__deletions *deletions);
/* Allocate what it needs, if there is memory: later deletions are remembered then. */
void kin__deletions_reserve(kin__deletions *deletions);
/* `version` is that of the deletion. Without memory it is not remembered. */
void kin__deletions_add(kin__deletions *deletions, kin_str key, kin_str version);
/* Whether a deletion of the key is remembered that is not older than `version`. */
bool kin__deletions_has(const kin__deletions *deletions, kin_str key, kin_str version);

#endif
