/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items of a list in Kubernetes' protobuf: the envelope (runtime.Unknown) has the list in its field 2, and the
 * list has its items in field 2. Only fields with a length are read, since these messages have no others.
 */
#include "items.h"

#include <stdlib.h>
#include <string.h>

#define MAGIC "k8s\0"
#define MAGIC_LEN 4u
/* What is in front of an object's length: magic, apiVersion and kind, and the tag of the object. */
#define OBJECT_HEAD MAGIC "\x0a\x09\x0a\x02v1\x12\x03Pod\x12"
/* Two empty texts, as a server writes them. */
#define OBJECT_TAIL "\x1a\x00\x22\x00"
#define HEAD_LEN (sizeof(OBJECT_HEAD) - 1)
#define TAIL_LEN (sizeof(OBJECT_TAIL) - 1)
#define VARINT_MAX 10u
#define PAYLOAD 2u /* the list in its envelope, and an item in the list */
#define WITH_LENGTH 2u

bool kin_bench__is_protobuf(kin_str file)
{
    return file.len >= MAGIC_LEN && memcmp(file.data, MAGIC, MAGIC_LEN) == 0;
}

/* False: it is cut off or too long. */
static bool take_varint(kin_str *rest, uint64_t *ret)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 64 && rest->len > 0; shift += 7) {
        unsigned byte = (unsigned char)*rest->data;

        *rest = kin_str_make(rest->data + 1, rest->len - 1);
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *ret = value;
            return true;
        }
    }
    return false;
}

/* The next field with this number; false at the end. */
static bool take_field(kin_str *rest, unsigned number, kin_str *ret)
{
    uint64_t tag;
    uint64_t len;

    while (take_varint(rest, &tag) && (tag & 7) == WITH_LENGTH && take_varint(rest, &len) &&
           len <= rest->len) {
        *ret = kin_str_make(rest->data, (size_t)len);
        *rest = kin_str_make(rest->data + len, rest->len - (size_t)len);
        if (tag >> 3 == number)
            return true;
    }
    return false;
}

static kin_str list_in(kin_str file)
{
    kin_str rest = kin_str_make(file.data + MAGIC_LEN, file.len - MAGIC_LEN);
    kin_str list;

    return take_field(&rest, PAYLOAD, &list) ? list : kin_str_make(file.data, 0);
}

size_t kin_bench__protobuf_items(kin_str file, kin_str *texts)
{
    kin_str rest = list_in(file);
    kin_str item;
    size_t n = 0;

    while (take_field(&rest, PAYLOAD, &item)) {
        if (texts)
            texts[n] = item;
        n++;
    }
    return rest.len == 0 ? n : 0;
}

size_t kin_bench__protobuf_typed_max(kin_str item)
{
    return HEAD_LEN + VARINT_MAX + item.len + TAIL_LEN;
}

size_t kin_bench__protobuf_type(char *out, kin_str item)
{
    char *at = out;
    uint64_t len = item.len;

    memcpy(at, OBJECT_HEAD, HEAD_LEN);
    at += HEAD_LEN;
    for (; len >= 0x80; len >>= 7)
        *at++ = (char)(len | 0x80);
    *at++ = (char)len;
    memcpy(at, item.data, item.len);
    at += item.len;
    memcpy(at, OBJECT_TAIL, TAIL_LEN);
    return (size_t)(at - out) + TAIL_LEN;
}
