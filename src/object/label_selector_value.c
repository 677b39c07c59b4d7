/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label selectors from values: a metav1.LabelSelector as it stands in a document.
 *
 * The requirements are printed, each part checked before it is, and the text is parsed: so there
 * is one way in which selectors come to be (label_selector.c), and nothing has to outlive the
 * scratch that a packed string needs. What was checked cannot be taken for syntax.
 *
 * A null is what Go makes of one: as if nothing were there, and in a map or an array of texts the
 * empty text.
 *
 * Left out on purpose: members that a LabelSelector does not have are not looked at, as
 * Kubernetes' own decoder passes over them.
 */
#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/str.h"
#include "base/utf8.h"
#include "object/selector.h"
#include "object/selector_label.h"

struct maker {
    kin__buf buf; /* the requirements as text */
    kin_error *err;
    char where[128]; /* what is looked at, for messages */
};

/* --- reading values --- */

/* The beginning of a text is enough for a message. */
static kin_str beginning(kin_str text)
{
    if (text.len > KIN_LABEL_MAX_LENGTH)
        text.len = kin__utf8_cut(text.data, KIN_LABEL_MAX_LENGTH);
    return text;
}

static bool is_absent(kin_value value)
{
    enum kin_type type = kin_value_type(value);

    return type == KIN_NONE || type == KIN_NULL;
}

/* What is there at all must be of this type. */
static int check_type(struct maker *m, kin_value value, enum kin_type type)
{
    if (is_absent(value) || kin_value_type(value) == type)
        return 0;
    return kin_error_set(m->err, KIN_ETYPE, "%s: expected a value of type %s, found %s", m->where,
                         kin_type_name(type), kin_type_name(kin_value_type(value)));
}

/* A text; one that is not there is empty. */
static int read_text(struct maker *m, kin_str *ret, kin_value value, kin_scratch *scratch)
{
    int code = check_type(m, value, KIN_STRING);

    if (code < 0)
        return code;
    *ret = kin_str_make(NULL, 0);
    return is_absent(value) ? 0 : kin_value_string(ret, value, scratch);
}

/* --- writing requirements --- */

static int append_key(struct maker *m, kin_str key)
{
    kin__label_fault fault;

    if (!kin__label_key_check(key, &fault))
        return kin__label_fault_report(m->err, KIN_EINVAL, 0, m->where, key, &fault);
    kin__buf_append(&m->buf, key);
    return 0;
}

static int append_value(struct maker *m, kin_value value)
{
    kin__label_fault fault;
    kin_scratch scratch;
    kin_str text = {NULL, 0};
    int code = read_text(m, &text, value, &scratch);

    if (code < 0)
        return code;
    if (!kin__label_value_check(text, &fault))
        return kin__label_fault_report(m->err, KIN_EINVAL, 0, m->where, text, &fault);
    kin__buf_append(&m->buf, text);
    return 0;
}

static void begin_requirement(struct maker *m)
{
    if (m->buf.len)
        kin__buf_append_char(&m->buf, ',');
}

/* --- matchLabels --- */

static int add_labels(struct maker *m, kin_value labels)
{
    kin_iter it;

    for (kin_iter_init(&it, labels); kin_iter_next(&it) && !m->buf.failed;) {
        kin_str shown = beginning(it.key);
        int code;

        begin_requirement(m);
        snprintf(m->where, sizeof(m->where), "label selector: matchLabels: key '%" KIN_STR_FMT "'",
                 KIN_STR_ARG(shown));
        code = append_key(m, it.key);
        if (code < 0)
            return code;
        kin__buf_append_char(&m->buf, '=');
        snprintf(m->where, sizeof(m->where),
                 "label selector: matchLabels: value of '%" KIN_STR_FMT "'", KIN_STR_ARG(shown));
        code = append_value(m, it.value);
        if (code < 0)
            return code;
    }
    return 0;
}

/* --- matchExpressions --- */

static const struct relation {
    kin_str name;
    kin_str before_key;
    kin_str before_values; /* empty: it has no values */
} relations[] = {
    {KIN__STR("In"), KIN__STR(""), KIN__STR(" in (")},
    {KIN__STR("NotIn"), KIN__STR(""), KIN__STR(" notin (")},
    {KIN__STR("Exists"), KIN__STR(""), KIN__STR("")},
    {KIN__STR("DoesNotExist"), KIN__STR("!"), KIN__STR("")},
};

static void look_at(struct maker *m, size_t expression, const char *member)
{
    snprintf(m->where, sizeof(m->where), "label selector: matchExpressions[%zu]%s", expression,
             member);
}

/* NULL if no operator has the name. */
static const struct relation *find_relation(kin_str name)
{
    for (size_t i = 0; i < sizeof(relations) / sizeof(relations[0]); i++) {
        if (kin_str_equal(relations[i].name, name))
            return &relations[i];
    }
    return NULL;
}

/* Whether there are as many values as the operator can have. */
static int check_values(struct maker *m, const struct relation *op, kin_value values)
{
    int code = check_type(m, values, KIN_ARRAY);
    size_t n = kin_value_len(values);

    if (code < 0)
        return code;
    if (op->before_values.len && n == 0)
        return kin_error_set(m->err, KIN_EINVAL, "%s: In and NotIn need one value or more",
                             m->where);
    if (op->before_values.len == 0 && n > 0)
        return kin_error_set(m->err, KIN_EINVAL, "%s: Exists and DoesNotExist have no values",
                             m->where);
    if (n > KIN_SELECTOR_MAX_VALUES)
        return kin_error_set(m->err, KIN_ELIMIT, "%s: more than %d values", m->where,
                             KIN_SELECTOR_MAX_VALUES);
    return 0;
}

static int append_values(struct maker *m, size_t expression, kin_value values)
{
    kin_iter it;

    for (kin_iter_init(&it, values); kin_iter_next(&it) && !m->buf.failed;) {
        if (it.index)
            kin__buf_append_char(&m->buf, ',');
        snprintf(m->where, sizeof(m->where), "label selector: matchExpressions[%zu].values[%zu]",
                 expression, it.index);
        int code = append_value(m, it.value);
        if (code < 0)
            return code;
    }
    return 0;
}

/* The requirement, once the operator and the number of values are known to be good. */
static int append_expression(struct maker *m, size_t index, kin_value expression,
                             const struct relation *op)
{
    kin_scratch scratch;
    kin_str key = {NULL, 0};

    look_at(m, index, ".key");
    int code = read_text(m, &key, kin_value_get(expression, kin_str_of("key")), &scratch);
    if (code < 0)
        return code;
    begin_requirement(m);
    kin__buf_append(&m->buf, op->before_key);
    code = append_key(m, key);
    if (code == 0 && op->before_values.len) {
        kin__buf_append(&m->buf, op->before_values);
        code = append_values(m, index, kin_value_get(expression, kin_str_of("values")));
        kin__buf_append_char(&m->buf, ')');
    }
    return code;
}

static int add_expression(struct maker *m, size_t index, kin_value expression)
{
    kin_scratch scratch;
    kin_str name = {NULL, 0};

    look_at(m, index, "");
    int code = check_type(m, expression, KIN_MAP);
    look_at(m, index, ".operator");
    if (code == 0)
        code = read_text(m, &name, kin_value_get(expression, kin_str_of("operator")), &scratch);
    if (code < 0)
        return code;
    const struct relation *op = find_relation(name);
    if (!op) {
        name = beginning(name);
        return kin_error_set(m->err, KIN_EINVAL,
                             "%s: expected In, NotIn, Exists or DoesNotExist, found '%" KIN_STR_FMT
                             "'",
                             m->where, KIN_STR_ARG(name));
    }
    look_at(m, index, ".values");
    code = check_values(m, op, kin_value_get(expression, kin_str_of("values")));
    return code < 0 ? code : append_expression(m, index, expression, op);
}

static int add_expressions(struct maker *m, kin_value expressions)
{
    kin_iter it;
    int code = 0;

    for (kin_iter_init(&it, expressions); code == 0 && kin_iter_next(&it) && !m->buf.failed;)
        code = add_expression(m, it.index, it.value);
    return code;
}

/* --- all of it --- */

static int add_all(struct maker *m, kin_value value)
{
    kin_value labels = kin_value_get(value, kin_str_of("matchLabels"));
    kin_value expressions = kin_value_get(value, kin_str_of("matchExpressions"));
    int code;

    snprintf(m->where, sizeof(m->where), "label selector");
    code = check_type(m, value, KIN_MAP);
    if (code == 0) {
        snprintf(m->where, sizeof(m->where), "label selector: matchLabels");
        code = check_type(m, labels, KIN_MAP);
    }
    if (code == 0) {
        snprintf(m->where, sizeof(m->where), "label selector: matchExpressions");
        code = check_type(m, expressions, KIN_ARRAY);
    }
    if (code == 0 &&
        kin_value_len(labels) + kin_value_len(expressions) > KIN_SELECTOR_MAX_REQUIREMENTS)
        code = kin_error_set(m->err, KIN_ELIMIT, "label selector: more than %d requirements",
                             KIN_SELECTOR_MAX_REQUIREMENTS);
    if (code == 0)
        code = add_labels(m, labels);
    if (code == 0)
        code = add_expressions(m, expressions);
    if (code < 0 || !m->buf.failed)
        return code;
    return kin__selector_text_failed("label selector", m->buf.failed, m->err);
}

int kin_label_selector_from_value(const kin_label_selector **ret, kin_value value, kin_error *err)
{
    struct maker m = {.err = err};

    if (!ret)
        return kin__error_null(err, "ret");
    if (is_absent(value)) {
        *ret = kin_label_selector_nothing();
        return 0;
    }
    kin__buf_init(&m.buf, KIN_SELECTOR_MAX_LENGTH);
    int code = add_all(&m, value);
    if (code == 0 && m.buf.len == 0)
        *ret = kin_label_selector_everything();
    else if (code == 0)
        code = kin_label_selector_parse(ret, kin__buf_str(&m.buf), err);
    kin__buf_done(&m.buf);
    kin__assert(code != KIN_EPARSE);
    return code;
}
