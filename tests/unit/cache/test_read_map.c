/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The map that readers look into beside its writer, from one thread: what it holds, next to a plain
 * array, with hashes that collide on purpose; tables that were replaced; counts that saturate.
 * What threads see of it is tested by tests/stress/test_store.c.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "cache/read_map.h"
#include "model.h"

struct entry {
    kin__map_node node;
    bool there;
    char key[16];
};

static struct entry *entry_of(kin__map_node *node)
{
    return node ? kin__container_of(node, struct entry, node) : NULL;
}

static void entry_init(struct entry *entry, unsigned i)
{
    memset(entry, 0, sizeof(*entry));
    snprintf(entry->key, sizeof(entry->key), "key-%u", i);
}

static const struct entry *find(const kin__read_map *map, const char *key, uint32_t hash)
{
    return entry_of(kin__read_table_get(kin__read_map_table(map), kin_str_of(key), hash));
}

/* Makes room and adds; a table that was replaced is freed. */
static void add(kin__read_map *map, struct entry *entry, uint32_t hash)
{
    kin__read_table *old = NULL;

    assert_code(kin__read_map_reserve(map, 1, &old), 0);
    kin__free(old);
    kin__read_map_add(map, &entry->node, kin_str_of(entry->key), hash);
    entry->there = true;
}

static void take_out(kin__read_map *map, struct entry *entry)
{
    kin__read_map_remove(map, &entry->node);
    entry->there = false;
}

/* --- against an array --- */

enum { N_KEYS = 100 };

struct state {
    kin__read_map map;
    struct entry entries[N_KEYS];
    uint32_t hashes[N_KEYS];
    kin__read_table *old; /* a table that was replaced, kept for a while */
    bool in_old[N_KEYS];
};

/* Few hashes, so that buckets overflow: the first, the last (it wraps around), and some others. */
static uint32_t hash_of(uint64_t seed, unsigned i)
{
    static const uint32_t few[] = {0, UINT32_MAX, UINT32_MAX - 255, 7, 0x80000000u};

    if (seed % 3 == 0)
        return few[i % kin__array_len(few)];
    if (seed % 3 == 1)
        return few[1];
    return i * 2654435761u;
}

static void *state_new(uint64_t seed)
{
    struct state *s = calloc(1, sizeof(*s));

    assert_non_null(s);
    kin__read_map_init(&s->map, seed);
    for (unsigned i = 0; i < N_KEYS; i++) {
        entry_init(&s->entries[i], i);
        s->hashes[i] = hash_of(seed, i);
    }
    return s;
}

static void state_free(void *state)
{
    struct state *s = state;

    kin__free(s->old);
    kin__read_map_done(&s->map);
    free(s);
}

static const char *op_add(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);
    kin__read_table *old = NULL;

    if (s->entries[i].there)
        return NULL;
    assert_code(kin__read_map_reserve(&s->map, 1, &old), 0);
    if (old) {
        kin__free(s->old);
        s->old = old;
        for (unsigned k = 0; k < N_KEYS; k++)
            s->in_old[k] = s->entries[k].there;
    }
    kin__read_map_add(&s->map, &s->entries[i].node, kin_str_of(s->entries[i].key), s->hashes[i]);
    s->entries[i].there = true;
    return NULL;
}

/* As the store does: out of the map, and out of a replaced table that readers may still have. */
static const char *op_remove(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    unsigned i = (unsigned)kin_test_below(rng, N_KEYS);

    if (!s->entries[i].there)
        return NULL;
    take_out(&s->map, &s->entries[i]);
    if (s->old)
        kin__read_table_forget(s->old, &s->entries[i].node, NULL);
    s->in_old[i] = false;
    return NULL;
}

static const char *op_reserve(void *state, kin_test_rng *rng)
{
    struct state *s = state;
    kin__read_table *old = NULL;

    if (kin_test_below(rng, 10))
        return NULL;
    assert_code(kin__read_map_reserve(&s->map, (size_t)kin_test_below(rng, 200), &old), 0);
    kin__free(old);
    return NULL;
}

static const char *check_table(const struct state *s, const kin__read_table *table,
                               const bool *there)
{
    bool seen[N_KEYS] = {false};
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__read_table_next(table, &iter))) {
        size_t i = (size_t)(entry_of(node) - s->entries);

        if (seen[i])
            return "seen twice";
        seen[i] = true;
    }
    for (unsigned i = 0; i < N_KEYS; i++) {
        const struct entry *found =
            entry_of(kin__read_table_get(table, kin_str_of(s->entries[i].key), s->hashes[i]));

        if (seen[i] != there[i])
            return "next";
        if (found != (there[i] ? &s->entries[i] : NULL))
            return "get";
    }
    return NULL;
}

static const char *check(void *state)
{
    const struct state *s = state;
    bool there[N_KEYS];
    size_t len = 0;
    const char *wrong;

    for (unsigned i = 0; i < N_KEYS; i++) {
        there[i] = s->entries[i].there;
        len += there[i];
    }
    if (len != s->map.len)
        return "len";
    wrong = check_table(s, kin__read_map_table(&s->map), there);
    if (!wrong && s->old)
        wrong = check_table(s, s->old, s->in_old);
    return wrong;
}

static void it_holds_what_an_array_holds(void **state)
{
    static const kin_test_op ops[] = {
        {"add", 5, op_add}, {"remove", 3, op_remove}, {"reserve", 1, op_reserve}};
    const kin_test_model model = {ops, kin__array_len(ops), state_new, state_free, check};

    (void)state;
    kin_test_run_model(&model, 500, 9);
}

/* --- one by one --- */

static void an_empty_map_has_nothing(void **state)
{
    kin__read_map map;
    kin__map_iter iter = KIN__MAP_ITER_INIT;

    (void)state;
    kin__read_map_init(&map, 1);
    assert_null(kin__read_map_table(&map));
    assert_null(find(&map, "a", 0));
    assert_null(kin__read_table_next(kin__read_map_table(&map), &iter));
    kin__read_map_done(&map);
}

static void keys_of_one_hash_are_told_apart(void **state)
{
    struct entry entries[2];
    kin__read_map map;

    (void)state;
    kin__read_map_init(&map, 1);
    for (unsigned i = 0; i < 2; i++) {
        entry_init(&entries[i], i);
        add(&map, &entries[i], 42);
    }
    assert_ptr_equal(find(&map, "key-0", 42), &entries[0]);
    assert_ptr_equal(find(&map, "key-1", 42), &entries[1]);
    assert_null(find(&map, "key-2", 42));
    assert_null(find(&map, "key-1x", 42));
    assert_null(find(&map, "key", 42));
    /* The same tag, another hash. */
    assert_null(find(&map, "key-1", 42 + 256));
    kin__read_map_done(&map);
}

static void a_hash_whose_tag_would_be_free_is_found(void **state)
{
    struct entry entry;
    kin__read_map map;

    (void)state;
    kin__read_map_init(&map, 1);
    entry_init(&entry, 0);
    add(&map, &entry, 0);
    assert_ptr_equal(find(&map, "key-0", 0), &entry);
    kin__read_map_done(&map);
}

static void a_swap_keeps_the_place(void **state)
{
    struct entry entries[20];
    struct entry other;
    kin__read_map map;
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    size_t n = 0;

    (void)state;
    kin__read_map_init(&map, 1);
    for (unsigned i = 0; i < 20; i++) {
        entry_init(&entries[i], i);
        add(&map, &entries[i], 5);
    }
    entry_init(&other, 13);
    other.node = entries[13].node;
    other.node.key = other.key;
    kin__read_map_swap(&map, &entries[13].node, &other.node);
    assert_ptr_equal(find(&map, "key-13", 5), &other);
    assert_int_equal(map.len, 20);
    while (kin__read_table_next(kin__read_map_table(&map), &iter))
        n++;
    assert_int_equal(n, 20);
    kin__read_map_done(&map);
}

/*
 * More nodes than a bucket's count has numbers for pass it on their way. The count then stays, and
 * nothing that is there is missed when most of them are gone.
 */
static void a_count_that_saturates_loses_nobody(void **state)
{
    enum { N = 600 };
    struct entry *entries = calloc(N, sizeof(*entries));
    kin__read_map map;

    (void)state;
    assert_non_null(entries);
    kin__read_map_init(&map, 1);
    for (unsigned i = 0; i < N; i++) {
        entry_init(&entries[i], i);
        add(&map, &entries[i], 9);
    }
    for (unsigned round = 0; round < 3; round++) {
        /* All but the last, whose place is far away from home. */
        for (unsigned i = 0; i + 1 < N; i++) {
            take_out(&map, &entries[i]);
            assert_ptr_equal(find(&map, entries[N - 1].key, 9), &entries[N - 1]);
        }
        for (unsigned i = 0; i + 1 < N; i++) {
            assert_null(find(&map, entries[i].key, 9));
            add(&map, &entries[i], 9);
        }
    }
    for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(find(&map, entries[i].key, 9), &entries[i]);
    kin__read_map_done(&map);
    free(entries);
}

/* Counts that did not saturate come back to nothing, so that a search for nothing is short. */
static void counts_come_back(void **state)
{
    enum { N = 100 };
    struct entry entries[N];
    kin__read_map map;
    kin__read_table *old = NULL;

    (void)state;
    kin__read_map_init(&map, 1);
    assert_code(kin__read_map_reserve(&map, N, &old), 0);
    assert_null(old);
    for (unsigned round = 0; round < 5; round++) {
        for (unsigned i = 0; i < N; i++) {
            entry_init(&entries[i], i);
            add(&map, &entries[i], 9);
        }
        for (unsigned i = 0; i < N; i++)
            take_out(&map, &entries[i]);
    }
    /* The word of each bucket is as it was when nothing had ever been there. */
    for (uint32_t b = 0; b < kin__read_map_table(&map)->n_buckets; b++) {
        uint64_t word;

        memcpy(&word, (const char *)kin__read_map_table(&map)->buckets + (size_t)b * 64,
               sizeof(word));
        assert_int_equal(word, 0);
    }
    kin__read_map_done(&map);
}

static void a_replaced_table_stays_as_it_was(void **state)
{
    enum { N = 5 }; /* as many as the first table takes */
    struct entry entries[N + 1];
    struct entry other;
    kin__read_map map;
    kin__read_table *old = NULL;

    (void)state;
    kin__read_map_init(&map, 1);
    for (unsigned i = 0; i <= N; i++) {
        entry_init(&entries[i], i);
        assert_null(old);
        assert_code(kin__read_map_reserve(&map, 1, &old), 0);
        kin__read_map_add(&map, &entries[i].node, kin_str_of(entries[i].key), i * 7919u);
    }
    assert_non_null(old);
    assert_ptr_not_equal(old, kin__read_map_table(&map));
    for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(kin__read_table_get(old, kin_str_of(entries[i].key), i * 7919u),
                         &entries[i].node);
    /* What came later is not there. */
    assert_null(kin__read_table_get(old, kin_str_of(entries[N].key), N * 7919u));
    kin__read_table_forget(old, &entries[N].node, NULL);

    kin__read_table_forget(old, &entries[0].node, NULL);
    assert_null(kin__read_table_get(old, kin_str_of("key-0"), 0));
    assert_ptr_equal(find(&map, "key-0", 0), &entries[0]);

    entry_init(&other, 1);
    other.node = entries[1].node;
    kin__read_table_forget(old, &entries[1].node, &other.node);
    assert_ptr_equal(kin__read_table_get(old, kin_str_of("key-1"), 7919), &other.node);
    assert_ptr_equal(find(&map, "key-1", 7919), &entries[1]);
    kin__free(old);
    kin__read_map_done(&map);
}

static void without_memory_it_stays_as_it_was(void **state)
{
    struct entry entries[5];
    kin__read_map map;
    kin__read_table *old = NULL;
    const kin__read_table *table;

    (void)state;
    kin__read_map_init(&map, 1);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    assert_code(kin__read_map_reserve(&map, 1, &old), KIN_ENOMEM);
    assert_true(kin_test_alloc_disarm());
    assert_null(kin__read_map_table(&map));
    for (unsigned i = 0; i < 5; i++) {
        entry_init(&entries[i], i);
        add(&map, &entries[i], i);
    }
    table = kin__read_map_table(&map);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    assert_code(kin__read_map_reserve(&map, 100, &old), KIN_ENOMEM);
    assert_true(kin_test_alloc_disarm());
    assert_null(old);
    assert_ptr_equal(kin__read_map_table(&map), table);
    assert_ptr_equal(find(&map, "key-3", 3), &entries[3]);
    /* Sizes that cannot be. */
    assert_code(kin__read_map_reserve(&map, SIZE_MAX, &old), KIN_ENOMEM);
    assert_code(kin__read_map_reserve(&map, SIZE_MAX / 2 - 100, &old), KIN_ENOMEM);
    kin__read_map_done(&map);
}

static void hashes_depend_on_the_seed(void **state)
{
    kin__read_map one;
    kin__read_map other;

    (void)state;
    kin__read_map_init(&one, 1);
    kin__read_map_init(&other, 2);
    assert_int_equal(kin__read_map_hash(&one, kin_str_of("a")),
                     kin__read_map_hash(&one, kin_str_of("a")));
    assert_int_not_equal(kin__read_map_hash(&one, kin_str_of("a")),
                         kin__read_map_hash(&other, kin_str_of("a")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_holds_what_an_array_holds),
        cmocka_unit_test(an_empty_map_has_nothing),
        cmocka_unit_test(keys_of_one_hash_are_told_apart),
        cmocka_unit_test(a_hash_whose_tag_would_be_free_is_found),
        cmocka_unit_test(a_swap_keeps_the_place),
        cmocka_unit_test(a_count_that_saturates_loses_nobody),
        cmocka_unit_test(counts_come_back),
        cmocka_unit_test(a_replaced_table_stays_as_it_was),
        cmocka_unit_test(without_memory_it_stays_as_it_was),
        cmocka_unit_test(hashes_depend_on_the_seed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
