/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Templates. The input is a format in which each '%' stands for the next conversion of a fixed list,
 * so that formats fit the arguments whatever the fuzzer does. A template is made twice, with harmless
 * strings and with strings that are YAML: the documents must have the same structure.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/make.h"
#include "kinform/path.h"

static const char *const conversions[] = {"%s", "%d",  "%s", "%hhd", "%g", "%.*s", "%pV",
                                          "%s", "%pO", "%s", "%lu",  "%s", "%pV"};
#define N_CONVERSIONS (sizeof(conversions) / sizeof(conversions[0]))

/* Texts in the places of the strings. Keys in the input must not be equal to any of them. */
static const char *const harmless[] = {"harmless-one",  "harmless-two",  "harmless-three",
                                       "harmless-four", "harmless-five", "harmless-six"};
static const char *const evil[] = {
    "}, evil-one: [", "&evil *evil\n---\n",     "!!int 5 # evil-three %s",
    "\"'evil-four",   "\xee\x80\x80 evil-five", "<<: {evil: 6}",
};

static void append_format(kin__buf *out, kin_str input)
{
    size_t n = 0;

    for (size_t i = 0; i < input.len; i++) {
        if (input.data[i] != '%')
            kin__buf_append_char(out, input.data[i]);
        else
            kin__buf_append(out, kin_str_of(n < N_CONVERSIONS ? conversions[n++] : "%%"));
    }
    FUZZ_CHECK(!out->failed);
}

static const kin_object *object_of(const char *json)
{
    const kin_object *object = NULL;

    FUZZ_CHECK(kin_object_from_json(&object, kin_str_of(json), NULL, NULL) == 0);
    return object;
}

/* The format is not a literal: append_format() makes it fit these arguments. */
typedef int make_fn(const kin_object **ret, kin_error *err, const char *format, ...);

static int make(const kin_object **ret, const char *format, const char *const *texts,
                const kin_object *object, kin_error *err)
{
    kin_value map = kin_object_find(object, "m");
    kin_value text = kin_object_find(object, "s");
    make_fn *volatile unchecked = kin_object_make;

    return unchecked(ret, err, format, texts[0], -7, texts[1], 1, 0.25, (int)strlen(texts[2]),
                     texts[2], KIN_VALUE_ARG(map), texts[3], KIN_OBJECT_ARG(object), texts[4],
                     18446744073709551615ul, texts[5], KIN_VALUE_ARG(text));
}

/* The same types and numbers of members and items everywhere. */
static void check_shape(kin_value a, kin_value b)
{
    kin_iter in_a;
    kin_iter in_b;

    FUZZ_CHECK(kin_value_type(a) == kin_value_type(b));
    FUZZ_CHECK(kin_value_len(a) == kin_value_len(b));
    kin_iter_init(&in_a, a);
    kin_iter_init(&in_b, b);
    while (kin_iter_next(&in_a)) {
        FUZZ_CHECK(kin_iter_next(&in_b));
        check_shape(in_a.value, in_b.value);
    }
}

static void check_error(int code, const kin_error *err, size_t len)
{
    FUZZ_CHECK(code == KIN_EINVAL || code == KIN_EPARSE || code == KIN_ETYPE || code == KIN_ELIMIT);
    FUZZ_CHECK(err->code == code && err->message[0] != '\0');
    FUZZ_CHECK(err->offset <= len);
}

static void check_text(const kin_object *object)
{
    const kin_object *again = NULL;
    char *json = NULL;
    size_t len = 0;

    FUZZ_CHECK(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, NULL) == 0);
    FUZZ_CHECK(kin_object_from_json(&again, kin_str_make(json, len), NULL, NULL) == 0);
    FUZZ_CHECK(kin_object_equal(object, again));
    kin_object_unref(again);
    kin_free(json);
}

/* The editor takes all that makes an object, but does not pass over null before a document. */
static void check_editor(const char *format, int code, const kin_object *made)
{
    kin_error err = KIN_ERROR_INIT;
    const kin_object *edited = NULL;
    kin_editor *ed = NULL;
    int (*volatile unchecked)(kin_editor *, const char *, kin_error *, const char *, ...) =
        kin_editor_make;

    FUZZ_CHECK(kin_editor_new(&ed, NULL, NULL) == 0);
    int edit_code = unchecked(ed, "at", &err, format);
    FUZZ_CHECK(code != 0 || edit_code == 0 || strstr(format, "---") || strstr(format, "..."));
    if (edit_code == 0 && kin_editor_finish(ed, &edited, &err) == 0 && made)
        FUZZ_CHECK(kin_value_equal(kin_object_find(edited, "at"), kin_object_root(made)));
    kin_object_unref(edited);
    kin_editor_free(ed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_str input = kin_str_make((const char *)data, strnlen((const char *)data, size));
    const kin_object *object = object_of("{\"m\":{\"a\":[1,null]},\"s\":\"x: y\"}");
    const kin_object *plain = NULL;
    const kin_object *made = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin__buf format;

    kin__buf_init(&format, SIZE_MAX - 1);
    append_format(&format, input);
    kin__buf_append(&format, kin_str_of(""));
    int code = make(&plain, format.data, harmless, object, &err);
    FUZZ_CHECK((code == 0) == (plain != NULL));
    if (code < 0)
        check_error(code, &err, format.len);
    int evil_code = make(&made, format.data, evil, object, &err);
    FUZZ_CHECK((evil_code == 0) == (made != NULL));
    if (evil_code < 0)
        check_error(evil_code, &err, format.len);
    if (plain && made)
        check_shape(kin_object_root(plain), kin_object_root(made));
    if (made)
        check_text(made);
    if (!memchr(format.data, '%', format.len))
        check_editor(format.data, code, plain);
    kin_object_unref(made);
    kin_object_unref(plain);
    kin_object_unref(object);
    kin__buf_done(&format);
    return 0;
}
