/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Plain informers: a store that follows its source, and one handler that is told what changes in it.
 */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "kin_test.h"
#include "kinform/controller.h"
#include "listener_support.h"
#include "source.h"

struct fixture {
    kin_clock *clock;
    kin_test_source *source;
    kin_store *store;
    kin_controller *controller;
    kin_test_handler handler;
    kin_plain_informer_options options;
    kin_reflector_options reflector;
    unsigned n_transformed; /* atomic */
};

static struct fixture *begin(kin_informer_queue queue)
{
    struct fixture *f = calloc(1, sizeof(*f));

    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    f->source = kin_test_source_new(false);
    f->reflector = (kin_reflector_options)KIN_REFLECTOR_OPTIONS_INIT;
    f->reflector.name = "pods";
    f->reflector.clock = f->clock;
    f->reflector.seed = 1;
    f->reflector.backoff_jitter = -1;
    f->options = (kin_plain_informer_options)KIN_PLAIN_INFORMER_OPTIONS_INIT;
    f->options.queue = queue;
    f->options.reflector = &f->reflector;
    f->options.arg_free = kin_test_handler_freed;
    kin_test_handler_init(&f->handler);
    return f;
}

static void make(struct fixture *f)
{
    assert_code(kin_controller_new_informer(&f->controller, &f->store,
                                            kin_test_source_list_watch(f->source), kin_test_handle,
                                            &f->handler, &f->options, NULL),
                0);
}

/* The first list is there, and the watch behind it has begun. */
static kin_test_pull *start(struct fixture *f, const char *version, const char *pods)
{
    assert_code(kin_controller_start(f->controller, NULL), 0);
    kin_test_pull_list(kin_test_source_await(f->source, 0), version, pods);
    assert_code(kin_controller_wait_synced(f->controller, -1, NULL), 0);
    return kin_test_source_await(f->source, 1);
}

static void end(struct fixture *f)
{
    kin_controller_free(f->controller);
    kin_test_latch_wait(&f->handler.freed, 1);
    kin_test_source_free(f->source);
    kin_store_unref(f->store);
    kin_test_handler_done(&f->handler);
    kin_clock_unref(f->clock);
    free(f);
}

static void expect_version(struct fixture *f, const char *name, const char *version)
{
    char key[64];
    const kin_object *pod = NULL;

    snprintf(key, sizeof(key), "default/%s", name);
    assert_code(kin_store_get(f->store, &pod, kin_str_of(key), NULL), 0);
    assert_true(kin_str_equal(kin_object_resource_version(pod), kin_str_of(version)));
    kin_object_unref(pod);
}

/* So many keys are out of the queue: what is in flight is not told again by a resync. */
static void await_processed(struct fixture *f, uint64_t n)
{
    kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;

    while (status.processed < n) {
        sched_yield();
        assert_code(kin_controller_get_status(f->controller, &status, NULL), 0);
    }
}

/* When the handler is told, the store has it. */
static void look(void *arg)
{
    struct fixture *f = arg;

    assert_true(kin_store_len(f->store) > 0);
}

#define WITH_EACH_QUEUE(queue)                                                                     \
    for (kin_informer_queue queue = KIN_QUEUE_DELTA_FIFO; queue <= KIN_QUEUE_ORDERED; queue++)

static void it_follows_its_source(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        struct fixture *f = begin(queue);
        kin_test_pull *watch;

        f->handler.during = look;
        f->handler.during_arg = f;
        make(f);
        watch = start(f, "5", "a:1 b:2");
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
        kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:8");
        kin_test_assert_told(&f->handler, 5, "+a1! +b2! ~a1>6 -b7 +c8 ");
        assert_int_equal(kin_store_len(f->store), 2);
        expect_version(f, "a", "6");
        end(f);
    }
}

/* client-go's ExampleNewInformer: what is seen is deleted, and the deletions are told. */
static void deletions_are_told(void **context)
{
    struct fixture *f = begin(KIN_QUEUE_DELTA_FIFO);
    kin_test_pull *watch;

    (void)context;
    make(f);
    watch = start(f, "5", "a:1 b:2 c:3");
    kin_test_latch_wait(&f->handler.calls, 3);
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "c:6");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:7");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:8");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "nobody:9");
    kin_test_assert_told(&f->handler, 6, "+a1! +b2! +c3! -c6 -a7 -b8 ");
    assert_int_equal(kin_store_len(f->store), 0);
    end(f);
}

/* Whatever a change is called: the store's content decides what it is. */
static void the_store_decides_what_a_change_is(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        struct fixture *f = begin(queue);
        kin_test_pull *watch;

        f->reflector.resync_ms = 10000;
        make(f);
        watch = start(f, "5", "a:1");
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:6");
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "b:7");
        kin_test_latch_wait(&f->handler.calls, 3);
        kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:8");
        kin_test_latch_wait(&f->handler.calls, 4);
        kin_test_pull_event(watch, KIN_WATCH_ADDED, "a:9");
        kin_test_latch_wait(&f->handler.calls, 5);
        kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:10");
        kin_test_latch_wait(&f->handler.calls, 6);
        assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(f->clock, 10 * KIN__SECOND, NULL), 0);
        kin_test_assert_told(&f->handler, 7, "+a1! ~a1>6 +b7 -a8 +a9 -a10 ~b7>7= ");
        end(f);
    }
}

/* The watch is told that its version is gone: a list replaces all, and is not initial any more. */
static void a_new_list_is_told_as_changes(void **context)
{
    static const char *const expected[] = {
        "+a1! +b2! ~a1>6 +c8 -b2? ",
        "+a1! +b2! -b2? ~a1>6 +c8 ",
    };
    static const kin_test_failure_of gone = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired", .message = "too old"};

    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        struct fixture *f = begin(queue);
        kin_test_pull *list;
        kin_test_pull *watch;

        make(f);
        watch = start(f, "5", "a:1 b:2");
        kin_test_latch_wait(&f->handler.calls, 2);
        kin_test_pull_error_event(watch, &gone);
        assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(f->clock, KIN__SECOND, NULL), 0);
        list = kin_test_source_await(f->source, 2);
        assert_string_equal(list->version, "5");
        kin_test_pull_list(list, "9", "a:6 c:8");
        kin_test_assert_told(&f->handler, 5, expected[queue]);
        assert_int_equal(kin_store_len(f->store), 2);
        expect_version(f, "a", "6");
        expect_version(f, "c", "8");
        end(f);
    }
}

/* --- transforming --- */

static int transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    struct fixture *f = arg;
    char json[256];
    kin_str name = kin_object_name(object);
    kin_str version = kin_object_resource_version(object);

    __atomic_fetch_add(&f->n_transformed, 1, __ATOMIC_RELAXED);
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%.*s\",\"resourceVersion\":"
             "\"%.*s00\"}}",
             (int)name.len, name.data, (int)version.len, version.data);
    return kin_object_from_json(ret, kin_str_of(json), NULL, err);
}

static void what_comes_in_is_transformed_once(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        struct fixture *f = begin(queue);
        kin_test_pull *watch;

        f->options.transform = transform;
        f->options.transform_arg = f;
        f->reflector.resync_ms = 10000;
        make(f);
        watch = start(f, "5", "a:1");
        kin_test_latch_wait(&f->handler.calls, 1);
        kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
        kin_test_latch_wait(&f->handler.calls, 2);
        for (unsigned i = 0; i < 3; i++) {
            await_processed(f, 2 + i);
            assert_code(kin_clock_await_waiters(f->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
            assert_code(kin_clock_advance(f->clock, 10 * KIN__SECOND, NULL), 0);
            kin_test_latch_wait(&f->handler.calls, 3 + i);
        }
        kin_test_pull_event(watch, KIN_WATCH_DELETED, "a:7");
        kin_test_assert_told(&f->handler, 6,
                             "+a100! ~a100>600 ~a600>600= ~a600>600= ~a600>600= -a700 ");
        /* The list, the change and the deletion; no resync. */
        assert_int_equal(__atomic_load_n(&f->n_transformed, __ATOMIC_RELAXED), 3);
        end(f);
    }
}

/* --- versions --- */

static void await_store_version(struct fixture *f, const char *expected)
{
    char version[32] = "";

    while (strcmp(version, expected) != 0) {
        sched_yield();
        kin_store_resource_version(f->store, version, sizeof(version));
    }
}

static int strip(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    char json[256];
    kin_str name = kin_object_name(object);

    (void)arg;
    snprintf(json, sizeof(json), "{\"metadata\":{\"namespace\":\"default\",\"name\":\"%.*s\"}}",
             (int)name.len, name.data);
    return kin_object_from_json(ret, kin_str_of(json), NULL, err);
}

/* Of lists, changes, deletions and bookmarks; also if the objects have none. */
static void the_store_knows_its_version(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        for (int strips = 0; strips <= 1; strips++) {
            struct fixture *f = begin(queue);
            kin_test_pull *watch;

            f->options.transform = strips ? strip : NULL;
            make(f);
            watch = start(f, "5", "a:1 b:2");
            await_store_version(f, "5");
            kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
            await_store_version(f, "6");
            kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
            await_store_version(f, "7");
            kin_test_pull_bookmark(watch, "19", false);
            await_store_version(f, "19");
            end(f);
        }
    }
}

/* --- keys and indexes --- */

static int by_name(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    *ret = kin_object_name(object);
    return 0;
}

static void it_has_keys_and_indexes(void **context)
{
    struct fixture *f = begin(KIN_QUEUE_DELTA_FIFO);
    kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)context;
    f->options.key = by_name;
    make(f);
    assert_code(kin_store_add_indexes(f->store, &index, 1, NULL), 0);
    kin_test_pull_event(start(f, "5", "a:1 b:2"), KIN_WATCH_DELETED, "a:6");
    kin_test_assert_told(&f->handler, 3, "+a1! +b2! -a6 ");
    assert_code(kin_store_get(f->store, NULL, kin_str_of("b"), NULL), 0);
    assert_code(kin_store_by_index(f->store, &list, kin_str_of(KIN_NAMESPACE_INDEX),
                                   kin_str_of("default"), NULL),
                0);
    assert_int_equal(list.len, 1);
    kin_object_list_done(&list);
    end(f);
}

/* --- what is left out, and what makes no sense --- */

static void nobody_needs_to_be_told(void **context)
{
    struct fixture *f = begin(KIN_QUEUE_ORDERED);
    kin_list_watch *source = kin_test_source_list_watch(f->source);
    kin_controller *controller = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)context;
    assert_code(kin_controller_new_informer(NULL, NULL, source, NULL, NULL, NULL, &err),
                KIN_EINVAL);
    assert_code(kin_controller_new_informer(&controller, NULL, NULL, NULL, NULL, NULL, &err),
                KIN_EINVAL);
    assert_code(kin_controller_new_informer(&controller, NULL, source, NULL, f, NULL, &err),
                KIN_EINVAL);
    f->options.queue = (kin_informer_queue)2;
    assert_code(kin_controller_new_informer(&controller, NULL, source, kin_test_handle, &f->handler,
                                            &f->options, &err),
                KIN_EINVAL);
    f->options.queue = KIN_QUEUE_ORDERED;
    f->reflector.page_size = -1;
    assert_code(kin_controller_new_informer(&controller, NULL, source, kin_test_handle, &f->handler,
                                            &f->options, &err),
                KIN_EINVAL);
    f->reflector.page_size = 0;
    assert_null(controller);
    assert_code(kin_controller_new_informer(&f->controller, NULL, source, NULL, NULL, NULL, &err),
                0);
    assert_code(kin_controller_start(f->controller, NULL), 0);
    kin_test_pull_list(kin_test_source_await(f->source, 0), "5", "a:1 b:2");
    assert_code(kin_controller_wait_synced(f->controller, -1, NULL), 0);
    kin_controller_free(f->controller);
    make(f); /* nobody has released the argument before */
    end(f);
}

/* --- freed by its handler --- */

static void free_it(void *arg)
{
    struct fixture *f = arg;

    kin_controller_free(f->controller);
    f->controller = NULL;
}

/* Also of the batch that is being told. */
static void who_frees_it_is_told_nothing_more(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    {
        struct fixture *f = begin(queue);

        f->handler.during = free_it;
        f->handler.during_arg = f;
        make(f);
        assert_code(kin_controller_start(f->controller, NULL), 0);
        kin_test_pull_list(kin_test_source_await(f->source, 0), "5", "a:1 b:2 c:3");
        kin_test_latch_wait(&f->handler.freed, 1);
        kin_test_assert_told(&f->handler, 1, "+a1! ");
        assert_int_equal(kin_store_len(f->store), 3);
        end(f);
    }
}

/* --- hammered --- */

enum { NAMES = 8, CHANGES = 3000 };

/* What the handler was told, replayed: the version of each, 0 if it is not there. */
struct replay {
    unsigned versions[NAMES]; /* (strand) */
    bool is_wrong; /* (strand) an addition of what was there, or another of what was not */
    struct fixture *f;
    int stop; /* atomic */
};

static unsigned version_of(const kin_object *object)
{
    kin_str version = kin_object_resource_version(object);

    return version.len ? (unsigned)strtoul(version.data, NULL, 10) : 0;
}

static void replay_event(const kin_event *event, void *arg)
{
    struct replay *replay = arg;
    unsigned *known = &replay->versions[kin_object_name(event->object).data[0] - 'a'];

    if ((event->type == KIN_EVENT_ADD) != (*known == 0))
        replay->is_wrong = true;
    if (event->type == KIN_EVENT_UPDATE && version_of(event->old_object) != *known)
        replay->is_wrong = true;
    *known = event->type == KIN_EVENT_DELETE ? 0 : version_of(event->object);
}

static void *bother(void *arg)
{
    struct replay *replay = arg;
    kin_controller *controller = replay->f->controller;

    while (!__atomic_load_n(&replay->stop, __ATOMIC_ACQUIRE)) {
        kin_controller_status status = KIN_CONTROLLER_STATUS_INIT;
        kin_object_list list = KIN_OBJECT_LIST_INIT;
        char version[32];

        kin_controller_wake(controller);
        kin_controller_has_synced(controller);
        kin_controller_last_version(controller, version, sizeof(version));
        assert_code(kin_controller_get_status(controller, &status, NULL), 0);
        assert_code(kin_store_list(replay->f->store, &list, NULL), 0);
        kin_object_list_done(&list);
    }
    return NULL;
}

/* What the source has: one of the names changes. */
static void change(kin_test_pull *watch, unsigned *versions, unsigned version, unsigned random)
{
    unsigned name = random % NAMES;
    bool is_there = versions[name] > 0;
    bool deletes = is_there && random / NAMES % 3 == 0;
    char pod[32];

    snprintf(pod, sizeof(pod), "%c:%u", (char)('a' + name), version);
    assert_code(kin_test_pull_event(watch,
                                    deletes    ? KIN_WATCH_DELETED
                                    : is_there ? KIN_WATCH_MODIFIED
                                               : KIN_WATCH_ADDED,
                                    pod),
                0);
    versions[name] = deletes ? 0 : version;
}

static void hammer(kin_informer_queue queue)
{
    struct fixture *f = begin(queue);
    struct replay replay = {.f = f};
    unsigned versions[NAMES] = {0};
    unsigned seed = 7;
    pthread_t threads[2];
    kin_test_pull *watch;
    char last[32];

    f->options.arg_free = NULL;
    f->options.max_batch = 4;
    f->reflector.resync_ms = 1000;
    assert_code(kin_controller_new_informer(&f->controller, &f->store,
                                            kin_test_source_list_watch(f->source), replay_event,
                                            &replay, &f->options, NULL),
                0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, bother, &replay), 0);
    assert_false(kin_controller_has_synced(f->controller));
    watch = start(f, "5", "");
    for (unsigned i = 0; i < CHANGES; i++) {
        seed = seed * 1103515245u + 12345u;
        change(watch, versions, 10 + i, seed >> 8);
        if (i % 50 == 0)
            assert_code(kin_clock_advance(f->clock, KIN__SECOND, NULL), 0);
    }
    snprintf(last, sizeof(last), "%d", 9 + CHANGES);
    await_store_version(f, last);
    __atomic_store_n(&replay.stop, 1, __ATOMIC_RELEASE);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    kin_controller_free(f->controller);
    f->controller = NULL;
    assert_false(replay.is_wrong);
    assert_memory_equal(replay.versions, versions, sizeof(versions));
    for (unsigned i = 0; i < NAMES; i++) {
        char key[16];

        snprintf(key, sizeof(key), "default/%c", (char)('a' + i));
        assert_code(kin_store_get(f->store, NULL, kin_str_of(key), NULL),
                    versions[i] ? 0 : KIN_ENOTFOUND);
    }
    kin_test_latch_raise(&f->handler.freed);
    end(f);
}

static void it_can_be_hammered(void **context)
{
    (void)context;
    WITH_EACH_QUEUE(queue)
    hammer(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_follows_its_source),
        cmocka_unit_test(deletions_are_told),
        cmocka_unit_test(the_store_decides_what_a_change_is),
        cmocka_unit_test(a_new_list_is_told_as_changes),
        cmocka_unit_test(what_comes_in_is_transformed_once),
        cmocka_unit_test(the_store_knows_its_version),
        cmocka_unit_test(it_has_keys_and_indexes),
        cmocka_unit_test(nobody_needs_to_be_told),
        cmocka_unit_test(who_frees_it_is_told_nothing_more),
        cmocka_unit_test(it_can_be_hammered),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
