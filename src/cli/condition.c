/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/condition.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath.h"
#include "kinform/quantity.h"

enum comparison {
    IS_TRUE,
    EQUAL,
    NOT_EQUAL,
    LESS,
    LESS_EQUAL,
    GREATER,
    GREATER_EQUAL,
    MATCHES,
};

struct condition {
    struct jsonpath *path;
    enum comparison op;
    char *value;
    bool has_regex;
    regex_t regex;
};

/* The longer ones first. */
static const struct {
    const char *text;
    enum comparison op;
} operators[] = {
    {"==", EQUAL},         {"!=", NOT_EQUAL}, {"=~", MATCHES}, {"<=", LESS_EQUAL},
    {">=", GREATER_EQUAL}, {"<", LESS},       {">", GREATER},  {"=", EQUAL},
};

/* Where the operator begins: outside of brackets, in which a filter may have its own. */
static size_t find_operator(const char *text)
{
    size_t depth = 0;
    size_t i = 0;

    for (; text[i]; i++) {
        if (text[i] == '\\' && text[i + 1])
            i++;
        else if (text[i] == '[')
            depth++;
        else if (text[i] == ']' && depth > 0)
            depth--;
        else if (depth == 0 && strchr("=!<>", text[i]))
            break;
    }
    return i;
}

static kin_str trimmed(kin_str s)
{
    while (s.len > 0 && strchr(" \t", s.data[0]))
        s = kin_str_make(s.data + 1, s.len - 1);
    while (s.len > 0 && strchr(" \t", s.data[s.len - 1]))
        s.len--;
    return s;
}

static kin_str without_quotes(kin_str s)
{
    bool quoted =
        s.len >= 2 && (s.data[0] == '"' || s.data[0] == '\'') && s.data[s.len - 1] == s.data[0];

    return quoted ? kin_str_make(s.data + 1, s.len - 2) : s;
}

static int parse_right(struct condition *c, const char *text, kin_error *err)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        size_t len = strlen(operators[i].text);

        if (strncmp(text, operators[i].text, len) == 0) {
            c->op = operators[i].op;
            c->value = memory_copy(without_quotes(trimmed(kin_str_of(text + len))));
            return 0;
        }
    }
    return kin_error_set(err, KIN_EPARSE, "compare with ==, !=, <, <=, >, >= or =~");
}

static int compile_regex(struct condition *c, kin_error *err)
{
    int code = regcomp(&c->regex, c->value, REG_EXTENDED | REG_NOSUB);
    char message[200];

    c->has_regex = code == 0;
    if (code == 0)
        return 0;
    regerror(code, &c->regex, message, sizeof(message));
    return kin_error_set(err, KIN_EPARSE, "%s: %s", c->value, message);
}

int condition_parse(struct condition **ret, const char *text, kin_error *err)
{
    struct condition *c = memory_zeroed(1, sizeof(*c));
    size_t at = find_operator(text);
    int code = jsonpath_parse_relaxed(&c->path, trimmed(kin_str_make(text, at)), err);

    if (code == 0 && text[at])
        code = parse_right(c, text + at, err);
    if (code == 0 && c->op == MATCHES)
        code = compile_regex(c, err);
    if (code < 0) {
        condition_free(c);
        return kin_error_set(err, KIN_EPARSE, "the condition %s: %s", text, err->message);
    }
    *ret = c;
    return 0;
}

void condition_free(struct condition *c)
{
    if (!c)
        return;
    if (c->has_regex)
        regfree(&c->regex);
    jsonpath_free(c->path);
    free(c->value);
    free(c);
}

/* -1, 0, 1: as numbers or quantities if both are, else as text. */
static int compare(const char *a, const char *b)
{
    kin_quantity left;
    kin_quantity right;

    if (kin_quantity_parse(&left, kin_str_of(a), NULL) == 0 &&
        kin_quantity_parse(&right, kin_str_of(b), NULL) == 0)
        return kin_quantity_compare(left, right);
    return strcmp(a, b);
}

/* The operator is not NOT_EQUAL. */
static bool holds_for(const struct condition *c, const char *value)
{
    switch (c->op) {
    case EQUAL:
        return strcmp(value, c->value) == 0 || compare(value, c->value) == 0;
    case LESS:
        return compare(value, c->value) < 0;
    case LESS_EQUAL:
        return compare(value, c->value) <= 0;
    case GREATER:
        return compare(value, c->value) > 0;
    case GREATER_EQUAL:
        return compare(value, c->value) >= 0;
    case MATCHES:
        return regexec(&c->regex, value, 0, NULL, 0) == 0;
    default:
        return strcmp(value, "") != 0 && strcmp(value, "null") != 0 && strcmp(value, "false") != 0;
    }
}

bool condition_holds(const struct condition *c, const kin_object *object)
{
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    bool negated = c->op == NOT_EQUAL;
    struct condition positive = *c;
    bool found = false;

    if (jsonpath_find(c->path, &values, &data, NULL) < 0)
        return false;
    positive.op = negated ? EQUAL : c->op;
    for (size_t i = 0; i < values.len && !found; i++) {
        struct text value = TEXT_INIT;

        jsonpath_value_print(&value, &values.items[i]);
        found = holds_for(&positive, text_string(&value));
        text_done(&value);
    }
    jsonpath_values_done(&values);
    return found != negated;
}

int conditions_parse(struct conditions *ret, const struct option_texts *texts, kin_error *err)
{
    int code = 0;

    ret->items = memory_zeroed(texts->len, sizeof(*ret->items));
    for (ret->len = 0; ret->len < texts->len && code == 0; ret->len += code == 0)
        code = condition_parse(&ret->items[ret->len], texts->items[ret->len], err);
    return code;
}

void conditions_done(struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->len; i++)
        condition_free(conditions->items[i]);
    free(conditions->items);
    *conditions = (struct conditions){NULL, 0};
}

bool conditions_hold(const struct conditions *conditions, const kin_object *object)
{
    for (size_t i = 0; i < conditions->len; i++) {
        if (!condition_holds(conditions->items[i], object))
            return false;
    }
    return true;
}
