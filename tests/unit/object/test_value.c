/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading values: types, lookups, iteration, and each getter with each of its codes.
 */
#include "kin_test.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/value.h"
#include "random_document.h"

#define ROUNDS 15

static const kin_value none = {NULL, NULL};

static const kin_object *decode(const char *text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(text), NULL, &err) != 0)
        fail_msg("%s: %s", text, err.message);
    return object;
}

static kin_value get(const kin_object *object, const char *key)
{
    return kin_value_get(kin_object_root(object), kin_str_of(key));
}

/* A document that has everything. Decoded until nothing changes any more. */
static const char everything[] =
    "{\"null\":null,\"true\":true,\"false\":false,\"zero\":0,\"small\":31,\"medium\":32,"
    "\"negative\":-5,\"max\":9223372036854775807,\"min\":-9223372036854775808,"
    "\"beyond\":9223372036854775808,\"huge\":123456789012345678901234567890,\"minusZero\":-0,"
    "\"half\":0.5,\"whole\":5.0,\"thousand\":1e3,\"infinite\":1e400,\"tiny\":1e-400,"
    "\"third\":0.3333333333333333,\"string\":\"text\",\"empty\":\"\","
    "\"time\":\"2026-01-31T12:00:00Z\",\"micro\":\"2026-01-31T12:00:00.000007Z\","
    "\"uuid\":\"0a0b0c0d-1111-2222-3333-444444444444\",\"ip\":\"10.0.0.1\","
    "\"hex\":\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\","
    "\"cpu\":\"250m\",\"array\":[1,\"two\",[3],{\"four\":4}],\"emptyArray\":[],"
    "\"map\":{\"a\":1,\"b\":{\"c\":\"d\"}},\"emptyMap\":{}}";

/* Runs a check on the document in each of the forms that it takes. */
static void in_every_form(void (*check)(const kin_object *object))
{
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder;

    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *object = NULL;

        assert_code(kin_decoder_decode(decoder, &object, kin_str_of(everything), NULL), 0);
        check(object);
        random_keep(&keeper, object);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void every_type_has_a_name(void **state)
{
    static const char *const names[] = {"none",   "null",   "bool",  "integer",
                                        "number", "string", "array", "map"};

    (void)state;
    for (unsigned i = 0; i < kin__array_len(names); i++)
        assert_string_equal(kin_type_name((enum kin_type)i), names[i]);
    assert_string_equal(kin_type_name((enum kin_type)8), "?");
    assert_string_equal(kin_type_name((enum kin_type) - 1), "?");
}

static void check_types(const kin_object *object)
{
    static const struct {
        const char *key;
        enum kin_type type;
    } types[] = {
        {"null", KIN_NULL},        {"true", KIN_BOOL},     {"false", KIN_BOOL},
        {"zero", KIN_INTEGER},     {"small", KIN_INTEGER}, {"medium", KIN_INTEGER},
        {"negative", KIN_INTEGER}, {"max", KIN_INTEGER},   {"min", KIN_INTEGER},
        {"beyond", KIN_INTEGER},   {"huge", KIN_INTEGER},  {"minusZero", KIN_INTEGER},
        {"half", KIN_NUMBER},      {"whole", KIN_NUMBER},  {"thousand", KIN_NUMBER},
        {"infinite", KIN_NUMBER},  {"string", KIN_STRING}, {"empty", KIN_STRING},
        {"time", KIN_STRING},      {"micro", KIN_STRING},  {"uuid", KIN_STRING},
        {"ip", KIN_STRING},        {"hex", KIN_STRING},    {"array", KIN_ARRAY},
        {"emptyArray", KIN_ARRAY}, {"map", KIN_MAP},       {"emptyMap", KIN_MAP},
        {"missing", KIN_NONE},     {"", KIN_NONE},         {"nul", KIN_NONE},
        {"nulll", KIN_NONE},
    };

    assert_int_equal(kin_value_type(kin_object_root(object)), KIN_MAP);
    for (size_t i = 0; i < kin__array_len(types); i++) {
        if (kin_value_type(get(object, types[i].key)) != types[i].type)
            fail_msg("%s is a %s", types[i].key,
                     kin_type_name(kin_value_type(get(object, types[i].key))));
    }
}

static void values_have_the_types_of_their_text(void **state)
{
    (void)state;
    assert_int_equal(kin_value_type(none), KIN_NONE);
    in_every_form(check_types);
}

static void check_lookups(const kin_object *object)
{
    kin_value array = get(object, "array");
    int64_t number = 0;

    assert_int_equal(kin_value_len(array), 4);
    assert_int_equal(kin_value_type(kin_value_at(array, 0)), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_at(array, 1)), KIN_STRING);
    assert_int_equal(kin_value_type(kin_value_at(array, 2)), KIN_ARRAY);
    assert_int_equal(kin_value_type(kin_value_at(array, 3)), KIN_MAP);
    assert_int_equal(kin_value_type(kin_value_at(array, 4)), KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_at(array, SIZE_MAX)), KIN_NONE);
    assert_code(kin_value_int64(&number, kin_value_get(kin_value_at(array, 3), kin_str_of("four"))),
                0);
    assert_int_equal(number, 4);
    /* Of what is neither, there is nothing; chains end in KIN_NONE. */
    assert_int_equal(kin_value_type(kin_value_get(array, kin_str_of("four"))), KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_at(get(object, "map"), 0)), KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_at(get(object, "emptyArray"), 0)), KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_get(get(object, "emptyMap"), kin_str_of("a"))),
                     KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_get(get(object, "string"), kin_str_of("a"))),
                     KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_at(get(object, "uuid"), 0)), KIN_NONE);
    assert_int_equal(
        kin_value_type(kin_value_at(kin_value_get(get(object, "nothing"), kin_str_of("x")), 3)),
        KIN_NONE);
    assert_int_equal(kin_value_len(get(object, "map")), 2);
    assert_int_equal(kin_value_len(get(object, "emptyMap")), 0);
    assert_int_equal(kin_value_len(get(object, "emptyArray")), 0);
    assert_int_equal(kin_value_len(get(object, "hex")), 0);
    assert_int_equal(kin_value_len(get(object, "missing")), 0);
}

static void lookups_can_be_chained(void **state)
{
    (void)state;
    assert_int_equal(kin_value_type(kin_value_get(none, kin_str_of("a"))), KIN_NONE);
    assert_int_equal(kin_value_type(kin_value_at(none, 0)), KIN_NONE);
    assert_int_equal(kin_value_len(none), 0);
    in_every_form(check_lookups);
}

static void check_iteration(const kin_object *object)
{
    static const char *const keys[] = {"null", "true", "false", "zero", "small", "medium"};
    static const char *const scalars[] = {"null", "true",     "zero",       "half",   "string",
                                          "uuid", "emptyMap", "emptyArray", "missing"};
    kin_iter it;
    size_t n = 0;

    for (kin_iter_init(&it, kin_object_root(object)); kin_iter_next(&it); n++) {
        assert_int_equal(it.index, n);
        if (n < kin__array_len(keys))
            assert_true(kin_str_equal(it.key, kin_str_of(keys[n])));
    }
    assert_int_equal(n, kin_value_len(kin_object_root(object)));
    assert_false(kin_iter_next(&it)); /* and again */
    n = 0;
    for (kin_iter_init(&it, get(object, "array")); kin_iter_next(&it); n++) {
        assert_int_equal(it.index, n);
        assert_int_equal(it.key.len, 0);
        assert_true(kin_value_equal(it.value, kin_value_at(get(object, "array"), n)));
    }
    assert_int_equal(n, 4);
    for (size_t i = 0; i < kin__array_len(scalars); i++) {
        kin_iter_init(&it, get(object, scalars[i]));
        assert_false(kin_iter_next(&it));
        assert_false(kin_iter_next(&it));
    }
}

static void iteration_goes_through_all_elements_in_order(void **state)
{
    (void)state;
    in_every_form(check_iteration);
}

static void assert_string(kin_value value, const char *expected)
{
    kin_scratch scratch;
    kin_str text;

    memset(&scratch, 'x', sizeof(scratch));
    assert_code(kin_value_string(&text, value, &scratch), 0);
    if (!kin_str_equal(text, kin_str_of(expected)))
        fail_msg("%.*s, not %s", (int)text.len, text.data, expected);
}

static void check_strings(const kin_object *object)
{
    kin_scratch scratch;
    kin_str text = {"kept", 4};

    assert_string(get(object, "string"), "text");
    assert_string(get(object, "empty"), "");
    assert_string(get(object, "time"), "2026-01-31T12:00:00Z");
    assert_string(get(object, "micro"), "2026-01-31T12:00:00.000007Z");
    assert_string(get(object, "uuid"), "0a0b0c0d-1111-2222-3333-444444444444");
    assert_string(get(object, "ip"), "10.0.0.1");
    assert_string(get(object, "hex"),
                  "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
    assert_code(kin_value_string(&text, none, &scratch), KIN_ENOTFOUND);
    assert_code(kin_value_string(&text, get(object, "null"), &scratch), KIN_ETYPE);
    assert_code(kin_value_string(&text, get(object, "zero"), &scratch), KIN_ETYPE);
    assert_code(kin_value_string(&text, get(object, "half"), &scratch), KIN_ETYPE);
    assert_code(kin_value_string(&text, get(object, "map"), &scratch), KIN_ETYPE);
    assert_code(kin_value_string(&text, get(object, "emptyArray"), &scratch), KIN_ETYPE);
    assert_string_equal(text.data, "kept");
}

static void strings_are_read(void **state)
{
    (void)state;
    in_every_form(check_strings);
}

static void check_integers(const kin_object *object)
{
    static const struct {
        const char *key;
        int code;
        int64_t value;
    } cases[] = {
        {"zero", 0, 0},
        {"small", 0, 31},
        {"medium", 0, 32},
        {"negative", 0, -5},
        {"max", 0, INT64_MAX},
        {"min", 0, INT64_MIN},
        {"minusZero", 0, 0},
        {"whole", 0, 5},
        {"thousand", 0, 1000},
        {"beyond", KIN_ERANGE, 0},
        {"huge", KIN_ERANGE, 0},
        {"half", KIN_ERANGE, 0},
        {"tiny", KIN_ERANGE, 0},
        {"infinite", KIN_ERANGE, 0},
        {"missing", KIN_ENOTFOUND, 0},
        {"null", KIN_ETYPE, 0},
        {"true", KIN_ETYPE, 0},
        {"string", KIN_ETYPE, 0},
        {"ip", KIN_ETYPE, 0},
        {"array", KIN_ETYPE, 0},
        {"emptyMap", KIN_ETYPE, 0},
    };

    for (size_t i = 0; i < kin__array_len(cases); i++) {
        int64_t value = 77;

        if (kin_value_int64(&value, get(object, cases[i].key)) != cases[i].code ||
            value != (cases[i].code ? 77 : cases[i].value))
            fail_msg("%s gives %s and %lld", cases[i].key,
                     kin_error_name(kin_value_int64(&value, get(object, cases[i].key))),
                     (long long)value);
    }
}

static void integers_are_read(void **state)
{
    (void)state;
    in_every_form(check_integers);
}

static void assert_double(kin_value value, double expected)
{
    double number = 77;

    assert_code(kin_value_double(&number, value), 0);
    assert_true(number >= expected && number <= expected);
}

static void check_doubles(const kin_object *object)
{
    double number = 77;

    assert_double(get(object, "zero"), 0);
    assert_double(get(object, "small"), 31);
    assert_double(get(object, "negative"), -5);
    assert_double(get(object, "max"), 9223372036854775807.0);
    assert_double(get(object, "beyond"), 9223372036854775808.0);
    assert_double(get(object, "huge"), 123456789012345678901234567890.0);
    assert_double(get(object, "half"), 0.5);
    assert_double(get(object, "third"), 0.3333333333333333);
    assert_double(get(object, "thousand"), 1000);
    assert_double(get(object, "tiny"), 0);
    assert_code(kin_value_double(&number, get(object, "infinite")), KIN_ERANGE);
    assert_code(kin_value_double(&number, none), KIN_ENOTFOUND);
    assert_code(kin_value_double(&number, get(object, "string")), KIN_ETYPE);
    assert_code(kin_value_double(&number, get(object, "false")), KIN_ETYPE);
    assert_code(kin_value_double(&number, get(object, "map")), KIN_ETYPE);
    assert_true(number > 76 && number < 78);
}

static void doubles_are_read(void **state)
{
    (void)state;
    in_every_form(check_doubles);
}

static void assert_number(kin_value value, const char *expected)
{
    kin_scratch scratch;
    kin_str text;

    assert_code(kin_value_number(&text, value, &scratch), 0);
    assert_true(kin_str_equal(text, kin_str_of(expected)));
}

static void check_number_texts(const kin_object *object)
{
    kin_scratch scratch;
    kin_str text = {"kept", 4};

    assert_number(get(object, "zero"), "0");
    assert_number(get(object, "medium"), "32");
    assert_number(get(object, "min"), "-9223372036854775808");
    assert_number(get(object, "beyond"), "9223372036854775808");
    assert_number(get(object, "minusZero"), "-0");
    assert_number(get(object, "whole"), "5.0");
    assert_number(get(object, "thousand"), "1e3");
    assert_number(get(object, "infinite"), "1e400");
    assert_code(kin_value_number(&text, none, &scratch), KIN_ENOTFOUND);
    assert_code(kin_value_number(&text, get(object, "ip"), &scratch), KIN_ETYPE);
    assert_code(kin_value_number(&text, get(object, "null"), &scratch), KIN_ETYPE);
    assert_string_equal(text.data, "kept");
}

static void numbers_keep_their_text(void **state)
{
    (void)state;
    in_every_form(check_number_texts);
}

static void check_bools(const kin_object *object)
{
    bool truth = false;

    assert_code(kin_value_bool(&truth, get(object, "true")), 0);
    assert_true(truth);
    assert_code(kin_value_bool(&truth, none), KIN_ENOTFOUND);
    assert_code(kin_value_bool(&truth, get(object, "null")), KIN_ETYPE);
    assert_code(kin_value_bool(&truth, get(object, "zero")), KIN_ETYPE);
    assert_code(kin_value_bool(&truth, get(object, "emptyMap")), KIN_ETYPE);
    assert_true(truth);
    assert_code(kin_value_bool(&truth, get(object, "false")), 0);
    assert_false(truth);
}

static void bools_are_read(void **state)
{
    (void)state;
    in_every_form(check_bools);
}

static void check_times(const kin_object *object)
{
    kin_time time = {7, 7};

    assert_code(kin_value_time(&time, none), KIN_ENOTFOUND);
    assert_code(kin_value_time(&time, get(object, "null")), KIN_ETYPE);
    assert_code(kin_value_time(&time, get(object, "max")), KIN_ETYPE);
    assert_code(kin_value_time(&time, get(object, "string")), KIN_EPARSE);
    assert_code(kin_value_time(&time, get(object, "uuid")), KIN_EPARSE);
    assert_true(time.seconds == 7 && time.nanoseconds == 7);
    assert_code(kin_value_time(&time, get(object, "time")), 0);
    assert_int_equal(time.seconds, 1769860800);
    assert_int_equal(time.nanoseconds, 0);
    assert_code(kin_value_time(&time, get(object, "micro")), 0);
    assert_int_equal(time.seconds, 1769860800);
    assert_int_equal(time.nanoseconds, 7000);
}

static void times_are_read(void **state)
{
    (void)state;
    in_every_form(check_times);
}

static void check_quantities(const kin_object *object)
{
    static const struct {
        const char *key;
        int code;
        int64_t milli;
    } cases[] = {
        {"cpu", 0, 250},           {"half", 0, 500},         {"small", 0, 31000},
        {"negative", 0, -5000},    {"thousand", 0, 1000000}, {"missing", KIN_ENOTFOUND, 0},
        {"null", KIN_ETYPE, 0},    {"true", KIN_ETYPE, 0},   {"map", KIN_ETYPE, 0},
        {"string", KIN_EPARSE, 0}, {"ip", KIN_EPARSE, 0},
    };

    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_quantity quantity;
        int64_t milli = 0;

        assert_code(kin_quantity_parse(&quantity, kin_str_of("7m"), NULL), 0);
        assert_code(kin_value_quantity(&quantity, get(object, cases[i].key)), cases[i].code);
        assert_code(kin_quantity_milli_value(&milli, quantity, NULL), 0);
        assert_int_equal(milli, cases[i].code ? 7 : cases[i].milli);
    }
}

static void quantities_are_read_from_strings_and_numbers(void **state)
{
    (void)state;
    in_every_form(check_quantities);
}

/* Numbers around the lengths of their compact form. */
static void integers_of_every_size_are_exact(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 64; bits++) {
        for (int delta = -1; delta <= 1; delta++) {
            for (int sign = -1; sign <= 1; sign += 2) {
                uint64_t magnitude = (UINT64_C(1) << bits) + (uint64_t)delta;
                char text[64];
                char *encoded;

                if (magnitude > INT64_MAX)
                    continue;
                int64_t expected = sign * (int64_t)magnitude;
                int64_t value = 0;

                snprintf(text, sizeof(text), "{\"n\":%lld}", (long long)expected);
                const kin_object *object = decode(text);
                assert_code(kin_value_int64(&value, get(object, "n")), 0);
                assert_true(value == expected);
                assert_code(kin_object_to_json(&encoded, NULL, object, KIN_JSON_COMPACT, NULL), 0);
                assert_string_equal(encoded, text);
                kin_free(encoded);
                kin_object_unref(object);
            }
        }
    }
}

/*
 * Keys are found whether the document has them spelled out or as a number, learnt later or
 * earlier.
 */
static void keys_are_found_before_and_after_they_are_learnt(void **state)
{
    static const char text[] = "{\"aKeyOfThisTest\":{\"another/key of-this.test\":1}}";
    const kin_object *objects[ROUNDS];
    int64_t value = 0;

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        objects[i] = decode(text);
        for (unsigned k = 0; k <= i; k++) {
            kin_value inner = get(objects[k], "aKeyOfThisTest");

            value = 0;
            assert_code(kin_value_int64(
                            &value, kin_value_get(inner, kin_str_of("another/key of-this.test"))),
                        0);
            assert_int_equal(value, 1);
            assert_int_equal(kin_value_type(get(objects[k], "aKeyOfThisTes")), KIN_NONE);
        }
    }
    for (unsigned i = 0; i < ROUNDS; i++)
        kin_object_unref(objects[i]);
}

static void only_documents_have_a_root(void **state)
{
    const kin_object *key;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a/b"), NULL), 0);
    assert_int_equal(kin_value_type(kin_object_root(key)), KIN_NONE);
    assert_int_equal(kin_object_size(key), 0);
    kin_object_unref(key);
    assert_int_equal(kin_value_type(kin_object_root(NULL)), KIN_NONE);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_has_a_name),
        cmocka_unit_test(values_have_the_types_of_their_text),
        cmocka_unit_test(lookups_can_be_chained),
        cmocka_unit_test(iteration_goes_through_all_elements_in_order),
        cmocka_unit_test(strings_are_read),
        cmocka_unit_test(integers_are_read),
        cmocka_unit_test(doubles_are_read),
        cmocka_unit_test(numbers_keep_their_text),
        cmocka_unit_test(bools_are_read),
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(quantities_are_read_from_strings_and_numbers),
        cmocka_unit_test(integers_of_every_size_are_exact),
        cmocka_unit_test(keys_are_found_before_and_after_they_are_learnt),
        cmocka_unit_test(only_documents_have_a_root),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
