/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Projections: what a path set keeps and drops, its text and errors, and that a projected document
 * is what filtering the whole one gives.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/projection.h"
#include "object/projection.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

#define ROUNDS 15

typedef int make_fn(const kin_projection **ret, kin_str paths, kin_error *err);

static kin_decoder *new_decoder(make_fn *make, const char *paths)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    kin_decoder *decoder = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (make(&projection, kin_str_of(paths), &err) != 0)
        fail_msg("%s: %s", paths, err.message);
    options.projection = projection;
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    kin_projection_unref(projection); /* the decoder has a reference of its own */
    return decoder;
}

static void assert_pool_is_empty(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
}

struct example {
    make_fn *make;
    const char *paths;
    const char *text;
    const char *expected;
};

#define POD                                                                                        \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"namespace\":\"s\","    \
    "\"uid\":\"u\",\"resourceVersion\":\"7\",\"labels\":{\"app\":\"web\",\"tier\":\"x\"},"         \
    "\"managedFields\":[{\"manager\":\"m\"}]},\"spec\":{\"nodeName\":\"node\",\"containers\":["    \
    "{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\",\"image\":\"j\",\"ports\":[1,2]}]},"         \
    "\"status\":{\"phase\":\"Running\"}}"
#define IDENTITY                                                                                   \
    "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"n\",\"namespace\":\"s\","    \
    "\"uid\":\"u\",\"resourceVersion\":\"7\""

static const struct example examples[] = {
    {kin_projection_drop, "metadata.managedFields", POD,
     IDENTITY ",\"labels\":{\"app\":\"web\",\"tier\":\"x\"}},\"spec\":{\"nodeName\":\"node\","
              "\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\",\"image\":\"j\","
              "\"ports\":[1,2]}]},\"status\":{\"phase\":\"Running\"}}"},
    {kin_projection_keep, "spec.nodeName,status.phase", POD,
     IDENTITY "},\"spec\":{\"nodeName\":\"node\"},\"status\":{\"phase\":\"Running\"}}"},
    {kin_projection_keep, "metadata.labels.app,spec.containers[*].image", POD,
     IDENTITY ",\"labels\":{\"app\":\"web\"}},\"spec\":{\"containers\":[{\"image\":\"i\"},"
              "{\"image\":\"j\"}]}}"},
    {kin_projection_keep, "spec.*", POD,
     IDENTITY "},\"spec\":{\"nodeName\":\"node\",\"containers\":[{\"name\":\"a\",\"image\":\"i\"},"
              "{\"name\":\"b\",\"image\":\"j\",\"ports\":[1,2]}]}}"},
    {kin_projection_drop, "spec.containers[*].ports,spec.nodeName,status,metadata", POD,
     IDENTITY "},\"spec\":{\"containers\":[{\"name\":\"a\",\"image\":\"i\"},{\"name\":\"b\","
              "\"image\":\"j\"}]}}"},
    /* The identity stays, whatever the paths say. */
    {kin_projection_drop, "apiVersion,kind,metadata.name,metadata.uid,metadata,spec,status", POD,
     IDENTITY "}}"},
    {kin_projection_drop, "metadata.*,spec,status", POD, IDENTITY "}}"},
    {kin_projection_keep, "nothing", POD, IDENTITY "}}"},
    /* Maps and arrays on the way stay, empty if nothing in them is kept; scalars on the way go. */
    {kin_projection_keep, "a.b.c", "{\"a\":{\"b\":{\"x\":1}}}", "{\"a\":{\"b\":{}}}"},
    {kin_projection_keep, "a.b.c", "{\"a\":{\"b\":1}}", "{\"a\":{}}"},
    {kin_projection_keep, "a.b.c", "{\"a\":null}", "{}"},
    {kin_projection_drop, "a.b.c", "{\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
    {kin_projection_drop, "a.b.c", "{\"a\":null}", "{\"a\":null}"},
    {kin_projection_keep, "a[*].b", "{\"a\":[1,{\"b\":2,\"c\":3},[4],null,{}]}",
     "{\"a\":[{\"b\":2},[],{}]}"},
    {kin_projection_drop, "a[*].b", "{\"a\":[1,{\"b\":2,\"c\":3},[4]]}",
     "{\"a\":[1,{\"c\":3},[4]]}"},
    {kin_projection_keep, "a[*]", "{\"a\":[1,{\"b\":2}]}", "{\"a\":[1,{\"b\":2}]}"},
    {kin_projection_drop, "a[*]", "{\"a\":[1,{\"b\":2}],\"b\":[1]}", "{\"a\":[],\"b\":[1]}"},
    /* An item is no member and a member no item. */
    {kin_projection_drop, "a[*]", "{\"a\":{\"b\":2}}", "{\"a\":{\"b\":2}}"},
    {kin_projection_drop, "a.*", "{\"a\":[1]}", "{\"a\":[1]}"},
    /* Of two paths the shorter one counts. */
    {kin_projection_keep, "a.b,a", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":1,\"c\":2}}"},
    {kin_projection_keep, "a,a.b", "{\"a\":{\"b\":1,\"c\":2}}", "{\"a\":{\"b\":1,\"c\":2}}"},
    {kin_projection_drop, "a.b,a", "{\"a\":{\"b\":1,\"c\":2},\"d\":1}", "{\"d\":1}"},
    {kin_projection_drop, "a,a.b", "{\"a\":{\"b\":1,\"c\":2},\"d\":1}", "{\"d\":1}"},
    /* A member that some path names goes by that path alone. */
    {kin_projection_keep, "a.*.x,a.b.y",
     "{\"a\":{\"b\":{\"x\":1,\"y\":2,\"z\":3},\"c\":{\"x\":4,\"y\":5}}}",
     "{\"a\":{\"b\":{\"y\":2},\"c\":{\"x\":4}}}"},
    {kin_projection_drop, "a.*.x,a.b.y",
     "{\"a\":{\"b\":{\"x\":1,\"y\":2,\"z\":3},\"c\":{\"x\":4,\"y\":5}}}",
     "{\"a\":{\"b\":{\"x\":1,\"z\":3},\"c\":{\"y\":5}}}"},
    {kin_projection_keep, "a.*,a.b.y", "{\"a\":{\"b\":{\"x\":1,\"y\":2},\"c\":3}}",
     "{\"a\":{\"b\":{\"y\":2},\"c\":3}}"},
    /* Keys that need an escape, in text and in path. */
    {kin_projection_keep, "metadata.labels.app\\.kubernetes\\.io/name",
     "{\"metadata\":{\"labels\":{\"app.kubernetes.io/name\":\"x\",\"app\":\"y\"}}}",
     "{\"metadata\":{\"labels\":{\"app.kubernetes.io/name\":\"x\"}}}"},
    {kin_projection_keep, "a['b,c'],d", "{\"a\":{\"b,c\":1,\"b\":2},\"d\":3}",
     "{\"a\":{\"b,c\":1},\"d\":3}"},
    {kin_projection_keep, "a", "{\"\\u0061\":1,\"b\":2}", "{\"a\":1}"},
    {kin_projection_drop, "a", "{\"\\u0061\":1,\"b\":2}", "{\"b\":2}"},
    /* Of double keys the last one counts, also if it is not kept. */
    {kin_projection_keep, "a.b", "{\"a\":{\"b\":1},\"a\":{\"b\":2}}", "{\"a\":{\"b\":2}}"},
    {kin_projection_keep, "a.b", "{\"a\":{\"b\":1},\"a\":5}", "{}"},
    {kin_projection_keep, "a.b", "{\"a\":5,\"a\":{\"b\":1}}", "{\"a\":{\"b\":1}}"},
    {kin_projection_keep, "a.b", "{\"a\":{\"b\":1},\"a\":5,\"c\":1,\"a\":{}}", "{\"a\":{}}"},
    {kin_projection_drop, "a", "{\"a\":1,\"b\":2,\"a\":3,\"b\":4}", "{\"b\":4}"},
};

static void assert_projected(kin_decoder *decoder, const struct example *example)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text;

    if (kin_decoder_decode(decoder, &object, kin_str_of(example->text), &err) != 0)
        fail_msg("%s: %s", example->text, err.message);
    assert_code(kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    if (strcmp(text, example->expected) != 0)
        fail_msg("%s of %s gives %s", example->paths, example->text, text);
    kin_free(text);
    kin_object_unref(object);
}

static void paths_keep_and_drop(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(examples); i++) {
        kin_decoder *decoder = new_decoder(examples[i].make, examples[i].paths);

        for (unsigned round = 0; round < ROUNDS; round++)
            assert_projected(decoder, &examples[i]);
        kin_decoder_free(decoder);
    }
    assert_pool_is_empty();
}

static int metadata_only(const kin_projection **ret, kin_str paths, kin_error *err)
{
    (void)paths;
    return kin_projection_metadata_only(ret, err);
}

static void metadata_only_keeps_all_metadata_and_the_type(void **state)
{
    static const struct example example = {metadata_only, "", POD,
                                           IDENTITY ",\"labels\":{\"app\":\"web\",\"tier\":\"x\"},"
                                                    "\"managedFields\":[{\"manager\":\"m\"}]}}"};
    kin_decoder *decoder = new_decoder(metadata_only, "");

    (void)state;
    assert_projected(decoder, &example);
    kin_decoder_free(decoder);
}

static void identity_is_readable_after_any_projection(void **state)
{
    kin_decoder *decoder = new_decoder(kin_projection_keep, "status");

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *object = NULL;

        assert_code(kin_decoder_decode(decoder, &object, kin_str_of(POD), NULL), 0);
        assert_string_equal(kin_object_key(object), "s/n");
        assert_true(kin_str_equal(kin_object_resource_version(object), kin_str_of("7")));
        assert_false(kin_object_label(object, kin_str_of("app"), NULL));
        kin_object_unref(object);
    }
    kin_decoder_free(decoder);
}

/* What is dropped is checked all the same: the first time, and when its text is known. */
static uint64_t id_of(bool keep, const char *paths)
{
    const kin_projection *projection = NULL;
    uint64_t id;

    assert_code(keep ? kin_projection_keep(&projection, kin_str_of(paths), NULL)
                     : kin_projection_drop(&projection, kin_str_of(paths), NULL),
                0);
    id = kin__projection_id(projection);
    kin_projection_unref(projection);
    return id;
}

/* It is written to files, and so must never be another. */
static void the_same_paths_have_the_same_id(void **state)
{
    (void)state;
    assert_int_equal(kin__projection_id(NULL), 0);
    assert_true(id_of(true, "a,b") == id_of(true, "a,b"));
    assert_true(id_of(true, "a,b") == UINT64_C(0xd9186d5e85f89091));
    assert_true(id_of(true, "a,b") != id_of(false, "a,b"));
    assert_true(id_of(true, "a,b") != id_of(true, "a.b"));
}

static void what_is_dropped_is_checked(void **state)
{
    static const struct {
        const char *text;
        int code;
        uint64_t offset;
    } cases[] = {
        {"{\"a\":{\"b\":1,}}", KIN_EPARSE, 12},
        {"{\"a\":[01]}", KIN_EPARSE, 7},
        {"{\"a\":\"\xff\"}", KIN_EPARSE, 6},
        {"{\"a\":tru}", KIN_EPARSE, 5},
        {"{\"a\"}", KIN_EPARSE, 4},
        {"{\"a\":{\"b\":[1,2", KIN_EPARSE, 14},
        {"{\"a\":[[[[1]]]]}", KIN_ELIMIT, 7},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    kin_decoder *decoder = NULL;

    (void)state;
    assert_code(kin_projection_drop(&projection, kin_str_of("a"), NULL), 0);
    options.projection = projection;
    options.max_depth = 3;
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    kin_projection_unref(projection);
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = NULL;
            kin_error err = KIN_ERROR_INIT;

            assert_code(kin_decoder_decode(decoder, &object, kin_str_of(cases[i].text), &err),
                        cases[i].code);
            assert_int_equal(err.offset, cases[i].offset);
        }
    }
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* A text that was dropped where it fitted is still too deep where it does not fit. */
static void what_is_dropped_and_known_has_its_depth(void **state)
{
    kin_decoder *decoder = new_decoder(kin_projection_drop, "a,b");
    ref_text deep = {NULL, 0, 0};
    ref_text text = {NULL, 0, 0};
    const kin_object *object = NULL;

    (void)state;
    for (unsigned i = 0; i < 300; i++)
        ref_append_str(&deep, "[");
    ref_append_str(&deep, "\"some text that is dropped\"");
    for (unsigned i = 0; i < 300; i++)
        ref_append_str(&deep, "]");
    for (unsigned i = 0; i < ROUNDS; i++) {
        text.len = 0;
        ref_append_str(&text, "{\"a\":{\"x\":");
        ref_append(&text, deep.data, deep.len);
        ref_append_str(&text, "}}");
        assert_code(kin_decoder_decode(decoder, &object, kin_str_make(text.data, text.len), NULL),
                    0);
        kin_object_unref(object);
    }
    for (unsigned levels = 211; levels <= 212; levels++) {
        text.len = 0;
        ref_append_str(&text, "{\"b\":");
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&text, "{\"x\":");
        ref_append(&text, deep.data, deep.len);
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&text, "}");
        ref_append_str(&text, "}");
        object = NULL;
        assert_code(kin_decoder_decode(decoder, &object, kin_str_make(text.data, text.len), NULL),
                    levels == 211 ? 0 : KIN_ELIMIT);
        kin_object_unref(object);
    }
    free(deep.data);
    free(text.data);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* --- errors --- */

static void malformed_paths_are_refused_with_their_place(void **state)
{
    static const struct {
        const char *paths;
        uint64_t offset;
    } cases[] = {
        {"", 0},     {",", 0},           {"a,", 2},  {"a,,b", 2}, {"a,b..c", 4}, {"a,b.[", 4},
        {"a[0]", 1}, {"a,b[*].c[1]", 8}, {"[*]", 0}, {"*", 0},    {"a,*.b", 2},  {"a,b[", 4},
        {" a", 0},   {"a, b", 2},        {"a ", 1},  {"a ,b", 1}, {"a.b\\", 3},
    };
    const kin_projection *projection = (const kin_projection *)(uintptr_t)8;

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_error err = KIN_ERROR_INIT;

        if (kin_projection_keep(&projection, kin_str_of(cases[i].paths), &err) != KIN_EPARSE ||
            err.offset != cases[i].offset)
            fail_msg("\"%s\": %s at %llu: %s", cases[i].paths, kin_error_name(err.code),
                     (unsigned long long)err.offset, err.message);
        assert_code(kin_projection_drop(&projection, kin_str_of(cases[i].paths), NULL), KIN_EPARSE);
        assert_ptr_equal(projection, (void *)8);
    }
}

static void too_long_paths_are_refused(void **state)
{
    const kin_projection *projection = NULL;
    kin_error err = KIN_ERROR_INIT;
    ref_text paths = {NULL, 0, 0};

    (void)state;
    while (paths.len < 65000)
        ref_append_str(&paths, "abcdefgh.ijk,");
    ref_append_str(&paths, "z");
    assert_code(kin_projection_keep(&projection, kin_str_make(paths.data, paths.len), &err), 0);
    kin_projection_unref(projection);
    while (paths.len <= 65536)
        ref_append_str(&paths, "abcdefgh,");
    assert_code(kin_projection_keep(&projection, kin_str_make(paths.data, paths.len), &err),
                KIN_ELIMIT);
    assert_int_equal(err.code, KIN_ELIMIT);
    /* One path of more than a path may have. */
    memset(paths.data, 'x', 5000);
    assert_code(kin_projection_drop(&projection, kin_str_make(paths.data, 5000), &err), KIN_ELIMIT);
    free(paths.data);
}

static void references_are_counted(void **state)
{
    const kin_projection *projection = NULL;
    size_t before = kin_test_alloc_live();

    (void)state;
    assert_null(kin_projection_ref(NULL));
    kin_projection_unref(NULL);
    assert_code(kin_projection_keep(&projection, kin_str_of("a"), NULL), 0);
    assert_ptr_equal(kin_projection_ref(projection), projection);
    kin_projection_unref(projection);
    assert_true(kin_test_alloc_live() > before);
    kin_projection_unref(projection);
    assert_int_equal(kin_test_alloc_live(), before);
}

static int make_and_use(void *arg, kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    const kin_projection *projection = NULL;
    const kin_object *object = NULL;
    int code = kin_projection_drop(&projection, kin_str_of(arg), err);

    if (code == 0) {
        options.projection = projection;
        code = kin_object_from_json(&object, kin_str_of(POD), &options, err);
        kin_projection_unref(projection);
        kin_object_unref(object);
    }
    if (code == 0) {
        code = kin_projection_metadata_only(&projection, err);
        if (code == 0)
            kin_projection_unref(projection);
    }
    return code;
}

static void without_memory_none_is_made(void **state)
{
    char paths[] = "a.b[*].*,metadata.managedFields,a['x,y']";

    (void)state;
    kin_test_fail_each_allocation(make_and_use, paths);
}

/* --- random documents --- */

/* Path sets, as text and in steps. Their names are those that random documents have. */
struct set {
    const char *text;
    const char *const *const *paths;
    size_t n;
};

#define PATH(...) ((const char *const[]){__VA_ARGS__, NULL})
#define PATHS(...) ((const char *const *const[]){__VA_ARGS__})

/* Every path set, kept and dropped, of random documents: what filtering the tree gives. */
static void check_set(const struct set *set, bool keep)
{
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder = new_decoder(keep ? kin_projection_keep : kin_projection_drop, set->text);

    for (uint64_t seed = 1; seed <= 60; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 40);

        for (unsigned round = 0; round < 8; round++) {
            random_rename(document, round);

            ref_value *expected = ref_project(document, set->paths, set->n, keep);
            ref_text text = random_text(document, &rng, round % 2 ? RANDOM_ESCAPES : 7);
            const kin_object *object = NULL;

            assert_code(
                kin_decoder_decode(decoder, &object, kin_str_make(text.data, text.len), NULL), 0);

            const char *problem = ref_check_object(expected, object);

            if (problem)
                fail_msg("%s %s, seed %llu, round %u: %s\n%.2000s", keep ? "keep" : "drop",
                         set->text, (unsigned long long)seed, round, problem, text.data);
            random_keep(&keeper, object);
            free(text.data);
            ref_free(expected);
        }
        ref_free(document);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void random_documents_are_filtered(void **state)
{
    const struct set sets[] = {
        {"metadata", PATHS(PATH("metadata")), 1},
        {"spec", PATHS(PATH("spec")), 1},
        {"metadata.labels,spec.selector",
         PATHS(PATH("metadata", "labels"), PATH("spec", "selector")), 2},
        {"metadata.*", PATHS(PATH("metadata", "*")), 1},
        {"spec.*.app,spec.selector.matchLabels.tier",
         PATHS(PATH("spec", "*", "app"), PATH("spec", "selector", "matchLabels", "tier")), 2},
        {"items[*],containers[*].name,data",
         PATHS(PATH("items", "[*]"), PATH("containers", "[*]", "name"), PATH("data")), 3},
        {"status.*.*,env[*][*]", PATHS(PATH("status", "*", "*"), PATH("env", "[*]", "[*]")), 2},
        {"metadata.name.x,kind.y,apiVersion",
         PATHS(PATH("metadata", "name", "x"), PATH("kind", "y"), PATH("apiVersion")), 3},
        {"metadata.labels.app\\.kubernetes\\.io/name",
         PATHS(PATH("metadata", "labels", "app.kubernetes.io/name")), 1},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(sets); i++) {
        check_set(&sets[i], true);
        check_set(&sets[i], false);
    }
    assert_pool_is_empty();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_keep_and_drop),
        cmocka_unit_test(metadata_only_keeps_all_metadata_and_the_type),
        cmocka_unit_test(identity_is_readable_after_any_projection),
        cmocka_unit_test(the_same_paths_have_the_same_id),
        cmocka_unit_test(what_is_dropped_is_checked),
        cmocka_unit_test(what_is_dropped_and_known_has_its_depth),
        cmocka_unit_test(malformed_paths_are_refused_with_their_place),
        cmocka_unit_test(too_long_paths_are_refused),
        cmocka_unit_test(references_are_counted),
        cmocka_unit_test(without_memory_none_is_made),
        cmocka_unit_test(random_documents_are_filtered),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
