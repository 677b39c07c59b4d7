/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches of a real server: what they tell, how they end, and how they go on.
 */
#include "real_support.h"

#include <stdlib.h>
#include <string.h>

/* The version behind which the namespace's changes are. */
static void take_version(real *r, char *ret, size_t size)
{
    const kin_object *list = NULL;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;

    real_seen_init(&seen);
    assert_good(kin_client_list(r->client, &list, r->configmaps, r->namespace_, real_see_item,
                                &seen, NULL, &err),
                &err);
    snprintf(ret, size, "%s", real_version(list));
    kin_object_unref(list);
    real_seen_done(&seen);
}

static void end_watch(kin_call *call)
{
    kin_call_cancel(call);
    assert_code(kin_call_wait(call, KIN_TEST_TIMEOUT_MS, NULL), 0);
    kin_call_unref(call);
}

static void changes_are_told(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    real_seen all;
    real_seen some;
    kin_call *calls[2];
    char version[64];
    real r;

    (void)state;
    real_open(&r, "changes");
    real_create_configmap(&r, "old", "1");
    take_version(&r, version, sizeof(version));
    real_seen_init(&all);
    real_seen_init(&some);
    options.resource_version = version;
    calls[0] = real_watch(&r, &all, &options);
    options.label_selector = "a=2";
    calls[1] = real_watch(&r, &some, &options);
    real_create_configmap(&r, "new", "1");
    real_set_configmap(&r, "new", "2");
    real_set_configmap(&r, "new", "3");
    real_delete_configmap(&r, "new");
    kin_test_latch_wait(&all.told, 4);
    assert_string_equal(all.text, "ADDED:new MODIFIED:new MODIFIED:new DELETED:new");
    /* What enters a selection is added to it, and what leaves it is deleted. */
    kin_test_latch_wait(&some.told, 2);
    assert_string_equal(some.text, "ADDED:new DELETED:new");
    end_watch(calls[0]);
    end_watch(calls[1]);
    real_seen_done(&all);
    real_seen_done(&some);
    real_close(&r);
}

static void what_is_there_is_told_first_where_no_version_is_said(void **state)
{
    static const char *const versions[] = {NULL, "0"};
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    real r;

    (void)state;
    real_open(&r, "first");
    real_create_configmap(&r, "one", "1");
    real_create_configmap(&r, "two", "2");
    for (size_t i = 0; i < 2; i++) {
        kin_error err = KIN_ERROR_INIT;
        real_seen seen;

        real_seen_init(&seen);
        seen.stop_at = 2;
        options.resource_version = versions[i];
        options.metadata_only = i == 1;
        assert_code(kin_client_watch(r.client, r.configmaps, "first", real_see_event, &seen,
                                     &options, &err),
                    KIN_ERANGE);
        assert_string_equal(seen.text, "ADDED:one ADDED:two");
        real_seen_done(&seen);
    }
    real_close(&r);
}

/* A server that ends a watch sends a bookmark before, if something has happened. */
static void a_watch_ends_in_time_and_with_a_bookmark(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    kin_call *call;
    char version[64];
    real r;

    (void)state;
    real_open(&r, "bookmarks");
    take_version(&r, version, sizeof(version));
    real_seen_init(&seen);
    options.resource_version = version;
    options.label_selector = "a=1";
    options.bookmarks = true;
    options.watch_timeout_ms = 5000;
    call = real_watch(&r, &seen, &options);
    real_create_configmap(&r, "seen", "1");
    kin_test_latch_wait(&seen.told, 1);
    real_create_configmap(&r, "unseen", "2");
    assert_code(kin_call_wait(call, KIN_TEST_TIMEOUT_MS, &err), 0);
    assert_memory_equal(seen.text, "ADDED:seen BOOKMARK:", 20);
    kin_call_unref(call);

    /* Without them it is merely over. */
    options.bookmarks = false;
    options.label_selector = "nobody=has";
    options.watch_timeout_ms = 1000;
    seen.n = 0;
    assert_good(kin_client_watch(r.client, r.configmaps, "bookmarks", real_see_event, &seen,
                                 &options, &err),
                &err);
    assert_int_equal(seen.n, 0);
    real_seen_done(&seen);
    real_close(&r);
}

static void a_list_is_streamed(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    real_seen seen;
    kin_call *call;
    char name[16];
    real r;

    (void)state;
    real_open(&r, "streamed");
    for (int i = 0; i < 20; i++) {
        snprintf(name, sizeof(name), "c%02d", i);
        real_create_configmap(&r, name, "1");
    }
    real_seen_init(&seen);
    options.send_initial_events = true;
    call = real_watch(&r, &seen, &options);
    kin_test_latch_wait(&seen.told, 21);
    assert_non_null(strstr(seen.text, "ADDED:c00 ADDED:c01 "));
    assert_string_equal(strstr(seen.text, " END:"), " END:");
    real_create_configmap(&r, "later", "1");
    kin_test_latch_wait(&seen.told, 22);
    assert_string_equal(strstr(seen.text, " END:"), " END: ADDED:later");
    end_watch(call);
    real_seen_done(&seen);

    /* Of nothing there is the end alone. */
    real_seen_init(&seen);
    options.label_selector = "nobody=has";
    options.metadata_only = true;
    call = real_watch(&r, &seen, &options);
    kin_test_latch_wait(&seen.told, 1);
    assert_string_equal(seen.text, "END:");
    end_watch(call);
    real_seen_done(&seen);
    real_close(&r);
}

#define REVISION                                                                                   \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\",\"metadata\":{\"name\":\"r%d\"}," \
    "\"revision\":%d,\"data\":{\"a\":1}}"

static void versions_that_are_forgotten_are_an_error(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_list_watch *source = NULL;
    kin_retry_watch *watch = NULL;
    kin_resource *revisions;
    real_seen seen;
    real r;

    (void)state;
    real_open(&r, "forgotten");
    revisions = real_resource(r.client, "controllerrevisions");
    for (int i = 0; i < 3; i++)
        kin_object_unref(real_create(&r, revisions, REVISION, i, i));
    real_order("compact");
    real_seen_init(&seen);
    options.resource_version = "2";
    options.ret_status = &status;
    assert_fails(
        kin_client_watch(r.client, revisions, "forgotten", real_see_event, &seen, &options, &err),
        KIN_EEXPIRED, 410, "Expired", &err);
    assert_int_equal(kin_status_code(status), 410);
    kin_object_unref(status);
    assert_good(kin_client_list_watch(r.client, &source, revisions, NULL, &err), &err);
    assert_good(kin_retry_watch_new(&watch, source, "2", NULL, &err), &err);
    assert_fails(kin_retry_watch_run(watch, real_see_event, &seen, &err), KIN_EEXPIRED, 410,
                 "Expired", &err);
    assert_int_equal(seen.n, 0);
    kin_retry_watch_free(watch);
    kin_list_watch_unref(source);
    kin_resource_unref(revisions);
    real_seen_done(&seen);
    real_close(&r);
}

static void a_watch_that_makes_no_sense_is_refused(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    real r;

    (void)state;
    real_open(&r, "senseless");
    real_seen_init(&seen);
    options.field_selector = "spec.nothing=1";
    assert_fails(kin_client_watch(r.client, r.configmaps, "senseless", real_see_event, &seen,
                                  &options, &err),
                 KIN_EREFUSED, 400, "BadRequest", &err);
    options.field_selector = NULL;
    options.label_selector = "===";
    assert_fails(kin_client_watch(r.client, r.configmaps, "senseless", real_see_event, &seen,
                                  &options, &err),
                 KIN_EREFUSED, 400, "BadRequest", &err);
    real_seen_done(&seen);
    real_close(&r);
}

enum { MANY = 250 };

/* More than fit on one connection. */
static void many_watches_run_side_by_side(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_call *calls[MANY];
    real_seen *seen;
    char version[64];
    real r;

    (void)state;
    real_open(&r, "many");
    seen = calloc(MANY, sizeof(*seen));
    assert_non_null(seen);
    take_version(&r, version, sizeof(version));
    options.resource_version = version;
    for (int i = 0; i < MANY; i++) {
        real_seen_init(&seen[i]);
        calls[i] = real_watch(&r, &seen[i], &options);
    }
    for (int i = 0; i < 5; i++) {
        char name[16];

        snprintf(name, sizeof(name), "c%d", i);
        real_create_configmap(&r, name, "1");
    }
    for (int i = 0; i < MANY; i++) {
        kin_test_latch_wait(&seen[i].told, 5);
        assert_string_equal(seen[i].text, "ADDED:c0 ADDED:c1 ADDED:c2 ADDED:c3 ADDED:c4");
    }
    for (int i = 0; i < MANY; i++) {
        end_watch(calls[i]);
        real_seen_done(&seen[i]);
    }
    free(seen);
    real_close(&r);
}

struct going_on {
    kin_retry_watch *watch;
    real_seen seen;
    int code;
};

static void *go_on(void *arg)
{
    struct going_on *g = arg;

    g->code = kin_retry_watch_run(g->watch, real_see_event, &g->seen, NULL);
    return NULL;
}

/*
 * A server that is restarted takes all connections with it. Of what it caches it has forgotten the
 * versions then, and a watch ends; of what it does not, it goes on.
 */
static void a_retry_watch_outlives_its_server(void **state)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_list_watch *source = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *revisions;
    struct going_on g;
    pthread_t thread;
    char version[64];
    real r;

    (void)state;
    real_open(&r, "outlives");
    take_version(&r, version, sizeof(version));
    revisions = real_resource(r.client, "controllerrevisions");
    options.namespace_ = "outlives";
    assert_good(kin_client_list_watch(r.client, &source, revisions, &options, &err), &err);
    assert_good(kin_retry_watch_new(&g.watch, source, version, NULL, &err), &err);
    real_seen_init(&g.seen);
    assert_int_equal(pthread_create(&thread, NULL, go_on, &g), 0);
    kin_object_unref(real_create(&r, revisions, REVISION, 1, 1));
    kin_test_latch_wait(&g.seen.told, 1);
    real_order("restart");
    kin_object_unref(real_create(&r, revisions, REVISION, 2, 2));
    kin_test_latch_wait(&g.seen.told, 2);
    kin_retry_watch_stop(g.watch);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_code(g.code, KIN_ECANCELED);
    assert_string_equal(g.seen.text, "ADDED:r1 ADDED:r2");
    real_seen_done(&g.seen);
    kin_retry_watch_free(g.watch);
    kin_list_watch_unref(source);
    kin_resource_unref(revisions);
    real_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_are_told),
        cmocka_unit_test(what_is_there_is_told_first_where_no_version_is_said),
        cmocka_unit_test(a_watch_ends_in_time_and_with_a_bookmark),
        cmocka_unit_test(a_list_is_streamed),
        cmocka_unit_test(versions_that_are_forgotten_are_an_error),
        cmocka_unit_test(a_watch_that_makes_no_sense_is_refused),
        cmocka_unit_test(many_watches_run_side_by_side),
        cmocka_unit_test(a_retry_watch_outlives_its_server),
    };

    return run_real_tests(tests);
}
