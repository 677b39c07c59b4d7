/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of kin-bench-reconciler. Nothing here can fail and return: a run that fails has no
 * figures.
 */
#ifndef KIN_BENCH_RECONCILER_H
#define KIN_BENCH_RECONCILER_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* A controller as a process of its own. */
struct kin_bench_child {
    pid_t pid;
    int input;           /* a line ends it */
    FILE *output;        /* what it says; a full pipe would hold it up */
    char kubeconfig[32]; /* a file that goes with it */
};

/* Start it for a server, and wait until it says that it runs. */
void kin_bench_child_start(struct kin_bench_child *child, const char *program, const char *url);
/* Its CPU time so far, in nanoseconds. */
int64_t kin_bench_child_cpu(const struct kin_bench_child *child);
/* End it, which must go well. */
void kin_bench_child_stop(struct kin_bench_child *child);

#endif
