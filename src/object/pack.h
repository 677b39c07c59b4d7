/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed strings: texts of a fixed form that need fewer bytes as numbers. Each form is packed only
 * if unpacking gives back the very same text.
 */
#ifndef KIN_OBJECT_PACK_H
#define KIN_OBJECT_PACK_H

#include <stdbool.h>
#include <stdint.h>

#include "kinform/value.h"
#include "object/tape.h"

/*
 * No packed value takes more than this, its tag included, and none unpacks to more than a
 * kin_scratch holds.
 */
#define KIN__PACKED_MAX 256u

/* The packed form with its tag at `out`, and its length; 0 if the text has no packed form. */
size_t kin__pack(uint8_t out[KIN__PACKED_MAX], const char *text, size_t len);

/*
 * Whether the text looks as if its packed form were about as small as a reference to it. Quick, a
 * guess.
 */
static inline bool kin__packs_well(const char *text, size_t len)
{
    if (len == 20 || len == 27)
        return text[4] == '-' && text[10] == 'T' && text[len - 1] == 'Z';
    return len == 36 && text[8] == '-' && text[13] == '-';
}

/* The text of a packed value; `at` is at its tag. */
kin_str kin__unpack(const uint8_t *at, kin_scratch *scratch);

/* Where a packed value ends. */
const uint8_t *kin__pack_skip(const uint8_t *at);

#endif
