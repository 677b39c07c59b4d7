/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A DeltaFIFO with a consumer that keeps a store, in texts: objects are "key:version", deltas
 * "Added=1 Deleted=~2". What the functions say is BORROWED until the next of the same queue.
 */
#ifndef KIN_TEST_DELTA_FIFO_SUPPORT_H
#define KIN_TEST_DELTA_FIFO_SUPPORT_H

#include <stdlib.h>
#include <string.h>

#include "item.h"
#include "kin_test.h"
#include "kinform/delta_fifo.h"

enum {
    QUEUE_KNOWN = 1,     /* the queue knows the consumer's store */
    QUEUE_REPLACED = 2,  /* lists come as Replaced */
    QUEUE_TRANSFORM = 4, /* versions grow by 1000 */
};

typedef struct queue {
    kin_delta_fifo *fifo;
    kin_store *store; /* what the consumer has */
    /* What the next processing does, and what it saw. */
    void (*during)(struct queue *q); /* runs before it says anything; may be NULL */
    const kin_object *object;        /* for `during`; the test's */
    int result;                      /* what it returns; 0: the deltas are applied */
    bool initial;                    /* what it was told */
    unsigned n_processed;
    unsigned n_transformed;
    char text[4096];
} queue;

/* Behind what a buffer has, with a space in between. */
static inline void queue_text_add(char *buffer, size_t size, const char *word)
{
    size_t len = strlen(buffer);

    assert_true(len + strlen(word) + 2 < size);
    snprintf(buffer + len, size - len, "%s%s", len ? " " : "", word);
}

static inline int queue_transform(const kin_object *object, const kin_object **ret, void *arg,
                                  kin_error *err)
{
    queue *q = arg;

    (void)err;
    q->n_transformed++;
    *ret = kin_test_item(kin_object_key(object), kin_test_item_version(object) + 1000, NULL);
    return 0;
}

static inline void queue_init_with(queue *q, unsigned flags, kin_delta_fifo_options options)
{
    kin_known_objects known;

    memset(q, 0, sizeof(*q));
    assert_code(kin_store_new(&q->store, NULL, NULL), 0);
    known = kin_store_known_objects(q->store);
    if (flags & QUEUE_KNOWN)
        options.known = &known;
    if (flags & QUEUE_TRANSFORM) {
        options.transform = queue_transform;
        options.transform_arg = q;
    }
    options.emit_replaced = (flags & QUEUE_REPLACED) != 0;
    assert_code(kin_delta_fifo_new(&q->fifo, &options, NULL), 0);
}

static inline void queue_init(queue *q, unsigned flags)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;

    queue_init_with(q, flags, options);
}

/* By now the test has given its own objects back. */
static inline void queue_done(queue *q)
{
    kin_delta_fifo_free(q->fifo);
    kin_store_unref(q->store);
    assert_int_equal(kin_test_items_live(), 0);
}

/* "a:1", or "~a:1" and "~a" for tombstones. One reference, the caller's. */
static inline const kin_object *queue_object(const char *text)
{
    bool is_tombstone = text[0] == '~';
    const char *key = text + is_tombstone;
    size_t len = strcspn(key, ":");
    const kin_object *object = NULL;
    const kin_object *tombstone = NULL;
    char copy[64];

    assert_true(len < sizeof(copy));
    memcpy(copy, key, len);
    copy[len] = '\0';
    if (key[len] == ':')
        object = kin_test_item(copy, (unsigned)strtoul(key + len + 1, NULL, 10), NULL);
    if (!is_tombstone)
        return object;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of(copy), object, NULL), 0);
    kin_object_unref(object);
    return tombstone;
}

typedef int queue_put_fn(kin_delta_fifo *fifo, const kin_object *object, kin_error *err);

static inline void queue_put(queue *q, queue_put_fn *fn, const char *text)
{
    const kin_object *object = queue_object(text);

    assert_code(fn(q->fifo, object, NULL), 0);
    kin_object_unref(object);
}

static inline void queue_add(queue *q, const char *text)
{
    queue_put(q, kin_delta_fifo_add, text);
}

static inline void queue_update(queue *q, const char *text)
{
    queue_put(q, kin_delta_fifo_update, text);
}

static inline void queue_delete(queue *q, const char *text)
{
    queue_put(q, kin_delta_fifo_delete, text);
}

/* Objects with a space in between. Release each. */
static inline size_t queue_objects(const char *texts, const kin_object **objects, size_t max)
{
    char copy[1024];
    char *rest = NULL;
    size_t n = 0;

    assert_true(strlen(texts) < sizeof(copy));
    memcpy(copy, texts, strlen(texts) + 1);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        assert_true(n < max);
        objects[n++] = queue_object(word);
    }
    return n;
}

static inline int queue_try_replace(queue *q, const char *texts, kin_error *err)
{
    const kin_object *objects[64];
    size_t n = queue_objects(texts, objects, 64);
    int code = kin_delta_fifo_replace(q->fifo, objects, n, kin_str_of("1"), err);

    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    return code;
}

static inline void queue_replace(queue *q, const char *texts)
{
    assert_code(queue_try_replace(q, texts, NULL), 0);
}

static inline void queue_resync(queue *q)
{
    assert_code(kin_delta_fifo_resync(q->fifo, NULL), 0);
}

/* Into the consumer's store, past the queue. */
static inline void queue_know(queue *q, const char *texts)
{
    const kin_object *objects[64];
    size_t n = queue_objects(texts, objects, 64);

    for (size_t i = 0; i < n; i++) {
        assert_code(kin_store_add(q->store, objects[i], NULL), 0);
        kin_object_unref(objects[i]);
    }
}

static inline void queue_describe(const kin_delta *items, size_t n, char *text, size_t size)
{
    for (size_t i = 0; i < n; i++) {
        const kin_object *object = items[i].object;
        const kin_object *last = NULL;
        char word[96];

        if (kin_object_is_tombstone(object, &last) && !last)
            snprintf(word, sizeof(word), "%s=~", kin_delta_type_name(items[i].type));
        else
            snprintf(word, sizeof(word), "%s=%s%u", kin_delta_type_name(items[i].type),
                     last ? "~" : "", kin_test_item_version(last ? last : object));
        queue_text_add(text, size, word);
    }
}

static inline void queue_apply(queue *q, const kin_deltas *deltas)
{
    for (size_t i = 0; i < deltas->len; i++) {
        const kin_delta *delta = &deltas->items[i];

        assert_code(delta->type == KIN_DELTA_DELETED
                        ? kin_store_delete(q->store, delta->object, NULL)
                        : kin_store_update(q->store, delta->object, NULL),
                    0);
    }
}

static inline int queue_process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list,
                                      void *arg, kin_error *err)
{
    queue *q = arg;
    char text[sizeof(q->text)] = "";

    (void)err;
    /* What happens meanwhile may process too: its text is not ours. */
    if (q->during) {
        void (*during)(queue *) = q->during;

        q->during = NULL;
        during(q);
    }
    for (size_t i = 0; i < n; i++) {
        char key[64];

        snprintf(key, sizeof(key), "%.*s", (int)deltas[i].key.len, deltas[i].key.data);
        queue_text_add(text, sizeof(text), key);
        queue_describe(deltas[i].items, deltas[i].len, text, sizeof(text));
        if (q->result == 0)
            queue_apply(q, &deltas[i]);
    }
    q->n_processed++;
    q->initial = is_initial_list;
    memcpy(q->text, text, sizeof(text));
    return q->result;
}

static inline int queue_process(const kin_deltas *deltas, bool is_initial_list, void *arg,
                                kin_error *err)
{
    return queue_process_batch(deltas, 1, is_initial_list, arg, err);
}

/* "a Added=1 Updated=2", or the name of the code. */
static inline const char *queue_pop(queue *q)
{
    int code = kin_delta_fifo_pop(q->fifo, queue_process, q, 0, NULL);

    return code == 0 ? q->text : kin_error_name(code);
}

/* The same with a processing that does something first. */
static inline const char *queue_pop_during(queue *q, void (*during)(queue *q))
{
    q->during = during;
    return queue_pop(q);
}

/* The same with a processing that fails with a code, or asks for a requeue. */
static inline const char *queue_pop_with(queue *q, int result)
{
    const char *text;

    q->result = result;
    text = queue_pop(q);
    q->result = 0;
    return text;
}

static inline const char *queue_pop_batch(queue *q, size_t max)
{
    int code = kin_delta_fifo_pop_batch(q->fifo, queue_process_batch, q, max, 0, NULL);

    return code == 0 ? q->text : kin_error_name(code);
}

/* The deltas of a key, or "none". */
static inline const char *queue_get(queue *q, const char *key)
{
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    int code = kin_delta_fifo_get_by_key(q->fifo, &copy, kin_str_of(key), NULL);

    q->text[0] = '\0';
    if (code == KIN_ENOTFOUND)
        return "none";
    assert_code(code, 0);
    queue_describe(copy.items, copy.len, q->text, sizeof(q->text));
    kin_delta_copy_done(&copy);
    assert_null(copy.items);
    return q->text;
}

/* The keys in line, those in flight first. */
static inline const char *queue_keys(queue *q)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;

    assert_code(kin_delta_fifo_list_keys(q->fifo, &keys, NULL), 0);
    q->text[0] = '\0';
    for (size_t i = 0; i < keys.len; i++)
        queue_text_add(q->text, sizeof(q->text), keys.items[i].data);
    kin_string_list_done(&keys);
    return q->text;
}

/* The newest objects, in the same order: "a:1 ~b:2". */
static inline const char *queue_list(queue *q)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    char word[96];

    assert_code(kin_delta_fifo_list(q->fifo, &list, NULL), 0);
    q->text[0] = '\0';
    for (size_t i = 0; i < list.len; i++) {
        const kin_object *last = list.items[i];
        bool is_tombstone = kin_object_is_tombstone(last, &last);

        snprintf(word, sizeof(word), "%s%s:%u", is_tombstone ? "~" : "", kin_object_key(last),
                 kin_test_item_version(last));
        queue_text_add(q->text, sizeof(q->text), word);
    }
    kin_object_list_done(&list);
    return q->text;
}

/* The version that the consumer has of a key; 0 if none. */
static inline unsigned queue_known(queue *q, const char *key)
{
    const kin_object *object = NULL;
    unsigned version = 0;

    if (kin_store_get(q->store, &object, kin_str_of(key), NULL) == 0)
        version = kin_test_item_version(object);
    kin_object_unref(object);
    return version;
}

static inline bool queue_has_synced(queue *q)
{
    return kin_delta_fifo_has_synced(q->fifo);
}

#endif
