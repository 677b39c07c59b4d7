/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sources of objects: one of the test's own, and a client's.
 */
#include "client_support.h"

#include <string.h>

#include "alloc.h"
#include "kinform/list_watch.h"
#include "kinform/path.h"
#include "kinform/projection.h"

/* --- a class of one's own --- */

struct own {
    kin_list_watch base;
    unsigned n_lists;
    unsigned n_watches;
    unsigned n_destroyed;
    unsigned n_cancelled;
    unsigned n_released;
    kin_operation operation;
};

static struct own *own_of_operation(kin_operation *operation)
{
    return (struct own *)(void *)((char *)operation - offsetof(struct own, operation));
}

static void own_cancel(kin_operation *operation)
{
    own_of_operation(operation)->n_cancelled++;
}

static void own_release(kin_operation *operation)
{
    own_of_operation(operation)->n_released++;
}

static int own_list(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                    const kin_call_handlers *handlers, kin_error *err)
{
    struct own *own = (struct own *)base;

    (void)options;
    (void)handlers;
    if (own->n_lists++ > 0)
        return kin_error_set(err, KIN_ESERVER, "not today");
    own->operation = (kin_operation){own_cancel, own_release};
    *ret = &own->operation;
    return 0;
}

static int own_watch(kin_list_watch *base, kin_operation **ret, const kin_request_options *options,
                     const kin_call_handlers *handlers, kin_error *err)
{
    (void)options;
    (void)handlers;
    (void)err;
    ((struct own *)base)->n_watches++;
    *ret = &((struct own *)base)->operation;
    return 0;
}

static void own_destroy(kin_list_watch *base)
{
    ((struct own *)base)->n_destroyed++;
}

static const kin_list_watch_class own_class = {sizeof(kin_list_watch_class), own_list, own_watch,
                                               own_destroy, false};

static void a_class_of_ones_own_is_called(void **state)
{
    struct own own = {.n_lists = 0};
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_operation *operation = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_list_watch_init(&own.base, &own_class, NULL), 0);
    assert_ptr_equal(kin_list_watch_ref(&own.base), &own.base);
    assert_code(kin_list_watch_list(&own.base, &operation, NULL, &handlers, NULL), 0);
    kin_operation_cancel(operation);
    kin_operation_release(operation);
    assert_code(kin_list_watch_watch(&own.base, &operation, NULL, &handlers, NULL), 0);
    kin_operation_release(operation);
    assert_code(kin_list_watch_list(&own.base, &operation, NULL, &handlers, &err), KIN_ESERVER);
    assert_string_equal(err.message, "not today");
    assert_int_equal(own.n_lists, 2);
    assert_int_equal(own.n_watches, 1);
    assert_int_equal(own.n_cancelled, 1);
    assert_int_equal(own.n_released, 2);
    kin_list_watch_unref(&own.base);
    assert_int_equal(own.n_destroyed, 0);
    kin_list_watch_unref(&own.base);
    assert_int_equal(own.n_destroyed, 1);
}

static void arguments_are_checked(void **state)
{
    struct own own = {.n_lists = 0};
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_list_watch_class lacking = own_class;
    kin_operation *operation = NULL;
    kin_list_watch *source = NULL;
    client_fixture f;

    (void)state;
    assert_code(kin_list_watch_init(NULL, &own_class, NULL), KIN_EINVAL);
    assert_code(kin_list_watch_init(&own.base, NULL, NULL), KIN_EINVAL);
    lacking.list = NULL;
    assert_code(kin_list_watch_init(&own.base, &lacking, NULL), KIN_EINVAL);
    lacking = own_class;
    lacking.size = 8;
    assert_code(kin_list_watch_init(&own.base, &lacking, NULL), KIN_EINVAL);
    assert_code(kin_list_watch_init(&own.base, &own_class, NULL), 0);
    assert_code(kin_list_watch_list(NULL, &operation, NULL, &handlers, NULL), KIN_EINVAL);
    assert_code(kin_list_watch_list(&own.base, NULL, NULL, &handlers, NULL), KIN_EINVAL);
    assert_code(kin_list_watch_watch(&own.base, &operation, NULL, NULL, NULL), KIN_EINVAL);
    assert_int_equal(own.n_lists + own.n_watches, 0);
    assert_null(kin_list_watch_ref(NULL));
    kin_list_watch_unref(NULL);
    kin_operation_cancel(NULL);
    kin_operation_release(NULL);
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(NULL, &source, f.pods, NULL, NULL), KIN_EINVAL);
    assert_code(kin_client_list_watch(f.client, NULL, f.pods, NULL, NULL), KIN_EINVAL);
    assert_code(kin_client_list_watch(f.client, &source, NULL, NULL, NULL), KIN_EINVAL);
    assert_null(source);
    client_close(&f);
}

/* --- a client's --- */

static kin_list_watch *source_of(client_fixture *f, const kin_list_watch_options *options)
{
    kin_list_watch *source = NULL;

    assert_code(kin_client_list_watch(f->client, &source, f->pods, options, NULL), 0);
    return source;
}

static int begin(kin_list_watch *source, bool watch, client_told *told,
                 const kin_request_options *options, kin_operation **ret)
{
    kin_call_handlers handlers = client_told_handlers(told);

    return watch ? kin_list_watch_watch(source, ret, options, &handlers, NULL)
                 : kin_list_watch_list(source, ret, options, &handlers, NULL);
}

static void a_client_is_a_source(void **state)
{
    char namespace_[] = "ns";
    char labels[] = "app=web";
    char fields[] = "spec.nodeName=n1";
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_request_options request = KIN_REQUEST_OPTIONS_INIT;
    kin_operation *operation = NULL;
    kin_list_watch *source;
    const char *target;
    client_told told;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    options.namespace_ = namespace_;
    options.label_selector = labels;
    options.field_selector = fields;
    options.metadata_only = true;
    source = source_of(&f, &options);
    /* All was copied. */
    memset(namespace_, 'x', 2);
    memset(labels, 'x', 3);
    memset(fields, 'x', 3);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.times = 1, .body = PODS});
    client_route(&f, NULL, NULL, 200, EVENT("ADDED", "a", "1"));

    client_told_init(&told);
    request.limit = 5;
    request.resource_version = "7";
    assert_code(begin(source, false, &told, &request, &operation), 0);
    client_assert_ended(&told, 0);
    assert_string_equal(told.seen.text, "ns/a ns/b");
    kin_operation_release(operation);
    client_told_done(&told);
    target = kin_test_http_request_at(f.server, 0)->target;
    assert_memory_equal(target, "/api/v1/namespaces/ns/pods?", 27);
    assert_non_null(strstr(target, "labelSelector=app%3Dweb"));
    assert_non_null(strstr(target, "fieldSelector=spec.nodeName%3Dn1"));
    assert_non_null(strstr(target, "limit=5"));
    assert_non_null(strstr(target, "resourceVersion=7"));
    assert_non_null(strstr(kin_test_http_field_of(kin_test_http_request_at(f.server, 0), "Accept"),
                           "PartialObjectMetadataList"));

    client_told_init(&told);
    assert_code(begin(source, true, &told, NULL, &operation), 0);
    kin_operation_release(operation);
    client_assert_ended(&told, 0);
    assert_string_equal(told.seen.text, "ADDED:a");
    client_told_done(&told);
    assert_non_null(strstr(kin_test_http_request_at(f.server, 1)->target, "watch="));
    kin_list_watch_unref(source);
    client_close(&f);
}

struct projected {
    kin_test_latch ended;
    bool is_right;
};

static int check_projection(const kin_object *object, void *arg, kin_error *err)
{
    struct projected *projected = arg;

    (void)err;
    projected->is_right = kin_value_type(kin_object_find(object, "spec")) == KIN_NONE;
    return 0;
}

static void note_end(const kin_result *result, void *arg)
{
    struct projected *projected = arg;

    (void)result;
    kin_test_latch_raise(&projected->ended);
}

static void a_source_keeps_its_projection(void **state)
{
    kin_list_watch_options options = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    struct projected projected = {.is_right = false};
    kin_operation *operation = NULL;
    char kind[] = "Pod";
    kin_list_watch *source;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    kin_test_latch_init(&projected.ended);
    assert_code(kin_projection_drop(&decode.projection, kin_str_of("spec"), NULL), 0);
    decode.kind = kind;
    options.decode = &decode;
    source = source_of(&f, &options);
    /* All of it was copied. */
    kin_projection_unref(decode.projection);
    memset(&decode, 0xff, sizeof(decode));
    memset(kind, 'x', 3);
    client_route(&f, NULL, NULL, 200,
                 LIST("", "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"x\":1}}"));
    handlers.item = check_projection;
    handlers.done = note_end;
    handlers.arg = &projected;
    assert_code(kin_list_watch_list(source, &operation, NULL, &handlers, NULL), 0);
    kin_test_latch_wait(&projected.ended, 1);
    kin_operation_release(operation);
    kin_list_watch_unref(source);
    client_close(&f);
    assert_true(projected.is_right);
    kin_test_latch_done(&projected.ended);
}

static void an_operation_is_cancelled(void **state)
{
    kin_operation *operation = NULL;
    kin_list_watch *source;
    client_told told;
    client_fixture f;

    (void)state;
    for (int released_first = 0; released_first < 2; released_first++) {
        client_open(&f, NULL, NULL);
        kin_test_http_add_route(f.server,
                                &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
        source = source_of(&f, NULL);
        client_told_init(&told);
        assert_code(begin(source, true, &told, NULL, &operation), 0);
        kin_test_http_await_stalled(f.server, 1);
        if (released_first) {
            /* It goes on without, until the client ends. */
            kin_operation_release(operation);
            assert_int_equal(told.n_done, 0);
            kin_client_free(f.client);
            f.client = NULL;
        } else {
            kin_operation_cancel(operation);
        }
        client_assert_ended(&told, KIN_ECANCELED);
        if (!released_first)
            kin_operation_release(operation);
        client_told_done(&told);
        kin_list_watch_unref(source);
        client_close(&f);
    }
}

static void a_source_outlives_its_client(void **state)
{
    kin_operation *operation = NULL;
    kin_list_watch *source;
    client_told told;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    source = source_of(&f, NULL);
    client_close(&f);
    client_told_init(&told);
    assert_code(begin(source, false, &told, NULL, &operation), KIN_ECLOSED);
    assert_code(begin(source, true, &told, NULL, &operation), KIN_ECLOSED);
    assert_null(operation);
    assert_int_equal(told.n_done + told.n_freed, 0);
    client_told_done(&told);
    kin_list_watch_unref(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(a_class_of_ones_own_is_called), client_test(arguments_are_checked),
        client_test(a_client_is_a_source),          client_test(a_source_keeps_its_projection),
        client_test(an_operation_is_cancelled),     client_test(a_source_outlives_its_client),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
