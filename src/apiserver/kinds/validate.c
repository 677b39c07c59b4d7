/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation of metadata. First the types, which a decoder into structs would check: what is not
 * there and what is null are the same. Then the rules, which can rely on the types.
 *
 * Custom resources, and CustomResourceDefinitions, are judged as all others; what else their kinds
 * want is not judged here.
 */
#include "apiserver/kinds/validate.h"

#include <stdio.h>

#include "apiserver/kinds/crd_check.h"
#include "apiserver/kinds/member_types.h"
#include "apiserver/kinds/names.h"
#include "base/compiler.h"
#include "base/str.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

static kin_value metadata_of(const kin_object *object)
{
    return kin_value_get(kin_object_root(object), kin_str_of("metadata"));
}

static kin_value member_of(const kin_object *object, const char *name)
{
    return kin_value_get(metadata_of(object), kin_str_of(name));
}

static kin_str text_of(kin_value value, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};

    kin_value_string(&text, value, scratch);
    return text;
}

static kin_str text_member(const kin_object *object, const char *name, kin_scratch *scratch)
{
    return text_of(member_of(object, name), scratch);
}

/* --- types --- */

static const kin__member metadata_members[] = {
    {"name", KIN__SHAPE_STRING, "string", NULL},
    {"generateName", KIN__SHAPE_STRING, "string", NULL},
    {"namespace", KIN__SHAPE_STRING, "string", NULL},
    {"selfLink", KIN__SHAPE_STRING, "string", NULL},
    {"uid", KIN__SHAPE_STRING, "types.UID", NULL},
    {"resourceVersion", KIN__SHAPE_STRING, "string", NULL},
    {"generation", KIN__SHAPE_INTEGER, "int64", NULL},
    {"creationTimestamp", KIN__SHAPE_TIME, "string", NULL},
    {"deletionTimestamp", KIN__SHAPE_TIME, "string", NULL},
    {"deletionGracePeriodSeconds", KIN__SHAPE_INTEGER, "int64", NULL},
    {"labels", KIN__SHAPE_STRING_MAP, "map[string]string", "string"},
    {"annotations", KIN__SHAPE_STRING_MAP, "map[string]string", "string"},
    {"finalizers", KIN__SHAPE_STRINGS, "[]string", "string"},
    {"ownerReferences", KIN__SHAPE_MAPS, "[]v1.OwnerReference", "v1.OwnerReference"},
    {"managedFields", KIN__SHAPE_MAPS, "[]v1.ManagedFieldsEntry", "v1.ManagedFieldsEntry"},
};

static const kin__member owner_members[] = {
    {"apiVersion", KIN__SHAPE_STRING, "string", NULL},
    {"kind", KIN__SHAPE_STRING, "string", NULL},
    {"name", KIN__SHAPE_STRING, "string", NULL},
    {"uid", KIN__SHAPE_STRING, "types.UID", NULL},
    {"controller", KIN__SHAPE_BOOL, "bool", NULL},
    {"blockOwnerDeletion", KIN__SHAPE_BOOL, "bool", NULL},
};

/* Of custom resources the real server decodes the metadata by itself: its place is then the root. */
static bool check_types(const kin__decoding *decoding, const kin_object *object, bool is_custom)
{
    kin_value metadata = metadata_of(object);
    kin_iter it;

    if (!kin__is_type(metadata, KIN_MAP)) {
        char where[300];

        snprintf(where, sizeof(where), "%s.metadata", decoding->kind);
        return kin__fail_type(decoding, metadata, is_custom ? "" : where, "v1.ObjectMeta");
    }
    if (!kin__members_check(decoding, metadata, metadata_members, kin__array_len(metadata_members),
                            is_custom ? "ObjectMeta" : "ObjectMeta.metadata"))
        return false;
    for (kin_iter_init(&it, member_of(object, "ownerReferences")); kin_iter_next(&it);)
        if (!kin__members_check(decoding, it.value, owner_members, kin__array_len(owner_members),
                                is_custom ? "OwnerReference.ownerReferences"
                                          : "OwnerReference.metadata.ownerReferences"))
            return false;
    return true;
}

/* --- the body and its path --- */

/* What a body must say that it is. */
struct expected {
    const char *group;
    const char *version; /* not terminated: see version_len */
    size_t version_len;
    const char *kind;
    char api_version[600]; /* "apps/v1" */
    bool is_custom;
};

static struct expected expected_of(const kin__kind *kind, kin_str version,
                                   const kin__subresource *subresource)
{
    struct expected e = {.group = kind->group, .kind = kind->kind, .is_custom = kind->custom};
    kin__cutline line;

    if (subresource && subresource->kind[0])
        e.kind = subresource->kind;
    if (subresource && subresource->group[0]) {
        e.group = subresource->group;
        version = kin_str_of(subresource->version);
        e.is_custom = false;
    }
    e.version = version.data;
    e.version_len = version.len;
    kin__cutline_init(&line, e.api_version, sizeof(e.api_version));
    if (e.group[0])
        kin__cutline_appendf(&line, "%s/", e.group);
    kin__cutline_append(&line, version);
    return e;
}

/* "apps" and "v1"; a group without a slash is empty. */
static void split_api_version(kin_str api_version, kin_str *ret_group, kin_str *ret_version)
{
    size_t slash = kin__str_find(api_version, '/');
    bool has_group = slash < api_version.len;

    *ret_group = has_group ? kin_str_make(api_version.data, slash) : kin_str_of("");
    *ret_version = has_group
                       ? kin_str_make(api_version.data + slash + 1, api_version.len - slash - 1)
                       : api_version;
}

/* 400: it is of another version of the API than the path. */
static bool fail_version(kin__failure *failure, const struct expected *e, kin_str api_version)
{
    return kin__fail_bad_request(failure,
                                 "the API version in the data (%" KIN_STR_FMT
                                 ") does not match the expected API version (%s)",
                                 KIN_STR_ARG(api_version), e->api_version);
}

/* A custom resource says what it is, and is told by a cause if the kind is wrong. */
static bool check_custom_kind(const struct expected *e, kin_str api_version, kin_str kind,
                              const kin_object *object, kin__failure *failure)
{
    char words[700];
    char kind_text[256];
    kin__cutline line;

    if (kind.len == 0)
        return kin__fail_bad_request(failure,
                                     "the object provided is unrecognized (must be of type %s): "
                                     "Object 'Kind' is missing",
                                     e->kind);
    if (!kin_str_equal(api_version, kin_str_of(e->api_version)))
        return fail_version(failure, e, api_version);
    if (kin_str_equal(kind, kin_str_of(e->kind)))
        return true;
    kin__cutline_init(&line, kind_text, sizeof(kind_text));
    kin__cutline_append(&line, kind);
    kin__fail_invalid_kind(failure, e->group, kind_text, kin_object_name(object));
    snprintf(words, sizeof(words), "must be %s", e->kind);
    kin__cause_invalid(failure, kin_str_of("kind"), kind, words);
    return false;
}

/* The kind of the table that a body says it is, or NULL. */
static const kin__kind *find_builtin(kin_str group, kin_str version, kin_str kind)
{
    for (size_t i = 0; kin__builtin_kinds[i]; i++) {
        const kin__kind *known = kin__builtin_kinds[i];

        if (kin_str_equal(kin_str_of(known->group), group) &&
            kin_str_equal(kin_str_of(known->kind), kind) && kin__kind_serves(known, version))
            return known;
    }
    return NULL;
}

static bool fail_kind(kin__failure *failure, const struct expected *e, kin_str api_version,
                      kin_str kind)
{
    kin_str package = kin__go_package(e->group);
    kin_str group;
    kin_str version;

    split_api_version(api_version, &group, &version);
    if (find_builtin(group, version, kind))
        return kin__fail_bad_request(
            failure,
            "%" KIN_STR_FMT " in version \"%" KIN_STR_FMT
            "\" cannot be handled as a %s: converting (%" KIN_STR_FMT ".%" KIN_STR_FMT
            ") to (%" KIN_STR_FMT ".%s): unknown conversion",
            KIN_STR_ARG(kind), KIN_STR_ARG(version), e->kind, KIN_STR_ARG(version),
            KIN_STR_ARG(kind), KIN_STR_ARG(package), e->kind);
    return kin__fail_bad_request(failure,
                                 "%" KIN_STR_FMT " in version \"%" KIN_STR_FMT
                                 "\" cannot be handled as a %s: no kind \"%" KIN_STR_FMT
                                 "\" is registered for version \"%" KIN_STR_FMT
                                 "\" in scheme \"pkg/runtime/scheme.go:111\"",
                                 KIN_STR_ARG(kind), KIN_STR_ARG(version), e->kind,
                                 KIN_STR_ARG(kind), KIN_STR_ARG(api_version));
}

/*
 * Of the same kind in another version the real server says so, if it knows it; so do we if the
 * group is the same, or if both are one collection. Core never had another version.
 */
static bool is_known_version(const kin__kind *kind, const struct expected *e, kin_str api_version)
{
    kin_str group;
    kin_str version;

    split_api_version(api_version, &group, &version);
    if (group.len > 0 && kin_str_equal(group, kin_str_of(e->group)))
        return true;
    const kin__kind *other = find_builtin(group, version, kin_str_of(e->kind));
    return other && strcmp(other->collection, kind->collection) == 0;
}

/* apiVersion and kind are read before all else, so that they are told of in other words. */
static bool check_text(const kin_object *object, const char *name, const struct expected *e,
                       kin__failure *failure)
{
    kin_value value = kin_value_get(kin_object_root(object), kin_str_of(name));

    return kin__is_type(value, KIN_STRING) ||
           kin__fail_bad_request(failure,
                                 "the object provided is unrecognized (must be of type %s): "
                                 "couldn't get version/kind; json parse error: json: cannot "
                                 "unmarshal %s into Go struct field .%s of type string",
                                 e->kind, kin__found_type(value), name);
}

static bool check_kind(const kin__kind *kind, const struct expected *e, const kin_object *object,
                       kin__failure *failure)
{
    kin_scratch scratch[2];
    kin_str api_version = kin_object_api_version(object, &scratch[0]);
    kin_str body_kind = kin_object_kind(object, &scratch[1]);

    if (!check_text(object, "apiVersion", e, failure) || !check_text(object, "kind", e, failure))
        return false;
    if (e->is_custom)
        return check_custom_kind(e, api_version, body_kind, object, failure);
    /* What is not said is what it must be. */
    if (api_version.len == 0)
        api_version = kin_str_of(e->api_version);
    if (body_kind.len == 0)
        body_kind = kin_str_of(e->kind);
    bool is_kind = kin_str_equal(body_kind, kin_str_of(e->kind));
    if (is_kind && kin_str_equal(api_version, kin_str_of(e->api_version)))
        return true;
    if (is_kind && is_known_version(kind, e, api_version))
        return fail_version(failure, e, api_version);
    return fail_kind(failure, e, api_version, body_kind);
}

static bool check_place(const kin__kind *kind, kin_str namespace_, kin_str name,
                        const kin_object *object, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str own = text_member(object, "namespace", &scratch);

    if (kind->namespaced && own.len > 0 && namespace_.len > 0 && !kin_str_equal(own, namespace_))
        return kin__fail_bad_request(failure, "the namespace of the provided object does not match "
                                              "the namespace sent on the request");
    if (name.len == 0)
        return true;
    own = text_member(object, "name", &scratch);
    if (own.len == 0)
        return kin__fail_bad_request(failure,
                                     "the name of the object (%" KIN_STR_FMT
                                     " based on URL) was undeterminable: name must be provided",
                                     KIN_STR_ARG(name));
    if (!kin_str_equal(own, name))
        return kin__fail_bad_request(failure,
                                     "the name of the object (%" KIN_STR_FMT
                                     ") does not match the name on the URL (%" KIN_STR_FMT ")",
                                     KIN_STR_ARG(own), KIN_STR_ARG(name));
    return true;
}

static bool is_definition(const kin__kind *kind)
{
    return strcmp(kind->group, "apiextensions.k8s.io") == 0 &&
           strcmp(kind->resource, "customresourcedefinitions") == 0;
}

bool kin__validate_type(const kin__kind *kind, kin_str version, const kin__subresource *subresource,
                        const kin_object *object, kin__failure *failure)
{
    struct expected e = expected_of(kind, version, subresource);
    const kin__decoding decoding = {e.kind, kin_str_make(e.version, e.version_len), failure};

    return check_kind(kind, &e, object, failure) && check_types(&decoding, object, e.is_custom) &&
           (!is_definition(kind) || kin__crd_check_types(&decoding, object));
}

bool kin__validate_body(const kin__kind *kind, kin_str version, const kin__subresource *subresource,
                        kin_str namespace_, kin_str name, const kin_object *object,
                        kin__failure *failure)
{
    return kin__validate_type(kind, version, subresource, object, failure) &&
           check_place(kind, namespace_, name, object, failure);
}

/* --- rules --- */

static kin_str field(const char *name)
{
    return kin_str_of(name);
}

static void check_name(enum kin__name_rule rule, const kin_object *object, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str prefix = text_member(object, "generateName", &scratch);
    kin__problems problems;

    if (prefix.len > 0) {
        problems = kin__name_problems(rule, prefix, true);
        kin__problems_add(&problems, failure, field("metadata.generateName"), prefix);
    }
    kin_str name = text_member(object, "name", &scratch);
    if (name.len == 0) {
        kin__cause_required(failure, field("metadata.name"), "name or generateName is required");
        return;
    }
    problems = kin__name_problems(rule, name, false);
    kin__problems_add(&problems, failure, field("metadata.name"), name);
}

static void check_namespace(const kin__kind *kind, const kin_object *object, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str name = text_member(object, "namespace", &scratch);

    if (!kind->namespaced) {
        if (name.len > 0)
            kin__cause_forbidden(failure, field("metadata.namespace"), "not allowed on this type");
    } else if (name.len == 0) {
        kin__cause_required(failure, field("metadata.namespace"), "");
    } else {
        kin__problems problems = kin__name_problems(KIN__NAME_LABEL, name, false);

        kin__problems_add(&problems, failure, field("metadata.namespace"), name);
    }
}

static void check_generation(const kin_object *object, kin__failure *failure)
{
    int64_t generation = kin_object_generation(object);

    if (generation < 0)
        kin__fail_add_cause(failure, "FieldValueInvalid", field("metadata.generation"),
                            "Invalid value: %lld: must be greater than or equal to 0",
                            (long long)generation);
}

static void check_labels(const kin_object *object, kin__failure *failure)
{
    kin_iter it;

    for (kin_iter_init(&it, kin_object_labels(object)); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str value = text_of(it.value, &scratch);
        kin__problems problems = kin__label_key_problems(it.key, false);

        kin__problems_add(&problems, failure, field("metadata.labels"), it.key);
        problems = kin__label_value_problems(value);
        kin__problems_add(&problems, failure, field("metadata.labels"), value);
    }
}

static void check_annotations(const kin_object *object, kin__failure *failure)
{
    size_t total = 0;
    kin_iter it;

    for (kin_iter_init(&it, kin_object_annotations(object)); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin__problems problems = kin__label_key_problems(it.key, true);

        kin__problems_add(&problems, failure, field("metadata.annotations"), it.key);
        total += it.key.len + text_of(it.value, &scratch).len;
    }
    if (total > KIN__ANNOTATIONS_MAX)
        kin__cause_too_long(failure, field("metadata.annotations"), KIN__ANNOTATIONS_MAX);
}

/* "v1", "apps/v1": one slash at most, and a version. */
static bool is_group_version(kin_str s)
{
    size_t slash = kin__str_find(s, '/');

    if (slash == s.len)
        return s.len > 0;
    kin_str version = kin_str_make(s.data + slash + 1, s.len - slash - 1);
    return version.len > 0 && kin__str_find(version, '/') == version.len;
}

static void require(kin__failure *failure, const char *name, kin_str value)
{
    char where[64];

    if (value.len > 0)
        return;
    snprintf(where, sizeof(where), "metadata.ownerReferences.%s", name);
    kin__cause_invalid(failure, field(where), value, "must not be empty");
}

static void check_owner(const kin_owner_reference *owner, kin_value value, kin__failure *failure)
{
    if (!is_group_version(owner->api_version))
        kin__cause_invalid(failure, field("metadata.ownerReferences.apiVersion"),
                           owner->api_version, "version must not be empty");
    require(failure, "kind", owner->kind);
    require(failure, "name", owner->name);
    require(failure, "uid", owner->uid);
    if (kin_str_equal(owner->api_version, kin_str_of("v1")) &&
        kin_str_equal(owner->kind, kin_str_of("Event")))
        kin__cause_invalid_value(failure, field("metadata.ownerReferences"), value,
                                 "/v1, Kind=Event is disallowed from being an owner");
}

/* The owner that manages the object; there is one at most. */
static void check_controllers(const kin_owner_reference *first, const kin_owner_reference *other,
                              kin_value owners, kin__failure *failure)
{
    char words[600];
    kin__cutline line;

    kin__cutline_init(&line, words, sizeof(words));
    kin__cutline_appendf(&line,
                         "Only one reference can have Controller set to true. Found \"true\" in "
                         "references for %" KIN_STR_FMT "/%" KIN_STR_FMT " and %" KIN_STR_FMT
                         "/%" KIN_STR_FMT,
                         KIN_STR_ARG(first->kind), KIN_STR_ARG(first->name),
                         KIN_STR_ARG(other->kind), KIN_STR_ARG(other->name));
    kin__cause_invalid_value(failure, field("metadata.ownerReferences"), owners, words);
}

static void check_owners(const kin_object *object, kin__failure *failure)
{
    kin_value owners = kin_object_owner_references(object);
    kin_owner_reference first;
    bool has_first = false;
    kin_iter it;

    for (kin_iter_init(&it, owners); kin_iter_next(&it);) {
        kin_owner_reference owner;

        memset(&owner, 0, offsetof(kin_owner_reference, scratch)); /* null is an empty one */
        kin_owner_reference_get(&owner, it.value);
        check_owner(&owner, it.value, failure);
        if (owner.controller && has_first)
            check_controllers(&first, &owner, owners, failure);
        else if (owner.controller)
            has_first = kin_owner_reference_get(&first, it.value) == 0;
    }
}

/* Groups, and a kind, whose validation is that of apimachinery alone, without what core adds to it. */
static bool has_core_validation(const kin__kind *kind)
{
    static const char *const groups[] = {"admissionregistration.k8s.io", "apiextensions.k8s.io",
                                         "apiregistration.k8s.io", "coordination.k8s.io", "policy"};

    for (size_t i = 0; i < kin__array_len(groups); i++)
        if (strcmp(kind->group, groups[i]) == 0)
            return false;
    /* Core's events are judged as they were before there was a validation of metadata. */
    if (kind->group[0] == '\0' && strcmp(kind->resource, "events") == 0)
        return false;
    return !kind->custom;
}

/* Without a slash only those names that Kubernetes itself has. */
static void check_plain_finalizers(const kin_object *object, kin__failure *failure)
{
    static const char *const standard[] = {"kubernetes", "orphan", "foregroundDeletion"};
    kin_iter it;

    for (kin_iter_init(&it, kin_object_finalizers(object)); kin_iter_next(&it);) {
        char where[64];
        kin_scratch scratch;
        kin_str name = text_of(it.value, &scratch);
        bool is_known = kin__str_find(name, '/') < name.len;

        for (size_t i = 0; i < kin__array_len(standard); i++)
            is_known |= kin_str_equal(name, kin_str_of(standard[i]));
        if (is_known)
            continue;
        snprintf(where, sizeof(where), "metadata.finalizers[%zu]", it.index);
        kin__cause_invalid(failure, field(where), name,
                           "name is neither a standard finalizer name nor is it fully qualified");
    }
}

static void check_finalizers(const kin_object *object, kin__failure *failure)
{
    kin_value all = kin_object_finalizers(object);
    bool orphans = false;
    bool foreground = false;
    kin_iter it;

    for (kin_iter_init(&it, all); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str name = text_of(it.value, &scratch);
        kin__problems problems = kin__label_key_problems(name, false);

        kin__problems_add(&problems, failure, field("metadata.finalizers"), name);
        orphans |= kin_str_equal(name, kin_str_of("orphan"));
        foreground |= kin_str_equal(name, kin_str_of("foregroundDeletion"));
    }
    if (orphans && foreground)
        kin__cause_invalid_value(failure, field("metadata.finalizers"), all,
                                 "finalizer orphan and foregroundDeletion cannot be both set");
}

static void check_common(const kin__kind *kind, enum kin__name_rule rule, const kin_object *object,
                         kin__failure *failure)
{
    kin_scratch scratch;

    kin__fail_invalid(failure, kind, text_member(object, "name", &scratch));
    check_name(rule, object, failure);
    check_namespace(kind, object, failure);
    check_generation(object, failure);
    check_labels(object, failure);
    check_annotations(object, failure);
    check_owners(object, failure);
    check_finalizers(object, failure);
    if (has_core_validation(kind))
        check_plain_finalizers(object, failure);
}

bool kin__validate_create(const kin__kind *kind, const kin_object *object, kin__failure *failure)
{
    check_common(kind, kind->name_rule, object, failure);
    /* What the rule lets pass must still be able to stand in a path. */
    if (failure->n_causes == 0)
        check_name(KIN__NAME_PATH_SEGMENT, object, failure);
    return kin__fail_if_causes(failure);
}

/* --- what must not change --- */

/* Finalizers that the old object does not have; written as Go prints a list of strings. */
static void check_new_finalizers(const kin_object *object, const kin_object *old,
                                 kin__failure *failure)
{
    char found[600];
    kin__cutline line;
    size_t n = 0;
    kin_iter it;

    kin__cutline_init(&line, found, sizeof(found));
    for (kin_iter_init(&it, kin_object_finalizers(object)); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str name = text_of(it.value, &scratch);

        if (kin_object_has_finalizer(old, name))
            continue;
        if (n++ > 0)
            kin__cutline_append(&line, kin_str_of(", "));
        kin__cutline_append_quoted(&line, name);
    }
    if (n > 0)
        kin__fail_add_cause(failure, "FieldValueForbidden", field("metadata.finalizers"),
                            "Forbidden: no new finalizers can be added if the object is being "
                            "deleted, found new finalizers []string{%s}",
                            found);
}

static bool is_absent(kin_value value)
{
    enum kin_type type = kin_value_type(value);

    return type == KIN_NONE || type == KIN_NULL;
}

static void check_same(const kin_object *object, const kin_object *old, const char *name,
                       kin__failure *failure)
{
    char where[64];
    kin_value now = member_of(object, name);
    kin_value before = member_of(old, name);

    if ((is_absent(now) && is_absent(before)) || kin_value_equal(now, before))
        return;
    snprintf(where, sizeof(where), "metadata.%s", name);
    kin__cause_invalid_value(failure, field(where), now, "field is immutable");
}

bool kin__validate_update(const kin__kind *kind, const kin_object *object, const kin_object *old,
                          kin__failure *failure)
{
    static const char *const fixed[] = {"name",
                                        "namespace",
                                        "uid",
                                        "creationTimestamp",
                                        "deletionTimestamp",
                                        "deletionGracePeriodSeconds"};
    int64_t generation = kin_object_generation(object);

    check_common(kind, KIN__NAME_PATH_SEGMENT, object, failure);
    if (!is_absent(member_of(old, "deletionTimestamp")))
        check_new_finalizers(object, old, failure);
    if (kin_object_resource_version(object).len == 0)
        kin__cause_invalid(failure, field("metadata.resourceVersion"), kin_str_of(""),
                           "must be specified for an update");
    if (generation < kin_object_generation(old))
        kin__fail_add_cause(failure, "FieldValueInvalid", field("metadata.generation"),
                            "Invalid value: %lld: must not be decremented", (long long)generation);
    for (size_t i = 0; i < kin__array_len(fixed); i++)
        check_same(object, old, fixed[i], failure);
    return kin__fail_if_causes(failure);
}
