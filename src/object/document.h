/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document class: any Kubernetes object, in one allocation. The bytes of its tape are the key
 * "namespace/name" with its terminator, and one value, a map: what is read most often is close to
 * the head.
 */
#ifndef KIN_OBJECT_DOCUMENT_H
#define KIN_OBJECT_DOCUMENT_H

#include "base/compiler.h"
#include "kinform/object.h"
#include "object/tape.h"

typedef struct kin__document {
    kin_object base;
    uint32_t namespace_len;
    uint32_t name_len;
    kin__tape tape;
} kin__document;

extern const kin_object_class kin__document_class;

/*
 * A block with one reference and its key, with room for the map's bytes and the table, which are
 * the caller's to fill in. NULL: no memory.
 */
kin__document *kin__document_new(kin_str namespace_, kin_str name, uint32_t refs_len, uint32_t len,
                                 uint8_t **ret_bytes);

/*
 * The document behind an object, or NULL if it is something else. A tombstone stands for its last
 * state.
 */
const kin__document *kin__document_of(const kin_object *object);

/* The document of a root tape: those with a NAME or NAMESPACE tag in them. */
static inline const kin__document *kin__document_of_tape(const kin__tape *tape)
{
    const char *base = (const char *)tape - offsetof(kin__document, tape);

    return (const kin__document *)(const void *)base;
}

static inline kin_str kin__document_key(const kin__document *document)
{
    return kin_str_make((const char *)kin__tape_bytes(&document->tape),
                        (size_t)document->namespace_len + (document->namespace_len > 0) +
                            document->name_len);
}

/* The bytes of its block. Shared values are not counted. */
static inline size_t kin__document_size(const kin__document *document)
{
    return sizeof(*document) + kin__tape_size(document->tape.len, document->tape.refs_len);
}

/* The map. */
static inline const uint8_t *kin__document_root(const kin__document *document)
{
    return kin__tape_bytes(&document->tape) + kin__document_key(document).len + 1;
}

static inline kin_str kin__document_namespace(const kin__document *document)
{
    return kin_str_make(kin__document_key(document).data, document->namespace_len);
}

static inline kin_str kin__document_name(const kin__document *document)
{
    kin_str key = kin__document_key(document);

    return kin_str_make(key.data + key.len - document->name_len, document->name_len);
}

#endif
