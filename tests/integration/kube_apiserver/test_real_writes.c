/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes to a real server: what they return, and what they are refused for.
 */
#include "real_support.h"

#include <stdlib.h>
#include <string.h>

#define CONFIGMAP(name, more)                                                                      \
    "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"" name "\"" more       \
    "},\"data\":{\"a\":\"1\"}}"
#define DEPLOYMENT                                                                                 \
    "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"web\"},"         \
    "\"spec\":{\"replicas\":1,\"selector\":{\"matchLabels\":{\"app\":\"web\"}},\"template\":"      \
    "{\"metadata\":{\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"name\":\"c\","      \
    "\"image\":\"i:1\"}]}}}}"

/* One write of an object that was made of a text. */
static int write_object(real *r, const kin_object **ret, enum kin_verb verb, const char *text,
                        const kin_request_options *options, kin_error *err)
{
    const kin_object *object = real_object("%s", text);
    int code =
        verb == KIN_VERB_CREATE
            ? kin_client_create(r->client, ret, r->configmaps, r->namespace_, object, options, err)
            : kin_client_update(r->client, ret, r->configmaps, r->namespace_, object, options, err);

    kin_object_unref(object);
    return code;
}

static int patch(real *r, const kin_object **ret, const char *name, enum kin_patch_type type,
                 const char *text, const kin_request_options *options, kin_error *err)
{
    return kin_client_patch(r->client, ret, r->configmaps, r->namespace_, name, type,
                            kin_str_of(text), options, err);
}

static const kin_object *get(real *r, kin_resource *resource, const char *name)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_good(kin_client_get(r->client, &object, resource, r->namespace_, name, NULL, &err),
                &err);
    return object;
}

static void expect_gone(real *r, const char *name)
{
    kin_error err = KIN_ERROR_INIT;

    assert_fails(kin_client_get(r->client, NULL, r->configmaps, r->namespace_, name, NULL, &err),
                 KIN_ENOTFOUND, 404, "NotFound", &err);
}

static void objects_are_made(void **state)
{
    const kin_object *made = NULL;
    const kin_object *status = NULL;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_cause cause;
    real r;

    (void)state;
    real_open(&r, "made");
    assert_good(write_object(&r, &made, KIN_VERB_CREATE, CONFIGMAP("one", ""), NULL, &err), &err);
    assert_string_equal(kin_object_key(made), "made/one");
    assert_string_not_equal(real_version(made), "");
    assert_string_not_equal(real_text(made, "metadata.uid"), "");
    kin_object_unref(made);
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE, CONFIGMAP("one", ""), NULL, &err),
                 KIN_EEXISTS, 409, "AlreadyExists", &err);
    assert_good(write_object(&r, &made, KIN_VERB_CREATE,
                             "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":"
                             "{\"generateName\":\"some-\"}}",
                             NULL, &err),
                &err);
    assert_int_equal(kin_object_name(made).len, strlen("some-") + 5);
    kin_object_unref(made);

    options.ret_status = &status;
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE,
                              CONFIGMAP("Bad_Name", ",\"labels\":{\"a b\":\"c\"}"), &options, &err),
                 KIN_EREFUSED, 422, "Invalid", &err);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_true(kin_str_equal(cause.field, kin_str_of("metadata.name")));
    assert_true(kin_str_equal(cause.reason, kin_str_of("FieldValueInvalid")));
    assert_code(kin_status_cause(&cause, status, 1), 0);
    assert_true(kin_str_equal(cause.field, kin_str_of("metadata.labels")));
    kin_object_unref(status);

    r.namespace_ = "nowhere";
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE, CONFIGMAP("one", ""), NULL, &err),
                 KIN_ENOTFOUND, 404, "NotFound", &err);
    assert_string_equal(err.message, "namespaces \"nowhere\" not found");
    real_close(&r);
}

struct adding {
    real *r;
    int attempts;
};

/* What a controller does; on the first attempt somebody else is quicker. */
static int add_one(void *arg, kin_error *err)
{
    struct adding *adding = arg;
    const kin_object *object = get(adding->r, adding->r->configmaps, "one");
    const kin_object *changed = NULL;
    kin_editor *editor = NULL;
    int code = kin_editor_new(&editor, object, err);

    if (code == 0)
        code = kin_editor_set_string(editor, kin_str_of("data.b"), kin_str_of("2"), err);
    if (code == 0)
        code = kin_editor_finish(editor, &changed, err);
    if (++adding->attempts == 1)
        real_set_configmap(adding->r, "one", "quicker");
    if (code == 0)
        code = kin_client_update(adding->r->client, NULL, adding->r->configmaps,
                                 adding->r->namespace_, changed, NULL, err);
    kin_editor_free(editor);
    kin_object_unref(changed);
    kin_object_unref(object);
    return code;
}

static void objects_are_replaced(void **state)
{
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    struct adding adding = {.attempts = 0};
    real r;

    (void)state;
    real_open(&r, "replaced");
    assert_fails(write_object(&r, NULL, KIN_VERB_UPDATE, CONFIGMAP("one", ""), NULL, &err),
                 KIN_ENOTFOUND, 404, "NotFound", &err);
    real_create_configmap(&r, "one", "1");
    adding.r = &r;
    assert_fails(write_object(&r, NULL, KIN_VERB_UPDATE,
                              CONFIGMAP("one", ",\"resourceVersion\":\"1\""), NULL, &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    assert_good(kin_retry_on_conflict(add_one, &adding, NULL, &err), &err);
    assert_int_equal(adding.attempts, 2);
    made = get(&r, r.configmaps, "one");
    assert_string_equal(real_text(made, "data.a"), "quicker");
    assert_string_equal(real_text(made, "data.b"), "2");
    kin_object_unref(made);
    /* Without a version, whatever is there. */
    assert_good(write_object(&r, &made, KIN_VERB_UPDATE, CONFIGMAP("one", ""), NULL, &err), &err);
    assert_string_equal(real_text(made, "data.a"), "1");
    assert_string_equal(real_text(made, "data.b"), "");
    kin_object_unref(made);
    real_close(&r);
}

static void objects_are_patched(void **state)
{
    const kin_object *made = NULL;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *deployments;
    real r;

    (void)state;
    real_open(&r, "patched");
    real_create_configmap(&r, "one", "1");
    assert_good(patch(&r, &made, "one", KIN_PATCH_MERGE,
                      "{\"metadata\":{\"labels\":null},\"data\":{\"b\":\"2\"}}", NULL, &err),
                &err);
    assert_string_equal(real_text(made, "data.b"), "2");
    assert_string_equal(real_text(made, "metadata.labels.a"), "");
    kin_object_unref(made);
    assert_good(patch(&r, &made, "one", KIN_PATCH_JSON,
                      "[{\"op\":\"test\",\"path\":\"/data/b\",\"value\":\"2\"},"
                      "{\"op\":\"move\",\"from\":\"/data/b\",\"path\":\"/data/c\"}]",
                      NULL, &err),
                &err);
    assert_string_equal(real_text(made, "data.c"), "2");
    kin_object_unref(made);
    assert_fails(patch(&r, NULL, "one", KIN_PATCH_JSON,
                       "[{\"op\":\"test\",\"path\":\"/data/c\",\"value\":\"no\"}]", NULL, &err),
                 KIN_EREFUSED, 422, "Invalid", &err);
    assert_fails(patch(&r, NULL, "one", KIN_PATCH_MERGE,
                       "{\"metadata\":{\"resourceVersion\":\"1\"},\"data\":{\"b\":\"3\"}}", NULL,
                       &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    assert_fails(patch(&r, NULL, "one", KIN_PATCH_MERGE, "{", NULL, &err), KIN_EREFUSED, 400,
                 "BadRequest", &err);
    assert_fails(patch(&r, NULL, "none", KIN_PATCH_MERGE, "{}", NULL, &err), KIN_ENOTFOUND, 404,
                 "NotFound", &err);

    /* Containers are told apart by their names, which only this patch knows. */
    deployments = real_resource(r.client, "deployments");
    kin_object_unref(real_create(&r, deployments, DEPLOYMENT));
    options.field_manager = "side";
    assert_good(kin_client_patch(r.client, &made, deployments, "patched", "web",
                                 KIN_PATCH_STRATEGIC,
                                 kin_str_of("{\"spec\":{\"template\":{\"spec\":{\"containers\":[{"
                                            "\"name\":\"side\",\"image\":\"s:1\"}]}}}}"),
                                 &options, &err),
                &err);
    assert_int_equal(kin_value_len(kin_object_find(made, "spec.template.spec.containers")), 2);
    assert_string_equal(real_text(made, "metadata.managedFields[1].manager"), "side");
    kin_object_unref(made);
    kin_resource_unref(deployments);
    real_close(&r);
}

static void objects_are_applied(void **state)
{
    static const char yaml[] = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\n"
                               "data:\n  a: '1'\n";
    const kin_object *made = NULL;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_cause cause;
    real r;

    (void)state;
    real_open(&r, "applied");
    assert_code(patch(&r, NULL, "one", KIN_PATCH_APPLY, yaml, NULL, &err), KIN_EINVAL);
    options.field_manager = "first";
    assert_good(patch(&r, &made, "one", KIN_PATCH_APPLY, yaml, &options, &err), &err);
    assert_string_equal(real_text(made, "metadata.managedFields[0].operation"), "Apply");
    kin_object_unref(made);

    options.field_manager = "second";
    options.ret_status = &status;
    assert_fails(patch(&r, NULL, "one", KIN_PATCH_APPLY,
                       "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"2\"}}",
                       &options, &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_true(kin_str_equal(cause.reason, kin_str_of("FieldManagerConflict")));
    assert_true(kin_str_equal(cause.field, kin_str_of(".data.a")));
    kin_object_unref(status);
    options.ret_status = NULL;
    options.force = true;
    assert_good(patch(&r, &made, "one", KIN_PATCH_APPLY,
                      "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"data\":{\"a\":\"2\"}}",
                      &options, &err),
                &err);
    assert_string_equal(real_text(made, "data.a"), "2");
    kin_object_unref(made);
    real_close(&r);
}

static void status_and_scale_are_apart(void **state)
{
    const kin_object *made = NULL;
    const kin_object *object;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *deployments;
    kin_editor *editor = NULL;
    real r;

    (void)state;
    real_open(&r, "apart");
    deployments = real_resource(r.client, "deploy");
    object = real_create(&r, deployments, DEPLOYMENT);
    assert_code(kin_editor_new(&editor, object, NULL), 0);
    assert_code(kin_editor_set_int64(editor, kin_str_of("status.replicas"), 7, NULL), 0);
    assert_code(kin_editor_set_int64(editor, kin_str_of("spec.replicas"), 9, NULL), 0);
    kin_object_unref(object);
    assert_code(kin_editor_finish(editor, &object, NULL), 0);
    kin_editor_free(editor);
    options.subresource = "status";
    assert_good(kin_client_update(r.client, &made, deployments, "apart", object, &options, &err),
                &err);
    kin_object_unref(object);
    assert_string_equal(real_text(made, "status.replicas"), "7");
    assert_string_equal(real_text(made, "spec.replicas"), "1");
    kin_object_unref(made);
    assert_good(kin_client_patch(r.client, &made, deployments, "apart", "web", KIN_PATCH_MERGE,
                                 kin_str_of("{\"status\":{\"replicas\":8}}"), &options, &err),
                &err);
    assert_string_equal(real_text(made, "status.replicas"), "8");
    kin_object_unref(made);

    options.subresource = "scale";
    assert_good(kin_client_get(r.client, &object, deployments, "apart", "web", &options, &err),
                &err);
    assert_string_equal(real_text(object, "kind"), "Scale");
    assert_string_equal(real_text(object, "spec.replicas"), "1");
    assert_string_equal(real_text(object, "status.selector"), "app=web");
    assert_code(kin_editor_new(&editor, object, NULL), 0);
    assert_code(kin_editor_set_int64(editor, kin_str_of("spec.replicas"), 3, NULL), 0);
    kin_object_unref(object);
    assert_code(kin_editor_finish(editor, &object, NULL), 0);
    kin_editor_free(editor);
    assert_good(kin_client_update(r.client, &made, deployments, "apart", object, &options, &err),
                &err);
    assert_string_equal(real_text(made, "spec.replicas"), "3");
    kin_object_unref(made);
    assert_fails(kin_client_update(r.client, NULL, deployments, "apart", object, &options, &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    kin_object_unref(object);
    options.field_manager = "scaler";
    options.force = true;
    assert_good(kin_client_patch(r.client, &made, deployments, "apart", "web", KIN_PATCH_APPLY,
                                 kin_str_of("{\"apiVersion\":\"autoscaling/v1\",\"kind\":\"Scale\","
                                            "\"spec\":{\"replicas\":4}}"),
                                 &options, &err),
                &err);
    kin_object_unref(made);
    made = get(&r, deployments, "web");
    assert_string_equal(real_text(made, "spec.replicas"), "4");
    assert_int_equal(kin_object_generation(made), 3);
    kin_object_unref(made);
    kin_resource_unref(deployments);
    real_close(&r);
}

/* A subresource that is created: the object that binds a Pod to its node. */
static void pods_are_bound_and_take_their_time(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *pods;
    real r;

    (void)state;
    real_open(&r, "bound");
    pods = real_resource(r.client, "pods");
    kin_object_unref(real_create(&r, pods,
                                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":"
                                 "\"web\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":"
                                 "\"i\"}]}}"));
    options.subresource = "binding";
    object = real_object("{\"apiVersion\":\"v1\",\"kind\":\"Binding\",\"metadata\":{\"name\":"
                         "\"web\"},\"target\":{\"kind\":\"Node\",\"name\":\"node-1\"}}");
    assert_good(kin_client_create(r.client, NULL, pods, "bound", object, &options, &err), &err);
    kin_object_unref(object);
    object = get(&r, pods, "web");
    assert_string_equal(real_text(object, "spec.nodeName"), "node-1");
    kin_object_unref(object);
    /* Where it runs it has thirty seconds: the object is the answer. */
    assert_good(kin_client_delete(r.client, &object, pods, "bound", "web", NULL, &err), &err);
    assert_string_equal(real_text(object, "kind"), "Pod");
    assert_string_equal(real_text(object, "metadata.deletionGracePeriodSeconds"), "30");
    kin_object_unref(object);
    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.grace_seconds = 0;
    assert_good(kin_client_delete(r.client, NULL, pods, "bound", "web", &options, &err), &err);
    assert_fails(kin_client_get(r.client, NULL, pods, "bound", "web", NULL, &err), KIN_ENOTFOUND,
                 404, "NotFound", &err);
    kin_resource_unref(pods);
    real_close(&r);
}

static void a_dry_run_stores_nothing(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    real r;

    (void)state;
    real_open(&r, "dry");
    options.dry_run = true;
    assert_good(write_object(&r, &made, KIN_VERB_CREATE, CONFIGMAP("one", ""), &options, &err),
                &err);
    assert_string_not_equal(real_text(made, "metadata.uid"), "");
    kin_object_unref(made);
    expect_gone(&r, "one");
    real_create_configmap(&r, "two", "0");
    assert_good(write_object(&r, &made, KIN_VERB_UPDATE, CONFIGMAP("two", ""), &options, &err),
                &err);
    assert_string_equal(real_text(made, "data.a"), "1");
    kin_object_unref(made);
    assert_good(patch(&r, NULL, "two", KIN_PATCH_MERGE, "{\"data\":{\"a\":\"5\"}}", &options, &err),
                &err);
    assert_good(kin_client_delete(r.client, NULL, r.configmaps, "dry", "two", &options, &err),
                &err);
    assert_good(kin_client_delete_collection(r.client, NULL, r.configmaps, "dry", &options, &err),
                &err);
    made = get(&r, r.configmaps, "two");
    assert_string_equal(real_text(made, "data.a"), "0");
    kin_object_unref(made);
    real_close(&r);
}

struct warned {
    char text[1024];
    int n;
};

static void note_warning(kin_str text, void *arg)
{
    struct warned *warned = arg;
    size_t len = strlen(warned->text);

    snprintf(warned->text + len, sizeof(warned->text) - len, "[%" KIN_STR_FMT "]",
             KIN_STR_ARG(text));
    warned->n++;
}

static void unknown_fields_are_refused_or_warned_of(void **state)
{
    static const char text[] = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{"
                               "\"name\":\"one\",\"nom\":\"x\"},\"daten\":{}}";
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_client_options heard = KIN_CLIENT_OPTIONS_INIT;
    struct warned warned = {.n = 0};
    kin_error err = KIN_ERROR_INIT;
    kin_client *admin;
    real r;

    (void)state;
    real_open(&r, "unknown");
    admin = r.client;
    heard.warning = note_warning;
    heard.warning_arg = &warned;
    r.client = real_client("admin", &heard);
    options.field_validation = "Strict";
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE, text, &options, &err), KIN_EREFUSED, 400,
                 "BadRequest", &err);
    assert_non_null(strstr(err.message, "unknown field \"daten\""));
    options.field_validation = "Ignore";
    options.dry_run = true;
    assert_good(write_object(&r, NULL, KIN_VERB_CREATE, text, &options, &err), &err);
    assert_int_equal(warned.n, 0);
    options.field_validation = "Warn";
    assert_good(write_object(&r, NULL, KIN_VERB_CREATE, text, &options, &err), &err);
    assert_string_equal(warned.text, "[unknown field \"metadata.nom\"][unknown field \"daten\"]");
    /* Which is what happens where nothing is said. */
    options.field_validation = NULL;
    assert_good(write_object(&r, NULL, KIN_VERB_CREATE, text, &options, &err), &err);
    assert_int_equal(warned.n, 4);
    options.field_validation = "Maybe";
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE, text, &options, &err), KIN_EREFUSED, 422,
                 "Invalid", &err);
    kin_client_free(r.client);
    r.client = admin;
    real_close(&r);
}

static void objects_are_deleted(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *answer = NULL;
    kin_error err = KIN_ERROR_INIT;
    char uid[64];
    real r;

    (void)state;
    real_open(&r, "deleted");
    real_create_configmap(&r, "one", "1");
    options.precondition_uid = "another";
    assert_fails(kin_client_delete(r.client, NULL, r.configmaps, "deleted", "one", &options, &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    options.precondition_uid = NULL;
    options.precondition_version = "1";
    assert_fails(kin_client_delete(r.client, NULL, r.configmaps, "deleted", "one", &options, &err),
                 KIN_ECONFLICT, 409, "Conflict", &err);
    answer = get(&r, r.configmaps, "one");
    snprintf(uid, sizeof(uid), "%s", real_text(answer, "metadata.uid"));
    kin_object_unref(answer);
    options.precondition_version = NULL;
    options.precondition_uid = uid;
    options.propagation = "Background";
    assert_good(
        kin_client_delete(r.client, &answer, r.configmaps, "deleted", "one", &options, &err), &err);
    assert_true(kin_object_is_status(answer));
    assert_string_equal(real_text(answer, "status"), "Success");
    assert_string_equal(real_text(answer, "details.uid"), uid);
    kin_object_unref(answer);
    assert_fails(kin_client_delete(r.client, NULL, r.configmaps, "deleted", "one", NULL, &err),
                 KIN_ENOTFOUND, 404, "NotFound", &err);

    /* Somebody has to agree first. */
    kin_object_unref(
        real_create(&r, r.configmaps, CONFIGMAP("two", ",\"finalizers\":[\"kin.example/wait\"]")));
    assert_good(kin_client_delete(r.client, &answer, r.configmaps, "deleted", "two", NULL, &err),
                &err);
    assert_string_not_equal(real_text(answer, "metadata.deletionTimestamp"), "");
    kin_object_unref(answer);
    assert_good(
        patch(&r, NULL, "two", KIN_PATCH_MERGE, "{\"metadata\":{\"finalizers\":null}}", NULL, &err),
        &err);
    expect_gone(&r, "two");

    options = (kin_request_options)KIN_REQUEST_OPTIONS_INIT;
    options.metadata_only = true;
    real_create_configmap(&r, "three", "1");
    assert_good(
        kin_client_delete(r.client, &answer, r.configmaps, "deleted", "three", &options, &err),
        &err);
    assert_true(kin_object_is_status(answer));
    kin_object_unref(answer);
    real_close(&r);
}

static void collections_are_deleted(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *answer = NULL;
    kin_error err = KIN_ERROR_INIT;
    real r;

    (void)state;
    real_open(&r, "collected");
    for (int i = 0; i < 6; i++) {
        char name[16];

        snprintf(name, sizeof(name), "c%d", i);
        real_create_configmap(&r, name, i % 2 ? "1" : "2");
    }
    options.label_selector = "a=1";
    assert_good(
        kin_client_delete_collection(r.client, &answer, r.configmaps, "collected", &options, &err),
        &err);
    assert_string_equal(real_text(answer, "kind"), "ConfigMapList");
    assert_int_equal(kin_value_len(kin_object_find(answer, "items")), 3);
    kin_object_unref(answer);
    expect_gone(&r, "c1");
    kin_object_unref(get(&r, r.configmaps, "c2"));
    options.label_selector = NULL;
    options.metadata_only = true;
    assert_good(
        kin_client_delete_collection(r.client, &answer, r.configmaps, "collected", &options, &err),
        &err);
    assert_string_equal(real_text(answer, "kind"), "PartialObjectMetadataList");
    assert_int_equal(kin_value_len(kin_object_find(answer, "items")), 3);
    kin_object_unref(answer);
    expect_gone(&r, "c2");
    real_close(&r);
}

/* Everybody but the namespace's controller, who is not here, has done their part. */
static void a_namespace_that_ends_takes_nothing_in(void **state)
{
    const kin_object *answer = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *namespaces;
    real r;

    (void)state;
    real_open(&r, "ending");
    namespaces = real_resource(r.client, "ns");
    assert_good(kin_client_delete(r.client, &answer, namespaces, NULL, "ending", NULL, &err), &err);
    assert_string_equal(real_text(answer, "status.phase"), "Terminating");
    kin_object_unref(answer);
    assert_fails(write_object(&r, NULL, KIN_VERB_CREATE, CONFIGMAP("one", ""), NULL, &err),
                 KIN_EDENIED, 403, "Forbidden", &err);
    assert_fails(kin_client_delete(r.client, NULL, namespaces, NULL, "default", NULL, &err),
                 KIN_EDENIED, 403, "Forbidden", &err);
    kin_resource_unref(namespaces);
    real_close(&r);
}

static void what_is_too_large_is_refused(void **state)
{
    const size_t size = (size_t)4 << 20;
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;
    char *text;
    real r;

    (void)state;
    real_open(&r, "too-large");
    text = malloc(size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    object = real_object("{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                         "\"one\"},\"data\":{\"a\":\"%s\"}}",
                         text);
    assert_fails(kin_client_create(r.client, NULL, r.configmaps, "too-large", object, NULL, &err),
                 KIN_EREFUSED, 413, "RequestEntityTooLarge", &err);
    kin_object_unref(object);
    /* The connection may be gone with it; others are not. */
    real_create_configmap(&r, "two", "1");
    free(text);
    real_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_made),
        cmocka_unit_test(objects_are_replaced),
        cmocka_unit_test(objects_are_patched),
        cmocka_unit_test(objects_are_applied),
        cmocka_unit_test(status_and_scale_are_apart),
        cmocka_unit_test(pods_are_bound_and_take_their_time),
        cmocka_unit_test(a_dry_run_stores_nothing),
        cmocka_unit_test(unknown_fields_are_refused_or_warned_of),
        cmocka_unit_test(objects_are_deleted),
        cmocka_unit_test(collections_are_deleted),
        cmocka_unit_test(a_namespace_that_ends_takes_nothing_in),
        cmocka_unit_test(what_is_too_large_is_refused),
    };

    return run_real_tests(tests);
}
