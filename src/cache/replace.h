/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a replacement of a store or a queue has to be able to do. It comes first in the struct of
 * whoever implements it, zeroed but for its class.
 */
#ifndef KIN_CACHE_REPLACE_H
#define KIN_CACHE_REPLACE_H

#include "kinform/replace.h"

typedef struct kin__replace_class {
    int (*add)(kin_replace *replace, const kin_object *object, kin_error *err);
    /* On success the replacement is freed. */
    int (*commit)(kin_replace *replace, kin_str resource_version, kin_error *err);
    void (*abort)(kin_replace *replace);
    /* What is under a key stays; NULL, or 1: it keeps all that is missing instead. */
    int (*keep)(kin_replace *replace, kin_str key, kin_error *err);
} kin__replace_class;

struct kin_replace {
    const kin__replace_class *replace_class;
    bool keeps; /* what is missing in the list stays */
};

/* Add all and commit; on failure abort. CONSUMES the replacement in any case. */
int kin__replace_all(kin_replace *replace, const kin_object *const *objects, size_t n,
                     kin_str resource_version, kin_error *err);

#endif
