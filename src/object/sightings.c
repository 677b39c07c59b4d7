/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A direct-mapped table of 32-bit cells: 16 bits of the hash as a tag, 12 of the last origin, 4 of
 * count. The hash is seeded, so nobody outside can aim at a cell.
 *
 * A newcomer that finds its cell taken weakens the owner by one and takes the cell when the owner
 * is down to its last count. So what is seen all the time survives floods of what is seen once.
 * When newcomers have displaced a quarter of the cells, twice as many are used; half of what was
 * counted is then at another place and forgotten, which is no harm.
 *
 * Above KIN__SIGHTINGS_EXACT only some objects count, chosen by the hash of their names: one of 16,
 * of 64, of 256. An object either is one of them or is not, however often it is updated. So a high
 * count takes many objects, and few objects with many updates do not reach it.
 */
#include "object/sightings.h"

#include <stdatomic.h>
#include <stdbool.h>

#define MASK_MIN 0x3fffu
#define MASK_MAX 0x3ffffu
#define COUNT_BITS 4
#define COUNT_MASK 0xfu
#define ORIGIN_MASK 0xfff0u
#define TAG_MASK 0xffff0000u
/* The bits of an origin by which objects are chosen; none of them is stored in the cell. */
#define SAMPLE_SHIFT 16

/* Relaxed everywhere: a lost or late count does no harm, and nothing else hangs on it. */
_Atomic uint32_t kin__sightings_cells[MASK_MAX + 1];
_Atomic uint32_t kin__sightings_mask = MASK_MIN;
static _Atomic uint32_t displaced;

static _Atomic uint32_t *cell_of(uint32_t hash)
{
    return &kin__sightings_cells[hash &
                                 atomic_load_explicit(&kin__sightings_mask, memory_order_relaxed)];
}

/* Never 0, so that an empty cell matches nothing. */
static uint32_t tag_of(uint32_t hash)
{
    return (hash & TAG_MASK) | (hash < 0x10000u ? 0x10000u : 0);
}

static uint32_t origin_of(uint32_t origin)
{
    return (origin << COUNT_BITS) & ORIGIN_MASK;
}

/* Whether a sighting in this object raises this count. */
static bool counts(uint32_t origin, unsigned count)
{
    static const uint32_t masks[] = {0xf, 0x3f, 0xff};

    if (count < KIN__SIGHTINGS_EXACT)
        return true;
    return count < KIN__SIGHTINGS_MAX && origin != KIN__ANY_ORIGIN &&
           ((origin >> SAMPLE_SHIFT) & masks[count - KIN__SIGHTINGS_EXACT]) == 0;
}

unsigned kin__sightings_get(uint32_t hash)
{
    uint32_t cell = atomic_load_explicit(cell_of(hash), memory_order_relaxed);

    return (cell & TAG_MASK) == tag_of(hash) ? cell & COUNT_MASK : 0;
}

static void note_displaced(void)
{
    uint32_t used = atomic_load_explicit(&kin__sightings_mask, memory_order_relaxed);
    uint32_t n = atomic_load_explicit(&displaced, memory_order_relaxed) + 1;

    if (used < MASK_MAX && n > used / 4) {
        atomic_store_explicit(&kin__sightings_mask, used * 2 + 1, memory_order_relaxed);
        n = 0;
    }
    atomic_store_explicit(&displaced, n, memory_order_relaxed);
}

unsigned kin__sightings_add(uint32_t hash, uint32_t origin)
{
    _Atomic uint32_t *place = cell_of(hash);
    uint32_t cell = atomic_load_explicit(place, memory_order_relaxed);
    unsigned count = cell & COUNT_MASK;

    if ((cell & TAG_MASK) == tag_of(hash)) {
        bool again = origin != KIN__ANY_ORIGIN && (cell & ORIGIN_MASK) == origin_of(origin);

        if (again || !counts(origin, count))
            return count;
        cell = tag_of(hash) | origin_of(origin) | (count + 1);
        atomic_store_explicit(place, cell, memory_order_relaxed);
        return count + 1;
    }
    if (count > 1) {
        atomic_store_explicit(place, cell - 1, memory_order_relaxed);
        return 1;
    }
    if (count == 1)
        note_displaced();
    atomic_store_explicit(place, tag_of(hash) | origin_of(origin) | 1u, memory_order_relaxed);
    return 1;
}
