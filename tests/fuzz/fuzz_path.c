/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Field paths: compiling, printing and lookups by text agree with each other on every input.
 */
#include <string.h>

#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/path.h"

static const char json[] =
    "{\"a\":{\"b\":[1,[2,{\"c\":null}]],\"\":{\"*\":true}},\"x.y\":{\"[0]\":{\"q'\\\"\":[]}},"
    "\"metadata\":{\"name\":\"n\",\"labels\":{\"app.kubernetes.io/name\":\"web\"}},\"\\\\\":[[[0]]]}";

static const kin_object *document(void)
{
    static const kin_object *object;

    if (!object)
        FUZZ_CHECK(kin_object_from_json(&object, kin_str_of(json), NULL, NULL) == 0);
    return object;
}

static void check_same_steps(const kin_path *a, const kin_path *b)
{
    FUZZ_CHECK(a->len == b->len);
    for (size_t i = 0; i < a->len; i++) {
        FUZZ_CHECK(a->steps[i].type == b->steps[i].type);
        FUZZ_CHECK(a->steps[i].index == b->steps[i].index);
        FUZZ_CHECK(a->steps[i].id == b->steps[i].id);
        FUZZ_CHECK(kin_str_equal(a->steps[i].key, b->steps[i].key));
    }
}

/* What was accepted is printed, no longer than it was, and read again as the same. */
static void check_print(const kin_path *path, size_t text_len, bool pattern)
{
    kin_path *again = NULL;
    char *printed = NULL;
    size_t len = 0;

    FUZZ_CHECK(kin_path_print(&printed, &len, path, NULL) == 0);
    FUZZ_CHECK(len <= text_len && printed[len] == '\0');
    FUZZ_CHECK(kin__path_parse(&again, kin_str_make(printed, len), pattern, NULL) == 0);
    check_same_steps(path, again);
    kin_path_free(again);
    kin_free(printed);
}

/* A lookup by text says what compiling says, and finds what the compiled path finds. */
static void check_lookup(kin_str text, const kin_path *path, int code, const kin_error *err)
{
    kin_value root = kin_object_root(document());
    kin_value found = {NULL, NULL};
    kin_error found_err = KIN_ERROR_INIT;
    int found_code = kin_value_find(&found, root, text, &found_err);

    if (code < 0) {
        FUZZ_CHECK(found_code == code && found_err.offset == err->offset);
        FUZZ_CHECK(strcmp(found_err.message, err->message) == 0);
        return;
    }
    kin_value expected = kin_path_get(path, root);
    FUZZ_CHECK(found_code == (expected.at ? 0 : KIN_ENOTFOUND));
    FUZZ_CHECK(found.at == expected.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    bool pattern = fuzz_byte(&in) & 1;
    kin_str text = kin_str_make((const char *)in.data, in.len);
    kin_path *path = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin__path_parse(&path, text, pattern, &err);

    if (code == 0)
        check_print(path, text.len, pattern);
    else
        FUZZ_CHECK((code == KIN_EPARSE || code == KIN_ELIMIT) && err.offset <= text.len && !path);
    if (!pattern)
        check_lookup(text, path, code, &err);
    kin_path_free(path);
    return 0;
}
