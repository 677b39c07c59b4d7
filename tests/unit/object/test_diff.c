/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "kinform/diff.h"
#include "kinform/editor.h"
#include "oom.h"

/* --- what is told --- */

/* Writes each difference as `path:before>after;`, with `-` for what is not there. */
struct log {
    ref_text told;
    size_t stop_after; /* differences; 0: never */
    size_t n;
};

static void put_value(ref_text *t, kin_value value)
{
    char *json = NULL;

    if (kin_value_type(value) == KIN_NONE) {
        ref_append_str(t, "-");
        return;
    }
    assert_code(kin_value_to_json(&json, NULL, value, KIN_JSON_COMPACT, NULL), 0);
    ref_append_str(t, json);
    kin_free(json);
}

static bool tell(kin_str path, kin_value before, kin_value after, void *arg)
{
    struct log *log = arg;

    ref_append(&log->told, path.data, path.len);
    ref_append_str(&log->told, ":");
    put_value(&log->told, before);
    ref_append_str(&log->told, ">");
    put_value(&log->told, after);
    ref_append_str(&log->told, ";");
    return ++log->n != log->stop_after;
}

static void check_diff(const char *before, const char *after, const char *expected)
{
    const kin_object *a = doc(before);
    const kin_object *b = doc(after);
    char *differences = quoted(expected);
    struct log log = {{NULL, 0, 0}, 0, 0};

    ref_append_str(&log.told, "");
    assert_code(kin_object_diff(a, b, tell, &log), 0);
    assert_string_equal(log.told.data, differences);
    free(log.told.data);
    free(differences);
    kin_object_unref(a);
    kin_object_unref(b);
}

static void equal_documents_have_no_differences(void **state)
{
    const kin_object *a = doc("{'a':{'b':[1,{'c':'d'}]}}");
    struct log log = {{NULL, 0, 0}, 0, 0};

    (void)state;
    assert_code(kin_object_diff(a, a, tell, &log), 0);
    assert_code(kin_object_diff(NULL, NULL, tell, &log), 0);
    assert_int_equal(log.n, 0);
    kin_object_unref(a);
    check_diff("{}", "{}", "");
    check_diff("{'a':[1,{'b':null}]}", "{'a':[1,{'b':null}]}", "");
    check_diff("{'a':1,'b':{'c':2,'d':3}}", "{'b':{'d':3,'c':2},'a':1}", "");
    check_diff("{'a':1,'b':100}", "{'a':1.0,'b':1e2}", "");
}

static void scalars_differ(void **state)
{
    (void)state;
    check_diff("{'a':1}", "{'a':2}", "a:1>2;");
    check_diff("{'a':null}", "{'a':false}", "a:null>false;");
    check_diff("{'a':'1'}", "{'a':1}", "a:'1'>1;");
    check_diff("{'a':{'b':{'c':1,'d':2}}}", "{'a':{'b':{'c':1,'d':3}}}", "a.b.d:2>3;");
    check_diff("{'a':'2026-01-31T12:00:00Z'}", "{'a':'2026-01-31T12:00:01Z'}",
               "a:'2026-01-31T12:00:00Z'>'2026-01-31T12:00:01Z';");
}

static void members_come_and_go(void **state)
{
    (void)state;
    check_diff("{'a':1}", "{}", "a:1>-;");
    check_diff("{}", "{'a':1}", "a:->1;");
    check_diff("{'a':1,'b':2}", "{'b':2,'c':3}", "a:1>-;c:->3;");
    check_diff("{'a':null}", "{}", "a:null>-;");
    check_diff("{'a':{'x':[1]}}", "{'b':{'x':[1]}}", "a:{'x':[1]}>-;b:->{'x':[1]};");
}

/* The order is that of the first document, then what is new in that of the second. */
static void the_order_is_that_of_the_documents(void **state)
{
    (void)state;
    check_diff("{'z':1,'a':1,'m':{'y':1}}", "{'m':{'y':2,'x':3},'q':0,'a':2,'b':0,'z':2}",
               "z:1>2;a:1>2;m.y:1>2;m.x:->3;q:->0;b:->0;");
}

static void arrays_are_compared_by_index(void **state)
{
    (void)state;
    check_diff("{'a':[1,2,3]}", "{'a':[1,9,3]}", "a[1]:2>9;");
    check_diff("{'a':[1,2,3]}", "{'a':[2,3]}", "a[0]:1>2;a[1]:2>3;a[2]:3>-;");
    check_diff("{'a':[]}", "{'a':[1,[2]]}", "a[0]:->1;a[1]:->[2];");
    check_diff("{'a':[{'b':1},[[1]]]}", "{'a':[{'b':2},[[2]]]}", "a[0].b:1>2;a[1][0][0]:1>2;");
}

static void values_of_other_types_are_one_difference(void **state)
{
    (void)state;
    check_diff("{'a':{'b':1}}", "{'a':[1]}", "a:{'b':1}>[1];");
    check_diff("{'a':{}}", "{'a':null}", "a:{}>null;");
    check_diff("{'a':[]}", "{'a':{}}", "a:[]>{};");
}

static void keys_are_spelled_as_paths(void **state)
{
    (void)state;
    check_diff("{'a.b':{'c[0]':{'d\\\\e':1,'*':1}}}", "{'a.b':{'c[0]':{'d\\\\e':2,'*':2}}}",
               "a\\.b.c\\[0\\].d\\\\e:1>2;a\\.b.c\\[0\\].\\*:1>2;");
}

static void nothing_differs_from_everything(void **state)
{
    const kin_object *a = doc("{'a':1}");
    const kin_object *key = NULL;
    struct log log = {{NULL, 0, 0}, 0, 0};

    (void)state;
    assert_code(kin_object_diff(NULL, a, tell, &log), 0);
    assert_code(kin_object_diff(a, NULL, tell, &log), 0);
    assert_string_equal(log.told.data, ":->{\"a\":1};:{\"a\":1}>-;");
    assert_code(kin_explicit_key_new(&key, kin_str_of("k"), NULL), 0);
    assert_code(kin_object_diff(key, a, tell, &log), 0);
    assert_int_equal(log.n, 3);
    assert_code(kin_object_diff(key, NULL, tell, &log), 0);
    assert_int_equal(log.n, 3);
    free(log.told.data);
    kin_object_unref(key);
    kin_object_unref(a);
}

static void the_callback_can_end_it(void **state)
{
    const kin_object *a = doc("{'a':1,'b':{'c':1,'d':1},'e':1}");
    const kin_object *b = doc("{'a':2,'b':{'c':2,'d':2},'e':2}");

    (void)state;
    for (size_t n = 1; n <= 5; n++) {
        struct log log = {{NULL, 0, 0}, n, 0};

        assert_code(kin_object_diff(a, b, tell, &log), 0);
        assert_int_equal(log.n, n < 4 ? n : 4);
        free(log.told.data);
    }
    kin_object_unref(a);
    kin_object_unref(b);
}

/* --- large and deep --- */

static bool count(kin_str path, kin_value before, kin_value after, void *arg)
{
    size_t *n = arg;

    (void)path;
    (void)before;
    (void)after;
    ++*n;
    return true;
}

/* In the opposite order: every member has to be looked for. Not in quadratic time. */
static void large_maps_in_another_order(void **state)
{
    enum { N = 50000 };
    ref_text a = {NULL, 0, 0};
    ref_text b = {NULL, 0, 0};
    char part[64];
    size_t n = 0;

    (void)state;
    ref_append_str(&a, "{\"data\":{\"first\":1");
    ref_append_str(&b, "{\"data\":{\"last\":1");
    for (int i = 0; i < N; i++) {
        snprintf(part, sizeof(part), ",\"key-%d\":%d", i, i);
        ref_append_str(&a, part);
        snprintf(part, sizeof(part), ",\"key-%d\":%d", N - 1 - i, (N - 1 - i) | 1);
        ref_append_str(&b, part);
    }
    ref_append_str(&a, "}}");
    ref_append_str(&b, "}}");
    const kin_object *before = from_json(a.data);
    const kin_object *after = from_json(b.data);
    assert_code(kin_object_diff(before, after, count, &n), 0);
    assert_int_equal(n, N / 2 + 2);
    kin_object_unref(before);
    kin_object_unref(after);
    free(a.data);
    free(b.data);
}

static void as_deep_as_documents_are(void **state)
{
    struct log log = {{NULL, 0, 0}, 0, 0};
    ref_text t = {NULL, 0, 0};

    (void)state;
    for (int i = 0; i < KIN_DEPTH_MAX; i++)
        ref_append_str(&t, "{\"a\":");
    ref_append_str(&t, "1");
    size_t at = t.len - 1;
    for (int i = 0; i < KIN_DEPTH_MAX; i++)
        ref_append_str(&t, "}");
    const kin_object *a = from_json(t.data);
    t.data[at] = '2';
    const kin_object *b = from_json(t.data);
    assert_code(kin_object_diff(a, b, tell, &log), 0);
    assert_int_equal(log.n, 1);
    assert_int_equal(log.told.len, 2 * KIN_DEPTH_MAX - 1 + strlen(":1>2;"));
    free(log.told.data);
    free(t.data);
    kin_object_unref(a);
    kin_object_unref(b);
}

/* --- at random --- */

/* Differences in the order in which they can be applied: removals from behind. */
struct changes {
    kin_editor *ed;
    size_t n;
    size_t n_removed;
    char *removed[512];
    size_t lens[512];
};

static bool apply_change(kin_str path, kin_value before, kin_value after, void *arg)
{
    struct changes *c = arg;

    c->n++;
    assert_false(kin_value_equal(before, after));
    if (kin_value_type(after) != KIN_NONE) {
        assert_code(kin_editor_set_value(c->ed, path, after, NULL), 0);
        return true;
    }
    assert_true(c->n_removed < kin__array_len(c->removed));
    c->removed[c->n_removed] = malloc(path.len + 1);
    assert_non_null(c->removed[c->n_removed]);
    memcpy(c->removed[c->n_removed], path.data, path.len);
    c->lens[c->n_removed++] = path.len;
    return true;
}

/* Applied to the first document with the editor, the differences make it the second. */
static void a_diff_leads_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        kin_test_rng rng = {seed};
        ref_value *from = random_map(&rng, 4, true);
        ref_value *to = kin_test_below(&rng, 4) ? ref_copy(from) : random_map(&rng, 4, true);
        struct changes c = {NULL, 0, 0, {NULL}, {0}};
        const kin_object *before = ref_doc(from);
        const kin_object *made = NULL;

        mutate_ref(&rng, to, true);
        if (kin_test_below(&rng, 2))
            random_shuffle(to, &rng);
        const kin_object *after = ref_doc(to);
        assert_code(kin_editor_new(&c.ed, before, NULL), 0);
        assert_code(kin_object_diff(before, after, apply_change, &c), 0);
        assert_int_equal(c.n == 0, ref_equal(from, to));
        while (c.n_removed-- > 0) {
            kin_str path = kin_str_make(c.removed[c.n_removed], c.lens[c.n_removed]);

            assert_code(kin_editor_remove(c.ed, path, NULL), 0);
            free(c.removed[c.n_removed]);
        }
        assert_code(kin_editor_finish(c.ed, &made, NULL), 0);
        assert_true(kin_object_equal(made, after));
        kin_editor_free(c.ed);
        kin_object_unref(made);
        kin_object_unref(before);
        kin_object_unref(after);
        ref_free(from);
        ref_free(to);
    }
}

/* --- without memory --- */

struct two {
    const kin_object *a;
    const kin_object *b;
};

static int diff(void *arg, kin_error *err)
{
    const struct two *two = arg;
    size_t n = 0;
    int code = kin_object_diff(two->a, two->b, count, &n);

    if (code < 0)
        return kin_error_set(err, code, "%s", kin_error_string(code));
    assert_int_equal(n, 42);
    return 0;
}

static void every_allocation_may_fail(void **state)
{
    ref_text a = {NULL, 0, 0};
    ref_text b = {NULL, 0, 0};
    char part[32];

    (void)state;
    ref_append_str(&a, "{\"x\":{\"y\":[[1]]},\"m\":{\"first\":0");
    ref_append_str(&b, "{\"m\":{\"k40\":0");
    for (int i = 0; i < 40; i++) {
        snprintf(part, sizeof(part), ",\"k%d\":%d", i, i);
        ref_append_str(&a, part);
        snprintf(part, sizeof(part), ",\"k%d\":%d", 39 - i, i < 39 ? 100 : 0);
        ref_append_str(&b, part);
    }
    ref_append_str(&a, "}}");
    ref_append_str(&b, "},\"x\":{\"y\":[[2]]}}");
    struct two two = {from_json(a.data), from_json(b.data)};
    kin_test_fail_each_allocation(diff, &two);
    kin_object_unref(two.a);
    kin_object_unref(two.b);
    free(a.data);
    free(b.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_documents_have_no_differences),
        cmocka_unit_test(scalars_differ),
        cmocka_unit_test(members_come_and_go),
        cmocka_unit_test(the_order_is_that_of_the_documents),
        cmocka_unit_test(arrays_are_compared_by_index),
        cmocka_unit_test(values_of_other_types_are_one_difference),
        cmocka_unit_test(keys_are_spelled_as_paths),
        cmocka_unit_test(nothing_differs_from_everything),
        cmocka_unit_test(the_callback_can_end_it),
        cmocka_unit_test(large_maps_in_another_order),
        cmocka_unit_test(as_deep_as_documents_are),
        cmocka_unit_test(a_diff_leads_there),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
