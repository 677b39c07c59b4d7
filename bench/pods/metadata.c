/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ObjectMeta of a Pod: seven labels and four annotations as the owner's kind would set them, one
 * owner reference, and in events the annotation in which the replay server writes the time.
 */
#include "pod.h"

enum { LABELS = 7 };

static const char *const label_names[][LABELS] = {
    [KIN_BENCH__REPLICASET] = {"app.kubernetes.io/name", "app.kubernetes.io/version", "component",
                               "deployer", "instance", "pod-template-hash", "product"},
    [KIN_BENCH__STATEFULSET] = {"app.kubernetes.io/name", "app.kubernetes.io/version",
                                "apps.kubernetes.io/pod-index", "component",
                                "controller-revision-hash", "product",
                                "statefulset.kubernetes.io/pod-name"},
    [KIN_BENCH__DAEMONSET] = {"app.kubernetes.io/name", "app.kubernetes.io/version", "component",
                              "controller-revision-hash", "instance", "pod-template-generation",
                              "product"},
    [KIN_BENCH__JOB] = {"app.kubernetes.io/name", "batch.kubernetes.io/controller-uid",
                        "batch.kubernetes.io/job-name", "component", "controller-uid", "job-name",
                        "product"},
};

static const struct {
    const char *kind;
    const char *api_version;
} owners[] = {
    [KIN_BENCH__REPLICASET] = {"ReplicaSet", "apps/v1"},
    [KIN_BENCH__STATEFULSET] = {"StatefulSet", "apps/v1"},
    [KIN_BENCH__DAEMONSET] = {"DaemonSet", "apps/v1"},
    [KIN_BENCH__JOB] = {"Job", "batch/v1"},
};

const char *kin_bench__pod_label(enum kin_bench__owner owner, unsigned i)
{
    return i < LABELS ? label_names[owner][i] : NULL;
}

static void put_label_value(struct kin_bench__text *t, const struct kin_bench__pod *p,
                            const char *label)
{
    const struct kin_bench__workload *w = p->workload;

    if (!strcmp(label, "component"))
        put_str(t, w->component);
    else if (!strcmp(label, "deployer"))
        put_str(t, w->deployer);
    else if (!strcmp(label, "product"))
        put_str(t, w->product);
    else if (!strcmp(label, "app.kubernetes.io/version"))
        put_str(t, w->version);
    else if (!strcmp(label, "pod-template-hash") || !strcmp(label, "controller-revision-hash"))
        put_str(t, w->revision);
    else if (!strcmp(label, "apps.kubernetes.io/pod-index"))
        put_str(t, p->name + strlen(w->generate_name));
    else if (!strcmp(label, "statefulset.kubernetes.io/pod-name"))
        put_str(t, p->name);
    else if (!strcmp(label, "pod-template-generation"))
        put_u64(t, 1 + w->user % 30);
    else if (!strcmp(label, "controller-uid") ||
             !strcmp(label, "batch.kubernetes.io/controller-uid"))
        kin_bench__text_put_uuid(t, w->owner_uid[0], w->owner_uid[1]);
    else /* name, instance, job-name */
        put_str(t, w->name);
}

static void put_labels(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const char *label;

    put_json(t, "'labels':{");
    for (unsigned i = 0; (label = kin_bench__pod_label(p->workload->owner, i)) != NULL; i++) {
        put_json(t, i ? ",'" : "'");
        put_str(t, label);
        put_json(t, "':'");
        put_label_value(t, p, label);
        put_json(t, "'");
    }
    put_json(t, "}");
}

static void put_annotations(struct kin_bench__text *t, const struct kin_bench__pod *p)
{
    const struct kin_bench__workload *w = p->workload;

    put_json(t, "'annotations':{'checksum/config':'");
    put_hex(t, w->config_digest[0], 16);
    put_hex(t, w->config_digest[1], 16);
    put_json(t, "',");
    if (p->round)
        put_str(t, "\"" KIN_BENCH_SENT_KEY "\":\"" KIN_BENCH_SENT_ZERO "\",");
    put_json(t, "'prometheus.io/port':'");
    put_u64(t, w->containers[0].port);
    put_json(t, "','release/at':");
    kin_bench__text_put_time(t, w->rollout);
    put_json(t, ",'release/id':'");
    put_str(t, w->release);
    put_json(t, "'}");
}

void kin_bench__pod_put_metadata(struct kin_bench__text *t, const struct kin_bench__pod *p,
                                 struct kin_bench_span *ret_managed)
{
    const struct kin_bench__workload *w = p->workload;

    put_json(t, "{'name':'");
    put_str(t, p->name);
    put_json(t, "','generateName':'");
    put_str(t, w->generate_name);
    put_json(t, "','namespace':'");
    put_str(t, w->ns);
    put_json(t, "','uid':'");
    kin_bench__text_put_uuid(t, p->uid[0], p->uid[1]);
    put_json(t, "','resourceVersion':'");
    put_u64(t, p->resource_version);
    put_json(t, "','creationTimestamp':");
    kin_bench__text_put_time(t, p->created);
    put_json(t, ",");
    put_labels(t, p);
    put_json(t, ",");
    put_annotations(t, p);
    put_json(t, ",'ownerReferences':[{'apiVersion':'");
    put_str(t, owners[w->owner].api_version);
    put_json(t, "','kind':'");
    put_str(t, owners[w->owner].kind);
    put_json(t, "','name':'");
    put_str(t, w->owner_name);
    put_json(t, "','uid':'");
    kin_bench__text_put_uuid(t, w->owner_uid[0], w->owner_uid[1]);
    put_json(t, "','controller':true,'blockOwnerDeletion':true}],'managedFields':");
    ret_managed->start = t->len;
    kin_bench__pod_put_managed_fields(t, p);
    ret_managed->end = t->len;
    put_json(t, "}");
}
