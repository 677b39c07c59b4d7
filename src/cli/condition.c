/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/condition.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "cli/base/report.h"
#include "cli/jsonpath/jsonpath.h"
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
    char *doubt; /* OWNED; NULL: none */
    bool has_regex;
    regex_t regex;
};

#define OPERATORS "==, !=, <, <=, >, >= or =~"

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

/* What looks like an operator behind the operator is no value that anybody means. */
static int check_value(const char *op, kin_str value, kin_error *err)
{
    const char *instead = NULL;

    if (value.len == 0 || !strchr("=<>", value.data[0]))
        return 0;
    if (strcmp(op, "=") == 0)
        instead = value.data[0] == '>' ? ">=" : "<=";
    else if (strcmp(op, "<") == 0 && value.data[0] == '>')
        instead = "!=";
    if (instead)
        return kin_error_set(err, KIN_EPARSE, "there is no %s%c, write %s", op, value.data[0],
                             instead);
    return kin_error_set(err, KIN_EPARSE,
                         "there is no %s%c; a value that begins with %c stands in quotes", op,
                         value.data[0], value.data[0]);
}

static int parse_right(struct condition *c, const char *text, kin_error *err)
{
    for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
        size_t len = strlen(operators[i].text);

        if (strncmp(text, operators[i].text, len) == 0) {
            kin_str value = trimmed(kin_str_of(text + len));

            c->op = operators[i].op;
            c->value = memory_copy(without_quotes(value));
            return c->op == MATCHES ? 0 : check_value(operators[i].text, value, err);
        }
    }
    return kin_error_set(err, KIN_EPARSE, "compare with " OPERATORS);
}

/*
 * Paths of templates may have nearly every character in the names of fields, so that an operator of another language,
 * .a~=b or .a:b, is a part of the path here, and the condition holds for no object. No field of Kubernetes has such a
 * name; one that has can be written in brackets.
 */
static char *find_doubt(const char *text, size_t len)
{
    struct text doubt = TEXT_INIT;
    size_t depth = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\\')
            i++;
        else if (text[i] == '[')
            depth++;
        else if (text[i] == ']' && depth > 0)
            depth--;
        else if (depth == 0 && (strchr("~^%:|&+,;?", text[i]) ||
                                (i > 0 && strchr("*$@", text[i]) && !strchr(".{", text[i - 1])))) {
            text_format(&doubt,
                        "there is no operator %.*s, so %.*s is a path; compare with " OPERATORS
                        ", or put such a name in brackets",
                        (int)(1 + strspn(text + i + 1, "~^%:|&+*$@=")), text + i, (int)len, text);
            break;
        }
    }
    return doubt.data;
}

/* The path was not one. A word between two others is meant as an operator. */
static int explain_path(kin_str path, kin_error *err)
{
    for (size_t i = 0; i + 1 < path.len; i++) {
        if (path.data[i] == '[' || path.data[i] == '{')
            break;
        if (path.data[i] == ' ')
            return kin_error_set(err, KIN_EPARSE, "%s; compare with " OPERATORS, err->message);
    }
    return KIN_EPARSE;
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

/* Conditions of other languages: what to write instead. */
static int check_language(const char *text, kin_error *err)
{
    kin_str whole = trimmed(kin_str_of(text));
    char quote = '\0';

    if (whole.len > 1 && whole.data[0] == '!')
        return kin_error_set(err, KIN_EPARSE,
                             "there is no ! before a path, write %" KIN_STR_FMT "!=true",
                             KIN_STR_ARG(trimmed(kin_str_make(whole.data + 1, whole.len - 1))));
    for (size_t i = 0; i + 1 < whole.len; i++) {
        char c = whole.data[i];

        if (quote)
            quote = (char)(c == quote ? '\0' : quote);
        else if (c == '"' || c == '\'')
            quote = c;
        else if (c == '&' && whole.data[i + 1] == '&')
            return kin_error_set(err, KIN_EPARSE,
                                 "there is no &&, give --where once for each condition");
        else if (c == '|' && whole.data[i + 1] == '|')
            return kin_error_set(err, KIN_EPARSE,
                                 "there is no ||; of several values one is =~'^(a|b)$'");
    }
    return 0;
}

int condition_parse(struct condition **ret, const char *text, kin_error *err)
{
    struct condition *c = memory_zeroed(1, sizeof(*c));
    size_t at = find_operator(text);
    int code = check_language(text, err);

    kin_str path = trimmed(kin_str_make(text, at));
    if (code == 0 && jsonpath_parse_relaxed(&c->path, path, err) < 0)
        code = explain_path(path, err);
    if (code == 0 && text[at])
        code = parse_right(c, text + at, err);
    if (code == 0 && c->op == MATCHES)
        code = compile_regex(c, err);
    if (code < 0) {
        condition_free(c);
        return kin_error_set(err, KIN_EPARSE, "the condition %s: %s", text, err->message);
    }
    c->doubt = find_doubt(path.data, path.len);
    *ret = c;
    return 0;
}

void condition_warn(const struct condition *c, const char *option, const char *text)
{
    if (c->doubt)
        tell("Warning: %s %s: %s", option, text, c->doubt);
}

void condition_free(struct condition *c)
{
    if (!c)
        return;
    if (c->has_regex)
        regfree(&c->regex);
    jsonpath_free(c->path);
    free(c->value);
    free(c->doubt);
    free(c);
}

const struct jsonpath *condition_path(const struct condition *c)
{
    return c->path;
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

/* A map or an array with nothing in it. */
static bool is_empty(const struct jsonpath_value *v)
{
    enum kin_type type = v->type == JSONPATH_VALUE ? kin_value_type(v->value) : KIN_NONE;

    return (type == KIN_MAP || type == KIN_ARRAY) && kin_value_len(v->value) == 0;
}

bool condition_holds(const struct condition *c, const kin_object *object)
{
    const struct jsonpath_data data = {object, NULL, 0};
    struct jsonpath_values values = JSONPATH_VALUES_INIT;
    bool negated = c->op == NOT_EQUAL;
    struct condition positive = *c;
    bool found = false;

    (void)jsonpath_find(c->path, &values, &data,
                        NULL); /* an index beyond an array: nothing there */
    positive.op = negated ? EQUAL : c->op;
    for (size_t i = 0; i < values.len && !found; i++) {
        struct text value = TEXT_INIT;

        if (c->op == IS_TRUE && is_empty(&values.items[i]))
            continue;
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

void conditions_warn(const struct conditions *conditions, const struct option_texts *texts)
{
    for (size_t i = 0; i < conditions->len; i++)
        condition_warn(conditions->items[i], "--where", texts->items[i]);
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
