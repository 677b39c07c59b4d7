/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The registry is a pointer to a snapshot. Readers take a reference to it under the lock, which is
 * held for that alone, and look at it in peace. A writer makes a new snapshot from the one that it
 * saw, without the lock, and puts it in its place if that is still the newest; else it begins
 * again. So nobody waits for a writer, and no memory is asked for under the lock.
 *
 * A snapshot is small: some dozens of kinds, and few more of CustomResourceDefinitions. It is made
 * anew as a whole.
 */
#include "apiserver/kinds/registry.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/mutex.h"
#include "base/str.h"

struct kin__registry {
    kin__mutex lock;               /* rank KIN__RANK_API_REGISTRY */
    const kin__snapshot *snapshot; /* (lock) the registry's reference */
};

/* --- snapshots --- */

static const kin__snapshot *snapshot_ref(const kin__snapshot *snapshot)
{
    kin__ref_get(&((kin__snapshot *)kin__unconst(snapshot))->ref);
    return snapshot;
}

static void snapshot_free(kin__snapshot *snapshot)
{
    for (size_t i = 0; snapshot->kinds && i < snapshot->n_kinds; i++)
        kin__kind_unref(snapshot->kinds[i]);
    kin__free(snapshot->groups);
    kin__free(snapshot->versions);
    kin__free(snapshot->kinds);
    kin__free(snapshot);
}

void kin__snapshot_unref(const kin__snapshot *snapshot)
{
    kin__snapshot *own = kin__unconst(snapshot);

    if (own && kin__ref_put(&own->ref))
        snapshot_free(own);
}

/* Where a group stands in discovery: as in the table; those of others behind. */
static size_t group_rank(const char *group)
{
    size_t i = 0;

    while (kin__builtin_kinds[i] && strcmp(kin__builtin_kinds[i]->group, group) != 0)
        i++;
    return i;
}

static int compare_kinds(const void *a, const void *b)
{
    const kin__kind *ka = *(const kin__kind *const *)a;
    const kin__kind *kb = *(const kin__kind *const *)b;
    size_t rank_a = group_rank(ka->group);
    size_t rank_b = group_rank(kb->group);
    int order = (rank_a > rank_b) - (rank_a < rank_b);

    if (order == 0)
        order = strcmp(ka->group, kb->group);
    return order ? order : strcmp(ka->resource, kb->resource);
}

static int compare_versions(const void *a, const void *b)
{
    return kin__version_compare(kin_str_of(*(const char *const *)a),
                                kin_str_of(*(const char *const *)b));
}

static bool has_version(const kin__group *group, const char *version)
{
    for (size_t i = 0; i < group->n_versions; i++)
        if (strcmp(group->versions[i], version) == 0)
            return true;
    return false;
}

static size_t count_versions(const kin__kind *kind)
{
    size_t n = 0;

    while (kind->versions[n].name)
        n++;
    return n;
}

static void add_versions(kin__group *group, const kin__kind *kind)
{
    for (const kin__kind_version *v = kind->versions; v->name; v++)
        if (v->served && !has_version(group, v->name))
            group->versions[group->n_versions++] = v->name;
}

/* Cuts the sorted kinds into groups. There is room for all. */
static void make_groups(kin__snapshot *snapshot)
{
    const char **versions = snapshot->versions;
    size_t i = 0;

    while (i < snapshot->n_kinds) {
        kin__group group = {snapshot->kinds[i]->group, versions, 0, &snapshot->kinds[i], 0};

        for (; i < snapshot->n_kinds && strcmp(snapshot->kinds[i]->group, group.name) == 0; i++) {
            add_versions(&group, snapshot->kinds[i]);
            group.n_kinds++;
        }
        qsort(group.versions, group.n_versions, sizeof(group.versions[0]), compare_versions);
        versions += group.n_versions;
        /* A group without a version that is served is not there for anybody. */
        if (group.n_versions > 0)
            snapshot->groups[snapshot->n_groups++] = group;
    }
}

/* Of these kinds; a reference to each is taken. NULL: no memory. */
static kin__snapshot *snapshot_new(const kin__kind *const *kinds, size_t n_kinds)
{
    kin__snapshot *snapshot = kin__calloc(1, sizeof(*snapshot));
    size_t n_versions = 0;

    if (!snapshot)
        return NULL;
    kin__ref_init(&snapshot->ref);
    for (size_t i = 0; i < n_kinds; i++)
        n_versions += count_versions(kinds[i]);
    snapshot->groups = kin__calloc(n_kinds, sizeof(snapshot->groups[0]));
    snapshot->versions = kin__calloc(n_versions, sizeof(snapshot->versions[0]));
    snapshot->kinds = kin__calloc(n_kinds, sizeof(snapshot->kinds[0]));
    if (!snapshot->groups || !snapshot->versions || !snapshot->kinds) {
        snapshot_free(snapshot);
        return NULL;
    }
    for (size_t i = 0; i < n_kinds; i++)
        snapshot->kinds[i] = kin__kind_ref(kinds[i]);
    snapshot->n_kinds = n_kinds;
    qsort(snapshot->kinds, n_kinds, sizeof(snapshot->kinds[0]), compare_kinds);
    make_groups(snapshot);
    return snapshot;
}

const kin__group *kin__snapshot_find_group(const kin__snapshot *snapshot, kin_str name)
{
    for (size_t i = 0; i < snapshot->n_groups; i++)
        if (kin_str_equal(kin_str_of(snapshot->groups[i].name), name))
            return &snapshot->groups[i];
    return NULL;
}

/* --- the registry --- */

int kin__registry_new(kin__registry **ret, kin_error *err)
{
    kin__registry *registry = kin__calloc(1, sizeof(*registry));
    size_t n = 0;

    while (kin__builtin_kinds[n])
        n++;
    if (registry)
        registry->snapshot = snapshot_new(kin__builtin_kinds, n);
    if (!registry || !registry->snapshot) {
        kin__free(registry);
        return kin__error_no_memory(err);
    }
    kin__mutex_init(&registry->lock, KIN__RANK_API_REGISTRY);
    *ret = registry;
    return 0;
}

void kin__registry_free(kin__registry *registry)
{
    if (!registry)
        return;
    kin__snapshot_unref(registry->snapshot);
    kin__mutex_done(&registry->lock);
    kin__free(registry);
}

const kin__snapshot *kin__registry_snapshot(kin__registry *registry)
{
    kin__mutex_lock(&registry->lock);
    const kin__snapshot *snapshot = snapshot_ref(registry->snapshot);
    kin__mutex_unlock(&registry->lock);
    return snapshot;
}

/* By halving: kinds of a group are sorted by their resource. */
static const kin__kind *find_kind(const kin__group *group, kin_str resource)
{
    size_t low = 0;
    size_t high = group->n_kinds;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = kin__str_compare(kin_str_of(group->kinds[middle]->resource), resource);

        if (order == 0)
            return group->kinds[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

const kin__kind *kin__registry_find(kin__registry *registry, kin_str group, kin_str version,
                                    kin_str resource)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);
    const kin__group *found = kin__snapshot_find_group(snapshot, group);
    const kin__kind *kind = found ? find_kind(found, resource) : NULL;

    if (kind && !kin__kind_serves(kind, version))
        kind = NULL;
    kin__kind_ref(kind);
    kin__snapshot_unref(snapshot);
    return kind;
}

bool kin__registry_has_version(kin__registry *registry, kin_str group, kin_str version)
{
    const kin__snapshot *snapshot = kin__registry_snapshot(registry);
    const kin__group *found = kin__snapshot_find_group(snapshot, group);
    bool has = false;

    for (size_t i = 0; found && i < found->n_versions; i++)
        has |= kin_str_equal(kin_str_of(found->versions[i]), version);
    kin__snapshot_unref(snapshot);
    return has;
}

/*
 * Puts `snapshot`, which is consumed, in the place of `seen`; false: that is not the newest any
 * more.
 */
static bool replace(kin__registry *registry, const kin__snapshot *seen, kin__snapshot *snapshot)
{
    const kin__snapshot *gone = snapshot;

    kin__mutex_lock(&registry->lock);
    bool is_newest = registry->snapshot == seen;
    if (is_newest) {
        gone = registry->snapshot;
        registry->snapshot = snapshot;
    }
    kin__mutex_unlock(&registry->lock);
    kin__snapshot_unref(gone);
    return is_newest;
}

static bool is_same_resource(const kin__kind *kind, kin_str group, kin_str resource)
{
    return kin_str_equal(kin_str_of(kind->group), group) &&
           kin_str_equal(kin_str_of(kind->resource), resource);
}

/* --- names --- */

static bool has_short_name(const kin__kind *kind, const char *name)
{
    for (size_t i = 0; kind->short_names && kind->short_names[i]; i++)
        if (strcmp(kind->short_names[i], name) == 0)
            return true;
    return false;
}

static bool has_resource_name(const kin__kind *kind, const char *name)
{
    return strcmp(kind->resource, name) == 0 || strcmp(kind->singular, name) == 0 ||
           has_short_name(kind, name);
}

static bool has_kind_name(const kin__kind *kind, const char *name)
{
    return strcmp(kind->kind, name) == 0 || strcmp(kind->list_kind, name) == 0;
}

/* Whether another kind of the group has the name: `has` asks it. */
static bool is_used(const kin__group *group, const kin__kind *kind, const char *name,
                    bool (*has)(const kin__kind *, const char *))
{
    for (size_t i = 0; i < group->n_kinds; i++)
        if (strcmp(group->kinds[i]->resource, kind->resource) != 0 && has(group->kinds[i], name))
            return true;
    return false;
}

static void check_name(kin__name_conflict *conflict, const kin__group *group, const kin__kind *kind,
                       const char *reason, const char *name,
                       bool (*has)(const kin__kind *, const char *))
{
    if (!is_used(group, kind, name, has))
        return;
    conflict->reason = reason;
    snprintf(conflict->message, sizeof(conflict->message), "\"%s\" is already in use", name);
}

/* Of several the last one is told, as the real server does. */
static void find_conflict(kin__name_conflict *ret, const kin__snapshot *snapshot,
                          const kin__kind *kind)
{
    const kin__group *group = kin__snapshot_find_group(snapshot, kin_str_of(kind->group));

    ret->reason = NULL;
    ret->message[0] = '\0';
    if (!group)
        return;
    check_name(ret, group, kind, "PluralConflict", kind->resource, has_resource_name);
    check_name(ret, group, kind, "SingularConflict", kind->singular, has_resource_name);
    for (size_t i = 0; kind->short_names && kind->short_names[i]; i++)
        check_name(ret, group, kind, "ShortNamesConflict", kind->short_names[i], has_resource_name);
    check_name(ret, group, kind, "KindConflict", kind->kind, has_kind_name);
    check_name(ret, group, kind, "ListKindConflict", kind->list_kind, has_kind_name);
}

/* --- writing --- */

/* A kind of the table has this place: nothing else can. */
static bool is_builtin(kin_str group, kin_str resource)
{
    for (size_t i = 0; kin__builtin_kinds[i]; i++)
        if (is_same_resource(kin__builtin_kinds[i], group, resource))
            return true;
    return false;
}

/* What `seen` has, without one resource, and with `kind`, if it is not NULL. NULL: no memory. */
static kin__snapshot *change_snapshot(const kin__snapshot *seen, const kin__kind *kind,
                                      kin_str group, kin_str resource)
{
    const kin__kind **kinds = kin__calloc(seen->n_kinds + 1, sizeof(kinds[0]));
    kin__snapshot *snapshot = NULL;
    size_t n = 0;

    if (!kinds)
        return NULL;
    for (size_t i = 0; i < seen->n_kinds; i++)
        if (!is_same_resource(seen->kinds[i], group, resource))
            kinds[n++] = seen->kinds[i];
    if (kind)
        kinds[n++] = kind;
    snapshot = snapshot_new(kinds, n);
    kin__free(kinds);
    return snapshot;
}

/* 0, KIN_EEXISTS, KIN_ENOMEM; *ret_again: somebody else was quicker. */
static int try_put(kin__registry *registry, const kin__kind *kind, kin__name_conflict *conflict,
                   bool *ret_again, kin_error *err)
{
    const kin__snapshot *seen = kin__registry_snapshot(registry);
    kin_str group = kin_str_of(kind->group);
    kin_str resource = kin_str_of(kind->resource);
    kin__snapshot *snapshot;
    int code = 0;

    find_conflict(conflict, seen, kind);
    if (!conflict->reason && is_builtin(group, resource)) {
        conflict->reason = "PluralConflict";
        snprintf(conflict->message, sizeof(conflict->message), "\"%s\" is already in use",
                 kind->resource);
    }
    if (conflict->reason)
        code = kin_error_set(err, KIN_EEXISTS, "%s", conflict->message);
    else if ((snapshot = change_snapshot(seen, kind, group, resource)))
        *ret_again = !replace(registry, seen, snapshot);
    else
        code = kin__error_no_memory(err);
    kin__snapshot_unref(seen);
    return code;
}

int kin__registry_put(kin__registry *registry, const kin__kind *kind,
                      kin__name_conflict *ret_conflict, kin_error *err)
{
    kin__name_conflict conflict;
    bool again = true;
    int code = 0;

    while (code == 0 && again) {
        again = false;
        code = try_put(registry, kind, &conflict, &again, err);
    }
    if (ret_conflict)
        *ret_conflict = conflict;
    return code;
}

static bool snapshot_has(const kin__snapshot *snapshot, kin_str group, kin_str resource)
{
    for (size_t i = 0; i < snapshot->n_kinds; i++)
        if (is_same_resource(snapshot->kinds[i], group, resource))
            return true;
    return false;
}

int kin__registry_remove(kin__registry *registry, kin_str group, kin_str resource, kin_error *err)
{
    bool again = true;
    int code = 0;

    while (code == 0 && again) {
        const kin__snapshot *seen = kin__registry_snapshot(registry);
        kin__snapshot *snapshot = NULL;

        if (is_builtin(group, resource) || !snapshot_has(seen, group, resource))
            code = kin_error_set(err, KIN_ENOTFOUND, "no such resource is defined");
        else if (!(snapshot = change_snapshot(seen, NULL, group, resource)))
            code = kin__error_no_memory(err);
        else
            again = !replace(registry, seen, snapshot);
        kin__snapshot_unref(seen);
    }
    return code;
}
