/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rules for faults from any JSON, as the control endpoint takes them: what is refused says why, what
 * is taken is written as JSON, and what was written is taken again and is the same rule.
 */
#include <string.h>

#include "apiserver/faults/faults.h"
#include "base/str.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "object/json.h"

/* Of what kin__faults_write() gives, the only rule. */
static const kin_object *written(kin__faults *faults, kin_value *ret)
{
    const kin_object *list = NULL;
    kin__buf out;

    kin__buf_init(&out, 1 << 22);
    kin__faults_write(faults, &out);
    FUZZ_CHECK(!out.failed);
    FUZZ_CHECK(kin_object_from_json(&list, kin__buf_str(&out), NULL, NULL) == 0);
    kin__buf_done(&out);
    *ret = kin_value_at(kin_value_get(kin_object_root(list), kin_str_of("faults")), 0);
    FUZZ_CHECK(kin_value_type(*ret) == KIN_MAP);
    return list;
}

/* The rule without its number and its count, which are not the client's to say. */
static void describe(kin__buf *out, kin_value rule)
{
    kin_iter it;

    kin__buf_append_char(out, '{');
    for (kin_iter_init(&it, rule); kin_iter_next(&it);) {
        if (kin_str_equal(it.key, kin_str_of("id")) || kin_str_equal(it.key, kin_str_of("hits")))
            continue;
        if (out->len > 1)
            kin__buf_append_char(out, ',');
        kin__json_write_string(out, it.key);
        kin__buf_append_char(out, ':');
        kin__json_write(out, it.value, KIN_JSON_COMPACT);
    }
    kin__buf_append_char(out, '}');
}

static void check_again(kin_value rule)
{
    const kin_object *object = NULL;
    const kin_object *list;
    kin__faults *faults = NULL;
    kin_value again;
    uint64_t id = 0;
    kin__buf text[2];

    kin__buf_init(&text[0], 1 << 22);
    kin__buf_init(&text[1], 1 << 22);
    describe(&text[0], rule);
    FUZZ_CHECK(kin__faults_new(&faults, 7, NULL) == 0);
    FUZZ_CHECK(kin_object_from_json(&object, kin__buf_str(&text[0]), NULL, NULL) == 0);
    FUZZ_CHECK(kin__faults_add_json(faults, kin_object_root(object), &id, NULL) == 0);
    list = written(faults, &again);
    describe(&text[1], again);
    FUZZ_CHECK(kin_str_equal(kin__buf_str(&text[0]), kin__buf_str(&text[1])));
    kin_object_unref(list);
    kin_object_unref(object);
    kin__faults_free(faults);
    kin__buf_done(&text[0]);
    kin__buf_done(&text[1]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const kin_object *object = NULL;
    kin__faults *faults = NULL;
    kin_error err = KIN_ERROR_INIT;
    uint64_t id = 0;
    uint64_t hits = 1;

    if (kin_object_from_json(&object, kin_str_make((const char *)data, size), NULL, NULL) < 0)
        return 0;
    FUZZ_CHECK(kin__faults_new(&faults, 7, NULL) == 0);
    int code = kin__faults_add_json(faults, kin_object_root(object), &id, &err);
    FUZZ_CHECK(code == 0 || (err.code == code && err.message[0]));
    if (code == 0) {
        kin_value rule;
        const kin_object *list = written(faults, &rule);

        check_again(rule);
        kin_object_unref(list);
        FUZZ_CHECK(kin__faults_remove(faults, id, &hits, NULL) == 0 && hits == 0);
    }
    kin__faults_free(faults);
    kin_object_unref(object);
    return 0;
}
