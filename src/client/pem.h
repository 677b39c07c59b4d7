/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a text can be what it should be: certificates or a private key in PEM (RFC 7468).
 *
 * Not whether they are valid: that needs a TLS library, and the one below the transport says it. This is
 * for files that are read while somebody writes them, and for settings that hold something else.
 */
#ifndef KIN_CLIENT_PEM_H
#define KIN_CLIENT_PEM_H

#include "kinform/common.h"

enum kin__pem_kind {
    KIN__PEM_CERTIFICATES, /* one or more */
    KIN__PEM_KEY,          /* a private one, without a pass phrase */
};

/*
 * NULL, or what is wrong, without a word of the text: "holds no certificate". Text between blocks,
 * and blocks of other kinds, are allowed, as TLS libraries do.
 */
const char *kin__pem_defect(kin_str text, enum kin__pem_kind kind);

#endif
