/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the tape: stepping over values, following shared ones, finding members.
 */
#include "object/tape.h"

#include "base/assert.h"
#include "object/document.h"
#include "object/pack.h"
#include "object/shared.h"

const uint8_t *kin__tape_skip_long(const uint8_t *p)
{
    switch (*p) {
    case KIN__TAG_SHARED:
    case KIN__TAG_INTEGER:
    case KIN__TAG_BACK:
        p++;
        kin__varint_read(&p);
        return p;
    case KIN__TAG_BIG:
    case KIN__TAG_NUMBER:
    case KIN__TAG_STRING:
    case KIN__TAG_MAP:
    case KIN__TAG_ARRAY: {
        p++;
        uint64_t len = kin__varint_read(&p);

        return p + len;
    }
    default:
        return kin__pack_skip(p);
    }
}

kin__at kin__tape_follow(kin__at value)
{
    const uint8_t *p = value.at;
    size_t number = *p == KIN__TAG_SHARED ? (p++, (size_t)kin__varint_read(&p))
                                          : (size_t)(*p - KIN__TAG_SHARED_0);

    kin__assert(number < value.tape->refs_len);

    const kin__shared *shared = kin__tape_refs(value.tape)[number];

    value.tape = &shared->tape;
    value.at = kin__tape_bytes(&shared->tape);
    return value;
}

const uint8_t *kin__tape_elements(const uint8_t *at, const uint8_t **ret_begin)
{
    *ret_begin = at + 1;
    if (*at != KIN__TAG_MAP && *at != KIN__TAG_ARRAY)
        return *ret_begin;

    uint64_t len = kin__varint_read(ret_begin);

    return *ret_begin + len;
}

bool kin__walk_init(kin__walk *walk, kin__at value)
{
    enum kin_type type = kin__tape_type(value);

    if (type != KIN_MAP && type != KIN_ARRAY)
        return false;
    walk->tape = value.tape;
    walk->end = kin__tape_elements(value.at, &walk->next);
    walk->is_map = type == KIN_MAP;
    return true;
}

bool kin__walk_next(kin__walk *walk, uint16_t *ret_id, kin_str *ret_key, kin__at *ret_value)
{
    const uint8_t *p = walk->next;

    if (p == walk->end)
        return false;
    *ret_id = KIN__KEY_NONE;
    if (walk->is_map) {
        *ret_id = kin__tape_read_key(&p, ret_key);
        if (*ret_id != KIN__KEY_TEXT)
            *ret_key = kin__keys_text(*ret_id);
    }
    *ret_value = (kin__at){walk->tape, p};
    walk->next = kin__tape_skip(p);
    return true;
}

enum kin_type kin__tape_type(kin__at value)
{
    /* Of the tags from NULL on. */
    static const uint8_t types[] = {
        [0] = KIN_NULL,
        [KIN__TAG_FALSE - KIN__TAG_NULL] = KIN_BOOL,
        [KIN__TAG_TRUE - KIN__TAG_NULL] = KIN_BOOL,
        [KIN__TAG_EMPTY_MAP - KIN__TAG_NULL] = KIN_MAP,
        [KIN__TAG_EMPTY_ARRAY - KIN__TAG_NULL] = KIN_ARRAY,
        [KIN__TAG_NAME - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_NAMESPACE - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_INTEGER - KIN__TAG_NULL] = KIN_INTEGER,
        [KIN__TAG_BIG - KIN__TAG_NULL] = KIN_INTEGER,
        [KIN__TAG_NUMBER - KIN__TAG_NULL] = KIN_NUMBER,
        [KIN__TAG_STRING - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_TIME - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_MICROTIME - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_UUID - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_IPV4 - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_HEX - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_HEX_WORD - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_BACK - KIN__TAG_NULL] = KIN_STRING,
        [KIN__TAG_MAP - KIN__TAG_NULL] = KIN_MAP,
        [KIN__TAG_ARRAY - KIN__TAG_NULL] = KIN_ARRAY,
    };

    if (!value.at)
        return KIN_NONE;
    if (*value.at < KIN__TAG_STRING_0 + KIN__TAG_STRINGS || *value.at >= KIN__TAG_WORD_0)
        return KIN_STRING;
    if (*value.at < KIN__TAG_INTEGER_0 + KIN__TAG_INTEGERS)
        return KIN_INTEGER;
    kin__assert(*value.at >= KIN__TAG_NULL); /* a shared value was followed */
    return *value.at < KIN__TAG_NULL ? KIN_NONE : (enum kin_type)types[*value.at - KIN__TAG_NULL];
}

kin_str kin__tape_string(kin__at value, kin_scratch *scratch)
{
    const uint8_t *p = value.at;

    /* To a string that is there in full: once is enough. */
    if (*p == KIN__TAG_BACK) {
        p++;
        p = value.at + kin__varint_read(&p);
    }
    if (*p < KIN__TAG_STRING_0 + KIN__TAG_STRINGS)
        return kin_str_make((const char *)p + 1, *p);
    if (*p >= KIN__TAG_WORD_0)
        return kin__keys_text((uint16_t)((*p - KIN__TAG_WORD_0) << 8 | p[1]));
    switch (*p) {
    case KIN__TAG_STRING: {
        p++;
        uint64_t len = kin__varint_read(&p);

        return kin_str_make((const char *)p, (size_t)len);
    }
    case KIN__TAG_NAME:
        return kin__document_name(kin__document_of_tape(value.tape));
    case KIN__TAG_NAMESPACE:
        return kin__document_namespace(kin__document_of_tape(value.tape));
    default:
        return kin__unpack(p, scratch);
    }
}

bool kin__tape_integer(kin__at value, int64_t *ret, kin_str *ret_text)
{
    const uint8_t *p = value.at;

    if (*p < KIN__TAG_INTEGER_0 + KIN__TAG_INTEGERS) {
        *ret = *p - (int64_t)KIN__TAG_INTEGER_0;
        return true;
    }
    bool is_integer = *p == KIN__TAG_INTEGER;

    p++;
    uint64_t number = kin__varint_read(&p);
    if (is_integer)
        *ret = (int64_t)(number >> 1) ^ -(int64_t)(number & 1);
    else
        *ret_text = kin_str_make((const char *)p, (size_t)number);
    return is_integer;
}

/* Where the member's value is, or NULL. */
static const uint8_t *find_member(const uint8_t *p, const uint8_t *end, uint16_t id, kin_str text)
{
    kin_str spelled = {NULL, 0};

    while (p < end) {
        uint16_t key = kin__tape_read_key(&p, &spelled);

        /* A key may have been learnt after this document spelled it out. */
        if (key == KIN__KEY_TEXT ? kin_str_equal(spelled, text) : key == id)
            return p;
        p = kin__tape_skip(p);
    }
    return NULL;
}

kin_value kin__value_get_key(kin_value map, uint16_t id, kin_str text)
{
    kin_value none = {NULL, NULL};
    kin__at at = kin__value_at(map);
    const uint8_t *p;

    if (!at.at || *at.at != KIN__TAG_MAP)
        return none;
    /* It may have been learnt since the caller looked. */
    if (id == KIN__KEY_TEXT)
        id = kin__keys_find(text);
    const uint8_t *end = kin__tape_elements(at.at, &p);
    const uint8_t *found = find_member(p, end, id, text);

    return found ? (kin_value){at.tape, found} : none;
}

bool kin__value_identical(kin_value a, kin_value b)
{
    return kin__value_at(a).at == kin__value_at(b).at;
}

kin_str kin__integer_text(int64_t integer, char *end)
{
    /* Through unsigned: the smallest integer has no positive counterpart. */
    uint64_t rest = integer < 0 ? 0 - (uint64_t)integer : (uint64_t)integer;
    char *p = end;

    do {
        *--p = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (integer < 0)
        *--p = '-';
    return kin_str_make(p, (size_t)(end - p));
}
