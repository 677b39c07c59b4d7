/* SPDX-License-Identifier: Apache-2.0 */
#include "kin_test.h"

#include <stdlib.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/memory.h"
#include "model.h"
#include "oom.h"

struct entry {
    kin__map_node node;
    unsigned value;
    char key[24];
};

static struct entry *entry_new(const char *key, unsigned value)
{
    struct entry *e = calloc(1, sizeof(*e));

    assert_non_null(e);
    snprintf(e->key, sizeof(e->key), "%s", key);
    e->value = value;
    return e;
}

static struct entry *entry_of(kin__map_node *node)
{
    return node ? kin__container_of(node, struct entry, node) : NULL;
}

static void numbered_key(char *buf, size_t size, unsigned i)
{
    snprintf(buf, size, "default/pod-%u", i);
}

static struct entry *numbered_entry(unsigned i)
{
    char key[24];

    numbered_key(key, sizeof(key), i);
    return entry_new(key, i);
}

static struct entry *get_number(kin__map *map, unsigned i)
{
    char key[24];

    numbered_key(key, sizeof(key), i);
    return entry_of(kin__map_get(map, kin_str_of(key)));
}

static void free_all(kin__map *map)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(map, &iter)) != NULL) {
        kin__map_remove(map, node);
        free(entry_of(node));
    }
    kin__map_done(map);
}

static void an_empty_map_allocates_nothing_and_finds_nothing(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    assert_null(kin__map_get(&map, kin_str_of("x")));
    assert_null(kin__map_next(&map, &iter));
    assert_int_equal(kin__map_len(&map), 0);
    assert_int_equal(kin_test_alloc_live(), before);
    kin__map_done(&map);
}

static void what_was_added_is_found_until_removed(void **state)
{
    const unsigned n = 5000;
    kin__map map;

    (void)state;
    kin__map_init(&map, kin__hash_seed());
    for (unsigned i = 0; i < n; i++) {
        struct entry *e = numbered_entry(i);
        assert_code(kin__map_add(&map, &e->node, kin_str_of(e->key), NULL), 0);
    }
    assert_int_equal(kin__map_len(&map), n);
    for (unsigned i = 0; i < n; i++) {
        struct entry *e = get_number(&map, i);
        assert_non_null(e);
        assert_int_equal(e->value, i);
    }
    assert_null(get_number(&map, n));
    for (unsigned i = 0; i < n; i += 2) {
        struct entry *e = get_number(&map, i);
        kin__map_remove(&map, &e->node);
        free(e);
    }
    for (unsigned i = 0; i < n; i++)
        assert_int_equal(get_number(&map, i) != NULL, i % 2);
    assert_int_equal(kin__map_len(&map), n / 2);
    free_all(&map);
}

static void adding_a_key_twice_keeps_the_first_and_tells(void **state)
{
    struct entry *first = entry_new("a", 1);
    struct entry *second = entry_new("a", 2);
    kin__map_node *existing;
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    assert_code(kin__map_add(&map, &first->node, kin_str_of(first->key), &existing), 0);
    assert_null(existing);
    assert_code(kin__map_add(&map, &second->node, kin_str_of(second->key), &existing), 0);
    assert_ptr_equal(existing, &first->node);
    assert_int_equal(kin__map_len(&map), 1);
    assert_int_equal(entry_of(kin__map_get(&map, kin_str_of("a")))->value, 1);
    free(second);
    free_all(&map);
}

static void keys_are_bytes_of_any_value_and_length(void **state)
{
    static const char bytes[] = "a\0b";
    struct entry nul = {.value = 1};
    struct entry empty = {.value = 2};
    struct entry prefix = {.value = 3};
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    assert_code(kin__map_add(&map, &nul.node, kin_str_make(bytes, 3), NULL), 0);
    assert_code(kin__map_add(&map, &empty.node, kin_str_make(NULL, 0), NULL), 0);
    assert_code(kin__map_add(&map, &prefix.node, kin_str_make(bytes, 1), NULL), 0);
    assert_int_equal(entry_of(kin__map_get(&map, kin_str_make("a\0b", 3)))->value, 1);
    assert_int_equal(entry_of(kin__map_get(&map, kin_str_of("")))->value, 2);
    assert_int_equal(entry_of(kin__map_get(&map, kin_str_of("a")))->value, 3);
    assert_null(kin__map_get(&map, kin_str_make("a\0c", 3)));
    kin__map_done(&map);
}

#if SIZE_MAX > UINT32_MAX
static void a_key_that_is_too_long_is_refused(void **state)
{
    struct entry e = {.value = 1};
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    /* The hash is given, so the bytes, which don't exist, are not read. */
    assert_code(
        kin__map_add_hashed(&map, &e.node, kin_str_make("x", (size_t)UINT32_MAX + 1), 7, NULL),
        KIN_ELIMIT);
    assert_int_equal(kin__map_len(&map), 0);
    kin__map_done(&map);
}
#endif

/* All entries want the same bucket and have the same tag: the worst the other side can do. */
static void colliding_hashes_are_slow_but_right(void **state)
{
    enum { N = 700 }; /* far more than `passed` can count */
    static struct entry entries[N];
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    for (unsigned i = 0; i < N; i++) {
        numbered_key(entries[i].key, sizeof(entries[i].key), i);
        assert_code(kin__map_add_hashed(&map, &entries[i].node, kin_str_of(entries[i].key),
                                        0x5a000000u, NULL),
                    0);
    }
    for (unsigned i = 0; i < N; i++)
        assert_ptr_equal(kin__map_get_hashed(&map, kin_str_of(entries[i].key), 0x5a000000u),
                         &entries[i].node);
    assert_null(kin__map_get_hashed(&map, kin_str_of("none"), 0x5a000000u));
    for (unsigned i = 0; i < N; i++) {
        kin__map_remove(&map, &entries[i].node);
        assert_null(kin__map_get_hashed(&map, kin_str_of(entries[i].key), 0x5a000000u));
        if (i + 1 < N)
            assert_non_null(kin__map_get_hashed(&map, kin_str_of(entries[N - 1].key), 0x5a000000u));
    }
    assert_int_equal(kin__map_len(&map), 0);
    kin__map_done(&map);
}

static void reserved_room_is_filled_without_allocating(void **state)
{
    enum { N = 1000 };
    static struct entry entries[N];
    kin__map map;

    (void)state;
    kin__map_init(&map, kin__hash_seed());
    assert_code(kin__map_reserve(&map, N), 0);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (unsigned i = 0; i < N; i++) {
        numbered_key(entries[i].key, sizeof(entries[i].key), i);
        assert_code(kin__map_add(&map, &entries[i].node, kin_str_of(entries[i].key), NULL), 0);
    }
    for (unsigned i = 0; i < N; i++)
        kin__map_remove(&map, &entries[i].node);
    assert_false(kin_test_alloc_disarm());
    kin__map_done(&map);
}

static void an_absurd_reservation_is_refused(void **state)
{
    kin__map map;

    (void)state;
    kin__map_init(&map, 1);
    assert_code(kin__map_reserve(&map, SIZE_MAX), KIN_ENOMEM);
    assert_code(kin__map_reserve(&map, SIZE_MAX / 64), KIN_ENOMEM);
    kin__map_done(&map);
}

static void a_failed_growth_leaves_the_map_as_it_was(void **state)
{
    struct entry *refused = entry_new("refused", 1);
    kin__map map;
    unsigned n = 0;

    (void)state;
    kin__map_init(&map, 1);
    for (;; n++) {
        struct entry *e = numbered_entry(n);

        kin_test_alloc_arm(n >= 100 ? 1 : 0, KIN_TEST_FAIL_REST);
        int code = kin__map_add(&map, &e->node, kin_str_of(e->key), NULL);
        kin_test_alloc_disarm();
        if (code < 0) {
            assert_code(code, KIN_ENOMEM);
            free(e);
            break;
        }
    }
    assert_int_equal(kin__map_len(&map), n);
    for (unsigned i = 0; i < n; i++)
        assert_non_null(get_number(&map, i));
    assert_null(get_number(&map, n));
    assert_code(kin__map_add(&map, &refused->node, kin_str_of(refused->key), NULL), 0);
    free_all(&map);
}

static void an_iteration_sees_each_node_once_and_may_remove_it(void **state)
{
    enum { N = 3000 };
    static bool seen[N];
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    unsigned visited = 0;
    kin__map map;

    (void)state;
    kin__map_init(&map, kin__hash_seed());
    for (unsigned i = 0; i < N; i++) {
        struct entry *e = numbered_entry(i);
        assert_code(kin__map_add(&map, &e->node, kin_str_of(e->key), NULL), 0);
    }
    while ((node = kin__map_next(&map, &iter)) != NULL) {
        struct entry *e = entry_of(node);

        assert_false(seen[e->value]);
        seen[e->value] = true;
        visited++;
        if (e->value % 3 == 0) {
            kin__map_remove(&map, node);
            free(e);
        }
    }
    assert_int_equal(visited, N);
    assert_int_equal(kin__map_len(&map), N - N / 3);
    free_all(&map);
}

static void an_empty_map_gives_its_memory_back(void **state)
{
    size_t live = kin_test_alloc_live();
    struct entry *entry = numbered_entry(1);
    kin__map map;

    (void)state;
    kin__map_init(&map, 7);
    assert_int_equal(kin__map_reserve(&map, 1000), 0);
    assert_int_equal(kin__map_add(&map, &entry->node, kin_str_of(entry->key), NULL), 0);
    kin__map_trim(&map, 10); /* it is not empty */
    assert_ptr_equal(kin__map_get(&map, kin_str_of(entry->key)), &entry->node);
    kin__map_remove(&map, &entry->node);
    kin__map_trim(&map, 100000); /* nor large */
    assert_int_equal(kin_test_alloc_live(), live + 1);
    kin__map_trim(&map, 10);
    assert_int_equal(kin_test_alloc_live(), live);
    /* With the same hashes as before. */
    assert_int_equal(
        kin__map_add_hashed(&map, &entry->node, kin_str_of(entry->key), entry->node.hash, NULL), 0);
    assert_ptr_equal(kin__map_get(&map, kin_str_of(entry->key)), &entry->node);
    kin__map_done(&map);
    free(entry);
}

static void the_seed_decides_the_hash(void **state)
{
    kin__map a;
    kin__map b;

    (void)state;
    kin__map_init(&a, 1);
    kin__map_init(&b, 2);
    assert_int_not_equal(kin__map_hash(&a, kin_str_of("k")), kin__map_hash(&b, kin_str_of("k")));
    assert_int_equal(kin__map_hash(&a, kin_str_of("k")), kin__map_hash(&a, kin_str_of("k")));
}

/* The model: an array of what should be there, by key number. */
#define MODEL_KEYS 300

struct model {
    kin__map map;
    struct entry *expected[MODEL_KEYS];
    size_t len;
    bool colliding;
};

static uint32_t model_hash(struct model *m, const char *key)
{
    uint32_t hash = kin__map_hash(&m->map, kin_str_of(key));

    /* Few buckets and few tags: chains and full buckets all the time. */
    return m->colliding ? hash & 0x03000003u : hash;
}

static void *model_new(uint64_t seed)
{
    struct model *m = calloc(1, sizeof(*m));

    kin__map_init(&m->map, seed);
    m->colliding = seed % 2;
    return m;
}

static void model_free(void *state)
{
    struct model *m = state;

    for (unsigned i = 0; i < MODEL_KEYS; i++)
        free(m->expected[i]);
    kin__map_done(&m->map);
    free(m);
}

static const char *model_add(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned i = (unsigned)kin_test_below(rng, MODEL_KEYS);
    struct entry *e = numbered_entry(i);
    kin__map_node *existing;

    if (kin__map_add_hashed(&m->map, &e->node, kin_str_of(e->key), model_hash(m, e->key),
                            &existing) < 0)
        return "add failed";
    if (entry_of(existing) != m->expected[i]) {
        free(e);
        return "add found something else than expected";
    }
    if (existing) {
        free(e);
    } else {
        m->expected[i] = e;
        m->len++;
    }
    return NULL;
}

static const char *model_remove(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned i = (unsigned)kin_test_below(rng, MODEL_KEYS);
    char key[24];

    numbered_key(key, sizeof(key), i);
    kin__map_node *node = kin__map_get_hashed(&m->map, kin_str_of(key), model_hash(m, key));
    if (entry_of(node) != m->expected[i])
        return "get found something else than expected";
    if (node) {
        kin__map_remove(&m->map, node);
        free(m->expected[i]);
        m->expected[i] = NULL;
        m->len--;
    }
    return NULL;
}

static const char *model_walk(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    size_t n = 0;

    (void)rng;
    while ((node = kin__map_next(&m->map, &iter)) != NULL) {
        if (m->expected[entry_of(node)->value] != entry_of(node))
            return "walk found what should not be there";
        n++;
    }
    return n == m->len ? NULL : "walk missed something";
}

static const char *model_check(void *state)
{
    struct model *m = state;

    return kin__map_len(&m->map) == m->len ? NULL : "wrong length";
}

static void random_operations_match_the_model(void **state)
{
    static const kin_test_op ops[] = {
        {"add", 5, model_add}, {"remove", 4, model_remove}, {"walk", 1, model_walk}};
    const kin_test_model model = {ops, 3, model_new, model_free, model_check};

    (void)state;
    kin_test_run_model(&model, 4000, 20);
}

static int grow_and_empty(void *arg, kin_error *err)
{
    enum { N = 200 };
    struct entry entries[N];
    kin__map map;
    int code = 0;

    (void)arg;
    kin__map_init(&map, 1);
    for (unsigned i = 0; i < N && code == 0; i++) {
        numbered_key(entries[i].key, sizeof(entries[i].key), i);
        code = kin__map_add(&map, &entries[i].node, kin_str_of(entries[i].key), NULL);
    }
    kin__map_done(&map);
    return code < 0 ? kin_error_set(err, code, "adding failed") : 0;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(grow_and_empty, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_map_allocates_nothing_and_finds_nothing),
        cmocka_unit_test(what_was_added_is_found_until_removed),
        cmocka_unit_test(adding_a_key_twice_keeps_the_first_and_tells),
        cmocka_unit_test(keys_are_bytes_of_any_value_and_length),
#if SIZE_MAX > UINT32_MAX
        cmocka_unit_test(a_key_that_is_too_long_is_refused),
#endif
        cmocka_unit_test(colliding_hashes_are_slow_but_right),
        cmocka_unit_test(reserved_room_is_filled_without_allocating),
        cmocka_unit_test(an_absurd_reservation_is_refused),
        cmocka_unit_test(a_failed_growth_leaves_the_map_as_it_was),
        cmocka_unit_test(an_iteration_sees_each_node_once_and_may_remove_it),
        cmocka_unit_test(an_empty_map_gives_its_memory_back),
        cmocka_unit_test(the_seed_decides_the_hash),
        cmocka_unit_test(random_operations_match_the_model),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
