/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What there is already, when the simulator begins: it was restarted over a storage, or somebody has
 * made Deployments before. What an object says of itself is all that is known of it.
 *
 * Deployments come first, then their ReplicaSets, then the Pods of these: each finds its owner among
 * the actors. What has no owner there is nobody's business here. A container that was about to crash
 * does not know it any more and goes on; a Pod whose node is not one of ours has to go.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "kinform/metadata.h"
#include "kinform/time.h"

static kin_str text_at(const kin_object *object, const char *path, kin_scratch *scratch)
{
    kin_str text = {"", 0};

    (void)kin_value_string(&text, kin_object_find(object, path), scratch);
    return text;
}

int64_t kin__sim_time_at(const kin__simulator *sim, const kin_object *object, const char *path,
                         int64_t absent)
{
    kin_scratch scratch;
    kin_time t;

    if (kin_time_parse(&t, text_at(object, path, &scratch), NULL) < 0)
        return absent;
    return t.seconds * KIN__SECOND + t.nanoseconds - sim->wall;
}

int64_t kin__sim_revision(const kin_object *object)
{
    kin_scratch scratch;
    kin_str text;
    uint64_t number = 0;

    if (kin_object_annotation(&text, object, kin_str_of("deployment.kubernetes.io/revision"),
                              &scratch) < 0 ||
        kin__str_to_u64(&number, text) < 0 || number > INT64_MAX / 2)
        return 0;
    return (int64_t)number;
}

bool kin__sim_is_owned(const kin_object *object, const struct sim_actor *owner)
{
    kin_owner_reference reference;
    kin_scratch scratch;

    return owner->object && kin_object_controller(&reference, object) == 0 &&
           kin_str_equal(reference.uid, kin_object_uid(owner->object, &scratch));
}

/* --- templates --- */

int kin__sim_hash_template(uint64_t *ret, const kin_object *object, kin_error *err)
{
    char *text = NULL;
    size_t len = 0;
    int code = kin_value_to_json(&text, &len, kin_object_find(object, "spec.template"),
                                 KIN_JSON_COMPACT, err);

    if (code < 0)
        return code;
    *ret = kin__hash(0, text, len);
    kin_free(text);
    return 0;
}

/* As it was in the Deployment: without the label that the set has added. */
int kin__sim_hash_set_template(uint64_t *ret, const kin_object *set, kin_error *err)
{
    const kin_object *plain = NULL;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, set, err);

    if (code == 0) {
        code = kin_editor_remove(ed, kin_str_of("spec.template.metadata.labels.pod-template-hash"),
                                 err);
        code = code == KIN_ENOTFOUND ? 0 : code;
    }
    if (code == 0)
        code = kin_editor_finish(ed, &plain, err);
    kin_editor_free(ed);
    if (code < 0)
        return code;
    code = kin__sim_hash_template(ret, plain, err);
    kin_object_unref(plain);
    return code;
}

/* --- Deployments --- */

/* "…:1.4.2" is release 42. */
bool kin__sim_restore_release(struct sim_deployment *d)
{
    kin_scratch scratch;
    kin_str image = text_at(d->actor.object, "spec.template.spec.containers[0].image", &scratch);
    size_t colon = kin__str_find(image, ':');
    kin_str tag = {"", 0};
    uint64_t tens = 0, ones = 0;

    if (!kin__str_starts_with(image, kin_str_of("registry.example/")) || colon >= image.len)
        return false;
    tag = kin_str_make(image.data + colon + 1, image.len - colon - 1);
    if (!kin__str_starts_with(tag, kin_str_of("1.")))
        return false;
    tag = kin_str_make(tag.data + 2, tag.len - 2);
    size_t dot = kin__str_find(tag, '.');
    if (dot >= tag.len || kin__str_to_u64(&tens, kin_str_make(tag.data, dot)) < 0 ||
        kin__str_to_u64(&ones, kin_str_make(tag.data + dot + 1, tag.len - dot - 1)) < 0 ||
        tens > 1000000 || ones > 9)
        return false;
    d->release = (unsigned)(tens * 10 + ones);
    return true;
}

/* --- Pods --- */

/* The condition that says whether it is ready; KIN_NONE: none. */
static kin_value find_ready(const kin_object *pod)
{
    kin_iter it;
    kin_scratch scratch;
    kin_str type;

    kin_iter_init(&it, kin_object_find(pod, "status.conditions"));
    while (kin_iter_next(&it)) {
        if (kin_value_string(&type, kin_value_get(it.value, kin_str_of("type")), &scratch) == 0 &&
            kin_str_equal(type, kin_str_of("Ready")))
            return it.value;
    }
    return kin_object_find(pod, "status.none");
}

static void restore_times(const kin__simulator *sim, struct sim_pod *pod, kin_value ready)
{
    static const char running[] = "status.containerStatuses[0].state.running.startedAt";
    static const char last[] = "status.containerStatuses[0].lastState.terminated";
    const kin_object *o = pod->actor.object;
    char path[96];
    kin_scratch scratch;
    kin_str text = {"", 0};
    kin_time t;

    pod->bound = kin__sim_time_at(sim, o, "status.startTime", sim->now);
    pod->started = kin__sim_time_at(sim, o, running, pod->bound);
    pod->restarted = pod->started;
    pod->crashed = pod->started;
    pod->restarts = (unsigned)kin__sim_int(o, "status.containerStatuses[0].restartCount", 0);
    if (pod->restarts > 0) {
        (void)snprintf(path, sizeof(path), "%s.startedAt", last);
        pod->started = kin__sim_time_at(sim, o, path, pod->bound);
        (void)snprintf(path, sizeof(path), "%s.finishedAt", last);
        pod->crashed = kin__sim_time_at(sim, o, path, pod->started);
    }
    pod->changed = pod->started;
    if (kin_value_string(&text, kin_value_get(ready, kin_str_of("lastTransitionTime")), &scratch) ==
            0 &&
        kin_time_parse(&t, text, NULL) == 0)
        pod->changed = t.seconds * KIN__SECOND - sim->wall;
}

/* The last number of its IP address, or another one of its node's. */
static void restore_address(struct sim_pod *pod)
{
    kin_scratch scratch;
    kin_str ip = text_at(pod->actor.object, "status.podIP", &scratch);
    size_t at = ip.len;
    uint64_t number = 0;

    while (at > 0 && ip.data[at - 1] != '.')
        at--;
    if (at == 0 || kin__str_to_u64(&number, kin_str_make(ip.data + at, ip.len - at)) < 0 ||
        number < 2 || number > 251)
        number = pod->node->addresses % 250 + 2;
    pod->address = (uint8_t)(number - 2);
    if (pod->node->addresses <= pod->address)
        pod->node->addresses = pod->address + 1u;
}

static struct sim_node *find_node(kin__simulator *sim, kin_str name)
{
    struct sim_actor *actor = kin__sim_find(sim, KIN__SIMULATED_NODE, kin_str_of(""), name);

    return actor ? kin__container_of(actor, struct sim_node, actor) : NULL;
}

int64_t kin__sim_restore_pod(kin__simulator *sim, struct sim_pod *pod)
{
    const kin_object *o = pod->actor.object;
    kin_scratch scratch;
    kin_str node = text_at(o, "spec.nodeName", &scratch);
    kin_value ready = find_ready(o);
    kin_scratch ready_scratch;
    kin_str is_ready = {"", 0};

    (void)kin_value_string(&is_ready, kin_value_get(ready, kin_str_of("status")), &ready_scratch);
    restore_times(sim, pod, ready);
    pod->node = node.len > 0 ? find_node(sim, node) : NULL;
    if (pod->node)
        restore_address(pod);
    if (kin__sim_is_deleted(o)) {
        pod->state = SIM_POD_STOPPING;
        pod->forced = node.len > 0 && !pod->node;
        return kin__sim_delay(sim, 500, 2000);
    }
    if (!pod->node) {
        pod->state = node.len > 0 ? SIM_POD_BOUND : SIM_POD_PENDING;
        pod->doomed = pod->forced = node.len > 0;
        return kin__sim_delay(sim, 5, 40);
    }
    if (!kin_str_equal(text_at(o, "status.phase", &scratch), kin_str_of("Running"))) {
        pod->state = SIM_POD_BOUND;
        return kin__sim_delay(sim, 10, 50);
    }
    if (kin_str_equal(is_ready, kin_str_of("True"))) {
        pod->state = SIM_POD_READY;
        return INT64_MAX;
    }
    pod->state = SIM_POD_RUNNING;
    return kin__sim_delay(sim, 1000, 3000);
}

/* --- all --- */

typedef int take_fn(kin__simulator *sim, const kin_object *object, kin_error *err);

static struct sim_actor *find_owner(kin__simulator *sim, enum kin__simulated kind,
                                    const kin_object *object)
{
    kin_owner_reference reference;

    if (kin_object_controller(&reference, object) < 0)
        return NULL;
    struct sim_actor *owner =
        kin__sim_find(sim, kind, kin_object_namespace(object), reference.name);
    return owner && kin__sim_is_owned(object, owner) ? owner : NULL;
}

static int take_set(kin__simulator *sim, const kin_object *object, kin_error *err)
{
    struct sim_actor *owner = find_owner(sim, KIN__SIMULATED_DEPLOYMENT, object);

    if (!owner)
        return 0;
    return kin__sim_set_take(sim, kin__container_of(owner, struct sim_deployment, actor), object,
                             err);
}

static int take_pod(kin__simulator *sim, const kin_object *object, kin_error *err)
{
    struct sim_actor *owner = find_owner(sim, KIN__SIMULATED_REPLICA_SET, object);

    if (!owner)
        return 0;
    return kin__sim_pod_take(sim, kin__container_of(owner, struct sim_set, actor), object, err);
}

static int take_all(kin__simulator *sim, enum kin__simulated kind, take_fn *take, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = sim->sink->sink_class->list(sim->sink, kind, &list, err);

    if (code < 0)
        return code;
    for (size_t i = 0; i < list.len && code == 0; i++) {
        code = take(sim, list.items[i], err);
        if (code == KIN_EEXISTS)
            code = 0; /* it is known */
    }
    kin_object_list_done(&list);
    return code;
}

int kin__sim_take_over_events(kin__simulator *sim, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = sim->sink->sink_class->list(sim->sink, KIN__SIMULATED_EVENT, &list, err);

    if (code == 0)
        code = kin__sim_take_events(sim, &list, err);
    kin_object_list_done(&list);
    return code;
}

/* A node that nobody speaks for would be there without heartbeats, as if it were down. */
int kin__sim_take_over_nodes(kin__simulator *sim, kin_error *err)
{
    unsigned n = sim->want_nodes;
    int code = 0;

    while (code == 0 && n < KIN__SIMULATED_MAX) {
        const kin_object *object = NULL;
        char name[32];

        (void)snprintf(name, sizeof(name), "node-%04u", n + 1);
        code = sim->sink->sink_class->get(sim->sink, KIN__SIMULATED_NODE, kin_str_of(""),
                                          kin_str_of(name), &object, err);
        n += code == 0;
        kin_object_unref(object);
    }
    if (code < 0 && code != KIN_ENOTFOUND)
        return code;
    if (n == sim->want_nodes)
        return 0;
    struct sim_node **nodes = kin__calloc(n, sizeof(*nodes)); /* there are none in it yet */
    if (!nodes)
        return kin__error_no_memory(err);
    kin__free(sim->nodes);
    sim->nodes = nodes;
    sim->want_nodes = n;
    return 0;
}

static void look_at_all(kin__simulator *sim)
{
    for (size_t i = 0; i < sim->n_nodes; i++) {
        sim->nodes[i]->look = true;
        kin__sim_wake_by(sim, &sim->nodes[i]->actor, 0);
    }
    for (size_t i = 0; i < sim->n_pods; i++) {
        sim->pods[i]->look = true;
        kin__sim_wake_by(sim, &sim->pods[i]->actor, 0);
    }
    for (size_t i = 0; i < sim->n_deployments; i++) {
        kin__sim_wake_by(sim, &sim->deployments[i]->actor, 0);
        kin__list_for_each(&sim->deployments[i]->sets, link)
            kin__sim_set_changed(sim, kin__list_entry(link, struct sim_set, link));
    }
}

int kin__sim_take_over(kin__simulator *sim, kin_error *err)
{
    int code = take_all(sim, KIN__SIMULATED_DEPLOYMENT, kin__sim_deployment_take, err);

    if (code == 0)
        code = take_all(sim, KIN__SIMULATED_REPLICA_SET, take_set, err);
    if (code == 0)
        code = take_all(sim, KIN__SIMULATED_POD, take_pod, err);
    if (code == 0 && sim->missed) {
        look_at_all(sim);
        sim->missed = false;
    }
    return code;
}

void kin__sim_take_over_later(kin__simulator *sim)
{
    sim->taken_over = false;
    sim->missed = true;
    kin__sim_wake(sim, &sim->populate, 0);
}
