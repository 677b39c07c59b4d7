/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PodStatus as the kubelet and the scheduler write it: four or five conditions, addresses, and one
 * entry per container. Nearly all Pods run; those of Jobs may have succeeded. Only the first
 * container of a Pod restarts or fails its readiness probe.
 */
#include "pod.h"

static void put_condition(struct kin_bench__text *t, const char *type, bool status, uint64_t since,
                          const char *reason, const char *message)
{
    put_json(t, "{'type':'");
    put_str(t, type);
    put_json(t, status ? "','status':'True','lastProbeTime':null,'lastTransitionTime':"
                       : "','status':'False','lastProbeTime':null,'lastTransitionTime':");
    kin_bench__text_put_time(t, since);
    if (reason) {
        put_json(t, ",'reason':'");
        put_str(t, reason);
        put_json(t, "'");
    }
    if (message) {
        put_json(t, ",'message':'");
        put_str(t, message);
        put_json(t, "'");
    }
    put_json(t, "}");
}

static void put_conditions(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const char *reason = NULL;
    const char *message = NULL;
    bool ready = !p->succeeded && !p->unready;
    char buffer[128];

    if (p->succeeded) {
        reason = "PodCompleted";
    } else if (p->unready) {
        struct kin_bench__text m;

        kin_bench__text_init(&m, buffer, sizeof(buffer) - 1);
        put_str(&m, "containers with unready status: [");
        put_str(&m, p->workload->containers[0].name);
        put_str(&m, "]");
        buffer[m.len] = '\0';
        reason = "ContainersNotReady";
        message = buffer;
    }
    put_json(t, "'conditions':[");
    if (p->sandbox_condition) {
        put_condition(t, "PodReadyToStartContainers", !p->succeeded, p->created + 2, NULL, NULL);
        put_json(t, ",");
    }
    put_condition(t, "Initialized", true, p->initialized, p->succeeded ? reason : NULL, NULL);
    put_json(t, ",");
    put_condition(t, "Ready", ready, p->ready, reason, message);
    put_json(t, ",");
    put_condition(t, "ContainersReady", ready, p->ready, reason, message);
    put_json(t, ",");
    put_condition(t, "PodScheduled", true, p->created, NULL, NULL);
    put_json(t, "]");
}

static void put_container_id(struct kin_bench__text *t, const struct kin_bench__pod *p,
                             unsigned slot, unsigned incarnation)
{
    put_json(t, "'containerd://");
    kin_bench__text_put_digest(
        t, kin_bench__hash3(p->id, KIN_BENCH__DOMAIN_CONTAINER_ID, incarnation * 8 + slot));
    put_json(t, "'");
}

static void put_terminated(struct kin_bench__text *t, const struct kin_bench__pod *p, unsigned slot,
                           unsigned incarnation, bool completed, uint64_t from, uint64_t to)
{
    put_json(t, completed ? "{'terminated':{'exitCode':0,'reason':'Completed','startedAt':"
                          : "{'terminated':{'exitCode':137,'reason':'OOMKilled','startedAt':");
    kin_bench__text_put_time(t, from);
    put_json(t, ",'finishedAt':");
    kin_bench__text_put_time(t, to);
    put_json(t, ",'containerID':");
    put_container_id(t, p, slot, incarnation);
    put_json(t, "}}");
}

/* slot numbers the containers of the Pod, the init container last. */
static void put_container_status(struct kin_bench__text *t, const struct kin_bench__pod *p,
                                 const struct kin_bench__container *c, unsigned slot, bool init)
{
    unsigned restarts = slot == 0 ? p->restarts : 0;
    bool done = init || p->succeeded;
    bool ready = init || !(done || (p->unready && slot == 0));

    put_json(t, "{'name':'");
    put_str(t, c->name);
    put_json(t, "','state':");
    if (done) {
        put_terminated(t, p, slot, restarts, true, p->created + 3,
                       init ? p->initialized : p->finished);
    } else {
        put_json(t, "{'running':{'startedAt':");
        kin_bench__text_put_time(t, restarts ? p->restarted : p->initialized + 1);
        put_json(t, "}}");
    }
    put_json(t, ",'lastState':");
    if (restarts)
        put_terminated(t, p, slot, restarts - 1, false, p->initialized + 1, p->restarted - 1);
    else
        put_json(t, "{}");
    put_json(t, ready ? ",'ready':true,'restartCount':" : ",'ready':false,'restartCount':");
    put_u64(t, restarts);
    put_json(t, ",'image':'");
    put_str(t, c->image);
    put_json(t, "','imageID':'");
    put_str(t, c->image_id);
    put_json(t, "','containerID':");
    put_container_id(t, p, slot, restarts);
    put_json(t, done ? ",'started':false}" : ",'started':true}");
}

void kin_bench__pod_put_status(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const struct kin_bench__workload *w = p->workload;

    put_json(t, p->succeeded ? "{'phase':'Succeeded'," : "{'phase':'Running',");
    put_conditions(t, p);
    put_json(t, ",'hostIP':'");
    put_str(t, p->host_ip);
    put_json(t, "','hostIPs':[{'ip':'");
    put_str(t, p->host_ip);
    put_json(t, "'}],'podIP':'");
    put_str(t, p->pod_ip);
    put_json(t, "','podIPs':[{'ip':'");
    put_str(t, p->pod_ip);
    put_json(t, "'}],'startTime':");
    kin_bench__text_put_time(t, p->created);
    if (w->has_init) {
        put_json(t, ",'initContainerStatuses':[");
        put_container_status(t, p, &w->init, KIN_BENCH__CONTAINERS_MAX, true);
        put_json(t, "]");
    }
    put_json(t, ",'containerStatuses':[");
    for (unsigned i = 0; i < w->containers_len; i++) {
        if (i)
            put_json(t, ",");
        put_container_status(t, p, &w->containers[i], i, false);
    }
    put_json(t, w->guaranteed ? "],'qosClass':'Guaranteed'}" : "],'qosClass':'Burstable'}");
}
