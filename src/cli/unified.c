/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longest common subsequence of lines, by the table that every book has, over what is left when equal
 * lines at both ends are taken off. Where that would be too large a table, all lines in between are
 * shown as replaced.
 */
#include "cli/unified.h"

#include <stdlib.h>

enum { CONTEXT = 3, TABLE_MAX = 4000000 };

struct lines {
    kin_str *items; /* OWNED */
    size_t len;
};

/* What is written, in order. */
struct script {
    struct text *out;
    bool color;
    char *marks; /* OWNED; of each line of the result: ' ', '-' or '+' */
    kin_str *lines;
    size_t len;
};

static void split(struct lines *ret, kin_str text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == '\n';
    ret->items = memory_zeroed(n + 1, sizeof(*ret->items));
    ret->len = 0;
    for (size_t start = 0; start < text.len;) {
        const char *end = memchr(text.data + start, '\n', text.len - start);
        size_t len = end ? (size_t)(end - text.data) - start : text.len - start;

        ret->items[ret->len++] = kin_str_make(text.data + start, len);
        start += len + 1;
    }
}

static void add_line(struct script *s, char mark, kin_str line)
{
    s->marks[s->len] = mark;
    s->lines[s->len++] = line;
}

/* table[i][j]: how many lines of a behind i and of b behind j are common. */
static void add_middle(struct script *s, const kin_str *a, size_t n, const kin_str *b, size_t m)
{
    size_t width = m + 1;
    bool is_small = n > 0 && m > 0 && n < TABLE_MAX / (m + 1);
    unsigned *table = is_small ? memory_zeroed((n + 1) * width, sizeof(*table)) : NULL;
    size_t i = 0;
    size_t j = 0;

    for (size_t r = n; is_small && r-- > 0;) {
        for (size_t c = m; c-- > 0;) {
            unsigned down = table[(r + 1) * width + c];
            unsigned right = table[r * width + c + 1];

            table[r * width + c] = kin_str_equal(a[r], b[c]) ? table[(r + 1) * width + c + 1] + 1
                                   : down > right            ? down
                                                             : right;
        }
    }
    while (i < n || j < m) {
        if (is_small && i < n && j < m && kin_str_equal(a[i], b[j])) {
            add_line(s, ' ', a[i]);
            i++;
            j++;
        } else if (i < n && (j == m || !is_small ||
                             table[(i + 1) * width + j] >= table[i * width + j + 1])) {
            add_line(s, '-', a[i++]);
        } else {
            add_line(s, '+', b[j++]);
        }
    }
    free(table);
}

/* Whether a line that is the same is near one that is not. */
static bool is_near(const struct script *s, size_t at)
{
    size_t from = at > CONTEXT ? at - CONTEXT : 0;
    size_t to = at + CONTEXT < s->len ? at + CONTEXT : s->len - 1;

    for (size_t i = from; i <= to; i++) {
        if (s->marks[i] != ' ')
            return true;
    }
    return false;
}

static void print_line(const struct script *s, size_t i)
{
    const char *color = s->marks[i] == '-' ? "\033[31m" : "\033[32m";
    bool colored = s->color && s->marks[i] != ' ';

    text_format(s->out, "%s%c %" KIN_STR_FMT "%s\n", colored ? color : "", s->marks[i],
                KIN_STR_ARG(s->lines[i]), colored ? "\033[0m" : "");
}

static void print(const struct script *s)
{
    bool is_cut = false;

    for (size_t i = 0; i < s->len; i++) {
        bool shown = is_near(s, i);

        if (shown)
            print_line(s, i);
        else if (!is_cut)
            text_add_string(s->out, "  ...\n");
        is_cut = !shown;
    }
}

void add_unified(struct text *out, kin_str before, kin_str after, bool color)
{
    struct lines a;
    struct lines b;
    size_t first = 0;
    size_t last = 0;

    split(&a, before);
    split(&b, after);
    size_t least = a.len < b.len ? a.len : b.len;
    while (first < least && kin_str_equal(a.items[first], b.items[first]))
        first++;
    while (last < least - first &&
           kin_str_equal(a.items[a.len - 1 - last], b.items[b.len - 1 - last]))
        last++;
    struct script s = {out, color, memory_zeroed(a.len + b.len, 1),
                       memory_zeroed(a.len + b.len, sizeof(kin_str)), 0};
    for (size_t i = 0; i < first; i++)
        add_line(&s, ' ', a.items[i]);
    add_middle(&s, a.items + first, a.len - first - last, b.items + first, b.len - first - last);
    for (size_t i = a.len - last; i < a.len; i++)
        add_line(&s, ' ', a.items[i]);
    if (s.len > 0)
        print(&s);
    free(s.marks);
    free(s.lines);
    free(a.items);
    free(b.items);
}
