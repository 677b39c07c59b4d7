/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The socket that the server listens on. It can be closed and opened again on the same port, which
 * libmicrohttpd's own could not.
 */
#ifndef KIN_APISERVER_LISTENER_H
#define KIN_APISERVER_LISTENER_H

#include "apiserver/pulse.h"
#include "apiserver/socket.h"

typedef struct kin__listener kin__listener;

/* Open; *address gets the port. `pulse` BORROWED. 0, KIN_ENOMEM, KIN_ESYSTEM. */
int kin__listener_new(kin__listener **ret, kin__pulse *pulse, kin__address *address,
                      kin_error *err);
/* Closes it. May be NULL. In a forked child it only gives back what is the child's. */
void kin__listener_free(kin__listener *listener);

/* Nothing to do if it is open. 0, KIN_ESYSTEM. Any thread. */
int kin__listener_open(kin__listener *listener, kin_error *err);
/* Any thread. */
void kin__listener_close(kin__listener *listener);
/* The next connection, non-blocking and close-on-exec; -1: none. errno says why. */
int kin__listener_accept(kin__listener *listener, kin__address *ret_peer);

#endif
