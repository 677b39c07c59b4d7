/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One table says which member of the JSON is which member of the struct, for both directions.
 */
#include "informer/snapshot_info.h"

#include <inttypes.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "object/json.h"

#define NAMESPACES "namespaces"
#define VERSIONS "versions"
#define UNIX_NS "unixNano"
#define LIST_UNIX_NS "listUnixNano"

static const struct {
    const char *key;
    size_t offset; /* of a const char * in kin_snapshot_info */
} fields[] = {
    {"cluster", offsetof(kin_snapshot_info, cluster)},
    {"apiVersion", offsetof(kin_snapshot_info, api_version)},
    {"kind", offsetof(kin_snapshot_info, kind)},
    {"resource", offsetof(kin_snapshot_info, resource)},
    {"labelSelector", offsetof(kin_snapshot_info, label_selector)},
    {"fieldSelector", offsetof(kin_snapshot_info, field_selector)},
    {"projection", offsetof(kin_snapshot_info, projection)},
    {"askedAs", offsetof(kin_snapshot_info, asked_as)},
    {"resourceVersion", offsetof(kin_snapshot_info, resource_version)},
};

_Static_assert(kin__array_len(fields) == KIN__SNAPSHOT_TEXTS, "one text for each field");

/* --- out --- */

static int write_text(kin__buf *buf, const char *what, const char *text, kin_error *err)
{
    if (!text)
        return kin__error_null(err, what);
    if (!kin__utf8_check(text, strlen(text)))
        return kin_error_set(err, KIN_EINVAL, "%s is not UTF-8", what);
    kin__json_write_string(buf, kin_str_of(text));
    return 0;
}

static int write_texts(kin__buf *buf, const char *what, const char *const *texts, size_t n,
                       kin_error *err)
{
    int code = 0;

    if (n > 0 && !texts)
        return kin__error_null(err, what);
    kin__buf_appendf(buf, "\"%s\":[", what);
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (i > 0)
            kin__buf_append_char(buf, ',');
        code = write_text(buf, what, texts[i], err);
    }
    kin__buf_append_char(buf, ']');
    return code;
}

static int write_versions(kin__buf *buf, const kin_snapshot_info *info, kin_error *err)
{
    if (info->n_versions == 0)
        return 0;
    if (info->n_versions != info->n_namespaces)
        return kin_error_set(err, KIN_EINVAL, "%zu versions of %zu namespaces", info->n_versions,
                             info->n_namespaces);
    kin__buf_append_char(buf, ',');
    return write_texts(buf, VERSIONS, info->versions, info->n_versions, err);
}

int kin__snapshot_info_write(kin__buf *buf, const kin_snapshot_info *info, kin_error *err)
{
    int code;

    kin__buf_append_char(buf, '{');
    for (size_t i = 0; i < kin__array_len(fields); i++) {
        const char *text;

        memcpy(&text, (const char *)info + fields[i].offset, sizeof(text));
        if (!text)
            continue;
        kin__buf_appendf(buf, "\"%s\":", fields[i].key);
        code = write_text(buf, fields[i].key, text, err);
        if (code < 0)
            return code;
        kin__buf_append_char(buf, ',');
    }
    code = write_texts(buf, NAMESPACES, info->namespaces, info->n_namespaces, err);
    if (code == 0)
        code = write_versions(buf, info, err);
    if (info->list_unix_ns != 0)
        kin__buf_appendf(buf, ",\"" LIST_UNIX_NS "\":%" PRId64, info->list_unix_ns);
    kin__buf_appendf(buf, ",\"" UNIX_NS "\":%" PRId64 "}", info->unix_ns);
    return code;
}

/* --- in --- */

/* An owned copy of a string. 0, KIN_EPARSE: no string, or one that does not fit into C's. */
static int read_text(char **ret, kin_value value)
{
    kin_scratch scratch;
    kin_str text;

    if (kin_value_string(&text, value, &scratch) < 0)
        return KIN_EPARSE;
    if (text.len > 0 && memchr(text.data, '\0', text.len))
        return KIN_EPARSE;
    *ret = kin__memdup_str(text);
    return *ret ? 0 : KIN_ENOMEM;
}

static int read_fields(kin__snapshot_info *ret, kin_value root)
{
    int code = 0;

    for (size_t i = 0; code == 0 && i < kin__array_len(fields); i++) {
        kin_value value = kin_value_get(root, kin_str_of(fields[i].key));

        if (kin_value_type(value) == KIN_NONE)
            continue;
        code = read_text(&ret->texts[i], value);
        memcpy((char *)&ret->info + fields[i].offset, &ret->texts[i], sizeof(ret->texts[i]));
    }
    return code;
}

static int read_texts(char ***ret, size_t *ret_n, kin_value array)
{
    size_t n = kin_value_len(array);
    int code = 0;
    kin_iter it;

    if (kin_value_type(array) == KIN_NONE)
        return 0;
    if (kin_value_type(array) != KIN_ARRAY)
        return KIN_EPARSE;
    if (n == 0)
        return 0;
    *ret = kin__calloc(n, sizeof(**ret));
    if (!*ret)
        return KIN_ENOMEM;
    *ret_n = n;
    for (kin_iter_init(&it, array); code == 0 && kin_iter_next(&it);)
        code = read_text(&(*ret)[it.index], it.value);
    return code;
}

static int read_arrays(kin__snapshot_info *ret, kin_value root)
{
    int code = read_texts(&ret->namespaces, &ret->n_namespaces,
                          kin_value_get(root, kin_str_of(NAMESPACES)));

    if (code == 0)
        code =
            read_texts(&ret->versions, &ret->n_versions, kin_value_get(root, kin_str_of(VERSIONS)));
    if (code == 0 && ret->n_versions > 0 && ret->n_versions != ret->n_namespaces)
        code = KIN_EPARSE;
    ret->info.namespaces = (const char *const *)ret->namespaces;
    ret->info.n_namespaces = ret->n_namespaces;
    ret->info.versions = (const char *const *)ret->versions;
    ret->info.n_versions = ret->n_versions;
    return code;
}

/* It may be missing. */
static int read_time(int64_t *ret, kin_value root, const char *key)
{
    kin_value time = kin_value_get(root, kin_str_of(key));

    return kin_value_type(time) == KIN_NONE || kin_value_int64(ret, time) == 0 ? 0 : KIN_EPARSE;
}

static int read_root(kin__snapshot_info *ret, kin_value root)
{
    int code = read_fields(ret, root);

    if (code == 0)
        code = read_arrays(ret, root);
    if (code == 0)
        code = read_time(&ret->info.unix_ns, root, UNIX_NS);
    if (code == 0)
        code = read_time(&ret->info.list_unix_ns, root, LIST_UNIX_NS);
    return code;
}

int kin__snapshot_info_read(kin__snapshot_info *ret, kin_str text, uint64_t origin,
                            const char *name, kin_error *err)
{
    const kin_object *object;
    int code;

    memset(ret, 0, sizeof(*ret));
    ret->info.size = sizeof(ret->info);
    code = kin_object_from_json(&object, text, NULL, err);
    if (code == 0) {
        code = read_root(ret, kin_object_root(object));
        kin_object_unref(object);
    }
    if (code == KIN_EPARSE || code == KIN_ELIMIT)
        return kin__error_parse(err, origin, "%s: what it says of itself makes no sense", name);
    return code == KIN_ENOMEM ? kin__error_no_memory(err) : code;
}

static void free_texts(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin__free(texts[i]);
    kin__free(texts);
}

void kin__snapshot_info_done(kin__snapshot_info *info)
{
    for (size_t i = 0; i < kin__array_len(info->texts); i++)
        kin__free(info->texts[i]);
    free_texts(info->namespaces, info->n_namespaces);
    free_texts(info->versions, info->n_versions);
}
