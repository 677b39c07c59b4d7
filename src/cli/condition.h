/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conditions on objects, as --where and --until have them: PATH OPERATOR VALUE.
 *
 *     .status.phase==Running     .spec.replicas>3     .spec.containers[*].image=~'^web:'
 *     .metadata.labels.app       (is there, and neither null nor false nor empty)
 *
 * It holds if one of the values at the path does; `!=` if none is equal, also where nothing is there.
 * Numbers are compared as numbers, quantities such as 512Mi as quantities, all else as text; =~ is an
 * extended regular expression. Quotes around the value are taken off.
 */
#ifndef KIN_CLI_CONDITION_H
#define KIN_CLI_CONDITION_H

#include "cli/base/options.h"
#include "kinform/object.h"

struct condition;

/* 0, KIN_EPARSE with a line for the user. OWNED, condition_free(). */
int condition_parse(struct condition **ret, const char *text, kin_error *err);
void condition_free(struct condition *condition);
/*
 * Tell the user if the path looks like a path with an operator that does not exist: .a~=b. `option` and `text` are what
 * was typed.
 */
void condition_warn(const struct condition *condition, const char *option, const char *text);
/* What it looks at. BORROWED while it lives. */
const struct jsonpath *condition_path(const struct condition *condition);
/* Where the path makes no sense for the object, as an index beyond an array, nothing is there. */
bool condition_holds(const struct condition *condition, const kin_object *object);

/* Conditions that must all hold. OWNED, conditions_done(). */
struct conditions {
    struct condition **items;
    size_t len;
};

int conditions_parse(struct conditions *ret, const struct option_texts *texts, kin_error *err);
/* condition_warn() for each of --where. */
void conditions_warn(const struct conditions *conditions, const struct option_texts *texts);
void conditions_done(struct conditions *conditions);
bool conditions_hold(const struct conditions *conditions, const kin_object *object);

#endif
