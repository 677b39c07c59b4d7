/* SPDX-License-Identifier: Apache-2.0 */
#include "item.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item {
    kin_object base;
    unsigned version;
    char resource_version[12];
    size_t key_len;
    char *tags; /* behind the key */
    char key[];
};

static atomic_size_t live;
static void (*destroy_hook)(void *arg);
static void *destroy_hook_arg;
static void (*version_hook)(void *arg);
static void *version_hook_arg;

static const struct item *of(const kin_object *object)
{
    return (const struct item *)object;
}

static kin_str item_key(const kin_object *object)
{
    return kin_str_make(of(object)->key, of(object)->key_len);
}

static kin_str item_resource_version(const kin_object *object)
{
    if (version_hook) {
        void (*hook)(void *arg) = version_hook;

        version_hook = NULL;
        hook(version_hook_arg);
    }
    return kin_str_of(of(object)->resource_version);
}

static void item_destroy(kin_object *object)
{
    if (destroy_hook)
        destroy_hook(destroy_hook_arg);
    atomic_fetch_sub(&live, 1);
    free(object);
}

static uint64_t item_hash(const kin_object *object)
{
    uint64_t hash = of(object)->version;

    for (const char *tags = of(object)->tags; *tags; tags++)
        hash = hash * 31 + (unsigned char)*tags;
    return hash;
}

static const kin_object_class item_class = {
    .size = sizeof(kin_object_class),
    .name = "item",
    .key = item_key,
    .resource_version = item_resource_version,
    .destroy = item_destroy,
    .hash = item_hash,
};

const kin_object *kin_test_item(const char *key, unsigned version, const char *tags)
{
    size_t key_len = strlen(key);
    size_t tags_len = tags ? strlen(tags) : 0;
    struct item *item = malloc(sizeof(*item) + key_len + 1 + tags_len + 1);

    assert(item);
    item->version = version;
    snprintf(item->resource_version, sizeof(item->resource_version), "%u", version);
    item->key_len = key_len;
    memcpy(item->key, key, key_len + 1);
    item->tags = item->key + key_len + 1;
    memcpy(item->tags, tags ? tags : "", tags_len + 1);
    kin_object_init(&item->base, &item_class, NULL);
    atomic_fetch_add(&live, 1);
    return &item->base;
}

unsigned kin_test_item_version(const kin_object *object)
{
    return of(object)->version;
}

const char *kin_test_item_tags(const kin_object *object)
{
    return of(object)->tags;
}

size_t kin_test_items_live(void)
{
    return atomic_load(&live);
}

void kin_test_items_on_destroy(void (*hook)(void *arg), void *arg)
{
    destroy_hook = hook;
    destroy_hook_arg = arg;
}

int kin_test_by_tag(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    const char *tag = of(object)->tags;

    (void)arg;
    while (*tag) {
        size_t len = strcspn(tag, ",");
        int code;

        if (len == 1 && *tag == '!')
            return kin_error_set(err, KIN_ETYPE, "a bad tag");
        code = kin_index_values_add(values, kin_str_make(tag, len), err);
        if (code < 0)
            return code;
        tag += len + (tag[len] == ',');
    }
    return 0;
}

void kin_test_on_item_version(void (*hook)(void *arg), void *arg)
{
    version_hook = hook;
    version_hook_arg = arg;
}
