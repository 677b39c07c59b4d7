/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A frame is made from the top: title, table, changes; the keys are its last line. How many rows the
 * parts get is decided first, by `lay_out()`: the table and one change are there from ten rows on, all
 * else comes as there is room.
 */
#include "cli/demo_view.h"

#include <stdio.h>
#include <string.h>

#include "cli/base/escape.h"
#include "cli/print/table.h"

enum style { PLAIN, BOLD, DIM, RED, GREEN, YELLOW };

static const char *const styles[] = {
    [PLAIN] = "",       [BOLD] = "\033[1m",   [DIM] = "\033[2m",
    [RED] = "\033[31m", [GREEN] = "\033[32m", [YELLOW] = "\033[33m",
};

/* A frame that is being made. */
struct frame {
    struct text *out;
    size_t rows;    /* that are left */
    size_t columns; /* of a line */
    size_t left;    /* of the line that is being made */
    bool color;
    bool has_lines;
};

/* --- lines --- */

/* The next line. False: there is no row left for it. */
static bool begin_line(struct frame *f)
{
    if (f->rows == 0)
        return false;
    if (f->has_lines)
        text_add_char(f->out, '\n');
    f->has_lines = true;
    f->rows--;
    f->left = f->columns;
    return true;
}

static void add_styled(struct frame *f, enum style style, kin_str s)
{
    bool styled = f->color && style != PLAIN && s.len > 0;

    text_add_string(f->out, styled ? styles[style] : "");
    text_add(f->out, s);
    text_add_string(f->out, styled ? "\033[0m" : "");
    f->left -= display_width(s);
}

/* As much as there is room for; what is cut ends with "…", and nothing comes behind that. */
static void add(struct frame *f, enum style style, const char *text)
{
    struct text escaped = TEXT_INIT;

    if (f->left == 0 || !text[0])
        return;
    add_escaped(&escaped, kin_str_of(text));
    kin_str s = text_view(&escaped);
    if (display_width(s) <= f->left) {
        add_styled(f, style, s);
    } else {
        add_styled(f, style, display_cut(s, f->left - 1));
        text_add_string(f->out, "…");
        f->left = 0;
    }
    text_done(&escaped);
}

static void add_spaces(struct frame *f, size_t n)
{
    n = n < f->left ? n : f->left;
    text_add_n(f->out, ' ', n);
    f->left -= n;
}

static bool fits(const struct frame *f, const char *text)
{
    return display_width(kin_str_of(text)) <= f->columns;
}

/* --- the table --- */

/* Its columns, in their order. */
enum column { NAME, STATE, OBJECTS, EVENTS, QUEUED, LAG, BYTES, N_COLUMNS };

static const struct {
    const char *header;
    size_t width;
    bool is_text; /* text is flush left, numbers are flush right */
} columns_of_table[] = {
    [NAME] = {"INFORMER", 11, true},   [STATE] = {"STATE", 8, true},
    [OBJECTS] = {"OBJECTS", 7, false}, [EVENTS] = {"EVENTS/S", 8, false},
    [QUEUED] = {"QUEUED", 6, false},   [LAG] = {"LAG", 7, false},
    [BYTES] = {"B/OBJECT", 8, false},
};
/* Which of them there is room for is asked in this order. */
static const enum column by_importance[] = {NAME, OBJECTS, EVENTS, STATE, LAG, QUEUED, BYTES};

struct columns_shown {
    bool is_shown[N_COLUMNS];
    size_t gap;
};

static struct columns_shown choose_columns(size_t width)
{
    struct columns_shown c = {{false}, width >= 80 ? 3 : 2};
    size_t used = 0;

    for (size_t i = 0; i < N_COLUMNS; i++) {
        enum column column = by_importance[i];
        size_t more = columns_of_table[column].width + (i > 0 ? c.gap : 0);

        if (used + more > width && i > 0)
            break;
        used += more;
        c.is_shown[column] = true;
    }
    return c;
}

static void add_cell(struct frame *f, const struct columns_shown *c, enum column column,
                     enum style style, const char *cell)
{
    size_t own = display_width(kin_str_of(cell));
    size_t room = columns_of_table[column].width > own ? columns_of_table[column].width - own : 0;

    if (!c->is_shown[column])
        return;
    add_spaces(f, column == NAME ? 0 : c->gap);
    if (!columns_of_table[column].is_text)
        add_spaces(f, room);
    add(f, style, cell);
    if (columns_of_table[column].is_text)
        add_spaces(f, room);
}

static void add_header(struct frame *f, const struct columns_shown *c)
{
    if (!begin_line(f))
        return;
    for (enum column i = NAME; i < N_COLUMNS; i++)
        add_cell(f, c, i, BOLD, columns_of_table[i].header);
}

static enum style style_of(kin_informer_state state)
{
    switch (state) {
    case KIN_INFORMER_WATCHING:
        return GREEN;
    case KIN_INFORMER_LISTING:
    case KIN_INFORMER_CONNECTING:
        return YELLOW;
    case KIN_INFORMER_WAITING:
        return RED;
    default:
        return DIM;
    }
}

static void add_number(struct frame *f, const struct columns_shown *c, enum column column,
                       uint64_t n)
{
    struct text cell = TEXT_INIT;

    if (column == BYTES && n == 0)
        text_add_char(&cell, '-');
    else
        add_count(&cell, n);
    add_cell(f, c, column, PLAIN, text_string(&cell));
    text_done(&cell);
}

static void add_numbers(struct frame *f, const struct columns_shown *c,
                        const struct demo_kind *kind)
{
    struct text cell = TEXT_INIT;

    add_number(f, c, OBJECTS, kind->objects);
    add_rate(&cell, kind->rate);
    add_cell(f, c, EVENTS, PLAIN, text_string(&cell));
    add_number(f, c, QUEUED, kind->queued);
    text_clear(&cell);
    add_lag(&cell, kind->lag_ns);
    add_cell(f, c, LAG, PLAIN, text_string(&cell));
    add_number(f, c, BYTES, kind->bytes);
    text_done(&cell);
}

static void add_kind(struct frame *f, const struct columns_shown *c, const struct demo_kind *kind)
{
    if (!begin_line(f))
        return;
    add_cell(f, c, NAME, PLAIN, kind->name);
    add_cell(f, c, STATE, style_of(kind->state), kin_informer_state_name(kind->state));
    add_numbers(f, c, kind);
    if (kind->error && f->left > c->gap + 8) {
        add_spaces(f, c->gap);
        add(f, RED, kind->error);
    }
}

static void add_total(struct frame *f, const struct columns_shown *c,
                      const struct demo_figures *figures)
{
    struct demo_kind all = demo_total(figures);

    if (!begin_line(f))
        return;
    add_cell(f, c, NAME, BOLD, all.name);
    add_cell(f, c, STATE, PLAIN, "");
    add_numbers(f, c, &all);
}

/* --- above and below it --- */

static void add_title(struct frame *f, const struct demo_figures *figures)
{
    struct text rest = TEXT_INIT;

    if (!begin_line(f))
        return;
    add(f, BOLD, "kinform demo");
    if (figures->is_making) {
        text_format(&rest, "  making the cluster: %u %%", figures->percent);
    } else {
        text_add_string(&rest, "  ");
        add_seconds(&rest, figures->elapsed_ns);
        if (figures->for_ns > 0) {
            text_add_string(&rest, " of ");
            add_seconds(&rest, figures->for_ns);
        }
        if (figures->sync_ns >= 0) {
            text_add_string(&rest, "  synced in ");
            add_lag(&rest, figures->sync_ns);
        }
    }
    text_add_string(&rest, "  memory ");
    add_bytes(&rest, figures->memory);
    text_format(&rest, "  %s", figures->url);
    add(f, PLAIN, text_string(&rest));
    text_done(&rest);
}

/* The path is what counts: it is the last to be cut. */
static void add_kubeconfig(struct frame *f, const struct demo_figures *figures)
{
    static const char *const forms[] = {"kubectl works on it, too: export KUBECONFIG=%s",
                                        "export KUBECONFIG=%s", "%s"};
    struct text line = TEXT_INIT;

    if (!begin_line(f))
        return;
    for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        const char *before = forms[i];

        text_clear(&line);
        text_add(&line, kin_str_make(before, strlen(before) - 2));
        text_add_string(&line, figures->kubeconfig);
        if (fits(f, text_string(&line)))
            break;
    }
    add(f, DIM, text_string(&line));
    text_done(&line);
}

static void add_keys(struct frame *f, const struct demo_figures *figures)
{
    struct text line = TEXT_INIT;

    if (!begin_line(f))
        return;
    if (figures->is_paused) {
        text_add_string(&line, "paused, ");
        add_count(&line, figures->unseen);
        text_add_string(&line, " more  space go on  q quit");
    } else {
        text_format(&line, "q quit  space pause  + - changes per second: %u  r restart the server",
                    figures->churn);
        if (!fits(f, text_string(&line))) {
            text_clear(&line);
            text_format(&line, "q quit  space  + - churn %u  r restart", figures->churn);
        }
    }
    add(f, DIM, text_string(&line));
    text_done(&line);
}

/* --- changes --- */

/* On one line, if there is room for that. */
static size_t rows_of(const struct frame *f, const struct demo_change *change)
{
    size_t width =
        display_width(kin_str_of(change->head)) + 2 + display_width(kin_str_of(change->details));

    return change->details[0] && width > f->columns ? 2 : 1;
}

static void add_change(struct frame *f, const struct demo_change *change, size_t rows)
{
    static const enum style signs[] = {
        [KIN_EVENT_ADD] = GREEN, [KIN_EVENT_UPDATE] = YELLOW, [KIN_EVENT_DELETE] = RED};
    enum { TIME_LEN = 9 }; /* "15:04:05 ", and behind it the sign */
    char time[TIME_LEN + 1] = "";
    char sign[2] = {change->head[TIME_LEN], '\0'};

    if (!begin_line(f))
        return;
    strncpy(time, change->head, TIME_LEN);
    add(f, DIM, time);
    add(f, signs[change->type], sign);
    add(f, PLAIN, change->head + TIME_LEN + 1);
    if (!change->details[0] || (rows > 1 && !begin_line(f)))
        return;
    /* Where that would leave nothing of the row, a little has to do. */
    size_t indent = TIME_LEN + 2;
    if (f->columns < indent * 2)
        indent = f->columns / 8;
    add_spaces(f, rows > 1 ? indent : 2);
    add(f, DIM, change->details);
}

/* As many of the newest as there is room for, the newest last. For the oldest a row has to do, if need be. */
static void add_changes(struct frame *f, const struct demo_figures *figures, size_t rows)
{
    size_t first = figures->n_changes;
    size_t used = 0;
    bool is_cut = false;

    while (first > 0 && used < rows) {
        size_t more = rows_of(f, &figures->changes[--first]);

        is_cut = used + more > rows;
        used += is_cut ? 1 : more;
    }
    for (size_t i = first; i < figures->n_changes; i++) {
        const struct demo_change *change = &figures->changes[i];

        if (rows > 0)
            add_change(f, change, i == first && is_cut ? 1 : rows_of(f, change));
    }
    for (; used < rows; used++)
        (void)begin_line(f);
}

/* --- all of it --- */

struct layout {
    bool has_gaps;  /* lines between the parts */
    bool has_note;  /* in the second of them, or instead of a change */
    bool has_total; /* a last line in the table */
    bool has_keys;
    size_t changes; /* rows for them */
};

static struct layout lay_out(size_t rows, bool has_note)
{
    size_t fixed = 2 + 1 + DEMO_KINDS; /* title, kubeconfig, the table */
    struct layout l = {rows >= 16, false, rows >= 14, rows > fixed, 0};

    fixed += (l.has_gaps ? 3u : 0) + l.has_total + l.has_keys;
    l.changes = rows > fixed ? rows - fixed : 0;
    l.has_note = has_note && (l.has_gaps || l.changes > 0);
    l.changes -= l.has_note && !l.has_gaps;
    return l;
}

void demo_view_add(struct text *out, const struct demo_figures *figures, size_t rows,
                   size_t columns, bool color)
{
    struct frame f = {out, rows, columns, columns, color, false};
    struct columns_shown c = choose_columns(columns);
    struct layout l = lay_out(rows, figures->note != NULL);

    add_title(&f, figures);
    add_kubeconfig(&f, figures);
    if (l.has_gaps)
        (void)begin_line(&f);
    add_header(&f, &c);
    for (size_t i = 0; i < DEMO_KINDS; i++)
        add_kind(&f, &c, &figures->kinds[i]);
    if (l.has_total)
        add_total(&f, &c, figures);
    if ((l.has_gaps || l.has_note) && begin_line(&f) && l.has_note)
        add(&f, YELLOW, figures->note);
    add_changes(&f, figures, l.changes);
    if (l.has_gaps)
        (void)begin_line(&f);
    if (l.has_keys)
        add_keys(&f, figures);
}
