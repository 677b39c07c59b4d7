/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cluster, and what must be true in it. Some of that holds at each change and is looked at when
 * it is made: phases go only forward, Pods stay on their node, restarts are counted up. The rest
 * holds when all has come to rest.
 */
#include "simulator_support.h"

#include "base/hash.h"
#include "kinform/json.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

static void complain(struct cluster *c, const char *what, const kin_object *object)
{
    if (!c->wrong[0])
        (void)snprintf(c->wrong, sizeof(c->wrong), "%s: %s", kin_object_key(object), what);
}

int64_t cluster_int(const kin_object *object, const char *path)
{
    int64_t n = 0;

    (void)kin_value_int64(&n, kin_object_find(object, path));
    return n;
}

static kin_str text_at(const kin_object *object, const char *path, kin_scratch *scratch)
{
    kin_str text = {"", 0};

    (void)kin_value_string(&text, kin_object_find(object, path), scratch);
    return text;
}

bool cluster_is(const kin_object *object, const char *path, const char *text)
{
    kin_scratch scratch;

    return kin_str_equal(text_at(object, path, &scratch), kin_str_of(text));
}

/* --- at each change --- */

static void check_pod_change(struct cluster *c, const kin_object *old, const kin_object *object)
{
    kin_scratch a, b;
    kin_str node = text_at(old, "spec.nodeName", &a);

    if (cluster_is(old, "status.phase", "Running") &&
        !cluster_is(object, "status.phase", "Running"))
        complain(c, "its phase went back", object);
    if (cluster_is(object, "status.phase", "Running") &&
        !cluster_is(old, "status.phase", "Running") &&
        !cluster_is(old, "status.phase", "Pending") && !cluster_is(old, "status.phase", ""))
        complain(c, "it runs from nowhere", object);
    if (node.len > 0 && !kin_str_equal(node, text_at(object, "spec.nodeName", &b)))
        complain(c, "it has changed its node", object);
    if (cluster_int(object, "status.containerStatuses[0].restartCount") <
        cluster_int(old, "status.containerStatuses[0].restartCount"))
        complain(c, "its restarts went back", object);
    if (kin_object_deletion_timestamp(NULL, old) == 0 &&
        kin_object_deletion_timestamp(NULL, object) != 0)
        complain(c, "it is not deleted any more", object);
}

static void check_generation(struct cluster *c, const kin_object *object)
{
    if (cluster_int(object, "status.observedGeneration") > kin_object_generation(object))
        complain(c, "a generation was observed that is not there yet", object);
}

static void on_change(void *arg, enum kin__simulated kind, const kin_object *old,
                      const kin_object *object)
{
    struct cluster *c = arg;
    const kin_object *shown = object ? object : old;
    char *text = NULL;
    size_t len = 0;

    /* Out of memory on purpose: the hash is of no use then anyway. */
    if (kin_object_to_json(&text, &len, shown, KIN_JSON_COMPACT, NULL) == 0)
        c->hash = kin__hash(c->hash + (uint64_t)kind * 2 + !object, text, len);
    kin_free(text);
    if (kind == KIN__SIMULATED_POD && old && object)
        check_pod_change(c, old, object);
    if (kind == KIN__SIMULATED_DEPLOYMENT || kind == KIN__SIMULATED_REPLICA_SET)
        check_generation(c, shown);
}

/* --- time --- */

int cluster_init(struct cluster *c, const kin__simulator_options *options, kin_error *err)
{
    memset(c, 0, sizeof(*c));
    int code = kin_clock_new_fake(&c->clock, CLUSTER_BEGIN, err);
    if (code < 0)
        return code;
    kin_test_memory_sink_init(&c->sink, c->clock);
    c->sink.changed = on_change;
    c->sink.arg = c;
    c->options = *options;
    c->options.sink = &c->sink.base;
    c->options.clock = c->clock;
    code = kin__simulator_new(&c->sim, &c->options, err);
    if (code < 0) {
        kin_test_memory_sink_done(&c->sink);
        kin_clock_unref(c->clock);
    }
    return code;
}

void cluster_done(struct cluster *c)
{
    kin__simulator_free(c->sim);
    kin_test_memory_sink_done(&c->sink);
    kin_clock_unref(c->clock);
}

int cluster_restart(struct cluster *c, kin_error *err)
{
    kin__simulator_free(c->sim);
    c->sim = NULL;
    return kin__simulator_new(&c->sim, &c->options, err);
}

static void work(struct cluster *c)
{
    int64_t now = kin_clock_now(c->clock);

    while (kin__simulator_next(c->sim) <= now) {
        int code = kin__simulator_step(c->sim, now, NULL);

        if (code < 0) {
            c->failures++;
            c->failed = code;
        }
    }
}

void cluster_run(struct cluster *c, int64_t ms)
{
    work(c);
    for (int64_t i = 0; i < ms; i += 100) {
        assert_code(kin_clock_advance(c->clock, INT64_C(100000000), NULL), 0);
        work(c);
    }
}

void cluster_calm(struct cluster *c)
{
    kin__simulator_set_churn(c->sim, 0);
    cluster_run(c, 420000);
}

/* --- at rest --- */

size_t cluster_count(const struct cluster *c, enum kin__simulated kind)
{
    return c->sink.kinds[kind].n;
}

const kin_object *cluster_at(const struct cluster *c, enum kin__simulated kind, size_t i)
{
    return c->sink.kinds[kind].entries[i]->object;
}

size_t cluster_events(const struct cluster *c, const char *reason)
{
    size_t n = 0;

    for (size_t i = 0; i < cluster_count(c, KIN__SIMULATED_EVENT); i++)
        n += cluster_is(cluster_at(c, KIN__SIMULATED_EVENT, i), "reason", reason);
    return n;
}

/* The owner, if it is there and has the uid that the object says. */
static const kin_object *find_owner(const struct cluster *c, const kin_object *object,
                                    enum kin__simulated kind)
{
    kin_owner_reference owner;
    kin_scratch scratch;
    char key[512];

    if (kin_object_controller(&owner, object) < 0)
        return NULL;
    (void)snprintf(key, sizeof(key), "%" KIN_STR_FMT "/%" KIN_STR_FMT,
                   KIN_STR_ARG(kin_object_namespace(object)), KIN_STR_ARG(owner.name));
    const kin_object *found = kin_test_sink_find(&c->sink, kind, key);
    return found && kin_str_equal(kin_object_uid(found, &scratch), owner.uid) ? found : NULL;
}

static bool is_selected(const kin_object *object, const kin_object *by)
{
    kin_iter it;
    kin_scratch scratch;
    kin_str wanted, value;

    kin_iter_init(&it, kin_object_find(by, "spec.selector.matchLabels"));
    while (kin_iter_next(&it)) {
        if (kin_value_string(&wanted, it.value, &scratch) < 0 ||
            !kin_object_label(object, it.key, &value) || !kin_str_equal(wanted, value))
            return false;
    }
    return true;
}

static void check_pod(struct cluster *c, const kin_object *pod)
{
    kin_scratch scratch;
    char node[128];
    const kin_object *set = find_owner(c, pod, KIN__SIMULATED_REPLICA_SET);

    if (!set)
        complain(c, "it has no ReplicaSet", pod);
    else if (!is_selected(pod, set))
        complain(c, "its labels are not those of its ReplicaSet", pod);
    (void)snprintf(node, sizeof(node), "%" KIN_STR_FMT,
                   KIN_STR_ARG(text_at(pod, "spec.nodeName", &scratch)));
    if (!kin_test_sink_find(&c->sink, KIN__SIMULATED_NODE, node))
        complain(c, "its node does not exist", pod);
    if (kin_object_deletion_timestamp(NULL, pod) == 0)
        complain(c, "it is deleted and does not go", pod);
    if (!cluster_is(pod, "status.phase", "Running") ||
        !cluster_is(pod, "status.conditions[2].status", "True"))
        complain(c, "it is not ready", pod);
}

static int64_t count_owned(const struct cluster *c, const kin_object *owner,
                           enum kin__simulated owner_kind, enum kin__simulated kind)
{
    int64_t n = 0;

    for (size_t i = 0; i < cluster_count(c, kind); i++)
        n += find_owner(c, cluster_at(c, kind, i), owner_kind) == owner;
    return n;
}

static void check_set(struct cluster *c, const kin_object *set)
{
    int64_t replicas = cluster_int(set, "spec.replicas");
    const kin_object *d = find_owner(c, set, KIN__SIMULATED_DEPLOYMENT);

    if (!d)
        complain(c, "it has no Deployment", set);
    else if (!is_selected(set, d))
        complain(c, "its labels are not those of its Deployment", set);
    if (count_owned(c, set, KIN__SIMULATED_REPLICA_SET, KIN__SIMULATED_POD) != replicas)
        complain(c, "it has not as many Pods as it should", set);
    if (cluster_int(set, "status.replicas") != replicas ||
        cluster_int(set, "status.fullyLabeledReplicas") != replicas ||
        cluster_int(set, "status.readyReplicas") != replicas ||
        cluster_int(set, "status.availableReplicas") != replicas)
        complain(c, "its status does not say how many Pods there are", set);
    if (cluster_int(set, "status.observedGeneration") != kin_object_generation(set))
        complain(c, "its generation was not observed", set);
}

static void check_deployment(struct cluster *c, const kin_object *d)
{
    int64_t replicas = cluster_int(d, "spec.replicas");
    int64_t history = cluster_int(d, "spec.revisionHistoryLimit");

    if (cluster_int(d, "status.replicas") != replicas ||
        cluster_int(d, "status.updatedReplicas") != replicas ||
        cluster_int(d, "status.readyReplicas") != replicas ||
        cluster_int(d, "status.availableReplicas") != replicas ||
        cluster_int(d, "status.unavailableReplicas") != 0)
        complain(c, "its roll-out did not end", d);
    if (cluster_int(d, "status.observedGeneration") != kin_object_generation(d))
        complain(c, "its generation was not observed", d);
    if (!cluster_is(d, "status.conditions[0].status", "True") ||
        !cluster_is(d, "status.conditions[1].reason", "NewReplicaSetAvailable"))
        complain(c, "its conditions do not say that it is complete", d);
    if (history > 0 &&
        count_owned(c, d, KIN__SIMULATED_DEPLOYMENT, KIN__SIMULATED_REPLICA_SET) > history + 1)
        complain(c, "it has too many old ReplicaSets", d);
}

static void check_node(struct cluster *c, const kin_object *node)
{
    char key[160];

    (void)snprintf(key, sizeof(key), "kube-node-lease/%s", kin_object_key(node));
    if (!kin_test_sink_find(&c->sink, KIN__SIMULATED_LEASE, key))
        complain(c, "it has no Lease", node);
    if (!cluster_is(node, "status.conditions[3].status", "True"))
        complain(c, "it is not ready", node);
    if (kin_value_len(kin_object_find(node, "spec.taints")) > 0)
        complain(c, "it is tainted", node);
}

static void check_all(struct cluster *c, enum kin__simulated kind,
                      void (*check)(struct cluster *c, const kin_object *object))
{
    for (size_t i = 0; i < cluster_count(c, kind); i++)
        check(c, cluster_at(c, kind, i));
}

const char *cluster_check(struct cluster *c)
{
    kin__simulator_stats stats;
    size_t events = c->options.events ? c->options.events : 5000;

    check_all(c, KIN__SIMULATED_POD, check_pod);
    check_all(c, KIN__SIMULATED_REPLICA_SET, check_set);
    check_all(c, KIN__SIMULATED_DEPLOYMENT, check_deployment);
    check_all(c, KIN__SIMULATED_NODE, check_node);
    kin__simulator_get_stats(c->sim, &stats);
    if (!c->wrong[0] && (stats.pods != cluster_count(c, KIN__SIMULATED_POD) ||
                         stats.deployments != cluster_count(c, KIN__SIMULATED_DEPLOYMENT) ||
                         stats.nodes != cluster_count(c, KIN__SIMULATED_NODE) ||
                         stats.sets != cluster_count(c, KIN__SIMULATED_REPLICA_SET)))
        (void)snprintf(
            c->wrong, sizeof(c->wrong),
            "the simulator knows of %zu Pods, %zu ReplicaSets, %zu Deployments, %zu Nodes; "
            "there are %zu, %zu, %zu, %zu",
            stats.pods, stats.sets, stats.deployments, stats.nodes,
            cluster_count(c, KIN__SIMULATED_POD), cluster_count(c, KIN__SIMULATED_REPLICA_SET),
            cluster_count(c, KIN__SIMULATED_DEPLOYMENT), cluster_count(c, KIN__SIMULATED_NODE));
    if (!c->wrong[0] && cluster_count(c, KIN__SIMULATED_EVENT) > events)
        (void)snprintf(c->wrong, sizeof(c->wrong), "there are too many Events");
    return c->wrong[0] ? c->wrong : NULL;
}
