/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Children by their owners: with and without an index, of several owners, of an owner that was made
 * anew.
 */
#include "kin_test.h"
#include "kinform/owner.h"

#include <string.h>

#include "alloc.h"
#include "kinform/json.h"
#include "oom.h"

#define OWNED(name, owners)                                                                        \
    "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"n\",\"name\":\"" name                         \
    "\",\"ownerReferences\":[" owners "]}}"
#define REFERENCE(uid, controller)                                                                 \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"name\":\"web\",\"uid\":\"" uid          \
    "\",\"controller\":" controller "}"
#define OWNER(uid)                                                                                 \
    "{\"kind\":\"ReplicaSet\",\"metadata\":{\"namespace\":\"n\",\"name\":\"web\",\"uid\":\"" uid   \
    "\"}}"

static const kin_object *object_of(const char *json)
{
    const kin_object *object = NULL;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    return object;
}

static void put(kin_store *store, const char *json)
{
    const kin_object *object = object_of(json);

    assert_code(kin_store_add(store, object, NULL), 0);
    kin_object_unref(object);
}

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
    kin_index index = KIN_INDEX_INIT(KIN_OWNER_INDEX, kin_owner_index);
    kin_store *store = NULL;

    memset(sink, 0, sizeof(*sink));
    assert_code(kin_logger_new(&options.logger, KIN_LOG_WARN, keep_text, sink, NULL, NULL), 0);
    assert_code(kin_store_new(&store, &options, NULL), 0);
    kin_logger_unref(options.logger);
    if (with_index)
        assert_code(kin_store_add_index(store, &index, NULL), 0);
    put(store, OWNED("a", REFERENCE("u1", "true")));
    put(store, OWNED("b", REFERENCE("u1", "false")));
    put(store, OWNED("c", REFERENCE("u2", "true") "," REFERENCE("u1", "false")));
    put(store, OWNED("d", REFERENCE("u2", "false") "," REFERENCE("u1", "true")));
    put(store, OWNED("e", REFERENCE("u2", "true")));
    put(store, OWNED("f", "null, 7, {}, {\"uid\":\"\",\"controller\":true}"));
    put(store, "{\"kind\":\"Pod\",\"metadata\":{\"namespace\":\"n\",\"name\":\"g\"}}");
    return store;
}

/* The names of the children, sorted, in one word. */
static void assert_children(kin_store *store, const char *owner_json, bool controlled_only,
                            const char *expected)
{
    const kin_object *owner = object_of(owner_json);
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    char seen[8] = "";

    assert_code(kin_list_children(store, &list, owner, controlled_only, NULL), 0);
    for (int name = 'a'; name <= 'g'; name++) {
        for (size_t i = 0; i < list.len; i++) {
            if (kin_object_name(list.items[i]).data[0] == name)
                seen[strlen(seen)] = (char)name;
        }
    }
    assert_string_equal(seen, expected);
    kin_object_list_done(&list);
    kin_object_unref(owner);
}

static void children_are_found_by_their_owner(void **state)
{
    struct sink sink;

    (void)state;
    for (int with_index = 0; with_index < 2; with_index++) {
        kin_store *store = new_store(&sink, with_index);

        assert_children(store, OWNER("u1"), false, "abcd");
        assert_children(store, OWNER("u1"), true, "ad");
        assert_children(store, OWNER("u2"), false, "cde");
        assert_children(store, OWNER("u2"), true, "ce");
        /* The same name, made anew. */
        assert_children(store, OWNER("u3"), false, "");
        /* It is said once that there is no index. */
        assert_int_equal(sink.records, !with_index);
        kin_store_unref(store);
    }
}

static void a_missing_index_is_told_by_its_name(void **state)
{
    struct sink sink;
    kin_store *store = new_store(&sink, false);

    (void)state;
    assert_children(store, OWNER("u1"), true, "ad");
    assert_non_null(strstr(sink.text, "no index of owners"));
    kin_store_unref(store);
}

static void an_owner_that_is_gone_has_its_children(void **state)
{
    struct sink sink;
    kin_store *store = new_store(&sink, true);
    const kin_object *owner = object_of(OWNER("u1"));
    const kin_object *tombstone = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of(kin_object_key(owner)), owner, NULL), 0);
    assert_code(kin_list_children(store, &list, tombstone, true, NULL), 0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    kin_object_unref(tombstone);
    kin_object_unref(owner);
    kin_store_unref(store);
}

static void wrong_arguments_are_refused(void **state)
{
    struct sink sink;
    kin_store *store = new_store(&sink, true);
    const kin_object *nobody = object_of("{\"metadata\":{\"name\":\"web\"}}");
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_list_children(NULL, &list, nobody, true, NULL), KIN_EINVAL);
    assert_code(kin_list_children(store, NULL, nobody, true, NULL), KIN_EINVAL);
    assert_code(kin_list_children(store, &list, NULL, true, NULL), KIN_EINVAL);
    assert_code(kin_list_children(store, &list, nobody, true, &err), KIN_EINVAL);
    assert_string_equal(err.message, "the owner \"web\" has no uid");
    assert_code(kin_owner_index(NULL, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_owner_index(nobody, NULL, NULL, NULL), KIN_EINVAL);
    kin_object_unref(nobody);
    kin_store_unref(store);
}

struct family {
    kin_store *store;
    const kin_object *owner;
};

static int list_them(void *arg, kin_error *err)
{
    struct family *family = arg;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_list_children(family->store, &list, family->owner, false, err);

    kin_object_list_done(&list);
    return code;
}

static void memory_may_be_short(void **state)
{
    struct sink sink;
    struct family family = {new_store(&sink, true), object_of(OWNER("u1"))};

    (void)state;
    kin_test_fail_each_allocation(list_them, &family);
    kin_object_unref(family.owner);
    kin_store_unref(family.store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(children_are_found_by_their_owner),
        cmocka_unit_test(a_missing_index_is_told_by_its_name),
        cmocka_unit_test(an_owner_that_is_gone_has_its_children),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(memory_may_be_short),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
