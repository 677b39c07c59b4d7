/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Namespaces. One that is being deleted takes nothing new; what is in it is deleted by the
 * schedule's thread, and it goes when it is empty. All that was written before its deletion is
 * published before it: whoever sees that it is being deleted sees all that was ever in it.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

#define FINALIZER "kubernetes"

static const char *const initial[] = {"default", "kube-node-lease", "kube-public", "kube-system"};

/* --- judging --- */

bool kin__namespace_may_go(const kin__kind *kind, const kin_object *namespace_,
                           kin__failure *failure)
{
    static const char *const kept[] = {"default", "kube-public", "kube-system"};
    kin_str name = kin_object_name(namespace_);

    for (size_t i = 0; i < kin__array_len(kept); i++)
        if (kin_str_equal(name, kin_str_of(kept[i])))
            return kin__fail_forbidden(failure, kind, name, "this namespace may not be deleted");
    return true;
}

static bool fail_missing(kin__failure *failure, kin_str name)
{
    static const kin__kind namespaces = {
        .group = "", .resource = "namespaces", .kind = "Namespace"};

    return kin__fail_not_found(failure, &namespaces, name);
}

static bool fail_ending(const kin__op *op, kin__failure *failure)
{
    kin_str space = op->info.namespace_;
    kin_str name = op->is_generated ? kin_str_of(op->name) : kin_object_name(op->body);
    kin__cutline line;

    kin__fail_forbidden(failure, op->kind, name,
                        "unable to create new content in namespace %" KIN_STR_FMT
                        " because it is being terminated",
                        KIN_STR_ARG(space));
    failure->n_causes = 1;
    failure->causes[0].reason = "NamespaceTerminating";
    kin__cutline_init(&line, failure->causes[0].field, sizeof(failure->causes[0].field));
    kin__cutline_append(&line, kin_str_of("metadata.namespace"));
    kin__cutline_init(&line, failure->causes[0].message, sizeof(failure->causes[0].message));
    kin__cutline_appendf(&line, "namespace %" KIN_STR_FMT " is being terminated",
                         KIN_STR_ARG(space));
    return false;
}

bool kin__namespace_admit(kin__op *op, kin__failure *failure)
{
    kin__api *api = op->api;
    const kin_object *space = kin__state_newest(api->state, api->namespaces, op->info.namespace_);
    bool is_ending;

    if (!space)
        return fail_missing(failure, op->info.namespace_);
    is_ending = kin__is_being_deleted(space);
    kin_object_unref(space);
    return !is_ending || fail_ending(op, failure);
}

bool kin__namespace_is_ending(kin__api *api, kin_str name)
{
    const kin_object *space = kin__state_newest(api->state, api->namespaces, name);
    bool is_ending = space && kin__is_being_deleted(space);

    kin_object_unref(space);
    return is_ending;
}

/* --- making --- */

/* Where the server's own one stands among spec.finalizers, or the place behind the last. */
static size_t find_finalizer(const kin_object *space)
{
    kin_iter it;
    size_t n = 0;

    for (kin_iter_init(&it, kin_object_find(space, "spec.finalizers")); kin_iter_next(&it); n++) {
        kin_scratch scratch;
        kin_str text = {NULL, 0};

        kin_value_string(&text, it.value, &scratch);
        if (kin_str_equal(text, kin_str_of(FINALIZER)))
            return n;
    }
    return n;
}

void kin__namespace_prepare(kin__edit *edit, const kin_object *body, kin_str name)
{
    size_t n = kin_value_len(kin_object_find(body, "spec.finalizers"));
    char path[48];

    snprintf(path, sizeof(path), "spec.finalizers[%zu]", n);
    if (n == 0)
        kin__edit_json(edit, "spec.finalizers", "[\"" FINALIZER "\"]");
    else if (find_finalizer(body) == n)
        kin__edit_string(edit, path, kin_str_of(FINALIZER));
    kin__edit_json(edit, "status", "{\"phase\":\"Active\"}");
    kin__edit_string(edit, "metadata.labels['kubernetes.io/metadata.name']", name);
}

static int make_initial(kin__api *api, const char *name, kin_error *err)
{
    const kin_object *object = NULL;
    char uid[KIN__UID_SIZE];
    kin__failure failure;
    kin__write write;
    kin__edit edit;

    kin__state_begin(api->state, &write, api->namespaces, kin_str_of(name));
    if (write.current) {
        kin__state_abort(api->state, &write);
        return 0;
    }
    kin__uid_make(&api->random, uid);
    kin__edit_begin(&edit, NULL);
    kin__edit_string(&edit, "apiVersion", kin_str_of("v1"));
    kin__edit_string(&edit, "kind", kin_str_of("Namespace"));
    kin__edit_string(&edit, "metadata.name", kin_str_of(name));
    kin__edit_string(&edit, "metadata.uid", kin_str_of(uid));
    kin__edit_version(&edit, write.version);
    kin__edit_time(&edit, "metadata.creationTimestamp", kin__api_now(api));
    kin__namespace_prepare(&edit, NULL, kin_str_of(name));
    if (!kin__edit_finish(&edit, &object, &failure)) {
        kin__state_abort(api->state, &write);
        *err = edit.err;
        return edit.code;
    }
    int code = kin__state_commit(api->state, &write, object, false, NULL, err);
    kin_object_unref(object);
    return code;
}

int kin__namespaces_start(kin__api *api, kin_error *err)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < kin__array_len(initial); i++)
        code = make_initial(api, initial[i], err);
    return code;
}

/* --- clearing --- */

static bool clear_contents(kin__api *api, kin_str name, size_t *budget)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(api->registry);
    bool is_empty = true;
    kin__buf prefix;

    kin__buf_init(&prefix, KIN__PATH_MAX);
    kin__buf_append(&prefix, name);
    kin__buf_append_char(&prefix, '/');
    if (prefix.failed)
        kin__api_clear_later(api);
    for (size_t i = 0; !prefix.failed && i < snapshot->n_kinds; i++)
        if (snapshot->kinds[i]->namespaced)
            is_empty &= kin__api_sweep(api, snapshot->kinds[i], kin__buf_str(&prefix), budget);
    if (prefix.failed)
        is_empty = false;
    kin__buf_done(&prefix);
    kin__snapshot_unref(snapshot);
    return is_empty;
}

/* Take what the server itself holds it with out of spec.finalizers. */
static void edit_finalizers(kin__edit *edit, const kin_object *space)
{
    kin_value finalizers = kin_object_find(space, "spec.finalizers");
    size_t n = kin_value_len(finalizers);
    size_t at = find_finalizer(space);
    char path[48];

    snprintf(path, sizeof(path), "spec.finalizers[%zu]", at);
    if (at < n)
        kin__edit_remove(edit, n > 1 ? path : "spec.finalizers");
}

/*
 * It is empty: the server holds it no longer. If nobody else does it goes; else it goes with the
 * last update that takes a finalizer away.
 */
static void release(kin__api *api, kin_str name)
{
    const kin_object *object = NULL;
    kin__failure failure;
    kin__write write;
    kin__edit edit;
    bool is_over;

    kin__state_begin(api->state, &write, api->namespaces, name);
    if (!write.current || !kin__is_being_deleted(write.current) ||
        find_finalizer(write.current) ==
            kin_value_len(kin_object_find(write.current, "spec.finalizers"))) {
        kin__state_abort(api->state, &write);
        return;
    }
    kin__edit_begin(&edit, write.current);
    kin__edit_version(&edit, write.version);
    edit_finalizers(&edit, write.current);
    if (!kin__edit_finish(&edit, &object, &failure)) {
        kin__state_abort(api->state, &write);
        kin__api_clear_later(api);
        return;
    }
    is_over = kin_value_len(kin_object_find(object, "spec.finalizers")) == 0 &&
              !kin__has_finalizers(object);
    if (kin__api_commit(api, &write, object, is_over, false) == KIN_ENOMEM)
        kin__api_clear_later(api);
    kin_object_unref(object);
}

static bool is_ending(const kin_object *object, void *arg)
{
    (void)arg;
    return kin__is_being_deleted(object);
}

void kin__namespaces_clear(kin__api *api, size_t *budget)
{
    const kin__state_query query = {.match = is_ending};
    kin__state_page page;

    if (kin__state_list(api->state, api->namespaces, &query, &page, NULL) < 0) {
        kin__api_clear_later(api);
        return;
    }
    for (size_t i = 0; i < page.objects.len; i++) {
        kin_str name = kin_object_name(page.objects.items[i]);

        if (clear_contents(api, name, budget))
            release(api, name);
    }
    kin_object_list_done(&page.objects);
}
