/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Texts, numbers and times of protobuf into the draft of a kin__protobuf_reader, and its failures. `at` is the position of
 * the value in the message. The functions return 0, KIN_EPARSE, KIN_ELIMIT or KIN_ENOMEM.
 */
#ifndef KIN_OBJECT_PROTOBUF_SCALAR_H
#define KIN_OBJECT_PROTOBUF_SCALAR_H

#include <string.h>

#include "base/utf8.h"
#include "kinform/time.h"
#include "object/protobuf_reader.h"
#include "object/protobuf_wire.h"

/* --- failures: they return the code --- */

int kin__pb_fail_code(const kin__protobuf_reader *r, const unsigned char *at, int code,
                      const char *words);
/* Without " at byte N": the words are those of the real server. */
int kin__pb_fail(const kin__protobuf_reader *r, const unsigned char *at, const char *words);
/* The fields have to be put in order; the failure is not final. */
int kin__pb_disordered(kin__protobuf_reader *r, const unsigned char *at);
/* The draft has no room for a value. */
int kin__pb_no_room(const kin__protobuf_reader *r, const unsigned char *at, int code);
/* JSON has no such limit: its text is longer. */
int kin__pb_fail_crowded(kin__protobuf_reader *r, const unsigned char *at);
/* kin__draft_push() has failed. */
int kin__pb_push_failed(const kin__protobuf_reader *r, const unsigned char *at);

/* Whether there are too many values for the length of the message. */
static inline bool kin__pb_is_crowded(const kin__protobuf_reader *r)
{
    return r->draft->len > r->nodes_max;
}

/* --- texts --- */

/* As Go writes it as JSON: each byte that is not of a character becomes U+FFFD. Checked against the limit again. */
int kin__pb_repair_text(kin__protobuf_reader *r, const unsigned char *at, kin_str *text);
/* A text that is not in the input. */
int kin__pb_add_copy(kin__protobuf_reader *r, const unsigned char *at, const char *text,
                     size_t len);
int kin__pb_add_base64(kin__protobuf_reader *r, const unsigned char *in, size_t n);

static inline bool kin__pb_is_ascii(const unsigned char *p, size_t len)
{
    const uint64_t highs = UINT64_C(0x8080808080808080);
    uint64_t all = 0;
    uint64_t bytes;

    if (len >= 8) {
        for (size_t i = 0; i + 8 <= len; i += 8) {
            memcpy(&bytes, p + i, 8);
            all |= bytes;
        }
        memcpy(&bytes, p + len - 8, 8);
        return ((all | bytes) & highs) == 0;
    }
    while (len > 0)
        all |= p[--len];
    return (all & 0x80) == 0;
}

/* What a text is in JSON; checked against the limit. */
static inline int kin__pb_take_text(kin__protobuf_reader *r, const unsigned char *p, size_t len,
                                    kin_str *ret)
{
    *ret = kin_str_make((const char *)p, len);
    if (kin__unlikely(len > r->json->string_max))
        return kin__pb_fail_code(r, p, KIN_ELIMIT, "string too long");
    if (kin__likely(kin__pb_is_ascii(p, len)) || kin__utf8_check((const char *)p, len))
        return 0;
    return kin__pb_repair_text(r, p, ret);
}

static inline int kin__pb_add_text(kin__protobuf_reader *r, const unsigned char *at, kin_str text)
{
    kin__node *node = kin__draft_push(r->draft, KIN__NODE_STRING);

    if (kin__unlikely(!node))
        return kin__pb_push_failed(r, at);
    kin__draft_text(r->draft, node, text.data, text.len);
    return 0;
}

static inline int kin__pb_add_string(kin__protobuf_reader *r, const unsigned char *p, size_t len)
{
    kin_str text = kin_str_of("");
    int code = kin__pb_take_text(r, p, len, &text);

    return code < 0 ? code : kin__pb_add_text(r, p, text);
}

static inline int kin__pb_add_bytes(kin__protobuf_reader *r, const kin__pb_field *field,
                                    const unsigned char *p, size_t len)
{
    return field->type == KIN__PB_STRING ? kin__pb_add_string(r, p, len)
                                         : kin__pb_add_base64(r, p, len);
}

/* --- numbers and times --- */

static inline int kin__pb_add_small(kin__protobuf_reader *r, const unsigned char *at,
                                    enum kin__node_type type, uint64_t value)
{
    kin__node *node = kin__draft_push(r->draft, type);

    if (kin__unlikely(!node))
        return kin__pb_push_failed(r, at);
    kin__draft_small(r->draft, node, value);
    return 0;
}

static inline double kin__pb_double_of(const unsigned char *p)
{
    uint64_t bits = 0;
    double value;

    for (size_t i = 0; i < sizeof(bits); i++)
        bits |= (uint64_t)p[i] << (8 * i);
    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* 32 bits of a number of 32 bits count. */
static inline int kin__pb_add_integer(kin__protobuf_reader *r, const unsigned char *at,
                                      const kin__pb_field *field, uint64_t value)
{
    if (field->type == KIN__PB_BOOL)
        return kin__pb_add_small(r, at, value ? KIN__NODE_TRUE : KIN__NODE_FALSE, 0);
    if (field->type == KIN__PB_INT32)
        value = (uint64_t)(int64_t)(int32_t)(uint32_t)value;
    return kin__pb_add_small(r, at, KIN__NODE_INTEGER, value);
}

int kin__pb_add_double(kin__protobuf_reader *r, const unsigned char *p);
/* A value that is not there, where JSON has one. */
int kin__pb_add_zero(kin__protobuf_reader *r, const unsigned char *at, const kin__pb_field *field);
/* With so many digits of the fraction: 0 or 6. */
int kin__pb_add_time(kin__protobuf_reader *r, const unsigned char *at, kin_time time, bool is_zero,
                     unsigned digits);

#endif
