/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server's certificate: one of its own, signed by a CA that is made for it and forgotten, or what
 * is in files.
 */
#ifndef KIN_APISERVER_HTTP_TLS_H
#define KIN_APISERVER_HTTP_TLS_H

#include "apiserver/http/socket.h"

typedef struct kin__tls {
    char *cert; /* PEM, the chain; OWNED, as the others */
    char *key;  /* PEM; wiped when released */
    char *ca;   /* PEM: what clients trust */
} kin__tls;

/*
 * Valid from an hour ago for a year, by the system's clock, as clients will look at it; for localhost,
 * 127.0.0.1, ::1, kubernetes.default.svc, the address, and names that are separated by commas.
 * 0, KIN_ENOMEM, KIN_ETLS.
 */
int kin__tls_make(kin__tls *ret, const kin__address *address, kin_str names, kin_error *err);
/* `ca_file` may be NULL: the certificates themselves. 0, KIN_ENOTFOUND, KIN_EPARSE (no PEM, or the key
 * is another one's), KIN_ELIMIT (a file is too long), KIN_ENOMEM, KIN_ESYSTEM. */
int kin__tls_read(kin__tls *ret, const char *cert_file, const char *key_file, const char *ca_file,
                  kin_error *err);
void kin__tls_done(kin__tls *tls);

#endif
