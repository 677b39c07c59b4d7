/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What TLS connections are made with, from where the configuration says: PEM that is part of it, or
 * files, which are read anew with each call. Inline data wins over a file, as in kubectl.
 */
#ifndef KIN_CLIENT_CERTIFICATES_H
#define KIN_CLIENT_CERTIFICATES_H

#include "client/config.h"

bool kin__has_certificate(const kin_config *config);
/* Whether they can change under us. */
bool kin__pair_is_in_files(const kin_config *config);
bool kin__ca_is_in_file(const kin_config *config);

/*
 * The client certificate and its key, both empty if there is none. 0, KIN_ETLS (unreadable, or not
 * what it should be; the message says which file), KIN_ENOMEM. Untouched on failure.
 */
int kin__read_pair(kin__secret *ret_certificate, kin__secret *ret_key, const kin_config *config,
                   kin_error *err);
/* The CAs; empty if the system's are meant. */
int kin__read_ca(kin__secret *ret, const kin_config *config, kin_error *err);

#endif
