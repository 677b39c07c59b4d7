/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server in a process of its own, which can fall silent: stopped in the middle of whatever it
 * does, killed, or behind a wire that is cut. It is the scripted server (http_server.h) with these
 * answers:
 *
 *     /size/N   N bytes
 *     /watch    chunks without an end: a line for every kin_test_peer_event() from then on
 *     /stall    nothing
 *     others    "peer\n"
 */
#ifndef KIN_TEST_PEER_H
#define KIN_TEST_PEER_H

#include <stdbool.h>

typedef struct kin_test_peer kin_test_peer;

typedef struct kin_test_peer_options {
    const char *certificate_file; /* with its key: TLS. NULL: plain */
    const char *key_file;
    const char *client_ca_file; /* a client's certificate is required, of one of these */
    /* In a network namespace of its own; kin_test_net_isolate() (netns.h) was called. The
     * certificates of kin_test_pki are good for its address. One such peer at a time. */
    bool in_namespace;
} kin_test_peer_options;

/* NULL; or why there is none on this machine (namespaces only), for the test to be skipped. */
const char *kin_test_peer_start(kin_test_peer **ret, const kin_test_peer_options *options);
/* In any state. */
void kin_test_peer_stop(kin_test_peer *peer);
/* BORROWED until it is stopped. */
const char *kin_test_peer_url(const kin_test_peer *peer);

/* SIGSTOP, and it has stopped: the kernel still takes connections and bytes, and nobody reads. */
void kin_test_peer_freeze(kin_test_peer *peer);
void kin_test_peer_thaw(kin_test_peer *peer);
/* SIGKILL, and it is gone: the kernel ends its connections. */
void kin_test_peer_kill(kin_test_peer *peer);
/*
 * For a peer in a namespace. Cut: the wire is taken down at the peer's end, and our kernel sees
 * that it has no carrier. Vanish: the peer loses its address; the wire is good, what we send is
 * sent, and nobody is there. Mend undoes both.
 */
void kin_test_peer_cut(kin_test_peer *peer);
void kin_test_peer_vanish(kin_test_peer *peer);
void kin_test_peer_mend(kin_test_peer *peer);

/* A line for everybody who watches. Not while it is frozen. */
void kin_test_peer_event(kin_test_peer *peer, const char *text);
/* Until the peer counts at least n of them: "connections", "requests", "stalled", "closed". */
void kin_test_peer_await(kin_test_peer *peer, const char *what, unsigned n);
/* How many there are now. */
unsigned kin_test_peer_count(kin_test_peer *peer, const char *what);

#endif
