/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equality and hashes: members in any order, numbers by value, however a document is kept.
 */
#include "kin_test.h"

#include <pthread.h>
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

/* Maps of 40 members in such maps, in order or backward. */
static void append_large(ref_text *text, unsigned levels, bool backward, const char *innermost)
{
    char key[24];

    ref_append_char(text, '{');
    for (unsigned i = 0; i < 40; i++) {
        unsigned n = backward ? 39 - i : i;

        snprintf(key, sizeof(key), "%s\"member-%u\":", i ? "," : "", n);
        ref_append_str(text, key);
        if (levels > 1 && n % 13 == 0)
            append_large(text, levels - 1, backward, innermost);
        else
            ref_append_str(text, n == 26 ? innermost : "[1,{}]");
    }
    ref_append_char(text, '}');
}

static const kin_object *decode_large(bool backward, const char *innermost)
{
    ref_text text = {NULL, 0, 0};

    append_large(&text, 3, backward, innermost);

    const kin_object *object = decode_bytes(NULL, text.data, text.len);

    free(text.data);
    return object;
}

/* A map goes on being searched after others inside it were. */
static void large_maps_are_searched_at_every_level(void **state)
{
    const kin_object *a = decode_large(false, "[2]");
    const kin_object *b = decode_large(true, "[2]");
    const kin_object *other = decode_large(true, "[3]");
    size_t live = kin_test_alloc_live();

    (void)state;
    assert_equal_objects(a, b);
    assert_false(kin_object_equal(a, other));
    assert_false(kin_object_equal(other, a));
    /* Without memory for an index it takes longer. */
    for (size_t n = 1; n <= 8; n++) {
        kin_test_alloc_arm(n, n % 2 ? KIN_TEST_FAIL_ONE : KIN_TEST_FAIL_REST);
        assert_true(kin_object_equal(a, b));
        assert_false(kin_object_equal(a, other));
        assert_true(kin_test_alloc_disarm());
    }
    assert_int_equal(kin_test_alloc_live(), live);
    kin_object_unref(a);
    kin_object_unref(b);
    kin_object_unref(other);
}

/* --- the stack --- */

#define PAINT 0xa5

struct deep {
    const kin_object *a;
    const kin_object *b;
    const kin_object *other;
    bool is_right;
};

/* A document as deep as can be. Every other level is an array; the order of members is a choice. */
static const kin_object *decode_deep(bool backward, int innermost)
{
    ref_text text = {NULL, 0, 0};
    char number[16];

    for (unsigned i = 0; i < KIN_DEPTH_MAX; i += 2)
        ref_append_str(&text, backward ? "{\"b\":[" : "{\"a\":0,\"b\":[");
    snprintf(number, sizeof(number), "%d", innermost);
    ref_append_str(&text, number);
    for (unsigned i = 0; i < KIN_DEPTH_MAX; i += 2)
        ref_append_str(&text, backward ? "],\"a\":0}" : "]}");

    const kin_object *object = decode_bytes(NULL, text.data, text.len);

    free(text.data);
    return object;
}

static void *do_nothing(void *arg)
{
    struct deep *deep = arg;

    deep->is_right = true;
    return NULL;
}

static void *compare_deep(void *arg)
{
    struct deep *deep = arg;

    deep->is_right = kin_object_equal(deep->a, deep->b) && !kin_object_equal(deep->a, deep->other);
    return NULL;
}

static void *hash_deep(void *arg)
{
    struct deep *deep = arg;

    deep->is_right = kin_object_hash(deep->a) == kin_object_hash(deep->b) &&
                     kin_object_hash(deep->a) != kin_object_hash(deep->other);
    return NULL;
}

/* Run in a thread with a stack of 64 KiB; how much of it was used. */
static size_t stack_used(void *(*run)(void *arg), struct deep *deep)
{
    size_t size = KIN_TEST_SANITIZED ? 4 * 1024 * 1024 : 64 * 1024;
    unsigned char *stack = aligned_alloc(4096, size);
    size_t untouched = 0;
    pthread_attr_t attr;
    pthread_t thread;

    assert_non_null(stack);
    memset(stack, PAINT, size);
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstack(&attr, stack, size), 0);
    deep->is_right = false;
    assert_int_equal(pthread_create(&thread, &attr, run, deep), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
    assert_true(deep->is_right);
    while (untouched < size && stack[untouched] == PAINT)
        untouched++;
    free(stack);
    return size - untouched;
}

static void the_deepest_documents_need_little_stack(void **state)
{
    struct deep deep = {decode_deep(false, 1), decode_deep(true, 1), decode_deep(true, 2), false};
    size_t idle = stack_used(do_nothing, &deep);
    size_t equal = stack_used(compare_deep, &deep);
    size_t hash = stack_used(hash_deep, &deep);

    (void)state;
    if (!KIN_TEST_SANITIZED && (equal - idle >= 16384 || hash - idle >= 16384))
        fail_msg("%zu bytes to compare, %zu to hash", equal - idle, hash - idle);
    kin_object_unref(deep.a);
    kin_object_unref(deep.b);
    kin_object_unref(deep.other);
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
        cmocka_unit_test(large_maps_are_searched_at_every_level),
        cmocka_unit_test(the_deepest_documents_need_little_stack),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
