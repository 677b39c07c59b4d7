/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors: parsing, printing, their limits, and adding. What is accepted, refused and
 * printed was compared with apimachinery's answers.
 */
#include "label_selector_support.h"

#include "alloc.h"
#include "base/compiler.h"
#include "oom.h"
#include "rng.h"

/* --- parsing and printing --- */

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

/* --- limits --- */

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

/* --- adding --- */

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

/* --- out of memory --- */

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
        cmocka_unit_test(requirements_can_be_added),
        cmocka_unit_test(a_selector_can_be_built_from_nothing_at_all),
        cmocka_unit_test(what_is_added_to_nothing_is_nothing),
        cmocka_unit_test(wrong_requirements_are_refused),
        cmocka_unit_test(add_needs_its_arguments),
        cmocka_unit_test(adding_is_limited_too),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
