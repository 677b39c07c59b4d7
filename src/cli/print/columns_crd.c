/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server makes of additionalPrinterColumns in a table, made here of the definition: of a path the first value, a date
 * as its age, and nothing where there is nothing.
 */
#include "cli/print/columns_crd.h"

#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath/jsonpath.h"
#include "cli/print/age.h"
#include "cli/print/columns_inside.h"
#include "kinform/path.h"

static void add_upper(struct text *out, kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        text_add_char(out, (char)(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c));
    }
}

static enum crd_type type_of(kin_value spec)
{
    static const char *const names[] = {[CRD_INTEGER] = "integer",
                                        [CRD_NUMBER] = "number",
                                        [CRD_BOOLEAN] = "boolean",
                                        [CRD_DATE] = "date"};

    for (size_t i = CRD_INTEGER; i < sizeof(names) / sizeof(names[0]); i++) {
        if (cell_equals(cell_find(spec, "type"), names[i]))
            return (enum crd_type)i;
    }
    return CRD_TEXT;
}

/* What a definition wants must not cost more than a look at the object, whoever wrote it. */
static int parse_path(struct jsonpath **ret, kin_str text)
{
    struct jsonpath *path = NULL;

    if (jsonpath_parse_relaxed(&path, text, NULL) < 0)
        return -1;
    if (!jsonpath_is_simple(path)) {
        jsonpath_free(path);
        return -1;
    }
    *ret = path;
    return 0;
}

static void add_column(struct crd_columns *columns, kin_value spec)
{
    struct crd_column column = {NULL, NULL, false, CRD_TEXT};
    struct text header = TEXT_INIT;
    kin_scratch scratches[2];
    kin_str name;
    kin_str path;
    int64_t priority = 0;

    if (kin_value_string(&name, cell_find(spec, "name"), &scratches[0]) < 0 ||
        kin_value_string(&path, cell_find(spec, "jsonPath"), &scratches[1]) < 0 ||
        parse_path(&column.path, path) < 0)
        return;
    (void)kin_value_int64(&priority, cell_find(spec, "priority"));
    add_upper(&header, name);
    column.header = memory_copy(text_view(&header));
    column.wide = priority != 0;
    column.type = type_of(spec);
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

void crd_columns_ask(struct crd_columns *ret, kin_client *client, const kin_resource *resource)
{
    const char *group = kin_resource_group(resource);
    const char *name = kin_resource_name(resource);
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *definitions = NULL;
    const kin_object *definition = NULL;
    struct text full_name = TEXT_INIT;

    if (!strchr(group, '.') || columns_are_known(columns_of(group, name)))
        return;
    spec.group = "apiextensions.k8s.io";
    spec.version = "v1";
    spec.resource = "customresourcedefinitions";
    spec.cluster_wide = true;
    text_format(&full_name, "%s.%s", name, group);
    if (kin_resource_new(&definitions, &spec, NULL) == 0 &&
        kin_client_get(client, &definition, definitions, NULL, text_string(&full_name), NULL,
                       NULL) == 0)
        crd_columns_read(ret, definition, kin_resource_version(resource));
    text_done(&full_name);
    kin_object_unref(definition);
    kin_resource_unref(definitions);
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
    else if (kin_value_type(value) == KIN_STRING)
        text_add_string(out, "<invalid>");
}

/* A fraction is cut off, as the server does it. */
static void add_integer(struct text *out, const struct jsonpath_value *value)
{
    int64_t integer;
    double number;

    if (kin_value_int64(&integer, value->value) == 0)
        jsonpath_value_print(out, value);
    else if (kin_value_double(&number, value->value) == 0 && number > -9e18 && number < 9e18)
        text_format(out, "%lld", (long long)number);
}

static void add_typed(struct text *out, const struct jsonpath_value *value, enum crd_type type,
                      int64_t now)
{
    double number;
    bool flag;

    switch (type) {
    case CRD_DATE:
        add_date(out, value->value, now);
        break;
    case CRD_INTEGER:
        add_integer(out, value);
        break;
    case CRD_NUMBER:
        if (kin_value_double(&number, value->value) == 0)
            jsonpath_value_print(out, value);
        break;
    case CRD_BOOLEAN:
        if (kin_value_bool(&flag, value->value) == 0)
            jsonpath_value_print(out, value);
        break;
    default:
        if (kin_value_type(value->value) == KIN_NULL)
            text_add_string(out, "<no value>");
        else
            jsonpath_value_print(out, value);
        break;
    }
}

void crd_column_print(const struct crd_column *column, struct text *out, const kin_object *object,
                      int64_t now)
{
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    size_t start = out->len;

    (void)jsonpath_find(column->path, &values, &data, NULL);
    if (values.len > 0)
        add_typed(out, &values.items[0], column->type, now);
    cell_end(out, start);
    jsonpath_values_done(&values);
}
