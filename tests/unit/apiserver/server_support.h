/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server whose answers the test decides, and clients of it.
 *
 *     /echo        200, a line "METHOD PATH QUERY CALLER LENGTH", then the body
 *     /size/N      200, N bytes, whole
 *     /made/N      200, N bytes, made while they are sent
 *     /eager/N     200, N bytes, made one at a time; the reader is woken before it is told to wait
 *     /held        answered when the test says so
 *     …watch=…     200, a stream of what the test pushes
 *     else         404
 */
#ifndef KIN_TEST_SERVER_SUPPORT_H
#define KIN_TEST_SERVER_SUPPORT_H

#include <pthread.h>

#include "apiserver/server.h"
#include "http_client.h"

#define STREAMS_MAX 4096

typedef struct kin_test_server {
    kin__server *server;
    kin__service service;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct stream *streams[STREAMS_MAX]; /* (lock) */
    size_t n_streams;                    /* (lock) */
    size_t n_closed;                     /* (lock) sources that were closed, of all sorts */
    size_t n_opened;                     /* (lock) */
    kin__api_call *held[64];             /* (lock) */
    size_t n_held;                       /* (lock) */
    char *text;                          /* (lock) what was pushed so far */
    size_t text_len;                     /* (lock) */
    bool ended;                          /* (lock) */
    bool aborted;                        /* (lock) */
    unsigned commands;                   /* (lock) */
} kin_test_server;

/* Starts it; `options` may be NULL. Its logger is none. */
void kin_test_server_start(kin_test_server *test, const kin_apiserver_options *options);
/* Ends all that waits first, stops and frees. */
void kin_test_server_done(kin_test_server *test);

/* A connected socket that blocks, but not for ever. */
int kin_test_server_connect(const kin_test_server *test);
int kin_test_connect_port(uint16_t port);
/* One request on a connection of its own, all that came back. OWNED. */
char *kin_test_server_exchange(const kin_test_server *test, const char *request);
/* A handle for a path; CURLOPT_… are the caller's. */
CURL *kin_test_server_easy(const kin_test_server *test, const char *path);
struct got kin_test_server_get(const kin_test_server *test, const char *path);

/* Streams. */
void kin_test_server_await_streams(kin_test_server *test, size_t n);
void kin_test_server_await_closed(kin_test_server *test, size_t n);
void kin_test_server_push(kin_test_server *test, const char *text);
void kin_test_server_end_streams(kin_test_server *test);
void kin_test_server_abort_streams(kin_test_server *test);

/* Requests that are held. */
void kin_test_server_await_held(kin_test_server *test, size_t n);
void kin_test_server_answer_held(kin_test_server *test);

/* Waits until n requests for the path have come so far. */
void kin_test_server_await(kin_test_server *test, const char *path, kin_request_phase phase,
                           size_t n);
void kin_test_server_inject(kin_test_server *test, kin_fault fault);
bool kin_test_contains(const char *text, const char *part);

#endif
