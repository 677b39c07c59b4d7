/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See pins.h. A reader claims a free pin with one compare-and-swap, beginning at a place of its
 * thread's own, so that threads rarely meet. When all are taken it adds one, which stays.
 */
#include "cache/pins.h"

#include "base/memory.h"

static _Atomic unsigned threads_seen;
/* Where this thread begins to look; 0: it has not read yet. */
static _Thread_local unsigned thread_place;

void kin__pins_init(kin__pins *pins)
{
    for (size_t i = 0; i < KIN__PINS_INLINE; i++) {
        atomic_init(&pins->first[i].value, 0);
        pins->first[i].next = NULL;
    }
    atomic_init(&pins->more, NULL);
    atomic_init(&pins->version, 1);
}

void kin__pins_done(kin__pins *pins)
{
    kin__pin *pin = atomic_load_explicit(&pins->more, memory_order_relaxed);

    while (pin) {
        kin__pin *next = pin->next;

        kin__free(pin);
        pin = next;
    }
}

static unsigned place_of_thread(void)
{
    if (thread_place == 0)
        thread_place = atomic_fetch_add_explicit(&threads_seen, 1, memory_order_relaxed) + 1;
    return thread_place;
}

static bool claim(kin__pin *pin, uint64_t version)
{
    uint64_t free_value = 0;

    return atomic_load_explicit(&pin->value, memory_order_relaxed) == 0 &&
           atomic_compare_exchange_strong_explicit(&pin->value, &free_value, version << 1,
                                                   memory_order_seq_cst, memory_order_relaxed);
}

/* All are taken: one more, claimed, or NULL. */
static kin__pin *add_pin(kin__pins *pins, uint64_t version)
{
    kin__pin *pin = kin__malloc(sizeof(*pin));

    if (!pin)
        return NULL;
    atomic_init(&pin->value, version << 1);
    pin->next = atomic_load_explicit(&pins->more, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(&pins->more, &pin->next, pin,
                                                  memory_order_seq_cst, memory_order_relaxed))
        ;
    return pin;
}

static kin__pin *claim_any(kin__pins *pins, uint64_t version)
{
    unsigned place = place_of_thread();

    for (unsigned i = 0; i < KIN__PINS_INLINE; i++) {
        kin__pin *pin = &pins->first[(place + i) % KIN__PINS_INLINE];

        if (claim(pin, version))
            return pin;
    }
    for (kin__pin *pin = atomic_load_explicit(&pins->more, memory_order_acquire); pin;
         pin = pin->next)
        if (claim(pin, version))
            return pin;
    return add_pin(pins, version);
}

kin__pin *kin__pins_acquire(kin__pins *pins, uint64_t *ret_version)
{
    kin__pin *pin = claim_any(pins, atomic_load_explicit(&pins->version, memory_order_relaxed));

    /* What is read is the version of now; the pin may be a little older, which keeps more. */
    if (pin)
        *ret_version = atomic_load_explicit(&pins->version, memory_order_seq_cst);
    return pin;
}

/* The pin behind `pin`, of all there are; NULL begins. */
static const kin__pin *next_pin(const kin__pins *pins, const kin__pin *pin)
{
    if (!pin)
        return &pins->first[0];
    if (pin >= pins->first && pin < &pins->first[KIN__PINS_INLINE - 1])
        return pin + 1;
    if (pin == &pins->first[KIN__PINS_INLINE - 1])
        return atomic_load_explicit(&pins->more, memory_order_seq_cst);
    return pin->next;
}

static uint64_t load_value(const kin__pin *pin)
{
    return atomic_load_explicit(&pin->value, memory_order_seq_cst);
}

/* Keep the `max` oldest of what is offered, in rising order. */
static void insert_sorted(uint64_t *held, size_t max, size_t n, uint64_t version)
{
    size_t at = n < max ? n : max;

    if (at == max) {
        if (max == 0 || held[max - 1] <= version)
            return;
        at = max - 1;
    }
    for (; at > 0 && held[at - 1] > version; at--)
        held[at] = held[at - 1];
    held[at] = version;
}

size_t kin__pins_held(const kin__pins *pins, uint64_t *ret, size_t max, kin__pins_look *ret_look)
{
    *ret_look = (kin__pins_look){UINT64_MAX, UINT64_MAX, 0};
    for (const kin__pin *pin = next_pin(pins, NULL); pin; pin = next_pin(pins, pin)) {
        uint64_t value = load_value(pin);
        uint64_t *oldest = value & 1 ? &ret_look->held : &ret_look->sliding;

        if (value && value >> 1 < *oldest)
            *oldest = value >> 1;
        if (value & 1)
            insert_sorted(ret, max, ret_look->n_held++, value >> 1);
    }
    return ret_look->n_held;
}

void kin__pins_look_at(const kin__pins *pins, kin__pins_look *ret)
{
    kin__pins_held(pins, NULL, 0, ret);
}

bool kin__pins_keep(const kin__pins *pins, uint64_t first, uint64_t end)
{
    for (const kin__pin *pin = next_pin(pins, NULL); pin; pin = next_pin(pins, pin)) {
        uint64_t version = load_value(pin) >> 1;

        if (version >= first && version < end && version)
            return true;
    }
    return false;
}
