/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: a key is not looked at again before the caches have seen what was written for it.
 *
 * A gate is closed while its key is being worked on, so nobody looks at it then but the keeper. All is
 * done under the reconciler's lock, the look at informers included: whether a gate is there, whether
 * its key is wanted, and who puts it back, change together.
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
#include "kinform/resource_version.h"
#include "runtime/reconciler.h"

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
    if (kin__map_len(&reconciler->gates) == 0 && kin__list_is_empty(&reconciler->opened))
        atomic_store_explicit(&reconciler->is_expectant, false, memory_order_release);
}

static void take_out_locked(kin_reconciler *reconciler, kin__gate *gate)
    KIN_REQUIRES(reconciler->lock)
{
    kin__map_remove(&reconciler->gates, &gate->node);
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

static kin__written *make_written(kin_informer *informer, kin_str version, kin_str key)
{
    kin__written *written = kin__malloc(sizeof(*written) + version.len + key.len);

    if (!written)
        return NULL;
    kin__list_init(&written->link);
    written->informer = informer;
    memcpy(written->text, version.data, version.len);
    if (key.len)
        memcpy(written->text + version.len, key.data, key.len);
    written->version = kin_str_make(written->text, version.len);
    written->key = kin_str_make(written->text + version.len, key.len);
    return written;
}

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

/* The gate of the key, made if need be. NULL: no memory. */
static kin__gate *obtain_locked(kin_reconciler *reconciler, kin_str key)
    KIN_REQUIRES(reconciler->lock)
{
    kin__gate *gate = find_locked(reconciler, key);

    if (gate)
        return gate;
    gate = make_gate(key);
    if (!gate)
        return NULL;
    if (kin__map_add(&reconciler->gates, &gate->node, key_of(gate), NULL) < 0) {
        kin__free(gate);
        return NULL;
    }
    atomic_store_explicit(&reconciler->is_expectant, true, memory_order_release);
    return gate;
}

static int close_gate(kin_reconcile *call, kin_informer *informer, kin_str version, kin_str key,
                      kin_error *err)
{
    kin_reconciler *reconciler = call->reconciler;
    bool wakes = false;
    kin__written *written;
    kin__gate *gate;

    if (!kin__reconciler_source_of(reconciler, informer))
        return kin_error_set(err, KIN_EINVAL, "\"%s\" neither watches nor reads that informer",
                             reconciler->name);
    if (reconciler->write_timeout < 0)
        return 0;
    written = make_written(informer, version, key);
    if (!written)
        return kin__error_no_memory(err);
    kin__mutex_lock(&reconciler->lock);
    gate = obtain_locked(reconciler, call->key);
    if (gate) {
        kin__list_push_back(&gate->written, &written->link);
        gate->deadline = kin__clock_deadline(reconciler->clock, reconciler->write_timeout);
        wakes = kin__reconciler_look_at_locked(reconciler, gate->deadline);
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
    return close_gate(call, informer, version, kin_str_of(kin_object_key(object)), err);
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
    return close_gate(call, informer, resource_version, kin_str_make(NULL, 0), err);
}

/* --- looking --- */

/* Whether the store has the object in this version or a later one: before all others were seen. */
static bool is_stored(const kin__written *written)
{
    const kin_object *object = NULL;
    int order = -1;

    if (written->key.len == 0 ||
        kin_store_get(kin_informer_store(written->informer), &object, written->key, NULL) < 0)
        return false;
    if (kin_resource_version_compare(&order, kin_object_resource_version(object), written->version,
                                     NULL) < 0)
        order = -1;
    kin_object_unref(object);
    return order >= 0;
}

/*
 * Of an object only what is seen of its namespace counts: a deletion leaves nothing in the store, and
 * other namespaces may not get to see its version for long. An informer that has stopped, does not look
 * there, or whose versions mean nothing, is not waited for.
 */
static bool is_seen(const kin__written *written)
{
    kin_str namespace_;
    kin_str name;
    bool is_known =
        written->key.len > 0 && kin_key_split(&namespace_, &name, written->key, NULL) == 0;

    return kin__informer_has_version(written->informer, written->version,
                                     is_known ? &namespace_ : NULL) != 0 ||
           is_stored(written);
}

/* Whether nothing is left to wait for. */
static bool look(kin__gate *gate)
{
    while (!kin__list_is_empty(&gate->written)) {
        kin__written *written = kin__list_entry(gate->written.next, kin__written, link);

        if (!is_seen(written))
            return false;
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
        is_open = look(gate);
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
    if (gate && look(gate))
        take_out_locked(reconciler, gate);
    else
        gate = NULL;
    kin__mutex_unlock(&reconciler->lock);
    if (gate)
        free_gate(gate);
}

/* --- opening --- */

/* Those that nothing is left for, or whose time is over, go over to `opened`. */
static void sort_locked(kin_reconciler *reconciler) KIN_REQUIRES(reconciler->lock)
{
    int64_t now = kin_clock_now(reconciler->clock);
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&reconciler->gates, &iter))) {
        kin__gate *gate = kin__container_of(node, kin__gate, node);

        if (!look(gate)) {
            if (gate->deadline > now)
                continue;
            reconciler->write_timeouts++;
        }
        kin__map_remove(&reconciler->gates, node);
        kin__list_push_back(&reconciler->opened, &gate->link);
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
             KIN__LOG_S("informer", written->informer->name),
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
        gate->deadline = code == KIN_ENOMEM
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
    if (!is_stopping)
        sort_locked(reconciler);
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
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    int64_t first = INT64_MAX;
    kin__map_node *node;

    if (reconciler->state >= KIN_RECONCILER_STOPPING)
        return INT64_MAX;
    if (!kin__list_is_empty(&reconciler->opened))
        first = kin__list_entry(reconciler->opened.next, kin__gate, link)->deadline;
    while ((node = kin__map_next(&reconciler->gates, &iter))) {
        int64_t deadline = kin__container_of(node, kin__gate, node)->deadline;

        if (deadline < first)
            first = deadline;
    }
    return first;
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
    while ((node = kin__map_next(&reconciler->gates, &iter))) {
        gate = kin__container_of(node, kin__gate, node);
        kin__map_remove(&reconciler->gates, node);
        kin__list_push_back(&reconciler->opened, &gate->link);
    }
    kin__list_for_each(&reconciler->opened, link)
        reconciler->dropped += kin__list_entry(link, kin__gate, link)->is_wanted;
    kin__mutex_unlock(&reconciler->lock);
    while ((gate = take_opened(reconciler)))
        free_gate(gate);
}
