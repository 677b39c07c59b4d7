/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API: requests in, replies out, over a state and a registry. No sockets, no threads of its own
 * but one for what is due at a time (bookmarks, timeouts of watches, grace periods).
 */
#ifndef KIN_APISERVER_API_H
#define KIN_APISERVER_API_H

#include "apiserver/registry.h"
#include "apiserver/reply.h"
#include "apiserver/state.h"
#include "kinform/clock.h"
#include "kinform/log.h"

typedef struct kin__api kin__api;

/* What a watch sends. */
enum kin__event_type {
    KIN__EVENT_ADDED,
    KIN__EVENT_MODIFIED,
    KIN__EVENT_DELETED,
    KIN__EVENT_BOOKMARK,
    KIN__EVENT_ERROR
};

/* An event that is about to be sent. All BORROWED for the call. */
typedef struct kin__watch_event {
    const kin__kind *kind;
    enum kin__event_type type;
    kin_str key;      /* "namespace/name"; "" of bookmarks */
    uint64_t version; /* of the change */
    uint64_t watch;   /* a number that each watch has for itself */
    bool is_initial; /* of the state with which the watch began, the bookmark at its end included */
} kin__watch_event;

/* What is done to it on purpose. */
enum kin__watch_fault {
    KIN__WATCH_FAULT_NONE,
    KIN__WATCH_FAULT_DROP,      /* it is not sent */
    KIN__WATCH_FAULT_DUPLICATE, /* it is sent twice */
    KIN__WATCH_FAULT_DELAY,     /* it is sent behind the next one */
    KIN__WATCH_FAULT_EXPIRE,    /* in its place the watch ends with an ERROR event of 410 */
    KIN__WATCH_FAULT_END,       /* in its place the watch ends */
    KIN__WATCH_FAULT_ABORT      /* in its place the connection breaks */
};
/* Asked for each event of each watch, once. Any thread, no lock; must not block. */
typedef enum kin__watch_fault kin__watch_fault_fn(const kin__watch_event *event, void *arg);

typedef struct kin__api_options {
    kin__state *state;   /* BORROWED */
    kin_clock *clock;    /* BORROWED */
    kin_logger *logger;  /* SHARED */
    int64_t bookmark_ms; /* how often watches that asked for bookmarks get one; 0: 60,000 */
    /* Of watches that did not say; randomized up to twice that; 0: 1,800,000. */
    int64_t watch_timeout_ms;
    size_t max_body_bytes; /* 0: 3 MiB, as the real one */
    uint64_t seed;         /* of names and uids; 0: random */
    /*
     * Nobody ends what has a grace period: Pods that run on a node stay until somebody deletes them
     * with a grace period of 0. Else the server does that when the time has come, in place of a
     * kubelet.
     */
    bool no_kubelet;
    const char *server_address; /* COPIED: "127.0.0.1:6443", for discovery; may be NULL */
    kin__watch_fault_fn *fault; /* may be NULL */
    void *fault_arg;            /* BORROWED while the API lives */
} kin__api_options;

/*
 * Finds CustomResourceDefinitions and namespaces that the state has already; makes the namespaces
 * default, kube-system, kube-public, kube-node-lease. 0, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__api_new(kin__api **ret, const kin__api_options *options, kin_error *err);
/*
 * Ends all watches (KIN__SOURCE_END), and answers what waits for a version that is not there yet.
 * Their sources are closed before the API is freed.
 */
void kin__api_stop(kin__api *api);
/* Stopped. Waits for writes that the storage has not confirmed. May be NULL. */
void kin__api_free(kin__api *api);
/* Any thread, any number at once. */
void kin__api_serve(kin__api *api, kin__api_call *call);
/*
 * Whether there is a kubelet now for Pods that run on a node and that a controller has made: as
 * `no_kubelet`, but for those alone, and at any time. Other Pods still have none but the server.
 * Any thread. 0, KIN_ENOMEM (when it goes: Pods whose end it was to bring stay).
 */
int kin__api_set_kubelet(kin__api *api, bool is_there, kin_error *err);

#endif
