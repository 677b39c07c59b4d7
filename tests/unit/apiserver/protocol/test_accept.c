/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accept headers of real clients, and odd ones.
 */
#include "apiserver_support.h"

#include "apiserver/protocol/accept.h"
#include "base/compiler.h"

#define REFUSED (-1)
#define META(kind, version) "application/json;as=" kind ";v=" version ";g=meta.k8s.io"

static void negotiates_objects(void **state)
{
    static const struct {
        const char *accept;
        int form;
    } cases[] = {
        {"", KIN__FORM_FULL},
        {"*/*", KIN__FORM_FULL},
        {"*", REFUSED}, /* by the router, of built-in kinds */
        {"application/json", KIN__FORM_FULL},
        {"application/json;charset=utf-8", KIN__FORM_FULL},
        {"application/json;stream=watch", KIN__FORM_FULL},
        {"application/json;stream=other", REFUSED},
        {"application/json, */*", KIN__FORM_FULL},
        {"application/vnd.kubernetes.protobuf,application/json", KIN__FORM_FULL},
        {"application/vnd.kubernetes.protobuf", KIN__FORM_FULL},
        {"application/vnd.kubernetes.protobuf;stream=watch", KIN__FORM_FULL},
        {"application/vnd.kubernetes.protobuf;stream=other", REFUSED},
        {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io", REFUSED},
        {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
         KIN__FORM_METADATA},
        {"application/cbor", REFUSED},
        {"application/yaml", REFUSED}, /* to watches */
        {"application/yaml;q=0.1, application/json", KIN__FORM_FULL},
        {"text/html", REFUSED},
        {"application", REFUSED},
        {"application/json/x", REFUSED},
        {",,;,/", REFUSED},
        {META("PartialObjectMetadata", "v1"), KIN__FORM_METADATA},
        {META("PartialObjectMetadataList", "v1") ",application/json", KIN__FORM_METADATA},
        {"application/json;q=0.9," META("PartialObjectMetadata", "v1") ";q=0.8", KIN__FORM_FULL},
        {"application/json;q=0.8," META("PartialObjectMetadata", "v1") ";q=0.9",
         KIN__FORM_METADATA},
        {"*/*," META("PartialObjectMetadata", "v1"), KIN__FORM_METADATA},
        {"application/*," META("PartialObjectMetadata", "v1"), KIN__FORM_METADATA},
        {"application/*,*/*;q=0", KIN__FORM_FULL},
        /* kubectl, and what is left of it without tables */
        {META("Table", "v1") "," META("Table", "v1beta1") ",application/json", KIN__FORM_FULL},
        {META("Table", "v1"), REFUSED},
        {META("Other", "v1"), REFUSED},
        {META("PartialObjectMetadata", "v2"), REFUSED},
        {"application/json;as=PartialObjectMetadata;v=v1;g=apps", REFUSED},
        {"application/json;as=PartialObjectMetadata", REFUSED},
        /* q that is no number is 0, and 0 comes last but is no refusal */
        {"application/json;q=x", KIN__FORM_FULL},
        {"application/json;q=-1," META("PartialObjectMetadata", "v1") ";q=0.1", KIN__FORM_METADATA},
        {"application/json;q=0," META("PartialObjectMetadata", "v1") ";q=0.001",
         KIN__FORM_METADATA},
        {"application/json;q=0.5;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json;q=2",
         KIN__FORM_FULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__failure failure;
        kin__accepted accepted;
        bool ok = kin__accept_read(kin_str_of(cases[i].accept), builtin("", "pods"),
                                   KIN__VERB_WATCH, &accepted, &failure);
        int form = ok ? (int)accepted.form : REFUSED;

        if (form != cases[i].form)
            fail_msg("%s: %d", cases[i].accept, form);
        if (!ok)
            assert_int_equal(failure.status, 406);
    }
}

static bool accepts(const char *accept, const kin__kind *kind, enum kin__verb verb,
                    kin__accepted *ret, kin__failure *failure)
{
    return kin__accept_read(kin_str_of(accept), kind, verb, ret, failure);
}

/* Built-in kinds are behind a router that has other words; custom ones are not. */
static void has_the_right_words(void **state)
{
    static const char only[] = "only the following media types are accepted: application/json, "
                               "application/yaml, application/vnd.kubernetes.protobuf";
    static const char router[] = "406: Not Acceptable\n\nAvailable representations: "
                                 "application/json, application/yaml, "
                                 "application/vnd.kubernetes.protobuf";
    const kin__kind custom = {.group = "example.com", .kind = "Widget", .custom = true};
    const kin__kind *pods = builtin("", "pods");
    kin__accepted accepted;
    kin__failure failure;
    char words[400];

    (void)state;
    snprintf(words, sizeof(words),
             "%s, application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch",
             router);
    assert_false(accepts("application/json;as=Other", pods, KIN__VERB_GET, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable", only);
    assert_false(accepts("text/html", pods, KIN__VERB_GET, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable", router);
    assert_true(failure.has_details);
    assert_false(accepts("application/*", pods, KIN__VERB_GET, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable", router);
    assert_false(accepts("text/html", pods, KIN__VERB_LIST, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable", words);
    assert_false(accepts("text/html", &custom, KIN__VERB_LIST, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable", only);
    assert_true(accepts("application/*", &custom, KIN__VERB_LIST, &accepted, &failure));
    assert_false(accepts("*/json", &custom, KIN__VERB_LIST, &accepted, &failure));
}

static void lists_and_objects_have_forms_of_their_own(void **state)
{
    static const char object[] = META("PartialObjectMetadata", "v1");
    static const char list[] = META("PartialObjectMetadataList", "v1");
    const kin__kind custom = {.group = "example.com", .kind = "Widget", .custom = true};
    const kin__kind *roles = builtin("rbac.authorization.k8s.io", "roles");
    kin__accepted accepted;
    kin__failure failure;

    (void)state;
    assert_true(accepts(object, roles, KIN__VERB_GET, &accepted, &failure));
    assert_true(accepts(list, roles, KIN__VERB_LIST, &accepted, &failure));
    assert_true(accepts(object, roles, KIN__VERB_WATCH, &accepted, &failure));
    assert_true(accepts(object, roles, KIN__VERB_PATCH, &accepted, &failure));
    assert_false(accepts(object, roles, KIN__VERB_LIST, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable",
                   "you requested PartialObjectMetadata, but the requested object is a list "
                   "(*rbac.RoleList)");
    assert_false(accepts(list, builtin("", "secrets"), KIN__VERB_GET, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable",
                   "you requested PartialObjectMetadataList, but the requested object is not a "
                   "list (*core.Secret)");
    assert_false(accepts(object, &custom, KIN__VERB_LIST, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable",
                   "you requested PartialObjectMetadata, but the requested object is a list "
                   "(*unstructured.UnstructuredList)");
}

static void tells_how(void **state)
{
    const kin__kind *pods = builtin("", "pods");
    kin__failure failure;
    kin__accepted accepted;

    (void)state;
    assert_true(accepts("application/json;pretty=1", pods, KIN__VERB_GET, &accepted, &failure));
    assert_true(accepted.pretty);
    assert_true(accepts(META("PartialObjectMetadataList", "v1beta1"), pods, KIN__VERB_LIST,
                        &accepted, &failure));
    assert_false(accepted.pretty);
    assert_int_equal(accepted.version, KIN__FORM_V1BETA1);
    assert_true(accepted.is_list_form);
    assert_true(
        accepts(META("PartialObjectMetadata", "v1"), pods, KIN__VERB_GET, &accepted, &failure));
    assert_int_equal(accepted.version, KIN__FORM_V1);
    assert_false(accepted.is_list_form);
    assert_false(accepted.is_yaml);
    assert_true(
        accepts("application/yaml,application/json", pods, KIN__VERB_GET, &accepted, &failure));
    assert_true(accepted.is_yaml);
    assert_true(accepts("application/json;q=0.5,application/yaml;as=PartialObjectMetadataList;g="
                        "meta.k8s.io;v=v1",
                        pods, KIN__VERB_LIST, &accepted, &failure));
    assert_true(accepted.is_yaml && accepted.form == KIN__FORM_METADATA);
    assert_true(accepts("application/yaml;q=0.5,*/*", pods, KIN__VERB_GET, &accepted, &failure));
    assert_false(accepted.is_yaml);
    assert_false(accepts("application/yaml", pods, KIN__VERB_WATCH, &accepted, &failure));
    assert_failure(&failure, 406, "NotAcceptable",
                   "only the following media types are accepted: application/json;stream=watch, "
                   "application/vnd.kubernetes.protobuf;stream=watch");
}

/* By q, then by the order; whole custom resources are in no case. */
static void protobuf_has_its_turn(void **state)
{
    static const struct {
        const char *accept;
        bool of_pods;
        bool of_widgets;
    } cases[] = {
        {"application/vnd.kubernetes.protobuf,application/json", true, false},
        {"application/json,application/vnd.kubernetes.protobuf", false, false},
        {"application/json;q=0.9,application/vnd.kubernetes.protobuf", true, false},
        {"application/vnd.kubernetes.protobuf;q=0.9,application/json", false, false},
        {"*/*,application/vnd.kubernetes.protobuf;q=0.9", false, false},
        {"application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,"
         "application/json",
         true, true},
        {"application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json", false,
         false},
    };
    const kin__kind custom = {.group = "example.com", .kind = "Widget", .custom = true};
    kin__accepted accepted;
    kin__failure failure;

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        assert_true(
            accepts(cases[i].accept, builtin("", "pods"), KIN__VERB_GET, &accepted, &failure));
        assert_int_equal(accepted.is_protobuf, cases[i].of_pods);
        assert_true(accepts(cases[i].accept, &custom, KIN__VERB_GET, &accepted, &failure));
        assert_int_equal(accepted.is_protobuf, cases[i].of_widgets);
    }
    assert_false(accepts("application/vnd.kubernetes.protobuf", &custom, KIN__VERB_GET, &accepted,
                         &failure));
    assert_failure(&failure, 406, "NotAcceptable",
                   "only the following media types are accepted: application/json, "
                   "application/yaml, application/vnd.kubernetes.protobuf");
}

#define AGGREGATED(version)                                                                        \
    "application/json;g=apidiscovery.k8s.io;v=" version ";as=APIGroupDiscoveryList"

static void negotiates_discovery(void **state)
{
    static const struct {
        const char *accept;
        int form;
        const char *content_type;
    } cases[] = {
        {"", KIN__DISCOVERY_PLAIN, "application/json"},
        {"application/json", KIN__DISCOVERY_PLAIN, "application/json"},
        {"*/*", KIN__DISCOVERY_PLAIN, "application/json"},
        {AGGREGATED("v2") "," AGGREGATED("v2beta1") ",application/json", KIN__DISCOVERY_V2,
         AGGREGATED("v2")},
        {AGGREGATED("v2beta1") ",application/json", KIN__DISCOVERY_V2BETA1, AGGREGATED("v2beta1")},
        {"application/json," AGGREGATED("v2") ";q=0.1", KIN__DISCOVERY_V2, AGGREGATED("v2")},
        {AGGREGATED("v2") ";profile=nopeer", KIN__DISCOVERY_V2, AGGREGATED("v2")},
        {AGGREGATED("v3") ",application/json", KIN__DISCOVERY_PLAIN, "application/json"},
        {AGGREGATED("v3"), REFUSED, NULL},
        {"application/vnd.kubernetes.protobuf;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
         REFUSED, NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__failure failure;
        enum kin__discovery form;
        const char *content_type = NULL;
        bool ok =
            kin__accept_read_discovery(kin_str_of(cases[i].accept), &form, &content_type, &failure);

        if ((ok ? (int)form : REFUSED) != cases[i].form)
            fail_msg("%s: %d", cases[i].accept, ok ? (int)form : REFUSED);
        if (ok)
            assert_string_equal(content_type, cases[i].content_type);
        else
            assert_int_equal(failure.status, 406);
    }
}

/* More clauses than are looked at: no harm. */
static void takes_long_headers(void **state)
{
    char accept[4096];
    kin__failure failure;
    kin__accepted accepted;
    size_t len = 0;

    (void)state;
    while (len + 32 < sizeof(accept))
        len += (size_t)snprintf(accept + len, sizeof(accept) - len, "text/x,");
    snprintf(accept + len, sizeof(accept) - len, "application/json");
    assert_false(accepts(accept, builtin("", "pods"), KIN__VERB_GET, &accepted, &failure));
    assert_int_equal(failure.status, 406);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(negotiates_objects),
        cmocka_unit_test(has_the_right_words),
        cmocka_unit_test(lists_and_objects_have_forms_of_their_own),
        cmocka_unit_test(tells_how),
        cmocka_unit_test(protobuf_has_its_turn),
        cmocka_unit_test(negotiates_discovery),
        cmocka_unit_test(takes_long_headers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
