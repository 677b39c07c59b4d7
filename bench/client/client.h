/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of kin-bench-client. Nothing here can fail and return.
 */
#ifndef KIN_BENCH_CLIENT_H
#define KIN_BENCH_CLIENT_H

#include <kinform/client.h>

#include "client/transport.h"
#include "measure.h"

/* What is measured, as the arguments say. */
struct kin_bench_run {
    const char *url;
    const char *ca;   /* NULL: the system's */
    const char *file; /* what the list is, for its size; NULL: unknown */
    size_t streams;
    size_t events; /* of each stream */
};

#define KIN_BENCH_PODS "/api/v1/pods"

/* Settings of the run; SHARED, one reference. */
kin_config *kin_bench_config_new(const struct kin_bench_run *run);
/* A client without a rate limit, and the Pods; release with their own functions. */
kin_client *kin_bench_client_new(const struct kin_bench_run *run);
kin_resource *kin_bench_pods_resource(void);

/* A transport without a client, and who it is to the server. */
struct kin_bench_raw {
    kin_config *config;
    kin__credentials *credentials;
    kin__identity identity;
    kin__transport *transport;
};

void kin_bench_raw_open(struct kin_bench_raw *raw, const struct kin_bench_run *run);
kin__exchange *kin_bench_raw_start(struct kin_bench_raw *raw, kin__exchange_spec *spec);
void kin_bench_raw_close(struct kin_bench_raw *raw);

void kin_bench_write(const struct kin_bench_report *report);

void kin_bench_list(const struct kin_bench_run *run);
void kin_bench_fetch(const struct kin_bench_run *run);
void kin_bench_watch(const struct kin_bench_run *run);
void kin_bench_watch_raw(const struct kin_bench_run *run);

#endif
