/* SPDX-License-Identifier: Apache-2.0 */
#include "kinform/delta.h"

#include "base/memory.h"

const char *kin_delta_type_name(kin_delta_type type)
{
    static const char *const names[] = {"?",    "Added",       "Updated", "Deleted", "Replaced",
                                        "Sync", "ReplacedAll", "SyncAll", "Bookmark"};

    return type >= KIN_DELTA_ADDED && type <= KIN_DELTA_BOOKMARK ? names[type] : names[0];
}

const kin_delta *kin_deltas_oldest(const kin_deltas *deltas)
{
    return deltas && deltas->len ? &deltas->items[0] : NULL;
}

const kin_delta *kin_deltas_newest(const kin_deltas *deltas)
{
    return deltas && deltas->len ? &deltas->items[deltas->len - 1] : NULL;
}

bool kin_deltas_is_deleted(const kin_deltas *deltas)
{
    const kin_delta *newest = kin_deltas_newest(deltas);

    return newest && newest->type == KIN_DELTA_DELETED;
}

void kin_delta_copy_done(kin_delta_copy *copy)
{
    if (!copy)
        return;
    for (size_t i = 0; i < copy->len; i++)
        kin_object_unref(copy->items[i].object);
    kin__free(copy->items);
    *copy = (kin_delta_copy)KIN_DELTA_COPY_INIT;
}
