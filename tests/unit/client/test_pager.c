/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists in pages.
 */
#include "client_support.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "protobuf_support.h"

#define TOKEN "a+b/c=&?\\u00e4 %"
#define TOKEN_ESCAPED "continue=a%2Bb%2Fc%3D%26%3F%C3%A4%20%25"

struct pages {
    client_seen seen;
    client_fixture *f;
    unsigned n_restarts;
    int restart_code;
    bool free_client; /* in the restart */
};

static int see(const kin_object *object, void *arg, kin_error *err)
{
    return client_see_item(object, &((struct pages *)arg)->seen, err);
}

static int restart(void *arg, kin_error *err)
{
    struct pages *pages = arg;

    pages->n_restarts++;
    pages->seen.text[0] = '\0';
    if (pages->free_client) {
        kin_client_free(pages->f->client);
        pages->f->client = NULL;
    }
    if (pages->restart_code)
        kin_error_set(err, pages->restart_code, "no restart");
    return pages->restart_code;
}

static void add_page(client_fixture *f, int status, const char *body)
{
    kin_test_http_add_route(f->server,
                            &(kin_test_http_route){.times = 1, .status = status, .body = body});
}

static const char *target(client_fixture *f, unsigned index)
{
    return kin_test_http_request_at(f->server, index)->target;
}

static int list_all(client_fixture *f, struct pages *pages, const kin_object **ret,
                    kin_list_restart_fn *fn, const kin_request_options *options, kin_error *err)
{
    return kin_client_list_all(f->client, ret, f->pods, "ns", see, fn, pages, options, err);
}

static void add_three(client_fixture *f)
{
    add_page(f, 200, LIST("\"resourceVersion\":\"9\",\"continue\":\"" TOKEN "\"", ITEM("a")));
    add_page(f, 200, LIST("\"resourceVersion\":\"9\",\"continue\":\"t2\"", ITEM("b")));
    add_page(f, 200, LIST("\"resourceVersion\":\"10\",\"continue\":\"\"", ITEM("c")));
}

static void pages_follow_each_other(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *list = NULL;
    struct pages pages = {.n_restarts = 0};
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    add_three(&f);
    options.resource_version = "5";
    options.resource_version_match = "NotOlderThan";
    options.label_selector = "app=web";
    options.limit = 1;
    assert_code(list_all(&f, &pages, &list, restart, &options, NULL), 0);
    assert_string_equal(pages.seen.text, "ns/a ns/b ns/c");
    assert_true(kin_str_equal(kin_object_resource_version(list), kin_str_of("10")));
    kin_object_unref(list);
    assert_int_equal(pages.n_restarts, 0);
    assert_int_equal(kin_test_http_count(f.server).requests, 3);
    assert_non_null(strstr(target(&f, 0), "resourceVersion=5"));
    assert_non_null(strstr(target(&f, 0), "resourceVersionMatch=NotOlderThan"));
    assert_null(strstr(target(&f, 0), "continue="));
    assert_null(strstr(target(&f, 1), "resourceVersion"));
    assert_null(strstr(target(&f, 2), "resourceVersion"));
    if (!strstr(target(&f, 1), TOKEN_ESCAPED))
        assert_non_null(strstr(target(&f, 1), "continue=a%2Bb%2Fc%3D%26%3F%C3%A4+%25"));
    assert_non_null(strstr(target(&f, 2), "continue=t2"));
    for (unsigned i = 0; i < 3; i++) {
        assert_non_null(strstr(target(&f, i), "limit=1"));
        assert_non_null(strstr(target(&f, i), "labelSelector=app%3Dweb"));
    }
    client_close(&f);
}

static unsigned number_in(const char *target, const char *name)
{
    const char *found = strstr(target, name);

    return found ? (unsigned)strtoul(found + strlen(name), NULL, 10) : 0;
}

/* A server of `*arg` objects, which goes on with the one that the token says. */
static void answer_page(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    unsigned n = *(const unsigned *)arg;
    unsigned first = number_in(request->target, "continue=");
    unsigned limit = number_in(request->target, "limit=");
    unsigned end = first + limit < n ? first + limit : n;
    char body[8192] = "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"items\":[";
    size_t len = strlen(body);

    for (unsigned i = first; i < end; i++)
        len += (size_t)snprintf(body + len, sizeof(body) - len,
                                "%s{\"metadata\":{\"name\":\"i%u\"}}", i > first ? "," : "", i);
    len += (size_t)snprintf(body + len, sizeof(body) - len, "],\"metadata\":{");
    if (end < n)
        len += (size_t)snprintf(body + len, sizeof(body) - len, "\"continue\":\"%u\",", end);
    snprintf(body + len, sizeof(body) - len, "\"resourceVersion\":\"20\"}}");
    kin_test_http_answer(conn, 200, "application/json", body);
}

static void all_come_whatever_their_number(void **state)
{
    static const unsigned numbers[] = {0, 1, 9, 10, 11, 19, 20, 21, 30};
    unsigned n;
    const kin_test_http_options server = {.handler = answer_page, .arg = &n};

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        const kin_object *list = NULL;
        struct pages pages = {.n_restarts = 0};
        char expected[1024] = "";
        size_t len = 0;
        client_fixture f;

        n = numbers[i];
        for (unsigned k = 0; k < n; k++)
            len +=
                (size_t)snprintf(expected + len, sizeof(expected) - len, "%si%u", k ? " " : "", k);
        client_open(&f, NULL, &server);
        options.limit = 10;
        assert_code(list_all(&f, &pages, &list, NULL, &options, NULL), 0);
        assert_string_equal(pages.seen.text, expected);
        assert_true(kin_str_equal(kin_object_resource_version(list), kin_str_of("20")));
        kin_object_unref(list);
        /* A page that is full is the last if the server says so. */
        assert_int_equal(kin_test_http_count(f.server).requests, n == 0 ? 1 : (n + 9) / 10);
        client_close(&f);
    }
}

static void without_a_limit_pages_have_500(void **state)
{
    struct pages pages = {.n_restarts = 0};
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    add_page(&f, 200, PODS);
    assert_code(list_all(&f, &pages, NULL, NULL, NULL, NULL), 0);
    assert_string_equal(pages.seen.text, "ns/a ns/b");
    assert_non_null(strstr(target(&f, 0), "limit=500"));
    client_close(&f);
}

static void a_version_that_is_gone_begins_again_without_pages(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct pages pages = {.n_restarts = 0};
    client_fixture f;

    (void)state;
    options.resource_version = "5";
    /* Even of one that somebody else has begun. */
    options.continue_token = "t0";
    client_open(&f, NULL, NULL);
    add_page(&f, 200, LIST("\"continue\":\"t\"", ITEM("old")));
    add_page(&f, 410, STATUS(410, "Expired"));
    add_page(&f, 200, PODS);
    assert_code(list_all(&f, &pages, NULL, restart, &options, NULL), 0);
    assert_int_equal(pages.n_restarts, 1);
    assert_string_equal(pages.seen.text, "ns/a ns/b");
    assert_non_null(strstr(target(&f, 0), "continue=t0"));
    assert_null(strstr(target(&f, 2), "limit="));
    assert_null(strstr(target(&f, 2), "continue="));
    assert_non_null(strstr(target(&f, 2), "resourceVersion=5"));
    client_close(&f);
}

static void add_protobuf(client_fixture *f, const char *words)
{
    kin__buf body;

    kin_test_pb_body_of(&body, "v1", "PodList", words);
    kin_test_http_add_route(
        f->server, &(kin_test_http_route){.times = 1,
                                          .content_type = "application/vnd.kubernetes.protobuf",
                                          .body = body.data,
                                          .body_len = body.len});
    kin__buf_done(&body);
}

#define NEWER "1{ 2:9 } 2{ 1{ 1:a 3:ns } } 2{ 1{ 1:b 3:ns } 99:x }"

/* Objects of the first page were handed over, and of the second. */
static void protobuf_that_cannot_be_read_begins_again_in_json(void **state)
{
    (void)state;
    for (int page = 1; page <= 2; page++) {
        kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
        struct pages pages = {.n_restarts = 0};
        unsigned last = page == 1 ? 1 : 2;
        client_fixture f;

        client_open(&f, NULL, NULL);
        if (page == 2)
            add_protobuf(&f, "1{ 2:9 3:t } 2{ 1{ 1:old 3:ns } }");
        add_protobuf(&f, NEWER);
        add_page(&f, 200, LIST("\"continue\":\"t2\"", ITEM("a")));
        add_page(&f, 200, LIST("", ITEM("b")));
        options.resource_version = "5";
        options.limit = 1;
        assert_code(list_all(&f, &pages, NULL, restart, &options, NULL), 0);
        assert_int_equal(pages.n_restarts, 1);
        assert_string_equal(pages.seen.text, "ns/a ns/b");
        assert_non_null(strstr(target(&f, last), "resourceVersion=5"));
        assert_non_null(strstr(target(&f, last), "limit=1"));
        assert_non_null(strstr(target(&f, last + 1), "continue=t2"));
        assert_string_equal(
            kin_test_http_field_of(kin_test_http_request_at(f.server, last), "Accept"),
            "application/json");
        client_close(&f);
    }
}

/* Both: the list without pages cannot be read in protobuf either. */
static void a_version_that_is_gone_is_followed_by_json(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct pages pages = {.n_restarts = 0};
    kin_error err = KIN_ERROR_INIT;
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    add_protobuf(&f, "1{ 2:9 3:t } 2{ 1{ 1:old 3:ns } }");
    add_page(&f, 410, STATUS(410, "Expired"));
    add_protobuf(&f, NEWER);
    add_page(&f, 200, PODS);
    options.resource_version = "5";
    assert_code(list_all(&f, &pages, NULL, restart, &options, &err), 0);
    assert_int_equal(pages.n_restarts, 2);
    assert_string_equal(pages.seen.text, "ns/a ns/b");
    assert_int_equal(kin_test_http_count(f.server).requests, 4);
    for (unsigned i = 2; i < 4; i++) {
        assert_non_null(strstr(target(&f, i), "resourceVersion=5"));
        assert_null(strstr(target(&f, i), "limit="));
        assert_null(strstr(target(&f, i), "continue="));
    }
    assert_string_equal(kin_test_http_field_of(kin_test_http_request_at(f.server, 3), "Accept"),
                        "application/json");
    client_close(&f);
}

/* The first object of a page: the page is asked for again, and nothing is taken back. */
static void a_page_may_be_asked_for_again_in_json(void **state)
{
    struct pages pages = {.n_restarts = 0};
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    add_protobuf(&f, "1{ 2:9 3:t } 2{ 1{ 1:a 3:ns } }");
    add_protobuf(&f, "1{ 2:9 } 2{ 1{ 1:b 3:ns } 99:x }");
    add_page(&f, 200, LIST("", ITEM("b")));
    assert_code(list_all(&f, &pages, NULL, restart, NULL, NULL), 0);
    assert_int_equal(pages.n_restarts, 0);
    assert_string_equal(pages.seen.text, "ns/a ns/b");
    assert_non_null(strstr(target(&f, 2), "continue=t"));
    client_close(&f);
}

static void protobuf_that_cannot_be_read_may_be_a_failure(void **state)
{
    static const struct {
        bool has_restart;
        int restart_code;
        bool free_client;
        int code;
        unsigned requests;
    } cases[] = {
        {false, 0, false, KIN_EPROTOCOL, 1},
        {true, KIN_ERANGE, false, KIN_ERANGE, 1},
        {true, 0, true, KIN_ECLOSED, 1},
        /* The list in JSON fails. */
        {true, 0, false, KIN_EDENIED, 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pages pages = {.restart_code = cases[i].restart_code,
                              .free_client = cases[i].free_client};
        kin_error err = KIN_ERROR_INIT;
        client_fixture f;

        client_open(&f, NULL, NULL);
        pages.f = &f;
        add_protobuf(&f, NEWER);
        add_page(&f, 403, STATUS(403, "No"));
        assert_code(list_all(&f, &pages, NULL, cases[i].has_restart ? restart : NULL, NULL, &err),
                    cases[i].code);
        assert_int_equal(err.code, cases[i].code);
        assert_int_equal(kin_test_http_count(f.server).requests, cases[i].requests);
        client_close(&f);
    }
}

/* Each way in which it can fail: which pages, with which restart, and what it gives. */
static void failures_are_passed_on(void **state)
{
    static const struct {
        const char *name;
        bool has_restart;
        int restart_code;
        bool free_client;
        size_t stop_at;
        int statuses[3];
        int code;
        unsigned restarts;
        unsigned requests;
        const char *seen;
    } cases[] = {
        {"gone on page 2, no restart",
         false,
         0,
         false,
         0,
         {200, 410, 200},
         KIN_EEXPIRED,
         0,
         2,
         "ns/a"},
        {"gone on page 1", true, 0, false, 0, {410, 200, 200}, KIN_EEXPIRED, 0, 1, ""},
        {"restart fails", true, KIN_ERANGE, false, 0, {200, 410, 200}, KIN_ERANGE, 1, 2, ""},
        {"restart gives what is no code", true, 5, false, 0, {200, 410, 200}, KIN_EINVAL, 1, 2, ""},
        {"restart frees the client", true, 0, true, 0, {200, 410, 200}, KIN_ECLOSED, 1, 2, ""},
        {"gone again", true, 0, false, 0, {200, 410, 410}, KIN_EEXPIRED, 1, 3, ""},
        {"denied on page 2", true, 0, false, 0, {200, 403, 200}, KIN_EDENIED, 0, 2, "ns/a"},
        {"page 2 again", true, 0, false, 0, {200, 200, 200}, KIN_EPROTOCOL, 0, 2, "ns/a ns/a"},
        {"item fails", true, 0, false, 1, {200, 200, 200}, KIN_ERANGE, 0, 1, "ns/a"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct pages pages = {.restart_code = cases[i].restart_code,
                              .free_client = cases[i].free_client};
        const kin_object *list = NULL;
        kin_error err = KIN_ERROR_INIT;
        client_fixture f;

        print_message("%s\n", cases[i].name);
        client_open(&f, NULL, NULL);
        pages.f = &f;
        pages.seen.stop_at = cases[i].stop_at;
        for (int page = 0; page < 3; page++) {
            int status = cases[i].statuses[page];

            if (status == 200)
                add_page(&f, 200, LIST("\"continue\":\"t\"", ITEM("a")));
            else
                add_page(&f, status, status == 410 ? STATUS(410, "Expired") : STATUS(403, "No"));
        }
        assert_code(list_all(&f, &pages, &list, cases[i].has_restart ? restart : NULL, NULL, &err),
                    cases[i].code);
        assert_int_equal(err.code, cases[i].code);
        assert_null(list);
        assert_int_equal(pages.n_restarts, cases[i].restarts);
        assert_int_equal(kin_test_http_count(f.server).requests, cases[i].requests);
        assert_string_equal(pages.seen.text, cases[i].seen);
        client_close(&f);
    }
}

static void arguments_are_checked(void **state)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    struct pages pages = {.n_restarts = 0};
    client_fixture f;

    (void)state;
    client_open(&f, NULL, NULL);
    assert_code(kin_client_list_all(NULL, NULL, f.pods, NULL, see, NULL, &pages, NULL, NULL),
                KIN_EINVAL);
    assert_code(kin_client_list_all(f.client, NULL, NULL, NULL, see, NULL, &pages, NULL, NULL),
                KIN_EINVAL);
    assert_code(kin_client_list_all(f.client, NULL, f.pods, NULL, NULL, NULL, &pages, NULL, NULL),
                KIN_EINVAL);
    options.size = 3;
    assert_code(list_all(&f, &pages, NULL, NULL, &options, NULL), KIN_EINVAL);
    options.size = sizeof(options);
    options.limit = -1;
    assert_code(list_all(&f, &pages, NULL, NULL, &options, NULL), KIN_EINVAL);
    assert_int_equal(kin_test_http_count(f.server).requests, 0);
    client_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(pages_follow_each_other),
        client_test(all_come_whatever_their_number),
        client_test(without_a_limit_pages_have_500),
        client_test(a_version_that_is_gone_begins_again_without_pages),
        client_test(protobuf_that_cannot_be_read_begins_again_in_json),
        client_test(a_version_that_is_gone_is_followed_by_json),
        client_test(a_page_may_be_asked_for_again_in_json),
        client_test(protobuf_that_cannot_be_read_may_be_a_failure),
        client_test(failures_are_passed_on),
        client_test(arguments_are_checked),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
