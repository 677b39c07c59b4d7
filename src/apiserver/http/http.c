/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starting and stopping libmicrohttpd. It gets its connections from us, because its own listening
 * socket could not be closed and opened again, and because ours can be asked whom to refuse.
 *
 * The end: no new connections; answers that are under way may end; then `stopping` is set, after
 * which nothing is suspended any more, and all that is suspended is resumed. libmicrohttpd would end
 * the process if it found a suspended connection. Connections are closed before it is stopped: while
 * it stops, 0.9.75 does not queue the response to a request that it cannot read, and then looks at it.
 */
#include "apiserver/http/http.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apiserver/http/http_inside.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"

/* Connections beyond the limit that are let in to be told so. */
#define RESERVE 64u
#define ACCEPTS_PER_TURN 64
/* Real time for libmicrohttpd to see that a socket was shut down. */
#define CLOSE_TIMEOUT_MS 100
/*
 * libmicrohttpd 0.9.75 keeps a lock when it finds that its own limit is reached, and hangs the next
 * time it wants it. So it never gets there: we count before it does.
 */
#define NO_LIMIT 0x7fffffffu
/*
 * The buffer of a connection, in heads: room for one that is too large, to say so, and for chunks.
 * libmicrohttpd writes zeroes to half of it, so it is what an idle watch costs.
 */
#define HEADS_PER_BUFFER 2u
#define PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

static void log_line(void *arg, const char *format, va_list arguments) KIN_PRINTF(2, 0);
static void log_line(void *arg, const char *format, va_list arguments)
{
    const kin__http *http = arg;
    char text[512];

    if (!kin_logger_enabled(http->options.logger, KIN_LOG_DEBUG))
        return;
    (void)vsnprintf(text, sizeof(text), format, arguments);
    kin__log(http->options.logger, KIN_LOG_DEBUG, "apiserver", "libmicrohttpd says",
             KIN__LOG_V("text", kin_str_of(text)));
}

/* The API reads paths as they were sent. */
static size_t leave_escaped(void *arg, struct MHD_Connection *connection, char *text)
{
    (void)arg;
    (void)connection;
    return strlen(text);
}

/* Whether there is room for one more, which is taken. */
static bool admit(kin__http *http)
{
    kin__mutex_lock(&http->lock);
    if (http->n_admitted >= http->options.max_connections + http->n_displaced)
        kin__connection_displace_locked(http);
    bool admitted =
        http->n_admitted < (size_t)http->options.max_connections + RESERVE + http->n_displaced;
    http->n_admitted += admitted;
    kin__mutex_unlock(&http->lock);
    return admitted;
}

void kin__http_not_taken(kin__http *http)
{
    kin__metrics_add(&http->options.metrics->connections_refused, 1);
    kin__mutex_lock(&http->lock);
    http->n_admitted -= http->n_admitted > 0;
    kin__mutex_unlock(&http->lock);
}

static void turn_away(int fd)
{
    kin__socket_reset(fd);
    close(fd);
}

static void take_connection(kin__http *http, int fd, const kin__address *peer)
{
    if (kin__faults_refuse_one(http->options.faults) || !admit(http)) {
        kin__metrics_add(&http->options.metrics->connections_refused, 1);
        turn_away(fd);
        return;
    }
    http->next_worker = (http->next_worker + 1) % http->n_workers;
    if (kin__http_worker_give(&http->workers[http->next_worker], fd, peer) < 0) {
        kin__http_not_taken(http);
        turn_away(fd);
    }
}

/* In the pulse's thread: somebody is at the door. */
static void accept_some(void *arg)
{
    kin__http *http = arg;
    kin__address peer;

    for (int i = 0; i < ACCEPTS_PER_TURN; i++) {
        int fd = kin__port_accept(http->port, &peer);

        if (fd >= 0) {
            take_connection(http, fd, &peer);
            continue;
        }
        /* Out of descriptors: they stay at the door, and asking again at once is of no use. */
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            (void)poll(NULL, 0, 10);
        return;
    }
}

static struct MHD_Daemon *start_daemon(kin__http *http, kin__http_worker *worker)
{
    const kin__http_options *options = &http->options;
    unsigned flags = MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC |
                     MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG;
    const struct MHD_OptionItem tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, kin__unconst(options->cert)},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, kin__unconst(options->key)},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, kin__unconst(PRIORITIES)},
        {MHD_OPTION_END, 0, NULL},
    };
    const struct MHD_OptionItem plain[] = {{MHD_OPTION_END, 0, NULL}};
    int64_t send_s = (options->send_timeout_ms + 999) / 1000;

    if (options->cert)
        flags |= MHD_USE_TLS;
    /* The logger comes first: options may complain. */
    return MHD_start_daemon(
        flags, 0, NULL, NULL, kin__http_call_run, http, MHD_OPTION_EXTERNAL_LOGGER, log_line, http,
        MHD_OPTION_ARRAY, options->cert ? tls : plain, MHD_OPTION_CONNECTION_LIMIT, NO_LIMIT,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, options->max_header_bytes * HEADS_PER_BUFFER,
        MHD_OPTION_CONNECTION_TIMEOUT, send_s > UINT32_MAX ? UINT32_MAX : (unsigned)send_s,
        MHD_OPTION_STRICT_FOR_CLIENT, 0, MHD_OPTION_SIGPIPE_HANDLED_BY_APP, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, leave_escaped, NULL, MHD_OPTION_URI_LOG_CALLBACK,
        kin__http_call_begin, worker, MHD_OPTION_NOTIFY_COMPLETED, kin__http_call_over, http,
        MHD_OPTION_NOTIFY_CONNECTION, kin__connection_notify, worker, MHD_OPTION_END);
}

static int start_worker(kin__http *http, kin_error *err)
{
    kin__http_worker *worker = &http->workers[http->n_workers];

    errno = 0;
    struct MHD_Daemon *daemon = start_daemon(http, worker);

    if (!daemon)
        return http->options.cert && errno == 0
                   ? kin_error_set(err, KIN_ETLS, "the certificate or its key is not usable")
                   : kin__error_system(err, errno ? errno : EINVAL, "starting the HTTP server");
    int code = kin__http_worker_start(worker, daemon, http, err);

    http->n_workers += code == 0;
    return code;
}

static int start_workers(kin__http *http, kin_error *err)
{
    int code = 0;

    http->workers = kin__calloc(http->options.threads, sizeof(*http->workers));
    if (!http->workers)
        return kin__error_no_memory(err);
    while (code == 0 && http->n_workers < http->options.threads)
        code = start_worker(http, err);
    return code;
}

static int start_parts(kin__http *http, kin_error *err)
{
    int code = kin__pulse_new(&http->pulse, http->options.clock, err);

    if (code == 0)
        code = kin__port_new(&http->port, http->pulse, &http->options.address, err);
    if (code < 0)
        return code;
    code = start_workers(http, err);
    if (code < 0)
        return code;
    code = kin__http_follow_faults(http, err);
    if (code == 0)
        code = kin__pulse_start(http->pulse, accept_some, http, err);
    return code;
}

int kin__http_start(kin__http **ret, const kin__http_options *options, kin_error *err)
{
    kin__http *http = kin__calloc(1, sizeof(*http));

    if (!http)
        return kin__error_no_memory(err);
    http->options = *options;
    int code = kin__fork_guard_init(&http->guard, err);
    if (code < 0) {
        kin__free(http);
        return code;
    }
    kin__mutex_init(&http->lock, KIN__RANK_API_HTTP);
    kin__cond_init(&http->emptied);
    kin__list_init(&http->connections);
    kin__list_init(&http->unused);
    kin__list_init(&http->calls);
    code = start_parts(http, err);
    if (code < 0) {
        kin__http_free(http, 0);
        return code;
    }
    *ret = http;
    return 0;
}

const kin__address *kin__http_address(const kin__http *http)
{
    return &http->options.address;
}

void kin__http_close_port(kin__http *http)
{
    http->draining = true;
    kin__port_close(http->port);
}

int kin__http_follow_faults(kin__http *http, kin_error *err)
{
    if (kin__faults_refuse_all(http->options.faults)) {
        kin__port_close(http->port);
        return 0;
    }
    return http->draining ? 0 : kin__port_open(http->port, err);
}

static void drain(kin__http *http, int64_t drain_ms)
{
    int64_t deadline = kin__clock_deadline_ms(kin_clock_system(), drain_ms);
    bool in_time = drain_ms > 0;

    kin__mutex_lock(&http->lock);
    while (http->n_serving > 0 && in_time)
        in_time = kin__cond_wait_until(&http->emptied, &http->lock, kin_clock_system(), deadline);
    http->stopping = true;
    kin__list_for_each(&http->calls, node)
        kin__http_call_wake(kin__list_entry(node, kin__http_call, link));
    kin__mutex_unlock(&http->lock);
}

/* Whether another connection has gone, in time. */
static bool await_close_locked(kin__http *http) KIN_REQUIRES(http->lock)
{
    int64_t deadline = kin__clock_deadline_ms(kin_clock_system(), CLOSE_TIMEOUT_MS);
    size_t before = http->n_connections;
    bool in_time = true;

    while (http->n_connections >= before && in_time)
        in_time = kin__cond_wait_until(&http->emptied, &http->lock, kin_clock_system(), deadline);
    return http->n_connections < before;
}

/*
 * Nobody is let in any more. Of some that it has closed libmicrohttpd tells late, when its thread
 * wakes up the next time; these it does not read from, and they are not waited for.
 */
static void close_connections(kin__http *http)
{
    kin__mutex_lock(&http->lock);
    kin__list_for_each(&http->connections, node)
        shutdown(kin__list_entry(node, kin__connection, link)->fd, SHUT_RDWR);
    while (http->n_connections > 0 && await_close_locked(http)) {
    }
    kin__mutex_unlock(&http->lock);
}

void kin__http_free(kin__http *http, int64_t drain_ms)
{
    if (!http)
        return;
    bool is_ours = kin__fork_guard_check(&http->guard, NULL) == 0;
    if (is_ours && http->n_workers > 0) {
        kin__http_close_port(http);
        drain(http, drain_ms);
    }
    if (is_ours && http->pulse)
        kin__pulse_stop(http->pulse);
    if (is_ours && http->n_workers > 0)
        close_connections(http);
    for (size_t i = 0; is_ours && i < http->n_workers; i++)
        kin__http_worker_stop(&http->workers[i]);
    kin__free(http->workers);
    kin__port_free(http->port);
    kin__pulse_free(http->pulse);
    if (is_ours) {
        kin__cond_done(&http->emptied);
        kin__mutex_done(&http->lock);
    }
    kin__free(http);
}
