/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform watch and kinform demo say of a change. tests/integration/cli has the rest. */
#include <string.h>

#include "cli/watch_event.h"
#include "kin_test.h"
#include "kinform/json.h"

/* An update between two objects with these members. */
static void expect(enum output_format format, const char *before, const char *after,
                   const char *expected)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *resource = NULL;
    struct watch_view view = {.printer = {.format = format}};
    kin_event event = {.size = sizeof(event), .type = KIN_EVENT_UPDATE};
    struct text said = TEXT_INIT;

    spec.version = "v1";
    spec.resource = "things";
    spec.kind = "Thing";
    assert_code(kin_resource_new(&resource, &spec, NULL), 0);
    assert_code(kin_object_from_json(&event.old_object, kin_str_of(before), NULL, NULL), 0);
    assert_code(kin_object_from_json(&event.object, kin_str_of(after), NULL, NULL), 0);
    watch_view_add_details(&view, &said, resource, &event);
    assert_string_equal(text_string(&said), expected);
    kin_object_unref(event.old_object);
    kin_object_unref(event.object);
    kin_resource_unref(resource);
    text_done(&said);
}

#define THING(version, generation, observed, time, status)                                         \
    "{\"metadata\":{\"name\":\"t\",\"resourceVersion\":\"" version "\",\"generation\":" generation \
    "},\"status\":{\"observedGeneration\":" observed                                               \
    ",\"conditions\":[{\"type\":\"Ready\",\"status\":\"" status                                    \
    "\",\"lastTransitionTime\":\"" time "\"}]}}"

/* Times, generations and versions change beside something that tells more, if anything does. */
static void what_tells_most_is_told(void **state)
{
    const char *before = THING("1", "1", "1", "noon", "False");

    (void)state;
    expect(FORMAT_TABLE, before, THING("2", "2", "2", "night", "True"),
           "  status.conditions[Ready].status: False → True");
    expect(FORMAT_TABLE, before, THING("2", "2", "2", "night", "False"),
           "  status.conditions[Ready].lastTransitionTime: noon → night");
    expect(FORMAT_TABLE, before, THING("2", "1", "2", "noon", "False"),
           "  status.observedGeneration: 1 → 2");
    expect(FORMAT_TABLE, before, THING("2", "1", "1", "noon", "False"),
           "  metadata.resourceVersion: 1 → 2");
    expect(FORMAT_TABLE, before, before, "");
    expect(FORMAT_WIDE, before, THING("2", "2", "2", "night", "True"),
           "  status.conditions[Ready].status: False → True, "
           "status.conditions[Ready].lastTransitionTime: noon → night");
}

#define ITEMS(items) "{\"metadata\":{\"name\":\"t\"},\"spec\":{\"items\":[" items "]}}"
#define ITEM(name, v) "{\"name\":\"" name "\",\"v\":" v "}"

/* What has really happened to an item, wherever it stood. */
static void items_of_lists_are_known_by_their_names(void **state)
{
    const char *abc = ITEMS(ITEM("a", "1") "," ITEM("b", "2") "," ITEM("c", "3"));

    (void)state;
    expect(FORMAT_TABLE, abc, ITEMS(ITEM("b", "2") "," ITEM("c", "3")),
           "  spec.items[a]: {\"name\":\"a\",\"v\":1} → none");
    expect(FORMAT_TABLE, abc, ITEMS(ITEM("a", "1") "," ITEM("c", "4") "," ITEM("d", "5")),
           "  spec.items[b]: {\"name\":\"b\",\"v\":2} → none, spec.items[c].v: 3 → 4, "
           "spec.items[d]: none → {\"name\":\"d\",\"v\":5}");
    expect(FORMAT_TABLE, abc,
           ITEMS(ITEM("z", "0") "," ITEM("a", "1") "," ITEM("b", "2") "," ITEM("c", "3")),
           "  spec.items[z]: none → {\"name\":\"z\",\"v\":0}");
    expect(FORMAT_TABLE, ITEMS(""), ITEMS(ITEM("a", "1")),
           "  spec.items[a]: none → {\"name\":\"a\",\"v\":1}");
    /* Another order alone is a change of the list. */
    expect(FORMAT_WIDE, ITEMS(ITEM("a", "1") "," ITEM("b", "2")),
           ITEMS(ITEM("b", "2") "," ITEM("a", "1")),
           "  spec.items: [{\"name\":\"a\",\"v\":1},{\"name\":\"b\",\"v\":2}] → "
           "[{\"name\":\"b\",\"v\":2},{\"name\":\"a\",\"v\":1}]");
    /* Names that are not unique, or not all there: by places, and called so unless both states agree. */
    expect(FORMAT_TABLE, ITEMS(ITEM("a", "1") "," ITEM("a", "2") "," ITEM("b", "3")),
           ITEMS(ITEM("a", "4") "," ITEM("b", "3")),
           "  spec.items[a].v: 1 → 4, spec.items[1].name: a → b, spec.items[1].v: 2 → 3, "
           "spec.items[2]: {\"name\":\"b\",\"v\":3} → none");
    expect(FORMAT_TABLE, ITEMS("1,2"), ITEMS("1,3,4"),
           "  spec.items[1]: 2 → 3, spec.items[2]: none → 4");
    expect(FORMAT_TABLE, ITEMS("[1],{}"), ITEMS("[2],{\"a.b\":1}"),
           "  spec.items[0][0]: 1 → 2, spec.items[1].a\\.b: none → 1");
}

/* Members in any order, added and removed ones between them. */
static void members_are_known_by_their_names(void **state)
{
    (void)state;
    expect(FORMAT_TABLE, "{\"a\":1,\"b\":{\"x\":1},\"c\":3}", "{\"c\":3,\"b\":{\"x\":1},\"a\":1}",
           "");
    expect(FORMAT_TABLE, "{\"a\":1,\"b\":2,\"c\":3}", "{\"n\":0,\"c\":4,\"a\":1}",
           "  b: 2 → none, c: 3 → 4, n: none → 0");
    expect(FORMAT_TABLE, "{\"a\":{\"b\":[]}}", "{\"a\":{\"b\":{},\"c\":null}}",
           "  a.b: [] → {}, a.c: none → null");
}

#define CONDITION(type, status, reason, message)                                                   \
    "{\"type\":\"" type "\",\"status\":\"" status "\",\"reason\":\"" reason                        \
    "\",\"message\":\"" message "\"}"
#define CONDITIONS(a, b) "{\"metadata\":{\"name\":\"t\"},\"status\":{\"conditions\":[" a "," b "]}}"

/* Messages are long, and say again what a status says. */
static void messages_give_way(void **state)
{
    const char *before =
        CONDITIONS(CONDITION("A", "False", "No", "long"), CONDITION("B", "True", "Yes", "fine"));

    (void)state;
    expect(FORMAT_TABLE, before,
           CONDITIONS(CONDITION("A", "True", "Yes", "longer"),
                      CONDITION("B", "True", "Still", "finer")),
           "  status.conditions[A].status: False → True, status.conditions[B].reason: Yes → Still");
    expect(
        FORMAT_TABLE, before,
        CONDITIONS(CONDITION("A", "False", "No", "longer"), CONDITION("B", "True", "Yes", "fine")),
        "  status.conditions[A].message: long → longer");
    expect(
        FORMAT_WIDE, before,
        CONDITIONS(CONDITION("A", "True", "No", "longer"), CONDITION("B", "True", "Yes", "fine")),
        "  status.conditions[A].status: False → True, status.conditions[A].message: long → longer");
    /* Of a spec they are what matters. */
    expect(FORMAT_TABLE, "{\"spec\":{\"message\":\"a\",\"n\":1}}",
           "{\"spec\":{\"message\":\"b\",\"n\":2}}", "  spec.message: a → b, spec.n: 1 → 2");
    /* Of items that are called the same, one's reason is not told by another one's status. */
    expect(FORMAT_TABLE,
           CONDITIONS(CONDITION("A", "False", "No", "n"), CONDITION("A", "False", "Yes", "y")),
           CONDITIONS(CONDITION("A", "True", "Now", "n"), CONDITION("A", "False", "Still", "y")),
           "  status.conditions[A].status: False → True, status.conditions[A].reason: Yes → Still");
}

/* Where there is no room for all, those that tell most stay, in their order. */
static void what_matters_most_is_not_cut(void **state)
{
    (void)state;
    expect(FORMAT_TABLE,
           "{\"a\":{\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1},"
           "\"s\":{\"x\":1,\"state\":{\"waiting\":1},\"phase\":\"Pending\"}}",
           "{\"a\":{\"b\":2,\"c\":2,\"d\":2,\"e\":2,\"f\":2,\"g\":2,\"h\":2},"
           "\"s\":{\"x\":2,\"state\":{\"running\":1},\"phase\":\"Running\"}}",
           "  a.b: 1 → 2, a.c: 1 → 2, a.d: 1 → 2, s.state.waiting: 1 → none, "
           "s.state.running: none → 1, s.phase: Pending → Running, and 5 more");
}

/* A large map that has lost its first member: all others are found, wherever they are now. */
static void members_are_told_by_their_keys(void **state)
{
    enum { N = 20000 };
    struct text before = TEXT_INIT;
    struct text after = TEXT_INIT;

    (void)state;
    text_add_string(&before, "{\"metadata\":{\"name\":\"t\"},\"data\":{\"first\":\"x\"");
    text_add_string(&after, "{\"metadata\":{\"name\":\"t\"},\"data\":{\"last\":\"y\"");
    for (int i = 0; i < N; i++) {
        text_format(&before, ",\"k%d\":\"%d\"", i, i);
        text_format(&after, ",\"k%d\":\"%d\"", N - 1 - i, N - 1 - i);
    }
    text_add_string(&before, "}}");
    text_add_string(&after, "}}");
    expect(FORMAT_TABLE, text_string(&before), text_string(&after),
           "  data.first: x → none, data.last: none → y");
    text_done(&before);
    text_done(&after);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_tells_most_is_told),
        cmocka_unit_test(items_of_lists_are_known_by_their_names),
        cmocka_unit_test(members_are_known_by_their_names),
        cmocka_unit_test(messages_give_way),
        cmocka_unit_test(what_matters_most_is_not_cut),
        cmocka_unit_test(members_are_told_by_their_keys),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
