/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the wire format. Indexing a message reads its own fields only. Nested messages are indexed
 * on their own, so nothing recurses. Words of errors are those of the code that Kubernetes generates.
 */
#include "object/protobuf_index.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "object/protobuf_wire.h"

void kin__pb_index_init(kin__pb_index *index, kin_str data)
{
    *index = (kin__pb_index){.data = data};
}

void kin__pb_index_done(kin__pb_index *index)
{
    kin__free(index->entries);
}

static int fail(kin_error *err, const char *words)
{
    return kin_error_set(err, KIN_EPARSE, "%s", words);
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

int kin__pb_index_all(kin__pb_index *index, kin_error *err)
{
    const unsigned char *data = (const unsigned char *)index->data.data;

    return append(index, data, data + index->data.len, 0, err);
}

/* Integers of a list may share one tag. */
static int append_packed(kin__pb_index *index, const unsigned char *p, const unsigned char *end,
                         size_t field, kin_error *err)
{
    const char *why = NULL;
    int code = 0;

    while (code == 0 && p && p < end) {
        const unsigned char *at = p;
        uint64_t value;

        p = kin__pb_varint(p, end, &value, &why);
        code = p ? append(index, at, p, field, err) : fail(err, why);
    }
    return code;
}

/* Indexes the value at *p and advances *p past it. */
static int read_field(kin__pb_index *index, const unsigned char **p, const unsigned char *end,
                      const kin__pb_field *field, size_t place, unsigned wire, kin_error *err)
{
    const unsigned char *at = *p;
    const char *why = NULL;
    size_t len = 0;
    unsigned wanted = kin__pb_wire_of(field);
    bool is_packed =
        wire == KIN__PB_LEN && wanted == KIN__PB_VARINT && (field->flags & KIN__PB_REPEATED);

    if (wire != wanted && !is_packed)
        return kin__pb_fail_wire(field, wire, err);
    if (wire == KIN__PB_LEN) {
        at = kin__pb_length(*p, end, &len, &why);
        *p = at ? at + len : NULL;
    } else {
        *p = kin__pb_skip(*p, end, wire, &why);
    }
    if (!*p)
        return fail(err, why);
    return is_packed ? append_packed(index, at, *p, place, err) : append(index, at, *p, place, err);
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

static int read_piece(kin__pb_index *index, const kin__pb_message *message, kin_str piece,
                      kin_error *err)
{
    const unsigned char *p = (const unsigned char *)piece.data;
    const unsigned char *end = p + piece.len;
    const char *why = NULL;
    size_t hint = 0;
    int code = 0;

    while (code == 0 && p && p < end) {
        uint64_t tag;
        int32_t number;
        unsigned wire;
        size_t place;

        p = kin__pb_varint(p, end, &tag, &why);
        if (!p)
            return fail(err, why);
        number = (int32_t)(uint32_t)(tag >> 3);
        wire = tag & 7;
        if (wire == KIN__PB_END_GROUP)
            return fail(err, "proto: wiretype end group for non-group");
        if (number <= 0)
            return kin_error_set(err, KIN_EPARSE, "proto: illegal tag %d (wire type %d)", number,
                                 (int)wire);
        place = find_field(message, number, &hint);
        if (place == message->n_fields) {
            index->has_unknown = true;
            p = kin__pb_skip(p, end, wire, &why);
            code = p ? 0 : fail(err, why);
        } else {
            code = read_field(index, &p, end, kin__pb_fields + message->first_field + place, place,
                              wire, err);
        }
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
        code = read_piece(index, message, kin__pb_text(index, i), err);
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
