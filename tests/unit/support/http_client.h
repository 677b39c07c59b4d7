/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two clients for the tests of the scripted server that share no code with it: a bare socket that
 * sees every byte, and libcurl, which judges as a real client does.
 */
#ifndef KIN_TEST_HTTP_CLIENT_H
#define KIN_TEST_HTTP_CLIENT_H

#include <curl/curl.h>
#include <stddef.h>

#include "http_server.h"

/* A connected socket that blocks, but not for ever. */
int raw_connect(const kin_test_http *server);
void raw_send(int fd, const char *text);
/* Until the other side closes; terminated. The length, or -1 if it was reset. OWNED. */
ptrdiff_t raw_read_all(int fd, char **ret);
/* Until `text` is the end of what came; OWNED. */
char *raw_read_until(int fd, const char *text);
/* One request on a connection of its own, all that came back. OWNED. */
char *raw_exchange(const kin_test_http *server, const char *request);

struct got {
    CURLcode code;
    long status;
    char content_type[64];
    char *body; /* terminated */
    size_t len;
    size_t writes; /* how often bytes came */
    long connects; /* new connections for this one */
};

CURL *easy_new(const kin_test_http *server, const char *target);
/* Perform it. Release with got_done(). */
struct got easy_get(CURL *easy);
void got_done(struct got *got);
/* A new handle, a request, the end of the handle. */
struct got fetch(const kin_test_http *server, const char *target);

#endif
