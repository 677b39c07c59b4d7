/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS handshakes that wait for the client. Only the worker's thread uses them.
 *
 * libmicrohttpd (0.9.75 to 1.0.1) keeps a connection in its list of ready ones as long as
 * gnutls_handshake() returns GNUTLS_E_AGAIN, and asks to run again at once. One client that stops within its
 * handshake would keep the thread busy. Pausing the thread instead would delay the other connections that are ready.
 * So each unfinished handshake is suspended between two rounds and resumed when its own socket is ready.
 */
#ifndef KIN_APISERVER_HTTP_HANDSHAKES_H
#define KIN_APISERVER_HTTP_HANDSHAKES_H

#include "base/list.h"
#include "kinform/error.h"

struct kin__connection;

typedef struct kin__handshakes {
    int epoll;        /* of the sockets of `parked`; readable when one is ready */
    kin__list active; /* libmicrohttpd runs them in its next round */
    kin__list parked; /* suspended until their socket is ready */
} kin__handshakes;

/* 0, KIN_ESYSTEM. */
int kin__handshakes_init(kin__handshakes *handshakes, kin_error *err);
/* The last connection has gone. */
void kin__handshakes_done(kin__handshakes *handshakes);

void kin__handshakes_add(kin__handshakes *handshakes, struct kin__connection *connection);
/* The handshake is over, or the connection is. Does nothing if it was removed before. */
void kin__handshakes_remove(kin__handshakes *handshakes, struct kin__connection *connection);

/* After a round: suspend those that are not finished. */
void kin__handshakes_park(kin__handshakes *handshakes);
/* Before a round: resume those whose socket is ready. */
void kin__handshakes_resume(kin__handshakes *handshakes);
/* libmicrohttpd must not find a suspended connection when it stops. */
void kin__handshakes_resume_all(kin__handshakes *handshakes);

#endif
