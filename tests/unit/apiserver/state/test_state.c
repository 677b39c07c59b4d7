/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state in memory: versions, lists of any version, pages, and the window.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/state/state.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "state_support.h"

static kin__state *state;
static kin__collection *pods;

static int set_up(void **unused)
{
    (void)unused;
    state = kin_test_open_state(NULL, 0, 0);
    pods = kin_test_collection(state, "pods");
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin__state_free(state);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void a_new_one_has_version_1_and_nothing(void **unused)
{
    const kin_object *object = NULL;

    (void)unused;
    assert_int_equal(kin__state_version(state), 1);
    assert_code(kin__state_get(state, pods, kin_str_of("a/b"), &object, NULL), KIN_ENOTFOUND);
    assert_null(object);
    assert_string_equal(kin_test_list(state, pods, 0), "");
    assert_string_equal(kin_test_list(state, pods, 1), "");
}

static int list_code(uint64_t version)
{
    kin__state_query query = {.version = version};
    kin__state_page page;
    int code = kin__state_list(state, pods, &query, &page, NULL);

    if (code == 0)
        kin_object_list_done(&page.objects);
    return code;
}

/* An empty one may begin later: what was before it is expired. One that has something goes on. */
static void the_first_version_can_be_chosen(void **unused)
{
    const char *path = kin_test_database("first.sqlite");
    kin__state_options options = {.first_version = 1000};
    kin__watcher watcher = {.notify = NULL};

    (void)unused;
    kin_test_remove_database(path);
    for (unsigned i = 0; i < 3; i++) {
        kin__state_free(state);
        assert_code(kin__storage_sqlite_open(&options.storage, path, false, NULL), 0);
        assert_code(kin__state_new(&state, &options, NULL), 0);
        pods = kin_test_collection(state, "pods");
        assert_int_equal(kin__state_version(state), 1000 + i);
        assert_code(kin__watcher_open(&watcher, state, pods, 999, NULL), KIN_EEXPIRED);
        assert_code(list_code(999), KIN_EEXPIRED);
        assert_code(list_code(1000), 0);
        /* One that was never there before. */
        kin__collection *late = kin_test_collection(state, i == 0 ? "nodes" : "leases");
        assert_code(kin__watcher_open(&watcher, state, late, 999, NULL), KIN_EEXPIRED);
        assert_int_equal(kin_test_put(state, pods, "a/x", i), 1001 + i);
        options.first_version = 5000;
    }
    kin__state_free(state); /* all is written then */
    kin_test_remove_database(path);
    state = NULL;
}

static void a_first_version_lasts_without_a_write(void **unused)
{
    const char *path = kin_test_database("first-alone.sqlite");
    kin__state_options options = {.first_version = 1000};
    kin__watcher watcher = {.notify = NULL};

    (void)unused;
    kin_test_remove_database(path);
    for (unsigned i = 0; i < 2; i++) {
        kin__state_free(state);
        assert_code(kin__storage_sqlite_open(&options.storage, path, false, NULL), 0);
        assert_code(kin__state_new(&state, &options, NULL), 0);
        pods = kin_test_collection(state, "pods");
        assert_int_equal(kin__state_version(state), 1000);
        assert_code(kin__watcher_open(&watcher, state, pods, 999, NULL), KIN_EEXPIRED);
        options.first_version = 5000;
    }
    assert_int_equal(kin_test_put(state, pods, "a/x", 1), 1001);
    kin__state_free(state);
    kin_test_remove_database(path);
    state = NULL;
}

static void one_version_counts_the_writes_of_all_collections(void **unused)
{
    kin__collection *nodes = kin_test_collection(state, "nodes");

    (void)unused;
    assert_ptr_equal(kin_test_collection(state, "pods"), pods);
    assert_ptr_not_equal(nodes, pods);
    assert_int_equal(kin_test_put(state, pods, "a/x", 1), 2);
    assert_int_equal(kin_test_put(state, nodes, "n", 2), 3);
    assert_int_equal(kin_test_put(state, pods, "a/x", 3), 4);
    assert_int_equal(kin_test_delete(state, nodes, "n"), 5);
    assert_int_equal(kin__state_version(state), 5);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=3@4");
    assert_string_equal(kin_test_list(state, nodes, 0), "");
    assert_string_equal(kin_test_list(state, nodes, 3), "n=2@3");
    assert_string_equal(kin_test_list(state, nodes, 4), "n=2@3");
    assert_string_equal(kin_test_list(state, nodes, 2), "");
}

static void a_write_shows_what_is_there(void **unused)
{
    kin__write write;

    (void)unused;
    kin__state_begin(state, &write, pods, kin_str_of("a/x"));
    assert_null(write.current);
    assert_int_equal(write.version, 2);
    kin__state_abort(state, &write);
    kin_test_put(state, pods, "a/x", 7);
    kin__state_begin(state, &write, pods, kin_str_of("a/x"));
    assert_int_equal(kin_test_document_value(write.current), 7);
    assert_int_equal(write.version, 3); /* an aborted one has none */
    kin__state_abort(state, &write);
    kin_test_delete(state, pods, "a/x");
    kin__state_begin(state, &write, pods, kin_str_of("a/x"));
    assert_null(write.current);
    kin__state_abort(state, &write);
}

static void done_is_called_once_the_write_is_seen(void **unused)
{
    kin_test_done done;

    (void)unused;
    kin_test_done_init(&done, NULL);
    assert_code(kin_test_try_put(state, pods, "a/x", 1, &done.base, NULL, NULL), 0);
    assert_int_equal(done.calls, 1);
    assert_code(done.code, 0);
    assert_int_equal(kin_test_value(state, pods, "a/x"), 1);
}

static void lists_of_any_version_can_be_had(void **unused)
{
    kin__state_query query = {.version = 7};
    kin_error err = KIN_ERROR_INIT;
    kin__state_page page;

    (void)unused;
    kin_test_put(state, pods, "b/y", 1);
    kin_test_put(state, pods, "a/x", 2);
    kin_test_put(state, pods, "b/y", 3);
    kin_test_delete(state, pods, "a/x");
    kin_test_put(state, pods, "a/x", 4);
    assert_string_equal(kin_test_list(state, pods, 1), "");
    assert_string_equal(kin_test_list(state, pods, 2), "b/y=1@2");
    assert_string_equal(kin_test_list(state, pods, 3), "a/x=2@3 b/y=1@2");
    assert_string_equal(kin_test_list(state, pods, 4), "a/x=2@3 b/y=3@4");
    assert_string_equal(kin_test_list(state, pods, 5), "b/y=3@4");
    assert_string_equal(kin_test_list(state, pods, 6), "a/x=4@6 b/y=3@4");
    assert_code(kin__state_list(state, pods, &query, &page, &err), KIN_ERANGE);
    assert_non_null(strstr(err.message, "version 7"));
}

/* 100 keys each in a/, b/ and c/. */
static void fill(unsigned per_namespace)
{
    char key[16];

    for (unsigned i = 0; i < 3 * per_namespace; i++) {
        snprintf(key, sizeof(key), "%c/%04u", 'a' + (int)(i % 3), i / 3);
        kin_test_put(state, pods, key, i);
    }
}

static void pages_go_on_behind_the_last_key(void **unused)
{
    kin__state_query query = {.prefix = kin_str_of("b/"), .limit = 30};
    kin__state_page page;
    char last[16] = "";
    size_t n = 0;

    (void)unused;
    fill(100);
    for (size_t pages = 1;; pages++) {
        assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
        assert_int_equal(page.version, 301);
        for (size_t i = 0; i < page.objects.len; i++, n++)
            assert_int_equal(kin_test_document_value(page.objects.items[i]), n * 3 + 1);
        snprintf(last, sizeof(last), "%s",
                 kin_object_key(page.objects.items[page.objects.len - 1]));
        assert_int_equal(page.more, pages < 4);
        assert_int_equal(page.remaining, pages < 4 ? 100 - 30 * pages : 0);
        kin_object_list_done(&page.objects);
        if (!page.more)
            break;
        query.after = kin_str_of(last);
        query.version = page.version;
    }
    assert_int_equal(n, 100);
}

static void a_page_that_is_just_full_has_no_more(void **unused)
{
    kin__state_query query = {.prefix = kin_str_of("c/"), .limit = 3};
    kin__state_page page;

    (void)unused;
    fill(3);
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 3);
    assert_false(page.more);
    assert_int_equal(page.remaining, 0);
    kin_object_list_done(&page.objects);
    query.limit = 2;
    kin_test_delete(state, pods, "c/0002"); /* is still remembered, and does not count */
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_false(page.more);
    kin_object_list_done(&page.objects);
    query.version = page.version - 1; /* there it was */
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_true(page.more);
    assert_int_equal(page.remaining, 0); /* unknown */
    kin_object_list_done(&page.objects);
}

static void a_place_before_the_prefix_is_no_place(void **unused)
{
    kin__state_query query = {.prefix = kin_str_of("b/"), .after = kin_str_of("a/0001")};
    kin__state_page page;

    (void)unused;
    fill(2);
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 2);
    kin_object_list_done(&page.objects);
    query.after = kin_str_of("c/0000"); /* behind all */
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 0);
    kin_object_list_done(&page.objects);
}

static bool is_divisible(const kin_object *object, void *arg)
{
    return kin_test_document_value(object) % *(unsigned *)arg == 0;
}

static void match_decides_and_does_not_count_for_more(void **unused)
{
    unsigned divisor = 10;
    kin__state_query query = {.limit = 70, .match = is_divisible, .match_arg = &divisor};
    kin__state_page page;

    (void)unused;
    fill(200); /* 60 of 600 match */
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 60);
    assert_false(page.more);
    kin_object_list_done(&page.objects);
    query.limit = 60; /* keys follow the last, none of them matches; that is not asked */
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 60);
    assert_string_equal(kin_object_key(page.objects.items[59]), "c/0196");
    assert_true(page.more);
    assert_int_equal(page.remaining, 0);
    kin_object_list_done(&page.objects);
    query.limit = 5;
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.objects.len, 5);
    assert_true(page.more);
    kin_object_list_done(&page.objects);
}

struct meddler {
    unsigned asked;
    uint64_t rewind_to;
};

/* Whatever can be done to the state while it is listed. */
static bool meddle(const kin_object *object, void *arg)
{
    struct meddler *meddler = arg;
    char key[16];

    (void)object;
    if (meddler->asked++ % 50 != 0)
        return true;
    snprintf(key, sizeof(key), "a/%04u", (meddler->asked * 7) % 300);
    if (kin_test_value(state, pods, key) >= 0)
        kin_test_delete(state, pods, key);
    snprintf(key, sizeof(key), "b/%04u", (meddler->asked * 11) % 300);
    kin_test_put(state, pods, key, 100000);
    snprintf(key, sizeof(key), "c/new%u", meddler->asked);
    kin_test_put(state, pods, key, 100000);
    kin__state_compact(state);
    if (meddler->rewind_to && meddler->asked > 300)
        assert_code(kin__state_rewind(state, kin__state_version(state), NULL), 0);
    return true;
}

static void a_list_is_one_version_whatever_is_written(void **unused)
{
    struct meddler meddler = {0, 0};
    kin__state_query query = {.match = meddle, .match_arg = &meddler};
    kin__state_page page;
    size_t live;

    (void)unused;
    fill(300);
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    live = kin_test_alloc_live(); /* what it held back went with its end */
    kin__state_compact(state);
    assert_int_equal(kin_test_alloc_live(), live);
    assert_int_equal(meddler.asked, 900);
    assert_true(kin__state_version(state) > 901);
    assert_int_equal(page.version, 901);
    assert_int_equal(page.objects.len, 900);
    for (unsigned i = 0; i < 900; i++)
        assert_int_equal(kin_test_document_value(page.objects.items[i]), i % 300 * 3 + i / 300);
    kin_object_list_done(&page.objects);
}

static void a_list_ends_when_the_state_goes_back(void **unused)
{
    struct meddler meddler = {0, 1};
    kin__state_query query = {.match = meddle, .match_arg = &meddler};
    kin__state_page page;

    (void)unused;
    fill(300);
    assert_code(kin__state_list(state, pods, &query, &page, NULL), KIN_EEXPIRED);
}

static void what_is_compacted_is_gone(void **unused)
{
    kin__collection *others = kin_test_collection(state, "others");

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/x", 2);
    kin_test_put(state, others, "o", 3);
    kin__state_compact(state);
    assert_code(list_code(3), KIN_EEXPIRED); /* pods were the same then, but that is the past */
    assert_string_equal(kin_test_list(state, pods, 4), "a/x=2@3");
    kin_test_put(state, others, "o", 4);
    assert_string_equal(kin_test_list(state, pods, 4), "a/x=2@3");
    assert_string_equal(kin_test_list(state, pods, 5), "a/x=2@3");
    /* A kind that comes later has the same past. */
    pods = kin_test_collection(state, "later");
    assert_code(list_code(3), KIN_EEXPIRED);
    assert_code(list_code(4), 0);
}

static void the_window_is_a_number_of_changes(void **unused)
{
    kin__collection *others;

    (void)unused;
    kin__state_free(state);
    state = kin_test_open_state(NULL, 3, 0);
    pods = kin_test_collection(state, "pods");
    others = kin_test_collection(state, "others");
    for (unsigned i = 0; i < 5; i++)
        kin_test_put(state, pods, "a/x", i); /* 2 … 6 */
    for (unsigned i = 0; i < 5; i++)
        kin_test_put(state, others, "o", i);
    assert_code(list_code(2), KIN_EEXPIRED);
    assert_string_equal(kin_test_list(state, pods, 3), "a/x=1@3");
    assert_string_equal(kin_test_list(state, pods, 11), "a/x=4@6");
}

/* What can be listed from the oldest version on. */
static uint64_t oldest(void)
{
    uint64_t version = kin__state_version(state);

    while (version > 1 && list_code(version - 1) == 0)
        version--;
    return version;
}

static void the_window_is_a_sum_of_bytes(void **unused)
{
    kin__collection *others;
    const kin_object *object = NULL;
    size_t size;

    (void)unused;
    assert_code(kin_test_document(&object, kin_str_of("a/x"), 10, 1, 0, NULL), 0);
    size = kin_object_size(object);
    kin_object_unref(object);
    kin__state_free(state);
    state = kin_test_open_state(NULL, 0, 4 * size + size / 2);
    pods = kin_test_collection(state, "pods");
    others = kin_test_collection(state, "others");
    kin_test_put(state, pods, "a/x", 1);
    for (unsigned i = 0; i < 20; i++) /* creations supersede nothing */
        kin_test_put(state, others, (char[]){(char)('a' + i), '\0'}, i);
    assert_int_equal(oldest(), 1);
    for (unsigned i = 0; i < 4; i++)
        kin_test_put(state, pods, "a/x", i); /* 23 … 26 */
    assert_int_equal(oldest(), 1);
    kin_test_put(state, others, "a", 1); /* the oldest of all goes, whose ever it is */
    assert_int_equal(oldest(), 23);
    kin_test_delete(state, others, "a"); /* holds the state before, and the last one */
    assert_int_equal(oldest(), 25);
    kin__state_compact(state);
    for (unsigned i = 0; i < 4; i++)
        kin_test_put(state, pods, "a/x", i);
    assert_int_equal(oldest(), 28);
    assert_code(kin__state_rewind(state, 28, NULL), 0);
    for (unsigned i = 0; i < 4; i++) /* what is undone is not held any more */
        kin_test_put(state, pods, "a/x", i);
    assert_int_equal(oldest(), 28);
}

static void deleted_keys_go_with_their_deletion(void **unused)
{
    size_t live = 0;
    char key[16];

    (void)unused;
    kin__state_free(state);
    state = kin_test_open_state(NULL, 4, 0);
    pods = kin_test_collection(state, "pods");
    for (unsigned i = 0; i < 2000; i++) {
        if (i == 1000)
            live = kin_test_alloc_live();
        snprintf(key, sizeof(key), "a/%u", i);
        kin_test_put(state, pods, key, i);
        kin_test_delete(state, pods, key);
    }
    assert_true(kin_test_alloc_live() <= live + 2);
}

static void it_goes_back(void **unused)
{
    kin_error err = KIN_ERROR_INIT;

    (void)unused;
    kin_test_put(state, pods, "a/w", 1);
    kin_test_put(state, pods, "a/x", 2);
    kin_test_delete(state, pods, "a/w"); /* 4 */
    kin_test_put(state, pods, "a/x", 3);
    kin_test_put(state, pods, "a/w", 4);
    kin_test_put(state, pods, "a/z", 5);
    kin_test_delete(state, pods, "a/x"); /* 8 */
    assert_code(kin__state_rewind(state, 9, &err), KIN_ERANGE);
    assert_code(kin__state_rewind(state, 4, &err), 0);
    assert_int_equal(kin__state_version(state), 4);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=2@3");
    assert_string_equal(kin_test_list(state, pods, 3), "a/w=1@2 a/x=2@3");
    assert_code(list_code(5), KIN_ERANGE);
    assert_int_equal(kin_test_put(state, pods, "a/x", 6), 5);
    assert_code(kin__state_rewind(state, 3, &err), 0);
    assert_string_equal(kin_test_list(state, pods, 0), "a/w=1@2 a/x=2@3");
    assert_code(kin__state_rewind(state, 1, &err), 0);
    assert_string_equal(kin_test_list(state, pods, 0), "");
    kin_test_put(state, pods, "a/x", 6);
    kin__state_compact(state);
    assert_code(kin__state_rewind(state, 1, &err), KIN_EEXPIRED);
    assert_code(kin__state_rewind(state, 2, &err), 0);
}

static void what_remains_is_right_after_going_back(void **unused)
{
    kin__state_query query = {.limit = 1};
    kin__state_page page;

    (void)unused;
    fill(3);
    kin_test_delete(state, pods, "b/0001");
    kin_test_put(state, pods, "d/1", 1);
    assert_code(kin__state_rewind(state, 10, NULL), 0);
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_int_equal(page.remaining, 8);
    kin_object_list_done(&page.objects);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(a_new_one_has_version_1_and_nothing),
        test(the_first_version_can_be_chosen),
        test(a_first_version_lasts_without_a_write),
        test(one_version_counts_the_writes_of_all_collections),
        test(a_write_shows_what_is_there),
        test(done_is_called_once_the_write_is_seen),
        test(lists_of_any_version_can_be_had),
        test(pages_go_on_behind_the_last_key),
        test(a_page_that_is_just_full_has_no_more),
        test(a_place_before_the_prefix_is_no_place),
        test(match_decides_and_does_not_count_for_more),
        test(a_list_is_one_version_whatever_is_written),
        test(a_list_ends_when_the_state_goes_back),
        test(what_is_compacted_is_gone),
        test(the_window_is_a_number_of_changes),
        test(the_window_is_a_sum_of_bytes),
        test(deleted_keys_go_with_their_deletion),
        test(it_goes_back),
        test(what_remains_is_right_after_going_back),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
