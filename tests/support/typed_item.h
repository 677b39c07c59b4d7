/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of a class of the tests' own that has every optional function for metadata.
 */
#ifndef KIN_TEST_TYPED_ITEM_H
#define KIN_TEST_TYPED_ITEM_H

#include "kinform/object.h"

/* NULL: the object lacks it. BORROWED while the object lives: literals. */
typedef struct kin_test_typed {
    const char *key; /* mandatory */
    const char *version;
    const char *kind;
    const char *api_version;
    const char *uid;
    const char *annotation; /* its value is "true" */
    const char *continue_token;
} kin_test_typed;

/* One reference, the caller's. Never NULL. */
const kin_object *kin_test_typed_item(const kin_test_typed *of);

/* The same, of a class whose size ends before these functions, as in a program built with an older header. */
const kin_object *kin_test_old_typed_item(const kin_test_typed *of);

#endif
