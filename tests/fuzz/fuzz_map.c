/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash map under a script of operations. The input chooses how many bits the hashes
 * have, so that collisions and full buckets come by themselves, and whole ranges of keys
 * come and go at once, so that short inputs reach growth and saturated counters. The
 * model is an array indexed by the key.
 */
#include <string.h>

#include "base/compiler.h"
#include "base/map.h"
#include "fuzz.h"

/* More than `passed` of a bucket can count. */
#define KEYS 512
/* With all keys in one chain each change walks it: enough to fill the map twice over. */
#define MAX_COST (3 * KEYS)

struct entry {
    kin__map_node node;
    bool in_map;
    uint16_t key;
};

struct world {
    kin__map map;
    struct entry entries[KEYS];
    uint32_t hash_mask; /* the fewer bits, the more collisions */
    size_t len;
    size_t cost;
};

static kin_str key_of(const struct entry *e)
{
    return kin_str_make((const char *)&e->key, sizeof(e->key));
}

static uint32_t hash_of(const struct world *w, const struct entry *e)
{
    return kin__map_hash(&w->map, key_of(e)) & w->hash_mask;
}

static void toggle(struct world *w, struct entry *e)
{
    kin__map_node *existing = NULL;

    w->cost++;
    if (e->in_map) {
        kin__map_remove(&w->map, &e->node);
        w->len--;
    } else {
        FUZZ_CHECK(kin__map_add_hashed(&w->map, &e->node, key_of(e), hash_of(w, e), &existing) ==
                   0);
        FUZZ_CHECK(!existing);
        w->len++;
    }
    e->in_map = !e->in_map;
}

/* From one key to the next that the input gives, wrapping around. */
static void toggle_range(struct world *w, unsigned first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        toggle(w, &w->entries[(first + i) % KEYS]);
}

static void add_again(struct world *w, struct entry *e)
{
    struct entry twin = {.key = e->key};
    kin__map_node *existing = NULL;

    if (!e->in_map)
        return;
    FUZZ_CHECK(kin__map_add_hashed(&w->map, &twin.node, key_of(&twin), hash_of(w, e), &existing) ==
               0);
    FUZZ_CHECK(existing == &e->node);
}

static void look_up(const struct world *w, struct entry *e)
{
    kin__map_node *found = kin__map_get_hashed(&w->map, key_of(e), hash_of(w, e));

    FUZZ_CHECK(found == (e->in_map ? &e->node : NULL));
}

static void walk(struct world *w, bool remove_all)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    size_t n = 0;

    w->cost += KEYS / 16;
    while ((node = kin__map_next(&w->map, &iter)) != NULL) {
        struct entry *e = kin__container_of(node, struct entry, node);

        FUZZ_CHECK(e->in_map);
        n++;
        if (remove_all)
            toggle(w, e);
    }
    FUZZ_CHECK(n == w->len + (remove_all ? n : 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct world w; /* static: too large for a fuzzer's stack frame */
    fuzz_input in = {data, size};

    memset(&w, 0, sizeof(w));
    kin__map_init(&w.map, 1);
    for (unsigned i = 0; i < KEYS; i++)
        w.entries[i].key = (uint16_t)i;
    w.hash_mask = (uint32_t)fuzz_number(&in);
    while (in.len > 0 && w.cost < MAX_COST) {
        uint8_t op = fuzz_byte(&in);

        w.cost++;
        unsigned key = (fuzz_byte(&in) | (unsigned)(op >> 6) << 8) % KEYS;
        struct entry *e = &w.entries[key];

        switch (op % 8) {
        case 0:
            walk(&w, false);
            break;
        case 1:
            look_up(&w, e);
            break;
        case 2:
            add_again(&w, e);
            break;
        case 3:
            FUZZ_CHECK(kin__map_reserve(&w.map, key) == 0);
            break;
        case 4:
            walk(&w, true);
            break;
        case 5:
            toggle_range(&w, key, fuzz_byte(&in) * 2u);
            break;
        default:
            toggle(&w, e);
            break;
        }
        FUZZ_CHECK(kin__map_len(&w.map) == w.len);
    }
    for (unsigned i = 0; i < KEYS; i++)
        look_up(&w, &w.entries[i]);
    kin__map_done(&w.map);
    return 0;
}
