/* SPDX-License-Identifier: Apache-2.0 */
#include "client/base64.h"

#include "base/memory.h"
#include "kinform/error.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* One to three bytes as four characters. */
static void encode_group(char *out, const unsigned char *in, size_t n)
{
    unsigned bits = (unsigned)in[0] << 16;

    if (n > 1)
        bits |= (unsigned)in[1] << 8;
    if (n > 2)
        bits |= in[2];
    out[0] = alphabet[bits >> 18];
    out[1] = alphabet[bits >> 12 & 63];
    out[2] = '=';
    out[3] = '=';
    if (n > 1)
        out[2] = alphabet[bits >> 6 & 63];
    if (n > 2)
        out[3] = alphabet[bits & 63];
}

int kin__base64_encode(kin__secret *ret, kin_str data)
{
    const unsigned char *in = (const unsigned char *)data.data;
    kin__secret text = KIN__SECRET_INIT;

    if (data.len > SIZE_MAX / 4)
        return KIN_ENOMEM;
    if (data.len > 0) {
        text.data = kin__malloc((data.len + 2) / 3 * 4 + 1);
        if (!text.data)
            return KIN_ENOMEM;
        for (size_t at = 0; at < data.len; at += 3) {
            encode_group(text.data + text.len, in + at, data.len - at < 3 ? data.len - at : 3);
            text.len += 4;
        }
        text.data[text.len] = '\0';
    }
    kin__secret_done(ret);
    *ret = text;
    return 0;
}
