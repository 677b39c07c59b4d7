/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ExecCredential, the language between us and exec plugins (client.authentication.k8s.io/v1 and
 * v1beta1): what a plugin is told, and what it answers. Texts only, nothing is run here.
 */
#ifndef KIN_CLIENT_EXEC_CREDENTIAL_H
#define KIN_CLIENT_EXEC_CREDENTIAL_H

#include "client/config.h"

/* The longest answer of a plugin. */
#define KIN__EXEC_OUTPUT_MAX ((size_t)1 << 20)

/* What a plugin answered: a token, or a certificate with its key, or all three. */
typedef struct kin__exec_credential {
    kin__secret token;
    kin__secret certificate; /* PEM */
    kin__secret key;         /* PEM */
    int64_t expires;         /* wall time in nanoseconds since 1970; INT64_MAX: never */
} kin__exec_credential;

#define KIN__EXEC_CREDENTIAL_INIT                                                                  \
    ((kin__exec_credential){KIN__SECRET_INIT, KIN__SECRET_INIT, KIN__SECRET_INIT, INT64_MAX})

void kin__exec_credential_done(kin__exec_credential *credential);

/*
 * Read an answer. 0, KIN_EPARSE (no ExecCredential of that version, or nothing usable in it; the
 * message says what is missing, and nothing of the text), KIN_ELIMIT (too long, too deep),
 * KIN_ENOMEM, KIN_ESYSTEM. `ret` is untouched on failure; it owns nothing before.
 */
int kin__exec_credential_parse(kin__exec_credential *ret, kin_str text, const char *api_version,
                               kin_error *err);

/*
 * What a plugin finds in KUBERNETES_EXEC_INFO. `ca` is the PEM that the configuration has now, which is
 * told with provide_cluster_info only. A secret, since a proxy's URL may hold a password. 0, KIN_ENOMEM.
 */
int kin__exec_info(kin__secret *ret, const kin_config *config, kin_str ca, bool interactive);

/* Whether it can stand in a header: printable, no spaces around it, not empty. */
bool kin__token_is_usable(kin_str token);

#endif
