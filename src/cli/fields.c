/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/fields.h"

#include <string.h>

#include "cli/jsonpath/jsonpath.h"

/* --- what is shown --- */

/* The length of the first path: up to a comma that is neither escaped nor in quotes. */
static size_t first_path(const char *text)
{
    char quote = '\0';
    size_t i = 0;

    for (; text[i] && (quote || text[i] != ','); i++) {
        if (text[i] == '\\' && text[i + 1])
            i++;
        else if (quote && text[i] == quote)
            quote = '\0';
        else if (!quote && i > 0 && text[i - 1] == '[' && strchr("'\"", text[i]))
            quote = text[i];
    }
    return i;
}

static void add_character(struct text *out, char c)
{
    if (strchr(" \r\n.,[]$@{}'\"", c))
        text_add_char(out, '\\');
    text_add_char(out, c);
}

/* A name in quotes and brackets, as ['a.b']; returns what comes behind it. */
static size_t add_quoted(struct text *out, kin_str path, size_t at)
{
    char quote = path.data[at + 1];

    text_add_char(out, '.');
    for (at += 2; at < path.len && path.data[at] != quote; at++) {
        if (path.data[at] == '\\' && at + 1 < path.len)
            at++;
        add_character(out, path.data[at]);
    }
    return at + 1; /* the bracket */
}

/* A path of kinform/path.h as a template. It is one that a projection has taken. */
static void add_template(struct text *out, kin_str path)
{
    text_add_string(out, path.len > 0 && strchr(".[", path.data[0]) ? "{" : "{.");
    for (size_t i = 0; i < path.len; i++) {
        char c = path.data[i];

        if (c == '[' && i + 1 < path.len && strchr("'\"", path.data[i + 1]))
            i = add_quoted(out, path, i);
        else if (c == '\\' && i + 1 < path.len)
            add_character(out, path.data[++i]);
        else if (strchr(".[]*", c))
            text_add_char(out, c);
        else
            add_character(out, c);
    }
    text_add_char(out, '}');
}

static bool is_version(kin_str path)
{
    static const char *const paths[] = {"metadata", "metadata.*", "metadata.resourceVersion"};
    size_t dot = path.len > 0 && path.data[0] == '.';

    path = kin_str_make(path.data + dot, path.len - dot);
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        if (kin_str_equal(path, kin_str_of(paths[i])))
            return true;
    }
    return false;
}

static int show_fields(struct printer *printer, const char *fields, kin_error *err)
{
    for (const char *at = fields;; at++) {
        kin_str path = kin_str_make(at, first_path(at));
        struct text template = TEXT_INIT;

        add_template(&template, path);
        int code = printer_add_field(printer, path, text_view(&template), err);
        text_done(&template);
        if (code < 0)
            return code;
        printer->shows_versions |= is_version(path);
        at += path.len;
        if (!*at)
            return 0;
    }
}

/* --- what is kept --- */

static int cannot_be_kept(const char *what, kin_error *err)
{
    return kin_error_set(
        err, KIN_EINVAL,
        "%s may look at any part of an object: leave out --fields, or write a path "
        "there that begins with names",
        what);
}

static int keep_for_output(struct text *paths, const struct printer *printer, bool is_list,
                           kin_error *err)
{
    if (printer->template && !jsonpath_add_paths(printer->template, paths, is_list))
        return cannot_be_kept("the template of -o", err);
    for (size_t i = 0; i < printer->n_columns; i++) {
        if (!jsonpath_add_paths(printer->columns[i].path, paths, false))
            return cannot_be_kept(printer->columns[i].header, err);
    }
    if (printer->settings->show_labels || printer->n_labels > 0)
        text_add_string(paths, ",metadata.labels");
    return 0;
}

/* "status.phase=Running,spec.nodeName!=a" */
static void keep_for_field_selector(struct text *paths, const char *selector)
{
    while (*selector) {
        size_t len = strcspn(selector, "=!,");

        text_add_char(paths, ',');
        text_add(paths, kin_str_make(selector, len));
        selector += len + strcspn(selector + len, ",");
        selector += *selector == ',';
    }
}

static int keep_for_others(struct text *paths, const struct selection_settings *selection,
                           const struct fields_use *use, kin_error *err)
{
    for (size_t i = 0; use->conditions && i < use->conditions->len; i++) {
        if (!jsonpath_add_paths(condition_path(use->conditions->items[i]), paths, false))
            return cannot_be_kept("--where", err);
    }
    if (use->until && !jsonpath_add_paths(condition_path(use->until), paths, false))
        return cannot_be_kept("--until", err);
    if (use->order && !jsonpath_add_paths(use->order, paths, false))
        return cannot_be_kept("--sort-by", err);
    if (use->selects && selection->label_selector)
        text_add_string(paths, ",metadata.labels");
    if (use->selects && selection->field_selector)
        keep_for_field_selector(paths, selection->field_selector);
    return 0;
}

int fields_apply(const kin_projection **ret, struct printer *printer,
                 const struct selection_settings *selection, const struct fields_use *use,
                 kin_error *err)
{
    const kin_projection *alone = NULL;
    struct text paths = TEXT_INIT;

    if (!selection->fields)
        return printer->settings->show_managed_fields
                   ? 0
                   : kin_projection_drop(ret, kin_str_of("metadata.managedFields"), err);
    if (kin_projection_keep(&alone, kin_str_of(selection->fields), err) < 0)
        return kin_error_set(err, KIN_EINVAL, "--fields %s: %s", selection->fields, err->message);
    kin_projection_unref(alone);
    text_add_string(&paths, selection->fields);
    int code = keep_for_output(&paths, printer, use->is_list, err);
    if (code == 0)
        code = keep_for_others(&paths, selection, use, err);
    if (code == 0)
        code = show_fields(printer, selection->fields, err);
    if (code == 0)
        code = kin_projection_keep(ret, text_view(&paths), err);
    text_done(&paths);
    return code;
}
