/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A plain tree of JSON values, obviously right and slow: what documents are compared with.
 *
 * Strings and numbers are kept as their bytes, so nothing is lost by rounding. Functions that find
 * something wrong say what and where in a text of their own, which is BORROWED until the next call.
 */
#ifndef KIN_TEST_REFERENCE_H
#define KIN_TEST_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#include "kinform/value.h"

typedef struct ref_value {
    enum kin_type type; /* never KIN_NONE */
    char *key;          /* of a map's member; OWNED, key_len bytes; NULL for others */
    size_t key_len;
    char *text; /* STRING, INTEGER, NUMBER: OWNED, text_len bytes */
    size_t text_len;
    bool truth;                  /* BOOL */
    struct ref_value **elements; /* MAP, ARRAY */
    size_t n_elements;
} ref_value;

/* A text that grows; aborts when there is no memory. Free with free(). */
typedef struct ref_text {
    char *data;
    size_t len;
    size_t cap;
} ref_text;

void ref_append(ref_text *text, const void *bytes, size_t len);
void ref_append_str(ref_text *text, const char *s);
void ref_append_char(ref_text *text, char c);

/* OWNED; free with ref_free(). The text is COPIED. */
ref_value *ref_new(enum kin_type type, const void *text, size_t len);
void ref_set_key(ref_value *value, const void *key, size_t len);
/* The element is CONSUMED. */
void ref_add(ref_value *container, ref_value *element);
/* As ref_add() for a map; an earlier member with the same key goes. */
void ref_put(ref_value *map, const void *key, size_t len, ref_value *element);
/* In place of the member that has the key, or as the last one; CONSUMED. */
void ref_set(ref_value *map, const char *key, ref_value *element);
/* In place of the element there, with its key; CONSUMED. */
void ref_replace(ref_value *container, size_t at, ref_value *element);
/* Before the element there, or as the last one; `key` is NULL in an array. CONSUMED. */
void ref_insert(ref_value *container, size_t at, const char *key, ref_value *element);
/* Out of its container; OWNED. */
ref_value *ref_take(ref_value *container, size_t at);
ref_value *ref_copy(const ref_value *value);
void ref_free(ref_value *value);

/* The member with this key or NULL; BORROWED. */
ref_value *ref_get(const ref_value *map, const char *key, size_t len);
/* The index of the member with this key, or n_elements. */
size_t ref_find(const ref_value *map, const char *key);
bool ref_is_container(const ref_value *value);
size_t ref_count(const ref_value *value);
size_t ref_depth(const ref_value *value);

/*
 * Read valid JSON, of which nothing is checked but that it ends; of double keys the last one
 * stays.
 */
ref_value *ref_parse(const char *text, size_t len);
/* Append as JSON without white space. */
void ref_print(ref_text *out, const ref_value *value);

/* Whether both are the same to the byte: order of members, spelling of numbers. */
bool ref_same(const ref_value *a, const ref_value *b);
/* Whether both are the same value: members in any order. Numbers of one value are spelled alike. */
bool ref_equal(const ref_value *a, const ref_value *b);

/* NULL if a document's value is this one, read in every way there is; or what is wrong. */
const char *ref_check(const ref_value *expected, kin_value actual);
/* NULL if the object is this document and encodes to it in both styles; or what is wrong. */
const char *ref_check_object(const ref_value *expected, const kin_object *object);

/*
 * What a projection leaves of a document: `paths` are lists of steps, each ended by NULL; "*"
 * stands for any member that no path names there, and "[*]" for any item. Identity is kept.
 */
ref_value *ref_project(const ref_value *root, const char *const *const *paths, size_t n_paths,
                       bool keep);

#endif
