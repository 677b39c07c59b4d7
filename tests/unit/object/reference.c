/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The plain tree. Recursive where that is plain: depths are those of the tests' own documents, a
 * few hundred at most.
 */
#include "reference.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kinform/json.h"
#include "kinform/memory.h"

static char problem[1024];

static void *checked(void *memory)
{
    if (!memory)
        abort();
    return memory;
}

static char *copy_bytes(const void *bytes, size_t len)
{
    char *copy = checked(malloc(len + 1));

    if (len)
        memcpy(copy, bytes, len);
    copy[len] = '\0';
    return copy;
}

/* --- texts --- */

void ref_append(ref_text *text, const void *bytes, size_t len)
{
    if (!text->data || text->len + len + 1 > text->cap) {
        text->cap = (text->len + len + 1) * 2;
        text->data = checked(realloc(text->data, text->cap));
    }
    if (len)
        memcpy(text->data + text->len, bytes, len);
    text->len += len;
    text->data[text->len] = '\0';
}

void ref_append_str(ref_text *text, const char *s)
{
    ref_append(text, s, strlen(s));
}

void ref_append_char(ref_text *text, char c)
{
    ref_append(text, &c, 1);
}

/* --- making trees --- */

ref_value *ref_new(enum kin_type type, const void *text, size_t len)
{
    ref_value *value = checked(calloc(1, sizeof(*value)));

    value->type = type;
    if (text) {
        value->text = copy_bytes(text, len);
        value->text_len = len;
    }
    return value;
}

void ref_set_key(ref_value *value, const void *key, size_t len)
{
    char *copy = copy_bytes(key, len); /* it may be the one that goes */

    free(value->key);
    value->key = copy;
    value->key_len = len;
}

void ref_add(ref_value *container, ref_value *element)
{
    size_t n = container->n_elements;

    /* A power of two: full. */
    if ((n & (n - 1)) == 0)
        container->elements =
            checked(realloc(container->elements, (n ? 2 * n : 1) * sizeof(ref_value *)));
    container->elements[container->n_elements++] = element;
}

static bool has_key(const ref_value *value, const char *key, size_t len)
{
    return value->key_len == len && memcmp(value->key, key, len) == 0;
}

void ref_put(ref_value *map, const void *key, size_t len, ref_value *element)
{
    ref_value **elements = map->elements;

    for (size_t i = 0; i < map->n_elements; i++) {
        if (has_key(elements[i], key, len)) {
            ref_free(elements[i]);
            memmove(&elements[i], &elements[i + 1],
                    (map->n_elements - i - 1) * sizeof(ref_value *));
            elements[map->n_elements - 1] = element;
            ref_set_key(element, key, len);
            return;
        }
    }
    ref_set_key(element, key, len);
    ref_add(map, element);
}

void ref_replace(ref_value *container, size_t at, ref_value *element)
{
    ref_value *before = container->elements[at];

    free(element->key);
    element->key = before->key;
    element->key_len = before->key_len;
    before->key = NULL;
    ref_free(before);
    container->elements[at] = element;
}

void ref_insert(ref_value *container, size_t at, const char *key, ref_value *element)
{
    if (at > container->n_elements)
        abort(); /* a mistake of the test itself */
    if (key) {
        ref_set_key(element, key, strlen(key));
    } else {
        free(element->key);
        element->key = NULL;
        element->key_len = 0;
    }
    ref_add(container, element);
    for (size_t i = container->n_elements - 1; i > at; i--) {
        container->elements[i] = container->elements[i - 1];
        container->elements[i - 1] = element;
    }
}

ref_value *ref_take(ref_value *container, size_t at)
{
    ref_value *element = container->elements[at];

    container->n_elements--;
    memmove(&container->elements[at], &container->elements[at + 1],
            (container->n_elements - at) * sizeof(ref_value *));
    return element;
}

void ref_set(ref_value *map, const char *key, ref_value *element)
{
    size_t at = ref_find(map, key);

    if (at < map->n_elements)
        ref_replace(map, at, element);
    else
        ref_insert(map, at, key, element);
}

ref_value *ref_copy(const ref_value *value)
{
    ref_value *copy = ref_new(value->type, value->text, value->text_len);

    copy->truth = value->truth;
    if (value->key)
        ref_set_key(copy, value->key, value->key_len);
    for (size_t i = 0; i < value->n_elements; i++)
        ref_add(copy, ref_copy(value->elements[i]));
    return copy;
}

void ref_free(ref_value *value)
{
    if (!value)
        return;
    for (size_t i = 0; i < value->n_elements; i++)
        ref_free(value->elements[i]);
    free(value->elements);
    free(value->key);
    free(value->text);
    free(value);
}

ref_value *ref_get(const ref_value *map, const char *key, size_t len)
{
    for (size_t i = 0; map->type == KIN_MAP && i < map->n_elements; i++) {
        if (has_key(map->elements[i], key, len))
            return map->elements[i];
    }
    return NULL;
}

size_t ref_find(const ref_value *map, const char *key)
{
    size_t at = 0;

    while (at < map->n_elements && !has_key(map->elements[at], key, strlen(key)))
        at++;
    return at;
}

bool ref_is_container(const ref_value *value)
{
    return value->type == KIN_MAP || value->type == KIN_ARRAY;
}

size_t ref_count(const ref_value *value)
{
    size_t count = 1;

    for (size_t i = 0; i < value->n_elements; i++)
        count += ref_count(value->elements[i]);
    return count;
}

size_t ref_depth(const ref_value *value)
{
    size_t depth = 0;

    for (size_t i = 0; i < value->n_elements; i++) {
        size_t below = ref_depth(value->elements[i]);

        depth = below > depth ? below : depth;
    }
    return depth + ref_is_container(value);
}

/* --- reading and writing --- */

struct reader {
    const char *p;
    const char *end;
};

static char peek(struct reader *r)
{
    while (r->p < r->end && strchr(" \t\r\n", *r->p) && *r->p)
        r->p++;
    if (r->p == r->end)
        return '\0';
    return *r->p;
}

static unsigned read_hex(struct reader *r)
{
    char digits[5] = {0};

    if (r->end - r->p < 4)
        abort();
    memcpy(digits, r->p, 4);
    r->p += 4;
    return (unsigned)strtoul(digits, NULL, 16);
}

static void append_utf8(ref_text *text, unsigned code)
{
    if (code < 0x80) {
        ref_append_char(text, (char)code);
        return;
    }
    if (code < 0x800) {
        ref_append_char(text, (char)(0xc0 | code >> 6));
    } else if (code < 0x10000) {
        ref_append_char(text, (char)(0xe0 | code >> 12));
        ref_append_char(text, (char)(0x80 | (code >> 6 & 0x3f)));
    } else {
        ref_append_char(text, (char)(0xf0 | code >> 18));
        ref_append_char(text, (char)(0x80 | (code >> 12 & 0x3f)));
        ref_append_char(text, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    ref_append_char(text, (char)(0x80 | (code & 0x3f)));
}

static void read_escape(struct reader *r, ref_text *text)
{
    static const char from[] = "\"\\/bfnrt";
    static const char to[] = "\"\\/\b\f\n\r\t";
    char c = *r->p++;

    if (c != 'u') {
        const char *found = strchr(from, c);

        if (!found || !c)
            abort();
        ref_append_char(text, to[found - from]);
        return;
    }
    unsigned code = read_hex(r);

    if (code >= 0xd800 && code < 0xdc00) {
        r->p += 2;
        code = 0x10000 + ((code - 0xd800) << 10) + (read_hex(r) - 0xdc00);
    }
    append_utf8(text, code);
}

static ref_text read_string(struct reader *r)
{
    ref_text text = {NULL, 0, 0};

    ref_append(&text, "", 0);
    if (peek(r) != '"')
        abort();
    for (r->p++; *r->p != '"';) {
        if (r->end - r->p < 2)
            abort();
        if (*r->p == '\\') {
            r->p++;
            read_escape(r, &text);
        } else {
            ref_append_char(&text, *r->p++);
        }
    }
    r->p++;
    return text;
}

static ref_value *read_value(struct reader *r);

static void read_elements(struct reader *r, ref_value *container)
{
    char last = container->type == KIN_MAP ? '}' : ']';

    for (r->p++; peek(r) != last;) {
        if (r->p >= r->end)
            abort();
        if (*r->p == ',')
            r->p++;
        if (container->type == KIN_ARRAY) {
            ref_add(container, read_value(r));
            continue;
        }
        ref_text key = read_string(r);

        if (peek(r) != ':')
            abort();
        r->p++;
        ref_put(container, key.data, key.len, read_value(r));
        free(key.data);
    }
    r->p++;
}

static ref_value *read_number(struct reader *r)
{
    const char *begin = r->p;
    enum kin_type type = KIN_INTEGER;

    while (r->p < r->end && *r->p && strchr("+-.0123456789eE", *r->p)) {
        if (strchr(".eE", *r->p))
            type = KIN_NUMBER;
        r->p++;
    }
    if (r->p == begin)
        abort();
    return ref_new(type, begin, (size_t)(r->p - begin));
}

static ref_value *read_value(struct reader *r)
{
    ref_value *value;
    ref_text text;

    switch (peek(r)) {
    case '{':
    case '[':
        value = ref_new(*r->p == '{' ? KIN_MAP : KIN_ARRAY, NULL, 0);
        read_elements(r, value);
        return value;
    case '"':
        text = read_string(r);
        value = ref_new(KIN_STRING, text.data, text.len);
        free(text.data);
        return value;
    case 't':
    case 'f':
        value = ref_new(KIN_BOOL, NULL, 0);
        value->truth = *r->p == 't';
        r->p += value->truth ? 4 : 5;
        return value;
    case 'n':
        r->p += 4;
        return ref_new(KIN_NULL, NULL, 0);
    default:
        return read_number(r);
    }
}

ref_value *ref_parse(const char *text, size_t len)
{
    struct reader r = {text, text + len};

    return read_value(&r);
}

static void print_string(ref_text *out, const char *text, size_t len)
{
    ref_append_char(out, '"');
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        char escape[8];

        if (c == '"' || c == '\\')
            ref_append_char(out, '\\');
        if (c < 0x20) {
            snprintf(escape, sizeof(escape), "\\u%04x", c);
            ref_append_str(out, escape);
        } else {
            ref_append_char(out, (char)c);
        }
    }
    ref_append_char(out, '"');
}

void ref_print(ref_text *out, const ref_value *value)
{
    switch (value->type) {
    case KIN_MAP:
    case KIN_ARRAY:
        ref_append_char(out, value->type == KIN_MAP ? '{' : '[');
        for (size_t i = 0; i < value->n_elements; i++) {
            if (i > 0)
                ref_append_char(out, ',');
            if (value->type == KIN_MAP) {
                print_string(out, value->elements[i]->key, value->elements[i]->key_len);
                ref_append_char(out, ':');
            }
            ref_print(out, value->elements[i]);
        }
        ref_append_char(out, value->type == KIN_MAP ? '}' : ']');
        break;
    case KIN_STRING:
        print_string(out, value->text, value->text_len);
        break;
    case KIN_BOOL:
        ref_append_str(out, value->truth ? "true" : "false");
        break;
    case KIN_NULL:
        ref_append_str(out, "null");
        break;
    default:
        ref_append(out, value->text, value->text_len);
        break;
    }
}

/* --- comparing --- */

/* All but the elements. */
static bool same_outside(const ref_value *a, const ref_value *b)
{
    return a->type == b->type && a->truth == b->truth && a->text_len == b->text_len &&
           a->n_elements == b->n_elements &&
           (a->text_len == 0 || memcmp(a->text, b->text, a->text_len) == 0);
}

bool ref_equal(const ref_value *a, const ref_value *b)
{
    if (!same_outside(a, b))
        return false;
    for (size_t i = 0; i < a->n_elements; i++) {
        const ref_value *x = a->elements[i];
        const ref_value *y = a->type == KIN_MAP ? ref_get(b, x->key, x->key_len) : b->elements[i];

        if (!y || !ref_equal(x, y))
            return false;
    }
    return true;
}

bool ref_same(const ref_value *a, const ref_value *b)
{
    if (!same_outside(a, b))
        return false;
    for (size_t i = 0; i < a->n_elements; i++) {
        const ref_value *x = a->elements[i];
        const ref_value *y = b->elements[i];

        if (x->key_len != y->key_len || (x->key_len && memcmp(x->key, y->key, x->key_len) != 0) ||
            !ref_same(x, y))
            return false;
    }
    return true;
}

static const char *wrong(const ref_value *expected, const char *what)
{
    ref_text text = {NULL, 0, 0};

    ref_print(&text, expected);
    snprintf(problem, sizeof(problem), "%s, of %s %.400s", what, kin_type_name(expected->type),
             text.data);
    free(text.data);
    return problem;
}

static bool same_bytes(kin_str actual, const char *text, size_t len)
{
    return kin_str_equal(actual, kin_str_make(text, len));
}

static const char *check_scalar(const ref_value *expected, kin_value actual)
{
    kin_scratch scratch;
    kin_str text;
    bool truth;

    switch (expected->type) {
    case KIN_STRING:
        if (kin_value_string(&text, actual, &scratch) != 0 ||
            !same_bytes(text, expected->text, expected->text_len))
            return wrong(expected, "another string");
        break;
    case KIN_BOOL:
        if (kin_value_bool(&truth, actual) != 0 || truth != expected->truth)
            return wrong(expected, "another truth");
        break;
    case KIN_NULL:
        break;
    default:
        if (kin_value_number(&text, actual, &scratch) != 0 ||
            !same_bytes(text, expected->text, expected->text_len))
            return wrong(expected, "another number");
        break;
    }
    return kin_value_len(actual) == 0 ? NULL : wrong(expected, "a scalar with elements");
}

static bool is_same_place(kin_value a, kin_value b)
{
    return a.owner == b.owner && a.at == b.at;
}

/* Looking every member up takes time in the square of their number. */
#define LOOKUPS_MAX 200u

static const char *check_elements(const ref_value *expected, kin_value actual)
{
    kin_iter it;
    size_t i = 0;

    if (kin_value_len(actual) != expected->n_elements)
        return wrong(expected, "another number of elements");
    for (kin_iter_init(&it, actual); kin_iter_next(&it); i++) {
        const ref_value *element = expected->elements[i];
        kin_value found = kin_value_at(actual, i < LOOKUPS_MAX ? i : SIZE_MAX);

        if (it.index != i)
            return wrong(expected, "a wrong index");
        if (expected->type == KIN_MAP) {
            if (!same_bytes(it.key, element->key, element->key_len))
                return wrong(element, "another key");
            found = kin_value_get(
                actual, i < LOOKUPS_MAX ? kin_str_make(element->key, element->key_len) : it.key);
        }
        if ((i < LOOKUPS_MAX || expected->type == KIN_MAP) && !is_same_place(found, it.value))
            return wrong(element, "lookup finds another element");

        const char *inner = ref_check(element, it.value);

        if (inner)
            return inner;
    }
    return kin_iter_next(&it) ? wrong(expected, "an element behind the last") : NULL;
}

const char *ref_check(const ref_value *expected, kin_value actual)
{
    if (kin_value_type(actual) != expected->type) {
        snprintf(problem, sizeof(problem), "a %s", kin_type_name(kin_value_type(actual)));

        char what[64];

        snprintf(what, sizeof(what), "%.60s", problem);
        return wrong(expected, what);
    }
    if (expected->type == KIN_MAP || expected->type == KIN_ARRAY)
        return check_elements(expected, actual);
    return check_scalar(expected, actual);
}

static const char *check_encoding(const ref_value *expected, const kin_object *object,
                                  enum kin_json_style style)
{
    char *text;
    size_t len;

    if (kin_object_to_json(&text, &len, object, style, NULL) != 0)
        return wrong(expected, "it cannot be encoded");

    ref_value *again = ref_parse(text, len);
    bool same = ref_same(expected, again) && strlen(text) == len;

    ref_free(again);
    kin_free(text);
    return same ? NULL : wrong(expected, "it is encoded as something else");
}

const char *ref_check_object(const ref_value *expected, const kin_object *object)
{
    const char *what = ref_check(expected, kin_object_root(object));

    if (!what)
        what = check_encoding(expected, object, KIN_JSON_COMPACT);
    if (!what)
        what = check_encoding(expected, object, KIN_JSON_PRETTY);
    return what;
}

/* --- projections --- */

static bool step_matches(const char *step, const ref_value *element)
{
    if (!element->key)
        return strcmp(step, "[*]") == 0;
    return strcmp(step, "[*]") != 0 &&
           (strcmp(step, "*") == 0 || has_key(element, step, strlen(step)));
}

/* Whether the step is the very name of a member: then no '*' beside it counts. */
static bool is_named(const char *step, const ref_value *element)
{
    return element->key && has_key(element, step, strlen(step));
}

/* What the paths say of an element that `n` steps of each lead to; those that do are `live`. */
struct verdict {
    bool ends;   /* some path ends here */
    bool passes; /* some path goes on below */
};

static struct verdict judge(const char *const *const *paths, const bool *live, size_t n_paths,
                            size_t depth)
{
    struct verdict verdict = {false, false};

    for (size_t i = 0; i < n_paths; i++) {
        if (live[i] && !paths[i][depth])
            verdict.ends = true;
        else if (live[i])
            verdict.passes = true;
    }
    return verdict;
}

static bool is_identity(const ref_value *element, const ref_value *parent, size_t depth)
{
    static const char *const names[] = {"name", "namespace", "uid", "resourceVersion"};

    if (depth == 1)
        return has_key(element, "apiVersion", 10) || has_key(element, "kind", 4);
    for (size_t i = 0; depth == 2 && i < sizeof(names) / sizeof(names[0]); i++) {
        if (parent->key && has_key(parent, "metadata", 8) && element->key &&
            has_key(element, names[i], strlen(names[i])))
            return true;
    }
    return false;
}

#define PATHS_MAX 16

struct projecting {
    const char *const *const *paths;
    size_t n_paths;
    bool keep;
};

static ref_value *project(const struct projecting *p, const ref_value *value, const bool *live,
                          size_t depth);

/* What is left of an element, or NULL. */
static ref_value *project_element(const struct projecting *p, const ref_value *parent,
                                  const ref_value *element, const bool *live, size_t depth)
{
    bool is_container = element->type == KIN_MAP || element->type == KIN_ARRAY;
    bool is_metadata = depth == 0 && has_key(element, "metadata", 8);
    bool below[PATHS_MAX];
    bool named = false;
    struct verdict verdict;

    if (is_identity(element, parent, depth + 1))
        return ref_copy(element);
    for (size_t i = 0; i < p->n_paths; i++)
        named |= live[i] && p->paths[i][depth] && is_named(p->paths[i][depth], element);
    for (size_t i = 0; i < p->n_paths; i++)
        below[i] = live[i] && p->paths[i][depth] && step_matches(p->paths[i][depth], element) &&
                   (!named || is_named(p->paths[i][depth], element));
    verdict = judge(p->paths, below, p->n_paths, depth + 1);
    if (p->keep) {
        if (verdict.ends)
            return ref_copy(element);
        if (is_container && (verdict.passes || is_metadata))
            return project(p, element, below, depth + 1);
        return NULL;
    }
    if (verdict.ends && is_metadata && is_container)
        /* All of it goes but for the identity. */
        return project(&(struct projecting){NULL, 0, true}, element, below, depth + 1);
    if (verdict.ends)
        return NULL;
    return verdict.passes ? project(p, element, below, depth + 1) : ref_copy(element);
}

static ref_value *project(const struct projecting *p, const ref_value *value, const bool *live,
                          size_t depth)
{
    ref_value *result = ref_new(value->type, value->text, value->text_len);

    result->truth = value->truth;
    if (value->key)
        ref_set_key(result, value->key, value->key_len);
    for (size_t i = 0; i < value->n_elements; i++) {
        ref_value *left = project_element(p, value, value->elements[i], live, depth);

        if (left)
            ref_add(result, left);
    }
    return result;
}

ref_value *ref_project(const ref_value *root, const char *const *const *paths, size_t n_paths,
                       bool keep)
{
    bool live[PATHS_MAX];
    struct projecting p = {paths, n_paths, keep};

    if (n_paths > PATHS_MAX)
        abort();
    for (size_t i = 0; i < n_paths; i++)
        live[i] = true;
    return project(&p, root, live, 0);
}
