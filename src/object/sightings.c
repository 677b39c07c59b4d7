/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A direct-mapped table of 16-bit cells: 12 bits of the hash as a tag, 4 bits of count. The
 * hash is seeded, so nobody outside can aim at a cell.
 *
 * A newcomer that finds its cell taken weakens the owner by one and takes the cell when the owner is
 * down to its last count. So what is seen all the time survives floods of what is seen once.
 */
#include "object/sightings.h"

#include <stdatomic.h>

#define CELL_BITS 17
#define COUNT_BITS 4
#define COUNT_MASK ((1u << COUNT_BITS) - 1)

/* Relaxed everywhere: a lost or late count does no harm, and nothing else hangs on it. */
static _Atomic uint16_t cells[1u << CELL_BITS];

static _Atomic uint16_t *cell_of(uint32_t hash)
{
    return &cells[hash >> (32 - CELL_BITS)];
}

/* The bits of the hash that do not choose the cell; never 0, so that an empty cell matches nothing. */
static unsigned tag_of(uint32_t hash)
{
    return ((hash & ((1u << 12) - 1)) | 1u) << COUNT_BITS;
}

unsigned kin__sightings_get(uint32_t hash)
{
    unsigned cell = atomic_load_explicit(cell_of(hash), memory_order_relaxed);

    return (cell & ~COUNT_MASK) == tag_of(hash) ? cell & COUNT_MASK : 0;
}

unsigned kin__sightings_add(uint32_t hash)
{
    _Atomic uint16_t *place = cell_of(hash);
    unsigned cell = atomic_load_explicit(place, memory_order_relaxed);
    unsigned count = cell & COUNT_MASK;

    if ((cell & ~COUNT_MASK) == tag_of(hash)) {
        if (count == KIN__SIGHTINGS_MAX)
            return count;
        atomic_store_explicit(place, (uint16_t)(cell + 1), memory_order_relaxed);
        return count + 1;
    }
    cell = count > 1 ? cell - 1 : tag_of(hash) | 1u;
    atomic_store_explicit(place, (uint16_t)cell, memory_order_relaxed);
    return 1;
}
