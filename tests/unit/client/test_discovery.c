/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server has, asked for over the network, kept, and asked for again. What documents mean is
 * tested by test_catalog.c.
 */
#include "client_support.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "catalog_support.h"
#include "client/client.h"

/* The paths of a server that does not aggregate, and their files. */
static const char *const paths[] = {"/api",
                                    "/apis",
                                    "/api/v1",
                                    "/apis/apps/v1",
                                    "/apis/autoscaling/v1",
                                    "/apis/autoscaling/v2",
                                    "/apis/charts.example.com/v1beta1",
                                    "/apis/events.k8s.io/v1",
                                    "/apis/networking.k8s.io/v1",
                                    "/apis/stable.example.com/v1",
                                    "/apis/stable.example.com/v1beta1",
                                    "/apis/storage.k8s.io/v1"};

struct scene {
    client_fixture f;
    kin_clock *clock;
};

static void scene_open(struct scene *scene)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    scene->clock = client_fake_clock();
    options.clock = scene->clock;
    client_open(&scene->f, &options, NULL);
}

static void scene_close(struct scene *scene)
{
    client_close(&scene->f);
    kin_clock_unref(scene->clock);
}

static void add_file_route(client_fixture *f, const char *path, const char *file)
{
    char *text = discovery_file(file);

    assert_non_null(text);
    client_route(f, "GET", path, 200, text);
    free(text);
}

/* All of them but `without`, which may be NULL. */
static void add_old(client_fixture *f, const char *without)
{
    for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
        char file[128];

        if (without && strcmp(paths[i], without) == 0)
            continue;
        snprintf(file, sizeof(file), "%s.json", paths[i] + 1);
        for (char *at = file; (at = strchr(at, '/'));)
            *at = '-';
        add_file_route(f, paths[i], file);
    }
}

static void add_aggregated(client_fixture *f)
{
    add_file_route(f, "/api", "aggregated-api-v2.json");
    add_file_route(f, "/apis", "aggregated-apis-v2.json");
}

static int resolve(struct scene *scene, const char *name, const char *api_version, kin_error *err)
{
    kin_resource *resource = NULL;
    int code = kin_client_resolve(scene->f.client, &resource, name, err);

    assert_int_equal(resource != NULL, code == 0);
    if (resource && api_version)
        assert_string_equal(kin_resource_api_version(resource), api_version);
    kin_resource_unref(resource);
    return code;
}

static unsigned n_requests(struct scene *scene)
{
    return kin_test_http_count(scene->f.server).requests;
}

static void a_server_that_aggregates_is_asked_twice(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_aggregated(&scene.f);
    assert_code(resolve(&scene, "pods", "v1", NULL), 0);
    assert_int_equal(n_requests(&scene), 2);
    for (unsigned i = 0; i < 2; i++) {
        const char *accept =
            kin_test_http_field_of(kin_test_http_request_at(scene.f.server, i), "Accept");

        assert_non_null(strstr(accept, "g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"));
    }
    assert_code(resolve(&scene, "po", "v1", NULL), 0);
    assert_code(resolve(&scene, "deployments.apps", "apps/v1", NULL), 0);
    assert_code(resolve(&scene, "Deployment", "apps/v1", NULL), 0);
    /* Kept, however long. */
    assert_code(kin_clock_advance(scene.clock, INT64_C(86400) * 1000000000, NULL), 0);
    assert_code(resolve(&scene, "deploy", "apps/v1", NULL), 0);
    assert_int_equal(n_requests(&scene), 2);
    scene_close(&scene);
}

static void count(kin_resource *resource, void *arg)
{
    assert_true(kin_resource_has_verb(resource, "list"));
    ++*(unsigned *)arg;
}

static void categories_are_of_the_same_answer(void **state)
{
    struct scene scene;
    unsigned n = 0;

    (void)state;
    scene_open(&scene);
    add_aggregated(&scene.f);
    assert_code(kin_client_category(scene.f.client, "all", count, &n, NULL), 0);
    assert_true(n > 2);
    assert_int_equal(n_requests(&scene), 2);
    assert_code(kin_client_category(scene.f.client, "nosuch", count, &n, NULL), KIN_ENOTFOUND);
    assert_code(resolve(&scene, "pods", "v1", NULL), 0);
    assert_int_equal(n_requests(&scene), 2);
    assert_code(kin_client_category(NULL, "all", count, &n, NULL), KIN_EINVAL);
    assert_code(kin_client_category(scene.f.client, NULL, count, &n, NULL), KIN_EINVAL);
    assert_code(kin_client_category(scene.f.client, "all", NULL, &n, NULL), KIN_EINVAL);
    scene_close(&scene);
}

static void an_older_server_is_asked_for_each_group(void **state)
{
    struct scene scene;
    unsigned n;

    (void)state;
    scene_open(&scene);
    add_old(&scene.f, NULL);
    assert_code(resolve(&scene, "pods", "v1", NULL), 0);
    n = n_requests(&scene);
    assert_true(n > 2);
    assert_code(resolve(&scene, "deployments", "apps/v1", NULL), 0);
    assert_int_equal(n_requests(&scene), n);
    scene_close(&scene);
}

/* A document per group version would take what the program has for its own requests. */
static void it_does_not_count_for_the_rate_limit(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    struct scene scene;

    (void)state;
    scene.clock = client_fake_clock();
    options.clock = scene.clock;
    options.qps = 0.001;
    options.burst = 1;
    client_open(&scene.f, &options, NULL);
    add_old(&scene.f, NULL);
    client_route(&scene.f, NULL, NULL, 200, POD);
    assert_code(resolve(&scene, "deployments", "apps/v1", NULL), 0);
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, NULL), 0);
    assert_code(kin_client_get(scene.f.client, NULL, scene.f.pods, "ns", "web", NULL, NULL),
                KIN_ETIMEOUT);
    scene_close(&scene);
}

static void a_name_that_is_missing_is_looked_for_again_later(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_aggregated(&scene.f);
    for (int i = 0; i < 3; i++)
        assert_code(resolve(&scene, "gadgets", NULL, &err), KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, "gadgets"));
    assert_int_equal(n_requests(&scene), 2);
    assert_code(kin_clock_advance(scene.clock, INT64_C(4999) * 1000000, NULL), 0);
    assert_code(resolve(&scene, "gadgets", NULL, &err), KIN_ENOTFOUND);
    assert_int_equal(n_requests(&scene), 2);
    assert_code(kin_clock_advance(scene.clock, 1000000, NULL), 0);
    assert_code(resolve(&scene, "gadgets", NULL, &err), KIN_ENOTFOUND);
    assert_int_equal(n_requests(&scene), 4);
    assert_code(resolve(&scene, "gadgets", NULL, &err), KIN_ENOTFOUND);
    assert_int_equal(n_requests(&scene), 4);
    scene_close(&scene);
}

static void what_is_installed_later_is_found(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_file_route(&scene.f, "/api", "api.json");
    add_file_route(&scene.f, "/api/v1", "api-v1.json");
    assert_code(resolve(&scene, "deployments", NULL, NULL), KIN_ENOTFOUND);
    kin_test_http_clear_routes(scene.f.server);
    add_aggregated(&scene.f);
    assert_code(resolve(&scene, "deployments", NULL, NULL), KIN_ENOTFOUND);
    assert_code(kin_clock_advance(scene.clock, INT64_C(5) * 1000000000, NULL), 0);
    assert_code(resolve(&scene, "deployments", "apps/v1", NULL), 0);
    scene_close(&scene);
}

/* Aggregated servers come and go; what they answer then says nothing of the rest. */
static void a_group_that_does_not_answer_is_left_out(void **state)
{
    static const struct {
        int status;
        const char *body;
    } cases[] = {{503, "down"},
                 {404, "gone"},
                 {403, STATUS(403, "Forbidden")},
                 {200, "garbage"},
                 {200, "{}"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_error err = KIN_ERROR_INIT;
        struct scene scene;

        scene_open(&scene);
        add_old(&scene.f, "/apis/apps/v1");
        client_route(&scene.f, "GET", "/apis/apps/v1", cases[i].status, cases[i].body);
        assert_code(resolve(&scene, "pods", "v1", &err), 0);
        assert_code(resolve(&scene, "deployments.apps", NULL, &err), KIN_ENOTFOUND);
        kin_test_http_clear_routes(scene.f.server);
        add_old(&scene.f, NULL);
        assert_code(kin_clock_advance(scene.clock, INT64_C(5) * 1000000000, NULL), 0);
        assert_code(resolve(&scene, "deployments.apps", "apps/v1", &err), 0);
        scene_close(&scene);
    }
}

static void a_server_that_tells_nothing_is_no_server_without_pods(void **state)
{
    static const struct {
        int status;
        const char *body;
        int code;
    } cases[] = {
        {403, STATUS(403, "Forbidden"), KIN_EDENIED},
        {401, STATUS(401, "No"), KIN_EDENIED},
        {404, "nginx", KIN_EPROTOCOL},
        {500, "oops", KIN_ESERVER},
        {200, "garbage", KIN_EPROTOCOL},
        {200, "", KIN_EPROTOCOL},
        {200, "{}", KIN_EPROTOCOL},
        {200, POD, KIN_EPROTOCOL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_error err = KIN_ERROR_INIT;
        struct scene scene;

        scene_open(&scene);
        client_route(&scene.f, NULL, NULL, cases[i].status, cases[i].body);
        if (resolve(&scene, "pods", NULL, &err) != cases[i].code)
            fail_msg("%d %s: %s %s", cases[i].status, cases[i].body, kin_error_name(err.code),
                     err.message);
        assert_int_equal(err.code, cases[i].code);
        assert_true(err.message[0]);
        /* It was not kept. */
        kin_test_http_clear_routes(scene.f.server);
        add_aggregated(&scene.f);
        assert_code(resolve(&scene, "pods", "v1", &err), 0);
        scene_close(&scene);
    }
}

/* --- many at once --- */

struct asker {
    struct scene *scene;
    const char *name;
    pthread_t thread;
    int code;
    kin_error err;
};

static void *ask(void *arg)
{
    struct asker *asker = arg;

    asker->code = resolve(asker->scene, asker->name, NULL, &asker->err);
    return NULL;
}

enum { N_ASKERS = 8 };

/* Until all but the one who asks wait for it. */
static void await_waiting(kin_client *client)
{
    size_t n;

    do {
        sched_yield();
        kin__mutex_lock(&client->lock);
        n = client->discovery.n_waiting;
        kin__mutex_unlock(&client->lock);
    } while (n < N_ASKERS - 1);
}

/*
 * One asks and is stalled; so much later the others come, and wait; so much later what stands in the
 * way is taken away. `code` is what all of them get.
 */
static void ask_together(struct scene *scene, const char *name, int64_t seconds, int code)
{
    struct asker askers[N_ASKERS];

    for (unsigned i = 0; i < N_ASKERS; i++) {
        askers[i] = (struct asker){.scene = scene, .name = name, .err = KIN_ERROR_INIT};
        assert_int_equal(pthread_create(&askers[i].thread, NULL, ask, &askers[i]), 0);
        if (i > 0)
            continue;
        kin_test_http_await_stalled(scene->f.server, 1);
        assert_code(kin_clock_advance(scene->clock, seconds * 1000000000, NULL), 0);
    }
    await_waiting(scene->f.client);
    assert_code(kin_clock_advance(scene->clock, seconds * 1000000000, NULL), 0);
    kin_test_http_release_all(scene->f.server);
    for (unsigned i = 0; i < N_ASKERS; i++) {
        assert_int_equal(pthread_join(askers[i].thread, NULL), 0);
        assert_code(askers[i].code, code);
        if (code < 0)
            assert_true(askers[i].err.message[0]);
    }
}

static void add_stalled(client_fixture *f, const char *file)
{
    char *text = discovery_file(file);

    kin_test_http_add_route(f->server, &(kin_test_http_route){.method = "GET",
                                                              .target = "/api",
                                                              .body = text,
                                                              .shape = KIN_TEST_HTTP_STALL_FIRST});
    free(text);
}

static void many_who_ask_share_one_answer(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_stalled(&scene.f, "aggregated-api-v2.json");
    add_file_route(&scene.f, "/apis", "aggregated-apis-v2.json");
    ask_together(&scene, "pods", 0, 0);
    assert_int_equal(n_requests(&scene), 2);
    scene_close(&scene);
}

/* Also of a name that is not in what is kept, and is looked for again. */
static void many_who_miss_a_name_share_one_answer(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_file_route(&scene.f, "/api", "api.json");
    add_file_route(&scene.f, "/api/v1", "api-v1.json");
    assert_code(resolve(&scene, "deployments", NULL, NULL), KIN_ENOTFOUND);
    assert_int_equal(n_requests(&scene), 3);
    assert_code(kin_clock_advance(scene.clock, INT64_C(5) * 1000000000, NULL), 0);
    kin_test_http_clear_routes(scene.f.server);
    add_stalled(&scene.f, "aggregated-api-v2.json");
    add_file_route(&scene.f, "/apis", "aggregated-apis-v2.json");
    ask_together(&scene, "deployments", 0, 0);
    assert_int_equal(n_requests(&scene), 5);
    scene_close(&scene);
}

static void many_who_ask_share_one_failure(void **state)
{
    struct scene scene;

    (void)state;
    scene_open(&scene);
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.times = 1,
                                                   .status = 403,
                                                   .body = STATUS(403, "Forbidden"),
                                                   .shape = KIN_TEST_HTTP_STALL_FIRST});
    client_route(&scene.f, NULL, NULL, 403, STATUS(403, "Forbidden"));
    ask_together(&scene, "pods", 0, KIN_EDENIED);
    assert_int_equal(n_requests(&scene), 1);
    scene_close(&scene);
}

/* Who comes so late that the answer is old to them ask once more, together. */
static void an_answer_that_takes_long_is_asked_for_once_more(void **state)
{
    (void)state;
    for (int64_t seconds = 4; seconds <= 5; seconds++) {
        struct scene scene;

        scene_open(&scene);
        add_aggregated(&scene.f);
        assert_code(resolve(&scene, "gadgets", NULL, NULL), KIN_ENOTFOUND);
        assert_code(kin_clock_advance(scene.clock, INT64_C(5) * 1000000000, NULL), 0);
        kin_test_http_clear_routes(scene.f.server);
        add_stalled(&scene.f, "aggregated-api-v2.json");
        add_file_route(&scene.f, "/apis", "aggregated-apis-v2.json");
        ask_together(&scene, "gadgets", seconds, KIN_ENOTFOUND);
        assert_int_equal(n_requests(&scene), seconds < 5 ? 4 : 6);
        scene_close(&scene);
    }
}

/* An API server behind the API server that takes requests and does not answer. */
static void groups_that_hang_are_left_out_if_they_are_few(void **state)
{
    static const char *const hanging[] = {"/apis/apps/v1", "/apis/storage.k8s.io/v1",
                                          "/apis/networking.k8s.io/v1"};

    (void)state;
    for (unsigned n = 1; n <= 3; n++) {
        struct scene scene;
        struct asker asker = {.scene = &scene, .name = "pods", .err = KIN_ERROR_INIT};

        scene_open(&scene);
        for (unsigned i = 0; i < n; i++)
            kin_test_http_add_route(
                scene.f.server,
                &(kin_test_http_route){.target = hanging[i], .shape = KIN_TEST_HTTP_STALL_FIRST});
        add_old(&scene.f, NULL);
        assert_int_equal(pthread_create(&asker.thread, NULL, ask, &asker), 0);
        for (unsigned i = 0; i < n; i++) {
            kin_test_http_await_stalled(scene.f.server, 1);
            client_advance(scene.clock, 1, 30000);
            kin_test_http_await_closed(scene.f.server, i + 1);
        }
        assert_int_equal(pthread_join(asker.thread, NULL), 0);
        assert_code(asker.code, n < 3 ? 0 : KIN_ETIMEOUT);
        scene_close(&scene);
    }
}

static struct scene *asked_from_inside;

static void ask_from_inside(kin_str text, void *arg)
{
    kin_resource *resource = NULL;

    (void)text;
    *(int *)arg = kin_client_resolve(asked_from_inside->f.client, &resource, "pods", NULL);
    kin_resource_unref(resource);
}

static void who_asks_cannot_wait_for_itself(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    struct scene scene;
    int code = 0;

    (void)state;
    scene.clock = client_fake_clock();
    options.clock = scene.clock;
    options.warning = ask_from_inside;
    options.warning_arg = &code;
    client_open(&scene.f, &options, NULL);
    asked_from_inside = &scene;
    kin_test_http_add_route(scene.f.server,
                            &(kin_test_http_route){.target = "/api",
                                                   .status = 404,
                                                   .fields = "Warning: 299 - \"old\"\r\n",
                                                   .body = "none"});
    add_file_route(&scene.f, "/apis", "aggregated-apis-v2.json");
    assert_code(resolve(&scene, "deployments", "apps/v1", NULL), 0);
    assert_code(code, KIN_EBUSY);
    scene_close(&scene);
}

static void arguments_are_checked(void **state)
{
    kin_resource *resource = NULL;
    struct scene scene;

    (void)state;
    scene_open(&scene);
    add_aggregated(&scene.f);
    assert_code(kin_client_resolve(NULL, &resource, "pods", NULL), KIN_EINVAL);
    assert_code(kin_client_resolve(scene.f.client, NULL, "pods", NULL), KIN_EINVAL);
    assert_code(kin_client_resolve(scene.f.client, &resource, NULL, NULL), KIN_EINVAL);
    assert_code(kin_client_resolve(scene.f.client, &resource, "", NULL), KIN_EINVAL);
    scene_close(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_server_that_aggregates_is_asked_twice),
        client_test(an_older_server_is_asked_for_each_group),
        client_test(categories_are_of_the_same_answer),
        client_test(it_does_not_count_for_the_rate_limit),
        client_test(a_name_that_is_missing_is_looked_for_again_later),
        client_test(what_is_installed_later_is_found),
        client_test(a_group_that_does_not_answer_is_left_out),
        client_test(a_server_that_tells_nothing_is_no_server_without_pods),
        client_test(many_who_ask_share_one_answer),
        client_test(many_who_miss_a_name_share_one_answer),
        client_test(many_who_ask_share_one_failure),
        client_test(an_answer_that_takes_long_is_asked_for_once_more),
        client_test(groups_that_hang_are_left_out_if_they_are_few),
        client_test(who_asks_cannot_wait_for_itself),
        client_test(arguments_are_checked),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
