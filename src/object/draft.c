/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filling a draft. The JSON decoder uses the inline functions of draft.h; everybody else the calls
 * here, which check what a grammar has checked for the decoder.
 *
 * Copying a value from an object takes shared values as they are, with a reference, and expands the
 * rest: strings that are packed, or that are part of the document's key, into texts.
 */
#include "object/draft.h"

#include <stdlib.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/shared.h"
#include "object/tape.h"

/* What is kept from one document to the next. */
#define KEEP_NODES 65536u
#define KEEP_BYTES 262144u
#define CHUNK_SIZE 16384u
/* Bounds the spans, and the memory of a document of many tiny values. */
#define NODES_MAX 268435456u

struct kin__arena_chunk {
    struct kin__arena_chunk *next;
    size_t size;
    char data[];
};

int kin__draft_init(kin__draft *draft, unsigned depth_max, kin_error *err)
{
    int code = kin__shared_init(err);

    if (code < 0)
        return code;
    kin__keys_init();
    memset(draft, 0, offsetof(kin__draft, frames));
    draft->seed = kin__hash_seed();
    draft->depth_max = depth_max && depth_max < KIN__DEPTH_MAX ? depth_max : KIN__DEPTH_MAX;
    draft->key = KIN__KEY_NONE;
    return 0;
}

static void free_chunks(struct kin__arena_chunk *chunk)
{
    while (chunk) {
        struct kin__arena_chunk *next = chunk->next;

        kin__free_wiped(chunk, sizeof(*chunk) + chunk->size);
        chunk = next;
    }
}

/* Keeps one chunk of the usual size. */
static void reset_arena(kin__draft *draft)
{
    struct kin__arena_chunk *chunk = draft->arena;

    if (!chunk)
        return;
    if (chunk->size > CHUNK_SIZE) {
        free_chunks(chunk);
        draft->arena = NULL;
        draft->arena_left = 0;
        return;
    }
    free_chunks(chunk->next);
    chunk->next = NULL;
    draft->arena_left = chunk->size;
}

void kin__draft_reset(kin__draft *draft)
{
    for (size_t i = 0; i < draft->held_len; i++) {
        if (draft->held[i].shared) /* or it went to the document */
            kin__shared_unref(draft->held[i].shared);
    }
    draft->held_len = 0;
    draft->len = 0;
    draft->text_len = 0;
    draft->text_keys = 0;
    draft->depth = 0;
    draft->key = KIN__KEY_NONE;
    draft->key_hash = 0;
    reset_arena(draft);
    if (kin__unlikely(draft->cap > KEEP_NODES)) {
        kin__free(draft->nodes);
        draft->nodes = NULL;
        draft->cap = 0;
    }
    if (kin__unlikely(draft->bytes_cap > KEEP_BYTES)) {
        kin__free_wiped(draft->bytes, draft->bytes_cap);
        draft->bytes = NULL;
        draft->bytes_cap = 0;
    }
    if (kin__unlikely(draft->held_cap > KEEP_NODES)) {
        kin__free(draft->held);
        draft->held = NULL;
        draft->held_cap = 0;
    }
    if (kin__unlikely(draft->slots_cap > KEEP_NODES)) {
        kin__free(draft->slots);
        draft->slots = NULL;
        draft->slots_cap = 0;
    }
}

void kin__draft_done(kin__draft *draft)
{
    kin__draft_reset(draft);
    free_chunks(draft->arena);
    kin__free(draft->nodes);
    kin__free_wiped(draft->bytes, draft->bytes_cap);
    kin__free(draft->slots);
    kin__free(draft->held);
}

void kin__draft_wipe(kin__draft *draft)
{
    for (struct kin__arena_chunk *chunk = draft->arena; chunk; chunk = chunk->next)
        explicit_bzero(chunk->data, chunk->size);
}

int kin__draft_grow(kin__draft *draft)
{
    if (draft->len >= NODES_MAX)
        return KIN_ELIMIT;

    kin__node *nodes = kin__grow_array(draft->nodes, &draft->cap,
                                       draft->cap < 512 ? 512 : draft->cap + 1, sizeof(kin__node));

    if (!nodes)
        return KIN_ENOMEM;
    draft->nodes = nodes;
    return 0;
}

int kin__draft_push_code(const kin__draft *draft)
{
    return draft->len >= NODES_MAX ? KIN_ELIMIT : KIN_ENOMEM;
}

int kin__draft_hold(kin__draft *draft, const kin__shared *shared, uint32_t *ret_number)
{
    /* A value that is there twice stands close by, if at all. */
    for (size_t i = draft->held_len; i > 0 && i + 16 > draft->held_len; i--) {
        if (draft->held[i - 1].shared == shared) {
            kin__shared_unref(shared);
            *ret_number = (uint32_t)(i - 1);
            return 0;
        }
    }
    if (draft->held_len == draft->held_cap) {
        void *held = kin__grow_array(draft->held, &draft->held_cap, draft->held_len + 1,
                                     sizeof(*draft->held));

        if (!held)
            return KIN_ENOMEM;
        draft->held = held;
    }
    draft->held[draft->held_len] = (struct kin__draft_held){shared, KIN__UNUSED, 0};
    *ret_number = (uint32_t)draft->held_len++;
    return 0;
}

unsigned kin__draft_height(const kin__draft *draft, size_t first)
{
    size_t end = first + draft->nodes[first].span;
    unsigned depth = 0;
    unsigned height = 0;

    for (size_t i = first; i < end;) {
        const kin__node *node = &draft->nodes[i];
        bool container = node->type == KIN__NODE_MAP || node->type == KIN__NODE_ARRAY;
        unsigned here = depth + container;

        if (node->type == KIN__NODE_SHARED)
            here += node->u.shared->height;
        if (node->type == KIN__NODE_NULL)
            here += node->len;
        if (here > height)
            height = here;
        depth += container && node->span > 1;
        depth -= node->type == KIN__NODE_END;
        i += node->type == KIN__NODE_SHARED ? node->span : 1;
    }
    return height;
}

char *kin__draft_alloc(kin__draft *draft, size_t len)
{
    if (draft->arena_left < len || !draft->arena) {
        size_t size = len > CHUNK_SIZE / 2 ? len : CHUNK_SIZE;
        struct kin__arena_chunk *chunk = kin__malloc(sizeof(*chunk) + size);

        if (!chunk)
            return NULL;
        chunk->size = size;
        chunk->next = draft->arena;
        draft->arena = chunk;
        draft->arena_left = size;
    }
    char *text = draft->arena->data + draft->arena->size - draft->arena_left;

    draft->arena_left -= len;
    return text;
}

/* The text of a member's key, of the node at `i`, which is its value. */
static kin_str key_text(const kin__draft *draft, size_t i)
{
    const kin__node *node = &draft->nodes[i];

    if (node->key != KIN__KEY_TEXT)
        return kin__keys_text(node->key);
    return kin_str_make(node[-1].u.text, node[-1].len);
}

static uint32_t key_text_hash(const kin__draft *draft, size_t i)
{
    const kin__node *node = &draft->nodes[i];

    return node->key == KIN__KEY_TEXT ? node[-1].hash : kin__key_entries[node->key].hash;
}

/* What the frame knows of its elements, from the elements themselves. */
static void recount(kin__draft *draft, struct kin__draft_frame *frame)
{
    size_t i = frame->node + 1;

    frame->hash = draft->seed + draft->nodes[frame->node].type;
    frame->size = 2;
    while (i < draft->len) {
        const kin__node *node = &draft->nodes[i];

        if (node->type == KIN__NODE_KEY) {
            frame->size += node->len + 2;
            i++;
            continue;
        }
        /*
         * Not the sum that a map without duplicates gets; all that matters is that the same text
         * gives the same.
         */
        frame->hash = kin__mix(frame->hash ^ key_text_hash(draft, i), node->hash);
        if (node->type == KIN__NODE_STRING)
            frame->size += node->len + 2;
        else if (node->type == KIN__NODE_MAP || node->type == KIN__NODE_ARRAY)
            frame->size += node->u.container.size + 1;
        else
            frame->size += 3;
        i += node->span;
    }
}

/* Marks with KIN__NODE_NULL spans what a later member replaces; true if there was any. */
static bool mark_replaced(kin__draft *draft, const struct kin__draft_frame *frame, size_t mask)
{
    bool any = false;

    for (size_t i = frame->node + 1; i < draft->len; i += draft->nodes[i].span) {
        if (draft->nodes[i].type == KIN__NODE_KEY)
            continue;

        kin_str key = key_text(draft, i);
        size_t slot = key_text_hash(draft, i) & mask;

        while (draft->slots[slot] != 0 && !kin_str_equal(key_text(draft, draft->slots[slot]), key))
            slot = (slot + 1) & mask;
        if (draft->slots[slot] != 0) {
            draft->nodes[draft->slots[slot]].flags |= KIN__NODE_REPLACED;
            any = true;
        }
        any |= (draft->nodes[i].flags & KIN__NODE_DROPPED) != 0;
        draft->slots[slot] = (uint32_t)i;
    }
    return any;
}

static void remove_replaced(kin__draft *draft, const struct kin__draft_frame *frame)
{
    size_t to = frame->node + 1;
    size_t i = to;

    while (i < draft->len) {
        size_t first = i;

        if (draft->nodes[i].type == KIN__NODE_KEY)
            i++;

        size_t span = draft->nodes[i].span;
        bool replaced = draft->nodes[i].flags & (KIN__NODE_REPLACED | KIN__NODE_DROPPED);

        i += span;
        if (!replaced) {
            memmove(&draft->nodes[to], &draft->nodes[first], (i - first) * sizeof(kin__node));
            to += i - first;
        }
    }
    draft->len = to;
}

int kin__draft_drop_duplicates(kin__draft *draft)
{
    struct kin__draft_frame *frame = &draft->frames[draft->depth - 1];
    size_t members = 0;
    size_t slots = 64;

    for (size_t i = frame->node + 1; i < draft->len; i += draft->nodes[i].span)
        members += draft->nodes[i].type != KIN__NODE_KEY;
    while (slots < members * 2)
        slots *= 2;
    if (slots > draft->slots_cap) {
        uint32_t *grown = kin__realloc_array(draft->slots, slots, sizeof(*grown));

        if (!grown)
            return KIN_ENOMEM;
        draft->slots = grown;
        draft->slots_cap = slots;
    }
    memset(draft->slots, 0, slots * sizeof(*draft->slots));
    if (mark_replaced(draft, frame, slots - 1)) {
        remove_replaced(draft, frame);
        recount(draft, frame);
    }
    return 0;
}

static int too_large(kin_error *err, int code)
{
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return kin_error_set(err, code, "a document of too many values");
}

static int push_failed(kin__draft *draft, kin_error *err)
{
    return too_large(err, kin__draft_push_code(draft));
}

int kin__draft_key(kin__draft *draft, kin_str key, kin_error *err)
{
    uint32_t hash = kin__keys_hash(key);
    uint16_t id = kin__keys_find_hashed(key, hash);

    if (id != KIN__KEY_TEXT) {
        kin__draft_set_key(draft, id);
        return 0;
    }
    draft->key = KIN__KEY_NONE;

    kin__node *node = kin__draft_push(draft, KIN__NODE_KEY);

    if (!node)
        return push_failed(draft, err);
    kin__draft_set_text_key(draft, node, key, hash);
    return 0;
}

static int add_small(kin__draft *draft, enum kin__node_type type, uint64_t value, kin_error *err)
{
    kin__node *node = kin__draft_push(draft, type);

    if (!node)
        return push_failed(draft, err);
    kin__draft_small(draft, node, value);
    return 0;
}

int kin__draft_null(kin__draft *draft, kin_error *err)
{
    return add_small(draft, KIN__NODE_NULL, 0, err);
}

int kin__draft_bool(kin__draft *draft, bool value, kin_error *err)
{
    return add_small(draft, value ? KIN__NODE_TRUE : KIN__NODE_FALSE, 0, err);
}

int kin__draft_integer(kin__draft *draft, int64_t value, kin_error *err)
{
    return add_small(draft, KIN__NODE_INTEGER, (uint64_t)value, err);
}

static int add_text(kin__draft *draft, enum kin__node_type type, kin_str text, kin_error *err)
{
    if (text.len > KIN__TEXT_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a text of more than %u bytes", KIN__TEXT_MAX);

    kin__node *node = kin__draft_push(draft, type);

    if (!node)
        return push_failed(draft, err);
    kin__draft_text(draft, node, text.data, text.len);
    return 0;
}

int kin__draft_string(kin__draft *draft, kin_str text, kin_error *err)
{
    return add_text(draft, KIN__NODE_STRING, text, err);
}

/* Whether the text is what the integer would be written as: "-0" and "1e3" are not. */
static bool is_shortest(kin_str text, int64_t integer)
{
    char room[32];

    return kin_str_equal(text, kin__integer_text(integer, room + sizeof(room)));
}

int kin__draft_number(kin__draft *draft, kin_str text, kin_error *err)
{
    int64_t integer;

    if (kin__str_to_i64(&integer, text) == 0 && is_shortest(text, integer))
        return kin__draft_integer(draft, integer, err);
    return add_text(draft, KIN__NODE_NUMBER, text, err);
}

static int open_container(kin__draft *draft, enum kin__node_type type, kin_error *err)
{
    if (draft->depth >= draft->depth_max)
        return kin_error_set(err, KIN_ELIMIT, "nested deeper than %u", draft->depth_max);
    if (!kin__draft_open(draft, type))
        return push_failed(draft, err);
    return 0;
}

int kin__draft_begin_map(kin__draft *draft, kin_error *err)
{
    return open_container(draft, KIN__NODE_MAP, err);
}

int kin__draft_begin_array(kin__draft *draft, kin_error *err)
{
    return open_container(draft, KIN__NODE_ARRAY, err);
}

int kin__draft_end(kin__draft *draft, kin_error *err)
{
    int code = kin__draft_close(draft);

    return code < 0 ? too_large(err, code) : 0;
}

int kin__draft_add_shared(kin__draft *draft, const kin__shared *shared)
{
    kin__node *node = kin__draft_push(draft, KIN__NODE_SHARED);
    uint32_t number;

    if (!node) {
        kin__shared_unref(shared);
        return kin__draft_push_code(draft);
    }
    if (kin__draft_hold(draft, shared, &number) < 0) {
        kin__shared_unref(shared);
        draft->len--;
        return KIN_ENOMEM;
    }
    node->u.shared = shared;
    node->len = number;
    node->hash = shared->hash;
    kin__draft_added(draft, node->hash, sizeof(void *) + 1);
    return 0;
}

/* The string may be in a scratch, which goes. */
static int add_string_copy(kin__draft *draft, kin__at at, kin_error *err)
{
    kin_scratch scratch;
    kin_str text = kin__tape_string(at, &scratch);

    if (text.data == scratch.bytes) {
        char *copy = kin__draft_alloc(draft, text.len);

        if (!copy)
            return kin__error_no_memory(err);
        memcpy(copy, text.data, text.len);
        text.data = copy;
    }
    return kin__draft_string(draft, text, err);
}

/* Everything but maps and arrays. */
static int add_scalar(kin__draft *draft, kin__at at, kin_error *err)
{
    int64_t integer;
    kin_str text;

    switch (kin__tape_type(at)) {
    case KIN_BOOL:
        return kin__draft_bool(draft, *at.at == KIN__TAG_TRUE, err);
    case KIN_INTEGER:
    case KIN_NUMBER:
        if (kin__tape_integer(at, &integer, &text))
            return kin__draft_integer(draft, integer, err);
        return add_text(draft, KIN__NODE_NUMBER, text, err);
    case KIN_STRING:
        return add_string_copy(draft, at, err);
    default:
        kin__assert(*at.at == KIN__TAG_NULL);
        return kin__draft_null(draft, err);
    }
}

/*
 * A value, or only the beginning of a map or array, whose elements are then in *walk. A shared
 * value whose strings are packed is taken apart: it may come to stand where strings have to stay
 * plain. So are the document itself and its metadata, in which compact.c looks for its name.
 */
static int add_value(kin__draft *draft, kin__at value, kin__walk *walk, bool *ret_open,
                     kin_error *err)
{
    kin__at at = value;

    *ret_open = false;
    if (kin__tape_is_shared(value.at)) {
        at = kin__tape_follow(value);

        const char *tape = (const char *)at.tape;
        const kin__shared *shared = (const void *)(tape - offsetof(kin__shared, tape));

        if (!shared->packed && draft->depth > 0 &&
            !(draft->depth == 1 && draft->key == KIN__KEY_METADATA) &&
            draft->depth + shared->height <= draft->depth_max) {
            kin__shared_ref(shared);

            int code = kin__draft_add_shared(draft, shared);

            return code < 0 ? too_large(err, code) : 0;
        }
    }
    if (!kin__walk_init(walk, at))
        return add_scalar(draft, at, err);
    *ret_open = true;
    return open_container(draft, walk->is_map ? KIN__NODE_MAP : KIN__NODE_ARRAY, err);
}

static int add_element(kin__draft *draft, kin__walk *walk, kin__walk *inner, bool *ret_open,
                       bool *ret_end, kin_error *err)
{
    kin_str key;
    kin__at value;
    uint16_t id;

    *ret_open = false;
    *ret_end = !kin__walk_next(walk, &id, &key, &value);
    if (*ret_end)
        return kin__draft_end(draft, err);
    int code = walk->is_map ? kin__draft_key(draft, key, err) : 0;

    return code < 0 ? code : add_value(draft, value, inner, ret_open, err);
}

int kin__draft_value(kin__draft *draft, kin_value value, kin_error *err)
{
    /* One more than can be open: the draft refuses what would go deeper. */
    kin__walk stack[KIN__DEPTH_MAX + 1];
    kin__at at = {(const kin__tape *)value.owner, value.at};
    unsigned depth = 0;
    bool open;
    int code = add_value(draft, at, &stack[0], &open, err);

    depth += open;
    while (code == 0 && depth > 0) {
        bool end;

        code = add_element(draft, &stack[depth - 1], &stack[depth], &open, &end, err);
        depth += open;
        depth -= end;
    }
    return code;
}

static bool has_member(const kin__draft *draft, uint16_t key)
{
    for (size_t i = 1; i < draft->len; i += draft->nodes[i].span) {
        if (draft->nodes[i].key == key && draft->nodes[i].type != KIN__NODE_KEY &&
            draft->nodes[i].type != KIN__NODE_END)
            return true;
    }
    return false;
}

static void make_string(kin__draft *draft, kin__node *node, uint16_t key, kin_str text)
{
    memset(node, 0, sizeof(*node));
    node->type = KIN__NODE_STRING;
    node->key = key;
    node->span = 1;
    node->u.text = text.data;
    node->len = (uint32_t)text.len;
    node->hash = (uint32_t)kin__hash(draft->seed, text.data, text.len);
    draft->text_len += text.len;
}

int kin__draft_add_type(kin__draft *draft, kin_str api_version, kin_str kind, kin_error *err)
{
    bool add_version = api_version.len > 0 && !has_member(draft, KIN__KEY_API_VERSION);
    bool add_kind = kind.len > 0 && !has_member(draft, KIN__KEY_KIND);
    size_t n = (size_t)add_version + add_kind + (draft->len == 1); /* {} has no end yet */

    if (!add_version && !add_kind)
        return 0;
    while (draft->cap - draft->len < n) {
        int code = kin__draft_grow(draft);

        if (code < 0)
            return too_large(err, code);
    }
    kin__node *root = draft->nodes;
    kin__node *to = root + 1;

    if (draft->len == 1) {
        root[1] = (kin__node){.type = KIN__NODE_END, .key = KIN__KEY_NONE};
        draft->len = 2;
        n--;
    }
    memmove(root + 1 + n, root + 1, (draft->len - 1) * sizeof(*root));
    if (add_version)
        make_string(draft, to++, KIN__KEY_API_VERSION, api_version);
    if (add_kind)
        make_string(draft, to, KIN__KEY_KIND, kind);
    draft->len += n;
    root->span = (uint32_t)draft->len;
    root[draft->len - 1].span = root->span;
    return 0;
}
