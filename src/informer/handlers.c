/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers come and go at any time. One that was added is in the list at once, and joins when the
 * strand comes by; one that was removed stays in another list until it has ended, so that the informer never
 * ends before it. Its thread, if it has one, wakes the strand as its last act, and the strand joins it; handlers
 * without a thread leave the list when the next handler is added or removed, or with the next turn of the strand.
 */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/options.h"
#include "informer/informer.h"

#define MIN_RESYNC KIN__SECOND

/* --- periods of resyncs: client-go's rules --- */

/* What somebody gets who wants one; the informer looks every `check`. */
static int64_t period_of(int64_t wanted, int64_t check)
{
    if (wanted == 0 || check == 0)
        return 0;
    return wanted < check ? check : wanted;
}

static void set_period_locked(kin_informer *informer, kin_registration *registration, int64_t now)
    KIN_REQUIRES(informer->lock)
{
    registration->resync = period_of(registration->wanted_resync, informer->resync_check);
    registration->next_resync = now + registration->resync;
}

/* Before the start the informer looks as often as the most eager wants; later they get what there is. */
static void fit_period_locked(kin_informer *informer, kin_registration *registration)
    KIN_REQUIRES(informer->lock)
{
    int64_t now = kin_clock_now(informer->clock);
    int64_t wanted = registration->wanted_resync;

    if (informer->loop.life == KIN__LIFE_NEW && wanted > 0 && informer->resync_check > 0 &&
        wanted < informer->resync_check) {
        informer->resync_check = wanted;
        kin__list_for_each(&informer->registrations, node)
            set_period_locked(informer, kin__list_entry(node, kin_registration, link), now);
    }
    set_period_locked(informer, registration, now);
}

int64_t kin__informer_resync_period(int64_t ms)
{
    if (ms <= 0)
        return 0;
    return ms > INT64_MAX / 4 / KIN__MILLISECOND ? INT64_MAX / 4 : ms * KIN__MILLISECOND;
}

static int64_t wanted_of(const kin_informer *informer, int64_t resync_ms)
{
    int64_t ms = resync_ms == 0 ? informer->options.resync_ms : resync_ms;

    int64_t period = kin__informer_resync_period(ms);

    return period > 0 && period < MIN_RESYNC ? MIN_RESYNC : period;
}

/* Somebody gets a period that was not asked for, and may wonder. */
static void report_period(const kin_informer *informer, const kin_registration *registration,
                          int64_t got)
{
    if (got == registration->wanted_resync)
        return;
    kin__log(informer->logger, KIN_LOG_WARN, "informer",
             got == 0 ? "a handler asks for resyncs of an informer that has none"
                      : "a handler asks for resyncs more often than the informer has them",
             KIN__LOG_S("informer", informer->name),
             KIN__LOG_S("handler", kin__listener_name(registration->listener)),
             KIN__LOG_I("asked_ms", registration->wanted_resync / KIN__MILLISECOND),
             KIN__LOG_I("ms", got / KIN__MILLISECOND));
}

/* --- registrations --- */

kin_registration *kin_registration_ref(kin_registration *registration)
{
    if (registration)
        kin__ref_get(&registration->ref);
    return registration;
}

void kin_registration_unref(kin_registration *registration)
{
    if (!registration || !kin__ref_put(&registration->ref))
        return;
    kin__listener_unref(registration->listener);
    kin__free(registration);
}

/* The strand joins it: a stack is held until then. */
static void thread_ended(void *arg)
{
    kin__informer_wake(arg);
}

static int make(kin_informer *informer, kin_registration **ret, kin_event_fn *fn, void *arg,
                const kin_handler_options *options, kin_error *err)
{
    kin__listener_options listener = {options,
                                      fn,
                                      arg,
                                      informer->clock,
                                      informer->logger,
                                      kin__shared_workers_pool(informer->shared_workers),
                                      NULL,
                                      informer->name,
                                      thread_ended,
                                      informer};
    kin_registration *registration = kin__calloc(1, sizeof(*registration));
    int code;

    if (!registration)
        return kin__error_no_memory(err);
    if (options->delivery == KIN_DELIVER_LOOP)
        listener.dispatcher = &informer->dispatcher;
    code = kin__listener_new(&registration->listener, &listener, err);
    if (code < 0) {
        kin__free(registration);
        return code;
    }
    kin__ref_init(&registration->ref);
    kin__list_init(&registration->link);
    registration->guard = informer->guard;
    registration->informer = informer;
    registration->is_listed = true;
    registration->is_syncing = true;
    registration->wanted_resync = wanted_of(informer, options->resync_ms);
    *ret = registration;
    return 0;
}

static int check_options(kin_handler_options *all, const kin_handler_options *given, kin_error *err)
{
    int code = kin__options_take(all, sizeof(*all), given, "KIN_HANDLER_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    if (all->delivery < KIN_DELIVER_THREAD || all->delivery > KIN_DELIVER_LOOP)
        return kin_error_set(err, KIN_EINVAL, "a delivery of %d", (int)all->delivery);
    if (all->resync_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a resync_ms of %lld", (long long)all->resync_ms);
    return 0;
}

int kin_informer_add_handler(kin_informer *informer, kin_registration **ret, kin_event_fn *fn,
                             void *arg, const kin_handler_options *options, kin_error *err)
{
    kin_handler_options all = KIN_HANDLER_OPTIONS_INIT;
    kin_registration *registration = NULL;
    int64_t period = 0;
    bool is_late;
    int code;

    if (!informer || !fn)
        return kin__error_null(err, informer ? "fn" : "informer");
    code = kin__fork_guard_check(&informer->guard, err);
    if (code == 0)
        code = check_options(&all, options, err);
    if (code == 0)
        code = make(informer, &registration, fn, arg, &all, err);
    if (code != 0)
        return code;
    kin__informer_reap(informer);
    kin__mutex_lock(&informer->lock);
    /* Handlers that are under way are waited for, and nobody would end one that comes from there. */
    is_late = informer->is_abandoned;
    if (!is_late) {
        fit_period_locked(informer, registration);
        period = registration->resync;
        /* Before it can be called, since it may look there. */
        if (ret)
            *ret = kin_registration_ref(registration);
        kin__list_push_back(&informer->registrations, &registration->link);
        kin__ref_get(&registration->ref);
        kin__informer_tell_life_locked(informer, registration);
    }
    kin__mutex_unlock(&informer->lock);
    if (is_late) {
        kin_registration_unref(registration);
        return kin_error_set(err, KIN_ECLOSED, "the informer \"%s\" is being freed",
                             informer->name);
    }
    report_period(informer, registration, period);
    kin_registration_unref(registration);
    kin__informer_wake(informer);
    return 0;
}

/* --- looking --- */

size_t kin_informer_count_handlers(kin_informer *informer)
{
    size_t n = 0;

    if (!informer || kin__fork_guard_check(&informer->guard, NULL) < 0)
        return 0;
    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->registrations, node)
        n++;
    kin__mutex_unlock(&informer->lock);
    return n;
}

static kin_registration *find_locked(kin_informer *informer, const char *name)
    KIN_REQUIRES(informer->lock)
{
    kin__list_for_each(&informer->registrations, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        if (strcmp(kin__listener_name(registration->listener), name) == 0)
            return kin_registration_ref(registration);
    }
    return NULL;
}

int kin_informer_find_handler(kin_informer *informer, kin_registration **ret, const char *name,
                              kin_error *err)
{
    kin_registration *found;
    int code;

    if (!informer || !ret)
        return kin__error_null(err, informer ? "ret" : "informer");
    code = kin__fork_guard_check(&informer->guard, err);
    if (code < 0)
        return code;
    name = name ? name : KIN__LISTENER_UNNAMED;
    kin__mutex_lock(&informer->lock);
    found = find_locked(informer, name);
    kin__mutex_unlock(&informer->lock);
    if (!found)
        return kin_error_set(err, KIN_ENOTFOUND, "the informer \"%s\" has no handler \"%s\"",
                             informer->name, name);
    *ret = found;
    return 0;
}

/* --- removing --- */

/* From the list of those who are told to that of those who leave, with its reference. */
static bool leave(kin_informer *informer, kin_registration *registration)
{
    bool was_there;

    kin__mutex_lock(&informer->lock);
    was_there = registration->is_listed;
    if (was_there) {
        registration->is_listed = false;
        kin__list_remove(&registration->link);
        kin__list_push_back(&informer->leaving, &registration->link);
    }
    kin__mutex_unlock(&informer->lock);
    return was_there;
}

static bool is_of(const kin_informer *informer, const kin_registration *registration)
{
    return informer && registration && registration->informer == informer;
}

void kin_informer_remove_handler(kin_informer *informer, kin_registration *registration)
{
    if (!is_of(informer, registration) || kin__fork_guard_check(&informer->guard, NULL) < 0)
        return;
    if (leave(informer, registration))
        kin__listener_end(registration->listener);
    kin__informer_reap(informer);
}

int kin_informer_remove_handler_wait(kin_informer *informer, kin_registration *registration,
                                     kin_error *err)
{
    int code;

    if (!informer || !registration)
        return kin__error_null(err, informer ? "registration" : "informer");
    if (!is_of(informer, registration))
        return kin_error_set(err, KIN_EINVAL, "a registration of another informer");
    code = kin__fork_guard_check(&informer->guard, err);
    if (code < 0)
        return code;
    if (leave(informer, registration))
        kin__listener_end(registration->listener);
    return kin__listener_wait_ended(registration->listener, err);
}

/* The first of those who leave that has ended, out of the list; or, with `any`, that has not. */
static kin_registration *take_leaving(kin_informer *informer, bool any)
{
    kin_registration *found = NULL;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->leaving, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        if (any || kin__listener_has_ended(registration->listener)) {
            kin__list_remove(node);
            found = registration;
            break;
        }
    }
    kin__mutex_unlock(&informer->lock);
    return found;
}

static void wait_for_leaving(kin_informer *informer, bool any)
{
    kin_registration *registration;

    while ((registration = take_leaving(informer, any))) {
        kin__listener_await_ended(registration->listener);
        kin_registration_unref(registration);
    }
}

void kin__informer_reap(kin_informer *informer)
{
    wait_for_leaving(informer, false);
}

void kin__informer_drop_handlers(kin_informer *informer)
{
    for (;;) {
        kin_registration *registration = NULL;

        kin__mutex_lock(&informer->lock);
        if (!kin__list_is_empty(&informer->registrations))
            registration = kin_registration_ref(
                kin__list_entry(informer->registrations.next, kin_registration, link));
        kin__mutex_unlock(&informer->lock);
        if (!registration)
            break;
        /* A handler that is under way may reap it as soon as it has ended. */
        kin_informer_remove_handler(informer, registration);
        kin_registration_unref(registration);
    }
}

void kin__informer_end_handlers(kin_informer *informer)
{
    kin__informer_drop_handlers(informer);
    wait_for_leaving(informer, true);
}

static bool is_called_here(kin__list *registrations)
{
    kin__list_for_each(registrations, node) {
        if (kin__listener_calls_here(kin__list_entry(node, kin_registration, link)->listener))
            return true;
    }
    return false;
}

bool kin__informer_is_told_here(kin_informer *informer)
{
    bool is_here;

    kin__mutex_lock(&informer->lock);
    is_here = is_called_here(&informer->registrations) || is_called_here(&informer->leaving);
    kin__mutex_unlock(&informer->lock);
    return is_here;
}

/* --- waiting for all of them --- */

bool kin__informer_handler_calls_here(kin_informer *informer)
{
    bool is_own = false;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->registrations, node) {
        kin__listener *listener = kin__list_entry(node, kin_registration, link)->listener;

        if (!kin__listener_is_of_loop(listener))
            is_own = is_own || kin__listener_calls_here(listener);
    }
    kin__mutex_unlock(&informer->lock);
    return is_own;
}

/* A reference to the first that something waits for. */
static kin_registration *find_busy(kin_informer *informer)
{
    kin_registration *found = NULL;

    kin__mutex_lock(&informer->lock);
    kin__list_for_each(&informer->registrations, node) {
        kin_registration *registration = kin__list_entry(node, kin_registration, link);

        if (!kin__listener_is_of_loop(registration->listener) &&
            !kin__listener_has_told(registration->listener)) {
            found = kin_registration_ref(registration);
            break;
        }
    }
    kin__mutex_unlock(&informer->lock);
    return found;
}

int kin__informer_wait_told(kin_informer *informer, int64_t timeout_ms, kin_error *err)
{
    int64_t deadline = kin__clock_deadline_ms(informer->clock, timeout_ms);
    kin_registration *registration;
    int code = 0;

    while (code == 0 && (registration = find_busy(informer))) {
        code = kin__listener_wait_told(registration->listener, deadline, err);
        kin_registration_unref(registration);
    }
    return code;
}

/* --- what a registration tells --- */

static int check_registration(const kin_registration *registration, kin_error *err)
{
    return registration ? kin__fork_guard_check(&registration->guard, err)
                        : kin__error_null(err, "registration");
}

bool kin_registration_has_synced(kin_registration *registration)
{
    return check_registration(registration, NULL) == 0 &&
           kin__listener_has_synced(registration->listener);
}

int kin_registration_wait_synced(kin_registration *registration, int64_t timeout_ms, kin_error *err)
{
    int code = check_registration(registration, err);

    if (code < 0)
        return code;
    if (timeout_ms < -1)
        return kin_error_set(err, KIN_EINVAL, "a timeout_ms of %lld", (long long)timeout_ms);
    return kin__listener_wait_synced(registration->listener, timeout_ms, err);
}

int kin_registration_get_status(kin_registration *registration, kin_handler_status *ret,
                                kin_error *err)
{
    kin_handler_status status = KIN_HANDLER_STATUS_INIT;
    int code = check_registration(registration, err);

    if (code == 0 && !ret)
        code = kin__error_null(err, "ret");
    if (code < 0)
        return code;
    kin__listener_get_status(registration->listener, &status);
    return kin__options_give(ret, &status, sizeof(status), "KIN_HANDLER_STATUS_INIT", err);
}

/* --- names of events --- */

const char *kin_event_type_name(kin_event_type type)
{
    switch (type) {
    case KIN_EVENT_ADD:
        return "add";
    case KIN_EVENT_UPDATE:
        return "update";
    case KIN_EVENT_DELETE:
        return "delete";
    }
    return "?";
}
