/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies and metadata: what is refused, and in which words.
 */
#include "apiserver_support.h"

#include <stdlib.h>

#include "apiserver/kinds/kind_crd.h"
#include "apiserver/kinds/validate.h"
#include "base/compiler.h"

/* --- bodies --- */

static void refuses_bodies_that_do_not_fit(void **state)
{
    static const struct {
        const char *body;
        const char *name;
        const char *message; /* NULL: it fits */
    } cases[] = {
        {"{}", "", NULL},
        {"{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\","
         "\"namespace\":\"default\"}}",
         "web", NULL},
        {"{\"metadata\":{\"name\":null,\"labels\":null,\"finalizers\":null,\"generation\":null}}",
         "", NULL},
        {"{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}", "",
         "Pod in version \"v1\" cannot be handled as a Deployment: converting (v1.Pod) to "
         "(apps.Deployment): unknown conversion"},
        {"{\"kind\":\"Thing\",\"apiVersion\":\"v1\"}", "",
         "Thing in version \"v1\" cannot be handled as a Deployment: no kind \"Thing\" is "
         "registered for version \"v1\" in scheme \"pkg/runtime/scheme.go:111\""},
        {"{\"kind\":\"Thing\"}", "",
         "Thing in version \"v1\" cannot be handled as a Deployment: no kind \"Thing\" is "
         "registered for version \"apps/v1\" in scheme \"pkg/runtime/scheme.go:111\""},
        {"{\"kind\":\"Deployment\",\"apiVersion\":\"extensions/v1beta1\"}", "",
         "Deployment in version \"v1beta1\" cannot be handled as a Deployment: no kind "
         "\"Deployment\" is registered for version \"extensions/v1beta1\" in scheme "
         "\"pkg/runtime/scheme.go:111\""},
        {"{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1beta1\"}", "",
         "the API version in the data (apps/v1beta1) does not match the expected API version "
         "(apps/v1)"},
        {"{\"metadata\":{\"namespace\":\"other\"}}", "",
         "the namespace of the provided object does not match the namespace sent on the request"},
        {"{\"metadata\":{\"name\":\"api\"}}", "web",
         "the name of the object (api) does not match the name on the URL (web)"},
        {"{\"metadata\":{}}", "web",
         "the name of the object (web based on URL) was undeterminable: name must be provided"},
        {"{\"metadata\":[]}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "array into Go struct field Deployment.metadata of type v1.ObjectMeta"},
        {"{\"metadata\":{\"name\":5}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number into Go struct field ObjectMeta.metadata.name of type string"},
        {"{\"metadata\":{\"labels\":{\"a\":true}}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "bool into Go struct field ObjectMeta.metadata.labels of type string"},
        {"{\"metadata\":{\"annotations\":\"x\"}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "string into Go struct field ObjectMeta.metadata.annotations of type map[string]string"},
        {"{\"metadata\":{\"finalizers\":[{}]}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "object into Go struct field ObjectMeta.metadata.finalizers of type string"},
        {"{\"metadata\":{\"ownerReferences\":[1]}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number into Go struct field ObjectMeta.metadata.ownerReferences of type "
         "v1.OwnerReference"},
        {"{\"metadata\":{\"generation\":99999999999999999999}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number 99999999999999999999 into Go struct field ObjectMeta.metadata.generation of type "
         "int64"},
        {"{\"metadata\":{\"generation\":1.5}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number 1.5 into Go struct field ObjectMeta.metadata.generation of type int64"},
        {"{\"metadata\":{\"generation\":\"1\"}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "string into Go struct field ObjectMeta.metadata.generation of type int64"},
        {"{\"metadata\":{\"selfLink\":{}}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "object into Go struct field ObjectMeta.metadata.selfLink of type string"},
        {"{\"metadata\":{\"creationTimestamp\":1}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number into Go struct field ObjectMeta.metadata.creationTimestamp of type string"},
        {"{\"metadata\":{\"creationTimestamp\":\"x\"}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: parsing time \"x\" as "
         "\"2006-01-02T15:04:05Z07:00\": cannot parse \"x\" as \"2006\""},
        {"{\"metadata\":{\"creationTimestamp\":\"2026-01-01T00:00:00Z\"}}", "", NULL},
        {"{\"metadata\":{\"ownerReferences\":[{},{\"uid\":1}]}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "number into Go struct field OwnerReference.metadata.ownerReferences.uid of type "
         "types.UID"},
        {"{\"metadata\":{\"ownerReferences\":[{\"controller\":\"x\"}]}}", "",
         "Deployment in version \"v1\" cannot be handled as a Deployment: json: cannot unmarshal "
         "string into Go struct field OwnerReference.metadata.ownerReferences.controller of type "
         "bool"},
        {"{\"apiVersion\":1}", "",
         "the object provided is unrecognized (must be of type Deployment): couldn't get "
         "version/kind; json parse error: json: cannot unmarshal number into Go struct field "
         ".apiVersion of type string"},
        {"{\"kind\":{}}", "",
         "the object provided is unrecognized (must be of type Deployment): couldn't get "
         "version/kind; json parse error: json: cannot unmarshal object into Go struct field "
         ".kind of type string"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *body = object_of(cases[i].body);
        kin__failure failure;
        bool ok =
            kin__validate_body(builtin("apps", "deployments"), kin_str_of("v1"), NULL,
                               kin_str_of("default"), kin_str_of(cases[i].name), body, &failure);

        if (ok != !cases[i].message)
            fail_msg("%s: %s", cases[i].body, ok ? "fits" : failure.message);
        if (!ok)
            assert_failure(&failure, 400, "BadRequest", cases[i].message);
        kin_object_unref(body);
    }
}

static void a_namespace_of_a_kind_without_is_no_mismatch(void **state)
{
    const kin_object *body = object_of("{\"metadata\":{\"name\":\"n\",\"namespace\":\"x\"}}");
    kin__failure failure;

    (void)state;
    assert_true(kin__validate_body(builtin("", "nodes"), kin_str_of("v1"), NULL, kin_str_of(""),
                                   kin_str_of("n"), body, &failure));
    kin_object_unref(body);
}

/* A decoder that does not know a version says so, and core never had another one. */
static void core_has_one_version(void **state)
{
    const kin_object *body = object_of("{\"apiVersion\":\"v2\",\"kind\":\"ConfigMap\"}");
    kin__failure failure;

    (void)state;
    assert_false(kin__validate_body(builtin("", "configmaps"), kin_str_of("v1"), NULL,
                                    kin_str_of("default"), kin_str_of(""), body, &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "ConfigMap in version \"v2\" cannot be handled as a ConfigMap: no kind "
                   "\"ConfigMap\" is registered for version \"v2\" in scheme "
                   "\"pkg/runtime/scheme.go:111\"");
    kin_object_unref(body);
}

static void definitions_have_types(void **state)
{
    static const struct {
        const char *spec;
        const char *message; /* NULL: it fits */
    } cases[] = {
        {"{}", NULL},
        {"null", NULL},
        {"1", "number into Go struct field CustomResourceDefinition.spec of type "
              "v1.CustomResourceDefinitionSpec"},
        {"{\"scope\":1}", "number into Go struct field CustomResourceDefinitionSpec.spec.scope of "
                          "type v1.ResourceScope"},
        {"{\"names\":{\"shortNames\":\"x\"}}",
         "string into Go struct field CustomResourceDefinitionNames.spec.names.shortNames of type "
         "[]string"},
        {"{\"names\":{\"shortNames\":[1]}}",
         "number into Go struct field CustomResourceDefinitionNames.spec.names.shortNames of type "
         "string"},
        {"{\"versions\":[{\"served\":\"x\"}]}",
         "string into Go struct field CustomResourceDefinitionVersion.spec.versions.served of type "
         "bool"},
        {"{\"versions\":{}}", "object into Go struct field CustomResourceDefinitionSpec.spec."
                              "versions of type []v1.CustomResourceDefinitionVersion"},
        {"{\"versions\":[{\"subresources\":{\"scale\":{\"specReplicasPath\":1}}}]}",
         "number into Go struct field CustomResourceSubresourceScale.spec.versions.subresources."
         "scale.specReplicasPath of type string"},
        {"{\"versions\":[{\"selectableFields\":[{\"jsonPath\":1}]}]}",
         "number into Go struct field SelectableField.spec.versions.selectableFields.jsonPath of "
         "type string"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char text[512];
        kin__failure failure;

        snprintf(text, sizeof(text), "{\"spec\":%s}", cases[i].spec);
        const kin_object *body = object_of(text);
        bool ok = kin__validate_body(builtin("apiextensions.k8s.io", "customresourcedefinitions"),
                                     kin_str_of("v1"), NULL, kin_str_of(""), kin_str_of(""), body,
                                     &failure);
        if (ok != !cases[i].message)
            fail_msg("%s: %s", text, ok ? "fits" : failure.message);
        if (!ok) {
            snprintf(text, sizeof(text),
                     "CustomResourceDefinition in version \"v1\" cannot be handled as a "
                     "CustomResourceDefinition: json: cannot unmarshal %s",
                     cases[i].message);
            assert_failure(&failure, 400, "BadRequest", text);
        }
        kin_object_unref(body);
    }
}

static void custom_resources_must_say_what_they_are(void **state)
{
    const kin__kind custom = {.group = "example.com",
                              .kind = "Widget",
                              .resource = "widgets",
                              .namespaced = true,
                              .custom = true};
    const kin_object *body = object_of(
        "{\"apiVersion\":\"example.com/v1\",\"kind\":\"Gadget\",\"metadata\":{\"name\":\"a\"}}");
    kin__failure failure;

    (void)state;
    assert_false(kin__validate_body(&custom, kin_str_of("v1"), NULL, kin_str_of("default"),
                                    kin_str_of(""), body, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "Gadget.example.com \"a\" is invalid: kind: Invalid value: \"Gadget\": must be "
                   "Widget");
    kin_object_unref(body);
    body = object_of("{\"apiVersion\":\"example.com/v2\",\"kind\":\"Gadget\"}");
    assert_false(kin__validate_body(&custom, kin_str_of("v1"), NULL, kin_str_of("default"),
                                    kin_str_of(""), body, &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "the API version in the data (example.com/v2) does not match the expected API "
                   "version (example.com/v1)");
    kin_object_unref(body);
    body = object_of("{\"apiVersion\":\"example.com/v1\",\"kind\":\"Widget\",\"metadata\":"
                     "{\"labels\":{\"a\":1}}}");
    assert_false(kin__validate_body(&custom, kin_str_of("v1"), NULL, kin_str_of("default"),
                                    kin_str_of(""), body, &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "Widget in version \"v1\" cannot be handled as a Widget: json: cannot unmarshal "
                   "number into Go struct field ObjectMeta.labels of type string");
    kin_object_unref(body);
    body = object_of("{}");
    assert_false(kin__validate_body(&custom, kin_str_of("v1"), NULL, kin_str_of("default"),
                                    kin_str_of(""), body, &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "the object provided is unrecognized (must be of type Widget): Object 'Kind' "
                   "is missing");
    kin_object_unref(body);
}

static bool fits(const kin__kind *kind, const char *subresource, const char *json,
                 kin__failure *failure)
{
    const kin_object *body = object_of(json);
    const kin__subresource *part =
        kin__kind_find_subresource(kind, kind->versions, kin_str_of(subresource));
    bool ok;

    assert_non_null(part);
    ok = kin__validate_body(kind, kin_str_of("v1"), part, kin_str_of("default"), kin_str_of(""),
                            body, failure);
    kin_object_unref(body);
    return ok;
}

static void subresources_have_kinds_of_their_own(void **state)
{
    const kin__kind *deployments = builtin("apps", "deployments");
    kin__failure failure;

    (void)state;
    assert_true(fits(deployments, "status", "{\"kind\":\"Deployment\"}", &failure));
    assert_true(fits(deployments, "scale", "{\"kind\":\"Scale\",\"apiVersion\":\"autoscaling/v1\"}",
                     &failure));
    assert_true(fits(deployments, "scale", "{}", &failure));
    assert_false(fits(deployments, "scale", "{\"kind\":\"Deployment\",\"apiVersion\":\"apps/v1\"}",
                      &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "Deployment in version \"v1\" cannot be handled as a Scale: converting "
                   "(v1.Deployment) to (autoscaling.Scale): unknown conversion");
    assert_true(fits(builtin("", "pods"), "binding", "{\"kind\":\"Binding\",\"apiVersion\":\"v1\"}",
                     &failure));
    assert_false(fits(builtin("", "pods"), "binding", "{\"metadata\":5}", &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "Binding in version \"v1\" cannot be handled as a Binding: json: cannot "
                   "unmarshal number into Go struct field Binding.metadata of type v1.ObjectMeta");
}

/* Both forms of an event are known, but each path takes its own. */
static void events_go_to_their_own_path(void **state)
{
    const kin_object *body = object_of("{\"kind\":\"Event\",\"apiVersion\":\"events.k8s.io/v1\"}");
    kin__failure failure;

    (void)state;
    assert_false(kin__validate_body(builtin("", "events"), kin_str_of("v1"), NULL,
                                    kin_str_of("default"), kin_str_of(""), body, &failure));
    assert_failure(&failure, 400, "BadRequest",
                   "the API version in the data (events.k8s.io/v1) does not match the expected "
                   "API version (v1)");
    kin_object_unref(body);
}

/* --- creating --- */

#define KEY_WORDS                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"

struct bad {
    const char *metadata;
    const char *reason; /* NULL: it is good */
    const char *field;
    const char *message;
};

static const struct bad bad_metadata[] = {
    {"\"name\":\"web\",\"namespace\":\"default\"", NULL, NULL, NULL},
    {"\"name\":\"web-x\",\"generateName\":\"web-\",\"namespace\":\"default\",\"labels\":{\"a\":\"\","
     "\"b.c/d\":\"E_f\"},\"annotations\":{\"X.Y/z\":\"any \\n text\"},\"finalizers\":[\"a.b/c\"],"
     "\"ownerReferences\":[{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"r\","
     "\"uid\":\"1\",\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"name\":\"n\","
     "\"uid\":\"2\"}],\"managedFields\":[{\"manager\":\"x\"}]",
     NULL, NULL, NULL},
    {"\"namespace\":\"default\"", "FieldValueRequired", "metadata.name",
     "Required value: name or generateName is required"},
    {"\"name\":\"web\"", "FieldValueRequired", "metadata.namespace", "Required value"},
    {"\"name\":\"web\",\"namespace\":\"a.b\"", "FieldValueInvalid", "metadata.namespace",
     "Invalid value: \"a.b\": must not contain dots"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"labels\":{\"a b\":\"c\"}", "FieldValueInvalid",
     "metadata.labels", "Invalid value: \"a b\": name part " KEY_WORDS},
    {"\"name\":\"web\",\"namespace\":\"default\",\"annotations\":{\"a b\":\"c\"}",
     "FieldValueInvalid", "metadata.annotations", "Invalid value: \"a b\": name part " KEY_WORDS},
    {"\"name\":\"web\",\"namespace\":\"default\",\"finalizers\":[\"/x\"]", "FieldValueInvalid",
     "metadata.finalizers", "Invalid value: \"/x\": prefix part must be non-empty"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"finalizers\":[\"orphan\",\"foregroundDeletion\"]",
     "FieldValueInvalid", "metadata.finalizers",
     "Invalid value: [\"orphan\",\"foregroundDeletion\"]: finalizer orphan and foregroundDeletion "
     "cannot be both set"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"finalizers\":[\"kubernetes\",\"plain\"]",
     "FieldValueInvalid", "metadata.finalizers[1]",
     "Invalid value: \"plain\": name is neither a standard finalizer name nor is it fully "
     "qualified"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"generation\":-1", "FieldValueInvalid",
     "metadata.generation", "Invalid value: -1: must be greater than or equal to 0"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"a/b/c\","
     "\"kind\":\"K\",\"name\":\"n\",\"uid\":\"u\"}]",
     "FieldValueInvalid", "metadata.ownerReferences.apiVersion",
     "Invalid value: \"a/b/c\": version must not be empty"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"ownerReferences\":[null]", "FieldValueInvalid",
     "metadata.ownerReferences.apiVersion", "Invalid value: \"\": version must not be empty"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
     "\"kind\":\"K\",\"name\":\"n\"}]",
     "FieldValueInvalid", "metadata.ownerReferences.uid", "Invalid value: \"\": must not be empty"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
     "\"kind\":\"Event\",\"name\":\"n\",\"uid\":\"u\"}]",
     "FieldValueInvalid", "metadata.ownerReferences",
     "Invalid value: {\"apiVersion\":\"v1\",\"kind\":\"Event\",\"name\":\"n\",\"uid\":\"u\"}: "
     "/v1, Kind=Event is disallowed from being an owner"},
    {"\"name\":\"web\",\"namespace\":\"default\",\"ownerReferences\":[{\"apiVersion\":\"v1\","
     "\"kind\":\"A\",\"name\":\"a\",\"uid\":\"1\",\"controller\":true},{\"apiVersion\":\"v1\","
     "\"kind\":\"B\",\"name\":\"b\",\"uid\":\"2\",\"controller\":true}]",
     "FieldValueInvalid", "metadata.ownerReferences",
     "Invalid value: [{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"a\",\"uid\":\"1\","
     "\"controller\":true},{\"apiVersion\":\"v1\",\"kind\":\"B\",\"name\":\"b\",\"uid\":\"2\","
     "\"controller\":true}]: Only one reference can have Controller set to true. Found \"true\" in "
     "references for A/a and B/b"},
};

static void refuses_bad_metadata(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(bad_metadata); i++) {
        const struct bad *bad = &bad_metadata[i];
        char json[1024];
        kin__failure failure;

        snprintf(json, sizeof(json), "{\"metadata\":{%s}}", bad->metadata);
        const kin_object *object = object_of(json);
        bool ok = kin__validate_create(builtin("", "pods"), object, &failure);
        if (ok != !bad->reason)
            fail_msg("%s: %s", json, ok ? "is good" : failure.message);
        if (!ok) {
            assert_int_equal(failure.status, 422);
            assert_cause(&failure, 0, bad->reason, bad->field, bad->message);
        }
        kin_object_unref(object);
    }
}

static void tells_all_that_is_wrong(void **state)
{
    const kin_object *object = object_of("{\"metadata\":{\"name\":\"Web\",\"generateName\":\"W\","
                                         "\"labels\":{\"a\":\"b c\"}}}");
    kin__failure failure;

    (void)state;
    assert_false(kin__validate_create(builtin("apps", "statefulsets"), object, &failure));
    assert_int_equal(failure.n_causes, 4);
    assert_string_equal(failure.causes[0].field, "metadata.generateName");
    assert_string_equal(failure.causes[1].field, "metadata.name");
    assert_string_equal(failure.causes[2].field, "metadata.namespace");
    assert_string_equal(failure.causes[3].field, "metadata.labels");
    assert_string_equal(failure.kind, "StatefulSet");
    assert_string_equal(failure.group, "apps");
    assert_string_equal(failure.name, "Web");
    kin_object_unref(object);
}

static void kinds_have_rules_of_their_own(void **state)
{
    static const struct {
        const char *group;
        const char *resource;
        const char *name;
        const char *namespace_;
        bool is_good;
    } cases[] = {
        {"", "pods", "a.b", "default", true},
        {"", "pods", "a-", "default", false}, /* only a generateName may end so */
        {"", "pods", "a", "b-", false},
        {"apps", "statefulsets", "a.b", "default", false},
        {"", "namespaces", "a.b", "", false},
        {"", "namespaces", "a", "", true},
        {"", "services", "0a", "default", true}, /* since 1.36 */
        {"", "services", "a.b", "default", false},
        {"rbac.authorization.k8s.io", "clusterroles", "system:node", "", true},
        {"rbac.authorization.k8s.io", "clusterroles", "a/b", "", false},
        {"", "nodes", "n", "default", false}, /* it has no namespace */
        {"", "events", "Web.17f3", "default", true},
        {"events.k8s.io", "events", "Web.17f3", "default", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char json[200];
        kin__failure failure;

        snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\"}}",
                 cases[i].name, cases[i].namespace_);
        const kin_object *object = object_of(json);
        bool ok =
            kin__validate_create(builtin(cases[i].group, cases[i].resource), object, &failure);
        if (ok != cases[i].is_good)
            fail_msg("%s %s", cases[i].resource, json);
        kin_object_unref(object);
    }
}

/* Only kinds that core's validation judges have to qualify finalizers. */
static void plain_finalizers_of_other_kinds(void **state)
{
    const kin_object *object = object_of("{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
                                         "\"finalizers\":[\"plain\"]}}");
    kin__failure failure;

    (void)state;
    assert_true(kin__validate_create(builtin("coordination.k8s.io", "leases"), object, &failure));
    assert_false(kin__validate_create(builtin("apps", "deployments"), object, &failure));
    kin_object_unref(object);
}

/* Keys and values together: 256 KiB are allowed, a byte more is not. */
static void bounds_annotations(void **state)
{
    char *json = malloc(KIN__ANNOTATIONS_MAX + 200);
    kin__failure failure;

    (void)state;
    for (size_t extra = 0; extra < 2; extra++) {
        int head = sprintf(json, "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\","
                                 "\"annotations\":{\"kk\":\"");

        memset(json + head, 'x', KIN__ANNOTATIONS_MAX - 2 + extra);
        memcpy(json + head + KIN__ANNOTATIONS_MAX - 2 + extra, "\"}}}", 5);
        const kin_object *object = object_of(json);
        assert_int_equal(kin__validate_create(builtin("", "pods"), object, &failure), extra == 0);
        kin_object_unref(object);
    }
    assert_cause(&failure, 0, "FieldValueTooLong", "metadata.annotations",
                 "Too long: may not be more than 262144 bytes");
    free(json);
}

/* --- changing --- */

static void refuses_changes(void **state)
{
    static const struct bad cases[] = {
        {"\"resourceVersion\":\"5\"", NULL, NULL, NULL},
        {"\"resourceVersion\":\"5\",\"labels\":{\"a\":\"b\"},\"finalizers\":[\"a/b\"]", NULL, NULL,
         NULL},
        {"\"labels\":{}", "FieldValueInvalid", "metadata.resourceVersion",
         "Invalid value: \"\": must be specified for an update"},
        {"\"resourceVersion\":\"5\",\"uid\":\"2\"", "FieldValueInvalid", "metadata.uid",
         "Invalid value: \"2\": field is immutable"},
        {"\"resourceVersion\":\"5\",\"name\":\"api\"", "FieldValueInvalid", "metadata.name",
         "Invalid value: \"api\": field is immutable"},
        {"\"resourceVersion\":\"5\",\"namespace\":\"x\"", "FieldValueInvalid", "metadata.namespace",
         "Invalid value: \"x\": field is immutable"},
        {"\"resourceVersion\":\"5\",\"creationTimestamp\":null", "FieldValueInvalid",
         "metadata.creationTimestamp", "Invalid value: null: field is immutable"},
        {"\"resourceVersion\":\"5\",\"deletionTimestamp\":\"2025-01-01T00:00:00Z\"",
         "FieldValueInvalid", "metadata.deletionTimestamp",
         "Invalid value: \"2025-01-01T00:00:00Z\": field is immutable"},
        {"\"resourceVersion\":\"5\",\"generation\":1", "FieldValueInvalid", "metadata.generation",
         "Invalid value: 1: must not be decremented"},
        {"\"resourceVersion\":\"5\",\"labels\":{\"a\":\"/\"}", "FieldValueInvalid",
         "metadata.labels", NULL},
    };
    static const char old_metadata[] =
        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"uid\":\"1\",\"generation\":3,"
        "\"creationTimestamp\":\"2025-01-01T00:00:00Z\"}}";
    const kin_object *old = object_of(old_metadata);

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char json[600];
        kin__failure failure;

        /* Of a member that is given twice the last one counts. */
        snprintf(json, sizeof(json), "%.*s,%s}}", (int)(sizeof(old_metadata) - 3), old_metadata,
                 cases[i].metadata);
        const kin_object *object = object_of(json);
        bool ok = kin__validate_update(builtin("", "pods"), object, old, &failure);
        if (ok != !cases[i].reason)
            fail_msg("%s: %s", json, ok ? "is good" : failure.message);
        if (!ok && cases[i].message)
            assert_cause(&failure, 0, cases[i].reason, cases[i].field, cases[i].message);
        if (!ok)
            assert_int_equal(failure.n_causes, 1);
        kin_object_unref(object);
    }
    kin_object_unref(old);
}

static void no_finalizer_comes_to_what_is_going(void **state)
{
    const kin_object *old = object_of(
        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"finalizers\":[\"a/b\"],"
        "\"deletionTimestamp\":\"2025-01-01T00:00:00Z\"}}");
    const kin_object *fewer = object_of(
        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"resourceVersion\":\"1\","
        "\"deletionTimestamp\":\"2025-01-01T00:00:00Z\"}}");
    const kin_object *more = object_of(
        "{\"metadata\":{\"name\":\"web\",\"namespace\":\"default\",\"resourceVersion\":\"1\","
        "\"finalizers\":[\"a/b\",\"c/d\",\"e/f\"],\"deletionTimestamp\":\"2025-01-01T00:00:00Z\"}}");
    kin__failure failure;

    (void)state;
    assert_true(kin__validate_update(builtin("", "pods"), fewer, old, &failure));
    assert_false(kin__validate_update(builtin("", "pods"), more, old, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "Pod \"web\" is invalid: metadata.finalizers: Forbidden: no new finalizers can "
                   "be added if the object is being deleted, found new finalizers "
                   "[]string{\"c/d\", \"e/f\"}");
    kin_object_unref(old);
    kin_object_unref(fewer);
    kin_object_unref(more);
}

/* A name that no rule allows any more can still be changed: only what is in a path counts. */
static void old_names_can_be_updated(void **state)
{
    const kin_object *object = object_of(
        "{\"metadata\":{\"name\":\"Old_Name\",\"namespace\":\"default\",\"resourceVersion\":\"1\"}}");
    kin__failure failure;

    (void)state;
    assert_true(kin__validate_update(builtin("", "pods"), object, object, &failure));
    assert_false(kin__validate_create(builtin("", "pods"), object, &failure));
    kin_object_unref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_bodies_that_do_not_fit),
        cmocka_unit_test(a_namespace_of_a_kind_without_is_no_mismatch),
        cmocka_unit_test(core_has_one_version),
        cmocka_unit_test(definitions_have_types),
        cmocka_unit_test(custom_resources_must_say_what_they_are),
        cmocka_unit_test(subresources_have_kinds_of_their_own),
        cmocka_unit_test(events_go_to_their_own_path),
        cmocka_unit_test(refuses_bad_metadata),
        cmocka_unit_test(plain_finalizers_of_other_kinds),
        cmocka_unit_test(tells_all_that_is_wrong),
        cmocka_unit_test(kinds_have_rules_of_their_own),
        cmocka_unit_test(bounds_annotations),
        cmocka_unit_test(refuses_changes),
        cmocka_unit_test(no_finalizer_comes_to_what_is_going),
        cmocka_unit_test(old_names_can_be_updated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
