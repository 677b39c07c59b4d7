/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diffs of lines: kept and new lines are the new text, kept and old ones the old text, but for the parts
 * that are left out, which are the same in both; and colours change nothing else.
 */
#include "cli/unified.h"
#include "fuzz_show.h"

/* The next line, and what is behind it. */
static kin_str take_line(kin_str *rest)
{
    const char *end = rest->len > 0 ? memchr(rest->data, '\n', rest->len) : NULL;
    size_t len = end ? (size_t)(end - rest->data) : rest->len;
    kin_str line = kin_str_make(rest->data, len);

    len += end != NULL;
    *rest = kin_str_make(rest->data + len, rest->len - len);
    return line;
}

/* A line of the diff is that of the text. A text may have a line of dots, too: `mark` is its first byte. */
static void expect_line(kin_str *text, kin_str line)
{
    FUZZ_CHECK(text->len > 0);
    kin_str own = take_line(text);
    FUZZ_CHECK(kin_str_equal(own, line));
}

/* Equal lines, up to where the rest of the diff goes on; their number is not told. */
static void skip_equal(kin_str *before, kin_str *after, size_t n)
{
    while (n-- > 0) {
        FUZZ_CHECK(before->len > 0);
        kin_str old = take_line(before);
        FUZZ_CHECK(after->len > 0 && kin_str_equal(old, take_line(after)));
    }
}

static size_t count_lines(kin_str text)
{
    size_t n = 0;

    for (; text.len > 0; n++)
        take_line(&text);
    return n;
}

/* How many lines of a text are in the rest of the diff. */
static size_t count_told(kin_str diff, char mark)
{
    size_t n = 0;

    while (diff.len > 0) {
        kin_str line = take_line(&diff);

        n += !kin_str_equal(line, kin_str_of("  ...")) &&
             (line.data[0] == mark || line.data[0] == ' ');
    }
    return n;
}

/* Only one part can be left out for the number of its lines to be known: those in front, say. */
static void check(kin_str before, kin_str after, kin_str diff)
{
    size_t n_gaps = 0;

    for (kin_str rest = diff; rest.len > 0;)
        n_gaps += kin_str_equal(take_line(&rest), kin_str_of("  ..."));
    while (diff.len > 0) {
        kin_str line = take_line(&diff);

        FUZZ_CHECK(line.len >= 2 && line.data[1] == ' ' && strchr("-+ ", line.data[0]));
        if (kin_str_equal(line, kin_str_of("  ..."))) {
            if (n_gaps > 1)
                return;
            size_t left = count_lines(before);
            size_t told = count_told(diff, '-');
            FUZZ_CHECK(left >= told);
            skip_equal(&before, &after, left - told);
            continue;
        }
        kin_str rest = kin_str_make(line.data + 2, line.len - 2);
        if (line.data[0] != '+')
            expect_line(&before, rest);
        if (line.data[0] != '-')
            expect_line(&after, rest);
    }
    FUZZ_CHECK(before.len == 0 && after.len == 0);
}

static bool has(kin_str text, const char *part)
{
    return text.len > 0 && memmem(text.data, text.len, part, strlen(part));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    size_t len = (size_t)fuzz_byte(&in) * in.len / 255;
    kin_str before = kin_str_make((const char *)in.data, len);
    kin_str after = kin_str_make((const char *)in.data + len, in.len - len);
    struct text plain = TEXT_INIT;
    struct text colored = TEXT_INIT;

    add_unified(&plain, before, after, false);
    add_unified(&colored, before, after, true);
    /* A line of a text that looks like what is left out. Text of zeros is none. */
    if (!has(before, "...") && !has(after, "...") && !memchr(data, 0, size))
        check(before, after, text_view(&plain));
    if (!has(before, "\033") && !has(after, "\033")) {
        struct text bare = TEXT_INIT;

        for (kin_str rest = text_view(&colored); rest.len > 0;) {
            bool is_escape = rest.data[0] == '\033';
            const char *end = is_escape ? memchr(rest.data, 'm', rest.len) : rest.data;

            FUZZ_CHECK(end);
            if (!is_escape)
                text_add_char(&bare, *end);
            rest = kin_str_make(end + 1, rest.len - (size_t)(end + 1 - rest.data));
        }
        FUZZ_CHECK(kin_str_equal(text_view(&bare), text_view(&plain)));
        text_done(&bare);
    }
    text_done(&plain);
    text_done(&colored);
    return 0;
}
