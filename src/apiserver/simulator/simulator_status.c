/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What kubelets say of their Pods and of themselves.
 *
 * The status is set as a whole, from what the actor knows: there is one text for each state, and it
 * cannot get out of step with it. It is a fifth of a Pod; the rest of the object is not touched.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/str.h"
#include "kinform/metadata.h"

void kin__sim_pod_ip(char *ret, const struct sim_pod *pod)
{
    unsigned n = pod->node ? pod->node->number : 0;

    (void)snprintf(ret, SIM_IP_SIZE, "10.%u.%u.%u", (n >> 8) & 255u, n & 255u, pod->address + 2u);
}

void kin__sim_node_ip(char *ret, const struct sim_node *node)
{
    (void)snprintf(ret, SIM_IP_SIZE, "172.16.%u.%u", (node->number >> 8) & 255u,
                   node->number & 255u);
}

/* --- Pods --- */

/* 64 hexadecimal digits that follow from a number. */
static void put_digest(kin__simulator *sim, uint64_t number)
{
    static const char digits[] = "0123456789abcdef";
    char text[64];

    for (unsigned i = 0; i < sizeof(text); i++) {
        if (i % 16 == 0)
            number = (number + i + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (number >> 29);
        text[i] = digits[(number >> (i % 16 * 4)) & 15];
    }
    kin__sim_put_str(sim, kin_str_make(text, sizeof(text)));
}

static void put_container_id(kin__simulator *sim, const struct sim_pod *pod, size_t i,
                             unsigned restarts)
{
    kin_scratch scratch;
    kin_str uid = kin_object_uid(pod->actor.object, &scratch);

    /* From what the object says: whoever takes the Pod over goes on with the same. */
    kin__sim_put(sim, "\"containerd://");
    put_digest(sim, kin__hash(0, uid.data, uid.len) + i * 1000003u + (uint64_t)restarts * 97u);
    kin__sim_put(sim, "\"");
}

static void put_terminated(kin__simulator *sim, const struct sim_pod *pod, size_t i,
                           unsigned restarts, bool crashed, int64_t started, int64_t finished)
{
    kin__sim_put(sim, crashed
                          ? "{\"terminated\":{\"exitCode\":1,\"reason\":\"Error\",\"startedAt\":"
                          : "{\"terminated\":{\"exitCode\":0,\"reason\":\"Completed\","
                            "\"startedAt\":");
    kin__sim_put_time(sim, started);
    kin__sim_put(sim, ",\"finishedAt\":");
    kin__sim_put_time(sim, finished);
    kin__sim_put(sim, ",\"containerID\":");
    put_container_id(sim, pod, i, restarts);
    kin__sim_put(sim, "}}");
}

static void put_back_off(kin__simulator *sim, const struct sim_pod *pod, kin_str name)
{
    kin_scratch scratch;

    kin__sim_put(sim, "{\"waiting\":{\"reason\":\"CrashLoopBackOff\",\"message\":\"back-off ");
    kin__sim_put_int(sim, kin__sim_back_off_s(pod));
    kin__sim_put(sim, "s restarting failed container=");
    kin__sim_put_escaped(sim, name);
    kin__sim_put(sim, " pod=");
    kin__sim_put_str(sim, kin__sim_name(&pod->actor));
    kin__sim_put(sim, "_");
    kin__sim_put_str(sim, kin__sim_namespace(&pod->actor));
    kin__sim_put(sim, "(");
    kin__sim_put_str(sim, kin_object_uid(pod->actor.object, &scratch));
    kin__sim_put(sim, ")\"}}");
}

static void put_container_state(kin__simulator *sim, const struct sim_pod *pod, size_t i,
                                kin_str name)
{
    int64_t started = i == 0 && pod->restarts > 0 ? pod->restarted : pod->started;
    unsigned restarts = i == 0 ? pod->restarts : 0;

    if (pod->state <= SIM_POD_CREATING) {
        kin__sim_put(sim, "{\"waiting\":{\"reason\":\"ContainerCreating\"}}");
    } else if (pod->state == SIM_POD_STOPPED) {
        put_terminated(sim, pod, i, restarts, false, started, sim->now);
    } else if (i == 0 && pod->state == SIM_POD_CRASHED) {
        put_terminated(sim, pod, i, restarts, true, started, pod->changed);
    } else if (i == 0 && pod->state == SIM_POD_BACKOFF) {
        put_back_off(sim, pod, name);
    } else {
        kin__sim_put(sim, "{\"running\":{\"startedAt\":");
        kin__sim_put_time(sim, started);
        kin__sim_put(sim, "}}");
    }
}

static bool is_container_ready(const struct sim_pod *pod, size_t i)
{
    switch (pod->state) {
    case SIM_POD_READY:
    case SIM_POD_LOST:
        return true;
    case SIM_POD_UNREADY:
    case SIM_POD_CRASHED:
    case SIM_POD_BACKOFF:
        return i > 0;
    default:
        return false;
    }
}

static void put_image_id(kin__simulator *sim, kin_str image)
{
    size_t tag = image.len;

    while (tag > 0 && image.data[tag - 1] != ':' && image.data[tag - 1] != '/')
        tag--;
    kin_str repository = image;
    if (tag > 0 && image.data[tag - 1] == ':')
        repository.len = tag - 1;
    kin__sim_put(sim, "\"");
    kin__sim_put_escaped(sim, repository);
    kin__sim_put(sim, "@sha256:");
    put_digest(sim, kin__hash(0, image.data, image.len));
    kin__sim_put(sim, "\"");
}

/* lastState to the end; its image was pulled if it has ever run. */
static void put_container_rest(kin__simulator *sim, const struct sim_pod *pod, size_t i,
                               kin_str image)
{
    bool ran = pod->state > SIM_POD_CREATING;
    bool waits = i == 0 && pod->state == SIM_POD_BACKOFF;
    unsigned restarts = i == 0 ? pod->restarts : 0;

    kin__sim_put(sim, ",\"lastState\":");
    if (i == 0 && (pod->restarts > 0 || waits))
        put_terminated(sim, pod, i, waits ? restarts : restarts - 1, true, pod->started,
                       pod->crashed);
    else
        kin__sim_put(sim, "{}");
    kin__sim_put(sim, is_container_ready(pod, i) ? ",\"ready\":true" : ",\"ready\":false");
    kin__sim_put(sim, ",\"restartCount\":");
    kin__sim_put_int(sim, restarts);
    kin__sim_put(sim, ",\"image\":\"");
    kin__sim_put_escaped(sim, image);
    kin__sim_put(sim, "\",\"imageID\":");
    if (ran)
        put_image_id(sim, image);
    else
        kin__sim_put(sim, "\"\"");
    if (ran) {
        kin__sim_put(sim, ",\"containerID\":");
        put_container_id(sim, pod, i, restarts);
    }
    kin__sim_put(sim, ran && !waits && pod->state != SIM_POD_STOPPED &&
                              !(i == 0 && pod->state == SIM_POD_CRASHED)
                          ? ",\"started\":true}"
                          : ",\"started\":false}");
}

static void put_containers(kin__simulator *sim, const struct sim_pod *pod)
{
    kin_iter it;
    kin_scratch name_scratch, image_scratch;
    kin_str name, image;

    kin_iter_init(&it, kin_object_find(pod->actor.object, "spec.containers"));
    while (kin_iter_next(&it)) {
        if (kin_value_string(&name, kin_value_get(it.value, kin_str_of("name")), &name_scratch) < 0)
            name = kin_str_of("");
        if (kin_value_string(&image, kin_value_get(it.value, kin_str_of("image")), &image_scratch) <
            0)
            image = kin_str_of("");
        kin__sim_put(sim, it.index ? ",{\"name\":\"" : "{\"name\":\"");
        kin__sim_put_escaped(sim, name);
        kin__sim_put(sim, "\",\"state\":");
        put_container_state(sim, pod, it.index, name);
        put_container_rest(sim, pod, it.index, image);
    }
}

static void put_condition(kin__simulator *sim, const char *type, bool is_true, const char *reason,
                          int64_t since)
{
    kin__sim_put(sim, "{\"type\":\"");
    kin__sim_put(sim, type);
    kin__sim_put(sim, is_true ? "\",\"status\":\"True\",\"lastProbeTime\":null,"
                                "\"lastTransitionTime\":"
                              : "\",\"status\":\"False\",\"lastProbeTime\":null,"
                                "\"lastTransitionTime\":");
    kin__sim_put_time(sim, since);
    if (!is_true && reason) {
        kin__sim_put(sim, ",\"reason\":\"");
        kin__sim_put(sim, reason);
        kin__sim_put(sim, "\",\"message\":\"containers with unready status\"");
    }
    kin__sim_put(sim, "}");
}

static void put_conditions(kin__simulator *sim, const struct sim_pod *pod)
{
    bool runs = pod->state > SIM_POD_CREATING && pod->state != SIM_POD_STOPPED;
    bool ready = pod->state == SIM_POD_READY;

    put_condition(sim, "PodReadyToStartContainers", runs, NULL, runs ? pod->started : pod->bound);
    kin__sim_put(sim, ",");
    put_condition(sim, "Initialized", true, NULL, pod->bound);
    kin__sim_put(sim, ",");
    put_condition(sim, "Ready", ready, "ContainersNotReady", pod->changed);
    kin__sim_put(sim, ",");
    put_condition(sim, "ContainersReady", ready || pod->state == SIM_POD_LOST, "ContainersNotReady",
                  pod->changed);
    kin__sim_put(sim, ",");
    put_condition(sim, "PodScheduled", true, NULL, pod->bound);
}

static void put_addresses(kin__simulator *sim, const struct sim_pod *pod)
{
    char host[SIM_IP_SIZE], ip[SIM_IP_SIZE];

    kin__sim_node_ip(host, pod->node);
    kin__buf_appendf(&sim->text, "\"hostIP\":\"%s\",\"hostIPs\":[{\"ip\":\"%s\"}],", host, host);
    if (pod->state > SIM_POD_CREATING) {
        kin__sim_pod_ip(ip, pod);
        kin__buf_appendf(&sim->text, "\"podIP\":\"%s\",\"podIPs\":[{\"ip\":\"%s\"}],", ip, ip);
    }
}

int kin__sim_edit_pod_status(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_pod *pod = arg;
    int code = 0;

    /* Members of managedFields by their place: somebody else may have emptied the array. */
    if (kin_value_type(kin_object_find(pod->actor.object, "metadata.managedFields[1].time")) ==
        KIN_STRING)
        code = kin_editor_set_time(ed, kin_str_of("metadata.managedFields[1].time"),
                                   kin__sim_time(sim, sim->now), 0, err);
    if (code < 0)
        return code;
    kin__sim_put(sim, pod->state <= SIM_POD_CREATING ? "{\"phase\":\"Pending\",\"conditions\":["
                                                     : "{\"phase\":\"Running\",\"conditions\":[");
    put_conditions(sim, pod);
    kin__sim_put(sim, "],");
    put_addresses(sim, pod);
    kin__sim_put(sim, "\"startTime\":");
    kin__sim_put_time(sim, pod->bound);
    kin__sim_put(sim, ",\"containerStatuses\":[");
    put_containers(sim, pod);
    kin__sim_put(sim, "],\"qosClass\":\"Burstable\"}");
    return kin__sim_set_text(sim, ed, "status", err);
}

/* --- nodes --- */

static void put_node_condition(kin__simulator *sim, const struct sim_node *node, const char *type,
                               const char *good, const char *reason, const char *message)
{
    bool up = node->state == SIM_NODE_UP;

    kin__buf_appendf(&sim->text, "{\"type\":\"%s\",\"status\":\"%s\",\"lastHeartbeatTime\":", type,
                     up ? good : "Unknown");
    kin__sim_put_time(sim, up ? sim->now : node->beat);
    kin__sim_put(sim, ",\"lastTransitionTime\":");
    kin__sim_put_time(sim, node->since);
    kin__buf_appendf(&sim->text, ",\"reason\":\"%s\",\"message\":\"%s\"}",
                     up ? reason : "NodeStatusUnknown",
                     up ? message : "Kubelet stopped posting node status.");
}

static void put_node_conditions(kin__simulator *sim, const struct sim_node *node)
{
    kin__sim_put(sim, "[");
    put_node_condition(sim, node, "MemoryPressure", "False", "KubeletHasSufficientMemory",
                       "kubelet has sufficient memory available");
    kin__sim_put(sim, ",");
    put_node_condition(sim, node, "DiskPressure", "False", "KubeletHasNoDiskPressure",
                       "kubelet has no disk pressure");
    kin__sim_put(sim, ",");
    put_node_condition(sim, node, "PIDPressure", "False", "KubeletHasSufficientPID",
                       "kubelet has sufficient PID available");
    kin__sim_put(sim, ",");
    put_node_condition(sim, node, "Ready", "True", "KubeletReady",
                       "kubelet is posting ready status");
    kin__sim_put(sim, "]");
}

static void put_node_images(kin__simulator *sim)
{
    static const char *const images[] = {"platform/proxy", "platform/log-agent",
                                         "platform/metrics-agent", "platform/network",
                                         "platform/dns"};

    kin__sim_put(sim, "\"images\":[");
    for (size_t i = 0; i < kin__array_len(images); i++) {
        kin__buf_appendf(&sim->text, "%s{\"names\":[\"registry.example/%s@sha256:", i ? "," : "",
                         images[i]);
        put_digest(sim, i);
        kin__buf_appendf(&sim->text, "\",\"registry.example/%s:2.14.1\"],\"sizeBytes\":%u}",
                         images[i], 41234567u + (unsigned)i * 7654321u);
    }
    kin__sim_put(sim, "]");
}

/* What does not change while a kubelet runs. */
static int set_node_facts(kin__simulator *sim, kin_editor *ed, const struct sim_node *node,
                          kin_error *err)
{
    char ip[SIM_IP_SIZE];
    unsigned cores = 4u << node->number % 3;

    kin__sim_node_ip(ip, node);
    for (int i = 0; i < 2; i++)
        kin__buf_appendf(&sim->text,
                         "%s{\"cpu\":\"%u\",\"ephemeral-storage\":\"%uKi\",\"hugepages-2Mi\":\"0\","
                         "\"memory\":\"%uKi\",\"pods\":\"110\"}",
                         i ? ",\"allocatable\":" : "{\"capacity\":", cores, 98765432u,
                         cores * 4u * 1048576u - (i ? 102400u : 0u));
    kin__buf_appendf(
        &sim->text,
        ",\"conditions\":[],\"addresses\":[{\"type\":\"InternalIP\",\"address\":\"%s\"},"
        "{\"type\":\"Hostname\",\"address\":\"%s\"}],\"daemonEndpoints\":{"
        "\"kubeletEndpoint\":{\"Port\":10250}},\"nodeInfo\":{\"machineID\":\"%032x\","
        "\"systemUUID\":\"%08x-0000-4000-8000-000000000000\","
        "\"bootID\":\"%08x-0000-4000-9000-000000000000\","
        "\"kernelVersion\":\"6.12.0-simulated\",\"osImage\":\"Simulated Linux\","
        "\"containerRuntimeVersion\":\"containerd://2.1.4\","
        "\"kubeletVersion\":\"v1.34.1\",\"kubeProxyVersion\":\"\","
        "\"operatingSystem\":\"linux\",\"architecture\":\"amd64\"},",
        ip, kin__sim_name(&node->actor).data, node->number, node->number, node->number);
    put_node_images(sim);
    kin__sim_put(sim, "}");
    return kin__sim_set_text(sim, ed, "status", err);
}

int kin__sim_edit_node_status(kin__simulator *sim, kin_editor *ed, void *arg, kin_error *err)
{
    const struct sim_node *node = arg;
    int code = 0;

    if (kin_value_type(kin_object_find(node->actor.object, "status.capacity")) == KIN_NONE)
        code = set_node_facts(sim, ed, node, err);
    if (code < 0)
        return code;
    put_node_conditions(sim, node);
    return kin__sim_set_text(sim, ed, "status.conditions", err);
}
