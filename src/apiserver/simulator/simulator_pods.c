/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pods: what the scheduler and the kubelets do with them.
 *
 *     NEW -> PENDING -> BOUND -> CREATING -> RUNNING -> READY <-> UNREADY, LOST
 *                                              ^          |
 *                                              +-- CRASHED, BACKOFF
 *     any of them -> STOPPING -> STOPPED -> gone
 *
 * A Pod on a node that is not up stays as it is, as its kubelet does not answer; when the node is
 * back it goes on. A Pod that somebody else has deleted is replaced by its ReplicaSet, which is
 * told of every change.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"

#define GRACE_S 30
#define GONE 1 /* of functions that may have freed the Pod */

/* Writes that follow until the Pod is ready or gone, Events and statuses of its owners included. */
static const uint8_t ahead[SIM_POD_STATES] = {
    [SIM_POD_NEW] = 16,    [SIM_POD_PENDING] = 14, [SIM_POD_BOUND] = 12,   [SIM_POD_CREATING] = 9,
    [SIM_POD_RUNNING] = 3, [SIM_POD_READY] = 0,    [SIM_POD_UNREADY] = 3,  [SIM_POD_LOST] = 3,
    [SIM_POD_CRASHED] = 7, [SIM_POD_BACKOFF] = 6,  [SIM_POD_STOPPING] = 2, [SIM_POD_STOPPED] = 1};
#define AHEAD_REPLACED 22
#define AHEAD_CRASH 9

static void account(kin__simulator *sim, struct sim_pod *pod)
{
    int64_t n = ahead[pod->state] + (int64_t)pod->crash * AHEAD_CRASH;

    if (pod->warm)
        n = 0;
    else if (pod->doomed && pod->state < SIM_POD_STOPPING)
        n = AHEAD_REPLACED;
    sim->ahead += n - pod->ahead;
    pod->ahead = n;
}

static struct sim_pod *pod_of(struct sim_actor *actor)
{
    return kin__container_of(actor, struct sim_pod, actor);
}

int64_t kin__sim_back_off_s(const struct sim_pod *pod)
{
    unsigned n = pod->restarts;

    return n <= 1 ? 10 : n == 2 ? 20 : 40;
}

static bool is_node_up(const struct sim_pod *pod)
{
    return pod->node->state == SIM_NODE_UP;
}

/* --- coming and going --- */

static sim_run_fn run_pod;

static int name_pod(kin__simulator *sim, struct sim_pod *pod, kin_str name, kin_error *err)
{
    struct sim_pod **pods =
        kin__grow_array(sim->pods, &sim->cap_pods, sim->n_pods + 1, sizeof(struct sim_pod *));

    if (!pods)
        return kin__error_no_memory(err);
    sim->pods = pods;
    return kin__sim_actor_init(sim, &pod->actor, KIN__SIMULATED_POD,
                               kin__sim_namespace(&pod->set->actor), name, run_pod, err);
}

static int invent_name(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    char name[128], suffix[SIM_SUFFIX_LEN + 1];

    pod->id = kin__sim_random(sim);
    kin__sim_suffix(suffix, SIM_SUFFIX_LEN, pod->id);
    int len = snprintf(name, sizeof(name), "%" KIN_STR_FMT "-%s",
                       KIN_STR_ARG(kin__sim_name(&pod->set->actor)), suffix);
    return name_pod(sim, pod, kin_str_make(name, (size_t)len), err);
}

/* It has a name: now it counts. */
static void enter(kin__simulator *sim, struct sim_pod *pod)
{
    pod->index = sim->n_pods;
    sim->pods[sim->n_pods++] = pod;
    kin__list_push_back(&pod->set->pods, &pod->link);
    account(sim, pod);
}

int kin__sim_pod_add(kin__simulator *sim, struct sim_set *set, bool warm, kin_error *err)
{
    struct sim_pod *pod = kin__calloc(1, sizeof(*pod));

    if (!pod)
        return kin__error_no_memory(err);
    pod->set = set;
    pod->warm = warm;
    int code = KIN_EEXISTS;
    for (int i = 0; i < 8 && code == KIN_EEXISTS; i++)
        code = invent_name(sim, pod, err);
    if (code < 0) {
        kin__free(pod);
        return code;
    }
    enter(sim, pod);
    kin__sim_after(sim, &pod->actor, 0);
    return 0;
}

int kin__sim_pod_take(kin__simulator *sim, struct sim_set *set, const kin_object *object,
                      kin_error *err)
{
    struct sim_pod *pod = kin__calloc(1, sizeof(*pod));

    if (!pod)
        return kin__error_no_memory(err);
    pod->set = set;
    int code = name_pod(sim, pod, kin_object_name(object), err);
    if (code < 0) {
        kin__free(pod);
        return code;
    }
    pod->actor.object = kin_object_ref(object);
    int64_t delay = kin__sim_restore_pod(sim, pod);
    if (pod->node)
        pod->node->pods++;
    enter(sim, pod);
    kin__sim_after(sim, &pod->actor, delay);
    return 0;
}

static void leave_node(struct sim_pod *pod)
{
    if (pod->node)
        pod->node->pods--;
    pod->node = NULL;
}

void kin__sim_pod_free(kin__simulator *sim, struct sim_pod *pod)
{
    sim->ahead -= pod->ahead;
    if (pod->warm)
        pod->set->deployment->warm--;
    leave_node(pod);
    kin__list_remove(&pod->link);
    struct sim_pod *last = sim->pods[--sim->n_pods];
    sim->pods[pod->index] = last;
    last->index = pod->index;
    kin_object_unref(pod->back_off);
    kin__sim_actor_done(sim, &pod->actor);
    kin__free(pod);
}

static int gone(kin__simulator *sim, struct sim_pod *pod)
{
    kin__sim_set_changed(sim, pod->set);
    kin__sim_pod_free(sim, pod);
    return GONE;
}

void kin__sim_pod_doom(kin__simulator *sim, struct sim_pod *pod)
{
    if (pod->doomed)
        return;
    pod->doomed = true;
    account(sim, pod);
    if (pod->state < SIM_POD_STOPPING)
        kin__sim_after(sim, &pod->actor, 0);
}

bool kin__sim_pod_crash(kin__simulator *sim, struct sim_pod *pod, unsigned times)
{
    if (pod->state != SIM_POD_READY || pod->doomed || pod->flap || pod->crash || !is_node_up(pod))
        return false;
    pod->crash = (uint8_t)times;
    account(sim, pod);
    kin__sim_after(sim, &pod->actor, 0);
    return true;
}

bool kin__sim_pod_flap(kin__simulator *sim, struct sim_pod *pod)
{
    if (pod->state != SIM_POD_READY || pod->doomed || pod->flap || pod->crash || !is_node_up(pod))
        return false;
    pod->flap = true;
    kin__sim_after(sim, &pod->actor, 0);
    return true;
}

void kin__sim_pod_node_changed(kin__simulator *sim, struct sim_pod *pod)
{
    if (pod->node->state == SIM_NODE_GONE) {
        pod->doomed = true;
        pod->forced = true;
    } else if (pod->node->state == SIM_NODE_EVICTED && !pod->doomed) {
        pod->doomed = true;
        if (pod->state < SIM_POD_STOPPING)
            pod->actor.tell |= 1u << SIM_EVENT_EVICTED;
    }
    account(sim, pod);
    kin__sim_after(sim, &pod->actor, 0);
}

/* --- states --- */

/* Write the status of a state, and be in it. Readiness changed if `readiness`. */
static int show(kin__simulator *sim, struct sim_pod *pod, enum sim_pod_state state, bool readiness,
                kin_error *err)
{
    uint8_t old = pod->state;
    int64_t changed = pod->changed;

    pod->state = (uint8_t)state;
    if (readiness)
        pod->changed = sim->now;
    int code = kin__sim_update(sim, KIN__SIMULATED_POD, SIM_STATUS, &pod->actor.object,
                               kin__sim_edit_pod_status, pod, err);
    if (code < 0) {
        pod->state = old;
        pod->changed = changed;
        return code;
    }
    if (readiness || state == SIM_POD_STOPPED)
        kin__sim_set_changed(sim, pod->set);
    return 0;
}

static int wait(kin__simulator *sim, struct sim_pod *pod, int64_t from, int64_t spread)
{
    kin__sim_after(sim, &pod->actor, kin__sim_delay(sim, from, spread));
    return 0;
}

static int rest(kin__simulator *sim, struct sim_pod *pod)
{
    kin__sim_after(sim, &pod->actor, INT64_MAX);
    return 0;
}

static void tell(struct sim_pod *pod, enum sim_event event)
{
    pod->actor.tell |= 1u << event;
}

static void join_node(kin__simulator *sim, struct sim_pod *pod, struct sim_node *node)
{
    pod->node = node;
    pod->address = (uint8_t)(node->addresses++ % 250);
    pod->bound = sim->now;
    pod->changed = sim->now;
    node->pods++;
}

static int create(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    const kin_object *object = NULL;
    struct sim_node *node = pod->warm ? kin__sim_node_choose(sim) : NULL;

    if (node)
        join_node(sim, pod, node);
    int code = kin__sim_make_pod(&object, sim, pod, err);
    if (code == 0)
        code = kin__sim_create(sim, KIN__SIMULATED_POD, object, &pod->actor.object, err);
    kin_object_unref(object);
    if (code == KIN_EEXISTS)
        return gone(sim, pod); /* the set makes another one, of another name */
    if (code < 0) {
        leave_node(pod);
        return code;
    }
    kin__sim_set_changed(sim, pod->set);
    if (node) {
        pod->state = SIM_POD_BOUND;
        return wait(sim, pod, 0, 0);
    }
    if (pod->warm) { /* there is no node for it: it comes the long way */
        pod->warm = false;
        pod->set->deployment->warm--;
    }
    pod->state = SIM_POD_PENDING;
    tell(pod, SIM_EVENT_POD_CREATED);
    return wait(sim, pod, 5, 40);
}

static int edit_bind(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_pod *pod = arg;
    int code = kin_editor_set_string(ed, kin_str_of("spec.nodeName"),
                                     kin__sim_name(&pod->node->actor), err);

    return code < 0 ? code : kin__sim_set_kubelet_fields(sim, ed, pod, err);
}

static int bind(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    struct sim_node *node = kin__sim_node_choose(sim);

    if (!node) {
        if (!pod->complained)
            tell(pod, SIM_EVENT_UNSCHEDULABLE);
        pod->complained = true;
        return wait(sim, pod, 2000, 1000);
    }
    join_node(sim, pod, node);
    int code =
        kin__sim_update(sim, KIN__SIMULATED_POD, SIM_ALL, &pod->actor.object, edit_bind, pod, err);
    if (code < 0) {
        leave_node(pod);
        return code;
    }
    pod->state = SIM_POD_BOUND;
    tell(pod, SIM_EVENT_SCHEDULED);
    return wait(sim, pod, 10, 50);
}

/* Its node's kubelet sees it: pulls, or for Pods of the beginning, has long done so. */
static int begin(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code;

    if (pod->warm) {
        pod->started = sim->now;
        code = show(sim, pod, SIM_POD_READY, true, err);
        if (code < 0)
            return code;
        pod->warm = false;
        pod->set->deployment->warm--;
        return rest(sim, pod);
    }
    code = show(sim, pod, SIM_POD_CREATING, false, err);
    if (code < 0)
        return code;
    tell(pod, SIM_EVENT_PULLING);
    return wait(sim, pod, 300, 1500);
}

static int start(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    pod->started = sim->now;
    int code = show(sim, pod, SIM_POD_RUNNING, false, err);
    if (code < 0)
        return code;
    tell(pod, SIM_EVENT_PULLED);
    tell(pod, SIM_EVENT_CONTAINER_CREATED);
    tell(pod, SIM_EVENT_STARTED);
    return wait(sim, pod, 1000, 3000);
}

static int get_ready(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code = show(sim, pod, SIM_POD_READY, true, err);

    if (code < 0)
        return code;
    return pod->crash ? wait(sim, pod, 1000, 2000) : rest(sim, pod);
}

static int crash(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int64_t crashed = pod->crashed;

    pod->crashed = sim->now;
    int code = show(sim, pod, SIM_POD_CRASHED, true, err);
    if (code < 0) {
        pod->crashed = crashed;
        return code;
    }
    pod->crash--;
    return wait(sim, pod, 500, 500);
}

/* The first time it is started again at once, later it has to wait. */
static int back_off(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code = show(sim, pod, SIM_POD_BACKOFF, false, err);

    if (code < 0)
        return code;
    tell(pod, SIM_EVENT_BACKOFF);
    return wait(sim, pod, kin__sim_back_off_s(pod) * 1000, 1000);
}

static int restart(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int64_t restarted = pod->restarted;

    pod->restarts++;
    pod->restarted = sim->now;
    int code = show(sim, pod, SIM_POD_RUNNING, false, err);
    if (code < 0) {
        pod->restarts--;
        pod->restarted = restarted;
        return code;
    }
    tell(pod, SIM_EVENT_STARTED);
    return wait(sim, pod, 1000, 2000);
}

static int fail_probe(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code = show(sim, pod, SIM_POD_UNREADY, true, err);

    if (code < 0)
        return code;
    pod->flap = false;
    tell(pod, SIM_EVENT_UNHEALTHY);
    return wait(sim, pod, 2000, 6000);
}

/* --- the end --- */

static int stopping(kin__simulator *sim, struct sim_pod *pod)
{
    pod->state = SIM_POD_STOPPING;
    pod->crash = 0;
    if (pod->node)
        tell(pod, SIM_EVENT_KILLING);
    kin__sim_set_changed(sim, pod->set);
    return wait(sim, pod, 500, 2000);
}

static int stop(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    if (pod->state == SIM_POD_NEW)
        return gone(sim, pod);
    int code = kin__sim_remove(sim, KIN__SIMULATED_POD, &pod->actor.object,
                               pod->forced ? 0 : GRACE_S, err);
    if (code < 0)
        return code;
    return pod->actor.object ? stopping(sim, pod) : gone(sim, pod);
}

static int stopped(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    /* One that never had a node has nobody to say that it has stopped. */
    int code = pod->node ? show(sim, pod, SIM_POD_STOPPED, true, err) : 0;

    if (code < 0)
        return code;
    pod->state = SIM_POD_STOPPED;
    return wait(sim, pod, 20, 60);
}

static int disappear(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code = kin__sim_remove(sim, KIN__SIMULATED_POD, &pod->actor.object, 0, err);

    if (code < 0)
        return code;
    /* Still there: a finalizer of somebody else. */
    return pod->actor.object ? wait(sim, pod, 2000, 1000) : gone(sim, pod);
}

/* --- what to do next --- */

static int act_on_node(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    switch (pod->state) {
    case SIM_POD_BOUND:
        return begin(sim, pod, err);
    case SIM_POD_CREATING:
        return start(sim, pod, err);
    case SIM_POD_READY:
        if (pod->crash)
            return crash(sim, pod, err);
        return pod->flap ? fail_probe(sim, pod, err) : rest(sim, pod);
    case SIM_POD_CRASHED:
        return pod->restarts > 0 ? back_off(sim, pod, err) : restart(sim, pod, err);
    case SIM_POD_BACKOFF:
        return restart(sim, pod, err);
    case SIM_POD_STOPPING:
        return stopped(sim, pod, err);
    default: /* RUNNING, UNREADY, LOST */
        return get_ready(sim, pod, err);
    }
}

/* Nobody answers there. The node controller says what it can. */
static int act_off_node(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    if (pod->state == SIM_POD_READY && pod->node->state != SIM_NODE_SILENT) {
        int code = show(sim, pod, SIM_POD_LOST, true, err);

        if (code < 0)
            return code;
    }
    return rest(sim, pod);
}

static int act(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    if (pod->state == SIM_POD_STOPPED || (pod->forced && pod->state == SIM_POD_STOPPING))
        return disappear(sim, pod, err);
    if (pod->doomed && pod->state < SIM_POD_STOPPING)
        return stop(sim, pod, err);
    if (pod->state == SIM_POD_NEW)
        return create(sim, pod, err);
    if (pod->state == SIM_POD_PENDING)
        return bind(sim, pod, err);
    if (!pod->node)
        return stopped(sim, pod, err);
    return is_node_up(pod) ? act_on_node(sim, pod, err) : act_off_node(sim, pod, err);
}

/* Somebody else has told it to go. */
static int obey(kin__simulator *sim, struct sim_pod *pod)
{
    if (pod->actor.object && pod->state < SIM_POD_STOPPING &&
        kin__sim_is_deleted(pod->actor.object))
        return stopping(sim, pod);
    return 0;
}

static int look(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    if (!pod->actor.object)
        return 0;
    int code = kin__sim_refresh(sim, KIN__SIMULATED_POD, &pod->actor.object, err);
    if (code == KIN_ENOTFOUND) {
        sim->stats.lost++;
        return gone(sim, pod);
    }
    if (code < 0)
        return code;
    pod->look = false;
    return obey(sim, pod);
}

static int run_pod(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    struct sim_pod *pod = pod_of(actor);
    int code = kin__sim_tell_all(sim, actor, err);

    if (code == 0 && pod->look)
        code = look(sim, pod, err);
    if (code == 0 && !kin__sim_is_due(sim, actor))
        return kin__sim_tell_all(sim, actor, err);
    if (code == 0) {
        bool created = pod->state != SIM_POD_NEW;

        code = act(sim, pod, err);
        if (code == KIN_ENOTFOUND && created)
            code = gone(sim, pod);
    }
    if (code == GONE)
        return 0;
    account(sim, pod);
    if (code == 0)
        code = obey(sim, pod);
    return code < 0 ? code : kin__sim_tell_all(sim, actor, err);
}
