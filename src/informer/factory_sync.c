/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running a factory's informers: start, what has become of them, stop.
 *
 * All informers are waited for one after the other, with one deadline: the last one that is waited
 * for has had as much time as the first.
 */
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "informer/factory.h"

/* --- starting --- */

/*
 * A start reads the snapshot and calls what is the user's: index functions, the logger. So the lock is not
 * held, and the entry says who is at it. A shutdown waits for that one, and whoever starts stops again what
 * was shut down or removed meanwhile.
 */
bool kin__factory_starts_here_locked(kin_factory *factory)
{
    kin__list_for_each(&factory->entries, node) {
        const kin__factory_entry *entry = kin__list_entry(node, kin__factory_entry, link);

        if (entry->is_starting && pthread_equal(entry->starter, pthread_self()))
            return true;
    }
    return false;
}

static bool is_one_starting_locked(kin_factory *factory) KIN_REQUIRES(factory->lock)
{
    kin__list_for_each(&factory->entries, node) {
        if (kin__list_entry(node, kin__factory_entry, link)->is_starting)
            return true;
    }
    return false;
}

int kin__factory_await_starts(kin_factory *factory, int64_t deadline, kin_error *err)
{
    bool in_time = true;
    bool is_own;
    bool is_over;

    kin__mutex_lock(&factory->lock);
    is_own = kin__factory_starts_here_locked(factory);
    while (!(is_over = !is_one_starting_locked(factory)) && !is_own && in_time)
        in_time = kin__cond_wait_until(&factory->made, &factory->lock, factory->clock, deadline);
    kin__mutex_unlock(&factory->lock);
    if (is_own)
        return kin_error_set(err, KIN_EBUSY, "what a start calls would wait for it");
    return is_over ? 0 : kin_error_set(err, KIN_ETIMEOUT, "informers are still being started");
}

/*
 * Whether it is for the caller to start it. Another thread that is at it is waited for, unless this one is
 * called back by a start: that thread may be called back by another, and wait for this one.
 */
static bool claim_start(kin_factory *factory, kin__factory_entry *entry)
{
    bool is_ours;

    kin__mutex_lock(&factory->lock);
    while (entry->is_starting && !kin__factory_starts_here_locked(factory))
        kin__cond_wait(&factory->made, &factory->lock);
    is_ours = !entry->is_starting && !entry->is_started && !entry->is_removed && !factory->is_shut;
    if (is_ours) {
        entry->is_starting = true;
        entry->starter = pthread_self();
    }
    kin__mutex_unlock(&factory->lock);
    return is_ours;
}

static bool is_shut(kin_factory *factory)
{
    kin__mutex_lock(&factory->lock);
    bool is_shut = factory->is_shut;

    kin__mutex_unlock(&factory->lock);
    return is_shut;
}

/* Whether it is not to run. */
static bool is_over(kin_factory *factory, const kin__factory_entry *entry)
{
    kin__mutex_lock(&factory->lock);
    bool is_over = factory->is_shut || entry->is_removed;

    kin__mutex_unlock(&factory->lock);
    return is_over;
}

static int start_entry(kin_factory *factory, kin__factory_entry *entry, kin_error *err)
{
    int code;

    if (!claim_start(factory, entry))
        return 0;
    code = kin_informer_start(entry->informer, err);
    /* Somebody has started it already. Or somebody loads a snapshot: then the next start tries again. */
    if (code == KIN_EBUSY && kin__process_loop_life(&entry->informer->loop) != KIN__LIFE_NEW)
        code = 0;
    /* Whoever shuts down or removes it behind this finds it running. */
    if (is_over(factory, entry))
        kin_informer_stop(entry->informer);
    kin__mutex_lock(&factory->lock);
    entry->is_starting = false;
    entry->is_started = code == 0;
    kin__cond_broadcast(&factory->made);
    kin__mutex_unlock(&factory->lock);
    return code;
}

/* The first failure; the others are started all the same. */
static int start_all(kin_factory *factory, kin_error *why)
{
    kin__factory_entry *entry = NULL;
    int first = 0;

    while ((entry = kin__factory_next(factory, entry))) {
        kin_error said;
        int code;

        kin__error_begin(&said);
        code = start_entry(factory, entry, &said);
        if (code < 0 && first == 0) {
            first = code;
            *why = said;
        }
    }
    return first;
}

int kin_factory_start(kin_factory *factory, kin_error *err)
{
    kin_error why;
    int code = kin__factory_check(factory, err);

    if (code < 0)
        return code;
    kin__error_begin(&why);
    kin__mutex_lock(&factory->lock);
    factory->was_started = factory->was_started || !factory->is_shut;
    kin__mutex_unlock(&factory->lock);
    code = start_all(factory, &why);
    if (is_shut(factory))
        code = kin_error_set(&why, KIN_ECLOSED, "the factory was shut down");
    return code < 0 ? kin__error_pass(err, code, &why) : 0;
}

/* --- waiting --- */

/* Until the deadline, rounded up; -1: there is none. */
static int64_t left_ms(const kin_factory *factory, int64_t deadline)
{
    int64_t now = kin_clock_now(factory->clock);

    if (deadline == INT64_MAX)
        return -1;
    return deadline <= now ? 0 : (deadline - now + KIN__MILLISECOND - 1) / KIN__MILLISECOND;
}

static int check_wait(const kin_factory *factory, int64_t timeout_ms, kin_error *err)
{
    int code = kin__factory_check(factory, err);

    if (code == 0 && timeout_ms < -1)
        code = kin_error_set(err, KIN_EINVAL, "a timeout_ms of %lld", (long long)timeout_ms);
    return code;
}

static bool is_started(kin_factory *factory, const kin__factory_entry *entry)
{
    kin__mutex_lock(&factory->lock);
    bool is_started = entry->is_started;

    kin__mutex_unlock(&factory->lock);
    return is_started;
}

/* What has become of those that were started. */
struct summary {
    size_t n_started;
    size_t n_missing; /* of these */
    bool all_stopped; /* all that are missing */
    int refusal;      /* of the first that is refused: its wait ends early; 0: none is */
    kin_error first;  /* why the first one is missing, or is refused; its code may be 0 */
    char text[512];   /* which ones, and why */
    size_t len;
};

/* Why one has not synced; code 0: nothing has failed. */
static void why_not(kin_informer *informer, kin_informer_status *status, kin_error *ret)
{
    kin_informer_get_status(informer, status, NULL);
    *ret = status->last_error;
    ret->size = sizeof(*ret);
    if (ret->code == 0 && status->state == KIN_INFORMER_STOPPED)
        kin_error_set(ret, KIN_ECLOSED, "it was stopped before");
}

static void note_missing(struct summary *summary, const char *resource, size_t reason_max,
                         const kin_informer_status *status, const kin_error *why)
{
    size_t size = sizeof(summary->text) - summary->len;
    size_t len = strlen(why->message);
    int n;

    if (len > reason_max)
        len = kin__utf8_cut(why->message, reason_max);
    n = snprintf(summary->text + summary->len, size, "%s%s (%s%s%.*s)", summary->len ? ", " : "",
                 resource, kin_informer_state_name(status->state), len ? ": " : "", (int)len,
                 why->message);
    if (n > 0)
        summary->len += (size_t)n < size ? (size_t)n : size - 1;
}

/* What ends a wait of kin_informer_wait_synced() early. */
static bool is_refusal(int code)
{
    return code == KIN_EDENIED || code == KIN_ETLS;
}

/* The first, but one that was refused comes before others. */
static void note_first(struct summary *summary, kin_informer *informer, const kin_error *why)
{
    int code = kin_informer_wait_synced(informer, 0, NULL);
    bool is_refused = is_refusal(code);

    if (summary->n_missing == 0 || (is_refused && summary->refusal == 0))
        summary->first = *why;
    if (is_refused && summary->refusal == 0)
        summary->refusal = code;
}

/* `reason_max`: so many bytes of each reason are told. */
static void summarize(kin_factory *factory, size_t reason_max, struct summary *ret)
{
    kin__factory_entry *entry = NULL;

    ret->n_started = 0;
    ret->n_missing = 0;
    ret->all_stopped = true;
    ret->refusal = 0;
    ret->len = 0;
    ret->text[0] = '\0';
    while ((entry = kin__factory_next(factory, entry))) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        kin_error why;

        if (!is_started(factory, entry))
            continue;
        ret->n_started++;
        if (kin_informer_has_synced(entry->informer))
            continue;
        why_not(entry->informer, &status, &why);
        note_first(ret, entry->informer, &why);
        ret->n_missing++;
        ret->all_stopped &= status.state == KIN_INFORMER_STOPPED;
        note_missing(ret, entry->name.resource, reason_max, &status, &why);
    }
}

/* 0: all have synced after all. */
static int tell_missing(kin_factory *factory, kin_error *err)
{
    struct summary summary;
    int code;

    summarize(factory, 0, &summary);
    if (summary.n_missing == 0)
        return 0;
    /* Long reasons are cut, so that all names have room. */
    if (summary.len < 400)
        summarize(factory, (400 - summary.len) / summary.n_missing, &summary);
    if (summary.n_missing == 0)
        return 0;
    code = summary.all_stopped ? KIN_ECLOSED : KIN_ETIMEOUT;
    if (summary.refusal < 0)
        code = summary.refusal;
    kin_error_set(err, code, "%zu of %zu have not synced: %s", summary.n_missing, summary.n_started,
                  summary.text);
    kin__error_http(err, summary.first.http_status, kin_str_of(summary.first.reason));
    return code;
}

int kin_factory_wait_for_sync(kin_factory *factory, int64_t timeout_ms, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    int64_t deadline;
    bool was_started;
    int code = check_wait(factory, timeout_ms, err);

    if (code < 0)
        return code;
    deadline = kin__clock_deadline_ms(factory->clock, timeout_ms);
    kin__mutex_lock(&factory->lock);
    was_started = factory->was_started || factory->is_shut;
    kin__mutex_unlock(&factory->lock);
    if (!was_started)
        return kin_error_set(err, KIN_EINVAL, "the factory was not started");
    code = kin__factory_await_starts(factory, deadline, err);
    while (code == 0 && (entry = kin__factory_next(factory, entry))) {
        if (!is_started(factory, entry))
            continue;
        code = kin_informer_wait_synced(entry->informer, left_ms(factory, deadline), err);
        if (code == KIN_ETIMEOUT || code == KIN_ECLOSED)
            code = 0;
    }
    kin__factory_leave(factory, entry);
    return code < 0 && !is_refusal(code) ? code : tell_missing(factory, err);
}

/* --- results --- */

struct result_list {
    kin_sync_result **items;
    size_t n;
    size_t cap;
};

static void free_items(kin_sync_result **items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin__free(items[i]->resource);
        kin__free(items[i]);
    }
    kin__free(items);
}

static int add_result(kin_factory *factory, const kin__factory_entry *entry,
                      struct result_list *list)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_sync_result *result;
    kin_sync_result **items =
        kin__grow_array(list->items, &list->cap, list->n + 1, sizeof(kin_sync_result *));

    if (!items)
        return KIN_ENOMEM;
    list->items = items;
    result = kin__calloc(1, sizeof(*result));
    if (!result)
        return KIN_ENOMEM;
    items[list->n++] = result;
    result->size = sizeof(*result);
    result->resource = kin__memdup_str(kin_str_of(entry->name.resource));
    if (!result->resource)
        return KIN_ENOMEM;
    result->informer = entry->informer;
    result->is_started = is_started(factory, entry);
    result->is_synced = kin_informer_has_synced(entry->informer);
    result->error = (kin_error)KIN_ERROR_INIT;
    if (!result->is_synced)
        why_not(entry->informer, &status, &result->error);
    return 0;
}

int kin_factory_sync_results(kin_factory *factory, kin_sync_results *ret, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    struct result_list list = {NULL, 0, 0};
    int code = kin__factory_check(factory, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    while (code == 0 && (entry = kin__factory_next(factory, entry)))
        code = add_result(factory, entry, &list);
    kin__factory_leave(factory, entry);
    if (code < 0) {
        free_items(list.items, list.n);
        return kin__error_no_memory(err);
    }
    ret->items = list.items;
    ret->len = list.n;
    return 0;
}

void kin_sync_results_done(kin_sync_results *results)
{
    if (!results)
        return;
    free_items(results->items, results->len);
    *results = (kin_sync_results)KIN_SYNC_RESULTS_INIT;
}

/* --- stopping --- */

void kin__factory_stop(kin_factory *factory)
{
    kin__factory_entry *entry = NULL;

    kin__mutex_lock(&factory->lock);
    factory->is_shut = true;
    kin__mutex_unlock(&factory->lock);
    while ((entry = kin__factory_next(factory, entry)))
        kin_informer_stop(entry->informer);
}

/* Who would wait for itself. */
static int check_caller(kin_factory *factory, kin_error *err)
{
    kin__factory_entry *entry = NULL;

    while ((entry = kin__factory_next(factory, entry))) {
        if (!kin__informer_handler_calls_here(entry->informer))
            continue;
        kin_error_set(err, KIN_EBUSY, "a handler of \"%s\" would wait for itself",
                      entry->name.resource);
        kin__factory_leave(factory, entry);
        return KIN_EBUSY;
    }
    return 0;
}

int kin_factory_shutdown(kin_factory *factory, int64_t timeout_ms, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    int64_t deadline;
    int code = check_wait(factory, timeout_ms, err);

    if (code < 0)
        return code;
    deadline = kin__clock_deadline_ms(factory->clock, timeout_ms);
    kin__factory_stop(factory);
    code = check_caller(factory, err);
    if (code == 0)
        code = kin__factory_await_starts(factory, deadline, err);
    while (code == 0 && (entry = kin__factory_next(factory, entry)))
        code = kin_informer_wait_stopped(entry->informer, left_ms(factory, deadline), err);
    kin__factory_leave(factory, entry);
    entry = NULL;
    /* From here on there is nothing new for handlers. */
    while (code == 0 && (entry = kin__factory_next(factory, entry)))
        code = kin__informer_wait_told(entry->informer, left_ms(factory, deadline), err);
    kin__factory_leave(factory, entry);
    return code;
}
