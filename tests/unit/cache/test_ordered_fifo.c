/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO: what comes out, in which order, and when it has synced.
 * test_ordered_fifo_turns.c looks at who waits for whom, test_ordered_fifo_errors.c at what goes wrong.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "fifo_support.h"
#include "item.h"

enum { ADD = KIN_DELTA_ADDED, UPDATE = KIN_DELTA_UPDATED, DELETE = KIN_DELTA_DELETED };

struct fixture {
    struct trace trace; /* of `plain` first */
    struct known known; /* what `spelling` is told */
};

static kin_ordered_fifo *fifo_knowing(struct known *known)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects objects = KIN_KNOWN_OBJECTS_INIT;
    kin_ordered_fifo *fifo = NULL;

    if (known) {
        objects = known_objects_of(known);
        options.known = &objects;
    } else {
        options.emit_bookmarks = true;
    }
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
    return fifo;
}

/* A queue that knows what the text says; NULL: an atomic one. */
static struct trace *use(void **state, const char *known)
{
    struct fixture *f = *state;

    kin_ordered_fifo_free(f->trace.ordered);
    f->known.text = known;
    f->trace.ordered = fifo_knowing(known ? &f->known : NULL);
    return &f->trace;
}

static int setup(void **state)
{
    *state = calloc(1, sizeof(struct fixture));
    assert_non_null(*state);
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    kin_ordered_fifo_free(f->trace.ordered);
    free(f);
    assert_int_equal(kin_test_items_live(), 0);
    assert_int_equal(kin_test_alloc_live(), 0);
    return 0;
}

static void put(struct trace *trace, int type, const char *key, unsigned version)
{
    assert_code(ordered_put(trace->ordered, (kin_delta_type)type, key, version), 0);
}

static void replace(struct trace *trace, const char *text)
{
    assert_code(ordered_replace(trace->ordered, text, "0"), 0);
}

static void pop(struct trace *trace)
{
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, NULL), 0);
}

/* --- arrival order --- */

enum { AMOUNT = 500 };

struct producer {
    kin__thread thread;
    kin_ordered_fifo *fifo;
    char letter;
};

static void produce(void *arg)
{
    struct producer *p = arg;

    for (unsigned i = 0; i < AMOUNT; i++) {
        char key[16];

        snprintf(key, sizeof(key), "%c%u", p->letter, i);
        assert_code(ordered_put(p->fifo, KIN_DELTA_ADDED, key, i + 1), 0);
    }
}

static int note_order(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    unsigned *last = arg;
    unsigned version = kin_test_item_version(deltas->items[0].object);
    unsigned which = deltas->key.data[0] == 'b';

    (void)is_initial_list;
    if (version != last[which] + 1)
        return kin_error_set(err, KIN_ETYPE, "%u after %u", version, last[which]);
    last[which] = version;
    return 0;
}

/* TestRealFIFO_basic */
static void the_order_of_each_producer_is_kept(void **state)
{
    struct trace *trace = use(state, "");
    struct producer producers[2] = {{KIN__THREAD_INIT, trace->ordered, 'a'},
                                    {KIN__THREAD_INIT, trace->ordered, 'b'}};
    unsigned last[2] = {0, 0};

    for (unsigned i = 0; i < 2; i++)
        assert_code(
            kin__thread_start(&producers[i].thread, "kin-producer", produce, &producers[i], NULL),
            0);
    for (unsigned i = 0; i < 2 * AMOUNT; i++)
        assert_code(
            kin_ordered_fifo_pop(trace->ordered, note_order, last, KIN_TEST_TIMEOUT_MS, NULL), 0);
    for (unsigned i = 0; i < 2; i++)
        kin__thread_join(&producers[i].thread, NULL);
    assert_int_equal(last[0] + last[1], 2 * AMOUNT);
}

/* TestRealFIFO_addUpdate */
static void nothing_is_merged(void **state)
{
    struct trace *trace = use(state, "");

    put(trace, ADD, "foo", 10);
    put(trace, UPDATE, "foo", 12);
    put(trace, DELETE, "foo", 15);
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 3);
    assert_string_equal(drain_ordered(trace), "Added foo 10, Updated foo 12, Deleted foo 15");
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 0);
    assert_int_equal(kin_test_items_live(), 0);
}

/* TestRealFIFO_enqueueingNoLister, TestRealFIFO_enqueueingWithLister, DeleteExistingNonPropagated */
static void every_deletion_is_queued(void **state)
{
    static const char *const known[] = {"", NULL, "foo 5, bar 6, baz 7"};

    for (unsigned i = 0; i < 3; i++) {
        struct trace *trace = use(state, known[i]);

        put(trace, ADD, "foo", 10);
        put(trace, UPDATE, "bar", 15);
        put(trace, ADD, "qux", 17);
        put(trace, DELETE, "qux", 18);
        put(trace, DELETE, "baz", 20);
        assert_string_equal(
            drain_ordered(trace),
            "Added foo 10, Updated bar 15, Added qux 17, Deleted qux 18, Deleted baz 20");
    }
}

/* TestRealFIFO_detectLineJumpers */
static void nobody_jumps_the_line(void **state)
{
    struct trace *trace = use(state, "");

    put(trace, ADD, "foo", 10);
    put(trace, ADD, "bar", 1);
    put(trace, ADD, "foo", 11);
    put(trace, ADD, "foo", 13);
    put(trace, ADD, "zab", 30);
    pop(trace);
    assert_string_equal(trace->text, "Added foo 10");
    put(trace, ADD, "foo", 14);
    assert_string_equal(drain_ordered(trace),
                        "Added bar 1, Added foo 11, Added foo 13, Added zab 30, Added foo 14");
}

static void a_batch_is_put_in_whole(void **state)
{
    static const char *const known[] = {"", NULL};

    for (unsigned i = 0; i < 2; i++) {
        struct trace *trace = use(state, known[i]);
        struct items items = items_of("a 1, a 2, b 3");
        kin_delta deltas[] = {{KIN_DELTA_ADDED, items.items[0]},
                              {KIN_DELTA_DELETED, items.items[1]},
                              {KIN_DELTA_UPDATED, items.items[2]}};

        assert_code(kin_ordered_fifo_add_batch(trace->ordered, NULL, 0, NULL), 0);
        assert_false(kin_ordered_fifo_has_synced(trace->ordered));
        assert_code(kin_ordered_fifo_add_batch(trace->ordered, deltas, 3, NULL), 0);
        assert_true(kin_ordered_fifo_has_synced(trace->ordered));
        items_done(&items);
        assert_string_equal(drain_ordered(trace), "Added a 1, Deleted a 2, Updated b 3");
    }
}

/* --- transformers --- */

static int add_hundred(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    unsigned *calls = arg;

    (void)err;
    ++*calls;
    *ret = kin_test_item(kin_object_key(object), kin_test_item_version(object) + 100, NULL);
    return 0;
}

/* TestRealFIFO_transformer */
static void each_object_is_transformed_once(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct known known = {.text = "known 7"};
    kin_known_objects objects = known_objects_of(&known);
    struct trace *trace = use(state, NULL);
    unsigned calls = 0;

    kin_ordered_fifo_free(trace->ordered);
    options.transform = add_hundred;
    options.transform_arg = &calls;
    options.known = &objects;
    assert_code(kin_ordered_fifo_new(&trace->ordered, &options, NULL), 0);
    put(trace, ADD, "foo", 10);
    put(trace, ADD, "bar", 11);
    put(trace, UPDATE, "foo", 12);
    put(trace, DELETE, "foo", 15);
    replace(trace, "baz 20");
    put(trace, ADD, "bar", 16);
    replace(trace, "");
    known.text = "resynced 8";
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    /* Tombstones and what is resynced were transformed before, or are of the consumer. */
    assert_int_equal(calls, 6);
    assert_string_equal(
        drain_ordered(trace),
        "Added foo 110, Added bar 111, Updated foo 112, Deleted foo 115, Deleted bar (111), "
        "Deleted known (7), Replaced baz 120, Added bar 116, Deleted bar (116), Deleted baz (120), "
        "Sync resynced 8");
}

static void the_objects_of_a_whole_list_are_transformed(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct trace *trace = use(state, NULL);
    unsigned calls = 0;

    kin_ordered_fifo_free(trace->ordered);
    options.transform = add_hundred;
    options.transform_arg = &calls;
    assert_code(kin_ordered_fifo_new(&trace->ordered, &options, NULL), 0);
    replace(trace, "a 1, b 2");
    assert_int_equal(calls, 2);
    assert_string_equal(drain_ordered(trace), "ReplacedAll 0 [a 101, b 102]*");
}

/* --- lists that are spelled out --- */

/* TestRealFIFO_replaceWithDeleteDeltaIn */
static void a_list_brings_back_what_is_being_deleted(void **state)
{
    struct trace *trace = use(state, "foo 1");

    put(trace, DELETE, "foo", 1);
    replace(trace, "foo 2");
    assert_string_equal(drain_ordered(trace), "Deleted foo 1, Replaced foo 2");
}

/* TestRealFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue */
static void what_is_only_queued_is_deleted_by_a_list(void **state)
{
    struct trace *trace = use(state, "");

    put(trace, ADD, "foo", 2);
    replace(trace, "");
    assert_string_equal(drain_ordered(trace), "Added foo 2, Deleted foo (2)");

    put(trace, ADD, "foo", 2);
    put(trace, DELETE, "foo", 2);
    replace(trace, "");
    assert_string_equal(drain_ordered(trace), "Added foo 2, Deleted foo 2");

    put(trace, ADD, "foo", 2);
    replace(trace, "foo 2");
    replace(trace, "foo 2");
    replace(trace, "");
    assert_string_equal(drain_ordered(trace),
                        "Added foo 2, Replaced foo 2, Replaced foo 2, Deleted foo (2)");

    put(trace, ADD, "foo", 2);
    replace(trace, "");
    replace(trace, "");
    assert_string_equal(drain_ordered(trace), "Added foo 2, Deleted foo (2)");

    put(trace, ADD, "foo", 2);
    put(trace, DELETE, "foo", 2);
    put(trace, ADD, "foo", 3);
    replace(trace, "");
    assert_string_equal(drain_ordered(trace),
                        "Added foo 2, Deleted foo 2, Added foo 3, Deleted foo (3)");

    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("123"), NULL), 0);
    replace(trace, "");
    replace(trace, "");
    assert_string_equal(drain_ordered(trace), "");
}

/* TestRealFIFO_addReplace */
static void a_list_comes_behind_what_was_added(void **state)
{
    struct trace *trace = use(state, "");

    put(trace, ADD, "foo", 10);
    replace(trace, "foo 15");
    assert_string_equal(drain_ordered(trace), "Added foo 10, Replaced foo 15");
}

/* TestRealFIFO_ReplaceMakesDeletions, TestRealFIFO_ReplaceMakesDeletionsReplaced */
static void deletions_come_before_the_list(void **state)
{
    struct trace *trace = use(state, "foo 5, bar 6, baz 7");

    put(trace, DELETE, "baz", 10);
    replace(trace, "foo 5");
    assert_string_equal(drain_ordered(trace), "Deleted baz 10, Deleted bar (6), Replaced foo 5");

    trace = use(state, "foo 5, bar 6, baz 7");
    put(trace, ADD, "baz", 10);
    replace(trace, "foo 5");
    assert_string_equal(drain_ordered(trace),
                        "Added baz 10, Deleted baz (10), Deleted bar (6), Replaced foo 5");

    trace = use(state, "foo 5, bar 6, baz 7");
    put(trace, DELETE, "bar", 6);
    put(trace, ADD, "bar", 100);
    replace(trace, "foo 5");
    assert_string_equal(
        drain_ordered(trace),
        "Deleted bar 6, Added bar 100, Deleted bar (100), Deleted baz (7), Replaced foo 5");

    trace = use(state, "foo 5, bar 6, baz 7");
    replace(trace, "bar 100, foo 5");
    replace(trace, "foo 5");
    assert_string_equal(drain_ordered(trace),
                        "Deleted baz (7)*, Replaced bar 100*, Replaced foo 5*, "
                        "Deleted bar (100), Replaced foo 5");

    trace = use(state, "");
    put(trace, ADD, "baz", 10);
    replace(trace, "foo 5");
    assert_string_equal(drain_ordered(trace), "Added baz 10, Deleted baz (10), Replaced foo 5");
}

static void deletions_of_what_is_queued_come_in_its_order(void **state)
{
    struct trace *trace = use(state, "known 1");

    put(trace, ADD, "d", 1);
    put(trace, ADD, "b", 2);
    put(trace, ADD, "c", 3);
    put(trace, UPDATE, "d", 4);
    put(trace, ADD, "a", 5);
    pop(trace);
    replace(trace, "c 6, x 7, x 8");
    assert_string_equal(drain_ordered(trace),
                        "Added b 2, Added c 3, Updated d 4, Added a 5, Deleted b (2), "
                        "Deleted d (4), Deleted a (5), Deleted known (1), Replaced c 6, "
                        "Replaced x 7, Replaced x 8");
}

static void a_queued_tombstone_is_a_deletion(void **state)
{
    struct trace *trace = use(state, "foo 1");
    const kin_object *tombstone = NULL;

    kin_tombstone_new(&tombstone, kin_str_of("foo"), NULL, NULL);
    assert_code(kin_ordered_fifo_delete(trace->ordered, tombstone, NULL), 0);
    kin_object_unref(tombstone);
    replace(trace, "");
    assert_string_equal(drain_ordered(trace), "Deleted foo (-)");
}

/* TestRealFIFO_ResyncNonExisting, TestRealFIFO_Resync, TestRealFIFO_UpdateResyncRace */
static void a_resync_sends_what_has_nothing_queued(void **state)
{
    struct trace *trace = use(state, "foo 5");

    put(trace, DELETE, "foo", 10);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_string_equal(drain_ordered(trace), "Deleted foo 10");

    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_string_equal(drain_ordered(trace), "Sync foo 5");

    put(trace, UPDATE, "foo", 6);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_string_equal(drain_ordered(trace), "Updated foo 6");
}

static void a_staged_replacement_is_seen_when_it_is_committed(void **state)
{
    static const char *const known[] = {"", NULL};
    static const char *const expected[] = {"Replaced a 1*, Replaced b 2*",
                                           "ReplacedAll 7 [a 1, b 2]*"};

    for (unsigned i = 0; i < 2; i++) {
        struct trace *trace = use(state, known[i]);
        struct items items = items_of("a 1, b 2");
        kin_replace *replacement = NULL;

        assert_code(kin_ordered_fifo_replace_begin(trace->ordered, &replacement, NULL), 0);
        assert_code(kin_replace_add(replacement, items.items[0], NULL), 0);
        assert_code(kin_replace_add(replacement, items.items[1], NULL), 0);
        assert_int_equal(kin_ordered_fifo_len(trace->ordered), 0);
        assert_code(kin_replace_commit(replacement, kin_str_of("7"), NULL), 0);
        assert_code(kin_ordered_fifo_replace_begin(trace->ordered, &replacement, NULL), 0);
        assert_code(kin_replace_add(replacement, items.items[1], NULL), 0);
        kin_replace_abort(replacement);
        items_done(&items);
        assert_string_equal(drain_ordered(trace), expected[i]);
    }
}

/* One that is known, one that waits, one of which there is nothing, and one that the list has after all. */
static void a_list_leaves_single_keys_as_they_are(void **state)
{
    static const char *const kept[] = {"known", "waits", "new", "a"};
    struct trace *trace = use(state, "known 1, gone 1");
    struct items items = items_of("a 2");
    kin_replace *replacement = NULL;

    put(trace, ADD, "waits", 1);
    put(trace, ADD, "lost", 1);
    assert_code(kin_ordered_fifo_replace_begin(trace->ordered, &replacement, NULL), 0);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_code(kin_replace_keep(replacement, kin_str_of(kept[i]), NULL), 0);
    assert_code(kin_replace_add(replacement, items.items[0], NULL), 0);
    assert_code(kin_replace_commit(replacement, kin_str_of("7"), NULL), 0);
    items_done(&items);
    assert_string_equal(drain_ordered(trace),
                        "Added waits 1, Added lost 1, Deleted lost (1), Deleted gone (1), "
                        "Replaced a 2");
}

/* --- atomic lists --- */

/* TestRealFIFO_ReplaceAtomic, TestRealFIFO_ReplaceAtomicPop */
static void an_atomic_list_is_one_change(void **state)
{
    struct trace *trace = use(state, NULL);

    assert_code(ordered_replace(trace->ordered, "", "123"), 0);
    assert_string_equal(drain_ordered(trace), "ReplacedAll 123 []*");

    put(trace, ADD, "foo", 2);
    assert_code(ordered_replace(trace->ordered, "foo 2", "10"), 0);
    assert_code(ordered_replace(trace->ordered, "foo 2, bar 3, foo 4", "20"), 0);
    assert_code(ordered_replace(trace->ordered, "", "56"), 0);
    assert_string_equal(drain_ordered(trace),
                        "Added foo 2, ReplacedAll 10 [foo 2], "
                        "ReplacedAll 20 [foo 2, bar 3, foo 4], ReplacedAll 56 []");

    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("123"), NULL), 0);
    assert_code(ordered_replace(trace->ordered, "", "1234"), 0);
    assert_string_equal(drain_ordered(trace), "Bookmark 123, ReplacedAll 1234 []");
}

/* TestRealFIFO_ResyncAtomic */
static void an_atomic_resync_is_one_change(void **state)
{
    struct trace *trace = use(state, NULL);

    put(trace, ADD, "foo", 2);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_string_equal(drain_ordered(trace), "Added foo 2, SyncAll, SyncAll");
}

static void bookmarks_come_only_if_asked_for(void **state)
{
    struct trace *trace = use(state, NULL);

    kin_ordered_fifo_free(trace->ordered);
    assert_code(kin_ordered_fifo_new(&trace->ordered, NULL, NULL), 0);
    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("1"), NULL), 0);
    assert_string_equal(drain_ordered(trace), "");
}

static int keep_object(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    const kin_object **kept = arg;

    (void)is_initial_list;
    (void)err;
    kin_object_unref(*kept);
    *kept = kin_object_ref(deltas->items[0].object);
    return 0;
}

static void what_a_delta_tells(void **state)
{
    struct trace *trace = use(state, NULL);
    const kin_object *kept = NULL;
    const kin_object *const *items = NULL;
    const kin_object *item = kin_test_item("a", 5, NULL);
    kin_delta delta = {KIN_DELTA_ADDED, item};
    kin_error err = KIN_ERROR_INIT;
    size_t n = 9;

    assert_string_equal(kin_delta_resource_version(&delta).data, "5");
    assert_int_equal(kin_delta_resource_version(NULL).len, 0);
    assert_code(kin_delta_list(&delta, &items, &n, &err), KIN_ETYPE);
    delta.type = KIN_DELTA_REPLACED_ALL; /* whose object is no list */
    assert_code(kin_delta_list(&delta, &items, &n, NULL), KIN_ETYPE);
    delta.object = NULL;
    assert_int_equal(kin_delta_resource_version(&delta).len, 0);
    assert_code(kin_delta_list(&delta, &items, &n, NULL), KIN_ETYPE);
    assert_code(kin_delta_list(NULL, &items, &n, NULL), KIN_EINVAL);
    assert_code(kin_delta_list(&delta, NULL, &n, NULL), KIN_EINVAL);
    assert_code(kin_delta_list(&delta, &items, NULL, NULL), KIN_EINVAL);
    assert_int_equal(n, 9);
    kin_object_unref(item);

    /* A list outlives its queue for whoever keeps it. */
    assert_code(ordered_replace(trace->ordered, "a 1, b 2", "77"), 0);
    assert_code(kin_ordered_fifo_pop(trace->ordered, keep_object, &kept, 0, NULL), 0);
    delta = (kin_delta){KIN_DELTA_REPLACED_ALL, kept};
    use(state, NULL);
    assert_string_equal(kin_delta_resource_version(&delta).data, "77");
    assert_code(kin_delta_list(&delta, &items, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_string_equal(kin_object_key(items[1]), "b");
    assert_string_equal(kin_object_get_class(kept)->name, "list");
    kin_object_unref(kept);
    assert_int_equal(kin_test_items_live(), 0);

    kept = NULL;
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_code(kin_ordered_fifo_pop(trace->ordered, keep_object, &kept, 0, NULL), 0);
    delta = (kin_delta){KIN_DELTA_SYNC_ALL, kept};
    assert_int_equal(kin_delta_resource_version(&delta).len, 0);
    assert_string_equal(kin_object_key(kept), "");
    kin_object_unref(kept);
}

/* --- synced --- */

/* a: add, d: delete, e: replace by nothing, r: by two, t: by one twice, p: pop, s: resync, b: bookmark */
static void take_step(struct trace *trace, char step)
{
    switch (step) {
    case 'a':
    case 'd':
        put(trace, step == 'a' ? ADD : DELETE, "z", 1);
        break;
    case 'p':
        (void)kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, NULL);
        break;
    case 's':
        assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
        break;
    case 'b':
        assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("1"), NULL), 0);
        break;
    default:
        replace(trace, step == 'e' ? "" : step == 'r' ? "a 1, b 2" : "a 1, a 2");
    }
}

/* TestRealFIFO_HasSynced */
static void it_has_synced_when_the_first_list_was_processed(void **state)
{
    static const struct {
        const char *steps;
        bool synced[2]; /* spelled out, atomic */
    } cases[] = {
        {"", {false, false}},    {"a", {true, true}},    {"d", {true, true}},
        {"e", {true, false}},    {"r", {false, false}},  {"rp", {false, true}},
        {"rpp", {true, true}},   {"t", {false, false}},  {"tp", {false, true}},
        {"tpp", {true, true}},   {"s", {false, false}},  {"b", {false, false}},
        {"sr", {false, false}},  {"srpp", {true, true}}, {"srp", {false, false}},
        {"brp", {false, false}}, {"brpp", {true, true}}, {"rpprr", {true, true}},
        {"ar", {true, true}},    {"rapp", {true, true}},
    };

    for (size_t i = 0; i < 2 * kin__array_len(cases); i++) {
        struct trace *trace = use(state, i % 2 ? NULL : "");
        bool synced = cases[i / 2].synced[i % 2];

        for (const char *step = cases[i / 2].steps; *step; step++)
            take_step(trace, *step);
        /* A queue that spells out knows nothing here: neither s nor b queues anything. */
        if (i % 2 == 0 && strpbrk(cases[i / 2].steps, "sb"))
            continue;
        if (kin_ordered_fifo_has_synced(trace->ordered) != synced)
            fail_msg("after \"%s\", %s", cases[i / 2].steps, i % 2 ? "atomic" : "spelled out");
        assert_code(kin_ordered_fifo_wait_synced(trace->ordered, 0, NULL),
                    synced ? 0 : KIN_ETIMEOUT);
    }
}

/* TestRealFIFO_HasSyncedCorrectOnDeletion */
static void deletions_are_part_of_the_first_list(void **state)
{
    struct trace *trace = use(state, "foo 5, bar 6, baz 7");

    replace(trace, "foo 5");
    for (unsigned i = 0; i < 3; i++) {
        assert_false(kin_ordered_fifo_has_synced(trace->ordered));
        pop(trace);
    }
    assert_true(kin_ordered_fifo_has_synced(trace->ordered));
    assert_string_equal(trace->text, "Deleted bar (6)*, Deleted baz (7)*, Replaced foo 5*");
}

/* --- batches --- */

/* TestRealFIFO_PopMultipleDeltaInBatch */
static void batches_end_where_they_must(void **state)
{
    static const struct {
        const char *list;
        const char *updates; /* keys of one letter */
        size_t max;
        const char *batches;
    } cases[] = {
        {"a 1, b 1, c 1", "", 0, "{Replaced a 1*, Replaced b 1*, Replaced c 1*}"},
        {"a 1, b 1", "cd", 2, "{Replaced a 1*, Replaced b 1*}, {Updated c 1, Updated d 1}"},
        {"a 1", "aa", 0, "{Replaced a 1*}, {Updated a 1}, {Updated a 1}"},
        {"a 1, b 1", "bc", 0, "{Replaced a 1*, Replaced b 1*}, {Updated b 1, Updated c 1}"},
        {"a 1, b 1, c 1", "b", 0, "{Replaced a 1*, Replaced b 1*, Replaced c 1*}, {Updated b 1}"},
        {"a 1, b 1, c 1", "", 2, "{Replaced a 1*, Replaced b 1*}, {Replaced c 1*}"},
        {"", "abc", 2, "{Updated a 1, Updated b 1}, {Updated c 1}"},
        {"a 1, b 1, c 1", "d", 2, "{Replaced a 1*, Replaced b 1*}, {Replaced c 1*}, {Updated d 1}"},
        {"", "abcad", 1,
         "{Updated a 1}, {Updated b 1}, {Updated c 1}, {Updated a 1}, {Updated d 1}"},
        {"", "abcad", 100, "{Updated a 1, Updated b 1, Updated c 1}, {Updated a 1, Updated d 1}"},
        {"a 1, a 2", "", 0, "{Replaced a 1*}, {Replaced a 2*}"},
    };

    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct trace *trace = use(state, "");

        replace(trace, cases[i].list);
        for (const char *key = cases[i].updates; *key; key++)
            put(trace, UPDATE, (char[]){*key, '\0'}, 1);
        assert_string_equal(drain_ordered_in_batches(trace, cases[i].max), cases[i].batches);
        assert_int_equal(kin_test_items_live(), 0);
    }
}

static void what_concerns_all_comes_alone(void **state)
{
    struct trace *trace = use(state, NULL);

    put(trace, ADD, "a", 1);
    put(trace, ADD, "b", 2);
    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("3"), NULL), 0);
    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("4"), NULL), 0);
    put(trace, DELETE, "a", 5);
    put(trace, ADD, "c", 6);
    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    replace(trace, "x 1");
    put(trace, ADD, "d", 7);
    assert_string_equal(drain_ordered_in_batches(trace, 0),
                        "{Added a 1, Added b 2}, {Bookmark 3}, {Bookmark 4}, "
                        "{Deleted a 5, Added c 6}, {SyncAll}, {ReplacedAll 0 [x 1]}, {Added d 7}");
}

static void a_resync_comes_in_batches_too(void **state)
{
    struct trace *trace = use(state, "a 1, b 2, c 3");

    assert_code(kin_ordered_fifo_resync(trace->ordered, NULL), 0);
    assert_string_equal(drain_ordered_in_batches(trace, 0), "{Sync a 1*, Sync b 2*, Sync c 3*}");
}

static int count(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                 kin_error *err)
{
    size_t *counts = arg;

    (void)is_initial_list;
    (void)err;
    for (size_t i = 0; i < n; i++)
        counts[0] += kin_test_item_version(deltas[i].items[0].object);
    counts[1]++;
    counts[2] = n > counts[2] ? n : counts[2];
    return 0;
}

static void large_batches_are_fine(void **state)
{
    static const struct {
        size_t max;
        size_t batches;
        size_t largest;
    } cases[] = {{0, 20, 1000}, {7000, 3, 7000}, {SIZE_MAX, 1, 20000}};

    for (size_t i = 0; i < kin__array_len(cases); i++) {
        struct trace *trace = use(state, i % 2 ? "" : NULL);
        size_t counts[3] = {0, 0, 0};

        for (unsigned k = 0; k < 20000; k++) {
            char key[16];

            snprintf(key, sizeof(key), "k%u", k);
            put(trace, ADD, key, 1);
        }
        while (kin_ordered_fifo_pop_batch(trace->ordered, count, counts, cases[i].max, 0, NULL) ==
               0)
            ;
        assert_int_equal(counts[0], 20000);
        assert_int_equal(counts[1], cases[i].batches);
        assert_int_equal(counts[2], cases[i].largest);
    }
}

/* --- keys --- */

static int by_version(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    *ret = kin_object_resource_version(object);
    return 0;
}

/* TestRealFIFO_KeyOf */
static void keys_of_objects_and_tombstones(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct trace *trace = use(state, NULL);
    const kin_object *item = kin_test_item("a", 17, NULL);
    const kin_object *tombstone = NULL;
    kin_delta delta = {KIN_DELTA_ADDED, item};
    kin_deltas deltas = {&delta, 1, {NULL, 0}};
    kin_str key = {NULL, 0};

    kin_tombstone_new(&tombstone, kin_str_of("b"), item, NULL);
    kin_ordered_fifo_free(trace->ordered);
    options.key = by_version;
    assert_code(kin_ordered_fifo_new(&trace->ordered, &options, NULL), 0);
    assert_code(kin_ordered_fifo_key_of(trace->ordered, &key, item, NULL), 0);
    assert_string_equal(key.data, "17");
    assert_code(kin_ordered_fifo_key_of(trace->ordered, &key, tombstone, NULL), 0);
    assert_string_equal(key.data, "b");
    for (unsigned i = 0; i < 2; i++) {
        delta.object = i ? tombstone : item;
        assert_code(
            kin_ordered_fifo_key_of(trace->ordered, &key, kin_deltas_newest(&deltas)->object, NULL),
            0);
        assert_string_equal(key.data, i ? "b" : "17");
    }
    kin_object_unref(item);
    kin_object_unref(tombstone);
}

/* --- listing --- */

static void assert_keys(kin_ordered_fifo *fifo, const char *expected)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;
    size_t len = 0;
    char text[256] = "";

    assert_code(kin_ordered_fifo_list_keys(fifo, &keys, NULL), 0);
    for (size_t i = 0; i < keys.len; i++)
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? " " : "",
                                keys.items[i].data);
    assert_string_equal(text, expected);
    kin_string_list_done(&keys);
}

/* Their types, and the versions of the objects that have a key. */
static void assert_listed(kin_ordered_fifo *fifo, const char *expected)
{
    kin_delta_copy all = KIN_DELTA_COPY_INIT;
    size_t len = 0;
    char text[256] = "";

    assert_code(kin_ordered_fifo_list(fifo, &all, NULL), 0);
    for (size_t i = 0; i < all.len; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%s", i ? ", " : "",
                                kin_delta_type_name(all.items[i].type));
        if (all.items[i].type <= KIN_DELTA_DELETED)
            len += (size_t)snprintf(text + len, sizeof(text) - len, " %s %u",
                                    kin_object_key(all.items[i].object),
                                    kin_test_item_version(all.items[i].object));
    }
    assert_string_equal(text, expected);
    kin_delta_copy_done(&all);
}

static void list_in_flight(struct trace *trace)
{
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 3);
    assert_listed(trace->ordered, "Added a 1, Updated b 2, Updated a 3, ReplacedAll, Bookmark");
    assert_keys(trace->ordered, "a b a");
}

static void changes_are_listed_in_their_order(void **state)
{
    struct trace *trace = use(state, NULL);

    assert_listed(trace->ordered, "");
    assert_keys(trace->ordered, "");
    put(trace, ADD, "a", 1);
    put(trace, UPDATE, "b", 2);
    put(trace, UPDATE, "a", 3);
    replace(trace, "c 4");
    assert_code(kin_ordered_fifo_bookmark(trace->ordered, kin_str_of("7"), NULL), 0);
    trace->during = list_in_flight;
    assert_code(kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, 0, 0, NULL), 0);
    trace->during = NULL;
    assert_listed(trace->ordered, "Updated a 3, ReplacedAll, Bookmark");
    assert_keys(trace->ordered, "a");
}

/* With known objects, lists are spelled out. */
static void what_a_list_has_queued_is_listed(void **state)
{
    struct trace *trace = use(state, "a 1");

    put(trace, DELETE, "b", 2);
    replace(trace, "c 4");
    assert_keys(trace->ordered, "b a c");
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 3);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_order_of_each_producer_is_kept),
        TEST(nothing_is_merged),
        TEST(every_deletion_is_queued),
        TEST(nobody_jumps_the_line),
        TEST(a_batch_is_put_in_whole),
        TEST(each_object_is_transformed_once),
        TEST(the_objects_of_a_whole_list_are_transformed),
        TEST(a_list_brings_back_what_is_being_deleted),
        TEST(what_is_only_queued_is_deleted_by_a_list),
        TEST(a_list_comes_behind_what_was_added),
        TEST(deletions_come_before_the_list),
        TEST(deletions_of_what_is_queued_come_in_its_order),
        TEST(a_queued_tombstone_is_a_deletion),
        TEST(a_resync_sends_what_has_nothing_queued),
        TEST(a_staged_replacement_is_seen_when_it_is_committed),
        TEST(a_list_leaves_single_keys_as_they_are),
        TEST(an_atomic_list_is_one_change),
        TEST(an_atomic_resync_is_one_change),
        TEST(bookmarks_come_only_if_asked_for),
        TEST(what_a_delta_tells),
        TEST(it_has_synced_when_the_first_list_was_processed),
        TEST(deletions_are_part_of_the_first_list),
        TEST(batches_end_where_they_must),
        TEST(what_concerns_all_comes_alone),
        TEST(a_resync_comes_in_batches_too),
        TEST(large_batches_are_fine),
        TEST(keys_of_objects_and_tombstones),
        TEST(changes_are_listed_in_their_order),
        TEST(what_a_list_has_queued_is_listed),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
