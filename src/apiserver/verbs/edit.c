/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Editing with one check at the end, and comparing what was edited.
 */
#include <stdio.h>

#include "apiserver/verbs/api_inside.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

void kin__edit_begin(kin__edit *edit, const kin_object *base)
{
    edit->ed = NULL;
    edit->err = (kin_error)KIN_ERROR_INIT;
    edit->code = kin_editor_new(&edit->ed, base, &edit->err);
}

void kin__edit_string(kin__edit *edit, const char *path, kin_str value)
{
    if (edit->code == 0)
        edit->code = kin_editor_set_string(edit->ed, kin_str_of(path), value, &edit->err);
}

void kin__edit_number(kin__edit *edit, const char *path, int64_t value)
{
    if (edit->code == 0)
        edit->code = kin_editor_set_int64(edit->ed, kin_str_of(path), value, &edit->err);
}

void kin__edit_time(kin__edit *edit, const char *path, kin_time value)
{
    if (edit->code == 0)
        edit->code = kin_editor_set_time(edit->ed, kin_str_of(path), value, 0, &edit->err);
}

void kin__edit_json(kin__edit *edit, const char *path, const char *json)
{
    if (edit->code == 0)
        edit->code = kin_editor_set_json(edit->ed, kin_str_of(path), kin_str_of(json), &edit->err);
}

void kin__edit_remove(kin__edit *edit, const char *path)
{
    if (edit->code < 0)
        return;
    /* Mostly there is nothing, and to say so in words would cost more than to look. */
    edit->code = kin_editor_remove(edit->ed, kin_str_of(path), NULL);
    if (edit->code == KIN_ENOTFOUND)
        edit->code = 0;
    if (edit->code < 0)
        kin_error_set(&edit->err, edit->code, "%s: %s", path, kin_error_string(edit->code));
}

static bool is_empty(kin_value value)
{
    enum kin_type type = kin_value_type(value);

    return type == KIN_NULL ||
           ((type == KIN_MAP || type == KIN_ARRAY) && kin_value_len(value) == 0);
}

void kin__edit_remove_empty(kin__edit *edit, const kin_object *object)
{
    static const char *const paths[] = {"metadata.annotations", "metadata.finalizers",
                                        "metadata.labels", "metadata.managedFields",
                                        "metadata.ownerReferences"};

    for (size_t i = 0; i < kin__array_len(paths); i++) {
        if (is_empty(kin_object_find(object, paths[i])))
            kin__edit_remove(edit, paths[i]);
    }
}

void kin__edit_value(kin__edit *edit, const char *path, kin_value value)
{
    if (kin_value_type(value) == KIN_NONE)
        kin__edit_remove(edit, path);
    else if (edit->code == 0)
        edit->code = kin_editor_set_value(edit->ed, kin_str_of(path), value, &edit->err);
}

void kin__edit_version(kin__edit *edit, uint64_t version)
{
    char text[24];

    snprintf(text, sizeof(text), "%llu", (unsigned long long)version);
    kin__edit_string(edit, "metadata.resourceVersion", kin_str_of(text));
}

bool kin__edit_finish(kin__edit *edit, const kin_object **ret, kin__failure *failure)
{
    if (edit->code == 0)
        edit->code = kin_editor_finish(edit->ed, ret, &edit->err);
    kin_editor_free(edit->ed);
    edit->ed = NULL;
    return edit->code == 0 || kin__op_fail_code(failure, edit->code, &edit->err);
}

int kin__set_version(const kin_object **object, uint64_t version, kin_error *err)
{
    const kin_object *changed = NULL;
    kin__edit edit;

    kin__edit_begin(&edit, *object);
    kin__edit_version(&edit, version);
    if (edit.code == 0)
        edit.code = kin_editor_finish(edit.ed, &changed, &edit.err);
    kin_editor_free(edit.ed);
    if (edit.code < 0) {
        *err = edit.err;
        return edit.code;
    }
    kin_object_unref(*object);
    *object = changed;
    return 0;
}

/* --- comparing --- */

static bool is_there(kin_value value)
{
    return kin_value_type(value) != KIN_NONE;
}

/* Whether two maps have the same members, but for some. */
static bool is_same_but(kin_value a, kin_value b, const char *except, const char *except_too)
{
    size_t len_a = 0;
    size_t len_b = 0;
    kin_iter it;

    for (kin_iter_init(&it, a); kin_iter_next(&it); len_a++) {
        if (kin_str_equal(it.key, kin_str_of(except)) ||
            kin_str_equal(it.key, kin_str_of(except_too)))
            continue;
        if (!kin_value_equal(it.value, kin_value_get(b, it.key)))
            return false;
    }
    len_b = kin_value_len(b);
    len_a -= is_there(kin_value_get(a, kin_str_of(except)));
    len_b -= is_there(kin_value_get(b, kin_str_of(except)));
    len_a -= is_there(kin_value_get(a, kin_str_of(except_too)));
    len_b -= is_there(kin_value_get(b, kin_str_of(except_too)));
    return len_a == len_b;
}

bool kin__is_same_but_version(const kin_object *a, const kin_object *b)
{
    const kin_str metadata = kin_str_of("metadata");
    kin_value root_a = kin_object_root(a);
    kin_value root_b = kin_object_root(b);

    return is_same_but(kin_value_get(root_a, metadata), kin_value_get(root_b, metadata),
                       "resourceVersion", "selfLink") &&
           is_same_but(root_a, root_b, "metadata", "metadata ");
}

bool kin__is_same_spec(const kin_object *a, const kin_object *b)
{
    return is_same_but(kin_object_root(a), kin_object_root(b), "metadata", "status");
}

bool kin__is_being_deleted(const kin_object *object)
{
    return kin_object_deletion_timestamp(NULL, object) == 0;
}

bool kin__has_finalizers(const kin_object *object)
{
    return kin_value_len(kin_object_finalizers(object)) > 0;
}

/* --- conditions --- */

static bool is_text(kin_value value, const char *text)
{
    kin_scratch scratch;
    kin_str found = {NULL, 0};

    return kin_value_string(&found, value, &scratch) == 0 && kin_str_equal(found, kin_str_of(text));
}

/* Where the one of a type stands, or the place behind the last. */
static size_t find_condition(const kin_object *object, const char *type, kin_value *ret)
{
    kin_iter it;
    size_t n = 0;

    *ret = (kin_value){NULL, NULL};
    for (kin_iter_init(&it, kin_object_find(object, "status.conditions")); kin_iter_next(&it);
         n++) {
        if (!is_text(kin_value_get(it.value, kin_str_of("type")), type))
            continue;
        *ret = it.value;
        return n;
    }
    return n;
}

bool kin__condition_is(const kin_object *object, const char *type, const char *status)
{
    kin_value found;

    find_condition(object, type, &found);
    return is_text(kin_value_get(found, kin_str_of("status")), status);
}

void kin__condition_set(const kin__op *op, kin__edit *edit, const kin_object *object,
                        const char *type, const char *json)
{
    kin_value unused;
    char path[96];
    int len = snprintf(path, sizeof(path), "status.conditions[%zu]",
                       find_condition(object, type, &unused));

    if (kin_value_type(kin_object_find(object, "status.conditions")) != KIN_ARRAY)
        kin__edit_json(edit, "status.conditions", "[]");
    kin__edit_json(edit, path, json);
    snprintf(path + len, sizeof(path) - (size_t)len, ".lastTransitionTime");
    kin__edit_time(edit, path, kin__api_now(op->api));
}
