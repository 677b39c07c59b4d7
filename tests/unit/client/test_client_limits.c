/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Limits of what a server can make a client read: how far a compressed answer expands, and how long a
 * list is.
 */
#include <stdlib.h>
#include <string.h>

#include "client_support.h"
#include "rng.h"

#define HEAD "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":["
#define MIB ((size_t)1024 * 1024)

struct text {
    char *data;
    size_t len;
};

/* An empty list that is long: gzip makes a thousandth of the blanks in it. */
static struct text blank_list(size_t len)
{
    struct text text = {malloc(len + 1), len};

    assert_non_null(text.data);
    memset(text.data, ' ', len);
    memcpy(text.data, HEAD, strlen(HEAD));
    memcpy(text.data + len - 2, "]}", 3);
    return text;
}

/* The same long text in many objects: nothing that is real compresses better. */
static struct text repeating_list(size_t n)
{
    enum { LONG = 12000 };
    static char value[LONG + 1];
    struct text text = {malloc(n * (LONG + 200) + 200), 0};
    kin_test_rng rng = {7};

    assert_non_null(text.data);
    for (size_t i = 0; i < LONG; i++)
        value[i] = (char)('a' + kin_test_below(&rng, 26));
    text.len = (size_t)sprintf(text.data, HEAD);
    for (size_t i = 0; i < n; i++)
        text.len += (size_t)sprintf(
            text.data + text.len,
            "%s{\"metadata\":{\"name\":\"a\",\"namespace\":\"n%zu\",\"uid\":\"%016llx\"},"
            "\"data\":{\"file\":\"%s\"}}",
            i ? "," : "", i, (unsigned long long)kin_test_random(&rng), value);
    text.len += (size_t)sprintf(text.data + text.len, "]}");
    return text;
}

static int count(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(size_t *)arg;
    return 0;
}

static int list(const kin_client_options *options, struct text body, bool gzip, size_t *ret_n,
                kin_error *err)
{
    client_fixture f;

    client_open(&f, options, NULL);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = body.data,
                                                             .body_len = body.len,
                                                             .shape = gzip ? KIN_TEST_HTTP_GZIP
                                                                           : KIN_TEST_HTTP_LENGTH});
    *ret_n = 0;
    int code = kin_client_list(f.client, NULL, f.pods, NULL, count, ret_n, NULL, err);
    client_close(&f);
    return code;
}

static void a_bomb_is_refused(void **state)
{
    static const struct {
        int ratio;
        size_t size;
        int code;
    } cases[] = {
        {0, 48 * MIB, KIN_ELIMIT},   {-1, 48 * MIB, 0}, {2000, 48 * MIB, 0},
        {500, 48 * MIB, KIN_ELIMIT}, {2, 31 * MIB, 0},  {2, 33 * MIB, KIN_ELIMIT},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        kin_error err = KIN_ERROR_INIT;
        struct text body = blank_list(cases[i].size);
        size_t n;

        options.max_gzip_ratio = cases[i].ratio;
        assert_code(list(&options, body, true, &n, &err), cases[i].code);
        if (cases[i].code < 0)
            assert_non_null(strstr(err.message, "max_gzip_ratio"));
        free(body.data);
    }
    /* Without compression there is no ratio. */
    struct text body = blank_list(48 * MIB);
    size_t n;
    assert_code(list(NULL, body, false, &n, NULL), 0);
    free(body.data);
}

static void a_list_that_repeats_itself_is_not(void **state)
{
    struct text body = repeating_list(3500);
    kin_error err = KIN_ERROR_INIT;
    size_t n;

    (void)state;
    assert_true(body.len > 40 * MIB);
    assert_code(list(NULL, body, true, &n, &err), 0);
    assert_int_equal(n, 3500);
    free(body.data);
}

static void a_list_is_as_long_as_it_may_be(void **state)
{
    struct text body = repeating_list(50);

    (void)state;
    for (int gzip = 0; gzip < 2; gzip++) {
        kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
        kin_error err = KIN_ERROR_INIT;
        size_t n;

        options.max_list_bytes = (int64_t)body.len;
        assert_code(list(&options, body, gzip, &n, &err), 0);
        assert_int_equal(n, 50);
        options.max_list_bytes--;
        assert_code(list(&options, body, gzip, &n, &err), KIN_ELIMIT);
        assert_non_null(strstr(err.message, "max_list_bytes"));
        options.max_list_bytes = -1;
        assert_code(list(&options, body, gzip, &n, &err), 0);
    }
    free(body.data);
}

static int list_pages(int64_t max, size_t *ret_n, kin_error *err)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    client_fixture f;

    options.max_list_bytes = max;
    client_open(&f, &options, NULL);
    client_route(&f, NULL, "/api/v1/pods?continue=x*", 200,
                 LIST("\"resourceVersion\":\"1\"", ITEM("c") "," ITEM("d")));
    client_route(&f, NULL, "/api/v1/pods?*", 200,
                 LIST("\"continue\":\"x\",\"x\":\"\"", ITEM("a") "," ITEM("b")));
    *ret_n = 0;
    int code = kin_client_list_all(f.client, NULL, f.pods, NULL, count, NULL, ret_n, NULL, err);
    client_close(&f);
    return code;
}

static void pages_are_one_list(void **state)
{
    int64_t len = (int64_t)strlen(LIST("\"resourceVersion\":\"1\"", ITEM("c") "," ITEM("d"))) +
                  (int64_t)strlen(LIST("\"continue\":\"x\",\"x\":\"\"", ITEM("a") "," ITEM("b")));
    kin_error err = KIN_ERROR_INIT;
    size_t n;

    (void)state;
    assert_code(list_pages(len, &n, &err), 0);
    assert_int_equal(n, 4);
    assert_code(list_pages(len - 1, &n, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "max_list_bytes"));
}

/* --- streaming lists --- */

#define ADDED(name) "{\"type\":\"ADDED\",\"object\":" ITEM(name) "}\n"
/* A bookmark that is not the end, and one that is, without its newline. */
#define BOOKMARK "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"3\"}}}\n"
#define END                                                                                        \
    "{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"4\",\"annotations\":{" \
    "\"k8s.io/initial-events-end\":\"true\"}}}}"
#define INITIAL ADDED("a") ADDED("b") BOOKMARK

struct stream {
    bool is_list; /* with initial events */
    int64_t max;
    size_t piece; /* bytes that the server sends at once; 0: all */
    const char *text;
};

static void send_stream(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", "application/json");
    kin_test_http_chunk_text(conn, ((struct stream *)arg)->text);
    kin_test_http_end_chunks(conn);
}

static int watch(struct stream *stream, client_seen *ret_seen, kin_error *err)
{
    kin_test_http_options server = {.handler = send_stream, .arg = stream, .split = stream->piece};
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_request_options request = KIN_REQUEST_OPTIONS_INIT;
    client_fixture f;
    int code;

    options.max_list_bytes = stream->max;
    request.send_initial_events = stream->is_list;
    *ret_seen = (client_seen){.n = 0};
    client_open(&f, &options, &server);
    code = kin_client_watch(f.client, f.pods, NULL, client_see_event, ret_seen, &request, err);
    client_close(&f);
    return code;
}

/* The end of the streaming list is within the limit, or one byte beyond it. */
static void a_streaming_list_is_as_long_as_it_may_be(void **state)
{
    static const size_t pieces[] = {0, 1, 7};
    const int64_t len = (int64_t)strlen(INITIAL END);

    (void)state;
    for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
        struct stream stream = {true, len, pieces[i], INITIAL END "\n" ADDED("c") ADDED("d")};
        kin_error err = KIN_ERROR_INIT;
        client_seen seen;

        /* What follows the end is not limited. */
        assert_code(watch(&stream, &seen, &err), 0);
        assert_int_equal(seen.n, 6);
        stream.max--;
        assert_code(watch(&stream, &seen, &err), KIN_ELIMIT);
        assert_int_equal(seen.n, 3);
        assert_non_null(strstr(err.message, "streaming list"));
        assert_non_null(strstr(err.message, "max_list_bytes"));
        stream.max = -1;
        assert_code(watch(&stream, &seen, &err), 0);
    }
}

/* A bookmark that is not the end does not lift the limit. */
static void a_streaming_list_without_an_end_is_limited(void **state)
{
    struct stream stream = {true, (int64_t)strlen(INITIAL ADDED("c")), 0,
                            INITIAL ADDED("c") ADDED("d")};
    kin_error err = KIN_ERROR_INIT;
    client_seen seen;

    (void)state;
    assert_code(watch(&stream, &seen, &err), KIN_ELIMIT);
    assert_int_equal(seen.n, 4);
}

static void a_watch_is_not_a_list(void **state)
{
    struct stream stream = {false, 10, 0, INITIAL ADDED("c") ADDED("d")};
    kin_error err = KIN_ERROR_INIT;
    client_seen seen;

    (void)state;
    assert_code(watch(&stream, &seen, &err), 0);
    assert_int_equal(seen.n, 5);
}

/* --- pages that a program asks for itself --- */

struct page {
    size_t n;
    int code;
    uint64_t listed;
};

static void note_page(const kin_result *result, void *arg)
{
    struct page *page = arg;

    page->code = result->code;
    page->listed = result->listed_bytes;
}

static struct page list_page(client_fixture *f, uint64_t before)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_call_handlers handlers = KIN_CALL_HANDLERS_INIT;
    kin_request request = KIN_REQUEST_INIT;
    struct page page = {0, 0, 0};
    kin_call *call = NULL;

    options.listed_bytes = before;
    request.verb = KIN_VERB_LIST;
    request.resource = f->pods;
    request.options = &options;
    handlers.item = count;
    handlers.done = note_page;
    handlers.arg = &page;
    assert_code(kin_client_start(f->client, &call, &request, &handlers, NULL), 0);
    assert_code(kin_call_wait(call, -1, NULL), 0);
    kin_call_unref(call);
    return page;
}

static void a_result_says_what_the_next_page_needs(void **state)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    const uint64_t len = strlen(PODS);
    client_fixture f;
    struct page page;

    (void)state;
    options.max_list_bytes = (int64_t)(2 * len);
    client_open(&f, &options, NULL);
    client_route(&f, NULL, "/api/v1/pods*", 200, PODS);
    page = list_page(&f, 0);
    assert_code(page.code, 0);
    assert_int_equal(page.listed, len);
    page = list_page(&f, page.listed);
    assert_code(page.code, 0);
    assert_int_equal(page.listed, 2 * len);
    assert_int_equal(page.n, 2);
    assert_code(list_page(&f, page.listed).code, KIN_ELIMIT);
    assert_code(list_page(&f, UINT64_MAX).code, KIN_ELIMIT);
    client_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bomb_is_refused),
        cmocka_unit_test(a_list_that_repeats_itself_is_not),
        cmocka_unit_test(a_list_is_as_long_as_it_may_be),
        cmocka_unit_test(pages_are_one_list),
        cmocka_unit_test(a_result_says_what_the_next_page_needs),
        cmocka_unit_test(a_streaming_list_is_as_long_as_it_may_be),
        cmocka_unit_test(a_streaming_list_without_an_end_is_limited),
        cmocka_unit_test(a_watch_is_not_a_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
