/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of a class of the tests' own: a key, a version, and tags to index by.
 */
#ifndef KIN_TEST_ITEM_H
#define KIN_TEST_ITEM_H

#include "kinform/index.h"
#include "kinform/object.h"

/* One reference, the caller's. `tags` are comma-separated; NULL for none. Never NULL. */
const kin_object *kin_test_item(const char *key, unsigned version, const char *tags);

unsigned kin_test_item_version(const kin_object *object);
const char *kin_test_item_tags(const kin_object *object);

/* Items that exist now. */
size_t kin_test_items_live(void);

/* Run at each destruction of an item, in the thread that destroys it; NULL for none. */
void kin_test_items_on_destroy(void (*hook)(void *arg), void *arg);

/* An index function: an item is found under each of its tags; one with the tag "!" makes it fail. */
int kin_test_by_tag(const kin_object *object, kin_index_values *values, void *arg, kin_error *err);

/* The next time that an item is asked for its resource version, once. For tests of one thread. */
void kin_test_on_item_version(void (*hook)(void *arg), void *arg);

#endif
