/* SPDX-License-Identifier: Apache-2.0 */
/*
 * CustomResourceDefinitions. One is served from the moment in which it is written, with its
 * conditions in the same state: the real server takes some moments and writes for that. It goes
 * when all its objects have gone, as namespaces do.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/kinds/crd_check.h"
#include "apiserver/kinds/kind_crd.h"
#include "apiserver/verbs/api_inside.h"
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

/* `conflict` NULL: there is none. */
static void set_names_accepted(kin__api *api, kin__edit *edit, size_t at,
                               const kin__name_conflict *conflict)
{
    set_condition(api, edit, at, "NamesAccepted", !conflict,
                  conflict ? conflict->reason : "NoConflicts",
                  conflict ? conflict->message : "no conflicts found");
}

static void set_accepted(kin__api *api, kin__edit *edit, const kin__name_conflict *conflict)
{
    bool is_accepted = !conflict;

    kin__edit_json(edit, "status.conditions", "[]");
    set_names_accepted(api, edit, 0, conflict);
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

/*
 * Whether the names are accepted, into the status. What is established stays so, under the names
 * that it had: they are all that others can have found.
 */
static void edit_names(kin__api *api, kin__edit *edit, const kin_object *crd, bool was_established,
                       const kin__name_conflict *conflict)
{
    if (was_established)
        set_names_accepted(api, edit, find_condition(crd, "NamesAccepted"), conflict);
    else
        set_accepted(api, edit, conflict);
    if (!conflict)
        kin__edit_value(edit, "status.acceptedNames", kin_object_find(crd, "spec.names"));
    else if (!was_established)
        kin__edit_remove(edit, "status.acceptedNames");
}

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
        edit_names(op->api, &edit, *object, false, NULL);
    add_stored_version(&edit, *object, op->new_kind->storage_version);
    if (!kin__edit_finish(&edit, &completed, failure))
        return false;
    kin_object_unref(*object);
    *object = completed;
    return true;
}

/* --- serving --- */

static bool has_accepted_names(const kin_object *crd)
{
    return has_condition(crd, "NamesAccepted") && has_condition(crd, "Established") &&
           kin_value_equal(kin_object_find(crd, "status.acceptedNames"),
                           kin_object_find(crd, "spec.names"));
}

/* 0, also if it was not served; KIN_ENOMEM. */
static int stop_serving(kin__api *api, const kin_object *crd)
{
    kin_value spec = kin_object_find(crd, "spec");
    kin_value names = kin_value_get(spec, kin_str_of("names"));
    kin_scratch group;
    kin_scratch plural;
    int code = kin__registry_remove(api->registry, kin__crd_text(spec, "group", &group),
                                    kin__crd_text(names, "plural", &plural), NULL);

    return code == KIN_ENOTFOUND ? 0 : code;
}

bool kin__crd_admit(kin__op *op, enum kin__outcome outcome, const kin_object *base,
                    const kin_object **object, kin__failure *failure)
{
    const kin_object *changed = NULL;
    kin__name_conflict conflict;
    kin_error err = KIN_ERROR_INIT;
    kin__edit edit;
    int code;

    if (op->is_dry_run)
        return true;
    if (outcome == KIN__DELETE)
        return stop_serving(op->api, *object) == 0 || kin__fail_no_memory(failure);
    if (!op->new_kind)
        return true;
    code = kin__registry_put(op->api->registry, op->new_kind, &conflict, &err);
    if (code < 0 && code != KIN_EEXISTS)
        return kin__op_fail_code(failure, code, &err);
    if (code == 0 && has_accepted_names(*object))
        return true;
    kin__edit_begin(&edit, *object);
    edit_names(op->api, &edit, *object, base && has_condition(base, "Established"),
               code < 0 ? &conflict : NULL);
    if (!kin__edit_finish(&edit, &changed, failure)) {
        kin__crd_undo(op, base);
        return false;
    }
    kin_object_unref(*object);
    *object = changed;
    return true;
}

void kin__crd_undo(kin__op *op, const kin_object *base)
{
    const kin__kind *kind = NULL;
    kin__failure failure;

    if (!base && op->new_kind) {
        (void)kin__registry_remove(op->api->registry, kin_str_of(op->new_kind->group),
                                   kin_str_of(op->new_kind->resource), NULL);
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

/* Serve a definition that was served before. 0, KIN_ENOMEM. */
static int serve_again(kin__api *api, kin_str name, kin_error *err)
{
    const kin_object *crd = kin__state_newest(api->state, api->crds, name);
    const kin__kind *kind = NULL;
    kin__failure failure;
    int code = 0;

    /* Whose names were refused once is judged again by kin__crds_clear(). */
    if (!crd || !has_condition(crd, "Established")) {
        kin_object_unref(crd);
        return 0;
    }
    if (kin__kind_from_crd(&kind, crd, &failure))
        code = kin__registry_put(api->registry, kind, NULL, err);
    else if (failure.status == 500)
        code = kin_error_set(err, KIN_ENOMEM, "%s", kin_error_string(KIN_ENOMEM));
    kin__kind_unref(kind);
    kin_object_unref(crd);
    return code == KIN_EEXISTS ? 0 : code;
}

int kin__crds_start(kin__api *api, kin_error *err)
{
    const kin__state_query query = {.limit = 0};
    kin__state_page page;
    int code = kin__state_list(api->state, api->crds, &query, &page, err);

    if (code < 0)
        return code;
    for (size_t i = 0; code == 0 && i < page.objects.len; i++)
        code = serve_again(api, kin_object_name(page.objects.items[i]), err);
    kin_object_list_done(&page.objects);
    return code;
}

int kin__crds_sync(kin__api *api)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(api->registry);
    int code = 0;

    for (size_t i = 0; code == 0 && i < snapshot->n_kinds; i++) {
        const kin__kind *kind = snapshot->kinds[i];
        const kin_object *crd = kind->custom ? newest(api, kind) : NULL;

        if (kind->custom && (!crd || !has_condition(crd, "Established")))
            code = kin__registry_remove(api->registry, kin_str_of(kind->group),
                                        kin_str_of(kind->resource), NULL);
        kin_object_unref(crd);
    }
    kin__snapshot_unref(snapshot);
    return code < 0 ? code : kin__crds_start(api, NULL);
}

/*
 * The kind of a definition, if that is served: a reference, or NULL. One whose names were refused
 * has no objects; what lies in a collection of that name is another kind's.
 */
static const kin__kind *find_served(kin__api *api, kin_str name)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(api->registry);
    const kin__kind *found = NULL;

    for (size_t i = 0; !found && i < snapshot->n_kinds; i++) {
        const kin__kind *kind = snapshot->kinds[i];

        if (kind->custom && kin_str_equal(kin_str_of(kind->collection), name))
            found = kin__kind_ref(kind);
    }
    kin__snapshot_unref(snapshot);
    return found;
}

/* In the writer's lock. */
static int commit_end(kin__api *api, kin__write *write, const kin_object *object)
{
    bool is_over = !kin__has_finalizers(object);
    const kin__kind *kind = find_served(api, kin_object_name(object));
    int code = 0;

    if (is_over)
        code = stop_serving(api, object);
    if (code < 0)
        kin__state_abort(api->state, write);
    else
        code = kin__api_commit(api, write, object, is_over, true);
    if (code < 0 && kind)
        (void)kin__registry_put(api->registry, kind, NULL, NULL);
    kin__kind_unref(kind);
    return code;
}

static void remove_definition(kin__api *api, kin_str name)
{
    const kin_object *object = NULL;
    kin__failure failure;
    kin__write write;
    kin__edit edit;

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
    if (commit_end(api, &write, object) == KIN_ENOMEM)
        kin__api_clear_later(api);
    kin_object_unref(object);
}

static bool is_ending(const kin_object *object, void *arg)
{
    (void)arg;
    return kin__is_being_deleted(object);
}

static bool is_refused(const kin_object *object, void *arg)
{
    (void)arg;
    return !kin__is_being_deleted(object) && !has_condition(object, "Established");
}

/* Whether all objects of a definition have gone. */
static bool clear_objects(kin__api *api, kin_str name, size_t *budget)
{
    const kin__kind *kind = find_served(api, name);
    bool is_empty = !kind || kin__api_sweep(api, kind, kin_str_of(""), budget);

    kin__kind_unref(kind);
    return is_empty;
}

/* In the writer's lock, which ends: the kind is served. */
static void commit_accepted(kin__api *api, kin__write *write, const kin__kind *kind)
{
    const kin_object *object = NULL;
    kin__failure failure;
    kin__edit edit;

    kin__edit_begin(&edit, write->current);
    kin__edit_version(&edit, write->version);
    edit_names(api, &edit, write->current, false, NULL);
    if (!kin__edit_finish(&edit, &object, &failure)) {
        kin__state_abort(api->state, write);
        kin__api_clear_later(api);
    } else if (kin__api_commit(api, write, object, false, false) == 0) {
        kind = NULL;
    }
    kin_object_unref(object);
    if (kind)
        (void)kin__registry_remove(api->registry, kin_str_of(kind->group),
                                   kin_str_of(kind->resource), NULL);
}

/* Its names were taken. If they are free now, it is served. */
static void accept_names(kin__api *api, kin_str name)
{
    const kin__kind *kind = NULL;
    kin__failure failure;
    kin__write write;

    kin__state_begin(api->state, &write, api->crds, name);
    if (write.current && is_refused(write.current, NULL) &&
        kin__kind_from_crd(&kind, write.current, &failure) &&
        kin__registry_put(api->registry, kind, NULL, NULL) == 0)
        commit_accepted(api, &write, kind);
    else
        kin__state_abort(api->state, &write);
    kin__kind_unref(kind);
}

static void accept_all(kin__api *api)
{
    const kin__state_query query = {.match = is_refused};
    kin__state_page page;

    if (kin__state_list(api->state, api->crds, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return;
    }
    for (size_t i = 0; i < page.objects.len; i++)
        accept_names(api, kin_object_name(page.objects.items[i]));
    kin_object_list_done(&page.objects);
}

void kin__crds_clear(kin__api *api, size_t *budget)
{
    const kin__state_query query = {.match = is_ending};
    kin__state_page page;

    if (kin__state_list(api->state, api->crds, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return;
    }
    for (size_t i = 0; i < page.objects.len; i++) {
        kin_str name = kin_object_name(page.objects.items[i]);

        if (clear_objects(api, name, budget))
            remove_definition(api, name);
    }
    kin_object_list_done(&page.objects);
    accept_all(api);
}
