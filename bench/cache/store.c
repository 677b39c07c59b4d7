/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store that is measured: objects by namespace and by node.
 */
#include "cache.h"

#include <kinform/metadata.h>
#include <kinform/path.h>

static void add_node_index(kin_store *store)
{
    kin_index index = kin_bench_node_index(KIN_BENCH_NODE_INDEX);
    kin_error err = KIN_ERROR_INIT;

    if (kin_store_add_index(store, &index, &err) < 0)
        kin_bench_die("no index: %s", err.message);
}

static void add_namespace_index(kin_store *store)
{
    const kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_error err = KIN_ERROR_INIT;

    if (kin_store_add_index(store, &index, &err) < 0)
        kin_bench_die("no index: %s", err.message);
}

kin_store *kin_bench_store_new(unsigned indexes)
{
    kin_error err = KIN_ERROR_INIT;
    kin_store *store;

    if (kin_store_new(&store, NULL, &err) < 0)
        kin_bench_die("no store: %s", err.message);
    if (indexes > 0)
        add_namespace_index(store);
    if (indexes > 1)
        add_node_index(store);
    return store;
}

void kin_bench_store_fill(kin_store *store, const kin_object **objects, size_t n)
{
    kin_error err = KIN_ERROR_INIT;

    for (size_t i = 0; i < n; i++) {
        if (kin_store_add(store, objects[i], &err) < 0)
            kin_bench_die("cannot add: %s", err.message);
    }
}

void kin_bench_store_check(kin_store *store, const kin_object **objects, size_t n)
{
    if (kin_store_len(store) != n)
        kin_bench_die("the store has %zu objects, not %zu", kin_store_len(store), n);
    for (size_t i = 0; i < n; i++) {
        const kin_object *found = NULL;

        if (kin_store_get_object(store, &found, objects[i], NULL) < 0 || found != objects[i])
            kin_bench_die("the store has not the object that was put in last");
        kin_object_unref(found);
    }
}

void kin_bench_store_begin(struct kin_bench_store *b, const struct kin_bench_arguments *args)
{
    *b = (struct kin_bench_store){.args = args};
    kin_bench_set_load_all(&b->set, args);
    b->store = kin_bench_store_new(2);
    kin_bench_store_fill(b->store, b->set.older, b->set.n);
}

void kin_bench_store_end(struct kin_bench_store *b)
{
    kin_store_unref(b->store);
    kin_bench_set_done(&b->set);
}
