/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A workload: what the Pods of one ReplicaSet, StatefulSet, DaemonSet or Job have in common.
 * All strings are ready to stand between the quotes of a JSON string, escaped as Go escapes them.
 */
#ifndef KIN_BENCH_PODS_WORKLOAD_H
#define KIN_BENCH_PODS_WORKLOAD_H

#include "pods.h"
#include "rng.h"

#include <stdbool.h>
#include <stdint.h>

#define KIN_BENCH__CONTAINERS_MAX 3
#define KIN_BENCH__ARGS_MAX 4
#define KIN_BENCH__ENV_MAX 3
#define KIN_BENCH__SUFFIX_LEN 5

/* 2026-01-15T00:00:00Z: the moment at which the list seems to have been taken. */
#define KIN_BENCH__NOW UINT64_C(1768435200)

/* Every stream of random numbers has a domain of its own; see rng.h. */
enum kin_bench__domain {
    KIN_BENCH__DOMAIN_WORKLOAD = 1,
    KIN_BENCH__DOMAIN_WORKLOAD_NAME,
    KIN_BENCH__DOMAIN_NAMESPACE,
    KIN_BENCH__DOMAIN_SHAPE,
    KIN_BENCH__DOMAIN_PLACE,
    KIN_BENCH__DOMAIN_POD,
    KIN_BENCH__DOMAIN_VERSION,
    KIN_BENCH__DOMAIN_ROUND,
    KIN_BENCH__DOMAIN_CHANGE,
    KIN_BENCH__DOMAIN_CONTAINER_ID,
};

enum kin_bench__owner {
    KIN_BENCH__REPLICASET,
    KIN_BENCH__STATEFULSET,
    KIN_BENCH__DAEMONSET,
    KIN_BENCH__JOB,
};

enum kin_bench__env_type {
    KIN_BENCH__ENV_VALUE,
    KIN_BENCH__ENV_FIELD,  /* value is the field path */
    KIN_BENCH__ENV_SECRET, /* value is the key in the workload's secret */
};

struct kin_bench__env {
    const char *name;
    const char *value;
    enum kin_bench__env_type type;
};

struct kin_bench__container {
    const char *name;
    const char *image;    /* with its tag */
    const char *image_id; /* with its digest */
    const char *args[KIN_BENCH__ARGS_MAX];
    unsigned args_len;
    struct kin_bench__env
        env[KIN_BENCH__ENV_MAX]; /* by name, ascending, as managedFields has them */
    unsigned env_len;
    unsigned port;     /* 0: none */
    unsigned cpu;      /* requests, in thousandths */
    unsigned memory;   /* requests, in MiB */
    unsigned limits;   /* 0: none, 1: the requests, n: n times the memory */
    unsigned period;   /* of the probes */
    const char *probe; /* path of the probes; NULL: no probes */
    bool config;       /* mounts the configMap */
    bool secret;       /* mounts the secret */
    bool scratch;      /* mounts the emptyDir */
    bool secured;      /* has a securityContext of its own */
};

struct kin_bench__workload {
    enum kin_bench__owner owner;
    const char *ns;
    const char *name;
    const char *revision;   /* pod-template-hash or controller-revision-hash */
    const char *owner_name; /* the object that owns the Pods */
    const char *generate_name;
    uint64_t owner_uid[2];
    const char *version;
    const char *component;
    const char *product;
    const char *deployer;
    const char *release;
    const char *service_account;
    const char *config_map;
    const char *secret;
    const char *config_volume;
    const char *secret_volume;
    const char *scratch_volume;
    const char *config_path;
    const char *secret_path;
    const char *scratch_path;
    uint64_t config_digest[2];
    uint64_t rollout; /* seconds since 1970; no Pod of it is older */
    uint64_t suffix_offset;
    unsigned user; /* runAsUser */
    unsigned grace;
    unsigned priority; /* index of kin_bench__priority_classes */
    unsigned scratch_size;
    bool guaranteed;
    bool has_secret;  /* a volume of it; variables may come from it anyway */
    bool has_scratch; /* an emptyDir */
    bool has_init;
    struct kin_bench__container init;
    struct kin_bench__container containers[KIN_BENCH__CONTAINERS_MAX];
    unsigned containers_len;
    char arena[3072]; /* the strings */
};

struct kin_bench__priority_class {
    const char *name;
    unsigned value;
};
extern const struct kin_bench__priority_class kin_bench__priority_classes[4];

/*
 * Build workload number id in place: the strings point into it, so it must not be moved.
 * Returns -ENOBUFS when the arena is too small, which a test of all shapes rules out.
 */
int kin_bench__workload_init(struct kin_bench__workload *w,
                             const struct kin_bench_pods_options *options, uint64_t id);

/* Five characters that no other n below KIN_BENCH_PODS_MAX gets with the same offset. */
void kin_bench__suffix(char ret[KIN_BENCH__SUFFIX_LEN], uint64_t offset, uint64_t n);

#endif
