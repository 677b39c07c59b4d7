/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reconcilers over informers of several namespaces: a key waits for what was written in its own one.
 */
#include "informer_support.h"

#include <stdio.h>

#include "kinform/reconciler.h"
#include "latch.h"

enum { NEVER_MS = 3600 * 1000 };

struct fixture {
    informer_fixture base;
    kin_informer *informer;
    kin_reconciler *reconciler;
    const char *unread; /* the namespace that it writes to is this one, which nobody looks at */
    kin_test_latch calls;
};

/*
 * The answer to a deletion that is done at once has no version. What is written next in its namespace has
 * a later one, which nothing in the cache has under the key.
 */
static int delete_it(struct fixture *f, kin_reconcile *call, const char *namespace_, kin_error *err)
{
    const kin_object *deleted = NULL;
    char version[32];
    char json[256];
    int code;

    informer_delete(&f->base, namespace_, "a");
    informer_put(&f->base, namespace_, "z", "front", version);
    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"a\",\"namespace\":\"%s\",\"resourceVersion\":\"%s\"}}",
             namespace_, version);
    assert_code(kin_object_from_json(&deleted, kin_str_of(json), NULL, NULL), 0);
    code = kin_reconcile_wrote(call, f->informer, deleted, err);
    kin_object_unref(deleted);
    return code;
}

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    struct fixture *f = arg;
    kin_namespaced_name name = kin_reconcile_name(call);
    int code = 0;

    if (!kin_str_equal(name.name, kin_str_of("a")))
        return 0;
    if (kin_test_latch_count(&f->calls) == 0)
        code = delete_it(f, call, f->unread ? f->unread : "one", err);
    kin_test_latch_raise(&f->calls);
    return code;
}

static void open_all(struct fixture *f, const char *unread)
{
    static const char *const namespaces[] = {"one", "two"};
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_informer_options looks;

    *f = (struct fixture){.unread = unread};
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

/* Namespace two gets to see the version with a bookmark at best. */
static void a_deletion_is_seen_in_its_own_namespace(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, NULL);
    kin_test_latch_wait(&f.calls, 2); /* the second for the deletion, once it was seen */
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/a"), NULL),
                KIN_ENOTFOUND);
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/z"), NULL), 0);
    close_all(&f);
}

/* Nobody would ever see it. */
static void what_nobody_looks_at_is_not_waited_for(void **state)
{
    struct fixture f;

    (void)state;
    open_all(&f, "three");
    kin_test_latch_wait(&f.calls, 1);
    informer_put(&f.base, "one", "a", "back", NULL);
    kin_test_latch_wait(&f.calls, 2);
    close_all(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deletion_is_seen_in_its_own_namespace),
        cmocka_unit_test(what_nobody_looks_at_is_not_waited_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
