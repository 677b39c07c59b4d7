/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kinds of CustomResourceDefinitions. Once the definition was found good nothing can go wrong but
 * for want of memory. All that a kind points to is in blocks of its own, which go with it; the
 * definition itself is kept for its schemas.
 */
#include "apiserver/kinds/kind_crd.h"

#include <stdlib.h>

#include "apiserver/kinds/crd_check.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "base/str.h"
#include "kinform/metadata.h"
#include "kinform/path.h"

struct block {
    struct block *next;
    max_align_t bytes[];
};

struct crd_kind {
    kin__kind kind;
    struct block *blocks;
    bool failed; /* memory was missing */
};

/* --- memory --- */

/* Zeroed; lives as long as the kind. NULL, and `failed`, if there is none. */
static void *take(struct crd_kind *own, size_t n, size_t size)
{
    struct block *block = NULL;

    if (!own->failed && n <= (SIZE_MAX / 2) / size)
        block = kin__calloc(1, sizeof(*block) + n * size);
    if (!block) {
        own->failed = true;
        return NULL;
    }
    block->next = own->blocks;
    own->blocks = block;
    return block->bytes;
}

static const char *keep(struct crd_kind *own, kin_str text)
{
    char *copy = take(own, text.len + 1, 1);

    if (copy && text.len > 0)
        memcpy(copy, text.data, text.len);
    return copy;
}

static const char *keep_member(struct crd_kind *own, kin_value map, const char *name)
{
    kin_scratch scratch;

    return keep(own, kin__crd_text(map, name, &scratch));
}

/* ".spec.replicas" without its first dot; NULL if there is none. */
static const char *keep_path(struct crd_kind *own, kin_value map, const char *name)
{
    kin_scratch scratch;
    kin_str path = kin__crd_text(map, name, &scratch);

    return path.len > 0 ? keep(own, kin_str_make(path.data + 1, path.len - 1)) : NULL;
}

static const char *const *keep_list(struct crd_kind *own, kin_value map, const char *name)
{
    kin_value list = kin_value_get(map, kin_str_of(name));
    size_t n = kin_value_len(list);
    const char **items = n > 0 ? take(own, n + 1, sizeof(items[0])) : NULL;
    kin_iter it;

    for (kin_iter_init(&it, list); items && kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str text = {NULL, 0};

        kin_value_string(&text, it.value, &scratch);
        items[it.index] = keep(own, text);
    }
    return items;
}

void kin__kind_crd_free(kin__kind *kind)
{
    struct crd_kind *own = kin__container_of(kind, struct crd_kind, kind);

    while (own->blocks) {
        struct block *block = own->blocks;

        own->blocks = block->next;
        kin__free(block);
    }
    kin_object_unref(own->kind.crd);
    kin__free(own);
}

/* --- versions --- */

static const kin__selectable_field *make_fields(struct crd_kind *own, kin_value list)
{
    size_t n = kin_value_len(list);
    kin__selectable_field *fields = n > 0 ? take(own, n + 1, sizeof(fields[0])) : NULL;
    kin_iter it;

    for (kin_iter_init(&it, list); fields && kin_iter_next(&it);)
        fields[it.index].name = keep_path(own, it.value, "jsonPath");
    return fields;
}

static bool is_there(kin_value value)
{
    return kin_value_type(value) != KIN_NONE && kin_value_type(value) != KIN_NULL;
}

static void make_version(struct crd_kind *own, kin__kind_version *ret, kin_value version)
{
    kin_value subresources = kin_value_get(version, kin_str_of("subresources"));
    kin_value scale = kin_value_get(subresources, kin_str_of("scale"));

    ret->name = keep_member(own, version, "name");
    ret->served = kin__crd_flag(version, "served");
    ret->deprecated = kin__crd_flag(version, "deprecated");
    if (is_there(kin_value_get(version, kin_str_of("deprecationWarning"))))
        ret->warning = keep_member(own, version, "deprecationWarning");
    ret->has_status = is_there(kin_value_get(subresources, kin_str_of("status")));
    if (is_there(scale)) {
        ret->scale.replicas = keep_path(own, scale, "specReplicasPath");
        ret->scale.status_replicas = keep_path(own, scale, "statusReplicasPath");
        ret->scale.selector = keep_path(own, scale, "labelSelectorPath");
    }
    ret->fields = make_fields(own, kin_value_get(version, kin_str_of("selectableFields")));
    ret->schema =
        kin_value_get(kin_value_get(version, kin_str_of("schema")), kin_str_of("openAPIV3Schema"));
}

static int compare_versions(const void *a, const void *b)
{
    const kin__kind_version *va = a;
    const kin__kind_version *vb = b;

    return kin__version_compare(kin_str_of(va->name), kin_str_of(vb->name));
}

static void make_versions(struct crd_kind *own, kin_value list)
{
    size_t n = kin_value_len(list);
    kin__kind_version *versions = take(own, n + 1, sizeof(versions[0]));
    kin_iter it;

    for (kin_iter_init(&it, list); versions && kin_iter_next(&it);) {
        make_version(own, &versions[it.index], it.value);
        if (kin__crd_flag(it.value, "storage"))
            own->kind.storage_version = versions[it.index].name;
    }
    if (!own->failed)
        qsort(versions, n, sizeof(versions[0]), compare_versions);
    own->kind.versions = versions;
}

/* --- the kind --- */

static const char *keep_collection(struct crd_kind *own)
{
    size_t resource = strlen(own->kind.resource);
    size_t group = strlen(own->kind.group);
    char *name = take(own, resource + 1 + group + 1, 1);

    if (name) {
        memcpy(name, own->kind.resource, resource);
        name[resource] = '.';
        memcpy(name + resource + 1, own->kind.group, group);
    }
    return name;
}

static void make_names(struct crd_kind *own, kin_value spec)
{
    kin_value names = kin_value_get(spec, kin_str_of("names"));
    kin__kind *kind = &own->kind;
    char text[256] = "";

    kind->group = keep_member(own, spec, "group");
    kind->resource = keep_member(own, names, "plural");
    kind->kind = keep_member(own, names, "kind");
    kin__crd_singular(names, text, sizeof(text));
    kind->singular = keep(own, kin_str_of(text));
    kin__crd_list_kind(names, text, sizeof(text));
    kind->list_kind = keep(own, kin_str_of(text));
    kind->short_names = keep_list(own, names, "shortNames");
    kind->categories = keep_list(own, names, "categories");
    if (!own->failed)
        kind->collection = keep_collection(own);
}

static void make_kind(struct crd_kind *own, kin_value spec)
{
    kin_value conversion = kin_value_get(spec, kin_str_of("conversion"));
    kin__kind *kind = &own->kind;
    kin_scratch scratch;

    make_names(own, spec);
    make_versions(own, kin_value_get(spec, kin_str_of("versions")));
    kind->namespaced =
        kin_str_equal(kin__crd_text(spec, "scope", &scratch), kin_str_of("Namespaced"));
    if (kin_str_equal(kin__crd_text(conversion, "strategy", &scratch), kin_str_of("Webhook")))
        kind->conversion = KIN__CONVERSION_WEBHOOK;
    kind->verbs = KIN__VERBS_ALL;
    kind->name_rule = KIN__NAME_SUBDOMAIN;
    kind->field_words = KIN__FIELDS_NOT_SUPPORTED;
    kind->generation = KIN__GENERATION_COUNTED;
}

static bool kind_new(const kin__kind **ret, const kin_object *crd, kin__failure *failure)
{
    struct crd_kind *own = kin__calloc(1, sizeof(*own));

    if (!own)
        return kin__fail_no_memory(failure);
    kin__ref_init(&own->kind.ref);
    own->kind.custom = true;
    own->kind.crd = kin_object_ref(crd);
    make_kind(own, kin_value_get(kin_object_root(crd), kin_str_of("spec")));
    if (own->failed) {
        kin__kind_crd_free(&own->kind);
        return kin__fail_no_memory(failure);
    }
    *ret = &own->kind;
    return true;
}

static void begin(const kin_object *crd, kin__failure *failure)
{
    kin__fail_invalid_kind(failure, "apiextensions.k8s.io", "CustomResourceDefinition",
                           kin_object_name(crd));
}

bool kin__kind_from_crd(const kin__kind **ret, const kin_object *crd, kin__failure *failure)
{
    begin(crd, failure);
    kin__crd_check(crd, failure);
    return kin__fail_if_causes(failure) && kind_new(ret, crd, failure);
}

bool kin__kind_from_changed_crd(const kin__kind **ret, const kin_object *crd, const kin_object *old,
                                bool is_established, kin__failure *failure)
{
    begin(crd, failure);
    kin__crd_check_change(crd, old, is_established, failure);
    return kin__fail_if_causes(failure) && kind_new(ret, crd, failure);
}
