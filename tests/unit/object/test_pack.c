/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed strings: which texts have a packed form, and that unpacking gives the same text to the
 * byte; what is almost of a form stays as it is.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "object/keys.h"
#include "object/pack.h"
#include "random_document.h"
#include "reference.h"

/* Packs a text that stands exactly in its memory; the tag, or 0 if there is no packed form. */
static unsigned pack(const char *text, size_t len)
{
    uint8_t packed[KIN__PACKED_MAX + 16];
    char *exact = malloc(len ? len : 1);
    kin_scratch scratch;

    assert_non_null(exact);
    memcpy(exact, text, len);
    memset(packed, 0xee, sizeof(packed));
    memset(&scratch, 'x', sizeof(scratch));

    size_t n = kin__pack(packed, exact, len);

    free(exact);
    assert_true(n <= KIN__PACKED_MAX);
    for (size_t i = n > KIN__PACKED_MAX ? n : KIN__PACKED_MAX; i < sizeof(packed); i++)
        assert_int_equal(packed[i], 0xee);
    if (n == 0)
        return 0;
    assert_ptr_equal(kin__pack_skip(packed), packed + n);

    kin_str again = kin__unpack(packed, &scratch);

    if (!kin_str_equal(again, kin_str_make(text, len)))
        fail_msg("%.*s comes back as %.*s", (int)len, text, (int)again.len, again.data);
    return packed[0];
}

static void forms_are_packed(void **state)
{
    static const struct {
        const char *text;
        unsigned tag;
    } cases[] = {
        {"1970-01-01T00:00:00Z", KIN__TAG_TIME},
        {"2000-02-29T23:59:59Z", KIN__TAG_TIME},
        {"2024-02-29T00:00:00Z", KIN__TAG_TIME},
        {"2026-01-31T12:00:00Z", KIN__TAG_TIME},
        {"2100-02-28T12:00:00Z", KIN__TAG_TIME},
        {"2105-12-31T23:59:59Z", KIN__TAG_TIME},
        {"2026-01-31T12:00:00.000000Z", KIN__TAG_MICROTIME},
        {"2026-12-31T12:00:00.999999Z", KIN__TAG_MICROTIME},
        {"1970-01-01T00:00:00.000001Z", KIN__TAG_MICROTIME},
        {"00000000-0000-0000-0000-000000000000", KIN__TAG_UUID},
        {"0a0b0c0d-1111-2222-3333-ffffffffffff", KIN__TAG_UUID},
        {"0.0.0.0", KIN__TAG_IPV4},
        {"1.2.3.4", KIN__TAG_IPV4},
        {"10.0.0.1", KIN__TAG_IPV4},
        {"255.255.255.255", KIN__TAG_IPV4},
        {"100.200.9.10", KIN__TAG_IPV4},
        {"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", KIN__TAG_HEX},
        {"unheard-of:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
         KIN__TAG_HEX},
        /* Of an odd number of digits one belongs to the text before. */
        {"x0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef0", KIN__TAG_HEX},
        {"name:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", KIN__TAG_HEX},
        {"name0123456789abcdef0123456789abcdefg123456789abcdef0123456789abcdef0123456789abcdef"
         "0123456789abcdef",
         KIN__TAG_HEX},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        unsigned tag = pack(cases[i].text, strlen(cases[i].text));

        if (tag != cases[i].tag)
            fail_msg("%s has the tag %02x", cases[i].text, tag);
    }
}

static void a_known_word_before_the_digits_is_its_number(void **state)
{
    /* Its last letter is no hex digit. */
    static const char text[] =
        "status0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

    (void)state;
    assert_int_not_equal(kin__keys_find(kin_str_of("status")), KIN__KEY_TEXT);
    assert_int_equal(pack(text, sizeof(text) - 1), KIN__TAG_HEX_WORD);
}

static void what_is_almost_of_a_form_is_not_packed(void **state)
{
    static const char *const texts[] = {
        "",
        "1",
        "1969-12-31T23:59:59Z",
        "2106-01-01T00:00:00Z",
        "2026-02-29T12:00:00Z",
        "2100-02-29T12:00:00Z",
        "2026-00-10T12:00:00Z",
        "2026-13-10T12:00:00Z",
        "2026-01-00T12:00:00Z",
        "2026-01-32T12:00:00Z",
        "2026-04-31T12:00:00Z",
        "2026-01-31T24:00:00Z",
        "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:60Z",
        "2026-01-31t12:00:00Z",
        "2026-01-31T12:00:00z",
        "2026-01-31 12:00:00Z",
        "2026/01/31T12:00:00Z",
        "2026-01-31T12.00.00Z",
        "+026-01-31T12:00:00Z",
        "2026-01-31T12:00:0aZ",
        "2026-01-31T12:00:00.12345aZ",
        "2026-01-31T12:00:00,123456Z",
        "2026-01-31T12:00:00.123456z",
        "2026-02-30T12:00:00.123456Z",
        "2026-01-31T12:00:00.123Z",
        "2026-01-31T12:00:00.123456789Z",
        "2026-01-31T12:00:00+00:00",
        "0A0b0c0d-1111-2222-3333-444444444444",
        "0a0b0c0d-1111-2222-3333-44444444444g",
        "0a0b0c0d-1111-2222-3333_444444444444",
        "0a0b0c0d1-111-2222-3333-444444444444",
        "0a0b0c0d-1111-2222-3333-44444444444",
        "0a0b0c0d-1111-2222-3333-4444444444444",
        "1.2.3",
        "1.2.3.",
        ".1.2.3.4",
        "1..2.3.4",
        "1.2.3.4.5",
        "1.2.3.256",
        "1.2.3.1000",
        "01.2.3.4",
        "1.2.3.00",
        "1.2.3.04",
        "1.2.3.4 ",
        "1.2.3.a",
        "1.2.3.-4",
        "256.1.1.1",
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde",
        "0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF",
        "some text that is long enough to be packed, but has no digits at the end",
        "ends in too few hex digits, though it is long enough: 0123456789abcdef0123456789abcde",
        "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        unsigned tag = pack(texts[i], strlen(texts[i]));

        if (tag != 0)
            fail_msg("%s has the tag %02x", texts[i], tag);
    }
    assert_int_equal(pack("1.2.3\0.4", 8), 0);
}

/* Every day, and every second of a day that stands for all. */
static void every_day_comes_back(void **state)
{
    static const unsigned days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    unsigned packed = 0;
    char text[64];

    (void)state;
    for (unsigned year = 1970; year <= 2105; year++) {
        for (unsigned month = 1; month <= 12; month++) {
            for (unsigned day = 1; day <= days[month - 1]; day++) {
                snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02uZ", year, month, day,
                         day % 24, month * 4, (day + month) % 60);
                packed += pack(text, strlen(text)) == KIN__TAG_TIME;
            }
        }
    }
    /* 136 years, of which 1972, 1976, … 2104 without 2100 have a leap day. */
    assert_int_equal(packed, 136 * 365 + 33);
    for (unsigned second = 0; second < 86400; second += 7) {
        snprintf(text, sizeof(text), "2026-01-31T%02u:%02u:%02u.%06uZ", second / 3600,
                 second / 60 % 60, second % 60, second * 11);
        assert_int_equal(pack(text, strlen(text)), KIN__TAG_MICROTIME);
    }
}

/* Hex digits of every number, behind a text of every length. */
static void hex_of_every_length_comes_back(void **state)
{
    unsigned packed = 0;
    char text[300];

    (void)state;
    for (size_t prefix = 0; prefix < 200; prefix++) {
        for (size_t digits = 28; prefix + digits <= 260; digits++) {
            memset(text, 'x', prefix);
            for (size_t i = 0; i < digits; i++)
                text[prefix + i] = "0123456789abcdef"[(i * 7 + prefix) % 16];
            packed += pack(text, prefix + digits) != 0;
        }
    }
    assert_in_range(packed, 1000, 100000);
}

static void random_strings_come_back(void **state)
{
    kin_test_rng rng = {11};
    unsigned packed = 0;

    (void)state;
    for (unsigned i = 0; i < 50000; i++) {
        ref_text text = {NULL, 0, 0};

        ref_append(&text, "", 0);
        random_string(&text, &rng);
        packed += pack(text.data, text.len) != 0;
        free(text.data);
    }
    assert_in_range(packed, 5000, 45000);
}

static void what_packs_well_is_guessed_from_its_shape(void **state)
{
    (void)state;
    assert_true(kin__packs_well("2026-01-31T12:00:00Z", 20));
    assert_true(kin__packs_well("2026-01-31T12:00:00.123456Z", 27));
    assert_true(kin__packs_well("0a0b0c0d-1111-2222-3333-444444444444", 36));
    assert_false(kin__packs_well("some text of 20 byte", 20));
    assert_false(kin__packs_well("some text, of 27 bytes long", 27));
    assert_false(kin__packs_well("some text, of thirty-six bytes, long", 36));
    assert_false(kin__packs_well("", 0));
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_are_packed),
        cmocka_unit_test(a_known_word_before_the_digits_is_its_number),
        cmocka_unit_test(what_is_almost_of_a_form_is_not_packed),
        cmocka_unit_test(every_day_comes_back),
        cmocka_unit_test(hex_of_every_length_comes_back),
        cmocka_unit_test(random_strings_come_back),
        cmocka_unit_test(what_packs_well_is_guessed_from_its_shape),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
