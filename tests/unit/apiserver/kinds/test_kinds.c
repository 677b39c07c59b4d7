/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of kinds is whole and consistent, and is what a real server lists; what can be asked of
 * a kind; the order of versions.
 */
#include "apiserver_support.h"

#include <stdio.h>

#include "apiserver/kinds/names.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/str.h"
#include "kinform/path.h"

static void assert_names(const char *const *names)
{
    for (size_t i = 0; names && names[i]; i++)
        assert_int_equal(kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(names[i]), false).n,
                         0);
}

static void assert_path(const char *path)
{
    kin_path *parsed = NULL;

    if (!path)
        return;
    assert_code(kin_path_parse(&parsed, kin_str_of(path), NULL), 0);
    kin_path_free(parsed);
}

static void assert_version(const kin__kind *kind, const kin__kind_version *version)
{
    assert_true(version->served);
    assert_path(version->scale.replicas);
    assert_path(version->scale.status_replicas);
    assert_path(version->scale.selector);
    for (const kin__selectable_field *f = version->fields; f && f->name; f++) {
        assert_path(f->path ? f->path : f->name);
        assert_path(f->fallback);
    }
    assert_int_equal(kind->field_words == KIN__FIELDS_UNKNOWN, version->fields == NULL);
}

static void the_table_is_consistent(void **state)
{
    (void)state;
    for (size_t i = 0; kin__builtin_kinds[i]; i++) {
        const kin__kind *kind = kin__builtin_kinds[i];
        char collection[200];

        assert_int_equal(
            kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(kind->resource), false).n, 0);
        assert_int_equal(
            kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(kind->singular), false).n, 0);
        assert_names(kind->short_names);
        assert_names(kind->categories);
        assert_true(kin__str_starts_with(kin_str_of(kind->list_kind), kin_str_of(kind->kind)));
        assert_true(kin__kind_serves(kind, kin_str_of(kind->storage_version)));
        for (const kin__kind_version *v = kind->versions; v->name; v++)
            assert_version(kind, v);
        snprintf(collection, sizeof(collection), "%s%s%s", kind->resource,
                 kind->group[0] ? "." : "", kind->group);
        if (kind->conversion == KIN__CONVERSION_NONE)
            assert_string_equal(kind->collection, collection);
        assert_true(kind->verbs != 0);
        assert_false(kind->custom);
    }
}

/* Groups stand together, and resources in their order, each once. */
static void the_table_is_sorted(void **state)
{
    (void)state;
    for (size_t i = 1; kin__builtin_kinds[i]; i++) {
        const kin__kind *kind = kin__builtin_kinds[i];
        const kin__kind *before = kin__builtin_kinds[i - 1];

        if (strcmp(kind->group, before->group) == 0) {
            assert_true(strcmp(kind->resource, before->resource) > 0);
            continue;
        }
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(kin__builtin_kinds[k]->group, kind->group);
    }
}

/* --- what a real server lists --- */

static void append_verbs(kin__buf *out, unsigned verbs)
{
    static const enum kin__verb by_name[] = {
        KIN__VERB_CREATE, KIN__VERB_DELETE, KIN__VERB_DELETE_COLLECTION,
        KIN__VERB_GET,    KIN__VERB_LIST,   KIN__VERB_PATCH,
        KIN__VERB_UPDATE, KIN__VERB_WATCH};
    const char *before = " ";

    for (size_t i = 0; i < kin__array_len(by_name); i++) {
        if (!(verbs & KIN__VERB_BIT(by_name[i])))
            continue;
        kin__buf_appendf(out, "%s%s", before, kin__verb_name(by_name[i]));
        before = ",";
    }
}

static void append_names(kin__buf *out, const char *const *names)
{
    const char *before = " ";

    if (!names)
        kin__buf_append(out, kin_str_of(" -"));
    for (; names && *names; names++) {
        kin__buf_appendf(out, "%s%s", before, *names);
        before = ",";
    }
}

static void append_subresource(kin__buf *out, const kin__kind *kind, const char *version,
                               const kin__subresource *s)
{
    kin__buf_appendf(out, "%s%s%s %s/%s %s/%s/%s", kind->group, kind->group[0] ? "/" : "", version,
                     kind->resource, s->name, s->group[0] ? s->group : kind->group,
                     s->version[0] ? s->version : version, s->kind[0] ? s->kind : kind->kind);
    append_verbs(out, s->verbs);
    kin__buf_append_char(out, '\n');
}

static void append_kind(kin__buf *out, const kin__kind *kind, const kin__kind_version *version)
{
    const kin__subresource *s;

    kin__buf_appendf(out, "%s%s%s %s %s %s %s/%s/%s", kind->group, kind->group[0] ? "/" : "",
                     version->name, kind->resource, kind->singular,
                     kind->namespaced ? "Namespaced" : "Cluster", kind->group, version->name,
                     kind->kind);
    append_verbs(out, kind->verbs);
    append_names(out, kind->short_names);
    append_names(out, kind->categories);
    kin__buf_append_char(out, '\n');
    for (size_t i = 0; (s = kin__kind_subresource_at(kind, version, i)); i++)
        append_subresource(out, kind, version->name, s);
}

/* Line by line: what the file has is what the table has, but for what it says is left out. */
static void the_table_is_what_a_real_server_lists(void **state)
{
    FILE *file = fopen(KIN_SERVED_FILE, "r");
    char line[512];
    kin__buf ours;
    kin_str rest;

    (void)state;
    assert_non_null(file);
    kin__buf_init(&ours, 1 << 20);
    for (size_t i = 0; kin__builtin_kinds[i]; i++)
        for (const kin__kind_version *v = kin__builtin_kinds[i]->versions; v->name; v++)
            append_kind(&ours, kin__builtin_kinds[i], v);
    rest = kin__buf_str(&ours);
    while (fgets(line, sizeof(line), file)) {
        kin_str found = {NULL, 0};

        if (line[0] == '#' || line[0] == '-')
            continue;
        assert_true(kin__str_cut(&rest, '\n', &found));
        line[strcspn(line, "\n")] = '\0';
        assert_text(found, line);
    }
    assert_text(rest, "");
    kin__buf_done(&ours);
    fclose(file);
}

static void events_are_one_collection(void **state)
{
    const kin__kind *core = builtin("", "events");
    const kin__kind *group = builtin("events.k8s.io", "events");

    (void)state;
    assert_string_equal(core->collection, group->collection);
    assert_int_equal(core->conversion, KIN__CONVERSION_NONE);
    assert_int_equal(group->conversion, KIN__CONVERSION_EVENTS);
}

static void subresources_have_an_order(void **state)
{
    static const char *const of_pods[] = {"binding", "ephemeralcontainers", "eviction", "resize",
                                          "status"};
    const kin__kind *pods = builtin("", "pods");
    const kin__kind *deployments = builtin("apps", "deployments");
    const kin__kind *configmaps = builtin("", "configmaps");

    (void)state;
    for (size_t i = 0; i < kin__array_len(of_pods); i++)
        assert_string_equal(kin__kind_subresource_at(pods, pods->versions, i)->name, of_pods[i]);
    assert_null(kin__kind_subresource_at(pods, pods->versions, kin__array_len(of_pods)));
    assert_string_equal(kin__kind_subresource_at(deployments, deployments->versions, 0)->name,
                        "scale");
    assert_string_equal(kin__kind_subresource_at(deployments, deployments->versions, 1)->name,
                        "status");
    assert_null(kin__kind_subresource_at(deployments, deployments->versions, 2));
    assert_null(kin__kind_subresource_at(configmaps, configmaps->versions, 0));
    assert_non_null(kin__kind_find_subresource(pods, pods->versions, kin_str_of("resize")));
    assert_null(kin__kind_find_subresource(pods, pods->versions, kin_str_of("scale")));
}

static void orders_versions(void **state)
{
    static const char *const order[] = {"v10",
                                        "v2",
                                        "v1",
                                        "v11beta2",
                                        "v10beta3",
                                        "v3beta1",
                                        "v12alpha1",
                                        "v11alpha2",
                                        "foo1",
                                        "foo10",
                                        "v1beta",
                                        "v1x",
                                        "v99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(order); i++)
        for (size_t k = 0; k < kin__array_len(order); k++) {
            int found = kin__version_compare(kin_str_of(order[i]), kin_str_of(order[k]));

            if ((found < 0) != (i < k) || (found == 0) != (i == k))
                fail_msg("%s and %s: %d", order[i], order[k], found);
        }
}

static void verbs_have_names(void **state)
{
    (void)state;
    assert_string_equal(kin__verb_name(KIN__VERB_GET), "get");
    assert_string_equal(kin__verb_name(KIN__VERB_DELETE_COLLECTION), "deletecollection");
    assert_string_equal(kin__verb_name(KIN__VERB_OTHER), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_is_consistent),
        cmocka_unit_test(the_table_is_sorted),
        cmocka_unit_test(the_table_is_what_a_real_server_lists),
        cmocka_unit_test(events_are_one_collection),
        cmocka_unit_test(subresources_have_an_order),
        cmocka_unit_test(orders_versions),
        cmocka_unit_test(verbs_have_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
