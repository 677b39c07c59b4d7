/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine.
 *
 *               ┌──────────────── delay ◀────────────────┐
 *               ▼                                        │
 *     round ─▶ [streaming list] ─▶ [list, its pages] ─▶ watch, watch, watch …
 *
 * A round is client-go's ListAndWatch. What ends a call is an outcome, and kin__reaction_to() says what
 * follows. One step looks at what there is to do now; it never waits.
 */
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/list_watch.h"
#include "informer/reflector.h"
#include "informer/reflector_queue.h"

/* A watch that ends sooner, and with nothing, is none. */
#define SHORT_NS KIN__SECOND
/* So long without an internal error, and the next one begins a new series. */
#define INTERNAL_RESET_NS (60 * KIN__SECOND)
/* How long streaming lists are not tried: where the server does not have them, and where one failed. */
#define STREAM_OFF_LONG_NS (3600 * KIN__SECOND)
#define STREAM_OFF_NS (600 * KIN__SECOND)
/* A list that is overdue at a warm start follows within this time: programs that start together must not list together. */
#define SOON_NS (60 * KIN__SECOND)
/* How often in a row a page, or a watch that the server has not agreed to, is tried before a new list. */
#define MAX_TRIES 10

static const char component[] = "reflector";

/* --- alarms that have a time of their own --- */

static void forget(kin_reflector *reflector, kin__alarm *alarm, int64_t *deadline)
{
    *deadline = INT64_MAX;
    kin__reflector_cancel_alarm(reflector, alarm);
}

static void start_resync(kin_reflector *reflector)
{
    if (reflector->options.resync_ms <= 0)
        return;
    reflector->resync_at = kin__clock_deadline_ms(reflector->clock, reflector->options.resync_ms);
    kin__reflector_set_alarm(reflector, &reflector->resync, reflector->resync_at);
}

/* The alarm and the status follow `gap_at` and `period_at`. */
static void set_relist(kin_reflector *reflector)
{
    int64_t at =
        reflector->gap_at < reflector->period_at ? reflector->gap_at : reflector->period_at;

    if (at == reflector->relist_at)
        return;
    reflector->relist_at = at;
    kin__mutex_lock(&reflector->lock);
    reflector->status.next_relist = at == INT64_MAX ? 0 : at;
    kin__mutex_unlock(&reflector->lock);
    if (at == INT64_MAX)
        kin__reflector_cancel_alarm(reflector, &reflector->relist);
    else
        kin__reflector_set_alarm(reflector, &reflector->relist, at);
}

static void forget_relist(kin_reflector *reflector)
{
    reflector->gap_at = INT64_MAX;
    reflector->period_at = INT64_MAX;
    set_relist(reflector);
}

/* A list that is due by now waits. */
static void postpone_relist(kin_reflector *reflector, int64_t now, int64_t until)
{
    if (reflector->gap_at <= now)
        reflector->gap_at = until;
    if (reflector->period_at <= now)
        reflector->period_at = until;
    set_relist(reflector);
}

static int64_t next_gap_delay(kin_reflector *reflector)
{
    int64_t now = kin_clock_now(reflector->clock);

    return kin__clock_deadline(reflector->clock,
                               kin__backoff_next(&reflector->relist_backoff, now));
}

/* Whether only another list, or luck, can put right what the store has. */
static bool needs_relist(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool needs = reflector->status.gaps > 0 || reflector->status.keeps_missing;
    kin__mutex_unlock(&reflector->lock);
    return needs;
}

/* While it watches: a list is due as long as there are gaps. */
static void look_at_gaps(kin_reflector *reflector)
{
    if (!needs_relist(reflector))
        reflector->gap_at = INT64_MAX;
    else if (reflector->gap_at == INT64_MAX && reflector->options.gap_relist_ms >= 0)
        reflector->gap_at = next_gap_delay(reflector);
    set_relist(reflector);
}

static int64_t part_of(int64_t ns, double part)
{
    return (int64_t)((double)ns * part);
}

/* When a watch begins: the list that is due by `relist_ms`. `has_failed`: such a list just has. */
static void plan_list(kin_reflector *reflector, bool has_failed)
{
    int64_t period = reflector->options.relist_ms * KIN__MILLISECOND;
    double chance;

    if (period == 0 || KIN_DEFECT(list_not_repeated))
        return;
    if (has_failed) {
        reflector->period_at =
            reflector->gap_at != INT64_MAX ? reflector->gap_at : next_gap_delay(reflector);
        return;
    }
    chance = kin__random_unit(&reflector->random);
    if (__builtin_add_overflow(reflector->listed_at, part_of(period, 1 - chance / 10),
                               &reflector->period_at))
        reflector->period_at = INT64_MAX;
    if (reflector->period_at <= kin_clock_now(reflector->clock))
        reflector->period_at = kin__clock_deadline(
            reflector->clock, part_of(period < SOON_NS ? period : SOON_NS, chance));
}

/* The server may ask for a longer delay, up to the longest of our own: an informer must not be deaf for an hour. */
static void delay(kin_reflector *reflector, kin__then then, const kin_error *why)
{
    int64_t now = kin_clock_now(reflector->clock);
    int64_t ns = kin__backoff_next(&reflector->backoff, now);
    int64_t cap = reflector->backoff.settings.cap;
    int64_t asked = why->retry_after_ms < cap / KIN__MILLISECOND || KIN_DEFECT(retry_after_uncapped)
                        ? why->retry_after_ms * KIN__MILLISECOND
                        : cap;

    if (ns < asked)
        ns = asked;
    reflector->phase = KIN__PHASE_DELAY;
    reflector->then = then;
    reflector->delay_until = kin__clock_deadline(reflector->clock, ns);
    kin__reflector_set_alarm(reflector, &reflector->delay, reflector->delay_until);
    kin__mutex_lock(&reflector->lock);
    reflector->status.retries++;
    reflector->status.backoff_until = reflector->delay_until;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_set_state(reflector, KIN_REFLECTOR_BACKING_OFF);
}

/* --- rounds --- */

/* `has_failed`: after a list for gaps, or by `relist_ms`, that has failed. */
static void enter_watch(kin_reflector *reflector, bool has_failed)
{
    bool is_overdue = has_failed && reflector->verifies;

    reflector->watching = true;
    reflector->unavailable = false;
    reflector->is_relist = false;
    reflector->first_internal = INT64_MAX;
    reflector->heals = false;
    reflector->verifies = false;
    reflector->n_tries = 0;
    start_resync(reflector);
    if (!has_failed && !needs_relist(reflector))
        kin__backoff_reset(&reflector->relist_backoff);
    look_at_gaps(reflector);
    plan_list(reflector, is_overdue);
    set_relist(reflector);
}

/* The store has the list of this round. */
static void list_complete(kin_reflector *reflector)
{
    reflector->listed_at = reflector->list_begun;
    enter_watch(reflector, false);
}

/* Whether to stream, if the encoding suits. */
static bool may_stream(const kin_reflector *reflector)
{
    return reflector->options.streaming_lists == KIN_STREAMING_LISTS_AUTO &&
           reflector->can_stream && kin_clock_now(reflector->clock) >= reflector->stream_off_until;
}

static void begin_list(kin_reflector *reflector)
{
    if (reflector->options.streaming_lists == KIN_STREAMING_LISTS_ALWAYS ||
        (may_stream(reflector) && kin__list_watch_streams(reflector->source)))
        kin__reflector_begin_stream(reflector);
    else
        kin__reflector_begin_list(reflector);
}

static void begin_round(kin_reflector *reflector)
{
    reflector->fresh_in_round = false;
    reflector->n_no_end = 0;
    reflector->n_tries = 0;
    reflector->watching = false;
    if (reflector->warm) {
        reflector->warm = false;
        reflector->was_warm = true;
        enter_watch(reflector, false);
        kin__reflector_begin_watch(reflector);
        return;
    }
    if (reflector->is_relist)
        kin__reflector_count(reflector, &reflector->status.relists);
    if (may_stream(reflector) && kin__list_watch_is_unresolved(reflector->source))
        kin__reflector_begin_resolve(reflector);
    else
        begin_list(reflector);
}

/* What follows is a list. */
static void leave_round(kin_reflector *reflector)
{
    forget(reflector, &reflector->resync, &reflector->resync_at);
    forget_relist(reflector);
    reflector->watching = false;
    reflector->was_warm = false;
    reflector->is_relist = true;
    kin__reflector_abort_replace(reflector);
}

static void end_round(kin_reflector *reflector, const kin_error *why)
{
    leave_round(reflector);
    delay(reflector, KIN__THEN_ROUND, why);
}

/*
 * The version that it was begun with is of no use: nothing is wrong with the server, which was asked for that
 * once only.
 */
static void list_now(kin_reflector *reflector)
{
    leave_round(reflector);
    begin_round(reflector);
}

static void begin_relist(kin_reflector *reflector)
{
    leave_round(reflector);
    reflector->heals = true;
    /* No version: "0", or the last one, could be answered from a cache of the server that has diverged as well. */
    reflector->unavailable |= reflector->verifies;
    begin_round(reflector);
}

/* The list for gaps, or by `relist_ms`, has failed: nothing was wrong with the watch. The next one is due later. */
static void resume(kin_reflector *reflector, const kin_error *why)
{
    kin__reflector_abort_replace(reflector);
    enter_watch(reflector, true);
    delay(reflector, KIN__THEN_WATCH, why);
}

/* --- reactions --- */

/* Whether an internal error is still met with another watch: client-go's RetryWithDeadline. */
static bool may_retry_internal(kin_reflector *reflector)
{
    int64_t max = reflector->options.internal_error_retry_ms;
    int64_t now = kin_clock_now(reflector->clock);

    if (max <= 0)
        return false;
    if (reflector->first_internal == INT64_MAX ||
        now - reflector->last_internal >= INTERNAL_RESET_NS)
        reflector->first_internal = now;
    reflector->last_internal = now;
    return (now - reflector->first_internal) / KIN__MILLISECOND <= max;
}

static void turn_streams_off(kin_reflector *reflector, int64_t ns, const kin_error *why)
{
    reflector->stream_off_until = kin__clock_deadline(reflector->clock, ns);
    kin__log(reflector->logger, KIN_LOG_INFO, component, "no streaming lists for a while",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_I("seconds", ns / KIN__SECOND),
             KIN__LOG_S("error", why->message));
}

/* What only the beginning of a round can be followed by becomes that. */
static kin__reaction settle(kin_reflector *reflector, kin__reaction reaction, const kin_error *why)
{
    switch (reaction) {
    case KIN__LIST_FRESH:
    case KIN__STREAM_FRESH:
        if (reflector->fresh_in_round)
            return reaction == KIN__LIST_FRESH ? KIN__FAIL_ROUND : KIN__FALL_BACK;
        reflector->fresh_in_round = true;
        reflector->unavailable = true;
        return reaction;
    case KIN__STREAM_AGAIN:
        if (++reflector->n_no_end < 2)
            return reaction;
        turn_streams_off(reflector, STREAM_OFF_NS, why);
        return KIN__FALL_BACK;
    case KIN__FALL_BACK_LONG:
        turn_streams_off(reflector, STREAM_OFF_LONG_NS, why);
        return KIN__FALL_BACK;
    case KIN__FAIL_STREAM:
        turn_streams_off(reflector, STREAM_OFF_NS, why);
        return KIN__FAIL_ROUND;
    case KIN__WATCH_TRY:
    case KIN__PAGE_LATER:
        return ++reflector->n_tries < MAX_TRIES ? reaction : KIN__FAIL_ROUND;
    case KIN__WATCH_FOR_A_WHILE:
        return may_retry_internal(reflector) ? KIN__WATCH_AGAIN : KIN__END_ROUND;
    default:
        return reaction;
    }
}

/* The same of a round for gaps. */
static kin__reaction settle_relist(kin__reaction reaction)
{
    bool has_failed = reaction == KIN__FAIL_ROUND || reaction == KIN__END_ROUND ||
                      reaction == KIN__STREAM_LATER || reaction == KIN__PAGE_LATER;

    return has_failed ? KIN__RESUME : reaction;
}

static void fall_back(kin_reflector *reflector)
{
    kin__reflector_count(reflector, &reflector->status.fallbacks);
    /* The list may try the version once more, as client-go's does. */
    reflector->fresh_in_round = false;
    kin__reflector_begin_list(reflector);
}

static void list_fresh(kin_reflector *reflector)
{
    reflector->list_version[0] = '\0';
    reflector->full_list = false;
    kin__reflector_begin_page(reflector, NULL);
}

/* Objects that the failed try has brought come again; of two with the same key the later counts. */
static void retry_page(kin_reflector *reflector)
{
    reflector->list_items = reflector->page_items;
    kin__gaps_clear(&reflector->page_gaps);
    reflector->list_has_gaps = reflector->page_has_gaps;
    reflector->repeats = true;
    atomic_store_explicit(&reflector->n_listed, reflector->page_listed, memory_order_relaxed);
    kin__reflector_set_state(reflector, KIN_REFLECTOR_LISTING);
    kin__reflector_begin_page(reflector, reflector->page_token);
}

/* Whether client-go calls its WatchErrorHandler. */
static bool is_watch_error(kin__reaction reaction)
{
    return reaction == KIN__FAIL_ROUND || reaction == KIN__WATCH_TRY ||
           reaction == KIN__PAGE_LATER || reaction == KIN__RESUME;
}

static void react(kin_reflector *reflector, kin__reaction reaction, const kin_error *why)
{
    forget(reflector, &reflector->watchdog, &reflector->watchdog_at);
    reaction = settle(reflector, reaction, why);
    if (reflector->heals)
        reaction = settle_relist(reaction);
    kin__reflector_tell_error(reflector, why, is_watch_error(reaction));
    switch (reaction) {
    case KIN__LIST_FRESH:
        list_fresh(reflector);
        break;
    case KIN__GO_ON:
    case KIN__WATCH_AGAIN:
        kin__reflector_begin_watch(reflector);
        break;
    case KIN__WATCH_TRY:
    case KIN__WATCH_LATER:
        delay(reflector, KIN__THEN_WATCH, why);
        break;
    case KIN__PAGE_LATER:
        delay(reflector, KIN__THEN_PAGE, why);
        break;
    case KIN__STREAM_LATER:
        kin__reflector_abort_replace(reflector);
        delay(reflector, KIN__THEN_STREAM, why);
        break;
    case KIN__PAGE_AGAIN:
        retry_page(reflector);
        break;
    case KIN__STREAM_FRESH:
    case KIN__STREAM_AGAIN:
        kin__reflector_begin_stream(reflector);
        break;
    case KIN__BEGIN_ANEW:
        kin__list_watch_try_json(reflector->source);
        reflector->repeats = true;
        begin_list(reflector);
        break;
    case KIN__FALL_BACK:
        fall_back(reflector);
        break;
    case KIN__RELIST:
        begin_relist(reflector);
        break;
    case KIN__LIST_NOW:
        list_now(reflector);
        break;
    case KIN__RESUME:
        resume(reflector, why);
        break;
    default:
        end_round(reflector, why);
        break;
    }
}

static kin_failed_operation operation_of(kin__reflector_call_kind kind, bool is_continued)
{
    switch (kind) {
    case KIN__CALL_LIST:
        return is_continued ? KIN_FAILED_PAGE : KIN_FAILED_LIST;
    case KIN__CALL_STREAM:
        return KIN_FAILED_STREAMING_LIST;
    case KIN__CALL_BEGIN:
        return KIN_FAILED_WATCH_BEGIN;
    default:
        return KIN_FAILED_WATCH;
    }
}

void kin__reflector_failed(kin_reflector *reflector, kin__reflector_call_kind kind,
                           bool is_continued, const kin_error *why)
{
    kin__reflector_note_error(reflector, operation_of(kind, is_continued), why);
    react(reflector, kin__reaction_to(kind, KIN__OUTCOME_OTHER), why);
}

/* --- the end of a call --- */

/* How a call has ended: a copy, which other threads cannot change. */
struct ending {
    kin__reflector_call_kind kind;
    kin__outcome outcome;
    bool is_continued; /* a page after the first */
    kin_error why;
};

static void judge(kin_reflector *reflector, const kin__reflector_call *call, struct ending *ret)
{
    bool is_short = kin_clock_now(reflector->clock) - call->begun < SHORT_NS && !call->n_events;
    int code;

    kin__mutex_lock(&reflector->lock);
    code = call->own_err.code < 0 ? call->own_err.code : call->code;
    ret->why = call->own_err.code < 0 ? call->own_err : call->err;
    ret->kind = call->kind;
    ret->is_continued = call->is_continued;
    ret->outcome = kin__outcome_of(code, &ret->why, call->too_large);
    if (ret->kind == KIN__CALL_BEGIN && (call->stood || call->n_events > 0))
        ret->kind = KIN__CALL_WATCH;
    kin__mutex_unlock(&reflector->lock);
    if (call->store_failed)
        ret->outcome = KIN__OUTCOME_STORE;
    else if (code == KIN_EPROTOCOL && call->own_err.code == 0 &&
             kin__operation_needs_json(call->operation))
        ret->outcome = KIN__OUTCOME_NEEDS_JSON;
    else if (ret->kind != KIN__CALL_WATCH && code == KIN_ESERVER && ret->why.retry_after_ms > 0 &&
             ret->outcome != KIN__OUTCOME_TOO_LARGE)
        ret->outcome = KIN__OUTCOME_TOO_MANY;
    if (ret->kind == KIN__CALL_LIST || ret->outcome == KIN__OUTCOME_STORE)
        return;
    /* A watch that was lost has come to its end, as far as can be seen from here. */
    if (is_short &&
        (code == 0 || (ret->kind == KIN__CALL_WATCH && ret->outcome == KIN__OUTCOME_LOST)))
        ret->outcome = KIN__OUTCOME_SHORT;
    else if (code == 0 && ret->kind == KIN__CALL_STREAM)
        ret->outcome = KIN__OUTCOME_NO_END;
    if (code == 0 && ret->outcome != KIN__OUTCOME_OK)
        kin_error_set(&ret->why, KIN_EPROTOCOL,
                      ret->outcome == KIN__OUTCOME_SHORT ? "a watch ended at once, with nothing"
                                                         : "a streaming list came without its end");
}

/*
 * The server does not give us a streaming list, as those that have none: a list is asked for at once instead. If more
 * than streaming is refused, that one fails, too.
 */
static bool is_refused_stream(const struct ending *ending)
{
    return ending->kind == KIN__CALL_STREAM &&
           (ending->outcome == KIN__OUTCOME_UNSUPPORTED || ending->outcome == KIN__OUTCOME_DENIED ||
            ending->outcome == KIN__OUTCOME_NOT_FOUND);
}

/* Failures of watches are logged here; others if there is no error function. */
static void note_failure(kin_reflector *reflector, const struct ending *ending)
{
    bool is_refused = is_refused_stream(ending);
    kin_log_level level = KIN_LOG_WARN;

    /* The client has logged that it asks for JSON. */
    if (ending->outcome == KIN__OUTCOME_OK || ending->outcome == KIN__OUTCOME_NEEDS_JSON)
        return;
    if (!is_refused)
        kin__reflector_note_error(reflector, operation_of(ending->kind, ending->is_continued),
                                  &ending->why);
    if (ending->kind == KIN__CALL_LIST || ending->kind == KIN__CALL_BEGIN)
        return;
    if (ending->outcome == KIN__OUTCOME_EXPIRED || ending->outcome == KIN__OUTCOME_LOST)
        level = KIN_LOG_DEBUG;
    else if (is_refused)
        level = KIN_LOG_INFO;
    kin__log(reflector->logger, level, component,
             is_refused ? "a streaming list was refused, and a list is asked for"
                        : "a watch has ended with an error",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_S("error", ending->why.message));
}

static void drop_call(kin_reflector *reflector)
{
    kin__reflector_call *call = reflector->call;

    reflector->call = NULL;
    if (call)
        kin__reflector_measure_call_end(reflector, call);
    kin__reflector_call_unref(call);
}

static void drop_token(kin_reflector *reflector)
{
    kin__free(reflector->page_token);
    reflector->page_token = NULL;
}

/* All pages are there. */
static void finish_list(kin_reflector *reflector)
{
    struct ending ending = {KIN__CALL_LIST, KIN__OUTCOME_STORE, false, KIN_ERROR_INIT};
    int64_t now;

    if (kin__reflector_commit(reflector, kin_str_of(reflector->first_page), &ending.why) < 0) {
        note_failure(reflector, &ending);
        react(reflector, kin__reaction_to(ending.kind, ending.outcome), &ending.why);
        return;
    }
    now = kin_clock_now(reflector->clock);
    kin__reflector_set_version(reflector, kin_str_of(reflector->first_page));
    kin__reflector_measure_version(reflector, kin_str_of(reflector->first_page));
    kin__mutex_lock(&reflector->lock);
    reflector->status.lists++;
    reflector->status.last_list = now;
    reflector->status.refusals = 0;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_measure_list_end(reflector);
    list_complete(reflector);
    react(reflector, KIN__GO_ON, &ending.why);
}

/* A page is complete. `token`: of the next, OWNED by us now. */
static void page_ended(kin_reflector *reflector, kin__reflector_call *call, const char *before)
{
    char *token = call->token;

    call->token = NULL;
    reflector->page_bytes = call->listed_bytes;
    if (!reflector->has_first_page) {
        memcpy(reflector->first_page, call->version, sizeof(reflector->first_page));
        reflector->has_first_page = true;
    }
    drop_call(reflector);
    if (token && before && strcmp(token, before) == 0) {
        struct ending ending = {KIN__CALL_LIST, KIN__OUTCOME_UNREADABLE, true, KIN_ERROR_INIT};

        kin_error_set(&ending.why, KIN_EPROTOCOL, "a page of a list continues with itself");
        kin__free(token);
        note_failure(reflector, &ending);
        react(reflector, kin__reaction_to(ending.kind, ending.outcome), &ending.why);
        return;
    }
    kin__free(reflector->page_token);
    reflector->page_token = token;
    if (!token) {
        finish_list(reflector);
        return;
    }
    if (strcmp(reflector->list_version, "0") == 0)
        reflector->paginated = true;
    reflector->n_tries = 0;
    reflector->page_items = reflector->list_items;
    kin__gaps_move(&reflector->list_gaps, &reflector->page_gaps);
    reflector->page_has_gaps = reflector->list_has_gaps;
    reflector->page_listed = atomic_load_explicit(&reflector->n_listed, memory_order_relaxed);
    kin__reflector_begin_page(reflector, token);
}

/* The other pages of the list are staged, and stay: this one is due again. */
static bool may_retry_page(const struct ending *ending)
{
    int code = ending->why.code;

    return ending->outcome != KIN__OUTCOME_STORE && ending->outcome != KIN__OUTCOME_TOO_LARGE &&
           (code == KIN_ECONNECT || code == KIN_ETIMEOUT || code == KIN_ESERVER);
}

/* Whether a warm start has found out with this end that it has to list. Looked at once for each. */
static bool is_stale_start(kin_reflector *reflector, const kin__reflector_call *call,
                           kin__outcome outcome)
{
    bool is_stale = reflector->was_warm && call->n_events == 0 &&
                    (outcome == KIN__OUTCOME_EXPIRED || outcome == KIN__OUTCOME_TOO_LARGE);

    reflector->was_warm = reflector->was_warm && call->n_events == 0 && !is_stale;
    return is_stale;
}

static void call_ended(kin_reflector *reflector)
{
    kin__reflector_call *call = reflector->call;
    bool is_continued = call->is_continued;
    struct ending ending;
    bool is_stale;

    judge(reflector, call, &ending);
    kin__reflector_call_close(call);
    if (call->resolves && ending.outcome == KIN__OUTCOME_OK) {
        drop_call(reflector);
        begin_list(reflector);
        return;
    }
    if (ending.outcome == KIN__OUTCOME_SHORT)
        kin__reflector_measure_short_watch(reflector);
    /* A streaming list may be in the store, and what follows it not: that is no state to go on from. */
    if (ending.outcome == KIN__OUTCOME_STORE)
        reflector->heals = false;
    if (ending.kind == KIN__CALL_LIST &&
        (ending.outcome == KIN__OUTCOME_OK || (is_continued && KIN_DEFECT(failed_page_counts)))) {
        page_ended(reflector, call, is_continued ? reflector->page_token : NULL);
        return;
    }
    if (ending.kind == KIN__CALL_LIST && !is_continued)
        drop_token(reflector);
    note_failure(reflector, &ending);
    is_stale = is_stale_start(reflector, call, ending.outcome);
    drop_call(reflector);
    if (is_stale) {
        react(reflector, KIN__LIST_NOW, &ending.why);
        return;
    }
    if (is_continued && ending.outcome == KIN__OUTCOME_EXPIRED) {
        /* The pages are of a version that is gone: all of it at once, from the beginning. */
        reflector->full_list = true;
        kin__reflector_tell_error(reflector, &ending.why, false);
        kin__reflector_begin_page(reflector, NULL);
        return;
    }
    if (is_continued && may_retry_page(&ending)) {
        react(reflector, KIN__PAGE_LATER, &ending.why);
        return;
    }
    react(reflector, kin__reaction_to(ending.kind, ending.outcome), &ending.why);
}

/* --- closing a call for a reason of our own --- */

/* `reaction` follows as soon as nobody is in it. */
static void close_call(kin_reflector *reflector, kin__reaction reaction, const kin_error *why)
{
    reflector->reaction = reaction;
    reflector->reason = *why;
    reflector->phase = KIN__PHASE_CLOSING;
    if (reflector->call && !kin__reflector_call_close(reflector->call))
        return;
    drop_call(reflector);
    react(reflector, reaction, why);
}

static bool is_busy(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool busy = reflector->call && reflector->call->busy;
    kin__mutex_unlock(&reflector->lock);
    return busy;
}

static void step_closing(kin_reflector *reflector)
{
    kin_error why = reflector->reason;

    if (is_busy(reflector))
        return;
    drop_call(reflector);
    react(reflector, reflector->reaction, &why);
}

/* --- time --- */

static void resync(kin_reflector *reflector)
{
    kin_error why;
    int code;

    kin__error_begin(&why);
    reflector->resync_at = INT64_MAX;
    kin__assert_no_locks();
    if (reflector->options.should_resync &&
        !reflector->options.should_resync(reflector->options.arg)) {
        start_resync(reflector);
        return;
    }
    kin__reflector_count(reflector, &reflector->status.resyncs);
    code = reflector->queue ? kin__reflector_queue_resync(reflector->queue, &why)
                            : reflector->store.resync(reflector->store.arg, &why);
    if (code == 0) {
        start_resync(reflector);
        return;
    }
    kin__said(&why, code);
    kin__reflector_count(reflector, &reflector->status.store_errors);
    kin__reflector_note_error(reflector, KIN_FAILED_RESYNC, &why);
    kin__log(reflector->logger, KIN_LOG_WARN, component, "the store could not be resynced",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_S("error", why.message));
    if (reflector->phase == KIN__PHASE_CALL) {
        close_call(reflector, KIN__END_ROUND, &why);
        return;
    }
    kin__reflector_tell_error(reflector, &why, false);
    end_round(reflector, &why);
}

/* A list is due: objects that were skipped are still missing, or the last list is too old. */
static void relist(kin_reflector *reflector, int64_t now)
{
    kin_error none;
    uint64_t gaps;

    kin__error_begin(&none);
    kin__mutex_lock(&reflector->lock);
    gaps = reflector->status.gaps;
    kin__mutex_unlock(&reflector->lock);
    reflector->verifies = now >= reflector->period_at;
    kin__log(reflector->logger, KIN_LOG_INFO, component,
             reflector->verifies ? "lists again, since the last list is old"
                                 : "lists again, for skipped objects",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_U("gaps", gaps));
    forget_relist(reflector);
    close_call(reflector, KIN__RELIST, &none);
}

/* No event of a streaming list has come for too long. */
static void watch_stream(kin_reflector *reflector)
{
    int64_t due = kin__reflector_call_end_due(reflector->call);
    kin_error why;

    if (kin_clock_now(reflector->clock) < due) {
        reflector->watchdog_at = due;
        kin__reflector_set_alarm(reflector, &reflector->watchdog, due);
        return;
    }
    kin__error_begin(&why);
    kin_error_set(&why, KIN_ETIMEOUT, "the end of a streaming list does not come");
    kin__reflector_note_error(reflector, KIN_FAILED_STREAMING_LIST, &why);
    /* To wait as long again would help nobody. */
    reflector->n_no_end++;
    close_call(reflector, KIN__STREAM_AGAIN, &why);
}

/* The expected bookmarks are missing: the server may be frozen although something answers for it. */
static void end_quiet_watch(kin_reflector *reflector, int64_t quiet_ns)
{
    kin_error why;

    kin__error_begin(&why);
    kin_error_set(&why, KIN_ETIMEOUT, "no event and no bookmark for %lld ms; the watch is resumed",
                  (long long)(quiet_ns / KIN__MILLISECOND));
    kin__reflector_note_error(reflector, KIN_FAILED_WATCH, &why);
    kin__log(reflector->logger, KIN_LOG_WARN, component, "a watch has fallen silent",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_S("error", why.message));
    forget(reflector, &reflector->quiet, &reflector->quiet_at);
    close_call(reflector, KIN__WATCH_AGAIN, &why);
}

/* When a watch becomes one that end_quiet_watch() is for; INT64_MAX: never. */
static int64_t quiet_due(kin_reflector *reflector, int64_t *ret_last)
{
    const kin_reflector_status *status = &reflector->status;
    int64_t last = reflector->call->begun;
    bool expects;

    kin__mutex_lock(&reflector->lock);
    expects = reflector->sees_bookmarks && reflector->bookmark_ns > 0;
    if (status->last_event > last)
        last = status->last_event;
    if (status->last_bookmark > last)
        last = status->last_bookmark;
    kin__mutex_unlock(&reflector->lock);
    *ret_last = last;
    return expects && last < INT64_MAX - reflector->bookmark_ns ? last + reflector->bookmark_ns
                                                                : INT64_MAX;
}

static void look_at_bookmarks(kin_reflector *reflector, int64_t now)
{
    int64_t last;
    int64_t due = quiet_due(reflector, &last);

    if (now >= due) {
        end_quiet_watch(reflector, now - last);
        kin__reflector_look_again(reflector); /* at the watch that follows */
    } else if (due != reflector->quiet_at) {
        reflector->quiet_at = due;
        kin__reflector_set_alarm(reflector, &reflector->quiet, due);
    }
}

/* The status function and the metric follow the source's word. */
static void report_doubt(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool in_doubt = reflector->status.in_doubt;
    kin__mutex_unlock(&reflector->lock);
    if (in_doubt == reflector->reported_doubt)
        return;
    reflector->reported_doubt = in_doubt;
    kin__reflector_measure_doubt(reflector, in_doubt);
    kin__reflector_report(reflector);
}

static void step_call(kin_reflector *reflector, int64_t now)
{
    kin__reflector_call *call = reflector->call;
    bool ended;
    bool synced;
    bool stands;

    kin__mutex_lock(&reflector->lock);
    ended = call->ended && !call->busy;
    synced = call->kind == KIN__CALL_WATCH;
    stands = call->stands;
    kin__mutex_unlock(&reflector->lock);
    if (stands) {
        reflector->n_tries = 0;
        kin__reflector_set_state(reflector, KIN_REFLECTOR_WATCHING);
    }
    if (synced && !reflector->watching) {
        forget(reflector, &reflector->watchdog, &reflector->watchdog_at);
        list_complete(reflector);
        kin__reflector_set_state(reflector, KIN_REFLECTOR_WATCHING);
    }
    if (reflector->watching)
        look_at_gaps(reflector);
    if (ended) {
        call_ended(reflector);
        /* Their alarms have run. */
        if (now >= reflector->resync_at || now >= reflector->relist_at)
            kin__reflector_look_again(reflector);
    } else if (now >= reflector->watchdog_at) {
        watch_stream(reflector);
    } else if (now >= reflector->relist_at) {
        relist(reflector, now);
    } else if (now >= reflector->resync_at) {
        resync(reflector);
    }
}

static void step_delay(kin_reflector *reflector, int64_t now)
{
    if (now < reflector->delay_until) {
        /* The server is spared: a list would be one more request. */
        if (now >= reflector->relist_at)
            postpone_relist(reflector, now, reflector->delay_until);
        if (now >= reflector->resync_at)
            resync(reflector);
        return;
    }
    reflector->delay_until = INT64_MAX;
    if (reflector->then == KIN__THEN_WATCH)
        kin__reflector_begin_watch(reflector);
    else if (reflector->then == KIN__THEN_STREAM)
        kin__reflector_begin_stream(reflector);
    else if (reflector->then == KIN__THEN_PAGE)
        retry_page(reflector);
    else
        begin_round(reflector);
}

/* --- the end --- */

static void end_run(kin_reflector *reflector)
{
    drop_call(reflector);
    kin__reflector_abort_replace(reflector);
    drop_token(reflector);
    kin__mutex_lock(&reflector->lock);
    reflector->at_end = true;
    reflector->status.refusals = 0;
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_set_state(reflector, KIN_REFLECTOR_STOPPED);
    kin__mutex_lock(&reflector->lock);
    reflector->running = false;
    reflector->stopping = false;
    kin__cond_broadcast(&reflector->ended);
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_unref(reflector);
}

static void begin_end(kin_reflector *reflector)
{
    forget(reflector, &reflector->delay, &reflector->delay_until);
    forget(reflector, &reflector->resync, &reflector->resync_at);
    forget(reflector, &reflector->watchdog, &reflector->watchdog_at);
    forget(reflector, &reflector->quiet, &reflector->quiet_at);
    forget_relist(reflector);
    reflector->heals = false;
    reflector->verifies = false;
    reflector->was_warm = false;
    reflector->failed = (kin_failed_operation)0;
    if (reflector->call && reflector->phase != KIN__PHASE_CLOSING)
        kin__reflector_call_close(reflector->call);
    reflector->phase = KIN__PHASE_END;
}

void kin__reflector_step(kin_reflector *reflector)
{
    int64_t now = kin_clock_now(reflector->clock);

    if (reflector->phase != KIN__PHASE_END && kin__reflector_ends(reflector))
        begin_end(reflector);
    report_doubt(reflector);
    switch (reflector->phase) {
    case KIN__PHASE_ROUND:
        begin_round(reflector);
        break;
    case KIN__PHASE_CALL:
        step_call(reflector, now);
        break;
    case KIN__PHASE_CLOSING:
        step_closing(reflector);
        break;
    case KIN__PHASE_DELAY:
        step_delay(reflector, now);
        break;
    case KIN__PHASE_END:
        if (!is_busy(reflector))
            end_run(reflector);
        return;
    }
    if (reflector->phase == KIN__PHASE_CALL && reflector->watching)
        look_at_bookmarks(reflector, now);
}
