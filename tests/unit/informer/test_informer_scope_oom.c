/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Other namespaces and selectors without memory: from the moment at which they are set, each allocation fails
 * in turn, and then that one and all behind it for a while. What is called fails cleanly; the informer gets
 * there by itself.
 */
#include "client_support.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "kinform/informer.h"

enum { MAX_ALLOCATIONS = 10000, PATIENCE = 20 };

struct scene {
    client_fixture f;
    kin_clock *clock;
    kin_logger *logger;
    kin_informer *informer;
    atomic_uint n_selected; /* watches with the selector */
    size_t nth;
    bool failed;
    unsigned patience;
};

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

/* --- the server: two pods in each namespace, which never change --- */

static void list(kin_test_http_conn *conn, const char *target)
{
    const char *at = strstr(target, "/namespaces/") + strlen("/namespaces/");
    int len = (int)strcspn(at, "/");
    char json[512];

    snprintf(json, sizeof(json),
             "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"5\"},"
             "\"items\":[{\"metadata\":{\"name\":\"a\",\"namespace\":\"%.*s\","
             "\"resourceVersion\":\"1\"}},{\"metadata\":{\"name\":\"b\",\"namespace\":\"%.*s\","
             "\"resourceVersion\":\"2\"}}]}",
             len, at, len, at);
    kin_test_http_answer(conn, 200, "application/json", json);
}

static void watch(struct scene *scene, kin_test_http_conn *conn, const char *target)
{
    if (strstr(target, "labelSelector="))
        atomic_fetch_add(&scene->n_selected, 1);
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, "\n");
    kin_test_http_wait_for_client_close(conn);
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    struct scene *scene = arg;
    const char *target = request->target;

    if (strstr(target, "watch="))
        watch(scene, conn, target);
    else if (strstr(target, "/namespaces/"))
        list(conn, target);
    else if (strstr(target, "/api/v1"))
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":"
                             "[{\"name\":\"pods\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":"
                             "[\"list\",\"watch\"]}]}");
    else if (strstr(target, "/apis"))
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIGroupList\",\"groups\":[]}");
    else
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
}

/* --- memory --- */

static void give_memory(struct scene *scene)
{
    scene->failed |= kin_test_alloc_disarm();
}

static bool again(struct scene *scene, int code, const kin_error *err)
{
    if (code == 0)
        return false;
    if (code != KIN_ENOMEM || err->code != KIN_ENOMEM)
        fail_msg("allocation %zu: %s, \"%s\"", scene->nth, kin_error_name(code), err->message);
    give_memory(scene);
    return true;
}

/* --- what it gets to --- */

static bool has_only(struct scene *scene, const char *namespace_)
{
    kin_store *store = kin_informer_store(scene->informer);
    char key[64];

    snprintf(key, sizeof(key), "%s/a", namespace_);
    return kin_store_len(store) == 2 && kin_store_get(store, NULL, kin_str_of(key), NULL) == 0;
}

/* It is to look at "two". It may look at something else yet, and there may be nothing for a moment. */
static void check_what_it_says(struct scene *scene)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    if (kin_informer_wait_version(scene->informer, "5", 0, NULL) == 0)
        assert_code(
            kin_store_get(kin_informer_store(scene->informer), NULL, kin_str_of("two/a"), NULL), 0);
    assert_code(kin_informer_get_status(scene->informer, &status, NULL), 0);
    assert_int_not_equal(status.state, KIN_INFORMER_NEW);
    /* The server is at 5. */
    assert_code(kin_informer_wait_version(scene->informer, "6", 0, NULL), KIN_ETIMEOUT);
}

/* A little time passes. */
static void pass_time(struct scene *scene, int64_t deadline)
{
    check_what_it_says(scene);
    if (kin_test_alloc_has_failed() && ++scene->patience == PATIENCE)
        give_memory(scene);
    for (unsigned n = 0; n < 20; n++) {
        if (!kin_test_wait_turn(deadline))
            fail_msg("allocation %zu: for ever", scene->nth);
    }
    assert_code(kin_clock_advance(scene->clock, 20 * KIN__MILLISECOND, NULL), 0);
}

static void change(struct scene *scene)
{
    static const char *const two[] = {"two"};
    kin_error err = KIN_ERROR_INIT;
    int64_t deadline;

    while (again(scene, kin_informer_set_namespaces(scene->informer, two, 1, &err), &err)) {
    }
    check_what_it_says(scene);
    deadline = kin_test_deadline();
    while (!has_only(scene, "two"))
        pass_time(scene, deadline);
    while (again(scene, kin_informer_set_selectors(scene->informer, "a=b", NULL, &err), &err)) {
    }
    deadline = kin_test_deadline();
    while (atomic_load(&scene->n_selected) == 0 || !has_only(scene, "two"))
        pass_time(scene, deadline);
}

static void open_scene(struct scene *scene)
{
    static const char *const one[] = {"one"};
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(&scene->clock, 0, NULL), 0);
    assert_code(kin_logger_new(&scene->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    client.clock = scene->clock;
    client.logger = scene->logger;
    client.max_retries = -1;
    client.timeout_ms = -1;
    client.qps = -1;
    client_open(&scene->f, &client, &server);
    options.logger = scene->logger;
    options.namespaces = one;
    options.n_namespaces = 1;
    options.no_streaming_list = true;
    assert_code(kin_informer_new(&scene->informer, scene->f.client, "pods", &options, NULL), 0);
    assert_code(kin_informer_start(scene->informer, NULL), 0);
    assert_code(kin_informer_wait_synced(scene->informer, -1, NULL), 0);
}

static bool run(size_t nth, enum kin_test_alloc_mode mode)
{
    struct scene *scene = calloc(1, sizeof(*scene));
    size_t before = kin_test_alloc_live();
    bool failed;

    scene->nth = nth;
    open_scene(scene);
    kin_test_alloc_arm(nth, mode);
    change(scene);
    give_memory(scene);
    kin_informer_free(scene->informer);
    client_close(&scene->f);
    kin_logger_unref(scene->logger);
    kin_clock_unref(scene->clock);
    failed = scene->failed;
    free(scene);
    if (!client_await_allocations(before))
        fail_msg("allocation %zu: %zu allocations before, %zu after", nth, before,
                 kin_test_alloc_live());
    return failed;
}

/* Sanitizers' builds, being slow, look at some of them. */
static void sweep(enum kin_test_alloc_mode mode)
{
    size_t step = KIN_TEST_SANITIZED ? 7 : 1;
    size_t n = 1;

    assert_false(run(0, mode));
    for (; run(n, mode); n += step)
        assert_true(n < MAX_ALLOCATIONS);
    print_message("%zu allocations\n", n - 1);
    assert_true(n > 50);
}

static void one_fails(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_ONE);
}

static void all_fail_for_a_while(void **state)
{
    (void)state;
    sweep(KIN_TEST_FAIL_REST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_fails),
        cmocka_unit_test(all_fail_for_a_while),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
