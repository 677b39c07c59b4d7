/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents of discovery: their form, byte by byte where it is short, and that all of them tell the
 * same.
 */
#include "crd_support.h"

#include "alloc.h"
#include "apiserver/protocol/discovery.h"
#include "kinform/path.h"
#include "kinform/value.h"
#include "oom.h"

static kin__registry *registry_with_widgets(void)
{
    const kin__kind *kind = kind_of(
        "{\"metadata\":{\"name\":\"widgets.example.com\"},\"spec\":{\"group\":\"example.com\","
        "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"widgets\",\"kind\":\"Widget\","
        "\"shortNames\":[\"wd\"],\"categories\":[\"all\"]},\"versions\":[{\"name\":\"v1beta1\","
        "\"served\":true,\"storage\":false," SCHEMA "},{\"name\":\"v1\",\"served\":true,"
        "\"storage\":true,\"subresources\":{\"status\":{},\"scale\":{\"specReplicasPath\":"
        "\".spec.r\",\"statusReplicasPath\":\".status.r\"}}," SCHEMA "},{\"name\":\"v0\","
        "\"served\":false,\"storage\":false," SCHEMA "}]}}");
    kin__registry *registry = NULL;

    assert_code(kin__registry_new(&registry, NULL), 0);
    assert_code(kin__registry_put(registry, kind, NULL, NULL), 0);
    kin__kind_unref(kind);
    return registry;
}

#define ALL_VERBS                                                                                  \
    "[\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]"

static void tells_of_a_version(void **state)
{
    kin__registry *registry = registry_with_widgets();
    kin__buf out;

    (void)state;
    kin__buf_init(&out, 1 << 20);
    assert_true(
        kin__discovery_version(registry, kin_str_of("example.com"), kin_str_of("v1"), &out));
    assert_string_equal(
        out.data,
        "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"example.com/v1\","
        "\"resources\":[{\"name\":\"widgets\",\"singularName\":\"widget\",\"namespaced\":true,"
        "\"kind\":\"Widget\",\"verbs\":" ALL_VERBS ",\"shortNames\":[\"wd\"],\"categories\":"
        "[\"all\"]},{\"name\":\"widgets/scale\",\"singularName\":\"\",\"namespaced\":true,"
        "\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":[\"get\","
        "\"patch\",\"update\"]},{\"name\":\"widgets/status\",\"singularName\":\"\","
        "\"namespaced\":true,\"kind\":\"Widget\",\"verbs\":[\"get\",\"patch\",\"update\"]}]}\n");
    kin__buf_reset(&out);
    assert_true(
        kin__discovery_version(registry, kin_str_of("example.com"), kin_str_of("v1beta1"), &out));
    assert_null(strstr(out.data, "scale"));
    kin__buf_reset(&out);
    assert_false(
        kin__discovery_version(registry, kin_str_of("example.com"), kin_str_of("v0"), &out));
    assert_false(kin__discovery_version(registry, kin_str_of("none"), kin_str_of("v1"), &out));
    assert_int_equal(out.len, 0);
    kin__buf_done(&out);
    kin__registry_free(registry);
}

static void tells_of_a_group(void **state)
{
    kin__registry *registry = registry_with_widgets();
    kin__buf out;

    (void)state;
    kin__buf_init(&out, 1 << 20);
    assert_true(kin__discovery_group(registry, kin_str_of("example.com"), &out));
    assert_string_equal(
        out.data,
        "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"example.com\",\"versions\":[{"
        "\"groupVersion\":\"example.com/v1\",\"version\":\"v1\"},{\"groupVersion\":"
        "\"example.com/v1beta1\",\"version\":\"v1beta1\"}],\"preferredVersion\":{\"groupVersion\":"
        "\"example.com/v1\",\"version\":\"v1\"}}\n");
    kin__buf_reset(&out);
    assert_false(kin__discovery_group(registry, kin_str_of("none"), &out));
    assert_false(kin__discovery_group(registry, kin_str_of(""), &out));
    assert_int_equal(out.len, 0);
    kin__buf_done(&out);
    kin__registry_free(registry);
}

static const kin_object *document(kin__registry *registry, enum kin__discovery form, bool of_core)
{
    kin__buf out;

    kin__buf_init(&out, 1 << 20);
    if (of_core)
        kin__discovery_api(registry, form, kin_str_of("127.0.0.1:1"), &out);
    else
        kin__discovery_apis(registry, form, &out);
    assert_int_equal(out.failed, 0);
    const kin_object *object = object_of(out.data);
    kin__buf_done(&out);
    return object;
}

static kin_str text_at(kin_value value, const char *path, kin_scratch *scratch)
{
    kin_value found;
    kin_str text = {NULL, 0};

    if (kin_value_find(&found, value, kin_str_of(path), NULL) == 0)
        kin_value_string(&text, found, scratch);
    return text;
}

static void tells_of_core(void **state)
{
    kin__registry *registry = registry_with_widgets();
    const kin_object *plain = document(registry, KIN__DISCOVERY_PLAIN, true);
    const kin_object *aggregated = document(registry, KIN__DISCOVERY_V2BETA1, true);
    kin_value root = kin_object_root(aggregated);
    kin_scratch scratch;

    (void)state;
    assert_text(text_at(kin_object_root(plain), "versions[0]", &scratch), "v1");
    assert_text(
        text_at(kin_object_root(plain), "serverAddressByClientCIDRs[0].serverAddress", &scratch),
        "127.0.0.1:1");
    assert_text(text_at(root, "apiVersion", &scratch), "apidiscovery.k8s.io/v2beta1");
    assert_text(text_at(root, "items[0].versions[0].version", &scratch), "v1");
    assert_text(text_at(root, "items[0].versions[0].resources[0].resource", &scratch), "bindings");
    assert_text(text_at(root, "items[0].versions[0].resources[0].responseKind.kind", &scratch),
                "Binding");
    assert_int_equal(kin_value_len(kin_object_find(aggregated, "items")), 1);
    kin_object_unref(plain);
    kin_object_unref(aggregated);
    kin__registry_free(registry);
}

/*
 * The aggregated form has all groups and versions of the plain one, and what their documents have.
 */
static void both_forms_tell_the_same(void **state)
{
    kin__registry *registry = registry_with_widgets();
    const kin_object *plain = document(registry, KIN__DISCOVERY_PLAIN, false);
    const kin_object *aggregated = document(registry, KIN__DISCOVERY_V2, false);
    kin_value groups = kin_object_find(plain, "groups");
    kin_value items = kin_object_find(aggregated, "items");
    size_t n_resources = 0;
    size_t n_expected = 0;
    kin_iter it;

    (void)state;
    assert_int_equal(kin_value_len(groups), kin_value_len(items));
    for (kin_iter_init(&it, groups); kin_iter_next(&it);) {
        kin_value item = kin_value_at(items, it.index);
        kin_scratch scratch[2];
        kin_str name = text_at(it.value, "name", &scratch[0]);

        assert_true(kin_str_equal(name, text_at(item, "metadata.name", &scratch[1])));
        assert_true(kin_str_equal(text_at(it.value, "preferredVersion.version", &scratch[0]),
                                  text_at(item, "versions[0].version", &scratch[1])));
        kin_iter version;
        kin_iter_init(&version, kin_value_get(item, kin_str_of("versions")));
        while (kin_iter_next(&version))
            n_resources += kin_value_len(kin_value_get(version.value, kin_str_of("resources")));
    }
    for (size_t i = 0; kin__builtin_kinds[i]; i++)
        n_expected += kin__builtin_kinds[i]->group[0] != '\0';
    assert_int_equal(n_resources, n_expected + 2); /* widgets in two versions */
    kin_object_unref(plain);
    kin_object_unref(aggregated);
    kin__registry_free(registry);
}

static void custom_kinds_name_their_group(void **state)
{
    kin__registry *registry = registry_with_widgets();
    const kin_object *aggregated = document(registry, KIN__DISCOVERY_V2, false);
    kin_value items = kin_object_find(aggregated, "items");
    kin_value last = kin_value_at(items, kin_value_len(items) - 1);
    const kin_object *expected = object_of(
        "{\"resource\":\"widgets\",\"responseKind\":{\"group\":\"example.com\",\"version\":\"v1\","
        "\"kind\":\"Widget\"},\"scope\":\"Namespaced\",\"singularResource\":\"widget\",\"verbs\":" ALL_VERBS
        ",\"shortNames\":[\"wd\"],\"categories\":[\"all\"],\"subresources\":[{"
        "\"subresource\":\"scale\",\"responseKind\":{\"group\":\"autoscaling\",\"version\":\"v1\","
        "\"kind\":\"Scale\"},\"verbs\":[\"get\",\"patch\",\"update\"]},{\"subresource\":"
        "\"status\",\"responseKind\":{\"group\":\"example.com\",\"version\":\"v1\",\"kind\":"
        "\"Widget\"},\"verbs\":[\"get\",\"patch\",\"update\"]}]}");
    kin_value found;

    (void)state;
    assert_code(kin_value_find(&found, last, kin_str_of("versions[0].resources[0]"), NULL), 0);
    assert_true(kin_value_equal(found, kin_object_root(expected)));
    kin_object_unref(expected);
    kin_object_unref(aggregated);
    kin__registry_free(registry);
}

static void etags_follow_the_bytes(void **state)
{
    char first[KIN__ETAG_SIZE];
    char second[KIN__ETAG_SIZE];

    (void)state;
    kin__discovery_etag(kin_str_of("a"), first);
    kin__discovery_etag(kin_str_of("a"), second);
    assert_string_equal(first, second);
    assert_int_equal(strlen(first), 34);
    assert_int_equal(first[0], '"');
    assert_int_equal(first[33], '"');
    kin__discovery_etag(kin_str_of("b"), second);
    assert_string_not_equal(first, second);
}

static int discovery_scenario(void *arg, kin_error *err)
{
    kin__buf out;

    kin__buf_init(&out, 1 << 20);
    kin__discovery_apis(arg, KIN__DISCOVERY_V2, &out);
    int code = out.failed;
    kin__buf_done(&out);
    return code < 0 ? kin_error_set(err, code, "no memory") : 0;
}

static void survives_want_of_memory(void **state)
{
    kin__registry *registry = registry_with_widgets();

    (void)state;
    kin_test_fail_each_allocation(discovery_scenario, registry);
    kin__registry_free(registry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_of_a_version),
        cmocka_unit_test(tells_of_a_group),
        cmocka_unit_test(tells_of_core),
        cmocka_unit_test(both_forms_tell_the_same),
        cmocka_unit_test(custom_kinds_name_their_group),
        cmocka_unit_test(etags_follow_the_bytes),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
