/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A projection as the parser uses it: a tree of keys.
 */
#ifndef KIN_OBJECT_PROJECTION_H
#define KIN_OBJECT_PROJECTION_H

#include "kinform/projection.h"

/* What to do with the elements of a map or array. */
typedef struct kin__projected kin__projected;

/* What a projection says of an element. */
enum kin__projection_verdict {
    KIN__PROJECTION_KEEP,
    KIN__PROJECTION_DROP,
    KIN__PROJECTION_DESCEND, /* keep a map or array, and see its elements; a scalar: see below */
    KIN__PROJECTION_DESCEND_ONLY, /* the same, but a scalar is dropped */
};

const kin__projected *kin__projection_root(const kin_projection *projection);

/*
 * Made from the same paths, in the same words: the same number, in any process. Others that mean the same
 * may have another one. 0 of NULL.
 */
uint64_t kin__projection_id(const kin_projection *projection);

/* Of a map's member; *ret_below is set when it says DESCEND. */
enum kin__projection_verdict kin__projection_member(const kin__projected *projected, kin_str key,
                                                    const kin__projected **ret_below);
/* Of an array's item. */
enum kin__projection_verdict kin__projection_item(const kin__projected *projected,
                                                  const kin__projected **ret_below);

#endif
