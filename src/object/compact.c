/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From draft to document: what is shared, what is packed, and how it is written.
 *
 * Sharing is decided from the top: a subtree that was seen before becomes a shared value as a
 * whole, and what is in it stays in it. So the shared values are few and large, and a document is a
 * handful of references and what is its own. Two passes:
 *
 *  1. plan: forward. A map, array or string that was seen before is looked up in the pool, or put
 *     there; its node becomes a reference and its elements are not looked at. Others are gone into.
 *  2. write: backward, from the last node to the first, into a scratch filled from its end. The
 *     length of a map is known when its beginning is reached, so nothing is moved or written twice.
 *
 * A shared value is written in the same way when it is made. Inside it, values are shared that are
 * in the pool already.
 *
 * Whether something was seen before is a guess (sightings.h). Whether two contents are the same is
 * decided by comparing them, node by node with tape.
 *
 * What the document class hands out as views is kept plain: the resource version and labels, which
 * is why labels are not shared with contents elsewhere (their hash is changed). Name and namespace
 * are in the key.
 */
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "object/document.h"
#include "object/draft.h"
#include "object/pack.h"
#include "object/raw_cache.h"
#include "object/shared.h"
#include "object/sightings.h"
#include "object/tape.h"

/* What is smaller costs more as a shared value than it saves. */
#define SHARE_SIZE_MIN 28u
#define SHARE_STRING_MIN 14u
/* The sighting at which a value becomes a shared one; what is small has a large overhead. */
#define SHARE_AT 2u
#define SHARE_SMALL_AT 4u
#define SHARE_LARGE 64u
/* A string that is there already is not worth a reference if it is shorter. */
#define BACK_MIN 5u
#define BACK_SLOTS 128u
/* The most a node takes apart from texts: key code and length, tag and length or number. */
#define NODE_BYTES_MAX 24u
#define LABELS_SALT 0x5bd1e995u

/* Metadata that the document class knows. */
struct identity {
    kin_str namespace_;
    kin_str name;
};

/* --- comparing a part of the draft with a shared value --- */

static bool same_text(kin__at at, const kin__node *node)
{
    kin_scratch scratch;
    kin_str text = kin__tape_string(at, &scratch);

    if (node->type == KIN__NODE_WORD)
        return kin_str_equal(text, kin__keys_text((uint16_t)node->len));
    return kin_str_equal(text, kin_str_make(node->u.text, node->len));
}

static bool same_number(kin__at at, const kin__node *node)
{
    int64_t integer;
    kin_str text;

    if (kin__tape_integer(at, &integer, &text))
        return node->type == KIN__NODE_INTEGER && node->u.integer == integer;
    return node->type == KIN__NODE_NUMBER &&
           kin_str_equal(text, kin_str_make(node->u.text, node->len));
}

static bool same_scalar(kin__at at, const kin__node *node)
{
    switch (node->type) {
    case KIN__NODE_NULL:
        return *at.at == KIN__TAG_NULL;
    case KIN__NODE_FALSE:
        return *at.at == KIN__TAG_FALSE;
    case KIN__NODE_TRUE:
        return *at.at == KIN__TAG_TRUE;
    case KIN__NODE_STRING:
    case KIN__NODE_WORD:
        return kin__tape_type(at) == KIN_STRING && same_text(at, node);
    default: {
        enum kin_type type = kin__tape_type(at);

        return (type == KIN_INTEGER || type == KIN_NUMBER) && same_number(at, node);
    }
    }
}

struct subtree {
    const kin__draft *draft;
    size_t node;
};

/* Steps over the key of a member and compares it; *i is then at its value. */
static bool same_key(const kin__draft *draft, size_t *i, const kin__walk *walk, uint16_t id,
                     kin_str key)
{
    const kin__node *node = &draft->nodes[*i];

    if (!walk->is_map)
        return node->type != KIN__NODE_KEY && node->key == KIN__KEY_NONE;
    if (node->type != KIN__NODE_KEY)
        /* Both in the dictionary, or learnt since the shared value was made. */
        return node->key == id ||
               (id == KIN__KEY_TEXT && kin_str_equal(kin__keys_text(node->key), key));
    (*i)++;
    return kin_str_equal(kin_str_make(node->u.text, node->len), key);
}

/* One element of the innermost map or array; opens it if it is one itself. */
static bool same_element(const kin__draft *draft, size_t *i, kin__at at, kin__walk *inner,
                         bool *ret_open)
{
    const kin__node *node = &draft->nodes[*i];

    *ret_open = false;
    if (node->type == KIN__NODE_SHARED) {
        *i += node->span;
        /*
         * Equal contents that are shared twice are taken for different: it costs memory, no more.
         */
        return kin__tape_is_shared(at.at) && kin__tape_follow(at).tape == &node->u.shared->tape;
    }
    if (kin__tape_is_shared(at.at))
        at = kin__tape_follow(at);
    (*i)++;
    if (node->type != KIN__NODE_MAP && node->type != KIN__NODE_ARRAY)
        return same_scalar(at, node);
    if (!kin__walk_init(inner, at) || inner->is_map != (node->type == KIN__NODE_MAP))
        return false;
    if (node->span == 1)
        return inner->next == inner->end;
    *ret_open = true;
    return true;
}

static bool same_subtree(const kin__shared *shared, const void *arg)
{
    const struct subtree *subtree = arg;
    const kin__draft *draft = subtree->draft;
    kin__walk stack[KIN__DEPTH_MAX + 1];
    unsigned depth = 0;
    size_t i = subtree->node;
    kin__at at = {&shared->tape, kin__tape_bytes(&shared->tape)};
    bool open;

    if (!same_element(draft, &i, at, &stack[0], &open))
        return false;
    depth += open;
    while (depth > 0) {
        kin__walk *walk = &stack[depth - 1];
        uint16_t id;
        kin_str key;

        if (!kin__walk_next(walk, &id, &key, &at)) {
            if (draft->nodes[i++].type != KIN__NODE_END)
                return false;
            depth--;
            continue;
        }
        if (draft->nodes[i].type == KIN__NODE_END || !same_key(draft, &i, walk, id, key) ||
            !same_element(draft, &i, at, &stack[depth], &open))
            return false;
        depth += open;
    }
    return true;
}

/* --- writing, backward --- */

/* A string that was written: its node, or 0, and where its tag is, from the end. */
struct written {
    uint32_t node;
    uint32_t from_end;
};

struct writer {
    kin__draft *draft;
    uint8_t *p; /* the first byte written */
    uint32_t refs_len;
    bool packed;                        /* there is a packed string in it */
    bool plain;                         /* there must be none */
    struct written written[BACK_SLOTS]; /* by hash, the last one */
};

static void put_varint(struct writer *w, uint64_t value)
{
    uint8_t bytes[10];
    unsigned n = 0;

    while (value >= 0x80) {
        bytes[n++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (uint8_t)value;
    w->p -= n;
    memcpy(w->p, bytes, n);
}

static void put_bytes(struct writer *w, const void *bytes, size_t len)
{
    w->p -= len;
    if (len > 0)
        memcpy(w->p, bytes, len);
}

static void put_key(struct writer *w, const kin__node *node)
{
    if (node->key < KIN__KEYS_SHORT) {
        *--w->p = (uint8_t)node->key;
    } else if (node->key == KIN__KEY_TEXT) {
        put_bytes(w, node[-1].u.text, node[-1].len);
        put_varint(w, node[-1].len);
        *--w->p = KIN__KEY_CODE_TEXT;
    } else if (node->key != KIN__KEY_NONE) {
        unsigned code = node->key - KIN__KEYS_SHORT;

        *--w->p = (uint8_t)code;
        *--w->p = (uint8_t)(KIN__KEYS_SHORT + (code >> 8));
    }
}

static void put_text(struct writer *w, uint8_t tag, const char *text, size_t len)
{
    put_bytes(w, text, len);
    put_varint(w, len);
    *--w->p = tag;
}

/* Whether the same string was written already, and so stands behind; if so, a reference to it. */
static bool put_back(struct writer *w, const kin__node *node)
{
    const kin__draft *draft = w->draft;
    const struct written *written = &w->written[node->hash % BACK_SLOTS];
    const kin__node *other = &draft->nodes[written->node];

    if (written->node == 0 || other->hash != node->hash || other->len != node->len ||
        memcmp(other->u.text, node->u.text, node->len) != 0)
        return false;

    /* The distance is counted from the tag, and so depends on its own length. */
    size_t distance = (size_t)(draft->bytes + draft->bytes_cap - written->from_end - w->p);
    unsigned n = 1;

    while (distance + 1 + n >= (size_t)1 << (7 * n))
        n++;
    put_varint(w, distance + 1 + n);
    *--w->p = KIN__TAG_BACK;
    return true;
}

static void remember(struct writer *w, const kin__node *node)
{
    const kin__draft *draft = w->draft;

    w->written[node->hash % BACK_SLOTS] = (struct written){
        (uint32_t)(node - draft->nodes), (uint32_t)(draft->bytes + draft->bytes_cap - w->p)};
}

static void put_string(struct writer *w, const kin__node *node)
{
    uint8_t packed[KIN__PACKED_MAX];
    bool plain = w->plain || (node->flags & KIN__NODE_PLAIN);
    size_t n;

    if (node->flags & (KIN__NODE_IS_NAME | KIN__NODE_IS_NAMESPACE)) {
        *--w->p = node->flags & KIN__NODE_IS_NAME ? KIN__TAG_NAME : KIN__TAG_NAMESPACE;
        return;
    }
    if (!plain && node->len >= BACK_MIN && put_back(w, node))
        return;
    if (!plain && (n = kin__pack(packed, node->u.text, node->len)) > 0) {
        put_bytes(w, packed, n);
        w->packed = true;
    } else if (node->len < KIN__TAG_STRINGS) {
        put_bytes(w, node->u.text, node->len);
        *--w->p = (uint8_t)(KIN__TAG_STRING_0 + node->len);
    } else {
        put_text(w, KIN__TAG_STRING, node->u.text, node->len);
    }
    remember(w, node);
}

static void put_word(struct writer *w, uint32_t id)
{
    *--w->p = (uint8_t)id;
    *--w->p = (uint8_t)(KIN__TAG_WORD_0 + (id >> 8));
}

static void put_integer(struct writer *w, int64_t integer)
{
    if (integer >= 0 && integer < (int64_t)KIN__TAG_INTEGERS) {
        *--w->p = (uint8_t)(KIN__TAG_INTEGER_0 + (uint64_t)integer);
        return;
    }
    uint64_t doubled = (uint64_t)integer << 1;

    put_varint(w, integer < 0 ? ~doubled : doubled);
    *--w->p = KIN__TAG_INTEGER;
}

static void put_number(struct writer *w, const kin__node *node)
{
    bool big = true;

    for (uint32_t i = 0; i < node->len; i++)
        big &= node->u.text[i] != '.' && (node->u.text[i] | 0x20) != 'e';
    put_text(w, big ? KIN__TAG_BIG : KIN__TAG_NUMBER, node->u.text, node->len);
}

static void put_shared(struct writer *w, const kin__node *node)
{
    struct kin__draft_held *held = &w->draft->held[node->len];

    if (held->number == KIN__UNUSED) {
        held->number = w->refs_len;
        w->draft->held[w->refs_len++].order = node->len;
    }
    if (held->number < KIN__TAG_SHAREDS) {
        *--w->p = (uint8_t)(KIN__TAG_SHARED_0 + held->number);
        return;
    }
    put_varint(w, held->number);
    *--w->p = KIN__TAG_SHARED;
}

static void put_scalar(struct writer *w, const kin__node *node)
{
    switch (node->type) {
    case KIN__NODE_STRING:
        put_string(w, node);
        break;
    case KIN__NODE_WORD:
        put_word(w, node->len);
        break;
    case KIN__NODE_INTEGER:
        put_integer(w, node->u.integer);
        break;
    case KIN__NODE_NUMBER:
        put_number(w, node);
        break;
    case KIN__NODE_SHARED:
        put_shared(w, node);
        break;
    default:
        *--w->p = (uint8_t)(KIN__TAG_NULL + node->type - KIN__NODE_NULL);
        break;
    }
}

_Static_assert(KIN__TAG_FALSE - KIN__TAG_NULL == KIN__NODE_FALSE - KIN__NODE_NULL &&
                   KIN__TAG_TRUE - KIN__TAG_NULL == KIN__NODE_TRUE - KIN__NODE_NULL,
               "put_scalar() counts on it");

static void put_container(struct writer *w, const kin__node *node, const uint8_t *end)
{
    bool is_map = node->type == KIN__NODE_MAP;

    if (node->span == 1) {
        *--w->p = is_map ? KIN__TAG_EMPTY_MAP : KIN__TAG_EMPTY_ARRAY;
        return;
    }
    put_varint(w, (uint64_t)(end - w->p));
    *--w->p = is_map ? KIN__TAG_MAP : KIN__TAG_ARRAY;
}

/* Writes the subtree of a node, without the node's own key; returns its length. */
static size_t write_subtree(struct writer *w, size_t first)
{
    kin__draft *draft = w->draft;
    const uint8_t *bytes_end = draft->bytes + draft->bytes_cap;

    w->p = draft->bytes + draft->bytes_cap;
    w->refs_len = 0;
    w->packed = false;
    memset(w->written, 0, sizeof(w->written));
    for (size_t i = first + draft->nodes[first].span; i-- > first;) {
        const kin__node *node = &draft->nodes[i];

        if (node->type == KIN__NODE_END) {
            size_t begin = i + 1 - node->span;

            if (draft->nodes[begin].type != KIN__NODE_SHARED) {
                /*
                 * Where it ends is remembered where it begins; its text is not asked for any more.
                 */
                draft->nodes[begin].u.container.raw = (uint32_t)(bytes_end - w->p);
                continue;
            }
            i = begin;
            node = &draft->nodes[i];
        }
        if (node->type == KIN__NODE_MAP || node->type == KIN__NODE_ARRAY) {
            put_container(w, node, node->span > 1 ? bytes_end - node->u.container.raw : w->p);
        } else {
            put_scalar(w, node);
        }
        if (i > first) {
            put_key(w, node);
            i -= node->key == KIN__KEY_TEXT;
        }
    }
    return (size_t)(bytes_end - w->p);
}

/*
 * The table of what the written tape refers to, into `refs` unless that is NULL; the numbers are free
 * for the next tape then. Looks at nothing else: a draft may hold a great many.
 */
static void finish_refs(const struct writer *w, const kin__shared **refs)
{
    for (uint32_t k = 0; k < w->refs_len; k++) {
        struct kin__draft_held *held = &w->draft->held[w->draft->held[k].order];

        held->number = KIN__UNUSED;
        if (refs)
            refs[k] = held->shared;
    }
}

/* --- planning --- */

static int reserve_bytes(kin__draft *draft)
{
    size_t need = draft->text_len + draft->len * NODE_BYTES_MAX + KIN__PACKED_MAX;

    if (draft->text_len > KIN__TEXT_MAX)
        return KIN_ELIMIT;
    if (need <= draft->bytes_cap)
        return 0;

    uint8_t *bytes = kin__malloc(need);

    if (!bytes)
        return KIN_ENOMEM;
    kin__free_wiped(draft->bytes, draft->bytes_cap); /* texts may be secrets */
    draft->bytes = bytes;
    draft->bytes_cap = need;
    return 0;
}

static bool is_in_key(const kin__node *node)
{
    return node->flags & (KIN__NODE_IS_NAME | KIN__NODE_IS_NAMESPACE);
}

/* The sighting at which the node becomes a reference to a shared value; 0: never. */
static unsigned share_at(const kin__node *node)
{
    if (node->type == KIN__NODE_STRING) {
        if (node->len < SHARE_STRING_MIN || is_in_key(node) ||
            kin__packs_well(node->u.text, node->len))
            return 0;
        return node->len < SHARE_LARGE ? SHARE_SMALL_AT : SHARE_AT;
    }
    if ((node->type != KIN__NODE_MAP && node->type != KIN__NODE_ARRAY) ||
        node->u.container.size < SHARE_SIZE_MIN)
        return 0;
    return node->u.container.size < SHARE_LARGE ? SHARE_SMALL_AT : SHARE_AT;
}

static bool may_be_word(const kin__node *node)
{
    return node->type == KIN__NODE_STRING && node->len >= KIN__WORD_MIN &&
           node->len <= KIN__WORD_MAX && !is_in_key(node);
}

static bool make_word(kin__node *node, uint16_t id)
{
    if (id == KIN__KEY_TEXT)
        return false;
    node->type = KIN__NODE_WORD;
    node->len = id;
    return true;
}

static bool find_word(kin__node *node)
{
    return make_word(node,
                     kin__keys_find_hashed(kin_str_make(node->u.text, node->len), node->hash));
}

/* A string that was met very often; what packs is small enough. */
static bool learn_word(kin__node *node, unsigned sightings)
{
    uint8_t packed[KIN__PACKED_MAX];

    if (kin__pack(packed, node->u.text, node->len) > 0)
        return false;
    return make_word(
        node, kin__keys_learn_value(kin_str_make(node->u.text, node->len), node->hash, sightings));
}

/* The node stands for a shared value from now on. CONSUMES the reference, also on failure. */
static int refer_to(kin__draft *draft, kin__node *node, const kin__shared *shared)
{
    uint32_t number;
    int code = kin__draft_hold(draft, shared, &number);

    if (code < 0) {
        kin__shared_unref(shared);
        return code;
    }
    node->type = KIN__NODE_SHARED;
    node->u.shared = shared;
    node->len = number;
    return 0;
}

/* Inside a subtree that is about to be shared: what is in the pool or in the dictionary already. */
static int plan_inside(kin__draft *draft, size_t first)
{
    size_t end = first + draft->nodes[first].span;

    for (size_t i = first + 1; i < end;) {
        kin__node *node = &draft->nodes[i];
        size_t span = 1;

        if (may_be_word(node) && find_word(node)) {
            i++;
            continue;
        }
        if (share_at(node) > 0 && kin__sightings_get(node->hash) >= SHARE_AT) {
            struct subtree subtree = {draft, i};
            bool crowded;
            const kin__shared *shared =
                kin__shared_find(node->hash, same_subtree, &subtree, &crowded);

            if (shared) {
                span = node->span;
                if (refer_to(draft, node, shared) < 0)
                    return KIN_ENOMEM;
            }
        }
        i += span;
    }
    return 0;
}

static int make_shared(kin__draft *draft, size_t i, const kin__shared **ret)
{
    struct writer w;
    int code = plan_inside(draft, i);

    if (code < 0)
        return code;
    w.draft = draft;
    /* Whoever refers to a shared string may need a view of it. */
    w.plain = draft->nodes[i].type == KIN__NODE_STRING;

    size_t len = write_subtree(&w, i);
    kin__shared *shared = kin__shared_new(draft->nodes[i].hash, w.refs_len, (uint32_t)len);

    finish_refs(&w, shared ? kin__tape_new_refs(&shared->tape) : NULL);
    if (!shared)
        return KIN_ENOMEM;
    for (uint32_t k = 0; k < w.refs_len; k++)
        kin__shared_ref(kin__tape_refs(&shared->tape)[k]);
    memcpy(kin__tape_new_bytes(&shared->tape), w.p, len);
    shared->packed = w.packed;
    shared->height = (uint16_t)kin__draft_height(draft, i);
    kin__shared_add(shared);
    *ret = shared;
    return 0;
}

/* Makes the node a word, or a reference to a shared value, if its content was seen before. */
static int plan_node(kin__draft *draft, size_t i)
{
    kin__node *node = &draft->nodes[i];
    bool word = may_be_word(node);
    unsigned at = share_at(node);

    if (word ? find_word(node) : at == 0)
        return 0;

    unsigned sightings = kin__sightings_add(node->hash, draft->origin);

    if (word && sightings >= KIN__WORD_SIGHTINGS && learn_word(node, sightings))
        return 0;
    if (at == 0 || sightings < at)
        return 0;

    struct subtree subtree = {draft, i};
    bool crowded;
    const kin__shared *shared = kin__shared_find(node->hash, same_subtree, &subtree, &crowded);

    if (!shared && crowded)
        return 0;

    /* Making the value writes over where its text is. */
    const char *text = node->type == KIN__NODE_STRING || !draft->raw_cache
                           ? NULL
                           : draft->raw_text + node->u.container.raw;
    unsigned form = node->u.container.form;

    if (!shared) {
        int code = make_shared(draft, i, &shared);

        if (code < 0)
            return code;
    }
    if (text && node->len > 0)
        kin__raw_cache_add(draft->raw_cache, form, text, node->len, shared, shared->height);
    return refer_to(draft, node, shared);
}

static int plan(kin__draft *draft)
{
    for (size_t i = 1; i < draft->len;) {
        kin__node *node = &draft->nodes[i];

        if (node->type >= KIN__NODE_STRING && node->type <= KIN__NODE_MAP) {
            int code = plan_node(draft, i);

            if (code < 0)
                return code;
        }
        i += node->type == KIN__NODE_SHARED ? node->span : 1;
    }
    return 0;
}

/*
 * Counts the keys that are not in the dictionary, now that the object is known. Keys that are learnt
 * here are still spelled out in this document.
 */
static void note_keys(const kin__draft *draft)
{
    size_t left = draft->text_keys;

    for (size_t i = 1; left > 0 && i < draft->len; i++) {
        const kin__node *node = &draft->nodes[i];

        if (node->type != KIN__NODE_KEY)
            continue;
        kin__keys_note(kin_str_make(node->u.text, node->len), node->hash, draft->origin);
        left--;
    }
}

/* --- the document's own metadata --- */

/* A direct member of a map, by a built-in key. */
static kin__node *member(kin__draft *draft, const kin__node *map, uint16_t key)
{
    kin__node *node = &draft->nodes[map - draft->nodes + 1];

    if (map->type != KIN__NODE_MAP || map->span == 1)
        return NULL;
    while (node->type != KIN__NODE_END) {
        if (node->key == key && node->type != KIN__NODE_KEY)
            return node;
        node += node->span;
    }
    return NULL;
}

static kin_str identify(const kin__node *node)
{
    kin_scratch unused;

    if (node && node->type == KIN__NODE_STRING)
        return kin_str_make(node->u.text, node->len);
    /* Copied from another object, where it was a shared string. */
    if (node && node->type == KIN__NODE_SHARED) {
        kin__at at = {&node->u.shared->tape, kin__tape_bytes(&node->u.shared->tape)};

        if (kin__tape_type(at) == KIN_STRING)
            return kin__tape_string(at, &unused);
    }
    return kin_str_make(NULL, 0);
}

static void keep_labels_plain(kin__draft *draft, kin__node *labels)
{
    if (!labels || labels->type != KIN__NODE_MAP || labels->span == 1)
        return;
    labels->hash ^= LABELS_SALT;
    for (kin__node *node = labels + 1; node->type != KIN__NODE_END; node += node->span) {
        if (node->type == KIN__NODE_STRING)
            node->flags |= KIN__NODE_PLAIN;
    }
    (void)draft;
}

/* The metadata must not become a shared value as a whole: its flags are for this document alone. */
static void find_identity(kin__draft *draft, struct identity *ret)
{
    kin__node *metadata = member(draft, &draft->nodes[0], KIN__KEY_METADATA);
    kin__node *name = NULL;
    kin__node *namespace_ = NULL;

    if (metadata && metadata->type == KIN__NODE_MAP) {
        kin__node *version = member(draft, metadata, KIN__KEY_RESOURCE_VERSION);

        name = member(draft, metadata, KIN__KEY_NAME);
        namespace_ = member(draft, metadata, KIN__KEY_NAMESPACE);
        if (version && version->type == KIN__NODE_STRING)
            version->flags |= KIN__NODE_PLAIN;
        keep_labels_plain(draft, member(draft, metadata, KIN__KEY_LABELS));
        metadata->u.container.size = 0;
    }
    ret->name = identify(name);
    ret->namespace_ = identify(namespace_);
    if (name && name->type == KIN__NODE_STRING)
        name->flags |= KIN__NODE_IS_NAME;
    if (namespace_ && namespace_->type == KIN__NODE_STRING)
        namespace_->flags |= KIN__NODE_IS_NAMESPACE;
}

/* Of documents without a name nothing is known. */
static uint32_t origin_of(const kin__draft *draft, const struct identity *identity)
{
    if (identity->name.len == 0)
        return KIN__ANY_ORIGIN;
    return (uint32_t)(kin__hash(draft->seed, identity->name.data, identity->name.len) ^
                      kin__hash(draft->seed, identity->namespace_.data, identity->namespace_.len)) |
           1u;
}

static int make_document(kin__draft *draft, const struct identity *identity, const kin_object **ret)
{
    struct writer w;

    w.draft = draft;
    w.plain = false;

    size_t len = write_subtree(&w, 0);
    uint8_t *bytes;

    /* Only values that were put together in memory can come near. */
    if (len > UINT32_MAX - 2 * (size_t)KIN__TEXT_MAX) {
        finish_refs(&w, NULL);
        return KIN_ELIMIT;
    }
    kin__document *document =
        kin__document_new(identity->namespace_, identity->name, w.refs_len, (uint32_t)len, &bytes);

    finish_refs(&w, document ? kin__tape_new_refs(&document->tape) : NULL);
    if (!document)
        return KIN_ENOMEM;
    memcpy(bytes, w.p, len);
    /* What the document refers to is its own now; reset gives back the rest. */
    for (uint32_t k = 0; k < w.refs_len; k++)
        draft->held[draft->held[k].order].shared = NULL;
    *ret = &document->base;
    return 0;
}

int kin__draft_finish(kin__draft *draft, const kin_object **ret, kin_error *err)
{
    struct identity identity;
    int code = 0;

    if (draft->depth > 0 || draft->len == 0 || draft->nodes[0].type != KIN__NODE_MAP) {
        kin__draft_reset(draft);
        return kin_error_set(err, KIN_EINVAL, "a document is a map");
    }
    find_identity(draft, &identity);
    draft->origin = origin_of(draft, &identity);
    note_keys(draft);
    code = reserve_bytes(draft);
    if (code == 0)
        code = plan(draft);
    if (code == 0)
        code = make_document(draft, &identity, ret);
    kin__draft_reset(draft);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (code < 0)
        return kin_error_set(err, code, "a document of more than %u bytes", KIN__TEXT_MAX);
    return 0;
}
