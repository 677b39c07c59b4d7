/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sorted nodes next to a plain table of all keys there can be; blocks that fill, are cut and go;
 * memory.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/state/sorted.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/str.h"
#include "model.h"
#include "oom.h"

/* Three groups with a prefix each, "a/", "b/" and "c/"; in the order of their numbers. */
enum { GROUP = 600, N_KEYS = 3 * GROUP };

struct item {
    kin__sorted_node node;
    char key[16];
    bool is_in;
    bool counted;
};

struct model {
    kin__sorted sorted;
    struct item items[N_KEYS];
};

static void set_keys(struct item *items)
{
    for (unsigned i = 0; i < N_KEYS; i++)
        snprintf(items[i].key, sizeof(items[i].key), "%c/%04u", 'a' + (int)(i / GROUP), i % GROUP);
}

static void *model_new(uint64_t seed)
{
    struct model *m = calloc(1, sizeof(*m));

    (void)seed;
    assert_non_null(m);
    kin__sorted_init(&m->sorted);
    set_keys(m->items);
    return m;
}

static void model_free(void *state)
{
    struct model *m = state;

    kin__sorted_done(&m->sorted);
    free(m);
}

static void put(struct model *m, size_t i)
{
    if (m->items[i].is_in)
        return;
    assert_code(kin__sorted_insert(&m->sorted, &m->items[i].node, kin_str_of(m->items[i].key)), 0);
    m->items[i].is_in = true;
    m->items[i].counted = false;
}

static const char *op_insert(void *state, kin_test_rng *rng)
{
    put(state, kin_test_below(rng, N_KEYS));
    return NULL;
}

/* Keys that lie together, forwards or backwards or mixed. */
static const char *op_insert_many(void *state, kin_test_rng *rng)
{
    size_t from = kin_test_below(rng, N_KEYS);
    size_t n = kin_test_below(rng, 2 * KIN__SORTED_BLOCK);
    size_t step = (size_t[]){1, N_KEYS - 1, 7}[kin_test_below(rng, 3)];

    for (size_t i = 0; i < n; i++)
        put(state, (from + i * step) % N_KEYS);
    return NULL;
}

static void take(struct model *m, size_t i)
{
    if (m->items[i].is_in)
        kin__sorted_remove(&m->sorted, &m->items[i].node);
    m->items[i].is_in = false;
}

static const char *op_remove(void *state, kin_test_rng *rng)
{
    take(state, kin_test_below(rng, N_KEYS));
    return NULL;
}

static const char *op_remove_many(void *state, kin_test_rng *rng)
{
    size_t from = kin_test_below(rng, N_KEYS);
    size_t n = kin_test_below(rng, 2 * KIN__SORTED_BLOCK);

    for (size_t i = 0; i < n; i++)
        take(state, (from + i) % N_KEYS);
    return NULL;
}

static const char *op_count(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    size_t from = kin_test_below(rng, N_KEYS);
    size_t n = kin_test_below(rng, 100);
    bool counted = kin_test_below(rng, 3) > 0;

    for (size_t i = 0; i < n; i++) {
        struct item *item = &m->items[(from + i) % N_KEYS];

        if (!item->is_in)
            continue;
        kin__sorted_set_counted(&m->sorted, &item->node, counted);
        item->counted = counted;
    }
    return NULL;
}

/* All from one key on, and how many of them count up to the end of a prefix. */
static const char *op_walk(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    size_t at = kin_test_below(rng, N_KEYS);
    bool behind = kin_test_below(rng, 2) > 0;
    kin_str key = kin_str_of(m->items[at].key);
    kin_str prefix = kin_str_make(key.data, 2);
    kin__sorted_pos pos =
        behind ? kin__sorted_behind(&m->sorted, key) : kin__sorted_at(&m->sorted, key);
    size_t counted =
        kin__sorted_count(&m->sorted, pos, kin__sorted_behind_prefix(&m->sorted, prefix));

    for (size_t i = at + behind; i < N_KEYS; i++) {
        if (!m->items[i].is_in)
            continue;
        if (kin__sorted_next(&m->sorted, &pos) != &m->items[i].node)
            return "another key follows";
        if (i / GROUP == at / GROUP)
            counted -= m->items[i].counted;
    }
    if (kin__sorted_next(&m->sorted, &pos))
        return "a key follows the last";
    return counted == 0 ? NULL : "the number of counted ones differs";
}

static const char *model_check(void *state)
{
    struct model *m = state;
    kin__sorted_pos first = {0, 0};
    size_t n = 0;
    size_t counted = 0;

    for (size_t i = 0; i < N_KEYS; i++) {
        n += m->items[i].is_in;
        counted += m->items[i].is_in && m->items[i].counted;
        if (i % 41 == 0 && kin__sorted_get(&m->sorted, kin_str_of(m->items[i].key)) !=
                               (m->items[i].is_in ? &m->items[i].node : NULL))
            return "a key is found, or not found, wrongly";
    }
    if (m->sorted.len != n)
        return "the length differs";
    if (kin__sorted_count(&m->sorted, first,
                          kin__sorted_behind_prefix(&m->sorted, kin_str_of(""))) != counted)
        return "the number of all counted ones differs";
    return NULL;
}

static void it_behaves_like_a_plain_table(void **state)
{
    static const kin_test_op ops[] = {
        {"insert", 20, op_insert},     {"insert_many", 6, op_insert_many},
        {"remove", 20, op_remove},     {"remove_many", 4, op_remove_many},
        {"set_counted", 10, op_count}, {"walk", 20, op_walk},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = model_free,
        .check = model_check,
    };

    (void)state;
    kin_test_run_model(&model, 200, 60);
}

static void keys_are_compared_by_bytes(void **state)
{
    static const char *const keys[] = {"", "a", "a\x01", "a/b", "ab", "b", "\x7f", "\xc3\xa4"};
    struct item items[kin__array_len(keys)];
    kin__sorted_pos pos = {0, 0};
    kin__sorted sorted;

    (void)state;
    kin__sorted_init(&sorted);
    for (size_t i = kin__array_len(keys); i-- > 0;)
        assert_code(kin__sorted_insert(&sorted, &items[i].node, kin_str_of(keys[i])), 0);
    for (size_t i = 0; i < kin__array_len(keys); i++)
        assert_ptr_equal(kin__sorted_next(&sorted, &pos), &items[i].node);
    assert_null(kin__sorted_next(&sorted, &pos));
    pos = kin__sorted_behind_prefix(&sorted, kin_str_of("a"));
    assert_ptr_equal(kin__sorted_next(&sorted, &pos), &items[5].node);
    pos = kin__sorted_behind_prefix(&sorted, kin_str_of("\xc3"));
    assert_null(kin__sorted_next(&sorted, &pos));
    kin__sorted_done(&sorted);
}

/* A load brings keys in their order. */
static void keys_in_order_fill_their_blocks(void **state)
{
    struct model *m = model_new(0);

    (void)state;
    for (size_t i = 0; i < N_KEYS; i++)
        put(m, i);
    assert_int_equal(m->sorted.n_blocks, (N_KEYS + KIN__SORTED_BLOCK - 1) / KIN__SORTED_BLOCK);
    for (size_t i = 0; i < N_KEYS; i++)
        take(m, i);
    assert_int_equal(m->sorted.n_blocks, 0);
    model_free(m);
}

/* Whatever fails, all that is in can still be found. */
static int fill(void *arg, kin_error *err)
{
    struct item *items = arg;
    kin__sorted sorted;
    int code = 0;

    kin__sorted_init(&sorted);
    for (size_t i = 0; i < N_KEYS; i++) {
        struct item *item = &items[i * 7 % N_KEYS];

        item->is_in = kin__sorted_insert(&sorted, &item->node, kin_str_of(item->key)) == 0;
        if (!item->is_in)
            code = kin__error_no_memory(err);
    }
    for (size_t i = 0; i < N_KEYS; i++)
        assert_ptr_equal(kin__sorted_get(&sorted, kin_str_of(items[i].key)),
                         items[i].is_in ? &items[i].node : NULL);
    kin__sorted_done(&sorted);
    return code;
}

static void it_survives_a_lack_of_memory(void **state)
{
    struct item *items = calloc(N_KEYS, sizeof(*items));

    (void)state;
    assert_non_null(items);
    set_keys(items);
    kin_test_fail_each_allocation(fill, items);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_behaves_like_a_plain_table),
        cmocka_unit_test(keys_are_compared_by_bytes),
        cmocka_unit_test(keys_in_order_fill_their_blocks),
        cmocka_unit_test(it_survives_a_lack_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
