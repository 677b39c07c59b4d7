/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queries. Of a parameter that is given more than once the first counts, but for dryRun, which is a
 * list; pairs that are malformed and parameters that are not known are ignored, as the real server
 * ignores them. A flag is off if it says "0" or "false", in any case, and on otherwise, also when
 * it is empty.
 *
 * The order in which things are refused is that of the real server: numbers, then selectors (400),
 * then what does not go together (422).
 */
#include "apiserver/protocol/query.h"

#include <stdio.h>

#include "apiserver/protocol/selector.h"
#include "base/compiler.h"
#include "base/str.h"
#include "base/utf8.h"
#include "kinform/metadata.h"

/* X(enumerator, name) */
#define PARAMETERS(X)                                                                              \
    X(LABEL_SELECTOR, "labelSelector")                                                             \
    X(FIELD_SELECTOR, "fieldSelector")                                                             \
    X(WATCH, "watch")                                                                              \
    X(ALLOW_BOOKMARKS, "allowWatchBookmarks")                                                      \
    X(RESOURCE_VERSION, "resourceVersion")                                                         \
    X(MATCH, "resourceVersionMatch")                                                               \
    X(TIMEOUT, "timeoutSeconds")                                                                   \
    X(LIMIT, "limit")                                                                              \
    X(CONTINUE, "continue")                                                                        \
    X(SEND_INITIAL_EVENTS, "sendInitialEvents")                                                    \
    X(DRY_RUN, "dryRun")                                                                           \
    X(FORCE, "force")                                                                              \
    X(FIELD_MANAGER, "fieldManager")                                                               \
    X(FIELD_VALIDATION, "fieldValidation")                                                         \
    X(GRACE_PERIOD, "gracePeriodSeconds")                                                          \
    X(ORPHAN, "orphanDependents")                                                                  \
    X(PROPAGATION, "propagationPolicy")                                                            \
    X(UID, "uid")                                                                                  \
    X(REQUEST_TIMEOUT, "timeout")                                                                  \
    X(PRETTY, "pretty")

enum parameter {
#define ENUMERATOR(name, text) P_##name,
    PARAMETERS(ENUMERATOR)
#undef ENUMERATOR
        N_PARAMETERS
};

struct query {
    kin_str values[N_PARAMETERS];
    bool is_set[N_PARAMETERS];
    char *room;
    bool has_dry_run;        /* "All" */
    bool has_other_dry_run;  /* anything else */
    char dry_run_words[512]; /* the list as JSON, for who is told of it */
    kin__cutline dry_run_line;
};

/* --- from bytes to parameters --- */

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool kin__percent_decode(kin_str text, size_t at, char *ret)
{
    if (text.len - at < 3 || hex(text.data[at + 1]) < 0 || hex(text.data[at + 2]) < 0)
        return false;
    *ret = (char)(hex(text.data[at + 1]) << 4 | hex(text.data[at + 2]));
    return true;
}

/* Decodes to where `room` begins, which is not moved. */
static bool decode(kin_str text, char *room, kin_str *ret)
{
    size_t len = 0;

    for (size_t i = 0; i < text.len; i++) {
        char c = text.data[i];

        if (c == '+')
            c = ' ';
        if (c == '%') {
            if (!kin__percent_decode(text, i, &c))
                return false;
            i += 2;
        }
        room[len++] = c;
    }
    *ret = kin_str_make(room, len);
    return true;
}

static enum parameter parameter_of(kin_str name)
{
    static const char *const names[] = {
#define NAME(name, text) text,
        PARAMETERS(NAME)
#undef NAME
    };
    size_t i = 0;

    while (i < kin__array_len(names) && !kin_str_equal(name, kin_str_of(names[i])))
        i++;
    return (enum parameter)i;
}

static void take_dry_run(struct query *query, kin_str value)
{
    if (kin_str_equal(value, kin_str_of("All")))
        query->has_dry_run = true;
    else
        query->has_other_dry_run = true;
    kin__cutline_append(&query->dry_run_line, kin_str_of(query->dry_run_line.len ? "," : "["));
    kin__cutline_append_quoted(&query->dry_run_line, value);
}

static void take_pair(struct query *query, kin_str pair)
{
    size_t equals = kin__str_find(pair, '=');
    kin_str name;
    kin_str value = {"", 0};

    if (kin__str_find(pair, ';') < pair.len ||
        !decode(kin_str_make(pair.data, equals), query->room, &name))
        return;
    enum parameter parameter = parameter_of(name);
    if (parameter == N_PARAMETERS)
        return;
    /* The name is not needed any more: the value takes its place. */
    if (equals < pair.len &&
        !decode(kin_str_make(pair.data + equals + 1, pair.len - equals - 1), query->room, &value))
        return;
    if (parameter == P_DRY_RUN)
        take_dry_run(query, value);
    if (query->is_set[parameter])
        return;
    query->is_set[parameter] = true;
    query->values[parameter] = value;
    query->room += value.len;
}

static void read_pairs(struct query *query, kin_str text, char *room)
{
    kin_str pair;

    memset(query, 0, sizeof(*query));
    query->room = room;
    kin__cutline_init(&query->dry_run_line, query->dry_run_words, sizeof(query->dry_run_words) - 1);
    while (kin__str_cut(&text, '&', &pair))
        if (pair.len > 0)
            take_pair(query, pair);
    if (query->dry_run_line.len > 0) {
        query->dry_run_line.size = sizeof(query->dry_run_words);
        kin__cutline_append(&query->dry_run_line, kin_str_of("]"));
    }
}

/* --- from texts to values --- */

static bool equals_fold(kin_str a, const char *lower)
{
    if (a.len != strlen(lower))
        return false;
    for (size_t i = 0; i < a.len; i++)
        if ((a.data[i] | 0x20) != lower[i])
            return false;
    return true;
}

static bool flag_of(const struct query *query, enum parameter parameter)
{
    kin_str value = query->values[parameter];

    return query->is_set[parameter] && !kin_str_equal(value, kin_str_of("0")) &&
           !equals_fold(value, "false");
}

/* As strconv.ParseInt() reads it, and complains. */
static bool number_of(const struct query *query, enum parameter parameter, int64_t *ret,
                      kin__failure *failure)
{
    char quoted[1024];
    kin__cutline line;
    kin_str text = query->values[parameter];
    int code;

    *ret = 0;
    if (!query->is_set[parameter])
        return true;
    if (text.len > 1 && text.data[0] == '+' && text.data[1] != '-')
        code = kin__str_to_i64(ret, kin_str_make(text.data + 1, text.len - 1));
    else
        code = kin__str_to_i64(ret, text);
    if (code == 0)
        return true;
    kin__cutline_init(&line, quoted, sizeof(quoted));
    kin__cutline_append_quoted(&line, text);
    return kin__fail_bad_request(failure, "strconv.ParseInt: parsing %s: %s", quoted,
                                 code == KIN_ELIMIT ? "value out of range" : "invalid syntax");
}

/* As strconv.ParseBool(); what it does not know is false. */
static bool is_true(kin_str text)
{
    static const char *const words[] = {"1", "t", "T", "TRUE", "true", "True"};

    for (size_t i = 0; i < kin__array_len(words); i++)
        if (kin_str_equal(text, kin_str_of(words[i])))
            return true;
    return false;
}

static bool wants_pretty(const struct query *query, kin_str user_agent)
{
    if (query->values[P_PRETTY].len > 0)
        return is_true(query->values[P_PRETTY]);
    return kin__str_starts_with(user_agent, kin_str_of("curl")) ||
           kin__str_starts_with(user_agent, kin_str_of("Wget")) ||
           kin__str_starts_with(user_agent, kin_str_of("Mozilla/5.0"));
}

/* A version as strconv.ParseUint() reads it; false: what it complains of is in `words`. */
static bool parse_version(kin_str text, uint64_t *ret, kin__cutline *words)
{
    int code = text.len == 0 ? 0 : kin__str_to_u64(ret, text);

    if (text.len == 0)
        *ret = 0;
    if (code == 0)
        return true;
    kin__cutline_append(words, kin_str_of("strconv.ParseUint: parsing "));
    kin__cutline_append_quoted(words, text);
    kin__cutline_append(
        words, kin_str_of(code == KIN_ELIMIT ? ": value out of range" : ": invalid syntax"));
    return false;
}

bool kin__resource_version_read(kin_str text, enum kin__verb verb, uint64_t *ret,
                                kin__failure *failure)
{
    char words[1100];
    char quoted[1100];
    kin__cutline line;

    kin__cutline_init(&line, words, sizeof(words));
    if (parse_version(text, ret, &line))
        return true;
    kin__cutline_init(&line, quoted, sizeof(quoted));
    kin__cutline_append_quoted(&line, text);
    switch (verb) {
    case KIN__VERB_LIST:
    case KIN__VERB_DELETE_COLLECTION:
        return kin__fail_bad_request(
            failure, "invalid resource version: resourceVersion: Invalid value: %s: %s", quoted,
            words);
    case KIN__VERB_GET:
    case KIN__VERB_WATCH:
        return kin__fail(failure, 500, "", "resourceVersion: Invalid value: %s: %s", quoted, words);
    default:
        return kin__fail(failure, 500, "", "%s", words);
    }
}

/* --- how long a request may take --- */

/* How many digits there are from `at` on. */
static size_t count_digits(kin_str text, size_t at)
{
    size_t n = 0;

    while (at + n < text.len && text.data[at + n] >= '0' && text.data[at + n] <= '9')
        n++;
    return n;
}

/* A number, with a fraction or not, and its unit, which are cut off. NULL, or what is wrong. */
static const char *take_duration(kin_str *rest, kin_str *ret_unit)
{
    static const char *const units[] = {"ns", "us", "\xc2\xb5s", "\xce\xbcs", "ms", "s", "m", "h"};
    size_t i = count_digits(*rest, 0);
    size_t n_digits = i;

    if (i < rest->len && rest->data[i] == '.') {
        n_digits += count_digits(*rest, i + 1);
        i = n_digits + 1;
    }
    if (n_digits == 0)
        return "invalid";
    size_t start = i;
    while (i < rest->len && rest->data[i] != '.' && (rest->data[i] < '0' || rest->data[i] > '9'))
        i++;
    *ret_unit = kin_str_make(rest->data + start, i - start);
    *rest = kin_str_make(rest->data + i, rest->len - i);
    if (ret_unit->len == 0)
        return "missing unit in";
    for (size_t k = 0; k < kin__array_len(units); k++)
        if (kin_str_equal(*ret_unit, kin_str_of(units[k])))
            return NULL;
    return "unknown unit";
}

/* Go's package time has quotes of its own: of bytes, not of characters. */
static void append_time_quoted(kin__cutline *line, kin_str text)
{
    kin__cutline_append(line, kin_str_of("\""));
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.data[i];

        if (c < ' ' || c >= 0x80)
            kin__cutline_appendf(line, "\\x%02x", c);
        else
            kin__cutline_appendf(line, c == '"' || c == '\\' ? "\\%c" : "%c", c);
    }
    kin__cutline_append(line, kin_str_of("\""));
}

/*
 * As time.ParseDuration() reads and refuses it. What it says is not kept: nothing here takes that
 * long.
 */
static bool check_timeout(kin_str text, kin__failure *failure)
{
    char quoted[600];
    char unit_words[300] = "";
    kin__cutline line;
    kin_str rest = text;
    kin_str unit = {NULL, 0};
    const char *problem = NULL;

    if (text.len > 1 && (text.data[0] == '-' || text.data[0] == '+'))
        rest = kin_str_make(text.data + 1, text.len - 1);
    if (text.len == 0 || kin_str_equal(rest, kin_str_of("0")))
        return true;
    while (!problem && rest.len > 0)
        problem = take_duration(&rest, &unit);
    if (!problem)
        return true;
    if (strcmp(problem, "unknown unit") == 0) {
        kin__cutline_init(&line, unit_words, sizeof(unit_words));
        kin__cutline_append(&line, kin_str_of(" "));
        append_time_quoted(&line, unit);
        kin__cutline_append(&line, kin_str_of(" in"));
    }
    kin__cutline_init(&line, quoted, sizeof(quoted));
    append_time_quoted(&line, text);
    return kin__fail_bad_request(
        failure, "invalid timeout specified in the request URL - time: %s%s duration %s", problem,
        unit_words, quoted);
}

/* --- ListOptions --- */

static void check_list(const kin__query_options *o, kin__failure *failure)
{
    static const char *const matches[] = {"Exact", "NotOlderThan", "", NULL};
    const kin_str match_field = kin_str_of("resourceVersionMatch");
    kin_str match = o->resource_version_match;
    bool is_exact = kin_str_equal(match, kin_str_of("Exact"));

    if (match.len > 0) {
        if (o->resource_version.len == 0)
            kin__cause_forbidden(
                failure, match_field,
                "resourceVersionMatch is forbidden unless resourceVersion is provided");
        if (o->continue_token.len > 0)
            kin__cause_forbidden(failure, match_field,
                                 "resourceVersionMatch is forbidden when continue is provided");
        if (!is_exact && !kin_str_equal(match, kin_str_of("NotOlderThan")))
            kin__cause_not_supported(failure, match_field, match, matches);
        if (is_exact && kin_str_equal(o->resource_version, kin_str_of("0")))
            kin__cause_forbidden(
                failure, match_field,
                "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
    }
    if (o->has_send_initial_events)
        kin__cause_forbidden(failure, kin_str_of("sendInitialEvents"),
                             "sendInitialEvents is forbidden for list");
}

static void check_watch(const kin__query_options *o, kin__failure *failure)
{
    static const char *const matches[] = {"NotOlderThan", NULL};
    const kin_str match_field = kin_str_of("resourceVersionMatch");
    kin_str match = o->resource_version_match;
    bool is_not_older = kin_str_equal(match, kin_str_of("NotOlderThan"));

    if (o->has_send_initial_events && !is_not_older)
        kin__cause_forbidden(
            failure, match_field,
            "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (match.len == 0)
        return;
    if (!o->has_send_initial_events)
        kin__cause_forbidden(
            failure, match_field,
            "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
    if (!is_not_older)
        kin__cause_not_supported(failure, match_field, match, matches);
    if (o->continue_token.len > 0)
        kin__cause_forbidden(failure, match_field,
                             "resourceVersionMatch is forbidden when continue is provided");
}

/* A watch from nowhere begins with what is there. */
static void set_list_defaults(kin__query_options *o)
{
    bool is_from_nowhere =
        o->resource_version.len == 0 || kin_str_equal(o->resource_version, kin_str_of("0"));

    if (!o->watch || !is_from_nowhere || o->has_send_initial_events ||
        o->resource_version_match.len > 0)
        return;
    o->send_initial_events = true;
    o->has_send_initial_events = true;
    o->resource_version_match = kin_str_of("NotOlderThan");
}

static bool read_list_options(kin__query_options *o, const struct query *query, bool is_watch,
                              kin__failure *failure)
{
    int64_t limit;

    o->watch = is_watch || flag_of(query, P_WATCH);
    o->allow_bookmarks = flag_of(query, P_ALLOW_BOOKMARKS);
    o->resource_version = query->values[P_RESOURCE_VERSION];
    o->resource_version_match = query->values[P_MATCH];
    o->continue_token = query->values[P_CONTINUE];
    o->has_send_initial_events = query->is_set[P_SEND_INITIAL_EVENTS];
    o->send_initial_events = flag_of(query, P_SEND_INITIAL_EVENTS);
    if (!number_of(query, P_TIMEOUT, &o->timeout_seconds, failure) ||
        !number_of(query, P_LIMIT, &limit, failure))
        return false;
    o->limit = limit > 0 ? (uint64_t)limit : 0;
    if (!kin__label_selector_read(&o->labels, query->values[P_LABEL_SELECTOR], failure) ||
        !kin__field_selector_read(&o->fields, query->values[P_FIELD_SELECTOR], failure))
        return false;
    set_list_defaults(o);
    kin__fail_invalid_kind(failure, "meta.k8s.io", "ListOptions", kin_str_of(""));
    if (o->watch)
        check_watch(o, failure);
    else
        check_list(o, failure);
    if (!kin__fail_if_causes(failure))
        return false;
    if (!o->watch && o->continue_token.len > 0 && o->resource_version.len > 0 &&
        !kin_str_equal(o->resource_version, kin_str_of("0")))
        return kin__fail_bad_request(
            failure, "specifying resource version is not allowed when using continue");
    return true;
}

/* Of a path with "watch/": the name that stands in it is the one that is selected. */
static bool select_name(kin__request_info *info, kin__failure *failure)
{
    const kin_str field = kin_str_of("metadata.name");
    const kin_field_selector *fields = info->options.fields;
    kin_str selected = {NULL, 0};
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (!kin_field_selector_is_empty(fields)) {
        if (kin_field_selector_requires_exact_match(fields, field, &selected) &&
            kin_str_equal(selected, info->name))
            return true;
        return kin__fail_bad_request(failure,
                                     "fieldSelector metadata.name doesn't match requested name");
    }
    const kin_field_requirement wanted = {field, KIN_SELECTOR_EQUALS, info->name};
    code = kin_field_selector_add(&fields, fields, &wanted, 1, &err);
    if (code == KIN_ENOMEM)
        return kin__fail_no_memory(failure);
    if (code < 0)
        return kin__fail_bad_request(failure, "%s", err.message);
    kin_field_selector_unref(info->options.fields);
    info->options.fields = fields;
    return true;
}

/* --- options of writes --- */

static void check_dry_run(const struct query *query, kin__failure *failure)
{
    if (query->has_other_dry_run)
        kin__fail_add_cause(failure, "FieldValueNotSupported", kin_str_of("dryRun"),
                            "Unsupported value: %s: supported values: \"All\"",
                            query->dry_run_words);
}

/*
 * The position of the first character that cannot be printed, and which it is; false: there is
 * none.
 */
static bool find_unprintable(kin_str text, size_t *ret_at, unsigned *ret_code)
{
    size_t len;

    for (size_t i = 0; i < text.len; i += len ? len : 1) {
        const char *p = text.data + i;

        len = kin__utf8_char_len(p, text.len - i);
        if (len == 0 || kin__is_printable(p, len)) /* the real server reads U+FFFD there */
            continue;
        *ret_at = i;
        *ret_code = (unsigned char)p[len - 1];
        return true;
    }
    return false;
}

static void check_field_manager(kin_str manager, kin__failure *failure)
{
    char words[64];
    size_t at;
    unsigned code;

    if (manager.len > 128)
        kin__cause_too_long(failure, kin_str_of("fieldManager"), 128);
    if (!find_unprintable(manager, &at, &code))
        return;
    snprintf(words, sizeof(words), "invalid character U+%04X (at position %zu)", code, at);
    kin__cause_invalid(failure, kin_str_of("fieldManager"), manager, words);
}

static void check_field_validation(kin_str value, kin__failure *failure)
{
    static const char *const words[] = {"", "Ignore", "Strict", "Warn", NULL};

    for (size_t i = 0; words[i]; i++)
        if (kin_str_equal(value, kin_str_of(words[i])))
            return;
    kin__cause_not_supported(failure, kin_str_of("fieldValidation"), value, words);
}

static bool read_write_options(kin__query_options *o, const struct query *query, const char *kind,
                               kin__failure *failure)
{
    o->dry_run = query->has_dry_run;
    o->field_manager = query->values[P_FIELD_MANAGER];
    o->field_validation = query->values[P_FIELD_VALIDATION];
    o->has_force = query->is_set[P_FORCE];
    o->force = flag_of(query, P_FORCE);
    kin__fail_invalid_kind(failure, "meta.k8s.io", kind, kin_str_of(""));
    check_field_manager(o->field_manager, failure);
    check_dry_run(query, failure);
    check_field_validation(o->field_validation, failure);
    return kin__fail_if_causes(failure);
}

bool kin__patch_options_check(const kin__query_options *options, bool is_apply,
                              kin__failure *failure)
{
    kin__fail_invalid_kind(failure, "meta.k8s.io", "PatchOptions", kin_str_of(""));
    if (is_apply && options->field_manager.len == 0)
        kin__cause_required(failure, kin_str_of("fieldManager"), "is required for apply patch");
    if (!is_apply && options->has_force)
        kin__cause_forbidden(failure, kin_str_of("force"),
                             "may not be specified for non-apply patch");
    return kin__fail_if_causes(failure);
}

/* --- DeleteOptions --- */

static bool read_delete_options(kin__query_options *o, const struct query *query,
                                kin__failure *failure)
{
    kin__delete_options *d = &o->deletion;

    d->has_grace_period = query->is_set[P_GRACE_PERIOD];
    if (!number_of(query, P_GRACE_PERIOD, &d->grace_period_seconds, failure))
        return false;
    d->has_orphan_dependents = query->is_set[P_ORPHAN];
    d->orphan_dependents = flag_of(query, P_ORPHAN);
    d->has_propagation_policy = query->is_set[P_PROPAGATION];
    d->propagation_policy = query->values[P_PROPAGATION];
    d->uid = query->values[P_UID];
    d->resource_version = query->values[P_RESOURCE_VERSION];
    d->dry_run = query->has_dry_run;
    kin__fail_invalid_kind(failure, "meta.k8s.io", "DeleteOptions", kin_str_of(""));
    check_dry_run(query, failure);
    return kin__fail_if_causes(failure);
}

bool kin__delete_options_check(const kin__delete_options *options, kin__failure *failure)
{
    static const char *const policies[] = {"Foreground", "Background", "Orphan", "nil", NULL};
    const kin_str policy_field = kin_str_of("propagationPolicy");

    kin__fail_invalid_kind(failure, "meta.k8s.io", "DeleteOptions", kin_str_of(""));
    if (options->has_orphan_dependents && options->has_propagation_policy)
        kin__cause_invalid(failure, policy_field, options->propagation_policy,
                           "orphanDependents and deletionPropagation cannot be both set");
    bool is_known = !options->has_propagation_policy;
    for (size_t i = 0; i < 3; i++)
        is_known |= kin_str_equal(options->propagation_policy, kin_str_of(policies[i]));
    if (!is_known)
        kin__cause_not_supported(failure, policy_field, options->propagation_policy, policies);
    return kin__fail_if_causes(failure);
}

/* A text of a body; *ret_is_set: it is there and not null. False: it is no text. */
static bool take_text(kin_value map, const char *name, kin_str *ret, bool *ret_is_set,
                      kin_scratch *scratch)
{
    kin_value value = kin_value_get(map, kin_str_of(name));
    enum kin_type type = kin_value_type(value);

    *ret_is_set = type != KIN_NONE && type != KIN_NULL;
    return !*ret_is_set || kin_value_string(ret, value, scratch) == 0;
}

static bool is_there(kin_value value)
{
    return kin_value_type(value) != KIN_NONE && kin_value_type(value) != KIN_NULL;
}

static bool take_dry_runs(kin__delete_options *ret, kin_value list, kin__failure *failure)
{
    kin_iter it;

    for (kin_iter_init(&it, list); kin_iter_next(&it);) {
        kin_scratch scratch;
        kin_str text = {NULL, 0};

        kin_value_string(&text, it.value, &scratch);
        if (kin_str_equal(text, kin_str_of("All"))) {
            ret->dry_run = true;
            continue;
        }
        kin__fail_invalid_kind(failure, "meta.k8s.io", "DeleteOptions", kin_str_of(""));
        kin__fail_add_cause(failure, "FieldValueNotSupported", kin_str_of("dryRun"),
                            "Unsupported value: [\"%" KIN_STR_FMT "\"]: supported values: \"All\"",
                            KIN_STR_ARG(text));
        return false;
    }
    return true;
}

/* Options without a kind are taken for what they must be. */
static bool check_options_kind(const kin_object *body, kin__failure *failure)
{
    kin_scratch scratch[2];
    kin_str kind = kin_object_kind(body, &scratch[0]);
    kin_str api_version = kin_object_api_version(body, &scratch[1]);

    if (kind.len == 0 || kin_str_equal(kind, kin_str_of("DeleteOptions")))
        return true;
    return kin__fail_bad_request(failure,
                                 "no kind \"%" KIN_STR_FMT
                                 "\" is registered for version \"%" KIN_STR_FMT
                                 "\" in scheme \"pkg/runtime/scheme.go:111\"",
                                 KIN_STR_ARG(kind), KIN_STR_ARG(api_version));
}

bool kin__delete_options_read(kin__delete_options *ret, const kin_object *body,
                              kin_scratch *scratch, kin__failure *failure)
{
    kin__delete_options d = {.has_grace_period = false};
    kin_value root = kin_object_root(body);
    kin_value grace = kin_value_get(root, kin_str_of("gracePeriodSeconds"));
    kin_value orphan = kin_value_get(root, kin_str_of("orphanDependents"));
    kin_value preconditions = kin_value_get(root, kin_str_of("preconditions"));
    bool is_set;

    if (!check_options_kind(body, failure))
        return false;
    d.has_grace_period = is_there(grace);
    d.has_orphan_dependents = is_there(orphan);
    if ((d.has_grace_period && kin_value_int64(&d.grace_period_seconds, grace) < 0) ||
        (d.has_orphan_dependents && kin_value_bool(&d.orphan_dependents, orphan) < 0) ||
        !take_text(root, "propagationPolicy", &d.propagation_policy, &d.has_propagation_policy,
                   &scratch[0]) ||
        !take_text(preconditions, "uid", &d.uid, &is_set, &scratch[1]) ||
        !take_text(preconditions, "resourceVersion", &d.resource_version, &is_set, &scratch[2]))
        return kin__fail_bad_request(failure, "the DeleteOptions have a member of a wrong type");
    if (!take_dry_runs(&d, kin_value_get(root, kin_str_of("dryRun")), failure))
        return false;
    *ret = d;
    return true;
}

/* --- all --- */

/* What a request without a name does. */
static enum kin__verb verb_without_name(enum kin__verb verb, const struct query *query)
{
    if (verb == KIN__VERB_GET)
        return flag_of(query, P_WATCH) ? KIN__VERB_WATCH : KIN__VERB_LIST;
    return verb == KIN__VERB_DELETE ? KIN__VERB_DELETE_COLLECTION : verb;
}

bool kin__query_read(kin__request_info *info, const kin__request *request, char *room,
                     kin__failure *failure)
{
    kin__query_options *o = &info->options;
    struct query query;

    read_pairs(&query, request->query, room);
    o->pretty = wants_pretty(&query, request->user_agent);
    if (info->is_resource && info->name.len == 0)
        info->verb = verb_without_name(info->verb, &query);
    if (info->verb != KIN__VERB_WATCH && !check_timeout(query.values[P_REQUEST_TIMEOUT], failure))
        return false;
    if (!info->is_resource)
        return true;
    switch (info->verb) {
    case KIN__VERB_GET:
        o->resource_version = query.values[P_RESOURCE_VERSION];
        return true;
    case KIN__VERB_LIST:
    case KIN__VERB_WATCH:
        return read_list_options(o, &query, info->is_watch_path, failure) &&
               (info->name.len == 0 || select_name(info, failure));
    case KIN__VERB_CREATE:
        return read_write_options(o, &query, "CreateOptions", failure);
    case KIN__VERB_UPDATE:
        return read_write_options(o, &query, "UpdateOptions", failure);
    case KIN__VERB_PATCH:
        return read_write_options(o, &query, "PatchOptions", failure);
    case KIN__VERB_DELETE:
        return request->body.len > 0 || read_delete_options(o, &query, failure);
    case KIN__VERB_DELETE_COLLECTION:
        return read_list_options(o, &query, false, failure) &&
               (request->body.len > 0 || read_delete_options(o, &query, failure));
    case KIN__VERB_OTHER:
        break;
    }
    return true;
}
