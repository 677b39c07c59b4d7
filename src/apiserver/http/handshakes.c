/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between two rounds every unfinished handshake waits for its socket: GnuTLS returns GNUTLS_E_AGAIN only after a
 * read or write that would block. The epoll set is level-triggered, so bytes that arrived meanwhile are not missed.
 *
 * libmicrohttpd reports a connection as closed in the round in which its handshake fails, so the lists hold only
 * connections that can be suspended.
 */
#include "apiserver/http/handshakes.h"

#include <errno.h>
#include <gnutls/gnutls.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "apiserver/http/http_inside.h"
#include "base/error.h"

#define EVENTS_PER_ROUND 64

int kin__handshakes_init(kin__handshakes *handshakes, kin_error *err)
{
    handshakes->epoll = epoll_create1(EPOLL_CLOEXEC);
    if (handshakes->epoll < 0)
        return kin__error_system(err, errno, "epoll_create1");
    kin__list_init(&handshakes->active);
    kin__list_init(&handshakes->parked);
    return 0;
}

void kin__handshakes_done(kin__handshakes *handshakes)
{
    close(handshakes->epoll);
}

static gnutls_session_t session_of(const kin__connection *connection)
{
    return MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION)
        ->tls_session;
}

/* In TLS 1.2 and 1.3 the client's Finished is the last message that a server waits for. */
static int message_received(gnutls_session_t session, unsigned type, unsigned when,
                            unsigned incoming, const gnutls_datum_t *message)
{
    kin__connection *connection = gnutls_db_get_ptr(session);

    (void)type;
    (void)when;
    (void)message;
    connection->is_secured |= incoming;
    return 0;
}

void kin__handshakes_add(kin__handshakes *handshakes, kin__connection *connection)
{
    gnutls_session_t session = session_of(connection);

    /* libmicrohttpd uses the session's other pointer, and has no database of sessions. */
    gnutls_db_set_ptr(session, connection);
    gnutls_handshake_set_hook_function(session, GNUTLS_HANDSHAKE_FINISHED, GNUTLS_HOOK_POST,
                                       message_received);
    kin__list_push_back(&handshakes->active, &connection->handshake);
}

void kin__handshakes_remove(kin__handshakes *handshakes, kin__connection *connection)
{
    kin__list_remove(&connection->handshake);
    if (connection->is_polled)
        (void)epoll_ctl(handshakes->epoll, EPOLL_CTL_DEL, connection->fd, NULL);
    connection->is_polled = false;
}

static void park(kin__handshakes *handshakes, kin__connection *connection)
{
    bool is_writing = gnutls_record_get_direction(session_of(connection)) == 1;
    struct epoll_event event = {.events = (is_writing ? EPOLLOUT : EPOLLIN) | EPOLLONESHOT,
                                .data.ptr = connection};

    if (epoll_ctl(handshakes->epoll, connection->is_polled ? EPOLL_CTL_MOD : EPOLL_CTL_ADD,
                  connection->fd, &event) != 0) {
        shutdown(connection->fd, SHUT_RDWR); /* the next round closes it */
        return;
    }
    connection->is_polled = true;
    MHD_suspend_connection(connection->mhd);
    kin__list_remove(&connection->handshake);
    kin__list_push_back(&handshakes->parked, &connection->handshake);
}

void kin__handshakes_park(kin__handshakes *handshakes)
{
    kin__list_for_each(&handshakes->active, node) {
        kin__connection *connection = kin__list_entry(node, kin__connection, handshake);

        if (connection->is_secured)
            kin__handshakes_remove(handshakes, connection);
        else
            park(handshakes, connection);
    }
}

static void resume(kin__handshakes *handshakes, kin__connection *connection)
{
    kin__list_remove(&connection->handshake);
    kin__list_push_back(&handshakes->active, &connection->handshake);
    MHD_resume_connection(connection->mhd);
}

void kin__handshakes_resume(kin__handshakes *handshakes)
{
    struct epoll_event events[EVENTS_PER_ROUND];
    int n = epoll_wait(handshakes->epoll, events, EVENTS_PER_ROUND, 0);

    for (int i = 0; i < n; i++)
        resume(handshakes, events[i].data.ptr);
}

void kin__handshakes_resume_all(kin__handshakes *handshakes)
{
    kin__list_for_each(&handshakes->parked, node)
        resume(handshakes, kin__list_entry(node, kin__connection, handshake));
}
