/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/replace.h"

#include "base/error.h"
#include "cache/input.h"

int kin_replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    if (!replace || !object)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL", replace ? "object" : "replace");
    if (kin_object_is_tombstone(object, NULL))
        return kin_error_set(err, KIN_EINVAL, "a list has no tombstones");
    return replace->replace_class->add(replace, object, err);
}

int kin_replace_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    int code;

    if (!replace)
        return kin__error_null(err, "replace");
    code = kin__resource_version_check(resource_version, err);
    return code < 0 ? code : replace->replace_class->commit(replace, resource_version, err);
}

void kin_replace_abort(kin_replace *replace)
{
    if (replace)
        replace->replace_class->abort(replace);
}

int kin__replace_all(kin_replace *replace, const kin_object *const *objects, size_t n,
                     kin_str resource_version, kin_error *err)
{
    int code = n && !objects ? kin__error_null(err, "objects") : 0;

    for (size_t i = 0; i < n && code == 0; i++)
        code = kin_replace_add(replace, objects[i], err);
    if (code == 0)
        code = kin_replace_commit(replace, resource_version, err);
    if (code < 0)
        kin_replace_abort(replace);
    return code;
}
