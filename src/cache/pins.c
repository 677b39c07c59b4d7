/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pins.h. A reader claims a free pin with one compare-and-swap, beginning at a place of its
 * thread's own, so that threads rarely meet. When all are taken it adds one, which stays. If there is
 * no memory for that, it counts itself, and the writer frees nothing meanwhile.
 */
#include "cache/pins.h"

#include "base/defect.h"
#include "base/memory.h"

static _Atomic unsigned threads_seen;
/* Where this thread begins to look; 0: it has not read yet. */
static _Thread_local unsigned thread_place;

void kin__pins_init(kin__pins *pins)
{
    for (size_t i = 0; i < KIN__PINS_INLINE; i++) {
        atomic_init(&pins->first[i].version, 0);
        pins->first[i].next = NULL;
        pins->first[i].n_used = NULL;
    }
    for (size_t i = 0; i < KIN__HOLDS_INLINE; i++)
        atomic_init(&pins->places[i], 0);
    atomic_init(&pins->more, NULL);
    atomic_init(&pins->n_more, 0);
    atomic_init(&pins->unknown.version, 0);
    pins->unknown.next = NULL;
    pins->unknown.n_used = &pins->n_unknown;
    atomic_init(&pins->n_unknown, 0);
    kin__mutex_init(&pins->lock, KIN__RANK_HOLDS);
    kin__list_init(&pins->listed);
    atomic_init(&pins->n_listed, 0);
    atomic_init(&pins->oldest, UINT64_MAX);
    atomic_init(&pins->version, 1);
}

void kin__pins_done(kin__pins *pins, bool forked)
{
    kin__pin *pin = atomic_load_explicit(&pins->more, memory_order_relaxed);

    while (pin) {
        kin__pin *next = pin->next;

        kin__free(pin);
        pin = next;
    }
    if (!forked)
        kin__mutex_done(&pins->lock);
}

/* --- pins --- */

static unsigned place_of_thread(void)
{
    if (thread_place == 0)
        thread_place = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed) + 1;
    return thread_place;
}

static bool claim(_Atomic uint64_t *value, uint64_t version)
{
    uint64_t free_value = 0;

    return atomic_load_explicit(value, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(value, &free_value, version,
                                                   memory_order_seq_cst, memory_order_relaxed);
}

/* All are taken: one more, claimed, or NULL. */
static kin__pin *add_pin(kin__pins *pins, uint64_t version)
{
    kin__pin *pin = kin__malloc(sizeof(*pin));

    if (!pin)
        return NULL;
    atomic_init(&pin->version, version);
    pin->n_used = &pins->n_more;
    pin->next = atomic_load_explicit(&pins->more, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&pins->more, &pin->next, pin,
                                                  memory_order_seq_cst, memory_order_relaxed))
        ;
    return pin;
}

/* The count is raised first, so that the writer may skip the pins if it is 0. */
static kin__pin *claim_more(kin__pins *pins, uint64_t version)
{
    kin__pin *pin;

    atomic_fetch_add_explicit(&pins->n_more, 1, memory_order_seq_cst);
    for (pin = atomic_load_explicit(&pins->more, memory_order_acquire); pin; pin = pin->next)
        if (claim(&pin->version, version))
            return pin;
    pin = add_pin(pins, version);
    if (pin)
        return pin;
    atomic_fetch_add_explicit(&pins->n_unknown, 1, memory_order_seq_cst);
    atomic_fetch_sub_explicit(&pins->n_more, 1, memory_order_release);
    return &pins->unknown;
}

static kin__pin *claim_any(kin__pins *pins, uint64_t version)
{
    unsigned place = place_of_thread();

    for (unsigned i = 0; i < KIN__PINS_INLINE; i++) {
        kin__pin *pin = &pins->first[(place + i) % KIN__PINS_INLINE];

        if (claim(&pin->version, version))
            return pin;
    }
    return claim_more(pins, version);
}

kin__pin *kin__pins_acquire(kin__pins *pins, uint64_t *ret_version)
{
    kin__pin *pin = claim_any(pins, atomic_load_explicit(&pins->version, memory_order_relaxed));

    /* What is read is the version of now; the pin may be a little older, which keeps more. */
    *ret_version = atomic_load_explicit(&pins->version, memory_order_seq_cst);
    return pin;
}

kin__pin *kin__pins_acquire_held(kin__pins *pins, uint64_t version)
{
    kin__pin *pin = claim_any(pins, version);

    /* For its order, as in kin__pins_acquire(). */
    atomic_load_explicit(&pins->version, memory_order_seq_cst);
    return pin;
}

/* --- holds --- */

static kin__hold *hold_of(kin__list *link)
{
    return kin__list_entry(link, kin__hold, link);
}

static void note_oldest_locked(kin__pins *pins) KIN_REQUIRES(pins->lock)
{
    uint64_t oldest =
        kin__list_is_empty(&pins->listed) ? UINT64_MAX : hold_of(pins->listed.next)->version;

    atomic_store_explicit(&pins->oldest, oldest, memory_order_seq_cst);
}

/* Holds begin in the order of versions, but for those that several threads make at once. */
static void list_hold(kin__pins *pins, kin__hold *hold)
{
    kin__list *before;

    kin__mutex_lock(&pins->lock);
    before = pins->listed.prev;
    while (before != &pins->listed && hold_of(before)->version > hold->version)
        before = before->prev;
    kin__list_insert_between(&hold->link, before, before->next);
    atomic_fetch_add_explicit(&pins->n_listed, 1, memory_order_relaxed);
    note_oldest_locked(pins);
    kin__mutex_unlock(&pins->lock);
}

void kin__pins_hold(kin__pins *pins, kin__hold *hold, uint64_t version, bool briefly)
{
    hold->version = version;
    hold->place = NULL;
    for (unsigned i = 0; briefly && i < KIN__HOLDS_INLINE && !hold->place; i++)
        if (claim(&pins->places[i], version))
            hold->place = &pins->places[i];
    if (!hold->place)
        list_hold(pins, hold);
}

void kin__pins_give_up(kin__pins *pins, kin__hold *hold)
{
    if (hold->place) {
        atomic_store_explicit(hold->place, 0, memory_order_release);
        return;
    }
    kin__mutex_lock(&pins->lock);
    kin__list_remove(&hold->link);
    atomic_fetch_sub_explicit(&pins->n_listed, 1, memory_order_relaxed);
    note_oldest_locked(pins);
    kin__mutex_unlock(&pins->lock);
}

/* --- the writer's look --- */

static uint64_t load(const _Atomic uint64_t *value)
{
    return atomic_load_explicit(value, memory_order_seq_cst);
}

static void note_pin(const kin__pin *pin, kin__pins_look *look)
{
    uint64_t version = load(&pin->version);

    if (version && version < look->pinned)
        look->pinned = version;
    look->n_seen++;
}

static void look_at_pins(const kin__pins *pins, kin__pins_look *look)
{
    for (size_t i = 0; i < KIN__PINS_INLINE; i++)
        note_pin(&pins->first[i], look);
    if (atomic_load_explicit(&pins->n_more, memory_order_seq_cst) > 0)
        for (kin__pin *pin = atomic_load_explicit(&pins->more, memory_order_seq_cst); pin;
             pin = pin->next)
            note_pin(pin, look);
    /* After n_more, from which it is moved. */
    if (atomic_load_explicit(&pins->n_unknown, memory_order_seq_cst) > 0)
        look->pinned = 0;
}

static void look_at_holds(const kin__pins *pins, kin__pins_look *look)
{
    look->held = KIN_DEFECT(pin_released_early) ? UINT64_MAX : load(&pins->oldest);
    look->n_held = atomic_load_explicit(&pins->n_listed, memory_order_relaxed);
    look->n_seen++;
    for (size_t i = 0; i < KIN__HOLDS_INLINE; i++) {
        uint64_t version = load(&pins->places[i]);

        if (version && version < look->held)
            look->held = version;
        look->n_held += version != 0;
        look->n_seen++;
    }
}

void kin__pins_look_at(const kin__pins *pins, kin__pins_look *ret)
{
    *ret = (kin__pins_look){UINT64_MAX, UINT64_MAX, 0, 0};
    look_at_pins(pins, ret);
    look_at_holds(pins, ret);
}

static void insert_sorted(uint64_t *versions, size_t n, uint64_t version)
{
    for (; n > 0 && versions[n - 1] > version; n--)
        versions[n] = versions[n - 1];
    versions[n] = version;
}

bool kin__pins_held(kin__pins *pins, uint64_t *ret, size_t max, size_t *ret_n)
{
    size_t n = 0;
    bool fits;

    if (!kin__mutex_try_lock(&pins->lock))
        return false;
    fits = atomic_load_explicit(&pins->n_listed, memory_order_relaxed) + KIN__HOLDS_INLINE <= max;
    if (fits)
        kin__list_for_each(&pins->listed, link)
            ret[n++] = hold_of(link)->version;
    kin__mutex_unlock(&pins->lock);
    for (size_t i = 0; fits && i < KIN__HOLDS_INLINE; i++) {
        uint64_t version = load(&pins->places[i]);

        if (version)
            insert_sorted(ret, n++, version);
    }
    *ret_n = n;
    return fits;
}
