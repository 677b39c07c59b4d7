/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf's wire format: variable-length integers and tags, read within bounds.
 */
#ifndef KIN_OBJECT_PROTOBUF_WIRE_H
#define KIN_OBJECT_PROTOBUF_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"
#include "kinform/error.h"
#include "object/protobuf_tables.h"

enum kin__pb_wire {
    KIN__PB_VARINT = 0,
    KIN__PB_64 = 1,
    KIN__PB_LEN = 2, /* a length, and so many bytes */
    KIN__PB_GROUP = 3,
    KIN__PB_END_GROUP = 4,
    KIN__PB_32 = 5
};

/* The wire type of a field's values, unless integers of a list share one tag. */
static inline unsigned kin__pb_wire_of(const kin__pb_field *field)
{
    static const uint8_t wires[] = {
        [KIN__PB_STRING] = KIN__PB_LEN,   [KIN__PB_BYTES] = KIN__PB_LEN,
        [KIN__PB_BOOL] = KIN__PB_VARINT,  [KIN__PB_INT32] = KIN__PB_VARINT,
        [KIN__PB_INT64] = KIN__PB_VARINT, [KIN__PB_DOUBLE] = KIN__PB_64,
        [KIN__PB_MESSAGE] = KIN__PB_LEN};

    return wires[field->type];
}

/* Reasons of failures, in the words of Go's generated code. */
#define KIN__PB_EOF "unexpected EOF"
#define KIN__PB_OVERFLOW "proto: integer overflow"
#define KIN__PB_NEGATIVE "proto: negative length found during unmarshaling"

/* Any length. Returns the position after it; NULL and *ret_why on failure. */
const unsigned char *kin__pb_varint_slow(const unsigned char *p, const unsigned char *end,
                                         uint64_t *ret, const char **ret_why);

static inline const unsigned char *kin__pb_varint(const unsigned char *p, const unsigned char *end,
                                                  uint64_t *ret, const char **ret_why)
{
    if (kin__likely(p < end && *p < 0x80)) {
        *ret = *p;
        return p + 1;
    }
    if (kin__likely(end - p >= 2 && p[1] < 0x80)) {
        *ret = (uint64_t)(p[0] & 0x7f) | (uint64_t)p[1] << 7;
        return p + 2;
    }
    return kin__pb_varint_slow(p, end, ret, ret_why);
}

/* A length that the bytes up to `end` have. */
static inline const unsigned char *kin__pb_length(const unsigned char *p, const unsigned char *end,
                                                  size_t *ret, const char **ret_why)
{
    uint64_t len = 0;

    p = kin__pb_varint(p, end, &len, ret_why);
    if (kin__unlikely(!p))
        return NULL;
    if (kin__unlikely(len > (uint64_t)(end - p))) {
        *ret_why = len > INT64_MAX ? KIN__PB_NEGATIVE : KIN__PB_EOF;
        return NULL;
    }
    *ret = (size_t)len;
    return p;
}

/*
 * The end of the value of an unknown field; a group is skipped with its content. NULL and *ret_why on failure.
 */
const unsigned char *kin__pb_skip(const unsigned char *p, const unsigned char *end, unsigned wire,
                                  const char **ret_why);

/* A field of a message. */
typedef struct kin__pb_part {
    uint32_t number;
    unsigned wire;
    size_t tag_len;
    uint64_t integer;          /* of a VARINT */
    const unsigned char *data; /* of a LEN */
    size_t len;
} kin__pb_part;

/* Reads the next field. The position after it; NULL and *ret_why on failure. */
static inline const unsigned char *kin__pb_next_field(const unsigned char *p,
                                                      const unsigned char *end, kin__pb_part *ret,
                                                      const char **ret_why)
{
    const unsigned char *at = p;
    uint64_t tag = 0;

    p = kin__pb_varint(p, end, &tag, ret_why);
    if (kin__unlikely(!p))
        return NULL;
    ret->number = (uint32_t)(tag >> 3);
    ret->wire = tag & 7;
    ret->tag_len = (size_t)(p - at);
    if (ret->wire == KIN__PB_VARINT)
        return kin__pb_varint(p, end, &ret->integer, ret_why);
    if (ret->wire != KIN__PB_LEN)
        return kin__pb_skip(p, end, ret->wire, ret_why);
    p = kin__pb_length(p, end, &ret->len, ret_why);
    ret->data = p;
    return p ? p + ret->len : NULL;
}

/* Fail: a value is not written as those of the field are. KIN_EPARSE. */
int kin__pb_fail_wire(const kin__pb_field *field, unsigned wire, kin_error *err);

#endif
