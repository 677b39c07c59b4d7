/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer in a program that has a loop of libevent:
 *
 *     kinform-loop-libevent [--events N] [NAMESPACE]
 *
 * prints what happens to the Pods of a cluster, until Control-C or until N events were seen. One event waits
 * for the informer's descriptor, two for signals.
 */
#include "pods.h"

#include <event2/event.h>
#include <signal.h>
#include <stdio.h>

enum { PER_TURN = 100 /* events; then the loop's other events have their turn */ };

struct program {
    struct event_base *base;
    struct pods pods;
};

static void on_signal(evutil_socket_t number, short what, void *arg)
{
    struct program *program = arg;

    (void)number;
    (void)what;
    event_base_loopbreak(program->base);
}

/* It is called again while kin_informer_dispatch() has left something. */
static void on_readable(evutil_socket_t fd, short what, void *arg)
{
    struct program *program = arg;
    kin_error err = KIN_ERROR_INIT;

    (void)fd;
    (void)what;
    if (kin_informer_dispatch(program->pods.informer, PER_TURN, NULL, &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    else if (pods_go_on(&program->pods))
        return;
    event_base_loopbreak(program->base);
}

static int run(struct program *program)
{
    struct event *events[] = {
        evsignal_new(program->base, SIGINT, on_signal, program),
        evsignal_new(program->base, SIGTERM, on_signal, program),
        event_new(program->base, kin_informer_fd(program->pods.informer), EV_READ | EV_PERSIST,
                  on_readable, program),
    };
    int code = 0;

    for (int i = 0; code == 0 && i < 3; i++)
        code = events[i] ? event_add(events[i], NULL) : -1;
    if (code == 0)
        code = event_base_dispatch(program->base);
    /* Before the informer and its descriptor go. */
    for (int i = 0; i < 3; i++) {
        if (events[i])
            event_free(events[i]);
    }
    return code != 0;
}

int main(int argc, char **argv)
{
    struct program program = {.base = event_base_new()};
    int status = 1;

    if (!program.base) {
        fprintf(stderr, "there is no event base\n");
        return 1;
    }
    if (pods_open(&program.pods, argc, argv))
        status = run(&program);
    pods_close(&program.pods);
    event_base_free(program.base);
    return status;
}
