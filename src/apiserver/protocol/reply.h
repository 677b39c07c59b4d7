/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between HTTP and the API: a request as it was received, and what is answered. The API knows no
 * sockets and no libmicrohttpd; it is tested and fuzzed without them.
 */
#ifndef KIN_APISERVER_PROTOCOL_REPLY_H
#define KIN_APISERVER_PROTOCOL_REPLY_H

#include <stdbool.h>

#include "apiserver/kinds/failure.h"
#include "base/buf.h"
#include "kinform/clock.h"
#include "kinform/error.h"
#include "kinform/object.h"

/* Who asks. */
typedef struct kin__caller {
    const char *name; /* "admin", "system:anonymous" */
    bool read_only;
} kin__caller;

/* BORROWED by the API until the reply was given. */
typedef struct kin__request {
    kin_str method; /* "GET" */
    kin_str path;   /* as sent, still percent-encoded, without the query */
    kin_str query;  /* as sent, without "?" */
    kin_str accept; /* "" if there is none */
    kin_str content_type;
    kin_str user_agent;
    kin_str if_none_match; /* an ETag, for discovery; "" if there is none */
    kin_str body;
    kin__caller caller;
    /*
     * From inside the process: `object`, if it is not NULL, is the body, already read; and an object
     * that is answered is handed over as it is stored.
     */
    bool is_inside;
    const kin_object *object;
} kin__request;

enum kin__source_result {
    KIN__SOURCE_DATA, /* *ret_len > 0 bytes were written */
    KIN__SOURCE_WAIT, /* nothing now: `wake` will be called */
    KIN__SOURCE_END,  /* that was all */
    KIN__SOURCE_ABORT /* break the connection off */
};

/* A body that is made while it is sent. One caller at a time. */
typedef struct kin__source {
    enum kin__source_result (*read)(struct kin__source *source, char *buf, size_t size,
                                    size_t *ret_len);
    /* The reader has gone or has read to the end; frees it. After this, `wake` is not called any more. */
    void (*close)(struct kin__source *source);
    /* Set by the reader before its first read. Any thread, no lock held, must not block. */
    void (*wake)(void *arg);
    void *wake_arg;
    /* The first rule for faults that it has met while it was read; 0: none. The reader's thread's. */
    uint64_t fault;
} kin__source;

typedef struct kin__reply_header {
    const char *name; /* static */
    char value[256];
} kin__reply_header;

typedef struct kin__reply {
    int status;
    const char *content_type; /* static; "application/json" unless set */
    kin__reply_header headers[4];
    unsigned n_headers;
    kin__buf body;            /* a whole body, */
    kin__source *source;      /* or one that is made while it is sent (chunked), */
    bool is_long;             /* which is long for certain, */
    const kin_object *object; /* or, for who is inside, an object: a reference */
    bool is_gone;             /* which was deleted: this is its last state */
    /*
     * The request is over: all was sent, or the connection has gone. From the server's thread, with
     * no lock held; must not block. Only of replies that are given at once. NULL: nobody cares.
     */
    void (*over)(void *arg);
    void *over_arg;
} kin__reply;

/* The reply that says what failed, with Retry-After where the failure has it. */
void kin__failure_reply(const kin__failure *failure, kin__reply *ret);

/* One request on its way through the API. Whoever receives it (HTTP, or a test) embeds this. */
typedef struct kin__api_call {
    const kin__request *request; /* BORROWED until the answer */
    /*
     * The reply, CONSUMED. Called exactly once, from any thread without a lock, possibly before
     * kin__api_serve() returns.
     */
    void (*answer)(struct kin__api_call *call, kin__reply *reply);
} kin__api_call;

#endif
