/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How a catalog lies in memory: for the file that fills it and the one that asks it.
 *
 * Group versions stand in the order in which they are preferred: groups as the server lists them,
 * of each group the preferred version first. Version "v1" of the core group comes before all,
 * wherever it stands.
 */
#ifndef KIN_CLIENT_CATALOG_INSIDE_H
#define KIN_CLIENT_CATALOG_INSIDE_H

#include "base/map.h"
#include "base/ref.h"
#include "client/catalog.h"

typedef struct kin__catalog_entry {
    kin_resource *resource;
    char *
        names; /* the singular, then short names, then categories; each terminated, and an empty one
                    behind the last of both */
    bool singular_is_guessed; /* the server did not say it */
} kin__catalog_entry;

enum kin__catalog_state {
    KIN__CATALOG_MISSING,
    KIN__CATALOG_KNOWN,
    KIN__CATALOG_STALE,
};

typedef struct kin__catalog_version {
    kin__map_node node; /* its key is the path */
    char *path;         /* "/apis/apps/v1" */
    char *group;
    char *version;
    enum kin__catalog_state state;
    kin__catalog_entry *entries;
    size_t n_entries;
    size_t cap;
} kin__catalog_version;

struct kin__catalog {
    kin__ref ref;
    kin__catalog_limits limits;
    kin__map map;                    /* of the versions, by path */
    kin__catalog_version **versions; /* pointers: the map knows them by their address */
    size_t n_versions;
    size_t cap;
    size_t n_resources;
};

#endif
