/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Validation of CustomResourceDefinitions, in the order and the words of the real server. Left out:
 * what it checks of schemas (that they are structural, their defaults and rules), of printer
 * columns, and of the client configuration of webhooks, since none of these is used.
 */
#include "apiserver/kinds/crd_check.h"

#include <stdio.h>

#include "apiserver/kinds/names.h"
#include "base/compiler.h"
#include "base/str.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

/* No name that is accepted is longer than 63 bytes; room to tell of longer ones. */
#define NAME_SIZE 256
#define SELECTABLE_FIELDS_MAX 8
/*
 * The real server has no limit, but no need for more, either; here each is compared with all
 * others.
 */
#define VERSIONS_MAX 256

kin_str kin__crd_text(kin_value map, const char *name, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};

    kin_value_string(&text, kin_value_get(map, kin_str_of(name)), scratch);
    return text;
}

bool kin__crd_flag(kin_value map, const char *name)
{
    bool flag = false;

    kin_value_bool(&flag, kin_value_get(map, kin_str_of(name)));
    return flag;
}

static bool is_there(kin_value value)
{
    return kin_value_type(value) != KIN_NONE && kin_value_type(value) != KIN_NULL;
}

static bool to_lower(kin_str from, char *ret, size_t size)
{
    if (from.len >= size)
        return false;
    for (size_t i = 0; i < from.len; i++) {
        ret[i] = from.data[i];
        if (ret[i] >= 'A' && ret[i] <= 'Z')
            ret[i] = (char)(ret[i] + ('a' - 'A'));
    }
    ret[from.len] = '\0';
    return true;
}

bool kin__crd_singular(kin_value names, char *ret, size_t size)
{
    kin_scratch scratch;
    kin_str own = kin__crd_text(names, "singular", &scratch);

    if (own.len == 0)
        return to_lower(kin__crd_text(names, "kind", &scratch), ret, size);
    if (own.len >= size)
        return false;
    memcpy(ret, own.data, own.len);
    ret[own.len] = '\0';
    return true;
}

bool kin__crd_list_kind(kin_value names, char *ret, size_t size)
{
    kin_scratch scratch;
    kin_str own = kin__crd_text(names, "listKind", &scratch);
    const char *suffix = "";

    if (own.len == 0) {
        own = kin__crd_text(names, "kind", &scratch);
        suffix = own.len > 0 ? "List" : "";
    }
    if (own.len + strlen(suffix) >= size)
        return false;
    snprintf(ret, size, "%" KIN_STR_FMT "%s", KIN_STR_ARG(own), suffix);
    return true;
}

/* One cause with all that is wrong, behind some words. */
static void add_joined(kin__failure *failure, const char *field, kin_str value, const char *words,
                       const kin__problems *problems)
{
    char detail[900];
    kin__cutline line;

    if (problems->n == 0)
        return;
    kin__cutline_init(&line, detail, sizeof(detail));
    kin__cutline_append(&line, kin_str_of(words));
    kin__problems_join(problems, &line, ",");
    kin__cause_invalid(failure, kin_str_of(field), value, detail);
}

static void check_label(kin__failure *failure, const char *field, kin_str value)
{
    kin__problems problems = kin__name_problems(KIN__NAME_LABEL_1035, value, false);

    add_joined(failure, field, value, "", &problems);
}

/* --- types --- */

static const kin__member spec_members[] = {
    {"group", KIN__SHAPE_STRING, "string", NULL},
    {"names", KIN__SHAPE_MAP, "v1.CustomResourceDefinitionNames", NULL},
    {"scope", KIN__SHAPE_STRING, "v1.ResourceScope", NULL},
    {"versions", KIN__SHAPE_MAPS, "[]v1.CustomResourceDefinitionVersion",
     "v1.CustomResourceDefinitionVersion"},
    {"conversion", KIN__SHAPE_MAP, "v1.CustomResourceConversion", NULL},
    {"preserveUnknownFields", KIN__SHAPE_BOOL, "bool", NULL},
};
static const kin__member name_members[] = {
    {"plural", KIN__SHAPE_STRING, "string", NULL},
    {"singular", KIN__SHAPE_STRING, "string", NULL},
    {"shortNames", KIN__SHAPE_STRINGS, "[]string", "string"},
    {"kind", KIN__SHAPE_STRING, "string", NULL},
    {"listKind", KIN__SHAPE_STRING, "string", NULL},
    {"categories", KIN__SHAPE_STRINGS, "[]string", "string"},
};
static const kin__member version_members[] = {
    {"name", KIN__SHAPE_STRING, "string", NULL},
    {"served", KIN__SHAPE_BOOL, "bool", NULL},
    {"storage", KIN__SHAPE_BOOL, "bool", NULL},
    {"deprecated", KIN__SHAPE_BOOL, "bool", NULL},
    {"deprecationWarning", KIN__SHAPE_STRING, "string", NULL},
    {"schema", KIN__SHAPE_MAP, "v1.CustomResourceValidation", NULL},
    {"subresources", KIN__SHAPE_MAP, "v1.CustomResourceSubresources", NULL},
    {"selectableFields", KIN__SHAPE_MAPS, "[]v1.SelectableField", "v1.SelectableField"},
};
static const kin__member subresource_members[] = {
    {"status", KIN__SHAPE_MAP, "v1.CustomResourceSubresourceStatus", NULL},
    {"scale", KIN__SHAPE_MAP, "v1.CustomResourceSubresourceScale", NULL},
};
static const kin__member scale_members[] = {
    {"specReplicasPath", KIN__SHAPE_STRING, "string", NULL},
    {"statusReplicasPath", KIN__SHAPE_STRING, "string", NULL},
    {"labelSelectorPath", KIN__SHAPE_STRING, "string", NULL},
};
static const kin__member field_members[] = {{"jsonPath", KIN__SHAPE_STRING, "string", NULL}};
static const kin__member definition_members[] = {
    {"spec", KIN__SHAPE_MAP, "v1.CustomResourceDefinitionSpec", NULL}};

#define MEMBERS(decoding, map, members, where)                                                     \
    kin__members_check(decoding, map, members, kin__array_len(members), where)

static bool check_version_types(const kin__decoding *decoding, kin_value version)
{
    kin_value subresources = kin_value_get(version, kin_str_of("subresources"));
    kin_iter it;

    if (!MEMBERS(decoding, version, version_members,
                 "CustomResourceDefinitionVersion.spec.versions") ||
        !MEMBERS(decoding, subresources, subresource_members,
                 "CustomResourceSubresources.spec.versions.subresources") ||
        !MEMBERS(decoding, kin_value_get(subresources, kin_str_of("scale")), scale_members,
                 "CustomResourceSubresourceScale.spec.versions.subresources.scale"))
        return false;
    for (kin_iter_init(&it, kin_value_get(version, kin_str_of("selectableFields")));
         kin_iter_next(&it);)
        if (!MEMBERS(decoding, it.value, field_members,
                     "SelectableField.spec.versions.selectableFields"))
            return false;
    return true;
}

bool kin__crd_check_types(const kin__decoding *decoding, const kin_object *crd)
{
    kin_value root = kin_object_root(crd);
    kin_value spec = kin_value_get(root, kin_str_of("spec"));
    kin_iter it;

    if (!MEMBERS(decoding, root, definition_members, "CustomResourceDefinition") ||
        !MEMBERS(decoding, spec, spec_members, "CustomResourceDefinitionSpec.spec") ||
        !MEMBERS(decoding, kin_value_get(spec, kin_str_of("names")), name_members,
                 "CustomResourceDefinitionNames.spec.names"))
        return false;
    for (kin_iter_init(&it, kin_value_get(spec, kin_str_of("versions"))); kin_iter_next(&it);)
        if (!check_version_types(decoding, it.value))
            return false;
    return true;
}

/* --- what it is called --- */

static void check_object_name(const kin_object *crd, kin_value spec, kin__failure *failure)
{
    kin_scratch scratch[2];
    kin_str name = kin_object_name(crd);
    kin_str plural = kin__crd_text(kin_value_get(spec, kin_str_of("names")), "plural", &scratch[0]);
    kin_str group = kin__crd_text(spec, "group", &scratch[1]);
    kin__problems problems = kin__name_problems(KIN__NAME_SUBDOMAIN, name, false);

    kin__problems_add(&problems, failure, kin_str_of("metadata.name"), name);
    bool is_right = name.len == plural.len + 1 + group.len && kin__str_starts_with(name, plural) &&
                    name.data[plural.len] == '.' && kin__str_ends_with(name, group);
    if (!is_right)
        kin__cause_invalid(failure, kin_str_of("metadata.name"), name,
                           "must be spec.names.plural+\".\"+spec.group");
}

static void check_group(kin_value spec, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str group = kin__crd_text(spec, "group", &scratch);
    kin__problems problems = kin__name_problems(KIN__NAME_SUBDOMAIN, group, false);

    if (group.len == 0)
        kin__cause_required(failure, kin_str_of("spec.group"), "");
    else if (problems.n > 0)
        add_joined(failure, "spec.group", group, "", &problems);
    else if (kin__str_find(group, '.') == group.len)
        kin__cause_invalid(failure, kin_str_of("spec.group"), group,
                           "should be a domain with at least one dot");
}

static void check_scope(kin_value spec, kin__failure *failure)
{
    static const char *const scopes[] = {"Cluster", "Namespaced", NULL};
    kin_scratch scratch;
    kin_str scope = kin__crd_text(spec, "scope", &scratch);

    if (scope.len == 0)
        kin__cause_required(failure, kin_str_of("spec.scope"), "");
    else if (!kin_str_equal(scope, kin_str_of(scopes[0])) &&
             !kin_str_equal(scope, kin_str_of(scopes[1])))
        kin__cause_not_supported(failure, kin_str_of("spec.scope"), scope, scopes);
}

/* A kind: as a label, but for its case. */
static void check_kind(kin__failure *failure, const char *field, kin_str kind)
{
    char lower[NAME_SIZE];
    kin__problems problems = {.n = 0};

    if (kind.len == 0)
        return;
    if (to_lower(kind, lower, sizeof(lower)))
        problems = kin__name_problems(KIN__NAME_LABEL_1035, kin_str_of(lower), false);
    else
        problems = kin__name_problems(KIN__NAME_LABEL_1035, kind, false);
    add_joined(failure, field, kind,
               "may have mixed case, but should otherwise match: ", &problems);
}

static void check_list(kin_value names, const char *name, kin__failure *failure)
{
    kin_iter it;

    for (kin_iter_init(&it, kin_value_get(names, kin_str_of(name))); kin_iter_next(&it);) {
        char field[64];
        kin_scratch scratch;
        kin_str text = {NULL, 0};

        kin_value_string(&text, it.value, &scratch);
        snprintf(field, sizeof(field), "spec.names.%s[%zu]", name, it.index);
        check_label(failure, field, text);
    }
}

static void require(kin__failure *failure, const char *field, kin_str value)
{
    if (value.len == 0)
        kin__cause_required(failure, kin_str_of(field), "");
}

/* What is not given is made of the kind: if that is wrong, it is told of the kind. */
static void check_singular(kin_value names, kin__failure *failure)
{
    char singular[NAME_SIZE];
    kin_scratch scratch;
    kin_str own = kin__crd_text(names, "singular", &scratch);

    if (own.len == 0 && kin__crd_singular(names, singular, sizeof(singular)))
        own = kin_str_of(singular);
    if (own.len > 0)
        check_label(failure, "spec.names.singular", own);
}

static void check_list_kind(kin_value names, kin_str kind, kin__failure *failure)
{
    char list_kind[NAME_SIZE];
    kin_scratch scratch;
    kin_str own = kin__crd_text(names, "listKind", &scratch);

    if (own.len == 0 && kin__crd_list_kind(names, list_kind, sizeof(list_kind)))
        own = kin_str_of(list_kind);
    check_kind(failure, "spec.names.listKind", own);
    if (kind.len > 0 && kin_str_equal(kind, own))
        kin__cause_invalid(failure, kin_str_of("spec.names.listKind"), own,
                           "kind and listKind may not be the same");
}

static void check_names(kin_value names, kin__failure *failure)
{
    kin_scratch scratch[3];
    kin_str plural = kin__crd_text(names, "plural", &scratch[0]);
    kin_str kind = kin__crd_text(names, "kind", &scratch[1]);

    require(failure, "spec.names.plural", plural);
    if (kind.len == 0) {
        require(failure, "spec.names.singular", kin__crd_text(names, "singular", &scratch[2]));
        require(failure, "spec.names.kind", kind);
        require(failure, "spec.names.listKind", kin__crd_text(names, "listKind", &scratch[2]));
    }
    if (plural.len > 0)
        check_label(failure, "spec.names.plural", plural);
    check_singular(names, failure);
    check_kind(failure, "spec.names.kind", kind);
    check_list_kind(names, kind, failure);
    check_list(names, "shortNames", failure);
    check_list(names, "categories", failure);
}

/* --- versions --- */

/* Where in a version something is wrong. */
struct place {
    size_t version;
    bool is_only; /* there is one version */
    char text[160];
};

static kin_str place_of(struct place *place, const char *member)
{
    snprintf(place->text, sizeof(place->text), "spec.versions[%zu].%s", place->version, member);
    return kin_str_of(place->text);
}

/* What all versions have in common, a single one thus all of it, is told of without a version. */
static kin_str shared_place_of(struct place *place, const char *member)
{
    if (!place->is_only)
        return place_of(place, member);
    snprintf(place->text, sizeof(place->text), "spec.%s", member);
    return kin_str_of(place->text);
}

static void check_scale_path(kin_value scale, const char *name, struct place *place,
                             const char *prefix, const char *words, kin__failure *failure)
{
    char member[64];
    kin_scratch scratch;
    kin_str path = kin__crd_text(scale, name, &scratch);

    snprintf(member, sizeof(member), "subresources.scale.%s", name);
    kin_str where = shared_place_of(place, member);
    if (path.len == 0)
        kin__cause_required(failure, where, "");
    else if (path.data[0] != '.')
        kin__cause_invalid(failure, where, path, "must be a simple json path starting with .");
    else if (!kin__str_starts_with(path, kin_str_of(prefix)))
        kin__cause_invalid(failure, where, path, words);
}

static void check_scale(kin_value scale, struct place *place, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str selector = kin__crd_text(scale, "labelSelectorPath", &scratch);
    bool is_placed = kin__str_starts_with(selector, kin_str_of(".spec.")) ||
                     kin__str_starts_with(selector, kin_str_of(".status."));

    if (!is_there(scale))
        return;
    check_scale_path(scale, "specReplicasPath", place, ".spec.",
                     "should be a json path under .spec", failure);
    check_scale_path(scale, "statusReplicasPath", place, ".status.",
                     "should be a json path under .status", failure);
    if (selector.len == 0)
        return;
    kin_str where = shared_place_of(place, "subresources.scale.labelSelectorPath");
    if (selector.data[0] != '.')
        kin__cause_invalid(failure, where, selector, "must be a simple json path starting with .");
    else if (!is_placed)
        kin__cause_invalid(failure, where, selector,
                           "should be a json path under either .spec or .status");
}

/* Behind a dot: a path of names alone. */
static bool is_field_path(kin_str path)
{
    kin_path *parsed = NULL;
    bool has_index = false;

    if (path.len < 2 || path.data[0] != '.')
        return false;
    for (size_t i = 0; i + 1 < path.len; i++)
        has_index |= path.data[i] == '[' && path.data[i + 1] >= '0' && path.data[i + 1] <= '9';
    int code = kin_path_parse(&parsed, path, NULL);
    kin_path_free(parsed);
    return !has_index && (code == 0 || code == KIN_ENOMEM);
}

static bool is_in_metadata(kin_str path)
{
    return kin_str_equal(path, kin_str_of(".metadata")) ||
           kin__str_starts_with(path, kin_str_of(".metadata."));
}

/* Whether an item before `index` has the same path. */
static bool is_repeated(kin_value fields, size_t index, kin_str path)
{
    kin_iter it;

    for (kin_iter_init(&it, fields); kin_iter_next(&it) && it.index < index;) {
        kin_scratch scratch;

        if (kin_str_equal(kin__crd_text(it.value, "jsonPath", &scratch), path))
            return true;
    }
    return false;
}

static void check_field(kin_value fields, const kin_iter *it, struct place *place,
                        kin__failure *failure)
{
    char member[64];
    kin_scratch scratch;
    kin_str path = kin__crd_text(it->value, "jsonPath", &scratch);

    snprintf(member, sizeof(member), "selectableFields[%zu].jsonPath", it->index);
    kin_str where = shared_place_of(place, member);
    if (path.len == 0)
        kin__cause_required(failure, where, "");
    else if (!is_field_path(path))
        kin__cause_invalid(failure, where, path, "is an invalid path");
    else if (is_in_metadata(path))
        kin__cause_invalid(failure, where, path, "must not point to fields in metadata");
    else if (is_repeated(fields, it->index, path))
        kin__cause_duplicate(failure, where, path);
}

static void check_fields(kin_value fields, struct place *place, kin__failure *failure)
{
    size_t n = kin_value_len(fields);
    kin_iter it;

    if (n > SELECTABLE_FIELDS_MAX) {
        kin__fail_add_cause(failure, "FieldValueTooMany",
                            shared_place_of(place, "selectableFields"),
                            "Too many: %zu: must have at most %d items", n, SELECTABLE_FIELDS_MAX);
        return;
    }
    for (kin_iter_init(&it, fields); kin_iter_next(&it);)
        check_field(fields, &it, place, failure);
}

static void check_warning(kin_value version, struct place *place, kin__failure *failure)
{
    kin_value value = kin_value_get(version, kin_str_of("deprecationWarning"));
    kin_scratch scratch;
    kin_str warning = {NULL, 0};

    if (kin_value_string(&warning, value, &scratch) < 0)
        return;
    kin_str where = place_of(place, "deprecationWarning");
    if (!kin__crd_flag(version, "deprecated"))
        kin__cause_invalid(failure, where, warning, "can only be set for deprecated versions");
    else if (warning.len > 256)
        kin__cause_invalid(failure, where, warning, "must be <= 256 characters long");
    else if (warning.len == 0)
        kin__cause_invalid(failure, where, warning, "must not be an empty string");
}

static void check_version(kin_value version, struct place *place, kin__failure *failure)
{
    kin_value subresources = kin_value_get(version, kin_str_of("subresources"));
    kin_scratch scratch;
    kin_str name = kin__crd_text(version, "name", &scratch);

    check_label(failure, place_of(place, "name").data, name);
    check_warning(version, place, failure);
    check_scale(kin_value_get(subresources, kin_str_of("scale")), place, failure);
    check_fields(kin_value_get(version, kin_str_of("selectableFields")), place, failure);
}

static bool is_name_repeated(kin_value versions, size_t index, kin_str name)
{
    kin_iter it;

    for (kin_iter_init(&it, versions); kin_iter_next(&it) && it.index < index;) {
        kin_scratch scratch;

        if (kin_str_equal(kin__crd_text(it.value, "name", &scratch), name))
            return true;
    }
    return false;
}

static void check_schemas(kin_value versions, kin__failure *failure)
{
    kin_iter it;

    for (kin_iter_init(&it, versions); kin_iter_next(&it);) {
        struct place place = {.version = it.index};
        kin_value schema = kin_value_get(it.value, kin_str_of("schema"));

        if (kin_value_type(kin_value_get(schema, kin_str_of("openAPIV3Schema"))) != KIN_MAP)
            kin__cause_required(failure, place_of(&place, "schema.openAPIV3Schema"), "");
    }
}

static void check_versions(kin_value versions, kin__failure *failure)
{
    size_t n_storage = 0;
    bool is_repeated_name = false;
    kin_iter it;

    if (kin_value_len(versions) > VERSIONS_MAX) {
        kin__fail_add_cause(failure, "FieldValueTooMany", kin_str_of("spec.versions"),
                            "Too many: %zu: must have at most %d items", kin_value_len(versions),
                            VERSIONS_MAX);
        return;
    }
    check_schemas(versions, failure);
    for (kin_iter_init(&it, versions); kin_iter_next(&it);) {
        struct place place = {.version = it.index, .is_only = kin_value_len(versions) == 1};
        kin_scratch scratch;

        check_version(it.value, &place, failure);
        n_storage += kin__crd_flag(it.value, "storage");
        is_repeated_name |=
            is_name_repeated(versions, it.index, kin__crd_text(it.value, "name", &scratch));
    }
    if (is_repeated_name)
        kin__cause_invalid_value(failure, kin_str_of("spec.versions"), versions,
                                 "must contain unique version names");
    if (n_storage != 1)
        kin__cause_invalid_value(failure, kin_str_of("spec.versions"), versions,
                                 "must have exactly one version marked as storage version");
}

/* --- the rest --- */

static void check_conversion(kin_value conversion, kin__failure *failure)
{
    static const char *const strategies[] = {"None", "Webhook", NULL};
    kin_scratch scratch;
    kin_str strategy = kin__crd_text(conversion, "strategy", &scratch);
    bool is_webhook = kin_str_equal(strategy, kin_str_of("Webhook"));
    bool has_webhook = is_there(kin_value_get(conversion, kin_str_of("webhook")));

    if (!is_there(conversion))
        return;
    if (strategy.len == 0)
        kin__cause_required(failure, kin_str_of("spec.conversion.strategy"), "");
    else if (!is_webhook && !kin_str_equal(strategy, kin_str_of("None")))
        kin__cause_not_supported(failure, kin_str_of("spec.conversion.strategy"), strategy,
                                 strategies);
    if (is_webhook && !has_webhook)
        kin__cause_required(failure, kin_str_of("spec.conversion.webhookClientConfig"),
                            "required when strategy is set to Webhook");
    if (!is_webhook && has_webhook)
        kin__cause_forbidden(failure, kin_str_of("spec.conversion.webhookClientConfig"),
                             "should not be set when strategy is not set to Webhook");
}

static bool is_in_domain(kin_str group, const char *domain)
{
    size_t len = strlen(domain);

    return kin__str_ends_with(group, kin_str_of(domain)) &&
           (group.len == len || group.data[group.len - len - 1] == '.');
}

/* A group of Kubernetes itself wants to be approved. */
static void check_approval(const kin_object *crd, kin_value spec, kin__failure *failure)
{
    kin_scratch scratch;
    kin_str group = kin__crd_text(spec, "group", &scratch);
    kin_str field = kin_str_of("metadata.annotations[api-approved.kubernetes.io]");
    kin_str value = {NULL, 0};

    if (!is_in_domain(group, "k8s.io") && !is_in_domain(group, "kubernetes.io"))
        return;
    kin_object_annotation(&value, crd, kin_str_of("api-approved.kubernetes.io"), &scratch);
    if (value.len == 0)
        kin__cause_required(failure, field,
                            "protected groups must have approval annotation "
                            "\"api-approved.kubernetes.io\", see "
                            "https://github.com/kubernetes/enhancements/pull/1111");
    else if (!kin__str_starts_with(value, kin_str_of("unapproved")) &&
             !kin__str_starts_with(value, kin_str_of("https://")) &&
             !kin__str_starts_with(value, kin_str_of("http://")))
        kin__cause_invalid(failure, field, value,
                           "protected groups must have approval annotation "
                           "\"api-approved.kubernetes.io\" with either a URL or a reason starting "
                           "with \"unapproved\", see "
                           "https://github.com/kubernetes/enhancements/pull/1111");
}

/* In which versions objects are stored is set by the server: what the first of them was. */
static void check_storage(kin_value versions, kin__failure *failure)
{
    kin_scratch scratch[2];
    kin_str first = {NULL, 0};
    kin_str last = {NULL, 0};
    size_t n = 0;
    kin_iter it;

    for (kin_iter_init(&it, versions); kin_iter_next(&it);) {
        if (!kin__crd_flag(it.value, "storage"))
            continue;
        last = kin__crd_text(it.value, "name", &scratch[1]);
        if (n++ == 0)
            first = kin__crd_text(it.value, "name", &scratch[0]);
    }
    if (n == 0)
        kin__fail_add_cause(failure, "FieldValueInvalid", kin_str_of("status.storedVersions"),
                            "Invalid value: null: must have at least one stored version");
    else if (n > 1)
        kin__fail_add_cause(failure, "FieldValueInvalid", kin_str_of("status.storedVersions"),
                            "Invalid value: [\"%" KIN_STR_FMT
                            "\"]: must have the storage version %" KIN_STR_FMT,
                            KIN_STR_ARG(first), KIN_STR_ARG(last));
}

static void check_spec(const kin_object *crd, kin__failure *failure)
{
    kin_value spec = kin_value_get(kin_object_root(crd), kin_str_of("spec"));

    check_group(spec, failure);
    check_scope(spec, failure);
    check_versions(kin_value_get(spec, kin_str_of("versions")), failure);
    check_names(kin_value_get(spec, kin_str_of("names")), failure);
    check_conversion(kin_value_get(spec, kin_str_of("conversion")), failure);
    check_approval(crd, spec, failure);
    if (kin__crd_flag(spec, "preserveUnknownFields"))
        kin__fail_add_cause(failure, "FieldValueInvalid", kin_str_of("spec.preserveUnknownFields"),
                            "Invalid value: true: cannot set to true, set "
                            "x-kubernetes-preserve-unknown-fields to true in "
                            "spec.versions[*].schema instead");
}

void kin__crd_check(const kin_object *crd, kin__failure *failure)
{
    kin_value spec = kin_value_get(kin_object_root(crd), kin_str_of("spec"));

    check_object_name(crd, spec, failure);
    check_spec(crd, failure);
    check_storage(kin_value_get(spec, kin_str_of("versions")), failure);
}

/* A version in which objects may still be stored stays. */
static void check_stored(const kin_object *crd, kin_value versions, kin__failure *failure)
{
    kin_iter it;

    for (kin_iter_init(&it, kin_object_find(crd, "status.storedVersions")); kin_iter_next(&it);) {
        char where[64];
        kin_scratch scratch;
        kin_str name = {NULL, 0};

        kin_value_string(&name, it.value, &scratch);
        if (is_name_repeated(versions, kin_value_len(versions), name))
            continue;
        snprintf(where, sizeof(where), "status.storedVersions[%zu]", it.index);
        kin__fail_add_cause(
            failure, "FieldValueInvalid", kin_str_of(where),
            "Invalid value: \"%" KIN_STR_FMT "\": missing from spec.versions; %" KIN_STR_FMT
            " was previously a storage version, and must remain in spec.versions until a storage "
            "migration ensures no data remains persisted in %" KIN_STR_FMT
            " and removes %" KIN_STR_FMT " from status.storedVersions",
            KIN_STR_ARG(name), KIN_STR_ARG(name), KIN_STR_ARG(name), KIN_STR_ARG(name));
    }
}

static void check_same(kin_value now, kin_value before, const char *name, const char *field,
                       kin__failure *failure)
{
    kin_scratch scratch[2];
    kin_str new_text = kin__crd_text(now, name, &scratch[0]);

    if (!kin_str_equal(new_text, kin__crd_text(before, name, &scratch[1])))
        kin__cause_invalid(failure, kin_str_of(field), new_text, "field is immutable");
}

void kin__crd_check_change(const kin_object *crd, const kin_object *old, bool is_established,
                           kin__failure *failure)
{
    kin_value now = kin_value_get(kin_object_root(crd), kin_str_of("spec"));
    kin_value before = kin_value_get(kin_object_root(old), kin_str_of("spec"));
    kin_value new_names = kin_value_get(now, kin_str_of("names"));
    kin_value old_names = kin_value_get(before, kin_str_of("names"));

    check_spec(crd, failure);
    check_stored(crd, kin_value_get(now, kin_str_of("versions")), failure);
    if (is_established) {
        check_same(now, before, "scope", "spec.scope", failure);
        check_same(new_names, old_names, "kind", "spec.names.kind", failure);
    }
    check_same(now, before, "group", "spec.group", failure);
    check_same(new_names, old_names, "plural", "spec.names.plural", failure);
}
