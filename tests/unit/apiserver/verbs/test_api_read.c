/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Get and list: versions, pages, forms.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "base/clock.h"
#include "base/compiler.h"

#define SECRETS "/api/v1/namespaces/default/secrets"
#define HAS kin_test_assert_has
#define HAS_NOT kin_test_assert_has_not

static kin_test_api api;

/* Secrets s0 to s6 are versions 6 to 12, other/s9 is 14; s1 was changed by 15. */
static int set_up(void **unused)
{
    char body[256];

    (void)unused;
    kin_test_api_start(&api, NULL);
    for (int i = 0; i < 7; i++) {
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"s%d\",\"labels\":{\"odd\":\"%d\"}},\"type\":\"t%d\"}",
                 i, i % 2, i);
        kin_test_send(&api, 201, "POST " SECRETS, body);
    }
    kin_test_send(&api, 201, "POST /api/v1/namespaces", "{\"metadata\":{\"name\":\"other\"}}");
    kin_test_send(&api, 201, "POST /api/v1/namespaces/other/secrets",
                  "{\"metadata\":{\"name\":\"s9\"}}");
    kin_test_patch(&api, 200, SECRETS "/s1", "merge-patch+json", "{\"type\":\"new\"}");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

/* "s0 s1": the names in a list. */
static const char *names(const char *list)
{
    static char text[512];
    size_t len = 0;

    text[0] = '\0';
    for (const char *at = list; (at = strstr(at, "\"name\":\"")); at++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%.*s", len ? " " : "",
                                (int)strcspn(at + 8, "\""), at + 8);
    return text;
}

static void lists_by_version(void **unused)
{
    static const struct {
        const char *query;
        const char *names;
        const char *version; /* of the list */
        bool has_continue;
    } cases[] = {
        {"", "s0 s1 s2 s3 s4 s5 s6", "15", false},
        {"?limit=3", "s0 s1 s2", "15", true},
        {"?limit=7", "s0 s1 s2 s3 s4 s5 s6", "15", false},
        {"?resourceVersion=0", "s0 s1 s2 s3 s4 s5 s6", "15", false},
        {"?resourceVersion=0&limit=2", "s0 s1 s2 s3 s4 s5 s6", "15", false},
        {"?resourceVersion=0&resourceVersionMatch=NotOlderThan", "s0 s1 s2 s3 s4 s5 s6", "15",
         false},
        {"?resourceVersion=8", "s0 s1 s2 s3 s4 s5 s6", "15", false},
        {"?resourceVersion=8&resourceVersionMatch=NotOlderThan", "s0 s1 s2 s3 s4 s5 s6", "15",
         false},
        {"?resourceVersion=8&resourceVersionMatch=NotOlderThan&limit=2", "s0 s1", "15", true},
        {"?resourceVersion=8&limit=2", "s0 s1", "8", true},
        {"?resourceVersion=8&resourceVersionMatch=Exact", "s0 s1 s2", "8", false},
        {"?resourceVersion=8&resourceVersionMatch=Exact&limit=2", "s0 s1", "8", true},
        {"?resourceVersion=1&resourceVersionMatch=Exact", "", "1", false},
        {"?labelSelector=odd%3D1", "s1 s3 s5", "15", false},
        {"?labelSelector=odd%3D1&limit=2", "s1 s3", "15", true},
        {"?fieldSelector=metadata.name%3Ds3", "s3", "15", false},
        {"?fieldSelector=type%3Dnew", "s1", "15", false},
        {"?fieldSelector=metadata.name%3Ds", "", "15", false},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char line[256];
        const char *text;

        snprintf(line, sizeof(line), "GET " SECRETS "%s", cases[i].query);
        text = kin_test_get(&api, 200, line);
        assert_string_equal(names(text), cases[i].names);
        assert_string_equal(kin_test_member(text, "resourceVersion"), cases[i].version);
        assert_int_equal(strstr(text, "\"continue\"") != NULL, cases[i].has_continue);
    }
    assert_string_equal(names(kin_test_get(&api, 200, "GET /api/v1/secrets")),
                        "s0 s1 s2 s3 s4 s5 s6 s9");
    assert_string_equal(names(kin_test_get(&api, 200, "GET /api/v1/namespaces/none/secrets")), "");
}

static void old_states_are_listed(void **unused)
{
    const char *text;

    (void)unused;
    text = kin_test_get(&api, 200, "GET " SECRETS "?resourceVersion=14&resourceVersionMatch=Exact");
    HAS(text, "\"type\":\"t1\"");
    HAS_NOT(text, "\"type\":\"new\"");
    HAS(kin_test_get(&api, 200, "GET " SECRETS), "\"type\":\"new\"");
}

static void refused(void **unused)
{
    static const struct {
        const char *query;
        int status;
        const char *words;
    } cases[] = {
        {"?resourceVersion=x", 400,
         "invalid resource version: resourceVersion: Invalid value: \\\"x\\\": strconv.ParseUint: "
         "parsing \\\"x\\\": invalid syntax"},
        {"/s1?resourceVersion=x", 500, "strconv.ParseUint: parsing \\\"x\\\": invalid syntax"},
        {"?continue=garbage", 400, "invalid continue token: continue key is not valid"},
        {"?continue=eyJ2IjoiYmFkIn0%3D", 400, "illegal base64 data at input byte 15"},
        {"?continue=e30", 400, "server does not recognize this encoded version"},
        /* {"v":"meta.k8s.io/v1","rv":0,"start":"a\u0000"} */
        {"?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhXHUwMDAwIn0", 400,
         "incorrect encoded start resourceVersion"},
        /* {"v":"meta.k8s.io/v1","rv":9} */
        {"?continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OX0", 400, "encoded start key empty"},
        {"?resourceVersion=8&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJhIn0", 400,
         "specifying resource version is not allowed when using continue"},
        {"?resourceVersionMatch=Exact", 422, "resourceVersionMatch is forbidden unless"},
        {"?fieldSelector=spec.x%3D1", 400, "field label not supported: spec.x"},
        {"?labelSelector=%3D", 400, "found"},
        {"/none", 404, "secrets \\\"none\\\" not found"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char line[256];

        snprintf(line, sizeof(line), "GET " SECRETS "%s", cases[i].query);
        HAS(kin_test_get(&api, cases[i].status, line), cases[i].words);
    }
}

static void pages_are_of_one_version(void **unused)
{
    char line[512];
    char found[256] = "";
    const char *text = kin_test_get(&api, 200, "GET /api/v1/secrets?limit=3");
    unsigned pages = 1;

    (void)unused;
    HAS(text, "\"remainingItemCount\":5");
    while (true) {
        const char *token;

        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s ", names(text));
        assert_string_equal(kin_test_member(text, "resourceVersion"), "15");
        token = kin_test_member(text, "continue");
        if (!*token)
            break;
        snprintf(line, sizeof(line), "GET /api/v1/secrets?limit=3&continue=%s", token);
        /* What is written now is not in the list. */
        kin_test_send(&api, 200, "DELETE " SECRETS "/s5", NULL);
        kin_test_send(&api, 201, "POST " SECRETS, "{\"metadata\":{\"name\":\"s5\"}}");
        text = kin_test_get(&api, 200, line);
        pages++;
    }
    assert_string_equal(found, "s0 s1 s2 s3 s4 s5 s6 s9 ");
    assert_int_equal(pages, 3);
}

/* Where only one object can be meant there is no second page. */
static void one_name(void **unused)
{
    const char *text;

    (void)unused;
    kin_test_send(&api, 201, "POST " SECRETS, "{\"metadata\":{\"name\":\"s30\"}}");
    text = kin_test_get(&api, 200, "GET " SECRETS "?fieldSelector=metadata.name%3Ds3&limit=1");
    assert_string_equal(names(text), "s3");
    HAS_NOT(text, "\"continue\"");
}

static void expired_pages(void **unused)
{
    char line[512];
    const char *text = kin_test_get(&api, 200, "GET " SECRETS "?limit=3");

    (void)unused;
    snprintf(line, sizeof(line), "GET " SECRETS "?limit=3&continue=%s",
             kin_test_member(text, "continue"));
    kin_test_send(&api, 201, "POST " SECRETS, "{\"metadata\":{\"name\":\"s25\"}}");
    kin__state_compact(api.state);
    kin_test_send(&api, 201, "POST " SECRETS, "{\"metadata\":{\"name\":\"s26\"}}");
    text = kin_test_get(&api, 410, line);
    HAS(text, "\"metadata\":{\"continue\":\"");
    HAS(text, "The provided continue parameter is too old to display a consistent list result.");
    HAS(text, "\"reason\":\"Expired\"");
    snprintf(line, sizeof(line), "GET " SECRETS "?limit=3&continue=%s",
             kin_test_member(text, "continue"));
    text = kin_test_get(&api, 200, line);
    assert_string_equal(names(text), "s25 s26 s3");
    assert_string_equal(kin_test_member(text, "resourceVersion"), "17");
    text = kin_test_get(&api, 410, "GET " SECRETS "?resourceVersion=8&resourceVersionMatch=Exact");
    HAS(text, "The resourceVersion for the provided list is too old.");
    kin_test_get(&api, 200, "GET " SECRETS "/s1?resourceVersion=8");
    kin_test_get(&api, 200, "GET " SECRETS "?resourceVersion=8");
}

/* A version that is not there is waited for: it comes, or three seconds are over. */
static void future_versions(void **unused)
{
    static const char *const lines[] = {"GET " SECRETS "/s1?resourceVersion=16",
                                        "GET " SECRETS "?resourceVersion=16",
                                        "GET " SECRETS "?resourceVersion=16&resourceVersionMatch="
                                        "Exact"};

    (void)unused;
    for (size_t i = 0; i < kin__array_len(lines); i++) {
        kin_test_call call;

        kin_test_call_start(&api, &call, &(kin_test_request){.line = lines[i]});
        assert_code(kin_clock_await_waiters(api.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_code(kin_clock_advance(api.clock, 3 * KIN__SECOND, NULL), 0);
        kin_test_call_wait(&call);
        kin_test_call_read(&call, 0);
        assert_int_equal(call.reply.status, 504);
        HAS(call.text.data, "Timeout: Too large resource version: 16, current: 15");
        HAS(call.text.data, "\"reason\":\"ResourceVersionTooLarge\"");
        assert_string_equal(call.reply.headers[0].name, "Retry-After");
        kin_test_call_done(&call);
    }
    kin_test_call calls[kin__array_len(lines)];
    for (size_t i = 0; i < kin__array_len(lines); i++)
        kin_test_call_start(&api, &calls[i], &(kin_test_request){.line = lines[i]});
    kin_test_send(&api, 201, "POST " SECRETS, "{\"metadata\":{\"name\":\"s8\"}}");
    for (size_t i = 0; i < kin__array_len(lines); i++) {
        kin_test_call_wait(&calls[i]);
        assert_int_equal(calls[i].reply.status, 200);
        kin_test_call_done(&calls[i]);
    }
}

static void waiting_ends_with_the_api(void **unused)
{
    kin_test_call call;

    (void)unused;
    kin_test_call_start(&api, &call,
                        &(kin_test_request){.line = "GET " SECRETS "?resourceVersion=99"});
    kin__api_stop(api.api);
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.status, 504);
    kin_test_call_done(&call);
    kin_test_get(&api, 504, "GET " SECRETS "?resourceVersion=99");
}

static void forms(void **unused)
{
    kin_test_request request = {.line = "GET " SECRETS "/s1"};
    int status;
    const char *text;

    (void)unused;
    request.accept = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1";
    text = kin_test_ask(&api, &request, &status);
    assert_int_equal(status, 200);
    HAS(text,
        "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{");
    HAS_NOT(text, "\"type\"");
    request.line = "GET " SECRETS;
    kin_test_ask(&api, &request, &status);
    assert_int_equal(status, 406);
    request.accept = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1";
    text = kin_test_ask(&api, &request, &status);
    assert_int_equal(status, 200);
    HAS(text, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\",");
    HAS(text, "[{\"kind\":\"PartialObjectMetadata\",");
    HAS_NOT(text, "\"type\"");
    request.accept = "text/plain";
    kin_test_ask(&api, &request, &status);
    assert_int_equal(status, 406);
}

/* Ask for a form, and look at what is given, all of it. */
static void assert_answer(const char *line, const char *accept, int status, const char *type,
                          const char *text)
{
    kin_test_call call;

    kin_test_call_start(&api, &call, &(kin_test_request){.line = line, .accept = accept});
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    assert_int_equal(call.reply.status, status);
    assert_string_equal(call.reply.content_type, type);
    assert_string_equal(call.text.data, text);
    kin_test_call_done(&call);
}

static void empty_lists(void **unused)
{
    (void)unused;
    assert_answer("GET /api/v1/namespaces/none/secrets", "application/json", 200,
                  "application/json",
                  "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{"
                  "\"resourceVersion\":\"15\"},\"items\":[]}\n");
    assert_answer("GET /api/v1/namespaces/none/secrets",
                  "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", 200,
                  "application/json",
                  "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                  "\"metadata\":{\"resourceVersion\":\"15\"},\"items\":null}\n");
}

static void yaml(void **unused)
{
    static const char type[] = "application/yaml";
    const char *text;
    int status;

    (void)unused;
    kin_test_send(&api, 201, "POST /api/v1/namespaces/default/configmaps",
                  "{\"metadata\":{\"name\":\"cm\",\"uid\":\"u\"},\"data\":{\"a\":\"1\",\"b\":"
                  "\"one\\n\\ntwo\\n\"}}");
    text = kin_test_ask(
        &api,
        &(kin_test_request){.line = "GET /api/v1/namespaces/default/configmaps/cm", .accept = type},
        &status);
    HAS(text, "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: cm\n");
    HAS(text, "data:\n  a: \"1\"\n  b: |\n    one\n\n    two\n");
    text = kin_test_ask(
        &api, &(kin_test_request){.line = "GET /api/v1/configmaps?limit=1", .accept = type},
        &status);
    HAS(text, "kind: ConfigMapList\napiVersion: v1\nmetadata:\n  resourceVersion: \"16\"\n"
              "items:\n- metadata:\n    name: cm\n");
    HAS(text, "\n  data:\n    a: \"1\"\n    b: |\n      one\n\n      two\n");
    assert_answer("GET /api/v1/namespaces/none/secrets", type, 200, type,
                  "kind: SecretList\napiVersion: v1\nmetadata:\n  resourceVersion: \"16\"\nitems: "
                  "[]\n");
    assert_answer("GET " SECRETS "/none", type, 404, type,
                  "kind: Status\napiVersion: v1\nmetadata: {}\nstatus: Failure\nmessage: secrets "
                  "\"none\" not found\nreason: NotFound\ndetails:\n  name: none\n  kind: secrets\n"
                  "code: 404\n");
    kin_test_ask(&api,
                 &(kin_test_request){.line = "GET /api/v1/configmaps?watch=1", .accept = type},
                 &status);
    assert_int_equal(status, 406);
}

static void pretty(void **unused)
{
    (void)unused;
    assert_answer("GET " SECRETS "/none?pretty=true", "application/json", 404, "application/json",
                  "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
                  "  \"status\": \"Failure\",\n  \"message\": \"secrets \\\"none\\\" not found\",\n"
                  "  \"reason\": \"NotFound\",\n  \"details\": {\n    \"name\": \"none\",\n"
                  "    \"kind\": \"secrets\"\n  },\n  \"code\": 404\n}");
    assert_answer("GET /api/v1/namespaces/none/secrets?pretty=true", "application/json", 200,
                  "application/json",
                  "{\n  \"kind\": \"SecretList\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n"
                  "    \"resourceVersion\": \"15\"\n  },\n  \"items\": []\n}");
    HAS(kin_test_get(&api, 200, "GET " SECRETS "/s1?pretty=true"),
        "{\n  \"kind\": \"Secret\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {\n    \"");
    HAS(kin_test_get(&api, 200, "GET " SECRETS "?pretty=true&limit=1"),
        "  \"items\": [\n    {\n      \"metadata\": {\n");
    HAS(kin_test_get(&api, 200, "GET /api/v1/namespaces/none/secrets?pretty=1"),
        "\"items\": []\n}");
}

/* White space of texts that are deep and have many tiny values is bounded. */
static void pretty_is_bounded(void **unused)
{
    static const char *const reads[] = {"GET /api/v1/namespaces/default/configmaps/deep",
                                        "GET /api/v1/namespaces/default/configmaps"};
    static const char *const accepts[] = {"application/json;pretty=1", "application/yaml"};
    kin__buf body;
    int status;

    (void)unused;
    kin__buf_init(&body, SIZE_MAX - 1);
    kin__buf_append(&body, kin_str_of("{\"metadata\":{\"name\":\"deep\"},\"x\":"));
    for (int i = 0; i < 500; i++)
        kin__buf_append_char(&body, '[');
    for (int i = 0; i < 50000; i++)
        kin__buf_append(&body, kin_str_of("1,"));
    kin__buf_append_char(&body, '1');
    for (int i = 0; i < 500; i++)
        kin__buf_append_char(&body, ']');
    kin__buf_append_char(&body, '}');
    const char *text = kin_test_ask(
        &api,
        &(kin_test_request){.line = "POST /api/v1/namespaces/default/configmaps?pretty=true",
                            .body = body.data,
                            .content_type = "application/json"},
        &status);
    assert_int_equal(status, 201);
    assert_in_range(strlen(text), body.len, 10 * body.len + 100000);
    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            text = kin_test_ask(&api, &(kin_test_request){.line = reads[i], .accept = accepts[k]},
                                &status);
            assert_int_equal(status, 200);
            HAS(text, "1,1,1,1,1,1");
            assert_in_range(strlen(text), body.len, 10 * body.len + 100000);
        }
    }
    kin__buf_done(&body);
}

/* More than one piece: the body comes from a source, whatever is read at a time. */
static void large_lists(void **unused)
{
    enum { N = 300 };
    static char body[2048];
    static const size_t pieces[] = {1, 7, 4096, 0};
    char *first = NULL;

    (void)unused;
    for (int i = 0; i < N; i++) {
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"l%03d\"},\"data\":{\"a\":\"%01000d\"}}", i, i);
        kin_test_send(&api, 201, "POST /api/v1/namespaces/default/configmaps", body);
    }
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        kin_test_call call;

        kin_test_call_start(&api, &call, &(kin_test_request){.line = "GET /api/v1/configmaps"});
        kin_test_call_wait(&call);
        assert_non_null(call.reply.source);
        kin_test_call_read(&call, pieces[i]);
        assert_true(call.has_ended && !call.was_aborted);
        assert_true(call.text.len > N * 1000);
        if (first)
            assert_string_equal(first, call.text.data);
        else
            first = test_malloc(call.text.len + 1);
        memcpy(first, call.text.data, call.text.len + 1);
        kin_test_call_done(&call);
    }
    HAS(first, "\"name\":\"l299\"");
    test_free(first);
    /* One that is let go of half-way. */
    kin_test_call call;
    char buf[100];
    size_t len;
    kin_test_call_start(&api, &call, &(kin_test_request){.line = "GET /api/v1/configmaps"});
    kin_test_call_wait(&call);
    assert_int_equal(call.reply.source->read(call.reply.source, buf, sizeof(buf), &len),
                     KIN__SOURCE_DATA);
    kin_test_call_done(&call);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(lists_by_version),
        TEST(old_states_are_listed),
        TEST(refused),
        TEST(pages_are_of_one_version),
        TEST(one_name),
        TEST(expired_pages),
        TEST(future_versions),
        TEST(waiting_ends_with_the_api),
        TEST(forms),
        TEST(empty_lists),
        TEST(yaml),
        TEST(pretty),
        TEST(pretty_is_bounded),
        TEST(large_lists),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
