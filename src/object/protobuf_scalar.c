/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of protobuf_scalar.h that most fields do not need. Texts that are not in the input are in the draft's
 * arena.
 */
#include "object/protobuf_scalar.h"

#include "base/error.h"
#include "object/number.h"

static uint64_t offset_of(const kin__protobuf_reader *r, const unsigned char *at)
{
    return r->origin + (uint64_t)(at - r->begin);
}

int kin__pb_fail_code(const kin__protobuf_reader *r, const unsigned char *at, int code,
                      const char *words)
{
    kin_error_set(r->err, code, "%s", words);
    if (r->err && r->err->size >= sizeof(*r->err))
        r->err->offset = offset_of(r, at);
    return code;
}

int kin__pb_fail(const kin__protobuf_reader *r, const unsigned char *at, const char *words)
{
    return kin__pb_fail_code(r, at, KIN_EPARSE, words);
}

int kin__pb_disordered(kin__protobuf_reader *r, const unsigned char *at)
{
    r->is_disordered = true;
    return kin__pb_fail(r, at, "fields in an unusual order");
}

int kin__pb_no_room(const kin__protobuf_reader *r, const unsigned char *at, int code)
{
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(r->err);
    return kin__pb_fail_code(r, at, code, "an object of too many values");
}

int kin__pb_fail_crowded(kin__protobuf_reader *r, const unsigned char *at)
{
    r->needs_json = true;
    return kin__pb_fail_code(r, at, KIN_ELIMIT, "an object of too many values for its length");
}

int kin__pb_push_failed(const kin__protobuf_reader *r, const unsigned char *at)
{
    return kin__pb_no_room(r, at, kin__draft_push_code(r->draft));
}

int kin__pb_repair_text(kin__protobuf_reader *r, const unsigned char *at, kin_str *text)
{
    size_t n = text->len;
    const char *from = text->data;
    char *to = n > KIN__TEXT_MAX / 3 ? NULL : kin__draft_alloc(r->draft, 3 * n);
    size_t len = 0;

    if (!to)
        return kin__pb_no_room(r, at, n > KIN__TEXT_MAX / 3 ? KIN_ELIMIT : KIN_ENOMEM);
    while (n > 0) {
        size_t valid = kin__utf8_char_len(from, n);

        memcpy(to + len, valid > 0 ? from : "\xef\xbf\xbd", valid > 0 ? valid : 3);
        len += valid > 0 ? valid : 3;
        from += valid > 0 ? valid : 1;
        n -= valid > 0 ? valid : 1;
    }
    if (len > r->json->string_max)
        return kin__pb_fail_code(r, at, KIN_ELIMIT, "string too long");
    *text = kin_str_make(to, len);
    return 0;
}

int kin__pb_add_copy(kin__protobuf_reader *r, const unsigned char *at, const char *text, size_t len)
{
    char *copy = kin__draft_alloc(r->draft, len);

    if (!copy)
        return kin__error_no_memory(r->err);
    memcpy(copy, text, len);
    return kin__pb_add_text(r, at, kin_str_make(copy, len));
}

int kin__pb_add_base64(kin__protobuf_reader *r, const unsigned char *in, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t len = (n + 2) / 3 * 4;

    if (len > r->json->string_max)
        return kin__pb_fail_code(r, in, KIN_ELIMIT, "string too long");

    char *text = kin__draft_alloc(r->draft, len);
    char *p = text;

    if (!text)
        return kin__error_no_memory(r->err);
    for (size_t i = 0; i < n; i += 3) {
        size_t left = n - i;
        uint32_t bits = (uint32_t)in[i] << 16 | (left > 1 ? (uint32_t)in[i + 1] << 8 : 0) |
                        (left > 2 ? in[i + 2] : 0);

        *p++ = digits[bits >> 18];
        *p++ = digits[bits >> 12 & 63];
        *p++ = digits[bits >> 6 & 63];
        *p++ = digits[bits & 63];
        if (left < 3)
            p[-1] = '=';
        if (left < 2)
            p[-2] = '=';
    }
    return kin__pb_add_text(r, in, kin_str_make(text, len));
}

int kin__pb_add_double(kin__protobuf_reader *r, const unsigned char *p)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];
    size_t len = kin__number_format_double(text, sizeof(text), kin__pb_double_of(p));
    char *copy;

    if (len == 0)
        return kin__pb_fail(r, p, "json: unsupported value: a number is not finite");
    copy = kin__draft_alloc(r->draft, len);
    if (!copy)
        return kin__error_no_memory(r->err);
    memcpy(copy, text, len);
    return kin__draft_number(r->draft, kin_str_make(copy, len), r->err);
}

int kin__pb_add_zero(kin__protobuf_reader *r, const unsigned char *at, const kin__pb_field *field)
{
    switch ((enum kin__pb_type)field->type) {
    case KIN__PB_STRING:
    case KIN__PB_BYTES:
        return kin__pb_add_text(r, at, kin_str_of(""));
    case KIN__PB_MESSAGE:
        return kin__pb_add_small(r, at, KIN__NODE_NULL, 0);
    default:
        return kin__pb_add_integer(r, at, field, 0);
    }
}

/* A timestamp without fraction of the usual length. */
static int add_seconds(kin__protobuf_reader *r, const unsigned char *at, int64_t seconds)
{
    unsigned slot = (unsigned)((uint64_t)seconds % KIN__PROTOBUF_TIMES);
    char text[KIN_TIME_TEXT_SIZE];
    size_t len;

    if (r->times[slot] == seconds)
        return kin__pb_add_copy(r, at, r->time_texts[slot], KIN__PROTOBUF_TIME_LEN);
    len = kin_time_format(text, sizeof(text), (kin_time){seconds, 0}, 0);
    if (len == 0)
        return kin__pb_fail(r, at, "a timestamp is not within the years 0 to 9999");
    if (len == KIN__PROTOBUF_TIME_LEN) {
        r->times[slot] = seconds;
        memcpy(r->time_texts[slot], text, len);
    }
    return kin__pb_add_copy(r, at, text, len);
}

int kin__pb_add_time(kin__protobuf_reader *r, const unsigned char *at, kin_time time, bool is_zero,
                     unsigned digits)
{
    char text[KIN_TIME_TEXT_SIZE];
    size_t len;

    if (is_zero)
        return kin__pb_add_small(r, at, KIN__NODE_NULL, 0);
    if (digits == 0)
        return add_seconds(r, at, time.seconds);
    len = kin_time_format(text, sizeof(text), time, digits);
    if (len == 0)
        return kin__pb_fail(r, at, "a timestamp is not within the years 0 to 9999");
    return kin__pb_add_copy(r, at, text, len);
}
