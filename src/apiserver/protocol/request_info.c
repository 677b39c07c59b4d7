/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths, as the real server's RequestInfo reads them:
 *
 *     /api/VERSION/RESOURCE[/NAME[/SUBRESOURCE]]
 *     /api/VERSION/namespaces/NAMESPACE/RESOURCE[/NAME[/SUBRESOURCE]]
 *     /apis/GROUP/VERSION/…
 *
 * Behind the version "watch/" may stand, of which clients from before the parameter "watch" know.
 *
 * A path is decoded before it is cut, so that an encoded slash is a slash; no name can hold one.
 * Slashes at its end do not count. Everything else that is odd (empty parts, dots) leads nowhere:
 * 404.
 */
#include "apiserver/protocol/request_info.h"

#include "apiserver/kinds/names.h"
#include "apiserver/protocol/query.h"
#include "base/memory.h"
#include "base/str.h"

/* The longest has 8: apis, group, version, "namespaces", namespace, resource, name, subresource. */
#define PARTS_MAX 9

struct parts {
    kin_str items[PARTS_MAX];
    size_t n; /* PARTS_MAX: that many, or more */
};

static enum kin__verb verb_of(kin_str method, bool *ret_is_head)
{
    static const struct {
        const char *method;
        enum kin__verb verb;
    } verbs[] = {
        {"GET", KIN__VERB_GET},    {"HEAD", KIN__VERB_GET},    {"POST", KIN__VERB_CREATE},
        {"PUT", KIN__VERB_UPDATE}, {"PATCH", KIN__VERB_PATCH}, {"DELETE", KIN__VERB_DELETE},
        {NULL, KIN__VERB_OTHER},
    };
    size_t i = 0;

    while (verbs[i].method && !kin_str_equal(method, kin_str_of(verbs[i].method)))
        i++;
    *ret_is_head = kin_str_equal(method, kin_str_of("HEAD"));
    return verbs[i].verb;
}

/* --- from bytes to parts --- */

static bool fail_escape(kin__failure *failure, kin_str path, size_t at)
{
    char words[64];
    kin__cutline line;
    size_t len = path.len - at < 3 ? path.len - at : 3;

    kin__cutline_init(&line, words, sizeof(words));
    kin__cutline_append_quoted(&line, kin_str_make(path.data + at, len));
    return kin__fail_bad_request(failure, "invalid URL escape %s", words);
}

/* Decodes into `to`, which has room for as many bytes as were sent. */
static bool decode_path(kin_str path, char *to, kin_str *ret, kin__failure *failure)
{
    size_t len = 0;

    for (size_t i = 0; i < path.len; i++) {
        char c = path.data[i];

        if (c == '%') {
            if (!kin__percent_decode(path, i, &c))
                return fail_escape(failure, path, i);
            i += 2;
        }
        if (c == '\0')
            return kin__fail_bad_request(failure, "the path holds a zero byte");
        to[len++] = c;
    }
    while (len > 0 && to[len - 1] == '/')
        len--;
    *ret = kin_str_make(to, len);
    return true;
}

static bool is_dots(kin_str s)
{
    return kin_str_equal(s, kin_str_of(".")) || kin_str_equal(s, kin_str_of(".."));
}

/* False: it does not begin with a slash, or a part is empty. */
static bool split(kin_str path, struct parts *ret)
{
    kin_str rest = path;
    kin_str part;

    ret->n = 0;
    if (path.len == 0)
        return true;
    if (path.data[0] != '/')
        return false;
    rest = kin_str_make(path.data + 1, path.len - 1);
    while (ret->n < PARTS_MAX && kin__str_cut(&rest, '/', &part)) {
        if (part.len == 0)
            return false;
        ret->items[ret->n++] = part;
    }
    return true;
}

static bool part_is(const struct parts *parts, size_t i, const char *text)
{
    return i < parts->n && kin_str_equal(parts->items[i], kin_str_of(text));
}

/* --- from parts to what they mean --- */

/* Takes group and version. Where a resource would stand; 0: the path names none. */
static size_t read_prefix(kin__request_info *info, const struct parts *parts)
{
    if (part_is(parts, 0, "api") && parts->n >= 3) {
        info->version = parts->items[1];
        return 2;
    }
    if (part_is(parts, 0, "apis") && parts->n >= 4) {
        info->group = parts->items[1];
        info->version = parts->items[2];
        return 3;
    }
    return 0;
}

static bool is_namespace_subresource(kin_str s)
{
    return kin_str_equal(s, kin_str_of("status")) || kin_str_equal(s, kin_str_of("finalize"));
}

static bool read_resource(kin__request_info *info, const struct parts *parts, size_t at,
                          kin__failure *failure)
{
    size_t n_max = 3; /* resource, name, subresource */

    if (part_is(parts, at, "watch")) {
        info->is_watch_path = true;
        info->verb = info->verb == KIN__VERB_GET ? KIN__VERB_WATCH : KIN__VERB_OTHER;
        n_max = 2;
        at++;
    }
    if (part_is(parts, at, "namespaces") && at + 2 < parts->n &&
        !is_namespace_subresource(parts->items[at + 2])) {
        info->namespace_ = parts->items[at + 1];
        at += 2;
    }
    size_t n = parts->n - at;
    if (n == 0 || n > n_max)
        return kin__fail_no_path(failure);
    info->is_resource = true;
    info->resource = parts->items[at];
    if (n > 1)
        info->name = parts->items[at + 1];
    if (n > 2)
        info->subresource = parts->items[at + 2];
    return true;
}

/* Parts of which dots would lead somewhere else, and a name that cannot be one. */
static bool check_parts(const kin__request_info *info, kin__failure *failure)
{
    char quoted[1100];
    char words[256];
    kin__cutline line;

    if (is_dots(info->group) || is_dots(info->version) || is_dots(info->namespace_) ||
        is_dots(info->resource) || is_dots(info->subresource))
        return kin__fail_no_path(failure);
    kin__problems problems = kin__name_problems(KIN__NAME_PATH_SEGMENT, info->name, false);
    if (problems.n == 0)
        return true;
    kin__cutline_init(&line, quoted, sizeof(quoted));
    kin__cutline_append_quoted(&line, info->name);
    kin__cutline_init(&line, words, sizeof(words));
    kin__problems_join(&problems, &line, ";");
    return kin__fail_bad_request(failure, "Name parameter invalid: %s: %s", quoted, words);
}

static bool read_path(kin__request_info *info, const kin__request *request, kin__failure *failure)
{
    struct parts parts;

    if (!decode_path(request->path, info->text, &info->path, failure))
        return false;
    if (!split(info->path, &parts))
        return kin__fail_no_path(failure);
    size_t at = read_prefix(info, &parts);
    if (at == 0)
        return true;
    if (info->is_head)
        info->verb = KIN__VERB_OTHER;
    return read_resource(info, &parts, at, failure) && check_parts(info, failure);
}

bool kin__request_info_read(kin__request_info *ret, const kin__request *request,
                            kin__failure *failure)
{
    memset(ret, 0, sizeof(*ret));
    if (request->path.len > KIN__PATH_MAX || request->query.len > KIN__QUERY_MAX)
        return kin__fail(failure, 414, "RequestURITooLong", "the path or the query is too long");
    ret->text = kin__malloc(request->path.len + request->query.len);
    if (!ret->text)
        return kin__fail_no_memory(failure);
    ret->verb = verb_of(request->method, &ret->is_head);
    if (!read_path(ret, request, failure))
        return false;
    return kin__query_read(ret, request, ret->text + request->path.len, failure);
}

void kin__request_info_done(kin__request_info *info)
{
    kin_label_selector_unref(info->options.labels);
    kin_field_selector_unref(info->options.fields);
    kin__free(info->text);
    memset(info, 0, sizeof(*info));
}

/* --- whether a kind has it --- */

/* Whether a verb goes with a name or without one. */
static bool verb_fits_name(enum kin__verb verb, bool has_name)
{
    switch (verb) {
    case KIN__VERB_GET:
    case KIN__VERB_UPDATE:
    case KIN__VERB_PATCH:
    case KIN__VERB_DELETE:
        return has_name;
    case KIN__VERB_LIST:
    case KIN__VERB_WATCH:
    case KIN__VERB_CREATE:
    case KIN__VERB_DELETE_COLLECTION:
        return !has_name;
    case KIN__VERB_OTHER:
        break;
    }
    return false;
}

static bool check_verb(const kin__request_info *info, const kin__kind *kind,
                       const kin__subresource *subresource)
{
    unsigned bit = KIN__VERB_BIT(info->verb);

    if (subresource)
        return (subresource->verbs & bit) != 0;
    if (!info->is_watch_path && !verb_fits_name(info->verb, info->name.len > 0))
        return false;
    /* Over all namespaces one can only look. */
    if (kind->namespaced && info->namespace_.len == 0 && info->verb != KIN__VERB_LIST &&
        info->verb != KIN__VERB_WATCH)
        return false;
    return (kind->verbs & bit) != 0;
}

bool kin__request_info_check(const kin__request_info *info, const kin__kind *kind,
                             const kin__kind_version **ret_version,
                             const kin__subresource **ret_subresource, kin__failure *failure)
{
    const kin__kind_version *version = kin__kind_find_version(kind, info->version);
    const kin__subresource *subresource = NULL;

    if (!version || (info->namespace_.len > 0 && !kind->namespaced))
        return kin__fail_no_path(failure);
    if (kind->namespaced && info->namespace_.len == 0 && info->name.len > 0)
        return kin__fail_no_path(failure);
    if (info->subresource.len > 0) {
        subresource = kin__kind_find_subresource(kind, version, info->subresource);
        if (!subresource)
            return kin__fail_no_path(failure);
    }
    if (!check_verb(info, kind, subresource))
        return kin__fail_no_method(failure);
    *ret_version = version;
    *ret_subresource = subresource;
    return true;
}
