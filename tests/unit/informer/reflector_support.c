/* SPDX-License-Identifier: Apache-2.0 */
#include "reflector_support.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

static void on_error(kin_reflector *reflector, const kin_failure *failure, void *arg)
{
    kin_test_scene *scene = arg;

    (void)reflector;
    pthread_mutex_lock(&scene->lock);
    scene->n_failures++;
    scene->n_errors += failure->is_watch_error;
    scene->last_failed = failure->operation;
    scene->last_error = *failure->err;
    pthread_mutex_unlock(&scene->lock);
    kin_test_latch_raise(&scene->moved);
}

static void on_status(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    kin_test_scene *scene = arg;

    (void)reflector;
    pthread_mutex_lock(&scene->lock);
    if (scene->n_states < sizeof(scene->states) / sizeof(scene->states[0]))
        scene->states[scene->n_states++] = status->state;
    pthread_mutex_unlock(&scene->lock);
    kin_test_latch_raise(&scene->moved);
}

static bool on_should_resync(void *arg)
{
    kin_test_scene *scene = arg;

    return !scene->refuses_resync;
}

/* --- the store: functions that may fail --- */

static int refuse(kin_test_scene *scene, int code, kin_error *err)
{
    (void)scene;
    return kin_error_set(err, code, "the store was told to fail");
}

static void count(kin_test_scene *scene, size_t *counter)
{
    pthread_mutex_lock(&scene->lock);
    ++*counter;
    pthread_mutex_unlock(&scene->lock);
}

typedef int put_fn(kin_store *store, const kin_object *object, kin_error *err);

static int put(kin_test_scene *scene, put_fn *fn, const kin_object *object, kin_error *err)
{
    int code =
        scene->put_code ? refuse(scene, scene->put_code, err) : fn(scene->store, object, err);

    kin_test_latch_raise(&scene->moved);
    return code;
}

static int put_add(const kin_object *object, void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    count(scene, &scene->n_puts);
    if (scene->blocks) {
        kin_test_latch_raise(&scene->inside);
        kin_test_latch_wait(&scene->let_go, 1);
    }
    return put(scene, kin_store_add, object, err);
}

static int put_update(const kin_object *object, void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    count(scene, &scene->n_puts);
    return put(scene, kin_store_update, object, err);
}

static int put_delete(const kin_object *object, void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    count(scene, &scene->n_puts);
    return put(scene, kin_store_delete, object, err);
}

static int replace_begin(kin_replace **ret, void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    return scene->begin_code ? refuse(scene, scene->begin_code, err)
                             : kin_store_replace_begin(scene->store, ret, err);
}

static int resync(void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    count(scene, &scene->n_resyncs);
    return scene->resync_code ? refuse(scene, scene->resync_code, err) : 0;
}

static int bookmark(kin_str version, void *arg, kin_error *err)
{
    kin_test_scene *scene = arg;

    pthread_mutex_lock(&scene->lock);
    snprintf(scene->bookmark, sizeof(scene->bookmark), "%.*s", (int)version.len, version.data);
    pthread_mutex_unlock(&scene->lock);
    return scene->bookmark_code ? refuse(scene, scene->bookmark_code, err)
                                : kin_store_bookmark(scene->store, version, err);
}

/* --- the scene --- */

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

void kin_test_scene_init(kin_test_scene *scene, bool streams)
{
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;

    memset(scene, 0, sizeof(*scene));
    pthread_mutex_init(&scene->lock, NULL);
    kin_test_latch_init(&scene->moved);
    kin_test_latch_init(&scene->inside);
    kin_test_latch_init(&scene->let_go);
    assert_code(kin_clock_new_fake(&scene->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&scene->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    assert_code(kin_store_new(&scene->store, NULL, NULL), 0);
    scene->source = kin_test_source_new(streams);
    into.add = put_add;
    into.update = put_update;
    into.delete_ = put_delete;
    into.replace_begin = replace_begin;
    into.resync = resync;
    into.bookmark = bookmark;
    into.arg = scene;
    scene->into = into;
    options.name = "pods";
    options.logger = scene->logger;
    options.clock = scene->clock;
    options.seed = 1;
    options.backoff_jitter = -1;
    options.error = on_error;
    options.status = on_status;
    options.should_resync = on_should_resync;
    options.arg = scene;
    scene->options = options;
}

void kin_test_scene_make(kin_test_scene *scene)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_reflector_new(&scene->reflector, kin_test_source_list_watch(scene->source),
                                  &scene->into, &scene->options, &err),
                0);
}

void kin_test_scene_begin(kin_test_scene *scene, bool streams)
{
    kin_test_scene_init(scene, streams);
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

void kin_test_scene_done(kin_test_scene *scene)
{
    kin_reflector_free(scene->reflector);
    kin_test_source_free(scene->source);
    kin_store_unref(scene->store);
    kin_logger_unref(scene->logger);
    kin_clock_unref(scene->clock);
    kin_test_latch_done(&scene->moved);
    kin_test_latch_done(&scene->inside);
    kin_test_latch_done(&scene->let_go);
    pthread_mutex_destroy(&scene->lock);
}

/* --- waiting and looking --- */

kin_test_pull *kin_test_await(kin_test_scene *scene, size_t index)
{
    return kin_test_source_await(scene->source, index);
}

kin_test_pull *kin_test_await_list(kin_test_scene *scene, size_t index, const char *version)
{
    kin_test_pull *op = kin_test_await(scene, index);

    assert_true(op->is_list);
    assert_string_equal(op->version, version);
    return op;
}

kin_test_pull *kin_test_await_watch(kin_test_scene *scene, size_t index, const char *version)
{
    kin_test_pull *op = kin_test_await(scene, index);

    assert_false(op->is_list);
    assert_false(op->streams);
    assert_string_equal(op->version, version);
    assert_string_equal(op->match, "");
    assert_true(op->bookmarks);
    return op;
}

kin_test_pull *kin_test_await_stream(kin_test_scene *scene, size_t index, const char *version)
{
    kin_test_pull *op = kin_test_await(scene, index);

    assert_false(op->is_list);
    assert_true(op->streams);
    assert_true(op->bookmarks);
    assert_string_equal(op->version, version);
    assert_string_equal(op->match, "NotOlderThan");
    return op;
}

kin_reflector_status kin_test_status(kin_test_scene *scene)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    assert_code(kin_reflector_get_status(scene->reflector, &status, NULL), 0);
    return status;
}

void kin_test_await_state(kin_test_scene *scene, kin_reflector_state state)
{
    for (;;) {
        unsigned n = kin_test_latch_count(&scene->moved);

        if (kin_test_status(scene).state == state)
            return;
        kin_test_latch_wait(&scene->moved, n + 1);
    }
}

void kin_test_advance_ms(kin_test_scene *scene, int64_t ms)
{
    assert_code(kin_clock_advance(scene->clock, ms * KIN__MILLISECOND, NULL), 0);
}

void kin_test_pass_delay(kin_test_scene *scene, int64_t expected_ms)
{
    size_t n;
    int64_t left;

    kin_test_await_state(scene, KIN_REFLECTOR_BACKING_OFF);
    n = kin_test_source_count(scene->source);
    left = kin_test_status(scene).backoff_until - kin_clock_now(scene->clock);
    assert_int_equal(left, expected_ms * KIN__MILLISECOND);
    assert_code(kin_clock_advance(scene->clock, left - 1, NULL), 0);
    assert_int_equal(kin_test_source_count(scene->source), n);
    assert_int_equal(kin_test_status(scene).state, KIN_REFLECTOR_BACKING_OFF);
    assert_code(kin_clock_advance(scene->clock, 1, NULL), 0);
    kin_test_await(scene, n);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

static void describe(kin_store *store, char *text, size_t size)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    size_t len = 0;

    assert_code(kin_store_list(store, &list, NULL), 0);
    if (list.len > 0)
        qsort(list.items, list.len, sizeof(list.items[0]), by_key);
    text[0] = '\0';
    for (size_t i = 0; i < list.len && len < size; i++) {
        kin_str name = kin_object_name(list.items[i]);
        kin_str version = kin_object_resource_version(list.items[i]);

        len += (size_t)snprintf(text + len, size - len, "%s%.*s:%.*s", i ? " " : "", (int)name.len,
                                name.data, (int)version.len, version.data);
    }
    kin_object_list_done(&list);
}

void kin_test_expect_store(kin_test_scene *scene, const char *pods)
{
    for (;;) {
        unsigned n = kin_test_latch_count(&scene->moved);
        char text[4096];

        describe(scene->store, text, sizeof(text));
        if (strcmp(text, pods) == 0)
            return;
        print_message("\"%s\", not yet \"%s\"\n", text, pods);
        kin_test_latch_wait(&scene->moved, n + 1);
    }
}

void kin_test_expect_version(kin_test_scene *scene, const char *version)
{
    char buf[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    assert_int_equal(kin_reflector_last_version(scene->reflector, buf, sizeof(buf)),
                     strlen(version));
    assert_string_equal(buf, version);
}

void kin_test_stop(kin_test_scene *scene)
{
    kin_reflector_stop(scene->reflector);
    assert_code(kin_reflector_wait(scene->reflector, -1, NULL), 0);
    assert_int_equal(kin_test_status(scene).state, KIN_REFLECTOR_STOPPED);
}

size_t kin_test_errors(kin_test_scene *scene)
{
    pthread_mutex_lock(&scene->lock);
    size_t n = scene->n_errors;
    pthread_mutex_unlock(&scene->lock);
    return n;
}

size_t kin_test_failures(kin_test_scene *scene, kin_failed_operation *ret_last)
{
    pthread_mutex_lock(&scene->lock);
    size_t n = scene->n_failures;
    *ret_last = scene->last_failed;
    pthread_mutex_unlock(&scene->lock);
    return n;
}
