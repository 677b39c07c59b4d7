/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patches, diffs and the editor. The input is a letter, a document on the first line and on the
 * second a merge patch (m), a JSON patch (j) or another document (d). Merge patches are compared
 * with their definition, written down with recursion. Whatever came out of it is then reached again
 * from the first document on two other ways: by its diff, applied with the editor, and by the merge
 * patch made of the two.
 */
#include <string.h>

#include "base/buf.h"
#include "base/str.h"
#include "fuzz.h"
#include "kinform/diff.h"
#include "kinform/editor.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/patch.h"
#include "object/json.h"

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
        FUZZ_CHECK(kin_editor_finish(c->ed, &made, NULL) == 0);
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
    FUZZ_CHECK(code == 0);
    if (!strstr(json, "null"))
        FUZZ_CHECK(kin_object_equal(made, after));
    kin_object_unref(made);
    kin_free(patch);
    kin_free(json);
}

static void write_key(kin__buf *out, kin_str key)
{
    if (out->data[out->len - 1] != '{')
        kin__buf_append_char(out, ',');
    kin__json_write_string(out, key);
    kin__buf_append_char(out, ':');
}

/* What RFC 7386 says: MergePatch(target, patch); members of the target come first. */
static void write_merged(kin__buf *out, kin_value target, kin_value patch)
{
    kin_iter it;

    if (kin_value_type(patch) != KIN_MAP) {
        kin__json_write(out, patch, KIN_JSON_COMPACT);
        return;
    }
    kin__buf_append_char(out, '{');
    if (kin_value_type(target) == KIN_MAP) {
        for (kin_iter_init(&it, target); kin_iter_next(&it);) {
            kin_value value = kin_value_get(patch, it.key);

            if (kin_value_type(value) == KIN_NULL)
                continue;
            write_key(out, it.key);
            if (kin_value_type(value) == KIN_NONE)
                kin__json_write(out, it.value, KIN_JSON_COMPACT);
            else
                write_merged(out, it.value, value);
        }
    }
    for (kin_iter_init(&it, patch); kin_iter_next(&it);) {
        bool is_new = kin_value_type(target) != KIN_MAP ||
                      kin_value_type(kin_value_get(target, it.key)) == KIN_NONE;

        if (!is_new || kin_value_type(it.value) == KIN_NULL)
            continue;
        write_key(out, it.key);
        write_merged(out, (kin_value){NULL, NULL}, it.value);
    }
    kin__buf_append_char(out, '}');
}

static void check_merged(const kin_object *before, kin_str text, const kin_object *after)
{
    const kin_object *patch = NULL;
    char *json = NULL;
    kin__buf expected;

    kin__buf_init(&expected, SIZE_MAX - 1);
    FUZZ_CHECK(kin_object_from_json(&patch, text, NULL, NULL) == 0);
    write_merged(&expected, kin_object_root(before), kin_object_root(patch));
    FUZZ_CHECK(kin_object_to_json(&json, NULL, after, KIN_JSON_COMPACT, NULL) == 0);
    FUZZ_CHECK(!expected.failed && strcmp(json, expected.data) == 0);
    kin_free(json);
    kin__buf_done(&expected);
    kin_object_unref(patch);
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
        if (code == 0) {
            check_merged(before, text, after);
            /* Twice is as good as once. */
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
