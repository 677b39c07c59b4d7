/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Documents as protobuf. That all kinds are what Go reads is for tests/oracle/protobuf; these are the
 * forms, the order of fields, and failures.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/path.h"
#include "object/limits.h"
#include "object/protobuf_write.h"
#include "oom.h"
#include "protobuf_support.h"

#define LIMIT ((size_t)1 << 20)

static const kin_object *object_of_json(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(json), NULL, &err) != 0)
        fail_msg("%s: %s", json, err.message);
    return object;
}

static unsigned message_of(const char *api_version, const char *kind)
{
    unsigned message = 0;

    assert_true(kin__pb_message_of(kin_str_of(api_version), kin_str_of(kind), &message));
    return message;
}

static void print_hex(const char *title, kin_str text)
{
    print_error("%s ", title);
    for (size_t i = 0; i < text.len; i++)
        print_error("%02x", (unsigned char)text.data[i]);
    print_error("\n");
}

struct form {
    const char *api_version;
    const char *kind;
    const char *json;
    const char *words; /* as in protobuf_support.h */
};

static void check_form(kin__pb_writer *writer, const struct form *form)
{
    const kin_object *object = object_of_json(form->json);
    unsigned message = message_of(form->api_version, form->kind);
    kin_error err = KIN_ERROR_INIT;
    kin_str bytes;
    kin__buf wanted;
    size_t len = 0;

    kin__buf_init(&wanted, LIMIT);
    kin_test_pb_append(&wanted, form->words);
    if (kin__pb_measure(writer, &len, message, kin_object_root(object), &err) < 0)
        fail_msg("%s: %s", form->json, err.message);
    assert_code(kin__pb_write(writer, &bytes, message, kin_object_root(object), &err), 0);
    assert_int_equal(len, bytes.len);
    if (!kin_str_equal(bytes, kin__buf_str(&wanted))) {
        print_hex("written", bytes);
        print_hex("wanted ", kin__buf_str(&wanted));
        fail_msg("%s", form->json);
    }
    kin__buf_done(&wanted);
    kin_object_unref(object);
}

static void check_forms(const struct form *forms, size_t n)
{
    kin__pb_writer writer;

    kin__pb_writer_init(&writer, LIMIT);
    for (size_t i = 0; i < n; i++)
        check_form(&writer, &forms[i]);
    kin__pb_writer_done(&writer);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void each_form_is_written(void **state)
{
    static const struct form forms[] = {
        {"v1", "ConfigMap", "{}", ""},
        {"v1", "ConfigMap", "{\"metadata\":{\"name\":\"a\",\"generation\":-1}}", "1{ 1:a 7=-1 }"},
        /* Bytes, and a map of them. */
        {"v1", "Secret", "{\"data\":{\"a\":\"AP8=\",\"b\":\"\",\"c\":\"YWJ\\nj\",\"d\":\"YQ==\"}}",
         "2{ 1:a 2#00ff } 2{ 1:b 2: } 2{ 1:c 2:abc } 2{ 1:d 2:a }"},
        {"v1", "ConfigMap", "{\"immutable\":false,\"data\":{\"k\":\"\"}}", "2{ 1:k 2: } 4=0"},
        /* Times, in whole seconds and in microseconds. */
        {"v1", "ConfigMap", "{\"metadata\":{\"creationTimestamp\":\"1970-01-01T00:01:00.5Z\"}}",
         "1{ 8{ 1=60 2=0 } }"},
        {"v1", "ConfigMap", "{\"metadata\":{\"creationTimestamp\":\"0001-01-01T00:00:00Z\"}}",
         "1{ 8{ } }"},
        /* Null is the time zero where Go has a time, and no time where it has a pointer. */
        {"v1", "ConfigMap", "{\"metadata\":{\"creationTimestamp\":null}}", "1{ 8{ } }"},
        {"v1", "ConfigMap", "{\"metadata\":{\"deletionTimestamp\":null}}", "1{ }"},
        {"coordination.k8s.io/v1", "Lease",
         "{\"spec\":{\"renewTime\":\"1969-12-31T23:59:59.000001Z\"}}", "2{ 4{ 1=-1 2=1000 } }"},
        /* A number or a text. */
        {"policy/v1", "PodDisruptionBudget",
         "{\"spec\":{\"minAvailable\":-2,\"maxUnavailable\":\"50%\"}}",
         "2{ 1{ 1=0 2=-2 3: } 3{ 1=1 2=0 3:50% } }"},
        /* Quantities. */
        {"v1", "Node", "{\"status\":{\"capacity\":{\"a\":\"1k\",\"b\":0.50}}}",
         "3{ 1{ 1:a 2{ 1:1k } } 1{ 1:b 2{ 1:0.50 } } }"},
        /* A list by itself as a message. */
        {"certificates.k8s.io/v1", "CertificateSigningRequest",
         "{\"spec\":{\"extra\":{\"a\":[\"b\",\"c\"],\"d\":[]}}}",
         "2{ 6{ 1:a 2{ 1:b 1:c } } 6{ 1:d 2{ } } }"},
        /* JSON in bytes. */
        {"apps/v1", "ControllerRevision", "{\"data\":{\"a\":[1,{}]},\"revision\":7}",
         "2{ 1:{\"a\":[1,{}]} } 3=7"},
        /* Messages inside the message: none, and one with members. */
        {"v1", "PersistentVolume", "{\"spec\":{\"hostPath\":{\"path\":\"/\"}}}",
         "2{ 2{ 3{ 1:/ } } }"},
        {"v1", "PersistentVolume", "{\"spec\":{}}", "2{ 2{ } }"},
    };

    (void)state;
    check_forms(forms, kin__array_len(forms));
}

static void choices_go_by_the_type(void **state)
{
#define SCHEMA(member) "{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":{" member "}}}]}}"
#define MESSAGE(words) "2{ 7{ 4{ 1{ " words " } } } }"
    static const struct form forms[] = {
        {"", "", SCHEMA("\"items\":{\"type\":\"x\"}"), MESSAGE("24{ 1{ 5:x } }")},
        {"", "", SCHEMA("\"items\":[{},{\"type\":\"x\"}]"), MESSAGE("24{ 2{ } 2{ 5:x } }")},
        {"", "", SCHEMA("\"additionalItems\":false"), MESSAGE("33{ 1=0 }")},
        {"", "", SCHEMA("\"additionalItems\":{}"), MESSAGE("33{ 1=1 2{ } }")},
        {"", "", SCHEMA("\"dependencies\":{\"a\":[\"b\"],\"c\":{}}"),
         MESSAGE("32{ 1:a 2{ 2:b } } 32{ 1:c 2{ 1{ } } }")},
        {"", "", SCHEMA("\"default\":1.50,\"enum\":[null,\"a\"],\"maximum\":0.5"),
         MESSAGE("8{ 1:1.50 } 9~0.5 20{ } 20{ 1:\"a\" }")},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(forms); i++) {
        struct form form = forms[i];

        form.api_version = "apiextensions.k8s.io/v1";
        form.kind = "CustomResourceDefinition";
        check_forms(&form, 1);
    }
}

static void fields_and_keys_are_in_order(void **state)
{
    static const struct form forms[] = {
        {"v1", "ConfigMap",
         "{\"data\":{\"b\":\"2\",\"ab\":\"3\",\"a\":\"1\",\"\":\"0\"},\"kind\":\"ConfigMap\","
         "\"metadata\":{\"uid\":\"u\",\"unknown\":[1],\"name\":\"n\"},\"apiVersion\":\"v1\"}",
         "1{ 1:n 5:u } 2{ 1: 2:0 } 2{ 1:a 2:1 } 2{ 1:ab 2:3 } 2{ 1:b 2:2 }"},
        {"v1", "Pod",
         "{\"spec\":{\"containers\":[{\"name\":\"b\"},{\"image\":\"i\",\"name\":\"a\"}],"
         "\"volumes\":[{\"emptyDir\":{},\"name\":\"v\"}]}}",
         "2{ 1{ 1:v 2{ 2{ } } } 2{ 1:b } 2{ 1:a 2:i } }"},
        {"v1", "ConfigMap", "{\"metadata\":{\"finalizers\":[\"b\",\"a\"]}}", "1{ 14:b 14:a }"},
    };

    (void)state;
    check_forms(forms, kin__array_len(forms));
}

static void null_is_nothing_but_among_others(void **state)
{
    static const struct form forms[] = {
        {"v1", "Pod", "{\"metadata\":null,\"spec\":{\"volumes\":null,\"nodeName\":null}}", "2{ }"},
        {"v1", "Pod", "{\"spec\":{\"volumes\":[null],\"nodeSelector\":{\"a\":null}}}",
         "2{ 1{ } 7{ 1:a } }"},
        {"v1", "ConfigMap", "{\"metadata\":{\"finalizers\":[null]}}", "1{ 14: }"},
        {"v1", "Pod", "{\"spec\":{\"securityContext\":{\"supplementalGroups\":[null,3]}}}",
         "2{ 14{ 4=0 4=3 } }"},
        {"v1", "Node", "{\"status\":{\"capacity\":{\"a\":null}}}", "3{ 1{ 1:a } }"},
    };

    (void)state;
    check_forms(forms, kin__array_len(forms));
}

struct refusal {
    const char *kind;
    const char *json;
    int code;
    const char *message;
};

static void wrong_values_are_refused_with_their_path(void **state)
{
    static const struct refusal refusals[] = {
        {"Pod", "{\"metadata\":[]}", KIN_ETYPE, "metadata: expected map, not array"},
        {"Pod", "{\"spec\":{\"containers\":[{},{\"name\":7}]}}", KIN_ETYPE,
         "spec.containers[1].name: expected string, not integer"},
        {"Pod", "{\"spec\":{\"containers\":{}}}", KIN_ETYPE,
         "spec.containers: expected array, not map"},
        {"Pod", "{\"metadata\":{\"labels\":{\"a.b\":true}}}", KIN_ETYPE,
         "metadata.labels.a\\.b: expected string, not bool"},
        {"Pod", "{\"metadata\":{\"labels\":\"\"}}", KIN_ETYPE,
         "metadata.labels: expected map, not string"},
        {"Pod", "{\"metadata\":{\"generation\":1.5}}", KIN_EINVAL,
         "metadata.generation: not an integer of 64 bits"},
        {"Pod", "{\"spec\":{\"priority\":2147483648}}", KIN_EINVAL,
         "spec.priority: not an integer of 32 bits"},
        {"Pod", "{\"spec\":{\"priority\":\"1\"}}", KIN_ETYPE,
         "spec.priority: expected integer, not string"},
        {"Pod", "{\"spec\":{\"hostIPC\":0}}", KIN_ETYPE,
         "spec.hostIPC: expected bool, not integer"},
        {"Pod", "{\"metadata\":{\"creationTimestamp\":\"now\"}}", KIN_EINVAL,
         "metadata.creationTimestamp: not a timestamp"},
        {"Pod", "{\"metadata\":{\"creationTimestamp\":1}}", KIN_ETYPE,
         "metadata.creationTimestamp: expected string, not integer"},
        {"Pod", "{\"spec\":{\"volumes\":[{\"emptyDir\":1}]}}", KIN_ETYPE,
         "spec.volumes[0].emptyDir: expected map, not integer"},
        {"Node", "{\"status\":{\"capacity\":{\"cpu\":[]}}}", KIN_ETYPE,
         "status.capacity.cpu: expected another type, not array"},
        {"Secret", "{\"data\":{\"a\":\"YQ\"}}", KIN_EINVAL, "data.a: malformed base64"},
        {"Secret", "{\"data\":{\"a\":\"YQ==YQ==\"}}", KIN_EINVAL, "data.a: malformed base64"},
        {"Secret", "{\"data\":{\"a\":\"YQ==\\n=\"}}", KIN_EINVAL, "data.a: malformed base64"},
        {"Secret", "{\"data\":{\"a\":\"Y=Q=\"}}", KIN_EINVAL, "data.a: malformed base64"},
        {"Secret", "{\"data\":{\"a\":\"Y-Q_\"}}", KIN_EINVAL, "data.a: malformed base64"},
    };
    kin__pb_writer writer;

    (void)state;
    kin__pb_writer_init(&writer, LIMIT);
    for (size_t i = 0; i < kin__array_len(refusals); i++) {
        const kin_object *object = object_of_json(refusals[i].json);
        kin_error err = KIN_ERROR_INIT;
        kin_str bytes = kin_str_of("untouched");

        assert_code(kin__pb_write(&writer, &bytes, message_of("v1", refusals[i].kind),
                                  kin_object_root(object), &err),
                    refusals[i].code);
        assert_string_equal(err.message, refusals[i].message);
        assert_true(kin_str_equal(bytes, kin_str_of("untouched")));
        kin_object_unref(object);
    }
    kin__pb_writer_done(&writer);
}

struct lacking {
    const char *kind;
    const char *json;
    const char *message; /* of the refusal; NULL: none */
    bool is_outermost;   /* so that it is refused with KIN__PB_REFUSE only */
};

#define CONTAINER(members) "{\"spec\":{\"containers\":[{\"name\":\"c\"," members "}]}}"

static void members_without_a_field_can_be_refused(void **state)
{
    static const struct lacking cases[] = {
        {"Pod", CONTAINER("\"zz\":1"), "spec.containers[0].zz: the message has no such field",
         false},
        {"Pod", "{\"zz\":{}}", "zz: the message has no such field", true},
        {"Pod", "{\"metadata\":{\"zz.a\":\"\"}}", "metadata.zz\\.a: the message has no such field",
         false},
        /* Of messages whose fields are among those of another. */
        {"Pod", "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"zz\":{}}]}}",
         "spec.volumes[0].zz: the message has no such field", false},
        {"Pod", "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{\"zz\":1}}]}}",
         "spec.volumes[0].emptyDir.zz: the message has no such field", false},
        {"Pod", "{\"spec\":{\"volumes\":[{\"name\":\"v\",\"emptyDir\":{}}]}}", NULL, false},
        {"Pod",
         "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"e\",\"targetContainerName\":\"c\"}]}}",
         NULL, false},
        {"Pod", "{\"spec\":{\"ephemeralContainers\":[{\"name\":\"e\",\"zz\":\"c\"}]}}",
         "spec.ephemeralContainers[0].zz: the message has no such field", false},
        {"PersistentVolume",
         "{\"spec\":{\"capacity\":{\"storage\":\"1\"},\"hostPath\":{\"path\":\"p\"}}}", NULL,
         false},
        /* Keys of maps, members of timestamps' and quantities' messages are values. */
        {"ConfigMap", "{\"data\":{\"zz\":\"1\"},\"metadata\":{\"labels\":{\"zz\":\"\"}}}", NULL,
         false},
        {"Node", "{\"status\":{\"capacity\":{\"zz\":\"1\"}}}", NULL, false},
        {"Pod", "{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"f:zz\":{}}}]}}", NULL, false},
        /* Null is nothing. */
        {"Pod", CONTAINER("\"zz\":null"), NULL, false},
        /* The type of an object is in its envelope; that of an object within another is not in protobuf. */
        {"Pod", "{\"apiVersion\":\"v1\",\"kind\":\"Pod\"}", NULL, false},
        {"PodTemplate", "{\"template\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\"}}", NULL, false},
        {"Pod", CONTAINER("\"kind\":\"c\""),
         "spec.containers[0].kind: the message has no such field", false},
    };
    static const enum kin__pb_lacking modes[] = {KIN__PB_LEAVE_OUT, KIN__PB_REFUSE_INSIDE,
                                                 KIN__PB_REFUSE};

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *object = object_of_json(cases[i].json);
        unsigned message = message_of("v1", cases[i].kind);

        for (size_t m = 0; m < kin__array_len(modes); m++) {
            bool is_refused = cases[i].message && modes[m] != KIN__PB_LEAVE_OUT &&
                              !(modes[m] == KIN__PB_REFUSE_INSIDE && cases[i].is_outermost);
            kin_error err = KIN_ERROR_INIT;
            kin__pb_writer writer;
            kin_str bytes;
            size_t len;

            kin__pb_writer_init(&writer, LIMIT);
            writer.lacking = modes[m];
            assert_code(kin__pb_measure(&writer, &len, message, kin_object_root(object), &err),
                        is_refused ? KIN_EINVAL : 0);
            assert_code(kin__pb_write(&writer, &bytes, message, kin_object_root(object), &err),
                        is_refused ? KIN_EINVAL : 0);
            if (is_refused)
                assert_string_equal(err.message, cases[i].message);
            else
                assert_int_equal(bytes.len, len);
            kin__pb_writer_done(&writer);
        }
        kin_object_unref(object);
    }
}

static void the_envelope_says_what_it_is(void **state)
{
    const kin_object *object = object_of_json("{\"kind\":\"x\",\"immutable\":true}");
    kin__pb_writer writer;
    kin__buf wanted;
    kin__buf out;

    (void)state;
    kin__pb_writer_init(&writer, LIMIT);
    kin__buf_init(&out, LIMIT);
    assert_code(kin__pb_write_object(&writer, &out, message_of("v1", "ConfigMap"), kin_str_of("v1"),
                                     kin_str_of("ConfigMap"), kin_object_root(object), NULL),
                0);
    kin__buf_init(&wanted, LIMIT);
    kin_test_pb_append(&wanted, "!6b387300 1{ 1:v1 2:ConfigMap } 2{ 4=1 } 3: 4:");
    assert_true(kin_str_equal(kin__buf_str(&out), kin__buf_str(&wanted)));
    kin__buf_done(&wanted);
    kin__buf_done(&out);
    kin__pb_writer_done(&writer);
    kin_object_unref(object);
}

static void parts_are_appended(void **state)
{
    kin__buf wanted;
    kin__buf out;

    (void)state;
    kin__buf_init(&out, LIMIT);
    kin__buf_init(&wanted, LIMIT);
    kin__pb_append_text(&out, 16, kin_str_of("x"));
    kin__pb_append_number(&out, 2, 300);
    kin__pb_append_head(&out, 1, 200);
    kin_test_pb_append(&wanted, "16:x 2=300 !0ac801");
    assert_true(kin_str_equal(kin__buf_str(&out), kin__buf_str(&wanted)));
    kin__buf_done(&out);
    kin__buf_done(&wanted);
}

static void only_kinds_of_the_tables_are_known(void **state)
{
    unsigned message = 7;

    (void)state;
    assert_false(kin__pb_message_of(kin_str_of("v2"), kin_str_of("Pod"), &message));
    assert_false(kin__pb_message_of(kin_str_of("v1"), kin_str_of("Po"), &message));
    assert_false(kin__pb_message_of(kin_str_of(""), kin_str_of(""), &message));
    assert_int_equal(message, 7);
    /* Each group has its own. */
    assert_true(kin__pb_message_of(kin_str_of("x/v1"), kin_str_of("DeleteOptions"), &message));
}

static void messages_have_a_limit(void **state)
{
    const kin_object *object = object_of_json("{\"data\":{\"k\":\"0123456789\"}}");
    unsigned message = message_of("v1", "ConfigMap");
    size_t len = 0;

    (void)state;
    for (size_t limit = 0; limit < 18; limit++) {
        kin_error err = KIN_ERROR_INIT;
        kin__pb_writer writer;
        kin_str bytes;
        int code;

        kin__pb_writer_init(&writer, limit);
        code = limit < 17 ? KIN_ELIMIT : 0;
        assert_code(kin__pb_write(&writer, &bytes, message, kin_object_root(object), &err), code);
        assert_code(kin__pb_measure(&writer, &len, message, kin_object_root(object), &err), code);
        kin__pb_writer_done(&writer);
    }
    assert_int_equal(len, 17);
    kin_object_unref(object);
}

static void the_deepest_schema_is_written(void **state)
{
    unsigned message = message_of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
    const unsigned depth = KIN__DEPTH_MAX - 6;
    kin__pb_writer writer;
    kin_str bytes;
    kin__buf json;

    (void)state;
    kin__buf_init(&json, LIMIT);
    kin__buf_append(&json,
                    kin_str_of("{\"spec\":{\"versions\":[{\"schema\":{\"openAPIV3Schema\":"));
    for (unsigned i = 0; i < depth; i++)
        kin__buf_append(&json, kin_str_of("{\"not\":"));
    kin__buf_append(&json, kin_str_of("{}"));
    for (unsigned i = 0; i < depth + 2; i++)
        kin__buf_append_char(&json, '}');
    kin__buf_append(&json, kin_str_of("]}}"));
    const kin_object *object = object_of_json(json.data);
    kin__pb_writer_init(&writer, LIMIT);
    assert_code(kin__pb_write(&writer, &bytes, message, kin_object_root(object), NULL), 0);
    assert_true(bytes.len > 2 * (size_t)depth);
    kin__pb_writer_done(&writer);
    kin_object_unref(object);
    kin__buf_done(&json);
}

static void what_is_no_document_is_refused(void **state)
{
    const kin_object *object = object_of_json("{\"a\":[]}");
    kin_value none = {NULL, NULL};
    kin__pb_writer writer;
    kin_error err = KIN_ERROR_INIT;
    kin_str bytes;

    (void)state;
    kin__pb_writer_init(&writer, LIMIT);
    assert_code(kin__pb_write(&writer, &bytes, message_of("v1", "Pod"), none, &err), KIN_ETYPE);
    assert_code(
        kin__pb_write(&writer, &bytes, message_of("v1", "Pod"), kin_object_find(object, "a"), &err),
        KIN_ETYPE);
    assert_string_equal(err.message, ".: expected map, not array");
    kin__pb_writer_done(&writer);
    kin_object_unref(object);
}

static int write_one(void *arg, kin_error *err)
{
    const kin_object *object = arg;
    kin__pb_writer writer;
    kin__buf out;

    kin__pb_writer_init(&writer, LIMIT);
    kin__buf_init(&out, LIMIT);
    int code = kin__pb_write_object(&writer, &out, message_of("v1", "Pod"), kin_str_of("v1"),
                                    kin_str_of("Pod"), kin_object_root(object), err);
    kin__buf_done(&out);
    kin__pb_writer_done(&writer);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    kin__buf json;

    (void)state;
    kin__buf_init(&json, 100000);
    kin__buf_append(
        &json, kin_str_of("{\"metadata\":{\"managedFields\":[{\"fieldsV1\":{\"f:metadata\":{}}}]},"
                          "\"spec\":{\"containers\":[{\"resources\":{\"limits\":{\"cpu\":1}}}],"
                          "\"nodeSelector\":{\"\":\"\""));
    for (unsigned i = 0; i < 200; i++)
        kin__buf_appendf(&json, ",\"key%u\":\"value\"", i);
    kin__buf_append(&json, kin_str_of("}}}"));
    const kin_object *object = object_of_json(json.data);
    kin_test_fail_each_allocation(write_one, (void *)(uintptr_t)object);
    kin_object_unref(object);
    kin__buf_done(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_form_is_written),
        cmocka_unit_test(choices_go_by_the_type),
        cmocka_unit_test(fields_and_keys_are_in_order),
        cmocka_unit_test(null_is_nothing_but_among_others),
        cmocka_unit_test(wrong_values_are_refused_with_their_path),
        cmocka_unit_test(members_without_a_field_can_be_refused),
        cmocka_unit_test(the_envelope_says_what_it_is),
        cmocka_unit_test(parts_are_appended),
        cmocka_unit_test(only_kinds_of_the_tables_are_known),
        cmocka_unit_test(messages_have_a_limit),
        cmocka_unit_test(the_deepest_schema_is_written),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
