/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A body that goes wrong while it is sent, as a rule says.
 */
#ifndef KIN_APISERVER_HTTP_FAULT_SOURCE_H
#define KIN_APISERVER_HTTP_FAULT_SOURCE_H

#include "apiserver/http/pulse.h"
#include "apiserver/protocol/reply.h"
#include "kinform/apiserver.h"

/* What it does to the connection. */
typedef struct kin__fault_wire {
    kin__pulse *pulse;
    void (*reset)(void *arg);    /* send a reset */
    void (*truncate)(void *arg); /* send the beginning of a chunk */
    void *arg;                   /* both are called while the source is being read */
    const char *verb;            /* of the request, which says where objects are; static */
    bool is_protobuf;            /* the body is */
} kin__fault_wire;

/* Whether a fault is one of the body, once there is an answer. */
bool kin__fault_is_of_body(const kin_fault *fault);
/* `inner` CONSUMED. 0, KIN_ENOMEM: it is still the caller's. */
int kin__fault_source_new(kin__source **ret, kin__source *inner, const kin_fault *fault,
                          const kin__fault_wire *wire);

#endif
