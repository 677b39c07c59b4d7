/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the cases of tests/data/patch: arrays of {"comment", "doc", "patch", "expected" | "error"}.
 */
#ifndef KIN_TEST_VECTORS_H
#define KIN_TEST_VECTORS_H

#include "edit_support.h"

#include "object/json.h"

/* Which codes a word for an error may stand for. */
struct vector_code {
    const char *word;
    int code;
    int other;
};

/* Runs one case; NULL, or what is wrong with the result. */
typedef const char *vector_fn(const kin_object *object, kin_str patch, kin_value test,
                              const kin_object **ret);

/* Whether the code is what the case says. */
static inline const char *check_vector(int code, kin_value test, const struct vector_code *codes,
                                       size_t n_codes)
{
    kin_value error = kin_value_get(test, kin_str_of("error"));
    kin_scratch scratch;
    kin_str word = {NULL, 0};

    if (kin_value_string(&word, error, &scratch) < 0)
        return code == 0 ? NULL : "it failed";
    if (code == 0)
        return "it did not fail";
    for (size_t i = 0; i < n_codes; i++) {
        if (kin_str_equal(word, kin_str_of(codes[i].word)))
            return code == codes[i].code || code == codes[i].other ? NULL : "it failed otherwise";
    }
    return "an error that this test does not know";
}

static inline char *read_vectors(const char *name)
{
    char path[512];
    ref_text t = {NULL, 0, 0};
    char part[4096];
    size_t n;

    snprintf(path, sizeof(path), "%s/patch/%s", KIN_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("can not open %s", path);
    while ((n = fread(part, 1, sizeof(part), f)) > 0)
        ref_append(&t, part, n);
    fclose(f);
    return t.data;
}

static inline void run_one_vector(kin_value test, vector_fn *run)
{
    kin_value expected = kin_value_get(test, kin_str_of("expected"));
    const kin_object *after = NULL;
    kin_scratch scratch;
    kin_str comment = {NULL, 0};
    char *before = NULL;
    char *patch = NULL;

    assert_code(kin_value_string(&comment, kin_value_get(test, kin_str_of("comment")), &scratch),
                0);
    assert_code(kin_value_to_json(&before, NULL, kin_value_get(test, kin_str_of("doc")),
                                  KIN_JSON_COMPACT, NULL),
                0);
    assert_code(kin_value_to_json(&patch, NULL, kin_value_get(test, kin_str_of("patch")),
                                  KIN_JSON_COMPACT, NULL),
                0);
    const kin_object *object = from_json(before);
    const char *wrong = run(object, kin_str_of(patch), test, &after);
    if (!wrong && after && !kin_value_equal(kin_object_root(after), expected))
        wrong = "another result";
    if (wrong)
        fail_msg("%" KIN_STR_FMT ": %s", KIN_STR_ARG(comment), wrong);
    kin_object_unref(object);
    kin_object_unref(after);
    kin_free(before);
    kin_free(patch);
}

/* How many cases there were. */
static inline size_t run_vectors(const char *name, vector_fn *run)
{
    char *json = read_vectors(name);
    const kin_object *holder = NULL;
    kin_value all = {NULL, NULL};
    size_t n = 0;
    kin_iter it;

    assert_code(kin__json_read_value(&holder, &all, kin_str_of(json), NULL), 0);
    for (kin_iter_init(&it, all); kin_iter_next(&it); n++)
        run_one_vector(it.value, run);
    kin_object_unref(holder);
    free(json);
    return n;
}

#endif
