/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From an object to its owner, in another informer of the factory.
 *
 * An owner is named by its kind and group; its version says only in which one the reference was
 * written. An informer's kind is what discovery says of its resource. Where nobody has asked for
 * that, no informer has listed anything yet.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/client.h"
#include "informer/factory.h"
#include "kinform/key.h"

/* "apps" of "apps/v1", "" of "v1". */
static kin_str group_of(kin_str api_version)
{
    size_t slash = kin__str_find(api_version, '/');

    return kin_str_make(api_version.data, slash < api_version.len ? slash : 0);
}

static bool is_of_kind(const kin_resource *resource, const kin_owner_reference *reference)
{
    return kin_str_equal(kin_str_of(kin_resource_kind(resource)), reference->kind) &&
           kin_str_equal(kin_str_of(kin_resource_group(resource)),
                         group_of(reference->api_version));
}

static int no_informer(const kin_owner_reference *reference, kin_error *err)
{
    return kin_error_set(err, KIN_ENOTFOUND,
                         "the factory has no informer of %" KIN_STR_FMT " of %" KIN_STR_FMT,
                         KIN_STR_ARG(reference->kind), KIN_STR_ARG(reference->api_version));
}

static int not_there(const kin_owner_reference *reference, kin_error *err)
{
    return kin_error_set(err, KIN_ENOTFOUND,
                         "the %" KIN_STR_FMT " \"%" KIN_STR_FMT "\" is not there",
                         KIN_STR_ARG(reference->kind), KIN_STR_ARG(reference->name));
}

static int get_by_key(kin_store *store, const kin_object **ret, kin_str namespace_, kin_str name,
                      kin_error *err)
{
    char *key = NULL;
    int code = kin_key_new(&key, namespace_, name, err);

    if (code < 0)
        return code;
    code = kin_store_get(store, ret, kin_str_of(key), err);
    kin__free(key);
    return code;
}

/* The owner in the store of its kind. One of the same name that was made anew is another one. */
static int get_owner(kin_store *store, const kin_object **ret, kin_str namespace_,
                     const kin_owner_reference *reference, kin_error *err)
{
    const kin_object *found = NULL;
    kin_scratch scratch;
    int code = get_by_key(store, &found, namespace_, reference->name, err);

    if (code == KIN_ENOTFOUND)
        return not_there(reference, err);
    if (code < 0)
        return code;
    if (!kin_str_equal(kin_object_uid(found, &scratch), reference->uid)) {
        kin_object_unref(found);
        return not_there(reference, err);
    }
    if (ret)
        *ret = found;
    else
        kin_object_unref(found);
    return 0;
}

/* Look into each informer of that kind; there may be two, of different versions. */
static int find_owner(kin_factory *factory, const kin_object **ret, const kin_object *object,
                      const kin_owner_reference *reference, kin_error *err)
{
    kin__factory_entry *entry = NULL;
    int code = no_informer(reference, err);

    while (code == KIN_ENOTFOUND && (entry = kin__factory_next(factory, entry))) {
        kin_str namespace_ = {NULL, 0};
        kin_resource *resource = NULL;

        if (kin__client_resolve_known(factory->client, &resource, entry->name.resource) < 0)
            continue;
        if (kin_resource_is_namespaced(resource))
            namespace_ = kin_object_namespace(object);
        if (is_of_kind(resource, reference))
            code = get_owner(kin_informer_store(entry->informer), ret, namespace_, reference, err);
        kin_resource_unref(resource);
    }
    kin__factory_leave(factory, entry);
    return code;
}

int kin_factory_owner(kin_factory *factory, const kin_object **ret, const kin_object *object,
                      const kin_owner_reference *reference, kin_error *err)
{
    kin_owner_reference controller;
    kin_error why;
    int code = kin__factory_check(factory, err);

    if (code == 0 && !object)
        code = kin__error_null(err, "object");
    if (code < 0)
        return code;
    if (!reference && kin_object_controller(&controller, object) < 0)
        return kin_error_set(err, KIN_ENOTFOUND, "\"%s\" has no controller",
                             kin_object_key(object));
    if (!reference)
        reference = &controller;
    if (!factory->client)
        return no_informer(reference, err);
    kin__error_begin(&why);
    code = find_owner(factory, ret, object, reference, &why);
    return code < 0 ? kin__error_pass(err, code, &why) : 0;
}
