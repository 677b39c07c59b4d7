/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of paths, for what walks or prints them: projections, the editor, diffs, errors.
 * The public half is kinform/path.h.
 */
#ifndef KIN_OBJECT_PATH_H
#define KIN_OBJECT_PATH_H

#include "base/buf.h"
#include "kinform/path.h"

enum kin__step_type {
    KIN__STEP_KEY,
    KIN__STEP_INDEX,
    KIN__STEP_ANY_KEY,   /* `*`, any member; in patterns only */
    KIN__STEP_ANY_INDEX, /* `[*]`, any item; in patterns only */
};

typedef struct kin__step {
    uint8_t type;   /* enum kin__step_type */
    uint16_t id;    /* KEY: of the dictionary when it was compiled, or KIN__KEY_TEXT */
    uint32_t index; /* INDEX */
    kin_str key;    /* KEY */
} kin__step;

/* One block: the steps, and behind them the text that their keys point into. */
struct kin_path {
    size_t len;
    kin__step steps[];
};

/* As kin_path_parse(); in a pattern `*` and `[*]` are steps too. */
int kin__path_parse(kin_path **ret, kin_str text, bool pattern, kin_error *err);

/*
 * Append one more step to a path that is being written into a buffer of its own. The spelling is
 * the shortest there is: so no printed path is longer than the text that was parsed.
 */
void kin__path_append_key(kin__buf *buf, kin_str key);
void kin__path_append_index(kin__buf *buf, size_t index);
void kin__path_append_step(kin__buf *buf, const kin__step *step);

#endif
