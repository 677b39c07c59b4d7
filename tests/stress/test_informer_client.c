/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers of a client in a storm: threads that set other namespaces and selectors, start and stop, add
 * handlers and remove them, and write, all at once. Bounded by steps. When all is quiet, the stores and
 * each handler that has stayed have what the server has.
 */
#include "informer_support.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/thread.h"
#include "kinform/object_list.h"
#include "rng.h"

enum {
    N_ROUNDS = 4,
    N_STEPS = KIN_TEST_SANITIZED ? 60 : 200,
    N_INFORMERS = 3,
    N_NAMES = 12,
    N_SPACES = 3,
};

static const char *const namespaces[N_SPACES] = {"one", "two", "three"};

struct copy {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    kin_store *store; /* (lock) what the handler was told */
    bool is_wrong;    /* (lock) */
};

struct storm {
    informer_fixture base;
    kin_informer *informers[N_INFORMERS];
    struct copy copies[N_INFORMERS];
};

struct thread {
    kin__thread thread;
    struct storm *storm;
    kin_test_rng rng;
};

/* --- handlers --- */

static void follow(const kin_event *event, void *arg)
{
    struct copy *copy = arg;
    bool was_there;

    pthread_mutex_lock(&copy->lock);
    was_there =
        kin_store_get(copy->store, NULL, kin_str_of(kin_object_key(event->object)), NULL) == 0;
    copy->is_wrong |= was_there == (event->type == KIN_EVENT_ADD);
    if (event->type == KIN_EVENT_DELETE)
        kin_store_delete(copy->store, event->object, NULL);
    else
        kin_store_add(copy->store, event->object, NULL);
    pthread_cond_broadcast(&copy->changed);
    pthread_mutex_unlock(&copy->lock);
}

static void ignore(const kin_event *event, void *arg)
{
    (void)event;
    atomic_fetch_add((atomic_uint *)arg, 1);
}

/* --- threads --- */

static void look_elsewhere(struct thread *thread, kin_informer *informer)
{
    static const char *const tiers[] = {NULL, "tier=front", "tier!=front"};
    size_t from = kin_test_below(&thread->rng, N_SPACES);

    if (kin_test_below(&thread->rng, 3) == 0)
        assert_code(kin_informer_set_namespaces(informer, NULL, 0, NULL), 0);
    else if (kin_test_below(&thread->rng, 2))
        assert_code(kin_informer_set_namespaces(informer, namespaces + from, N_SPACES - from, NULL),
                    0);
    else
        assert_code(kin_informer_set_selectors(informer, tiers[kin_test_below(&thread->rng, 3)],
                                               NULL, NULL),
                    0);
}

static void change_scope(void *arg)
{
    struct thread *thread = arg;

    for (unsigned i = 0; i < N_STEPS; i++) {
        kin_informer *informer =
            thread->storm->informers[kin_test_below(&thread->rng, N_INFORMERS)];
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        switch (kin_test_below(&thread->rng, 6)) {
        case 0:
            kin_informer_stop(informer);
            break;
        case 1:
            kin_informer_wait_synced(informer, 1, NULL);
            break;
        case 2:
            kin_informer_get_status(informer, &status, NULL);
            break;
        case 3:
            look_elsewhere(thread, informer);
            break;
        default:
            kin_informer_start(informer, NULL);
        }
        sched_yield();
    }
}

static void come_and_go(void *arg)
{
    struct thread *thread = arg;
    atomic_uint n_told = 0;

    for (unsigned i = 0; i < N_STEPS; i++) {
        kin_informer *informer =
            thread->storm->informers[kin_test_below(&thread->rng, N_INFORMERS)];
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        kin_registration *registration = NULL;

        options.delivery = (kin_delivery)kin_test_below(&thread->rng, 3);
        assert_code(
            kin_informer_add_handler(informer, &registration, ignore, &n_told, &options, NULL), 0);
        kin_informer_dispatch(informer, 10, NULL, NULL);
        sched_yield();
        /* Waiting, since what it counts in is ours. */
        assert_code(kin_informer_remove_handler_wait(informer, registration, NULL), 0);
        kin_registration_unref(registration);
    }
}

static void write_all(void *arg)
{
    struct thread *thread = arg;
    informer_fixture *f = &thread->storm->base;

    for (unsigned i = 0; i < N_STEPS; i++) {
        const char *space = namespaces[kin_test_below(&thread->rng, N_SPACES)];
        char name[16];

        snprintf(name, sizeof(name), "m%u", (unsigned)kin_test_below(&thread->rng, N_NAMES));
        if (kin_test_below(&thread->rng, 3))
            informer_put(f, space, name, kin_test_below(&thread->rng, 2) ? "front" : "back", NULL);
        else
            kin_client_delete(f->client, NULL, f->maps, space, name, NULL, NULL);
        if (kin_test_below(&thread->rng, 40) == 0)
            kin_apiserver_compact(f->server, NULL);
    }
}

/* --- the end --- */

static int put_item(const kin_object *object, void *arg, kin_error *err)
{
    return kin_store_add(arg, object, err);
}

/* What is in the one and not, or in another version, in the other. */
struct difference {
    kin_store *other;
    size_t n;
};

static int compare(kin_str key, const kin_object *object, void *arg)
{
    struct difference *difference = arg;
    const kin_object *other = NULL;

    if (kin_store_get(difference->other, &other, key, NULL) < 0 ||
        !kin_str_equal(kin_object_resource_version(object), kin_object_resource_version(other)))
        difference->n++;
    kin_object_unref(other);
    return 0;
}

static bool is_same(kin_store *a, kin_store *b)
{
    struct difference difference = {b, 0};

    assert_code(kin_store_each(a, compare, &difference, NULL), 0);
    return difference.n == 0 && kin_store_len(a) == kin_store_len(b);
}

/* It looks at everything again, and gets there. */
static void settle(struct storm *storm, size_t i, kin_store *expected)
{
    kin_informer *informer = storm->informers[i];
    struct copy *copy = &storm->copies[i];

    assert_code(kin_informer_set_namespaces(informer, NULL, 0, NULL), 0);
    assert_code(kin_informer_set_selectors(informer, NULL, NULL, NULL), 0);
    if (kin_informer_start(informer, NULL) == KIN_EBUSY) {
        kin_informer_stop(informer);
        assert_code(kin_informer_wait_stopped(informer, -1, NULL), 0);
        assert_code(kin_informer_start(informer, NULL), 0);
    }
    pthread_mutex_lock(&copy->lock);
    while (!is_same(copy->store, expected) && !copy->is_wrong)
        pthread_cond_wait(&copy->changed, &copy->lock);
    assert_false(copy->is_wrong);
    pthread_mutex_unlock(&copy->lock);
    assert_true(is_same(kin_informer_store(informer), expected));
}

static void open_storm(struct storm *storm)
{
    kin_informer_options options;

    informer_open(&storm->base, NULL, NULL);
    options = informer_options(&storm->base);
    for (size_t i = 0; i < N_SPACES; i++)
        informer_make_namespace(&storm->base, namespaces[i]);
    for (size_t i = 0; i < N_INFORMERS; i++) {
        struct copy *copy = &storm->copies[i];

        options.queue = i % 2 ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
        pthread_mutex_init(&copy->lock, NULL);
        pthread_cond_init(&copy->changed, NULL);
        assert_code(kin_store_new(&copy->store, NULL, NULL), 0);
        assert_code(
            kin_informer_new(&storm->informers[i], storm->base.client, "cm", &options, NULL), 0);
        assert_code(kin_informer_add_handler(storm->informers[i], NULL, follow, copy, NULL, NULL),
                    0);
    }
}

static void close_storm(struct storm *storm)
{
    for (size_t i = 0; i < N_INFORMERS; i++) {
        kin_informer_free(storm->informers[i]);
        kin_store_unref(storm->copies[i].store);
        pthread_cond_destroy(&storm->copies[i].changed);
        pthread_mutex_destroy(&storm->copies[i].lock);
    }
    informer_close(&storm->base);
}

static void run_round(uint64_t seed)
{
    static kin__thread_fn *const functions[] = {change_scope, change_scope, come_and_go, write_all};
    enum { N = 4 };
    struct storm *storm = calloc(1, sizeof(*storm));
    struct thread threads[N];
    kin_store *expected = NULL;

    open_storm(storm);
    for (size_t i = 0; i < N; i++) {
        threads[i] = (struct thread){KIN__THREAD_INIT, storm, {seed * 100 + i}};
        assert_code(kin__thread_start(&threads[i].thread, "storm", functions[i], &threads[i], NULL),
                    0);
    }
    for (size_t i = 0; i < N; i++)
        kin__thread_join(&threads[i].thread, NULL);
    informer_put(&storm->base, "one", "last", "front", NULL);
    assert_code(kin_store_new(&expected, NULL, NULL), 0);
    assert_code(kin_client_list(storm->base.client, NULL, storm->base.maps, NULL, put_item,
                                expected, NULL, NULL),
                0);
    assert_true(kin_store_len(expected) > 0);
    for (size_t i = 0; i < N_INFORMERS; i++)
        settle(storm, i, expected);
    kin_store_unref(expected);
    close_storm(storm);
    free(storm);
}

static void they_stand_a_storm(void **state)
{
    (void)state;
    for (uint64_t round = 1; round <= N_ROUNDS; round++)
        run_round(round);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_stand_a_storm),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
