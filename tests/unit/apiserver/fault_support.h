/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole API server that is told to misbehave, in C or by its control endpoint, and bare sockets that
 * see what it does then.
 */
#ifndef KIN_TEST_FAULT_SUPPORT_H
#define KIN_TEST_FAULT_SUPPORT_H

#include "http_client.h"
#include "kinform/apiserver.h"

#define MAPS "/api/v1/namespaces/default/configmaps"

/* A server with a control endpoint and a fake clock, and in it the config maps a, b and c. */
typedef struct fault_fixture {
    kin_apiserver *server;
    kin_clock *clock;
    bool by_http; /* how faults are injected */
} fault_fixture;

/* The same fault in both languages. */
typedef struct fault_pair {
    kin_fault fault;
    const char *json;
} fault_pair;

/* `FAULT(KIN_FAULT_RESET, .bytes = 5)`, of a pair or alone. */
#define FAULT(type_, ...)                                                                          \
    {                                                                                              \
        .size = sizeof(kin_fault), .type = (type_), __VA_ARGS__                                    \
    }

void fault_open(fault_fixture *f, bool by_http);
void fault_close(fault_fixture *f);

/* The rule's id. */
uint64_t fault_inject(fault_fixture *f, const fault_pair *pair);
/* The rules as the control endpoint shows them, without their numbers. OWNED. */
char *fault_show(fault_fixture *f);
/* How often it has applied; removes it. */
uint64_t fault_hits(fault_fixture *f, uint64_t id);

int fault_connect(const fault_fixture *f);
/* Send a line, "GET /path", with the rest of a head. */
void fault_send(int fd, const char *line);
/* A request on a connection of its own, all that came back. OWNED. */
char *fault_ask(const fault_fixture *f, const char *line);
void fault_post(const fault_fixture *f, const char *path, const char *body);
void fault_create(const fault_fixture *f, const char *name);
/* The body of a response, chunked or not, as far as it came; OWNED. */
char *fault_body(const char *response);
/* "ADDED a@6 ERROR@": the events of a response; BORROWED until the next call. */
const char *fault_events(const char *response);
/* Whether a chunked response has come to its proper end. */
bool fault_is_whole(const char *response);

#endif
