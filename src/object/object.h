/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects, for the rest of the library.
 */
#ifndef KIN_OBJECT_OBJECT_H
#define KIN_OBJECT_OBJECT_H

#include "kinform/object.h"
#include "kinform/value.h"

/* Whether a class has an optional function. Programs compiled with an older header have smaller classes. */
#define kin__class_has(object_class, function)                                                     \
    ((object_class)->size >=                                                                       \
         offsetof(kin_object_class, function) + sizeof((object_class)->function) &&                \
     (object_class)->function)

/* The key with its length, which kin_object_key() does not tell. */
kin_str kin__object_key(const kin_object *object);

/*
 * The value of a field as field selectors see it: a string, or the text of a number or bool. False
 * if there is none. `path` is a plain dotted one, "spec.nodeName". `ret_value` may be in the
 * scratch.
 */
bool kin__object_field(const kin_object *object, kin_str path, kin_scratch *scratch,
                       kin_str *ret_value);

#endif
