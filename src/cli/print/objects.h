/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of one resource that were asked for, in the order in which they are shown. */
#ifndef KIN_CLI_PRINT_OBJECTS_H
#define KIN_CLI_PRINT_OBJECTS_H

#include "cli/print/columns_crd.h"
#include "kinform/object.h"
#include "kinform/resource.h"

struct jsonpath;

struct objects {
    const kin_object **items; /* OWNED, and a reference to each */
    size_t len;
    size_t cap;
};

struct group {
    kin_resource *resource; /* a reference of its own */
    struct objects objects;
    struct crd_columns columns; /* of a custom resource, if its definition has any */
    bool has_asked_columns;     /* and was asked for them */
};

struct groups {
    struct group *items; /* OWNED, groups_done() */
    size_t len;
};

/* Takes a reference. */
void objects_add(struct objects *objects, const kin_object *object);
void objects_clear(struct objects *objects);

/* Whether two are the same, whatever their versions. */
bool resources_are_same(const kin_resource *a, const kin_resource *b);
/* Whether there is a group of the resource. */
bool groups_have(const struct groups *groups, const kin_resource *resource);
/* That of the resource, at the end; a new one unless the last one is of the same. BORROWED. */
struct group *groups_add(struct groups *groups, kin_resource *resource);
void groups_done(struct groups *groups);

/* By namespace and name. */
void objects_sort_by_key(struct objects *objects);
/*
 * By what is at a path: numbers and quantities by their value, all else as text, byte by byte as kubectl does it: w10
 * comes before w2. Those that have nothing there come first. Others stay in their order. Returns how many have
 * something there.
 */
size_t objects_sort_by_path(struct objects *objects, const struct jsonpath *path);

#endif
