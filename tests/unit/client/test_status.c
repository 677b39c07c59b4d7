/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the server says of failures: codes, Statuses that it sent and that were made, warnings.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "client/status.h"
#include "kinform/json.h"
#include "oom.h"

static const kin_object *read_failure(const kin__failure *failure, int expected, kin_error *err)
{
    const kin_object *status = NULL;

    assert_code(kin__failure_read(&status, failure, err), expected);
    assert_int_equal(err->code, expected);
    assert_int_equal(err->http_status, failure->http_status);
    assert_non_null(status);
    assert_true(kin_object_is_status(status));
    return status;
}

static kin__failure failure_of(int http_status, const char *body)
{
    return (kin__failure){http_status, "GET", -1, kin_str_of(body), false};
}

static void assert_text(kin_str text, const char *expected)
{
    if (!kin_str_equal(text, kin_str_of(expected)))
        fail_msg("\"%" KIN_STR_FMT "\" is not \"%s\"", KIN_STR_ARG(text), expected);
}

static void reads_a_status(void **state)
{
    kin__failure failure = failure_of(
        422, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
             "\"message\":\"Deployment.apps \\\"web\\\" is invalid\",\"reason\":\"Invalid\","
             "\"details\":{\"name\":\"web\",\"group\":\"apps\",\"kind\":\"Deployment\",\"causes\":["
             "{\"reason\":\"FieldValueInvalid\",\"message\":\"must be 0 or more\","
             "\"field\":\"spec.replicas\"},{\"message\":\"and this\"}],\"retryAfterSeconds\":3},"
             "\"code\":422}\n");
    kin_error err = KIN_ERROR_INIT;
    const kin_object *status = read_failure(&failure, KIN_EREFUSED, &err);
    kin_scratch scratch;
    kin_cause cause;

    (void)state;
    assert_string_equal(err.message, "Deployment.apps \"web\" is invalid");
    assert_string_equal(err.reason, "Invalid");
    assert_int_equal(err.flags, KIN_ERROR_FATAL);
    assert_int_equal(err.retry_after_ms, 3000);
    assert_text(kin_status_reason(status, &scratch), "Invalid");
    assert_text(kin_status_message(status, &scratch), "Deployment.apps \"web\" is invalid");
    assert_int_equal(kin_status_code(status), 422);
    assert_text(kin_status_details_kind(status, &scratch), "Deployment");
    assert_text(kin_status_details_group(status, &scratch), "apps");
    assert_text(kin_status_details_name(status, &scratch), "web");
    assert_int_equal(kin_status_retry_after_ms(status), 3000);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_text(cause.reason, "FieldValueInvalid");
    assert_text(cause.message, "must be 0 or more");
    assert_text(cause.field, "spec.replicas");
    assert_code(kin_status_cause(&cause, status, 1), 0);
    assert_text(cause.reason, "");
    assert_text(cause.message, "and this");
    assert_code(kin_status_cause(&cause, status, 2), KIN_ENOTFOUND);
    assert_code(kin_status_cause(&cause, NULL, 0), KIN_EINVAL);
    assert_code(kin_status_cause(NULL, status, 0), KIN_EINVAL);
    kin_object_unref(status);
}

static void reads_a_status_that_says_little(void **state)
{
    kin__failure failure = failure_of(418, "{\"kind\":\"Status\",\"apiVersion\":\"v1\"}");
    kin_error err = KIN_ERROR_INIT;
    const kin_object *status = read_failure(&failure, KIN_EREFUSED, &err);
    kin_scratch scratch;
    kin_cause cause;

    (void)state;
    assert_string_equal(err.message, "the server answered 418: it refuses the request");
    assert_string_equal(err.reason, "");
    assert_int_equal(err.retry_after_ms, 0);
    assert_text(kin_status_reason(status, &scratch), "");
    assert_int_equal(kin_status_code(status), 0);
    assert_text(kin_status_details_name(status, &scratch), "");
    assert_int_equal(kin_status_retry_after_ms(status), -1);
    assert_code(kin_status_cause(&cause, status, 0), KIN_ENOTFOUND);
    kin_object_unref(status);
}

/* A reason that Kubernetes defines decides, whatever the HTTP status. */
static void takes_the_code_from_the_reason(void **state)
{
    static const struct {
        const char *reason;
        int code;
    } rows[] = {
        {"AlreadyExists", KIN_EEXISTS},
        {"Conflict", KIN_ECONFLICT},
        {"Expired", KIN_EEXPIRED},
        {"Gone", KIN_EEXPIRED},
        {"NotFound", KIN_ENOTFOUND},
        {"Unauthorized", KIN_EDENIED},
        {"Forbidden", KIN_EDENIED},
        {"TooManyRequests", KIN_ESERVER},
        {"InternalError", KIN_ESERVER},
        {"ServerTimeout", KIN_ESERVER},
        {"ServiceUnavailable", KIN_ESERVER},
        {"StorageReadError", KIN_ESERVER},
        {"Timeout", KIN_ESERVER},
        {"BadRequest", KIN_EREFUSED},
        {"Invalid", KIN_EREFUSED},
        {"MethodNotAllowed", KIN_EREFUSED},
        {"NotAcceptable", KIN_EREFUSED},
        {"RequestEntityTooLarge", KIN_EREFUSED},
        {"UnsupportedMediaType", KIN_EREFUSED},
        {"SomethingNew", KIN_EPROTOCOL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        char body[256];

        snprintf(body, sizeof(body),
                 "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"%s\"}", rows[i].reason);
        kin__failure failure = failure_of(300, body);
        kin_object_unref(read_failure(&failure, rows[i].code, &err));
        assert_string_equal(err.reason, rows[i].reason);
    }
}

static void takes_the_code_from_the_http_status(void **state)
{
    static const struct {
        int http_status;
        const char *method;
        int code;
        unsigned flags;
        const char *reason;
    } rows[] = {
        {400, "GET", KIN_EREFUSED, KIN_ERROR_FATAL, "BadRequest"},
        {401, "GET", KIN_EDENIED, KIN_ERROR_FATAL, "Unauthorized"},
        {403, "GET", KIN_EDENIED, KIN_ERROR_FATAL, "Forbidden"},
        {404, "GET", KIN_ENOTFOUND, KIN_ERROR_FATAL, "NotFound"},
        {405, "PUT", KIN_EREFUSED, KIN_ERROR_FATAL, "MethodNotAllowed"},
        {406, "GET", KIN_EREFUSED, KIN_ERROR_FATAL, "NotAcceptable"},
        {409, "PUT", KIN_ECONFLICT, KIN_ERROR_FATAL, "Conflict"},
        {409, "POST", KIN_EEXISTS, KIN_ERROR_FATAL, "AlreadyExists"},
        {410, "GET", KIN_EEXPIRED, KIN_ERROR_FATAL, "Gone"},
        {413, "PUT", KIN_EREFUSED, KIN_ERROR_FATAL, "RequestEntityTooLarge"},
        {415, "PUT", KIN_EREFUSED, KIN_ERROR_FATAL, "UnsupportedMediaType"},
        {422, "PUT", KIN_EREFUSED, KIN_ERROR_FATAL, "Invalid"},
        {429, "GET", KIN_ESERVER, KIN_ERROR_RETRIABLE, "TooManyRequests"},
        {499, "GET", KIN_EREFUSED, KIN_ERROR_FATAL, ""},
        {500, "GET", KIN_ESERVER, KIN_ERROR_RETRIABLE, "InternalError"},
        {502, "GET", KIN_ESERVER, KIN_ERROR_RETRIABLE, "InternalError"},
        {503, "GET", KIN_ESERVER, KIN_ERROR_RETRIABLE, "ServiceUnavailable"},
        {504, "GET", KIN_ESERVER, KIN_ERROR_RETRIABLE, "Timeout"},
        {307, "GET", KIN_EPROTOCOL, KIN_ERROR_RETRIABLE, ""},
        {0, NULL, KIN_EPROTOCOL, KIN_ERROR_RETRIABLE, ""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin__failure failure = {rows[i].http_status, rows[i].method, -1, {NULL, 0}, false};
        kin_error err = KIN_ERROR_INIT;
        const kin_object *status = read_failure(&failure, rows[i].code, &err);
        kin_scratch scratch;

        assert_int_equal(err.flags, rows[i].flags);
        assert_string_equal(err.reason, rows[i].reason);
        assert_text(kin_status_reason(status, &scratch), rows[i].reason);
        assert_int_equal(kin_status_code(status), rows[i].http_status);
        kin_object_unref(status);
    }
}

static void tells_what_a_body_that_is_no_status_says(void **state)
{
    kin__failure failure = failure_of(502, "\r\n <h1>Bad\tGateway</h1>\x01 \xc3\xa4\xff\n");
    kin_error err = KIN_ERROR_INIT;
    const kin_object *status = read_failure(&failure, KIN_ESERVER, &err);
    kin_scratch scratch;
    kin_cause cause;

    (void)state;
    assert_string_equal(err.message,
                        "the server answered 502: it failed: <h1>Bad Gateway</h1>  \xc3\xa4?");
    assert_text(kin_status_message(status, &scratch), err.message);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_text(cause.reason, "UnexpectedServerResponse");
    assert_text(cause.message, "<h1>Bad Gateway</h1>  \xc3\xa4?");
    kin_object_unref(status);

    /* Objects of another kind, a Status of success, and what is nearly JSON are no better. */
    static const char *const others[] = {
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v2\"}",
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\"",
        "[]",
    };
    for (size_t i = 0; i < kin__array_len(others); i++) {
        failure = failure_of(404, others[i]);
        status = read_failure(&failure, KIN_ENOTFOUND, &err);
        assert_non_null(strstr(err.message, others[i]));
        kin_object_unref(status);
    }
}

static void tells_so_much_of_a_body_and_no_more(void **state)
{
    size_t size = KIN__STATUS_MAX_BYTES + 1;
    char *body = malloc(size + 1);
    kin_error err = KIN_ERROR_INIT;
    kin__failure failure = {500, "GET", -1, {body, size}, false};
    kin_cause cause;

    (void)state;
    /* Characters of two bytes: the cut is between them, though the limit is even. */
    body[0] = 'x';
    for (size_t i = 1; i < size; i++)
        body[i] = i % 2 ? '\xc3' : '\xa4';
    const kin_object *status = read_failure(&failure, KIN_ESERVER, &err);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_int_equal(cause.message.len, KIN__STATUS_MAX_TEXT - 1);
    assert_int_equal(strlen(err.message), sizeof(err.message) - 1);
    kin_object_unref(status);

    /* Bytes that are no character fill it to the last. */
    memset(body, '\xff', size);
    status = read_failure(&failure, KIN_ESERVER, &err);
    assert_code(kin_status_cause(&cause, status, 0), 0);
    assert_int_equal(cause.message.len, KIN__STATUS_MAX_TEXT);
    kin_object_unref(status);

    /* The longest body that is read as a Status, and one byte more. */
    memset(body, ' ', size);
    const char text[] = "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"NotFound\"}";
    memcpy(body, text, strlen(text));
    failure.body.len = KIN__STATUS_MAX_BYTES;
    kin_object_unref(read_failure(&failure, KIN_ENOTFOUND, &err));
    failure.body.len++;
    kin_object_unref(read_failure(&failure, KIN_ESERVER, &err));
    free(body);
}

static void takes_the_longer_time_to_wait(void **state)
{
    static const char with_three[] =
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"details\":{\"retryAfterSeconds\":3}}";
    kin_error err = KIN_ERROR_INIT;
    kin__failure failure = failure_of(429, with_three);

    (void)state;
    failure.retry_after_ms = 1000;
    kin_object_unref(read_failure(&failure, KIN_ESERVER, &err));
    assert_int_equal(err.retry_after_ms, 3000);
    failure.retry_after_ms = 5000;
    kin_object_unref(read_failure(&failure, KIN_ESERVER, &err));
    assert_int_equal(err.retry_after_ms, 5000);

    failure = failure_of(429, "slow down");
    failure.retry_after_ms = 1500;
    const kin_object *status = read_failure(&failure, KIN_ESERVER, &err);
    assert_int_equal(err.retry_after_ms, 2000);
    assert_int_equal(kin_status_retry_after_ms(status), 2000);
    kin_object_unref(status);

    failure = failure_of(429, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"details\":"
                              "{\"retryAfterSeconds\":9223372036854775807}}");
    kin_object_unref(read_failure(&failure, KIN_ESERVER, &err));
    assert_int_equal(err.retry_after_ms, INT64_MAX);
}

static void reads_statuses_of_streams(void **state)
{
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_object_from_json(
                    &status,
                    kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\","
                               "\"message\":\"too old resource version: 1 (2)\",\"code\":410}"),
                    NULL, NULL),
                0);
    assert_code(kin__status_error(status, &err), KIN_EEXPIRED);
    assert_string_equal(err.message, "too old resource version: 1 (2)");
    assert_int_equal(err.http_status, 410);
    kin_object_unref(status);

    assert_code(kin_object_from_json(&status,
                                     kin_str_of("{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                                                "\"status\":\"Success\"}"),
                                     NULL, NULL),
                0);
    kin_error_clear(&err);
    assert_code(kin__status_error(status, &err), 0);
    assert_int_equal(err.code, 0);
    kin_object_unref(status);
    assert_false(kin_object_is_status(NULL));
}

static void takes_an_error_that_is_not_there(void **state)
{
    kin__failure failure = failure_of(404, "no");
    kin_error unset = {0};

    (void)state;
    assert_code(kin__failure_read(NULL, &failure, NULL), KIN_ENOTFOUND);
    assert_code(kin__failure_read(NULL, &failure, &unset), KIN_ENOTFOUND);
    assert_int_equal(unset.http_status, 0);
}

static void cuts_a_long_reason(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char body[512];
    char reason[101];

    (void)state;
    memset(reason, 'R', 100);
    reason[100] = '\0';
    snprintf(body, sizeof(body), "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"%s\"}",
             reason);
    kin__failure failure = failure_of(500, body);
    kin_object_unref(read_failure(&failure, KIN_ESERVER, &err));
    assert_int_equal(strlen(err.reason), sizeof(err.reason) - 1);
}

/* --- warnings --- */

static void reads_warnings(void **state)
{
    static const struct {
        const char *header;
        const char *texts[3];
    } rows[] = {
        {"299 - \"policy/v1beta1 is deprecated\"", {"policy/v1beta1 is deprecated"}},
        {"  299 kube-apiserver \"a \\\"b\\\" \\\\c\\d\" \"Wed, 21 Oct 2015 07:28:00 GMT\" ",
         {"a \"b\" \\cd"}},
        {"299 - \"one\", 299 - \"two\" \"date\" ,299 - \"three\"", {"one", "two", "three"}},
        {"299 - \"one\",", {"one"}},
        {"299 - \"\"", {""}},
        {"299 - \"one\" 299 - \"two\"", {NULL}},
        {"299 - \"one\", 299 \"two\"", {"one"}},
        {"", {NULL}},
        {"299", {NULL}},
        {"299 -", {NULL}},
        {"299 - ", {NULL}},
        {"299 - one", {NULL}},
        {"299 - \"one", {NULL}},
        {"299 - \"one\\", {NULL}},
        {"299 - \"one\\\"", {NULL}},
        {"299 - \"one\" \"date", {NULL}},
        {"99 - \"one\"", {NULL}},
        {"2x9 - \"one\"", {NULL}},
        {"299  - \"one\"", {NULL}},
        {"299 - \"o\tne\"", {NULL}},
        {"299 - \"o\\\tne\"", {NULL}},
        {"299 - \"o\xffne\"", {NULL}},
    };
    kin__buf text;

    (void)state;
    kin__buf_init(&text, 4096);
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_str rest = kin_str_of(rows[i].header);
        size_t n = 0;
        int code = 0;

        while (kin__warning_next(&rest, &code, &text)) {
            assert_true(n < 3 && rows[i].texts[n]);
            assert_text(kin__buf_str(&text), rows[i].texts[n]);
            assert_int_equal(code, 299);
            n++;
        }
        assert_true(n == 3 || !rows[i].texts[n]);
        assert_int_equal(rest.len, 0);
    }
    kin_str rest = kin_str_of("199 - \"misc\"");
    int code = 0;
    assert_true(kin__warning_next(&rest, &code, &text));
    assert_int_equal(code, 199);
    kin__buf_done(&text);

    kin__buf_init(&text, 3);
    rest = kin_str_of("299 - \"1234\", 299 - \"567\"");
    assert_true(kin__warning_next(&rest, &code, &text));
    assert_int_equal(text.failed, KIN_ELIMIT);
    assert_true(kin__warning_next(&rest, &code, &text));
    assert_text(kin__buf_str(&text), "567");
    kin__buf_done(&text);
}

/* --- memory --- */

static int read_both(void *arg, kin_error *err)
{
    static const char *const bodies[] = {
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"reason\":\"NotFound\"}", "no"};

    (void)arg;
    for (size_t i = 0; i < 2; i++) {
        kin__failure failure = failure_of(404, bodies[i]);
        const kin_object *status = NULL;
        int code = kin__failure_read(&status, &failure, err);

        if (code != KIN_ENOTFOUND) {
            assert_null(status);
            return code;
        }
        kin_object_unref(status);
    }
    return 0;
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(read_both, NULL);
}

/* As a source of the program's own does it. */
static void an_error_is_made_of_a_status(void **state)
{
    static const char json[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"status\":\"Failure\",\"message\":\"too old\","
        "\"reason\":\"Expired\",\"code\":410,\"details\":{\"retryAfterSeconds\":3}}";
    static const char success[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Status\",\"status\":\"Success\"}";
    static const char pod[] =
        "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"a\"}}";
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, NULL), 0);
    assert_code(kin_status_to_error(object, NULL), KIN_EEXPIRED);
    assert_code(kin_status_to_error(object, &err), KIN_EEXPIRED);
    assert_int_equal(err.code, KIN_EEXPIRED);
    assert_int_equal(err.http_status, 410);
    assert_string_equal(err.reason, "Expired");
    assert_non_null(strstr(err.message, "too old"));
    assert_int_equal(err.retry_after_ms, 3000);
    kin_object_unref(object);
    assert_code(kin_object_from_json(&object, kin_str_of(success), NULL, NULL), 0);
    assert_code(kin_status_to_error(object, &err), 0);
    kin_object_unref(object);
    assert_code(kin_object_from_json(&object, kin_str_of(pod), NULL, NULL), 0);
    assert_code(kin_status_to_error(object, &err), KIN_EINVAL);
    kin_object_unref(object);
    assert_code(kin_status_to_error(NULL, &err), KIN_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_status),
        cmocka_unit_test(reads_a_status_that_says_little),
        cmocka_unit_test(takes_the_code_from_the_reason),
        cmocka_unit_test(takes_the_code_from_the_http_status),
        cmocka_unit_test(tells_what_a_body_that_is_no_status_says),
        cmocka_unit_test(tells_so_much_of_a_body_and_no_more),
        cmocka_unit_test(takes_the_longer_time_to_wait),
        cmocka_unit_test(reads_statuses_of_streams),
        cmocka_unit_test(an_error_is_made_of_a_status),
        cmocka_unit_test(takes_an_error_that_is_not_there),
        cmocka_unit_test(cuts_a_long_reason),
        cmocka_unit_test(reads_warnings),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
