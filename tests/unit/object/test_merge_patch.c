/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "kinform/patch.h"
#include "object/json.h"
#include "oom.h"
#include "vectors.h"

static int apply(const kin_object **ret, const char *before, const char *patch, kin_error *err)
{
    const kin_object *object = doc(before);
    char *json = quoted(patch);
    int code = kin_object_merge_patch(ret, object, kin_str_of(json), err);

    free(json);
    kin_object_unref(object);
    return code;
}

/* --- applying --- */

static const struct {
    const char *before;
    const char *patch;
    const char *after;
} cases[] = {
    {"{'a':1,'b':2}", "{}", "{'a':1,'b':2}"},
    {"{'a':1,'b':2,'c':3}", "{'b':20}", "{'a':1,'b':20,'c':3}"}, /* in its place */
    {"{'a':1}", "{'b':2}", "{'a':1,'b':2}"},
    {"{'a':1,'b':2}", "{'a':null}", "{'b':2}"},
    {"{'a':1}", "{'x':null}", "{'a':1}"},
    {"{'a':{'b':1,'c':2}}", "{'a':{'b':null,'d':3}}", "{'a':{'c':2,'d':3}}"},
    {"{'a':{'b':1}}", "{'a':{'b':null}}", "{'a':{}}"},
    {"{'a':{'b':1}}", "{'a':[1]}", "{'a':[1]}"},
    {"{'a':[1]}", "{'a':{'b':1}}", "{'a':{'b':1}}"},
    {"{'a':[1,2,3]}", "{'a':[4]}", "{'a':[4]}"},
    {"{'a':1}", "{'a':{'b':null,'c':{'d':null}}}", "{'a':{'c':{}}}"}, /* no null gets in */
    {"{}", "{'a':{'b':{'c':null}}}", "{'a':{'b':{}}}"},
    {"{'a':null}", "{'b':1}", "{'a':null,'b':1}"}, /* a null that was there stays */
    {"{'a':null}", "{'a':{'b':1}}", "{'a':{'b':1}}"},
    {"{'a':1}", "{'a':[null,{'b':null}]}", "{'a':[null,{'b':null}]}"},
    {"{'a':1}", "{'a':1.0}", "{'a':1.0}"},
    {"{}", "{'':{'':''}}", "{'':{'':''}}"},
    {"{'a':1}", " { 'a' : null } ", "{}"},
    {"{'a':{'b':{'c':{'d':1,'e':2}}}}", "{'a':{'b':{'c':{'d':9}}}}",
     "{'a':{'b':{'c':{'d':9,'e':2}}}}"},
    {"{'a':1}", "{'a':2,'a':3}", "{'a':3}"}, /* the last one counts */
};

static void patches_are_applied(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *after = NULL;

        assert_code(apply(&after, cases[i].before, cases[i].patch, NULL), 0);
        check_doc(after, cases[i].after);
    }
}

static const struct {
    const char *patch;
    int code;
    uint64_t offset;
} refused[] = {
    {"", KIN_EPARSE, 0},     {"{", KIN_EPARSE, 1},      {"{'a':}", KIN_EPARSE, 5},
    {"{}x", KIN_EPARSE, 2},  {"[1,2", KIN_EPARSE, 4},   {"[]", KIN_EINVAL, 0},
    {"null", KIN_EINVAL, 0}, {"'text'", KIN_EINVAL, 0}, {"1", KIN_EINVAL, 0},
    {"true", KIN_EINVAL, 0},
};

static void what_is_no_patch_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(refused); i++) {
        const kin_object *after = NULL;
        kin_error err = KIN_ERROR_INIT;

        assert_code(apply(&after, "{'a':1}", refused[i].patch, &err), refused[i].code);
        assert_null(after);
        assert_int_equal(err.code, refused[i].code);
        assert_int_equal(err.offset, refused[i].offset);
    }
}

static void only_documents_can_be_patched(void **state)
{
    const kin_object *key = NULL;
    const kin_object *after = NULL;
    const kin_object *document = doc("{}");
    char *patch = NULL;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a/b"), NULL), 0);
    assert_code(kin_object_merge_patch(&after, key, kin_str_of("{}"), NULL), KIN_ETYPE);
    assert_null(after);
    assert_code(kin_object_make_merge_patch(&patch, NULL, key, document, NULL), KIN_ETYPE);
    assert_code(kin_object_make_merge_patch(&patch, NULL, document, key, NULL), KIN_ETYPE);
    assert_null(patch);
    kin_object_unref(document);
    kin_object_unref(key);
}

static char *nested(int depth)
{
    ref_text t = {NULL, 0, 0};

    for (int i = 0; i < depth; i++)
        ref_append_str(&t, "{\"a\":");
    ref_append_str(&t, "1");
    for (int i = 0; i < depth; i++)
        ref_append_str(&t, "}");
    return t.data;
}

/* No new object if the patch touches nothing. */
static void a_patch_without_effect_gives_the_object_itself(void **state)
{
    static const struct {
        const char *patch;
        bool same;
    } patches[] = {
        {"{}", true},
        {"{\"z\":null}", true},
        {"{\"a\":{\"b\":{\"z\":null}},\"y\":null}", true},
        {"{\"a\":{\"b\":{}}}", true},
        {"{\"z\":{}}", false},
        {"{\"a\":{\"b\":{\"c\":null}}}", false},
        {"{\"d\":2}", false},
    };
    const kin_object *before = doc("{'a':{'b':{'c':1}},'d':1}");

    (void)state;
    for (size_t i = 0; i < kin__array_len(patches); i++) {
        const kin_object *after = NULL;

        assert_code(kin_object_merge_patch(&after, before, kin_str_of(patches[i].patch), NULL), 0);
        assert_int_equal(after == before, patches[i].same);
        kin_object_unref(after);
    }

    /* Of a tombstone: what it was last known to be. */
    const kin_object *tombstone = NULL;
    const kin_object *after = NULL;

    assert_code(kin_tombstone_new(&tombstone, kin_str_of("x"), before, NULL), 0);
    assert_code(kin_object_merge_patch(&after, tombstone, kin_str_of("{}"), NULL), 0);
    assert_ptr_equal(after, before);
    kin_object_unref(after);
    kin_object_unref(tombstone);
    kin_object_unref(before);
}

static void depth_is_limited(void **state)
{
    const kin_object *before = doc("{'a':{'x':1}}");
    const kin_object *after = NULL;
    char *deep = nested(KIN_DEPTH_MAX);
    char *deeper = nested(KIN_DEPTH_MAX + 1);

    (void)state;
    assert_code(kin_object_merge_patch(&after, before, kin_str_of(deep), NULL), 0);
    assert_non_null(after);
    kin_object_unref(after);
    after = NULL;
    assert_code(kin_object_merge_patch(&after, before, kin_str_of(deeper), NULL), KIN_ELIMIT);
    assert_null(after);
    free(deep);
    free(deeper);
    kin_object_unref(before);
}

/* Many members on both sides: linear, not quadratic. */
static void large_maps_are_merged(void **state)
{
    enum { N = 50000 };
    ref_text before = {NULL, 0, 0};
    ref_text patch = {NULL, 0, 0};
    char part[64];

    (void)state;
    ref_append_str(&before, "{\"data\":{");
    ref_append_str(&patch, "{\"data\":{");
    for (int i = 0; i < N; i++) {
        snprintf(part, sizeof(part), "%s\"key-%d\":%d", i ? "," : "", i, i);
        ref_append_str(&before, part);
        snprintf(part, sizeof(part), i % 2 ? "%s\"key-%d\":null" : "%s\"key-%d\":-1", i ? "," : "",
                 N - 1 - i);
        ref_append_str(&patch, part);
    }
    ref_append_str(&before, "}}");
    ref_append_str(&patch, "}}");
    const kin_object *object = from_json(before.data);
    const kin_object *after = NULL;
    assert_code(kin_object_merge_patch(&after, object, kin_str_make(patch.data, patch.len), NULL),
                0);
    kin_value data = kin_value_get(kin_object_root(after), kin_str_of("data"));
    assert_int_equal(kin_value_len(data), N / 2);
    kin_object_unref(after);
    kin_object_unref(object);
    free(before.data);
    free(patch.data);
}

static const char *run_vector(const kin_object *object, kin_str patch, kin_value test,
                              const kin_object **ret)
{
    static const struct vector_code codes[] = {{"not-an-object", KIN_EINVAL, KIN_EINVAL}};

    return check_vector(kin_object_merge_patch(ret, object, patch, NULL), test, codes,
                        kin__array_len(codes));
}

static void the_vectors_pass(void **state)
{
    (void)state;
    assert_true(run_vectors("merge-patch.json", run_vector) > 30);
}

/* The definition, as the RFC has it. CONSUMES the target, which may be NULL. */
static ref_value *merge_refs(ref_value *target, const ref_value *patch)
{
    if (patch->type != KIN_MAP) {
        ref_free(target);
        return ref_copy(patch);
    }
    if (!target || target->type != KIN_MAP) {
        ref_free(target);
        target = ref_new(KIN_MAP, NULL, 0);
    }
    for (size_t i = 0; i < patch->n_elements; i++) {
        const ref_value *value = patch->elements[i];
        size_t at = ref_find(target, value->key);
        ref_value *before = at < target->n_elements ? ref_take(target, at) : NULL;

        if (value->type == KIN_NULL)
            ref_free(before);
        else
            ref_insert(target, at, value->key, merge_refs(before, value));
    }
    return target;
}

static void random_patches_do_what_the_definition_says(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        kin_test_rng rng = {seed};
        ref_value *target = random_map(&rng, 4, true);
        ref_value *patch = random_map(&rng, 4, true);
        const kin_object *before = ref_doc(target);
        const kin_object *after = NULL;
        char *json = ref_json(patch);

        assert_code(kin_object_merge_patch(&after, before, kin_str_of(json), NULL), 0);
        free(json);
        target = merge_refs(target, patch);
        json = ref_json(target);
        assert_json(after, json);
        free(json);
        kin_object_unref(after);
        kin_object_unref(before);
        ref_free(target);
        ref_free(patch);
    }
}

/* --- making --- */

static void check_made(const char *from, const char *to, const char *expected)
{
    const kin_object *a = doc(from);
    const kin_object *b = doc(to);
    char *json = quoted(expected);
    char *patch = NULL;
    size_t len = 0;

    assert_code(kin_object_make_merge_patch(&patch, &len, a, b, NULL), 0);
    assert_string_equal(patch, json);
    assert_int_equal(len, strlen(json));
    kin_free(patch);
    free(json);
    kin_object_unref(a);
    kin_object_unref(b);
}

static void patches_are_made(void **state)
{
    (void)state;
    check_made("{}", "{}", "{}");
    check_made("{'a':1,'b':[1]}", "{'b':[1],'a':1}", "{}");
    check_made("{'a':1}", "{'a':1.0}", "{}"); /* the same number */
    check_made("{'a':1}", "{'a':2}", "{'a':2}");
    check_made("{'a':1}", "{'b':2}", "{'a':null,'b':2}");
    check_made("{'a':{'b':1,'c':2}}", "{'a':{'b':1}}", "{'a':{'c':null}}");
    check_made("{'a':{'b':{'c':1}},'x':{'y':1}}", "{'a':{'b':{'c':1}},'x':{'y':2}}",
               "{'x':{'y':2}}");
    check_made("{'a':[1,2]}", "{'a':[1,3]}", "{'a':[1,3]}");
    check_made("{'a':{'b':1}}", "{'a':[]}", "{'a':[]}");
    check_made("{'a':[]}", "{'a':{}}", "{'a':{}}");
    check_made("{}", "{'a':{}}", "{'a':{}}");
    check_made("{'a':{}}", "{}", "{'a':null}");
    check_made("{'a':null}", "{'a':null,'b':1}", "{'b':1}");
    check_made("{'say \\'x\\'':1}", "{'say \\'x\\'':'y\\n'}", "{'say \\'x\\'':'y\\n'}");
    check_made("{'a':{'x':1},'b':{'x':1},'c':{'x':1}}", "{'a':{'x':1},'b':{'x':2},'c':{'x':1}}",
               "{'b':{'x':2}}");
}

static void the_length_is_not_asked_for_by_everybody(void **state)
{
    const kin_object *a = doc("{}");
    char *patch = NULL;

    (void)state;
    assert_code(kin_object_make_merge_patch(&patch, NULL, a, a, NULL), 0);
    assert_string_equal(patch, "{}");
    kin_free(patch);
    kin_object_unref(a);
}

/* What can not be said: a null that was not there. */
static void new_nulls_get_lost(void **state)
{
    const kin_object *a = doc("{'x':1}");
    const kin_object *b = doc("{'x':1,'y':null,'z':{'w':null}}");
    const kin_object *after = NULL;
    char *patch = NULL;

    (void)state;
    assert_code(kin_object_make_merge_patch(&patch, NULL, a, b, NULL), 0);
    assert_code(kin_object_merge_patch(&after, a, kin_str_of(patch), NULL), 0);
    kin_free(patch);
    check_doc(after, "{'x':1,'z':{}}");
    kin_object_unref(a);
    kin_object_unref(b);
}

static void a_made_patch_leads_there(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        kin_test_rng rng = {seed};
        ref_value *from = random_map(&rng, 4, false);
        ref_value *to = kin_test_below(&rng, 4) ? ref_copy(from) : random_map(&rng, 4, false);
        const kin_object *before = ref_doc(from);
        const kin_object *after = NULL;
        char *patch = NULL;
        size_t len = 0;

        mutate_ref(&rng, to, false);
        random_shuffle(to, &rng);
        const kin_object *target = ref_doc(to);
        assert_code(kin_object_make_merge_patch(&patch, &len, before, target, NULL), 0);
        assert_int_equal(strcmp(patch, "{}") == 0, ref_equal(from, to));
        assert_code(kin_object_merge_patch(&after, before, kin_str_make(patch, len), NULL), 0);
        assert_true(kin_object_equal(after, target));
        kin_free(patch);
        kin_object_unref(before);
        kin_object_unref(target);
        kin_object_unref(after);
        ref_free(from);
        ref_free(to);
    }
}

/* --- without memory --- */

struct two {
    const kin_object *from;
    const kin_object *to;
};

static int make_and_apply(void *arg, kin_error *err)
{
    const struct two *two = arg;
    const kin_object *after = NULL;
    char *patch = NULL;
    int code = kin_object_make_merge_patch(&patch, NULL, two->from, two->to, err);

    if (code == 0)
        code = kin_object_merge_patch(&after, two->from, kin_str_of(patch), err);
    kin_free(patch);
    kin_object_unref(after);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    struct two two = {doc("{'a':{'b':[1,2],'c':{'d':1}},'e':1}"),
                      doc("{'e':2,'a':{'c':{'d':2,'f':{'g':'h'}},'b':[3]}}")};

    (void)state;
    kin_test_fail_each_allocation(make_and_apply, &two);
    kin_object_unref(two.from);
    kin_object_unref(two.to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_applied),
        cmocka_unit_test(what_is_no_patch_is_refused),
        cmocka_unit_test(only_documents_can_be_patched),
        cmocka_unit_test(a_patch_without_effect_gives_the_object_itself),
        cmocka_unit_test(depth_is_limited),
        cmocka_unit_test(large_maps_are_merged),
        cmocka_unit_test(the_vectors_pass),
        cmocka_unit_test(random_patches_do_what_the_definition_says),
        cmocka_unit_test(patches_are_made),
        cmocka_unit_test(the_length_is_not_asked_for_by_everybody),
        cmocka_unit_test(new_nulls_get_lost),
        cmocka_unit_test(a_made_patch_leads_there),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
