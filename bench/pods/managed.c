/* SPDX-License-Identifier: Apache-2.0 */
/*
 * managedFields of a Pod: who has set what. The first entry, the controller's, lists each field of
 * the template; the second, the kubelet's, those of the status. They mirror spec.c and status.c
 * field by field, as an API server would have derived them. Keys ascend, "." first, f: before k:.
 */
#include "pod.h"

static void put_env(struct kin_bench__text *t, const struct kin_bench__container *c)
{
    put_json(t, "'f:env':{'.':{}");
    for (unsigned i = 0; i < c->env_len; i++) {
        put_json(t, ",'k:{\\'name\\':\\'");
        put_str(t, c->env[i].name);
        put_json(t, "\\'}':{'.':{},'f:name':{},");
        switch (c->env[i].type) {
        case KIN_BENCH__ENV_VALUE:
            put_json(t, "'f:value':{}}");
            break;
        case KIN_BENCH__ENV_FIELD:
            put_json(t, "'f:valueFrom':{'.':{},'f:fieldRef':{}}}");
            break;
        case KIN_BENCH__ENV_SECRET:
            put_json(t, "'f:valueFrom':{'.':{},'f:secretKeyRef':{}}}");
            break;
        }
    }
    put_json(t, "},");
}

static void put_mount(struct kin_bench__text *t, const char *path, bool read_only)
{
    put_json(t, ",'k:{\\'mountPath\\':\\'");
    put_str(t, path);
    put_json(t, "\\'}':{'.':{},'f:mountPath':{},'f:name':{}");
    if (read_only)
        put_json(t, ",'f:readOnly':{}");
    put_json(t, "}");
}

static void put_container(struct kin_bench__text *t, const struct kin_bench__workload *w,
                          const struct kin_bench__container *c)
{
    put_json(t, "'k:{\\'name\\':\\'");
    put_str(t, c->name);
    put_json(t, "\\'}':{'.':{},");
    if (c->args_len)
        put_json(t, "'f:args':{},");
    if (c->env_len)
        put_env(t, c);
    put_json(t, "'f:image':{},'f:imagePullPolicy':{},");
    if (c->probe)
        put_json(t, "'f:livenessProbe':{'.':{},'f:failureThreshold':{},'f:periodSeconds':{},"
                    "'f:successThreshold':{},'f:tcpSocket':{'.':{},'f:port':{}},"
                    "'f:timeoutSeconds':{}},");
    put_json(t, "'f:name':{},");
    if (c->port) {
        put_json(t, "'f:ports':{'.':{},'k:{\\'containerPort\\':");
        put_u64(t, c->port);
        put_json(t, ",\\'protocol\\':\\'TCP\\'}':{'.':{},'f:containerPort':{},'f:name':{},"
                    "'f:protocol':{}}},");
    }
    if (c->probe)
        put_json(t, "'f:readinessProbe':{'.':{},'f:failureThreshold':{},'f:httpGet':{'.':{},"
                    "'f:path':{},'f:port':{},'f:scheme':{}},'f:periodSeconds':{},"
                    "'f:successThreshold':{},'f:timeoutSeconds':{}},");
    put_json(t, "'f:resources':{'.':{},");
    if (c->limits)
        put_json(t, c->limits == 1 ? "'f:limits':{'.':{},'f:cpu':{},'f:memory':{}},"
                                   : "'f:limits':{'.':{},'f:memory':{}},");
    put_json(t, "'f:requests':{'.':{},'f:cpu':{},'f:memory':{}}},");
    if (c->secured)
        put_json(t, "'f:securityContext':{'.':{},'f:allowPrivilegeEscalation':{},"
                    "'f:readOnlyRootFilesystem':{}},");
    put_json(t, "'f:terminationMessagePath':{},'f:terminationMessagePolicy':{}");
    if (c->config || c->secret || c->scratch) {
        put_json(t, ",'f:volumeMounts':{'.':{}");
        if (c->config)
            put_mount(t, w->config_path, true);
        if (c->secret)
            put_mount(t, w->secret_path, true);
        if (c->scratch)
            put_mount(t, w->scratch_path, false);
        put_json(t, "}");
    }
    put_json(t, "}");
}

static void put_volumes(struct kin_bench__text *t, const struct kin_bench__workload *w)
{
    put_json(t, "'f:volumes':{'.':{},'k:{\\'name\\':\\'");
    put_str(t, w->config_volume);
    put_json(t, "\\'}':{'.':{},'f:configMap':{'.':{},'f:defaultMode':{},'f:name':{}},'f:name':{}}");
    if (w->has_secret) {
        put_json(t, ",'k:{\\'name\\':\\'");
        put_str(t, w->secret_volume);
        put_json(t, "\\'}':{'.':{},'f:name':{},'f:secret':{'.':{},'f:defaultMode':{},"
                    "'f:secretName':{}}}");
    }
    if (w->has_scratch) {
        put_json(t, ",'k:{\\'name\\':\\'");
        put_str(t, w->scratch_volume);
        put_json(t, "\\'}':{'.':{},'f:emptyDir':{'.':{},'f:sizeLimit':{}},'f:name':{}}");
    }
    put_json(t, "}");
}

static void put_controller_entry(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const struct kin_bench__workload *w = p->workload;
    const char *label;

    put_json(t, "{'manager':'kube-controller-manager','operation':'Update','apiVersion':'v1',"
                "'time':");
    kin_bench__text_put_time(t, p->created);
    put_json(t, ",'fieldsType':'FieldsV1','fieldsV1':{'f:metadata':{'f:annotations':{'.':{},"
                "'f:checksum/config':{},'f:prometheus.io/port':{},'f:release/at':{},"
                "'f:release/id':{}},'f:generateName':{},'f:labels':{'.':{}");
    for (unsigned i = 0; (label = kin_bench__pod_label(w->owner, i)) != NULL; i++) {
        put_json(t, ",'f:");
        put_str(t, label);
        put_json(t, "':{}");
    }
    put_json(t, "},'f:ownerReferences':{'.':{},'k:{\\'uid\\':\\'");
    kin_bench__text_put_uuid(t, w->owner_uid[0], w->owner_uid[1]);
    put_json(t, "\\'}':{}}},'f:spec':{'f:containers':{");
    for (unsigned i = 0; i < w->containers_len; i++) {
        if (i)
            put_json(t, ",");
        put_container(t, w, &w->containers[i]);
    }
    put_json(t, "},'f:dnsPolicy':{},'f:enableServiceLinks':{},");
    if (w->has_init) {
        put_json(t, "'f:initContainers':{'.':{},");
        put_container(t, w, &w->init);
        put_json(t, "},");
    }
    if (w->priority)
        put_json(t, "'f:priorityClassName':{},");
    put_json(
        t, "'f:restartPolicy':{},'f:schedulerName':{},'f:securityContext':{'.':{},"
           "'f:runAsNonRoot':{},'f:runAsUser':{}},'f:serviceAccount':{},'f:serviceAccountName':{},"
           "'f:terminationGracePeriodSeconds':{},");
    put_volumes(t, w);
    put_json(t, "}}}");
}

static void put_condition(struct kin_bench__text *t, const char *type, bool reason)
{
    put_json(t, "'k:{\\'type\\':\\'");
    put_str(t, type);
    put_json(t, "\\'}':{'.':{},'f:lastProbeTime':{},'f:lastTransitionTime':{},");
    if (reason)
        put_json(t, "'f:message':{},'f:reason':{},");
    put_json(t, "'f:status':{},'f:type':{}}");
}

static void put_kubelet_entry(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    put_json(t, "{'manager':'kubelet','operation':'Update','apiVersion':'v1','time':");
    kin_bench__text_put_time(t, p->written);
    put_json(t, ",'fieldsType':'FieldsV1','fieldsV1':{'f:status':{'f:conditions':{");
    put_condition(t, "ContainersReady", p->unready);
    put_json(t, ",");
    put_condition(t, "Initialized", false);
    put_json(t, ",");
    if (p->sandbox_condition) {
        put_condition(t, "PodReadyToStartContainers", false);
        put_json(t, ",");
    }
    put_condition(t, "Ready", p->unready);
    put_json(t, "},'f:containerStatuses':{},'f:hostIP':{},'f:hostIPs':{},");
    if (p->workload->has_init)
        put_json(t, "'f:initContainerStatuses':{},");
    put_json(t, "'f:phase':{},'f:podIP':{},'f:podIPs':{'.':{},"
                "'k:{\\'ip\\':\\'");
    put_str(t, p->pod_ip);
    put_json(t, "\\'}':{'.':{},'f:ip':{}}},'f:startTime':{}}},'subresource':'status'}");
}

void kin_bench__pod_put_managed_fields(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    put_json(t, "[");
    put_controller_entry(t, p);
    put_json(t, ",");
    put_kubelet_entry(t, p);
    put_json(t, "]");
}
