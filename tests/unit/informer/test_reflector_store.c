/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What reflectors can feed: every store and queue gets the same changes, and a list with gaps.
 */
#include <string.h>

#include "kinform/reflector.h"
#include "reflector_support.h"

/* What a consumer of the queue has in the end. */
static kin_store *consumer;
static unsigned n_resynced;

static int apply(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    (void)is_initial_list;
    (void)arg;
    for (size_t i = 0; i < deltas->len; i++) {
        const kin_delta *delta = &deltas->items[i];
        const kin_object *const *items = NULL;
        kin_replace *replace = NULL;
        size_t n = 0;

        switch (delta->type) {
        case KIN_DELTA_DELETED:
            assert_code(kin_store_delete_key(consumer, deltas->key, err), 0);
            break;
        case KIN_DELTA_REPLACED_ALL:
            assert_code(kin_delta_list(delta, &items, &n, err), 0);
            assert_code(kin_store_replace_begin(consumer, &replace, err), 0);
            for (size_t j = 0; j < n; j++)
                assert_code(kin_replace_add(replace, items[j], err), 0);
            if (kin_delta_list_keeps_missing(delta))
                kin_replace_keep_missing(replace);
            assert_code(kin_replace_commit(replace, kin_delta_resource_version(delta), err), 0);
            break;
        case KIN_DELTA_SYNC_ALL:
        case KIN_DELTA_SYNC:
            n_resynced++;
            break;
        case KIN_DELTA_BOOKMARK:
            break;
        default:
            assert_false(kin_delta_list_keeps_missing(delta));
            assert_code(kin_store_add(consumer, delta->object, err), 0);
        }
    }
    return 0;
}

static void put(const kin_reflector_store *into,
                int (*fn)(const kin_object *object, void *arg, kin_error *err), const char *pod)
{
    const kin_object *object = kin_test_pod(pod);
    kin_error err = KIN_ERROR_INIT;

    assert_code(fn(object, into->arg, &err), 0);
    kin_object_unref(object);
}

static void list(const kin_reflector_store *into, const char *const *pods, bool keeps)
{
    kin_replace *replace = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(into->replace_begin(&replace, into->arg, &err), 0);
    for (; *pods; pods++) {
        const kin_object *object = kin_test_pod(*pods);

        assert_code(kin_replace_add(replace, object, &err), 0);
        kin_object_unref(object);
    }
    if (keeps)
        kin_replace_keep_missing(replace);
    assert_code(kin_replace_commit(replace, kin_str_of("10"), &err), 0);
}

static void expect(kin_store *store, const char *pods)
{
    kin_test_scene scene = {.store = store};

    kin_test_expect_store(&scene, pods);
}

/* All functions; `look` sees what has become of it. */
static void feed(const kin_reflector_store *into, void (*look)(void *target, const char *pods),
                 void *target)
{
    static const char *const first[] = {"a:1", "b:2", "x:1", NULL};
    static const char *const gaps[] = {"a:9", "d:8", NULL};
    static const char *const last[] = {"d:8", NULL};
    kin_error err = KIN_ERROR_INIT;

    list(into, first, false);
    look(target, "a:1 b:2 x:1");
    put(into, into->add, "c:3");
    put(into, into->update, "a:4");
    put(into, into->delete_, "b:5");
    look(target, "a:4 c:3 x:1");
    list(into, gaps, true);
    look(target, "a:9 c:3 d:8 x:1");
    if (into->bookmark)
        assert_code(into->bookmark(kin_str_of("12"), into->arg, &err), 0);
    assert_code(into->resync(into->arg, &err), 0);
    look(target, "a:9 c:3 d:8 x:1");
    list(into, last, false);
    look(target, "d:8");
}

static void look_at_store(void *target, const char *pods)
{
    expect(target, pods);
}

static void a_store(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_store *store = NULL;
    char version[32];

    (void)state;
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_reflector_store(&into, store), 0);
    feed(&into, look_at_store, store);
    put(&into, into.add, "e:20");
    assert_code(into.bookmark(kin_str_of("21"), into.arg, NULL), 0);
    assert_int_equal(kin_store_resource_version(store, version, sizeof(version)), 2);
    assert_string_equal(version, "21");
    kin_store_unref(store);
}

static void drain_delta_fifo(void *target, const char *pods)
{
    while (kin_delta_fifo_pop(target, apply, NULL, 0, NULL) == 0)
        ;
    expect(consumer, pods);
}

static void a_delta_fifo(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known;
    kin_delta_fifo *fifo = NULL;

    (void)state;
    assert_code(kin_store_new(&consumer, NULL, NULL), 0);
    known = kin_store_known_objects(consumer);
    options.known = &known;
    options.emit_replaced = true;
    assert_code(kin_delta_fifo_new(&fifo, &options, NULL), 0);
    assert_code(kin_delta_fifo_reflector_store(&into, fifo), 0);
    assert_null(into.bookmark);
    n_resynced = 0;
    feed(&into, drain_delta_fifo, fifo);
    assert_true(n_resynced >= 4);
    kin_delta_fifo_free(fifo);
    kin_store_unref(consumer);
}

static void drain_ordered_fifo(void *target, const char *pods)
{
    while (kin_ordered_fifo_pop(target, apply, NULL, 0, NULL) == 0)
        ;
    expect(consumer, pods);
}

static void an_ordered_fifo(void **state)
{
    (void)state;
    for (int atomic = 0; atomic < 2; atomic++) {
        kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        kin_known_objects known;
        kin_ordered_fifo *fifo = NULL;

        assert_code(kin_store_new(&consumer, NULL, NULL), 0);
        known = kin_store_known_objects(consumer);
        options.known = atomic ? NULL : &known;
        options.emit_bookmarks = atomic;
        assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
        assert_code(kin_ordered_fifo_reflector_store(&into, fifo), 0);
        n_resynced = 0;
        feed(&into, drain_ordered_fifo, fifo);
        assert_int_equal(n_resynced, atomic ? 1 : 4);
        kin_ordered_fifo_free(fifo);
        kin_store_unref(consumer);
    }
}

static void look_at_fifo(void *target, const char *pods)
{
    kin_object_list all = KIN_OBJECT_LIST_INIT;
    kin_store *copy = NULL;

    assert_code(kin_fifo_list(target, &all, NULL), 0);
    assert_code(kin_store_new(&copy, NULL, NULL), 0);
    for (size_t i = 0; i < all.len; i++)
        assert_code(kin_store_add(copy, all.items[i], NULL), 0);
    expect(copy, pods);
    kin_object_list_done(&all);
    kin_store_unref(copy);
}

static void a_fifo(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_fifo *fifo = NULL;

    (void)state;
    assert_code(kin_fifo_new(&fifo, NULL, NULL), 0);
    assert_code(kin_fifo_reflector_store(&into, fifo), 0);
    feed(&into, look_at_fifo, fifo);
    kin_fifo_free(fifo);
}

static void look_at_expiring_store(void *target, const char *pods)
{
    kin_object_list all = KIN_OBJECT_LIST_INIT;
    kin_store *copy = NULL;

    assert_code(kin_expiring_store_list(target, &all, NULL), 0);
    assert_code(kin_store_new(&copy, NULL, NULL), 0);
    for (size_t i = 0; i < all.len; i++)
        assert_code(kin_store_add(copy, all.items[i], NULL), 0);
    expect(copy, pods);
    kin_object_list_done(&all);
    kin_store_unref(copy);
}

static void an_expiring_store(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_expiring_store *store = NULL;

    (void)state;
    assert_code(kin_expiring_store_new(&store, NULL, NULL), 0);
    assert_code(kin_expiring_store_reflector_store(&into, store), 0);
    feed(&into, look_at_expiring_store, store);
    kin_expiring_store_unref(store);
}

/* What the last push had. */
static void push(const kin_object_list *objects, void *arg)
{
    (void)arg;
    kin_store_unref(consumer);
    consumer = NULL;
    assert_code(kin_store_new(&consumer, NULL, NULL), 0);
    for (size_t i = 0; i < objects->len; i++)
        assert_code(kin_store_add(consumer, objects->items[i], NULL), 0);
}

static void look_at_push(void *target, const char *pods)
{
    (void)target;
    expect(consumer, pods);
}

static void an_undelta_store(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    kin_undelta_store *store = NULL;

    (void)state;
    consumer = NULL;
    options.push = push;
    assert_code(kin_undelta_store_new(&store, &options, NULL), 0);
    assert_code(kin_undelta_store_reflector_store(&into, store), 0);
    feed(&into, look_at_push, store);
    kin_undelta_store_unref(store);
    kin_store_unref(consumer);
}

static void wrong_arguments_are_refused(void **state)
{
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;
    kin_store *store = NULL;

    (void)state;
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    assert_code(kin_store_reflector_store(NULL, store), KIN_EINVAL);
    assert_code(kin_store_reflector_store(&into, NULL), KIN_EINVAL);
    assert_null(into.add);
    into.size = 0;
    assert_code(kin_store_reflector_store(&into, store), KIN_EINVAL);
    kin_replace_keep_missing(NULL);
    assert_false(kin_delta_list_keeps_missing(NULL));
    kin_store_unref(store);
}

/* --- through a reflector --- */

/* What is called "bad" is refused. */
static int refuse_bad(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)arg;
    if (kin_str_equal(kin_object_name(object), kin_str_of("bad")))
        return kin_error_set(err, KIN_EINVAL, "it is bad");
    *ret = kin_object_ref(object);
    return 0;
}

/* One object that the store refuses is skipped; nothing that the list lacks is taken for deleted. */
static void a_list_with_a_bad_object_deletes_nothing(void **state)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_test_scene scene;

    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        kin_test_pull *op;

        kin_test_scene_init(&scene, streams);
        kin_store_unref(scene.store);
        options.transform = refuse_bad;
        assert_code(kin_store_new(&scene.store, &options, NULL), 0);
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        op = kin_test_await(&scene, 0);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
            kin_test_pull_event(op, KIN_WATCH_ADDED, "bad:2");
            kin_test_pull_event(op, KIN_WATCH_ADDED, "c:3");
            kin_test_pull_bookmark(op, "10", true);
        } else {
            kin_test_pull_list(op, "10", "a:1 bad:2 c:3");
            op = kin_test_await(&scene, 1);
        }
        kin_test_expect_store(&scene, "a:1 c:3");
        assert_int_equal(kin_test_status(&scene).skipped, 1);
        kin_test_pull_error_event(op, &expired);
        kin_test_pass_delay(&scene, 800);
        op = kin_test_await(&scene, op->index + 1);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "bad:12");
            kin_test_pull_event(op, KIN_WATCH_ADDED, "c:13");
            kin_test_pull_bookmark(op, "20", true);
        } else {
            kin_test_pull_list(op, "20", "bad:12 c:13");
            op = kin_test_await(&scene, op->index + 1);
        }
        kin_test_expect_store(&scene, "a:1 c:13");
        kin_test_pull_error_event(op, &expired);
        kin_test_pass_delay(&scene, 1600);
        /* A list without gaps says again what is gone. */
        op = kin_test_await(&scene, op->index + 1);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "c:13");
            kin_test_pull_bookmark(op, "30", true);
        } else {
            kin_test_pull_list(op, "30", "c:13");
            kin_test_await(&scene, op->index + 1);
        }
        kin_test_expect_store(&scene, "c:13");
        assert_int_equal(kin_test_status(&scene).skipped, 2);
        assert_int_equal(kin_test_status(&scene).lists, 3);
        kin_test_scene_done(&scene);
    }
}

static int count_transform(const kin_object *object, const kin_object **ret, void *arg,
                           kin_error *err)
{
    (void)err;
    ++*(unsigned *)arg;
    *ret = kin_object_ref(object);
    return 0;
}

/* Once per object, however it comes: a transformer need not bear to see what it has made. */
static void transformers_run_once(void **state)
{
    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        kin_store_options options = KIN_STORE_OPTIONS_INIT;
        kin_test_scene scene;
        kin_test_pull *op;
        unsigned n = 0;

        kin_test_scene_init(&scene, streams);
        kin_store_unref(scene.store);
        options.transform = count_transform;
        options.transform_arg = &n;
        assert_code(kin_store_new(&scene.store, &options, NULL), 0);
        kin_test_scene_make(&scene);
        assert_code(kin_reflector_start(scene.reflector, NULL), 0);
        op = kin_test_await(&scene, 0);
        if (streams) {
            kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1");
            kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2");
            kin_test_pull_bookmark(op, "10", true);
        } else {
            kin_test_pull_list(op, "10", "a:1 b:2");
            op = kin_test_await_watch(&scene, 1, "10");
        }
        assert_int_equal(n, 2);
        kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:11");
        assert_int_equal(n, 3);
        kin_test_scene_done(&scene);
    }
}

/* What cannot even be read is skipped, unless it says that something is gone. */
static void objects_that_cannot_be_read_are_skipped(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    kin_test_pull_list(kin_test_await(&scene, 0), "10", "a:1 b:2");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_bad(op, KIN_WATCH_ADDED, ""), 0);
    assert_code(kin_test_pull_bad(op, KIN_WATCH_MODIFIED, ""), 0);
    kin_test_expect_version(&scene, "10");
    kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12");
    assert_int_equal(kin_test_status(&scene).skipped, 2);
    assert_code(kin_test_pull_bad(op, KIN_WATCH_DELETED, ""), KIN_EPARSE);
    kin_test_pull_close(op);
    kin_test_pass_delay(&scene, 800);
    op = kin_test_await_list(&scene, 2, "12");
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_EPARSE);
    kin_test_pull_item(op, "a:12");
    assert_code(kin_test_pull_bad(op, (enum kin_watch_type)0, ""), 0);
    kin_test_pull_list_done(op, "20", NULL);
    kin_test_await_watch(&scene, 3, "20");
    kin_test_expect_store(&scene, "a:12 b:2");
    assert_int_equal(kin_test_status(&scene).skipped, 3);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store),
        cmocka_unit_test(a_delta_fifo),
        cmocka_unit_test(an_ordered_fifo),
        cmocka_unit_test(a_fifo),
        cmocka_unit_test(an_expiring_store),
        cmocka_unit_test(an_undelta_store),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_list_with_a_bad_object_deletes_nothing),
        cmocka_unit_test(transformers_run_once),
        cmocka_unit_test(objects_that_cannot_be_read_are_skipped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
