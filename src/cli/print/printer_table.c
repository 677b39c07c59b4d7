/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/print/printer_table.h"

#include "cli/base/report.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/print/columns_inside.h"
#include "cli/print/table.h"
#include "kinform/path.h"

static int write_table(const struct printer *p, const struct table *table)
{
    struct text out = TEXT_INIT;

    table_print(table, &out, !p->settings->no_headers && color_wanted(p->settings->color, stdout));
    int status = output_write(text_view(&out));
    text_done(&out);
    return status == EXIT_OK ? 0 : KIN_ESYSTEM;
}

/* --- the columns of kinds --- */

static bool is_shown(const struct printer *p, const struct column *column)
{
    return !(column->flags & COLUMN_WIDE) || p->format == FORMAT_WIDE;
}

static bool is_crd_shown(const struct printer *p, const struct crd_column *column)
{
    return !column->wide || p->format == FORMAT_WIDE;
}

/* Kinds without namespaces have no column for it, also beside others. */
static bool has_namespace(const struct printer *p, const struct group *group)
{
    return p->with_namespace && kin_resource_is_namespaced(group->resource);
}

static size_t count_columns(const struct printer *p, const struct group *group,
                            const struct columns *columns)
{
    size_t n = has_namespace(p, group) + !columns->no_name + p->settings->show_labels +
               p->n_fields + p->n_labels;

    for (size_t i = 0; i < columns->len; i++)
        n += is_shown(p, &columns->items[i]);
    for (size_t i = 0; i < group->columns.len; i++)
        n += is_crd_shown(p, &group->columns.items[i]);
    return n;
}

/* "example.com/tier" is TIER. */
static void add_label_header(struct table *table, kin_str key)
{
    struct text header = TEXT_INIT;

    for (size_t i = 0; i < key.len; i++) {
        char c = key.data[i];

        if (c == '/')
            text_clear(&header);
        else
            text_add_char(&header, (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
    }
    table_add(table, text_view(&header));
    text_done(&header);
}

static void add_header(const struct printer *p, struct table *table, const struct group *group,
                       const struct columns *columns)
{
    if (has_namespace(p, group))
        table_add(table, kin_str_of("NAMESPACE"));
    if (!columns->no_name)
        table_add(table, kin_str_of("NAME"));
    for (size_t i = 0; i < p->n_fields; i++)
        table_add(table, kin_str_of(p->fields[i].header));
    for (size_t i = 0; i < columns->len; i++) {
        if (is_shown(p, &columns->items[i]))
            table_add(table, kin_str_of(columns->items[i].header));
    }
    for (size_t i = 0; i < group->columns.len; i++) {
        if (is_crd_shown(p, &group->columns.items[i]))
            table_add(table, kin_str_of(group->columns.items[i].header));
    }
    for (size_t i = 0; i < p->n_labels; i++)
        add_label_header(table, p->labels[i]);
    if (p->settings->show_labels)
        table_add(table, kin_str_of("LABELS"));
}

/* A missing label is an empty cell, as with kubectl. */
static void add_label(struct table *table, const kin_object *object, kin_str key)
{
    kin_str value = kin_str_make(NULL, 0);

    (void)kin_object_label(object, key, &value);
    table_add(table, value);
}

static void add_labels(struct text *out, const kin_object *object)
{
    cell_add_pairs(out, kin_object_find(object, "metadata.labels"));
    if (out->len == 0)
        text_add_string(out, "<none>");
}

static void add_row(const struct printer *p, struct table *table, const struct columns *columns,
                    const struct group *group, const kin_object *object)
{
    struct text cell = TEXT_INIT;

    if (has_namespace(p, group))
        table_add(table, kin_object_namespace(object));
    if (!columns->no_name) {
        if (p->with_kind)
            add_full_name(&cell, group->resource, object);
        else
            text_add(&cell, kin_object_name(object));
        if (columns->mark)
            columns->mark(&cell, object, p->now);
        table_add(table, text_view(&cell));
    }
    for (size_t i = 0; i < p->n_fields; i++) {
        text_clear(&cell);
        (void)custom_column_print(&p->fields[i], &cell, object, NULL);
        table_add(table, text_view(&cell));
    }
    for (size_t i = 0; i < columns->len; i++) {
        if (!is_shown(p, &columns->items[i]))
            continue;
        text_clear(&cell);
        column_print(&columns->items[i], &cell, object, p->now);
        table_add(table, text_view(&cell));
    }
    for (size_t i = 0; i < group->columns.len; i++) {
        if (!is_crd_shown(p, &group->columns.items[i]))
            continue;
        text_clear(&cell);
        crd_column_print(&group->columns.items[i], &cell, object, p->now);
        table_add(table, text_view(&cell));
    }
    for (size_t i = 0; i < p->n_labels; i++)
        add_label(table, object, p->labels[i]);
    if (p->settings->show_labels) {
        text_clear(&cell);
        add_labels(&cell, object);
        table_add(table, text_view(&cell));
    }
    text_done(&cell);
}

static const struct columns *columns_to_show(const struct printer *p, const struct group *group)
{
    static const struct columns none = {NULL, NULL, false, NULL, NULL, 0};

    return p->n_fields > 0 || group->columns.len > 0
               ? &none
               : columns_of(kin_resource_group(group->resource),
                            kin_resource_name(group->resource));
}

static void fill_table(const struct printer *p, struct table *table, const struct group *group,
                       bool with_header)
{
    const struct columns *columns = columns_to_show(p, group);

    table_init(table, count_columns(p, group, columns));
    if (with_header)
        add_header(p, table, group, columns);
    for (size_t i = 0; i < group->objects.len; i++)
        add_row(p, table, columns, group, group->objects.items[i]);
}

static int print_table(const struct printer *p, const struct group *group)
{
    struct table table;

    fill_table(p, &table, group, !p->settings->no_headers);
    int code = write_table(p, &table);
    table_done(&table);
    return code;
}

void add_table_rows(const struct printer *p, struct text *out, const struct group *group,
                    bool with_header, size_t **widths)
{
    struct table table;

    with_header = with_header && !p->settings->no_headers;
    fill_table(p, &table, group, with_header);
    if (!*widths)
        *widths = memory_zeroed(table.n_columns, sizeof(**widths));
    table_print_below(&table, out, with_header && color_wanted(p->settings->color, stdout),
                      *widths);
    table_done(&table);
}

int print_tables(const struct printer *p, const struct groups *groups)
{
    bool is_first = true;
    int code = 0;

    for (size_t g = 0; g < groups->len && code == 0; g++) {
        if (groups->items[g].objects.len == 0)
            continue;
        if (!is_first && output_write(kin_str_of("\n")) != EXIT_OK)
            return KIN_ESYSTEM;
        is_first = false;
        code = print_table(p, &groups->items[g]);
    }
    return code;
}

/* --- custom columns --- */

int custom_column_print(const struct custom_column *column, struct text *out,
                        const kin_object *object, kin_error *err)
{
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    int code = jsonpath_find(column->path, &values, &data, err);

    for (size_t i = 0; i < values.len; i++) {
        text_add_string(out, i > 0 ? "," : "");
        jsonpath_value_print(out, &values.items[i]);
    }
    if (values.len == 0)
        text_add_string(out, "<none>");
    jsonpath_values_done(&values);
    return code;
}

static int add_custom_cell(struct table *table, const struct custom_column *column,
                           const kin_object *object, kin_error *err)
{
    struct text cell = TEXT_INIT;
    int code = custom_column_print(column, &cell, object, err);

    table_add(table, text_view(&cell));
    text_done(&cell);
    return code;
}

static int add_custom_row(const struct printer *p, struct table *table, const kin_object *object,
                          kin_error *err)
{
    int code = 0;

    for (size_t c = 0; c < p->n_columns && code == 0; c++)
        code = add_custom_cell(table, &p->columns[c], object, err);
    return code;
}

int print_custom_columns(const struct printer *p, const struct groups *groups, kin_error *err)
{
    struct table table;
    int code = 0;

    table_init(&table, p->n_columns);
    for (size_t c = 0; c < p->n_columns && !p->settings->no_headers; c++)
        table_add(&table, kin_str_of(p->columns[c].header));
    for (size_t g = 0; g < groups->len; g++) {
        const struct objects *objects = &groups->items[g].objects;

        for (size_t i = 0; i < objects->len && code == 0; i++)
            code = add_custom_row(p, &table, objects->items[i], err);
    }
    if (code == 0)
        code = write_table(p, &table);
    table_done(&table);
    return code;
}
