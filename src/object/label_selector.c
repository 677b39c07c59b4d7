/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors.
 *
 * A selector is one block: the struct, its requirements, the views of all values, and the bytes
 * that these view. It never changes after parse_finish(), so threads share it by its reference
 * count alone.
 *
 * Invariants:
 * - requirements are sorted by key, those of one key in the order in which they were written;
 * - values are sorted and each is there once, so that a value is found by bisection;
 * - the printed form is not longer than KIN_SELECTOR_MAX_LENGTH and parses to an equal selector.
 *   kin_label_selector_add() rests on that: it prints, appends and parses again, so that there
 *   is one way in which selectors come to be.
 *
 * The parser looks one token ahead and never goes back. Each byte is read once; sorting makes
 * it n log n. Words are not keywords: `in` is an operator only where one is expected.
 *
 * Left out on purpose: contradictions (`a,!a`) are not recognized, as Kubernetes does not.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/selector.h"
#include "object/selector_label.h"

struct requirement {
    kin_label_requirement view; /* what callers see */
    int64_t number;             /* of GREATER_THAN and LESS_THAN */
};

struct kin_label_selector {
    kin__selector base; /* first */
    struct requirement requirements[];
};

static const kin_label_selector everything = {.base = {.immortal = true}};
static const kin_label_selector nothing = {.base = {.immortal = true, .nothing = true}};

/* What is printed around key and values, by operator. */
static const struct syntax {
    kin_str before_key;
    kin_str before_values;
    kin_str behind_values;
} syntaxes[] = {
    [KIN_SELECTOR_EQUALS] = {KIN__STR(""), KIN__STR("="), KIN__STR("")},
    [KIN_SELECTOR_DOUBLE_EQUALS] = {KIN__STR(""), KIN__STR("=="), KIN__STR("")},
    [KIN_SELECTOR_NOT_EQUALS] = {KIN__STR(""), KIN__STR("!="), KIN__STR("")},
    [KIN_SELECTOR_IN] = {KIN__STR(""), KIN__STR(" in ("), KIN__STR(")")},
    [KIN_SELECTOR_NOT_IN] = {KIN__STR(""), KIN__STR(" notin ("), KIN__STR(")")},
    [KIN_SELECTOR_EXISTS] = {KIN__STR(""), KIN__STR(""), KIN__STR("")},
    [KIN_SELECTOR_DOES_NOT_EXIST] = {KIN__STR("!"), KIN__STR(""), KIN__STR("")},
    [KIN_SELECTOR_GREATER_THAN] = {KIN__STR(""), KIN__STR(">"), KIN__STR("")},
    [KIN_SELECTOR_LESS_THAN] = {KIN__STR(""), KIN__STR("<"), KIN__STR("")},
};

static bool is_set_op(kin_selector_op op)
{
    return op == KIN_SELECTOR_IN || op == KIN_SELECTOR_NOT_IN;
}

static bool is_order_op(kin_selector_op op)
{
    return op == KIN_SELECTOR_GREATER_THAN || op == KIN_SELECTOR_LESS_THAN;
}

/*
 * What Go's ParseInt() takes for an integer: a sign, also '+', and digits. A selector's own
 * number can have no sign, since no label's value can; the labels of an object are not checked.
 */
static bool to_integer(int64_t *ret, kin_str s)
{
    uint64_t magnitude;

    if (s.len == 0 || s.data[0] != '+')
        return kin__str_to_i64(ret, s) == 0;
    if (kin__str_to_u64(&magnitude, kin_str_make(s.data + 1, s.len - 1)) < 0 ||
        magnitude > INT64_MAX)
        return false;
    *ret = (int64_t)magnitude;
    return true;
}

/* --- tokens --- */

enum token_kind {
    TOKEN_END,
    TOKEN_WORD,
    TOKEN_COMMA,
    TOKEN_OPEN,
    TOKEN_CLOSE,
    TOKEN_NOT,
    TOKEN_EQUALS,
    TOKEN_DOUBLE_EQUALS,
    TOKEN_NOT_EQUALS,
    TOKEN_GREATER,
    TOKEN_LESS,
    TOKEN_ZERO, /* a zero byte, which may stand nowhere */
};

struct token {
    enum token_kind kind;
    kin_str text;
    size_t offset;
};

/* A requirement while the text is parsed. Its key and values still view that text. */
struct draft {
    kin_str key;
    kin_selector_op op;
    size_t first_value; /* index into parser.values: the array may still move */
    size_t n_values;
    size_t ordinal; /* makes the sort stable */
};

struct parser {
    kin_str text;
    struct token token; /* the next one */
    struct draft *drafts;
    size_t n_drafts;
    size_t cap_drafts;
    kin_str *values; /* of all drafts */
    size_t n_values;
    size_t cap_values;
    kin_error *err;
};

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static enum token_kind symbol_kind(char c)
{
    switch (c) {
    case '\0':
        return TOKEN_ZERO;
    case ',':
        return TOKEN_COMMA;
    case '(':
        return TOKEN_OPEN;
    case ')':
        return TOKEN_CLOSE;
    case '!':
        return TOKEN_NOT;
    case '=':
        return TOKEN_EQUALS;
    case '>':
        return TOKEN_GREATER;
    case '<':
        return TOKEN_LESS;
    default:
        return TOKEN_WORD;
    }
}

/* Go on to the token behind the current one. */
static void advance(struct parser *p)
{
    size_t at = p->token.offset + p->token.text.len;
    const char *data = p->text.data;
    size_t end = p->text.len;

    while (at < end && is_space(data[at]))
        at++;
    p->token.kind = at < end ? symbol_kind(data[at]) : TOKEN_END;
    p->token.offset = at;

    size_t len = at < end;
    if (p->token.kind == TOKEN_WORD) {
        while (at + len < end && !is_space(data[at + len]) &&
               symbol_kind(data[at + len]) == TOKEN_WORD)
            len++;
    } else if (at + 1 < end && data[at + 1] == '=') {
        if (p->token.kind == TOKEN_EQUALS)
            p->token.kind = TOKEN_DOUBLE_EQUALS;
        else if (p->token.kind == TOKEN_NOT)
            p->token.kind = TOKEN_NOT_EQUALS;
        len += p->token.kind == TOKEN_DOUBLE_EQUALS || p->token.kind == TOKEN_NOT_EQUALS;
    }
    p->token.text = len ? kin_str_make(data + at, len) : kin_str_make(NULL, 0);
}

/* The current token is not what may stand there. */
static int unexpected(struct parser *p, const char *expected)
{
    const struct token *token = &p->token;
    kin_str text = token->text;

    if (token->kind == TOKEN_END)
        return kin__error_parse(p->err, token->offset, "label selector: expected %s, found its end",
                                expected);
    if (token->kind == TOKEN_ZERO)
        return kin__error_parse(p->err, token->offset,
                                "label selector: expected %s, found a zero byte", expected);
    if (text.len > KIN_LABEL_MAX_LENGTH) /* the beginning is enough for a message */
        text.len = kin__utf8_cut(text.data, KIN_LABEL_MAX_LENGTH);
    return kin__error_parse(p->err, token->offset,
                            "label selector: expected %s, found '%" KIN_STR_FMT "'", expected,
                            KIN_STR_ARG(text));
}

/* --- parsing --- */

static int by_bytes(const void *a, const void *b)
{
    const kin_str *x = a;
    const kin_str *y = b;

    return kin__str_compare(*x, *y);
}

static int by_key(const void *a, const void *b)
{
    const struct draft *x = a;
    const struct draft *y = b;
    int order = kin__str_compare(x->key, y->key);

    return order ? order : (x->ordinal > y->ordinal) - (x->ordinal < y->ordinal);
}

static int add_value(struct parser *p, const struct draft *draft, kin_str value)
{
    if (p->n_values - draft->first_value == KIN_SELECTOR_MAX_VALUES)
        return kin__error_input(p->err, KIN_ELIMIT, p->token.offset,
                                "label selector: more than %d values for one key",
                                KIN_SELECTOR_MAX_VALUES);
    kin_str *values =
        kin__grow_array(p->values, &p->cap_values, p->n_values + 1, sizeof(*p->values));
    if (!values)
        return kin__error_no_memory(p->err);
    p->values = values;
    values[p->n_values++] = value;
    return 0;
}

/* The current token as a value; if it is none, the value was left out and is the empty one. */
static int parse_value(struct parser *p, const struct draft *draft)
{
    kin__label_fault fault;

    if (p->token.kind != TOKEN_WORD)
        return add_value(p, draft, kin_str_make(NULL, 0));
    if (!kin__label_value_check(p->token.text, &fault))
        return kin__label_fault_report(p->err, KIN_EPARSE, p->token.offset, "label selector: value",
                                       p->token.text, &fault);
    int code = add_value(p, draft, p->token.text);
    if (code == 0)
        advance(p);
    return code;
}

/* Behind `in` and `notin`: "(" [ value ] *( "," [ value ] ) ")" */
static int parse_value_set(struct parser *p, const struct draft *draft)
{
    if (p->token.kind != TOKEN_OPEN)
        return unexpected(p, "'('");
    do {
        advance(p);
        if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_COMMA &&
            p->token.kind != TOKEN_CLOSE)
            return unexpected(p, "a value, ',' or ')'");
        int code = parse_value(p, draft);
        if (code < 0)
            return code;
    } while (p->token.kind == TOKEN_COMMA);
    if (p->token.kind != TOKEN_CLOSE)
        return unexpected(p, "',' or ')'");
    advance(p);
    return 0;
}

/* Behind all other operators. */
static int parse_single_value(struct parser *p, const struct draft *draft)
{
    struct token token = p->token;
    int64_t number;

    if (token.kind != TOKEN_WORD && token.kind != TOKEN_COMMA && token.kind != TOKEN_END)
        return unexpected(p, is_order_op(draft->op) ? "an integer" : "a value");
    int code = parse_value(p, draft);
    if (code < 0)
        return code;
    if (is_order_op(draft->op) && !to_integer(&number, p->values[draft->first_value])) {
        p->token = token;
        return unexpected(p, "an integer of 64 bits");
    }
    return 0;
}

/* 0 if there is none. */
static kin_selector_op binary_op(const struct token *token)
{
    static const kin_str in = KIN__STR("in");
    static const kin_str not_in = KIN__STR("notin");

    switch (token->kind) {
    case TOKEN_EQUALS:
        return KIN_SELECTOR_EQUALS;
    case TOKEN_DOUBLE_EQUALS:
        return KIN_SELECTOR_DOUBLE_EQUALS;
    case TOKEN_NOT_EQUALS:
        return KIN_SELECTOR_NOT_EQUALS;
    case TOKEN_GREATER:
        return KIN_SELECTOR_GREATER_THAN;
    case TOKEN_LESS:
        return KIN_SELECTOR_LESS_THAN;
    case TOKEN_WORD:
        if (kin_str_equal(token->text, in))
            return KIN_SELECTOR_IN;
        if (kin_str_equal(token->text, not_in))
            return KIN_SELECTOR_NOT_IN;
        return (kin_selector_op)0;
    default:
        return (kin_selector_op)0;
    }
}

/* The operator and the values behind a key. */
static int parse_restriction(struct parser *p, struct draft *draft)
{
    draft->op = binary_op(&p->token);
    if (!draft->op)
        return unexpected(p, "an operator, ',' or the end");
    advance(p);
    return is_set_op(draft->op) ? parse_value_set(p, draft) : parse_single_value(p, draft);
}

/* Sort the values of the newest draft and keep each once. */
static void settle_values(struct parser *p, struct draft *draft)
{
    kin_str *values = p->values + draft->first_value;
    size_t n = p->n_values - draft->first_value;
    size_t kept = 1;

    qsort(values, n, sizeof(*values), by_bytes);
    for (size_t i = 1; i < n; i++) {
        if (!kin_str_equal(values[i], values[kept - 1]))
            values[kept++] = values[i];
    }
    draft->n_values = kept;
    p->n_values = draft->first_value + kept;
}

static int add_draft(struct parser *p, const struct draft *draft)
{
    struct draft *drafts =
        kin__grow_array(p->drafts, &p->cap_drafts, p->n_drafts + 1, sizeof(*p->drafts));

    if (!drafts)
        return kin__error_no_memory(p->err);
    p->drafts = drafts;
    drafts[p->n_drafts++] = *draft;
    return 0;
}

static int parse_requirement(struct parser *p)
{
    struct draft draft = {
        .op = KIN_SELECTOR_EXISTS, .first_value = p->n_values, .ordinal = p->n_drafts};
    kin__label_fault fault;
    int code = 0;

    if (p->n_drafts == KIN_SELECTOR_MAX_REQUIREMENTS)
        return kin__error_input(p->err, KIN_ELIMIT, p->token.offset,
                                "label selector: more than %d requirements",
                                KIN_SELECTOR_MAX_REQUIREMENTS);
    if (p->token.kind == TOKEN_NOT) {
        draft.op = KIN_SELECTOR_DOES_NOT_EXIST;
        advance(p);
        if (p->token.kind != TOKEN_WORD)
            return unexpected(p, "a key");
    }
    draft.key = p->token.text;
    if (!kin__label_key_check(draft.key, &fault))
        return kin__label_fault_report(p->err, KIN_EPARSE, p->token.offset, "label selector: key",
                                       draft.key, &fault);
    advance(p);
    if (draft.op == KIN_SELECTOR_EXISTS && p->token.kind != TOKEN_COMMA &&
        p->token.kind != TOKEN_END)
        code = parse_restriction(p, &draft);
    if (code < 0)
        return code;
    if (p->n_values > draft.first_value)
        settle_values(p, &draft);
    return add_draft(p, &draft);
}

static int parse_text(struct parser *p)
{
    const char *expected = "a key, '!' or the end";

    advance(p);
    if (p->token.kind == TOKEN_END)
        return 0;
    for (;;) {
        if (p->token.kind != TOKEN_WORD && p->token.kind != TOKEN_NOT)
            return unexpected(p, expected);
        int code = parse_requirement(p);
        if (code < 0)
            return code;
        if (p->token.kind == TOKEN_END)
            return 0;
        if (p->token.kind != TOKEN_COMMA)
            return unexpected(p, "',' or the end");
        advance(p);
        expected = "a key or '!'";
    }
}

/* The bytes of a draft's key and values, and those of all as they are printed. */
static size_t draft_bytes(const struct parser *p, const struct draft *draft, size_t *printed)
{
    const struct syntax *syntax = &syntaxes[draft->op];
    size_t bytes = draft->key.len;

    for (size_t i = 0; i < draft->n_values; i++)
        bytes += p->values[draft->first_value + i].len;
    *printed += syntax->before_key.len + syntax->before_values.len + syntax->behind_values.len +
                bytes + (draft->n_values ? draft->n_values - 1 : 0);
    return bytes;
}

static kin_str store(char **at, kin_str s)
{
    char *stored = *at;

    if (s.len)
        memcpy(stored, s.data, s.len);
    *at += s.len;
    return kin_str_make(stored, s.len);
}

static void fill(kin_label_selector *sel, const struct parser *p)
{
    kin_str *value = (kin_str *)(void *)(sel->requirements + p->n_drafts);
    char *bytes = (char *)(value + p->n_values);

    for (size_t i = 0; i < p->n_drafts; i++) {
        const struct draft *draft = &p->drafts[i];
        struct requirement *r = &sel->requirements[i];

        r->view.key = store(&bytes, draft->key);
        r->view.op = draft->op;
        r->view.values = draft->n_values ? value : NULL;
        r->view.n_values = draft->n_values;
        r->number = 0;
        for (size_t j = 0; j < draft->n_values; j++) {
            *value = store(&bytes, p->values[draft->first_value + j]);
            if (is_order_op(draft->op))
                to_integer(&r->number, *value); /* it was checked */
            value++;
        }
    }
    sel->base.n = p->n_drafts;
}

/* Make the selector of what was parsed. */
static int parse_finish(struct parser *p, const kin_label_selector **ret)
{
    size_t printed = p->n_drafts ? p->n_drafts - 1 : 0; /* the commas */
    size_t bytes = 0;

    for (size_t i = 0; i < p->n_drafts; i++)
        bytes += draft_bytes(p, &p->drafts[i], &printed);
    if (printed > KIN_SELECTOR_MAX_LENGTH) /* `a in(b)` gets a space */
        return kin_error_set(p->err, KIN_ELIMIT, "label selector: longer than %d bytes in print",
                             KIN_SELECTOR_MAX_LENGTH);
    if (p->n_drafts)
        qsort(p->drafts, p->n_drafts, sizeof(*p->drafts), by_key);

    /* The limits keep this far from overflowing. */
    kin_label_selector *sel =
        kin__selector_new(sizeof(*sel) + p->n_drafts * sizeof(sel->requirements[0]) +
                          p->n_values * sizeof(kin_str) + bytes);
    if (!sel)
        return kin__error_no_memory(p->err);
    fill(sel, p);
    *ret = sel;
    return 0;
}

int kin_label_selector_parse(const kin_label_selector **ret, kin_str text, kin_error *err)
{
    struct parser p = {.text = text, .err = err};

    if (!ret)
        return kin__error_null(err, "ret");
    int code = kin__selector_check_length("label selector", text, err);
    if (code == 0)
        code = parse_text(&p);
    if (code == 0)
        code = parse_finish(&p, ret);
    kin__free(p.drafts);
    kin__free(p.values);
    return code;
}

/* --- printing and adding --- */

static void append_requirement(kin__buf *buf, const void *requirement)
{
    const kin_label_requirement *r = requirement;
    const struct syntax *syntax = &syntaxes[r->op];

    kin__buf_append(buf, syntax->before_key);
    kin__buf_append(buf, r->key);
    kin__buf_append(buf, syntax->before_values);
    for (size_t i = 0; i < r->n_values && !buf->failed; i++) {
        if (i)
            kin__buf_append_char(buf, ',');
        kin__buf_append(buf, r->values[i]);
    }
    kin__buf_append(buf, syntax->behind_values);
}

static int check_count(const kin_label_requirement *r, kin_error *err)
{
    switch (r->op) {
    case KIN_SELECTOR_IN:
    case KIN_SELECTOR_NOT_IN:
        if (r->n_values == 0)
            return kin_error_set(err, KIN_EINVAL,
                                 "label selector: in and notin need one value or more");
        break;
    case KIN_SELECTOR_EXISTS:
    case KIN_SELECTOR_DOES_NOT_EXIST:
        if (r->n_values != 0)
            return kin_error_set(err, KIN_EINVAL,
                                 "label selector: whether a key exists has no values, not %zu",
                                 r->n_values);
        break;
    case KIN_SELECTOR_EQUALS:
    case KIN_SELECTOR_DOUBLE_EQUALS:
    case KIN_SELECTOR_NOT_EQUALS:
    case KIN_SELECTOR_GREATER_THAN:
    case KIN_SELECTOR_LESS_THAN:
        if (r->n_values != 1)
            return kin_error_set(err, KIN_EINVAL,
                                 "label selector: a comparison needs one value, not %zu",
                                 r->n_values);
        break;
    default:
        return kin_error_set(err, KIN_EINVAL, "label selector: no operator has the number %d",
                             (int)r->op);
    }
    if (r->n_values && !r->values)
        return kin__error_null(err, "values");
    if (r->n_values > KIN_SELECTOR_MAX_VALUES)
        return kin_error_set(err, KIN_ELIMIT, "label selector: more than %d values for one key",
                             KIN_SELECTOR_MAX_VALUES);
    return 0;
}

/* What passes here prints as a text that parses. */
static int check_requirement(const void *requirement, kin_error *err)
{
    const kin_label_requirement *r = requirement;
    kin__label_fault fault;
    int64_t number;
    int code = check_count(r, err);

    if (code < 0)
        return code;
    if (!kin__label_key_check(r->key, &fault))
        return kin__label_fault_report(err, KIN_EINVAL, 0, "label selector: key", r->key, &fault);
    for (size_t i = 0; i < r->n_values; i++) {
        if (!kin__label_value_check(r->values[i], &fault))
            return kin__label_fault_report(err, KIN_EINVAL, 0, "label selector: value",
                                           r->values[i], &fault);
    }
    if (is_order_op(r->op) && !to_integer(&number, r->values[0]))
        return kin_error_set(err, KIN_EINVAL,
                             "label selector: expected an integer of 64 bits, found '%" KIN_STR_FMT
                             "'",
                             KIN_STR_ARG(r->values[0]));
    return 0;
}

static const kin_label_selector *from_base(const kin__selector *base)
{
    return (const kin_label_selector *)(const void *)base;
}

static const void *get_requirement(const kin__selector *base, size_t index)
{
    return &from_base(base)->requirements[index].view;
}

static int parse_again(const kin__selector **ret, kin_str text, kin_error *err)
{
    const kin_label_selector *sel = NULL;
    int code = kin_label_selector_parse(&sel, text, err);

    if (code == 0)
        *ret = &sel->base;
    return code;
}

static const kin__selector_class selector_class = {
    .name = "label selector",
    .requirement_size = sizeof(kin_label_requirement),
    .get = get_requirement,
    .check = check_requirement,
    .append = append_requirement,
    .parse = parse_again,
};

int kin_label_selector_print(char **ret, size_t *ret_len, const kin_label_selector *sel,
                             kin_error *err)
{
    return kin__selector_print(ret, ret_len, &selector_class, sel ? &sel->base : NULL, err);
}

int kin_label_selector_add(const kin_label_selector **ret, const kin_label_selector *sel,
                           const kin_label_requirement *requirements, size_t n, kin_error *err)
{
    const kin__selector *made = NULL;

    if (!ret || !sel)
        return kin__error_null(err, !ret ? "ret" : "sel");
    int code = kin__selector_add(&made, &selector_class, &sel->base, requirements, n, err);
    if (code == 0)
        *ret = from_base(made);
    return code;
}

/* --- life --- */

const kin_label_selector *kin_label_selector_everything(void)
{
    return &everything;
}

const kin_label_selector *kin_label_selector_nothing(void)
{
    return &nothing;
}

const kin_label_selector *kin_label_selector_ref(const kin_label_selector *sel)
{
    kin__selector_ref(sel ? &sel->base : NULL);
    return sel;
}

void kin_label_selector_unref(const kin_label_selector *sel)
{
    kin__selector_unref(sel ? &sel->base : NULL);
}

/* --- matching --- */

static bool has_value(const kin_label_requirement *r, kin_str value)
{
    size_t low = 0;
    size_t high = r->n_values;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = kin__str_compare(r->values[middle], value);

        if (order == 0)
            return true;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

static bool requirement_matches(const struct requirement *r, bool exists, kin_str value)
{
    int64_t number;

    switch (r->view.op) {
    case KIN_SELECTOR_EQUALS:
    case KIN_SELECTOR_DOUBLE_EQUALS:
    case KIN_SELECTOR_IN:
        return exists && has_value(&r->view, value);
    case KIN_SELECTOR_NOT_EQUALS:
    case KIN_SELECTOR_NOT_IN:
        return !exists || !has_value(&r->view, value);
    case KIN_SELECTOR_EXISTS:
        return exists;
    case KIN_SELECTOR_DOES_NOT_EXIST:
        return !exists;
    case KIN_SELECTOR_GREATER_THAN:
        return exists && to_integer(&number, value) && number > r->number;
    case KIN_SELECTOR_LESS_THAN:
        return exists && to_integer(&number, value) && number < r->number;
    default:
        return false;
    }
}

bool kin_label_selector_matches_fn(const kin_label_selector *sel, kin_label_lookup_fn *lookup,
                                   void *arg)
{
    if (!sel || !lookup || sel->base.nothing)
        return false;
    for (size_t i = 0; i < sel->base.n; i++) {
        const struct requirement *r = &sel->requirements[i];
        kin_str value = {NULL, 0};
        bool exists = lookup(r->view.key, &value, arg);

        if (!requirement_matches(r, exists, value))
            return false;
    }
    return true;
}

static bool lookup_in_object(kin_str key, kin_str *ret_value, void *arg)
{
    const kin_object *const *object = arg;

    return kin_object_label(*object, key, ret_value);
}

bool kin_label_selector_matches(const kin_label_selector *sel, const kin_object *object)
{
    return object && kin_label_selector_matches_fn(sel, lookup_in_object, &object);
}

/* --- looking into it --- */

bool kin_label_selector_is_empty(const kin_label_selector *sel)
{
    return sel && sel->base.n == 0 && !sel->base.nothing;
}

bool kin_label_selector_is_nothing(const kin_label_selector *sel)
{
    return !sel || sel->base.nothing;
}

size_t kin_label_selector_count(const kin_label_selector *sel)
{
    return sel ? sel->base.n : 0;
}

const kin_label_requirement *kin_label_selector_get_requirement(const kin_label_selector *sel,
                                                                size_t index)
{
    return sel && index < sel->base.n ? &sel->requirements[index].view : NULL;
}

bool kin_label_selector_requires_exact_match(const kin_label_selector *sel, kin_str key,
                                             kin_str *ret_value)
{
    for (size_t i = 0; sel && i < sel->base.n; i++) {
        const kin_label_requirement *r = &sel->requirements[i].view;

        if (!kin_str_equal(r->key, key))
            continue;
        if (r->n_values != 1 || (r->op != KIN_SELECTOR_EQUALS &&
                                 r->op != KIN_SELECTOR_DOUBLE_EQUALS && r->op != KIN_SELECTOR_IN))
            return false;
        if (ret_value)
            *ret_value = r->values[0];
        return true;
    }
    return false;
}
