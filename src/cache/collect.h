/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of objects and strings while they are made.
 */
#ifndef KIN_CACHE_COLLECT_H
#define KIN_CACHE_COLLECT_H

#include "base/buf.h"
#include "kinform/object_list.h"

typedef struct kin__collector {
    const kin_object **objects; /* a reference to each */
    struct kin__collected *strings;
    size_t n;
    size_t cap;
    kin__buf bytes; /* of the strings, each terminated */
} kin__collector;

/* clang-format off */
#define KIN__COLLECTOR_INIT {NULL, NULL, 0, 0, {NULL, 0, 0, SIZE_MAX - 1, 0, false}}
/* clang-format on */

/* Make room for as many objects. 0 or KIN_ENOMEM. */
int kin__collector_reserve_objects(kin__collector *collector, size_t n);

/* A collector takes either objects or strings. 0 or KIN_ENOMEM. */
int kin__collect_object(kin__collector *collector, const kin_object *object);
int kin__collect_string(kin__collector *collector, kin_str string);

/*
 * Hand over what was collected if `code` is 0, and give all back otherwise. Returns `code`, or
 * KIN_ENOMEM. The collector is done.
 */
int kin__collector_give_objects(kin__collector *collector, int code, kin_object_list *ret);
int kin__collector_give_strings(kin__collector *collector, int code, bool sorted,
                                kin_string_list *ret, kin_error *err);

#endif
