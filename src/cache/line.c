/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/line.h"

#include "base/assert.h"
#include "base/error.h"
#include "base/hash.h"
#include "cache/collect.h"

int kin__line_init(kin__line *line, kin_clock *clock, kin_error *err)
{
    int code;

    memset(line, 0, sizeof(*line));
    code = kin__fork_guard_init(&line->guard, err);
    if (code < 0)
        return code;
    kin__mutex_init(&line->lock, KIN__RANK_QUEUE);
    line->clock = kin_clock_ref(clock ? clock : kin_clock_system());
    kin__cond_init(&line->changed);
    kin__cond_init(&line->settled);
    kin__map_init(&line->entries, kin__hash_seed());
    kin__list_init(&line->waiting);
    kin__list_init(&line->blocked);
    kin__list_init(&line->in_flight);
    kin__list_init(&line->lingering);
    return 0;
}

void kin__line_done(kin__line *line)
{
    kin__map_done(&line->entries);
    if (kin__line_check(line, NULL) == 0) {
        kin__cond_done(&line->settled);
        kin__cond_done(&line->changed);
        kin__mutex_done(&line->lock);
    }
    kin_clock_unref(line->clock);
}

int kin__line_check(const kin__line *line, kin_error *err)
{
    return line ? kin__fork_guard_check(&line->guard, err)
                : kin_error_set(err, KIN_EINVAL, "fifo is NULL");
}

kin__line_entry *kin__line_find_locked(const kin__line *line, kin_str key, uint32_t hash)
{
    return kin__line_entry_of(kin__map_get_hashed(&line->entries, key, hash));
}

int kin__line_add_locked(kin__line *line, kin__line_entry *entry, kin_str key, uint32_t hash)
{
    entry->flags = 0;
    kin__list_init(&entry->link);
    kin__list_init(&entry->aside);
    return kin__map_add_hashed(&line->entries, &entry->node, key, hash, NULL);
}

void kin__line_set_wake(kin__line *line, void (*wake)(void *), void *arg)
{
    if (kin__line_check(line, NULL) < 0)
        return;
    kin__mutex_lock(&line->lock);
    line->wake = wake;
    line->wake_arg = arg;
    kin__mutex_unlock(&line->lock);
}

void kin__line_tell_locked(kin__line *line)
{
    if (line->wake)
        line->wake(line->wake_arg);
}

void kin__line_wake_locked(kin__line *line)
{
    if (line->n_sleeping > 0)
        kin__cond_signal(&line->changed);
}

void kin__line_enter_locked(kin__line *line, kin__line_entry *entry)
{
    if (entry->flags & KIN__LINE_WAITING)
        return;
    entry->flags |= KIN__LINE_WAITING;
    kin__list_push_back(&line->waiting, &entry->link);
    line->n_waiting++;
    kin__line_wake_locked(line);
    kin__line_tell_locked(line);
}

/* Its turn came, and it has finished since. */
static bool is_ready(const kin__line_entry *entry)
{
    return (entry->flags & (KIN__LINE_BLOCKED | KIN__LINE_IN_FLIGHT)) == KIN__LINE_BLOCKED;
}

void kin__line_leave_locked(kin__line *line, kin__line_entry *entry)
{
    kin__list_remove(&entry->link);
    if (is_ready(entry))
        line->n_ready--;
    if (entry->flags & KIN__LINE_COUNTED)
        line->initial_waiting++;
    entry->flags &= ~(unsigned)(KIN__LINE_WAITING | KIN__LINE_BLOCKED | KIN__LINE_COUNTED);
    /* Whoever slept because one was blocked need not wait for another. */
    if (--line->n_waiting == 0 && line->closed)
        kin__cond_broadcast(&line->changed);
}

void kin__line_remove_locked(kin__line *line, kin__line_entry *entry)
{
    kin__assert((entry->flags & ~(unsigned)KIN__LINE_INITIAL) == 0);
    kin__map_remove(&line->entries, &entry->node);
    kin__map_trim(&line->entries, KIN__LINE_KEEP);
}

/* In flight are those that are visited so, and not again where they wait. */
static int each_of(const kin__list *list, bool in_flight, kin__line_visit_fn *visit, void *arg)
{
    int code = 0;

    for (kin__list *node = list->next; node != list && code == 0; node = node->next) {
        kin__line_entry *entry = in_flight ? kin__list_entry(node, kin__line_entry, aside)
                                           : kin__list_entry(node, kin__line_entry, link);

        if (in_flight || !(entry->flags & KIN__LINE_IN_FLIGHT))
            code = visit(entry, arg);
    }
    return code;
}

int kin__line_each_locked(const kin__line *line, kin__line_visit_fn *visit, void *arg)
{
    int code = each_of(&line->in_flight, true, visit, arg);

    if (code == 0)
        code = each_of(&line->blocked, false, visit, arg);
    return code == 0 ? each_of(&line->waiting, false, visit, arg) : code;
}

static int collect_all(kin__line *line, kin__collector *to, kin__line_visit_fn *collect,
                       kin_error *err)
{
    int code = kin__line_check(line, err);

    if (code < 0)
        return code;
    kin__mutex_lock(&line->lock);
    code = kin__line_each_locked(line, collect, to);
    kin__mutex_unlock(&line->lock);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

int kin__line_list_objects(kin__line *line, kin_object_list *ret, kin__line_visit_fn *collect,
                           kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code =
        ret ? collect_all(line, &to, collect, err) : kin_error_set(err, KIN_EINVAL, "ret is NULL");

    return kin__collector_give_objects(&to, code, ret);
}

int kin__line_list_strings(kin__line *line, kin_string_list *ret, kin__line_visit_fn *collect,
                           kin_error *err)
{
    kin__collector to = KIN__COLLECTOR_INIT;
    int code =
        ret ? collect_all(line, &to, collect, err) : kin_error_set(err, KIN_EINVAL, "ret is NULL");

    return kin__collector_give_strings(&to, code, false, ret, err);
}

int64_t kin__line_deadline(const kin__line *line, int64_t timeout_ms)
{
    int64_t now;

    if (timeout_ms < 0)
        return INT64_MAX;
    now = kin_clock_now(line->clock);
    return timeout_ms > (INT64_MAX - now) / 1000000 ? INT64_MAX : now + timeout_ms * 1000000;
}

static kin__line_entry *first_ready_locked(kin__line *line) KIN_REQUIRES(line->lock)
{
    kin__list_for_each(&line->blocked, node) {
        kin__line_entry *entry = kin__list_entry(node, kin__line_entry, link);

        if (is_ready(entry))
            return entry;
    }
    return NULL;
}

/* Those whose turn has come but who are in flight step aside, as part of the first list or not. */
static kin__line_entry *first_locked(kin__line *line) KIN_REQUIRES(line->lock)
{
    if (line->n_ready > 0)
        return first_ready_locked(line);
    while (!kin__list_is_empty(&line->waiting)) {
        kin__line_entry *entry = kin__list_entry(line->waiting.next, kin__line_entry, link);

        if (!(entry->flags & KIN__LINE_IN_FLIGHT))
            return entry;
        kin__list_remove(&entry->link);
        kin__list_push_back(&line->blocked, &entry->link);
        entry->flags |= KIN__LINE_BLOCKED;
        if (line->initial_waiting > 0) {
            line->initial_waiting--;
            entry->flags |= KIN__LINE_COUNTED;
        }
    }
    return NULL;
}

bool kin__line_is_initial_locked(kin__line *line)
{
    const kin__line_entry *entry = first_locked(line);

    if (entry && entry->flags & KIN__LINE_BLOCKED)
        return entry->flags & KIN__LINE_COUNTED;
    return !line->populated || line->initial_waiting > 0;
}

int kin__line_wait_locked(kin__line *line, int64_t deadline)
{
    bool in_time = true;

    while (!first_locked(line)) {
        /* What is blocked can be taken one day: a closed queue hands out all it has. */
        if (line->closed && line->n_waiting == 0)
            return KIN_ECLOSED;
        if (!in_time)
            return KIN_ETIMEOUT;
        line->n_sleeping++;
        in_time = kin__cond_wait_until(&line->changed, &line->lock, line->clock, deadline);
        line->n_sleeping--;
    }
    return 0;
}

kin__line_entry *kin__line_take_locked(kin__line *line)
{
    kin__line_entry *entry = first_locked(line);

    if (!entry)
        return NULL;
    kin__line_leave_locked(line, entry);
    if (entry->flags & KIN__LINE_LINGERING) {
        kin__list_remove(&entry->aside);
        entry->flags &= ~(unsigned)KIN__LINE_LINGERING;
    }
    entry->flags |= KIN__LINE_IN_FLIGHT;
    kin__list_push_back(&line->in_flight, &entry->aside);
    if (line->initial_waiting > 0) {
        line->initial_waiting--;
        entry->flags |= KIN__LINE_INITIAL;
    }
    return entry;
}

static void fewer_initial(kin__line *line, size_t n)
{
    kin__assert(line->initial_left >= n);
    line->initial_left -= n;
    if (line->initial_left == 0)
        kin__cond_broadcast(&line->settled);
}

void kin__line_finish_locked(kin__line *line, kin__line_entry *entry)
{
    kin__list_remove(&entry->aside);
    entry->flags &= ~(unsigned)KIN__LINE_IN_FLIGHT;
    if (entry->flags & KIN__LINE_INITIAL) {
        entry->flags &= ~(unsigned)KIN__LINE_INITIAL;
        fewer_initial(line, 1);
    }
    if (is_ready(entry)) {
        line->n_ready++;
        kin__line_wake_locked(line);
    }
    if (line->scanning) {
        entry->flags |= KIN__LINE_LINGERING;
        kin__list_push_back(&line->lingering, &entry->aside);
    }
}

void kin__line_add_initial_locked(kin__line *line, size_t n)
{
    line->initial_waiting += n;
    line->initial_left += n;
}

void kin__line_skip_initial_locked(kin__line *line, size_t n)
{
    if (n > line->initial_waiting)
        n = line->initial_waiting;
    if (n == 0)
        return;
    line->initial_waiting -= n;
    fewer_initial(line, n);
}

void kin__line_populate_locked(kin__line *line)
{
    if (line->populated)
        return;
    line->populated = true;
    kin__cond_broadcast(&line->settled);
}

void kin__line_populate_list_locked(kin__line *line, size_t n)
{
    if (line->populated)
        return;
    line->populated = true;
    line->initial_waiting = n;
    line->initial_left = n;
    if (n == 0)
        kin__cond_broadcast(&line->settled);
}

size_t kin__line_len(kin__line *line)
{
    size_t len;

    if (kin__line_check(line, NULL) < 0)
        return 0;
    kin__mutex_lock(&line->lock);
    len = line->n_waiting;
    kin__mutex_unlock(&line->lock);
    return len;
}

bool kin__line_has_synced(kin__line *line)
{
    bool synced;

    if (kin__line_check(line, NULL) < 0)
        return false;
    kin__mutex_lock(&line->lock);
    synced = kin__line_has_synced_locked(line);
    kin__mutex_unlock(&line->lock);
    return synced;
}

int kin__line_wait_synced(kin__line *line, int64_t timeout_ms, kin_error *err)
{
    int64_t deadline;
    bool in_time = true;
    int code = kin__line_check(line, err);

    if (code < 0)
        return code;
    deadline = kin__line_deadline(line, timeout_ms);
    kin__mutex_lock(&line->lock);
    while (code == 0 && !kin__line_has_synced_locked(line)) {
        if (line->closed)
            code = KIN_ECLOSED;
        else if (!in_time)
            code = KIN_ETIMEOUT;
        else
            in_time = kin__cond_wait_until(&line->settled, &line->lock, line->clock, deadline);
    }
    kin__mutex_unlock(&line->lock);
    if (code < 0)
        kin_error_set(err, code,
                      code == KIN_ECLOSED ? "the queue was closed before it had synced"
                                          : "the queue has not synced in time");
    return code;
}

void kin__line_close(kin__line *line)
{
    if (kin__line_check(line, NULL) < 0)
        return;
    kin__mutex_lock(&line->lock);
    line->closed = true;
    kin__cond_broadcast(&line->changed);
    kin__cond_broadcast(&line->settled);
    kin__mutex_unlock(&line->lock);
}

bool kin__line_is_closed(kin__line *line)
{
    bool closed;

    if (kin__line_check(line, NULL) < 0)
        return true;
    kin__mutex_lock(&line->lock);
    closed = line->closed;
    kin__mutex_unlock(&line->lock);
    return closed;
}

int kin__line_begin_scan_locked(kin__line *line, kin_error *err)
{
    while (line->scanning) {
        if (pthread_equal(line->scanner, pthread_self()))
            return kin_error_set(err, KIN_EBUSY, "known objects replace or resync their own queue");
        kin__cond_wait(&line->settled, &line->lock);
    }
    line->scanning = true;
    line->scanner = pthread_self();
    return 0;
}

void kin__line_end_scan_locked(kin__line *line)
{
    line->scanning = false;
    kin__cond_broadcast(&line->settled);
}
