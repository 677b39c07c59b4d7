/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Connections, for as long as libmicrohttpd has them. A deadline shuts the socket down, which
 * libmicrohttpd sees as the client's end; the socket is not closed meanwhile, because its closing is
 * announced here first, and that waits for a deadline that fires.
 */
#include <sys/socket.h>

#include "apiserver/http/http_inside.h"
#include "base/clock.h"
#include "base/memory.h"

/* A client that is slower has stopped, and gives way to another one. */
#define FIRST_REQUEST_NS KIN__SECOND

static void deadline_passed(kin__pulse_timer *timer)
{
    kin__connection *connection = kin__container_of(timer, kin__connection, deadline);

    shutdown(connection->fd, SHUT_RDWR);
}

static bool is_beyond_limit_locked(const kin__http *http, const kin__connection *connection)
    KIN_REQUIRES(http->lock)
{
    unsigned limit = http->options.max_connections_per_address;
    unsigned same = 0;

    if (http->n_connections > http->options.max_connections + http->n_displaced)
        return true;
    if (limit == 0)
        return false;
    kin__list_for_each((kin__list *)kin__unconst(&http->connections), node) {
        const kin__connection *other = kin__list_entry(node, kin__connection, link);

        same += kin__address_same_host(&other->peer, &connection->peer);
    }
    return same > limit;
}

static void started(kin__http_worker *worker, struct MHD_Connection *mhd, void **context)
{
    kin__http *http = worker->http;
    const union MHD_ConnectionInfo *fd =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    kin__connection *connection = kin__calloc(1, sizeof(*connection));

    kin__metrics_add(&http->options.metrics->connections_total, 1);
    kin__metrics_move(&http->options.metrics->connections, 1);
    *context = connection;
    if (!connection) {
        shutdown(fd->connect_fd, SHUT_RDWR);
        return;
    }
    connection->http = http;
    connection->mhd = mhd;
    connection->fd = fd->connect_fd;
    connection->since = kin_clock_now(http->options.clock);
    connection->peer.len = sizeof(connection->peer.storage);
    (void)getpeername(connection->fd, (struct sockaddr *)&connection->peer.storage,
                      &connection->peer.len);
    connection->deadline.fire = deadline_passed;
    kin__timer_init(&connection->deadline.timer);
    kin__list_init(&connection->link);
    kin__list_init(&connection->unused);
    kin__list_init(&connection->handshake);
    if (http->options.cert)
        kin__handshakes_add(&worker->handshakes, connection);
    kin__mutex_lock(&http->lock);
    kin__list_push_back(&http->connections, &connection->link);
    kin__list_push_back(&http->unused, &connection->unused);
    http->n_connections++;
    connection->is_beyond_limit = is_beyond_limit_locked(http, connection);
    /* It has waited to be taken for too long. What it has sent already is thrown away. */
    if (http->stopping)
        kin__socket_reset(connection->fd);
    kin__mutex_unlock(&http->lock);
    kin__connection_expect(connection, http->options.header_timeout_ms);
}

static void closed(kin__http_worker *worker, kin__connection *connection)
{
    kin__http *http = worker->http;

    kin__metrics_move(&http->options.metrics->connections, -1);
    if (connection) {
        kin__handshakes_remove(&worker->handshakes, connection);
        kin__connection_relax(connection);
    }
    kin__mutex_lock(&http->lock);
    if (connection) {
        kin__list_remove(&connection->link);
        kin__list_remove(&connection->unused);
        http->n_connections--;
        http->n_displaced -= connection->is_displaced;
    }
    /* It says nothing of those that it had no memory for: they are forgotten with the last one. */
    if (http->n_connections == 0)
        http->n_admitted = 0;
    else if (http->n_admitted > 0)
        http->n_admitted--;
    if (http->stopping)
        kin__cond_broadcast(&http->emptied);
    kin__mutex_unlock(&http->lock);
    kin__free(connection);
}

void kin__connection_notify(void *arg, struct MHD_Connection *connection, void **context,
                            enum MHD_ConnectionNotificationCode what)
{
    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        started(arg, connection, context);
    } else {
        closed(arg, *context);
        *context = NULL;
    }
}

void kin__connection_displace_locked(kin__http *http)
{
    if (kin__list_is_empty(&http->unused))
        return;
    kin__connection *oldest = kin__list_entry(http->unused.next, kin__connection, unused);

    if (kin_clock_now(http->options.clock) - oldest->since < FIRST_REQUEST_NS)
        return;
    kin__list_remove(&oldest->unused);
    oldest->is_displaced = true;
    http->n_displaced++;
    shutdown(oldest->fd, SHUT_RDWR);
}

void kin__connection_expect(kin__connection *connection, int64_t ms)
{
    /* Without memory for the timer it is not given any time. */
    if (kin__pulse_set_ms(connection->http->pulse, &connection->deadline, ms) < 0)
        shutdown(connection->fd, SHUT_RDWR);
}

void kin__connection_relax(kin__connection *connection)
{
    kin__pulse_cancel(connection->http->pulse, &connection->deadline);
}
