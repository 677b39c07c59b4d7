/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file connection.h
 * One client: requests in, lists and watches out.
 */
#ifndef KIN_BENCH_REPLAY_CONNECTION_H
#define KIN_BENCH_REPLAY_CONNECTION_H

#include "data.h"

#include <stdbool.h>
#include <stdint.h>

struct kin_bench_tls;

struct kin_bench_settings {
    const struct kin_bench_data *data; /* BORROWED for as long as connections run */
    bool has_data;                     /* without: Pods are a kind without objects, too */
    uint64_t rate;                     /* thousandths per second, 0: flood */
    uint64_t max_events;               /* per watch; UINT64_MAX: all */
    struct kin_bench_tls *tls;         /* BORROWED likewise; NULL: plain */
};

/**
 * Serve a connected socket until the client leaves, an error occurs or somebody shuts the socket
 * down. Does not close it.
 * @blocks for as long as that takes
 */
void kin_bench__connection_serve(int fd, const struct kin_bench_settings *settings);

/** Answer a connection that is one too many: 503, without waiting for anything; with TLS just an end. */
void kin_bench__connection_refuse(int fd, const struct kin_bench_settings *settings);

#endif
