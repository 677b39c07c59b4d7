/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API: requests in, replies out, over a state and a registry. No sockets, no threads of its own
 * but one for what is due at a time (bookmarks, timeouts of watches, grace periods).
 */
#ifndef KIN_APISERVER_VERBS_API_H
#define KIN_APISERVER_VERBS_API_H

#include "apiserver/kinds/registry.h"
#include "apiserver/protocol/reply.h"
#include "apiserver/state/state.h"
#include "kinform/clock.h"
#include "kinform/log.h"

typedef struct kin__api kin__api;

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
    struct kin__faults *faults; /* that watches meet; BORROWED; may be NULL */
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
