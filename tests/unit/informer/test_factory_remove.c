/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Factories that forget an informer: whom it belongs to then, what stays of it, and what others do with it at
 * that moment.
 */
#include "kin_test.h"
#include "kinform/factory.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "alloc.h"
#include "child.h"
#include "latch.h"
#include "oom.h"
#include "rng.h"
#include "source.h"
#include "world.h"

struct fixture {
    kin_test_world *world;
    kin_factory *factory;
    atomic_uint n_made;
};

static int construct(kin_informer **ret, kin_client *client, const char *resource,
                     const kin_informer_options *options, void *arg, kin_error *err)
{
    struct fixture *f = arg;

    (void)client;
    (void)resource;
    atomic_fetch_add(&f->n_made, 1);
    return kin_informer_new_from(ret, kin_test_world_list_watch(f->world), options, err);
}

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    f->world = kin_test_world_new();
    kin_test_world_put(f->world, 1);
    kin_test_world_put(f->world, 2);
    assert_code(kin_factory_new(&f->factory, NULL, NULL, NULL), 0);
}

static void end(struct fixture *f)
{
    kin_factory_free(f->factory);
    kin_test_world_free(f->world);
}

static kin_informer *ask(struct fixture *f, const char *resource)
{
    kin_informer *informer = NULL;

    assert_code(kin_factory_informer_for(f->factory, &informer, resource, construct, f, NULL), 0);
    return informer;
}

static void start(struct fixture *f)
{
    assert_code(kin_factory_start(f->factory, NULL), 0);
    assert_code(kin_factory_wait_for_sync(f->factory, KIN_TEST_TIMEOUT_MS, NULL), 0);
}

static size_t n_results(struct fixture *f)
{
    kin_sync_results results = KIN_SYNC_RESULTS_INIT;
    size_t n;

    assert_code(kin_factory_sync_results(f->factory, &results, NULL), 0);
    n = results.len;
    kin_sync_results_done(&results);
    return n;
}

static void assert_stops(kin_informer *informer)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_wait_stopped(informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_informer_get_status(informer, &status, NULL), 0);
    assert_int_equal(status.state, KIN_INFORMER_STOPPED);
    assert_int_equal(status.objects, 2);
}

/* --- whom it belongs to --- */

static void it_is_given_to_the_caller(void **state)
{
    struct fixture f;
    kin_informer *pods;
    kin_informer *given = NULL;
    kin_informer *newer;
    kin_lister *lister = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)state;
    begin(&f);
    pods = ask(&f, "pods");
    ask(&f, "nodes");
    assert_code(kin_factory_lister(f.factory, &lister, "pods", NULL), 0);
    start(&f);
    assert_code(kin_factory_remove(f.factory, &given, "pods", NULL), 0);
    assert_ptr_equal(given, pods);
    assert_stops(given);
    assert_int_equal(n_results(&f), 1);
    /* Another one, that is started by the factory. */
    newer = ask(&f, "pods");
    assert_int_equal(atomic_load(&f.n_made), 3);
    assert_ptr_not_equal(newer, given);
    assert_int_equal(n_results(&f), 2);
    start(&f);
    assert_true(kin_informer_has_synced(newer));
    assert_stops(given);
    /* It can run again, and outlives the factory. */
    assert_code(kin_informer_start(given, NULL), 0);
    assert_code(kin_factory_shutdown(f.factory, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_factory_free(f.factory);
    f.factory = NULL;
    kin_informer_stop(given);
    assert_stops(given);
    kin_informer_free(given);
    /* And what was had of it stays. */
    assert_code(kin_lister_list(lister, &list, kin_str_of(NULL), NULL, NULL), 0);
    assert_int_equal(list.len, 2);
    kin_object_list_done(&list);
    kin_lister_free(lister);
    end(&f);
}

static void the_factory_keeps_it(void **state)
{
    struct fixture f;
    kin_informer *pods;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    begin(&f);
    pods = ask(&f, "pods");
    start(&f);
    assert_code(kin_factory_remove(f.factory, NULL, "pods", &err), 0);
    assert_stops(pods);
    assert_int_equal(n_results(&f), 0);
    assert_code(kin_factory_remove(f.factory, NULL, "pods", &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "the factory has no informer of \"pods\"");
    /* It is not started again, but the one that is asked for now. */
    assert_ptr_not_equal(ask(&f, "pods"), pods);
    start(&f);
    assert_stops(pods);
    assert_code(kin_factory_set_resync(f.factory, "pods", 1000, &err), KIN_EBUSY);
    assert_code(kin_factory_remove(f.factory, NULL, "pods", &err), 0);
    assert_code(kin_factory_set_resync(f.factory, "pods", 1000, &err), 0);
    end(&f);
}

static void one_that_never_ran(void **state)
{
    struct fixture f;
    kin_informer *given = NULL;

    (void)state;
    begin(&f);
    ask(&f, "pods");
    assert_code(kin_factory_remove(f.factory, &given, "pods", NULL), 0);
    kin_informer_free(given);
    ask(&f, "pods");
    assert_code(kin_factory_remove(f.factory, NULL, "pods", NULL), 0);
    assert_code(kin_factory_start(f.factory, NULL), 0);
    end(&f);
}

static void wrong_arguments_are_refused(void **state)
{
    struct fixture f;
    kin_informer *given = NULL;

    (void)state;
    begin(&f);
    assert_code(kin_factory_remove(NULL, &given, "pods", NULL), KIN_EINVAL);
    assert_code(kin_factory_remove(f.factory, &given, NULL, NULL), KIN_EINVAL);
    assert_code(kin_factory_remove(f.factory, &given, "pods", NULL), KIN_ENOTFOUND);
    assert_null(given);
    end(&f);
}

static int remove_in_child(void *arg)
{
    struct fixture *f = arg;

    return kin_factory_remove(f->factory, NULL, "pods", NULL) == KIN_EFORKED ? 0 : 1;
}

static void a_forked_child_is_refused(void **state)
{
    kin_test_child child;
    struct fixture f;

    (void)state;
    begin(&f);
    ask(&f, "pods");
    kin_test_run_child(&child, remove_in_child, &f);
    assert_int_equal(child.exit_code, 0);
    end(&f);
}

/* --- callbacks --- */

struct caller {
    struct fixture f;
    kin_informer *given;
    kin_test_latch done;
    int codes[2];
};

static void remove_own(const kin_event *event, void *arg)
{
    struct caller *caller = arg;

    if (!kin_str_equal(kin_object_name(event->object), kin_str_of("p1")))
        return;
    caller->codes[0] = kin_factory_remove(caller->f.factory, &caller->given, "pods", NULL);
    caller->codes[1] = kin_factory_remove(caller->f.factory, NULL, "pods", NULL);
    kin_test_latch_raise(&caller->done);
}

/* What uses it may wait for the handler; who does not want it has nothing to wait for. */
static void a_handler_removes_its_informer(void **state)
{
    static const kin_delivery deliveries[] = {KIN_DELIVER_THREAD, KIN_DELIVER_POOL};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        kin_handler_options options = KIN_HANDLER_OPTIONS_INIT;
        struct caller caller = {.given = NULL};
        kin_informer *pods;

        begin(&caller.f);
        kin_test_latch_init(&caller.done);
        pods = ask(&caller.f, "pods");
        options.delivery = deliveries[i];
        assert_code(kin_informer_add_handler(pods, NULL, remove_own, &caller, &options, NULL), 0);
        assert_code(kin_factory_start(caller.f.factory, NULL), 0);
        kin_test_latch_wait(&caller.done, 1);
        assert_code(caller.codes[0], KIN_EBUSY);
        assert_null(caller.given);
        assert_code(caller.codes[1], 0);
        assert_stops(pods);
        end(&caller.f);
        kin_test_latch_done(&caller.done);
    }
}

static int remove_itself(kin_informer **ret, kin_client *client, const char *resource,
                         const kin_informer_options *options, void *arg, kin_error *err)
{
    struct caller *caller = arg;

    caller->codes[0] = kin_factory_remove(caller->f.factory, &caller->given, resource, NULL);
    return construct(ret, client, resource, options, &caller->f, err);
}

static void a_constructor_does_not_remove_what_it_makes(void **state)
{
    struct caller caller = {.given = NULL};

    (void)state;
    begin(&caller.f);
    assert_code(
        kin_factory_informer_for(caller.f.factory, NULL, "pods", remove_itself, &caller, NULL), 0);
    assert_code(caller.codes[0], KIN_EBUSY);
    end(&caller.f);
}

/* --- others who are at it --- */

static int construct_slow(kin_informer **ret, kin_client *client, const char *resource,
                          const kin_informer_options *options, void *arg, kin_error *err)
{
    (void)client;
    (void)resource;
    return kin_informer_new_from(ret, kin_test_source_list_watch(arg), options, err);
}

static void *wait_for_all(void *arg)
{
    struct fixture *f = arg;
    intptr_t code = kin_factory_wait_for_sync(f->factory, -1, NULL);

    return (void *)code;
}

/* Somebody waits for a list that never comes, until nobody wants it any more. */
static void who_waits_for_it_waits_for_the_others(void **state)
{
    struct fixture f;
    kin_test_source *source = kin_test_source_new(false);
    kin_informer *given = NULL;
    kin_informer *freed;
    pthread_t waiter;
    void *code = NULL;

    (void)state;
    begin(&f);
    assert_code(kin_factory_informer_for(f.factory, NULL, "slow", construct_slow, source, NULL), 0);
    ask(&f, "pods");
    assert_code(kin_factory_start(f.factory, NULL), 0);
    kin_test_source_await(source, 0);
    assert_int_equal(pthread_create(&waiter, NULL, wait_for_all, &f), 0);
    assert_code(kin_factory_remove(f.factory, &given, "slow", NULL), 0);
    freed = given;
    kin_informer_free(freed);
    assert_int_equal(pthread_join(waiter, &code), 0);
    assert_int_equal((intptr_t)code, 0);
    end(&f);
    kin_test_source_free(source);
}

enum { N_THREADS = 4, N_ROUNDS = 200 };

struct storm {
    struct fixture f;
    atomic_uint n_started;
};

static void ignore(const kin_event *event, void *arg)
{
    (void)event;
    (void)arg;
}

static void remove_one(struct storm *storm, const char *resource, bool is_wanted)
{
    kin_informer *given = NULL;

    if (kin_factory_remove(storm->f.factory, is_wanted ? &given : NULL, resource, NULL) == 0)
        kin_informer_free(given);
}

static void list_one(struct storm *storm, const char *resource)
{
    kin_lister *lister = NULL;
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    /* By constructors only: none is made here. */
    if (kin_factory_lister(storm->f.factory, &lister, resource, NULL) < 0)
        return;
    assert_code(kin_lister_list(lister, &list, kin_str_of(NULL), NULL, NULL), 0);
    kin_object_list_done(&list);
    kin_lister_free(lister);
}

static void *rage(void *arg)
{
    static const char *const resources[] = {"a", "b", "c"};
    struct storm *storm = arg;
    kin_test_rng rng = {atomic_fetch_add(&storm->n_started, 1) + 1};

    for (unsigned i = 0; i < N_ROUNDS; i++) {
        const char *resource = resources[kin_test_below(&rng, 3)];

        switch (kin_test_below(&rng, 7)) {
        case 0:
            remove_one(storm, resource, true);
            break;
        case 1:
            remove_one(storm, resource, false);
            break;
        case 2:
            list_one(storm, resource);
            break;
        case 3:
            n_results(&storm->f);
            break;
        case 4:
            kin_factory_start(storm->f.factory, NULL);
            break;
        case 5:
            kin_factory_wait_for_sync(storm->f.factory, KIN_TEST_TIMEOUT_MS, NULL);
            break;
        default:
            kin_factory_informer_for(storm->f.factory, NULL, resource, construct, &storm->f, NULL);
        }
    }
    return NULL;
}

static void all_at_once(void **state)
{
    struct storm storm = {.n_started = 0};
    pthread_t threads[N_THREADS];

    (void)state;
    begin(&storm.f);
    assert_code(kin_informer_add_handler(ask(&storm.f, "a"), NULL, ignore, NULL, NULL, NULL), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, rage, &storm), 0);
    for (size_t i = 0; i < N_THREADS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    end(&storm.f);
}

/* --- memory --- */

static int make_and_remove(void *arg, kin_error *err)
{
    struct fixture f = {.world = arg};
    kin_informer *given = NULL;
    int code = kin_factory_new(&f.factory, NULL, NULL, err);

    if (code == 0)
        code = kin_factory_informer_for(f.factory, NULL, "pods", construct, &f, err);
    if (code == 0)
        code = kin_factory_remove(f.factory, &given, "pods", err);
    kin_informer_free(given);
    if (code == 0)
        code = kin_factory_informer_for(f.factory, NULL, "pods", construct, &f, err);
    if (code == 0)
        code = kin_factory_remove(f.factory, NULL, "pods", err);
    kin_factory_free(f.factory);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    kin_test_world *world = kin_test_world_new();

    (void)state;
    kin_test_fail_each_allocation(make_and_remove, world);
    kin_test_world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_given_to_the_caller),
        cmocka_unit_test(the_factory_keeps_it),
        cmocka_unit_test(one_that_never_ran),
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(a_forked_child_is_refused),
        cmocka_unit_test(a_handler_removes_its_informer),
        cmocka_unit_test(a_constructor_does_not_remove_what_it_makes),
        cmocka_unit_test(who_waits_for_it_waits_for_the_others),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
