/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stores that tell everything: one call per write, in the order of the writes.
 */
#include "kin_test.h"
#include "kinform/undelta_store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "child.h"
#include "item.h"
#include "latch.h"
#include "oom.h"

enum { WRITERS = 4, WRITES = 300 };

/* What was pushed last, keys of one letter and versions, sorted: "a1 b2". */
struct pushed {
    kin_undelta_store *store;
    unsigned calls;
    char last[256];
    void (*during)(struct pushed *pushed); /* run in the call; may be NULL */
};

static int compare_items(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

static void note(const kin_object_list *objects, void *arg)
{
    struct pushed *pushed = arg;
    const kin_object *sorted[16] = {NULL};
    size_t len = 0;

    pushed->calls++;
    assert_true(objects->len <= kin__array_len(sorted));
    for (size_t i = 0; i < objects->len; i++)
        sorted[i] = objects->items[i];
    qsort(sorted, objects->len, sizeof(sorted[0]), compare_items);
    pushed->last[0] = '\0';
    for (size_t i = 0; i < objects->len; i++)
        len +=
            (size_t)snprintf(pushed->last + len, sizeof(pushed->last) - len, "%s%s%u", i ? " " : "",
                             kin_object_key(sorted[i]), kin_test_item_version(sorted[i]));
    if (pushed->during)
        pushed->during(pushed);
}

static void setup(struct pushed *pushed)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;

    *pushed = (struct pushed){NULL, 0, "", NULL};
    options.push = note;
    options.push_arg = pushed;
    assert_code(kin_undelta_store_new(&pushed->store, &options, NULL), 0);
}

static void teardown(struct pushed *pushed)
{
    kin_undelta_store_unref(pushed->store);
    assert_int_equal(kin_test_items_live(), 0);
}

static void add(kin_undelta_store *store, const char *key, unsigned version)
{
    const kin_object *item = kin_test_item(key, version, NULL);

    assert_code(kin_undelta_store_add(store, item, NULL), 0);
    kin_object_unref(item);
}

static void assert_pushed(const struct pushed *pushed, unsigned calls, const char *last)
{
    assert_int_equal(pushed->calls, calls);
    assert_string_equal(pushed->last, last);
}

/* --- calls --- */

static void each_write_makes_one_call(void **state)
{
    struct pushed pushed;
    const kin_object *item = kin_test_item("a", 3, NULL);

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    assert_pushed(&pushed, 1, "a1");
    add(pushed.store, "b", 2);
    assert_pushed(&pushed, 2, "a1 b2");
    assert_code(kin_undelta_store_update(pushed.store, item, NULL), 0);
    assert_pushed(&pushed, 3, "a3 b2");
    kin_object_unref(item);
    teardown(&pushed);
}

static void a_deletion_makes_a_call(void **state)
{
    struct pushed pushed;
    const kin_object *name = NULL;

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    add(pushed.store, "b", 2);
    assert_code(kin_explicit_key_new(&name, kin_str_of("a"), NULL), 0);
    assert_code(kin_undelta_store_delete(pushed.store, name, NULL), 0);
    assert_pushed(&pushed, 3, "b2");
    assert_code(kin_undelta_store_delete(pushed.store, name, NULL), 0); /* nothing to delete */
    assert_pushed(&pushed, 4, "b2");
    kin_object_unref(name);
    teardown(&pushed);
}

static void a_replacement_makes_one_call(void **state)
{
    struct pushed pushed;
    const kin_object *items[] = {kin_test_item("b", 2, NULL), kin_test_item("c", 3, NULL),
                                 kin_test_item("b", 4, NULL)};
    kin_replace *replace = NULL;

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    assert_code(kin_undelta_store_replace(pushed.store, items, 3, kin_str_of("9"), NULL), 0);
    assert_pushed(&pushed, 2, "b4 c3");
    assert_code(kin_undelta_store_replace_begin(pushed.store, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, items[0], NULL), 0);
    assert_pushed(&pushed, 2, "b4 c3");
    assert_code(kin_replace_commit(replace, kin_str_of("10"), NULL), 0);
    assert_pushed(&pushed, 3, "b2");
    assert_code(kin_undelta_store_replace(pushed.store, NULL, 0, kin_str_of("11"), NULL), 0);
    assert_pushed(&pushed, 4, "");
    for (size_t i = 0; i < kin__array_len(items); i++)
        kin_object_unref(items[i]);
    teardown(&pushed);
}

static void reads_and_bookmarks_make_none(void **state)
{
    struct pushed pushed;
    const kin_object *found = NULL;
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    char version[16];

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 7);
    assert_code(kin_undelta_store_get(pushed.store, &found, kin_str_of("a"), NULL), 0);
    assert_int_equal(kin_test_item_version(found), 7);
    assert_code(kin_undelta_store_get_object(pushed.store, NULL, found, NULL), 0);
    assert_code(kin_undelta_store_get(pushed.store, NULL, kin_str_of("z"), NULL), KIN_ENOTFOUND);
    assert_code(kin_undelta_store_list(pushed.store, &objects, NULL), 0);
    assert_int_equal(objects.len, 1);
    assert_code(kin_undelta_store_list_keys(pushed.store, &keys, NULL), 0);
    assert_int_equal(keys.len, 1);
    assert_int_equal(kin_undelta_store_len(pushed.store), 1);
    assert_int_equal(kin_undelta_store_resource_version(pushed.store, version, sizeof(version)), 1);
    assert_string_equal(version, "7");
    assert_code(kin_undelta_store_bookmark(pushed.store, kin_str_of("88"), NULL), 0);
    assert_int_equal(kin_undelta_store_resource_version(pushed.store, version, sizeof(version)), 2);
    assert_code(kin_undelta_store_resync(pushed.store, NULL), 0);
    assert_pushed(&pushed, 1, "a7");
    kin_object_unref(found);
    kin_object_list_done(&objects);
    kin_string_list_done(&keys);
    teardown(&pushed);
}

static int bad_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)object;
    (void)ret;
    (void)arg;
    return kin_error_set(err, KIN_ERANGE, "no key");
}

static void a_write_that_fails_makes_none(void **state)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct pushed pushed;
    const kin_object *items[] = {kin_test_item("b", 1, NULL), kin_test_item("", 1, NULL)};
    kin_undelta_store *other = NULL;
    kin_replace *replace = NULL;

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    assert_code(kin_undelta_store_add(pushed.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_update(pushed.store, items[1], NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_delete(pushed.store, items[1], NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_replace(pushed.store, items, 2, kin_str_of("1"), NULL),
                KIN_EINVAL);
    assert_code(kin_undelta_store_replace_begin(pushed.store, &replace, NULL), 0);
    kin_replace_abort(replace);
    assert_pushed(&pushed, 1, "a1");
    options.push = note;
    options.push_arg = &pushed;
    options.key = bad_key;
    assert_code(kin_undelta_store_new(&other, &options, NULL), 0);
    assert_code(kin_undelta_store_add(other, items[0], NULL), KIN_ERANGE);
    assert_code(kin_undelta_store_delete(other, items[0], NULL), KIN_ERANGE);
    assert_code(kin_undelta_store_get_object(other, NULL, items[0], NULL), KIN_ERANGE);
    assert_pushed(&pushed, 1, "a1");
    kin_undelta_store_unref(other);
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
    teardown(&pushed);
}

static void wrong_arguments_are_told(void **state)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct pushed pushed;
    kin_undelta_store *none = NULL;
    const kin_object *item;
    kin_replace *replace = NULL;
    char *key = calloc(1, KIN_KEY_BYTES_MAX + 2);
    kin_str too_long = {key, KIN_RESOURCE_VERSION_BYTES_MAX + 1};

    (void)state;
    assert_non_null(key);
    memset(key, '1', KIN_KEY_BYTES_MAX + 1);
    item = kin_test_item(key, 1, NULL);
    assert_code(kin_undelta_store_new(&none, NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_new(&none, &options, NULL), KIN_EINVAL);
    options.push = note;
    assert_code(kin_undelta_store_new(NULL, &options, NULL), KIN_EINVAL);
    options.size = 0;
    assert_code(kin_undelta_store_new(&none, &options, NULL), KIN_EINVAL);
    assert_null(none);
    setup(&pushed);
    assert_code(kin_undelta_store_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_add(pushed.store, item, NULL), KIN_ELIMIT);
    assert_code(kin_undelta_store_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_delete(pushed.store, item, NULL), KIN_ELIMIT);
    assert_code(kin_undelta_store_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_replace_begin(pushed.store, NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_replace(NULL, &item, 1, kin_str_of("1"), NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_bookmark(NULL, kin_str_of("1"), NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_bookmark(pushed.store, too_long, NULL), KIN_ELIMIT);
    assert_code(kin_undelta_store_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_get(NULL, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_get_object(pushed.store, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_get_object(pushed.store, NULL, item, NULL), KIN_ELIMIT);
    assert_code(kin_undelta_store_list(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_undelta_store_list_keys(pushed.store, NULL, NULL), KIN_EINVAL);
    assert_int_equal(kin_undelta_store_len(NULL), 0);
    assert_int_equal(kin_undelta_store_resource_version(NULL, NULL, 0), 0);
    assert_null(kin_undelta_store_ref(NULL));
    kin_undelta_store_unref(NULL);
    assert_pushed(&pushed, 0, "");
    kin_object_unref(item);
    teardown(&pushed);
    free(key);
}

/* --- what the function may do --- */

static void write_twice(struct pushed *pushed)
{
    unsigned before = pushed->calls;

    if (pushed->calls > 1)
        return;
    add(pushed->store, "b", 2);
    assert_int_equal(pushed->calls, before + 1); /* its call was made */
    assert_string_equal(pushed->last, "a1 b2");
    for (unsigned i = 0; i < 8; i++) {
        char key[2] = {(char)('c' + i), '\0'};

        add(pushed->store, key, i);
    }
}

static void the_function_may_write(void **state)
{
    struct pushed pushed;

    (void)state;
    setup(&pushed);
    pushed.during = write_twice;
    add(pushed.store, "a", 1);
    assert_pushed(&pushed, 10, "a1 b2 c0 d1 e2 f3 g4 h5 i6 j7");
    add(pushed.store, "a", 2);
    assert_pushed(&pushed, 11, "a2 b2 c0 d1 e2 f3 g4 h5 i6 j7");
    teardown(&pushed);
}

/* The list that the outer call has must survive what the inner write takes out. */
static void push_and_delete(const kin_object_list *objects, void *arg)
{
    struct pushed *pushed = arg;

    if (++pushed->calls != 1)
        return;
    assert_int_equal(objects->len, 1);
    assert_code(kin_undelta_store_replace(pushed->store, NULL, 0, kin_str_make(NULL, 0), NULL), 0);
    assert_int_equal(kin_test_item_version(objects->items[0]), 1);
}

static void what_the_function_has_stays_while_it_runs(void **state)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct pushed pushed = {NULL, 0, "", NULL};
    const kin_object *items[1] = {kin_test_item("a", 1, NULL)};
    kin_replace *replace = NULL;

    (void)state;
    options.push = push_and_delete;
    options.push_arg = &pushed;
    assert_code(kin_undelta_store_new(&pushed.store, &options, NULL), 0);
    assert_code(kin_undelta_store_replace_begin(pushed.store, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, items[0], NULL), 0);
    kin_object_unref(items[0]);
    assert_code(kin_replace_commit(replace, kin_str_of("1"), NULL), 0);
    assert_int_equal(pushed.calls, 2);
    teardown(&pushed);
}

static void give_back(struct pushed *pushed)
{
    kin_undelta_store_unref(pushed->store);
    pushed->store = NULL;
}

static void the_function_may_give_the_last_reference_back(void **state)
{
    struct pushed pushed;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    setup(&pushed);
    pushed.during = give_back;
    assert_code(kin_undelta_store_add(pushed.store, item, NULL), 0);
    assert_pushed(&pushed, 1, "a1");
    kin_object_unref(item);
    assert_int_equal(kin_test_items_live(), 0);
}

/* A key function that writes to its own store. */
struct writing_key {
    kin_undelta_store *store;
    const kin_object *item;
    int code;
};

static int key_that_writes(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    struct writing_key *w = arg;

    (void)err;
    if (object != w->item)
        w->code = kin_undelta_store_add(w->store, w->item, NULL);
    *ret = kin_str_of(kin_object_key(object));
    return 0;
}

static void a_key_function_may_not_write(void **state)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct pushed pushed = {NULL, 0, "", NULL};
    struct writing_key w = {NULL, kin_test_item("x", 1, NULL), 0};
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    options.push = note;
    options.push_arg = &pushed;
    options.key = key_that_writes;
    options.key_arg = &w;
    assert_code(kin_undelta_store_new(&w.store, &options, NULL), 0);
    assert_code(kin_undelta_store_add(w.store, item, NULL), 0);
    assert_code(w.code, KIN_EBUSY);
    assert_pushed(&pushed, 1, "a1");
    kin_object_unref(w.item);
    kin_object_unref(item);
    kin_undelta_store_unref(w.store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* --- threads --- */

struct writer {
    kin_undelta_store *store;
    char key[2];
    pthread_t thread;
};

/* Who writes has the turn: plain fields. */
struct seen {
    unsigned versions[WRITERS];
    unsigned calls;
    unsigned went_back;
};

static void watch(const kin_object_list *objects, void *arg)
{
    struct seen *seen = arg;

    seen->calls++;
    for (size_t i = 0; i < objects->len; i++) {
        unsigned *version = &seen->versions[kin_object_key(objects->items[i])[0] - 'a'];

        seen->went_back += kin_test_item_version(objects->items[i]) < *version;
        *version = kin_test_item_version(objects->items[i]);
    }
}

static void *write_many(void *arg)
{
    struct writer *writer = arg;

    for (unsigned i = 1; i <= WRITES; i++)
        add(writer->store, writer->key, i);
    return NULL;
}

static void calls_are_in_the_order_of_writes(void **state)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct seen seen = {{0}, 0, 0};
    struct writer writers[WRITERS];
    kin_undelta_store *store = NULL;

    (void)state;
    options.push = watch;
    options.push_arg = &seen;
    assert_code(kin_undelta_store_new(&store, &options, NULL), 0);
    for (unsigned i = 0; i < WRITERS; i++) {
        writers[i] = (struct writer){.store = store, .key = {(char)('a' + i), '\0'}};
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_many, &writers[i]), 0);
    }
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    assert_int_equal(seen.calls, WRITERS * WRITES);
    assert_int_equal(seen.went_back, 0);
    for (unsigned i = 0; i < WRITERS; i++)
        assert_int_equal(seen.versions[i], WRITES);
    kin_undelta_store_unref(store);
}

/* A call that takes long. */
struct slow {
    struct pushed pushed;
    kin_test_latch in_call;
    kin_test_latch go_on;
};

static void wait_in_call(struct pushed *pushed)
{
    struct slow *slow = kin__container_of(pushed, struct slow, pushed);

    if (pushed->calls > 1)
        return;
    kin_test_latch_raise(&slow->in_call);
    kin_test_latch_wait(&slow->go_on, 1);
}

static void *write_one(void *arg)
{
    struct writer *writer = arg;

    add(writer->store, writer->key, 1);
    return NULL;
}

static void readers_do_not_wait_for_a_call_and_writers_do(void **state)
{
    struct slow slow;
    struct writer writers[2] = {{.key = "a"}, {.key = "b"}};

    (void)state;
    setup(&slow.pushed);
    slow.pushed.during = wait_in_call;
    kin_test_latch_init(&slow.in_call);
    kin_test_latch_init(&slow.go_on);
    for (unsigned i = 0; i < 2; i++) {
        writers[i].store = slow.pushed.store;
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_one, &writers[i]), 0);
        if (i == 0)
            kin_test_latch_wait(&slow.in_call, 1);
    }
    assert_code(kin_undelta_store_get(slow.pushed.store, NULL, kin_str_of("a"), NULL), 0);
    assert_code(kin_undelta_store_get(slow.pushed.store, NULL, kin_str_of("b"), NULL),
                KIN_ENOTFOUND);
    kin_test_latch_raise(&slow.go_on);
    for (unsigned i = 0; i < 2; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    assert_pushed(&slow.pushed, 2, "a1 b1");
    kin_test_latch_done(&slow.in_call);
    kin_test_latch_done(&slow.go_on);
    teardown(&slow.pushed);
}

/* --- memory --- */

static int use(struct pushed *pushed, const kin_object *const *items, kin_error *err)
{
    int code = kin_undelta_store_add(pushed->store, items[0], err);

    assert_pushed(pushed, code == 0, code == 0 ? "a1" : "");
    if (code == 0) {
        code = kin_undelta_store_add(pushed->store, items[1], err);
        assert_pushed(pushed, code == 0 ? 2 : 1, code == 0 ? "a1 b2" : "a1");
        assert_int_equal(kin_undelta_store_len(pushed->store), code == 0 ? 2 : 1);
    }
    if (code == 0) {
        code = kin_undelta_store_replace(pushed->store, items + 2, 8, kin_str_of("9"), err);
        assert_pushed(pushed, code == 0 ? 3 : 2, code == 0 ? "c0 d1 e2 f3 g4 h5 i6 j7" : "a1 b2");
        assert_int_equal(kin_undelta_store_len(pushed->store), code == 0 ? 8 : 2);
    }
    if (code == 0) {
        code = kin_undelta_store_delete(pushed->store, items[2], err);
        assert_pushed(pushed, code == 0 ? 4 : 3,
                      code == 0 ? "d1 e2 f3 g4 h5 i6 j7" : "c0 d1 e2 f3 g4 h5 i6 j7");
    }
    return code;
}

static int scenario(void *arg, kin_error *err)
{
    kin_undelta_store_options options = KIN_UNDELTA_STORE_OPTIONS_INIT;
    struct pushed pushed = {NULL, 0, "", NULL};
    int code;

    options.push = note;
    options.push_arg = &pushed;
    code = kin_undelta_store_new(&pushed.store, &options, err);
    if (code == 0)
        code = use(&pushed, arg, err);
    kin_undelta_store_unref(pushed.store);
    return code;
}

static void a_failed_allocation_changes_nothing_and_makes_no_call(void **state)
{
    const kin_object *items[10];

    (void)state;
    items[0] = kin_test_item("a", 1, NULL);
    items[1] = kin_test_item("b", 2, NULL);
    for (unsigned i = 0; i < 8; i++) {
        char key[2] = {(char)('c' + i), '\0'};

        items[2 + i] = kin_test_item(key, i, NULL);
    }
    kin_test_fail_each_allocation(scenario, items);
    for (unsigned i = 0; i < kin__array_len(items); i++)
        kin_object_unref(items[i]);
    assert_int_equal(kin_test_items_live(), 0);
}

static void the_list_of_a_deletion_needs_no_new_memory(void **state)
{
    struct pushed pushed;
    const kin_object *item = kin_test_item("a", 1, NULL);

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    add(pushed.store, "b", 2);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_undelta_store_delete(pushed.store, item, NULL), 0);
    kin_test_alloc_disarm();
    assert_pushed(&pushed, 3, "b2");
    kin_object_unref(item);
    teardown(&pushed);
}

/* --- fork --- */

struct forked {
    kin_undelta_store *store;
    kin_replace *replace;
};

static int in_child(void *arg)
{
    struct forked *forked = arg;
    kin_undelta_store *store = forked->store;
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_replace *replace = NULL;
    int codes[] = {
        kin_undelta_store_add(store, item, NULL),
        kin_undelta_store_delete(store, item, NULL),
        kin_undelta_store_replace_begin(store, &replace, NULL),
        kin_undelta_store_replace(store, &item, 1, kin_str_of("1"), NULL),
        kin_undelta_store_bookmark(store, kin_str_of("1"), NULL),
        kin_undelta_store_get(store, NULL, kin_str_of("a"), NULL),
        kin_undelta_store_get_object(store, NULL, item, NULL),
        kin_undelta_store_list(store, &objects, NULL),
        kin_undelta_store_list_keys(store, &keys, NULL),
        kin_replace_add(forked->replace, item, NULL),
        kin_replace_commit(forked->replace, kin_str_of("1"), NULL),
    };

    for (size_t i = 0; i < kin__array_len(codes); i++)
        if (codes[i] != KIN_EFORKED)
            return (int)i + 1;
    kin_undelta_store_unref(store);
    return 0;
}

static void a_forked_child_only_frees(void **state)
{
    struct pushed pushed;
    struct forked forked;
    kin_test_child child;

    (void)state;
    setup(&pushed);
    add(pushed.store, "a", 1);
    forked.store = pushed.store;
    assert_code(kin_undelta_store_replace_begin(pushed.store, &forked.replace, NULL), 0);
    kin_test_run_child(&child, in_child, &forked);
    assert_int_equal(child.exit_code, 0);
    kin_replace_abort(forked.replace);
    add(pushed.store, "a", 2);
    assert_pushed(&pushed, 2, "a2");
    teardown(&pushed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_write_makes_one_call),
        cmocka_unit_test(a_deletion_makes_a_call),
        cmocka_unit_test(a_replacement_makes_one_call),
        cmocka_unit_test(reads_and_bookmarks_make_none),
        cmocka_unit_test(a_write_that_fails_makes_none),
        cmocka_unit_test(wrong_arguments_are_told),
        cmocka_unit_test(the_function_may_write),
        cmocka_unit_test(what_the_function_has_stays_while_it_runs),
        cmocka_unit_test(the_function_may_give_the_last_reference_back),
        cmocka_unit_test(a_key_function_may_not_write),
        cmocka_unit_test(calls_are_in_the_order_of_writes),
        cmocka_unit_test(readers_do_not_wait_for_a_call_and_writers_do),
        cmocka_unit_test(a_failed_allocation_changes_nothing_and_makes_no_call),
        cmocka_unit_test(the_list_of_a_deletion_needs_no_new_memory),
        cmocka_unit_test(a_forked_child_only_frees),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
