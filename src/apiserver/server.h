/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP with all that belongs to it: tokens, certificates, the log of requests, metrics, faults. What
 * is served besides comes from whoever made it.
 */
#ifndef KIN_APISERVER_SERVER_H
#define KIN_APISERVER_SERVER_H

#include "apiserver/faults/faults.h"
#include "apiserver/http/metrics.h"
#include "apiserver/http/request_log.h"
#include "apiserver/kinds/failure.h"
#include "apiserver/protocol/reply.h"
#include "kinform/apiserver.h"

typedef struct kin__server kin__server;

/* Who answers what the server does not answer itself. BORROWED until the server is freed. */
typedef struct kin__service {
    /* As kin__http_options has it. */
    void (*serve)(void *arg, kin__api_call *call);
    /*
     * A command of the control endpoint, "compact"; true: done. False: *failure says why. NULL:
     * there are none. Does not block.
     */
    bool (*command)(void *arg, kin_str name, kin_str query, kin__failure *failure);
    /*
     * Restart the server, as kin_apiserver_restart(), from another thread than this one, which is
     * the server's. NULL: it cannot be. Does not block.
     */
    void (*restart)(void *arg, bool forget);
    void *arg;
} kin__service;

/* `options` are complete: of the size that this library knows. Codes as kin_apiserver_new(). */
int kin__server_new(kin__server **ret, const kin_apiserver_options *options,
                    const kin__service *service, kin_error *err);
void kin__server_free(kin__server *server);

/* 0, KIN_EBUSY, KIN_EFORKED, KIN_ENOMEM, KIN_ESYSTEM, KIN_ETLS. One at a time, with the next two. */
int kin__server_start(kin__server *server, kin_error *err);
/* The port is closed; what is under way goes on. The service ends its watches then. */
void kin__server_close_port(kin__server *server);
/* Waits for answers, closes connections, joins threads. */
void kin__server_stop(kin__server *server);
/* The same without waiting: whatever is under way is broken off. */
void kin__server_cut(kin__server *server);

bool kin__server_runs(const kin__server *server);
int kin__server_check_fork(const kin__server *server, kin_error *err);
const char *kin__server_get_url(const kin__server *server);
uint16_t kin__server_port(const kin__server *server);
int kin__server_kubeconfig(const kin__server *server, char **ret, kin_error *err);

/* With what these are to the listener. Any thread. */
int kin__server_inject(kin__server *server, const kin_fault *fault, uint64_t *ret_id,
                       kin_error *err);
/* Of one rule, or of each in {"faults": [rule, …]}; `added` may be NULL. Those before a wrong one stay. */
typedef void kin__fault_added_fn(uint64_t id, size_t index, void *arg);
int kin__server_inject_json(kin__server *server, kin_value rules, kin__fault_added_fn *added,
                            void *arg, kin_error *err);
int kin__server_remove_fault(kin__server *server, uint64_t id, uint64_t *ret_hits, kin_error *err);
int kin__server_clear_faults(kin__server *server, kin_error *err);

/* BORROWED. */
kin__faults *kin__server_faults(kin__server *server);
kin__request_log *kin__server_log(kin__server *server);
kin__metrics *kin__server_metrics(kin__server *server);
const kin__service *kin__server_service(const kin__server *server);

#endif
