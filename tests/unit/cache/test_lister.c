/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Listers: by selector, by namespace with and without an index, by name.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "child.h"
#include "kinform/lister.h"
#include "oom.h"

/* --- objects that tell when they are asked --- */

struct thing {
    kin_object base;
    const char *key;
    const char *app; /* the label "app"; NULL: none */
};

static unsigned labels_asked;

static kin_str thing_key(const kin_object *object)
{
    return kin_str_of(((const struct thing *)object)->key);
}

static bool thing_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    const struct thing *thing = (const struct thing *)object;

    labels_asked++;
    if (!thing->app || !kin_str_equal(key, kin_str_of("app")))
        return false;
    *ret_value = kin_str_of(thing->app);
    return true;
}

static void thing_destroy(kin_object *object)
{
    free(object);
}

static const kin_object_class thing_class = {
    .size = sizeof(kin_object_class),
    .name = "thing",
    .key = thing_key,
    .label = thing_label,
    .destroy = thing_destroy,
};

static void put(kin_store *store, const char *key, const char *app)
{
    struct thing *thing = calloc(1, sizeof(*thing));

    assert_non_null(thing);
    thing->key = key;
    thing->app = app;
    assert_code(kin_object_init(&thing->base, &thing_class, NULL), 0);
    assert_code(kin_store_add(store, &thing->base, NULL), 0);
    kin_object_unref(&thing->base);
}

static void fill(kin_store *store)
{
    put(store, "n/web-0", "web");
    put(store, "n/web-1", "web");
    put(store, "n/db", "db");
    put(store, "n/bare", NULL);
    put(store, "m/web-0", "web");
    put(store, "m/db", "db");
    put(store, "cluster", "web");
}

/* --- stores --- */

struct sink {
    unsigned records;
    char text[256];
};

static void keep_text(const kin_log_record *record, void *arg)
{
    struct sink *sink = arg;

    sink->records++;
    kin_log_format(record, sink->text, sizeof(sink->text));
}

static kin_store *new_store(struct sink *sink, bool with_index)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_store *store = NULL;

    options.name = "things";
    if (sink) {
        memset(sink, 0, sizeof(*sink));
        assert_code(kin_logger_new(&options.logger, KIN_LOG_WARN, keep_text, sink, NULL, NULL), 0);
    }
    assert_code(kin_store_new(&store, &options, NULL), 0);
    kin_logger_unref(options.logger);
    if (with_index)
        assert_code(kin_store_add_index(store, &index, NULL), 0);
    fill(store);
    return store;
}

static const kin_label_selector *parse(const char *text)
{
    const kin_label_selector *selector = NULL;

    assert_code(kin_label_selector_parse(&selector, kin_str_of(text), NULL), 0);
    return selector;
}

/* --- what is found, as sorted keys --- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

struct found {
    const char *keys[16];
    size_t n;
    int result; /* of the visitor */
};

static int note(kin_str key, const kin_object *object, void *arg)
{
    struct found *found = arg;

    assert_true(kin_str_equal(key, kin_str_of(kin_object_key(object))));
    assert_true(found->n < 16);
    found->keys[found->n++] = kin_object_key(object);
    return found->result;
}

static void assert_found(struct found *found, const char *expected)
{
    char text[512] = "";
    size_t len = 0;

    qsort(found->keys, found->n, sizeof(found->keys[0]), by_text);
    for (size_t i = 0; i < found->n && len < sizeof(text); i++)
        len +=
            (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "", found->keys[i]);
    assert_string_equal(text, expected);
}

/* Listed, visited, and through a lister: always the same. */
static void expect(kin_store *store, const char *namespace_, const kin_label_selector *selector,
                   const char *expected)
{
    kin_str ns = kin_str_of(namespace_);
    kin_error err = KIN_ERROR_INIT;
    kin_lister *lister = NULL;

    assert_code(kin_lister_new(&lister, store, "things", NULL), 0);
    for (int how = 0; how < 2; how++) {
        kin_object_list list = KIN_OBJECT_LIST_INIT;
        struct found listed = {.n = 0};
        struct found visited = {.n = 0};

        assert_code(how ? kin_lister_list(lister, &list, ns, selector, &err)
                        : kin_list_all_by_namespace(store, &list, ns, selector, &err),
                    0);
        for (size_t i = 0; i < list.len; i++)
            note(kin_str_of(kin_object_key(list.items[i])), list.items[i], &listed);
        assert_found(&listed, expected);
        kin_object_list_done(&list);
        assert_code(how ? kin_lister_each(lister, ns, selector, note, &visited, &err)
                        : kin_visit_all_by_namespace(store, ns, selector, note, &visited, &err),
                    0);
        assert_found(&visited, expected);
    }
    /* Nothing was wrong, not even for a moment. */
    assert_int_equal(err.code, 0);
    kin_lister_free(lister);
}

/* client-go's TestListAll: some, all, none. */
static void objects_are_listed_by_selector(void **state)
{
    kin_store *store = new_store(NULL, false);
    const kin_label_selector *web = parse("app=web");
    const kin_label_selector *other = parse("app=other");
    const kin_label_selector *without = parse("!app");
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct found found = {.n = 0};

    (void)state;
    expect(store, "", web, "cluster m/web-0 n/web-0 n/web-1");
    expect(store, "", other, "");
    expect(store, "", without, "n/bare");
    expect(store, "", NULL, "cluster m/db m/web-0 n/bare n/db n/web-0 n/web-1");
    expect(store, "", kin_label_selector_everything(),
           "cluster m/db m/web-0 n/bare n/db n/web-0 n/web-1");
    expect(store, "", kin_label_selector_nothing(), "");
    assert_code(kin_list_all(store, &list, web, NULL), 0);
    assert_int_equal(list.len, 4);
    kin_object_list_done(&list);
    assert_code(kin_visit_all(store, without, note, &found, NULL), 0);
    assert_found(&found, "n/bare");
    kin_label_selector_unref(web);
    kin_label_selector_unref(other);
    kin_label_selector_unref(without);
    kin_store_unref(store);
}

static void objects_are_listed_by_namespace(void **state)
{
    const kin_label_selector *web = parse("app=web");

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        kin_store *store = new_store(NULL, with_index);

        expect(store, "n", NULL, "n/bare n/db n/web-0 n/web-1");
        expect(store, "n", web, "n/web-0 n/web-1");
        expect(store, "m", web, "m/web-0");
        expect(store, "none", web, "");
        expect(store, "none", NULL, "");
        expect(store, "n", kin_label_selector_nothing(), "");
        kin_store_unref(store);
    }
    kin_label_selector_unref(web);
}

/* Labels are asked for only if there is a requirement. */
static void no_label_is_looked_at_in_vain(void **state)
{
    const kin_label_selector *web = parse("app=web");

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        kin_store *store = new_store(NULL, with_index);

        labels_asked = 0;
        expect(store, "n", kin_label_selector_everything(), "n/bare n/db n/web-0 n/web-1");
        expect(store, "", NULL, "cluster m/db m/web-0 n/bare n/db n/web-0 n/web-1");
        expect(store, "n", kin_label_selector_nothing(), "");
        assert_int_equal(labels_asked, 0);
        /* Four ways, and only those of the namespace. */
        expect(store, "m", web, "m/web-0");
        assert_int_equal(labels_asked, 4 * 2);
        kin_store_unref(store);
    }
    kin_label_selector_unref(web);
}

static void a_missing_index_is_told_once_per_store(void **state)
{
    struct sink sinks[2];
    kin_index index = KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index);
    kin_store *store;

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        store = new_store(&sinks[i], false);
        expect(store, "", NULL, "cluster m/db m/web-0 n/bare n/db n/web-0 n/web-1");
        expect(store, "n", kin_label_selector_nothing(), "");
        assert_int_equal(sinks[i].records, 0);
        expect(store, "m", NULL, "m/db m/web-0");
        expect(store, "m", NULL, "m/db m/web-0");
        assert_int_equal(sinks[i].records, 1);
        assert_non_null(strstr(sinks[i].text, "no index of namespaces"));
        assert_non_null(strstr(sinks[i].text, "store=things"));
        kin_store_unref(store);
    }
    store = new_store(&sinks[0], true);
    expect(store, "m", NULL, "m/db m/web-0");
    assert_int_equal(sinks[0].records, 0);
    kin_store_unref(store);
    /* It may come later, and is used from then on. */
    store = new_store(&sinks[0], false);
    assert_code(kin_store_add_index(store, &index, NULL), 0);
    expect(store, "m", NULL, "m/db m/web-0");
    assert_int_equal(sinks[0].records, 0);
    kin_store_unref(store);
}

/* --- visitors --- */

struct changer {
    kin_store *store;
    struct found found;
};

static int change(kin_str key, const kin_object *object, void *arg)
{
    struct changer *changer = arg;

    put(changer->store, "n/more", "web");
    put(changer->store, "n/web-0", "db");
    put(changer->store, "n/web-1", NULL);
    assert_code(kin_store_delete_key(changer->store, kin_str_of("n/db"), NULL), 0);
    return note(key, object, &changer->found);
}

static void a_visit_sees_one_version(void **state)
{
    const kin_label_selector *labelled = parse("app");

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        struct changer changer = {new_store(NULL, with_index), {.n = 0}};

        assert_code(kin_visit_all_by_namespace(changer.store, kin_str_of("n"), labelled, change,
                                               &changer, NULL),
                    0);
        assert_int_equal(changer.found.n, 3);
        kin_store_unref(changer.store);
    }
    kin_label_selector_unref(labelled);
}

/* Whatever a visitor returns comes back; it is not taken for the index that is missing. */
static void a_visitor_can_end_the_visit(void **state)
{
    static const int results[] = {1, 4711, KIN_ENOTFOUND, KIN_ENOMEM, KIN_EINVAL};

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        kin_store *store = new_store(NULL, with_index);

        for (size_t i = 0; i < sizeof(results) / sizeof(results[0]); i++) {
            struct found found = {.result = results[i]};

            assert_int_equal(
                kin_visit_all_by_namespace(store, kin_str_of("n"), NULL, note, &found, NULL),
                results[i]);
            assert_int_equal(found.n, 1);
            assert_int_equal(kin_visit_all(store, NULL, note, &found, NULL), results[i]);
            assert_int_equal(found.n, 2);
        }
        kin_store_unref(store);
    }
}

/* --- by name --- */

static void expect_get(kin_lister *lister, const char *namespace_, const char *name)
{
    const kin_object *object = NULL;
    kin_str found;

    assert_code(kin_lister_get(lister, &object, kin_str_of(namespace_), kin_str_of(name), NULL), 0);
    found = kin_object_name(object);
    assert_true(kin_str_equal(found, kin_str_of(name)));
    assert_true(kin_str_equal(kin_object_namespace(object), kin_str_of(namespace_)));
    kin_object_unref(object);
    assert_code(kin_lister_get(lister, NULL, kin_str_of(namespace_), kin_str_of(name), NULL), 0);
}

static void expect_none(kin_lister *lister, const char *namespace_, const char *name,
                        const char *message)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_lister_get(lister, &object, kin_str_of(namespace_), kin_str_of(name), &err),
                KIN_ENOTFOUND);
    assert_null(object);
    assert_int_equal(err.code, KIN_ENOTFOUND);
    assert_int_equal(err.http_status, 404);
    assert_string_equal(err.reason, "NotFound");
    assert_string_equal(err.message, message);
}

static void objects_are_found_by_name(void **state)
{
    kin_store *store = new_store(NULL, true);
    kin_lister *lister = NULL;
    kin_lister *grouped = NULL;
    kin_error unset;

    (void)state;
    assert_code(kin_lister_new(&lister, store, "things", NULL), 0);
    assert_code(kin_lister_new(&grouped, store, "things.example.com", NULL), 0);
    kin_store_unref(store);
    expect_get(lister, "n", "web-0");
    expect_get(lister, "m", "web-0");
    expect_get(lister, "", "cluster");
    expect_none(lister, "n", "cluster", "things \"cluster\" not found");
    expect_none(lister, "", "web-0", "things \"web-0\" not found");
    expect_none(lister, "x", "web-0", "things \"web-0\" not found");
    expect_none(lister, "", "", "things \"\" not found");
    expect_none(grouped, "n", "no", "things.example.com \"no\" not found");
    assert_code(kin_lister_get(lister, NULL, kin_str_of("n"), kin_str_of("no"), NULL),
                KIN_ENOTFOUND);
    /* An error whose size was never set is left alone. */
    memset(&unset, 0, sizeof(unset));
    assert_code(kin_lister_get(lister, NULL, kin_str_of("n"), kin_str_of("no"), &unset),
                KIN_ENOTFOUND);
    assert_int_equal(unset.http_status, 0);
    assert_string_equal(unset.reason, "");
    kin_lister_free(lister);
    kin_lister_free(grouped);
}

static void objects_are_found_by_an_index(void **state)
{
    kin_store *store = new_store(NULL, true);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_lister *lister = NULL;

    (void)state;
    assert_code(kin_lister_new(&lister, store, "things", NULL), 0);
    assert_ptr_equal(kin_lister_store(lister), store);
    assert_null(kin_lister_store(NULL));
    kin_store_unref(store);
    assert_code(
        kin_lister_by_index(lister, &list, kin_str_of(KIN_NAMESPACE_INDEX), kin_str_of("m"), NULL),
        0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    assert_code(kin_lister_by_index(lister, &list, kin_str_of("no"), kin_str_of("m"), NULL),
                KIN_ENOTFOUND);
    assert_code(kin_lister_by_index(NULL, &list, kin_str_of("no"), kin_str_of("m"), NULL),
                KIN_EINVAL);
    kin_lister_free(lister);
}

static void names_may_be_of_any_length(void **state)
{
    static const size_t lengths[] = {300, 317, 318, 319, 320, 321, 5000, KIN_KEY_BYTES_MAX - 2};
    kin_store *store = new_store(NULL, false);
    kin_lister *lister = NULL;
    char *key = malloc(KIN_KEY_BYTES_MAX + 1);

    (void)state;
    assert_non_null(key);
    assert_code(kin_lister_new(&lister, store, "things", NULL), 0);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        memset(key, 'k', KIN_KEY_BYTES_MAX);
        memcpy(key, "n/", 2);
        key[2 + lengths[i]] = '\0';
        assert_code(kin_lister_get(lister, NULL, kin_str_of("n"), kin_str_of(key + 2), NULL),
                    KIN_ENOTFOUND);
        put(store, key, NULL);
        expect_get(lister, "n", key + 2);
        assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
    }
    /* Longer than any key: not there. */
    memset(key, 'k', KIN_KEY_BYTES_MAX);
    key[KIN_KEY_BYTES_MAX] = '\0';
    assert_code(kin_lister_get(lister, NULL, kin_str_of("n"), kin_str_of(key), NULL),
                KIN_ENOTFOUND);
    free(key);
    kin_lister_free(lister);
    kin_store_unref(store);
}

/* --- what is refused --- */

static void listers_refuse_what_is_wrong(void **state)
{
    kin_store *store = new_store(NULL, true);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct found found = {.n = 0};
    kin_lister *lister = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str ns = kin_str_of("n");

    (void)state;
    assert_code(kin_list_all(NULL, &list, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "store is NULL");
    assert_code(kin_list_all(store, NULL, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "ret is NULL");
    assert_code(kin_list_all(NULL, &list, kin_label_selector_nothing(), NULL), KIN_EINVAL);
    assert_code(kin_list_all(store, NULL, kin_label_selector_nothing(), NULL), KIN_EINVAL);
    assert_code(kin_list_all_by_namespace(NULL, &list, ns, NULL, NULL), KIN_EINVAL);
    assert_code(kin_list_all_by_namespace(store, NULL, ns, NULL, NULL), KIN_EINVAL);
    assert_code(kin_visit_all(NULL, NULL, note, &found, NULL), KIN_EINVAL);
    assert_code(kin_visit_all(store, NULL, NULL, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "visit is NULL");
    assert_code(
        kin_visit_all_by_namespace(store, ns, kin_label_selector_nothing(), NULL, NULL, NULL),
        KIN_EINVAL);
    assert_code(kin_lister_new(NULL, store, "things", NULL), KIN_EINVAL);
    assert_code(kin_lister_new(&lister, NULL, "things", NULL), KIN_EINVAL);
    assert_code(kin_lister_new(&lister, store, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "resource is NULL");
    assert_null(lister);
    kin_lister_free(NULL);
    assert_code(kin_lister_list(NULL, &list, ns, NULL, &err), KIN_EINVAL);
    assert_string_equal(err.message, "lister is NULL");
    assert_code(kin_lister_each(NULL, ns, NULL, note, &found, NULL), KIN_EINVAL);
    assert_code(kin_lister_get(NULL, NULL, ns, ns, NULL), KIN_EINVAL);
    assert_null(list.items);
    kin_store_unref(store);
}

static int in_child(void *arg)
{
    kin_lister *lister = arg;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct found found = {.n = 0};
    kin_error err = KIN_ERROR_INIT;
    kin_str ns = kin_str_of("n");
    int wrong = 0;

    wrong += kin_lister_list(lister, &list, ns, NULL, NULL) != KIN_EFORKED;
    wrong += kin_lister_list(lister, &list, ns, kin_label_selector_nothing(), NULL) != KIN_EFORKED;
    wrong += kin_lister_each(lister, ns, NULL, note, &found, NULL) != KIN_EFORKED;
    wrong += kin_lister_get(lister, NULL, ns, kin_str_of("db"), &err) != KIN_EFORKED;
    wrong += err.http_status != 0 || err.code != KIN_EFORKED;
    kin_lister_free(lister);
    return wrong;
}

static void a_child_can_only_free(void **state)
{
    kin_store *store = new_store(NULL, true);
    kin_lister *lister = NULL;
    kin_test_child child;

    (void)state;
    assert_code(kin_lister_new(&lister, store, "things", NULL), 0);
    kin_test_run_child(&child, in_child, lister);
    assert_int_equal(child.exit_code, 0);
    kin_lister_free(lister);
    kin_store_unref(store);
}

/* --- without memory --- */

struct scene {
    kin_store *store;
    const kin_label_selector *selector;
    const char *namespace_;
};

static int scenario(void *arg, kin_error *err)
{
    const struct scene *scene = arg;
    kin_str ns = kin_str_of(scene->namespace_);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_lister *lister = NULL;
    char name[400];
    int code = kin_lister_new(&lister, scene->store, "things", err);

    memset(name, 'x', sizeof(name));
    name[sizeof(name) - 1] = '\0';
    if (code == 0)
        code = kin_lister_list(lister, &list, ns, scene->selector, err);
    if (code < 0)
        assert_null(list.items);
    if (code == 0) {
        code = kin_lister_get(lister, NULL, ns, kin_str_of(name), err);
        code = code == KIN_ENOTFOUND ? 0 : code;
    }
    kin_object_list_done(&list);
    kin_lister_free(lister);
    return code;
}

static void without_memory_it_says_so(void **state)
{
    const kin_label_selector *web = parse("app=web");

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        kin_store *store = new_store(NULL, with_index);
        const struct scene scenes[] = {
            {store, NULL, ""}, {store, web, ""}, {store, NULL, "n"}, {store, web, "n"}};

        for (size_t i = 0; i < sizeof(scenes) / sizeof(scenes[0]); i++) {
            struct scene scene = scenes[i];

            kin_test_fail_each_allocation(scenario, &scene);
        }
        kin_store_unref(store);
    }
    kin_label_selector_unref(web);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_listed_by_selector),
        cmocka_unit_test(objects_are_listed_by_namespace),
        cmocka_unit_test(no_label_is_looked_at_in_vain),
        cmocka_unit_test(a_missing_index_is_told_once_per_store),
        cmocka_unit_test(a_visit_sees_one_version),
        cmocka_unit_test(a_visitor_can_end_the_visit),
        cmocka_unit_test(objects_are_found_by_name),
        cmocka_unit_test(objects_are_found_by_an_index),
        cmocka_unit_test(names_may_be_of_any_length),
        cmocka_unit_test(listers_refuse_what_is_wrong),
        cmocka_unit_test(a_child_can_only_free),
        cmocka_unit_test(without_memory_it_says_so),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
