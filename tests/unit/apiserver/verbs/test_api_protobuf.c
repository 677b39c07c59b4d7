/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests whose bodies are protobuf: each verb takes them, and what it refuses it says as it does
 * with JSON.
 */
#include "kin_test.h"

#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "apiserver/kinds/kind.h"
#include "apiserver/protocol/encode.h"
#include "base/compiler.h"
#include "object/protobuf.h"
#include "protobuf_support.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define DEPLOYMENTS "/apis/apps/v1/namespaces/default/deployments"
#define PODS "/api/v1/namespaces/default/pods"
#define DEFINITIONS "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WEBHOOKS "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
#define WIDGETS "/apis/k.example/v1/namespaces/default/widgets"

struct step {
    const char *line;
    const char *api_version; /* in the envelope; NULL: not there */
    const char *kind;
    const char *words;
    int status;
    const char *has;     /* in the answer; NULL: anything */
    const char *has_not; /* NULL: nothing */
};

static void ask(kin_test_api *api, const struct step *step, kin_str body, const char *type)
{
    const kin_test_request request = {
        .line = step->line, .body = body.data, .body_len = body.len, .content_type = type};
    int status;
    const char *answer = kin_test_ask(api, &request, &status);

    if (status != step->status)
        fail_msg("%s, %s: %d: %s", step->line, step->words, status, answer);
    if (step->has)
        kin_test_assert_has(answer, step->has);
    if (step->has_not)
        kin_test_assert_has_not(answer, step->has_not);
}

static void run(kin_test_api *api, const struct step *steps, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin__buf body;

        kin_test_pb_body_of(&body, steps[i].api_version, steps[i].kind, steps[i].words);
        ask(api, &steps[i], kin__buf_str(&body), KIN__PROTOBUF);
        kin__buf_done(&body);
    }
}

static void verbs(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, "v1", "ConfigMap", "1{ 1:a 2: 3: 8{ } } 2{ 1:k 2:v }", 201,
         "\"data\":{\"k\":\"v\"}", "generateName"},
        {"POST " CONFIGMAPS, "v1", "ConfigMap", "1{ 1:a }", 409, "already exists", NULL},
        {"POST " CONFIGMAPS, NULL, NULL, "1{ 2:some- }", 201, "\"name\":\"some-", NULL},
        {"PUT " CONFIGMAPS "/a", "v1", "ConfigMap", "1{ 1:a } 2{ 1:k 2:w }", 200,
         "\"data\":{\"k\":\"w\"}", NULL},
        {"PUT " CONFIGMAPS "/a", "v1", "ConfigMap", "1{ 1:a 6:1 }", 409, "has been modified", NULL},
        {"POST " DEPLOYMENTS, "apps/v1", "Deployment",
         "1{ 1:d } 2{ 1=1 2{ 1{ 1:a 2:b } } 3{ 1{ } 2{ 2{ 1:c } } } }", 201, "\"replicas\":1",
         NULL},
        {"PUT " DEPLOYMENTS "/d/status", "apps/v1", "Deployment", "1{ 1:d } 3{ 2=1 }", 200,
         "\"status\":{\"replicas\":1}", NULL},
        {"PUT " DEPLOYMENTS "/d/scale", "autoscaling/v1", "Scale", "1{ 1:d } 2{ 1=5 }", 200,
         "\"spec\":{\"replicas\":5}", NULL},
        {"PUT " DEPLOYMENTS "/d/scale", NULL, NULL, "1{ 1:d } 2{ 1=6 }", 200,
         "\"spec\":{\"replicas\":6}", NULL},
        {"POST " PODS, "v1", "Pod", "1{ 1:p } 2{ 2{ 1:c } }", 201, "\"containers\":[{\"name\"",
         NULL},
        {"POST " PODS "/p/binding", "v1", "Binding", "1{ 1:p } 2{ 3:node }", 201, "Success", NULL},
        {"POST /apis/events.k8s.io/v1/namespaces/default/events", "events.k8s.io/v1", "Event",
         "1{ 1:e } 2{ } 10:n", 201, "\"events.k8s.io/v1\"", NULL},
        {"DELETE " CONFIGMAPS "/a", "v1", "DeleteOptions", "2{ 1:another }", 409,
         "in the precondition", NULL},
        {"DELETE " CONFIGMAPS "/a", "v1", "DeleteOptions", "1=0 4:Background", 200, "Success",
         NULL},
        {"DELETE " DEPLOYMENTS, "apps/v1", "DeleteOptions", "", 200, "\"items\":[{", NULL},
    };
    kin_test_api api;

    (void)unused;
    kin_test_api_start(&api, NULL);
    run(&api, steps, kin__array_len(steps));
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void refused(void **unused)
{
    static const struct step steps[] = {
        {"POST " CONFIGMAPS, "v1", "Secret", "1{ 1:a }", 400,
         "Secret in version \\\"v1\\\" cannot be handled as a ConfigMap: converting (v1.Secret) to "
         "(core.ConfigMap): unknown conversion",
         NULL},
        {"POST " CONFIGMAPS, "v1", "Thing", "1{ 1:a }", 400,
         "no kind \\\"Thing\\\" is registered for version \\\"v1\\\"", NULL},
        {"POST " CONFIGMAPS, "apps/v1", "ConfigMap", "1{ 1:a }", 400, "is registered for version",
         NULL},
        {"POST " CONFIGMAPS, "v1", "ConfigMap", "1{ 1:A }", 422, "a lowercase RFC 1123", NULL},
        {"POST " CONFIGMAPS, "v1", "ConfigMap", "", 422, "name or generateName is required", NULL},
        {"POST " CONFIGMAPS, "v1", "ConfigMap", "!0a05", 400,
         "\"message\":\"ConfigMap in version \\\"v1\\\" cannot be handled as a ConfigMap: "
         "unexpected EOF\",\"reason\":\"BadRequest\"",
         NULL},
        {"POST " DEPLOYMENTS, "apps/v1", "Deployment", "1=1", 400,
         "Deployment in version \\\"v1\\\" cannot be handled as a Deployment: proto: wrong wireType "
         "= 0 for field Metadata",
         NULL},
        {"DELETE " CONFIGMAPS "/x", "v1", "Thing", "", 400, "no kind \\\"Thing\\\" is registered",
         NULL},
        {"PATCH " CONFIGMAPS "/x", "v1", "ConfigMap", "", 415, "415: Unsupported Media Type", NULL},
    };
    static const struct {
        kin_str body;
        const char *message;
    } bodies[] = {
        {{"{}", 2},
         "the object provided is unrecognized (must be of type ConfigMap): provided "
         "data does not appear to be a protobuf message, expected prefix [107 56 115 0] "
         "(7b7d)"},
        {{"k8s\0", 4}, "(must be of type ConfigMap): empty body (6b387300)"},
        {{"k8s\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"
          "\xff\xff\xff\xff\xff\xff\xff\xff",
          32},
         "(must be of type ConfigMap): proto: integer overflow (6b387300ffffffffffffffffffffffffffff"
         "ffffffffffffffffffffffff ...)"},
    };
    const struct step post = {"POST " CONFIGMAPS, NULL, NULL, "", 400, NULL, NULL};
    kin_test_api api;

    (void)unused;
    kin_test_api_start(&api, NULL);
    run(&api, steps, kin__array_len(steps));
    for (size_t i = 0; i < kin__array_len(bodies); i++) {
        struct step step = post;

        step.has = bodies[i].message;
        ask(&api, &step, bodies[i].body, KIN__PROTOBUF ";charset=x");
    }
    kin_test_api_stop(&api);
}

/* Custom resources have no protobuf, but what the server has for them itself has. */
static void custom(void **unused)
{
    static const struct step definition[] = {
        {"POST " DEFINITIONS, "apiextensions.k8s.io/v1", "CustomResourceDefinition",
         "1{ 1:widgets.k.example } 2{ 1:k.example 3{ 1:widgets 4:Widget } 4:Namespaced 7{ 1:v1 2=1 "
         "3=1 4{ 1{ 5:object 38=1 } } 5{ 2{ 1:.spec.replicas 2:.status.replicas } } } }",
         201, "\"x-kubernetes-preserve-unknown-fields\":true", NULL},
    };
    static const struct step steps[] = {
        {"POST " WIDGETS, "k.example/v1", "Widget", "1{ 1:a }", 415,
         "accepted media types include: application/json, application/yaml\"", NULL},
        {"PUT " WIDGETS "/w/scale", "autoscaling/v1", "Scale", "1{ 1:w } 2{ 1=3 }", 200,
         "\"replicas\":3", NULL},
        {"DELETE " WIDGETS "/w", "k.example/v1", "DeleteOptions", "4:Background", 200, "Success",
         NULL},
    };
    kin_test_api api;

    (void)unused;
    kin_test_api_start(&api, NULL);
    run(&api, definition, kin__array_len(definition));
    kin_test_send(
        &api, 201, "POST " WIDGETS,
        "{\"apiVersion\":\"k.example/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w\""
        "},\"spec\":{\"replicas\":1}}");
    run(&api, steps, kin__array_len(steps));
    kin_test_api_stop(&api);
}

/* Two bytes for each webhook, of which JSON makes many. */
static void growth(void **unused)
{
    const kin__api_options options = {.max_body_bytes = 20000};
    const struct step post = {"POST " WEBHOOKS, NULL, NULL, "", 413, "RequestEntityTooLarge", NULL};
    kin__buf message;
    kin__buf body;
    kin_test_api api;

    (void)unused;
    kin_test_api_start(&api, &options);
    kin__buf_init(&message, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append(&message, "1{ 1:w }");
    for (unsigned i = 0; i < 9000; i++)
        kin_test_pb_append(&message, "2{ }");
    kin_test_pb_body(&body, "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration",
                     kin__buf_str(&message));
    ask(&api, &post, kin__buf_str(&body), KIN__PROTOBUF);
    kin__buf_done(&message);
    kin__buf_done(&body);
    kin_test_api_stop(&api);
}

/* In some version. */
static bool has_kind(const char *kind)
{
    for (size_t i = 1; i < kin__pb_n_kinds; i++) {
        if (strcmp(kin__pb_name(kin__pb_kinds[i].kind), kind) == 0)
            return true;
    }
    return false;
}

/* Whatever is served can be sent. */
static void all_kinds(void **unused)
{
    (void)unused;
    for (const kin__kind *const *kind = kin__builtin_kinds; *kind; kind++) {
        for (const kin__kind_version *v = (*kind)->versions; v->name; v++) {
            kin__protobuf_type type = {.kind = kin_str_of((*kind)->kind)};
            kin__buf version;

            kin__buf_init(&version, 256);
            kin__encode_api_version(&version, *kind, v->name);
            type.api_version = kin__buf_str(&version);
            if (!kin__protobuf_find_kind(&type))
                fail_msg("%s %s", version.data, (*kind)->kind);
            kin__buf_done(&version);
        }
        for (const kin__subresource *s = (*kind)->subresources; s && s->name; s++)
            assert_true(has_kind(s->kind));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds), cmocka_unit_test(verbs),  cmocka_unit_test(refused),
        cmocka_unit_test(custom),    cmocka_unit_test(growth),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
