/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deleting collections. What is to go is listed first, at one version. Then it is deleted in steps:
 * the first one by whoever asks, the others by the schedule's thread, so that nobody else waits for
 * long, however many there are. The answer comes when the storage has all of it. The first that
 * cannot be deleted ends it, as it does in the real server.
 */
#include <stdatomic.h>

#include "apiserver/protocol/selector.h"
#include "apiserver/verbs/api_inside.h"
#include "base/error.h"
#include "base/memory.h"

enum { STEP = 256 };

struct sweep {
    kin__due due;            /* the next step */
    kin__list link;          /* (api's lock) in `sweeps` while it waits for that */
    kin__write_done settled; /* of what others are deleting */
    kin__op *op;
    kin__state_page page;
    size_t next;         /* of the page */
    bool must_settle;    /* something has gone already, or is going */
    _Atomic int code;    /* why one could not be written; 0 */
    _Atomic size_t left; /* writes that are not published; one more while they are begun */
};

static void sweep_free(struct sweep *sweep)
{
    kin_object_list_done(&sweep->page.objects);
    kin__free(sweep);
}

static void sweep_answer(struct sweep *sweep)
{
    kin__op *op = sweep->op;
    int code = atomic_load(&sweep->code);

    if (op->refusal) {
        kin__op_fail(op, op->refusal);
    } else if (code < 0) {
        kin_error err = KIN_ERROR_INIT;
        kin__failure failure;

        kin_error_set(&err, code, "not all could be deleted");
        kin__op_fail_code(&failure, code, &err);
        kin__op_fail(op, &failure);
    } else {
        sweep->page.more = false;
        kin__op_answer_list(op, &sweep->page, kin_str_of(""));
        sweep->page.objects = (kin_object_list){0};
    }
    sweep_free(sweep);
}

static void sweep_put(void *arg, int code)
{
    struct sweep *sweep = arg;

    if (code < 0)
        atomic_store(&sweep->code, code);
    if (atomic_fetch_sub(&sweep->left, 1) == 1)
        sweep_answer(sweep);
}

static void settled(kin__write_done *done, int code)
{
    sweep_put(kin__container_of(done, struct sweep, settled), code);
}

/* All is begun, or there will be no more. */
static void sweep_end(struct sweep *sweep)
{
    if (sweep->must_settle) {
        atomic_fetch_add(&sweep->left, 1);
        sweep->settled.fn = settled;
        kin__state_settle(sweep->op->api->state, UINT64_MAX, &sweep->settled);
    }
    sweep_put(sweep, 0);
}

static void delete_one(struct sweep *sweep, kin__failure *failure)
{
    kin__op *op = sweep->op;
    const kin__deletion deletion = {op->api, op->kind, &op->deletion};
    const char *key = kin_object_key(sweep->page.objects.items[sweep->next++]);
    int code;

    atomic_fetch_add(&sweep->left, 1);
    code = kin__api_delete(&deletion, op->collection, kin_str_of(key), sweep_put, sweep, failure);
    if (code == 0)
        return;
    atomic_fetch_sub(&sweep->left, 1);
    if (code == KIN_ENOTFOUND || code == KIN_EBUSY) {
        sweep->must_settle = true;
        return;
    }
    atomic_store(&sweep->code, code);
    if (code != KIN_ECONFLICT)
        return;
    op->refusal = kin__malloc(sizeof(*failure));
    if (op->refusal)
        *op->refusal = *failure;
}

/* Go on later. False: there is no later. */
static bool put_off(struct sweep *sweep)
{
    kin__api *api = sweep->op->api;
    bool goes_on;

    kin__mutex_lock(&api->lock);
    goes_on = !api->is_stopped;
    if (goes_on) {
        kin__list_push_back(&api->sweeps, &sweep->link);
        kin__schedule_now(&api->schedule, &sweep->due);
    }
    kin__mutex_unlock(&api->lock);
    return goes_on;
}

static void sweep_step(struct sweep *sweep)
{
    size_t len = sweep->op->is_dry_run ? 0 : sweep->page.objects.len;
    kin__failure failure;

    kin__failure_init(&failure);
    for (int i = 0; i < STEP && sweep->next < len && atomic_load(&sweep->code) == 0; i++)
        delete_one(sweep, &failure);
    if (sweep->next < len && atomic_load(&sweep->code) == 0) {
        if (put_off(sweep))
            return;
        atomic_store(&sweep->code, KIN_ECLOSED);
    }
    sweep_end(sweep);
}

static void go_on(kin__due *due)
{
    struct sweep *sweep = kin__container_of(due, struct sweep, due);
    kin__api *api = sweep->op->api;

    kin__mutex_lock(&api->lock);
    kin__list_remove(&sweep->link);
    kin__mutex_unlock(&api->lock);
    sweep_step(sweep);
}

void kin__sweeps_end(kin__api *api)
{
    kin__list *link;

    do {
        kin__mutex_lock(&api->lock);
        link = kin__list_pop_front(&api->sweeps);
        kin__mutex_unlock(&api->lock);
        if (link) {
            struct sweep *sweep = kin__list_entry(link, struct sweep, link);

            atomic_store(&sweep->code, KIN_ECLOSED);
            sweep_end(sweep);
        }
    } while (link);
}

static bool list(kin__op *op, kin__state_page *ret, kin__failure *failure)
{
    const kin__query_options *o = &op->info.options;
    kin__state_query query = {.limit = o->limit > SIZE_MAX ? 0 : (size_t)o->limit};
    kin_error err = KIN_ERROR_INIT;
    kin__selector selector;
    kin__buf prefix;
    int code = KIN_ENOMEM;

    if (!kin__selector_for(&selector, op->kind, op->version, o->labels, o->fields, failure))
        return false;
    kin__buf_init(&prefix, KIN__PATH_MAX + 1);
    if (kin__op_prefix(op, &prefix, failure)) {
        query.prefix = kin__buf_str(&prefix);
        query.match = kin__selector_match;
        query.match_arg = &selector;
        code = kin__state_list(op->api->state, op->collection, &query, ret, &err);
    }
    kin__buf_done(&prefix);
    kin__selector_done(&selector);
    return code == 0 || kin__op_fail_code(failure, code, &err);
}

bool kin__serve_delete_collection(kin__op *op, kin__failure *failure)
{
    struct sweep *sweep;

    if (!kin__op_read_delete_options(op, failure))
        return false;
    sweep = kin__calloc(1, sizeof(*sweep));
    if (!sweep)
        return kin__fail_no_memory(failure);
    if (!list(op, &sweep->page, failure)) {
        kin__free(sweep);
        return false;
    }
    sweep->op = op;
    kin__due_init(&sweep->due, go_on);
    kin__list_init(&sweep->link);
    atomic_init(&sweep->left, 1);
    sweep_step(sweep);
    return true;
}
