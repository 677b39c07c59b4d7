/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client, a scripted server, and a fake clock, for tests of requests.
 */
#ifndef KIN_TEST_CLIENT_SUPPORT_H
#define KIN_TEST_CLIENT_SUPPORT_H

#include "http_server.h"
#include "kin_test.h"
#include "kinform/call.h"
#include "kinform/client.h"

typedef struct client_fixture {
    kin_test_http *server;
    kin_client *client;
    kin_resource *pods;
} client_fixture;

/* A server without routes, and a client of it. `options` may be NULL; its config is filled in. */
void client_open(client_fixture *f, const kin_client_options *options,
                 const kin_test_http_options *server);
void client_close(client_fixture *f);

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

#endif
