/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality and hashes: members in any order, numbers by value, however a document is kept.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/value.h"
#include "random_document.h"
#include "reference.h"

static const kin_object *decode_bytes(kin_decoder *decoder, const char *text, size_t len)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = decoder ? kin_decoder_decode(decoder, &object, kin_str_make(text, len), &err)
                       : kin_object_from_json(&object, kin_str_make(text, len), NULL, &err);

    if (code != 0)
        fail_msg("%.300s: %s", text, err.message);
    return object;
}

static const kin_object *decode(const char *text)
{
    return decode_bytes(NULL, text, strlen(text));
}

/* Both ways, and the hashes with them. */
static void assert_equal_objects(const kin_object *a, const kin_object *b)
{
    assert_true(kin_object_equal(a, b));
    assert_true(kin_object_equal(b, a));
    assert_true(kin_object_hash(a) == kin_object_hash(b));
}

struct pair {
    const char *a;
    const char *b;
};

static void check_pairs(const struct pair *pairs, size_t n, bool equal)
{
    for (size_t i = 0; i < n; i++) {
        char a[256];
        char b[256];

        snprintf(a, sizeof(a), "{\"v\":%s}", pairs[i].a);
        snprintf(b, sizeof(b), "{\"v\":%s}", pairs[i].b);
        const kin_object *x = decode(a);
        const kin_object *y = decode(b);
        /* 64 seeded bits: equal by chance once in the life of the universe. */
        if (kin_object_equal(x, y) != equal || kin_object_equal(y, x) != equal ||
            (kin_object_hash(x) == kin_object_hash(y)) != equal)
            fail_msg("%s and %s", pairs[i].a, pairs[i].b);
        kin_object_unref(x);
        kin_object_unref(y);
    }
}

static void equal_values_are_equal(void **state)
{
    static const struct pair pairs[] = {
        {"null", "null"},
        {"true", " true"},
        {"1", "1.0"},
        {"1", "1e0"},
        {"100", "1e2"},
        {"-0", "0"},
        {"-0.0", "0e5"},
        {"0.1", "1e-1"},
        {"1e400", "10e399"},
        {"9223372036854775808", "9223372036854775808.0"},
        {"123456789012345678901234567890", "12345678901234567890123456789e1"},
        {"\"a\"", "\"\\u0061\""},
        {"\"\\ud83d\\ude00\"", "\"\xf0\x9f\x98\x80\""},
        {"\"\\/\"", "\"/\""},
        {"[]", "[ ]"},
        {"{}", "{ }"},
        {"[1,2]", "[1.0,2e0]"},
        {"{\"a\":1,\"b\":2}", "{\"b\":2,\"a\":1}"},
        {"{\"a\":1,\"b\":{\"c\":[],\"d\":null}}", "{\"b\":{\"d\":null,\"c\":[]},\"a\":1}"},
        {"{\"a\":0,\"a\":1}", "{\"a\":1}"},
        {"[{\"x\":1,\"y\":2},{\"y\":2,\"x\":1}]", "[{\"y\":2,\"x\":1},{\"x\":1,\"y\":2}]"},
    };

    (void)state;
    check_pairs(pairs, kin__array_len(pairs), true);
}

static void different_values_are_different(void **state)
{
    static const struct pair pairs[] = {
        {"null", "false"},
        {"true", "false"},
        {"0", "false"},
        {"0", "null"},
        {"0", "\"0\""},
        {"1", "2"},
        {"1", "-1"},
        {"1", "1.0000000000000000000000001"},
        {"9223372036854775807", "9223372036854775808"},
        {"9223372036854775808", "9223372036854775809"},
        {"1e400", "1e401"},
        {"0.1", "0.10000000000000000001"},
        {"\"a\"", "\"b\""},
        {"\"a\"", "\"a\\u0000\""},
        {"\"\"", "null"},
        {"\"\"", "[]"},
        {"[]", "{}"},
        {"[]", "null"},
        {"[1,2]", "[2,1]"},
        {"[1]", "[1,1]"},
        {"[1]", "1"},
        {"[[1],2]", "[1,[2]]"},
        {"[[],[]]", "[[[]]]"},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}"},
        {"{\"a\":1}", "{\"b\":1}"},
        {"{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}"},
        {"{\"a\":{\"b\":1}}", "{\"a\":1,\"b\":1}"},
        {"{\"a\":null}", "{}"},
        {"\"2026-01-31T12:00:00Z\"", "\"2026-01-31T12:00:01Z\""},
        {"\"10.0.0.1\"", "\"10.0.0.01\""},
        {"\"0a0b0c0d-1111-2222-3333-444444444444\"", "\"0A0b0c0d-1111-2222-3333-444444444444\""},
    };

    (void)state;
    check_pairs(pairs, kin__array_len(pairs), false);
}

static void none_is_equal_to_none_only(void **state)
{
    const kin_value none = {NULL, NULL};
    const kin_object *object = decode("{\"a\":null}");
    kin_value null = kin_value_get(kin_object_root(object), kin_str_of("a"));

    (void)state;
    assert_true(kin_value_equal(none, none));
    assert_true(kin_value_hash(none) == kin_value_hash(none));
    assert_false(kin_value_equal(none, null));
    assert_false(kin_value_equal(null, none));
    assert_false(kin_value_equal(none, kin_object_root(object)));
    assert_true(kin_value_hash(none) != kin_value_hash(null));
    kin_object_unref(object);
}

static void parts_are_compared_wherever_they_stand(void **state)
{
    const kin_object *object =
        decode("{\"metadata\":{\"name\":\"web\",\"labels\":{\"id\":\"10.0.0.1\"}},"
               "\"spec\":{\"x\":\"web\",\"matchLabels\":{\"id\":\"10.0.0.1\"}}}");
    kin_value metadata = kin_value_get(kin_object_root(object), kin_str_of("metadata"));
    kin_value spec = kin_value_get(kin_object_root(object), kin_str_of("spec"));

    (void)state;
    assert_true(kin_value_equal(kin_value_get(metadata, kin_str_of("name")),
                                kin_value_get(spec, kin_str_of("x"))));
    assert_true(kin_value_equal(kin_value_get(metadata, kin_str_of("labels")),
                                kin_value_get(spec, kin_str_of("matchLabels"))));
    assert_true(kin_value_hash(kin_value_get(metadata, kin_str_of("labels"))) ==
                kin_value_hash(kin_value_get(spec, kin_str_of("matchLabels"))));
    assert_false(kin_value_equal(metadata, spec));
    kin_object_unref(object);
}

static void objects_of_other_classes_are_equal_to_themselves(void **state)
{
    const kin_object *a;
    const kin_object *b;
    const kin_object *document = decode("{}");

    (void)state;
    assert_code(kin_explicit_key_new(&a, kin_str_of("x"), NULL), 0);
    assert_code(kin_explicit_key_new(&b, kin_str_of("x"), NULL), 0);
    assert_true(kin_object_equal(a, a));
    assert_true(kin_object_hash(a) == kin_object_hash(a));
    assert_false(kin_object_equal(a, b));
    assert_false(kin_object_equal(a, document));
    assert_false(kin_object_equal(document, a));
    assert_true(kin_object_equal(NULL, NULL));
    assert_true(kin_object_hash(NULL) == kin_object_hash(NULL));
    assert_false(kin_object_equal(NULL, document));
    assert_false(kin_object_equal(document, NULL));
    kin_object_unref(a);
    kin_object_unref(b);
    kin_object_unref(document);
}

static void a_tombstone_is_equal_to_itself_only(void **state)
{
    const kin_object *document = decode("{\"metadata\":{\"name\":\"n\"}}");
    const kin_object *a;
    const kin_object *b;
    const kin_object *empty;

    (void)state;
    assert_code(kin_tombstone_new(&a, kin_str_of("n"), document, NULL), 0);
    assert_code(kin_tombstone_new(&b, kin_str_of("other"), document, NULL), 0);
    assert_code(kin_tombstone_new(&empty, kin_str_of("n"), NULL, NULL), 0);
    assert_true(kin_object_equal(a, a));
    assert_true(kin_object_equal(empty, empty));
    assert_false(kin_object_equal(a, b));
    assert_false(kin_object_equal(a, empty));
    assert_false(kin_object_equal(a, document));
    assert_false(kin_object_equal(document, a));
    kin_object_unref(a);
    kin_object_unref(b);
    kin_object_unref(empty);
    kin_object_unref(document);
}

/*
 * The first document spells its keys out; by the fourth they are learnt and are numbers. In
 * another order the members have to be searched for.
 */
static void a_key_is_the_same_before_and_after_it_is_learnt(void **state)
{
    static const char one[] = "{\"firstOfEqual\":1,\"secondOfEqual\":2,\"thirdOfEqual\":3}";
    static const char other[] = "{\"thirdOfEqual\":3,\"secondOfEqual\":2,\"firstOfEqual\":1}";
    const kin_object *objects[12];

    (void)state;
    for (size_t i = 0; i < kin__array_len(objects); i++)
        objects[i] = decode(i % 2 ? one : other);
    for (size_t i = 0; i < kin__array_len(objects); i++) {
        for (size_t k = 0; k < kin__array_len(objects); k++)
            assert_equal_objects(objects[i], objects[k]);
    }
    for (size_t i = 0; i < kin__array_len(objects); i++)
        kin_object_unref(objects[i]);
}

static void random_documents_equal_their_shuffled_selves(void **state)
{
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (uint64_t seed = 1; seed <= 500; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 1 + kin_test_below(&rng, 40));
        ref_text text = random_text(document, &rng, RANDOM_DUPLICATES);
        const kin_object *first = decode_bytes(decoder, text.data, text.len);

        for (unsigned round = 0; round < 6; round++) {
            free(text.data);
            random_shuffle(document, &rng);
            text = random_text(document, &rng, RANDOM_SPACE | RANDOM_ESCAPES);
            const kin_object *shuffled = decode_bytes(decoder, text.data, text.len);
            if (!kin_object_equal(first, shuffled) || !kin_object_equal(shuffled, first) ||
                kin_object_hash(first) != kin_object_hash(shuffled))
                fail_msg("seed %llu, round %u: %.1000s", (unsigned long long)seed, round,
                         text.data);
            random_keep(&keeper, shuffled);
        }
        if (random_change(document, &rng)) {
            free(text.data);
            text = random_text(document, &rng, 0);
            const kin_object *changed = decode_bytes(decoder, text.data, text.len);
            if (kin_object_equal(first, changed) || kin_object_equal(changed, first) ||
                kin_object_hash(first) == kin_object_hash(changed))
                fail_msg("seed %llu, changed: %.1000s", (unsigned long long)seed, text.data);
            kin_object_unref(changed);
        }
        kin_object_unref(first);
        free(text.data);
        ref_free(document);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void append_members(ref_text *text, unsigned n, bool backward)
{
    ref_append_str(text, "{\"data\":{");
    for (unsigned i = 0; i < n; i++) {
        char member[48];

        snprintf(member, sizeof(member), "%s\"entry-%u\":%u", i ? "," : "",
                 backward ? n - 1 - i : i, backward ? n - 1 - i : i);
        ref_append_str(text, member);
    }
    ref_append_str(text, "}}");
}

static void a_large_map_equals_itself_backward(void **state)
{
    ref_text forward = {NULL, 0, 0};
    ref_text backward = {NULL, 0, 0};

    (void)state;
    append_members(&forward, 5000, false);
    append_members(&backward, 5000, true);
    const kin_object *a = decode(forward.data);
    const kin_object *b = decode(backward.data);
    assert_equal_objects(a, b);
    kin_object_unref(a);
    kin_object_unref(b);
    free(forward.data);
    free(backward.data);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_values_are_equal),
        cmocka_unit_test(different_values_are_different),
        cmocka_unit_test(none_is_equal_to_none_only),
        cmocka_unit_test(parts_are_compared_wherever_they_stand),
        cmocka_unit_test(objects_of_other_classes_are_equal_to_themselves),
        cmocka_unit_test(a_tombstone_is_equal_to_itself_only),
        cmocka_unit_test(a_key_is_the_same_before_and_after_it_is_learnt),
        cmocka_unit_test(random_documents_equal_their_shuffled_selves),
        cmocka_unit_test(a_large_map_equals_itself_backward),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
