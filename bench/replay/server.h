/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file server.h
 * Listening, one thread per connection, stopping.
 */
#ifndef KIN_BENCH_REPLAY_SERVER_H
#define KIN_BENCH_REPLAY_SERVER_H

#include "connection.h"

/** Most connections at a time; others get 503. */
#define KIN_BENCH_CONNECTIONS_MAX 1024

/**
 * Listen on a loopback address.
 * @param address  "127.0.0.1:0", "[::1]:8080"
 * @param scheme   of the URL: "http", "https"
 * @param[out] ret_url  "http://127.0.0.1:43211"
 * @return a descriptor, or -1 with a message.
 */
int kin_bench__server_listen(const char *address, const char *scheme, char *ret_url,
                             size_t url_size, char *message, size_t message_size);

/**
 * Serve until control (stdin) reaches its end, then end all connections. Closes nothing it was
 * given. SIGPIPE must be ignored.
 * @return 0, -1 (no memory, or control or the listening socket is broken) with a message.
 */
int kin_bench__server_run(int listener, int control, const struct kin_bench_settings *settings,
                          char *message, size_t message_size);

#endif
