/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk over two documents at once, which finds their differences. What is public of it is
 * kinform/diff.h; merge patches are made by it too.
 */
#ifndef KIN_OBJECT_DIFF_H
#define KIN_OBJECT_DIFF_H

#include "kinform/diff.h"

/* An element of two maps or arrays that are walked over: `is_item` tells what it is named by. */
typedef struct kin__diff_step {
    kin_str key;
    size_t index;
    bool is_item;
} kin__diff_step;

/* What the walk meets. The functions return 0 to go on; a negative code ends the walk. */
typedef struct kin__diff_visitor {
    /* Both have a map, or both an array, at the step; what differs in it follows, then leave(). */
    int (*enter)(const kin__diff_step *step, void *arg);
    int (*leave)(void *arg);
    /* The values at the step differ, or one is KIN_NONE. */
    int (*differ)(const kin__diff_step *step, kin_value before, kin_value after, void *arg);
    /* Arrays are compared as wholes; else item by item. */
    bool whole_arrays;
} kin__diff_visitor;

/*
 * Walk over two maps. They themselves are neither entered nor left.
 * 0, KIN_ENOMEM, or what a function of the visitor returned.
 */
int kin__diff_walk(kin_value before, kin_value after, const kin__diff_visitor *visitor, void *arg);

#endif
