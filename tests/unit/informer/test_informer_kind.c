/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer of a resource takes objects of its kind only, which discovery knows; and what is refused when it
 * is made, before a server is asked.
 */
#include "client_support.h"

#include <string.h>

#include "kinform/informer.h"

#define META(name, version)                                                                        \
    "\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}"
#define OBJECT(api, kind, name, version)                                                           \
    "{\"apiVersion\":\"" api "\",\"kind\":\"" kind "\"," META(name, version) "}"
#define PARTIAL(name, version) OBJECT("meta.k8s.io/v1", "PartialObjectMetadata", name, version)
#define TOLD(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

struct scene {
    client_fixture f;
    kin_logger *logger;
    kin_informer *informer;
    const char *list;
    const char *events;
};

static void no_log(const kin_log_record *record, void *arg)
{
    (void)record;
    (void)arg;
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    const struct scene *scene = arg;
    const char *target = request->target;

    if (strstr(target, "watch=")) {
        kin_test_http_status(conn, 200);
        kin_test_http_header(conn, "Content-Type", "application/json");
        kin_test_http_chunk_text(conn, scene->events);
        kin_test_http_wait_for_client_close(conn);
    } else if (strstr(target, "/api/v1/pods")) {
        kin_test_http_answer(conn, 200, "application/json", scene->list);
    } else if (strstr(target, "/api/v1")) {
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":"
                             "[{\"name\":\"pods\",\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":"
                             "[\"list\",\"watch\"],\"shortNames\":[\"po\"]}]}");
    } else if (strstr(target, "/apis")) {
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIGroupList\",\"groups\":[]}");
    } else {
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    }
}

/* Until it has seen version 30, which the last event has. */
static void follow(struct scene *scene, kin_informer_options *options)
{
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_logger_new(&scene->logger, KIN_LOG_ERROR, no_log, NULL, NULL, NULL), 0);
    client.logger = scene->logger;
    client.qps = -1;
    client_open(&scene->f, &client, &server);
    options->logger = scene->logger;
    options->no_streaming_list = true;
    assert_code(kin_informer_new(&scene->informer, scene->f.client, "po", options, &err), 0);
    assert_code(kin_informer_start(scene->informer, &err), 0);
    assert_code(kin_informer_wait_version(scene->informer, "30", KIN_TEST_TIMEOUT_MS, &err), 0);
}

static void done(struct scene *scene)
{
    kin_informer_free(scene->informer);
    client_close(&scene->f);
    kin_logger_unref(scene->logger);
}

static bool has(struct scene *scene, const char *key)
{
    return kin_store_get(kin_informer_store(scene->informer), NULL, kin_str_of(key), NULL) == 0;
}

static void assert_has(struct scene *scene, size_t n, uint64_t skipped)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_int_equal(kin_store_len(kin_informer_store(scene->informer)), n);
    assert_code(kin_informer_get_status(scene->informer, &status, NULL), 0);
    assert_int_equal(status.skipped, skipped);
}

static void objects_of_another_kind_are_skipped(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"10\"",
                     "{" META("a", "1") "}," OBJECT("v1", "Node", "n", "2") "," OBJECT(
                         "v1", "Pod", "b", "3") "," OBJECT("v2", "Pod", "c", "4")),
        .events = TOLD("ADDED", OBJECT("v1", "Node", "m", "11"))
            TOLD("ADDED", OBJECT("apps/v1", "Pod", "d", "12")) TOLD("ADDED", PARTIAL("e", "13"))
                TOLD("ADDED", OBJECT("v1", "Pod", "f", "30")),
    };

    (void)state;
    follow(&scene, &options);
    assert_true(has(&scene, "ns/a") && has(&scene, "ns/b") && has(&scene, "ns/f"));
    assert_has(&scene, 3, 5);
    done(&scene);
}

/* Servers that know nothing of PartialObjectMetadata send the whole. */
static void metadata_have_a_kind_of_their_own(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct scene scene = {
        .list = "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":\"meta.k8s.io/v1\","
                "\"metadata\":{\"resourceVersion\":\"10\"},\"items\":["
                "{" META("a", "1") "}," PARTIAL("b", "2") "]}",
        .events = TOLD("ADDED", OBJECT("v1", "Node", "m", "11"))
            TOLD("ADDED", OBJECT("v1", "Pod", "c", "12"))
                TOLD("ADDED", "{\"apiVersion\":\"meta.k8s.io/v1beta1\",\"kind\":"
                              "\"PartialObjectMetadata\"," META("d", "13") "}")
                    TOLD("BOOKMARK", PARTIAL("", "30")),
    };

    (void)state;
    options.content = KIN_CONTENT_METADATA;
    follow(&scene, &options);
    assert_true(has(&scene, "ns/a") && has(&scene, "ns/b") && has(&scene, "ns/c") &&
                has(&scene, "ns/d"));
    assert_has(&scene, 4, 1);
    done(&scene);
}

/* What is left of them does not say what they are. */
static void keys_have_no_kind(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    struct scene scene = {
        .list = LIST("\"resourceVersion\":\"10\"", "{" META("a", "1") "}"),
        .events = TOLD("ADDED", PARTIAL("b", "30")),
    };

    (void)state;
    options.content = KIN_CONTENT_KEYS;
    follow(&scene, &options);
    assert_has(&scene, 2, 0);
    done(&scene);
}

static void the_kind_is_not_for_the_caller(void **state)
{
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_http_options server = {.handler = handle};
    kin_informer *informer = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, &server);
    options.reflector = &reflector;
    reflector.kind = "Pod";
    assert_code(kin_informer_new(&informer, f.client, "pods", &options, NULL), KIN_EINVAL);
    reflector.kind = NULL;
    reflector.api_version = "v1";
    assert_code(kin_informer_new(&informer, f.client, "pods", &options, NULL), KIN_EINVAL);
    assert_null(informer);
    client_close(&f);
}

/* No server would understand it, and it would say so for ever. */
static void a_malformed_label_selector_is_refused(void **state)
{
    static const char *const bad[] = {"a=b=c", "===", "a in b", "a,,", "!", "a b"};
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_test_http_options server = {.handler = handle};
    kin_informer *informer = NULL;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, &server);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kin_error err = KIN_ERROR_INIT;

        options.label_selector = bad[i];
        assert_code(kin_informer_new(&informer, f.client, "pods", &options, &err), KIN_EPARSE);
        assert_null(informer);
        assert_non_null(strstr(err.message, "label selector"));
    }
    options.label_selector = "a in (b, c), !d,e";
    assert_code(kin_informer_new(&informer, f.client, "pods", &options, NULL), 0);
    assert_code(kin_informer_set_selectors(informer, "a=b=c", NULL, NULL), KIN_EPARSE);
    assert_code(kin_informer_set_selectors(informer, "", NULL, NULL), 0);
    kin_informer_free(informer);
    client_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_of_another_kind_are_skipped),
        cmocka_unit_test(metadata_have_a_kind_of_their_own),
        cmocka_unit_test(keys_have_no_kind),
        cmocka_unit_test(the_kind_is_not_for_the_caller),
        cmocka_unit_test(a_malformed_label_selector_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
