/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drafts: documents made call by call, copies of values from other documents, and what a draft
 * refuses.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/draft.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

#define ROUNDS 15

static kin__draft *draft_new(unsigned depth_max)
{
    kin__draft *draft = kin__malloc(sizeof(*draft));

    assert_non_null(draft);
    assert_code(kin__draft_init(draft, depth_max, NULL), 0);
    return draft;
}

static void draft_free(kin__draft *draft)
{
    kin__draft_done(draft);
    kin__free(draft);
}

static const kin_object *decode_with(kin_decoder *decoder, kin_str text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = decoder ? kin_decoder_decode(decoder, &object, text, &err)
                       : kin_object_from_json(&object, text, NULL, &err);

    if (code != 0)
        fail_msg("%.300s: %s", text.data, err.message);
    return object;
}

static void assert_pool_is_empty(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
}

/* Finishes the draft, which must give this text. */
static void assert_finishes_as(kin__draft *draft, const char *expected)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text;

    if (kin__draft_finish(draft, &object, &err) != 0)
        fail_msg("%s: %s", expected, err.message);
    assert_code(kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
    kin_object_unref(object);
}

/* --- call by call --- */

static int fill(kin__draft *draft, kin_error *err)
{
    static const char *const numbers[] = {
        "12", "-0", "1.50", "9223372036854775808", "1e3", "-9223372036854775808"};
    int code = kin__draft_begin_map(draft, err);

#define THEN(call)                                                                                 \
    if (code == 0)                                                                                 \
    code = (call)
    THEN(kin__draft_key(draft, kin_str_of("metadata"), err));
    THEN(kin__draft_begin_map(draft, err));
    THEN(kin__draft_key(draft, kin_str_of("name"), err));
    THEN(kin__draft_string(draft, kin_str_of("n"), err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_key(draft, kin_str_of("a key of the draft's test"), err));
    THEN(kin__draft_begin_array(draft, err));
    THEN(kin__draft_null(draft, err));
    THEN(kin__draft_bool(draft, true, err));
    THEN(kin__draft_bool(draft, false, err));
    THEN(kin__draft_integer(draft, 5, err));
    THEN(kin__draft_integer(draft, INT64_MIN, err));
    for (size_t i = 0; i < kin__array_len(numbers); i++)
        THEN(kin__draft_number(draft, kin_str_of(numbers[i]), err));
    THEN(kin__draft_string(draft, kin_str_make(NULL, 0), err));
    THEN(kin__draft_begin_map(draft, err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_begin_array(draft, err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_end(draft, err));
#undef THEN
    return code;
}

static const char filled[] =
    "{\"metadata\":{\"name\":\"n\"},\"a key of the draft's test\":[null,true,false,5,"
    "-9223372036854775808,12,-0,1.50,9223372036854775808,1e3,-9223372036854775808,\"\",{},[]]}";

static void a_document_is_made_call_by_call(void **state)
{
    kin__draft *draft = draft_new(0);

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        assert_code(fill(draft, NULL), 0);
        assert_finishes_as(draft, filled);
    }
    draft_free(draft);
    assert_pool_is_empty();
}

static void numbers_have_the_type_of_their_text(void **state)
{
    kin__draft *draft = draft_new(0);
    const kin_object *object = NULL;

    (void)state;
    assert_code(fill(draft, NULL), 0);
    assert_code(kin__draft_finish(draft, &object, NULL), 0);
    kin_value array =
        kin_value_get(kin_object_root(object), kin_str_of("a key of the draft's test"));
    assert_int_equal(kin_value_type(kin_value_at(array, 5)), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_at(array, 6)), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_at(array, 7)), KIN_NUMBER);
    assert_int_equal(kin_value_type(kin_value_at(array, 8)), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_at(array, 9)), KIN_NUMBER);
    kin_object_unref(object);
    draft_free(draft);
}

static void a_later_key_replaces_an_earlier_one(void **state)
{
    kin__draft *draft = draft_new(0);

    (void)state;
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    for (int i = 0; i < 5; i++) {
        assert_code(kin__draft_key(draft, kin_str_of("same"), NULL), 0);
        assert_code(kin__draft_integer(draft, i, NULL), 0);
        assert_code(kin__draft_key(draft, kin_str_of("unknown so far"), NULL), 0);
        assert_code(kin__draft_begin_map(draft, NULL), 0);
        assert_code(kin__draft_key(draft, kin_str_of("i"), NULL), 0);
        assert_code(kin__draft_integer(draft, i, NULL), 0);
        assert_code(kin__draft_end(draft, NULL), 0);
    }
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_finishes_as(draft, "{\"same\":4,\"unknown so far\":{\"i\":4}}");
    draft_free(draft);
}

static void what_is_no_map_or_not_closed_is_no_document(void **state)
{
    kin__draft *draft = draft_new(0);
    const kin_object *object = (const kin_object *)(uintptr_t)8;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin__draft_finish(draft, &object, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_finish(draft, &object, &err), KIN_EINVAL);
    assert_code(kin__draft_begin_array(draft, NULL), 0);
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_code(kin__draft_finish(draft, &object, &err), KIN_EINVAL);
    assert_code(kin__draft_string(draft, kin_str_of("x"), NULL), 0);
    assert_code(kin__draft_finish(draft, &object, &err), KIN_EINVAL);
    assert_ptr_equal(object, (const void *)8);
    /* It was reset each time. */
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_finishes_as(draft, "{}");
    draft_free(draft);
}

static void depth_is_bounded(void **state)
{
    static const unsigned limits[] = {1, 5, KIN__DEPTH_MAX, 0, KIN__DEPTH_MAX + 100};

    (void)state;
    for (size_t i = 0; i < kin__array_len(limits); i++) {
        unsigned limit = limits[i] && limits[i] < KIN__DEPTH_MAX ? limits[i] : KIN__DEPTH_MAX;
        kin__draft *draft = draft_new(limits[i]);
        const kin_object *object = NULL;
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin__draft_begin_map(draft, NULL), 0);
        for (unsigned depth = 1; depth < limit; depth++) {
            if (depth == 1)
                assert_code(kin__draft_key(draft, kin_str_of("a"), NULL), 0);
            assert_code(kin__draft_begin_array(draft, NULL), 0);
        }
        if (limit == 1)
            assert_code(kin__draft_key(draft, kin_str_of("a"), NULL), 0);
        assert_code(kin__draft_begin_array(draft, &err), KIN_ELIMIT);
        assert_int_equal(err.code, KIN_ELIMIT);
        assert_code(kin__draft_begin_map(draft, NULL), KIN_ELIMIT);
        assert_code(kin__draft_null(draft, NULL), 0);
        for (unsigned depth = 0; depth < limit; depth++)
            assert_code(kin__draft_end(draft, NULL), 0);
        assert_code(kin__draft_finish(draft, &object, NULL), 0);
        kin_object_unref(object);
        draft_free(draft);
    }
}

static void texts_of_the_draft_live_until_it_is_finished(void **state)
{
    kin__draft *draft = draft_new(0);
    ref_text expected = {NULL, 0, 0};

    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        expected.len = 0;
        ref_append_str(&expected, "{\"a\":[");
        assert_code(kin__draft_begin_map(draft, NULL), 0);
        assert_code(kin__draft_key(draft, kin_str_of("a"), NULL), 0);
        assert_code(kin__draft_begin_array(draft, NULL), 0);
        /* Small ones, and some that need room of their own. */
        for (size_t i = 0; i < 300; i++) {
            size_t len = i % 50 == 49 ? 20000 + i : i;
            char *text = kin__draft_alloc(draft, len);

            assert_non_null(text);
            memset(text, 'a' + (int)(i % 26), len);
            assert_code(kin__draft_string(draft, kin_str_make(text, len), NULL), 0);
            ref_append_str(&expected, i ? ",\"" : "\"");
            for (size_t n = 0; n < len; n++)
                ref_append_char(&expected, (char)('a' + i % 26));
            ref_append_str(&expected, "\"");
        }
        ref_append_str(&expected, "]}");
        assert_code(kin__draft_end(draft, NULL), 0);
        assert_code(kin__draft_end(draft, NULL), 0);
        assert_finishes_as(draft, expected.data);
    }
    free(expected.data);
    draft_free(draft);
    assert_pool_is_empty();
}

static void reset_forgets_everything(void **state)
{
    kin__draft *draft = draft_new(0);

    (void)state;
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_key(draft, kin_str_of("a"), NULL), 0);
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_key(draft, kin_str_of("b"), NULL), 0);
    kin__draft_reset(draft);
    assert_code(fill(draft, NULL), 0);
    assert_finishes_as(draft, filled);
    kin__draft_reset(draft);
    draft_free(draft);
}

/* --- copies --- */

/* Copies of a value at the places where things are kept in another way. */
static int copy_everywhere(kin__draft *draft, kin_value value, kin_error *err)
{
    int code = kin__draft_begin_map(draft, err);

#define THEN(call)                                                                                 \
    if (code == 0)                                                                                 \
    code = (call)
    THEN(kin__draft_key(draft, kin_str_of("metadata"), err));
    THEN(kin__draft_begin_map(draft, err));
    THEN(kin__draft_key(draft, kin_str_of("labels"), err));
    THEN(kin__draft_value(draft, value, err));
    THEN(kin__draft_key(draft, kin_str_of("name"), err));
    THEN(kin__draft_value(draft, value, err));
    THEN(kin__draft_key(draft, kin_str_of("resourceVersion"), err));
    THEN(kin__draft_value(draft, value, err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_key(draft, kin_str_of("spec"), err));
    THEN(kin__draft_begin_array(draft, err));
    THEN(kin__draft_value(draft, value, err));
    THEN(kin__draft_value(draft, value, err));
    THEN(kin__draft_end(draft, err));
    THEN(kin__draft_end(draft, err));
#undef THEN
    return code;
}

static ref_value *expect_everywhere(const ref_value *value)
{
    ref_value *root = ref_new(KIN_MAP, NULL, 0);
    ref_value *metadata = ref_new(KIN_MAP, NULL, 0);
    ref_value *spec = ref_new(KIN_ARRAY, NULL, 0);

    ref_put(metadata, "labels", 6, ref_copy(value));
    ref_put(metadata, "name", 4, ref_copy(value));
    ref_put(metadata, "resourceVersion", 15, ref_copy(value));
    ref_put(root, "metadata", 8, metadata);
    for (unsigned i = 0; i < 2; i++) {
        ref_value *item = ref_copy(value);

        free(item->key);
        item->key = NULL;
        item->key_len = 0;
        ref_add(spec, item);
    }
    ref_put(root, "spec", 4, spec);
    return root;
}

/* What is handed out as a view must not be in a packed form, wherever it was copied from. */
static void assert_views(const kin_object *object, const ref_value *value)
{
    kin_str name = kin_object_name(object);
    kin_str version = kin_object_resource_version(object);

    random_clobber_stack();
    if (value->type == KIN_STRING) {
        assert_true(kin_str_equal(name, kin_str_make(value->text, value->text_len)));
        assert_true(kin_str_equal(version, kin_str_make(value->text, value->text_len)));
    }
    for (size_t i = 0; value->type == KIN_MAP && i < value->n_elements; i++) {
        const ref_value *label = value->elements[i];
        kin_str text = {NULL, 0};

        if (label->type == KIN_STRING) {
            assert_true(kin_object_label(object, kin_str_make(label->key, label->key_len), &text));
            random_clobber_stack();
            assert_true(kin_str_equal(text, kin_str_make(label->text, label->text_len)));
        }
    }
}

static void check_copies(kin__draft *draft, const kin_object *source, const ref_value *document,
                         uint64_t seed)
{
    for (size_t i = 0; i < document->n_elements; i++) {
        const ref_value *member = document->elements[i];
        kin_value value =
            kin_value_get(kin_object_root(source), kin_str_make(member->key, member->key_len));
        ref_value *expected = expect_everywhere(member);
        const kin_object *copy = NULL;

        assert_code(copy_everywhere(draft, value, NULL), 0);
        assert_code(kin__draft_finish(draft, &copy, NULL), 0);

        const char *problem = ref_check_object(expected, copy);

        if (problem)
            fail_msg("seed %llu: %s", (unsigned long long)seed, problem);
        assert_views(copy, member);
        kin_object_unref(copy);
        ref_free(expected);
    }
}

static void values_of_other_documents_are_copied(void **state)
{
    random_keeper keeper = {{NULL}, 0};
    kin__draft *draft = draft_new(0);
    kin_decoder *decoder;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (uint64_t seed = 1; seed <= 150; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 12);

        for (unsigned round = 0; round < 6; round++) {
            random_rename(document, round);

            ref_text text = random_text(document, &rng, 0);
            const kin_object *source = decode_with(decoder, kin_str_make(text.data, text.len));

            check_copies(draft, source, document, seed);
            random_keep(&keeper, source);
            free(text.data);
        }
        ref_free(document);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    draft_free(draft);
    assert_pool_is_empty();
}

/* The whole document: its metadata are taken apart, so that it has a name again. */
static void a_whole_document_is_copied(void **state)
{
    kin__draft *draft = draft_new(0);

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 20);
        ref_text text = random_text(document, &rng, 0);
        const kin_object *source = decode_with(NULL, kin_str_make(text.data, text.len));
        const kin_object *copy = NULL;

        assert_code(kin__draft_value(draft, kin_object_root(source), NULL), 0);
        assert_code(kin__draft_finish(draft, &copy, NULL), 0);
        assert_true(kin_object_equal(source, copy));
        assert_string_equal(kin_object_key(source), kin_object_key(copy));
        assert_true(
            kin_str_equal(kin_object_resource_version(source), kin_object_resource_version(copy)));

        const char *problem = ref_check_object(document, copy);

        if (problem)
            fail_msg("seed %llu: %s", (unsigned long long)seed, problem);
        kin_object_unref(source);
        kin_object_unref(copy);
        free(text.data);
        ref_free(document);
    }
    draft_free(draft);
    assert_pool_is_empty();
}

/* A copy goes on living when its source is gone. */
static void a_copy_outlives_its_source(void **state)
{
    kin__draft *draft = draft_new(0);
    const kin_object *copies[ROUNDS];
    static const char text[] =
        "{\"spec\":{\"a\":[\"some text that is long enough to be shared\",1,2,3],\"b\":\"10.0.0.1\"}}";

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *source = decode_with(NULL, kin_str_of(text));

        assert_code(kin__draft_begin_map(draft, NULL), 0);
        assert_code(kin__draft_key(draft, kin_str_of("spec"), NULL), 0);
        assert_code(kin__draft_value(
                        draft, kin_value_get(kin_object_root(source), kin_str_of("spec")), NULL),
                    0);
        assert_code(kin__draft_end(draft, NULL), 0);
        assert_code(kin__draft_finish(draft, &copies[i], NULL), 0);
        kin_object_unref(source);
    }
    draft_free(draft);
    for (unsigned i = 0; i < ROUNDS; i++) {
        char *written;

        assert_code(kin_object_to_json(&written, NULL, copies[i], KIN_JSON_COMPACT, NULL), 0);
        assert_string_equal(written, text);
        kin_free(written);
        kin_object_unref(copies[i]);
    }
    assert_pool_is_empty();
}

/* Levels around a value of some depth: what goes too deep is refused, shared or not. */
static int copy_deeply(kin__draft *draft, kin_value value, unsigned levels)
{
    int code = kin__draft_begin_map(draft, NULL);

    for (unsigned i = 1; code == 0 && i < levels; i++) {
        code = kin__draft_key(draft, kin_str_of("a"), NULL);
        if (code == 0)
            code = kin__draft_begin_map(draft, NULL);
    }
    if (code == 0)
        code = kin__draft_key(draft, kin_str_of("a"), NULL);
    if (code == 0)
        code = kin__draft_value(draft, value, NULL);
    for (unsigned i = 0; code == 0 && i < levels; i++)
        code = kin__draft_end(draft, NULL);
    return code;
}

static void a_copy_has_its_depth(void **state)
{
    kin__draft *draft = draft_new(0);
    ref_text text = {NULL, 0, 0};
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder;

    (void)state;
    ref_append_str(&text, "{\"deep\":");
    for (unsigned i = 0; i < 300; i++)
        ref_append_str(&text, "[");
    ref_append_str(&text, "\"some text that is long enough to be shared\"");
    for (unsigned i = 0; i < 300; i++)
        ref_append_str(&text, "]");
    ref_append_str(&text, "}");
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *source = decode_with(decoder, kin_str_make(text.data, text.len));
        kin_value deep = kin_value_get(kin_object_root(source), kin_str_of("deep"));
        const kin_object *copy = NULL;

        assert_code(copy_deeply(draft, deep, 212), 0);
        assert_code(kin__draft_finish(draft, &copy, NULL), 0);
        assert_true(kin_object_equal(copy, copy));
        kin_object_unref(copy);
        assert_code(copy_deeply(draft, deep, 213), KIN_ELIMIT);
        kin__draft_reset(draft);
        random_keep(&keeper, source);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    draft_free(draft);
    free(text.data);
    assert_pool_is_empty();
}

/* --- types --- */

static void types_are_added_in_front(void **state)
{
    kin__draft *draft = draft_new(0);

    (void)state;
    assert_code(fill(draft, NULL), 0);
    assert_code(kin__draft_add_type(draft, kin_str_of("v1"), kin_str_of("Pod"), NULL), 0);
    assert_code(kin__draft_add_type(draft, kin_str_of("v2"), kin_str_of("Other"), NULL), 0);
    ref_text expected = {NULL, 0, 0};
    ref_append_str(&expected, "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",");
    ref_append_str(&expected, filled + 1);
    assert_finishes_as(draft, expected.data);
    free(expected.data);
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_code(kin__draft_add_type(draft, kin_str_make(NULL, 0), kin_str_of("Pod"), NULL), 0);
    assert_finishes_as(draft, "{\"kind\":\"Pod\"}");
    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_code(kin__draft_add_type(draft, kin_str_of(""), kin_str_of(""), NULL), 0);
    assert_finishes_as(draft, "{}");
    draft_free(draft);
}

/* --- without memory --- */

static int make_document(void *arg, kin_error *err)
{
    const kin_object *source = arg;
    kin__draft *draft = kin__malloc(sizeof(*draft));
    const kin_object *object;
    int code;

    if (!draft)
        return kin_error_set(err, KIN_ENOMEM, "no draft");
    code = kin__draft_init(draft, 0, err);
    for (unsigned i = 0; code == 0 && i < 4; i++) {
        code = source ? copy_everywhere(draft, kin_object_root(source), err) : fill(draft, err);
        if (code == 0 && !source)
            code = kin__draft_add_type(draft, kin_str_of("v1"), kin_str_of("Pod"), err);
        if (code == 0)
            code = kin__draft_finish(draft, &object, err);
        if (code == 0)
            kin_object_unref(object);
    }
    kin__draft_done(draft);
    kin__free(draft);
    return code;
}

static void without_memory_nothing_is_left(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"labels\":{\"id\":\"0a0b0c0d-1111-2222-3333-444444444444\"}},\"spec\":"
        "{\"a\":[\"some text that is long enough to be shared\",1,2],\"b\":"
        "[\"some text that is long enough to be shared\",1,2]}}";
    const kin_object *source = NULL;

    (void)state;
    kin_test_fail_each_allocation(make_document, NULL);
    assert_pool_is_empty();
    for (unsigned i = 0; i < 5; i++) {
        kin_object_unref(source);
        source = decode_with(NULL, kin_str_of(text));
    }
    kin_test_fail_each_allocation(make_document, (void *)(uintptr_t)source);
    kin_object_unref(source);
    assert_pool_is_empty();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_is_made_call_by_call),
        cmocka_unit_test(numbers_have_the_type_of_their_text),
        cmocka_unit_test(a_later_key_replaces_an_earlier_one),
        cmocka_unit_test(what_is_no_map_or_not_closed_is_no_document),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(texts_of_the_draft_live_until_it_is_finished),
        cmocka_unit_test(reset_forgets_everything),
        cmocka_unit_test(values_of_other_documents_are_copied),
        cmocka_unit_test(a_whole_document_is_copied),
        cmocka_unit_test(a_copy_outlives_its_source),
        cmocka_unit_test(a_copy_has_its_depth),
        cmocka_unit_test(types_are_added_in_front),
        cmocka_unit_test(without_memory_nothing_is_left),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
