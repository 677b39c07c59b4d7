/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field selectors. What is accepted, refused and printed was compared with apimachinery's answers;
 * random selectors are matched against a plain reading of the rules.
 */
#include "selector_support.h"

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "oom.h"
#include "rng.h"

static const kin_field_selector *parse(const char *text)
{
    const kin_field_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(text, strlen(text));

    if (kin_field_selector_parse(&sel, s, &err) < 0)
        fail_msg("\"%s\": %s", text, err.message);
    drop(s);
    assert_non_null(sel);
    return sel;
}

static void assert_printed(const kin_field_selector *sel, const char *expected)
{
    char *text = NULL;
    size_t len = 0;

    assert_code(kin_field_selector_print(&text, &len, sel, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
    kin_free(text);
}

/* Fields of an object. NULL ends them. */
struct field {
    const char *name;
    const char *value;
};

static bool lookup(kin_str field, kin_str *ret_value, void *arg)
{
    for (const struct field *f = arg; f->name; f++) {
        if (kin_str_equal(kin_str_of(f->name), field)) {
            *ret_value = kin_str_of(f->value);
            return true;
        }
    }
    *ret_value = kin_str_of("not to be looked at");
    return false;
}

static bool matches(const kin_field_selector *sel, struct field *fields)
{
    return kin_field_selector_matches_fn(sel, lookup, fields);
}

/* --- parsing and printing --- */

static void selectors_are_printed_in_one_form(void **state)
{
    static const struct {
        const char *text;
        const char *printed;
    } rows[] = {
        {"", ""},
        {",", ""},
        {",,,", ""},
        {"=", ""},
        {"==", ""},
        {"!=", ""},
        {"=,!=,==", ""},
        {"a=b", "a=b"},
        {"a==b", "a=b"},
        {"a!=b", "a!=b"},
        {"a=", "a="},
        {"a==", "a="},
        {"a!=", "a!="},
        {"=b", "=b"},
        {"!=b", "!=b"},
        {"a=b,", "a=b"},
        {",a=b", "a=b"},
        {"c=d,,a=b", "a=b,c=d"},
        {"a=b,=", "a=b"},
        {" a = b ", " a = b "},
        {"a=b, c=d", " c=d,a=b"},
        {"metadata.name=x,spec.nodeName!=", "metadata.name=x,spec.nodeName!="},
        {"b=1,a=2,b!=3", "a=2,b!=3,b=1"},
        {"a=2,a=1,a=2", "a=1,a=2,a=2"},
        {"a=1,a==0", "a=1,a=0"}, /* sorted as it was written */
        {"a!b=c", "a!b=c"},
        {"a!!=c", "a!!=c"},
        {"!a=c", "!a=c"},
        {"a=!b", "a=!b"},
        {"a=b!", "a=b!"},
        {"a=\\\\", "a=\\\\"},
        {"a=\\,", "a=\\,"},
        {"a=\\=", "a=\\="},
        {"a==\\=", "a=\\="},
        {"a=x\\,y\\=z\\\\w,b=\\,\\,", "a=x\\,y\\=z\\\\w,b=\\,\\,"},
        {"a\\,b=c", "a\\,b=c"}, /* the '\' stays in a field */
        {"a\\=b", "a\\=b"},
        {"a=\xc3\xa4,\xc3\xa4=\xff", "a=\xc3\xa4,\xc3\xa4=\xff"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_selector *sel = parse(rows[i].text);

        assert_printed(sel, rows[i].printed);
        kin_field_selector_unref(sel);
    }
}

static void malformed_selectors_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } rows[] = {
        {"a", 1},
        {" ", 1},
        {"a,b=c", 1},
        {"a=b,c", 5},
        {"a=b,c,d=e", 5},
        {"!", 1},
        {"a!b", 3},
        {"a\\,b", 4},
        {"a\\", 2},
        {"a\\\\,=b", 3}, /* an escaped '\' hides no ',' */
        {"a=b=c", 3},
        {"a===b", 3},
        {"a!==b", 3},
        {"a==b=", 4},
        {"a=b!=c", 4},
        {"x=y,a=b=c", 7},
        {"a=\\", 3},
        {"a=b\\", 4},
        {"a=\\a", 3},
        {"a=b,c=\\x", 7},
        {"a=\\\\\\", 5},
        {"a=\\!", 3},
        {"a=\\\xc3\xa4", 3},
        {"a=\\ ,", 3},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_selector *sel = NULL;
        kin_error err = KIN_ERROR_INIT;
        kin_str text = bare(rows[i].text, strlen(rows[i].text));
        int code = kin_field_selector_parse(&sel, text, &err);

        if (code != KIN_EPARSE || err.code != code || err.offset != rows[i].offset || sel ||
            !strstr(err.message, "expected "))
            fail_msg("\"%s\" gave %d at %llu: %s", rows[i].text, code,
                     (unsigned long long)err.offset, err.message);
        assert_code(kin_field_selector_parse(&sel, text, NULL), KIN_EPARSE);
        drop(text);
    }
}

static void messages_say_what_was_expected(void **state)
{
    const kin_field_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_field_selector_parse(&sel, kin_str_of("ab"), &err);
    assert_string_equal(err.message,
                        "field selector: expected '=', '==' or '!=' behind the field at byte 2");
    kin_field_selector_parse(&sel, kin_str_of("a=\\b"), &err);
    assert_string_equal(err.message,
                        "field selector: expected '\\', ',' or '=' behind a '\\' at byte 3");
    kin_field_selector_parse(&sel, kin_str_of("a=b=c"), &err);
    assert_string_equal(err.message,
                        "field selector: expected '\\' before a '=' in a value at byte 3");
    assert_null(sel);
}

static void requirements_can_be_read(void **state)
{
    const kin_field_selector *sel = parse("b!=\\,\\=\\\\,a==x y,\\,c=");
    static const struct {
        const char *field;
        kin_selector_op op;
        const char *value;
    } rows[] = {
        {"\\,c", KIN_SELECTOR_EQUALS, ""},
        {"a", KIN_SELECTOR_EQUALS, "x y"},
        {"b", KIN_SELECTOR_NOT_EQUALS, ",=\\"},
    };

    (void)state;
    assert_int_equal(kin_field_selector_count(sel), kin__array_len(rows));
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_requirement *r = kin_field_selector_get_requirement(sel, i);

        assert_view(r->field, rows[i].field);
        assert_int_equal(r->op, rows[i].op);
        assert_view(r->value, rows[i].value);
    }
    assert_null(kin_field_selector_get_requirement(sel, kin__array_len(rows)));
    assert_null(kin_field_selector_get_requirement(sel, SIZE_MAX));
    kin_field_selector_unref(sel);
}

static void a_zero_byte_is_an_ordinary_one(void **state)
{
    static const char text[] = "a\0=b\0\\,";
    const kin_field_selector *sel = NULL;
    char *printed = NULL;
    size_t len = 0;

    (void)state;
    assert_code(kin_field_selector_parse(&sel, kin_str_make(text, sizeof(text) - 1), NULL), 0);
    assert_int_equal(kin_field_selector_get_requirement(sel, 0)->value.len, 3);
    assert_code(kin_field_selector_print(&printed, &len, sel, NULL), 0);
    assert_int_equal(len, sizeof(text) - 1);
    assert_memory_equal(printed, text, sizeof(text));
    kin_free(printed);
    kin_field_selector_unref(sel);
}

static void parse_and_print_need_their_arguments(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    (void)state;
    assert_code(kin_field_selector_parse(NULL, kin_str_of("a=b"), &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_code(kin_field_selector_print(NULL, NULL, kin_field_selector_everything(), &err),
                KIN_EINVAL);
    assert_code(kin_field_selector_print(&text, NULL, NULL, &err), KIN_EINVAL);
    assert_null(text);
    assert_code(kin_field_selector_print(&text, NULL, kin_field_selector_everything(), &err), 0);
    assert_string_equal(text, "");
    kin_free(text);
}

/* --- limits --- */

static void the_length_is_limited(void **state)
{
    const kin_field_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = malloc(KIN_SELECTOR_MAX_LENGTH + 1);

    (void)state;
    assert_non_null(text);
    memset(text, 'x', KIN_SELECTOR_MAX_LENGTH + 1);
    text[1] = '=';
    assert_code(kin_field_selector_parse(&sel, kin_str_make(text, KIN_SELECTOR_MAX_LENGTH), &err),
                0);
    assert_int_equal(kin_field_selector_get_requirement(sel, 0)->value.len,
                     KIN_SELECTOR_MAX_LENGTH - 2);
    kin_field_selector_unref(sel);
    sel = NULL;
    assert_code(
        kin_field_selector_parse(&sel, kin_str_make(text, KIN_SELECTOR_MAX_LENGTH + 1), &err),
        KIN_ELIMIT);
    assert_null(sel);
    assert_int_equal(err.offset, KIN_SELECTOR_MAX_LENGTH);
    free(text);
}

static void the_number_of_requirements_is_limited(void **state)
{
    static char text[3 * (KIN_SELECTOR_MAX_REQUIREMENTS + 1)];
    const kin_field_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(text); i += 3)
        memcpy(text + i, "a=,", 3);
    assert_code(kin_field_selector_parse(&sel, kin_str_make(text, sizeof(text) - 3), &err), 0);
    assert_int_equal(kin_field_selector_count(sel), KIN_SELECTOR_MAX_REQUIREMENTS);
    kin_field_selector_unref(sel);
    sel = NULL;
    assert_code(kin_field_selector_parse(&sel, kin_str_make(text, sizeof(text)), &err), KIN_ELIMIT);
    assert_int_equal(err.offset, sizeof(text) - 3);
    assert_null(sel);
    /* Those that ask for nothing do not count. */
    memcpy(text + sizeof(text) - 3, "=,,", 3);
    assert_code(kin_field_selector_parse(&sel, kin_str_make(text, sizeof(text)), &err), 0);
    kin_field_selector_unref(sel);
}

static void a_selector_of_the_largest_size_is_sorted(void **state)
{
    char *text = malloc(KIN_SELECTOR_MAX_LENGTH);
    size_t len = 0;

    (void)state;
    assert_non_null(text);
    for (unsigned i = 4096; i > 0; i--)
        len += (size_t)sprintf(text + len, "%sf%04u!=%04u", len ? "," : "", i - 1, i - 1);
    const kin_field_selector *sel = parse(text);
    assert_int_equal(kin_field_selector_count(sel), 4096);
    for (unsigned i = 0; i < 4096; i++) {
        const kin_field_requirement *r = kin_field_selector_get_requirement(sel, i);
        char field[8];

        snprintf(field, sizeof(field), "f%04u", i);
        assert_view(r->field, field);
        assert_view(r->value, field + 1);
    }
    kin_field_selector_unref(sel);
    free(text);
}

/* --- matching --- */

static void selectors_match_as_kubernetes_says(void **state)
{
    struct field fields[] = {
        {"metadata.name", "web-1"}, {"status.phase", "Running"}, {"odd", "a,b=c\\"},
        {"spec.nodeName", ""},      {"spaced", " x "},           {NULL, NULL},
    };
    static const struct {
        const char *selector;
        bool expected;
    } rows[] = {
        {"", true},
        {"metadata.name=web-1", true},
        {"metadata.name==web-1", true},
        {"metadata.name!=web-1", false},
        {"metadata.name=web-", false},
        {"metadata.name=web-11", false},
        {"metadata.name!=web-2", true},
        {"metadata.name=Web-1", false},
        {"metadata.name=", false},
        {"spec.nodeName=", true},
        {"spec.nodeName!=", false},
        {"spec.nodeName=n", false},
        {"absent=", true}, /* absent is empty */
        {"absent!=", false},
        {"absent!=x", true},
        {"absent=x", false},
        {"absent=not to be looked at", false},
        {"spaced= x ", true},
        {"spaced=x", false},
        {"odd=a\\,b\\=c\\\\", true},
        {"odd!=a\\,b\\=c\\\\", false},
        {"metadata.name=web-1,status.phase=Running", true},
        {"metadata.name=web-1,status.phase!=Running", false},
        {"metadata.name=web-2,status.phase=Running", false},
        {"metadata.name=web-1,metadata.name=web-2", false},
        {"metadata.name!=web-2,metadata.name!=web-3", true},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_selector *sel = parse(rows[i].selector);

        if (matches(sel, fields) != rows[i].expected)
            fail_msg("\"%s\"", rows[i].selector);
        kin_field_selector_unref(sel);
    }
}

static void objects_are_matched_by_their_fields(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"web-1\",\"creationTimestamp\":\"2026-01-02T03:04:05Z\"},"
        "\"spec\":{\"hostNetwork\":true,\"priority\":7},\"status\":{\"phase\":\"Running\"}}";
    static const struct {
        const char *selector;
        bool expected;
    } rows[] = {
        {"metadata.name=web-1,status.phase!=Pending", true},
        {"metadata.name=web-1,status.phase=Pending", false},
        {"metadata.creationTimestamp=2026-01-02T03:04:05Z", true}, /* not held as text */
        {"metadata.creationTimestamp!=2026-01-02T03:04:05Z", false},
        {"spec.hostNetwork=true", true},
        {"spec.hostNetwork=false", false},
        {"spec.priority=7", true},
        {"spec.nodeName=", true},
        {"spec.nodeName!=", false},
        {"metadata.name.x=", true},
        {"", true},
    };
    const kin_object *pod = NULL;

    (void)state;
    assert_code(kin_object_from_json(&pod, kin_str_of(text), NULL, NULL), 0);
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_selector *sel = parse(rows[i].selector);

        if (kin_field_selector_matches(sel, pod) != rows[i].expected)
            fail_msg("\"%s\"", rows[i].selector);
        kin_field_selector_unref(sel);
    }
    assert_false(kin_field_selector_matches(kin_field_selector_nothing(), pod));
    kin_object_unref(pod);
}

static bool count_calls(kin_str field, kin_str *ret_value, void *arg)
{
    unsigned *calls = arg;

    (void)field;
    (void)ret_value; /* never set: what is absent has no value */
    ++*calls;
    return false;
}

static void looking_up_ends_at_the_first_that_is_not_met(void **state)
{
    const kin_field_selector *sel = parse("a=,b=,c=x,d=");
    unsigned calls = 0;

    (void)state;
    assert_false(kin_field_selector_matches_fn(sel, count_calls, &calls));
    assert_int_equal(calls, 3);
    kin_field_selector_unref(sel);

    calls = 0;
    assert_true(
        kin_field_selector_matches_fn(kin_field_selector_everything(), count_calls, &calls));
    assert_false(kin_field_selector_matches_fn(kin_field_selector_nothing(), count_calls, &calls));
    assert_int_equal(calls, 0);
}

/* --- everything, nothing, exact matches --- */

static void everything_and_nothing_are_two_selectors(void **state)
{
    const kin_field_selector *all = kin_field_selector_everything();
    const kin_field_selector *none = kin_field_selector_nothing();

    (void)state;
    assert_true(kin_field_selector_is_empty(all));
    assert_false(kin_field_selector_is_nothing(all));
    assert_false(kin_field_selector_is_empty(none));
    assert_true(kin_field_selector_is_nothing(none));
    assert_printed(all, "");
    assert_printed(none, "");
    assert_int_equal(kin_field_selector_count(all), 0);
    assert_int_equal(kin_field_selector_count(none), 0);
    assert_null(kin_field_selector_get_requirement(none, 0));

    /* Not counted. */
    kin_field_selector_unref(all);
    kin_field_selector_unref(none);
    assert_ptr_equal(kin_field_selector_ref(all), all);
    assert_null(kin_field_selector_ref(NULL));
    assert_ptr_equal(kin_field_selector_ref(none), none);
    kin_field_selector_unref(NULL);
    assert_true(kin_field_selector_is_empty(kin_field_selector_everything()));
}

static void a_parsed_empty_selector_is_everything(void **state)
{
    static const char *const texts[] = {"", ",", "=", "!=,,=="};

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        const kin_field_selector *sel = parse(texts[i]);

        assert_true(kin_field_selector_is_empty(sel));
        assert_false(kin_field_selector_is_nothing(sel));
        kin_field_selector_unref(sel);
    }
    const kin_field_selector *sel = NULL;
    assert_code(kin_field_selector_parse(&sel, kin_str_make(NULL, 0), NULL), 0);
    assert_true(kin_field_selector_is_empty(sel));
    kin_field_selector_unref(sel);
    sel = parse("a=b");
    assert_false(kin_field_selector_is_empty(sel));
    assert_false(kin_field_selector_is_nothing(sel));
    kin_field_selector_unref(sel);
}

static void exact_matches_are_found(void **state)
{
    static const struct {
        const char *selector;
        const char *field;
        const char *value; /* NULL: none */
    } rows[] = {
        {"", "a", NULL},        {"a=b", "a", "b"},   {"a==b", "a", "b"},    {"a!=b", "a", NULL},
        {"a=", "a", ""},        {"a=b", "c", NULL},  {"a=b,c=d", "c", "d"}, {"a=2,a=1", "a", "1"},
        {"a!=1,a=2", "a", "2"}, {"a=\\,", "a", ","},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        const kin_field_selector *sel = parse(rows[i].selector);
        kin_str value = kin_str_of("untouched");
        bool found =
            kin_field_selector_requires_exact_match(sel, kin_str_of(rows[i].field), &value);

        if (found != (rows[i].value != NULL))
            fail_msg("\"%s\" and %s", rows[i].selector, rows[i].field);
        assert_view(value, rows[i].value ? rows[i].value : "untouched");
        assert_int_equal(
            kin_field_selector_requires_exact_match(sel, kin_str_of(rows[i].field), NULL), found);
        kin_field_selector_unref(sel);
    }
    assert_false(kin_field_selector_requires_exact_match(kin_field_selector_nothing(),
                                                         kin_str_of("a"), NULL));
}

/* --- adding --- */

static void requirements_can_be_added(void **state)
{
    static const kin_field_requirement added[] = {
        {{"m", 1}, KIN_SELECTOR_NOT_EQUALS, {"x,y=z\\", 6}},
        {{"a", 1}, KIN_SELECTOR_EQUALS, {NULL, 0}},
        {{NULL, 0}, KIN_SELECTOR_EQUALS, {NULL, 0}}, /* asks for nothing */
        {{"z", 1}, KIN_SELECTOR_DOUBLE_EQUALS, {"1", 1}},
        {{"e!", 2}, KIN_SELECTOR_NOT_EQUALS, {"1", 1}},
        {{"f\\,", 3}, KIN_SELECTOR_EQUALS, {"1", 1}},
        {{"g\\", 2}, KIN_SELECTOR_EQUALS, {"1", 1}},
        {{"g\\", 2}, KIN_SELECTOR_NOT_EQUALS, {"", 0}},
    };
    const kin_field_selector *before = parse("q=1,b=\\,");
    const kin_field_selector *after = NULL;

    (void)state;
    assert_code(kin_field_selector_add(&after, before, added, kin__array_len(added), NULL), 0);
    assert_printed(before, "b=\\,,q=1");
    kin_field_selector_unref(before);
    assert_printed(after, "a=,b=\\,,e!!=1,f\\,=1,g\\!=,g\\=1,m!=x\\,y\\=z\\\\,q=1,z=1");
    assert_int_equal(kin_field_selector_count(after), 9);
    assert_view(kin_field_selector_get_requirement(after, 4)->field, "g\\");
    assert_int_equal(kin_field_selector_get_requirement(after, 8)->op, KIN_SELECTOR_EQUALS);
    kin_field_selector_unref(after);

    assert_code(kin_field_selector_add(&after, kin_field_selector_everything(), NULL, 0, NULL), 0);
    assert_true(kin_field_selector_is_empty(after));
    kin_field_selector_unref(after);
}

static void wrong_requirements_are_refused(void **state)
{
    static const kin_field_requirement rows[] = {
        {{"a", 1}, (kin_selector_op)0, {"b", 1}},
        {{"a", 1}, KIN_SELECTOR_IN, {"b", 1}},
        {{"a", 1}, KIN_SELECTOR_EXISTS, {"b", 1}},
        {{"a=", 2}, KIN_SELECTOR_EQUALS, {"b", 1}},
        {{"a\\=", 3}, KIN_SELECTOR_EQUALS, {"b", 1}},
        {{"a,b", 3}, KIN_SELECTOR_EQUALS, {"b", 1}},
        {{"a\\\\,b", 5}, KIN_SELECTOR_EQUALS, {"b", 1}},
        {{"a!", 2}, KIN_SELECTOR_EQUALS, {"b", 1}},
        {{"a!", 2}, KIN_SELECTOR_DOUBLE_EQUALS, {"b", 1}},
    };
    const kin_field_selector *sel = NULL;

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        int code = kin_field_selector_add(&sel, kin_field_selector_everything(), &rows[i], 1, &err);

        if (code != KIN_EINVAL || err.code != code || sel)
            fail_msg("row %zu gave %d: %s", i, code, err.message);
        assert_code(kin_field_selector_add(&sel, kin_field_selector_nothing(), &rows[i], 1, NULL),
                    KIN_EINVAL);
    }
    assert_code(kin_field_selector_add(NULL, kin_field_selector_everything(), NULL, 0, NULL),
                KIN_EINVAL);
    assert_code(kin_field_selector_add(&sel, NULL, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_field_selector_add(&sel, kin_field_selector_everything(), NULL, 1, NULL),
                KIN_EINVAL);
    assert_null(sel);
}

static void what_is_added_to_nothing_is_nothing(void **state)
{
    static const kin_field_requirement good = {{"a", 1}, KIN_SELECTOR_EQUALS, {"b", 1}};
    const kin_field_selector *sel = NULL;

    (void)state;
    assert_code(kin_field_selector_add(&sel, kin_field_selector_nothing(), &good, 1, NULL), 0);
    assert_true(kin_field_selector_is_nothing(sel));
    kin_field_selector_unref(sel);
}

static void adding_is_limited_too(void **state)
{
    static char commas[KIN_SELECTOR_MAX_LENGTH / 2];
    static kin_field_requirement many[KIN_SELECTOR_MAX_REQUIREMENTS + 1];
    kin_field_requirement r = {{"a", 1}, KIN_SELECTOR_EQUALS, {commas, sizeof(commas)}};
    const kin_field_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    memset(commas, ',', sizeof(commas));
    assert_code(kin_field_selector_add(&sel, kin_field_selector_everything(), &r, 1, &err),
                KIN_ELIMIT);
    assert_int_equal(err.code, KIN_ELIMIT);
    assert_null(sel);
    r.value.len--; /* twice as long in print, and "a=" */
    assert_code(kin_field_selector_add(&sel, kin_field_selector_everything(), &r, 1, &err), 0);
    assert_int_equal(kin_field_selector_get_requirement(sel, 0)->value.len, sizeof(commas) - 1);
    kin_field_selector_unref(sel);
    sel = NULL;
    for (size_t i = 0; i < kin__array_len(many); i++) {
        many[i].field = kin_str_of("a");
        many[i].op = KIN_SELECTOR_EQUALS;
    }
    assert_code(kin_field_selector_add(&sel, kin_field_selector_everything(), many,
                                       kin__array_len(many), &err),
                KIN_ELIMIT);
    assert_null(sel);
    assert_code(kin_field_selector_add(&sel, kin_field_selector_everything(), many,
                                       kin__array_len(many) - 1, &err),
                0);
    kin_field_selector_unref(sel);
}

/* --- against a plain reading of the rules --- */

static void random_selectors_match_as_the_model(void **state)
{
    static const char *const names[] = {"a", "b", "c!d", "e\\,f"};
    static const char *const values[] = {"", "x", ",", "=", "\\", "\\,=!", " "};
    kin_test_rng rng = {5};
    unsigned matched = 0;

    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct field fields[kin__array_len(names) + 1] = {{NULL, NULL}};
        kin_field_requirement requirements[4];
        const kin_field_selector *sel = NULL;
        size_t n = kin_test_below(&rng, kin__array_len(requirements) + 1);
        size_t n_fields = 0;
        bool expected = true;
        const char *by_name[kin__array_len(names)];

        for (size_t i = 0; i < kin__array_len(names); i++) {
            by_name[i] = values[kin_test_below(&rng, kin__array_len(values))];
            if (by_name[i][0] || kin_test_below(&rng, 2)) {
                fields[n_fields].name = names[i];
                fields[n_fields++].value = by_name[i];
            }
        }
        for (size_t i = 0; i < n; i++) {
            size_t name = kin_test_below(&rng, kin__array_len(names));
            const char *value = values[kin_test_below(&rng, kin__array_len(values))];
            bool equal = kin_test_below(&rng, 2);

            requirements[i].field = kin_str_of(names[name]);
            requirements[i].op = equal ? KIN_SELECTOR_EQUALS : KIN_SELECTOR_NOT_EQUALS;
            requirements[i].value = kin_str_of(value);
            expected = expected && (strcmp(value, by_name[name]) == 0) == equal;
        }
        matched += expected;
        assert_code(
            kin_field_selector_add(&sel, kin_field_selector_everything(), requirements, n, NULL),
            0);
        assert_int_equal(kin_field_selector_count(sel), n);

        char *printed = NULL;
        assert_code(kin_field_selector_print(&printed, NULL, sel, NULL), 0);
        if (matches(sel, fields) != expected)
            fail_msg("\"%s\"", printed);
        const kin_field_selector *again = parse(printed);
        assert_printed(again, printed);
        assert_int_equal(matches(again, fields), expected);
        kin_field_selector_unref(again);
        kin_field_selector_unref(sel);
        kin_free(printed);
    }
    assert_in_range(matched, 2000, 18000);
}

/* --- life --- */

static void a_selector_is_one_block_that_outlives_its_text(void **state)
{
    struct field fields[] = {{"a", "b,"}, {NULL, NULL}};
    size_t before = kin_test_alloc_live();
    const kin_field_selector *sel = parse("a=b\\,,c!=d"); /* the text is gone already */
    const kin_field_selector *mine = kin_field_selector_ref(sel);

    (void)state;
    assert_int_equal(kin_test_alloc_live(), before + 1);
    assert_ptr_equal(mine, sel);
    kin_field_selector_unref(sel);
    assert_true(matches(mine, fields));
    kin_field_selector_unref(mine);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void *use_shared(void *arg)
{
    struct field fields[] = {{"a", "b"}, {NULL, NULL}};
    const kin_field_selector *sel = arg;

    for (int i = 0; i < 2000; i++) {
        const kin_field_selector *mine = kin_field_selector_ref(sel);

        if (!matches(mine, fields))
            return arg;
        kin_field_selector_unref(mine);
    }
    kin_field_selector_unref(sel);
    return NULL;
}

static void threads_share_a_selector(void **state)
{
    size_t before = kin_test_alloc_live();
    const kin_field_selector *sel = parse("a=b");
    const void *refs[SHARERS];

    (void)state;
    for (size_t i = 0; i < SHARERS; i++)
        refs[i] = kin_field_selector_ref(sel);
    kin_field_selector_unref(sel);
    share_among_threads(use_shared, refs);
    assert_int_equal(kin_test_alloc_live(), before);
}

static int build_up_and_take_down(void *arg, kin_error *err)
{
    static const kin_field_requirement added = {{"z", 1}, KIN_SELECTOR_NOT_EQUALS, {"=", 1}};
    const kin_field_selector *sel = NULL;
    const kin_field_selector *more = NULL;
    char *text = NULL;

    (void)arg;
    /* More than the first allocation of the array holds. */
    int code = kin_field_selector_parse(&sel, kin_str_of("a=,b=,c=,d=,e=,f=,g=,h=,i=,j="), err);
    if (code == 0)
        code = kin_field_selector_add(&more, sel, &added, 1, err);
    if (code == 0)
        code = kin_field_selector_print(&text, NULL, more, err);
    if (code == 0)
        assert_string_equal(text, "a=,b=,c=,d=,e=,f=,g=,h=,i=,j=,z!=\\=");
    kin_free(text);
    kin_field_selector_unref(more);
    kin_field_selector_unref(sel);
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
        cmocka_unit_test(messages_say_what_was_expected),
        cmocka_unit_test(requirements_can_be_read),
        cmocka_unit_test(a_zero_byte_is_an_ordinary_one),
        cmocka_unit_test(parse_and_print_need_their_arguments),
        cmocka_unit_test(the_length_is_limited),
        cmocka_unit_test(the_number_of_requirements_is_limited),
        cmocka_unit_test(a_selector_of_the_largest_size_is_sorted),
        cmocka_unit_test(selectors_match_as_kubernetes_says),
        cmocka_unit_test(objects_are_matched_by_their_fields),
        cmocka_unit_test(looking_up_ends_at_the_first_that_is_not_met),
        cmocka_unit_test(everything_and_nothing_are_two_selectors),
        cmocka_unit_test(a_parsed_empty_selector_is_everything),
        cmocka_unit_test(exact_matches_are_found),
        cmocka_unit_test(requirements_can_be_added),
        cmocka_unit_test(wrong_requirements_are_refused),
        cmocka_unit_test(what_is_added_to_nothing_is_nothing),
        cmocka_unit_test(adding_is_limited_too),
        cmocka_unit_test(random_selectors_match_as_the_model),
        cmocka_unit_test(a_selector_is_one_block_that_outlives_its_text),
        cmocka_unit_test(threads_share_a_selector),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
