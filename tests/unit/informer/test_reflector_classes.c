/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reflectors with objects of a program's own class: their kind, bookmarks and pages.
 */
#include "reflector_support.h"
#include "typed_item.h"

static int send_event(kin_test_pull *op, enum kin_watch_type type, const kin_test_typed *of)
{
    const kin_object *object = kin_test_typed_item(of);
    int code = kin_test_pull_event_object(op, type, object);

    kin_object_unref(object);
    return code;
}

static void send_item(kin_test_pull *op, const kin_test_typed *of)
{
    const kin_object *object = kin_test_typed_item(of);

    assert_code(kin_test_pull_item_object(op, object), 0);
    kin_object_unref(object);
}

static void end_list(kin_test_pull *op, const kin_test_typed *of)
{
    const kin_object *list = kin_test_typed_item(of);

    kin_test_pull_list_done_object(op, list);
    kin_object_unref(list);
}

static void begin_with_kind(kin_test_scene *scene, bool streams)
{
    kin_test_scene_init(scene, streams);
    scene->options.api_version = "example.org/v1";
    scene->options.kind = "Backend";
    kin_test_scene_make(scene);
    assert_code(kin_reflector_start(scene->reflector, NULL), 0);
}

static const kin_test_typed backend = {
    .key = "a", .version = "3", .kind = "Backend", .api_version = "example.org/v1"};
static const kin_test_typed other_kind = {
    .key = "x", .version = "90", .kind = "Frontend", .api_version = "example.org/v1"};
static const kin_test_typed other_version = {
    .key = "x", .version = "91", .kind = "Backend", .api_version = "example.org/v2"};
static const kin_test_typed table = {
    .key = "x", .version = "92", .kind = "Table", .api_version = "meta.k8s.io/v1"};

static void a_stream_ends_at_its_bookmark(void **state)
{
    kin_test_typed bookmark = {
        .key = "", .version = "4", .kind = "Backend", .api_version = "example.org/v1"};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin_with_kind(&scene, true);
    op = kin_test_await_stream(&scene, 0, "");
    assert_code(send_event(op, KIN_WATCH_ADDED, &backend), 0);
    assert_code(send_event(op, KIN_WATCH_BOOKMARK, &bookmark), 0);
    bookmark.annotation = "example.org/other";
    assert_code(send_event(op, KIN_WATCH_BOOKMARK, &bookmark), 0);
    kin_test_expect_store(&scene, "");
    assert_int_equal(kin_test_status(&scene).streams, 0);
    bookmark.version = "5";
    bookmark.annotation = "k8s.io/initial-events-end";
    assert_code(send_event(op, KIN_WATCH_BOOKMARK, &bookmark), 0);
    kin_test_expect_store(&scene, "a:3");
    kin_test_expect_version(&scene, "5");
    assert_int_equal(kin_test_status(&scene).streams, 1);
    assert_int_equal(kin_test_status(&scene).skipped, 0);
    kin_test_scene_done(&scene);
}

static void objects_of_another_kind_are_skipped(void **state)
{
    static const kin_test_typed untyped = {.key = "b", .version = "2"};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin_with_kind(&scene, false);
    op = kin_test_await(&scene, 0);
    send_item(op, &other_kind);
    send_item(op, &other_version);
    send_item(op, &backend);
    send_item(op, &untyped); /* items of a list need not have a kind */
    end_list(op, &(kin_test_typed){.key = "", .version = "10"});
    op = kin_test_await_watch(&scene, 1, "10");
    kin_test_expect_store(&scene, "a:3 b:2");
    assert_int_equal(kin_test_status(&scene).skipped, 2);
    assert_code(send_event(op, KIN_WATCH_MODIFIED, &other_kind), 0);
    assert_code(send_event(op, KIN_WATCH_MODIFIED, &other_version), 0);
    assert_int_equal(kin_test_status(&scene).skipped, 4);
    kin_test_expect_version(&scene, "10");
    kin_test_scene_done(&scene);
}

/* Also if no kind is expected. */
static void tables_are_refused(void **state)
{
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    kin_test_scene_begin(&scene, false);
    end_list(kin_test_await(&scene, 0), &table);
    kin_test_pass_delay(&scene, 800);
    assert_int_equal(kin_test_status(&scene).last_error.code, KIN_EPROTOCOL);
    end_list(kin_test_await(&scene, 1), &(kin_test_typed){.key = "", .version = "10"});
    op = kin_test_await_watch(&scene, 2, "10");
    assert_code(send_event(op, KIN_WATCH_ADDED, &table), 0);
    assert_int_equal(kin_test_status(&scene).skipped, 1);
    assert_code(send_event(op, KIN_WATCH_ADDED, &other_kind), 0);
    kin_test_expect_store(&scene, "x:90");
    kin_test_scene_done(&scene);
}

static void a_list_comes_in_pages(void **state)
{
    static const kin_test_typed second = {
        .key = "b", .version = "4", .kind = "Backend", .api_version = "example.org/v1"};
    kin_test_scene scene;
    kin_test_pull *op;

    (void)state;
    begin_with_kind(&scene, false);
    op = kin_test_await(&scene, 0);
    send_item(op, &backend);
    end_list(op, &(kin_test_typed){.key = "", .version = "10", .continue_token = "next"});
    op = kin_test_await(&scene, 1);
    assert_true(op->is_list);
    assert_string_equal(op->token, "next");
    send_item(op, &second);
    end_list(op, &(kin_test_typed){.key = "", .version = "10"});
    kin_test_await_watch(&scene, 2, "10");
    kin_test_expect_store(&scene, "a:3 b:4");
    assert_int_equal(kin_test_status(&scene).lists, 1);
    kin_test_scene_done(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stream_ends_at_its_bookmark),
        cmocka_unit_test(objects_of_another_kind_are_skipped),
        cmocka_unit_test(tables_are_refused),
        cmocka_unit_test(a_list_comes_in_pages),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
