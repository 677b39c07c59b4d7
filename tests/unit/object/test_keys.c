/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dictionary: what is built in, what is learnt and when, what never is, and that it is
 * bounded: when it is full, documents are as right as before. The tests that fill it come last.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/keys.h"
#include "object/sightings.h"
#include "reference.h"

/* A document of this origin has the key. */
static uint16_t learn(kin_str key, uint32_t origin)
{
    uint32_t hash = kin__keys_hash(key);

    if (kin__keys_find_hashed(key, hash) == KIN__KEY_TEXT)
        kin__keys_note(key, hash, origin);
    return kin__keys_find_hashed(key, hash);
}

/* In as many objects as it takes, and some: of these small origins each counts. */
static uint16_t learn_often(kin_str key)
{
    uint16_t id = KIN__KEY_TEXT;

    for (unsigned i = 0; i < 20; i++)
        id = learn(key, i * 2 + 1);
    return id;
}

static void built_in_words_are_found(void **state)
{
    (void)state;
    kin__keys_init();
    assert_int_equal(kin__keys_find(kin_str_of("metadata")), KIN__KEY_METADATA);
    assert_int_equal(kin__keys_find(kin_str_of("resourceVersion")), KIN__KEY_RESOURCE_VERSION);
    for (unsigned id = 0; id < KIN__KEY_BUILT_IN; id++) {
        kin_str text = kin__keys_text((uint16_t)id);

        /* Each once, of a length that fits, and terminated. */
        assert_int_equal(kin__keys_find(text), id);
        assert_int_equal(kin__keys_find_hashed(text, kin__keys_hash(text)), id);
        assert_int_equal(learn(text, 1), id);
        assert_int_equal(strlen(text.data), text.len);
        assert_in_range(text.len, 1, 63);
    }
    assert_int_equal(kin__keys_find(kin_str_of("metadat")), KIN__KEY_TEXT);
    assert_int_equal(kin__keys_find(kin_str_of("metadata ")), KIN__KEY_TEXT);
    assert_int_equal(kin__keys_find(kin_str_make(NULL, 0)), KIN__KEY_TEXT);
}

/* One byte each in a document is worth it for what every object has. */
static void frequent_fields_have_short_numbers(void **state)
{
    static const char *const frequent[] = {"apiVersion", "kind",      "metadata",
                                           "name",       "namespace", "spec",
                                           "status",     "labels",    "containers"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(frequent); i++)
        assert_true(kin__keys_find(kin_str_of(frequent[i])) < KIN__KEYS_SHORT);
}

static void a_key_is_learnt_when_several_objects_have_it(void **state)
{
    kin_str key = kin_str_of("aFieldThatNobodyHas");
    unsigned before = kin__keys_learnt();
    uint16_t id = KIN__KEY_TEXT;

    (void)state;
    for (unsigned i = 0; i < 100; i++)
        assert_int_equal(learn(key, 1), KIN__KEY_TEXT);
    for (unsigned i = 1; i < 10 && id == KIN__KEY_TEXT; i++)
        id = learn(key, i * 2 + 1);
    assert_in_range(id, KIN__KEY_BUILT_IN, KIN__KEYS_MAX - 1);
    assert_int_equal(kin__keys_find(key), id);
    assert_int_equal(learn(key, 1), id);
    assert_true(kin_str_equal(kin__keys_text(id), key));
    assert_int_equal(kin__keys_text(id).data[key.len], '\0');
    assert_int_equal(kin__keys_learnt(), before + 1);
}

static void some_keys_are_never_learnt(void **state)
{
    static const char *const keys[] = {
        "",
        "k:{\"type\":\"Ready\"}",
        "k:plain",
        "v:something",
        "with \"quotes\"",
        "with\\backslash",
        "with\nnewline",
        "a key that is longer than sixty-three bytes, which is too long by now",
    };
    unsigned before = kin__keys_learnt();

    (void)state;
    for (size_t i = 0; i < kin__array_len(keys); i++)
        assert_int_equal(learn_often(kin_str_of(keys[i])), KIN__KEY_TEXT);
    assert_int_equal(learn_often(kin_str_make("a\0b", 3)), KIN__KEY_TEXT);
    assert_int_equal(kin__keys_learnt(), before);
}

static void other_keys_are_learnt_whatever_they_hold(void **state)
{
    static const char *const keys[] = {
        "f:aFieldOfAManager",
        "example.com/annotation-key",
        "\xc3\xa9\xe2\x82\xac",
        "k",
        "v",
        "kv:x",
        "exactly-sixty-three-bytes-of-key-that-nobody-else-would-use-0012",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(keys); i++) {
        kin_str key = kin_str_of(keys[i]);

        if (key.len > 63)
            key.len = 63;
        assert_int_not_equal(learn_often(key), KIN__KEY_TEXT);
    }
}

static uint16_t learn_value(kin_str word)
{
    return kin__keys_learn_value(word, kin__keys_hash(word), KIN__SIGHTINGS_MAX);
}

static void values_are_learnt_if_they_may_be(void **state)
{
    kin_str word = kin_str_of("aFrequentValue");
    kin_str none[] = {
        kin_str_of("x"),
        kin_str_of(""),
        kin_str_of("a value of more than forty-seven bytes is no word"),
        kin_str_of("a\"b"),
        kin_str_of("a\tb"),
        kin_str_of("a\\b"),
    };
    uint16_t id = kin__keys_learn_value(word, kin__keys_hash(word), KIN__WORD_SIGHTINGS - 1);

    (void)state;
    assert_int_equal(id, KIN__KEY_TEXT);
    id = learn_value(word);
    assert_in_range(id, KIN__KEY_BUILT_IN, KIN__KEYS_MAX - 1);
    assert_int_equal(learn_value(word), id);
    assert_int_equal(kin__keys_find(word), id);
    for (size_t i = 0; i < kin__array_len(none); i++)
        assert_int_equal(learn_value(none[i]), KIN__KEY_TEXT);
}

static uint64_t learnt_by_stats(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    return stats.keys;
}

static void stats_of_another_size_are_left_alone(void **state)
{
    kin_pool_stats stats = {0, 7, 7, 7};

    (void)state;
    kin_pool_stats_get(&stats);
    assert_true(stats.values == 7 && stats.bytes == 7 && stats.keys == 7);
    assert_int_equal(learnt_by_stats(), kin__keys_learnt());
}

/* --- filling it --- */

static const kin_object *decode(kin_decoder *decoder, const ref_text *text)
{
    const kin_object *object = NULL;

    assert_code(kin_decoder_decode(decoder, &object, kin_str_make(text->data, text->len), NULL), 0);
    return object;
}

static void names_take_a_part_of_the_room_only(void **state)
{
    unsigned before = kin__keys_learnt();
    kin_str field = kin_str_of("aFieldAfterTheNames");

    (void)state;
    for (unsigned i = 0; i < 5000; i++) {
        char key[64];

        snprintf(key, sizeof(key), "example.com/name-%u", i);
        learn_often(kin_str_of(key));
    }
    assert_in_range(kin__keys_learnt() - before, 1000, 2000);
    assert_int_not_equal(learn_often(field), KIN__KEY_TEXT);
}

static void values_take_a_part_of_the_room_only(void **state)
{
    unsigned before = kin__keys_learnt();
    kin_str field = kin_str_of("aFieldAfterTheValues");

    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        char text[32];

        snprintf(text, sizeof(text), "value-%u", i);
        learn_value(kin_str_of(text));
    }
    assert_in_range(kin__keys_learnt() - before, 2000, 4500);
    assert_int_not_equal(learn_often(field), KIN__KEY_TEXT);
}

static void fill(void)
{
    for (unsigned i = 0; i < KIN__KEYS_MAX; i++) {
        char key[32];

        snprintf(key, sizeof(key), "another%u", i);
        learn_often(kin_str_of(key));
    }
}

/* Twenty thousand keys in documents, several times over, until it is full: nothing is wrong. */
static void a_full_dictionary_changes_nothing(void **state)
{
    enum { KEYS = 20000, PER_DOCUMENT = 50 };
    kin_decoder *decoder = NULL;
    const kin_object *first = NULL;
    uint64_t full;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned round = 0; round < 6; round++) {
        if (round == 5)
            fill();
        for (unsigned i = 0; i < KEYS; i += PER_DOCUMENT) {
            ref_text text = {NULL, 0, 0};
            char *encoded;

            ref_append_str(&text, "{\"spec\":{");
            for (unsigned k = i; k < i + PER_DOCUMENT; k++) {
                char member[64];

                snprintf(member, sizeof(member), "%s\"field%u\":{\"field%u\":\"word%u\"}",
                         k > i ? "," : "", k, (k * 7) % KEYS, k % 100);
                ref_append_str(&text, member);
            }
            ref_append_str(&text, "}}");
            const kin_object *object = decode(decoder, &text);
            assert_code(kin_object_to_json(&encoded, NULL, object, KIN_JSON_COMPACT, NULL), 0);
            assert_string_equal(encoded, text.data);
            if (i == 0) {
                assert_true(!first || kin_object_equal(first, object));
                if (!first)
                    first = kin_object_ref(object);
            }
            kin_free(encoded);
            kin_object_unref(object);
            free(text.data);
        }
    }
    full = learnt_by_stats();
    assert_int_equal(full, KIN__KEYS_MAX - KIN__KEY_BUILT_IN);
    assert_int_equal(learn_often(kin_str_of("oneMoreFieldThatFindsNoRoom")), KIN__KEY_TEXT);
    assert_int_equal(learnt_by_stats(), full);
    kin_object_unref(first);
    kin_decoder_free(decoder);
    /* Those that are there are still found. */
    assert_int_not_equal(kin__keys_find(kin_str_of("aFieldThatNobodyHas")), KIN__KEY_TEXT);
    assert_int_equal(kin__keys_find(kin_str_of("metadata")), KIN__KEY_METADATA);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(built_in_words_are_found),
        cmocka_unit_test(frequent_fields_have_short_numbers),
        cmocka_unit_test(a_key_is_learnt_when_several_objects_have_it),
        cmocka_unit_test(some_keys_are_never_learnt),
        cmocka_unit_test(other_keys_are_learnt_whatever_they_hold),
        cmocka_unit_test(values_are_learnt_if_they_may_be),
        cmocka_unit_test(stats_of_another_size_are_left_alone),
        cmocka_unit_test(names_take_a_part_of_the_room_only),
        cmocka_unit_test(values_take_a_part_of_the_room_only),
        cmocka_unit_test(a_full_dictionary_changes_nothing),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
