/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket that the server listens on. It can be closed and opened again on the same port, which
 * libmicrohttpd's own could not.
 */
#ifndef KIN_APISERVER_HTTP_PORT_H
#define KIN_APISERVER_HTTP_PORT_H

#include "apiserver/http/pulse.h"
#include "apiserver/http/socket.h"

typedef struct kin__port kin__port;

/* Open; *address gets the port. `pulse` BORROWED. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__port_new(kin__port **ret, kin__pulse *pulse, kin__address *address, kin_error *err);
/* Closes it. May be NULL. In a forked child it only gives back what is the child's. */
void kin__port_free(kin__port *port);

/* Nothing to do if it is open. 0, KIN_ESYSTEM. Any thread. */
int kin__port_open(kin__port *port, kin_error *err);
/* Any thread. */
void kin__port_close(kin__port *port);
/* The next connection, non-blocking and close-on-exec; -1: none. errno says why. */
int kin__port_accept(kin__port *port, kin__address *ret_peer);

#endif
