/* SPDX-License-Identifier: Apache-2.0 */
/* The replay server under test, plain or with TLS, and the data that it serves. */
#ifndef KIN_TEST_REPLAY_FIXTURE_H
#define KIN_TEST_REPLAY_FIXTURE_H

#include "http_client.h"
#include "replay_server.h"

enum { REPLAY_PODS = 40, REPLAY_EVENTS = 800, REPLAY_FRAMES = 50, REPLAY_INITIAL_FRAMES = 20 };

/* What is served as pods.pb, the byte behind it included. */
extern const char replay_protobuf_list[36];
/* Where the data are. */
extern char *replay_data;

/* Group set-ups, which say how the servers of the group speak, and their tear-down. */
int replay_make_data(void **state);
int replay_make_data_for_tls(void **state);
int replay_drop_data(void **state);

/* A server that speaks as this group's do. */
void server_start_as_asked(struct server *s, const char *const *args);
void server_start_with_data(struct server *s);
void server_connect(const struct server *s, struct client *c);

/* The answer to a list is the file, byte by byte. */
void check_list(struct client *c, const char *target, const char *headers, const char *type,
                const char *file);

#endif
