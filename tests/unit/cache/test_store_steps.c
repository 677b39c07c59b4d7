/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers that come in the middle of a write. The writer asks for memory at many points between its
 * first look at the pins and its last change; at each of them in turn a reader begins a step, and
 * ends it when the write is done. What it had in its hands must still be there, and its version
 * whole.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "cache/store.h"
#include "kinform/memory.h"
#include "store_support.h"

/* --- a reader that the allocator starts --- */

enum { ITEMS_MAX = 1200 };

static struct {
    kin_store *store; /* NULL: nobody comes */
    size_t countdown; /* calls of the allocator until then */
    kin__pin *pin;    /* not NULL: it has come, and is in a step */
    kin__hold held;   /* of a version, if it has come as a view */
    uint64_t version;
    const kin__read_table *table;
    const kin__postings *postings;
    size_t len; /* of the version */
    bool hold;  /* as a view, not in a step */
} reader;

static void reader_comes(void)
{
    kin__index_value *value = NULL;

    if (!reader.store || reader.pin || reader.held.version || --reader.countdown > 0)
        return;
    reader.pin = kin__pins_acquire(&reader.store->pins, &reader.version);
    kin__store_read_stamp(reader.store, &reader.len, NULL, NULL);
    reader.table = kin__store_take_table(reader.store);
    if (reader.hold) {
        kin__pins_hold(&reader.store->pins, &reader.held, reader.version, false);
        kin__pin_release(reader.pin);
        reader.pin = NULL;
    } else if (kin__store_find_value(reader.store, kin_str_of("tag"), kin_str_of("x"),
                                     reader.version, &value, NULL) == 0 &&
               value) {
        reader.postings = atomic_load(&value->postings);
    }
}

static void *hooked_alloc(size_t size, void *arg)
{
    (void)arg;
    reader_comes();
    return malloc(size);
}

static void *hooked_realloc(void *block, size_t size, void *arg)
{
    (void)arg;
    reader_comes();
    return realloc(block, size);
}

static void hooked_free(void *block, void *arg)
{
    (void)arg;
    reader_comes();
    free(block);
}

/* All objects of the reader's version, through the table that it had. */
static void check_table(void)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;
    size_t n = 0;

    if (reader.hold)
        reader.pin = kin__pins_acquire_held(&reader.store->pins, reader.version);
    while ((node = kin__read_table_next(reader.table, &iter))) {
        const kin__record *record = kin__record_at(kin__record_of(node), reader.version);

        if (!record)
            continue;
        /* Reads it: it must be there. */
        assert_memory_equal(kin_object_key(record->object), record->node.key, record->node.key_len);
        n++;
    }
    assert_int_equal(n, reader.len);
}

/* The array of places that it had. */
static void check_places(void)
{
    uint32_t len;

    if (!reader.postings)
        return;
    len = atomic_load(&reader.postings->len);
    for (uint32_t i = 0; i < len; i++) {
        const kin__record *record =
            kin__record_at(kin__postings_at(reader.postings, i), reader.version);

        if (record)
            assert_memory_equal(kin_object_key(record->object), record->node.key,
                                record->node.key_len);
    }
}

/* Whether the reader came. */
static bool reader_leaves(void)
{
    bool came = reader.pin || reader.held.version;

    if (came) {
        check_table();
        check_places();
        kin__pin_release(reader.pin);
        kin__store_give_table(reader.table);
        if (reader.held.version)
            kin__pins_give_up(&reader.store->pins, &reader.held);
    }
    memset(&reader, 0, sizeof(reader));
    return came;
}

/* --- writes --- */

static void put_numbered(kin_store *store, unsigned i, unsigned version, const char *tags)
{
    char key[24];

    snprintf(key, sizeof(key), "item-%u", i);
    test_put(store, key, version, tags);
}

static void delete_numbered(kin_store *store, unsigned i)
{
    char key[24];

    snprintf(key, sizeof(key), "item-%u", i);
    assert_code(kin_store_delete_key(store, kin_str_of(key), NULL), 0);
}

/* `n` objects, all under x, and nothing old. */
static kin_store *store_of(unsigned n)
{
    kin_store *store = test_store_new();

    for (unsigned i = 0; i < n; i++)
        put_numbered(store, i, i, "x");
    return store;
}

static kin_store *make_few(void)
{
    return store_of(5);
}

/* One more and the table grows. */
static void grow(kin_store *store)
{
    put_numbered(store, 5, 5, "x,y,z");
}

static void update(kin_store *store)
{
    put_numbered(store, 2, 9, "y,z,x");
}

static void move_away(kin_store *store)
{
    put_numbered(store, 2, 9, "y");
}

static void delete_two(kin_store *store)
{
    delete_numbered(store, 1);
    delete_numbered(store, 2);
}

static void replace(kin_store *store)
{
    const kin_object *items[2] = {kin_test_item("item-1", 7, "x"), kin_test_item("new", 8, "x,y")};

    assert_code(kin_store_replace(store, items, 2, kin_str_of("l"), NULL), 0);
    kin_object_unref(items[0]);
    kin_object_unref(items[1]);
}

static void transact(kin_store *store)
{
    kin_write writes[3] = {{KIN_WRITE_PUT, kin_test_item("item-1", 7, "z"), 0},
                           {KIN_WRITE_DELETE, kin_test_item("item-2", 8, NULL), 0},
                           {KIN_WRITE_PUT, kin_test_item("new", 9, "x"), 0}};

    assert_code(kin_store_write(store, writes, 3, NULL), 0);
    for (unsigned i = 0; i < 3; i++)
        kin_object_unref(writes[i].object);
}

static void add_index(kin_store *store)
{
    kin_index index = KIN_INDEX_INIT("other", kin_test_by_tag);

    assert_code(kin_store_add_index(store, &index, NULL), 0);
    delete_numbered(store, 3);
}

/* One deletion before the table and the places are worth shrinking; see the writer's limits. */
static kin_store *make_sparse(void)
{
    kin_store *store = store_of(ITEMS_MAX);

    for (unsigned i = 200; i < ITEMS_MAX; i++)
        delete_numbered(store, i);
    return store;
}

static void shrink(kin_store *store)
{
    for (unsigned i = 1; i < 200; i++)
        delete_numbered(store, i);
}

static void shrink_with_a_view(kin_store *store)
{
    kin_view *view = NULL;

    assert_code(kin_view_new(&view, store, NULL), 0);
    for (unsigned i = 1; i < 200; i++)
        delete_numbered(store, i);
    kin_view_free(view);
}

struct write_case {
    kin_store *(*make)(void);
    void (*run)(kin_store *store);
};

/* Every `stride`-th call of the allocator; those of the test's own do not count. */
static unsigned run_case(const struct write_case *c, bool hold, size_t stride)
{
    unsigned came = 0;
    bool again = true;

    for (size_t n = 1; again; n += stride) {
        kin_store *store = c->make();

        reader.store = store;
        reader.countdown = n;
        reader.hold = hold;
        c->run(store);
        again = reader_leaves();
        came += again;
        /* What was kept for it goes, also if nothing else dies. */
        for (unsigned i = 0; i < 100; i++)
            assert_code(kin_store_bookmark(store, kin_str_of("b"), NULL), 0);
        assert_int_equal(test_old_states(store), 0);
        assert_int_equal(kin_test_items_live(), kin_store_len(store));
        kin_store_unref(store);
        assert_int_equal(kin_test_items_live(), 0);
    }
    return came;
}

static const struct write_case writes[] = {
    {make_few, grow},    {make_few, update},   {make_few, move_away}, {make_few, delete_two},
    {make_few, replace}, {make_few, transact}, {make_few, add_index},
};

static void a_reader_may_come_at_any_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
        assert_true(run_case(&writes[i], false, 1) > 0);
}

static void a_view_may_come_at_any_time(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
        assert_true(run_case(&writes[i], true, 1) > 0);
}

static void they_may_come_while_the_store_shrinks(void **state)
{
    static const struct write_case cases[] = {{make_sparse, shrink},
                                              {make_sparse, shrink_with_a_view}};

    (void)state;
    for (int hold = 0; hold < 2; hold++)
        for (size_t i = 0; i < 2; i++)
            assert_true(run_case(&cases[i], hold, 7) > 0);
}

int main(void)
{
    static const kin_allocator allocator = {sizeof(kin_allocator), hooked_alloc, hooked_realloc,
                                            hooked_free, NULL};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_may_come_at_any_time),
        cmocka_unit_test(a_view_may_come_at_any_time),
        cmocka_unit_test(they_may_come_while_the_store_shrinks),
    };

    assert_code(kin_set_allocator(&allocator, NULL), 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
