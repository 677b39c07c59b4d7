/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality and hashes of values: members in any order, numbers by value.
 *
 * Equality walks both sides at once with a stack. Members mostly stand in the same order, so the
 * next one of the other side is tried first; if it is another, the other map is searched. Maps are
 * equal if they have the same number of members and each of one side's is in the other: keys are
 * unique.
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
    uint32_t
        *index; /* OWNED or NULL: where members of b are, from b_at, by the hash of their key */
    uint32_t count;
};

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

/*
 * Compares two values; of maps and arrays only the outside, and then *ret_open with the pair to go
 * into.
 */
static bool equal_values(kin_value a_value, kin_value b_value, struct pair *pair, bool *ret_open)
{
    kin__at a = kin__value_at(a_value);
    kin__at b = kin__value_at(b_value);

    *ret_open = false;
    if (a.at == b.at)
        return true;
    if (!a.at || !b.at)
        return false;
    if (!kin__walk_init(&pair->a, a))
        return !kin__walk_init(&pair->b, b) && equal_scalars(a, b);
    if (!kin__walk_init(&pair->b, b) || pair->a.is_map != pair->b.is_map)
        return false;
    pair->count = count(pair->a);
    if (pair->count != count(pair->b))
        return false;
    pair->b_at = b.at;
    pair->index = NULL;
    *ret_open = true;
    return true;
}

static uint32_t slots_of(const struct pair *pair)
{
    uint32_t slots = 2 * INDEX_MIN;

    while (slots < pair->count * 2)
        slots *= 2;
    return slots;
}

static uint32_t slot_of(kin_str key, uint32_t slots)
{
    return kin__keys_hash(key) & (slots - 1);
}

static void make_index(struct pair *pair)
{
    uint32_t slots = slots_of(pair);
    kin__walk walk;
    kin__at value;
    kin_str key = {NULL, 0};
    uint16_t id;

    pair->index = kin__calloc(slots, sizeof(*pair->index));
    kin__walk_init(&walk, (kin__at){pair->b.tape, pair->b_at});
    while (pair->index) {
        uint32_t member = (uint32_t)(walk.next - pair->b_at);

        if (!kin__walk_next(&walk, &id, &key, &value))
            break;

        uint32_t slot = slot_of(key, slots);

        while (pair->index[slot] != 0)
            slot = (slot + 1) & (slots - 1);
        pair->index[slot] = member;
    }
}

static kin_value search_index(const struct pair *pair, kin_str key)
{
    uint32_t slots = slots_of(pair);

    for (uint32_t slot = slot_of(key, slots); pair->index[slot] != 0;
         slot = (slot + 1) & (slots - 1)) {
        const uint8_t *p = pair->b_at + pair->index[slot];
        kin_str other = {NULL, 0};
        uint16_t id = kin__tape_read_key(&p, &other);

        if (kin_str_equal(id == KIN__KEY_TEXT ? other : kin__keys_text(id), key))
            return (kin_value){pair->b.tape, p};
    }
    return (kin_value){NULL, NULL};
}

/* The element of the other side that belongs to the one with this key. */
static kin_value counterpart(struct pair *pair, uint16_t id, kin_str key)
{
    kin__walk ahead = pair->b;
    kin__at value;
    kin_str other = {NULL, 0};
    uint16_t other_id;

    if (kin__walk_next(&ahead, &other_id, &other, &value) &&
        (!pair->b.is_map || (id == other_id && id != KIN__KEY_TEXT) || kin_str_equal(key, other))) {
        pair->b = ahead;
        return (kin_value){value.tape, value.at};
    }
    if (pair->count >= INDEX_MIN && !pair->index)
        make_index(pair);
    if (pair->index)
        return search_index(pair, key);
    return kin__value_get_key((kin_value){pair->b.tape, pair->b_at}, id, key);
}

/* Goes on until the stack is empty, which is equality, or a difference is found. */
static bool equal_elements(struct pair *stack, unsigned *depth)
{
    while (*depth > 0) {
        struct pair *pair = &stack[*depth - 1];
        kin__at value;
        kin_str key = {NULL, 0};
        uint16_t id;
        bool open;

        if (!kin__walk_next(&pair->a, &id, &key, &value)) {
            kin__free(pair->index);
            --*depth;
            continue;
        }
        if (!equal_values((kin_value){value.tape, value.at}, counterpart(pair, id, key),
                          &stack[*depth], &open))
            return false;
        *depth += open;
    }
    return true;
}

bool kin_value_equal(kin_value a, kin_value b)
{
    struct pair stack[KIN__DEPTH_MAX + 1];
    unsigned depth = 0;
    bool open;

    if (!equal_values(a, b, &stack[0], &open))
        return false;
    depth += open;

    bool equal = equal_elements(stack, &depth);

    while (depth > 0)
        kin__free(stack[--depth].index);
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

struct open_hash {
    kin__walk walk;
    uint64_t key_hash; /* of the map or array in the one around it */
    uint64_t sum;
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

/*
 * Adds an element to what is open around it: the order of members is of no consequence, that of
 * items is.
 */
static void add_hash(uint64_t seed, struct open_hash *open, uint64_t key_hash, uint64_t hash)
{
    if (open->walk.is_map)
        open->sum += finish(seed, key_hash, hash);
    else
        open->sum = finish(seed, open->sum, hash);
}

uint64_t kin_value_hash(kin_value value)
{
    struct open_hash stack[KIN__DEPTH_MAX + 1];
    uint64_t seed = kin__hash_seed();
    kin__at at = kin__value_at(value);
    unsigned depth = 1;
    uint64_t result;

    if (!at.at)
        return finish(seed, KIN_NONE, 0);
    if (!kin__walk_init(&stack[0].walk, at))
        return hash_scalar(seed, at);
    stack[0].sum = 0;
    for (;;) {
        struct open_hash *open = &stack[depth - 1];
        kin_str key = {NULL, 0};
        uint16_t id;

        if (!kin__walk_next(&open->walk, &id, &key, &at)) {
            result = finish(seed, open->walk.is_map ? KIN_MAP : KIN_ARRAY, open->sum);
            if (--depth == 0)
                return result;
            add_hash(seed, &stack[depth - 1], open->key_hash, result);
            continue;
        }
        uint64_t key_hash = open->walk.is_map ? kin__hash(seed, key.data, key.len) : 0;

        at = kin__value_at((kin_value){at.tape, at.at});
        if (kin__walk_init(&stack[depth].walk, at)) {
            stack[depth].key_hash = key_hash;
            stack[depth].sum = 0;
            depth++;
        } else {
            add_hash(seed, open, key_hash, hash_scalar(seed, at));
        }
    }
}

uint64_t kin_object_hash(const kin_object *object)
{
    /* Another class is equal to itself only: the address will do. */
    if (!is_document(object))
        return kin__hash(kin__hash_seed(), &object, sizeof(object));
    return kin_value_hash(kin_object_root(object));
}
