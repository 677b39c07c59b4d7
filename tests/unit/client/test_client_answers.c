/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What servers answer, right and wrong, whole and in pieces; and what requests say of themselves.
 */
#include "client_support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/log.h"
#include "kinform/memory.h"
#include "kinform/path.h"
#include "kinform/projection.h"
#include "kinform/status.h"

#define EVENTS EVENT("ADDED", "a", "1") EVENT("DELETED", "a", "2")

/* --- one request of a kind --- */

enum kind { OBJECT, LISTED, WATCHED, TEXT, N_KINDS };

static const char *const kind_names[] = {"object", "list", "watch", "text"};
static const char *const bodies[] = {POD, PODS, EVENTS, "ok"};
static const char *const results[] = {"ns/web", "ns/a ns/b @9", "ADDED:a DELETED:a", "ok"};

struct run {
    int code;
    kin_error err;
    client_seen seen; /* with the list's version behind it, as " @9" */
    const kin_object *status;
};

static void add_to(client_seen *seen, const char *text, size_t len)
{
    size_t have = strlen(seen->text);

    snprintf(seen->text + have, sizeof(seen->text) - have, "%.*s", (int)len, text);
}

static void get_object(client_fixture *f, struct run *run, const kin_request_options *options)
{
    const kin_object *object = NULL;

    run->code = kin_client_get(f->client, &object, f->pods, "ns", "web", options, &run->err);
    if (object)
        add_to(&run->seen, kin_object_key(object), strlen(kin_object_key(object)));
    assert_int_equal(object != NULL, run->code == 0);
    kin_object_unref(object);
}

static void get_list(client_fixture *f, struct run *run, const kin_request_options *options)
{
    const kin_object *list = NULL;

    run->code = kin_client_list(f->client, &list, f->pods, NULL, client_see_item, &run->seen,
                                options, &run->err);
    assert_int_equal(list != NULL, run->code == 0);
    if (list) {
        kin_str version = kin_object_resource_version(list);

        add_to(&run->seen, " @", 2);
        add_to(&run->seen, version.data, version.len);
    }
    kin_object_unref(list);
}

static void get_text(client_fixture *f, struct run *run)
{
    char *text = NULL;
    size_t len = 0;

    run->code = kin_client_get_text(f->client, &text, &len, "/healthz", &run->err);
    assert_int_equal(text != NULL, run->code == 0);
    if (text)
        add_to(&run->seen, text, len);
    kin_free(text);
}

static void run_kind(client_fixture *f, enum kind kind, const kin_decode_options *decode,
                     struct run *run)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;

    memset(run, 0, sizeof(*run));
    run->err = (kin_error)KIN_ERROR_INIT;
    options.decode = decode;
    options.ret_status = &run->status;
    if (kind == OBJECT)
        get_object(f, run, &options);
    else if (kind == LISTED)
        get_list(f, run, &options);
    else if (kind == TEXT)
        get_text(f, run);
    else
        run->code = kin_client_watch(f->client, f->pods, NULL, client_see_event, &run->seen,
                                     &options, &run->err);
    assert_int_equal(run->err.code, run->code);
    if (run->code < 0)
        assert_true(run->err.message[0]);
}

static void run_done(struct run *run)
{
    kin_object_unref(run->status);
}

static void open_without_retries(client_fixture *f, const kin_test_http_options *server)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    options.max_retries = -1;
    client_open(f, &options, server);
}

/* --- shapes --- */

static bool is_right(kin_test_http_shape shape)
{
    return shape <= KIN_TEST_HTTP_SILENT_CLOSE || shape == KIN_TEST_HTTP_SURPLUS ||
           shape >= KIN_TEST_HTTP_STALL_FIRST;
}

/* Those after whose failure nothing of the body was seen. */
static bool has_body(kin_test_http_shape shape)
{
    return is_right(shape) ||
           (shape >= KIN_TEST_HTTP_SHORT && shape <= KIN_TEST_HTTP_SHORT_ABANDON);
}

static bool is_clear(int code)
{
    return code == KIN_ECONNECT || code == KIN_EPROTOCOL || code == KIN_ELIMIT ||
           code == KIN_EPARSE;
}

static void check_shape(client_fixture *f, enum kind kind, kin_test_http_shape shape)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    struct run run;

    decode.max_bytes = (size_t)1 << 20;
    kin_test_http_add_route(
        f->server, &(kin_test_http_route){.body = bodies[kind], .shape = shape, .times = 1});
    run_kind(f, kind, &decode, &run);
    if (is_right(shape) ? run.code != 0 : !is_clear(run.code))
        fail_msg("%s as %s: %s: %s", kind_names[kind], kin_test_http_shape_name(shape),
                 kin_error_name(run.code), run.err.message);
    if (is_right(shape))
        assert_string_equal(run.seen.text, results[kind]);
    else if (!has_body(shape))
        assert_true(run.seen.n == 0 || shape == KIN_TEST_HTTP_SHORT_GZIP ||
                    shape == KIN_TEST_HTTP_BAD_CHUNK_SIZE ||
                    shape == KIN_TEST_HTTP_HUGE_CHUNK_SIZE);
    run_done(&run);
}

static void every_shape_has_a_clear_end(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        for (kin_test_http_shape shape = 0; shape < KIN_TEST_HTTP_N_SHAPES; shape++) {
            client_fixture f;

            /* A text has no limit of its own to be stopped by; lists of 64 MiB are tested once. */
            if (kind == TEXT &&
                (shape == KIN_TEST_HTTP_ENDLESS_BODY || shape == KIN_TEST_HTTP_GZIP_BOMB))
                continue;
            open_without_retries(&f, NULL);
            kin_test_http_release_all(f.server);
            check_shape(&f, kind, shape);
            /*
             * The client is none the worse for it. Of surplus bytes that come late libcurl learns
             * only when the next request reads them.
             */
            if (shape == KIN_TEST_HTTP_SURPLUS) {
                client_close(&f);
                continue;
            }
            client_route(&f, NULL, NULL, 200, POD);
            kin_error err = KIN_ERROR_INIT;
            if (kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, &err) < 0)
                fail_msg("behind %s as %s: %s", kind_names[kind], kin_test_http_shape_name(shape),
                         err.message);
            client_close(&f);
        }
    }
}

/* --- pieces --- */

static void every_split_gives_the_same(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        client_fixture f;

        open_without_retries(&f, NULL);
        for (size_t split = 1; split <= 64; split++) {
            for (int chunked = 0; chunked < 2; chunked++) {
                struct run run;

                kin_test_http_add_route(
                    f.server, &(kin_test_http_route){.body = bodies[kind],
                                                     .times = 1,
                                                     .split = split,
                                                     .size = split,
                                                     .shape = chunked ? KIN_TEST_HTTP_CHUNKED
                                                                      : KIN_TEST_HTTP_LENGTH});
                run_kind(&f, kind, NULL, &run);
                assert_code(run.code, 0);
                assert_string_equal(run.seen.text, results[kind]);
            }
        }
        client_close(&f);
    }
}

static void every_cut_gives_the_same(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        size_t len = strlen(bodies[kind]) + 100;
        client_fixture f;

        open_without_retries(&f, NULL);
        for (size_t cut = 1; cut < len; cut++) {
            struct run run;

            kin_test_http_add_route(
                f.server, &(kin_test_http_route){.body = bodies[kind], .times = 1, .cut = cut});
            run_kind(&f, kind, NULL, &run);
            assert_code(run.code, 0);
            assert_string_equal(run.seen.text, results[kind]);
        }
        client_close(&f);
    }
}

/* The text of the body ends somewhere, though HTTP says that it is whole. */
static void a_text_that_ends_too_early_is_none(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        client_fixture f;

        open_without_retries(&f, NULL);
        for (size_t len = 1; len < strlen(bodies[kind]) - 1; len++) {
            bool between = kind == WATCHED && bodies[kind][len - 1] == '\n';
            bool behind = kind == WATCHED && bodies[kind][len] == '\n';
            struct run run;

            kin_test_http_add_route(
                f.server,
                &(kin_test_http_route){.body = bodies[kind], .body_len = len, .times = 1});
            run_kind(&f, kind, NULL, &run);
            if (between || behind)
                assert_code(run.code, 0);
            else
                assert_code(run.code, kind == OBJECT ? KIN_EPARSE : KIN_EPROTOCOL);
            run_done(&run);
        }
        client_close(&f);
    }
}

/*
 * A string without its end takes in what follows: found at once in a text that comes whole, and at the
 * end of one that comes in pieces. It is damage, which another try does not mend, in both.
 */
static void damage_is_no_early_end_however_it_is_cut(void **state)
{
    static const char *const damaged[] = {
        [OBJECT] = "{\"kind\":\"Pod\",\"a\":\"b}\n{\"c\":\"d\"}",
        [LISTED] = LIST("", ITEM("a") ",{\"a\":\"b}\n,{\"c\":\"d\"}"),
        [WATCHED] = EVENT("ADDED", "a", "1") "{\"type\":\"ADDED\",\"object\":{\"a\":\"b}}\n" EVENT(
            "ADDED", "c", "2"),
    };

    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        for (size_t split = 0; split <= 7; split += 7) {
            kin_test_http_options server = {.split = split};
            client_fixture f;
            struct run run;

            open_without_retries(&f, &server);
            kin_test_http_add_route(f.server, &(kin_test_http_route){.body = damaged[kind]});
            run_kind(&f, kind, NULL, &run);
            assert_code(run.code, KIN_EPARSE);
            run_done(&run);
            client_close(&f);
        }
    }
}

/* --- contents --- */

static void a_content_that_was_not_asked_for_is_refused(void **state)
{
    static const struct {
        enum kind kind;
        const char *body;
        int code;
        const char *seen;
    } cases[] = {
        {OBJECT, "", KIN_EPROTOCOL, ""},
        {LISTED, "", KIN_EPROTOCOL, ""},
        {WATCHED, "", 0, ""},
        {OBJECT, "null", KIN_EPARSE, ""},
        {OBJECT, "[]", KIN_EPARSE, ""},
        {OBJECT, "hello", KIN_EPARSE, ""},
        {LISTED, "[]", KIN_EPARSE, ""},
        {LISTED, "hello", KIN_EPARSE, ""},
        {WATCHED, "hello", KIN_EPARSE, ""},
        {WATCHED, "[]", KIN_EPARSE, ""},
        {WATCHED, POD, KIN_EPARSE, ""},
        {WATCHED, EVENT("ADDED", "a", "1") "nonsense", KIN_EPARSE, "ADDED:a"},
        {WATCHED, EVENT("UNHEARD_OF", "a", "1"), KIN_EPARSE, ""},
        {OBJECT, "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"\xff\"}}", KIN_EPARSE, ""},
        {LISTED, LIST("", ITEM("a") "," ITEM("\xc3\x28")), KIN_EPARSE, "ns/a"},
        {WATCHED, EVENT("ADDED", "\xed\xa0\x80", "1"), KIN_EPARSE, ""},
        {OBJECT, POD POD, KIN_EPARSE, ""},
        /* Others than what was asked for. */
        {OBJECT, PODS, KIN_EPROTOCOL, ""},
        {LISTED, POD, KIN_EPROTOCOL, ""},
        {LISTED, "{}", KIN_EPROTOCOL, ""},
        {LISTED, "{\"items\":[]}", KIN_EPROTOCOL, ""},
        {LISTED, "{\"kind\":\"PodList\",\"items\":null}", 0, " @"},
        {LISTED, "{\"kind\":\"Pods\",\"items\":[]}", 0, " @"},
        /* A Status where HTTP says that all is well. */
        {OBJECT, STATUS(404, "NotFound"), KIN_ENOTFOUND, ""},
        {LISTED, STATUS(410, "Expired"), KIN_EEXPIRED, ""},
        {LISTED, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}",
         KIN_EPROTOCOL, ""},
        {WATCHED, "{\"type\":\"ERROR\",\"object\":" STATUS(410, "Expired") "}", KIN_EEXPIRED, ""},
        {WATCHED,
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
         "\"status\":\"Success\"}}",
         KIN_EPROTOCOL, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        client_fixture f;
        struct run run;

        open_without_retries(&f, NULL);
        client_route(&f, NULL, NULL, 200, cases[i].body);
        run_kind(&f, cases[i].kind, NULL, &run);
        if (run.code != cases[i].code || strcmp(run.seen.text, cases[i].seen) != 0)
            fail_msg("%s %s: %s \"%s\" (%s)", kind_names[cases[i].kind], cases[i].body,
                     kin_error_name(run.code), run.seen.text, run.err.message);
        if (run.err.http_status > 0)
            assert_non_null(run.status);
        run_done(&run);
        client_close(&f);
    }
}

static void other_content_types_are_refused(void **state)
{
    static const char *const types[] = {"text/html", "text/plain; charset=utf-8", "",
                                        "application/cbor", "application/yaml"};

    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        client_fixture f;
        struct run run;

        open_without_retries(&f, NULL);
        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
            kin_test_http_add_route(
                f.server,
                &(kin_test_http_route){.body = bodies[kind], .content_type = types[i], .times = 1});
            run_kind(&f, kind, NULL, &run);
            assert_code(run.code, KIN_EPROTOCOL);
            assert_string_equal(run.seen.text, "");
            if (types[i][0])
                assert_non_null(strstr(run.err.message, i == 1 ? "text/plain" : types[i]));
        }
        kin_test_http_add_route(
            f.server, &(kin_test_http_route){.body = bodies[kind],
                                             .content_type = "Application/JSON; charset=utf-8"});
        run_kind(&f, kind, NULL, &run);
        assert_code(run.code, 0);
        client_close(&f);
    }
}

static void what_is_too_long_is_refused(void **state)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    client_fixture f;
    struct run run;

    (void)state;
    for (enum kind kind = 0; kind < TEXT; kind++) {
        decode.max_bytes = 20;
        open_without_retries(&f, NULL);
        client_route(&f, NULL, NULL, 200, bodies[kind]);
        run_kind(&f, kind, &decode, &run);
        assert_code(run.code, KIN_ELIMIT);
        client_close(&f);

        /* What the server says of a failure is read all the same. */
        open_without_retries(&f, NULL);
        client_route(&f, NULL, NULL, 404, STATUS(404, "NotFound"));
        run_kind(&f, kind, &decode, &run);
        assert_code(run.code, KIN_ENOTFOUND);
        assert_non_null(strstr(run.err.message, "it says"));
        run_done(&run);
        client_close(&f);
    }
    decode = (kin_decode_options)KIN_DECODE_OPTIONS_INIT;
    decode.max_depth = 1;
    open_without_retries(&f, NULL);
    client_route(&f, NULL, NULL, 200, POD);
    run_kind(&f, OBJECT, &decode, &run);
    assert_code(run.code, KIN_ELIMIT);
    client_close(&f);
}

/* Nobody would read an error page of gigabytes. */
static void a_long_failure_is_read_in_part(void **state)
{
    char *text = malloc((3 << 20) + 1);
    client_fixture f;
    struct run run;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', 3 << 20);
    text[3 << 20] = '\0';
    open_without_retries(&f, NULL);
    client_route(&f, NULL, NULL, 500, text);
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        run_kind(&f, kind, NULL, &run);
        assert_code(run.code, KIN_ESERVER);
        assert_int_equal(run.err.http_status, 500);
        run_done(&run);
    }
    client_close(&f);
    free(text);
}

static int keep_item(const kin_object *object, void *arg, kin_error *err)
{
    const kin_object **kept = arg;

    (void)err;
    if (!*kept)
        *kept = kin_object_ref(object);
    return 0;
}

/* Nobody waits for its end, of a watch for ever. */
static void a_failure_without_an_end_is_one(void **state)
{
    (void)state;
    for (enum kind kind = 0; kind < N_KINDS; kind++) {
        client_fixture f;
        struct run run;

        open_without_retries(&f, NULL);
        kin_test_http_add_route(
            f.server, &(kin_test_http_route){.status = 503, .shape = KIN_TEST_HTTP_ENDLESS_BODY});
        run_kind(&f, kind, NULL, &run);
        assert_code(run.code, KIN_ESERVER);
        assert_int_equal(run.err.http_status, 503);
        kin_test_http_await_open(f.server, 0);
        run_done(&run);
        client_close(&f);
    }
}

static void what_was_told_outlives_a_failure(void **state)
{
    const kin_object *kept = NULL;
    client_fixture f;

    (void)state;
    open_without_retries(&f, NULL);
    kin_test_http_add_route(f.server,
                            &(kin_test_http_route){.body = PODS, .shape = KIN_TEST_HTTP_SHORT});
    assert_code(kin_client_list(f.client, NULL, f.pods, NULL, keep_item, &kept, NULL, NULL),
                KIN_ECONNECT);
    client_close(&f);
    assert_string_equal(kin_object_key(kept), "ns/a");
    kin_object_unref(kept);
}

static void a_projection_is_applied(void **state)
{
    kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    const kin_object *pod = NULL;
    client_fixture f;

    (void)state;
    assert_code(kin_projection_drop(&projection, kin_str_of("spec"), NULL), 0);
    decode.projection = projection;
    options.decode = &decode;
    open_without_retries(&f, NULL);
    client_route(&f, NULL, NULL, 200,
                 "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"},"
                 "\"spec\":{\"x\":1},\"status\":{\"y\":2}}");
    assert_code(kin_client_get(f.client, &pod, f.pods, "ns", "a", &options, NULL), 0);
    assert_int_equal(kin_value_type(kin_object_find(pod, "spec")), KIN_NONE);
    assert_int_equal(kin_value_type(kin_object_find(pod, "status.y")), KIN_INTEGER);
    kin_object_unref(pod);
    kin_projection_unref(projection);
    client_close(&f);
}

/* --- warnings --- */

struct warned {
    char text[1024];
    unsigned n;
    unsigned n_freed;
};

static void note_warning(kin_str text, void *arg)
{
    struct warned *warned = arg;
    size_t len = strlen(warned->text);

    snprintf(warned->text + len, sizeof(warned->text) - len, "[%.*s]", (int)text.len, text.data);
    warned->n++;
}

static void free_warned(void *arg)
{
    ((struct warned *)arg)->n_freed++;
}

#define WARNINGS                                                                                   \
    "Warning: 299 - \"v1beta1 is old\"\r\nWarning: 299 - \"a \\\"quote\\\"\", 299 - \"two\"\r\n"   \
    "Warning: 199 - \"not for us\"\r\nWarning: nonsense\r\n"

static void warnings_are_called_back(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    struct warned warned = {.n = 0};
    client_fixture f;

    (void)state;
    options.warning = note_warning;
    options.warning_arg = &warned;
    options.warning_arg_free = free_warned;
    client_open(&f, &options, NULL);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = POD, .fields = WARNINGS});
    assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, NULL), 0);
    assert_string_equal(warned.text, "[v1beta1 is old][a \"quote\"][two]");
    assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, NULL), 0);
    assert_int_equal(warned.n, 6);
    assert_int_equal(warned.n_freed, 0);
    client_close(&f);
    assert_int_equal(warned.n_freed, 1);

    /* A client that was not made does not release what it was given. */
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client *client = NULL;
    config.server = "http://127.0.0.1:1";
    assert_code(kin_config_new(&options.config, &config, NULL), 0);
    options.user_agent = "a\nb";
    assert_code(kin_client_new(&client, &options, NULL), KIN_EINVAL);
    assert_int_equal(warned.n_freed, 1);
    kin_config_unref(options.config);
}

struct logged {
    pthread_mutex_t lock;
    struct warned warned;
};

static void note_record(const kin_log_record *record, void *arg)
{
    struct logged *logged = arg;

    if (record->level != KIN_LOG_WARN)
        return;
    pthread_mutex_lock(&logged->lock);
    for (size_t i = 0; i < record->n_fields; i++) {
        if (strcmp(record->fields[i].key, "warning") == 0)
            note_warning(record->fields[i].value.str, &logged->warned);
    }
    pthread_mutex_unlock(&logged->lock);
}

static void each_warning_is_logged_once(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    struct logged logged = {.lock = PTHREAD_MUTEX_INITIALIZER};
    client_fixture f;

    (void)state;
    assert_code(kin_logger_new(&options.logger, KIN_LOG_INFO, note_record, &logged, NULL, NULL), 0);
    client_open(&f, &options, NULL);
    kin_test_http_add_route(f.server,
                            &(kin_test_http_route){.body = POD, .fields = WARNINGS, .times = 3});
    for (int i = 0; i < 3; i++)
        assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, NULL), 0);
    assert_string_equal(logged.warned.text, "[v1beta1 is old][a \"quote\"][two]");
    /* A server that makes them up is not believed for ever. */
    for (int i = 0; i < 300; i++) {
        char fields[64];

        snprintf(fields, sizeof(fields), "Warning: 299 - \"number %d\"\r\n", i);
        kin_test_http_add_route(f.server,
                                &(kin_test_http_route){.body = POD, .fields = fields, .times = 1});
        assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, NULL), 0);
    }
    assert_int_equal(logged.warned.n, 256);
    client_close(&f);
    kin_logger_unref(options.logger);
}

/* --- what requests say --- */

static void assert_field(client_fixture *f, unsigned index, const char *name, const char *value)
{
    const char *given = kin_test_http_field_of(kin_test_http_request_at(f->server, index), name);

    assert_non_null(given);
    assert_string_equal(given, value);
}

static void requests_say_as_whom_they_act(void **state)
{
    static const char *const groups[] = {"system:masters", "two words"};
    static const char *const scopes[] = {"view", "edit"};
    static const char *const one[] = {"1"};
    static const kin_impersonate_extra extra[] = {{"scopes", scopes, 2},
                                                  {"acme.com/project%x \xc3\xa4", one, 1}};
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    const kin_test_http_request *request;
    client_fixture f;

    (void)state;
    config.impersonate_user = "jane@example.com";
    config.impersonate_uid = "0815";
    config.impersonate_groups = groups;
    config.n_impersonate_groups = 2;
    config.impersonate_extra = extra;
    config.n_impersonate_extra = 2;
    config.token = "secret";
    options.user_agent = "tester/1.0 (here)";
    client_open_as(&f, &options, NULL, &config);
    client_route(&f, NULL, NULL, 200, POD);
    assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, NULL), 0);
    request = kin_test_http_request_at(f.server, 0);
    assert_field(&f, 0, "Impersonate-User", "jane@example.com");
    assert_field(&f, 0, "Impersonate-Uid", "0815");
    assert_field(&f, 0, "Impersonate-Group", "system:masters");
    assert_int_equal(kin_test_http_fields_of(request, "Impersonate-Group"), 2);
    assert_field(&f, 0, "Impersonate-Extra-scopes", "view");
    assert_int_equal(kin_test_http_fields_of(request, "Impersonate-Extra-scopes"), 2);
    assert_field(&f, 0, "Impersonate-Extra-acme.com%2Fproject%25x%20%C3%A4", "1");
    assert_field(&f, 0, "Authorization", "Bearer secret");
    assert_field(&f, 0, "User-Agent", "tester/1.0 (here)");
    client_close(&f);
}

static void requests_say_what_they_accept(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    client_seen seen = {.n = 0};
    client_fixture f;

    (void)state;
    options.metadata_only = true;
    open_without_retries(&f, NULL);
    client_route(&f, NULL, "/api/v1/namespaces/ns/pods/web*", 200, POD);
    kin_client_get(f.client, NULL, f.pods, "ns", "web", &options, NULL);
    kin_client_list(f.client, NULL, f.pods, NULL, client_see_item, &seen, &options, NULL);
    kin_client_watch(f.client, f.pods, NULL, client_see_event, &seen, &options, NULL);
    kin_client_delete(f.client, NULL, f.pods, "ns", "web", &options, NULL);
    kin_client_delete_collection(f.client, NULL, f.pods, "ns", &options, NULL);
    assert_field(&f, 0, "Accept",
                 "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                 "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    assert_field(
        &f, 1, "Accept",
        "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,"
        "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    assert_field(&f, 2, "Accept",
                 "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                 "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    assert_field(&f, 3, "Accept", "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1");
    /* A list is what is answered, and nothing else would be acceptable. */
    assert_field(&f, 4, "Accept",
                 "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1");
    client_close(&f);
}

/* What was refused is not to be tried again as what was lost would be. */
static void a_write_is_refused_even_if_the_answer_is_cut_off(void **state)
{
    /* All of the Status, a part of it, and nothing. */
    static const size_t missing[] = {1, 20, 1000};
    const kin_object *pod = client_object(POD);

    (void)state;
    for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
        const char *status = STATUS(413, "RequestEntityTooLarge");
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        const kin_object *told = NULL;
        kin_error err = KIN_ERROR_INIT;
        char body[256];
        client_fixture f;

        snprintf(body, sizeof(body), "%.*s", (int)(i == 2 ? 0 : strlen(status) - (i == 1) * 20),
                 status);
        open_without_retries(&f, NULL);
        kin_test_http_add_route(f.server, &(kin_test_http_route){.status = 413,
                                                                 .body = body,
                                                                 .size = missing[i],
                                                                 .shape = KIN_TEST_HTTP_SHORT});
        options.ret_status = &told;
        assert_code(kin_client_create(f.client, NULL, f.pods, "ns", pod, &options, &err),
                    KIN_EREFUSED);
        assert_int_equal(err.http_status, 413);
        assert_string_equal(err.reason, "RequestEntityTooLarge");
        assert_int_equal(kin_status_code(told), 413);
        kin_object_unref(told);
        /* A read is as good as not sent. */
        assert_code(kin_client_get(f.client, NULL, f.pods, "ns", "web", NULL, &err), KIN_ECONNECT);
        client_close(&f);
    }
    kin_object_unref(pod);
}

static void a_user_agent_that_breaks_a_header_is_refused(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    char text[1100];
    kin_client *client = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    config.server = "http://127.0.0.1:1";
    assert_code(kin_config_new(&options.config, &config, NULL), 0);
    options.user_agent = "a\r\nX: y";
    assert_code(kin_client_new(&client, &options, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "user_agent"));
    memset(text, 'a', sizeof(text));
    text[1025] = '\0';
    options.user_agent = text;
    assert_code(kin_client_new(&client, &options, &err), KIN_EINVAL);
    text[1024] = '\0';
    assert_code(kin_client_new(&client, &options, &err), 0);
    kin_client_free(client);
    kin_config_unref(options.config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(every_shape_has_a_clear_end),
        client_test(every_split_gives_the_same),
        client_test(every_cut_gives_the_same),
        client_test(a_text_that_ends_too_early_is_none),
        client_test(damage_is_no_early_end_however_it_is_cut),
        client_test(a_content_that_was_not_asked_for_is_refused),
        client_test(other_content_types_are_refused),
        client_test(what_is_too_long_is_refused),
        client_test(a_long_failure_is_read_in_part),
        client_test(a_failure_without_an_end_is_one),
        client_test(what_was_told_outlives_a_failure),
        client_test(a_projection_is_applied),
        client_test(warnings_are_called_back),
        client_test(each_warning_is_logged_once),
        client_test(requests_say_as_whom_they_act),
        client_test(requests_say_what_they_accept),
        client_test(a_write_is_refused_even_if_the_answer_is_cut_off),
        client_test(a_user_agent_that_breaks_a_header_is_refused),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
