/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a Deployment goes from one ReplicaSet to the next, and what it says of itself meanwhile.
 *
 * As the real controller's rolling update: never more Pods than spec.replicas and maxSurge, never
 * fewer available ones than spec.replicas less maxUnavailable. Left out: scaling in proportion in
 * the middle of a roll-out, and progressDeadlineSeconds.
 */
#include "apiserver/simulator/simulator_inside.h"

#include "base/compiler.h"
#include "base/str.h"
#include "kinform/metadata.h"

#define AHEAD_REPLACED 24 /* writes for each Pod that is replaced */

/* "25%", or a number, of `of`. */
static int64_t amount(const kin_object *object, const char *path, int64_t of, bool round_up)
{
    kin_value value = kin_object_find(object, path);
    kin_scratch scratch;
    kin_str text;
    int64_t n = 25;

    if (kin_value_int64(&n, value) == 0)
        return n < 0 ? 0 : n;
    if (kin_value_string(&text, value, &scratch) == 0 && kin__str_ends_with(text, kin_str_of("%")))
        (void)kin__str_to_i64(&n, kin_str_make(text.data, text.len - 1));
    if (n < 0 || n > 1000)
        n = 25;
    return (of * n + (round_up ? 99 : 0)) / 100;
}

struct plan {
    int64_t replicas;
    int64_t surge, unavailable;
    bool recreate; /* the old ones go before new ones come */
};

static struct plan read_plan(const kin_object *object)
{
    struct plan p = {0};
    kin_scratch scratch;
    kin_str type;

    p.replicas = kin__sim_int(object, "spec.replicas", 1);
    if (p.replicas < 0)
        p.replicas = 0;
    p.recreate =
        kin_value_string(&type, kin_object_find(object, "spec.strategy.type"), &scratch) == 0 &&
        kin_str_equal(type, kin_str_of("Recreate"));
    p.surge = amount(object, "spec.strategy.rollingUpdate.maxSurge", p.replicas, true);
    p.unavailable = amount(object, "spec.strategy.rollingUpdate.maxUnavailable", p.replicas, false);
    if (p.recreate) {
        p.surge = 0;
        p.unavailable = p.replicas;
    } else if (p.surge == 0 && p.unavailable == 0) {
        p.unavailable = 1;
    }
    return p;
}

static int64_t at_most(int64_t n, int64_t limit)
{
    return n < limit ? n : limit;
}

static void scale(kin__simulator *sim, struct sim_set *set, int64_t desired)
{
    if (set->desired == desired)
        return;
    set->desired = desired;
    kin__sim_set_changed(sim, set);
}

/* Up to `n` replicas of the old sets fewer; only those that are of no use if `idle`. */
static int64_t shrink_old(kin__simulator *sim, struct sim_deployment *d,
                          const struct sim_set *newest, int64_t n, bool idle)
{
    int64_t done = 0;

    kin__list_for_each(&d->sets, link) {
        struct sim_set *set = kin__list_entry(link, struct sim_set, link);
        int64_t surplus = set->desired;

        if (set == newest || set->doomed || done >= n)
            continue;
        if (idle)
            surplus -= kin__sim_set_count(sim, set).available;
        surplus = at_most(surplus, n - done);
        if (surplus > 0) {
            scale(sim, set, set->desired - surplus);
            done += surplus;
        }
    }
    return done;
}

struct totals {
    int64_t desired, available, old_desired, old_pods;
};

static struct totals sum(const kin__simulator *sim, const struct sim_deployment *d,
                         const struct sim_set *newest)
{
    struct totals t = {0};

    kin__list_for_each(&d->sets, link) {
        const struct sim_set *set = kin__list_entry(link, struct sim_set, link);

        if (set->doomed)
            continue;
        t.desired += set->desired;
        t.available += kin__sim_set_count(sim, set).available;
        if (set != newest) {
            t.old_desired += set->desired;
            t.old_pods += !kin__list_is_empty(&set->pods);
        }
    }
    return t;
}

static void grow_newest(kin__simulator *sim, struct sim_set *newest, const struct plan *p,
                        const struct totals *t)
{
    int64_t room = p->replicas + p->surge - t->desired;

    if (newest->desired > p->replicas || t->old_desired == 0)
        scale(sim, newest, p->recreate && t->old_pods > 0 ? 0 : p->replicas);
    else if (room > 0 && !(p->recreate && t->old_pods > 0))
        scale(sim, newest, newest->desired + at_most(room, p->replicas - newest->desired));
}

void kin__sim_roll_out(kin__simulator *sim, struct sim_deployment *d, struct sim_set *newest)
{
    struct plan p = read_plan(d->actor.object);
    bool paused = false;

    (void)kin_value_bool(&paused, kin_object_find(d->actor.object, "spec.paused"));
    if (paused && newest->revision > 1 && newest->desired == 0)
        return;
    struct totals t = sum(sim, d, newest);
    grow_newest(sim, newest, &p, &t);
    t = sum(sim, d, newest);
    if (t.old_desired > 0 && !paused) {
        int64_t minimum = p.replicas - p.unavailable;
        int64_t missing = newest->desired - kin__sim_set_count(sim, newest).available;
        int64_t room = t.desired - minimum - missing;

        if (room > 0)
            room -= shrink_old(sim, d, newest, room, true);
        room = at_most(room, t.available - minimum);
        if (room > 0)
            (void)shrink_old(sim, d, newest, room, false);
        t = sum(sim, d, newest);
    }
    int64_t ahead = t.old_desired * AHEAD_REPLACED;
    sim->ahead += ahead - d->ahead;
    d->ahead = ahead;
}

/* --- the status --- */

struct status {
    struct sim_counts n;
    int64_t unavailable;
    bool available, complete;
};

static struct status make_status(const kin__simulator *sim, const struct sim_deployment *d)
{
    struct plan p = read_plan(d->actor.object);
    struct status s = {{0}, 0, false, false};

    kin__list_for_each(&d->sets, link) {
        const struct sim_set *set = kin__list_entry(link, struct sim_set, link);

        if (set->doomed)
            continue;
        struct sim_counts n = kin__sim_set_count(sim, set);
        s.n.replicas += n.replicas;
        s.n.ready += n.ready;
        s.n.available += n.available;
        if (set->template_hash == d->template_hash)
            s.n.updated += n.replicas;
    }
    s.n.generation = d->hashed_generation;
    s.unavailable = p.replicas > s.n.available ? p.replicas - s.n.available : 0;
    s.available = s.n.available >= p.replicas - p.unavailable;
    s.complete =
        s.n.updated == p.replicas && s.n.replicas == p.replicas && s.n.available >= p.replicas;
    return s;
}

static bool has_text(const kin_object *object, const char *path, const char *text)
{
    kin_scratch scratch;
    kin_str value;

    return kin_value_string(&value, kin_object_find(object, path), &scratch) == 0 &&
           kin_str_equal(value, kin_str_of(text));
}

static const char *progress(const struct status *s)
{
    return s->complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated";
}

static bool is_shown(const kin_object *o, const struct status *s)
{
    return kin__sim_int(o, "status.observedGeneration", 0) == s->n.generation &&
           kin__sim_int(o, "status.replicas", 0) == s->n.replicas &&
           kin__sim_int(o, "status.updatedReplicas", 0) == s->n.updated &&
           kin__sim_int(o, "status.readyReplicas", 0) == s->n.ready &&
           kin__sim_int(o, "status.availableReplicas", 0) == s->n.available &&
           kin__sim_int(o, "status.unavailableReplicas", 0) == s->unavailable &&
           has_text(o, "status.conditions[0].status", s->available ? "True" : "False") &&
           has_text(o, "status.conditions[1].reason", progress(s));
}

static void put_count(kin__simulator *sim, const char *name, int64_t n)
{
    if (n > 0)
        kin__buf_appendf(&sim->text, ",\"%s\":%lld", name, (long long)n);
}

static void put_condition(kin__simulator *sim, const char *type, const char *status,
                          const char *reason, const char *message, int64_t since)
{
    kin__buf_appendf(&sim->text, "{\"type\":\"%s\",\"status\":\"%s\",\"lastUpdateTime\":", type,
                     status);
    kin__sim_put_time(sim, sim->now);
    kin__sim_put(sim, ",\"lastTransitionTime\":");
    kin__sim_put_time(sim, since);
    kin__buf_appendf(&sim->text, ",\"reason\":\"%s\",\"message\":\"%s\"}", reason, message);
}

static int edit_status(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    struct sim_deployment *d = arg;
    struct status s = make_status(sim, d);
    bool was = has_text(d->actor.object, "status.conditions[0].status", "True");

    if (d->available_since == 0 || was != s.available)
        d->available_since = sim->now;
    if (d->progressed == 0)
        d->progressed = sim->now;
    kin__buf_appendf(&sim->text, "{\"observedGeneration\":%lld", (long long)s.n.generation);
    put_count(sim, "replicas", s.n.replicas);
    put_count(sim, "updatedReplicas", s.n.updated);
    put_count(sim, "readyReplicas", s.n.ready);
    put_count(sim, "availableReplicas", s.n.available);
    put_count(sim, "unavailableReplicas", s.unavailable);
    kin__sim_put(sim, ",\"conditions\":[");
    put_condition(sim, "Available", s.available ? "True" : "False",
                  s.available ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                  s.available ? "Deployment has minimum availability."
                              : "Deployment does not have minimum availability.",
                  d->available_since);
    kin__sim_put(sim, ",");
    put_condition(sim, "Progressing", "True", progress(&s),
                  s.complete ? "ReplicaSet has successfully progressed."
                             : "ReplicaSet is progressing.",
                  d->progressed);
    kin__sim_put(sim, "]}");
    return kin__sim_set_text(sim, ed, "status", err);
}

int kin__sim_deployment_write_status(kin__simulator *sim, struct sim_deployment *d, kin_error *err)
{
    struct status s = make_status(sim, d);

    if (is_shown(d->actor.object, &s))
        return 0;
    return kin__sim_update(sim, KIN__SIMULATED_DEPLOYMENT, SIM_STATUS, &d->actor.object,
                           edit_status, d, err);
}
