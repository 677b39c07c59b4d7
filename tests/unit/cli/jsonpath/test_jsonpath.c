/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubectl's templates. What is expected is what kubectl 1.32 prints, which tests/integration/cli looks
 * at again where there is a kubectl.
 */
#include "kin_test.h"

#include <string.h>

#include "cli/jsonpath/jsonpath.h"
#include "kinform/json.h"

static const char pod_json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"namespace\":\"x\","
    "\"labels\":{\"a.b/c\":\"dotted\",\"app\":\"web\"}},"
    "\"spec\":{\"containers\":[{\"image\":\"i:1\",\"name\":\"one\",\"ports\":[{\"containerPort\":80}]},"
    "{\"image\":\"i:2\",\"name\":\"two\"}],\"hostNetwork\":true,"
    "\"terminationGracePeriodSeconds\":5,\"load\":1.5,\"none\":null,\"empty\":[]}}";
static const char map_json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"},\"data\":{\"k\":\"v\"}}";

static const kin_object *objects[2];

static int read_objects(void **state)
{
    (void)state;
    assert_code(kin_object_from_json(&objects[0], kin_str_of(pod_json), NULL, NULL), 0);
    assert_code(kin_object_from_json(&objects[1], kin_str_of(map_json), NULL, NULL), 0);
    return 0;
}

static int free_objects(void **state)
{
    (void)state;
    kin_object_unref(objects[0]);
    kin_object_unref(objects[1]);
    return 0;
}

static void expect(const char *template, const struct jsonpath_data *data, const char *expected)
{
    struct jsonpath *path = NULL;
    struct text out = TEXT_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (jsonpath_parse(&path, kin_str_of(template), &err) < 0 ||
        jsonpath_print(path, &out, data, &err) < 0)
        fail_msg("%s: %s", template, err.message);
    if (strcmp(text_string(&out), expected) != 0)
        fail_msg("%s: %s instead of %s", template, text_string(&out), expected);
    text_done(&out);
    jsonpath_free(path);
}

static const struct {
    const char *template;
    const char *text;
} of_a_pod[] = {
    {"", ""},
    {"hello", "hello"},
    {"{.metadata.name}", "p"},
    {"{ .metadata.name }", "p"},
    {"{$.metadata.name}{@.metadata.name}", "pp"},
    {"{.metadata['name']}", "p"},
    {"{.metadata.labels.a\\.b/c} {.metadata.labels['a\\.b/c']}", "dotted dotted"},
    {"{.metadata.labels['a.b/c']}", ""}, /* a member c of a member b: kubectl's way */
    {"{.nosuch}{.metadata.nosuch}{.metadata.name.x}", ""},
    {"{.metadata.name .metadata.uid}", ""},
    {"{.spec.containers[*].name}", "one two"},
    {"{.spec.containers[0].name}", "one"},
    {"{.spec.containers[-1].name}", "two"},
    {"{.spec.containers[-2:].name}", "one two"},
    {"{.spec.containers[0:1].name}", "one"},
    {"{.spec.containers[:-1].name}", "one"},
    {"{.spec.containers[::2].name}", "one"},
    {"{.spec.containers[1:1].name}", ""},
    {"{.spec.containers[0,1].name}", "one two"},
    {"{.spec.containers[*]['name','image']}", "one two i:1 i:2"},
    {"{.spec.containers[*].ports[0].containerPort}", "80"},
    {"{.spec.empty[*].x}{.spec.none[*].x}", ""},
    {"{.spec.containers[?(@.name==\"two\")].image}", "i:2"},
    {"{.spec.containers[?(@.name=='two')].image}", "i:2"},
    {"{.spec.containers[?(@.name!=\"two\")].name}", "one"},
    {"{.spec.containers[?(@.name>\"one\")].name}", "two"},
    {"{.spec.containers[?(@.name>=\"one\")].name}", "one two"},
    {"{.spec.containers[?(@.name<=\"one\")].name}", "one"},
    {"{.spec.containers[?(@.name<\"one\")].name}", ""},
    {"{.spec.containers[?(@.nosuch==\"two\")].name}", ""},
    {"{.spec.containers[?(@.ports)].image}", "i:1"},
    {"{.spec.containers[?(@.ports[0].containerPort==80)].name}", "one"},
    {"{.spec.containers[?(@.ports[0].containerPort>79.5)].name}", "one"}, /* kubectl refuses */
    {"{.spec.containers[?(@.name==\"a)b\")].name}", ""},
    {"{..name}", "p one two"},
    {"{.spec..name}", "one two"},
    {"{.spec.containers}",
     "[{\"image\":\"i:1\",\"name\":\"one\",\"ports\":[{\"containerPort\":80}]},"
     "{\"image\":\"i:2\",\"name\":\"two\"}]"},
    {"{.spec.containers[1]}", "{\"image\":\"i:2\",\"name\":\"two\"}"},
    {"{.spec.containers[*].*}", "i:1 one [{\"containerPort\":80}] i:2 two"},
    {"{.spec.terminationGracePeriodSeconds} {.spec.hostNetwork} {.spec.load}", "5 true 1.5"},
    {"{\"a\\u00e9b\\u20ac\"}{'it\\'s'}{\"\\t\\n\\\\\"}", "a\xc3\xa9"
                                                         "b\xe2\x82\xac"
                                                         "it's\t\n\\"},
    {"{\"\\x41\\101\\u0041\\U00000041\\U0001f600\\xc3\\xa9\"}", "AAAA\xf0\x9f\x98\x80\xc3\xa9"},
    {"{.spec.containers[].name}", "one"},
    {"{range .spec.containers[*]}{.name};", "one;two;"}, /* to the end of the template */
    {"{range .spec.containers[*]}<{range .ports[*]}{.containerPort}>", "<80><"},
    {"{range .nosuch[*]}x", ""},
    {"{1} {-1.5} {true} {false}", "1 -1.5 true false"},
    {"{range .spec.containers[*]}{.name}{\"\\t\"}{.image}{\"\\n\"}{end}", "one\ti:1\ntwo\ti:2\n"},
    {"{range .spec.containers[*]}{range .ports[*]}{.containerPort}{end};{end}", "80;;"},
    {"{range .nosuch[*]}x{range .y}z{end}{end}y", "y"},
    {"{range .spec.containers[*]}[{@.name}]{end}.", "[one][two]."},
};

static void templates_are_filled_in(void **state)
{
    const struct jsonpath_data data = {objects[0], NULL, 0};

    (void)state;
    for (size_t i = 0; i < sizeof(of_a_pod) / sizeof(of_a_pod[0]); i++)
        expect(of_a_pod[i].template, &data, of_a_pod[i].text);
}

static void an_object_is_itself(void **state)
{
    const struct jsonpath_data data = {objects[1], NULL, 0};

    (void)state;
    expect("{}", &data, map_json);
    expect("{@}", &data, map_json);
    expect("{$}", &data, map_json);
    expect("{.}", &data, map_json);
    expect("{..}", &data,
           "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"m\"},"
           "\"data\":{\"k\":\"v\"}} v1 ConfigMap {\"name\":\"m\"} m {\"k\":\"v\"} v");
}

static void many_objects_are_a_list(void **state)
{
    const struct jsonpath_data data = {NULL, objects, 2};
    const struct jsonpath_data empty = {NULL, NULL, 0};
    struct text whole = TEXT_INIT;

    (void)state;
    expect("{.kind} {.apiVersion} {.items[*].kind}", &data, "List v1 Pod ConfigMap");
    expect("{.items[1].metadata.name} {.items[-1].data}", &data, "m {\"k\":\"v\"}");
    expect("{.items[?(@.kind==\"Pod\")].metadata.name}", &data, "p");
    expect("{range .items[*]}{.metadata.name},{end}", &data, "p,m,");
    expect("{..name}", &data, "p one two m");
    expect("{.items.*.kind}", &data, "Pod ConfigMap");
    text_format(&whole, "[%s,%s]", pod_json, map_json);
    expect("{.items}", &data, text_string(&whole));
    text_done(&whole);
    expect("{.}", &empty,
           "{\"apiVersion\":\"v1\",\"items\":[],\"kind\":\"List\","
           "\"metadata\":{\"resourceVersion\":\"\"}}");
    expect("{.items[*].kind}", &empty, "");
    expect("{.metadata} {.metadata.resourceVersion}|{.metadata.*}|{.metadata.name}", &empty,
           "{\"resourceVersion\":\"\"} ||");
    expect("{.*}", &empty, "v1 [] List {\"resourceVersion\":\"\"}");
}

/* A double has no room for the last digit of these. */
static void large_numbers_are_compared_exactly(void **state)
{
    const kin_object *object = NULL;

    (void)state;
    assert_code(kin_object_from_json(
                    &object,
                    kin_str_of("{\"a\":[{\"n\":9007199254740992},{\"n\":9007199254740993},"
                               "{\"n\":18446744073709551615},{\"n\":-3},{\"n\":2.5},{\"n\":3e0}]}"),
                    NULL, NULL),
                0);
    const struct jsonpath_data data = {object, NULL, 0};
    expect("{.a[?(@.n==9007199254740993)].n}", &data, "9007199254740993");
    expect("{.a[?(@.n>9007199254740992)].n}", &data, "9007199254740993 18446744073709551615");
    expect("{.a[?(@.n==18446744073709551614)].n}", &data, "");
    expect("{.a[?(@.n<2.75)].n}", &data, "-3 2.5");
    expect("{.a[?(@.n==3)].n}", &data, "3e0");
    expect("{.a[?(@.n==-3)].n}", &data, "-3");
    kin_object_unref(object);
}

static const struct {
    const char *template;
    size_t offset;
    const char *message;
} wrong[] = {
    {"{.a", 3, "} is missing"},
    {"x{", 2, "} is missing"},
    {"{nosuch}", 1, "begins with a dot"},
    {"{.a[x]}", 5, "in brackets"},
    {"{.a[ 0 ]}", 7, "in brackets"},
    {"{.a[(@.length-1)]}", 16, "in brackets stands an index"},
    {"{.a[1:2:3:4]}", 11, "three parts"},
    {"{.a[123456789012]}", 16, "too large"},
    {"{.a[1", 5, "] is missing"},
    {"{.a[?(@.b==1]}", 6, ") is missing"},
    {"{.a[?(@.b==1)}", 13, ")]"},
    {"{.a[?(@.b===1)]}", 6, "compares with"},
    {"{.a[?(@.b=~\"t\")]}", 6, "compares with"},
    {"{.a[?(@.b[?(@.c)])]}", 9, "filter in a filter"},
    {"{.....a}", 3, ".. twice"},
    {"{\"a}", 4, "quote is missing"},
    {"{\"\\q\"}", 3, "something strange"},
    {"{\"\\", 3, "something strange"},
    {"{\"\\u12\"}", 4, "four hexadecimal"},
    {"{\"\\ud800\"}", 4, "half a character"},
    {"{1.2.3}", 6, "no number"},
    {"{~}", 1, "cannot stand here"},
    {"{end}", 0, "{end} without"},
    {"{\"\\x4\"}", 4, "two hexadecimal"},
    {"{\"\\U0011ffff\"}", 4, "half a character, or none"},
    {"{\"\\400\"}", 3, "000 to 377"},
    {"{\"\\18\"}", 3, "000 to 377"},
};

static void what_is_wrong_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        struct jsonpath *path = NULL;
        kin_error err = KIN_ERROR_INIT;

        if (jsonpath_parse(&path, kin_str_of(wrong[i].template), &err) != KIN_EPARSE)
            fail_msg("%s is accepted", wrong[i].template);
        if (!strstr(err.message, wrong[i].message) ||
            (wrong[i].offset && err.offset != wrong[i].offset))
            fail_msg("%s: %s (%u)", wrong[i].template, err.message, (unsigned)err.offset);
    }
}

static void limits_are_kept(void **state)
{
    struct text template = TEXT_INIT;
    struct jsonpath *path = NULL;

    (void)state;
    text_add_n(&template, 'x', JSONPATH_MAX_LENGTH + 1);
    assert_code(jsonpath_parse(&path, text_view(&template), NULL), KIN_ELIMIT);
    text_clear(&template);
    for (int i = 0; i <= JSONPATH_MAX_RANGES; i++)
        text_add_string(&template, "{range .a}");
    assert_code(jsonpath_parse(&path, text_view(&template), NULL), KIN_ELIMIT);
    text_done(&template);
}

static const struct {
    const char *template;
    const char *message;
} failing[] = {
    {"{.spec.containers[5].name}", "no item 5 in an array of 2"},
    {"{.spec.containers[0:5].name}", "no item 4 in an array of 2"},
    {"{.spec.containers[-3].name}", "no item -1"},
    {"{.spec.containers[1:0].name}", "begins at 1"},
    {"{.spec.containers[0:2:0].name}", "at least 1"},
    {"{.metadata.name[0]}", "no array"},
    {"{.metadata[?(@.name)]}", "no array"},
    {"{.spec.containers[?(@.name==1)].name}", "a string and a number cannot be compared"},
    {"{.spec.containers[?(@.*==1)].name}", "one value, not 3"},
    {"{range .spec.containers[*]}{.ports[7]}{end}", "no item 7"},
};

static void what_cannot_be_done_is_told(void **state)
{
    const struct jsonpath_data data = {objects[0], NULL, 0};

    (void)state;
    for (size_t i = 0; i < sizeof(failing) / sizeof(failing[0]); i++) {
        struct jsonpath *path = NULL;
        struct text out = TEXT_INIT;
        kin_error err = KIN_ERROR_INIT;

        assert_code(jsonpath_parse(&path, kin_str_of(failing[i].template), &err), 0);
        assert_code(jsonpath_print(path, &out, &data, &err), KIN_EINVAL);
        if (!strstr(err.message, failing[i].message))
            fail_msg("%s: %s", failing[i].template, err.message);
        text_done(&out);
        jsonpath_free(path);
    }
}

/* What is found is of others; what the template says is the user's own. */
static void values_are_escaped_for_terminals(void **state)
{
    const kin_object *object = NULL;
    struct jsonpath *path = NULL;
    struct text out = TEXT_INIT;

    (void)state;
    assert_code(kin_object_from_json(
                    &object,
                    kin_str_of("{\"a\":\"\\u001b[1m\\n\\t\\u009b\",\"b\":{\"c\":\"\\u007f\"}}"),
                    NULL, NULL),
                0);
    const struct jsonpath_data data = {object, NULL, 0};
    assert_code(jsonpath_parse(&path, kin_str_of("{\"\\u001b\"}{.a}{.b}"), NULL), 0);
    assert_code(jsonpath_print(path, &out, &data, NULL), 0);
    assert_string_equal(text_string(&out), "\033\033[1m\n\t\xc2\x9b{\"c\":\"\x7f\"}");
    text_clear(&out);
    jsonpath_escape_values(path);
    assert_code(jsonpath_print(path, &out, &data, NULL), 0);
    assert_string_equal(text_string(&out), "\033\\x1b[1m\n\t\\x9b{\"c\":\"\\x7f\"}");
    text_done(&out);
    jsonpath_free(path);
    kin_object_unref(object);
}

static void what_templates_look_at(void **state)
{
    static const struct {
        const char *template;
        bool is_list;
        const char *paths; /* NULL: any part */
    } cases[] = {
        {"{.spec.nodeName}", false, ",spec.nodeName"},
        {"{.spec.nodeName}{\"\\n\"}{.status.phase}{1}{true}", false, ",spec.nodeName,status.phase"},
        {"{.spec.containers[0].name}", false, ",spec.containers[*].name"},
        {"{.spec.containers[?(@.name==\"a\")].image}", false, ",spec.containers"},
        {"{.spec.containers[*]['name','image']}", false, ",spec.containers[*]"},
        {"{.data.*}{.spec..name}", false, ",data,spec"},
        {"{.metadata.labels.a\\.b/c}", false, ",metadata.labels['a.b/c']"},
        {"{range .spec.containers[*]}{.name}{end}{.x}", false, ",spec.containers[*],x"},
        {"text{@}{.}{$}", false, ""},
        {"{..name}", false, NULL},
        {"{.*}", false, NULL},
        {"{[0]}", false, NULL},
        {"{.items[*].metadata.name}", false, ",items[*].metadata.name"},
        {"{.items[*].metadata.name}{.kind}", true, ",metadata.name"},
        {"{.items[?(@.spec.a==\"x\")].status.phase}", true, ",spec.a,status.phase"},
        {"{range .items[*]}{.a.b}{range .c[*]}{.d}{end}{.e}{end}{.items[0].f}", true,
         ",a.b,c[*],e,f"},
        {"{range .items[*]}{.a}", true, ",a"},
        {"{.items}{.items[*]}{.}{.metadata}", true, ""},
        {"{range .items[*]}{@}{end}", true, ""},
        {"{..name}", true, NULL},
        {"{.items..name}", true, NULL},
        {"{.items[*].*}", true, NULL},
        {"{range .items[*]}{..a}{end}", true, NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct jsonpath *path = NULL;
        struct text paths = TEXT_INIT;

        assert_code(jsonpath_parse(&path, kin_str_of(cases[i].template), NULL), 0);
        bool is_possible = jsonpath_add_paths(path, &paths, cases[i].is_list);
        if (is_possible != (cases[i].paths != NULL) ||
            (is_possible && strcmp(text_string(&paths), cases[i].paths) != 0))
            fail_msg("%s: %d %s", cases[i].template, is_possible, text_string(&paths));
        text_done(&paths);
        jsonpath_free(path);
    }
}

static void a_path_alone_is_spelled_in_four_ways(void **state)
{
    static const char *const good[] = {"metadata.name", ".metadata.name", "{metadata.name}",
                                       "{.metadata.name}"};
    static const char *const bad[] = {"", "{}", "{.a}{.b}", "a}"};
    const struct jsonpath_data data = {objects[0], NULL, 0};

    (void)state;
    for (size_t i = 0; i < 4; i++) {
        struct jsonpath_values values = JSONPATH_VALUES_INIT;
        struct jsonpath *path = NULL;
        struct text out = TEXT_INIT;

        assert_code(jsonpath_parse_relaxed(&path, kin_str_of(good[i]), NULL), 0);
        assert_code(jsonpath_find(path, &values, &data, NULL), 0);
        assert_int_equal(values.len, 1);
        jsonpath_value_print(&out, &values.items[0]);
        assert_string_equal(text_string(&out), "p");
        text_done(&out);
        jsonpath_values_done(&values);
        jsonpath_free(path);
        path = NULL;
        assert_code(jsonpath_parse_relaxed(&path, kin_str_of(bad[i]), NULL), KIN_EPARSE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_filled_in),
        cmocka_unit_test(an_object_is_itself),
        cmocka_unit_test(many_objects_are_a_list),
        cmocka_unit_test(large_numbers_are_compared_exactly),
        cmocka_unit_test(what_is_wrong_is_told),
        cmocka_unit_test(limits_are_kept),
        cmocka_unit_test(what_cannot_be_done_is_told),
        cmocka_unit_test(values_are_escaped_for_terminals),
        cmocka_unit_test(what_templates_look_at),
        cmocka_unit_test(a_path_alone_is_spelled_in_four_ways),
    };

    return cmocka_run_group_tests(tests, read_objects, free_objects);
}
