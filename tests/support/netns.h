/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Network namespaces: a wire that a test can cut. The test's process moves into a namespace of its
 * own, so that the machine's network is not touched, and a peer has another at the wire's end.
 */
#ifndef KIN_TEST_NETNS_H
#define KIN_TEST_NETNS_H

#include <stdbool.h>
#include <sys/types.h>

#define KIN_TEST_NETNS_OURS "10.99.0.1"
#define KIN_TEST_NETNS_PEERS "10.99.0.2"
#define KIN_TEST_NETNS_LINK "kin-peer" /* its name at the peer's end */

/*
 * To be called first in main(), before there are threads: threads that exist do not move.
 * NULL, or why it cannot be done here (then the test is to be skipped, aloud).
 */
const char *kin_test_net_isolate(void);
/* Whether it was called and has succeeded. */
bool kin_test_net_isolated(void);

/* For the peer. */
const char *kin_test_net_unshare(void);
/* A wire to the namespace of a process, our end up; 0 or an errno. There is one at a time. */
int kin_test_net_join(pid_t peer);
/* At either end: another address (NULL: the old one; "0.0.0.0": none), up or down. 0 or errno. */
int kin_test_net_link(const char *name, const char *address, bool up);

#endif
