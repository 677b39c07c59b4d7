/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From the entries of kubeconfigs and the caller's options to a configuration: what goes on top of
 * what, and whether it makes sense together.
 */
#ifndef KIN_CLIENT_RESOLVE_H
#define KIN_CLIENT_RESOLVE_H

#include "client/kubeconfig.h"

typedef struct kin__resolve_input {
    const kin_config_options *options; /* complete */
    const kin__kube_entry *cluster;    /* or NULL */
    const kin__kube_entry *user;       /* or NULL */
    const char *context;               /* names, or NULL */
    const char *cluster_name;
    const char *user_name;
    const char *namespace_;
} kin__resolve_input;

/* Whether the options say anything about which server, and how to reach it. */
bool kin__resolve_names_cluster(const kin_config_options *options);

/* 0, KIN_EINVAL, KIN_ESYSTEM (a file cannot be read), KIN_ENOMEM. */
int kin__resolve(kin_config **ret, const kin__resolve_input *input, kin_error *err);

#endif
