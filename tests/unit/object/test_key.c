/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys: taking apart, putting together, ordering.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/key.h"
#include "oom.h"
#include "rng.h"

static const kin_str untouched = {"untouched", 9};

static void assert_view(kin_str v, const char *expected)
{
    assert_int_equal(v.len, strlen(expected));
    if (v.len)
        assert_memory_equal(v.data, expected, v.len);
}

static kin_namespaced_name named(const char *namespace_, const char *name)
{
    kin_namespaced_name n = {kin_str_of(namespace_), kin_str_of(name)};

    return n;
}

static void a_key_has_a_name_and_may_have_a_namespace(void **state)
{
    static const struct {
        const char *key;
        const char *namespace_;
        const char *name;
    } rows[] = {
        {"", "", ""},
        {"name", "", "name"},
        {"ns/name", "ns", "name"},
        {"/name", "", "name"},
        {"ns/", "ns", ""},
        {"/", "", ""},
        {"kube-system/coredns-5d78c9869d-abcde", "kube-system", "coredns-5d78c9869d-abcde"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_namespaced_name parsed = {untouched, untouched};
        kin_str key = kin_str_of(rows[i].key);
        kin_str namespace_ = untouched;
        kin_str name = untouched;

        assert_code(kin_key_split(&namespace_, &name, key, NULL), 0);
        assert_view(namespace_, rows[i].namespace_);
        assert_view(name, rows[i].name);
        /* Views of the key itself. */
        assert_ptr_equal(namespace_.data, key.data);
        assert_ptr_equal(name.data + name.len, key.data + key.len);

        assert_code(kin_namespaced_name_parse(&parsed, key, NULL), 0);
        assert_true(kin_namespaced_name_equal(parsed, named(rows[i].namespace_, rows[i].name)));
        assert_code(kin_key_split(NULL, NULL, key, NULL), 0);
    }
}

static void two_slashes_are_refused_at_the_second(void **state)
{
    static const struct {
        const char *key;
        uint64_t offset;
    } rows[] = {{"a/b/c", 3}, {"//", 1}, {"a//", 2}, {"/a/b", 2}, {"a/b/c/d", 3}, {"a/b/", 3}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_namespaced_name parsed = {untouched, untouched};
        kin_str namespace_ = untouched;
        kin_str name = untouched;
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin_key_split(&namespace_, &name, kin_str_of(rows[i].key), &err), KIN_EPARSE);
        assert_int_equal(err.code, KIN_EPARSE);
        assert_int_equal(err.offset, rows[i].offset);
        assert_view(namespace_, "untouched");
        assert_view(name, "untouched");

        kin_error_clear(&err);
        assert_code(kin_namespaced_name_parse(&parsed, kin_str_of(rows[i].key), &err), KIN_EPARSE);
        assert_int_equal(err.offset, rows[i].offset);
        assert_view(parsed.namespace_, "untouched");
        assert_view(parsed.name, "untouched");
        assert_code(kin_key_split(NULL, NULL, kin_str_of(rows[i].key), NULL), KIN_EPARSE);
    }
}

static void the_view_without_data_is_the_empty_key(void **state)
{
    kin_str namespace_ = untouched;
    kin_str name = untouched;

    (void)state;
    assert_code(kin_key_split(&namespace_, &name, kin_str_make(NULL, 0), NULL), 0);
    assert_int_equal(namespace_.len, 0);
    assert_int_equal(name.len, 0);
}

static void keys_are_put_together_without_a_slash_if_there_is_no_namespace(void **state)
{
    static const struct {
        const char *namespace_;
        const char *name;
        const char *key;
    } rows[] = {
        {"ns", "name", "ns/name"}, {"", "name", "name"}, {"ns", "", "ns/"}, {"", "", ""},
        {NULL, NULL, ""},          {NULL, "n", "n"},     {"n", NULL, "n/"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char buf[32];
        char *key = NULL;

        assert_int_equal(kin_key_format(buf, sizeof(buf), kin_str_of(rows[i].namespace_),
                                        kin_str_of(rows[i].name)),
                         strlen(rows[i].key));
        assert_string_equal(buf, rows[i].key);
        assert_code(
            kin_key_new(&key, kin_str_of(rows[i].namespace_), kin_str_of(rows[i].name), NULL), 0);
        assert_string_equal(key, rows[i].key);
        kin_free(key);
    }
}

/* Each size from nothing to more than enough: cut, terminated, and nothing behind is touched. */
static void what_does_not_fit_is_cut(void **state)
{
    static const char whole[] = "ns/name";

    (void)state;
    for (size_t size = 0; size <= sizeof(whole) + 1; size++) {
        char *buf = malloc(size ? size : 1);
        size_t kept = size < sizeof(whole) ? size : sizeof(whole);

        assert_non_null(buf);
        memset(buf, '#', size ? size : 1);
        assert_int_equal(kin_key_format(buf, size, kin_str_of("ns"), kin_str_of("name")), 7);
        if (size == 0) {
            assert_int_equal(buf[0], '#');
        } else {
            assert_memory_equal(buf, whole, kept - 1);
            assert_int_equal(buf[kept - 1], '\0');
            if (size > kept)
                assert_int_equal(buf[kept], '#');
        }
        free(buf);
    }
    assert_int_equal(kin_key_format(NULL, 0, kin_str_of("ns"), kin_str_of("name")), 7);
}

static void lengths_do_not_overflow(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char *key = NULL;
    kin_str huge = kin_str_make("", SIZE_MAX);

    (void)state;
    assert_true(kin_key_format(NULL, 0, huge, kin_str_of("x")) == SIZE_MAX);
    assert_true(kin_key_format(NULL, 0, kin_str_make("", SIZE_MAX / 2 + 1),
                               kin_str_make("", SIZE_MAX / 2)) == SIZE_MAX);
    assert_code(kin_key_new(&key, huge, kin_str_of("x"), &err), KIN_ENOMEM);
    assert_code(kin_key_new(&key, kin_str_of(""), huge, &err), KIN_ENOMEM);
    assert_null(key);
    assert_int_equal(err.code, KIN_ENOMEM);
}

static void there_must_be_somewhere_to_put_it(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_key_new(NULL, kin_str_of("a"), kin_str_of("b"), &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_code(kin_namespaced_name_parse(NULL, kin_str_of("a"), &err), KIN_EINVAL);
}

/* client-go's TestObjectNames: random texts with slashes in them. */
static void parsing_and_formatting_are_inverse(void **state)
{
    kin_test_rng rng = {1};
    unsigned parsed = 0;

    (void)state;
    for (int round = 0; round < 10000; round++) {
        char text[16] = "";
        kin_namespaced_name name;
        size_t len = kin_test_below(&rng, 11);
        unsigned slashes = 0;
        char back[16];

        for (size_t i = 0; i < len; i++) {
            text[i] = "abcdefg/"[kin_test_below(&rng, 8)];
            slashes += text[i] == '/';
        }
        int code = kin_namespaced_name_parse(&name, kin_str_of(text), NULL);
        assert_code(code, slashes > 1 ? KIN_EPARSE : 0);
        if (code < 0)
            continue;
        parsed++;
        kin_key_format(back, sizeof(back), name.namespace_, name.name);
        assert_string_equal(back, text[0] == '/' ? text + 1 : text);
    }
    assert_in_range(parsed, 1000, 9999);
}

static void names_are_ordered_by_namespace_first(void **state)
{
    static const char *const ordered[][2] = {
        {"", ""}, {"", "a"}, {"", "b"}, {"a", ""}, {"a", "z"}, {"a-b", "a"}, {"ab", "a"}, {"b", ""},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(ordered); i++) {
        for (size_t j = 0; j < kin__array_len(ordered); j++) {
            kin_namespaced_name a = named(ordered[i][0], ordered[i][1]);
            kin_namespaced_name b = named(ordered[j][0], ordered[j][1]);

            assert_int_equal(kin_namespaced_name_compare(a, b), (i > j) - (i < j));
            assert_int_equal(kin_namespaced_name_equal(a, b), i == j);
        }
    }
}

static int make_one(void *arg, kin_error *err)
{
    char *key = NULL;
    int code = kin_key_new(&key, kin_str_of("ns"), kin_str_of("name"), err);

    (void)arg;
    assert_true((code == 0) == (key != NULL));
    kin_free(key);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make_one, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_has_a_name_and_may_have_a_namespace),
        cmocka_unit_test(two_slashes_are_refused_at_the_second),
        cmocka_unit_test(the_view_without_data_is_the_empty_key),
        cmocka_unit_test(keys_are_put_together_without_a_slash_if_there_is_no_namespace),
        cmocka_unit_test(what_does_not_fit_is_cut),
        cmocka_unit_test(lengths_do_not_overflow),
        cmocka_unit_test(there_must_be_somewhere_to_put_it),
        cmocka_unit_test(parsing_and_formatting_are_inverse),
        cmocka_unit_test(names_are_ordered_by_namespace_first),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
