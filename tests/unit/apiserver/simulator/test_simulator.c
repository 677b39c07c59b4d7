/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator: what it writes, and how it answers to what others do.
 */
#include <stdlib.h>

#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"
#include "object/protobuf_write.h"
#include "simulator_support.h"

static const kin__simulator_options small = {.seed = 1, .nodes = 5, .deployments = 6, .pods = 30};

static void begin(struct cluster *c, const kin__simulator_options *options)
{
    assert_code(cluster_init(c, options, NULL), 0);
    cluster_run(c, 1000);
    assert_true(kin__simulator_is_populated(c->sim));
    assert_int_equal(c->failures, 0);
}

static void end(struct cluster *c)
{
    const char *wrong;

    cluster_calm(c);
    wrong = cluster_check(c);
    if (wrong)
        fail_msg("%s", wrong);
    cluster_done(c);
}

/* A Deployment's key, COPIED. */
static void key_of(char *ret, size_t size, const struct cluster *c, enum kin__simulated kind,
                   size_t i)
{
    (void)snprintf(ret, size, "%s", kin_object_key(cluster_at(c, kind, i)));
}

static void test_beginning(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_NODE), 5);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_LEASE), 5);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 6);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), 6);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 30);
    assert_non_null(kin_test_sink_find(&c.sink, KIN__SIMULATED_NODE, "node-0001"));
    assert_non_null(kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web"));
    if (cluster_check(&c))
        fail_msg("%s", c.wrong);
    end(&c);
}

static void test_pods_are_as_large_as_real_ones(void **state)
{
    struct cluster c;
    char *text = NULL;
    size_t len = 0;

    (void)state;
    begin(&c, &small);
    for (size_t i = 0; i < cluster_count(&c, KIN__SIMULATED_POD); i++) {
        const kin_object *pod = cluster_at(&c, KIN__SIMULATED_POD, i);

        assert_code(kin_object_to_json(&text, &len, pod, KIN_JSON_COMPACT, NULL), 0);
        assert_in_range(len, 7500, 8700);
        kin_free(text);
        assert_int_equal(kin_value_len(kin_object_find(pod, "metadata.managedFields")), 2);
        assert_int_equal(kin_value_len(kin_object_find(pod, "spec.containers")), 2);
        assert_int_equal(kin_value_len(kin_object_find(pod, "status.containerStatuses")), 2);
    }
    end(&c);
}

/* Default informers read them in protobuf: each value has its type, and each member a field. */
static void test_objects_fit_into_protobuf(void **state)
{
    kin__simulator_options options = small;
    kin__pb_writer writer;
    struct cluster c;

    (void)state;
    options.churn = 20;
    begin(&c, &options);
    cluster_run(&c, 60000);
    kin__pb_writer_init(&writer, 1u << 20);
    writer.lacking = KIN__PB_REFUSE;
    for (enum kin__simulated kind = 0; kind < KIN__SIMULATED_KINDS; kind++) {
        assert_true(cluster_count(&c, kind) > 0);
        for (size_t i = 0; i < cluster_count(&c, kind); i++) {
            const kin_object *object = cluster_at(&c, kind, i);
            kin_error err = KIN_ERROR_INIT;
            kin_scratch scratch[2];
            unsigned message;
            size_t len;

            assert_true(kin__pb_message_of(kin_object_api_version(object, &scratch[0]),
                                           kin_object_kind(object, &scratch[1]), &message));
            if (kin__pb_measure(&writer, &len, message, kin_object_root(object), &err) < 0)
                fail_msg("%s: %s", kin_object_key(object), err.message);
        }
    }
    kin__pb_writer_done(&writer);
    end(&c);
}

static void test_nothing_but_heartbeats_without_churn(void **state)
{
    struct cluster c;
    kin__simulator_stats before, after;

    (void)state;
    begin(&c, &small);
    kin__simulator_get_stats(c.sim, &before);
    cluster_run(&c, 600000);
    kin__simulator_get_stats(c.sim, &after);
    assert_in_range(after.kinds[KIN__SIMULATED_LEASE] - before.kinds[KIN__SIMULATED_LEASE], 295,
                    305);
    assert_int_equal(after.kinds[KIN__SIMULATED_NODE] - before.kinds[KIN__SIMULATED_NODE], 10);
    assert_int_equal(after.kinds[KIN__SIMULATED_POD], before.kinds[KIN__SIMULATED_POD]);
    assert_int_equal(after.kinds[KIN__SIMULATED_DEPLOYMENT],
                     before.kinds[KIN__SIMULATED_DEPLOYMENT]);
    end(&c);
}

static void test_deleted_pod_is_replaced(void **state)
{
    struct cluster c;
    char key[256];

    (void)state;
    begin(&c, &small);
    key_of(key, sizeof(key), &c, KIN__SIMULATED_POD, 7);
    assert_true(kin_test_sink_delete(&c.sink, KIN__SIMULATED_POD, key));
    cluster_run(&c, 45000);
    assert_null(kin_test_sink_find(&c.sink, KIN__SIMULATED_POD, key));
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 30);
    assert_int_equal(cluster_events(&c, "Killing"), 1);
    assert_int_equal(cluster_events(&c, "SuccessfulCreate"), 1);
    assert_int_equal(cluster_events(&c, "Started"), 1);
    end(&c);
}

static void notice(struct cluster *c, enum kin__simulated kind, const char *namespace_,
                   const char *name)
{
    assert_code(kin__simulator_notice(c->sim, kind, kin_str_of(namespace_), kin_str_of(name),
                                      kin_clock_now(c->clock), NULL),
                0);
}

static void test_notice_is_quick(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.replicas", "9"));
    notice(&c, KIN__SIMULATED_DEPLOYMENT, "default", "web");
    cluster_run(&c, 300);
    const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
    assert_int_equal(cluster_int(d, "status.observedGeneration"), 2);
    assert_int_equal(cluster_int(d, "status.replicas"), 9);
    end(&c);
}

static void test_scaled_by_others(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    for (int i = 0; i < 3; i++) {
        static const char *const replicas[] = {"25", "0", "3"};
        const kin_object *d;

        assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                           "spec.replicas", replicas[i]));
        cluster_run(&c, 60000);
        d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
        assert_int_equal(cluster_int(d, "status.readyReplicas"), atoi(replicas[i]));
    }
    end(&c);
}

static void test_deployment_deleted_by_others(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_delete(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web"));
    cluster_run(&c, 60000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_DEPLOYMENT), 5);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), 5);
    end(&c);
}

static void test_set_deleted_by_others(void **state)
{
    struct cluster c;
    char key[256];

    (void)state;
    begin(&c, &small);
    key_of(key, sizeof(key), &c, KIN__SIMULATED_REPLICA_SET, 2);
    assert_true(kin_test_sink_delete(&c.sink, KIN__SIMULATED_REPLICA_SET, key));
    cluster_run(&c, 90000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), 6);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 30);
    end(&c);
}

static void test_new_image_rolls_out(void **state)
{
    struct cluster c;
    int64_t least = INT64_MAX, most = 0;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.replicas", "12"));
    cluster_run(&c, 60000);
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.template.spec.containers[0].image",
                                       "\"registry.example/new:2\""));
    notice(&c, KIN__SIMULATED_DEPLOYMENT, "default", "web");
    for (int i = 0; i < 600; i++) {
        const kin_object *d;
        int64_t n;

        cluster_run(&c, 100);
        d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
        n = cluster_int(d, "status.availableReplicas");
        least = n < least ? n : least;
        n = cluster_int(d, "status.replicas");
        most = n > most ? n : most;
    }
    /* maxUnavailable and maxSurge are 25 % */
    assert_in_range(least, 9, 11);
    assert_in_range(most, 13, 15);
    size_t updated = 0;
    for (size_t i = 0; i < cluster_count(&c, KIN__SIMULATED_POD); i++)
        updated += cluster_is(cluster_at(&c, KIN__SIMULATED_POD, i), "spec.containers[0].image",
                              "registry.example/new:2");
    assert_int_equal(updated, 12);
    const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
    assert_true(cluster_is(d, "metadata.annotations['deployment.kubernetes.io/revision']", "2"));
    assert_true(cluster_events(&c, "ScalingReplicaSet") > 4);
    end(&c);
}

static void test_rolled_back(void **state)
{
    struct cluster c;
    kin_scratch scratch;
    kin_str text = {NULL, 0};
    char image[128];

    (void)state;
    begin(&c, &small);
    const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
    assert_code(kin_value_string(
                    &text, kin_object_find(d, "spec.template.spec.containers[0].image"), &scratch),
                0);
    (void)snprintf(image, sizeof(image), "\"%" KIN_STR_FMT "\"", KIN_STR_ARG(text));
    for (int i = 0; i < 2; i++) {
        assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                           "spec.template.spec.containers[0].image",
                                           i ? image : "\"registry.example/bad:2\""));
        cluster_run(&c, 120000);
    }
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_REPLICA_SET), 7);
    d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web");
    assert_true(cluster_is(d, "metadata.annotations['deployment.kubernetes.io/revision']", "3"));
    end(&c);
}

static void test_recreate(void **state)
{
    struct cluster c;
    int64_t most = 0;

    (void)state;
    begin(&c, &small);
    int64_t replicas = cluster_int(
        kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web"), "spec.replicas");
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.strategy", "{\"type\":\"Recreate\"}"));
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.template.spec.containers[0].image",
                                       "\"registry.example/new:2\""));
    for (int i = 0; i < 600; i++) {
        cluster_run(&c, 100);
        int64_t n =
            cluster_int(kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web"),
                        "status.replicas");
        most = n > most ? n : most;
    }
    assert_int_equal(most, replicas);
    end(&c);
}

static void test_adopted_deployment(void **state)
{
    static const char json[] =
        "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"metadata\":{\"name\":\"mine\","
        "\"namespace\":\"shop\"},\"spec\":{\"replicas\":2,\"selector\":{\"matchLabels\":{\"app\":"
        "\"mine\"}},\"template\":{\"metadata\":{\"labels\":{\"app\":\"mine\"}},\"spec\":{"
        "\"containers\":[{\"name\":\"only\",\"image\":\"registry.example/mine\"}]}}}}";
    struct cluster c;

    (void)state;
    begin(&c, &small);
    kin_test_sink_create_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, json);
    notice(&c, KIN__SIMULATED_DEPLOYMENT, "shop", "mine");
    notice(&c, KIN__SIMULATED_DEPLOYMENT, "shop", "is-not-there");
    cluster_run(&c, 30000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 32);
    const kin_object *d = kin_test_sink_find(&c.sink, KIN__SIMULATED_DEPLOYMENT, "shop/mine");
    assert_int_equal(cluster_int(d, "status.readyReplicas"), 2);
    end(&c);
}

static void test_node_deleted_by_others(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_delete(&c.sink, KIN__SIMULATED_NODE, "node-0002"));
    cluster_run(&c, 30000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_NODE), 4);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_POD), 30);
    for (size_t i = 0; i < 30; i++)
        assert_false(
            cluster_is(cluster_at(&c, KIN__SIMULATED_POD, i), "spec.nodeName", "node-0002"));
    cluster_run(&c, 60000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_NODE), 5);
    end(&c);
}

static void test_cordoned_node_gets_no_pods(void **state)
{
    struct cluster c;
    size_t before = 0, after = 0;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_NODE, "node-0003",
                                       "spec.unschedulable", "true"));
    cluster_run(&c, 11000);
    for (size_t i = 0; i < 30; i++)
        before += cluster_is(cluster_at(&c, KIN__SIMULATED_POD, i), "spec.nodeName", "node-0003");
    assert_true(kin_test_sink_set_json(&c.sink, KIN__SIMULATED_DEPLOYMENT, "default/web",
                                       "spec.replicas", "40"));
    cluster_run(&c, 60000);
    for (size_t i = 0; i < cluster_count(&c, KIN__SIMULATED_POD); i++)
        after += cluster_is(cluster_at(&c, KIN__SIMULATED_POD, i), "spec.nodeName", "node-0003");
    assert_int_equal(before, after);
    end(&c);
}

static void test_lease_and_namespace_deleted_by_others(void **state)
{
    struct cluster c;

    (void)state;
    begin(&c, &small);
    assert_true(kin_test_sink_delete(&c.sink, KIN__SIMULATED_LEASE, "kube-node-lease/node-0001"));
    cluster_run(&c, 11000);
    assert_int_equal(cluster_count(&c, KIN__SIMULATED_LEASE), 5);
    /* All that is in it, and then itself: as the server does it. */
    assert_true(kin_test_sink_erase(&c.sink, KIN__SIMULATED_NAMESPACE, "default"));
    for (int kind = 0; kind < KIN__SIMULATED_KINDS; kind++) {
        for (size_t i = cluster_count(&c, (enum kin__simulated)kind); i-- > 0;) {
            char key[256];

            key_of(key, sizeof(key), &c, (enum kin__simulated)kind, i);
            if (strncmp(key, "default/", 8) == 0)
                kin_test_sink_erase(&c.sink, (enum kin__simulated)kind, key);
        }
    }
    end(&c);
    assert_int_equal(c.wrong[0], 0);
}

static void test_wrong_options(void **state)
{
    kin__simulator_options o = small;
    kin__simulator *sim = NULL;
    kin_test_memory_sink sink;

    (void)state;
    kin_test_memory_sink_init(&sink, kin_clock_system());
    assert_code(kin__simulator_new(&sim, &o, NULL), KIN_EINVAL);
    o.sink = &sink.base;
    assert_code(kin__simulator_new(&sim, &o, NULL), KIN_EINVAL);
    o.clock = kin_clock_system();
    o.pods = 1000001;
    assert_code(kin__simulator_new(&sim, &o, NULL), KIN_EINVAL);
    assert_null(sim);
    kin__simulator_free(NULL);
    kin_test_memory_sink_done(&sink);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_pods_are_as_large_as_real_ones),
        cmocka_unit_test(test_objects_fit_into_protobuf),
        cmocka_unit_test(test_nothing_but_heartbeats_without_churn),
        cmocka_unit_test(test_deleted_pod_is_replaced),
        cmocka_unit_test(test_notice_is_quick),
        cmocka_unit_test(test_scaled_by_others),
        cmocka_unit_test(test_deployment_deleted_by_others),
        cmocka_unit_test(test_set_deleted_by_others),
        cmocka_unit_test(test_new_image_rolls_out),
        cmocka_unit_test(test_rolled_back),
        cmocka_unit_test(test_recreate),
        cmocka_unit_test(test_adopted_deployment),
        cmocka_unit_test(test_node_deleted_by_others),
        cmocka_unit_test(test_cordoned_node_gets_no_pods),
        cmocka_unit_test(test_lease_and_namespace_deleted_by_others),
        cmocka_unit_test(test_wrong_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
