/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Types of bodies. The real server takes protobuf, too, and names it among what it takes; we name it
 * as it does, and do not take it.
 */
#include "apiserver/content_type.h"

#include "base/compiler.h"
#include "base/str.h"

struct type {
    const char *name;
    enum kin__body_form form;
};

static const struct type object_types[] = {
    {"application/json", KIN__BODY_JSON},
    {"application/yaml", KIN__BODY_YAML},
};

/* The last one is for built-in kinds alone. */
static const struct type patch_types[] = {
    {"application/json-patch+json", KIN__BODY_JSON_PATCH},
    {"application/merge-patch+json", KIN__BODY_MERGE_PATCH},
    {"application/apply-patch+yaml", KIN__BODY_APPLY},
    {"application/strategic-merge-patch+json", KIN__BODY_STRATEGIC_PATCH},
};

/* Types are written in any case. */
static bool equals_fold(kin_str a, kin_str lower)
{
    if (a.len != lower.len)
        return false;
    for (size_t i = 0; i < a.len; i++) {
        char c = a.data[i];

        if (c >= 'A' && c <= 'Z')
            c = (char)(c + ('a' - 'A'));
        if (c != lower.data[i])
            return false;
    }
    return true;
}

static bool find_type(const struct type *types, size_t n, kin_str name, enum kin__body_form *ret)
{
    for (size_t i = 0; i < n; i++) {
        if (!equals_fold(name, kin_str_of(types[i].name)))
            continue;
        *ret = types[i].form;
        return true;
    }
    return false;
}

static bool fail_unknown(kin__failure *failure, const char *accepted)
{
    return kin__fail(failure, 415, "UnsupportedMediaType",
                     "the body of the request was in an unknown format - accepted media types "
                     "include: %s",
                     accepted);
}

/* The router of built-in kinds has other words. */
static bool fail_at_router(kin__failure *failure)
{
    kin__fail(failure, 415, "UnsupportedMediaType", "415: Unsupported Media Type");
    failure->has_details = true;
    return false;
}

static bool read_patch_type(kin_str name, const kin__kind *kind, enum kin__body_form *ret,
                            kin__failure *failure)
{
    size_t n = kin__array_len(patch_types) - kind->custom;

    if (find_type(patch_types, n, name, ret))
        return true;
    if (kind->custom)
        return fail_unknown(failure, "application/json-patch+json, application/merge-patch+json, "
                                     "application/apply-patch+yaml");
    return fail_at_router(failure);
}

bool kin__content_type_read(kin_str content_type, const kin__kind *kind, enum kin__verb verb,
                            enum kin__body_form *ret, kin__failure *failure)
{
    kin_str name = kin__str_trim(kin_str_make(content_type.data, kin__str_find(content_type, ';')));

    if (verb == KIN__VERB_PATCH)
        return read_patch_type(name, kind, ret, failure);
    if (content_type.len == 0) {
        *ret = KIN__BODY_JSON;
        return true;
    }
    if (find_type(object_types, kin__array_len(object_types), name, ret))
        return true;
    return fail_unknown(failure,
                        "application/json, application/yaml, application/vnd.kubernetes.protobuf");
}
