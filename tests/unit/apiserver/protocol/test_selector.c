/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Selectors: which fields a kind has, what absent ones have, and the words for malformed texts.
 */
#include "apiserver_support.h"

#include "alloc.h"
#include "apiserver/protocol/selector.h"
#include "base/compiler.h"
#include "oom.h"

#define KEY_WORDS                                                                                  \
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an "    \
    "alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for "         \
    "validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
#define VALUE_WORDS                                                                                \
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or "    \
    "'.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value', " \
    " or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
#define UNABLE "unable to parse requirement: "

static void words_for_label_selectors(void **state)
{
    static const struct {
        const char *text;
        const char *words; /* NULL: it is good */
    } cases[] = {
        {"", NULL},
        {"a=b,c!=d,!e,f in (g,h),i notin (),j>1", NULL},
        {"in in (in)", NULL},
        {"=a", "found '=', expected: !, identifier, or 'end of string'"},
        {"a,", "found '', expected: identifier after ','"},
        {"a,,b", "found ',', expected: identifier after ','"},
        {"a b", UNABLE "found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"a=b c", "found 'c', expected: ',' or 'end of string'"},
        {"!a=b", "found '=', expected: ',' or 'end of string'"},
        {"!", UNABLE "found '', expected: identifier"},
        {"!!a", UNABLE "found '!', expected: identifier"},
        {"a in b", UNABLE "found 'b' expected: '('"},
        {"a in (", UNABLE "found '', expected: ',', ')' or identifier"},
        {"a in (b", UNABLE "found '', expected: ',' or ')'"},
        {"a in (b,", UNABLE "found '', expected: ',', or identifier"},
        {"a in (b c)", UNABLE "found 'c', expected: ',' or ')'"},
        {"a in (b=)", UNABLE "found '=', expected: ',' or ')'"},
        {"a==!b", UNABLE "found '!', expected: identifier"},
        {"a=(b)", UNABLE "found '(', expected: identifier"},
        {"a/b/c",
         UNABLE "<nil>: Invalid value: \"a/b/c\": a valid label key " KEY_WORDS
                " with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"},
        {"-a=b", UNABLE "<nil>: Invalid value: \"-a\": name part " KEY_WORDS},
        {"/", UNABLE "<nil>: Invalid value: \"/\": prefix part must be non-empty; name part must "
                     "be non-empty; name part " KEY_WORDS},
        {"a=b/c", UNABLE "values[0][a]: Invalid value: \"b/c\": " VALUE_WORDS},
        {"a in (z,b/c,a)", UNABLE "values[1][a]: Invalid value: \"b/c\": " VALUE_WORDS},
        {"a in (-,/)", UNABLE "[values[0][a]: Invalid value: \"-\": " VALUE_WORDS
                              ", values[1][a]: Invalid value: \"/\": " VALUE_WORDS "]"},
        {"a>b", UNABLE "values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must "
                       "be an integer"},
        {"a<", UNABLE "values[0]: Invalid value: \"\": for 'Gt', 'Lt' operators, the value must "
                      "be an integer"},
        /* What comes before is read over, whatever it is. */
        {"a in (b,c),d notin (,),e in (),f in (g,),h!=,i>5,!j,k=l\t,\r\nm in(n,,o) , =",
         "found '=', expected: identifier after ','"},
        {"a\tb", UNABLE "found 'b', expected: in, notin, =, ==, !=, gt, lt"},
        {"a (b)", UNABLE "found '(', expected: in, notin, =, ==, !=, gt, lt"},
        {"a )", UNABLE "found ')', expected: in, notin, =, ==, !=, gt, lt"},
        {"a !", UNABLE "found '!', expected: in, notin, =, ==, !=, gt, lt"},
        {"a in (!)", UNABLE "found '!', expected: ',', ')' or identifier"},
        {"a in (b,!)", UNABLE "found '!', expected: ',', or identifier"},
        {"ok=1,a b", UNABLE "found 'b', expected: in, notin, =, ==, !=, gt, lt"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_label_selector *selector = NULL;
        kin__failure failure;
        bool ok = kin__label_selector_read(&selector, kin_str_of(cases[i].text), &failure);

        if (ok != !cases[i].words)
            fail_msg("%s: %s", cases[i].text, ok ? "is good" : failure.message);
        if (!ok)
            assert_failure(&failure, 400, "BadRequest", cases[i].words);
        kin_label_selector_unref(selector);
    }
}

static void words_for_field_selectors(void **state)
{
    static const struct {
        const char *text;
        const char *words;
    } cases[] = {
        {"", NULL},
        {"metadata.name=a,spec.x!=b\\,c", NULL},
        {"a", "invalid selector: 'a'; can't understand 'a'"},
        {"a!=b,c==d,e", "invalid selector: 'a!=b,c==d,e'; can't understand 'e'"},
        {"z,b=c,a", "invalid selector: 'z,b=c,a'; can't understand 'a'"},
        {"a=\\,b,c", "invalid selector: 'a=\\,b,c'; can't understand 'c'"},
        {"a=\\\\,b", "invalid selector: 'a=\\\\,b'; can't understand 'b'"},
        {"a=b=c", "invalid field selector: unescaped character in value: 61"},
        {"a=\\x", "invalid field selector: invalid escape sequence: \\x"},
        {"a=\\", "invalid field selector: invalid escape sequence: \\"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_field_selector *selector = NULL;
        kin__failure failure;
        bool ok = kin__field_selector_read(&selector, kin_str_of(cases[i].text), &failure);

        if (ok != !cases[i].words)
            fail_msg("%s: %s", cases[i].text, ok ? "is good" : failure.message);
        if (!ok)
            assert_failure(&failure, 400, "BadRequest", cases[i].words);
        kin_field_selector_unref(selector);
    }
}

/* What we refuse and apimachinery does not is told in our words. */
static void limits_are_told(void **state)
{
    static char text[KIN_SELECTOR_MAX_LENGTH + 2];
    const kin_label_selector *labels = NULL;
    const kin_field_selector *fields = NULL;
    kin__failure failure;

    (void)state;
    memset(text, 'a', sizeof(text) - 1);
    assert_false(kin__label_selector_read(&labels, kin_str_of(text), &failure));
    assert_int_equal(failure.status, 400);
    assert_true(failure.message[0] != '\0');
    assert_false(kin__field_selector_read(&fields, kin_str_of(text), &failure));
    assert_int_equal(failure.status, 400);
    assert_true(failure.message[0] != '\0');
    assert_false(kin__label_selector_read(&labels, kin_str_make("a=\0", 3), &failure));
    assert_int_equal(failure.status, 400);
    assert_true(failure.message[0] != '\0');
}

/* --- fields --- */

/* Whether a field selector matches; -1: it is refused, and *failure says why. */
static int match(const kin__kind *kind, const char *text, const char *json, kin__failure *failure)
{
    const kin_field_selector *fields = NULL;
    const kin_object *object = object_of(json);
    kin__selector selector;
    int result = -1;

    assert_true(kin__field_selector_read(&fields, kin_str_of(text), failure));
    if (kin__selector_for(&selector, kind, &kind->versions[0], NULL, fields, failure)) {
        result = kin__selector_match(object, &selector);
        kin__selector_done(&selector);
    }
    kin_field_selector_unref(fields);
    kin_object_unref(object);
    return result;
}

static void refuses_fields_that_a_kind_has_not(void **state)
{
    static const struct {
        const char *group;
        const char *resource;
        const char *text;
        const char *words;
    } cases[] = {
        {"", "pods", "spec.nodeName=a,metadata.name=b,metadata.namespace=c,status.phase=d", NULL},
        {"", "pods", "spec.x=a", "field label not supported: spec.x"},
        {"", "nodes", "metadata.name=a,spec.unschedulable=true", NULL},
        {"", "nodes", "metadata.namespace=a", "field label not supported: metadata.namespace"},
        {"", "configmaps", "metadata.name=a,metadata.namespace=b", NULL},
        {"", "persistentvolumes", "metadata.namespace=b", NULL},
        {"", "configmaps", "data.x=a",
         "\"data.x\" is not a known field selector: only \"metadata.name\", "
         "\"metadata.namespace\""},
        {"apps", "replicasets", "status.replicas=1",
         "\"status.replicas\" is not a known field selector: only \"metadata.name\", "
         "\"metadata.namespace\""},
        {"batch", "jobs", "status.successful=1", NULL},
        {"batch", "jobs", "status.active=1", "field label \"status.active\" not supported for Job"},
        {"", "events", "involvedObject.name=a,source=b", NULL},
        {"", "events", "regarding.name=a", "field label not supported: regarding.name"},
        {"events.k8s.io", "events", "regarding.name=a,reportingController=b", NULL},
        {"events.k8s.io", "events", "involvedObject.name=a",
         "field label not supported: involvedObject.name"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__failure failure;
        int result =
            match(builtin(cases[i].group, cases[i].resource), cases[i].text, "{}", &failure);

        if ((result < 0) != (cases[i].words != NULL))
            fail_msg("%s %s", cases[i].resource, cases[i].text);
        if (result < 0)
            assert_failure(&failure, 400, "BadRequest", cases[i].words);
    }
}

static void compares_fields(void **state)
{
    static const struct {
        const char *group;
        const char *resource;
        const char *text;
        const char *object;
        bool matches;
    } cases[] = {
        {"", "pods", "", "{}", true},
        {"", "pods", "spec.nodeName=a", "{\"spec\":{\"nodeName\":\"a\"}}", true},
        {"", "pods", "spec.host=a", "{\"spec\":{\"nodeName\":\"a\"}}", true},
        {"", "pods", "spec.nodeName=", "{\"spec\":{}}", true},
        {"", "pods", "spec.nodeName!=", "{\"spec\":{}}", false},
        {"", "pods", "spec.hostNetwork=false", "{\"spec\":{}}", true},
        {"", "pods", "spec.hostNetwork=true", "{\"spec\":{\"hostNetwork\":true}}", true},
        {"", "pods", "spec.hostNetwork=false", "{\"spec\":{\"hostNetwork\":true}}", false},
        {"", "pods", "status.podIPs=", "{\"status\":{\"podIPs\":[{\"ip\":\"1.2.3.4\"}]}}", true},
        {"", "pods", "metadata.name=a,metadata.namespace=b",
         "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}", true},
        {"", "pods", "metadata.name=a,metadata.namespace=c",
         "{\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"}}", false},
        /* What the real server would have written into them. */
        {"", "pods", "status.phase=Pending", "{}", true},
        {"", "pods", "status.phase!=Running", "{\"status\":{\"phase\":\"Running\"}}", false},
        {"", "pods", "spec.restartPolicy=Always", "{}", true},
        {"", "pods", "spec.restartPolicy=Always", "{\"spec\":{\"restartPolicy\":\"Never\"}}",
         false},
        {"", "pods", "spec.schedulerName=default-scheduler", "{}", true},
        {"", "secrets", "type=Opaque", "{}", true},
        {"", "services", "spec.type=ClusterIP", "{}", true},
        {"", "nodes", "spec.unschedulable=false", "{}", true},
        {"", "replicationcontrollers", "status.replicas=0", "{}", true},
        {"", "replicationcontrollers", "status.replicas=3", "{\"status\":{\"replicas\":3}}", true},
        {"batch", "jobs", "status.successful=2", "{\"status\":{\"succeeded\":2}}", true},
        {"batch", "jobs", "status.successful=0", "{\"status\":{}}", true},
        {"", "events", "source=kubelet", "{\"source\":{\"component\":\"kubelet\"}}", true},
        {"", "events", "source=kubelet", "{\"reportingComponent\":\"kubelet\"}", true},
        {"", "events", "source=kubelet",
         "{\"source\":{\"component\":\"\"},\"reportingComponent\":\"kubelet\"}", true},
        {"", "events", "source=kubelet",
         "{\"source\":{\"component\":\"x\"},\"reportingComponent\":\"kubelet\"}", false},
        {"events.k8s.io", "events", "regarding.name=a", "{\"involvedObject\":{\"name\":\"a\"}}",
         true},
        {"events.k8s.io", "events", "reportingController=a", "{\"reportingComponent\":\"a\"}",
         true},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__failure failure;
        int result = match(builtin(cases[i].group, cases[i].resource), cases[i].text,
                           cases[i].object, &failure);

        if (result != (int)cases[i].matches)
            fail_msg("%s %s %s: %d", cases[i].resource, cases[i].text, cases[i].object, result);
    }
}

static void needs_labels_and_fields(void **state)
{
    const kin__kind *pods = builtin("", "pods");
    const kin_object *object = object_of(
        "{\"metadata\":{\"name\":\"a\",\"labels\":{\"x\":\"y\"}},\"status\":{\"phase\":\"Running\"}}");
    static const struct {
        const char *labels;
        const char *fields;
        bool matches;
    } cases[] = {
        {"x=y", "status.phase=Running", true},
        {"x=z", "status.phase=Running", false},
        {"x=y", "status.phase=Failed", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_label_selector *labels = NULL;
        const kin_field_selector *fields = NULL;
        kin__failure failure;
        kin__selector selector;

        assert_true(kin__label_selector_read(&labels, kin_str_of(cases[i].labels), &failure));
        assert_true(kin__field_selector_read(&fields, kin_str_of(cases[i].fields), &failure));
        assert_true(kin__selector_for(&selector, pods, pods->versions, labels, fields, &failure));
        kin_label_selector_unref(labels); /* it has references of its own */
        kin_field_selector_unref(fields);
        assert_false(kin__selector_is_empty(&selector));
        assert_false(kin__selector_name(&selector, &(kin_str){NULL, 0}));
        assert_int_equal(kin__selector_matches(&selector, object), cases[i].matches);
        kin__selector_done(&selector);
    }
    kin_object_unref(object);
}

static void tells_the_only_name(void **state)
{
    const kin__kind *pods = builtin("", "pods");
    const kin_field_selector *fields = NULL;
    kin__failure failure;
    kin__selector selector;
    kin_str name;

    (void)state;
    assert_true(kin__field_selector_read(&fields, kin_str_of("metadata.name=web"), &failure));
    assert_true(kin__selector_for(&selector, pods, pods->versions, NULL, fields, &failure));
    assert_true(kin__selector_name(&selector, &name));
    assert_text(name, "web");
    kin__selector_done(&selector);
    kin_field_selector_unref(fields);
    assert_true(kin__selector_for(&selector, pods, pods->versions, NULL, NULL, &failure));
    assert_true(kin__selector_is_empty(&selector));
    kin__selector_done(&selector);
}

static int read_scenario(void *arg, kin_error *err)
{
    const kin_label_selector *labels = NULL;
    const kin_field_selector *fields = NULL;
    kin__failure failure;

    (void)arg;
    bool ok = kin__label_selector_read(&labels, kin_str_of("a in (b,c),d"), &failure) &&
              kin__field_selector_read(&fields, kin_str_of("a=b"), &failure);
    kin_label_selector_unref(labels);
    kin_field_selector_unref(fields);
    if (ok)
        return 0;
    assert_int_equal(failure.status, 500);
    return kin_error_set(err, KIN_ENOMEM, "no memory");
}

static void survives_want_of_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(read_scenario, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_for_label_selectors),
        cmocka_unit_test(words_for_field_selectors),
        cmocka_unit_test(limits_are_told),
        cmocka_unit_test(refuses_fields_that_a_kind_has_not),
        cmocka_unit_test(compares_fields),
        cmocka_unit_test(needs_labels_and_fields),
        cmocka_unit_test(tells_the_only_name),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
