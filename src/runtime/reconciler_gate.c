/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: a key is not looked at again before the caches have seen what was written for it.
 *
 * A gate is closed while its key is being worked on, so nobody looks at it then but the keeper. All is
 * done under the reconciler's lock, the look at informers included: whether a gate is there, whether
 * its key is wanted, and who puts it back, change together.
 *
 * The keeper opens a gate when its last write was seen (reconciler_written.c says which writes it checks)
 * or its deadline has passed. Deadlines are in a heap. A worker looks only at the gate of its own key.
 *
 * Nothing is missed: is_expectant is set before a worker looks whether a cache has what was written. An
 * informer that gets there later finds it set, and wakes the keeper.
 *
 * Once the reconciler is being stopped nothing can be put back. Gates stay as they are then: those whose
 * keys are queued, too, are passed by them or not, and what is wanted in the end is dropped. So each key
 * counts once, and none that was reconciled.
 */
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/str.h"
#include "cache/input.h"
#include "kinform/metadata.h"
#include "kinform/resource_version.h"
#include "runtime/reconciler.h"

enum { KEEP = 64 }; /* deadlines that room is kept for */

static kin_str key_of(const kin__gate *gate)
{
    return kin_str_make(gate->key, gate->key_len);
}

static void drop_written(kin__gate *gate)
{
    kin__list *node;

    while ((node = kin__list_pop_front(&gate->written)))
        kin__free(kin__list_entry(node, kin__written, link));
}

static void free_gate(kin__gate *gate)
{
    drop_written(gate);
    kin__free(gate);
}

static kin__gate *find_locked(kin_reconciler *reconciler, kin_str key)
    KIN_REQUIRES(reconciler->lock)
{
    kin__map_node *node = kin__map_get(&reconciler->gates, key);

    return node ? kin__container_of(node, kin__gate, node) : NULL;
}

/* Nobody has to look for gates if this was the last one. */
static void note_end_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    kin__timers_trim(&reconciler->deadlines, KEEP);
    if (kin__map_len(&reconciler->gates) == 0 && kin__list_is_empty(&reconciler->opened))
        atomic_store_explicit(&reconciler->is_expectant, false, memory_order_release);
}

static void take_out_locked(kin_reconciler *reconciler, kin__gate *gate)
    KIN_REQUIRES(reconciler->lock)
{
    kin__map_remove(&reconciler->gates, &gate->node);
    kin__timers_cancel(&reconciler->deadlines, &gate->timer);
    note_end_locked(reconciler);
}

/*
 * A worker has the key of a gate that was open already and could not put its key back. Only while it is
 * being stopped: before, there may be many.
 */
static void unpark_opened_locked(kin_reconciler *reconciler, kin_str key)
    KIN_REQUIRES(reconciler->lock)
{
    kin__list_for_each(&reconciler->opened, node) {
        kin__gate *gate = kin__list_entry(node, kin__gate, link);

        if (kin__str_compare(key_of(gate), key) == 0)
            gate->is_wanted = false;
    }
}

void kin__reconciler_unpark_locked(kin_reconciler *reconciler, kin_str key)
{
    kin__gate *gate = find_locked(reconciler, key);

    if (gate)
        gate->is_wanted = false;
    unpark_opened_locked(reconciler, key);
}

/* --- closing --- */

static kin__gate *make_gate(kin_str key)
{
    kin__gate *gate = kin__malloc(sizeof(*gate) + key.len);

    if (!gate)
        return NULL;
    memset(gate, 0, sizeof(*gate));
    kin__list_init(&gate->link);
    kin__list_init(&gate->written);
    gate->key_len = key.len;
    memcpy(gate->key, key.data, key.len);
    return gate;
}

/* The gate of the key, made if need be; there is room for its deadline. NULL: no memory. */
static kin__gate *obtain_locked(kin_reconciler *reconciler, kin_str key)
    KIN_REQUIRES(reconciler->lock)
{
    kin__gate *gate = find_locked(reconciler, key);

    if (gate)
        return gate;
    gate = make_gate(key);
    if (!gate)
        return NULL;
    if (kin__timers_reserve(&reconciler->deadlines, reconciler->deadlines.len + 1) < 0 ||
        kin__map_add(&reconciler->gates, &gate->node, key_of(gate), NULL) < 0) {
        kin__free(gate);
        return NULL;
    }
    atomic_store_explicit(&reconciler->is_expectant, true, memory_order_release);
    return gate;
}

/* `object`: NULL if only the version is known. */
static int close_gate(kin_reconcile *call, kin_informer *informer, kin_str version,
                      const kin_object *object, kin_error *err)
{
    kin_reconciler *reconciler = call->reconciler;
    kin__source *source = kin__reconciler_source_of(reconciler, informer);
    kin_str namespace_ = object ? kin_object_namespace(object) : kin_str_make(NULL, 0);
    kin_str key = {NULL, 0};
    bool wakes = false;
    kin__written *written;
    kin__gate *gate;

    if (!source)
        return kin_error_set(err, KIN_EINVAL, "\"%s\" neither watches nor reads that informer",
                             reconciler->name);
    if (reconciler->write_timeout < 0)
        return 0;
    if (object) {
        int code =
            kin__input_key(informer->options.key, informer->options.key_arg, object, &key, err);

        if (code < 0)
            return code;
    }
    written = kin__written_new(source, version, key, namespace_);
    if (!written)
        return kin__error_no_memory(err);
    kin__mutex_lock(&reconciler->lock);
    gate = obtain_locked(reconciler, call->key);
    if (gate) {
        written->gate = gate;
        kin__list_push_back(&gate->written, &written->link);
        kin__written_place_locked(reconciler, written);
        kin__timers_set(&reconciler->deadlines, &gate->timer,
                        kin__clock_deadline(reconciler->clock, reconciler->write_timeout));
        wakes = kin__reconciler_look_at_locked(reconciler, gate->timer.deadline);
    }
    kin__mutex_unlock(&reconciler->lock);
    if (wakes)
        kin__pulse_raise(&reconciler->pulse);
    if (gate)
        return 0;
    kin__free(written);
    return kin__error_no_memory(err);
}

int kin_reconcile_wrote(kin_reconcile *call, kin_informer *informer, const kin_object *object,
                        kin_error *err)
{
    kin_str version;
    int code;

    if (!call || !object)
        return kin__error_null(err, call ? "object" : "call");
    version = kin_object_resource_version(object);
    code = kin_resource_version_validate(version, NULL);
    if (code < 0)
        return kin_error_set(err, KIN_EINVAL, "%s has no version that can be compared",
                             kin_object_key(object));
    return close_gate(call, informer, version, object, err);
}

int kin_reconcile_wrote_version(kin_reconcile *call, kin_informer *informer,
                                kin_str resource_version, kin_error *err)
{
    int code;

    if (!call)
        return kin__error_null(err, "call");
    code = kin_resource_version_validate(resource_version, err);
    if (code < 0)
        return code;
    return close_gate(call, informer, resource_version, NULL, err);
}

/* --- looking --- */

/* Whether nothing is left to wait for. */
static bool look_locked(kin_reconciler *reconciler, kin__gate *gate) KIN_REQUIRES(reconciler->lock)
{
    while (!kin__list_is_empty(&gate->written)) {
        kin__written *written = kin__list_entry(gate->written.next, kin__written, link);

        if (!kin__written_is_seen_locked(reconciler, written))
            return false;
        kin__written_unplace_locked(reconciler, written);
        kin__list_remove(&written->link);
        kin__free(written);
    }
    return true;
}

bool kin__reconciler_pass_gate(kin_reconciler *reconciler, const kin_work_item *item)
{
    kin_work_priority priority = kin_work_item_priority(item);
    bool is_open = true;
    kin__gate *gate;

    if (!atomic_load_explicit(&reconciler->is_expectant, memory_order_acquire))
        return true;
    kin__mutex_lock(&reconciler->lock);
    gate = find_locked(reconciler, kin_work_item_key(item));
    if (gate) {
        is_open = look_locked(reconciler, gate);
        if (is_open) {
            take_out_locked(reconciler, gate);
        } else {
            if (!gate->is_wanted || priority < gate->priority)
                gate->priority = priority;
            gate->is_wanted = true;
            reconciler->parked++;
        }
    } else if (reconciler->state >= KIN_RECONCILER_STOPPING) {
        unpark_opened_locked(reconciler, kin_work_item_key(item));
    }
    kin__mutex_unlock(&reconciler->lock);
    if (gate && is_open)
        free_gate(gate);
    return is_open;
}

void kin__reconciler_check_gate(kin_reconciler *reconciler, kin_str key)
{
    kin__gate *gate;

    if (!atomic_load_explicit(&reconciler->is_expectant, memory_order_acquire))
        return;
    kin__mutex_lock(&reconciler->lock);
    gate = find_locked(reconciler, key);
    if (gate && look_locked(reconciler, gate))
        take_out_locked(reconciler, gate);
    else
        gate = NULL;
    kin__mutex_unlock(&reconciler->lock);
    if (gate)
        free_gate(gate);
}

/* --- opening --- */

/* Its key is to be put back. Writes that were not seen are only reported. */
static void open_locked(kin_reconciler *reconciler, kin__gate *gate) KIN_REQUIRES(reconciler->lock)
{
    kin__list_for_each(&gate->written, node)
        kin__written_unplace_locked(reconciler, kin__list_entry(node, kin__written, link));
    kin__map_remove(&reconciler->gates, &gate->node);
    kin__timers_cancel(&reconciler->deadlines, &gate->timer);
    gate->retry = INT64_MAX;
    kin__list_push_back(&reconciler->opened, &gate->link);
}

/* Gates without anything left to wait for. */
static void open_seen_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    kin__list seen;
    kin__list *node;

    kin__list_init(&seen);
    kin__reconciler_find_seen_locked(reconciler, &seen);
    while ((node = kin__list_pop_front(&seen))) {
        kin__written *written = kin__list_entry(node, kin__written, place);
        kin__gate *gate = written->gate;

        kin__list_remove(&written->link);
        kin__free(written);
        if (kin__list_is_empty(&gate->written))
            open_locked(reconciler, gate);
    }
}

/* Gates whose time is over. */
static void open_expired_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    int64_t now = kin_clock_now(reconciler->clock);
    kin__timer *timer;

    while ((timer = kin__timers_pop(&reconciler->deadlines, now))) {
        kin__gate *gate = kin__container_of(timer, kin__gate, timer);

        reconciler->write_timeouts += !look_locked(reconciler, gate);
        open_locked(reconciler, gate);
    }
}

/* It stays among them until its key was put back. */
static kin__gate *first_opened(kin_reconciler *reconciler)
{
    kin__list *node = NULL;

    kin__mutex_lock(&reconciler->lock);
    if (!kin__list_is_empty(&reconciler->opened))
        node = reconciler->opened.next;
    kin__mutex_unlock(&reconciler->lock);
    return node ? kin__list_entry(node, kin__gate, link) : NULL;
}

/* What was not seen in time. */
static void report(kin_reconciler *reconciler, kin__gate *gate)
{
    if (kin__list_is_empty(&gate->written))
        return;
    const kin__written *written = kin__list_entry(gate->written.next, kin__written, link);

    kin__log(reconciler->logger, KIN_LOG_WARN, "reconciler",
             "a cache has not seen in time what was written",
             KIN__LOG_S("reconciler", reconciler->name), KIN__LOG_V("key", key_of(gate)),
             KIN__LOG_S("informer", written->source->informer->name),
             KIN__LOG_V("version", written->version));
    drop_written(gate);
}

/* False: there is no memory, and it waits; or the queue is closed, and it is dropped in the end. */
static bool put_back(kin_reconciler *reconciler, kin__gate *gate)
{
    kin_work_add how = KIN_WORK_ADD_INIT;
    bool is_back;
    int code = 0;

    kin__mutex_lock(&reconciler->lock);
    bool is_wanted = gate->is_wanted;
    how.priority = gate->priority;
    kin__mutex_unlock(&reconciler->lock);
    if (is_wanted)
        code = kin_work_queue_add_with(reconciler->queue, key_of(gate), &how, NULL);
    is_back = code != KIN_ENOMEM && code != KIN_ECLOSED;
    kin__mutex_lock(&reconciler->lock);
    if (is_back) {
        kin__list_remove(&gate->link);
        note_end_locked(reconciler);
    } else {
        gate->retry = code == KIN_ENOMEM
                          ? kin__clock_deadline(reconciler->clock, KIN__RECONCILER_RETRY)
                          : INT64_MAX;
    }
    kin__mutex_unlock(&reconciler->lock);
    return is_back;
}

void kin__reconciler_open_gates(kin_reconciler *reconciler)
{
    bool is_stopping;
    kin__gate *gate;

    kin__mutex_lock(&reconciler->lock);
    is_stopping = reconciler->state >= KIN_RECONCILER_STOPPING;
    if (!is_stopping) {
        open_seen_locked(reconciler);
        open_expired_locked(reconciler);
    }
    kin__mutex_unlock(&reconciler->lock);
    while (!is_stopping && (gate = first_opened(reconciler))) {
        report(reconciler, gate);
        if (!put_back(reconciler, gate))
            return;
        free_gate(gate);
    }
}

int64_t kin__reconciler_gates_deadline_locked(kin_reconciler *reconciler)
{
    int64_t first = kin__timers_next(&reconciler->deadlines);
    int64_t retry = INT64_MAX;

    if (reconciler->state >= KIN_RECONCILER_STOPPING)
        return INT64_MAX;
    if (!kin__list_is_empty(&reconciler->opened))
        retry = kin__list_entry(reconciler->opened.next, kin__gate, link)->retry;
    return retry < first ? retry : first;
}

static kin__gate *take_opened(kin_reconciler *reconciler)
{
    kin__list *node;

    kin__mutex_lock(&reconciler->lock);
    node = kin__list_pop_front(&reconciler->opened);
    kin__mutex_unlock(&reconciler->lock);
    return node ? kin__list_entry(node, kin__gate, link) : NULL;
}

void kin__reconciler_drop_gates(kin_reconciler *reconciler)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    kin__gate *gate;

    kin__mutex_lock(&reconciler->lock);
    while ((node = kin__map_next(&reconciler->gates, &iter)))
        open_locked(reconciler, kin__container_of(node, kin__gate, node));
    kin__list_for_each(&reconciler->opened, link)
        reconciler->dropped += kin__list_entry(link, kin__gate, link)->is_wanted;
    kin__mutex_unlock(&reconciler->lock);
    while ((gate = take_opened(reconciler)))
        free_gate(gate);
}
