/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator over the API, without HTTP and without a thread: what its writes are answered, what
 * it learns of others, and that time going by in steps gives the churn that was asked for.
 */
#include "apiserver/api_sink.h"

#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "kin_test.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

struct fixture {
    kin_test_api t;
    kin__api_sink *api_sink;
    kin__simulator_sink *sink;
    kin__simulator *sim;
    unsigned n_woken;
};

static void woken(void *arg)
{
    ((struct fixture *)arg)->n_woken++;
}

static void begin(struct fixture *f)
{
    memset(f, 0, sizeof(*f));
    kin_test_api_start(&f->t, NULL);
    assert_code(kin__api_set_kubelet(f->t.api, true, NULL), 0);
    assert_code(kin__api_sink_new(&f->api_sink, f->t.api, f->t.state, NULL), 0);
    f->sink = kin__api_sink_base(f->api_sink);
    assert_code(f->sink->sink_class->listen(f->sink, woken, f, NULL), 0);
}

static void simulate_these(struct fixture *f, kin__simulator_options o)
{
    o.sink = f->sink;
    o.clock = f->t.clock;
    assert_code(kin__simulator_new(&f->sim, &o, NULL), 0);
}

static void simulate(struct fixture *f, unsigned churn)
{
    simulate_these(f, (kin__simulator_options){
                          .seed = 1, .nodes = 4, .deployments = 6, .pods = 30, .churn = churn});
}

static void end(struct fixture *f)
{
    kin__simulator_free(f->sim);
    assert_code(f->sink->sink_class->listen(f->sink, NULL, NULL, NULL), 0);
    kin__api_sink_free(f->api_sink);
    kin_test_api_stop(&f->t);
    assert_int_equal(kin_test_alloc_live(), 0);
}

static void work(struct fixture *f)
{
    int64_t now = kin_clock_now(f->t.clock);
    kin_error err = KIN_ERROR_INIT;

    do {
        if (kin__simulator_poll(f->sim, now, &err) < 0 ||
            kin__simulator_step(f->sim, now, &err) < 0)
            fail_msg("%s", err.message);
    } while (kin__simulator_next(f->sim) <= now);
}

static void run(struct fixture *f, int64_t ms)
{
    work(f);
    for (int64_t i = 0; i < ms; i += 100) {
        assert_code(kin_clock_advance(f->t.clock, INT64_C(100000000), NULL), 0);
        work(f);
    }
}

static size_t count(struct fixture *f, enum kin__simulated kind)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    assert_code(f->sink->sink_class->list(f->sink, kind, &list, NULL), 0);
    size_t n = list.len;
    kin_object_list_done(&list);
    return n;
}

static const kin_object *get(struct fixture *f, enum kin__simulated kind, const char *namespace_,
                             const char *name)
{
    const kin_object *object = NULL;

    assert_code(f->sink->sink_class->get(f->sink, kind, kin_str_of(namespace_), kin_str_of(name),
                                         &object, NULL),
                0);
    return object;
}

static const kin_object *from_json(const char *text)
{
    const kin_object *object = NULL;

    assert_code(kin_object_from_json(&object, kin_str_of(text), NULL, NULL), 0);
    return object;
}

static const kin_object *with(const kin_object *object, const char *path, const char *json)
{
    const kin_object *changed = NULL;
    kin_editor *ed = NULL;

    assert_code(kin_editor_new(&ed, object, NULL), 0);
    assert_code(kin_editor_set_json(ed, kin_str_of(path), kin_str_of(json), NULL), 0);
    assert_code(kin_editor_finish(ed, &changed, NULL), 0);
    kin_editor_free(ed);
    return changed;
}

/* --- answers --- */

#define POD                                                                                        \
    "{\"metadata\":{\"name\":\"p\",\"namespace\":\"default\"},\"spec\":{\"nodeName\":\"n\","       \
    "\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]},\"status\":{\"phase\":\"Running\"}}"

static void test_writes(void **state)
{
    struct fixture f;
    const kin_object *pod = from_json(POD);
    const kin_object *first = NULL, *second = NULL, *third = NULL, *changed = NULL;
    kin_scratch scratch;

    (void)state;
    begin(&f);
    const kin__simulator_sink_class *c = f.sink->sink_class;
    assert_code(c->update(f.sink, KIN__SIMULATED_POD, pod, &first, NULL), KIN_ENOTFOUND);
    assert_code(c->create(f.sink, KIN__SIMULATED_POD, pod, &first, NULL), 0);
    assert_true(kin_object_uid(first, &scratch).len > 0);
    /* The status is not the creator's to set. */
    kin_test_assert_has(kin_test_get(&f.t, 200, "GET /api/v1/namespaces/default/pods/p"),
                        "\"phase\":\"Pending\"");
    assert_code(c->create(f.sink, KIN__SIMULATED_POD, pod, &second, NULL), KIN_EEXISTS);

    changed = with(first, "status.phase", "\"Running\"");
    assert_code(c->update_status(f.sink, KIN__SIMULATED_POD, changed, &second, NULL), 0);
    kin_object_unref(changed);
    kin_test_assert_has(kin_test_get(&f.t, 200, "GET /api/v1/namespaces/default/pods/p"),
                        "\"phase\":\"Running\"");
    /* Not the newest version; then it is. */
    changed = with(first, "metadata.labels", "{\"a\":\"b\"}");
    assert_code(c->update(f.sink, KIN__SIMULATED_POD, changed, &third, NULL), KIN_ECONFLICT);
    kin_object_unref(changed);
    changed = with(second, "metadata.labels", "{\"a\":\"b\"}");
    assert_code(c->update(f.sink, KIN__SIMULATED_POD, changed, &third, NULL), 0);
    kin_object_unref(changed);
    kin_object_unref(pod);
    kin_object_unref(first);
    kin_object_unref(second);
    kin_object_unref(third);
    end(&f);
}

static void test_refusals(void **state)
{
    struct fixture f;
    const kin_object *stored = NULL, *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    begin(&f);
    const kin__simulator_sink_class *c = f.sink->sink_class;
    object = from_json("{\"metadata\":{\"name\":\"p\",\"namespace\":\"none\"}}");
    assert_code(c->create(f.sink, KIN__SIMULATED_POD, object, &stored, NULL), KIN_ENOTFOUND);
    kin_object_unref(object);
    object = from_json("{\"metadata\":{\"name\":\"-\",\"namespace\":\"default\"}}");
    assert_code(c->create(f.sink, KIN__SIMULATED_POD, object, &stored, &err), KIN_EREFUSED);
    assert_non_null(strstr(err.message, "Invalid value"));
    kin_object_unref(object);
    end(&f);
}

static void test_removals(void **state)
{
    struct fixture f;
    const kin_object *pod = from_json(POD), *stored = NULL, *left = NULL;

    (void)state;
    begin(&f);
    const kin__simulator_sink_class *c = f.sink->sink_class;
    assert_code(c->create(f.sink, KIN__SIMULATED_POD, pod, &stored, NULL), 0);
    const kin_object *other =
        with(stored, "metadata.uid", "\"00000000-0000-4000-8000-000000000000\"");
    assert_code(c->remove(f.sink, KIN__SIMULATED_POD, other, 0, &left, NULL), KIN_ECONFLICT);
    kin_object_unref(other);
    /* It waits for its kubelet. */
    assert_code(c->remove(f.sink, KIN__SIMULATED_POD, stored, 30, &left, NULL), 0);
    assert_non_null(left);
    assert_code(kin_object_deletion_timestamp(NULL, left), 0);
    kin_object_unref(left);
    left = stored;
    assert_code(c->remove(f.sink, KIN__SIMULATED_POD, stored, 0, &left, NULL), 0);
    assert_null(left);
    assert_code(c->remove(f.sink, KIN__SIMULATED_POD, stored, 0, &left, NULL), KIN_ENOTFOUND);
    kin_object_unref(stored);

    const kin_object *lease =
        from_json("{\"metadata\":{\"name\":\"l\",\"namespace\":\"default\"}}");
    assert_code(c->create(f.sink, KIN__SIMULATED_LEASE, lease, &stored, NULL), 0);
    left = stored;
    assert_code(c->remove(f.sink, KIN__SIMULATED_LEASE, stored, 0, &left, NULL), 0);
    assert_null(left);
    kin_object_unref(lease);
    kin_object_unref(stored);
    kin_object_unref(pod);
    end(&f);
}

/* --- the simulator --- */

static void test_population_and_churn(void **state)
{
    struct fixture f;
    kin__simulator_stats before, after;
    const unsigned rate = KIN_TEST_SANITIZED ? 50 : 300;

    (void)state;
    begin(&f);
    simulate(&f, rate);
    work(&f);
    assert_true(kin__simulator_is_populated(f.sim));
    assert_int_equal(count(&f, KIN__SIMULATED_NODE), 4);
    assert_int_equal(count(&f, KIN__SIMULATED_DEPLOYMENT), 6);
    assert_int_equal(count(&f, KIN__SIMULATED_POD), 30);
    run(&f, 21000);
    kin__simulator_get_stats(f.sim, &before);
    uint64_t version = kin__state_version(f.t.state);
    run(&f, 40000);
    kin__simulator_get_stats(f.sim, &after);
    assert_in_range((after.writes - before.writes) / 40, rate * 8 / 10, rate * 12 / 10);
    /* Each is one change of the state. */
    assert_in_range(kin__state_version(f.t.state) - version,
                    (after.writes - before.writes) * 95 / 100, after.writes - before.writes);
    assert_int_equal(after.failures, 0);
    assert_int_equal(after.conflicts, 0);
    assert_int_equal(after.lost, 0);
    end(&f);
}

/* It is told of others' writes, and acts in the same moment; its own are nothing new to it. */
static void test_others_are_noticed(void **state)
{
    struct fixture f;

    (void)state;
    begin(&f);
    simulate(&f, 0);
    run(&f, 1000);
    unsigned n = f.n_woken;
    assert_true(n > 0);
    kin_test_patch(&f.t, 200, "/apis/apps/v1/namespaces/default/deployments/web",
                   "merge-patch+json", "{\"spec\":{\"replicas\":0}}");
    assert_int_equal(f.n_woken, n + 1);
    size_t pods = count(&f, KIN__SIMULATED_POD);
    run(&f, 100);
    const kin_object *d = get(&f, KIN__SIMULATED_DEPLOYMENT, "default", "web");
    int64_t seen = 0;
    assert_code(kin_value_int64(&seen, kin_object_find(d, "status.observedGeneration")), 0);
    assert_int_equal(seen, kin_object_generation(d));
    kin_object_unref(d);
    run(&f, 5000);
    assert_true(count(&f, KIN__SIMULATED_POD) < pods);

    kin_test_send(&f.t, 201, "POST /apis/apps/v1/namespaces/default/deployments",
                  "{\"metadata\":{\"name\":\"mine\"},\"spec\":{\"replicas\":3,\"selector\":"
                  "{\"matchLabels\":{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":"
                  "{\"a\":\"b\"}},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}");
    run(&f, 10000);
    d = get(&f, KIN__SIMULATED_DEPLOYMENT, "default", "mine");
    assert_code(kin_value_int64(&seen, kin_object_find(d, "status.readyReplicas")), 0);
    assert_int_equal(seen, 3);
    kin_object_unref(d);

    /* A node that is deleted takes its Pods with it at once. */
    kin_test_get(&f.t, 200, "DELETE /api/v1/nodes/node-0001");
    run(&f, 100);
    kin_test_assert_has_not(kin_test_get(&f.t, 200, "GET /api/v1/pods"), "\"node-0001\"");
    end(&f);
}

/* Who goes back in time has Pods again that nobody knows, and lacks others. */
static void test_back_in_time(void **state)
{
    struct fixture f;
    kin__simulator_stats stats;

    (void)state;
    begin(&f);
    simulate(&f, 100);
    run(&f, 10000);
    uint64_t version = kin__state_version(f.t.state);
    run(&f, 5000);
    assert_code(kin__state_rewind(f.t.state, version, NULL), 0);
    run(&f, 10000);
    kin__state_compact(f.t.state);
    kin__simulator_set_churn(f.sim, 0);
    run(&f, 180000);
    kin__simulator_get_stats(f.sim, &stats);
    assert_int_equal(count(&f, KIN__SIMULATED_POD), stats.pods);
    assert_int_equal(count(&f, KIN__SIMULATED_REPLICA_SET), stats.sets);
    assert_int_equal(count(&f, KIN__SIMULATED_DEPLOYMENT), stats.deployments);
    assert_in_range(stats.pods, 20, 40);
    end(&f);
}

/* Pods that have a kubelet are its business; others end by themselves, and all when it goes. */
static void test_kubelet(void **state)
{
    static const char owned[] =
        "{\"metadata\":{\"name\":\"owned\",\"ownerReferences\":[{\"apiVersion\":\"apps/v1\","
        "\"kind\":\"ReplicaSet\",\"name\":\"r\",\"uid\":\"u\",\"controller\":true}]},\"spec\":"
        "{\"nodeName\":\"n\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}";
    static const char pods[] = "/api/v1/namespaces/default/pods";
    struct fixture f;

    (void)state;
    begin(&f);
    kin_test_send(&f.t, 201, "POST /api/v1/namespaces/default/pods", POD);
    kin_test_send(&f.t, 201, "POST /api/v1/namespaces/default/pods", owned);
    kin_test_get(&f.t, 200, "DELETE /api/v1/namespaces/default/pods/p");
    kin_test_get(&f.t, 200, "DELETE /api/v1/namespaces/default/pods/owned");
    kin_test_call watch;
    char line[128];
    (void)snprintf(line, sizeof(line), "GET %s?watch=1&resourceVersion=%llu", pods,
                   (unsigned long long)kin__state_version(f.t.state));
    kin_test_call_start(&f.t, &watch, &(kin_test_request){.line = line});
    kin_test_call_wait(&watch);
    kin_test_call_read(&watch, 0);
    assert_code(kin_clock_advance(f.t.clock, INT64_C(31000000000), NULL), 0);
    kin_test_call_read_more(&watch);
    kin_test_assert_has(kin__buf_str(&watch.text).data, "\"name\":\"p\"");
    kin_test_get(&f.t, 200, "GET /api/v1/namespaces/default/pods/owned");
    assert_code(kin__api_set_kubelet(f.t.api, false, NULL), 0);
    kin_test_call_read_more(&watch);
    kin_test_get(&f.t, 404, "GET /api/v1/namespaces/default/pods/owned");
    kin_test_call_done(&watch);
    end(&f);
}

/* --- without memory --- */

/* The beginning, in which the n-th allocation fails. Whether there was one. */
static bool try_one(size_t n)
{
    struct fixture f;

    begin(&f);
    simulate_these(&f, (kin__simulator_options){.nodes = 1, .deployments = 1, .pods = 2});
    kin_test_alloc_arm(n, KIN_TEST_FAIL_ONE);
    for (int i = 0; i < 40; i++) {
        int64_t now = kin_clock_now(f.t.clock);
        int polled = kin__simulator_poll(f.sim, now, NULL);
        int code = kin__simulator_step(f.sim, now, NULL);

        assert_true(polled == 0 || polled == KIN_ENOMEM);
        assert_true(code == 0 || code == KIN_ENOMEM || code == KIN_ESERVER);
    }
    bool failed = kin_test_alloc_disarm();
    if (failed)
        run(&f, 6000);
    assert_true(kin__simulator_is_populated(f.sim));
    assert_int_equal(count(&f, KIN__SIMULATED_NODE), 1);
    assert_int_equal(count(&f, KIN__SIMULATED_POD), 2);
    end(&f);
    return failed;
}

static void test_without_memory(void **state)
{
    size_t n = 1;

    (void)state;
    while (try_one(n))
        n += KIN_TEST_SANITIZED ? 31 : 3;
    assert_true(n > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_removals),
        cmocka_unit_test(test_population_and_churn),
        cmocka_unit_test(test_others_are_noticed),
        cmocka_unit_test(test_back_in_time),
        cmocka_unit_test(test_kubelet),
        cmocka_unit_test(test_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
