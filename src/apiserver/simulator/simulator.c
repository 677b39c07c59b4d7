/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The simulator's engine: actors, their timers and names, and what there is in the beginning.
 *
 * The files beside it are the parts of a cluster: simulator_nodes.c its kubelets and the node
 * controller, simulator_pods.c scheduler and kubelets as far as Pods go, simulator_sets.c and
 * simulator_deployments.c the controllers, simulator_events.c their recorders, simulator_churn.c
 * whatever makes things happen. simulator_objects.c, _skeleton.c and _status.c know how objects
 * look, simulator_writes.c how they get into the sink.
 *
 * Left out on purpose: Services, volumes, quotas, preemption, and whether Pods fit their node.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/assert.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

/* Actors that run in one step: a millisecond or two. Who asks for figures or an end waits that long. */
#define STEP_MAX 32
#define RETRY_NO_MEMORY (20 * KIN__MILLISECOND)
#define RETRY (1 * KIN__SECOND)

const kin__simulated_kind kin__simulated_kinds[KIN__SIMULATED_KINDS] = {
    [KIN__SIMULATED_NAMESPACE] = {"", "v1", "namespaces", "Namespace", false},
    [KIN__SIMULATED_NODE] = {"", "v1", "nodes", "Node", false},
    [KIN__SIMULATED_LEASE] = {"coordination.k8s.io", "v1", "leases", "Lease", true},
    [KIN__SIMULATED_DEPLOYMENT] = {"apps", "v1", "deployments", "Deployment", true},
    [KIN__SIMULATED_REPLICA_SET] = {"apps", "v1", "replicasets", "ReplicaSet", true},
    [KIN__SIMULATED_POD] = {"", "v1", "pods", "Pod", true},
    [KIN__SIMULATED_EVENT] = {"", "v1", "events", "Event", true},
};

/* --- random (splitmix64) --- */

uint64_t kin__sim_random(kin__simulator *sim)
{
    uint64_t z = (sim->random += UINT64_C(0x9e3779b97f4a7c15));

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t kin__sim_below(kin__simulator *sim, uint64_t n)
{
    return n ? kin__sim_random(sim) % n : 0;
}

int64_t kin__sim_delay(kin__simulator *sim, int64_t from, int64_t spread)
{
    return from * KIN__MILLISECOND +
           (int64_t)kin__sim_below(sim, (uint64_t)spread * 1000u) * KIN__MICROSECOND;
}

void kin__sim_suffix(char *ret, size_t len, uint64_t number)
{
    static const char letters[] = "bcdfghjklmnpqrstvwxz2456789";

    for (size_t i = 0; i < len; i++) {
        ret[i] = letters[number % (sizeof(letters) - 1)];
        number /= sizeof(letters) - 1;
    }
    ret[len] = '\0';
}

/* --- actors --- */

void kin__sim_wake(kin__simulator *sim, struct sim_actor *actor, int64_t delay)
{
    kin__assert(kin__timer_is_set(&actor->timer));
    (void)kin__timers_set(&sim->timers, &actor->timer,
                          delay == INT64_MAX ? INT64_MAX : sim->now + delay);
}

void kin__sim_after(kin__simulator *sim, struct sim_actor *actor, int64_t delay)
{
    actor->due = delay == INT64_MAX ? INT64_MAX : sim->now + delay;
    kin__sim_wake(sim, actor, delay);
}

bool kin__sim_is_due(kin__simulator *sim, struct sim_actor *actor)
{
    if (actor->due <= sim->now)
        return true;
    (void)kin__timers_set(&sim->timers, &actor->timer, actor->due);
    return false;
}

void kin__sim_wake_by(kin__simulator *sim, struct sim_actor *actor, int64_t delay)
{
    if (actor->timer.deadline > sim->now + delay)
        kin__sim_wake(sim, actor, delay);
}

static int make_key(kin__buf *ret, enum kin__simulated kind, kin_str namespace_, kin_str name)
{
    kin__buf_init(ret, 1024);
    kin__buf_append_char(ret, (char)('a' + kind));
    kin__buf_append(ret, namespace_);
    kin__buf_append_char(ret, '/');
    kin__buf_append(ret, name);
    return ret->failed;
}

int kin__sim_actor_init(kin__simulator *sim, struct sim_actor *actor, enum kin__simulated kind,
                        kin_str namespace_, kin_str name, sim_run_fn *run, kin_error *err)
{
    kin__buf key;
    kin__map_node *existing = NULL;
    size_t len = 0;
    int code = make_key(&key, kind, namespace_, name);

    kin__timer_init(&actor->timer);
    actor->run = run;
    actor->due = INT64_MAX;
    actor->kind = (uint8_t)kind;
    if (code == 0)
        code = kin__buf_take(&key, &actor->key, &len);
    kin__buf_done(&key);
    if (code == 0)
        code = kin__map_add(&sim->names, &actor->node, kin_str_make(actor->key, len), &existing);
    if (code == 0 && existing)
        code = KIN_EEXISTS;
    if (code == 0) {
        code = kin__timers_set(&sim->timers, &actor->timer, INT64_MAX);
        if (code < 0)
            kin__map_remove(&sim->names, &actor->node);
    }
    if (code < 0) {
        kin__free(actor->key);
        actor->key = NULL;
        return kin_error_set(err, code, "%s", kin_error_string(code));
    }
    return 0;
}

void kin__sim_actor_done(kin__simulator *sim, struct sim_actor *actor)
{
    if (!actor->key)
        return;
    kin__timers_cancel(&sim->timers, &actor->timer);
    kin__map_remove(&sim->names, &actor->node);
    kin_object_unref(actor->object);
    kin__free(actor->key);
    actor->key = NULL;
}

kin_str kin__sim_namespace(const struct sim_actor *actor)
{
    kin_str key = kin_str_make(actor->node.key + 1, actor->node.key_len - 1);

    key.len = kin__str_find(key, '/');
    return key;
}

kin_str kin__sim_name(const struct sim_actor *actor)
{
    kin_str key = kin_str_make(actor->node.key + 1, actor->node.key_len - 1);
    size_t slash = kin__str_find(key, '/') + 1;

    return kin_str_make(key.data + slash, key.len - slash);
}

struct sim_actor *kin__sim_find(kin__simulator *sim, enum kin__simulated kind, kin_str namespace_,
                                kin_str name)
{
    kin__buf key;
    kin__map_node *node = NULL;

    if (make_key(&key, kind, namespace_, name) == 0)
        node = kin__map_get(&sim->names, kin__buf_str(&key));
    kin__buf_done(&key);
    return node ? kin__container_of(node, struct sim_actor, node) : NULL;
}

/* --- the beginning --- */

static int make_namespace(kin__simulator *sim, const char *name, kin_error *err)
{
    const kin_object *object = NULL;

    kin__sim_put_namespace(sim, name);
    int code = kin__sim_create_text(sim, KIN__SIMULATED_NAMESPACE, &object, err);
    kin_object_unref(object);
    return code == KIN_EEXISTS ? 0 : code;
}

/* Between half and one and a half of what is left for each, so that they differ. */
static unsigned choose_replicas(kin__simulator *sim)
{
    unsigned deployments = sim->want_deployments - sim->made_deployments;
    unsigned mean = sim->left_pods / deployments;

    if (deployments == 1)
        return sim->left_pods;
    return mean / 2 + (unsigned)kin__sim_below(sim, mean + 1);
}

static int populate_next(kin__simulator *sim, bool *ret_more, kin_error *err)
{
    int code = 0;

    *ret_more = true;
    if (!sim->took_events) {
        code = kin__sim_take_over_events(sim, err);
        sim->took_events = code == 0;
    } else if (sim->made_namespaces < SIM_NAMESPACES + 1) {
        unsigned i = sim->made_namespaces;

        code = make_namespace(sim, i < SIM_NAMESPACES ? kin__sim_namespaces[i] : "kube-node-lease",
                              err);
        sim->made_namespaces += code == 0;
    } else if (!sim->took_nodes) {
        code = kin__sim_take_over_nodes(sim, err);
        sim->took_nodes = code == 0;
    } else if (sim->made_nodes < sim->want_nodes) {
        code = kin__sim_node_add(sim, err);
        sim->made_nodes += code == 0;
    } else if (!sim->taken_over) {
        code = kin__sim_take_over(sim, err);
        sim->taken_over = code == 0;
    } else if (sim->made_deployments < sim->want_deployments) {
        uint64_t random = sim->random;
        unsigned replicas = choose_replicas(sim);

        code = kin__sim_deployment_add(sim, sim->made_deployments, replicas, err);
        if (code == 0) {
            sim->made_deployments++;
            sim->left_pods -= replicas;
        } else {
            sim->random = random;
        }
    } else {
        *ret_more = false;
    }
    return code;
}

static int populate(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    bool more = false;
    int code = populate_next(sim, &more, err);

    if (code == 0)
        kin__sim_wake(sim, actor, more ? 0 : INT64_MAX);
    return code;
}

bool kin__simulator_is_populated(const kin__simulator *sim)
{
    if (sim->made_deployments < sim->want_deployments || !sim->taken_over)
        return false;
    for (size_t i = 0; i < sim->n_nodes; i++) {
        if (sim->nodes[i]->state == SIM_NODE_NEW)
            return false;
    }
    for (size_t i = 0; i < sim->n_deployments; i++) {
        if (sim->deployments[i]->warm > 0)
            return false;
    }
    return true;
}

static int init(kin__simulator *sim, const kin__simulator_options *o, kin_error *err)
{
    sim->nodes = kin__calloc(sim->want_nodes, sizeof(*sim->nodes));
    sim->told = kin__calloc(sim->max_told, sizeof(*sim->told));
    if (!sim->nodes || !sim->told)
        return kin__error_no_memory(err);
    sim->now = kin_clock_now(o->clock);
    sim->wall = kin_clock_unix_now(o->clock) - sim->now;
    int code = kin_decoder_new(&sim->decoder, NULL, err);
    if (code == 0)
        code = kin__sim_actor_init(sim, &sim->populate, KIN__SIMULATED_KINDS, kin_str_of("*"),
                                   kin_str_of("populate"), populate, err);
    if (code == 0)
        code = kin__sim_actor_init(sim, &sim->tick, KIN__SIMULATED_KINDS, kin_str_of("*"),
                                   kin_str_of("tick"), kin__sim_tick, err);
    if (code == 0) {
        kin__sim_wake(sim, &sim->populate, 0);
        kin__sim_wake(sim, &sim->tick, 1 * KIN__SECOND);
    }
    return code;
}

int kin__simulator_new(kin__simulator **ret, const kin__simulator_options *o, kin_error *err)
{
    if (!o->sink || !o->clock)
        return kin__error_null(err, o->sink ? "clock" : "sink");
    if (o->nodes > KIN__SIMULATED_MAX || o->deployments > KIN__SIMULATED_MAX ||
        o->pods > KIN__SIMULATED_MAX || o->events > KIN__SIMULATED_MAX ||
        o->churn > KIN__SIMULATED_MAX)
        return kin_error_set(err, KIN_EINVAL, "a simulated cluster has at most %u of each",
                             KIN__SIMULATED_MAX);

    kin__simulator *sim = kin__calloc(1, sizeof(*sim));

    if (!sim)
        return kin__error_no_memory(err);
    sim->sink = o->sink;
    sim->random = o->seed;
    sim->want_nodes = o->nodes ? o->nodes : 10;
    sim->want_deployments = o->deployments ? o->deployments : 12;
    sim->want_pods = o->pods ? o->pods : 100;
    sim->left_pods = sim->want_pods;
    sim->max_told = o->events ? o->events : 5000;
    sim->churn = o->churn;
    kin__buf_init(&sim->text, 1u << 20);
    kin__timers_init(&sim->timers);
    kin__map_init(&sim->names, 0);
    int code = init(sim, o, err);
    if (code < 0) {
        kin__simulator_free(sim);
        return code;
    }
    *ret = sim;
    return 0;
}

void kin__simulator_free(kin__simulator *sim)
{
    if (!sim)
        return;
    while (sim->n_deployments > 0)
        kin__sim_deployment_free(sim, sim->deployments[sim->n_deployments - 1]);
    for (size_t i = 0; i < sim->n_nodes; i++)
        kin__sim_node_free(sim, sim->nodes[i]);
    for (size_t i = 0; i < sim->n_told; i++)
        kin_object_unref(sim->told[(sim->told_first + i) % sim->max_told].object);
    kin__sim_actor_done(sim, &sim->populate);
    kin__sim_actor_done(sim, &sim->tick);
    kin__free(sim->deployments);
    kin__free(sim->pods);
    kin__free(sim->nodes);
    kin__free(sim->told);
    kin__map_done(&sim->names);
    kin__timers_done(&sim->timers);
    kin__buf_done(&sim->text);
    kin_decoder_free(sim->decoder);
    kin__free(sim);
}

/* --- steps --- */

static void run_next(kin__simulator *sim, kin__timer *timer, int *failed, kin_error *err)
{
    struct sim_actor *actor = kin__container_of(timer, struct sim_actor, timer);
    kin_error said;

    if (timer->deadline > sim->now)
        sim->now = timer->deadline;
    (void)kin__timers_set(&sim->timers, timer,
                          INT64_MAX); /* there is room: it was just taken out */
    kin__error_begin(&said);
    /* One that succeeds may have been freed by itself. */
    int code = actor->run(sim, actor, &said);
    if (code == 0)
        return;
    sim->stats.failures++;
    kin__sim_wake_by(sim, actor, code == KIN_ENOMEM ? RETRY_NO_MEMORY : RETRY);
    if (*failed == 0)
        *failed = kin__error_pass(err, code, &said);
}

int kin__simulator_step(kin__simulator *sim, int64_t now, kin_error *err)
{
    int failed = 0;

    for (int i = 0; i < STEP_MAX; i++) {
        kin__timer *timer = kin__timers_pop(&sim->timers, now);

        if (!timer)
            break;
        run_next(sim, timer, &failed, err);
    }
    return failed;
}

int64_t kin__simulator_next(const kin__simulator *sim)
{
    return kin__timers_next(&sim->timers);
}

int kin__simulator_notice(kin__simulator *sim, enum kin__simulated kind, kin_str namespace_,
                          kin_str name, int64_t now, kin_error *err)
{
    struct sim_actor *actor = kin__sim_find(sim, kind, namespace_, name);

    /* As if it had been set for that time: what is done then must not seem earlier. */
    int64_t delay = now > sim->now ? now - sim->now : 0;
    if (actor && kind == KIN__SIMULATED_POD)
        kin__container_of(actor, struct sim_pod, actor)->look = true;
    if (actor && kind == KIN__SIMULATED_NODE)
        kin__container_of(actor, struct sim_node, actor)->look = true;
    if (actor) {
        kin__sim_wake_by(sim, actor, delay);
        return 0;
    }
    if (kind != KIN__SIMULATED_DEPLOYMENT)
        return 0;
    return kin__sim_deployment_adopt(sim, namespace_, name, delay, err);
}

struct polled {
    kin__simulator *sim;
    int64_t now;
    int code;
    kin_error *err;
};

/* Whether it is a state that the actor has made or seen. */
static bool is_known(const struct sim_actor *actor, uint64_t version)
{
    uint64_t known = 0;

    return actor->object &&
           kin__str_to_u64(&known, kin_object_resource_version(actor->object)) == 0 &&
           version <= known;
}

static void see_change(void *arg, enum kin__simulated kind, const kin_object *object,
                       uint64_t version)
{
    struct polled *p = arg;
    kin_str namespace_ = kin_object_namespace(object);
    kin_str name = kin_object_name(object);
    const struct sim_actor *actor = kin__sim_find(p->sim, kind, namespace_, name);

    if ((actor && is_known(actor, version)) || p->code < 0)
        return;
    p->code = kin__simulator_notice(p->sim, kind, namespace_, name, p->now, p->err);
}

int kin__simulator_poll(kin__simulator *sim, int64_t now, kin_error *err)
{
    struct polled p = {sim, now, 0, err};

    if (!sim->sink->sink_class->poll)
        return 0;
    int code = sim->sink->sink_class->poll(sim->sink, see_change, &p, err);
    if (code == KIN_EEXPIRED || p.code < 0)
        kin__sim_take_over_later(sim);
    return code == KIN_EEXPIRED ? 0 : code < 0 ? code : p.code;
}

void kin__simulator_get_stats(const kin__simulator *sim, kin__simulator_stats *ret)
{
    *ret = sim->stats;
    ret->nodes = 0;
    for (size_t i = 0; i < sim->n_nodes; i++)
        ret->nodes += sim->nodes[i]->state != SIM_NODE_NEW && sim->nodes[i]->state != SIM_NODE_GONE;
    ret->deployments = sim->n_deployments;
    ret->pods = sim->n_pods;
    ret->events = sim->n_told;
}
