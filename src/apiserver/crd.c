/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CustomResourceDefinitions. One is served from the moment in which it is written, with its
 * conditions in the same state: the real server takes some moments and writes for that. It goes
 * when all its objects have gone, as namespaces do.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/crd_check.h"
#include "apiserver/kind_crd.h"
#include "apiserver/op.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

#define CLEANUP "customresourcecleanup.apiextensions.k8s.io"

bool kin__crd_is(const kin__kind *kind)
{
    return strcmp(kind->resource, "customresourcedefinitions") == 0 &&
           strcmp(kind->group, "apiextensions.k8s.io") == 0;
}

/* --- conditions --- */

/* Where a condition of a type stands, or the place behind the last. */
static size_t find_condition(const kin_object *crd, const char *type)
{
    kin_iter it;
    size_t n = 0;

    for (kin_iter_init(&it, kin_object_find(crd, "status.conditions")); kin_iter_next(&it); n++) {
        kin_scratch scratch;

        if (kin_str_equal(kin__crd_text(it.value, "type", &scratch), kin_str_of(type)))
            return n;
    }
    return n;
}

static bool has_condition(const kin_object *crd, const char *type)
{
    kin_value found =
        kin_value_at(kin_object_find(crd, "status.conditions"), find_condition(crd, type));
    kin_scratch scratch;

    return kin_str_equal(kin__crd_text(found, "status", &scratch), kin_str_of("True"));
}

static void set_condition(kin__api *api, kin__edit *edit, size_t at, const char *type, bool is_true,
                          const char *reason, const char *message)
{
    char path[64];
    char member[96];
    const char *const members[][2] = {{"type", type},
                                      {"status", is_true ? "True" : "False"},
                                      {"reason", reason},
                                      {"message", message}};

    snprintf(path, sizeof(path), "status.conditions[%zu]", at);
    kin__edit_json(edit, path, "{}");
    for (size_t i = 0; i < kin__array_len(members); i++) {
        snprintf(member, sizeof(member), "%s.%s", path, members[i][0]);
        kin__edit_string(edit, member, kin_str_of(members[i][1]));
    }
    snprintf(member, sizeof(member), "%s.lastTransitionTime", path);
    kin__edit_time(edit, member, kin__api_now(api));
}

static void set_accepted(kin__api *api, kin__edit *edit, const kin__name_conflict *conflict)
{
    bool is_accepted = !conflict || !conflict->reason;

    kin__edit_json(edit, "status.conditions", "[]");
    set_condition(api, edit, 0, "NamesAccepted", is_accepted,
                  is_accepted ? "NoConflicts" : conflict->reason,
                  is_accepted ? "no conflicts found" : conflict->message);
    set_condition(api, edit, 1, "Established", is_accepted,
                  is_accepted ? "InitialNamesAccepted" : "NotAccepted",
                  is_accepted ? "the initial names have been accepted"
                              : "not all names are accepted");
}

void kin__crd_mark_ending(kin__api *api, kin__edit *edit, const kin_object *base)
{
    if (edit->code == 0)
        edit->code = kin_editor_add_finalizer(edit->ed, kin_str_of(CLEANUP), &edit->err);
    set_condition(
        api, edit, find_condition(base, "Terminating"), "Terminating", true,
        "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon");
}

/* --- judging and completing --- */

static void complete_names(kin__edit *edit, const kin_object *crd)
{
    kin_value names = kin_object_find(crd, "spec.names");
    char text[300];
    kin_scratch scratch;

    if (kin__crd_text(names, "singular", &scratch).len == 0 &&
        kin__crd_singular(names, text, sizeof(text)))
        kin__edit_string(edit, "spec.names.singular", kin_str_of(text));
    if (kin__crd_text(names, "listKind", &scratch).len == 0 &&
        kin__crd_list_kind(names, text, sizeof(text)))
        kin__edit_string(edit, "spec.names.listKind", kin_str_of(text));
    if (kin_value_type(kin_object_find(crd, "spec.conversion")) == KIN_NONE)
        kin__edit_json(edit, "spec.conversion", "{\"strategy\":\"None\"}");
}

static void add_stored_version(kin__edit *edit, const kin_object *crd, const char *version)
{
    char path[64];
    size_t n = 0;
    kin_iter it;

    for (kin_iter_init(&it, kin_object_find(crd, "status.storedVersions")); kin_iter_next(&it);
         n++) {
        kin_scratch scratch;
        kin_str text = {NULL, 0};

        kin_value_string(&text, it.value, &scratch);
        if (kin_str_equal(text, kin_str_of(version)))
            return;
    }
    snprintf(path, sizeof(path), "status.storedVersions[%zu]", n);
    kin__edit_string(edit, path, kin_str_of(version));
}

bool kin__crd_prepare(kin__op *op, const kin_object *base, const kin_object **object,
                      kin__failure *failure)
{
    const kin_object *completed = NULL;
    kin__edit edit;
    bool ok;

    kin__kind_unref(op->new_kind);
    op->new_kind = NULL;
    kin__edit_begin(&edit, *object);
    complete_names(&edit, *object);
    if (!kin__edit_finish(&edit, &completed, failure))
        return false;
    kin_object_unref(*object);
    *object = completed;
    if (base)
        ok = kin__kind_from_changed_crd(&op->new_kind, *object, base,
                                        has_condition(base, "Established"), failure);
    else
        ok = kin__kind_from_crd(&op->new_kind, *object, failure);
    if (!ok)
        return false;
    kin__edit_begin(&edit, *object);
    if (!base)
        set_accepted(op->api, &edit, NULL);
    kin__edit_value(&edit, "status.acceptedNames", kin_object_find(*object, "spec.names"));
    add_stored_version(&edit, *object, op->new_kind->storage_version);
    if (!kin__edit_finish(&edit, &completed, failure))
        return false;
    kin_object_unref(*object);
    *object = completed;
    return true;
}

/* --- serving --- */

static bool refuse_names(kin__op *op, const kin__name_conflict *conflict, const kin_object **object,
                         kin__failure *failure)
{
    const kin_object *changed = NULL;
    kin__edit edit;

    kin__edit_begin(&edit, *object);
    set_accepted(op->api, &edit, conflict);
    kin__edit_remove(&edit, "status.acceptedNames");
    if (!kin__edit_finish(&edit, &changed, failure))
        return false;
    kin_object_unref(*object);
    *object = changed;
    return true;
}

static void stop_serving(kin__api *api, const kin_object *crd)
{
    kin_value spec = kin_object_find(crd, "spec");
    kin_scratch group;
    kin_scratch plural;

    kin__registry_remove(api->registry, kin__crd_text(spec, "group", &group),
                         kin__crd_text(kin_value_get(spec, kin_str_of("names")), "plural", &plural),
                         NULL);
}

bool kin__crd_admit(kin__op *op, enum kin__outcome outcome, const kin_object **object,
                    kin__failure *failure)
{
    kin__name_conflict conflict;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (op->is_dry_run)
        return true;
    if (outcome == KIN__DELETE) {
        stop_serving(op->api, *object);
        return true;
    }
    if (!op->new_kind)
        return true;
    code = kin__registry_put(op->api->registry, op->new_kind, &conflict, &err);
    if (code == KIN_EEXISTS)
        return refuse_names(op, &conflict, object, failure);
    return code == 0 || kin__op_fail_code(failure, code, &err);
}

void kin__crd_undo(kin__op *op, const kin_object *base)
{
    const kin__kind *kind = NULL;
    kin__failure failure;

    if (!base && op->result) {
        stop_serving(op->api, op->result);
    } else if (base && kin__kind_from_crd(&kind, base, &failure)) {
        kin__registry_put(op->api->registry, kind, NULL, NULL);
        kin__kind_unref(kind);
    }
}

/* --- its objects --- */

static const kin_object *newest(kin__api *api, const kin__kind *kind)
{
    return kin__state_newest(api->state, api->crds, kin_str_of(kind->collection));
}

bool kin__crd_admit_custom(kin__op *op, kin__failure *failure)
{
    const kin_object *crd = newest(op->api, op->kind);
    bool is_ending = crd && kin__is_being_deleted(crd);
    bool is_there = crd != NULL;

    kin_object_unref(crd);
    if (!is_there)
        return kin__fail_no_path(failure);
    if (!is_ending)
        return true;
    kin__fail(failure, 405, "MethodNotAllowed",
              "create not allowed while custom resource definition is terminating");
    failure->has_details = true;
    return false;
}

bool kin__crd_is_ending(kin__api *api, const kin__kind *kind)
{
    const kin_object *crd = newest(api, kind);
    bool is_ending = crd && kin__is_being_deleted(crd);

    kin_object_unref(crd);
    return is_ending;
}

/* --- start and end --- */

int kin__crds_start(kin__api *api, kin_error *err)
{
    const kin__state_query query = {.limit = 0};
    kin__state_page page;
    int code = kin__state_list(api->state, api->crds, &query, &page, err);

    if (code < 0)
        return code;
    for (size_t i = 0; code == 0 && i < page.objects.len; i++) {
        const kin__kind *kind = NULL;
        kin__failure failure;

        /* Whose names were taken by another one is not served, whichever comes first now. */
        if (!has_condition(page.objects.items[i], "Established"))
            continue;
        if (!kin__kind_from_crd(&kind, page.objects.items[i], &failure)) {
            if (failure.status == 500)
                code = kin_error_set(err, KIN_ENOMEM, "%s", kin_error_string(KIN_ENOMEM));
            continue;
        }
        code = kin__registry_put(api->registry, kind, NULL, err);
        if (code == KIN_EEXISTS)
            code = 0;
        kin__kind_unref(kind);
    }
    kin_object_list_done(&page.objects);
    return code;
}

/* Whether all objects of a definition have gone. */
static bool clear_objects(kin__api *api, const kin_object *crd)
{
    const kin__state_query query = {.limit = 0};
    const kin__kind *kind = NULL;
    kin__collection *collection = NULL;
    kin__state_page page;
    kin__failure failure;
    bool is_empty;

    if (!kin__kind_from_crd(&kind, crd, &failure))
        return failure.status != 500; /* nobody ever had objects of it */
    if (kin__state_collection(api->state, &collection, kin_str_of(kind->collection), NULL) < 0 ||
        kin__state_list(api->state, collection, &query, &page, NULL) < 0) {
        kin__kind_unref(kind);
        kin__api_clear_later(api);
        return false;
    }
    const kin__deletion deletion = {api, kind, NULL};
    is_empty = page.objects.len == 0;
    for (size_t i = 0; i < page.objects.len; i++) {
        if (kin__is_being_deleted(page.objects.items[i]))
            continue;
        if (kin__api_delete(&deletion, collection,
                            kin_str_of(kin_object_key(page.objects.items[i])), NULL,
                            NULL) == KIN_ENOMEM)
            kin__api_clear_later(api);
    }
    kin_object_list_done(&page.objects);
    kin__kind_unref(kind);
    return is_empty;
}

static void remove_definition(kin__api *api, kin_str name)
{
    const kin_object *object = NULL;
    kin__failure failure;
    kin__write write;
    kin__edit edit;
    bool is_over;

    kin__state_begin(api->state, &write, api->crds, name);
    if (!write.current || !kin__is_being_deleted(write.current) ||
        !kin_object_has_finalizer(write.current, kin_str_of(CLEANUP))) {
        kin__state_abort(api->state, &write);
        return;
    }
    kin__edit_begin(&edit, write.current);
    kin__edit_version(&edit, write.version);
    if (edit.code == 0)
        edit.code = kin_editor_remove_finalizer(edit.ed, kin_str_of(CLEANUP), &edit.err);
    if (!kin__edit_finish(&edit, &object, &failure)) {
        kin__state_abort(api->state, &write);
        kin__api_clear_later(api);
        return;
    }
    is_over = !kin__has_finalizers(object);
    if (is_over)
        stop_serving(api, object);
    if (kin__state_commit(api->state, &write, object, is_over, NULL, NULL) < 0)
        kin__api_clear_later(api);
    kin_object_unref(object);
    kin__api_published(api);
}

static bool is_ending(const kin_object *object, void *arg)
{
    (void)arg;
    return kin__is_being_deleted(object);
}

void kin__crds_clear(kin__api *api)
{
    const kin__state_query query = {.match = is_ending};
    kin__state_page page;

    if (kin__state_list(api->state, api->crds, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return;
    }
    for (size_t i = 0; i < page.objects.len; i++)
        if (clear_objects(api, page.objects.items[i]))
            remove_definition(api, kin_object_name(page.objects.items[i]));
    kin_object_list_done(&page.objects);
}
