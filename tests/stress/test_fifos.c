/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FIFO and the ordered FIFO under threads: producers, consumers who requeue now and then, lists and
 * readers at once. Bounded by operations, not by time.
 *
 * FIFO: no key is processed by two at once, its versions never go back, and the last one comes.
 *
 * Ordered: one change is processed at a time; what each producer added comes in its order, without a
 * gap. Where the consumer's store is what the queue knows: a SYNC brings the very object that the store
 * has, and after a last list the store is equal to it.
 */
#include "kin_test.h"

#include <stdatomic.h>
#include <string.h>

#include "base/compiler.h"
#include "base/thread.h"
#include "item.h"
#include "kinform/fifo.h"
#include "kinform/ordered_fifo.h"
#include "rng.h"

enum {
    N_PRODUCERS = 3,
    N_CONSUMERS = 3,
    N_KEYS = 8, /* per producer */
    N_OPS = 20000,
    N_LISTS = 400,
    LIST_LEN = 12,
    LAST_LIST = N_OPS + 1, /* the version of its objects */
};

/* What goes wrong in a thread is told here, and failed where cmocka expects it. */
static atomic_uint n_wrong;
static char first_wrong[256];

static void wrong(const char *what, const char *key, unsigned a, unsigned b)
{
    if (atomic_fetch_add(&n_wrong, 1) == 0)
        snprintf(first_wrong, sizeof(first_wrong), "%s: %s %u %u", what, key, a, b);
}

#define must(expression)                                                                           \
    do {                                                                                           \
        if (!(expression))                                                                         \
            wrong(#expression, "", 0, 0);                                                          \
    } while (0)

struct worker {
    kin__thread thread;
    unsigned id;
    kin_test_rng rng;
    struct world *world;
};

struct world {
    kin_fifo *fifo;
    kin_ordered_fifo *ordered;
    kin_store *store; /* what the ordered queue knows, or NULL */
    bool with_lists;  /* lists replace what the producers put into the FIFO */
    atomic_uint busy; /* ordered: how many process */
    atomic_bool in_flight[N_PRODUCERS * N_KEYS];
    atomic_uint last[N_PRODUCERS * N_KEYS]; /* FIFO: the version seen last */
    unsigned seq[N_PRODUCERS]; /* ordered: the version seen last; by who has the turn */
    atomic_bool over;          /* readers may stop */
};

static void start(struct worker *workers, unsigned n, struct world *world, kin__thread_fn *fn)
{
    for (unsigned i = 0; i < n; i++) {
        workers[i] = (struct worker){KIN__THREAD_INIT, i, {i * 7919 + 1}, world};
        assert_code(kin__thread_start(&workers[i].thread, "kin-stress", fn, &workers[i], NULL), 0);
    }
}

static void join(struct worker *workers, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kin__thread_join(&workers[i].thread, NULL);
}

static void check(void)
{
    if (atomic_load(&n_wrong) > 0)
        fail_msg("%u times wrong, first: %s", atomic_load(&n_wrong), first_wrong);
    assert_int_equal(kin_test_items_live(), 0);
}

/* Keys are "<producer>-<number>". */
static void key_of(char key[16], unsigned producer, unsigned number)
{
    snprintf(key, 16, "%u-%u", producer, number);
}

static unsigned index_of(const char *key)
{
    unsigned producer = 0;
    unsigned number = 0;

    must(sscanf(key, "%u-%u", &producer, &number) == 2);
    return producer * N_KEYS + number;
}

/* --- FIFO --- */

static int process_object(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    struct worker *w = arg;
    struct world *world = w->world;
    unsigned i = index_of(kin_object_key(object));
    unsigned version = kin_test_item_version(object);

    (void)is_initial_list;
    (void)err;
    if (atomic_exchange(&world->in_flight[i], true))
        wrong("two at once", kin_object_key(object), version, 0);
    if (!world->with_lists && version < atomic_load(&world->last[i]))
        wrong("went back", kin_object_key(object), version, atomic_load(&world->last[i]));
    atomic_store(&world->last[i], version);
    atomic_store(&world->in_flight[i], false);
    return kin_test_below(&w->rng, 8) == 0 ? KIN_EREQUEUE : 0;
}

static void consume_fifo(void *arg)
{
    struct worker *w = arg;
    int code = 0;

    while (code != KIN_ECLOSED) {
        code = kin_fifo_pop(w->world->fifo, process_object, w,
                            (int64_t)kin_test_below(&w->rng, 3) - 1, NULL);
        must(code == 0 || code == KIN_ECLOSED || code == KIN_ETIMEOUT);
    }
}

static void put_into_fifo(struct worker *w, unsigned number, unsigned version)
{
    kin_fifo *fifo = w->world->fifo;
    const kin_object *item;
    char key[16];

    key_of(key, w->id, number);
    item = kin_test_item(key, version, NULL);
    switch (version == N_OPS ? 0 : kin_test_below(&w->rng, 8)) {
    case 0:
        must(kin_fifo_add(fifo, item, NULL) == 0);
        break;
    case 1:
        must(kin_fifo_delete(fifo, item, NULL) == 0);
        break;
    case 2:
        must(kin_fifo_add_if_not_present(fifo, item, NULL) == 0);
        break;
    default:
        must(kin_fifo_update(fifo, item, NULL) == 0);
    }
    kin_object_unref(item);
}

static void produce_fifo(void *arg)
{
    struct worker *w = arg;

    for (unsigned version = 1; version < N_OPS; version++)
        put_into_fifo(w, (unsigned)kin_test_below(&w->rng, N_KEYS), version);
    /* The last word. */
    for (unsigned number = 0; number < N_KEYS; number++)
        put_into_fifo(w, number, N_OPS);
}

static void replace_fifo(struct worker *w, unsigned version)
{
    const kin_object *items[N_PRODUCERS * N_KEYS];
    size_t n = version == LAST_LIST ? N_PRODUCERS * N_KEYS : 1 + kin_test_below(&w->rng, LIST_LEN);

    for (unsigned i = 0; i < n; i++) {
        unsigned which =
            version == LAST_LIST ? i : (unsigned)kin_test_below(&w->rng, N_PRODUCERS * N_KEYS);
        char key[16];

        key_of(key, which / N_KEYS, which % N_KEYS);
        items[i] = kin_test_item(key, version, NULL);
    }
    must(kin_fifo_replace(w->world->fifo, items, n, kin_str_of("1"), NULL) == 0);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(items[i]);
}

static void list_fifo(void *arg)
{
    struct worker *w = arg;

    for (unsigned i = 0; w->world->with_lists && i < N_LISTS; i++)
        replace_fifo(w, i);
}

static void read_fifo(void *arg)
{
    struct worker *w = arg;
    kin_fifo *fifo = w->world->fifo;

    while (!atomic_load(&w->world->over)) {
        kin_object_list list = KIN_OBJECT_LIST_INIT;
        kin_string_list keys = KIN_STRING_LIST_INIT;
        const kin_object *object = NULL;

        must(kin_fifo_list(fifo, &list, NULL) == 0 && list.len <= N_PRODUCERS * N_KEYS);
        must(kin_fifo_list_keys(fifo, &keys, NULL) == 0 && keys.len <= N_PRODUCERS * N_KEYS);
        for (size_t i = 0; i < list.len; i++)
            must(kin_fifo_get(fifo, NULL, list.items[i], NULL) != KIN_EINVAL);
        if (kin_fifo_get_by_key(fifo, &object, kin_str_of("1-1"), NULL) == 0)
            must(index_of(kin_object_key(object)) == N_KEYS + 1);
        kin_object_unref(object);
        must(kin_fifo_len(fifo) <= N_PRODUCERS * N_KEYS);
        must(kin_fifo_resync(fifo, NULL) == 0);
        (void)kin_fifo_has_synced(fifo);
        kin_object_list_done(&list);
        kin_string_list_done(&keys);
    }
}

static void run_fifo(bool with_lists)
{
    static struct world world;
    struct worker producers[N_PRODUCERS];
    struct worker consumers[N_CONSUMERS];
    struct worker lister;
    struct worker reader;

    memset(&world, 0, sizeof(world));
    world.with_lists = with_lists;
    assert_code(kin_fifo_new(&world.fifo, NULL, NULL), 0);
    start(consumers, N_CONSUMERS, &world, consume_fifo);
    start(&reader, 1, &world, read_fifo);
    start(&lister, 1, &world, list_fifo);
    start(producers, N_PRODUCERS, &world, produce_fifo);
    join(producers, N_PRODUCERS);
    join(&lister, 1);
    if (with_lists)
        replace_fifo(&lister, LAST_LIST);
    kin_fifo_close(world.fifo);
    join(consumers, N_CONSUMERS);
    atomic_store(&world.over, true);
    join(&reader, 1);
    assert_int_equal(kin_fifo_len(world.fifo), 0);
    for (unsigned i = 0; i < N_PRODUCERS * N_KEYS; i++)
        assert_int_equal(atomic_load(&world.last[i]), with_lists ? LAST_LIST : N_OPS);
    kin_fifo_free(world.fifo);
    check();
}

static void the_newest_object_of_each_key_is_processed(void **state)
{
    (void)state;
    run_fifo(false);
}

static void lists_replace_while_others_put_in_and_take_out(void **state)
{
    (void)state;
    run_fifo(true);
}

/* --- ordered FIFO --- */

/* What a producer added comes in its order; its version is its number. */
static void note_order(struct world *world, const kin_deltas *deltas)
{
    const kin_delta *delta = deltas->items;
    unsigned producer;
    unsigned version;

    if (delta->type != KIN_DELTA_ADDED)
        return;
    producer = (unsigned)(deltas->key.data[0] - '0');
    version = kin_test_item_version(delta->object);
    if (producer >= N_PRODUCERS) {
        wrong("nobody's", deltas->key.data, version, 0);
        return;
    }
    if (version != world->seq[producer] + 1)
        wrong("out of order", deltas->key.data, version, world->seq[producer]);
    world->seq[producer] = version;
}

static void apply(struct world *world, const kin_deltas *deltas)
{
    const kin_delta *delta = deltas->items;
    const kin_object *stored = NULL;

    if (!world->store)
        return;
    switch (delta->type) {
    case KIN_DELTA_DELETED:
        must(kin_store_delete(world->store, delta->object, NULL) == 0);
        break;
    case KIN_DELTA_SYNC:
        must(kin_store_get(world->store, &stored, deltas->key, NULL) == 0);
        if (stored != delta->object)
            wrong("an old state was sent again", deltas->key.data, 0, 0);
        kin_object_unref(stored);
        break;
    default:
        must(kin_store_update(world->store, delta->object, NULL) == 0);
    }
}

static int process_all(struct worker *w, const kin_deltas *deltas, size_t n)
{
    struct world *world = w->world;
    int code = kin_test_below(&w->rng, 16) == 0 ? KIN_EREQUEUE : 0;

    if (atomic_fetch_add(&world->busy, 1) != 0)
        wrong("two at once", deltas[0].key.data, 0, 0);
    for (size_t i = 0; code == 0 && i < n; i++) {
        note_order(world, &deltas[i]);
        apply(world, &deltas[i]);
    }
    atomic_fetch_sub(&world->busy, 1);
    return code;
}

static int process_deltas(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    (void)is_initial_list;
    (void)err;
    return process_all(arg, deltas, 1);
}

static int process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    (void)is_initial_list;
    (void)err;
    return process_all(arg, deltas, n);
}

static void consume_ordered(void *arg)
{
    struct worker *w = arg;
    kin_ordered_fifo *fifo = w->world->ordered;
    int code = 0;

    while (code != KIN_ECLOSED) {
        int64_t timeout = (int64_t)kin_test_below(&w->rng, 3) - 1;

        code = kin_test_below(&w->rng, 2)
                   ? kin_ordered_fifo_pop(fifo, process_deltas, w, timeout, NULL)
                   : kin_ordered_fifo_pop_batch(fifo, process_batch, w, kin_test_below(&w->rng, 20),
                                                timeout, NULL);
        must(code == 0 || code == KIN_ECLOSED || code == KIN_ETIMEOUT);
    }
}

static void produce_ordered(void *arg)
{
    struct worker *w = arg;
    kin_ordered_fifo *fifo = w->world->ordered;
    unsigned version = 0;

    while (version < N_OPS) {
        const kin_object *items[4];
        kin_delta deltas[4];
        size_t n = 1 + kin_test_below(&w->rng, 4);

        for (size_t i = 0; i < n; i++) {
            char key[16];

            key_of(key, w->id, (unsigned)kin_test_below(&w->rng, N_KEYS));
            items[i] = kin_test_item(key, ++version, NULL);
            deltas[i] = (kin_delta){KIN_DELTA_ADDED, items[i]};
        }
        if (n == 1)
            must(kin_ordered_fifo_add(fifo, items[0], NULL) == 0);
        else
            must(kin_ordered_fifo_add_batch(fifo, deltas, n, NULL) == 0);
        if (kin_test_below(&w->rng, 4) == 0)
            must(kin_ordered_fifo_delete(fifo, items[n - 1], NULL) == 0);
        for (size_t i = 0; i < n; i++)
            kin_object_unref(items[i]);
    }
}

static void replace_ordered(struct worker *w, unsigned version)
{
    const kin_object *items[LIST_LEN];
    char text[16];

    for (unsigned i = 0; i < LIST_LEN; i++) {
        char key[16];

        /* Some of the producers' keys, some of its own. */
        key_of(key, i % (N_PRODUCERS + 1),
               version == 0 ? i : (unsigned)kin_test_below(&w->rng, 20));
        items[i] = kin_test_item(key, version, NULL);
    }
    snprintf(text, sizeof(text), "%u", version);
    must(kin_ordered_fifo_replace(w->world->ordered, items, LIST_LEN, kin_str_of(text), NULL) == 0);
    for (size_t i = 0; i < LIST_LEN; i++)
        kin_object_unref(items[i]);
}

static void list_ordered(void *arg)
{
    struct worker *w = arg;
    kin_ordered_fifo *fifo = w->world->ordered;

    for (unsigned i = 1; i <= N_LISTS; i++) {
        if (w->id == 0)
            replace_ordered(w, i);
        else
            must(kin_ordered_fifo_resync(fifo, NULL) == 0);
        must(kin_ordered_fifo_bookmark(fifo, kin_str_of("1"), NULL) == 0);
        (void)kin_ordered_fifo_len(fifo);
        (void)kin_ordered_fifo_has_synced(fifo);
        must(!kin_ordered_fifo_is_closed(fifo));
    }
}

/* The store has the last list, and nothing else. */
static void check_store(struct world *world)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(kin_store_list(world->store, &list, NULL), 0);
    assert_int_equal(list.len, LIST_LEN);
    for (size_t i = 0; i < list.len; i++)
        assert_int_equal(kin_test_item_version(list.items[i]), 0);
    kin_object_list_done(&list);
    kin_store_unref(world->store);
}

static void run_ordered(bool with_store)
{
    static struct world world;
    struct worker producers[N_PRODUCERS];
    struct worker consumers[N_CONSUMERS];
    struct worker listers[2];
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    memset(&world, 0, sizeof(world));
    options.emit_bookmarks = !with_store;
    if (with_store) {
        assert_code(kin_store_new(&world.store, NULL, NULL), 0);
        known = kin_store_known_objects(world.store);
        options.known = &known;
    }
    assert_code(kin_ordered_fifo_new(&world.ordered, &options, NULL), 0);
    start(consumers, N_CONSUMERS, &world, consume_ordered);
    start(listers, 2, &world, list_ordered);
    start(producers, N_PRODUCERS, &world, produce_ordered);
    join(producers, N_PRODUCERS);
    join(listers, 2);
    replace_ordered(&listers[0], 0);
    assert_code(kin_ordered_fifo_wait_synced(world.ordered, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_ordered_fifo_close(world.ordered);
    join(consumers, N_CONSUMERS);
    assert_int_equal(kin_ordered_fifo_len(world.ordered), 0);
    for (unsigned i = 0; i < N_PRODUCERS; i++)
        assert_true(world.seq[i] >= N_OPS);
    kin_ordered_fifo_free(world.ordered);
    if (with_store)
        check_store(&world);
    check();
}

static void changes_are_processed_in_their_order(void **state)
{
    (void)state;
    run_ordered(false);
}

static void a_store_follows_its_queue(void **state)
{
    (void)state;
    run_ordered(true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_newest_object_of_each_key_is_processed),
        cmocka_unit_test(lists_replace_while_others_put_in_and_take_out),
        cmocka_unit_test(changes_are_processed_in_their_order),
        cmocka_unit_test(a_store_follows_its_queue),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
