/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake source as its consumers see it: lists, watches, faults, ends.
 */
#include "kin_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/fake_source.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "kinform/status.h"
#include "latch.h"
#include "oom.h"
#include "threads.h"

/* --- a consumer that notes what it receives --- */

struct reader {
    kin_fake_source *source;
    kin_operation *operation;
    pthread_mutex_t lock;
    char text[4096]; /* (lock) "begun +a2 ~a3 -a4 |5 end 0" */
    size_t len;      /* (lock) */
    kin_test_latch calls;
    kin_test_latch ended;
    kin_test_latch freed;
    kin_error why;                        /* of the end */
    char token[128];                      /* of the list */
    char version[24];                     /* of the list */
    char kind[32];                        /* of the last bookmark */
    unsigned n;                           /* for `during` */
    int (*during)(struct reader *reader); /* run in each call but the last; may be NULL */
    void (*at_end)(struct reader *reader);
};

static void note(struct reader *r, const char *format, ...) KIN_PRINTF(2, 3);
static void note(struct reader *r, const char *format, ...)
{
    va_list ap;

    pthread_mutex_lock(&r->lock);
    if (r->len)
        r->text[r->len++] = ' ';
    va_start(ap, format);
    r->len += (size_t)vsnprintf(r->text + r->len, sizeof(r->text) - r->len, format, ap);
    va_end(ap);
    assert_true(r->len < sizeof(r->text));
    pthread_mutex_unlock(&r->lock);
}

static int after_note(struct reader *r)
{
    int code = r->during ? r->during(r) : 0;

    kin_test_latch_raise(&r->calls);
    return code;
}

static int on_begun(void *arg, kin_error *err)
{
    (void)err;
    note(arg, "begun");
    return after_note(arg);
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    kin_str name = kin_object_name(object);
    kin_str version = kin_object_resource_version(object);

    (void)err;
    note(arg, "%" KIN_STR_FMT "%" KIN_STR_FMT, KIN_STR_ARG(name), KIN_STR_ARG(version));
    return after_note(arg);
}

static void copy_str(char *to, size_t size, kin_str from)
{
    snprintf(to, size, "%" KIN_STR_FMT, KIN_STR_ARG(from));
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    static const char signs[] = "?+~-|!";
    struct reader *r = arg;
    kin_str name = kin_object_name(object);
    kin_str version = kin_object_resource_version(object);
    bool ends_list =
        type == KIN_WATCH_BOOKMARK &&
        kin_object_annotation(&(kin_str){NULL, 0}, object, kin_str_of("k8s.io/initial-events-end"),
                              &(kin_scratch){{0}}) == 0;

    (void)err;
    note(r, "%c%" KIN_STR_FMT "%" KIN_STR_FMT "%s", signs[type], KIN_STR_ARG(name),
         KIN_STR_ARG(version), ends_list ? "*" : "");
    if (type == KIN_WATCH_BOOKMARK)
        kin_object_get_string(object, "kind", r->kind, sizeof(r->kind));
    return after_note(r);
}

static void on_done(const kin_result *result, void *arg)
{
    struct reader *r = arg;
    kin_scratch scratch;

    note(r, "end %s%s", result->code ? kin_error_name(result->code) + 4 : "0",
         result->stood ? " stood" : "");
    r->why = *result->err;
    if (result->object) {
        copy_str(r->version, sizeof(r->version), kin_object_resource_version(result->object));
        copy_str(r->token, sizeof(r->token), kin_object_continue_token(result->object, &scratch));
    }
    if (result->status)
        assert_true(kin_object_is_status(result->status));
    if (r->at_end)
        r->at_end(r);
    kin_test_latch_raise(&r->ended);
}

static void on_free(void *arg)
{
    struct reader *r = arg;

    kin_test_latch_raise(&r->freed);
}

static kin_call_handlers handlers_of(struct reader *r)
{
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;

    handlers.begun = on_begun;
    handlers.item = on_item;
    handlers.event = on_event;
    handlers.done = on_done;
    handlers.arg = r;
    handlers.arg_free = on_free;
    return handlers;
}

static void reader_init(struct reader *r, kin_fake_source *source)
{
    memset(r, 0, sizeof(*r));
    r->source = source;
    pthread_mutex_init(&r->lock, NULL);
    kin_test_latch_init(&r->calls);
    kin_test_latch_init(&r->ended);
    kin_test_latch_init(&r->freed);
}

/* It must have ended. */
static void reader_done(struct reader *r)
{
    kin_test_latch_wait(&r->freed, 1);
    kin_operation_release(r->operation);
    kin_test_latch_done(&r->calls);
    kin_test_latch_done(&r->ended);
    kin_test_latch_done(&r->freed);
    pthread_mutex_destroy(&r->lock);
}

static void start_list(struct reader *r, const kin_request_options *options)
{
    kin_call_handlers handlers = handlers_of(r);

    assert_code(kin_list_watch_list(kin_fake_source_list_watch(r->source), &r->operation, options,
                                    &handlers, NULL),
                0);
}

static void start_watch(struct reader *r, const kin_request_options *options)
{
    kin_call_handlers handlers = handlers_of(r);

    assert_code(kin_list_watch_watch(kin_fake_source_list_watch(r->source), &r->operation, options,
                                     &handlers, NULL),
                0);
}

static void assert_noted(struct reader *r, const char *expected)
{
    pthread_mutex_lock(&r->lock);
    assert_string_equal(r->text, expected);
    pthread_mutex_unlock(&r->lock);
}

/* After `n` calls, not counting `done`. */
static void assert_received(struct reader *r, unsigned n, const char *expected)
{
    kin_test_latch_wait(&r->calls, n);
    assert_noted(r, expected);
}

/* It ends by itself. */
static void assert_ended(struct reader *r, const char *expected)
{
    kin_test_latch_wait(&r->ended, 1);
    assert_noted(r, expected);
    reader_done(r);
}

static void cancel(struct reader *r)
{
    kin_operation_cancel(r->operation);
    kin_test_latch_wait(&r->ended, 1);
    reader_done(r);
}

/* A list with these options receives this, and ends. */
static void assert_list(kin_fake_source *source, const kin_request_options *options,
                        const char *expected, const char *version)
{
    struct reader r;

    reader_init(&r, source);
    start_list(&r, options);
    kin_test_latch_wait(&r.ended, 1);
    assert_string_equal(r.version, version);
    assert_ended(&r, expected);
}

/* A watch from a version receives this many, and nothing more until it is cancelled. */
static void assert_watch(kin_fake_source *source, const char *version, unsigned n,
                         const char *expected)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct reader r;

    reader_init(&r, source);
    options.resource_version = version;
    start_watch(&r, &options);
    assert_received(&r, n, expected);
    cancel(&r);
}

/* --- objects --- */

static const kin_object *pod(const char *name)
{
    const kin_object *object = NULL;
    char json[256];

    snprintf(json, sizeof(json),
             "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"%s\","
             "\"namespace\":\"default\"}}",
             name);
    return kin_object_from_json(&object, kin_str_of(json), NULL, NULL) < 0 ? NULL : object;
}

static int try_put(kin_fake_source *source, const char *name, bool is_new, kin_error *err)
{
    const kin_object *object = pod(name);
    int code = KIN_ENOMEM;

    if (!object)
        kin_error_set(err, code, "out of memory");
    else
        code = is_new ? kin_fake_source_add(source, NULL, object, err)
                      : kin_fake_source_update(source, NULL, object, err);
    kin_object_unref(object);
    return code;
}

static void add(kin_fake_source *source, const char *name)
{
    assert_code(try_put(source, name, true, NULL), 0);
}

static void update(kin_fake_source *source, const char *name)
{
    assert_code(try_put(source, name, false, NULL), 0);
}

static void delete (kin_fake_source *source, const char *key)
{
    assert_code(kin_fake_source_delete(source, NULL, key, NULL), 0);
}

static kin_fake_source *make_source(void)
{
    kin_fake_source *source = NULL;

    assert_code(kin_fake_source_new(&source, NULL, NULL), 0);
    return source;
}

/* --- what is inserted --- */

static void changes_get_versions(void **state)
{
    kin_fake_source *source = make_source();
    const kin_object *object = pod("a");
    const kin_object *stored = NULL;

    (void)state;
    assert_int_equal(kin_fake_source_version(source), 1);
    assert_code(kin_fake_source_add(source, &stored, object, NULL), 0);
    assert_true(kin_str_equal(kin_object_resource_version(stored), kin_str_of("2")));
    assert_string_equal(kin_object_key(stored), "default/a");
    kin_object_unref(stored);
    assert_code(kin_fake_source_update(source, &stored, object, NULL), 0);
    assert_true(kin_str_equal(kin_object_resource_version(stored), kin_str_of("3")));
    kin_object_unref(stored);
    assert_int_equal(kin_fake_source_len(source), 1);
    assert_code(kin_fake_source_delete(source, &stored, "default/a", NULL), 0);
    assert_true(kin_str_equal(kin_object_resource_version(stored), kin_str_of("4")));
    kin_object_unref(stored);
    assert_int_equal(kin_fake_source_len(source), 0);
    assert_int_equal(kin_fake_source_version(source), 4);
    kin_object_unref(object);
    kin_fake_source_free(source);
}

static void wrong_objects_change_nothing(void **state)
{
    kin_fake_source *source = make_source();
    const kin_object *nameless = NULL;
    const kin_object *key = NULL;
    const kin_object *stored = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_object_from_json(&nameless, kin_str_of("{\"kind\":\"Pod\"}"), NULL, NULL), 0);
    assert_code(kin_explicit_key_new(&key, kin_str_of("default/a"), NULL), 0);
    assert_code(kin_fake_source_add(source, &stored, nameless, &err), KIN_EINVAL);
    assert_code(kin_fake_source_add(source, &stored, key, &err), KIN_ETYPE);
    assert_code(kin_fake_source_add(source, &stored, NULL, &err), KIN_EINVAL);
    assert_code(kin_fake_source_delete(source, &stored, "default/a", &err), KIN_ENOTFOUND);
    assert_code(kin_fake_source_delete(source, &stored, NULL, &err), KIN_EINVAL);
    assert_null(stored);
    assert_int_equal(kin_fake_source_version(source), 1);
    kin_object_unref(nameless);
    kin_object_unref(key);
    kin_fake_source_free(source);
}

/* --- lists --- */

static void a_list_has_all_in_the_order_of_keys(void **state)
{
    kin_fake_source *source = make_source();

    (void)state;
    assert_list(source, NULL, "end 0", "1");
    add(source, "c");
    add(source, "a");
    add(source, "b");
    update(source, "a");
    assert_list(source, NULL, "a5 b4 c2 end 0", "5");
    delete (source, "default/b");
    assert_list(source, NULL, "a5 c2 end 0", "6");
    kin_fake_source_free(source);
}

static void a_list_may_ask_for_an_older_version(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();

    (void)state;
    add(source, "b");
    add(source, "a");
    update(source, "b");
    assert_code(kin_fake_source_bookmark(source, NULL), 0);
    delete (source, "default/a");
    options.resource_version_match = "Exact";
    options.resource_version = "1";
    assert_list(source, &options, "end 0", "1");
    options.resource_version = "3";
    assert_list(source, &options, "a3 b2 end 0", "3");
    options.resource_version = "4";
    assert_list(source, &options, "a3 b4 end 0", "4");
    options.resource_version_match = "NotOlderThan";
    assert_list(source, &options, "b4 end 0", "5");
    options.resource_version = "0";
    options.resource_version_match = NULL;
    assert_list(source, &options, "b4 end 0", "5");
    options.resource_version = "6";
    assert_list(source, &options, "end ESERVER", "");
    options.resource_version = "latest";
    assert_list(source, &options, "end EREFUSED", "");
    kin_fake_source_free(source);
}

/* Each page is of the version of the first one. */
static void pages_are_of_one_version(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    for (char name[2] = "a"; name[0] <= 'e'; name[0]++)
        add(source, name);
    reader_init(&r, source);
    options.limit = 2;
    start_list(&r, &options);
    kin_test_latch_wait(&r.ended, 1);
    char token[128];
    assert_true(strlen(r.token) < sizeof(token));
    memcpy(token, r.token, strlen(r.token) + 1);
    assert_string_equal(token, "6/default/b");
    assert_ended(&r, "a2 b3 end 0");
    /* Also the object that the token names. */
    delete (source, "default/b");
    delete (source, "default/d");
    update(source, "c");
    options.continue_token = token;
    reader_init(&r, source);
    start_list(&r, &options);
    kin_test_latch_wait(&r.ended, 1);
    assert_string_equal(r.token, "6/default/d");
    assert_ended(&r, "c4 d5 end 0");
    options.continue_token = "6/default/d";
    assert_list(source, &options, "e6 end 0", "6");
    kin_fake_source_expire(source);
    assert_list(source, &options, "end EEXPIRED", "");
    options.continue_token = NULL;
    assert_list(source, &options, "a2 c9 end 0", "9");
    kin_fake_source_free(source);
}

/* --- watches --- */

/* client-go's TestRCNumber, whose versions begin at 1. */
static void a_watch_begins_behind_its_version(void **state)
{
    kin_fake_source *source = make_source();

    (void)state;
    add(source, "foo");
    update(source, "foo");
    update(source, "foo");
    assert_watch(source, "2", 3, "begun ~foo3 ~foo4");
    assert_list(source, NULL, "foo4 end 0", "4");
    assert_watch(source, "3", 2, "begun ~foo4");
    assert_watch(source, "4", 1, "begun");
    kin_fake_source_free(source);
}

static void a_watch_receives_changes_in_order(void **state)
{
    kin_fake_source *source = make_source();
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct reader r;

    (void)state;
    reader_init(&r, source);
    options.resource_version = "1";
    start_watch(&r, &options);
    add(source, "a");
    update(source, "a");
    add(source, "b");
    delete (source, "default/a");
    assert_received(&r, 5, "begun +a2 ~a3 +b4 -a5");
    add(source, "c");
    assert_received(&r, 6, "begun +a2 ~a3 +b4 -a5 +c6");
    cancel(&r);
    kin_fake_source_free(source);
}

static void a_watch_from_any_version_begins_with_what_is_there(void **state)
{
    kin_fake_source *source = make_source();

    (void)state;
    add(source, "b");
    add(source, "a");
    update(source, "b");
    assert_watch(source, NULL, 3, "begun +a3 +b4");
    assert_watch(source, "0", 3, "begun +a3 +b4");
    kin_fake_source_free(source);
}

static void a_streaming_list_ends_with_its_bookmark(void **state)
{
    kin_fake_source_options source_options = KIN_FAKE_SOURCE_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = NULL;
    struct reader r;

    (void)state;
    source_options.streaming_lists = true;
    source_options.first_version = 100;
    assert_code(kin_fake_source_new(&source, &source_options, NULL), 0);
    assert_true(kin_fake_source_list_watch(source)->source_class->streaming_lists);
    add(source, "b");
    add(source, "a");
    reader_init(&r, source);
    options.send_initial_events = true;
    options.resource_version_match = "NotOlderThan";
    start_watch(&r, &options);
    add(source, "c");
    assert_received(&r, 5, "begun +a102 +b101 |102* +c103");
    cancel(&r);
    kin_fake_source_free(source);
}

static void bookmarks_come_to_watches_that_ask_for_them(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader asks;
    struct reader does_not;

    (void)state;
    add(source, "a");
    reader_init(&asks, source);
    reader_init(&does_not, source);
    options.resource_version = "2";
    start_watch(&does_not, &options);
    options.bookmarks = true;
    start_watch(&asks, &options);
    assert_code(kin_fake_source_bookmark(source, NULL), 0);
    add(source, "b");
    assert_received(&asks, 3, "begun |2 +b3");
    assert_received(&does_not, 2, "begun +b3");
    cancel(&asks);
    cancel(&does_not);
    /* A later watch does not receive it. */
    assert_watch(source, "2", 2, "begun +b3");
    kin_fake_source_free(source);
}

/* Reflectors that expect a kind check it. */
static void assert_bookmark_kind(kin_fake_source *source, const char *kind)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct reader r;

    reader_init(&r, source);
    options.send_initial_events = true;
    start_watch(&r, &options);
    kin_test_latch_wait(&r.calls, 2 + (unsigned)kin_fake_source_len(source));
    assert_string_equal(r.kind, kind);
    cancel(&r);
}

static void bookmarks_are_of_the_kind_of_the_objects(void **state)
{
    kin_fake_source_options options = KIN_FAKE_SOURCE_OPTIONS_INIT;
    kin_fake_source *source = make_source();

    (void)state;
    assert_bookmark_kind(source, "");
    add(source, "a");
    assert_bookmark_kind(source, "Pod");
    kin_fake_source_free(source);
    options.api_version = "apps/v1";
    options.kind = "Deployment";
    assert_code(kin_fake_source_new(&source, &options, NULL), 0);
    assert_bookmark_kind(source, "Deployment");
    kin_fake_source_free(source);
}

/* --- faults --- */

/* client-go's AddDropWatch and its siblings, but that no later watch receives them either. */
static void lost_events_are_only_in_lists(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    add(source, "b");
    reader_init(&r, source);
    options.resource_version = "3";
    start_watch(&r, &options);
    kin_fake_source_lose_events(source, 3);
    add(source, "c");
    update(source, "a");
    delete (source, "default/b");
    add(source, "d");
    assert_received(&r, 2, "begun +d7");
    cancel(&r);
    assert_watch(source, "3", 2, "begun +d7");
    assert_list(source, NULL, "a5 c4 d7 end 0", "7");
    options.resource_version_match = "Exact";
    options.resource_version = "5";
    assert_list(source, &options, "a5 b3 c4 end 0", "5");
    kin_fake_source_free(source);
}

/* client-go's TestResetWatch. */
static void a_watch_from_a_forgotten_version_is_told_so(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "foo");
    update(source, "foo");
    update(source, "foo");
    kin_fake_source_expire(source);
    reader_init(&r, source);
    options.resource_version = "2";
    start_watch(&r, &options);
    kin_test_latch_wait(&r.ended, 1);
    assert_int_equal(r.why.http_status, 410);
    assert_string_equal(r.why.reason, "Expired");
    assert_string_equal(r.why.message, "too old resource version: 2 (4)");
    assert_ended(&r, "begun ! end EEXPIRED stood");
    /* The current version still counts. */
    reader_init(&r, source);
    options.resource_version = "4";
    start_watch(&r, &options);
    update(source, "foo");
    assert_received(&r, 2, "begun ~foo5");
    cancel(&r);
    options.resource_version_match = "Exact";
    options.resource_version = "3";
    assert_list(source, &options, "end EEXPIRED", "");
    kin_fake_source_free(source);
}

/* Also what it has yet to receive. */
static void open_watches_do_not_expire(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    reader_init(&r, source);
    options.resource_version = "2";
    start_watch(&r, &options);
    kin_test_latch_wait(&r.calls, 1);
    kin_fake_source_stall(source, true);
    add(source, "b");
    delete (source, "default/a");
    kin_fake_source_expire(source);
    add(source, "c");
    assert_noted(&r, "begun");
    kin_fake_source_stall(source, false);
    assert_received(&r, 4, "begun +b3 -a4 +c5");
    kin_fake_source_expire(source);
    cancel(&r);
    kin_fake_source_free(source);
}

static void a_version_of_the_future_is_too_large(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    reader_init(&r, source);
    options.resource_version = "7";
    start_watch(&r, &options);
    kin_test_latch_wait(&r.ended, 1);
    assert_int_equal(r.why.http_status, 504);
    assert_string_equal(r.why.message, "Too large resource version: 7, current: 1");
    assert_ended(&r, "end ESERVER");
    kin_fake_source_free(source);
}

static void broken_watches_end_after_all_changes(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error why = KIN_ERROR_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    options.resource_version = "1";
    reader_init(&r, source);
    start_watch(&r, &options);
    add(source, "a");
    kin_fake_source_break_watches(source, NULL);
    add(source, "b");
    assert_ended(&r, "begun +a2 end 0 stood");
    kin_error_set(&why, KIN_ESERVER, "etcd has no leader");
    why.http_status = 500;
    reader_init(&r, source);
    start_watch(&r, &options);
    kin_fake_source_break_watches(source, &why);
    kin_fake_source_break_watches(source, NULL); /* it ends already */
    kin_test_latch_wait(&r.ended, 1);
    assert_int_equal(r.why.http_status, 500);
    assert_string_equal(r.why.message, "etcd has no leader");
    assert_ended(&r, "begun +a2 +b3 end ESERVER stood");
    assert_watch(source, "2", 2, "begun +b3");
    kin_fake_source_free(source);
}

static void the_next_lists_and_watches_fail(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_error denied = KIN_ERROR_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    kin_error_set(&denied, KIN_EDENIED, "pods is forbidden");
    denied.http_status = 403;
    kin_fake_source_fail_lists(source, 2, &denied);
    kin_fake_source_fail_watches(source, 1, NULL);
    assert_list(source, NULL, "end EDENIED", "");
    options.resource_version = "2";
    reader_init(&r, source);
    start_watch(&r, &options);
    assert_ended(&r, "end ECONNECT");
    assert_watch(source, "2", 1, "begun");
    assert_list(source, NULL, "end EDENIED", "");
    assert_list(source, NULL, "a2 end 0", "2");
    kin_fake_source_fail_lists(source, SIZE_MAX, &denied);
    for (int i = 0; i < 3; i++)
        assert_list(source, NULL, "end EDENIED", "");
    kin_fake_source_fail_lists(source, 0, NULL);
    assert_list(source, NULL, "a2 end 0", "2");
    kin_fake_source_free(source);
}

static void nothing_comes_while_it_stalls(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader list;
    struct reader watch;
    struct reader gone;

    (void)state;
    add(source, "a");
    kin_fake_source_stall(source, true);
    reader_init(&list, source);
    reader_init(&watch, source);
    reader_init(&gone, source);
    start_list(&list, NULL);
    options.resource_version = "2";
    start_watch(&watch, &options);
    start_watch(&gone, &options);
    add(source, "b");
    kin_operation_cancel(gone.operation);
    assert_ended(&gone, "end ECANCELED");
    assert_noted(&list, "");
    kin_fake_source_stall(source, false);
    /* As it was when the list was begun. */
    assert_ended(&list, "a2 end 0");
    assert_received(&watch, 2, "begun +b3");
    cancel(&watch);
    kin_fake_source_free(source);
}

/* --- callbacks --- */

static int fail_second(struct reader *r)
{
    return ++r->n == 2 ? KIN_ENOMEM : 0;
}

static void a_callback_ends_its_operation(void **state)
{
    kin_fake_source *source = make_source();
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct reader r;

    (void)state;
    add(source, "a");
    add(source, "b");
    add(source, "c");
    reader_init(&r, source);
    r.during = fail_second;
    start_list(&r, NULL);
    assert_ended(&r, "a2 b3 end ENOMEM");
    reader_init(&r, source);
    r.during = fail_second;
    options.resource_version = "2";
    start_watch(&r, &options);
    assert_ended(&r, "begun +b3 end ENOMEM stood");
    kin_fake_source_free(source);
}

/* The change comes after the callback has returned. */
static int insert(struct reader *r)
{
    size_t before = r->len;

    if (r->n++ > 0)
        return 0;
    add(r->source, "b");
    add(r->source, "c");
    return r->len == before ? 0 : KIN_EINVAL;
}

static void a_callback_may_insert(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    reader_init(&r, source);
    r.during = insert;
    options.resource_version = "1";
    start_watch(&r, &options);
    assert_received(&r, 3, "begun +b2 +c3");
    cancel(&r);
    kin_fake_source_free(source);
}

static int cancel_itself(struct reader *r)
{
    kin_operation_cancel(r->operation);
    return 0;
}

static void a_callback_may_cancel_its_operation(void **state)
{
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    add(source, "b");
    reader_init(&r, source);
    r.during = cancel_itself;
    start_list(&r, NULL);
    assert_ended(&r, "a2 end ECANCELED");
    kin_fake_source_free(source);
}

static int wait_here(struct reader *r)
{
    return kin_fake_source_wait_lists(r->source, 9, -1, NULL);
}

static void a_callback_cannot_wait_for_the_source(void **state)
{
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    reader_init(&r, source);
    r.during = wait_here;
    start_list(&r, NULL);
    assert_ended(&r, "a2 end EBUSY");
    kin_fake_source_free(source);
}

/* --- ends --- */

static void freeing_ends_everything(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = make_source();
    kin_list_watch *list_watch = kin_list_watch_ref(kin_fake_source_list_watch(source));
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_operation *operation = NULL;
    struct reader watch;
    struct reader stalled;

    (void)state;
    reader_init(&watch, source);
    reader_init(&stalled, source);
    options.resource_version = "1";
    start_watch(&watch, &options);
    kin_test_latch_wait(&watch.calls, 1);
    kin_fake_source_stall(source, true);
    start_list(&stalled, NULL);
    kin_fake_source_free(source);
    assert_noted(&watch, "begun end ECLOSED stood");
    assert_noted(&stalled, "end ECLOSED");
    reader_done(&watch);
    reader_done(&stalled);
    /* An informer may still have it. */
    handlers.item = on_item;
    assert_code(kin_list_watch_list(list_watch, &operation, NULL, &handlers, NULL), KIN_ECLOSED);
    assert_null(operation);
    kin_list_watch_unref(list_watch);
    kin_fake_source_free(NULL);
}

static void free_source(struct reader *r)
{
    kin_fake_source_free(r->source);
}

static void the_last_callback_may_free_the_source(void **state)
{
    struct reader r;

    (void)state;
    reader_init(&r, make_source());
    r.at_end = free_source;
    start_list(&r, NULL);
    assert_ended(&r, "end 0");
    kin_test_await_threads("kin-fake", 0);
}

static void an_operation_may_be_released_at_once(void **state)
{
    kin_fake_source *source = make_source();
    struct reader r;

    (void)state;
    add(source, "a");
    reader_init(&r, source);
    start_list(&r, NULL);
    kin_operation_release(r.operation);
    r.operation = NULL;
    assert_ended(&r, "a2 end 0");
    kin_fake_source_free(source);
}

static void wrong_handlers_are_refused(void **state)
{
    kin_fake_source *source = make_source();
    kin_list_watch *list_watch = kin_fake_source_list_watch(source);
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_operation *operation = NULL;

    (void)state;
    assert_code(kin_list_watch_list(list_watch, &operation, NULL, &handlers, NULL), KIN_EINVAL);
    assert_code(kin_list_watch_watch(list_watch, &operation, NULL, &handlers, NULL), KIN_EINVAL);
    handlers.size = 0;
    assert_code(kin_list_watch_list(list_watch, &operation, NULL, &handlers, NULL), KIN_EINVAL);
    assert_null(operation);
    kin_fake_source_free(source);
}

static void waits_count_what_was_begun(void **state)
{
    kin_fake_source *source = make_source();
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_fake_source_wait_lists(source, 0, 0, NULL), 0);
    assert_code(kin_fake_source_wait_lists(source, 1, 0, &err), KIN_ETIMEOUT);
    assert_string_equal(err.message, "0 of 1 lists were begun");
    kin_fake_source_fail_lists(source, 1, NULL);
    assert_list(source, NULL, "end ECONNECT", "");
    assert_code(kin_fake_source_wait_lists(source, 1, -1, NULL), 0);
    assert_code(kin_fake_source_wait_watches(source, 1, 1, NULL), KIN_ETIMEOUT);
    assert_watch(source, "1", 1, "begun");
    assert_code(kin_fake_source_wait_watches(source, 1, 0, NULL), 0);
    kin_fake_source_free(source);
}

/* --- out of memory --- */

static int life(void *arg, kin_error *err)
{
    kin_fake_source_options source_options = KIN_FAKE_SOURCE_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_fake_source *source = NULL;
    struct reader list;
    struct reader watch;
    kin_call_handlers handlers;
    bool lists = false;
    bool watches = false;
    int code;

    (void)arg;
    source_options.kind = "Pod";
    code = kin_fake_source_new(&source, &source_options, err);
    reader_init(&list, source);
    reader_init(&watch, source);
    for (char name[2] = "a"; code == 0 && name[0] <= 'e'; name[0]++)
        code = try_put(source, name, true, err);
    if (code == 0) {
        handlers = handlers_of(&watch);
        options.send_initial_events = true;
        code = kin_list_watch_watch(kin_fake_source_list_watch(source), &watch.operation, &options,
                                    &handlers, err);
        watches = code == 0;
    }
    if (code == 0)
        code = try_put(source, "a", false, err);
    if (code == 0)
        code = kin_fake_source_bookmark(source, err);
    if (code == 0)
        code = kin_fake_source_delete(source, NULL, "default/c", err);
    if (code == 0) {
        handlers = handlers_of(&list);
        options.limit = 2;
        options.resource_version = "6";
        options.resource_version_match = "Exact";
        code = kin_list_watch_list(kin_fake_source_list_watch(source), &list.operation, &options,
                                   &handlers, err);
        lists = code == 0;
    }
    if (lists) {
        kin_test_latch_wait(&list.ended, 1);
        assert_noted(&list, "a2 b3 end 0");
        kin_fake_source_expire(source);
    }
    kin_fake_source_free(source);
    if (!lists)
        kin_test_latch_raise(&list.freed);
    if (!watches)
        kin_test_latch_raise(&watch.freed);
    reader_done(&list);
    reader_done(&watch);
    return code;
}

/* A change that fails is not half there, and the next one gets its version. */
static void a_change_that_fails_changes_nothing(void **state)
{
    kin_fake_source *source = make_source();
    const kin_object *object = pod("b");
    unsigned failures = 0;

    (void)state;
    add(source, "a");
    for (;; failures++) {
        kin_test_alloc_arm(failures + 1, KIN_TEST_FAIL_ONE);
        int code = kin_fake_source_add(source, NULL, object, NULL);
        if (!kin_test_alloc_disarm())
            break;
        assert_code(code, KIN_ENOMEM);
        assert_int_equal(kin_fake_source_len(source), 1);
        assert_int_equal(kin_fake_source_version(source), 2);
    }
    assert_true(failures > 1);
    for (failures = 0;; failures++) {
        kin_test_alloc_arm(failures + 1, KIN_TEST_FAIL_ONE);
        int code = kin_fake_source_delete(source, NULL, "default/a", NULL);
        if (!kin_test_alloc_disarm())
            break;
        assert_code(code, KIN_ENOMEM);
        assert_int_equal(kin_fake_source_len(source), 2);
    }
    assert_true(failures > 1);
    kin_object_unref(object);
    assert_watch(source, "1", 4, "begun +a2 +b3 -a4");
    kin_fake_source_free(source);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(life, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changes_get_versions),
        cmocka_unit_test(wrong_objects_change_nothing),
        cmocka_unit_test(a_list_has_all_in_the_order_of_keys),
        cmocka_unit_test(a_list_may_ask_for_an_older_version),
        cmocka_unit_test(pages_are_of_one_version),
        cmocka_unit_test(a_watch_begins_behind_its_version),
        cmocka_unit_test(a_watch_receives_changes_in_order),
        cmocka_unit_test(a_watch_from_any_version_begins_with_what_is_there),
        cmocka_unit_test(a_streaming_list_ends_with_its_bookmark),
        cmocka_unit_test(bookmarks_come_to_watches_that_ask_for_them),
        cmocka_unit_test(bookmarks_are_of_the_kind_of_the_objects),
        cmocka_unit_test(lost_events_are_only_in_lists),
        cmocka_unit_test(a_watch_from_a_forgotten_version_is_told_so),
        cmocka_unit_test(open_watches_do_not_expire),
        cmocka_unit_test(a_version_of_the_future_is_too_large),
        cmocka_unit_test(broken_watches_end_after_all_changes),
        cmocka_unit_test(the_next_lists_and_watches_fail),
        cmocka_unit_test(nothing_comes_while_it_stalls),
        cmocka_unit_test(a_callback_ends_its_operation),
        cmocka_unit_test(a_callback_may_insert),
        cmocka_unit_test(a_callback_may_cancel_its_operation),
        cmocka_unit_test(a_callback_cannot_wait_for_the_source),
        cmocka_unit_test(freeing_ends_everything),
        cmocka_unit_test(the_last_callback_may_free_the_source),
        cmocka_unit_test(an_operation_may_be_released_at_once),
        cmocka_unit_test(wrong_handlers_are_refused),
        cmocka_unit_test(waits_count_what_was_begun),
        cmocka_unit_test(a_change_that_fails_changes_nothing),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
