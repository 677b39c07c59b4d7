/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server makes of additionalPrinterColumns in a table, made here of the definition: of a path the first value, a date
 * as its age, and nothing where there is nothing.
 */
#include "cli/columns_crd.h"

#include <stdlib.h>

#include "cli/age.h"
#include "cli/columns_inside.h"
#include "cli/jsonpath.h"
#include "kinform/path.h"

static void add_upper(struct text *out, kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        text_add_char(out, (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
    }
}

static void add_column(struct crd_columns *columns, kin_value spec)
{
    struct crd_column column = {NULL, NULL, false, false};
    struct text header = TEXT_INIT;
    kin_scratch scratches[2];
    kin_str name;
    kin_str path;
    int64_t priority = 0;

    if (kin_value_string(&name, cell_find(spec, "name"), &scratches[0]) < 0 ||
        kin_value_string(&path, cell_find(spec, "jsonPath"), &scratches[1]) < 0 ||
        jsonpath_parse_relaxed(&column.path, path, NULL) < 0)
        return;
    (void)kin_value_int64(&priority, cell_find(spec, "priority"));
    add_upper(&header, name);
    column.header = memory_copy(text_view(&header));
    column.wide = priority != 0;
    column.is_date = cell_equals(cell_find(spec, "type"), "date");
    text_done(&header);
    columns->items = memory_resize(columns->items, columns->len + 1, sizeof(*columns->items));
    columns->items[columns->len++] = column;
}

void crd_columns_read(struct crd_columns *ret, const kin_object *definition, const char *version)
{
    kin_iter versions;

    *ret = (struct crd_columns){NULL, 0};
    kin_iter_init(&versions, kin_object_find(definition, "spec.versions"));
    while (kin_iter_next(&versions)) {
        kin_iter it;

        if (!cell_equals(cell_find(versions.value, "name"), version))
            continue;
        kin_iter_init(&it, cell_find(versions.value, "additionalPrinterColumns"));
        while (kin_iter_next(&it))
            add_column(ret, it.value);
    }
}

void crd_columns_done(struct crd_columns *columns)
{
    for (size_t i = 0; i < columns->len; i++) {
        free(columns->items[i].header);
        jsonpath_free(columns->items[i].path);
    }
    free(columns->items);
    *columns = (struct crd_columns){NULL, 0};
}

static void add_date(struct text *out, kin_value value, int64_t now)
{
    kin_time t;

    if (kin_value_time(&t, value) == 0)
        add_duration(out, now - t.seconds);
    else if (kin_value_type(value) > KIN_NULL)
        text_add_string(out, "<invalid>");
}

void crd_column_print(const struct crd_column *column, struct text *out, const kin_object *object,
                      int64_t now)
{
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;

    (void)jsonpath_find(column->path, &values, &data, NULL);
    if (values.len > 0 && column->is_date)
        add_date(out, values.items[0].value, now);
    else if (values.len > 0 && kin_value_type(values.items[0].value) > KIN_NULL)
        jsonpath_value_print(out, &values.items[0]);
    jsonpath_values_done(&values);
}
