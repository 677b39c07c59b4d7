/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Calls: one request to the API server, from what is asked to what was answered.
 *
 * A call gets an identity, waits for its turn under the rate limit, is sent, has its answer decoded
 * as it comes, and is sent again when the retry rules say so. All of that is one state machine that
 * moves on when it is stepped. Who steps it is its consumer: the thread that waits for it, or the
 * client's workers, on a strand of the call's own. Callbacks run there, with no lock held; a callback
 * that blocks holds up the bytes behind it, and in the end the server.
 */
#ifndef KIN_CLIENT_CALL_H
#define KIN_CLIENT_CALL_H

#include "client/client.h"
#include "client/transport.h"
#include "kinform/call.h"

/* What becomes of the bytes of an answer. */
enum kin__answer_kind {
    KIN__ANSWER_OBJECT, /* one document */
    KIN__ANSWER_LIST,   /* items, each as it comes, then the list without them */
    KIN__ANSWER_WATCH,  /* events, each as it comes */
    KIN__ANSWER_TEXT,   /* kept as they are */
};

/* All is COPIED. */
typedef struct kin__call_spec {
    enum kin_verb verb; /* what the retry rules go by */
    const char *method;
    const char *target;       /* path and query */
    const char *accept;       /* media type */
    const char *json_accept;  /* that of JSON, if `accept` is protobuf's, else NULL */
    kin_resource *resource;   /* for that; SHARED: a reference is taken. Or NULL */
    const char *content_type; /* of the body; NULL: none */
    kin_str body;
    enum kin__answer_kind kind;
    enum kin__lane_kind lane;
    const kin_decode_options *decode; /* NULL for the defaults */
    int64_t timeout_ms;               /* all tries together; -1: never */
    bool unlimited;                   /* it does not wait for the rate limit; watches never do */
    int64_t idle_ns;                  /* as kin__exchange_spec */
    int max_retries;                  /* 0: the client's; negative: none */
    uint64_t listed;                  /* of a list: bytes of its pages before this one */
    bool is_streaming_list;           /* a watch with initial events */
    /*
     * Complete; NULL: none. kin__call_run() leaves out all but `item` and `event`. `arg` is BORROWED until the call has
     * ended, or CONSUMED by kin__call_start().
     */
    const kin_call_handlers *handlers;
} kin__call_spec;

/* *ret is SHARED. 0, KIN_EINVAL, KIN_ECLOSED (the client is), KIN_ENOMEM, KIN_ESYSTEM. */
int kin__call_new(kin_call **ret, kin_client *client, const kin__call_spec *spec, kin_error *err);

/* Do all of it in this thread. 0, or why it failed. Once per call. */
int kin__call_run(kin_call *call, kin_error *err);

/*
 * Let the workers do it; the handlers' `done` runs on a worker, exactly once, when it has ended, then `arg_free`, and
 * after these nothing of the call runs. 0, or a code: then neither runs. Once per call.
 */
int kin__call_start(kin_call *call, kin_error *err);

/* What a call for protobuf does with JSON. */
enum kin__json_use {
    KIN__JSON_NEXT, /* asks for it if protobuf cannot be used */
    KIN__JSON_LEFT, /* leaves that to its caller: it fails with KIN_EPROTOCOL and kin__call_needs_json() */
    KIN__JSON_FIRST, /* asks for it at once, since the server has refused protobuf to another call */
};

/* Before it is begun; otherwise KIN__JSON_NEXT. */
void kin__call_use_json(kin_call *call, enum kin__json_use use);

/* As kin_client_start(). */
int kin__client_start(kin_client *client, kin_call **ret, const kin_request *request,
                      const kin_call_handlers *handlers, enum kin__json_use use, kin_error *err);

/* When its server was last known to be alive; 0: never. Any thread. */
int64_t kin__call_last_heard(kin_call *call);

/* Whether the caller is one of its callbacks. */
bool kin__call_runs_here(kin_call *call);
/* The call that is linked into its client's list. */
kin_call *kin__call_of_link(kin__list *link);

/* --- what was answered; valid once it has ended, BORROWED from the call --- */

/* The object, or the list without its items; NULL if there is none. */
const kin_object *kin__call_object(const kin_call *call);
/* The Status that it failed with; NULL if there is none. */
const kin_object *kin__call_status(const kin_call *call);
/* Whether the server had agreed, and its answer begun: a failure came later. */
bool kin__call_stood(const kin_call *call);
/* Of a list: its bytes and those of the pages before it; else 0. */
uint64_t kin__call_listed(const kin_call *call);
/* How the answer is written. Any thread, at any time. */
kin_encoding kin__call_encoding(const kin_call *call);
/* Whether JSON was asked for, or will be, because protobuf could not be used. Any thread, at any time. */
bool kin__call_fell_back(const kin_call *call);
/*
 * Whether it failed since protobuf cannot be used, after objects were delivered or with KIN__JSON_LEFT. The next call may
 * follow at once: unless the server has refused protobuf, it asks for JSON by itself. Any thread, at any time.
 */
bool kin__call_needs_json(const kin_call *call);
/* The text. */
kin_str kin__call_text(const kin_call *call);

#endif
