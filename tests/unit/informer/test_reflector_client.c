/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors over a client and a server: real requests, real time, few words.
 */
#include "client_support.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "kinform/reflector.h"

#define OBJECT(name, version)                                                                      \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}}"
#define CHANGE(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define END(version)                                                                               \
    CHANGE("BOOKMARK", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"                    \
                       "\"resourceVersion\":\"" version                                            \
                       "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")

struct scene {
    client_fixture f;
    kin_list_watch *source;
    kin_store *store;
    kin_reflector *reflector;
    /* What the server does. */
    bool streams;     /* else it refuses streaming lists */
    const char *list; /* NULL: it never answers */
    const char *initial;
    const char *watch; /* of the first; others have nothing */
    atomic_uint n_lists;
    atomic_uint n_watches;
    atomic_uint n_watching; /* how often the reflector has told that it watches */
    /* With a fake clock. */
    kin_clock *clock;        /* NULL: the system's */
    const char *second_page; /* NULL: the list has one page */
    unsigned n_refused;      /* watches, or second pages, that are refused */
    int refusal;             /* their status; 0: they are not answered */
    atomic_uint n_refusals;  /* that came */
    atomic_uint n_tokens;    /* second pages that were asked for */
    int64_t probe_after_ms;  /* of the client */
    atomic_bool is_silent;   /* nothing is answered */
};

static void chunks(kin_test_http_conn *conn, const char *text)
{
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, text[0] ? text : "\n");
    kin_test_http_wait_for_client_close(conn);
}

static bool is_to_be_refused(struct scene *scene)
{
    if (atomic_load(&scene->n_refusals) >= scene->n_refused)
        return false;
    atomic_fetch_add(&scene->n_refusals, 1);
    return true;
}

static void refuse(kin_test_http_conn *conn, struct scene *scene)
{
    if (!scene->refusal) {
        kin_test_http_stall(conn);
        return;
    }
    kin_test_http_status(conn, scene->refusal);
    kin_test_http_header(conn, "Retry-After", "3600");
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, scene->refusal == 429 ? STATUS(429, "TooManyRequests")
                                                         : STATUS(503, "ServiceUnavailable"));
    kin_test_http_end_chunks(conn);
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct scene *scene = arg;

    if (atomic_load(&scene->is_silent)) {
        kin_test_http_stall(conn);
        return;
    }
    if (strstr(request->target, "sendInitialEvents=true")) {
        if (scene->streams)
            chunks(conn, scene->initial);
        else
            kin_test_http_answer(conn, 400, "application/json", STATUS(400, "BadRequest"));
    } else if (strstr(request->target, "continue=")) {
        atomic_fetch_add(&scene->n_tokens, 1);
        if (is_to_be_refused(scene))
            refuse(conn, scene);
        else
            kin_test_http_answer(conn, 200, "application/json", scene->second_page);
    } else if (strstr(request->target, "watch=") && !scene->second_page &&
               is_to_be_refused(scene)) {
        refuse(conn, scene);
    } else if (strstr(request->target, "watch=")) {
        chunks(conn, atomic_fetch_add(&scene->n_watches, 1) ? "" : scene->watch);
    } else if (scene->list) {
        atomic_fetch_add(&scene->n_lists, 1);
        kin_test_http_answer(conn, 200, "application/json", scene->list);
    } else {
        kin_test_http_stall(conn);
    }
}

static void count_state(kin_reflector *reflector, const kin_reflector_status *status, void *arg)
{
    struct scene *scene = arg;

    (void)reflector;
    if (status->state == KIN_REFLECTOR_WATCHING)
        atomic_fetch_add(&scene->n_watching, 1);
}

static void scene_open(struct scene *scene)
{
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_reflector_options options = KIN_REFLECTOR_OPTIONS_INIT;
    kin_reflector_store into = KIN_REFLECTOR_STORE_INIT;

    client.clock = scene->clock;
    client.max_retries = scene->clock ? 0 : -1;
    client.probe_after_ms = scene->probe_after_ms;
    client.probe_timeout_ms = scene->probe_after_ms ? 3000 : 0;
    client.n_workers = 1; /* whatever waits for itself does so here */
    client_open(&scene->f, &client, &server);
    assert_code(kin_client_list_watch(scene->f.client, &scene->source, scene->f.pods, NULL, NULL),
                0);
    assert_code(kin_store_new(&scene->store, NULL, NULL), 0);
    assert_code(kin_store_reflector_store(&into, scene->store), 0);
    options.backoff_initial_ms = 1;
    options.backoff_max_ms = scene->clock ? 30000 : 20;
    options.api_version = "v1";
    options.kind = "Pod";
    options.status = count_state;
    options.arg = scene;
    assert_code(kin_reflector_new(&scene->reflector, scene->source, &into, &options, NULL), 0);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

static void scene_close(struct scene *scene)
{
    kin_reflector_free(scene->reflector);
    kin_list_watch_unref(scene->source);
    kin_store_unref(scene->store);
    client_close(&scene->f);
    kin_clock_unref(scene->clock);
}

static kin_reflector_status status_of(struct scene *scene)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    assert_code(kin_reflector_get_status(scene->reflector, &status, NULL), 0);
    return status;
}

static kin_reflector_status await_state(struct scene *scene, kin_reflector_state state)
{
    int64_t begun = kin_clock_now(kin_clock_system());
    kin_reflector_status status;

    while ((status = status_of(scene)).state != state) {
        assert_true(kin_clock_now(kin_clock_system()) - begun <
                    KIN_TEST_TIMEOUT_MS * KIN__MILLISECOND);
        sched_yield();
    }
    return status;
}

static void await_version(struct scene *scene, const char *version)
{
    int64_t begun = kin_clock_now(kin_clock_system());

    while (strcmp(status_of(scene).resource_version, version) != 0) {
        assert_true(kin_clock_now(kin_clock_system()) - begun < 30 * KIN__SECOND);
        sched_yield();
    }
}

static bool has(struct scene *scene, const char *key)
{
    const kin_object *object = NULL;
    bool found = kin_store_get(scene->store, &object, kin_str_of(key), NULL) == 0;

    kin_object_unref(object);
    return found;
}

/* The server knows no streaming lists, and one of its objects, and of its changes, is no JSON. */
static void lists_and_watches(void **state)
{
    struct scene scene = {
        .list =
            LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1") ",{\"x\":tru}," OBJECT("b", "2")),
        .watch = CHANGE("ADDED", OBJECT("c", "10")) CHANGE("MODIFIED", "{\"x\":tru}")
            CHANGE("DELETED", OBJECT("a", "12")),
    };

    (void)state;
    scene_open(&scene);
    await_version(&scene, "12");
    assert_false(has(&scene, "ns/a"));
    assert_true(has(&scene, "ns/b"));
    assert_true(has(&scene, "ns/c"));

    kin_reflector_status status = await_state(&scene, KIN_REFLECTOR_WATCHING);

    assert_int_equal(status.skipped, 2);
    assert_int_equal(status.lists, 1);
    assert_int_equal(status.streams, 0);
    assert_int_equal(status.fallbacks, 1);
    assert_int_equal(status.last_error.code, 0);
    scene_close(&scene);
}

static void streams_a_list(void **state)
{
    struct scene scene = {
        .streams = true,
        .initial = CHANGE("ADDED", OBJECT("a", "3")) CHANGE("ADDED", OBJECT("b", "2")) END("9")
            CHANGE("DELETED", OBJECT("a", "10")),
    };

    (void)state;
    scene_open(&scene);
    await_version(&scene, "10");
    assert_false(has(&scene, "ns/a"));
    assert_true(has(&scene, "ns/b"));
    assert_int_equal(status_of(&scene).streams, 1);
    assert_int_equal(atomic_load(&scene.n_lists), 0);
    scene_close(&scene);
}

/* The server never answers, and nobody waits for it. */
static void stops_while_the_server_is_silent(void **state)
{
    struct scene scene = {.list = NULL};

    (void)state;
    scene_open(&scene);
    kin_test_http_await_stalled(scene.f.server, 1);
    kin_reflector_stop(scene.reflector);
    assert_code(kin_reflector_wait(scene.reflector, 20000, NULL), 0);
    assert_int_equal(status_of(&scene).state, KIN_REFLECTOR_STOPPED);
    scene_close(&scene);
}

/* The server goes away and comes back: the watch goes on, without a list. */
static void goes_on_when_the_server_is_back(void **state)
{
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1")),
        .watch = CHANGE("ADDED", OBJECT("b", "10")),
    };
    uint64_t retries;

    (void)state;
    scene_open(&scene);
    await_version(&scene, "10");
    kin_test_http_close_listener(scene.f.server);
    kin_test_http_reset_connections(scene.f.server);
    while ((retries = status_of(&scene).retries) < 3)
        sched_yield();
    /* An attempt is no watch, neither for who looks nor for who is told. */
    assert_int_equal(atomic_load(&scene.n_watching), 1);
    assert_int_not_equal(status_of(&scene).state, KIN_REFLECTOR_WATCHING);
    kin_test_http_open_listener(scene.f.server);
    while (atomic_load(&scene.n_watching) < 2)
        sched_yield();
    assert_int_equal(atomic_load(&scene.n_watches), 2);
    assert_true(has(&scene, "ns/a") && has(&scene, "ns/b"));
    assert_true(retries >= 3);
    scene_close(&scene);
}

/* --- the reflector sees each failure --- */

/* The delay is as long as the reflector allows, with its jitter, and not as the server asks for. */
static void pass_delay(struct scene *scene, const kin_reflector_status *status)
{
    int64_t ns = status->backoff_until - kin_clock_now(scene->clock);

    assert_in_range(ns, 1, 60 * KIN__SECOND);
    assert_code(kin_clock_advance(scene->clock, ns, NULL), 0);
}

/* A watch that the server does not answer is not reported as one, and fails once. */
static void an_unanswered_watch_is_no_watch(void **state)
{
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1")),
        .watch = CHANGE("ADDED", OBJECT("b", "10")),
        .clock = client_fake_clock(),
        .n_refused = 1,
    };
    kin_reflector_status status;

    (void)state;
    scene_open(&scene);
    kin_test_http_await_stalled(scene.f.server, 1);
    await_state(&scene, KIN_REFLECTOR_CONNECTING);
    assert_int_equal(atomic_load(&scene.n_watching), 0);
    /* More than the longest watch timeout plus 90 s. */
    assert_code(kin_clock_advance(scene.clock, 700 * KIN__SECOND, NULL), 0);
    status = await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
    assert_int_equal(status.last_error.code, KIN_ECONNECT);
    assert_int_equal(atomic_load(&scene.n_refusals), 1);
    assert_int_equal(atomic_load(&scene.n_watching), 0);
    pass_delay(&scene, &status);
    await_version(&scene, "10");
    await_state(&scene, KIN_REFLECTOR_WATCHING);
    assert_int_equal(atomic_load(&scene.n_lists), 1);
    scene_close(&scene);
}

/* The server asks for an hour: the status says so at once, and the reflector comes back within its own limit. */
static void a_busy_server_does_not_make_it_deaf(void **state)
{
    static const int refusals[] = {429, 503};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = {
            .list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1")),
            .watch = CHANGE("ADDED", OBJECT("b", "10")),
            .clock = client_fake_clock(),
            .n_refused = 2,
            .refusal = refusals[i],
        };
        kin_reflector_status status;

        scene_open(&scene);
        for (unsigned n = 1; n <= 2; n++) {
            do {
                status = await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
            } while (status.retries < n);
            assert_int_equal(status.last_error.http_status, refusals[i]);
            assert_int_equal(status.last_error.retry_after_ms, 3600 * 1000);
            assert_int_equal(atomic_load(&scene.n_refusals), n);
            pass_delay(&scene, &status);
        }
        await_version(&scene, "10");
        await_state(&scene, KIN_REFLECTOR_WATCHING);
        assert_int_equal(atomic_load(&scene.n_lists), 1);
        scene_close(&scene);
    }
}

/* The second page is refused: the list goes on with it, and the first is not asked for again. */
static void a_refused_page_does_not_restart_the_list(void **state)
{
    static const int refusals[] = {429, 503};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = {
            .list = LIST("\"resourceVersion\":\"9\",\"continue\":\"t1\"", OBJECT("a", "1")),
            .second_page = LIST("\"resourceVersion\":\"9\"", OBJECT("b", "2")),
            .watch = CHANGE("ADDED", OBJECT("c", "10")),
            .clock = client_fake_clock(),
            .n_refused = 1,
            .refusal = refusals[i],
        };
        kin_reflector_status status;

        scene_open(&scene);
        status = await_state(&scene, KIN_REFLECTOR_BACKING_OFF);
        assert_int_equal(status.last_error.http_status, refusals[i]);
        pass_delay(&scene, &status);
        await_version(&scene, "10");
        assert_true(has(&scene, "ns/a") && has(&scene, "ns/b") && has(&scene, "ns/c"));
        assert_int_equal(atomic_load(&scene.n_lists), 1);
        assert_int_equal(atomic_load(&scene.n_tokens), 2);
        scene_close(&scene);
    }
}

/* Its workers go with the client, and it ends. */
static void ends_with_its_client(void **state)
{
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1")),
        .watch = "",
    };
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    scene_open(&scene);
    await_version(&scene, "9");
    kin_client_free(scene.f.client);
    scene.f.client = NULL;
    assert_code(kin_reflector_wait(scene.reflector, 20000, NULL), 0);
    assert_int_equal(status_of(&scene).state, KIN_REFLECTOR_STOPPED);
    assert_code(kin_reflector_start(scene.reflector, &err), KIN_ECLOSED);
    assert_true(has(&scene, "ns/a"));
    scene_close(&scene);
}

/* --- a server that stops answering --- */

static void a_silent_server_is_doubted_and_then_left(void **state)
{
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"5\"", ""), .watch = "", .probe_after_ms = 200};

    (void)state;
    scene_open(&scene);
    while (status_of(&scene).state != KIN_REFLECTOR_WATCHING)
        sched_yield();
    /* Its probes are answered, and that is heard. */
    int64_t begun = status_of(&scene).last_heard;
    while (status_of(&scene).last_heard == begun)
        sched_yield();
    assert_int_equal(status_of(&scene).in_doubt, false);
    atomic_store(&scene.is_silent, true);
    while (!status_of(&scene).in_doubt)
        sched_yield();
    assert_int_equal(status_of(&scene).state, KIN_REFLECTOR_WATCHING);
    while (status_of(&scene).last_error.code == 0)
        sched_yield();
    assert_int_equal(status_of(&scene).last_error.code, KIN_ECONNECT);
    assert_non_null(strstr(status_of(&scene).last_error.message, "no answer to a probe"));
    kin_test_http_release_all(scene.f.server);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(lists_and_watches),
        client_test(a_silent_server_is_doubted_and_then_left),
        client_test(streams_a_list),
        client_test(stops_while_the_server_is_silent),
        client_test(goes_on_when_the_server_is_back),
        client_test(an_unanswered_watch_is_no_watch),
        client_test(a_busy_server_does_not_make_it_deaf),
        client_test(a_refused_page_does_not_restart_the_list),
        client_test(ends_with_its_client),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
