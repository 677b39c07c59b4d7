/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An informer in a program that has a loop of libuv:
 *
 *     kinform-loop-libuv [--events N] [NAMESPACE]
 *
 * prints what happens to the Pods of a cluster, until Control-C or until N events were seen. A uv_poll_t waits
 * for the informer's descriptor, a uv_signal_t for Control-C.
 */
#include "pods.h"

#include <stdio.h>
#include <uv.h>

enum { PER_TURN = 100 /* events; then the loop's other handles have their turn */ };

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    uv_stop(handle->loop);
}

/* It is called again while kin_informer_dispatch() has left something. */
static void on_readable(uv_poll_t *handle, int status, int events)
{
    struct pods *pods = handle->data;
    kin_error err = KIN_ERROR_INIT;

    (void)events;
    if (status < 0)
        fprintf(stderr, "%s\n", uv_strerror(status));
    else if (kin_informer_dispatch(pods->informer, PER_TURN, NULL, &err) < 0)
        fprintf(stderr, "%s\n", err.message);
    else if (pods_go_on(pods))
        return;
    uv_stop(handle->loop);
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    uv_close(handle, NULL);
}

static int run(struct pods *pods, uv_loop_t *loop)
{
    uv_signal_t signals[2];
    uv_poll_t poll;
    int code = uv_poll_init(loop, &poll, kin_informer_fd(pods->informer));

    if (code == 0) {
        poll.data = pods;
        code = uv_poll_start(&poll, UV_READABLE, on_readable);
    }
    for (int i = 0; code == 0 && i < 2; i++) {
        code = uv_signal_init(loop, &signals[i]);
        if (code == 0)
            code = uv_signal_start(&signals[i], on_signal, i ? SIGTERM : SIGINT);
    }
    if (code == 0)
        uv_run(loop, UV_RUN_DEFAULT);
    else
        fprintf(stderr, "%s\n", uv_strerror(code));
    /* Before the informer and its descriptor go. */
    uv_walk(loop, close_handle, NULL);
    uv_run(loop, UV_RUN_DEFAULT);
    return code < 0;
}

int main(int argc, char **argv)
{
    struct pods pods;
    uv_loop_t loop;
    int status = 1;

    if (uv_loop_init(&loop) < 0) {
        fprintf(stderr, "there is no loop\n");
        return 1;
    }
    if (pods_open(&pods, argc, argv))
        status = run(&pods, &loop);
    pods_close(&pods);
    uv_loop_close(&loop);
    return status;
}
