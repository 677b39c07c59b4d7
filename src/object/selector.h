/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What label and field selectors have in common: their life, and that they are printed, and made
 * of others, by way of their text.
 */
#ifndef KIN_OBJECT_SELECTOR_H
#define KIN_OBJECT_SELECTOR_H

#include "base/buf.h"
#include "base/ref.h"
#include "kinform/selector.h"

/* The first member of a selector of either kind; behind it come the requirements. */
typedef struct kin__selector {
    kin__ref refs;
    bool immortal; /* not counted: static storage */
    bool nothing;  /* matches nothing; without requirements */
    size_t n;      /* requirements */
} kin__selector;

/* A kind of selector. */
typedef struct kin__selector_class {
    const char *name;        /* for messages: "label selector" */
    size_t requirement_size; /* of a requirement as callers have it */
    /* A requirement as callers see it; BORROWED while the selector lives. */
    const void *(*get)(const kin__selector *sel, size_t index);
    /* 0: it prints as a text that parses to the same; 1: it asks for nothing; or an error. */
    int (*check)(const void *requirement, kin_error *err);
    void (*append)(kin__buf *buf, const void *requirement);
    int (*parse)(const kin__selector **ret, kin_str text, kin_error *err);
} kin__selector_class;

/* `size` bytes with one reference and no requirement yet; NULL: no memory. */
void *kin__selector_new(size_t size);
/* NULL and the immortal ones are left alone. */
void kin__selector_ref(const kin__selector *sel);
void kin__selector_unref(const kin__selector *sel);

/* As kin_label_selector_print(). */
int kin__selector_print(char **ret, size_t *ret_len, const kin__selector_class *selector_class,
                        const kin__selector *sel, kin_error *err);

/* As kin_label_selector_add(), but that `ret` and `sel` are not NULL. */
int kin__selector_add(const kin__selector **ret, const kin__selector_class *selector_class,
                      const kin__selector *sel, const void *requirements, size_t n, kin_error *err);

/* Report that printing failed with `code`, KIN_ENOMEM or KIN_ELIMIT. Returns it. */
int kin__selector_text_failed(const char *name, int code, kin_error *err);

/* 0, or KIN_ELIMIT for a text that is too long to be parsed. */
int kin__selector_check_length(const char *name, kin_str text, kin_error *err);

#endif
