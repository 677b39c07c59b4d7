/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a scheduler and a kubelet ask for or do: bindings, and the end of grace periods.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/kinds/validate.h"
#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "base/memory.h"
#include "kinform/editor.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "object/object.h"

/* --- bindings --- */

static kin_str text_at(const kin_object *object, const char *path, kin_scratch *scratch)
{
    kin_str text = {"", 0};

    kin_value_string(&text, kin_object_find(object, path), scratch);
    return text;
}

/* What a client knows of the Pod that it binds, if it says so. */
static bool check_binding(const kin__op *op, const kin_object *base, kin__failure *failure)
{
    kin_str pod = kin_object_name(op->body);
    kin_str version = kin_object_resource_version(op->body);
    kin_scratch scratch[2];
    kin_str uid = kin_object_uid(op->body, &scratch[0]);
    kin_str own = kin_object_uid(base, &scratch[1]);

    if (uid.len > 0 && !kin_str_equal(uid, own))
        return kin__fail_conflict(
            failure, op->kind, pod,
            "StorageError: invalid object, Code: 4, Key: /registry/pods/%" KIN_STR_FMT
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
            "UID in precondition: %" KIN_STR_FMT ", UID in object meta: %" KIN_STR_FMT,
            KIN_STR_ARG(kin__buf_str(&op->key)), KIN_STR_ARG(uid), KIN_STR_ARG(own));
    if (version.len > 0 && !kin_str_equal(version, kin_object_resource_version(base)))
        return kin__fail_conflict(
            failure, op->kind, pod,
            "StorageError: invalid object, Code: 4, Key: /registry/pods/%" KIN_STR_FMT
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in "
            "precondition: %" KIN_STR_FMT ", ResourceVersion in object meta: %" KIN_STR_FMT,
            KIN_STR_ARG(kin__buf_str(&op->key)), KIN_STR_ARG(version),
            KIN_STR_ARG(kin_object_resource_version(base)));
    return true;
}

/* Why a Pod cannot be bound; NULL if it can. */
static const char *why_not(const kin_object *base, char *words, size_t size)
{
    kin_scratch scratch;
    kin_str name = kin_object_name(base);
    kin_str node = text_at(base, "spec.nodeName", &scratch);

    if (kin__is_being_deleted(base))
        snprintf(words, size, "pod %" KIN_STR_FMT " is being deleted, cannot be assigned to a host",
                 KIN_STR_ARG(name));
    else if (node.len > 0)
        snprintf(words, size,
                 "pod %" KIN_STR_FMT " is already assigned to node \"%" KIN_STR_FMT "\"",
                 KIN_STR_ARG(name), KIN_STR_ARG(node));
    else if (kin_value_len(kin_object_find(base, "spec.schedulingGates")) > 0)
        snprintf(words, size, "pod %" KIN_STR_FMT " has non-empty .spec.schedulingGates",
                 KIN_STR_ARG(name));
    else
        return NULL;
    return words;
}

typedef int set_text_fn(kin_editor *ed, kin_str key, kin_str value, kin_error *err);

/* Labels or annotations of the binding, which the Pod gets. */
static void copy_texts(kin__edit *edit, kin_value map, set_text_fn *set)
{
    kin_iter it;

    for (kin_iter_init(&it, map); edit->code == 0 && kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str text = {"", 0};

        kin_value_string(&text, it.value, &scratch);
        edit->code = set(edit->ed, it.key, text, &edit->err);
    }
}

static enum kin__outcome bind(kin__op *op, const kin_object *base, uint64_t version,
                              const kin_object **ret, kin__failure *failure)
{
    static const kin__kind bindings = {.group = "", .resource = "pods/binding"};
    kin_str pod = kin_object_name(op->body);
    char words[600];
    kin_scratch scratch;
    kin__edit edit;

    if (!base) {
        kin__fail_not_found(failure, op->kind, pod);
        return KIN__REFUSED;
    }
    if (!check_binding(op, base, failure))
        return KIN__REFUSED;
    if (why_not(base, words, sizeof(words))) {
        kin__fail_conflict(failure, &bindings, pod, "%s", words);
        return KIN__REFUSED;
    }
    /* As the real server does, without a look at what an update may change: no generation counts. */
    kin__edit_begin(&edit, base);
    kin__edit_version(&edit, version);
    kin__edit_string(&edit, "spec.nodeName", text_at(op->body, "target.name", &scratch));
    kin__edit_remove(&edit, "status.nominatedNodeName");
    copy_texts(&edit, kin_object_annotations(op->body), kin_editor_set_annotation);
    copy_texts(&edit, kin_object_labels(op->body), kin_editor_set_label);
    kin__condition_set(op, &edit, base, "PodScheduled",
                       "{\"type\":\"PodScheduled\",\"status\":\"True\"}");
    return kin__edit_finish(&edit, ret, failure) ? KIN__PUT : KIN__REFUSED;
}

static bool find_pod(kin__op *op, kin__failure *failure)
{
    kin_str name = kin_object_name(op->body);

    if (op->subresource)
        return true;
    /* The resource "bindings": the body names the Pod. */
    kin__kind_unref(op->kind);
    op->kind =
        kin__registry_find(op->api->registry, kin_str_of(""), kin_str_of("v1"), kin_str_of("pods"));
    op->collection = op->api->pods;
    op->version = op->kind->versions;
    kin__buf_append(&op->key, name);
    return op->key.failed ? kin__fail_no_memory(failure) : true;
}

/* What is wrong with it the real server tells as an error of its own. */
static bool check_target(const kin_object *binding, kin__failure *failure)
{
    static const char missing[] = "target.name: Required value";
    kin_scratch scratch[2];
    kin_str kind = text_at(binding, "target.kind", &scratch[0]);
    bool has_name = text_at(binding, "target.name", &scratch[1]).len > 0;

    if (kind.len > 0 && !kin_str_equal(kind, kin_str_of("Node")))
        return kin__fail(failure, 500, NULL,
                         "%starget.kind: Unsupported value: \"%" KIN_STR_FMT
                         "\": supported values: \"Node\", \"<empty>\"%s%s%s",
                         has_name ? "" : "[", KIN_STR_ARG(kind), has_name ? "" : ", ",
                         has_name ? "" : missing, has_name ? "" : "]");
    return has_name || kin__fail(failure, 500, NULL, "%s", missing);
}

bool kin__serve_binding(kin__op *op, kin__failure *failure)
{
    if (!kin__op_decode(op, "Binding", &op->body, failure) ||
        !kin__validate_body(op->kind, kin_str_of(op->version->name), op->subresource,
                            op->info.namespace_, kin_str_of(""), op->body, failure))
        return false;
    if (op->info.name.len == 0 && kin_object_name(op->body).len == 0)
        return kin__fail_bad_request(failure, "Name parameter required.");
    if (op->info.name.len > 0 && !kin_str_equal(op->info.name, kin_object_name(op->body)))
        return kin__fail_bad_request(failure, "name in URL does not match name in Binding object");
    if (!check_target(op->body, failure))
        return false;
    op->status = 201;
    op->is_bound = true;
    op->is_dry_run = op->info.options.dry_run;
    return find_pod(op, failure) && kin__op_write(op, bind, failure);
}

/* --- the end of grace periods --- */

struct grace {
    kin__due due;
    kin__list link; /* (api's lock) */
    kin__api *api;
    kin_str key;
    kin_str uid;
    char text[]; /* both */
};

static void take_out(struct grace *grace)
{
    kin__mutex_lock(&grace->api->lock);
    kin__list_remove(&grace->link);
    kin__mutex_unlock(&grace->api->lock);
}

static void run_out(kin__due *due)
{
    struct grace *grace = kin__container_of(due, struct grace, due);
    kin__api *api = grace->api;
    const kin__kind *kind =
        kin__registry_find(api->registry, kin_str_of(""), kin_str_of("v1"), kin_str_of("pods"));
    const kin__delete_options options = {.uid = grace->uid, .has_grace_period = true};
    const kin__deletion deletion = {api, kind, &options};
    kin__failure failure;
    int code = kin__api_delete(&deletion, api->pods, grace->key, NULL, NULL, &failure);

    if (code == KIN_ENOMEM &&
        kin__schedule_at(&api->schedule, due, kin__clock_deadline(api->clock, KIN__SECOND)) == 0)
        return;
    take_out(grace);
    kin__free(grace);
}

bool kin__pods_must_wait(const kin_object *base, const kin_object *pod)
{
    kin_time when = {0, 0};
    kin_time before = {0, 0};
    int64_t grace = 0;

    kin_value_int64(&grace, kin_object_find(pod, "metadata.deletionGracePeriodSeconds"));
    if (grace == 0 || kin_object_deletion_timestamp(&when, pod) < 0)
        return false;
    return !base || kin_object_deletion_timestamp(&before, base) < 0 ||
           before.seconds != when.seconds;
}

static bool has_controller(const kin_object *pod)
{
    kin_owner_reference owner;

    return kin_object_controller(&owner, pod) == 0;
}

void kin__pods_wait(kin__api *api, const kin_object *pod)
{
    kin_scratch scratch;
    kin_str uid = kin_object_uid(pod, &scratch);
    kin_str key = kin__object_key(pod);
    kin_time when = {0, 0};
    int64_t ns;
    struct grace *grace;

    if (api->no_kubelet || kin_object_deletion_timestamp(&when, pod) < 0 ||
        (atomic_load(&api->has_kubelet) && has_controller(pod)))
        return;
    grace = kin__malloc(sizeof(*grace) + key.len + uid.len + 2);
    if (!grace)
        return; /* it stays until somebody deletes it once more */
    kin__due_init(&grace->due, run_out);
    grace->api = api;
    memcpy(grace->text, key.data, key.len);
    grace->text[key.len] = '\0';
    memcpy(grace->text + key.len + 1, uid.data, uid.len);
    grace->key = kin_str_make(grace->text, key.len);
    grace->uid = kin_str_make(grace->text + key.len + 1, uid.len);
    ns = when.seconds - kin__api_now(api).seconds;
    ns = (ns < KIN__CENTURY ? ns : KIN__CENTURY) * KIN__SECOND;
    kin__mutex_lock(&api->lock);
    if (!api->is_stopped &&
        kin__schedule_at(&api->schedule, &grace->due,
                         kin__clock_deadline(api->clock, ns > 0 ? ns : 0)) == 0) {
        kin__list_push_back(&api->graces, &grace->link);
        grace = NULL;
    }
    kin__mutex_unlock(&api->lock);
    kin__free(grace);
}

static bool is_ending(const kin_object *object, void *arg)
{
    (void)arg;
    return kin__is_being_deleted(object);
}

int kin__pods_start(kin__api *api, kin_error *err)
{
    const kin__state_query query = {.match = is_ending};
    kin__state_page page;
    int code = kin__state_list(api->state, api->pods, &query, &page, err);

    if (code < 0)
        return code;
    for (size_t i = 0; i < page.objects.len; i++)
        kin__pods_wait(api, page.objects.items[i]);
    kin_object_list_done(&page.objects);
    return 0;
}

int kin__api_set_kubelet(kin__api *api, bool is_there, kin_error *err)
{
    bool was_there = atomic_exchange(&api->has_kubelet, is_there);

    return was_there && !is_there && !api->no_kubelet ? kin__pods_start(api, err) : 0;
}

void kin__pods_stop(kin__api *api)
{
    kin__list *link;

    while ((link = kin__list_pop_front(&api->graces)))
        kin__free(kin__list_entry(link, struct grace, link));
}
