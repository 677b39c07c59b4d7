/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of kin-bench-apiserver. Nothing here can fail and return.
 */
#ifndef KIN_BENCH_APISERVER_H
#define KIN_BENCH_APISERVER_H

#include <sys/types.h>

#include "load.h"
#include "measure.h"

/* What is measured, as the arguments say. */
struct kin_bench_run {
    const char *url;  /* NULL: start a server */
    const char *pods; /* a list of Pods; NULL: none */
    bool sqlite;      /* serve: with a storage, in a folder that goes at the end */
    size_t connections;
    size_t depth; /* requests on the way, of each connection */
    size_t streams;
    size_t events;
};

void kin_bench_serve(const struct kin_bench_run *run);
void kin_bench_start(const struct kin_bench_run *run);
void kin_bench_create(const struct kin_bench_run *run);
void kin_bench_memory(const struct kin_bench_run *run);
void kin_bench_watch(const struct kin_bench_run *run);

/* --- wire.c: requests that are ready to be sent --- */

#define KIN_BENCH_HEAD_MAX 232

/* What is sent, in pieces: nothing is copied. */
struct kin_bench_request {
    char head[KIN_BENCH_HEAD_MAX];
    size_t head_len;
    kin_str parts[2]; /* of the body; BORROWED */
};

/* Its head, for a body that is `inside`, which follows the head at once, and then the parts. */
void kin_bench_request_init(struct kin_bench_request *request, const char *method, const char *path,
                            const char *inside, kin_str first, kin_str second);

/* A socket to the server, which does not block. */
int kin_bench_connect(const char *url);
/* Send all of them, many at a time, and receive as many answers, all of which must have the status. */
void kin_bench_exchange(const struct kin_bench_run *run, const struct kin_bench_request *requests,
                        size_t n, int status);

/* --- pods.c: Pods as requests --- */

struct kin_bench_pods {
    struct kin_bench_items items;
    struct kin_bench_request *creates;
    struct kin_bench_request *statuses; /* updates, because what is created has no status */
};

void kin_bench_pods_load(struct kin_bench_pods *pods, const char *file);
/* Make the namespaces that they are in. */
void kin_bench_pods_make_namespaces(const struct kin_bench_pods *pods,
                                    const struct kin_bench_run *run);
void kin_bench_pods_done(struct kin_bench_pods *pods);

#endif
