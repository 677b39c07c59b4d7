/* SPDX-License-Identifier: Apache-2.0 */
#include "informer/gaps.h"

#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/memory.h"

struct gap {
    kin__map_node node;
    char key[];
};

static void remove_gap(kin__gaps *gaps, kin__map_node *node)
{
    kin__map_remove(&gaps->known, node);
    kin__free(kin__container_of(node, struct gap, node));
}

void kin__gaps_init(kin__gaps *gaps)
{
    kin__map_init(&gaps->known, kin__hash_seed());
    gaps->n_unknown = 0;
    gaps->keeps_missing = false;
}

void kin__gaps_clear(kin__gaps *gaps)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&gaps->known, &iter)))
        remove_gap(gaps, node);
    kin__map_done(&gaps->known);
    kin__gaps_init(gaps);
}

/* Whether it is there now, or was. */
static bool remember(kin__gaps *gaps, kin_str key)
{
    struct gap *gap;

    if (key.len == 0)
        return false;
    if (kin__map_get(&gaps->known, key))
        return true;
    if (kin__map_len(&gaps->known) >= KIN__GAPS_MAX)
        return false;
    gap = kin__malloc(sizeof(*gap) + key.len);
    if (!gap)
        return false;
    memcpy(gap->key, key.data, key.len);
    if (kin__map_add(&gaps->known, &gap->node, kin_str_make(gap->key, key.len), NULL) < 0) {
        kin__free(gap);
        return false;
    }
    return true;
}

void kin__gaps_add(kin__gaps *gaps, kin_str key)
{
    if (!remember(gaps, key))
        gaps->n_unknown++;
}

bool kin__gaps_heal(kin__gaps *gaps, kin_str key)
{
    kin__map_node *node = kin__map_get(&gaps->known, key);

    if (node)
        remove_gap(gaps, node);
    return node != NULL;
}

void kin__gaps_move(kin__gaps *gaps, kin__gaps *from)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&from->known, &iter)))
        kin__gaps_add(gaps, kin_str_make(node->key, node->key_len));
    gaps->n_unknown += from->n_unknown;
    gaps->keeps_missing |= from->keeps_missing;
    kin__gaps_clear(from);
}

void kin__gaps_replace(kin__gaps *gaps, kin__gaps *from)
{
    kin__gaps_clear(gaps);
    *gaps = *from;
    kin__gaps_init(from);
}
