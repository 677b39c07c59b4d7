/* SPDX-License-Identifier: Apache-2.0 */
#include "kinform/known_objects.h"

static int store_has(void *arg, kin_str key, kin_error *err)
{
    return kin_store_get(arg, NULL, key, err);
}

static int store_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    return kin_store_each(arg, visit, visit_arg, err);
}

kin_known_objects kin_store_known_objects(kin_store *store)
{
    return (kin_known_objects){sizeof(kin_known_objects), store_has, store_each, store};
}
