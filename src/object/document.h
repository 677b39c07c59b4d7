/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document class: any Kubernetes object, in one allocation. The block holds, in this order, the table of
 * shared values, the bytes of the tape (one value, a map), and the key "namespace/name" with its terminator.
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

/* A block with one reference; tape and key are the caller's to fill in. NULL: no memory. */
kin__document *kin__document_new(kin_str namespace_, kin_str name, uint32_t refs_len, uint32_t len);

/* The document behind an object, or NULL if it is something else. A tombstone stands for its last state. */
const kin__document *kin__document_of(const kin_object *object);

/* The document of a root tape: those with a NAME or NAMESPACE tag in them. */
static inline const kin__document *kin__document_of_tape(const kin__tape *tape)
{
    const char *base = (const char *)tape - offsetof(kin__document, tape);

    return (const kin__document *)(const void *)base;
}

static inline const char *kin__document_key(const kin__document *document)
{
    return (const char *)kin__tape_bytes(&document->tape) + document->tape.len;
}

static inline kin_str kin__document_namespace(const kin__document *document)
{
    return kin_str_make(kin__document_key(document), document->namespace_len);
}

static inline kin_str kin__document_name(const kin__document *document)
{
    const char *key = kin__document_key(document);

    return kin_str_make(key + document->namespace_len + (document->namespace_len > 0),
                        document->name_len);
}

#endif
