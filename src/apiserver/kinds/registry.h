/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds that are served at this moment: the table, and those of CustomResourceDefinitions.
 */
#ifndef KIN_APISERVER_KINDS_REGISTRY_H
#define KIN_APISERVER_KINDS_REGISTRY_H

#include "apiserver/kinds/kind.h"
#include "kinform/error.h"

typedef struct kin__registry kin__registry; /* any thread */

/* 0, KIN_ENOMEM. */
int kin__registry_new(kin__registry **ret, kin_error *err);
/* Kinds and snapshots that others hold live on. */
void kin__registry_free(kin__registry *registry);

/* SHARED (kin__kind_unref), or NULL: no such resource in that version. */
const kin__kind *kin__registry_find(kin__registry *registry, kin_str group, kin_str version,
                                    kin_str resource);
/* Whether the group and version are served at all. */
bool kin__registry_has_version(kin__registry *registry, kin_str group, kin_str version);

/*
 * Names that another kind of the group has: the condition NamesAccepted of a
 * CustomResourceDefinition.
 */
typedef struct kin__name_conflict {
    const char *reason; /* static: "PluralConflict"; NULL: there is none */
    char message[300];  /* `"widgets" is already in use` */
} kin__name_conflict;

/*
 * Serve a kind, in place of an older one of the same group and resource; a reference is taken. 0,
 * KIN_EEXISTS (another kind has one of its names; *ret_conflict, which may be NULL, says which, and
 * nothing is changed), KIN_ENOMEM.
 */
int kin__registry_put(kin__registry *registry, const kin__kind *kind,
                      kin__name_conflict *ret_conflict, kin_error *err);
/* 0, KIN_ENOTFOUND, KIN_ENOMEM. Kinds of the table stay: KIN_ENOTFOUND. */
int kin__registry_remove(kin__registry *registry, kin_str group, kin_str resource, kin_error *err);

/* --- what is served, as a whole --- */

/* One group. Versions in their order, the preferred one first. */
typedef struct kin__group {
    const char *name; /* "" for core, which is the first */
    const char **versions;
    size_t n_versions;
    const kin__kind **kinds; /* in the order of their resources */
    size_t n_kinds;
} kin__group;

/* Never changes. Groups in the order of discovery: those of the table, then others by name. */
typedef struct kin__snapshot {
    kin__ref ref;
    size_t n_groups;
    kin__group *groups;
    const char **versions;   /* all of them: groups point into these */
    const kin__kind **kinds; /* the same; a reference to each */
    size_t n_kinds;
} kin__snapshot;

/* SHARED: the newest. */
const kin__snapshot *kin__registry_snapshot(kin__registry *registry);
void kin__snapshot_unref(const kin__snapshot *snapshot);
/* NULL: there is no such group. */
const kin__group *kin__snapshot_find_group(const kin__snapshot *snapshot, kin_str name);

#endif
