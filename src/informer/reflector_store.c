/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a reflector can feed: the stores and queues of src/cache as kin_reflector_store.
 */
#include "base/error.h"
#include "base/options.h"
#include "kinform/reflector.h"

/* The functions of PREFIX, whose first argument becomes the last. */
#define OBJECT_FN(prefix, name, fn)                                                                \
    static int prefix##_##name##_of(const kin_object *object, void *arg, kin_error *err)           \
    {                                                                                              \
        return fn((prefix *)arg, object, err);                                                     \
    }

#define STORE_FNS(prefix)                                                                          \
    OBJECT_FN(prefix, add, prefix##_add)                                                           \
    OBJECT_FN(prefix, update, prefix##_update)                                                     \
    OBJECT_FN(prefix, delete, prefix##_delete)                                                     \
    static int prefix##_replace_of(kin_replace **ret, void *arg, kin_error *err)                   \
    {                                                                                              \
        return prefix##_replace_begin((prefix *)arg, ret, err);                                    \
    }                                                                                              \
    static int prefix##_resync_of(void *arg, kin_error *err)                                       \
    {                                                                                              \
        return prefix##_resync((prefix *)arg, err);                                                \
    }

#define BOOKMARK_FN(prefix)                                                                        \
    static int prefix##_bookmark_of(kin_str version, void *arg, kin_error *err)                    \
    {                                                                                              \
        return prefix##_bookmark((prefix *)arg, version, err);                                     \
    }

static int give(kin_reflector_store *ret, const kin_reflector_store *all)
{
    if (!ret || !all->arg)
        return KIN_EINVAL;
    return kin__options_give(ret, all, sizeof(*all), "KIN_REFLECTOR_STORE_INIT", NULL);
}

#define GIVE_FN(prefix, bookmark_fn)                                                               \
    int prefix##_reflector_store(kin_reflector_store *ret, prefix *target)                         \
    {                                                                                              \
        const kin_reflector_store all = {sizeof(all),                                              \
                                         prefix##_add_of,                                          \
                                         prefix##_update_of,                                       \
                                         prefix##_delete_of,                                       \
                                         prefix##_replace_of,                                      \
                                         prefix##_resync_of,                                       \
                                         bookmark_fn,                                              \
                                         target,                                                   \
                                         NULL};                                                    \
                                                                                                   \
        return give(ret, &all);                                                                    \
    }

STORE_FNS(kin_store)
BOOKMARK_FN(kin_store)
GIVE_FN(kin_store, kin_store_bookmark_of)

STORE_FNS(kin_delta_fifo)
GIVE_FN(kin_delta_fifo, NULL)

STORE_FNS(kin_ordered_fifo)
BOOKMARK_FN(kin_ordered_fifo)
GIVE_FN(kin_ordered_fifo, kin_ordered_fifo_bookmark_of)

STORE_FNS(kin_fifo)
GIVE_FN(kin_fifo, NULL)

STORE_FNS(kin_expiring_store)
BOOKMARK_FN(kin_expiring_store)
GIVE_FN(kin_expiring_store, kin_expiring_store_bookmark_of)

STORE_FNS(kin_undelta_store)
BOOKMARK_FN(kin_undelta_store)
GIVE_FN(kin_undelta_store, kin_undelta_store_bookmark_of)
