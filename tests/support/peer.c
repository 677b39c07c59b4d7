/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side: a program is started, since a forked copy of a test with threads would not do
 * under TSan.
 */
#include "peer.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kin_test.h"
#include "netns.h"
#include "program.h"

struct kin_test_peer {
    kin_test_program program;
    char url[128];
};

/* The namespace is there; now the wire to it. NULL or why not. */
static const char *wire(kin_test_peer *peer)
{
    const char *first = kin_test_program_hear(&peer->program);

    if (strcmp(first, "unshared") != 0)
        return "no network namespace for the peer";
    int os_error = kin_test_net_join(peer->program.pid);

    if (os_error != 0) {
        print_message("wire to the peer: %s\n", strerror(os_error));
        return "no wire between network namespaces (veth)";
    }
    kin_test_program_tell(&peer->program, "go", NULL);
    return NULL;
}

const char *kin_test_peer_start(kin_test_peer **ret, const kin_test_peer_options *options)
{
    const char *const arguments[] = {KIN_TEST_PEER,
                                     options->in_namespace ? "namespace" : "loopback",
                                     options->certificate_file,
                                     options->key_file,
                                     options->client_ca_file,
                                     NULL};
    const char *why = NULL;

    if (options->in_namespace && !kin_test_net_isolated())
        return "the test has no network namespace of its own";
    kin_test_peer *peer = calloc(1, sizeof(*peer));

    assert_non_null(peer);
    kin_test_program_start(&peer->program, arguments);
    if (options->in_namespace)
        why = wire(peer);
    if (why) {
        kin_test_peer_stop(peer);
        return why;
    }
    snprintf(peer->url, sizeof(peer->url), "%s", kin_test_program_hear(&peer->program));
    *ret = peer;
    return NULL;
}

void kin_test_peer_kill(kin_test_peer *peer)
{
    if (peer->program.pid == 0)
        return;
    kill(peer->program.pid, SIGKILL);
    kin_test_program_wait(&peer->program, 0);
}

void kin_test_peer_stop(kin_test_peer *peer)
{
    if (!peer)
        return;
    kin_test_program_stop(&peer->program);
    free(peer);
}

const char *kin_test_peer_url(const kin_test_peer *peer)
{
    return peer->url;
}

/* --- silence --- */

void kin_test_peer_freeze(kin_test_peer *peer)
{
    assert_int_equal(kill(peer->program.pid, SIGSTOP), 0);
    kin_test_program_wait(&peer->program, WUNTRACED);
}

void kin_test_peer_thaw(kin_test_peer *peer)
{
    assert_int_equal(kill(peer->program.pid, SIGCONT), 0);
    kin_test_program_wait(&peer->program, WCONTINUED);
}

void kin_test_peer_cut(kin_test_peer *peer)
{
    kin_test_program_order(&peer->program, "down", NULL);
}

void kin_test_peer_vanish(kin_test_peer *peer)
{
    kin_test_program_order(&peer->program, "vanish", NULL);
}

void kin_test_peer_mend(kin_test_peer *peer)
{
    kin_test_program_order(&peer->program, "up", NULL);
}

/* --- others --- */

void kin_test_peer_event(kin_test_peer *peer, const char *text)
{
    kin_test_program_order(&peer->program, "event", text);
}

unsigned kin_test_peer_count(kin_test_peer *peer, const char *what)
{
    kin_test_program_tell(&peer->program, "count", what);
    return (unsigned)strtoul(kin_test_program_hear(&peer->program), NULL, 10);
}

void kin_test_peer_await(kin_test_peer *peer, const char *what, unsigned n)
{
    char text[64];

    snprintf(text, sizeof(text), "%s %u", what, n);
    kin_test_program_order(&peer->program, "await", text);
}
