/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever delivers, a thread, a task or the event loop, does the same: take some events out under the
 * lock, call the handler without it, come back. `is_scheduled` says that somebody will do that, so
 * that there is never a second one; what ends a listener leaves the end to it.
 *
 * Objects are released without the lock: destroying them may be the caller's code.
 */
#include "informer/listener.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/clock.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ref.h"
#include "base/thread.h"

enum {
    MAX_QUEUED = 10000,
    SLOW_MS = 1000,
    PER_TURN = 256, /* events that are taken out at once; they cannot be merged any more */
};
#define SLOW_LOG_INTERVAL (60 * KIN__SECOND)

enum state { NEW, RUNNING, DROPPED, ENDED };

struct kin__listener {
    kin__ref ref;
    char *title;                 /* const: "INFORMER/NAME" */
    kin_str informer;            /* const: in `title` */
    const char *name;            /* const: in `title` */
    kin_handler_options handler; /* without the name; const */
    kin_event_fn *fn;            /* const */
    void *arg;                   /* const */
    kin_clock *clock;            /* const; SHARED */
    kin_logger *logger;          /* const; SHARED */
    kin__dispatcher *dispatcher; /* const */
    kin__workers *workers;       /* const; may be gone once it has ended; NULL: none */
    void (*ended)(void *arg);    /* const; may be NULL */
    void *ended_arg;             /* const; gone once the thread was joined */
    int64_t slow;                /* const; INT64_MAX: never */

    kin__mutex lock;          /* rank LISTENER */
    kin__cond changed;        /* something waits, or the state is another; for its own thread */
    kin__cond settled;        /* synced, told of all, or ended; for whoever waits for that */
    enum state state;         /* (lock) */
    kin__event_queue queue;   /* (lock) */
    const kin_object **first; /* (lock) what it begins with; NULL: all was taken */
    size_t n_first;           /* (lock) */
    size_t first_taken;       /* (lock) */
    int64_t first_since;      /* (lock) */
    size_t n_taken;           /* (lock) out of the queue and not told yet, or being told */
    int64_t taken_since;      /* (lock) when the oldest of these came */
    size_t n_initial;         /* (lock) initial additions that were put and not told yet */
    bool upstream_synced;     /* (lock) */
    kin__upstream upstream;   /* (lock) */
    kin_error refusal;        /* (lock) why, if upstream was refused */
    bool is_synced;           /* (lock) sticky */
    bool is_scheduled;        /* (lock) somebody delivers, or will */
    bool is_calling;          /* (lock) the deliverer is with the handler */
    pthread_t caller;         /* (lock) who that is */
    bool is_starting;         /* (lock) somebody is in kin__thread_start(), and fills in `thread` */
    bool has_thread;          /* (lock) */
    bool is_joined;           /* (lock) its thread was, or is being */

    atomic_bool is_dropped;     /* the state is DROPPED or beyond */
    _Atomic int64_t call_since; /* of the call that is under way; INT64_MIN: none */
    _Atomic uint64_t n_delivered;
    _Atomic uint64_t n_slow;
    const kin_object **garbage; /* the informer's: what merging leaves over */
    size_t garbage_cap;
    int64_t slow_logged; /* the deliverer's */
    int64_t hang_logged; /* the informer's: the call that it has spoken of */

    kin__thread thread; /* of KIN_DELIVER_THREAD */
    kin__strand strand; /* of KIN_DELIVER_POOL */
    bool has_strand;    /* until it has ended: the workers may go then */
    kin__task task;
    kin__dispatched dispatched; /* of KIN_DELIVER_LOOP */
};

/* --- life --- */

static void run_task(kin__task *task, bool dropped);
static void run_dispatched(kin__dispatched *dispatched, size_t max, size_t *ret_n);

static void init_options(kin__listener *listener, const kin_handler_options *handler)
{
    int64_t slow_ms = handler->slow_ms ? handler->slow_ms : SLOW_MS;

    listener->handler = *handler;
    listener->handler.name = NULL;
    if (handler->max_queued == 0)
        listener->handler.max_queued = MAX_QUEUED;
    listener->slow = slow_ms < 0 || slow_ms > INT64_MAX / KIN__MILLISECOND
                         ? INT64_MAX
                         : slow_ms * KIN__MILLISECOND;
}

/* 0, KIN_ENOMEM. */
static int set_title(kin__listener *listener, const kin__listener_options *options)
{
    const char *name = options->handler->name ? options->handler->name : KIN__LISTENER_UNNAMED;
    size_t before = strlen(options->informer);
    size_t size = before + 1 + strlen(name) + 1;

    listener->title = kin__malloc(size);
    if (!listener->title)
        return KIN_ENOMEM;
    (void)snprintf(listener->title, size, "%s/%s", options->informer, name);
    listener->informer = kin_str_make(listener->title, before);
    listener->name = listener->title + before + 1;
    return 0;
}

int kin__listener_new(kin__listener **ret, const kin__listener_options *options, kin_error *err)
{
    kin__listener *listener = kin__calloc(1, sizeof(*listener));

    if (!listener || set_title(listener, options) < 0) {
        kin__free(listener);
        return kin__error_no_memory(err);
    }
    kin__ref_init(&listener->ref);
    init_options(listener, options->handler);
    listener->fn = options->fn;
    listener->arg = options->arg;
    listener->clock = kin_clock_ref(options->clock);
    listener->logger = kin_logger_ref(options->logger);
    listener->dispatcher = options->dispatcher;
    listener->workers = options->workers;
    listener->ended = options->ended;
    listener->ended_arg = options->ended_arg;
    listener->slow_logged = INT64_MIN;
    listener->hang_logged = INT64_MIN;
    kin__mutex_init(&listener->lock, KIN__RANK_LISTENER);
    kin__cond_init(&listener->changed);
    kin__cond_init(&listener->settled);
    kin__event_queue_init(&listener->queue, listener->handler.max_queued);
    atomic_init(&listener->call_since, INT64_MIN);
    listener->thread = KIN__THREAD_INIT;
    listener->has_strand = listener->handler.delivery == KIN_DELIVER_POOL;
    if (listener->has_strand)
        kin__strand_init(&listener->strand, options->workers);
    kin__list_init(&listener->task.link);
    listener->task.run = run_task;
    kin__list_init(&listener->dispatched.link);
    listener->dispatched.run = run_dispatched;
    *ret = listener;
    return 0;
}

kin__listener *kin__listener_ref(kin__listener *listener)
{
    kin__ref_get(&listener->ref);
    return listener;
}

static void release_first(const kin_object **first, size_t from, size_t n)
{
    for (size_t i = from; first && i < n; i++)
        kin_object_unref(first[i]);
    kin__free(first);
}

static void end_strand(kin__listener *listener)
{
    if (listener->has_strand)
        kin__strand_done(&listener->strand);
    listener->has_strand = false;
}

static void destroy(kin__listener *listener)
{
    if (listener->has_thread && !listener->is_joined) {
        if (kin__thread_is_current(&listener->thread))
            kin__thread_detach(&listener->thread);
        else
            kin__thread_join(&listener->thread, NULL);
    }
    end_strand(listener);
    kin__event_queue_done(&listener->queue);
    release_first(listener->first, listener->first_taken, listener->n_first);
    kin__free(listener->garbage);
    kin__cond_done(&listener->settled);
    kin__cond_done(&listener->changed);
    kin__mutex_done(&listener->lock);
    kin_logger_unref(listener->logger);
    kin_clock_unref(listener->clock);
    kin__free(listener->title);
    kin__free(listener);
}

void kin__listener_unref(kin__listener *listener)
{
    if (listener && kin__ref_put(&listener->ref))
        destroy(listener);
}

const char *kin__listener_name(const kin__listener *listener)
{
    return listener->name;
}

/* --- telling --- */

/* What was taken out, to be told without the lock. */
struct turn {
    const kin_object **first; /* of what it begins with */
    size_t n_first;
    const kin_object **to_free; /* their array, if these are its last */
    kin__list events;           /* kin__queued_event */
    size_t n_events;
    size_t n_initial;
};

static void log_slow(kin__listener *listener, int64_t now, int64_t took)
{
    atomic_fetch_add_explicit(&listener->n_slow, 1, memory_order_relaxed);
    if (listener->slow_logged != INT64_MIN && now - listener->slow_logged < SLOW_LOG_INTERVAL)
        return;
    listener->slow_logged = now;
    kin__log(listener->logger, KIN_LOG_WARN, "informer", "a handler is slow",
             KIN__LOG_V("informer", listener->informer), KIN__LOG_S("handler", listener->name),
             KIN__LOG_I("ms", took / KIN__MILLISECOND));
}

static void call(kin__listener *listener, const kin_event *event)
{
    int64_t start = kin_clock_now(listener->clock);
    int64_t now;

    atomic_store_explicit(&listener->call_since, start, memory_order_relaxed);
    kin__assert_no_locks();
    listener->fn(event, listener->arg);
    atomic_store_explicit(&listener->call_since, INT64_MIN, memory_order_relaxed);
    atomic_fetch_add_explicit(&listener->n_delivered, 1, memory_order_relaxed);
    now = kin_clock_now(listener->clock);
    if (now - start > listener->slow)
        log_slow(listener, now, now - start);
}

/* A tombstone without a last state cannot be looked at: its deletion is told. */
static bool passes(const kin__listener *listener, const kin_object *object)
{
    const kin_object *last = NULL;

    if (kin_object_is_tombstone(object, &last))
        object = last;
    return !object || listener->handler.filter(object, listener->handler.filter_arg);
}

/* What the event is for a handler with a filter. False: nothing. */
static bool filter(const kin__listener *listener, kin_event *event)
{
    bool is_wanted = passes(listener, event->object);

    if (event->type != KIN_EVENT_UPDATE)
        return is_wanted;
    if (passes(listener, event->old_object)) {
        if (is_wanted)
            return true;
        event->type = KIN_EVENT_DELETE;
        event->object = event->old_object;
    } else {
        event->type = KIN_EVENT_ADD;
    }
    event->old_object = NULL;
    event->is_sync = false;
    return is_wanted || event->type == KIN_EVENT_DELETE;
}

static void tell(kin__listener *listener, kin_event *event)
{
    if (atomic_load_explicit(&listener->is_dropped, memory_order_acquire) &&
        !KIN_DEFECT(handler_called_after_removal))
        return;
    if (!listener->handler.filter || filter(listener, event))
        call(listener, event);
}

static void tell_turn(kin__listener *listener, const struct turn *turn)
{
    for (size_t i = 0; i < turn->n_first; i++) {
        kin_event event = {sizeof(event), KIN_EVENT_ADD, turn->first[i], NULL, true, false};

        tell(listener, &event);
        kin_object_unref(turn->first[i]);
    }
    kin__list_for_each(&turn->events, node) {
        const kin__queued_event *queued = kin__list_entry(node, kin__queued_event, link);
        kin_event event = {sizeof(event),      (kin_event_type)queued->type, queued->object,
                           queued->old_object, queued->is_initial,           queued->is_sync};

        tell(listener, &event);
        kin_object_unref(queued->object);
        kin_object_unref(queued->old_object);
    }
    kin__free(turn->to_free);
}

/* --- turns --- */

static bool has_more_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    return listener->first || listener->queue.len > 0;
}

/* Whether nothing will be told any more. */
static bool is_over_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    return listener->state >= DROPPED;
}

static void take_first_locked(kin__listener *listener, size_t max, struct turn *turn)
    KIN_REQUIRES(listener->lock)
{
    size_t left = listener->n_first - listener->first_taken;

    turn->first = listener->first + listener->first_taken;
    turn->n_first = left < max ? left : max;
    turn->n_initial = turn->n_first;
    listener->first_taken += turn->n_first;
    listener->taken_since = listener->first_since;
    if (listener->first_taken < listener->n_first)
        return;
    turn->to_free = listener->first;
    listener->first = NULL;
}

static void take_turn_locked(kin__listener *listener, size_t max, struct turn *turn)
    KIN_REQUIRES(listener->lock)
{
    *turn = (struct turn){.n_first = 0};
    kin__list_init(&turn->events);
    if (listener->first) {
        take_first_locked(listener, max, turn);
    } else {
        listener->taken_since = kin__event_queue_oldest(&listener->queue);
        turn->n_events = kin__event_queue_take(&listener->queue, max, &turn->events);
        kin__list_for_each(&turn->events, node)
            turn->n_initial += kin__list_entry(node, kin__queued_event, link)->is_initial;
    }
    listener->n_taken = turn->n_first + turn->n_events;
    listener->is_calling = true;
    listener->caller = pthread_self();
}

static void note_synced_locked(kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    if (listener->is_synced || !listener->upstream_synced ||
        (listener->n_initial > 0 && !KIN_DEFECT(handler_synced_early)))
        return;
    /* Those that were dropped were not told. */
    if (listener->state >= DROPPED)
        return;
    listener->is_synced = true;
    kin__cond_broadcast(&listener->settled);
}

static void end_turn_locked(kin__listener *listener, struct turn *turn) KIN_REQUIRES(listener->lock)
{
    listener->is_calling = false;
    listener->n_taken = 0;
    kin__event_queue_give_back(&listener->queue, &turn->events, turn->n_events);
    listener->n_initial -= turn->n_initial;
    note_synced_locked(listener);
    if (!has_more_locked(listener))
        kin__cond_broadcast(&listener->settled);
}

enum outcome { MORE, IDLE, OVER };

/* By whoever is scheduled; after IDLE that is nobody any more, but for a thread of its own. */
static enum outcome deliver(kin__listener *listener, size_t max, size_t *ret_n)
{
    enum outcome outcome = OVER;
    struct turn turn;

    kin__mutex_lock(&listener->lock);
    if (!is_over_locked(listener)) {
        take_turn_locked(listener, max, &turn);
        kin__mutex_unlock(&listener->lock);
        *ret_n += turn.n_first + turn.n_events;
        tell_turn(listener, &turn);
        kin__mutex_lock(&listener->lock);
        end_turn_locked(listener, &turn);
        if (!is_over_locked(listener))
            outcome =
                has_more_locked(listener) && !KIN_DEFECT(pool_handler_forgotten) ? MORE : IDLE;
    }
    listener->is_scheduled = outcome != IDLE || listener->handler.delivery == KIN_DELIVER_THREAD;
    kin__mutex_unlock(&listener->lock);
    return outcome;
}

/* --- the end --- */

/* By whoever was scheduled last, and once. */
static void finish(kin__listener *listener)
{
    struct turn left;
    size_t from;

    kin__mutex_lock(&listener->lock);
    /* `arg_free` counts as a call: the end of the listener waits for it, too. */
    listener->is_calling = true;
    listener->caller = pthread_self();
    left = (struct turn){.first = listener->first, .n_first = listener->n_first};
    kin__list_init(&left.events);
    left.n_events = kin__event_queue_take(&listener->queue, SIZE_MAX, &left.events);
    from = listener->first_taken;
    listener->first = NULL;
    kin__mutex_unlock(&listener->lock);
    release_first(left.first, from, left.n_first);
    kin__list_for_each(&left.events, node) {
        kin_object_unref(kin__list_entry(node, kin__queued_event, link)->object);
        kin_object_unref(kin__list_entry(node, kin__queued_event, link)->old_object);
    }
    if (listener->handler.arg_free)
        listener->handler.arg_free(listener->arg);
    /* Whoever keeps a reference may do so longer than there are workers. */
    end_strand(listener);
    kin__mutex_lock(&listener->lock);
    kin__event_queue_give_back(&listener->queue, &left.events, left.n_events);
    listener->is_calling = false;
    listener->state = ENDED;
    kin__cond_broadcast(&listener->settled);
    kin__mutex_unlock(&listener->lock);
}

static void drop_locked(kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    if (listener->state < DROPPED)
        listener->state = DROPPED;
    atomic_store_explicit(&listener->is_dropped, true, memory_order_release);
}

/* True for the one who has to call finish(). */
static bool change_to_end_locked(kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    drop_locked(listener);
    kin__cond_signal(&listener->changed);
    kin__cond_broadcast(&listener->settled);
    if (listener->is_scheduled || listener->state == ENDED)
        return false;
    listener->is_scheduled = true;
    return true;
}

void kin__listener_end(kin__listener *listener)
{
    bool is_last;

    kin__mutex_lock(&listener->lock);
    is_last = change_to_end_locked(listener);
    kin__mutex_unlock(&listener->lock);
    if (is_last) {
        finish(listener);
    } else if (listener->dispatcher &&
               kin__dispatcher_remove(listener->dispatcher, &listener->dispatched)) {
        /* The event loop may never come again. */
        finish(listener);
        kin__listener_unref(listener);
    }
}

bool kin__listener_has_ended(kin__listener *listener)
{
    bool has_ended;

    kin__mutex_lock(&listener->lock);
    has_ended = listener->state == ENDED;
    kin__mutex_unlock(&listener->lock);
    return has_ended;
}

static bool is_own_call_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    return listener->is_calling && pthread_equal(listener->caller, pthread_self());
}

static int from_own_handler(kin_error *err)
{
    return kin_error_set(err, KIN_EBUSY, "a handler cannot wait for itself");
}

/* Whether the caller is a worker, which what it would wait for may need. */
static bool is_worker_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    return listener->state != ENDED && listener->workers &&
           kin__workers_runs_here(listener->workers);
}

static int from_worker(const kin__listener *listener, kin_error *err)
{
    return kin_error_set(err, KIN_EBUSY, "a worker cannot wait for the handler \"%s\"",
                         listener->title);
}

void kin__listener_await_ended(kin__listener *listener)
{
    bool joins;

    kin__mutex_lock(&listener->lock);
    while (listener->state != ENDED || listener->is_starting)
        kin__cond_wait(&listener->settled, &listener->lock);
    joins = listener->has_thread && !listener->is_joined;
    listener->is_joined |= joins;
    kin__mutex_unlock(&listener->lock);
    if (joins)
        kin__thread_join(&listener->thread, NULL);
}

int kin__listener_wait_ended(kin__listener *listener, kin_error *err)
{
    bool is_own;
    bool is_worker;

    kin__mutex_lock(&listener->lock);
    is_own = is_own_call_locked(listener);
    is_worker = listener->handler.delivery == KIN_DELIVER_POOL && is_worker_locked(listener);
    kin__mutex_unlock(&listener->lock);
    if (is_own)
        return from_own_handler(err);
    if (is_worker)
        return from_worker(listener, err);
    if (!KIN_DEFECT(removal_does_not_wait))
        kin__listener_await_ended(listener);
    return 0;
}

/* --- who delivers --- */

static void run_thread(void *arg)
{
    kin__listener *listener = arg;
    enum outcome outcome = IDLE;
    size_t n = 0;

    while (outcome != OVER) {
        kin__mutex_lock(&listener->lock);
        while (!has_more_locked(listener) && !is_over_locked(listener))
            kin__cond_wait(&listener->changed, &listener->lock);
        kin__mutex_unlock(&listener->lock);
        outcome = deliver(listener, PER_TURN, &n);
    }
    finish(listener);
    if (listener->ended)
        listener->ended(listener->ended_arg);
    kin__listener_unref(listener);
}

static void run_task(kin__task *task, bool dropped)
{
    kin__listener *listener = kin__container_of(task, kin__listener, task);
    enum outcome outcome;
    size_t n = 0;

    if (dropped)
        kin__listener_end(listener);
    outcome = deliver(listener, PER_TURN, &n);
    if (outcome == MORE && kin__strand_post(&listener->strand, task) == 0)
        return;
    if (outcome == MORE) {
        kin__listener_end(listener);
        outcome = OVER;
    }
    if (outcome == OVER)
        finish(listener);
    kin__listener_unref(listener);
}

/*
 * Wait for the event loop again. With the lock: who ends it looks whether it is there, and leaves the end to
 * us if it is not. False: it was ended.
 */
static bool wait_for_loop(kin__listener *listener)
{
    kin__mutex_lock(&listener->lock);
    bool goes_on = !is_over_locked(listener);

    if (goes_on)
        kin__dispatcher_add(listener->dispatcher, &kin__listener_ref(listener)->dispatched);
    kin__mutex_unlock(&listener->lock);
    return goes_on;
}

static void run_dispatched(kin__dispatched *dispatched, size_t max, size_t *ret_n)
{
    kin__listener *listener = kin__container_of(dispatched, kin__listener, dispatched);
    enum outcome outcome = deliver(listener, max, ret_n);

    bool is_over = outcome == OVER || (outcome == MORE && !wait_for_loop(listener));

    if (is_over)
        finish(listener);
    kin__listener_unref(listener);
}

/* Whether somebody has to be made to deliver, which then is for the caller to do: schedule(). */
static bool wants_schedule_locked(kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    if (listener->state == NEW || !has_more_locked(listener))
        return false;
    if (listener->handler.delivery == KIN_DELIVER_THREAD) {
        kin__cond_signal(&listener->changed);
        return false;
    }
    if (listener->is_scheduled || is_over_locked(listener))
        return false;
    listener->is_scheduled = true;
    return true;
}

static void schedule(kin__listener *listener)
{
    kin__listener_ref(listener);
    if (listener->handler.delivery == KIN_DELIVER_LOOP) {
        kin__dispatcher_add(listener->dispatcher, &listener->dispatched);
    } else if (kin__strand_post(&listener->strand, &listener->task) < 0) {
        kin__listener_end(listener);
        finish(listener);
        kin__listener_unref(listener);
    }
}

/* --- what the informer does --- */

void kin__listener_begin_with(kin__listener *listener, const kin_object **objects, size_t n)
{
    bool wants = false;

    kin__mutex_lock(&listener->lock);
    kin__assert(!listener->first && listener->queue.len == 0);
    if (n > 0 && listener->state < DROPPED) {
        listener->first = objects;
        listener->n_first = n;
        listener->n_initial += n;
        listener->first_since = kin_clock_now(listener->clock);
        objects = NULL;
        wants = wants_schedule_locked(listener);
    }
    kin__mutex_unlock(&listener->lock);
    release_first(objects, 0, n);
    if (wants)
        schedule(listener);
}

static int start_thread(kin__listener *listener, kin_error *err)
{
    char name[16];
    int code;

    snprintf(name, sizeof(name), "kin-%s", listener->name);
    kin__listener_ref(listener);
    code = kin__thread_start(&listener->thread, name, run_thread, listener, err);
    /* It may have ended already: who waits for that needs the thread to join it. */
    kin__mutex_lock(&listener->lock);
    listener->is_starting = false;
    listener->has_thread = code == 0;
    kin__cond_broadcast(&listener->settled);
    kin__mutex_unlock(&listener->lock);
    if (code < 0)
        kin__listener_unref(listener);
    return code;
}

/* There is no thread: as before, unless it was ended meanwhile. */
static void undo_start(kin__listener *listener)
{
    bool is_last = false;

    kin__mutex_lock(&listener->lock);
    if (listener->state == RUNNING) {
        listener->state = NEW;
        listener->is_scheduled = false;
    } else {
        drop_locked(listener);
        is_last = true;
    }
    kin__mutex_unlock(&listener->lock);
    if (is_last)
        finish(listener);
}

int kin__listener_start(kin__listener *listener, kin_error *err)
{
    bool has_thread = listener->handler.delivery == KIN_DELIVER_THREAD;
    bool is_new;
    bool wants = false;
    int code = 0;

    kin__mutex_lock(&listener->lock);
    is_new = listener->state == NEW;
    if (is_new) {
        listener->state = RUNNING;
        listener->is_scheduled = has_thread;
        listener->is_starting = has_thread;
        wants = wants_schedule_locked(listener);
    }
    kin__mutex_unlock(&listener->lock);
    if (is_new && has_thread) {
        code = start_thread(listener, err);
        if (code < 0)
            undo_start(listener);
    }
    if (wants)
        schedule(listener);
    return code;
}

int kin__listener_reserve(kin__listener *listener, size_t n)
{
    const kin_object **garbage = listener->garbage;
    int code = 0;

    if (2 * n > listener->garbage_cap) {
        garbage = kin__grow_array(garbage, &listener->garbage_cap, 2 * n, sizeof(*garbage));
        if (!garbage)
            return KIN_ENOMEM;
        listener->garbage = garbage;
    }
    kin__mutex_lock(&listener->lock);
    if (listener->state < DROPPED)
        code = kin__event_queue_reserve(&listener->queue, n);
    kin__mutex_unlock(&listener->lock);
    return code;
}

void kin__listener_unreserve(kin__listener *listener)
{
    kin__mutex_lock(&listener->lock);
    kin__event_queue_unreserve(&listener->queue);
    kin__mutex_unlock(&listener->lock);
}

static size_t put_locked(kin__listener *listener, const kin__notice *notices, size_t n, int64_t now)
    KIN_REQUIRES(listener->lock)
{
    size_t n_garbage = kin__event_queue_put(&listener->queue, notices, n, now, listener->garbage);

    for (size_t i = 0; i < n; i++)
        listener->n_initial += notices[i].is_initial;
    listener->n_initial -= listener->queue.n_initial_vanished;
    note_synced_locked(listener);
    return n_garbage;
}

/* Of a call that never returns nobody else speaks: once for each, when there is more to tell. */
static void log_hang(kin__listener *listener, int64_t now)
{
    int64_t since = atomic_load_explicit(&listener->call_since, memory_order_relaxed);

    if (since == INT64_MIN || since == listener->hang_logged || now - since <= listener->slow ||
        now - since < SLOW_LOG_INTERVAL)
        return;
    listener->hang_logged = since;
    kin__log(listener->logger, KIN_LOG_WARN, "informer", "a handler does not return",
             KIN__LOG_V("informer", listener->informer), KIN__LOG_S("handler", listener->name),
             KIN__LOG_I("ms", (now - since) / KIN__MILLISECOND));
}

void kin__listener_put(kin__listener *listener, const kin__notice *notices, size_t n)
{
    int64_t now = kin_clock_now(listener->clock);
    size_t n_garbage = 0;
    bool wants = false;

    kin__mutex_lock(&listener->lock);
    if (listener->state < DROPPED) {
        n_garbage = put_locked(listener, notices, n, now);
        wants = wants_schedule_locked(listener);
    }
    kin__mutex_unlock(&listener->lock);
    for (size_t i = 0; i < n_garbage; i++)
        kin_object_unref(listener->garbage[i]);
    if (wants)
        schedule(listener);
    log_hang(listener, now);
}

void kin__listener_upstream_synced(kin__listener *listener)
{
    bool is_news;

    kin__mutex_lock(&listener->lock);
    is_news = !listener->is_synced;
    listener->upstream_synced = true;
    note_synced_locked(listener);
    is_news = is_news && listener->is_synced;
    kin__mutex_unlock(&listener->lock);
    /* Its loop may have been told of all before, or have nothing to be told: it could not see it. */
    if (is_news && listener->dispatcher)
        kin__dispatcher_wake(listener->dispatcher);
}

void kin__listener_set_upstream(kin__listener *listener, kin__upstream upstream,
                                const kin_error *why)
{
    kin__mutex_lock(&listener->lock);
    listener->upstream = upstream;
    if (upstream == KIN__UPSTREAM_REFUSED)
        listener->refusal = *why;
    kin__cond_broadcast(&listener->settled);
    kin__mutex_unlock(&listener->lock);
}

/* Whether there is a reason to wait for it. What was put before the end is told. */
static bool can_sync_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    return listener->state < DROPPED &&
           (listener->upstream_synced || listener->upstream == KIN__UPSTREAM_RUNS);
}

/* Why one that has not synced ends the wait. */
struct verdict {
    int code;
    bool was_removed;
    kin__upstream upstream;
    kin_error refusal;
};

static void judge_locked(const kin__listener *listener, struct verdict *ret)
    KIN_REQUIRES(listener->lock)
{
    ret->was_removed = listener->state >= DROPPED;
    ret->upstream = listener->upstream;
    ret->refusal = listener->refusal;
    if (can_sync_locked(listener))
        ret->code = KIN_ETIMEOUT;
    else if (!ret->was_removed && ret->upstream == KIN__UPSTREAM_REFUSED)
        ret->code = ret->refusal.code;
    else
        ret->code = KIN_ECLOSED;
}

static int not_synced(const kin__listener *listener, const struct verdict *verdict, kin_error *err)
{
    int code = verdict->code;

    if (code == KIN_ETIMEOUT)
        return kin_error_set(err, code, "the handler \"%s\" was not told of all in time",
                             listener->title);
    if (verdict->was_removed)
        return kin_error_set(err, code, "the handler \"%s\" was removed", listener->title);
    if (verdict->upstream == KIN__UPSTREAM_REFUSED) {
        kin_error_set(err, code, "the handler \"%s\" was not told of all: %s", listener->title,
                      verdict->refusal.message);
        kin__error_http(err, verdict->refusal.http_status, kin_str_of(verdict->refusal.reason));
        return code;
    }
    return kin_error_set(err, code, "the handler \"%s\" was not told of all: %s", listener->title,
                         verdict->upstream == KIN__UPSTREAM_GONE ? "the client is gone"
                                                                 : "the informer was stopped");
}

bool kin__listener_has_synced(kin__listener *listener)
{
    bool is_synced;

    kin__mutex_lock(&listener->lock);
    is_synced = listener->is_synced;
    kin__mutex_unlock(&listener->lock);
    return is_synced;
}

int kin__listener_wait_synced(kin__listener *listener, int64_t timeout_ms, kin_error *err)
{
    int64_t deadline = kin__clock_deadline_ms(listener->clock, timeout_ms);
    struct verdict verdict = {0, false, KIN__UPSTREAM_RUNS, KIN_ERROR_INIT};
    bool in_time = true;

    kin__mutex_lock(&listener->lock);
    if (!listener->is_synced && is_own_call_locked(listener)) {
        kin__mutex_unlock(&listener->lock);
        return from_own_handler(err);
    }
    if (!listener->is_synced && timeout_ms != 0 && is_worker_locked(listener)) {
        kin__mutex_unlock(&listener->lock);
        return from_worker(listener, err);
    }
    while (!listener->is_synced && can_sync_locked(listener) && in_time)
        in_time =
            kin__cond_wait_until(&listener->settled, &listener->lock, listener->clock, deadline);
    if (!listener->is_synced)
        judge_locked(listener, &verdict);
    kin__mutex_unlock(&listener->lock);
    return verdict.code < 0 ? not_synced(listener, &verdict, err) : 0;
}

/* Of one that was never started nobody tells anything. */
static bool is_told_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    if (listener->state == NEW || listener->state == ENDED)
        return true;
    return !listener->is_calling && (listener->state == DROPPED || !has_more_locked(listener));
}

bool kin__listener_has_told(kin__listener *listener)
{
    bool is_told;

    kin__mutex_lock(&listener->lock);
    is_told = is_told_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return is_told;
}

bool kin__listener_calls_here(kin__listener *listener)
{
    bool is_own;

    kin__mutex_lock(&listener->lock);
    is_own = is_own_call_locked(listener);
    kin__mutex_unlock(&listener->lock);
    return is_own;
}

int kin__listener_wait_told(kin__listener *listener, int64_t deadline, kin_error *err)
{
    bool in_time = true;
    bool is_told;

    kin__mutex_lock(&listener->lock);
    while (!(is_told = is_told_locked(listener)) && in_time)
        in_time =
            kin__cond_wait_until(&listener->settled, &listener->lock, listener->clock, deadline);
    kin__mutex_unlock(&listener->lock);
    return is_told
               ? 0
               : kin_error_set(err, KIN_ETIMEOUT, "the handler \"%s\" was not told of all in time",
                               listener->title);
}

bool kin__listener_is_of_loop(const kin__listener *listener)
{
    return listener->handler.delivery == KIN_DELIVER_LOOP;
}

static int64_t oldest_locked(const kin__listener *listener) KIN_REQUIRES(listener->lock)
{
    if (listener->n_taken > 0)
        return listener->taken_since;
    return listener->first ? listener->first_since : kin__event_queue_oldest(&listener->queue);
}

void kin__listener_get_status(kin__listener *listener, kin_handler_status *ret)
{
    int64_t now = kin_clock_now(listener->clock);
    int64_t call_since = atomic_load_explicit(&listener->call_since, memory_order_relaxed);
    int64_t oldest;

    kin__mutex_lock(&listener->lock);
    oldest = oldest_locked(listener);
    ret->queued = listener->n_taken + listener->queue.len;
    if (listener->first)
        ret->queued += listener->n_first - listener->first_taken;
    ret->merged = listener->queue.n_merged;
    ret->vanished = listener->queue.n_vanished;
    ret->is_synced = listener->is_synced;
    kin__mutex_unlock(&listener->lock);
    ret->lag_ns = oldest < now ? now - oldest : 0;
    ret->running_ns = call_since != INT64_MIN && call_since < now ? now - call_since : 0;
    ret->delivered = atomic_load_explicit(&listener->n_delivered, memory_order_relaxed);
    ret->slow = atomic_load_explicit(&listener->n_slow, memory_order_relaxed);
}
