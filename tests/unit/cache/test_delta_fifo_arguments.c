/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with what DeltaFIFO is given: a clear code, and nothing has changed. Also deltas
 * alone, and the known objects of a store.
 */
#include "delta_fifo_support.h"

#include "child.h"

/* --- deltas --- */

static void types_have_client_gos_names(void **state)
{
    static const char *const names[] = {"?",    "Added",       "Updated", "Deleted",  "Replaced",
                                        "Sync", "ReplacedAll", "SyncAll", "Bookmark", "?"};

    (void)state;
    for (int type = 0; type < 10; type++)
        assert_string_equal(kin_delta_type_name((kin_delta_type)type), names[type]);
    assert_string_equal(kin_delta_type_name((kin_delta_type)-1), "?");
}

static void the_ends_of_deltas(void **state)
{
    const kin_object *object = queue_object("a:1");
    const kin_delta items[] = {
        {KIN_DELTA_DELETED, object}, {KIN_DELTA_ADDED, object}, {KIN_DELTA_DELETED, object}};
    kin_deltas deltas = {items, 3, {NULL, 0}};
    const kin_deltas none = {NULL, 0, {NULL, 0}};

    (void)state;
    assert_ptr_equal(kin_deltas_oldest(&deltas), &items[0]);
    assert_ptr_equal(kin_deltas_newest(&deltas), &items[2]);
    assert_true(kin_deltas_is_deleted(&deltas));
    deltas.len = 2;
    assert_ptr_equal(kin_deltas_newest(&deltas), &items[1]);
    assert_false(kin_deltas_is_deleted(&deltas));
    assert_null(kin_deltas_oldest(&none));
    assert_null(kin_deltas_newest(&none));
    assert_false(kin_deltas_is_deleted(&none));
    assert_null(kin_deltas_oldest(NULL));
    assert_null(kin_deltas_newest(NULL));
    assert_false(kin_deltas_is_deleted(NULL));
    kin_object_unref(object);
}

static void a_copy_keeps_its_objects(void **state)
{
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    const kin_object *object = queue_object("a:1");
    queue q;

    (void)state;
    kin_delta_copy_done(NULL);
    kin_delta_copy_done(&copy);
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    assert_code(kin_delta_fifo_get(q.fifo, &copy, object, NULL), 0);
    kin_object_unref(object);
    kin_delta_fifo_free(q.fifo);
    q.fifo = NULL;
    assert_int_equal(copy.len, 2);
    assert_int_equal(kin_test_item_version(copy.items[1].object), 2);
    kin_delta_copy_done(&copy);
    assert_int_equal(copy.len, 0);
    queue_done(&q);
}

/* --- nothing where something is needed --- */

static void there_must_be_a_queue(void **state)
{
    const kin_object *object = queue_object("a:1");
    const kin_delta delta = {KIN_DELTA_ADDED, object};
    const kin_deltas deltas = {&delta, 1, {NULL, 0}};
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_replace *replace = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str key = {NULL, 0};

    (void)state;
    assert_code(kin_delta_fifo_add(NULL, object, &err), KIN_EINVAL);
    assert_string_equal(err.message, "fifo is NULL");
    assert_code(kin_delta_fifo_update(NULL, object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_delete(NULL, object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_batch(NULL, &delta, 1, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_if_not_present(NULL, &deltas, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_replace_begin(NULL, &replace, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_replace(NULL, &object, 1, kin_str_of(""), NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_resync(NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_pop(NULL, queue_process, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_pop_batch(NULL, queue_process_batch, NULL, 0, 0, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of(NULL, &key, object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of_deltas(NULL, &key, &deltas, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_get_by_key(NULL, &copy, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_get(NULL, &copy, object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_list(NULL, &list, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_list_keys(NULL, &keys, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_wait_synced(NULL, 0, NULL), KIN_EINVAL);
    assert_int_equal(kin_delta_fifo_len(NULL), 0);
    assert_false(kin_delta_fifo_has_synced(NULL));
    assert_true(kin_delta_fifo_is_closed(NULL));
    kin_delta_fifo_close(NULL);
    kin_delta_fifo_free(NULL);
    kin_object_unref(object);
}

static void there_must_be_arguments(void **state)
{
    const kin_object *object = queue_object("a:1");
    const kin_delta empty = {KIN_DELTA_ADDED, NULL};
    const kin_delta half[] = {{KIN_DELTA_ADDED, NULL}, {KIN_DELTA_ADDED, object}};
    const kin_deltas without_object = {&empty, 1, {NULL, 0}};
    const kin_deltas with_one = {half, 2, {NULL, 0}};
    const kin_deltas none = {NULL, 0, {NULL, 0}};
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    kin_replace *replace = NULL;
    kin_str key = {NULL, 0};
    queue q;

    (void)state;
    queue_init(&q, 0);
    assert_code(kin_delta_fifo_new(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_update(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_delete(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_batch(q.fifo, NULL, 1, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_batch(q.fifo, NULL, 0, NULL), 0);
    assert_code(kin_delta_fifo_add_batch(q.fifo, &empty, 1, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &none, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &without_object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &with_one, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_replace_begin(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_replace(q.fifo, NULL, 1, kin_str_of(""), NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_pop(q.fifo, NULL, NULL, 0, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_pop_batch(q.fifo, NULL, NULL, 0, 0, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of(q.fifo, NULL, object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of(q.fifo, &key, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of_deltas(q.fifo, &key, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_key_of_deltas(q.fifo, &key, &without_object, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_get_by_key(q.fifo, NULL, kin_str_of("a"), NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_get(q.fifo, &copy, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_get(q.fifo, &copy, object, NULL), KIN_ENOTFOUND);
    assert_code(kin_delta_fifo_list(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_list_keys(q.fifo, NULL, NULL), KIN_EINVAL);
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, NULL, NULL), KIN_EINVAL);
    kin_replace_abort(replace);
    assert_false(queue_has_synced(&q));
    assert_string_equal(queue_keys(&q), "");
    kin_object_unref(object);
    queue_done(&q);
}

static void options_are_checked(void **state)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    kin_delta_fifo *fifo = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_store *store = NULL;

    (void)state;
    assert_code(kin_store_new(&store, NULL, NULL), 0);
    options.known = &known;
    assert_code(kin_delta_fifo_new(&fifo, &options, &err), KIN_EINVAL);
    known = kin_store_known_objects(store);
    known.each = NULL;
    assert_code(kin_delta_fifo_new(&fifo, &options, &err), KIN_EINVAL);
    known = kin_store_known_objects(store);
    known.has = NULL;
    assert_code(kin_delta_fifo_new(&fifo, &options, &err), KIN_EINVAL);
    known = kin_store_known_objects(store);
    known.size = 0;
    assert_code(kin_delta_fifo_new(&fifo, &options, &err), KIN_EINVAL);
    options.known = NULL;
    options.size = 0;
    assert_code(kin_delta_fifo_new(&fifo, &options, &err), KIN_EINVAL);
    assert_null(fifo);
    assert_code(kin_delta_fifo_new(&fifo, NULL, NULL), 0);
    kin_delta_fifo_free(fifo);
    kin_store_unref(store);
}

/* --- keys --- */

static const kin_object *object_with_long_key(size_t len)
{
    char *key = malloc(len + 1);
    const kin_object *object;

    assert_non_null(key);
    memset(key, 'k', len);
    key[len] = '\0';
    object = kin_test_item(key, 1, NULL);
    free(key);
    return object;
}

static void refused_everywhere(queue *q, const kin_object *object, int expected)
{
    const kin_delta delta = {KIN_DELTA_ADDED, object};
    const kin_delta deleted = {KIN_DELTA_DELETED, object};
    const kin_deltas deltas = {&delta, 1, {NULL, 0}};
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_str key = {NULL, 0};

    assert_code(kin_delta_fifo_add(q->fifo, object, &err), expected);
    assert_code(err.code, expected);
    assert_code(kin_delta_fifo_update(q->fifo, object, NULL), expected);
    assert_code(kin_delta_fifo_delete(q->fifo, object, NULL), expected);
    assert_code(kin_delta_fifo_add_batch(q->fifo, &delta, 1, NULL), expected);
    assert_code(kin_delta_fifo_add_batch(q->fifo, &deleted, 1, NULL), expected);
    assert_code(kin_delta_fifo_add_if_not_present(q->fifo, &deltas, NULL), expected);
    assert_code(kin_delta_fifo_replace(q->fifo, &object, 1, kin_str_of(""), NULL), expected);
    assert_code(kin_delta_fifo_key_of(q->fifo, &key, object, NULL), expected);
    assert_code(kin_delta_fifo_key_of_deltas(q->fifo, &key, &deltas, NULL), expected);
    assert_code(kin_delta_fifo_get(q->fifo, &copy, object, NULL), expected);
    assert_false(queue_has_synced(q));
    assert_string_equal(queue_keys(q), "");
}

static void keys_have_a_length(void **state)
{
    const kin_object *empty = kin_test_item("", 1, NULL);
    const kin_object *longest = object_with_long_key(KIN_KEY_BYTES_MAX);
    const kin_object *longer = object_with_long_key(KIN_KEY_BYTES_MAX + 1);
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    refused_everywhere(&q, empty, KIN_EINVAL);
    refused_everywhere(&q, longer, KIN_ELIMIT);
    assert_code(kin_delta_fifo_add(q.fifo, longest, NULL), 0);
    assert_int_equal(kin_delta_fifo_len(q.fifo), 1);
    kin_object_unref(empty);
    kin_object_unref(longest);
    kin_object_unref(longer);
    queue_done(&q);
}

static int key_code; /* what the key function returns of the key "bad" */

static int fail_key(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    assert_string_equal(arg, "the argument");
    if (strcmp(kin_object_key(object), "bad") == 0)
        return key_code > 0 ? key_code : kin_error_set(err, key_code, "a bad key");
    *ret = kin_str_of(kin_object_key(object));
    return 0;
}

static void init_with_key(queue *q)
{
    static char argument[] = "the argument";
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;

    options.key = fail_key;
    options.key_arg = argument;
    queue_init_with(q, QUEUE_KNOWN, options);
}

static void a_key_function_may_fail(void **state)
{
    const kin_object *bad = queue_object("bad:1");
    const kin_object *tombstone = queue_object("~bad:1");
    kin_str key = {NULL, 0};
    queue q;

    (void)state;
    init_with_key(&q);
    key_code = KIN_ERANGE;
    refused_everywhere(&q, bad, KIN_ERANGE);
    key_code = 5;
    refused_everywhere(&q, bad, KIN_EINVAL);
    /* It is not asked about tombstones. */
    assert_code(kin_delta_fifo_key_of(q.fifo, &key, tombstone, NULL), 0);
    queue_add(&q, "good:1");
    assert_string_equal(queue_pop(&q), "good Added=1");
    kin_object_unref(bad);
    kin_object_unref(tombstone);
    queue_done(&q);
}

/* It is asked by a visitor, whose caller knows nothing of it. */
static void what_a_key_function_says_during_a_resync_is_passed_on(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    queue q;

    (void)state;
    init_with_key(&q);
    queue_know(&q, "bad:1");
    key_code = KIN_ERANGE;
    assert_code(kin_delta_fifo_resync(q.fifo, &err), KIN_ERANGE);
    assert_code(err.code, KIN_ERANGE);
    assert_string_equal(err.message, "a bad key");
    assert_string_equal(queue_keys(&q), "");
    queue_done(&q);
}

/* Its own objects have other keys than the store has them under. */
static int key_in_upper_case(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    *ret = kin_str_of(strcmp(kin_object_key(object), "a") == 0 ? "A" : kin_object_key(object));
    return 0;
}

static void a_resync_goes_by_the_queues_own_keys(void **state)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    queue q;

    (void)state;
    options.key = key_in_upper_case;
    queue_init_with(&q, QUEUE_KNOWN, options);
    queue_know(&q, "a:1 b:1");
    queue_update(&q, "a:2");
    assert_string_equal(queue_keys(&q), "A");
    queue_resync(&q);
    assert_string_equal(queue_get(&q, "A"), "Updated=2");
    assert_string_equal(queue_get(&q, "b"), "Sync=1");
    queue_done(&q);
}

static void a_resync_fails_if_a_key_cannot_be_made(void **state)
{
    queue q;

    (void)state;
    init_with_key(&q);
    key_code = KIN_ERANGE;
    queue_know(&q, "a:1 bad:1 c:1");
    assert_code(kin_delta_fifo_resync(q.fifo, NULL), KIN_ERANGE);
    assert_string_equal(queue_keys(&q), "");
    assert_code(kin_store_delete_key(q.store, kin_str_of("bad"), NULL), 0);
    queue_resync(&q);
    assert_int_equal(kin_delta_fifo_len(q.fifo), 2);
    queue_done(&q);
}

/* --- transformers --- */

enum { GIVES_CODE, GIVES_POSITIVE, GIVES_NULL, N_BAD_TRANSFORMERS, CHANGES_KEY };

static int bad_transformer;

static int transform_badly(const kin_object *object, const kin_object **ret, void *arg,
                           kin_error *err)
{
    (void)arg;
    if (strcmp(kin_object_key(object), "good") == 0) {
        *ret = kin_object_ref(object);
        return 0;
    }
    switch (bad_transformer) {
    case GIVES_CODE:
        return kin_error_set(err, KIN_ETYPE, "not this one");
    case GIVES_POSITIVE:
        return 3;
    case CHANGES_KEY:
        *ret = kin_test_item("other", kin_test_item_version(object), NULL);
        return 0;
    default:
        return 0;
    }
}

static void a_transformer_may_fail(void **state)
{
    const kin_object *objects[3];
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    queue q;

    (void)state;
    queue_objects("good:1 a:1 good:2", objects, 3);
    options.transform = transform_badly;
    queue_init_with(&q, QUEUE_KNOWN, options);
    queue_know(&q, "a:0");
    for (bad_transformer = 0; bad_transformer < N_BAD_TRANSFORMERS; bad_transformer++) {
        const kin_delta batch[] = {{KIN_DELTA_ADDED, objects[0]},
                                   {KIN_DELTA_UPDATED, objects[1]},
                                   {KIN_DELTA_UPDATED, objects[2]}};
        int expected = bad_transformer == GIVES_CODE ? KIN_ETYPE : KIN_EINVAL;
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_delta_fifo_add(q.fifo, objects[1], &err), expected);
        assert_code(err.code, expected);
        assert_true(err.message[0] != '\0');
        assert_code(kin_delta_fifo_update(q.fifo, objects[1], NULL), expected);
        assert_code(kin_delta_fifo_add_batch(q.fifo, batch, 3, NULL), expected);
        assert_code(kin_delta_fifo_replace(q.fifo, objects, 3, kin_str_of(""), NULL), expected);
        if (bad_transformer == 0)
            assert_false(queue_has_synced(&q));
        assert_string_equal(queue_keys(&q), "");
        /* A deletion counts in any case. */
        assert_code(kin_delta_fifo_delete(q.fifo, objects[1], NULL), 0);
        assert_string_equal(queue_pop(&q), "a Deleted=~1");
        queue_know(&q, "a:0");
    }
    for (unsigned i = 0; i < 3; i++)
        kin_object_unref(objects[i]);
    queue_done(&q);
}

/* A transformer may change the key: that of the transformed object counts. */
static void a_transformer_may_change_the_key(void **state)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    const kin_object *object = queue_object("a:3");
    queue q;

    (void)state;
    bad_transformer = CHANGES_KEY;
    options.transform = transform_badly;
    queue_init_with(&q, QUEUE_KNOWN, options);
    queue_know(&q, "other:0");
    assert_code(kin_delta_fifo_add(q.fifo, object, NULL), 0);
    assert_string_equal(queue_keys(&q), "other");
    /* The list has it, so it is not deleted. */
    assert_code(kin_delta_fifo_replace(q.fifo, &object, 1, kin_str_of(""), NULL), 0);
    assert_code(kin_delta_fifo_delete(q.fifo, object, NULL), 0);
    assert_string_equal(queue_pop(&q), "other Added=3 Sync=3 Deleted=3");
    /* Once keys were changed, the key of a rejected object is unknown. */
    bad_transformer = GIVES_CODE;
    queue_know(&q, "other:0");
    assert_code(kin_delta_fifo_delete(q.fifo, object, NULL), KIN_ETYPE);
    kin_object_unref(object);
    queue_done(&q);
}

/* --- batches and lists: all or nothing --- */

static void a_batch_takes_three_types_only(void **state)
{
    const kin_object *object = queue_object("a:1");
    queue q;

    (void)state;
    queue_init(&q, 0);
    for (int type = -1; type <= KIN_DELTA_BOOKMARK + 1; type++) {
        const kin_delta deltas[] = {{KIN_DELTA_ADDED, object}, {(kin_delta_type)type, object}};
        bool good = type >= KIN_DELTA_ADDED && type <= KIN_DELTA_DELETED;

        assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, 2, NULL), good ? 0 : KIN_EINVAL);
        if (good)
            assert_string_equal(queue_pop(&q), type == KIN_DELTA_ADDED     ? "a Added=1 Added=1"
                                               : type == KIN_DELTA_UPDATED ? "a Added=1 Updated=1"
                                                                           : "a Added=1 Deleted=1");
        else
            assert_int_equal(kin_delta_fifo_len(q.fifo), 0);
    }
    kin_object_unref(object);
    queue_done(&q);
}

static void a_bad_one_fails_its_batch(void **state)
{
    const kin_object *objects[3];
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "b:1");
    for (unsigned bad = 0; bad < 3; bad++) {
        kin_delta deltas[3];

        queue_objects("a:1 b:2 c:3", objects, 3);
        kin_object_unref(objects[bad]);
        objects[bad] = kin_test_item("", 1, NULL);
        for (unsigned i = 0; i < 3; i++)
            deltas[i] = (kin_delta){i == 1 ? KIN_DELTA_DELETED : KIN_DELTA_ADDED, objects[i]};
        assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, 3, NULL), KIN_EINVAL);
        assert_false(queue_has_synced(&q));
        assert_string_equal(queue_keys(&q), "");
        for (unsigned i = 0; i < 3; i++)
            kin_object_unref(objects[i]);
    }
    queue_done(&q);
}

static void a_bad_one_fails_its_list(void **state)
{
    const kin_object *empty = kin_test_item("", 1, NULL);
    const kin_object *tombstone = queue_object("~a:1");
    const kin_object *good = queue_object("a:1");
    const kin_object *const lists[][3] = {{good, empty, good}, {good, tombstone, good}};
    char version[KIN_RESOURCE_VERSION_BYTES_MAX + 1];
    kin_replace *replace = NULL;
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "z:1");
    for (unsigned i = 0; i < 2; i++) {
        assert_code(kin_delta_fifo_replace(q.fifo, lists[i], 3, kin_str_of(""), NULL), KIN_EINVAL);
        assert_false(queue_has_synced(&q));
        assert_string_equal(queue_keys(&q), "");
    }
    memset(version, '1', sizeof(version));
    assert_code(
        kin_delta_fifo_replace(q.fifo, lists[0], 1, kin_str_make(version, sizeof(version)), NULL),
        KIN_ELIMIT);
    assert_code(kin_delta_fifo_replace(q.fifo, lists[0], 1,
                                       kin_str_make(version, sizeof(version) - 1), NULL),
                0);
    assert_string_equal(queue_keys(&q), "a z");
    /* Put aside one by one, a bad one does not concern the others. */
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, good, NULL), 0);
    assert_code(kin_replace_add(replace, empty, NULL), KIN_EINVAL);
    assert_code(kin_replace_add(replace, tombstone, NULL), KIN_EINVAL);
    assert_code(kin_replace_commit(replace, kin_str_make(version, sizeof(version)), NULL),
                KIN_ELIMIT);
    assert_code(kin_replace_commit(replace, kin_str_of("1"), NULL), 0);
    assert_string_equal(queue_get(&q, "a"), "Sync=1 Sync=1");
    kin_object_unref(empty);
    kin_object_unref(tombstone);
    kin_object_unref(good);
    queue_done(&q);
}

static void deltas_that_are_queued_again_have_one_key(void **state)
{
    const kin_object *a = queue_object("a:1");
    const kin_object *b = queue_object("b:1");
    const kin_object *tombstone = queue_object("~a");
    const kin_delta mixed[] = {{KIN_DELTA_ADDED, a}, {KIN_DELTA_ADDED, b}};
    const kin_delta same[] = {{KIN_DELTA_ADDED, a}, {KIN_DELTA_DELETED, tombstone}};
    const kin_deltas bad = {mixed, 2, {NULL, 0}};
    const kin_deltas good = {same, 2, {NULL, 0}};
    queue q;

    (void)state;
    queue_init(&q, 0);
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &bad, NULL), KIN_EINVAL);
    assert_false(queue_has_synced(&q));
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &good, NULL), 0);
    kin_object_unref(a);
    kin_object_unref(b);
    kin_object_unref(tombstone);
    assert_string_equal(queue_pop(&q), "a Added=1 Deleted=~");
    queue_done(&q);
}

/* --- known objects --- */

typedef struct bad_known {
    queue q;
    int has;  /* what `has` returns */
    int each; /* what `each` returns after `first` visits, if not 0 */
    int first;
} bad_known;

static int bad_has(void *arg, kin_str key, kin_error *err)
{
    bad_known *k = arg;

    (void)key;
    return k->has < 0 ? kin_error_set(err, k->has, "cannot say") : k->has;
}

static int bad_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    bad_known *k = arg;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_list(k->q.store, &list, err);

    for (size_t i = 0; i < list.len && code == 0; i++) {
        if (k->each && (int)i == k->first)
            code = k->each < 0 ? kin_error_set(err, k->each, "no more") : k->each;
        else
            code = visit(kin_str_of(kin_object_key(list.items[i])), list.items[i], visit_arg);
    }
    kin_object_list_done(&list);
    return code;
}

static void bad_known_init(bad_known *k)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    memset(k, 0, sizeof(*k));
    known.has = bad_has;
    known.each = bad_each;
    known.arg = k;
    options.known = &known;
    queue_init_with(&k->q, QUEUE_REPLACED, options);
}

static void who_cannot_say_whether_a_key_is_known_says_yes(void **state)
{
    static const int answers[] = {0, KIN_ERANGE, 1, KIN_ENOMEM};
    bad_known k;

    (void)state;
    bad_known_init(&k);
    for (unsigned i = 0; i < 4; i++) {
        k.has = answers[i];
        queue_delete(&k.q, "a:1");
        assert_string_equal(queue_pop(&k.q), "a Deleted=1");
    }
    k.has = KIN_ENOTFOUND;
    queue_delete(&k.q, "a:1");
    assert_int_equal(kin_delta_fifo_len(k.q.fifo), 0);
    queue_done(&k.q);
}

static void known_objects_that_fail_change_nothing(void **state)
{
    static const int answers[] = {KIN_ERANGE, 7};
    static const int expected[] = {KIN_ERANGE, KIN_EINVAL};
    bad_known k;

    (void)state;
    bad_known_init(&k);
    queue_know(&k.q, "a:1 b:1 c:1");
    for (unsigned i = 0; i < 2; i++) {
        for (k.first = 0; k.first < 3; k.first++) {
            kin_error err = KIN_ERROR_INIT;

            k.each = answers[i];
            assert_code(queue_try_replace(&k.q, "x:1 y:1", &err), expected[i]);
            assert_code(err.code, expected[i]);
            if (i == 0)
                assert_string_equal(err.message, "no more");
            assert_code(kin_delta_fifo_resync(k.q.fifo, &err), expected[i]);
            assert_string_equal(queue_keys(&k.q), "");
            assert_false(queue_has_synced(&k.q));
        }
    }
    k.each = 0;
    queue_replace(&k.q, "x:1");
    assert_int_equal(kin_delta_fifo_len(k.q.fifo), 4);
    queue_done(&k.q);
}

static int count_visit(kin_str key, const kin_object *object, void *arg)
{
    unsigned *n = arg;

    assert_string_equal(key.data, kin_object_key(object));
    return ++*n == 2 ? 42 : 0;
}

static void a_store_says_what_it_knows(void **state)
{
    kin_known_objects known;
    unsigned n = 0;
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_know(&q, "a:1 b:1 c:1");
    known = kin_store_known_objects(q.store);
    assert_int_equal(known.size, sizeof(known));
    assert_code(known.has(known.arg, kin_str_of("a"), NULL), 0);
    assert_code(known.has(known.arg, kin_str_of("z"), NULL), KIN_ENOTFOUND);
    assert_int_equal(known.each(known.arg, count_visit, &n, NULL), 42); /* the visitor's */
    assert_int_equal(n, 2);
    queue_done(&q);
}

/* --- forks --- */

static int use_in_child(void *arg)
{
    queue *q = arg;
    const kin_object *object = queue_object("b:1");
    const kin_delta delta = {KIN_DELTA_ADDED, object};
    const kin_deltas deltas = {&delta, 1, {NULL, 0}};
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_string_list keys = KIN_STRING_LIST_INIT;
    kin_replace *replace = NULL;
    int wrong = 0;

    wrong += kin_delta_fifo_add(q->fifo, object, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_update(q->fifo, object, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_delete(q->fifo, object, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_add_batch(q->fifo, &delta, 1, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_add_if_not_present(q->fifo, &deltas, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_replace_begin(q->fifo, &replace, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_replace(q->fifo, NULL, 0, kin_str_of(""), NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_resync(q->fifo, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_pop(q->fifo, queue_process, q, -1, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_pop_batch(q->fifo, queue_process_batch, q, 0, -1, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_get_by_key(q->fifo, &copy, kin_str_of("a"), NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_get(q->fifo, &copy, object, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_list(q->fifo, &list, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_list_keys(q->fifo, &keys, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_wait_synced(q->fifo, -1, NULL) != KIN_EFORKED;
    wrong += kin_delta_fifo_len(q->fifo) != 0;
    wrong += kin_delta_fifo_has_synced(q->fifo);
    wrong += !kin_delta_fifo_is_closed(q->fifo);
    kin_delta_fifo_close(q->fifo);
    kin_object_unref(object);
    kin_delta_fifo_free(q->fifo);
    kin_store_unref(q->store);
    return wrong + (int)kin_test_items_live();
}

static kin_replace *begun;

static int commit_in_child(void *arg)
{
    queue *q = arg;
    const kin_object *object = queue_object("b:1");
    int wrong = kin_replace_add(begun, object, NULL) != KIN_EFORKED;

    wrong += kin_replace_commit(begun, kin_str_of(""), NULL) != KIN_EFORKED;
    kin_object_unref(object);
    kin_replace_abort(begun);
    kin_delta_fifo_free(q->fifo);
    kin_store_unref(q->store);
    return wrong + (int)kin_test_items_live();
}

static void a_forked_child_cannot_use_it(void **state)
{
    const kin_object *object = queue_object("c:1");
    kin_test_child child;
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_add(&q, "a:1");
    kin_test_run_child(&child, use_in_child, &q);
    assert_int_equal(child.exit_code, 1); /* the object of this test, and nothing else */
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &begun, NULL), 0);
    assert_code(kin_replace_add(begun, object, NULL), 0);
    kin_object_unref(object);
    kin_test_run_child(&child, commit_in_child, &q);
    assert_int_equal(child.exit_code, 0);
    kin_replace_abort(begun);
    assert_string_equal(queue_pop(&q), "a Added=1");
    queue_done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_have_client_gos_names),
        cmocka_unit_test(the_ends_of_deltas),
        cmocka_unit_test(a_copy_keeps_its_objects),
        cmocka_unit_test(there_must_be_a_queue),
        cmocka_unit_test(there_must_be_arguments),
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(keys_have_a_length),
        cmocka_unit_test(a_key_function_may_fail),
        cmocka_unit_test(what_a_key_function_says_during_a_resync_is_passed_on),
        cmocka_unit_test(a_resync_goes_by_the_queues_own_keys),
        cmocka_unit_test(a_resync_fails_if_a_key_cannot_be_made),
        cmocka_unit_test(a_transformer_may_fail),
        cmocka_unit_test(a_transformer_may_change_the_key),
        cmocka_unit_test(a_batch_takes_three_types_only),
        cmocka_unit_test(a_bad_one_fails_its_batch),
        cmocka_unit_test(a_bad_one_fails_its_list),
        cmocka_unit_test(deltas_that_are_queued_again_have_one_key),
        cmocka_unit_test(who_cannot_say_whether_a_key_is_known_says_yes),
        cmocka_unit_test(known_objects_that_fail_change_nothing),
        cmocka_unit_test(a_store_says_what_it_knows),
        cmocka_unit_test(a_forked_child_cannot_use_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
