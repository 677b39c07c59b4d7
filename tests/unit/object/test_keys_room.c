/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which keys get into the dictionary: keys of one object never do, and those of a few objects leave
 * room for common ones. One dictionary for all tests, in this order.
 */
#include "kin_test.h"

#include <stdlib.h>

#include "alloc.h"
#include "kinform/json.h"
#include "object/keys.h"
#include "reference.h"
#include "rng.h"

static void append_member(ref_text *text, const char *prefix, unsigned i, const char *value)
{
    char member[80];

    snprintf(member, sizeof(member), ",\"%s%u\":%s", prefix, i, value);
    ref_append_str(text, member);
}

struct vocabulary {
    const char *fields; /* followed by a number */
    const char *annotations;
};

/* Decodes the object `name` with `len` fields and as many annotations, whose values are its own. */
static void decode(kin_decoder *decoder, const char *name, struct vocabulary words, unsigned first,
                   unsigned len)
{
    ref_text text = {NULL, 0, 0};
    const kin_object *object = NULL;

    ref_append_str(&text, "{\"spec\":{\"name\":\"");
    ref_append_str(&text, name);
    ref_append_str(&text, "\"");
    for (unsigned i = first; i < first + len; i++)
        append_member(&text, words.fields, i, "1");
    ref_append_str(&text, "},\"metadata\":{\"annotations\":{\"name\":\"");
    ref_append_str(&text, name);
    ref_append_str(&text, "\"");
    for (unsigned i = first; i < first + len; i++)
        append_member(&text, words.annotations, i, "\"\"");
    ref_append_str(&text, "},\"name\":\"");
    ref_append_str(&text, name);
    ref_append_str(&text, "\"}}");
    assert_code(kin_decoder_decode(decoder, &object, kin_str_make(text.data, text.len), NULL), 0);
    kin_object_unref(object);
    free(text.data);
}

static bool knows(const char *prefix, unsigned i)
{
    char key[64];

    snprintf(key, sizeof(key), "%s%u", prefix, i);
    return kin__keys_find(kin_str_of(key)) != KIN__KEY_TEXT;
}

/* Each update of the object has other annotations and fields, and comes several times. */
static void one_object_teaches_nothing(void **state)
{
    enum { KEYS = 100000, PER_UPDATE = 500, TIMES = 4 };
    const struct vocabulary words = {"onceField", "once-"};
    kin_decoder *decoder = NULL;
    unsigned before = kin__keys_learnt();

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned first = 0; first < KEYS / 2; first += PER_UPDATE) {
        for (unsigned i = 0; i < TIMES; i++)
            decode(decoder, "tenant", words, first, PER_UPDATE);
    }
    kin_decoder_free(decoder);
    assert_int_equal(kin__keys_learnt(), before);
}

static void keys_of_many_objects_are_learnt_after_that(void **state)
{
    enum { KEYS = 200, OBJECTS = 30 };
    const struct vocabulary words = {"commonField", "common-"};
    kin_decoder *decoder = NULL;
    unsigned known = 0;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned i = 0; i < OBJECTS; i++) {
        char name[16];

        snprintf(name, sizeof(name), "object-%u", i);
        decode(decoder, name, words, 0, KEYS);
    }
    kin_decoder_free(decoder);
    for (unsigned i = 0; i < KEYS; i++)
        known += knows("common-", i) + knows("commonField", i);
    /* Keys that have the same counter, by their hashes, take it from each other. */
    assert_in_range(known, 2 * KEYS - 40, 2 * KEYS);
}

static void note(const char *prefix, unsigned i, uint32_t origin)
{
    char text[64];

    snprintf(text, sizeof(text), "%s%u", prefix, i);
    kin_str key = kin_str_of(text);
    uint32_t hash = kin__keys_hash(key);

    if (kin__keys_find_hashed(key, hash) == KIN__KEY_TEXT)
        kin__keys_note(key, hash, origin);
}

/* Two objects that take turns count as several: their keys are learnt, but leave room. */
static void keys_of_few_objects_leave_room(void **state)
{
    enum { FEW = 20000, UPDATES = 16, COMMON = 10, OBJECTS = 1000 };
    kin_test_rng rng = {1};
    unsigned known = 0;
    unsigned learnt;

    (void)state;
    for (unsigned i = 0; i < FEW; i++) {
        for (unsigned k = 0; k < UPDATES; k++) {
            note("few-", i, k % 2 ? 0x12345671u : 0x7654321bu);
            note("fewFields", i, k % 2 ? 0x12345671u : 0x7654321bu);
        }
    }
    learnt = kin__keys_learnt();
    assert_true(learnt < KIN__KEYS_MAX - KIN__KEY_BUILT_IN);
    for (unsigned k = 0; k < OBJECTS; k++) {
        uint32_t origin = (uint32_t)kin_test_random(&rng) | 1u;

        for (unsigned i = 0; i < COMMON; i++) {
            note("late-", i, origin);
            note("lateFields", i, origin);
        }
    }
    for (unsigned i = 0; i < COMMON; i++)
        known += knows("late-", i) + knows("lateFields", i);
    /* As above: two pairs may have the same counter. */
    assert_in_range(known, 2 * COMMON - 4, 2 * COMMON);
    assert_int_equal(kin__keys_learnt(), learnt + known);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_object_teaches_nothing),
        cmocka_unit_test(keys_of_many_objects_are_learnt_after_that),
        cmocka_unit_test(keys_of_few_objects_leave_room),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
