/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses and sockets: what the listener and the connections need of them.
 */
#ifndef KIN_APISERVER_HTTP_SOCKET_H
#define KIN_APISERVER_HTTP_SOCKET_H

#include <stdbool.h>
#include <sys/socket.h>

#include "kinform/error.h"

typedef struct kin__address {
    struct sockaddr_storage storage;
    socklen_t len;
} kin__address;

/* "127.0.0.1", "::1", "[::1]", "::"; names are not looked up. 0, KIN_EINVAL. */
int kin__address_parse(kin__address *ret, const char *text, uint16_t port, kin_error *err);
bool kin__address_is_loopback(const kin__address *address);
/* 0.0.0.0 or ::, which clients cannot connect to under that name everywhere. */
bool kin__address_is_any(const kin__address *address);
uint16_t kin__address_port(const kin__address *address);
void kin__address_set_port(kin__address *address, uint16_t port);
/* The same host, whatever the port. */
bool kin__address_same_host(const kin__address *a, const kin__address *b);
/* The host alone, in brackets if it is an IPv6 address that is put into a URL. Terminated. */
void kin__address_host(const kin__address *address, bool for_url, char *buf, size_t size);

/* A socket that listens, non-blocking; *address gets the port that was chosen. */
int kin__socket_listen(int *ret, kin__address *address, kin_error *err);
/*
 * A socket that keeps the port for those who listen later: who connects is refused, and nobody else is given
 * it. *address gets the port that was chosen.
 */
int kin__socket_reserve(int *ret, kin__address *address, kin_error *err);
/* Send a reset now. The descriptor stays open, without a connection. */
void kin__socket_reset(int fd);

#endif
