/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects by their owners. Uids are unique in a cluster and never used again, so they are all that
 * is compared: an owner that was made anew under its old name has no children of the old one.
 */
#include "kinform/owner.h"

#include "base/error.h"
#include "base/log.h"
#include "cache/collect.h"
#include "cache/store.h"
#include "kinform/metadata.h"

int kin_owner_index(const kin_object *object, kin_index_values *values, void *arg, kin_error *err)
{
    kin_owner_reference owner;
    kin_iter it;
    int code = 0;

    (void)arg;
    if (!object || !values)
        return kin__error_null(err, object ? "values" : "object");
    for (kin_iter_init(&it, kin_object_owner_references(object));
         code == 0 && kin_iter_next(&it);) {
        if (kin_owner_reference_get(&owner, it.value) == 0 && owner.uid.len > 0)
            code = kin_index_values_add(values, owner.uid, err);
    }
    return code;
}

struct children {
    kin_str uid;
    bool controlled_only;
    kin__collector found;
};

static bool is_child(const struct children *children, const kin_object *object)
{
    kin_owner_reference owner;
    kin_iter it;

    for (kin_iter_init(&it, kin_object_owner_references(object)); kin_iter_next(&it);) {
        if (kin_owner_reference_get(&owner, it.value) == 0 &&
            (owner.controller || !children->controlled_only) &&
            kin_str_equal(owner.uid, children->uid))
            return true;
    }
    return false;
}

static int visit(kin_str key, const kin_object *object, void *arg)
{
    struct children *children = arg;

    (void)key;
    return is_child(children, object) ? kin__collect_object(&children->found, object) : 0;
}

/* Once per store: a program that looks in a loop would fill its log with it. */
static void warn_of_scan(kin_store *store)
{
    if (!atomic_exchange_explicit(&store->owner_scan_warned, true, memory_order_relaxed))
        kin__log(store->logger, KIN_LOG_WARN, "lister",
                 "there is no index of owners: all objects are looked at",
                 KIN__LOG_S("store", store->name), KIN__LOG_S("index", KIN_OWNER_INDEX));
}

static int find(kin_store *store, struct children *children, kin_error *err)
{
    kin_error said;
    int code;

    kin__error_begin(&said);
    code = kin_store_each_by_index(store, kin_str_of(KIN_OWNER_INDEX), children->uid, visit,
                                   children, &said);
    if (code == KIN_ENOTFOUND) {
        warn_of_scan(store);
        code = kin_store_each(store, visit, children, &said);
    }
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

int kin_list_children(kin_store *store, kin_object_list *ret, const kin_object *owner,
                      bool controlled_only, kin_error *err)
{
    struct children children = {{NULL, 0}, controlled_only, KIN__COLLECTOR_INIT};
    kin_scratch scratch;
    int code = kin__store_check(store, err);

    if (code == 0 && (!ret || !owner))
        code = kin__error_null(err, ret ? "owner" : "ret");
    if (code < 0)
        return code;
    children.uid = kin_object_uid(owner, &scratch);
    if (children.uid.len == 0)
        return kin_error_set(err, KIN_EINVAL, "the owner \"%s\" has no uid", kin_object_key(owner));
    code = find(store, &children, err);
    if (kin__collector_give_objects(&children.found, code, ret) == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code;
}
