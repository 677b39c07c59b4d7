/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions of --where and --until, and orders of --sort-by. */
#include <stdlib.h>
#include <string.h>

#include "cli/base/text.h"
#include "cli/condition.h"
#include "cli/jsonpath/jsonpath.h"
#include "cli/print/objects.h"
#include "kin_test.h"
#include "kinform/json.h"

static const char pod_json[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"p\",\"labels\":{\"app\":\"web\","
    "\"a.b/c\":\"x=y\"}},\"spec\":{\"replicas\":3,\"memory\":\"512Mi\",\"cpu\":\"1500m\",\"none\":null,"
    "\"no\":false,\"yes\":true,\"empty\":\"\",\"list\":[],\"map\":{},\"brackets\":\"[]\",\"containers\":[{\"name\":\"one\",\"n\":1},"
    "{\"name\":\"two\",\"n\":2}]},\"status\":{\"phase\":\"Running\",\"version\":\"v1.9\"}}";

static const kin_object *pod;

static int read_pod(void **state)
{
    (void)state;
    return kin_object_from_json(&pod, kin_str_of(pod_json), NULL, NULL);
}

static int free_pod(void **state)
{
    (void)state;
    kin_object_unref(pod);
    return 0;
}

static void conditions_that_hold_and_do_not(void **state)
{
    static const struct {
        const char *text;
        bool holds;
    } cases[] = {
        /* is there, and neither null nor false nor empty */
        {".status.phase", true},
        {"status.phase", true},
        {"{.status.phase}", true},
        {".spec.none", false},
        {".spec.no", false},
        {".spec.yes", true},
        {".spec.empty", false},
        {".spec.list", false},
        {".spec.map", false},
        {".spec.brackets", true},
        {".spec.containers", true},
        {".spec", true},
        {".nosuch", false},
        {".nosuch.more[3]", false},
        /* equal, as text or as numbers */
        {".status.phase==Running", true},
        {".status.phase = Running", true},
        {".status.phase == 'Running'", true},
        {".status.phase==\"Running\"", true},
        {".status.phase==running", false},
        {".status.phase!=Running", false},
        {".status.phase!=Failed", true},
        {".nosuch==x", false},
        {".nosuch!=x", true},
        {".spec.replicas==3.0", true},
        {".spec.replicas==3", true},
        {".spec.empty==", true},
        {".spec.none==null", true},
        {".spec.yes==true", true},
        /* less and greater: numbers and quantities by their value, all else as text */
        {".spec.replicas>2", true},
        {".spec.replicas>10", false},
        {".spec.replicas>=3", true},
        {".spec.replicas<3", false},
        {".spec.replicas<=3", true},
        {".spec.replicas<10", true},
        {".spec.memory>=0.5Gi", true},
        {".spec.memory<536870913", true},
        {".spec.cpu>1", true},
        {".spec.cpu==1.5", true},
        {".status.phase>Pending", true},
        {".nosuch<3", false},
        /* one of several is enough; != wants none */
        {".spec.containers[*].name==two", true},
        {".spec.containers[*].name!=two", false},
        {".spec.containers[*].n>1", true},
        {".spec.containers[*].n>2", false},
        {".spec.list[*].n!=1", true},
        /* filters have operators of their own */
        {".spec.containers[?(@.name==\"two\")].n==2", true},
        {".spec.containers[?(@.name==\"two\")]", true},
        {".spec.containers[?(@.name==\"nosuch\")]", false},
        {".metadata.labels.a\\.b/c==x=y", true},
        /* regular expressions */
        {".status.phase=~^Run", true},
        {".status.phase=~'(Pend|Runn)ing$'", true},
        {".status.phase=~^run", false},
        {".nosuch=~.*", false},
        {".spec.containers[*].name=~^t", true},
        /* what makes no sense for the object does not hold */
        {".spec.containers[7].name==x", false},
        {".spec.containers[7].name!=x", true}, /* none is equal */
        {".spec.list[0]!=1", true},
        {".spec.list[5]!=1", true},
        {".spec.list[0]==1", false},
        /* values that look like something else stand in quotes */
        {".metadata.labels.a\\.b/c!='=>1 && x||y'", true},
        {".status.phase=~(Pend|Runn)ing", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct condition *condition = NULL;
        kin_error err = KIN_ERROR_INIT;

        if (condition_parse(&condition, cases[i].text, &err) < 0)
            fail_msg("%s: %s", cases[i].text, err.message);
        if (condition_holds(condition, pod) != cases[i].holds)
            fail_msg("%s: %s", cases[i].text, cases[i].holds ? "does not hold" : "holds");
        condition_free(condition);
    }
    condition_free(NULL);
}

static void conditions_that_are_none(void **state)
{
    static const struct {
        const char *text;
        const char *why;
    } cases[] = {
        {"a!b", "compare with"},
        {".spec.size=>10", "there is no =>, write >="},
        {".spec.size=<10", "there is no =<, write <="},
        {".spec.size<>10", "there is no <>, write !="},
        {".spec.size===10", "there is no ===; a value that begins with = stands in quotes"},
        {".spec.size!==10", "there is no !=="},
        {".a==1 && .b", "give --where once for each condition"},
        {".a && .b==1", "give --where once for each condition"},
        {".a==1||.b==2", "=~'^(a|b)$'"},
        {"!.spec.on", "write .spec.on!=true"},
        {"! spec.on", "write spec.on!=true"},
        {"a=~(", "a=~("},
        {"a[", "the condition a["},
        {"{.a==b", "the condition"},
        {".a[?(@.b=~\"c\")]", "the condition"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct condition *condition = NULL;
        kin_error err = KIN_ERROR_INIT;

        assert_code(condition_parse(&condition, cases[i].text, &err), KIN_EPARSE);
        assert_null(condition);
        if (!strstr(err.message, cases[i].why))
            fail_msg("%s: %s", cases[i].text, err.message);
    }
}

static void several_conditions_must_all_hold(void **state)
{
    static const char *texts[] = {".spec.replicas>2", ".status.phase==Running", ".nosuch"};
    struct conditions conditions = {NULL, 0};
    struct option_texts given = {texts, 0};

    (void)state;
    assert_code(conditions_parse(&conditions, &given, NULL), 0);
    assert_true(conditions_hold(&conditions, pod));
    conditions_done(&conditions);
    given.len = 2;
    assert_code(conditions_parse(&conditions, &given, NULL), 0);
    assert_true(conditions_hold(&conditions, pod));
    conditions_done(&conditions);
    given.len = 3;
    assert_code(conditions_parse(&conditions, &given, NULL), 0);
    assert_false(conditions_hold(&conditions, pod));
    conditions_done(&conditions);
}

/* --- orders --- */

static void add_object(struct objects *objects, const char *name, const char *value)
{
    struct text json = TEXT_INIT;
    const kin_object *object = NULL;

    text_format(&json, "{\"apiVersion\":\"v1\",\"kind\":\"X\",\"metadata\":{\"name\":\"%s\"}%s%s}",
                name, value ? ",\"v\":" : "", value ? value : "");
    assert_code(kin_object_from_json(&object, text_view(&json), NULL, NULL), 0);
    objects_add(objects, object);
    kin_object_unref(object);
    text_done(&json);
}

static void expect_order(const struct objects *objects, const char *names)
{
    struct text text = TEXT_INIT;

    for (size_t i = 0; i < objects->len; i++) {
        text_add_string(&text, i > 0 ? " " : "");
        text_add(&text, kin_object_name(objects->items[i]));
    }
    assert_string_equal(text_string(&text), names);
    text_done(&text);
}

static void sort_by(struct objects *objects, const char *path)
{
    struct jsonpath *parsed = NULL;

    assert_code(jsonpath_parse_relaxed(&parsed, kin_str_of(path), NULL), 0);
    objects_sort_by_path(objects, parsed);
    jsonpath_free(parsed);
}

static void orders(void **state)
{
    struct objects objects = {NULL, 0, 0};

    (void)state;
    sort_by(&objects, ".v");
    add_object(&objects, "c", "\"512Mi\"");
    add_object(&objects, "d", NULL);
    add_object(&objects, "b", "10");
    add_object(&objects, "a", "\"9\"");
    add_object(&objects, "e", NULL);
    sort_by(&objects, ".v");
    expect_order(&objects, "d e a b c"); /* those without it first, in the order they had */
    objects_sort_by_key(&objects);
    expect_order(&objects, "a b c d e");
    objects_clear(&objects);
    add_object(&objects, "x", "\"web-10\"");
    add_object(&objects, "y", "\"web-9\"");
    sort_by(&objects, "{.v}");
    expect_order(&objects, "x y"); /* as text, which is what kubectl does */
    objects_clear(&objects);
    free(objects.items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions_that_hold_and_do_not),
        cmocka_unit_test(conditions_that_are_none),
        cmocka_unit_test(several_conditions_must_all_hold),
        cmocka_unit_test(orders),
    };

    return cmocka_run_group_tests_name("cli condition", tests, read_pod, free_pod);
}
