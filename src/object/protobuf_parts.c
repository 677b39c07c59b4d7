/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Small messages: their fields are few and are read into an array or looked through, without a frame. Nothing here
 * recurses.
 */
#include "object/protobuf_parts.h"

#include <stdio.h>

#include "object/json_scan.h"

/* The zero value of Go's time, 0001-01-01T00:00:00Z. */
#define ZERO_TIME INT64_C(-62135596800)
/* Microseconds of a second. */
#define MICROS 1000000

/* --- failures --- */

int kin__pb_fail_wire_at(const kin__protobuf_reader *r, const unsigned char *at,
                         const kin__pb_field *field, unsigned wire)
{
    kin__pb_fail(r, at, "");
    return kin__pb_fail_wire(field, wire, r->err);
}

static int fail_unknown(kin__protobuf_reader *r, const unsigned char *at, uint32_t number)
{
    const kin__draft *draft = r->draft;
    char around[64] = "the object";

    if (draft->depth > 1) {
        const kin__node *node = &draft->nodes[draft->frames[draft->depth - 1].node];

        if (node->key < KIN__KEYS_MAX)
            snprintf(around, sizeof(around), "\"%.40s\"", kin__keys_text(node->key).data);
    }
    r->needs_json = true;
    kin__pb_fail(r, at, "");
    return kin_error_set(r->err, KIN_EPROTOCOL,
                         "%s has a protobuf field, number %u, that is newer than this library",
                         around, (unsigned)number);
}

int kin__pb_pass_unknown(kin__protobuf_reader *r, const unsigned char *at, uint32_t number,
                         unsigned wire)
{
    if (wire == KIN__PB_END_GROUP)
        return kin__pb_fail(r, at, "proto: wiretype end group for non-group");
    if ((int32_t)number <= 0) {
        kin__pb_fail(r, at, "");
        return kin_error_set(r->err, KIN_EPARSE, "proto: illegal tag %d (wire type %u)",
                             (int)(int32_t)number, wire);
    }
    return r->skips_unknown ? 0 : fail_unknown(r, at, number);
}

int kin__protobuf_fail_unknown(kin__protobuf_reader *reader, kin_error *err)
{
    reader->needs_json = true;
    return kin_error_set(err, KIN_EPROTOCOL,
                         "the object has a protobuf field that is newer than this library");
}

/* --- reading --- */

int kin__pb_read_parts(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                       size_t len, kin__pb_part *parts, unsigned n)
{
    const kin__pb_field *fields = kin__pb_fields + kin__pb_messages[message].first_field;
    const unsigned char *end = p + len;
    uint32_t last = 0;
    int code = 0;

    for (unsigned i = 0; i < n; i++)
        parts[i] = (kin__pb_part){.wire = 7};
    while (p < end && code == 0) {
        const unsigned char *at = p;
        kin__pb_part part = {.wire = 7};

        p = kin__pb_read_part(r, p, end, &part);
        if (!p)
            return KIN_EPARSE;
        if (part.number == 0 || part.number > n) {
            code = kin__pb_pass_unknown(r, at, part.number, part.wire);
        } else if (part.number <= last) {
            code = kin__pb_disordered(r, at);
        } else if (part.wire != kin__pb_wire_of(&fields[part.number - 1])) {
            code = kin__pb_fail_wire_at(r, at, &fields[part.number - 1], part.wire);
        } else {
            last = part.number;
            parts[last - 1] = part;
        }
    }
    return code;
}

/* As Go does: nanoseconds of any number, cut to microseconds. */
static kin_time micro_time(int64_t seconds, int32_t nanoseconds)
{
    int32_t micros = nanoseconds / 1000;
    int32_t carry = micros / MICROS - (micros % MICROS < 0);

    /* Seconds for which this overflows are not within the years that have a text. */
    if (carry > 0 ? seconds > INT64_MAX - carry : seconds < INT64_MIN - carry)
        return (kin_time){seconds, 0};
    return (kin_time){seconds + carry, (micros - carry * MICROS) * 1000};
}

int kin__pb_read_time(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                      kin_time *ret, bool *ret_is_zero)
{
    kin__pb_part parts[2];
    int code = kin__pb_read_parts(r, message, p, len, parts, 2);

    *ret = (kin_time){(int64_t)parts[0].integer, 0};
    if (kin__pb_messages[message].form == KIN__PB_MICRO_TIME)
        *ret = micro_time(ret->seconds, (int32_t)(uint32_t)parts[1].integer);
    *ret_is_zero = len == 0 || (ret->seconds == ZERO_TIME && ret->nanoseconds == 0);
    return code;
}

static bool is_json_container(const unsigned char *p, size_t len)
{
    const char *at = kin__json_skip_space((const char *)p, (const char *)p + len);

    return at < (const char *)p + len && (*at == '{' || *at == '[');
}

int kin__pb_read_json(kin__protobuf_reader *r, unsigned message, const unsigned char *p, size_t len,
                      kin_str *ret)
{
    kin__pb_part part;
    int code = kin__pb_read_parts(r, message, p, len, &part, 1);

    *ret = kin_str_make((const char *)part.data, part.data ? part.len : 0);
    return code;
}

int kin__pb_find_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                        size_t len, const kin__pb_field **ret_field,
                        const unsigned char **ret_items, size_t *ret_tag_len)
{
    const kin__pb_message *m = &kin__pb_messages[message];
    const kin__pb_field *fields = kin__pb_fields + m->first_field;
    const unsigned char *end = p + len;
    uint32_t last = 0;
    int code = 0;

    *ret_field = NULL;
    *ret_items = p;
    *ret_tag_len = 0;
    while (p < end && code == 0) {
        const unsigned char *at = p;
        kin__pb_part part = {.wire = 7};

        p = kin__pb_read_part(r, p, end, &part);
        if (!p)
            return KIN_EPARSE;
        if (part.number == 0 || part.number > m->n_fields) {
            code = kin__pb_pass_unknown(r, at, part.number, part.wire);
        } else if (part.number < last ||
                   (part.number == last && !(fields[last - 1].flags & KIN__PB_REPEATED))) {
            code = kin__pb_disordered(r, at);
        } else if (part.wire != kin__pb_wire_of(&fields[part.number - 1])) {
            code = kin__pb_fail_wire_at(r, at, &fields[part.number - 1], part.wire);
        } else if (part.number != last) {
            last = part.number;
            *ret_field = &fields[last - 1];
            *ret_items = at;
            *ret_tag_len = part.tag_len;
        }
    }
    return code;
}

/* See kin__pb_is_container(). */
static bool looks_like_container(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                                 size_t len)
{
    const kin__pb_field *field;
    const unsigned char *items;
    size_t tag_len;
    kin_str text;

    switch ((enum kin__pb_form)kin__pb_messages[message].form) {
    case KIN__PB_OBJECT:
        return true;
    case KIN__PB_RAW:
        return kin__pb_read_json(r, message, p, len, &text) < 0 ||
               is_json_container((const unsigned char *)text.data, text.len);
    case KIN__PB_CHOICE:
        return kin__pb_find_choice(r, message, p, len, &field, &items, &tag_len) < 0 ||
               (field && ((field->flags & KIN__PB_REPEATED) || field->type == KIN__PB_MESSAGE));
    default:
        return false;
    }
}

bool kin__pb_is_container(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                          size_t len)
{
    kin_error *err = r->err;
    bool result;

    r->err = NULL;
    result = looks_like_container(r, message, p, len);
    r->err = err;
    r->needs_json = false;
    r->is_disordered = false;
    return result;
}

/* --- adding --- */

int kin__pb_add_int_or_string(kin__protobuf_reader *r, unsigned message, const unsigned char *p,
                              size_t len)
{
    kin__pb_part parts[3];
    int code = kin__pb_read_parts(r, message, p, len, parts, 3);

    if (code < 0)
        return code;
    switch (parts[0].integer) {
    case 0:
        return kin__pb_add_small(r, p, KIN__NODE_INTEGER,
                                 (uint64_t)(int64_t)(int32_t)(uint32_t)parts[1].integer);
    case 1:
        return kin__pb_add_string(r, parts[2].data ? parts[2].data : p, parts[2].len);
    default:
        return kin__pb_fail(r, p, "impossible IntOrString.Type");
    }
}

int kin__pb_add_no_choice(kin__protobuf_reader *r, unsigned message, const unsigned char *at)
{
    const kin__pb_field *field = kin__pb_fields + kin__pb_messages[message].first_field;

    if (field->type == KIN__PB_STRING && !(field->flags & KIN__PB_REPEATED))
        return kin__pb_add_text(r, at, kin_str_of("0"));
    return kin__pb_add_small(r, at, field->type == KIN__PB_BOOL ? KIN__NODE_FALSE : KIN__NODE_NULL,
                             0);
}
