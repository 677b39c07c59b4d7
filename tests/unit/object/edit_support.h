/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of what changes documents: documents from short texts, and a naive reference, a
 * tree of plain arrays whose every operation is the definition written down, with recursion and
 * linear searches.
 *
 * JSON in these tests is written with single quotes, for the reader's sake.
 */
#ifndef KIN_TEST_EDIT_SUPPORT_H
#define KIN_TEST_EDIT_SUPPORT_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "rng.h"

/* ---- documents ---- */

/* JSON with the quotes it needs; free() it. */
static inline char *quoted(const char *text)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    for (char *p = copy; *p; p++) {
        if (*p == '\'')
            *p = '"';
    }
    return copy;
}

static inline const kin_object *from_json(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(json), NULL, &err) < 0)
        fail_msg("%s: %s", err.message, json);
    return object;
}

static inline const kin_object *doc(const char *text)
{
    char *json = quoted(text);
    const kin_object *object = from_json(json);

    free(json);
    return object;
}

static inline void assert_json(const kin_object *object, const char *expected)
{
    char *json = NULL;

    assert_code(kin_object_to_json(&json, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(json, expected);
    kin_free(json);
}

/* The document, to the letter and in this order; released. */
static inline void check_doc(const kin_object *object, const char *text)
{
    char *json = quoted(text);

    assert_non_null(object);
    assert_json(object, json);
    free(json);
    kin_object_unref(object);
}

/* ---- the reference ---- */

enum ref_type { REF_SCALAR, REF_ARRAY, REF_MAP };

typedef struct ref {
    enum ref_type type;
    const char *scalar; /* its JSON text, a constant */
    size_t len;
    const char **keys; /* constants, of maps */
    struct ref **items;
} ref;

static inline ref *ref_new(enum ref_type type, const char *scalar)
{
    ref *r = calloc(1, sizeof(*r));

    assert_non_null(r);
    r->type = type;
    r->scalar = scalar;
    return r;
}

static inline void ref_free(ref *r)
{
    if (!r)
        return;
    for (size_t i = 0; i < r->len; i++)
        ref_free(r->items[i]);
    free(r->items);
    free(r->keys);
    free(r);
}

static inline void ref_insert(ref *r, size_t at, const char *key, ref *item)
{
    if (at > r->len || r->len > 1000000)
        abort(); /* a mistake of the test itself */
    r->items = realloc(r->items, (r->len + 1) * sizeof(*r->items));
    r->keys = realloc(r->keys, (r->len + 1) * sizeof(*r->keys));
    assert_true(r->items && r->keys);
    memmove(r->items + at + 1, r->items + at, (r->len - at) * sizeof(*r->items));
    memmove(r->keys + at + 1, r->keys + at, (r->len - at) * sizeof(*r->keys));
    r->items[at] = item;
    r->keys[at] = key;
    r->len++;
}

static inline ref *ref_take(ref *r, size_t at)
{
    ref *item = r->items[at];

    r->len--;
    memmove(r->items + at, r->items + at + 1, (r->len - at) * sizeof(*r->items));
    memmove(r->keys + at, r->keys + at + 1, (r->len - at) * sizeof(*r->keys));
    return item;
}

/* The index of a key, or the length. */
static inline size_t ref_find(const ref *r, const char *key)
{
    size_t i = 0;

    while (i < r->len && strcmp(r->keys[i], key) != 0)
        i++;
    return i;
}

/* In place of the member that has the key, or as the last one. */
static inline void ref_put(ref *map, const char *key, ref *item)
{
    size_t at = ref_find(map, key);

    if (at == map->len) {
        ref_insert(map, at, key, item);
    } else {
        ref_free(map->items[at]);
        map->items[at] = item;
    }
}

static inline ref *ref_copy(const ref *r)
{
    ref *copy = ref_new(r->type, r->scalar);

    for (size_t i = 0; i < r->len; i++)
        ref_insert(copy, i, r->keys[i], ref_copy(r->items[i]));
    return copy;
}

/* Whether they are the same value: members in any order. Scalars have one spelling each. */
static inline bool ref_equal(const ref *a, const ref *b)
{
    if (a->type != b->type || a->len != b->len)
        return false;
    if (a->type == REF_SCALAR)
        return strcmp(a->scalar, b->scalar) == 0;
    for (size_t i = 0; i < a->len; i++) {
        size_t at = a->type == REF_MAP ? ref_find(b, a->keys[i]) : i;

        if (at == b->len || !ref_equal(a->items[i], b->items[at]))
            return false;
    }
    return true;
}

/* ---- text ---- */

typedef struct text_buf {
    char *data; /* terminated */
    size_t len;
    size_t cap;
} text_buf;

static inline void text_add(text_buf *t, const char *s, size_t len)
{
    if (t->len + len >= t->cap) {
        t->cap = 2 * (t->len + len) + 16;
        t->data = realloc(t->data, t->cap);
    }
    assert_non_null(t->data);
    memcpy(t->data + t->len, s, len);
    t->len += len;
    t->data[t->len] = '\0';
}

static inline void text_puts(text_buf *t, const char *s)
{
    text_add(t, s, strlen(s));
}

static inline void text_put_string(text_buf *t, const char *s)
{
    text_puts(t, "\"");
    for (; *s; s++) {
        if (*s == '"' || *s == '\\')
            text_puts(t, "\\");
        text_add(t, s, 1);
    }
    text_puts(t, "\"");
}

static inline void text_put_ref(text_buf *t, const ref *r)
{
    if (r->type == REF_SCALAR) {
        text_puts(t, r->scalar);
        return;
    }
    text_puts(t, r->type == REF_MAP ? "{" : "[");
    for (size_t i = 0; i < r->len; i++) {
        if (i > 0)
            text_puts(t, ",");
        if (r->type == REF_MAP) {
            text_put_string(t, r->keys[i]);
            text_puts(t, ":");
        }
        text_put_ref(t, r->items[i]);
    }
    text_puts(t, r->type == REF_MAP ? "}" : "]");
}

static inline char *ref_json(const ref *r)
{
    text_buf t = {NULL, 0, 0};

    text_put_ref(&t, r);
    return t.data;
}

static inline const kin_object *ref_doc(const ref *r)
{
    char *json = ref_json(r);
    const kin_object *object = from_json(json);

    free(json);
    return object;
}

/* ---- at random ---- */

/* Everything that some notation has to escape, names that the dictionary knows and others. */
static const char *const ref_keys[] = {
    "a",
    "b",
    "c",
    "name",
    "metadata",
    "spec",
    "x.y",
    "a/b",
    "m~n",
    "~1",
    "*",
    "[0]",
    "it's",
    "say \"hello\"",
    "back\\slash",
    "",
    "0",
    "-",
    "key with spaces",
    "\xd0\xba\xd0\xbb\xd1\x8e\xd1\x87",
    "a.b.c.d.e.f",
    "'\"'\"",
};

static const char *const ref_scalars[] = {
    "null",
    "true",
    "false",
    "0",
    "1",
    "-7",
    "31",
    "32",
    "9223372036854775807",
    "123456789012345678901234567890",
    "1.5",
    "\"\"",
    "\"x\"",
    "\"2026-01-31T12:00:00Z\"",
    "\"4cf0b3b8-7c39-4c17-8d3f-0a1b2c3d4e5f\"",
    "\"sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"",
    "\"some longer text that is shared between documents, if anything is\"",
};

static inline const char *random_key(kin_test_rng *rng)
{
    return ref_keys[kin_test_below(rng, kin__array_len(ref_keys))];
}

static inline ref *random_ref(kin_test_rng *rng, unsigned depth, bool nulls)
{
    unsigned kind = (unsigned)kin_test_below(rng, depth == 0 ? 4 : 10);

    if (kind < 4) {
        size_t first = nulls ? 0 : 1;

        return ref_new(
            REF_SCALAR,
            ref_scalars[first + kin_test_below(rng, kin__array_len(ref_scalars) - first)]);
    }
    ref *r = ref_new(kind < 6 ? REF_ARRAY : REF_MAP, NULL);
    /* Now and then enough for an index. */
    size_t len = kin_test_below(rng, kin_test_below(rng, 8) == 0 ? 40 : 5);
    for (size_t i = 0; i < len; i++) {
        ref *item = random_ref(rng, len > 8 ? 0 : depth - 1, nulls);

        if (r->type == REF_MAP)
            ref_put(r, random_key(rng), item);
        else
            ref_insert(r, i, NULL, item);
    }
    return r;
}

static inline ref *random_map(kin_test_rng *rng, unsigned depth, bool nulls)
{
    ref *r = ref_new(REF_MAP, NULL);
    size_t len = kin_test_below(rng, 5);

    for (size_t i = 0; i < len; i++)
        ref_put(r, random_key(rng), random_ref(rng, depth, nulls));
    return r;
}

/* A few changes anywhere. */
static inline void mutate_ref(kin_test_rng *rng, ref *r, bool nulls)
{
    for (size_t i = 0; i < r->len; i++) {
        if (r->items[i]->type != REF_SCALAR)
            mutate_ref(rng, r->items[i], nulls);
    }
    if (r->len > 0 && kin_test_below(rng, 3) == 0)
        ref_free(ref_take(r, kin_test_below(rng, r->len)));
    if (kin_test_below(rng, 3) != 0)
        return;
    if (r->type == REF_MAP)
        ref_put(r, random_key(rng), random_ref(rng, 2, nulls));
    else
        ref_insert(r, kin_test_below(rng, r->len + 1), NULL, random_ref(rng, 2, nulls));
}

/* The same with members in another order. */
static inline void shuffle_ref(kin_test_rng *rng, ref *r)
{
    for (size_t i = 0; i < r->len; i++)
        shuffle_ref(rng, r->items[i]);
    for (size_t i = r->len; r->type == REF_MAP && i > 1; i--) {
        size_t j = kin_test_below(rng, i);
        const char *key = r->keys[i - 1];
        ref *item = r->items[i - 1];

        r->keys[i - 1] = r->keys[j];
        r->items[i - 1] = r->items[j];
        r->keys[j] = key;
        r->items[j] = item;
    }
}

#endif
