/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax of label keys and values, for the selectors and for whoever else has to check
 * labels. The public half is in kinform/selector.h.
 */
#ifndef KIN_OBJECT_SELECTOR_LABEL_H
#define KIN_OBJECT_SELECTOR_LABEL_H

#include "kinform/selector.h"

/* The first thing that is wrong with a key or value. */
typedef struct kin__label_fault {
    size_t offset;        /* in the key or value; its length if something is missing */
    const char *expected; /* a constant text */
} kin__label_fault;

/* Whether all is well; *ret is set only if it is not. */
bool kin__label_key_check(kin_str key, kin__label_fault *ret);
bool kin__label_value_check(kin_str value, kin__label_fault *ret);

/*
 * Report a fault as `code`. `text` is the whole that was checked, `what` says what it is.
 * KIN_EPARSE carries the offset, counted from `base` bytes before the text. Returns `code`.
 */
int kin__label_fault_report(kin_error *err, int code, size_t base, const char *what, kin_str text,
                            const kin__label_fault *fault);

#endif
