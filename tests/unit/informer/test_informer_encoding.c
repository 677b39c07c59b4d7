/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers at servers whose protobuf has a field that the tables lack, or that have none: nothing is lost, JSON follows at
 * once, and the status says so.
 */
#include "client_support.h"

#include <pthread.h>
#include <string.h>

#include "alloc.h"
#include "kinform/informer.h"
#include "kinform/path.h"
#include "latch.h"
#include "protobuf_support.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf"
#define HOUR_MS 3600000

#define OBJECT(name, version)                                                                      \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"ns\",\"resourceVersion\":\"" version "\"}}"
#define CHANGE(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"
#define END(version)                                                                               \
    CHANGE("BOOKMARK", "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{"                    \
                       "\"resourceVersion\":\"" version                                            \
                       "\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}")
/* In protobuf: an item, and an object; field 99 is in no table. */
#define ITEM_PB(name, version) "2{ 1{ 1:" name " 3:ns 6:" version " } } "
#define NEW_ITEM(name, version) "2{ 1{ 1:" name " 3:ns 6:" version " } 99:x } "
#define POD_PB(name, version) "1{ 1:" name " 3:ns 6:" version " }"
#define NEW_POD(name, version) POD_PB(name, version) " 99:x"
#define END_PB(version) "1{ 6:" version " 12{ 1:k8s.io/initial-events-end 2:true } }"

struct scene {
    client_fixture f;
    kin_logger *logger;
    kin_informer *informer;
    size_t max_bytes; /* of an object; 0: the default */
    bool streams;
    bool insists; /* on streaming lists, also in JSON */
    int refusal;  /* the HTTP status of the answer to protobuf; 0: it is not refused */
    /* What the server has: protobuf if it is asked for, unless that is empty. */
    kin__buf list_pb;
    kin__buf page_pb; /* the second; empty: in JSON as well */
    kin__buf initial_pb;
    kin__buf watch_pb;
    const char *list;
    const char *page;
    const char *initial;
    const char *watch;
    atomic_uint n_errors;
    kin_test_latch failed;
    pthread_mutex_t lock;
    unsigned n_warnings; /* (lock) of the client */
    unsigned n_others;   /* (lock) warnings and errors of others */
    char last[256];      /* (lock) */
};

/* --- the server --- */

static void answer(kin_test_http_conn *conn, bool is_protobuf, const kin__buf *pb, const char *json,
                   bool is_watch)
{
    bool in_protobuf = is_protobuf && pb->len > 0;
    const char *stream = is_watch ? PROTOBUF ";stream=watch" : PROTOBUF;

    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", in_protobuf ? stream : "application/json");
    if (!is_watch) {
        kin_test_http_body(conn, in_protobuf ? pb->data : json,
                           in_protobuf ? pb->len : strlen(json));
        return;
    }
    if (in_protobuf)
        kin_test_http_chunk(conn, pb->data, pb->len);
    else
        kin_test_http_chunk_text(conn, json && json[0] ? json : "\n");
    kin_test_http_wait_for_client_close(conn);
}

static void handle(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    const struct scene *scene = arg;
    bool is_protobuf = strstr(kin_test_http_field_of(request, "Accept"), "protobuf") != NULL;

    if (is_protobuf && scene->refusal)
        kin_test_http_answer(conn, scene->refusal, "application/json",
                             scene->refusal == 406 ? STATUS(406, "NotAcceptable")
                                                   : STATUS(415, "UnsupportedMediaType"));
    else if (strstr(request->target, "sendInitialEvents=true"))
        answer(conn, is_protobuf, &scene->initial_pb, scene->initial, true);
    else if (strstr(request->target, "watch="))
        answer(conn, is_protobuf, &scene->watch_pb, scene->watch, true);
    else if (strstr(request->target, "continue="))
        answer(conn, is_protobuf, &scene->page_pb, scene->page, false);
    else
        answer(conn, is_protobuf, &scene->list_pb, scene->list, false);
}

/* --- the informer --- */

static void note_record(const kin_log_record *record, void *arg)
{
    struct scene *scene = arg;

    pthread_mutex_lock(&scene->lock);
    if (record->level == KIN_LOG_WARN && strcmp(record->component, "client") == 0) {
        scene->n_warnings++;
    } else if (record->level <= KIN_LOG_WARN) {
        scene->n_others++;
        snprintf(scene->last, sizeof(scene->last), "%s: %s", record->component, record->message);
    }
    pthread_mutex_unlock(&scene->lock);
}

static void note_error(kin_informer *informer, const kin_failure *failure, void *arg)
{
    struct scene *scene = arg;

    (void)informer;
    (void)failure;
    atomic_fetch_add(&scene->n_errors, 1);
    kin_test_latch_raise(&scene->failed);
}

static void scene_init(struct scene *scene)
{
    memset(scene, 0, sizeof(*scene));
    pthread_mutex_init(&scene->lock, NULL);
    kin_test_latch_init(&scene->failed);
    kin__buf_init(&scene->list_pb, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&scene->page_pb, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&scene->initial_pb, KIN_TEST_PROTOBUF_MAX);
    kin__buf_init(&scene->watch_pb, KIN_TEST_PROTOBUF_MAX);
}

static void add_event(kin__buf *events, const char *type, const char *words)
{
    kin_test_pb_append_event(events, type, "v1", "Pod", words);
}

/* Any delay would be an hour. */
static void start(struct scene *scene)
{
    kin_test_http_options server = {.handler = handle, .arg = scene};
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_reflector_options reflector = KIN_REFLECTOR_OPTIONS_INIT;
    kin_list_watch_options listed = KIN_LIST_WATCH_OPTIONS_INIT;
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_list_watch *source = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_logger_new(&scene->logger, KIN_LOG_INFO, note_record, scene, NULL, NULL), 0);
    client.logger = scene->logger;
    client.max_retries = -1;
    client_open(&scene->f, &client, &server);
    reflector.backoff_initial_ms = HOUR_MS;
    reflector.backoff_max_ms = HOUR_MS;
    if (scene->insists)
        reflector.streaming_lists = KIN_STREAMING_LISTS_ALWAYS;
    options.reflector = &reflector;
    options.logger = scene->logger;
    options.no_streaming_list = !scene->streams;
    options.error = note_error;
    options.error_arg = scene;
    decode.max_bytes = scene->max_bytes;
    listed.decode = &decode;
    assert_code(kin_client_list_watch(scene->f.client, &source, scene->f.pods, &listed, NULL), 0);
    assert_code(kin_informer_new_from(&scene->informer, source, &options, &err), 0);
    kin_list_watch_unref(source);
    assert_code(kin_informer_start(scene->informer, &err), 0);
}

static void follow(struct scene *scene, const char *version)
{
    kin_error err = KIN_ERROR_INIT;

    start(scene);
    assert_code(kin_informer_wait_version(scene->informer, version, KIN_TEST_TIMEOUT_MS, &err), 0);
}

static void assert_keys(struct scene *scene, size_t n, const char *const *keys)
{
    kin_store *store = kin_informer_store(scene->informer);

    assert_int_equal(kin_store_len(store), n);
    for (size_t i = 0; i < n; i++)
        assert_code(kin_store_get(store, NULL, kin_str_of(keys[i]), NULL), 0);
}

/* It has gone on in JSON as if nothing had failed. */
static void assert_fell_back(struct scene *scene)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    assert_code(kin_informer_get_status(scene->informer, &status, NULL), 0);
    assert_int_equal(status.encoding, KIN_ENCODING_JSON);
    assert_int_equal(status.json_fallbacks, 1);
    assert_int_equal(status.last_error.code, 0);
    assert_false(status.is_failing_for_good);
    assert_int_equal(status.skipped, 0);
    assert_int_equal(status.fallbacks, 0);
    assert_int_equal(status.gaps, 0);
    assert_int_equal(atomic_load(&scene->n_errors), 0);
    pthread_mutex_lock(&scene->lock);
    assert_int_equal(scene->n_warnings, 1);
    if (scene->n_others > 0)
        fail_msg("%s", scene->last);
    pthread_mutex_unlock(&scene->lock);
}

static void scene_done(struct scene *scene)
{
    kin_informer_free(scene->informer);
    client_close(&scene->f);
    kin_logger_unref(scene->logger);
    kin__buf_done(&scene->list_pb);
    kin__buf_done(&scene->page_pb);
    kin__buf_done(&scene->initial_pb);
    kin__buf_done(&scene->watch_pb);
    kin_test_latch_done(&scene->failed);
    pthread_mutex_destroy(&scene->lock);
}

static const char *target(struct scene *scene, unsigned index)
{
    return kin_test_http_request_at(scene->f.server, index)->target;
}

static const char *const ab[] = {"ns/a", "ns/b", "ns/c"};

/* --- tests --- */

static void make_list(kin__buf *list, const char *words)
{
    kin__buf_done(list);
    kin_test_pb_body_of(list, "v1", "PodList", words);
}

static void protobuf_is_used(void **state)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct scene scene;

    (void)state;
    scene_init(&scene);
    make_list(&scene.list_pb, "1{ 2:9 } " ITEM_PB("a", "1") ITEM_PB("b", "2"));
    add_event(&scene.watch_pb, "ADDED", POD_PB("c", "10"));
    follow(&scene, "10");
    assert_keys(&scene, 3, ab);
    assert_code(kin_informer_get_status(scene.informer, &status, NULL), 0);
    assert_int_equal(status.encoding, KIN_ENCODING_PROTOBUF);
    assert_int_equal(status.json_fallbacks, 0);
    scene_done(&scene);
}

/* The new field is in the first item, in a later item, and in the metadata of the list. */
static void a_newer_list(void **state)
{
    static const char *const lists[] = {
        "1{ 2:9 } " NEW_ITEM("a", "1"),
        "1{ 2:9 } " ITEM_PB("old", "1") NEW_ITEM("b", "2"),
        ITEM_PB("a", "1") ITEM_PB("b", "2") "1{ 2:9 99:x }",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        struct scene scene;

        scene_init(&scene);
        make_list(&scene.list_pb, lists[i]);
        scene.list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1") "," OBJECT("b", "2"));
        scene.watch = CHANGE("ADDED", OBJECT("c", "10"));
        follow(&scene, "10");
        assert_keys(&scene, 3, ab);
        assert_fell_back(&scene);
        scene_done(&scene);
    }
}

/* The pages before it are kept. */
static void a_newer_page(void **state)
{
    struct scene scene;

    (void)state;
    scene_init(&scene);
    make_list(&scene.list_pb, "1{ 2:9 3:t } " ITEM_PB("a", "1"));
    make_list(&scene.page_pb, "1{ 2:9 } " ITEM_PB("b", "2") NEW_ITEM("c", "3"));
    scene.page = LIST("\"resourceVersion\":\"9\"", OBJECT("b", "2") "," OBJECT("c", "3"));
    scene.watch = CHANGE("MODIFIED", OBJECT("c", "10"));
    follow(&scene, "10");
    assert_keys(&scene, 3, ab);
    assert_fell_back(&scene);
    assert_non_null(strstr(target(&scene, 1), "continue=t"));
    assert_non_null(strstr(target(&scene, 2), "continue=t"));
    assert_non_null(strstr(target(&scene, 3), "watch="));
    scene_done(&scene);
}

static void assert_asked(struct scene *scene, unsigned index, bool streams, bool in_protobuf)
{
    const kin_test_http_request *request = kin_test_http_request_at(scene->f.server, index);
    const char *accept = kin_test_http_field_of(request, "Accept");

    assert_int_equal(strstr(request->target, "sendInitialEvents=true") != NULL, streams);
    assert_int_equal(strstr(accept, "protobuf") != NULL, in_protobuf);
}

static void set_json(struct scene *scene)
{
    scene->list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1") "," OBJECT("b", "2"));
    scene->initial = CHANGE("ADDED", OBJECT("a", "1")) CHANGE("ADDED", OBJECT("b", "2")) END("9")
        CHANGE("ADDED", OBJECT("c", "10"));
    scene->watch = CHANGE("ADDED", OBJECT("c", "10"));
}

/* A streaming list in protobuf has failed: in JSON a plain list is preferred, unless the options insist on a stream. */
static void check_after_stream(struct scene *scene)
{
    set_json(scene);
    scene->streams = true;
    follow(scene, "10");
    assert_keys(scene, 3, ab);
    assert_fell_back(scene);
    assert_asked(scene, 0, true, true);
    assert_asked(scene, 1, scene->insists, false);
    assert_int_equal(kin_test_http_count(scene->f.server).requests, scene->insists ? 2 : 3);
    assert_int_equal(strstr(target(scene, 1), "watch=") != NULL, scene->insists);
    scene_done(scene);
}

/* The new field is in the first event, in a later one, and in the bookmark at the end of the list. */
static void a_newer_streaming_list(void **state)
{
    (void)state;
    for (int place = 0; place < 3; place++) {
        for (int insists = 0; insists < 2; insists++) {
            struct scene scene;

            scene_init(&scene);
            scene.insists = insists;
            if (place > 0)
                add_event(&scene.initial_pb, "ADDED", POD_PB("old", "1"));
            add_event(&scene.initial_pb, place < 2 ? "ADDED" : "BOOKMARK",
                      place < 2 ? NEW_POD("b", "2") : END_PB("9") " 99:x");
            check_after_stream(&scene);
        }
    }
}

/* More bytes than MAX_BYTES. The second has no key; the third fits in JSON only. */
#define X50 "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define X200 X50 X50 X50 X50
#define MAX_BYTES 200
#define BIG_PB(name) "1{ 1:" name " 3:ns 11{ 1:k 2:" X200 " } }"
#define BIG_NAMELESS_PB "1{ 11{ 1:k 2:" X200 " } }"
#define BIG(name)                                                                                  \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"" name                       \
    "\",\"namespace\":\"ns\",\"labels\":{\"k\":\"" X200 "\"}}}"
#define BIG_NAMELESS                                                                               \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"labels\":{\"k\":\"" X200 "\"}}}"
#define MANY_PB "2{ " BIG_PB("big") " } 2{ " BIG_NAMELESS_PB " } 2{ " BIG_PB("b") " } "
#define MANY BIG("big") "," BIG_NAMELESS "," OBJECT("b", "2")

/*
 * Objects that were skipped before the one that cannot be read in protobuf are reported once: in a list, a page and a
 * streaming list. One of them can be used in JSON, and is not a gap then.
 */
static void skipped_objects_count_once(void **state)
{
    static const char json[] = LIST("\"resourceVersion\":\"9\"", MANY);
    enum { IN_LIST, IN_PAGE, IN_STREAM };

    (void)state;
    for (int place = IN_LIST; place <= IN_STREAM; place++) {
        kin_informer_status status = KIN_INFORMER_STATUS_INIT;
        struct scene scene;

        scene_init(&scene);
        scene.max_bytes = MAX_BYTES;
        scene.streams = place == IN_STREAM;
        scene.list = scene.page = json;
        scene.watch = CHANGE("ADDED", OBJECT("c", "10"));
        if (place == IN_STREAM) {
            add_event(&scene.initial_pb, "ADDED", BIG_PB("big"));
            add_event(&scene.initial_pb, "ADDED", BIG_NAMELESS_PB);
            add_event(&scene.initial_pb, "ADDED", BIG_PB("b"));
            add_event(&scene.initial_pb, "ADDED", NEW_POD("a", "1"));
        } else if (place == IN_PAGE) {
            make_list(&scene.list_pb, "1{ 2:9 3:t } " ITEM_PB("a", "1"));
            make_list(&scene.page_pb, "1{ 2:9 } " MANY_PB ITEM_PB("x", "1") NEW_ITEM("y", "1"));
        } else {
            make_list(&scene.list_pb, "1{ 2:9 } " MANY_PB ITEM_PB("x", "1") NEW_ITEM("y", "1"));
        }
        follow(&scene, "10");
        assert_code(kin_informer_get_status(scene.informer, &status, NULL), 0);
        assert_int_equal(status.encoding, KIN_ENCODING_JSON);
        assert_int_equal(status.json_fallbacks, 1);
        assert_int_equal(status.skipped, 3);
        assert_int_equal(status.gaps, 2);
        scene_done(&scene);
    }
}

/* After a list, and after the end of a streaming list: the watch resumes after the last event. */
static void a_newer_event(void **state)
{
    (void)state;
    for (int streams = 0; streams < 2; streams++) {
        struct scene scene;
        kin__buf *events;

        scene_init(&scene);
        events = streams ? &scene.initial_pb : &scene.watch_pb;
        scene.streams = streams;
        make_list(&scene.list_pb, "1{ 2:9 } " ITEM_PB("a", "1"));
        if (streams) {
            add_event(events, "ADDED", POD_PB("a", "1"));
            add_event(events, "BOOKMARK", END_PB("9"));
        }
        add_event(events, "ADDED", POD_PB("b", "10"));
        add_event(events, "ADDED", NEW_POD("c", "11"));
        add_event(events, "ADDED", POD_PB("d", "12"));
        scene.watch = CHANGE("ADDED", OBJECT("c", "11")) CHANGE("DELETED", OBJECT("d", "13"));
        follow(&scene, "13");
        assert_keys(&scene, 3, ab);
        assert_fell_back(&scene);
        assert_non_null(strstr(target(&scene, streams ? 1 : 2), "resourceVersion=10&"));
        scene_done(&scene);
    }
}

static void a_refused_list(void **state)
{
    static const int refusals[] = {406, 415};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct scene scene;

        scene_init(&scene);
        scene.refusal = refusals[i];
        set_json(&scene);
        follow(&scene, "10");
        assert_keys(&scene, 3, ab);
        assert_fell_back(&scene);
        scene_done(&scene);
    }
}

static void a_refused_streaming_list(void **state)
{
    static const int refusals[] = {406, 415};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        for (int insists = 0; insists < 2; insists++) {
            struct scene scene;

            scene_init(&scene);
            scene.refusal = refusals[i];
            scene.insists = insists;
            check_after_stream(&scene);
        }
    }
}

/* JSON that cannot be read either is an error like others: the next list follows after the delay. */
static void json_fails_as_well(void **state)
{
    (void)state;
    for (int is_refused = 0; is_refused < 2; is_refused++) {
        struct scene scene;

        scene_init(&scene);
        scene.refusal = is_refused ? 406 : 0;
        make_list(&scene.list_pb, "1{ 2:9 } " NEW_ITEM("a", "1"));
        scene.list = "{\"items\":[" OBJECT("a", "1") "]}";
        start(&scene);
        kin_test_latch_wait(&scene.failed, 1);
        assert_int_equal(kin_test_http_count(scene.f.server).requests, 2);
        scene_done(&scene);
    }
}

static void unknown_encodings_are_refused(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_informer *informer = NULL;
    kin_list_watch *source = NULL;
    kin_error err = KIN_ERROR_INIT;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_watch(f.client, &source, f.pods, NULL, NULL), 0);
    options.encoding = (kin_encoding)3;
    assert_code(kin_informer_new(&informer, f.client, "pods", &options, &err), KIN_EINVAL);
    /* A source has an encoding of its own. */
    options.encoding = KIN_ENCODING_JSON;
    assert_code(kin_informer_new_from(&informer, source, &options, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "encoding"));
    assert_null(informer);
    kin_list_watch_unref(source);
    client_close(&f);
}

/* --- encodings side by side --- */

#define CORE                                                                                       \
    "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\","     \
    "\"namespaced\":true,\"kind\":\"Pod\",\"verbs\":[\"list\",\"watch\"]}]}"

static void handle_with_discovery(kin_test_http_conn *conn, const kin_test_http_request *request,
                                  void *arg)
{
    if (strncmp(request->target, "/apis", 5) == 0)
        kin_test_http_answer(conn, 404, "application/json", STATUS(404, "NotFound"));
    else if (strcmp(request->target, "/api") == 0)
        kin_test_http_answer(conn, 200, "application/json",
                             "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    else if (strcmp(request->target, "/api/v1") == 0)
        kin_test_http_answer(conn, 200, "application/json", CORE);
    else
        handle(conn, request, arg);
}

/* Each informer asks for its own encoding; the default is the client's. */
static void informers_have_encodings_of_their_own(void **state)
{
    static const kin_encoding encodings[] = {KIN_ENCODING_JSON, KIN_ENCODING_PROTOBUF,
                                             KIN_ENCODING_DEFAULT};

    (void)state;
    for (int is_json = 0; is_json < 2; is_json++) {
        kin_test_http_options server = {.handler = handle_with_discovery};
        kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
        kin_informer *informers[3] = {NULL};
        kin_error err = KIN_ERROR_INIT;
        struct scene scene;

        scene_init(&scene);
        make_list(&scene.list_pb, "1{ 2:9 } " ITEM_PB("a", "1"));
        add_event(&scene.watch_pb, "ADDED", POD_PB("b", "10"));
        scene.list = LIST("\"resourceVersion\":\"9\"", OBJECT("a", "1"));
        scene.watch = CHANGE("ADDED", OBJECT("b", "10"));
        server.arg = &scene;
        client.max_retries = -1;
        client.encoding = is_json ? KIN_ENCODING_JSON : KIN_ENCODING_DEFAULT;
        client_open(&scene.f, &client, &server);
        for (size_t i = 0; i < 3; i++) {
            kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;

            options.no_streaming_list = true;
            options.encoding = encodings[i];
            assert_code(kin_informer_new(&informers[i], scene.f.client, "pods", &options, &err), 0);
            assert_code(kin_informer_start(informers[i], &err), 0);
        }
        for (size_t i = 0; i < 3; i++) {
            bool expects_json = encodings[i] == KIN_ENCODING_JSON ||
                                (is_json && encodings[i] == KIN_ENCODING_DEFAULT);
            kin_informer_status status = KIN_INFORMER_STATUS_INIT;

            assert_code(kin_informer_wait_version(informers[i], "10", KIN_TEST_TIMEOUT_MS, &err),
                        0);
            assert_code(kin_informer_get_status(informers[i], &status, NULL), 0);
            assert_int_equal(status.encoding,
                             expects_json ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF);
            assert_int_equal(status.json_fallbacks, 0);
            assert_int_equal(kin_store_len(kin_informer_store(informers[i])), 2);
        }
        for (size_t i = 0; i < 3; i++)
            kin_informer_free(informers[i]);
        scene_done(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(protobuf_is_used),
        client_test(a_newer_list),
        client_test(a_newer_page),
        client_test(a_newer_streaming_list),
        client_test(skipped_objects_count_once),
        client_test(a_newer_event),
        client_test(a_refused_list),
        client_test(a_refused_streaming_list),
        client_test(json_fails_as_well),
        client_test(unknown_encodings_are_refused),
        client_test(informers_have_encodings_of_their_own),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
