/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evictions: a Pod is deleted unless a PodDisruptionBudget stands in the way, as drains ask for it.
 *
 * No controller keeps budgets up to date here. What their status says counts: whoever tests drains
 * writes it, and one without a status lets nobody go, as in a cluster whose controller is slow. The
 * budget is charged before the Pod is deleted, by a write of its own, so that two evictions never
 * share one allowance; what is charged and then not used the controller gives back. The real server
 * writes the Pod's condition before it deletes it; here both are one state.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/kinds/member_types.h"
#include "apiserver/kinds/validate.h"
#include "apiserver/verbs/api_inside.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/selector.h"
#include "object/json.h"

#define BUDGETS "poddisruptionbudgets.policy"
/* More evictions than that, which no controller has seen, are not remembered. */
#define DISRUPTED_MAX 2000
#define REFUSED "Cannot evict pod as it would violate the pod's disruption budget."

static bool is_text(kin_value value, const char *text)
{
    kin_scratch scratch;
    kin_str found = {NULL, 0};

    return kin_value_string(&found, value, &scratch) == 0 && kin_str_equal(found, kin_str_of(text));
}

static int64_t number_at(const kin_object *object, const char *path)
{
    int64_t number = 0;

    kin_value_int64(&number, kin_object_find(object, path));
    return number;
}

/* --- what is asked for --- */

/* Clients from before 1.22 say policy/v1beta1, which has the same form. */
static bool take_old_version(kin__op *op, kin__failure *failure)
{
    const kin_object *changed = NULL;
    kin_scratch scratch;
    kin__edit edit;

    if (!kin_str_equal(kin_object_api_version(op->body, &scratch), kin_str_of("policy/v1beta1")))
        return true;
    kin__edit_begin(&edit, op->body);
    kin__edit_string(&edit, "apiVersion", kin_str_of("policy/v1"));
    if (!kin__edit_finish(&edit, &changed, failure))
        return false;
    kin_object_unref(op->body);
    op->body = changed;
    return true;
}

/* The options as the body: what is read of them lies in it. */
static bool take_options(kin__op *op, kin_value value, kin__failure *failure)
{
    const kin_object *options = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__buf text;
    int code;

    kin__buf_init(&text, KIN__TEXT_MAX);
    kin__json_write(&text, value, KIN_JSON_COMPACT);
    code =
        text.failed ? text.failed : kin_object_from_json(&options, kin__buf_str(&text), NULL, &err);
    kin__buf_done(&text);
    if (code < 0)
        return kin__op_fail_code(failure, code, &err);
    kin_object_unref(op->body);
    op->body = options;
    return kin__delete_options_read(&op->deletion, options, op->scratch, failure) &&
           kin__delete_options_check(&op->deletion, failure);
}

static bool read_eviction(kin__op *op, kin__failure *failure)
{
    const kin__decoding decoding = {"Eviction", kin_str_of("v1"), failure};

    if (!kin__op_decode(op, "Eviction", &op->body, failure) || !take_old_version(op, failure) ||
        !kin__validate_body(op->kind, kin_str_of(op->version->name), op->subresource,
                            op->info.namespace_, kin_str_of(""), op->body, failure))
        return false;
    if (!kin_str_equal(kin_object_name(op->body), op->info.name))
        return kin__fail_bad_request(failure, "name in URL does not match name in Eviction object");
    kin_value options = kin_object_find(op->body, "deleteOptions");
    if (!kin__is_type(options, KIN_MAP))
        return kin__fail_type(&decoding, options, "Eviction.deleteOptions", "v1.DeleteOptions");
    if (kin_value_type(options) == KIN_MAP && !take_options(op, options, failure))
        return false;
    op->is_dry_run = op->info.options.dry_run || op->deletion.dry_run;
    return true;
}

/* --- budgets --- */

/* What does not run disturbs nobody by its end. */
static bool needs_no_budget(const kin_object *pod)
{
    kin_value phase = kin_object_find(pod, "status.phase");

    return is_text(phase, "Succeeded") || is_text(phase, "Failed") || is_text(phase, "Pending") ||
           kin__is_being_deleted(pod);
}

struct guarded {
    const kin_object *pod;
    bool is_unknown; /* memory was missing: a budget may have been overlooked */
};

/* Whether a budget is one for the Pod. A selector that is none selects nothing. */
static bool guards(const kin_object *budget, void *arg)
{
    struct guarded *guarded = arg;
    const kin_label_selector *selector = NULL;
    kin_value value = kin_object_find(budget, "spec.selector");

    if (kin_value_type(value) != KIN_MAP)
        return false;
    int code = kin_label_selector_from_value(&selector, value, NULL);
    guarded->is_unknown |= code == KIN_ENOMEM;
    if (code < 0)
        return false;
    bool is_selected = kin_label_selector_matches(selector, guarded->pod);
    kin_label_selector_unref(selector);
    return is_selected;
}

/* A Pod that is not ready does not count, so that it may go while enough others are. */
static bool may_go_unready(const kin_object *budget, const kin_object *pod)
{
    int64_t wanted = number_at(budget, "status.desiredHealthy");

    if (kin__condition_is(pod, "Ready", "True"))
        return false;
    return is_text(kin_object_find(budget, "spec.unhealthyPodEvictionPolicy"), "AlwaysAllow") ||
           (wanted > 0 && number_at(budget, "status.currentHealthy") >= wanted);
}

static bool refuse(kin__failure *failure, int retry_after_s, const char *words)
{
    kin__fail(failure, 429, "TooManyRequests", "%s", REFUSED);
    failure->has_details = true;
    failure->retry_after_s = retry_after_s;
    failure->n_causes = 1;
    failure->causes[0].reason = "DisruptionBudget";
    failure->causes[0].field[0] = '\0';
    snprintf(failure->causes[0].message, sizeof(failure->causes[0].message), "%s", words);
    return false;
}

static bool forbid(kin__failure *failure, kin_str budget, const char *words)
{
    static const kin__kind kind = {.group = "policy", .resource = "poddisruptionbudget"};

    return kin__fail_forbidden(failure, &kind, budget, "%s", words);
}

static bool allows(const kin_object *budget, kin__failure *failure)
{
    int64_t allowed = number_at(budget, "status.disruptionsAllowed");
    int64_t healthy = number_at(budget, "status.currentHealthy");
    int64_t wanted = number_at(budget, "status.desiredHealthy");
    kin_str name = kin_object_name(budget);
    char words[600];

    if (number_at(budget, "status.observedGeneration") < kin_object_generation(budget)) {
        snprintf(words, sizeof(words),
                 "The disruption budget %" KIN_STR_FMT " is still being processed by the server.",
                 KIN_STR_ARG(name));
        return refuse(failure, 10, words);
    }
    if (allowed < 0)
        return forbid(failure, name, "pdb disruptions allowed is negative");
    if (kin_value_len(kin_object_find(budget, "status.disruptedPods")) > DISRUPTED_MAX)
        return forbid(failure, name,
                      "DisruptedPods map too big - too many evictions not confirmed by PDB "
                      "controller");
    if (allowed > 0)
        return true;
    if (healthy <= wanted)
        snprintf(words, sizeof(words),
                 "The disruption budget %" KIN_STR_FMT
                 " needs %lld healthy pods and has %lld currently",
                 KIN_STR_ARG(name), (long long)wanted, (long long)healthy);
    else
        snprintf(words, sizeof(words),
                 "The disruption budget %" KIN_STR_FMT " does not allow evicting pods currently",
                 KIN_STR_ARG(name));
    return refuse(failure, 0, words);
}

static bool make_charged(kin__op *op, const kin__write *write, const kin_object **ret,
                         kin__failure *failure)
{
    const kin_object *budget = write->current;
    int64_t left = number_at(budget, "status.disruptionsAllowed") - 1;
    char path[300];
    kin__edit edit;

    /* A Pod's name holds nothing that a path would have to escape. */
    snprintf(path, sizeof(path), "status.disruptedPods['%" KIN_STR_FMT "']",
             KIN_STR_ARG(op->info.name));
    kin__edit_begin(&edit, budget);
    kin__edit_version(&edit, write->version);
    kin__edit_number(&edit, "status.disruptionsAllowed", left);
    kin__edit_time(&edit, path, kin__api_now(op->api));
    if (left == 0 && !kin__condition_is(budget, "DisruptionAllowed", "False")) {
        kin__condition_set(op, &edit, budget, "DisruptionAllowed",
                           "{\"type\":\"DisruptionAllowed\",\"status\":\"False\",\"reason\":"
                           "\"InsufficientPods\",\"message\":\"\"}");
    }
    return kin__edit_finish(&edit, ret, failure);
}

/* In the writer's lock: nobody else charges it meanwhile. */
static bool charge(kin__op *op, kin__collection *budgets, kin_str key, kin__failure *failure)
{
    const kin_object *charged = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__write write;
    int code;

    kin__state_begin(op->api->state, &write, budgets, key);
    bool ok = !write.current || allows(write.current, failure);
    if (!ok || !write.current || op->is_dry_run ||
        !(ok = make_charged(op, &write, &charged, failure))) {
        kin__state_abort(op->api->state, &write);
        return ok;
    }
    code = kin__state_commit(op->api->state, &write, charged, false, NULL, &err);
    kin_object_unref(charged);
    if (code < 0)
        return kin__op_fail_code(failure, code, &err);
    kin__api_published(op->api);
    return true;
}

static bool check_budget(kin__op *op, kin__collection *budgets, const kin__state_page *page,
                         const kin_object *pod, kin__failure *failure)
{
    if (page->objects.len == 0)
        return true;
    if (page->objects.len > 1)
        return kin__fail(failure, 500, NULL,
                         "This pod has more than one PodDisruptionBudget, which the eviction "
                         "subresource does not support.");
    const kin_object *budget = page->objects.items[0];
    if (may_go_unready(budget, pod))
        return true;
    return charge(op, budgets, kin_str_of(kin_object_key(budget)), failure);
}

static bool ask_budgets(kin__op *op, const kin_object *pod, kin__failure *failure)
{
    struct guarded guarded = {.pod = pod};
    kin__state_query query = {.match = guards, .match_arg = &guarded};
    kin__collection *budgets = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__state_page page;
    kin__buf prefix;
    bool ok = false;

    kin__buf_init(&prefix, KIN__PATH_MAX + 1);
    if (kin__op_prefix(op, &prefix, failure)) {
        query.prefix = kin__buf_str(&prefix);
        int code = kin__state_collection(op->api->state, &budgets, kin_str_of(BUDGETS), &err);
        if (code == 0)
            code = kin__state_list(op->api->state, budgets, &query, &page, &err);
        if (code == 0) {
            ok = guarded.is_unknown ? kin__fail_no_memory(failure)
                                    : check_budget(op, budgets, &page, pod, failure);
            kin_object_list_done(&page.objects);
        } else {
            kin__op_fail_code(failure, code, &err);
        }
    }
    kin__buf_done(&prefix);
    return ok;
}

/* --- the Pod --- */

static enum kin__outcome evict(kin__op *op, const kin_object *base, uint64_t version,
                               const kin_object **ret, kin__failure *failure)
{
    const kin__deletion deletion = {op->api, op->kind, &op->deletion};
    const kin_object *target = NULL;
    enum kin__outcome outcome;
    kin__edit edit;

    if (!base) {
        kin__fail_not_found(failure, op->kind, op->info.name);
        return KIN__REFUSED;
    }
    if (kin__condition_is(base, "DisruptionTarget", "True"))
        return kin__make_deleted(&deletion, base, version, ret, failure);
    kin__edit_begin(&edit, base);
    kin__condition_set(op, &edit, base, "DisruptionTarget",
                       "{\"type\":\"DisruptionTarget\",\"status\":\"True\",\"reason\":"
                       "\"EvictionByEvictionAPI\",\"message\":\"Eviction API: evicting\"}");
    if (!kin__edit_finish(&edit, &target, failure))
        return KIN__REFUSED;
    outcome = kin__make_deleted(&deletion, target, version, ret, failure);
    kin_object_unref(target);
    return outcome;
}

bool kin__serve_eviction(kin__op *op, kin__failure *failure)
{
    if (!read_eviction(op, failure))
        return false;
    const kin_object *pod =
        kin__state_newest(op->api->state, op->collection, kin__buf_str(&op->key));
    if (!pod)
        return kin__fail_not_found(failure, op->kind, op->info.name);
    bool ok = needs_no_budget(pod) || ask_budgets(op, pod, failure);
    kin_object_unref(pod);
    op->status = 201;
    op->is_bound = true;
    return ok && kin__op_write(op, evict, failure);
}
