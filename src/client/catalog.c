/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Discovery documents into a catalog.
 *
 * They come from several servers behind one (aggregated APIs), of which some may be down or wrong.
 * So what makes no sense is left out, as narrowly as possible: a resource without a usable name, a
 * group version that is stale. Only a document that is of another kind altogether is a failure.
 */
#include "client/catalog.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/catalog_inside.h"
#include "client/resource.h"
#include "client/url.h"
#include "kinform/json.h"
#include "kinform/metadata.h"

#define DEFAULT_MAX_BYTES ((size_t)16 << 20)
#define DEFAULT_MAX_VERSIONS 8192
#define DEFAULT_MAX_RESOURCES 65536

/* --- life --- */

int kin__catalog_new(kin__catalog **ret, const kin__catalog_limits *limits, kin_error *err)
{
    kin__catalog *catalog = kin__calloc(1, sizeof(*catalog));

    if (!catalog)
        return kin__error_no_memory(err);
    if (limits)
        catalog->limits = *limits;
    if (catalog->limits.max_bytes == 0)
        catalog->limits.max_bytes = DEFAULT_MAX_BYTES;
    if (catalog->limits.max_versions == 0)
        catalog->limits.max_versions = DEFAULT_MAX_VERSIONS;
    if (catalog->limits.max_resources == 0)
        catalog->limits.max_resources = DEFAULT_MAX_RESOURCES;
    kin__ref_init(&catalog->ref);
    kin__map_init(&catalog->map, kin__hash_seed());
    *ret = catalog;
    return 0;
}

kin__catalog *kin__catalog_ref(kin__catalog *catalog)
{
    kin__ref_get(&catalog->ref);
    return catalog;
}

static void drop_entries(kin__catalog *catalog, kin__catalog_version *version)
{
    for (size_t i = 0; i < version->n_entries; i++) {
        kin_resource_unref(version->entries[i].resource);
        kin__free(version->entries[i].names);
    }
    kin__free(version->entries);
    catalog->n_resources -= version->n_entries;
    version->entries = NULL;
    version->n_entries = 0;
    version->cap = 0;
}

static void version_free(kin__catalog_version *version)
{
    if (!version)
        return;
    kin__free(version->path);
    kin__free(version->group);
    kin__free(version->version);
    kin__free(version);
}

void kin__catalog_unref(kin__catalog *catalog)
{
    if (!catalog || !kin__ref_put(&catalog->ref))
        return;
    for (size_t i = 0; i < catalog->n_versions; i++) {
        drop_entries(catalog, catalog->versions[i]);
        version_free(catalog->versions[i]);
    }
    kin__free(catalog->versions);
    kin__map_done(&catalog->map);
    kin__free(catalog);
}

size_t kin__catalog_n_versions(const kin__catalog *catalog)
{
    return catalog->n_versions;
}

const char *kin__catalog_missing(const kin__catalog *catalog, size_t index)
{
    const kin__catalog_version *version = catalog->versions[index];

    return version->state == KIN__CATALOG_MISSING ? version->path : NULL;
}

void kin__catalog_give_up(kin__catalog *catalog, size_t index)
{
    drop_entries(catalog, catalog->versions[index]);
    catalog->versions[index]->state = KIN__CATALOG_STALE;
}

size_t kin__catalog_n_stale(const kin__catalog *catalog)
{
    size_t n = 0;

    for (size_t i = 0; i < catalog->n_versions; i++)
        n += catalog->versions[i]->state == KIN__CATALOG_STALE;
    return n;
}

/* --- group versions --- */

static bool can_be_asked_for(kin_str group, kin_str version)
{
    return (group.len == 0 || kin__url_check_segment(group, "group", NULL) == 0) &&
           kin__url_check_segment(version, "version", NULL) == 0;
}

static char *path_of(kin_str group, kin_str version)
{
    kin__buf buf;
    char *path = NULL;

    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__buf_append(&buf, kin_str_of(group.len > 0 ? "/apis/" : "/api/"));
    if (group.len > 0) {
        kin__url_append_segment(&buf, group);
        kin__buf_append_char(&buf, '/');
    }
    kin__url_append_segment(&buf, version);
    kin__buf_take(&buf, &path, NULL);
    kin__buf_done(&buf);
    return path;
}

static kin__catalog_version *version_new(kin_str group, kin_str name)
{
    kin__catalog_version *version = kin__calloc(1, sizeof(*version));

    if (!version)
        return NULL;
    version->path = path_of(group, name);
    version->group = kin__memdup_str(group);
    version->version = kin__memdup_str(name);
    if (version->path && version->group && version->version)
        return version;
    version_free(version);
    return NULL;
}

static int link_version(kin__catalog *catalog, kin__catalog_version *version, kin_error *err)
{
    kin__catalog_version **versions = kin__grow_array(
        catalog->versions, &catalog->cap, catalog->n_versions + 1, sizeof(kin__catalog_version *));
    kin__map_node *existing = NULL;

    if (versions)
        catalog->versions = versions;
    if (!versions ||
        kin__map_add(&catalog->map, &version->node, kin_str_of(version->path), &existing) < 0)
        return kin__error_no_memory(err);
    kin__assert(!existing);
    catalog->versions[catalog->n_versions++] = version;
    return 0;
}

/*
 * Add a group version. *ret is NULL for one that is there already, or cannot be asked for: what the
 * server prefers came first.
 */
static int add_version(kin__catalog *catalog, kin__catalog_version **ret, kin_str group_name,
                       kin_str version_name, kin_error *err)
{
    int code;

    *ret = NULL;
    if (!can_be_asked_for(group_name, version_name))
        return 0;
    kin__catalog_version *version = version_new(group_name, version_name);
    if (!version)
        return kin__error_no_memory(err);
    if (kin__map_get(&catalog->map, kin_str_of(version->path))) {
        version_free(version);
        return 0;
    }
    if (catalog->n_versions >= catalog->limits.max_versions)
        code = kin_error_set(err, KIN_ELIMIT, "the server has more than %zu versions of groups",
                             catalog->limits.max_versions);
    else
        code = link_version(catalog, version, err);
    if (code < 0)
        version_free(version);
    else
        *ret = version;
    return code;
}

/* --- resources --- */

/* A resource while it is read; the texts are in the document or in the scratches. */
struct described {
    kin_str name;
    kin_str kind;
    kin_str singular;
    kin_value short_names;
    kin_value categories;
    kin_value verbs;
    bool namespaced;
    kin_scratch scratches[3];
};

static kin_str text_of(kin_value map, const char *key, kin_scratch *scratch)
{
    kin_str text = {NULL, 0};

    kin_value_string(&text, kin_value_get(map, kin_str_of(key)), scratch);
    return text;
}

/* The texts of an array, each terminated. What is empty would end them. */
static void append_texts(kin__buf *buf, kin_value array)
{
    kin_scratch scratch;
    kin_str text;
    kin_iter it;

    for (kin_iter_init(&it, array); kin_iter_next(&it);) {
        if (it.is_map || kin_value_string(&text, it.value, &scratch) < 0 || text.len == 0)
            continue;
        kin__buf_append(buf, text);
        kin__buf_append_char(buf, '\0');
    }
}

/* Kubernetes' guess for servers that do not tell singulars. */
static void append_lower(kin__buf *buf, kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        kin__buf_append_char(buf, (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c));
    }
}

static int make_names(char **ret, const struct described *described)
{
    kin__buf buf;

    kin__buf_init(&buf, SIZE_MAX - 1);
    if (described->singular.len > 0)
        kin__buf_append(&buf, described->singular);
    else
        append_lower(&buf, described->kind);
    /* A kind that nobody knows has no singular: the plural keeps its place. */
    if (buf.len == 0)
        kin__buf_append(&buf, described->name);
    kin__buf_append_char(&buf, '\0');
    append_texts(&buf, described->short_names);
    kin__buf_append_char(&buf, '\0');
    append_texts(&buf, described->categories);
    kin__buf_append_char(&buf, '\0');
    int code = kin__buf_take(&buf, ret, NULL);
    kin__buf_done(&buf);
    return code;
}

static int make_resource(kin_resource **ret, const kin__catalog_version *version,
                         const struct described *described, kin_error *err)
{
    kin__buf verbs;
    int code;

    kin__buf_init(&verbs, SIZE_MAX - 1);
    append_texts(&verbs, described->verbs);
    kin__buf_append_char(&verbs, '\0');
    if (verbs.failed)
        code = kin__error_no_memory(err);
    else
        code = kin__resource_make(ret,
                                  &(kin__resource_parts){.group = kin_str_of(version->group),
                                                         .version = kin_str_of(version->version),
                                                         .name = described->name,
                                                         .kind = described->kind,
                                                         .verbs = kin__buf_str(&verbs),
                                                         .namespaced = described->namespaced},
                                  err);
    kin__buf_done(&verbs);
    return code;
}

static int append_entry(kin__catalog *catalog, kin__catalog_version *version,
                        const kin__catalog_entry *entry, kin_error *err)
{
    kin__catalog_entry *entries =
        kin__grow_array(version->entries, &version->cap, version->n_entries + 1, sizeof(*entries));

    if (!entries)
        return kin__error_no_memory(err);
    version->entries = entries;
    version->entries[version->n_entries++] = *entry;
    catalog->n_resources++;
    return 0;
}

static int add_resource(kin__catalog *catalog, kin__catalog_version *version,
                        const struct described *described, kin_error *err)
{
    kin__catalog_entry entry = {NULL, NULL, described->singular.len == 0};
    int code;

    /* Subresources have a slash: they are asked for as parts of what they belong to. */
    if (kin__url_check_segment(described->name, "resource", NULL) < 0)
        return 0;
    if (catalog->n_resources >= catalog->limits.max_resources)
        return kin_error_set(err, KIN_ELIMIT, "the server has more than %zu resources",
                             catalog->limits.max_resources);
    code = make_resource(&entry.resource, version, described, err);
    if (code == 0 && make_names(&entry.names, described) < 0)
        code = kin__error_no_memory(err);
    if (code == 0)
        code = append_entry(catalog, version, &entry, err);
    if (code < 0) {
        kin_resource_unref(entry.resource);
        kin__free(entry.names);
    }
    return code;
}

/* --- documents --- */

static int read_document(const kin_object **ret, const kin__catalog *catalog, kin_str text,
                         kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_error said = KIN_ERROR_INIT;
    int code;

    options.max_bytes = catalog->limits.max_bytes;
    code = kin_object_from_json(ret, text, &options, &said);
    if (code == KIN_EPARSE)
        return kin_error_set(err, KIN_EPROTOCOL, "what the server says it has: %s", said.message);
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

static bool is_kind(const kin_object *document, const char *kind)
{
    kin_scratch scratch;

    return kin_str_equal(kin_object_kind(document, &scratch), kin_str_of(kind));
}

static int wrong_kind(const kin_object *document, kin_error *err)
{
    kin_scratch scratch;
    kin_str kind = kin_object_kind(document, &scratch);

    return kin_error_set(err, KIN_EPROTOCOL,
                         "what the server says it has is of kind \"%" KIN_STR_FMT "\"",
                         KIN_STR_ARG(kind));
}

/* /api: versions of the core group. */
static int add_core(kin__catalog *catalog, const kin_object *document, kin_error *err)
{
    kin__catalog_version *version;
    kin_scratch scratch;
    kin_str name;
    kin_iter it;
    int code = 0;

    kin_iter_init(&it, kin_value_get(kin_object_root(document), kin_str_of("versions")));
    while (code == 0 && kin_iter_next(&it)) {
        if (kin_value_string(&name, it.value, &scratch) == 0)
            code = add_version(catalog, &version, kin_str_make(NULL, 0), name, err);
    }
    return code;
}

static int add_group(kin__catalog *catalog, kin_value group, kin_error *err)
{
    kin__catalog_version *version;
    kin_scratch scratches[3];
    kin_str group_name = text_of(group, "name", &scratches[0]);
    kin_str preferred =
        text_of(kin_value_get(group, kin_str_of("preferredVersion")), "version", &scratches[1]);
    kin_iter it;
    int code = 0;

    /* The core group is not one of these. */
    if (group_name.len == 0)
        return 0;
    for (int others = 0; others <= 1; others++) {
        kin_iter_init(&it, kin_value_get(group, kin_str_of("versions")));
        while (code == 0 && kin_iter_next(&it)) {
            kin_str listed = text_of(it.value, "version", &scratches[2]);

            if (kin_str_equal(listed, preferred) != (bool)others)
                code = add_version(catalog, &version, group_name, listed, err);
        }
    }
    return code;
}

static int add_groups(kin__catalog *catalog, const kin_object *document, kin_error *err)
{
    kin_iter it;
    int code = 0;

    kin_iter_init(&it, kin_value_get(kin_object_root(document), kin_str_of("groups")));
    while (code == 0 && kin_iter_next(&it))
        code = add_group(catalog, it.value, err);
    return code;
}

/*
 * A resource of an aggregated document. False for one that has no kind: it has subresources only.
 */
static bool describe_aggregated(struct described *ret, kin_value value)
{
    kin_scratch scratch;

    ret->name = text_of(value, "resource", &ret->scratches[0]);
    ret->kind =
        text_of(kin_value_get(value, kin_str_of("responseKind")), "kind", &ret->scratches[1]);
    ret->singular = text_of(value, "singularResource", &ret->scratches[2]);
    ret->short_names = kin_value_get(value, kin_str_of("shortNames"));
    ret->categories = kin_value_get(value, kin_str_of("categories"));
    ret->verbs = kin_value_get(value, kin_str_of("verbs"));
    ret->namespaced = kin_str_equal(text_of(value, "scope", &scratch), kin_str_of("Namespaced"));
    return ret->kind.len > 0;
}

static int add_aggregated_version(kin__catalog *catalog, kin_str group, kin_value value,
                                  kin_error *err)
{
    kin__catalog_version *version;
    struct described described;
    kin_scratch scratch;
    kin_iter it;
    int code = add_version(catalog, &version, group, text_of(value, "version", &scratch), err);

    if (code < 0 || !version)
        return code;
    if (kin_str_equal(text_of(value, "freshness", &scratch), kin_str_of("Stale"))) {
        version->state = KIN__CATALOG_STALE;
        return 0;
    }
    version->state = KIN__CATALOG_KNOWN;
    kin_iter_init(&it, kin_value_get(value, kin_str_of("resources")));
    while (code == 0 && kin_iter_next(&it)) {
        if (describe_aggregated(&described, it.value))
            code = add_resource(catalog, version, &described, err);
    }
    return code;
}

/* Groups, versions and resources in one, each in the order of preference. */
static int add_aggregated(kin__catalog *catalog, const kin_object *document, kin_error *err)
{
    kin_scratch scratch;
    kin_iter groups;
    kin_iter versions;
    int code = 0;

    kin_iter_init(&groups, kin_value_get(kin_object_root(document), kin_str_of("items")));
    while (code == 0 && kin_iter_next(&groups)) {
        kin_str group =
            text_of(kin_value_get(groups.value, kin_str_of("metadata")), "name", &scratch);

        kin_iter_init(&versions, kin_value_get(groups.value, kin_str_of("versions")));
        while (code == 0 && kin_iter_next(&versions))
            code = add_aggregated_version(catalog, group, versions.value, err);
    }
    return code;
}

int kin__catalog_add(kin__catalog *catalog, kin_str text, kin_error *err)
{
    const kin_object *document = NULL;
    int code = read_document(&document, catalog, text, err);

    if (code < 0)
        return code;
    if (is_kind(document, "APIGroupDiscoveryList"))
        code = add_aggregated(catalog, document, err);
    else if (is_kind(document, "APIGroupList"))
        code = add_groups(catalog, document, err);
    else if (is_kind(document, "APIVersions"))
        code = add_core(catalog, document, err);
    else
        code = wrong_kind(document, err);
    kin_object_unref(document);
    return code;
}

static void describe(struct described *ret, kin_value value)
{
    ret->name = text_of(value, "name", &ret->scratches[0]);
    ret->kind = text_of(value, "kind", &ret->scratches[1]);
    ret->singular = text_of(value, "singularName", &ret->scratches[2]);
    ret->short_names = kin_value_get(value, kin_str_of("shortNames"));
    ret->categories = kin_value_get(value, kin_str_of("categories"));
    ret->verbs = kin_value_get(value, kin_str_of("verbs"));
    ret->namespaced = false;
    kin_value_bool(&ret->namespaced, kin_value_get(value, kin_str_of("namespaced")));
}

int kin__catalog_add_resources(kin__catalog *catalog, size_t index, kin_str text, kin_error *err)
{
    kin__catalog_version *version = catalog->versions[index];
    const kin_object *document = NULL;
    struct described described;
    kin_iter it;
    int code = read_document(&document, catalog, text, err);

    if (code < 0)
        return code;
    if (!is_kind(document, "APIResourceList")) {
        code = wrong_kind(document, err);
        kin_object_unref(document);
        return code;
    }
    drop_entries(catalog, version);
    version->state = KIN__CATALOG_KNOWN;
    kin_iter_init(&it, kin_value_get(kin_object_root(document), kin_str_of("resources")));
    while (code == 0 && kin_iter_next(&it)) {
        describe(&described, it.value);
        code = add_resource(catalog, version, &described, err);
    }
    kin_object_unref(document);
    return code;
}
