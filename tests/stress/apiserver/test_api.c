/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API with writers, watches, lists, namespaces and definitions that come and go, a clock that
 * runs and a past that is forgotten, all at once; in memory and in SQLite. In the end every watch
 * has told what a list shows.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api_support.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "replayer.h"
#include "rng.h"
#include "state_support.h"

enum { N_WRITERS = 3, N_WATCHERS = 4, REQUESTS = 1500, N_NAMES = 20, PATCHES = 200 };

struct world {
    kin_test_api api;
    atomic_uint seed;
    atomic_uint n_writers;
    atomic_bool is_over; /* nothing is written any more */
};

static void ask(struct world *world, const char *line, const char *type, const char *body)
{
    kin_test_call call;

    kin_test_call_start(&world->api, &call,
                        &(kin_test_request){.line = line, .content_type = type, .body = body});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    if (call.reply.status >= 500)
        fail_msg("%s %s: %d: %s", line, body ? body : "", call.reply.status, call.text.data);
    kin_test_call_done(&call);
}

static void write_configmap(struct world *world, kin_test_rng *rng)
{
    static const char *const spaces[] = {"default", "kube-system", "churn"};
    static const char *const labels[] = {"x", "y"};
    const char *space = spaces[kin_test_below(rng, 3)];
    const char *label = labels[kin_test_below(rng, 2)];
    unsigned name = (unsigned)kin_test_below(rng, N_NAMES);
    char line[256];
    char body[256];

    switch (kin_test_below(rng, 4)) {
    case 0:
        snprintf(line, sizeof(line), "POST /api/v1/namespaces/%s/configmaps", space);
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"l\":\"%s\"}}}",
                 name, label);
        ask(world, line, NULL, body);
        break;
    case 1:
        snprintf(line, sizeof(line), "PATCH /api/v1/namespaces/%s/configmaps/n%u", space, name);
        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"l\":\"%s\"}}}", label);
        ask(world, line, "application/merge-patch+json", body);
        break;
    case 2:
        snprintf(line, sizeof(line), "DELETE /api/v1/namespaces/%s/configmaps/n%u", space, name);
        ask(world, line, NULL, NULL);
        break;
    default:
        snprintf(line, sizeof(line), "PUT /api/v1/namespaces/%s/configmaps/n%u", space, name);
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"n%u\"},\"data\":{\"k\":\"%llu\"}}",
                 name, (unsigned long long)kin_test_below(rng, 1000));
        ask(world, line, NULL, body);
    }
}

static void write_something(struct world *world, kin_test_rng *rng)
{
    static const char crd[] =
        "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
    static const char crds[] = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    char line[256];

    switch (kin_test_below(rng, 60)) {
    case 0:
        ask(world, "POST /api/v1/namespaces", NULL, "{\"metadata\":{\"name\":\"churn\"}}");
        break;
    case 1:
        ask(world, "DELETE /api/v1/namespaces/churn", NULL, NULL);
        break;
    case 2:
        snprintf(line, sizeof(line), "POST %s", crds);
        ask(world, line, NULL, crd);
        break;
    case 3:
        snprintf(line, sizeof(line), "DELETE %s/widgets.k.example", crds);
        ask(world, line, NULL, NULL);
        break;
    case 4:
    case 5:
        ask(world, "POST /apis/k.example/v1/namespaces/default/widgets", NULL,
            "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"generateName\":"
            "\"w-\"}}");
        break;
    case 6:
        ask(world, "POST /api/v1/namespaces/churn/pods", NULL,
            "{\"metadata\":{\"generateName\":\"p-\"},\"spec\":{\"nodeName\":\"n\","
            "\"terminationGracePeriodSeconds\":1}}");
        break;
    case 7:
        ask(world, "DELETE /api/v1/namespaces/default/configmaps?labelSelector=l%3Dy", NULL, NULL);
        break;
    case 8:
        ask(world, "GET /api/v1/configmaps?limit=7", NULL, NULL);
        break;
    default:
        write_configmap(world, rng);
    }
}

static void *writer(void *arg)
{
    struct world *world = arg;
    kin_test_rng rng = {atomic_fetch_add(&world->seed, 1)};

    for (unsigned i = 0; i < REQUESTS; i++)
        write_something(world, &rng);
    atomic_fetch_sub(&world->n_writers, 1);
    return NULL;
}

/* Follow one watch until it has ended, or all is over. Whether it is at its end in peace. */
static bool follow(struct world *world, const char *selector, bool with_metadata)
{
    static const char *const accepts[] = {
        "application/json", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"};
    static const char scope[] = "/api/v1/namespaces/default/configmaps";
    kin_test_replayer *replayer = test_malloc(sizeof(*replayer));
    kin_test_call call;
    char line[512];
    bool was_over = false;

    kin_test_replayer_init(replayer);
    snprintf(line, sizeof(line),
             "GET %s?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
             "allowWatchBookmarks=true&timeoutSeconds=30%s",
             scope, selector);
    kin_test_call_start(&world->api, &call,
                        &(kin_test_request){.line = line, .accept = accepts[with_metadata]});
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 200);
    while (!call.has_ended && !was_over) {
        was_over = atomic_load(&world->is_over);
        kin_test_call_read(&call, 0);
        size_t done = kin_test_replayer_read(replayer, kin__buf_str(&call.text));
        assert_int_equal(done, call.text.len);
        kin__buf_reset(&call.text);
        if (replayer->defect[0])
            fail_msg("%s: %s", line, replayer->defect);
        sched_yield();
    }
    if (!call.has_ended) {
        static _Thread_local char told[65536];
        static _Thread_local char listed[65536];
        kin_test_call list;

        kin_test_replayer_print(replayer, told, sizeof(told));
        snprintf(line, sizeof(line), "GET %s?x=1%s", scope, selector);
        kin_test_call_start(&world->api, &list, &(kin_test_request){.line = line});
        kin_test_call_wait(&list);
        kin_test_call_read(&list, 0);
        kin_test_list_print(kin__buf_str(&list.text), listed, sizeof(listed));
        kin_test_call_done(&list);
        if (strcmp(told, listed) != 0)
            fail_msg("%s: told\n%s\nlisted\n%s", line, told, listed);
    }
    was_over = !call.has_ended;
    kin_test_call_done(&call);
    test_free(replayer);
    return was_over;
}

static void *watcher(void *arg)
{
    static const char *const selectors[] = {"", "&labelSelector=l%3Dx",
                                            "&fieldSelector=metadata.name%21%3Dn1"};
    struct world *world = arg;
    unsigned n = atomic_fetch_add(&world->seed, 1);

    while (!follow(world, selectors[n % 3], n % 2 == 1))
        continue;
    return NULL;
}

static void *timekeeper(void *arg)
{
    struct world *world = arg;

    for (unsigned i = 0; atomic_load(&world->n_writers) > 0; i++) {
        assert_code(kin_clock_advance(world->api.clock, KIN__SECOND, NULL), 0);
        if (i % 64 == 63)
            kin__state_compact(world->api.state);
        sched_yield();
    }
    return NULL;
}

/* Watches that are opened and closed while the API stops. */
static void *closer(void *arg)
{
    struct world *world = arg;
    bool has_ended = false;

    while (!has_ended) {
        kin_test_call call;

        kin_test_call_start(&world->api, &call,
                            &(kin_test_request){.line = "GET /api/v1/configmaps?watch=1&"
                                                        "resourceVersion=0"});
        kin_test_call_wait(&call);
        kin_test_call_read(&call, 0);
        has_ended = call.has_ended;
        kin_test_call_done(&call);
    }
    return NULL;
}

/* Many change one object at once: nothing is lost, and no version is given twice. */
static void *patcher(void *arg)
{
    struct world *world = arg;
    unsigned n = atomic_fetch_add(&world->seed, 1);

    for (unsigned i = 0; i < PATCHES; i++) {
        char body[128];

        snprintf(body, sizeof(body), "{\"data\":{\"t%u-%u\":\"x\"}}", n, i);
        ask(world, "PATCH /api/v1/namespaces/default/secrets/one", "application/merge-patch+json",
            body);
    }
    return NULL;
}

static void patch_one(struct world *world)
{
    pthread_t threads[N_WRITERS];
    kin_test_call call;
    uint64_t before;
    unsigned n = 0;

    ask(world, "POST /api/v1/namespaces/default/secrets", NULL,
        "{\"metadata\":{\"name\":\"one\"}}");
    before = kin__state_version(world->api.state);
    for (size_t i = 0; i < N_WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, patcher, world), 0);
    for (size_t i = 0; i < N_WRITERS; i++)
        pthread_join(threads[i], NULL);
    kin_test_call_start(&world->api, &call,
                        &(kin_test_request){.line = "GET /api/v1/namespaces/default/secrets/one"});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    for (const char *at = call.text.data; (at = strstr(at, "\"x\"")); at++)
        n++;
    assert_int_equal(n, N_WRITERS * PATCHES);
    assert_true(strtoull(kin_test_member(call.text.data, "resourceVersion"), NULL, 10) >=
                before + n);
    kin_test_call_done(&call);
}

static void run(const kin__state_options *options)
{
    struct world world = {.seed = 1, .n_writers = N_WRITERS};
    pthread_t writers[N_WRITERS];
    pthread_t watchers[N_WATCHERS];
    pthread_t clock;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_test_api_try_start(&world.api, NULL, options, &err), 0);
    for (size_t i = 0; i < N_WATCHERS; i++)
        assert_int_equal(pthread_create(&watchers[i], NULL, watcher, &world), 0);
    for (size_t i = 0; i < N_WRITERS; i++)
        assert_int_equal(pthread_create(&writers[i], NULL, writer, &world), 0);
    assert_int_equal(pthread_create(&clock, NULL, timekeeper, &world), 0);
    for (size_t i = 0; i < N_WRITERS; i++)
        pthread_join(writers[i], NULL);
    pthread_join(clock, NULL);
    atomic_store(&world.is_over, true);
    for (size_t i = 0; i < N_WATCHERS; i++)
        pthread_join(watchers[i], NULL);
    ask(&world, "DELETE /api/v1/namespaces/churn", NULL, NULL);
    patch_one(&world);
    for (size_t i = 0; i < N_WATCHERS; i++)
        assert_int_equal(pthread_create(&watchers[i], NULL, closer, &world), 0);
    kin__api_stop(world.api.api);
    for (size_t i = 0; i < N_WATCHERS; i++)
        pthread_join(watchers[i], NULL);
    kin_test_api_stop(&world.api);
}

static void in_memory(void **unused)
{
    const kin__state_options options = {.window_changes = 200};

    (void)unused;
    run(&options);
}

static void in_sqlite(void **unused)
{
    const char *path = kin_test_database("stress");
    kin__state_options options = {.window_changes = 200};
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    assert_code(kin__storage_sqlite_open(&options.storage, path, false, &err), 0);
    run(&options);
    kin_test_remove_database(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_memory),
        cmocka_unit_test(in_sqlite),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
