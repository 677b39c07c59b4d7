/* SPDX-License-Identifier: Apache-2.0 */
#include "cache/staged.h"

#include "base/error.h"
#include "base/mutex.h"
#include "cache/input.h"

int kin__staged_known(kin__staged *ret, bool again, kin_str known_key, const kin_object *known,
                      kin_key_fn *key, void *key_arg, kin_error *err)
{
    int code = 0;

    if (again)
        ret->object = kin_object_ref(known);
    else
        code = kin_tombstone_new(&ret->object, known_key, known, err);
    if (code < 0)
        return code;
    code = kin__input_key(key, key_arg, ret->object, &ret->key, err);
    if (code < 0)
        kin_object_unref(ret->object);
    return code;
}

int kin__known_each(const kin_known_objects *known, kin_visit_fn *visit, void *arg,
                    const kin_error *visitor_said, kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    kin__assert_no_locks();
    code = known->each(known->arg, visit, arg, &said);
    if (code > 0)
        return kin_error_set(err, KIN_EINVAL, "the known objects returned %d", code);
    if (code == 0)
        return 0;
    return kin__error_pass(err, code, visitor_said->code == code ? visitor_said : &said);
}
