/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who we are, kept fresh: tokens, certificates and CAs from a configuration, from files that are
 * read again, and from exec plugins.
 *
 * Getting an identity may read files and wait for a plugin, so it blocks: never on the I/O thread.
 */
#ifndef KIN_CLIENT_CREDENTIALS_H
#define KIN_CLIENT_CREDENTIALS_H

#include <stdatomic.h>

#include "base/list.h"
#include "base/ref.h"
#include "client/config.h"
#include "kinform/clock.h"
#include "kinform/log.h"

typedef struct kin__credentials kin__credentials;

/* What TLS connections are made with. Const, SHARED. */
typedef struct kin__tls_material {
    kin__ref ref;
    uint64_t generation;     /* other content: another number */
    kin__secret certificate; /* PEM; empty: no client certificate */
    kin__secret key;         /* PEM */
    kin__secret ca;          /* PEM; empty: the system's */
} kin__tls_material;

/* A reference of the caller's, with a generation that no other has; COPIED. NULL: no memory. */
kin__tls_material *kin__tls_material_new(kin_str certificate, kin_str key, kin_str ca);
kin__tls_material *kin__tls_material_ref(kin__tls_material *material);
void kin__tls_material_unref(kin__tls_material *material); /* may be NULL */

/* What one request is sent with. */
typedef struct kin__identity {
    kin__secret authorization; /* the header's value, "Bearer …" or "Basic …"; empty: none */
    kin__tls_material *tls;    /* SHARED; NULL where there is no TLS */
    uint64_t generation;       /* of the authorization and the certificate, for _rejected() */
} kin__identity;

void kin__identity_done(kin__identity *identity);

/*
 * 0, KIN_EINVAL (credentials would go over a connection that is not secure; unusable settings),
 * KIN_ENOMEM, KIN_ESYSTEM. Nothing is read or run yet. The config is BORROWED until it is freed, clock
 * and logger are SHARED; the logger may be NULL.
 */
int kin__credentials_new(kin__credentials **ret, kin_config *config, kin_clock *clock,
                         kin_logger *logger, kin_error *err);
/* No call on it is under way. Ends a plugin that runs. May be NULL. */
void kin__credentials_free(kin__credentials *credentials);

/*
 * How long a plugin may take; 0: 60 s, or 10 min if it talks to a person. Before the first
 * kin__credentials_get().
 */
void kin__credentials_set_plugin_timeout(kin__credentials *credentials, int64_t ns);

/*
 * An identity that is valid now. Waits until `deadline` (of the clock) at most, and no longer than
 * until *cancelled is true and kin__credentials_wake() was called; `cancelled` may be NULL. `ret` owns
 * nothing before. 0, KIN_ETIMEOUT, KIN_ECANCELED, KIN_EDENIED (a plugin failed or gave nothing usable, a
 * token file holds no token; the message says what it was), KIN_ETLS (a certificate, key or CA that
 * cannot be used and was never usable), KIN_ENOMEM, KIN_ESYSTEM (a token file that could never be
 * read), KIN_ELIMIT (one that is too long), KIN_EFORKED.
 */
int kin__credentials_get(kin__credentials *credentials, kin__identity *ret, int64_t deadline,
                         const atomic_bool *cancelled, kin_error *err);
/* Waiters look at their `cancelled` again. Any thread. */
void kin__credentials_wake(kin__credentials *credentials);

/* Somebody who does not wait for a plugin, but is told. */
typedef struct kin__credentials_waiter {
    kin__list link;   /* (credentials' lock) */
    int64_t deadline; /* of the clock: told then at the latest */
    /*
     * It is worth another try, and the waiter is forgotten. Runs under the credentials' lock, and may
     * take locks of higher ranks.
     */
    void (*wake)(struct kin__credentials_waiter *waiter);
} kin__credentials_waiter;

/*
 * The same, but where a plugin has to be waited for `waiter` is remembered, and it returns 1. The
 * waiter is not remembered already. Files are read, and who reads them is waited for, as by
 * kin__credentials_get().
 */
int kin__credentials_ask(kin__credentials *credentials, kin__identity *ret,
                         kin__credentials_waiter *waiter, const atomic_bool *cancelled,
                         kin_error *err);
/* It is not to be told any more. Whether it was remembered; else it was told, or never was. */
bool kin__credentials_forget(kin__credentials *credentials, kin__credentials_waiter *waiter);

/*
 * The server answered 401 to it. True if the next kin__credentials_get() may give another one, so
 * that one more try makes sense: once per request, the caller counts.
 */
bool kin__credentials_rejected(kin__credentials *credentials, const kin__identity *used);

/*
 * No TLS connection could be made with it: files of certificates and CAs are read again, unless that
 * was just now. True if there is other material than was used, so that one more try makes sense. May
 * block, as kin__credentials_get().
 */
bool kin__credentials_distrusted(kin__credentials *credentials, const kin__identity *used);

#endif
