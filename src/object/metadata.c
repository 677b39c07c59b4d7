/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata by the ids of the dictionary, which are known at compile time: a few comparisons of
 * bytes, no hash. Objects of the program's own classes have functions for some of it.
 */
#include "kinform/metadata.h"

#include "object/document.h"
#include "object/object.h"
#include "object/tape.h"

/* --- what other classes may have, too --- */

static kin_str none(const kin_object *object)
{
    (void)object;
    return (kin_str){NULL, 0};
}

/* The function of the class of an object that is not a document, or none(). */
#define function_of(object, function)                                                              \
    (kin__class_has((object)->object_class, function) ? (object)->object_class->function : none)

/*
 * The object whose class has to be asked: of a tombstone the last state. NULL for documents, which
 * are read below, and for tombstones without a state.
 */
static const kin_object *find_custom(const kin_object *object)
{
    kin_object_is_tombstone(object, &object);
    return object && object->object_class != &kin__document_class ? object : NULL;
}

static kin_value get_metadata(const kin_object *object, enum kin__key key)
{
    return kin__value_get_built_in(
        kin__value_get_built_in(kin_object_root(object), KIN__KEY_METADATA), key);
}

static kin_str string_or_empty(kin_value value, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};

    kin_value_string(&text, value, scratch);
    return text;
}

kin_str kin_object_api_version(const kin_object *object, kin_scratch *scratch)
{
    const kin_object *custom = find_custom(object);

    if (custom)
        return function_of(custom, api_version)(custom);
    return string_or_empty(kin__value_get_built_in(kin_object_root(object), KIN__KEY_API_VERSION),
                           scratch);
}

kin_str kin_object_kind(const kin_object *object, kin_scratch *scratch)
{
    const kin_object *custom = find_custom(object);

    if (custom)
        return function_of(custom, kind)(custom);
    return string_or_empty(kin__value_get_built_in(kin_object_root(object), KIN__KEY_KIND),
                           scratch);
}

kin_str kin_object_uid(const kin_object *object, kin_scratch *scratch)
{
    const kin_object *custom = find_custom(object);

    if (custom)
        return function_of(custom, uid)(custom);
    return string_or_empty(get_metadata(object, KIN__KEY_UID), scratch);
}

kin_str kin_object_continue_token(const kin_object *list, kin_scratch *scratch)
{
    const kin_object *custom = find_custom(list);

    if (custom)
        return function_of(custom, continue_token)(custom);
    return string_or_empty(
        kin_value_get(kin__value_get_built_in(kin_object_root(list), KIN__KEY_METADATA),
                      kin_str_of("continue")),
        scratch);
}

kin_str kin_object_generate_name(const kin_object *object, kin_scratch *scratch)
{
    return string_or_empty(get_metadata(object, KIN__KEY_GENERATE_NAME), scratch);
}

int64_t kin_object_generation(const kin_object *object)
{
    int64_t generation = 0;

    kin_value_int64(&generation, get_metadata(object, KIN__KEY_GENERATION));
    return generation;
}

int kin_object_creation_timestamp(kin_time *ret, const kin_object *object)
{
    if (!ret || !object)
        return KIN_EINVAL;
    return kin_value_time(ret, get_metadata(object, KIN__KEY_CREATION_TIMESTAMP));
}

int kin_object_deletion_timestamp(kin_time *ret, const kin_object *object)
{
    if (!object)
        return KIN_EINVAL;

    kin_time time;
    int code = kin_value_time(&time, get_metadata(object, KIN__KEY_DELETION_TIMESTAMP));

    if (code == 0 && ret)
        *ret = time;
    return code;
}

kin_value kin_object_labels(const kin_object *object)
{
    return get_metadata(object, KIN__KEY_LABELS);
}

kin_value kin_object_annotations(const kin_object *object)
{
    return get_metadata(object, KIN__KEY_ANNOTATIONS);
}

int kin_object_annotation(kin_str *ret, const kin_object *object, kin_str key, kin_scratch *scratch)
{
    const kin_object *custom;
    kin_str value;

    if (!ret || !object || !scratch)
        return KIN_EINVAL;
    custom = find_custom(object);
    if (!custom)
        return kin_value_string(ret, kin_value_get(kin_object_annotations(object), key), scratch);
    if (!kin__class_has(custom->object_class, annotation) ||
        !custom->object_class->annotation(custom, key, &value))
        return KIN_ENOTFOUND;
    *ret = value;
    return 0;
}

kin_value kin_object_finalizers(const kin_object *object)
{
    return get_metadata(object, KIN__KEY_FINALIZERS);
}

bool kin_object_has_finalizer(const kin_object *object, kin_str name)
{
    kin_scratch scratch;
    kin_str text;
    kin_iter it;

    for (kin_iter_init(&it, kin_object_finalizers(object)); kin_iter_next(&it);) {
        if (!it.is_map && kin_value_string(&text, it.value, &scratch) == 0 &&
            kin_str_equal(text, name))
            return true;
    }
    return false;
}

kin_value kin_object_owner_references(const kin_object *object)
{
    return get_metadata(object, KIN__KEY_OWNER_REFERENCES);
}

int kin_owner_reference_get(kin_owner_reference *ret, kin_value reference)
{
    if (!ret)
        return KIN_EINVAL;

    enum kin_type type = kin_value_type(reference);

    if (type != KIN_MAP)
        return type == KIN_NONE ? KIN_ENOTFOUND : KIN_ETYPE;
    ret->api_version =
        string_or_empty(kin__value_get_built_in(reference, KIN__KEY_API_VERSION), &ret->scratch[0]);
    ret->kind =
        string_or_empty(kin__value_get_built_in(reference, KIN__KEY_KIND), &ret->scratch[1]);
    ret->name =
        string_or_empty(kin__value_get_built_in(reference, KIN__KEY_NAME), &ret->scratch[2]);
    ret->uid = string_or_empty(kin__value_get_built_in(reference, KIN__KEY_UID), &ret->scratch[3]);
    ret->controller = false;
    kin_value_bool(&ret->controller, kin__value_get_built_in(reference, KIN__KEY_CONTROLLER));
    ret->block_owner_deletion = false;
    kin_value_bool(&ret->block_owner_deletion,
                   kin__value_get_built_in(reference, KIN__KEY_BLOCK_OWNER_DELETION));
    return 0;
}

int kin_object_controller(kin_owner_reference *ret, const kin_object *object)
{
    kin_iter it;
    bool controller;

    if (!ret || !object)
        return KIN_EINVAL;
    for (kin_iter_init(&it, kin_object_owner_references(object)); kin_iter_next(&it);) {
        if (kin_value_bool(&controller, kin__value_get_built_in(it.value, KIN__KEY_CONTROLLER)) ==
                0 &&
            controller)
            return kin_owner_reference_get(ret, it.value);
    }
    return KIN_ENOTFOUND;
}
