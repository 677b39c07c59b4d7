/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths are read as Kubernetes' RequestInfo reads them: /api/VERSION/… and /apis/GROUP/VERSION/…,
 * then [namespaces/NAMESPACE/]RESOURCE[/NAME[/SUBRESOURCE]]. A namespace itself is a resource too,
 * and its subresources are told by their names.
 */
#include "apiserver/protocol/target.h"

#include "base/compiler.h"
#include "base/str.h"

struct method {
    kin_str method;
    const char *lower;
    const char *one;  /* of an object; NULL: nothing that resources have */
    const char *many; /* of a collection */
};

static const struct method methods[] = {
    {KIN__STR("GET"), "get", "get", "list"},
    {KIN__STR("HEAD"), "head", "get", "list"},
    {KIN__STR("POST"), "post", "create", "create"},
    {KIN__STR("PUT"), "put", "update", "update"},
    {KIN__STR("PATCH"), "patch", "patch", "patch"},
    {KIN__STR("DELETE"), "delete", "delete", "deletecollection"},
    {KIN__STR("OPTIONS"), "options", "", ""},
};
static const struct method unknown = {KIN__STR(""), "other", "", ""};

static const struct method *method_of(kin_str name)
{
    for (size_t i = 0; i < kin__array_len(methods); i++) {
        if (kin_str_equal(methods[i].method, name))
            return &methods[i];
    }
    return &unknown;
}

bool kin__target_has_verb(const char *verb)
{
    bool found = strcmp(verb, "watch") == 0 || strcmp(verb, unknown.lower) == 0;

    for (size_t i = 0; i < kin__array_len(methods) && !found; i++)
        found = strcmp(verb, methods[i].lower) == 0 || strcmp(verb, methods[i].one) == 0 ||
                strcmp(verb, methods[i].many) == 0;
    return found && verb[0] != '\0';
}

/* The next segment that is not empty, or an empty one at the end. */
static kin_str next_segment(kin_str *rest)
{
    kin_str segment = {NULL, 0};

    while (segment.len == 0 && kin__str_cut(rest, '/', &segment)) {
    }
    return segment;
}

static bool is_word(kin_str s, const char *word)
{
    return kin_str_equal(s, kin_str_of(word));
}

/* Of namespaces/NAME/… the words that are no resource in it. */
static bool is_of_namespace(kin_str word)
{
    return word.len == 0 || is_word(word, "status") || is_word(word, "finalize");
}

static void read_resource(kin__target *target, kin_str rest)
{
    kin_str first = next_segment(&rest);

    if (is_word(first, "watch")) {
        target->is_watch_path = true;
        first = next_segment(&rest);
    }
    target->resource = first;
    target->name = next_segment(&rest);
    if (is_word(first, "namespaces") && target->name.len > 0) {
        kin_str third = next_segment(&rest);

        target->namespace_ = target->name;
        if (is_of_namespace(third)) {
            target->subresource = third;
            return;
        }
        target->resource = third;
        target->name = next_segment(&rest);
    }
    target->subresource = next_segment(&rest);
}

/* As the API reads flags: all that does not say no is a yes. */
static bool is_false(kin_str value)
{
    return is_word(value, "0") || is_word(value, "false") || is_word(value, "False") ||
           is_word(value, "FALSE");
}

static bool wants_watch(kin_str query)
{
    kin_str value = {NULL, 0};

    return kin__query_find(query, (kin_str)KIN__STR("watch"), &value) && !is_false(value);
}

static const char *verb_of(const kin__target *target, const struct method *method, kin_str query)
{
    const char *verb = target->name.len > 0 ? method->one : method->many;

    if (target->is_watch_path && is_word(kin_str_of(method->lower), "get"))
        return "watch";
    if (is_word(kin_str_of(verb), "list") && wants_watch(query))
        return "watch";
    return *verb ? verb : method->lower;
}

void kin__target_read(kin__target *ret, kin_str method, kin_str path, kin_str query)
{
    const struct method *known = method_of(method);
    kin_str rest = path;
    kin_str first = next_segment(&rest);

    *ret = (kin__target){.verb = known->lower};
    if (is_word(first, "apis"))
        ret->group = next_segment(&rest);
    else if (!is_word(first, "api"))
        return;
    if (next_segment(&rest).len == 0) /* the version */
        return;
    read_resource(ret, rest);
    ret->is_resource = ret->resource.len > 0;
    if (ret->is_resource)
        ret->verb = verb_of(ret, known, query);
}

bool kin__query_find(kin_str query, kin_str name, kin_str *ret)
{
    kin_str part;

    while (kin__str_cut(&query, '&', &part)) {
        size_t end = kin__str_find(part, '=');

        if (!kin_str_equal(kin_str_make(part.data, end), name))
            continue;
        size_t skip = end < part.len ? end + 1 : end;
        *ret = kin_str_make(part.data + skip, part.len - skip);
        return true;
    }
    return false;
}

bool kin__glob_match(kin_str pattern, kin_str text)
{
    size_t p = 0;
    size_t t = 0;
    size_t star = SIZE_MAX; /* where the last `*` stands, and up to where it has eaten */
    size_t eaten = 0;

    while (t < text.len) {
        if (p < pattern.len && pattern.data[p] == '*') {
            star = p++;
            eaten = t;
        } else if (p < pattern.len && (pattern.data[p] == '?' || pattern.data[p] == text.data[t])) {
            p++;
            t++;
        } else if (star != SIZE_MAX) {
            p = star + 1;
            t = ++eaten;
        } else {
            return false;
        }
    }
    while (p < pattern.len && pattern.data[p] == '*')
        p++;
    return p == pattern.len;
}
