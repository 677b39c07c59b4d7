/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which objects of a kind a list or a watch is about. Pure.
 */
#ifndef KIN_APISERVER_PROTOCOL_SELECTOR_H
#define KIN_APISERVER_PROTOCOL_SELECTOR_H

#include "apiserver/kinds/failure.h"
#include "kinform/selector.h"

/* Selectors as texts; *ret SHARED. False: 400, in apimachinery's words. */
bool kin__label_selector_read(const kin_label_selector **ret, kin_str text, kin__failure *failure);
bool kin__field_selector_read(const kin_field_selector **ret, kin_str text, kin__failure *failure);

/* Why apimachinery would refuse a text; an empty line if it would not. See selector_words.c. */
void kin__label_selector_words(kin_str text, kin__cutline *line);
void kin__field_selector_words(kin_str text, kin__cutline *line);

/* Const once made: any number of threads. */
typedef struct kin__selector {
    const kin__kind_version *version; /* BORROWED: the kind outlives the selector */
    const kin_label_selector *labels; /* SHARED */
    const kin_field_selector *fields; /* SHARED */
} kin__selector;

/*
 * Both selectors, which may be NULL, for objects of a kind in a version. A field that the kind does
 * not have is 400. `kind` and `version` BORROWED as long as the selector lives. Release with _done,
 * unless it failed.
 */
bool kin__selector_for(kin__selector *ret, const kin__kind *kind, const kin__kind_version *version,
                       const kin_label_selector *labels, const kin_field_selector *fields,
                       kin__failure *failure);
void kin__selector_done(kin__selector *selector);

/* Whether all objects are meant. */
bool kin__selector_is_empty(const kin__selector *selector);
/* Whether only an object of one name can be meant; BORROWED while the selector lives. */
bool kin__selector_name(const kin__selector *selector, kin_str *ret);
/* `object` in the form in which it is stored. */
bool kin__selector_matches(const kin__selector *selector, const kin_object *object);
/* The same for kin__state_query.match; `arg` is the selector. */
bool kin__selector_match(const kin_object *object, void *arg);

#endif
