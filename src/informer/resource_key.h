/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names of resources, compared. "po", "pods" and "Pod" mean the same; which names do is for the
 * server to say, but it is not asked here: what it said before counts, and that the core group is
 * as it always was.
 */
#ifndef KIN_INFORMER_RESOURCE_KEY_H
#define KIN_INFORMER_RESOURCE_KEY_H

#include "kinform/client.h"

/*
 * "RESOURCE.VERSION.GROUP", the same for all names of a resource, and *ret_is_known; else the name
 * as it is, and not. OWNED. `client` may be NULL. 0, KIN_ENOMEM.
 */
int kin__resource_key(char **ret, bool *ret_is_known, kin_client *client, const char *name,
                      kin_error *err);

/* As errors name it: "pods", "deployments.apps"; the name itself if nobody knows. OWNED. */
int kin__resource_title(char **ret, kin_client *client, const char *name, kin_error *err);

#endif
