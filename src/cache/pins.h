/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins and holds: how readers tell the writer which versions they still look at, without a lock.
 *
 * A writer counts versions up and publishes each. What it takes out of a structure it may free only
 * when no reader can be looking at it. A reader pins the version it reads before its first look and
 * unpins after its last; the writer looks through the pins.
 *
 * A *pin* keeps its version and all later ones. It guards the short work inside one call, in which
 * pointers to anything may be held. A *hold* keeps exactly one version, for as long as its owner
 * likes. States that came and went after it can be freed all the same, so that a view held for a day
 * costs one old state per key, not a day's changes. A reader with a hold pins the held version for
 * each step.
 *
 * | operation | by | order |
 * |-----------|----|-------|
 * | acquire: pin := version; version again | reader | both seq_cst |
 * | hold: oldest held := version; then unpin | reader with a pin | seq_cst, release |
 * | publish: version := w; look at pins, then at holds | writer | all seq_cst |
 *
 * Either the writer's look finds the pin, or the reader's second load of the version finds w or
 * later, and with it all that was done before w was published. So a reader that is not found cannot
 * reach what was taken out before. Pins are looked at before holds: a reader that turns its pin into
 * a hold is found as one of the two.
 *
 * Cost. There is a pin for each thread that is inside a call, and the writer looks at all of them.
 * There may be thousands of holds: they are a list in the order of their versions, under a lock of
 * their own, and the writer looks only at the version of the oldest, without that lock. A hold that
 * lasts as long as a call takes one of a few places instead, without the lock, if one is free.
 */
#ifndef KIN_CACHE_PINS_H
#define KIN_CACHE_PINS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "base/mutex.h"
#include "kinform/error.h"

enum {
    KIN__PINS_INLINE = 8, /* pins without allocating: more than threads that usually read at once */
    KIN__HOLDS_INLINE = 8, /* places for holds; one cache line */
};

typedef struct kin__pin {
    _Atomic uint64_t version; /* 0: free */
    struct kin__pin *next;    /* const after it was linked */
    /* NULL for those that are always looked at; else how many of its sort are in use */
    _Atomic size_t *n_used;
    /* Threads write to their pins all the time: not two of them to one cache line. */
    char padding[64 - 3 * sizeof(uint64_t)];
} kin__pin;

typedef struct kin__hold {
    uint64_t version;        /* const */
    _Atomic uint64_t *place; /* const: the one that it has taken; NULL: it is in the list */
    kin__list link;          /* (lock) in `listed` */
} kin__hold;

typedef struct kin__pins {
    kin__pin first[KIN__PINS_INLINE];
    _Atomic uint64_t places[KIN__HOLDS_INLINE]; /* versions of short holds; 0: free */
    _Atomic(kin__pin *) more;                   /* added when all were taken; freed with the pins */
    _Atomic size_t n_more;                      /* of these: in use */
    kin__pin unknown;         /* shared by readers for whom memory ran out; not looked at */
    _Atomic size_t n_unknown; /* how many these are */
    kin__mutex lock;          /* rank HOLDS; the writer does not wait for it */
    kin__list listed;         /* (lock) holds, the oldest first */
    _Atomic size_t n_listed;  /* written under the lock */
    _Atomic uint64_t oldest;  /* the version of the first; UINT64_MAX: none. Written likewise */
    _Atomic uint64_t version; /* the published one, from 1 */
} kin__pins;

void kin__pins_init(kin__pins *pins);
/* All readers have left. `forked`: this is a forked child, and locks are not touched. */
void kin__pins_done(kin__pins *pins, bool forked);

/* Pin the current version and all later ones; *ret_version is the one to read. */
kin__pin *kin__pins_acquire(kin__pins *pins, uint64_t *ret_version);
/* Pin a version that the caller holds, and all later ones. */
kin__pin *kin__pins_acquire_held(kin__pins *pins, uint64_t version);

static inline void kin__pin_release(kin__pin *pin)
{
    atomic_store_explicit(&pin->version, 0, memory_order_release);
    if (pin->n_used)
        atomic_fetch_sub_explicit(pin->n_used, 1, memory_order_release);
}

/* Hold a version that a pin of the caller keeps. `briefly`: until the caller's call returns. */
void kin__pins_hold(kin__pins *pins, kin__hold *hold, uint64_t version, bool briefly);
void kin__pins_give_up(kin__pins *pins, kin__hold *hold);

static inline uint64_t kin__pins_version(const kin__pins *pins)
{
    return atomic_load_explicit(&pins->version, memory_order_acquire);
}

/* --- the writer's: one thread at a time --- */

/* The next version is there. */
static inline void kin__pins_publish(kin__pins *pins, uint64_t version)
{
    atomic_store_explicit(&pins->version, version, memory_order_seq_cst);
}

/* What pins and holds keep; UINT64_MAX where there is none. */
typedef struct kin__pins_look {
    uint64_t pinned; /* the oldest version of a pin; 0 if it is unknown */
    uint64_t held;   /* the oldest version of a hold */
    size_t n_held;
    size_t n_seen; /* pins and holds that were looked at */
} kin__pins_look;

void kin__pins_look_at(const kin__pins *pins, kin__pins_look *ret);

static inline uint64_t kin__pins_oldest(const kin__pins_look *look)
{
    return look->pinned < look->held ? look->pinned : look->held;
}

/*
 * The versions of holds in rising order: all that were there at the last look, and perhaps newer ones. False:
 * there are more than `max`, or another thread has the lock.
 */
bool kin__pins_held(kin__pins *pins, uint64_t *ret, size_t max, size_t *ret_n);

#endif
