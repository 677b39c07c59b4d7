/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tape: how values lie in memory.
 *
 * A value is a tag byte and what the tag says follows. Maps and arrays carry the length of their
 * content, so that every value can be stepped over without reading it. A member is a key code and a
 * value.
 *
 * | tag         | value                     | behind it                                          |
 * |-------------|---------------------------|----------------------------------------------------|
 * | 0x00 … 0x3f | string of 0 to 63 bytes   | its bytes                                          |
 * | 0x40 … 0x5f | integer 0 to 31           |                                                    |
 * | 0x60 … 0x9f | shared value, number 0-63 of the tape's table |                                |
 * | SHARED      | any other shared value    | varint: its number in the table                    |
 * | INTEGER     | int64                     | varint, zigzag                                     |
 * | BIG         | integer, any other spelling or size | varint length, text                      |
 * | NUMBER      | any other number          | varint length, text                                |
 * | STRING      | any other string          | varint length, bytes                               |
 * | TIME        | "2026-01-31T12:00:00Z"    | 4 bytes: seconds since 1970                        |
 * | MICROTIME   | the same with ".123456"   | 4 bytes, 3 bytes: microseconds                     |
 * | UUID        | lower-case UUID           | 16 bytes                                           |
 * | IPV4        | "10.0.0.1"                | 4 bytes                                            |
 * | HEX         | text ending in hex digits | length of what is before, pairs of digits, both    |
 * | HEX_WORD    | the same, after a word    | 2 bytes: its id; pairs of digits, bytes            |
 * | BACK        | a string of this tape     | varint: its distance, from this tag to the other's |
 * | NAME, NAMESPACE | the document's own    | (the text is part of the document's key)           |
 * | MAP, ARRAY  |                           | varint length in bytes, elements                   |
 * | 0xc0 … 0xff | word of the dictionary    | a byte: the lower half of its id                   |
 *
 * A key code is one byte below KIN__KEYS_SHORT; two bytes up to KIN__KEYS_MAX; or 0xff, varint
 * length, text. Varints are little-endian base 128. Fixed numbers are little-endian. Only string
 * forms that give back the very same text are packed.
 *
 * The block of a document or of a shared value is a `kin__tape`: the table of the shared values
 * that it refers to, and the bytes. Both are const once the block is made, so reading needs no
 * lock. A tape was made by compact.c from a valid draft; readers trust it.
 */
#ifndef KIN_OBJECT_TAPE_H
#define KIN_OBJECT_TAPE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/compiler.h"
#include "kinform/value.h"
#include "object/keys.h"

#define KIN__TAG_STRING_0 0x00u
#define KIN__TAG_INTEGER_0 0x40u
#define KIN__TAG_SHARED_0 0x60u
/* How many of each have their number in the tag. */
#define KIN__TAG_STRINGS 64u
#define KIN__TAG_INTEGERS 32u
#define KIN__TAG_SHAREDS 64u

enum kin__tag {
    KIN__TAG_NULL = 0xa0,
    KIN__TAG_FALSE,
    KIN__TAG_TRUE,
    KIN__TAG_EMPTY_MAP,
    KIN__TAG_EMPTY_ARRAY,
    KIN__TAG_NAME,
    KIN__TAG_NAMESPACE,
    KIN__TAG_SHARED,
    KIN__TAG_INTEGER,
    KIN__TAG_BIG,
    KIN__TAG_NUMBER,
    KIN__TAG_STRING,
    KIN__TAG_TIME,
    KIN__TAG_MICROTIME,
    KIN__TAG_UUID,
    KIN__TAG_IPV4,
    KIN__TAG_HEX,
    KIN__TAG_HEX_WORD,
    KIN__TAG_BACK,
    KIN__TAG_MAP,
    KIN__TAG_ARRAY,
};

#define KIN__TAG_WORD_0 0xc0u
_Static_assert(KIN__TAG_ARRAY < KIN__TAG_WORD_0 && KIN__KEYS_MAX <= 64 * 256, "tags are unique");

#define KIN__KEY_CODE_TEXT 0xffu
_Static_assert(KIN__KEYS_SHORT + ((KIN__KEYS_MAX - 1 - KIN__KEYS_SHORT) >> 8) < KIN__KEY_CODE_TEXT,
               "key codes are unique");

struct kin__shared;

/*
 * The head of a block; the bytes stand behind it, what is read first in front, and then the table.
 */
typedef struct kin__tape {
    uint32_t len; /* bytes */
    uint32_t refs_len;
} kin__tape;

/* What bytes and table take, so that the table is aligned as pointers are. */
static inline size_t kin__tape_size(size_t len, size_t refs_len)
{
    return (len + sizeof(void *) - 1) / sizeof(void *) * sizeof(void *) + refs_len * sizeof(void *);
}

static inline const uint8_t *kin__tape_bytes(const kin__tape *tape)
{
    return (const uint8_t *)(tape + 1);
}

static inline const struct kin__shared *const *kin__tape_refs(const kin__tape *tape)
{
    const uint8_t *end = kin__tape_bytes(tape) + kin__tape_size(tape->len, 0);

    return (const struct kin__shared *const *)(const void *)end;
}

/* The same while the block is being made. */
static inline uint8_t *kin__tape_new_bytes(kin__tape *tape)
{
    return (uint8_t *)(tape + 1);
}

static inline const struct kin__shared **kin__tape_new_refs(kin__tape *tape)
{
    uint8_t *end = kin__tape_new_bytes(tape) + kin__tape_size(tape->len, 0);

    return (const struct kin__shared **)(void *)end;
}

/* A value with its shared part followed: `tape` owns what `at` points to. */
typedef struct kin__at {
    const kin__tape *tape;
    const uint8_t *at;
} kin__at;

static inline uint64_t kin__varint_read(const uint8_t **p)
{
    uint64_t value = *(*p)++;

    if (kin__likely(value < 0x80))
        return value;
    value &= 0x7f;
    for (unsigned shift = 7;; shift += 7) {
        uint64_t byte = *(*p)++;

        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Where the value at `p` ends. */
const uint8_t *kin__tape_skip_long(const uint8_t *p);

static inline const uint8_t *kin__tape_skip(const uint8_t *p)
{
    if (*p < KIN__TAG_STRING_0 + KIN__TAG_STRINGS)
        return p + 1 + *p;
    if (*p < KIN__TAG_SHARED)
        return p + 1;
    if (*p >= KIN__TAG_WORD_0)
        return p + 2;
    return kin__tape_skip_long(p);
}

/* A member's key: steps over it. `ret_text` only for KIN__KEY_TEXT. */
static inline uint16_t kin__tape_read_key(const uint8_t **p, kin_str *ret_text)
{
    unsigned code = *(*p)++;

    if (kin__likely(code < KIN__KEYS_SHORT))
        return (uint16_t)code;
    if (code != KIN__KEY_CODE_TEXT)
        return (uint16_t)(KIN__KEYS_SHORT + ((code - KIN__KEYS_SHORT) << 8) + *(*p)++);
    ret_text->len = (size_t)kin__varint_read(p);
    ret_text->data = (const char *)*p;
    *p += ret_text->len;
    return KIN__KEY_TEXT;
}

/* Follow a shared value to its content. */
kin__at kin__tape_follow(kin__at value);

/* The elements of a map or array, which must have been followed: from *ret_begin to the result. */
const uint8_t *kin__tape_elements(const uint8_t *at, const uint8_t **ret_begin);

/* Goes through the elements of a map or array; a smaller kin_iter, for stacks of them. */
typedef struct kin__walk {
    const kin__tape *tape;
    const uint8_t *next;
    const uint8_t *end;
    bool is_map;
} kin__walk;

/* False if the value, which must have been followed, is neither map nor array. */
bool kin__walk_init(kin__walk *walk, kin__at value);
/* The next element's value, not followed, and its key if it is a map's member. */
bool kin__walk_next(kin__walk *walk, uint16_t *ret_id, kin_str *ret_key, kin__at *ret_value);

/* What is at a value that has been followed. */
enum kin_type kin__tape_type(kin__at value);
/* Of a string: the view, unpacked into `scratch` if need be. */
kin_str kin__tape_string(kin__at value, kin_scratch *scratch);
/* Of a number: whether it is an int64 spelled in its shortest form; else its text. */
bool kin__tape_integer(kin__at value, int64_t *ret, kin_str *ret_text);

/* The decimal text, written so that it ends at `end`; takes up to 20 bytes before it. */
kin_str kin__integer_text(int64_t integer, char *end);

/* A map's member; id may be KIN__KEY_TEXT, for a key that the dictionary did not have. */
kin_value kin__value_get_key(kin_value map, uint16_t id, kin_str text);

/* A map's member, by a built-in key. */
static inline kin_value kin__value_get_built_in(kin_value map, enum kin__key key)
{
    return kin__value_get_key(map, (uint16_t)key, kin__keys_text((uint16_t)key));
}

/* Whether two values are the same place, and so equal. Quick; says false of many equal ones. */
bool kin__value_identical(kin_value a, kin_value b);

static inline bool kin__tape_is_shared(const uint8_t *at)
{
    return *at - KIN__TAG_SHARED_0 < KIN__TAG_SHAREDS || *at == KIN__TAG_SHARED;
}

/* A value as readers see it, with its shared part followed. at NULL stays so. */
static inline kin__at kin__value_at(kin_value value)
{
    kin__at at = {(const kin__tape *)value.owner, value.at};

    return at.at && kin__tape_is_shared(at.at) ? kin__tape_follow(at) : at;
}

#endif
