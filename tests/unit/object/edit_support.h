/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of what changes documents: documents from short texts, and random ones of the
 * reference, small and with the keys that are hard for paths and pointers.
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
#include "random_document.h"
#include "reference.h"
#include "rng.h"

/* --- documents --- */

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

/* --- the reference --- */

/* Of one value, as JSON. */
static inline ref_value *ref_of(const char *json)
{
    return ref_parse(json, strlen(json));
}

/* free() it. */
static inline char *ref_json(const ref_value *r)
{
    ref_text text = {NULL, 0, 0};

    ref_print(&text, r);
    return text.data;
}

static inline const kin_object *ref_doc(const ref_value *r)
{
    char *json = ref_json(r);
    const kin_object *object = from_json(json);

    free(json);
    return object;
}

/* --- at random --- */

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

static inline ref_value *random_ref(kin_test_rng *rng, unsigned depth, bool nulls)
{
    unsigned kind = (unsigned)kin_test_below(rng, depth == 0 ? 4 : 10);

    if (kind < 4) {
        size_t first = nulls ? 0 : 1;

        return ref_of(
            ref_scalars[first + kin_test_below(rng, kin__array_len(ref_scalars) - first)]);
    }
    ref_value *r = ref_new(kind < 6 ? KIN_ARRAY : KIN_MAP, NULL, 0);
    /* Now and then enough for an index. */
    size_t len = kin_test_below(rng, kin_test_below(rng, 8) == 0 ? 40 : 5);
    for (size_t i = 0; i < len; i++) {
        ref_value *item = random_ref(rng, len > 8 ? 0 : depth - 1, nulls);

        if (r->type == KIN_MAP)
            ref_set(r, random_key(rng), item);
        else
            ref_insert(r, i, NULL, item);
    }
    return r;
}

static inline ref_value *random_map(kin_test_rng *rng, unsigned depth, bool nulls)
{
    ref_value *r = ref_new(KIN_MAP, NULL, 0);
    size_t len = kin_test_below(rng, 5);

    for (size_t i = 0; i < len; i++)
        ref_set(r, random_key(rng), random_ref(rng, depth, nulls));
    return r;
}

/* A few changes anywhere. */
static inline void mutate_ref(kin_test_rng *rng, ref_value *r, bool nulls)
{
    for (size_t i = 0; i < r->n_elements; i++) {
        if (ref_is_container(r->elements[i]))
            mutate_ref(rng, r->elements[i], nulls);
    }
    if (r->n_elements > 0 && kin_test_below(rng, 3) == 0)
        ref_free(ref_take(r, kin_test_below(rng, r->n_elements)));
    if (kin_test_below(rng, 3) != 0)
        return;
    if (r->type == KIN_MAP)
        ref_set(r, random_key(rng), random_ref(rng, 2, nulls));
    else
        ref_insert(r, kin_test_below(rng, r->n_elements + 1), NULL, random_ref(rng, 2, nulls));
}

#endif
