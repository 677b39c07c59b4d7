/* SPDX-License-Identifier: Apache-2.0 */
/*
 * --fields: what is kept of objects, and what tables show of them.
 *
 * What other options look at is kept besides, so that --where, --until, --sort-by and templates find what they find
 * without --fields. Tables have the name and a column for each of the paths: those of the kind would tell of what is
 * not there.
 */
#ifndef KIN_CLI_FIELDS_H
#define KIN_CLI_FIELDS_H

#include "cli/cluster.h"
#include "cli/condition.h"
#include "cli/print/printer.h"

/* Who else looks at objects. All BORROWED, and may be NULL. */
struct fields_use {
    const struct conditions *conditions; /* of --where */
    const struct condition *until;
    const struct jsonpath *order; /* of --sort-by */
    bool is_list;                 /* templates are of a List */
    bool selects;                 /* selectors are applied here, and not by a server */
};

/*
 * What is kept: the fields, or all but who manages which of them. The printer is told what to show. OWNED,
 * kin_projection_unref(); NULL: all. 0, KIN_EINVAL with a line for the user.
 */
int fields_apply(const kin_projection **ret, struct printer *printer,
                 const struct selection_settings *selection, const struct fields_use *use,
                 kin_error *err);

#endif
