/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches, diffs and the editor. The input is a letter, a document on the first line and on the
 * second a merge patch (m), a JSON patch (j) or another document (d). Whatever came out of it is
 * then reached again from the first document on two other ways: by its diff, applied with the
 * editor, and by the merge patch made of the two.
 */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "kinform/diff.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/patch.h"

#define REMOVALS_MAX 1024

/* A diff on its way into an editor. Removals come last, and from behind. */
struct changes {
    kin_editor *ed;
    size_t n;
    int code;
    size_t n_removed;
    char *removed[REMOVALS_MAX];
    size_t lens[REMOVALS_MAX];
};

static bool note_removal(struct changes *c, kin_str path)
{
    if (c->n_removed == REMOVALS_MAX) {
        c->code = KIN_ELIMIT;
        return false;
    }
    c->removed[c->n_removed] = malloc(path.len + 1);
    FUZZ_CHECK(c->removed[c->n_removed]);
    memcpy(c->removed[c->n_removed], path.data, path.len);
    c->lens[c->n_removed++] = path.len;
    return true;
}

static bool apply_change(kin_str path, kin_value before, kin_value after, void *arg)
{
    struct changes *c = arg;

    FUZZ_CHECK(!kin_value_equal(before, after));
    c->n++;
    if (kin_value_type(after) == KIN_NONE)
        return note_removal(c, path);
    c->code = kin_editor_set_value(c->ed, path, after, NULL);
    FUZZ_CHECK(c->code == 0 || c->code == KIN_ELIMIT); /* a path longer than paths are */
    return c->code == 0;
}

static void check_diff(const kin_object *before, const kin_object *after)
{
    struct changes *c = calloc(1, sizeof(*c));
    const kin_object *made = NULL;

    FUZZ_CHECK(c && kin_editor_new(&c->ed, before, NULL) == 0);
    FUZZ_CHECK(kin_object_diff(before, after, apply_change, c) == 0);
    FUZZ_CHECK((c->n == 0) == kin_object_equal(before, after));
    while (c->n_removed-- > 0) {
        kin_str path = kin_str_make(c->removed[c->n_removed], c->lens[c->n_removed]);

        if (c->code == 0)
            c->code = kin_editor_remove(c->ed, path, NULL);
        FUZZ_CHECK(c->code == 0 || c->code == KIN_ELIMIT);
        free(c->removed[c->n_removed]);
    }
    if (c->code == 0) {
        FUZZ_CHECK(kin_editor_finish(&made, c->ed, NULL) == 0);
        FUZZ_CHECK(kin_object_equal(made, after));
    }
    kin_object_unref(made);
    kin_editor_free(c->ed);
    free(c);
}

/* A merge patch cannot say null, so only what has none is reached for sure. */
static void check_made_patch(const kin_object *before, const kin_object *after)
{
    const kin_object *made = NULL;
    char *patch = NULL;
    char *json = NULL;
    size_t len = 0;

    FUZZ_CHECK(kin_object_make_merge_patch(&patch, &len, before, after, NULL) == 0);
    FUZZ_CHECK(kin_object_to_json(&json, NULL, after, KIN_JSON_COMPACT, NULL) == 0);
    int code = kin_object_merge_patch(&made, before, kin_str_make(patch, len), NULL);
    FUZZ_CHECK(code == 0 || code == KIN_ELIMIT);
    if (code == 0 && !strstr(json, "null"))
        FUZZ_CHECK(kin_object_equal(made, after));
    kin_object_unref(made);
    kin_free(patch);
    kin_free(json);
}

/* The document that the second line leads to, or NULL. */
static const kin_object *result(char mode, const kin_object *before, kin_str text)
{
    const kin_object *after = NULL;
    const kin_object *again = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (mode == 'j') {
        code = kin_object_json_patch(&after, before, text, &err);
    } else if (mode == 'd') {
        code = kin_object_from_json(&after, text, NULL, &err);
    } else {
        code = kin_object_merge_patch(&after, before, text, &err);
        if (code == 0) { /* twice is as good as once */
            FUZZ_CHECK(kin_object_merge_patch(&again, after, text, NULL) == 0);
            FUZZ_CHECK(kin_object_equal(again, after));
            kin_object_unref(again);
        }
    }
    FUZZ_CHECK((code == 0) == (after != NULL) && err.code == code);
    FUZZ_CHECK(err.offset <= text.len);
    return after;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    char mode = (char)fuzz_byte(&in);
    kin_str rest = kin_str_make((const char *)in.data, in.len);
    kin_str first = {NULL, 0};
    const kin_object *before = NULL;

    if (!kin__str_cut(&rest, '\n', &first) || !rest.data ||
        kin_object_from_json(&before, first, NULL, NULL) < 0)
        return 0;
    const kin_object *after = result(mode, before, rest);
    if (after) {
        check_diff(before, after);
        check_made_patch(before, after);
    }
    kin_object_unref(after);
    kin_object_unref(before);
    return 0;
}
