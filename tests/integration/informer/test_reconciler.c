/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reconcilers over informers of several namespaces, with selectors: what a key waits for that has
 * written, and what it does not.
 */
#include "informer_support.h"

#include <stdio.h>
#include <stdlib.h>

#include "kinform/reconciler.h"
#include "latch.h"

enum { NEVER_MS = 3600 * 1000 };

struct fixture;
/* What the first call for one/a writes, and says that it has written. */
typedef int write_fn(struct fixture *f, kin_reconcile *call, kin_error *err);

struct fixture {
    informer_fixture base;
    kin_informer *informer;
    kin_reconciler *reconciler;
    write_fn *write;
    kin_test_latch calls; /* for one/a */
};

/* Say that the object was written in this version, of which nothing else matters. */
static int wrote(struct fixture *f, kin_reconcile *call, const char *namespace_, const char *name,
                 const char *version, kin_error *err)
{
    const kin_object *object = NULL;
    char json[256];
    int code;

    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"resourceVersion\":\"%s\"}}",
             name, namespace_, version);
    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    code = kin_reconcile_wrote(call, f->informer, object, err);
    kin_object_unref(object);
    return code;
}

/*
 * The answer to a deletion that is done at once has no version. What is written next in its namespace has
 * a later one, which nothing in the cache has under the key.
 */
static int delete_in(struct fixture *f, kin_reconcile *call, const char *namespace_, kin_error *err)
{
    char version[32];

    informer_delete(&f->base, namespace_, "a");
    informer_put(&f->base, namespace_, "z", "front", version);
    return wrote(f, call, namespace_, "a", version, err);
}

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    struct fixture *f = arg;
    int code = 0;

    if (!kin_str_equal(kin_reconcile_key(call), kin_str_of("one/a")))
        return 0;
    if (kin_test_latch_count(&f->calls) == 0)
        code = f->write(f, call, err);
    kin_test_latch_raise(&f->calls);
    return code;
}

/* An informer of the namespaces one and two; `selector` may be NULL. */
static void open_all(struct fixture *f, write_fn *write, const char *selector)
{
    static const char *const namespaces[] = {"one", "two"};
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_informer_options looks;

    *f = (struct fixture){.write = write};
    kin_test_latch_init(&f->calls);
    informer_open(&f->base, NULL, NULL);
    informer_make_namespace(&f->base, "one");
    informer_make_namespace(&f->base, "two");
    informer_make_namespace(&f->base, "three");
    informer_put(&f->base, "one", "a", "front", NULL);
    informer_put(&f->base, "three", "a", "front", NULL);
    looks = informer_options(&f->base);
    looks.namespaces = namespaces;
    looks.n_namespaces = 2;
    looks.label_selector = selector;
    assert_code(kin_informer_new(&f->informer, f->base.client, "configmaps", &looks, NULL), 0);
    options.logger = f->base.logger;
    options.write_timeout_ms = NEVER_MS;
    assert_code(kin_reconciler_new(&f->reconciler, reconcile, f, &options, NULL), 0);
    assert_code(kin_reconciler_watch(f->reconciler, f->informer, NULL, NULL, NULL, NULL), 0);
    informer_start(f->informer);
    assert_code(kin_reconciler_start(f->reconciler, NULL), 0);
}

static void close_all(struct fixture *f)
{
    kin_reconciler_free(f->reconciler);
    kin_informer_free(f->informer);
    informer_close(&f->base);
    kin_test_latch_done(&f->calls);
}

/* The key is wanted again, and has to wait. */
static void assert_waits(struct fixture *f)
{
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;
    int64_t deadline = kin_test_deadline();

    assert_code(kin_work_queue_add(kin_reconciler_queue(f->reconciler), kin_str_of("one/a"), NULL),
                0);
    while (status.n_parked == 0) {
        assert_int_equal(kin_test_latch_count(&f->calls), 1);
        assert_true(kin_test_wait_turn(deadline));
        assert_code(kin_reconciler_get_status(f->reconciler, &status, NULL), 0);
    }
}

static void await_cached(struct fixture *f, const char *key)
{
    int64_t deadline = kin_test_deadline();

    while (kin_store_get(kin_informer_store(f->informer), NULL, kin_str_of(key), NULL) < 0)
        assert_true(kin_test_wait_turn(deadline));
}

static int delete_in_one(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    return delete_in(f, call, "one", err);
}

/* Namespace two gets to see the version with a bookmark at best. */
static void a_deletion_is_seen_in_its_own_namespace(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, delete_in_one, NULL);
    kin_test_latch_wait(&f.calls, 2); /* the second for the deletion, once it was seen */
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/a"), NULL),
                KIN_ENOTFOUND);
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/z"), NULL), 0);
    close_all(&f);
}

static int delete_in_three(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    return delete_in(f, call, "three", err);
}

/* Nobody would ever see it. */
static void what_nobody_looks_at_is_not_waited_for(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, delete_in_three, NULL);
    kin_test_latch_wait(&f.calls, 1);
    informer_put(&f.base, "one", "a", "back", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

static int write_a_version(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    char version[32];

    informer_put(&f->base, "one", "z", "front", version);
    return kin_reconcile_wrote_version(call, f->informer, kin_str_of(version), err);
}

/* It may be of any namespace. */
static void a_version_is_seen_in_all_namespaces(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, write_a_version, NULL);
    kin_test_latch_wait(&f.calls, 1);
    await_cached(&f, "one/z");
    assert_waits(&f);
    informer_put(&f.base, "two", "y", "front", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

static int take_out_of_the_selection(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    char version[32];

    informer_put(&f->base, "one", "a", "back", version);
    return wrote(f, call, "one", "a", version, err);
}

/* The watch tells it as a deletion. */
static void what_is_selected_no_more_is_seen_to_go(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, take_out_of_the_selection, "tier=front");
    kin_test_latch_wait(&f.calls, 2); /* the second for the deletion */
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/a"), NULL),
                KIN_ENOTFOUND);
    close_all(&f);
}

static int write_what_is_not_selected(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    char version[32];

    informer_put(&f->base, "one", "z", "back", version);
    return wrote(f, call, "one", "z", version, err);
}

/* Nothing tells of it. What comes later in its namespace does: then it would have been seen. */
static void what_is_not_selected_is_waited_for_until_something_later_comes(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, write_what_is_not_selected, "tier=front");
    kin_test_latch_wait(&f.calls, 1);
    informer_put(&f.base, "two", "y", "front", NULL);
    await_cached(&f, "two/y");
    assert_waits(&f);
    informer_put(&f.base, "one", "y", "front", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

/* Namespace one does not get to see that version before something happens there. */
static int write_what_comes_late(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    char version[32];

    informer_put(&f->base, "three", "b", "front", version);
    return wrote(f, call, "one", "q", version, err);
}

/* What waits in a namespace that stays goes on waiting, and is seen. */
static void gates_survive_other_namespaces(void **state)
{
    static const char *const namespaces[] = {"one", "three"};
    kin_reconciler_status status = KIN_RECONCILER_STATUS_INIT;
    struct fixture f;

    (void)state;
    open_all(&f, write_what_comes_late, NULL);
    kin_test_latch_wait(&f.calls, 1);
    assert_waits(&f);
    assert_code(kin_informer_set_namespaces(f.informer, namespaces, 2, NULL), 0);
    await_cached(&f, "three/b");
    assert_code(kin_reconciler_get_status(f.reconciler, &status, NULL), 0);
    assert_int_equal(status.n_parked, 1);
    informer_put(&f.base, "one", "y", "front", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

/* The list of all namespaces has seen it. */
static void gates_open_with_the_list_of_other_namespaces(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, write_what_comes_late, NULL);
    kin_test_latch_wait(&f.calls, 1);
    assert_waits(&f);
    assert_code(kin_informer_set_namespaces(f.informer, NULL, 0, NULL), 0);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

/* It has the version of the next write, with the informer at all namespaces. */
static int write_what_comes_next(struct fixture *f, kin_reconcile *call, kin_error *err)
{
    char version[32];

    assert_code(kin_informer_set_namespaces(f->informer, NULL, 0, NULL), 0);
    await_cached(f, "three/a");
    informer_put(&f->base, "three", "b", "front", version);
    snprintf(version, sizeof(version), "%llu", strtoull(version, NULL, 10) + 1);
    return wrote(f, call, "one", "q", version, err);
}

/* From then on only namespace one counts, and not how far the others are. */
static void gates_open_by_their_own_namespace_after_a_change(void **state)
{
    static const char *const namespaces[] = {"one", "two"};
    struct fixture f;

    (void)state;
    open_all(&f, write_what_comes_next, NULL);
    kin_test_latch_wait(&f.calls, 1);
    assert_waits(&f);
    assert_code(kin_informer_set_namespaces(f.informer, namespaces, 2, NULL), 0);
    assert_code(kin_informer_wait_synced(f.informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    informer_put(&f.base, "one", "y", "front", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deletion_is_seen_in_its_own_namespace),
        cmocka_unit_test(what_nobody_looks_at_is_not_waited_for),
        cmocka_unit_test(a_version_is_seen_in_all_namespaces),
        cmocka_unit_test(what_is_selected_no_more_is_seen_to_go),
        cmocka_unit_test(what_is_not_selected_is_waited_for_until_something_later_comes),
        cmocka_unit_test(gates_survive_other_namespaces),
        cmocka_unit_test(gates_open_with_the_list_of_other_namespaces),
        cmocka_unit_test(gates_open_by_their_own_namespace_after_a_change),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
