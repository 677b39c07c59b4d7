/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that are put aside until all of them go into a queue at once.
 */
#ifndef KIN_CACHE_STAGED_H
#define KIN_CACHE_STAGED_H

#include "base/memory.h"
#include "kinform/known_objects.h"

typedef struct kin__staged {
    const kin_object *object; /* SHARED */
    kin_str key;              /* BORROWED from the object */
    uint32_t hash;            /* of the key */
    void *entry;              /* what the queue keeps for the key, or NULL */
} kin__staged;

typedef struct kin__staged_list {
    kin__staged *items;
    size_t n;
    size_t cap;
} kin__staged_list;

/* clang-format off */
#define KIN__STAGED_LIST_INIT {NULL, 0, 0}
/* clang-format on */

/* Room for one more. 0 or KIN_ENOMEM. */
static inline int kin__staged_list_reserve(kin__staged_list *list)
{
    kin__staged *items;

    if (list->n < list->cap)
        return 0;
    items = kin__grow_array(list->items, &list->cap, list->n + 1, sizeof(*items));
    if (!items)
        return KIN_ENOMEM;
    list->items = items;
    return 0;
}

/* Into the room that was made. CONSUMES the object. */
static inline void kin__staged_list_add(kin__staged_list *list, const kin_object *object,
                                        kin_str key, uint32_t hash)
{
    list->items[list->n++] = (kin__staged){object, key, hash, NULL};
}

/* Give back what is still in it. No lock is held. */
static inline void kin__staged_list_done(kin__staged_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        kin_object_unref(list->items[i].object);
    kin__free(list->items);
    *list = (kin__staged_list)KIN__STAGED_LIST_INIT;
}

/*
 * What a known object becomes: itself if it is to come `again`, else its tombstone. Sets object and
 * key. 0, KIN_ENOMEM, or the code of the key function.
 */
int kin__staged_known(kin__staged *ret, bool again, kin_str known_key, const kin_object *known,
                      kin_key_fn *key, void *key_arg, kin_error *err);

/*
 * Visit all known objects, with no lock held. A visitor that fails says why in `visitor_said`: what it
 * is called by cannot know. 0, KIN_EINVAL (they returned nonsense), their code.
 */
int kin__known_each(const kin_known_objects *known, kin_visit_fn *visit, void *arg,
                    const kin_error *visitor_said, kin_error *err);

#endif
