/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Much is deleted in steps: whoever asks is not held up, others get their turn, and it ends when
 * the server does.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "api_test.h"
#include "apiserver/verbs/api_inside.h"
#include "base/clock.h"
#include "state_support.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define CRDS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/k.example/v1/namespaces/default/widgets"

enum { MANY = 600, STEP = 256 };

/* Something that keeps the schedule's thread busy until it may go on. */
struct blocker {
    kin__due due;
    kin_test_latch entered;
    kin_test_latch leave;
};

static void block_thread(kin__due *due)
{
    struct blocker *blocker = kin__container_of(due, struct blocker, due);

    kin_test_latch_raise(&blocker->entered);
    kin_test_latch_wait(&blocker->leave, 1);
}

static void block(struct blocker *blocker)
{
    kin_test_latch_init(&blocker->entered);
    kin_test_latch_init(&blocker->leave);
    kin__due_init(&blocker->due, block_thread);
    kin__schedule_now(&api.api->schedule, &blocker->due);
    kin_test_latch_wait(&blocker->entered, 1);
}

static void blocker_done(struct blocker *blocker)
{
    kin_test_latch_done(&blocker->entered);
    kin_test_latch_done(&blocker->leave);
}

static void create_many(const char *collection)
{
    char body[128];
    char line[256];

    snprintf(line, sizeof(line), "POST %s", collection);
    for (int i = 0; i < MANY; i++) {
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a%d\"}}", i);
        kin_test_send(&api, 201, line, body);
    }
}

static size_t count(const char *line)
{
    const char *at = kin_test_get(&api, 200, line);
    size_t n = 0;

    while ((at = strstr(at, "\"uid\"")) != NULL) {
        n++;
        at++;
    }
    return n;
}

static void collections(void **unused)
{
    struct blocker blocker;
    kin_test_call call;

    (void)unused;
    create_many(CONFIGMAPS);
    block(&blocker);
    kin_test_call_start(&api, &call, &(kin_test_request){.line = "DELETE " CONFIGMAPS});
    /* One step was made here, and no more; others are served meanwhile. */
    assert_int_equal(call.reply.status, 0);
    assert_int_equal(count("GET " CONFIGMAPS), MANY - STEP);
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"new\"}}");
    kin_test_latch_raise(&blocker.leave);
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 200);
    kin_test_call_read(&call, 0);
    HAS(call.text.data, "\"name\":\"a599\"");
    kin_test_call_done(&call);
    assert_int_equal(count("GET " CONFIGMAPS), 1);
    blocker_done(&blocker);
}

static void *stop(void *unused)
{
    kin__api_stop(api.api);
    return unused;
}

/* The server stops between two steps. */
static void no_further_step(void **unused)
{
    kin__schedule *schedule = &api.api->schedule;
    struct blocker blocker;
    kin_test_call call;
    bool is_stopping = false;
    pthread_t thread;

    (void)unused;
    create_many(CONFIGMAPS);
    block(&blocker);
    kin_test_call_start(&api, &call, &(kin_test_request){.line = "DELETE " CONFIGMAPS});
    assert_int_equal(pthread_create(&thread, NULL, stop, NULL), 0);
    while (!is_stopping) {
        kin__mutex_lock(&schedule->lock);
        is_stopping = schedule->is_stopping;
        kin__mutex_unlock(&schedule->lock);
        sched_yield();
    }
    kin_test_latch_raise(&blocker.leave);
    pthread_join(thread, NULL);
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 500);
    kin_test_call_done(&call);
    /* And one that comes too late. */
    kin_test_get(&api, 500, "DELETE " CONFIGMAPS);
    blocker_done(&blocker);
}

/* Until the object was deleted. */
static void await_deletion(const char *line)
{
    kin_test_call call;

    kin_test_call_start(&api, &call, &(kin_test_request){.line = line});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    while (!call.text.data || !strstr(call.text.data, "DELETED"))
        kin_test_call_read_more(&call);
    kin_test_call_done(&call);
}

static void namespaces(void **unused)
{
    struct blocker blocker;

    (void)unused;
    kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"n\"}}");
    create_many("/api/v1/namespaces/n/configmaps");
    create_many("/api/v1/namespaces/n/secrets");
    block(&blocker);
    kin_test_get(&api, 200, "DELETE /api/v1/namespaces/n");
    assert_int_equal(count("GET /api/v1/namespaces/n/configmaps"), MANY);
    kin_test_latch_raise(&blocker.leave);
    await_deletion(
        "GET /api/v1/namespaces?watch=1&resourceVersion=5&fieldSelector=metadata.name%3Dn");
    assert_int_equal(count("GET /api/v1/namespaces/n/configmaps"), 0);
    assert_int_equal(count("GET /api/v1/namespaces/n/secrets"), 0);
    blocker_done(&blocker);
}

/* They are cleared out, too, if they are deleted as a collection. */
static void definitions(void **unused)
{
    static const char crd[] =
        "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
        "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
        "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}";
    struct blocker blocker;

    (void)unused;
    /* What the schedule's thread does at the start is over. */
    block(&blocker);
    kin_test_latch_raise(&blocker.leave);
    kin_test_send(&api, 201, "POST " CRDS, crd);
    kin_test_send(&api, 201, "POST " WIDGETS,
                  "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":"
                  "\"w\"}}");
    kin_test_get(&api, 200, "DELETE " CRDS);
    await_deletion("GET " CRDS "?watch=1&resourceVersion=5");
    assert_string_equal(kin_test_get(&api, 404, "GET " WIDGETS), "404 page not found\n");
    /* It comes back at once, and empty. */
    kin_test_send(&api, 201, "POST " CRDS, crd);
    HAS(kin_test_get(&api, 200, "GET " WIDGETS), "\"items\":[]");
    blocker_done(&blocker);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(collections),
        TEST(no_further_step),
        TEST(namespaces),
        TEST(definitions),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
