/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document class. compact.c makes the blocks; here is what every object can be asked.
 */
#include "object/document.h"

#include "base/memory.h"
#include "object/fingerprint.h"
#include "object/shared.h"

static const kin__document *from_object(const kin_object *object)
{
    return (const kin__document *)(const void *)object;
}

static kin_str document_key(const kin_object *object)
{
    return kin__document_key(from_object(object));
}

static kin_str document_namespace(const kin_object *object)
{
    return kin__document_namespace(from_object(object));
}

static kin_str document_name(const kin_object *object)
{
    return kin__document_name(from_object(object));
}

static kin_value metadata_of(const kin_object *object)
{
    return kin__value_get_built_in(kin_object_root(object), KIN__KEY_METADATA);
}

/* compact.c keeps these strings unpacked, so the scratch is never used. */
static bool plain_string(kin_value value, kin_str *ret)
{
    kin_scratch unused;

    return kin_value_string(ret, value, &unused) == 0;
}

static kin_str document_resource_version(const kin_object *object)
{
    kin_str version = {NULL, 0};

    plain_string(kin__value_get_built_in(metadata_of(object), KIN__KEY_RESOURCE_VERSION), &version);
    return version;
}

static bool document_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    kin_value labels = kin__value_get_built_in(metadata_of(object), KIN__KEY_LABELS);

    return plain_string(kin_value_get(labels, key), ret_value);
}

static void document_destroy(kin_object *object)
{
    kin__document *document = (kin__document *)(void *)object;

    kin__shared_unref_all(&document->tape);
    kin__free(document);
}

const kin_object_class kin__document_class = {
    .size = sizeof(kin_object_class),
    .name = "document",
    .key = document_key,
    .get_namespace = document_namespace,
    .get_name = document_name,
    .resource_version = document_resource_version,
    .label = document_label,
    .destroy = document_destroy,
    .hash = kin__document_fingerprint,
};

kin__document *kin__document_new(kin_str namespace_, kin_str name, uint32_t refs_len, uint32_t len,
                                 uint8_t **ret_bytes)
{
    size_t key_size = namespace_.len + (namespace_.len > 0) + name.len + 1;
    kin__document *document =
        kin__malloc(sizeof(kin__document) + kin__tape_size(key_size + len, refs_len));

    if (!document)
        return NULL;
    kin_object_init(&document->base, &kin__document_class, NULL);
    document->namespace_len = (uint32_t)namespace_.len;
    document->name_len = (uint32_t)name.len;
    document->tape.len = (uint32_t)key_size + len;
    document->tape.refs_len = refs_len;

    char *key = (char *)kin__tape_new_bytes(&document->tape);

    if (namespace_.len > 0) {
        memcpy(key, namespace_.data, namespace_.len);
        key += namespace_.len;
        *key++ = '/';
    }
    if (name.len > 0)
        memcpy(key, name.data, name.len);
    key[name.len] = '\0';
    *ret_bytes = (uint8_t *)key + name.len + 1;
    return document;
}

const kin__document *kin__document_of(const kin_object *object)
{
    if (!object)
        return NULL;
    if (object->object_class != &kin__document_class) {
        const kin_object *last = NULL;

        if (!kin_object_is_tombstone(object, &last) || !last ||
            last->object_class != &kin__document_class)
            return NULL;
        object = last;
    }
    return from_object(object);
}
