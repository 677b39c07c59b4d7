/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer in a program that has a loop around epoll:
 *
 *     kinform-loop-epoll [--events N] [NAMESPACE]
 *
 * prints what happens to the Pods of a cluster, until Control-C or until N events were seen. Control-C is a
 * descriptor here, too (signalfd), so that there is one thing to wait for.
 */
#include "pods.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { PER_TURN = 100 /* events; then the loop's other descriptors have their turn */ };

/* A descriptor that is readable after SIGINT or SIGTERM, or -1; before any thread is there. */
static int open_signals(void)
{
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    errno = pthread_sigmask(SIG_BLOCK, &both, NULL); /* which does not set it itself */
    return errno ? -1 : signalfd(-1, &both, SFD_CLOEXEC);
}

static bool watch(int epoll, int fd)
{
    /* Level-triggered: it says so again while kin_informer_dispatch() has left something. */
    struct epoll_event event = {.events = EPOLLIN, .data.fd = fd};

    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Whether the loop is to go on. */
static bool handle(struct pods *pods, int fd)
{
    kin_error err = KIN_ERROR_INIT;

    if (fd != kin_informer_fd(pods->informer))
        return false; /* a signal */
    if (kin_informer_dispatch(pods->informer, PER_TURN, NULL, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return false;
    }
    return pods_go_on(pods);
}

static int run(struct pods *pods, int epoll, int signals)
{
    bool goes_on = true;

    if (!watch(epoll, signals) || !watch(epoll, kin_informer_fd(pods->informer))) {
        perror("epoll_ctl");
        return 1;
    }
    while (goes_on) {
        struct epoll_event events[8];
        int n = epoll_wait(epoll, events, 8, -1);

        if (n < 0 && errno != EINTR) {
            perror("epoll_wait");
            return 1;
        }
        for (int i = 0; i < n && goes_on; i++)
            goes_on = handle(pods, events[i].data.fd);
    }
    return 0;
}

int main(int argc, char **argv)
{
    int signals = open_signals();
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct pods pods = {.client = NULL};
    int status = 1;

    if (signals < 0 || epoll < 0)
        perror("signalfd or epoll_create1");
    else if (pods_open(&pods, argc, argv))
        status = run(&pods, epoll, signals);
    pods_close(&pods);
    if (epoll >= 0)
        close(epoll);
    if (signals >= 0)
        close(signals);
    return status;
}
