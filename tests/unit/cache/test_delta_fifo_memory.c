/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Out of memory: each allocation of each operation of DeltaFIFO fails in turn, alone and with all
 * behind it. What fails has changed nothing, and works when it is tried again. So it is in a quiet
 * queue, while a key is in flight, and while known objects are looked at.
 */
#include "delta_fifo_support.h"

#include <pthread.h>

#include "alloc.h"
#include "cache/delta_fifo.h"
#include "latch.h"

/* --- what a queue looks like --- */

typedef struct picture {
    char text[4096];
} picture;

static void take_picture(queue *q, picture *ret)
{
    static const char *const keys[] = {"a", "b", "c", "d", "e", "f", "k1", "k2", "k3"};
    char line[256];

    ret->text[0] = '\0';
    queue_text_add(ret->text, sizeof(ret->text), queue_keys(q));
    queue_text_add(ret->text, sizeof(ret->text), "list");
    queue_text_add(ret->text, sizeof(ret->text), queue_list(q));
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        queue_text_add(ret->text, sizeof(ret->text), keys[i]);
        queue_text_add(ret->text, sizeof(ret->text), queue_get(q, keys[i]));
    }
    snprintf(line, sizeof(line), "len %zu synced %d initial %zu entries %zu",
             kin_delta_fifo_len(q->fifo), queue_has_synced(q), q->fifo->line.initial_left,
             kin__map_len(&q->fifo->line.entries));
    queue_text_add(ret->text, sizeof(ret->text), line);
}

/* --- operations --- */

typedef int operation_fn(queue *q, kin_error *err);

static int try_put(queue *q, queue_put_fn *fn, const char *text, kin_error *err)
{
    const kin_object *object = queue_object(text);
    int code = fn(q->fifo, object, err);

    kin_object_unref(object);
    return code;
}

static int add_new(queue *q, kin_error *err)
{
    return try_put(q, kin_delta_fifo_add, "f:1", err);
}

static int update_a(queue *q, kin_error *err)
{
    return try_put(q, kin_delta_fifo_update, "a:9", err);
}

static int update_b(queue *q, kin_error *err)
{
    return try_put(q, kin_delta_fifo_update, "b:9", err);
}

static int delete_a(queue *q, kin_error *err)
{
    return try_put(q, kin_delta_fifo_delete, "a:9", err);
}

static int delete_known(queue *q, kin_error *err)
{
    return try_put(q, kin_delta_fifo_delete, "k1:9", err);
}

static int add_batch(queue *q, kin_error *err)
{
    const kin_object *objects[7];
    size_t n = queue_objects("a:5 a:6 f:1 f:2 f:3 k1:4 z:1", objects, 7);
    kin_delta deltas[7];
    int code;

    for (size_t i = 0; i < n; i++)
        deltas[i] = (kin_delta){i < 5 ? KIN_DELTA_UPDATED : KIN_DELTA_DELETED, objects[i]};
    code = kin_delta_fifo_add_batch(q->fifo, deltas, n, err);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    return code;
}

static int add_again(queue *q, kin_error *err)
{
    const kin_object *objects[5];
    size_t n = queue_objects("f:5 f:6 f:7 f:8 f:9", objects, 5);
    kin_delta deltas[5];
    int code;

    for (size_t i = 0; i < n; i++)
        deltas[i] = (kin_delta){KIN_DELTA_UPDATED, objects[i]};
    code = kin_delta_fifo_add_if_not_present(q->fifo, &(kin_deltas){deltas, n, {NULL, 0}}, err);
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    return code;
}

/* In the list twice, queued, known, new; not in it: queued, known, in flight. */
static int replace(queue *q, kin_error *err)
{
    return queue_try_replace(q, "a:7 k1:7 f:7 a:8 f:8 f:9", err);
}

static int replace_all(queue *q, kin_error *err)
{
    return queue_try_replace(q, "", err);
}

/* A commit that fails is tried again with what was put aside. */
static int replace_in_stages(queue *q, kin_error *err)
{
    const kin_object *object = queue_object("f:7");
    kin_replace *begun = NULL;
    int code = kin_delta_fifo_replace_begin(q->fifo, &begun, err);

    if (code == 0)
        code = kin_replace_add(begun, object, err);
    if (code == 0)
        code = kin_replace_keep(begun, kin_str_of("k1"), err);
    if (code == 0)
        code = kin_replace_keep(begun, kin_str_of("nothing"), err);
    if (code == 0)
        code = kin_replace_commit(begun, kin_str_of("1"), err);
    if (code < 0)
        kin_replace_abort(begun);
    kin_object_unref(object);
    return code;
}

static int resync(queue *q, kin_error *err)
{
    return kin_delta_fifo_resync(q->fifo, err);
}

static int get(queue *q, kin_error *err)
{
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    int code = kin_delta_fifo_get_by_key(q->fifo, &copy, kin_str_of("a"), err);

    kin_delta_copy_done(&copy);
    return code;
}

static int list(queue *q, kin_error *err)
{
    kin_object_list objects = KIN_OBJECT_LIST_INIT;
    int code = kin_delta_fifo_list(q->fifo, &objects, err);

    kin_object_list_done(&objects);
    return code;
}

static int list_keys(queue *q, kin_error *err)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;
    int code = kin_delta_fifo_list_keys(q->fifo, &keys, err);

    kin_string_list_done(&keys);
    return code;
}

static int ignore(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                  kin_error *err)
{
    (void)deltas;
    (void)n;
    (void)is_initial_list;
    (void)arg;
    (void)err;
    return 0;
}

static int pop_batch(queue *q, kin_error *err)
{
    return kin_delta_fifo_pop_batch(q->fifo, ignore, NULL, 2, 0, err);
}

/* --- sweeps --- */

/* A quiet queue; one whose key "a" is in flight; one whose known objects are looked at. */
enum { QUIET, IN_FLIGHT, IN_SCAN };

typedef struct sweep {
    queue q;
    operation_fn *operation;
    size_t n; /* the allocation that fails */
    enum kin_test_alloc_mode mode;
    bool reached;
    bool done;
    bool scan_hook; /* the next scan is where it happens */
} sweep;

static void attempt(queue *q)
{
    sweep *s = (sweep *)q;
    kin_error err = KIN_ERROR_INIT;
    picture before;
    picture after;
    int code;

    take_picture(q, &before);
    kin_test_alloc_arm(s->n, s->mode);
    code = s->operation(q, &err);
    s->reached = kin_test_alloc_disarm();
    s->done = true;
    if (code == 0)
        return;
    assert_true(s->reached);
    assert_code(code, KIN_ENOMEM);
    assert_code(err.code, KIN_ENOMEM);
    take_picture(q, &after);
    assert_string_equal(before.text, after.text);
    assert_code(s->operation(q, NULL), 0);
}

static int sweep_has(void *arg, kin_str key, kin_error *err)
{
    sweep *s = arg;

    return kin_store_get(s->q.store, NULL, key, err);
}

static int sweep_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    sweep *s = arg;
    int code = kin_store_each(s->q.store, visit, visit_arg, err);

    if (s->scan_hook) {
        s->scan_hook = false;
        attempt(&s->q);
    }
    return code;
}

static void fill(sweep *s)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;

    known.has = sweep_has;
    known.each = sweep_each;
    known.arg = s;
    options.known = &known;
    queue_init_with(&s->q, QUEUE_REPLACED, options);
    queue_know(&s->q, "k1:1 k2:1 k3:1");
}

static void run_one(sweep *s, int context)
{
    fill(s);
    if (context == QUIET) {
        queue_replace(&s->q, "a:1 b:1 k1:2 k2:2 k3:2"); /* the first list: it counts */
        queue_update(&s->q, "a:2");
        queue_update(&s->q, "c:1");
        attempt(&s->q);
    } else if (context == IN_FLIGHT) {
        queue_add(&s->q, "a:1");
        queue_update(&s->q, "a:2");
        queue_update(&s->q, "a:3");
        queue_add(&s->q, "b:1");
        s->q.result = KIN_EREQUEUE;
        s->q.during = attempt;
        assert_string_equal(queue_pop(&s->q), "a Added=1 Updated=2 Updated=3");
        s->q.result = 0;
    } else {
        queue_add(&s->q, "a:1");
        queue_add(&s->q, "b:1");
        assert_string_equal(queue_pop_with(&s->q, KIN_EREQUEUE), "a Added=1");
        s->scan_hook = true;
        queue_resync(&s->q);
    }
    assert_true(s->done);
    /* It still works. */
    while (strcmp(queue_pop(&s->q), "KIN_ETIMEOUT") != 0)
        ;
    assert_int_equal(kin__map_len(&s->q.fifo->line.entries), 0);
    queue_done(&s->q);
}

static void sweep_operation(operation_fn *operation, int context)
{
    static const enum kin_test_alloc_mode modes[] = {KIN_TEST_FAIL_ONE, KIN_TEST_FAIL_REST};

    for (unsigned mode = 0; mode < 2; mode++) {
        size_t live = kin_test_alloc_live();
        bool reached = true;

        for (size_t n = 1; reached; n++) {
            sweep s;

            memset(&s, 0, sizeof(s));
            s.operation = operation;
            s.n = n;
            s.mode = modes[mode];
            run_one(&s, context);
            assert_int_equal(kin_test_alloc_live(), live);
            reached = s.reached;
            assert_true(n < 200);
        }
    }
}

static void each_operation_of_a_quiet_queue(void **state)
{
    static operation_fn *const operations[] = {
        add_new, update_a, update_b,    delete_a, delete_known,      add_batch, add_again, replace,
        resync,  get,      replace_all, list,     replace_in_stages, list_keys, pop_batch};

    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        sweep_operation(operations[i], QUIET);
}

static void each_operation_while_a_key_is_in_flight(void **state)
{
    static operation_fn *const operations[] = {
        add_new, update_a, update_b, delete_a,    delete_known, add_batch,         add_again,
        replace, resync,   get,      replace_all, list,         replace_in_stages, list_keys};

    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        sweep_operation(operations[i], IN_FLIGHT);
}

static void each_operation_while_known_objects_are_looked_at(void **state)
{
    static operation_fn *const operations[] = {add_new,      update_a,  update_b,  delete_a,
                                               delete_known, add_batch, add_again, get,
                                               list,         list_keys, pop_batch};

    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
        sweep_operation(operations[i], IN_SCAN);
}

/* An empty queue that has not synced stays so. */
static void nothing_is_put_in_by_what_fails(void **state)
{
    static operation_fn *const operations[] = {add_new,     update_a,         delete_known,
                                               add_batch,   add_again,        replace,
                                               replace_all, replace_in_stages};

    (void)state;
    for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
        bool reached = true;

        for (size_t n = 1; reached; n++) {
            picture before;
            picture after;
            sweep s;
            int code;

            memset(&s, 0, sizeof(s));
            fill(&s);
            take_picture(&s.q, &before);
            kin_test_alloc_arm(n, KIN_TEST_FAIL_REST);
            code = operations[i](&s.q, NULL);
            reached = kin_test_alloc_disarm();
            assert_code(code, reached ? KIN_ENOMEM : 0);
            take_picture(&s.q, &after);
            assert_int_equal(strcmp(before.text, after.text) == 0, reached);
            queue_done(&s.q);
        }
    }
}

static int make_queue(queue *q, kin_error *err)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_delta_fifo *fifo = NULL;
    int code;

    (void)q;
    options.name = "some name";
    code = kin_delta_fifo_new(&fifo, &options, err);
    assert_true((code == 0) == (fifo != NULL));
    kin_delta_fifo_free(fifo);
    return code;
}

static void making_a_queue(void **state)
{
    (void)state;
    sweep_operation(make_queue, QUIET);
}

/* --- what needs no memory --- */

static void change_often(queue *q)
{
    char text[16];

    for (unsigned i = 0; i < 20; i++) {
        snprintf(text, sizeof(text), "a:%u", 10 + i);
        queue_update(q, text);
    }
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
}

/* Taking, landing and requeueing cannot fail: there would be nobody to tell. */
static void a_pop_needs_no_memory(void **state)
{
    (void)state;
    for (unsigned requeue = 0; requeue < 2; requeue++) {
        queue q;
        int code;

        queue_init(&q, 0);
        queue_add(&q, "a:1");
        queue_update(&q, "a:2");
        queue_update(&q, "a:3");
        q.during = change_often;
        q.result = requeue ? KIN_EREQUEUE : KIN_ERANGE;
        kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
        code = kin_delta_fifo_pop(q.fifo, queue_process, &q, 0, NULL);
        assert_false(kin_test_alloc_disarm());
        assert_int_equal(kin_test_alloc_count(), 0);
        assert_code(code, requeue ? 0 : KIN_ERANGE);
        kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
        q.result = KIN_EREQUEUE;
        code = kin_delta_fifo_pop(q.fifo, queue_process, &q, 0, NULL);
        assert_false(kin_test_alloc_disarm());
        assert_int_equal(kin_test_alloc_count(), 0);
        assert_code(code, 0);
        queue_done(&q);
    }
}

/* The hot path: what was taken leaves its entry for what comes next. */
static void a_key_that_comes_and_goes_needs_no_memory(void **state)
{
    const kin_object *object = queue_object("a:1");
    queue q;

    (void)state;
    queue_init(&q, 0);
    for (unsigned i = 0; i < 100; i++) {
        if (i == 1)
            kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
        assert_code(kin_delta_fifo_add(q.fifo, object, NULL), 0);
        assert_code(kin_delta_fifo_update(q.fifo, object, NULL), 0);
        q.result = KIN_ERANGE;
        assert_string_equal(queue_pop(&q), "KIN_ERANGE");
    }
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_test_alloc_disarm();
    kin_object_unref(object);
    queue_done(&q);
}

/* --- batches --- */

/* It asks for memory when there is something to take, and for no more than that. */
static void a_batch_that_finds_nothing_needs_no_memory(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_string_equal(queue_pop_batch(&q, 0), "KIN_ETIMEOUT");
    assert_false(kin_test_alloc_disarm());
    queue_done(&q);
}

typedef struct popper {
    queue *q;
    pthread_t thread;
    bool in_batches;
    int code;
    kin_test_latch done;
} popper;

enum { WAIT_MS = 1000 };

static void *run_popper(void *arg)
{
    popper *p = arg;

    p->code = p->in_batches ? kin_delta_fifo_pop_batch(p->q->fifo, ignore, NULL, 0, WAIT_MS, NULL)
                            : kin_delta_fifo_pop(p->q->fifo, queue_process, p->q, WAIT_MS, NULL);
    kin_test_latch_raise(&p->done);
    return NULL;
}

/* Who was woken, and has no memory to go on, wakes another. */
static void a_batch_that_fails_leaves_the_key_to_others(void **state)
{
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    const kin_object *object = queue_object("a:1");
    popper poppers[2];
    queue q;

    (void)state;
    assert_code(kin_clock_new_fake(&options.clock, 0, NULL), 0);
    queue_init_with(&q, 0, options);
    queue_add(&q, "a:0");
    q.result = KIN_ERANGE;
    assert_string_equal(queue_pop(&q), "KIN_ERANGE"); /* leaves its entry for the next */
    for (unsigned i = 0; i < 2; i++) {
        poppers[i] = (popper){.q = &q, .in_batches = i == 0};
        kin_test_latch_init(&poppers[i].done);
        assert_int_equal(pthread_create(&poppers[i].thread, NULL, run_popper, &poppers[i]), 0);
        assert_code(kin_clock_await_waiters(options.clock, i + 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    }
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_code(kin_delta_fifo_add(q.fifo, object, NULL), 0);
    kin_test_latch_wait(&poppers[1].done, 1);
    kin_test_alloc_disarm();
    assert_code(poppers[1].code, KIN_ERANGE);
    /* Whether the first was woken at all is not for us to say. */
    assert_code(kin_clock_advance(options.clock, (int64_t)WAIT_MS * 1000000, NULL), 0);
    for (unsigned i = 0; i < 2; i++) {
        pthread_join(poppers[i].thread, NULL);
        kin_test_latch_done(&poppers[i].done);
    }
    assert_true(poppers[0].code == KIN_ENOMEM || poppers[0].code == KIN_ETIMEOUT);
    kin_object_unref(object);
    queue_done(&q);
    kin_clock_unref(options.clock);
}

static void fail_to_update_a(queue *q)
{
    int code;

    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    code = kin_delta_fifo_update(q->fifo, q->object, NULL);
    kin_test_alloc_disarm();
    assert_code(code, KIN_ENOMEM);
}

/* The update that failed must not have taken the room of the deltas that come back. */
static void deltas_return_to_a_key_whose_update_failed(void **state)
{
    queue q;

    (void)state;
    queue_init(&q, 0);
    queue_add(&q, "a:1");
    queue_update(&q, "a:2");
    queue_update(&q, "a:3");
    q.object = queue_object("a:4");
    q.during = fail_to_update_a;
    assert_string_equal(queue_pop_with(&q, KIN_EREQUEUE), "a Added=1 Updated=2 Updated=3");
    q.during = NULL;
    kin_object_unref(q.object);
    assert_string_equal(queue_pop(&q), "a Added=1 Updated=2 Updated=3");
    queue_done(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_of_a_quiet_queue),
        cmocka_unit_test(each_operation_while_a_key_is_in_flight),
        cmocka_unit_test(each_operation_while_known_objects_are_looked_at),
        cmocka_unit_test(nothing_is_put_in_by_what_fails),
        cmocka_unit_test(deltas_return_to_a_key_whose_update_failed),
        cmocka_unit_test(making_a_queue),
        cmocka_unit_test(a_pop_needs_no_memory),
        cmocka_unit_test(a_key_that_comes_and_goes_needs_no_memory),
        cmocka_unit_test(a_batch_that_finds_nothing_needs_no_memory),
        cmocka_unit_test(a_batch_that_fails_leaves_the_key_to_others),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
