/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors: the metrics, under client-go's names.
 */
#include <sched.h>
#include <string.h>

#include "base/clock.h"
#include "reflector_support.h"

/* What a reflector has told; one at a time, but from several threads. */
struct metrics {
    pthread_mutex_t lock;
    const char *name; /* of the reflector */
    unsigned lists;
    unsigned watches;
    unsigned short_watches;
    unsigned n_list_seconds;
    double list_seconds;
    double list_items;
    unsigned n_watch_seconds;
    double watch_seconds;
    double watch_items;
    double version;
    unsigned n_versions;
    unsigned n_doubts; /* how often it was called */
    double in_doubt;
    unsigned n_freed;
    bool is_inside;
    kin_reflector *victim; /* is freed by whoever is told next */
};

static struct metrics *enter(const char *name, void *arg)
{
    struct metrics *m = arg;

    pthread_mutex_lock(&m->lock);
    assert_false(m->is_inside);
    m->is_inside = true;
    assert_string_equal(name, m->name);
    return m;
}

static void leave(struct metrics *m)
{
    kin_reflector *victim = m->victim;

    m->victim = NULL;
    m->is_inside = false;
    pthread_mutex_unlock(&m->lock);
    kin_reflector_free(victim);
}

static void on_list(const char *name, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->lists++;
    leave(m);
}

static void on_list_seconds(const char *name, double seconds, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->n_list_seconds++;
    m->list_seconds = seconds;
    leave(m);
}

static void on_list_items(const char *name, double items, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->list_items = items;
    leave(m);
}

static void on_watch(const char *name, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->watches++;
    leave(m);
}

static void on_short_watch(const char *name, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->short_watches++;
    leave(m);
}

static void on_watch_seconds(const char *name, double seconds, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->n_watch_seconds++;
    m->watch_seconds = seconds;
    leave(m);
}

static void on_watch_items(const char *name, double items, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->watch_items = items;
    leave(m);
}

static void on_version(const char *name, double version, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->n_versions++;
    m->version = version;
    leave(m);
}

static void on_doubt(const char *name, double in_doubt, void *arg)
{
    struct metrics *m = enter(name, arg);

    m->n_doubts++;
    m->in_doubt = in_doubt;
    leave(m);
}

/* Raised by a thread that may be in it still when the test goes on: so it stays. */
static kin_test_latch gone;

static void on_free(void *arg)
{
    ((struct metrics *)arg)->n_freed++;
    kin_test_latch_raise(&gone);
}

static const kin_reflector_metrics all_metrics = {
    sizeof(all_metrics), on_list,          on_list_seconds, on_list_items, on_watch,
    on_short_watch,      on_watch_seconds, on_watch_items,  on_version,    on_doubt};

static void measure(kin_test_scene *scene, struct metrics *m, bool streams)
{
    memset(m, 0, sizeof(*m));
    pthread_mutex_init(&m->lock, NULL);
    m->name = "pods";
    kin_test_scene_init(scene, streams);
    scene->options.metrics = &all_metrics;
    scene->options.metrics_arg = m;
    scene->options.metrics_arg_free = on_free;
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

static void done(kin_test_scene *scene, struct metrics *m)
{
    assert_int_equal(m->n_freed, scene->reflector ? 0 : 1);
    kin_test_scene_done(scene);
    assert_int_equal(m->n_freed, 1);
    pthread_mutex_destroy(&m->lock);
}

/* A copy of what was told, without waiting: for when it must have been. */
static struct metrics look(struct metrics *m)
{
    struct metrics now;

    pthread_mutex_lock(&m->lock);
    now = *m;
    pthread_mutex_unlock(&m->lock);
    return now;
}

#define assert_value(actual, expected) assert_true((actual) == (double)(expected))

static void metrics_are_those_of_client_go(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;
    struct metrics now;

    (void)state;
    measure(&scene, &m, false);
    op = kin_test_await_list(&scene, 0, "0");
    now = look(&m);
    assert_int_equal(now.lists, 1);
    assert_int_equal(now.n_list_seconds, 0);
    kin_test_pull_item(op, "a:1");
    kin_test_advance_ms(&scene, 1500);
    kin_test_pull_list_done(op, "10", "next");
    op = kin_test_await_list(&scene, 1, "");
    kin_test_advance_ms(&scene, 500);
    /* What cannot be read was in the list, too. */
    assert_code(kin_test_pull_bad(op, (enum kin_watch_type)0, "default/c"), 0);
    kin_test_pull_list(op, "11", "b:2");
    op = kin_test_await_watch(&scene, 2, "10");
    now = look(&m);
    assert_int_equal(now.lists, 1); /* pages are no lists */
    assert_int_equal(now.n_list_seconds, 1);
    assert_value(now.list_seconds, 2);
    assert_value(now.list_items, 3);
    assert_value(now.version, 10);
    assert_int_equal(now.watches, 1);
    assert_int_equal(now.n_watch_seconds, 0);

    assert_code(kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12"), 0);
    assert_value(look(&m).version, 12);
    assert_code(kin_test_pull_bookmark(op, "20", false), 0);
    assert_value(look(&m).version, 20);
    kin_test_advance_ms(&scene, 30000);
    kin_test_pull_close(op);
    op = kin_test_await_watch(&scene, 3, "20");
    now = look(&m);
    assert_int_equal(now.watches, 2);
    assert_int_equal(now.n_watch_seconds, 1);
    assert_value(now.watch_seconds, 30);
    assert_value(now.watch_items, 2);
    assert_int_equal(now.short_watches, 0);

    kin_test_pull_close(op); /* at once, and with nothing */
    kin_test_pass_delay(&scene, 800);
    now = look(&m);
    assert_int_equal(now.short_watches, 1);
    assert_int_equal(now.n_watch_seconds, 2);
    assert_value(now.watch_seconds, 0);
    assert_value(now.watch_items, 0);
    assert_int_equal(now.lists, 2);
    done(&scene, &m);
}

static void what_failed_is_counted_and_not_measured(void **state)
{
    const kin_test_failure_of broken = {.code = KIN_ESERVER, .http_status = 503};
    const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};
    kin_test_scene scene;
    struct metrics m;
    struct metrics now;

    (void)state;
    measure(&scene, &m, false);
    kin_test_pull_fail(kin_test_await_list(&scene, 0, "0"), &broken, false);
    kin_test_pass_delay(&scene, 800);
    now = look(&m);
    assert_int_equal(now.lists, 2);
    assert_int_equal(now.n_list_seconds, 0);
    kin_test_pull_list(kin_test_await_list(&scene, 1, "0"), "10", "");
    /* A watch that never stood. */
    kin_test_pull_fail(kin_test_await_watch(&scene, 2, "10"), &broken, false);
    kin_test_pass_delay(&scene, 1600);
    now = look(&m);
    assert_int_equal(now.watches, 1);
    assert_int_equal(now.n_watch_seconds, 0);
    /* The same list, at another version. */
    kin_test_pull_fail(kin_test_await_list(&scene, 3, "10"), &expired, false);
    kin_test_pull_list(kin_test_await_list(&scene, 4, ""), "10", "");
    kin_test_await_watch(&scene, 5, "10");
    now = look(&m);
    assert_int_equal(now.lists, 3);
    assert_int_equal(now.n_list_seconds, 2);
    assert_int_equal(now.short_watches, 0);
    done(&scene, &m);
}

static void a_streaming_list_is_a_list_and_a_watch(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;
    struct metrics now;

    (void)state;
    measure(&scene, &m, true);
    op = kin_test_await_stream(&scene, 0, "");
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "a:1"), 0);
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "b:2"), 0);
    kin_test_advance_ms(&scene, 3000);
    assert_int_equal(look(&m).n_versions, 0);
    assert_code(kin_test_pull_bookmark(op, "10", true), 0);
    now = look(&m);
    assert_int_equal(now.lists, 1);
    assert_int_equal(now.watches, 1);
    assert_int_equal(now.n_list_seconds, 1);
    assert_value(now.list_seconds, 3);
    assert_value(now.list_items, 2);
    assert_value(now.version, 10);
    /* What comes behind it is of the watch alone. */
    assert_code(kin_test_pull_event(op, KIN_WATCH_ADDED, "c:11"), 0);
    kin_test_advance_ms(&scene, 1000);
    kin_test_pull_close(op);
    kin_test_await_watch(&scene, 1, "11");
    now = look(&m);
    assert_int_equal(now.lists, 1);
    assert_int_equal(now.watches, 2);
    assert_value(now.list_items, 2);
    assert_value(now.watch_seconds, 4);
    assert_value(now.watch_items, 4);
    done(&scene, &m);
}

/* A double has no room for more than 15 digits, and nothing for what is none. */
static void versions_are_numbers(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;

    (void)state;
    measure(&scene, &m, false);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "18446744073709551615", "");
    op = kin_test_await_watch(&scene, 1, "18446744073709551615");
    assert_value(look(&m).version, INT64_C(744073709551615));
    assert_code(kin_test_pull_bookmark(op, "x12", false), 0);
    kin_test_expect_version(&scene, "x12");
    assert_int_equal(look(&m).n_versions, 1);
    done(&scene, &m);
}

static void a_watch_that_is_stopped_has_lasted(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;
    struct metrics now;

    (void)state;
    measure(&scene, &m, false);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "");
    op = kin_test_await_watch(&scene, 1, "10");
    kin_test_advance_ms(&scene, 500);
    kin_test_stop(&scene);
    now = look(&m);
    assert_int_equal(now.n_watch_seconds, 1);
    assert_true(now.watch_seconds == 0.5);
    assert_int_equal(now.short_watches, 0); /* it did not end by itself */
    /* And nothing more, however late the source is. */
    assert_true(kin_test_pull_event(op, KIN_WATCH_ADDED, "a:11") < 0);
    kin_test_pull_close(op);
    assert_int_equal(look(&m).n_watch_seconds, 1);
    assert_value(look(&m).version, 10);
    done(&scene, &m);
}

/* From one of the functions: no other is called from then on, and their argument goes once. */
static void a_metric_may_free_the_reflector(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;
    unsigned n = kin_test_latch_count(&gone);

    (void)state;
    measure(&scene, &m, false);
    op = kin_test_await_list(&scene, 0, "0");
    pthread_mutex_lock(&m.lock);
    m.victim = scene.reflector;
    pthread_mutex_unlock(&m.lock);
    scene.reflector = NULL;
    kin_test_pull_list(op, "10", "a:1"); /* told of its version first */
    kin_test_latch_wait(&gone, n + 1);
    done(&scene, &m);
    assert_int_equal(m.n_versions, 1);
    assert_int_equal(m.n_list_seconds, 0);
    assert_int_equal(m.watches, 0);
}

static void a_doubt_is_measured(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;
    struct metrics m;

    (void)state;
    measure(&scene, &m, false);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    for (unsigned n = 1; n <= 2; n++) {
        bool called = false;

        kin_test_pull_doubt(op, n == 1);
        while (!called) {
            sched_yield();
            pthread_mutex_lock(&m.lock);
            called = m.n_doubts == n;
            pthread_mutex_unlock(&m.lock);
        }
        assert_true(m.in_doubt == (n == 1 ? 1 : 0));
    }
    done(&scene, &m);
}

static void each_may_be_left_out(void **state)
{
    static const kin_reflector_metrics none = KIN_REFLECTOR_METRICS_INIT;
    static const kin_reflector_metrics no_size = {0,    on_list, NULL, NULL, NULL,
                                                  NULL, NULL,    NULL, NULL, NULL};
    kin_reflector *reflector = NULL;
    kin_test_scene scene;
    kin_test_pull *op;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin_test_scene_init(&scene, false);
    scene.options.metrics = &no_size;
    scene.options.metrics_arg_free = on_free; /* is not called: nothing was consumed */
    assert_code(kin_reflector_new(&reflector, kin_test_source_list_watch(scene.source), &scene.into,
                                  &scene.options, &err),
                KIN_EINVAL);
    assert_non_null(strstr(err.message, "KIN_REFLECTOR_METRICS_INIT"));
    scene.options.metrics_arg_free = NULL;
    scene.options.metrics = &none;
    kin_test_scene_make(&scene);
    assert_code(kin_reflector_start(scene.reflector, NULL), 0);
    kin_test_pull_list(kin_test_await_list(&scene, 0, "0"), "10", "a:1");
    op = kin_test_await_watch(&scene, 1, "10");
    assert_code(kin_test_pull_event(op, KIN_WATCH_MODIFIED, "a:12"), 0);
    kin_test_pull_close(op);
    kin_test_await_watch(&scene, 2, "12");
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_those_of_client_go),
        cmocka_unit_test(what_failed_is_counted_and_not_measured),
        cmocka_unit_test(a_streaming_list_is_a_list_and_a_watch),
        cmocka_unit_test(versions_are_numbers),
        cmocka_unit_test(a_watch_that_is_stopped_has_lasted),
        cmocka_unit_test(a_metric_may_free_the_reflector),
        cmocka_unit_test(a_doubt_is_measured),
        cmocka_unit_test(each_may_be_left_out),
    };

    kin_test_latch_init(&gone);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
