/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcurl's words for streams and GOAWAY. The latter it tells from 7.88 on; up to 8.22 the words have
 * changed as they stand here. Others of its lines carry what the server has sent, so a line counts
 * only if it is one of these from its beginning on.
 */
#include "client/curl_words.h"

#include "base/compiler.h"
#include "base/str.h"

static bool take(kin_str *rest, const char *text)
{
    kin_str prefix = kin_str_of(text);

    if (!kin__str_starts_with(*rest, prefix))
        return false;
    *rest = kin_str_make(rest->data + prefix.len, rest->len - prefix.len);
    return true;
}

static bool take_number(kin_str *rest, uint32_t *ret)
{
    uint64_t number = 0;
    size_t n = 0;

    while (n < rest->len && kin__is_digit(rest->data[n]))
        n++;
    if (kin__str_to_u64(&number, kin_str_make(rest->data, n)) < 0 || number > UINT32_MAX)
        return false;
    *rest = kin_str_make(rest->data + n, rest->len - n);
    *ret = (uint32_t)number;
    return true;
}

bool kin__curl_says_stream(kin_str text, uint32_t *ret)
{
    static const char *const words[][2] = {
        {"Using Stream ID: ", ""},                    /* to 8.2 */
        {"[HTTP/2] [", "] OPENED stream for https:"}, /* from 8.3 on */
    };

    for (size_t i = 0; i < kin__array_len(words); i++) {
        kin_str rest = text;
        uint32_t number;

        if (take(&rest, words[i][0]) && take_number(&rest, &number) && take(&rest, words[i][1])) {
            *ret = number;
            return true;
        }
    }
    return false;
}

bool kin__curl_says_goaway(kin_str text, uint32_t *ret)
{
    uint32_t number;

    if ((!take(&text, "received ") && !take(&text, "recveived ")) ||
        !take(&text, "GOAWAY, error=") || !take_number(&text, &number) ||
        !take(&text, ", last_stream=") || !take_number(&text, &number))
        return false;
    *ret = number;
    return true;
}
