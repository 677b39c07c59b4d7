/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects and lists of a real server.
 */
#include "real_support.h"

#include <stdlib.h>
#include <string.h>

#define REVISION                                                                                   \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"ControllerRevision\",\"metadata\":{\"name\":\"r%d\"}," \
    "\"revision\":%d,\"data\":{\"a\":1}}"

static void an_object_is_got(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *object = NULL;
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_scratch scratch;
    real r;

    (void)state;
    real_open(&r, "get");
    real_create_configmap(&r, "web", "1");
    assert_good(kin_client_get(r.client, &object, r.configmaps, "get", "web", NULL, &err), &err);
    assert_string_equal(kin_object_key(object), "get/web");
    assert_string_equal(real_text(object, "data.a"), "1");
    assert_string_equal(real_text(object, "kind"), "ConfigMap");
    kin_object_unref(object);

    options.metadata_only = true;
    assert_good(kin_client_get(r.client, &object, r.configmaps, "get", "web", &options, &err),
                &err);
    assert_string_equal(real_text(object, "kind"), "PartialObjectMetadata");
    assert_string_equal(real_text(object, "data.a"), "");
    assert_string_equal(kin_object_key(object), "get/web");
    kin_object_unref(object);

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.ret_status = &status;
    assert_fails(kin_client_get(r.client, &object, r.configmaps, "get", "none", &options, &err),
                 KIN_ENOTFOUND, 404, "NotFound", &err);
    assert_string_equal(err.message, "configmaps \"none\" not found");
    assert_true(kin_str_equal(kin_status_details_name(status, &scratch), kin_str_of("none")));
    assert_true(kin_str_equal(kin_status_details_kind(status, &scratch), kin_str_of("configmaps")));
    kin_object_unref(status);
    real_close(&r);
}

static void expect_list(real *r, const char *labels, const char *fields, const char *names)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;

    options.label_selector = labels;
    options.field_selector = fields;
    real_seen_init(&seen);
    assert_good(kin_client_list(r->client, NULL, r->configmaps, r->namespace_, real_see_item, &seen,
                                &options, &err),
                &err);
    assert_string_equal(seen.text, names);
    real_seen_done(&seen);
}

static void lists_are_selected(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    real r;

    (void)state;
    real_open(&r, "select");
    expect_list(&r, NULL, NULL, "");
    real_create_configmap(&r, "one", "1");
    real_create_configmap(&r, "three", "3");
    real_create_configmap(&r, "two", "2");
    expect_list(&r, NULL, NULL, "one three two");
    expect_list(&r, "a=1", NULL, "one");
    expect_list(&r, "a!=1", NULL, "three two");
    expect_list(&r, "a in (1, 2)", NULL, "one two");
    expect_list(&r, "a notin (1,2),a", NULL, "three");
    expect_list(&r, "!a", NULL, "");
    expect_list(&r, "a>1", NULL, "three two");
    expect_list(&r, NULL, "metadata.name=two", "two");
    expect_list(&r, "a in (1,2)", "metadata.name!=two", "one");

    real_seen_init(&seen);
    options.label_selector = "===";
    assert_fails(kin_client_list(r.client, NULL, r.configmaps, "select", real_see_item, &seen,
                                 &options, &err),
                 KIN_EREFUSED, 400, "BadRequest", &err);
    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.field_selector = "data.a=1";
    assert_fails(kin_client_list(r.client, NULL, r.configmaps, "select", real_see_item, &seen,
                                 &options, &err),
                 KIN_EREFUSED, 400, "BadRequest", &err);
    assert_int_equal(seen.n, 0);
    real_seen_done(&seen);
    real_close(&r);
}

static int see_whole(const kin_object *object, void *seen, kin_error *err)
{
    assert_string_equal(real_text(object, "apiVersion"), "v1");
    assert_string_equal(real_text(object, "kind"), "ConfigMap");
    return real_see_item(object, seen, err);
}

static int see_metadata(const kin_object *object, void *seen, kin_error *err)
{
    assert_string_equal(real_text(object, "data.a"), "");
    assert_string_equal(real_text(object, "kind"), "PartialObjectMetadata");
    return real_see_item(object, seen, err);
}

static void items_say_what_they_are(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    real r;

    (void)state;
    real_open(&r, "items");
    options.metadata_only = true;
    real_seen_init(&seen);
    assert_good(
        kin_client_list(r.client, NULL, r.configmaps, "items", see_metadata, &seen, &options, &err),
        &err);
    assert_int_equal(seen.n, 0);
    real_create_configmap(&r, "one", "1");
    assert_good(
        kin_client_list(r.client, NULL, r.configmaps, "items", see_whole, &seen, NULL, &err), &err);
    assert_good(
        kin_client_list(r.client, NULL, r.configmaps, "items", see_metadata, &seen, &options, &err),
        &err);
    assert_string_equal(seen.text, "one one");
    real_seen_done(&seen);
    real_close(&r);
}

static void long_lists_come_in_pages(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *list = NULL;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    char name[16];
    real r;

    (void)state;
    real_open(&r, "pages");
    for (int i = 0; i < 25; i++) {
        snprintf(name, sizeof(name), "c%02d", i);
        real_create_configmap(&r, name, "1");
    }
    options.limit = 10;
    real_seen_init(&seen);
    assert_good(kin_client_list(r.client, &list, r.configmaps, "pages", real_see_item, &seen,
                                &options, &err),
                &err);
    assert_int_equal(seen.n, 10);
    assert_string_not_equal(real_text(list, "metadata.continue"), "");
    assert_string_equal(real_text(list, "metadata.remainingItemCount"), "15");
    kin_object_unref(list);
    list = NULL;
    assert_good(kin_client_list_all(r.client, &list, r.configmaps, "pages", real_see_item, NULL,
                                    &seen, &options, &err),
                &err);
    assert_int_equal(seen.n, 35);
    assert_string_equal(real_text(list, "metadata.continue"), "");
    kin_object_unref(list);

    options.continue_token = "garbage";
    assert_fails(kin_client_list(r.client, NULL, r.configmaps, "pages", real_see_item, &seen,
                                 &options, &err),
                 KIN_EREFUSED, 400, "BadRequest", &err);
    real_seen_done(&seen);
    real_close(&r);
}

/* A list during which the server forgets. */
struct forgetful {
    real *r;
    kin_resource *revisions;
    size_t n;
    size_t n_restarts;
    const char *version;
};

static int forget_once(const kin_object *object, void *arg, kin_error *err)
{
    struct forgetful *f = arg;

    (void)object;
    (void)err;
    if (++f->n == 1 && f->n_restarts == 0) {
        kin_object_unref(real_create(f->r, f->revisions, REVISION, 8, 8));
        kin_object_unref(real_create(f->r, f->revisions, REVISION, 9, 9));
        real_order("compact");
    }
    return 0;
}

static int count_restart(void *arg, kin_error *err)
{
    struct forgetful *f = arg;

    (void)err;
    f->n = 0;
    f->n_restarts++;
    return 0;
}

static void a_list_that_has_expired_begins_again(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct forgetful f = {.n = 0};
    const kin_object *list = NULL;
    const kin_object *status = NULL;
    real_seen seen;
    real r;

    (void)state;
    real_open(&r, "expired");
    f.r = &r;
    f.revisions = real_resource(r.client, "controllerrevisions");
    for (int i = 0; i < 5; i++)
        kin_object_unref(real_create(&r, f.revisions, REVISION, i, i));
    options.limit = 2;
    assert_good(kin_client_list_all(r.client, &list, f.revisions, "expired", forget_once,
                                    count_restart, &f, &options, &err),
                &err);
    assert_int_equal(f.n_restarts, 1);
    assert_int_equal(f.n, 7);
    kin_object_unref(list);

    f = (struct forgetful){.r = &r, .revisions = f.revisions};
    for (int i = 8; i <= 9; i++) {
        char name[16];

        snprintf(name, sizeof(name), "r%d", i);
        assert_good(kin_client_delete(r.client, NULL, f.revisions, "expired", name, NULL, &err),
                    &err);
    }
    options.ret_status = &status;
    assert_fails(kin_client_list_all(r.client, &list, f.revisions, "expired", forget_once, NULL, &f,
                                     &options, &err),
                 KIN_EEXPIRED, 410, "Expired", &err);
    assert_int_equal(kin_status_code(status), 410);
    kin_object_unref(status);

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.resource_version = "2";
    options.resource_version_match = "Exact";
    real_seen_init(&seen);
    assert_fails(kin_client_list(r.client, NULL, f.revisions, "expired", real_see_item, &seen,
                                 &options, &err),
                 KIN_EEXPIRED, 410, "Expired", &err);
    real_seen_done(&seen);
    kin_resource_unref(f.revisions);
    real_close(&r);
}

static void lists_are_of_the_version_that_is_asked_for(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_client_options once = KIN_CLIENT_OPTIONS_INIT;
    const kin_object *list = NULL;
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client;
    kin_cause cause;
    real_seen seen;
    char version[64];
    real r;

    (void)state;
    real_open(&r, "versions");
    real_create_configmap(&r, "one", "1");
    real_seen_init(&seen);
    assert_good(kin_client_list(r.client, &list, r.configmaps, "versions", real_see_item, &seen,
                                NULL, &err),
                &err);
    snprintf(version, sizeof(version), "%s", real_version(list));
    kin_object_unref(list);
    real_create_configmap(&r, "two", "2");

    options.resource_version = version;
    options.resource_version_match = "Exact";
    assert_good(kin_client_list(r.client, &list, r.configmaps, "versions", real_see_item, &seen,
                                &options, &err),
                &err);
    assert_string_equal(real_version(list), version);
    assert_string_equal(seen.text, "one one");
    kin_object_unref(list);
    options.resource_version_match = "NotOlderThan";
    assert_good(kin_client_list(r.client, NULL, r.configmaps, "versions", real_see_item, &seen,
                                &options, &err),
                &err);
    assert_string_equal(seen.text, "one one one two");

    /* Versions of the future are waited for, some seconds; the server asks to come back then. */
    once.max_retries = -1;
    client = real_client("admin", &once);
    options.resource_version = "999999999";
    options.ret_status = &status;
    assert_fails(kin_client_list(client, NULL, r.configmaps, "versions", real_see_item, &seen,
                                 &options, &err),
                 KIN_ESERVER, 504, "Timeout", &err);
    assert_int_equal(err.retry_after_ms, 1000);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_true(kin_str_equal(cause.reason, kin_str_of("ResourceVersionTooLarge")));
    kin_object_unref(status);
    kin_client_free(client);
    real_seen_done(&seen);
    real_close(&r);
}

/* More than the server sends uncompressed, and over connections of their own. */
static void large_lists_come_whole(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;
    char *filling;
    real r;

    (void)state;
    real_open(&r, "large");
    filling = calloc(1, 100001);
    assert_non_null(filling);
    for (int i = 0; i < 100000; i++)
        filling[i] = (char)('a' + i % 7 * (i % 3));
    for (int i = 0; i < 20; i++)
        kin_object_unref(real_create(&r, r.configmaps,
                                     "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                                     "{\"name\":\"c%d\"},\"data\":{\"a\":\"%s\"}}",
                                     i, filling));
    real_seen_init(&seen);
    assert_good(
        kin_client_list(r.client, NULL, r.configmaps, "large", real_see_item, &seen, NULL, &err),
        &err);
    assert_int_equal(seen.n, 20);
    real_seen_done(&seen);
    free(filling);
    real_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_object_is_got),
        cmocka_unit_test(lists_are_selected),
        cmocka_unit_test(items_say_what_they_are),
        cmocka_unit_test(long_lists_come_in_pages),
        cmocka_unit_test(a_list_that_has_expired_begins_again),
        cmocka_unit_test(lists_are_of_the_version_that_is_asked_for),
        cmocka_unit_test(large_lists_come_whole),
    };

    return run_real_tests(tests);
}
