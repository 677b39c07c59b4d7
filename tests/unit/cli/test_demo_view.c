/* SPDX-License-Identifier: Apache-2.0 */
/* Frames of kinform demo: what is in them, and that they fit every terminal. */
#include "kin_test.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "cli/demo_view.h"
#include "cli/print/table.h"
#include "demo_sample.h"

enum { ROWS_MAX = 64 };

/* A frame, line by line. */
struct lines {
    struct text text;
    char *items[ROWS_MAX]; /* BORROWED from `text` */
    size_t len;
};

static void draw(struct lines *ret, const struct demo_figures *f, size_t rows, size_t columns,
                 bool color)
{
    *ret = (struct lines){TEXT_INIT, {NULL}, 0};
    demo_view_add(&ret->text, f, rows, columns, color);
    for (char *at = ret->text.data; at && ret->len < ROWS_MAX;) {
        char *end = strchr(at, '\n');

        ret->items[ret->len++] = at;
        if (end)
            *end = '\0';
        at = end ? end + 1 : NULL;
    }
}

static void expect(const struct lines *lines, size_t first, const char *const *expected, size_t n)
{
    for (size_t i = 0; i < n; i++)
        assert_string_equal(lines->items[first + i], expected[i]);
}
#define EXPECT(lines, first, ...)                                                                  \
    do {                                                                                           \
        const char *const expected_[] = {__VA_ARGS__};                                             \
        expect(lines, first, expected_, sizeof(expected_) / sizeof(expected_[0]));                 \
    } while (0)

static void a_frame_with_room_for_all(void **state)
{
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    draw(&l, &f, 18, 100, false);
    assert_int_equal(l.len, 18);
    EXPECT(
        &l, 0, "kinform demo  8s  synced in 22 ms  memory 31 MiB  http://127.0.0.1:4321",
        "kubectl works on it, too: export KUBECONFIG=/tmp/kinform-AbCdEf/kubeconfig", "",
        "INFORMER      STATE      OBJECTS   EVENTS/S   QUEUED       LAG   B/OBJECT",
        "pods          watching     1,200       12.4        3    0.2 ms        520",
        "nodes         watching        10        0.1        0         -        280",
        "deployments   listing         12        1.2        0         -        204",
        "replicasets   waiting         12        1.3        0         -        213   no connection",
        "leases        new              0        0.0        0         -          -",
        "all                        1,234       15.0        3    0.2 ms        511", "",
        "15:04:05 + pod shop/cart-1  0/1  Pending  0",
        "15:04:06 ~ pod shop/cart-1  status.phase: Pending → Running", "15:04:07 - pod shop/cart-0",
        "", "", "", "q quit  space pause  + - changes per second: 10  r restart the server");
    text_done(&l.text);
}

static void columns_that_find_no_room_are_left_out(void **state)
{
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    draw(&l, &f, 10, 40, false);
    assert_int_equal(l.len, 10);
    EXPECT(&l, 0, "kinform demo  8s  synced in 22 ms  memo…", "/tmp/kinform-AbCdEf/kubeconfig",
           "INFORMER     STATE     OBJECTS  EVENTS/S", "pods         watching    1,200      12.4",
           "nodes        watching       10       0.1", "deployments  listing        12       1.2",
           "replicasets  waiting        12       1.3", "leases       new             0       0.0",
           "15:04:07 - pod shop/cart-0", "q quit  space  + - churn 10  r restart");
    text_done(&l.text);
    draw(&l, &f, 10, 30, false);
    EXPECT(&l, 2, "INFORMER     OBJECTS  EVENTS/S");
    text_done(&l.text);
}

/* Without colours, which take no room. */
static size_t width_of(const char *line)
{
    size_t width = 0;

    for (const char *at = line; *at;) {
        size_t len = strcspn(at, "\033");

        width += display_width(kin_str_make(at, len));
        at += len;
        at += *at ? strcspn(at, "m") + 1 : 0;
    }
    return width;
}

static void expect_fit(const struct demo_figures *f, size_t rows, size_t columns, bool color)
{
    struct lines l;

    draw(&l, f, rows, columns, color);
    if (l.len != rows)
        fail_msg("%zu lines in %zu rows", l.len, rows);
    for (size_t i = 0; i < l.len; i++) {
        if (width_of(l.items[i]) > columns)
            fail_msg("%zu columns: %s", columns, l.items[i]);
        if (!color)
            assert_null(strchr(l.items[i], '\033'));
    }
    text_done(&l.text);
}

static void frames_fit_every_terminal(void **state)
{
    const struct demo_change wide[] = {
        {KIN_EVENT_UPDATE, "15:04:06 ~ configmap shop/名前",
         "data.greeting: 今日は → こんにちは世界"},
        {KIN_EVENT_UPDATE, "15:04:06 ~ pod a/b", "x: e\u0301 → 今"},
    };
    struct demo_figures f = sample_figures();

    (void)state;
    f.for_ns = INT64_C(20000000000);
    for (size_t rows = 1; rows < 40; rows++) {
        for (size_t columns = 1; columns < 130; columns++) {
            f.changes = sample_changes;
            f.n_changes = 3;
            f.note = columns % 2 ? "The server was lost" : NULL;
            expect_fit(&f, rows, columns, false);
            expect_fit(&f, rows, columns, true);
            f.changes = wide;
            f.n_changes = 2;
            expect_fit(&f, rows, columns, false);
            expect_fit(&f, rows, columns, true);
        }
    }
}

static void wide_characters_are_cut_whole(void **state)
{
    const struct demo_change change = {KIN_EVENT_UPDATE, "15:04:06 ~ pod a/b", "x: 今日は世界"};
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    f.changes = &change;
    f.n_changes = 1;
    /* Eleven spaces, "x: ", and eight or nine columns, of which one is for the dots. */
    draw(&l, &f, 11, 22, false);
    EXPECT(&l, 8, "15:04:06 ~ pod a/b", "           x: 今日は…");
    text_done(&l.text);
    draw(&l, &f, 11, 23, false);
    EXPECT(&l, 8, "15:04:06 ~ pod a/b", "           x: 今日は世…");
    text_done(&l.text);
}

static void long_changes_take_two_rows(void **state)
{
    const struct demo_change changes[] = {
        {KIN_EVENT_ADD, "15:04:05 + pod a/oldest", ""},
        {KIN_EVENT_UPDATE, "15:04:06 ~ pod a/b", "spec.nodeName: none → node-0001"},
        {KIN_EVENT_UPDATE, "15:04:07 ~ pod a/c", "spec.nodeName: none → node-0002"},
        {KIN_EVENT_DELETE, "15:04:08 - pod a/d", ""},
    };
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    f.changes = changes;
    f.n_changes = 4;
    draw(&l, &f, 14, 48, false); /* four rows for changes: one has to do for the oldest */
    EXPECT(&l, 9, "15:04:06 ~ pod a/b  spec.nodeName: none → node-…", "15:04:07 ~ pod a/c",
           "           spec.nodeName: none → node-0002", "15:04:08 - pod a/d");
    text_done(&l.text);
    draw(&l, &f, 13, 60, false); /* wide enough: a row each */
    EXPECT(&l, 8, "15:04:05 + pod a/oldest", "15:04:06 ~ pod a/b  spec.nodeName: none → node-0001",
           "15:04:07 ~ pod a/c  spec.nodeName: none → node-0002", "15:04:08 - pod a/d");
    text_done(&l.text);
}

static void narrow_terminals_show_something_of_the_second_row(void **state)
{
    const struct demo_change change = {KIN_EVENT_UPDATE, "15:04:06 ~ pod a/b", "spec.x: 1 → 2"};
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    f.changes = &change;
    f.n_changes = 1;
    draw(&l, &f, 11, 10, false);
    EXPECT(&l, 8, "15:04:06 ~", " spec.x: …");
    text_done(&l.text);
}

static void a_note_has_a_line_of_its_own(void **state)
{
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    f.note = "The server was restarted; 5 wait and try again: refused";
    draw(&l, &f, 18, 80, false);
    assert_int_equal(l.len, 18);
    EXPECT(&l, 10, "The server was restarted; 5 wait and try again: refused",
           "15:04:05 + pod shop/cart-1  0/1  Pending  0");
    text_done(&l.text);
    draw(&l, &f, 11, 80, false); /* two rows for changes: the note takes one of them */
    EXPECT(&l, 8, "The server was restarted; 5 wait and try again: refused",
           "15:04:07 - pod shop/cart-0");
    text_done(&l.text);
}

static void colors_say_how_it_is(void **state)
{
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    draw(&l, &f, 18, 100, true);
    assert_non_null(strstr(l.items[4], "\033[32mwatching\033[0m"));
    assert_non_null(strstr(l.items[6], "\033[33mlisting\033[0m"));
    assert_non_null(strstr(l.items[7], "\033[31mwaiting\033[0m"));
    assert_non_null(strstr(l.items[11], "\033[32m+\033[0m pod"));
    assert_non_null(strstr(l.items[12], "\033[33m~\033[0m pod"));
    assert_non_null(strstr(l.items[13], "\033[31m-\033[0m pod"));
    text_done(&l.text);
}

static void the_title_and_the_keys_say_what_is_going_on(void **state)
{
    struct demo_figures f = sample_figures();
    struct lines l;

    (void)state;
    f.for_ns = INT64_C(20000000000);
    f.is_paused = true;
    f.unseen = 1234;
    draw(&l, &f, 18, 100, false);
    EXPECT(&l, 0, "kinform demo  8s of 20s  synced in 22 ms  memory 31 MiB  http://127.0.0.1:4321");
    EXPECT(&l, 17, "paused, 1,234 more  space go on  q quit");
    text_done(&l.text);
    f.sync_ns = -1;
    f.for_ns = 0;
    draw(&l, &f, 18, 100, false);
    EXPECT(&l, 0, "kinform demo  8s  memory 31 MiB  http://127.0.0.1:4321");
    text_done(&l.text);
    f.is_making = true;
    f.percent = 42;
    draw(&l, &f, 18, 100, false);
    EXPECT(&l, 0, "kinform demo  making the cluster: 42 %  memory 31 MiB  http://127.0.0.1:4321");
    text_done(&l.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_frame_with_room_for_all),
        cmocka_unit_test(columns_that_find_no_room_are_left_out),
        cmocka_unit_test(frames_fit_every_terminal),
        cmocka_unit_test(wide_characters_are_cut_whole),
        cmocka_unit_test(long_changes_take_two_rows),
        cmocka_unit_test(narrow_terminals_show_something_of_the_second_row),
        cmocka_unit_test(a_note_has_a_line_of_its_own),
        cmocka_unit_test(colors_say_how_it_is),
        cmocka_unit_test(the_title_and_the_keys_say_what_is_going_on),
    };

    if (!setlocale(LC_CTYPE, "C.UTF-8"))
        return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
