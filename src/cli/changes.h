/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is different between two states of an object, for people.
 *
 * As kin_object_diff() has it, but for lists: where all items of both have a type, or all have a name, and no two of a
 * list have the same one, items are compared by it and not by their places. So an item that is removed from the
 * beginning is one that is gone, and not a change of all that come behind it. Where that is not possible, items are
 * compared by their places, and called by a name only if both states have it there.
 */
#ifndef KIN_CLI_CHANGES_H
#define KIN_CLI_CHANGES_H

#include "cli/base/text.h"
#include "kinform/value.h"

struct change {
    char *path; /* OWNED; "status.conditions[Ready].status" */
    kin_value before;
    kin_value after; /* one of the two is KIN_NONE if there is nothing */
};

struct changes {
    struct change *items; /* OWNED, changes_done() */
    size_t len;
    size_t cap;
};

/* The deepest values that differ, in the order of the first state. They live as long as the objects. */
void changes_find(struct changes *ret, const kin_object *before, const kin_object *after);
void changes_done(struct changes *changes);

#endif
