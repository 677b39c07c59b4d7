/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Updates: of the whole object, or of the part that a subresource is. Patches become updates of
 * what they were applied to.
 */
#include <stdio.h>
#include <string.h>

#include "apiserver/kinds/validate.h"
#include "apiserver/verbs/api_inside.h"
#include "base/str.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

static kin_value status_of(const kin_object *object)
{
    return kin_value_get(kin_object_root(object), kin_str_of("status"));
}

static kin_value metadata_of(const kin_object *object, const char *name)
{
    return kin_value_get(kin_value_get(kin_object_root(object), kin_str_of("metadata")),
                         kin_str_of(name));
}

/* --- preconditions, `base` NULL: it is not there --- */

/* Whether the object may be written over `base`, by the version that it names. */
static bool check_version(kin__op *op, const kin_object *base, const kin_object *object,
                          kin__failure *failure)
{
    kin_str version = kin_object_resource_version(object);
    uint64_t number = 0;

    if (!kin__resource_version_read(version, KIN__VERB_UPDATE, &number, failure))
        return false;
    if (number == 0 && (op->kind->unconditional_update || op->encoding.kind == &kin__scale_kind))
        return true;
    if (number == 0)
        return kin__fail_no_version(failure, op->kind, op->info.name);
    if (!kin_str_equal(version, kin_object_resource_version(base)))
        return kin__fail_conflict(failure, op->kind, op->info.name,
                                  "the object has been modified; please apply your changes to the "
                                  "latest version and try again");
    return true;
}

static bool check_uid(kin__op *op, const kin_object *base, const kin_object *object,
                      kin__failure *failure)
{
    kin_scratch scratch;
    kin_scratch base_scratch;
    kin_str uid = kin_object_uid(object, &scratch);
    kin_str own = base ? kin_object_uid(base, &base_scratch) : kin_str_of("");

    if (uid.len == 0 || kin_str_equal(uid, own))
        return true;
    return kin__fail_conflict(
        failure, op->kind, op->info.name,
        "StorageError: invalid object, Code: 4, Key: /registry/%s/%" KIN_STR_FMT
        ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID "
        "in precondition: %" KIN_STR_FMT ", UID in object meta: %" KIN_STR_FMT,
        op->kind->resource, KIN_STR_ARG(kin__buf_str(&op->key)), KIN_STR_ARG(uid),
        KIN_STR_ARG(own));
}

/* --- the new state --- */

/* What a namespace waits for beside its finalizers. */
static bool has_spec_finalizers(const kin__op *op, const kin_object *object)
{
    return op->collection == op->api->namespaces &&
           kin_value_len(kin_object_find(object, "spec.finalizers")) > 0;
}

/* It was to be deleted, and nothing keeps it any more. */
static bool is_over(const kin__op *op, const kin_object *object)
{
    int64_t grace = 0;

    if (!kin__is_being_deleted(object) || kin__has_finalizers(object) ||
        has_spec_finalizers(op, object))
        return false;
    kin_value_int64(&grace, metadata_of(object, "deletionGracePeriodSeconds"));
    return grace == 0;
}

static bool is_empty_text(kin_value value)
{
    kin_scratch scratch;
    kin_str text = {"", 0};

    return kin_value_string(&text, value, &scratch) == 0 && text.len == 0;
}

static bool is_same_map(const kin_object *base, const kin_object *object, const char *name)
{
    kin_value before = metadata_of(base, name);
    kin_value now = metadata_of(object, name);

    return (kin_value_len(before) == 0 && kin_value_len(now) == 0) || kin_value_equal(before, now);
}

/* Whether the change is one that the generation counts; of metadata only without a subresource. */
static bool is_counted(const kin__op *op, const kin_object *base, const kin_object *object)
{
    switch (op->kind->generation) {
    case KIN__GENERATION_GIVEN:
    case KIN__GENERATION_ONE:
        return false;
    case KIN__GENERATION_COUNTED_WITH_LABELS:
        if (!op->subresource && !is_same_map(base, object, "labels"))
            return true;
        break;
    case KIN__GENERATION_COUNTED_WITH_ANNOTATIONS:
        if (!op->subresource && !is_same_map(base, object, "annotations"))
            return true;
        break;
    case KIN__GENERATION_COUNTED:
    case KIN__GENERATION_COUNTED_FROM_GIVEN:
        break;
    }
    return !kin__is_same_spec(object, base);
}

static void keep_metadata(kin__op *op, kin__edit *edit, const kin_object *base,
                          const kin_object *object)
{
    static const char *const unless_given[] = {"uid", "deletionTimestamp",
                                               "deletionGracePeriodSeconds"};
    int64_t generation = kin_object_generation(base);

    kin__edit_string(edit, "metadata.name", kin_object_name(base));
    if (op->kind->namespaced)
        kin__edit_string(edit, "metadata.namespace", kin_object_namespace(base));
    else
        kin__edit_remove(edit, "metadata.namespace");
    for (size_t i = 0; i < kin__array_len(unless_given); i++) {
        char path[64];
        kin_value given = metadata_of(object, unless_given[i]);
        enum kin_type type = kin_value_type(given);

        snprintf(path, sizeof(path), "metadata.%s", unless_given[i]);
        if (type == KIN_NONE || type == KIN_NULL || is_empty_text(given))
            kin__edit_value(edit, path, metadata_of(base, unless_given[i]));
    }
    kin__edit_value(edit, "metadata.creationTimestamp", metadata_of(base, "creationTimestamp"));
    if (is_counted(op, base, object))
        generation++;
    if (generation > 0)
        kin__edit_number(edit, "metadata.generation", generation);
    else
        kin__edit_remove(edit, "metadata.generation");
    kin__edit_remove(edit, "metadata.selfLink");
    kin__edit_remove_empty(edit, object);
}

/*
 * ConfigMaps and Secrets that were said to be immutable: neither that nor what they hold changes.
 */
static bool check_immutable(const kin__op *op, const kin_object *base, const kin_object *object,
                            kin__failure *failure)
{
    static const char *const members[] = {"immutable", "data", "stringData", "binaryData"};
    static const char words[] = "field is immutable when `immutable` is set";
    bool is_immutable = false;

    if (!kin__kind_is(op->kind, "", "configmaps") && !kin__kind_is(op->kind, "", "secrets"))
        return true;
    kin_value_bool(&is_immutable, kin_object_find(base, "immutable"));
    if (!is_immutable)
        return true;
    kin__fail_invalid(failure, op->kind, kin_object_name(base));
    for (size_t i = 0; i < kin__array_len(members); i++)
        if (!kin_value_equal(kin_object_find(base, members[i]),
                             kin_object_find(object, members[i])))
            kin__cause_forbidden(failure, kin_str_of(members[i]), words);
    return kin__fail_if_causes(failure);
}

enum kin__outcome kin__finish_update(kin__op *op, const kin_object *base, const kin_object *object,
                                     uint64_t version, const kin_object **ret,
                                     kin__failure *failure)
{
    kin__edit edit;

    kin__edit_begin(&edit, object);
    keep_metadata(op, &edit, base, object);
    kin__edit_version(&edit, version);
    if (!kin__edit_finish(&edit, ret, failure) ||
        !kin__validate_update(op->kind, *ret, base, failure) ||
        !check_immutable(op, base, *ret, failure) ||
        (kin__crd_is(op->kind) && !kin__crd_prepare(op, base, ret, failure)))
        return KIN__REFUSED;
    if (kin__is_same_but_version(*ret, base)) {
        kin_object_unref(*ret);
        *ret = kin_object_ref(base);
        return KIN__UNCHANGED;
    }
    return is_over(op, *ret) ? KIN__DELETE : KIN__PUT;
}

/* Of `from` a part, all else of `base`. */
static bool take_part(const kin_object *base, const kin_object *from, const char *path,
                      const kin_object **ret, kin__failure *failure)
{
    kin__edit edit;

    kin__edit_begin(&edit, base);
    kin__edit_value(&edit, path, kin_object_find(from, path));
    return kin__edit_finish(&edit, ret, failure);
}

/* Of `object` all, but the status of `base`. */
static bool keep_status(const kin_object *base, const kin_object *object, const kin_object **ret,
                        kin__failure *failure)
{
    kin__edit edit;

    if (kin_value_equal(status_of(base), status_of(object))) {
        *ret = kin_object_ref(object);
        return true;
    }
    kin__edit_begin(&edit, object);
    kin__edit_value(&edit, "status", status_of(base));
    return kin__edit_finish(&edit, ret, failure);
}

/* Of most built-in kinds a write of the status takes the metadata along, but for these. */
static bool has_metadata_in_status(const kin__kind *kind)
{
    return !kind->custom && !kin__crd_is(kind) &&
           !kin__kind_is(kind, "networking.k8s.io", "servicecidrs") &&
           !kin__kind_is(kind, "storage.k8s.io", "volumeattachments") &&
           !kin__kind_is(kind, "certificates.k8s.io", "podcertificaterequests") &&
           !kin__kind_is(kind, "admissionregistration.k8s.io", "validatingadmissionpolicies");
}

/* Of `object` the status and what of its metadata can be written with that, else all of `base`. */
static bool take_status(const kin__op *op, const kin_object *base, const kin_object *object,
                        const kin_object **ret, kin__failure *failure)
{
    kin__edit edit;

    if (!has_metadata_in_status(op->kind))
        return take_part(base, object, "status", ret, failure);
    kin__edit_begin(&edit, base);
    kin__edit_value(&edit, "metadata", kin_object_find(object, "metadata"));
    kin__edit_value(&edit, "status", status_of(object));
    if (kin__kind_is(op->kind, "apps", "deployments"))
        kin__edit_value(&edit, "metadata.labels", metadata_of(base, "labels"));
    if (op->kind->graceful)
        kin__edit_value(&edit, "metadata.ownerReferences", metadata_of(base, "ownerReferences"));
    return kin__edit_finish(&edit, ret, failure);
}

/* What a write of the resource or subresource makes of `base`. */
static bool merge(kin__op *op, const kin_object *base, const kin_object *object,
                  const kin_object **ret, kin__failure *failure)
{
    kin_str part = op->info.subresource;

    if (kin_str_equal(part, kin_str_of("status")))
        return take_status(op, base, object, ret, failure);
    if (kin_str_equal(part, kin_str_of("approval")))
        return take_part(base, object, "status", ret, failure);
    if (kin_str_equal(part, kin_str_of("finalize")))
        return take_part(base, object, "spec.finalizers", ret, failure);
    if (op->version->has_status)
        return keep_status(base, object, ret, failure);
    *ret = kin_object_ref(object);
    return true;
}

enum kin__outcome kin__make_updated(kin__op *op, const kin_object *base, const kin_object *object,
                                    uint64_t version, const kin_object **ret, kin__failure *failure)
{
    const kin_object *merged = NULL;
    enum kin__outcome outcome;
    bool ok;

    if (!check_version(op, base, object, failure))
        return KIN__REFUSED;
    if (op->encoding.kind == &kin__scale_kind)
        ok = kin__scale_apply(op, base, object, &merged, failure);
    else
        ok = merge(op, base, object, &merged, failure);
    if (!ok)
        return KIN__REFUSED;
    outcome = kin__finish_update(op, base, merged, version, ret, failure);
    kin_object_unref(merged);
    return outcome;
}

static enum kin__outcome make(kin__op *op, const kin_object *base, uint64_t version,
                              const kin_object **ret, kin__failure *failure)
{
    op->status = 200;
    if (!base && op->kind->create_on_update && !op->subresource) {
        if (!check_uid(op, NULL, op->body, failure))
            return KIN__REFUSED;
        op->status = 201;
        return kin__make_created(op, base, version, ret, failure);
    }
    if (!base) {
        kin__fail_not_found(failure, op->kind, op->info.name);
        return KIN__REFUSED;
    }
    if (!check_uid(op, base, op->body, failure))
        return KIN__REFUSED;
    return kin__make_updated(op, base, op->body, version, ret, failure);
}

bool kin__serve_update(kin__op *op, kin__failure *failure)
{
    op->is_dry_run = op->info.options.dry_run;
    if (op->encoding.kind == &kin__scale_kind) {
        if (!kin__scale_read(op, failure))
            return false;
    } else if (!kin__op_read_body(op, failure)) {
        return false;
    }
    return kin__op_write(op, make, failure);
}
