/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The service account of the pod that we run in.
 */
#ifndef KIN_CLIENT_IN_CLUSTER_H
#define KIN_CLIENT_IN_CLUSTER_H

#include "client/kubeconfig.h"

#define KIN__IN_CLUSTER_ROOT "/var/run/secrets/kubernetes.io/serviceaccount"

/* NULL if there is one at `root`, else what is missing; BORROWED for ever. 0, KIN_ENOMEM. */
int kin__in_cluster_missing(const char **ret, const char *root, kin_error *err);

/* The server and the account as entries, which are OWNED. 0, KIN_ENOMEM. */
int kin__in_cluster_entries(kin__kube_entry *ret_cluster, kin__kube_entry *ret_user,
                            const char *root, kin_error *err);

/* The pod's namespace, OWNED, or NULL if nobody tells it. 0, KIN_ENOMEM. */
int kin__in_cluster_namespace(char **ret, const char *root, kin_error *err);

#endif
