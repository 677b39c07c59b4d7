/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events: what the recorders of scheduler, controllers and kubelets would tell.
 *
 * They are told after the write that they are about. Like real recorders, it is no failure if one
 * cannot be written; only when there is no memory it is told later. The oldest go after an hour, or
 * when there are too many.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "kinform/metadata.h"

#define LIFETIME (3600 * KIN__SECOND)
#define FORGET_AT_ONCE 100

enum about { ABOUT_ITSELF, ABOUT_SET, ABOUT_DEPLOYMENT };

static const struct {
    const char *reason;
    const char *component;
    enum about about;
    bool warning;
    bool from_node; /* the kubelet's: names its host */
} table[SIM_EVENTS] = {
    [SIM_EVENT_POD_CREATED] = {"SuccessfulCreate", "replicaset-controller", ABOUT_SET, false,
                               false},
    [SIM_EVENT_SCHEDULED] = {"Scheduled", "default-scheduler", ABOUT_ITSELF, false, false},
    [SIM_EVENT_UNSCHEDULABLE] = {"FailedScheduling", "default-scheduler", ABOUT_ITSELF, true,
                                 false},
    [SIM_EVENT_PULLING] = {"Pulling", "kubelet", ABOUT_ITSELF, false, true},
    [SIM_EVENT_PULLED] = {"Pulled", "kubelet", ABOUT_ITSELF, false, true},
    [SIM_EVENT_CONTAINER_CREATED] = {"Created", "kubelet", ABOUT_ITSELF, false, true},
    [SIM_EVENT_STARTED] = {"Started", "kubelet", ABOUT_ITSELF, false, true},
    [SIM_EVENT_UNHEALTHY] = {"Unhealthy", "kubelet", ABOUT_ITSELF, true, true},
    [SIM_EVENT_BACKOFF] = {"BackOff", "kubelet", ABOUT_ITSELF, true, true},
    [SIM_EVENT_EVICTED] = {"TaintManagerEviction", "taint-eviction-controller", ABOUT_ITSELF, false,
                           false},
    [SIM_EVENT_KILLING] = {"Killing", "kubelet", ABOUT_ITSELF, false, true},
    [SIM_EVENT_POD_DELETED] = {"SuccessfulDelete", "replicaset-controller", ABOUT_SET, false,
                               false},
    [SIM_EVENT_SCALED] = {"ScalingReplicaSet", "deployment-controller", ABOUT_DEPLOYMENT, false,
                          false},
    [SIM_EVENT_NODE_READY] = {"NodeReady", "kubelet", ABOUT_ITSELF, false, false},
    [SIM_EVENT_NODE_NOT_READY] = {"NodeNotReady", "node-controller", ABOUT_ITSELF, false, false},
    [SIM_EVENT_REGISTERED] = {"RegisteredNode", "node-controller", ABOUT_ITSELF, false, false},
};

static const struct sim_pod *pod_of(const struct sim_actor *actor)
{
    return kin__container_of(kin__unconst(actor), struct sim_pod, actor);
}

static const struct sim_set *set_of(const struct sim_actor *actor)
{
    return kin__container_of(kin__unconst(actor), struct sim_set, actor);
}

static const struct sim_actor *subject(enum sim_event event, const struct sim_actor *actor)
{
    switch (table[event].about) {
    case ABOUT_SET:
        return &pod_of(actor)->set->actor;
    case ABOUT_DEPLOYMENT:
        return &set_of(actor)->deployment->actor;
    default:
        return actor;
    }
}

static kin_str get_string(const kin_object *object, const char *path, kin_scratch *scratch)
{
    kin_str text = {"", 0};

    (void)kin_value_string(&text, kin_object_find(object, path), scratch);
    return text;
}

static void put_container_message(kin__simulator *sim, enum sim_event event,
                                  const struct sim_pod *pod)
{
    kin_scratch name_scratch, image_scratch;
    kin_str name = get_string(pod->actor.object, "spec.containers[0].name", &name_scratch);
    kin_str image = get_string(pod->actor.object, "spec.containers[0].image", &image_scratch);

    switch (event) {
    case SIM_EVENT_PULLING:
        kin__sim_put(sim, "Pulling image \\\"");
        kin__sim_put_escaped(sim, image);
        kin__sim_put(sim, "\\\"");
        break;
    case SIM_EVENT_PULLED:
        kin__sim_put(sim, "Successfully pulled image \\\"");
        kin__sim_put_escaped(sim, image);
        kin__buf_appendf(&sim->text,
                         "\\\" in %lldms (including waiting). Image size: 41234567 bytes.",
                         (long long)((pod->started - pod->bound) / KIN__MILLISECOND));
        break;
    case SIM_EVENT_CONTAINER_CREATED:
    case SIM_EVENT_STARTED:
        kin__sim_put(sim,
                     event == SIM_EVENT_STARTED ? "Container started: " : "Container created: ");
        kin__sim_put_escaped(sim, name);
        break;
    case SIM_EVENT_KILLING:
        kin__sim_put(sim, "Stopping container ");
        kin__sim_put_escaped(sim, name);
        break;
    default:
        kin__sim_put(sim, "Back-off restarting failed container ");
        kin__sim_put_escaped(sim, name);
        kin__sim_put(sim, " in pod ");
        kin__sim_put_str(sim, kin__sim_name(&pod->actor));
        break;
    }
}

static void put_set_message(kin__simulator *sim, const struct sim_set *set)
{
    kin__buf_appendf(&sim->text, "Scaled %s replica set %" KIN_STR_FMT " from %lld to %lld",
                     set->desired > set->previous ? "up" : "down",
                     KIN_STR_ARG(kin__sim_name(&set->actor)), (long long)set->previous,
                     (long long)set->desired);
}

static void put_message(kin__simulator *sim, enum sim_event event, const struct sim_actor *actor)
{
    kin_str name = kin__sim_name(actor);

    switch (event) {
    case SIM_EVENT_POD_CREATED:
        kin__buf_appendf(&sim->text, "Created pod: %" KIN_STR_FMT, KIN_STR_ARG(name));
        break;
    case SIM_EVENT_POD_DELETED:
        kin__buf_appendf(&sim->text, "Deleted pod: %" KIN_STR_FMT, KIN_STR_ARG(name));
        break;
    case SIM_EVENT_SCHEDULED:
        kin__buf_appendf(&sim->text,
                         "Successfully assigned %" KIN_STR_FMT "/%" KIN_STR_FMT " to %" KIN_STR_FMT,
                         KIN_STR_ARG(kin__sim_namespace(actor)), KIN_STR_ARG(name),
                         KIN_STR_ARG(kin__sim_name(&pod_of(actor)->node->actor)));
        break;
    case SIM_EVENT_UNSCHEDULABLE:
        kin__buf_appendf(&sim->text, "0/%zu nodes are available.", sim->n_nodes);
        break;
    case SIM_EVENT_UNHEALTHY:
        kin__sim_put(sim, "Readiness probe failed: HTTP probe failed with statuscode: 503");
        break;
    case SIM_EVENT_EVICTED:
        kin__buf_appendf(&sim->text, "Marking for deletion Pod %" KIN_STR_FMT "/%" KIN_STR_FMT,
                         KIN_STR_ARG(kin__sim_namespace(actor)), KIN_STR_ARG(name));
        break;
    case SIM_EVENT_SCALED:
        put_set_message(sim, set_of(actor));
        break;
    case SIM_EVENT_NODE_READY:
    case SIM_EVENT_NODE_NOT_READY:
    case SIM_EVENT_REGISTERED:
        kin__buf_appendf(&sim->text, "Node %" KIN_STR_FMT " %s", KIN_STR_ARG(name),
                         event == SIM_EVENT_REGISTERED ? "event: Registered Node in Controller"
                                                       : "status is now:");
        if (event != SIM_EVENT_REGISTERED)
            kin__buf_appendf(&sim->text, " %s", table[event].reason);
        break;
    default:
        put_container_message(sim, event, pod_of(actor));
        break;
    }
}

static void put_subject(kin__simulator *sim, const struct sim_actor *actor, kin_str container)
{
    const kin__simulated_kind *kind = &kin__simulated_kinds[actor->kind];
    kin_scratch scratch;

    kin__buf_appendf(&sim->text, "\"involvedObject\":{\"kind\":\"%s\",", kind->kind);
    if (kind->namespaced) {
        kin__sim_put(sim, "\"namespace\":\"");
        kin__sim_put_str(sim, kin__sim_namespace(actor));
        kin__sim_put(sim, "\",");
    }
    kin__buf_appendf(&sim->text,
                     "\"name\":\"%" KIN_STR_FMT "\",\"uid\":\"%" KIN_STR_FMT
                     "\",\"apiVersion\":\"%s%s%s\",\"resourceVersion\":\"%" KIN_STR_FMT "\"",
                     KIN_STR_ARG(kin__sim_name(actor)),
                     KIN_STR_ARG(kin_object_uid(actor->object, &scratch)), kind->group,
                     kind->group[0] ? "/" : "", kind->version,
                     KIN_STR_ARG(kin_object_resource_version(actor->object)));
    if (container.len > 0) {
        kin__sim_put(sim, ",\"fieldPath\":\"spec.containers{");
        kin__sim_put_escaped(sim, container);
        kin__sim_put(sim, "}\"");
    }
    kin__sim_put(sim, "},");
}

static void put_event(kin__simulator *sim, enum sim_event event, const struct sim_actor *actor)
{
    const struct sim_actor *about = subject(event, actor);
    kin_str namespace_ = kin__sim_namespace(about);
    kin_scratch scratch;
    kin_str container = {"", 0};
    kin_str host = {"", 0};

    if (table[event].from_node) {
        container = get_string(actor->object, "spec.containers[0].name", &scratch);
        if (pod_of(actor)->node)
            host = kin__sim_name(&pod_of(actor)->node->actor);
    }
    kin__buf_appendf(
        &sim->text,
        "{\"apiVersion\":\"v1\",\"kind\":\"Event\",\"metadata\":{\"name\":\"%" KIN_STR_FMT
        ".%016" PRIx64 "\",\"namespace\":\"%" KIN_STR_FMT "\"},",
        KIN_STR_ARG(kin__sim_name(about)), kin__sim_random(sim),
        KIN_STR_ARG(namespace_.len ? namespace_ : kin_str_of("default")));
    put_subject(sim, about, container);
    kin__buf_appendf(&sim->text, "\"reason\":\"%s\",\"message\":\"", table[event].reason);
    put_message(sim, event, actor);
    kin__buf_appendf(&sim->text, "\",\"source\":{\"component\":\"%s\"", table[event].component);
    if (host.len > 0)
        kin__buf_appendf(&sim->text, ",\"host\":\"%" KIN_STR_FMT "\"", KIN_STR_ARG(host));
    kin__sim_put(sim, "},\"firstTimestamp\":");
    kin__sim_put_time(sim, sim->now);
    kin__sim_put(sim, ",\"lastTimestamp\":");
    kin__sim_put_time(sim, sim->now);
    kin__buf_appendf(&sim->text,
                     ",\"count\":1,\"type\":\"%s\",\"eventTime\":null,"
                     "\"reportingComponent\":\"%s\",\"reportingInstance\":\"%" KIN_STR_FMT "\"}",
                     table[event].warning ? "Warning" : "Normal", table[event].component,
                     KIN_STR_ARG(host));
}

/* --- those that are kept --- */

static int forget_oldest(kin__simulator *sim, kin_error *err)
{
    struct sim_told *oldest = &sim->told[sim->told_first];
    int code = kin__sim_remove(sim, KIN__SIMULATED_EVENT, &oldest->object, 0, err);

    if (code < 0)
        return code;
    kin_object_unref(oldest->object);
    oldest->object = NULL;
    sim->told_first = (sim->told_first + 1) % sim->max_told;
    sim->n_told--;
    return 0;
}

/* When it was told last. */
static int64_t told_at(const kin__simulator *sim, const kin_object *event)
{
    int64_t made = kin__sim_time_at(sim, event, "metadata.creationTimestamp", sim->now);

    return kin__sim_time_at(sim, event, "lastTimestamp", made);
}

static int compare_told(const void *a, const void *b)
{
    const struct sim_told *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

/* Those of others as well: a real server, too, forgets all after a while. */
int kin__sim_take_events(kin__simulator *sim, const kin_object_list *events, kin_error *err)
{
    struct sim_told *all = kin__calloc(events->len + 1, sizeof(*all));
    size_t n = events->len, first = 0;
    int code = 0;

    if (!all)
        return kin__error_no_memory(err);
    for (size_t i = 0; i < n; i++)
        all[i] = (struct sim_told){told_at(sim, events->items[i]), events->items[i]};
    qsort(all, n, sizeof(*all), compare_told);
    for (; n - first > sim->max_told - sim->n_told && code == 0; first++) {
        const kin_object *surplus = kin_object_ref(all[first].object);

        code = kin__sim_remove(sim, KIN__SIMULATED_EVENT, &surplus, 0, err);
        kin_object_unref(surplus);
    }
    /* In front of those that were told meanwhile. */
    for (size_t i = n; i > first && code == 0; i--) {
        sim->told_first = (sim->told_first + sim->max_told - 1) % sim->max_told;
        sim->told[sim->told_first] = all[i - 1];
        kin_object_ref(all[i - 1].object);
        sim->n_told++;
    }
    kin__free(all);
    return code;
}

int kin__sim_forget_events(kin__simulator *sim, kin_error *err)
{
    for (int i = 0; i < FORGET_AT_ONCE && sim->n_told > 0; i++) {
        if (sim->told[sim->told_first].at > sim->now - LIFETIME)
            break;
        int code = forget_oldest(sim, err);
        if (code < 0)
            return code;
    }
    return 0;
}

/* --- telling --- */

static int edit_again(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_pod *pod = arg;
    int code = kin_editor_set_int64(ed, kin_str_of("count"),
                                    kin__sim_int(pod->back_off, "count", 1) + 1, err);

    return code < 0 ? code
                    : kin_editor_set_time(ed, kin_str_of("lastTimestamp"),
                                          kin__sim_time(sim, sim->now), 0, err);
}

/* Recorders count what happens again and again. */
static int tell_again(kin__simulator *sim, struct sim_pod *pod, kin_error *err)
{
    int code =
        kin__sim_update(sim, KIN__SIMULATED_EVENT, SIM_ALL, &pod->back_off, edit_again, pod, err);

    if (code == KIN_ENOTFOUND) {
        kin_object_unref(pod->back_off);
        pod->back_off = NULL;
    }
    return code;
}

int kin__sim_tell(kin__simulator *sim, enum sim_event event, struct sim_actor *actor,
                  kin_error *err)
{
    struct sim_pod *pod =
        event == SIM_EVENT_BACKOFF ? kin__container_of(actor, struct sim_pod, actor) : NULL;
    const kin_object *object = NULL;
    int code = 0;

    if (pod && pod->back_off) {
        code = tell_again(sim, pod, err);
        if (code != KIN_ENOTFOUND)
            return code;
    }
    if (!subject(event, actor)->object)
        return 0;
    if (sim->n_told == sim->max_told) {
        code = forget_oldest(sim, err);
        if (code < 0)
            return code;
    }
    put_event(sim, event, actor);
    code = kin__sim_create_text(sim, KIN__SIMULATED_EVENT, &object, err);
    if (code < 0)
        return code;
    sim->told[(sim->told_first + sim->n_told++) % sim->max_told] =
        (struct sim_told){sim->now, object};
    if (pod)
        pod->back_off = kin_object_ref(object);
    return 0;
}

int kin__sim_tell_all(kin__simulator *sim, struct sim_actor *actor, kin_error *err)
{
    for (unsigned i = 0; i < SIM_EVENTS && actor->tell; i++) {
        if (!(actor->tell & 1u << i))
            continue;
        int code = kin__sim_tell(sim, (enum sim_event)i, actor, err);
        if (code == KIN_ENOMEM)
            return code;
        actor->tell &= ~(1u << i);
    }
    return 0;
}
