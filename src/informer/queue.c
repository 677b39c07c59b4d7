/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stores and queues of src/cache as reflectors fill them (kin_reflector_store) and as process loops empty them
 * (kin_queue).
 */
#include "informer/queue.h"

#include "base/error.h"
#include "base/options.h"
#include "cache/delta_fifo.h"
#include "cache/fifo.h"
#include "cache/input.h"
#include "cache/ordered_fifo.h"
#include "kinform/reflector.h"

/* --- what a reflector can fill --- */

/* The functions of PREFIX, whose first argument becomes the last. */
#define OBJECT_FN(prefix, name, fn)                                                                \
    static int prefix##_##name##_of(const kin_object *object, void *arg, kin_error *err)           \
    {                                                                                              \
        return fn((prefix *)arg, object, err);                                                     \
    }

#define STORE_FNS(prefix)                                                                          \
    OBJECT_FN(prefix, add, prefix##_add)                                                           \
    OBJECT_FN(prefix, update, prefix##_update)                                                     \
    OBJECT_FN(prefix, delete, prefix##_delete)                                                     \
    static int prefix##_replace_of(kin_replace **ret, void *arg, kin_error *err)                   \
    {                                                                                              \
        return prefix##_replace_begin((prefix *)arg, ret, err);                                    \
    }                                                                                              \
    static int prefix##_resync_of(void *arg, kin_error *err)                                       \
    {                                                                                              \
        return prefix##_resync((prefix *)arg, err);                                                \
    }

#define BOOKMARK_FN(prefix)                                                                        \
    static int prefix##_bookmark_of(kin_str version, void *arg, kin_error *err)                    \
    {                                                                                              \
        return prefix##_bookmark((prefix *)arg, version, err);                                     \
    }

static int give_store(kin_reflector_store *ret, const kin_reflector_store *all)
{
    if (!ret || !all->arg)
        return KIN_EINVAL;
    return kin__options_give(ret, all, sizeof(*all), "KIN_REFLECTOR_STORE_INIT", NULL);
}

#define GIVE_FN(prefix, bookmark_fn)                                                               \
    int prefix##_reflector_store(kin_reflector_store *ret, prefix *target)                         \
    {                                                                                              \
        const kin_reflector_store all = {sizeof(all),                                              \
                                         prefix##_add_of,                                          \
                                         prefix##_update_of,                                       \
                                         prefix##_delete_of,                                       \
                                         prefix##_replace_of,                                      \
                                         prefix##_resync_of,                                       \
                                         bookmark_fn,                                              \
                                         target,                                                   \
                                         NULL};                                                    \
                                                                                                   \
        return give_store(ret, &all);                                                              \
    }

STORE_FNS(kin_store)
BOOKMARK_FN(kin_store)
GIVE_FN(kin_store, kin_store_bookmark_of)

STORE_FNS(kin_delta_fifo)
GIVE_FN(kin_delta_fifo, NULL)

STORE_FNS(kin_ordered_fifo)
BOOKMARK_FN(kin_ordered_fifo)
GIVE_FN(kin_ordered_fifo, kin_ordered_fifo_bookmark_of)

STORE_FNS(kin_fifo)
GIVE_FN(kin_fifo, NULL)

STORE_FNS(kin_expiring_store)
BOOKMARK_FN(kin_expiring_store)
GIVE_FN(kin_expiring_store, kin_expiring_store_bookmark_of)

STORE_FNS(kin_undelta_store)
BOOKMARK_FN(kin_undelta_store)
GIVE_FN(kin_undelta_store, kin_undelta_store_bookmark_of)

/* --- what a process loop can empty --- */

/* The functions of PREFIX, whose first argument becomes the last. */
#define QUEUE_FNS(prefix)                                                                          \
    static int prefix##_store_of(kin_reflector_store *ret, void *arg)                              \
    {                                                                                              \
        return prefix##_reflector_store(ret, (prefix *)arg);                                       \
    }                                                                                              \
    static bool prefix##_has_synced_of(void *arg)                                                  \
    {                                                                                              \
        return prefix##_has_synced((prefix *)arg);                                                 \
    }                                                                                              \
    static size_t prefix##_len_of(void *arg)                                                       \
    {                                                                                              \
        return prefix##_len((prefix *)arg);                                                        \
    }                                                                                              \
    static void prefix##_close_of(void *arg)                                                       \
    {                                                                                              \
        prefix##_close((prefix *)arg);                                                             \
    }                                                                                              \
    static void prefix##_set_wake_of(void (*wake)(void *wake_arg), void *wake_arg, void *arg)      \
    {                                                                                              \
        kin__line_set_wake(&((prefix *)arg)->line, wake, wake_arg);                                \
    }                                                                                              \
    int prefix##_queue(kin_queue *ret, prefix *fifo)                                               \
    {                                                                                              \
        const kin_queue all = {sizeof(all),                                                        \
                               prefix##_store_of,                                                  \
                               prefix##_pop_of,                                                    \
                               prefix##_has_synced_of,                                             \
                               prefix##_len_of,                                                    \
                               prefix##_close_of,                                                  \
                               fifo,                                                               \
                               NULL,                                                               \
                               prefix##_set_wake_of};                                              \
                                                                                                   \
        return give_queue(ret, &all);                                                              \
    }

#define POP_FN(prefix)                                                                             \
    static int prefix##_pop_of(kin_process_batch_fn *process, void *process_arg, size_t max,       \
                               int64_t timeout_ms, void *arg, kin_error *err)                      \
    {                                                                                              \
        return prefix##_pop_batch((prefix *)arg, process, process_arg, max, timeout_ms, err);      \
    }

static int give_queue(kin_queue *ret, const kin_queue *all)
{
    if (!ret || !all->arg)
        return KIN_EINVAL;
    return kin__options_give(ret, all, sizeof(*all), "KIN_QUEUE_INIT", NULL);
}

POP_FN(kin_delta_fifo)
QUEUE_FNS(kin_delta_fifo)

POP_FN(kin_ordered_fifo)
QUEUE_FNS(kin_ordered_fifo)

/* --- a FIFO has objects, not deltas --- */

struct object_call {
    kin_process_batch_fn *process;
    void *arg;
    kin_fifo *fifo;
};

static int process_object(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    const struct object_call *call = arg;
    kin_delta delta = {KIN_DELTA_UPDATED, object};
    kin_deltas deltas = {&delta, 1, {NULL, 0}};
    int code = kin__input_key(call->fifo->key, call->fifo->key_arg, object, &deltas.key, err);

    return code < 0 ? code : call->process(&deltas, 1, is_initial_list, call->arg, err);
}

static int kin_fifo_pop_of(kin_process_batch_fn *process, void *process_arg, size_t max,
                           int64_t timeout_ms, void *arg, kin_error *err)
{
    struct object_call call = {process, process_arg, arg};

    (void)max;
    return kin_fifo_pop(arg, process_object, &call, timeout_ms, err);
}

QUEUE_FNS(kin_fifo)

/* --- those of informers --- */

/* As many events wait for a handler before they are merged. */
enum { MAX_SURPLUS = 10000 };

static void free_deltas(void *arg)
{
    kin_delta_fifo_free(arg);
}

static void free_ordered(void *arg)
{
    kin_ordered_fifo_free(arg);
}

static int new_deltas(kin_queue *ret, const kin_delta_fifo_options *given, atomic_bool *renames,
                      kin_error *err)
{
    kin_delta_fifo_options options = *given;
    kin_delta_fifo *fifo = NULL;
    int code;

    options.emit_replaced = true;
    options.max_surplus = MAX_SURPLUS;
    code = kin_delta_fifo_new(&fifo, &options, err);
    if (code < 0)
        return code;
    if (renames)
        fifo->renames = renames;
    code = kin_delta_fifo_queue(ret, fifo);
    if (code == 0)
        ret->arg_free = free_deltas;
    return code;
}

static int new_ordered(kin_queue *ret, const kin_delta_fifo_options *given, atomic_bool *renames,
                       kin_error *err)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_ordered_fifo *fifo = NULL;
    int code;

    options.name = given->name;
    options.logger = given->logger;
    options.clock = given->clock;
    options.key = given->key;
    options.key_arg = given->key_arg;
    options.transform = given->transform;
    options.transform_arg = given->transform_arg;
    options.known = given->known;
    code = kin_ordered_fifo_new(&fifo, &options, err);
    if (code < 0)
        return code;
    if (renames)
        fifo->renames = renames;
    code = kin_ordered_fifo_queue(ret, fifo);
    if (code == 0)
        ret->arg_free = free_ordered;
    return code;
}

int kin__queue_new(kin_queue *ret, kin_informer_queue kind, const kin_delta_fifo_options *options,
                   atomic_bool *renames, kin_error *err)
{
    return kind == KIN_QUEUE_ORDERED ? new_ordered(ret, options, renames, err)
                                     : new_deltas(ret, options, renames, err);
}

/* --- one that was given --- */

int kin__queue_take(kin_queue *ret, kin_reflector_store *ret_store, const kin_queue *given,
                    kin_error *err)
{
    kin_queue all = KIN_QUEUE_INIT;
    kin_reflector_store store = KIN_REFLECTOR_STORE_INIT;
    int code = kin__options_take(&all, sizeof(all), given, "KIN_QUEUE_INIT", err);

    if (code < 0)
        return code;
    if (!all.reflector_store || !all.pop_batch || !all.has_synced || !all.len || !all.close)
        return kin_error_set(err, KIN_EINVAL, "a function of the queue is missing");
    code = all.reflector_store(&store, all.arg);
    if (code < 0)
        return kin_error_set(err, code, "the queue has no way to be filled");
    if (!store.add || !store.update || !store.delete_ || !store.replace_begin || !store.resync ||
        store.arg_free)
        return kin_error_set(err, KIN_EINVAL,
                             "a function to fill the queue is missing, or there is an arg_free");
    *ret = all;
    *ret_store = store;
    return 0;
}
