/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a decoder has read before, by its text: a subtree whose text is the same as that of a shared
 * value is that value, and need not be read again.
 *
 * The texts are compared whole, byte by byte; a hash only says where to look. Only texts that were
 * read and found valid are kept. One thread; bounded in entries and bytes; each entry holds a
 * reference.
 *
 * Looking costs time, too: the end of the subtree has to be found. So it keeps score, by the key
 * that the subtree stands under, and looks seldom where it finds nothing.
 */
#ifndef KIN_OBJECT_RAW_CACHE_H
#define KIN_OBJECT_RAW_CACHE_H

#include <stdint.h>

#include "object/shared.h"

#define KIN__RAW_SCORES 1024u
/* Shorter texts are read faster than looked up. */
#define KIN__RAW_TEXT_MIN 40u
/* The form of a text of JSON. Others are those of protobuf: the same bytes are another value in another message. */
#define KIN__RAW_JSON 0u

struct kin__raw_entry;

struct kin__raw_score {
    uint32_t last;  /* the slot whose entry was found last */
    uint8_t score;  /* high: finds something mostly */
    uint8_t passed; /* chances that were let pass */
    uint8_t to_pass;
};

typedef struct kin__raw_cache {
    struct kin__raw_entry **slots; /* NULL until something is added */
    size_t bytes;                  /* of all texts */
    struct kin__raw_score scores[KIN__RAW_SCORES];
} kin__raw_cache;

void kin__raw_cache_init(kin__raw_cache *cache);
void kin__raw_cache_done(kin__raw_cache *cache);

/* What is known of a text. */
struct kin__raw_known {
    const kin__shared *shared; /* BORROWED until the next add; NULL: only that the text is valid */
    size_t len;                /* of the text */
    unsigned height;           /* maps and arrays inside each other */
};

/*
 * Whether the JSON of the map or array that begins at `p` is known. `context` is a number for the
 * place it stands at: what is found at places of the same number is assumed to be alike.
 */
bool kin__raw_cache_find(kin__raw_cache *cache, unsigned context, const char *p, const char *end,
                         struct kin__raw_known *ret);
/* The same for a text of another form, whose length is known. */
bool kin__raw_cache_find_sized(kin__raw_cache *cache, unsigned context, unsigned form,
                               const char *p, size_t len, struct kin__raw_known *ret);

/*
 * Remember that this text is that value; NULL: that it is valid. Best effort: without memory, it is
 * not remembered.
 */
void kin__raw_cache_add(kin__raw_cache *cache, unsigned form, const char *text, size_t len,
                        const kin__shared *shared, unsigned height);

#endif
