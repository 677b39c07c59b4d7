/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of kinds, as kubectl has them: behind the name come those that tell most of a kind, and with
 * -o wide some more. Kinds that are not known have their age.
 */
#ifndef KIN_CLI_PRINT_COLUMNS_H
#define KIN_CLI_PRINT_COLUMNS_H

#include "cli/base/text.h"
#include "kinform/object.h"

/* A cell. `now` is in seconds since 1970. */
typedef void column_fn(struct text *out, const kin_object *object, int64_t now);

enum {
    COLUMN_WIDE = 1,  /* with -o wide only */
    COLUMN_BLANK = 2, /* nothing is shown as nothing, and not as "<none>" */
};

struct column {
    const char *header;
    unsigned flags;
    const char *path; /* the value there; NULL: `fn` */
    column_fn *fn;
};

struct columns {
    const char *group;
    const char *resource; /* the plural */
    bool no_name;         /* the name says nothing: events */
    column_fn *mark;      /* what stands behind the name; may be NULL */
    const struct column *items;
    size_t len;
};

/* Never NULL. BORROWED for ever. */
const struct columns *columns_of(const char *group, const char *resource);
/* false: nobody knows the kind, and they are those of any. */
bool columns_are_known(const struct columns *columns);
/* "<none>" where there is nothing, unless the column has it otherwise. */
void column_print(const struct column *column, struct text *out, const kin_object *object,
                  int64_t now);

/* Those of Pods. */
column_fn pod_ready;
column_fn pod_status;
column_fn pod_restarts;
column_fn pod_gates;

#endif
