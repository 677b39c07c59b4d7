/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks of the library end in Go: each function here passes the handle in its `arg` to a function that Go exports.
 *
 * An object is a go_object with the number of a Go value. The results of the class functions are copied from the
 * Go value when the object is made, since they have to live as long as the object. The key of a KeyFunc is computed
 * when the library first asks for it, and kept.
 */
#include "bridge.h"

#include "_cgo_export.h"

#include <pthread.h>
#include <stdatomic.h>

struct key {
    size_t len;
    char text[];
};

struct go_object {
    kin_object head;
    uintptr_t value;
    _Atomic(struct key *) key; /* of the key function; NULL: not asked yet */
    size_t n_labels;
    size_t n_annotations;
    kin_str texts[]; /* N_TEXTS, then labels, then annotations */
};

static const struct go_object *go_object_of(const kin_object *object)
{
    return (const struct go_object *)object;
}

static kin_str object_key(const kin_object *object)
{
    struct key *key = atomic_load(&((struct go_object *)object)->key);

    return key ? kin_str_make(key->text, key->len) : go_object_of(object)->texts[TEXT_KEY];
}

#define TEXT_FUNCTION(name, text)                                                                  \
    static kin_str name(const kin_object *object)                                                  \
    {                                                                                              \
        return go_object_of(object)->texts[text];                                                  \
    }
TEXT_FUNCTION(object_namespace, TEXT_NAMESPACE)
TEXT_FUNCTION(object_name, TEXT_NAME)
TEXT_FUNCTION(object_version, TEXT_VERSION)
TEXT_FUNCTION(object_kind, TEXT_KIND)
TEXT_FUNCTION(object_api_version, TEXT_API_VERSION)
TEXT_FUNCTION(object_uid, TEXT_UID)
TEXT_FUNCTION(object_continue, TEXT_CONTINUE)

static bool find_pair(const kin_str *pairs, size_t n, kin_str key, kin_str *ret_value)
{
    for (size_t i = 0; i < n; i++)
        if (kin_str_equal(pairs[2 * i], key)) {
            *ret_value = pairs[2 * i + 1];
            return true;
        }
    return false;
}

static bool object_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const struct go_object *o = go_object_of(object);

    return find_pair(o->texts + N_TEXTS, o->n_labels, key, ret_value);
}

static bool object_annotation(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const struct go_object *o = go_object_of(object);

    return find_pair(o->texts + N_TEXTS + 2 * o->n_labels, o->n_annotations, key, ret_value);
}

static void object_destroy(kin_object *object)
{
    struct go_object *o = (struct go_object *)object;

    goDrop(o->value);
    free(atomic_load(&o->key));
    free(o);
}

static uint64_t object_hash(const kin_object *object)
{
    return goHash(go_object_of(object)->value);
}

static const kin_object_class go_class = {
    .size = sizeof(kin_object_class),
    .name = "Go value",
    .key = object_key,
    .get_namespace = object_namespace,
    .get_name = object_name,
    .resource_version = object_version,
    .label = object_label,
    .destroy = object_destroy,
    .hash = object_hash,
    .kind = object_kind,
    .api_version = object_api_version,
    .uid = object_uid,
    .annotation = object_annotation,
    .continue_token = object_continue,
};

kin_object *bridge_object_new(uintptr_t value, const char *texts, const size_t *lengths,
                              size_t n_labels, size_t n_annotations)
{
    size_t n = N_TEXTS + 2 * (n_labels + n_annotations);
    size_t bytes = 0;

    for (size_t i = 0; texts && i < n; i++)
        bytes += lengths[i] + 1;

    struct go_object *o = calloc(1, sizeof(*o) + n * sizeof(kin_str) + bytes + 1);

    if (!o || kin_object_init(&o->head, &go_class, NULL) < 0)
        abort();
    char *at = (char *)(o->texts + n);

    if (bytes)
        memcpy(at, texts, bytes);
    o->value = value;
    o->n_labels = n_labels;
    o->n_annotations = n_annotations;
    for (size_t i = 0; i < n; i++) {
        o->texts[i] = kin_str_make(at, texts ? lengths[i] : 0);
        at += texts ? lengths[i] + 1 : 0;
    }
    return &o->head;
}

uintptr_t bridge_object_value(const kin_object *object)
{
    return kin_object_get_class(object) == &go_class ? go_object_of(object)->value : 0;
}

void bridge_object_set_key(kin_object *object, const char *text, size_t len)
{
    struct key *expected = NULL;
    struct key *key = malloc(sizeof(*key) + len + 1);

    if (!key)
        abort();
    key->len = len;
    if (len)
        memcpy(key->text, text, len);
    key->text[len] = 0;
    if (!atomic_compare_exchange_strong(&((struct go_object *)object)->key, &expected, key))
        free(key);
}

int bridge_error_set(kin_error *err, int code, const char *message)
{
    return kin_error_set(err, code, "%s", message);
}

/* --- stores --- */

static int key_of(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    if (!bridge_object_value(object)) {
        *ret = kin_str_of(kin_object_key(object));
        return 0;
    }
    if (!atomic_load(&((struct go_object *)object)->key)) {
        int code = goKey((uintptr_t)arg, (kin_object *)object, err);

        if (code < 0)
            return code;
    }
    *ret = object_key(object);
    return 0;
}

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    kin_object *made = NULL;
    int code = goTransform((uintptr_t)arg, (kin_object *)object, &made, err);

    if (code == 0)
        *ret = made;
    return code;
}

void bridge_store_options(kin_store_options *ret, uintptr_t handle, bool transforms)
{
    ret->size = sizeof(*ret);
    ret->key = key_of;
    ret->key_arg = (void *)handle;
    if (transforms) {
        ret->transform = transform;
        ret->transform_arg = (void *)handle;
    }
}

static int index_values(const kin_object *object, kin_index_values *values, void *arg,
                        kin_error *err)
{
    return goIndex((uintptr_t)arg, (kin_object *)object, values, err);
}

static void release(void *arg)
{
    goRelease((uintptr_t)arg);
}

int bridge_store_add_index(kin_store *store, const char *name, uintptr_t handle, kin_error *err)
{
    kin_index index = KIN_INDEX_INIT(name, index_values);

    index.arg = (void *)handle;
    index.arg_free = release;
    return kin_store_add_index(store, &index, err);
}

static int visit(kin_str key, const kin_object *object, void *arg)
{
    return goVisit((uintptr_t)arg, (char *)key.data, key.len, (kin_object *)object);
}

int bridge_store_each(kin_store *store, const kin_label_selector *selector, uintptr_t handle,
                      kin_error *err)
{
    return kin_visit_all(store, selector, visit, (void *)handle, err);
}

static bool less(const kin_object *a, const kin_object *b, void *arg)
{
    return goLess((uintptr_t)arg, (kin_object *)a, (kin_object *)b);
}

void bridge_heap_options(kin_heap_options *ret, uintptr_t handle)
{
    ret->size = sizeof(*ret);
    ret->key = key_of;
    ret->key_arg = (void *)handle;
    ret->less = less;
    ret->less_arg = (void *)handle;
}

static bool expired(const kin_object *object, int64_t stored_at_ns, void *arg)
{
    return goExpired((uintptr_t)arg, (kin_object *)object, stored_at_ns);
}

void bridge_expiring_store_options(kin_expiring_store_options *ret, uintptr_t handle,
                                   bool has_policy)
{
    ret->size = sizeof(*ret);
    ret->key = key_of;
    ret->key_arg = (void *)handle;
    if (has_policy) {
        ret->expired = expired;
        ret->expired_arg = (void *)handle;
    }
}

static void push(const kin_object_list *objects, void *arg)
{
    goPush((uintptr_t)arg, (kin_object_list *)objects);
}

void bridge_undelta_store_options(kin_undelta_store_options *ret, uintptr_t handle)
{
    ret->size = sizeof(*ret);
    ret->key = key_of;
    ret->key_arg = (void *)handle;
    ret->push = push;
    ret->push_arg = (void *)handle;
}

/* --- queues --- */

static int known_has(void *arg, kin_str key, kin_error *err)
{
    (void)err;
    return goKnownHas((uintptr_t)arg, (char *)key.data, key.len) ? 0 : KIN_ENOTFOUND;
}

static int known_each(void *arg, kin_visit_fn *visit_known, void *visit_arg, kin_error *err)
{
    (void)err;
    return goKnownEach((uintptr_t)arg, visit_known, visit_arg);
}

int bridge_visit(kin_visit_fn *visit_known, kin_str key, const kin_object *object, void *arg)
{
    return visit_known(key, object, arg);
}

static kin_known_objects known_objects(uintptr_t handle)
{
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    known.has = known_has;
    known.each = known_each;
    known.arg = (void *)handle;
    return known;
}

int bridge_delta_fifo_new(kin_delta_fifo **ret, uintptr_t handle, bool transforms, bool known,
                          bool emit_replaced)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects objects = known_objects(handle);

    options.key = key_of;
    options.key_arg = (void *)handle;
    options.transform = transforms ? transform : NULL;
    options.transform_arg = (void *)handle;
    options.known = known ? &objects : NULL;
    options.emit_replaced = emit_replaced;
    return kin_delta_fifo_new(ret, &options, NULL);
}

static int process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    return goProcess((uintptr_t)arg, (kin_deltas *)deltas, 1, is_initial_list, err);
}

static int process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    return goProcess((uintptr_t)arg, (kin_deltas *)deltas, n, is_initial_list, err);
}

int bridge_delta_fifo_pop(kin_delta_fifo *fifo, uintptr_t handle, kin_error *err)
{
    return kin_delta_fifo_pop(fifo, process, (void *)handle, -1, err);
}

int bridge_ordered_fifo_new(kin_ordered_fifo **ret, uintptr_t handle, bool transforms, bool known,
                            bool emit_bookmarks)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects objects = known_objects(handle);

    options.key = key_of;
    options.key_arg = (void *)handle;
    options.transform = transforms ? transform : NULL;
    options.transform_arg = (void *)handle;
    options.known = known ? &objects : NULL;
    options.emit_bookmarks = emit_bookmarks;
    return kin_ordered_fifo_new(ret, &options, NULL);
}

int bridge_ordered_fifo_pop(kin_ordered_fifo *fifo, uintptr_t handle, kin_error *err)
{
    return kin_ordered_fifo_pop(fifo, process, (void *)handle, -1, err);
}

int bridge_ordered_fifo_pop_batch(kin_ordered_fifo *fifo, uintptr_t handle, size_t max,
                                  kin_error *err)
{
    return kin_ordered_fifo_pop_batch(fifo, process_batch, (void *)handle, max, -1, err);
}

int bridge_fifo_new(kin_fifo **ret, uintptr_t handle)
{
    kin_fifo_options options = KIN_FIFO_OPTIONS_INIT;

    options.key = key_of;
    options.key_arg = (void *)handle;
    return kin_fifo_new(ret, &options, NULL);
}

static int process_object(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    return goProcessObject((uintptr_t)arg, (kin_object *)object, is_initial_list, err);
}

int bridge_fifo_pop(kin_fifo *fifo, uintptr_t handle, kin_error *err)
{
    return kin_fifo_pop(fifo, process_object, (void *)handle, -1, err);
}

/* --- sources --- */

struct go_source {
    kin_list_watch head;
    uintptr_t handle;
};

struct bridge_operation {
    kin_operation head;
    atomic_int refs;
    uintptr_t handle; /* of the Go operation */
    kin_call_handlers handlers;
};

static void operation_unref(struct bridge_operation *o)
{
    if (atomic_fetch_sub(&o->refs, 1) == 1) {
        goRelease(o->handle);
        free(o);
    }
}

static void operation_cancel(kin_operation *operation)
{
    goCancel(((struct bridge_operation *)operation)->handle);
}

static void operation_release(kin_operation *operation)
{
    operation_unref((struct bridge_operation *)operation);
}

static int source_begin(kin_list_watch *source, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        bool is_watch)
{
    kin_request_options defaults = KIN_REQUEST_OPTIONS_INIT;
    struct bridge_operation *o = calloc(1, sizeof(*o));

    if (!o)
        return KIN_ENOMEM;
    o->head.cancel = operation_cancel;
    o->head.release = operation_release;
    atomic_init(&o->refs, 2);
    memcpy(&o->handlers, handlers,
           handlers->size < sizeof(o->handlers) ? handlers->size : sizeof(o->handlers));
    *ret = &o->head;
    goBegin(((struct go_source *)source)->handle, o, is_watch,
            (kin_request_options *)(options ? options : &defaults));
    return 0;
}

static int source_list(kin_list_watch *source, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    (void)err;
    return source_begin(source, ret, options, handlers, false);
}

static int source_watch(kin_list_watch *source, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    (void)err;
    return source_begin(source, ret, options, handlers, true);
}

static void source_destroy(kin_list_watch *source)
{
    goRelease(((struct go_source *)source)->handle);
    free(source);
}

static const kin_list_watch_class source_class = {
    .size = sizeof(kin_list_watch_class),
    .list = source_list,
    .watch = source_watch,
    .destroy = source_destroy,
};

static const kin_list_watch_class streaming_class = {
    .size = sizeof(kin_list_watch_class),
    .list = source_list,
    .watch = source_watch,
    .destroy = source_destroy,
    .streaming_lists = true,
};

kin_list_watch *bridge_source_new(uintptr_t handle, bool streaming_lists)
{
    struct go_source *source = calloc(1, sizeof(*source));

    if (!source || kin_list_watch_init(
                       &source->head, streaming_lists ? &streaming_class : &source_class, NULL) < 0)
        abort();
    source->handle = handle;
    return &source->head;
}

void bridge_operation_set_handle(struct bridge_operation *operation, uintptr_t handle)
{
    operation->handle = handle;
}

int bridge_operation_item(struct bridge_operation *operation, const kin_object *object,
                          kin_error *err)
{
    return operation->handlers.item(object, operation->handlers.arg, err);
}

int bridge_operation_begun(struct bridge_operation *operation, kin_error *err)
{
    return operation->handlers.begun ? operation->handlers.begun(operation->handlers.arg, err) : 0;
}

int bridge_operation_event(struct bridge_operation *operation, int type, const kin_object *object,
                           kin_error *err)
{
    return operation->handlers.event((enum kin_watch_type)type, object, operation->handlers.arg,
                                     err);
}

void bridge_operation_done(struct bridge_operation *operation, int code, const kin_error *err,
                           const kin_object *object, const kin_object *status, bool stood)
{
    kin_result result = {sizeof(kin_result), code, err, object, status, stood, 0};

    if (operation->handlers.done)
        operation->handlers.done(&result, operation->handlers.arg);
    if (operation->handlers.arg_free)
        operation->handlers.arg_free(operation->handlers.arg);
    operation_unref(operation);
}

/* --- reflectors --- */

static int store_add(const kin_object *object, void *arg, kin_error *err)
{
    return goStoreChange((uintptr_t)arg, KIN_WATCH_ADDED, (kin_object *)object, err);
}

static int store_update(const kin_object *object, void *arg, kin_error *err)
{
    return goStoreChange((uintptr_t)arg, KIN_WATCH_MODIFIED, (kin_object *)object, err);
}

static int store_delete(const kin_object *object, void *arg, kin_error *err)
{
    return goStoreChange((uintptr_t)arg, KIN_WATCH_DELETED, (kin_object *)object, err);
}

static int store_resync(void *arg, kin_error *err)
{
    return goStoreResync((uintptr_t)arg, err);
}

static int replace_add(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    goReplaceAdd((uintptr_t)arg, (kin_object *)object);
    return 0;
}

static int replace_commit(kin_str resource_version, bool keeps_missing, void *arg, kin_error *err)
{
    (void)keeps_missing;
    return goReplaceCommit((uintptr_t)arg, (char *)resource_version.data, resource_version.len,
                           err);
}

static void replace_abort(void *arg)
{
    goRelease((uintptr_t)arg);
}

static int store_replace_begin(kin_replace **ret, void *arg, kin_error *err)
{
    static const kin_replace_functions functions = {sizeof(kin_replace_functions), replace_add,
                                                    replace_commit, replace_abort};

    return kin_replace_new(ret, &functions, (void *)goReplaceBegin((uintptr_t)arg), err);
}

void bridge_reflector_store(kin_reflector_store *ret, uintptr_t handle)
{
    ret->add = store_add;
    ret->update = store_update;
    ret->delete_ = store_delete;
    ret->replace_begin = store_replace_begin;
    ret->resync = store_resync;
    ret->arg = (void *)handle;
    ret->arg_free = release;
}

static void reflector_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    (void)reflector;
    goFailure((uintptr_t)arg, failure->operation, (kin_error *)failure->err,
              failure->is_watch_error);
}

static void reflector_status(kin_reflector *reflector, const kin_reflector_status *status,
                             void *arg)
{
    (void)reflector;
    goReflectorState((uintptr_t)arg, status->state, status->backoff_until);
}

static bool should_resync_now(void *arg)
{
    return goShouldResync((uintptr_t)arg);
}

void bridge_reflector_options(kin_reflector_options *ret, uintptr_t handle, bool should_resync)
{
    ret->size = sizeof(*ret);
    ret->error = reflector_error;
    ret->status = reflector_status;
    ret->should_resync = should_resync ? should_resync_now : NULL;
    ret->arg = (void *)handle;
    ret->arg_free = release;
}

/* --- controllers and informers --- */

int bridge_controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                          uintptr_t handle, bool batches, const kin_reflector_options *reflector,
                          kin_error *err)
{
    kin_controller_options options = KIN_CONTROLLER_OPTIONS_INIT;

    if (batches)
        options.process_batch = process_batch;
    else
        options.process = process;
    options.arg = (void *)handle;
    options.arg_free = release;
    options.reflector = reflector;
    return kin_controller_new(ret, source, queue, &options, err);
}

static void on_event(const kin_event *event, void *arg)
{
    goEvent((uintptr_t)arg, event->type, (kin_object *)event->object,
            (kin_object *)event->old_object, event->is_initial, event->is_sync);
}

int bridge_informer_controller_new(kin_controller **ret, kin_store **ret_store,
                                   kin_list_watch *source, uintptr_t handler, uintptr_t functions,
                                   bool transforms, bool ordered,
                                   const kin_reflector_options *reflector, kin_error *err)
{
    kin_plain_informer_options options = KIN_PLAIN_INFORMER_OPTIONS_INIT;

    options.key = key_of;
    options.key_arg = (void *)functions;
    options.transform = transforms ? transform : NULL;
    options.transform_arg = (void *)functions;
    options.queue = ordered ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    options.arg_free = release;
    options.reflector = reflector;
    return kin_controller_new_informer(ret, ret_store, source, on_event, (void *)handler, &options,
                                       err);
}

static void informer_error(kin_informer *informer, const kin_failure *failure, void *arg)
{
    (void)informer;
    goInformerFailure((uintptr_t)arg, failure->operation, (kin_error *)failure->err,
                      failure->is_watch_error);
}

int bridge_informer_new(kin_informer **ret, kin_list_watch *source, const char *name,
                        uintptr_t handle, int64_t resync_ms, bool ordered, kin_clock *clock,
                        const char *kind, const char *api_version,
                        kin_streaming_lists streaming_lists, bool detect_mutations, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;

    reflector.kind = kind;
    reflector.api_version = api_version;
    reflector.streaming_lists = streaming_lists;
    options.name = name;
    options.reflector = &reflector;
    options.key = key_of;
    options.key_arg = (void *)handle;
    options.transform = transform;
    options.transform_arg = (void *)handle;
    options.queue = ordered ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    options.resync_ms = resync_ms;
    options.clock = clock;
    options.detect_mutations = detect_mutations;
    options.error = informer_error;
    options.error_arg = (void *)handle;
    return kin_informer_new_from(ret, source, &options, err);
}

struct informer_end {
    kin_informer *informer;
    uintptr_t handle;
};

static void *informer_end_run(void *arg)
{
    struct informer_end end = *(struct informer_end *)arg;

    free(arg);
    if (kin_informer_free(end.informer) == 0)
        goRelease(end.handle);
    return NULL;
}

/*
 * A thread of C, since Go's cleanup goroutine would wait for the informer's threads: goleak allows it half a second, which
 * is not enough on a busy machine.
 */
void bridge_informer_free(kin_informer *informer, uintptr_t handle)
{
    struct informer_end *end = malloc(sizeof(*end));
    pthread_t thread;

    if (!end)
        abort();
    *end = (struct informer_end){informer, handle};
    if (pthread_create(&thread, NULL, informer_end_run, end) != 0)
        abort();
    pthread_detach(thread);
}

int bridge_informer_add_handler(kin_informer *informer, kin_registration **ret, const char *name,
                                uintptr_t handler, int64_t resync_ms, kin_error *err)
{
    kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;

    options.name = name;
    options.resync_ms = resync_ms;
    options.arg_free = release;
    return kin_informer_add_handler(informer, ret, on_event, (void *)handler, &options, err);
}
