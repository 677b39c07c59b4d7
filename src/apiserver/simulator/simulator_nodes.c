/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes: their kubelets' heartbeats, and what the node controller does when there are none.
 *
 *     NEW -> UP -> SILENT -> DOWN -> TAINTED -> EVICTED -> UP
 *
 * A kubelet renews its Lease every 10 s and writes its status every 5 min. 40 s after the last
 * heartbeat its node is said to be unreachable and is tainted; its Pods, which tolerate that for
 * 30 s, are then told to go. They are gone when the node is back. A node that somebody deletes
 * takes its Pods with it, and registers again a minute later.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"

#define BEAT (10 * KIN__SECOND)
#define BEATS_PER_STATUS 30
#define UNREACHABLE "node.kubernetes.io/unreachable"

static struct sim_node *node_of(struct sim_actor *actor)
{
    return kin__container_of(actor, struct sim_node, actor);
}

static sim_run_fn run_node;

int kin__sim_node_add(kin__simulator *sim, kin_error *err)
{
    char name[32];
    struct sim_node *node = kin__calloc(1, sizeof(*node));

    if (!node)
        return kin__error_no_memory(err);
    node->number = (unsigned)sim->n_nodes + 1;
    (void)snprintf(name, sizeof(name), "node-%04u", node->number);
    int code = kin__sim_actor_init(sim, &node->actor, KIN__SIMULATED_NODE, kin_str_of(""),
                                   kin_str_of(name), run_node, err);
    if (code < 0) {
        kin__free(node);
        return code;
    }
    sim->nodes[sim->n_nodes++] = node;
    kin__sim_after(sim, &node->actor, 0);
    return 0;
}

void kin__sim_node_free(kin__simulator *sim, struct sim_node *node)
{
    kin_object_unref(node->lease);
    kin__sim_actor_done(sim, &node->actor);
    kin__free(node);
}

/* The scheduler does not know yet that a silent one is down. */
static bool takes_pods(const struct sim_node *node)
{
    return (node->state == SIM_NODE_UP || node->state == SIM_NODE_SILENT) && !node->cordoned;
}

static struct sim_node *choose_one(kin__simulator *sim)
{
    size_t at = (size_t)kin__sim_below(sim, sim->n_nodes);

    for (size_t i = 0; i < sim->n_nodes; i++) {
        struct sim_node *node = sim->nodes[(at + i) % sim->n_nodes];

        if (takes_pods(node))
            return node;
    }
    return NULL;
}

/* Of two by chance the one with fewer Pods: that spreads them well. */
struct sim_node *kin__sim_node_choose(kin__simulator *sim)
{
    struct sim_node *a = choose_one(sim);
    struct sim_node *b = choose_one(sim);

    return a && b && b->pods < a->pods ? b : a;
}

/* --- writes --- */

static void tell_pods(kin__simulator *sim, const struct sim_node *node)
{
    for (size_t i = 0; i < sim->n_pods; i++) {
        if (sim->pods[i]->node == node)
            kin__sim_pod_node_changed(sim, sim->pods[i]);
    }
}

static int show(kin__simulator *sim, struct sim_node *node, enum sim_node_state state,
                kin_error *err)
{
    uint8_t old = node->state;
    int64_t since = node->since;

    node->state = (uint8_t)state;
    if (old != state)
        node->since = sim->now;
    int code = kin__sim_update(sim, KIN__SIMULATED_NODE, SIM_STATUS, &node->actor.object,
                               kin__sim_edit_node_status, node, err);
    if (code < 0) {
        node->state = old;
        node->since = since;
    }
    return code;
}

static int edit_lease(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    (void)arg;
    return kin_editor_set_time(ed, kin_str_of("spec.renewTime"), kin__sim_time(sim, sim->now), 6,
                               err);
}

static int make_lease(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    kin__sim_put_lease(sim, node);
    int code = kin__sim_create_text(sim, KIN__SIMULATED_LEASE, &node->lease, err);

    if (code == KIN_EEXISTS)
        code = sim->sink->sink_class->get(sim->sink, KIN__SIMULATED_LEASE,
                                          kin_str_of("kube-node-lease"),
                                          kin__sim_name(&node->actor), &node->lease, err);
    return code;
}

static int renew(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = 0;

    if (!node->lease)
        return make_lease(sim, node, err);
    code = kin__sim_update(sim, KIN__SIMULATED_LEASE, SIM_ALL, &node->lease, edit_lease, node, err);
    if (code == KIN_ENOTFOUND) { /* somebody has deleted it */
        kin_object_unref(node->lease);
        node->lease = NULL;
        code = make_lease(sim, node, err);
    }
    return code;
}

/* The index of our taint, or of none: the number of taints. */
static size_t find_taint(const kin_object *object, size_t *ret_n)
{
    kin_iter it;
    kin_scratch scratch;
    kin_str key;
    size_t found = SIZE_MAX, n = 0;

    kin_iter_init(&it, kin_object_find(object, "spec.taints"));
    for (; kin_iter_next(&it); n++) {
        if (kin_value_string(&key, kin_value_get(it.value, kin_str_of("key")), &scratch) == 0 &&
            kin_str_equal(key, kin_str_of(UNREACHABLE)))
            found = n;
    }
    *ret_n = n;
    return found < n ? found : n;
}

static int edit_taint(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_node *node = arg;
    char path[48];
    size_t n = 0, at = find_taint(node->actor.object, &n);

    (void)snprintf(path, sizeof(path), "spec.taints[%zu]", at);
    kin__sim_put(sim, "{\"key\":\"" UNREACHABLE "\",\"effect\":\"NoExecute\",\"timeAdded\":");
    kin__sim_put_time(sim, sim->now);
    kin__sim_put(sim, "}");
    return kin__sim_set_text(sim, ed, path, err);
}

static int edit_untaint(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_node *node = arg;
    char path[48];
    size_t n = 0, at = find_taint(node->actor.object, &n);

    (void)sim;
    (void)snprintf(path, sizeof(path), n == 1 ? "spec.taints" : "spec.taints[%zu]", at);
    int code = at < n ? kin_editor_remove(ed, kin_str_of(path), err) : 0;
    return code == KIN_ENOTFOUND ? 0 : code;
}

/* --- states --- */

static int wait(kin__simulator *sim, struct sim_node *node, int64_t delay)
{
    kin__sim_after(sim, &node->actor, delay);
    return 0;
}

static int be_up(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    bool is_first = node->state == SIM_NODE_NEW;
    int code = renew(sim, node, err);

    if (code == 0)
        code = show(sim, node, SIM_NODE_UP, err);
    if (code < 0)
        return code;
    node->beat = sim->now;
    node->actor.tell |= 1u << (is_first ? SIM_EVENT_REGISTERED : SIM_EVENT_NODE_READY);
    tell_pods(sim, node);
    /* Each beats at another moment. */
    return wait(sim, node,
                (int64_t)kin__sim_below(sim, BEAT / KIN__MICROSECOND) * KIN__MICROSECOND);
}

static int remove_taint(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    size_t n = 0;

    if (find_taint(node->actor.object, &n) >= n)
        return 0;
    return kin__sim_update(sim, KIN__SIMULATED_NODE, SIM_ALL, &node->actor.object, edit_untaint,
                           node, err);
}

static int enroll(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    if (!node->actor.object) {
        kin__sim_put_node(sim, node);
        int code = kin__sim_create_text(sim, KIN__SIMULATED_NODE, &node->actor.object, err);

        if (code == KIN_EEXISTS)
            code =
                sim->sink->sink_class->get(sim->sink, KIN__SIMULATED_NODE, kin_str_of(""),
                                           kin__sim_name(&node->actor), &node->actor.object, err);
        if (code < 0)
            return code;
    }
    int code = remove_taint(sim, node, err); /* of a simulator before this one */
    return code < 0 ? code : be_up(sim, node, err);
}

static void read_cordon(struct sim_node *node)
{
    node->cordoned = false;
    (void)kin_value_bool(&node->cordoned,
                         kin_object_find(node->actor.object, "spec.unschedulable"));
}

/* Somebody else has changed or deleted it. */
static int look(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = 0;

    if (node->actor.object)
        code = kin__sim_refresh(sim, KIN__SIMULATED_NODE, &node->actor.object, err);
    if (code == 0 || code == KIN_ENOTFOUND)
        node->look = false;
    if (code == 0 && node->actor.object)
        read_cordon(node);
    return code;
}

static int beat(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    if (node->fail) {
        node->fail = false;
        node->state = SIM_NODE_SILENT;
        return wait(sim, node, 40 * KIN__SECOND);
    }
    int code = kin__sim_refresh(sim, KIN__SIMULATED_NODE, &node->actor.object, err);
    if (code == 0)
        code = renew(sim, node, err);
    if (code == 0 && (node->beats + 1) % BEATS_PER_STATUS == 0)
        code = show(sim, node, SIM_NODE_UP, err);
    if (code < 0)
        return code;
    node->beats++;
    node->beat = sim->now;
    read_cordon(node);
    return wait(sim, node, BEAT);
}

static int go_down(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = show(sim, node, SIM_NODE_DOWN, err);

    if (code < 0)
        return code;
    node->actor.tell |= 1u << SIM_EVENT_NODE_NOT_READY;
    tell_pods(sim, node);
    return wait(sim, node, 10 * KIN__MILLISECOND);
}

static int taint(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = kin__sim_update(sim, KIN__SIMULATED_NODE, SIM_ALL, &node->actor.object, edit_taint,
                               node, err);

    if (code < 0)
        return code;
    node->state = SIM_NODE_TAINTED;
    return wait(sim, node, 30 * KIN__SECOND);
}

static int evict(kin__simulator *sim, struct sim_node *node)
{
    node->state = SIM_NODE_EVICTED;
    tell_pods(sim, node);
    return wait(sim, node, kin__sim_delay(sim, 10000, 40000));
}

static int come_back(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = remove_taint(sim, node, err);

    if (code == 0)
        code = be_up(sim, node, err);
    if (code == 0)
        sim->down--;
    return code;
}

/* Somebody has deleted it. */
static int lose(kin__simulator *sim, struct sim_node *node)
{
    sim->down -= node->state != SIM_NODE_UP && node->state != SIM_NODE_NEW;
    sim->down -= node->fail;
    node->fail = false;
    node->state = SIM_NODE_GONE;
    node->actor.tell = 0;
    kin_object_unref(node->actor.object);
    node->actor.object = NULL;
    tell_pods(sim, node);
    return wait(sim, node, 60 * KIN__SECOND);
}

static int register_again(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = node->lease ? kin__sim_remove(sim, KIN__SIMULATED_LEASE, &node->lease, 0, err) : 0;

    if (code < 0)
        return code;
    kin_object_unref(node->lease);
    node->lease = NULL;
    node->cordoned = false;
    node->state = SIM_NODE_NEW;
    return wait(sim, node, 0);
}

static int act(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    switch (node->state) {
    case SIM_NODE_NEW:
        return enroll(sim, node, err);
    case SIM_NODE_UP:
        return beat(sim, node, err);
    case SIM_NODE_SILENT:
        return go_down(sim, node, err);
    case SIM_NODE_DOWN:
        return taint(sim, node, err);
    case SIM_NODE_TAINTED:
        return evict(sim, node);
    case SIM_NODE_EVICTED:
        return come_back(sim, node, err);
    default:
        return register_again(sim, node, err);
    }
}

/* What the churn wants beyond the heartbeats that are due. */
static int do_extra(kin__simulator *sim, struct sim_node *node, kin_error *err)
{
    int code = 0;

    if (node->state != SIM_NODE_UP) {
        node->refresh = false;
        node->renew = 0;
    }
    if (node->refresh) {
        code = show(sim, node, SIM_NODE_UP, err);
        node->refresh = code < 0;
    }
    if (code == 0 && node->renew > 0) {
        code = renew(sim, node, err);
        node->renew -= code == 0;
    }
    return code;
}

static int run_node(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    struct sim_node *node = node_of(actor);
    bool registered = actor->object != NULL;
    int code = kin__sim_tell_all(sim, actor, err);

    if (code == 0 && node->look)
        code = look(sim, node, err);
    if (code == 0)
        code = do_extra(sim, node, err);
    if (code == 0 && kin__sim_is_due(sim, actor))
        code = act(sim, node, err);
    if (code == KIN_ENOTFOUND && registered && node->state != SIM_NODE_GONE) {
        /* It may be the Lease's namespace that is missing. */
        code = kin__sim_refresh(sim, KIN__SIMULATED_NODE, &actor->object, err);
        if (code == KIN_ENOTFOUND)
            return lose(sim, node);
        code = code < 0 ? code : KIN_EBUSY;
    }
    if (code == 0 && node->renew > 0)
        kin__sim_wake_by(sim, actor, KIN__MILLISECOND);
    return code < 0 ? code : kin__sim_tell_all(sim, actor, err);
}
