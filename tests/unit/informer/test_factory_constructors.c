/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Constructors of factories: who gets which informer, whose constructor makes it, and what constructors may
 * ask for meanwhile.
 */
#include "factory_support.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "latch.h"

enum { N_THREADS = 8 };

/* --- who gets what --- */

static int must_not_run(kin_informer **ret, kin_client *client, const char *resource,
                        const kin_informer_options *options, void *arg, kin_error *err)
{
    (void)ret;
    (void)client;
    (void)resource;
    (void)options;
    (void)arg;
    return kin_error_set(err, KIN_EPROTOCOL, "it was called");
}

static void who_asks_for_the_same_gets_the_same(void **context)
{
    kin_test_factory f;
    kin_informer *pods;
    kin_informer *other = NULL;

    (void)context;
    kin_test_factory_init(&f);
    pods = kin_test_ask(&f, "pods");
    assert_ptr_equal(kin_test_ask(&f, "pods"), pods);
    assert_ptr_not_equal(kin_test_ask(&f, "nodes"), pods);
    assert_int_equal(f.n_made, 2);
    /* The first constructor wins. */
    assert_code(kin_factory_informer_for(f.factory, &other, "pods", must_not_run, NULL, NULL), 0);
    assert_ptr_equal(other, pods);
    assert_code(kin_factory_informer(f.factory, &other, "nodes", NULL), 0);
    assert_ptr_not_equal(other, pods);
    assert_code(kin_factory_informer_for(f.factory, NULL, "pods", must_not_run, NULL, NULL), 0);
    kin_test_factory_done(&f);
}

static int fail_first(kin_informer **ret, kin_client *client, const char *resource,
                      const kin_informer_options *options, void *arg, kin_error *err)
{
    (void)ret;
    (void)client;
    (void)options;
    (void)arg;
    return kin_error_set(err, KIN_EDENIED, "no %s today", resource);
}

static int make_nothing(kin_informer **ret, kin_client *client, const char *resource,
                        const kin_informer_options *options, void *arg, kin_error *err)
{
    (void)ret;
    (void)client;
    (void)resource;
    (void)options;
    (void)arg;
    (void)err;
    return 0;
}

static void a_constructor_may_fail(void **context)
{
    kin_test_factory f;
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)context;
    kin_test_factory_init(&f);
    assert_code(kin_factory_informer_for(f.factory, &informer, "pods", fail_first, &f, &err),
                KIN_EDENIED);
    assert_string_equal(err.message, "no pods today");
    assert_code(kin_factory_informer_for(f.factory, &informer, "pods", make_nothing, &f, &err),
                KIN_EINVAL);
    assert_code(kin_factory_informer(f.factory, &informer, "pods", &err), KIN_EINVAL);
    assert_string_equal(err.message,
                        "a factory without a client has informers by constructors only");
    assert_null(informer);
    /* The next one may try. */
    assert_non_null(kin_test_ask(&f, "pods"));
    kin_test_factory_done(&f);
}

/* --- constructors that ask --- */

static int ask_for_itself(kin_informer **ret, kin_client *client, const char *resource,
                          const kin_informer_options *options, void *arg, kin_error *err)
{
    kin_test_factory *f = arg;

    (void)client;
    (void)options;
    return kin_factory_informer_for(f->factory, ret, resource, must_not_run, NULL, err);
}

static int ask_for_nodes_first(kin_informer **ret, kin_client *client, const char *resource,
                               const kin_informer_options *options, void *arg, kin_error *err)
{
    kin_test_factory *f = arg;

    kin_test_ask(f, "nodes");
    return kin_test_construct(ret, client, resource, options, arg, err);
}

static void a_constructor_may_ask_for_others(void **context)
{
    kin_test_factory f;
    kin_informer *informer = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)context;
    kin_test_factory_init(&f);
    assert_code(
        kin_factory_informer_for(f.factory, &informer, "pods", ask_for_nodes_first, &f, NULL), 0);
    assert_int_equal(f.n_made, 2);
    assert_code(kin_factory_informer_for(f.factory, &informer, "secrets", ask_for_itself, &f, &err),
                KIN_EBUSY);
    assert_string_equal(err.message, "the informer \"secrets\" is made by who asks for it");
    kin_test_factory_done(&f);
}

/* Two constructors, each of which asks for what the other one makes. */
struct knot {
    kin_test_factory f;
    kin_test_latch inside;
    atomic_int n_busy;
};

struct knot_end {
    struct knot *knot;
    const char *own;
    const char *other;
};

static int ask_for_other(kin_informer **ret, kin_client *client, const char *resource,
                         const kin_informer_options *options, void *arg, kin_error *err)
{
    struct knot_end *side = arg;
    int code;

    kin_test_latch_raise(&side->knot->inside);
    kin_test_latch_wait(&side->knot->inside, 2);
    code = kin_factory_informer_for(side->knot->f.factory, NULL, side->other, kin_test_construct,
                                    &side->knot->f, NULL);
    if (code == KIN_EBUSY)
        atomic_fetch_add(&side->knot->n_busy, 1);
    return kin_test_construct(ret, client, resource, options, &side->knot->f, err);
}

static void *run_knot_end(void *arg)
{
    struct knot_end *side = arg;

    assert_code(
        kin_factory_informer_for(side->knot->f.factory, NULL, side->own, ask_for_other, side, NULL),
        0);
    return NULL;
}

static void constructors_do_not_wait_for_each_other(void **context)
{
    struct knot knot;
    struct knot_end ends[2] = {{&knot, "pods", "nodes"}, {&knot, "nodes", "pods"}};
    pthread_t threads[2];

    (void)context;
    kin_test_factory_init(&knot.f);
    atomic_init(&knot.n_busy, 0);
    kin_test_latch_init(&knot.inside);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_knot_end, &ends[i]), 0);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    /* The second one is told; the first one waits for it, and gets its informer. */
    assert_int_equal(knot.n_busy, 1);
    assert_int_equal(knot.f.n_made, 2);
    kin_test_latch_done(&knot.inside);
    kin_test_factory_done(&knot.f);
}

/* --- many who ask at once --- */

struct crowd {
    kin_test_factory f;
    pthread_barrier_t barrier;
    atomic_uint n_failed; /* constructors that fail before one does not */
    kin_informer *got[N_THREADS];
};

struct asker {
    struct crowd *crowd;
    size_t index;
};

static int construct_third(kin_informer **ret, kin_client *client, const char *resource,
                           const kin_informer_options *options, void *arg, kin_error *err)
{
    struct crowd *crowd = arg;

    sched_yield();
    if (strcmp(resource, "flaky") == 0 && atomic_fetch_add(&crowd->n_failed, 1) < 2)
        return kin_error_set(err, KIN_ESYSTEM, "not yet");
    return kin_test_construct(ret, client, resource, options, &crowd->f, err);
}

static void *ask_at_once(void *arg)
{
    struct asker *asker = arg;
    struct crowd *crowd = asker->crowd;

    pthread_barrier_wait(&crowd->barrier);
    if (asker->index % 2)
        kin_factory_start(crowd->f.factory, NULL);
    assert_code(kin_factory_informer_for(crowd->f.factory, &crowd->got[asker->index], "pods",
                                         construct_third, crowd, NULL),
                0);
    kin_factory_informer_for(crowd->f.factory, NULL, "flaky", construct_third, crowd, NULL);
    return NULL;
}

static void many_may_ask_at_once(void **context)
{
    (void)context;
    for (unsigned round = 0; round < 50; round++) {
        struct crowd crowd;
        struct asker askers[N_THREADS];
        pthread_t threads[N_THREADS];

        kin_test_factory_init(&crowd.f);
        atomic_init(&crowd.n_failed, 0);
        assert_int_equal(pthread_barrier_init(&crowd.barrier, NULL, N_THREADS), 0);
        for (size_t i = 0; i < N_THREADS; i++) {
            askers[i] = (struct asker){&crowd, i};
            assert_int_equal(pthread_create(&threads[i], NULL, ask_at_once, &askers[i]), 0);
        }
        for (size_t i = 0; i < N_THREADS; i++)
            assert_int_equal(pthread_join(threads[i], NULL), 0);
        for (size_t i = 0; i < N_THREADS; i++)
            assert_ptr_equal(crowd.got[i], crowd.got[0]);
        /* One constructor for each; the two that failed were the askers' own. */
        assert_int_equal(crowd.f.n_made, 2);
        assert_int_equal(crowd.n_failed, 3);
        pthread_barrier_destroy(&crowd.barrier);
        kin_test_factory_done(&crowd.f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_asks_for_the_same_gets_the_same),
        cmocka_unit_test(a_constructor_may_fail),
        cmocka_unit_test(a_constructor_may_ask_for_others),
        cmocka_unit_test(constructors_do_not_wait_for_each_other),
        cmocka_unit_test(many_may_ask_at_once),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
