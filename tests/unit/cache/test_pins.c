/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pins: what the writer finds, and, in threads, that nobody reads a version that was given up.
 */
#include "kin_test.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "alloc.h"
#include "base/thread.h"
#include "cache/pins.h"
#include "latch.h"
#include "rng.h"

static void publish(kin__pins *pins)
{
    kin__pins_publish(pins, kin__pins_version(pins) + 1);
}

static void assert_look(const kin__pins *pins, uint64_t sliding, uint64_t held, size_t n_held)
{
    kin__pins_look look;

    kin__pins_look_at(pins, &look);
    assert_int_equal(look.sliding, sliding);
    assert_int_equal(look.held, held);
    assert_int_equal(look.n_held, n_held);
    assert_int_equal(kin__pins_oldest(&look), sliding < held ? sliding : held);
}

static void nobody_is_pinned_at_first(void **state)
{
    kin__pins pins;

    (void)state;
    kin__pins_init(&pins);
    assert_int_equal(kin__pins_version(&pins), 1);
    assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
    kin__pins_done(&pins);
}

static void the_oldest_of_each_kind_is_found(void **state)
{
    kin__pins pins;
    kin__pin *a;
    kin__pin *b;
    kin__pin *c;
    uint64_t version = 0;

    (void)state;
    kin__pins_init(&pins);
    a = kin__pins_acquire(&pins, &version);
    assert_int_equal(version, 1);
    publish(&pins);
    b = kin__pins_acquire(&pins, &version);
    assert_int_equal(version, 2);
    assert_look(&pins, 1, UINT64_MAX, 0);
    publish(&pins);
    c = kin__pins_acquire(&pins, &version);
    kin__pin_hold(b, 2);
    assert_look(&pins, 1, 2, 1);
    kin__pin_release(a);
    assert_look(&pins, 3, 2, 1);
    kin__pin_hold(c, 3);
    assert_look(&pins, UINT64_MAX, 2, 2);
    kin__pin_slide(b, &pins, 2);
    assert_look(&pins, 2, 3, 1);
    kin__pin_hold(b, 2);
    kin__pin_release(b);
    assert_look(&pins, UINT64_MAX, 3, 1);
    kin__pin_release(c);
    assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
    kin__pins_done(&pins);
}

static void there_are_as_many_pins_as_are_wanted(void **state)
{
    enum { N = 3 * KIN__PINS_INLINE };
    kin__pins pins;
    kin__pin *all[N];
    uint64_t version;
    size_t before = kin_test_alloc_live();

    (void)state;
    kin__pins_init(&pins);
    for (unsigned i = 0; i < N; i++) {
        publish(&pins);
        all[i] = kin__pins_acquire(&pins, &version);
        assert_non_null(all[i]);
        assert_int_equal(version, i + 2);
        for (unsigned k = 0; k < i; k++)
            assert_ptr_not_equal(all[i], all[k]);
    }
    assert_int_equal(kin_test_alloc_live() - before, N - KIN__PINS_INLINE);
    assert_look(&pins, 2, UINT64_MAX, 0);
    /* The first are found wherever they are. */
    for (unsigned i = 0; i < N; i++) {
        assert_look(&pins, i + 2, UINT64_MAX, 0);
        kin__pin_release(all[i]);
    }
    /* They are used again. */
    for (unsigned i = 0; i < N; i++)
        all[i] = kin__pins_acquire(&pins, &version);
    assert_int_equal(kin_test_alloc_live() - before, N - KIN__PINS_INLINE);
    for (unsigned i = 0; i < N; i++)
        kin__pin_release(all[i]);
    kin__pins_done(&pins);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void without_memory_there_is_no_pin(void **state)
{
    kin__pins pins;
    kin__pin *all[KIN__PINS_INLINE];
    uint64_t version = 77;

    (void)state;
    kin__pins_init(&pins);
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        all[i] = kin__pins_acquire(&pins, &version);
    version = 77;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    assert_null(kin__pins_acquire(&pins, &version));
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(version, 77);
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        kin__pin_release(all[i]);
    kin__pins_done(&pins);
}

/* The oldest held ones in rising order, and in the same look the oldest that slides. */
static void held_versions_are_sorted_and_cut(void **state)
{
    enum { N = 12 };
    static const uint64_t versions[N] = {9, 3, 12, 3, 7, 1, 30, 8, 2, 11, 6, 5};
    static const uint64_t sorted[N] = {1, 2, 3, 3, 5, 6, 7, 8, 9, 11, 12, 30};
    kin__pins pins;
    kin__pin *all[N];
    kin__pin *sliding;
    uint64_t version;
    uint64_t held[N + 1];
    kin__pins_look look;

    (void)state;
    kin__pins_init(&pins);
    kin__pins_publish(&pins, 40);
    for (unsigned i = 0; i < N; i++) {
        all[i] = kin__pins_acquire(&pins, &version);
        kin__pin_hold(all[i], versions[i]);
    }
    sliding = kin__pins_acquire(&pins, &version);
    for (size_t max = 0; max <= N + 1; max++) {
        assert_int_equal(kin__pins_held(&pins, held, max, &look), N);
        for (size_t i = 0; i < max && i < N; i++)
            assert_int_equal(held[i], sorted[i]);
        assert_int_equal(look.sliding, 40);
        assert_int_equal(look.held, 1);
        assert_int_equal(look.n_held, N);
    }
    kin__pin_slide(all[1], &pins, 3);
    assert_int_equal(kin__pins_held(&pins, held, N, &look), N - 1);
    assert_int_equal(held[2], 3);
    assert_int_equal(held[3], 5);
    assert_int_equal(look.sliding, 3);
    kin__pin_release(sliding);
    for (unsigned i = 0; i < N; i++)
        kin__pin_release(all[i]);
    assert_int_equal(kin__pins_held(&pins, held, N, &look), 0);
    kin__pins_done(&pins);
}

/* Whoever may be in the middle of a step keeps its version too. */
static void a_version_is_kept_by_any_pin(void **state)
{
    kin__pins pins;
    kin__pin *pin;
    uint64_t version;

    (void)state;
    kin__pins_init(&pins);
    kin__pins_publish(&pins, 10);
    assert_false(kin__pins_keep(&pins, 1, UINT64_MAX));
    pin = kin__pins_acquire(&pins, &version);
    for (int held = 0; held < 2; held++) {
        assert_true(kin__pins_keep(&pins, 10, 11));
        assert_true(kin__pins_keep(&pins, 3, 11));
        assert_false(kin__pins_keep(&pins, 3, 10));
        assert_false(kin__pins_keep(&pins, 11, 12));
        assert_false(kin__pins_keep(&pins, 10, 10));
        kin__pin_hold(pin, 10);
    }
    kin__pin_release(pin);
    kin__pins_done(&pins);
}

/* --- threads --- */

/*
 * The writer has a cell per version, and spoils that of a version that nobody can read any more.
 * A reader looks at the cell of the version it got, for as long as it likes.
 */
enum { CELLS = 1024, READERS = 3, ROUNDS = 60000 };

struct race {
    kin__pins pins;
    _Atomic uint64_t cells[CELLS]; /* the version, 0 once it was given up */
    atomic_bool stop;
    atomic_uint wrong;
    bool hold; /* readers hold the version between two looks */
};

struct reader {
    struct race *race;
    kin__thread thread;
    kin_test_rng rng;
    unsigned reads;
    kin_test_latch *started;
};

static void look_at(struct race *race, uint64_t version)
{
    if (atomic_load_explicit(&race->cells[version % CELLS], memory_order_relaxed) != version)
        atomic_fetch_add(&race->wrong, 1);
}

static void read_versions(void *arg)
{
    struct reader *reader = arg;
    struct race *race = reader->race;
    uint64_t last = 0;

    kin_test_latch_raise(reader->started);
    while (!atomic_load(&race->stop)) {
        uint64_t version = 0;
        kin__pin *pin = kin__pins_acquire(&race->pins, &version);

        if (!pin || version < last)
            atomic_fetch_add(&race->wrong, 1);
        if (!pin)
            continue;
        last = version;
        look_at(race, version);
        for (uint64_t i = kin_test_below(&reader->rng, 4); race->hold && i > 0; i--) {
            kin__pin_hold(pin, version);
            kin__pin_slide(pin, &race->pins, version);
            look_at(race, version);
        }
        kin__pin_release(pin);
        reader->reads++;
    }
}

static void write_versions(struct race *race)
{
    uint64_t kept = 1; /* the oldest cell that was not given up */

    for (unsigned i = 0; i < ROUNDS; i++) {
        uint64_t version = kin__pins_version(&race->pins) + 1;
        kin__pins_look look;

        for (;;) {
            kin__pins_look_at(&race->pins, &look);
            for (; kept + 1 < version && kept < kin__pins_oldest(&look); kept++)
                atomic_store_explicit(&race->cells[kept % CELLS], 0, memory_order_relaxed);
            if (version - kept < CELLS)
                break;
            /* No room: let the reader go on that keeps the oldest. */
            sched_yield();
        }
        atomic_store_explicit(&race->cells[version % CELLS], version, memory_order_relaxed);
        kin__pins_publish(&race->pins, version);
    }
}

static void run_race(bool hold)
{
    static struct race race;
    struct reader readers[READERS];
    kin_test_latch started;
    unsigned reads = 0;

    kin_test_latch_init(&started);
    kin__pins_init(&race.pins);
    for (unsigned i = 0; i < CELLS; i++)
        atomic_init(&race.cells[i], 0);
    atomic_init(&race.cells[1], 1);
    atomic_init(&race.stop, false);
    atomic_init(&race.wrong, 0);
    race.hold = hold;
    for (unsigned i = 0; i < READERS; i++) {
        readers[i] = (struct reader){&race, KIN__THREAD_INIT, {i}, 0, &started};
        assert_code(
            kin__thread_start(&readers[i].thread, "reader", read_versions, &readers[i], NULL), 0);
    }
    kin_test_latch_wait(&started, READERS);
    write_versions(&race);
    atomic_store(&race.stop, true);
    for (unsigned i = 0; i < READERS; i++) {
        assert_code(kin__thread_join(&readers[i].thread, NULL), 0);
        reads += readers[i].reads;
    }
    assert_int_equal(atomic_load(&race.wrong), 0);
    assert_true(reads > 0);
    kin__pins_done(&race.pins);
    kin_test_latch_done(&started);
}

static void nobody_reads_a_version_that_was_given_up(void **state)
{
    (void)state;
    run_race(false);
}

static void a_held_version_is_not_given_up(void **state)
{
    (void)state;
    run_race(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_is_pinned_at_first),
        cmocka_unit_test(the_oldest_of_each_kind_is_found),
        cmocka_unit_test(there_are_as_many_pins_as_are_wanted),
        cmocka_unit_test(without_memory_there_is_no_pin),
        cmocka_unit_test(held_versions_are_sorted_and_cut),
        cmocka_unit_test(a_version_is_kept_by_any_pin),
        cmocka_unit_test(nobody_reads_a_version_that_was_given_up),
        cmocka_unit_test(a_held_version_is_not_given_up),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
