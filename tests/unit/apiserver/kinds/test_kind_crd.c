/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of CustomResourceDefinitions: what is read of them, and what is refused.
 */
#include "crd_support.h"

#include <stdlib.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/path.h"
#include "oom.h"

#define FULL                                                                                       \
    "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","        \
    "\"scope\":\"Cluster\",\"names\":{\"plural\":\"widgets\",\"singular\":\"widgetty\","           \
    "\"kind\":\"Widget\",\"listKind\":\"WidgetBag\",\"shortNames\":[\"wd\",\"w\"],"                \
    "\"categories\":[\"all\"]},\"conversion\":{\"strategy\":\"Webhook\",\"webhook\":{}},"          \
    "\"versions\":[{\"name\":\"v1alpha1\",\"served\":false,\"storage\":false," SCHEMA "},"         \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{\"status\":{},\"scale\":" \
    "{\"specReplicasPath\":\".spec.replicas\",\"statusReplicasPath\":\".status.replicas\","        \
    "\"labelSelectorPath\":\".status.selector\"}},\"selectableFields\":[{\"jsonPath\":"            \
    "\".spec.colour\"}]," SCHEMA "},{\"name\":\"v1beta1\",\"served\":true,\"storage\":false,"      \
    "\"deprecated\":true,\"deprecationWarning\":\"use v1\"," SCHEMA "}]}}"

static void reads_all(void **state)
{
    const kin__kind *kind = kind_of(FULL);
    const kin__kind_version *v = kind->versions;

    (void)state;
    assert_string_equal(kind->group, "example.com");
    assert_string_equal(kind->resource, "widgets");
    assert_string_equal(kind->singular, "widgetty");
    assert_string_equal(kind->kind, "Widget");
    assert_string_equal(kind->list_kind, "WidgetBag");
    assert_string_equal(kind->short_names[0], "wd");
    assert_string_equal(kind->short_names[1], "w");
    assert_null(kind->short_names[2]);
    assert_string_equal(kind->categories[0], "all");
    assert_string_equal(kind->collection, "widgets.example.com");
    assert_string_equal(kind->storage_version, "v1");
    assert_int_equal(kind->conversion, KIN__CONVERSION_WEBHOOK);
    assert_false(kind->namespaced);
    assert_true(kind->custom);
    assert_int_equal(kind->generation, KIN__GENERATION_COUNTED);
    assert_string_equal(v[0].name, "v1"); /* preferred first */
    assert_string_equal(v[1].name, "v1beta1");
    assert_string_equal(v[2].name, "v1alpha1");
    assert_null(v[3].name);
    assert_true(v[0].has_status);
    assert_string_equal(v[0].scale.replicas, "spec.replicas");
    assert_string_equal(v[0].scale.status_replicas, "status.replicas");
    assert_string_equal(v[0].scale.selector, "status.selector");
    assert_string_equal(v[0].fields[0].name, "spec.colour");
    assert_null(v[0].fields[1].name);
    assert_int_equal(kin_value_type(v[0].schema), KIN_MAP);
    assert_false(v[1].has_status);
    assert_null(v[1].scale.replicas);
    assert_null(v[1].fields);
    assert_true(v[1].deprecated);
    assert_string_equal(v[1].warning, "use v1");
    assert_true(kin__kind_serves(kind, kin_str_of("v1beta1")));
    assert_false(kin__kind_serves(kind, kin_str_of("v1alpha1")));
    kin__kind_unref(kind);
}

static void makes_names_that_are_missing(void **state)
{
    const kin__kind *kind = kind_of(CRD(NAMES, V1));

    (void)state;
    assert_string_equal(kind->singular, "widget");
    assert_string_equal(kind->list_kind, "WidgetList");
    assert_null(kind->short_names);
    assert_null(kind->categories);
    assert_true(kind->namespaced);
    assert_int_equal(kind->conversion, KIN__CONVERSION_NONE);
    kin__kind_ref(kind);
    kin__kind_unref(kind);
    kin__kind_unref(kind);
}

#define LABEL_WORDS                                                                                \
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "   \
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or "           \
    "'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')"
#define SCALE(paths)                                                                               \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"subresources\":{\"scale\":{" paths        \
    "}}," SCHEMA "}"
#define FIELD(path) "{\"jsonPath\":\"" path "\"}"
#define FIELDS(list)                                                                               \
    "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"selectableFields\":[" list "]," SCHEMA "}"

struct bad {
    const char *crd;
    const char *reason;
    const char *field;
    const char *message;
};

static const struct bad bad_crds[] = {
    {"{\"metadata\":{\"name\":\"gadgets.example.com\"},\"spec\":{\"group\":\"example.com\","
     "\"scope\":\"Cluster\",\"names\":{" NAMES "},\"versions\":[" V1 "]}}",
     "FieldValueInvalid", "metadata.name",
     "Invalid value: \"gadgets.example.com\": must be spec.names.plural+\".\"+spec.group"},
    {"{\"metadata\":{\"name\":\"widgets.example\"},\"spec\":{\"group\":\"example\",\"scope\":"
     "\"Cluster\",\"names\":{" NAMES "},\"versions\":[" V1 "]}}",
     "FieldValueInvalid", "spec.group",
     "Invalid value: \"example\": should be a domain with at least one dot"},
    {"{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":\"x.y\",\"names\":{" NAMES
     "},\"versions\":[" V1 "]}}",
     "FieldValueRequired", "spec.scope", "Required value"},
    {"{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":\"x.y\",\"scope\":\"World\","
     "\"names\":{" NAMES "},\"versions\":[" V1 "]}}",
     "FieldValueNotSupported", "spec.scope",
     "Unsupported value: \"World\": supported values: \"Cluster\", \"Namespaced\""},
    {"{\"metadata\":{\"name\":\"widgets.x.k8s.io\"},\"spec\":{\"group\":\"x.k8s.io\",\"scope\":"
     "\"Cluster\",\"names\":{" NAMES "},\"versions\":[" V1 "]}}",
     "FieldValueRequired", "metadata.annotations[api-approved.kubernetes.io]",
     "Required value: protected groups must have approval annotation "
     "\"api-approved.kubernetes.io\", see https://github.com/kubernetes/enhancements/pull/1111"},
    {CRD(NAMES, "{\"name\":\"v1\",\"served\":true,\"storage\":true}"), "FieldValueRequired",
     "spec.versions[0].schema.openAPIV3Schema", "Required value"},
    {CRD(NAMES, "{\"name\":\"V1\",\"served\":true,\"storage\":true," SCHEMA "}"),
     "FieldValueInvalid", "spec.versions[0].name", "Invalid value: \"V1\": " LABEL_WORDS},
    {CRD(NAMES, "{\"name\":\"v1\",\"served\":true," SCHEMA "}"), "FieldValueInvalid",
     "spec.versions",
     "Invalid value: [{\"name\":\"v1\",\"served\":true," SCHEMA
     "}]: must have exactly one version marked as storage version"},
    {CRD(NAMES, V1 ",{\"name\":\"v1\"," SCHEMA "}"), "FieldValueInvalid", "spec.versions",
     "Invalid value: [" V1 ",{\"name\":\"v1\"," SCHEMA "}]: must contain unique version names"},
    {CRD("\"plural\":\"widgets\",\"kind\":\"Widget\",\"singular\":\"a.b\"", V1),
     "FieldValueInvalid", "spec.names.singular", "Invalid value: \"a.b\": " LABEL_WORDS},
    {CRD("\"plural\":\"widgets\",\"kind\":\"Wid get\",\"singular\":\"w\"", V1), "FieldValueInvalid",
     "spec.names.kind",
     "Invalid value: \"Wid get\": may have mixed case, but should otherwise match: " LABEL_WORDS},
    {CRD("\"plural\":\"widgets\",\"kind\":\"Widget\",\"listKind\":\"Widget\"", V1),
     "FieldValueInvalid", "spec.names.listKind",
     "Invalid value: \"Widget\": kind and listKind may not be the same"},
    {CRD(NAMES ",\"shortNames\":[\"w\",\"W\"]", V1), "FieldValueInvalid",
     "spec.names.shortNames[1]", "Invalid value: \"W\": " LABEL_WORDS},
    {CRD(NAMES ",\"categories\":[5]", V1), "FieldValueInvalid", "spec.names.categories[0]",
     "Invalid value: \"\": " LABEL_WORDS},
    {CRD("\"plural\":\"widgets\"", V1), "FieldValueRequired", "spec.names.singular",
     "Required value"},
    {CRD(NAMES, SCALE("\"statusReplicasPath\":\".status.r\"")), "FieldValueRequired",
     "spec.subresources.scale.specReplicasPath", "Required value"},
    {CRD(NAMES, SCALE("\"specReplicasPath\":\"spec.r\",\"statusReplicasPath\":\".status.r\"")),
     "FieldValueInvalid", "spec.subresources.scale.specReplicasPath",
     "Invalid value: \"spec.r\": must be a simple json path starting with ."},
    {CRD(NAMES, SCALE("\"specReplicasPath\":\".spec.r\",\"statusReplicasPath\":\".spec.r\"")),
     "FieldValueInvalid", "spec.subresources.scale.statusReplicasPath",
     "Invalid value: \".spec.r\": should be a json path under .status"},
    {CRD(NAMES, SCALE("\"specReplicasPath\":\".spec.r\",\"statusReplicasPath\":\".status.r\","
                      "\"labelSelectorPath\":\".x\"")),
     "FieldValueInvalid", "spec.subresources.scale.labelSelectorPath",
     "Invalid value: \".x\": should be a json path under either .spec or .status"},
    {CRD(NAMES, FIELDS("{}")), "FieldValueRequired", "spec.selectableFields[0].jsonPath",
     "Required value"},
    {CRD(NAMES, FIELDS(FIELD(".spec.a[0]"))), "FieldValueInvalid",
     "spec.selectableFields[0].jsonPath", "Invalid value: \".spec.a[0]\": is an invalid path"},
    {CRD(NAMES, FIELDS(FIELD("spec.a"))), "FieldValueInvalid", "spec.selectableFields[0].jsonPath",
     "Invalid value: \"spec.a\": is an invalid path"},
    {CRD(NAMES, FIELDS(FIELD("."))), "FieldValueInvalid", "spec.selectableFields[0].jsonPath",
     "Invalid value: \".\": is an invalid path"},
    {CRD(NAMES, FIELDS(FIELD(".metadata.name"))), "FieldValueInvalid",
     "spec.selectableFields[0].jsonPath",
     "Invalid value: \".metadata.name\": must not point to fields in metadata"},
    {CRD(NAMES, FIELDS(FIELD(".spec.a") "," FIELD(".spec.a"))), "FieldValueDuplicate",
     "spec.selectableFields[1].jsonPath", "Duplicate value: \".spec.a\""},
    {CRD(NAMES, FIELDS("{},{},{},{},{},{},{},{},{}")), "FieldValueTooMany", "spec.selectableFields",
     "Too many: 9: must have at most 8 items"},
    {CRD(NAMES,
         "{\"name\":\"v1\",\"served\":true,\"storage\":true,\"deprecationWarning\":\"x\"," SCHEMA
         "}"),
     "FieldValueInvalid", "spec.versions[0].deprecationWarning",
     "Invalid value: \"x\": can only be set for deprecated versions"},
};

#define CONVERSION(conversion)                                                                     \
    "{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":\"x.y\",\"scope\":\"Cluster\","  \
    "\"names\":{" NAMES "},\"versions\":[" V1 "]," conversion "}}"

static void judges_conversions(void **state)
{
    static const struct bad cases[] = {
        {CONVERSION("\"conversion\":null"), NULL, NULL, NULL},
        {CONVERSION("\"conversion\":{\"strategy\":\"None\"}"), NULL, NULL, NULL},
        {CONVERSION("\"conversion\":{\"strategy\":\"Webhook\",\"webhook\":{}}"), NULL, NULL, NULL},
        {CONVERSION("\"conversion\":{}"), "FieldValueRequired", "spec.conversion.strategy",
         "Required value"},
        {CONVERSION("\"conversion\":{\"strategy\":\"Magic\"}"), "FieldValueNotSupported",
         "spec.conversion.strategy",
         "Unsupported value: \"Magic\": supported values: \"None\", \"Webhook\""},
        {CONVERSION("\"conversion\":{\"strategy\":\"Webhook\"}"), "FieldValueRequired",
         "spec.conversion.webhookClientConfig",
         "Required value: required when strategy is set to Webhook"},
        {CONVERSION("\"conversion\":{\"strategy\":\"None\",\"webhook\":{}}"), "FieldValueForbidden",
         "spec.conversion.webhookClientConfig",
         "Forbidden: should not be set when strategy is not set to Webhook"},
        {CONVERSION("\"preserveUnknownFields\":false"), NULL, NULL, NULL},
        {CONVERSION("\"preserveUnknownFields\":true"), "FieldValueInvalid",
         "spec.preserveUnknownFields",
         "Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to "
         "true in spec.versions[*].schema instead"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *crd = object_of(cases[i].crd);
        const kin__kind *kind = NULL;
        kin__failure failure;
        bool ok = kin__kind_from_crd(&kind, crd, &failure);

        if (ok != !cases[i].reason)
            fail_msg("%s: %s", cases[i].crd, ok ? "is taken" : failure.message);
        if (!ok) {
            assert_int_equal(failure.n_causes, 1);
            assert_cause(&failure, 0, cases[i].reason, cases[i].field, cases[i].message);
        }
        kin__kind_unref(kind);
        kin_object_unref(crd);
    }
}

static void refuses_what_is_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(bad_crds); i++) {
        const kin_object *crd = object_of(bad_crds[i].crd);
        const kin__kind *kind = NULL;
        kin__failure failure;

        if (kin__kind_from_crd(&kind, crd, &failure))
            fail_msg("%s is taken", bad_crds[i].crd);
        assert_int_equal(failure.status, 422);
        assert_string_equal(failure.kind, "CustomResourceDefinition");
        assert_string_equal(failure.group, "apiextensions.k8s.io");
        assert_cause(&failure, 0, bad_crds[i].reason, bad_crds[i].field, bad_crds[i].message);
        kin_object_unref(crd);
    }
}

static void tells_in_which_version_nothing_could_be_stored(void **state)
{
    const kin_object *crd =
        object_of(CRD(NAMES, "{\"name\":\"v1\",\"served\":true,\"storage\":false," SCHEMA "}"));
    const kin__kind *kind = NULL;
    kin__failure failure;

    (void)state;
    assert_false(kin__kind_from_crd(&kind, crd, &failure));
    assert_cause(&failure, 1, "FieldValueInvalid", "status.storedVersions",
                 "Invalid value: null: must have at least one stored version");
    kin_object_unref(crd);
    crd =
        object_of(CRD(NAMES, V1 ",{\"name\":\"v2\",\"served\":true,\"storage\":true," SCHEMA "}"));
    assert_false(kin__kind_from_crd(&kind, crd, &failure));
    assert_cause(&failure, 1, "FieldValueInvalid", "status.storedVersions",
                 "Invalid value: [\"v1\"]: must have the storage version v2");
    kin_object_unref(crd);
}

/* What may still be stored in a version could not be read without it. */
static void a_stored_version_stays(void **state)
{
    static const char format[] =
        "{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":\"x.y\",\"scope\":"
        "\"Cluster\",\"names\":{" NAMES
        "},\"versions\":[{\"name\":\"%s\",\"served\":true,\"storage\":true," SCHEMA
        "}]},\"status\":{\"storedVersions\":[\"v1\"]}}";
    const kin__kind *kind = NULL;
    kin__failure failure;
    char json[1024];

    (void)state;
    snprintf(json, sizeof(json), format, "v1");
    const kin_object *old = object_of(json);
    assert_true(kin__kind_from_changed_crd(&kind, old, old, true, &failure));
    kin__kind_unref(kind);
    snprintf(json, sizeof(json), format, "v2");
    const kin_object *crd = object_of(json);
    assert_false(kin__kind_from_changed_crd(&kind, crd, old, true, &failure));
    assert_int_equal(failure.n_causes, 1);
    assert_cause(&failure, 0, "FieldValueInvalid", "status.storedVersions[0]",
                 "Invalid value: \"v1\": missing from spec.versions; v1 was previously a storage "
                 "version, and must remain in spec.versions until a storage migration ensures no "
                 "data remains persisted in v1 and removes v1 from status.storedVersions");
    kin_object_unref(crd);
    kin_object_unref(old);
}

static void refuses_what_is_no_definition(void **state)
{
    static const char *const texts[] = {
        "{}", "{\"spec\":5}", "{\"spec\":{\"versions\":{\"a\":1},\"names\":[]}}",
        "{\"metadata\":{\"name\":\".\"},\"spec\":{\"group\":\"\",\"names\":{\"plural\":\"\"}}}"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(texts); i++) {
        const kin_object *crd = object_of(texts[i]);
        const kin__kind *kind = NULL;
        kin__failure failure;

        assert_false(kin__kind_from_crd(&kind, crd, &failure));
        assert_int_equal(failure.status, 422);
        kin_object_unref(crd);
    }
}

/* Approval, and the rest, do not stand in the way of what is right. */
static void takes_approved_groups(void **state)
{
    kin__kind_unref(kind_of(
        "{\"metadata\":{\"name\":\"widgets.x.k8s.io\",\"annotations\":{"
        "\"api-approved.kubernetes.io\":\"unapproved, a test\"}},\"spec\":{\"group\":"
        "\"x.k8s.io\",\"scope\":\"Cluster\",\"names\":{" NAMES "},\"versions\":[" V1 "]}}"));
    kin__kind_unref(kind_of("{\"metadata\":{\"name\":\"widgets.xk8s.io\"},\"spec\":{\"group\":"
                            "\"xk8s.io\",\"scope\":\"Cluster\",\"names\":{" NAMES
                            "},\"versions\":[" V1 "]}}"));
    (void)state;
}

/* Names that fit into nothing are told of, too. */
static void refuses_long_names(void **state)
{
    static const char *const members[] = {"kind", "singular", "listKind"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(members); i++) {
        char name[301];
        char json[1200];
        char field[64];
        const kin__kind *kind = NULL;
        kin__failure failure;

        memset(name, 'a', 300);
        name[300] = '\0';
        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":\"x.y\",\"scope\":"
                 "\"Cluster\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\",\"%s\":\"%s\"},"
                 "\"versions\":[" V1 "]}}",
                 members[i], name);
        const kin_object *crd = object_of(json);
        assert_false(kin__kind_from_crd(&kind, crd, &failure));
        snprintf(field, sizeof(field), "spec.names.%s", members[i]);
        assert_int_equal(failure.n_causes, 1);
        assert_string_equal(failure.causes[0].field, field);
        assert_non_null(strstr(failure.causes[0].message, "must be no more than 63 characters"));
        kin_object_unref(crd);
    }
}

static void bounds_versions(void **state)
{
    char *json = malloc(40000);
    const kin__kind *kind = NULL;
    kin__failure failure;
    size_t len;

    (void)state;
    len = (size_t)sprintf(json,
                          "{\"metadata\":{\"name\":\"widgets.x.y\"},\"spec\":{\"group\":"
                          "\"x.y\",\"scope\":\"Cluster\",\"names\":{" NAMES "},\"versions\":[" V1);
    for (int i = 0; i < 255; i++)
        len += (size_t)sprintf(json + len, ",{\"name\":\"v%d\"," SCHEMA "}", i + 2);
    memcpy(json + len, "]}}", 4);
    kind = kind_of(json);
    assert_string_equal(kind->versions[0].name, "v256");
    kin__kind_unref(kind);
    kind = NULL;
    for (int i = 255; i < 256; i++)
        len += (size_t)sprintf(json + len, ",{\"name\":\"v%d\"," SCHEMA "}", i + 2);
    memcpy(json + len, "]}}", 4);
    const kin_object *crd = object_of(json);
    assert_false(kin__kind_from_crd(&kind, crd, &failure));
    assert_cause(&failure, 0, "FieldValueTooMany", "spec.versions",
                 "Too many: 257: must have at most 256 items");
    kin_object_unref(crd);
    free(json);
}

static void keeps_what_must_not_change(void **state)
{
    const kin_object *old = object_of(CRD(NAMES, V1));
    const kin_object *other =
        object_of("{\"metadata\":{\"name\":\"gadgets.other.com\"},\"spec\":{\"group\":"
                  "\"other.com\",\"scope\":\"Cluster\",\"names\":{\"plural\":\"gadgets\",\"kind\":"
                  "\"Gadget\"},\"versions\":[" V1 "]}}");
    const kin__kind *kind = NULL;
    kin__failure failure;

    (void)state;
    assert_true(kin__kind_from_changed_crd(&kind, old, old, true, &failure));
    kin__kind_unref(kind);
    assert_false(kin__kind_from_changed_crd(&kind, other, old, true, &failure));
    assert_int_equal(failure.n_causes, 4);
    assert_cause(&failure, 0, "FieldValueInvalid", "spec.scope",
                 "Invalid value: \"Cluster\": field is immutable");
    assert_string_equal(failure.causes[1].field, "spec.names.kind");
    assert_string_equal(failure.causes[2].field, "spec.group");
    assert_string_equal(failure.causes[3].field, "spec.names.plural");
    assert_false(kin__kind_from_changed_crd(&kind, other, old, false, &failure));
    assert_int_equal(failure.n_causes, 2);
    kin_object_unref(old);
    kin_object_unref(other);
}

static int crd_scenario(void *arg, kin_error *err)
{
    const kin__kind *kind = NULL;
    kin__failure failure;

    if (kin__kind_from_crd(&kind, arg, &failure)) {
        kin__kind_unref(kind);
        return 0;
    }
    assert_int_equal(failure.status, 500);
    return kin_error_set(err, KIN_ENOMEM, "no memory");
}

static void survives_want_of_memory(void **state)
{
    const kin_object *crd = object_of(FULL);

    (void)state;
    kin_test_fail_each_allocation(crd_scenario, (void *)(uintptr_t)crd);
    kin_object_unref(crd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_all),
        cmocka_unit_test(makes_names_that_are_missing),
        cmocka_unit_test(refuses_what_is_wrong),
        cmocka_unit_test(judges_conversions),
        cmocka_unit_test(tells_in_which_version_nothing_could_be_stored),
        cmocka_unit_test(a_stored_version_stays),
        cmocka_unit_test(refuses_what_is_no_definition),
        cmocka_unit_test(takes_approved_groups),
        cmocka_unit_test(refuses_long_names),
        cmocka_unit_test(bounds_versions),
        cmocka_unit_test(keeps_what_must_not_change),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
