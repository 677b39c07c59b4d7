/* SPDX-License-Identifier: Apache-2.0 */
#include "apiserver/faults/fault_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "apiserver/protocol/target.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/options.h"
#include "object/json.h"
#include "object/number.h"

static const struct {
    kin_fault_type type;
    enum kin__fault_sort sort;
    const char *name;
} types[] = {
    {KIN_FAULT_DELAY, KIN__FAULT_OF_REQUEST, "Delay"},
    {KIN_FAULT_STATUS, KIN__FAULT_OF_REQUEST, "Status"},
    {KIN_FAULT_REFUSE, KIN__FAULT_OF_CONNECTION, "Refuse"},
    {KIN_FAULT_RESET, KIN__FAULT_OF_REQUEST, "Reset"},
    {KIN_FAULT_STALL, KIN__FAULT_OF_REQUEST, "Stall"},
    {KIN_FAULT_DRIP, KIN__FAULT_OF_REQUEST, "Drip"},
    {KIN_FAULT_TRUNCATE, KIN__FAULT_OF_REQUEST, "Truncate"},
    {KIN_FAULT_GARBAGE, KIN__FAULT_OF_REQUEST, "Garbage"},
    {KIN_FAULT_OVERSIZE, KIN__FAULT_OF_REQUEST, "Oversize"},
    {KIN_FAULT_WATCH_ERROR, KIN__FAULT_OF_WATCH, "WatchError"},
    {KIN_FAULT_WATCH_DROP, KIN__FAULT_OF_WATCH, "WatchDrop"},
    {KIN_FAULT_WATCH_DUPLICATE, KIN__FAULT_OF_WATCH, "WatchDuplicate"},
    {KIN_FAULT_WATCH_REORDER, KIN__FAULT_OF_WATCH, "WatchReorder"},
    {KIN_FAULT_WATCH_NO_BOOKMARKS, KIN__FAULT_OF_WATCH, "WatchNoBookmarks"},
    {KIN_FAULT_WATCH_NO_INITIAL_END, KIN__FAULT_OF_WATCH, "WatchNoInitialEnd"},
    {KIN_FAULT_WATCH_END, KIN__FAULT_OF_WATCH, "WatchEnd"},
    {KIN_FAULT_OVERSIZE_OBJECT, KIN__FAULT_OF_REQUEST, "OversizeObject"},
    {KIN_FAULT_WATCH_OVERSIZE, KIN__FAULT_OF_WATCH, "WatchOversize"},
};

/* NULL: there is no such type. */
static const char *name_of(kin_fault_type type)
{
    for (size_t i = 0; i < kin__array_len(types); i++) {
        if (types[i].type == type)
            return types[i].name;
    }
    return NULL;
}

enum kin__fault_sort kin__fault_sort_of(kin_fault_type type)
{
    for (size_t i = 0; i < kin__array_len(types); i++) {
        if (types[i].type == type)
            return types[i].sort;
    }
    return KIN__FAULT_OF_REQUEST;
}

static int check_fault(const kin_fault *fault, kin_error *err)
{
    const char *name = name_of(fault->type);

    if (!name)
        return kin_error_set(err, KIN_EINVAL, "there is no type %d of faults", (int)fault->type);
    if (!(fault->probability >= 0 && fault->probability <= 1))
        return kin_error_set(err, KIN_EINVAL, "a probability is between 0 and 1");
    if (fault->delay_ms < 0 || fault->interval_ms < 0 || fault->retry_after_s < 0)
        return kin_error_set(err, KIN_EINVAL, "a time is negative");
    if (fault->status != 0 && (fault->status < 200 || fault->status > 599))
        return kin_error_set(err, KIN_EINVAL, "%d is no status of an answer", fault->status);
    if (fault->delay_ms > 0 && kin__fault_sort_of(fault->type) != KIN__FAULT_OF_REQUEST)
        return kin_error_set(err, KIN_EINVAL, "%s: only what requests meet can be delayed", name);
    if (fault->type == KIN_FAULT_DRIP && fault->bytes == 0)
        return kin_error_set(err, KIN_EINVAL, "Drip needs bytes");
    if (fault->verb && !kin__target_has_verb(fault->verb))
        return kin_error_set(
            err, KIN_EINVAL, "verb: no request is a %.64s; it is one of %s", fault->verb,
            "get, list, watch, create, update, patch, delete, deletecollection, post, put");
    return 0;
}

static int copy_text(const char **text, kin_error *err)
{
    if (!*text)
        return 0;
    *text = kin__memdup_str(kin_str_of(*text));
    return *text ? 0 : kin__error_no_memory(err);
}

static int copy_texts(kin_fault *fault, kin_error *err)
{
    kin_fault given = *fault;

    fault->verb = fault->path = fault->body = NULL;
    fault->verb = given.verb;
    int code = copy_text(&fault->verb, err);
    if (code == 0) {
        fault->path = given.path;
        code = copy_text(&fault->path, err);
    }
    if (code == 0) {
        fault->body = given.body;
        code = copy_text(&fault->body, err);
    }
    return code;
}

static bool is_oversize(kin_fault_type type)
{
    return type == KIN_FAULT_OVERSIZE || type == KIN_FAULT_OVERSIZE_OBJECT ||
           type == KIN_FAULT_WATCH_OVERSIZE;
}

static void set_defaults(kin_fault *fault)
{
    if (fault->times == 0)
        fault->times = 1;
    if (fault->probability == 0)
        fault->probability = 1;
    if (fault->interval_ms == 0)
        fault->interval_ms = 100;
    if (fault->status == 0)
        fault->status = fault->type == KIN_FAULT_WATCH_ERROR ? 410 : 500;
    if (is_oversize(fault->type) && fault->bytes == 0)
        fault->bytes = UINT64_C(16) << 20;
}

int kin__fault_rule_new(kin__fault_rule **ret, const kin_fault *fault, uint64_t id, uint64_t seed,
                        kin_error *err)
{
    kin_fault all = KIN_FAULT_INIT(KIN_FAULT_DELAY);
    int code = fault ? kin__options_take(&all, sizeof(all), fault, "KIN_FAULT_INIT", err)
                     : kin__error_null(err, "fault");

    if (code == 0)
        code = check_fault(&all, err);
    if (code < 0)
        return code;
    kin__fault_rule *rule = kin__calloc(1, sizeof(*rule));
    if (!rule)
        return kin__error_no_memory(err);
    all.size = sizeof(all);
    set_defaults(&all);
    rule->fault = all;
    rule->id = id;
    rule->random[0] = kin__hash(seed, &id, sizeof(id));
    rule->random[1] = seed ^ UINT64_C(0x9e3779b97f4a7c15);
    kin__list_init(&rule->link);
    code = copy_texts(&rule->fault, err);
    if (code < 0) {
        kin__fault_rule_free(rule);
        return code;
    }
    *ret = rule;
    return 0;
}

void kin__fault_rule_free(kin__fault_rule *rule)
{
    if (!rule)
        return;
    kin__free(kin__unconst(rule->fault.verb));
    kin__free(kin__unconst(rule->fault.path));
    kin__free(kin__unconst(rule->fault.body));
    kin__free(rule);
}

bool kin__fault_rule_matches(const kin__fault_rule *rule, const char *verb, kin_str path)
{
    if (rule->fault.verb && strcmp(verb, rule->fault.verb) != 0)
        return false;
    return !rule->fault.path || kin__glob_match(kin_str_of(rule->fault.path), path);
}

bool kin__fault_rule_is_used_up(const kin__fault_rule *rule)
{
    return rule->fault.times != KIN_FAULT_ALWAYS && rule->hits >= rule->fault.times;
}

/* A number in [0, 1). */
static double next_random(kin__fault_rule *rule)
{
    /* The counter makes the period, the hash the randomness. */
    rule->random[1]++;
    uint64_t bits = kin__hash(rule->random[0], &rule->random[1], sizeof(rule->random[1]));

    return (double)(bits >> 11) / 9007199254740992.0;
}

bool kin__fault_rule_applies(kin__fault_rule *rule)
{
    if (kin__fault_rule_is_used_up(rule))
        return false;
    if (rule->spared < rule->fault.skip) {
        rule->spared++;
        return false;
    }
    if (rule->fault.probability < 1 && next_random(rule) >= rule->fault.probability)
        return false;
    rule->hits++;
    return true;
}

void kin__fault_fail(const kin_fault *fault, kin__failure *failure)
{
    static const struct {
        int status;
        const char *reason;
        const char *message;
    } known[] = {
        {400, "BadRequest", "the server rejected our request for an unknown reason"},
        {401, "Unauthorized", "Unauthorized"},
        {403, "Forbidden", "forbidden"},
        {404, "NotFound", "the server could not find the requested resource"},
        {409, "Conflict", "the server reported a conflict"},
        {410, "Expired", "The resourceVersion for the provided watch is too old."},
        {429, "TooManyRequests", "Too many requests, please try again later."},
        {500, "InternalError", "Internal error occurred: a fault on purpose"},
        {503, "ServiceUnavailable", "the server is currently unable to handle the request"},
        {504, "Timeout", "the server was unable to return a response in the time allotted"},
    };
    size_t i = 0;

    while (i < kin__array_len(known) && known[i].status != fault->status)
        i++;
    if (i < kin__array_len(known))
        kin__fail(failure, fault->status, known[i].reason, "%s", known[i].message);
    else
        kin__fail(failure, fault->status, "Unknown", "a fault on purpose");
    failure->retry_after_s = fault->retry_after_s;
}

static void write_text(kin__buf *out, const char *name, const char *text)
{
    if (!text)
        return;
    kin__buf_appendf(out, ",\"%s\":", name);
    kin__json_write_string(out, kin_str_of(text));
}

static void write_number(kin__buf *out, const char *name, uint64_t number)
{
    if (number != 0)
        kin__buf_appendf(out, ",\"%s\":%" PRIu64, name, number);
}

/* So that it is the same when it is read again. */
static void write_fraction(kin__buf *out, const char *name, double fraction)
{
    char text[KIN__NUMBER_DOUBLE_SIZE];

    (void)kin__number_format_double(text, sizeof(text), fraction);
    kin__buf_appendf(out, ",\"%s\":%s", name, text);
}

void kin__fault_rule_write(const kin__fault_rule *rule, kin__buf *out)
{
    const kin_fault *fault = &rule->fault;

    kin__buf_appendf(out, "{\"id\":%" PRIu64 ",\"type\":\"%s\",\"hits\":%" PRIu64, rule->id,
                     name_of(fault->type), rule->hits);
    write_text(out, "verb", fault->verb);
    write_text(out, "path", fault->path);
    if (fault->times == KIN_FAULT_ALWAYS)
        kin__buf_append(out, kin_str_of(",\"always\":true"));
    else
        write_number(out, "times", fault->times);
    write_number(out, "skip", fault->skip);
    if (fault->probability < 1)
        write_fraction(out, "probability", fault->probability);
    write_number(out, "delayMilliseconds", (uint64_t)fault->delay_ms);
    write_number(out, "intervalMilliseconds", (uint64_t)fault->interval_ms);
    write_number(out, "bytes", fault->bytes);
    write_number(out, "status", (uint64_t)fault->status);
    write_number(out, "retryAfterSeconds", (uint64_t)fault->retry_after_s);
    write_text(out, "body", fault->body);
    kin__buf_append_char(out, '}');
}

/* --- from JSON --- */

struct reading {
    kin_value rule;
    kin_error *err;
    int code; /* the first failure sticks */
};

static bool is_absent(const struct reading *reading, kin_value value)
{
    return reading->code < 0 || kin_value_type(value) == KIN_NONE;
}

static uint64_t read_number(struct reading *reading, const char *name, uint64_t max)
{
    kin_value value = kin_value_get(reading->rule, kin_str_of(name));
    int64_t number = 0;

    if (is_absent(reading, value))
        return 0;
    if (kin_value_int64(&number, value) < 0 || number < 0 || (uint64_t)number > max)
        reading->code =
            kin_error_set(reading->err, KIN_EINVAL, "%s: not a number up to %" PRIu64, name, max);
    return (uint64_t)number;
}

static double read_fraction(struct reading *reading, const char *name)
{
    kin_value value = kin_value_get(reading->rule, kin_str_of(name));
    double number = 0;

    if (!is_absent(reading, value) && kin_value_double(&number, value) < 0)
        reading->code = kin_error_set(reading->err, KIN_EINVAL, "%s: not a number", name);
    return number;
}

static bool read_bool(struct reading *reading, const char *name)
{
    kin_value value = kin_value_get(reading->rule, kin_str_of(name));
    bool flag = false;

    if (!is_absent(reading, value) && kin_value_bool(&flag, value) < 0)
        reading->code = kin_error_set(reading->err, KIN_EINVAL, "%s: not true or false", name);
    return flag;
}

/* OWNED; NULL: it is not there, or a failure. */
static char *read_text(struct reading *reading, const char *name)
{
    kin_value value = kin_value_get(reading->rule, kin_str_of(name));
    kin_scratch scratch;
    kin_str text;

    if (is_absent(reading, value))
        return NULL;
    if (kin_value_string(&text, value, &scratch) < 0) {
        reading->code = kin_error_set(reading->err, KIN_EINVAL, "%s: not a string", name);
        return NULL;
    }
    char *copy = kin__memdup_str(text);
    if (!copy)
        reading->code = kin__error_no_memory(reading->err);
    return copy;
}

/* What was meant and misspelled would go wrong in silence: a rule for all requests instead of some. */
static void check_members(struct reading *reading)
{
    static const char *const names[] = {"type",
                                        "verb",
                                        "path",
                                        "times",
                                        "always",
                                        "skip",
                                        "probability",
                                        "delayMilliseconds",
                                        "intervalMilliseconds",
                                        "status",
                                        "body",
                                        "bytes",
                                        "retryAfterSeconds",
                                        "id",
                                        "hits"};
    kin_iter it;

    kin_iter_init(&it, reading->rule);
    while (reading->code == 0 && kin_iter_next(&it)) {
        size_t i = 0;

        while (i < kin__array_len(names) && !kin_str_equal(kin_str_of(names[i]), it.key))
            i++;
        if (i == kin__array_len(names))
            reading->code = kin_error_set(
                reading->err, KIN_EINVAL,
                "%.*s: a rule has type, verb, path, times, always, skip, probability, delayMilliseconds, "
                "intervalMilliseconds, bytes, status, retryAfterSeconds and body only",
                (int)(it.key.len < 64 ? it.key.len : 64), it.key.data);
    }
}

static int fail_type(const char *name, kin_error *err)
{
    char known[320] = "";
    size_t len = 0;

    for (size_t i = 0; i < kin__array_len(types); i++)
        len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i > 0 ? ", " : "",
                                types[i].name);
    if (!name)
        return kin_error_set(err, KIN_EINVAL, "a rule needs a type: %s", known);
    return kin_error_set(err, KIN_EINVAL, "type: there is no fault %.64s; there are %s", name,
                         known);
}

static void read_type(struct reading *reading, kin_fault *fault)
{
    char *name = read_text(reading, "type");

    for (size_t i = 0; name && i < kin__array_len(types); i++) {
        if (strcmp(types[i].name, name) == 0)
            fault->type = types[i].type;
    }
    if (reading->code == 0 && fault->type == 0)
        reading->code = fail_type(name, reading->err);
    kin__free(name);
}

int kin__faults_add_json(kin__faults *faults, kin_value rule, uint64_t *ret_id, kin_error *err)
{
    struct reading reading = {.rule = rule, .err = err};
    kin_fault fault = KIN_FAULT_INIT((kin_fault_type)0);

    if (kin_value_type(rule) != KIN_MAP)
        return kin_error_set(err, KIN_EINVAL, "a fault is an object");
    check_members(&reading);
    read_type(&reading, &fault);
    char *verb = read_text(&reading, "verb");
    char *path = read_text(&reading, "path");
    char *body = read_text(&reading, "body");
    fault.verb = verb;
    fault.path = path;
    fault.body = body;
    fault.times = (uint32_t)read_number(&reading, "times", KIN_FAULT_ALWAYS - 1);
    if (read_bool(&reading, "always"))
        fault.times = KIN_FAULT_ALWAYS;
    fault.skip = (uint32_t)read_number(&reading, "skip", UINT32_MAX);
    fault.probability = read_fraction(&reading, "probability");
    fault.delay_ms = (int64_t)read_number(&reading, "delayMilliseconds", INT64_MAX);
    fault.interval_ms = (int64_t)read_number(&reading, "intervalMilliseconds", INT64_MAX);
    fault.bytes = read_number(&reading, "bytes", INT64_MAX);
    fault.status = (int)read_number(&reading, "status", 599);
    fault.retry_after_s = (int)read_number(&reading, "retryAfterSeconds", INT32_MAX);
    if (reading.code == 0)
        reading.code = kin__faults_add(faults, &fault, ret_id, err);
    kin__free(verb);
    kin__free(path);
    kin__free(body);
    return reading.code;
}
