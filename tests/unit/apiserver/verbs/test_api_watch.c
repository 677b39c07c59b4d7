/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches: where they begin, what they tell, how they end, and what faults do to them.
 */
#include "kin_test.h"

#include <string.h>

#include "api_test.h"
#include "apiserver/faults/faults.h"
#include "base/clock.h"
#include "base/compiler.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"

static void create(const char *name, const char *label)
{
    char body[256];

    snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"%s\",\"labels\":{\"l\":\"%s\"}}}", name,
             label);
    kin_test_send(&api, 201, "POST " CONFIGMAPS, body);
}

static void label(const char *name, const char *label)
{
    char path[256];
    char body[256];

    snprintf(path, sizeof(path), CONFIGMAPS "/%s", name);
    snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"l\":\"%s\"}}}", label);
    kin_test_patch(&api, 200, path, "merge-patch+json", body);
}

static void delete (const char *name)
{
    char line[256];

    snprintf(line, sizeof(line), "DELETE " CONFIGMAPS "/%s", name);
    kin_test_get(&api, 200, line);
}

static void open_watch(kin_test_call *call, const char *query)
{
    char line[512];

    snprintf(line, sizeof(line), "GET " CONFIGMAPS "?watch=1&%s", query);
    kin_test_call_start(&api, call, &(kin_test_request){.line = line});
    kin_test_call_wait(call);
    assert_int_equal(call->reply.status, 200);
    assert_non_null(call->reply.source);
    kin_test_call_read(call, 0);
}

/* "ADDED a@6 DELETED b@7": what was read, which is forgotten. */
static const char *events(kin_test_call *call)
{
    static char text[2048];
    size_t len = 0;
    char *line = call->text.data;

    text[0] = '\0';
    for (char *end; line && (end = strchr(line, '\n')); line = end + 1) {
        *end = '\0';
        char type[32];
        char name[64];

        snprintf(type, sizeof(type), "%s", kin_test_member(line, "type"));
        snprintf(name, sizeof(name), "%s", kin_test_member(line, "name"));
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%s%s%s@%s%s", len ? " " : "", type,
                             name[0] ? " " : "", name, kin_test_member(line, "resourceVersion"),
                             strstr(line, "initial-events-end") ? "!" : "");
    }
    kin__buf_reset(&call->text);
    return text;
}

static void assert_events(kin_test_call *call, const char *expected)
{
    const char *found = events(call);

    if (strcmp(found, expected) != 0)
        fail_msg("\"%s\" is not \"%s\"", found, expected);
}

static void where_they_begin(void **unused)
{
    static const struct {
        const char *query;
        const char *events;
    } cases[] = {
        {"resourceVersion=5", "ADDED a@6 ADDED b@7 MODIFIED a@8"},
        {"resourceVersion=7", "MODIFIED a@8"},
        {"resourceVersion=8", ""},
        {"resourceVersion=0", "ADDED a@8 ADDED b@7"},
        {"", "ADDED a@8 ADDED b@7"},
        {"limit=1", "ADDED a@8 ADDED b@7"},
        {"sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
         "ADDED a@8 ADDED b@7 BOOKMARK@8!"},
        {"sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "ADDED a@8 ADDED b@7"},
        {"sendInitialEvents=true&resourceVersion=3&resourceVersionMatch=NotOlderThan&"
         "allowWatchBookmarks=true",
         "ADDED a@8 ADDED b@7 BOOKMARK@8!"},
        {"sendInitialEvents=false&resourceVersion=7&resourceVersionMatch=NotOlderThan",
         "MODIFIED a@8"},
        {"resourceVersion=0&labelSelector=l%3Dz", "ADDED a@8"},
        {"resourceVersion=0&fieldSelector=metadata.name%3Db", "ADDED b@7"},
    };

    (void)unused;
    create("a", "x");
    create("b", "y");
    label("a", "z");
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_test_call call;

        open_watch(&call, cases[i].query);
        assert_events(&call, cases[i].events);
        assert_false(call.has_ended);
        kin_test_call_done(&call);
    }
    kin_test_get(&api, 500, "GET " CONFIGMAPS "?watch=1&resourceVersion=x");
    kin_test_get(&api, 422, "GET " CONFIGMAPS "?watch=1&sendInitialEvents=true");
    kin_test_get(&api, 400, "GET " CONFIGMAPS "?watch=1&fieldSelector=x%3D1");
}

/* The path of clients from before the parameter. */
static void deprecated_paths(void **unused)
{
    static const struct {
        const char *path;
        const char *events;
    } cases[] = {
        {"namespaces/default/configmaps?resourceVersion=5", "ADDED a@6 ADDED b@7"},
        {"configmaps", "ADDED a@6 ADDED b@7"},
        {"namespaces/default/configmaps/b", "ADDED b@7"},
        {"namespaces/other", ""},
    };
    kin_test_call call;

    (void)unused;
    create("a", "x");
    create("b", "x");
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char line[256];

        snprintf(line, sizeof(line), "GET /api/v1/watch/%s", cases[i].path);
        kin_test_call_start(&api, &call, &(kin_test_request){.line = line});
        kin_test_call_wait(&call);
        assert_int_equal(call.reply.status, 200);
        kin_test_call_read(&call, 0);
        assert_events(&call, cases[i].events);
        kin_test_call_done(&call);
    }
    HAS(kin_test_get(&api, 405, "DELETE /api/v1/watch/namespaces/default/configmaps/a"),
        "the server does not allow this method on the requested resource");
    kin_test_get(&api, 404, "GET /api/v1/watch/configmaps/a");
    kin_test_get(&api, 404, "GET /api/v1/watch/things");
    kin_test_get(&api, 404, "GET /api/v1/watch");
}

static void selections(void **unused)
{
    kin_test_call all;
    kin_test_call x;
    kin_test_call y;

    (void)unused;
    open_watch(&all, "resourceVersion=5");
    open_watch(&x, "resourceVersion=5&labelSelector=l%3Dx");
    open_watch(&y, "resourceVersion=5&labelSelector=l%3Dy");
    create("a", "x");
    kin_test_patch(&api, 200, CONFIGMAPS "/a", "merge-patch+json", "{\"data\":{\"k\":\"1\"}}");
    label("a", "y");
    delete ("a");
    kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"other\"}}");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/other/configmaps",
                  "{\"metadata\":{\"name\":\"o\",\"labels\":{\"l\":\"x\"}}}");
    kin_test_call_read_more(&all);
    assert_events(&all, "ADDED a@6 MODIFIED a@7 MODIFIED a@8 DELETED a@9");
    kin_test_call_read_more(&x);
    /* What leaves the selection is shown as it was, with the version of the change. */
    HAS(x.text.data, "{\"type\":\"DELETED\",\"object\":{\"kind\":\"ConfigMap\"");
    HAS_NOT(x.text.data, "\"l\":\"y\"");
    assert_events(&x, "ADDED a@6 MODIFIED a@7 DELETED a@8");
    kin_test_call_read_more(&y);
    HAS_NOT(y.text.data, "\"l\":\"x\"");
    assert_events(&y, "ADDED a@8 DELETED a@9");
    kin_test_call_done(&all);
    kin_test_call_done(&x);
    kin_test_call_done(&y);
}

static void all_namespaces(void **unused)
{
    kin_test_call call;

    (void)unused;
    kin_test_call_start(&api, &call,
                        &(kin_test_request){.line = "GET /api/v1/configmaps?watch=1&"
                                                    "resourceVersion=5"});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    create("a", "x");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/kube-system/configmaps",
                  "{\"metadata\":{\"name\":\"o\"}}");
    kin_test_call_read_more(&call);
    assert_events(&call, "ADDED a@6 ADDED o@7");
    kin_test_call_done(&call);
}

static void metadata_only(void **unused)
{
    kin_test_request request = {
        .line = "GET " CONFIGMAPS "?watch=1&sendInitialEvents=true&resourceVersionMatch="
                "NotOlderThan&allowWatchBookmarks=true",
        .accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
    };
    kin_test_call call;

    (void)unused;
    kin_test_send(&api, 201, "POST " CONFIGMAPS,
                  "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}");
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    HAS(call.text.data, "{\"type\":\"ADDED\",\"object\":{\"kind\":\"PartialObjectMetadata\",");
    HAS(call.text.data, "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"PartialObjectMetadata\",");
    assert_events(&call, "ADDED a@6 BOOKMARK@6!");
    delete ("a");
    kin_test_call_read_more(&call);
    HAS_NOT(call.text.data, "\"data\"");
    assert_events(&call, "DELETED a@7");
    kin_test_call_done(&call);
}

/* One change, and watches that want it in different forms: each has its own text. */
static void forms_do_not_mix(void **unused)
{
    static const struct {
        const char *path;
        const char *accept;
        const char *text;
    } cases[] = {
        {"/api/v1/events", "application/json", "\"kind\":\"Event\",\"apiVersion\":\"v1\","},
        {"/apis/events.k8s.io/v1/events", "application/json",
         "\"kind\":\"Event\",\"apiVersion\":\"events.k8s.io/v1\","},
        {"/api/v1/events", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
         "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","},
        {"/api/v1/events", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
         "\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1beta1\","},
    };

    (void)unused;
    kin_test_send(&api, 201, "POST /api/v1/namespaces/default/events",
                  "{\"metadata\":{\"name\":\"e\"},\"message\":\"m\"}");
    for (size_t i = 0; i < 2 * kin__array_len(cases); i++) {
        size_t at = i % kin__array_len(cases);
        char line[256];
        kin_test_call call;

        snprintf(line, sizeof(line), "GET %s?watch=1&resourceVersion=5", cases[at].path);
        kin_test_call_start(&api, &call,
                            &(kin_test_request){.line = line, .accept = cases[at].accept});
        kin_test_call_wait(&call);
        kin_test_call_read(&call, 0);
        HAS(call.text.data, cases[at].text);
        kin_test_call_done(&call);
    }
}

/* Nobody keeps the text of an old change that only a watch which has gone wanted. */
static void old_texts_go(void **unused)
{
    kin_test_call call;
    char name[16];
    char buf[60];
    size_t len;

    (void)unused;
    create("a", "x");
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "%d", i);
        label("a", name);
    }
    open_watch(&call, "resourceVersion=306"); /* makes room for timers */
    kin_test_call_done(&call);
    size_t live = kin_test_alloc_live();
    kin_test_call_start(
        &api, &call, &(kin_test_request){.line = "GET " CONFIGMAPS "?watch=1&resourceVersion=5"});
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.source->read(call.reply.source, buf, sizeof(buf), &len),
                     KIN__SOURCE_DATA);
    kin_test_call_done(&call);
    assert_int_equal(kin_test_alloc_live(), live);
}

/* A bookmark at the end only if it says something new. */
static void quiet_ends(void **unused)
{
    kin_test_call call;

    (void)unused;
    create("a", "x");
    open_watch(&call, "resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=9");
    assert_events(&call, "ADDED a@6");
    assert_code(kin_clock_advance(api.clock, 9 * KIN__SECOND, NULL), 0);
    kin_test_call_read_more(&call);
    assert_events(&call, "");
    assert_true(call.has_ended && !call.was_aborted);
    kin_test_call_done(&call);
}

static void bookmarks_and_timeouts(void **unused)
{
    kin_test_call with;
    kin_test_call without;

    (void)unused;
    open_watch(&with, "resourceVersion=5&allowWatchBookmarks=true&timeoutSeconds=100&"
                      "labelSelector=l%3Dx");
    open_watch(&without, "resourceVersion=5&timeoutSeconds=100");
    create("a", "other");
    kin_test_call_read_more(&with);
    assert_events(&with, "");
    kin_test_call_read_more(&without);
    assert_events(&without, "ADDED a@6");
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 60 * KIN__SECOND, NULL), 0);
    kin_test_call_read_more(&with);
    assert_events(&with, "BOOKMARK@6");
    create("b", "other");
    kin_test_call_read_more(&with);
    assert_events(&with, "");
    kin_test_call_read_more(&without);
    assert_events(&without, "ADDED b@7");
    /* At the end another one, since something has happened. */
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 40 * KIN__SECOND, NULL), 0);
    kin_test_call_read_more(&with);
    assert_events(&with, "BOOKMARK@7");
    assert_true(with.has_ended && !with.was_aborted);
    kin_test_call_read_more(&without);
    assert_events(&without, "");
    assert_true(without.has_ended && !without.was_aborted);
    kin_test_call_done(&with);
    kin_test_call_done(&without);
    open_watch(&with, "timeoutSeconds=-1");
    assert_true(with.has_ended);
    kin_test_call_done(&with);
}

static void expired(void **unused)
{
    kin_test_call call;
    kin_test_call old;

    (void)unused;
    create("a", "x");
    open_watch(&call, "resourceVersion=6");
    kin__state_compact(api.state);
    create("b", "x");
    open_watch(&old, "resourceVersion=5");
    HAS(old.text.data, "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\"");
    HAS(old.text.data, "\"message\":\"too old resource version: 5 (7)\"");
    HAS(old.text.data, "\"reason\":\"Expired\",\"code\":410}}\n");
    assert_true(old.has_ended && !old.was_aborted);
    kin_test_call_done(&old);
    kin_test_call_read(&call, 0);
    HAS(call.text.data, "{\"type\":\"ERROR\"");
    assert_true(call.has_ended);
    kin_test_call_done(&call);
}

static void future_versions(void **unused)
{
    kin_test_call call;

    (void)unused;
    /* From a version that is not there: what happens until then is not told. */
    open_watch(&call, "resourceVersion=6");
    create("a", "x");
    create("b", "x");
    kin_test_call_read_more(&call);
    assert_events(&call, "ADDED b@7");
    kin_test_call_done(&call);

    /* Nor is it told that the version is there. */
    open_watch(&call, "resourceVersion=999&allowWatchBookmarks=true");
    assert_code(kin_clock_advance(api.clock, 61 * KIN__SECOND, NULL), 0);
    kin_test_call_read_more(&call);
    assert_events(&call, "");
    kin_test_call_done(&call);

    kin_test_call_start(&api, &call,
                        &(kin_test_request){.line = "GET " CONFIGMAPS "?watch=1&sendInitialEvents="
                                                    "true&resourceVersion=9&resourceVersionMatch="
                                                    "NotOlderThan"});
    assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_clock_advance(api.clock, 3 * KIN__SECOND, NULL), 0);
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    assert_int_equal(call.reply.status, 200);
    HAS(call.text.data, "Timeout: Too large resource version: 9, current: 7");
    HAS(call.text.data, "{\"type\":\"ERROR\"");
    assert_true(call.has_ended);
    kin_test_call_done(&call);
}

static void any_piece(void **unused)
{
    static const size_t pieces[] = {1, 2, 3, 50, 1000};

    (void)unused;
    create("a", "x");
    create("b", "x");
    label("a", "y");
    delete ("b");
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        kin_test_call call;

        kin_test_call_start(&api, &call,
                            &(kin_test_request){.line = "GET " CONFIGMAPS "?watch=1&"
                                                        "resourceVersion=5"});
        kin_test_call_wait(&call);
        kin_test_call_read(&call, pieces[i]);
        assert_events(&call, "ADDED a@6 ADDED b@7 MODIFIED a@8 DELETED b@9");
        kin_test_call_done(&call);
    }
    /* One that goes in the middle of an event. */
    kin_test_call call;
    char buf[60];
    size_t len;
    kin_test_call_start(
        &api, &call, &(kin_test_request){.line = "GET " CONFIGMAPS "?watch=1&resourceVersion=5"});
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.source->read(call.reply.source, buf, sizeof(buf), &len),
                     KIN__SOURCE_DATA);
    kin_test_call_done(&call);
}

static void stop_ends_them(void **unused)
{
    kin_test_call calls[3];

    (void)unused;
    for (size_t i = 0; i < kin__array_len(calls); i++)
        open_watch(&calls[i], "resourceVersion=5");
    kin__api_stop(api.api);
    for (size_t i = 0; i < kin__array_len(calls); i++) {
        kin_test_call_read_more(&calls[i]);
        assert_true(calls[i].has_ended && !calls[i].was_aborted);
        kin_test_call_done(&calls[i]);
    }
    open_watch(&calls[0], "resourceVersion=5");
    assert_true(calls[0].has_ended);
    kin_test_call_done(&calls[0]);
}

/* --- faults --- */

static void faults(void **unused)
{
    static const struct {
        kin_fault_type type;
        const char *events;
        bool has_ended;
    } cases[] = {
        {KIN_FAULT_WATCH_NO_BOOKMARKS, "ADDED a@6 ADDED b@7 ADDED c@8", false},
        {KIN_FAULT_WATCH_DROP, "ADDED a@6 ADDED c@8", false},
        {KIN_FAULT_WATCH_DUPLICATE, "ADDED a@6 ADDED b@7 ADDED b@7 ADDED c@8", false},
        {KIN_FAULT_WATCH_REORDER, "ADDED a@6 ADDED c@8 ADDED b@7", false},
        {KIN_FAULT_WATCH_ERROR, "ADDED a@6 ERROR@", true},
        {KIN_FAULT_WATCH_END, "ADDED a@6", true},
        {KIN_FAULT_WATCH_OVERSIZE, "ADDED a@6 ADDED b@7 ADDED c@8", false},
    };
    kin__faults *rules = NULL;

    (void)unused;
    assert_code(kin__faults_new(&rules, 1, NULL), 0);
    kin_test_api_stop(&api);
    kin_test_api_start(&api, &(kin__api_options){.faults = rules});
    create("a", "x");
    create("b", "x");
    create("c", "x");
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_fault fault = KIN_FAULT_INIT(cases[i].type);
        kin_test_call call;

        fault.skip = 1;
        fault.bytes = 100;
        assert_code(kin__faults_add(rules, &fault, NULL, NULL), 0);
        open_watch(&call, "resourceVersion=5");
        assert_events(&call, cases[i].events);
        assert_int_equal(call.has_ended, cases[i].has_ended);
        assert_false(call.was_aborted);
        kin_test_call_done(&call);
        kin__faults_clear(rules);
    }
    kin_test_api_stop(&api);
    kin__faults_free(rules);
    kin_test_api_start(&api, NULL);
}

/* Several are held back; what is, is not lost when the watch ends. */
static void held_back(void **unused)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_WATCH_REORDER);
    kin__faults *rules = NULL;
    kin_test_call call;

    (void)unused;
    assert_code(kin__faults_new(&rules, 1, NULL), 0);
    kin_test_api_stop(&api);
    kin_test_api_start(&api, &(kin__api_options){.faults = rules});
    create("a", "x");
    create("b", "x");
    create("c", "x");
    fault.times = 2;
    assert_code(kin__faults_add(rules, &fault, NULL, NULL), 0);
    open_watch(&call, "resourceVersion=5");
    assert_events(&call, "ADDED c@8 ADDED a@6 ADDED b@7");
    kin_test_call_done(&call);
    fault.skip = 2;
    fault.times = 1;
    assert_code(kin__faults_add(rules, &fault, NULL, NULL), 0);
    open_watch(&call, "resourceVersion=5");
    assert_events(&call, "ADDED a@6 ADDED b@7");
    kin__api_stop(api.api);
    kin_test_call_read_more(&call);
    assert_events(&call, "ADDED c@8");
    assert_true(call.has_ended);
    kin_test_call_done(&call);
    kin_test_api_stop(&api);
    kin__faults_free(rules);
    kin_test_api_start(&api, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(where_they_begin), TEST(deprecated_paths), TEST(selections),
        TEST(all_namespaces),   TEST(metadata_only),    TEST(forms_do_not_mix),
        TEST(old_texts_go),     TEST(quiet_ends),       TEST(bookmarks_and_timeouts),
        TEST(expired),          TEST(future_versions),  TEST(any_piece),
        TEST(stop_ends_them),   TEST(faults),           TEST(held_back),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
