/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What makes things happen: users who roll out and scale, containers that crash, probes that fail,
 * nodes that fall silent; as often as it takes for the wanted number of writes per second.
 *
 * Most of what is begun here goes on for some seconds by itself. So what counts is how many writes
 * were due, less those that were made, less those that will follow from what was begun
 * (sim->ahead, an estimate). If all Pods are busy, kubelets send more heartbeats than they have to.
 *
 * Every Pod and Deployment is looked at from time to time as well, since others may change them.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <limits.h>

#include "base/compiler.h"

#define TICK (50 * KIN__MILLISECOND)
#define TICKS_PER_SECOND (KIN__SECOND / TICK)
#define AUDIT_TICKS (30 * TICKS_PER_SECOND)
#define STIMULI_MAX 2000 /* in one tick */
#define TRIES 6

static struct sim_pod *choose_pod(kin__simulator *sim)
{
    for (int i = 0; i < TRIES && sim->n_pods > 0; i++) {
        struct sim_pod *pod = sim->pods[kin__sim_below(sim, sim->n_pods)];

        /* What others have made is left alone. */
        if (pod->state == SIM_POD_READY && !pod->doomed && !pod->crash && !pod->flap &&
            pod->set->deployment->words != UINT_MAX)
            return pod;
    }
    return NULL;
}

static struct sim_deployment *choose_deployment(kin__simulator *sim)
{
    for (int i = 0; i < TRIES && sim->n_deployments > 0; i++) {
        struct sim_deployment *d = sim->deployments[kin__sim_below(sim, sim->n_deployments)];

        if (d->words != UINT_MAX && d->actor.object && !d->gone && !d->roll && d->ahead == 0 &&
            d->cold == 0 && d->scale_to < 0)
            return d;
    }
    return NULL;
}

static bool replace_pod(kin__simulator *sim)
{
    struct sim_pod *pod = choose_pod(sim);

    if (pod)
        kin__sim_pod_doom(sim, pod);
    return pod != NULL;
}

static bool crash_pod(kin__simulator *sim)
{
    struct sim_pod *pod = choose_pod(sim);
    /* Most are well again after one time. */
    unsigned times = kin__sim_below(sim, 4) ? 1 : 2 + (unsigned)kin__sim_below(sim, 3);

    return pod && kin__sim_pod_crash(sim, pod, times);
}

static bool flap_pod(kin__simulator *sim)
{
    struct sim_pod *pod = choose_pod(sim);

    return pod && kin__sim_pod_flap(sim, pod);
}

static bool roll_out(kin__simulator *sim)
{
    struct sim_deployment *d = choose_deployment(sim);

    if (!d)
        return false;
    d->roll = true;
    /* Until the first step of it is made and counted. */
    int64_t ahead = 24 * kin__sim_int(d->actor.object, "spec.replicas", 1);
    sim->ahead += ahead - d->ahead;
    d->ahead = ahead;
    kin__sim_wake_by(sim, &d->actor, 0);
    return true;
}

/* Up and down around what it began with; one that somebody else has scaled is left alone. */
static bool scale(kin__simulator *sim)
{
    struct sim_deployment *d = choose_deployment(sim);

    if (!d || d->replicas < 2)
        return false;
    int64_t least = d->replicas - d->replicas / 3, most = d->replicas + (d->replicas + 2) / 3;
    int64_t now = kin__sim_int(d->actor.object, "spec.replicas", 1);
    if (now < least || now > most)
        return false;
    int64_t wanted = least + (int64_t)kin__sim_below(sim, (uint64_t)(most - least + 1));
    if (wanted == now)
        return false;
    d->scale_to = wanted;
    kin__sim_wake_by(sim, &d->actor, 0);
    return true;
}

static struct sim_node *choose_node(kin__simulator *sim)
{
    struct sim_node *node = sim->n_nodes > 0 ? sim->nodes[kin__sim_below(sim, sim->n_nodes)] : NULL;

    return node && node->state == SIM_NODE_UP && !node->fail ? node : NULL;
}

/* Seldom, and never so many that the others would not do. */
static bool fail_node(kin__simulator *sim)
{
    struct sim_node *node = choose_node(sim);

    if (!node || sim->now < sim->next_failure || sim->n_nodes < 3 ||
        sim->down >= 1 + sim->n_nodes / 20)
        return false;
    sim->next_failure = sim->now + kin__sim_delay(sim, 20000, 20000);
    sim->down++;
    node->fail = true;
    return true;
}

static bool refresh_node(kin__simulator *sim)
{
    struct sim_node *node = choose_node(sim);

    if (!node || node->refresh)
        return false;
    node->refresh = true;
    sim->ahead_now++;
    kin__sim_wake_by(sim, &node->actor, 0);
    return true;
}

static bool renew_lease(kin__simulator *sim)
{
    struct sim_node *node = choose_node(sim);

    if (!node || node->renew >= 100)
        return false;
    node->renew++;
    sim->ahead_now++;
    kin__sim_wake_by(sim, &node->actor, 0);
    return true;
}

static const struct {
    unsigned weight;
    bool (*begin)(kin__simulator *sim);
} stimuli[] = {{30, replace_pod}, {15, crash_pod}, {25, flap_pod},    {2, roll_out},
               {5, scale},        {1, fail_node},  {8, refresh_node}, {14, renew_lease}};
#define WEIGHTS 100

static void stimulate(kin__simulator *sim)
{
    uint64_t chance = kin__sim_below(sim, WEIGHTS);
    size_t i = 0;

    while (chance >= stimuli[i].weight)
        chance -= stimuli[i++].weight;
    if (!stimuli[i].begin(sim))
        (void)renew_lease(sim);
}

static void make_churn(kin__simulator *sim)
{
    /* What was begun takes its time. What could not be begun for longer is not made up for. */
    double most = 60.0 * sim->churn, least = -10.0 * sim->churn;

    sim->owed += (double)sim->churn / TICKS_PER_SECOND - (double)(sim->stats.writes - sim->counted);
    sim->counted = sim->stats.writes;
    sim->owed = sim->owed > most ? most : sim->owed < least ? least : sim->owed;
    sim->ahead_now = 0;
    for (int i = 0; i < STIMULI_MAX && sim->churn > 0; i++) {
        if (sim->owed - (double)(sim->ahead + sim->ahead_now) < 1)
            break;
        stimulate(sim);
    }
}

static void audit(kin__simulator *sim)
{
    size_t pods = (sim->n_pods + AUDIT_TICKS - 1) / AUDIT_TICKS;
    size_t deployments = (sim->n_deployments + AUDIT_TICKS - 1) / AUDIT_TICKS;

    for (size_t i = 0; i < pods; i++) {
        struct sim_pod *pod = sim->pods[sim->audited_pod++ % sim->n_pods];

        pod->look = true;
        kin__sim_wake_by(sim, &pod->actor, 0);
    }
    for (size_t i = 0; i < deployments; i++) {
        struct sim_deployment *d = sim->deployments[sim->audited_deployment++ % sim->n_deployments];

        kin__sim_wake_by(sim, &d->actor, 0);
        kin__list_for_each(&d->sets, link)
            kin__sim_set_changed(sim, kin__list_entry(link, struct sim_set, link));
    }
}

int kin__sim_tick(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    if (!sim->ticked)
        sim->counted = sim->stats.writes; /* what there is in the beginning is no churn */
    sim->ticked = true;
    make_churn(sim);
    audit(sim);
    kin__sim_wake(sim, actor, TICK);
    return kin__sim_forget_events(sim, err);
}

void kin__simulator_skip(kin__simulator *sim, int64_t now)
{
    if (sim->tick.timer.deadline < now)
        (void)kin__timers_set(&sim->timers, &sim->tick.timer, now);
    sim->owed = 0;
    sim->counted = sim->stats.writes;
}

void kin__simulator_set_churn(kin__simulator *sim, unsigned churn)
{
    sim->churn = churn;
    sim->owed = 0;
}
