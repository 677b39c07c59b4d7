/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `max_list_bytes` of a client limits the lists of its informers: all pages together, and streaming lists up to their
 * end.
 */
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "client_support.h"
#include "kinform/informer.h"

#define OBJECT(name, version)                                                                      \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}}"
#define CHANGE(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define END                                                                                        \
    "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"     \
    "\"resourceVersion\":\"9\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}"
#define INITIAL CHANGE("ADDED", OBJECT("a", "1")) CHANGE("ADDED", OBJECT("b", "2"))
#define LATER CHANGE("ADDED", OBJECT("c", "10")) CHANGE("ADDED", OBJECT("d", "11"))

#define PAGE_1 LIST("\"resourceVersion\":\"9\",\"continue\":\"2\"", OBJECT("a", "1"))
#define PAGE_2 LIST("\"resourceVersion\":\"9\",\"continue\":\"3\"", OBJECT("b", "2"))
#define PAGE_3 LIST("\"resourceVersion\":\"9\"", OBJECT("c", "3"))

struct scene {
    client_fixture f;
    kin_clock *clock;
    kin_informer *informer;
    bool streams;        /* else the server refuses streaming lists */
    atomic_uint n_lists; /* first pages that were asked for */
    atomic_uint n_pages; /* others */
    atomic_uint n_lost;  /* of these: that are to break off */
    atomic_uint n_streams;
    atomic_uint n_errors; /* calls of the error function */
};

static void send_watch(kin_test_http_conn *conn, const char *text)
{
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, text);
    kin_test_http_wait_for_client_close(conn);
}

static void send_page(kin_test_http_conn *conn, struct scene *scene, const char *text)
{
    atomic_fetch_add(&scene->n_pages, 1);
    if (atomic_load(&scene->n_lost) > 0) {
        atomic_fetch_sub(&scene->n_lost, 1);
        kin_test_http_status(conn, 200);
        kin_test_http_header(conn, "Content-Type", "application/json");
        kin_test_http_chunk(conn, text, strlen(text) - 2);
        kin_test_http_reset(conn);
        return;
    }
    kin_test_http_answer(conn, 200, "application/json", text);
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct scene *scene = arg;

    if (strstr(request->target, "sendInitialEvents=true")) {
        if (scene->streams) {
            atomic_fetch_add(&scene->n_streams, 1);
            send_watch(conn, INITIAL END "\n" LATER);
        } else {
            kin_test_http_answer(conn, 400, "application/json", STATUS(400, "BadRequest"));
        }
    } else if (strstr(request->target, "watch=")) {
        send_watch(conn, "\n");
    } else if (strstr(request->target, "continue=")) {
        send_page(conn, scene, strstr(request->target, "continue=2") ? PAGE_2 : PAGE_3);
    } else {
        atomic_fetch_add(&scene->n_lists, 1);
        kin_test_http_answer(conn, 200, "application/json", PAGE_1);
    }
}

static void on_error(kin_informer *informer, const kin_failure *failure, void *arg)
{
    (void)informer;
    assert_true(failure->is_watch_error);
    atomic_fetch_add(&((struct scene *)arg)->n_errors, 1);
}

static void scene_open(struct scene *scene, size_t max)
{
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_list_watch *source = NULL;

    scene->clock = client_fake_clock();
    client.clock = scene->clock;
    client.max_list_bytes = (int64_t)max;
    client_open(&scene->f, &client, &server);
    options.error = on_error;
    options.error_arg = scene;
    assert_code(kin_client_list_watch(scene->f.client, &source, scene->f.pods, NULL, NULL), 0);
    assert_code(kin_informer_new_from(&scene->informer, source, &options, NULL), 0);
    kin_list_watch_unref(source);
    assert_code(kin_informer_start(scene->informer, NULL), 0);
}

static void scene_close(struct scene *scene)
{
    assert_code(kin_informer_free(scene->informer), 0);
    client_close(&scene->f);
    kin_clock_unref(scene->clock);
}

/* It has failed n times, and waits. */
static kin_informer_status await_failures(struct scene *scene, unsigned n)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    do {
        sched_yield();
        assert_code(kin_informer_get_status(scene->informer, &status, NULL), 0);
    } while (status.state != KIN_INFORMER_WAITING || atomic_load(&scene->n_errors) < n);
    assert_int_equal(atomic_load(&scene->n_errors), n);
    return status;
}

static void assert_limited(const kin_informer_status *status)
{
    assert_false(status->is_synced);
    assert_code(status->last_error.code, KIN_ELIMIT);
    assert_non_null(strstr(status->last_error.message, "max_list_bytes"));
}

/* All pages together are within the limit, or one byte beyond it. */
static void pages_are_one_list(void **state)
{
    const size_t len = strlen(PAGE_1 PAGE_2 PAGE_3);
    struct scene fits = {.streams = false};
    struct scene scene = {.streams = false};
    kin_informer_status status;

    (void)state;
    scene_open(&fits, len);
    assert_code(kin_informer_wait_synced(fits.informer, -1, NULL), 0);
    assert_int_equal(kin_store_len(kin_informer_store(fits.informer)), 3);
    scene_close(&fits);

    scene_open(&scene, len - 1);
    for (unsigned n = 1; n <= 3; n++) {
        status = await_failures(&scene, n);
        assert_limited(&status);
        /* It waits before the next list. */
        assert_int_equal(atomic_load(&scene.n_lists), n);
        assert_int_equal(atomic_load(&scene.n_pages), 2 * n);
        assert_code(kin_clock_advance(scene.clock, 120 * KIN__SECOND, NULL), 0);
    }
    scene_close(&scene);
}

/* A page that breaks off is asked for again, and counts once. */
static void a_page_that_comes_again_counts_once(void **state)
{
    struct scene scene = {.streams = false};

    (void)state;
    atomic_store(&scene.n_lost, 2);
    scene_open(&scene, strlen(PAGE_1 PAGE_2 PAGE_3));
    for (unsigned n = 1; n <= 2; n++) {
        await_failures(&scene, n);
        assert_code(kin_clock_advance(scene.clock, 120 * KIN__SECOND, NULL), 0);
    }
    assert_code(kin_informer_wait_synced(scene.informer, -1, NULL), 0);
    assert_int_equal(atomic_load(&scene.n_lists), 1);
    assert_int_equal(atomic_load(&scene.n_pages), 4);
    scene_close(&scene);
}

static void a_streaming_list_is_limited_up_to_its_end(void **state)
{
    struct scene fits = {.streams = true};
    struct scene scene = {.streams = true};
    kin_informer_status status;

    (void)state;
    scene_open(&fits, strlen(INITIAL END));
    assert_code(kin_informer_wait_version(fits.informer, "11", -1, NULL), 0);
    assert_int_equal(kin_store_len(kin_informer_store(fits.informer)), 4);
    assert_int_equal(atomic_load(&fits.n_lists), 0);
    scene_close(&fits);

    scene_open(&scene, strlen(INITIAL END) - 1);
    status = await_failures(&scene, 1);
    assert_limited(&status);
    /* No list follows at once; the one after the delay has the same limit. */
    assert_int_equal(atomic_load(&scene.n_streams), 1);
    assert_int_equal(atomic_load(&scene.n_lists), 0);
    assert_code(kin_clock_advance(scene.clock, 120 * KIN__SECOND, NULL), 0);
    status = await_failures(&scene, 2);
    assert_limited(&status);
    assert_int_equal(atomic_load(&scene.n_streams), 1);
    assert_int_equal(atomic_load(&scene.n_lists), 1);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(pages_are_one_list),
        client_test(a_page_that_comes_again_counts_once),
        client_test(a_streaming_list_is_limited_up_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
