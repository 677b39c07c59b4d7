/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores whose objects expire, by age on a fake clock and by a function of the test's.
 */
#include "kin_test.h"
#include "kinform/expiring_store.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "child.h"
#include "item.h"
#include "oom.h"

#define TTL_MS 1000

/* --- a store by age, and a clock to move --- */

struct world {
    kin_clock *clock;
    kin_expiring_store *store;
};

static void setup(struct world *w, int64_t ttl_ms)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;

    assert_code(kin_clock_new_fake(&w->clock, 0, NULL), 0);
    options.clock = w->clock;
    options.ttl_ms = ttl_ms;
    assert_code(kin_expiring_store_new(&w->store, &options, NULL), 0);
}

static void teardown(struct world *w)
{
    kin_expiring_store_unref(w->store);
    kin_clock_unref(w->clock);
    assert_int_equal(kin_test_items_live(), 0);
}

static void advance_ms(struct world *w, int64_t ms)
{
    assert_code(kin_clock_advance(w->clock, ms * KIN__MILLISECOND, NULL), 0);
}

static void add(kin_expiring_store *store, const char *key, unsigned version)
{
    const kin_object *item = kin_test_item(key, version, NULL);

    assert_code(kin_expiring_store_add(store, item, NULL), 0);
    kin_object_unref(item);
}

/* Version 0: it is not to be there. */
static void assert_has(kin_expiring_store *store, const char *key, unsigned version)
{
    const kin_object *found = NULL;

    assert_code(kin_expiring_store_get(store, &found, kin_str_of(key), NULL),
                version ? 0 : KIN_ENOTFOUND);
    assert_int_equal(found ? kin_test_item_version(found) : 0, version);
    kin_object_unref(found);
}

static void assert_version(kin_expiring_store *store, const char *version)
{
    char buf[32];

    assert_int_equal(kin_expiring_store_resource_version(store, buf, sizeof(buf)), strlen(version));
    assert_string_equal(buf, version);
}

/* --- by age --- */

static void an_object_expires_when_it_is_older_than_its_time(void **state)
{
    struct world w;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    assert_has(w.store, "a", 1);
    advance_ms(&w, TTL_MS); /* exactly its time */
    assert_has(w.store, "a", 1);
    assert_code(kin_clock_advance(w.clock, 1, NULL), 0);
    assert_int_equal(kin_expiring_store_len(w.store), 1); /* nobody asked */
    assert_has(w.store, "a", 0);
    assert_int_equal(kin_expiring_store_len(w.store), 0);
    assert_int_equal(kin_test_items_live(), 0);
    teardown(&w);
}

static void without_a_time_nothing_expires(void **state)
{
    static const int64_t ttls[] = {0, -1, INT64_MIN, INT64_MAX};

    (void)state;
    for (size_t i = 0; i < kin__array_len(ttls); i++) {
        struct world w;
        size_t removed = 99;

        setup(&w, ttls[i]);
        add(w.store, "a", 1);
        advance_ms(&w, INT64_C(1000) * 60 * 60 * 24 * 365 * 100);
        assert_code(kin_expiring_store_purge(w.store, &removed, NULL), 0);
        assert_int_equal(removed, 0);
        assert_has(w.store, "a", 1);
        teardown(&w);
    }
}

static void a_write_begins_the_time_anew(void **state)
{
    struct world w;
    const kin_object *again = kin_test_item("b", 3, NULL);

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    add(w.store, "b", 2);
    advance_ms(&w, TTL_MS);
    assert_code(kin_expiring_store_update(w.store, again, NULL), 0);
    advance_ms(&w, 1);
    assert_has(w.store, "b", 3);
    assert_has(w.store, "a", 0);
    advance_ms(&w, TTL_MS);
    assert_has(w.store, "b", 0);
    /* What has expired can come again. */
    assert_code(kin_expiring_store_add(w.store, again, NULL), 0);
    assert_has(w.store, "b", 3);
    kin_object_unref(again);
    teardown(&w);
}

static void lists_take_out_what_has_expired(void **state)
{
    struct world w;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    add(w.store, "b", 2);
    advance_ms(&w, 1);
    add(w.store, "c", 4);
    add(w.store, "a", 8);
    advance_ms(&w, TTL_MS);
    assert_code(kin_expiring_store_list_keys(w.store, &keys, NULL), 0);
    assert_int_equal(keys.len, 3); /* with what has expired */
    kin_string_list_done(&keys);
    assert_code(kin_expiring_store_list(w.store, &objects, NULL), 0);
    assert_int_equal(objects.len, 2);
    assert_int_equal(
        kin_test_item_version(objects.items[0]) | kin_test_item_version(objects.items[1]), 12);
    assert_int_equal(kin_expiring_store_len(w.store), 2);
    kin_object_list_done(&objects);
    advance_ms(&w, 1);
    assert_code(kin_expiring_store_list(w.store, &objects, NULL), 0);
    assert_int_equal(objects.len, 0);
    assert_code(kin_expiring_store_list_keys(w.store, &keys, NULL), 0);
    assert_int_equal(keys.len, 0);
    teardown(&w);
}

static void purging_frees_what_nobody_asks_for(void **state)
{
    struct world w;
    size_t removed = 99;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    add(w.store, "b", 2);
    advance_ms(&w, 1);
    add(w.store, "c", 3);
    assert_code(kin_expiring_store_purge(w.store, &removed, NULL), 0);
    assert_int_equal(removed, 0);
    advance_ms(&w, TTL_MS);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_expiring_store_purge(w.store, &removed, NULL), 0);
    kin_test_alloc_disarm();
    assert_int_equal(removed, 2);
    assert_int_equal(kin_test_items_live(), 1);
    advance_ms(&w, 1);
    assert_code(kin_expiring_store_purge(w.store, NULL, NULL), 0);
    assert_int_equal(kin_test_items_live(), 0);
    teardown(&w);
}

/* --- as a store --- */

static void it_is_a_store(void **state)
{
    struct world w;
    const kin_object *other_state = kin_test_item("a", 99, NULL);
    const kin_object *found = NULL;
    const kin_object *name = NULL;

    (void)state;
    setup(&w, TTL_MS);
    assert_version(w.store, "");
    add(w.store, "a", 1);
    add(w.store, "b", 2);
    add(w.store, "a", 3);
    assert_int_equal(kin_expiring_store_len(w.store), 2);
    assert_version(w.store, "3");
    assert_code(kin_expiring_store_get_object(w.store, &found, other_state, NULL), 0);
    assert_int_equal(kin_test_item_version(found), 3);
    kin_object_unref(found);
    assert_code(kin_expiring_store_get(w.store, NULL, kin_str_of("b"), NULL), 0);
    assert_has(w.store, "z", 0);
    assert_code(kin_expiring_store_resync(w.store, NULL), 0);
    /* By key alone, and what is not there: no error. */
    assert_code(kin_tombstone_new(&name, kin_str_of("b"), other_state, NULL), 0);
    assert_code(kin_expiring_store_delete(w.store, name, NULL), 0);
    assert_version(w.store, "3"); /* a tombstone brings no version */
    assert_code(kin_expiring_store_delete(w.store, name, NULL), 0);
    assert_has(w.store, "b", 0);
    assert_code(kin_expiring_store_delete(w.store, other_state, NULL), 0);
    assert_version(w.store, "99");
    assert_int_equal(kin_expiring_store_len(w.store), 0);
    assert_code(kin_expiring_store_bookmark(w.store, kin_str_of("100"), NULL), 0);
    assert_version(w.store, "100");
    kin_object_unref(name);
    kin_object_unref(other_state);
    teardown(&w);
}

static void the_resource_version_is_cut_to_the_room(void **state)
{
    struct world w;
    char buf[4] = "xyz";

    (void)state;
    setup(&w, 0);
    assert_code(kin_expiring_store_bookmark(w.store, kin_str_of("12345"), NULL), 0);
    assert_int_equal(kin_expiring_store_resource_version(w.store, NULL, 0), 5);
    assert_int_equal(kin_expiring_store_resource_version(w.store, buf, sizeof(buf)), 5);
    assert_string_equal(buf, "123");
    assert_int_equal(kin_expiring_store_resource_version(NULL, buf, sizeof(buf)), 0);
    assert_string_equal(buf, "");
    teardown(&w);
}

static void everything_is_replaced_at_once(void **state)
{
    struct world w;
    const kin_object *items[] = {kin_test_item("b", 12, NULL), kin_test_item("c", 13, NULL),
                                 kin_test_item("b", 14, NULL)};
    kin_replace *replace = NULL;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    add(w.store, "b", 2);
    assert_code(kin_expiring_store_replace_begin(w.store, &replace, NULL), 0);
    for (unsigned i = 0; i < kin__array_len(items); i++)
        assert_code(kin_replace_add(replace, items[i], NULL), 0);
    assert_has(w.store, "b", 2);
    assert_has(w.store, "c", 0);
    advance_ms(&w, TTL_MS);
    assert_code(kin_replace_commit(replace, kin_str_of("77"), NULL), 0);
    assert_version(w.store, "77");
    advance_ms(&w, TTL_MS); /* their time began with the commit */
    assert_has(w.store, "a", 0);
    assert_has(w.store, "b", 14);
    assert_has(w.store, "c", 13);
    assert_code(kin_expiring_store_replace(w.store, items, 1, kin_str_of("78"), NULL), 0);
    assert_int_equal(kin_expiring_store_len(w.store), 1);
    assert_has(w.store, "b", 12);
    assert_code(kin_expiring_store_replace(w.store, NULL, 0, kin_str_make(NULL, 0), NULL), 0);
    assert_int_equal(kin_expiring_store_len(w.store), 0);
    assert_version(w.store, "78");
    for (unsigned i = 0; i < kin__array_len(items); i++)
        kin_object_unref(items[i]);
    teardown(&w);
}

static void an_aborted_replacement_changes_nothing(void **state)
{
    struct world w;
    const kin_object *items[] = {kin_test_item("b", 12, NULL), kin_test_item("", 13, NULL)};
    kin_replace *replace = NULL;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    assert_code(kin_expiring_store_replace_begin(w.store, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, items[0], NULL), 0);
    assert_code(kin_replace_add(replace, items[1], NULL), KIN_EINVAL);
    kin_replace_abort(replace);
    assert_code(kin_expiring_store_replace(w.store, items, 2, kin_str_of("9"), NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_replace(w.store, NULL, 1, kin_str_of("9"), NULL), KIN_EINVAL);
    assert_int_equal(kin_expiring_store_len(w.store), 1);
    assert_has(w.store, "a", 1);
    assert_version(w.store, "1");
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    teardown(&w);
}

/* --- by a function --- */

struct policy {
    kin_expiring_store *store;
    const char *expired;          /* keys of one letter */
    const kin_object *write_anew; /* while it is asked */
    unsigned asked;
};

static bool by_policy(const kin_object *object, int64_t stored_at_ns, void *arg)
{
    struct policy *policy = arg;
    const kin_object *write_anew = policy->write_anew;

    policy->asked++;
    assert_true(stored_at_ns > 0);
    policy->write_anew = NULL;
    /* No lock is held: it may use the store. */
    if (write_anew)
        assert_code(kin_expiring_store_add(policy->store, write_anew, NULL), 0);
    return strchr(policy->expired, kin_object_key(object)[0]) != NULL;
}

static void setup_policy(struct policy *policy, const char *expired)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;

    *policy = (struct policy){NULL, expired, NULL, 0};
    /* It stands still: all writes have the same time. */
    assert_code(kin_clock_new_fake(&options.clock, 0, NULL), 0);
    options.expired = by_policy;
    options.expired_arg = policy;
    assert_code(kin_expiring_store_new(&policy->store, &options, NULL), 0);
    kin_clock_unref(options.clock);
}

static void a_function_can_decide(void **state)
{
    struct policy policy;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    size_t removed = 0;

    (void)state;
    setup_policy(&policy, "a");
    add(policy.store, "a", 1);
    add(policy.store, "b", 2);
    assert_has(policy.store, "a", 0);
    assert_int_equal(kin_expiring_store_len(policy.store), 1);
    assert_has(policy.store, "b", 2);
    add(policy.store, "a", 3);
    policy.expired = ""; /* what came anew is fresh */
    assert_has(policy.store, "a", 3);
    add(policy.store, "c", 4);
    policy.expired = "ac";
    assert_code(kin_expiring_store_list(policy.store, &objects, NULL), 0);
    assert_int_equal(objects.len, 1);
    assert_string_equal(kin_object_key(objects.items[0]), "b");
    assert_int_equal(kin_expiring_store_len(policy.store), 1);
    kin_object_list_done(&objects);
    policy.expired = "b";
    policy.asked = 0;
    assert_code(kin_expiring_store_purge(policy.store, &removed, NULL), 0);
    assert_int_equal(removed, 1);
    assert_int_equal(policy.asked, 1);
    assert_int_equal(kin_expiring_store_len(policy.store), 0);
    kin_expiring_store_unref(policy.store);
    assert_int_equal(kin_test_items_live(), 0);
}

static void what_is_written_anew_meanwhile_stays(void **state)
{
    struct policy policy;
    const kin_object *fresh = kin_test_item("a", 2, NULL);
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    size_t removed = 99;

    (void)state;
    setup_policy(&policy, "a");
    add(policy.store, "a", 1);
    policy.write_anew = fresh;
    assert_has(policy.store, "a", 0); /* the one that was asked about had expired */
    policy.expired = "";
    assert_has(policy.store, "a", 2);

    policy.expired = "a";
    add(policy.store, "a", 1);
    policy.write_anew = fresh;
    assert_code(kin_expiring_store_list(policy.store, &objects, NULL), 0);
    assert_int_equal(objects.len, 0);
    policy.expired = "";
    assert_has(policy.store, "a", 2);

    policy.expired = "a";
    add(policy.store, "a", 1);
    policy.write_anew = fresh;
    assert_code(kin_expiring_store_purge(policy.store, &removed, NULL), 0);
    assert_int_equal(removed, 0);
    policy.expired = "";
    assert_has(policy.store, "a", 2);
    kin_object_unref(fresh);
    kin_expiring_store_unref(policy.store);
}

static void the_same_object_written_anew_meanwhile_stays(void **state)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
    struct policy policy = {NULL, "a", NULL, 0};
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_clock *clock = NULL;

    (void)state;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    options.clock = clock;
    options.expired = by_policy;
    options.expired_arg = &policy;
    assert_code(kin_expiring_store_new(&policy.store, &options, NULL), 0);
    assert_code(kin_expiring_store_add(policy.store, item, NULL), 0);
    assert_code(kin_clock_advance(clock, 1, NULL), 0);
    policy.write_anew = item;
    assert_has(policy.store, "a", 0);
    policy.expired = "";
    assert_has(policy.store, "a", 1);
    kin_object_unref(item);
    kin_expiring_store_unref(policy.store);
    kin_clock_unref(clock);
}

/* --- wrong arguments --- */

static int bad_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    return kin_error_set(err, KIN_ERANGE, "no key");
}

static void the_options_are_checked(void **state)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
    kin_expiring_store *store = NULL;

    (void)state;
    assert_code(kin_expiring_store_new(NULL, NULL, NULL), KIN_EINVAL);
    options.expired = by_policy;
    options.ttl_ms = 1;
    assert_code(kin_expiring_store_new(&store, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_expiring_store_new(&store, &options, NULL), KIN_EINVAL);
    assert_null(store);
    assert_code(kin_expiring_store_new(&store, NULL, NULL), 0);
    kin_expiring_store_unref(kin_expiring_store_ref(store));
    assert_int_equal(kin_expiring_store_len(store), 0);
    kin_expiring_store_unref(store);
    kin_expiring_store_unref(NULL);
    assert_null(kin_expiring_store_ref(NULL));
}

static void wrong_arguments_are_told(void **state)
{
    struct world w;
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *nameless = kin_test_item("", 1, NULL);
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_replace *replace = NULL;
    char long_version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
    kin_str too_long = {long_version, sizeof(long_version)};

    (void)state;
    memset(long_version, '1', sizeof(long_version));
    setup(&w, TTL_MS);
    assert_code(kin_expiring_store_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_add(w.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_add(w.store, nameless, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_delete(w.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_delete(w.store, nameless, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_replace_begin(w.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_replace(NULL, &item, 1, kin_str_of("1"), NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_bookmark(NULL, kin_str_of("1"), NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_bookmark(w.store, too_long, NULL), KIN_ELIMIT);
    assert_code(kin_expiring_store_replace(w.store, &item, 1, too_long, NULL), KIN_ELIMIT);
    assert_code(kin_expiring_store_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_purge(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_get(NULL, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_get_object(w.store, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_get_object(w.store, NULL, nameless, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_list(NULL, &objects, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_list(w.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_list_keys(NULL, &keys, NULL), KIN_EINVAL);
    assert_code(kin_expiring_store_list_keys(w.store, NULL, NULL), KIN_EINVAL);
    assert_int_equal(kin_expiring_store_len(NULL), 0);
    assert_int_equal(kin_expiring_store_len(w.store), 0);
    kin_object_unref(item);
    kin_object_unref(nameless);
    teardown(&w);
}

static void keys_are_the_key_functions_and_have_a_limit(void **state)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
    kin_expiring_store *store = NULL;
    const kin_object *item;
    char *key = calloc(1, KIN_KEY_BYTES_MAX + 2);
    struct world w;

    (void)state;
    assert_non_null(key);
    memset(key, 'k', KIN_KEY_BYTES_MAX + 1);
    item = kin_test_item(key, 1, NULL);
    setup(&w, 0);
    assert_code(kin_expiring_store_add(w.store, item, NULL), KIN_ELIMIT);
    assert_code(kin_expiring_store_delete(w.store, item, NULL), KIN_ELIMIT);
    assert_code(kin_expiring_store_get_object(w.store, NULL, item, NULL), KIN_ELIMIT);
    options.key = bad_key;
    assert_code(kin_expiring_store_new(&store, &options, NULL), 0);
    assert_code(kin_expiring_store_add(store, item, NULL), KIN_ERANGE);
    assert_code(kin_expiring_store_delete(store, item, NULL), KIN_ERANGE);
    assert_code(kin_expiring_store_get_object(store, NULL, item, NULL), KIN_ERANGE);
    assert_code(kin_expiring_store_replace(store, &item, 1, kin_str_of("1"), NULL), KIN_ERANGE);
    kin_expiring_store_unref(store);
    kin_object_unref(item);
    teardown(&w);
    free(key);
}

/* --- the user's code and the lock --- */

static void look_at_store(void *arg)
{
    kin_expiring_store_len(arg);
}

static void objects_are_destroyed_without_the_lock(void **state)
{
    struct world w;
    const kin_object *b = kin_test_item("b", 1, NULL);

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    kin_test_items_on_destroy(look_at_store, w.store);
    add(w.store, "a", 2);
    assert_code(kin_expiring_store_delete(w.store, b, NULL), 0);
    assert_code(kin_expiring_store_replace(w.store, &b, 1, kin_str_of("1"), NULL), 0);
    kin_object_unref(b);
    advance_ms(&w, TTL_MS + 1);
    assert_has(w.store, "b", 0);
    add(w.store, "c", 1);
    advance_ms(&w, TTL_MS + 1);
    assert_code(kin_expiring_store_purge(w.store, NULL, NULL), 0);
    assert_int_equal(kin_test_items_live(), 0);
    kin_test_items_on_destroy(NULL, NULL);
    teardown(&w);
}

/* --- memory --- */

static void known_keys_deletions_and_looks_need_no_memory(void **state)
{
    struct world w;
    const kin_object *again = kin_test_item("a", 2, NULL);

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_expiring_store_add(w.store, again, NULL), 0);
    assert_has(w.store, "a", 2);
    assert_code(kin_expiring_store_delete(w.store, again, NULL), 0);
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    kin_object_unref(again);
    teardown(&w);
}

static bool is_b(const kin_object *object, int64_t stored_at_ns, void *arg)
{
    (void)stored_at_ns;
    (void)arg;
    return kin_object_key(object)[0] == 'b';
}

/* Two objects, "a" and "b"; all that can fail, and look whether they are still there. */
static int use(kin_expiring_store *store, const kin_object *const *items, kin_error *err)
{
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = kin_expiring_store_list_keys(store, &keys, err);

    kin_string_list_done(&keys);
    if (code == 0)
        code = kin_expiring_store_list(store, &objects, err);
    kin_object_list_done(&objects);
    if (code == 0)
        code = kin_expiring_store_purge(store, NULL, err);
    if (code == 0)
        code = kin_expiring_store_replace(store, items + 2, 20, kin_str_of("50"), err);
    return code;
}

static int scenario_of(const kin_object *const *items, kin_expired_fn *expired, kin_error *err)
{
    kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
    kin_expiring_store *store = NULL;
    int code;

    options.expired = expired;
    code = kin_expiring_store_new(&store, &options, err);
    if (code < 0)
        return code;
    code = kin_expiring_store_add(store, items[0], err);
    if (code == 0) {
        code = kin_expiring_store_add(store, items[1], err);
        if (code < 0)
            assert_int_equal(kin_expiring_store_len(store), 1);
    }
    if (code == 0) {
        code = use(store, items, err);
        assert_has(store, "a", code < 0 ? 1 : 0);
        assert_version(store, code < 0 ? "2" : "50");
    }
    kin_expiring_store_unref(store);
    return code;
}

static int scenario(void *arg, kin_error *err)
{
    int code = scenario_of(arg, NULL, err);

    return code < 0 ? code : scenario_of(arg, is_b, err);
}

/* A list that fails has taken nothing out. */
static void a_failed_list_takes_nothing_out(void **state)
{
    struct policy policy;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    bool failed = true;

    (void)state;
    setup_policy(&policy, "ab");
    for (size_t n = 1; failed; n++) {
        int code;

        add(policy.store, "a", 1);
        add(policy.store, "b", 2);
        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        code = kin_expiring_store_list(policy.store, &objects, NULL);
        failed = kin_test_alloc_disarm();
        assert_code(code, failed ? KIN_ENOMEM : 0);
        assert_int_equal(kin_expiring_store_len(policy.store), failed ? 2 : 0);
    }
    kin_expiring_store_unref(policy.store);
}

static void a_failed_allocation_leaves_the_store_as_it_was(void **state)
{
    const kin_object *items[22];

    (void)state;
    items[0] = kin_test_item("a", 1, NULL);
    items[1] = kin_test_item("b", 2, NULL);
    for (unsigned i = 2; i < 22; i++) {
        char key[8];

        snprintf(key, sizeof(key), "k%u", i == 10 ? 5 : i);
        items[i] = kin_test_item(key, i, NULL);
    }
    kin_test_fail_each_allocation(scenario, items);
    for (unsigned i = 0; i < 22; i++)
        kin_object_unref(items[i]);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- fork --- */

struct forked {
    kin_expiring_store *store;
    kin_replace *replace;
};

static int in_child(void *arg)
{
    struct forked *forked = arg;
    kin_expiring_store *store = forked->store;
    const kin_object *item = kin_test_item("a", 1, NULL);
    const kin_object *found = NULL;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_replace *replace = NULL;
    char buf[8];
    int codes[] = {
        kin_expiring_store_add(store, item, NULL),
        kin_expiring_store_delete(store, item, NULL),
        kin_expiring_store_replace_begin(store, &replace, NULL),
        kin_expiring_store_replace(store, &item, 1, kin_str_of("1"), NULL),
        kin_expiring_store_bookmark(store, kin_str_of("1"), NULL),
        kin_expiring_store_purge(store, NULL, NULL),
        kin_expiring_store_get(store, &found, kin_str_of("a"), NULL),
        kin_expiring_store_get_object(store, &found, item, NULL),
        kin_expiring_store_list(store, &objects, NULL),
        kin_expiring_store_list_keys(store, &keys, NULL),
        kin_replace_add(forked->replace, item, NULL),
        kin_replace_commit(forked->replace, kin_str_of("1"), NULL),
    };

    for (size_t i = 0; i < kin__array_len(codes); i++)
        if (codes[i] != KIN_EFORKED)
            return (int)i + 1;
    if (kin_expiring_store_len(store) != 0 ||
        kin_expiring_store_resource_version(store, buf, sizeof(buf)) != 0)
        return 100;
    kin_replace_abort(forked->replace);
    kin_expiring_store_unref(store);
    return 0;
}

static void a_forked_child_only_frees(void **state)
{
    struct world w;
    struct forked forked;
    kin_test_child child;

    (void)state;
    setup(&w, TTL_MS);
    add(w.store, "a", 1);
    forked.store = w.store;
    assert_code(kin_expiring_store_replace_begin(w.store, &forked.replace, NULL), 0);
    kin_test_run_child(&child, in_child, &forked);
    assert_int_equal(child.exit_code, 0);
    kin_replace_abort(forked.replace);
    assert_has(w.store, "a", 1);
    teardown(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_expires_when_it_is_older_than_its_time),
        cmocka_unit_test(without_a_time_nothing_expires),
        cmocka_unit_test(a_write_begins_the_time_anew),
        cmocka_unit_test(lists_take_out_what_has_expired),
        cmocka_unit_test(purging_frees_what_nobody_asks_for),
        cmocka_unit_test(it_is_a_store),
        cmocka_unit_test(the_resource_version_is_cut_to_the_room),
        cmocka_unit_test(everything_is_replaced_at_once),
        cmocka_unit_test(an_aborted_replacement_changes_nothing),
        cmocka_unit_test(a_function_can_decide),
        cmocka_unit_test(what_is_written_anew_meanwhile_stays),
        cmocka_unit_test(the_same_object_written_anew_meanwhile_stays),
        cmocka_unit_test(the_options_are_checked),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(keys_are_the_key_functions_and_have_a_limit),
        cmocka_unit_test(objects_are_destroyed_without_the_lock),
        cmocka_unit_test(known_keys_deletions_and_looks_need_no_memory),
        cmocka_unit_test(a_failed_list_takes_nothing_out),
        cmocka_unit_test(a_failed_allocation_leaves_the_store_as_it_was),
        cmocka_unit_test(a_forked_child_only_frees),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
