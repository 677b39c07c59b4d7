/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heaps, stores whose objects expire, stores that tell everything, and mutation caches, each used by
 * several threads at once. What must hold all the while is checked on the way.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "item.h"
#include "kinform/expiring_store.h"
#include "kinform/heap.h"
#include "kinform/mutation_cache.h"
#include "kinform/undelta_store.h"
#include "rng.h"

enum { ROUNDS = 2000, N_KEYS = 16, THREADS_MAX = 8 };

/* --- threads --- */

typedef void *thread_fn(void *arg);

static void run(thread_fn *const *fns, size_t n, void *arg)
{
    pthread_t threads[THREADS_MAX];

    assert_true(n <= THREADS_MAX);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, fns[i], arg), 0);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
}

static const kin_object *item(unsigned i, unsigned version)
{
    char key[16];

    snprintf(key, sizeof(key), "k%u", i);
    return kin_test_item(key, version, "x");
}

static kin_str key_of(unsigned i, char buf[16])
{
    snprintf(buf, 16, "k%u", i);
    return kin_str_of(buf);
}

/* --- heaps: each object that goes in comes out once --- */

struct heap_world {
    kin_heap *heap;
    atomic_uint next; /* keys that were given out */
    atomic_uint adding;
    atomic_uint out;
};

static bool by_version(const kin_object *a, const kin_object *b, void *arg)
{
    (void)arg;
    return kin_test_item_version(a) < kin_test_item_version(b);
}

static void *heap_add(void *arg)
{
    struct heap_world *w = arg;

    for (unsigned i = 0; i < ROUNDS; i += 2) {
        unsigned key = atomic_fetch_add(&w->next, 2);
        const kin_object *items[2] = {item(key, key % 7), item(key + 1, key % 5)};

        if (i % 4)
            assert_code(kin_heap_bulk_add(w->heap, items, 2, NULL), 0);
        for (unsigned j = 0; j < 2 && i % 4 == 0; j++)
            assert_code(kin_heap_add_if_not_present(w->heap, items[j], NULL), 0);
        kin_object_unref(items[0]);
        kin_object_unref(items[1]);
    }
    if (atomic_fetch_sub(&w->adding, 1) == 1)
        kin_heap_close(w->heap);
    return NULL;
}

static void *heap_pop(void *arg)
{
    struct heap_world *w = arg;
    const kin_object *popped = NULL;
    int code;

    while ((code = kin_heap_pop(w->heap, &popped, -1, NULL)) == 0) {
        atomic_fetch_add(&w->out, 1);
        kin_object_unref(popped);
    }
    assert_code(code, KIN_ECLOSED);
    return NULL;
}

static void *heap_disturb(void *arg)
{
    struct heap_world *w = arg;
    kin_test_rng rng = {7};

    while (!kin_heap_is_closed(w->heap)) {
        unsigned i = (unsigned)kin_test_below(&rng, atomic_load(&w->next) + 1);
        kin_object_list objects = KIN_OBJECT_LIST_INIT;
        const kin_object *found = NULL;
        char buf[16];

        if (kin_heap_delete_key(w->heap, key_of(i, buf), NULL) == 0)
            atomic_fetch_add(&w->out, 1);
        if (kin_heap_get_by_key(w->heap, &found, key_of(i + 1, buf), NULL) == 0)
            kin_object_unref(found);
        assert_code(kin_heap_list(w->heap, &objects, NULL), 0);
        kin_object_list_done(&objects);
    }
    return NULL;
}

static void what_goes_into_a_heap_comes_out_once(void **state)
{
    static thread_fn *const fns[] = {heap_add, heap_add, heap_pop, heap_pop, heap_disturb};
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    struct heap_world w = {.adding = 2};

    (void)state;
    options.less = by_version;
    assert_code(kin_heap_new(&w.heap, &options, NULL), 0);
    run(fns, 5, &w);
    assert_int_equal(atomic_load(&w.out), atomic_load(&w.next));
    assert_int_equal(kin_heap_len(w.heap), 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_heap_free(w.heap);
}

/* --- stores whose objects expire --- */

struct expiring_world {
    kin_clock *clock;
    kin_expiring_store *store;
};

static bool is_older_than_ten(const kin_object *object, int64_t stored_at_ns, void *arg)
{
    const struct expiring_world *w = arg;

    (void)object;
    return kin_clock_now(w->clock) - stored_at_ns > 10;
}

static void *expiring_write(void *arg)
{
    struct expiring_world *w = arg;
    kin_test_rng rng = {1};

    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *items[2] = {item((unsigned)kin_test_below(&rng, N_KEYS), i + 1),
                                      item((unsigned)kin_test_below(&rng, N_KEYS), i + 1)};

        assert_code(kin_expiring_store_add(w->store, items[0], NULL), 0);
        assert_code(kin_expiring_store_delete(w->store, items[1], NULL), 0);
        if (i % 64 == 0)
            assert_code(kin_expiring_store_replace(w->store, items, 2, kin_str_of("1"), NULL), 0);
        kin_object_unref(items[0]);
        kin_object_unref(items[1]);
        assert_code(kin_clock_advance(w->clock, 1, NULL), 0);
    }
    return NULL;
}

static void *expiring_read(void *arg)
{
    struct expiring_world *w = arg;
    kin_test_rng rng = {2};

    for (unsigned i = 0; i < ROUNDS; i++) {
        kin_object_list objects = KIN_OBJECT_LIST_INIT;
        kin_string_list keys = KIN_STRING_LIST_INIT;
        const kin_object *found = NULL;
        char buf[16];
        kin_str key = key_of((unsigned)kin_test_below(&rng, N_KEYS), buf);

        if (kin_expiring_store_get(w->store, &found, key, NULL) == 0) {
            assert_string_equal(kin_object_key(found), buf);
            kin_object_unref(found);
        }
        assert_code(kin_expiring_store_list(w->store, &objects, NULL), 0);
        assert_true(objects.len <= N_KEYS);
        kin_object_list_done(&objects);
        assert_code(kin_expiring_store_list_keys(w->store, &keys, NULL), 0);
        kin_string_list_done(&keys);
        assert_code(kin_expiring_store_purge(w->store, NULL, NULL), 0);
        kin_expiring_store_resource_version(w->store, buf, sizeof(buf));
    }
    return NULL;
}

static void objects_expire_beside_readers_and_writers(void **state)
{
    static thread_fn *const fns[] = {expiring_write, expiring_write, expiring_read, expiring_read};

    (void)state;
    for (int by_function = 0; by_function < 2; by_function++) {
        kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
        struct expiring_world w = {NULL, NULL};

        assert_code(kin_clock_new_fake(&w.clock, 0, NULL), 0);
        options.clock = w.clock;
        options.ttl_ms = by_function ? 0 : 1;
        options.expired = by_function ? is_older_than_ten : NULL;
        options.expired_arg = &w;
        assert_code(kin_expiring_store_new(&w.store, &options, NULL), 0);
        run(fns, 4, &w);
        assert_code(kin_clock_advance(w.clock, INT64_C(1000001), NULL), 0);
        assert_code(kin_expiring_store_purge(w.store, NULL, NULL), 0);
        assert_int_equal(kin_expiring_store_len(w.store), 0);
        assert_int_equal(kin_test_items_live(), 0);
        kin_expiring_store_unref(w.store);
        kin_clock_unref(w.clock);
    }
}

/* --- stores that tell everything: what is told is what was written, whoever reads --- */

struct undelta_world {
    kin_undelta_store *store;
    unsigned versions[N_KEYS]; /* the writer's; 0: it is not there */
    unsigned calls;
    atomic_bool done;
};

static void compare(const kin_object_list *objects, void *arg)
{
    struct undelta_world *w = arg;
    size_t n = 0;

    w->calls++;
    for (unsigned i = 0; i < N_KEYS; i++)
        n += w->versions[i] > 0;
    assert_int_equal(objects->len, n);
    for (size_t i = 0; i < objects->len; i++) {
        unsigned key;

        assert_int_equal(sscanf(kin_object_key(objects->items[i]), "k%u", &key), 1);
        assert_int_equal(kin_test_item_version(objects->items[i]), w->versions[key]);
    }
}

static void *undelta_write(void *arg)
{
    struct undelta_world *w = arg;
    kin_test_rng rng = {3};

    for (unsigned i = 1; i <= ROUNDS; i++) {
        unsigned key = (unsigned)kin_test_below(&rng, N_KEYS);
        const kin_object *object = item(key, i);
        bool add = kin_test_below(&rng, 2) == 0;

        w->versions[key] = add ? i : 0;
        assert_code(add ? kin_undelta_store_add(w->store, object, NULL)
                        : kin_undelta_store_delete(w->store, object, NULL),
                    0);
        kin_object_unref(object);
    }
    atomic_store(&w->done, true);
    return NULL;
}

static void *undelta_read(void *arg)
{
    struct undelta_world *w = arg;

    while (!atomic_load(&w->done)) {
        kin_object_list objects = KIN_OBJECT_LIST_INIT;

        assert_code(kin_undelta_store_list(w->store, &objects, NULL), 0);
        kin_object_list_done(&objects);
    }
    return NULL;
}

static void what_is_told_is_what_was_written(void **state)
{
    static thread_fn *const fns[] = {undelta_write, undelta_read, undelta_read};
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct undelta_world w = {.calls = 0};

    (void)state;
    options.push = compare;
    options.push_arg = &w;
    assert_code(kin_undelta_store_new(&w.store, &options, NULL), 0);
    run(fns, 3, &w);
    assert_int_equal(w.calls, ROUNDS);
    kin_undelta_store_unref(w.store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- mutation caches: nobody sees an older state after a newer one --- */

struct mutation_world {
    kin_store *store;
    kin_mutation_cache *cache;
    atomic_bool done;
    atomic_uint went_back;
};

static void *mutation_write(void *arg)
{
    struct mutation_world *w = arg;

    for (unsigned i = 1; i <= ROUNDS; i++) {
        const kin_object *object = item(0, i);

        assert_code(kin_mutation_cache_mutation(w->cache, object, NULL), 0);
        /* The watch brings it later, and the handlers later still. */
        assert_code(kin_store_update(w->store, object, NULL), 0);
        assert_code(kin_mutation_cache_on_add_or_update(w->cache, object, NULL), 0);
        kin_object_unref(object);
    }
    atomic_store(&w->done, true);
    return NULL;
}

static unsigned version_by_index(struct mutation_world *w)
{
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    unsigned version = 0;

    assert_code(
        kin_mutation_cache_by_index(w->cache, &objects, kin_str_of("tag"), kin_str_of("x"), NULL),
        0);
    for (size_t i = 0; i < objects.len; i++)
        if (strcmp(kin_object_key(objects.items[i]), "k0") == 0)
            version = kin_test_item_version(objects.items[i]);
    kin_object_list_done(&objects);
    return version;
}

static void *mutation_get(void *arg)
{
    struct mutation_world *w = arg;
    unsigned last = 0;

    while (!atomic_load(&w->done)) {
        const kin_object *found = NULL;
        unsigned version = 0;

        if (kin_mutation_cache_get(w->cache, &found, kin_str_of("k0"), NULL) == 0) {
            version = kin_test_item_version(found);
            kin_object_unref(found);
        }
        if (version < last)
            atomic_fetch_add(&w->went_back, 1);
        last = version;
    }
    return NULL;
}

/* Also holds the lock for long, so that the others meet each other in front of it. */
static void *mutation_by_index(void *arg)
{
    struct mutation_world *w = arg;
    unsigned last = 0;

    while (!atomic_load(&w->done)) {
        unsigned version = version_by_index(w);

        if (version < last)
            atomic_fetch_add(&w->went_back, 1);
        last = version;
    }
    return NULL;
}

static void *mutation_churn(void *arg)
{
    struct mutation_world *w = arg;
    kin_test_rng rng = {4};

    for (unsigned i = 1; !atomic_load(&w->done); i++) {
        /* Fewer than the cache remembers: what it forgets for want of room may go back. */
        const kin_object *object = item(1 + (unsigned)kin_test_below(&rng, 90), i);

        if (i % 3)
            assert_code(kin_mutation_cache_mutation(w->cache, object, NULL), 0);
        else
            assert_code(kin_mutation_cache_on_delete(w->cache, object, NULL), 0);
        kin_object_unref(object);
    }
    return NULL;
}

static void nobody_sees_an_older_state_after_a_newer_one(void **state)
{
    static thread_fn *const fns[] = {mutation_write,    mutation_get,      mutation_get,
                                     mutation_by_index, mutation_by_index, mutation_churn};
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT("tag", kin_test_by_tag);
    struct mutation_world w = {.done = false};

    (void)state;
    options.include_adds = true;
    assert_code(kin_store_new(&w.store, NULL, NULL), 0);
    assert_code(kin_store_add_index(w.store, &index, NULL), 0);
    assert_code(kin_mutation_cache_new(&w.cache, w.store, &options, NULL), 0);
    run(fns, 6, &w);
    assert_int_equal(atomic_load(&w.went_back), 0);
    kin_mutation_cache_free(w.cache);
    kin_store_unref(w.store);
    assert_int_equal(kin_test_items_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_into_a_heap_comes_out_once),
        cmocka_unit_test(objects_expire_beside_readers_and_writers),
        cmocka_unit_test(what_is_told_is_what_was_written),
        cmocka_unit_test(nobody_sees_an_older_state_after_a_newer_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
