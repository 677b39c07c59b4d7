/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One Pod at one moment, and the parts that turn it into JSON. The order of fields is that of Go's
 * structs, and of keys in maps ascending: what an API server would send, byte by byte.
 */
#ifndef KIN_BENCH_PODS_POD_H
#define KIN_BENCH_PODS_POD_H

#include "text.h"
#include "workload.h"

#include <stdbool.h>
#include <stdint.h>

/* What distinguishes a Pod from the others of its workload, at one moment. */
struct kin_bench__pod {
    const struct kin_bench__workload *workload;
    uint64_t resource_version;
    uint64_t uid[2];
    uint64_t id;    /* random: source of container ids */
    uint64_t round; /* 0 in the list, k in its k-th event */
    uint32_t node;
    char suffix[KIN_BENCH__SUFFIX_LEN +
                1]; /* of the name (but StatefulSets') and the projected volume */
    char name[96];
    char pod_ip[16];
    char host_ip[16];
    uint64_t created;       /* times in seconds since 1970 */
    uint64_t initialized;   /* init containers done */
    uint64_t ready;         /* readiness changed for the last time */
    uint64_t finished;      /* the end, if succeeded */
    uint64_t written;       /* the kubelet's last status update */
    bool sandbox_condition; /* the node's kubelet is new enough to report a fifth condition */
    bool succeeded;         /* a Job's Pod that has run to its end */
    bool unready;           /* the first container has failed its readiness probe */
    unsigned restarts;      /* of the first container */
    uint64_t restarted;     /* when it was last, if restarts > 0 */
};

void kin_bench__pod_put_metadata(struct kin_bench__text *t, const struct kin_bench__pod *p,
                                 struct kin_bench_span *ret_managed);
void kin_bench__pod_put_managed_fields(struct kin_bench__text *t, const struct kin_bench__pod *p);
void kin_bench__pod_put_spec(struct kin_bench__text *t, const struct kin_bench__pod *p);
void kin_bench__pod_put_status(struct kin_bench__text *t, const struct kin_bench__pod *p);
void kin_bench__pod_put_node(struct kin_bench__text *t, uint32_t node);

/* Shared by metadata and managedFields: the i-th label's name, NULL at the end. */
const char *kin_bench__pod_label(enum kin_bench__owner owner, unsigned i);

#endif
