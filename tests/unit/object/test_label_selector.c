/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors. What is accepted, refused and printed was compared with apimachinery's answers;
 * random selectors are matched against a plain reading of the rules.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/selector.h"
#include "oom.h"
#include "rng.h"

#define X10 "xxxxxxxxxx"
#define X60 X10 X10 X10 X10 X10 X10
#define X63 X60 "xxx"
#define X64 X60 "xxxx"
#define X250 X60 X60 X60 X60 X10
#define X253 X250 "xxx"
#define X254 X250 "xxxx"

/* A copy in exactly as much memory as it needs, so that ASan sees reads behind it. */
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

static const kin_label_selector *parse(const char *text)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(text, strlen(text));

    if (kin_label_selector_parse(&sel, s, &err) < 0)
        fail_msg("\"%s\": %s", text, err.message);
    drop(s);
    assert_non_null(sel);
    return sel;
}

static void assert_printed(const kin_label_selector *sel, const char *expected)
{
    char *text = NULL;
    size_t len = 0;

    assert_code(kin_label_selector_print(&text, &len, sel, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
    kin_free(text);
}

static void assert_view(kin_str v, const char *expected)
{
    assert_int_equal(v.len, strlen(expected));
    if (v.len)
        assert_memory_equal(v.data, expected, v.len);
}

static void assert_same(const kin_label_selector *a, const kin_label_selector *b)
{
    assert_int_equal(kin_label_selector_count(a), kin_label_selector_count(b));
    for (size_t i = 0; i < kin_label_selector_count(a); i++) {
        const kin_label_requirement *x = kin_label_selector_get_requirement(a, i);
        const kin_label_requirement *y = kin_label_selector_get_requirement(b, i);

        assert_true(kin_str_equal(x->key, y->key));
        assert_int_equal(x->op, y->op);
        assert_int_equal(x->n_values, y->n_values);
        for (size_t j = 0; j < x->n_values; j++)
            assert_true(kin_str_equal(x->values[j], y->values[j]));
    }
}

/* ---- labels of an object, as text: "a=1,b=" ---- */

static bool lookup(kin_str key, kin_str *ret_value, void *arg)
{
    const char *at = arg;

    while (*at) {
        size_t key_len = strcspn(at, "=");
        const char *value = at + key_len + 1;
        size_t value_len = strcspn(value, ",");

        if (kin_str_equal(kin_str_make(at, key_len), key)) {
            *ret_value = kin_str_make(value, value_len);
            return true;
        }
        at = value + value_len + (value[value_len] == ',');
    }
    return false;
}

static bool matches(const kin_label_selector *sel, const char *labels)
{
    return kin_label_selector_matches_fn(sel, lookup, (void *)(uintptr_t)labels);
}

/* ---- keys and values ---- */

static void check_key(const char *key, int code, uint64_t offset)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(key, strlen(key));
    int got = kin_label_key_validate(s, &err);

    drop(s);
    if (got != code || err.code != code || err.offset != offset)
        fail_msg("\"%s\" gave %d at %llu: %s", key, got, (unsigned long long)err.offset,
                 err.message);
    if (code < 0)
        assert_non_null(strstr(err.message, "expected "));
}

static void check_value(const char *value, int code, uint64_t offset)
{
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(value, strlen(value));
    int got = kin_label_value_validate(s, &err);

    drop(s);
    if (got != code || err.code != code || err.offset != offset)
        fail_msg("\"%s\" gave %d at %llu: %s", value, got, (unsigned long long)err.offset,
                 err.message);
}

static void keys_are_a_name_with_or_without_prefix(void **state)
{
    static const char *const keys[] = {
        "a",
        "A",
        "0",
        "in",
        "notin",
        "My-Name_1.x",
        "a--b",
        "a__b",
        "a..b",
        X63,
        "example.com/name",
        "a/b",
        "0/0",
        "1.2.3/NAME",
        "a-b.c-d/e",
        "a--b/c",
        X253 "/" X63,
        "kubernetes.io/" X63,
        X64 "/a", /* a part of a prefix has no limit of its own */
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(keys); i++)
        check_key(keys[i], 0, 0);
}

static void what_is_no_key_is_refused_at_its_first_wrong_byte(void **state)
{
    static const struct {
        const char *key;
        uint64_t offset;
    } rows[] = {
        {"", 0},          {"-a", 0},     {".a", 0},     {"_", 0},         {"a-", 1},
        {"ab_", 2},       {"a.", 1},     {"a b", 1},    {"a@b", 1},       {"a=b", 1},
        {"a\xc3\xa4", 1}, {"a\x7f", 1},  {X64, 63},     {X63 "-", 63},    {X63 "@", 63},
        {"x@" X64, 1}, /* before it is too long it is wrong */
        {"/", 0},         {"/a", 0},     {"a/", 2},     {"a/b/c", 3},     {"a//b", 2},
        {"//", 0},        {"a/-", 2},    {"a/b-", 3},   {"A/b", 0},       {"aB/b", 1},
        {"a_b/c", 1},     {"-a/b", 0},   {"a-/b", 1},   {".a/b", 0},      {"a./b", 2},
        {"a..b/c", 2},    {"a.-b/c", 2}, {"a-.b/c", 1}, {X254 "/a", 253}, {"a.b/" X64, 67},
        {"a b/c", 1},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        check_key(rows[i].key, KIN_EPARSE, rows[i].offset);
}

static void values_may_be_empty(void **state)
{
    static const char *const values[] = {"", "a", "Z", "9", "a-b", "a_b", "a.b", "A--..__b", X63};

    (void)state;
    for (size_t i = 0; i < kin__array_len(values); i++)
        check_value(values[i], 0, 0);
}

static void what_is_no_value_is_refused_at_its_first_wrong_byte(void **state)
{
    static const struct {
        const char *value;
        uint64_t offset;
    } rows[] = {
        {"-", 0}, {"-a", 0},  {"a-", 1},  {"_", 0},        {".", 0},  {"a/b", 1},
        {" ", 0}, {"a b", 1}, {"a\n", 1}, {"\xc3\xa4", 0}, {X64, 63}, {"+5", 0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        check_value(rows[i].value, KIN_EPARSE, rows[i].offset);
}

/* Each byte at each of three places. */
static void only_ascii_letters_and_digits_stand_at_the_ends(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        bool letter = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        bool inside = letter || c == '-' || c == '_' || c == '.';

        for (size_t at = 0; at < 3; at++) {
            char text[] = "xxx";
            kin_error err = KIN_ERROR_INIT;
            int code = (at == 1 ? inside : letter) ? 0 : KIN_EPARSE;

            text[at] = (char)c;
            assert_code(kin_label_value_validate(kin_str_make(text, 3), &err), code);
            assert_int_equal(err.offset, code ? at : 0);
            if (c == '/')
                continue;
            assert_code(kin_label_key_validate(kin_str_make(text, 3), NULL), code);
        }
    }
}

static void messages_say_what_was_expected_and_found(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_label_key_validate(kin_str_of("a@b"), &err);
    assert_string_equal(
        err.message, "label key: expected letters, digits, '-', '_' or '.', found '@' at byte 1");
    kin_label_key_validate(kin_str_of("a/"), &err);
    assert_string_equal(err.message, "label key: expected a name, found its end at byte 2");
    kin_label_value_validate(kin_str_make("\0", 1), &err);
    assert_string_equal(
        err.message,
        "label value: expected a letter or digit at the beginning, found byte 0x00 at byte 0");
}

/* ---- parsing and printing ---- */

static void selectors_are_printed_in_one_form(void **state)
{
    static const struct {
        const char *text;
        const char *printed;
    } rows[] = {
        {"", ""},
        {" \t\r\n ", ""},
        {"x", "x"},
        {"  x\t", "x"},
        {"!x", "!x"},
        {"! x", "!x"},
        {"x=a", "x=a"},
        {"x==a", "x==a"},
        {"x!=a", "x!=a"},
        {"x = a", "x=a"},
        {"x\t==\na", "x==a"},
        {" x != a ", "x!=a"},
        {"x=", "x="},
        {"x= ", "x="},
        {"x==", "x=="},
        {"x!=", "x!="},
        {"x=,y", "x=,y"},
        {"x=,y=", "x=,y="},
        {"y,x", "x,y"},
        {"z=1,a!=2,m in (c,b)", "a!=2,m in (b,c),z=1"},
        {"x in (a)", "x in (a)"},
        {"x in(a)", "x in (a)"},
        {"x  in  ( b , a )", "x in (a,b)"},
        {"x notin (b,a)", "x notin (a,b)"},
        {"x notin(a)", "x notin (a)"},
        {"x in ()", "x in ()"},
        {"x in ( )", "x in ()"},
        {"x in (,)", "x in ()"},
        {"x in (,,,)", "x in ()"},
        {"x in (,a)", "x in (,a)"},
        {"x in (a,)", "x in (,a)"},
        {"x in (a,,b)", "x in (,a,b)"},
        {"x in (b,,,a,)", "x in (,a,b)"},
        {"x in (a,a,a)", "x in (a)"},
        {"x in (b,a,b,a)", "x in (a,b)"},
        {"x in (a,B,A,b)", "x in (A,B,a,b)"},
        {"x notin ()", "x notin ()"},
        {"x>1", "x>1"},
        {"x > 1", "x>1"},
        {"x<1", "x<1"},
        {"x<007", "x<007"},
        {"x>9223372036854775807", "x>9223372036854775807"},
        {"x>1,x<5", "x>1,x<5"},
        {"in", "in"},
        {"!in", "!in"},
        {"in,notin", "in,notin"},
        {"in in (in)", "in in (in)"},
        {"notin notin (notin,in)", "notin notin (in,notin)"},
        {"in=in", "in=in"},
        {"x=notin", "x=notin"},
        {"in notin (in)", "in notin (in)"},
        {"IN in (a)", "IN in (a)"},
        {"x=1,x=2,x!=3", "x=1,x=2,x!=3"},
        {"x!=3,x=2,x,x=1,!x", "x!=3,x=2,x,x=1,!x"},
        {"b=2,a=1,b=1,a=2", "a=1,a=2,b=2,b=1"},
        {"example.com/x in (a),B", "B,example.com/x in (a)"},
        {X253 "/" X63 "=" X63, X253 "/" X63 "=" X63},
        {"x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].text);
        const kin_label_selector *again = parse(rows[i].printed);

        assert_printed(sel, rows[i].printed);
        assert_same(sel, again);
        kin_label_selector_unref(again);
        kin_label_selector_unref(sel);
    }
}

static void malformed_selectors_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text;
        uint64_t offset;
        const char *expected;
    } rows[] = {
        {",", 0, "a key, '!' or the end"},
        {" ,x", 1, "a key, '!' or the end"},
        {"=", 0, "a key, '!' or the end"},
        {"(", 0, "a key, '!' or the end"},
        {"!=x", 0, "a key, '!' or the end"},
        {">1", 0, "a key, '!' or the end"},
        {"x,", 2, "a key or '!'"},
        {"x, ", 3, "a key or '!'"},
        {"x,,y", 2, "a key or '!'"},
        {"x,=", 2, "a key or '!'"},
        {"x=a,", 4, "a key or '!'"},
        {"!", 1, "a key"},
        {"!!x", 1, "a key"},
        {"! =", 2, "a key"},
        {"!,x", 1, "a key"},
        {"!x=a", 2, "',' or the end"},
        {"!x in (a)", 3, "',' or the end"},
        {"!x y", 3, "',' or the end"},
        {"x y", 2, "an operator, ',' or the end"},
        {"x !y", 2, "an operator, ',' or the end"},
        {"x (a)", 2, "an operator, ',' or the end"},
        {"x)", 1, "an operator, ',' or the end"},
        {"x IN (a)", 2, "an operator, ',' or the end"},
        {"x not in (a)", 2, "an operator, ',' or the end"},
        {"x=a b", 4, "',' or the end"},
        {"x=a=b", 3, "',' or the end"},
        {"x=a!=b", 3, "',' or the end"},
        {"x=a)", 3, "',' or the end"},
        {"x===a", 3, "a value"},
        {"x= =a", 3, "a value"},
        {"x=!a", 2, "a value"},
        {"x=(a)", 2, "a value"},
        {"x!==a", 3, "a value"},
        {"x==!", 3, "a value"},
        {"x=>5", 2, "a value"},
        {"x>=5", 2, "an integer"},
        {"x<>5", 2, "an integer"},
        {"x>", 2, "an integer of 64 bits"},
        {"x> ", 3, "an integer of 64 bits"},
        {"x>,y", 2, "an integer of 64 bits"},
        {"x>a", 2, "an integer of 64 bits"},
        {"x>1.5", 2, "an integer of 64 bits"},
        {"x < 9223372036854775808", 4, "an integer of 64 bits"},
        {"x>-1", 2, "a letter or digit at the beginning"},
        {"x>+1", 2, "a letter or digit at the beginning"},
        {"x>1_0", 2, "an integer of 64 bits"},
        {"x>0x1", 2, "an integer of 64 bits"},
        {"x in", 4, "'('"},
        {"x in a", 5, "'('"},
        {"x in,y", 4, "'('"},
        {"x notin )", 8, "'('"},
        {"x in (", 6, "a value, ',' or ')'"},
        {"x in (a", 7, "',' or ')'"},
        {"x in (a,", 8, "a value, ',' or ')'"},
        {"x in (a b)", 8, "',' or ')'"},
        {"x in (a(", 7, "',' or ')'"},
        {"x in (=", 6, "a value, ',' or ')'"},
        {"x in (a,!b)", 8, "a value, ',' or ')'"},
        {"x in (a,(b))", 8, "a value, ',' or ')'"},
        {"x in ((a))", 6, "a value, ',' or ')'"},
        {"x in (a))", 8, "',' or the end"},
        {"x in (a) y", 9, "',' or the end"},
        {"x in (a),", 9, "a key or '!'"},
        {"x in (-a)", 6, "a letter or digit at the beginning"},
        {"x in (a,b/c)", 9, "letters, digits, '-', '_' or '.'"},
        {"x=-", 2, "a letter or digit at the beginning"},
        {"x=a-", 3, "a letter or digit at the end"},
        {"x=\"a\"", 2, "a letter or digit at the beginning"},
        {"x=a\\,b", 3, "letters, digits, '-', '_' or '.'"},
        {"-x", 0, "a letter or digit at the beginning"},
        {"a,b/c/d=e", 5, "letters, digits, '-', '_' or '.'"},
        {"  a/", 4, "a name"},
        {"!A/b", 1, "a lower-case letter or digit at the beginning of a DNS label"},
        {"x=" X64, 65, "no more than 63 bytes"},
        {"x," X64, 65, "no more than 63 bytes"},
        {X254 "/x", 253, "no more than 253 bytes before the '/'"},
        {"\xc3\xa4", 0, "a letter or digit at the beginning"},
        {"x\v=a", 1, "letters, digits, '-', '_' or '.'"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = NULL;
        kin_error err = KIN_ERROR_INIT;
        char expected[128];
        kin_str text = bare(rows[i].text, strlen(rows[i].text));
        int code = kin_label_selector_parse(&sel, text, &err);

        snprintf(expected, sizeof(expected), "expected %s, found ", rows[i].expected);
        if (code != KIN_EPARSE || err.code != code || err.offset != rows[i].offset || sel ||
            !strstr(err.message, expected))
            fail_msg("\"%s\" gave %d at %llu: %s", rows[i].text, code,
                     (unsigned long long)err.offset, err.message);
        assert_code(kin_label_selector_parse(&sel, text, NULL), KIN_EPARSE);
        drop(text);
    }
}

static void a_zero_byte_is_refused_wherever_it_stands(void **state)
{
    static const char whole[] = " !x, y in ( a , b ) , z = 1 , w > 5 ";

    (void)state;
    for (size_t at = 0; at < sizeof(whole); at++) {
        const kin_label_selector *sel = NULL;
        kin_error err = KIN_ERROR_INIT;
        char text[sizeof(whole)];

        memcpy(text, whole, at);
        text[at] = '\0';
        memcpy(text + at + 1, whole + at, sizeof(whole) - 1 - at);
        assert_code(kin_label_selector_parse(&sel, kin_str_make(text, sizeof(text)), &err),
                    KIN_EPARSE);
        assert_null(sel);
        /* In some places something is missing already before it. */
        assert_true(err.offset <= at);
        if (at < 4)
            assert_int_equal(err.offset, at);
    }
}

static void found_words_are_cut_to_fit_the_message(void **state)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    char text[1000] = "x ";

    (void)state;
    memset(text + 2, 'y', sizeof(text) - 2);
    assert_code(kin_label_selector_parse(&sel, kin_str_make(text, sizeof(text)), &err), KIN_EPARSE);
    assert_string_equal(
        err.message, "label selector: expected an operator, ',' or the end, found "
                     "'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy' at byte 2");
}

static void parse_needs_somewhere_to_put_it(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_label_selector_parse(NULL, kin_str_of("x"), &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
}

static void print_needs_a_selector_and_somewhere_to_put_it(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    (void)state;
    assert_code(kin_label_selector_print(NULL, NULL, kin_label_selector_everything(), &err),
                KIN_EINVAL);
    assert_code(kin_label_selector_print(&text, NULL, NULL, &err), KIN_EINVAL);
    assert_null(text);
    assert_code(kin_label_selector_print(&text, NULL, kin_label_selector_everything(), &err), 0);
    assert_string_equal(text, "");
    kin_free(text);
}

/* ---- limits ---- */

/* "k,k,...": n times `part`, a ',' between; free() it. */
static char *repeat(const char *head, const char *part, size_t n, const char *tail)
{
    size_t len = strlen(part);
    char *text = malloc(strlen(head) + n * (len + 1) + strlen(tail) + 1);

    assert_non_null(text);
    char *at = text + strlen(head);
    memcpy(text, head, strlen(head));
    for (size_t i = 0; i < n; i++) {
        memcpy(at, part, len);
        at += len;
        *at++ = ',';
    }
    memcpy(n ? at - 1 : at, tail, strlen(tail) + 1);
    return text;
}

static int parse_repeated(const char *head, const char *part, size_t n, const char *tail,
                          kin_error *err)
{
    const kin_label_selector *sel = NULL;
    char *text = repeat(head, part, n, tail);
    int code = kin_label_selector_parse(&sel, kin_str_of(text), err);

    assert_true((code == 0) == (sel != NULL));
    kin_label_selector_unref(sel);
    free(text);
    return code;
}

static void the_length_is_limited(void **state)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = malloc(KIN_SELECTOR_MAX_LENGTH + 1);

    (void)state;
    assert_non_null(text);
    memset(text, ' ', KIN_SELECTOR_MAX_LENGTH + 1);
    text[0] = 'x';
    assert_code(kin_label_selector_parse(&sel, kin_str_make(text, KIN_SELECTOR_MAX_LENGTH), &err),
                0);
    assert_printed(sel, "x");
    kin_label_selector_unref(sel);
    sel = NULL;
    assert_code(
        kin_label_selector_parse(&sel, kin_str_make(text, KIN_SELECTOR_MAX_LENGTH + 1), &err),
        KIN_ELIMIT);
    assert_null(sel);
    assert_int_equal(err.offset, KIN_SELECTOR_MAX_LENGTH);
    free(text);
}

static void the_printed_length_is_limited_too(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    /* 32 and 33 bytes: 2000 of them are 63999 and 65999. */
    assert_code(parse_repeated("", "abcdefghijklmnopqrstuvwxyz in()", 2000, "", &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "in print"));
    /* 33 * 1985 + 31 = 65536 exactly: one more byte is too much. */
    assert_code(parse_repeated("", "abcdefghijklmnopqrstuvwxyz in()", 1985,
                               ",abcdefghijklmnopqrstuvwxyz01234", &err),
                0);
    assert_code(parse_repeated("", "abcdefghijklmnopqrstuvwxyz in()", 1985,
                               ",abcdefghijklmnopqrstuvwxyz012345", &err),
                KIN_ELIMIT);
}

static void the_number_of_requirements_is_limited(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(parse_repeated("", "x", KIN_SELECTOR_MAX_REQUIREMENTS, "", &err), 0);
    assert_code(parse_repeated("", "x", KIN_SELECTOR_MAX_REQUIREMENTS + 1, "", &err), KIN_ELIMIT);
    assert_int_equal(err.offset, 2 * KIN_SELECTOR_MAX_REQUIREMENTS);
}

static void the_number_of_values_is_limited_for_each_key(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(parse_repeated("x in (", "a", KIN_SELECTOR_MAX_VALUES, ")", &err), 0);
    assert_code(parse_repeated("x in (", "a", KIN_SELECTOR_MAX_VALUES + 1, ")", &err), KIN_ELIMIT);
    assert_int_equal(err.offset, 6 + 2 * KIN_SELECTOR_MAX_VALUES);
    assert_code(parse_repeated("y in (b),x in (", "", KIN_SELECTOR_MAX_VALUES, ")", &err), 0);
    assert_code(parse_repeated("x in (", "", KIN_SELECTOR_MAX_VALUES + 1, ")", &err), KIN_ELIMIT);
}

/* Thousands of distinct keys and values, in the worst order: sorted, and not in n^2. */
static void a_selector_of_the_largest_size_is_sorted(void **state)
{
    char *text = malloc(KIN_SELECTOR_MAX_LENGTH);
    size_t len = 0;

    (void)state;
    assert_non_null(text);
    for (unsigned i = 4096; i > 0; i--)
        len += (size_t)sprintf(text + len, "%sk%04u=%04u", len ? "," : "", i - 1, i - 1);
    const kin_label_selector *sel = parse(text);
    assert_int_equal(kin_label_selector_count(sel), 4096);
    for (unsigned i = 0; i < 4096; i++) {
        const kin_label_requirement *r = kin_label_selector_get_requirement(sel, i);
        char key[8];

        snprintf(key, sizeof(key), "k%04u", i);
        assert_view(r->key, key);
        assert_view(r->values[0], key + 1);
    }
    kin_label_selector_unref(sel);

    len = (size_t)sprintf(text, "x in (");
    for (unsigned i = 12000; i > 0; i--)
        len += (size_t)sprintf(text + len, "%s%x", i == 12000 ? "" : ",", 0x8000 + i);
    sprintf(text + len, ")");
    sel = parse(text);
    const kin_label_requirement *r = kin_label_selector_get_requirement(sel, 0);
    assert_int_equal(r->n_values, 12000);
    for (size_t i = 0; i + 1 < r->n_values; i++)
        assert_true(memcmp(r->values[i].data, r->values[i + 1].data, 4) < 0);
    for (unsigned i = 1; i <= 12000; i++) {
        char labels[16];

        snprintf(labels, sizeof(labels), "x=%x", 0x8000 + i);
        assert_true(matches(sel, labels));
    }
    assert_false(matches(sel, "x=8000"));
    assert_false(matches(sel, "x=ffff"));
    kin_label_selector_unref(sel);
    free(text);
}

/* ---- matching ---- */

static void selectors_match_as_kubernetes_says(void **state)
{
    static const struct {
        const char *selector;
        const char *labels;
        bool expected;
    } rows[] = {
        {"", "", true},
        {"", "x=a", true},
        {"x=a", "x=a", true},
        {"x=a", "x=b", false},
        {"x=a", "x=", false},
        {"x=a", "", false},
        {"x==a", "x=a", true},
        {"x==a", "y=a", false},
        {"x=", "x=", true},
        {"x=", "", false}, /* empty is not absent */
        {"x!=a", "x=a", false},
        {"x!=a", "x=b", true},
        {"x!=a", "", true},
        {"x!=", "", true},
        {"x!=", "x=", false},
        {"x", "x=", true},
        {"x", "x=a", true},
        {"x", "y=a", false},
        {"!x", "x=", false},
        {"!x", "y=a", true},
        {"!x", "", true},
        {"x in (a,b)", "x=a", true},
        {"x in (a,b)", "x=b", true},
        {"x in (a,b)", "x=c", false},
        {"x in (a,b)", "x=", false},
        {"x in (a,b)", "", false},
        {"x in (a,b)", "x=ab", false},
        {"x in ()", "x=", true},
        {"x in ()", "", false},
        {"x in (,a)", "x=", true},
        {"x notin (a,b)", "x=a", false},
        {"x notin (a,b)", "x=c", true},
        {"x notin (a,b)", "", true},
        {"x notin ()", "x=", false},
        {"x notin ()", "x=a", true},
        {"x>5", "x=6", true},
        {"x>5", "x=5", false},
        {"x>5", "x=4", false},
        {"x>5", "x=10", true}, /* as numbers, not as texts */
        {"x>5", "x=006", true},
        {"x>5", "x=+6", true},
        {"x>5", "x=-6", false},
        {"x>5", "x=", false},
        {"x>5", "x=a", false},
        {"x>5", "x=6a", false},
        {"x>5", "x=6.5", false},
        {"x>5", "x=+", false},
        {"x>5", "x=+-6", false},
        {"x>5", "x=++6", false},
        {"x>5", "", false},
        {"x>5", "x=9223372036854775807", true},
        {"x>5", "x=9223372036854775808", false},
        {"x>5", "x=+9223372036854775807", true},
        {"x>5", "x=+9223372036854775808", false},
        {"x<5", "x=4", true},
        {"x<5", "x=5", false},
        {"x<5", "x=-9223372036854775808", true},
        {"x<5", "x=-9223372036854775809", false},
        {"x<5", "", false},
        {"x<0", "x=-1", true},
        {"x>9223372036854775806", "x=9223372036854775807", true},
        {"x>1,x<5", "x=3", true},
        {"x>1,x<5", "x=5", false},
        {"x=a,y=b", "x=a,y=b", true},
        {"x=a,y=b", "y=b,x=a,z=c", true},
        {"x=a,y=b", "x=a", false},
        {"x=a,y=b", "y=b", false},
        {"x=a,x=b", "x=a", false},
        {"x,!x", "x=a", false},
        {"X=a", "x=a", false},
        {"x=A", "x=a", false},
        {"in in (in)", "in=in", true},
        {"a.b/c=d", "a.b/c=d", true},
        {"x=a,!y,z in (1,2),w notin (3),v>7", "x=a,z=2,w=4,v=8", true},
        {"x=a,!y,z in (1,2),w notin (3),v>7", "x=a,z=2,w=4,v=8,y=", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);

        if (matches(sel, rows[i].labels) != rows[i].expected)
            fail_msg("\"%s\" and \"%s\"", rows[i].selector, rows[i].labels);
        kin_label_selector_unref(sel);
    }
}

/* An object of a program's own. */
struct labeled {
    kin_object base;
    const char *labels;
};

static kin_str labeled_key(const kin_object *object)
{
    (void)object;
    return kin_str_of("labeled");
}

static bool labeled_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const struct labeled *labeled = (const struct labeled *)object;
    kin_str value;

    if (!lookup(key, &value, (void *)(uintptr_t)labeled->labels))
        return false;
    if (ret_value)
        *ret_value = value;
    return true;
}

static void labeled_destroy(kin_object *object)
{
    (void)object; /* lives on the stack */
}

static void objects_are_matched_by_their_labels(void **state)
{
    static const kin_object_class class_ = {
        .size = sizeof(class_),
        .name = "labeled",
        .key = labeled_key,
        .label = labeled_label,
        .destroy = labeled_destroy,
    };
    struct labeled pod = {.labels = "x=b,y=7"};
    const kin_label_selector *yes = parse("x in (a,b),y>6,!z");
    const kin_label_selector *no = parse("x in (a,b),y>7");

    (void)state;
    assert_code(kin_object_init(&pod.base, &class_, NULL), 0);
    assert_true(kin_label_selector_matches(yes, &pod.base));
    assert_false(kin_label_selector_matches(no, &pod.base));
    assert_true(kin_label_selector_matches(kin_label_selector_everything(), &pod.base));
    assert_false(kin_label_selector_matches(kin_label_selector_nothing(), &pod.base));
    kin_object_unref(&pod.base);
    kin_label_selector_unref(no);
    kin_label_selector_unref(yes);
}

static void documents_are_matched_by_their_labels(void **state)
{
    static const char text[] = "{\"metadata\":{\"name\":\"web-1\",\"labels\":{"
                               "\"app\":\"web\",\"n.io/tier\":\"3\",\"empty\":\"\"}}}";
    static const struct {
        const char *selector;
        bool expected;
    } rows[] = {
        {"", true},      {"app=web", true},  {"app in (api,web),n.io/tier>2", true},
        {"empty", true}, {"empty=", true},   {"!absent,absent!=x", true},
        {"!app", false}, {"app=api", false}, {"name=web-1", false},
    };
    const kin_object *pod = NULL;

    (void)state;
    assert_code(kin_object_from_json(&pod, kin_str_of(text), NULL, NULL), 0);
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);

        if (kin_label_selector_matches(sel, pod) != rows[i].expected)
            fail_msg("\"%s\"", rows[i].selector);
        kin_label_selector_unref(sel);
    }
    kin_object_unref(pod);
}

struct calls {
    unsigned n;
    unsigned found_at;
};

static bool count_calls(kin_str key, kin_str *ret_value, void *arg)
{
    struct calls *calls = arg;

    (void)key;
    (void)ret_value; /* never set: an absent label has no value */
    return ++calls->n == calls->found_at;
}

static void looking_up_ends_at_the_first_that_is_not_met(void **state)
{
    const kin_label_selector *sel = parse("!a,!b,!c,!d");
    struct calls none = {0, 0};
    struct calls second = {0, 2};

    (void)state;
    assert_true(kin_label_selector_matches_fn(sel, count_calls, &none));
    assert_int_equal(none.n, 4);
    assert_false(kin_label_selector_matches_fn(sel, count_calls, &second));
    assert_int_equal(second.n, 2);
    kin_label_selector_unref(sel);

    none.n = 0;
    assert_true(kin_label_selector_matches_fn(kin_label_selector_everything(), count_calls, &none));
    assert_false(kin_label_selector_matches_fn(kin_label_selector_nothing(), count_calls, &none));
    assert_int_equal(none.n, 0);
}

/* ---- everything, nothing, looking into it ---- */

static void everything_and_nothing_are_two_selectors(void **state)
{
    const kin_label_selector *all = kin_label_selector_everything();
    const kin_label_selector *none = kin_label_selector_nothing();

    (void)state;
    assert_true(kin_label_selector_is_empty(all));
    assert_false(kin_label_selector_is_nothing(all));
    assert_false(kin_label_selector_is_empty(none));
    assert_true(kin_label_selector_is_nothing(none));
    assert_true(matches(all, ""));
    assert_true(matches(all, "x=a"));
    assert_false(matches(none, ""));
    assert_false(matches(none, "x=a"));
    assert_printed(all, "");
    assert_printed(none, "");
    assert_int_equal(kin_label_selector_count(all), 0);
    assert_int_equal(kin_label_selector_count(none), 0);
    assert_null(kin_label_selector_get_requirement(none, 0));

    /* Not counted. */
    kin_label_selector_unref(all);
    kin_label_selector_unref(none);
    assert_ptr_equal(kin_label_selector_ref(all), all);
    assert_null(kin_label_selector_ref(NULL));
    assert_ptr_equal(kin_label_selector_ref(none), none);
    kin_label_selector_unref(NULL);
    assert_true(kin_label_selector_is_empty(kin_label_selector_everything()));
}

static void a_parsed_empty_selector_is_everything(void **state)
{
    const kin_label_selector *sel = parse("  ");
    const kin_label_selector *other = parse("x");

    (void)state;
    assert_true(kin_label_selector_is_empty(sel));
    assert_false(kin_label_selector_is_nothing(sel));
    assert_false(kin_label_selector_is_empty(other));
    assert_false(kin_label_selector_is_nothing(other));
    kin_label_selector_unref(other);
    kin_label_selector_unref(sel);
}

static void the_view_without_data_is_everything(void **state)
{
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_parse(&sel, kin_str_make(NULL, 0), NULL), 0);
    assert_true(kin_label_selector_is_empty(sel));
    kin_label_selector_unref(sel);
}

static void requirements_can_be_read(void **state)
{
    const kin_label_selector *sel = parse("e>5,d!=x,a in (z,y),!c,b,f==g,h notin (),i<3,j=k");
    static const struct {
        const char *key;
        kin_selector_op op;
        size_t n_values;
        const char *first;
    } rows[] = {
        {"a", KIN_SELECTOR_IN, 2, "y"},
        {"b", KIN_SELECTOR_EXISTS, 0, ""},
        {"c", KIN_SELECTOR_DOES_NOT_EXIST, 0, ""},
        {"d", KIN_SELECTOR_NOT_EQUALS, 1, "x"},
        {"e", KIN_SELECTOR_GREATER_THAN, 1, "5"},
        {"f", KIN_SELECTOR_DOUBLE_EQUALS, 1, "g"},
        {"h", KIN_SELECTOR_NOT_IN, 1, ""},
        {"i", KIN_SELECTOR_LESS_THAN, 1, "3"},
        {"j", KIN_SELECTOR_EQUALS, 1, "k"},
    };

    (void)state;
    assert_int_equal(kin_label_selector_count(sel), kin__array_len(rows));
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_requirement *r = kin_label_selector_get_requirement(sel, i);

        assert_view(r->key, rows[i].key);
        assert_int_equal(r->op, rows[i].op);
        assert_int_equal(r->n_values, rows[i].n_values);
        if (r->n_values)
            assert_view(r->values[0], rows[i].first);
    }
    assert_view(kin_label_selector_get_requirement(sel, 0)->values[1], "z");
    assert_null(kin_label_selector_get_requirement(sel, kin__array_len(rows)));
    assert_null(kin_label_selector_get_requirement(sel, SIZE_MAX));
    kin_label_selector_unref(sel);
}

static void exact_matches_are_found(void **state)
{
    static const struct {
        const char *selector;
        const char *key;
        const char *value; /* NULL: none */
    } rows[] = {
        {"", "x", NULL},
        {"x=a", "x", "a"},
        {"x=a", "y", NULL},
        {"x==a", "x", "a"},
        {"x=", "x", ""},
        {"x in (a)", "x", "a"},
        {"x in (a,a)", "x", "a"},
        {"x in (a,b)", "x", NULL},
        {"x in ()", "x", ""},
        {"x!=a", "x", NULL},
        {"x notin (a)", "x", NULL},
        {"x", "x", NULL},
        {"!x", "x", NULL},
        {"x>5", "x", NULL},
        {"x<5", "x", NULL},
        {"w=b,x=a,y=c", "y", "c"},
        {"x=a,x=b", "x", "a"},
        {"x=b,x=a", "x", "b"},
        /* The first with the key decides. */
        {"x,x=a", "x", NULL},
        {"x=a,x", "x", "a"},
        {"x!=b,x=a", "x", NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = parse(rows[i].selector);
        kin_str value = kin_str_of("untouched");
        bool found = kin_label_selector_requires_exact_match(sel, kin_str_of(rows[i].key), &value);

        if (found != (rows[i].value != NULL))
            fail_msg("\"%s\" and %s", rows[i].selector, rows[i].key);
        assert_view(value, rows[i].value ? rows[i].value : "untouched");
        assert_int_equal(
            kin_label_selector_requires_exact_match(sel, kin_str_of(rows[i].key), NULL), found);
        kin_label_selector_unref(sel);
    }
    assert_false(kin_label_selector_requires_exact_match(kin_label_selector_nothing(),
                                                         kin_str_of("x"), NULL));
}

/* ---- adding ---- */

static void requirements_can_be_added(void **state)
{
    static const kin_str one[] = {{"1", 1}};
    static const kin_str some[] = {{"c", 1}, {"a", 1}, {"", 0}, {"c", 1}};
    const kin_label_requirement added[] = {
        {{"n", 1}, KIN_SELECTOR_IN, some, 4},
        {{"a", 1}, KIN_SELECTOR_EQUALS, one, 1},
        {{"z", 1}, KIN_SELECTOR_DOUBLE_EQUALS, one, 1},
        {{"b", 1}, KIN_SELECTOR_NOT_EQUALS, one, 1},
        {{"c", 1}, KIN_SELECTOR_NOT_IN, one, 1},
        {{"m", 1}, KIN_SELECTOR_EXISTS, NULL, 0},
        {{"d", 1}, KIN_SELECTOR_DOES_NOT_EXIST, NULL, 0},
        {{"e", 1}, KIN_SELECTOR_GREATER_THAN, one, 1},
        {{"f", 1}, KIN_SELECTOR_LESS_THAN, one, 1},
    };
    const kin_label_selector *before = parse("z in (y),m=2");
    const kin_label_selector *after = NULL;

    (void)state;
    assert_code(kin_label_selector_add(&after, before, added, kin__array_len(added), NULL), 0);
    assert_printed(after, "a=1,b!=1,c notin (1),!d,e>1,f<1,m=2,m,n in (,a,c),z in (y),z==1");
    assert_printed(before, "m=2,z in (y)");
    kin_label_selector_unref(before);
    assert_true(matches(after, "a=1,e=2,f=0,m=2,n=,z=y") == false); /* z must be 1 as well */
    kin_label_selector_unref(after);
}

static void a_selector_can_be_built_from_nothing_at_all(void **state)
{
    static const kin_str web[] = {{"web", 3}};
    const kin_label_requirement requirement = {{"app", 3}, KIN_SELECTOR_EQUALS, web, 1};
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), NULL, 0, NULL), 0);
    assert_true(kin_label_selector_is_empty(sel));
    kin_label_selector_unref(sel);
    assert_code(
        kin_label_selector_add(&sel, kin_label_selector_everything(), &requirement, 1, NULL), 0);
    assert_printed(sel, "app=web");
    kin_label_selector_unref(sel);
}

static void what_is_added_to_nothing_is_nothing(void **state)
{
    const kin_label_requirement good = {{"x", 1}, KIN_SELECTOR_EXISTS, NULL, 0};
    const kin_label_requirement bad = {{"-", 1}, KIN_SELECTOR_EXISTS, NULL, 0};
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_add(&sel, kin_label_selector_nothing(), &good, 1, NULL), 0);
    assert_true(kin_label_selector_is_nothing(sel));
    kin_label_selector_unref(sel);
    sel = NULL;
    assert_code(kin_label_selector_add(&sel, kin_label_selector_nothing(), &bad, 1, NULL),
                KIN_EINVAL);
    assert_null(sel);
}

static void wrong_requirements_are_refused(void **state)
{
    static const kin_str two[] = {{"1", 1}, {"2", 1}};
    static const kin_str bad[] = {{"a", 1}, {"b/", 2}};
    static const kin_str letter[] = {{"a", 1}};
    static const kin_str negative[] = {{"-1", 2}};
    static const kin_str huge[] = {{"9223372036854775808", 19}};
    static const kin_str empty[] = {{NULL, 0}};
    const kin_label_requirement rows[] = {
        {{"x", 1}, (kin_selector_op)0, NULL, 0},
        {{"x", 1}, (kin_selector_op)10, NULL, 0},
        {{"", 0}, KIN_SELECTOR_EXISTS, NULL, 0},
        {{"a b", 3}, KIN_SELECTOR_EXISTS, NULL, 0},
        {{"a,b", 3}, KIN_SELECTOR_EXISTS, NULL, 0},
        {{"a\0b", 3}, KIN_SELECTOR_EXISTS, NULL, 0},
        {{"x", 1}, KIN_SELECTOR_EXISTS, two, 1},
        {{"x", 1}, KIN_SELECTOR_DOES_NOT_EXIST, two, 1},
        {{"x", 1}, KIN_SELECTOR_IN, NULL, 0},
        {{"x", 1}, KIN_SELECTOR_NOT_IN, two, 0},
        {{"x", 1}, KIN_SELECTOR_IN, NULL, 1},
        {{"x", 1}, KIN_SELECTOR_EQUALS, two, 0},
        {{"x", 1}, KIN_SELECTOR_EQUALS, two, 2},
        {{"x", 1}, KIN_SELECTOR_DOUBLE_EQUALS, two, 2},
        {{"x", 1}, KIN_SELECTOR_NOT_EQUALS, two, 2},
        {{"x", 1}, KIN_SELECTOR_GREATER_THAN, two, 2},
        {{"x", 1}, KIN_SELECTOR_LESS_THAN, two, 0},
        {{"x", 1}, KIN_SELECTOR_LESS_THAN, letter, 1},
        {{"x", 1}, KIN_SELECTOR_LESS_THAN, negative, 1},
        {{"x", 1}, KIN_SELECTOR_GREATER_THAN, huge, 1},
        {{"x", 1}, KIN_SELECTOR_GREATER_THAN, empty, 1},
        {{"x", 1}, KIN_SELECTOR_IN, bad, 2},
        {{"x", 1}, KIN_SELECTOR_EQUALS, bad + 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_label_selector *sel = NULL;
        kin_error err = KIN_ERROR_INIT;
        int code = kin_label_selector_add(&sel, kin_label_selector_everything(), &rows[i], 1, &err);

        if (code != KIN_EINVAL || err.code != code || err.offset != 0 || sel)
            fail_msg("row %zu gave %d: %s", i, code, err.message);
    }
}

static void add_needs_its_arguments(void **state)
{
    const kin_label_requirement r = {{"x", 1}, KIN_SELECTOR_EXISTS, NULL, 0};
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_add(NULL, kin_label_selector_everything(), &r, 1, NULL),
                KIN_EINVAL);
    assert_code(kin_label_selector_add(&sel, NULL, &r, 1, NULL), KIN_EINVAL);
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), NULL, 1, NULL),
                KIN_EINVAL);
    assert_null(sel);
}

static void adding_is_limited_too(void **state)
{
    static kin_str values[KIN_SELECTOR_MAX_VALUES + 1];
    static kin_label_requirement many[KIN_SELECTOR_MAX_REQUIREMENTS + 1];
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_label_requirement r = {{"x", 1}, KIN_SELECTOR_IN, values, KIN_SELECTOR_MAX_VALUES};

    (void)state;
    for (size_t i = 0; i < kin__array_len(values); i++)
        values[i] = kin_str_of("abc");
    for (size_t i = 0; i < kin__array_len(many); i++) {
        many[i].key = kin_str_of("x");
        many[i].op = KIN_SELECTOR_EXISTS;
    }
    /* 16384 * 4 + 6 bytes: too long although it is only one value. */
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), &r, 1, &err),
                KIN_ELIMIT);
    assert_non_null(strstr(err.message, "bytes"));
    r.n_values -= 2;
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), &r, 1, &err), 0);
    assert_printed(sel, "x in (abc)");
    kin_label_selector_unref(sel);
    sel = NULL;
    r.n_values = KIN_SELECTOR_MAX_VALUES + 1;
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), &r, 1, &err),
                KIN_ELIMIT);
    assert_non_null(strstr(err.message, "values"));
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), many,
                                       KIN_SELECTOR_MAX_REQUIREMENTS + 1, &err),
                KIN_ELIMIT);
    assert_non_null(strstr(err.message, "requirements"));
    assert_null(sel);
    assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), many,
                                       KIN_SELECTOR_MAX_REQUIREMENTS, &err),
                0);
    assert_int_equal(kin_label_selector_count(sel), KIN_SELECTOR_MAX_REQUIREMENTS);
    kin_label_selector_unref(sel);
}

/* ---- against a plain reading of the rules ---- */

static const char *const model_keys[] = {"a", "b", "in", "n.io/c"};
static const char *const model_values[] = {"", "1", "2", "10", "x", "in"};

struct model {
    kin_label_requirement requirements[6];
    kin_str values[6][4];
    size_t n;
};

static bool model_has(const kin_label_requirement *r, const char *value)
{
    for (size_t i = 0; i < r->n_values; i++) {
        if (kin_str_equal(r->values[i], kin_str_of(value)))
            return true;
    }
    return false;
}

/* `value` is NULL for an absent label. */
static bool model_requirement_matches(const kin_label_requirement *r, const char *value)
{
    bool number = value && value[0] >= '0' && value[0] <= '9';

    switch (r->op) {
    case KIN_SELECTOR_EXISTS:
        return value != NULL;
    case KIN_SELECTOR_DOES_NOT_EXIST:
        return value == NULL;
    case KIN_SELECTOR_NOT_EQUALS:
    case KIN_SELECTOR_NOT_IN:
        return !value || !model_has(r, value);
    case KIN_SELECTOR_GREATER_THAN:
        return number && atoi(value) > atoi(r->values[0].data);
    case KIN_SELECTOR_LESS_THAN:
        return number && atoi(value) < atoi(r->values[0].data);
    default:
        return value && model_has(r, value);
    }
}

static void model_fill(struct model *m, kin_test_rng *rng)
{
    m->n = kin_test_below(rng, 7);
    for (size_t i = 0; i < m->n; i++) {
        kin_label_requirement *r = &m->requirements[i];

        r->key = kin_str_of(model_keys[kin_test_below(rng, kin__array_len(model_keys))]);
        r->op = (kin_selector_op)(1 + kin_test_below(rng, 9));
        r->values = m->values[i];
        r->n_values = 1;
        if (r->op == KIN_SELECTOR_EXISTS || r->op == KIN_SELECTOR_DOES_NOT_EXIST)
            r->n_values = 0;
        else if (r->op == KIN_SELECTOR_IN || r->op == KIN_SELECTOR_NOT_IN)
            r->n_values = 1 + kin_test_below(rng, 4);
        for (size_t j = 0; j < r->n_values; j++)
            m->values[i][j] =
                kin_str_of(model_values[kin_test_below(rng, kin__array_len(model_values))]);
        if (r->op == KIN_SELECTOR_GREATER_THAN || r->op == KIN_SELECTOR_LESS_THAN)
            m->values[i][0] = kin_str_of(model_values[1 + kin_test_below(rng, 3)]);
    }
}

static void random_selectors_match_as_the_model(void **state)
{
    kin_test_rng rng = {11};
    unsigned matched = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        const char *values[kin__array_len(model_keys)];
        char labels[128] = "";
        struct model m;
        const kin_label_selector *sel = NULL;
        bool expected = true;

        model_fill(&m, &rng);
        assert_code(kin_label_selector_add(&sel, kin_label_selector_everything(), m.requirements,
                                           m.n, NULL),
                    0);
        for (size_t i = 0; i < kin__array_len(model_keys); i++) {
            uint64_t pick = kin_test_below(&rng, kin__array_len(model_values) + 1);

            values[i] = pick < kin__array_len(model_values) ? model_values[pick] : NULL;
            if (values[i])
                snprintf(labels + strlen(labels), sizeof(labels) - strlen(labels), "%s%s=%s",
                         labels[0] ? "," : "", model_keys[i], values[i]);
        }
        for (size_t i = 0; i < m.n; i++) {
            size_t key = 0;

            while (!kin_str_equal(m.requirements[i].key, kin_str_of(model_keys[key])))
                key++;
            expected = expected && model_requirement_matches(&m.requirements[i], values[key]);
        }
        matched += expected;

        char *printed = NULL;
        assert_code(kin_label_selector_print(&printed, NULL, sel, NULL), 0);
        if (matches(sel, labels) != expected)
            fail_msg("\"%s\" and \"%s\"", printed, labels);
        const kin_label_selector *again = parse(printed);
        assert_same(sel, again);
        assert_printed(again, printed);
        kin_label_selector_unref(again);
        kin_label_selector_unref(sel);
        kin_free(printed);
    }
    assert_in_range(matched, 2000, 18000);
}

/* ---- life ---- */

static void a_selector_outlives_its_text_and_its_maker(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y"); /* the text is gone already */
    const kin_label_selector *mine = kin_label_selector_ref(sel);

    (void)state;
    assert_ptr_equal(mine, sel);
    kin_label_selector_unref(sel);
    assert_true(matches(mine, "x=b,y="));
    kin_label_selector_unref(mine);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void a_selector_is_one_block(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y,z=1,!w");

    (void)state;
    assert_int_equal(kin_test_alloc_live(), before + 1);
    kin_label_selector_unref(sel);
}

static void *use_shared(void *arg)
{
    const kin_label_selector *sel = arg;

    for (int i = 0; i < 2000; i++) {
        const kin_label_selector *mine = kin_label_selector_ref(sel);

        if (!matches(mine, "x=b,y=1"))
            return arg;
        kin_label_selector_unref(mine);
    }
    kin_label_selector_unref(sel);
    return NULL;
}

static void threads_share_a_selector(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_label_selector *sel = parse("x in (a,b),y");
    pthread_t threads[4];

    (void)state;
    for (size_t i = 0; i < kin__array_len(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_shared,
                                        (void *)(uintptr_t)kin_label_selector_ref(sel)),
                         0);
    kin_label_selector_unref(sel);
    for (size_t i = 0; i < kin__array_len(threads); i++) {
        void *failed = NULL;

        assert_int_equal(pthread_join(threads[i], &failed), 0);
        assert_null(failed);
    }
    assert_int_equal(kin_test_alloc_live(), before);
}

/* ---- out of memory ---- */

static int build_up_and_take_down(void *arg, kin_error *err)
{
    static const kin_str values[] = {{"2", 1}, {"1", 1}};
    static const kin_label_requirement added = {{"k", 1}, KIN_SELECTOR_NOT_IN, values, 2};
    const kin_label_selector *sel = NULL;
    const kin_label_selector *more = NULL;
    char *text = NULL;

    (void)arg;
    /* More than the first allocation of either array holds. */
    int code = kin_label_selector_parse(
        &sel, kin_str_of("a,b,c,d,e,f,g,h,i in (1,2,3,4,5,6,7,8,9,10),j=1,!k"), err);
    if (code == 0)
        code = kin_label_selector_add(&more, sel, &added, 1, err);
    if (code == 0)
        code = kin_label_selector_print(&text, NULL, more, err);
    if (code == 0)
        assert_string_equal(text,
                            "a,b,c,d,e,f,g,h,i in (1,10,2,3,4,5,6,7,8,9),j=1,!k,k notin (1,2)");
    kin_free(text);
    kin_label_selector_unref(more);
    kin_label_selector_unref(sel);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(build_up_and_take_down, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_a_name_with_or_without_prefix),
        cmocka_unit_test(what_is_no_key_is_refused_at_its_first_wrong_byte),
        cmocka_unit_test(values_may_be_empty),
        cmocka_unit_test(what_is_no_value_is_refused_at_its_first_wrong_byte),
        cmocka_unit_test(only_ascii_letters_and_digits_stand_at_the_ends),
        cmocka_unit_test(messages_say_what_was_expected_and_found),
        cmocka_unit_test(selectors_are_printed_in_one_form),
        cmocka_unit_test(malformed_selectors_are_refused_with_their_place),
        cmocka_unit_test(a_zero_byte_is_refused_wherever_it_stands),
        cmocka_unit_test(found_words_are_cut_to_fit_the_message),
        cmocka_unit_test(parse_needs_somewhere_to_put_it),
        cmocka_unit_test(print_needs_a_selector_and_somewhere_to_put_it),
        cmocka_unit_test(the_length_is_limited),
        cmocka_unit_test(the_printed_length_is_limited_too),
        cmocka_unit_test(the_number_of_requirements_is_limited),
        cmocka_unit_test(the_number_of_values_is_limited_for_each_key),
        cmocka_unit_test(a_selector_of_the_largest_size_is_sorted),
        cmocka_unit_test(selectors_match_as_kubernetes_says),
        cmocka_unit_test(objects_are_matched_by_their_labels),
        cmocka_unit_test(documents_are_matched_by_their_labels),
        cmocka_unit_test(looking_up_ends_at_the_first_that_is_not_met),
        cmocka_unit_test(everything_and_nothing_are_two_selectors),
        cmocka_unit_test(a_parsed_empty_selector_is_everything),
        cmocka_unit_test(the_view_without_data_is_everything),
        cmocka_unit_test(requirements_can_be_read),
        cmocka_unit_test(exact_matches_are_found),
        cmocka_unit_test(requirements_can_be_added),
        cmocka_unit_test(a_selector_can_be_built_from_nothing_at_all),
        cmocka_unit_test(what_is_added_to_nothing_is_nothing),
        cmocka_unit_test(wrong_requirements_are_refused),
        cmocka_unit_test(add_needs_its_arguments),
        cmocka_unit_test(adding_is_limited_too),
        cmocka_unit_test(random_selectors_match_as_the_model),
        cmocka_unit_test(a_selector_outlives_its_text_and_its_maker),
        cmocka_unit_test(a_selector_is_one_block),
        cmocka_unit_test(threads_share_a_selector),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
