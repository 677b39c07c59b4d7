/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resource versions: which texts are refused and where, and which of two is newer.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "kinform/resource_version.h"
#include "rng.h"

#define UNTOUCHED 42

static const struct {
    const char *text;
    uint64_t offset;
} refused[] = {
    {"", 0},    {"0", 0},    {"00", 0},    {"01", 0}, {"0x1", 0},  {"-1", 0},       {"+1", 0},
    {" 1", 0},  {"1 ", 1},   {"a", 0},     {"1a", 1}, {"12a4", 2}, {"1.0", 1},      {"1e3", 1},
    {"1,0", 1}, {"12-3", 2}, {"123\n", 3}, {"1/", 1}, {"1:", 1},   {"\xd9\xa3", 0},
};

static int compare(const char *a, const char *b)
{
    int order = UNTOUCHED;

    assert_code(kin_resource_version_compare(&order, kin_str_of(a), kin_str_of(b), NULL), 0);
    return order;
}

static void what_is_no_positive_integer_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(refused); i++) {
        kin_error err = KIN_ERROR_INIT;
        int code = kin_resource_version_validate(kin_str_of(refused[i].text), &err);

        if (code != KIN_EPARSE || err.code != code || err.offset != refused[i].offset)
            fail_msg("\"%s\" gave %d at %llu", refused[i].text, code,
                     (unsigned long long)err.offset);
        assert_code(kin_resource_version_validate(kin_str_of(refused[i].text), NULL), KIN_EPARSE);
    }
    assert_code(kin_resource_version_validate(kin_str_make("1\0", 2), NULL), KIN_EPARSE);
    assert_code(kin_resource_version_validate(kin_str_make(NULL, 0), NULL), KIN_EPARSE);
}

static void comparing_refuses_the_same_and_tells_which(void **state)
{
    kin_str good = kin_str_of("12345");

    (void)state;
    for (size_t i = 0; i < kin__array_len(refused); i++) {
        kin_str bad = kin_str_of(refused[i].text);
        kin_error err = KIN_ERROR_INIT;
        int order = UNTOUCHED;

        assert_code(kin_resource_version_compare(&order, bad, good, &err), KIN_EPARSE);
        assert_int_equal(err.offset, refused[i].offset);
        assert_non_null(strstr(err.message, "first"));
        assert_code(kin_resource_version_compare(&order, good, bad, &err), KIN_EPARSE);
        assert_int_equal(err.offset, refused[i].offset);
        assert_non_null(strstr(err.message, "second"));
        assert_code(kin_resource_version_compare(&order, bad, bad, &err), KIN_EPARSE);
        assert_non_null(strstr(err.message, "first"));
        assert_int_equal(order, UNTOUCHED);
    }
}

static void comparing_needs_somewhere_to_put_it(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_resource_version_compare(NULL, kin_str_of("1"), kin_str_of("2"), &err),
                KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
}

static void versions_are_ordered_as_numbers_of_any_size(void **state)
{
    static const char *const ordered[] = {
        "1",
        "2",
        "9",
        "10",
        "11",
        "99",
        "100",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551615",
        "18446744073709551616",
        "99999999999999999999",
        "100000000000000000000",
        "340282366920938463463374607431768211456",
        "340282366920938463463374607431768211457",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(ordered); i++) {
        assert_code(kin_resource_version_validate(kin_str_of(ordered[i]), NULL), 0);
        for (size_t j = 0; j < kin__array_len(ordered); j++)
            assert_int_equal(compare(ordered[i], ordered[j]), (i > j) - (i < j));
    }
}

static void versions_are_ordered_as_the_machine_orders_numbers(void **state)
{
    kin_test_rng rng = {9};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        uint64_t a = (kin_test_random(&rng) >> kin_test_below(&rng, 64)) | 1;
        uint64_t b = kin_test_below(&rng, 2) ? a + kin_test_below(&rng, 3)
                                             : (kin_test_random(&rng) >> kin_test_below(&rng, 64));
        char text_a[32];
        char text_b[32];

        if (b == 0)
            continue;
        snprintf(text_a, sizeof(text_a), "%llu", (unsigned long long)a);
        snprintf(text_b, sizeof(text_b), "%llu", (unsigned long long)b);
        assert_int_equal(compare(text_a, text_b), (a > b) - (a < b));
    }
}

/* Each byte at each place. */
static void only_digits_are_digits(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        for (size_t at = 0; at < 3; at++) {
            char text[] = "111";
            kin_error err = KIN_ERROR_INIT;
            bool good = c >= (at == 0 ? '1' : '0') && c <= '9';

            text[at] = (char)c;
            assert_code(kin_resource_version_validate(kin_str_make(text, 3), &err),
                        good ? 0 : KIN_EPARSE);
            assert_int_equal(err.offset, good ? 0 : at);
        }
    }
}

static void the_view_need_not_be_terminated(void **state)
{
    char *digits = malloc(3);
    int order = UNTOUCHED;

    (void)state;
    assert_non_null(digits);
    memcpy(digits, "123", 3);
    assert_code(kin_resource_version_compare(&order, kin_str_make(digits, 3),
                                             kin_str_make(digits, 2), NULL),
                0);
    assert_int_equal(order, 1);
    free(digits);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_positive_integer_is_refused),
        cmocka_unit_test(comparing_refuses_the_same_and_tells_which),
        cmocka_unit_test(comparing_needs_somewhere_to_put_it),
        cmocka_unit_test(versions_are_ordered_as_numbers_of_any_size),
        cmocka_unit_test(versions_are_ordered_as_the_machine_orders_numbers),
        cmocka_unit_test(only_digits_are_digits),
        cmocka_unit_test(the_view_need_not_be_terminated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
