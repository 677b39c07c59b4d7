/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf as JSON. That all kinds come out as Go writes them is for tests/oracle/protobuf; these
 * are the forms, the order of things, and what is refused.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "object/json.h"
#include "object/protobuf_tables.h"
#include "oom.h"
#include "protobuf_json.h"
#include "protobuf_support.h"

static int to_json(kin__buf *out, kin_str body, kin__protobuf_type *ret, kin_error *err)
{
    const kin__protobuf_type expected = {kin_str_of("v1"), kin_str_of("ConfigMap")};

    kin__buf_init(out, KIN_TEST_PROTOBUF_MAX);
    return kin_test_protobuf_json(out, body, expected, ret, true, err);
}

struct form {
    const char *api_version;
    const char *kind;
    const char *words;
    const char *json; /* behind kind and apiVersion */
};

static void check_forms(const struct form *forms, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin_error err = KIN_ERROR_INIT;
        kin__protobuf_type type;
        kin__buf body;
        kin__buf json;
        kin__buf wanted;

        kin_test_pb_body_of(&body, forms[i].api_version, forms[i].kind, forms[i].words);
        kin__buf_init(&wanted, 4096);
        kin__buf_appendf(&wanted, "{\"kind\":\"%s\",\"apiVersion\":\"%s\"%s}", forms[i].kind,
                         forms[i].api_version, forms[i].json);
        int code = to_json(&json, kin__buf_str(&body), &type, &err);
        if (code < 0)
            fail_msg("%s: %s", forms[i].words, err.message);
        assert_string_equal(json.data, wanted.data);
        assert_true(kin_str_equal(type.kind, kin_str_of(forms[i].kind)));
        assert_true(kin_str_equal(type.api_version, kin_str_of(forms[i].api_version)));
        kin__buf_done(&body);
        kin__buf_done(&json);
        kin__buf_done(&wanted);
    }
    assert_int_equal(kin_test_alloc_live(), 0);
}

#define CRD "apiextensions.k8s.io/v1", "CustomResourceDefinition"
/* A schema in a definition. */
#define SCHEMA(words) "2{ 7{ 4{ 1{ " words " } } } }"
#define SCHEMA_JSON(text) ",\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{" text "}}}]}"

/* Each type of field, and what is left out of JSON. */
static void forms(void **unused)
{
    static const struct form forms[] = {
        {"v1", "ConfigMap", "", ""},
        {"v1", "ConfigMap", "1{ 1:a 2: 3:b 4: 5: 6: 7=0 8{ } } 2{ 1:k 2:v } 3{ 1:b 2#ff00 }",
         ",\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"},\"data\":{\"k\":\"v\"},"
         "\"binaryData\":{\"b\":\"/wA=\"}"},
        {"v1", "ConfigMap", "3{ 1:a 2#66 } 3{ 1:b 2#666f } 3{ 1:c 2#666f6f } 3{ 1:d 2# } 3{ 1:e }",
         ",\"binaryData\":{\"a\":\"Zg==\",\"b\":\"Zm8=\",\"c\":\"Zm9v\",\"d\":\"\",\"e\":\"\"}"},
        /* A pointer is there also if what it points to is zero. */
        {"v1", "ConfigMap", "4=0", ",\"immutable\":false"},
        {"v1", "ConfigMap", "2{ } 2{ 2:v }", ",\"data\":{\"\":\"v\"}"},
        {"v1", "ConfigMap", "1{ 7=-3 8{ 1=86400 2=5 } 9{ } 10=-1 }",
         ",\"metadata\":{\"generation\":-3,\"creationTimestamp\":\"1970-01-02T00:00:00Z\","
         "\"deletionTimestamp\":null,\"deletionGracePeriodSeconds\":-1}"},
        {"v1", "ConfigMap", "1{ 8{ 1=-62135596800 2=0 } 9{ 1=0 } }",
         ",\"metadata\":{\"deletionTimestamp\":\"1970-01-01T00:00:00Z\"}"},
        /* As Go does: each byte that is not of a character becomes U+FFFD. */
        {"v1", "ConfigMap", "1{ 1#6162c328 } 2{ 1#ff 2#eda080 } 2{ 1:k 2#c3bc }",
         ",\"metadata\":{\"name\":\"ab\xef\xbf\xbd(\"},"
         "\"data\":{\"\xef\xbf\xbd\":\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\",\"k\":\"\xc3\xbc\"}"},
        {"coordination.k8s.io/v1", "Lease", "2{ 3{ } 4{ 1=1 2=123456789 } 5=2147483648 }",
         ",\"spec\":{\"acquireTime\":null,\"renewTime\":\"1970-01-01T00:00:01.123456Z\","
         "\"leaseTransitions\":-2147483648}"},
        {"v1", "ConfigMap", "1{ 17{ 1:m 7{ 1:{\"f:a\":{}} } } 17{ 7{ } } }",
         ",\"metadata\":{\"managedFields\":[{\"manager\":\"m\",\"fieldsV1\":{\"f:a\":{}}},"
         "{\"fieldsV1\":null}]}"},
        {"v1", "Service", "2{ 1{ 1: 3=80 4{ 1=0 2=8080 3: } 5=0 6: } 1{ 3=1 4{ 1=1 2=0 3:web } } }",
         ",\"spec\":{\"ports\":[{\"port\":80,\"targetPort\":8080,\"appProtocol\":\"\"},"
         "{\"port\":1,\"targetPort\":\"web\"}]}"},
        {"v1", "LimitRange", "2{ 1{ 2{ 1:cpu 2{ 1:100m } } 2{ 1:none } } }",
         ",\"spec\":{\"limits\":[{\"max\":{\"cpu\":\"100m\",\"none\":\"0\"}}]}"},
        {"rbac.authorization.k8s.io/v1", "Role", "1{ }", ",\"metadata\":{},\"rules\":null"},
        {"apps/v1", "Deployment", "2{ 1=0 3{ } }",
         ",\"spec\":{\"replicas\":0,\"selector\":null,\"template\":{}}"},
        {"apps/v1", "ControllerRevision", "2{ 1:[1,{\"a\":null}] } 3=7",
         ",\"data\":[1,{\"a\":null}],\"revision\":7"},
        {"apps/v1", "ControllerRevision", "2{ }", ",\"data\":null"},
        {CRD, SCHEMA("1: 9~0.5 10=0 11~-0 13=0"),
         SCHEMA_JSON("\"maximum\":0.5,\"minimum\":-0,\"maxLength\":0")},
        {CRD, SCHEMA("24{ 1{ 5:string } } 28{ 5:x }"),
         SCHEMA_JSON("\"items\":{\"type\":\"string\"},\"not\":{\"type\":\"x\"}")},
        {CRD, SCHEMA("24{ 2{ 5:a } 2{ } } 25{ 5:b } 25{ }"),
         SCHEMA_JSON("\"items\":[{\"type\":\"a\"},{}],\"allOf\":[{\"type\":\"b\"},{}]")},
        {CRD, SCHEMA("24{ } 30{ 1=1 2{ 5:a } } 33{ 1=1 }"),
         SCHEMA_JSON("\"items\":null,\"additionalProperties\":{\"type\":\"a\"},"
                     "\"additionalItems\":true")},
        {CRD, SCHEMA("30{ 1=0 } 33{ }"),
         SCHEMA_JSON("\"additionalProperties\":false,\"additionalItems\":false")},
        {CRD, SCHEMA("29{ 1:p 2{ 5:a } } 29{ 1:q } 32{ 1:d 2{ 2:x 2:y } }"),
         SCHEMA_JSON("\"properties\":{\"p\":{\"type\":\"a\"},\"q\":{}},"
                     "\"dependencies\":{\"d\":[\"x\",\"y\"]}")},
        {CRD, SCHEMA("2:s 8{ 1:1e3 } 20{ 1:null } 20{ 1:\"a\" } 38=1"),
         SCHEMA_JSON("\"$schema\":\"s\",\"default\":1e3,\"enum\":[null,\"a\"],"
                     "\"x-kubernetes-preserve-unknown-fields\":true")},
        {"certificates.k8s.io/v1", "CertificateSigningRequest",
         "2{ 6{ 1:k 2{ 1:a 1:b } } 6{ 1:l } }",
         ",\"spec\":{\"request\":null,\"extra\":{\"k\":[\"a\",\"b\"],\"l\":null}}"},
        {"apps/v1", "DeleteOptions", "1=0 2{ 1:u } 4:Orphan 5:All",
         ",\"gracePeriodSeconds\":0,\"preconditions\":{\"uid\":\"u\"},"
         "\"propagationPolicy\":\"Orphan\",\"dryRun\":[\"All\"]"},
        {"autoscaling/v1", "Scale", "1{ 1:d } 2{ 1=3 }",
         ",\"metadata\":{\"name\":\"d\"},\"spec\":{\"replicas\":3}"},
    };

    (void)unused;
    check_forms(forms, kin__array_len(forms));
}

/* As Go reads them: nanoseconds may be any number, and those of a Time do not count. */
static void times(void **unused)
{
#define LEASE(words, text)                                                                         \
    {                                                                                              \
        "coordination.k8s.io/v1", "Lease", "2{ 4{ " words " } }",                                  \
            ",\"spec\":{\"renewTime\":" text "}"                                                   \
    }
    static const struct form forms[] = {
        {"v1", "ConfigMap", "1{ 8{ 1=-62135596800 2=5 } 9{ 1=1 2=-1 } }",
         ",\"metadata\":{\"deletionTimestamp\":\"1970-01-01T00:00:01Z\"}"},
        {"v1", "ConfigMap", "1{ 9{ 1=1 2=2000000000 } }",
         ",\"metadata\":{\"deletionTimestamp\":\"1970-01-01T00:00:01Z\"}"},
        LEASE("1=-62135596800 2=999", "null"),
        LEASE("1=-62135596801 2=1000000000", "null"),
        LEASE("1=-62135596800 2=1000", "\"0001-01-01T00:00:00.000001Z\""),
        LEASE("1=100 2=-999", "\"1970-01-01T00:01:40.000000Z\""),
        LEASE("1=100 2=-1000", "\"1970-01-01T00:01:39.999999Z\""),
        LEASE("1=100 2=-1000000000", "\"1970-01-01T00:01:39.000000Z\""),
        LEASE("1=100 2=-2147483648", "\"1970-01-01T00:01:37.852517Z\""),
        LEASE("1=100 2=2147483647", "\"1970-01-01T00:01:42.147483Z\""),
        LEASE("1=100 2=999999999", "\"1970-01-01T00:01:40.999999Z\""),
        LEASE("1=253402300800 2=-1000", "\"9999-12-31T23:59:59.999999Z\""),
    };
#undef LEASE

    (void)unused;
    check_forms(forms, kin__array_len(forms));
}

/* Members that lie in a message of their own, with a comma before and behind them or not. */
static void inlined(void **unused)
{
    static const struct form forms[] = {
        {"v1", "Pod", "2{ 1{ 1:v 2{ 1{ 1:/x } } } 2{ 1:c } }",
         ",\"spec\":{\"volumes\":[{\"name\":\"v\",\"hostPath\":{\"path\":\"/x\"}}],"
         "\"containers\":[{\"name\":\"c\"}]}"},
        {"v1", "Pod", "2{ 1{ 2{ 1{ 1:/x } } } 1{ 1:v 2{ } } }",
         ",\"spec\":{\"volumes\":[{\"hostPath\":{\"path\":\"/x\"}},{\"name\":\"v\"}],"
         "\"containers\":null}"},
        {"v1", "Pod",
         "2{ 2{ 1:c 10{ 1{ 3{ 1{ 2=80 } } } 2=5 } } 14{ 4=1 4=2 4#0384ffffffffffffffff01 } }",
         ",\"spec\":{\"containers\":[{\"name\":\"c\",\"livenessProbe\":{\"tcpSocket\":{\"port\":80},"
         "\"initialDelaySeconds\":5}}],"
         "\"securityContext\":{\"supplementalGroups\":[1,2,3,-124]}}"},
    };

    (void)unused;
    check_forms(forms, kin__array_len(forms));
}

/* Protobuf may have fields in any order, lists and messages in pieces, and others of its own. */
static void pieces(void **unused)
{
    static const struct form forms[] = {
        {"v1", "ConfigMap", "4=1 2{ 1:a 2:1 } 1{ 3:n } 2{ 1:b 2:2 } 1{ 1:x } 2{ 2:3 1:c }",
         ",\"metadata\":{\"name\":\"x\",\"namespace\":\"n\"},"
         "\"data\":{\"a\":\"1\",\"b\":\"2\",\"c\":\"3\"},\"immutable\":true"},
        {"v1", "ConfigMap", "1{ 1:x } 1{ 14:f 1:y } 1{ 14:g }",
         ",\"metadata\":{\"name\":\"y\",\"finalizers\":[\"f\",\"g\"]}"},
        {"v1", "ConfigMap", "1{ 8{ 1=5 } 8{ 2=1 } 9{ 1=5 } 9{ } }",
         ",\"metadata\":{\"creationTimestamp\":\"1970-01-01T00:00:00Z\","
         "\"deletionTimestamp\":null}"},
        /* A time of nothing but fields that are not known is not zero. */
        {"v1", "ConfigMap", "4=1 1{ 9{ 7=1 } }",
         ",\"metadata\":{\"deletionTimestamp\":\"1970-01-01T00:00:00Z\"},\"immutable\":true"},
        /* Fields 100 to 103 of each wire type, and groups in groups. */
        {"v1", "ConfigMap", "100=7 101:x 102~1 !b50601020304 !bb0608010a0178bb06bc06bc06 4=1",
         ",\"immutable\":true"},
    };

    (void)unused;
    check_forms(forms, kin__array_len(forms));
}

/* Tags may be longer than they must be, and unknown fields may come anywhere. */
static void long_tags(void **unused)
{
    static const struct form forms[] = {
        {"certificates.k8s.io/v1", "CertificateSigningRequest",
         "2{ 6{ 1:k 2{ !8a000161 !8a000162 } } 6{ 1:l 2{ 1:a !8a000162 1:c } } }",
         ",\"spec\":{\"request\":null,\"extra\":{\"k\":[\"a\",\"b\"],\"l\":[\"a\",\"b\",\"c\"]}}"},
        {"certificates.k8s.io/v1", "CertificateSigningRequest",
         "2{ 6{ 1:k 2{ 1:a 99=1 1:b 99=2 } } }",
         ",\"spec\":{\"request\":null,\"extra\":{\"k\":[\"a\",\"b\"]}}"},
        {CRD, SCHEMA("24{ 2{ 5:a } !9200032a0162 }"),
         SCHEMA_JSON("\"items\":[{\"type\":\"a\"},{\"type\":\"b\"}]")},
        {"v1", "ConfigMap", "2{ 1:a 2:1 } !920006 !0a0162120132",
         ",\"data\":{\"a\":\"1\",\"b\":\"2\"}"},
    };

    (void)unused;
    check_forms(forms, kin__array_len(forms));
}

static void envelopes(void **unused)
{
    static const struct {
        const char *api_version;
        const char *kind;
        const char *json;
    } cases[] = {
        {NULL, NULL, "{\"immutable\":true}"},
        {"v1", NULL, "{\"apiVersion\":\"v1\",\"immutable\":true}"},
        {NULL, "ConfigMap", "{\"kind\":\"ConfigMap\",\"immutable\":true}"},
        /* Not in the tables: it is known what it is, and no more. */
        {"v1", "Thing", "{\"kind\":\"Thing\",\"apiVersion\":\"v1\"}"},
        {"v9", "ConfigMap", "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v9\"}"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__protobuf_type type;
        kin__buf body;
        kin__buf json;

        kin_test_pb_body_of(&body, cases[i].api_version, cases[i].kind, "4=1");
        assert_code(to_json(&json, kin__buf_str(&body), &type, NULL), 0);
        assert_string_equal(json.data, cases[i].json);
        kin__buf_done(&body);
        kin__buf_done(&json);
    }
    /* No object, and the envelope in pieces. */
    kin__protobuf_type type;
    kin__buf body;
    kin__buf json;
    kin__buf_init(&body, 1024);
    kin__buf_append(&body, kin_str_make("k8s\0", 4));
    kin_test_pb_append(&body, "1{ 2:Secret 1:v9 } 4:x 1{ 1:v1 }");
    assert_code(to_json(&json, kin__buf_str(&body), &type, NULL), 0);
    assert_string_equal(json.data, "{\"kind\":\"Secret\",\"apiVersion\":\"v1\"}");
    kin__buf_done(&body);
    kin__buf_done(&json);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void refused(void **unused)
{
    static const struct {
        const char *words;
        const char *message;
    } cases[] = {
        {"!0a", "unexpected EOF"},
        {"!0a05", "unexpected EOF"},
        {"!0a0501", "unexpected EOF"},
        {"!80", "unexpected EOF"},
        {"!20", "unexpected EOF"},
        {"!2080", "unexpected EOF"},
        {"!20ffffffffffffffffffff01", "proto: integer overflow"},
        {"!ffffffffffffffffffff01", "proto: integer overflow"},
        {"!0affffffffffffffffff01", "proto: negative length found during unmarshaling"},
        {"!a206ffffffffffffffffff01", "proto: negative length found during unmarshaling"},
        {"!a206ffffffff7f", "unexpected EOF"},
        {"!a10601020304050607", "unexpected EOF"},
        {"!a506010203", "unexpected EOF"},
        {"!00", "proto: illegal tag 0 (wire type 0)"},
        {"!808080804000", "proto: illegal tag -2147483648 (wire type 0)"},
        {"!0c", "proto: wiretype end group for non-group"},
        {"!0e", "proto: wrong wireType = 6 for field Metadata"},
        {"!a60600", "proto: illegal wireType 6"},
        {"!a306", "unexpected EOF"},
        {"!a3060a", "unexpected EOF"},
        {"!0800", "proto: wrong wireType = 0 for field Metadata"},
        {"!0b0c", "proto: wrong wireType = 3 for field Metadata"},
        {"4:x", "proto: wrong wireType = 2 for field Immutable"},
        {"1{ 1=5 }", "proto: wrong wireType = 0 for field Name"},
        {"1{ 11{ 1=5 } }", "proto: an entry of a map is malformed"},
        {"1{ 8{ 1=253402300800 } }", "a timestamp is not within the years 0 to 9999"},
        {"1{ 9{ 1=-9223372036854775808 } }", "a timestamp is not within the years 0 to 9999"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin__protobuf_type type;
        kin__buf body;
        kin__buf json;

        kin_test_pb_body_of(&body, "v1", "ConfigMap", cases[i].words);
        int code = to_json(&json, kin__buf_str(&body), &type, &err);
        if (code != KIN_EPARSE || strcmp(err.message, cases[i].message) != 0)
            fail_msg("%s: %d, %s", cases[i].words, code, code < 0 ? err.message : json.data);
        assert_true(kin_str_equal(type.kind, kin_str_of("ConfigMap")));
        kin__buf_done(&body);
        kin__buf_done(&json);
    }
    assert_int_equal(kin_test_alloc_live(), 0);
}

/* What lies in an object as JSON is one value: it cannot end the object around it. */
static void refused_values(void **unused)
{
    static const struct {
        const char *api_version;
        const char *kind;
        const char *words;
    } cases[] = {
        {"apps/v1", "ControllerRevision", "2{ 1:{},\"kind\":\"x\" }"},
        {"apps/v1", "ControllerRevision", "2{ 1:1},\"x\":{\"y\":1 }"},
        {"apps/v1", "ControllerRevision", "2{ 1:nul }"},
        {"apps/v1", "ControllerRevision", "2{ 1:[ }"},
        {"apps/v1", "ControllerRevision", "2{ 1#6b387300 }"},
        {"apps/v1", "ControllerRevision", "2{ 1#22ff22 }"},
        {CRD, SCHEMA("9~inf")},
        {CRD, SCHEMA("11~nan")},
        {"v1", "Service", "2{ 1{ 4{ 1=2 } } }"},
        {"coordination.k8s.io/v1", "Lease", "2{ 4{ 1=253402300799 2=1000000000 } }"},
        {"coordination.k8s.io/v1", "Lease", "2{ 4{ 1=9223372036854775807 2=1000000000 } }"},
        {"coordination.k8s.io/v1", "Lease", "2{ 4{ 1=-9223372036854775808 2=-1000 } }"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__protobuf_type type;
        kin__buf body;
        kin__buf json;

        kin_test_pb_body_of(&body, cases[i].api_version, cases[i].kind, cases[i].words);
        if (to_json(&json, kin__buf_str(&body), &type, NULL) != KIN_EPARSE)
            fail_msg("%s: %s", cases[i].words, json.data);
        kin__buf_done(&body);
        kin__buf_done(&json);
    }
}

static void refused_envelopes(void **unused)
{
    static const struct {
        kin_str body;
        const char *message;
    } cases[] = {
        {{"", 0}, "empty data"},
        {{"k8s", 3},
         "provided data does not appear to be a protobuf message, expected prefix "
         "[107 56 115 0]"},
        {{"{\"a\":1}", 7},
         "provided data does not appear to be a protobuf message, expected "
         "prefix [107 56 115 0]"},
        {{"k8s\0", 4}, "empty body"},
        {{"k8s\0\x12", 5}, "unexpected EOF"},
        {{"k8s\0\x0a\x02\x12\x05", 8}, "unexpected EOF"},
        {{"k8s\0\x10\x01", 6}, "proto: wrong wireType = 0 for field Raw"},
    };

    (void)unused;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin__protobuf_type type;
        kin__buf json;

        assert_code(to_json(&json, cases[i].body, &type, &err), KIN_EPARSE);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(type.kind.len, 0);
        kin__buf_done(&json);
    }
}

/* Of a definition, schemas in schemas. */
static int nest(unsigned depth)
{
    static const unsigned path[] = {2, 7, 4, 1}; /* to the first */
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type type;
    kin__buf inner;
    kin__buf outer;
    kin__buf json;

    kin__buf_init(&inner, KIN_TEST_PROTOBUF_MAX);
    for (unsigned i = depth; i > 0; i--) {
        kin__buf_init(&outer, KIN_TEST_PROTOBUF_MAX);
        kin_test_pb_append_message(&outer, i > kin__array_len(path) ? 28 : path[i - 1],
                                   kin__buf_str(&inner));
        kin__buf_done(&inner);
        inner = outer;
    }
    kin_test_pb_body(&outer, "apiextensions.k8s.io/v1", "CustomResourceDefinition",
                     kin__buf_str(&inner));
    int code = to_json(&json, kin__buf_str(&outer), &type, &err);
    kin__buf_done(&inner);
    kin__buf_done(&outer);
    kin__buf_done(&json);
    return code;
}

static void deep(void **unused)
{
    (void)unused;
    assert_code(nest(400), 0);
    assert_code(nest(5000), KIN_ELIMIT);
}

/* Groups of fields that are not known nest as deep as they like. */
static void deep_groups(void **unused)
{
    kin__protobuf_type type;
    kin__buf groups;
    kin__buf body;
    kin__buf json;

    (void)unused;
    kin__buf_init(&groups, KIN_TEST_PROTOBUF_MAX);
    for (unsigned i = 0; i < 1000000; i++)
        kin__buf_append_char(&groups, '\x7b');
    for (unsigned i = 0; i < 1000000; i++)
        kin__buf_append_char(&groups, '\x7c');
    kin_test_pb_append(&groups, "4=1");
    kin_test_pb_body(&body, "v1", "ConfigMap", kin__buf_str(&groups));
    assert_code(to_json(&json, kin__buf_str(&body), &type, NULL), 0);
    assert_string_equal(json.data,
                        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"immutable\":true}");
    kin__buf_done(&groups);
    kin__buf_done(&body);
    kin__buf_done(&json);
}

/* Append a field of this number `n` times: a message or text of no bytes. */
static void append_empty(kin__buf *out, unsigned number, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        kin_test_pb_append_message(out, number, kin_str_of(""));
}

static void check_crowded(const char *api_version, const char *kind, const kin__buf *message)
{
    kin_error err = KIN_ERROR_INIT;
    kin__protobuf_type type;
    kin__buf body;
    kin__buf json;

    kin_test_pb_body(&body, api_version, kind, kin__buf_str(message));
    assert_code(to_json(&json, kin__buf_str(&body), &type, &err), KIN_ELIMIT);
    assert_string_equal(err.message, "an object of too many values for its length");
    kin__buf_done(&json);
    kin__buf_done(&body);
}

/* Lists of nothing become large, with what JSON has for each. */
static void growth(void **unused)
{
    kin__buf message;
    kin__buf rule;

    (void)unused;
    kin__buf_init(&message, KIN_TEST_PROTOBUF_MAX);
    append_empty(&message, 2, 100000);
    check_crowded("rbac.authorization.k8s.io/v1", "Role", &message);
    /* Entries of a map: each is a key and a value. */
    check_crowded("v1", "ConfigMap", &message);
    /* The limit is reached within a list of texts. */
    kin__buf_reset(&message);
    kin__buf_init(&rule, KIN_TEST_PROTOBUF_MAX);
    append_empty(&rule, 1, 10000);
    append_empty(&message, 2, 19900);
    kin_test_pb_append_message(&message, 2, kin__buf_str(&rule));
    check_crowded("rbac.authorization.k8s.io/v1", "Role", &message);
    kin__buf_done(&rule);
    kin__buf_done(&message);
}

static int decode(kin_decoder *decoder, const char *words, kin_error *err)
{
    const kin_object *object = NULL;
    kin__buf body;
    int code;

    kin_test_pb_body_of(&body, "v1", "Pod", words);
    code = kin_decoder_decode(decoder, &object, kin__buf_str(&body), err);
    kin_object_unref(object);
    kin__buf_done(&body);
    return code;
}

/* Which failures of an answer JSON may not have; a Status may have unknown fields. */
static void left_to_json(void **unused)
{
    static const struct {
        const char *words; /* after the prefix, if not NULL */
        int code;
        bool needs_json;
    } cases[] = {
        {"1{ 1:v1 2:ConfigMap } 2{ 4=1 }", 0, false},
        {"1{ 1:v1 2:ConfigMap } 2{ 4:x }", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:ConfigMap } 2{ 99:x }", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:ConfigMap } 2{ !0a05 }", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:ConfigMap } 2{ 2{ 1:k 2:01234567890123456789 } }", KIN_ELIMIT, false},
        {"1{ 1:v1 2:ConfigMap } 2{ 1{ 1:0123456789 } }", KIN_ELIMIT, false},
        {"1{ 1:v1 2:ConfigMap } 2{ } 3:gzip", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:ConfigMap } 2{ } 5:x", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:ConfigMap 3:x } 2{ }", KIN_EPROTOCOL, true},
        {"1{ 3=1 1:v1 2:Status } 2{ }", 0, false},
        {"1{ 1:v1 2:Thing } 2{ }", KIN_EPROTOCOL, true},
        {"1{ 1:v1 2:Status } 2{ 99:x } 5:x", 0, false},
        {NULL, KIN_EPROTOCOL, true},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;

    (void)unused;
    options.encoding = KIN_ENCODING_PROTOBUF;
    options.max_bytes = 20;
    options.max_string_bytes = 9;
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_error err = KIN_ERROR_INIT;
        const kin_object *object = NULL;
        bool needs_json = !cases[i].needs_json;
        kin__buf body;
        int code;

        kin__buf_init(&body, 1024);
        kin__buf_append(&body, kin_str_make(cases[i].words ? "k8s\0" : "{}  ", 4));
        kin_test_pb_append(&body, cases[i].words ? cases[i].words : "");
        code =
            kin__decoder_decode_envelope(decoder, &object, kin__buf_str(&body), &needs_json, &err);
        if (code != cases[i].code || needs_json != cases[i].needs_json)
            fail_msg("%s: %d, %d, %s", cases[i].words, code, (int)needs_json, err.message);
        kin_object_unref(object);
        kin__buf_done(&body);
    }
    kin_decoder_free(decoder);
}

/* The limit of strings also holds for those which a field often has. */
static void long_words(void **unused)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;
    kin_decoder *limited = NULL;

    (void)unused;
    options.encoding = KIN_ENCODING_PROTOBUF;
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    options.max_string_bytes = 6;
    assert_code(kin_decoder_new(&limited, &options, NULL), 0);
    for (unsigned i = 0; i < 3000; i++)
        assert_code(decode(decoder, "3{ 1:Running }", NULL), 0);
    assert_code(decode(limited, "3{ 1:Running }", NULL), KIN_ELIMIT);
    assert_code(decode(limited, "3{ 1:Ran }", NULL), 0);
    kin_decoder_free(decoder);
    kin_decoder_free(limited);
}

/* The same object in protobuf and in JSON: both decoders must give this code, with these words. */
static void check_same_limit(size_t max, const char *api_version, const char *kind,
                             const kin__buf *message, const char *json, int code, const char *words)
{
    for (int in_json = 0; in_json < 2; in_json++) {
        kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
        const kin_object *object = NULL;
        kin_error err = KIN_ERROR_INIT;
        kin_decoder *decoder = NULL;
        kin__buf body;

        kin_test_pb_body(&body, api_version, kind, kin__buf_str(message));
        options.encoding = in_json ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
        options.max_string_bytes = max;
        assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
        assert_code(kin_decoder_decode(decoder, &object,
                                       in_json ? kin_str_of(json) : kin__buf_str(&body), &err),
                    code);
        if (words)
            assert_non_null(strstr(err.message, words));
        kin_object_unref(object);
        kin_decoder_free(decoder);
        kin__buf_done(&body);
    }
}

/* In JSON that lies in protobuf, a number that ends the text is complete. */
static void long_numbers(void **unused)
{
    enum { DIGITS = 1000 };
    char json[DIGITS + 128];
    char raw[DIGITS + 128];
    char digits[DIGITS + 1];
    kin__buf message;

    (void)unused;
    memset(digits, '7', DIGITS);
    digits[DIGITS] = '\0';
    snprintf(json, sizeof(json),
             "{\"kind\":\"ControllerRevision\",\"apiVersion\":\"apps/v1\",\"data\":%s}", digits);
    snprintf(raw, sizeof(raw), "2{ 1:%s }", digits);
    kin__buf_init(&message, KIN_TEST_PROTOBUF_MAX);
    kin_test_pb_append(&message, raw);
    check_same_limit(50, "apps/v1", "ControllerRevision", &message, json, KIN_ELIMIT,
                     "number too long");
    check_same_limit(DIGITS, "apps/v1", "ControllerRevision", &message, json, 0, NULL);
    kin__buf_done(&message);
}

/* The limit of strings applies to those of the document: three bytes for each that is not UTF-8. */
static void long_repaired_texts(void **unused)
{
    enum { BYTES = 100 };
    char repaired[3 * BYTES + 1] = "";
    char bytes[2 * BYTES + 1] = "";

    (void)unused;
    for (size_t i = 0; i < BYTES; i++) {
        memcpy(bytes + 2 * i, "ff", 3);
        memcpy(repaired + 3 * i, "\xef\xbf\xbd", 4);
    }
    for (int is_key = 0; is_key < 2; is_key++) {
        char words[1024];
        char json[1024];
        kin__buf message;

        kin__buf_init(&message, KIN_TEST_PROTOBUF_MAX);
        snprintf(words, sizeof(words), "2{ 1#%s 2#%s }", is_key ? bytes : "6b",
                 is_key ? "76" : bytes);
        snprintf(json, sizeof(json),
                 "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"data\":{\"%s\":\"%s\"}}",
                 is_key ? repaired : "k", is_key ? "v" : repaired);
        kin_test_pb_append(&message, words);
        check_same_limit(3 * BYTES - 1, "v1", "ConfigMap", &message, json, KIN_ELIMIT,
                         "string too long");
        check_same_limit(3 * BYTES, "v1", "ConfigMap", &message, json, 0, NULL);
        kin__buf_done(&message);
    }
}

/* kin__protobuf_find_kind() counts on it. */
static void sorted(void **unused)
{
    (void)unused;
    for (size_t i = 1; i < kin__pb_n_kinds; i++) {
        const kin__pb_kind *kinds = kin__pb_kinds;
        int order = strcmp(kin__pb_name(kinds[i - 1].kind), kin__pb_name(kinds[i].kind));

        if (order == 0)
            order =
                strcmp(kin__pb_name(kinds[i - 1].api_version), kin__pb_name(kinds[i].api_version));
        assert_true(order < 0);
    }
}

static int transcode(void *arg, kin_error *err)
{
    kin__protobuf_type type;
    kin__buf json;
    int code = to_json(&json, kin__buf_str(arg), &type, err);

    kin__buf_done(&json);
    return code;
}

static void no_memory(void **unused)
{
    kin__buf body;

    (void)unused;
    kin_test_pb_body_of(&body, "apps/v1", "ControllerRevision",
                        "3=1 2{ 1:[1] } 1{ 1:a 11{ 1:k 2:v } 17{ 1:m 7{ 1:{\"f:a\":{}} } } "
                        "14:a 14:b 13{ 1:x } 14:c 14:d 14:e 14:f 14:g 14:h 14:i 14:j 14:k }");
    kin_test_fail_each_allocation(transcode, &body);
    kin__buf_done(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),
        cmocka_unit_test(times),
        cmocka_unit_test(inlined),
        cmocka_unit_test(pieces),
        cmocka_unit_test(long_tags),
        cmocka_unit_test(envelopes),
        cmocka_unit_test(refused),
        cmocka_unit_test(refused_values),
        cmocka_unit_test(refused_envelopes),
        cmocka_unit_test(deep),
        cmocka_unit_test(deep_groups),
        cmocka_unit_test(growth),
        cmocka_unit_test(left_to_json),
        cmocka_unit_test(long_words),
        cmocka_unit_test(long_numbers),
        cmocka_unit_test(long_repaired_texts),
        cmocka_unit_test(sorted),
        cmocka_unit_test(no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
