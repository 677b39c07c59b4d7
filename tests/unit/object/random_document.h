/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random documents from a seed: of the shape that Kubernetes objects have, and nasty in every way
 * that JSON allows. A document is made as a plain tree (reference.h) and then spelled as text, so
 * that the tree is the truth that the text is to be read as.
 */
#ifndef KIN_TEST_RANDOM_DOCUMENT_H
#define KIN_TEST_RANDOM_DOCUMENT_H

#include "reference.h"
#include "rng.h"

/* How texts are spelled. */
#define RANDOM_SPACE 0x1u      /* white space wherever it may be */
#define RANDOM_ESCAPES 0x2u    /* characters as escapes, that need none */
#define RANDOM_DUPLICATES 0x4u /* members that a later one with the same key replaces */

/* A map with metadata, of up to about `size` values. OWNED. */
ref_value *random_document(kin_test_rng *rng, size_t size);
/* Any value, of up to about `size` values and `depth` levels. OWNED. */
ref_value *random_value(kin_test_rng *rng, size_t size, unsigned depth);
/* A string of some of the forms that documents hold, or almost of that form. */
void random_string(ref_text *out, kin_test_rng *rng);
/* A number in some valid spelling. */
void random_number(ref_text *out, kin_test_rng *rng);

/* The text of a value. Free data with free(). */
ref_text random_text(const ref_value *value, kin_test_rng *rng, unsigned how);

/*
 * The last objects that a test has seen. What documents have in common is in the pool only while
 * one of them lives, so a test that frees each at once would never see it shared.
 */
#define RANDOM_KEPT 40u
typedef struct random_keeper {
    const kin_object *objects[RANDOM_KEPT];
    size_t next;
} random_keeper;
/* The object is CONSUMED, and an older one freed. */
void random_keep(random_keeper *keeper, const kin_object *object);
/* Free all. */
void random_keep_none(random_keeper *keeper);

/*
 * Writes over what calls before have left on the stack: a view that points there is then seen to
 * be wrong.
 */
void random_clobber_stack(void);

/* Put the members of all maps in another order. */
void random_shuffle(ref_value *value, kin_test_rng *rng);
/* Make some value below the root another one; false if there is none. */
bool random_change(ref_value *root, kin_test_rng *rng);
/*
 * Another name for the same object, if it has one. What comes again and again in one object is
 * seen once; what others have too is shared.
 */
void random_rename(ref_value *document, unsigned n);
/* Break a text: change, remove, add or cut bytes. */
void random_damage(ref_text *text, kin_test_rng *rng);

#endif
