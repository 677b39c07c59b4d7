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

static void assert_look(kin__pins *pins, uint64_t sliding, uint64_t held, size_t n_held)
{
    kin__pins_look look;

    kin__pins_look_at(pins, &look);
    assert_int_equal(look.pinned, sliding);
    assert_int_equal(look.held, held);
    assert_int_equal(look.n_held, n_held);
    assert_int_equal(kin__pins_oldest(&look), sliding < held ? sliding : held);
}

/* What a look goes over: pins, places, and the oldest of the list. */
enum { LOOKED_AT = KIN__PINS_INLINE + KIN__HOLDS_INLINE + 1 };

static void nobody_is_pinned_at_first(void **state)
{
    kin__pins pins;

    (void)state;
    kin__pins_init(&pins);
    assert_int_equal(kin__pins_version(&pins), 1);
    assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
    kin__pins_done(&pins, false);
}

/* Hold the version of now. */
static void hold_now(kin__pins *pins, kin__hold *hold)
{
    uint64_t version;
    kin__pin *pin = kin__pins_acquire(pins, &version);

    kin__pins_hold(pins, hold, version, false);
    kin__pin_release(pin);
}

static void the_oldest_of_each_kind_is_found(void **state)
{
    kin__pins pins;
    kin__pin *a;
    kin__pin *step;
    kin__hold b;
    kin__hold c;
    uint64_t version = 0;

    (void)state;
    kin__pins_init(&pins);
    a = kin__pins_acquire(&pins, &version);
    assert_int_equal(version, 1);
    publish(&pins);
    assert_look(&pins, 1, UINT64_MAX, 0);
    hold_now(&pins, &b);
    assert_look(&pins, 1, 2, 1);
    publish(&pins);
    hold_now(&pins, &c);
    kin__pin_release(a);
    assert_look(&pins, UINT64_MAX, 2, 2);
    /* In a step, the version is held and pinned. */
    step = kin__pins_acquire_held(&pins, 2);
    assert_look(&pins, 2, 2, 2);
    kin__pin_release(step);
    kin__pins_give_up(&pins, &b);
    assert_look(&pins, UINT64_MAX, 3, 1);
    kin__pins_give_up(&pins, &c);
    assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
    kin__pins_done(&pins, false);
}

static void there_are_as_many_pins_as_are_wanted(void **state)
{
    enum { N = 3 * KIN__PINS_INLINE };
    kin__pins pins;
    kin__pin *all[N];
    kin__pins_look look;
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
    /* Those that were added are not looked at while they are free. */
    kin__pins_look_at(&pins, &look);
    assert_int_equal(look.n_seen, LOOKED_AT);
    kin__pins_done(&pins, false);
    assert_int_equal(kin_test_alloc_live(), before);
}

/* If memory runs out, a reader still reads; meanwhile the writer frees nothing. */
static void without_memory_all_versions_are_pinned(void **state)
{
    kin__pins pins;
    kin__pin *all[KIN__PINS_INLINE];
    kin__pin *more[2];
    uint64_t version;

    (void)state;
    kin__pins_init(&pins);
    kin__pins_publish(&pins, 5);
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        all[i] = kin__pins_acquire(&pins, &version);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (unsigned i = 0; i < 2; i++) {
        version = 77;
        more[i] = kin__pins_acquire(&pins, &version);
        assert_int_equal(version, 5);
    }
    assert_true(kin_test_alloc_disarm());
    assert_look(&pins, 0, UINT64_MAX, 0);
    kin__pin_release(more[0]);
    assert_look(&pins, 0, UINT64_MAX, 0);
    kin__pin_release(more[1]);
    assert_look(&pins, 5, UINT64_MAX, 0);
    for (unsigned i = 0; i < KIN__PINS_INLINE; i++)
        kin__pin_release(all[i]);
    assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
    kin__pins_done(&pins, false);
}

/* Threads that hold at the same time may come in another order than their versions. */
static void held_versions_are_sorted(void **state)
{
    enum { N = 20, MAX = N + KIN__HOLDS_INLINE };
    static const uint64_t versions[N] = {9,  3,  12, 3,  7,  1,  30, 8,  2,  11,
                                         21, 16, 15, 31, 31, 14, 19, 25, 17, 22};
    static const uint64_t sorted[N] = {1,  2,  3,  3,  7,  8,  9,  11, 12, 14,
                                       15, 16, 17, 19, 21, 22, 25, 30, 31, 31};
    kin__pins pins;
    kin__hold all[N];
    uint64_t held[MAX];
    size_t n = 0;

    (void)state;
    for (unsigned n_brief = 0; n_brief <= N; n_brief += 5) {
        kin__pins_init(&pins);
        kin__pins_publish(&pins, 40);
        for (unsigned i = 0; i < N; i++)
            kin__pins_hold(&pins, &all[i], versions[i], i < n_brief);
        assert_look(&pins, UINT64_MAX, 1, N);
        assert_true(kin__pins_held(&pins, held, MAX, &n));
        assert_int_equal(n, N);
        assert_memory_equal(held, sorted, sizeof(sorted));
        assert_false(kin__pins_held(&pins, held, KIN__HOLDS_INLINE - 1, &n));
        for (unsigned i = 0; i < N; i++)
            kin__pins_give_up(&pins, &all[i]);
        assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
        kin__pins_done(&pins, false);
    }
}

struct busy {
    kin__pins pins;
    kin_test_latch locked;
    kin_test_latch go_on;
};

static void keep_lock(void *arg)
{
    struct busy *busy = arg;

    kin__mutex_lock(&busy->pins.lock);
    kin_test_latch_raise(&busy->locked);
    kin_test_latch_wait(&busy->go_on, 1);
    kin__mutex_unlock(&busy->pins.lock);
}

/* The writer does not wait for a thread that makes a view. */
static void the_writer_waits_for_no_view(void **state)
{
    enum { MAX = 2 * KIN__HOLDS_INLINE };
    struct busy busy;
    kin__thread thread = KIN__THREAD_INIT;
    kin__hold hold;
    uint64_t held[MAX];
    size_t n = 0;

    (void)state;
    kin__pins_init(&busy.pins);
    kin_test_latch_init(&busy.locked);
    kin_test_latch_init(&busy.go_on);
    hold_now(&busy.pins, &hold);
    assert_code(kin__thread_start(&thread, "view", keep_lock, &busy, NULL), 0);
    kin_test_latch_wait(&busy.locked, 1);
    publish(&busy.pins);
    assert_look(&busy.pins, UINT64_MAX, 1, 1);
    assert_false(kin__pins_held(&busy.pins, held, MAX, &n));
    kin_test_latch_raise(&busy.go_on);
    assert_code(kin__thread_join(&thread, NULL), 0);
    assert_true(kin__pins_held(&busy.pins, held, MAX, &n));
    kin__pins_give_up(&busy.pins, &hold);
    kin_test_latch_done(&busy.locked);
    kin_test_latch_done(&busy.go_on);
    kin__pins_done(&busy.pins, false);
}

enum { MANY = 10000 };

/* Oldest first, newest first, or in any order. */
static unsigned place_of(unsigned i, unsigned order)
{
    return order == 0 ? i : order == 1 ? MANY - 1 - i : (unsigned)((uint64_t)i * 7919 % MANY);
}

/* A look costs the same with many holds as with none, and they leave nothing. */
static void many_holds_cost_no_more_than_none(void **state)
{
    static kin__hold all[MANY];
    size_t before = kin_test_alloc_live();

    (void)state;
    for (unsigned order = 0; order < 3; order++) {
        kin__pins_look look;
        kin__pins pins;

        kin__pins_init(&pins);
        for (unsigned i = 0; i < MANY; i++) {
            hold_now(&pins, &all[i]);
            publish(&pins);
            kin__pins_look_at(&pins, &look);
            assert_int_equal(look.n_seen, LOOKED_AT);
            assert_int_equal(look.held, 1);
        }
        for (unsigned i = 0; i < MANY; i++) {
            kin__pins_give_up(&pins, &all[place_of(i, order)]);
            kin__pins_look_at(&pins, &look);
            assert_int_equal(look.n_seen, LOOKED_AT);
            assert_int_equal(look.n_held, MANY - 1 - i);
        }
        assert_look(&pins, UINT64_MAX, UINT64_MAX, 0);
        assert_int_equal(kin_test_alloc_live(), before);
        kin__pins_done(&pins, false);
    }
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

/* As a view does: steps with a pin, and nothing but a hold in between. */
static kin__pin *hold_and_look(struct reader *reader, kin__pin *pin, uint64_t version)
{
    struct race *race = reader->race;
    kin__hold hold;

    kin__pins_hold(&race->pins, &hold, version, kin_test_below(&reader->rng, 2) == 0);
    for (uint64_t i = kin_test_below(&reader->rng, 4); i > 0; i--) {
        kin__pin_release(pin);
        pin = kin__pins_acquire_held(&race->pins, version);
        look_at(race, version);
    }
    kin__pins_give_up(&race->pins, &hold);
    return pin;
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

        if (version < last)
            atomic_fetch_add(&race->wrong, 1);
        last = version;
        look_at(race, version);
        if (race->hold)
            pin = hold_and_look(reader, pin, version);
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
    kin__pins_done(&race.pins, false);
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
        cmocka_unit_test(without_memory_all_versions_are_pinned),
        cmocka_unit_test(held_versions_are_sorted),
        cmocka_unit_test(the_writer_waits_for_no_view),
        cmocka_unit_test(many_holds_cost_no_more_than_none),
        cmocka_unit_test(nobody_reads_a_version_that_was_given_up),
        cmocka_unit_test(a_held_version_is_not_given_up),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
