/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The version, in its three forms: they are written by hand and must agree.
 */
#include "kin_test.h"

#include "kinform/version.h"

static void library_reports_the_version_of_its_headers(void **state)
{
    (void)state;
    assert_int_equal(kin_version_number(), KIN_VERSION_NUMBER);
    assert_string_equal(kin_version_string(), KIN_VERSION_STRING);
}

static void text_is_made_of_the_three_numbers(void **state)
{
    char text[64];

    (void)state;
    snprintf(text, sizeof(text), "%d.%d.%d", KIN_VERSION_MAJOR, KIN_VERSION_MINOR,
             KIN_VERSION_PATCH);
    assert_string_equal(kin_version_string(), text);
}

static void number_has_one_byte_per_part(void **state)
{
    int number = kin_version_number();

    (void)state;
    assert_int_equal(number >> 16, KIN_VERSION_MAJOR);
    assert_int_equal((number >> 8) & 0xff, KIN_VERSION_MINOR);
    assert_int_equal(number & 0xff, KIN_VERSION_PATCH);
    /* A part of 256 or more would spill into the next one. */
    assert_in_range(KIN_VERSION_MINOR, 0, 255);
    assert_in_range(KIN_VERSION_PATCH, 0, 255);
}

static void text_is_borrowed_for_ever(void **state)
{
    (void)state;
    assert_ptr_equal(kin_version_string(), kin_version_string());
}

/* Makes it hard to release by accident; changes with each release. */
static void this_is_release_0_1_0(void **state)
{
    (void)state;
    assert_string_equal(kin_version_string(), "0.1.0");
    assert_int_equal(kin_version_number(), 0x000100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(library_reports_the_version_of_its_headers),
        cmocka_unit_test(text_is_made_of_the_three_numbers),
        cmocka_unit_test(number_has_one_byte_per_part),
        cmocka_unit_test(text_is_borrowed_for_ever),
        cmocka_unit_test(this_is_release_0_1_0),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
