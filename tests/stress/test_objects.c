/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents in many threads: all decode the same and different texts, pass objects on, read what
 * others made, and give back what is not theirs. What is shared between documents, the dictionary
 * and the count of sightings are worked on from all sides at once. In the end the pool is empty.
 * And while that goes on, the process forks: the child finds everything in order and goes on
 * alone.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/thread.h"
#include "child.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "latch.h"
#include "random_document.h"
#include "reference.h"

/*
 * The allocators of the sanitizers do not survive a fork of a process with threads: in the child
 * some lock of theirs may be taken for ever, by a thread that is not there. With them the process
 * forks alone.
 */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORK_AMONG_THREADS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define FORK_AMONG_THREADS 0
#endif
#endif
#ifndef FORK_AMONG_THREADS
#define FORK_AMONG_THREADS 1
#endif

#define THREADS 4
#define TEXTS 60
#define SLOTS 32
#define STEPS 3000
#define FORKS 15

struct text {
    ref_value *expected;
    ref_text text;
};

/* A place where one thread leaves an object for another. */
struct slot {
    pthread_mutex_t lock;
    const kin_object *object; /* (lock) */
    size_t text;              /* (lock) which one it was made of */
};

struct world {
    struct text texts[TEXTS]; /* const while threads run */
    struct slot slots[SLOTS];
    atomic_bool stop;
    atomic_uint failures;
    atomic_uint forks; /* how many children there were; workers go on until there are enough */
    unsigned forks_wanted;
    kin_test_latch running;
};

struct worker {
    struct world *world;
    kin_test_rng rng;
    kin__thread thread;
};

static void complain(struct world *world, const char *what)
{
    atomic_fetch_add(&world->failures, 1);
    atomic_store(&world->stop, true);
    fprintf(stderr, "%s\n", what);
}

/* Members with a common part, so that parts of different documents are shared. */
static void make_texts(struct world *world)
{
    kin_test_rng rng = {3};
    ref_value *common = random_value(&rng, 40, 5);

    for (size_t i = 0; i < TEXTS; i++) {
        struct text *text = &world->texts[i];

        text->expected = random_document(&rng, 25);
        ref_put(text->expected, "common", 6, ref_copy(common));
        if (i % 2) {
            char key[32];
            int len = snprintf(key, sizeof(key), "learnt%zu", i);

            ref_put(text->expected, key, (size_t)len, ref_copy(common));
        }
        text->text = random_text(text->expected, &rng, i % 3 ? 0 : RANDOM_DUPLICATES);
    }
    ref_free(common);
}

static kin_str text_of(const struct world *world, size_t i)
{
    return kin_str_make(world->texts[i].text.data, world->texts[i].text.len);
}

/* Reads an object in one of the ways there are. */
static bool is_right(const struct world *world, const kin_object *object, size_t i,
                     kin_test_rng *rng)
{
    const struct text *text = &world->texts[i];
    char *encoded;
    size_t len;
    bool same;

    switch (kin_test_below(rng, 4)) {
    case 0:
        return ref_check(text->expected, kin_object_root(object)) == NULL;
    case 1:
        if (kin_object_to_json(&encoded, &len, object, KIN_JSON_COMPACT, NULL) != 0)
            return false;
        ref_value *again = ref_parse(encoded, len);
        same = ref_same(text->expected, again);
        ref_free(again);
        kin_free(encoded);
        return same;
    case 2:
        return kin_value_len(kin_object_root(object)) == text->expected->n_elements &&
               kin_object_hash(object) == kin_value_hash(kin_object_root(object));
    default:
        kin_object_label(object, kin_str_of("app"), NULL);
        return strlen(kin_object_key(object)) <=
               kin_object_namespace(object).len + 1 + kin_object_name(object).len;
    }
}

/* Leaves an object in a slot and takes away what was there. */
static const kin_object *swap(struct slot *slot, const kin_object *object, size_t *text)
{
    pthread_mutex_lock(&slot->lock);
    const kin_object *before = slot->object;
    size_t before_text = slot->text;

    slot->object = object;
    slot->text = *text;
    pthread_mutex_unlock(&slot->lock);
    *text = before_text;
    return before;
}

static void work_step(struct worker *worker, kin_decoder *decoder)
{
    struct world *world = worker->world;
    const kin_object *object = NULL;
    size_t i = kin_test_below(&worker->rng, TEXTS);
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_decode(decoder, &object, text_of(world, i), &err) != 0) {
        complain(world, err.message);
        return;
    }
    if (!is_right(world, object, i, &worker->rng))
        complain(world, "not what was decoded");
    kin_object_ref(object); /* two of us read it for a while */

    size_t other = i;
    const kin_object *given =
        swap(&world->slots[kin_test_below(&worker->rng, SLOTS)], object, &other);

    if (given && !is_right(world, given, other, &worker->rng))
        complain(world, "not what another thread decoded");
    if (given && other == i && !kin_object_equal(given, object))
        complain(world, "two of the same text are not equal");
    kin_object_unref(given);
    if (!is_right(world, object, i, &worker->rng))
        complain(world, "not what was decoded any more");
    kin_object_unref(object);
}

static bool goes_on(const struct world *world, unsigned step)
{
    if (atomic_load(&world->stop))
        return false;
    return step < STEPS || atomic_load(&world->forks) < world->forks_wanted;
}

static void work(void *arg)
{
    struct worker *worker = arg;
    kin_decoder *decoder = NULL;

    kin_test_latch_raise(&worker->world->running);
    for (unsigned step = 0; goes_on(worker->world, step); step++) {
        /* Decoders come and go, too, and what they remember with them. */
        if (step % 200 == 0) {
            kin_decoder_free(decoder);
            decoder = NULL;
            if (kin_decoder_new(&decoder, NULL, NULL) != 0) {
                complain(worker->world, "no decoder");
                return;
            }
        }
        work_step(worker, decoder);
    }
    kin_decoder_free(decoder);
}

static struct world *world_new(void)
{
    struct world *world = calloc(1, sizeof(*world));

    assert_non_null(world);
    make_texts(world);
    kin_test_latch_init(&world->running);
    for (size_t i = 0; i < SLOTS; i++)
        pthread_mutex_init(&world->slots[i].lock, NULL);
    return world;
}

static void start(struct world *world, struct worker *workers)
{
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){world, {100 + i}, KIN__THREAD_INIT};
        assert_code(kin__thread_start(&workers[i].thread, "kin-worker", work, &workers[i], NULL),
                    0);
    }
    kin_test_latch_wait(&world->running, THREADS);
}

/* The threads end, all objects go, and nothing is left. */
static void finish(struct world *world, struct worker *workers)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;
    unsigned failures;

    for (unsigned i = 0; i < THREADS; i++)
        assert_code(kin__thread_join(&workers[i].thread, NULL), 0);
    for (size_t i = 0; i < SLOTS; i++) {
        kin_object_unref(world->slots[i].object);
        pthread_mutex_destroy(&world->slots[i].lock);
    }
    for (size_t i = 0; i < TEXTS; i++) {
        ref_free(world->texts[i].expected);
        free(world->texts[i].text.data);
    }
    kin_test_latch_done(&world->running);
    failures = atomic_load(&world->failures);
    free(world);
    assert_int_equal(failures, 0);
    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
    assert_int_equal(stats.bytes, 0);
}

static void threads_decode_share_read_and_free(void **state)
{
    static struct worker workers[THREADS];
    struct world *world = world_new();

    (void)state;
    start(world, workers);
    finish(world, workers);
    assert_int_equal(kin_test_alloc_live(), 0);
}

/*
 * In the child: what the parent made is readable, and everything works. The exit code says what
 * does not.
 */
static int live_on(void *arg)
{
    const struct world *world = arg;
    kin_decoder *decoder;
    kin_pool_stats stats = KIN_POOL_STATS_INIT;
    kin_test_rng rng = {atomic_load(&world->forks)};

    if (kin_decoder_new(&decoder, NULL, NULL) != 0)
        return 2;
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < TEXTS; i++) {
            const kin_object *object;
            bool right;

            if (kin_decoder_decode(decoder, &object, text_of(world, i), NULL) != 0)
                return 3;
            right = is_right(world, object, i, &rng);
            kin_object_unref(object);
            if (!right)
                return 4;
        }
    }
    kin_decoder_free(decoder);
    kin_pool_stats_get(&stats);
    return 0;
}

static void a_child_forked_meanwhile_goes_on_alone(void **state)
{
    static struct worker workers[THREADS];
    struct world *world = world_new();

    (void)state;
    world->forks_wanted = FORKS;
    if (FORK_AMONG_THREADS)
        start(world, workers);
    while (atomic_load(&world->forks) < FORKS && !atomic_load(&world->stop)) {
        kin_test_child child;

        kin_test_run_child(&child, live_on, world);
        if (child.exit_code != 0 || child.signal != 0) {
            print_error("the child ended with %d, signal %d: %s\n", child.exit_code, child.signal,
                        child.output);
            complain(world, "a child did not live on");
        }
        atomic_fetch_add(&world->forks, 1);
    }
    finish(world, workers);
}

/* Many threads find, add and give back the one same content. */
static void hold_and_drop(void *arg)
{
    struct worker *worker = arg;
    struct world *world = worker->world;
    const kin_object *held[8] = {NULL};
    kin_decoder *decoder;

    if (kin_decoder_new(&decoder, NULL, NULL) != 0) {
        complain(world, "no decoder");
        return;
    }
    kin_test_latch_raise(&world->running);
    for (unsigned step = 0; step < STEPS && !atomic_load(&world->stop); step++) {
        size_t i = kin_test_below(&worker->rng, kin__array_len(held));

        kin_object_unref(held[i]);
        held[i] = NULL;
        /* Now and then nobody holds it, so that it dies and is made anew. */
        if (kin_test_below(&worker->rng, 3) == 0)
            continue;
        if (kin_decoder_decode(decoder, &held[i], text_of(world, 0), NULL) != 0)
            complain(world, "cannot be decoded");
        else if (!is_right(world, held[i], 0, &worker->rng))
            complain(world, "not what was decoded");
        if (step % 50 == 0) {
            kin_decoder_free(decoder);
            if (kin_decoder_new(&decoder, NULL, NULL) != 0) {
                decoder = NULL;
                complain(world, "no decoder");
                break;
            }
        }
    }
    for (size_t i = 0; i < kin__array_len(held); i++)
        kin_object_unref(held[i]);
    kin_decoder_free(decoder);
}

static void one_content_dies_and_comes_again(void **state)
{
    static struct worker workers[THREADS];
    struct world *world = world_new();

    (void)state;
    for (unsigned i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){world, {200 + i}, KIN__THREAD_INIT};
        assert_code(
            kin__thread_start(&workers[i].thread, "kin-holder", hold_and_drop, &workers[i], NULL),
            0);
    }
    finish(world, workers);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_decode_share_read_and_free),
        cmocka_unit_test(one_content_dies_and_comes_again),
        cmocka_unit_test(a_child_forked_meanwhile_goes_on_alone),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
