/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parent's side: a program is started (a forked copy of a test with threads would not do under
 * TSan), and told by lines on its standard input what to do. It answers each by a line.
 */
#include "peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kin_test.h"
#include "netns.h"

extern char **environ;

struct kin_test_peer {
    pid_t pid;
    int to, from;
    char url[128];
    char line[512]; /* the last answer */
};

/* ---- Lines */

static void tell(kin_test_peer *peer, const char *command, const char *text)
{
    char line[1024];
    int len = snprintf(line, sizeof(line), "%s%s%s\n", command, text ? " " : "", text ? text : "");

    assert_true(len > 0 && (size_t)len < sizeof(line));
    assert_int_equal(write(peer->to, line, (size_t)len), len);
}

/* The answer's line, without its end. */
static const char *hear(kin_test_peer *peer)
{
    size_t len = 0;

    for (;;) {
        struct pollfd fd = {.fd = peer->from, .events = POLLIN};

        assert_int_equal(poll(&fd, 1, KIN_TEST_TIMEOUT_MS), 1);
        assert_true(len + 1 < sizeof(peer->line));
        ssize_t n = read(peer->from, peer->line + len, 1);

        if (n != 1)
            fail_msg("the peer has left");
        if (peer->line[len] == '\n')
            break;
        len++;
    }
    peer->line[len] = '\0';
    return peer->line;
}

static void order(kin_test_peer *peer, const char *command, const char *text)
{
    tell(peer, command, text);
    assert_string_equal(hear(peer), "ok");
}

/* ---- Start and end */

static void spawn(kin_test_peer *peer, const kin_test_peer_options *options)
{
    const char *arguments[] = {KIN_TEST_PEER,
                               options->in_namespace ? "namespace" : "loopback",
                               options->certificate_file,
                               options->key_file,
                               options->client_ca_file,
                               NULL};
    posix_spawn_file_actions_t actions;
    int in[2];
    int out[2];

    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    int os_error = posix_spawn(&peer->pid, KIN_TEST_PEER, &actions, NULL,
                               (char **)(uintptr_t)arguments, environ);

    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    peer->to = in[1];
    peer->from = out[0];
    if (os_error != 0)
        fail_msg("%s: %s", KIN_TEST_PEER, strerror(os_error));
}

/* The namespace is there; now the wire to it. NULL or why not. */
static const char *wire(kin_test_peer *peer)
{
    const char *first = hear(peer);

    if (strcmp(first, "unshared") != 0)
        return "no network namespace for the peer";
    int os_error = kin_test_net_join(peer->pid);

    if (os_error != 0) {
        print_message("wire to the peer: %s\n", strerror(os_error));
        return "no wire between network namespaces (veth)";
    }
    tell(peer, "go", NULL);
    return NULL;
}

const char *kin_test_peer_start(kin_test_peer **ret, const kin_test_peer_options *options)
{
    const char *why = NULL;

    if (options->in_namespace && !kin_test_net_isolated())
        return "the test has no network namespace of its own";
    kin_test_peer *peer = calloc(1, sizeof(*peer));

    assert_non_null(peer);
    spawn(peer, options);
    if (options->in_namespace)
        why = wire(peer);
    if (why) {
        kin_test_peer_stop(peer);
        return why;
    }
    snprintf(peer->url, sizeof(peer->url), "%s", hear(peer));
    *ret = peer;
    return NULL;
}

static void wait_for(const kin_test_peer *peer, int options)
{
    int status = 0;

    while (waitpid(peer->pid, &status, options) < 0)
        assert_int_equal(errno, EINTR);
}

void kin_test_peer_kill(kin_test_peer *peer)
{
    if (peer->pid == 0)
        return;
    kill(peer->pid, SIGKILL);
    wait_for(peer, 0);
    peer->pid = 0;
}

void kin_test_peer_stop(kin_test_peer *peer)
{
    if (!peer)
        return;
    close(peer->to);
    if (peer->pid != 0) {
        /* It ends with its input, whatever state it was in. */
        kill(peer->pid, SIGCONT);
        wait_for(peer, 0);
    }
    close(peer->from);
    free(peer);
}

const char *kin_test_peer_url(const kin_test_peer *peer)
{
    return peer->url;
}

/* ---- Silence */

void kin_test_peer_freeze(kin_test_peer *peer)
{
    assert_int_equal(kill(peer->pid, SIGSTOP), 0);
    wait_for(peer, WUNTRACED);
}

void kin_test_peer_thaw(kin_test_peer *peer)
{
    assert_int_equal(kill(peer->pid, SIGCONT), 0);
    wait_for(peer, WCONTINUED);
}

void kin_test_peer_cut(kin_test_peer *peer)
{
    order(peer, "down", NULL);
}

void kin_test_peer_vanish(kin_test_peer *peer)
{
    order(peer, "vanish", NULL);
}

void kin_test_peer_mend(kin_test_peer *peer)
{
    order(peer, "up", NULL);
}

/* ---- Others */

void kin_test_peer_event(kin_test_peer *peer, const char *text)
{
    order(peer, "event", text);
}

unsigned kin_test_peer_count(kin_test_peer *peer, const char *what)
{
    tell(peer, "count", what);
    return (unsigned)strtoul(hear(peer), NULL, 10);
}

void kin_test_peer_await(kin_test_peer *peer, const char *what, unsigned n)
{
    char text[64];

    snprintf(text, sizeof(text), "%s %u", what, n);
    order(peer, "await", text);
}
