/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures: the words of the real server, byte by byte as JSON; texts that are too long or are no
 * UTF-8.
 */
#include "apiserver_support.h"

#include <stdlib.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/value.h"
#include "oom.h"

static void assert_json(const kin__failure *failure, const char *expected)
{
    kin__buf out;

    kin__buf_init(&out, 1 << 20);
    kin__failure_write(failure, &out);
    assert_int_equal(out.failed, 0);
    assert_string_equal(out.data, expected);
    const kin_object *object = object_of(out.data);
    kin_object_unref(object);
    kin__buf_done(&out);
}

static void tells_of_objects(void **state)
{
    const kin__kind *pods = builtin("", "pods");
    const kin__kind *deployments = builtin("apps", "deployments");
    kin__failure failure;

    (void)state;
    assert_false(kin__fail_not_found(&failure, pods, kin_str_of("web")));
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"pods \\\"web\\\" not found\",\"reason\":\"NotFound\",\"details\":{"
                "\"name\":\"web\",\"kind\":\"pods\"},\"code\":404}");
    assert_false(kin__fail_already_exists(&failure, deployments, kin_str_of("web")));
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"deployments.apps \\\"web\\\" already exists\",\"reason\":"
                "\"AlreadyExists\",\"details\":{\"name\":\"web\",\"group\":\"apps\",\"kind\":"
                "\"deployments\"},\"code\":409}");
    assert_false(kin__fail_conflict(&failure, deployments, kin_str_of("web"), "%s",
                                    "the object has been modified"));
    assert_failure(&failure, 409, "Conflict",
                   "Operation cannot be fulfilled on deployments.apps \"web\": the object has "
                   "been modified");
    assert_false(kin__fail_precondition(&failure, deployments, kin_str_of("web"), "no %s", "luck"));
    assert_failure(&failure, 409, "Conflict",
                   "Operation cannot be fulfilled on Deployment.apps \"web\": no luck");
    assert_string_equal(failure.kind, "Deployment");
    assert_false(kin__fail_no_version(&failure, deployments, kin_str_of("web")));
    assert_failure(&failure, 422, "Invalid",
                   "deployments.apps \"web\" is invalid: metadata.resourceVersion: Invalid value: "
                   "0: must be specified for an update");
    assert_false(kin__fail_forbidden(&failure, pods, kin_str_of(""), "no %s", "way"));
    assert_failure(&failure, 403, "Forbidden", "pods is forbidden: no way");
    assert_false(kin__fail_forbidden(&failure, pods, kin_str_of("web"), "no"));
    assert_failure(&failure, 403, "Forbidden", "pods \"web\" is forbidden: no");
    assert_false(kin__fail_not_supported(&failure, deployments, "watch"));
    assert_failure(&failure, 405, "MethodNotAllowed",
                   "watch is not supported on resources of kind \"deployments.apps\"");
}

static void tells_of_requests(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    kin__failure failure;

    (void)state;
    assert_false(kin__fail_no_path(&failure));
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"the server could not find the requested resource\",\"reason\":"
                "\"NotFound\",\"details\":{},\"code\":404}");
    assert_false(kin__fail_no_method(&failure));
    assert_failure(&failure, 405, "MethodNotAllowed",
                   "the server does not allow this method on the requested resource");
    assert_false(kin__fail_bad_request(&failure, "bad %d", 7));
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"bad 7\",\"reason\":\"BadRequest\",\"code\":400}");
    assert_false(kin__fail_expired(&failure, "too old resource version: %d (%d)", 1, 2));
    assert_failure(&failure, 410, "Expired", "too old resource version: 1 (2)");
    kin_error_set(&err, KIN_ESYSTEM, "the disk is full");
    assert_false(kin__fail_internal(&failure, &err));
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"Internal error occurred: the disk is full\",\"reason\":"
                "\"InternalError\",\"details\":{\"causes\":[{\"message\":\"the disk is full\"}]},"
                "\"code\":500}");
}

static void lists_causes(void **state)
{
    static const char *const colours[] = {"red", "blue", NULL};
    kin__failure failure;

    (void)state;
    kin__fail_invalid(&failure, builtin("apps", "deployments"), kin_str_of("web"));
    kin__cause_required(&failure, kin_str_of("spec.a"), "");
    assert_failure(&failure, 422, "Invalid",
                   "Deployment.apps \"web\" is invalid: spec.a: Required value");
    kin__cause_invalid(&failure, kin_str_of("spec.b"), kin_str_of("x\"y\n"), "is odd");
    kin__cause_invalid(&failure, kin_str_of("spec.b"), kin_str_of("x\"y\n"), "is odd");
    kin__cause_not_supported(&failure, kin_str_of("spec.c"), kin_str_of("green"), colours);
    kin__cause_forbidden(&failure, kin_str_of("spec.d"), "not now");
    kin__cause_duplicate(&failure, kin_str_of("spec.e"), kin_str_of("one"));
    kin__cause_too_long(&failure, kin_str_of("spec.f"), 3);
    assert_failure(&failure, 422, "Invalid",
                   "Deployment.apps \"web\" is invalid: [spec.a: Required value, spec.b: Invalid "
                   "value: \"x\\\"y\\n\": is odd, spec.c: Unsupported value: \"green\": supported "
                   "values: \"red\", \"blue\", spec.d: Forbidden: not now, spec.e: Duplicate "
                   "value: \"one\", spec.f: Too long: may not be more than 3 bytes]");
    assert_int_equal(failure.n_causes, 7);
    assert_cause(&failure, 1, "FieldValueInvalid", "spec.b",
                 "Invalid value: \"x\\\"y\\n\": is odd");
    assert_false(kin__fail_if_causes(&failure));
}

static void is_no_failure_without_causes(void **state)
{
    kin__failure failure;

    (void)state;
    kin__fail_invalid(&failure, builtin("", "pods"), kin_str_of("web"));
    assert_true(kin__fail_if_causes(&failure));
    assert_int_equal(failure.status, 0);
}

static void keeps_the_first_causes(void **state)
{
    kin__failure failure;
    char field[16];

    (void)state;
    kin__fail_invalid(&failure, builtin("", "pods"), kin_str_of("web"));
    for (int i = 0; i < 40; i++) {
        snprintf(field, sizeof(field), "f%d", i);
        kin__cause_required(&failure, kin_str_of(field), "");
        kin__cause_invalid_value(&failure, kin_str_of(field), (kin_value){NULL, NULL}, "no");
    }
    assert_int_equal(failure.n_causes, KIN__CAUSES_MAX);
    assert_string_equal(failure.causes[KIN__CAUSES_MAX - 1].field, "f7");
    assert_string_equal(failure.causes[KIN__CAUSES_MAX - 1].message, "Invalid value: null: no");
}

static void shows_values_as_json(void **state)
{
    const kin_object *object = object_of("{\"a\":[1,{\"b\":true}]}");
    kin__failure failure;

    (void)state;
    kin__fail_invalid(&failure, builtin("", "pods"), kin_str_of("web"));
    kin__cause_invalid_value(&failure, kin_str_of("a"),
                             kin_value_get(kin_object_root(object), kin_str_of("a")), "no");
    assert_cause(&failure, 0, "FieldValueInvalid", "a", "Invalid value: [1,{\"b\":true}]: no");
    kin_object_unref(object);
}

/* What is too long is cut, but what is said of it is not. */
static void cuts_what_is_too_long(void **state)
{
    static char text[20000];
    kin__failure failure;

    (void)state;
    for (size_t i = 0; i + 2 < sizeof(text); i += 2)
        memcpy(text + i, "\xc3\xa4", 2);
    kin__fail_invalid(&failure, builtin("", "pods"), kin_str_of(text));
    kin__cause_invalid(&failure, kin_str_of(text), kin_str_of(text), "is too long");
    kin_str message = kin_str_of(failure.causes[0].message);
    assert_true(message.len < sizeof(failure.causes[0].message));
    assert_string_equal(message.data + message.len - 14, "\": is too long");
    assert_true(strlen(failure.name) < sizeof(failure.name));
    kin__fail_bad_request(&failure, "%s", text);
    assert_int_equal(strlen(failure.message), 4094); /* not 4095: that is half a character */
    kin__buf out;
    kin__buf_init(&out, 1 << 20);
    kin__failure_write(&failure, &out);
    kin_object_unref(object_of(out.data));
    kin__buf_done(&out);
}

static void replaces_what_is_no_utf8(void **state)
{
    kin__failure failure;

    (void)state;
    kin__fail_bad_request(&failure, "found '%s'", "\xff\xc3");
    assert_json(&failure,
                "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
                "\"message\":\"found '\xef\xbf\xbd\xef\xbf\xbd'\",\"reason\":\"BadRequest\","
                "\"code\":400}");
}

static void quotes_as_go_does(void **state)
{
    static const struct {
        const char *text;
        const char *quoted;
    } cases[] = {
        {"", "\"\""},
        {"a b", "\"a b\""},
        {"\"\\", "\"\\\"\\\\\""},
        {"\a\b\f\n\r\t\v", "\"\\a\\b\\f\\n\\r\\t\\v\""},
        {"\x01\x7f\xff", "\"\\x01\\x7f\\xff\""},
        {"\xc3\xa4\xc2\x80", "\"\xc3\xa4\\u0080\""},
        {"\xc2\xa0\xc2\xa1\xc2\xad", "\"\\u00a0\xc2\xa1\\u00ad\""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        char text[64];
        kin__cutline line;

        kin__cutline_init(&line, text, sizeof(text));
        kin__cutline_append_quoted(&line, kin_str_of(cases[i].text));
        assert_string_equal(text, cases[i].quoted);
    }
}

static void a_line_takes_nothing_behind_a_cut(void **state)
{
    char text[8];
    kin__cutline line;

    (void)state;
    kin__cutline_init(&line, text, sizeof(text));
    kin__cutline_append(&line, kin_str_of("abc"));
    kin__cutline_appendf(&line, "%s", "defgh");
    kin__cutline_append(&line, kin_str_of("x"));
    kin__cutline_append_quoted(&line, kin_str_of("y"));
    assert_string_equal(text, "abcdefg");
}

static int write_scenario(void *arg, kin_error *err)
{
    kin__failure failure;
    kin__buf out;

    (void)arg;
    kin__fail_not_found(&failure, builtin("", "pods"), kin_str_of("web"));
    kin__buf_init(&out, 1 << 20);
    kin__failure_write(&failure, &out);
    int code = out.failed;
    kin__buf_done(&out);
    return code < 0 ? kin_error_set(err, code, "no memory") : 0;
}

static void survives_want_of_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(write_scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tells_of_objects),
        cmocka_unit_test(tells_of_requests),
        cmocka_unit_test(lists_causes),
        cmocka_unit_test(is_no_failure_without_causes),
        cmocka_unit_test(keeps_the_first_causes),
        cmocka_unit_test(shows_values_as_json),
        cmocka_unit_test(cuts_what_is_too_long),
        cmocka_unit_test(replaces_what_is_no_utf8),
        cmocka_unit_test(quotes_as_go_does),
        cmocka_unit_test(a_line_takes_nothing_behind_a_cut),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
