/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/http/http_worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include "apiserver/http/http_inside.h"
#include "base/error.h"
#include "base/memory.h"

/* Whether it is to go on. What has come is taken. */
static bool take_arrivals(kin__http_worker *worker, kin__arrival **ret, size_t *ret_n)
{
    kin__mutex_lock(&worker->lock);
    bool goes_on = !worker->stopping;

    *ret = worker->arrivals;
    *ret_n = worker->n_arrivals;
    worker->arrivals = NULL;
    worker->n_arrivals = worker->cap_arrivals = 0;
    kin__mutex_unlock(&worker->lock);
    return goes_on;
}

static bool let_in(kin__http_worker *worker)
{
    kin__arrival *arrivals = NULL;
    size_t n = 0;
    bool goes_on = take_arrivals(worker, &arrivals, &n);

    for (size_t i = 0; i < n; i++) {
        const kin__address *peer = &arrivals[i].peer;

        /* Closes it where it fails. */
        if (MHD_add_connection(worker->daemon, arrivals[i].fd,
                               (const struct sockaddr *)&peer->storage, peer->len) != MHD_YES)
            kin__http_not_taken(worker->http);
    }
    kin__free(arrivals);
    return goes_on;
}

/* As libmicrohttpd says; -1: until something happens. */
static int sleep_ms(struct MHD_Daemon *daemon)
{
    MHD_UNSIGNED_LONG_LONG ms = 0;

    if (MHD_get_timeout(daemon, &ms) != MHD_YES)
        return -1;
    return ms > INT_MAX ? INT_MAX : (int)ms;
}

static void http_worker_run(void *arg)
{
    kin__http_worker *worker = arg;
    struct pollfd fds[] = {
        {.fd = worker->epoll, .events = POLLIN},
        {.fd = worker->wakeup.fd, .events = POLLIN},
        {.fd = worker->handshakes.epoll, .events = POLLIN},
    };

    while (let_in(worker)) {
        (void)MHD_run(worker->daemon);
        kin__handshakes_park(&worker->handshakes);
        kin__metrics_add(&worker->http->options.metrics->rounds, 1);
        (void)poll(fds, kin__array_len(fds), sleep_ms(worker->daemon));
        kin__wakeup_clear(&worker->wakeup);
        kin__handshakes_resume(&worker->handshakes);
    }
}

static int start(kin__http_worker *worker, kin_error *err)
{
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    int code;

    if (!info || info->epoll_fd < 0)
        return kin_error_set(err, KIN_ESYSTEM, "libmicrohttpd has no epoll");
    worker->epoll = info->epoll_fd;
    code = kin__handshakes_init(&worker->handshakes, err);
    if (code < 0)
        return code;
    code = kin__wakeup_init(&worker->wakeup, err);
    if (code < 0) {
        kin__handshakes_done(&worker->handshakes);
        return code;
    }
    kin__mutex_init(&worker->lock, KIN__RANK_API_WORKER);
    worker->thread = KIN__THREAD_INIT;
    code = kin__thread_start(&worker->thread, "kin-http", http_worker_run, worker, err);
    if (code < 0) {
        kin__mutex_done(&worker->lock);
        kin__wakeup_done(&worker->wakeup);
        kin__handshakes_done(&worker->handshakes);
    }
    return code;
}

int kin__http_worker_start(kin__http_worker *worker, struct MHD_Daemon *daemon, kin__http *http,
                           kin_error *err)
{
    *worker = (kin__http_worker){.daemon = daemon, .http = http};
    int code = start(worker, err);

    if (code < 0)
        MHD_stop_daemon(daemon);
    return code;
}

int kin__http_worker_give(kin__http_worker *worker, int fd, const kin__address *peer)
{
    kin__mutex_lock(&worker->lock);
    kin__arrival *arrivals = kin__grow_array(worker->arrivals, &worker->cap_arrivals,
                                             worker->n_arrivals + 1, sizeof(*arrivals));

    if (arrivals) {
        arrivals[worker->n_arrivals++] = (kin__arrival){fd, *peer};
        worker->arrivals = arrivals;
    }
    kin__mutex_unlock(&worker->lock);
    if (!arrivals)
        return KIN_ENOMEM;
    kin__wakeup_signal(&worker->wakeup);
    return 0;
}

void kin__http_worker_wake(kin__http_worker *worker)
{
    kin__wakeup_signal(&worker->wakeup);
}

void kin__http_worker_stop(kin__http_worker *worker)
{
    kin__mutex_lock(&worker->lock);
    worker->stopping = true;
    kin__mutex_unlock(&worker->lock);
    kin__wakeup_signal(&worker->wakeup);
    (void)kin__thread_join(&worker->thread, NULL);
    kin__handshakes_resume_all(&worker->handshakes);
    MHD_stop_daemon(worker->daemon);
    kin__handshakes_done(&worker->handshakes);
    kin__wakeup_done(&worker->wakeup);
    kin__mutex_done(&worker->lock);
}
