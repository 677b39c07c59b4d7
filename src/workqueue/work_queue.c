/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Work queue: its life, its items, and adding. work_queue.h has the design.
 */
#include "workqueue/work_queue.h"

#include "base/assert.h"
#include "base/defect.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"

enum {
    LOW_EVERY = 8,
    NAME_ROOM = 512 /* bytes for a key that is put together; a longer one is allocated */
};

/* --- life --- */

static int take_options(kin_work_queue *queue, const kin_work_queue_options *options,
                        kin_error *err)
{
    int code;

    queue->measured = options->metrics != NULL;
    queue->timed = options->timing || queue->measured;
    queue->low_every = options->low_every ? options->low_every : LOW_EVERY;
    code = kin__options_take(&queue->metrics, sizeof(queue->metrics), options->metrics,
                             "KIN_WORK_QUEUE_METRICS_INIT", err);
    if (code < 0)
        return code;
    queue->clock = kin_clock_ref(options->clock ? options->clock : kin_clock_system());
    queue->name = kin__memdup_str(kin_str_of(options->name ? options->name : "work-queue"));
    if (!queue->name)
        return kin__error_no_memory(err);
    queue->logger = options->logger ? kin_logger_ref(options->logger) : kin_default_logger();
    if (!options->limiter)
        return kin_rate_limiter_new_default(&queue->limiter, queue->clock, err);
    queue->limiter = kin_rate_limiter_ref(options->limiter);
    return 0;
}

static void drop_options(kin_work_queue *queue)
{
    kin_rate_limiter_unref(queue->limiter);
    kin_logger_unref(queue->logger);
    kin__free(queue->name);
    kin_clock_unref(queue->clock);
}

int kin_work_queue_new(kin_work_queue **ret, const kin_work_queue_options *options, kin_error *err)
{
    kin_work_queue_options all = KIN_WORK_QUEUE_OPTIONS_INIT;
    kin_work_queue *queue;
    int code;

    if (!ret)
        return kin__error_null(err, "ret");
    code = kin__options_take(&all, sizeof(all), options, "KIN_WORK_QUEUE_OPTIONS_INIT", err);
    if (code < 0)
        return code;
    queue = kin__calloc(1, sizeof(*queue));
    if (!queue)
        return kin__error_no_memory(err);
    code = kin__fork_guard_init(&queue->guard, err);
    if (code == 0)
        code = take_options(queue, &all, err);
    if (code < 0) {
        drop_options(queue);
        kin__free(queue);
        return code;
    }
    queue->metrics_arg = all.metrics_arg;
    queue->metrics_arg_free = all.metrics_arg_free;
    kin__quick_lock_init(&queue->lock, KIN__RANK_WORK_QUEUE);
    kin__map_init(&queue->items, kin__hash_seed());
    kin__timers_init(&queue->timers);
    for (size_t i = 0; i < KIN__WORK_PRIORITIES; i++)
        kin__list_init(&queue->lines[i]);
    kin__list_init(&queue->working);
    kin__list_init(&queue->blocks);
    kin__list_init(&queue->idle);
    kin__list_init(&queue->draining);
    queue->looks = KIN__WORK_LOOKS_MIN;
    queue->fd = -1;
    queue->trim_at = INT64_MAX;
    queue->plain = !queue->timed;
    *ret = queue;
    return 0;
}

void kin_work_queue_free(kin_work_queue *queue)
{
    if (!queue)
        return;
    kin__work_fd_done(queue);
    kin__work_items_done(queue);
    kin__timers_done(&queue->timers);
    if (queue->metrics_arg_free)
        queue->metrics_arg_free(queue->metrics_arg);
    drop_options(queue);
    kin__free(queue);
}

/* --- items --- */

/* It is dirty, and matters more than was known. */
KIN_COLD static void raise_locked(kin_work_queue *queue, kin_work_item *item, unsigned priority)
    KIN_REQUIRES(queue->lock)
{
    if (!(item->flags & KIN__WORK_WORKING)) {
        kin__list_remove(&item->link);
        queue->n_queued--;
        queue->n_low--;
    }
    item->priority = (uint8_t)priority;
    if (!(item->flags & KIN__WORK_WORKING))
        kin__work_queue_up_locked(queue, item);
}

/* A key wants to be worked on: queue it, or note it. Wakes nobody. Whether it did not before. */
static inline bool want_locked(kin_work_queue *queue, kin_work_item *item, unsigned priority,
                               int64_t now) KIN_REQUIRES(queue->lock)
{
    if (item->flags & KIN__WORK_DIRTY) {
        if (kin__unlikely(priority < item->priority))
            raise_locked(queue, item, priority);
        return false;
    }
    item->flags |= KIN__WORK_DIRTY;
    item->priority = (uint8_t)priority;
    item->added_at = now;
    queue->adds++;
    if (item->flags & KIN__WORK_WORKING && !KIN_DEFECT(key_runs_twice))
        queue->n_again++;
    else
        kin__work_queue_up_locked(queue, item);
    return true;
}

void kin__work_move_due_locked(kin_work_queue *queue, kin__work_told *told)
{
    kin__timer *timer;

    if (queue->timers.len == 0 || queue->shut_down)
        return;
    int64_t now = kin_clock_now(queue->clock);
    while ((timer = kin__timers_pop(&queue->timers, now))) {
        kin_work_item *item = kin__container_of(timer, kin_work_item, timer);

        told->adds += want_locked(queue, item, item->later, now);
    }
}

void kin__work_tell_all(kin_work_queue *queue, const kin__work_told *told)
{
    if (told->sleeper)
        kin__event_wake(told->sleeper);
    if (!queue->measured)
        return;
    kin__assert_no_locks();
    for (size_t i = 0; i < told->adds; i++) {
        if (queue->metrics.adds_total)
            queue->metrics.adds_total(queue->metrics_arg);
        if (queue->metrics.depth)
            queue->metrics.depth(1, queue->metrics_arg);
    }
}

/* --- adding --- */

struct way {
    unsigned priority;
    bool retry; /* counts as one */
    bool limited;
    int64_t after;
};

static int delay_locked(kin_work_queue *queue, kin_work_item *item, const struct way *way,
                        kin__work_told *told) KIN_REQUIRES(queue->lock)
{
    int64_t deadline = kin__clock_deadline(queue->clock, way->after);
    bool is_set = kin__timer_is_set(&item->timer);

    if (!is_set || deadline < item->timer.deadline) {
        if (kin__timers_set(&queue->timers, &item->timer, deadline) < 0) {
            kin__work_settle_locked(queue, item);
            return KIN_ENOMEM;
        }
        if (item->timer.place == 1)
            kin__work_new_time_locked(queue, told);
    }
    if (!is_set || way->priority < item->later)
        item->later = (uint8_t)way->priority;
    return 0;
}

static int add_locked(kin_work_queue *queue, kin_str key, uint32_t hash, const struct way *way,
                      kin__work_told *told) KIN_REQUIRES(queue->lock)
{
    kin_work_item *item;
    int code = 0;

    if (queue->shut_down) {
        queue->refused++;
        return KIN_ECLOSED;
    }
    item = kin__work_obtain_locked(queue, key, hash);
    if (!item)
        return KIN_ENOMEM;
    if (way->after > 0)
        code = delay_locked(queue, item, way, told);
    else
        told->adds +=
            want_locked(queue, item, way->priority, queue->timed ? kin_clock_now(queue->clock) : 0);
    kin__work_wake_locked(queue, told);
    queue->retries += way->retry && code == 0;
    kin__work_fd_locked(queue);
    return code;
}

KIN_COLD static int refuse_key(const kin_work_queue *queue, kin_str key, kin_error *err)
{
    int code = kin__work_queue_check(queue, err);

    if (code < 0)
        return code;
    if (key.len == 0)
        return kin_error_set(err, KIN_EINVAL, "an empty key");
    return kin_error_set(err, KIN_ELIMIT, "a key of %zu bytes", key.len);
}

static inline int check_key(const kin_work_queue *queue, kin_str key, kin_error *err)
{
    if (kin__likely(kin__work_queue_usable(queue) && key.len - 1 < KIN_WORK_KEY_BYTES_MAX))
        return 0;
    return refuse_key(queue, key, err);
}

/* The lock is taken, and released here. */
static int add_held(kin_work_queue *queue, kin_str key, uint32_t hash, const struct way *way,
                    kin_error *err) KIN_RELEASE(queue->lock)
{
    kin__work_told told = {0, NULL};
    int code = add_locked(queue, key, hash, way, &told);

    kin__quick_lock_give(&queue->lock);
    if (code == KIN_ECLOSED)
        return kin_error_set(err, code, "the queue is shutting down");
    if (code < 0)
        return kin__error_no_memory(err);
    kin__work_tell(queue, &told);
    if (way->retry && queue->metrics.retries_total)
        queue->metrics.retries_total(queue->metrics_arg);
    return 0;
}

static int add(kin_work_queue *queue, kin_str key, const struct way *way, kin_error *err)
{
    int code = check_key(queue, key, err);

    if (code < 0)
        return code;
    uint32_t hash = kin__map_hash(&queue->items, key);
    kin__quick_lock_take(&queue->lock);
    return add_held(queue, key, hash, way, err);
}

KIN_COLD static int add_not_plain(kin_work_queue *queue, kin_str key, uint32_t hash, kin_error *err)
    KIN_RELEASE(queue->lock)
{
    const struct way way = {KIN_WORK_HIGH, false, false, 0};

    return add_held(queue, key, hash, &way, err);
}

KIN_COLD static int add_failed(kin_work_queue *queue, kin_error *err) KIN_RELEASE(queue->lock)
{
    kin__quick_lock_give(&queue->lock);
    return kin__error_no_memory(err);
}

int kin_work_queue_add(kin_work_queue *queue, kin_str key, kin_error *err)
{
    int code = check_key(queue, key, err);

    if (kin__unlikely(code < 0))
        return code;
    uint32_t hash = kin__map_hash_inline(&queue->items, key);
    kin__quick_lock_take(&queue->lock);
    if (kin__unlikely(!queue->plain))
        return add_not_plain(queue, key, hash, err);
    kin_work_item *item = kin__work_obtain_locked(queue, key, hash);
    if (kin__unlikely(!item))
        return add_failed(queue, err);
    (void)want_locked(queue, item, KIN_WORK_HIGH, 0);
    kin__work_give_plain(queue);
    return 0;
}

int kin_work_queue_add_after(kin_work_queue *queue, kin_str key, int64_t after_ns, kin_error *err)
{
    const struct way way = {KIN_WORK_HIGH, true, false, after_ns};

    return add(queue, key, &way, err);
}

/* The limiter is asked with no lock held. */
static int add_limited(kin_work_queue *queue, kin_str key, struct way way, kin_error *err)
{
    int code = check_key(queue, key, err);

    if (code == 0)
        code = kin_rate_limiter_when(queue->limiter, key, &way.after, err);
    return code < 0 ? code : add(queue, key, &way, err);
}

int kin_work_queue_add_rate_limited(kin_work_queue *queue, kin_str key, kin_error *err)
{
    return add_limited(queue, key, (struct way){KIN_WORK_HIGH, true, true, 0}, err);
}

static int take_way(struct way *ret, const kin_work_add *how, kin_error *err)
{
    kin_work_add all = KIN_WORK_ADD_INIT;
    int code = kin__options_take(&all, sizeof(all), how, "KIN_WORK_ADD_INIT", err);

    if (code < 0)
        return code;
    if ((unsigned)all.priority >= KIN__WORK_PRIORITIES)
        return kin_error_set(err, KIN_EINVAL, "no priority %d", (int)all.priority);
    if (all.rate_limited && all.after_ns != 0)
        return kin_error_set(err, KIN_EINVAL, "either rate limited or after a time");
    *ret = (struct way){(unsigned)all.priority, all.rate_limited || all.after_ns > 0,
                        all.rate_limited, all.after_ns};
    return 0;
}

int kin_work_queue_add_with(kin_work_queue *queue, kin_str key, const kin_work_add *how,
                            kin_error *err)
{
    struct way way = {KIN_WORK_HIGH, false, false, 0};
    int code = take_way(&way, how, err);

    if (code < 0)
        return code;
    return way.limited ? add_limited(queue, key, way, err) : add(queue, key, &way, err);
}

static bool has_slash(kin_str s)
{
    return s.len && memchr(s.data, '/', s.len);
}

int kin_work_queue_add_name(kin_work_queue *queue, kin_namespaced_name name,
                            const kin_work_add *how, kin_error *err)
{
    char room[NAME_ROOM];
    char *text = room;
    size_t len = name.namespace_.len + (name.namespace_.len > 0) + name.name.len;

    if (name.name.len == 0 || has_slash(name.namespace_) || has_slash(name.name))
        return kin_error_set(err, KIN_EINVAL, "an empty name, or a slash in it");
    if (name.namespace_.len > KIN_WORK_KEY_BYTES_MAX || len > KIN_WORK_KEY_BYTES_MAX)
        return kin_error_set(err, KIN_ELIMIT, "a key of %zu bytes", len);
    if (len > sizeof(room))
        text = kin__malloc(len);
    if (!text)
        return kin__error_no_memory(err);
    if (name.namespace_.len) {
        memcpy(text, name.namespace_.data, name.namespace_.len);
        text[name.namespace_.len] = '/';
    }
    memcpy(text + len - name.name.len, name.name.data, name.name.len);
    int code = kin_work_queue_add_with(queue, kin_str_make(text, len), how, err);
    if (text != room)
        kin__free(text);
    return code;
}

void kin_work_queue_forget(kin_work_queue *queue, kin_str key)
{
    if (kin__work_queue_check(queue, NULL) == 0)
        kin_rate_limiter_forget(queue->limiter, key);
}

uint64_t kin_work_queue_n_requeues(kin_work_queue *queue, kin_str key)
{
    if (kin__work_queue_check(queue, NULL) < 0)
        return 0;
    return kin_rate_limiter_n_requeues(queue->limiter, key);
}
