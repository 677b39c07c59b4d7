/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cases of test_json_scan.c, which is compiled twice: with the machine's vector instructions, and without. What is
 * found is compared with a loop over single bytes.
 */
#ifndef KIN_TEST_JSON_SCAN_CASES_H
#define KIN_TEST_JSON_SCAN_CASES_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "object/json_scan.h"
#include "rng.h"

/* A copy that ends where its memory ends, so that a sanitizer sees every byte too many. */
static inline char *exact_copy(const char *text, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    return copy;
}

static inline const char *naive_plain(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p >= 0x20 && (unsigned char)*p < 0x80 && *p != '"' &&
           *p != '\\')
        p++;
    return p;
}

static void every_byte_is_found_at_every_place(void **state)
{
    char text[70];

    (void)state;
    for (unsigned byte = 0; byte < 256; byte++) {
        for (size_t at = 0; at < sizeof(text); at++) {
            memset(text, 'a', sizeof(text));
            text[at] = (char)byte;

            char *copy = exact_copy(text, sizeof(text));

            for (size_t from = 0; from <= at; from += 7)
                assert_ptr_equal(kin__json_scan_plain(copy + from, copy + sizeof(text)),
                                 naive_plain(copy + from, copy + sizeof(text)));
            free(copy);
        }
    }
}

static void equal_bytes_are_the_same(void **state)
{
    char a[80];
    char b[80];

    (void)state;
    for (size_t i = 0; i < sizeof(a); i++)
        a[i] = (char)(i * 37 + 1);
    for (size_t n = 0; n <= sizeof(a); n++) {
        char *left = exact_copy(a, n);
        char *right = exact_copy(a, n);

        assert_true(kin__same_bytes(left, right, n));
        for (size_t i = 0; i < n; i++) {
            memcpy(b, a, n);
            b[i] ^= 1;
            memcpy(right, b, n);
            assert_false(kin__same_bytes(left, right, n));
        }
        free(left);
        free(right);
    }
}

/* Behind the container at p by a loop over bytes; NULL if it does not end. */
static inline const char *naive_skip(const char *p, const char *end)
{
    bool in_string = false;
    size_t depth = 0;

    for (; p < end; p++) {
        if (in_string && *p == '\\') {
            p++;
        } else if (in_string) {
            in_string = *p != '"';
        } else if (*p == '"') {
            in_string = true;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (--depth == 0)
                return p + 1;
        }
    }
    return NULL;
}

static void assert_same_skip(const char *text, size_t len)
{
    char *copy = exact_copy(text, len);

    assert_ptr_equal(kin__json_skip_container(copy, copy + len), naive_skip(copy, copy + len));
    free(copy);
}

static void containers_end_where_their_brackets_say(void **state)
{
    static const char *const texts[] = {
        "{}",
        "[]",
        "{",
        "[",
        "{\"",
        "{\"}\"}",
        "{\"\\\"}\":[]}",
        "[[[[]]]]",
        "[[[[]]]",
        "{\"a\\\\\":{\"b\":\"]\"}} tail ]}",
        "{\"\\\\\\\"}\"}x",
        "[\"\\\\\\\\\"]]",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        assert_same_skip(texts[i], strlen(texts[i]));
}

/* Runs of backslashes of every length at every place, blocks of 64 bytes crossed in all ways. */
static void escapes_are_followed_over_blocks(void **state)
{
    char text[220];

    (void)state;
    for (size_t before = 0; before < 70; before++) {
        for (size_t slashes = 0; slashes < 70; slashes++) {
            size_t len = 0;

            text[len++] = '[';
            text[len++] = '"';
            memset(text + len, 'x', before);
            len += before;
            memset(text + len, '\\', slashes);
            len += slashes;
            memcpy(text + len, "\"]\"]]", 5);
            len += 5;
            assert_same_skip(text, len);
        }
    }
}

static void random_texts_end_at_the_same_place(void **state)
{
    static const char alphabet[] = "{}[]\"\\ax:, ";
    kin_test_rng rng = {42};
    char text[300];

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        size_t len = 1 + kin_test_below(&rng, sizeof(text) - 1);

        bool in_string = false;

        text[0] = '{';
        for (size_t i = 1; i < len; i++) {
            text[i] = alphabet[kin_test_below(&rng, sizeof(alphabet) - 1)];
            /* Backslashes outside of strings are malformed, and any answer will do. */
            if (text[i] == '\\' && !in_string)
                text[i] = 'a';
            if (text[i] == '\\' && i + 1 < len)
                text[++i] = alphabet[kin_test_below(&rng, sizeof(alphabet) - 1)];
            else if (text[i] == '"')
                in_string = !in_string;
        }
        assert_same_skip(text, len);
    }
}

static inline int run_scan_cases(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_is_found_at_every_place),
        cmocka_unit_test(equal_bytes_are_the_same),
        cmocka_unit_test(containers_end_where_their_brackets_say),
        cmocka_unit_test(escapes_are_followed_over_blocks),
        cmocka_unit_test(random_texts_end_at_the_same_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
