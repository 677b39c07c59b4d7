/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens are base64 with the alphabet of URLs and without padding. The key in one ends with a zero
 * byte: the first key that can follow is the one with that byte. Others were not made here, and are
 * refused.
 */
#include "apiserver/protocol/continue_token.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "kinform/path.h"
#include "object/json.h"

#define VERSION "meta.k8s.io/v1"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static void encode(kin__buf *out, kin_str data)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;

    for (size_t i = 0; i < data.len; i++) {
        bits = bits << 8 | (unsigned char)data.data[i];
        for (n_bits += 8; n_bits >= 6; n_bits -= 6)
            kin__buf_append_char(out, alphabet[bits >> (n_bits - 6) & 63]);
    }
    if (n_bits > 0)
        kin__buf_append_char(out, alphabet[bits << (6 - n_bits) & 63]);
}

/* SIZE_MAX: all is well. Else where the text stops being base64. */
static size_t decode(kin__buf *out, kin_str text)
{
    uint32_t bits = 0;
    unsigned n_bits = 0;

    for (size_t i = 0; i < text.len; i++) {
        const char *place = text.data[i] ? strchr(alphabet, text.data[i]) : NULL;

        if (!place)
            return i;
        bits = bits << 6 | (uint32_t)(place - alphabet);
        n_bits += 6;
        if (n_bits >= 8) {
            n_bits -= 8;
            kin__buf_append_char(out, (char)(bits >> n_bits & 0xff));
        }
    }
    return text.len % 4 == 1 ? text.len - 1 : SIZE_MAX;
}

static bool fail(kin__failure *failure, const char *why)
{
    return kin__fail_bad_request(failure, "invalid continue token: continue key is not valid%s",
                                 why);
}

static bool read_object(kin__continue *ret, const kin_object *object, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str text = {NULL, 0};

    kin_value_string(&text, kin_object_find(object, "v"), &scratch);
    if (!kin_str_equal(text, kin_str_of(VERSION)))
        return fail(failure, ": server does not recognize this encoded version");
    if (kin_value_int64(&ret->version, kin_object_find(object, "rv")) < 0 || ret->version == 0 ||
        ret->version < -1)
        return fail(failure, ": incorrect encoded start resourceVersion (version " VERSION ")");
    text = (kin_str){NULL, 0};
    kin_value_string(&text, kin_object_find(object, "start"), &scratch);
    if (text.len == 0)
        return fail(failure, ": encoded start key empty (version " VERSION ")");
    if (text.data[text.len - 1] != '\0' || memchr(text.data, '\0', text.len - 1))
        return fail(failure, "");
    kin__buf_append(&ret->after, kin_str_make(text.data, text.len - 1));
    return ret->after.failed ? kin__fail_no_memory(failure) : true;
}

bool kin__continue_read(kin__continue *ret, kin_str token, kin__failure *failure)
{
    kin__buf json;
    const kin_object *object = NULL;
    char words[64];
    bool ok = false;
    int code;

    ret->version = 0;
    kin__buf_init(&ret->after, KIN__CONTINUE_MAX);
    if (token.len > KIN__CONTINUE_MAX)
        return fail(failure, ": it is too long");
    kin__buf_init(&json, KIN__CONTINUE_MAX);
    size_t wrong = decode(&json, token);
    if (json.failed) {
        kin__fail_no_memory(failure);
    } else if (wrong != SIZE_MAX) {
        snprintf(words, sizeof(words), ": illegal base64 data at input byte %zu", wrong);
        fail(failure, words);
    } else if ((code = kin_object_from_json(&object, kin__buf_str(&json), NULL, NULL)) < 0) {
        if (code == KIN_ENOMEM)
            kin__fail_no_memory(failure);
        else
            fail(failure, ": it is no JSON object");
    } else {
        ok = read_object(ret, object, failure);
    }
    kin_object_unref(object);
    kin__buf_done(&json);
    return ok;
}

void kin__continue_done(kin__continue *continue_)
{
    kin__buf_done(&continue_->after);
}

void kin__continue_write(kin__buf *out, int64_t version, kin_str after)
{
    kin__buf json;

    kin__buf_init(&json, KIN__CONTINUE_MAX);
    kin__buf_appendf(&json, "{\"v\":\"" VERSION "\",\"rv\":%lld,\"start\":", (long long)version);
    kin__json_write_string(&json, after);
    if (json.len > 0 && !json.failed) {
        /* The zero byte goes inside the quotes. */
        kin__buf_truncate(&json, json.len - 1);
        kin__buf_append(&json, kin_str_of("\\u0000\"}"));
    }
    if (json.failed)
        out->failed = json.failed;
    else
        encode(out, kin__buf_str(&json));
    kin__buf_done(&json);
}
