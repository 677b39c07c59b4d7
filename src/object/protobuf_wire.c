/* SPDX-License-Identifier: Apache-2.0 */
#include "object/protobuf_wire.h"

/* Bits beyond the 64th are dropped, as the real server does. */
const unsigned char *kin__pb_varint_slow(const unsigned char *p, const unsigned char *end,
                                         uint64_t *ret, const char **ret_why)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (p == end) {
            *ret_why = KIN__PB_EOF;
            return NULL;
        }
        unsigned char byte = *p++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = value;
            return p;
        }
    }
    *ret_why = KIN__PB_OVERFLOW;
    return NULL;
}

static const unsigned char *skip_bytes(const unsigned char *p, const unsigned char *end, size_t n,
                                       const char **ret_why)
{
    if ((size_t)(end - p) >= n)
        return p + n;
    *ret_why = KIN__PB_EOF;
    return NULL;
}

/* A value that is not a group. */
static const unsigned char *skip_value(const unsigned char *p, const unsigned char *end,
                                       unsigned wire, const char **ret_why)
{
    uint64_t number;
    size_t len;

    switch (wire) {
    case KIN__PB_VARINT:
        return kin__pb_varint(p, end, &number, ret_why);
    case KIN__PB_64:
        return skip_bytes(p, end, 8, ret_why);
    case KIN__PB_32:
        return skip_bytes(p, end, 4, ret_why);
    case KIN__PB_LEN:
        p = kin__pb_length(p, end, &len, ret_why);
        return p ? p + len : NULL;
    default:
        *ret_why = wire == 6 ? "proto: illegal wireType 6" : "proto: illegal wireType 7";
        return NULL;
    }
}

const unsigned char *kin__pb_skip(const unsigned char *p, const unsigned char *end, unsigned wire,
                                  const char **ret_why)
{
    size_t depth = 0;
    uint64_t tag = 0;

    for (;;) {
        if (wire == KIN__PB_GROUP) {
            depth++;
        } else if (wire != KIN__PB_END_GROUP) {
            p = skip_value(p, end, wire, ret_why);
        } else if (depth == 0) {
            *ret_why = "proto: unexpected end of group";
            return NULL;
        } else {
            depth--;
        }
        if (!p || depth == 0)
            return p;
        p = kin__pb_varint(p, end, &tag, ret_why);
        if (!p)
            return NULL;
        wire = tag & 7;
    }
}

int kin__pb_fail_wire(const kin__pb_field *field, unsigned wire, kin_error *err)
{
    const char *name = kin__pb_name(field->name);

    if (wire == KIN__PB_END_GROUP)
        return kin_error_set(err, KIN_EPARSE, "proto: wiretype end group for non-group");
    return kin_error_set(err, KIN_EPARSE, "proto: wrong wireType = %u for field %c%s", wire,
                         name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0],
                         name[0] ? name + 1 : "");
}
