/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A draft: a document while it is being made, as a flat array of nodes in document order.
 *
 * Readers of text (JSON, YAML) and the editor fill a draft; compact.c makes the immutable document
 * of it. The draft is the only way to a document, so what is shared and how values are packed is
 * decided in one place.
 *
 * A map or array that has elements is followed by them and by a KIN__NODE_END; its `span` counts
 * the nodes of the subtree, itself and the end included, so a walk can step over it from both
 * sides. A member carries its key: the id of a dictionary key, or KIN__KEY_TEXT, and then the node
 * before it is a KIN__NODE_KEY with the text.
 *
 * Texts are BORROWED until the draft is finished or reset: from the input, from an object, or from
 * the draft's own arena. One thread at a time; a draft is meant to be reused.
 */
#ifndef KIN_OBJECT_DRAFT_H
#define KIN_OBJECT_DRAFT_H

#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "kinform/value.h"
#include "object/keys.h"
#include "object/limits.h"
#include "object/sightings.h"

struct kin__shared;

enum kin__node_type {
    KIN__NODE_NULL, /* `len`: of something that stood here, was known and is not kept, the height */
    KIN__NODE_FALSE,
    KIN__NODE_TRUE,
    KIN__NODE_INTEGER, /* fits int64 and is written as its shortest decimal text; never "-0" */
    KIN__NODE_NUMBER,  /* any other number, by its text */
    KIN__NODE_STRING,
    KIN__NODE_ARRAY,
    KIN__NODE_MAP,
    KIN__NODE_WORD,   /* a string of the dictionary; `len` is its id */
    KIN__NODE_SHARED, /* a value of the pool; `len` is its number among the draft's held ones */
    KIN__NODE_END,    /* of a map or array; `span` goes back to its node */
    KIN__NODE_KEY,    /* the text of the next node's key */
};

/* A string that has to stay as it is: the document class hands out views of it. */
#define KIN__NODE_PLAIN 0x1u
/* The document's own name or namespace, which its key holds. */
#define KIN__NODE_IS_NAME 0x2u
#define KIN__NODE_IS_NAMESPACE 0x4u
/* A later member has the same key. */
#define KIN__NODE_REPLACED 0x8u
/* Nothing: it only replaces an earlier member with its key, and goes with it. */
#define KIN__NODE_DROPPED 0x10u

typedef struct kin__node {
    uint8_t type; /* enum kin__node_type */
    uint8_t flags;
    uint16_t key;  /* dictionary id, KIN__KEY_TEXT, or KIN__KEY_NONE for items and the root */
    uint32_t span; /* maps, arrays, ends: nodes of the subtree; others 1 */
    union {
        const char *text; /* STRING, NUMBER, KEY: `len` bytes */
        int64_t integer;  /* INTEGER */
        const struct kin__shared *shared;
        struct {
            uint16_t size; /* MAP, ARRAY: about how many bytes its content takes, or UINT16_MAX */
            uint16_t form; /* what its text is: see raw_cache.h */
            uint32_t raw;  /* where its text begins in the input */
        } container;
    } u;
    uint32_t len;  /* of MAP and ARRAY: of their text, 0 if there is none */
    uint32_t hash; /* of the content, seeded; equal contents in equal order have equal ones */
} kin__node;

/* An open map or array. */
struct kin__draft_frame {
    uint64_t hash;     /* of the elements so far */
    uint64_t key_hash; /* of the map or array in what is around it */
    uint32_t size;     /* about how many bytes its content takes */
    uint64_t seen[4];  /* which of the built-in keys were there */
    uint64_t others;   /* of other keys: a bit of their hash */
    uint32_t node;     /* its index */
    bool duplicate;    /* some key may be there twice */
};

/* A shared value that the draft holds a reference to. */
struct kin__draft_held {
    const struct kin__shared *shared;
    uint32_t number; /* in the table of the tape that is being written, or KIN__UNUSED */
    uint32_t order;  /* of the n-th entry: which one has the number n in that table */
};
#define KIN__UNUSED UINT32_MAX

struct kin__arena_chunk;

typedef struct kin__draft {
    kin__node *nodes;
    size_t len;
    size_t cap;
    size_t text_len;    /* bytes of all texts, at least */
    size_t text_keys;   /* KEY nodes, at most */
    uint64_t seed;      /* const after init */
    unsigned depth;     /* of open frames */
    unsigned depth_max; /* const after init */
    uint16_t key;       /* of the next value */
    uint64_t key_hash;  /* of the next value's key */
    struct kin__arena_chunk *arena;
    size_t arena_left;
    uint32_t *slots; /* scratch of the search for duplicate keys */
    size_t slots_cap;
    struct kin__draft_held *held;
    size_t held_len;
    size_t held_cap;
    uint32_t origin; /* of the document: a hash of its name, for sightings */
    struct kin__raw_cache
        *raw_cache;       /* BORROWED or NULL: told of every text that is a shared value */
    const char *raw_text; /* what nodes' u.container.raw counts from */
    uint8_t *bytes;       /* scratch of compact.c, filled from its end */
    size_t bytes_cap;
    struct kin__draft_frame frames[KIN__FRAMES_MAX];
} kin__draft;

/* The struct is large (some 40 KB): allocate it. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__draft_init(kin__draft *draft, unsigned depth_max, kin_error *err);
void kin__draft_done(kin__draft *draft);
/* Overwrite the texts of the arena, which are gone then: somebody's secrets were among them. */
void kin__draft_wipe(kin__draft *draft);
/* Forget all content, keep the memory (up to a bound) for the next document. */
void kin__draft_reset(kin__draft *draft);

/*
 * Adding values, in document order. Inside a map each value is preceded by its key. A key that
 * occurs again in the same map replaces the earlier member. Texts are BORROWED until finish or
 * reset and must be valid UTF-8, number texts valid JSON numbers. All return 0, KIN_ENOMEM,
 * KIN_ELIMIT (too deep, too large).
 */
int kin__draft_key(kin__draft *draft, kin_str key, kin_error *err);
int kin__draft_null(kin__draft *draft, kin_error *err);
int kin__draft_bool(kin__draft *draft, bool value, kin_error *err);
int kin__draft_integer(kin__draft *draft, int64_t value, kin_error *err);
int kin__draft_number(kin__draft *draft, kin_str text, kin_error *err);
int kin__draft_string(kin__draft *draft, kin_str text, kin_error *err);
int kin__draft_begin_map(kin__draft *draft, kin_error *err);
int kin__draft_begin_array(kin__draft *draft, kin_error *err);
/* Closes the innermost open map or array. */
int kin__draft_end(kin__draft *draft, kin_error *err);
/* A copy of a value; its object must live until finish or reset. Not KIN_NONE. */
int kin__draft_value(kin__draft *draft, kin_value value, kin_error *err);

/* Memory for a text, valid until finish or reset. NULL when there is none. */
char *kin__draft_alloc(kin__draft *draft, size_t len);

/*
 * Put apiVersion and kind in front of a complete map that does not have them; an empty one is not
 * added. 0, KIN_ENOMEM, KIN_ELIMIT.
 */
int kin__draft_add_type(kin__draft *draft, kin_str api_version, kin_str kind, kin_error *err);

/*
 * Make the document. Everything must be closed and the root must be a map (KIN_EINVAL otherwise).
 * The draft is reset, on failure too. 0, KIN_EINVAL, KIN_ENOMEM, KIN_ELIMIT.
 */
int kin__draft_finish(kin__draft *draft, const kin_object **ret, kin_error *err);

/* --- what compact.c and the JSON decoder share with draft.c --- */

/* How deep the maps and arrays of the subtree at a node are inside each other. */
unsigned kin__draft_height(const kin__draft *draft, size_t first);
/* Why there was no room for a node: KIN_ENOMEM or KIN_ELIMIT. */
int kin__draft_push_code(const kin__draft *draft);
/* Room for one more node. KIN_ENOMEM or KIN_ELIMIT. */
int kin__draft_grow(kin__draft *draft);
/* Add a shared value, with the caller's reference, which is CONSUMED. 0, KIN_ENOMEM, KIN_ELIMIT. */
int kin__draft_add_shared(kin__draft *draft, const struct kin__shared *shared);
/*
 * Take over the caller's reference to a shared value; the number under which it is held. 0,
 * KIN_ENOMEM.
 */
int kin__draft_hold(kin__draft *draft, const struct kin__shared *shared, uint32_t *ret_number);
/* Removes earlier members whose keys come again in the innermost frame. 0, KIN_ENOMEM. */
int kin__draft_drop_duplicates(kin__draft *draft);

static inline uint64_t kin__mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

/* The next node, cleared except for its type and key; NULL when there is no memory. */
static inline kin__node *kin__draft_push(kin__draft *draft, enum kin__node_type type)
{
    if (kin__unlikely(draft->len == draft->cap) && kin__draft_grow(draft) < 0)
        return NULL;

    kin__node *node = &draft->nodes[draft->len++];

    node->type = (uint8_t)type;
    node->flags = 0;
    node->key = draft->key;
    node->span = 1;
    node->len = 0;
    return node;
}

/* The value that was just added is complete: the innermost frame takes account of it. */
static inline void kin__draft_added(kin__draft *draft, uint32_t hash, size_t size)
{
    if (kin__likely(draft->depth > 0)) {
        struct kin__draft_frame *frame = &draft->frames[draft->depth - 1];

        frame->hash = kin__mix(frame->hash ^ draft->key_hash, hash);
        frame->size += (uint32_t)size; /* all texts together fit */
    }
}

static inline void kin__draft_note_key(uint64_t *seen, unsigned bit, bool *duplicate)
{
    uint64_t mask = UINT64_C(1) << (bit & 63);

    *duplicate |= (*seen & mask) != 0;
    *seen |= mask;
}

/* Notes a dictionary key for the next value. */
static inline void kin__draft_set_key(kin__draft *draft, uint16_t id)
{
    struct kin__draft_frame *frame = &draft->frames[draft->depth - 1];

    /* A learnt key may stand in the same map spelled out, from before: both go by the hash. */
    if (kin__likely(id < 64 * kin__array_len(frame->seen)))
        kin__draft_note_key(&frame->seen[id >> 6], id, &frame->duplicate);
    else
        kin__draft_note_key(&frame->others, kin__key_entries[id].hash, &frame->duplicate);
    draft->key = id;
    draft->key_hash = (uint64_t)(id + 1u) * UINT64_C(0xd6e8feb86659fd93);
}

/* Notes a key that is not in the dictionary; `node` is its KIN__NODE_KEY. */
static inline void kin__draft_set_text_key(kin__draft *draft, kin__node *node, kin_str key,
                                           uint32_t hash)
{
    struct kin__draft_frame *frame = &draft->frames[draft->depth - 1];

    node->u.text = key.data;
    node->len = (uint32_t)key.len;
    node->hash = hash;
    draft->text_len += key.len;
    draft->text_keys++;
    frame->size += (uint32_t)key.len + 2;
    kin__draft_note_key(&frame->others, hash, &frame->duplicate);
    draft->key = KIN__KEY_TEXT;
    draft->key_hash = hash;
}

/*
 * Opens a map or array, whose node is then the last one. False: no memory; too deep is the caller's
 * to check.
 */
static inline bool kin__draft_open(kin__draft *draft, enum kin__node_type type)
{
    kin__node *node = kin__draft_push(draft, type);

    if (kin__unlikely(!node))
        return false;

    struct kin__draft_frame *frame = &draft->frames[draft->depth++];

    frame->key_hash = draft->key_hash;
    frame->hash = draft->seed + type;
    frame->size = 2;
    memset(frame->seen, 0, sizeof(frame->seen));
    frame->others = 0;
    frame->node = (uint32_t)(draft->len - 1);
    frame->duplicate = false;
    draft->key = KIN__KEY_NONE;
    draft->key_hash = 0;
    return true;
}

/* Closes the innermost map or array. 0, KIN_ENOMEM, KIN_ELIMIT. */
static inline int kin__draft_close(kin__draft *draft)
{
    struct kin__draft_frame *frame = &draft->frames[draft->depth - 1];

    if (kin__unlikely(frame->duplicate)) {
        int code = kin__draft_drop_duplicates(draft);

        if (code < 0)
            return code;
    }
    uint32_t span = (uint32_t)draft->len - frame->node;

    if (span > 1) {
        kin__node *end = kin__draft_push(draft, KIN__NODE_END);

        if (kin__unlikely(!end))
            return kin__draft_push_code(draft);
        end->span = ++span;
    }
    kin__node *node = &draft->nodes[frame->node];

    draft->depth--;
    draft->key = node->key; /* none, if the next value is an item of an array again */
    draft->key_hash = frame->key_hash;
    node->span = span;
    node->u.container.size = frame->size < UINT16_MAX ? (uint16_t)frame->size : UINT16_MAX;
    node->hash = (uint32_t)frame->hash;
    kin__sightings_prefetch(node->hash);
    kin__draft_added(draft, node->hash, frame->size + 1);
    return 0;
}

/* A number, null, true or false. */
static inline void kin__draft_small(kin__draft *draft, kin__node *node, uint64_t value)
{
    node->u.integer = (int64_t)value;
    node->hash = (uint32_t)kin__mix(draft->seed + node->type, value);
    kin__draft_added(draft, node->hash, 3);
}

static inline void kin__draft_text(kin__draft *draft, kin__node *node, const char *text, size_t len)
{
    node->u.text = text;
    node->len = (uint32_t)len;
    draft->text_len += len;

    node->hash = (uint32_t)kin__hash(draft->seed, text, len);
    kin__sightings_prefetch(node->hash);
    kin__draft_added(draft, node->hash, len + 2);
}

#endif
