/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ReplicaSets from Deployments, and Pods from ReplicaSets.
 *
 * What the Pods of a set have in common is one object, the skeleton: made once from the template
 * with what the server and its admission add to it, managedFields included. A Pod is the skeleton
 * with some strings set; the rest is shared with it in memory.
 */
#include "apiserver/simulator/simulator_inside.h"

#include <stdio.h>

#include "base/error.h"
#include "kinform/metadata.h"

#define TOKEN_MOUNT "/var/run/secrets/kubernetes.io/serviceaccount"
#define LABELS_MAX 64 /* of a template, that are told in managedFields; likewise containers */

static int set_string(kin_editor *ed, const char *path, kin_str value, kin_error *err)
{
    return kin_editor_set_string(ed, kin_str_of(path), value, err);
}

static int set_value(kin_editor *ed, const char *path, kin_value value, kin_error *err)
{
    if (kin_value_type(value) == KIN_NONE)
        return 0;
    return kin_editor_set_value(ed, kin_str_of(path), value, err);
}

static void put_owner(kin__simulator *sim, const char *api_version, const char *kind,
                      const struct sim_actor *owner)
{
    kin_scratch scratch;

    kin__buf_appendf(&sim->text,
                     "\"ownerReferences\":[{\"apiVersion\":\"%s\",\"kind\":\"%s\","
                     "\"name\":\"%" KIN_STR_FMT "\",\"uid\":\"%" KIN_STR_FMT
                     "\",\"controller\":true,\"blockOwnerDeletion\":true}]",
                     api_version, kind, KIN_STR_ARG(kin__sim_name(owner)),
                     KIN_STR_ARG(kin_object_uid(owner->object, &scratch)));
}

/* What sim->text says as an editor, to go on with. */
static int edit_text(kin_editor **ret, kin__simulator *sim, kin_error *err)
{
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, NULL, err);

    if (code == 0)
        code = kin__sim_set_text(sim, ed, "", err);
    if (code < 0) {
        kin__buf_reset(&sim->text);
        kin_editor_free(ed);
        return code;
    }
    *ret = ed;
    return 0;
}

static int finish(const kin_object **ret, kin_editor *ed, int code, kin_error *err)
{
    if (code == 0)
        code = kin_editor_finish(ed, ret, err);
    kin_editor_free(ed);
    return code;
}

/* --- ReplicaSets --- */

int kin__sim_make_set(const kin_object **ret, kin__simulator *sim, const struct sim_set *set,
                      kin_error *err)
{
    const struct sim_actor *owner = &set->deployment->actor;
    kin_value template = kin_object_find(owner->object, "spec.template");
    kin_str hash = kin_str_of(set->hash);
    kin_editor *ed = NULL;

    kin__buf_appendf(&sim->text,
                     "{\"apiVersion\":\"apps/v1\",\"kind\":\"ReplicaSet\",\"metadata\":{"
                     "\"name\":\"%" KIN_STR_FMT "\",\"namespace\":\"%" KIN_STR_FMT
                     "\",\"annotations\":{\"deployment.kubernetes.io/revision\":\"%lld\"},",
                     KIN_STR_ARG(kin__sim_name(&set->actor)),
                     KIN_STR_ARG(kin__sim_namespace(&set->actor)), (long long)set->revision);
    put_owner(sim, "apps/v1", "Deployment", owner);
    kin__buf_appendf(&sim->text, "},\"spec\":{\"replicas\":%lld}}", (long long)set->desired);
    int code = edit_text(&ed, sim, err);
    if (code < 0)
        return code;
    code = set_value(ed, "metadata.labels",
                     kin_object_find(owner->object, "spec.template.metadata.labels"), err);
    if (code == 0)
        code = kin_editor_set_label(ed, kin_str_of("pod-template-hash"), hash, err);
    if (code == 0)
        code = set_value(ed, "spec.selector", kin_object_find(owner->object, "spec.selector"), err);
    if (code == 0)
        code = set_string(ed, "spec.selector.matchLabels.pod-template-hash", hash, err);
    if (code == 0)
        code = set_value(ed, "spec.template", template, err);
    if (code == 0)
        code = set_string(ed, "spec.template.metadata.labels.pod-template-hash", hash, err);
    return finish(ret, ed, code, err);
}

/* --- managedFields --- */

/* A key of an associative list. What would have to be escaped twice is left out. */
static void put_twice_quoted(kin__simulator *sim, const char *name, kin_str value)
{
    kin__buf_appendf(&sim->text, "\"k:{\\\"%s\\\":\\\"", name);
    for (size_t i = 0; i < value.len; i++) {
        if ((unsigned char)value.data[i] >= 0x20 && value.data[i] != '"' && value.data[i] != '\\')
            kin__buf_append_char(&sim->text, value.data[i]);
    }
    kin__sim_put(sim, "\\\"}\":{");
}

/* ".":{},"f:a":{},"f:b":{} for the keys of a map. */
static void put_keys(kin__simulator *sim, kin_value map)
{
    kin_iter it;
    unsigned n = 0;

    kin__sim_put(sim, "\".\":{}");
    for (kin_iter_init(&it, map); kin_iter_next(&it) && n < LABELS_MAX; n++) {
        kin__sim_put(sim, ",\"f:");
        kin__sim_put_escaped(sim, it.key);
        kin__sim_put(sim, "\":{}");
    }
}

/* Items with names, as associative lists are told: {".":{},"k:{"name":"x"}":{…keys of it…}} */
static void put_named(kin__simulator *sim, kin_value list)
{
    kin_iter it;
    kin_scratch scratch;
    kin_str name;
    unsigned n = 0;

    kin__sim_put(sim, "\".\":{}");
    for (kin_iter_init(&it, list); kin_iter_next(&it) && n < LABELS_MAX; n++) {
        if (kin_value_string(&name, kin_value_get(it.value, kin_str_of("name")), &scratch) < 0)
            continue;
        kin__sim_put(sim, ",");
        put_twice_quoted(sim, "name", name);
        put_keys(sim, it.value);
        kin__sim_put(sim, "}");
    }
}

static bool is_key(kin_str key, const char *name)
{
    return kin_str_equal(key, kin_str_of(name));
}

static void put_container_member(kin__simulator *sim, kin_str key, kin_value value)
{
    kin__sim_put(sim, ",\"f:");
    kin__sim_put_escaped(sim, key);
    kin__sim_put(sim, "\":{");
    if (is_key(key, "env"))
        put_named(sim, value);
    else if (is_key(key, "resources") || is_key(key, "securityContext"))
        put_keys(sim, value);
    kin__sim_put(sim, "}");
}

static void put_containers(kin__simulator *sim, kin_value containers)
{
    kin_iter it, member;
    kin_scratch scratch;
    kin_str name;
    unsigned n = 0;

    for (kin_iter_init(&it, containers); kin_iter_next(&it) && n < LABELS_MAX; n++) {
        if (kin_value_string(&name, kin_value_get(it.value, kin_str_of("name")), &scratch) < 0)
            name = kin_str_of("");
        kin__sim_put(sim, n ? "," : "");
        put_twice_quoted(sim, "name", name);
        kin__sim_put(sim, "\".\":{}");
        for (kin_iter_init(&member, it.value); kin_iter_next(&member);)
            put_container_member(sim, member.key, member.value);
        kin__sim_put(sim, "}");
    }
}

/* The entry of whoever has made the Pod. Its time is set for each Pod. */
static void put_controller_fields(kin__simulator *sim, const struct sim_set *set)
{
    const kin_object *object = set->actor.object;
    kin_scratch scratch;

    kin__sim_put(sim, "[{\"manager\":\"kube-controller-manager\",\"operation\":\"Update\","
                      "\"apiVersion\":\"v1\",\"time\":");
    kin__sim_put_time(sim, sim->now);
    kin__sim_put(sim,
                 ",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:metadata\":{\"f:annotations\":{");
    put_keys(sim, kin_object_find(object, "spec.template.metadata.annotations"));
    kin__sim_put(sim, "},\"f:generateName\":{},\"f:labels\":{");
    put_keys(sim, kin_object_find(object, "spec.template.metadata.labels"));
    kin__sim_put(sim, "},\"f:ownerReferences\":{\".\":{},");
    put_twice_quoted(sim, "uid", kin_object_uid(object, &scratch));
    kin__sim_put(sim, "}}},\"f:spec\":{\"f:containers\":{");
    put_containers(sim, kin_object_find(object, "spec.template.spec.containers"));
    kin__sim_put(sim, "},\"f:dnsPolicy\":{},\"f:enableServiceLinks\":{},\"f:restartPolicy\":{},"
                      "\"f:schedulerName\":{},\"f:securityContext\":{");
    put_keys(sim, kin_object_find(object, "spec.template.spec.securityContext"));
    kin__sim_put(sim, "},\"f:serviceAccount\":{},\"f:serviceAccountName\":{},"
                      "\"f:terminationGracePeriodSeconds\":{},\"f:volumes\":{");
    put_named(sim, kin_object_find(object, "spec.template.spec.volumes"));
    kin__sim_put(sim, "}}}}]");
}

static void put_condition_fields(kin__simulator *sim, const char *type, bool first)
{
    kin__sim_put(sim, first ? "" : ",");
    put_twice_quoted(sim, "type", kin_str_of(type));
    kin__sim_put(sim, "\".\":{},\"f:lastProbeTime\":{},\"f:lastTransitionTime\":{},"
                      "\"f:observedGeneration\":{},\"f:status\":{},\"f:type\":{}}");
}

int kin__sim_set_kubelet_fields(kin__simulator *sim, kin_editor *ed, const struct sim_pod *pod,
                                kin_error *err)
{
    static const char *const types[] = {"ContainersReady", "Initialized",
                                        "PodReadyToStartContainers", "Ready"};
    char ip[SIM_IP_SIZE];

    kin__sim_put(sim, "{\"manager\":\"kubelet\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
                      "\"time\":");
    kin__sim_put_time(sim, sim->now);
    kin__sim_put(sim,
                 ",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:status\":{\"f:conditions\":{");
    for (size_t i = 0; i < kin__array_len(types); i++)
        put_condition_fields(sim, types[i], i == 0);
    kin__sim_put(sim, "},\"f:containerStatuses\":{},\"f:hostIP\":{},\"f:hostIPs\":{},"
                      "\"f:observedGeneration\":{},\"f:phase\":{},\"f:podIP\":{},\"f:podIPs\":{"
                      "\".\":{},");
    kin__sim_pod_ip(ip, pod);
    put_twice_quoted(sim, "ip", kin_str_of(ip));
    kin__sim_put(sim, "\".\":{},\"f:ip\":{}}},\"f:startTime\":{}}},\"subresource\":\"status\"}");
    /* Somebody else may have emptied the array. */
    bool is_first =
        pod->actor.object &&
        kin_value_len(kin_object_find(pod->actor.object, "metadata.managedFields")) == 0;
    return kin__sim_set_text(
        sim, ed, is_first ? "metadata.managedFields[0]" : "metadata.managedFields[1]", err);
}

/* --- Pods --- */

/* A member of spec, where the template has none. */
static int add_default(kin__simulator *sim, kin_editor *ed, const struct sim_set *set,
                       const char *name, const char *json, kin_error *err)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "spec.template.spec.%s", name);
    if (kin_value_type(kin_object_find(set->actor.object, path)) != KIN_NONE)
        return 0;
    kin__sim_put(sim, json);
    return kin__sim_set_text(sim, ed, path + strlen("spec.template."), err);
}

static int add_defaults(kin__simulator *sim, kin_editor *ed, const struct sim_set *set,
                        kin_error *err)
{
    static const struct {
        const char *name, *json;
    } defaults[] = {
        {"restartPolicy", "\"Always\""},
        {"terminationGracePeriodSeconds", "30"},
        {"dnsPolicy", "\"ClusterFirst\""},
        {"serviceAccountName", "\"default\""},
        {"serviceAccount", "\"default\""},
        {"securityContext", "{}"},
        {"schedulerName", "\"default-scheduler\""},
        {"tolerations", "[{\"key\":\"node.kubernetes.io/not-ready\",\"operator\":\"Exists\","
                        "\"effect\":\"NoExecute\",\"tolerationSeconds\":30},"
                        "{\"key\":\"node.kubernetes.io/unreachable\",\"operator\":\"Exists\","
                        "\"effect\":\"NoExecute\",\"tolerationSeconds\":30}]"},
        {"priority", "0"},
        {"enableServiceLinks", "true"},
        {"preemptionPolicy", "\"PreemptLowerPriority\""},
    };
    int code = 0;

    for (size_t i = 0; i < kin__array_len(defaults) && code == 0; i++)
        code = add_default(sim, ed, set, defaults[i].name, defaults[i].json, err);
    return code;
}

static size_t count_at(const kin_object *object, const char *path)
{
    return kin_value_len(kin_object_find(object, path));
}

/* The token that every Pod gets: a volume behind the others, and a mount in each container. */
static int add_token(kin__simulator *sim, kin_editor *ed, const struct sim_set *set, kin_error *err)
{
    char path[96];
    size_t containers = count_at(set->actor.object, "spec.template.spec.containers");

    kin__sim_put(sim,
                 "{\"name\":\"kube-api-access\",\"projected\":{\"sources\":["
                 "{\"serviceAccountToken\":{\"expirationSeconds\":3607,\"path\":\"token\"}},"
                 "{\"configMap\":{\"name\":\"kube-root-ca.crt\",\"items\":[{\"key\":\"ca.crt\","
                 "\"path\":\"ca.crt\"}]}},{\"downwardAPI\":{\"items\":[{\"path\":\"namespace\","
                 "\"fieldRef\":{\"apiVersion\":\"v1\",\"fieldPath\":\"metadata.namespace\"}}]}}],"
                 "\"defaultMode\":420}}");
    (void)snprintf(path, sizeof(path), "spec.volumes[%zu]",
                   count_at(set->actor.object, "spec.template.spec.volumes"));
    int code = kin__sim_set_text(sim, ed, path, err);
    for (size_t i = 0; i < containers && code == 0; i++) {
        (void)snprintf(path, sizeof(path), "spec.template.spec.containers[%zu].volumeMounts", i);
        size_t n = count_at(set->actor.object, path);

        (void)snprintf(path, sizeof(path), "spec.containers[%zu].volumeMounts[%zu]", i, n);
        kin__sim_put(sim,
                     "{\"name\":\"kube-api-access\",\"readOnly\":true,\"mountPath\":\"" TOKEN_MOUNT
                     "\"}");
        code = kin__sim_set_text(sim, ed, path, err);
    }
    return code;
}

int kin__sim_make_skeleton(const kin_object **ret, kin__simulator *sim, const struct sim_set *set,
                           kin_error *err)
{
    const kin_object *object = set->actor.object;
    kin_editor *ed = NULL;

    kin__buf_appendf(&sim->text,
                     "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"x\","
                     "\"generateName\":\"%" KIN_STR_FMT "-\",\"namespace\":\"%" KIN_STR_FMT "\",",
                     KIN_STR_ARG(kin__sim_name(&set->actor)),
                     KIN_STR_ARG(kin__sim_namespace(&set->actor)));
    put_owner(sim, "apps/v1", "ReplicaSet", &set->actor);
    kin__sim_put(sim, ",\"managedFields\":");
    put_controller_fields(sim, set);
    kin__sim_put(sim, "}}");
    int code = edit_text(&ed, sim, err);
    if (code < 0)
        return code;
    code = set_value(ed, "metadata.labels",
                     kin_object_find(object, "spec.template.metadata.labels"), err);
    if (code == 0)
        code = set_value(ed, "metadata.annotations",
                         kin_object_find(object, "spec.template.metadata.annotations"), err);
    if (code == 0)
        code = set_value(ed, "spec", kin_object_find(object, "spec.template.spec"), err);
    if (code == 0)
        code = add_defaults(sim, ed, set, err);
    if (code == 0)
        code = add_token(sim, ed, set, err);
    return finish(ret, ed, code, err);
}

/* The token's volume has the Pod's suffix in its name. */
static int name_token(kin_editor *ed, const struct sim_pod *pod, kin_error *err)
{
    const kin_object *skeleton = pod->set->skeleton;
    size_t containers = count_at(skeleton, "spec.containers");
    kin_str name = kin__sim_name(&pod->actor);
    char volume[32], path[96];

    (void)snprintf(
        volume, sizeof(volume), "kube-api-access-%" KIN_STR_FMT,
        KIN_STR_ARG(kin_str_make(name.data + name.len - SIM_SUFFIX_LEN, SIM_SUFFIX_LEN)));
    (void)snprintf(path, sizeof(path), "spec.volumes[%zu].name",
                   count_at(skeleton, "spec.volumes") - 1);
    int code = set_string(ed, path, kin_str_of(volume), err);
    for (size_t i = 0; i < containers && code == 0; i++) {
        (void)snprintf(path, sizeof(path), "spec.containers[%zu].volumeMounts", i);
        size_t n = count_at(skeleton, path);

        (void)snprintf(path, sizeof(path), "spec.containers[%zu].volumeMounts[%zu].name", i, n - 1);
        code = set_string(ed, path, kin_str_of(volume), err);
    }
    return code;
}

int kin__sim_make_pod(const kin_object **ret, kin__simulator *sim, const struct sim_pod *pod,
                      kin_error *err)
{
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, pod->set->skeleton, err);

    if (code == 0)
        code = set_string(ed, "metadata.name", kin__sim_name(&pod->actor), err);
    if (code == 0)
        code = kin_editor_set_time(ed, kin_str_of("metadata.managedFields[0].time"),
                                   kin__sim_time(sim, sim->now), 0, err);
    if (code == 0)
        code = name_token(ed, pod, err);
    if (code == 0 && pod->node) {
        code = set_string(ed, "spec.nodeName", kin__sim_name(&pod->node->actor), err);
        if (code == 0)
            code = kin__sim_set_kubelet_fields(sim, ed, pod, err);
    }
    return finish(ret, ed, code, err);
}
