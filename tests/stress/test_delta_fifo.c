/* SPDX-License-Identifier: Apache-2.0 */
/*
 * DeltaFIFO in the middle of an informer: producers that own their keys, lists of everything,
 * resyncs, readers, and consumers that keep a store, alone and in batches, and requeue now and then.
 *
 * What must hold: nobody gets a key that another has; versions of a key never go back; a key is in
 * line exactly if it has deltas; and when all is quiet the store is the truth.
 *
 * Bounded by the operations of the producers; the others go on until these are done.
 */
#include "kin_test.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "cache/delta_fifo.h"
#include "item.h"
#include "kinform/delta_fifo.h"
#include "rng.h"

enum {
    N_PRODUCERS = 2,
    N_KEYS = 60,
    N_OPERATIONS = KIN_TEST_SANITIZED ? 2500 : 8000, /* of each producer */
    N_CONSUMERS = 3,
    N_OTHERS = 5, /* lists, resyncs, readers */
};

/* The truth. Who changes a key holds `truth` for reading and owns the key; lists hold it for writing. */
static struct {
    pthread_rwlock_t truth;
    unsigned current[N_KEYS]; /* the version of a key; 0: it does not exist */
    unsigned next[N_KEYS];    /* versions only grow */
    kin_store *store;
    kin_delta_fifo *fifo;
    atomic_bool in_flight[N_KEYS];
    unsigned applied[N_KEYS]; /* the newest version that came; whose key is in flight may look */
    atomic_uint n_producing;
    atomic_ulong n_popped;
    atomic_ulong n_replaced;
    atomic_ulong n_resynced;
    atomic_ulong n_checked;
} world;

/* cmocka cannot be used off the main thread. */
static void check(bool good, const char *what)
{
    if (!good) {
        fprintf(stderr, "stress.delta_fifo: %s\n", what);
        abort();
    }
}

static void must(int code, const char *what)
{
    if (code < 0)
        fprintf(stderr, "%s: %s\n", what, kin_error_name(code));
    check(code >= 0, what);
}

static const kin_object *object_of(unsigned i, unsigned version)
{
    char key[16];

    snprintf(key, sizeof(key), "ns/%u", i);
    return kin_test_item(key, version, NULL);
}

static unsigned index_of(kin_str key)
{
    return (unsigned)strtoul(key.data + 3, NULL, 10);
}

static bool is_producing(void)
{
    return atomic_load(&world.n_producing) > 0;
}

/* --- producers --- */

static void change_one(unsigned i, kin_test_rng *rng)
{
    unsigned version = ++world.next[i];
    const kin_object *object = object_of(i, version);
    const kin_object *gone = NULL;

    switch (kin_test_below(rng, 4)) {
    case 0:
        if (kin_test_below(rng, 4) == 0)
            must(kin_tombstone_new(&gone, kin_str_of(kin_object_key(object)), object, NULL),
                 "gone");
        must(kin_delta_fifo_delete(world.fifo, gone ? gone : object, NULL), "delete");
        world.current[i] = 0;
        break;
    case 1:
        must(kin_delta_fifo_add(world.fifo, object, NULL), "add");
        world.current[i] = version;
        break;
    default:
        must(kin_delta_fifo_update(world.fifo, object, NULL), "update");
        world.current[i] = version;
    }
    kin_object_unref(gone);
    kin_object_unref(object);
}

/* Keys of the same producer, some of them twice. */
static void change_many(unsigned producer, kin_test_rng *rng)
{
    kin_delta deltas[8];
    size_t n = 1 + kin_test_below(rng, 8);

    for (size_t k = 0; k < n; k++) {
        unsigned i = (unsigned)kin_test_below(rng, N_KEYS / N_PRODUCERS) * N_PRODUCERS + producer;
        bool is_deletion = kin_test_below(rng, 3) == 0;

        deltas[k].object = object_of(i, ++world.next[i]);
        deltas[k].type = is_deletion ? KIN_DELTA_DELETED : KIN_DELTA_UPDATED;
        world.current[i] = is_deletion ? 0 : world.next[i];
    }
    must(kin_delta_fifo_add_batch(world.fifo, deltas, n, NULL), "batch");
    for (size_t k = 0; k < n; k++)
        kin_object_unref(deltas[k].object);
}

static void *produce(void *arg)
{
    unsigned producer = *(unsigned *)arg;
    kin_test_rng rng = {producer + 1};

    for (unsigned n = 0; n < N_OPERATIONS; n++) {
        pthread_rwlock_rdlock(&world.truth);
        if (kin_test_below(&rng, 8) == 0)
            change_many(producer, &rng);
        else
            change_one((unsigned)kin_test_below(&rng, N_KEYS / N_PRODUCERS) * N_PRODUCERS +
                           producer,
                       &rng);
        pthread_rwlock_unlock(&world.truth);
        sched_yield(); /* the consumers are to have their turn */
    }
    atomic_fetch_sub(&world.n_producing, 1);
    return NULL;
}

/* --- lists and resyncs --- */

static void *replace(void *arg)
{
    const kin_object *objects[N_KEYS];

    (void)arg;
    do {
        size_t n = 0;

        pthread_rwlock_wrlock(&world.truth);
        for (unsigned i = 0; i < N_KEYS; i++)
            if (world.current[i])
                objects[n++] = object_of(i, world.current[i]);
        must(kin_delta_fifo_replace(world.fifo, objects, n, kin_str_of("1"), NULL), "replace");
        pthread_rwlock_unlock(&world.truth);
        atomic_fetch_add(&world.n_replaced, 1);
        while (n > 0)
            kin_object_unref(objects[--n]);
        sched_yield();
    } while (is_producing());
    return NULL;
}

static void *resync(void *arg)
{
    (void)arg;
    do {
        must(kin_delta_fifo_resync(world.fifo, NULL), "resync");
        atomic_fetch_add(&world.n_resynced, 1);
        sched_yield();
    } while (is_producing());
    return NULL;
}

/* --- consumers --- */

static void apply(const kin_delta *delta, unsigned i)
{
    const kin_object *object = delta->object;
    unsigned version;

    if (delta->type == KIN_DELTA_DELETED) {
        must(kin_store_delete(world.store, object, NULL), "store");
        if (kin_object_is_tombstone(object, &object))
            return;
        version = kin_test_item_version(object);
    } else {
        version = kin_test_item_version(object);
        check(version >= world.applied[i], "a version of a key goes back");
        must(kin_store_update(world.store, object, NULL), "store");
    }
    if (version > world.applied[i])
        world.applied[i] = version;
}

static int process_all(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                       kin_error *err)
{
    kin_test_rng *rng = arg;
    bool requeue = kin_test_below(rng, 8) == 0;

    (void)is_initial_list;
    (void)err;
    for (size_t k = 0; k < n; k++)
        check(!atomic_exchange(&world.in_flight[index_of(deltas[k].key)], true),
              "two have the same key");
    for (size_t k = 0; k < n && !requeue; k++) {
        check(deltas[k].len > 0, "a key without deltas");
        for (size_t d = 0; d < deltas[k].len; d++)
            apply(&deltas[k].items[d], index_of(deltas[k].key));
    }
    for (size_t k = 0; k < n; k++)
        atomic_store(&world.in_flight[index_of(deltas[k].key)], false);
    atomic_fetch_add(&world.n_popped, n);
    return requeue ? KIN_EREQUEUE : 0;
}

static int process_one(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    return process_all(deltas, 1, is_initial_list, arg, err);
}

static void *consume(void *arg)
{
    unsigned consumer = *(unsigned *)arg;
    kin_test_rng rng = {1000 + consumer};
    int code;

    do {
        code = consumer == 0 ? kin_delta_fifo_pop_batch(world.fifo, process_all, &rng,
                                                        1 + kin_test_below(&rng, 7), -1, NULL)
                             : kin_delta_fifo_pop(world.fifo, process_one, &rng, -1, NULL);
    } while (code == 0);
    check(code == KIN_ECLOSED, "a pop fails");
    return NULL;
}

/* --- readers --- */

static void *look(void *arg)
{
    (void)arg;
    do {
        kin_delta_copy copy = KIN_DELTA_COPY_INIT;
        kin_object_list objects = KIN_OBJECT_LIST_INIT;
        kin_string_list keys = KIN_STRING_LIST_INIT;

        must(kin_delta_fifo_list_keys(world.fifo, &keys, NULL), "keys");
        must(kin_delta_fifo_list(world.fifo, &objects, NULL), "list");
        if (keys.len && kin_delta_fifo_get_by_key(world.fifo, &copy, keys.items[0], NULL) == 0)
            check(copy.len > 0, "a key without deltas is shown");
        check(keys.len <= N_KEYS && objects.len <= N_KEYS, "a key is shown twice");
        check(kin_delta_fifo_len(world.fifo) <= N_KEYS, "a key is in line twice");
        kin_delta_fifo_is_closed(world.fifo);
        if (kin_delta_fifo_has_synced(world.fifo))
            check(kin_delta_fifo_wait_synced(world.fifo, 0, NULL) == 0, "it has synced and not");
        kin_delta_copy_done(&copy);
        kin_object_list_done(&objects);
        kin_string_list_done(&keys);
        sched_yield();
    } while (is_producing());
    return NULL;
}

static size_t length(const kin__list *list)
{
    size_t n = 0;

    for (const kin__list *node = list->next; node != list; node = node->next)
        n++;
    return n;
}

/* Whether an entry is what its flags say. */
static void check_entry(const kin__line *line, const kin__delta_entry *entry)
{
    unsigned flags = entry->line.flags;

    check(!(flags & KIN__LINE_WAITING) == (entry->queued.len == 0),
          "a key is in line without deltas, or has deltas and is not");
    check(!(flags & KIN__LINE_IN_FLIGHT) || entry->flight.len > 0, "a flight without deltas");
    check(!(flags & KIN__LINE_BLOCKED) || (flags & KIN__LINE_WAITING), "blocked and not waiting");
    check(!(flags & KIN__LINE_COUNTED) || (flags & KIN__LINE_BLOCKED), "counted twice");
    check(!(flags & KIN__LINE_LINGERING) || line->scanning, "it lingers without a scan");
    check(flags != 0 || (line->scanning && entry->reserved > 0), "an entry that nobody needs");
    check(line->scanning || entry->reserved == 0, "a place is reserved for nobody");
    check(!entry->queued.items || entry->queued.cap >= entry->queued.len + entry->flight.len ||
              !(flags & KIN__LINE_IN_FLIGHT),
          "there is no room for a requeue");
}

static void *inspect(void *arg)
{
    kin__line *line = &world.fifo->line;

    (void)arg;
    do {
        kin__map_iter iter = KIN__MAP_ITER_INIT;
        kin__map_node *node;
        size_t n_waiting = 0;
        size_t n_in_flight = 0;
        size_t n_ready = 0;
        size_t n_initial = 0;

        kin__mutex_lock(&line->lock);
        while ((node = kin__map_next(&line->entries, &iter))) {
            const kin__delta_entry *entry = kin__delta_entry_of(kin__line_entry_of(node));

            check_entry(line, entry);
            n_waiting += (entry->line.flags & KIN__LINE_WAITING) != 0;
            n_in_flight += (entry->line.flags & KIN__LINE_IN_FLIGHT) != 0;
            n_ready += (entry->line.flags & KIN__LINE_BLOCKED) != 0 &&
                       (entry->line.flags & KIN__LINE_IN_FLIGHT) == 0;
            n_initial += (entry->line.flags & KIN__LINE_COUNTED) != 0;
            n_initial += (entry->line.flags & KIN__LINE_INITIAL) != 0;
        }
        check(n_waiting == line->n_waiting, "the number of those that wait is wrong");
        check(n_waiting == length(&line->waiting) + length(&line->blocked),
              "who waits is not in line");
        check(n_in_flight == length(&line->in_flight), "who is in flight is not listed");
        check(n_ready == line->n_ready, "the number of those that were blocked is wrong");
        check(n_initial + line->initial_waiting == line->initial_left,
              "somebody of the first list is lost");
        kin__mutex_unlock(&line->lock);
        atomic_fetch_add(&world.n_checked, 1);
        sched_yield();
    } while (is_producing());
    return NULL;
}

/* --- the test --- */

static void start(void)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known;

    memset(&world, 0, sizeof(world));
    pthread_rwlock_init(&world.truth, NULL);
    assert_code(kin_store_new(&world.store, NULL, NULL), 0);
    known = kin_store_known_objects(world.store);
    options.known = &known;
    options.emit_replaced = true;
    assert_code(kin_delta_fifo_new(&world.fifo, &options, NULL), 0);
    atomic_store(&world.n_producing, N_PRODUCERS);
}

static void compare_with_truth(void)
{
    size_t n = 0;

    for (unsigned i = 0; i < N_KEYS; i++) {
        const kin_object *object = NULL;
        char key[16];

        snprintf(key, sizeof(key), "ns/%u", i);
        kin_store_get(world.store, &object, kin_str_of(key), NULL);
        assert_int_equal(object ? kin_test_item_version(object) : 0, world.current[i]);
        n += object != NULL;
        kin_object_unref(object);
    }
    assert_int_equal(kin_store_len(world.store), n);
}

static void everything_at_once(void **state)
{
    static void *(*const others[N_OTHERS])(void *) = {replace, resync, resync, look, inspect};
    pthread_t producers[N_PRODUCERS];
    pthread_t consumers[N_CONSUMERS];
    pthread_t rest[N_OTHERS] = {0};
    unsigned numbers[] = {0, 1, 2, 3};

    (void)state;
    start();
    for (unsigned i = 0; i < N_CONSUMERS; i++)
        assert_int_equal(pthread_create(&consumers[i], NULL, consume, &numbers[i]), 0);
    for (unsigned i = 0; i < N_PRODUCERS; i++)
        assert_int_equal(pthread_create(&producers[i], NULL, produce, &numbers[i]), 0);
    for (unsigned i = 0; i < N_OTHERS; i++)
        assert_int_equal(pthread_create(&rest[i], NULL, others[i], NULL), 0);
    for (unsigned i = 0; i < N_PRODUCERS; i++)
        pthread_join(producers[i], NULL);
    for (unsigned i = 0; i < N_OTHERS; i++)
        pthread_join(rest[i], NULL);
    kin_delta_fifo_close(world.fifo);
    for (unsigned i = 0; i < N_CONSUMERS; i++)
        pthread_join(consumers[i], NULL);

    print_message("%lu keys popped, %lu lists, %lu resyncs, %lu inspections\n",
                  atomic_load(&world.n_popped), atomic_load(&world.n_replaced),
                  atomic_load(&world.n_resynced), atomic_load(&world.n_checked));
    assert_true(kin_delta_fifo_has_synced(world.fifo));
    assert_int_equal(kin_delta_fifo_len(world.fifo), 0);
    assert_int_equal(kin__map_len(&world.fifo->line.entries), 0);
    assert_true(atomic_load(&world.n_popped) > N_KEYS);
    assert_true(atomic_load(&world.n_checked) > 0);
    compare_with_truth();
    kin_delta_fifo_free(world.fifo);
    kin_store_unref(world.store);
    pthread_rwlock_destroy(&world.truth);
    assert_int_equal(kin_test_items_live(), 0);
}

/* Closed while all of them are at it: all of them come to an end. */
static void closing_in_the_middle(void **state)
{
    (void)state;
    for (unsigned round = 0; round < 10; round++) {
        pthread_t threads[N_CONSUMERS + 3];
        unsigned numbers[] = {0, 1, 2, 0};

        start();
        atomic_store(&world.n_producing, 1);
        for (unsigned i = 0; i < N_CONSUMERS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, consume, &numbers[i]), 0);
        assert_int_equal(pthread_create(&threads[N_CONSUMERS], NULL, replace, NULL), 0);
        assert_int_equal(pthread_create(&threads[N_CONSUMERS + 1], NULL, resync, NULL), 0);
        assert_int_equal(pthread_create(&threads[N_CONSUMERS + 2], NULL, look, NULL), 0);
        for (unsigned n = 0; n < 200; n++) {
            kin_test_rng rng = {round * 1000 + n};

            pthread_rwlock_rdlock(&world.truth);
            change_one((unsigned)kin_test_below(&rng, N_KEYS), &rng);
            pthread_rwlock_unlock(&world.truth);
            if (n == 100)
                kin_delta_fifo_close(world.fifo);
        }
        atomic_store(&world.n_producing, 0);
        for (unsigned i = 0; i < N_CONSUMERS + 3; i++)
            pthread_join(threads[i], NULL);
        /* What came after the last consumer had gone is still there, in its order. */
        consume(&numbers[1]);
        compare_with_truth();
        kin_delta_fifo_free(world.fifo);
        kin_store_unref(world.store);
        pthread_rwlock_destroy(&world.truth);
        assert_int_equal(kin_test_items_live(), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_at_once),
        cmocka_unit_test(closing_in_the_middle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
