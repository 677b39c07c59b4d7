/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "kinform/patch.h"
#include "oom.h"
#include "vectors.h"

static int apply(const kin_object **ret, const char *before, const char *patch, kin_error *err)
{
    const kin_object *object = doc(before);
    char *json = quoted(patch);
    int code = kin_object_json_patch(ret, object, kin_str_of(json), err);

    free(json);
    kin_object_unref(object);
    return code;
}

/* --- what works --- */

static const struct {
    const char *before;
    const char *patch;
    const char *after;
} cases[] = {
    {"{'a':1}", "[]", "{'a':1}"},
    {"{'a':1}", "[{'op':'add','path':'/b','value':[2]}]", "{'a':1,'b':[2]}"},
    {"{'a':1,'b':2}", "[{'op':'add','path':'/a','value':9}]", "{'a':9,'b':2}"},
    {"{'a':[1,3]}", "[{'op':'add','path':'/a/1','value':2}]", "{'a':[1,2,3]}"},
    {"{'a':[1]}", "[{'op':'add','path':'/a/-','value':2}]", "{'a':[1,2]}"},
    {"{'a':[1]}", "[{'op':'add','path':'/a/1','value':2}]", "{'a':[1,2]}"},
    {"{'a':1}", "[{'op':'add','path':'','value':{'x':{}}}]", "{'x':{}}"},
    {"{'a':1}", "[{'op':'add','path':'/','value':2}]", "{'a':1,'':2}"},
    {"{'a':{}}", "[{'op':'add','path':'/a/','value':null}]", "{'a':{'':null}}"},
    {"{'a':1,'b':2}", "[{'op':'remove','path':'/a'}]", "{'b':2}"},
    {"{'a':[1,2,3]}", "[{'op':'remove','path':'/a/1'}]", "{'a':[1,3]}"},
    {"{'a':1,'b':2}", "[{'op':'replace','path':'/a','value':{'x':1}}]", "{'a':{'x':1},'b':2}"},
    {"{'a':[1,2]}", "[{'op':'replace','path':'/a/0','value':9}]", "{'a':[9,2]}"},
    {"{'a':1}", "[{'op':'replace','path':'','value':{}}]", "{}"},
    {"{'a':{'x':1},'b':{}}", "[{'op':'move','from':'/a/x','path':'/b/y'}]", "{'a':{},'b':{'y':1}}"},
    {"{'a':[1,2,3]}", "[{'op':'move','from':'/a/0','path':'/a/2'}]", "{'a':[2,3,1]}"},
    {"{'a':[1,2,3]}", "[{'op':'move','from':'/a/0','path':'/a/-'}]", "{'a':[2,3,1]}"},
    {"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':'/a'}]", "{'a':{'b':1}}"},
    {"{'a':1}", "[{'op':'move','from':'','path':''}]", "{'a':1}"},
    {"{'a':{'b':1}}", "[{'op':'move','from':'/a','path':''}]", "{'b':1}"},
    {"{'a':{'b':1},'ab':{}}", "[{'op':'move','from':'/a','path':'/ab/c'}]", "{'ab':{'c':{'b':1}}}"},
    {"{'a':{'b':1}}", "[{'op':'copy','from':'/a','path':'/a/c'}]", "{'a':{'b':1,'c':{'b':1}}}"},
    {"{'a':1}", "[{'op':'copy','from':'','path':'/b'}]", "{'a':1,'b':{'a':1}}"},
    {"{'a':[1,2]}", "[{'op':'copy','from':'/a/1','path':'/a/0'}]", "{'a':[2,1,2]}"},
    {"{'a':{'b':[1]}}",
     "[{'op':'copy','from':'/a','path':'/c'},{'op':'add','path':'/c/b/-',"
     "'value':2},{'op':'remove','path':'/a/b/0'}]",
     "{'a':{'b':[]},'c':{'b':[1,2]}}"},
    {"{'a/b':1,'m~n':2,'~1':3}",
     "[{'op':'remove','path':'/a~1b'},{'op':'replace','path':'/m~0n','value':4},"
     "{'op':'move','from':'/~01','path':'/x~1~0y'}]",
     "{'m~n':4,'x/~y':3}"},
    {"{'a':[{'b':[0,{'c':1}]}]}", "[{'op':'replace','path':'/a/0/b/1/c','value':2}]",
     "{'a':[{'b':[0,{'c':2}]}]}"},
    {"{'0':1,'-':2,'01':3}",
     "[{'op':'remove','path':'/0'},{'op':'remove','path':'/-'},"
     "{'op':'replace','path':'/01','value':0}]",
     "{'01':0}"},
    {"{'a':1}",
     "[{'op':'test','path':'/a','value':1.0},{'op':'test','path':'','value':{'a':1}},"
     "{'op':'add','path':'/b','value':2}]",
     "{'a':1,'b':2}"},
    {"{'a':{'x':1,'y':[2]}}", "[{'op':'test','path':'/a','value':{'y':[2e0],'x':1}}]",
     "{'a':{'x':1,'y':[2]}}"},
    {"{'a':1}", "[{'xyz':[],'value':2,'path':'/a','op':'replace','from':7}]", "{'a':2}"},
    {"{'a':1}", "[{'op':'remove','op':'test','path':'/a','value':1}]", "{'a':1}"},
    /* The root may be anything on the way. */
    {"{'a':{'b':1}}",
     "[{'op':'replace','path':'','value':[1]},{'op':'add','path':'/-','value':{}},"
     "{'op':'move','from':'/1','path':''}]",
     "{}"},
};

static void patches_are_applied(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        const kin_object *after = NULL;
        kin_error err = KIN_ERROR_INIT;

        if (apply(&after, cases[i].before, cases[i].patch, &err) < 0)
            fail_msg("%s: %s", cases[i].patch, err.message);
        check_doc(after, cases[i].after);
    }
}

/* --- what does not --- */

#define DOC "{'a':1,'l':[1,2],'m':{'x':1},'n':null}"

static const struct {
    const char *patch;
    int code;
    const char *message; /* a part of it */
} refused[] = {
    {"", KIN_EPARSE, ""},
    {"[", KIN_EPARSE, "byte 1"},
    {"[{'op':'add' 'path'}]", KIN_EPARSE, "byte 13"},
    {"{}", KIN_EPARSE, "array"},
    {"7", KIN_EPARSE, "array"},
    {"[1]", KIN_EPARSE, "operation 0"},
    {"[{'op':'test','path':'/a','value':1},[]]", KIN_EPARSE, "operation 1"},
    {"[{}]", KIN_EPARSE, "op"},
    {"[{'op':7,'path':'/a'}]", KIN_EPARSE, "op"},
    {"[{'op':'delete','path':'/a'}]", KIN_EPARSE, "operation 0 (delete /a): an unknown"},
    {"[{'op':'Add','path':'/a','value':1}]", KIN_EPARSE, "unknown"},
    {"[{'op':'','path':'/a','value':1}]", KIN_EPARSE, "unknown"},
    {"[{'op':'remove'}]", KIN_EPARSE, "\"path\" is missing"},
    {"[{'op':'remove','path':null}]", KIN_EPARSE, "\"path\" is no string"},
    {"[{'op':'remove','path':'a'}]", KIN_EPARSE, "\"path\" is no JSON pointer"},
    {"[{'op':'remove','path':'/~'}]", KIN_EPARSE, "pointer"},
    {"[{'op':'remove','path':'/~2'}]", KIN_EPARSE, "pointer"},
    {"[{'op':'remove','path':'#/a'}]", KIN_EPARSE, "pointer"},
    {"[{'op':'add','path':'/a'}]", KIN_EPARSE, "operation 0 (add /a): no value"},
    {"[{'op':'replace','path':'/a'}]", KIN_EPARSE, "no value"},
    {"[{'op':'test','path':'/a'}]", KIN_EPARSE, "no value"},
    {"[{'op':'move','path':'/a'}]", KIN_EPARSE, "\"from\" is missing"},
    {"[{'op':'copy','path':'/a'}]", KIN_EPARSE, "\"from\" is missing"},
    {"[{'op':'move','path':'/a','from':[]}]", KIN_EPARSE, "\"from\" is no string"},
    {"[{'op':'move','path':'/a','from':'x'}]", KIN_EPARSE, "\"from\" is no JSON pointer"},
    {"[{'op':'move','from':'/m','path':'/m/x/y'}]", KIN_EPARSE, "into itself"},
    {"[{'op':'move','from':'','path':'/m'}]", KIN_EPARSE, "into itself"},
    {"[{'op':'add','path':'/x/y','value':1}]", KIN_ENOTFOUND, "operation 0 (add /x/y)"},
    {"[{'op':'add','path':'/l/3','value':1}]", KIN_ENOTFOUND, "beyond the end"},
    {"[{'op':'add','path':'/l/99999999999999999999','value':1}]", KIN_ENOTFOUND, "beyond"},
    {"[{'op':'add','path':'/l/2/x','value':1}]", KIN_ENOTFOUND, ""},
    {"[{'op':'remove','path':'/x'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'remove','path':'/l/2'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'remove','path':'/l/-'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'replace','path':'/x','value':1}]", KIN_ENOTFOUND, ""},
    {"[{'op':'replace','path':'/l/2','value':1}]", KIN_ENOTFOUND, ""},
    {"[{'op':'move','from':'/x','path':'/y'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'move','from':'/x','path':'/x'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'copy','from':'/x','path':'/y'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'copy','from':'/a','path':'/x/y'}]", KIN_ENOTFOUND, ""},
    {"[{'op':'test','path':'/x','value':null}]", KIN_ENOTFOUND, ""},
    {"[{'op':'move','from':'/l/0','path':'/l/2'}]", KIN_ENOTFOUND, ""}, /* one shorter by then */
    {"[{'op':'add','path':'/a/x','value':1}]", KIN_ETYPE, "no map and no array"},
    {"[{'op':'add','path':'/n/x','value':1}]", KIN_ETYPE, ""},
    {"[{'op':'add','path':'/l/x','value':1}]", KIN_ETYPE, "index"},
    {"[{'op':'add','path':'/l/','value':1}]", KIN_ETYPE, "index"},
    {"[{'op':'add','path':'/l/01','value':1}]", KIN_ETYPE, "index"},
    {"[{'op':'add','path':'/l/-1','value':1}]", KIN_ETYPE, "index"},
    {"[{'op':'add','path':'/l/1.0','value':1}]", KIN_ETYPE, "index"},
    {"[{'op':'test','path':'/a','value':2}]", KIN_EMISMATCH, "operation 0 (test /a)"},
    {"[{'op':'test','path':'/a','value':'1'}]", KIN_EMISMATCH, ""},
    {"[{'op':'test','path':'/n','value':false}]", KIN_EMISMATCH, ""},
    {"[{'op':'test','path':'/m','value':{'x':1,'y':1}}]", KIN_EMISMATCH, ""},
    {"[{'op':'test','path':'/l','value':[2,1]}]", KIN_EMISMATCH, ""},
    {"[{'op':'remove','path':''}]", KIN_EINVAL, "root"},
    {"[{'op':'replace','path':'','value':[]}]", KIN_EINVAL, "array"},
    {"[{'op':'move','from':'/a','path':''}]", KIN_EINVAL, "integer"},
    {"[{'op':'copy','from':'/l','path':''}]", KIN_EINVAL, ""},
};

static void what_is_refused_says_why(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(refused); i++) {
        const kin_object *after = NULL;
        kin_error err = KIN_ERROR_INIT;
        int code = apply(&after, DOC, refused[i].patch, &err);

        if (code != refused[i].code || err.code != code || !strstr(err.message, refused[i].message))
            fail_msg("%s gave %s: %s", refused[i].patch, kin_error_name(code), err.message);
        assert_null(after);
        assert_code(apply(&after, DOC, refused[i].patch, NULL), code);
    }
}

/* The index is that of the operation that failed, whatever came before it. */
static void the_operation_is_named(void **state)
{
    const kin_object *after = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(apply(&after, DOC,
                      "[{'op':'remove','path':'/a'},{'op':'remove','path':'/m/x'},"
                      "{'op':'remove','path':'/a'}]",
                      &err),
                KIN_ENOTFOUND);
    assert_non_null(strstr(err.message, "operation 2 (remove /a)"));
}

static void only_documents_can_be_patched(void **state)
{
    const kin_object *key = NULL;
    const kin_object *after = NULL;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("a/b"), NULL), 0);
    assert_code(kin_object_json_patch(&after, key, kin_str_of("[]"), NULL), KIN_ETYPE);
    assert_null(after);
    kin_object_unref(key);
}

/* A patch that fails at its end has changed nothing. */
static void patches_are_applied_whole_or_not_at_all(void **state)
{
    const kin_object *object = doc(DOC);
    const kin_object *after = NULL;
    char *patch =
        quoted("[{'op':'remove','path':'/a'},{'op':'add','path':'/l/0','value':0},"
               "{'op':'move','from':'/m','path':'/q'},{'op':'test','path':'/q','value':0}]");

    (void)state;
    assert_code(kin_object_json_patch(&after, object, kin_str_of(patch), NULL), KIN_EMISMATCH);
    assert_null(after);
    free(patch);
    check_doc(object, DOC);
}

/* --- limits --- */

static void the_number_of_operations_is_limited(void **state)
{
    ref_text t = {NULL, 0, 0};
    const kin_object *object = doc("{'a':0}");
    const kin_object *after = NULL;

    (void)state;
    ref_append_str(&t, "[");
    for (int i = 0; i < KIN_JSON_PATCH_MAX_OPERATIONS; i++) {
        if (i > 0)
            ref_append_str(&t, ",");
        ref_append_str(&t, "{\"op\":\"test\",\"path\":\"/a\",\"value\":0}");
    }
    size_t len = t.len;
    ref_append_str(&t, "]");
    assert_code(kin_object_json_patch(&after, object, kin_str_make(t.data, t.len), NULL), 0);
    kin_object_unref(after);
    after = NULL;
    t.len = len;
    ref_append_str(&t, ",{\"op\":\"test\",\"path\":\"/a\",\"value\":0}]");
    assert_code(kin_object_json_patch(&after, object, kin_str_make(t.data, t.len), NULL),
                KIN_ELIMIT);
    assert_null(after);
    free(t.data);
    kin_object_unref(object);
}

/* Each operation doubles the document. */
static void copies_can_not_grow_without_bound(void **state)
{
    ref_text t = {NULL, 0, 0};
    const kin_object *after = NULL;
    kin_error err = KIN_ERROR_INIT;
    char part[64];

    (void)state;
    ref_append_str(&t, "[");
    for (int i = 0; i < 64; i++) {
        snprintf(part, sizeof(part), "%s{'op':'copy','from':'','path':'/k%d'}", i ? "," : "", i);
        ref_append_str(&t, part);
    }
    ref_append_str(&t, "]");
    assert_code(apply(&after, "{'a':1}", t.data, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "copies too much"));
    assert_null(after);
    free(t.data);
}

/* The same with a large value that is never expanded. */
static void copies_of_large_values_are_counted(void **state)
{
    enum { SIZE = 1024 * 1024, FIT = KIN_JSON_PATCH_MAX_COPIED / SIZE - 1 };
    ref_text before = {NULL, 0, 0};
    char *large = malloc(SIZE + 1);
    const kin_object *after = NULL;

    (void)state;
    assert_non_null(large);
    memset(large, 'x', SIZE);
    large[SIZE] = '\0';
    ref_append_str(&before, "{\"a\":[\"");
    ref_append_str(&before, large);
    ref_append_str(&before, "\"]}");
    const kin_object *object = from_json(before.data);
    for (int n = FIT; n <= FIT + 2; n += 2) {
        ref_text patch = {NULL, 0, 0};

        ref_append_str(&patch, "[");
        for (int i = 0; i < n; i++) {
            ref_append_str(&patch, i ? "," : "");
            ref_append_str(&patch, "{\"op\":\"copy\",\"from\":\"/a/0\",\"path\":\"/a/-\"}");
        }
        ref_append_str(&patch, "]");
        assert_code(
            kin_object_json_patch(&after, object, kin_str_make(patch.data, patch.len), NULL),
            n == FIT ? 0 : KIN_ELIMIT);
        free(patch.data);
    }
    assert_int_equal(kin_value_len(kin_value_get(kin_object_root(after), kin_str_of("a"))),
                     FIT + 1);
    kin_object_unref(after);
    kin_object_unref(object);
    free(before.data);
    free(large);
}

/* `n` operations that shift a whole array each, and one that shifts nothing. */
static int shift(const kin_object *object, size_t n, kin_error *err)
{
    ref_text t = {NULL, 0, 0};
    const kin_object *after = NULL;

    ref_append_str(&t, "[");
    for (size_t i = 0; i < n; i++) {
        ref_append_str(&t, i ? "," : "");
        ref_append_str(&t, i % 2 ? "{\"op\":\"remove\",\"path\":\"/a/0\"}"
                                 : "{\"op\":\"add\",\"path\":\"/a/0\",\"value\":0}");
    }
    ref_append_str(&t, ",{\"op\":\"add\",\"path\":\"/a/-\",\"value\":0}]");
    int code = kin_object_json_patch(&after, object, kin_str_make(t.data, t.len), err);
    assert_int_equal(code == 0, after != NULL);
    kin_object_unref(after);
    free(t.data);
    return code;
}

static void the_items_that_are_shifted_are_limited(void **state)
{
    enum { LEN = 40000, FIT = KIN_JSON_PATCH_MAX_SHIFTED / LEN };
    ref_text before = {NULL, 0, 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_true(FIT < KIN_JSON_PATCH_MAX_OPERATIONS - 2);
    ref_append_str(&before, "{\"a\":[0");
    for (int i = 1; i < LEN; i++)
        ref_append_str(&before, ",0");
    ref_append_str(&before, "]}");
    const kin_object *object = from_json(before.data);
    assert_code(shift(object, FIT, &err), 0);
    assert_code(shift(object, FIT + 1, &err), KIN_ELIMIT); /* an addition */
    assert_non_null(strstr(err.message, "shifts too many items"));
    kin_object_unref(object);
    free(before.data);
}

static void a_patch_without_effect_gives_the_object_itself(void **state)
{
    static const struct {
        const char *patch;
        bool same;
    } patches[] = {
        {"[]", true},
        {"[{'op':'test','path':'/a/0','value':1}]", true},
        {"[{'op':'move','from':'/a','path':'/a'}]", true},
        {"[{'op':'replace','path':'/a/0','value':1}]", false},
        {"[{'op':'add','path':'/b','value':1}]", false},
        {"[{'op':'remove','path':'/a/0'}]", false},
        {"[{'op':'copy','from':'/a','path':'/a'}]", false},
    };
    const kin_object *object = doc("{'a':[1]}");
    const kin_object *tombstone = NULL;
    const kin_object *after = NULL;

    (void)state;
    for (size_t i = 0; i < kin__array_len(patches); i++) {
        char *json = quoted(patches[i].patch);

        assert_code(kin_object_json_patch(&after, object, kin_str_of(json), NULL), 0);
        assert_int_equal(after == object, patches[i].same);
        kin_object_unref(after);
        free(json);
    }
    /* Of a tombstone: what it was last known to be. */
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("x"), object, NULL), 0);
    assert_code(kin_object_json_patch(&after, tombstone, kin_str_of("[]"), NULL), 0);
    assert_ptr_equal(after, object);
    kin_object_unref(after);
    kin_object_unref(tombstone);
    kin_object_unref(object);
}

/* Operation by operation as deep as a document may be, and one deeper. */
static void depth_of_the_result_is_limited(void **state)
{
    ref_text patch = {NULL, 0, 0};
    ref_text path = {NULL, 0, 0};
    const kin_object *object = doc("{}");
    const kin_object *after = NULL;

    (void)state;
    ref_append_str(&patch, "[");
    for (int i = 1; i <= KIN_DEPTH_MAX; i++) {
        ref_append_str(&path, "/a");
        ref_append_str(&patch,
                       i > 1 ? ",{\"op\":\"add\",\"path\":\"" : "{\"op\":\"add\",\"path\":\"");
        ref_append_str(&patch, path.data);
        ref_append_str(&patch, "\",\"value\":{}}");
        if (i < KIN_DEPTH_MAX - 1)
            continue;
        ref_append_str(&patch, "]");
        after = NULL;
        assert_code(
            kin_object_json_patch(&after, object, kin_str_make(patch.data, patch.len), NULL),
            i < KIN_DEPTH_MAX ? 0 : KIN_ELIMIT);
        assert_int_equal(after != NULL, i < KIN_DEPTH_MAX);
        kin_object_unref(after);
        patch.len--;
    }
    free(patch.data);
    free(path.data);
    kin_object_unref(object);
}

/* The patch itself: its array and the operation are two levels. */
static void depth_of_the_text_is_limited(void **state)
{
    const kin_object *object = doc("{}");

    (void)state;
    for (int depth = KIN_DEPTH_MAX - 2; depth <= KIN_DEPTH_MAX - 1; depth++) {
        bool fits = depth == KIN_DEPTH_MAX - 2;
        ref_text patch = {NULL, 0, 0};
        const kin_object *after = NULL;

        ref_append_str(&patch, "[{\"op\":\"add\",\"path\":\"/a\",\"value\":");
        for (int i = 0; i < depth; i++)
            ref_append_str(&patch, "[");
        for (int i = 0; i < depth; i++)
            ref_append_str(&patch, "]");
        ref_append_str(&patch, "}]");
        assert_code(
            kin_object_json_patch(&after, object, kin_str_make(patch.data, patch.len), NULL),
            fits ? 0 : KIN_ELIMIT);
        assert_int_equal(after != NULL, fits);
        kin_object_unref(after);
        free(patch.data);
    }
    kin_object_unref(object);
}

/* --- vectors --- */

static const char *run_vector(const kin_object *object, kin_str patch, kin_value test,
                              const kin_object **ret)
{
    static const struct vector_code codes[] = {
        {"missing", KIN_ENOTFOUND, KIN_ENOTFOUND},
        {"index", KIN_ENOTFOUND, KIN_ETYPE},
        {"type", KIN_ETYPE, KIN_ETYPE},
        {"pointer", KIN_EPARSE, KIN_EPARSE},
        {"malformed", KIN_EPARSE, KIN_EPARSE},
        {"mismatch", KIN_EMISMATCH, KIN_EMISMATCH},
        {"into-itself", KIN_EPARSE, KIN_EPARSE},
        {"not-an-object", KIN_EINVAL, KIN_EINVAL},
    };

    return check_vector(kin_object_json_patch(ret, object, patch, NULL), test, codes,
                        kin__array_len(codes));
}

static void the_vectors_pass(void **state)
{
    (void)state;
    assert_true(run_vectors("json-patch.json", run_vector) > 100);
}

/* --- at random --- */

#define DEEP 8

/* A pointer as the reference has it: keys, or indexes as texts. */
struct pointer {
    size_t len;
    const char *tokens[DEEP];
};

/* A token for a place in `r`, mostly one that exists. Indexes have room to be text. */
static const char *random_token(kin_test_rng *rng, const ref_value *r)
{
    static const char *const indexes[] = {"0",  "1",  "2",  "3",  "4",  "5",  "6",  "7",
                                          "8",  "9",  "10", "11", "12", "13", "14", "15",
                                          "16", "17", "18", "19", "-",  "01", "x",  ""};
    bool exists = kin_test_below(rng, 12) != 0;

    if (r->type == KIN_MAP)
        return exists && r->n_elements ? r->elements[kin_test_below(rng, r->n_elements)]->key
                                       : random_key(rng);
    size_t n = r->n_elements < 20 ? r->n_elements : 20;
    return indexes[kin_test_below(rng, exists ? n + 1 : kin__array_len(indexes))];
}

/* The number that a token is in an array of that length, SIZE_MAX if it is none. */
static size_t token_index(const char *token, size_t len)
{
    char *end;

    if (strcmp(token, "-") == 0)
        return len;
    if (token[0] == '\0' || (token[0] == '0' && token[1]))
        return SIZE_MAX;
    size_t index = strtoul(token, &end, 10);
    return *end || token[0] == '+' || token[0] == '-' ? SIZE_MAX : index;
}

/* Where a token leads in `r`: an index of r->elements, r->n_elements: nowhere, SIZE_MAX: it can't be. */
static size_t token_at(const ref_value *r, const char *token)
{
    if (!ref_is_container(r))
        return SIZE_MAX;
    if (r->type == KIN_MAP)
        return ref_find(r, token);
    size_t index = token_index(token, r->n_elements);
    return index == SIZE_MAX        ? SIZE_MAX
           : index < r->n_elements  ? index
           : index == r->n_elements ? r->n_elements
                                    : SIZE_MAX;
}

static void random_pointer(kin_test_rng *rng, const ref_value *r, struct pointer *ret)
{
    ret->len = 0;
    while (ret->len < DEEP && kin_test_below(rng, 5) != 0) {
        const char *token = random_token(rng, r);

        ret->tokens[ret->len++] = token;
        size_t at = token_at(r, token);
        if (at >= r->n_elements)
            return;
        r = r->elements[at];
    }
}

static void put_pointer(ref_text *t, const struct pointer *p)
{
    ref_append_str(t, "\"");
    for (size_t i = 0; i < p->len; i++) {
        ref_append_str(t, "/");
        for (const char *s = p->tokens[i]; *s; s++) {
            if (*s == '~' || *s == '/')
                ref_append_str(t, *s == '~' ? "~0" : "~1");
            else if (*s == '"' || *s == '\\')
                ref_append(t, (char[]){'\\', *s}, 2);
            else
                ref_append(t, s, 1);
        }
    }
    ref_append_str(t, "\"");
}

/* The value at a pointer, or NULL. */
static ref_value *ref_at(ref_value *r, const struct pointer *p, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        size_t at = token_at(r, p->tokens[i]);

        if (at >= r->n_elements)
            return NULL;
        r = r->elements[at];
    }
    return r;
}

/* All of these return whether it is possible. Values are CONSUMED. */
static bool apply_add(ref_value **root, const struct pointer *p, ref_value *value)
{
    ref_value *parent = p->len ? ref_at(*root, p, p->len - 1) : NULL;
    size_t at = parent ? token_at(parent, p->tokens[p->len - 1]) : 0;

    if (p->len == 0) {
        ref_free(*root);
        *root = value;
        return true;
    }
    if (!parent || at == SIZE_MAX) {
        ref_free(value);
        return false;
    }
    if (parent->type == KIN_MAP)
        ref_set(parent, p->tokens[p->len - 1], value);
    else
        ref_insert(parent, at, NULL, value);
    return true;
}

static ref_value *apply_remove(ref_value *root, const struct pointer *p)
{
    ref_value *parent = p->len ? ref_at(root, p, p->len - 1) : NULL;
    size_t at = parent ? token_at(parent, p->tokens[p->len - 1]) : 0;

    return parent && at < parent->n_elements ? ref_take(parent, at) : NULL;
}

static bool apply_replace(ref_value **root, const struct pointer *p, ref_value *value)
{
    ref_value *parent = p->len ? ref_at(*root, p, p->len - 1) : NULL;
    size_t at = parent ? token_at(parent, p->tokens[p->len - 1]) : 0;

    if (p->len == 0)
        return apply_add(root, p, value);
    if (!parent || at >= parent->n_elements) {
        ref_free(value);
        return false;
    }
    ref_replace(parent, at, value);
    return true;
}

static bool is_prefix(const struct pointer *a, const struct pointer *b)
{
    for (size_t i = 0; i < a->len; i++) {
        if (i == b->len || strcmp(a->tokens[i], b->tokens[i]) != 0)
            return false;
    }
    return true;
}

static bool apply_move(ref_value **root, const struct pointer *from, const struct pointer *to)
{
    if (is_prefix(from, to))
        return from->len == to->len && ref_at(*root, from, from->len);
    ref_value *value = apply_remove(*root, from);
    return value && apply_add(root, to, value);
}

/* Draw an operation, write it down, and carry it out on the reference; whether it worked. */
static bool random_operation(kin_test_rng *rng, ref_value **root, ref_text *patch)
{
    static const char *const ops[] = {"add", "remove", "replace", "move", "copy", "test"};
    unsigned op = (unsigned)kin_test_below(rng, 6);
    struct pointer path;
    struct pointer from;
    ref_value *value = random_ref(rng, 2, true);
    ref_value *found;
    bool worked = false;

    random_pointer(rng, *root, &path);
    random_pointer(rng, *root, &from);
    found = ref_at(*root, &path, path.len);
    if (op == 5 && found && kin_test_below(rng, 4) != 0) {
        ref_free(value); /* a test that passes, now and then */
        value = ref_copy(found);
        random_shuffle(value, rng);
    }
    ref_append_str(patch, "{\"op\":\"");
    ref_append_str(patch, ops[op]);
    ref_append_str(patch, "\",\"path\":");
    put_pointer(patch, &path);
    ref_append_str(patch, ",\"from\":");
    put_pointer(patch, &from);
    ref_append_str(patch, ",\"value\":");
    ref_print(patch, value);
    ref_append_str(patch, "}");
    switch (op) {
    case 0:
        return apply_add(root, &path, value);
    case 2:
        return apply_replace(root, &path, value);
    case 1:
        found = apply_remove(*root, &path);
        worked = found != NULL;
        ref_free(found);
        break;
    case 3:
        worked = apply_move(root, &from, &path);
        break;
    case 4:
        found = ref_at(*root, &from, from.len);
        worked = found && apply_add(root, &path, ref_copy(found));
        break;
    default:
        worked = found && ref_equal(found, value);
        break;
    }
    ref_free(value);
    return worked;
}

/* The document may grow a lot by copies; that is another test's business. */
static bool is_large(const ref_value *r)
{
    char *json = ref_json(r);
    bool large = strlen(json) > 50000;

    free(json);
    return large;
}

static void check_random_patch(uint64_t seed, unsigned *worked)
{
    kin_test_rng rng = {seed};
    ref_value *root = random_map(&rng, 4, true);
    const kin_object *before = ref_doc(root);
    const kin_object *after = NULL;
    char *unchanged = ref_json(root);
    ref_text patch = {NULL, 0, 0};
    bool good = true;

    ref_append_str(&patch, "[");
    for (uint64_t n = kin_test_below(&rng, 5); n > 0 && good && !is_large(root); n--) {
        if (patch.len > 1)
            ref_append_str(&patch, ",");
        good = random_operation(&rng, &root, &patch);
    }
    ref_append_str(&patch, "]");
    good = good && root->type == KIN_MAP;
    int code = kin_object_json_patch(&after, before, kin_str_make(patch.data, patch.len), NULL);
    if ((code == 0) != good)
        fail_msg("seed %u: %s gave %d on %s", (unsigned)seed, patch.data, code, unchanged);
    if (good) {
        char *json = ref_json(root);

        assert_json(after, json);
        free(json);
        ++*worked;
    }
    assert_json(before, unchanged);
    free(unchanged);
    free(patch.data);
    kin_object_unref(after);
    kin_object_unref(before);
    ref_free(root);
}

static void random_patches_do_what_the_reference_does(void **state)
{
    unsigned worked = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 4000; seed++)
        check_random_patch(seed, &worked);
    assert_in_range(worked, 1000, 3600);
}

/* --- without memory --- */

static int apply_all(void *arg, kin_error *err)
{
    const kin_object *object = arg;
    const kin_object *after = NULL;
    char *patch = quoted("[{'op':'add','path':'/m/y~1z','value':{'x':[1]}},"
                         "{'op':'copy','from':'/m','path':'/l/-'},"
                         "{'op':'move','from':'/l/2/y~1z','path':'/q'},"
                         "{'op':'replace','path':'/l/0','value':'text'},"
                         "{'op':'test','path':'/m','value':{'x':1,'y/z':{'x':[1]}}},"
                         "{'op':'remove','path':'/a'}]");
    int code = kin_object_json_patch(&after, object, kin_str_of(patch), err);

    free(patch);
    kin_object_unref(after);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    const kin_object *object = doc(DOC);

    (void)state;
    kin_test_fail_each_allocation(apply_all, (void *)(uintptr_t)object);
    kin_object_unref(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(patches_are_applied),
        cmocka_unit_test(what_is_refused_says_why),
        cmocka_unit_test(the_operation_is_named),
        cmocka_unit_test(only_documents_can_be_patched),
        cmocka_unit_test(patches_are_applied_whole_or_not_at_all),
        cmocka_unit_test(the_number_of_operations_is_limited),
        cmocka_unit_test(copies_can_not_grow_without_bound),
        cmocka_unit_test(copies_of_large_values_are_counted),
        cmocka_unit_test(the_items_that_are_shifted_are_limited),
        cmocka_unit_test(a_patch_without_effect_gives_the_object_itself),
        cmocka_unit_test(depth_of_the_result_is_limited),
        cmocka_unit_test(depth_of_the_text_is_limited),
        cmocka_unit_test(the_vectors_pass),
        cmocka_unit_test(random_patches_do_what_the_reference_does),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
