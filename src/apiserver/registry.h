/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds that are served at this moment: the table, and those of CustomResourceDefinitions.
 */
#ifndef KIN_APISERVER_REGISTRY_H
#define KIN_APISERVER_REGISTRY_H

#include "apiserver/failure.h"
#include "apiserver/kind.h"
#include "kinform/object.h"

typedef struct kin__registry kin__registry; /* any thread */

int kin__registry_new(kin__registry **ret, kin_error *err);
void kin__registry_free(kin__registry *registry);
/* SHARED (kin__kind_unref), or NULL: no such resource in that version. */
const kin__kind *kin__registry_find(kin__registry *registry, kin_str group, kin_str version, kin_str resource);
void kin__kind_unref(const kin__kind *kind);
/* Whether the group and version are served at all. */
bool kin__registry_has_version(kin__registry *registry, kin_str group, kin_str version);

/* The kind that a CustomResourceDefinition describes: what the real server's validation would refuse is
 * refused (422 with causes). `crd` BORROWED. */
bool kin__kind_from_crd(const kin__kind **ret, const kin_object *crd, kin__failure *failure);
/* Serve it, in place of an older one of the same group and resource. Names that another kind has: false and
 * which (condition NamesAccepted). */
bool kin__registry_put(kin__registry *registry, const kin__kind *kind, char *why, size_t size);
void kin__registry_remove(kin__registry *registry, kin_str group, kin_str resource);

/* Documents of discovery, as JSON. `aggregated`: apidiscovery.k8s.io/v2 (or v2beta1) APIGroupDiscoveryList. */
enum kin__discovery { KIN__DISCOVERY_PLAIN, KIN__DISCOVERY_V2, KIN__DISCOVERY_V2BETA1 };
enum kin__discovery kin__discovery_accepted(kin_str accept, const char **ret_content_type);
void kin__discovery_api(kin__registry *registry, enum kin__discovery form, kin_str server_address, kin__buf *out);  /* /api */
void kin__discovery_apis(kin__registry *registry, enum kin__discovery form, kin__buf *out); /* /apis */
bool kin__discovery_group(kin__registry *registry, kin_str group, kin__buf *out);           /* /apis/apps */
bool kin__discovery_version(kin__registry *registry, kin_str group, kin_str version, kin__buf *out); /* /api/v1, /apis/apps/v1 */

#endif
