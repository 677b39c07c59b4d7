/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer looks at: namespaces, selectors and how much of each object; and that handlers are told
 * exactly what differs when that changes while it runs.
 */
#include "informer_support.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/value.h"
#include "latch.h"
#include "rng.h"

struct fixture {
    informer_fixture base;
    kin_informer *informer;
    informer_told told;
};

static void open_with(struct fixture *f, kin_informer_options *options)
{
    kin_error err = KIN_ERROR_INIT;

    informer_told_init(&f->told);
    assert_code(kin_informer_new(&f->informer, f->base.client, "configmaps", options, &err), 0);
    assert_code(kin_informer_add_handler(f->informer, NULL, informer_tell, &f->told, NULL, &err),
                0);
}

static void close_all(struct fixture *f)
{
    kin_informer_free(f->informer);
    informer_told_done(&f->told);
    informer_close(&f->base);
}

/* a and b in each of three namespaces. */
static void fill(struct fixture *f)
{
    static const char *const namespaces[] = {"one", "two", "three"};

    informer_open(&f->base, NULL, NULL);
    for (size_t i = 0; i < 3; i++) {
        informer_make_namespace(&f->base, namespaces[i]);
        informer_put(&f->base, namespaces[i], "a", "front", NULL);
        informer_put(&f->base, namespaces[i], "b", "back", NULL);
    }
}

/* How many requests there were of a verb, by the path and the query. */
static bool count_request(const kin_request_record *record, void *arg)
{
    (void)record;
    ++*(unsigned *)arg;
    return true;
}

static unsigned n_requests(struct fixture *f, const char *verb, const char *path, const char *query)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    unsigned n = 0;

    filter.verb = verb;
    filter.path = path;
    filter.query = query;
    assert_code(kin_apiserver_requests(f->base.server, &filter, count_request, &n, NULL), 0);
    return n;
}

/* What was counted does not go with what is not looked at any more. So many lists were complete. */
static void assert_lists(struct fixture *f, kin_informer_status *last, unsigned n)
{
    kin_informer_status now = KIN_INFORMER_STATUS_INIT;
    int64_t deadline = kin_test_deadline();

    /* Handlers may be told of a list before it is counted. */
    do {
        assert_code(kin_informer_get_status(f->informer, &now, NULL), 0);
    } while (now.lists != n && kin_test_wait_turn(deadline));
    assert_int_equal(now.lists, n);
    assert_true(now.watches > last->watches);
    assert_true(now.events >= last->events);
    assert_true(now.bookmarks >= last->bookmarks);
    assert_true(now.skipped >= last->skipped);
    *last = now;
}

/* --- namespaces --- */

struct initials {
    kin_test_latch told;
    atomic_uint n_initial;
};

static void count_initials(const kin_event *event, void *arg)
{
    struct initials *initials = arg;

    atomic_fetch_add(&initials->n_initial, event->is_initial);
    if (!event->is_sync)
        kin_test_latch_raise(&initials->told);
}

/* Initial is what a handler begins with; that it is told more later is news. */
static void what_is_looked_at_later_is_not_initial(void **state)
{
    static const char *const one[] = {"one"};
    static const char *const one_two[] = {"one", "two"};
    struct fixture f = {.informer = NULL};
    struct initials first = {.n_initial = 0};
    struct initials late = {.n_initial = 0};
    kin_registration *registration = NULL;
    kin_informer_options options;

    (void)state;
    kin_test_latch_init(&first.told);
    kin_test_latch_init(&late.told);
    fill(&f);
    options = informer_options(&f.base);
    options.namespaces = one;
    options.n_namespaces = 1;
    open_with(&f, &options);
    assert_code(
        kin_informer_add_handler(f.informer, &registration, count_initials, &first, NULL, NULL), 0);
    informer_start(f.informer);
    assert_code(kin_registration_wait_synced(registration, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_int_equal(atomic_load(&first.n_initial), 2);
    assert_code(kin_informer_set_namespaces(f.informer, one_two, 2, NULL), 0);
    kin_test_latch_wait(&first.told, 4);
    assert_int_equal(atomic_load(&first.n_initial), 2);
    /* Nor by other selectors. */
    assert_code(kin_informer_set_selectors(f.informer, "tier=front", NULL, NULL), 0);
    kin_test_latch_wait(&first.told, 6);
    assert_code(kin_informer_set_selectors(f.informer, NULL, NULL, NULL), 0);
    kin_test_latch_wait(&first.told, 8);
    assert_int_equal(atomic_load(&first.n_initial), 2);
    /* A handler that comes now begins with all of it. */
    assert_code(kin_informer_add_handler(f.informer, NULL, count_initials, &late, NULL, NULL), 0);
    kin_test_latch_wait(&late.told, 4);
    assert_int_equal(atomic_load(&late.n_initial), 4);
    kin_registration_unref(registration);
    close_all(&f);
    kin_test_latch_done(&first.told);
    kin_test_latch_done(&late.told);
}

static void several_namespaces(void **state)
{
    static const char *const one_two[] = {"one", "two"};
    static const char *const two_three[] = {"two", "three"};
    static const char *const one_one[] = {"one", "one"};
    struct fixture f = {.informer = NULL};
    kin_informer_options options;
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    unsigned n_watches;

    (void)state;
    fill(&f);
    options = informer_options(&f.base);
    options.namespaces = one_two;
    options.n_namespaces = 2;
    open_with(&f, &options);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+one/a +one/b +two/a +two/b");
    informer_put(&f.base, "three", "c", "x", NULL);
    informer_put(&f.base, "two", "c", "x", NULL);
    informer_assert_told(&f.told, "+two/c");
    assert_code(kin_informer_get_status(f.informer, &status, NULL), 0);
    assert_int_equal(status.objects, 5);
    assert_string_equal(status.resource_version, "");

    /* Those that stay are not asked for again. */
    n_watches = n_requests(&f, "watch", "*/two/*", NULL);
    assert_code(kin_informer_set_namespaces(f.informer, two_three, 2, NULL), 0);
    informer_assert_told(&f.told, "+three/a +three/b +three/c -one/a? -one/b?");
    assert_lists(&f, &status, 3);
    assert_int_equal(n_requests(&f, "watch", "*/two/*", NULL), n_watches);
    informer_put(&f.base, "one", "a", "other", NULL);
    informer_put(&f.base, "three", "a", "other", NULL);
    informer_assert_told(&f.told, "~three/a");

    /* All of them, and then one. */
    assert_code(kin_informer_set_namespaces(f.informer, NULL, 0, NULL), 0);
    informer_assert_told(&f.told, "+one/a +one/b");
    assert_lists(&f, &status, 4);
    assert_code(kin_informer_set_namespaces(f.informer, one_two, 1, NULL), 0);
    informer_assert_told(&f.told, "-two/a? -two/b? -two/c? -three/a? -three/b? -three/c?");
    assert_lists(&f, &status, 5);
    assert_code(kin_informer_set_namespaces(f.informer, one_one, 2, NULL), KIN_EINVAL);
    assert_code(kin_informer_set_namespaces(f.informer, one_one, 0, NULL), KIN_EINVAL);
    informer_delete(&f.base, "one", "b");
    informer_assert_told(&f.told, "-one/b");
    close_all(&f);
}

/*
 * Another scope is listed in its most recent state: version 0, any that the server has, may be older than what handlers
 * have seen. Waits for the sync wait for it.
 */
static void another_scope_is_not_older(void **state)
{
    static const char *const one[] = {"one"};
    static const char *const one_two[] = {"one", "two"};
    static const char any[] = "*resourceVersion=0*";
    struct fixture f = {.informer = NULL};
    kin_informer_options options;

    (void)state;
    fill(&f);
    options = informer_options(&f.base);
    options.no_streaming_list = true;
    options.namespaces = one;
    options.n_namespaces = 1;
    options.label_selector = "tier=front";
    open_with(&f, &options);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+one/a");
    assert_int_equal(n_requests(&f, "list", "*/one/*", any), 1);
    for (unsigned i = 0; i < 10; i++) {
        const char *tier = i % 2 ? "front" : "back";
        char selector[32];

        snprintf(selector, sizeof(selector), "tier=%s", tier);
        assert_code(kin_informer_set_selectors(f.informer, selector, NULL, NULL), 0);
        assert_code(kin_informer_wait_synced(f.informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
        assert_true(kin_informer_has_synced(f.informer));
        assert_code(kin_store_get(kin_informer_store(f.informer), NULL,
                                  kin_str_of(i % 2 ? "one/a" : "one/b"), NULL),
                    0);
        assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 1);
    }
    assert_int_equal(n_requests(&f, "list", "*/one/*", any), 1);
    assert_code(kin_informer_set_namespaces(f.informer, one_two, 2, NULL), 0);
    assert_code(kin_informer_wait_synced(f.informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("two/a"), NULL), 0);
    assert_int_equal(n_requests(&f, "list", "*/two/*", any), 0);
    /* Those that stay are not listed again, and the part of each is its own. */
    assert_int_equal(n_requests(&f, "list", "*/one/*", NULL), 11);
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 2);
    close_all(&f);
}

/* While the new list does not come, it is not synced, and what was there stays. */
static void a_scope_that_is_not_listed_yet_is_not_synced(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct fixture f = {.informer = NULL};
    kin_error err = KIN_ERROR_INIT;
    kin_informer_options options;

    (void)state;
    fill(&f);
    options = informer_options(&f.base);
    options.label_selector = "tier=front";
    open_with(&f, &options);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+one/a +two/a +three/a");
    fault.path = "*/configmaps";
    fault.status = 403;
    fault.times = KIN_FAULT_ALWAYS;
    assert_code(kin_apiserver_inject(f.base.server, &fault, NULL, NULL), 0);
    assert_code(kin_informer_set_selectors(f.informer, "tier=back", NULL, NULL), 0);
    assert_false(kin_informer_has_synced(f.informer));
    assert_code(kin_informer_wait_synced(f.informer, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_informer_wait_synced(f.informer, KIN_TEST_TIMEOUT_MS, &err), KIN_EDENIED);
    assert_code(kin_informer_get_status(f.informer, &status, NULL), 0);
    assert_false(status.is_synced);
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 3);
    /* Back to what it has: another feed, which lists again. */
    assert_code(kin_apiserver_clear_faults(f.base.server, NULL), 0);
    assert_code(kin_informer_set_selectors(f.informer, "tier=front", NULL, NULL), 0);
    assert_false(kin_informer_has_synced(f.informer));
    /* The refusals of the scope before do not end this wait. */
    assert_code(kin_informer_wait_synced(f.informer, KIN_TEST_TIMEOUT_MS, &err), 0);
    close_all(&f);
}

/* What it looks at is changed while it does not run, too, and faster than it can follow. */
static void namespaces_change_at_any_time(void **state)
{
    static const char *const all[] = {"one", "two", "three"};
    struct fixture f = {.informer = NULL};
    kin_informer_options options;
    char version[32];

    (void)state;
    fill(&f);
    options = informer_options(&f.base);
    options.namespaces = all;
    options.n_namespaces = 1;
    open_with(&f, &options);
    assert_code(kin_informer_set_namespaces(f.informer, all + 1, 1, NULL), 0);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+two/a +two/b");
    for (unsigned i = 0; i < 50; i++)
        assert_code(kin_informer_set_namespaces(f.informer, all + i % 3, 1 + (i % 3 == 1), NULL),
                    0);
    assert_code(kin_informer_set_namespaces(f.informer, all + 1, 1, NULL), 0);
    informer_put(&f.base, "two", "z", "x", version);
    informer_await(f.informer, version);
    /* The sweep of what is not looked at follows the list. */
    informer_put(&f.base, "two", "z", "y", version);
    informer_await(f.informer, version);
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 3);
    /* One that is not wanted for a moment only. */
    for (unsigned i = 0; i < 100; i++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;

        assert_code(kin_informer_set_namespaces(f.informer, all, 1, NULL), 0);
        for (unsigned n = 0; n < i * 5; n++)
            kin_informer_get_status(f.informer, &status, NULL);
        assert_code(kin_informer_set_namespaces(f.informer, all + 1, 1, NULL), 0);
        informer_put(&f.base, "two", "z", i % 2 ? "odd" : "even", version);
        informer_await(f.informer, version);
    }
    informer_put(&f.base, "two", "z", "last", version);
    informer_await(f.informer, version);
    kin_informer_stop(f.informer);
    assert_code(kin_informer_wait_stopped(f.informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_informer_set_namespaces(f.informer, all + 2, 1, NULL), 0);
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 3);
    assert_code(kin_informer_start(f.informer, NULL), 0);
    informer_put(&f.base, "three", "z", "x", version);
    informer_await(f.informer, version);
    /* The sweep of what is not looked at follows the list. */
    informer_put(&f.base, "three", "z", "y", version);
    informer_await(f.informer, version);
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 3);
    close_all(&f);
}

/* What is not looked at any more goes, although one of those in its place does not come. */
static void one_that_may_not_be_read_keeps_nothing(void **state)
{
    static const char *const two[] = {"two"};
    static const char *const three_one[] = {"three", "one"};
    kin_fault denial = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    struct fixture f = {.informer = NULL};
    kin_informer_options options;

    (void)state;
    fill(&f);
    denial.path = "*/three/configmaps";
    denial.status = 403;
    denial.times = KIN_FAULT_ALWAYS;
    assert_code(kin_apiserver_inject(f.base.server, &denial, NULL, NULL), 0);
    options = informer_options(&f.base);
    options.namespaces = two;
    options.n_namespaces = 1;
    open_with(&f, &options);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+two/a +two/b");
    assert_code(kin_informer_set_namespaces(f.informer, three_one, 2, NULL), 0);
    informer_assert_told(&f.told, "+one/a +one/b -two/a? -two/b?");
    assert_code(kin_apiserver_clear_faults(f.base.server, NULL), 0);
    informer_assert_told(&f.told, "+three/a +three/b");
    assert_int_equal(kin_store_len(kin_informer_store(f.informer)), 4);
    close_all(&f);
}

/* What a write has returned, as far as it counts. */
static const kin_object *written(const char *namespace_, const char *version)
{
    const kin_object *object = NULL;
    char json[256];

    snprintf(json, sizeof(json),
             "{\"metadata\":{\"name\":\"z\",\"namespace\":\"%s\",\"resourceVersion\":\"%s\"}}",
             namespace_, version);
    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    return object;
}

static int wait_written(struct fixture *f, const char *namespace_, const char *version,
                        int64_t timeout_ms, kin_error *err)
{
    const kin_object *object = written(namespace_, version);
    int code = kin_informer_wait_object(f->informer, object, timeout_ms, err);

    kin_object_unref(object);
    return code;
}

/* Others get to see the version with a bookmark, in a minute, or never. */
static void writes_to_one_of_several_are_read(void **state)
{
    static const char *const namespaces[] = {"one", "two", "three"};
    kin_fault denial = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    struct fixture f = {.informer = NULL};
    kin_error err = KIN_ERROR_INIT;
    kin_informer_options options;
    char version[32];

    (void)state;
    fill(&f);
    denial.path = "*/three/configmaps";
    denial.status = 403;
    denial.times = KIN_FAULT_ALWAYS;
    options = informer_options(&f.base);
    options.namespaces = namespaces;
    options.n_namespaces = 2;
    open_with(&f, &options);
    assert_code(wait_written(&f, "one", "1", 0, &err), KIN_ETIMEOUT);
    informer_start(f.informer);
    for (unsigned i = 0; i < 20; i++) {
        informer_put(&f.base, "one", "z", i % 2 ? "odd" : "even", version);
        assert_code(wait_written(&f, "one", version, KIN_TEST_TIMEOUT_MS, &err), 0);
        assert_code(kin_informer_wait_version(f.informer, version, 0, &err), KIN_ETIMEOUT);
        assert_code(kin_store_get(kin_informer_store(f.informer), NULL, kin_str_of("one/z"), NULL),
                    0);
    }
    assert_code(wait_written(&f, "one", "999999999", 0, &err), KIN_ETIMEOUT);
    assert_code(wait_written(&f, "three", version, -1, &err), KIN_ENOTFOUND);
    assert_string_equal(err.message, "configmaps are not looked at in the namespace of three/z");
    assert_code(wait_written(&f, "one", "", 0, &err), KIN_EPARSE);
    assert_code(kin_informer_wait_object(f.informer, NULL, 0, &err), KIN_EINVAL);
    /* One that may not be read is for nobody to wait for, who has not written there. */
    assert_code(kin_apiserver_inject(f.base.server, &denial, NULL, NULL), 0);
    assert_code(kin_informer_set_namespaces(f.informer, namespaces, 3, NULL), 0);
    informer_put(&f.base, "two", "z", "x", version);
    assert_code(wait_written(&f, "two", version, KIN_TEST_TIMEOUT_MS, &err), 0);
    assert_code(wait_written(&f, "three", version, 0, &err), KIN_ETIMEOUT);
    kin_informer_stop(f.informer);
    assert_code(wait_written(&f, "two", "999999999", -1, &err), KIN_ECLOSED);
    close_all(&f);
}

/* --- selectors --- */

static void selectors_change(void **state)
{
    struct fixture f = {.informer = NULL};
    kin_informer_options options;

    (void)state;
    fill(&f);
    options = informer_options(&f.base);
    options.label_selector = "tier=front";
    open_with(&f, &options);
    informer_start(f.informer);
    informer_assert_told(&f.told, "+one/a +two/a +three/a");
    assert_true(n_requests(&f, NULL, "*/configmaps", "*labelSelector=tier%3Dfront*") > 0);
    /* One enters, one leaves. */
    informer_put(&f.base, "one", "b", "front", NULL);
    informer_assert_told(&f.told, "+one/b");
    informer_put(&f.base, "one", "a", "back", NULL);
    informer_assert_told(&f.told, "-one/a");

    assert_code(kin_informer_set_selectors(f.informer, "app=b", NULL, NULL), 0);
    /* one/b stays, and so it is not told. */
    informer_assert_told(&f.told, "-two/a? -three/a? +two/b +three/b");
    informer_put(&f.base, "two", "c", "front", NULL);
    informer_put(&f.base, "three", "b", "middle", NULL);
    informer_assert_told(&f.told, "~three/b");
    assert_code(kin_informer_set_selectors(f.informer, NULL, "metadata.name=c", NULL), 0);
    informer_assert_told(&f.told, "-one/b? -two/b? -three/b? +two/c");
    assert_code(kin_informer_set_selectors(f.informer, NULL, NULL, NULL), 0);
    informer_assert_told(&f.told, "+one/a +one/b +two/a +two/b +three/a +three/b");
    informer_put(&f.base, "one", "z", "x", NULL);
    informer_assert_told(&f.told, "+one/z");
    close_all(&f);
}

/* --- how much --- */

static void create_large(struct fixture *f, unsigned n)
{
    static char json[8192];
    static char stuffing[4001];
    kin_test_rng rng = {1};

    for (unsigned i = 0; i < n; i++) {
        const kin_object *object = NULL;

        /* All different: neither memory nor the wire is to share them. */
        for (size_t j = 0; j < sizeof(stuffing) - 1; j++)
            stuffing[j] = (char)('a' + kin_test_below(&rng, 26));

        snprintf(json, sizeof(json),
                 "{\"metadata\":{\"name\":\"m%u\",\"labels\":{\"app\":\"m\"}},"
                 "\"data\":{\"k\":\"%s\"}}",
                 i, stuffing);
        assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
        assert_code(
            kin_client_create(f->base.client, NULL, f->base.maps, "default", object, NULL, NULL),
            0);
        kin_object_unref(object);
    }
}

static bool see_bytes(const kin_request_record *record, void *arg)
{
    uint64_t *bytes = arg;

    *bytes += record->body_bytes;
    return true;
}

static bool has(const kin_object *object, const char *path)
{
    return kin_value_type(kin_object_find(object, path)) != KIN_NONE;
}

enum { N_LARGE = 1000 };

struct kept {
    size_t bytes;  /* per object */
    uint64_t sent; /* by the server, all of them */
    bool has_label;
    bool has_data;
};

static struct kept measure(kin_informer_content content)
{
    struct fixture f = {.informer = NULL};
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    struct kept kept = {.bytes = 0};
    const kin_object *object = NULL;
    kin_store *store;
    kin_informer_options options;

    informer_open(&f.base, NULL, NULL);
    create_large(&f, N_LARGE);
    options = informer_options(&f.base);
    options.content = content;
    options.no_streaming_list = true;
    open_with(&f, &options);
    informer_start(f.informer);
    kin_informer_stop(f.informer);
    assert_code(kin_informer_wait_stopped(f.informer, KIN_TEST_TIMEOUT_MS, NULL), 0);
    filter.verb = "list";
    /* So that what it has sent is counted. */
    kin_apiserver_stop(f.base.server);
    assert_code(kin_apiserver_requests(f.base.server, &filter, see_bytes, &kept.sent, NULL), 0);
    assert_code(
        kin_store_get(kin_informer_store(f.informer), &object, kin_str_of("default/m1"), NULL), 0);
    assert_true(kin_str_equal(kin_object_name(object), kin_str_of("m1")));
    assert_true(kin_object_resource_version(object).len > 0);
    kept.has_label = has(object, "metadata.labels.app");
    kept.has_data = has(object, "data.k");
    kin_object_unref(object);
    /*
     * Without all others: the server shares texts with it, being in the same process, and what was told
     * and what was asked for is given back when the threads come round to it.
     */
    store = kin_store_ref(kin_informer_store(f.informer));
    close_all(&f);
    kept.bytes = kin_test_alloc_bytes();
    kin_store_unref(store);
    kept.bytes = (kept.bytes - kin_test_alloc_bytes()) / N_LARGE;
    return kept;
}

static void less_is_kept(void **state)
{
    struct kept whole = measure(KIN_CONTENT_WHOLE);
    struct kept metadata = measure(KIN_CONTENT_METADATA);
    struct kept keys = measure(KIN_CONTENT_KEYS);

    (void)state;
    print_message("bytes per object: whole %zu, metadata %zu, keys %zu; sent: %llu, %llu, %llu\n",
                  whole.bytes, metadata.bytes, keys.bytes, (unsigned long long)whole.sent,
                  (unsigned long long)metadata.sent, (unsigned long long)keys.sent);
    assert_true(whole.has_label && whole.has_data);
    assert_true(metadata.has_label && !metadata.has_data);
    assert_true(!keys.has_label && !keys.has_data);
    /* The server does not even send the rest. */
    assert_true(metadata.sent * 4 < whole.sent);
    assert_true(keys.sent * 4 < whole.sent);
    if (!KIN_TEST_SANITIZED) {
        assert_true(metadata.bytes * 4 < whole.bytes);
        assert_true(keys.bytes < metadata.bytes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(several_namespaces),
        cmocka_unit_test(what_is_looked_at_later_is_not_initial),
        cmocka_unit_test(another_scope_is_not_older),
        cmocka_unit_test(a_scope_that_is_not_listed_yet_is_not_synced),
        cmocka_unit_test(namespaces_change_at_any_time),
        cmocka_unit_test(one_that_may_not_be_read_keeps_nothing),
        cmocka_unit_test(writes_to_one_of_several_are_read),
        cmocka_unit_test(selectors_change),
        cmocka_unit_test(less_is_kept),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
