/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in both forms, there and back.
 */
#include "apiserver_support.h"

#include "alloc.h"
#include "apiserver/protocol/event_conversion.h"
#include "base/compiler.h"
#include "kinform/value.h"
#include "oom.h"

static const char core_form[] =
    "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"a\",\"namespace\":\"b\"},"
    "\"involvedObject\":{\"kind\":\"Pod\",\"name\":\"p\"},\"reason\":\"Started\",\"message\":"
    "\"text\",\"source\":{\"component\":\"kubelet\"},\"firstTimestamp\":\"2025-01-01T00:00:00Z\","
    "\"lastTimestamp\":null,\"count\":3,\"type\":\"Normal\",\"eventTime\":null,\"series\":{"
    "\"count\":2},\"action\":\"Act\",\"related\":{\"name\":\"r\"},\"reportingComponent\":\"rc\","
    "\"reportingInstance\":\"ri\"}";
static const char events_form[] =
    "{\"apiVersion\":\"events.k8s.io/v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"a\","
    "\"namespace\":\"b\"},\"regarding\":{\"kind\":\"Pod\",\"name\":\"p\"},\"reason\":\"Started\","
    "\"note\":\"text\",\"deprecatedSource\":{\"component\":\"kubelet\"},"
    "\"deprecatedFirstTimestamp\":\"2025-01-01T00:00:00Z\",\"deprecatedLastTimestamp\":null,"
    "\"deprecatedCount\":3,\"type\":\"Normal\",\"eventTime\":null,\"series\":{\"count\":2},"
    "\"action\":\"Act\",\"related\":{\"name\":\"r\"},\"reportingController\":\"rc\","
    "\"reportingInstance\":\"ri\"}";

static void assert_converts(const char *from, enum kin__event_form to, const char *expected)
{
    const kin_object *event = object_of(from);
    const kin_object *wanted = object_of(expected);
    const kin_object *found = NULL;

    assert_code(kin__event_convert(&found, event, to, NULL), 0);
    if (!kin_object_equal(found, wanted)) {
        char *text = NULL;

        kin_object_to_json(&text, NULL, found, KIN_JSON_COMPACT, NULL);
        fail_msg("%s\nis not\n%s", text, expected);
    }
    kin_object_unref(event);
    kin_object_unref(wanted);
    kin_object_unref(found);
}

static void converts_both_ways(void **state)
{
    (void)state;
    assert_converts(core_form, KIN__EVENT_EVENTS, events_form);
    assert_converts(events_form, KIN__EVENT_CORE, core_form);
    assert_converts("{}", KIN__EVENT_EVENTS, "{\"apiVersion\":\"events.k8s.io/v1\"}");
}

static void gives_back_what_is_right_already(void **state)
{
    const kin_object *event = object_of(core_form);
    const kin_object *found = NULL;

    (void)state;
    assert_code(kin__event_convert(&found, event, KIN__EVENT_CORE, NULL), 0);
    assert_ptr_equal(found, event);
    kin_object_unref(found);
    kin_object_unref(event);
}

/* A name of the other form is no member of this one. */
static void drops_names_of_the_other_form(void **state)
{
    (void)state;
    assert_converts("{\"apiVersion\":\"events.k8s.io/v1\",\"message\":\"no\",\"note\":\"yes\"}",
                    KIN__EVENT_CORE, "{\"apiVersion\":\"v1\",\"message\":\"yes\"}");
    assert_converts("{\"apiVersion\":\"v1\",\"note\":\"no\"}", KIN__EVENT_EVENTS,
                    "{\"apiVersion\":\"events.k8s.io/v1\"}");
}

static int convert_scenario(void *arg, kin_error *err)
{
    const kin_object *found = NULL;
    int code = kin__event_convert(&found, arg, KIN__EVENT_EVENTS, err);

    kin_object_unref(found);
    return code;
}

static void survives_want_of_memory(void **state)
{
    const kin_object *event = object_of(core_form);

    (void)state;
    kin_test_fail_each_allocation(convert_scenario, (void *)(uintptr_t)event);
    kin_object_unref(event);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converts_both_ways),
        cmocka_unit_test(gives_back_what_is_right_already),
        cmocka_unit_test(drops_names_of_the_other_form),
        cmocka_unit_test(survives_want_of_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
