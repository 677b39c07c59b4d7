/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was seen how often, roughly: which contents are worth sharing.
 *
 * A table of small counters, indexed and tagged by hash, for the whole process; it grows with what
 * comes by, up to 1 MiB. It may err: two contents can be taken for one, and an old one is forgotten
 * when its place is needed. Both cost some memory at most; whether two contents are the same is
 * decided by comparing them, never here. Threads that count at the same time may lose a count.
 */
#ifndef KIN_OBJECT_SIGHTINGS_H
#define KIN_OBJECT_SIGHTINGS_H

#include <stdatomic.h>
#include <stdint.h>

/* Counts up to this one are numbers of sightings. */
#define KIN__SIGHTINGS_EXACT 12u
/* Those above are estimates of how many objects there were: about 30, 90 and 350. */
#define KIN__SIGHTINGS_MAX 15u
/* The object is not known: every sighting counts, up to KIN__SIGHTINGS_EXACT. */
#define KIN__ANY_ORIGIN 0u

/*
 * Counts a sighting and returns the count. `origin` is a hash of the object in which it was seen:
 * further sightings in the same object, or in its next version, do not count. Objects that take
 * turns count again each time, but only up to KIN__SIGHTINGS_EXACT: see sightings.c.
 */
unsigned kin__sightings_add(uint32_t hash, uint32_t origin);
/* The cells, and which of them are used; for the next function alone. */
extern _Atomic uint32_t kin__sightings_cells[];
extern _Atomic uint32_t kin__sightings_mask;

/* It is going to be counted soon: its cell is rarely in a cache. */
static inline void kin__sightings_prefetch(uint32_t hash)
{
    uint32_t mask = atomic_load_explicit(&kin__sightings_mask, memory_order_relaxed);

    __builtin_prefetch(&kin__sightings_cells[hash & mask], 1);
}

/* How many were counted; 0 if none or long ago. */
unsigned kin__sightings_get(uint32_t hash);

#endif
