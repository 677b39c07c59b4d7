/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/replace.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "cache/input.h"

int kin_replace_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    if (!replace || !object)
        return kin_error_set(err, KIN_EINVAL, "%s is NULL", replace ? "object" : "replace");
    if (kin_object_is_tombstone(object, NULL))
        return kin_error_set(err, KIN_EINVAL, "a list has no tombstones");
    return replace->replace_class->add(replace, object, err);
}

void kin_replace_keep_missing(kin_replace *replace)
{
    if (replace)
        replace->keeps = true;
}

int kin_replace_keep(kin_replace *replace, kin_str key, kin_error *err)
{
    int code = 1;

    if (!replace)
        return kin__error_null(err, "replace");
    if (key.len == 0)
        return kin_error_set(err, KIN_EINVAL, "an empty key");
    if (replace->replace_class->keep)
        code = replace->replace_class->keep(replace, key, err);
    if (code > 0)
        kin_replace_keep_missing(replace);
    return code < 0 ? code : 0;
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

/* --- of the caller's own --- */

struct own_replace {
    kin_replace base;
    kin_replace_functions functions;
    void *arg;
};

static struct own_replace *own_of(kin_replace *replace)
{
    return kin__container_of(replace, struct own_replace, base);
}

static int own_add(kin_replace *replace, const kin_object *object, kin_error *err)
{
    const struct own_replace *own = own_of(replace);

    return own->functions.add(object, own->arg, err);
}

static int own_commit(kin_replace *replace, kin_str resource_version, kin_error *err)
{
    struct own_replace *own = own_of(replace);
    int code = own->functions.commit(resource_version, replace->keeps, own->arg, err);

    if (code == 0)
        kin__free(own);
    return code;
}

static void own_abort(kin_replace *replace)
{
    struct own_replace *own = own_of(replace);

    own->functions.abort(own->arg);
    kin__free(own);
}

int kin_replace_new(kin_replace **ret, const kin_replace_functions *functions, void *arg,
                    kin_error *err)
{
    static const kin__replace_class own_class = {own_add, own_commit, own_abort, NULL};
    kin_replace_functions all = KIN_REPLACE_FUNCTIONS_INIT;
    struct own_replace *own;
    int code;

    if (!ret || !functions)
        return kin__error_null(err, ret ? "functions" : "ret");
    code = kin__options_take(&all, sizeof(all), functions, "KIN_REPLACE_FUNCTIONS_INIT", err);
    if (code < 0)
        return code;
    if (!all.add || !all.commit || !all.abort)
        return kin_error_set(err, KIN_EINVAL, "a function of the replacement is missing");
    own = kin__calloc(1, sizeof(*own));
    if (!own)
        return kin__error_no_memory(err);
    own->base.replace_class = &own_class;
    own->functions = all;
    own->arg = arg;
    *ret = &own->base;
    return 0;
}
