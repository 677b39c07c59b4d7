/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of any class, and the two small classes that stand for others: explicit keys and
 * tombstones.
 *
 * | operation | order   | why                                                     |
 * |-----------|---------|---------------------------------------------------------|
 * | ref       | relaxed | the caller has a reference: the object is visible to it |
 * | unref     | acq_rel | all uses happen before the destruction                  |
 *
 * The count is a plain field, since C++ programs include the header; it is touched here only,
 * atomically.
 */
#include "object/object.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/document.h"

/* A count this high can only come from a leak. */
#define REFS_MAX (UINT32_MAX / 2)

int kin_object_init(kin_object *object, const kin_object_class *object_class, kin_error *err)
{
    if (!object || !object_class)
        return kin__error_null(err, !object ? "object" : "object_class");
    /* Classes that were compiled before there was a hash function end before it. */
    if (object_class->size < offsetof(kin_object_class, hash) || !object_class->key ||
        !object_class->destroy)
        return kin_error_set(err, KIN_EINVAL, "a class needs its size, key and destroy");
    object->object_class = object_class;
    object->refs = 1;
    object->flags = 0;
    return 0;
}

/* References are not part of an object's state, which is what const speaks of. */
static kin_object *counted(const kin_object *object)
{
    return kin__unconst(object);
}

const kin_object *kin_object_ref(const kin_object *object)
{
    if (object) {
        uint32_t before = __atomic_fetch_add(&counted(object)->refs, 1, __ATOMIC_RELAXED);

        kin__assert(before > 0 && before < REFS_MAX);
        (void)before;
    }
    return object;
}

void kin_object_unref(const kin_object *object)
{
    if (!object)
        return;

    uint32_t before = __atomic_fetch_sub(&counted(object)->refs, 1, __ATOMIC_ACQ_REL);

    kin__assert(before > 0 && before <= REFS_MAX);
    if (before == 1)
        object->object_class->destroy(counted(object));
}

const kin_object_class *kin_object_get_class(const kin_object *object)
{
    return object ? object->object_class : NULL;
}

kin_str kin__object_key(const kin_object *object)
{
    return object->object_class->key(object);
}

const char *kin_object_key(const kin_object *object)
{
    return object ? kin__object_key(object).data : "";
}

/* "namespace/name" cut in two; without a slash all is name. */
static void split_key(kin_str key, kin_str *ret_namespace, kin_str *ret_name)
{
    size_t slash = kin__str_find(key, '/');

    if (slash == key.len) {
        *ret_namespace = kin_str_make(key.data, 0);
        *ret_name = key;
    } else {
        *ret_namespace = kin_str_make(key.data, slash);
        *ret_name = kin_str_make(key.data + slash + 1, key.len - slash - 1);
    }
}

kin_str kin_object_namespace(const kin_object *object)
{
    kin_str namespace_;
    kin_str name;

    if (!object)
        return kin_str_make(NULL, 0);
    if (object->object_class->get_namespace)
        return object->object_class->get_namespace(object);
    split_key(kin__object_key(object), &namespace_, &name);
    return namespace_;
}

kin_str kin_object_name(const kin_object *object)
{
    kin_str namespace_;
    kin_str name;

    if (!object)
        return kin_str_make(NULL, 0);
    if (object->object_class->get_name)
        return object->object_class->get_name(object);
    split_key(kin__object_key(object), &namespace_, &name);
    return name;
}

kin_str kin_object_resource_version(const kin_object *object)
{
    if (!object || !object->object_class->resource_version)
        return kin_str_make(NULL, 0);
    return object->object_class->resource_version(object);
}

bool kin_object_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    kin_str value;

    if (!object || !object->object_class->label ||
        !object->object_class->label(object, key, &value))
        return false;
    if (ret_value)
        *ret_value = value;
    return true;
}

bool kin__object_field(const kin_object *object, kin_str path, kin_scratch *scratch,
                       kin_str *ret_value)
{
    kin_value value = kin_object_root(object);
    kin_str key;
    bool flag;

    /* What objects of any class have. */
    if (kin_str_equal(path, kin_str_of("metadata.name"))) {
        *ret_value = kin_object_name(object);
        return true;
    }
    if (kin_str_equal(path, kin_str_of("metadata.namespace"))) {
        *ret_value = kin_object_namespace(object);
        return true;
    }
    while (kin__str_cut(&path, '.', &key))
        value = kin_value_get(value, key);
    if (kin_value_string(ret_value, value, scratch) == 0 ||
        kin_value_number(ret_value, value, scratch) == 0)
        return true;
    if (kin_value_bool(&flag, value) != 0)
        return false;
    *ret_value = flag ? kin_str_of("true") : kin_str_of("false");
    return true;
}

/* Both small classes: a key, and for tombstones a last known state. */
struct keyed {
    kin_object base;
    const kin_object *last; /* SHARED or NULL */
    size_t key_len;
    char key[];
};

static const struct keyed *keyed_of(const kin_object *object)
{
    return (const struct keyed *)(const void *)object;
}

static kin_str keyed_key(const kin_object *object)
{
    return kin_str_make(keyed_of(object)->key, keyed_of(object)->key_len);
}

static void keyed_destroy(kin_object *object)
{
    kin_object_unref(keyed_of(object)->last);
    kin__free(object);
}

static kin_str tombstone_resource_version(const kin_object *object)
{
    const kin_object *last = keyed_of(object)->last;

    return last ? kin_object_resource_version(last) : kin_str_make(NULL, 0);
}

static bool tombstone_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const kin_object *last = keyed_of(object)->last;

    return last && kin_object_label(last, key, ret_value);
}

static const kin_object_class explicit_key_class = {
    .size = sizeof(kin_object_class),
    .name = "explicit key",
    .key = keyed_key,
    .destroy = keyed_destroy,
};

static const kin_object_class tombstone_class = {
    .size = sizeof(kin_object_class),
    .name = "tombstone",
    .key = keyed_key,
    .resource_version = tombstone_resource_version,
    .label = tombstone_label,
    .destroy = keyed_destroy,
};

static int keyed_new(const kin_object **ret, const kin_object_class *object_class, kin_str key,
                     const kin_object *last, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");
    if (key.len > 0 && memchr(key.data, '\0', key.len))
        return kin_error_set(err, KIN_EINVAL, "a zero byte in a key");

    struct keyed *keyed = kin__malloc(sizeof(*keyed) + key.len + 1);

    if (!keyed)
        return kin__error_no_memory(err);
    kin_object_init(&keyed->base, object_class, NULL);
    keyed->last = kin_object_ref(last);
    keyed->key_len = key.len;
    if (key.len > 0)
        memcpy(keyed->key, key.data, key.len);
    keyed->key[key.len] = '\0';
    *ret = &keyed->base;
    return 0;
}

int kin_explicit_key_new(const kin_object **ret, kin_str key, kin_error *err)
{
    return keyed_new(ret, &explicit_key_class, key, NULL, err);
}

int kin_tombstone_new(const kin_object **ret, kin_str key, const kin_object *last_known,
                      kin_error *err)
{
    /* What is known of a tombstone is what it knew: there is never a chain of them. */
    if (last_known)
        kin_object_is_tombstone(last_known, &last_known);
    return keyed_new(ret, &tombstone_class, key, last_known, err);
}

bool kin_object_is_tombstone(const kin_object *object, const kin_object **ret_last)
{
    if (!object || object->object_class != &tombstone_class)
        return false;
    if (ret_last)
        *ret_last = keyed_of(object)->last;
    return true;
}

int kin_meta_namespace_key(const char **ret, const kin_object *object, kin_error *err)
{
    if (!ret || !object)
        return kin__error_null(err, !ret ? "ret" : "object");
    if (kin_object_is_tombstone(object, NULL))
        return kin_error_set(err, KIN_ETYPE, "a tombstone has no metadata: %s",
                             kin_object_key(object));
    *ret = kin_object_key(object);
    return 0;
}
