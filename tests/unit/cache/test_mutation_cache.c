/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mutation caches: the newer of what a store has and what was written, and what is forgotten when.
 */
#include "kin_test.h"
#include "kinform/mutation_cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "child.h"
#include "item.h"
#include "kinform/json.h"
#include "oom.h"
#include "typed_item.h"

#define TTL_MS 60000

struct world {
    kin_clock *clock;
    kin_store *store;
    kin_mutation_cache *cache;
};

/* A document; the label "tag" is what the index goes by. */
static const kin_object *pod(const char *name, const char *uid, const char *version,
                             const char *tag)
{
    const kin_object *object = NULL;
    char text[512];

    snprintf(text, sizeof(text),
             "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\","
             "\"resourceVersion\":\"%s\",\"labels\":{\"tag\":\"%s\"}}}",
             name, uid, version, tag);
    assert_code(kin_object_from_json(&object, kin_str_of(text), NULL, NULL), 0);
    return object;
}

static int by_tag(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    kin_str tag;

    (void)arg;
    if (!kin_object_label(object, kin_str_of("tag"), &tag))
        return 0;
    if (kin_str_equal(tag, kin_str_of("!")))
        return kin_error_set(err, KIN_ETYPE, "a bad tag");
    return kin_index_values_add(values, tag, err);
}

static void setup_with(struct world *w, kin_mutation_cache_options *options)
{
    kin_index index = KIN_INDEX_INIT("tag", by_tag);

    assert_code(kin_clock_new_fake(&w->clock, 0, NULL), 0);
    assert_code(kin_store_new(&w->store, NULL, NULL), 0);
    assert_code(kin_store_add_index(w->store, &index, NULL), 0);
    options->clock = w->clock;
    assert_code(kin_mutation_cache_new(&w->cache, w->store, options, NULL), 0);
}

static void setup(struct world *w, bool include_adds)
{
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;

    options.ttl_ms = TTL_MS;
    options.include_adds = include_adds;
    setup_with(w, &options);
}

static void teardown(struct world *w)
{
    kin_mutation_cache_free(w->cache);
    kin_store_unref(w->store);
    kin_clock_unref(w->clock);
    assert_int_equal(kin_test_items_live(), 0);
}

/* CONSUMES the object. */
static void store_add(struct world *w, const kin_object *object)
{
    assert_code(kin_store_add(w->store, object, NULL), 0);
    kin_object_unref(object);
}

static void mutate(struct world *w, const kin_object *object)
{
    assert_code(kin_mutation_cache_mutation(w->cache, object, NULL), 0);
    kin_object_unref(object);
}

static void on_update(struct world *w, const kin_object *object)
{
    assert_code(kin_mutation_cache_on_add_or_update(w->cache, object, NULL), 0);
    kin_object_unref(object);
}

static void on_delete(struct world *w, const kin_object *object)
{
    assert_code(kin_mutation_cache_on_delete(w->cache, object, NULL), 0);
    kin_object_unref(object);
}

/* NULL: it is not shown. */
static void assert_shows(struct world *w, const char *key, const char *version)
{
    const kin_object *found = NULL;

    assert_code(kin_mutation_cache_get(w->cache, &found, kin_str_of(key), NULL),
                version ? 0 : KIN_ENOTFOUND);
    if (version)
        assert_true(kin_str_equal(kin_object_resource_version(found), kin_str_of(version)));
    else
        assert_null(found);
    kin_object_unref(found);
}

static int compare_objects(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

/* "name version" of each, by name. */
static void assert_indexed(struct world *w, const char *value, const char *expected)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    char text[256] = "";
    size_t len = 0;

    assert_code(
        kin_mutation_cache_by_index(w->cache, &list, kin_str_of("tag"), kin_str_of(value), NULL),
        0);
    if (list.len)
        qsort(list.items, list.len, sizeof(list.items[0]), compare_objects);
    for (size_t i = 0; i < list.len; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s %" KIN_STR_FMT, i ? ", " : "",
                                kin_object_key(list.items[i]),
                                KIN_STR_ARG(kin_object_resource_version(list.items[i])));
    assert_string_equal(text, expected);
    kin_object_list_done(&list);
}

/* --- the newer one --- */

static void the_newer_state_is_shown(void **state)
{
    struct world w;

    (void)state;
    setup(&w, false);
    store_add(&w, pod("a", "u1", "5", "x"));
    assert_shows(&w, "a", "5");
    mutate(&w, pod("a", "u1", "10", "x")); /* by number: as texts it would be older */
    assert_shows(&w, "a", "10");
    mutate(&w, pod("a", "u1", "9", "x")); /* two writers: the newer stays */
    assert_shows(&w, "a", "10");
    store_add(&w, pod("a", "u1", "10", "x"));
    assert_shows(&w, "a", "10");
    assert_int_equal(kin_mutation_cache_len(w.cache), 0); /* the store has caught up */
    mutate(&w, pod("a", "u1", "12", "x"));
    store_add(&w, pod("a", "u1", "13", "x"));
    assert_shows(&w, "a", "13");
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    assert_code(kin_mutation_cache_get(w.cache, NULL, kin_str_of("a"), NULL), 0);
    teardown(&w);
}

static void what_the_store_has_not_is_shown_only_if_asked_for(void **state)
{
    for (int include_adds = 0; include_adds < 2; include_adds++) {
        struct world w;

        (void)state;
        setup(&w, include_adds);
        assert_shows(&w, "a", NULL);
        mutate(&w, pod("a", "u1", "5", "x"));
        assert_shows(&w, "a", include_adds ? "5" : NULL);
        assert_indexed(&w, "x", include_adds ? "a 5" : "");
        store_add(&w, pod("a", "u1", "4", "x"));
        assert_shows(&w, "a", "5");
        assert_indexed(&w, "x", "a 5");
        teardown(&w);
    }
}

static void objects_without_versions_are_the_stores(void **state)
{
    struct world w;

    (void)state;
    setup(&w, false);
    store_add(&w, pod("a", "u1", "", "x"));
    mutate(&w, pod("a", "u1", "", "y"));
    assert_indexed(&w, "x", "a ");
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    mutate(&w, pod("a", "u1", "1", "x")); /* any is newer than none */
    assert_shows(&w, "a", "1");
    mutate(&w, pod("a", "u1", "", "x"));
    assert_shows(&w, "a", "1");
    teardown(&w);
}

/* --- indexes --- */

static void an_index_shows_the_newer_states(void **state)
{
    struct world w;
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)state;
    setup(&w, true);
    store_add(&w, pod("a", "u1", "1", "x"));
    store_add(&w, pod("b", "u2", "2", "x"));
    store_add(&w, pod("c", "u3", "3", "y"));
    store_add(&w, pod("d", "u4", "9", "y"));
    assert_indexed(&w, "x", "a 1, b 2");
    mutate(&w, pod("a", "u1", "11", "x"));
    mutate(&w, pod("c", "u3", "13", "x")); /* comes to the value */
    mutate(&w, pod("b", "u2", "12", "y")); /* leaves it */
    mutate(&w, pod("d", "u4", "8", "x"));  /* older than what the store has elsewhere */
    mutate(&w, pod("e", "u5", "15", "x")); /* the store has not seen it */
    mutate(&w, pod("f", "u6", "16", "z"));
    assert_indexed(&w, "x", "a 11, b 12, c 13, e 15");
    assert_indexed(&w, "y", "b 12, c 13, d 9");
    assert_indexed(&w, "z", "f 16");
    assert_indexed(&w, "none", "");
    assert_int_equal(kin_mutation_cache_len(w.cache), 5); /* without d's */
    assert_code(
        kin_mutation_cache_by_index(w.cache, &list, kin_str_of("other"), kin_str_of("x"), NULL),
        KIN_ENOTFOUND);
    teardown(&w);
}

static void a_failing_index_function_leaves_the_object_out(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    mutate(&w, pod("a", "u1", "1", "!"));
    mutate(&w, pod("b", "u2", "2", "x"));
    assert_indexed(&w, "x", "b 2");
    assert_shows(&w, "a", "1");
    teardown(&w);
}

static void what_is_known_to_be_deleted_is_not_indexed(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    mutate(&w, pod("a", "u1", "2", "x"));
    assert_indexed(&w, "x", "a 2");
    on_delete(&w, pod("a", "u1", "1", "x"));
    assert_indexed(&w, "x", "");
    assert_shows(&w, "a", NULL);
    /* Nor is what a store that is late still has. */
    store_add(&w, pod("b", "u2", "3", "x"));
    on_delete(&w, pod("b", "u2", "4", "x"));
    assert_indexed(&w, "x", "");
    assert_shows(&w, "b", NULL);
    store_add(&w, pod("b", "u3", "5", "x"));
    mutate(&w, pod("c", "u4", "6", "x"));
    assert_indexed(&w, "x", "b 5, c 6");
    assert_shows(&w, "b", "5");
    teardown(&w);
}

/* --- what handlers say --- */

static void what_the_store_has_got_is_forgotten(void **state)
{
    static const struct {
        const char *version;
        const char *shown;
    } cases[] = {{"2", "1"}, {"3", "1"}, {"1", "2"}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct world w;

        setup(&w, false);
        mutate(&w, pod("a", "u1", "2", "x"));
        on_update(&w, pod("a", "u1", cases[i].version, "x"));
        store_add(&w, pod("a", "u1", "1", "x")); /* older, to tell them apart */
        assert_shows(&w, "a", cases[i].shown);
        teardown(&w);
    }
}

static void what_was_deleted_is_forgotten(void **state)
{
    static const struct {
        const char *uid;
        const char *version;
        const char *shown;
    } cases[] = {{"u1", "1", NULL}, {"u2", "3", NULL}, {"u2", "4", NULL}, {"u2", "1", "3"}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct world w;
        const kin_object *deleted = pod("a", cases[i].uid, cases[i].version, "x");

        setup(&w, true);
        store_add(&w, pod("a", "u1", "2", "x"));
        mutate(&w, pod("a", "u1", "3", "x"));
        assert_code(kin_store_delete(w.store, deleted, NULL), 0);
        on_delete(&w, deleted);
        assert_shows(&w, "a", cases[i].shown);
        teardown(&w);
    }
}

static void a_late_mutation_of_what_was_deleted_is_not_shown(void **state)
{
    struct world w;
    const kin_object *updated = pod("a", "u1", "2", "x");

    (void)state;
    setup(&w, true);
    on_update(&w, pod("a", "u1", "2", "x"));
    on_delete(&w, pod("a", "u1", "2", "x"));
    mutate(&w, kin_object_ref(updated)); /* the very state */
    assert_shows(&w, "a", NULL);
    mutate(&w, pod("a", "u1", "3", "x")); /* another of the same object */
    assert_shows(&w, "a", NULL);
    mutate(&w, pod("a", "u2", "1", "x")); /* an older one */
    assert_shows(&w, "a", NULL);
    assert_int_equal(kin_mutation_cache_len(w.cache), 1);
    mutate(&w, pod("a", "u2", "4", "x")); /* another object under the same name */
    assert_shows(&w, "a", "4");
    kin_object_unref(updated);
    teardown(&w);
}

static void what_was_made_anew_wins(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    store_add(&w, pod("a", "u2", "3", "x"));
    on_update(&w, pod("a", "u1", "2", "x"));
    on_delete(&w, pod("a", "u1", "2", "x"));
    on_update(&w, pod("a", "u2", "3", "x"));
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    mutate(&w, pod("a", "u1", "2", "x"));
    assert_shows(&w, "a", "3");
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    teardown(&w);
}

static void a_tombstone_tells_of_a_deletion(void **state)
{
    struct world w;
    const kin_object *last = pod("a", "u1", "1", "x");
    const kin_object *tombstone = NULL;

    (void)state;
    setup(&w, true);
    mutate(&w, pod("a", "u1", "3", "x"));
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a"), last, NULL), 0);
    on_delete(&w, tombstone);
    assert_shows(&w, "a", NULL);
    kin_object_unref(last);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("b"), NULL, NULL), 0);
    on_delete(&w, kin_object_ref(tombstone));
    assert_code(kin_mutation_cache_mutation(w.cache, tombstone, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_add_or_update(w.cache, tombstone, NULL), KIN_EINVAL);
    mutate(&w, pod("b", "u1", "1", "x")); /* any is newer than one that is not known */
    assert_shows(&w, "b", "1");
    kin_object_unref(tombstone);
    teardown(&w);
}

static void without_a_uid_versions_decide(void **state)
{
    struct world w;
    const kin_object *found = NULL;

    (void)state;
    setup(&w, true);
    mutate(&w, kin_test_item("a", 5, NULL));
    on_delete(&w, kin_test_item("a", 4, NULL)); /* another one, for all that is known */
    assert_code(kin_mutation_cache_get(w.cache, &found, kin_str_of("a"), NULL), 0);
    assert_int_equal(kin_test_item_version(found), 5);
    kin_object_unref(found);
    on_delete(&w, kin_test_item("a", 5, NULL));
    mutate(&w, kin_test_item("a", 5, NULL)); /* the very state that was deleted */
    assert_code(kin_mutation_cache_get(w.cache, NULL, kin_str_of("a"), NULL), KIN_ENOTFOUND);
    mutate(&w, kin_test_item("a", 6, NULL));
    assert_code(kin_mutation_cache_get(w.cache, NULL, kin_str_of("a"), NULL), 0);
    teardown(&w);
}

static const kin_object *typed(const char *uid, const char *version)
{
    return kin_test_typed_item(&(kin_test_typed){.key = "a", .version = version, .uid = uid});
}

/* As with documents: a deletion ends the object with its uid, whatever version it has. */
static void uids_of_other_classes_count(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    mutate(&w, typed("u1", "5"));
    on_delete(&w, typed("u2", "4"));
    assert_shows(&w, "a", "5");
    on_delete(&w, typed("u1", "4"));
    assert_shows(&w, "a", NULL);
    mutate(&w, typed("u1", "6"));
    assert_shows(&w, "a", NULL);
    mutate(&w, typed("u3", "6"));
    assert_shows(&w, "a", "6");
    teardown(&w);
}

/* --- what is forgotten --- */

static void writes_are_forgotten_after_a_time(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    mutate(&w, pod("a", "u1", "1", "x"));
    mutate(&w, pod("b", "u2", "2", "x"));
    assert_code(kin_clock_advance(w.clock, TTL_MS * KIN__MILLISECOND, NULL), 0);
    assert_shows(&w, "a", "1");
    mutate(&w, pod("b", "u2", "2", "x")); /* its time begins anew */
    assert_code(kin_clock_advance(w.clock, 1, NULL), 0);
    assert_indexed(&w, "x", "b 2");
    assert_shows(&w, "a", NULL);
    assert_shows(&w, "b", "2");
    assert_int_equal(kin_mutation_cache_len(w.cache), 1);
    /* So is the knowledge of a deletion. */
    on_delete(&w, pod("b", "u2", "4", "x"));
    assert_code(kin_clock_advance(w.clock, TTL_MS * KIN__MILLISECOND + 1, NULL), 0);
    mutate(&w, pod("b", "u2", "4", "x"));
    assert_shows(&w, "b", "4");
    teardown(&w);
}

static void the_default_is_five_minutes_and_a_hundred(void **state)
{
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    struct world w;

    (void)state;
    options.include_adds = true;
    setup_with(&w, &options);
    for (unsigned i = 0; i < 101; i++) {
        char name[16];

        snprintf(name, sizeof(name), "p%u", i);
        mutate(&w, pod(name, "u", "1", "x"));
    }
    assert_int_equal(kin_mutation_cache_len(w.cache), 100);
    assert_shows(&w, "p0", NULL);
    assert_code(kin_clock_advance(w.clock, 300 * KIN__SECOND, NULL), 0);
    assert_shows(&w, "p1", "1");
    assert_code(kin_clock_advance(w.clock, 1, NULL), 0);
    assert_shows(&w, "p1", NULL);
    teardown(&w);
}

static void what_is_not_used_goes_first(void **state)
{
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    struct world w;

    (void)state;
    options.include_adds = true;
    options.max_entries = 3;
    setup_with(&w, &options);
    mutate(&w, pod("a", "u1", "1", "x"));
    mutate(&w, pod("b", "u2", "2", "x"));
    mutate(&w, pod("c", "u3", "3", "x"));
    assert_indexed(&w, "x", "a 1, b 2, c 3"); /* changes nothing about it */
    assert_shows(&w, "a", "1");
    mutate(&w, pod("d", "u4", "4", "x"));
    assert_int_equal(kin_mutation_cache_len(w.cache), 3);
    assert_shows(&w, "b", NULL);
    mutate(&w, pod("c", "u3", "5", "x"));
    mutate(&w, pod("e", "u5", "5", "x"));
    assert_indexed(&w, "x", "c 5, d 4, e 5");
    teardown(&w);
}

/* --- wrong arguments --- */

static int bad_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    return kin_error_set(err, KIN_ERANGE, "no key");
}

static void a_version_that_is_no_number_is_told(void **state)
{
    static const char *const wrong[] = {"x", "1x", "-1", "0", "01", " 1"};
    struct world w;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    setup(&w, true);
    for (size_t i = 0; i < kin__array_len(wrong); i++) {
        const kin_object *object = pod("a", "u1", wrong[i], "x");

        assert_code(kin_mutation_cache_mutation(w.cache, object, &err), KIN_EINVAL);
        assert_non_null(strstr(err.message, "is no number"));
        assert_code(kin_mutation_cache_on_add_or_update(w.cache, object, NULL), KIN_EINVAL);
        assert_code(kin_mutation_cache_on_delete(w.cache, object, NULL), KIN_EINVAL);
        kin_object_unref(object);
    }
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    /* Of the store it is told only when there is something to compare it with. */
    store_add(&w, pod("a", "u1", "x", "x"));
    assert_shows(&w, "a", "x");
    mutate(&w, pod("a", "u1", "1", "y"));
    assert_code(kin_mutation_cache_get(w.cache, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(
        kin_mutation_cache_by_index(w.cache, &list, kin_str_of("tag"), kin_str_of("x"), NULL),
        KIN_EINVAL);
    assert_code(
        kin_mutation_cache_by_index(w.cache, &list, kin_str_of("tag"), kin_str_of("y"), NULL),
        KIN_EINVAL);
    assert_int_equal(kin_mutation_cache_len(w.cache), 1);
    teardown(&w);
}

static void wrong_arguments_are_told(void **state)
{
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    struct world w;
    kin_mutation_cache *none = NULL;
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *nameless = kin_test_item("", 1, NULL);
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)state;
    setup(&w, true);
    assert_code(kin_mutation_cache_new(NULL, w.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_new(&none, NULL, NULL, NULL), KIN_EINVAL);
    options.ttl_ms = -1;
    assert_code(kin_mutation_cache_new(&none, w.store, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_mutation_cache_new(&none, w.store, &options, NULL), KIN_EINVAL);
    assert_null(none);
    kin_mutation_cache_free(NULL);
    assert_code(kin_mutation_cache_mutation(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_mutation(w.cache, NULL, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_mutation(w.cache, nameless, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_add_or_update(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_add_or_update(w.cache, NULL, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_add_or_update(w.cache, nameless, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_delete(w.cache, NULL, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_on_delete(w.cache, nameless, NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_get(NULL, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_mutation_cache_by_index(NULL, &list, kin_str_of("tag"), kin_str_of("x"), NULL),
                KIN_EINVAL);
    assert_code(
        kin_mutation_cache_by_index(w.cache, NULL, kin_str_of("tag"), kin_str_of("x"), NULL),
        KIN_EINVAL);
    assert_int_equal(kin_mutation_cache_len(NULL), 0);
    assert_int_equal(kin_mutation_cache_len(w.cache), 0);
    kin_object_unref(item);
    kin_object_unref(nameless);
    teardown(&w);
}

static void keys_are_the_stores(void **state)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_store *store = NULL;
    kin_mutation_cache *cache = NULL;
    const kin_object *item;
    char *key = calloc(1, KIN_KEY_BYTES_MAX + 2);

    (void)state;
    assert_non_null(key);
    memset(key, 'k', KIN_KEY_BYTES_MAX + 1);
    item = kin_test_item(key, 1, NULL);
    for (unsigned i = 0; i < 2; i++) {
        int code = i ? KIN_ERANGE : KIN_ELIMIT;

        options.key = i ? bad_key : NULL;
        assert_code(kin_store_new(&store, &options, NULL), 0);
        assert_code(kin_mutation_cache_new(&cache, store, NULL, NULL), 0);
        kin_store_unref(store); /* the cache has a reference */
        assert_code(kin_mutation_cache_mutation(cache, item, NULL), code);
        assert_code(kin_mutation_cache_on_add_or_update(cache, item, NULL), code);
        assert_code(kin_mutation_cache_on_delete(cache, item, NULL), code);
        kin_mutation_cache_free(cache);
    }
    kin_object_unref(item);
    free(key);
}

/* --- the user's code and the lock --- */

static void look_at_cache(void *arg)
{
    kin_mutation_cache_len(arg);
}

static void objects_are_destroyed_without_the_lock(void **state)
{
    struct world w;

    (void)state;
    setup(&w, true);
    mutate(&w, kin_test_item("a", 1, NULL));
    kin_test_items_on_destroy(look_at_cache, w.cache);
    mutate(&w, kin_test_item("a", 2, NULL));
    on_delete(&w, kin_test_item("a", 3, NULL));
    on_update(&w, kin_test_item("a", 4, NULL));
    assert_int_equal(kin_test_items_live(), 0);
    mutate(&w, kin_test_item("a", 5, NULL));
    store_add(&w, kin_test_item("a", 6, NULL));
    assert_code(kin_mutation_cache_get(w.cache, NULL, kin_str_of("a"), NULL), 0);
    assert_int_equal(kin_test_items_live(), 1);
    kin_test_items_on_destroy(NULL, NULL);
    teardown(&w);
}

/* --- memory --- */

static int list_tag(kin_mutation_cache *cache, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_mutation_cache_by_index(cache, &list, kin_str_of("tag"), kin_str_of("x"), err);

    assert_int_equal(list.len, code == 0 ? 2 : 0);
    kin_object_list_done(&list);
    return code;
}

/* "a" is in the store and was written, "b" was written only. */
static int use(struct world *w, const kin_object *const *items, kin_error *err)
{
    int code = kin_mutation_cache_mutation(w->cache, items[0], err);

    assert_int_equal(kin_mutation_cache_len(w->cache), code == 0);
    if (code == 0) {
        code = kin_mutation_cache_mutation(w->cache, items[1], err);
        assert_int_equal(kin_mutation_cache_len(w->cache), code == 0 ? 2 : 1);
    }
    if (code == 0)
        code = kin_mutation_cache_get(w->cache, NULL, kin_str_of("a"), err);
    if (code == 0)
        code = list_tag(w->cache, err);
    if (code == 0) {
        code = kin_mutation_cache_on_delete(w->cache, items[1], err);
        assert_int_equal(kin_mutation_cache_len(w->cache), 2);
    }
    return code;
}

struct memory_scenario {
    kin_store *store;
    const kin_object *items[2];
};

static int scenario(void *arg, kin_error *err)
{
    struct memory_scenario *s = arg;
    kin_mutation_cache_options options = KIN_MUTATION_CACHE_OPTIONS_INIT;
    struct world w = {NULL, s->store, NULL};
    int code;

    options.include_adds = true;
    code = kin_mutation_cache_new(&w.cache, s->store, &options, err);
    if (code == 0)
        code = use(&w, s->items, err);
    kin_mutation_cache_free(w.cache);
    return code;
}

static void a_failed_allocation_leaves_the_cache_as_it_was(void **state)
{
    struct memory_scenario s = {NULL, {pod("a", "u1", "2", "x"), pod("b", "u2", "3", "x")}};
    kin_index index = KIN_INDEX_INIT("tag", by_tag);
    const kin_object *old = pod("a", "u1", "1", "x");

    (void)state;
    assert_code(kin_store_new(&s.store, NULL, NULL), 0);
    assert_code(kin_store_add_index(s.store, &index, NULL), 0);
    assert_code(kin_store_add(s.store, old, NULL), 0);
    kin_test_fail_each_allocation(scenario, &s);
    kin_object_unref(old);
    kin_object_unref(s.items[0]);
    kin_object_unref(s.items[1]);
    kin_store_unref(s.store);
}

/* --- fork --- */

static int in_child(void *arg)
{
    kin_mutation_cache *cache = arg;
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int codes[] = {
        kin_mutation_cache_mutation(cache, item, NULL),
        kin_mutation_cache_on_add_or_update(cache, item, NULL),
        kin_mutation_cache_on_delete(cache, item, NULL),
        kin_mutation_cache_get(cache, NULL, kin_str_of("a"), NULL),
        kin_mutation_cache_by_index(cache, &list, kin_str_of("tag"), kin_str_of("x"), NULL),
    };

    for (size_t i = 0; i < kin__array_len(codes); i++)
        if (codes[i] != KIN_EFORKED)
            return (int)i + 1;
    if (kin_mutation_cache_len(cache) != 0)
        return 100;
    kin_mutation_cache_free(cache);
    return 0;
}

static void a_forked_child_only_frees(void **state)
{
    struct world w;
    kin_test_child child;

    (void)state;
    setup(&w, true);
    mutate(&w, kin_test_item("a", 1, NULL));
    kin_test_run_child(&child, in_child, w.cache);
    assert_int_equal(child.exit_code, 0);
    assert_shows(&w, "a", "1");
    teardown(&w);
}

static void *add_b(void *store)
{
    const kin_object *b = kin_test_item("b", 5, "x");
    int code = kin_store_add(store, b, NULL);

    kin_object_unref(b);
    return code == 0 ? store : NULL;
}

/* In another thread: this one holds the cache's lock. */
static void put_b(void *store)
{
    pthread_t other;
    void *result = NULL;

    assert_int_equal(pthread_create(&other, NULL, add_b, store), 0);
    assert_int_equal(pthread_join(other, &result), 0);
    assert_ptr_equal(result, store);
}

/* It is under the value before and after: nobody may find it gone in between. */
static void what_comes_into_the_store_while_it_is_looked_at_is_shown(void **state)
{
    kin_index index = KIN_INDEX_INIT("item", kin_test_by_tag);
    const kin_object *objects[] = {kin_test_item("a", 1, "x"), kin_test_item("a", 2, "x"),
                                   kin_test_item("b", 5, "x")};
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    struct world w;

    (void)state;
    setup(&w, true);
    assert_code(kin_store_add_index(w.store, &index, NULL), 0);
    assert_code(kin_store_add(w.store, objects[0], NULL), 0);
    assert_code(kin_mutation_cache_mutation(w.cache, objects[1], NULL), 0);
    assert_code(kin_mutation_cache_mutation(w.cache, objects[2], NULL), 0);
    /* The cache asks the store's state of a for its version, behind its look at the index. */
    kin_test_on_item_version(put_b, w.store);
    assert_code(
        kin_mutation_cache_by_index(w.cache, &list, kin_str_of("item"), kin_str_of("x"), NULL), 0);
    assert_int_equal(kin_store_len(w.store), 2);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    for (size_t i = 0; i < kin__array_len(objects); i++)
        kin_object_unref(objects[i]);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newer_state_is_shown),
        cmocka_unit_test(what_the_store_has_not_is_shown_only_if_asked_for),
        cmocka_unit_test(objects_without_versions_are_the_stores),
        cmocka_unit_test(an_index_shows_the_newer_states),
        cmocka_unit_test(a_failing_index_function_leaves_the_object_out),
        cmocka_unit_test(what_is_known_to_be_deleted_is_not_indexed),
        cmocka_unit_test(what_the_store_has_got_is_forgotten),
        cmocka_unit_test(what_was_deleted_is_forgotten),
        cmocka_unit_test(a_late_mutation_of_what_was_deleted_is_not_shown),
        cmocka_unit_test(what_was_made_anew_wins),
        cmocka_unit_test(a_tombstone_tells_of_a_deletion),
        cmocka_unit_test(without_a_uid_versions_decide),
        cmocka_unit_test(uids_of_other_classes_count),
        cmocka_unit_test(writes_are_forgotten_after_a_time),
        cmocka_unit_test(the_default_is_five_minutes_and_a_hundred),
        cmocka_unit_test(what_is_not_used_goes_first),
        cmocka_unit_test(a_version_that_is_no_number_is_told),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(keys_are_the_stores),
        cmocka_unit_test(objects_are_destroyed_without_the_lock),
        cmocka_unit_test(a_failed_allocation_leaves_the_cache_as_it_was),
        cmocka_unit_test(a_forked_child_only_frees),
        cmocka_unit_test(what_comes_into_the_store_while_it_is_looked_at_is_shown),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
