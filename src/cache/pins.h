/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins: how readers tell the writer which versions they still look at, without a lock.
 *
 * A writer counts versions up and publishes each. What it takes out of a structure it may free only
 * when no reader can be looking at it. A reader pins the version it reads before its first look and
 * unpins after its last; the writer looks through the pins.
 *
 * Two kinds. A *sliding* pin keeps its version and all later ones: it guards the short work inside
 * one call, in which pointers to anything may be held. A *held* pin keeps exactly one version, for
 * as long as its owner likes; states that came and went after it can be freed all the same, so that
 * a view held for a day costs one old state per key, not a day's changes. Who reads through a held
 * pin lets it slide for each step.
 *
 * | operation | by | order |
 * |-----------|----|-------|
 * | acquire: pin := version; version again | reader | both seq_cst |
 * | publish: version := w; look at pins | writer | both seq_cst |
 *
 * Either the writer's look finds the pin, or the reader's second load of the version finds w or
 * later, and with it all that was done before w was published. So whoever is not found cannot
 * reach what was taken out before.
 */
#ifndef KIN_CACHE_PINS_H
#define KIN_CACHE_PINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kinform/error.h"

/* Pins that are there without allocating: more than threads that usually read at once. */
#define KIN__PINS_INLINE 8

typedef struct kin__pin {
    /* 0: free; else the version, times two, plus one if it is held. */
    _Atomic uint64_t value;
    struct kin__pin *next; /* const after it was linked */
    /* Threads write to their pins all the time: not two of them to one cache line. */
    char padding[64 - 2 * sizeof(uint64_t)];
} kin__pin;

typedef struct kin__pins {
    kin__pin first[KIN__PINS_INLINE];
    _Atomic(kin__pin *) more; /* added when all were taken; freed with the pins */
    _Atomic uint64_t version; /* the published one, from 1 */
} kin__pins;

void kin__pins_init(kin__pins *pins);
/* Nobody reads any more. */
void kin__pins_done(kin__pins *pins);

/*
 * Pin the current version and all later ones; *ret_version is the one to read. Fails only when all
 * pins are taken and there is no memory for another.
 */
kin__pin *kin__pins_acquire(kin__pins *pins, uint64_t *ret_version);

/* From now on the pin keeps exactly `version`, which it or a held one keeps already. */
static inline void kin__pin_hold(kin__pin *pin, uint64_t version)
{
    atomic_store_explicit(&pin->value, version << 1 | 1, memory_order_seq_cst);
}

/*
 * The opposite, for a step of whoever holds it: it keeps its version and all later ones again. The
 * second load is what kin__pins_acquire() has it for.
 */
static inline void kin__pin_slide(kin__pin *pin, const kin__pins *pins, uint64_t version)
{
    atomic_store_explicit(&pin->value, version << 1, memory_order_seq_cst);
    atomic_load_explicit(&pins->version, memory_order_seq_cst);
}

static inline void kin__pin_release(kin__pin *pin)
{
    atomic_store_explicit(&pin->value, 0, memory_order_release);
}

static inline uint64_t kin__pins_version(const kin__pins *pins)
{
    return atomic_load_explicit(&pins->version, memory_order_acquire);
}

/* The writer's: the next version is there. */
static inline void kin__pins_publish(kin__pins *pins, uint64_t version)
{
    atomic_store_explicit(&pins->version, version, memory_order_seq_cst);
}

/* What the pins keep; UINT64_MAX where there is none. */
typedef struct kin__pins_look {
    uint64_t sliding; /* the oldest version of a sliding pin */
    uint64_t held;    /* the oldest version of a held pin */
    size_t n_held;
} kin__pins_look;

void kin__pins_look_at(const kin__pins *pins, kin__pins_look *ret);

static inline uint64_t kin__pins_oldest(const kin__pins_look *look)
{
    return look->sliding < look->held ? look->sliding : look->held;
}

/*
 * The versions of held pins: the `max` oldest, in rising order. Returns how many there are, which may
 * be more. *ret_look is the same look: a pin that begins to slide, or ends, is in one of the two.
 */
size_t kin__pins_held(const kin__pins *pins, uint64_t *ret, size_t max, kin__pins_look *ret_look);

/* Whether a pin, of whichever kind, is of one of the versions from `first` to before `end`. */
bool kin__pins_keep(const kin__pins *pins, uint64_t first, uint64_t end);

#endif
