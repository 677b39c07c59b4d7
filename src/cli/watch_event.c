/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/watch_event.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cli/columns.h"
#include "cli/jsonpath.h"
#include "cli/table.h"
#include "cli/unified.h"
#include "kinform/diff.h"
#include "kinform/editor.h"
#include "kinform/memory.h"
#include "kinform/path.h"
#include "kinform/yaml.h"

enum { VALUE_MAX = 60, CHANGES_MAX = 6 };

/* ---- what has changed ---- */

struct changes {
    struct text *out;
    size_t n;
    bool all; /* none is left out or cut */
    const kin_event *event;
};

static bool ends_with(kin_str path, const char *end)
{
    size_t len = strlen(end);

    return path.len >= len && memcmp(path.data + path.len - len, end, len) == 0;
}

/* They change with every write, or beside something that tells more. */
static bool is_noise(const struct changes *c, kin_str path)
{
    static const char *const noise[] = {"metadata.resourceVersion", "metadata.generation",
                                        "metadata.managedFields", "status.observedGeneration"};

    for (size_t i = 0; i < sizeof(noise) / sizeof(noise[0]); i++) {
        size_t len = strlen(noise[i]);

        if (path.len >= len && memcmp(path.data, noise[i], len) == 0 &&
            (path.len == len || strchr(".[", path.data[len])))
            return true;
    }
    return !c->all &&
           (ends_with(path, ".lastTransitionTime") || ends_with(path, ".lastUpdateTime") ||
            ends_with(path, ".lastHeartbeatTime") || ends_with(path, ".lastProbeTime"));
}

/* Of the item at a path what it is called: its type or its name. */
static bool add_item_name(struct text *out, const kin_object *object, kin_str path)
{
    static const char *const members[] = {"type", "name"};
    kin_value item = {NULL, NULL};
    kin_scratch scratch;
    kin_str name;

    if (kin_value_find(&item, kin_object_root(object), path, NULL) < 0)
        return false;
    for (size_t i = 0; i < 2; i++) {
        kin_value member = kin_value_get(item, kin_str_of(members[i]));

        if (kin_value_string(&name, member, &scratch) == 0 && name.len > 0) {
            add_escaped(out, name);
            return true;
        }
    }
    return false;
}

/* `conditions[Ready].status` says more than `conditions[2].status`. */
static void add_path(const struct changes *c, kin_str path)
{
    size_t start = 0;

    for (size_t i = 0; i < path.len; i++) {
        const char *close = path.data[i] == '[' ? memchr(path.data + i, ']', path.len - i) : NULL;
        size_t end = close ? (size_t)(close - path.data) : 0;

        if (!close || path.data[i + 1] < '0' || path.data[i + 1] > '9')
            continue;
        add_escaped(c->out, kin_str_make(path.data + start, i + 1 - start));
        start = i + 1;
        if (add_item_name(c->out, c->event->object, kin_str_make(path.data, end + 1)))
            start = end;
    }
    add_escaped(c->out, kin_str_make(path.data + start, path.len - start));
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

static void add_value(const struct changes *c, kin_value value)
{
    const struct jsonpath_value v = {JSONPATH_VALUE, value, {NULL, 0}, 0, NULL};
    struct text text = TEXT_INIT;

    if (kin_value_type(value) == KIN_NONE) {
        text_add_string(c->out, "none");
        return;
    }
    jsonpath_value_print(&text, &v);
    kin_str shown = c->all ? text_view(&text) : cut(text_view(&text), VALUE_MAX);
    add_escaped(c->out, shown);
    if (shown.len < text.len)
        text_add_string(c->out, "…");
    if (text.len == 0)
        text_add_string(c->out, "\"\"");
    text_done(&text);
}

static bool add_change(kin_str path, kin_value before, kin_value after, void *arg)
{
    struct changes *c = arg;

    if (is_noise(c, path))
        return true;
    c->n++;
    if (!c->all && c->n > CHANGES_MAX)
        return true;
    text_add_string(c->out, c->n > 1 ? ", " : "  ");
    add_path(c, path);
    text_add_string(c->out, ": ");
    add_value(c, before);
    text_add_string(c->out, " → ");
    add_value(c, after);
    return true;
}

static void add_changes(const struct watch_view *view, struct text *out, const kin_event *event)
{
    struct changes c = {out, 0, view->printer.format == FORMAT_WIDE, event};

    (void)kin_object_diff(event->old_object, event->object, add_change, &c);
    if (c.n == 0 && !c.all) { /* nothing but times: these, then */
        c.all = true;
        (void)kin_object_diff(event->old_object, event->object, add_change, &c);
    }
    if (!c.all && c.n > CHANGES_MAX)
        text_format(out, ", and %zu more", c.n - CHANGES_MAX);
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

        if ((column->wide && view->printer.format != FORMAT_WIDE) ||
            strcmp(column->header, "AGE") == 0)
            continue;
        column_print(column, &cell, object, (int64_t)time(NULL));
        text_add_string(out, "  ");
        add_escaped(out, text_view(&cell));
        text_done(&cell);
    }
}

/* ---- lines ---- */

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

    if (kin_editor_new(&editor, object, NULL) == 0 &&
        kin_editor_remove(editor, kin_str_of("metadata.resourceVersion"), NULL) == 0 &&
        kin_editor_finish(editor, &shown, NULL) == 0 &&
        kin_object_to_yaml(&yaml, NULL, shown, NULL) == 0)
        text_add_string(out, yaml);
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

static void add_kind(struct text *out, const kin_resource *resource)
{
    const char *kind = kin_resource_kind(resource);

    for (kind = kind[0] ? kind : kin_resource_name(resource); *kind; kind++)
        text_add_char(out, (char)(*kind >= 'A' && *kind <= 'Z' ? *kind - 'A' + 'a' : *kind));
}

void watch_view_add_head(const struct watch_view *view, struct text *out,
                         const kin_resource *resource, const kin_event *event, int64_t unix_s)
{
    add_time(out, unix_s);
    add_sign(view, out, event->type);
    add_kind(out, resource);
    text_add_char(out, ' ');
    add_escaped(out, kin_str_of(kin_object_key(event->object)));
}

void watch_view_add_details(const struct watch_view *view, struct text *out,
                            const kin_resource *resource, const kin_event *event)
{
    if (event->type == KIN_EVENT_ADD)
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

/* ---- other formats ---- */

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
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    struct text cell = TEXT_INIT;
    int code = object ? jsonpath_find(view->printer.columns[column].path, &values, &data, err) : 0;

    for (size_t i = 0; i < values.len; i++) {
        text_add_string(&cell, i > 0 ? "," : "");
        jsonpath_value_print(&cell, &values.items[i]);
    }
    if (!object)
        text_add_string(&cell, view->printer.columns[column].header);
    else if (values.len == 0)
        text_add_string(&cell, "<none>");
    size_t start = out->len;
    add_escaped(out, text_view(&cell));
    size_t width = display_width(kin_str_make(out->data + start, out->len - start));
    view->widths[column] = width > view->widths[column] ? width : view->widths[column];
    if (column + 1 < view->printer.n_columns)
        text_add_n(out, ' ', view->widths[column] - width + 3);
    jsonpath_values_done(&values);
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

int watch_view_add(struct watch_view *view, struct text *out, const kin_resource *resource,
                   const kin_event *event, kin_error *err)
{
    const kin_object *object = event->object;
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
