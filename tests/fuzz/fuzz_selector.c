/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Label and field selectors from any text: an error stands within the text, what is accepted is
 * in its one form, prints to what parses to the same, and matches as its requirements say
 * one by one.
 */
#include <string.h>

#include "base/str.h"
#include "fuzz.h"
#include "kinform/selector.h"

/* What an object has under a key: a value that the input chose, or nothing. */
struct labels {
    kin_str value;
    bool present;
};

static bool lookup(kin_str key, kin_str *ret_value, void *arg)
{
    const struct labels *labels = arg;

    if (!labels->present || key.len % 3 == 2)
        return false;
    *ret_value = key.len % 3 ? labels->value : kin_str_make(NULL, 0);
    return true;
}

static bool is_integer(kin_str s, int64_t *ret)
{
    if (s.len > 1 && s.data[0] == '+' && s.data[1] != '-')
        s = kin_str_make(s.data + 1, s.len - 1);
    return kin__str_to_i64(ret, s) == 0;
}

static bool label_requirement_matches(const kin_label_requirement *r, bool exists, kin_str value)
{
    bool listed = false;
    int64_t wanted = 0;
    int64_t number = 0;

    for (size_t i = 0; i < r->n_values; i++)
        listed = listed || kin_str_equal(r->values[i], value);
    switch (r->op) {
    case KIN_SELECTOR_EXISTS:
        return exists;
    case KIN_SELECTOR_DOES_NOT_EXIST:
        return !exists;
    case KIN_SELECTOR_NOT_EQUALS:
    case KIN_SELECTOR_NOT_IN:
        return !exists || !listed;
    case KIN_SELECTOR_GREATER_THAN:
    case KIN_SELECTOR_LESS_THAN:
        FUZZ_CHECK(is_integer(r->values[0], &wanted));
        if (!exists || !is_integer(value, &number))
            return false;
        return r->op == KIN_SELECTOR_GREATER_THAN ? number > wanted : number < wanted;
    default:
        return exists && listed;
    }
}

static void check_label_requirement(const kin_label_requirement *r)
{
    bool unary = r->op == KIN_SELECTOR_EXISTS || r->op == KIN_SELECTOR_DOES_NOT_EXIST;
    bool set = r->op == KIN_SELECTOR_IN || r->op == KIN_SELECTOR_NOT_IN;

    FUZZ_CHECK(kin_label_key_validate(r->key, NULL) == 0);
    FUZZ_CHECK(unary ? r->n_values == 0 : r->n_values > 0);
    FUZZ_CHECK(set || r->n_values <= 1);
    for (size_t i = 0; i < r->n_values; i++) {
        FUZZ_CHECK(kin_label_value_validate(r->values[i], NULL) == 0);
        FUZZ_CHECK(i == 0 || kin__str_compare(r->values[i - 1], r->values[i]) < 0);
    }
}

static void check_same_labels(const kin_label_selector *a, const kin_label_selector *b)
{
    FUZZ_CHECK(kin_label_selector_count(a) == kin_label_selector_count(b));
    for (size_t i = 0; i < kin_label_selector_count(a); i++) {
        const kin_label_requirement *x = kin_label_selector_get_requirement(a, i);
        const kin_label_requirement *y = kin_label_selector_get_requirement(b, i);

        FUZZ_CHECK(kin_str_equal(x->key, y->key) && x->op == y->op && x->n_values == y->n_values);
        for (size_t j = 0; j < x->n_values; j++)
            FUZZ_CHECK(kin_str_equal(x->values[j], y->values[j]));
    }
}

static void check_label_selector(kin_str text, struct labels *labels)
{
    const kin_label_selector *sel = NULL;
    const kin_label_selector *again = NULL;
    kin_error err = KIN_ERROR_INIT;
    const kin_label_requirement *before = NULL;
    bool expected = true;
    char *printed = NULL;
    size_t len = 0;
    int code = kin_label_selector_parse(&sel, text, &err);

    if (code < 0) {
        FUZZ_CHECK(!sel && (code == KIN_EPARSE || code == KIN_ELIMIT) && err.code == code);
        FUZZ_CHECK(err.offset <= text.len);
        return;
    }
    for (size_t i = 0; i < kin_label_selector_count(sel); i++) {
        const kin_label_requirement *r = kin_label_selector_get_requirement(sel, i);
        kin_str value = {NULL, 0};
        bool exists = lookup(r->key, &value, labels);

        check_label_requirement(r);
        FUZZ_CHECK(!before || kin__str_compare(before->key, r->key) <= 0);
        before = r;
        expected = label_requirement_matches(r, exists, value) && expected;
    }
    FUZZ_CHECK(kin_label_selector_matches_fn(sel, lookup, labels) == expected);

    FUZZ_CHECK(kin_label_selector_print(&printed, &len, sel, NULL) == 0);
    FUZZ_CHECK(strlen(printed) == len);
    FUZZ_CHECK(kin_label_selector_parse(&again, kin_str_make(printed, len), NULL) == 0);
    check_same_labels(sel, again);
    kin_label_selector_unref(again);
    FUZZ_CHECK(kin_label_selector_add(&again, sel, NULL, 0, NULL) == 0);
    check_same_labels(sel, again);
    kin_label_selector_unref(again);
    kin_label_selector_unref(sel);
    kin_free(printed);
}

/* Added up, so that the order does not matter. */
static uint64_t field_sum(const kin_field_selector *sel)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < kin_field_selector_count(sel); i++) {
        const kin_field_requirement *r = kin_field_selector_get_requirement(sel, i);
        uint64_t hash = (uint64_t)r->op;

        for (size_t j = 0; j < r->field.len; j++)
            hash = (hash ^ (uint8_t)r->field.data[j]) * UINT64_C(1099511628211);
        hash = (hash ^ 256) * UINT64_C(1099511628211);
        for (size_t j = 0; j < r->value.len; j++)
            hash = (hash ^ (uint8_t)r->value.data[j]) * UINT64_C(1099511628211);
        sum += hash;
    }
    return sum;
}

static void check_field_selector(kin_str text, struct labels *fields)
{
    const kin_field_selector *sel = NULL;
    const kin_field_selector *again = NULL;
    kin_error err = KIN_ERROR_INIT;
    bool expected = true;
    char *printed = NULL;
    size_t len = 0;
    int code = kin_field_selector_parse(&sel, text, &err);

    if (code < 0) {
        FUZZ_CHECK(!sel && (code == KIN_EPARSE || code == KIN_ELIMIT) && err.code == code);
        FUZZ_CHECK(err.offset <= text.len);
        return;
    }
    for (size_t i = 0; i < kin_field_selector_count(sel); i++) {
        const kin_field_requirement *r = kin_field_selector_get_requirement(sel, i);
        kin_str value = {NULL, 0};

        FUZZ_CHECK(r->op == KIN_SELECTOR_EQUALS || r->op == KIN_SELECTOR_NOT_EQUALS);
        FUZZ_CHECK(r->field.len || r->value.len);
        FUZZ_CHECK(kin__str_find(r->field, '=') == r->field.len);
        if (!lookup(r->field, &value, fields))
            value = kin_str_make(NULL, 0);
        expected = expected && kin_str_equal(value, r->value) == (r->op == KIN_SELECTOR_EQUALS);
    }
    FUZZ_CHECK(kin_field_selector_matches_fn(sel, lookup, fields) == expected);

    FUZZ_CHECK(kin_field_selector_print(&printed, &len, sel, NULL) == 0);
    FUZZ_CHECK(len <= text.len);
    FUZZ_CHECK(kin_field_selector_parse(&again, kin_str_make(printed, len), NULL) == 0);
    FUZZ_CHECK(kin_field_selector_count(again) == kin_field_selector_count(sel));
    FUZZ_CHECK(field_sum(again) == field_sum(sel));
    kin_field_selector_unref(again);

    /* Piece by piece: what can be read can be added. */
    again = kin_field_selector_everything();
    for (size_t i = 0; i < kin_field_selector_count(sel) && i < 16; i++) {
        const kin_field_selector *more = NULL;

        FUZZ_CHECK(kin_field_selector_add(&more, again, kin_field_selector_get_requirement(sel, i),
                                          1, NULL) == 0);
        FUZZ_CHECK(kin_field_selector_count(more) == i + 1);
        kin_field_selector_unref(again);
        again = more;
    }
    kin_field_selector_unref(again);
    kin_field_selector_unref(sel);
    kin_free(printed);
}

/* The validating functions agree with the parser: a key is a selector, a value one behind '='. */
static void check_label_syntax(kin_str text)
{
    const kin_label_selector *sel = NULL;
    char equals[300] = "x=";
    kin_error err = KIN_ERROR_INIT;

    if (kin_label_key_validate(text, &err) == 0) {
        FUZZ_CHECK(kin_label_selector_parse(&sel, text, NULL) == 0);
        FUZZ_CHECK(kin_label_selector_count(sel) == 1);
        FUZZ_CHECK(kin_str_equal(kin_label_selector_get_requirement(sel, 0)->key, text));
        kin_label_selector_unref(sel);
    } else {
        FUZZ_CHECK(err.offset <= text.len);
    }
    if (text.len > 255)
        return;
    if (text.len)
        memcpy(equals + 2, text.data, text.len);
    if (kin_label_value_validate(text, &err) == 0) {
        kin_str value;

        FUZZ_CHECK(kin_label_selector_parse(&sel, kin_str_make(equals, text.len + 2), NULL) == 0);
        FUZZ_CHECK(kin_label_selector_requires_exact_match(sel, kin_str_of("x"), &value));
        FUZZ_CHECK(kin_str_equal(value, text));
        kin_label_selector_unref(sel);
    } else {
        FUZZ_CHECK(err.offset < text.len);
    }
}

/* First the value that labels have, its length first; then the selector. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    uint8_t head = fuzz_byte(&in);
    struct labels labels = {kin_str_make((const char *)in.data, 0), head & 0x80};

    labels.value.len = (head & 0x7f) < in.len ? (head & 0x7f) : in.len;
    in.data += labels.value.len;
    in.len -= labels.value.len;

    kin_str text = kin_str_make((const char *)in.data, in.len);
    check_label_selector(text, &labels);
    check_field_selector(text, &labels);
    check_label_syntax(text);
    check_label_syntax(labels.value);
    return 0;
}
