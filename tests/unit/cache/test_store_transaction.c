/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Transactions: many writes, one version; those that are wrong are left out; without memory none is
 * done.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "kinform/store.h"
#include "store_support.h"

enum { MAX = 16 };

struct writes {
    kin_write items[MAX];
    size_t n;
};

static void append(struct writes *writes, kin_write_type type, const char *key, unsigned version,
                   const char *tags)
{
    assert_true(writes->n < MAX);
    writes->items[writes->n++] = (kin_write){type, kin_test_item(key, version, tags), 77};
}

static void put(struct writes *writes, const char *key, unsigned version, const char *tags)
{
    append(writes, KIN_WRITE_PUT, key, version, tags);
}

static void del(struct writes *writes, const char *key, unsigned version)
{
    append(writes, KIN_WRITE_DELETE, key, version, NULL);
}

static void done(struct writes *writes)
{
    for (size_t i = 0; i < writes->n; i++)
        kin_object_unref(writes->items[i].object);
    writes->n = 0;
}

static void run(kin_store *store, struct writes *writes)
{
    assert_code(kin_store_write(store, writes->items, writes->n, NULL), 0);
    for (size_t i = 0; i < writes->n; i++)
        assert_int_equal(writes->items[i].code, 0);
    done(writes);
}

static uint64_t version_of(kin_store *store)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;

    assert_code(kin_store_get_stats(store, &stats, NULL), 0);
    return stats.version;
}

static void writes_are_done_in_their_order(void **state)
{
    kin_store *store = test_store_new();
    struct writes writes = {.n = 0};
    uint64_t before;

    (void)state;
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "x");
    before = version_of(store);
    put(&writes, "a", 3, "y");
    del(&writes, "b", 4);
    put(&writes, "c", 5, "x,y");
    run(store, &writes);
    assert_store(store, "2 at 5: a@3(y) c@5(x,y) | tag: x=c y=a,c");
    /* One for all, and one for what was taken out. */
    assert_true(version_of(store) <= before + 2);
    kin_store_unref(store);
}

static void the_same_key_may_come_again(void **state)
{
    kin_store *store = test_store_new();
    struct writes writes = {.n = 0};
    size_t live = kin_test_items_live();

    (void)state;
    test_put(store, "a", 1, "x");
    put(&writes, "a", 2, "y");
    put(&writes, "a", 3, "z");
    del(&writes, "a", 4);
    put(&writes, "a", 5, "x");
    put(&writes, "n", 6, "x");
    del(&writes, "n", 7);
    del(&writes, "m", 8);
    put(&writes, "m", 9, "y");
    run(store, &writes);
    assert_store(store, "2 at 9: a@5(x) m@9(y) | tag: x=a y=m");
    del(&writes, "a", 10);
    put(&writes, "a", 11, "z");
    del(&writes, "a", 12);
    del(&writes, "a", 13);
    run(store, &writes);
    assert_store(store, "1 at 13: m@9(y) | tag: y=m");
    assert_int_equal(test_old_states(store), 0);
    assert_int_equal(kin_test_items_live() - live, 1);
    kin_store_unref(store);
}

/* A view from before sees none of it, one from after sees all. */
static void nobody_sees_half_of_it(void **state)
{
    kin_store *store = test_store_new();
    struct writes writes = {.n = 0};
    kin_view *before = NULL;
    kin_view *after = NULL;

    (void)state;
    test_put(store, "a", 1, "x");
    test_put(store, "b", 2, "y");
    assert_code(kin_view_new(&before, store, NULL), 0);
    put(&writes, "a", 3, "y");
    put(&writes, "a", 4, "y,z");
    del(&writes, "b", 5);
    put(&writes, "b", 6, "x");
    put(&writes, "c", 7, "x");
    run(store, &writes);
    assert_code(kin_view_new(&after, store, NULL), 0);
    del(&writes, "a", 8);
    del(&writes, "b", 9);
    del(&writes, "c", 10);
    run(store, &writes);
    assert_view(before, "2 at 2: a@1(x) b@2(y) | tag: x=a y=b");
    assert_view(after, "3 at 7: a@4(y,z) b@6(x) c@7(x) | tag: x=b,c y=a z=a");
    assert_store(store, "0 at 10: | tag:");
    kin_view_free(before);
    kin_view_free(after);
    kin_store_unref(store);
}

/* client-go's TestCacheTransactionShouldIndexErrors. */
static void those_that_are_wrong_are_left_out(void **state)
{
    kin_store *store = test_store_new();
    struct writes writes = {.n = 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    put(&writes, "a", 1, "x");
    put(&writes, "", 2, "x");
    del(&writes, "", 3);
    put(&writes, "b", 4, "y");
    append(&writes, (kin_write_type)9, "c", 5, "y");
    writes.items[writes.n++] = (kin_write){KIN_WRITE_PUT, NULL, 77};
    writes.items[writes.n++] = (kin_write){KIN_WRITE_DELETE, NULL, 77};
    assert_code(kin_store_write(store, writes.items, writes.n, &err), KIN_EINVAL);
    /* What the first of them said. */
    assert_string_equal(err.message, "an object without a name has no key");
    for (size_t i = 0; i < writes.n; i++)
        assert_code(writes.items[i].code, i == 0 || i == 3 ? 0 : KIN_EINVAL);
    assert_store(store, "2 at 4: a@1(x) b@4(y) | tag: x=a y=b");
    done(&writes);

    /* All are wrong. */
    put(&writes, "", 6, NULL);
    assert_code(kin_store_write(store, writes.items, 1, NULL), KIN_EINVAL);
    assert_store(store, "2 at 4: a@1(x) b@4(y) | tag: x=a y=b");
    done(&writes);

    /* The last one is wrong: the version is that of the last that was done. */
    put(&writes, "c", 7, NULL);
    put(&writes, "", 8, NULL);
    assert_code(kin_store_write(store, writes.items, 2, NULL), KIN_EINVAL);
    assert_store(store, "3 at 7: a@1(x) b@4(y) c@7() | tag: x=a y=b");
    done(&writes);

    /* An index function that fails leaves the object out of the index, not out of the store. */
    put(&writes, "d", 9, "!");
    run(store, &writes);
    assert_store(store, "4 at 9: a@1(x) b@4(y) c@7() d@9(!) | tag: x=a y=b");
    kin_store_unref(store);
}

static void nothing_is_also_a_transaction(void **state)
{
    kin_store *store = test_store_new();
    kin_write write = {KIN_WRITE_PUT, NULL, 77};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_store_write(store, NULL, 0, NULL), 0);
    assert_code(kin_store_write(store, &write, 0, NULL), 0);
    assert_int_equal(write.code, 77);
    assert_code(kin_store_write(store, NULL, 1, &err), KIN_EINVAL);
    assert_string_equal(err.message, "writes is NULL");
    assert_code(kin_store_write(NULL, &write, 1, NULL), KIN_EINVAL);
    assert_code(write.code, KIN_EINVAL);
    kin_store_unref(store);
}

/* --- indexes that are added in between --- */

/* A key function that adds an index, by the number of its call. */
struct adder {
    kin_store *store;
    unsigned calls;
    unsigned add_at[2];
};

static int adding_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    static const char *const names[] = {"second", "third"};
    struct adder *adder = arg;

    (void)err;
    adder->calls++;
    for (unsigned i = 0; i < 2; i++)
        if (adder->calls == adder->add_at[i]) {
            kin_index index = KIN_INDEX_INIT(names[i], kin_test_by_tag);

            assert_code(kin_store_add_index(adder->store, &index, NULL), 0);
        }
    *ret = kin_str_of(kin_object_key(object));
    return 0;
}

static kin_store *adding_store(struct adder *adder)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_index by_tag = KIN_INDEX_INIT("tag", kin_test_by_tag);

    options.key = adding_key;
    options.key_arg = adder;
    assert_code(kin_store_new(&adder->store, &options, NULL), 0);
    assert_code(kin_store_add_index(adder->store, &by_tag, NULL), 0);
    return adder->store;
}

static void an_index_may_come_while_it_is_staged(void **state)
{
    (void)state;
    for (unsigned at = 1; at <= 3; at++) {
        struct adder adder = {NULL, 0, {at, 0}};
        struct writes writes = {.n = 0};
        kin_store *store = adding_store(&adder);

        put(&writes, "a", 1, "x");
        put(&writes, "b", 2, "y");
        del(&writes, "c", 3);
        run(store, &writes);
        assert_store(store, "2 at 3: a@1(x) b@2(y) | tag: x=a y=b | second: x=a y=b");
        kin_store_unref(store);
    }
}

/* One while they are staged, another while they are staged again. */
static void two_indexes_may_come_while_it_is_staged(void **state)
{
    (void)state;
    for (unsigned first = 1; first <= 2; first++)
        for (unsigned second = 3; second <= 8; second++) {
            struct adder adder = {NULL, 0, {first, second}};
            struct writes writes = {.n = 0};
            kin_store *store = adding_store(&adder);
            size_t live = kin_test_items_live();

            put(&writes, "a", 1, "x");
            put(&writes, "b", 2, "y");
            run(store, &writes);
            if (adder.calls >= second)
                assert_store(store, "2 at 2: a@1(x) b@2(y) | tag: x=a y=b | second: x=a y=b | "
                                    "third: x=a y=b");
            else
                assert_store(store, "2 at 2: a@1(x) b@2(y) | tag: x=a y=b | second: x=a y=b");
            assert_int_equal(kin_test_items_live() - live, 2);
            kin_store_unref(store);
        }
}

/* --- without memory --- */

static kin_store *sweep_setup(void *arg)
{
    kin_store *store = test_store_new();

    (void)arg;
    for (unsigned i = 0; i < 5; i++) {
        char key[8];

        snprintf(key, sizeof(key), "k%u", i);
        test_put(store, key, i, i % 2 ? "x" : "y");
    }
    return store;
}

static int sweep_run(kin_store *store, void *arg, kin_error *err)
{
    struct writes writes = {.n = 0};
    int code;

    (void)arg;
    put(&writes, "k1", 10, "z"); /* other values */
    put(&writes, "k2", 11, "y"); /* the same ones */
    del(&writes, "k3", 12);
    put(&writes, "k3", 13, "x,y,z"); /* gone and back */
    put(&writes, "k4", 14, NULL);
    put(&writes, "k4", 15, "x");
    put(&writes, "n1", 16, "v1,v2,v3,v4,v5,v6,v7,v8,v9");
    put(&writes, "n2", 17, "v1,x");
    del(&writes, "n2", 18);
    put(&writes, "n3", 20, "x");
    put(&writes, "n4", 21, "x");
    /* Last: before it there is one more than at first, whatever fails. */
    del(&writes, "k0", 22);
    code = kin_store_write(store, writes.items, writes.n, err);
    for (size_t i = 0; i < writes.n; i++)
        assert_code(writes.items[i].code, code);
    done(&writes);
    return code;
}

static void without_memory_nothing_is_done(void **state)
{
    const test_sweep sweep = {
        sweep_setup, sweep_run, NULL,
        "7 at 22: k1@10(z) k2@11(y) k3@13(x,y,z) k4@15(x) n1@16(v1,v2,v3,v4,v5,v6,v7,v8,v9) "
        "n3@20(x) n4@21(x) | tag: v1=n1 v2=n1 v3=n1 v4=n1 v5=n1 v6=n1 v7=n1 v8=n1 v9=n1 "
        "x=k3,k4,n3,n4 y=k2,k3 z=k1,k3"};
    size_t live = kin_test_items_live();

    (void)state;
    assert_true(test_run_sweep(&sweep) > 20);
    assert_int_equal(kin_test_items_live(), live);
}

/* The error is that of the memory, not of a write that was left out before. */
static void memory_is_the_error_that_counts(void **state)
{
    kin_store *store = test_store_new();
    struct writes writes = {.n = 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    put(&writes, "", 1, NULL);
    put(&writes, "a", 2, "x");
    kin_test_alloc_arm(3, KIN_TEST_FAIL_ONE);
    assert_code(kin_store_write(store, writes.items, writes.n, &err), KIN_ENOMEM);
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(err.code, KIN_ENOMEM);
    assert_code(writes.items[0].code, KIN_ENOMEM);
    assert_code(writes.items[1].code, KIN_ENOMEM);
    done(&writes);
    kin_store_unref(store);
}

/* The same while a view is held: its states are not touched by what is taken back. */
static kin_view *held;

static kin_store *held_setup(void *arg)
{
    kin_store *store = sweep_setup(arg);

    test_put(store, "k1", 5, "y");
    assert_code(kin_view_new(&held, store, NULL), 0);
    test_put(store, "k1", 6, "z");
    assert_code(kin_store_delete_key(store, kin_str_of("k2"), NULL), 0);
    return store;
}

static int held_run(kin_store *store, void *arg, kin_error *err)
{
    struct writes writes = {.n = 0};
    int code;

    (void)arg;
    put(&writes, "k1", 10, "y");
    put(&writes, "k2", 11, "y,x");
    del(&writes, "k2", 12);
    put(&writes, "n1", 13, "w");
    put(&writes, "k2", 14, "y");
    put(&writes, "n2", 15, "w");
    put(&writes, "n3", 15, "w");
    code = kin_store_write(store, writes.items, writes.n, err);
    done(&writes);
    kin_test_alloc_disarm();
    assert_view(held, "5 at 5: k0@0(y) k1@5(y) k2@2(y) k3@3(x) k4@4(y) | tag: x=k3 y=k0,k1,k2,k4");
    kin_view_free(held);
    return code;
}

static void without_memory_views_stay(void **state)
{
    kin_store *store = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (size_t n = 1;; n++) {
        size_t live = kin_test_alloc_live();
        bool failed;

        store = held_setup(NULL);
        kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
        failed = held_run(store, NULL, &err) < 0;
        kin_store_unref(store);
        assert_int_equal(kin_test_alloc_live(), live);
        if (!failed)
            break;
        assert_true(n < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_are_done_in_their_order),
        cmocka_unit_test(the_same_key_may_come_again),
        cmocka_unit_test(nobody_sees_half_of_it),
        cmocka_unit_test(those_that_are_wrong_are_left_out),
        cmocka_unit_test(nothing_is_also_a_transaction),
        cmocka_unit_test(an_index_may_come_while_it_is_staged),
        cmocka_unit_test(two_indexes_may_come_while_it_is_staged),
        cmocka_unit_test(without_memory_nothing_is_done),
        cmocka_unit_test(memory_is_the_error_that_counts),
        cmocka_unit_test(without_memory_views_stay),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
