/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any body in protobuf: it is refused, or the result is a JSON object, the same if unknown fields
 * follow all others. The first two bytes of the input are the kind of the rest, as its place in the
 * table; with 0 the rest is a whole body.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "protobuf_json.h"

#define TEXT_MAX ((size_t)1 << 20)

static const kin__protobuf_type expected = {{"v1", 2}, {"Pod", 3}};

static void put_field(kin__buf *out, unsigned number, kin_str value)
{
    size_t len = value.len;

    kin__buf_append_char(out, (char)(number << 3 | 2));
    for (; len >= 0x80; len >>= 7)
        kin__buf_append_char(out, (char)(len | 0x80));
    kin__buf_append_char(out, (char)len);
    kin__buf_append(out, value);
}

static void make_body(kin__buf *out, const kin__pb_kind *kind, kin_str message, kin_str tail)
{
    const char *version = kin__pb_name(kind->api_version);
    kin__buf part;

    kin__buf_init(&part, TEXT_MAX * 2);
    put_field(&part, 1, kin_str_of(version[0] ? version : "v1"));
    put_field(&part, 2, kin_str_of(kin__pb_name(kind->kind)));
    kin__buf_append(out, kin_str_make("k8s\0", 4));
    put_field(out, 1, kin__buf_str(&part));
    kin__buf_reset(&part);
    kin__buf_append(&part, message);
    kin__buf_append(&part, tail);
    put_field(out, 2, kin__buf_str(&part));
    kin__buf_done(&part);
}

static void check_json(const kin__buf *json)
{
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, kin__buf_str(json), NULL, NULL);

    /* It may be deeper than documents may be: lists count there, too. */
    FUZZ_CHECK(code == 0 || code == KIN_ELIMIT);
    kin_object_unref(object);
}

static int transcode(kin__buf *json, kin_str body)
{
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type type;
    int code;

    kin__buf_init(json, TEXT_MAX);
    code = kin_test_protobuf_json(json, body, expected, &type, true, &err);
    FUZZ_CHECK(code == 0 || code == KIN_EPARSE || code == KIN_ELIMIT);
    FUZZ_CHECK(code == 0 || err.message[0]);
    if (code == 0)
        check_json(json);
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* Field 2000: a group with a number in it. */
    static const char tail[] = "\x83\x7d\x08\x01\x84\x7d";
    kin_str message = size > 1 ? kin_str_make((const char *)data + 2, size - 2) : kin_str_of("");
    size_t which = size > 1 ? (data[0] | (size_t)data[1] << 8) % kin__pb_n_kinds : 0;
    kin__buf body;
    kin__buf json;
    kin__buf again;

    if (which == 0) {
        transcode(&json, message);
        kin__buf_done(&json);
        return 0;
    }
    kin__buf_init(&body, TEXT_MAX * 2);
    make_body(&body, &kin__pb_kinds[which], message, kin_str_of(""));
    int code = transcode(&json, kin__buf_str(&body));
    kin__buf_reset(&body);
    if (code == 0) {
        make_body(&body, &kin__pb_kinds[which], message, kin_str_of(tail));
        FUZZ_CHECK(transcode(&again, kin__buf_str(&body)) == 0);
        FUZZ_CHECK(kin_str_equal(kin__buf_str(&json), kin__buf_str(&again)));
        kin__buf_done(&again);
    }
    kin__buf_done(&json);
    kin__buf_done(&body);
    return 0;
}
