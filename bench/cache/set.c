/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The objects. A store is filled in the order in which they were made, as from a list, and used in
 * orders that have nothing to do with it.
 */
#include "cache.h"

#include <stdlib.h>
#include <string.h>

#include <kinform/metadata.h>

/* Full Pods of a file, once or twice. */
static void load_file(struct kin_bench_set *set, const struct kin_bench_arguments *args, bool all)
{
    kin_decoder *decoder = kin_bench_decoder_new(NULL);
    struct kin_bench_items items;

    kin_bench_items_load(&items, args->file);
    if (args->n > items.n)
        kin_bench_die("%s has %zu objects only", args->file, items.n);
    set->n = args->n > 0 ? args->n : items.n;
    set->older = kin_bench_decode_all(decoder, &items, set->n);
    if (all)
        set->newer = kin_bench_decode_all(decoder, &items, set->n);
    kin_bench_items_done(&items);
    kin_decoder_free(decoder);
}

static void load_slim(struct kin_bench_set *set, const struct kin_bench_arguments *args, bool all)
{
    kin_decoder *decoder = kin_bench_decoder_new(NULL);

    set->n = args->n;
    set->older = kin_bench_slim_objects(decoder, set->n, 1);
    if (all)
        set->newer = kin_bench_slim_objects(decoder, set->n, 1 + set->n);
    kin_decoder_free(decoder);
}

static void load(struct kin_bench_set *set, const struct kin_bench_arguments *args, bool all)
{
    memset(set, 0, sizeof(*set));
    if (args->file)
        load_file(set, args, all);
    else
        load_slim(set, args, all);
}

static void order_updates(struct kin_bench_set *set)
{
    for (size_t k = 0; k < KIN_BENCH_UPDATE_ORDERS; k++) {
        const kin_object **from = k % 2 == 1 ? set->older : set->newer;
        size_t *order = kin_bench_shuffled(set->n, KIN_BENCH_ORDER_SEED + k);

        set->updates[k] = kin_bench_alloc(set->n, sizeof(const kin_object *));
        for (size_t i = 0; i < set->n; i++)
            set->updates[k][i] = from[order[i]];
        free(order);
    }
}

static void copy_keys(struct kin_bench_set *set)
{
    kin_str *copies = kin_bench_alloc(set->n, sizeof(*copies));
    size_t *order = kin_bench_shuffled(set->n, KIN_BENCH_ORDER_SEED);
    size_t bytes = 0;
    char *at;

    for (size_t i = 0; i < set->n; i++)
        bytes += strlen(kin_object_key(set->older[i]));
    at = set->key_bytes = kin_bench_alloc(bytes, 1);
    for (size_t i = 0; i < set->n; i++) {
        const char *key = kin_object_key(set->older[i]);

        copies[i] = kin_str_make(at, strlen(key));
        memcpy(at, key, copies[i].len);
        at += copies[i].len;
    }
    set->keys = kin_bench_alloc(set->n, sizeof(*set->keys));
    for (size_t i = 0; i < set->n; i++)
        set->keys[i] = copies[order[i]];
    free(copies);
    free(order);
}

void kin_bench_set_load(struct kin_bench_set *set, const struct kin_bench_arguments *args)
{
    load(set, args, false);
}

void kin_bench_set_load_all(struct kin_bench_set *set, const struct kin_bench_arguments *args)
{
    load(set, args, true);
    order_updates(set);
    copy_keys(set);
}

const kin_object **kin_bench_set_next_updates(struct kin_bench_set *set)
{
    const kin_object **objects = set->updates[set->next];

    set->next = (set->next + 1) % KIN_BENCH_UPDATE_ORDERS;
    return objects;
}

void kin_bench_set_done(struct kin_bench_set *set)
{
    kin_bench_unref_all(set->older, set->n);
    free((void *)set->older);
    if (set->newer)
        kin_bench_unref_all(set->newer, set->n);
    free((void *)set->newer);
    for (size_t k = 0; k < KIN_BENCH_UPDATE_ORDERS; k++)
        free((void *)set->updates[k]);
    free(set->keys);
    free(set->key_bytes);
}
