/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A command that is measured: a process of its own, which knows nothing of it. It finds the server by a kubeconfig, has a home of
 * its own, which is empty at first, and writes to /dev/null.
 */
#ifndef KIN_BENCH_CLI_CHILD_H
#define KIN_BENCH_CLI_CHILD_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "measure.h"

struct kin_bench_child {
    pid_t pid;         /* 0: it does not run */
    int64_t began;     /* by CLOCK_MONOTONIC, before it was started */
    FILE *said;        /* its standard error; NULL: ours is its */
    char home[1024];   /* a folder */
    char config[1040]; /* a file in it */
};

/* Where files are made that do not stay: TMPDIR, or /tmp. */
const char *kin_bench_temporary(void);
/* `listens`: its standard error is read, by kin_bench_child_await(). Never fails: it dies. */
void kin_bench_child_start(struct kin_bench_child *child, const char *url, char *const *argv,
                           bool listens);
/* Until it says a line that begins so. */
void kin_bench_child_await(struct kin_bench_child *child, const char *prefix);
/* What it has used so far, since it was started. */
void kin_bench_child_used(const struct kin_bench_child *child, struct kin_bench_usage *ret);
/* As it is now. */
void kin_bench_child_memory(const struct kin_bench_child *child, struct kin_bench_memory *ret);
/* Ended by SIGTERM. */
void kin_bench_child_stop(struct kin_bench_child *child);
/* Until it has ended by itself, with 0: what it has used, and its peak. */
void kin_bench_child_wait(struct kin_bench_child *child, struct kin_bench_usage *ret,
                          size_t *ret_peak_rss);

#endif
