/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include <inttypes.h>
#include <limits.h>
#include <math.h>

#include "alloc.h"
#include "base/buf.h"
#include "kinform/make.h"
#include "kinform/path.h"
#include "oom.h"

/* What a template makes, as JSON with single quotes. */
#define check_made(expected, ...)                                                                  \
    do {                                                                                           \
        kin_error made_err = KIN_ERROR_INIT;                                                       \
        const kin_object *made = NULL;                                                             \
                                                                                                   \
        if (kin_object_make(&made, &made_err, __VA_ARGS__) < 0)                                    \
            fail_msg("%s", made_err.message);                                                      \
        check_doc(made, expected);                                                                 \
    } while (0)

/* A template that cannot be made, the byte that is wrong, and part of the message. */
#define check_fails(code, at, says, ...)                                                           \
    do {                                                                                           \
        kin_error made_err = KIN_ERROR_INIT;                                                       \
        const kin_object *made = NULL;                                                             \
                                                                                                   \
        assert_code(kin_object_make(&made, &made_err, __VA_ARGS__), code);                         \
        assert_null(made);                                                                         \
        assert_int_equal(made_err.offset, at);                                                     \
        if (!strstr(made_err.message, says))                                                       \
            fail_msg("not in the message: %s: %s", says, made_err.message);                        \
    } while (0)

/* Templates that the compiler would refuse. Nothing follows, so they fail at the first one. */
static void check_refused(const char *format, uint64_t at, const char *says)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *made = NULL;
    int (*make)(const kin_object **, kin_error *, const char *, ...) = kin_object_make;

    assert_code(make(&made, &err, format, 0, 0), KIN_EINVAL);
    assert_null(made);
    assert_int_equal(err.offset, at);
    if (!strstr(err.message, says))
        fail_msg("not in the message: %s: %s", says, err.message);
}

/* --- what conversions make --- */

static void a_template_without_conversions_is_yaml(void **state)
{
    (void)state;
    check_made("{'a':1,'b':[true,null,'x']}", "{a: 1, b: [yes, ~, x]}");
    check_made("{'a':{'b':1}}", "a:\n  b: 1\n");
    check_made("{}", "{}");
}

static void strings_stay_strings(void **state)
{
    (void)state;
    check_made("{'a':'x','b':'true','c':'5','d':'','e':'null'}",
               "{a: %s, b: %s, c: %s, d: %s, e: %s}", "x", "true", "5", "", "null");
    check_made("{'a':'~','b':'<<'}", "a: %s\nb: %s\n", "~", "<<");
}

static void views_are_strings(void **state)
{
    kin_str view = kin_str_make("abcdef", 3);
    kin_str none = {NULL, 0};

    (void)state;
    check_made("{'a':'abc','b':''}", "{a: %" KIN_STR_FMT ", b: %.*s}", KIN_STR_ARG(view),
               KIN_STR_ARG(none));
    /* As in printf(), the string may be shorter. */
    check_made("{'a':'xy'}", "{a: %.*s}", 63, "xy");
}

static void integers_of_all_lengths(void **state)
{
    (void)state;
    check_made("{'a':[-1,-2,3,-4,-5,-6,-7,-8,-9]}",
               "{a: [%d, %i, %u, %hd, %ld, %lld, %jd, %zd, %td]}", -1, -2, 3u, (short)-4, -5l, -6ll,
               (intmax_t)-7, (ssize_t)-8, (ptrdiff_t)-9);
    check_made("{'a':[4,5,6,7,8]}", "{a: [%hu, %lu, %llu, %ju, %zu]}", (unsigned short)4, 5ul, 6ull,
               (uintmax_t)7, (size_t)8);
    check_made("{'a':[-2147483648,4294967295,-9223372036854775808,18446744073709551615]}",
               "{a: [%d, %u, %" PRId64 ", %" PRIu64 "]}", INT_MIN, UINT_MAX, INT64_MIN, UINT64_MAX);
    check_made("{'a':[-32768,65535]}", "{a: [%hd, %hu]}", (short)-32768, (unsigned short)65535);
}

static void booleans(void **state)
{
    bool yes = true;
    bool no = false;

    (void)state;
    check_made("{'a':true,'b':false,'c':true}", "{a: %hhd, b: %hhi, c: %hhu}", yes, no, yes);
    check_made("{'a':'true','b':'is false','true':1}", "{a: '%hhd', b: is %hhd, %hhd: 1}", yes, no,
               yes);
}

static void doubles_have_the_fewest_digits(void **state)
{
    (void)state;
    check_made("{'a':[0.1,5,-2.5e-7,1e+300]}", "{a: [%g, %f, %e, %g]}", 0.1, 5.0, -2.5e-7, 1e300);
    check_made("{'a':'0.1'}", "{a: '%g'}", 0.1);
}

static void values_are_put_in_whole(void **state)
{
    const kin_object *pod = doc("{'spec':{'a':[1,{'b':null}],'s':'x','t':'2026-01-31T12:00:00Z'}}");
    kin_value spec = kin_object_find(pod, "spec");

    (void)state;
    check_made(
        "{'spec':{'a':[1,{'b':null}],'s':'x','t':'2026-01-31T12:00:00Z'},'l':[[1,{'b':null}],'x']}",
        "{spec: %pV, l: [%pV, %pV]}", KIN_VALUE_ARG(spec),
        KIN_VALUE_ARG(kin_object_find(pod, "spec.a")),
        KIN_VALUE_ARG(kin_object_find(pod, "spec.s")));
    kin_object_unref(pod);
}

static void scalar_values_can_be_text(void **state)
{
    const kin_object *o = doc("{'s':'x','t':'2026-01-31T12:00:00Z','n':7,'f':1.50,'b':true}");

    (void)state;
    check_made("{'a':'x-2026-01-31T12:00:00Z-7-1.50-true','x':'7'}",
               "{a: %pV-%pV-%pV-%pV-%pV, %pV: '%pV'}", KIN_VALUE_ARG(kin_object_find(o, "s")),
               KIN_VALUE_ARG(kin_object_find(o, "t")), KIN_VALUE_ARG(kin_object_find(o, "n")),
               KIN_VALUE_ARG(kin_object_find(o, "f")), KIN_VALUE_ARG(kin_object_find(o, "b")),
               KIN_VALUE_ARG(kin_object_find(o, "s")), KIN_VALUE_ARG(kin_object_find(o, "n")));
    kin_object_unref(o);
}

static void a_value_that_is_not_there_is_left_out(void **state)
{
    const kin_object *o = doc("{'a':1}");
    kin_value none = kin_object_find(o, "b");

    (void)state;
    check_made("{'a':1,'c':[1,2]}", "{a: %pV, b: %pV, c: [%pV, 1, %pV, 2, %pV]}",
               KIN_VALUE_ARG(kin_object_find(o, "a")), KIN_VALUE_ARG(none), KIN_VALUE_ARG(none),
               KIN_VALUE_ARG(none), KIN_VALUE_ARG(none));
    check_made("{'d':{'e':{}}}", "{d: {e: {f: %pV}}}", KIN_VALUE_ARG(none));
    kin_object_unref(o);
}

static void objects_are_put_in_whole(void **state)
{
    const kin_object *o = doc("{'kind':'Pod','metadata':{'name':'a'}}");
    const kin_object *tombstone = NULL;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a"), o, NULL), 0);
    check_made(
        "{'items':[{'kind':'Pod','metadata':{'name':'a'}},{'kind':'Pod','metadata':{'name':'a'}}]}",
        "{items: [%pO, %pO]}", KIN_OBJECT_ARG(o), KIN_OBJECT_ARG(tombstone));
    kin_object_unref(tombstone);
    kin_object_unref(o);
}

static void percent_signs(void **state)
{
    (void)state;
    check_made("{'a':'%','b':'50%','c':'%d 7%','%':1}", "{a: %%, b: 50%%, c: '%%d %d%%', %%: 1}",
               7);
}

/* --- text --- */

static void conversions_beside_text_are_text(void **state)
{
    (void)state;
    check_made("{'a':'web-config','b':'12','c':'250m','d':'x:80','e':'7'}",
               "{a: %s-config, b: 1%d, c: %dm, d: %s:%d, e: \"%d\"}", "web", 2, 250, "x", 80, 7);
    check_made("{'a':'one=1\\ntwo=2\\n'}", "a: |\n  one=%d\n  %s=2\n", 1, "two");
    check_made("{'a':'x y 1'}", "a: >-\n  %s\n  y\n  %d\n", "x", 1);
}

static void keys(void **state)
{
    (void)state;
    check_made("{'app':'x','1':2,'a/b':{'true':1}}", "{%s: x, %d: 2, a/%s: {%s: 1}}", "app", 1, "b",
               "true");
    check_made("{'<<':{'a':1}}", "{%s: {a: 1}}", "<<");
}

static void tags_have_the_last_word(void **state)
{
    (void)state;
    check_made("{'a':'5','b':5,'c':true}", "{a: !!str %d, b: !!int \"%s\", c: !!bool %s}", 5, "5",
               "yes");
    check_fails(KIN_EPARSE, 10, "is no !!int", "{a: 1, b: !!int %s}", "x");
}

/* --- no injection --- */

static void arguments_are_never_parsed(void **state)
{
    static const char *const evil[] = {
        "x, b: 1}",
        "\"",
        "'",
        "x\ny: 1",
        "{a: 1}",
        "[1]",
        "*a",
        "&a x",
        "!!int 5",
        "# x",
        "- x",
        "%s",
        "%",
        "%n%n",
        "---\na: 1",
        "\xee\x80\x80",
        "\xee\x80\x81\xef\xa3\xbf",
        "\xef\xa3\xbf",
        "? x",
        ": ",
        "\t",
        " x ",
        "\x01",
        "\\u0041",
        "<<",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(evil); i++) {
        kin_error err = KIN_ERROR_INIT;
        const kin_object *made = NULL;
        char expected[64];
        kin_scratch scratch;
        kin_str text;

        assert_code(kin_object_make(&made, &err, "{a: %s, b: <%s>, c: '%s', d: \"%s\", %s: 1}",
                                    evil[i], evil[i], evil[i], evil[i], evil[i]),
                    0);
        assert_int_equal(kin_value_len(kin_object_root(made)), 5);
        snprintf(expected, sizeof(expected), "<%s>", evil[i]);
        assert_code(kin_value_string(&text, kin_object_find(made, "a"), &scratch), 0);
        assert_true(kin_str_equal(text, kin_str_of(evil[i])));
        assert_code(kin_value_string(&text, kin_object_find(made, "b"), &scratch), 0);
        assert_true(kin_str_equal(text, kin_str_of(expected)));
        assert_code(kin_value_string(&text, kin_object_find(made, "c"), &scratch), 0);
        assert_true(kin_str_equal(text, kin_str_of(evil[i])));
        assert_code(kin_value_string(&text, kin_object_find(made, "d"), &scratch), 0);
        assert_true(kin_str_equal(text, kin_str_of(evil[i])));
        assert_int_equal(kin_value_type(kin_value_get(kin_object_root(made), kin_str_of(evil[i]))),
                         KIN_INTEGER);
        kin_object_unref(made);
    }
}

static void aliases_repeat_what_was_put_in(void **state)
{
    (void)state;
    check_made("{'a':'x','b':'x','c':1}", "{a: &n %s, b: *n, c: %d}", "x", 1);
    check_made("{'a':{'k':'x'},'b':{'k':'x'},'c':2}", "{a: &n {k: %s}, b: *n, c: %d}", "x", 2);
    check_made("{'a':{'k':'x'},'b':{'k':'x','l':2}}", "{a: &n {k: %s}, b: {<<: *n, l: %d}}", "x",
               2);
}

static void conversions_in_comments_take_their_arguments(void **state)
{
    (void)state;
    check_made("{'a':1,'b':'x'}", "# %s\na: %d # %d\nb: %s\n", "not this", 1, 2, "x");
}

static void private_use_characters_are_not_for_formats(void **state)
{
    (void)state;
    check_fails(KIN_EINVAL, 4, "U+E000", "{a: \xee\x80\x80, b: %s}", "x");
    check_fails(KIN_EINVAL, 4, "U+E000", "{a: \xef\xa3\xbf}");
    /* Neighbours of the area, and its escapes. */
    check_made("{'a':'\xed\x9f\xbf\xef\xa4\x80'}", "{a: \xed\x9f\xbf\xef\xa4\x80}");
    check_fails(KIN_EINVAL, 0, "U+E000", "{a: \"\\uE000\", b: 1}");
    check_fails(KIN_EINVAL, 0, "U+E000", "{a: \"\\uF8FF\", b: %s}", "x");
    check_fails(KIN_EINVAL, 0, "U+E000", "{a: \"\\uE000\\uF8FF\", b: %s}", "x");
    check_fails(KIN_EINVAL, 0, "U+E000", "{a: \"\\uE000\xf0\x9f\x98\x80\"} # %s", "x");
}

/* --- what is refused --- */

static void missing_arguments(void **state)
{
    kin_editor *ed = NULL;
    const char *volatile null = NULL; /* the compiler would see one that is constant */

    (void)state;
    assert_code(kin_object_make(NULL, NULL, "{}"), KIN_EINVAL);
    assert_code(kin_editor_new(&ed, NULL, NULL), 0);
    assert_code(kin_editor_make(NULL, "a", NULL, "1"), KIN_EINVAL);
    assert_code(kin_editor_make(ed, NULL, NULL, "1"), KIN_EINVAL);
    kin_editor_free(ed);
    check_fails(KIN_EINVAL, 12, "conversion 2, `%s`: the string is NULL", "{a: %d,  b: %s}", 1,
                null);
    check_fails(KIN_EINVAL, 4, "conversion 1, `%.*s`: the string is NULL", "{a: %.*s}", 0, null);
    check_fails(KIN_EINVAL, 4, "`%pV`: the pointer is NULL", "{a: %pV}", (const void *)NULL);
    check_fails(KIN_EINVAL, 4, "`%pO`: the pointer is NULL", "{a: %pO}",
                KIN_OBJECT_ARG((const kin_object *)NULL));
}

static void arguments_that_are_no_values(void **state)
{
    const kin_object *key = NULL;
    signed char five = 5;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a"), NULL), 0);
    check_fails(KIN_EINVAL, 4, "not a document", "{a: %pO}", KIN_OBJECT_ARG(key));
    kin_object_unref(key);
    check_fails(KIN_EINVAL, 4, "not UTF-8", "{a: %s}", "\xff");
    check_fails(KIN_EINVAL, 4, "not UTF-8", "{a: %.*s}", 1, "\xc3\xa9");
    check_fails(KIN_EINVAL, 4, "negative", "{a: %.*s}", -1, "x");
    check_fails(KIN_EINVAL, 4, "a bool is 0 or 1", "{a: %hhd}", five);
    check_fails(KIN_EINVAL, 4, "infinity", "{a: %g}", (double)INFINITY);
    check_fails(KIN_EINVAL, 4, "NaN", "{a: %g}", (double)NAN);
}

static void unknown_conversions(void **state)
{
    (void)state;
    check_refused("{a: %5d}", 4, "conversion 1, `%5d`: not a conversion");
    check_refused("{a: %-5s}", 4, "`%-5s`");
    check_refused("{a: %.3s}", 4, "`%.3s`");
    check_refused("{a: %.*d}", 4, "`%.*d`");
    check_refused("{a: %.2f}", 4, "`%.2f`");
    check_refused("{a: %+d}", 4, "`%+d`");
    check_refused("{a: %#x}", 4, "`%#x`");
    check_refused("{a: %x}", 4, "`%x`");
    check_refused("{a: %c}", 4, "`%c`");
    check_refused("{a: %n}", 4, "`%n`");
    check_refused("{a: %p}", 4, "`%p`");
    check_refused("{a: %pX}", 4, "`%p`");
    check_refused("{a: %hs}", 4, "`%hs`");
    check_refused("{a: %ls}", 4, "`%ls`");
    check_refused("{a: %Lg}", 4, "`%Lg`");
    check_refused("{a: %lf}", 4, "`%lf`");
    check_refused("{a: %hhhd}", 4, "`%hhhd`");
    check_refused("{a: %", 4, "`%`");
    check_refused("{a: %l", 4, "`%l`");
    check_refused("{a: %\xc3\xa9}", 4, "`%`");
}

static void values_without_text(void **state)
{
    const kin_object *o = doc("{'m':{},'l':[],'n':null}");

    (void)state;
    check_fails(KIN_ETYPE, 6, "type map", "{a: x-%pV}", KIN_VALUE_ARG(kin_object_find(o, "m")));
    check_fails(KIN_ETYPE, 1, "type array", "{%pV: 1}", KIN_VALUE_ARG(kin_object_find(o, "l")));
    check_fails(KIN_ETYPE, 5, "type null", "{a: \"%pV\"}", KIN_VALUE_ARG(kin_object_find(o, "n")));
    check_fails(KIN_ETYPE, 5, "type none", "{a: \"%pV\"}", KIN_VALUE_ARG(kin_object_find(o, "x")));
    check_fails(KIN_ETYPE, 5, "type map", "{a: '%pO'}", KIN_OBJECT_ARG(o));
    kin_object_unref(o);
}

static void templates_that_are_no_documents(void **state)
{
    const kin_object *o = doc("{'a':1}");

    (void)state;
    check_fails(KIN_EPARSE, 0, "no document", "# nothing");
    check_fails(KIN_EPARSE, 0, "no map", "[%d]", 1);
    check_fails(KIN_EPARSE, 0, "no map", "%s", "{a: 1}");
    check_fails(KIN_EPARSE, 0, "no map", "%pO", KIN_OBJECT_ARG(o));
    check_fails(KIN_EPARSE, 10, "second document", "a: %d\n---\nb: %d\n", 1, 2);
    kin_object_unref(o);
}

/* A place behind conversions is a place of the format, in bytes, lines and columns. */
static void errors_tell_the_place_in_the_format(void **state)
{
    (void)state;
    check_fails(KIN_EPARSE, 13, "line 1, column 14: ", "{a: %s, b: %d]}", "a long argument", 2);
    check_fails(KIN_EPARSE, 28, "line 2, column 18: the key \"a\"",
                "{\xc3\xa9: %.*s,\n %hhd: 1, a: %d, a: %d}", 1, "x", (bool)true, 1, 2);
    check_fails(KIN_EPARSE, 8, "the key \"x\"", "{%s: 1, %s: 2}", "x", "x");
    check_fails(KIN_EPARSE, 11, "", "{a: %s, b: \xff}", "x");
    check_fails(KIN_EPARSE, 14, "", "\xef\xbb\xbf{a: %s, b: ]}", "x");
}

static void limits_hold(void **state)
{
    char format[KIN_MAKE_MAX_CONVERSIONS + 8];
    kin_error err = KIN_ERROR_INIT;
    const kin_object *made = NULL;
    const kin_object *deep = NULL;
    char *text = calloc(1, 4096);

    (void)state;
    memset(format, '%', sizeof(format) - 1);
    format[sizeof(format) - 1] = '\0';
    int (*make)(const kin_object **, kin_error *, const char *, ...) = kin_object_make;
    assert_code(make(&made, &err, format), KIN_ELIMIT);
    /* A value as deep as documents are cannot be inside another one. */
    assert_non_null(text);
    for (size_t i = 0; i < KIN_DEPTH_MAX; i++)
        memcpy(text + i * 5, "{\"a\":", 5);
    text[KIN_DEPTH_MAX * 5] = '1';
    memset(text + KIN_DEPTH_MAX * 5 + 1, '}', KIN_DEPTH_MAX);
    deep = from_json(text);
    assert_code(kin_object_make(&made, &err, "{a: %pO}", KIN_OBJECT_ARG(deep)), KIN_ELIMIT);
    assert_null(made);
    assert_code(kin_object_make(&made, &err, "{a: %pV}", KIN_VALUE_ARG(kin_object_find(deep, "a"))),
                0);
    kin_object_unref(made);
    kin_object_unref(deep);
    free(text);
}

static void as_many_conversions_as_there_may_be(void **state)
{
    kin__buf format;
    const kin_object *made = NULL;

    (void)state;
    kin__buf_init(&format, SIZE_MAX - 1);
    kin__buf_append(&format, kin_str_of("{a: ["));
    for (size_t i = 0; i < KIN_MAKE_MAX_CONVERSIONS / 2; i++) /* each sign counts */
        kin__buf_append(&format, kin_str_of("%%, "));
    kin__buf_append(&format, kin_str_of("]}"));
    int (*make)(const kin_object **, kin_error *, const char *, ...) = kin_object_make;
    assert_code(make(&made, NULL, format.data), 0);
    assert_int_equal(kin_value_len(kin_object_find(made, "a")), KIN_MAKE_MAX_CONVERSIONS / 2);
    kin_object_unref(made);
    kin__buf_done(&format);
}

/* --- the editor --- */

static void check_edited(kin_editor *ed, const char *text)
{
    const kin_object *made = NULL;

    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    check_doc(made, text);
}

static void an_editor_sets_values_of_all_types(void **state)
{
    const kin_object *base = doc("{'a':1}");
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, base, NULL), 0);
    assert_code(
        kin_editor_make(ed, "status.conditions", NULL, "[{type: Ready, status: %s}]", "True"), 0);
    assert_code(kin_editor_make(ed, "b", NULL, "%d", 7), 0);
    assert_code(kin_editor_make(ed, "c", NULL, "%s", "x: y"), 0);
    assert_code(kin_editor_make(ed, "d", NULL, "web-%d", 1), 0);
    assert_code(kin_editor_make(ed, "e", NULL, "%hhd", (bool)true), 0);
    assert_code(kin_editor_make(ed, "f", NULL, "~"), 0);
    assert_code(kin_editor_make(ed, "g", NULL, "%pV", KIN_VALUE_ARG(kin_object_find(base, "a"))),
                0);
    assert_code(kin_editor_make(ed, "h", NULL, "%pO", KIN_OBJECT_ARG(base)), 0);
    kin_object_unref(base);
    check_edited(ed, "{'a':1,'status':{'conditions':[{'type':'Ready','status':'True'}]},'b':7,"
                     "'c':'x: y','d':'web-1','e':true,'f':null,'g':1,'h':{'a':1}}");
    assert_code(kin_editor_make(ed, "", NULL, "{x: %d}", 1), 0);
    check_edited(ed, "{'x':1}");
    kin_editor_free(ed);
}

static void a_failure_changes_nothing(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *base = doc("{'a':1}");
    kin_value none = {NULL, NULL};
    const kin_object *made = NULL;
    kin_editor *ed = NULL;

    (void)state;
    assert_code(kin_editor_new(&ed, base, NULL), 0);
    assert_code(kin_editor_make(ed, "b", &err, "{a: %d", 1), KIN_EPARSE);
    assert_code(kin_editor_make(ed, "b", &err, "%d\n---\n%d", 1, 2), KIN_EPARSE);
    assert_code(kin_editor_make(ed, "b", &err, "# %d", 1), KIN_EPARSE);
    assert_code(kin_editor_make(ed, "b", &err, "%pV", KIN_VALUE_ARG(none)), KIN_EINVAL);
    assert_code(kin_editor_make(ed, "", &err, "%d", 1), KIN_ETYPE);
    assert_code(kin_editor_make(ed, "a.b", &err, "%d", 1), KIN_ETYPE);
    assert_code(kin_editor_make(ed, "a[", &err, "%d", 1), KIN_EPARSE);
    assert_int_equal(err.offset, 2);
    assert_code(kin_editor_finish(ed, &made, NULL), 0);
    assert_ptr_equal(made, base);
    kin_object_unref(made);
    kin_editor_free(ed);
    kin_object_unref(base);
}

/* --- memory --- */

static int make_and_edit(void *arg, kin_error *err)
{
    const kin_object *base = arg;
    const kin_object *made = NULL;
    const kin_object *edited = NULL;
    kin_editor *ed = NULL;
    int code =
        kin_object_make(&made, err, "{metadata: {name: %s-%d}, spec: %pO, %s: [%hhd, %g, '%s']}",
                        "web", 1, KIN_OBJECT_ARG(base), "key", (bool)true, 0.5, "text");

    if (code == 0)
        code = kin_editor_new(&ed, made, err);
    if (code == 0)
        code = kin_editor_make(ed, "status.list", err, "[%s, {a: %pV, b-%d: x}]", "a",
                               KIN_VALUE_ARG(kin_object_root(base)), 2);
    if (code == 0)
        code = kin_editor_finish(ed, &edited, err);
    kin_editor_free(ed);
    kin_object_unref(edited);
    kin_object_unref(made);
    return code;
}

static void out_of_memory(void **state)
{
    const kin_object *base = doc("{'a':{'b':['x',1]}}");

    (void)state;
    kin_test_fail_each_allocation(make_and_edit, (void *)(uintptr_t)base);
    kin_object_unref(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_template_without_conversions_is_yaml),
        cmocka_unit_test(strings_stay_strings),
        cmocka_unit_test(views_are_strings),
        cmocka_unit_test(integers_of_all_lengths),
        cmocka_unit_test(booleans),
        cmocka_unit_test(doubles_have_the_fewest_digits),
        cmocka_unit_test(values_are_put_in_whole),
        cmocka_unit_test(scalar_values_can_be_text),
        cmocka_unit_test(a_value_that_is_not_there_is_left_out),
        cmocka_unit_test(objects_are_put_in_whole),
        cmocka_unit_test(percent_signs),
        cmocka_unit_test(conversions_beside_text_are_text),
        cmocka_unit_test(keys),
        cmocka_unit_test(tags_have_the_last_word),
        cmocka_unit_test(arguments_are_never_parsed),
        cmocka_unit_test(aliases_repeat_what_was_put_in),
        cmocka_unit_test(conversions_in_comments_take_their_arguments),
        cmocka_unit_test(private_use_characters_are_not_for_formats),
        cmocka_unit_test(missing_arguments),
        cmocka_unit_test(arguments_that_are_no_values),
        cmocka_unit_test(unknown_conversions),
        cmocka_unit_test(values_without_text),
        cmocka_unit_test(templates_that_are_no_documents),
        cmocka_unit_test(errors_tell_the_place_in_the_format),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(as_many_conversions_as_there_may_be),
        cmocka_unit_test(an_editor_sets_values_of_all_types),
        cmocka_unit_test(a_failure_changes_nothing),
        cmocka_unit_test(out_of_memory),
    };
    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
