/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries: options of all verbs, in the words of the real server.
 */
#include "apiserver_support.h"

#include "apiserver/protocol/request_info.h"
#include "base/compiler.h"

#define PODS "/api/v1/namespaces/d/pods"
#define POD PODS "/p"

/* Releases with kin__request_info_done() in either case. */
static bool read_query(kin__request_info *ret, const char *method, const char *path,
                       const char *query, kin__failure *failure)
{
    kin__request request = {
        .method = kin_str_of(method), .path = kin_str_of(path), .query = kin_str_of(query)};

    return kin__request_info_read(ret, &request, failure);
}

static kin__request_info good(const char *method, const char *path, const char *query)
{
    kin__request_info info;
    kin__failure failure;

    if (!read_query(&info, method, path, query, &failure))
        fail_msg("%s: %s", query, failure.message);
    return info;
}

static void reads_list_options(void **state)
{
    kin__request_info info =
        good("GET", PODS,
             "labelSelector=a%3Db%2Cc&fieldSelector=metadata.name%3Dx&resourceVersion=12&"
             "resourceVersionMatch=Exact&limit=500&timeoutSeconds=30&unknown=%zz&timeout=32s");
    const kin__query_options *o = &info.options;

    (void)state;
    assert_int_equal(info.verb, KIN__VERB_LIST);
    assert_int_equal(kin_label_selector_count(o->labels), 2);
    assert_int_equal(kin_field_selector_count(o->fields), 1);
    assert_text(o->resource_version, "12");
    assert_text(o->resource_version_match, "Exact");
    assert_int_equal(o->limit, 500);
    assert_int_equal(o->timeout_seconds, 30);
    assert_false(o->watch);
    assert_false(o->has_send_initial_events);
    assert_false(o->pretty);
    kin__request_info_done(&info);
    info = good("GET", PODS, "continue=abc%3D%3D&limit=-5&resourceVersion=");
    assert_text(info.options.continue_token, "abc==");
    assert_int_equal(info.options.limit, 0);
    kin__request_info_done(&info);
    info = good("GET", PODS, "limit=%2B7&timeoutSeconds=-3");
    assert_int_equal(info.options.limit, 7);
    assert_int_equal(info.options.timeout_seconds, -3);
    kin__request_info_done(&info);
    info = good("GET", PODS, "");
    assert_true(kin_label_selector_is_empty(info.options.labels));
    assert_true(kin_field_selector_is_empty(info.options.fields));
    kin__request_info_done(&info);
}

static void reads_flags(void **state)
{
    static const struct {
        const char *query;
        bool is_watch;
    } cases[] = {
        {"watch=true", true},       {"watch=1", true},           {"watch", true},
        {"watch=", true},           {"watch=yes", true},         {"watch=false", false},
        {"watch=FaLsE", false},     {"watch=0", false},          {"watch=00", true},
        {"watch=0&watch=1", false}, {"watch=1&watch=0", true},   {"%77atch=1", true},
        {"Watch=1", false},         {"watch=%zz&watch=1", true}, {"x;watch=1", false},
        {"&&watch=1&", true},       {"watch=+1", true},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info = good("GET", PODS, cases[i].query);

        if ((info.verb == KIN__VERB_WATCH) != cases[i].is_watch ||
            info.options.watch != cases[i].is_watch)
            fail_msg("%s", cases[i].query);
        kin__request_info_done(&info);
    }
}

static void a_watch_from_nowhere_begins_with_what_is_there(void **state)
{
    static const struct {
        const char *query;
        bool has;
        bool sends;
        const char *match;
    } cases[] = {
        {"watch=1", true, true, "NotOlderThan"},
        {"watch=1&resourceVersion=0", true, true, "NotOlderThan"},
        {"watch=1&resourceVersion=", true, true, "NotOlderThan"},
        {"watch=1&resourceVersion=5", false, false, ""},
        {"watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", true, false,
         "NotOlderThan"},
        {"watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=5", true,
         true, "NotOlderThan"},
        {"resourceVersion=0", false, false, ""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info = good("GET", PODS, cases[i].query);

        assert_int_equal(info.options.has_send_initial_events, cases[i].has);
        assert_int_equal(info.options.send_initial_events, cases[i].sends);
        assert_text(info.options.resource_version_match, cases[i].match);
        kin__request_info_done(&info);
    }
}

#define LIST "ListOptions.meta.k8s.io \"\" is invalid: "
#define MATCH "resourceVersionMatch: "
#define SYNTAX "strconv.ParseInt: parsing "

static void refuses_list_options(void **state)
{
    static const struct {
        const char *query;
        int status;
        const char *message;
    } cases[] = {
        {"limit=x", 400, SYNTAX "\"x\": invalid syntax"},
        {"limit=", 400, SYNTAX "\"\": invalid syntax"},
        {"limit=%2B-1", 400, SYNTAX "\"+-1\": invalid syntax"},
        {"limit=1.5", 400, SYNTAX "\"1.5\": invalid syntax"},
        {"limit=9223372036854775808", 400, SYNTAX "\"9223372036854775808\": value out of range"},
        {"timeoutSeconds=a%22b", 400, SYNTAX "\"a\\\"b\": invalid syntax"},
        {"continue=x&resourceVersion=5", 400,
         "specifying resource version is not allowed when using continue"},
        {"labelSelector=a%20b", 400,
         "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"fieldSelector=a", 400, "invalid selector: 'a'; can't understand 'a'"},
        /* 400 comes before 422 */
        {"resourceVersionMatch=Exact&fieldSelector=a", 400,
         "invalid selector: 'a'; can't understand 'a'"},
        {"resourceVersionMatch=Exact", 422,
         LIST MATCH "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
                    "provided"},
        {"resourceVersionMatch=Exact&resourceVersion=0", 422,
         LIST MATCH "Forbidden: resourceVersionMatch \"exact\" is forbidden for resourceVersion "
                    "\"0\""},
        {"resourceVersionMatch=NotOlderThan&resourceVersion=5&continue=x", 422,
         LIST MATCH "Forbidden: resourceVersionMatch is forbidden when continue is provided"},
        {"resourceVersionMatch=x&resourceVersion=5", 422,
         LIST MATCH "Unsupported value: \"x\": supported values: \"Exact\", \"NotOlderThan\", "
                    "\"\""},
        {"sendInitialEvents=true", 422,
         LIST "sendInitialEvents: Forbidden: sendInitialEvents is forbidden for list"},
        {"resourceVersionMatch=x&continue=y", 422,
         LIST "[" MATCH "Forbidden: resourceVersionMatch is forbidden unless resourceVersion is "
              "provided, " MATCH "Forbidden: resourceVersionMatch is forbidden when continue is "
              "provided, " MATCH "Unsupported value: \"x\": supported values: \"Exact\", "
              "\"NotOlderThan\", \"\"]"},
        {"watch=1&sendInitialEvents=true", 422,
         LIST MATCH "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
                    "NotOlderThan"},
        {"watch=1&resourceVersionMatch=NotOlderThan", 422,
         LIST MATCH "Forbidden: resourceVersionMatch is forbidden for watch unless "
                    "sendInitialEvents is provided"},
        {"watch=1&sendInitialEvents=1&resourceVersionMatch=Exact", 422,
         LIST "[" MATCH "Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
              "NotOlderThan, " MATCH "Unsupported value: \"Exact\": supported values: "
              "\"NotOlderThan\"]"},
        {"watch=1&sendInitialEvents=1&resourceVersionMatch=NotOlderThan&continue=x", 422,
         LIST MATCH "Forbidden: resourceVersionMatch is forbidden when continue is provided"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;

        if (read_query(&info, "GET", PODS, cases[i].query, &failure))
            fail_msg("%s is taken", cases[i].query);
        assert_failure(&failure, cases[i].status, cases[i].status == 400 ? "BadRequest" : "Invalid",
                       cases[i].message);
        kin__request_info_done(&info);
        /* So it is for deletions of collections. */
        assert_false(read_query(&info, "DELETE", PODS, cases[i].query, &failure));
        kin__request_info_done(&info);
    }
}

static void ignores_what_belongs_to_other_verbs(void **state)
{
    static const char query[] = "limit=x&timeoutSeconds=x&labelSelector=,&resourceVersionMatch=x";
    static const char *const methods[] = {"GET", "PUT", "PATCH", "DELETE"};
    kin__request_info info;

    (void)state;
    for (size_t i = 0; i < kin__array_len(methods); i++) {
        info = good(methods[i], POD, query);
        assert_null(info.options.labels);
        kin__request_info_done(&info);
    }
    info = good("POST", PODS, query);
    kin__request_info_done(&info);
    info = good("GET", POD, "dryRun=x&fieldManager=%07&resourceVersion=7");
    assert_text(info.options.resource_version, "7");
    kin__request_info_done(&info);
}

#define M64 "mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm"

static void reads_write_options(void **state)
{
    kin__request_info info = good(
        "PATCH", POD, "dryRun=All&dryRun=All&fieldManager=me+too&fieldValidation=Strict&force");

    (void)state;
    assert_true(info.options.dry_run);
    assert_text(info.options.field_manager, "me too");
    assert_text(info.options.field_validation, "Strict");
    assert_true(info.options.force);
    assert_true(info.options.has_force);
    kin__request_info_done(&info);
    info = good("POST", PODS, "fieldManager=" M64 M64);
    assert_int_equal(info.options.field_manager.len, 128);
    kin__request_info_done(&info);
    info = good("POST", PODS, "fieldManager=%C3%A4%C2%A1%FF");
    kin__request_info_done(&info);
    info = good("POST", PODS, "fieldValidation=");
    assert_false(info.options.dry_run);
    assert_false(info.options.has_force);
    kin__request_info_done(&info);
}

static void refuses_write_options(void **state)
{
    static const struct {
        const char *method;
        const char *path;
        const char *query;
        const char *message;
    } cases[] = {
        {"POST", PODS, "dryRun=x",
         "CreateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"x\"]: supported "
         "values: \"All\""},
        {"PUT", POD, "dryRun=All&dryRun=",
         "UpdateOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"All\",\"\"]: "
         "supported values: \"All\""},
        {"PATCH", POD, "fieldValidation=strict",
         "PatchOptions.meta.k8s.io \"\" is invalid: fieldValidation: Unsupported value: "
         "\"strict\": supported values: \"\", \"Ignore\", \"Strict\", \"Warn\""},
        {"POST", PODS, "fieldManager=" M64 M64 "m",
         "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Too long: may not be more than "
         "128 bytes"},
        {"POST", PODS, "fieldManager=ab%07",
         "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: \"ab\\a\": "
         "invalid character U+0007 (at position 2)"},
        {"POST", PODS, "fieldManager=a%C2%85",
         "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: "
         "\"a\\u0085\": invalid character U+0085 (at position 1)"},
        {"POST", PODS, "fieldManager=%C3%A4%C2%A0",
         "CreateOptions.meta.k8s.io \"\" is invalid: fieldManager: Invalid value: "
         "\"\xc3\xa4\\u00a0\": invalid character U+00A0 (at position 2)"},
        {"DELETE", POD, "dryRun=x",
         "DeleteOptions.meta.k8s.io \"\" is invalid: dryRun: Unsupported value: [\"x\"]: supported "
         "values: \"All\""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;

        if (read_query(&info, cases[i].method, cases[i].path, cases[i].query, &failure))
            fail_msg("%s is taken", cases[i].query);
        assert_failure(&failure, 422, "Invalid", cases[i].message);
        kin__request_info_done(&info);
    }
}

static void judges_patches(void **state)
{
    kin__query_options options = {.has_force = true};
    kin__failure failure;

    (void)state;
    assert_false(kin__patch_options_check(&options, false, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be "
                   "specified for non-apply patch");
    assert_false(kin__patch_options_check(&options, true, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is "
                   "required for apply patch");
    options.field_manager = kin_str_of("me");
    assert_true(kin__patch_options_check(&options, true, &failure));
    options.has_force = false;
    assert_true(kin__patch_options_check(&options, false, &failure));
}

static void reads_delete_options(void **state)
{
    kin__request_info info = good("DELETE", POD,
                                  "gracePeriodSeconds=0&propagationPolicy=Orphan&uid=u&"
                                  "resourceVersion=9&dryRun=All&orphanDependents=false");
    const kin__delete_options *d = &info.options.deletion;
    kin__failure failure;

    (void)state;
    assert_true(d->has_grace_period);
    assert_int_equal(d->grace_period_seconds, 0);
    assert_text(d->propagation_policy, "Orphan");
    assert_text(d->uid, "u");
    assert_text(d->resource_version, "9");
    assert_true(d->dry_run);
    assert_true(d->has_orphan_dependents);
    assert_false(d->orphan_dependents);
    assert_false(kin__delete_options_check(d, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Invalid value: "
                   "\"Orphan\": orphanDependents and deletionPropagation cannot be both set");
    kin__request_info_done(&info);
    info = good("DELETE", POD, "propagationPolicy=x");
    assert_false(kin__delete_options_check(&info.options.deletion, &failure));
    assert_failure(&failure, 422, "Invalid",
                   "DeleteOptions.meta.k8s.io \"\" is invalid: propagationPolicy: Unsupported "
                   "value: \"x\": supported values: \"Foreground\", \"Background\", \"Orphan\", "
                   "\"nil\"");
    kin__request_info_done(&info);
    assert_false(read_query(&info, "DELETE", POD, "gracePeriodSeconds=x", &failure));
    assert_failure(&failure, 400, "BadRequest", SYNTAX "\"x\": invalid syntax");
    kin__request_info_done(&info);
}

/* With a body, the query does not count. */
static void a_body_comes_before_the_query(void **state)
{
    kin__request request = {.method = kin_str_of("DELETE"),
                            .path = kin_str_of(POD),
                            .query = kin_str_of("gracePeriodSeconds=x&dryRun=All"),
                            .body = kin_str_of("{}")};
    kin__request_info info;
    kin__failure failure;

    (void)state;
    assert_true(kin__request_info_read(&info, &request, &failure));
    assert_false(info.options.deletion.has_grace_period);
    assert_false(info.options.deletion.dry_run);
    kin__request_info_done(&info);
}

static void reads_delete_options_of_bodies(void **state)
{
    static const struct {
        const char *body;
        int status;
    } cases[] = {
        {"{}", 0},
        {"{\"kind\":\"DeleteOptions\",\"apiVersion\":\"v1\",\"dryRun\":[\"All\"]}", 0},
        {"{\"gracePeriodSeconds\":null,\"preconditions\":null,\"propagationPolicy\":null}", 0},
        {"{\"kind\":\"Pod\"}", 400},
        {"{\"gracePeriodSeconds\":\"5\"}", 400},
        {"{\"propagationPolicy\":5}", 400},
        {"{\"preconditions\":{\"uid\":5}}", 400},
        {"{\"orphanDependents\":5}", 400},
        {"{\"dryRun\":[\"x\"]}", 422},
    };
    kin_scratch scratch[3];
    kin__delete_options d;
    kin__failure failure;

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *body = object_of(cases[i].body);
        bool ok = kin__delete_options_read(&d, body, scratch, &failure);

        if ((ok ? 0 : failure.status) != cases[i].status)
            fail_msg("%s: %d", cases[i].body, ok ? 0 : failure.status);
        kin_object_unref(body);
    }
    const kin_object *body = object_of(
        "{\"gracePeriodSeconds\":5,\"propagationPolicy\":\"Foreground\",\"orphanDependents\":true,"
        "\"preconditions\":{\"uid\":\"5c3f2f5b-6a5c-4f5e-9d3e-0c6f1d2a3b4c\","
        "\"resourceVersion\":\"12\"},\"dryRun\":[\"All\"]}");
    assert_true(kin__delete_options_read(&d, body, scratch, &failure));
    assert_int_equal(d.grace_period_seconds, 5);
    assert_text(d.propagation_policy, "Foreground");
    assert_text(d.uid, "5c3f2f5b-6a5c-4f5e-9d3e-0c6f1d2a3b4c");
    assert_text(d.resource_version, "12");
    assert_true(d.has_grace_period && d.has_propagation_policy && d.orphan_dependents && d.dry_run);
    kin_object_unref(body);
}

static void judges_timeouts(void **state)
{
#define INVALID "invalid timeout specified in the request URL - time: "
    static const struct {
        const char *query;
        const char *message; /* NULL: it is good */
    } cases[] = {
        {"timeout=", NULL},
        {"timeout=0", NULL},
        {"timeout=32s", NULL},
        {"timeout=-1h2m3.5s4ms5us6ns", NULL},
        {"timeout=%2B1%C2%B5s", NULL},
        {"timeout=.5s", NULL},
        {"watch=1&timeout=abc", NULL},
        {"timeout=abc", INVALID "invalid duration \"abc\""},
        {"timeout=.s", INVALID "invalid duration \".s\""},
        {"timeout=1.2.3s", INVALID "missing unit in duration \"1.2.3s\""},
        {"timeout=-", INVALID "invalid duration \"-\""},
        {"timeout=5", INVALID "missing unit in duration \"5\""},
        {"timeout=5x", INVALID "unknown unit \"x\" in duration \"5x\""},
        {"timeout=%C2%B5%22", INVALID "invalid duration \"\\xc2\\xb5\\\"\""},
        {"timeout=1s5", INVALID "missing unit in duration \"1s5\""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request_info info;
        kin__failure failure;
        bool ok = read_query(&info, "GET", PODS, cases[i].query, &failure);

        if (ok != !cases[i].message)
            fail_msg("%s: %s", cases[i].query, ok ? "is good" : failure.message);
        if (!ok)
            assert_failure(&failure, 400, "BadRequest", cases[i].message);
        kin__request_info_done(&info);
    }
}

static void reads_versions(void **state)
{
    static const char words[] = "resourceVersion: Invalid value: \"-5\": strconv.ParseUint: "
                                "parsing \"-5\": invalid syntax";
    uint64_t version = 7;
    char list_words[200];
    kin__failure failure;

    (void)state;
    assert_true(kin__resource_version_read(kin_str_of(""), KIN__VERB_LIST, &version, &failure));
    assert_int_equal(version, 0);
    assert_true(kin__resource_version_read(kin_str_of("12"), KIN__VERB_LIST, &version, &failure));
    assert_int_equal(version, 12);
    assert_false(kin__resource_version_read(kin_str_of("-5"), KIN__VERB_LIST, &version, &failure));
    snprintf(list_words, sizeof(list_words), "invalid resource version: %s", words);
    assert_failure(&failure, 400, "BadRequest", list_words);
    assert_false(kin__resource_version_read(kin_str_of("-5"), KIN__VERB_GET, &version, &failure));
    assert_failure(&failure, 500, "", words);
    assert_false(kin__resource_version_read(kin_str_of("99999999999999999999"), KIN__VERB_UPDATE,
                                            &version, &failure));
    assert_failure(&failure, 500, "",
                   "strconv.ParseUint: parsing \"99999999999999999999\": value out of range");
}

static void is_pretty_for_people(void **state)
{
    static const struct {
        const char *query;
        const char *user_agent;
        bool pretty;
    } cases[] = {
        {"", "", false},
        {"pretty=true", "", true},
        {"pretty=1", "", true},
        {"pretty=yes", "curl/8", false},
        {"pretty=false", "curl/8", false},
        {"pretty=", "curl/8", true},
        {"", "curl/8.5.0", true},
        {"", "Wget/1", true},
        {"", "Mozilla/5.0 (X11)", true},
        {"", "kubectl/v1.33", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__request request = {.method = kin_str_of("GET"),
                                .path = kin_str_of("/api"),
                                .query = kin_str_of(cases[i].query),
                                .user_agent = kin_str_of(cases[i].user_agent)};
        kin__request_info info;
        kin__failure failure;

        assert_true(kin__request_info_read(&info, &request, &failure));
        assert_int_equal(info.options.pretty, cases[i].pretty);
        kin__request_info_done(&info);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_list_options),
        cmocka_unit_test(reads_flags),
        cmocka_unit_test(a_watch_from_nowhere_begins_with_what_is_there),
        cmocka_unit_test(refuses_list_options),
        cmocka_unit_test(ignores_what_belongs_to_other_verbs),
        cmocka_unit_test(reads_write_options),
        cmocka_unit_test(refuses_write_options),
        cmocka_unit_test(judges_patches),
        cmocka_unit_test(reads_delete_options),
        cmocka_unit_test(a_body_comes_before_the_query),
        cmocka_unit_test(reads_delete_options_of_bodies),
        cmocka_unit_test(judges_timeouts),
        cmocka_unit_test(reads_versions),
        cmocka_unit_test(is_pretty_for_people),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
