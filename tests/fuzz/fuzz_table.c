/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text for terminals: nothing that makes a terminal do things is left of it, what is harmless stays, a cut
 * fits; and tables of it have their columns below each other.
 */
#include <locale.h>

#include "cli/base/escape.h"
#include "cli/print/table.h"
#include "fuzz_show.h"

static void check_escaped(kin_str s)
{
    struct text once = TEXT_INIT;
    struct text twice = TEXT_INIT;

    add_escaped(&once, s);
    fuzz_check_shown(text_view(&once), false);
    add_escaped(&twice, text_view(&once));
    FUZZ_CHECK(kin_str_equal(text_view(&once), text_view(&twice)));
    size_t width = display_width(text_view(&once));
    for (size_t columns = 0; columns <= width && columns < 20; columns++) {
        kin_str cut = display_cut(text_view(&once), columns);

        FUZZ_CHECK(display_width(cut) <= columns && cut.len <= once.len);
        FUZZ_CHECK(cut.len == once.len || columns - display_width(cut) < 2);
    }
    FUZZ_CHECK(display_cut(text_view(&once), width).len == once.len);
    text_done(&once);
    text_done(&twice);
}

static void check_table(fuzz_input in)
{
    size_t n_columns = 1 + fuzz_byte(&in) % 5;
    size_t n_rows = fuzz_byte(&in) % 6;
    struct text out = TEXT_INIT;
    struct table table;
    size_t n_lines = 0;

    table_init(&table, n_columns);
    for (size_t i = 0; i < n_rows * n_columns; i++)
        table_add(&table, i % n_columns + 1 < n_columns ? fuzz_str(&in) : kin_str_of("|"));
    table_print(&table, &out, false);
    fuzz_check_shown(text_view(&out), true);
    size_t width = 0;
    for (size_t start = 0; start < out.len; n_lines++) {
        const char *end = memchr(out.data + start, '\n', out.len - start);

        FUZZ_CHECK(end && end > out.data + start && end[-1] == '|');
        size_t own =
            display_width(kin_str_make(out.data + start, (size_t)(end - out.data) - start));
        FUZZ_CHECK(n_lines == 0 || own == width);
        width = own;
        start = (size_t)(end - out.data) + 1;
    }
    FUZZ_CHECK(n_lines == n_rows);
    table_done(&table);
    text_done(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};

    setlocale(LC_CTYPE, "C.UTF-8");
    check_escaped(kin_str_make((const char *)data, size));
    check_table(in);
    return 0;
}
