/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PodSpec as it is after defaulting, admission and scheduling. Of the Pod itself only the node's
 * name and the suffix of the projected volume go in; everything else is the workload's, so the
 * Pods of one workload have the same spec but for these two.
 */
#include "pod.h"

#define TOKEN_PATH "/var/run/secrets/kubernetes.io/serviceaccount"

void kin_bench__pod_put_node(struct kin_bench__text *t, uint32_t node)
{
    put_str(t, "node-");
    put_char(t, (char)('a' + node % 3));
    put_char(t, '-');
    put_digits(t, node, 4);
}

static void put_token_volume(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    put_str(t, "kube-api-access-");
    put_str(t, p->suffix);
}

static void put_volumes(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const struct kin_bench__workload *w = p->workload;

    put_json(t, "'volumes':[{'name':'");
    put_str(t, w->config_volume);
    put_json(t, "','configMap':{'name':'");
    put_str(t, w->config_map);
    put_json(t, "','defaultMode':420}},");
    if (w->has_secret) {
        put_json(t, "{'name':'");
        put_str(t, w->secret_volume);
        put_json(t, "','secret':{'secretName':'");
        put_str(t, w->secret);
        put_json(t, "','defaultMode':420}},");
    }
    if (w->has_scratch) {
        put_json(t, "{'name':'");
        put_str(t, w->scratch_volume);
        put_json(t, "','emptyDir':{'sizeLimit':'");
        put_u64(t, w->scratch_size);
        put_json(t, "Mi'}},");
    }
    put_json(t, "{'name':'");
    put_token_volume(t, p);
    put_json(t, "','projected':{'sources':[{'serviceAccountToken':{'expirationSeconds':3607,"
                "'path':'token'}},{'configMap':{'name':'kube-root-ca.crt','items':[{'key':'ca.crt',"
                "'path':'ca.crt'}]}},{'downwardAPI':{'items':[{'path':'namespace','fieldRef':"
                "{'apiVersion':'v1','fieldPath':'metadata.namespace'}}]}}],'defaultMode':420}}]");
}

static void put_env(struct kin_bench__text *t, const struct kin_bench__workload *w,
                    const struct kin_bench__container *c)
{
    put_json(t, "'env':[");
    for (unsigned i = 0; i < c->env_len; i++) {
        const struct kin_bench__env *e = &c->env[i];

        put_json(t, i ? ",{'name':'" : "{'name':'");
        put_str(t, e->name);
        switch (e->type) {
        case KIN_BENCH__ENV_VALUE:
            put_json(t, "','value':'");
            put_str(t, e->value);
            put_json(t, "'}");
            break;
        case KIN_BENCH__ENV_FIELD:
            put_json(t, "','valueFrom':{'fieldRef':{'apiVersion':'v1','fieldPath':'");
            put_str(t, e->value);
            put_json(t, "'}}}");
            break;
        case KIN_BENCH__ENV_SECRET:
            put_json(t, "','valueFrom':{'secretKeyRef':{'name':'");
            put_str(t, w->secret);
            put_json(t, "','key':'");
            put_str(t, e->value);
            put_json(t, "'}}}");
            break;
        }
    }
    put_json(t, "],");
}

/* The canonical form of a quantity: no suffix m for whole cores, Gi for whole gibibytes. */
static void put_cpu(struct kin_bench__text *t, unsigned cpu)
{
    put_json(t, "'cpu':'");
    put_u64(t, cpu % 1000 ? cpu : cpu / 1000);
    put_json(t, cpu % 1000 ? "m'," : "',");
}

static void put_memory(struct kin_bench__text *t, unsigned memory)
{
    put_json(t, "'memory':'");
    put_u64(t, memory % 1024 ? memory : memory / 1024);
    put_json(t, memory % 1024 ? "Mi'}" : "Gi'}");
}

static void put_resources(struct kin_bench__text *t, const struct kin_bench__container *c)
{
    put_json(t, "'resources':{");
    if (c->limits) {
        put_json(t, "'limits':{");
        if (c->limits == 1)
            put_cpu(t, c->cpu);
        put_memory(t, c->memory * c->limits);
        put_json(t, ",");
    }
    put_json(t, "'requests':{");
    put_cpu(t, c->cpu);
    put_memory(t, c->memory);
    put_json(t, "},");
}

static void put_mount(struct kin_bench__text *t, const char *volume, const char *path,
                      bool read_only)
{
    put_json(t, "{'name':'");
    put_str(t, volume);
    put_json(t, read_only ? "','readOnly':true,'mountPath':'" : "','mountPath':'");
    put_str(t, path);
    put_json(t, "'},");
}

static void put_probe(struct kin_bench__text *t, const struct kin_bench__container *c,
                      unsigned failures)
{
    put_json(t, "'timeoutSeconds':1,'periodSeconds':");
    put_u64(t, c->period);
    put_json(t, ",'successThreshold':1,'failureThreshold':");
    put_u64(t, failures);
    put_json(t, "},");
}

static void put_probes(struct kin_bench__text *t, const struct kin_bench__container *c)
{
    put_json(t, "'livenessProbe':{'tcpSocket':{'port':");
    put_u64(t, c->port);
    put_json(t, "},");
    put_probe(t, c, 6);
    put_json(t, "'readinessProbe':{'httpGet':{'path':'");
    put_str(t, c->probe);
    put_json(t, "','port':");
    put_u64(t, c->port);
    put_json(t, ",'scheme':'HTTP'},");
    put_probe(t, c, 3);
}

static void put_container(struct kin_bench__text *t, const struct kin_bench__pod *p,
                          const struct kin_bench__container *c)
{
    const struct kin_bench__workload *w = p->workload;

    put_json(t, "{'name':'");
    put_str(t, c->name);
    put_json(t, "','image':'");
    put_str(t, c->image);
    put_json(t, "',");
    for (unsigned i = 0; i < c->args_len; i++) {
        put_json(t, i ? ",'" : "'args':['");
        put_str(t, c->args[i]);
        put_json(t, "'");
    }
    if (c->args_len)
        put_json(t, "],");
    if (c->port) {
        put_json(t, "'ports':[{'name':'http','containerPort':");
        put_u64(t, c->port);
        put_json(t, ",'protocol':'TCP'}],");
    }
    if (c->env_len)
        put_env(t, w, c);
    put_resources(t, c);
    put_json(t, "'volumeMounts':[");
    if (c->config)
        put_mount(t, w->config_volume, w->config_path, true);
    if (c->secret)
        put_mount(t, w->secret_volume, w->secret_path, true);
    if (c->scratch)
        put_mount(t, w->scratch_volume, w->scratch_path, false);
    put_json(t, "{'name':'");
    put_token_volume(t, p);
    put_json(t, "','readOnly':true,'mountPath':'" TOKEN_PATH "'}],");
    if (c->probe)
        put_probes(t, c);
    put_json(t, "'terminationMessagePath':'/dev/termination-log','terminationMessagePolicy':'File',"
                "'imagePullPolicy':'IfNotPresent'");
    if (c->secured)
        put_json(t, ",'securityContext':{'readOnlyRootFilesystem':true,"
                    "'allowPrivilegeEscalation':false}");
    put_json(t, "}");
}

void kin_bench__pod_put_spec(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const struct kin_bench__workload *w = p->workload;
    const struct kin_bench__priority_class *priority = &kin_bench__priority_classes[w->priority];

    put_json(t, "{");
    put_volumes(t, p);
    if (w->has_init) {
        put_json(t, ",'initContainers':[");
        put_container(t, p, &w->init);
        put_json(t, "]");
    }
    put_json(t, ",'containers':[");
    for (unsigned i = 0; i < w->containers_len; i++) {
        if (i)
            put_json(t, ",");
        put_container(t, p, &w->containers[i]);
    }
    put_json(t, w->owner == KIN_BENCH__JOB ? "],'restartPolicy':'OnFailure'"
                                           : "],'restartPolicy':'Always'");
    put_json(t, ",'terminationGracePeriodSeconds':");
    put_u64(t, w->grace);
    put_json(t, ",'dnsPolicy':'ClusterFirst','serviceAccountName':'");
    put_str(t, w->service_account);
    put_json(t, "','serviceAccount':'");
    put_str(t, w->service_account);
    put_json(t, "','nodeName':'");
    kin_bench__pod_put_node(t, p->node);
    put_json(t, "','securityContext':{'runAsUser':");
    put_u64(t, w->user);
    put_json(t, ",'runAsNonRoot':true},'schedulerName':'default-scheduler','tolerations':[{'key':"
                "'node.kubernetes.io/not-ready','operator':'Exists','effect':'NoExecute',"
                "'tolerationSeconds':300},{'key':'node.kubernetes.io/unreachable','operator':"
                "'Exists','effect':'NoExecute','tolerationSeconds':300}],");
    if (w->priority) {
        put_json(t, "'priorityClassName':'");
        put_str(t, priority->name);
        put_json(t, "',");
    }
    put_json(t, "'priority':");
    put_u64(t, priority->value);
    put_json(t, ",'enableServiceLinks':true,'preemptionPolicy':'PreemptLowerPriority'}");
}
