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
#include "apiserver/protocol/encode_protobuf.h"
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

enum { N_LONG = 30, LONG_SIZE = 100000 };

/* More than one slice of measuring. */
static void make_long_list(void)
{
    static char body[LONG_SIZE + 200];

    for (unsigned i = 0; i < N_LONG; i++) {
        int n = snprintf(body, sizeof(body),
                         "{\"metadata\":{\"name\":\"a%02u\"},\"data\":{\"k\":\"", i);

        memset(body + n, 'x', LONG_SIZE);
        memcpy(body + n + LONG_SIZE, "\"}}", 4);
        kin_test_send(&api, 201, "POST " CONFIGMAPS, body);
    }
}

static void long_lists(void **unused)
{
    const kin_test_request request = {.line = "GET " CONFIGMAPS, .accept = KIN__PROTOBUF};
    kin_test_call call;
    kin_str meta;

    (void)unused;
    make_long_list();
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    assert_non_null(call.reply.source);
    assert_true(call.reply.is_long);
    kin_test_call_read(&call, 1000);
    assert_true(call.has_ended); /* it was measured before it was answered */
    kin_str raw = open_envelope(kin__buf_str(&call.text), "v1", "ConfigMapList");
    assert_int_equal(count_items(raw, &meta), N_LONG);
    assert_true(raw.len > (size_t)N_LONG * LONG_SIZE);
    kin_test_call_done(&call);
    /* A reader that goes away early. */
    kin_test_call_start(&api, &call, &request);
    kin_test_call_wait(&call);
    kin_test_call_done(&call);
}

/* The list is answered in any case: whole, or with the reason. */
static void the_api_may_stop_while_a_list_is_measured(void **unused)
{
    const kin_test_request request = {.line = "GET " CONFIGMAPS, .accept = KIN__PROTOBUF};
    kin_test_call calls[4];

    (void)unused;
    make_long_list();
    for (unsigned i = 0; i < 4; i++)
        kin_test_call_start(&api, &calls[i], &request);
    kin__api_stop(api.api);
    for (unsigned i = 0; i < 4; i++) {
        kin_test_call_wait(&calls[i]);
        if (calls[i].reply.status != 200)
            assert_int_equal(calls[i].reply.status, 500);
        kin_test_call_done(&calls[i]);
    }
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

/* --- objects that protobuf cannot hold: the server does not validate them --- */

#define BOTH KIN__PROTOBUF ",application/json"
#define PODS "/api/v1/namespaces/default/pods"
#define JSON "application/json"

struct unfit {
    const char *path;
    const char *body;
    const char *words; /* of the failure */
    const char *part;  /* of the JSON */
};

/* A value of another type, and members without a field. */
static const struct unfit unfits[] = {
    {CONFIGMAPS, "{\"metadata\":{\"name\":\"bad\"},\"data\":{\"k\":1}}",
     "default/bad cannot be written in protobuf: data.k: expected string, not integer",
     "\"data\":{\"k\":1}"},
    {CONFIGMAPS, "{\"metadata\":{\"name\":\"bad\"},\"zz\":{}}",
     "default/bad cannot be written in protobuf: zz: the message has no such field", "\"zz\":{}"},
    {PODS,
     "{\"metadata\":{\"name\":\"bad\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"zz\":1}]}}",
     "default/bad cannot be written in protobuf: spec.containers[0].zz: the message has no such "
     "field",
     "\"zz\":1"},
};

static void ask(kin_test_call *call, const char *method, const char *path, const char *more,
                const char *accept)
{
    char line[300];

    (void)snprintf(line, sizeof(line), "%s %s%s", method, path, more);
    begin(call, line, NULL, accept);
}

static void assert_unfit(kin_test_call *call, const char *words)
{
    assert_int_equal(call->reply.status, 406);
    kin_str raw = open_envelope(kin__buf_str(&call->text), "v1", "Status");
    assert_true(holds(raw, "4:NotAcceptable"));
    assert_true(holds(raw, "6=406"));
    if (!memmem(raw.data, raw.len, words, strlen(words)))
        fail_msg("not in the Status: %s", words);
    kin_test_call_done(call);
}

static void assert_json(kin_test_call *call, int status, const char *part)
{
    assert_int_equal(call->reply.status, status);
    assert_string_equal(call->reply.content_type, JSON);
    HAS(call->text.data, part);
    kin_test_call_done(call);
}

static void reads_of_unfit_objects(const struct unfit *unfit)
{
    static const char *const paths[] = {"/bad", ""};
    static const char *const only[] = {KIN__PROTOBUF, KIN__PROTOBUF ",application/json;q=0"};
    static const char *const metadata[] = {METADATA("PartialObjectMetadata"),
                                           METADATA("PartialObjectMetadataList")};
    kin_test_call call;

    for (size_t i = 0; i < 2; i++) {
        for (size_t k = 0; k < 2; k++) {
            ask(&call, "GET", unfit->path, paths[i], only[k]);
            assert_unfit(&call, unfit->words);
        }
        ask(&call, "GET", unfit->path, paths[i], BOTH);
        assert_json(&call, 200, unfit->part);
        ask(&call, "GET", unfit->path, paths[i], KIN__PROTOBUF ",*/*;q=0.1");
        assert_json(&call, 200, unfit->part);
        /* Their metadata is as that of others. */
        ask(&call, "GET", unfit->path, paths[i], metadata[i]);
        assert_int_equal(call.reply.status, 200);
        assert_string_equal(call.reply.content_type, KIN__PROTOBUF);
        kin_test_call_done(&call);
    }
}

static void objects_that_no_message_can_be(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < kin__array_len(unfits); i++) {
        const struct unfit *unfit = &unfits[i];
        kin_test_call call;
        char line[300];

        (void)snprintf(line, sizeof(line), "POST %s", unfit->path);
        begin(&call, line, unfit->body, KIN__PROTOBUF);
        /* It was written, so that it must not look as if it was not. */
        assert_int_equal(call.reply.status, 201);
        HAS(call.text.data, "\"status\":\"Success\"");
        kin_test_call_done(&call);
        reads_of_unfit_objects(unfit);
        ask(&call, "DELETE", unfit->path, i == 0 ? "" : "/bad", BOTH);
        assert_int_equal(call.reply.status, 200);
        kin_test_call_done(&call);
        begin(&call, line, unfit->body, BOTH);
        assert_json(&call, 201, unfit->part);
        ask(&call, "DELETE", unfit->path, "/bad", BOTH);
        kin_test_call_done(&call);
        /* Nothing is left of it. */
        ask(&call, "GET", unfit->path, "", BOTH);
        assert_string_equal(call.reply.content_type, KIN__PROTOBUF);
        kin_test_call_done(&call);
    }
}

/* It is decided before the status is sent. */
static void the_last_object_of_a_long_list_may_be_unfit(void **unused)
{
    kin_test_call call;

    (void)unused;
    make_long_list();
    kin_test_send(&api, 201, "POST " CONFIGMAPS, unfits[0].body);
    begin(&call, "GET " CONFIGMAPS, NULL, KIN__PROTOBUF);
    assert_unfit(&call, unfits[0].words);
    begin(&call, "GET " CONFIGMAPS, NULL, BOTH);
    read_to_the_end(&call);
    HAS(call.text.data, "\"kind\":\"ConfigMapList\"");
    assert_json(&call, 200, unfits[0].part);
}

static void assert_ended(kin_test_call *call)
{
    while (!call->has_ended)
        kin_test_call_read_more(call);
    assert_false(call->was_aborted);
    kin_test_call_done(call);
}

#define FROM_STATE                                                                                 \
    "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersionMatch=NotOlderThan"

/* The watch ends, and the next one has what was missing. */
static void an_unfit_object_ends_watches(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < kin__array_len(unfits); i++) {
        const struct unfit *unfit = &unfits[i];
        kin_test_call call;
        char line[300];
        char resume[100];
        char after[100];

        (void)snprintf(resume, sizeof(resume), "?watch=1&resourceVersion=%llu",
                       (unsigned long long)kin__state_version(api.state));
        ask(&call, "GET", unfit->path, resume, BOTH);
        assert_string_equal(call.reply.content_type, KIN__PROTOBUF ";stream=watch");
        (void)snprintf(line, sizeof(line), "POST %s", unfit->path);
        kin_test_send(&api, 201, line, unfit->body);
        (void)snprintf(after, sizeof(after), "?watch=1&resourceVersion=%llu",
                       (unsigned long long)kin__state_version(api.state));
        kin_test_call_read_more(&call);
        assert_int_equal(call.text.len, 0);
        assert_ended(&call);
        ask(&call, "GET", unfit->path, resume, BOTH);
        HAS(call.text.data, "\"type\":\"ADDED\"");
        assert_false(call.has_ended);
        assert_json(&call, 200, unfit->part);
        ask(&call, "GET", unfit->path, resume, KIN__PROTOBUF);
        assert_unfit(&call, "cannot be written in protobuf");
        /* Later events may be fit. */
        ask(&call, "GET", unfit->path, after, KIN__PROTOBUF);
        assert_int_equal(call.reply.status, 200);
        kin_test_call_done(&call);

        /* With the present state. */
        ask(&call, "GET", unfit->path, FROM_STATE, BOTH);
        assert_false(call.has_ended);
        HAS(call.text.data, "k8s.io/initial-events-end");
        assert_json(&call, 200, unfit->part);
        ask(&call, "GET", unfit->path, FROM_STATE, KIN__PROTOBUF);
        assert_unfit(&call, unfit->words);
        (void)snprintf(line, sizeof(line), "DELETE %s/bad", unfit->path);
        kin_test_send(&api, 200, line, NULL);
        ask(&call, "GET", unfit->path, FROM_STATE, KIN__PROTOBUF);
        assert_int_equal(call.reply.status, 200);
        kin_test_call_done(&call);
    }
}

/* The first one to meet it. */
static void an_unfit_object_ends_the_present_state(void **unused)
{
    kin_test_call call;

    (void)unused;
    kin_test_send(&api, 201, "POST " CONFIGMAPS, "{\"metadata\":{\"name\":\"a\"}}");
    kin_test_send(&api, 201, "POST " CONFIGMAPS, unfits[0].body);
    ask(&call, "GET", CONFIGMAPS, FROM_STATE, BOTH);
    assert_string_equal(call.reply.content_type, KIN__PROTOBUF ";stream=watch");
    kin_str text = kin__buf_str(&call.text);
    assert_true(holds(open_envelope(take_frame(&text, "ADDED"), "v1", "ConfigMap"), "1:a"));
    assert_int_equal(text.len, 0);
    assert_ended(&call);
    ask(&call, "GET", CONFIGMAPS, FROM_STATE, BOTH);
    HAS(call.text.data, "k8s.io/initial-events-end");
    assert_json(&call, 200, unfits[0].part);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(verbs),
        TEST(json_is_given_to_those_who_like_it_better),
        TEST(all_kinds_have_a_message),
        TEST(lists),
        TEST(long_lists),
        TEST(the_api_may_stop_while_a_list_is_measured),
        TEST(watches),
        TEST(a_watch_that_is_too_old_says_so),
        TEST(objects_that_no_message_can_be),
        TEST(the_last_object_of_a_long_list_may_be_unfit),
        TEST(an_unfit_object_ends_watches),
        TEST(an_unfit_object_ends_the_present_state),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
