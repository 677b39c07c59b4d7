/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of kin-bench-client. Nothing here can fail and return.
 */
#ifndef KIN_BENCH_CLIENT_H
#define KIN_BENCH_CLIENT_H

#include "client/transport.h"
#include "dial.h"
#include "load.h"

/* What is measured, as the arguments say. */
struct kin_bench_run {
    struct kin_bench_server server;
    const char *file; /* what the list is, for its size; NULL: unknown */
    size_t streams;
    size_t events; /* of each stream */
};

#define KIN_BENCH_PODS "/api/v1/pods"

/* A transport without a client, and who it is to the server. */
struct kin_bench_raw {
    kin_config *config;
    kin__credentials *credentials;
    kin__identity identity;
    kin__transport *transport;
};

void kin_bench_raw_open(struct kin_bench_raw *raw, const struct kin_bench_run *run);
/* `spec` says what and where; the rest is added. */
kin__exchange *kin_bench_raw_start(struct kin_bench_raw *raw, const struct kin_bench_run *run,
                                   kin__exchange_spec *spec);
void kin_bench_raw_close(struct kin_bench_raw *raw);

void kin_bench_fill(const struct kin_bench_run *run);
void kin_bench_list(const struct kin_bench_run *run);
void kin_bench_fetch(const struct kin_bench_run *run);
void kin_bench_watch(const struct kin_bench_run *run);
void kin_bench_watch_raw(const struct kin_bench_run *run);

#endif
