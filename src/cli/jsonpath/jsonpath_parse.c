/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parser of templates. kubectl's grammar is what its parser does, and some of it is odd: brackets
 * end at the first `]`, quotes or not, and a name in them is taken apart at its dots, which a backslash
 * prevents. This one is the same in three layers, so that nothing calls itself: an action may hold a
 * filter, whose sides are operands, which may hold a union, whose parts are plain.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/jsonpath/jsonpath_scan.h"

/* --- brackets --- */

/* "3", "-1", "" */
static int parse_bound(struct scan *s, struct slice_bound *ret, kin_str text)
{
    char digits[16];
    char *end;

    *ret = (struct slice_bound){0, text.len > 0};
    if (text.len == 0)
        return 0;
    size_t len = text.len < sizeof(digits) ? text.len : sizeof(digits) - 1;
    memcpy(digits, text.data, len);
    digits[len] = '\0';
    ret->value = strtol(digits, &end, 10);
    if (*end || !((digits[0] >= '0' && digits[0] <= '9') || (digits[0] == '-' && digits[1])))
        return scan_bad(s, "in brackets stands an index, *, a name in single quotes, or ?(…)");
    if (text.len > 10)
        return scan_bad(s, "this index is too large");
    return 0;
}

/* "0", "1:3", "::2", "*" */
static int parse_slice(struct scan *s, struct step_list *list, kin_str text)
{
    struct step *step = scan_add_step(s, list, STEP_SLICE);
    size_t n = 0;

    if (kin_str_equal(text, kin_str_of("*")))
        return 0;
    step->is_index = true;
    for (size_t start = 0; start <= text.len; n++) {
        const char *colon = memchr(text.data + start, ':', text.len - start);
        size_t end = colon ? (size_t)(colon - text.data) : text.len;

        if (n == 3)
            return scan_bad(s, "a slice has three parts at most");
        step->is_index = n == 0 && !colon;
        int code = parse_bound(s, &step->bounds[n], kin_str_make(text.data + start, end - start));
        if (code < 0)
            return code;
        start = end + 1;
    }
    return 0; /* `[]` is the first item, as kubectl has it */
}

/* One part of brackets: a name in quotes, or items. */
static int parse_part(struct scan *s, struct step_list *list, kin_str text)
{
    if (text.len >= 2 && text.data[0] == '\'' && text.data[text.len - 1] == '\'' &&
        !memchr(text.data + 1, '\'', text.len - 2)) {
        scan_quoted_fields(s, list, kin_str_make(text.data + 1, text.len - 2));
        return 0;
    }
    return parse_slice(s, list, text);
}

static kin_str trimmed(kin_str s)
{
    while (s.len > 0 && s.data[0] == ' ')
        s = kin_str_make(s.data + 1, s.len - 1);
    while (s.len > 0 && s.data[s.len - 1] == ' ')
        s.len--;
    return s;
}

static int parse_union(struct scan *s, struct step_list *list, kin_str text)
{
    struct step *step = scan_add_step(s, list, STEP_UNION);
    size_t n = 1;

    for (size_t i = 0; i < text.len; i++)
        n += text.data[i] == ',';
    step->lists = scan_block(s->path, n * sizeof(*step->lists));
    for (size_t start = 0; step->n_lists < n;) {
        const char *comma = memchr(text.data + start, ',', text.len - start);
        size_t end = comma ? (size_t)(comma - text.data) : text.len;
        kin_str part = trimmed(kin_str_make(text.data + start, end - start));
        int code = parse_part(s, &step->lists[step->n_lists++], part);

        if (code < 0)
            return code;
        start = end + 1;
    }
    return 0;
}

static int parse_brackets(struct scan *s, struct step_list *list)
{
    size_t start = ++s->at;

    while (scan_peek(s) != ']') {
        if (scan_peek(s) < 0 || scan_peek(s) == '\n')
            return scan_bad(s, "a ] is missing");
        s->at++;
    }
    kin_str text = kin_str_make(s->text.data + start, s->at - start);
    int code = text.len > 0 && memchr(text.data, ',', text.len) ? parse_union(s, list, text)
                                                                : parse_part(s, list, text);
    s->at++;
    return code;
}

/* --- operands --- */

/* true, false, range, end. The last two say what the action is; others are mistakes. */
static int parse_identifier(struct scan *s, struct step_list *list, enum node_type *type)
{
    size_t start = s->at;

    while (!scan_is_terminator(scan_peek(s)))
        s->at++;
    kin_str word = kin_str_make(s->text.data + start, s->at - start);
    if (kin_str_equal(word, kin_str_of("true")) || kin_str_equal(word, kin_str_of("false")))
        scan_add_step(s, list, STEP_BOOL)->number = word.len == 4;
    else if (type && kin_str_equal(word, kin_str_of("range")))
        *type = NODE_RANGE;
    else if (type && kin_str_equal(word, kin_str_of("end")))
        *type = NODE_END;
    else {
        s->at = start;
        return scan_bad(s, "a path begins with a dot, as .metadata.name; a text stands in quotes");
    }
    return 0;
}

static int parse_recursive(struct scan *s, struct step_list *list)
{
    if (list->last && list->last->type == STEP_RECURSIVE)
        return scan_bad(s, ".. twice");
    s->at += 2;
    scan_add_step(s, list, STEP_RECURSIVE);
    if (scan_is_word(scan_peek(s)))
        scan_field(s, list);
    return 0;
}

/* The next thing of an operand. */
static int parse_operand_step(struct scan *s, struct step_list *list, enum node_type *type)
{
    int c = scan_peek(s);

    if (scan_begins_with(s, ".."))
        return parse_recursive(s, list);
    if (c == '[')
        return parse_brackets(s, list);
    if (c == '"' || c == '\'')
        return scan_string(s, list);
    if (c == '+' || c == '-' || (c >= '0' && c <= '9'))
        return scan_number(s, list);
    if (scan_is_word(c))
        return parse_identifier(s, list, type);
    if (c != ' ' && c != '@' && c != '$' && c != '.')
        return scan_bad(s, c < 0 || c == '\n' ? "a } is missing" : "this cannot stand here");
    s->at++;
    if (c == '.')
        scan_field(s, list);
    return 0;
}

static int parse_operand(struct scan *s, struct step_list *list, kin_str text, size_t offset)
{
    struct scan inner = {s->path, text, 0, s->base + offset, s->err};
    int code = 0;

    while (code == 0 && inner.at < text.len)
        code = scan_begins_with(&inner, "[?(") ? scan_bad(&inner, "a filter in a filter")
                                               : parse_operand_step(&inner, list, NULL);
    return code;
}

/* --- filters --- */

/* Where the `)` of a filter is: behind the quotes, of which there may be one pair. */
static int find_end(struct scan *s, size_t *ret)
{
    char quote = '\0';
    bool is_closed = false;

    for (size_t i = s->at; i < s->text.len && s->text.data[i] != '\n'; i++) {
        char c = s->text.data[i];

        if ((c == '"' || c == '\'') && !quote)
            quote = c;
        else if (quote && c == quote && s->text.data[i - 1] != '\\')
            is_closed = true;
        else if (c == ')' && (!quote || is_closed)) {
            *ret = i;
            return 0;
        }
    }
    return scan_bad(s, "a ) is missing");
}

static int parse_operator(struct scan *s, enum filter_operator *ret, kin_str text)
{
    static const char *const names[] = {
        [FILTER_EQUAL] = "==",      [FILTER_NOT_EQUAL] = "!=", [FILTER_LESS] = "<",
        [FILTER_LESS_EQUAL] = "<=", [FILTER_GREATER] = ">",    [FILTER_GREATER_EQUAL] = ">=",
    };

    for (size_t i = FILTER_EQUAL; i <= FILTER_GREATER_EQUAL; i++) {
        if (kin_str_equal(text, kin_str_of(names[i]))) {
            *ret = (enum filter_operator)i;
            return 0;
        }
    }
    return scan_bad(s, "a filter compares with ==, !=, <, <=, > or >=");
}

static size_t span(kin_str text, size_t at, bool operators)
{
    while (at < text.len && (strchr("!<>=", text.data[at]) != NULL && text.data[at]) == operators)
        at++;
    return at;
}

/* Behind "[?(". */
static int parse_filter(struct scan *s, struct step_list *list)
{
    struct step *step = scan_add_step(s, list, STEP_FILTER);
    size_t end = 0;

    s->at += 3;
    int code = find_end(s, &end);
    if (code < 0)
        return code;
    size_t start = s->at;
    kin_str text = kin_str_make(s->text.data + start, end - start);
    size_t op = span(text, 0, false);
    size_t right = span(text, op, true);
    step->lists = scan_block(s->path, 2 * sizeof(*step->lists));
    step->n_lists = 2;
    if (op == 0 || right == op || right == text.len) {
        code = parse_operand(s, &step->lists[0], text, start);
    } else {
        code = parse_operator(s, &step->op, kin_str_make(text.data + op, right - op));
        if (code == 0)
            code = parse_operand(s, &step->lists[0], kin_str_make(text.data, op), start);
        if (code == 0)
            code = parse_operand(s, &step->lists[1],
                                 kin_str_make(text.data + right, text.len - right), start + right);
    }
    s->at = end + 1;
    if (code == 0 && scan_peek(s) != ']')
        return scan_bad(s, "a filter ends with )]");
    s->at++;
    return code;
}

/* --- templates --- */

static struct node *add_node(struct jsonpath *path, enum node_type type)
{
    path->nodes = memory_resize(path->nodes, path->len + 1, sizeof(*path->nodes));
    struct node *node = &path->nodes[path->len++];
    *node = (struct node){type, {NULL, 0}, {NULL, NULL}, 0};
    return node;
}

/* Behind the brace. */
static int parse_action(struct scan *s)
{
    struct node *node = add_node(s->path, NODE_ACTION);

    while (scan_peek(s) != '}') {
        int code = scan_begins_with(s, "[?(") ? parse_filter(s, &node->steps)
                                              : parse_operand_step(s, &node->steps, &node->type);

        if (code < 0)
            return code;
    }
    s->at++;
    return 0;
}

static void parse_text(struct scan *s)
{
    size_t start = s->at;

    while (scan_peek(s) >= 0 && scan_peek(s) != '{')
        s->at++;
    add_node(s->path, NODE_TEXT)->text =
        scan_keep(s->path, kin_str_make(s->text.data + start, s->at - start));
}

/* Which end is of which range. */
static int match_ranges(struct jsonpath *path, kin_error *err)
{
    size_t open[JSONPATH_MAX_RANGES];
    size_t depth = 0;

    for (size_t i = 0; i < path->len; i++) {
        struct node *node = &path->nodes[i];

        if (node->type == NODE_RANGE) {
            if (depth == JSONPATH_MAX_RANGES)
                return kin_error_set(err, KIN_ELIMIT, "more than %d ranges in each other",
                                     JSONPATH_MAX_RANGES);
            open[depth++] = i;
        } else if (node->type == NODE_END) {
            if (depth == 0)
                return kin_error_set(err, KIN_EPARSE, "there is an {end} without a {range …}");
            node->match = open[--depth];
            path->nodes[node->match].match = i;
        }
    }
    /* One that is not ended goes to the end of the template. */
    for (; depth > 0; depth--) {
        struct node *end = add_node(path, NODE_END);

        end->match = open[depth - 1];
        path->nodes[end->match].match = path->len - 1;
    }
    return 0;
}

int jsonpath_parse(struct jsonpath **ret, kin_str text, kin_error *err)
{
    if (text.len > JSONPATH_MAX_LENGTH)
        return kin_error_set(err, KIN_ELIMIT, "a template of more than %d bytes",
                             JSONPATH_MAX_LENGTH);
    struct jsonpath *path = memory_zeroed(1, sizeof(*path));
    struct scan s = {path, text, 0, 0, err};
    int code = 0;

    while (code == 0 && s.at < text.len) {
        if (scan_peek(&s) == '{') {
            s.at++;
            code = parse_action(&s);
        } else {
            parse_text(&s);
        }
    }
    if (code == 0)
        code = match_ranges(path, err);
    if (code < 0) {
        jsonpath_free(path);
        return code;
    }
    *ret = path;
    return 0;
}

int jsonpath_parse_relaxed(struct jsonpath **ret, kin_str text, kin_error *err)
{
    struct text template = TEXT_INIT;

    if (text.len >= 2 && text.data[0] == '{' && text.data[text.len - 1] == '}')
        text = kin_str_make(text.data + 1, text.len - 2);
    if (text.len == 0)
        return kin_error_set(err, KIN_EPARSE, "an empty path");
    if (memchr(text.data, '{', text.len) || memchr(text.data, '}', text.len))
        return kin_error_set(err, KIN_EPARSE, "one path is wanted, as .metadata.name");
    text_add_char(&template, '{');
    if (!strchr(".[@$", text.data[0]))
        text_add_char(&template, '.');
    text_add(&template, text);
    text_add_char(&template, '}');
    int code = jsonpath_parse(ret, text_view(&template), err);
    text_done(&template);
    return code;
}

void jsonpath_free(struct jsonpath *path)
{
    if (!path)
        return;
    while (path->blocks) {
        struct jsonpath_block *next = path->blocks->next;

        free(path->blocks);
        path->blocks = next;
    }
    free(path->nodes);
    free(path);
}
