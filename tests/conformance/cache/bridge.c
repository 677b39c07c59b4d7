/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Callbacks of the library end in Go: each function here passes the handle in its `arg` to a function that Go exports.
 *
 * An object is a go_object with a handle of the Go value. What the class functions return is copied from the Go value
 * when the object is made, since it has to live as long as the object. The key of a KeyFunc is computed when the
 * library first asks for it, and kept.
 */
#include "bridge.h"

#include "_cgo_export.h"

#include <stdatomic.h>

struct key {
    size_t len;
    char text[];
};

struct go_object {
    kin_object head;
    uintptr_t handle;
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

    goRelease(o->handle);
    free(atomic_load(&o->key));
    free(o);
}

static uint64_t object_hash(const kin_object *object)
{
    return goHash(go_object_of(object)->handle);
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

kin_object *bridge_object_new(uintptr_t handle, const char *texts, const size_t *lengths,
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
    o->handle = handle;
    o->n_labels = n_labels;
    o->n_annotations = n_annotations;
    for (size_t i = 0; i < n; i++) {
        o->texts[i] = kin_str_make(at, texts ? lengths[i] : 0);
        at += texts ? lengths[i] + 1 : 0;
    }
    return &o->head;
}

bool bridge_object_is(const kin_object *object)
{
    return kin_object_get_class(object) == &go_class;
}

uintptr_t bridge_object_handle(const kin_object *object)
{
    return go_object_of(object)->handle;
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
    if (!bridge_object_is(object)) {
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
