/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unified views of texts: three lines around each change and no more, as few lines as can be that are gone and new, which
 * is looked at next to a reference that tries everything.
 */
#include <string.h>

#include "cli/unified.h"
#include "kin_test.h"
#include "rng.h"

/* Lines "prefix N", from `first` to `last`. */
static void add_lines(struct text *out, const char *prefix, int first, int last)
{
    for (int i = first; i <= last; i++)
        text_format(out, "%s%d\n", prefix, i);
}

static void expect(const struct text *before, const struct text *after, const char *expected)
{
    struct text out = TEXT_INIT;

    add_unified(&out, text_view(before), text_view(after), false);
    assert_string_equal(text_string(&out), expected);
    text_done(&out);
}

static void three_lines_stand_around_a_change(void **state)
{
    struct text before = TEXT_INIT;
    struct text after = TEXT_INIT;
    struct text wanted = TEXT_INIT;

    (void)state;
    add_lines(&before, "", 1, 40);
    add_lines(&after, "", 1, 19);
    add_lines(&after, "", 21, 40);
    text_add_string(&wanted, "  ...\n");
    add_lines(&wanted, "  ", 17, 19);
    text_add_string(&wanted, "- 20\n");
    add_lines(&wanted, "  ", 21, 23);
    text_add_string(&wanted, "  ...\n");
    expect(&before, &after, text_string(&wanted));
    text_done(&before);
    text_done(&after);
    text_done(&wanted);
}

/* Seven lines between two changes: six are shown. Six: all, and nothing is left out. */
static void changes_far_from_each_other_are_apart(void **state)
{
    (void)state;
    for (int between = 5; between <= 9; between++) {
        struct text before = TEXT_INIT;
        struct text after = TEXT_INIT;
        struct text wanted = TEXT_INIT;

        text_add_string(&before, "a\n");
        add_lines(&before, "", 1, between);
        text_add_string(&before, "b\n");
        add_lines(&after, "", 1, between);
        text_add_string(&wanted, "- a\n");
        add_lines(&wanted, "  ", 1, between > 6 ? 3 : between);
        if (between > 6) {
            text_add_string(&wanted, "  ...\n");
            add_lines(&wanted, "  ", between - 2, between);
        }
        text_add_string(&wanted, "- b\n");
        expect(&before, &after, text_string(&wanted));
        text_done(&before);
        text_done(&after);
        text_done(&wanted);
    }
}

/* Common lines, by trying everything. */
static size_t most_common(const char *a, const char *b)
{
    size_t best;
    size_t other;

    if (!*a || !*b)
        return 0;
    if (*a == *b)
        return 1 + most_common(a + 1, b + 1);
    best = most_common(a + 1, b);
    other = most_common(a, b + 1);
    return best > other ? best : other;
}

static void add_letters(struct text *out, const char *letters)
{
    for (; *letters; letters++)
        text_format(out, "%c\n", *letters);
}

/* Letters as lines. False: some are left out, and nobody can tell. */
static bool check(const char *a, const char *b)
{
    struct text before = TEXT_INIT;
    struct text after = TEXT_INIT;
    struct text out = TEXT_INIT;
    char kept[32] = "";
    char added[32] = "";
    size_t n_same = 0;

    add_letters(&before, a);
    add_letters(&after, b);
    add_unified(&out, text_view(&before), text_view(&after), false);
    bool is_whole = !strstr(text_string(&out), "...");
    for (const char *line = text_string(&out); is_whole && *line; line += 4) {
        assert_true(line[1] == ' ' && line[3] == '\n');
        if (line[0] != '+')
            kept[strlen(kept)] = line[2];
        if (line[0] != '-')
            added[strlen(added)] = line[2];
        n_same += line[0] == ' ';
    }
    if (is_whole) {
        assert_string_equal(kept, a);
        assert_string_equal(added, b);
        assert_int_equal(n_same, most_common(a, b));
    }
    text_done(&before);
    text_done(&after);
    text_done(&out);
    return is_whole;
}

static void no_line_is_said_to_change_that_may_stay(void **state)
{
    kin_test_rng rng = {1};
    int n_checked = 0;

    (void)state;
    assert_true(check("xabcdefy", "zabcdefw"));
    assert_true(check("abcab", "cab"));
    for (int round = 0; round < 2000; round++) {
        char a[9] = "";
        char b[9] = "";

        for (size_t i = kin_test_below(&rng, 8); i-- > 0;)
            a[i] = (char)('a' + kin_test_below(&rng, 3));
        for (size_t i = kin_test_below(&rng, 8); i-- > 0;)
            b[i] = (char)('a' + kin_test_below(&rng, 3));
        n_checked += strcmp(a, b) != 0 && check(a, b);
    }
    assert_true(n_checked > 1500);
}

static void colors_are_of_changed_lines_alone(void **state)
{
    struct text out = TEXT_INIT;

    (void)state;
    add_unified(&out, kin_str_of("1\n2\n3\n4\n5\nb\n"), kin_str_of("1\n2\n3\n4\n5\nc\nd\n"), true);
    assert_string_equal(text_string(&out), "  ...\n  3\n  4\n  5\n\033[31m- b\033[0m\n"
                                           "\033[32m+ c\033[0m\n\033[32m+ d\033[0m\n");
    text_done(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_lines_stand_around_a_change),
        cmocka_unit_test(changes_far_from_each_other_are_apart),
        cmocka_unit_test(no_line_is_said_to_change_that_may_stay),
        cmocka_unit_test(colors_are_of_changed_lines_alone),
    };

    return cmocka_run_group_tests_name("cli unified", tests, NULL, NULL);
}
