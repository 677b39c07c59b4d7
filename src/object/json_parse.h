/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The JSON parser: text to draft. Strict, without recursion, with an explicit stack.
 *
 * It predicts: in containers, after `name`, usually comes the member that came the last time, so
 * that one is compared before anything is looked up. A prediction is checked against the text like
 * everything else; if it fails, nothing but time is lost.
 */
#ifndef KIN_OBJECT_JSON_PARSE_H
#define KIN_OBJECT_JSON_PARSE_H

#include "object/draft.h"
#include "object/projection.h"

struct kin__json_frame {
    const kin__projected *projected; /* NULL: everything is kept */
    const kin__projected *below;     /* for the element that is being read */
    uint16_t context;                /* the key of the map, or of the array around it */
    uint16_t last_key;               /* of the member before */
    bool is_map;
    /* While a value is read that is not kept: what the draft was before it. */
    bool dropping;
    size_t len;
    uint64_t hash;
    uint32_t size;
};

#define KIN__PREDICTIONS 4096u

typedef struct kin__json_parser {
    kin__draft *draft;               /* BORROWED */
    const kin__projected *projected; /* of the root; BORROWED, NULL keeps all */
    size_t string_max;
    unsigned drop_depth; /* of the map or array of which an element is read and not kept; 0: none */
    /* Of the last failure. */
    int code;
    size_t offset;
    const char *reason;
    bool incomplete; /* the text ended where more could have come */
    /*
     * The key that came last time, by the keys around and before it; a guess for collisions, too.
     */
    uint16_t next_key[KIN__PREDICTIONS];
    struct kin__json_frame frames[KIN__FRAMES_MAX];
} kin__json_parser;

/* The struct is large: allocate it. */
void kin__json_parser_init(kin__json_parser *parser, kin__draft *draft);

/*
 * Read one value, white space before it included, into the draft, which must be empty or open.
 * *ret_len is where it ended. 0, or a code, with offset and reason in the parser; the draft is then
 * to be reset.
 */
int kin__json_parse(kin__json_parser *parser, kin_str text, size_t *ret_len);
/* The same for a text that is a part of a larger input, from whose beginning offsets count. */
int kin__json_parse_within(kin__json_parser *parser, const char *input, kin_str text,
                           size_t *ret_len);

/* White space from `p` on is stepped over. */
const char *kin__json_skip_space(const char *p, const char *end);

#endif
