/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names and labels, judged in the words of apimachinery. Pure.
 */
#ifndef KIN_APISERVER_KINDS_NAMES_H
#define KIN_APISERVER_KINDS_NAMES_H

#include "apiserver/kinds/failure.h"

/* What is wrong with a text: nothing if n is 0. The words are static. */
typedef struct kin__problems {
    const char *items[4];
    size_t n;
} kin__problems;

/* A name of an object. `is_prefix`: a generateName, which may end with a dash. */
kin__problems kin__name_problems(enum kin__name_rule rule, kin_str name, bool is_prefix);
/* The key of a label, the name of a finalizer. `any_case`: of an annotation. */
kin__problems kin__label_key_problems(kin_str key, bool any_case);
kin__problems kin__label_value_problems(kin_str value);

/* A cause for each problem: "Invalid value: …". */
void kin__problems_add(const kin__problems *problems, kin__failure *failure, kin_str field,
                       kin_str value);
/* All of them in one text. */
void kin__problems_join(const kin__problems *problems, kin__cutline *line, const char *separator);

#endif
