/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers in protobuf: of each verb, of lists of any length, of watches and of failures. That Go reads
 * them is for tests/integration/apiserver/client-go.
 */
#include "kin_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api_test.h"
#include "apiserver/encode_protobuf.h"
#include "base/compiler.h"
#include "protobuf_support.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define SECRETS "/api/v1/namespaces/default/secrets"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define EVENTS "/apis/events.k8s.io/v1/namespaces/default/events"
#define METADATA(kind) KIN__PROTOBUF ";as=" kind ";g=meta.k8s.io;v=v1"

/* An answer that was read as far as it goes. */
static void begin(kin_test_call *call, const char *line, const char *body, const char *accept)
{
    const kin_test_request request = {
        .line = line,
        .body = body,
        .accept = accept,
        .content_type = strncmp(line, "PATCH", 5) == 0 ? "application/merge-patch+json" : NULL};

    kin_test_call_start(&api, call, &request);
    kin_test_call_wait(call);
    kin_test_call_read(call, 0);
}

static void read_to_the_end(kin_test_call *call)
{
    while (!call->has_ended)
        kin_test_call_read_more(call);
    assert_false(call->was_aborted);
}

static bool holds(kin_str text, const char *words)
{
    kin__buf part;
    bool found = false;

    kin__buf_init(&part, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append(&part, words);
    for (size_t i = 0; !found && i + part.len <= text.len; i++)
        found = memcmp(text.data + i, part.data, part.len) == 0;
    kin__buf_done(&part);
    return found;
}

static uint64_t read_varint(kin_str *text)
{
    uint64_t value = 0;
    unsigned shift = 0;

    for (;; shift += 7) {
        assert_true(text->len > 0 && shift < 64);
        uint64_t byte = (unsigned char)*text->data;

        *text = kin_str_make(text->data + 1, text->len - 1);
        value |= (byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
}

/* Cut off a field with a length, which has this number. */
static kin_str take_field(kin_str *text, unsigned number)
{
    assert_int_equal(read_varint(text), number << 3 | 2);
    size_t len = (size_t)read_varint(text);
    assert_true(len <= text->len);
    kin_str field = kin_str_make(text->data, len);
    *text = kin_str_make(text->data + len, text->len - len);
    return field;
}

/* What is in an envelope, which says what it is. */
static kin_str open_envelope(kin_str text, const char *api_version, const char *kind)
{
    assert_true(text.len > 4 && memcmp(text.data, "k8s\0", 4) == 0);
    text = kin_str_make(text.data + 4, text.len - 4);
    kin_str type = take_field(&text, 1);
    kin_str found = take_field(&type, 1);
    if (!kin_str_equal(found, kin_str_of(api_version)))
        fail_msg("%.*s is not %s", (int)found.len, found.data, api_version);
    found = take_field(&type, 2);
    if (!kin_str_equal(found, kin_str_of(kind)))
        fail_msg("%.*s is not %s", (int)found.len, found.data, kind);
    assert_int_equal(type.len, 0);
    kin_str raw = take_field(&text, 2);
    assert_int_equal(take_field(&text, 3).len, 0);
    assert_int_equal(take_field(&text, 4).len, 0);
    assert_int_equal(text.len, 0);
    return raw;
}

struct verb {
    const char *line;
    const char *body;
    const char *accept; /* NULL: protobuf */
    int status;
    const char *api_version;
    const char *kind;
    const char *words; /* that it holds; NULL: any */
};

static void verbs(void **unused)
{
    static const struct verb cases[] = {
        {"POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"v\"}}", NULL, 201,
         "v1", "ConfigMap", "2{ 1:k 2:v }"},
        {"GET " CONFIGMAPS "/a", NULL, NULL, 200, "v1", "ConfigMap", "2{ 1:k 2:v }"},
        {"PATCH " CONFIGMAPS "/a", "{\"data\":{\"k\":\"w\"}}", NULL, 200, "v1", "ConfigMap",
         "2{ 1:k 2:w }"},
        {"PUT " CONFIGMAPS "/a", "{\"metadata\":{\"name\":\"a\"},\"immutable\":false}", NULL, 200,
         "v1", "ConfigMap", "4=0"},
        {"GET " CONFIGMAPS "/a", NULL, METADATA("PartialObjectMetadata"), 200, "meta.k8s.io/v1",
         "PartialObjectMetadata", "1:a"},
        {"POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}", NULL, 409, "v1", "Status",
         "4:AlreadyExists"},
        {"GET " CONFIGMAPS "/none", NULL, NULL, 404, "v1", "Status", "6=404"},
        {"POST " CONFIGMAPS, "{", NULL, 400, "v1", "Status", "6=400"},
        {"DELETE " CONFIGMAPS "/a", NULL, NULL, 200, "v1", "Status", "2:Success"},
        {"POST " DEPLOYMENTS,
         "{\"metadata\":{\"name\":\"d\"},\"spec\":{\"selector\":{\"matchLabels\":{\"a\":\"b\"}}}}",
         NULL, 201, "apps/v1", "Deployment", "2{ 1{ 1:a 2:b } }"},
        {"PATCH " DEPLOYMENTS "/d/scale", "{\"spec\":{\"replicas\":7}}", NULL, 200,
         "autoscaling/v1", "Scale", "2{ 1=7 }"},
        {"GET " DEPLOYMENTS "/d/scale", NULL, NULL, 200, "autoscaling/v1", "Scale", "2{ 1=7 }"},
        {"POST " EVENTS, "{\"metadata\":{\"name\":\"e\"},\"note\":\"n\"}", NULL, 201,
         "events.k8s.io/v1", "Event", "10:n"},
        {"GET /api/v1/namespaces/default/events/e", NULL, NULL, 200, "v1", "Event", "4:n"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const struct verb *c = &cases[i];
        kin_test_call call;

        begin(&call, c->line, c->body, c->accept ? c->accept : KIN__PROTOBUF);
        if (call.reply.status != c->status)
            fail_msg("%s: %d", c->line, call.reply.status);
        assert_string_equal(call.reply.content_type, KIN__PROTOBUF);
        kin_str raw = open_envelope(kin__buf_str(&call.text), c->api_version, c->kind);
        if (c->words && !holds(raw, c->words))
            fail_msg("%s: no %s", c->line, c->words);
        kin_test_call_done(&call);
    }
}

static void json_is_given_to_those_who_like_it_better(void **unused)
{
    static const struct {
        const char *path;
        const char *accept;
        bool is_protobuf;
    } cases[] = {
        {CONFIGMAPS, KIN__PROTOBUF ",application/json", true},
        {CONFIGMAPS, "application/json," KIN__PROTOBUF, false},
        {CONFIGMAPS, KIN__PROTOBUF ";q=0.5,application/json;q=0.6", false},
        {CONFIGMAPS, KIN__PROTOBUF ";q=0.6,application/json;q=0.5", true},
        {CONFIGMAPS, "*/*," KIN__PROTOBUF, true},
        {CONFIGMAPS, KIN__PROTOBUF ";as=Table;g=meta.k8s.io;v=v1,application/json", false},
        {CONFIGMAPS, METADATA("PartialObjectMetadataList") ",application/json", true},
        {"/apis", KIN__PROTOBUF ",application/json", false},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char line[256];
        kin_test_call call;

        (void)snprintf(line, sizeof(line), "GET %s", cases[i].path);
        begin(&call, line, NULL, cases[i].accept);
        assert_int_equal(call.reply.status, 200);
        if (strcmp(call.reply.content_type,
                   cases[i].is_protobuf ? KIN__PROTOBUF : "application/json") != 0)
            fail_msg("%s: %s", cases[i].accept, call.reply.content_type);
        kin_test_call_done(&call);
    }
}

static void all_kinds_have_a_message(void **unused)
{
    (void)unused;
    for (size_t i = 0; kin__builtin_kinds[i]; i++) {
        const kin__kind *kind = kin__builtin_kinds[i];

        for (const kin__kind_version *v = kind->versions; v->name; v++) {
            kin__encoding encoding = {.kind = kind, .version = v};

            if (!kin__encoding_set_protobuf(&encoding))
                fail_msg("%s %s %s", kind->group, v->name, kind->kind);
            encoding.form = KIN__FORM_METADATA;
            assert_true(kin__encoding_set_protobuf(&encoding));
            assert_true(encoding.is_protobuf);
        }
    }
}

static size_t count_items(kin_str raw, kin_str *ret_meta)
{
    size_t n = 0;

    *ret_meta = take_field(&raw, 1);
    for (; raw.len > 0; n++)
        take_field(&raw, 2);
    return n;
}

static void lists(void **unused)
{
    kin_test_call call;
    kin_str meta;
    kin_str raw;

    (void)unused;
    begin(&call, "GET " SECRETS, NULL, KIN__PROTOBUF);
    raw = open_envelope(kin__buf_str(&call.text), "v1", "SecretList");
    assert_int_equal(count_items(raw, &meta), 0);
    assert_true(holds(meta, "1: 2:5 3:"));
    kin_test_call_done(&call);
    for (unsigned i = 0; i < 5; i++) {
        char body[100];

        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"s%u\"}}", i);
        kin_test_send(&api, 201, "POST " SECRETS, body);
    }
    begin(&call, "GET " SECRETS "?limit=3", NULL, KIN__PROTOBUF);
    raw = open_envelope(kin__buf_str(&call.text), "v1", "SecretList");
    assert_int_equal(count_items(raw, &meta), 3);
    assert_true(holds(meta, "4=2"));
    kin_test_call_done(&call);
    begin(&call, "GET " SECRETS, NULL, METADATA("PartialObjectMetadataList"));
    raw = open_envelope(kin__buf_str(&call.text), "meta.k8s.io/v1", "PartialObjectMetadataList");
    assert_int_equal(count_items(raw, &meta), 5);
    kin_test_call_done(&call);
}

/* Longer than one slice of measuring, and read in small pieces. */
static void long_lists(void **unused)
{
    enum { N = 30, SIZE = 100000 };
    static char body[SIZE + 200];
    kin_test_call call;
    kin_str meta;

    (void)unused;
    for (unsigned i = 0; i < N; i++) {
        int n = snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"a%02u\"},\"data\":{\"k\":\"", i);

        memset(body + n, 'x', SIZE);
        memcpy(body + n + SIZE, "\"}}", 4);
        kin_test_send(&api, 201, "POST " CONFIGMAPS, body);
    }
    const kin_test_request request = {.line = "GET " CONFIGMAPS, .accept = KIN__PROTOBUF};
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    assert_non_null(call.reply.source);
    assert_true(call.reply.is_long);
    kin_test_call_read(&call, 1000);
    assert_int_equal(call.text.len, 0); /* it is still being measured */
    read_to_the_end(&call);
    kin_str raw = open_envelope(kin__buf_str(&call.text), "v1", "ConfigMapList");
    assert_int_equal(count_items(raw, &meta), N);
    assert_true(raw.len > (size_t)N * SIZE);
    kin_test_call_done(&call);
    /* A reader that goes away early. */
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    kin_test_call_read(&call, 0);
    kin_test_call_done(&call);
}

/* Cut off a frame of a watch; returns the object in its envelope. */
static kin_str take_frame(kin_str *text, const char *type)
{
    size_t len = 0;

    assert_true(text->len > 4);
    for (unsigned i = 0; i < 4; i++)
        len = len << 8 | (unsigned char)text->data[i];
    assert_true(len <= text->len - 4);
    kin_str frame = kin_str_make(text->data + 4, len);
    *text = kin_str_make(text->data + 4 + len, text->len - 4 - len);
    kin_str found = take_field(&frame, 1);
    if (!kin_str_equal(found, kin_str_of(type)))
        fail_msg("%.*s is not %s", (int)found.len, found.data, type);
    kin_str object = take_field(&frame, 2);
    assert_int_equal(frame.len, 0);
    kin_str raw = take_field(&object, 1);
    assert_int_equal(object.len, 0);
    return raw;
}

static void watches(void **unused)
{
    kin_test_call calls[2];
    kin_str text;

    (void)unused;
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    for (unsigned i = 0; i < 2; i++) {
        begin(&calls[i],
              "GET " CONFIGMAPS "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true"
              "&resourceVersionMatch=NotOlderThan&labelSelector=x%21%3D1",
              NULL, KIN__PROTOBUF ",application/json");
        assert_string_equal(calls[i].reply.content_type, KIN__PROTOBUF ";stream=watch");
    }
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"b\"}}");
    kin_test_patch(&api, 200, CONFIGMAPS "/b", "merge-patch+json",
                   "{\"metadata\":{\"labels\":{\"x\":\"1\"}}}");
    kin_test_send(&api, 200, "DELETE " CONFIGMAPS "/a", NULL);
    for (unsigned i = 0; i < 2; i++) {
        kin_test_call_read_more(&calls[i]);
        text = kin__buf_str(&calls[i].text);
        assert_true(holds(open_envelope(take_frame(&text, "ADDED"), "v1", "ConfigMap"), "1:a"));
        assert_true(holds(open_envelope(take_frame(&text, "BOOKMARK"), "v1", "ConfigMap"),
                          "12{ 1:k8s.io/initial-events-end 2:true }"));
        assert_true(holds(open_envelope(take_frame(&text, "ADDED"), "v1", "ConfigMap"), "1:b"));
        assert_false(holds(open_envelope(take_frame(&text, "DELETED"), "v1", "ConfigMap"), "1:x"));
        assert_true(holds(open_envelope(take_frame(&text, "DELETED"), "v1", "ConfigMap"), "1:a"));
        assert_int_equal(text.len, 0);
        kin_test_call_done(&calls[i]);
    }
}

static void a_watch_that_is_too_old_says_so(void **unused)
{
    kin_test_call call;

    (void)unused;
    kin__state_compact(api.state);
    begin(&call, "GET " CONFIGMAPS "?watch=1&resourceVersion=1", NULL, KIN__PROTOBUF);
    kin_str text = kin__buf_str(&call.text);
    kin_str raw = open_envelope(take_frame(&text, "ERROR"), "v1", "Status");
    assert_true(holds(raw, "4:Expired"));
    assert_true(holds(raw, "6=410"));
    assert_true(call.has_ended);
    kin_test_call_done(&call);
}

/* The server does not validate data: in JSON the object can be read. */
static void objects_that_no_message_can_be(void **unused)
{
    static const char words[] =
        "Internal error occurred: default/bad is not valid as protobuf: data.k: expected string, "
        "not integer";
    static const char *const lines[] = {"GET " CONFIGMAPS "/bad", "GET " CONFIGMAPS};
    kin_test_call call;
    char wanted[400];

    (void)unused;
    (void)snprintf(wanted, sizeof(wanted), "6=500");
    begin(&call, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"bad\"},\"data\":{\"k\":1}}",
          KIN__PROTOBUF);
    /* It was written, so that it must not look as if it was not. */
    assert_int_equal(call.reply.status, 201);
    HAS(call.text.data, "\"status\":\"Success\"");
    kin_test_call_done(&call);
    for (size_t i = 0; i < kin__array_len(lines); i++) {
        begin(&call, lines[i], NULL, KIN__PROTOBUF);
        assert_int_equal(call.reply.status, 500);
        kin_str raw = open_envelope(kin__buf_str(&call.text), "v1", "Status");
        assert_true(holds(raw, wanted));
        assert_non_null(memmem(raw.data, raw.len, words, sizeof(words) - 1));
        kin_test_call_done(&call);
    }
    for (unsigned i = 0; i < 2; i++) {
        begin(&call,
              i == 0 ? "GET " CONFIGMAPS "?watch=1"
                     : "GET " CONFIGMAPS "?watch=1&resourceVersion=5",
              NULL, KIN__PROTOBUF);
        kin_str text = kin__buf_str(&call.text);
        kin_str raw = open_envelope(take_frame(&text, "ERROR"), "v1", "Status");
        assert_non_null(memmem(raw.data, raw.len, words, sizeof(words) - 1));
        assert_true(call.has_ended && !call.was_aborted);
        kin_test_call_done(&call);
    }
    HAS(kin_test_get(&api, 200, "GET " CONFIGMAPS "/bad"), "\"data\":{\"k\":1}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(verbs),
        TEST(json_is_given_to_those_who_like_it_better),
        TEST(all_kinds_have_a_message),
        TEST(lists),
        TEST(long_lists),
        TEST(watches),
        TEST(a_watch_that_is_too_old_says_so),
        TEST(objects_that_no_message_can_be),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
