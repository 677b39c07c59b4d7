/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes are answered when the storage has them, and not before; and what is said if it never will.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "base/compiler.h"
#include "state_support.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"

static kin_test_storage storage;
static kin_test_api api;

/* The four namespaces are versions 2 to 5. */
static int set_up(void **unused)
{
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    kin_test_storage_init(&storage);
    assert_code(
        kin_test_api_try_start(&api, NULL, &(kin__state_options){.storage = &storage.base}, &err),
        0);
    kin_test_storage_written(&storage, 5, 0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void start(kin_test_call *call, const char *line, const char *body)
{
    kin_test_call_start(&api, call, &(kin_test_request){.line = line, .body = body});
}

/* Whether there is no answer yet. All is done in this thread here. */
static bool is_open(const kin_test_call *call)
{
    return call->reply.status == 0;
}

static void answers_come_later(void **unused)
{
    kin_test_call calls[4];

    (void)unused;
    start(&calls[0], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    start(&calls[1], "PUT " CONFIGMAPS "/a",
          "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"1\"}}");
    start(&calls[2], "DELETE " CONFIGMAPS "/a", NULL);
    start(&calls[3], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    for (size_t i = 0; i < kin__array_len(calls); i++)
        assert_true(is_open(&calls[i]));
    /* Nobody sees what is not durable. */
    kin_test_get(&api, 404, "GET " CONFIGMAPS "/a");
    kin_test_storage_written(&storage, 7, 0);
    assert_int_equal(calls[0].reply.status, 201);
    assert_int_equal(calls[1].reply.status, 200);
    assert_true(is_open(&calls[2]));
    kin_test_assert_has(kin_test_get(&api, 200, "GET " CONFIGMAPS "/a"),
                        "\"resourceVersion\":\"7\"");
    kin_test_storage_written(&storage, 9, 0);
    assert_int_equal(calls[2].reply.status, 200);
    assert_int_equal(calls[3].reply.status, 201);
    for (size_t i = 0; i < kin__array_len(calls); i++)
        kin_test_call_done(&calls[i]);
}

/*
 * What exists is judged by the newest state, durable or not; but nobody hears of a state that a
 * crash could take back, be it that his write was refused or would change nothing.
 */
static void judgements_come_later(void **unused)
{
    static const char a[] = "{\"metadata\":{\"name\":\"a\"}}";
    static const struct {
        const char *line;
        const char *body;
        int status;
    } steps[] = {
        {"POST " CONFIGMAPS, a, 201},
        {"POST " CONFIGMAPS, a, 409},
        {"PUT " CONFIGMAPS "/a", a, 200},
        {"PUT " CONFIGMAPS "/a?dryRun=All", "{\"metadata\":{\"name\":\"a\"},\"data\":{}}", 200},
        {"PUT " CONFIGMAPS "/a", "{\"metadata\":{\"name\":\"a\",\"resourceVersion\":\"1\"}}", 409},
        {"POST /api/v1/namespaces/none/configmaps", a, 404},
    };
    kin_test_call calls[kin__array_len(steps)];

    (void)unused;
    for (int fails = 0; fails < 2; fails++) {
        if (fails) {
            kin_test_call gone;

            start(&gone, "DELETE " CONFIGMAPS "/a", NULL);
            kin_test_storage_written(&storage, 7, 0);
            assert_int_equal(gone.reply.status, 200);
            kin_test_call_done(&gone);
        }
        for (size_t i = 0; i < kin__array_len(calls); i++)
            start(&calls[i], steps[i].line, steps[i].body);
        for (size_t i = 0; i < kin__array_len(calls); i++)
            assert_true(is_open(&calls[i]));
        kin_test_storage_written(&storage, fails ? 7 : 6, fails ? KIN_ESYSTEM : 0);
        for (size_t i = 0; i < kin__array_len(calls); i++) {
            assert_int_equal(calls[i].reply.status, fails ? 500 : steps[i].status);
            kin_test_call_done(&calls[i]);
        }
    }
    /* Nothing is pending any more. */
    kin_test_get(&api, 404, "DELETE " CONFIGMAPS "/none");
}

static void collections_wait_for_all(void **unused)
{
    kin_test_call calls[3];

    (void)unused;
    start(&calls[0], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    start(&calls[1], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"b\"}}");
    kin_test_storage_written(&storage, 7, 0);
    start(&calls[2], "DELETE " CONFIGMAPS, NULL);
    kin_test_storage_written(&storage, 8, 0);
    assert_true(is_open(&calls[2]));
    kin_test_storage_written(&storage, 9, 0);
    assert_int_equal(calls[2].reply.status, 200);
    for (size_t i = 0; i < kin__array_len(calls); i++)
        kin_test_call_done(&calls[i]);
}

/* Of a collection the storage could not keep all. */
static void collections_that_fail(void **unused)
{
    kin_test_call calls[3];

    (void)unused;
    start(&calls[0], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    start(&calls[1], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"b\"}}");
    kin_test_storage_written(&storage, 7, 0);
    start(&calls[2], "DELETE " CONFIGMAPS, NULL);
    kin_test_storage_written(&storage, 8, 0);
    kin_test_storage_written(&storage, 8, KIN_ESYSTEM);
    assert_int_equal(calls[2].reply.status, 500);
    kin_test_get(&api, 200, "GET " CONFIGMAPS "/b");
    for (size_t i = 0; i < kin__array_len(calls); i++)
        kin_test_call_done(&calls[i]);
}

/* What another one is deleting has gone, but not before that is durable. */
static void collections_that_others_delete(void **unused)
{
    kin_test_call calls[3];

    (void)unused;
    start(&calls[0], "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    kin_test_storage_written(&storage, 6, 0);
    start(&calls[1], "DELETE " CONFIGMAPS "/a", NULL);
    start(&calls[2], "DELETE " CONFIGMAPS, NULL);
    assert_true(is_open(&calls[2]));
    kin_test_storage_written(&storage, 7, 0);
    assert_int_equal(calls[2].reply.status, 200);
    for (size_t i = 0; i < kin__array_len(calls); i++)
        kin_test_call_done(&calls[i]);
}

static void a_storage_that_fails(void **unused)
{
    kin_test_call call;

    (void)unused;
    start(&call, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    kin_test_storage_written(&storage, 5, KIN_ESYSTEM);
    assert_int_equal(call.reply.status, 500);
    kin_test_assert_has(call.reply.body.data, "\"reason\":\"InternalError\"");
    kin_test_call_done(&call);
    kin_test_get(&api, 404, "GET " CONFIGMAPS "/a");
    kin_test_send(&api, 500, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"b\"}}");
    kin_test_get(&api, 200, "GET " CONFIGMAPS);
}

/* A definition that could not be kept is not served. */
static void definitions_that_fail(void **unused)
{
    kin_test_call call;

    (void)unused;
    start(&call, "POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions",
          "{\"metadata\":{\"name\":\"widgets.k.example\"},\"spec\":{\"group\":\"k.example\","
          "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\"},"
          "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"
          "\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}");
    assert_true(is_open(&call));
    kin_test_get(&api, 200, "GET /apis/k.example/v1/widgets");
    kin_test_storage_written(&storage, 5, KIN_ESYSTEM);
    assert_int_equal(call.reply.status, 500);
    kin_test_call_done(&call);
    kin_test_get(&api, 404, "GET /apis/k.example/v1/widgets");
}

static void a_storage_that_refuses(void **unused)
{
    (void)unused;
    storage.append_code = KIN_ENOMEM;
    kin_test_send(&api, 500, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    storage.append_code = 0;
    kin_test_get(&api, 404, "GET " CONFIGMAPS "/a");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(answers_come_later),
        TEST(judgements_come_later),
        TEST(collections_wait_for_all),
        TEST(collections_that_fail),
        TEST(collections_that_others_delete),
        TEST(a_storage_that_fails),
        TEST(definitions_that_fail),
        TEST(a_storage_that_refuses),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
