/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors from metav1.LabelSelector values. What is accepted and refused was compared with
 * apimachinery's answers; tests/oracle does that for random ones.
 */
#include "selector_support.h"

#include "alloc.h"
#include "kinform/json.h"
#include "kinform/path.h"
#include "oom.h"

#define UUID "1234abcd-12ab-34cd-56ef-1234567890ab"
#define DIGEST "0123456789abcdef0123456789abcdef"

static const kin_object *decode(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(json), NULL, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return object;
}

/* The selector in `{"s": …}` around the text; the object is gone when this returns. */
static int make(const kin_label_selector **ret, const char *json, kin_error *err)
{
    size_t size = strlen(json) + 8;
    char *text = malloc(size);

    assert_non_null(text);
    snprintf(text, size, "{\"s\":%s}", json);
    const kin_object *object = decode(text);
    free(text);
    int code = kin_label_selector_from_value(
        ret, kin_value_get(kin_object_root(object), kin_str_of("s")), err);
    kin_object_unref(object);
    return code;
}

static void check(const char *json, const char *expected)
{
    const kin_label_selector *sel = NULL;
    const kin_label_selector *parsed = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;
    size_t len = 0;

    if (make(&sel, json, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    assert_int_equal(err.code, 0);
    assert_code(kin_label_selector_print(&text, &len, sel, NULL), 0);
    assert_string_equal(text, expected);
    assert_false(kin_label_selector_is_nothing(sel));

    /* It is the selector that the text gives: as many requirements, not one that looks so. */
    assert_code(kin_label_selector_parse(&parsed, kin_str_of(expected), NULL), 0);
    assert_int_equal(kin_label_selector_count(sel), kin_label_selector_count(parsed));
    kin_label_selector_unref(parsed);
    kin_free(text);
    kin_label_selector_unref(sel);
}

static void refuse(const char *json, int code, const char *message)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    int got = make(&sel, json, &err);

    if (got != code || strcmp(err.message, message) != 0)
        fail_msg("%s: %s: %s", json, kin_error_name(got), err.message);
    assert_int_equal(err.code, code);
    assert_null(sel);
    assert_code(make(&sel, json, NULL), code);
    assert_null(sel);
}

/* --- nothing and everything --- */

static void what_is_not_there_matches_nothing(void **state)
{
    const kin_object *object = decode("{\"spec\":{\"selector\":null}}");
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(kin_label_selector_from_value(&sel, kin_object_find(object, "spec.selector"), NULL),
                0);
    assert_ptr_equal(sel, kin_label_selector_nothing());
    sel = NULL;
    assert_code(kin_label_selector_from_value(&sel, kin_object_find(object, "spec.none"), NULL), 0);
    assert_ptr_equal(sel, kin_label_selector_nothing());
    assert_false(kin_label_selector_matches(sel, object));
    kin_object_unref(object);
}

static void the_empty_selector_matches_everything(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"matchLabels\":{}}",
        "{\"matchExpressions\":[]}",
        "{\"matchLabels\":{},\"matchExpressions\":[]}",
        "{\"matchLabels\":null,\"matchExpressions\":null}",
        "{\"matchlabels\":{\"a\":\"b\"},\"MatchExpressions\":7}", /* other members, to Go too */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const kin_label_selector *sel = NULL;

        assert_code(make(&sel, texts[i], NULL), 0);
        assert_true(kin_label_selector_is_empty(sel));
        assert_false(kin_label_selector_is_nothing(sel));
        kin_label_selector_unref(sel);
    }
}

/* --- requirements --- */

static void labels_are_equalities(void **state)
{
    (void)state;
    check("{\"matchLabels\":{\"app\":\"web\"}}", "app=web");
    check("{\"matchLabels\":{\"b\":\"2\",\"example.com/a\":\"\",\"a\":\"1\"}}",
          "a=1,b=2,example.com/a=");
    check("{\"matchLabels\":{\"a\":null}}", "a=");
    check("{\"matchLabels\":{\"in\":\"notin\"}}", "in=notin");
    check("{\"matchLabels\":{\"a\":\"1\",\"a\":\"2\"}}", "a=2");
}

static void expressions_have_four_operators(void **state)
{
    (void)state;
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"x\"]}]}",
          "a in (x)");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"x\"]}]}",
          "a notin (x)");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"}]}", "a");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\"}]}", "!a");
}

static void values_are_a_set(void **state)
{
    (void)state;
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\","
          "\"values\":[\"y\",\"x\",\"y\",\"\"]}]}",
          "a in (,x,y)");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"\"]}]}",
          "a notin ()");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[null,\"b\"]}]}",
          "a in (,b)");
    check("{\"matchExpressions\":[{\"key\":\"in\",\"operator\":\"In\",\"values\":[\"in\"]}]}",
          "in in (in)");
}

static void values_may_be_missing_where_there_are_none(void **state)
{
    (void)state;
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[]}]}", "a");
    check("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\",\"values\":null}]}",
          "!a");
}

static void all_of_them_are_required(void **state)
{
    (void)state;
    check("{\"matchExpressions\":[{\"key\":\"b\",\"operator\":\"Exists\"},"
          "{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[\"1\"],\"more\":{}},"
          "{\"values\":[\"7\",\"8\"],\"operator\":\"In\",\"key\":\"b\"}],"
          "\"matchLabels\":{\"c\":\"3\",\"b\":\"7\"}}",
          "a notin (1),b=7,b,b in (7,8),c=3");
}

/* Documents hold these in another form than text. */
static void packed_texts_are_read(void **state)
{
    (void)state;
    check("{\"matchLabels\":{\"controller-uid\":\"" UUID "\",\"hash\":\"" DIGEST "\"}}",
          "controller-uid=" UUID ",hash=" DIGEST);
    check("{\"matchExpressions\":[{\"key\":\"" DIGEST "\",\"operator\":\"In\","
          "\"values\":[\"" UUID "\",\"" DIGEST "\",\"2026-01-02\",\"12345678\"]}]}",
          DIGEST " in (" DIGEST ",12345678," UUID ",2026-01-02)");
}

static void a_deployment_selects_its_pods(void **state)
{
    const kin_object *deployment =
        decode("{\"kind\":\"Deployment\",\"spec\":{\"selector\":{\"matchLabels\":{\"app\":\"web\"},"
               "\"matchExpressions\":[{\"key\":\"tier\",\"operator\":\"In\",\"values\":[\"a\","
               "\"b\"]},{\"key\":\"canary\",\"operator\":\"DoesNotExist\"}]}}}");
    static const struct {
        const char *labels;
        bool matches;
    } pods[] = {
        {"{\"app\":\"web\",\"tier\":\"a\"}", true},
        {"{\"app\":\"web\",\"tier\":\"b\",\"more\":\"x\"}", true},
        {"{\"app\":\"web\",\"tier\":\"c\"}", false},
        {"{\"app\":\"web\"}", false},
        {"{\"app\":\"api\",\"tier\":\"a\"}", false},
        {"{\"app\":\"web\",\"tier\":\"a\",\"canary\":\"\"}", false},
        {"{}", false},
    };
    const kin_label_selector *sel = NULL;

    (void)state;
    assert_code(
        kin_label_selector_from_value(&sel, kin_object_find(deployment, "spec.selector"), NULL), 0);
    kin_object_unref(deployment); /* the selector has copied all */
    for (size_t i = 0; i < sizeof(pods) / sizeof(pods[0]); i++) {
        char text[128];

        snprintf(text, sizeof(text), "{\"metadata\":{\"labels\":%s}}", pods[i].labels);
        const kin_object *pod = decode(text);
        assert_int_equal(kin_label_selector_matches(sel, pod), pods[i].matches);
        kin_object_unref(pod);
    }
    kin_label_selector_unref(sel);
}

/* --- refusals --- */

static void other_types_are_refused(void **state)
{
    static const struct {
        const char *json;
        const char *message;
    } cases[] = {
        {"[]", "label selector: expected a value of type map, found array"},
        {"\"a=b\"", "label selector: expected a value of type map, found string"},
        {"0", "label selector: expected a value of type map, found integer"},
        {"false", "label selector: expected a value of type map, found bool"},
        {"{\"matchLabels\":[]}",
         "label selector: matchLabels: expected a value of type map, found array"},
        {"{\"matchExpressions\":{}}",
         "label selector: matchExpressions: expected a value of type array, found map"},
        {"{\"matchLabels\":{\"a\":1}}",
         "label selector: matchLabels: value of 'a': expected a value of type string, found "
         "integer"},
        {"{\"matchExpressions\":[\"a\"]}",
         "label selector: matchExpressions[0]: expected a value of type map, found string"},
        {"{\"matchExpressions\":[{\"key\":1,\"operator\":\"Exists\"}]}",
         "label selector: matchExpressions[0].key: expected a value of type string, found integer"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":true}]}",
         "label selector: matchExpressions[0].operator: expected a value of type string, found "
         "bool"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":\"b\"}]}",
         "label selector: matchExpressions[0].values: expected a value of type array, found "
         "string"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\"},"
         "{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"b\",{}]}]}",
         "label selector: matchExpressions[1].values[1]: expected a value of type string, found "
         "map"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refuse(cases[i].json, KIN_ETYPE, cases[i].message);
}

static void what_kubernetes_refuses_is_refused(void **state)
{
    static const struct {
        const char *json;
        const char *message;
    } cases[] = {
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"in\",\"values\":[\"b\"]}]}",
         "label selector: matchExpressions[0].operator: expected In, NotIn, Exists or "
         "DoesNotExist, found 'in'"},
        {"{\"matchExpressions\":[{\"key\":\"a\"}]}",
         "label selector: matchExpressions[0].operator: expected In, NotIn, Exists or "
         "DoesNotExist, found ''"},
        {"{\"matchExpressions\":[null]}",
         "label selector: matchExpressions[0].operator: expected In, NotIn, Exists or "
         "DoesNotExist, found ''"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"" X60 "xx\u00e9\"}]}",
         "label selector: matchExpressions[0].operator: expected In, NotIn, Exists or "
         "DoesNotExist, found '" X60 "xx'"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\"}]}",
         "label selector: matchExpressions[0].values: In and NotIn need one value or more"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[]}]}",
         "label selector: matchExpressions[0].values: In and NotIn need one value or more"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"Exists\",\"values\":[\"\"]}]}",
         "label selector: matchExpressions[0].values: Exists and DoesNotExist have no values"},
        {"{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"DoesNotExist\",\"values\":[1]}]}",
         "label selector: matchExpressions[0].values: Exists and DoesNotExist have no values"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        refuse(cases[i].json, KIN_EINVAL, cases[i].message);
}

/* What could be taken for syntax where the requirements are put together as text. */
static void malformed_keys_and_values_are_refused(void **state)
{
    static const char *const keys[] = {"",   "-a", "a b", "a,b",      "a=b",    "!a",      "a/b/c",
                                       "/a", "a)", "a>1", "a\\u0000", "\u00e9", X60 "xxxx"};
    static const char *const values[] = {"-",   "a b",      "a,b",    "a)",      "(",
                                         "a=b", "a\\u0000", "\u00e9", X60 "xxxx"};
    char json[256];
    kin_error err = KIN_ERROR_INIT;
    const kin_label_selector *sel = NULL;

    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        snprintf(json, sizeof(json), "{\"matchLabels\":{\"%s\":\"\"}}", keys[i]);
        assert_code(make(&sel, json, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "label selector: matchLabels: key '"));
        snprintf(json, sizeof(json),
                 "{\"matchExpressions\":[{\"key\":\"%s\",\"operator\":\"Exists\"}]}", keys[i]);
        assert_code(make(&sel, json, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "label selector: matchExpressions[0].key: expected"));
    }
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        snprintf(json, sizeof(json), "{\"matchLabels\":{\"a\":\"%s\"}}", values[i]);
        assert_code(make(&sel, json, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "label selector: matchLabels: value of 'a': expected"));
        snprintf(json, sizeof(json),
                 "{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"In\",\"values\":[\"%s\"]}]}",
                 values[i]);
        assert_code(make(&sel, json, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "matchExpressions[0].values[0]: expected"));
    }
    assert_null(sel);
    refuse("{\"matchLabels\":{\"a b\":\"\"}}", KIN_EINVAL,
           "label selector: matchLabels: key 'a b': expected letters, digits, '-', '_' or '.', "
           "found byte 0x20");
}

static void there_must_be_somewhere_to_put_it(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin_value none = {NULL, NULL};

    (void)state;
    assert_code(kin_label_selector_from_value(NULL, none, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
}

/* --- limits --- */

static void check_limit(const char *before, const char *item, size_t count, const char *behind,
                        const char *message)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = repeat(before, item, count, behind);

    assert_code(make(&sel, text, &err), 0);
    kin_label_selector_unref(sel);
    free(text);
    text = repeat(before, item, count + 1, behind);
    sel = NULL;
    assert_code(make(&sel, text, &err), KIN_ELIMIT);
    assert_string_equal(err.message, message);
    assert_null(sel);
    free(text);
}

static void the_number_of_requirements_is_limited(void **state)
{
    (void)state;
    check_limit("{\"matchLabels\":{", "\"k#\":\"\"", KIN_SELECTOR_MAX_REQUIREMENTS, "}}",
                "label selector: more than 4096 requirements");
    check_limit("{\"matchExpressions\":[", "{\"key\":\"k\",\"operator\":\"Exists\"}",
                KIN_SELECTOR_MAX_REQUIREMENTS, "]}", "label selector: more than 4096 requirements");
    check_limit("{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"Exists\"}],\"matchLabels\":{",
                "\"k#\":\"\"", KIN_SELECTOR_MAX_REQUIREMENTS - 1, "}}",
                "label selector: more than 4096 requirements");
}

static void the_number_of_values_is_limited(void **state)
{
    (void)state;
    check_limit("{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[", "\"\"",
                KIN_SELECTOR_MAX_VALUES, "]}]}",
                "label selector: matchExpressions[0].values: more than 16384 values");
}

static void the_printed_length_is_limited(void **state)
{
    (void)state;
    /* 6 + 1023 * 64 bytes, and 64 more. */
    check_limit("{\"matchExpressions\":[{\"key\":\"k\",\"operator\":\"In\",\"values\":[",
                "\"" X60 "xxx\"", 1023, "]}]}", "label selector: longer than 65536 bytes in print");
    check_limit("{\"matchLabels\":{", "\"a#\":\"" X60 "\"", 994, "}}",
                "label selector: longer than 65536 bytes in print");
}

/* --- memory --- */

static int build(void *arg, kin_error *err)
{
    const kin_object *object = arg;
    const kin_label_selector *sel = NULL;
    int code = kin_label_selector_from_value(&sel, kin_object_root(object), err);

    kin_label_selector_unref(sel);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    char *text = repeat("{\"matchExpressions\":[{\"key\":\"a\",\"operator\":\"NotIn\",\"values\":[",
                        "\"value-#\"", 200, "]}],\"matchLabels\":{\"b\":\"c\",\"d\":\"e\"}}");
    const kin_object *object = decode(text);

    (void)state;
    kin_test_fail_each_allocation(build, (void *)(uintptr_t)object);
    kin_object_unref(object);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_there_matches_nothing),
        cmocka_unit_test(the_empty_selector_matches_everything),
        cmocka_unit_test(labels_are_equalities),
        cmocka_unit_test(expressions_have_four_operators),
        cmocka_unit_test(values_are_a_set),
        cmocka_unit_test(values_may_be_missing_where_there_are_none),
        cmocka_unit_test(all_of_them_are_required),
        cmocka_unit_test(packed_texts_are_read),
        cmocka_unit_test(a_deployment_selects_its_pods),
        cmocka_unit_test(other_types_are_refused),
        cmocka_unit_test(what_kubernetes_refuses_is_refused),
        cmocka_unit_test(malformed_keys_and_values_are_refused),
        cmocka_unit_test(there_must_be_somewhere_to_put_it),
        cmocka_unit_test(the_number_of_requirements_is_limited),
        cmocka_unit_test(the_number_of_values_is_limited),
        cmocka_unit_test(the_printed_length_is_limited),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
