/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A document's bytes are hashed as they lie in memory, not by what they mean: to be read, a tape must
 * be valid, and after a stray write it may not be. Shared values are followed through the tables of
 * tapes, as deep as values can be inside each other, with a stack.
 */
#include "object/fingerprint.h"

#include "base/assert.h"
#include "base/hash.h"
#include "object/document.h"
#include "object/limits.h"
#include "object/object.h"
#include "object/shared.h"

static uint64_t mix(uint64_t hash, const void *bytes, size_t len)
{
    return kin__hash(hash, bytes, len);
}

static uint64_t mix_tape(uint64_t hash, const kin__tape *tape)
{
    hash = mix(hash, tape, sizeof(*tape));
    hash = mix(hash, kin__tape_bytes(tape), tape->len);
    return mix(hash, kin__tape_refs(tape), tape->refs_len * sizeof(void *));
}

/* Where the walk through the shared values of a tape is. */
struct level {
    const kin__tape *tape;
    uint32_t next;
};

uint64_t kin__document_fingerprint(const kin_object *object)
{
    const kin__document *document = kin__document_of(object);
    struct level stack[KIN__DEPTH_MAX + 2];
    unsigned depth = 1;
    uint64_t hash = kin__hash_seed();

    hash = mix(hash, &document->namespace_len, sizeof(document->namespace_len));
    hash = mix(hash, &document->name_len, sizeof(document->name_len));
    hash = mix_tape(hash, &document->tape);
    stack[0] = (struct level){&document->tape, 0};
    while (depth > 0) {
        struct level *level = &stack[depth - 1];
        const kin__tape *tape;

        if (level->next == level->tape->refs_len) {
            depth--;
            continue;
        }
        tape = &kin__tape_refs(level->tape)[level->next++]->tape;
        hash = mix_tape(hash, tape);
        kin__assert(depth < KIN__DEPTH_MAX + 2);
        stack[depth++] = (struct level){tape, 0};
    }
    return hash;
}

uint64_t kin__object_fingerprint(const kin_object *object)
{
    const kin_object_class *object_class = object->object_class;
    kin_str key = kin__object_key(object);
    kin_str version = kin_object_resource_version(object);

    if (kin__class_has(object_class, hash))
        return object_class->hash(object);
    return mix(mix(kin__hash_seed(), key.data, key.len), version.data, version.len);
}
