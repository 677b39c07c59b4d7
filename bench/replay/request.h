/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file request.h
 * What a client asks for: the head of an HTTP/1.1 request, its route and its Accept header.
 * Bytes in, a struct out; no I/O, no allocation, no state outside the arguments.
 */
#ifndef KIN_BENCH_REPLAY_REQUEST_H
#define KIN_BENCH_REPLAY_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Longest head of a request; a client that sends more is answered with 431. */
#define KIN_BENCH_HEAD_MAX ((size_t)64 * 1024)
/** Longest target (path and query); beyond it 414. */
#define KIN_BENCH_TARGET_MAX ((size_t)8 * 1024)
/** Longest Accept, all headers of this name together; beyond it 431. */
#define KIN_BENCH_ACCEPT_MAX ((size_t)8 * 1024)

enum kin_bench_parse {
    KIN_BENCH_PARSE_MORE,  /* the head is not complete yet */
    KIN_BENCH_PARSE_DONE,  /* a good request */
    KIN_BENCH_PARSE_ERROR, /* status and problem say how to answer; then close */
};

struct kin_bench_request {
    bool get;                              /* the method is GET; others are not served */
    bool close;                            /* the client wants the connection closed afterwards */
    bool watch;                            /* watch=1|true */
    bool send_initial_events;              /* sendInitialEvents=1|true; only together with watch */
    bool body;                             /* a body follows the head */
    char path[KIN_BENCH_TARGET_MAX + 1];   /* percent-decoded, terminated, no NUL inside */
    char accept[KIN_BENCH_ACCEPT_MAX + 1]; /* all Accept headers, comma separated; "" if none */
    /* With KIN_BENCH_PARSE_ERROR: */
    int status;          /* 400, 414, 431 or 505 */
    const char *problem; /* static, fit for a JSON string */
};

/**
 * Parse the head of a request from the bytes received so far.
 *
 * @param data, size  all bytes since the end of the previous request.
 * @param scanned     in and out, 0 for a new request: how far earlier calls have looked, so that a
 *                    head that comes byte by byte is still read in linear time.
 * @param[out] ret_used  with KIN_BENCH_PARSE_DONE: length of the head. What follows is the next
 *                       request (or the body).
 */
enum kin_bench_parse kin_bench_request_parse(struct kin_bench_request *ret, const char *data,
                                             size_t size, size_t *scanned, size_t *ret_used);

enum kin_bench_route {
    KIN_BENCH_ROUTE_NONE,    /* 404 */
    KIN_BENCH_ROUTE_VERSION, /* /version */
    KIN_BENCH_ROUTE_PODS,    /* anything that ends in /pods */
    KIN_BENCH_ROUTE_OTHER,   /* a resource that has no objects here */
};

/** The kind that a path's resource has. */
struct kin_bench_kind {
    char kind[80];         /* "Deployment" */
    char api_version[160]; /* "apps/v1" */
};

/** @param[out] ret  set for PODS and OTHER. */
enum kin_bench_route kin_bench_route(const char *path, struct kin_bench_kind *ret);

enum kin_bench_format {
    KIN_BENCH_JSON,
    KIN_BENCH_PROTOBUF, /* application/vnd.kubernetes.protobuf */
    KIN_BENCH_METADATA, /* application/json;as=PartialObjectMetadata(List) */
    KIN_BENCH_FORMAT_COUNT,
};

/**
 * Choose a format: the first entry of Accept that is available wins; quality values do not count,
 * except that q=0 excludes. No Accept at all means anything.
 * @param available  mask of (1u << enum kin_bench_format)
 * @return 0, -1 (nothing fits: 406).
 */
int kin_bench_negotiate(enum kin_bench_format *ret, const char *accept, bool watch,
                        unsigned available);

#ifdef __cplusplus
}
#endif

#endif
