/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer in a program that has a loop around poll():
 *
 *     kinform-loop-poll [--events N] [NAMESPACE]
 *
 * prints what happens to the Pods of a cluster, until Control-C or until N events were seen. The informer's
 * descriptor is one of those that the loop waits for; handlers run when the loop calls
 * kin_informer_dispatch(), in its own thread.
 */
#include "pods.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>

enum { PER_TURN = 100 /* events; then the loop's other descriptors have their turn */ };

static volatile sig_atomic_t is_interrupted;

static void interrupt(int number)
{
    (void)number;
    is_interrupted = 1;
}

/*
 * Signals come only while ppoll() waits, with the mask that is returned: so none is missed between a look at
 * is_interrupted and the wait. Before any thread is there, since threads inherit the mask.
 */
static int catch_signals(sigset_t *while_waiting)
{
    struct sigaction action = {.sa_handler = interrupt};
    sigset_t both;

    sigemptyset(&both);
    sigaddset(&both, SIGINT);
    sigaddset(&both, SIGTERM);
    errno = pthread_sigmask(SIG_BLOCK, &both, while_waiting); /* which does not set it itself */
    if (errno || sigaction(SIGINT, &action, NULL) < 0)
        return -1;
    return sigaction(SIGTERM, &action, NULL);
}

static int run(struct pods *pods, const sigset_t *while_waiting)
{
    struct pollfd fds[] = {{.fd = kin_informer_fd(pods->informer), .events = POLLIN}};
    kin_error err = KIN_ERROR_INIT;

    while (!is_interrupted && pods_go_on(pods)) {
        if (ppoll(fds, 1, NULL, while_waiting) < 0) {
            if (errno == EINTR)
                continue;
            perror("ppoll");
            return 1;
        }
        /* It stays readable while there is more. */
        if (kin_informer_dispatch(pods->informer, PER_TURN, NULL, &err) < 0) {
            fprintf(stderr, "%s\n", err.message);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct pods pods = {.client = NULL};
    sigset_t while_waiting;
    int status = 1;

    if (catch_signals(&while_waiting) < 0)
        perror("signals");
    else if (pods_open(&pods, argc, argv))
        status = run(&pods, &while_waiting);
    pods_close(&pods);
    return status;
}
