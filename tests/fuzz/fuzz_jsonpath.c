/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates: whatever the text, it is parsed or refused with a place, and filled in or refused; and the
 * same text gives the same again.
 */
#include <string.h>

#include "cli/jsonpath/jsonpath.h"
#include "fuzz.h"
#include "kinform/json.h"

static const char json[] =
    "{\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"labels\":{\"a.b\":\"c\"}},\"a\":[1,[2,{\"c\":null}],"
    "{\"x\":\"y\",\"n\":1.5,\"b\":true},{\"x\":\"z\"}],\"e\":{},\"s\":\"\"}";

static const kin_object *document(void)
{
    static const kin_object *object;

    if (!object)
        FUZZ_CHECK(kin_object_from_json(&object, kin_str_of(json), NULL, NULL) == 0);
    return object;
}

static int print(const struct jsonpath *path, struct text *out, bool is_list)
{
    const kin_object *const items[] = {document(), document()};
    const struct jsonpath_data data = {is_list ? NULL : document(), items, 2};
    kin_error err = KIN_ERROR_INIT;
    int code = jsonpath_print(path, out, &data, &err);

    FUZZ_CHECK(code == 0 || (code == KIN_EINVAL && err.message[0]));
    return code;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    bool is_list = fuzz_byte(&in) & 1;
    kin_str text = kin_str_make((const char *)in.data, in.len);
    struct jsonpath *path = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = jsonpath_parse(&path, text, &err);

    /* Each `..` multiplies what there is. */
    size_t descents = 0;
    for (size_t i = 1; i < text.len; i++)
        descents += text.data[i] == '.' && text.data[i - 1] == '.';
    if (code < 0) {
        FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ELIMIT);
        FUZZ_CHECK(err.offset <= text.len && err.message[0]);
    } else if (descents <= 2 && text.len < 400) {
        struct text first = TEXT_INIT;
        struct text second = TEXT_INIT;

        FUZZ_CHECK(print(path, &first, is_list) == print(path, &second, is_list));
        FUZZ_CHECK(kin_str_equal(text_view(&first), text_view(&second)));
        text_clear(&first);
        (void)jsonpath_add_paths(path, &first, is_list);
        FUZZ_CHECK(first.len == 0 || first.data[0] == ',');
        text_done(&first);
        text_done(&second);
    }
    jsonpath_free(path);
    path = NULL;
    if (jsonpath_parse_relaxed(&path, text, NULL) == 0)
        jsonpath_free(path);
    return 0;
}
