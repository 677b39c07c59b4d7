/* SPDX-License-Identifier: Apache-2.0 */
#include "protobuf_support.h"

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 16

static void append_varint(kin__buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        kin__buf_append_char(out, (char)(value | 0x80));
    kin__buf_append_char(out, (char)value);
}

void kin_test_pb_append_message(kin__buf *out, unsigned number, kin_str message)
{
    append_varint(out, number << 3 | 2);
    append_varint(out, message.len);
    kin__buf_append(out, message);
}

static void append_hex(kin__buf *out, const char *digits, const char *end)
{
    for (; digits < end; digits += 2) {
        char two[3] = {digits[0], digits[1], '\0'};

        kin__buf_append_char(out, (char)strtoul(two, NULL, 16));
    }
}

static void append_double(kin__buf *out, double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof(bits));
    for (unsigned i = 0; i < 8; i++)
        kin__buf_append_char(out, (char)(bits >> (8 * i)));
}

static void append_bytes(kin__buf *out, unsigned number, const char *digits, const char *end)
{
    kin__buf bytes;

    kin__buf_init(&bytes, KIN_TEST_PROTOBUF_MAX);
    append_hex(&bytes, digits, end);
    kin_test_pb_append_message(out, number, kin__buf_str(&bytes));
    kin__buf_done(&bytes);
}

/* One word that begins with a number. */
static void append_field(kin__buf *out, const char *word, const char *end)
{
    char *value;
    unsigned number = (unsigned)strtoul(word, &value, 10);

    switch (*value++) {
    case ':':
        kin_test_pb_append_message(out, number, kin_str_make(value, (size_t)(end - value)));
        break;
    case '#':
        append_bytes(out, number, value, end);
        break;
    case '=':
        append_varint(out, number << 3);
        append_varint(out, (uint64_t)strtoll(value, NULL, 10));
        break;
    case '~':
        append_varint(out, number << 3 | 1);
        append_double(out, strtod(value, NULL));
        break;
    default:
        fail_msg("what is this: %s", word);
    }
}

void kin_test_pb_append(kin__buf *out, const char *words)
{
    struct {
        kin__buf text;
        unsigned number;
    } open[DEPTH_MAX];
    size_t depth = 0;
    kin__buf *to = out;

    memset(open, 0, sizeof(open));
    for (const char *end; *words; words = *end ? end + 1 : end) {
        end = words + strcspn(words, " ");
        if (end > words && end[-1] == '{') {
            assert_true(depth < DEPTH_MAX);
            open[depth].number = (unsigned)strtoul(words, NULL, 10);
            to = &open[depth++].text;
            kin__buf_init(to, KIN_TEST_PROTOBUF_MAX);
        } else if (*words == '}') {
            assert_true(depth > 0);
            depth--;
            to = depth > 0 ? &open[depth - 1].text : out;
            kin_test_pb_append_message(to, open[depth].number, kin__buf_str(&open[depth].text));
            kin__buf_done(&open[depth].text);
        } else if (*words == '!') {
            append_hex(to, words + 1, end);
        } else if (end > words) {
            append_field(to, words, end);
        }
    }
    assert_int_equal(depth, 0);
    assert_int_equal(out->failed, 0);
}

void kin_test_pb_body(kin__buf *out, const char *api_version, const char *kind, kin_str message)
{
    kin__buf type;

    kin__buf_init(out, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&type, 1024);
    kin__buf_append(out, kin_str_make("k8s\0", 4));
    if (api_version)
        kin_test_pb_append_message(&type, 1, kin_str_of(api_version));
    if (kind)
        kin_test_pb_append_message(&type, 2, kin_str_of(kind));
    kin_test_pb_append_message(out, 1, kin__buf_str(&type));
    kin_test_pb_append_message(out, 2, message);
    kin_test_pb_append(out, "3: 4:");
    kin__buf_done(&type);
}

void kin_test_pb_body_of(kin__buf *out, const char *api_version, const char *kind,
                         const char *words)
{
    kin__buf message;

    kin__buf_init(&message, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append(&message, words);
    kin_test_pb_body(out, api_version, kind, kin__buf_str(&message));
    kin__buf_done(&message);
}

void kin_test_pb_append_event(kin__buf *out, const char *type, const char *api_version,
                              const char *kind, const char *words)
{
    kin__buf object;
    kin__buf extension;
    kin__buf event;

    kin_test_pb_body_of(&object, api_version, kind, words);
    kin__buf_init(&extension, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&event, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append_message(&extension, 1, kin__buf_str(&object));
    kin_test_pb_append_message(&event, 1, kin_str_of(type));
    kin_test_pb_append_message(&event, 2, kin__buf_str(&extension));
    for (int shift = 24; shift >= 0; shift -= 8)
        kin__buf_append_char(out, (char)(event.len >> shift));
    kin__buf_append(out, kin__buf_str(&event));
    kin__buf_done(&event);
    kin__buf_done(&extension);
    kin__buf_done(&object);
}
