/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A controller with a queue that is none of the library's: a ring of objects, newest last, with replacements of
 * its own. And what a controller refuses to take as a queue.
 */
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/clock.h"
#include "controller_support.h"
#include "kinform/queue.h"

enum { ROOM = 64 };

struct ring {
    pthread_mutex_t lock;
    kin_delta deltas[ROOM]; /* (lock) references */
    size_t n;               /* (lock) */
    bool was_listed;        /* (lock) */
    bool has_synced;        /* (lock) */
    size_t n_closed;        /* (lock) */
    size_t n_freed;
    size_t n_replaces;       /* that were begun and neither committed nor aborted */
    bool kept;               /* (lock) the last list had gaps */
    char version[16];        /* (lock) of the last list */
    int pop_code;            /* what a pop fails with, once */
    void (*wake)(void *arg); /* (lock) */
    void *wake_arg;          /* (lock) */
};

static int put(struct ring *ring, kin_delta_type type, const kin_object *object)
{
    pthread_mutex_lock(&ring->lock);
    assert_true(ring->n < ROOM);
    ring->deltas[ring->n++] = (kin_delta){type, kin_object_ref(object)};
    if (ring->wake)
        ring->wake(ring->wake_arg);
    pthread_mutex_unlock(&ring->lock);
    return 0;
}

static int ring_add(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    return put(arg, KIN_DELTA_ADDED, object);
}

static int ring_update(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    return put(arg, KIN_DELTA_UPDATED, object);
}

static int ring_delete(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    return put(arg, KIN_DELTA_DELETED, object);
}

static int ring_resync(void *arg, kin_error *err)
{
    (void)arg;
    (void)err;
    return 0;
}

/* --- replacing: all at the commit --- */

struct ring_list {
    struct ring *ring;
    const kin_object *objects[ROOM];
    size_t n;
};

static int list_add(const kin_object *object, void *arg, kin_error *err)
{
    struct ring_list *list = arg;

    (void)err;
    list->objects[list->n++] = kin_object_ref(object);
    return 0;
}

static void list_free(struct ring_list *list)
{
    for (size_t i = 0; i < list->n; i++)
        kin_object_unref(list->objects[i]);
    list->ring->n_replaces--;
    free(list);
}

static int list_commit(kin_str resource_version, bool keeps_missing, void *arg, kin_error *err)
{
    struct ring_list *list = arg;
    struct ring *ring = list->ring;

    (void)err;
    for (size_t i = 0; i < list->n; i++)
        put(ring, KIN_DELTA_REPLACED, list->objects[i]);
    pthread_mutex_lock(&ring->lock);
    ring->kept = keeps_missing;
    ring->was_listed = true;
    snprintf(ring->version, sizeof(ring->version), "%.*s", (int)resource_version.len,
             resource_version.data);
    pthread_mutex_unlock(&ring->lock);
    list_free(list);
    return 0;
}

static void list_abort(void *arg)
{
    list_free(arg);
}

static int ring_replace_begin(kin_replace **ret, void *arg, kin_error *err)
{
    kin_replace_functions functions = KIN_REPLACE_FUNCTIONS_INIT;
    struct ring_list *list = calloc(1, sizeof(*list));
    int code;

    functions.add = list_add;
    functions.commit = list_commit;
    functions.abort = list_abort;
    list->ring = arg;
    code = kin_replace_new(ret, &functions, list, err);
    if (code < 0)
        free(list);
    else
        list->ring->n_replaces++;
    return code;
}

static int ring_store(kin_reflector_store *ret, void *arg)
{
    ret->add = ring_add;
    ret->update = ring_update;
    ret->delete_ = ring_delete;
    ret->replace_begin = ring_replace_begin;
    ret->resync = ring_resync;
    ret->arg = arg;
    return 0;
}

/* --- taking out: one at a time --- */

static int take_first(struct ring *ring, kin_delta *ret)
{
    int code = ring->pop_code;

    pthread_mutex_lock(&ring->lock);
    ring->pop_code = 0;
    ring->has_synced = ring->was_listed && ring->n == 0;
    if (code == 0 && ring->n == 0)
        code = KIN_ETIMEOUT;
    if (code == 0)
        *ret = ring->deltas[0];
    pthread_mutex_unlock(&ring->lock);
    return code;
}

static void drop_first(struct ring *ring)
{
    pthread_mutex_lock(&ring->lock);
    kin_object_unref(ring->deltas[0].object);
    memmove(ring->deltas, ring->deltas + 1, --ring->n * sizeof(ring->deltas[0]));
    ring->has_synced |= ring->was_listed && ring->n == 0;
    pthread_mutex_unlock(&ring->lock);
}

static int ring_pop(kin_process_batch_fn *process, void *process_arg, size_t max,
                    int64_t timeout_ms, void *arg, kin_error *err)
{
    kin_delta delta = {KIN_DELTA_SYNC, NULL};
    kin_deltas deltas = {&delta, 1, {NULL, 0}};
    int code = take_first(arg, &delta);

    assert_int_equal(max, 1);
    assert_int_equal(timeout_ms, 0);
    if (code < 0)
        return kin_error_set(err, code, "nothing");
    deltas.key = kin_str_of(kin_object_key(delta.object));
    code = process(&deltas, 1, false, process_arg, err);
    if (code != KIN_EREQUEUE)
        drop_first(arg);
    return code == KIN_EREQUEUE ? 0 : code;
}

static bool ring_has_synced(void *arg)
{
    struct ring *ring = arg;

    pthread_mutex_lock(&ring->lock);
    bool has_synced = ring->has_synced;
    pthread_mutex_unlock(&ring->lock);
    return has_synced;
}

static size_t ring_len(void *arg)
{
    struct ring *ring = arg;

    pthread_mutex_lock(&ring->lock);
    size_t n = ring->n;
    pthread_mutex_unlock(&ring->lock);
    return n;
}

static void ring_close(void *arg)
{
    ((struct ring *)arg)->n_closed++;
}

static void ring_free(void *arg)
{
    struct ring *ring = arg;

    for (size_t i = 0; i < ring->n; i++)
        kin_object_unref(ring->deltas[i].object);
    ring->n = 0;
    ring->n_freed++;
}

static void use(kin_test_control *control, struct ring *ring)
{
    memset(ring, 0, sizeof(*ring));
    pthread_mutex_init(&ring->lock, NULL);
    control->queue = (kin_queue)KIN_QUEUE_INIT;
    control->queue.reflector_store = ring_store;
    control->queue.pop_batch = ring_pop;
    control->queue.has_synced = ring_has_synced;
    control->queue.len = ring_len;
    control->queue.close = ring_close;
    control->queue.arg = ring;
    control->queue.arg_free = ring_free;
}

static void ring_set_wake(void (*wake)(void *wake_arg), void *wake_arg, void *arg)
{
    struct ring *ring = arg;

    pthread_mutex_lock(&ring->lock);
    ring->wake = wake;
    ring->wake_arg = wake_arg;
    pthread_mutex_unlock(&ring->lock);
}

/* --- tests --- */

static void a_queue_of_ones_own_will_do(void **context)
{
    static kin_test_control control;
    struct ring ring;
    kin_test_pull *watch;

    (void)context;
    kin_test_control_init(&control, KIN_TEST_DELTA_FIFO);
    use(&control, &ring);
    control.codes[1] = KIN_EREQUEUE;
    control.options.retry_ms = -1;
    kin_test_control_make(&control);
    watch = kin_test_control_start(&control, "5", "a:1 b:2");
    assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
    assert_string_equal(ring.version, "5");
    assert_false(ring.kept);
    kin_test_pull_event(watch, KIN_WATCH_MODIFIED, "a:6");
    kin_test_pull_event(watch, KIN_WATCH_DELETED, "b:7");
    kin_test_pull_event(watch, KIN_WATCH_ADDED, "c:8");
    kin_test_expect_text(&control, 6, "aR1@0 bR2@0 bR2@0 aU6@0 bD7@0 cA8@0 ");
    kin_controller_free(control.controller);
    control.controller = NULL;
    assert_int_equal(ring.n_closed, 1);
    assert_int_equal(ring.n_freed, 1);
    assert_int_equal(ring.n_replaces, 0);
    kin_test_control_done(&control);
    pthread_mutex_destroy(&ring.lock);
}

/* By its own `set_wake`, or without one by kin_controller_wake(). */
static void one_filled_from_outside_wakes_the_controller(void **context)
{
    static kin_test_control control;
    const kin_object *pod = kin_test_pod("x:9");
    struct ring ring;

    (void)context;
    for (unsigned has_wake = 0; has_wake < 2; has_wake++) {
        kin_test_control_init(&control, KIN_TEST_DELTA_FIFO);
        use(&control, &ring);
        control.queue.set_wake = has_wake ? ring_set_wake : NULL;
        kin_test_control_make(&control);
        assert_true(!ring.wake == !has_wake);
        kin_test_control_start(&control, "5", "a:1");
        assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
        put(&ring, KIN_DELTA_ADDED, pod);
        if (!has_wake)
            kin_controller_wake(control.controller);
        kin_test_expect_text(&control, 2, "aR1@0 xA9@0 ");
        kin_controller_free(control.controller);
        control.controller = NULL;
        assert_null(ring.wake);
        kin_test_control_done(&control);
        pthread_mutex_destroy(&ring.lock);
    }
    kin_object_unref(pod);
}

/* What the list lacks may be there. */
static void it_hears_of_lists_with_gaps(void **context)
{
    static kin_test_control control;
    struct ring ring;
    kin_test_pull *list;

    (void)context;
    kin_test_control_init(&control, KIN_TEST_DELTA_FIFO);
    use(&control, &ring);
    kin_test_control_make(&control);
    assert_code(kin_controller_start(control.controller, NULL), 0);
    list = kin_test_source_await(control.source, 0);
    kin_test_pull_item(list, "a:1");
    kin_test_pull_bad(list, 0, "");
    kin_test_pull_list_done(list, "5", NULL);
    assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
    assert_true(ring.kept);
    kin_test_control_done(&control);
    pthread_mutex_destroy(&ring.lock);
}

/* --- an ordered FIFO that somebody replaces --- */

struct claimed {
    kin_known_objects known; /* the store's */
    kin_queue queue;         /* the ordered FIFO's */
    atomic_uint n_pops;
    atomic_bool is_held;
    kin_test_latch inside; /* somebody compares with what is known, having the turn */
    kin_test_latch let_go;
    int code;
};

static int claimed_has(void *arg, kin_str key, kin_error *err)
{
    const struct claimed *claimed = arg;

    return claimed->known.has(claimed->known.arg, key, err);
}

static int claimed_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    struct claimed *claimed = arg;

    if (atomic_exchange(&claimed->is_held, false)) {
        kin_test_latch_raise(&claimed->inside);
        kin_test_latch_wait(&claimed->let_go, 1);
        if (claimed->code < 0)
            return kin_error_set(err, claimed->code, "it does not work");
    }
    return claimed->known.each(claimed->known.arg, visit, visit_arg, err);
}

static int claimed_pop(kin_process_batch_fn *process, void *process_arg, size_t max,
                       int64_t timeout_ms, void *arg, kin_error *err)
{
    struct claimed *claimed = arg;

    atomic_fetch_add(&claimed->n_pops, 1);
    return claimed->queue.pop_batch(process, process_arg, max, timeout_ms, claimed->queue.arg, err);
}

static int claimed_store(kin_reflector_store *ret, void *arg)
{
    const struct claimed *claimed = arg;

    return claimed->queue.reflector_store(ret, claimed->queue.arg);
}

static bool claimed_has_synced(void *arg)
{
    const struct claimed *claimed = arg;

    return claimed->queue.has_synced(claimed->queue.arg);
}

static size_t claimed_len(void *arg)
{
    const struct claimed *claimed = arg;

    return claimed->queue.len(claimed->queue.arg);
}

static void claimed_close(void *arg)
{
    const struct claimed *claimed = arg;

    claimed->queue.close(claimed->queue.arg);
}

static void claimed_init(struct claimed *claimed, kin_test_control *control)
{
    kin_ordered_fifo_options options = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    memset(claimed, 0, sizeof(*claimed));
    kin_test_latch_init(&claimed->inside);
    kin_test_latch_init(&claimed->let_go);
    claimed->known = kin_store_known_objects(control->store);
    known.has = claimed_has;
    known.each = claimed_each;
    known.arg = claimed;
    options.known = &known;
    options.clock = control->clock;
    kin_ordered_fifo_free(control->ordered);
    assert_code(kin_ordered_fifo_new(&control->ordered, &options, NULL), 0);
    claimed->queue = (kin_queue)KIN_QUEUE_INIT;
    assert_code(kin_ordered_fifo_queue(&claimed->queue, control->ordered), 0);
    control->queue = (kin_queue)KIN_QUEUE_INIT;
    control->queue.reflector_store = claimed_store;
    control->queue.pop_batch = claimed_pop;
    control->queue.has_synced = claimed_has_synced;
    control->queue.len = claimed_len;
    control->queue.close = claimed_close;
    control->queue.arg = claimed;
}

static void claimed_done(struct claimed *claimed)
{
    kin_test_latch_done(&claimed->let_go);
    kin_test_latch_done(&claimed->inside);
}

static void put_behind_its_back(kin_test_control *control, const char *pod)
{
    const kin_object *object = kin_test_pod(pod);

    assert_code(kin_ordered_fifo_add(control->ordered, object, NULL), 0);
    kin_object_unref(object);
    kin_controller_wake(control->controller);
}

/*
 * The strand has looked, and looks no more. What the reflector has said of itself before may still wake it:
 * it has time enough for thousands of looks.
 */
static void assert_rests(struct claimed *claimed, unsigned n_before)
{
    int64_t deadline = kin_test_deadline();

    while (atomic_load(&claimed->n_pops) == n_before)
        assert_true(kin_test_wait_turn(deadline));
    for (int i = 0; i < 20000; i++)
        sched_yield();
    assert_in_range(atomic_load(&claimed->n_pops), n_before + 1, n_before + 8);
}

/* A list, or a resync, has the turn of the queue for as long as it takes: that is waited for. */
static void a_claim_is_waited_for(void **context)
{
    static const kin_test_failure_of expired = {
        .code = KIN_EEXPIRED, .http_status = 410, .reason = "Expired"};

    (void)context;
    for (int fails = 0; fails < 2; fails++) {
        static kin_test_control control;
        struct claimed claimed;
        kin_test_pull *pull;
        unsigned n_pops;

        kin_test_control_init(&control, KIN_TEST_ORDERED_FIFO);
        claimed_init(&claimed, &control);
        kin_test_control_make(&control);
        pull = kin_test_control_start(&control, "5", "a:1 b:2");
        kin_test_expect_text(&control, 2, "aR1!@0 bR2!@0 ");
        assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
        kin_test_pull_error_event(pull, &expired);
        kin_test_control_advance(&control, 800);
        claimed.code = fails ? KIN_ENOMEM : 0;
        atomic_store(&claimed.is_held, true);
        kin_test_pull_list(kin_test_source_await(control.source, 2), "9", "a:1");
        kin_test_latch_wait(&claimed.inside, 1);
        n_pops = atomic_load(&claimed.n_pops);
        put_behind_its_back(&control, "x:8");
        assert_rests(&claimed, n_pops);
        kin_test_latch_raise(&claimed.let_go);
        /* The list does not have what waited. */
        kin_test_expect_text(&control, fails ? 3 : 6,
                             fails ? "aR1!@0 bR2!@0 xA8@800 "
                                   : "aR1!@0 bR2!@0 xA8@800 xD8?@800 bD2?@800 aR1@800 ");
        kin_test_control_done(&control);
        claimed_done(&claimed);
    }
}

static void *resync(void *arg)
{
    kin_test_control *control = arg;

    assert_code(kin_ordered_fifo_resync(control->ordered, NULL), 0);
    return NULL;
}

/* Nobody tells when somebody else's is over: it looks again after a while, if nothing else wakes it before. */
static void the_claim_of_a_stranger_is_too(void **context)
{
    static kin_test_control control;
    struct claimed claimed;
    pthread_t thread;
    unsigned n_pops;

    (void)context;
    kin_test_control_init(&control, KIN_TEST_ORDERED_FIFO);
    claimed_init(&claimed, &control);
    kin_test_control_make(&control);
    kin_test_control_start(&control, "5", "a:1");
    kin_test_expect_text(&control, 1, "aR1!@0 ");
    assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
    atomic_store(&claimed.is_held, true);
    assert_int_equal(pthread_create(&thread, NULL, resync, &control), 0);
    kin_test_latch_wait(&claimed.inside, 1);
    n_pops = atomic_load(&claimed.n_pops);
    put_behind_its_back(&control, "x:8");
    assert_rests(&claimed, n_pops);
    assert_code(kin_clock_await_waiters(control.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_test_latch_raise(&claimed.let_go);
    pthread_join(thread, NULL);
    kin_test_control_advance(&control, 100);
    kin_test_latch_wait(&control.calls, 3);
    pthread_mutex_lock(&control.lock);
    assert_non_null(strstr(control.text, "aR1!@0 xA8@"));
    assert_non_null(strstr(control.text, " aS1@"));
    pthread_mutex_unlock(&control.lock);
    kin_test_control_done(&control);
    claimed_done(&claimed);
}

/* It has failed before anything was processed: it is asked again, and what went wrong can be seen. */
static void a_queue_that_fails_is_asked_again(void **context)
{
    static kin_test_control control;
    struct ring ring;
    kin_controller_status status;

    (void)context;
    kin_test_control_init(&control, KIN_TEST_DELTA_FIFO);
    use(&control, &ring);
    ring.pop_code = KIN_ENOMEM;
    kin_test_control_make(&control);
    assert_code(kin_controller_start(control.controller, NULL), 0);
    kin_test_control_advance(&control, 100);
    kin_test_pull_list(kin_test_source_await(control.source, 0), "5", "a:1");
    assert_code(kin_controller_wait_synced(control.controller, -1, NULL), 0);
    status = kin_test_control_status(&control);
    assert_int_equal(status.errors, 1);
    assert_int_equal(status.last_error.code, KIN_ENOMEM);
    assert_int_equal(status.processed, 1);
    kin_test_control_done(&control);
    pthread_mutex_destroy(&ring.lock);
}

static int no_store(kin_reflector_store *ret, void *arg)
{
    (void)ret;
    (void)arg;
    return 0;
}

static int bad_store(kin_reflector_store *ret, void *arg)
{
    (void)ret;
    (void)arg;
    return KIN_ETYPE;
}

static int greedy_store(kin_reflector_store *ret, void *arg)
{
    ring_store(ret, arg);
    ret->arg_free = ring_free;
    return 0;
}

static void queues_are_checked(void **context)
{
    static kin_test_control control;
    kin_replace_functions functions = KIN_REPLACE_FUNCTIONS_INIT;
    kin_list_watch *source;
    kin_replace *replace = NULL;
    kin_controller *controller = NULL;
    struct ring ring;

    (void)context;
    kin_test_control_init(&control, KIN_TEST_DELTA_FIFO);
    source = kin_test_source_list_watch(control.source);
    use(&control, &ring);
    control.queue.reflector_store = no_store;
    assert_code(kin_controller_new(&controller, source, &control.queue, &control.options, NULL),
                KIN_EINVAL);
    control.queue.reflector_store = greedy_store;
    assert_code(kin_controller_new(&controller, source, &control.queue, &control.options, NULL),
                KIN_EINVAL);
    control.queue.reflector_store = bad_store;
    assert_code(kin_controller_new(&controller, source, &control.queue, &control.options, NULL),
                KIN_ETYPE);
    control.queue.reflector_store = ring_store;
    control.queue.size = 0;
    assert_code(kin_controller_new(&controller, source, &control.queue, &control.options, NULL),
                KIN_EINVAL);
    assert_code(kin_replace_new(NULL, &functions, NULL, NULL), KIN_EINVAL);
    assert_code(kin_replace_new(&replace, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_replace_new(&replace, &functions, NULL, NULL), KIN_EINVAL);
    assert_int_equal(ring.n_freed, 0);
    control.queue.size = sizeof(control.queue);
    kin_test_control_make(&control);
    kin_test_control_done(&control);
    assert_int_equal(ring.n_freed, 1);
    pthread_mutex_destroy(&ring.lock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_queue_of_ones_own_will_do),
        cmocka_unit_test(one_filled_from_outside_wakes_the_controller),
        cmocka_unit_test(it_hears_of_lists_with_gaps),
        cmocka_unit_test(a_claim_is_waited_for),
        cmocka_unit_test(the_claim_of_a_stranger_is_too),
        cmocka_unit_test(a_queue_that_fails_is_asked_again),
        cmocka_unit_test(queues_are_checked),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
