/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field selectors.
 *
 * A selector is one block: the struct, its requirements, and the bytes that these view, values
 * without their escapes. It never changes after parse_finish(), so threads share it by its
 * reference count alone.
 *
 * Requirements are sorted by their text as it was written, as Kubernetes sorts them. For
 * those that were printed that is their printed text, since escaping what was unescaped gives it
 * again; only `==` is printed as `=` and may sort differently the next time. The printed form is
 * never longer than what was parsed. kin_field_selector_add() prints, appends and parses again,
 * so that there is one way in which selectors come to be.
 *
 * Left out on purpose: which fields exist (the API server decides), and contradictions.
 */
#include <stdlib.h>

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "object/object.h"
#include "object/selector.h"

struct kin_field_selector {
    kin__selector base; /* first */
    kin_field_requirement requirements[];
};

static const kin_field_selector everything = {.base = {.immortal = true}};
static const kin_field_selector nothing = {.base = {.immortal = true, .nothing = true}};

/* --- parsing --- */

/* A requirement while the text is parsed: what it is made of is a part of that text. */
struct draft {
    kin_str text;  /* all of it */
    kin_str value; /* still escaped */
    size_t field_len;
    kin_selector_op op;
};

struct parser {
    kin_str text;
    struct draft *drafts;
    size_t n_drafts;
    size_t cap_drafts;
    kin_error *err;
};

static bool needs_escape(char c)
{
    return c == '\\' || c == ',' || c == '=';
}

/* The index behind the part that begins at `at`: that of a ',' that no '\' hides, or the end. */
static size_t part_end(kin_str text, size_t at)
{
    while (at < text.len && text.data[at] != ',')
        at += text.data[at] == '\\' ? 2 : 1;
    return at < text.len ? at : text.len;
}

/* Cut a part at its first operator; 0 if there is none, else its length. */
static size_t find_operator(struct draft *draft)
{
    kin_str text = draft->text;
    size_t at = kin__str_find(text, '=');
    size_t len = 1;

    if (at == text.len)
        return 0;
    draft->op = KIN_SELECTOR_EQUALS;
    if (at > 0 && text.data[at - 1] == '!') {
        draft->op = KIN_SELECTOR_NOT_EQUALS;
        at--;
        len = 2;
    } else if (at + 1 < text.len && text.data[at + 1] == '=') {
        len = 2;
    }
    draft->field_len = at;
    draft->value = kin_str_make(text.data + at + len, text.len - at - len);
    return len;
}

/* `base` is where the value stands in the selector. */
static int check_value(struct parser *p, kin_str value, size_t base)
{
    for (size_t i = 0; i < value.len; i++) {
        char c = value.data[i];

        if (!needs_escape(c))
            continue;
        if (c != '\\')
            return kin__error_parse(p->err, base + i,
                                    "field selector: expected '\\' before a '%c' in a value", c);
        i++;
        if (i == value.len || !needs_escape(value.data[i]))
            return kin__error_parse(p->err, base + i,
                                    "field selector: expected '\\', ',' or '=' behind a '\\'");
    }
    return 0;
}

static int parse_part(struct parser *p, size_t offset, size_t len)
{
    struct draft draft = {.text = kin_str_make(p->text.data + offset, len)};
    size_t op_len = find_operator(&draft);

    if (op_len == 0)
        return kin__error_parse(p->err, offset + len,
                                "field selector: expected '=', '==' or '!=' behind the field");
    int code = check_value(p, draft.value, offset + draft.field_len + op_len);
    if (code < 0)
        return code;
    if (draft.field_len == 0 && draft.value.len == 0)
        return 0; /* asks for nothing */
    if (p->n_drafts == KIN_SELECTOR_MAX_REQUIREMENTS)
        return kin__error_input(p->err, KIN_ELIMIT, offset,
                                "field selector: more than %d requirements",
                                KIN_SELECTOR_MAX_REQUIREMENTS);
    struct draft *drafts =
        kin__grow_array(p->drafts, &p->cap_drafts, p->n_drafts + 1, sizeof(*drafts));
    if (!drafts)
        return kin__error_no_memory(p->err);
    p->drafts = drafts;
    drafts[p->n_drafts++] = draft;
    return 0;
}

static int parse_text(struct parser *p)
{
    int code = 0;

    for (size_t at = 0; at < p->text.len && code == 0;) {
        size_t end = part_end(p->text, at);

        if (end > at)
            code = parse_part(p, at, end - at);
        at = end + 1;
    }
    return code;
}

static int by_text(const void *a, const void *b)
{
    const struct draft *x = a;
    const struct draft *y = b;

    return kin__str_compare(x->text, y->text); /* equal ones are interchangeable */
}

/* Copy a value without its escapes; where it ends. */
static char *unescape(char *to, kin_str value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.data[i] == '\\')
            i++;
        *to++ = value.data[i];
    }
    return to;
}

static void fill(kin_field_selector *sel, const struct parser *p)
{
    char *bytes = (char *)(sel->requirements + p->n_drafts);

    for (size_t i = 0; i < p->n_drafts; i++) {
        const struct draft *draft = &p->drafts[i];
        kin_field_requirement *r = &sel->requirements[i];

        memcpy(bytes, draft->text.data, draft->field_len);
        r->field = kin_str_make(bytes, draft->field_len);
        bytes += draft->field_len;
        r->op = draft->op;

        char *end = unescape(bytes, draft->value);
        r->value = kin_str_make(bytes, (size_t)(end - bytes));
        bytes = end;
    }
    sel->base.n = p->n_drafts;
}

static int parse_finish(struct parser *p, const kin_field_selector **ret)
{
    if (p->n_drafts)
        qsort(p->drafts, p->n_drafts, sizeof(*p->drafts), by_text);

    /* All parts together are no longer than the text. The limits keep this from overflowing. */
    kin_field_selector *sel =
        kin__selector_new(sizeof(*sel) + p->n_drafts * sizeof(sel->requirements[0]) + p->text.len);
    if (!sel)
        return kin__error_no_memory(p->err);
    fill(sel, p);
    *ret = sel;
    return 0;
}

int kin_field_selector_parse(const kin_field_selector **ret, kin_str text, kin_error *err)
{
    struct parser p = {.text = text, .err = err};

    if (!ret)
        return kin__error_null(err, "ret");
    int code = kin__selector_check_length("field selector", text, err);
    if (code == 0)
        code = parse_text(&p);
    if (code == 0)
        code = parse_finish(&p, ret);
    kin__free(p.drafts);
    return code;
}

/* --- printing and adding --- */

static void append_escaped(kin__buf *buf, kin_str value)
{
    size_t plain = 0; /* where what was not appended yet begins */

    for (size_t i = 0; i < value.len && !buf->failed; i++) {
        if (!needs_escape(value.data[i]))
            continue;
        kin__buf_append(buf, kin_str_make(value.data + plain, i - plain));
        kin__buf_append_char(buf, '\\');
        plain = i;
    }
    if (value.len)
        kin__buf_append(buf, kin_str_make(value.data + plain, value.len - plain));
}

static void append_requirement(kin__buf *buf, const void *requirement)
{
    const kin_field_requirement *r = requirement;

    kin__buf_append(buf, r->field);
    if (r->op == KIN_SELECTOR_NOT_EQUALS)
        kin__buf_append_char(buf, '!');
    kin__buf_append_char(buf, '=');
    append_escaped(buf, r->value);
}

static int check_requirement(const void *requirement, kin_error *err)
{
    const kin_field_requirement *r = requirement;

    if (r->op != KIN_SELECTOR_EQUALS && r->op != KIN_SELECTOR_DOUBLE_EQUALS &&
        r->op != KIN_SELECTOR_NOT_EQUALS)
        return kin_error_set(err, KIN_EINVAL,
                             "field selector: expected the operator =, == or !=, found number %d",
                             (int)r->op);
    if (kin__str_find(r->field, '=') < r->field.len)
        return kin_error_set(err, KIN_EINVAL, "field selector: a '=' in a field");
    if (part_end(r->field, 0) < r->field.len)
        return kin_error_set(err, KIN_EINVAL, "field selector: a ',' in a field");
    if (r->op != KIN_SELECTOR_NOT_EQUALS && r->field.len && r->field.data[r->field.len - 1] == '!')
        return kin_error_set(err, KIN_EINVAL, "field selector: a '!' at the end of a field");
    return r->field.len == 0 && r->value.len == 0;
}

static const kin_field_selector *from_base(const kin__selector *base)
{
    return (const kin_field_selector *)(const void *)base;
}

static const void *get_requirement(const kin__selector *base, size_t index)
{
    return &from_base(base)->requirements[index];
}

static int parse_again(const kin__selector **ret, kin_str text, kin_error *err)
{
    const kin_field_selector *sel = NULL;
    int code = kin_field_selector_parse(&sel, text, err);

    if (code == 0)
        *ret = &sel->base;
    return code;
}

static const kin__selector_class selector_class = {
    .name = "field selector",
    .requirement_size = sizeof(kin_field_requirement),
    .get = get_requirement,
    .check = check_requirement,
    .append = append_requirement,
    .parse = parse_again,
};

int kin_field_selector_print(char **ret, size_t *ret_len, const kin_field_selector *sel,
                             kin_error *err)
{
    return kin__selector_print(ret, ret_len, &selector_class, sel ? &sel->base : NULL, err);
}

int kin_field_selector_add(const kin_field_selector **ret, const kin_field_selector *sel,
                           const kin_field_requirement *requirements, size_t n, kin_error *err)
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

const kin_field_selector *kin_field_selector_everything(void)
{
    return &everything;
}

const kin_field_selector *kin_field_selector_nothing(void)
{
    return &nothing;
}

const kin_field_selector *kin_field_selector_ref(const kin_field_selector *sel)
{
    kin__selector_ref(sel ? &sel->base : NULL);
    return sel;
}

void kin_field_selector_unref(const kin_field_selector *sel)
{
    kin__selector_unref(sel ? &sel->base : NULL);
}

/* --- matching --- */

bool kin_field_selector_matches_fn(const kin_field_selector *sel, kin_field_lookup_fn *lookup,
                                   void *arg)
{
    if (!sel || !lookup || sel->base.nothing)
        return false;
    for (size_t i = 0; i < sel->base.n; i++) {
        const kin_field_requirement *r = &sel->requirements[i];
        kin_str value = {NULL, 0};

        if (!lookup(r->field, &value, arg))
            value = kin_str_make(NULL, 0); /* absent is empty */
        if (kin_str_equal(value, r->value) != (r->op == KIN_SELECTOR_EQUALS))
            return false;
    }
    return true;
}

/* An object, and room for the text of a value that it does not hold as text. */
struct object_fields {
    const kin_object *object;
    kin_scratch scratch;
};

static bool lookup_in_object(kin_str field, kin_str *ret_value, void *arg)
{
    struct object_fields *fields = arg;

    return kin__object_field(fields->object, field, &fields->scratch, ret_value);
}

bool kin_field_selector_matches(const kin_field_selector *sel, const kin_object *object)
{
    struct object_fields fields;

    fields.object = object; /* the scratch needs no clearing */
    return object && kin_field_selector_matches_fn(sel, lookup_in_object, &fields);
}

/* --- looking into it --- */

bool kin_field_selector_is_empty(const kin_field_selector *sel)
{
    return sel && sel->base.n == 0 && !sel->base.nothing;
}

bool kin_field_selector_is_nothing(const kin_field_selector *sel)
{
    return !sel || sel->base.nothing;
}

size_t kin_field_selector_count(const kin_field_selector *sel)
{
    return sel ? sel->base.n : 0;
}

const kin_field_requirement *kin_field_selector_get_requirement(const kin_field_selector *sel,
                                                                size_t index)
{
    return sel && index < sel->base.n ? &sel->requirements[index] : NULL;
}

bool kin_field_selector_requires_exact_match(const kin_field_selector *sel, kin_str field,
                                             kin_str *ret_value)
{
    for (size_t i = 0; sel && i < sel->base.n; i++) {
        const kin_field_requirement *r = &sel->requirements[i];

        if (r->op != KIN_SELECTOR_EQUALS || !kin_str_equal(r->field, field))
            continue;
        if (ret_value)
            *ret_value = r->value;
        return true;
    }
    return false;
}
