/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ordered FIFO and what goes wrong: arguments, keys, transformers, process functions, memory,
 * forks; and its log.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "cache/ordered_fifo.h"
#include "child.h"
#include "fifo_support.h"
#include "item.h"
#include "oom.h"

static void null_is_refused(void **state)
{
    struct trace *trace = *state;
    kin_ordered_fifo *fifo = trace->ordered;
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_delta none = {KIN_DELTA_ADDED, NULL};
    kin_replace *replace = NULL;
    kin_str key = kin_str_of("a");
    kin_delta_copy changes = KIN_DELTA_COPY_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;

    assert_code(kin_ordered_fifo_list(NULL, &changes, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_list(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_list_keys(NULL, &keys, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_list_keys(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_new(NULL, NULL, NULL), KIN_EINVAL);
    kin_ordered_fifo_free(NULL);
    assert_code(kin_ordered_fifo_add(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_add(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_update(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_update(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_delete(NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_delete(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_add_batch(NULL, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_add_batch(fifo, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_add_batch(fifo, &none, 1, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_bookmark(NULL, key, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_replace_begin(fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_replace(NULL, NULL, 0, key, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_replace(fifo, NULL, 1, key, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_pop(NULL, note_deltas, trace, 0, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_pop(fifo, NULL, trace, 0, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_pop_batch(NULL, note_batch, trace, 0, 0, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_pop_batch(fifo, NULL, trace, 0, 0, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_key_of(NULL, &key, item, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_key_of(fifo, NULL, item, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_key_of(fifo, &key, NULL, NULL), KIN_EINVAL);
    assert_code(kin_ordered_fifo_wait_synced(NULL, 0, NULL), KIN_EINVAL);
    assert_int_equal(kin_ordered_fifo_len(NULL), 0);
    assert_false(kin_ordered_fifo_has_synced(NULL));
    kin_ordered_fifo_close(NULL);
    assert_true(kin_ordered_fifo_is_closed(NULL));
    assert_false(kin_ordered_fifo_has_synced(fifo));
    kin_object_unref(item);
}

static void options_must_make_sense(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct known known = {.text = ""};
    kin_known_objects objects = known_objects_of(&known);
    kin_ordered_fifo *fifo = NULL;

    (void)state;
    options.known = &objects;
    options.emit_bookmarks = true;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    options.emit_bookmarks = false;
    objects.each = NULL;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    objects = known_objects_of(&known);
    objects.has = NULL;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    objects = known_objects_of(&known);
    objects.size = 0;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    objects = known_objects_of(&known);
    options.size = 0;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), KIN_EINVAL);
    assert_null(fifo);
    /* Of a program that knows only the first field. */
    options.size = offsetof(kin_ordered_fifo_options, name);
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
    assert_false(fifo->has_known);
    kin_ordered_fifo_free(fifo);
}

/* --- keys and transformers --- */

static int by_version(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    int *result = arg;

    if (kin_test_item_version(object) == 13)
        return *result < 0 ? kin_error_set(err, *result, "thirteen") : *result;
    *ret = kin_object_resource_version(object);
    return 0;
}

/* TestRealFIFO_PopBrokenItemsInBatch: they never come so far. */
static void bad_keys_are_refused_on_the_way_in(void **state)
{
    static const char *const known_texts[] = {"", NULL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        struct known known = {.text = known_texts[i]};
        kin_known_objects objects = known_objects_of(&known);
        struct trace trace = {.n = 0};
        struct items items = items_of("a 1, a 2, a 13");
        kin_delta deltas[] = {{KIN_DELTA_ADDED, items.items[0]},
                              {KIN_DELTA_ADDED, items.items[1]},
                              {KIN_DELTA_ADDED, items.items[2]}};
        kin_replace *replace = NULL;
        kin_error err = KIN_ERROR_INIT;
        int result = KIN_ETYPE;
        kin_str key = {NULL, 0};

        options.key = by_version;
        options.key_arg = &result;
        options.known = known.text ? &objects : NULL;
        assert_code(kin_ordered_fifo_new(&trace.ordered, &options, NULL), 0);
        assert_code(kin_ordered_fifo_add(trace.ordered, items.items[2], &err), KIN_ETYPE);
        assert_string_equal(err.message, "thirteen");
        assert_code(kin_ordered_fifo_update(trace.ordered, items.items[2], NULL), KIN_ETYPE);
        assert_code(kin_ordered_fifo_delete(trace.ordered, items.items[2], NULL), KIN_ETYPE);
        assert_code(kin_ordered_fifo_add_batch(trace.ordered, deltas, 3, NULL), KIN_ETYPE);
        assert_code(kin_ordered_fifo_key_of(trace.ordered, &key, items.items[2], NULL), KIN_ETYPE);
        assert_code(kin_ordered_fifo_replace_begin(trace.ordered, &replace, NULL), 0);
        assert_code(kin_replace_add(replace, items.items[2], NULL), KIN_ETYPE);
        kin_replace_abort(replace);
        assert_code(ordered_replace(trace.ordered, "a 1, a 13", "1"), KIN_ETYPE);
        result = 1;
        assert_code(kin_ordered_fifo_add(trace.ordered, items.items[2], NULL), KIN_EINVAL);
        assert_false(kin_ordered_fifo_has_synced(trace.ordered));
        assert_int_equal(kin_ordered_fifo_len(trace.ordered), 0);
        assert_code(kin_ordered_fifo_add_batch(trace.ordered, deltas, 2, NULL), 0);
        assert_string_equal(drain_ordered_in_batches(&trace, 0), "{Added 1 1, Added 2 2}");
        items_done(&items);
        kin_ordered_fifo_free(trace.ordered);
    }
}

static void known_objects_with_bad_keys_fail_a_resync(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct known known = {.text = "a 1, a 13"};
    kin_known_objects objects = known_objects_of(&known);
    kin_ordered_fifo *fifo = NULL;
    kin_error err = KIN_ERROR_INIT;
    int result = KIN_ETYPE;

    (void)state;
    options.key = by_version;
    options.key_arg = &result;
    options.known = &objects;
    assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
    assert_code(kin_ordered_fifo_resync(fifo, &err), KIN_ETYPE);
    assert_string_equal(err.message, "thirteen");
    assert_int_equal(kin_ordered_fifo_len(fifo), 0);
    assert_int_equal(kin__map_len(&fifo->keys), 0);
    kin_ordered_fifo_free(fifo);
}

static void keys_have_limits(void **state)
{
    struct trace *trace = *state;
    char *name = malloc(KIN_KEY_BYTES_MAX + 2);

    assert_non_null(name);
    memset(name, 'x', KIN_KEY_BYTES_MAX + 1);
    name[KIN_KEY_BYTES_MAX + 1] = '\0';
    assert_code(ordered_put(trace->ordered, KIN_DELTA_ADDED, "", 1), KIN_EINVAL);
    assert_code(ordered_put(trace->ordered, KIN_DELTA_ADDED, name, 1), KIN_ELIMIT);
    assert_false(kin_ordered_fifo_has_synced(trace->ordered));
    name[KIN_KEY_BYTES_MAX] = '\0';
    assert_code(ordered_put(trace->ordered, KIN_DELTA_ADDED, name, 1), 0);
    assert_int_equal(kin__ring_at(&trace->ordered->ring, 0)->key_len, KIN_KEY_BYTES_MAX);
    free(name);
}

enum { FAIL = 1, NOTHING = 2, POSITIVE = 3, OTHER_KEY = 4 };

static int transform_badly(const kin_object *object, const kin_object **ret, void *arg,
                           kin_error *err)
{
    int how = *(int *)arg;

    if (how == FAIL)
        return kin_error_set(err, KIN_ETYPE, "no such luck");
    if (how == OTHER_KEY)
        *ret = kin_test_item("other", 1, NULL);
    else if (how == 0)
        *ret = kin_object_ref(object);
    return how == POSITIVE ? 1 : 0;
}

static void bad_transformers_are_refused(void **state)
{
    static const int codes[] = {0, KIN_ETYPE, KIN_EINVAL, KIN_EINVAL};
    static const char *const known_texts[] = {"", NULL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        struct known known = {.text = known_texts[i]};
        kin_known_objects objects = known_objects_of(&known);
        kin_ordered_fifo *fifo = NULL;
        int how = FAIL;

        options.transform = transform_badly;
        options.transform_arg = &how;
        options.known = known.text ? &objects : NULL;
        assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
        for (; how <= POSITIVE; how++) {
            assert_code(ordered_put(fifo, KIN_DELTA_ADDED, "a", 1), codes[how]);
            assert_code(ordered_replace(fifo, "a 1", "1"), codes[how]);
        }
        assert_int_equal(kin_ordered_fifo_len(fifo), 0);
        assert_false(kin_ordered_fifo_has_synced(fifo));
        /* A deletion counts in any case, until keys were changed: then its key is not known. */
        how = FAIL;
        assert_code(ordered_put(fifo, KIN_DELTA_DELETED, "a", 1), 0);
        assert_int_equal(kin_ordered_fifo_len(fifo), 1);
        how = OTHER_KEY;
        assert_code(ordered_put(fifo, KIN_DELTA_ADDED, "a", 1), 0);
        assert_string_equal(kin__ring_at(&fifo->ring, 1)->key, "other");
        how = FAIL;
        assert_code(ordered_put(fifo, KIN_DELTA_DELETED, "a", 1), KIN_ETYPE);
        how = 0;
        assert_code(ordered_put(fifo, KIN_DELTA_ADDED, "a", 1), 0);
        kin_ordered_fifo_free(fifo);
    }
}

static void only_changes_of_one_object_are_put_in(void **state)
{
    struct trace *trace = *state;
    const kin_object *item = kin_test_item("a", 1, NULL);

    for (int type = KIN_DELTA_REPLACED; type <= KIN_DELTA_BOOKMARK + 1; type++) {
        kin_delta deltas[] = {{KIN_DELTA_ADDED, item}, {(kin_delta_type)type, item}};

        assert_code(kin_ordered_fifo_add_batch(trace->ordered, deltas, 2, NULL), KIN_EINVAL);
    }
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 0);
    kin_object_unref(item);
}

static void a_bad_list_changes_nothing(void **state)
{
    struct trace *trace = *state;
    const kin_object *tombstone = NULL;
    kin_replace *replace = NULL;
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];

    memset(version, '1', sizeof(version));
    kin_tombstone_new(&tombstone, kin_str_of("t"), NULL, NULL);
    assert_code(kin_ordered_fifo_replace(trace->ordered, &tombstone, 1, kin_str_of("1"), NULL),
                KIN_EINVAL);
    kin_object_unref(tombstone);
    assert_code(kin_ordered_fifo_replace_begin(trace->ordered, &replace, NULL), 0);
    assert_code(kin_replace_commit(replace, kin_str_make(version, sizeof(version)), NULL),
                KIN_ELIMIT);
    kin_replace_abort(replace);
    assert_code(
        kin_ordered_fifo_bookmark(trace->ordered, kin_str_make(version, sizeof(version)), NULL),
        KIN_ELIMIT);
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 0);
    assert_false(kin_ordered_fifo_has_synced(trace->ordered));
}

/* --- process functions --- */

static void a_pop_returns_what_the_process_function_says(void **state)
{
    struct trace *trace = *state;
    kin_error err = KIN_ERROR_INIT;

    ordered_put(trace->ordered, KIN_DELTA_ADDED, "a", 1);
    ordered_put(trace->ordered, KIN_DELTA_ADDED, "b", 2);
    ordered_put(trace->ordered, KIN_DELTA_ADDED, "c", 3);
    trace->result = trace->said = KIN_ETYPE;
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, &err), KIN_ETYPE);
    assert_string_equal(err.message, "as the test said");
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 2);
    trace->result = 7;
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, NULL), KIN_EINVAL);
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 1);
    trace->result = KIN_EREQUEUE;
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, &err), KIN_ETYPE);
    assert_code(kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, 0, 0, &err),
                KIN_ETYPE);
    trace->said = 0;
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, NULL), 0);
    assert_int_equal(kin_ordered_fifo_len(trace->ordered), 1);
    trace->result = KIN_ETYPE;
    assert_code(kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, 0, 0, &err),
                KIN_ETYPE);
    trace->result = 0;
    assert_code(kin_ordered_fifo_pop(trace->ordered, note_deltas, trace, 0, &err), KIN_ETIMEOUT);
    assert_code(kin_ordered_fifo_pop_batch(trace->ordered, note_batch, trace, 0, 0, &err),
                KIN_ETIMEOUT);
}

/* --- the log --- */

static void note_record(const kin_log_record *record, void *arg)
{
    char *text = arg;

    snprintf(text, 512, "%s: %s", record->component, record->message);
    for (size_t i = 0; i < record->n_fields; i++) {
        const kin_log_field *field = &record->fields[i];
        size_t len = strlen(text);

        if (field->type == KIN_LOG_STR)
            snprintf(text + len, 512 - len, " %s=%.*s", field->key, (int)field->value.str.len,
                     field->value.str.data);
        else
            snprintf(text + len, 512 - len, " %s=%lld", field->key, (long long)field->value.i64);
    }
}

static void be_slow(struct trace *trace)
{
    assert_code(kin_clock_advance(trace->arg, INT64_C(100000000), NULL), 0);
}

static void slow_processing_is_logged(void **state)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct trace trace = {.during = be_slow};
    char text[512] = "";

    (void)state;
    assert_code(kin_clock_new_fake(&options.clock, 0, NULL), 0);
    assert_code(kin_logger_new(&options.logger, KIN_LOG_INFO, note_record, text, NULL, NULL), 0);
    assert_code(kin_ordered_fifo_new(&trace.ordered, &options, NULL), 0);
    trace.arg = options.clock;
    for (unsigned k = 0; k < 14; k++)
        ordered_put(trace.ordered, KIN_DELTA_ADDED, (char[]){(char)('a' + k), '\0'}, 1);
    assert_code(kin_ordered_fifo_pop(trace.ordered, note_deltas, &trace, 0, NULL), 0);
    assert_string_equal(text, "ordered-fifo: slow processing holds up the queue "
                              "queue=ordered-fifo key=a keys=1 waiting=13 ms=100");
    assert_code(kin_ordered_fifo_pop_batch(trace.ordered, note_batch, &trace, 2, 0, NULL), 0);
    assert_string_equal(text, "ordered-fifo: slow processing holds up the queue "
                              "queue=ordered-fifo key=b keys=2 waiting=11 ms=100");
    text[0] = '\0';
    assert_code(kin_ordered_fifo_pop(trace.ordered, note_deltas, &trace, 0, NULL), 0);
    assert_string_equal(text, "");
    kin_ordered_fifo_free(trace.ordered);
    kin_logger_unref(options.logger);
    kin_clock_unref(options.clock);
}

/* --- forks --- */

static int in_child(void *arg)
{
    kin_ordered_fifo *fifo = arg;
    kin_replace *replace = NULL;
    struct trace trace = {.n = 0};
    const kin_object *item = kin_test_item("a", 1, NULL);
    kin_delta delta = {KIN_DELTA_ADDED, item};
    kin_str none = kin_str_of("");
    kin_delta_copy changes = KIN_DELTA_COPY_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    bool right = kin_ordered_fifo_add(fifo, item, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_update(fifo, item, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_delete(fifo, item, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_add_batch(fifo, &delta, 1, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_bookmark(fifo, none, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_replace_begin(fifo, &replace, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_replace(fifo, NULL, 0, none, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_resync(fifo, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_pop(fifo, note_deltas, &trace, 0, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_pop_batch(fifo, note_batch, &trace, 0, 0, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_wait_synced(fifo, 0, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_list(fifo, &changes, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_list_keys(fifo, &keys, NULL) == KIN_EFORKED &&
                 kin_ordered_fifo_len(fifo) == 0 && !kin_ordered_fifo_has_synced(fifo) &&
                 kin_ordered_fifo_is_closed(fifo);

    kin_ordered_fifo_close(fifo);
    kin_ordered_fifo_free(fifo);
    kin_object_unref(item);
    return right && kin_test_items_live() == 0 ? 0 : 1;
}

static void fork_now(struct trace *trace)
{
    kin_test_child child;

    kin_test_run_child(&child, in_child, trace->ordered);
    assert_int_equal(child.exit_code, 0);
}

static void a_child_may_only_free_it(void **state)
{
    static const char *const known_texts[] = {"", NULL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        struct known known = {.text = known_texts[i]};
        kin_known_objects objects = known_objects_of(&known);
        struct trace trace = {.during = fork_now};

        options.known = known.text ? &objects : NULL;
        assert_code(kin_ordered_fifo_new(&trace.ordered, &options, NULL), 0);
        ordered_put(trace.ordered, KIN_DELTA_ADDED, "x", 1);
        ordered_replace(trace.ordered, "y 2", "1");
        fork_now(&trace);
        /* And in the middle of it. */
        assert_code(kin_ordered_fifo_pop_batch(trace.ordered, note_batch, &trace, 0, 0, NULL), 0);
        kin_ordered_fifo_free(trace.ordered);
    }
}

static int replace_in_child(void *arg)
{
    kin_replace *replace = arg;
    const kin_object *item = kin_test_item("b", 1, NULL);
    bool right = kin_replace_add(replace, item, NULL) == KIN_EFORKED &&
                 kin_replace_commit(replace, kin_str_of("1"), NULL) == KIN_EFORKED;

    kin_replace_abort(replace);
    kin_object_unref(item);
    return right ? 0 : 1;
}

static void a_child_does_not_commit(void **state)
{
    static const char *const known_texts[] = {"", NULL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        struct known known = {.text = known_texts[i]};
        kin_known_objects objects = known_objects_of(&known);
        kin_ordered_fifo *fifo = NULL;
        kin_replace *replace = NULL;
        kin_test_child child;

        options.known = known.text ? &objects : NULL;
        assert_code(kin_ordered_fifo_new(&fifo, &options, NULL), 0);
        assert_code(kin_ordered_fifo_replace_begin(fifo, &replace, NULL), 0);
        kin_test_run_child(&child, replace_in_child, replace);
        assert_int_equal(child.exit_code, 0);
        kin_replace_abort(replace);
        kin_ordered_fifo_free(fifo);
    }
}

/* --- memory --- */

/* All of it, by looking inside: that needs no memory. */
static void picture_of(kin_ordered_fifo *fifo, char *text, size_t size)
{
    size_t len = 0;
    size_t reserved = 0;
    size_t n = 0;
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    for (size_t i = 0; i < fifo->ring.len; i++) {
        const kin__ring_item *item = kin__ring_at(&fifo->ring, i);

        len += (size_t)snprintf(text + len, size - len, "%d %.*s %p, ", item->type, item->key_len,
                                item->key, (const void *)item->object);
    }
    while ((node = kin__map_next(&fifo->keys, &iter))) {
        n += kin__ordered_key_of(node)->n;
        reserved += kin__ordered_key_of(node)->reserved;
    }
    snprintf(text + len, size - len, "%zu in map, %zu %zu, %zu in flight, %d %d, %zu %zu",
             kin__map_len(&fifo->keys), n, reserved, fifo->n_flight, fifo->is_taken,
             fifo->line.populated, fifo->line.initial_waiting, fifo->line.initial_left);
}

enum what { ADD, ADD_BATCH, REPLACE, RESYNC, BOOKMARK, LIST, LIST_KEYS, POP_BATCH, N_WHATS };

struct need {
    enum what what;
    bool known;
    bool empty; /* it has nothing yet */
};

static int operate(kin_ordered_fifo *fifo, enum what what, kin_error *err)
{
    struct items items = items_of("a 11, x 1, a 2, y 3, x 4, z 5, k1 6, k2 7, k3 8, k4 9, k5 10");
    kin_delta deltas[16];
    struct trace trace = {.n = 0};
    kin_delta_copy changes = KIN_DELTA_COPY_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = 0;

    for (size_t i = 0; i < items.n; i++)
        deltas[i] = (kin_delta){KIN_DELTA_UPDATED, items.items[i]};
    switch (what) {
    case ADD:
        code = kin_ordered_fifo_add(fifo, items.items[3], err);
        break;
    case ADD_BATCH:
        code = kin_ordered_fifo_add_batch(fifo, deltas, items.n, err);
        break;
    case REPLACE:
        code = kin_ordered_fifo_replace(fifo, items.items, items.n, kin_str_of("1"), err);
        break;
    case RESYNC:
        code = kin_ordered_fifo_resync(fifo, err);
        break;
    case BOOKMARK:
        code = kin_ordered_fifo_bookmark(fifo, kin_str_of("1"), err);
        break;
    case LIST:
        code = kin_ordered_fifo_list(fifo, &changes, err);
        kin_delta_copy_done(&changes);
        break;
    case LIST_KEYS:
        code = kin_ordered_fifo_list_keys(fifo, &keys, err);
        kin_string_list_done(&keys);
        break;
    case POP_BATCH:
    case N_WHATS:
        trace.result = KIN_EREQUEUE;
        code = kin_ordered_fifo_pop_batch(fifo, note_batch, &trace, 0, 0, err);
        break;
    }
    items_done(&items);
    return code;
}

static int fill(kin_ordered_fifo *fifo, kin_error *err)
{
    struct items items = items_of("a 1, b 2, a 3, c 4, d 5, e 6, f 7");
    int code = 0;

    for (size_t i = 0; i < items.n && code == 0; i++)
        code = i == 3 ? kin_ordered_fifo_delete(fifo, items.items[i], err)
                      : kin_ordered_fifo_add(fifo, items.items[i], err);
    items_done(&items);
    return code;
}

static int operate_in_need(void *arg, kin_error *err)
{
    struct need *need = arg;
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct known known = {.text = "a 1, y 2, o1 3, o2 4, o3 5, o4 6, o5 7, o6 8, o7 9, o8 10"};
    kin_known_objects objects = known_objects_of(&known);
    static char before[4096];
    static char after[4096];
    kin_ordered_fifo *fifo = NULL;
    int code;

    options.known = need->known ? &objects : NULL;
    options.emit_bookmarks = !need->known;
    code = kin_ordered_fifo_new(&fifo, &options, err);
    if (code == 0 && !need->empty)
        code = fill(fifo, err);
    if (code == 0) {
        picture_of(fifo, before, sizeof(before));
        code = operate(fifo, need->what, err);
        picture_of(fifo, after, sizeof(after));
        if (code < 0 && strcmp(before, after) != 0)
            code = kin_error_set(err, KIN_ETYPE, "before: %s; after: %s", before, after);
    }
    kin_ordered_fifo_free(fifo);
    return code;
}

static void a_failed_operation_changes_nothing(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4 * N_WHATS; i++) {
        struct need need = {(enum what)(i / 4), i % 2, i / 2 % 2};

        if (need.what == POP_BATCH && need.empty)
            continue; /* nothing to pop */
        kin_test_fail_each_allocation(operate_in_need, &need);
    }
    assert_int_equal(kin_test_items_live(), 0);
}

static int commit_in_need(void *arg, kin_error *err)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    struct known known = {.text = "k 1, o 2"};
    kin_known_objects objects = known_objects_of(&known);
    struct items items = items_of("x 1, k 2, x 3");
    kin_ordered_fifo *fifo = NULL;
    kin_replace *replace = NULL;
    bool is_known = *(bool *)arg;
    int code;
    int again;

    options.known = is_known ? &objects : NULL;
    code = kin_ordered_fifo_new(&fifo, &options, err);
    if (code == 0)
        code = kin_ordered_fifo_replace_begin(fifo, &replace, err);
    for (size_t i = 0; i < items.n && code == 0; i++)
        code = kin_replace_add(replace, items.items[i], err);
    if (code == 0 && is_known)
        code = kin_replace_keep(replace, kin_str_of("nothing"), err);
    again = code;
    if (code == 0) {
        code = kin_replace_commit(replace, kin_str_of("1"), err);
        again = code < 0 ? kin_replace_commit(replace, kin_str_of("1"), NULL) : 0;
    }
    if (again < 0)
        kin_replace_abort(replace);
    else if (kin_ordered_fifo_len(fifo) != (is_known ? 4 : 1))
        code = kin_error_set(err, KIN_ETYPE, "%zu wait", kin_ordered_fifo_len(fifo));
    items_done(&items);
    kin_ordered_fifo_free(fifo);
    return code;
}

static void a_failed_commit_can_be_tried_again(void **state)
{
    bool is_known = false;

    (void)state;
    kin_test_fail_each_allocation(commit_in_need, &is_known);
    is_known = true;
    kin_test_fail_each_allocation(commit_in_need, &is_known);
    assert_int_equal(kin_test_items_live(), 0);
}

static void steady_work_needs_no_memory(void **state)
{
    static const char *const known_texts[] = {"", NULL};

    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
        struct known known = {.text = known_texts[i]};
        kin_known_objects objects = known_objects_of(&known);
        struct trace trace = {.n = 0};

        options.known = known.text ? &objects : NULL;
        assert_code(kin_ordered_fifo_new(&trace.ordered, &options, NULL), 0);
        for (unsigned round = 0; round < 2; round++) {
            kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
            for (unsigned n = 0; n < 5000; n++) {
                ordered_put(trace.ordered, KIN_DELTA_ADDED, n % 2 ? "odd" : "even", n);
                ordered_put(trace.ordered, KIN_DELTA_UPDATED, "another", n);
                if (n % 3)
                    drain_ordered(&trace);
                else
                    drain_ordered_in_batches(&trace, 0);
            }
            assert_true(round == 0 || kin_test_alloc_count() == 0);
        }
        kin_ordered_fifo_free(trace.ordered);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, ordered_fifo_setup, trace_teardown)
    const struct CMUnitTest tests[] = {
        TEST(null_is_refused),
        TEST(options_must_make_sense),
        TEST(bad_keys_are_refused_on_the_way_in),
        TEST(known_objects_with_bad_keys_fail_a_resync),
        TEST(keys_have_limits),
        TEST(bad_transformers_are_refused),
        TEST(only_changes_of_one_object_are_put_in),
        TEST(a_bad_list_changes_nothing),
        TEST(a_pop_returns_what_the_process_function_says),
        TEST(slow_processing_is_logged),
        TEST(a_child_may_only_free_it),
        TEST(a_child_does_not_commit),
        TEST(a_failed_operation_changes_nothing),
        TEST(a_failed_commit_can_be_tried_again),
        TEST(steady_work_needs_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
