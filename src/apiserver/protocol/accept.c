/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Accept headers, read as the real server's parser does: clauses that are malformed are passed
 * over, q that is no number is 0, and q=0 is the last choice, not a refusal. Nothing is allocated:
 * of the clauses the best that has not been tried is looked for each time, and there are few.
 */
#include "apiserver/protocol/accept.h"

#include "base/str.h"

/* A header with more clauses is cut behind these. */
#define CLAUSES_MAX 64

struct clause {
    kin_str type;
    kin_str subtype;
    kin_str params; /* behind the first ';'; data NULL: none */
    unsigned q;     /* thousandths */
    bool is_tried;
};

struct clauses {
    struct clause items[CLAUSES_MAX];
    size_t n;
};

/* "0.85" as 850. More digits are cut off; what is no such number is 0, and more than 1 is 1000. */
static unsigned read_q(kin_str text)
{
    unsigned value = 0;
    unsigned unit = 1000;
    bool is_behind_point = false;

    text = kin__str_trim(text);
    if (text.len == 0 || text.len > 16)
        return 0;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '.' && !is_behind_point) {
            is_behind_point = true;
            continue;
        }
        if (c < '0' || c > '9')
            return 0;
        if (is_behind_point)
            unit /= 10;
        value += (unsigned)(c - '0') * unit;
        if (!is_behind_point && value > 0)
            return 1000;
    }
    return value;
}

/* The next parameter with exactly one '=' in it. */
static bool next_param(kin_str *rest, kin_str *ret_name, kin_str *ret_value)
{
    kin_str part;

    while (kin__str_cut(rest, ';', &part)) {
        size_t equals = kin__str_find(part, '=');

        if (equals + 1 >= part.len)
            continue;
        kin_str value = kin_str_make(part.data + equals + 1, part.len - equals - 1);
        if (kin__str_find(value, '=') < value.len)
            continue;
        *ret_name = kin__str_trim(kin_str_make(part.data, equals));
        *ret_value = kin__str_trim(value);
        return true;
    }
    return false;
}

static bool read_clause(struct clause *ret, kin_str text)
{
    kin_str rest = kin__str_trim(text);
    kin_str range;
    kin_str name;
    kin_str value;

    if (!kin__str_cut(&rest, ';', &range))
        return false;
    size_t slash = kin__str_find(range, '/');
    ret->type = kin__str_trim(kin_str_make(range.data, slash));
    if (slash + 1 < range.len)
        ret->subtype = kin__str_trim(kin_str_make(range.data + slash + 1, range.len - slash - 1));
    else if (kin_str_equal(ret->type, kin_str_of("*")))
        ret->subtype = ret->type;
    else
        return false;
    if (kin__str_find(ret->subtype, '/') < ret->subtype.len)
        return false;
    ret->params = rest;
    ret->q = 1000;
    ret->is_tried = false;
    while (next_param(&rest, &name, &value))
        if (kin_str_equal(name, kin_str_of("q")))
            ret->q = read_q(value);
    return true;
}

static void read_clauses(struct clauses *ret, kin_str accept)
{
    kin_str part;

    ret->n = 0;
    while (ret->n < CLAUSES_MAX && kin__str_cut(&accept, ',', &part))
        if (read_clause(&ret->items[ret->n], part))
            ret->n++;
}

static bool is_star(kin_str s)
{
    return kin_str_equal(s, kin_str_of("*"));
}

/* Whether `a` comes before `b`, which stands before it in the header. */
static bool is_better(const struct clause *a, const struct clause *b)
{
    if (a->q != b->q)
        return a->q > b->q;
    if (is_star(a->type) != is_star(b->type))
        return is_star(b->type);
    return !is_star(a->subtype) && is_star(b->subtype);
}

/* The best that was not tried yet; NULL if all were. */
static struct clause *next_clause(struct clauses *clauses)
{
    struct clause *best = NULL;

    for (size_t i = 0; i < clauses->n; i++) {
        struct clause *clause = &clauses->items[i];

        if (!clause->is_tried && (!best || is_better(clause, best)))
            best = clause;
    }
    if (best)
        best->is_tried = true;
    return best;
}

static bool takes_json(const struct clause *clause)
{
    if (is_star(clause->type) && is_star(clause->subtype))
        return true;
    return kin_str_equal(clause->type, kin_str_of("application")) &&
           (is_star(clause->subtype) || kin_str_equal(clause->subtype, kin_str_of("json")));
}

static bool takes_yaml(const struct clause *clause)
{
    return kin_str_equal(clause->type, kin_str_of("application")) &&
           kin_str_equal(clause->subtype, kin_str_of("yaml"));
}

static bool takes_protobuf(const struct clause *clause)
{
    return kin_str_equal(clause->type, kin_str_of("application")) &&
           kin_str_equal(clause->subtype, kin_str_of("vnd.kubernetes.protobuf"));
}

/* What a clause wants the answer to be turned into, and how. */
struct wish {
    kin_str as;
    kin_str group;
    kin_str version;
    bool has_target;
    bool is_stream_other; /* a stream that is no watch */
    bool pretty;
};

static struct wish read_wish(const struct clause *clause)
{
    struct wish wish = {.has_target = false};
    kin_str rest = clause->params;
    kin_str name;
    kin_str value;

    while (next_param(&rest, &name, &value)) {
        kin_str *target = NULL;

        if (kin_str_equal(name, kin_str_of("as")))
            target = &wish.as;
        else if (kin_str_equal(name, kin_str_of("g")))
            target = &wish.group;
        else if (kin_str_equal(name, kin_str_of("v")))
            target = &wish.version;
        else if (kin_str_equal(name, kin_str_of("stream")))
            wish.is_stream_other = value.len > 0 && !kin_str_equal(value, kin_str_of("watch"));
        else if (kin_str_equal(name, kin_str_of("pretty")))
            wish.pretty = kin_str_equal(value, kin_str_of("1"));
        if (target) {
            *target = value;
            wish.has_target = true;
        }
    }
    return wish;
}

static bool fail_not_acceptable(kin__failure *failure)
{
    return kin__fail(failure, 406, "NotAcceptable",
                     "only the following media types are accepted: application/json, "
                     "application/yaml, application/vnd.kubernetes.protobuf");
}

/* --- objects --- */

/* Whether the wish can be met; sets what is to be given. */
static bool grant(const struct wish *wish, kin__accepted *ret)
{
    kin__accepted accepted = {.pretty = wish->pretty};

    if (wish->is_stream_other)
        return false;
    if (!wish->has_target) {
        *ret = accepted;
        return true;
    }
    if (!kin_str_equal(wish->group, kin_str_of("meta.k8s.io")))
        return false;
    if (kin_str_equal(wish->version, kin_str_of("v1beta1")))
        accepted.version = KIN__FORM_V1BETA1;
    else if (!kin_str_equal(wish->version, kin_str_of("v1")))
        return false;
    accepted.form = KIN__FORM_METADATA;
    accepted.is_list_form = kin_str_equal(wish->as, kin_str_of("PartialObjectMetadataList"));
    if (!accepted.is_list_form && !kin_str_equal(wish->as, kin_str_of("PartialObjectMetadata")))
        return false;
    *ret = accepted;
    return true;
}

/*
 * Built-in kinds are behind a router that looks at the header first, and knows neither ranges of
 * subtypes nor parameters. It has other words.
 */
static bool passes_router(kin_str accept)
{
    static const char *const types[] = {"*/*", "application/json", "application/yaml",
                                        "application/vnd.kubernetes.protobuf"};
    kin_str part;

    while (kin__str_cut(&accept, ',', &part)) {
        kin_str type = kin__str_trim(kin_str_make(part.data, kin__str_find(part, ';')));

        for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
            if (kin_str_equal(type, kin_str_of(types[i])))
                return true;
    }
    return false;
}

static bool fail_at_router(kin__failure *failure, enum kin__verb verb)
{
    bool streams = verb == KIN__VERB_LIST || verb == KIN__VERB_WATCH;

    kin__fail(failure, 406, "NotAcceptable",
              "406: Not Acceptable\n\nAvailable representations: application/json, "
              "application/yaml, application/vnd.kubernetes.protobuf%s",
              streams ? ", application/json;stream=watch, "
                        "application/vnd.kubernetes.protobuf;stream=watch"
                      : "");
    failure->has_details = true;
    return false;
}

/* "*core.SecretList" */
static void append_go_type(kin__cutline *line, const kin__kind *kind, bool is_list)
{
    kin_str package = kin__go_package(kind->group);

    if (kind->custom)
        kin__cutline_appendf(line, "*unstructured.Unstructured%s", is_list ? "List" : "");
    else
        kin__cutline_appendf(line, "*%" KIN_STR_FMT ".%s", KIN_STR_ARG(package),
                             is_list ? kind->list_kind : kind->kind);
}

/* Lists and objects have forms of their own. */
static bool check_form(const kin__accepted *accepted, const kin__kind *kind, enum kin__verb verb,
                       kin__failure *failure)
{
    char type[600];
    kin__cutline line;
    bool is_list = verb == KIN__VERB_LIST;

    if (accepted->form != KIN__FORM_METADATA || accepted->is_list_form == is_list ||
        (verb != KIN__VERB_GET && verb != KIN__VERB_LIST))
        return true;
    kin__cutline_init(&line, type, sizeof(type));
    append_go_type(&line, kind, is_list);
    return kin__fail(failure, 406, "NotAcceptable",
                     "you requested PartialObjectMetadata%s, but the requested object is %s (%s)",
                     is_list ? "" : "List", is_list ? "a list" : "not a list", type);
}

/* The best of the clauses that can be granted. */
static bool choose(struct clauses *clauses, const kin__kind *kind, enum kin__verb verb,
                   kin__accepted *ret, kin__failure *failure)
{
    struct clause *clause;

    while ((clause = next_clause(clauses))) {
        struct wish wish = read_wish(clause);
        bool is_yaml = takes_yaml(clause);
        bool is_protobuf = takes_protobuf(clause);

        if ((!is_yaml && !is_protobuf && !takes_json(clause)) || !grant(&wish, ret))
            continue;
        /* The real server has custom resources without their types: no message is theirs. */
        if (is_protobuf && kind->custom && ret->form == KIN__FORM_FULL)
            continue;
        ret->is_yaml = is_yaml;
        ret->is_protobuf = is_protobuf;
        if (is_yaml && verb == KIN__VERB_WATCH)
            return kin__fail(failure, 406, "NotAcceptable",
                             "only the following media types are accepted: "
                             "application/json;stream=watch, "
                             "application/vnd.kubernetes.protobuf;stream=watch");
        return check_form(ret, kind, verb, failure);
    }
    return fail_not_acceptable(failure);
}

bool kin__accept_read(kin_str accept, const kin__kind *kind, enum kin__verb verb,
                      kin__accepted *ret, kin__failure *failure)
{
    struct clauses clauses;

    if (accept.len == 0) {
        *ret = (kin__accepted){.form = KIN__FORM_FULL};
        return true;
    }
    if (!kind->custom && !passes_router(accept))
        return fail_at_router(failure, verb);
    read_clauses(&clauses, accept);
    return choose(&clauses, kind, verb, ret, failure);
}

bool kin__accept_read_without_protobuf(kin_str accept, const kin__kind *kind, enum kin__verb verb,
                                       kin__accepted *ret)
{
    struct clauses clauses;
    kin__accepted accepted;
    kin__failure ignored;

    read_clauses(&clauses, accept);
    for (size_t i = 0; i < clauses.n; i++)
        clauses.items[i].is_tried = clauses.items[i].q == 0 || takes_protobuf(&clauses.items[i]);
    if (!choose(&clauses, kind, verb, &accepted, &ignored))
        return false;
    *ret = accepted;
    return true;
}

/* --- discovery --- */

static bool is_aggregated(const struct wish *wish, enum kin__discovery *ret)
{
    if (!kin_str_equal(wish->as, kin_str_of("APIGroupDiscoveryList")) ||
        !kin_str_equal(wish->group, kin_str_of("apidiscovery.k8s.io")))
        return false;
    if (kin_str_equal(wish->version, kin_str_of("v2")))
        *ret = KIN__DISCOVERY_V2;
    else if (kin_str_equal(wish->version, kin_str_of("v2beta1")))
        *ret = KIN__DISCOVERY_V2BETA1;
    else
        return false;
    return true;
}

bool kin__accept_read_discovery(kin_str accept, enum kin__discovery *ret,
                                const char **ret_content_type, kin__failure *failure)
{
    static const char *const content_types[] = {
        "application/json",
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
        "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList",
    };
    enum kin__discovery form = KIN__DISCOVERY_PLAIN;
    bool takes_plain = accept.len == 0;
    bool is_found = false;
    struct clauses clauses;
    struct clause *clause;

    read_clauses(&clauses, accept);
    while (!is_found && (clause = next_clause(&clauses))) {
        struct wish wish = read_wish(clause);

        if (!takes_json(clause) || wish.is_stream_other)
            continue;
        is_found = is_aggregated(&wish, &form);
        takes_plain |= !wish.has_target;
    }
    if (!is_found && !takes_plain)
        return fail_not_acceptable(failure);
    *ret = form;
    *ret_content_type = content_types[form];
    return true;
}
