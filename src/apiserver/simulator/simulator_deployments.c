/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deployments: which ReplicaSets there are, and what is said of it.
 *
 * The object in the sink decides: each time it is read first, so a Deployment that somebody else
 * scales, changes or deletes is treated as one of ours. How a roll-out goes is in
 * simulator_rollout.c.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <limits.h>
#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"

#define GATHER (30 * KIN__MILLISECOND)
#define NAME_MAX_LEN 63 /* of one that is adopted: names of Pods are made of it */
#define HISTORY 10      /* sets without Pods that are kept, unless it says how many */

static struct sim_deployment *deployment_of(struct sim_actor *actor)
{
    return kin__container_of(actor, struct sim_deployment, actor);
}

static sim_run_fn run_deployment;

static int add(struct sim_deployment **ret, kin__simulator *sim, kin_str namespace_, kin_str name,
               kin_error *err)
{
    struct sim_deployment **all = kin__grow_array(sim->deployments, &sim->cap_deployments,
                                                  sim->n_deployments + 1, sizeof(*all));

    if (!all)
        return kin__error_no_memory(err);
    sim->deployments = all;
    struct sim_deployment *d = kin__calloc(1, sizeof(*d));
    if (!d)
        return kin__error_no_memory(err);
    kin__list_init(&d->sets);
    d->scale_to = -1;
    d->words = UINT_MAX;
    d->hashed_generation = -1;
    int code = kin__sim_actor_init(sim, &d->actor, KIN__SIMULATED_DEPLOYMENT, namespace_, name,
                                   run_deployment, err);
    if (code < 0) {
        kin__free(d);
        return code;
    }
    d->index = sim->n_deployments;
    sim->deployments[sim->n_deployments++] = d;
    *ret = d;
    return 0;
}

/* It was there, and was taken over: one of ours, or of somebody who was quicker. */
static void recognize(kin__simulator *sim, unsigned words, int64_t replicas)
{
    char name[64];

    kin__sim_deployment_name(name, sizeof(name), words);
    struct sim_actor *actor =
        kin__sim_find(sim, KIN__SIMULATED_DEPLOYMENT,
                      kin_str_of(kin__sim_deployment_namespace(words)), kin_str_of(name));
    if (!actor || !actor->object || !kin__sim_restore_release(deployment_of(actor)))
        return;
    deployment_of(actor)->words = words;
    deployment_of(actor)->replicas = replicas;
}

int kin__sim_deployment_add(kin__simulator *sim, unsigned words, int64_t replicas, kin_error *err)
{
    char name[64];
    struct sim_deployment *d = NULL;

    kin__sim_deployment_name(name, sizeof(name), words);
    int code =
        add(&d, sim, kin_str_of(kin__sim_deployment_namespace(words)), kin_str_of(name), err);
    if (code == KIN_EEXISTS) {
        recognize(sim, words, replicas);
        return 0;
    }
    if (code < 0)
        return code;
    d->words = words;
    d->replicas = d->cold = d->warm = replicas;
    kin__sim_after(sim, &d->actor, 0);
    return 0;
}

int kin__sim_deployment_adopt(kin__simulator *sim, kin_str namespace_, kin_str name, int64_t delay,
                              kin_error *err)
{
    struct sim_deployment *d = NULL;

    if (name.len > NAME_MAX_LEN)
        return 0;
    int code = add(&d, sim, namespace_, name, err);
    if (code == 0)
        kin__sim_after(sim, &d->actor, delay);
    return code;
}

int kin__sim_deployment_take(kin__simulator *sim, const kin_object *object, kin_error *err)
{
    struct sim_deployment *d = NULL;

    if (kin_object_name(object).len > NAME_MAX_LEN)
        return 0;
    int code = add(&d, sim, kin_object_namespace(object), kin_object_name(object), err);
    if (code < 0)
        return code;
    d->actor.object = kin_object_ref(object);
    d->revision = kin__sim_revision(object);
    kin__sim_after(sim, &d->actor, 0);
    return 0;
}

void kin__sim_deployment_free(kin__simulator *sim, struct sim_deployment *d)
{
    kin__list_for_each(&d->sets, link)
        kin__sim_set_free(sim, kin__list_entry(link, struct sim_set, link));
    sim->ahead -= d->ahead;
    struct sim_deployment *last = sim->deployments[--sim->n_deployments];
    sim->deployments[d->index] = last;
    last->index = d->index;
    kin__sim_actor_done(sim, &d->actor);
    kin__free(d);
}

void kin__sim_deployment_changed(kin__simulator *sim, struct sim_deployment *d)
{
    kin__sim_wake_by(sim, &d->actor, GATHER);
}

/* --- the object --- */

static int get(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    return sim->sink->sink_class->get(sim->sink, KIN__SIMULATED_DEPLOYMENT,
                                      kin__sim_namespace(&d->actor), kin__sim_name(&d->actor),
                                      &d->actor.object, err);
}

static int read_object(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    if (d->actor.object)
        return kin__sim_refresh(sim, KIN__SIMULATED_DEPLOYMENT, &d->actor.object, err);
    if (d->words == UINT_MAX)
        return get(sim, d, err);
    kin__sim_put_deployment(sim, d);
    int code = kin__sim_create_text(sim, KIN__SIMULATED_DEPLOYMENT, &d->actor.object, err);
    return code == KIN_EEXISTS ? get(sim, d, err) : code;
}

static int edit_release(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    kin__sim_put(sim, "\"");
    kin__sim_put_image(sim, arg);
    kin__sim_put(sim, "\"");
    return kin__sim_set_text(sim, ed, "spec.template.spec.containers[0].image", err);
}

static int edit_scale(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_deployment *d = arg;

    (void)sim;
    return kin_editor_set_int64(ed, kin_str_of("spec.replicas"), d->scale_to, err);
}

/* What the churn wants of it: as a user would do it, with kubectl. */
static int be_user(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    int code = 0;

    if (d->roll) {
        d->release++;
        code = kin__sim_update(sim, KIN__SIMULATED_DEPLOYMENT, SIM_ALL, &d->actor.object,
                               edit_release, d, err);
        if (code < 0)
            d->release--;
        else
            d->roll = false;
    }
    if (code == 0 && d->scale_to >= 0) {
        code = kin__sim_update(sim, KIN__SIMULATED_DEPLOYMENT, SIM_ALL, &d->actor.object,
                               edit_scale, d, err);
        if (code == 0)
            d->scale_to = -1;
    }
    return code;
}

/* Which template it has, without looking at it again if nothing has changed. */
static int hash_template(struct sim_deployment *d, kin_error *err)
{
    int64_t generation = kin_object_generation(d->actor.object);

    if (generation == d->hashed_generation && generation > 0)
        return 0;
    int code = kin__sim_hash_template(&d->template_hash, d->actor.object, err);
    if (code == 0)
        d->hashed_generation = generation;
    return code;
}

static int edit_revision(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_deployment *d = arg;
    char revision[24];

    (void)sim;
    (void)snprintf(revision, sizeof(revision), "%lld", (long long)d->revision);
    return kin_editor_set_annotation(ed, kin_str_of("deployment.kubernetes.io/revision"),
                                     kin_str_of(revision), err);
}

static int write_revision(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    char revision[24];
    kin_scratch scratch;
    kin_str value;

    (void)snprintf(revision, sizeof(revision), "%lld", (long long)d->revision);
    if (kin_object_annotation(&value, d->actor.object,
                              kin_str_of("deployment.kubernetes.io/revision"), &scratch) == 0 &&
        kin_str_equal(value, kin_str_of(revision)))
        return 0;
    return kin__sim_update(sim, KIN__SIMULATED_DEPLOYMENT, SIM_ALL, &d->actor.object, edit_revision,
                           d, err);
}

/* --- sets --- */

static struct sim_set *find_set(struct sim_deployment *d)
{
    kin__list_for_each(&d->sets, link) {
        struct sim_set *set = kin__list_entry(link, struct sim_set, link);

        if (set->template_hash == d->template_hash && !set->doomed && !set->gone)
            return set;
    }
    return NULL;
}

/* The set of the present template: made if there is none, the newest again if there is one. */
static int find_newest(struct sim_set **ret, kin__simulator *sim, struct sim_deployment *d,
                       kin_error *err)
{
    struct sim_set *set = find_set(d);
    int code = set ? 0 : kin__sim_set_add(&set, sim, d, err);

    if (code < 0)
        return code;
    if (set->revision == 0 || set->revision < d->revision) {
        set->revision = ++d->revision;
        kin__list_remove(&set->link);
        kin__list_push_back(&d->sets, &set->link);
        kin__sim_set_changed(sim, set);
    }
    *ret = set;
    return 0;
}

/* Sets that have nothing left, but for some to go back to. */
static void forget_sets(kin__simulator *sim, struct sim_deployment *d, const struct sim_set *newest)
{
    int64_t keep = kin__sim_int(d->actor.object, "spec.revisionHistoryLimit", HISTORY);
    int64_t n = 0;

    kin__list_for_each(&d->sets, link)
        n++;
    kin__list_for_each(&d->sets, link) {
        struct sim_set *set = kin__list_entry(link, struct sim_set, link);

        if (n <= keep + 1 || set == newest || set->doomed)
            continue;
        n--;
        if (set->desired > 0 || !kin__list_is_empty(&set->pods))
            continue;
        set->doomed = true;
        kin__sim_after(sim, &set->actor, 0);
    }
}

/* --- the end --- */

/* All that was its own is gone. If somebody has made another one of that name, go on with it. */
static int begin_again(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    kin_object_unref(d->actor.object);
    d->actor.object = NULL;
    int code = get(sim, d, err);
    if (code == KIN_ENOTFOUND) {
        kin__sim_deployment_free(sim, d);
        return 0;
    }
    if (code < 0)
        return code;
    sim->ahead -= d->ahead;
    d->ahead = d->revision = d->cold = d->warm = 0;
    d->available_since = d->progressed = 0;
    d->hashed_generation = d->scale_to = -1;
    d->words = UINT_MAX;
    d->roll = d->gone = false;
    kin__sim_wake(sim, &d->actor, 0);
    return 0;
}

static int disappear(kin__simulator *sim, struct sim_deployment *d, bool is_gone, kin_error *err)
{
    kin__list_for_each(&d->sets, link) {
        struct sim_set *set = kin__list_entry(link, struct sim_set, link);

        if (!set->doomed) {
            set->doomed = true;
            kin__sim_after(sim, &set->actor, 0);
        }
    }
    d->gone |= is_gone;
    if (d->gone && kin__list_is_empty(&d->sets))
        return begin_again(sim, d, err);
    return 0;
}

static int keep(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    struct sim_set *newest = NULL;
    int code = be_user(sim, d, err);

    if (code == 0)
        code = hash_template(d, err);
    if (code == 0)
        code = find_newest(&newest, sim, d, err);
    if (code < 0)
        return code;
    kin__sim_roll_out(sim, d, newest);
    code = write_revision(sim, d, err);
    if (code == 0)
        code = kin__sim_deployment_write_status(sim, d, err);
    if (code < 0)
        return code;
    forget_sets(sim, d, newest);
    if (kin_object_generation(d->actor.object) != d->hashed_generation)
        kin__sim_deployment_changed(sim, d); /* somebody else was in between */
    return 0;
}

static int run_deployment(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    struct sim_deployment *d = deployment_of(actor);
    bool known = d->actor.object || d->words == UINT_MAX;

    if (d->gone)
        return disappear(sim, d, true, err);
    int code = read_object(sim, d, err);
    if (code == 0 && kin__sim_is_deleted(d->actor.object))
        return disappear(sim, d, false, err);
    if (code == 0) {
        known = true;
        code = keep(sim, d, err);
    }
    if (code == KIN_ENOTFOUND && known) {
        sim->stats.lost++;
        return disappear(sim, d, true, err);
    }
    return code;
}
