/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes that wait for their storage: who sees them when, what happens if it fails; and a lack of
 * memory at any moment.
 */
#include "kin_test.h"

#include <pthread.h>
#include <string.h>

#include "alloc.h"
#include "apiserver/state/state_inside.h"
#include "base/compiler.h"
#include "base/error.h"
#include "kinform/json.h"
#include "latch.h"
#include "oom.h"
#include "state_support.h"

static kin_test_storage storage;
static kin__state *state;
static kin__collection *pods;

static void open_state(size_t window_changes)
{
    kin__state_options options = {.storage = &storage.base, .window_changes = window_changes};

    kin_test_storage_init(&storage);
    assert_code(kin__state_new(&state, &options, NULL), 0);
    pods = kin_test_collection(state, "pods");
}

static int set_up(void **unused)
{
    (void)unused;
    open_state(0);
    return 0;
}

static int tear_down(void **unused)
{
    (void)unused;
    kin__state_free(state);
    assert_true(storage.is_freed);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void on_notify(kin__watcher *watcher)
{
    (void)watcher;
}

static size_t changes_behind(uint64_t version)
{
    kin__watcher watcher = {.notify = on_notify};
    kin__change *changes[16];
    uint64_t up_to;
    size_t n;

    assert_code(kin__watcher_open(&watcher, state, pods, version, NULL), 0);
    assert_code(kin__watcher_read(&watcher, changes, 16, &n, &up_to), 0);
    assert_int_equal(up_to, kin__state_version(state));
    for (size_t i = 0; i < n; i++)
        kin__change_unref(changes[i]);
    kin__watcher_close(&watcher);
    return n;
}

static void what_is_not_durable_is_seen_by_writers_only(void **unused)
{
    kin_test_done done[3];
    kin__write write;

    (void)unused;
    for (unsigned i = 0; i < 3; i++)
        kin_test_done_init(&done[i], NULL);
    assert_code(kin_test_try_put(state, pods, "a/x", 1, &done[0].base, NULL, NULL), 0);
    assert_code(kin_test_try_put(state, pods, "a/x", 2, &done[1].base, NULL, NULL), 0);
    assert_code(kin_test_try_put(state, pods, "a/y", 3, &done[2].base, NULL, NULL), 0);
    assert_int_equal(storage.n, 3);
    assert_int_equal(kin__state_version(state), 1);
    assert_int_equal(kin_test_value(state, pods, "a/x"), -1);
    assert_string_equal(kin_test_list(state, pods, 0), "");
    assert_int_equal(changes_behind(1), 0);
    kin__state_begin(state, &write, pods, kin_str_of("a/x"));
    assert_int_equal(kin_test_document_value(write.current), 2);
    assert_int_equal(write.version, 5);
    kin__state_abort(state, &write);

    kin_test_storage_written(&storage, 2, 0);
    assert_int_equal(done[0].calls, 1);
    assert_int_equal(done[1].calls, 0);
    assert_int_equal(kin__state_version(state), 2);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=1@2");
    assert_int_equal(changes_behind(1), 1);
    kin_test_storage_written(&storage, 4, 0);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=2@3 a/y=3@4");
    assert_int_equal(changes_behind(1), 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(done[i].calls, 1);
        assert_code(done[i].code, 0);
    }
}

static void more_than_a_batch_is_published(void **unused)
{
    char key[16];

    (void)unused;
    for (unsigned i = 0; i < 200; i++) {
        snprintf(key, sizeof(key), "a/%u", i);
        kin_test_put(state, pods, key, i);
    }
    kin_test_storage_written(&storage, 151, 0);
    assert_int_equal(kin__state_version(state), 151);
    kin_test_storage_written(&storage, 201, 0);
    assert_int_equal(kin__state_version(state), 201);
}

static void what_remains_does_not_count_what_is_not_durable(void **unused)
{
    kin__state_query query = {.limit = 1};
    kin__state_page page;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/y", 2);
    kin_test_put(state, pods, "a/z", 3);
    kin_test_storage_written(&storage, 3, 0);
    kin_test_delete(state, pods, "a/y");
    assert_code(kin__state_list(state, pods, &query, &page, NULL), 0);
    assert_true(page.more);
    assert_int_equal(page.remaining, 1);
    kin_object_list_done(&page.objects);
    kin_test_storage_written(&storage, 5, 0);
}

static void *break_storage(void *arg)
{
    (void)arg;
    kin_test_storage_written(&storage, 0, KIN_ESYSTEM);
    return NULL;
}

static void a_failed_storage_undoes_what_it_has_not(void **unused)
{
    pthread_t thread;
    kin_test_done done[100];
    kin_error err = KIN_ERROR_INIT;
    kin__write write;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/y", 1);
    kin_test_storage_written(&storage, 3, 0);
    for (unsigned i = 0; i < 100; i++) {
        kin_test_done_init(&done[i], NULL);
        if (i == 50)
            assert_code(kin_test_try_delete(state, pods, "a/x", &done[i].base, NULL, NULL), 0);
        else
            assert_code(kin_test_try_put(state, pods, (const char *[]){"a/x", "a/z"}[i % 2], i,
                                         &done[i].base, NULL, NULL),
                        0);
    }
    kin__state_begin(state, &write, pods, kin_str_of("a/z")); /* one that has begun already */
    assert_int_equal(kin_test_document_value(write.current), 99);
    assert_int_equal(pthread_create(&thread, NULL, break_storage, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(kin_test_document_value(write.current), 99);
    for (unsigned i = 0; i < 100; i++) {
        assert_int_equal(done[i].calls, 1);
        assert_code(done[i].code, KIN_ESYSTEM);
    }
    assert_code(kin__state_commit(state, &write, write.current, false, NULL, &err), KIN_ESYSTEM);
    assert_string_equal(err.message, "the storage has failed: the disk is gone");
    assert_code(kin_test_try_put(state, pods, "a/x", 5, NULL, NULL, NULL), KIN_ESYSTEM);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=1@2 a/y=1@3");
    assert_int_equal(changes_behind(1), 2);
    assert_int_equal(kin__state_version(state), 3);
    assert_code(kin__state_rewind(state, 2, NULL), KIN_ESYSTEM);
}

static void what_the_storage_does_not_take_never_was(void **unused)
{
    kin_test_done done;
    kin__write write;

    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_done_init(&done, NULL);
    storage.append_code = KIN_ENOMEM;
    assert_code(kin_test_try_put(state, pods, "a/x", 2, &done.base, NULL, NULL), KIN_ENOMEM);
    assert_code(kin_test_try_put(state, pods, "a/y", 2, &done.base, NULL, NULL), KIN_ENOMEM);
    storage.append_code = 0;
    assert_int_equal(pods->n_pending, 1);
    kin__state_begin(state, &write, pods, kin_str_of("a/x"));
    assert_int_equal(write.version, 3);
    assert_int_equal(kin_test_document_value(write.current), 1);
    kin__state_abort(state, &write);
    kin_test_put(state, pods, "a/z", 3);
    kin_test_storage_written(&storage, 3, 0);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=1@2 a/z=3@3");
    assert_int_equal(done.calls, 0);
}

/* A key that was deleted, forgotten, and is there again for writers only. */
static void forgetting_does_not_touch_what_is_not_durable(void **unused)
{
    (void)unused;
    kin_test_put(state, pods, "a/x", 1);
    kin_test_delete(state, pods, "a/x");
    kin_test_put(state, pods, "a/x", 2);
    kin_test_storage_written(&storage, 3, 0);
    kin__state_compact(state);
    assert_string_equal(kin_test_list(state, pods, 0), "");
    kin_test_storage_written(&storage, 4, 0);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=2@4");
    kin_test_delete(state, pods, "a/x");
    kin_test_put(state, pods, "a/x", 3);
    kin_test_storage_written(&storage, 5, 0);
    kin__state_compact(state);
    kin_test_storage_written(&storage, 0, KIN_ESYSTEM);
    assert_string_equal(kin_test_list(state, pods, 0), "");
}

static void the_storage_is_told_what_to_forget(void **unused)
{
    (void)unused;
    kin__state_free(state);
    open_state(2);
    for (unsigned i = 0; i < 67; i++) {
        kin_test_put(state, pods, "a/x", i);
        kin_test_storage_written(&storage, 2 + i, 0);
    }
    assert_int_equal(storage.n_dead, 63); /* some at a time */
    assert_int_equal(storage.compacted, 65);
    kin_test_delete(state, pods, "a/x"); /* 69 */
    kin_test_put(state, pods, "a/x", 1);
    kin_test_storage_written(&storage, 70, 0);
    kin__state_compact(state);
    assert_int_equal(storage.compacted, 70);
    assert_int_equal(storage.n_dead, 68); /* all but the one that is there */
}

struct going_back {
    kin_test_latch done;
    int code;
};

static void *go_back(void *arg)
{
    struct going_back *going_back = arg;

    going_back->code = kin__state_rewind(state, 2, NULL);
    kin_test_latch_raise(&going_back->done);
    return NULL;
}

static void going_back_waits_for_what_is_not_durable(void **unused)
{
    struct going_back going_back = {.code = 1};
    pthread_t thread;
    bool is_waiting = false;

    (void)unused;
    kin_test_latch_init(&going_back.done);
    kin_test_put(state, pods, "a/x", 1);
    kin_test_put(state, pods, "a/x", 2);
    kin_test_storage_written(&storage, 2, 0);
    assert_int_equal(pthread_create(&thread, NULL, go_back, &going_back), 0);
    while (!is_waiting) { /* until it keeps others from writing */
        is_waiting = !kin__mutex_try_lock(&state->writer);
        if (!is_waiting)
            kin__mutex_unlock(&state->writer);
    }
    assert_int_equal(storage.rewound, 0);
    kin_test_storage_written(&storage, 3, 0);
    kin_test_latch_wait(&going_back.done, 1);
    pthread_join(thread, NULL);
    assert_code(going_back.code, 0);
    assert_int_equal(storage.rewound, 2);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=1@2");
    storage.rewind_code = KIN_ESYSTEM;
    assert_code(kin__state_rewind(state, 1, NULL), KIN_ESYSTEM);
    assert_string_equal(kin_test_list(state, pods, 0), "a/x=1@2");
    kin_test_latch_done(&going_back.done);
}

/* --- no memory --- */

static int write_some(kin__state *s, kin__collection *collection, kin_error *err)
{
    char key[16];
    int code = 0;

    for (unsigned i = 0; code == 0 && i < 40; i++) {
        snprintf(key, sizeof(key), "a/%u", i * 7 % 20);
        if (i % 5 == 4)
            code = kin_test_try_delete(s, collection, key, NULL, NULL, err);
        else
            code = kin_test_try_put(s, collection, key, i, NULL, NULL, err);
        if (code == KIN_ENOTFOUND)
            code = 0;
    }
    return code;
}

/* What was committed is there, whatever failed. */
static void check_counts(kin__state *s, kin__collection *collection)
{
    kin__state_query query = {.limit = 1};
    kin__state_query all = {.version = 0};
    kin__state_page first;
    kin__state_page page;
    bool is_empty;

    if (kin__state_list(s, collection, &all, &page, NULL) < 0)
        return;
    is_empty = page.objects.len == 0;
    if (!is_empty && kin__state_list(s, collection, &query, &first, NULL) == 0) {
        assert_int_equal(first.remaining, page.objects.len - 1);
        kin_object_list_done(&first.objects);
    }
    kin_object_list_done(&page.objects);
}

static int in_memory(void *arg, kin_error *err)
{
    kin__state_options options = {.window_changes = 8};
    kin__state_query query = {.limit = 5};
    kin__collection *collection = NULL;
    kin__state *s = NULL;
    kin__state_page page;
    int code = kin__state_new(&s, &options, err);

    (void)arg;
    if (code == 0)
        code = kin__state_collection(s, &collection, kin_str_of("pods"), err);
    if (code == 0)
        code = write_some(s, collection, err);
    if (code == 0)
        code = kin__state_list(s, collection, &query, &page, err);
    if (code == 0) {
        kin_object_list_done(&page.objects);
        code = kin__state_rewind(s, kin__state_version(s) - 3, err);
    }
    if (collection)
        check_counts(s, collection);
    kin__state_free(s);
    return code;
}

static int with_storage(void *arg, kin_error *err)
{
    kin_test_storage store;
    kin__state_options options = {.storage = &store.base, .window_changes = 8};
    kin__collection *collection = NULL;
    kin__state *s = NULL;
    int code;

    (void)arg;
    kin_test_storage_init(&store);
    code = kin__state_new(&s, &options, err);
    if (code == 0)
        code = kin__state_collection(s, &collection, kin_str_of("pods"), err);
    if (code == 0)
        code = write_some(s, collection, err);
    if (collection) {
        if (store.n > 5)
            kin_test_storage_written(&store, store.versions[store.n - 5], 0);
        check_counts(s, collection);
        kin_test_storage_written(&store, 0, KIN_ESYSTEM);
        check_counts(s, collection);
    }
    kin__state_free(s);
    return code;
}

static void it_survives_a_lack_of_memory(void **unused)
{
    (void)unused;
    kin_test_fail_each_allocation(in_memory, NULL);
    kin_test_fail_each_allocation(with_storage, NULL);
}

#define test(fn) cmocka_unit_test_setup_teardown(fn, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        test(what_is_not_durable_is_seen_by_writers_only),
        test(more_than_a_batch_is_published),
        test(what_remains_does_not_count_what_is_not_durable),
        test(a_failed_storage_undoes_what_it_has_not),
        test(what_the_storage_does_not_take_never_was),
        test(forgetting_does_not_touch_what_is_not_durable),
        test(the_storage_is_told_what_to_forget),
        test(going_back_waits_for_what_is_not_durable),
        cmocka_unit_test(it_survives_a_lack_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
