/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reflector knows to be missing: objects that came and were skipped, so that the store has an old
 * state of them, or none. Passive: no lock, no clock. It never fails; what there is no memory for counts as
 * an object of which the key is not known.
 *
 * One that is skipped is a gap until something puts it right:
 *
 * | what was skipped                          | healed by                                         |
 * |-------------------------------------------|---------------------------------------------------|
 * | an object whose key is known              | a later event of that key, or a list              |
 * | one whose key is not                      | a list                                            |
 * | and what a list could not say of others:  | a list that could: one with all, or all but those |
 * | that they are gone (`keeps_missing`)      | that the store keeps one by one                   |
 *
 * A list heals all that was before it; what it skips itself is there from its commit on.
 */
#ifndef KIN_INFORMER_GAPS_H
#define KIN_INFORMER_GAPS_H

#include "base/map.h"

/* Keys that are remembered; beyond that a gap is one without a key. The other side decides how many. */
enum { KIN__GAPS_MAX = 1000 };

typedef struct kin__gaps {
    kin__map known;     /* by key */
    size_t n_unknown;   /* without a key; each time one comes */
    bool keeps_missing; /* the last list has deleted nothing */
} kin__gaps;

/* None. Allocates nothing. */
void kin__gaps_init(kin__gaps *gaps);
/* None any more. */
void kin__gaps_clear(kin__gaps *gaps);
/* One more; `key` may be empty. */
void kin__gaps_add(kin__gaps *gaps, kin_str key);
/* A state of this key has come. Whether it was a gap. */
bool kin__gaps_heal(kin__gaps *gaps, kin_str key);
/* Add those of `from`, and clear it. */
void kin__gaps_move(kin__gaps *gaps, kin__gaps *from);
/* Those of `from` instead, which has none then. */
void kin__gaps_replace(kin__gaps *gaps, kin__gaps *from);

static inline size_t kin__gaps_count(const kin__gaps *gaps)
{
    return kin__map_len(&gaps->known) + gaps->n_unknown;
}

#endif
