/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of label selectors.
 */
#ifndef KIN_TEST_LABEL_SELECTOR_SUPPORT_H
#define KIN_TEST_LABEL_SELECTOR_SUPPORT_H

#include "selector_support.h"

static inline const kin_label_selector *parse(const char *text)
{
    const kin_label_selector *sel = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_str s = bare(text, strlen(text));

    if (kin_label_selector_parse(&sel, s, &err) < 0)
        fail_msg("\"%s\": %s", text, err.message);
    drop(s);
    assert_non_null(sel);
    return sel;
}

static inline void assert_printed(const kin_label_selector *sel, const char *expected)
{
    char *text = NULL;
    size_t len = 0;

    assert_code(kin_label_selector_print(&text, &len, sel, NULL), 0);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
    kin_free(text);
}

/* Looks into the labels of an object, as text: "a=1,b=". */
static inline bool lookup(kin_str key, kin_str *ret_value, void *arg)
{
    const char *at = arg;

    while (*at) {
        size_t key_len = strcspn(at, "=");
        const char *value = at + key_len + 1;
        size_t value_len = strcspn(value, ",");

        if (kin_str_equal(kin_str_make(at, key_len), key)) {
            *ret_value = kin_str_make(value, value_len);
            return true;
        }
        at = value + value_len + (value[value_len] == ',');
    }
    return false;
}

static inline bool matches(const kin_label_selector *sel, const char *labels)
{
    return kin_label_selector_matches_fn(sel, lookup, (void *)(uintptr_t)labels);
}

static inline void assert_same(const kin_label_selector *a, const kin_label_selector *b)
{
    assert_int_equal(kin_label_selector_count(a), kin_label_selector_count(b));
    for (size_t i = 0; i < kin_label_selector_count(a); i++) {
        const kin_label_requirement *x = kin_label_selector_get_requirement(a, i);
        const kin_label_requirement *y = kin_label_selector_get_requirement(b, i);

        assert_true(kin_str_equal(x->key, y->key));
        assert_int_equal(x->op, y->op);
        assert_int_equal(x->n_values, y->n_values);
        for (size_t j = 0; j < x->n_values; j++)
            assert_true(kin_str_equal(x->values[j], y->values[j]));
    }
}

#endif
