/* SPDX-License-Identifier: Apache-2.0 */
/*
 * UTF-8, against a decoder that works the other way round: it computes the code point
 * and then asks whether that may be written so.
 */
#include "kin_test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/utf8.h"
#include "rng.h"

/* --- the reference --- */

static unsigned count_leading_ones(unsigned char c)
{
    unsigned n = 0;

    while (n < 8 && (c & (0x80u >> n)))
        n++;
    return n;
}

static size_t reference_len(const unsigned char *s, size_t n)
{
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};

    if (n == 0)
        return 0;
    unsigned len = count_leading_ones(s[0]);
    if (len == 0)
        return 1;
    if (len == 1 || len > 4 || len > n)
        return 0;
    uint32_t point = s[0] & (0xffu >> (len + 1));
    for (unsigned i = 1; i < len; i++) {
        if (s[i] / 64 != 2)
            return 0;
        point = point * 64 + s[i] % 64;
    }
    if (point < smallest[len] || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff))
        return 0;
    return len;
}

static size_t encode(uint32_t point, char *out)
{
    if (point < 0x80) {
        out[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        out[0] = (char)(0xc0 | (point >> 6));
        out[1] = (char)(0x80 | (point & 0x3f));
        return 2;
    }
    if (point < 0x10000) {
        out[0] = (char)(0xe0 | (point >> 12));
        out[1] = (char)(0x80 | ((point >> 6) & 0x3f));
        out[2] = (char)(0x80 | (point & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (point >> 18));
    out[1] = (char)(0x80 | ((point >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((point >> 6) & 0x3f));
    out[3] = (char)(0x80 | (point & 0x3f));
    return 4;
}

static void compare_with_reference(const unsigned char *s, size_t n)
{
    size_t got = kin__utf8_char_len((const char *)s, n);
    size_t expected = reference_len(s, n);

    /* No assertion of cmocka's: this runs 17 million times. */
    if (got != expected)
        fail_msg("%02x %02x %02x %02x, %zu bytes: gave %zu, not %zu", s[0], s[1], s[2], s[3], n,
                 got, expected);
}

/* --- length of a character --- */

static void the_reference_is_right(void **state)
{
    (void)state;
    assert_int_equal(reference_len((const unsigned char *)"A", 1), 1);
    assert_int_equal(reference_len((const unsigned char *)"\xc3\xa9", 2), 2);
    assert_int_equal(reference_len((const unsigned char *)"\xe2\x82\xac", 3), 3);
    assert_int_equal(reference_len((const unsigned char *)"\xf0\x9f\x98\x80", 4), 4);
    assert_int_equal(reference_len((const unsigned char *)"\xc0\x80", 2), 0);
    assert_int_equal(reference_len((const unsigned char *)"\xed\xa0\x80", 3), 0);
    assert_int_equal(reference_len((const unsigned char *)"\xf4\x90\x80\x80", 4), 0);
}

static void nothing_is_no_character(void **state)
{
    (void)state;
    assert_int_equal(kin__utf8_char_len("A", 0), 0);
    assert_int_equal(kin__utf8_char_len(NULL, 0), 0);
}

static void every_sequence_of_up_to_three_bytes_is_judged_right(void **state)
{
    unsigned char s[4] = {0};

    (void)state;
    for (unsigned bits = 0; bits < 1u << 16; bits++) {
        s[0] = (unsigned char)(bits >> 8);
        s[1] = (unsigned char)bits;
        for (unsigned last = 0; last < 256; last++) {
            s[2] = (unsigned char)last;
            compare_with_reference(s, 3);
        }
        s[2] = 0x80; /* would be welcome, and is not there */
        compare_with_reference(s, 2);
        compare_with_reference(s, 1);
    }
}

/* Bytes at and next to every border in table 3-7 of the Unicode standard. */
static void sequences_of_four_bytes_at_the_borders_are_judged_right(void **state)
{
    static const unsigned char borders[] = {
        0x00, 0x7f, 0x80, 0x81, 0x8f, 0x90, 0x9f, 0xa0, 0xbe, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
        0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff,
    };
    const size_t n = sizeof(borders);

    (void)state;
    for (size_t i = 0; i < n * n * n * n; i++) {
        const unsigned char s[4] = {borders[i / n / n / n], borders[i / n / n % n],
                                    borders[i / n % n], borders[i % n]};

        compare_with_reference(s, 4);
    }
}

static void random_sequences_of_four_bytes_are_judged_right(void **state)
{
    kin_test_rng rng = {11};

    (void)state;
    for (int i = 0; i < 500000; i++) {
        uint64_t bits = kin_test_random(&rng);
        const unsigned char s[4] = {
            (unsigned char)(0xf0 | (bits & 0x7)),
            (unsigned char)(0x80 | (bits >> 8 & 0x3f)),
            (unsigned char)(0x80 | (bits >> 16 & 0x3f)),
            (unsigned char)(0x80 | (bits >> 24 & 0x3f)),
        };

        compare_with_reference(s, 4);
    }
}

static void every_code_point_is_a_character_unless_a_surrogate(void **state)
{
    (void)state;
    for (uint32_t point = 0; point <= 0x10ffff; point++) {
        char s[4];
        size_t len = encode(point, s);
        size_t expected = point >= 0xd800 && point <= 0xdfff ? 0 : len;

        if (kin__utf8_char_len(s, len) != expected || kin__utf8_char_len(s, len - 1) != 0)
            fail_msg("U+%04X is misjudged", (unsigned)point);
    }
}

/* In exactly as much memory as there is text, for ASan. */
static void no_byte_beyond_the_length_is_read(void **state)
{
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t c = 0; c < kin__array_len(characters); c++) {
        size_t len = strlen(characters[c]);

        for (size_t n = 1; n <= len; n++) {
            char *part = malloc(n);

            assert_non_null(part);
            memcpy(part, characters[c], n);
            assert_int_equal(kin__utf8_char_len(part, n), n == len ? len : 0);
            assert_int_equal(kin__utf8_cut(part, n), n == len ? len : 0);
            free(part);
        }
    }
}

static void what_follows_a_character_does_not_matter(void **state)
{
    (void)state;
    assert_int_equal(kin__utf8_char_len("a\x80", 2), 1);
    assert_int_equal(kin__utf8_char_len("\xc3\xa9\x80", 3), 2);
    assert_int_equal(kin__utf8_char_len("\xe2\x82\xac\x80", 4), 3);
    assert_int_equal(kin__utf8_char_len("\xf0\x9f\x98\x80\x80", 5), 4);
    assert_int_equal(kin__utf8_char_len("abc", SIZE_MAX), 1);
}

/* --- cutting --- */

static void cut_of_nothing_is_nothing(void **state)
{
    (void)state;
    assert_int_equal(kin__utf8_cut("abc", 0), 0);
    assert_int_equal(kin__utf8_cut(NULL, 0), 0);
}

static void cut_keeps_whole_characters(void **state)
{
    static const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z"; /* 1, 2, 3, 4, 1 bytes */
    static const size_t expected[] = {0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11};

    (void)state;
    for (size_t n = 0; n < kin__array_len(expected); n++)
        assert_int_equal(kin__utf8_cut(text, n), expected[n]);
}

static uint32_t random_point(kin_test_rng *rng)
{
    static const uint32_t ends[] = {0x80, 0x800, 0x10000, 0x110000};

    for (;;) {
        uint32_t point = (uint32_t)kin_test_below(rng, ends[kin_test_below(rng, 4)]);

        if (point < 0xd800 || point > 0xdfff)
            return point;
    }
}

static void cut_of_a_well_formed_text_is_its_longest_whole_prefix(void **state)
{
    kin_test_rng rng = {5};

    (void)state;
    for (int i = 0; i < 5000; i++) {
        char text[64];
        bool is_boundary[65] = {true};
        size_t len = 0;

        while (len + 4 <= sizeof(text)) {
            len += encode(random_point(&rng), text + len);
            is_boundary[len] = true;
        }
        size_t boundary = 0;
        for (size_t n = 0; n <= len; n++) {
            if (is_boundary[n])
                boundary = n;
            assert_int_equal(kin__utf8_cut(text, n), boundary);
        }
    }
}

/* Whether the bytes are the beginning of a character: some continuation makes it whole. */
static bool is_beginning(const unsigned char *s, size_t n)
{
    for (unsigned next = 0x80; next <= 0xbf; next++) {
        unsigned char whole[8];

        memcpy(whole, s, n);
        memset(whole + n, 0x80, sizeof(whole) - n);
        whole[n] = (unsigned char)next;
        if (reference_len(whole, sizeof(whole)) > n)
            return true;
    }
    return false;
}

/* Where a cut must fall if the text is well-formed up to its end; SIZE_MAX if it is not. */
static size_t reference_cut(const unsigned char *s, size_t n)
{
    size_t at = 0;

    while (at < n) {
        size_t len = reference_len(s + at, n - at);

        if (len == 0)
            return n - at < 4 && is_beginning(s + at, n - at) ? at : SIZE_MAX;
        at += len;
    }
    return n;
}

/* Any bytes: the promise where the text is well-formed, and no more than one character lost. */
static void check_cut(const unsigned char *s, size_t n)
{
    size_t expected = reference_cut(s, n);
    size_t got = kin__utf8_cut((const char *)s, n);

    if (got > n || n - got > 4)
        fail_msg("cut of %zu bytes at %zu", n, got);
    if (expected != SIZE_MAX && got != expected)
        fail_msg("cut of %zu bytes at %zu, not %zu", n, got, expected);
}

static void cut_is_right_for_all_texts_of_up_to_two_bytes(void **state)
{
    unsigned char s[2];

    (void)state;
    for (unsigned bits = 0; bits < 1u << 16; bits++) {
        s[0] = (unsigned char)(bits >> 8);
        s[1] = (unsigned char)bits;
        check_cut(s, 2);
        check_cut(s, 1);
    }
}

static void cut_is_right_for_random_bytes(void **state)
{
    static const unsigned char likely[] = {'a',  0x80, 0x90, 0xa0, 0xbf, 0xc2,
                                           0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff};
    kin_test_rng rng = {9};

    (void)state;
    for (int i = 0; i < 300000; i++) {
        unsigned char s[8];
        size_t n = kin_test_below(&rng, sizeof(s) + 1);

        for (size_t j = 0; j < n; j++)
            s[j] = likely[kin_test_below(&rng, sizeof(likely))];
        check_cut(s, n);
    }
}

/* Binary data: there is no boundary to keep, so nothing is thrown away. */
static void stray_continuation_bytes_are_not_cut(void **state)
{
    (void)state;
    assert_int_equal(kin__utf8_cut("\x80", 1), 1);
    assert_int_equal(kin__utf8_cut("\x80\x80\x80", 3), 3);
    assert_int_equal(kin__utf8_cut("a\x80\x80\x80\x80", 5), 5);
    assert_int_equal(kin__utf8_cut("\x80\x80\x80\x80\x80\x80", 6), 6);
}

/* Whole characters and nothing else; the reference is the length of one character. */
static void a_text_is_checked_whole(void **state)
{
    (void)state;
    assert_true(kin__utf8_check(NULL, 0));
    assert_true(kin__utf8_check("", 0));
    assert_true(kin__utf8_check("a\0b", 3));
    assert_true(kin__utf8_check("a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z", 11));
    assert_false(kin__utf8_check("\x80", 1));
    assert_false(kin__utf8_check("abc\xff", 4));
    assert_false(kin__utf8_check("\xed\xa0\x80", 3));
    /* Cut anywhere inside a character. */
    assert_true(kin__utf8_check("a\xf0\x9f\x98\x80", 1));
    for (size_t n = 2; n < 5; n++)
        assert_false(kin__utf8_check("a\xf0\x9f\x98\x80", n));
    assert_true(kin__utf8_check("a\xf0\x9f\x98\x80", 5));
    assert_int_equal(kin__utf8_valid_len(NULL, 0), 0);
    assert_int_equal(kin__utf8_valid_len("\xff", 1), 0);
    assert_int_equal(kin__utf8_valid_len("a\xc3\xa9\x80z", 5), 3);
    assert_int_equal(kin__utf8_valid_len("a\xf0\x9f\x98\x80", 4), 1);
    assert_int_equal(kin__utf8_valid_len("a\xf0\x9f\x98\x80", 5), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_reference_is_right),
        cmocka_unit_test(nothing_is_no_character),
        cmocka_unit_test(every_sequence_of_up_to_three_bytes_is_judged_right),
        cmocka_unit_test(sequences_of_four_bytes_at_the_borders_are_judged_right),
        cmocka_unit_test(random_sequences_of_four_bytes_are_judged_right),
        cmocka_unit_test(every_code_point_is_a_character_unless_a_surrogate),
        cmocka_unit_test(no_byte_beyond_the_length_is_read),
        cmocka_unit_test(what_follows_a_character_does_not_matter),
        cmocka_unit_test(a_text_is_checked_whole),
        cmocka_unit_test(cut_of_nothing_is_nothing),
        cmocka_unit_test(cut_keeps_whole_characters),
        cmocka_unit_test(cut_of_a_well_formed_text_is_its_longest_whole_prefix),
        cmocka_unit_test(cut_is_right_for_all_texts_of_up_to_two_bytes),
        cmocka_unit_test(cut_is_right_for_random_bytes),
        cmocka_unit_test(stray_continuation_bytes_are_not_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
