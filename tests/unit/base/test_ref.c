/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reference counts, by one thread and by many. In the tests with threads an object has a
 * plain, non-atomic field that all holders use and the last one reads: ThreadSanitizer
 * reports a put that does not order those uses before the destruction.
 */
#include "kin_test.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "base/ref.h"
#include "child.h"

static uint32_t count_of(kin__ref *ref)
{
    return atomic_load(&ref->count);
}

static void a_new_count_is_one(void **state)
{
    kin__ref ref;

    (void)state;
    kin__ref_init(&ref);
    assert_int_equal(count_of(&ref), 1);
    assert_true(kin__ref_put(&ref));
}

static void only_the_last_put_is_told_to_destroy(void **state)
{
    kin__ref ref;

    (void)state;
    kin__ref_init(&ref);
    for (int i = 0; i < 100; i++)
        kin__ref_get(&ref);
    assert_int_equal(count_of(&ref), 101);
    for (int i = 0; i < 100; i++)
        assert_false(kin__ref_put(&ref));
    assert_true(kin__ref_put(&ref));
    assert_int_equal(count_of(&ref), 0);
}

static void get_unless_zero_takes_a_reference_while_there_is_one(void **state)
{
    kin__ref ref;

    (void)state;
    kin__ref_init(&ref);
    assert_true(kin__ref_get_unless_zero(&ref));
    assert_int_equal(count_of(&ref), 2);
    assert_false(kin__ref_put(&ref));
    assert_true(kin__ref_put(&ref));
}

static void get_unless_zero_fails_for_ever_after_zero(void **state)
{
    kin__ref ref;

    (void)state;
    kin__ref_init(&ref);
    assert_true(kin__ref_put(&ref));
    for (int i = 0; i < 3; i++) {
        assert_false(kin__ref_get_unless_zero(&ref));
        assert_int_equal(count_of(&ref), 0);
    }
}

#if KIN_DEBUG_CHECKS
/* --- misuse ends a debug build --- */

static int get_from_zero(void *arg)
{
    kin__ref ref;

    (void)arg;
    kin__ref_init(&ref);
    (void)kin__ref_put(&ref);
    kin__ref_get(&ref);
    return 0;
}

static int put_below_zero(void *arg)
{
    kin__ref ref;

    (void)arg;
    kin__ref_init(&ref);
    (void)kin__ref_put(&ref);
    (void)kin__ref_put(&ref);
    return 0;
}

static int get_beyond_the_maximum(void *arg)
{
    kin__ref ref;

    (void)arg;
    atomic_init(&ref.count, KIN__REF_MAX);
    kin__ref_get(&ref);
    return 0;
}

static int get_unless_zero_beyond_the_maximum(void *arg)
{
    kin__ref ref;

    (void)arg;
    atomic_init(&ref.count, KIN__REF_MAX);
    (void)kin__ref_get_unless_zero(&ref);
    return 0;
}

static void misuse_aborts_a_debug_build(void **state)
{
    static int (*const misuses[])(void *) = {
        get_from_zero,
        put_below_zero,
        get_beyond_the_maximum,
        get_unless_zero_beyond_the_maximum,
    };

    (void)state;
    for (size_t i = 0; i < sizeof(misuses) / sizeof(misuses[0]); i++) {
        kin_test_child child;

        kin_test_run_child(&child, misuses[i], NULL);
        assert_int_equal(child.signal, SIGABRT);
        assert_non_null(strstr(child.output, "KIN__REF_MAX"));
    }
}

/* Whatever get lets pass, put must give back. */
static int reach_the_maximum_and_come_back(void *arg)
{
    kin__ref ref;

    (void)arg;
    atomic_init(&ref.count, KIN__REF_MAX - 1);
    kin__ref_get(&ref);
    fprintf(stderr, "given\n");
    (void)kin__ref_put(&ref);
    return 0;
}

static void a_reference_that_was_given_can_be_put(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, reach_the_maximum_and_come_back, NULL);
    /* Refusing to give it is fine; giving it and refusing it back is not. */
    if (child.signal != 0 && strstr(child.output, "given"))
        fail_msg("%s", child.output);
}
#endif

/* --- threads --- */

#define N_THREADS 4
#define N_ROUNDS 20000
#define FINDS 300

struct object {
    kin__ref ref;
    unsigned used[N_THREADS]; /* one per thread; read by whoever destroys */
    unsigned sum;             /* written by whoever destroys */
    atomic_uint destroyed;
};

struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    struct object *object;
    unsigned index;
    unsigned taken; /* by get_unless_zero */
};

static void put_object(struct object *object)
{
    if (!kin__ref_put(&object->ref))
        return;
    for (int i = 0; i < N_THREADS; i++)
        object->sum += object->used[i];
    atomic_fetch_add(&object->destroyed, 1);
}

static void start_workers(struct worker *workers, struct object *object, void *(*fn)(void *),
                          pthread_barrier_t *start)
{
    assert_int_equal(pthread_barrier_init(start, NULL, N_THREADS + 1), 0);
    for (unsigned i = 0; i < N_THREADS; i++) {
        workers[i] = (struct worker){.start = start, .object = object, .index = i};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, fn, &workers[i]), 0);
    }
    pthread_barrier_wait(start);
}

static void join_workers(struct worker *workers, pthread_barrier_t *start)
{
    for (unsigned i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
    pthread_barrier_destroy(start);
}

static void *get_and_put(void *arg)
{
    struct worker *w = arg;

    pthread_barrier_wait(w->start);
    for (int i = 0; i < N_ROUNDS; i++) {
        kin__ref_get(&w->object->ref);
        w->object->used[w->index]++;
        put_object(w->object);
    }
    put_object(w->object); /* the one it was started with */
    return NULL;
}

static void threads_that_share_destroy_exactly_once_and_see_all_uses(void **state)
{
    struct object object = {.sum = 0};
    struct worker workers[N_THREADS];
    pthread_barrier_t start;

    (void)state;
    kin__ref_init(&object.ref);
    for (int i = 0; i < N_THREADS; i++)
        kin__ref_get(&object.ref);
    start_workers(workers, &object, get_and_put, &start);
    put_object(&object);
    join_workers(workers, &start);
    assert_int_equal(count_of(&object.ref), 0);
    assert_int_equal(atomic_load(&object.destroyed), 1);
    assert_int_equal(object.sum, N_THREADS * N_ROUNDS);
}

/* Finds the object without owning it, as a cache does, until it is too late. */
static void *find_until_gone(void *arg)
{
    struct worker *w = arg;

    pthread_barrier_wait(w->start);
    /* Together the finders could keep it alive for long: each gives up at some time. */
    while (w->taken < FINDS && kin__ref_get_unless_zero(&w->object->ref)) {
        w->object->used[w->index]++;
        w->taken++;
        put_object(w->object);
    }
    return NULL;
}

static void finders_race_with_the_last_put_and_never_revive(void **state)
{
    (void)state;
    for (int round = 0; round < 150; round++) {
        struct object object = {.sum = 0};
        struct worker workers[N_THREADS];
        pthread_barrier_t start;
        unsigned taken = 0;

        kin__ref_init(&object.ref);
        start_workers(workers, &object, find_until_gone, &start);
        put_object(&object);
        join_workers(workers, &start);
        for (int i = 0; i < N_THREADS; i++)
            taken += workers[i].taken;
        assert_int_equal(atomic_load(&object.destroyed), 1);
        assert_int_equal(count_of(&object.ref), 0);
        assert_int_equal(object.sum, taken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_count_is_one),
        cmocka_unit_test(only_the_last_put_is_told_to_destroy),
        cmocka_unit_test(get_unless_zero_takes_a_reference_while_there_is_one),
        cmocka_unit_test(get_unless_zero_fails_for_ever_after_zero),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(misuse_aborts_a_debug_build),
        cmocka_unit_test(a_reference_that_was_given_can_be_put),
#endif
        cmocka_unit_test(threads_that_share_destroy_exactly_once_and_see_all_uses),
        cmocka_unit_test(finders_race_with_the_last_put_and_never_revive),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
