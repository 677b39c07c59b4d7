/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What tests of the API server share: objects from JSON, kinds of the table, failures compared.
 */
#ifndef KIN_TEST_APISERVER_SUPPORT_H
#define KIN_TEST_APISERVER_SUPPORT_H

#include "kin_test.h"

#include <string.h>

#include "apiserver/kinds/failure.h"
#include "kinform/json.h"

static inline const kin_object *object_of(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(json), NULL, &err) < 0)
        fail_msg("%s: %s", json, err.message);
    return object;
}

static inline const kin__kind *builtin(const char *group, const char *resource)
{
    for (size_t i = 0; kin__builtin_kinds[i]; i++)
        if (strcmp(kin__builtin_kinds[i]->group, group) == 0 &&
            strcmp(kin__builtin_kinds[i]->resource, resource) == 0)
            return kin__builtin_kinds[i];
    fail_msg("there is no %s in \"%s\"", resource, group);
    return kin__builtin_kinds[0];
}

static inline void assert_text(kin_str text, const char *expected)
{
    if (!kin_str_equal(text, kin_str_of(expected)))
        fail_msg("\"%" KIN_STR_FMT "\" is not \"%s\"", KIN_STR_ARG(text), expected);
}

static inline void assert_failure(const kin__failure *failure, int status, const char *reason,
                                  const char *message)
{
    if (!reason || !message)
        fail_msg("%d %s: %s was not expected", failure->status, failure->reason, failure->message);
    else if (failure->status != status || strcmp(failure->reason, reason) != 0 ||
             strcmp(failure->message, message) != 0)
        fail_msg("%d %s: %s\nis not\n%d %s: %s", failure->status, failure->reason, failure->message,
                 status, reason, message);
}

/* A cause of a failure, by its number. */
static inline void assert_cause(const kin__failure *failure, unsigned index, const char *reason,
                                const char *field, const char *message)
{
    assert_true(index < failure->n_causes);
    const kin__cause *cause = &failure->causes[index];
    if (!reason || !field || !message)
        fail_msg("%s %s: %s was not expected", cause->reason, cause->field, cause->message);
    else if (strcmp(cause->reason, reason) != 0 || strcmp(cause->field, field) != 0 ||
             strcmp(cause->message, message) != 0)
        fail_msg("%s %s: %s\nis not\n%s %s: %s", cause->reason, cause->field, cause->message,
                 reason, field, message);
}

#endif
