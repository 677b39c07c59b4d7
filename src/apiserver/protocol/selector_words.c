/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a selector is refused, in apimachinery's words. kinform's own parsers tell it differently,
 * and exactly; but people and tests look for the words of the real server. So a text that was
 * refused is read once more, as apimachinery reads it, up to the place at which that stops.
 *
 * Nothing is allocated. Values of one requirement are kept up to a number, to be told by their
 * place in the order in which apimachinery has them.
 */
#include <stdio.h>

#include "apiserver/kinds/names.h"
#include "apiserver/protocol/selector.h"
#include "base/str.h"

/* --- labels --- */

enum token {
    END,
    WORD,
    IN,
    NOT_IN,
    COMMA,
    OPEN,
    CLOSE,
    NOT,
    EQUALS,
    DOUBLE_EQUALS,
    NOT_EQUALS,
    MORE,
    LESS
};

#define VALUES_MAX 64

struct reader {
    kin_str rest;
    enum token token; /* that comes next */
    kin_str literal;
    kin__cutline *line;         /* what is wrong */
    kin_str values[VALUES_MAX]; /* of the requirement: sorted, each once */
    size_t n_values;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_special(char c)
{
    return c != '\0' && strchr("=!(),><", c) != NULL;
}

static kin_str take(kin_str *rest, size_t n)
{
    kin_str head = kin_str_make(rest->data, n);

    *rest = kin_str_make(rest->data + n, rest->len - n);
    return head;
}

static enum token special_token(kin_str literal)
{
    if (literal.len == 2)
        return literal.data[0] == '=' ? DOUBLE_EQUALS : NOT_EQUALS;
    switch (literal.data[0]) {
    case '=':
        return EQUALS;
    case '!':
        return NOT;
    case '(':
        return OPEN;
    case ')':
        return CLOSE;
    case ',':
        return COMMA;
    case '>':
        return MORE;
    default:
        return LESS;
    }
}

static enum token word_token(kin_str literal)
{
    if (kin_str_equal(literal, kin_str_of("in")))
        return IN;
    return kin_str_equal(literal, kin_str_of("notin")) ? NOT_IN : WORD;
}

/* Looks at the next token. */
static void advance(struct reader *r)
{
    kin_str *rest = &r->rest;
    size_t n = 0;

    while (rest->len > 0 && is_space(rest->data[0]))
        take(rest, 1);
    if (rest->len == 0) {
        r->token = END;
        r->literal = kin_str_of("");
        return;
    }
    if (is_special(rest->data[0])) {
        bool is_double =
            rest->len > 1 && rest->data[1] == '=' && (rest->data[0] == '=' || rest->data[0] == '!');

        r->literal = take(rest, is_double ? 2 : 1);
        r->token = special_token(r->literal);
        return;
    }
    while (n < rest->len && !is_space(rest->data[n]) && !is_special(rest->data[n]))
        n++;
    r->literal = take(rest, n);
    r->token = word_token(r->literal);
}

/* Where a key or a value is expected the two operators are words. */
static bool at_word(const struct reader *r)
{
    return r->token == WORD || r->token == IN || r->token == NOT_IN;
}

static bool expected(struct reader *r, const char *what)
{
    kin__cutline_appendf(r->line, "found '%" KIN_STR_FMT "', expected: %s", KIN_STR_ARG(r->literal),
                         what);
    return false;
}

static void keep_value(struct reader *r, kin_str value)
{
    size_t i = 0;

    while (i < r->n_values && kin__str_compare(r->values[i], value) < 0)
        i++;
    if (r->n_values == VALUES_MAX || (i < r->n_values && kin_str_equal(r->values[i], value)))
        return;
    memmove(&r->values[i + 1], &r->values[i], (r->n_values - i) * sizeof(r->values[0]));
    r->values[i] = value;
    r->n_values++;
}

/* "Invalid value: "x": this; that" */
static void append_invalid(kin__cutline *line, kin_str value, const kin__problems *problems)
{
    kin__cutline_append(line, kin_str_of(": Invalid value: "));
    kin__cutline_append_quoted(line, value);
    kin__cutline_append(line, kin_str_of(": "));
    kin__problems_join(problems, line, "; ");
}

static bool check_key(struct reader *r, kin_str key)
{
    kin__problems problems = kin__label_key_problems(key, false);

    if (problems.n == 0)
        return true;
    kin__cutline_append(r->line, kin_str_of("<nil>"));
    append_invalid(r->line, key, &problems);
    return false;
}

static size_t count_faults(const struct reader *r, bool is_number)
{
    size_t n = 0;

    for (size_t i = 0; i < r->n_values; i++) {
        int64_t number;

        n += is_number && kin__str_to_i64(&number, r->values[i]) < 0;
        n += kin__label_value_problems(r->values[i]).n > 0;
    }
    return n;
}

static bool check_values(struct reader *r, kin_str key, bool is_number)
{
    size_t n_faults = count_faults(r, is_number);
    size_t n_told = 0;
    int64_t number;

    if (n_faults > 1)
        kin__cutline_append(r->line, kin_str_of("["));
    if (is_number && kin__str_to_i64(&number, r->values[0]) < 0) {
        kin__problems words = {
            {"for 'Gt', 'Lt' operators, the value must be an integer", NULL, NULL, NULL}, 1};

        kin__cutline_append(r->line, kin_str_of("values[0]"));
        append_invalid(r->line, r->values[0], &words);
        n_told++;
    }
    for (size_t i = 0; i < r->n_values; i++) {
        kin__problems problems = kin__label_value_problems(r->values[i]);

        if (problems.n == 0)
            continue;
        kin__cutline_appendf(r->line, "%svalues[%zu][%" KIN_STR_FMT "]", n_told++ ? ", " : "", i,
                             KIN_STR_ARG(key));
        append_invalid(r->line, r->values[i], &problems);
    }
    if (n_faults > 1)
        kin__cutline_append(r->line, kin_str_of("]"));
    return n_faults == 0;
}

/* Behind the '(': values, some of them empty, up to the ')'. */
static bool read_list(struct reader *r)
{
    for (;;) {
        if (at_word(r)) {
            keep_value(r, r->literal);
            advance(r);
            if (r->token == CLOSE)
                return true;
            if (r->token != COMMA)
                return expected(r, "',' or ')'");
        } else if (r->token == COMMA) {
            if (r->n_values == 0)
                keep_value(r, kin_str_of(""));
            advance(r);
            if (r->token == CLOSE || r->token == COMMA)
                keep_value(r, kin_str_of(""));
            if (r->token == CLOSE)
                return true;
        } else {
            return expected(r, "',', or identifier");
        }
    }
}

static bool read_set(struct reader *r)
{
    if (r->token != OPEN) {
        kin__cutline_appendf(r->line, "found '%" KIN_STR_FMT "' expected: '('",
                             KIN_STR_ARG(r->literal));
        return false;
    }
    advance(r);
    if (r->token == CLOSE)
        keep_value(r, kin_str_of(""));
    else if (!at_word(r) && r->token != COMMA)
        return expected(r, "',', ')' or identifier");
    else if (!read_list(r))
        return false;
    advance(r);
    return true;
}

static bool read_value(struct reader *r)
{
    if (r->token == END || r->token == COMMA) {
        keep_value(r, kin_str_of(""));
        return true;
    }
    if (!at_word(r))
        return expected(r, "identifier");
    keep_value(r, r->literal);
    advance(r);
    return true;
}

static bool read_requirement(struct reader *r)
{
    bool is_negated = r->token == NOT;

    r->n_values = 0;
    if (is_negated)
        advance(r);
    if (!at_word(r))
        return expected(r, "identifier");
    kin_str key = r->literal;
    if (!check_key(r, key))
        return false;
    advance(r);
    /* To "!key" nothing else belongs. */
    if (is_negated || r->token == END || r->token == COMMA)
        return true;
    enum token op = r->token;
    if (op < IN || op == COMMA || op == OPEN || op == CLOSE || op == NOT)
        return expected(r, "in, notin, =, ==, !=, gt, lt");
    advance(r);
    if (op == IN || op == NOT_IN) {
        if (!read_set(r))
            return false;
    } else if (!read_value(r)) {
        return false;
    }
    return check_values(r, key, op == MORE || op == LESS);
}

void kin__label_selector_words(kin_str text, kin__cutline *line)
{
    struct reader r = {.rest = text, .line = line};

    advance(&r);
    while (r.token != END) {
        if (!at_word(&r) && r.token != NOT) {
            expected(&r, "!, identifier, or 'end of string'");
            return;
        }
        size_t before = line->len;
        kin__cutline_append(line, kin_str_of("unable to parse requirement: "));
        if (!read_requirement(&r))
            return;
        line->len = before;
        line->data[before] = '\0';
        if (r.token == END)
            return;
        if (r.token != COMMA) {
            expected(&r, "',' or 'end of string'");
            return;
        }
        advance(&r);
        if (!at_word(&r) && r.token != NOT) {
            expected(&r, "identifier after ','");
            return;
        }
    }
}

/* --- fields --- */

/* The next term, up to a comma that is not escaped. False: there is none. */
static bool next_term(kin_str *rest, kin_str *ret)
{
    bool is_escaped = false;

    if (!rest->data)
        return false;
    for (size_t i = 0; i < rest->len; i++) {
        char c = rest->data[i];

        if (c == ',' && !is_escaped) {
            *ret = kin_str_make(rest->data, i);
            *rest = kin_str_make(rest->data + i + 1, rest->len - i - 1);
            return true;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    *ret = *rest;
    *rest = kin_str_make(NULL, 0);
    return true;
}

/* Cuts a term behind its operator; false: it has none. */
static bool value_of(kin_str term, kin_str *ret)
{
    for (size_t i = 0; i < term.len; i++) {
        bool has_next = i + 1 < term.len && term.data[i + 1] == '=';
        size_t n = 0;

        if (term.data[i] == '=')
            n = has_next ? 2 : 1;
        else if (term.data[i] == '!' && has_next)
            n = 2;
        if (n == 0)
            continue;
        *ret = kin_str_make(term.data + i + n, term.len - i - n);
        return true;
    }
    return false;
}

/* What is wrong with the escapes of a value; writes nothing if all is well. */
static void describe_value(kin_str value, kin__cutline *line)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];

        if (c == ',' || c == '=') {
            kin__cutline_appendf(line, "invalid field selector: unescaped character in value: %d",
                                 c);
            return;
        }
        if (c != '\\')
            continue;
        i++;
        if (i < value.len && strchr("\\,=", value.data[i]) && value.data[i])
            continue;
        kin__cutline_append(line, kin_str_of("invalid field selector: invalid escape sequence: "));
        kin__cutline_append(line, kin_str_make(value.data + i - 1, i < value.len ? 2 : 1));
        return;
    }
}

static void describe_term(kin_str text, kin_str term, kin__cutline *line)
{
    kin_str value;

    if (value_of(term, &value)) {
        describe_value(value, line);
        return;
    }
    kin__cutline_appendf(
        line, "invalid selector: '%" KIN_STR_FMT "'; can't understand '%" KIN_STR_FMT "'",
        KIN_STR_ARG(text), KIN_STR_ARG(term));
}

/* Of several that are wrong the first in their order is told. */
void kin__field_selector_words(kin_str text, kin__cutline *line)
{
    char scratch[64];
    kin__cutline probe;
    kin_str rest = text;
    kin_str term;
    kin_str worst = {NULL, 0};

    while (next_term(&rest, &term)) {
        kin__cutline_init(&probe, scratch, sizeof(scratch));
        if (term.len > 0)
            describe_term(text, term, &probe);
        if (probe.len > 0 && (!worst.data || kin__str_compare(term, worst) < 0))
            worst = term;
    }
    if (worst.data)
        describe_term(text, worst, line);
}
