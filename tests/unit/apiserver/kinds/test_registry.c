/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry: what is found, names that are taken, snapshots that stay as they are, many threads.
 */
#include "crd_support.h"

#include <pthread.h>
#include <stdatomic.h>

#include "alloc.h"
#include "apiserver/kinds/registry.h"
#include "oom.h"

static kin__registry *new_registry(void)
{
    kin__registry *registry = NULL;

    assert_code(kin__registry_new(&registry, NULL), 0);
    return registry;
}

static bool has(kin__registry *registry, const char *group, const char *version,
                const char *resource)
{
    const kin__kind *kind =
        kin__registry_find(registry, kin_str_of(group), kin_str_of(version), kin_str_of(resource));

    if (kind)
        assert_string_equal(kind->resource, resource);
    kin__kind_unref(kind);
    return kind != NULL;
}

static void finds_all_of_the_table(void **state)
{
    kin__registry *registry = new_registry();

    (void)state;
    for (size_t i = 0; kin__builtin_kinds[i]; i++)
        assert_true(has(registry, kin__builtin_kinds[i]->group,
                        kin__builtin_kinds[i]->storage_version, kin__builtin_kinds[i]->resource));
    assert_false(has(registry, "", "v2", "pods"));
    assert_false(has(registry, "", "v1", "pod"));
    assert_false(has(registry, "", "v1", ""));
    assert_false(has(registry, "apps", "v1", "pods"));
    assert_false(has(registry, "none", "v1", "pods"));
    assert_true(kin__registry_has_version(registry, kin_str_of("apps"), kin_str_of("v1")));
    assert_false(kin__registry_has_version(registry, kin_str_of("apps"), kin_str_of("v2")));
    assert_false(kin__registry_has_version(registry, kin_str_of("none"), kin_str_of("v1")));
    kin__registry_free(registry);
}

static void kinds_come_and_go(void **state)
{
    kin__registry *registry = new_registry();
    const kin__kind *widgets = named_kind("example.com", "widgets", "Widget", "wd");
    const kin__snapshot *before = kin__registry_snapshot(registry);

    (void)state;
    assert_code(kin__registry_put(registry, widgets, NULL, NULL), 0);
    const kin__snapshot *after = kin__registry_snapshot(registry);
    assert_true(has(registry, "example.com", "v1", "widgets"));
    assert_true(has(registry, "example.com", "v1beta1", "widgets"));
    assert_code(
        kin__registry_remove(registry, kin_str_of("example.com"), kin_str_of("widgets"), NULL), 0);
    assert_false(has(registry, "example.com", "v1", "widgets"));
    assert_code(
        kin__registry_remove(registry, kin_str_of("example.com"), kin_str_of("widgets"), NULL),
        KIN_ENOTFOUND);
    assert_code(kin__registry_remove(registry, kin_str_of(""), kin_str_of("pods"), NULL),
                KIN_ENOTFOUND);
    kin__registry_free(registry);
    kin__kind_unref(widgets);
    /* Snapshots outlive the registry, and show what was then. */
    assert_null(kin__snapshot_find_group(before, kin_str_of("example.com")));
    const kin__group *group = kin__snapshot_find_group(after, kin_str_of("example.com"));
    assert_non_null(group);
    assert_int_equal(group->n_kinds, 1);
    assert_int_equal(group->n_versions, 2);
    assert_string_equal(group->versions[0], "v1");
    assert_string_equal(group->versions[1], "v1beta1");
    assert_string_equal(group->kinds[0]->kind, "Widget");
    kin__snapshot_unref(before);
    kin__snapshot_unref(after);
}

static void groups_have_an_order(void **state)
{
    kin__registry *registry = new_registry();
    const kin__kind *kinds[] = {named_kind("z.com", "as", "A", "x"),
                                named_kind("a.com", "bs", "B", "x"),
                                named_kind("a.com", "as", "C", "y")};

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        assert_code(kin__registry_put(registry, kinds[i], NULL, NULL), 0);
        kin__kind_unref(kinds[i]);
    }
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);
    size_t n = snapshot->n_groups;
    assert_string_equal(snapshot->groups[0].name, "");
    assert_string_equal(snapshot->groups[1].name,
                        kin__builtin_kinds[snapshot->groups[0].n_kinds]->group);
    assert_string_equal(snapshot->groups[n - 2].name, "a.com");
    assert_string_equal(snapshot->groups[n - 2].kinds[0]->resource, "as");
    assert_string_equal(snapshot->groups[n - 2].kinds[1]->resource, "bs");
    assert_string_equal(snapshot->groups[n - 1].name, "z.com");
    kin__snapshot_unref(snapshot);
    kin__registry_free(registry);
}

static void a_newer_one_takes_the_place(void **state)
{
    kin__registry *registry = new_registry();
    const kin__kind *first = named_kind("example.com", "widgets", "Widget", "wd");
    const kin__kind *second = named_kind("example.com", "widgets", "Gadget", "wd");

    (void)state;
    assert_code(kin__registry_put(registry, first, NULL, NULL), 0);
    assert_code(kin__registry_put(registry, second, NULL, NULL), 0);
    const kin__kind *found = kin__registry_find(registry, kin_str_of("example.com"),
                                                kin_str_of("v1"), kin_str_of("widgets"));
    assert_ptr_equal(found, second);
    kin__kind_unref(found);
    kin__kind_unref(first);
    kin__kind_unref(second);
    kin__registry_free(registry);
}

static void names_are_taken_once(void **state)
{
    static const struct {
        const char *plural;
        const char *kind;
        const char *short_name;
        const char *reason; /* NULL: no conflict */
        const char *message;
    } cases[] = {
        {"gadgets", "Gadget", "gd", NULL, ""},
        {"wd", "Gadget", "gd", "PluralConflict", "\"wd\" is already in use"},
        {"gadgets", "Gadget", "wd", "ShortNamesConflict", "\"wd\" is already in use"},
        {"gadgets", "Gadget", "widget", "ShortNamesConflict", "\"widget\" is already in use"},
        /* Of several the last is told: plural and singular are taken, and so are kind and list. */
        {"gadgets", "Widget", "gd", "ListKindConflict", "\"WidgetList\" is already in use"},
        {"gadgets", "WidgetList", "gd", "KindConflict", "\"WidgetList\" is already in use"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin__registry *registry = new_registry();
        const kin__kind *widgets = named_kind("example.com", "widgets", "Widget", "wd");
        const kin__kind *other =
            named_kind("example.com", cases[i].plural, cases[i].kind, cases[i].short_name);
        kin__name_conflict conflict;

        assert_code(kin__registry_put(registry, widgets, NULL, NULL), 0);
        assert_code(kin__registry_put(registry, other, &conflict, NULL),
                    cases[i].reason ? KIN_EEXISTS : 0);
        if (cases[i].reason)
            assert_string_equal(conflict.reason, cases[i].reason);
        else
            assert_null(conflict.reason);
        assert_string_equal(conflict.message, cases[i].message);
        assert_int_equal(has(registry, "example.com", "v1", cases[i].plural), !cases[i].reason);
        kin__kind_unref(widgets);
        kin__kind_unref(other);
        kin__registry_free(registry);
    }
}

static void other_groups_may_have_the_same_names(void **state)
{
    kin__registry *registry = new_registry();
    const kin__kind *a = named_kind("a.com", "widgets", "Widget", "wd");
    const kin__kind *b = named_kind("b.com", "widgets", "Widget", "wd");
    const kin__kind *pods = named_kind("c.com", "pods", "Pod", "po");

    (void)state;
    assert_code(kin__registry_put(registry, a, NULL, NULL), 0);
    assert_code(kin__registry_put(registry, b, NULL, NULL), 0);
    assert_code(kin__registry_put(registry, pods, NULL, NULL), 0);
    kin__kind_unref(a);
    kin__kind_unref(b);
    kin__kind_unref(pods);
    kin__registry_free(registry);
}

/* --- threads --- */

#define ROUNDS 300

struct worker {
    kin__registry *registry;
    const char *plural;
};

static void *put_and_remove(void *arg)
{
    struct worker *worker = arg;
    const kin__kind *kind =
        named_kind("example.com", worker->plural, worker->plural, worker->plural);

    for (int i = 0; i < ROUNDS; i++) {
        assert_code(kin__registry_put(worker->registry, kind, NULL, NULL), 0);
        assert_true(has(worker->registry, "example.com", "v1", worker->plural));
        assert_code(kin__registry_remove(worker->registry, kin_str_of("example.com"),
                                         kin_str_of(worker->plural), NULL),
                    0);
        assert_false(has(worker->registry, "example.com", "v1", worker->plural));
    }
    kin__kind_unref(kind);
    return NULL;
}

/* Writers lose nothing of each other, and readers see whole snapshots. */
static void threads_do_not_disturb_each_other(void **state)
{
    kin__registry *registry = new_registry();
    struct worker workers[3] = {{registry, "as"}, {registry, "bs"}, {registry, "cs"}};
    pthread_t threads[3];

    (void)state;
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, put_and_remove, &workers[i]), 0);
    for (int i = 0; i < ROUNDS; i++) {
        const kin__snapshot *snapshot = kin__registry_snapshot(registry);
        const kin__group *group = kin__snapshot_find_group(snapshot, kin_str_of("example.com"));

        assert_true(!group || (group->n_kinds >= 1 && group->n_kinds <= 3));
        assert_true(has(registry, "", "v1", "pods"));
        kin__snapshot_unref(snapshot);
    }
    for (size_t i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    kin__registry_free(registry);
}

static int registry_scenario(void *arg, kin_error *err)
{
    kin__registry *registry = NULL;
    int code = kin__registry_new(&registry, err);

    if (code == 0)
        code = kin__registry_put(registry, arg, NULL, err);
    if (code == 0)
        code =
            kin__registry_remove(registry, kin_str_of("example.com"), kin_str_of("widgets"), err);
    kin__registry_free(registry);
    return code;
}

static void survives_want_of_memory(void **state)
{
    const kin__kind *kind = named_kind("example.com", "widgets", "Widget", "wd");

    (void)state;
    kin_test_fail_each_allocation(registry_scenario, (void *)(uintptr_t)kind);
    kin__kind_unref(kind);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_all_of_the_table),
        cmocka_unit_test(kinds_come_and_go),
        cmocka_unit_test(groups_have_an_order),
        cmocka_unit_test(a_newer_one_takes_the_place),
        cmocka_unit_test(names_are_taken_once),
        cmocka_unit_test(other_groups_may_have_the_same_names),
        cmocka_unit_test(threads_do_not_disturb_each_other),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
