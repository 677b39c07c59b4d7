/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A kubeconfig that leads to the server.
 */
#ifndef KIN_APISERVER_KUBECONFIG_WRITE_H
#define KIN_APISERVER_KUBECONFIG_WRITE_H

#include "kinform/error.h"

/*
 * `ca` is PEM, NULL: none; `token` may be empty. *ret OWNED, kin__free(), holds the token. 0,
 * KIN_ENOMEM.
 */
int kin__kubeconfig_make(char **ret, const char *url, const char *ca, kin_str token,
                         kin_error *err);

/*
 * Write a file for its owner alone: beside the old one, then in its place. 0, KIN_ENOMEM,
 * KIN_ESYSTEM.
 */
int kin__file_replace(const char *path, kin_str text, kin_error *err);

#endif
