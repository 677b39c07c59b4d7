/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReplicaSets: as many Pods as they should have, and a status that says how many there are.
 *
 * Changes of Pods are gathered for a moment, so that many of them make one status.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"

#define GATHER (40 * KIN__MILLISECOND)
#define PODS_AT_ONCE 50

static struct sim_set *set_of(struct sim_actor *actor)
{
    return kin__container_of(actor, struct sim_set, actor);
}

static sim_run_fn run_set;

int kin__sim_set_add(struct sim_set **ret, kin__simulator *sim, struct sim_deployment *d,
                     kin_error *err)
{
    char name[128];
    struct sim_set *set = kin__calloc(1, sizeof(*set));
    int code = KIN_EEXISTS;

    if (!set)
        return kin__error_no_memory(err);
    set->deployment = d;
    set->template_hash = d->template_hash;
    kin__list_init(&set->pods);
    /* Another name for each try, though the template is the same. */
    for (uint64_t i = 0; i < 8 && code == KIN_EEXISTS; i++) {
        kin__sim_suffix(set->hash, SIM_HASH_LEN, d->template_hash + (d->collisions + i) * 40503u);
        int len = snprintf(name, sizeof(name), "%" KIN_STR_FMT "-%s",
                           KIN_STR_ARG(kin__sim_name(&d->actor)), set->hash);

        code = kin__sim_actor_init(sim, &set->actor, KIN__SIMULATED_REPLICA_SET,
                                   kin__sim_namespace(&d->actor), kin_str_make(name, (size_t)len),
                                   run_set, err);
    }
    if (code < 0) {
        kin__free(set);
        return code;
    }
    kin__list_push_back(&d->sets, &set->link);
    sim->stats.sets++;
    kin__sim_after(sim, &set->actor, 0);
    *ret = set;
    return 0;
}

/* Oldest first. */
static void insert(struct sim_deployment *d, struct sim_set *set)
{
    kin__list *after = d->sets.prev;

    while (after != &d->sets &&
           kin__list_entry(after, struct sim_set, link)->revision > set->revision)
        after = after->prev;
    kin__list_push_front(after, &set->link);
}

int kin__sim_set_take(kin__simulator *sim, struct sim_deployment *d, const kin_object *object,
                      kin_error *err)
{
    struct sim_set *set = kin__calloc(1, sizeof(*set));
    kin_str name = kin_object_name(object);

    if (!set)
        return kin__error_no_memory(err);
    set->deployment = d;
    kin__list_init(&set->pods);
    /* Its name ends with it, if it is one of ours; else that of no other set of this Deployment. */
    (void)snprintf(set->hash, sizeof(set->hash), "%" KIN_STR_FMT,
                   KIN_STR_ARG(name.len > SIM_HASH_LEN
                                   ? kin_str_make(name.data + name.len - SIM_HASH_LEN, SIM_HASH_LEN)
                                   : name));
    set->revision = kin__sim_revision(object);
    set->desired = set->previous = kin__sim_int(object, "spec.replicas", 1);
    set->seen = kin__sim_int(object, "status.observedGeneration", 0);
    set->doomed = kin__sim_is_deleted(object);
    int code = kin__sim_hash_set_template(&set->template_hash, object, err);
    if (code == 0)
        code = kin__sim_actor_init(sim, &set->actor, KIN__SIMULATED_REPLICA_SET,
                                   kin_object_namespace(object), name, run_set, err);
    if (code < 0) {
        kin__free(set);
        return code;
    }
    set->actor.object = kin_object_ref(object);
    insert(d, set);
    sim->stats.sets++;
    kin__sim_set_changed(sim, set);
    return 0;
}

void kin__sim_set_free(kin__simulator *sim, struct sim_set *set)
{
    kin__list_for_each(&set->pods, link)
        kin__sim_pod_free(sim, kin__list_entry(link, struct sim_pod, link));
    kin__list_remove(&set->link);
    sim->stats.sets--;
    kin_object_unref(set->skeleton);
    kin__sim_actor_done(sim, &set->actor);
    kin__free(set);
}

void kin__sim_set_changed(kin__simulator *sim, struct sim_set *set)
{
    if (set->actor.due > sim->now + GATHER)
        kin__sim_after(sim, &set->actor, GATHER);
}

static bool is_active(const struct sim_pod *pod)
{
    return !pod->doomed && pod->state < SIM_POD_STOPPING;
}

struct sim_counts kin__sim_set_count(const kin__simulator *sim, const struct sim_set *set)
{
    struct sim_counts n = {0};

    (void)sim;
    kin__list_for_each(&set->pods, link) {
        const struct sim_pod *pod = kin__list_entry(link, struct sim_pod, link);

        n.replicas += pod->actor.object && pod->state < SIM_POD_STOPPING;
        n.ready += pod->state == SIM_POD_READY;
    }
    n.labeled = n.replicas;
    n.available = n.ready;
    n.generation = set->seen;
    return n;
}

/* --- Pods --- */

static int64_t count_active(const struct sim_set *set)
{
    int64_t n = 0;

    kin__list_for_each(&set->pods, link)
        n += is_active(kin__list_entry(link, struct sim_pod, link));
    return n;
}

static int add_pods(kin__simulator *sim, struct sim_set *set, int64_t missing, kin_error *err)
{
    int code = 0;

    if (!set->skeleton)
        code = kin__sim_make_skeleton(&set->skeleton, sim, set, err);
    for (int64_t i = 0; i < missing && i < PODS_AT_ONCE && code == 0; i++) {
        code = kin__sim_pod_add(sim, set, set->deployment->cold > 0, err);
        if (code == 0 && set->deployment->cold > 0)
            set->deployment->cold--;
    }
    if (code == 0 && missing > PODS_AT_ONCE)
        kin__sim_after(sim, &set->actor, KIN__MILLISECOND);
    return code;
}

/* How dear a Pod is: those that run least go first. */
static int worth(const struct sim_pod *pod)
{
    return pod->state < SIM_POD_BOUND ? 0 : pod->state == SIM_POD_READY ? 2 : 1;
}

/* The newest of those that are worth least. */
static void drop_pods(kin__simulator *sim, struct sim_set *set, int64_t surplus)
{
    for (int value = 0; value <= 2 && surplus > 0; value++) {
        for (kin__list *link = set->pods.prev, *prev; link != &set->pods && surplus > 0;
             link = prev) {
            struct sim_pod *pod = kin__list_entry(link, struct sim_pod, link);

            prev = link->prev;
            if (!is_active(pod) || worth(pod) != value)
                continue;
            pod->actor.tell |= pod->actor.object ? 1u << SIM_EVENT_POD_DELETED : 0;
            kin__sim_pod_doom(sim, pod);
            surplus--;
        }
    }
}

static int fit_pods(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    int64_t missing = kin__sim_int(set->actor.object, "spec.replicas", 1) - count_active(set);

    set->seen = kin_object_generation(set->actor.object);
    if (missing > 0) {
        int code = add_pods(sim, set, missing, err);

        if (code < 0 || missing > PODS_AT_ONCE)
            return code;
    } else {
        drop_pods(sim, set, -missing);
    }
    /* Whoever has scaled it meanwhile: that was the beginning. */
    set->deployment->warm -= set->deployment->cold;
    set->deployment->cold = 0;
    return 0;
}

/* --- the object --- */

static int put_status(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_set *set = arg;
    struct sim_counts n = kin__sim_set_count(sim, set);

    kin__buf_appendf(&sim->text, "{\"replicas\":%lld", (long long)n.replicas);
    if (n.labeled)
        kin__buf_appendf(&sim->text, ",\"fullyLabeledReplicas\":%lld", (long long)n.labeled);
    if (n.ready)
        kin__buf_appendf(&sim->text, ",\"readyReplicas\":%lld,\"availableReplicas\":%lld",
                         (long long)n.ready, (long long)n.available);
    kin__buf_appendf(&sim->text, ",\"observedGeneration\":%lld}", (long long)n.generation);
    return kin__sim_set_text(sim, ed, "status", err);
}

static int write_status(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    const kin_object *o = set->actor.object;
    struct sim_counts n = kin__sim_set_count(sim, set);

    if (kin__sim_int(o, "status.replicas", 0) == n.replicas &&
        kin__sim_int(o, "status.readyReplicas", 0) == n.ready &&
        kin__sim_int(o, "status.availableReplicas", 0) == n.available &&
        kin__sim_int(o, "status.observedGeneration", 0) == n.generation)
        return 0;
    int code = kin__sim_update(sim, KIN__SIMULATED_REPLICA_SET, SIM_STATUS, &set->actor.object,
                               put_status, set, err);
    if (code == 0)
        kin__sim_deployment_changed(sim, set->deployment);
    return code;
}

static int edit_spec(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_set *set = arg;
    char revision[24];

    (void)sim;
    (void)snprintf(revision, sizeof(revision), "%lld", (long long)set->revision);
    int code = kin_editor_set_int64(ed, kin_str_of("spec.replicas"), set->desired, err);
    return code < 0 ? code
                    : kin_editor_set_annotation(ed, kin_str_of("deployment.kubernetes.io/revision"),
                                                kin_str_of(revision), err);
}

static bool has_revision(const struct sim_set *set)
{
    char revision[24];
    kin_scratch scratch;
    kin_str value;

    (void)snprintf(revision, sizeof(revision), "%lld", (long long)set->revision);
    return kin_object_annotation(&value, set->actor.object,
                                 kin_str_of("deployment.kubernetes.io/revision"), &scratch) == 0 &&
           kin_str_equal(value, kin_str_of(revision));
}

static int write_spec(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    int64_t replicas = kin__sim_int(set->actor.object, "spec.replicas", 1);

    if (replicas == set->desired && has_revision(set))
        return 0;
    int code = kin__sim_update(sim, KIN__SIMULATED_REPLICA_SET, SIM_ALL, &set->actor.object,
                               edit_spec, set, err);
    if (code == 0 && replicas != set->desired) {
        set->previous = replicas;
        set->actor.tell |= 1u << SIM_EVENT_SCALED;
    }
    return code;
}

/*
 * There is one of that name. It is the set's own if somebody has gone back in time: then there may
 * be Pods as well that nobody knows. KIN_EEXISTS: it is somebody else's.
 */
static int find_own(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    const kin_object *object = NULL;
    int code = sim->sink->sink_class->get(sim->sink, KIN__SIMULATED_REPLICA_SET,
                                          kin__sim_namespace(&set->actor),
                                          kin__sim_name(&set->actor), &object, err);

    if (code < 0)
        return code == KIN_ENOTFOUND ? KIN_EBUSY : code;
    if (!kin__sim_is_owned(object, &set->deployment->actor)) {
        kin_object_unref(object);
        return KIN_EEXISTS;
    }
    set->actor.object = object;
    kin__sim_take_over_later(sim);
    return 0;
}

static int create(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin__sim_make_set(&object, sim, set, err);

    if (code == 0)
        code = kin__sim_create(sim, KIN__SIMULATED_REPLICA_SET, object, &set->actor.object, err);
    kin_object_unref(object);
    if (code == KIN_EEXISTS)
        code = find_own(sim, set, err);
    if (code == KIN_EEXISTS) {
        /* Somebody else's. The Deployment makes another one, of another name. */
        set->deployment->collisions++;
        set->gone = true;
        return 0;
    }
    if (code == 0 && set->desired > 0 && set->deployment->cold == 0) {
        set->previous = 0;
        set->actor.tell |= 1u << SIM_EVENT_SCALED;
    }
    return code;
}

/* --- the end --- */

/* It was deleted: so are its Pods, and when they are gone it is forgotten. */
static int disappear(kin__simulator *sim, struct sim_set *set)
{
    set->gone = true;
    set->doomed = true;
    set->actor.tell = 0;
    kin__sim_deployment_changed(sim, set->deployment);
    kin__list_for_each(&set->pods, link)
        kin__sim_pod_doom(sim, kin__list_entry(link, struct sim_pod, link));
    if (kin__list_is_empty(&set->pods))
        kin__sim_set_free(sim, set);
    else
        kin__sim_after(sim, &set->actor, INT64_MAX); /* each of them wakes it */
    return 0;
}

static int remove_set(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    int code = 0;

    if (set->actor.object)
        code = kin__sim_remove(sim, KIN__SIMULATED_REPLICA_SET, &set->actor.object, 0, err);
    return code < 0 ? code : disappear(sim, set);
}

static int keep(kin__simulator *sim, struct sim_set *set, kin_error *err)
{
    int code = 0;

    if (!set->actor.object)
        code = create(sim, set, err);
    else
        code = kin__sim_refresh(sim, KIN__SIMULATED_REPLICA_SET, &set->actor.object, err);
    if (code < 0 || set->gone)
        return code;
    kin__sim_after(sim, &set->actor, INT64_MAX);
    code = write_spec(sim, set, err);
    if (code == 0)
        code = fit_pods(sim, set, err);
    if (code == 0)
        code = write_status(sim, set, err);
    if (code == 0 && kin_object_generation(set->actor.object) != set->seen)
        kin__sim_set_changed(sim, set); /* somebody else was in between */
    if (code == 0 && set->desired == 0 && kin__list_is_empty(&set->pods))
        kin__sim_deployment_changed(sim, set->deployment); /* which may wait for that */
    return code < 0 ? code : kin__sim_tell_all(sim, &set->actor, err);
}

static int run_set(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    struct sim_set *set = set_of(actor);
    bool created = set->actor.object != NULL;

    if (set->gone)
        return disappear(sim, set);
    if (set->doomed)
        return remove_set(sim, set, err);
    int code = kin__sim_tell_all(sim, actor, err);
    if (code < 0)
        return code;
    code = keep(sim, set, err);
    if (code == KIN_ENOTFOUND && created) {
        sim->stats.lost++;
        return disappear(sim, set);
    }
    if (code < 0)
        set->actor.due = sim->now; /* what was not done is due again */
    else if (set->gone)
        return disappear(sim, set);
    return code;
}
