/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of rules in the order in which they were injected. Those that are used up stay, because
 * whoever injected them may ask how often they applied; the oldest of them make room for new ones.
 */
#include "apiserver/faults/faults.h"

#include <stdatomic.h>
#include <string.h>

#include "apiserver/faults/fault_rules.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/process.h"

#define RULES_MAX 10000u
#define SORTS 3

struct kin__faults {
    uint64_t seed;
    kin__fork_guard guard;
    kin__mutex lock;
    kin__list rules;       /* (lock) */
    size_t n_rules;        /* (lock) */
    uint64_t last_id;      /* (lock) */
    atomic_uint of[SORTS]; /* rules of that sort, so that nobody asks in vain; changed under lock */
};

int kin__faults_new(kin__faults **ret, uint64_t seed, kin_error *err)
{
    kin__faults *faults = kin__calloc(1, sizeof(*faults));

    if (!faults)
        return kin__error_no_memory(err);
    int code = kin__fork_guard_init(&faults->guard, err);
    if (code < 0) {
        kin__free(faults);
        return code;
    }
    faults->seed = seed;
    kin__mutex_init(&faults->lock, KIN__RANK_API_FAULTS);
    kin__list_init(&faults->rules);
    *ret = faults;
    return 0;
}

static kin__fault_rule *rule_of(kin__list *node)
{
    return kin__list_entry(node, kin__fault_rule, link);
}

static void free_rules(kin__list *rules)
{
    kin__list *node = NULL;

    while ((node = kin__list_pop_front(rules)))
        kin__fault_rule_free(rule_of(node));
}

void kin__faults_free(kin__faults *faults)
{
    if (!faults)
        return;
    free_rules(&faults->rules);
    if (kin__fork_guard_check(&faults->guard, NULL) == 0)
        kin__mutex_done(&faults->lock);
    kin__free(faults);
}

static void count_locked(kin__faults *faults, const kin__fault_rule *rule, int by)
    KIN_REQUIRES(faults->lock)
{
    atomic_uint *n = &faults->of[kin__fault_sort_of(rule->fault.type)];

    if (by > 0)
        atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    else
        atomic_fetch_sub_explicit(n, 1, memory_order_relaxed);
}

static void take_out_locked(kin__faults *faults, kin__fault_rule *rule) KIN_REQUIRES(faults->lock)
{
    kin__list_remove(&rule->link);
    faults->n_rules--;
    count_locked(faults, rule, -1);
}

/* NULL: all rules are still in use. */
static kin__fault_rule *take_used_up_locked(kin__faults *faults) KIN_REQUIRES(faults->lock)
{
    kin__list_for_each(&faults->rules, node) {
        kin__fault_rule *rule = rule_of(node);

        if (kin__fault_rule_is_used_up(rule)) {
            take_out_locked(faults, rule);
            return rule;
        }
    }
    return NULL;
}

int kin__faults_add(kin__faults *faults, const kin_fault *fault, uint64_t *ret_id, kin_error *err)
{
    kin__fault_rule *rule = NULL;
    kin__fault_rule *old = NULL;
    uint64_t id = 0;

    kin__mutex_lock(&faults->lock);
    id = ++faults->last_id;
    kin__mutex_unlock(&faults->lock);
    int code = kin__fault_rule_new(&rule, fault, id, faults->seed, err);
    if (code < 0)
        return code;
    kin__mutex_lock(&faults->lock);
    if (faults->n_rules >= RULES_MAX)
        old = take_used_up_locked(faults);
    bool is_room = faults->n_rules < RULES_MAX;
    if (is_room) {
        kin__list_push_back(&faults->rules, &rule->link);
        faults->n_rules++;
        count_locked(faults, rule, 1);
    }
    kin__mutex_unlock(&faults->lock);
    kin__fault_rule_free(old);
    if (!is_room) {
        kin__fault_rule_free(rule);
        return kin_error_set(err, KIN_ELIMIT, "there are %u rules already", RULES_MAX);
    }
    if (ret_id)
        *ret_id = id;
    return 0;
}

int kin__faults_remove(kin__faults *faults, uint64_t id, uint64_t *ret_hits, kin_error *err)
{
    kin__fault_rule *found = NULL;

    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node) {
        if (rule_of(node)->id == id)
            found = rule_of(node);
    }
    if (found)
        take_out_locked(faults, found);
    kin__mutex_unlock(&faults->lock);
    if (!found)
        return kin_error_set(err, KIN_ENOTFOUND, "there is no fault %llu", (unsigned long long)id);
    if (ret_hits)
        *ret_hits = found->hits;
    kin__fault_rule_free(found);
    return 0;
}

void kin__faults_clear(kin__faults *faults)
{
    kin__list rules;

    kin__list_init(&rules);
    kin__mutex_lock(&faults->lock);
    kin__list_splice_back(&rules, &faults->rules);
    faults->n_rules = 0;
    for (size_t i = 0; i < SORTS; i++)
        atomic_store_explicit(&faults->of[i], 0, memory_order_relaxed);
    kin__mutex_unlock(&faults->lock);
    free_rules(&rules);
}

static bool has_rules(const kin__faults *faults, enum kin__fault_sort sort)
{
    return atomic_load_explicit(&faults->of[sort], memory_order_relaxed) > 0;
}

static void set_met(kin__met_fault *ret, const kin__fault_rule *rule)
{
    ret->id = rule->id;
    ret->fault = rule->fault;
    ret->fault.verb = ret->fault.path = ret->fault.body = NULL;
    ret->body = NULL;
}

/* 0, KIN_ENOMEM. */
static int copy_met(kin__met_fault *ret, const kin__fault_rule *rule)
{
    char *body = NULL;

    if (rule->fault.body) {
        body = kin__memdup_str(kin_str_of(rule->fault.body));
        if (!body)
            return KIN_ENOMEM;
    }
    set_met(ret, rule);
    ret->body = body;
    return 0;
}

int kin__faults_meet(kin__faults *faults, const kin__target *target, kin_str path,
                     kin__met_fault *ret)
{
    int code = 0;

    *ret = (kin__met_fault){.id = 0};
    if (!has_rules(faults, KIN__FAULT_OF_REQUEST))
        return 0;
    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node) {
        kin__fault_rule *rule = rule_of(node);

        if (kin__fault_sort_of(rule->fault.type) == KIN__FAULT_OF_REQUEST &&
            kin__fault_rule_matches(rule, target->verb, path) && kin__fault_rule_applies(rule)) {
            code = copy_met(ret, rule);
            if (code < 0)
                rule->hits--;
            break;
        }
    }
    kin__mutex_unlock(&faults->lock);
    return code;
}

bool kin__faults_refuse_one(kin__faults *faults)
{
    bool refused = false;

    if (!has_rules(faults, KIN__FAULT_OF_CONNECTION))
        return false;
    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node) {
        if (rule_of(node)->fault.type == KIN_FAULT_REFUSE &&
            kin__fault_rule_applies(rule_of(node))) {
            refused = true;
            break;
        }
    }
    kin__mutex_unlock(&faults->lock);
    return refused;
}

/* Rules that spare some or go by chance leave the port open: there each connection is asked. */
static bool closes_port(const kin_fault *fault)
{
    return fault->type == KIN_FAULT_REFUSE && fault->times == KIN_FAULT_ALWAYS &&
           fault->skip == 0 && fault->probability >= 1;
}

bool kin__faults_refuse_all(kin__faults *faults)
{
    bool refused = false;

    if (!has_rules(faults, KIN__FAULT_OF_CONNECTION))
        return false;
    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node)
        refused = refused || closes_port(&rule_of(node)->fault);
    kin__mutex_unlock(&faults->lock);
    return refused;
}

/* What a rule does to an event of this sort; KIN__WATCH_PASS: it is none of its business. */
static enum kin__watch_action action_of(kin_fault_type type, enum kin__watch_event_type event)
{
    bool is_change = event == KIN__WATCH_CHANGE;

    switch (type) {
    case KIN_FAULT_WATCH_ERROR:
        return KIN__WATCH_SAY_ERROR;
    case KIN_FAULT_WATCH_END:
        return KIN__WATCH_END_NOW;
    case KIN_FAULT_WATCH_DROP:
        return is_change ? KIN__WATCH_LOSE : KIN__WATCH_PASS;
    case KIN_FAULT_WATCH_DUPLICATE:
        return is_change ? KIN__WATCH_TWICE : KIN__WATCH_PASS;
    case KIN_FAULT_WATCH_REORDER:
        return is_change ? KIN__WATCH_LATER : KIN__WATCH_PASS;
    case KIN_FAULT_WATCH_NO_BOOKMARKS:
        return event == KIN__WATCH_BOOKMARK ? KIN__WATCH_LOSE : KIN__WATCH_PASS;
    case KIN_FAULT_WATCH_NO_INITIAL_END:
        return event == KIN__WATCH_INITIAL_END ? KIN__WATCH_LOSE : KIN__WATCH_PASS;
    case KIN_FAULT_WATCH_OVERSIZE:
        return is_change ? KIN__WATCH_PAD : KIN__WATCH_PASS;
    default:
        return KIN__WATCH_PASS;
    }
}

enum kin__watch_action kin__faults_on_event(kin__faults *faults, kin_str path,
                                            enum kin__watch_event_type event, kin__met_fault *ret)
{
    enum kin__watch_action action = KIN__WATCH_PASS;

    if (!has_rules(faults, KIN__FAULT_OF_WATCH))
        return KIN__WATCH_PASS;
    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node) {
        kin__fault_rule *rule = rule_of(node);
        enum kin__watch_action its = action_of(rule->fault.type, event);

        if (its != KIN__WATCH_PASS && kin__fault_rule_matches(rule, "watch", path) &&
            kin__fault_rule_applies(rule)) {
            action = its;
            set_met(ret, rule);
            break;
        }
    }
    kin__mutex_unlock(&faults->lock);
    return action;
}

void kin__faults_write(kin__faults *faults, kin__buf *out)
{
    const char *separator = "";

    kin__buf_append(out, kin_str_of("{\"faults\":["));
    kin__mutex_lock(&faults->lock);
    kin__list_for_each(&faults->rules, node) {
        kin__buf_append(out, kin_str_of(separator));
        kin__fault_rule_write(rule_of(node), out);
        separator = ",";
    }
    kin__mutex_unlock(&faults->lock);
    kin__buf_append(out, kin_str_of("]}\n"));
}
