/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server has, as its discovery documents say: groups, versions, resources; and which of them
 * somebody means by a name. No I/O.
 *
 *     kin__catalog_new(&catalog, NULL, err);
 *     kin__catalog_add(catalog, <what /api answered>, err);
 *     kin__catalog_add(catalog, <what /apis answered>, err);
 *     for (size_t i = 0; i < kin__catalog_n_versions(catalog); i++) {
 *         if (kin__catalog_missing(catalog, i))
 *             kin__catalog_add_resources(catalog, i, <what that path answered>, err);
 *     }
 *     kin__catalog_resolve(catalog, &resource, "deploy", err);
 *
 * A server that aggregates its discovery has answered all with the first two.
 */
#ifndef KIN_CLIENT_CATALOG_H
#define KIN_CLIENT_CATALOG_H

#include "kinform/client.h"

/* SHARED. Made by one thread; const from when it is handed to others. */
typedef struct kin__catalog kin__catalog;

typedef struct kin__catalog_limits {
    size_t max_bytes;     /* of one document; 0: 16 MiB */
    size_t max_versions;  /* of all groups together; 0: 8192 */
    size_t max_resources; /* 0: 65536 */
} kin__catalog_limits;

/* `limits` may be NULL. 0, KIN_ENOMEM. */
int kin__catalog_new(kin__catalog **ret, const kin__catalog_limits *limits, kin_error *err);
kin__catalog *kin__catalog_ref(kin__catalog *catalog);
void kin__catalog_unref(kin__catalog *catalog); /* may be NULL */

/*
 * What /api or /apis answered: APIVersions, APIGroupList or APIGroupDiscoveryList, which it says
 * itself. Group versions and resources that cannot be asked for, since their names cannot stand in
 * a path, are left out. 0, KIN_EPROTOCOL (it is none of these), KIN_ELIMIT, KIN_ENOMEM,
 * KIN_ESYSTEM; after a failure the catalog has a part of it.
 */
int kin__catalog_add(kin__catalog *catalog, kin_str text, kin_error *err);

/* How many group versions are known; they are counted from 0 and keep their numbers. */
size_t kin__catalog_n_versions(const kin__catalog *catalog);
/*
 * The path at which the resources of a group version have to be asked for; NULL if they are known,
 * or nobody can tell. BORROWED while the catalog lives.
 */
const char *kin__catalog_missing(const kin__catalog *catalog, size_t index);
/* What that path answered, an APIResourceList. Codes as kin__catalog_add(). */
int kin__catalog_add_resources(kin__catalog *catalog, size_t index, kin_str text, kin_error *err);
/* Nobody can tell: the server that serves it does not answer. The others count. */
void kin__catalog_give_up(kin__catalog *catalog, size_t index);
/* How many group versions nobody could tell of, those that the server calls stale included. */
size_t kin__catalog_n_stale(const kin__catalog *catalog);

/*
 * What is meant by "pods", "pod", "po", "Pod", "deployments.apps", "deployments.v1.apps",
 * "Deployment.apps": what kubectl would take. *ret is SHARED; release with kin_resource_unref().
 * 0, KIN_EINVAL (empty), KIN_ENOTFOUND: the message has names that are near.
 */
int kin__catalog_resolve(const kin__catalog *catalog, kin_resource **ret, const char *name,
                         kin_error *err);

/*
 * Tell the resources of a category that can be listed, each in the version that is preferred of those that are in it.
 * 0, KIN_ENOTFOUND: there is none. KIN_ENOMEM: none was told.
 */
int kin__catalog_category(const kin__catalog *catalog, const char *category, kin_category_fn *fn,
                          void *arg, kin_error *err);

#endif
