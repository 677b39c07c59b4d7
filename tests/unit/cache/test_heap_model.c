/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A heap under random operations, next to a plain array that is searched for its least element. There
 * are few priorities, so that many are equal.
 */
#include "kin_test.h"
#include "kinform/heap.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "item.h"
#include "model.h"

static bool by_version(const kin_object *a, const kin_object *b, void *arg)
{
    (void)arg;
    return kin_test_item_version(a) < kin_test_item_version(b);
}

enum { N_KEYS = 24 };

struct model {
    kin_heap *heap;
    struct {
        bool present;
        unsigned version;
        uint64_t order;
    } keys[N_KEYS];
    uint64_t order;
};

static void *model_new(uint64_t seed)
{
    kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
    struct model *m = calloc(1, sizeof(*m));

    (void)seed;
    assert_non_null(m);
    options.less = by_version;
    assert_code(kin_heap_new(&m->heap, &options, NULL), 0);
    return m;
}

static void model_free(void *state)
{
    struct model *m = state;

    kin_heap_free(m->heap);
    free(m);
}

static const kin_object *random_item(kin_test_rng *rng, unsigned *ret_key, unsigned *ret_version)
{
    char key[16];

    *ret_key = (unsigned)kin_test_below(rng, N_KEYS);
    *ret_version = (unsigned)kin_test_below(rng, 6);
    snprintf(key, sizeof(key), "key-%u", *ret_key);
    return kin_test_item(key, *ret_version, NULL);
}

static void model_set(struct model *m, unsigned key, unsigned version)
{
    if (!m->keys[key].present)
        m->keys[key].order = m->order++;
    m->keys[key].present = true;
    m->keys[key].version = version;
}

static const char *op_add(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned key;
    unsigned version;
    const kin_object *item = random_item(rng, &key, &version);

    assert_code(kin_heap_add(m->heap, item, NULL), 0);
    model_set(m, key, version);
    kin_object_unref(item);
    return NULL;
}

static const char *op_add_absent(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned key;
    unsigned version;
    const kin_object *item = random_item(rng, &key, &version);

    assert_code(kin_heap_add_if_not_present(m->heap, item, NULL), 0);
    if (!m->keys[key].present)
        model_set(m, key, version);
    kin_object_unref(item);
    return NULL;
}

static const char *op_bulk(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    const kin_object *items[8] = {NULL};
    size_t n = kin_test_below(rng, kin__array_len(items));

    for (size_t i = 0; i < n; i++) {
        unsigned key;
        unsigned version;

        items[i] = random_item(rng, &key, &version);
        model_set(m, key, version);
    }
    assert_code(kin_heap_bulk_add(m->heap, items, n, NULL), 0);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(items[i]);
    return NULL;
}

static const char *op_delete(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned key;
    unsigned version;
    const kin_object *item = random_item(rng, &key, &version);
    int code = kin_heap_delete(m->heap, item, NULL);

    kin_object_unref(item);
    if (code != (m->keys[key].present ? 0 : KIN_ENOTFOUND))
        return "deleting does not know what is there";
    m->keys[key].present = false;
    return NULL;
}

static const char *op_pop(void *state, kin_test_rng *rng)
{
    struct model *m = state;
    unsigned first = N_KEYS;
    const kin_object *popped = NULL;
    char key[16];
    bool same;

    (void)rng;
    for (unsigned i = 0; i < N_KEYS; i++)
        if (m->keys[i].present && (first == N_KEYS || m->keys[i].version < m->keys[first].version ||
                                   (m->keys[i].version == m->keys[first].version &&
                                    m->keys[i].order < m->keys[first].order)))
            first = i;
    if (kin_heap_pop(m->heap, &popped, 0, NULL) != (first == N_KEYS ? KIN_ETIMEOUT : 0))
        return "it does not know whether it is empty";
    if (first == N_KEYS)
        return NULL;
    m->keys[first].present = false;
    snprintf(key, sizeof(key), "key-%u", first);
    same = strcmp(kin_object_key(popped), key) == 0 &&
           kin_test_item_version(popped) == m->keys[first].version;
    kin_object_unref(popped);
    return same ? NULL : "another came first";
}

static const char *model_check(void *state)
{
    struct model *m = state;
    size_t n = 0;

    for (unsigned i = 0; i < N_KEYS; i++) {
        const kin_object *found = NULL;
        char key[16];
        unsigned version = UINT32_MAX;

        snprintf(key, sizeof(key), "key-%u", i);
        n += m->keys[i].present;
        if (kin_heap_get_by_key(m->heap, &found, kin_str_of(key), NULL) == 0) {
            version = kin_test_item_version(found);
            kin_object_unref(found);
        }
        if (version != (m->keys[i].present ? m->keys[i].version : UINT32_MAX))
            return "a key has another object";
    }
    return kin_heap_len(m->heap) == n ? NULL : "the number of objects differs";
}

static void a_heap_behaves_like_a_plain_array(void **state)
{
    static const kin_test_op ops[] = {
        {"add", 40, op_add},  {"add_absent", 10, op_add_absent},
        {"bulk", 5, op_bulk}, {"delete", 20, op_delete},
        {"pop", 30, op_pop},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = model_free,
        .check = model_check,
    };

    (void)state;
    kin_test_run_model(&model, 300, 100);
    assert_int_equal(kin_test_items_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_heap_behaves_like_a_plain_array),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
