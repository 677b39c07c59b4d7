/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The API: requests in, replies out, over a state and a registry. No sockets, no threads of its own but
 * one for what is due at a time (bookmarks, timeouts of watches, grace periods).
 */
#ifndef KIN_APISERVER_API_H
#define KIN_APISERVER_API_H

#include "apiserver/registry.h"
#include "apiserver/reply.h"
#include "apiserver/state.h"
#include "kinform/clock.h"
#include "kinform/log.h"

typedef struct kin__api kin__api;

/* What may be done to a watch on purpose; see faults.h. Asked for each event of each watch. */
struct kin__watch_faults;

typedef struct kin__api_options {
    kin__state *state;       /* BORROWED */
    kin_clock *clock;        /* BORROWED */
    kin_logger *logger;      /* SHARED */
    int64_t bookmark_ms;     /* how often watches that asked for bookmarks get one; 0: 60,000 */
    int64_t watch_timeout_ms; /* of watches that did not say; randomized up to twice that; 0: 1,800,000 */
    size_t max_body_bytes;   /* 0: 3 MiB, as the real one */
    uint64_t seed;           /* of names and uids; 0: random */
} kin__api_options;

/* Finds CustomResourceDefinitions and namespaces that the state has already; makes the namespaces default, kube-system,
 * kube-public, kube-node-lease. */
int kin__api_new(kin__api **ret, const kin__api_options *options, kin_error *err);
/* Ends all watches first (KIN__SOURCE_END); their sources may be closed later. */
void kin__api_stop(kin__api *api);
void kin__api_free(kin__api *api);
void kin__api_serve(kin__api *api, kin__api_call *call);

#endif
