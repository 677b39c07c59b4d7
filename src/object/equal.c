/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality and hashes of values: members in any order, numbers by value.
 *
 * Both walk with a stack that leaves most of a thread's 64 KiB to others: places are kept as offsets
 * in their tape.
 *
 * Equality walks both sides at once. Of a level that was gone into only the two elements are kept;
 * when what is below is done, the maps or arrays around them are found again from the level above,
 * which costs the reading of their heads. Members mostly stand in the same order, so what stands
 * behind the last counterpart is tried first; if it is another, the other map is searched. Maps are equal
 * if they have the same number of members and each of one side's is in the other: keys are unique.
 *
 * Two large maps in different orders would take quadratic time: they get an index when the first
 * member is not where it was expected. If there is no memory for it, it takes the time.
 */
#include "base/hash.h"
#include "base/memory.h"
#include "object/document.h"
#include "object/limits.h"
#include "object/number.h"
#include "object/tape.h"

/* Members from which on an index is worth its making. */
#define INDEX_MIN 32u

/* A map or array of which the elements are being compared. */
struct pair {
    kin__walk a;
    kin__walk b;         /* what comes next if the order is the same */
    const uint8_t *b_at; /* to search in */
};

/* The two elements of a level that were gone into, from the beginning of their tapes. */
struct level {
    const kin__tape *a_tape;
    const kin__tape *b_tape;
    uint32_t a;
    uint32_t b;
};

/* Where the members of a level's map are, from b_at, by the hash of their keys; 0: nowhere. */
struct index {
    struct index *outer; /* of a level above */
    unsigned depth;      /* the level */
    uint32_t slots;
    uint32_t members[];
};

struct comparison {
    kin__at a; /* the whole values, followed */
    kin__at b;
    struct pair pair;      /* of the innermost level */
    struct index *indexes; /* the innermost first; OWNED */
    unsigned depth;        /* levels around the innermost */
    struct level levels[KIN__FRAMES_MAX];
};

static kin__at place(const kin__tape *tape, uint32_t at)
{
    return (kin__at){tape, kin__tape_bytes(tape) + at};
}

static uint32_t offset_of(kin__at at)
{
    return (uint32_t)(at.at - kin__tape_bytes(at.tape));
}

static kin__at follow(kin__at at)
{
    return kin__value_at((kin_value){at.tape, at.at});
}

static uint32_t count(kin__walk walk)
{
    kin__at value;
    kin_str key;
    uint16_t id;
    uint32_t n = 0;

    while (kin__walk_next(&walk, &id, &key, &value))
        n++;
    return n;
}

static kin_str number_text(kin__at at, char *end)
{
    int64_t integer;
    kin_str text;

    return kin__tape_integer(at, &integer, &text) ? kin__integer_text(integer, end) : text;
}

static bool is_number(enum kin_type type)
{
    return type == KIN_INTEGER || type == KIN_NUMBER;
}

static bool equal_numbers(kin__at a, kin__at b)
{
    char a_room[32];
    char b_room[32];
    kin_str a_text = number_text(a, a_room + sizeof(a_room));
    kin_str b_text = number_text(b, b_room + sizeof(b_room));

    return kin_str_equal(a_text, b_text) ||
           kin__number_compare(a_text.data, a_text.len, b_text.data, b_text.len) == 0;
}

static bool equal_scalars(kin__at a, kin__at b)
{
    enum kin_type type = kin__tape_type(a);
    kin_scratch a_scratch;
    kin_scratch b_scratch;

    if (is_number(type))
        return is_number(kin__tape_type(b)) && equal_numbers(a, b);
    if (type != kin__tape_type(b))
        return false;
    if (type == KIN_STRING)
        return kin_str_equal(kin__tape_string(a, &a_scratch), kin__tape_string(b, &b_scratch));
    return *a.at == *b.at; /* null, true, false */
}

/* False if the two, which have been followed, are not two maps or two arrays. */
static bool open_pair(struct pair *pair, kin__at a, kin__at b)
{
    pair->b_at = b.at;
    return kin__walk_init(&pair->a, a) && kin__walk_init(&pair->b, b) &&
           pair->a.is_map == pair->b.is_map;
}

/*
 * Compares two values that have been followed; of maps and arrays only the outside, and then
 * *ret_open with the pair to go into.
 */
static bool equal_values(kin__at a, kin__at b, struct pair *pair, bool *ret_open)
{
    *ret_open = false;
    if (a.at == b.at)
        return true;
    if (!a.at || !b.at)
        return false;
    if (!open_pair(pair, a, b))
        return !kin__walk_init(&pair->a, a) && !kin__walk_init(&pair->b, b) && equal_scalars(a, b);
    if (count(pair->a) != count(pair->b))
        return false;
    *ret_open = true;
    return true;
}

static uint32_t slot_of(kin_str key, uint32_t slots)
{
    return kin__keys_hash(key) & (slots - 1);
}

/* An index of the innermost level; NULL without memory. */
static struct index *make_index(const struct comparison *c, uint32_t members)
{
    uint32_t slots = 2 * INDEX_MIN;
    const uint8_t *begin = c->pair.b_at;
    kin__walk walk;
    kin__at value;
    kin_str key = {NULL, 0};
    uint16_t id;

    while (slots < members * 2)
        slots *= 2;

    struct index *index = kin__calloc(1, sizeof(*index) + slots * sizeof(index->members[0]));

    if (!index)
        return NULL;
    index->outer = c->indexes;
    index->depth = c->depth;
    index->slots = slots;
    kin__walk_init(&walk, (kin__at){c->pair.b.tape, begin});
    for (;;) {
        uint32_t member = (uint32_t)(walk.next - begin);

        if (!kin__walk_next(&walk, &id, &key, &value))
            return index;

        uint32_t slot = slot_of(key, slots);

        while (index->members[slot] != 0)
            slot = (slot + 1) & (slots - 1);
        index->members[slot] = member;
    }
}

static bool has_index(const struct comparison *c)
{
    return c->indexes && c->indexes->depth == c->depth;
}

static void drop_index(struct comparison *c)
{
    struct index *index = c->indexes;

    c->indexes = index->outer;
    kin__free(index);
}

static kin_value search_index(const struct comparison *c, kin_str key)
{
    const struct index *index = c->indexes;

    for (uint32_t slot = slot_of(key, index->slots); index->members[slot] != 0;
         slot = (slot + 1) & (index->slots - 1)) {
        const uint8_t *p = c->pair.b_at + index->members[slot];
        kin_str other = {NULL, 0};
        uint16_t id = kin__tape_read_key(&p, &other);

        if (kin_str_equal(id == KIN__KEY_TEXT ? other : kin__keys_text(id), key))
            return (kin_value){c->pair.b.tape, p};
    }
    return (kin_value){NULL, NULL};
}

/* The member of the other side that has this key, wherever it stands. */
static kin_value search(struct comparison *c, uint16_t id, kin_str key)
{
    kin_value map = {c->pair.b.tape, c->pair.b_at};

    if (!has_index(c)) {
        kin__walk all;

        kin__walk_init(&all, (kin__at){c->pair.b.tape, c->pair.b_at});

        uint32_t members = count(all);
        struct index *index = members >= INDEX_MIN ? make_index(c, members) : NULL;

        if (!index)
            return kin__value_get_key(map, id, key);
        c->indexes = index;
    }
    return search_index(c, key);
}

/* The element of the other side that belongs to the one with this key. */
static kin__at counterpart(struct comparison *c, uint16_t id, kin_str key)
{
    kin__walk ahead = c->pair.b;
    kin__at value;
    kin_str other = {NULL, 0};
    uint16_t other_id;

    if (kin__walk_next(&ahead, &other_id, &other, &value) &&
        (!ahead.is_map || (id == other_id && id != KIN__KEY_TEXT) || kin_str_equal(key, other))) {
        c->pair.b = ahead;
        return value;
    }

    kin_value found = search(c, id, key);

    if (found.at)
        c->pair.b.next = kin__tape_skip(found.at);
    return (kin__at){c->pair.b.tape, found.at};
}

static void enter(struct comparison *c, kin__at a, kin__at b, const struct pair *pair)
{
    c->levels[c->depth++] = (struct level){a.tape, b.tape, offset_of(a), offset_of(b)};
    c->pair = *pair;
}

/* Back to behind the elements that were gone into; false if there is no level around. */
static bool leave(struct comparison *c)
{
    kin__at a = c->a;
    kin__at b = c->b;

    if (has_index(c))
        drop_index(c);
    if (c->depth == 0)
        return false;

    const struct level *level = &c->levels[--c->depth];

    if (c->depth > 0) {
        a = follow(place(level[-1].a_tape, level[-1].a));
        b = follow(place(level[-1].b_tape, level[-1].b));
    }
    open_pair(&c->pair, a, b);
    c->pair.a.next = kin__tape_skip(place(level->a_tape, level->a).at);
    c->pair.b.next = kin__tape_skip(place(level->b_tape, level->b).at);
    return true;
}

/* Goes on until all was compared, which is equality, or a difference is found. */
static bool equal_elements(struct comparison *c)
{
    for (;;) {
        struct pair below;
        kin__at a;
        kin_str key = {NULL, 0};
        uint16_t id;
        bool open;

        if (!kin__walk_next(&c->pair.a, &id, &key, &a)) {
            if (!leave(c))
                return true;
            continue;
        }

        kin__at b = counterpart(c, id, key);

        if (!b.at || !equal_values(follow(a), follow(b), &below, &open))
            return false;
        if (open)
            enter(c, a, b, &below);
    }
}

bool kin_value_equal(kin_value a, kin_value b)
{
    struct comparison c;
    bool open;

    c.a = kin__value_at(a);
    c.b = kin__value_at(b);
    c.indexes = NULL;
    c.depth = 0; /* the levels need no clearing */
    if (!equal_values(c.a, c.b, &c.pair, &open))
        return false;

    bool equal = !open || equal_elements(&c);

    while (c.indexes)
        drop_index(&c);
    return equal;
}

/* A tombstone has a document's root, but is something else. */
static bool is_document(const kin_object *object)
{
    return object && object->object_class == &kin__document_class;
}

bool kin_object_equal(const kin_object *a, const kin_object *b)
{
    if (a == b)
        return true;
    return is_document(a) && is_document(b) &&
           kin_value_equal(kin_object_root(a), kin_object_root(b));
}

/* --- hashes --- */

/* A level of which an element was gone into: where it goes on, from the beginning of its tape. */
struct hash_level {
    const kin__tape *tape;
    uint64_t sum;
    uint32_t next;
    uint32_t end;
};

static uint64_t finish(uint64_t seed, uint64_t type, uint64_t sum)
{
    uint64_t parts[2] = {type, sum};

    return kin__hash(seed, parts, sizeof(parts));
}

static uint64_t hash_scalar(uint64_t seed, kin__at at)
{
    enum kin_type type = kin__tape_type(at);
    kin_scratch scratch;
    char room[32];
    kin_str text;

    if (type == KIN_STRING) {
        text = kin__tape_string(at, &scratch);
        return finish(seed, type, kin__hash(seed, text.data, text.len));
    }
    if (is_number(type)) {
        text = number_text(at, room + sizeof(room));
        return finish(seed, KIN_NUMBER, kin__number_hash(seed, text.data, text.len));
    }
    return finish(seed, type, *at.at);
}

struct hashing {
    kin__walk walk; /* of the innermost level */
    uint64_t sum;   /* of its elements; it begins with the hash of its key */
    unsigned depth; /* levels around the innermost */
    bool is_map[KIN__FRAMES_MAX];
    struct hash_level levels[KIN__FRAMES_MAX];
};

/* False, and nothing has changed, if the value is neither map nor array. */
static bool enter_hash(struct hashing *h, kin__at at, uint64_t key_hash)
{
    const uint8_t *begin = kin__tape_bytes(h->walk.tape);

    h->is_map[h->depth] = h->walk.is_map;
    h->levels[h->depth] = (struct hash_level){
        h->walk.tape, h->sum, (uint32_t)(h->walk.next - begin), (uint32_t)(h->walk.end - begin)};
    if (!kin__walk_init(&h->walk, at))
        return false;
    h->depth++;
    h->sum = key_hash;
    return true;
}

/* Back to behind the element that was gone into; the hash is its own. */
static void leave_hash(struct hashing *h, uint64_t seed, uint64_t hash)
{
    const struct hash_level *level = &h->levels[--h->depth];
    const uint8_t *begin = kin__tape_bytes(level->tape);
    bool is_map = h->is_map[h->depth];

    h->walk = (kin__walk){level->tape, begin + level->next, begin + level->end, is_map};
    h->sum = is_map ? level->sum + hash : finish(seed, level->sum, hash);
}

/* The order of members is of no consequence, that of items is. */
static uint64_t hash_elements(struct hashing *h, uint64_t seed)
{
    for (;;) {
        bool is_map = h->walk.is_map;
        kin_str key = {NULL, 0};
        kin__at at;
        uint16_t id;

        if (!kin__walk_next(&h->walk, &id, &key, &at)) {
            uint64_t hash = finish(seed, is_map ? KIN_MAP : KIN_ARRAY, h->sum);

            if (h->depth == 0)
                return hash;
            leave_hash(h, seed, hash);
            continue;
        }

        uint64_t key_hash = is_map ? kin__hash(seed, key.data, key.len) : 0;
        at = follow(at);
        if (enter_hash(h, at, key_hash))
            continue;

        uint64_t hash = hash_scalar(seed, at);

        h->sum = is_map ? h->sum + finish(seed, key_hash, hash) : finish(seed, h->sum, hash);
    }
}

uint64_t kin_value_hash(kin_value value)
{
    struct hashing h;
    uint64_t seed = kin__hash_seed();
    kin__at at = kin__value_at(value);

    if (!at.at)
        return finish(seed, KIN_NONE, 0);
    if (!kin__walk_init(&h.walk, at))
        return hash_scalar(seed, at);
    h.sum = 0;
    h.depth = 0; /* the levels need no clearing */
    return hash_elements(&h, seed);
}

uint64_t kin_object_hash(const kin_object *object)
{
    /* Another class is equal to itself only: the address will do. */
    if (!is_document(object))
        return kin__hash(kin__hash_seed(), &object, sizeof(object));
    return kin_value_hash(kin_object_root(object));
}
