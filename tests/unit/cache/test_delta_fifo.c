/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeltaFIFO with one thread: what comes out for what went in. The first part has a test for each
 * of client-go's (docs/parity.md).
 */
#include "delta_fifo_support.h"

#include <pthread.h>

/* Pop all; the texts in the order of their keys, which is not promised for what was only known. */
static const char *pop_all_sorted(queue *q, char *all, size_t size)
{
    char texts[16][128];
    size_t n = 0;
    const char *text;

    while (strcmp(text = queue_pop(q), "KIN_ETIMEOUT") != 0) {
        size_t at = n++;

        assert_true(n <= 16 && strlen(text) < sizeof(texts[0]));
        for (; at > 0 && strcmp(texts[at - 1], text) > 0; at--)
            memcpy(texts[at], texts[at - 1], sizeof(texts[0]));
        memcpy(texts[at], text, strlen(text) + 1);
    }
    all[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        queue_text_add(all, size, texts[i]);
        if (i + 1 < n)
            queue_text_add(all, size, "|");
    }
    return all;
}

/* --- client-go's tests --- */

enum { PRODUCED = 200 };

static void *produce(void *arg)
{
    queue *q = arg;
    char text[32];

    for (unsigned i = 0; i < PRODUCED; i++) {
        snprintf(text, sizeof(text), "%s%u:%u", "a", i, i);
        queue_add(q, text);
    }
    return NULL;
}

static void *produce_others(void *arg)
{
    queue *q = arg;
    char text[32];

    for (unsigned i = 0; i < PRODUCED; i++) {
        snprintf(text, sizeof(text), "%s%u:%u", "b", i, i);
        queue_add(q, text);
    }
    return NULL;
}

static void each_producer_finds_its_order_again(void **state)
{
    pthread_t threads[2];
    unsigned next[2] = {0, 0};
    queue q;

    (void)state;
    queue_init(&q, 0);
    assert_int_equal(pthread_create(&threads[0], NULL, produce, &q), 0);
    assert_int_equal(pthread_create(&threads[1], NULL, produce_others, &q), 0);
    for (unsigned i = 0; i < 2 * PRODUCED; i++) {
        char expected[64];
        unsigned *at;

        assert_code(kin_delta_fifo_pop(q.fifo, queue_process, &q, KIN_TEST_TIMEOUT_MS, NULL), 0);
        at = &next[q.text[0] == 'b'];
        snprintf(expected, sizeof(expected), "%c%u Added=%u", q.text[0], *at, *at);
        assert_string_equal(q.text, expected);
        (*at)++;
    }
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    assert_int_equal(kin_delta_fifo_len(q.fifo), 0);
    queue_done(&q);
}

static void what_is_in_the_list_comes_after_its_queued_deletion(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "a:1");
    queue_delete(&q, "a:1");
    queue_replace(&q, "a:2");
    assert_string_equal(queue_pop(&q), "a Deleted=1 Replaced=2");
    assert_int_equal(queue_known(&q, "a"), 2);
    queue_done(&q);
}

/* Puts in one after the other: "+a:1" is an addition, "=" an empty list, "=a:1" a list of one. */
static void do_all(queue *q, const char *operations)
{
    char copy[64];
    char *rest = NULL;

    snprintf(copy, sizeof(copy), "%s", operations);
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (word[0] == '+')
            queue_add(q, word + 1);
        else if (word[0] == '*')
            queue_update(q, word + 1);
        else if (word[0] == '-')
            queue_delete(q, word + 1);
        else
            queue_replace(q, word + 1);
    }
}

/* TestDeltaFIFOW_ReplaceMakesDeletionsForObjectsOnlyInQueue, with known objects and without */
static void a_list_deletes_once_what_is_only_queued(void **state)
{
    static const struct {
        unsigned flags;
        const char *operations;
        const char *expected;
    } cases[] = {
        {0, "+a:2 =", "a Added=2 Deleted=~2"},
        {QUEUE_REPLACED, "+a:2 =a:2 =", "a Added=2 Replaced=2 Deleted=~2"},
        {0, "+a:2 -a:2 =", "a Added=2 Deleted=2"},
        {0, "+a:2 =a:2 =a:2 =", "a Added=2 Sync=2 Sync=2 Deleted=~2"},
        {0, "+a:2 = =", "a Added=2 Deleted=~2"},
        {0, "+a:2 -a:2 +a:3 =", "a Added=2 Deleted=2 Added=3 Deleted=~3"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned known = 0; known < 2; known++) {
            queue q;

            queue_init(&q, cases[i].flags | (known ? QUEUE_KNOWN : 0));
            do_all(&q, cases[i].operations);
            assert_string_equal(queue_pop(&q), cases[i].expected);
            assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
            queue_done(&q);
        }
    }
}

static void a_list_deletes_what_is_queued(void **state)
{
    static const struct {
        const char *first; /* of the key a: the operation and the object */
        const char *expected;
    } cases[] = {
        {"+a:2", "a Added=2 Deleted=~2"},
        {"*a:2", "a Updated=2 Deleted=~2"},
        {"-a:2", "a Deleted=2"},
        {"-~a:2", "a Deleted=~2"},
        {"=a:2", "a Replaced=2 Deleted=~2"},
        {"+a:2 -a:3", "a Added=2 Deleted=3"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (unsigned known = 0; known < 2; known++) {
            queue q;

            queue_init(&q, QUEUE_REPLACED | (known ? QUEUE_KNOWN : 0));
            if (known)
                queue_know(&q, "a:1");
            else
                queue_add(&q, "a:1");
            do_all(&q, cases[i].first);
            queue_replace(&q, "b:9");
            if (known) {
                assert_string_equal(queue_pop(&q), cases[i].expected);
            } else {
                char expected[128];

                /* Without known objects it was queued before, or the deletion would be ignored. */
                snprintf(expected, sizeof(expected), "a Added=1 %s", cases[i].expected + 2);
                assert_string_equal(queue_pop(&q), expected);
            }
            assert_string_equal(queue_pop(&q), "b Replaced=9");
            assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
            queue_done(&q);
        }
    }
}

static void changes_of_one_key_come_together(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    queue_update(&q, "a:3");
    assert_string_equal(queue_get(&q, "a"), "Added=1 Updated=2 Updated=3");
    assert_string_equal(queue_list(&q), "a:3");
    assert_int_equal(kin_delta_fifo_len(q.fifo), 1);
    assert_string_equal(queue_pop(&q), "a Added=1 Updated=2 Updated=3");
    assert_string_equal(queue_get(&q, "a"), "none");
    assert_string_equal(queue_pop(&q), "KIN_ETIMEOUT");
    queue_done(&q);
}

static void each_object_is_transformed_once_and_tombstones_are_not(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_TRANSFORM | QUEUE_KNOWN);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    queue_delete(&q, "~a:3");
    queue_add(&q, "b:4");
    queue_delete(&q, "b:5");
    assert_int_equal(q.n_transformed, 4);
    assert_string_equal(queue_pop(&q), "a Added=1001 Updated=1002 Deleted=~3");
    assert_string_equal(queue_pop(&q), "b Added=1004 Deleted=1005");
    queue_replace(&q, "c:6 d:7");
    assert_int_equal(q.n_transformed, 6);
    assert_string_equal(queue_pop(&q), "c Sync=1006");
    assert_string_equal(queue_pop(&q), "d Sync=1007");
    queue_resync(&q);
    queue_replace(&q, "c:8");
    assert_int_equal(q.n_transformed, 7);
    assert_string_equal(queue_get(&q, "c"), "Sync=1006 Sync=1008");
    assert_string_equal(queue_get(&q, "d"), "Sync=1007 Deleted=~1007");
    /* The key of a deletion is that of the transformed object, also if it turns out to be unknown. */
    queue_delete(&q, "z:9");
    assert_int_equal(q.n_transformed, 8);
    assert_string_equal(queue_get(&q, "z"), "none");
    queue_done(&q);
}

static void a_deletion_of_nothing_is_ignored_without_known_objects(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:10");
    queue_update(&q, "b:15");
    queue_delete(&q, "c:16");
    assert_string_equal(queue_pop(&q), "a Added=10");
    queue_delete(&q, "a:11");
    assert_string_equal(queue_keys(&q), "b");
    queue_delete(&q, "b:17");
    assert_string_equal(queue_pop(&q), "b Updated=15 Deleted=17");
    assert_int_equal(kin_delta_fifo_len(q.fifo), 0);
    queue_done(&q);
}

static void a_deletion_of_what_is_known_is_queued(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1 b:2");
    queue_add(&q, "c:10");
    queue_delete(&q, "a:3");
    queue_delete(&q, "z:4");
    assert_string_equal(queue_keys(&q), "c a");
    assert_string_equal(queue_get(&q, "a"), "Deleted=3");
    queue_done(&q);
}

static void the_value_of_a_list_is_what_comes(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:10");
    queue_replace(&q, "a:15");
    assert_string_equal(queue_pop(&q), "a Added=10 Sync=15");
    assert_int_equal(queue_known(&q, "a"), 15);
    assert_string_equal(queue_get(&q, "a"), "none");
    queue_done(&q);
}

static void a_resync_does_not_follow_a_queued_deletion(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:5");
    queue_delete(&q, "a:10");
    queue_resync(&q);
    assert_string_equal(queue_get(&q, "a"), "Deleted=10");
    queue_done(&q);
}

static void a_resync_sends_what_is_known_again(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "a:5");
    queue_resync(&q);
    assert_string_equal(queue_get(&q, "a"), "Sync=5");
    queue_resync(&q);
    assert_string_equal(queue_get(&q, "a"), "Sync=5");
    queue_done(&q);
    /* Without known objects there is nothing to send. */
    queue_init(&q, 0);
    queue_resync(&q);
    assert_int_equal(kin_delta_fifo_len(q.fifo), 0);
    queue_done(&q);
}

static void a_deletion_of_what_is_only_queued_is_kept(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_add(&q, "a:5");
    queue_delete(&q, "a:6");
    assert_string_equal(queue_get(&q, "a"), "Added=5 Deleted=6");
    queue_done(&q);
}

static void list_makes_deletions(unsigned flags, const char *name)
{
    char expected[256];
    char all[1024];
    queue q;

    /* Known ones that the list has not. */
    queue_init(&q, flags);
    queue_know(&q, "a:5 b:6 c:7");
    queue_delete(&q, "a:10");
    queue_replace(&q, "a:5");
    snprintf(expected, sizeof(expected), "a Deleted=10 %s=5 | b Deleted=~6 | c Deleted=~7", name);
    assert_string_equal(pop_all_sorted(&q, all, sizeof(all)), expected);
    queue_done(&q);

    /* What was added is not in the list: its queued state is the last one. */
    queue_init(&q, flags);
    queue_know(&q, "a:5 b:6 c:7");
    queue_add(&q, "b:10");
    queue_replace(&q, "a:5");
    snprintf(expected, sizeof(expected), "a %s=5 | b Added=10 Deleted=~10 | c Deleted=~7", name);
    assert_string_equal(pop_all_sorted(&q, all, sizeof(all)), expected);
    queue_done(&q);

    /* A deletion that tells more than the list can. */
    queue_init(&q, flags);
    queue_know(&q, "a:5 b:6 c:7");
    queue_delete(&q, "b:6");
    queue_replace(&q, "a:5");
    snprintf(expected, sizeof(expected), "a %s=5 | b Deleted=6 | c Deleted=~7", name);
    assert_string_equal(pop_all_sorted(&q, all, sizeof(all)), expected);
    queue_done(&q);

    /* Added, deleted and added again while nobody looked. */
    queue_init(&q, flags);
    queue_know(&q, "a:5 b:6 c:7");
    queue_add(&q, "b:8");
    queue_delete(&q, "b:9");
    queue_add(&q, "b:10");
    queue_replace(&q, "a:5");
    snprintf(expected, sizeof(expected),
             "a %s=5 | b Added=8 Deleted=9 Added=10 Deleted=~10 | c Deleted=~7", name);
    assert_string_equal(pop_all_sorted(&q, all, sizeof(all)), expected);
    queue_done(&q);

    /* Without known objects, only what is queued. */
    queue_init(&q, flags & ~(unsigned)QUEUE_KNOWN);
    queue_add(&q, "a:10");
    queue_replace(&q, "b:5");
    snprintf(expected, sizeof(expected), "a Added=10 Deleted=~10 | b %s=5", name);
    assert_string_equal(pop_all_sorted(&q, all, sizeof(all)), expected);
    queue_done(&q);
}

static void a_list_makes_deletions(void **state)
{
    (void)state;
    list_makes_deletions(QUEUE_KNOWN, "Sync");
}

static void a_list_makes_deletions_also_if_it_comes_as_replaced(void **state)
{
    (void)state;
    list_makes_deletions(QUEUE_KNOWN | QUEUE_REPLACED, "Replaced");
}

static void an_option_says_as_what_a_list_comes(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_replace(&q, "a:1");
    assert_string_equal(queue_pop(&q), "a Sync=1");
    queue_done(&q);
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_replace(&q, "a:1");
    assert_string_equal(queue_pop(&q), "a Replaced=1");
    queue_done(&q);
}

static void a_resync_leaves_keys_with_changes_alone(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:5 b:6");
    queue_update(&q, "a:6");
    queue_resync(&q);
    assert_string_equal(queue_get(&q, "a"), "Updated=6");
    assert_string_equal(queue_get(&q, "b"), "Sync=6");
    queue_done(&q);
}

static void deletions_count_towards_the_first_list(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:5 b:6 c:7");
    queue_replace(&q, "a:5");
    for (unsigned i = 0; i < 3; i++) {
        assert_false(queue_has_synced(&q));
        assert_string_not_equal(queue_pop(&q), "KIN_ETIMEOUT");
        assert_true(q.initial);
    }
    assert_true(queue_has_synced(&q));
    queue_done(&q);
}

static void nobody_jumps_the_line(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:10");
    queue_add(&q, "b:1");
    queue_add(&q, "c:11");
    queue_update(&q, "a:12");
    queue_add(&q, "d:13");
    assert_string_equal(queue_pop(&q), "a Added=10 Updated=12");
    queue_add(&q, "a:14"); /* to the end */
    assert_string_equal(queue_keys(&q), "b c d a");
    assert_string_equal(queue_pop(&q), "b Added=1");
    assert_string_equal(queue_pop(&q), "c Added=11");
    assert_string_equal(queue_pop(&q), "d Added=13");
    assert_string_equal(queue_pop(&q), "a Added=14");
    queue_done(&q);
}

static void keys_of_objects_tombstones_and_deltas(void **state)
{
    const kin_object *object = queue_object("a:1");
    const kin_object *tombstone = queue_object("~b:2");
    const kin_delta items[] = {{KIN_DELTA_ADDED, object}, {KIN_DELTA_DELETED, tombstone}};
    const kin_deltas deltas = {items, 2, {NULL, 0}};
    const kin_deltas none = {items, 0, {NULL, 0}};
    kin_error err = KIN_ERROR_INIT;
    kin_str key;
    queue q;

    (void)state;
    queue_init(&q, 0);
    assert_code(kin_delta_fifo_key_of(q.fifo, &key, object, NULL), 0);
    assert_string_equal(key.data, "a");
    assert_code(kin_delta_fifo_key_of(q.fifo, &key, tombstone, NULL), 0);
    assert_string_equal(key.data, "b");
    assert_code(kin_delta_fifo_key_of_deltas(q.fifo, &key, &deltas, NULL), 0);
    assert_string_equal(key.data, "b"); /* the newest one's */
    assert_code(kin_delta_fifo_key_of_deltas(q.fifo, &key, &none, &err), KIN_EINVAL);
    assert_code(err.code, KIN_EINVAL);
    kin_object_unref(object);
    kin_object_unref(tombstone);
    queue_done(&q);
}

static void synced_by(const char *steps, bool expected)
{
    char copy[128];
    char *rest = NULL;
    queue q;

    queue_init(&q, QUEUE_KNOWN);
    snprintf(copy, sizeof(copy), "%s", steps);
    for (char *step = strtok_r(copy, ";", &rest); step; step = strtok_r(NULL, ";", &rest)) {
        if (step[0] == '+')
            queue_add(&q, step + 1);
        else if (step[0] == '=')
            queue_replace(&q, step + 1);
        else if (step[0] == '-')
            queue_delete(&q, step + 1);
        else
            assert_string_not_equal(queue_pop(&q), "KIN_ETIMEOUT");
    }
    if (queue_has_synced(&q) != expected)
        fail_msg("after \"%s\" it has %ssynced", steps, expected ? "not " : "");
    assert_code(kin_delta_fifo_wait_synced(q.fifo, 0, NULL), expected ? 0 : KIN_ETIMEOUT);
    queue_done(&q);
}

static void when_a_queue_has_synced(void **state)
{
    (void)state;
    synced_by("", false);
    synced_by("+a:1", true);
    synced_by("-a:1", true);
    synced_by("=", true);
    synced_by("=a:1 b:2", false);
    synced_by("=a:1 b:2;p", false);
    synced_by("=a:1 b:2;p;p", true);
    synced_by("=a:1 a:2;p", true);      /* a key counts once */
    synced_by("=a:1;p;=b:2 c:3", true); /* only the first list counts */
    synced_by("+a:1;=b:2", true);
    synced_by("=a:1 b:2;+c:3;p", false);
    synced_by("=a:1 b:2;+c:3;p;p", true);
}

/* --- more of what comes out --- */

static void of_two_deletions_one_is_kept(void **state)
{
    static const struct {
        const char *first;
        const char *second;
        const char *expected;
    } cases[] = {
        {"a:1", "a:2", "a Added=0 Deleted=1"},  {"a:1", "~a:2", "a Added=0 Deleted=1"},
        {"~a:1", "a:2", "a Added=0 Deleted=2"}, {"~a:1", "~a:2", "a Added=0 Deleted=~2"},
        {"~a", "~a:2", "a Added=0 Deleted=~2"}, {"~a:1", "~a", "a Added=0 Deleted=~"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        queue q;

        queue_init(&q, 0);
        queue_add(&q, "a:0");
        queue_delete(&q, cases[i].first);
        queue_delete(&q, cases[i].second);
        assert_string_equal(queue_pop(&q), cases[i].expected);
        queue_done(&q);
    }
}

static void deletions_are_merged_only_if_nothing_is_between(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_delete(&q, "a:2");
    queue_add(&q, "a:3");
    queue_delete(&q, "a:4");
    assert_string_equal(queue_pop(&q), "a Added=1 Deleted=2 Added=3 Deleted=4");
    queue_done(&q);
}

/* The first deletion is the first delta, whose key the line uses. */
static void a_deletion_that_replaces_the_first_one_keeps_the_key(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_delete(&q, "~a:2");
    queue_delete(&q, "a:3");
    assert_string_equal(queue_keys(&q), "a");
    assert_string_equal(queue_get(&q, "a"), "Deleted=3");
    queue_update(&q, "a:4");
    assert_string_equal(queue_pop(&q), "a Deleted=3 Updated=4");
    queue_done(&q);
}

static void a_list_keeps_its_order_and_its_repetitions(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_REPLACED);
    queue_replace(&q, "c:1 a:2 c:3 b:4");
    assert_string_equal(queue_keys(&q), "c a b");
    assert_string_equal(queue_pop(&q), "c Replaced=1 Replaced=3");
    assert_string_equal(queue_pop(&q), "a Replaced=2");
    assert_string_equal(queue_pop(&q), "b Replaced=4");
    queue_done(&q);
}

static void deltas_are_queued_again_unless_there_is_something(void **state)
{
    const kin_object *one = queue_object("a:1");
    const kin_object *two = queue_object("a:2");
    const kin_delta items[] = {{KIN_DELTA_DELETED, one}, {KIN_DELTA_DELETED, two}};
    const kin_deltas deltas = {items, 2, {NULL, 0}};
    queue q;

    (void)state;
    queue_init(&q, QUEUE_TRANSFORM);
    assert_false(queue_has_synced(&q));
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &deltas, NULL), 0);
    assert_true(queue_has_synced(&q));
    assert_code(kin_delta_fifo_add_if_not_present(q.fifo, &deltas, NULL), 0);
    /* As they are: neither merged nor transformed. */
    assert_string_equal(queue_get(&q, "a"), "Deleted=1 Deleted=2");
    queue_add(&q, "a:3");
    assert_string_equal(queue_pop(&q), "a Deleted=1 Deleted=2 Added=1003");
    assert_int_equal(q.n_transformed, 1);
    kin_object_unref(one);
    kin_object_unref(two);
    queue_done(&q);
}

static void a_batch_is_as_one_after_the_other(void **state)
{
    const kin_object *objects[6];
    size_t n = queue_objects("a:1 a:2 b:3 c:4 a:5 ~d:6", objects, 6);
    const kin_delta deltas[] = {
        {KIN_DELTA_ADDED, objects[0]},   {KIN_DELTA_UPDATED, objects[1]},
        {KIN_DELTA_DELETED, objects[2]}, {KIN_DELTA_ADDED, objects[3]},
        {KIN_DELTA_DELETED, objects[4]}, {KIN_DELTA_DELETED, objects[5]},
    };
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_TRANSFORM);
    queue_know(&q, "d:0");
    assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, 0, NULL), 0);
    assert_false(queue_has_synced(&q));
    assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, n, NULL), 0);
    assert_true(queue_has_synced(&q));
    /* b is neither queued nor known: its deletion is not queued. */
    assert_string_equal(queue_keys(&q), "a c d");
    assert_int_equal(q.n_transformed, 5);
    assert_string_equal(queue_pop(&q), "a Added=1001 Updated=1002 Deleted=1005");
    assert_string_equal(queue_pop(&q), "c Added=1004");
    assert_string_equal(queue_pop(&q), "d Deleted=~6");
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    queue_done(&q);
}

/* Deletions of what is not there leave nothing behind, also of the same key before its addition. */
static void a_batch_may_begin_with_a_deletion_of_nothing(void **state)
{
    const kin_object *objects[2];
    size_t n = queue_objects("a:1 a:2", objects, 2);
    const kin_delta deltas[] = {{KIN_DELTA_DELETED, objects[0]}, {KIN_DELTA_ADDED, objects[1]}};
    queue q;

    (void)state;
    queue_init(&q, 0);
    assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, 1, NULL), 0);
    assert_true(queue_has_synced(&q)); /* as a single one does */
    assert_string_equal(queue_keys(&q), "");
    assert_code(kin_delta_fifo_add_batch(q.fifo, deltas, n, NULL), 0);
    kin_object_unref(objects[0]);
    kin_object_unref(objects[1]);
    assert_string_equal(queue_keys(&q), "a");
    assert_string_equal(queue_pop(&q), "a Added=2");
    queue_done(&q);
}

/* Entries that are used again, and deltas that outgrow theirs. */
static void many_keys_and_many_deltas(void **state)
{
    enum { KEYS = 3000, DELTAS = 300 };

    queue q;
    char text[32];

    (void)state;
    queue_init(&q, 0);
    for (unsigned round = 0; round < 2; round++) {
        for (unsigned i = 0; i < KEYS; i++) {
            snprintf(text, sizeof(text), "k%u:%u", i, i);
            queue_add(&q, text);
        }
        assert_int_equal(kin_delta_fifo_len(q.fifo), KEYS);
        for (unsigned i = 0; i < KEYS; i++) {
            char expected[48];

            snprintf(expected, sizeof(expected), "k%u Added=%u", i, i);
            assert_string_equal(queue_pop(&q), expected);
        }
    }
    for (unsigned i = 1; i <= DELTAS; i++) {
        snprintf(text, sizeof(text), "a:%u", i);
        queue_update(&q, text);
    }
    assert_code(kin_delta_fifo_pop(q.fifo, queue_process, &q, 0, NULL), 0);
    assert_int_equal(queue_known(&q, "a"), DELTAS);
    assert_memory_equal(q.text, "a Updated=1 Updated=2 ", 22);
    queue_done(&q);
}

static void what_a_resync_queues_before_any_list_is_part_of_the_first(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "a:1");
    queue_resync(&q);
    assert_false(queue_has_synced(&q));
    assert_string_equal(queue_pop(&q), "a Sync=1");
    assert_true(q.initial);
    assert_false(queue_has_synced(&q));
    queue_resync(&q);
    queue_replace(&q, "a:2 b:3");
    assert_string_equal(queue_pop(&q), "a Sync=1 Sync=2");
    assert_true(q.initial);
    assert_false(queue_has_synced(&q));
    assert_string_equal(queue_pop(&q), "b Sync=3");
    assert_true(queue_has_synced(&q));
    queue_add(&q, "c:4");
    assert_string_equal(queue_pop(&q), "c Added=4");
    assert_false(q.initial);
    queue_done(&q);
}

static void a_replacement_in_stages_is_seen_at_once_or_not(void **state)
{
    const kin_object *objects[2];
    size_t n = queue_objects("a:1 b:2", objects, 2);
    kin_replace *replace = NULL;
    queue q;

    (void)state;
    queue_init(&q, QUEUE_REPLACED);
    queue_add(&q, "z:0");
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &replace, NULL), 0);
    assert_code(kin_replace_add(replace, objects[0], NULL), 0);
    assert_string_equal(queue_keys(&q), "z");
    kin_replace_abort(replace);
    assert_string_equal(queue_keys(&q), "z");
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &replace, NULL), 0);
    for (size_t i = 0; i < n; i++) {
        assert_code(kin_replace_add(replace, objects[i], NULL), 0);
        kin_object_unref(objects[i]);
    }
    assert_string_equal(queue_keys(&q), "z");
    assert_code(kin_replace_commit(replace, kin_str_of("7"), NULL), 0);
    assert_string_equal(queue_keys(&q), "z a b");
    assert_string_equal(queue_get(&q, "z"), "Added=0 Deleted=~0");
    queue_done(&q);
}

/* One that is known, one that waits, one of which there is nothing, and one that the list has after all. */
static void a_list_leaves_single_keys_as_they_are(void **state)
{
    static const char *const kept[] = {"known", "waits", "new", "a"};
    const kin_object *a = queue_object("a:2");
    kin_replace *replace = NULL;
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN | QUEUE_REPLACED);
    queue_know(&q, "known:1 gone:1");
    queue_add(&q, "waits:1");
    queue_add(&q, "lost:1");
    assert_code(kin_delta_fifo_replace_begin(q.fifo, &replace, NULL), 0);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        assert_code(kin_replace_keep(replace, kin_str_of(kept[i]), NULL), 0);
    assert_code(kin_replace_add(replace, a, NULL), 0);
    kin_object_unref(a);
    assert_code(kin_replace_commit(replace, kin_str_of("7"), NULL), 0);
    assert_string_equal(queue_keys(&q), "waits lost a gone");
    assert_string_equal(queue_get(&q, "waits"), "Added=1");
    assert_string_equal(queue_get(&q, "lost"), "Added=1 Deleted=~1");
    assert_string_equal(queue_get(&q, "a"), "Replaced=2");
    assert_string_equal(queue_get(&q, "gone"), "Deleted=~1");
    queue_done(&q);
}

static void a_freed_queue_gives_back_what_is_in_it(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, QUEUE_KNOWN);
    queue_know(&q, "k:1");
    for (unsigned i = 1; i < 10; i++) {
        char text[16];

        snprintf(text, sizeof(text), "a:%u", i);
        queue_update(&q, text);
    }
    queue_replace(&q, "b:1 c:2");
    queue_done(&q); /* checks that no object is left */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_producer_finds_its_order_again),
        cmocka_unit_test(what_is_in_the_list_comes_after_its_queued_deletion),
        cmocka_unit_test(a_list_deletes_once_what_is_only_queued),
        cmocka_unit_test(a_list_deletes_what_is_queued),
        cmocka_unit_test(changes_of_one_key_come_together),
        cmocka_unit_test(each_object_is_transformed_once_and_tombstones_are_not),
        cmocka_unit_test(a_deletion_of_nothing_is_ignored_without_known_objects),
        cmocka_unit_test(a_deletion_of_what_is_known_is_queued),
        cmocka_unit_test(the_value_of_a_list_is_what_comes),
        cmocka_unit_test(a_resync_does_not_follow_a_queued_deletion),
        cmocka_unit_test(a_resync_sends_what_is_known_again),
        cmocka_unit_test(a_deletion_of_what_is_only_queued_is_kept),
        cmocka_unit_test(a_list_makes_deletions),
        cmocka_unit_test(a_list_makes_deletions_also_if_it_comes_as_replaced),
        cmocka_unit_test(an_option_says_as_what_a_list_comes),
        cmocka_unit_test(a_resync_leaves_keys_with_changes_alone),
        cmocka_unit_test(deletions_count_towards_the_first_list),
        cmocka_unit_test(nobody_jumps_the_line),
        cmocka_unit_test(keys_of_objects_tombstones_and_deltas),
        cmocka_unit_test(when_a_queue_has_synced),
        cmocka_unit_test(of_two_deletions_one_is_kept),
        cmocka_unit_test(deletions_are_merged_only_if_nothing_is_between),
        cmocka_unit_test(a_deletion_that_replaces_the_first_one_keeps_the_key),
        cmocka_unit_test(a_list_keeps_its_order_and_its_repetitions),
        cmocka_unit_test(deltas_are_queued_again_unless_there_is_something),
        cmocka_unit_test(a_batch_is_as_one_after_the_other),
        cmocka_unit_test(a_batch_may_begin_with_a_deletion_of_nothing),
        cmocka_unit_test(many_keys_and_many_deltas),
        cmocka_unit_test(what_a_resync_queues_before_any_list_is_part_of_the_first),
        cmocka_unit_test(a_replacement_in_stages_is_seen_at_once_or_not),
        cmocka_unit_test(a_list_leaves_single_keys_as_they_are),
        cmocka_unit_test(a_freed_queue_gives_back_what_is_in_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
