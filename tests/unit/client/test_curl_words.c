/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is understood of libcurl's words, and what is not.
 */
#include "kin_test.h"

#include "base/compiler.h"
#include "client/curl_words.h"

static void streams_are_understood(void **state)
{
    static const struct {
        const char *text;
        uint32_t stream;
    } cases[] = {
        {"Using Stream ID: 39 (easy handle 0x55d0c8)\n", 39},
        {"Using Stream ID: 1\n", 1},
        {"[HTTP/2] [4294967295] OPENED stream for https://127.0.0.1:6443/api\n", UINT32_MAX},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        uint32_t stream = 0;

        assert_true(kin__curl_says_stream(kin_str_of(cases[i].text), &stream));
        assert_int_equal(stream, cases[i].stream);
        assert_false(kin__curl_says_goaway(kin_str_of(cases[i].text), &stream));
    }
}

static void goaways_are_understood(void **state)
{
    static const struct {
        const char *text;
        uint32_t last;
    } cases[] = {
        {"recveived GOAWAY, error=0, last_stream=39\n", 39},
        {"received GOAWAY, error=11, last_stream=0\n", 0},
        {"received GOAWAY, error=0, last_stream=2147483647", 2147483647},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        uint32_t last = 1;

        assert_true(kin__curl_says_goaway(kin_str_of(cases[i].text), &last));
        assert_int_equal(last, cases[i].last);
        assert_false(kin__curl_says_stream(kin_str_of(cases[i].text), &last));
    }
}

static void other_words_say_nothing(void **state)
{
    static const char *const texts[] = {
        "",
        "\n",
        "Using Stream ID: ",
        "Using Stream ID: -1 (easy handle 0x1)",
        "Using Stream ID: 4294967296 (easy handle 0x1)",
        "Using Stream ID: 99999999999999999999999 (easy handle 0x1)",
        " Using Stream ID: 3",
        "[HTTP/2] [3] [:method: POST]",
        "[HTTP/2] [] OPENED stream for https://a/",
        "[HTTP/2] [3] OPENED stream",
        "received GOAWAY, error=0",
        "received GOAWAY, error=, last_stream=3",
        "received GOAWAY, error=0, last_stream=",
        "received GOAWAY, error=0, last_stream=x",
        "received recveived GOAWAY, error=0, last_stream=3",
        "subject: CN=received GOAWAY, error=0, last_stream=3",
        "h2h3 [x: Using Stream ID: 3]",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        uint32_t number = 7;

        assert_false(kin__curl_says_stream(kin_str_of(texts[i]), &number));
        assert_false(kin__curl_says_goaway(kin_str_of(texts[i]), &number));
        assert_int_equal(number, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(streams_are_understood),
        cmocka_unit_test(goaways_are_understood),
        cmocka_unit_test(other_words_say_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
