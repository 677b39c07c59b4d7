/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects that are put aside until all of them go into a queue at once: a list that replaces
 * everything, and what becomes of known objects then.
 */
#ifndef KIN_CACHE_STAGED_H
#define KIN_CACHE_STAGED_H

#include "base/memory.h"
#include "cache/line.h"
#include "cache/replace.h"
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
    size_t
        n_kept; /* of a list that replaces: tombstones among them; the queue keeps these keys as they are */
    bool keeps; /* and all other keys that the list lacks */
} kin__staged_list;

/* clang-format off */
#define KIN__STAGED_LIST_INIT {NULL, 0, 0, 0, false}
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

/* Whether its key is kept, instead of getting an object of the list. */
static inline bool kin__staged_is_kept(const kin__staged *staged)
{
    return kin_object_is_tombstone(staged->object, NULL);
}

/* Give back what is still in it. No lock is held. */
static inline void kin__staged_list_done(kin__staged_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        kin_object_unref(list->items[i].object);
    kin__free(list->items);
    *list = (kin__staged_list)KIN__STAGED_LIST_INIT;
}

/* --- replacements that stage their list --- */

typedef struct kin__staged_class {
    /* What comes in: object, key and hash, CONSUMED by the caller. 0, or the user's code. */
    int (*take_in)(void *queue, const kin_object *object, kin__staged *ret, kin_error *err);
    /* All or nothing; what is left in the list is released. */
    int (*commit)(void *queue, kin__staged_list *list, kin_error *err);
    /*
     * Whether the transformer has changed keys, so that an object it rejects may be known under another one. NULL: the
     * queue cannot keep single keys.
     */
    bool (*renames)(const void *queue);
} kin__staged_class;

/* Begin a replacement of a queue, which may be NULL. 0, KIN_EINVAL, KIN_EFORKED, KIN_ENOMEM. */
int kin__staged_replace_begin(kin_replace **ret, const kin__staged_class *staged_class, void *queue,
                              const kin__line *line, kin_error *err);

/* --- known objects --- */

/* As a queue's options have them, or NULL: `ret` has no functions then. 0, KIN_EINVAL. */
int kin__known_take(kin_known_objects *ret, const kin_known_objects *given, kin_error *err);

/*
 * What a known object becomes: itself if it is to come `again`, else its tombstone. Sets object and
 * key. 0, KIN_ENOMEM, or the code of the key function.
 */
int kin__staged_known(kin__staged *ret, bool again, kin_str known_key, const kin_object *known,
                      kin_key_fn *key, void *key_arg, kin_error *err);

/*
 * Visit all known objects, with no lock held. A visitor that fails says why in `visitor_said`: what
 * it is called by cannot know. 0, KIN_EINVAL (they returned nonsense), their code.
 */
int kin__known_each(const kin_known_objects *known, kin_visit_fn *visit, void *arg,
                    const kin_error *visitor_said, kin_error *err);

#endif
