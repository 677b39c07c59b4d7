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
};

static void chunks(kin_test_http_conn *conn, const char *text)
{
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, text[0] ? text : "\n");
    kin_test_http_wait_for_client_close(conn);
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct scene *scene = arg;

    if (strstr(request->target, "sendInitialEvents=true")) {
        if (scene->streams)
            chunks(conn, scene->initial);
        else
            kin_test_http_answer(conn, 400, "application/json", STATUS(400, "BadRequest"));
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

    client.max_retries = -1;
    client.n_workers = 1; /* whatever waits for itself does so here */
    client_open(&scene->f, &client, &server);
    assert_code(kin_client_list_watch(scene->f.client, &scene->source, scene->f.pods, NULL, NULL),
                0);
    assert_code(kin_store_new(&scene->store, NULL, NULL), 0);
    assert_code(kin_store_reflector_store(&into, scene->store), 0);
    options.backoff_initial_ms = 1;
    options.backoff_max_ms = 20;
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
}

static kin_reflector_status status_of(struct scene *scene)
{
    kin_reflector_status status = KIN_REFLECTOR_STATUS_INIT;

    assert_code(kin_reflector_get_status(scene->reflector, &status, NULL), 0);
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

    kin_reflector_status status = status_of(&scene);

    assert_int_equal(status.skipped, 2);
    assert_int_equal(status.lists, 1);
    assert_int_equal(status.streams, 0);
    assert_int_equal(status.state, KIN_REFLECTOR_WATCHING);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(lists_and_watches),
        client_test(streams_a_list),
        client_test(stops_while_the_server_is_silent),
        client_test(goes_on_when_the_server_is_back),
        client_test(ends_with_its_client),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
