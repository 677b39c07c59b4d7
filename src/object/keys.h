/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary: names of members and frequent short values, each with a small number for the life
 * of the process.
 *
 * The first ids are compiled in (keys.def): the fields of the common kinds, one byte each in a
 * document, and words such as "True". Others are learnt when several objects have them, into fixed
 * room: the dictionary is bounded, never shrinks and never allocates. A word that finds no room is
 * spelled out in its document. The less room there is, the more objects must have a word.
 *
 * | operation | synchronization |
 * |-----------|-----------------|
 * | text      | none: an id's text never changes once the id is known |
 * | find      | acquire loads of the index |
 * | learn     | KEYS lock; release store of the index slot publishes the text |
 */
#ifndef KIN_OBJECT_KEYS_H
#define KIN_OBJECT_KEYS_H

#include <stdint.h>

#include "kinform/common.h"

/* Ids below this take one byte in a document, the others two. */
#define KIN__KEYS_SHORT 224u
#define KIN__KEYS_MAX 8160u
/* Instead of an id: no key (items of arrays), a key that is not in the dictionary. */
#define KIN__KEY_NONE 0xffffu
#define KIN__KEY_TEXT 0xfffeu

enum kin__key {
#define KIN__KEY_DEF(name, text) KIN__KEY_##name,
#include "object/keys.def"
#undef KIN__KEY_DEF
    KIN__KEY_BUILT_IN
};

struct kin__key_entry {
    const char *text; /* terminated */
    uint32_t len;
    uint32_t hash; /* seeded; what kin__keys_hash() says */
};

/*
 * Make the index of the built-in keys; the first call in the process does it, others are one load.
 */
void kin__keys_init(void);

uint32_t kin__keys_hash(kin_str key);

/* The id of a key, or KIN__KEY_TEXT. */
uint16_t kin__keys_find(kin_str key);
uint16_t kin__keys_find_hashed(kin_str key, uint32_t hash);

/*
 * A document has a key that was not found when it was read. The key is learnt if enough objects
 * had it; `origin` is that of kin__sightings_add().
 */
void kin__keys_note(kin_str key, uint32_t hash, uint32_t origin);
/* As find; learns the value if it was seen often enough, which is at least this often. */
#define KIN__WORD_SIGHTINGS 12u
uint16_t kin__keys_learn_value(kin_str word, uint32_t hash, unsigned sightings);
/* Values of other lengths are no words. */
#define KIN__WORD_MIN 2u
#define KIN__WORD_MAX 47u

/* How many were learnt. */
unsigned kin__keys_learnt(void);

/* For the pool's fork handlers (shared.c), which put all locks of documents in one order. */
void kin__keys_before_fork(void);
void kin__keys_after_fork(void);

/* All entries; those of ids that were handed out are const. */
extern struct kin__key_entry kin__key_entries[KIN__KEYS_MAX];

static inline kin_str kin__keys_text(uint16_t id)
{
    return kin_str_make(kin__key_entries[id].text, kin__key_entries[id].len);
}

#endif
