/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain informers: a controller whose process function applies batches to a store and tells one handler,
 * right there on the strand.
 *
 * A batch that there is no memory for is applied again, and the handler has not been told of it.
 */
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/options.h"
#include "informer/controller.h"
#include "informer/process_deltas.h"
#include "informer/queue.h"

struct plain {
    kin_controller *controller;
    kin_store *store;   /* SHARED */
    kin_logger *logger; /* SHARED */
    kin_event_fn *fn;
    void *arg;
    void (*arg_free)(void *arg); /* set when it is made */
    kin__delta_batch batch;      /* (strand) */
};

/* Whether there is still somebody to tell. */
static bool tell(const struct plain *plain, const kin__notice *notice)
{
    const kin_event event = {sizeof(event),      notice->type,       notice->object,
                             notice->old_object, notice->is_initial, notice->is_sync};

    kin__assert_no_locks();
    plain->fn(&event, plain->arg);
    return !kin__controller_is_freed(plain->controller);
}

static void tell_all(const struct plain *plain)
{
    bool is_there = plain->fn != NULL;

    for (size_t i = 0; is_there && i < plain->batch.n_notices; i++)
        is_there = tell(plain, &plain->batch.notices[i]);
}

static int process(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                   kin_error *err)
{
    struct plain *plain = arg;
    kin__delta_batch *batch = &plain->batch;

    if (kin__process_deltas(batch, deltas, n, is_initial_list, err) < 0)
        return KIN_EREQUEUE;
    tell_all(plain);
    if (batch->n_failed > 0)
        kin__log(plain->logger, KIN_LOG_ERROR, "controller", "objects could not be stored",
                 KIN__LOG_U("objects", batch->n_failed),
                 KIN__LOG_S("error", batch->failed.message));
    kin__delta_batch_clear(batch);
    return 0;
}

static void free_plain(void *arg)
{
    struct plain *plain = arg;

    if (plain->arg_free)
        plain->arg_free(plain->arg);
    kin__delta_batch_done(&plain->batch);
    kin_store_unref(plain->store);
    kin_logger_unref(plain->logger);
    kin__free(plain);
}

static int make_store(struct plain *plain, const kin_plain_informer_options *options,
                      const kin_reflector_options *reflector, kin_error *err)
{
    kin_store_options store = KIN_STORE_OPTIONS_INIT;

    store.name = reflector->name;
    store.logger = plain->logger;
    store.key = options->key;
    store.key_arg = options->key_arg;
    return kin_store_new(&plain->store, &store, err);
}

static int make_queue(kin_queue *ret, const struct plain *plain,
                      const kin_plain_informer_options *options,
                      const kin_reflector_options *reflector, kin_error *err)
{
    kin_known_objects known = kin_store_known_objects(plain->store);
    kin_delta_fifo_options queue = KIN_DELTA_FIFO_OPTIONS_INIT;

    queue.name = reflector->name;
    queue.logger = plain->logger;
    queue.clock = reflector->clock;
    queue.key = options->key;
    queue.key_arg = options->key_arg;
    queue.transform = options->transform;
    queue.transform_arg = options->transform_arg;
    queue.known = &known;
    return kin__queue_new(ret, options->queue, &queue, NULL, err);
}

static int make(struct plain *plain, kin_list_watch *source,
                const kin_plain_informer_options *options, const kin_reflector_options *reflector,
                kin_error *err)
{
    kin_controller_options controller = KIN_CONTROLLER_OPTIONS_INIT;
    kin_queue queue = KIN_QUEUE_INIT;
    int code = make_store(plain, options, reflector, err);

    if (code == 0)
        code = make_queue(&queue, plain, options, reflector, err);
    if (code < 0)
        return code;
    kin__delta_batch_init(&plain->batch, plain->store, options->key, options->key_arg);
    controller.process_batch = process;
    controller.arg = plain;
    controller.arg_free = free_plain;
    controller.max_batch = options->max_batch;
    controller.wait_while_refused = options->wait_while_refused;
    controller.reflector = reflector;
    code = kin__controller_new(&plain->controller, source, &queue, &controller, plain->store, err);
    if (code < 0)
        queue.arg_free(queue.arg);
    else
        kin__controller_set_key(plain->controller, options->key, options->key_arg);
    return code;
}

static int check_arguments(kin_controller **ret, const kin_list_watch *source, kin_event_fn *fn,
                           void *arg, const kin_plain_informer_options *options, kin_error *err)
{
    if (!ret || !source)
        return kin__error_null(err, ret ? "source" : "ret");
    if (!fn && (arg || options->arg_free))
        return kin_error_set(err, KIN_EINVAL, "an arg without a function");
    if (options->queue < KIN_QUEUE_DELTA_FIFO || options->queue > KIN_QUEUE_ORDERED)
        return kin_error_set(err, KIN_EINVAL, "a queue of %d", (int)options->queue);
    return 0;
}

int kin_controller_new_informer(kin_controller **ret, kin_store **ret_store, kin_list_watch *source,
                                kin_event_fn *fn, void *arg,
                                const kin_plain_informer_options *options, kin_error *err)
{
    kin_plain_informer_options all = KIN_PLAIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    struct plain *plain;
    int code =
        kin__options_take(&all, sizeof(all), options, "KIN_PLAIN_INFORMER_OPTIONS_INIT", err);

    if (code == 0)
        code = kin__options_take(&reflector, sizeof(reflector), all.reflector,
                                 "KIN_REFLECTOR_OPTIONS_INIT", err);
    if (code == 0)
        code = check_arguments(ret, source, fn, arg, &all, err);
    if (code < 0)
        return code;
    plain = kin__calloc(1, sizeof(*plain));
    if (!plain)
        return kin__error_no_memory(err);
    plain->fn = fn;
    plain->arg = arg;
    plain->logger = reflector.logger ? kin_logger_ref(reflector.logger) : kin_default_logger();
    code = make(plain, source, &all, &reflector, err);
    if (code < 0) {
        free_plain(plain);
        return code;
    }
    plain->arg_free = all.arg_free;
    *ret = plain->controller;
    if (ret_store)
        *ret_store = kin_store_ref(plain->store);
    return 0;
}
