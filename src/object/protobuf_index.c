/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the wire format. Only the fields of one message are looked at: what lies in its messages
 * is indexed when they are, so that nothing recurses, and each byte is read once per level of which
 * it is a tag. Words of errors are those of the code that Kubernetes generates.
 */
#include "object/protobuf_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum wire { WIRE_VARINT, WIRE_64, WIRE_BYTES, WIRE_GROUP, WIRE_END_GROUP, WIRE_32 };

struct reader {
    const unsigned char *at;
    const unsigned char *end;
};

void kin__pb_index_init(kin__pb_index *index, kin_str data)
{
    *index = (kin__pb_index){.data = data};
}

void kin__pb_index_done(kin__pb_index *index)
{
    kin__free(index->entries);
}

/* --- numbers --- */

static int fail(kin_error *err, const char *words)
{
    return kin_error_set(err, KIN_EPARSE, "%s", words);
}

/* Bits beyond the 64th are dropped, as the real server does. */
static int read_varint(struct reader *r, uint64_t *ret, kin_error *err)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end)
            return fail(err, "unexpected EOF");
        unsigned char byte = *r->at++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = value;
            return 0;
        }
    }
    return fail(err, "proto: integer overflow");
}

static int read_length(struct reader *r, uint64_t *ret, kin_error *err)
{
    int code = read_varint(r, ret, err);

    if (code < 0)
        return code;
    if (*ret > INT64_MAX)
        return fail(err, "proto: negative length found during unmarshaling");
    if (*ret > (uint64_t)(r->end - r->at))
        return fail(err, "unexpected EOF");
    return 0;
}

static int read_tag(struct reader *r, int32_t *ret_number, enum wire *ret_wire, kin_error *err)
{
    uint64_t tag = 0;
    int code = read_varint(r, &tag, err);

    if (code < 0)
        return code;
    *ret_number = (int32_t)(uint32_t)(tag >> 3);
    *ret_wire = (enum wire)(tag & 7);
    return 0;
}

/* --- values --- */

static int skip_bytes(struct reader *r, uint64_t n, kin_error *err)
{
    if (n > (uint64_t)(r->end - r->at))
        return fail(err, "unexpected EOF");
    r->at += n;
    return 0;
}

/* A value that is no group. *ret_at is where it begins behind a length. */
static int skip_value(struct reader *r, enum wire wire, const unsigned char **ret_at,
                      kin_error *err)
{
    uint64_t number = 0;
    int code;

    *ret_at = r->at;
    switch (wire) {
    case WIRE_VARINT:
        return read_varint(r, &number, err);
    case WIRE_64:
        return skip_bytes(r, 8, err);
    case WIRE_32:
        return skip_bytes(r, 4, err);
    case WIRE_BYTES:
        code = read_length(r, &number, err);
        *ret_at = r->at;
        return code < 0 ? code : skip_bytes(r, number, err);
    default:
        return kin_error_set(err, KIN_EPARSE, "proto: illegal wireType %d", (int)wire);
    }
}

/* Of a field that is not known: groups are passed over, too, however deep they are. */
static int skip_unknown(struct reader *r, enum wire wire, kin_error *err)
{
    size_t depth = 0;

    for (;;) {
        const unsigned char *at;
        int32_t number;
        int code = 0;

        if (wire == WIRE_GROUP)
            depth++;
        else if (wire != WIRE_END_GROUP)
            code = skip_value(r, wire, &at, err);
        else if (depth == 0)
            return fail(err, "proto: unexpected end of group");
        else
            depth--;
        if (code < 0 || depth == 0)
            return code;
        code = read_tag(r, &number, &wire, err);
        if (code < 0)
            return code;
    }
}

static int append(kin__pb_index *index, const unsigned char *at, const unsigned char *end,
                  size_t field, kin_error *err)
{
    kin__pb_entry *entries = index->entries;

    if (index->n == index->cap) {
        entries = kin__grow_array(entries, &index->cap, index->n + 1, sizeof(*entries));
        if (!entries)
            return kin__error_no_memory(err);
        index->entries = entries;
    }
    entries[index->n++] =
        (kin__pb_entry){.at = (uint32_t)(at - (const unsigned char *)index->data.data),
                        .len = (uint32_t)(end - at),
                        .field = (uint16_t)field};
    return 0;
}

int kin__pb_index_rest(kin__pb_index *index, size_t at, kin_error *err)
{
    const unsigned char *data = (const unsigned char *)index->data.data;

    return append(index, data + at, data + index->data.len, 0, err);
}

static bool is_integer(const kin__pb_field *field)
{
    return field->type == KIN__PB_INT32 || field->type == KIN__PB_INT64 ||
           field->type == KIN__PB_BOOL;
}

/* Integers of a list may lie behind one tag. */
static int append_packed(kin__pb_index *index, struct reader r, size_t field, kin_error *err)
{
    int code = 0;

    while (code == 0 && r.at < r.end) {
        const unsigned char *at = r.at;
        uint64_t value;

        code = read_varint(&r, &value, err);
        if (code == 0)
            code = append(index, at, r.at, field, err);
    }
    return code;
}

static int fail_wire(const kin__pb_field *field, enum wire wire, kin_error *err)
{
    const char *name = kin__pb_name(field->name);

    return kin_error_set(err, KIN_EPARSE, "proto: wrong wireType = %d for field %c%s", (int)wire,
                         name[0] >= 'a' && name[0] <= 'z' ? name[0] - 'a' + 'A' : name[0],
                         name[0] ? name + 1 : "");
}

static int read_field(kin__pb_index *index, struct reader *r, const kin__pb_field *field,
                      size_t place, enum wire wire, kin_error *err)
{
    const unsigned char *at;
    enum wire wanted = is_integer(field)               ? WIRE_VARINT
                       : field->type == KIN__PB_DOUBLE ? WIRE_64
                                                       : WIRE_BYTES;
    bool is_packed =
        wire == WIRE_BYTES && wanted == WIRE_VARINT && (field->flags & KIN__PB_REPEATED);
    int code;

    if (wire != wanted && !is_packed)
        return fail_wire(field, wire, err);
    code = skip_value(r, wire, &at, err);
    if (code < 0)
        return code;
    if (is_packed)
        return append_packed(index, (struct reader){at, r->at}, place, err);
    return append(index, at, r->at, place, err);
}

/* --- messages --- */

/* Which field has a number, or n_fields. They come in order mostly: `*hint` was the last one. */
static size_t find_field(const kin__pb_message *message, int32_t number, size_t *hint)
{
    const kin__pb_field *fields = kin__pb_fields + message->first_field;
    size_t i = *hint < message->n_fields && fields[*hint].number <= number ? *hint : 0;

    while (i < message->n_fields && fields[i].number < number)
        i++;
    if (i == message->n_fields || fields[i].number != number)
        return message->n_fields;
    *hint = i;
    return i;
}

static int read_piece(kin__pb_index *index, const kin__pb_message *message, struct reader *r,
                      kin_error *err)
{
    size_t hint = 0;
    int code = 0;

    while (code == 0 && r->at < r->end) {
        int32_t number;
        enum wire wire;
        size_t place;

        code = read_tag(r, &number, &wire, err);
        if (code < 0)
            return code;
        if (wire == WIRE_END_GROUP)
            return fail(err, "proto: wiretype end group for non-group");
        if (number <= 0)
            return kin_error_set(err, KIN_EPARSE, "proto: illegal tag %d (wire type %d)", number,
                                 (int)wire);
        place = find_field(message, number, &hint);
        if (place == message->n_fields)
            code = skip_unknown(r, wire, err);
        else
            code = read_field(index, r, kin__pb_fields + message->first_field + place, place, wire,
                              err);
    }
    return code;
}

static int compare_entries(const void *a, const void *b)
{
    const kin__pb_entry *x = a;
    const kin__pb_entry *y = b;

    if (x->field != y->field)
        return x->field < y->field ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

static void sort(kin__pb_index *index, size_t first)
{
    for (size_t i = first + 1; i < index->n; i++) {
        if (compare_entries(&index->entries[i - 1], &index->entries[i]) > 0) {
            qsort(index->entries + first, index->n - first, sizeof(*index->entries),
                  compare_entries);
            return;
        }
    }
}

int kin__pb_index_message(kin__pb_index *index, const kin__pb_message *message, size_t first,
                          size_t end, kin_error *err)
{
    size_t start = index->n;
    int code = 0;

    for (size_t i = first; code == 0 && i < end; i++) {
        kin_str piece = kin__pb_text(index, i);
        struct reader r = {(const unsigned char *)piece.data,
                           (const unsigned char *)piece.data + piece.len};

        code = read_piece(index, message, &r, err);
    }
    sort(index, start);
    return code;
}

/* --- what is indexed --- */

kin_str kin__pb_text(const kin__pb_index *index, size_t entry)
{
    const kin__pb_entry *e = &index->entries[entry];

    return kin_str_make(index->data.data + e->at, e->len);
}

int64_t kin__pb_integer(const kin__pb_index *index, size_t entry)
{
    kin_str text = kin__pb_text(index, entry);
    uint64_t value = 0;

    for (size_t i = 0; i < text.len; i++)
        value |= (uint64_t)((unsigned char)text.data[i] & 0x7f) << (7 * i);
    return (int64_t)value;
}

double kin__pb_double(const kin__pb_index *index, size_t entry)
{
    kin_str text = kin__pb_text(index, entry);
    uint64_t bits = 0;
    double value;

    for (size_t i = 0; i < sizeof(bits); i++)
        bits |= (uint64_t)(unsigned char)text.data[i] << (8 * i);
    memcpy(&value, &bits, sizeof(value));
    return value;
}
