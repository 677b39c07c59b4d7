/* SPDX-License-Identifier: Apache-2.0 */
/*
 * YAML: any text is read or refused; what was read is written, and reading that gives the same
 * document again, and the same text. A reader finds the documents that reading one by one finds.
 */
#include <string.h>

#include "fuzz.h"
#include "kinform/memory.h"
#include "kinform/yaml.h"

static kin_str write_yaml(const kin_object *object)
{
    char *text = NULL;
    size_t len = 0;

    FUZZ_CHECK(kin_object_to_yaml(&text, &len, object, NULL) == 0);
    FUZZ_CHECK(len > 0 && text[len] == '\0' && text[len - 1] == '\n');
    return kin_str_make(text, len);
}

static void check_round_trip(const kin_object *object)
{
    kin_error err = KIN_ERROR_INIT;
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;
    const kin_object *again = NULL;
    kin_str first = write_yaml(object);

    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    int code = kin_object_from_yaml(&again, first, &options, &err);
    if (code)
        fprintf(stderr, "%s\n%s", err.message, first.data);
    FUZZ_CHECK(code == 0);
    FUZZ_CHECK(kin_object_equal(object, again));
    kin_str second = write_yaml(again);
    FUZZ_CHECK(kin_str_equal(first, second));
    kin_free((void *)(uintptr_t)first.data);
    kin_free((void *)(uintptr_t)second.data);
    kin_object_unref(again);
}

static void check_failure(int code, const kin_error *err, size_t size)
{
    FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ELIMIT);
    FUZZ_CHECK(err->code == code && err->message[0] != '\0');
    FUZZ_CHECK(err->offset <= size);
}

/* How many documents a reader gives, and what ends it. */
static size_t read_all(kin_str text, const kin_yaml_options *options, int *ret_code)
{
    kin_yaml_reader *reader;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    size_t count = 0;
    int code = kin_yaml_reader_new(&reader, text, options, &err);

    *ret_code = code;
    if (code) {
        check_failure(code, &err, text.len);
        return 0;
    }
    while ((code = kin_yaml_reader_next(reader, &object, &err)) == 0 && object) {
        check_round_trip(object);
        kin_object_unref(object);
        count++;
    }
    if (code)
        check_failure(code, &err, text.len);
    kin_yaml_reader_free(reader);
    *ret_code = code;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code;

    if (size == 0)
        return 0;
    /* One byte chooses the options. */
    options.allow_duplicate_keys = data[0] & 1;
    options.max_alias_values = 1000;
    if (data[0] & 2)
        options.max_depth = 4;
    kin_str text = kin_str_make((const char *)data + 1, size - 1);
    size_t count = read_all(text, &options, &code);
    int alone = kin_object_from_yaml(&object, text, &options, &err);
    /* Reading one succeeds if and only if a reader finds exactly one. */
    FUZZ_CHECK((alone == 0) == (code == 0 && count == 1));
    if (alone)
        check_failure(alone, &err, text.len);
    kin_object_unref(object);
    return 0;
}
