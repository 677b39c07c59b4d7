/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/printer.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/escape.h"
#include "cli/base/report.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/print/printer_table.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/yaml.h"

#define AT(field) offsetof(struct output_settings, field)
const struct option output_options[N_OUTPUT_OPTIONS] = {
    {"output", 'o', OPTION_TEXT, AT(output), "FORMAT",
     "name, wide, json, jsonl, yaml, jsonpath=TEMPLATE or custom-columns=HEADER:PATH,…",
     "name wide json jsonl yaml jsonpath= custom-columns=", 0},
    {"no-headers", 0, OPTION_FLAG, AT(no_headers), NULL, "tables without their first line", NULL,
     0},
    {"show-labels", 0, OPTION_FLAG, AT(show_labels), NULL, "tables with labels", NULL, 0},
    {"label-columns", 'L', OPTION_TEXTS, AT(label_columns), "KEYS",
     "tables with a column for each of these labels: app,tier; may be given again", NULL, 0},
    {"show-managed-fields", 0, OPTION_FLAG, AT(show_managed_fields), NULL,
     "who manages which field, too", NULL, 0},
    {"color", 0, OPTION_TEXT, AT(color), "WHEN",
     "auto, always or never; auto: on a terminal, unless NO_COLOR is set", "auto always never", 0},
};
#undef AT

/* --- formats --- */

static const struct {
    const char *name;
    enum output_format format;
} formats[] = {
    {"wide", FORMAT_WIDE},   {"name", FORMAT_NAME}, {"json", FORMAT_JSON},
    {"jsonl", FORMAT_JSONL}, {"yaml", FORMAT_YAML}, {"table", FORMAT_TABLE},
};

/* "NAME:.metadata.name" */
static int add_column(struct printer *p, kin_str spec, kin_error *err)
{
    const char *colon = spec.len > 0 ? memchr(spec.data, ':', spec.len) : NULL;
    struct custom_column column = {NULL, NULL};

    if (!colon || colon == spec.data)
        return kin_error_set(err, KIN_EINVAL,
                             "custom-columns wants HEADER:PATH,…, not %" KIN_STR_FMT,
                             KIN_STR_ARG(spec));
    size_t len = (size_t)(colon - spec.data);
    int code =
        jsonpath_parse_relaxed(&column.path, kin_str_make(colon + 1, spec.len - len - 1), err);
    if (code < 0)
        return kin_error_set(err, code, "the column %" KIN_STR_FMT ": %s", KIN_STR_ARG(spec),
                             err->message);
    column.header = memory_copy(kin_str_make(spec.data, len));
    p->columns = memory_resize(p->columns, p->n_columns + 1, sizeof(*p->columns));
    p->columns[p->n_columns++] = column;
    return 0;
}

/* Commas in brackets belong to a path. */
static int parse_columns(struct printer *p, const char *specs, kin_error *err)
{
    size_t depth = 0;
    size_t start = 0;
    int code = 0;

    for (size_t i = 0; code == 0; i++) {
        char c = specs[i];

        depth += c == '[';
        depth -= c == ']' && depth > 0;
        if ((c == ',' && depth == 0) || c == '\0') {
            code = add_column(p, kin_str_make(specs + start, i - start), err);
            start = i + 1;
        }
        if (c == '\0')
            break;
    }
    p->format = FORMAT_COLUMNS;
    return code;
}

/* "app,example.com/tier" */
static int parse_labels(struct printer *p, const char *keys, kin_error *err)
{
    for (size_t start = 0;;) {
        size_t len = strcspn(keys + start, ",");

        if (len == 0)
            return kin_error_set(err, KIN_EINVAL, "-L %s: a key is missing, write app,tier", keys);
        p->labels = memory_resize(p->labels, p->n_labels + 1, sizeof(*p->labels));
        p->labels[p->n_labels++] = kin_str_make(keys + start, len);
        if (!keys[start + len])
            return 0;
        start += len + 1;
    }
}

static int parse_template(struct printer *p, const char *template, kin_error *err)
{
    p->format = FORMAT_JSONPATH;
    if (!template[0])
        return kin_error_set(err, KIN_EINVAL, "-o jsonpath= wants a template: {.metadata.name}");
    int code = jsonpath_parse(&p->template, kin_str_of(template), err);
    if (code == 0 && p->for_terminal)
        jsonpath_escape_values(p->template);
    return code;
}

static const char *behind(const char *text, const char *prefix)
{
    size_t len = strlen(prefix);

    return strncmp(text, prefix, len) == 0 ? text + len : NULL;
}

int color_check(const char *color, kin_error *err)
{
    if (!color || strcmp(color, "auto") == 0 || strcmp(color, "always") == 0 ||
        strcmp(color, "never") == 0)
        return 0;
    return kin_error_set(err, KIN_EINVAL, "--color takes auto, always or never, not %s", color);
}

int printer_init(struct printer *p, const struct output_settings *settings, kin_error *err)
{
    const char *output = settings->output ? settings->output : "table";
    const char *template = behind(output, "jsonpath=");
    const char *columns = behind(output, "custom-columns=");

    *p = (struct printer){.settings = settings, .for_terminal = isatty(STDOUT_FILENO) == 1};
    if (color_check(settings->color, err) < 0)
        return KIN_EINVAL;
    for (size_t i = 0; i < settings->label_columns.len; i++) {
        if (parse_labels(p, settings->label_columns.items[i], err) < 0)
            return KIN_EINVAL;
    }
    if (template)
        return parse_template(p, template, err);
    if (columns)
        return parse_columns(p, columns, err);
    for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++) {
        if (strcmp(output, formats[i].name) == 0) {
            p->format = formats[i].format;
            return 0;
        }
    }
    return kin_error_set(err, KIN_EINVAL,
                         "-o takes name, wide, json, jsonl, yaml, jsonpath=… or custom-columns=…, "
                         "not %s",
                         output);
}

int printer_add_field(struct printer *p, kin_str path, kin_str template, kin_error *err)
{
    struct custom_column column = {NULL, NULL};
    int code = jsonpath_parse(&column.path, template, err);

    if (code < 0)
        return code;
    column.header = memory_copy(path);
    p->fields = memory_resize(p->fields, p->n_fields + 1, sizeof(*p->fields));
    p->fields[p->n_fields++] = column;
    return 0;
}

static void free_columns(struct custom_column *columns, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        free(columns[i].header);
        jsonpath_free(columns[i].path);
    }
    free(columns);
}

bool printer_is_table(const struct printer *p)
{
    return p->format == FORMAT_TABLE || p->format == FORMAT_WIDE;
}

void printer_done(struct printer *p)
{
    free_columns(p->columns, p->n_columns);
    free_columns(p->fields, p->n_fields);
    free(p->labels);
    jsonpath_free(p->template);
}

/* --- one object --- */

void add_singular(struct text *out, const kin_resource *resource)
{
    const char *kind = kin_resource_kind(resource);
    struct text name = TEXT_INIT;

    text_add_lower(&name, kin_str_of(kind[0] ? kind : kin_resource_name(resource)));
    add_escaped(out, text_view(&name));
    text_done(&name);
}

void add_full_name(struct text *out, const kin_resource *resource, const kin_object *object)
{
    const char *group = kin_resource_group(resource);
    struct text name = TEXT_INIT;

    if (group[0])
        text_format(&name, ".%s", group);
    text_add_char(&name, '/');
    text_add(&name, kin_object_name(object));
    add_singular(out, resource);
    add_escaped(out, text_view(&name));
    text_done(&name);
}

static int add_json(const struct printer *p, struct text *out, const kin_object *object,
                    enum kin_json_style style, kin_error *err)
{
    char *json = NULL;
    size_t len = 0;
    int code = kin_object_to_json(&json, &len, object, style, err);

    if (code < 0)
        return code;
    add_json_escaped(out, kin_str_make(json, len), p->for_terminal);
    kin_free(json);
    return 0;
}

/* On a terminal it is for reading: an escape outside of quotes is not the value that the object has. */
static int add_yaml(const struct printer *p, struct text *out, const kin_object *object,
                    kin_error *err)
{
    char *yaml = NULL;
    size_t len = 0;
    int code = kin_object_to_yaml(&yaml, &len, object, err);

    if (code < 0)
        return code;
    if (p->for_terminal)
        add_escaped_lines(out, kin_str_make(yaml, len));
    else
        text_add(out, kin_str_make(yaml, len));
    kin_free(yaml);
    return 0;
}

int printer_add_object(const struct printer *p, struct text *out, const kin_resource *resource,
                       const kin_object *object, kin_error *err)
{
    const struct jsonpath_data data = {object, NULL, 0};
    int code = 0;

    switch (p->format) {
    case FORMAT_JSON:
    case FORMAT_JSONL:
        code = add_json(p, out, object,
                        p->format == FORMAT_JSON ? KIN_JSON_PRETTY : KIN_JSON_COMPACT, err);
        break;
    case FORMAT_YAML:
        return add_yaml(p, out, object, err);
    case FORMAT_JSONPATH:
        return jsonpath_print(p->template, out, &data, err);
    default:
        add_full_name(out, resource, object);
        break;
    }
    text_add_char(out, '\n');
    return code;
}

/* --- lists --- */

/* Lines that are moved to the right, the first one with something in front of it. */
static void add_indented(struct text *out, const char *first, size_t indent, kin_str text)
{
    text_add_string(out, first);
    for (size_t i = 0; i < text.len; i++) {
        text_add_char(out, text.data[i]);
        if (text.data[i] == '\n' && i + 1 < text.len && text.data[i + 1] != '\n')
            text_add_n(out, ' ', indent);
    }
}

static int flush(struct text *out)
{
    int status = output_write(text_view(out));

    text_clear(out);
    return status == EXIT_OK ? 0 : KIN_ESYSTEM;
}

/* A function for each object. 0, or what it has returned. */
typedef int each_fn(struct text *out, const kin_resource *resource, const kin_object *object,
                    size_t index, const struct printer *p, kin_error *err);

static int each(const struct printer *p, const struct groups *groups, each_fn *fn, kin_error *err)
{
    struct text out = TEXT_INIT;
    size_t n = 0;
    int code = 0;

    for (size_t g = 0; g < groups->len; g++) {
        const struct group *group = &groups->items[g];

        for (size_t i = 0; i < group->objects.len && code == 0; i++) {
            code = fn(&out, group->resource, group->objects.items[i], n++, p, err);
            if (code == 0)
                code = flush(&out);
        }
    }
    text_done(&out);
    return code;
}

static int json_item(struct text *out, const kin_resource *resource, const kin_object *object,
                     size_t index, const struct printer *p, kin_error *err)
{
    struct text json = TEXT_INIT;
    int code = add_json(p, &json, object, KIN_JSON_PRETTY, err);

    (void)resource;
    add_indented(out, index > 0 ? ",\n        " : "\n        ", 8, text_view(&json));
    text_done(&json);
    return code;
}

static int yaml_item(struct text *out, const kin_resource *resource, const kin_object *object,
                     size_t index, const struct printer *p, kin_error *err)
{
    struct text yaml = TEXT_INIT;
    int code = add_yaml(p, &yaml, object, err);

    (void)resource;
    (void)index;
    add_indented(out, "- ", 2, text_view(&yaml));
    text_done(&yaml);
    return code;
}

static int plain_item(struct text *out, const kin_resource *resource, const kin_object *object,
                      size_t index, const struct printer *p, kin_error *err)
{
    (void)index;
    return printer_add_object(p, out, resource, object, err);
}

static size_t count(const struct groups *groups)
{
    size_t n = 0;

    for (size_t g = 0; g < groups->len; g++)
        n += groups->items[g].objects.len;
    return n;
}

static int say(const char *text)
{
    return output_write(kin_str_of(text)) == EXIT_OK ? 0 : KIN_ESYSTEM;
}

static int print_json_list(const struct printer *p, const struct groups *groups, kin_error *err)
{
    int code = say("{\n    \"apiVersion\": \"v1\",\n    \"items\": [");

    if (code == 0)
        code = each(p, groups, json_item, err);
    if (code == 0)
        code = say(count(groups) > 0 ? "\n    ]" : "]");
    if (code == 0)
        code = say(",\n    \"kind\": \"List\",\n    \"metadata\": {\n"
                   "        \"resourceVersion\": \"\"\n    }\n}\n");
    return code;
}

static int print_yaml_list(const struct printer *p, const struct groups *groups, kin_error *err)
{
    int code = say(count(groups) > 0 ? "apiVersion: v1\nitems:\n" : "apiVersion: v1\nitems: []\n");

    if (code == 0)
        code = each(p, groups, yaml_item, err);
    if (code == 0)
        code = say("kind: List\nmetadata:\n  resourceVersion: \"\"\n");
    return code;
}

/* A template is about all objects at once, whatever their kinds. */
static int print_template(const struct printer *p, const struct groups *groups, kin_error *err)
{
    struct objects all = {NULL, 0, 0};
    struct text out = TEXT_INIT;

    for (size_t g = 0; g < groups->len; g++) {
        for (size_t i = 0; i < groups->items[g].objects.len; i++)
            objects_add(&all, groups->items[g].objects.items[i]);
    }
    const struct jsonpath_data data = {p->is_single && all.len == 1 ? all.items[0] : NULL,
                                       all.items, all.len};
    int code = jsonpath_print(p->template, &out, &data, err);
    if (code == 0)
        code = flush(&out);
    text_done(&out);
    objects_clear(&all);
    free(all.items);
    return code;
}

int printer_print(const struct printer *p, const struct groups *groups, kin_error *err)
{
    bool is_list = !(p->is_single && count(groups) == 1);

    switch (p->format) {
    case FORMAT_JSON:
        return is_list ? print_json_list(p, groups, err) : each(p, groups, plain_item, err);
    case FORMAT_YAML:
        return is_list ? print_yaml_list(p, groups, err) : each(p, groups, plain_item, err);
    case FORMAT_JSONL:
    case FORMAT_NAME:
        return each(p, groups, plain_item, err);
    case FORMAT_JSONPATH:
        return print_template(p, groups, err);
    case FORMAT_COLUMNS:
        return print_custom_columns(p, groups, err);
    default:
        return print_tables(p, groups);
    }
}
