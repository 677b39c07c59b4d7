/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A simulator over what another one has left behind: it goes on with it, and makes nothing a second
 * time.
 */
#include <stdlib.h>

#include "alloc.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "oom.h"
#include "simulator_support.h"

static const kin__simulator_options small = {
    .seed = 3, .nodes = 4, .deployments = 9, .pods = 40, .events = 200};

static void check(struct cluster *c)
{
    if (cluster_check(c))
        fail_msg("%s", c->wrong);
}

static void test_nothing_is_made_twice(void **state)
{
    struct cluster c;
    char uid[64], id[128];
    kin_scratch scratch;
    kin_str text;

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    cluster_run(&c, 5000);
    size_t sets = cluster_count(&c, KIN__SIMULATED_REPLICA_SET);
    size_t events = cluster_count(&c, KIN__SIMULATED_EVENT);
    const kin_object *pod = cluster_at(&c, KIN__SIMULATED_POD, 0);
    char *key = strdup(kin_object_key(pod));
    text = kin_object_uid(pod, &scratch);
    (void)snprintf(uid, sizeof(uid), "%" KIN_STR_FMT, KIN_STR_ARG(text));
    assert_code(kin_value_string(&text,
                                 kin_object_find(pod, "status.containerStatuses[0].containerID"),
                                 &scratch),
                0);
    (void)snprintf(id, sizeof(id), "%" KIN_STR_FMT, KIN_STR_ARG(text));

    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 35000); /* each is looked at once */
    assert_true(kin__simulator_is_populated(c.sim));
    assert_int_equal(c.failures, 0);
    check(&c);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_NODE), 4);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 9);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), sets);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 40);
    /* Nodes have said that they are there once more. */
    assert_in_range(cluster_count(&c, KIN__SIMULATED_EVENT), events, events + 4);
    pod = kin_test_sink_find(&c.sink, KIN__SIMULATED_POD, key);
    assert_non_null(pod);
    assert_true(cluster_is(pod, "metadata.uid", uid));
    assert_true(cluster_is(pod, "status.containerStatuses[0].containerID", id));
    free(key);
    cluster_done(&c);
}

/* In the midst of all sorts of things, several times. */
static void test_in_the_midst_of_churn(void **state)
{
    struct cluster c;
    kin__simulator_options o = small;

    (void)state;
    o.churn = 60;
    assert_code(cluster_init(&c, &o, NULL), 0);
    for (int i = 0; i < (KIN_TEST_SANITIZED ? 4 : 12); i++) {
        cluster_run(&c, i == 0 ? 0 : 7000 + i * 5300);
        assert_code(cluster_restart(&c, NULL), 0);
    }
    cluster_run(&c, 10000);
    cluster_calm(&c);
    assert_int_equal(c.failures, 0);
    check(&c);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 9);
    assert_in_range(cluster_count(&c, KIN__SIMULATED_POD), 20, 60);
    assert_in_range(cluster_count(&c, KIN__SIMULATED_EVENT), 100, 200);
    cluster_done(&c);
}

/* The churn goes on with Deployments that it takes for its own: there are new releases. */
static void test_churn_goes_on(void **state)
{
    struct cluster c;
    kin__simulator_stats before, after;

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    cluster_run(&c, 2000);
    c.options.churn = 100;
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 20000);
    size_t sets = cluster_count(&c, KIN__SIMULATED_REPLICA_SET);
    kin__simulator_get_stats(c.sim, &before);
    cluster_run(&c, 40000);
    kin__simulator_get_stats(c.sim, &after);
    assert_in_range((after.writes - before.writes) / 40, 80, 120);
    assert_true(sets > 9);
    cluster_done(&c);
}

/* A template that there was before is found again among what was taken over. */
static void test_rolled_back_after_a_restart(void **state)
{
    static const char key[] = "default/web", path[] = "spec.template.spec.containers[0].image";
    struct cluster c;
    char image[128];
    kin_scratch scratch;
    kin_str text;

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    cluster_run(&c, 2000);
    assert_code(
        kin_value_string(
            &text,
            kin_object_find(kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, key), path),
            &scratch),
        0);
    (void)snprintf(image, sizeof(image), "\"%" KIN_STR_FMT "\"", KIN_STR_ARG(text));
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, key, path, "\"new\""));
    cluster_run(&c, 60000);
    size_t sets = cluster_count(&c, KIN__SIMULATED_REPLICA_SET);
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 2000);
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, key, path, image));
    cluster_run(&c, 60000);
    check(&c);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), sets);
    const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, key);
    assert_int_equal(cluster_int(d, "status.updatedReplicas"), cluster_int(d, "spec.replicas"));
    cluster_done(&c);
}

/* Fewer nodes than before: Pods on those that nobody keeps any more are made elsewhere. */
static void test_pods_of_nodes_that_are_no_more(void **state)
{
    struct cluster c;

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    cluster_run(&c, 2000);
    c.options.nodes = 2;
    assert_true(kin_test_sink_erase(&c.sink, KIN__SIMULATED_NODE, "node-0003"));
    assert_true(kin_test_sink_erase(&c.sink, KIN__SIMULATED_NODE, "node-0004"));
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 2000);
    cluster_run(&c, 30000);
    check(&c);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 40);
    cluster_done(&c);
}

/* Deployments that others made while nobody looked, of our names and of theirs. */
static void test_deployments_of_others(void **state)
{
    static const char json[] =
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"%s\","
        "\"namespace\":\"default\"},\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":"
        "{\"a\":\"b\"}},\"template\":{\"metadata\":{\"labels\":{\"a\":\"b\"}},\"spec\":"
        "{\"containers\":[{\"name\":\"c\",\"image\":\"theirs:1.0.0\"}]}}}}";
    static const char *const names[] = {"web", "theirs"};
    struct cluster c;
    char text[1024];

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    kin_test_sink_create_json(&c.sink, KIN__SIMULATED_NAMESPACE,
                              "{\"metadata\":{\"name\":\"default\"}}");
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(text, sizeof(text), json, names[i]);
        kin_test_sink_create_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, text);
    }
    c.options.churn = 100;
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 60000);
    cluster_calm(&c);
    check(&c);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 10);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(text, sizeof(text), "default/%s", names[i]);
        const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, text);

        assert_int_equal(cluster_int(d, "spec.replicas"), 2);
        assert_int_equal(cluster_int(d, "status.readyReplicas"), 2);
        assert_true(cluster_is(d, "spec.template.spec.containers[0].image", "theirs:1.0.0"));
    }
    cluster_done(&c);
}

/* Events of another one go when their time has come, and there are never too many. */
static void test_events(void **state)
{
    struct cluster c;

    (void)state;
    assert_code(cluster_init(&c, &small, NULL), 0);
    c.options.churn = 200;
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 40000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_EVENT), 200);
    c.options.churn = 0;
    c.options.events = 50;
    assert_code(cluster_restart(&c, NULL), 0);
    cluster_run(&c, 100);
    assert_in_range(cluster_count(&c, KIN__SIMULATED_EVENT), 40, 50);
    if (!KIN_TEST_SANITIZED) { /* an hour takes its time */
        cluster_run(&c, 3700 * 1000);
        assert_int_equal(cluster_count(&c, KIN__SIMULATED_EVENT), 0);
    }
    cluster_done(&c);
}

static int populate(struct cluster *c, kin_error *err)
{
    int code = 0;

    for (int i = 0; i < 200 && code == 0 && !kin__simulator_is_populated(c->sim); i++)
        code = kin__simulator_step(c->sim, kin_clock_now(c->clock), err);
    return code;
}

static int take_over(void *arg, kin_error *err)
{
    static const kin__simulator_options least = {
        .nodes = 1, .deployments = 1, .pods = 2, .events = 2};
    struct cluster c;
    int code = cluster_init(&c, &least, err);

    (void)arg;
    if (code < 0)
        return code;
    c.sink.changed = NULL;
    code = populate(&c, err);
    if (code == 0)
        code = cluster_restart(&c, err);
    if (code == 0)
        code = populate(&c, err);
    cluster_done(&c);
    return code;
}

static void test_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(take_over, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_made_twice),
        cmocka_unit_test(test_in_the_midst_of_churn),
        cmocka_unit_test(test_churn_goes_on),
        cmocka_unit_test(test_rolled_back_after_a_restart),
        cmocka_unit_test(test_pods_of_nodes_that_are_no_more),
        cmocka_unit_test(test_deployments_of_others),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
