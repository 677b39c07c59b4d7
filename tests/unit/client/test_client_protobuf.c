/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers in protobuf, and the fallback to JSON: servers without protobuf, and with more of it than the tables have.
 */
#include "client_support.h"

#include <pthread.h>
#include <string.h>

#include "alloc.h"
#include "kinform/json.h"
#include "kinform/list_watch.h"
#include "kinform/memory.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/status.h"
#include "oom.h"
#include "protobuf_support.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf"
#define STREAM PROTOBUF ";stream=watch"
#define JSON "application/json"
#define BOTH PROTOBUF "," JSON

/* Fields of messages. Field 99 is in no table. */
#define A_POD "1{ 1:web 3:ns 6:7 }"
#define NEW_POD "1{ 1:web 3:ns 6:7 } 99:x"
#define AN_ITEM(name) "2{ 1{ 1:" name " 3:ns } }"
#define NEW_ITEM(name) "2{ 1{ 1:" name " 3:ns } 99:x }"
#define HEAD "1{ 2:9 } "
#define A_STATUS(code, reason) "2:Failure 3:it_says_" reason " 4:" reason " 6=" #code

struct logged {
    pthread_mutex_t lock;
    unsigned n_warnings;
    char text[1024]; /* resources of the warnings */
};

struct scene {
    client_fixture f;
    struct logged logged;
    kin_logger *logger;
    client_seen seen;
    kin_error err;
    kin__buf body;
};

static void note_record(const kin_log_record *record, void *arg)
{
    struct logged *logged = arg;

    if (record->level != KIN_LOG_WARN)
        return;
    pthread_mutex_lock(&logged->lock);
    logged->n_warnings++;
    for (size_t i = 0; i < record->n_fields; i++) {
        size_t len = strlen(logged->text);
        kin_str value = record->fields[i].value.str;

        if (strcmp(record->fields[i].key, "resource") == 0)
            snprintf(logged->text + len, sizeof(logged->text) - len, "[%.*s]", (int)value.len,
                     value.data);
    }
    pthread_mutex_unlock(&logged->lock);
}

static void open_with(struct scene *s, const kin_client_options *given)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    memset(s, 0, sizeof(*s));
    pthread_mutex_init(&s->logged.lock, NULL);
    s->err = (kin_error)KIN_ERROR_INIT;
    if (given)
        options = *given;
    assert_code(kin_logger_new(&s->logger, KIN_LOG_INFO, note_record, &s->logged, NULL, NULL), 0);
    options.logger = s->logger;
    options.max_retries = -1;
    client_open(&s->f, &options, NULL);
}

static void open_scene(struct scene *s)
{
    open_with(s, NULL);
}

static void close_scene(struct scene *s)
{
    client_close(&s->f);
    kin_logger_unref(s->logger);
    pthread_mutex_destroy(&s->logged.lock);
}

/* --- what is answered --- */

static void answer_bytes(struct scene *s, int status, const char *type, kin_str bytes)
{
    kin_test_http_add_route(s->f.server, &(kin_test_http_route){.times = 1,
                                                                .status = status,
                                                                .content_type = type,
                                                                .body = bytes.data,
                                                                .body_len = bytes.len});
}

static void answer_json(struct scene *s, int status, const char *json)
{
    answer_bytes(s, status, JSON, kin_str_of(json));
}

static void answer_as(struct scene *s, int status, const char *api_version, const char *kind,
                      const char *words)
{
    kin__buf body;

    kin_test_pb_body_of(&body, api_version, kind, words);
    answer_bytes(s, status, PROTOBUF, kin__buf_str(&body));
    kin__buf_done(&body);
}

static void answer(struct scene *s, int status, const char *kind, const char *words)
{
    answer_as(s, status, "v1", kind, words);
}

static void begin_events(struct scene *s)
{
    kin__buf_init(&s->body, KIN_TEST_PROTOBUF_MAX);
}

static void add_event(struct scene *s, const char *type, const char *kind, const char *words)
{
    kin_test_pb_append_event(&s->body, type, "v1", kind, words);
}

static void answer_events(struct scene *s)
{
    answer_bytes(s, 200, STREAM, kin__buf_str(&s->body));
    kin__buf_done(&s->body);
}

/* --- what is asked --- */

static int get(struct scene *s, const kin_request_options *options)
{
    const kin_object *object = NULL;
    int code;

    s->err = (kin_error)KIN_ERROR_INIT;
    s->seen = (client_seen){.n = 0};
    code = kin_client_get(s->f.client, &object, s->f.pods, "ns", "web", options, &s->err);
    if (object) {
        char *text = NULL;
        size_t len;

        assert_code(kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, NULL), 0);
        snprintf(s->seen.text, sizeof(s->seen.text), "%s", text);
        kin_free(text);
    }
    assert_int_equal(object != NULL, code == 0);
    assert_int_equal(s->err.code, code);
    kin_object_unref(object);
    return code;
}

static int list(struct scene *s, const kin_request_options *options)
{
    s->err = (kin_error)KIN_ERROR_INIT;
    s->seen = (client_seen){.n = 0};
    return kin_client_list(s->f.client, NULL, s->f.pods, NULL, client_see_item, &s->seen, options,
                           &s->err);
}

static int watch(struct scene *s)
{
    s->err = (kin_error)KIN_ERROR_INIT;
    s->seen = (client_seen){.n = 0};
    return kin_client_watch(s->f.client, s->f.pods, NULL, client_see_event, &s->seen, NULL,
                            &s->err);
}

static void assert_asked(struct scene *s, unsigned index, const char *accept)
{
    const char *actual =
        kin_test_http_field_of(kin_test_http_request_at(s->f.server, index), "Accept");

    assert_non_null(actual);
    assert_string_equal(actual, accept);
}

static void assert_n_requests(struct scene *s, unsigned n)
{
    assert_int_equal(kin_test_http_count(s->f.server).requests, n);
}

static void assert_warned(struct scene *s, const char *resources)
{
    assert_string_equal(s->logged.text, resources);
}

/* --- answers --- */

static void objects_lists_and_watches_come_in_protobuf(void **state)
{
    const kin_object *head = NULL;
    struct scene s;

    (void)state;
    open_scene(&s);
    answer(&s, 200, "Pod", A_POD);
    assert_code(get(&s, NULL), 0);
    assert_non_null(strstr(s.seen.text, "\"metadata\":{\"name\":\"web\",\"namespace\":\"ns\","
                                        "\"resourceVersion\":\"7\"}"));
    assert_non_null(strstr(s.seen.text, "\"kind\":\"Pod\",\"apiVersion\":\"v1\""));

    answer(&s, 200, "PodList", HEAD AN_ITEM("a") " " AN_ITEM("b"));
    s.seen = (client_seen){.n = 0};
    assert_code(
        kin_client_list(s.f.client, &head, s.f.pods, NULL, client_see_item, &s.seen, NULL, &s.err),
        0);
    assert_string_equal(s.seen.text, "ns/a ns/b");
    assert_true(kin_str_equal(kin_object_resource_version(head), kin_str_of("9")));
    kin_object_unref(head);

    begin_events(&s);
    add_event(&s, "ADDED", "Pod", "1{ 1:a 6:1 }");
    add_event(&s, "DELETED", "Pod", "1{ 1:a 6:2 }");
    answer_events(&s);
    assert_code(watch(&s), 0);
    assert_string_equal(s.seen.text, "ADDED:a DELETED:a");
    assert_asked(&s, 0, BOTH);
    assert_asked(&s, 1, BOTH);
    assert_asked(&s, 2, BOTH);
    assert_n_requests(&s, 3);
    assert_int_equal(s.logged.n_warnings, 0);
    close_scene(&s);
}

static int see_kind(const kin_object *object, void *seen, kin_error *err)
{
    kin_scratch scratch[2];

    assert_true(kin_str_equal(kin_object_kind(object, &scratch[0]), kin_str_of("Pod")));
    assert_true(kin_str_equal(kin_object_api_version(object, &scratch[1]), kin_str_of("v1")));
    return client_see_item(object, seen, err);
}

static void lists_come_in_pages(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    answer(&s, 200, "PodList", "1{ 2:9 3:token } " AN_ITEM("a"));
    answer(&s, 200, "PodList", "1{ 2:9 3:more } " AN_ITEM("b"));
    answer(&s, 200, "PodList", AN_ITEM("c") " 1{ 2:9 }");
    assert_code(kin_client_list_all(s.f.client, NULL, s.f.pods, NULL, see_kind, NULL, &s.seen, NULL,
                                    &s.err),
                0);
    assert_string_equal(s.seen.text, "ns/a ns/b ns/c");
    assert_non_null(strstr(kin_test_http_request_at(s.f.server, 1)->target, "continue=token"));
    assert_non_null(strstr(kin_test_http_request_at(s.f.server, 2)->target, "continue=more"));
    close_scene(&s);
}

/* The server decides: the next request is for protobuf again. */
static void the_server_may_answer_in_json(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    for (int i = 0; i < 2; i++) {
        answer_json(&s, 200, POD);
        assert_code(get(&s, NULL), 0);
        answer_json(&s, 200, PODS);
        assert_code(list(&s, NULL), 0);
        assert_string_equal(s.seen.text, "ns/a ns/b");
        answer_json(&s, 200, EVENT("ADDED", "a", "1"));
        assert_code(watch(&s), 0);
        assert_string_equal(s.seen.text, "ADDED:a");
    }
    for (unsigned i = 0; i < 6; i++)
        assert_asked(&s, i, BOTH);
    assert_n_requests(&s, 6);
    assert_int_equal(s.logged.n_warnings, 0);
    close_scene(&s);
}

/* The decoder's own encoding is not for clients. */
static void decode_options_do_not_say_the_encoding(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    struct scene s;

    (void)state;
    decode.encoding = KIN_ENCODING_PROTOBUF;
    options.decode = &decode;
    open_scene(&s);
    answer_json(&s, 200, POD);
    assert_code(get(&s, &options), 0);
    answer_json(&s, 200, PODS);
    assert_code(list(&s, &options), 0);
    decode.encoding = KIN_ENCODING_JSON;
    answer(&s, 200, "Pod", A_POD);
    assert_code(get(&s, &options), 0);
    close_scene(&s);
}

static int see_partial(const kin_object *object, void *seen, kin_error *err)
{
    kin_scratch scratch[2];

    assert_true(
        kin_str_equal(kin_object_kind(object, &scratch[0]), kin_str_of("PartialObjectMetadata")));
    assert_true(
        kin_str_equal(kin_object_api_version(object, &scratch[1]), kin_str_of("meta.k8s.io/v1")));
    return client_see_item(object, seen, err);
}

static void metadata_only(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *widgets = NULL;
    struct scene s;

    (void)state;
    options.metadata_only = true;
    open_scene(&s);
    answer_as(&s, 200, "meta.k8s.io/v1", "PartialObjectMetadata", A_POD);
    assert_code(get(&s, &options), 0);
    assert_string_equal(s.seen.text,
                        "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\","
                        "\"metadata\":{\"name\":\"web\",\"namespace\":\"ns\","
                        "\"resourceVersion\":\"7\"}}");
    answer_as(&s, 200, "meta.k8s.io/v1", "PartialObjectMetadataList", HEAD AN_ITEM("a"));
    assert_code(
        kin_client_list(s.f.client, NULL, s.f.pods, NULL, see_partial, &s.seen, &options, &s.err),
        0);
    /* Also of a custom resource: its metadata is as all others'. */
    spec.group = "example.com";
    spec.version = "v1";
    spec.resource = "widgets";
    spec.kind = "Widget";
    assert_code(kin_resource_new(&widgets, &spec, NULL), 0);
    answer_as(&s, 200, "meta.k8s.io/v1", "PartialObjectMetadataList", HEAD AN_ITEM("w"));
    s.seen = (client_seen){.n = 0};
    assert_code(
        kin_client_list(s.f.client, NULL, widgets, NULL, see_partial, &s.seen, &options, &s.err),
        0);
    assert_string_equal(s.seen.text, "ns/w");
    /* Its objects have no protobuf. */
    answer_json(&s, 200,
                "{\"kind\":\"WidgetList\",\"apiVersion\":\"example.com/v1\",\"items\":[]}");
    assert_code(
        kin_client_list(s.f.client, NULL, widgets, NULL, client_see_item, &s.seen, NULL, &s.err),
        0);
    assert_asked(&s, 0,
                 PROTOBUF ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1," JSON
                          ";as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    assert_asked(&s, 2,
                 PROTOBUF ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1," JSON
                          ";as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    assert_asked(&s, 3, JSON);
    kin_resource_unref(widgets);
    close_scene(&s);
}

/* --- what is asked for --- */

static void json_can_be_asked_for(void **state)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct scene s;

    (void)state;
    client.encoding = KIN_ENCODING_JSON;
    open_with(&s, &client);
    answer_json(&s, 200, POD);
    answer_json(&s, 200, PODS);
    answer_json(&s, 200, EVENT("ADDED", "a", "1"));
    answer(&s, 200, "Pod", A_POD);
    assert_code(get(&s, NULL), 0);
    assert_code(list(&s, NULL), 0);
    assert_code(watch(&s), 0);
    options.encoding = KIN_ENCODING_PROTOBUF;
    assert_code(get(&s, &options), 0);
    for (unsigned i = 0; i < 3; i++)
        assert_asked(&s, i, JSON);
    assert_asked(&s, 3, BOTH);
    close_scene(&s);

    open_scene(&s);
    options.encoding = KIN_ENCODING_JSON;
    answer_json(&s, 200, POD);
    answer_json(&s, 200, PODS);
    assert_code(get(&s, &options), 0);
    assert_code(list(&s, &options), 0);
    assert_asked(&s, 0, JSON);
    assert_asked(&s, 1, JSON);
    close_scene(&s);
}

static void unknown_encodings_are_refused(void **state)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_list_watch_options listed = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_list_watch *source = NULL;
    kin_client *made = NULL;
    struct scene s;

    (void)state;
    client.encoding = options.encoding = listed.encoding = (kin_encoding)3;
    assert_code(kin_client_new(&made, &client, NULL), KIN_EINVAL);
    assert_null(made);
    open_scene(&s);
    assert_code(get(&s, &options), KIN_EINVAL);
    assert_non_null(strstr(s.err.message, "encoding: 3"));
    assert_code(list(&s, &options), KIN_EINVAL);
    assert_code(kin_client_delete(s.f.client, NULL, s.f.pods, "ns", "web", &options, NULL),
                KIN_EINVAL);
    assert_code(kin_client_list_watch(s.f.client, &source, s.f.pods, &listed, NULL), KIN_EINVAL);
    assert_null(source);
    options.encoding = (kin_encoding)-1;
    assert_code(get(&s, &options), KIN_EINVAL);
    assert_n_requests(&s, 0);
    close_scene(&s);
}

static void writes_and_texts_are_json(void **state)
{
    const kin_object *pod = client_object(POD);
    kin_request_options status = KIN_REQUEST_OPTIONS_INIT;
    struct scene s;
    char *text = NULL;
    kin_client *client;

    (void)state;
    open_scene(&s);
    client = s.f.client;
    kin_test_http_add_route(s.f.server, &(kin_test_http_route){.body = POD});
    assert_code(kin_client_create(client, NULL, s.f.pods, "ns", pod, NULL, NULL), 0);
    assert_code(kin_client_update(client, NULL, s.f.pods, "ns", pod, NULL, NULL), 0);
    assert_code(kin_client_patch(client, NULL, s.f.pods, "ns", "web", KIN_PATCH_MERGE,
                                 kin_str_of("{}"), NULL, NULL),
                0);
    assert_code(kin_client_delete(client, NULL, s.f.pods, "ns", "web", NULL, NULL), 0);
    assert_code(kin_client_delete_collection(client, NULL, s.f.pods, "ns", NULL, NULL), 0);
    /* What a subresource is the tables do not say. */
    status.subresource = "status";
    assert_code(kin_client_get(client, NULL, s.f.pods, "ns", "web", &status, NULL), 0);
    assert_code(kin_client_get_text(client, &text, NULL, "/version", NULL), 0);
    kin_free(text);
    assert_n_requests(&s, 7);
    for (unsigned i = 0; i < 7; i++) {
        const kin_test_http_request *request = kin_test_http_request_at(s.f.server, i);

        assert_null(strstr(kin_test_http_field_of(request, "Accept"), "protobuf"));
        if (i < 2)
            assert_string_equal(kin_test_http_field_of(request, "Content-Type"), JSON);
    }
    kin_object_unref(pod);
    close_scene(&s);
}

/* --- failures in protobuf --- */

static void assert_same_failure(int status, const char *reason, const char *words, const char *json,
                                bool is_list)
{
    kin_error errors[2];
    int codes[2];

    for (int i = 0; i < 2; i++) {
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        const kin_object *told = NULL;
        struct scene s;

        options.ret_status = &told;
        open_scene(&s);
        if (i == 0)
            answer(&s, status, "Status", words);
        else
            answer_json(&s, status, json);
        codes[i] = is_list ? list(&s, &options) : get(&s, &options);
        errors[i] = s.err;
        assert_int_equal(kin_status_code(told), status);
        kin_object_unref(told);
        assert_n_requests(&s, 1);
        close_scene(&s);
    }
    assert_code(codes[0], codes[1]);
    assert_int_equal(errors[0].http_status, status);
    assert_string_equal(errors[0].reason, reason);
    assert_string_equal(errors[0].message, errors[1].message);
    assert_string_equal(errors[0].reason, errors[1].reason);
    assert_int_equal(errors[0].http_status, errors[1].http_status);
    assert_int_equal(errors[0].retry_after_ms, errors[1].retry_after_ms);
    assert_int_equal(errors[0].flags, errors[1].flags);
}

#define SAID(code, reason)                                                                         \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"" reason       \
    "\",\"message\":\"it_says_" reason "\",\"code\":" #code "}"

static void a_status_is_the_same_failure(void **state)
{
    (void)state;
    for (int is_list = 0; is_list < 2; is_list++) {
        assert_same_failure(404, "NotFound", A_STATUS(404, "NotFound"), SAID(404, "NotFound"),
                            is_list);
        assert_same_failure(410, "Expired", A_STATUS(410, "Expired"), SAID(410, "Expired"),
                            is_list);
        assert_same_failure(500, "InternalError", A_STATUS(500, "InternalError"),
                            SAID(500, "InternalError"), is_list);
    }
}

/* The details say when to come back. Field 5 is their message, and field 5 of it retryAfterSeconds. */
#define BUSY_PB A_STATUS(429, "TooManyRequests") " 5{ 5=7 }"
#define BUSY                                                                                       \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":"                \
    "\"TooManyRequests\",\"message\":\"it_says_TooManyRequests\",\"code\":429,"                    \
    "\"details\":{\"retryAfterSeconds\":7}}"

static void a_delay_is_the_same_in_both(void **state)
{
    (void)state;
    for (int is_list = 0; is_list < 2; is_list++)
        assert_same_failure(429, "TooManyRequests", BUSY_PB, BUSY, is_list);
    for (int is_event = 0; is_event < 2; is_event++) {
        kin_error errors[2];
        int codes[2];

        for (int is_json = 0; is_json < 2; is_json++) {
            struct scene s;

            open_scene(&s);
            if (is_event && is_json) {
                answer_json(&s, 200, "{\"type\":\"ERROR\",\"object\":" BUSY "}\n");
            } else if (is_event) {
                begin_events(&s);
                add_event(&s, "ERROR", "Status", BUSY_PB);
                answer_events(&s);
            } else if (is_json) {
                answer_json(&s, 429, BUSY);
            } else {
                answer(&s, 429, "Status", BUSY_PB);
            }
            codes[is_json] = watch(&s);
            errors[is_json] = s.err;
            assert_n_requests(&s, 1);
            close_scene(&s);
        }
        assert_code(codes[0], KIN_ESERVER);
        assert_code(codes[1], KIN_ESERVER);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(errors[i].http_status, 429);
            assert_int_equal(errors[i].retry_after_ms, 7000);
            assert_string_equal(errors[i].reason, "TooManyRequests");
            assert_string_equal(errors[i].message, "it_says_TooManyRequests");
            assert_int_equal(errors[i].flags, errors[0].flags);
        }
    }
}

/* A newer field in a failure does not matter. */
static void a_newer_status_is_a_failure(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    answer(&s, 404, "Status", A_STATUS(404, "NotFound") " 99:x");
    assert_code(get(&s, NULL), KIN_ENOTFOUND);
    assert_string_equal(s.err.reason, "NotFound");
    assert_n_requests(&s, 1);
    assert_int_equal(s.logged.n_warnings, 0);
    close_scene(&s);
}

static void an_error_event_ends_the_watch(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    begin_events(&s);
    add_event(&s, "ADDED", "Pod", "1{ 1:a 6:1 }");
    add_event(&s, "ERROR", "Status", A_STATUS(410, "Expired"));
    answer_events(&s);
    assert_code(watch(&s), KIN_EEXPIRED);
    assert_string_equal(s.seen.text, "ADDED:a");
    assert_string_equal(s.err.reason, "Expired");
    assert_int_equal(s.err.http_status, 410);
    assert_int_equal(s.logged.n_warnings, 0);
    close_scene(&s);
}

/* --- protobuf is refused --- */

static void a_refusal_is_followed_by_json(void **state)
{
    static const int statuses[] = {406, 415};
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;

    (void)state;
    spec.version = "v1";
    spec.resource = "services";
    spec.kind = "Service";
    for (size_t i = 0; i < 2; i++) {
        kin_resource *services = NULL;
        struct scene s;

        assert_code(kin_resource_new(&services, &spec, NULL), 0);
        open_scene(&s);
        answer_json(&s, statuses[i], STATUS(406, "NotAcceptable"));
        answer_json(&s, 200, PODS);
        answer_json(&s, 200, POD);
        answer_json(&s, 200, EVENT("ADDED", "a", "1"));
        answer(&s, 200, "Service", A_POD);
        assert_code(list(&s, NULL), 0);
        assert_string_equal(s.seen.text, "ns/a ns/b");
        assert_code(get(&s, NULL), 0);
        assert_code(watch(&s), 0);
        assert_code(kin_client_get(s.f.client, NULL, services, "ns", "web", NULL, NULL), 0);
        assert_asked(&s, 0, BOTH);
        for (unsigned k = 1; k < 4; k++)
            assert_asked(&s, k, JSON);
        assert_asked(&s, 4, BOTH);
        assert_n_requests(&s, 5);
        assert_warned(&s, "[v1 pods]");
        kin_resource_unref(services);
        close_scene(&s);
    }
}

/* A watch with initial events that is not a source's goes on in JSON, too. */
static void a_streaming_list_goes_on_in_json(void **state)
{
    (void)state;
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        struct scene s;

        open_scene(&s);
        if (is_refused) {
            answer_json(&s, 406, STATUS(406, "NotAcceptable"));
        } else {
            begin_events(&s);
            add_event(&s, "ADDED", "Pod", NEW_POD);
            answer_events(&s);
        }
        answer_json(&s, 200, EVENT("ADDED", "a", "1"));
        options.send_initial_events = true;
        assert_code(kin_client_watch(s.f.client, s.f.pods, NULL, client_see_event, &s.seen,
                                     &options, &s.err),
                    0);
        assert_int_equal(s.seen.n, 1);
        assert_n_requests(&s, 2);
        assert_asked(&s, 1, JSON);
        for (unsigned i = 0; i < 2; i++)
            assert_non_null(
                strstr(kin_test_http_request_at(s.f.server, i)->target, "sendInitialEvents=true"));
        assert_warned(&s, "[v1 pods]");
        close_scene(&s);
    }
}

/* A call that fails in JSON as well has shown nothing about protobuf: the next one asks for it again. */
static void json_may_fail_as_well(void **state)
{
    static const struct {
        int status;
        const char *json;
        int code;
    } cases[] = {
        {406, STATUS(406, "NotAcceptable"), KIN_EREFUSED},
        {415, STATUS(415, "UnsupportedMediaType"), KIN_EREFUSED},
        {503, STATUS(503, "ServiceUnavailable"), KIN_ESERVER},
        {403, STATUS(403, "Forbidden"), KIN_EDENIED},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene s;

        open_scene(&s);
        for (unsigned n = 0; n < 2; n++) {
            answer_json(&s, 406, STATUS(406, "NotAcceptable"));
            answer_json(&s, cases[i].status, cases[i].json);
            assert_code(get(&s, NULL), cases[i].code);
            assert_int_equal(s.err.http_status, cases[i].status);
            assert_n_requests(&s, 2 * n + 2);
            assert_asked(&s, 2 * n, BOTH);
            assert_asked(&s, 2 * n + 1, JSON);
        }
        assert_warned(&s, "");
        /* The refusal is over. */
        answer(&s, 200, "Pod", A_POD);
        assert_code(get(&s, NULL), 0);
        assert_asked(&s, 4, BOTH);
        answer_json(&s, 406, STATUS(406, "NotAcceptable"));
        answer_json(&s, 200, POD);
        answer_json(&s, 200, POD);
        assert_code(get(&s, NULL), 0);
        assert_code(get(&s, NULL), 0);
        assert_asked(&s, 7, JSON);
        assert_warned(&s, "[v1 pods]");
        close_scene(&s);
    }
}

/* An answer that is neither JSON nor protobuf has shown nothing either. */
static void a_page_of_a_proxy_is_not_json(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    answer_json(&s, 406, STATUS(406, "NotAcceptable"));
    answer_bytes(&s, 200, "text/html", kin_str_of("<html>"));
    assert_code(get(&s, NULL), KIN_EPROTOCOL);
    assert_warned(&s, "");
    answer(&s, 200, "Pod", A_POD);
    assert_code(get(&s, NULL), 0);
    assert_asked(&s, 2, BOTH);
    close_scene(&s);
}

static int restart_never(void *arg, kin_error *err)
{
    (void)arg;
    return kin_error_set(err, KIN_ERANGE, "the list began again");
}

/* The list is not begun again when it is JSON that makes no sense. */
static void a_failure_in_json_is_final(void **state)
{
    (void)state;
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        struct scene s;

        open_scene(&s);
        if (is_refused)
            answer_json(&s, 406, STATUS(406, "NotAcceptable"));
        else
            answer(&s, 200, "PodList", HEAD NEW_ITEM("a"));
        answer_json(&s, 200, "{\"items\":[" POD "]}");
        assert_code(kin_client_list_all(s.f.client, NULL, s.f.pods, NULL, client_see_item,
                                        restart_never, &s.seen, NULL, &s.err),
                    KIN_EPROTOCOL);
        assert_int_equal(s.seen.n, 1);
        assert_n_requests(&s, 2);
        close_scene(&s);
    }
}

/* --- newer than the tables --- */

static void a_newer_object_comes_in_json(void **state)
{
    /* A newer field, and a kind that is in no table. */
    static const char *const kinds[] = {"Pod", "NewPod"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene s;

        open_scene(&s);
        answer(&s, 200, kinds[i], i == 0 ? NEW_POD : A_POD);
        answer_json(&s, 200, POD);
        answer_json(&s, 200, POD);
        assert_code(get(&s, NULL), 0);
        assert_non_null(strstr(s.seen.text, "\"name\":\"web\""));
        assert_code(get(&s, NULL), 0);
        assert_asked(&s, 0, BOTH);
        assert_asked(&s, 1, JSON);
        assert_asked(&s, 2, JSON);
        assert_warned(&s, "[v1 pods]");
        close_scene(&s);
    }
}

/* Before anything was delivered, the call goes on. */
static void a_newer_list_goes_on_in_json(void **state)
{
    static const struct {
        const char *kind;
        const char *words;
    } cases[] = {
        {"PodList", HEAD NEW_ITEM("a") " " AN_ITEM("b")},
        {"PodList", HEAD "99:x"},
        {"PodList", "1{ 2:9 99:x }"},
        {"NewPodList", HEAD AN_ITEM("a")},
        {"NewPod", A_POD},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct scene s;

        open_scene(&s);
        answer(&s, 200, cases[i].kind, cases[i].words);
        answer_json(&s, 200, PODS);
        assert_code(list(&s, NULL), 0);
        assert_string_equal(s.seen.text, "ns/a ns/b");
        assert_asked(&s, 1, JSON);
        assert_n_requests(&s, 2);
        assert_warned(&s, "[v1 pods]");
        close_scene(&s);
    }
}

static void assert_fell_back_late(struct scene *s, int code)
{
    assert_code(code, KIN_EPROTOCOL);
    assert_true(s->err.flags & KIN_ERROR_RETRIABLE);
    assert_non_null(strstr(s->err.message, "newer than this library"));
    assert_n_requests(s, 1);
    assert_warned(s, "[v1 pods]");
}

static void a_list_that_gets_newer_fails_once(void **state)
{
    static const char *const words[] = {
        HEAD AN_ITEM("a") " " NEW_ITEM("b") " " AN_ITEM("c"),
        AN_ITEM("a") " 1{ 2:9 99:x }",
        AN_ITEM("a") " 99:x",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        struct scene s;

        open_scene(&s);
        answer(&s, 200, "PodList", words[i]);
        assert_fell_back_late(&s, list(&s, NULL));
        assert_string_equal(s.seen.text, "ns/a");
        answer_json(&s, 200, PODS);
        assert_code(list(&s, NULL), 0);
        assert_string_equal(s.seen.text, "ns/a ns/b");
        assert_asked(&s, 1, JSON);
        assert_warned(&s, "[v1 pods]");
        close_scene(&s);
    }
}

static void a_newer_event_is_not_lost(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    begin_events(&s);
    add_event(&s, "ADDED", "Pod", "1{ 1:a 6:1 } 99:x");
    answer_events(&s);
    answer_json(&s, 200, EVENT("ADDED", "a", "1") EVENT("MODIFIED", "a", "2"));
    assert_code(watch(&s), 0);
    assert_string_equal(s.seen.text, "ADDED:a MODIFIED:a");
    assert_n_requests(&s, 2);
    assert_warned(&s, "[v1 pods]");
    close_scene(&s);

    open_scene(&s);
    begin_events(&s);
    add_event(&s, "ADDED", "Pod", "1{ 1:a 6:1 }");
    add_event(&s, "MODIFIED", "Pod", "1{ 1:a 6:2 } 99:x");
    answer_events(&s);
    assert_fell_back_late(&s, watch(&s));
    assert_string_equal(s.seen.text, "ADDED:a");
    answer_json(&s, 200, EVENT("MODIFIED", "a", "2"));
    assert_code(watch(&s), 0);
    assert_string_equal(s.seen.text, "MODIFIED:a");
    assert_asked(&s, 1, JSON);
    close_scene(&s);

    /* An event of another kind than the resource's. */
    open_scene(&s);
    begin_events(&s);
    add_event(&s, "ADDED", "NewPod", "1{ 1:a 6:1 }");
    answer_events(&s);
    answer_json(&s, 200, EVENT("ADDED", "a", "1"));
    assert_code(watch(&s), 0);
    assert_string_equal(s.seen.text, "ADDED:a");
    assert_warned(&s, "[v1 pods]");
    close_scene(&s);
}

/* A callback that ends the list is not answered with JSON. */
static void a_callback_is_no_reason_for_json(void **state)
{
    struct scene s;

    (void)state;
    open_scene(&s);
    answer(&s, 200, "PodList", HEAD AN_ITEM("a") " " AN_ITEM("b"));
    s.seen.stop_at = 1;
    assert_code(
        kin_client_list(s.f.client, NULL, s.f.pods, NULL, client_see_item, &s.seen, NULL, &s.err),
        KIN_ERANGE);
    answer(&s, 200, "Pod", A_POD);
    assert_code(get(&s, NULL), 0);
    assert_asked(&s, 1, BOTH);
    assert_int_equal(s.logged.n_warnings, 0);
    close_scene(&s);
}

static void concurrent_calls_log_once(void **state)
{
    enum { N = 8 };
    client_told told[N];
    kin_call *calls[N];
    struct scene s;

    (void)state;
    open_scene(&s);
    kin_test_http_add_route(s.f.server, &(kin_test_http_route){.times = N,
                                                               .status = 406,
                                                               .body = STATUS(406, "No"),
                                                               .shape = KIN_TEST_HTTP_STALL_FIRST});
    kin_test_http_add_route(s.f.server, &(kin_test_http_route){.body = PODS});
    for (int i = 0; i < N; i++) {
        client_told_init(&told[i]);
        calls[i] = client_start(&s.f, KIN_VERB_LIST, &told[i], NULL);
    }
    kin_test_http_await_stalled(s.f.server, N);
    kin_test_http_release_all(s.f.server);
    for (int i = 0; i < N; i++) {
        client_assert_ended(&told[i], 0);
        assert_string_equal(told[i].seen.text, "ns/a ns/b");
        kin_call_unref(calls[i]);
        client_told_done(&told[i]);
    }
    assert_n_requests(&s, 2 * N);
    assert_warned(&s, "[v1 pods]");
    close_scene(&s);
}

/* --- cut off --- */

enum kind { OBJECT, LISTED, WATCHED, N_KINDS };

static void make_body(kin__buf *body, enum kind kind)
{
    if (kind == OBJECT) {
        kin_test_pb_body_of(body, "v1", "Pod", A_POD " 2{ 2{ 1:c 2:image } 3:Always }");
    } else if (kind == LISTED) {
        kin_test_pb_body_of(body, "v1", "PodList", HEAD AN_ITEM("a") " " AN_ITEM("b"));
    } else {
        kin__buf_init(body, KIN_TEST_PROTOBUF_MAX);
        kin_test_pb_append_event(body, "ADDED", "v1", "Pod", "1{ 1:a 6:1 }");
        kin_test_pb_append_event(body, "ADDED", "v1", "Pod", "1{ 1:b 6:2 }");
    }
}

static int ask(struct scene *s, enum kind kind)
{
    if (kind == OBJECT)
        return get(s, NULL);
    return kind == LISTED ? list(s, NULL) : watch(s);
}

/* Whether only the two empty fields at the end of an envelope are missing. */
static bool is_enough(enum kind kind, const kin__buf *body, size_t len)
{
    if (kind == WATCHED)
        return len == body->len || len == body->len / 2;
    return len == body->len || len == body->len - 2 || len == body->len - 4;
}

/* The connection is lost at each byte. In none of them is JSON the remedy. */
static void what_is_cut_off_is_lost(void **state)
{
    static const kin_test_http_shape shapes[] = {KIN_TEST_HTTP_UNTIL_CLOSE, KIN_TEST_HTTP_SHORT,
                                                 KIN_TEST_HTTP_NO_LAST_CHUNK};

    (void)state;
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        kin__buf body;

        make_body(&body, kind);
        for (size_t i = 0; i < 3; i++) {
            struct scene s;

            open_scene(&s);
            for (size_t len = 1; len < body.len; len++) {
                int code;

                kin_test_http_add_route(
                    s.f.server,
                    &(kin_test_http_route){.times = 1,
                                           .content_type = kind == WATCHED ? STREAM : PROTOBUF,
                                           .body = body.data,
                                           .body_len = len,
                                           .shape = shapes[i]});
                code = ask(&s, kind);
                if (code != KIN_ECONNECT && !(i == 0 && is_enough(kind, &body, len)))
                    fail_msg("kind %d, shape %zu, %zu of %zu bytes: %s: %s", (int)kind, i, len,
                             body.len, kin_error_name(code), s.err.message);
            }
            assert_int_equal(s.logged.n_warnings, 0);
            close_scene(&s);
        }
        kin__buf_done(&body);
    }
}

/* HTTP says that all is there. */
static void what_ends_too_early_makes_no_sense(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        struct scene s;
        kin__buf body;

        make_body(&body, kind);
        open_scene(&s);
        for (size_t len = 1; len < body.len; len++) {
            int code;

            answer_bytes(&s, 200, kind == WATCHED ? STREAM : PROTOBUF,
                         kin_str_make(body.data, len));
            code = ask(&s, kind);
            if (is_enough(kind, &body, len) ? code != 0
                                            : code != (kind == OBJECT ? KIN_EPARSE : KIN_EPROTOCOL))
                fail_msg("kind %d, %zu of %zu bytes: %s: %s", (int)kind, len, body.len,
                         kin_error_name(code), s.err.message);
        }
        assert_int_equal(s.logged.n_warnings, 0);
        close_scene(&s);
        kin__buf_done(&body);
    }
}

static void every_split_gives_the_same(void **state)
{
    static const char *const expected[] = {"\"name\":\"web\"", "ns/a ns/b", "ADDED:a ADDED:b"};

    (void)state;
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        struct scene s;
        kin__buf body;

        make_body(&body, kind);
        open_scene(&s);
        for (size_t split = 1; split <= 32; split++) {
            for (int gzip = 0; gzip < 2; gzip++) {
                kin_test_http_add_route(
                    s.f.server, &(kin_test_http_route){
                                    .times = 1,
                                    .content_type = kind == WATCHED ? STREAM : PROTOBUF,
                                    .body = body.data,
                                    .body_len = body.len,
                                    .split = split,
                                    .size = split,
                                    .shape = gzip ? KIN_TEST_HTTP_GZIP : KIN_TEST_HTTP_CHUNKED});
                assert_code(ask(&s, kind), 0);
                assert_non_null(strstr(s.seen.text, expected[kind]));
            }
        }
        close_scene(&s);
        kin__buf_done(&body);
    }
}

/* --- without memory --- */

struct use {
    const char *name;
    enum kind kind;
    int status;        /* of the answer to protobuf; 0: 200 */
    const char *words; /* NULL: that answer is JSON */
    const char *json;  /* the answer to JSON */
    kin__buf body;     /* of the words: the server must not need memory */
};

static void answer_use(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    const struct use *use = arg;
    bool is_protobuf = strstr(kin_test_http_field_of(request, "Accept"), "protobuf");

    if (!is_protobuf || !use->words) {
        kin_test_http_answer(conn, is_protobuf ? use->status : 200, JSON,
                             is_protobuf ? STATUS(406, "NotAcceptable") : use->json);
        return;
    }
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", PROTOBUF);
    kin_test_http_body(conn, use->body.data, use->body.len);
}

static int use_client(kin_client *client, const struct use *use, kin_error *err)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    client_seen seen = {.n = 0};
    kin_resource *pods = NULL;
    int code;

    spec.version = "v1";
    spec.resource = "pods";
    spec.kind = "Pod";
    code = kin_resource_new(&pods, &spec, err);
    if (code == 0 && use->kind == LISTED)
        code = kin_client_list(client, NULL, pods, NULL, client_see_item, &seen, NULL, err);
    else if (code == 0)
        code = kin_client_get(client, NULL, pods, "ns", "web", NULL, err);
    if (code == 0 && use->kind == LISTED)
        assert_string_equal(seen.text, "ns/a ns/b");
    kin_resource_unref(pods);
    return code;
}

struct without_memory {
    const struct use *use;
    kin_test_http *server;
};

static int scenario(void *arg, kin_error *err)
{
    const struct without_memory *without = arg;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    size_t before = kin_test_alloc_live();
    kin_client *client = NULL;
    int code;

    config.server = kin_test_http_url(without->server);
    options.qps = -1;
    options.max_retries = -1;
    code = kin_config_new(&options.config, &config, err);
    if (code == 0)
        code = kin_client_new(&client, &options, err);
    if (code == 0)
        code = use_client(client, without->use, err);
    kin_config_unref(options.config);
    kin_client_free(client);
    client_await_allocations(before);
    return code;
}

static void no_memory(void **state)
{
    static struct use uses[] = {
        {"get", OBJECT, 200, A_POD " 2{ 2{ 1:c 2:image } }", POD, {0}},
        {"list", LISTED, 200, HEAD AN_ITEM("a") " " AN_ITEM("b"), PODS, {0}},
        {"406", LISTED, 406, NULL, PODS, {0}},
        {"newer object", OBJECT, 200, NEW_POD, POD, {0}},
        {"newer list", LISTED, 200, HEAD NEW_ITEM("a"), PODS, {0}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
        struct without_memory without = {.use = &uses[i]};

        print_message("%s\n", uses[i].name);
        if (uses[i].words)
            kin_test_pb_body_of(&uses[i].body, "v1", uses[i].kind == LISTED ? "PodList" : "Pod",
                                uses[i].words);
        kin_test_http_start(&without.server,
                            &(kin_test_http_options){.handler = answer_use, .arg = &uses[i]});
        kin_test_fail_each_allocation(scenario, &without);
        kin_test_http_stop(without.server);
        if (uses[i].words)
            kin__buf_done(&uses[i].body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(objects_lists_and_watches_come_in_protobuf),
        client_test(lists_come_in_pages),
        client_test(the_server_may_answer_in_json),
        client_test(decode_options_do_not_say_the_encoding),
        client_test(metadata_only),
        client_test(json_can_be_asked_for),
        client_test(unknown_encodings_are_refused),
        client_test(writes_and_texts_are_json),
        client_test(a_status_is_the_same_failure),
        client_test(a_delay_is_the_same_in_both),
        client_test(a_newer_status_is_a_failure),
        client_test(an_error_event_ends_the_watch),
        client_test(a_refusal_is_followed_by_json),
        client_test(a_streaming_list_goes_on_in_json),
        client_test(json_may_fail_as_well),
        client_test(a_page_of_a_proxy_is_not_json),
        client_test(a_failure_in_json_is_final),
        client_test(a_newer_object_comes_in_json),
        client_test(a_newer_list_goes_on_in_json),
        client_test(a_list_that_gets_newer_fails_once),
        client_test(a_newer_event_is_not_lost),
        client_test(a_callback_is_no_reason_for_json),
        client_test(concurrent_calls_log_once),
        client_test(what_is_cut_off_is_lost),
        client_test(what_ends_too_early_makes_no_sense),
        client_test(every_split_gives_the_same),
        client_test(no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
