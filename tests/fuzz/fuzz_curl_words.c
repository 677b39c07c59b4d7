/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any line of libcurl's: it tells of a stream, of a GOAWAY or of neither, and what it tells stands in
 * it. What is in front of a line, or missing at its end, makes it tell nothing else.
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "client/curl_words.h"
#include "fuzz.h"

/* Whether the text has the number, digit for digit but for zeros before it. */
static bool has_number(kin_str text, uint32_t number)
{
    char digits[16];
    int len = snprintf(digits, sizeof(digits), "%u", number);

    return memmem(text.data, text.len, digits, (size_t)len) != NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* A block of its exact size: a byte too far is noticed. */
    char *block = malloc(size + (size == 0));
    uint32_t stream = 7;
    uint32_t last = 7;

    FUZZ_CHECK(block != NULL);
    if (size)
        memcpy(block, data, size);
    kin_str text = kin_str_make(block, size);
    bool is_stream = kin__curl_says_stream(text, &stream);
    bool is_goaway = kin__curl_says_goaway(text, &last);

    FUZZ_CHECK(!is_stream || !is_goaway);
    FUZZ_CHECK(is_stream ? has_number(text, stream) : stream == 7);
    FUZZ_CHECK(is_goaway ? has_number(text, last) : last == 7);
    if (is_stream || is_goaway) {
        kin_str rest = kin_str_make(text.data + 1, text.len - 1);

        FUZZ_CHECK(!kin__curl_says_stream(rest, &stream) && !kin__curl_says_goaway(rest, &last));
    }
    free(block);
    return 0;
}
