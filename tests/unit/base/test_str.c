/* SPDX-License-Identifier: Apache-2.0 */
/*
 * String views, the public half (kinform/common.h) and the internal one. Views in these
 * tests often live in exactly as much memory as they have bytes, so that ASan sees a
 * function that looks for a terminator.
 */
#include "kin_test.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "rng.h"

static const kin_str nothing = {NULL, 0};

static void assert_view(kin_str v, const char *expected)
{
    assert_int_equal(v.len, strlen(expected));
    if (v.len)
        assert_memory_equal(v.data, expected, v.len);
}

/* A copy without terminator; free() its data. */
static kin_str bare(const char *data, size_t len)
{
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, data, len);
    return kin_str_make(copy, len);
}

static void drop(kin_str v)
{
    free((void *)(uintptr_t)v.data);
}

/* --- views --- */

static void of_views_a_terminated_string(void **state)
{
    static const char text[] = "pods";

    (void)state;
    assert_ptr_equal(kin_str_of(text).data, text);
    assert_int_equal(kin_str_of(text).len, 4);
    assert_int_equal(kin_str_of("").len, 0);
    assert_non_null(kin_str_of("").data);
}

static void of_null_is_the_empty_view(void **state)
{
    (void)state;
    assert_null(kin_str_of(NULL).data);
    assert_int_equal(kin_str_of(NULL).len, 0);
}

static void make_views_any_bytes(void **state)
{
    static const char bytes[] = {'a', '\0', 'b'};

    (void)state;
    assert_ptr_equal(kin_str_make(bytes, 3).data, bytes);
    assert_int_equal(kin_str_make(bytes, 3).len, 3);
    assert_int_equal(kin_str_make(NULL, 0).len, 0);
}

static void literals_are_views_in_constants(void **state)
{
    static const kin_str text = KIN__STR("pods");
    static const kin_str empty = KIN__STR("");
    static const kin_str zero = KIN__STR("a\0b");

    (void)state;
    assert_view(text, "pods");
    assert_view(empty, "");
    assert_non_null(empty.data);
    assert_int_equal(zero.len, 3);
}

static void equal_compares_length_and_bytes(void **state)
{
    (void)state;
    assert_true(kin_str_equal(kin_str_of("abc"), kin_str_make("abcd", 3)));
    assert_false(kin_str_equal(kin_str_of("abc"), kin_str_of("abcd")));
    assert_false(kin_str_equal(kin_str_of("abcd"), kin_str_of("abc")));
    assert_false(kin_str_equal(kin_str_of("abc"), kin_str_of("abd")));
    assert_false(kin_str_equal(kin_str_make("a\0b", 3), kin_str_make("a\0c", 3)));
    assert_true(kin_str_equal(kin_str_make("a\0b", 3), kin_str_make("a\0b", 3)));
}

static void empty_views_are_equal_whatever_their_data(void **state)
{
    (void)state;
    assert_true(kin_str_equal(nothing, nothing));
    assert_true(kin_str_equal(nothing, kin_str_of("")));
    assert_true(kin_str_equal(kin_str_make("x", 0), nothing));
    assert_false(kin_str_equal(nothing, kin_str_of("x")));
    assert_false(kin_str_equal(kin_str_of("x"), nothing));
}

static void views_can_be_printed(void **state)
{
    char text[32];
    kin_str v = bare("pods", 4);

    (void)state;
    snprintf(text, sizeof(text), "[%" KIN_STR_FMT "|%" KIN_STR_FMT "]", KIN_STR_ARG(v),
             KIN_STR_ARG(nothing));
    drop(v);
    assert_string_equal(text, "[pods|]");
}

static int printed_length(int len, const char *data)
{
    assert_non_null(data);
    return len;
}

static void huge_views_are_cut_when_printed(void **state)
{
    static const struct {
        size_t len;
        int printed;
    } rows[] = {
        {0, 0}, {1, 1}, {INT_MAX, INT_MAX}, {(size_t)INT_MAX + 1, INT_MAX}, {SIZE_MAX, INT_MAX},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_str v = kin_str_make("", rows[i].len);

        assert_int_equal(printed_length(KIN_STR_ARG(v)), rows[i].printed);
    }
}

/* --- order --- */

static int sign(int order)
{
    return (order > 0) - (order < 0);
}

/* The order by definition, byte by byte. */
static int reference_order(kin_str a, kin_str b)
{
    for (size_t i = 0;; i++) {
        if (i == a.len || i == b.len)
            return (i < a.len) - (i < b.len);
        int x = (unsigned char)a.data[i];
        int y = (unsigned char)b.data[i];
        if (x != y)
            return x < y ? -1 : 1;
    }
}

static void a_prefix_comes_before_the_longer(void **state)
{
    (void)state;
    assert_int_equal(sign(kin__str_compare(kin_str_of("ab"), kin_str_of("abc"))), -1);
    assert_int_equal(sign(kin__str_compare(kin_str_of("abc"), kin_str_of("ab"))), 1);
    assert_int_equal(sign(kin__str_compare(kin_str_of("b"), kin_str_of("abc"))), 1);
    assert_int_equal(kin__str_compare(kin_str_of("abc"), kin_str_of("abc")), 0);
}

static void the_empty_view_comes_first(void **state)
{
    (void)state;
    assert_int_equal(kin__str_compare(nothing, nothing), 0);
    assert_int_equal(kin__str_compare(nothing, kin_str_of("")), 0);
    assert_int_equal(sign(kin__str_compare(nothing, kin_str_make("\0", 1))), -1);
    assert_int_equal(sign(kin__str_compare(kin_str_make("\0", 1), nothing)), 1);
}

/* Bytes are unsigned: 0x80 comes behind 0x7f. */
static void order_is_that_of_unsigned_bytes(void **state)
{
    (void)state;
    for (int x = 0; x < 256; x++) {
        for (int y = 0; y < 256; y++) {
            char a = (char)x;
            char b = (char)y;

            assert_int_equal(sign(kin__str_compare(kin_str_make(&a, 1), kin_str_make(&b, 1))),
                             (x > y) - (x < y));
        }
    }
}

static kin_str random_view(kin_test_rng *rng, char *buf)
{
    static const char alphabet[] = {'\0', 'a', 'b', '\x7f', '\x80', '\xff'};
    size_t len = kin_test_below(rng, 6);

    for (size_t i = 0; i < len; i++)
        buf[i] = alphabet[kin_test_below(rng, sizeof(alphabet))];
    return kin_str_make(len ? buf : NULL, len);
}

static void compare_and_equal_agree_with_the_reference(void **state)
{
    kin_test_rng rng = {1};

    (void)state;
    for (int i = 0; i < 50000; i++) {
        char left[8];
        char right[8];
        kin_str a = random_view(&rng, left);
        kin_str b = random_view(&rng, right);
        int expected = reference_order(a, b);

        assert_int_equal(sign(kin__str_compare(a, b)), expected);
        assert_int_equal(sign(kin__str_compare(b, a)), -expected);
        assert_int_equal(kin_str_equal(a, b), expected == 0);
    }
}

/* --- searching --- */

static void starts_with_compares_the_first_bytes(void **state)
{
    (void)state;
    assert_true(kin__str_starts_with(kin_str_of("abc"), kin_str_of("ab")));
    assert_true(kin__str_starts_with(kin_str_of("abc"), kin_str_of("abc")));
    assert_true(kin__str_starts_with(kin_str_of("abc"), nothing));
    assert_true(kin__str_starts_with(nothing, nothing));
    assert_false(kin__str_starts_with(kin_str_of("abc"), kin_str_of("abcd")));
    assert_false(kin__str_starts_with(kin_str_of("abc"), kin_str_of("bc")));
    assert_false(kin__str_starts_with(kin_str_of("abc"), kin_str_of("ac")));
    assert_false(kin__str_starts_with(nothing, kin_str_of("a")));
}

static void ends_with_compares_the_last_bytes(void **state)
{
    (void)state;
    assert_true(kin__str_ends_with(kin_str_of("abc"), kin_str_of("bc")));
    assert_true(kin__str_ends_with(kin_str_of("abc"), kin_str_of("abc")));
    assert_true(kin__str_ends_with(kin_str_of("abc"), nothing));
    assert_true(kin__str_ends_with(nothing, nothing));
    assert_true(kin__str_ends_with(nothing, kin_str_of("")));
    assert_false(kin__str_ends_with(kin_str_of("bc"), kin_str_of("abc")));
    assert_false(kin__str_ends_with(kin_str_of("abc"), kin_str_of("ab")));
    assert_false(kin__str_ends_with(kin_str_of("abc"), kin_str_of("bb")));
    assert_false(kin__str_ends_with(nothing, kin_str_of("a")));
}

static void find_gives_the_first_index_or_the_length(void **state)
{
    (void)state;
    assert_int_equal(kin__str_find(kin_str_of("abcb"), 'a'), 0);
    assert_int_equal(kin__str_find(kin_str_of("abcb"), 'b'), 1);
    assert_int_equal(kin__str_find(kin_str_of("abcb"), 'x'), 4);
    assert_int_equal(kin__str_find(kin_str_make("abx", 2), 'x'), 2);
    assert_int_equal(kin__str_find(kin_str_make("a\0b", 3), '\0'), 1);
    assert_int_equal(kin__str_find(kin_str_of("abc"), '\0'), 3);
    assert_int_equal(kin__str_find(kin_str_of("a\xff"), '\xff'), 1);
    assert_int_equal(kin__str_find(nothing, 'a'), 0);
}

static void trim_takes_off_spaces_tabs_and_line_ends_only(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[] = {(char)c, 'x', (char)c, 'y', (char)c};
        kin_str trimmed = kin__str_trim(kin_str_make(text, sizeof(text)));
        bool is_space = c == ' ' || c == '\t' || c == '\n' || c == '\r';

        assert_int_equal(trimmed.len, is_space ? 3 : 5);
        assert_ptr_equal(trimmed.data, is_space ? text + 1 : text);
    }
}

static void trim_works_on_each_end_alone(void **state)
{
    (void)state;
    assert_view(kin__str_trim(kin_str_of("x \t\r\n")), "x");
    assert_view(kin__str_trim(kin_str_of(" \t\r\nx")), "x");
    assert_view(kin__str_trim(kin_str_of("x")), "x");
}

static void trim_of_nothing_but_spaces_is_empty(void **state)
{
    kin_str spaces = bare(" \t \n", 4);

    (void)state;
    assert_int_equal(kin__str_trim(spaces).len, 0);
    assert_int_equal(kin__str_trim(nothing).len, 0);
    assert_int_equal(kin__str_trim(kin_str_of("")).len, 0);
    drop(spaces);
}

/* --- cutting --- */

/* The parts of a text in the order they come, each in brackets. */
static const char *parts_of(const char *text)
{
    static char joined[256];
    kin_str rest = kin_str_of(text);
    kin_str head;
    size_t n = 0;

    joined[0] = '\0';
    while (kin__str_cut(&rest, ',', &head)) {
        assert_true(n < sizeof(joined) - 8);
        n += (size_t)snprintf(joined + n, sizeof(joined) - n, "[%" KIN_STR_FMT "]",
                              KIN_STR_ARG(head));
    }
    return joined;
}

static void a_loop_of_cuts_sees_each_part_once(void **state)
{
    (void)state;
    assert_string_equal(parts_of("a"), "[a]");
    assert_string_equal(parts_of("a,b"), "[a][b]");
    assert_string_equal(parts_of("one,two,three"), "[one][two][three]");
}

static void a_loop_of_cuts_sees_empty_parts_too(void **state)
{
    (void)state;
    assert_string_equal(parts_of(""), "[]");
    assert_string_equal(parts_of(","), "[][]");
    assert_string_equal(parts_of("a,"), "[a][]");
    assert_string_equal(parts_of(",a"), "[][a]");
    assert_string_equal(parts_of("a,,b"), "[a][][b]");
    assert_string_equal(parts_of(",,"), "[][][]");
}

static void cut_of_nothing_is_false_and_touches_nothing(void **state)
{
    kin_str rest = nothing;
    kin_str head = kin_str_of("before");

    (void)state;
    assert_false(kin__str_cut(&rest, ',', &head));
    assert_null(rest.data);
    assert_view(head, "before");
    assert_string_equal(parts_of(NULL), "");
}

static void the_rest_behind_the_last_part_has_no_data(void **state)
{
    kin_str rest = kin_str_of("a");
    kin_str head;

    (void)state;
    assert_true(kin__str_cut(&rest, ',', &head));
    assert_view(head, "a");
    assert_null(rest.data);
    assert_int_equal(rest.len, 0);
    assert_false(kin__str_cut(&rest, ',', &head));
}

static void cut_stays_within_the_view(void **state)
{
    kin_str all = bare("ab,cd", 5);
    kin_str rest = kin_str_make(all.data, 4);
    kin_str head;

    (void)state;
    assert_true(kin__str_cut(&rest, ',', &head));
    assert_ptr_equal(head.data, all.data);
    assert_int_equal(head.len, 2);
    assert_ptr_equal(rest.data, all.data + 3);
    assert_int_equal(rest.len, 1);
    drop(all);
}

static void parts_joined_again_are_the_text(void **state)
{
    static const char alphabet[] = {',', ',', 'a', '\0', '\xff'};
    kin_test_rng rng = {7};

    (void)state;
    for (int i = 0; i < 10000; i++) {
        char text[8];
        char joined[16];
        size_t len = kin_test_below(&rng, sizeof(text));
        size_t n = 0;
        kin_str head;

        for (size_t j = 0; j < len; j++)
            text[j] = alphabet[kin_test_below(&rng, sizeof(alphabet))];
        kin_str rest = kin_str_make(text, len);
        while (kin__str_cut(&rest, ',', &head)) {
            assert_int_equal(kin__str_find(head, ','), head.len);
            assert_true(n + head.len + 1 <= sizeof(joined));
            memcpy(joined + n, head.data, head.len);
            n += head.len;
            joined[n++] = ',';
        }
        assert_int_equal(n, len + 1);
        assert_memory_equal(joined, text, len);
    }
}

/* --- numbers --- */

#define UNTOUCHED 0x5aa55aa5

static void check_u64(const char *text, size_t len, int code, uint64_t value)
{
    kin_str s = bare(text, len);
    uint64_t got = UNTOUCHED;
    int result = kin__str_to_u64(&got, s);

    drop(s);
    if (result != code || got != (code ? UNTOUCHED : value))
        fail_msg("\"%.*s\" gave %d and %llu", (int)len, text, result, (unsigned long long)got);
}

static void check_i64(const char *text, size_t len, int code, int64_t value)
{
    kin_str s = bare(text, len);
    int64_t got = UNTOUCHED;
    int result = kin__str_to_i64(&got, s);

    drop(s);
    if (result != code || got != (code ? UNTOUCHED : value))
        fail_msg("\"%.*s\" gave %d and %lld", (int)len, text, result, (long long)got);
}

static void numbers_are_parsed(void **state)
{
    static const struct {
        const char *text;
        uint64_t u64;
        int u64_code;
        int64_t i64;
        int i64_code;
    } rows[] = {
        {"0", 0, 0, 0, 0},
        {"1", 1, 0, 1, 0},
        {"9", 9, 0, 9, 0},
        {"10", 10, 0, 10, 0},
        {"007", 7, 0, 7, 0},
        {"00000000000000000000000000000000000042", 42, 0, 42, 0},
        {"9223372036854775807", INT64_MAX, 0, INT64_MAX, 0},
        {"9223372036854775808", UINT64_C(9223372036854775808), 0, 0, KIN_ELIMIT},
        {"9223372036854775809", UINT64_C(9223372036854775809), 0, 0, KIN_ELIMIT},
        {"18446744073709551615", UINT64_MAX, 0, 0, KIN_ELIMIT},
        {"18446744073709551616", 0, KIN_ELIMIT, 0, KIN_ELIMIT}, /* the addition overflows */
        {"18446744073709551619", 0, KIN_ELIMIT, 0, KIN_ELIMIT},
        {"18446744073709551620", 0, KIN_ELIMIT, 0, KIN_ELIMIT}, /* the multiplication does */
        {"99999999999999999999", 0, KIN_ELIMIT, 0, KIN_ELIMIT},
        {"184467440737095516150", 0, KIN_ELIMIT, 0, KIN_ELIMIT},
        /* Wraps around to a small number again. */
        {"36893488147419103233", 0, KIN_ELIMIT, 0, KIN_ELIMIT},
        {"340282366920938463463374607431768211457", 0, KIN_ELIMIT, 0, KIN_ELIMIT},
        {"-0", 0, KIN_EPARSE, 0, 0},
        {"-1", 0, KIN_EPARSE, -1, 0},
        {"-007", 0, KIN_EPARSE, -7, 0},
        {"-9223372036854775807", 0, KIN_EPARSE, -INT64_MAX, 0},
        {"-9223372036854775808", 0, KIN_EPARSE, INT64_MIN, 0},
        {"-9223372036854775809", 0, KIN_EPARSE, 0, KIN_ELIMIT},
        {"-18446744073709551615", 0, KIN_EPARSE, 0, KIN_ELIMIT},
        {"-18446744073709551616", 0, KIN_EPARSE, 0, KIN_ELIMIT},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        check_u64(rows[i].text, strlen(rows[i].text), rows[i].u64_code, rows[i].u64);
        check_i64(rows[i].text, strlen(rows[i].text), rows[i].i64_code, rows[i].i64);
    }
}

static void what_is_no_number_is_refused(void **state)
{
    static const char *const texts[] = {
        "",
        "-",
        "--1",
        "+1",
        "-+1",
        "+",
        " 1",
        "1 ",
        "1-",
        "0x1",
        "1e3",
        "1.",
        "1,0",
        "1\n",
        "a",
        "- 1",
        "\t1",
        "1_0",
        "\xd9\xa3",
        "-a",
        "0x",
        "nan",
        "inf",
        /* What does not fit is still no number if something follows it. */
        "99999999999999999999999x",
        "-99999999999999999999999-",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        check_u64(texts[i], strlen(texts[i]), KIN_EPARSE, 0);
        check_i64(texts[i], strlen(texts[i]), KIN_EPARSE, 0);
    }
}

static void the_view_without_data_is_no_number(void **state)
{
    uint64_t u64 = UNTOUCHED;
    int64_t i64 = UNTOUCHED;

    (void)state;
    assert_code(kin__str_to_u64(&u64, nothing), KIN_EPARSE);
    assert_code(kin__str_to_i64(&i64, nothing), KIN_EPARSE);
    assert_int_equal(u64, UNTOUCHED);
    assert_int_equal(i64, UNTOUCHED);
}

/* Each byte at each place of a number: digits only, but for a '-' in front. */
static void only_digits_are_digits(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        for (size_t at = 0; at < 3; at++) {
            char text[] = "111";
            bool is_digit = c >= '0' && c <= '9';
            bool is_minus = c == '-' && at == 0;

            text[at] = (char)c;
            check_u64(text, 3, is_digit ? 0 : KIN_EPARSE, strtoull(text, NULL, 10));
            check_i64(text, 3, is_digit || is_minus ? 0 : KIN_EPARSE, strtoll(text, NULL, 10));
        }
    }
}

static void every_number_is_read_as_it_is_printed(void **state)
{
    kin_test_rng rng = {3};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char text[32];
        uint64_t bits = kin_test_random(&rng) >> kin_test_below(&rng, 64);

        int n = snprintf(text, sizeof(text), "%llu", (unsigned long long)bits);
        check_u64(text, (size_t)n, 0, bits);
        n = snprintf(text, sizeof(text), "%lld", (long long)bits);
        check_i64(text, (size_t)n, 0, (int64_t)bits);
        n = snprintf(text, sizeof(text), "%lld", -(long long)(bits >> 1));
        check_i64(text, (size_t)n, 0, -(int64_t)(bits >> 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_views_a_terminated_string),
        cmocka_unit_test(of_null_is_the_empty_view),
        cmocka_unit_test(make_views_any_bytes),
        cmocka_unit_test(literals_are_views_in_constants),
        cmocka_unit_test(equal_compares_length_and_bytes),
        cmocka_unit_test(empty_views_are_equal_whatever_their_data),
        cmocka_unit_test(views_can_be_printed),
        cmocka_unit_test(huge_views_are_cut_when_printed),
        cmocka_unit_test(a_prefix_comes_before_the_longer),
        cmocka_unit_test(the_empty_view_comes_first),
        cmocka_unit_test(order_is_that_of_unsigned_bytes),
        cmocka_unit_test(compare_and_equal_agree_with_the_reference),
        cmocka_unit_test(starts_with_compares_the_first_bytes),
        cmocka_unit_test(ends_with_compares_the_last_bytes),
        cmocka_unit_test(find_gives_the_first_index_or_the_length),
        cmocka_unit_test(trim_takes_off_spaces_tabs_and_line_ends_only),
        cmocka_unit_test(trim_works_on_each_end_alone),
        cmocka_unit_test(trim_of_nothing_but_spaces_is_empty),
        cmocka_unit_test(a_loop_of_cuts_sees_each_part_once),
        cmocka_unit_test(a_loop_of_cuts_sees_empty_parts_too),
        cmocka_unit_test(cut_of_nothing_is_false_and_touches_nothing),
        cmocka_unit_test(the_rest_behind_the_last_part_has_no_data),
        cmocka_unit_test(cut_stays_within_the_view),
        cmocka_unit_test(parts_joined_again_are_the_text),
        cmocka_unit_test(numbers_are_parsed),
        cmocka_unit_test(what_is_no_number_is_refused),
        cmocka_unit_test(the_view_without_data_is_no_number),
        cmocka_unit_test(only_digits_are_digits),
        cmocka_unit_test(every_number_is_read_as_it_is_printed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
