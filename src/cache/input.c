/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/input.h"

#include "base/error.h"
#include "base/mutex.h"
#include "object/object.h"

int kin__key_check(kin_str key, kin_error *err)
{
    if (key.len == 0)
        return kin_error_set(err, KIN_EINVAL, "an object without a name has no key");
    if (key.len > KIN_KEY_BYTES_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a key of %zu bytes; %d are the limit", key.len,
                             KIN_KEY_BYTES_MAX);
    return 0;
}

/* What a callback may not return is an error of its own. */
static int checked(int code, const char *what, kin_error *err)
{
    return code <= 0 ? code : kin_error_set(err, KIN_EINVAL, "the %s returned %d", what, code);
}

int kin__input_key(kin_key_fn *fn, void *arg, const kin_object *object, kin_str *ret,
                   kin_error *err)
{
    kin_str key = {NULL, 0};
    int code = 0;

    if (!object)
        return kin_error_set(err, KIN_EINVAL, "object is NULL");
    if (fn && !kin_object_is_tombstone(object, NULL)) {
        kin__assert_no_locks();
        code = checked(fn(object, &key, arg, err), "key function", err);
    } else {
        key = kin__object_key(object);
    }
    if (code == 0)
        code = kin__key_check(key, err);
    if (code == 0)
        *ret = key;
    return code;
}

/* Run a transformer, or take a reference if `fn` is NULL. */
static int input_transform(kin_transform_fn *fn, void *arg, const kin_object *object,
                           const kin_object **ret, kin_error *err)
{
    const kin_object *made = NULL;
    int code;

    if (!fn || kin_object_is_tombstone(object, NULL)) {
        *ret = kin_object_ref(object);
        return 0;
    }
    kin__assert_no_locks();
    code = checked(fn(object, &made, arg, err), "transformer", err);
    if (code < 0)
        return code;
    if (!made)
        return kin_error_set(err, KIN_EINVAL, "the transformer gave no object");
    *ret = made;
    return 0;
}

int kin__input(const kin__input_fns *fns, const kin_object *object, const kin_object **ret,
               kin_str *ret_key, kin_error *err)
{
    const kin_object *made = NULL;
    kin_str before = {NULL, 0};
    kin_str after = {NULL, 0};
    int code = kin__input_key(fns->key, fns->key_arg, object, &before, err);

    if (code == 0)
        code = input_transform(fns->transform, fns->transform_arg, object, &made, err);
    if (code < 0)
        return code;
    after = before;
    if (made != object)
        code = kin__input_key(fns->key, fns->key_arg, made, &after, err);
    if (code < 0) {
        kin_object_unref(made);
        return code;
    }
    if (fns->renames && made != object && !kin_str_equal(before, after))
        atomic_store_explicit(fns->renames, true, memory_order_relaxed);
    *ret = made;
    *ret_key = after;
    return 0;
}

int kin__input_deleted(const kin__input_fns *fns, const kin_object *object, const kin_object **ret,
                       kin_str *ret_key, kin_error *err)
{
    const kin_object *tombstone = NULL;
    kin_str key = {NULL, 0};
    kin_error why;
    int code;

    kin__error_begin(&why);
    code = kin__input(fns, object, ret, ret_key, &why);
    if (code == 0)
        return 0;
    if (!fns->transform || atomic_load_explicit(fns->renames, memory_order_relaxed) ||
        kin__input_key(fns->key, fns->key_arg, object, &key, NULL) < 0)
        return kin__error_pass(err, code, &why);
    code = kin_tombstone_new(&tombstone, key, object, err);
    if (code < 0)
        return code;
    *ret = tombstone;
    *ret_key = kin__object_key(tombstone);
    return 0;
}

kin_str kin__input_version(const kin_object *object)
{
    kin_str version = kin_object_is_tombstone(object, NULL) ? kin_str_make(NULL, 0)
                                                            : kin_object_resource_version(object);

    return version.len <= KIN_RESOURCE_VERSION_BYTES_MAX ? version : kin_str_make(NULL, 0);
}

int kin__resource_version_check(kin_str resource_version, kin_error *err)
{
    if (resource_version.len > KIN_RESOURCE_VERSION_BYTES_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a resource version of %zu bytes; %d are the limit",
                             resource_version.len, KIN_RESOURCE_VERSION_BYTES_MAX);
    return 0;
}
