/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Versions that clients name, and waiting for one that is not there yet, as the real server does:
 * up to three seconds, on the schedule's thread, so that nobody is held up.
 */
#include "apiserver/verbs/api_inside.h"

#include "base/clock.h"
#include "base/str.h"

#define WAIT_NS (3 * KIN__SECOND)

bool kin__fail_too_large_version(kin__failure *failure, uint64_t version, uint64_t current)
{
    kin__fail(failure, 504, "Timeout", "Timeout: Too large resource version: %llu, current: %llu",
              (unsigned long long)version, (unsigned long long)current);
    failure->has_details = true;
    failure->retry_after_s = 1;
    failure->n_causes = 1;
    failure->causes[0].reason = "ResourceVersionTooLarge";
    failure->causes[0].field[0] = '\0';
    kin__cutline line;
    kin__cutline_init(&line, failure->causes[0].message, sizeof(failure->causes[0].message));
    kin__cutline_append(&line, kin_str_of("Too large resource version"));
    return false;
}

bool kin__op_has_waited(const kin__op *op)
{
    return op->again != NULL;
}

/* Out of the list; false if somebody else has taken it. */
static bool take(kin__op *op)
{
    kin__api *api = op->api;
    bool is_in;

    kin__mutex_lock(&api->lock);
    is_in = !kin__list_is_empty(&op->link);
    if (is_in) {
        kin__list_remove(&op->link);
        atomic_fetch_sub(&api->n_waiting, 1);
    }
    kin__mutex_unlock(&api->lock);
    return is_in;
}

static void run_out(kin__due *due)
{
    kin__op *op = kin__container_of(due, kin__op, due);

    if (take(op))
        kin__op_run(op, op->again);
}

/* Put it in, with a deadline. From then on others may answer it. */
static int enter_locked(kin__api *api, kin__op *op) KIN_REQUIRES(api->lock)
{
    if (api->is_stopped)
        return KIN_ECLOSED;
    if (kin__schedule_at(&api->schedule, &op->due, kin__clock_deadline(api->clock, WAIT_NS)) < 0)
        return KIN_ENOMEM;
    kin__list_push_back(&api->waiting, &op->link);
    atomic_fetch_add(&api->n_waiting, 1);
    return 0;
}

bool kin__op_wait(kin__op *op, uint64_t version, kin__op_fn *again, kin__failure *failure)
{
    kin__api *api = op->api;
    int code;

    op->wanted = version;
    op->again = again;
    kin__due_init(&op->due, run_out);
    kin__mutex_lock(&api->lock);
    code = enter_locked(api, op);
    kin__mutex_unlock(&api->lock);
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code < 0)
        return kin__fail_too_large_version(failure, version, kin__state_version(api->state));
    kin__api_published(api); /* it may have come meanwhile */
    return true;
}

void kin__api_published(kin__api *api)
{
    if (atomic_load(&api->n_waiting) > 0)
        kin__schedule_now(&api->schedule, &api->check);
}

void kin__api_check_waiting(kin__due *due)
{
    kin__api *api = kin__container_of(due, kin__api, check);
    uint64_t version = kin__state_version(api->state);
    kin__list there;
    kin__list *link;

    kin__list_init(&there);
    kin__mutex_lock(&api->lock);
    kin__list_for_each(&api->waiting, node) {
        if (kin__list_entry(node, kin__op, link)->wanted > version)
            continue;
        kin__list_remove(node);
        kin__list_push_back(&there, node);
        atomic_fetch_sub(&api->n_waiting, 1);
    }
    kin__mutex_unlock(&api->lock);
    while ((link = kin__list_pop_front(&there))) {
        kin__op *op = kin__list_entry(link, kin__op, link);

        kin__schedule_cancel(&api->schedule, &op->due);
        kin__op_run(op, op->again);
    }
}

void kin__api_end_waiting(kin__api *api)
{
    kin__list *link;

    for (;;) {
        kin__mutex_lock(&api->lock);
        link = kin__list_pop_front(&api->waiting);
        if (link)
            atomic_fetch_sub(&api->n_waiting, 1);
        kin__mutex_unlock(&api->lock);
        if (!link)
            return;
        kin__op *op = kin__list_entry(link, kin__op, link);
        kin__schedule_cancel(&api->schedule, &op->due);
        kin__op_run(op, op->again);
    }
}
