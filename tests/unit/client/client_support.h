/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client, a scripted server, and a fake clock, for tests of requests.
 */
#ifndef KIN_TEST_CLIENT_SUPPORT_H
#define KIN_TEST_CLIENT_SUPPORT_H

#include <stdatomic.h>

#include "http_server.h"
#include "kin_test.h"
#include "kinform/call.h"
#include "kinform/client.h"
#include "latch.h"

#define POD                                                                                        \
    "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"web\","                      \
    "\"namespace\":\"ns\",\"resourceVersion\":\"7\"}}"
#define ITEM(name) "{\"metadata\":{\"name\":\"" name "\",\"namespace\":\"ns\"}}"
#define LIST(meta, items)                                                                          \
    "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{" meta "},\"items\":[" items "]}"
#define PODS LIST("\"resourceVersion\":\"9\"", ITEM("a") "," ITEM("b"))
#define EVENT(type, name, version)                                                                 \
    "{\"type\":\"" type "\",\"object\":{\"metadata\":{\"name\":\"" name                            \
    "\",\"resourceVersion\":\"" version "\"}}}\n"
#define STATUS(code, reason)                                                                       \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"reason\":\"" reason       \
    "\",\"message\":\"it says " reason "\",\"code\":" #code "}"

typedef struct client_fixture {
    kin_test_http *server;
    kin_client *client;
    kin_resource *pods;
} client_fixture;

/* A server without routes, and a client of it. `options` may be NULL; its config is filled in. */
void client_open(client_fixture *f, const kin_client_options *options,
                 const kin_test_http_options *server);
/*
 * The same with a configuration, of which the server is filled in; its TLS is not verified unless there
 * is a file of CAs.
 */
void client_open_as(client_fixture *f, const kin_client_options *options,
                    const kin_test_http_options *server, const kin_config_options *config);
void client_close(client_fixture *f);

/* A test that leaves no allocation behind, on any thread. */
#define client_test(name)                                                                          \
    cmocka_unit_test_setup_teardown(name, client_note_allocations, client_check_allocations)
int client_note_allocations(void **state);
int client_check_allocations(void **state);
/* Wait until there are so many; whether there are. What threads hold they give back before they go. */
bool client_await_allocations(size_t n);

/* A fake clock, and one that is moved when so many wait on it. */
kin_clock *client_fake_clock(void);
void client_advance(kin_clock *clock, size_t waiters, int64_t ms);

/* Text, to be freed: LIST() of `n` items "i0", "i1", … with so much stuffing in each. */
char *client_long_list(size_t n, size_t stuffing);

/* Answer a target with JSON. */
void client_route(client_fixture *f, const char *method, const char *target, int status,
                  const char *body);

/* A document. */
const kin_object *client_object(const char *json);

/* What a callback got: "a b c" of the keys of objects, each with a type before it if it has one. */
typedef struct client_seen {
    char text[4096];
    size_t n;
    size_t stop_at; /* fail with KIN_ERANGE when so many were seen; 0: never */
} client_seen;

int client_see_item(const kin_object *object, void *seen, kin_error *err);
int client_see_event(enum kin_watch_type type, const kin_object *object, void *seen,
                     kin_error *err);

/* What an asynchronous request has told. */
typedef struct client_told {
    client_seen seen;
    atomic_uint n_done;
    atomic_uint n_freed;
    atomic_bool out_of_order; /* something came behind the end, or the end behind the release */
    int code;                 /* of the end, as are those below */
    kin_error err;
    char key[256]; /* of the object */
    bool has_object;
    int status_code;      /* of the Status; 0: none */
    kin_test_latch told;  /* items and events */
    kin_test_latch ended; /* released */
    /* Called with what was told, before it is counted: 'i'tem, 'e'vent, 'd'one, 'f'ree. */
    void (*hook)(struct client_told *told, char what);
    void *hook_arg;
} client_told;

void client_told_init(client_told *told);
void client_told_done(client_told *told);
kin_call_handlers client_told_handlers(client_told *told);
/* Start a request of the fixture's pods in "ns"; list and watch in all namespaces. */
kin_call *client_start(client_fixture *f, enum kin_verb verb, client_told *told,
                       const kin_request_options *options);
/* It ended once, everything in its order, with this code. Waits for the end. */
void client_assert_ended(client_told *told, int code);

#endif
