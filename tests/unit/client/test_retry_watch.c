/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches that go on: over a source that does what a script says, and over a client.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/retry_watch.h"

/* --- a source that follows a script --- */

enum { MAX_STEPS = 8 };

/* One watch. */
struct step {
    const char *events[4]; /* "ADDED a 5": type, name, version; "-" for none */
    int begin_code;        /* it cannot be begun */
    int code;              /* what it ends with */
    int64_t retry_after_ms;
    bool hangs; /* until it is cancelled */
    bool lasts; /* until the source's `go` is raised */
};

struct source {
    kin_list_watch base;
    const struct step *steps; /* the last one is repeated */
    size_t n_steps;
    const int *history; /* instead of steps: versions of all changes, 0 behind the last */
    unsigned per_watch; /* so many of them, then a watch is ended by the server */
    bool in_place;      /* all happens within the watch function */
    kin_clock *clock;
    atomic_uint n_begun;
    char versions[64][64]; /* asked for, by number; written before n_begun */
    int64_t times[64];
    int64_t timeouts[64];
    bool bookmarks;
    atomic_bool destroyed;
    kin_test_latch begun;
    kin_test_latch go;
};

struct operation {
    kin_operation base;
    atomic_int refs;
    struct source *source;
    const struct step *step;
    int behind; /* the version that was asked for */
    kin_call_handlers handlers;
    kin_test_latch cancelled;
    atomic_bool is_cancelled;
};

static void operation_put(struct operation *operation)
{
    if (atomic_fetch_sub(&operation->refs, 1) > 1)
        return;
    kin_test_latch_done(&operation->cancelled);
    free(operation);
}

static void operation_cancel(kin_operation *base)
{
    struct operation *operation = (struct operation *)base;

    operation->is_cancelled = true;
    kin_test_latch_raise(&operation->cancelled);
}

static void operation_release(kin_operation *base)
{
    operation_put((struct operation *)base);
}

static int send_event(struct operation *operation, const char *text, kin_error *err)
{
    static const char *const names[] = {"",         "ADDED", "MODIFIED", "DELETED",
                                        "BOOKMARK", "ERROR", "UNKNOWN"};
    char type[16];
    char name[16];
    char version[64];
    char json[256];
    const kin_object *object = NULL;
    enum kin_watch_type number = KIN_WATCH_ADDED;
    int code;

    sscanf(text, "%15s %15s %63s", type, name, version);
    while (strcmp(names[number], type) != 0)
        number++;
    snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\"%s%s%s}}", name,
             version[0] == '-' ? "" : ",\"resourceVersion\":\"", version[0] == '-' ? "" : version,
             version[0] == '-' ? "" : "\"");
    if (strcmp(name, "NULL") != 0 &&
        kin_object_from_json(&object, kin_str_of(json), NULL, NULL) < 0)
        abort();
    code = operation->handlers.event(number, object, operation->handlers.arg, err);
    kin_object_unref(object);
    return code;
}

/* What a server has behind the version; it waits for more if that is not enough. */
static int send_history(struct operation *operation, kin_error *err)
{
    unsigned n = 0;
    int code = 0;

    for (const int *version = operation->source->history; *version && code == 0; version++) {
        char text[64];

        if (*version <= operation->behind || n == operation->source->per_watch)
            continue;
        snprintf(text, sizeof(text), "ADDED v%d %d", *version, *version);
        code = send_event(operation, text, err);
        n++;
    }
    if (code == 0 && n < operation->source->per_watch) {
        kin_test_latch_wait(&operation->cancelled, 1);
        code = kin_error_set(err, KIN_ECANCELED, "cancelled");
    }
    return code;
}

static void *operation_run(void *arg)
{
    struct operation *operation = arg;
    kin_error err = KIN_ERROR_INIT;
    kin_result result = {sizeof(result), 0, &err, NULL, NULL, true, 0};

    if (operation->source->history)
        result.code = send_history(operation, &err);
    for (size_t i = 0; i < 4 && operation->step->events[i] && result.code == 0; i++)
        result.code = send_event(operation, operation->step->events[i], &err);
    if (operation->step->lasts)
        kin_test_latch_wait(&operation->source->go, 1);
    if (result.code == 0 && operation->step->hangs) {
        kin_test_latch_wait(&operation->cancelled, 1);
        result.code = kin_error_set(&err, KIN_ECANCELED, "cancelled");
    } else if (result.code == 0 && operation->step->code) {
        result.code = kin_error_set(&err, operation->step->code, "scripted");
        err.retry_after_ms = operation->step->retry_after_ms;
    }
    operation->handlers.done(&result, operation->handlers.arg);
    if (operation->handlers.arg_free)
        operation->handlers.arg_free(operation->handlers.arg);
    operation_put(operation);
    return NULL;
}

static int source_watch(kin_list_watch *base, kin_operation **ret,
                        const kin_request_options *options, const kin_call_handlers *handlers,
                        kin_error *err)
{
    struct source *source = (struct source *)base;
    unsigned n = source->n_begun;
    const struct step *step = &source->steps[n < source->n_steps ? n : source->n_steps - 1];
    struct operation *operation;
    pthread_t thread;

    snprintf(source->versions[n % 64], 64, "%s", options->resource_version);
    source->times[n % 64] = kin_clock_now(source->clock);
    source->timeouts[n % 64] = options->watch_timeout_ms;
    source->bookmarks = options->bookmarks;
    source->n_begun++;
    kin_test_latch_raise(&source->begun);
    if (step->begin_code)
        return kin_error_set(err, step->begin_code, "not begun");
    operation = calloc(1, sizeof(*operation));
    operation->base.cancel = operation_cancel;
    operation->base.release = operation_release;
    operation->refs = 2;
    operation->source = source;
    operation->step = step;
    operation->behind = atoi(options->resource_version);
    operation->handlers = *handlers;
    kin_test_latch_init(&operation->cancelled);
    if (source->in_place && !step->hangs) {
        operation_run(operation);
    } else {
        if (pthread_create(&thread, NULL, operation_run, operation) != 0)
            abort();
        pthread_detach(thread);
    }
    *ret = &operation->base;
    return 0;
}

static int source_list(kin_list_watch *base, kin_operation **ret,
                       const kin_request_options *options, const kin_call_handlers *handlers,
                       kin_error *err)
{
    (void)base;
    (void)ret;
    (void)options;
    (void)handlers;
    return kin_error_set(err, KIN_EINVAL, "nothing to list");
}

static void source_destroy(kin_list_watch *base)
{
    ((struct source *)base)->destroyed = true;
}

static const kin_list_watch_class source_class = {sizeof(kin_list_watch_class), source_list,
                                                  source_watch, source_destroy, false};

/* --- a run in a thread of its own --- */

struct scene {
    struct source source;
    kin_clock *clock;
    kin_retry_watch *watch;
    client_seen seen;
    kin_test_latch told;
    bool stop_in_event;
    bool wait_in_event;                    /* for the source's `go` */
    const enum kin_watch_type *conditions; /* to be met in turn, 0 behind the last; then it stops */
    pthread_t thread;
    int code;
    kin_error err;
};

static int see(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    struct scene *scene = arg;
    int code = client_see_event(type, object, &scene->seen, err);

    while (scene->conditions && *scene->conditions == type)
        scene->conditions++;
    if (scene->stop_in_event || (scene->conditions && !*scene->conditions))
        kin_retry_watch_stop(scene->watch);
    kin_test_latch_raise(&scene->told);
    if (scene->wait_in_event)
        kin_test_latch_wait(&scene->source.go, 1);
    return code;
}

static void scene_open_at(struct scene *scene, const struct step *steps, size_t n_steps,
                          const char *version)
{
    kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;

    memset(scene, 0, sizeof(*scene));
    scene->err = (kin_error)KIN_ERROR_INIT;
    scene->clock = client_fake_clock();
    scene->source.steps = steps;
    scene->source.n_steps = n_steps;
    scene->source.clock = scene->clock;
    kin_test_latch_init(&scene->source.begun);
    kin_test_latch_init(&scene->source.go);
    kin_test_latch_init(&scene->told);
    assert_code(kin_list_watch_init(&scene->source.base, &source_class, NULL), 0);
    options.clock = scene->clock;
    assert_code(kin_retry_watch_new(&scene->watch, &scene->source.base, version, &options, NULL),
                0);
    /* It keeps the source. */
    kin_list_watch_unref(&scene->source.base);
    assert_false(scene->source.destroyed);
}

static void scene_open(struct scene *scene, const struct step *steps, size_t n_steps)
{
    scene_open_at(scene, steps, n_steps, "100");
}

static void scene_close(struct scene *scene)
{
    kin_retry_watch_free(scene->watch);
    assert_true(scene->source.destroyed);
    kin_test_latch_done(&scene->source.begun);
    kin_test_latch_done(&scene->source.go);
    kin_test_latch_done(&scene->told);
    kin_clock_unref(scene->clock);
}

static void *run_in_thread(void *arg)
{
    struct scene *scene = arg;

    scene->code = kin_retry_watch_run(scene->watch, see, scene, &scene->err);
    return NULL;
}

static void begin_run(struct scene *scene)
{
    assert_int_equal(pthread_create(&scene->thread, NULL, run_in_thread, scene), 0);
}

static void end_run(struct scene *scene, int code)
{
    pthread_join(scene->thread, NULL);
    assert_code(scene->code, code);
    assert_int_equal(scene->err.code, code);
    assert_true(scene->err.message[0]);
}

static void run(struct scene *scene, int code)
{
    begin_run(scene);
    end_run(scene, code);
}

static void assert_version(struct scene *scene, const char *version)
{
    char buf[64];

    assert_int_equal(kin_retry_watch_resource_version(scene->watch, buf, sizeof(buf)),
                     strlen(version));
    assert_string_equal(buf, version);
}

/* The n-th beginning waits for its time, which comes after `ms`. */
static void let_begin(struct scene *scene, unsigned n, int64_t ms)
{
    kin_test_latch_wait(&scene->source.begun, n - 1);
    client_advance(scene->clock, 1, ms - 1);
    assert_code(kin_clock_await_waiters(scene->clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(scene->source.n_begun, n - 1);
    client_advance(scene->clock, 1, 1);
    kin_test_latch_wait(&scene->source.begun, n);
}

/* --- going on --- */

/* A server that is asked to end each watch is found out when it does not. */
static void each_watch_has_a_time_of_its_own(void **state)
{
    static const struct step steps[] = {
        {.code = 0}, {.code = 0}, {.code = 0}, {.code = KIN_EEXPIRED}};
    static const int64_t given[] = {0, 7000, -1};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;
        unsigned n_same = 0;
        struct scene scene;

        scene_open(&scene, steps, 4);
        kin_list_watch_ref(&scene.source.base);
        kin_retry_watch_free(scene.watch);
        options.clock = scene.clock;
        options.watch_timeout_ms = given[i];
        assert_code(kin_retry_watch_new(&scene.watch, &scene.source.base, "100", &options, NULL),
                    0);
        kin_list_watch_unref(&scene.source.base);
        begin_run(&scene);
        for (unsigned n = 2; n <= 4; n++)
            let_begin(&scene, n, 1000);
        end_run(&scene, KIN_EEXPIRED);
        for (unsigned n = 0; n < 4; n++) {
            int64_t ms = scene.source.timeouts[n];

            if (given[i] == 0)
                assert_true(ms >= 300000 && ms < 600000);
            else
                assert_int_equal(ms, given[i] > 0 ? given[i] : 0);
            n_same += n > 0 && ms == scene.source.timeouts[0];
        }
        assert_int_equal(n_same == 3, given[i] != 0);
        scene_close(&scene);
    }
}

static void it_goes_on_behind_the_last_version(void **state)
{
    static const struct step steps[] = {
        {.events = {"ADDED a 101", "MODIFIED a 102"}},
        {.events = {"BOOKMARK - 110"}},
        {.code = KIN_ECONNECT},
        {.events = {"DELETED a 111"}, .code = KIN_ESERVER},
        {.begin_code = KIN_ENOMEM},
        {.events = {"ADDED b 112"}, .code = KIN_EPROTOCOL},
        {.hangs = true},
    };

    (void)state;
    for (int in_place = 0; in_place < 2; in_place++) {
        static const char *const versions[] = {"100", "102", "110", "110", "111", "111", "112"};
        struct scene scene;

        scene_open(&scene, steps, 7);
        scene.source.in_place = in_place;
        begin_run(&scene);
        for (unsigned n = 2; n <= 7; n++)
            let_begin(&scene, n, 1000);
        for (int i = 0; i < 7; i++)
            assert_string_equal(scene.source.versions[i], versions[i]);
        assert_true(scene.source.bookmarks);
        kin_retry_watch_stop(scene.watch);
        end_run(&scene, KIN_ECANCELED);
        assert_string_equal(scene.seen.text, "ADDED:a MODIFIED:a DELETED:a ADDED:b");
        assert_version(&scene, "112");
        scene_close(&scene);
    }
}

/* A server that has a history and ends each watch after some changes. */
static void every_change_is_told_once_wherever_watches_end(void **state)
{
    static const struct step none;
    static const struct {
        const char *version;
        int history[8];
        unsigned per_watch;
        unsigned n_watches;
        const char *seen;
    } cases[] = {
        {"1", {2}, 9, 1, "ADDED:v2"},
        {"1", {1, 2}, 9, 1, "ADDED:v2"},
        {"3", {2}, 9, 1, ""},
        {"5", {6}, 1, 2, "ADDED:v6"},
        {"4", {5, 6}, 1, 3, "ADDED:v5 ADDED:v6"},
        {"4", {5, 7}, 1, 3, "ADDED:v5 ADDED:v7"},
        {"2", {5, 7}, 1, 3, "ADDED:v5 ADDED:v7"},
        {"2", {5, 6, 7, 11}, 1, 5, "ADDED:v5 ADDED:v6 ADDED:v7 ADDED:v11"},
        {"2", {1, 2, 5, 6, 7, 11}, 1, 5, "ADDED:v5 ADDED:v6 ADDED:v7 ADDED:v11"},
        {"1", {1, 2, 5, 6, 7, 11}, 2, 3, "ADDED:v2 ADDED:v5 ADDED:v6 ADDED:v7 ADDED:v11"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        unsigned n_told = 0;
        struct scene scene;

        scene_open_at(&scene, &none, 1, cases[i].version);
        scene.source.history = cases[i].history;
        scene.source.per_watch = cases[i].per_watch;
        begin_run(&scene);
        for (unsigned n = 2; n <= cases[i].n_watches; n++)
            let_begin(&scene, n, 1000);
        for (const int *version = cases[i].history; *version; version++)
            n_told += *version > atoi(cases[i].version);
        kin_test_latch_wait(&scene.told, n_told);
        kin_test_latch_wait(&scene.source.begun, cases[i].n_watches);
        kin_retry_watch_stop(scene.watch);
        end_run(&scene, KIN_ECANCELED);
        assert_string_equal(scene.seen.text, cases[i].seen);
        assert_int_equal(scene.source.n_begun, cases[i].n_watches);
        scene_close(&scene);
    }
}

/* Times are from one beginning to the next. */
static void a_long_watch_is_followed_at_once(void **state)
{
    static const struct step steps[] = {{.lasts = true}, {.hangs = true}};
    struct scene scene;

    (void)state;
    scene_open(&scene, steps, 2);
    begin_run(&scene);
    kin_test_latch_wait(&scene.source.begun, 1);
    assert_code(kin_clock_advance(scene.clock, 1000000000, NULL), 0);
    kin_test_latch_raise(&scene.source.go);
    kin_test_latch_wait(&scene.source.begun, 2);
    kin_retry_watch_stop(scene.watch);
    end_run(&scene, KIN_ECANCELED);
    scene_close(&scene);
}

static void a_server_that_says_when_is_believed(void **state)
{
    static const struct step steps[] = {{.code = KIN_ESERVER, .retry_after_ms = 7000},
                                        {.code = KIN_ESERVER, .retry_after_ms = 1},
                                        {.code = KIN_ESERVER, .retry_after_ms = 30001},
                                        {.code = KIN_ESERVER, .retry_after_ms = INT64_MAX},
                                        {.hangs = true}};
    struct scene scene;

    (void)state;
    scene_open(&scene, steps, 5);
    begin_run(&scene);
    let_begin(&scene, 2, 7000);
    let_begin(&scene, 3, 1000);
    /* Up to 30 s. */
    let_begin(&scene, 4, 30000);
    let_begin(&scene, 5, 30000);
    kin_retry_watch_stop(scene.watch);
    end_run(&scene, KIN_ECANCELED);
    scene_close(&scene);
}

/* --- ends --- */

static void it_ends_where_it_cannot_go_on(void **state)
{
    static const struct {
        struct step step;
        int code;
        const char *version;
    } cases[] = {
        {{.code = KIN_EEXPIRED}, KIN_EEXPIRED, "100"},
        {{.begin_code = KIN_EEXPIRED}, KIN_EEXPIRED, "100"},
        {{.events = {"ADDED a 101"}, .code = KIN_EEXPIRED}, KIN_EEXPIRED, "101"},
        {{.code = KIN_EDENIED}, KIN_EDENIED, "100"},
        {{.code = KIN_EREFUSED}, KIN_EREFUSED, "100"},
        {{.begin_code = KIN_ECLOSED}, KIN_ECLOSED, "100"},
        {{.code = KIN_ECANCELED}, KIN_ECANCELED, "100"},
        {{.events = {"ADDED a 101", "ADDED b -"}}, KIN_EPROTOCOL, "101"},
        {{.events = {"BOOKMARK a -"}}, KIN_EPROTOCOL, "100"},
        {{.events = {"ADDED a 101", "MODIFIED NULL -"}}, KIN_EINVAL, "101"},
        {{.events = {"UNKNOWN a 101"}}, KIN_EINVAL, "100"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;

        scene_open(&scene, &cases[i].step, 1);
        run(&scene, cases[i].code);
        assert_int_equal(scene.source.n_begun, 1);
        assert_version(&scene, cases[i].version);
        /* Nobody has stopped it. */
        assert_null(strstr(scene.err.message, "stopped"));
        scene_close(&scene);
    }
}

static void a_callback_ends_it_and_is_told_again(void **state)
{
    static const struct step steps[] = {
        {.events = {"ADDED a 101", "ADDED b 102"}},
        {.events = {"ADDED b 102"}, .hangs = true},
    };
    struct scene scene;

    (void)state;
    scene_open(&scene, steps, 2);
    scene.seen.stop_at = 2;
    run(&scene, KIN_ERANGE);
    assert_string_equal(scene.err.message, "enough");
    assert_version(&scene, "101");
    begin_run(&scene);
    kin_test_latch_wait(&scene.told, 3);
    assert_string_equal(scene.source.versions[1], "101");
    kin_retry_watch_stop(scene.watch);
    end_run(&scene, KIN_ECANCELED);
    assert_string_equal(scene.seen.text, "ADDED:a ADDED:b ADDED:b");
    scene_close(&scene);
}

/* --- stopping --- */

static void it_is_stopped_by_its_own_callback(void **state)
{
    static const struct step steps[] = {{.events = {"ADDED a 101", "ADDED b 102"}}};

    (void)state;
    for (int in_place = 0; in_place < 2; in_place++) {
        struct scene scene;

        scene_open(&scene, steps, 1);
        scene.source.in_place = in_place;
        scene.stop_in_event = true;
        run(&scene, KIN_ECANCELED);
        assert_non_null(strstr(scene.err.message, "stopped"));
        assert_string_equal(scene.seen.text, "ADDED:a");
        assert_version(&scene, "101");
        scene_close(&scene);
    }
}

/* Conditions may be met by one change or by several, in one watch or in two, or not at all. */
static void it_is_watched_until_conditions_are_met(void **state)
{
    static const struct {
        enum kin_watch_type conditions[4];
        struct step steps[2];
        bool is_met;
        const char *seen;
        const char *version;
    } cases[] = {
        {{KIN_WATCH_ADDED, KIN_WATCH_MODIFIED},
         {{.events = {"ADDED a 101", "MODIFIED a 102", "DELETED a 103"}}},
         true,
         "ADDED:a MODIFIED:a",
         "102"},
        {{KIN_WATCH_ADDED, KIN_WATCH_MODIFIED},
         {{.events = {"ADDED a 101"}}, {.events = {"MODIFIED a 102", "DELETED a 103"}}},
         true,
         "ADDED:a MODIFIED:a",
         "102"},
        {{KIN_WATCH_ADDED, KIN_WATCH_ADDED},
         {{.events = {"ADDED a 101", "ADDED b 102"}}},
         true,
         "ADDED:a",
         "101"},
        {{KIN_WATCH_ADDED, KIN_WATCH_ADDED, KIN_WATCH_DELETED},
         {{.events = {"ADDED a 101"}}, {.hangs = true}},
         false,
         "ADDED:a",
         "101"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene scene;

        scene_open(&scene, cases[i].steps, 2);
        scene.conditions = cases[i].conditions;
        begin_run(&scene);
        if (cases[i].steps[1].hangs || cases[i].steps[1].events[0])
            let_begin(&scene, 2, 1000);
        if (!cases[i].is_met)
            kin_retry_watch_stop(scene.watch);
        end_run(&scene, KIN_ECANCELED);
        assert_int_equal(*scene.conditions == 0, cases[i].is_met);
        assert_string_equal(scene.seen.text, cases[i].seen);
        assert_version(&scene, cases[i].version);
        scene_close(&scene);
    }
}

static void it_is_stopped_before_between_and_twice(void **state)
{
    static const struct step steps[] = {{.code = KIN_ECONNECT}};
    struct scene scene;

    (void)state;
    scene_open(&scene, steps, 1);
    begin_run(&scene);
    kin_test_latch_wait(&scene.source.begun, 1);
    assert_code(kin_clock_await_waiters(scene.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_retry_watch_stop(scene.watch);
    kin_retry_watch_stop(scene.watch);
    end_run(&scene, KIN_ECANCELED);
    run(&scene, KIN_ECANCELED);
    assert_int_equal(scene.source.n_begun, 1);
    kin_retry_watch_stop(NULL);
    scene_close(&scene);
}

/* It waits for the callback, and tells nothing of what has come behind that. */
static void it_is_stopped_while_its_callback_blocks(void **state)
{
    static const struct step steps[] = {{.events = {"ADDED a 101", "ADDED b 102"}}};
    struct scene scene;

    (void)state;
    scene_open(&scene, steps, 1);
    scene.wait_in_event = true;
    begin_run(&scene);
    kin_test_latch_wait(&scene.told, 1);
    kin_retry_watch_stop(scene.watch);
    kin_retry_watch_stop(scene.watch);
    kin_test_latch_raise(&scene.source.go);
    end_run(&scene, KIN_ECANCELED);
    assert_string_equal(scene.seen.text, "ADDED:a");
    assert_version(&scene, "101");
    scene_close(&scene);
}

static void it_runs_once_at_a_time(void **state)
{
    static const struct step steps[] = {{.hangs = true}};
    struct scene scene;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    scene_open(&scene, steps, 1);
    begin_run(&scene);
    kin_test_latch_wait(&scene.source.begun, 1);
    assert_code(kin_retry_watch_run(scene.watch, see, &scene, &err), KIN_EBUSY);
    kin_retry_watch_stop(scene.watch);
    end_run(&scene, KIN_ECANCELED);
    scene_close(&scene);
}

static void arguments_are_checked(void **state)
{
    static const struct step steps[] = {{.hangs = true}};
    kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;
    kin_retry_watch *watch = NULL;
    struct scene scene;
    char text[4096];

    (void)state;
    scene_open(&scene, steps, 1);
    kin_list_watch *source = &scene.source.base;
    assert_code(kin_retry_watch_new(NULL, source, "1", NULL, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_new(&watch, NULL, "1", NULL, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_new(&watch, source, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_new(&watch, source, "", NULL, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_new(&watch, source, "0", NULL, NULL), KIN_EINVAL);
    memset(text, '1', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_code(kin_retry_watch_new(&watch, source, text, NULL, NULL), KIN_ELIMIT);
    options.min_delay_ms = -1;
    assert_code(kin_retry_watch_new(&watch, source, "1", &options, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_run(NULL, see, NULL, NULL), KIN_EINVAL);
    assert_code(kin_retry_watch_run(scene.watch, NULL, NULL, NULL), KIN_EINVAL);
    assert_null(watch);
    char two[3];
    assert_int_equal(kin_retry_watch_resource_version(scene.watch, two, sizeof(two)), 3);
    assert_string_equal(two, "10");
    assert_int_equal(kin_retry_watch_resource_version(scene.watch, NULL, 0), 3);
    kin_retry_watch_free(NULL);
    scene_close(&scene);
}

/* --- over a client --- */

static void scene_open_client(struct scene *scene, client_fixture *f, const char *version)
{
    kin_retry_watch_options options = KIN_RETRY_WATCH_OPTIONS_INIT;
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_list_watch *source = NULL;

    memset(scene, 0, sizeof(*scene));
    scene->err = (kin_error)KIN_ERROR_INIT;
    kin_test_latch_init(&scene->told);
    options.clock = scene->clock = client_fake_clock();
    client.clock = scene->clock;
    client.max_retries = -1;
    client_open(f, &client, NULL);
    assert_code(kin_client_list_watch(f->client, &source, f->pods, NULL, NULL), 0);
    assert_code(kin_retry_watch_new(&scene->watch, source, version, &options, NULL), 0);
    kin_list_watch_unref(source);
}

static void scene_close_client(struct scene *scene, client_fixture *f)
{
    kin_retry_watch_free(scene->watch);
    client_close(f);
    kin_test_latch_done(&scene->told);
    kin_clock_unref(scene->clock);
}

/* After each of the first `n` watches its time comes. */
static void let_begin_again(struct scene *scene, client_fixture *f, unsigned n)
{
    for (unsigned i = 1; i <= n; i++) {
        kin_test_http_await_requests(f->server, i);
        client_advance(scene->clock, 1, 1000);
    }
}

static void assert_asked_for(client_fixture *f, unsigned index, const char *version)
{
    const char *target = kin_test_http_request_at(f->server, index)->target;

    assert_non_null(strstr(target, version));
    assert_non_null(strstr(target, "allowWatchBookmarks=true"));
}

static void it_goes_on_over_a_client(void **state)
{
    static const char *const versions[] = {"resourceVersion=100", "resourceVersion=105",
                                           "resourceVersion=105", "resourceVersion=106"};
    struct scene scene;
    client_fixture f;

    (void)state;
    scene_open_client(&scene, &f, "100");
    /* On a connection that was used before, libcurl itself sends again what was lost. */
    kin_test_http_add_route(f.server, &(kin_test_http_route){.times = 1,
                                                             .shape = KIN_TEST_HTTP_LAST,
                                                             .body = EVENT("ADDED", "a", "101")
                                                                 EVENT("BOOKMARK", "", "105")});
    kin_test_http_add_route(
        f.server, &(kin_test_http_route){.times = 1, .shape = KIN_TEST_HTTP_RESET_ANSWER});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.times = 1,
                                                             .body = EVENT("ADDED", "b", "106"),
                                                             .size = 5,
                                                             .shape = KIN_TEST_HTTP_SHORT});
    client_route(&f, NULL, NULL, 410, STATUS(410, "Expired"));
    begin_run(&scene);
    let_begin_again(&scene, &f, 3);
    end_run(&scene, KIN_EEXPIRED);
    assert_string_equal(scene.seen.text, "ADDED:a ADDED:b");
    for (unsigned i = 0; i < 4; i++)
        assert_asked_for(&f, i, versions[i]);
    scene_close_client(&scene, &f);
}

#define ERROR(object) EVENT("ADDED", "a", "6") "{\"type\":\"ERROR\",\"object\":" object "}\n"

/* What a server says instead of an event, or of all: the end, or a reason to ask again. */
static void what_a_server_says_is_judged(void **state)
{
    static const struct {
        int status;
        const char *body;
        int code; /* 0: it is asked again */
        const char *seen;
    } cases[] = {
        {200, ERROR(STATUS(410, "Gone")) EVENT("ADDED", "x", "7"), KIN_EEXPIRED, "ADDED:a"},
        {200, ERROR(STATUS(410, "Expired")), KIN_EEXPIRED, "ADDED:a"},
        {200, ERROR(STATUS(403, "Forbidden")), KIN_EDENIED, "ADDED:a"},
        {410, STATUS(410, "Expired"), KIN_EEXPIRED, ""},
        {403, STATUS(403, "Forbidden"), KIN_EDENIED, ""},
        {401, STATUS(401, "Unauthorized"), KIN_EDENIED, ""},
        {404, STATUS(404, "NotFound"), KIN_ENOTFOUND, ""},
        {504, STATUS(504, "Timeout"), 0, "ADDED:b"},
        {500, STATUS(500, "InternalError"), 0, "ADDED:b"},
        {429, STATUS(429, "TooManyRequests"), 0, "ADDED:b"},
        {200, ERROR(STATUS(504, "Timeout")) EVENT("ADDED", "x", "7"), 0, "ADDED:a ADDED:b"},
        {200, ERROR(STATUS(500, "InternalError")), 0, "ADDED:a ADDED:b"},
        {200, ERROR(STATUS(666, "")), 0, "ADDED:a ADDED:b"},
        {200, ERROR("{\"kind\":\"Unheard\",\"apiVersion\":\"of/v1\"}"), 0, "ADDED:a ADDED:b"},
        {200, ERROR("{}"), 0, "ADDED:a ADDED:b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        bool goes_on = cases[i].code == 0;
        struct scene scene;
        client_fixture f;

        print_message("case %zu\n", i);
        scene_open_client(&scene, &f, "5");
        kin_test_http_add_route(
            f.server,
            &(kin_test_http_route){.times = 1, .status = cases[i].status, .body = cases[i].body});
        kin_test_http_add_route(
            f.server, &(kin_test_http_route){.times = 1, .body = EVENT("ADDED", "b", "7")});
        client_route(&f, NULL, NULL, 410, STATUS(410, "Expired"));
        begin_run(&scene);
        if (goes_on)
            let_begin_again(&scene, &f, 2);
        end_run(&scene, goes_on ? KIN_EEXPIRED : cases[i].code);
        assert_string_equal(scene.seen.text, cases[i].seen);
        assert_int_equal(kin_test_http_count(f.server).requests, goes_on ? 3 : 1);
        if (goes_on)
            assert_asked_for(&f, 1,
                             cases[i].status == 200 ? "resourceVersion=6" : "resourceVersion=5");
        scene_close_client(&scene, &f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(each_watch_has_a_time_of_its_own),
        client_test(it_goes_on_behind_the_last_version),
        client_test(every_change_is_told_once_wherever_watches_end),
        client_test(a_long_watch_is_followed_at_once),
        client_test(a_server_that_says_when_is_believed),
        client_test(it_ends_where_it_cannot_go_on),
        client_test(a_callback_ends_it_and_is_told_again),
        client_test(it_is_stopped_by_its_own_callback),
        client_test(it_is_watched_until_conditions_are_met),
        client_test(it_is_stopped_before_between_and_twice),
        client_test(it_is_stopped_while_its_callback_blocks),
        client_test(it_runs_once_at_a_time),
        client_test(arguments_are_checked),
        client_test(it_goes_on_over_a_client),
        client_test(what_a_server_says_is_judged),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
