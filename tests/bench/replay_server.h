/* SPDX-License-Identifier: Apache-2.0 */
/* The replay server as a child process. */
#ifndef KIN_TEST_REPLAY_SERVER_H
#define KIN_TEST_REPLAY_SERVER_H

#include "bench_test.h"

struct server {
    struct child child;
    char url[128];
    uint16_t port;
    char ca[1024]; /* "": plain */
};

const char *replay_program(void);
/* Start it, and read where it listens. */
void server_start(struct server *s, const char *const *args);
void server_stop(struct server *s);

#endif
