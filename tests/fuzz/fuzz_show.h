/* SPDX-License-Identifier: Apache-2.0 */
/* What fuzz targets of the command share: texts of the command line, objects, and what a terminal is shown. */
#ifndef KIN_FUZZ_SHOW_H
#define KIN_FUZZ_SHOW_H

#include <string.h>

#include "fuzz.h"
#include "kinform/json.h"

/* A terminated copy of the rest, up to its first zero, as the command line has them. OWNED, free(). */
static inline char *fuzz_text(const fuzz_input *in)
{
    char *text = malloc(in->len + 1);

    FUZZ_CHECK(text);
    if (in->len > 0)
        memcpy(text, in->data, in->len);
    text[in->len] = '\0';
    return text;
}

/* The object that it is as JSON; NULL: none. */
static inline const kin_object *fuzz_object(kin_str json)
{
    const kin_object *object = NULL;

    return kin_object_from_json(&object, json, NULL, NULL) == 0 ? object : NULL;
}

/* No C0 but the ends of lines, no DEL, no C1 as UTF-8 has them, no zero-width characters, no bidirectional overrides. */
static inline void fuzz_check_shown(kin_str s, bool lines)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];
        unsigned char next = i + 1 < s.len ? (unsigned char)s.data[i + 1] : 0;

        FUZZ_CHECK((c >= 0x20 && c != 0x7f) || (lines && c == '\n'));
        FUZZ_CHECK(!(c == 0xc2 && next >= 0x80 && next < 0xa0));
        if (c == 0xe2 && next == 0x80 && i + 2 < s.len) { /* U+2000 to U+203f */
            unsigned char last = (unsigned char)s.data[i + 2];

            FUZZ_CHECK((last < 0x8b || last > 0x8f) && (last < 0xa8 || last > 0xae));
        }
    }
}

#endif
