/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metadata getters: what is there, what is not, and what has another type than it should.
 */
#include "kin_test.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "typed_item.h"

static const char full[] =
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\","
    "\"generateName\":\"web-\",\"namespace\":\"shop\",\"uid\":\"0b7c9f6e-4d0e-4c57-9b7a-1f2e3d4c5b6a\","
    "\"resourceVersion\":\"123\",\"generation\":7,\"creationTimestamp\":\"2026-01-31T12:00:00Z\","
    "\"deletionTimestamp\":\"2026-02-01T00:00:01Z\",\"labels\":{\"app\":\"web\"},"
    "\"annotations\":{\"note\":\"n\",\"when\":\"2026-01-31T12:00:00Z\",\"bad\":1},"
    "\"finalizers\":[\"a/b\",\"foregroundDeletion\"],\"ownerReferences\":["
    "{\"apiVersion\":\"v1\",\"kind\":\"A\",\"name\":\"a\",\"uid\":\"u\"},"
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"B\",\"name\":\"b\","
    "\"uid\":\"11111111-2222-3333-4444-555555555555\",\"controller\":true,\"blockOwnerDeletion\":true}]}}";

/* Every field has a type that it should not have. */
static const char wrong[] =
    "{\"apiVersion\":1,\"kind\":null,\"metadata\":{\"name\":[],\"uid\":{},\"generation\":\"7\","
    "\"generateName\":false,\"creationTimestamp\":null,\"deletionTimestamp\":\"soon\",\"labels\":[],"
    "\"annotations\":\"x\",\"finalizers\":{\"a/b\":\"a/b\"},\"ownerReferences\":[1,{\"controller\":\"true\"}]}}";

static const kin_object *decode(const char *text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_object_from_json(&object, kin_str_of(text), NULL, &err), 0);
    return object;
}

#define assert_str(actual, expected) assert_true(kin_str_equal((actual), kin_str_of(expected)))

static void what_is_there_is_read(void **state)
{
    const kin_object *object = decode(full);
    kin_scratch scratch;
    kin_str text;
    kin_time time;

    (void)state;
    assert_str(kin_object_api_version(object, &scratch), "apps/v1");
    assert_str(kin_object_kind(object, &scratch), "Deployment");
    assert_str(kin_object_uid(object, &scratch), "0b7c9f6e-4d0e-4c57-9b7a-1f2e3d4c5b6a");
    assert_str(kin_object_generate_name(object, &scratch), "web-");
    assert_int_equal(kin_object_generation(object), 7);
    assert_code(kin_object_creation_timestamp(&time, object), 0);
    assert_int_equal(time.seconds, 1769860800);
    assert_code(kin_object_deletion_timestamp(&time, object), 0);
    assert_int_equal(time.seconds, 1769904001);
    assert_code(kin_object_deletion_timestamp(NULL, object), 0);
    assert_int_equal(kin_value_len(kin_object_labels(object)), 1);
    assert_int_equal(kin_value_len(kin_object_annotations(object)), 3);
    assert_code(kin_object_annotation(&text, object, kin_str_of("note"), &scratch), 0);
    assert_str(text, "n");
    assert_code(kin_object_annotation(&text, object, kin_str_of("when"), &scratch), 0);
    assert_str(text, "2026-01-31T12:00:00Z");
    assert_code(kin_object_annotation(&text, object, kin_str_of("bad"), &scratch), KIN_ETYPE);
    assert_code(kin_object_annotation(&text, object, kin_str_of("none"), &scratch), KIN_ENOTFOUND);
    assert_int_equal(kin_value_len(kin_object_finalizers(object)), 2);
    assert_true(kin_object_has_finalizer(object, kin_str_of("foregroundDeletion")));
    assert_false(kin_object_has_finalizer(object, kin_str_of("orphan")));
    kin_object_unref(object);
}

static void owners_are_read(void **state)
{
    const kin_object *object = decode(full);
    kin_owner_reference owner;

    (void)state;
    assert_int_equal(kin_value_len(kin_object_owner_references(object)), 2);
    assert_code(
        kin_owner_reference_get(&owner, kin_value_at(kin_object_owner_references(object), 0)), 0);
    assert_str(owner.kind, "A");
    assert_str(owner.uid, "u");
    assert_false(owner.controller);
    assert_false(owner.block_owner_deletion);
    assert_code(kin_object_controller(&owner, object), 0);
    assert_str(owner.api_version, "apps/v1");
    assert_str(owner.kind, "B");
    assert_str(owner.name, "b");
    assert_str(owner.uid, "11111111-2222-3333-4444-555555555555");
    assert_true(owner.controller);
    assert_true(owner.block_owner_deletion);
    assert_code(
        kin_owner_reference_get(&owner, kin_value_at(kin_object_owner_references(object), 2)),
        KIN_ENOTFOUND);
    kin_object_unref(object);
}

static void assert_empty(const kin_object *object)
{
    kin_owner_reference owner;
    kin_scratch scratch;
    kin_str text;

    assert_int_equal(kin_object_api_version(object, &scratch).len, 0);
    assert_int_equal(kin_object_kind(object, &scratch).len, 0);
    assert_int_equal(kin_object_uid(object, &scratch).len, 0);
    assert_int_equal(kin_object_continue_token(object, &scratch).len, 0);
    assert_int_equal(kin_object_generate_name(object, &scratch).len, 0);
    assert_int_equal(kin_object_generation(object), 0);
    assert_int_equal(kin_object_annotation(&text, object, kin_str_of("note"), &scratch),
                     KIN_ENOTFOUND);
    assert_false(kin_object_has_finalizer(object, kin_str_of("a/b")));
    assert_code(kin_object_controller(&owner, object), KIN_ENOTFOUND);
}

static void what_is_missing_is_empty(void **state)
{
    static const char *const texts[] = {"{}", "{\"metadata\":{}}", "{\"metadata\":null}",
                                        "{\"metadata\":[1]}", "{\"metadata\":\"x\"}"};
    kin_time time = {1, 2};

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        const kin_object *object = decode(texts[i]);

        assert_empty(object);
        assert_code(kin_object_creation_timestamp(&time, object), KIN_ENOTFOUND);
        assert_code(kin_object_deletion_timestamp(&time, object), KIN_ENOTFOUND);
        assert_int_equal(kin_value_type(kin_object_labels(object)), KIN_NONE);
        kin_object_unref(object);
    }
    assert_int_equal(time.seconds, 1);
}

static void wrong_types_do_no_harm(void **state)
{
    const kin_object *object = decode(wrong);
    kin_owner_reference owner;
    kin_time time = {1, 2};

    (void)state;
    assert_empty(object);
    assert_code(kin_object_creation_timestamp(&time, object), KIN_ETYPE);
    assert_code(kin_object_deletion_timestamp(&time, object), KIN_EPARSE);
    assert_int_equal(time.seconds, 1);
    assert_code(
        kin_owner_reference_get(&owner, kin_value_at(kin_object_owner_references(object), 0)),
        KIN_ETYPE);
    kin_object_unref(object);
}

/* A member without a name is not taken for one that is looked for. */
static void empty_keys_are_no_metadata(void **state)
{
    const kin_object *object =
        decode("{\"\":{\"name\":\"x\",\"uid\":\"x\",\"resourceVersion\":\"6\"},\"metadata\":{\"\":"
               "\"2026-01-31T12:00:00Z\",\"name\":\"web\",\"uid\":\"u\",\"resourceVersion\":\"1\","
               "\"labels\":{\"\":\"empty\",\"app\":\"web\"}}}");
    kin_scratch scratch;
    kin_str text;

    (void)state;
    assert_string_equal(kin_object_key(object), "web");
    assert_str(kin_object_uid(object, &scratch), "u");
    assert_str(kin_object_resource_version(object), "1");
    assert_int_equal(kin_object_kind(object, &scratch).len, 0);
    assert_true(kin_object_label(object, kin_str_of("app"), &text));
    assert_str(text, "web");
    assert_true(kin_object_label(object, kin_str_of(""), &text));
    assert_str(text, "empty");
    kin_object_unref(object);
}

static void tombstones_answer_with_their_last_state(void **state)
{
    const kin_object *object = decode(full);
    const kin_object *tombstone = NULL;
    const kin_object *key = NULL;
    kin_scratch scratch;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("shop/web"), object, NULL), 0);
    assert_str(kin_object_kind(tombstone, &scratch), "Deployment");
    kin_object_unref(tombstone);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("shop/web"), NULL, NULL), 0);
    assert_empty(tombstone);
    assert_code(kin_explicit_key_new(&key, kin_str_of("shop/web"), NULL), 0);
    assert_empty(key);
    kin_object_unref(key);
    kin_object_unref(tombstone);
    kin_object_unref(object);
}

static void assert_typed(const kin_object *object)
{
    kin_scratch scratch;
    kin_str text;

    assert_str(kin_object_kind(object, &scratch), "Backend");
    assert_str(kin_object_api_version(object, &scratch), "example.org/v1");
    assert_str(kin_object_uid(object, &scratch), "u1");
    assert_str(kin_object_continue_token(object, &scratch), "next");
    assert_code(kin_object_annotation(&text, object, kin_str_of("note"), &scratch), 0);
    assert_str(text, "true");
    assert_code(kin_object_annotation(&text, object, kin_str_of("none"), &scratch), KIN_ENOTFOUND);
    assert_int_equal(kin_object_generate_name(object, &scratch).len, 0);
}

static void classes_have_functions_for_metadata(void **state)
{
    static const kin_test_typed of = {.key = "a",
                                      .kind = "Backend",
                                      .api_version = "example.org/v1",
                                      .uid = "u1",
                                      .annotation = "note",
                                      .continue_token = "next"};
    static const kin_test_typed bare = {.key = "a"};
    const kin_object *object = kin_test_typed_item(&of);
    const kin_object *tombstone = NULL;

    (void)state;
    assert_typed(object);
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("a"), object, NULL), 0);
    assert_typed(tombstone);
    kin_object_unref(tombstone);
    kin_object_unref(object);
    object = kin_test_typed_item(&bare);
    assert_empty(object);
    kin_object_unref(object);
    object = kin_test_old_typed_item(&of);
    assert_empty(object);
    kin_object_unref(object);
}

static void lists_have_a_continue_token(void **state)
{
    const kin_object *list = decode("{\"metadata\":{\"continue\":\"next\"}}");
    kin_scratch scratch;

    (void)state;
    assert_str(kin_object_continue_token(list, &scratch), "next");
    kin_object_unref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_there_is_read),
        cmocka_unit_test(owners_are_read),
        cmocka_unit_test(what_is_missing_is_empty),
        cmocka_unit_test(wrong_types_do_no_harm),
        cmocka_unit_test(empty_keys_are_no_metadata),
        cmocka_unit_test(tombstones_answer_with_their_last_state),
        cmocka_unit_test(classes_have_functions_for_metadata),
        cmocka_unit_test(lists_have_a_continue_token),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
