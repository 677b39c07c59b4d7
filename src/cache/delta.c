/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/delta.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"

/* What stands for a list, a bookmark or nothing. */
struct whole {
    kin_object base;
    const kin_object **items; /* OWNED, with a reference to each; NULL if there are none */
    size_t n;
    bool keeps; /* of a list: what it lacks stays */
    size_t version_len;
    char version[]; /* terminated */
};

static const struct whole *whole_of(const kin_object *object)
{
    return (const struct whole *)(const void *)object;
}

static kin_str whole_key(const kin_object *object)
{
    (void)object;
    return kin_str_make("", 0);
}

static kin_str whole_version(const kin_object *object)
{
    return kin_str_make(whole_of(object)->version, whole_of(object)->version_len);
}

static void whole_destroy(kin_object *object)
{
    const struct whole *whole = whole_of(object);

    for (size_t i = 0; i < whole->n; i++)
        kin_object_unref(whole->items[i]);
    kin__free(whole->items);
    kin__free(object);
}

static const kin_object_class list_class = {
    .size = sizeof(kin_object_class),
    .name = "list",
    .key = whole_key,
    .resource_version = whole_version,
    .destroy = whole_destroy,
};

static const kin_object_class bookmark_class = {
    .size = sizeof(kin_object_class),
    .name = "bookmark",
    .key = whole_key,
    .resource_version = whole_version,
    .destroy = whole_destroy,
};

static const kin_object_class sync_all_class = {
    .size = sizeof(kin_object_class),
    .name = "sync of all",
    .key = whole_key,
    .destroy = whole_destroy,
};

/* CONSUMES the items. */
static int whole_new(const kin_object **ret, const kin_object_class *object_class,
                     const kin_object **items, size_t n, kin_str version, kin_error *err)
{
    struct whole *whole = kin__malloc(sizeof(*whole) + version.len + 1);

    if (!whole)
        return kin__error_no_memory(err);
    kin_object_init(&whole->base, object_class, NULL);
    whole->items = items;
    whole->n = n;
    whole->keeps = false;
    whole->version_len = version.len;
    if (version.len)
        memcpy(whole->version, version.data, version.len);
    whole->version[version.len] = '\0';
    *ret = &whole->base;
    return 0;
}

int kin__delta_list_new(const kin_object **ret, const kin_object **items, size_t n,
                        kin_str resource_version, bool keeps, kin_error *err)
{
    const kin_object *list = NULL;
    int code = whole_new(&list, &list_class, items, n, resource_version, err);

    if (code < 0)
        return code;
    ((struct whole *)kin__unconst(list))->keeps = keeps;
    *ret = list;
    return 0;
}

int kin__delta_bookmark_new(const kin_object **ret, kin_str resource_version, kin_error *err)
{
    return whole_new(ret, &bookmark_class, NULL, 0, resource_version, err);
}

int kin__delta_sync_all_new(const kin_object **ret, kin_error *err)
{
    return whole_new(ret, &sync_all_class, NULL, 0, kin_str_make(NULL, 0), err);
}

int kin_delta_list(const kin_delta *delta, const kin_object *const **ret, size_t *ret_n,
                   kin_error *err)
{
    if (!delta || !ret || !ret_n)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL",
                             !delta ? "delta" : (ret ? "ret_n" : "ret"));
    if (delta->type != KIN_DELTA_REPLACED_ALL || !delta->object ||
        kin_object_get_class(delta->object) != &list_class)
        return kin_error_set(err, KIN_ETYPE, "a delta of the type %s has no list",
                             kin_delta_type_name(delta->type));
    *ret = whole_of(delta->object)->items;
    *ret_n = whole_of(delta->object)->n;
    return 0;
}

bool kin_delta_list_keeps_missing(const kin_delta *delta)
{
    return delta && delta->type == KIN_DELTA_REPLACED_ALL && delta->object &&
           kin_object_get_class(delta->object) == &list_class && whole_of(delta->object)->keeps;
}

kin_str kin_delta_resource_version(const kin_delta *delta)
{
    return delta && delta->object ? kin_object_resource_version(delta->object)
                                  : kin_str_make(NULL, 0);
}

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
