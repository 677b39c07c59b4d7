/* SPDX-License-Identifier: Apache-2.0 */
/* Growing strings, ages, tables with wide characters, and unified views of texts. */
#include <locale.h>
#include <string.h>

#include "cli/print/age.h"
#include "cli/print/table.h"
#include "cli/unified.h"
#include "kin_test.h"
#include "kinform/json.h"
#include "kinform/path.h"

static void take(struct text *actual, const char *expected)
{
    assert_string_equal(text_string(actual), expected);
    text_done(actual);
}

static void strings_grow(void **state)
{
    struct text t = TEXT_INIT;

    (void)state;
    assert_string_equal(text_string(&t), "");
    assert_int_equal(text_view(&t).len, 0);
    text_add_string(&t, "a");
    text_add(&t, kin_str_make("bcd", 2));
    text_add_char(&t, 'e');
    text_add_n(&t, '-', 3);
    text_format(&t, "%d%s", 42, "!");
    assert_string_equal(text_string(&t), "abce---42!");
    assert_int_equal(text_view(&t).len, 10);
    text_clear(&t);
    assert_string_equal(text_string(&t), "");
    for (int i = 0; i < 5000; i++)
        text_format(&t, "%04d", i);
    assert_int_equal(t.len, 20000);
    assert_memory_equal(t.data + 4 * 4321, "4321", 4);
    assert_int_equal(t.data[t.len], '\0');
    text_done(&t);
    text_add(&t, kin_str_make(NULL, 0));
    take(&t, "");
}

static void ages_are_those_of_kubectl(void **state)
{
    static const struct {
        int64_t seconds;
        const char *text;
    } cases[] = {
        {-2, "<invalid>"},     {-1, "0s"},        {0, "0s"},
        {119, "119s"},         {120, "2m"},       {121, "2m1s"},
        {599, "9m59s"},        {600, "10m"},      {10799, "179m"},
        {10800, "3h"},         {10860, "3h1m"},   {28799, "7h59m"},
        {28800, "8h"},         {172799, "47h"},   {172800, "2d"},
        {176400, "2d1h"},      {691199, "7d23h"}, {691200, "8d"},
        {63071999, "729d"},    {63072000, "2y"},  {63158400, "2y1d"},
        {252287999, "7y364d"}, {252288000, "8y"}, {INT64_MAX, "292471208677y"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct text t = TEXT_INIT;

        add_duration(&t, cases[i].seconds);
        take(&t, cases[i].text);
    }
}

static void ages_of_timestamps(void **state)
{
    static const char json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"x\"},"
        "\"at\":\"1970-01-01T00:01:00Z\",\"no\":\"yesterday\"}";
    const kin_object *object = NULL;
    struct text t = TEXT_INIT;

    (void)state;
    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    add_age(&t, kin_object_find(object, "at"), 100);
    text_add_char(&t, ' ');
    add_age(&t, kin_object_find(object, "no"), 100);
    text_add_char(&t, ' ');
    add_age(&t, kin_object_find(object, "nosuch"), 100);
    take(&t, "40s <unknown> <unknown>");
    kin_object_unref(object);
}

/* --- tables --- */

static void widths(void **state)
{
    static const struct {
        const char *text;
        size_t width;
    } cases[] = {
        {"", 0},     {"abc", 3},      {"é", 1},        {"e\xcc\x81", 1}, {"日本語", 6},
        {"🙂", 2}, {"\xe6\x97", 2}, {"\xff", 1},     {"\x1b", 1},      {"a\xed\xa0\x80", 4},
        {"→…", 2},   {"한글", 4},     {"\xc0\x80", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (display_width(kin_str_of(cases[i].text)) != cases[i].width)
            fail_msg("%s: %zu instead of %zu", cases[i].text,
                     display_width(kin_str_of(cases[i].text)), cases[i].width);
    }
}

static void columns_are_aligned(void **state)
{
    static const char *const cells[] = {"NAME", "K", "LAST",      "日本語", "x",
                                        "1",    "a", "e\xcc\x81", ""};
    struct table table;
    struct text out = TEXT_INIT;

    (void)state;
    table_init(&table, 3);
    for (size_t i = 0; i < 9; i++)
        table_add(&table, kin_str_of(cells[i]));
    table_print(&table, &out, false);
    /* As kubectl has it: no column of less than six, nothing behind the last. */
    assert_string_equal(text_string(&out), "NAME     K     LAST\n"
                                           "日本語   x     1\n"
                                           "a        e\xcc\x81     \n");
    text_clear(&out);
    table_print(&table, &out, true);
    assert_ptr_equal(strstr(out.data, "\033[1mNAME     K     LAST\033[0m\n日"), out.data);
    assert_null(strstr(out.data + 4, "\033[1m"));
    text_done(&out);
    table_done(&table);
    table_init(&table, 2);
    table_print(&table, &out, true);
    take(&out, "");
    table_done(&table);
}

/* --- unified views --- */

static void expect_unified(const char *before, const char *after, const char *expected)
{
    struct text out = TEXT_INIT;

    add_unified(&out, kin_str_of(before), kin_str_of(after), false);
    take(&out, expected);
}

static void unified_views(void **state)
{
    (void)state;
    expect_unified("", "", "");
    expect_unified("a\n", "a\n", "  ...\n");
    expect_unified("", "a\nb\n", "+ a\n+ b\n");
    expect_unified("a\nb\n", "", "- a\n- b\n");
    expect_unified("a\nb\nc\n", "a\nx\nc\n", "  a\n- b\n+ x\n  c\n");
    expect_unified("a\nb", "a\nb\nc", "  a\n  b\n+ c\n");
    expect_unified("1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
                   "  ...\n  2\n  3\n  4\n- 5\n+ x\n  6\n  7\n  8\n  ...\n");
    /* The longest common part stays. */
    expect_unified("a\nb\nc\nd\n", "b\nc\nx\nd\na\n", "- a\n  b\n  c\n+ x\n  d\n+ a\n");
}

static void unified_views_have_colors(void **state)
{
    struct text out = TEXT_INIT;

    (void)state;
    add_unified(&out, kin_str_of("a\nb\n"), kin_str_of("a\nc\n"), true);
    take(&out, "  a\n\033[31m- b\033[0m\n\033[32m+ c\033[0m\n");
}

/* Too many lines for the table: all in between is shown as replaced. */
static void large_texts_are_replaced(void **state)
{
    struct text before = TEXT_INIT;
    struct text after = TEXT_INIT;
    struct text out = TEXT_INIT;
    size_t gone = 0;
    size_t added = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        text_format(&before, "%d\n", i);
        text_format(&after, "%d\n", i + 1);
    }
    add_unified(&out, text_view(&before), text_view(&after), false);
    for (const char *line = text_string(&out); *line; line = strchr(line, '\n') + 1) {
        gone += line[0] == '-';
        added += line[0] == '+';
    }
    assert_int_equal(gone, 3000);
    assert_int_equal(added, 3000);
    text_done(&before);
    text_done(&after);
    text_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_grow),
        cmocka_unit_test(ages_are_those_of_kubectl),
        cmocka_unit_test(ages_of_timestamps),
        cmocka_unit_test(widths),
        cmocka_unit_test(columns_are_aligned),
        cmocka_unit_test(unified_views),
        cmocka_unit_test(unified_views_have_colors),
        cmocka_unit_test(large_texts_are_replaced),
    };

    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return 77;
    return cmocka_run_group_tests_name("cli text", tests, NULL, NULL);
}
