/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Controllers over a client with one worker, which receives, decodes and processes: whatever waits for itself
 * does so here.
 */
#include "client_support.h"

#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "kinform/controller.h"
#include "latch.h"

#define OBJECT(name, version)                                                                      \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}}"
#define CHANGE(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

struct scene {
    client_fixture f;
    kin_list_watch *source;
    kin_store *store;
    kin_controller *controller;
    kin_test_latch told;
    bool is_silent;         /* the server never answers */
    bool frees;             /* the handler frees the controller */
    atomic_uint n_requests; /* that were lists */
};

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct scene *scene = arg;

    if (scene->is_silent) {
        kin_test_http_stall(conn);
    } else if (strstr(request->target, "watch=")) {
        kin_test_http_status(conn, 200);
        kin_test_http_header(conn, "Content-Type", "application/json");
        kin_test_http_chunk_text(conn, CHANGE("MODIFIED", OBJECT("a", "10")));
        kin_test_http_wait_for_client_close(conn);
    } else {
        atomic_fetch_add(&scene->n_requests, 1);
        kin_test_http_answer(conn, 200, "application/json",
                             LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1")));
    }
}

static void on_event(const kin_event *event, void *arg)
{
    struct scene *scene = arg;

    (void)event;
    assert_code(kin_controller_wait_stopped(scene->controller, -1, NULL), KIN_EBUSY);
    if (scene->frees) {
        kin_controller_free(scene->controller);
        scene->controller = NULL;
    }
    kin_test_latch_raise(&scene->told);
}

static void scene_open(struct scene *scene)
{
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_plain_informer_options options = KIN_PLAIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;

    kin_test_latch_init(&scene->told);
    client.max_retries = -1;
    client.n_workers = 1;
    client_open(&scene->f, &client, &server);
    assert_code(kin_client_list_watch(scene->f.client, &scene->source, scene->f.pods, NULL, NULL),
                0);
    reflector.streaming_lists = KIN_STREAMING_LISTS_NEVER;
    options.reflector = &reflector;
    assert_code(kin_controller_new_informer(&scene->controller, &scene->store, scene->source,
                                            on_event, scene, &options, NULL),
                0);
    assert_code(kin_controller_start(scene->controller, NULL), 0);
}

static void scene_close(struct scene *scene)
{
    kin_controller_free(scene->controller);
    kin_list_watch_unref(scene->source);
    kin_store_unref(scene->store);
    client_close(&scene->f);
    kin_test_latch_done(&scene->told);
}

static void it_lists_watches_and_goes_on(void **state)
{
    struct scene scene = {.is_silent = false};

    (void)state;
    scene_open(&scene);
    assert_code(kin_controller_wait_synced(scene.controller, 20000, NULL), 0);
    kin_test_latch_wait(&scene.told, 2);
    kin_controller_stop(scene.controller);
    assert_code(kin_controller_wait_stopped(scene.controller, 20000, NULL), 0);
    assert_code(kin_controller_start(scene.controller, NULL), 0);
    kin_test_latch_wait(&scene.told, 3);
    assert_int_equal(atomic_load(&scene.n_requests), 2);
    scene_close(&scene);
}

static void it_stops_while_the_server_is_silent(void **state)
{
    struct scene scene = {.is_silent = true};

    (void)state;
    scene_open(&scene);
    kin_test_http_await_stalled(scene.f.server, 1);
    kin_controller_stop(scene.controller);
    assert_code(kin_controller_wait_stopped(scene.controller, 20000, NULL), 0);
    assert_code(kin_controller_wait_synced(scene.controller, 20000, NULL), KIN_ECLOSED);
    scene_close(&scene);
}

static void its_handler_may_free_it(void **state)
{
    struct scene scene = {.frees = true};

    (void)state;
    scene_open(&scene);
    kin_test_latch_wait(&scene.told, 1);
    scene_close(&scene);
}

/* Its workers go with the client, and it ends. */
static void it_ends_with_its_client(void **state)
{
    struct scene scene = {.is_silent = false};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    scene_open(&scene);
    kin_test_latch_wait(&scene.told, 2);
    kin_client_free(scene.f.client);
    scene.f.client = NULL;
    assert_code(kin_controller_wait_stopped(scene.controller, 20000, NULL), 0);
    assert_code(kin_controller_start(scene.controller, &err), KIN_ECLOSED);
    assert_int_equal(kin_store_len(scene.store), 1);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(it_lists_watches_and_goes_on),
        client_test(it_stops_while_the_server_is_silent),
        client_test(its_handler_may_free_it),
        client_test(it_ends_with_its_client),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
