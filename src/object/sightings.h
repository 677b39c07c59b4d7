/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was seen how often, roughly: which contents are worth sharing.
 *
 * A fixed table of small counters, indexed and tagged by hash, for the whole process. It may
 * err: two contents can be taken for one, and an old one is forgotten when its place is needed. Both cost
 * some memory at most; whether two contents are the same is decided by comparing them, never here.
 * Threads that count at the same time may lose a count.
 */
#ifndef KIN_OBJECT_SIGHTINGS_H
#define KIN_OBJECT_SIGHTINGS_H

#include <stdint.h>

/* Counts a sighting and says which one it is: 1, 2, … up to KIN__SIGHTINGS_MAX, and then that. */
unsigned kin__sightings_add(uint32_t hash);
/* How often it was seen; 0 if never or long ago. */
unsigned kin__sightings_get(uint32_t hash);

#define KIN__SIGHTINGS_MAX 15u

#endif
