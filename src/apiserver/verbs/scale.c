/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The subresource "scale": some members of an object, as an autoscaling/v1 Scale.
 */
#include <stdio.h>

#include "apiserver/kinds/validate.h"
#include "apiserver/verbs/api_inside.h"
#include "base/memory.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/selector.h"

const kin__kind kin__scale_kind = {
    .group = "autoscaling",
    .resource = "scales",
    .singular = "scale",
    .kind = "Scale",
    .list_kind = "ScaleList",
    .versions = (const kin__kind_version[]){{.name = "v1", .served = true}, {.name = NULL}},
    .storage_version = "v1",
    .collection = "",
    .namespaced = true,
};

static int64_t number_at(const kin_object *object, const char *path)
{
    int64_t number = 0;

    if (path)
        kin_value_int64(&number, kin_object_find(object, path));
    return number;
}

/* A LabelSelector, or the plain map of labels of a ReplicationController. */
static int read_selector(const kin_label_selector **ret, kin_value value, kin_error *err)
{
    bool is_selector =
        kin_value_type(kin_value_get(value, kin_str_of("matchLabels"))) == KIN_MAP ||
        kin_value_type(kin_value_get(value, kin_str_of("matchExpressions"))) == KIN_ARRAY;

    if (is_selector || kin_value_len(value) == 0)
        return kin_label_selector_from_value(ret, value, err);
    kin__buf text;
    kin_iter it;
    int code;

    kin__buf_init(&text, KIN_SELECTOR_MAX_LENGTH);
    for (kin_iter_init(&it, value); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str label = {"", 0};

        kin_value_string(&label, it.value, &scratch);
        if (it.index > 0)
            kin__buf_append_char(&text, ',');
        kin__buf_append(&text, it.key);
        kin__buf_append_char(&text, '=');
        kin__buf_append(&text, label);
    }
    code = text.failed;
    if (code == 0)
        code = kin_label_selector_parse(ret, kin__buf_str(&text), err);
    else
        kin_error_set(err, code, "%s", kin_error_string(code));
    kin__buf_done(&text);
    return code;
}

/* "a=b,c in (d,e)" of what selects the Pods. */
static void edit_selector(kin__edit *edit, const kin_object *object, const kin__scale_paths *paths)
{
    const kin_label_selector *selector = NULL;
    kin_value value = kin_object_find(object, paths->selector ? paths->selector : "\\ ");
    kin_scratch scratch;
    kin_str text = {NULL, 0};
    char *printed = NULL;

    if (!paths->selector || edit->code < 0 || kin_value_type(value) == KIN_NONE)
        return;
    if (!paths->selector_is_object) {
        if (kin_value_string(&text, value, &scratch) == 0 && text.len > 0)
            kin__edit_string(edit, "status.selector", text);
        return;
    }
    edit->code = read_selector(&selector, value, &edit->err);
    if (edit->code == 0)
        edit->code = kin_label_selector_print(&printed, NULL, selector, &edit->err);
    if (edit->code == 0)
        kin__edit_string(edit, "status.selector", kin_str_of(printed));
    else if (edit->code != KIN_ENOMEM)
        edit->code = 0; /* what is no selector is not told */
    kin_free(printed);
    kin_label_selector_unref(selector);
}

int kin__scale_of(const kin_object **ret, const kin__op *op, const kin_object *object,
                  kin_error *err)
{
    static const char *const members[] = {"name", "namespace", "uid", "resourceVersion",
                                          "creationTimestamp"};
    const kin__scale_paths *paths = &op->version->scale;
    kin__failure failure;
    kin__edit edit;

    kin__edit_begin(&edit, NULL);
    kin__edit_string(&edit, "kind", kin_str_of("Scale"));
    kin__edit_string(&edit, "apiVersion", kin_str_of("autoscaling/v1"));
    for (size_t i = 0; i < kin__array_len(members); i++) {
        char path[64];

        snprintf(path, sizeof(path), "metadata.%s", members[i]);
        if (kin_value_type(kin_object_find(object, path)) != KIN_NONE)
            kin__edit_value(&edit, path, kin_object_find(object, path));
    }
    kin__edit_number(&edit, "spec.replicas", number_at(object, paths->replicas));
    kin__edit_number(&edit, "status.replicas", number_at(object, paths->status_replicas));
    edit_selector(&edit, object, paths);
    if (!kin__edit_finish(&edit, ret, &failure)) {
        *err = edit.err;
        return edit.code;
    }
    return 0;
}

static bool check_scale(kin__op *op, const kin_object *scale, kin__failure *failure)
{
    kin_value replicas = kin_object_find(scale, "spec.replicas");
    enum kin_type type = kin_value_type(replicas);
    int64_t number = 0;

    if (type != KIN_NONE && type != KIN_NULL && kin_value_int64(&number, replicas) < 0)
        return kin__fail_bad_request(failure,
                                     "Scale in version \"v1\" cannot be handled as a Scale: "
                                     "spec.replicas is no integer");
    kin__fail_invalid(failure, &kin__scale_kind, op->info.name);
    if (number < 0)
        kin__cause_invalid_value(failure, kin_str_of("spec.replicas"), replicas,
                                 "must be greater than or equal to 0");
    return kin__fail_if_causes(failure);
}

bool kin__scale_check(const kin__op *op, const kin_object *scale, kin__failure *failure)
{
    return kin__validate_body(op->kind, kin_str_of(op->version->name), op->subresource,
                              op->info.namespace_, op->info.name, scale, failure);
}

bool kin__scale_read(kin__op *op, kin__failure *failure)
{
    return kin__op_decode(op, "Scale", &op->body, failure) &&
           kin__scale_check(op, op->body, failure);
}

bool kin__scale_apply(kin__op *op, const kin_object *base, const kin_object *scale,
                      const kin_object **ret, kin__failure *failure)
{
    kin__edit edit;

    if (!check_scale(op, scale, failure))
        return false;
    kin__edit_begin(&edit, base);
    kin__edit_number(&edit, op->version->scale.replicas, number_at(scale, "spec.replicas"));
    return kin__edit_finish(&edit, ret, failure);
}
