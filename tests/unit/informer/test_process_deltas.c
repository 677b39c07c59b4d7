/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What deltas do to a store, and who is told what: the store's content decides.
 */
#include "informer/process_deltas.h"
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "item.h"
#include "oom.h"

/* Changes of the key "a", or of the key that is given, as text: "+1 ~2 -2". */
static size_t parse(const char *script, const char *key, kin_delta *deltas)
{
    size_t n = 0;

    while (*script) {
        static const char types[] = "?+~-rs";
        char *end;

        deltas[n].type = (kin_delta_type)(strchr(types, *script) - types);
        deltas[n++].object = kin_test_item(key, (unsigned)strtoul(script + 1, &end, 10), NULL);
        script = end + (*end == ' ');
    }
    return n;
}

static void release(kin_delta *deltas, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin_object_unref(deltas[i].object);
}

static int apply_script(kin__delta_batch *batch, const char *key, const char *script,
                        bool is_initial, kin_delta *items, kin_error *err)
{
    kin_deltas deltas = {items, parse(script, key, items), {NULL, 0}};
    int code;

    deltas.key = kin_str_of(key);
    code = kin__process_deltas(batch, &deltas, 1, is_initial, err);
    return code < 0 ? code : (int)deltas.len;
}

static void notices_as_text(const kin__delta_batch *batch, char *ret)
{
    *ret = '\0';
    for (size_t i = 0; i < batch->n_notices; i++) {
        const kin__notice *notice = &batch->notices[i];

        ret += sprintf(ret, "%c", " +~-"[notice->type]);
        if (notice->old_object)
            ret += sprintf(ret, "%u>", kin_test_item_version(notice->old_object));
        ret += sprintf(ret, "%u%s%s ", kin_test_item_version(notice->object),
                       notice->is_initial ? "!" : "", notice->is_sync ? "=" : "");
    }
}

static kin_store *new_store(void)
{
    kin_store *store = NULL;

    assert_code(kin_store_new(&store, NULL, NULL), 0);
    return store;
}

static void assert_has(kin_store *store, const char *key, unsigned version)
{
    const kin_object *object = NULL;

    if (version == 0) {
        assert_code(kin_store_get(store, NULL, kin_str_of(key), NULL), KIN_ENOTFOUND);
        return;
    }
    assert_code(kin_store_get(store, &object, kin_str_of(key), NULL), 0);
    assert_int_equal(kin_test_item_version(object), version);
    kin_object_unref(object);
}

static const struct {
    unsigned before; /* the version that the store has; 0: none */
    const char *script;
    bool is_initial;
    const char *told;
    unsigned after;
} cases[] = {
    {0, "+1", false, "+1 ", 1},
    {0, "+1", true, "+1! ", 1},
    {0, "~1", false, "+1 ", 1},
    {0, "r1", true, "+1! ", 1},
    {0, "s1", false, "+1 ", 1},
    {1, "+2", false, "~1>2 ", 2},
    {1, "r2", true, "~1>2 ", 2},
    {1, "r1", false, "~1>1= ", 1},
    {1, "s1", false, "~1>1= ", 1},
    {1, "-2", false, "-2 ", 0},
    {0, "-2", false, "", 0},
    {0, "+1 ~2 -3", true, "+1! ~1>2 -3 ", 0},
    {0, "+1 -2 +3", false, "+1 -2 +3 ", 3},
    {1, "-2 +3 ~4", false, "-2 +3 ~3>4 ", 4},
    {1, "-2 -3", false, "-2 ", 0},
    {0, "", false, "", 0},
};

static void the_store_decides(void **context)
{
    (void)context;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_store *store = new_store();
        kin__delta_batch batch;
        kin_delta items[8];
        char text[256];
        int n;

        kin__delta_batch_init(&batch, store, NULL, NULL);
        if (cases[i].before > 0) {
            const kin_object *item = kin_test_item("a", cases[i].before, NULL);

            assert_code(kin_store_add(store, item, NULL), 0);
            kin_object_unref(item);
        }
        n = apply_script(&batch, "a", cases[i].script, cases[i].is_initial, items, NULL);
        assert_true(n >= 0);
        notices_as_text(&batch, text);
        assert_string_equal(text, cases[i].told);
        assert_has(store, "a", cases[i].after);
        kin__delta_batch_clear(&batch);
        assert_int_equal(batch.n_notices, 0);
        release(items, (size_t)n);
        kin__delta_batch_done(&batch);
        kin_store_unref(store);
        assert_int_equal(kin_test_items_live(), 0);
    }
}

static void a_batch_is_one_version(void **context)
{
    kin_store *store = new_store();
    kin__delta_batch batch;
    kin_delta items[200];
    kin_deltas deltas[100];
    char keys[100][8];

    (void)context;
    kin__delta_batch_init(&batch, store, NULL, NULL);
    for (size_t i = 0; i < 100; i++) {
        snprintf(keys[i], sizeof(keys[i]), "k%zu", i);
        deltas[i] = (kin_deltas){&items[2 * i], parse("+1 ~2", keys[i], &items[2 * i]), {NULL, 0}};
        deltas[i].key = kin_str_of(keys[i]);
    }
    assert_code(kin__process_deltas(&batch, deltas, 100, false, NULL), 0);
    assert_int_equal(batch.n_notices, 200);
    assert_int_equal(batch.n_sync, 0);
    assert_int_equal(kin_store_len(store), 100);
    for (size_t i = 0; i < 100; i++) {
        const kin__notice *update = &batch.notices[2 * i + 1];

        assert_string_equal(kin_object_key(update->object), keys[i]);
        assert_ptr_equal(update->key.data, kin_object_key(update->object));
        assert_ptr_equal(update->old_object, batch.notices[2 * i].object);
    }
    kin__delta_batch_done(&batch);
    release(items, 200);
    kin_store_unref(store);
}

static int key_unless_bad(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    *ret = kin_str_of(kin_object_key(object));
    return strcmp(ret->data, "bad") == 0 ? kin_error_set(err, KIN_ETYPE, "bad") : 0;
}

static void what_the_store_refuses_is_left_out(void **context)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_store *store = NULL;
    kin__delta_batch batch;
    kin_delta items[2] = {{KIN_DELTA_ADDED, kin_test_item("bad", 1, NULL)},
                          {KIN_DELTA_ADDED, kin_test_item("good", 1, NULL)}};
    kin_deltas deltas[2] = {{&items[0], 1, kin_str_of("bad")}, {&items[1], 1, kin_str_of("good")}};

    (void)context;
    options.key = key_unless_bad;
    assert_code(kin_store_new(&store, &options, NULL), 0);
    kin__delta_batch_init(&batch, store, key_unless_bad, NULL);
    assert_code(kin__process_deltas(&batch, deltas, 2, false, NULL), 0);
    assert_int_equal(batch.n_notices, 1);
    assert_int_equal(batch.n_failed, 1);
    assert_int_equal(batch.failed.code, KIN_ETYPE);
    assert_non_null(strstr(batch.failed.message, "\"bad\""));
    assert_has(store, "good", 1);
    assert_code(kin__process_deltas(&batch, &deltas[1], 1, false, NULL), 0);
    assert_int_equal(batch.n_failed, 0);
    kin__delta_batch_done(&batch);
    release(items, 2);
    kin_store_unref(store);
}

static int apply_all(void *arg, kin_error *err)
{
    kin_store *store = NULL;
    kin__delta_batch batch;
    kin_delta items[4];
    kin_delta more[1];
    int n = kin_store_new(&store, NULL, err);

    (void)arg;
    if (n < 0)
        return n;
    kin__delta_batch_init(&batch, store, NULL, NULL);
    n = apply_script(&batch, "a", "+1 ~2 -3 +4", false, items, err);
    /* Nothing was written, nothing is told. */
    if (n < 0)
        assert_int_equal(batch.n_notices + kin_store_len(store), 0);
    release(items, 4);
    if (n > 0) {
        n = apply_script(&batch, "a", "~5", false, more, err);
        assert_has(store, "a", n < 0 ? 4 : 5);
        release(more, 1);
    }
    kin__delta_batch_done(&batch);
    kin_store_unref(store);
    return n < 0 ? n : 0;
}

static void every_allocation_may_fail(void **context)
{
    (void)context;
    kin_test_fail_each_allocation(apply_all, NULL);
}

/* Room for a long batch is given back, that for usual ones is kept. */
static void a_long_batch_leaves_little_room(void **context)
{
    enum { MANY = 100000 };
    kin_delta *items = calloc(MANY, sizeof(*items));
    kin_store *store = new_store();
    kin__delta_batch batch;
    size_t before;

    (void)context;
    assert_non_null(items);
    kin__delta_batch_init(&batch, store, NULL, NULL);
    for (size_t i = 0; i < MANY; i++)
        items[i] = (kin_delta){KIN_DELTA_UPDATED, kin_test_item("a", (unsigned)i + 1, NULL)};
    before = kin_test_alloc_bytes();
    for (unsigned round = 0; round < 2; round++) {
        const kin_deltas deltas = {items, MANY, kin_str_of("a")};

        assert_code(kin__process_deltas(&batch, &deltas, 1, false, NULL), 0);
        assert_int_equal(batch.n_notices, MANY);
        kin__delta_batch_clear(&batch);
        assert_true(kin_test_alloc_bytes() < before + 64 * 1024);
    }
    release(items, MANY);
    free(items);
    kin__delta_batch_done(&batch);
    kin_store_unref(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_store_decides),
        cmocka_unit_test(a_batch_is_one_version),
        cmocka_unit_test(what_the_store_refuses_is_left_out),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_long_batch_leaves_little_room),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
