/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: which apply, how often, and as JSON. */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "apiserver/faults/faults.h"
#include "base/memory.h"
#include "kinform/json.h"
#include "oom.h"

static kin__faults *faults;

static int start(void **state)
{
    (void)state;
    assert_code(kin__faults_new(&faults, 42, NULL), 0);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    kin__faults_free(faults);
    return 0;
}

static uint64_t add(kin_fault fault)
{
    uint64_t id = 0;

    assert_code(kin__faults_add(faults, &fault, &id, NULL), 0);
    return id;
}

/* The rule that a request meets; 0: none. */
static uint64_t meet(const char *verb, const char *path)
{
    const kin__target target = {.verb = verb};
    kin__met_fault met;

    assert_code(kin__faults_meet(faults, &target, kin_str_of(path), &met), 0);
    kin__free(met.body);
    return met.id;
}

static void test_matching(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);

    (void)state;
    fault.times = KIN_FAULT_ALWAYS;
    fault.verb = "list";
    fault.path = "/api/v1/*";
    uint64_t list = add(fault);
    fault.verb = NULL;
    uint64_t any = add(fault);
    assert_int_equal(meet("list", "/api/v1/pods"), list);
    assert_int_equal(meet("watch", "/api/v1/pods"), any);
    assert_int_equal(meet("list", "/apis/x"), 0);
    assert_code(kin__faults_remove(faults, list, NULL, NULL), 0);
    assert_int_equal(meet("list", "/api/v1/pods"), any);
    kin__faults_clear(faults);
    assert_int_equal(meet("list", "/api/v1/pods"), 0);
}

static void test_times_and_skip(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_DELAY);
    uint64_t hits = 0;

    (void)state;
    fault.skip = 2;
    fault.times = 3;
    uint64_t first = add(fault);
    uint64_t second = add((kin_fault)KIN_FAULT_INIT(KIN_FAULT_STALL));
    /* Who is spared by the first meets the second, once. */
    assert_int_equal(meet("get", "/"), second);
    assert_int_equal(meet("get", "/"), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(meet("get", "/"), first);
    assert_int_equal(meet("get", "/"), 0);
    assert_code(kin__faults_remove(faults, first, &hits, NULL), 0);
    assert_int_equal(hits, 3);
}

static unsigned count_hits(kin__faults *set, char *pattern)
{
    const kin__target target = {.verb = "get"};
    unsigned hits = 0;

    for (int i = 0; i < 1000; i++) {
        kin__met_fault met;

        assert_code(kin__faults_meet(set, &target, kin_str_of("/"), &met), 0);
        pattern[i] = met.id ? 'x' : '.';
        hits += met.id != 0;
    }
    return hits;
}

static void test_probability_is_seeded(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_DELAY);
    kin__faults *same = NULL;
    kin__faults *other = NULL;
    char one[1000];
    char two[1000];

    (void)state;
    fault.times = KIN_FAULT_ALWAYS;
    fault.probability = 0.3;
    add(fault);
    assert_code(kin__faults_new(&same, 42, NULL), 0);
    assert_code(kin__faults_add(same, &fault, NULL, NULL), 0);
    assert_code(kin__faults_new(&other, 43, NULL), 0);
    assert_code(kin__faults_add(other, &fault, NULL, NULL), 0);
    assert_in_range(count_hits(faults, one), 220, 380);
    count_hits(same, two);
    assert_memory_equal(one, two, sizeof(one));
    count_hits(other, two);
    assert_memory_not_equal(one, two, sizeof(one));
    kin__faults_free(same);
    kin__faults_free(other);
}

static void test_refusing(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_REFUSE);

    (void)state;
    assert_false(kin__faults_refuse_one(faults));
    fault.times = 2;
    add(fault);
    assert_false(kin__faults_refuse_all(faults));
    assert_int_equal(meet("get", "/"), 0);
    assert_true(kin__faults_refuse_one(faults));
    assert_true(kin__faults_refuse_one(faults));
    assert_false(kin__faults_refuse_one(faults));
    fault.times = KIN_FAULT_ALWAYS;
    fault.probability = 0.5;
    add(fault);
    assert_false(kin__faults_refuse_all(faults)); /* each is asked */
    fault.probability = 0;
    add(fault);
    assert_true(kin__faults_refuse_all(faults));
}

static enum kin__watch_action ask(enum kin__watch_event_type event)
{
    kin__met_fault met = {.id = 0};
    enum kin__watch_action action =
        kin__faults_on_event(faults, kin_str_of("/api/v1/pods"), event, &met);

    assert_int_equal(met.id != 0, action != KIN__WATCH_PASS);
    if (action == KIN__WATCH_SAY_ERROR)
        assert_int_equal(met.fault.status, 410);
    return action;
}

static void test_watches(void **state)
{
    static const struct {
        kin_fault_type type;
        enum kin__watch_action change;
        enum kin__watch_action bookmark;
        enum kin__watch_action initial_end;
    } cases[] = {
        {KIN_FAULT_WATCH_ERROR, KIN__WATCH_SAY_ERROR, KIN__WATCH_SAY_ERROR, KIN__WATCH_SAY_ERROR},
        {KIN_FAULT_WATCH_END, KIN__WATCH_END_NOW, KIN__WATCH_END_NOW, KIN__WATCH_END_NOW},
        {KIN_FAULT_WATCH_DROP, KIN__WATCH_LOSE, KIN__WATCH_PASS, KIN__WATCH_PASS},
        {KIN_FAULT_WATCH_DUPLICATE, KIN__WATCH_TWICE, KIN__WATCH_PASS, KIN__WATCH_PASS},
        {KIN_FAULT_WATCH_REORDER, KIN__WATCH_LATER, KIN__WATCH_PASS, KIN__WATCH_PASS},
        {KIN_FAULT_WATCH_NO_BOOKMARKS, KIN__WATCH_PASS, KIN__WATCH_LOSE, KIN__WATCH_PASS},
        {KIN_FAULT_WATCH_NO_INITIAL_END, KIN__WATCH_PASS, KIN__WATCH_PASS, KIN__WATCH_LOSE},
        {KIN_FAULT_WATCH_OVERSIZE, KIN__WATCH_PAD, KIN__WATCH_PASS, KIN__WATCH_PASS},
        {KIN_FAULT_STALL, KIN__WATCH_PASS, KIN__WATCH_PASS, KIN__WATCH_PASS},
    };

    (void)state;
    assert_int_equal(ask(KIN__WATCH_CHANGE), KIN__WATCH_PASS);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_fault fault = KIN_FAULT_INIT(cases[i].type);

        fault.times = KIN_FAULT_ALWAYS;
        fault.path = "*/pods";
        fault.verb = "watch";
        add(fault);
        assert_int_equal(ask(KIN__WATCH_CHANGE), cases[i].change);
        assert_int_equal(ask(KIN__WATCH_BOOKMARK), cases[i].bookmark);
        assert_int_equal(ask(KIN__WATCH_INITIAL_END), cases[i].initial_end);
        kin__faults_clear(faults);
        fault.verb = "list"; /* nobody's */
        add(fault);
        assert_int_equal(ask(KIN__WATCH_CHANGE), KIN__WATCH_PASS);
        kin__faults_clear(faults);
    }
}

static void test_what_they_say(void **state)
{
    static const struct {
        int status;
        const char *reason;
    } cases[] = {{401, "Unauthorized"},    {403, "Forbidden"},     {410, "Expired"},
                 {429, "TooManyRequests"}, {500, "InternalError"}, {503, "ServiceUnavailable"},
                 {504, "Timeout"},         {599, "Unknown"}};
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    kin__failure failure;

    (void)state;
    fault.retry_after_s = 3;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fault.status = cases[i].status;
        kin__fault_fail(&fault, &failure);
        assert_int_equal(failure.status, cases[i].status);
        assert_string_equal(failure.reason, cases[i].reason);
        assert_int_equal(failure.retry_after_s, 3);
    }
}

static void test_wrong_rules(void **state)
{
    kin_fault fault = KIN_FAULT_INIT((kin_fault_type)99);

    (void)state;
    assert_code(kin__faults_add(faults, NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.type = KIN_FAULT_DRIP; /* of no bytes */
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.type = KIN_FAULT_STATUS;
    fault.status = 99;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.status = 0;
    fault.probability = 1.5;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.probability = 0;
    fault.delay_ms = -1;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.delay_ms = 1; /* of an event, or of a connection */
    fault.type = KIN_FAULT_WATCH_DROP;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.type = KIN_FAULT_REFUSE;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    fault.delay_ms = 0;
    fault.size = 0;
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_EINVAL);
    assert_int_equal(meet("get", "/"), 0);
}

static void test_rules_are_bounded(void **state)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_DELAY);

    (void)state;
    for (int i = 0; i < 10000; i++)
        add(fault);
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_ELIMIT);
    assert_int_not_equal(meet("get", "/"), 0); /* uses one up */
    add(fault);
    assert_code(kin__faults_add(faults, &fault, NULL, NULL), KIN_ELIMIT);
}

static int add_json(const char *text, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, kin_str_of(text), NULL, err);

    if (code < 0)
        return code;
    code = kin__faults_add_json(faults, kin_object_root(object), NULL, err);
    kin_object_unref(object);
    return code;
}

static void test_json(void **state)
{
    static const char *const wrong[] = {
        "{}",
        "{\"type\":\"Nonsense\"}",
        "{\"type\":5}",
        "{\"type\":\"Delay\",\"times\":-1}",
        "{\"type\":\"Delay\",\"times\":\"x\"}",
        "{\"type\":\"Delay\",\"always\":1}",
        "{\"type\":\"Delay\",\"path\":1}",
        "{\"type\":\"Delay\",\"probability\":\"x\"}",
        "{\"type\":\"Delay\",\"probability\":2}",
        "{\"type\":\"Status\",\"status\":1000}",
        "{\"type\":\"Delay\",\"verbs\":\"list\"}",
        "{\"type\":\"Delay\",\"verb\":\"lists\"}",
        "{\"type\":\"Delay\",\"verb\":\"\"}",
    };
    kin_error err = KIN_ERROR_INIT;
    kin__buf out;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_code(add_json(wrong[i], NULL), KIN_EINVAL);
    /* Whoever mistypes something is told what there is. */
    assert_code(add_json("{\"type\":\"Reste\"}", &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "no fault Reste; there are Delay, Status, "));
    assert_non_null(strstr(err.message, ", OversizeObject, WatchOversize"));
    assert_code(add_json("{\"type\":\"Reset\",\"alwayss\":true}", &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "alwayss: a rule has type, verb, "));
    assert_code(add_json("{\"type\":\"Reset\",\"verb\":\"gets\"}", &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "no request is a gets; it is one of get, list, "));
    assert_code(add_json("{\"type\":\"Status\",\"verb\":\"list\",\"path\":\"/a\\\"*\",\"times\":3,"
                         "\"skip\":1,\"probability\":0.25,\"delayMilliseconds\":5,\"status\":503,"
                         "\"retryAfterSeconds\":9,\"body\":\"no\"}",
                         NULL),
                0);
    assert_code(add_json("{\"type\":\"WatchDrop\",\"always\":true}", NULL), 0);
    kin__buf_init(&out, 1 << 20);
    kin__faults_write(faults, &out);
    const char *first =
        strstr(out.data, "\"type\":\"Status\",\"hits\":0,\"verb\":\"list\",\"path\":"
                         "\"/a\\\"*\",\"times\":3,\"skip\":1,\"probability\":0.25,"
                         "\"delayMilliseconds\":5,\"intervalMilliseconds\":100,"
                         "\"status\":503,\"retryAfterSeconds\":9,\"body\":\"no\"}");
    assert_non_null(first);
    assert_non_null(strstr(out.data, "\"type\":\"WatchDrop\",\"hits\":0,\"always\":true"));
    kin__buf_done(&out);
}

static int use(void *arg, kin_error *err)
{
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    const kin__target target = {.verb = "get"};
    kin__met_fault met = {0};
    kin__faults *set = NULL;
    int code = kin__faults_new(&set, 1, err);

    (void)arg;
    fault.verb = "get";
    fault.path = "*";
    fault.body = "text";
    if (code == 0)
        code = kin__faults_add(set, &fault, NULL, err);
    if (code == 0) {
        code = kin__faults_meet(set, &target, kin_str_of("/"), &met);
        if (code < 0)
            kin_error_set(err, code, "no memory");
    }
    kin__free(met.body);
    kin__faults_free(set);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_matching, start, stop),
        cmocka_unit_test_setup_teardown(test_times_and_skip, start, stop),
        cmocka_unit_test_setup_teardown(test_probability_is_seeded, start, stop),
        cmocka_unit_test_setup_teardown(test_refusing, start, stop),
        cmocka_unit_test_setup_teardown(test_watches, start, stop),
        cmocka_unit_test_setup_teardown(test_what_they_say, start, stop),
        cmocka_unit_test_setup_teardown(test_wrong_rules, start, stop),
        cmocka_unit_test_setup_teardown(test_rules_are_bounded, start, stop),
        cmocka_unit_test_setup_teardown(test_json, start, stop),
        cmocka_unit_test(test_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
