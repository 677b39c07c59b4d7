/* SPDX-License-Identifier: Apache-2.0 */
#include "typed_item.h"

#include <assert.h>
#include <stdlib.h>

struct typed_item {
    kin_object base;
    kin_test_typed of;
};

static const kin_test_typed *of(const kin_object *object)
{
    return &((const struct typed_item *)object)->of;
}

static kin_str text(const char *of)
{
    return of ? kin_str_of(of) : kin_str_make(NULL, 0);
}

static kin_str typed_key(const kin_object *object)
{
    return text(of(object)->key);
}

static kin_str typed_version(const kin_object *object)
{
    return text(of(object)->version);
}

static kin_str typed_kind(const kin_object *object)
{
    return text(of(object)->kind);
}

static kin_str typed_api_version(const kin_object *object)
{
    return text(of(object)->api_version);
}

static kin_str typed_uid(const kin_object *object)
{
    return text(of(object)->uid);
}

static bool typed_annotation(const kin_object *object, kin_str key, kin_str *ret_value)
{
    if (!of(object)->annotation || !kin_str_equal(key, kin_str_of(of(object)->annotation)))
        return false;
    *ret_value = kin_str_of("true");
    return true;
}

static kin_str typed_continue_token(const kin_object *object)
{
    return text(of(object)->continue_token);
}

static void typed_destroy(kin_object *object)
{
    free(object);
}

#define FUNCTIONS                                                                                  \
    .key = typed_key, .resource_version = typed_version, .destroy = typed_destroy,                 \
    .kind = typed_kind, .api_version = typed_api_version, .uid = typed_uid,                        \
    .annotation = typed_annotation, .continue_token = typed_continue_token

static const kin_object_class typed_class = {
    .size = sizeof(kin_object_class),
    .name = "typed item",
    FUNCTIONS,
};

static const kin_object_class old_class = {
    .size = offsetof(kin_object_class, kind),
    .name = "old item",
    FUNCTIONS,
};

static const kin_object *make(const kin_object_class *object_class, const kin_test_typed *of)
{
    struct typed_item *item = malloc(sizeof(*item));

    assert(item);
    item->of = *of;
    kin_object_init(&item->base, object_class, NULL);
    return &item->base;
}

const kin_object *kin_test_typed_item(const kin_test_typed *of)
{
    return make(&typed_class, of);
}

const kin_object *kin_test_old_typed_item(const kin_test_typed *of)
{
    return make(&old_class, of);
}
