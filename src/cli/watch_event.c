/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/watch_event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/base/escape.h"
#include "cli/changes.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/print/columns.h"
#include "cli/print/printer_table.h"
#include "cli/print/table.h"
#include "cli/unified.h"
#include "kinform/diff.h"
#include "kinform/editor.h"
#include "kinform/memory.h"
#include "kinform/yaml.h"

enum { VALUE_MAX = 60, CHANGES_MAX = 6 };

/* --- what has changed --- */

/* How much of a change is told. More only if there would be nothing to tell, or if all is asked for. */
enum detail {
    DETAIL_USUAL,
    DETAIL_MESSAGES, /* of conditions and the like, and reasons beside a status that has changed, too */
    DETAIL_TIMES,       /* of the same: something that tells more changes beside them */
    DETAIL_GENERATIONS, /* the same */
    DETAIL_VERSIONS,    /* they change with every write */
    N_DETAILS,
};

static bool ends_with(kin_str path, const char *end)
{
    size_t len = strlen(end);

    return path.len >= len && memcmp(path.data + path.len - len, end, len) == 0;
}

static bool is_below(kin_str path, const char *top)
{
    size_t len = strlen(top);

    return path.len >= len && memcmp(path.data, top, len) == 0 &&
           (path.len == len || strchr(".[", path.data[len]));
}

/*
 * Whether the status of the same item has changed, too. What is in an item stands together; where others are called the
 * same, the next reason is another one's.
 */
static bool has_status_beside(const struct changes *all, size_t reason)
{
    const char *path = all->items[reason].path;
    size_t len = strlen(path) - strlen("reason");

    for (size_t i = reason; i > 0; i--) {
        const char *other = all->items[i - 1].path;

        if (strncmp(other, path, len) != 0 || strcmp(other, path) == 0)
            break;
        if (strcmp(other + len, "status") == 0)
            return true;
    }
    for (size_t i = reason + 1; i < all->len; i++) {
        const char *other = all->items[i].path;

        if (strncmp(other, path, len) != 0 || strcmp(other, path) == 0)
            break;
        if (strcmp(other + len, "status") == 0)
            return true;
    }
    return false;
}

static enum detail detail_of(const struct changes *all, size_t change)
{
    kin_str path = kin_str_of(all->items[change].path);

    static const struct {
        const char *path;
        enum detail detail;
    } details[] = {
        {"metadata.generation", DETAIL_GENERATIONS},
        {"status.observedGeneration", DETAIL_GENERATIONS},
        {"metadata.resourceVersion", DETAIL_VERSIONS},
        {"metadata.managedFields", DETAIL_VERSIONS},
    };
    static const char *const times[] = {".lastTransitionTime", ".lastUpdateTime",
                                        ".lastHeartbeatTime", ".lastProbeTime"};

    for (size_t i = 0; i < sizeof(details) / sizeof(details[0]); i++) {
        if (is_below(path, details[i].path))
            return details[i].detail;
    }
    for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
        if (ends_with(path, times[i]))
            return DETAIL_TIMES;
    }
    if (is_below(path, "status") &&
        (ends_with(path, ".message") ||
         (ends_with(path, ".reason") && has_status_beside(all, change))))
        return DETAIL_MESSAGES;
    return DETAIL_USUAL;
}

/* Whether it comes before others where there is no room for all: what a phase, a status, a state is. */
static bool is_preferred(kin_str path)
{
    return ends_with(path, ".phase") || ends_with(path, ".status") || ends_with(path, ".state") ||
           strstr(path.data, ".state.");
}

/* At a character's beginning, so that none is cut. */
static kin_str cut(kin_str s, size_t len)
{
    if (s.len <= len)
        return s;
    while (len > 0 && ((unsigned char)s.data[len] & 0xc0) == 0x80)
        len--;
    return kin_str_make(s.data, len);
}

static void add_value(struct text *out, kin_value value, bool whole)
{
    const struct jsonpath_value v = {JSONPATH_VALUE, value, {NULL, 0}, 0, NULL};
    struct text text = TEXT_INIT;

    if (kin_value_type(value) == KIN_NONE) {
        text_add_string(out, "none");
        return;
    }
    jsonpath_value_print(&text, &v);
    kin_str shown = whole ? text_view(&text) : cut(text_view(&text), VALUE_MAX);
    add_escaped(out, shown);
    if (shown.len < text.len)
        text_add_string(out, "…");
    if (text.len == 0)
        text_add_string(out, "\"\"");
    text_done(&text);
}

static void add_change(struct text *out, const struct change *change, bool is_first, bool whole)
{
    text_add_string(out, is_first ? "  " : ", ");
    add_escaped(out, kin_str_of(change->path));
    text_add_string(out, ": ");
    add_value(out, change->before, whole);
    text_add_string(out, " → ");
    add_value(out, change->after, whole);
}

/* Changes up to this detail, and how many of them are preferred. */
static size_t count_changes(const struct changes *all, enum detail detail, size_t *ret_preferred)
{
    size_t n = 0;

    *ret_preferred = 0;
    for (size_t i = 0; i < all->len; i++) {
        kin_str path = kin_str_of(all->items[i].path);

        if (detail_of(all, i) <= detail) {
            n++;
            *ret_preferred += is_preferred(path);
        }
    }
    return n;
}

static void add_changes(const struct watch_view *view, struct text *out, const kin_event *event)
{
    bool whole = view->printer.format == FORMAT_WIDE;
    enum detail detail = whole ? DETAIL_TIMES : DETAIL_USUAL;
    struct changes all;
    size_t preferred = 0;

    changes_find(&all, event->old_object, event->object);
    size_t n = count_changes(&all, detail, &preferred);
    while (n == 0 && ++detail < N_DETAILS)
        n = count_changes(&all, detail, &preferred);
    size_t room = whole || n < CHANGES_MAX ? n : CHANGES_MAX;
    size_t others = preferred < room ? room - preferred : 0;
    size_t shown = 0;
    for (size_t i = 0; i < all.len && shown < room; i++) {
        kin_str path = kin_str_of(all.items[i].path);

        if (detail_of(&all, i) > detail || (!is_preferred(path) && others == 0))
            continue;
        others -= !is_preferred(path);
        add_change(out, &all.items[i], shown++ == 0, whole);
    }
    if (n > room)
        text_format(out, ", and %zu more", n - room);
    changes_done(&all);
}

static void add_fields(const struct watch_view *view, struct text *out, const kin_object *object)
{
    for (size_t i = 0; i < view->printer.n_fields; i++) {
        struct text cell = TEXT_INIT;

        (void)custom_column_print(&view->printer.fields[i], &cell, object, NULL);
        text_add_string(out, "  ");
        add_escaped(out, text_view(&cell));
        text_done(&cell);
    }
}

/* Of what is new: what a table would say. */
static void add_summary(const struct watch_view *view, struct text *out,
                        const kin_resource *resource, const kin_object *object)
{
    const struct columns *columns =
        columns_of(kin_resource_group(resource), kin_resource_name(resource));

    for (size_t i = 0; i < columns->len; i++) {
        const struct column *column = &columns->items[i];
        struct text cell = TEXT_INIT;

        if (((column->flags & COLUMN_WIDE) && view->printer.format != FORMAT_WIDE) ||
            strcmp(column->header, "AGE") == 0)
            continue;
        column_print(column, &cell, object, (int64_t)time(NULL));
        text_add_string(out, cell.len > 0 ? "  " : "");
        add_escaped(out, text_view(&cell));
        text_done(&cell);
    }
}

/* --- lines --- */

static void add_time(struct text *out, int64_t unix_s)
{
    char buf[16];
    time_t at = (time_t)unix_s;
    struct tm tm;

    localtime_r(&at, &tm);
    strftime(buf, sizeof(buf), "%H:%M:%S", &tm);
    text_add_string(out, buf);
}

static void add_sign(const struct watch_view *view, struct text *out, kin_event_type type)
{
    static const struct {
        const char *sign;
        const char *color;
    } signs[] = {
        [KIN_EVENT_ADD] = {"+", "\033[32m"},
        [KIN_EVENT_UPDATE] = {"~", "\033[33m"},
        [KIN_EVENT_DELETE] = {"-", "\033[31m"},
    };

    text_format(out, " %s%s%s ", view->color ? signs[type].color : "", signs[type].sign,
                view->color ? "\033[0m" : "");
}

/* Without its version, which is another one each time. */
static void add_yaml(struct text *out, const kin_object *object)
{
    kin_editor *editor = NULL;
    const kin_object *shown = NULL;
    char *yaml = NULL;

    int code = kin_editor_new(&editor, object, NULL);
    if (code == 0)
        code = kin_editor_remove(editor, kin_str_of("metadata.resourceVersion"), NULL);
    if (code == 0 || code == KIN_ENOTFOUND)
        code = kin_editor_finish(editor, &shown, NULL);
    if (code == 0)
        code = kin_object_to_yaml(&yaml, NULL, shown, NULL);
    if (code == KIN_ENOMEM)
        memory_end();
    if (code == 0)
        add_escaped_lines(out, kin_str_of(yaml));
    kin_free(yaml);
    kin_object_unref(shown);
    kin_editor_free(editor);
}

static void add_diff(const struct watch_view *view, struct text *out, const kin_event *event)
{
    struct text before = TEXT_INIT;
    struct text after = TEXT_INIT;

    add_yaml(&before, event->old_object);
    add_yaml(&after, event->object);
    add_unified(out, text_view(&before), text_view(&after), view->color);
    text_done(&before);
    text_done(&after);
}

void watch_view_add_head(const struct watch_view *view, struct text *out,
                         const kin_resource *resource, const kin_event *event, int64_t unix_s)
{
    add_time(out, unix_s);
    add_sign(view, out, event->type);
    add_singular(out, resource);
    text_add_char(out, ' ');
    add_escaped(out, kin_str_of(kin_object_key(event->object)));
}

void watch_view_add_details(const struct watch_view *view, struct text *out,
                            const kin_resource *resource, const kin_event *event)
{
    if (event->type == KIN_EVENT_ADD && view->printer.n_fields > 0)
        add_fields(view, out, event->object);
    else if (event->type == KIN_EVENT_ADD)
        add_summary(view, out, resource, event->object);
    else if (event->type == KIN_EVENT_UPDATE)
        add_changes(view, out, event);
}

static void add_line(const struct watch_view *view, struct text *out, const kin_resource *resource,
                     const kin_event *event)
{
    bool diff = event->type == KIN_EVENT_UPDATE && view->diff;

    watch_view_add_head(view, out, resource, event, (int64_t)time(NULL));
    if (!diff)
        watch_view_add_details(view, out, resource, event);
    text_add_char(out, '\n');
    if (diff)
        add_diff(view, out, event);
}

/* --- other formats --- */

static int add_jsonl(const struct watch_view *view, struct text *out, const kin_resource *resource,
                     const kin_event *event, const kin_object *object, kin_error *err)
{
    static const char *const types[] = {
        [KIN_EVENT_ADD] = "ADDED", [KIN_EVENT_UPDATE] = "MODIFIED", [KIN_EVENT_DELETE] = "DELETED"};

    text_format(out, "{\"type\":\"%s\",\"object\":", types[event->type]);
    int code = printer_add_object(&view->printer, out, resource, object, err);
    out->len--; /* the line's end */
    text_add_string(out, "}\n");
    return code;
}

static int add_cell(struct watch_view *view, struct text *out, size_t column,
                    const kin_object *object, kin_error *err)
{
    struct text cell = TEXT_INIT;
    int code = 0;

    if (object)
        code = custom_column_print(&view->printer.columns[column], &cell, object, err);
    else
        text_add_string(&cell, view->printer.columns[column].header);
    size_t start = out->len;
    add_escaped(out, text_view(&cell));
    size_t width = display_width(kin_str_make(text_string(out) + start, out->len - start));
    view->widths[column] = width > view->widths[column] ? width : view->widths[column];
    if (column + 1 < view->printer.n_columns)
        text_add_n(out, ' ', column_width(view->widths[column]) - width);
    text_done(&cell);
    return code;
}

/* A row; of the header if there is no object. Columns get wider as they must. */
static int add_row(struct watch_view *view, struct text *out, const kin_object *object,
                   kin_error *err)
{
    int code = 0;

    if (!view->widths)
        view->widths = memory_zeroed(view->printer.n_columns, sizeof(*view->widths));
    for (size_t i = 0; i < view->printer.n_columns && code == 0; i++)
        code = add_cell(view, out, i, object, err);
    text_add_char(out, '\n');
    return code;
}

static bool is_told(kin_str path, kin_value before, kin_value after, void *arg)
{
    (void)before;
    (void)after;
    *(bool *)arg = !kin_str_equal(path, kin_str_of("metadata.resourceVersion"));
    return !*(bool *)arg;
}

bool watch_view_skips(const struct watch_view *view, const kin_event *event)
{
    bool differs = false;

    if (view->printer.n_fields == 0 || view->printer.shows_versions ||
        event->type != KIN_EVENT_UPDATE)
        return false;
    (void)kin_object_diff(event->old_object, event->object, is_told, &differs);
    return !differs;
}

int watch_view_add(struct watch_view *view, struct text *out, const kin_resource *resource,
                   const kin_event *event, kin_error *err)
{
    const kin_object *object = event->object;

    if (watch_view_skips(view, event))
        return 0;
    size_t n = view->n_shown++;
    /* What a tombstone knows is the last state; it may know nothing. */
    if (kin_object_is_tombstone(event->object, &object) && !object &&
        view->printer.format > FORMAT_NAME)
        return 0;
    switch (view->printer.format) {
    case FORMAT_TABLE:
    case FORMAT_WIDE:
        add_line(view, out, resource, event);
        return 0;
    case FORMAT_NAME:
        add_full_name(out, resource, event->object);
        text_add_char(out, '\n');
        return 0;
    case FORMAT_JSONL:
        return add_jsonl(view, out, resource, event, object, err);
    case FORMAT_COLUMNS: {
        int code =
            n == 0 && !view->printer.settings->no_headers ? add_row(view, out, NULL, err) : 0;

        return code < 0 ? code : add_row(view, out, object, err);
    }
    case FORMAT_YAML:
        text_add_string(out, n > 0 ? "---\n" : "");
        break;
    default:
        break;
    }
    int code = printer_add_object(&view->printer, out, resource, object, err);
    /* A change is a line, whatever the template. */
    if (out->len > 0 && out->data[out->len - 1] != '\n')
        text_add_char(out, '\n');
    return code;
}

void watch_view_done(struct watch_view *view)
{
    printer_done(&view->printer);
    free(view->widths);
}
