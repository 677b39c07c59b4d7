/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The state machine.
 *
 *               ┌──────────────── delay ◀────────────────┐
 *               ▼                                        │
 *     round ─▶ [streaming list] ─▶ [list, its pages] ─▶ watch, watch, watch …
 *
 * A round is client-go's ListAndWatch. What ends a pull is an outcome, and kin__reaction_to() says what
 * follows. One step looks at what there is to do now; it never waits.
 */
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "informer/reflector.h"

/* A watch that ends sooner, and with nothing, is none. */
#define SHORT_NS KIN__SECOND
/* So long without an internal error, and the next one begins a new series. */
#define INTERNAL_RESET_NS (60 * KIN__SECOND)
/* How long streaming lists are not tried: where the server does not have them, and where one failed. */
#define STREAM_OFF_LONG_NS (3600 * KIN__SECOND)
#define STREAM_OFF_NS (600 * KIN__SECOND)
/* What a server asks us to wait is believed up to here. */
#define RETRY_AFTER_MAX_MS INT64_C(300000)

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

static void note_relist(kin_reflector *reflector, int64_t at)
{
    reflector->relist_at = at;
    kin__mutex_lock(&reflector->lock);
    reflector->status.next_relist = at == INT64_MAX ? 0 : at;
    kin__mutex_unlock(&reflector->lock);
}

static void set_relist(kin_reflector *reflector, int64_t at)
{
    note_relist(reflector, at);
    kin__reflector_set_alarm(reflector, &reflector->relist, at);
}

static void forget_relist(kin_reflector *reflector)
{
    if (reflector->relist_at == INT64_MAX)
        return;
    kin__reflector_cancel_alarm(reflector, &reflector->relist);
    note_relist(reflector, INT64_MAX);
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
    bool needs = needs_relist(reflector);
    int64_t ns;

    if (!needs) {
        forget_relist(reflector);
        return;
    }
    if (reflector->relist_at != INT64_MAX || reflector->options.gap_relist_ms < 0)
        return;
    ns = kin__backoff_next(&reflector->relist_backoff, kin_clock_now(reflector->clock));
    set_relist(reflector, kin__clock_deadline(reflector->clock, ns));
}

static void delay(kin_reflector *reflector, kin__then then, const kin_error *why)
{
    int64_t now = kin_clock_now(reflector->clock);
    int64_t ns = kin__backoff_next(&reflector->backoff, now);
    int64_t asked = why->retry_after_ms;

    if (asked > RETRY_AFTER_MAX_MS)
        asked = RETRY_AFTER_MAX_MS;
    if (ns < asked * KIN__MILLISECOND)
        ns = asked * KIN__MILLISECOND;
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

static void enter_watch(kin_reflector *reflector)
{
    reflector->watching = true;
    reflector->unavailable = false;
    reflector->is_relist = false;
    reflector->first_internal = INT64_MAX;
    reflector->heals = false;
    start_resync(reflector);
    if (!needs_relist(reflector))
        kin__backoff_reset(&reflector->relist_backoff);
    look_at_gaps(reflector);
}

static bool streams_now(const kin_reflector *reflector)
{
    switch (reflector->options.streaming_lists) {
    case KIN_STREAMING_LISTS_ALWAYS:
        return true;
    case KIN_STREAMING_LISTS_AUTO:
        return reflector->can_stream &&
               kin_clock_now(reflector->clock) >= reflector->stream_off_until;
    default:
        return false;
    }
}

static void begin_round(kin_reflector *reflector)
{
    reflector->fresh_in_round = false;
    reflector->n_no_end = 0;
    reflector->watching = false;
    if (reflector->warm) {
        reflector->warm = false;
        reflector->was_warm = true;
        enter_watch(reflector);
        kin__reflector_begin_watch(reflector);
        return;
    }
    if (reflector->is_relist)
        kin__reflector_count(reflector, &reflector->status.relists);
    if (streams_now(reflector))
        kin__reflector_begin_stream(reflector);
    else
        kin__reflector_begin_list(reflector);
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
    begin_round(reflector);
}

/* The list for gaps has failed: nothing was wrong with the watch. The next one is due later. */
static void resume(kin_reflector *reflector, const kin_error *why)
{
    kin__reflector_abort_replace(reflector);
    enter_watch(reflector);
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
    case KIN__WATCH_FOR_A_WHILE:
        return may_retry_internal(reflector) ? KIN__WATCH_AGAIN : KIN__END_ROUND;
    default:
        return reaction;
    }
}

/* The same of a round for gaps. */
static kin__reaction settle_relist(kin__reaction reaction)
{
    bool has_failed =
        reaction == KIN__FAIL_ROUND || reaction == KIN__END_ROUND || reaction == KIN__STREAM_LATER;

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

static void react(kin_reflector *reflector, kin__reaction reaction, const kin_error *why)
{
    forget(reflector, &reflector->watchdog, &reflector->watchdog_at);
    reaction = settle(reflector, reaction, why);
    switch (reflector->heals ? settle_relist(reaction) : reaction) {
    case KIN__LIST_FRESH:
        list_fresh(reflector);
        break;
    case KIN__FAIL_ROUND:
        kin__reflector_tell_error(reflector, why);
        end_round(reflector, why);
        break;
    case KIN__GO_ON:
    case KIN__WATCH_AGAIN:
        kin__reflector_begin_watch(reflector);
        break;
    case KIN__WATCH_LATER:
        delay(reflector, KIN__THEN_WATCH, why);
        break;
    case KIN__STREAM_LATER:
        kin__reflector_abort_replace(reflector);
        delay(reflector, KIN__THEN_STREAM, why);
        break;
    case KIN__STREAM_FRESH:
    case KIN__STREAM_AGAIN:
        kin__reflector_begin_stream(reflector);
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
        kin__reflector_tell_error(reflector, why);
        resume(reflector, why);
        break;
    default:
        end_round(reflector, why);
        break;
    }
}

void kin__reflector_failed(kin_reflector *reflector, kin__pull_kind kind, const kin_error *why)
{
    kin__reflector_note_error(reflector, why);
    react(reflector, kin__reaction_to(kind, KIN__OUTCOME_OTHER), why);
}

/* --- the end of a pull --- */

/* What others must not change any more was copied: how a pull has ended. */
struct ending {
    kin__pull_kind kind;
    kin__outcome outcome;
    kin_error why;
};

static void judge(kin_reflector *reflector, const kin__pull *pull, struct ending *ret)
{
    bool is_short = kin_clock_now(reflector->clock) - pull->begun < SHORT_NS && !pull->n_events;
    int code;

    kin__mutex_lock(&reflector->lock);
    code = pull->own_err.code < 0 ? pull->own_err.code : pull->code;
    ret->why = pull->own_err.code < 0 ? pull->own_err : pull->err;
    ret->kind = pull->kind;
    ret->outcome = kin__outcome_of(code, &ret->why, pull->too_large);
    if (ret->kind == KIN__PULL_BEGIN && (pull->stood || pull->n_events > 0))
        ret->kind = KIN__PULL_WATCH;
    kin__mutex_unlock(&reflector->lock);
    if (pull->store_failed)
        ret->outcome = KIN__OUTCOME_STORE;
    if (ret->kind == KIN__PULL_LIST || ret->outcome == KIN__OUTCOME_STORE)
        return;
    /* A watch that was lost has come to its end, as far as can be seen from here. */
    if (is_short &&
        (code == 0 || (ret->kind == KIN__PULL_WATCH && ret->outcome == KIN__OUTCOME_LOST)))
        ret->outcome = KIN__OUTCOME_SHORT;
    else if (code == 0 && ret->kind == KIN__PULL_STREAM)
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
    return ending->kind == KIN__PULL_STREAM &&
           (ending->outcome == KIN__OUTCOME_UNSUPPORTED || ending->outcome == KIN__OUTCOME_DENIED ||
            ending->outcome == KIN__OUTCOME_NOT_FOUND);
}

/* In-stream failures are for the log; those of a beginning are for the error function. */
static void note_failure(kin_reflector *reflector, const struct ending *ending)
{
    bool is_refused = is_refused_stream(ending);
    kin_log_level level = KIN_LOG_WARN;

    if (ending->outcome == KIN__OUTCOME_OK)
        return;
    if (!is_refused)
        kin__reflector_note_error(reflector, &ending->why);
    if (ending->kind == KIN__PULL_LIST || ending->kind == KIN__PULL_BEGIN)
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

static void drop_pull(kin_reflector *reflector)
{
    kin__pull *pull = reflector->pull;

    reflector->pull = NULL;
    if (pull)
        kin__reflector_measure_pull_end(reflector, pull);
    kin__pull_unref(pull);
}

/* All pages are there. */
static void finish_list(kin_reflector *reflector)
{
    struct ending ending = {KIN__PULL_LIST, KIN__OUTCOME_STORE, KIN_ERROR_INIT};
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
    kin__mutex_unlock(&reflector->lock);
    kin__reflector_measure_list_end(reflector);
    enter_watch(reflector);
    react(reflector, KIN__GO_ON, &ending.why);
}

/* A page is complete. `token`: of the next, OWNED by us now. */
static void page_ended(kin_reflector *reflector, kin__pull *pull, const char *before)
{
    char *token = pull->token;

    pull->token = NULL;
    if (!reflector->has_first_page) {
        memcpy(reflector->first_page, pull->version, sizeof(reflector->first_page));
        reflector->has_first_page = true;
    }
    drop_pull(reflector);
    if (token && before && strcmp(token, before) == 0) {
        struct ending ending = {KIN__PULL_LIST, KIN__OUTCOME_UNREADABLE, KIN_ERROR_INIT};

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
    kin__reflector_begin_page(reflector, token);
}

/* Whether a warm start has found out with this end that it has to list. Looked at once for each. */
static bool is_stale_start(kin_reflector *reflector, const kin__pull *pull, kin__outcome outcome)
{
    bool is_stale = reflector->was_warm && pull->n_events == 0 &&
                    (outcome == KIN__OUTCOME_EXPIRED || outcome == KIN__OUTCOME_TOO_LARGE);

    reflector->was_warm = reflector->was_warm && pull->n_events == 0 && !is_stale;
    return is_stale;
}

static void pull_ended(kin_reflector *reflector)
{
    kin__pull *pull = reflector->pull;
    bool is_continued = pull->is_continued;
    struct ending ending;
    bool is_stale;

    judge(reflector, pull, &ending);
    kin__pull_close(pull);
    if (ending.outcome == KIN__OUTCOME_SHORT)
        kin__reflector_measure_short_watch(reflector);
    /* A streaming list may be in the store, and what follows it not: that is no state to go on from. */
    if (ending.outcome == KIN__OUTCOME_STORE)
        reflector->heals = false;
    if (ending.kind == KIN__PULL_LIST && ending.outcome == KIN__OUTCOME_OK) {
        page_ended(reflector, pull, is_continued ? reflector->page_token : NULL);
        return;
    }
    note_failure(reflector, &ending);
    is_stale = is_stale_start(reflector, pull, ending.outcome);
    drop_pull(reflector);
    if (is_stale) {
        react(reflector, KIN__LIST_NOW, &ending.why);
        return;
    }
    if (is_continued && ending.outcome == KIN__OUTCOME_EXPIRED) {
        /* The pages are of a version that is gone: all of it at once, from the beginning. */
        reflector->full_list = true;
        kin__reflector_begin_page(reflector, NULL);
        return;
    }
    react(reflector, kin__reaction_to(ending.kind, ending.outcome), &ending.why);
}

/* --- closing a pull for a reason of our own --- */

/* `reaction` follows as soon as nobody is in it. */
static void close_pull(kin_reflector *reflector, kin__reaction reaction, const kin_error *why)
{
    reflector->reaction = reaction;
    reflector->reason = *why;
    reflector->phase = KIN__PHASE_CLOSING;
    if (reflector->pull && !kin__pull_close(reflector->pull))
        return;
    drop_pull(reflector);
    react(reflector, reaction, why);
}

static bool is_busy(kin_reflector *reflector)
{
    kin__mutex_lock(&reflector->lock);
    bool busy = reflector->pull && reflector->pull->busy;
    kin__mutex_unlock(&reflector->lock);
    return busy;
}

static void step_closing(kin_reflector *reflector)
{
    kin_error why = reflector->reason;

    if (is_busy(reflector))
        return;
    drop_pull(reflector);
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
    code = reflector->store.resync(reflector->store.arg, &why);
    if (code == 0) {
        start_resync(reflector);
        return;
    }
    kin__said(&why, code);
    kin__reflector_count(reflector, &reflector->status.store_errors);
    kin__reflector_note_error(reflector, &why);
    kin__log(reflector->logger, KIN_LOG_WARN, component, "the store could not be resynced",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_S("error", why.message));
    if (reflector->phase == KIN__PHASE_PULL)
        close_pull(reflector, KIN__END_ROUND, &why);
    else
        end_round(reflector, &why);
}

/* What was skipped is still missing. */
static void relist(kin_reflector *reflector)
{
    kin_error none;
    uint64_t gaps;

    kin__error_begin(&none);
    kin__mutex_lock(&reflector->lock);
    gaps = reflector->status.gaps;
    kin__mutex_unlock(&reflector->lock);
    kin__log(reflector->logger, KIN_LOG_INFO, component, "lists again, for what was skipped",
             KIN__LOG_S("reflector", reflector->name), KIN__LOG_U("gaps", gaps));
    forget_relist(reflector);
    close_pull(reflector, KIN__RELIST, &none);
}

/* No event of a streaming list has come for too long. */
static void watch_stream(kin_reflector *reflector)
{
    int64_t due = kin__pull_end_due(reflector->pull);
    kin_error why;

    if (kin_clock_now(reflector->clock) < due) {
        reflector->watchdog_at = due;
        kin__reflector_set_alarm(reflector, &reflector->watchdog, due);
        return;
    }
    kin__error_begin(&why);
    kin_error_set(&why, KIN_ETIMEOUT, "the end of a streaming list does not come");
    kin__reflector_note_error(reflector, &why);
    /* To wait as long again would help nobody. */
    reflector->n_no_end++;
    close_pull(reflector, KIN__STREAM_AGAIN, &why);
}

static void step_pull(kin_reflector *reflector, int64_t now)
{
    kin__pull *pull = reflector->pull;
    bool ended;
    bool synced;
    bool stands;

    kin__mutex_lock(&reflector->lock);
    ended = pull->ended && !pull->busy;
    synced = pull->kind == KIN__PULL_WATCH;
    stands = pull->stands;
    kin__mutex_unlock(&reflector->lock);
    if (stands)
        kin__reflector_set_state(reflector, KIN_REFLECTOR_WATCHING);
    if (synced && !reflector->watching) {
        forget(reflector, &reflector->watchdog, &reflector->watchdog_at);
        enter_watch(reflector);
        kin__reflector_set_state(reflector, KIN_REFLECTOR_WATCHING);
    }
    if (reflector->watching)
        look_at_gaps(reflector);
    if (ended) {
        pull_ended(reflector);
        /* Their alarms have run. */
        if (now >= reflector->resync_at || now >= reflector->relist_at)
            kin__reflector_look_again(reflector);
    } else if (now >= reflector->watchdog_at) {
        watch_stream(reflector);
    } else if (now >= reflector->relist_at) {
        relist(reflector);
    } else if (now >= reflector->resync_at) {
        resync(reflector);
    }
}

static void step_delay(kin_reflector *reflector, int64_t now)
{
    if (now < reflector->delay_until) {
        /* The server is spared: a list would be one more request. */
        if (now >= reflector->relist_at)
            set_relist(reflector, reflector->delay_until);
        if (now >= reflector->resync_at)
            resync(reflector);
        return;
    }
    reflector->delay_until = INT64_MAX;
    if (reflector->then == KIN__THEN_WATCH)
        kin__reflector_begin_watch(reflector);
    else if (reflector->then == KIN__THEN_STREAM)
        kin__reflector_begin_stream(reflector);
    else
        begin_round(reflector);
}

/* --- the end --- */

static void end_run(kin_reflector *reflector)
{
    drop_pull(reflector);
    kin__reflector_abort_replace(reflector);
    kin__free(reflector->page_token);
    reflector->page_token = NULL;
    kin__mutex_lock(&reflector->lock);
    reflector->at_end = true;
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
    forget_relist(reflector);
    reflector->heals = false;
    reflector->was_warm = false;
    if (reflector->pull && reflector->phase != KIN__PHASE_CLOSING)
        kin__pull_close(reflector->pull);
    reflector->phase = KIN__PHASE_END;
}

void kin__reflector_step(kin_reflector *reflector)
{
    int64_t now = kin_clock_now(reflector->clock);

    if (reflector->phase != KIN__PHASE_END && kin__reflector_ends(reflector))
        begin_end(reflector);
    switch (reflector->phase) {
    case KIN__PHASE_ROUND:
        begin_round(reflector);
        break;
    case KIN__PHASE_PULL:
        step_pull(reflector, now);
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
        break;
    }
}
