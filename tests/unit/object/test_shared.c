/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool: values are found by content, live as long as something refers to them, and give their
 * memory back; also many with one hash, long chains of values that hold one another, and without
 * memory.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/shared.h"
#include "rng.h"

static struct kin__shared_stats stats(void)
{
    struct kin__shared_stats now;

    kin__shared_stats(&now);
    return now;
}

static void assert_empty(void)
{
    assert_int_equal(stats().values, 0);
    assert_int_equal(stats().bytes, 0);
    assert_int_equal(kin_test_alloc_live(), 0);
}

/* A string of one byte that refers to others; their references become the new one's. */
static kin__shared *make(uint32_t hash, char c, const kin__shared *const *others, uint32_t n)
{
    kin__shared *shared = kin__shared_new(hash, n, 2);

    if (!shared)
        abort();
    for (uint32_t i = 0; i < n; i++)
        kin__tape_new_refs(&shared->tape)[i] = others[i];
    kin__tape_new_bytes(&shared->tape)[0] = KIN__TAG_STRING_0 + 1;
    kin__tape_new_bytes(&shared->tape)[1] = (uint8_t)c;
    shared->packed = false;
    shared->height = 0;
    return shared;
}

static bool is_char(const kin__shared *shared, const void *arg)
{
    return kin__tape_bytes(&shared->tape)[1] == *(const uint8_t *)arg;
}

static const kin__shared *find(uint32_t hash, char c)
{
    bool crowded;

    return kin__shared_find(hash, is_char, &c, &crowded);
}

static void a_value_is_found_by_its_content(void **state)
{
    kin__shared *a = make(77, 'a', NULL, 0);

    (void)state;
    assert_code(kin__shared_init(NULL), 0);
    assert_null(find(77, 'a'));
    kin__shared_add(a);
    assert_int_equal(stats().values, 1);
    assert_true(stats().bytes >= a->size);
    assert_null(find(77, 'b'));
    assert_null(find(78, 'a'));

    const kin__shared *found = find(77, 'a');

    assert_ptr_equal(found, a);
    assert_int_equal(atomic_load(&a->refs), 2);
    kin__shared_unref(found);
    assert_int_equal(stats().values, 1);
    kin__shared_ref(a);
    kin__shared_unref(a);
    assert_int_equal(stats().values, 1);
    kin__shared_unref(a);
    assert_null(find(77, 'a'));
    assert_empty();
}

static void a_value_that_was_never_added_is_just_a_block(void **state)
{
    kin__shared *a = make(77, 'a', NULL, 0);

    (void)state;
    assert_int_equal(stats().values, 0);
    kin__shared_ref(a);
    kin__shared_unref(a);
    kin__shared_unref(a);
    assert_empty();
}

/* In one chain: each is found as long as there are few, whatever goes before. */
static void some_values_may_have_one_hash(void **state)
{
    enum { VALUES = 3 };
    const kin__shared *values[VALUES];
    kin_test_rng rng = {5};

    (void)state;
    for (int i = 0; i < VALUES; i++) {
        kin__shared *value = make(4711, (char)i, NULL, 0);

        kin__shared_add(value);
        values[i] = value;
    }
    assert_int_equal(stats().values, VALUES);
    for (size_t left = VALUES; left > 0; left--) {
        for (size_t i = 0; i < left; i++) {
            const kin__shared *found = find(4711, (char)kin__tape_bytes(&values[i]->tape)[1]);

            assert_ptr_equal(found, values[i]);
            kin__shared_unref(found);
        }
        size_t i = kin_test_below(&rng, left);
        kin__shared_unref(values[i]);
        values[i] = values[left - 1];
        assert_int_equal(stats().values, left - 1);
    }
    assert_empty();
}

/* Where too many have one hash it is said, and looking ends. */
static void a_crowd_with_one_hash_is_not_searched(void **state)
{
    enum { VALUES = 100 };
    const kin__shared *values[VALUES];
    const uint8_t none = 200;
    bool crowded = true;

    (void)state;
    assert_null(kin__shared_find(4711, is_char, &none, &crowded));
    assert_false(crowded);
    for (int i = 0; i < VALUES; i++) {
        kin__shared *value = make(4711, (char)i, NULL, 0);

        kin__shared_add(value);
        values[i] = value;
        assert_null(kin__shared_find(4711, is_char, &none, &crowded));
        if (i == 0)
            assert_false(crowded);
    }
    assert_true(crowded);
    for (size_t i = 0; i < VALUES; i++)
        kin__shared_unref(values[i]);
    assert_empty();
}

static void tables_grow_and_go(void **state)
{
    enum { VALUES = 20000, FEW = 100 };
    static const kin__shared *values[VALUES];
    kin_test_rng rng = {6};

    (void)state;
    for (size_t i = 0; i < VALUES; i++) {
        kin__shared *value = make((uint32_t)kin_test_random(&rng), (char)i, NULL, 0);

        kin__shared_add(value);
        values[i] = value;
    }
    assert_int_equal(stats().values, VALUES);
    for (size_t i = 0; i < VALUES; i++) {
        const kin__shared *found =
            find(values[i]->hash, (char)kin__tape_bytes(&values[i]->tape)[1]);

        assert_non_null(found);
        kin__shared_unref(found);
    }
    /* The tables fit the values that are left. */
    for (size_t i = FEW; i < VALUES; i++)
        kin__shared_unref(values[i]);
    assert_int_equal(stats().values, FEW);
    assert_in_range(stats().bytes, 1, 64 * 1024);
    for (size_t i = 0; i < FEW; i++) {
        const kin__shared *found =
            find(values[i]->hash, (char)kin__tape_bytes(&values[i]->tape)[1]);

        assert_non_null(found);
        kin__shared_unref(found);
        kin__shared_unref(values[i]);
    }
    assert_empty();
}

/* Each holds the one before; the last reference frees all, without a stack as deep as the chain. */
static void a_long_chain_is_freed_without_recursion(void **state)
{
    const kin__shared *last = NULL;

    (void)state;
    for (uint32_t i = 0; i < 200000; i++) {
        kin__shared *next = make(i * 2654435761u, 'x', &last, last != NULL);

        kin__shared_add(next);
        last = next;
    }
    assert_int_equal(stats().values, 200000);
    kin__shared_unref(last);
    assert_empty();
}

static void what_others_hold_stays(void **state)
{
    kin__shared *leaf = make(1, 'l', NULL, 0);
    const kin__shared *twice[] = {leaf, leaf};
    kin__shared *a;
    kin__shared *b;

    (void)state;
    kin__shared_add(leaf);
    kin__shared_ref(leaf);
    kin__shared_ref(leaf); /* one for each place, and our own */
    a = make(2, 'a', twice, 2);
    kin__shared_add(a);
    kin__shared_ref(leaf);
    b = make(3, 'b', twice, 1);
    kin__shared_add(b);
    kin__shared_unref(leaf);
    assert_int_equal(stats().values, 3);
    kin__shared_unref(a);
    assert_int_equal(stats().values, 2);
    kin__shared_ref(b);
    kin__shared_unref_all(&b->tape); /* gives back what b holds, not b */
    assert_int_equal(stats().values, 1);
    b->tape.refs_len = 0;
    kin__shared_unref(b);
    kin__shared_unref(b);
    assert_empty();
}

static void without_memory_a_value_stays_alone(void **state)
{
    kin__shared *a;

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    assert_null(kin__shared_new(5, 0, 2));
    kin_test_alloc_disarm();

    /* No table: it is not in the pool, and goes as it should. */
    a = make(5, 'a', NULL, 0);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin__shared_add(a);
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(stats().values, 0);
    assert_null(find(5, 'a'));
    kin__shared_unref(a);
    assert_empty();
}

/* A table that cannot grow has longer chains; nothing fails. */
static void without_memory_a_table_stays_small(void **state)
{
    enum { VALUES = 300 };
    static kin__shared *values[VALUES];

    (void)state;
    for (size_t i = 0; i < VALUES; i++)
        values[i] = make(0x40 + (uint32_t)i, 'v', NULL, 0); /* all of one part */
    kin__shared_add(values[0]);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    for (size_t i = 1; i < VALUES; i++)
        kin__shared_add(values[i]);
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(stats().values, VALUES);
    for (size_t i = 0; i < VALUES; i++) {
        const kin__shared *found = find(0x40 + (uint32_t)i, 'v');

        assert_ptr_equal(found, values[i]);
        kin__shared_unref(found);
        kin__shared_unref(values[i]);
    }
    assert_empty();
}

/* --- as documents use it --- */

static const kin_object *decode(kin_decoder *decoder, const char *format_name, const char *spec)
{
    const kin_object *object = NULL;
    char text[512];

    snprintf(text, sizeof(text), "{\"metadata\":{\"name\":\"%s\"},\"spec\":%s}", format_name, spec);
    assert_code(kin_decoder_decode(decoder, &object, kin_str_of(text), NULL), 0);
    return object;
}

static void alike_parts_of_documents_are_held_once(void **state)
{
    static const char spec[] =
        "{\"containers\":[{\"image\":\"registry.example.com/team-a/web:1.2.3\",\"args\":"
        "[\"--first\",\"--second\",\"--third\"]}],\"nodeSelector\":{\"zone\":\"zone-a\"}}";
    const kin_object *objects[20];
    kin_decoder *decoder;
    size_t smallest = SIZE_MAX;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (size_t i = 0; i < kin__array_len(objects); i++) {
        char name[16];

        snprintf(name, sizeof(name), "pod-%zu", i);
        objects[i] = decode(decoder, name, spec);
        if (kin_object_size(objects[i]) < smallest)
            smallest = kin_object_size(objects[i]);
    }
    assert_true(stats().values > 0);
    assert_true(smallest < kin_object_size(objects[0]) && smallest < 100);
    kin_decoder_free(decoder);
    for (size_t i = 0; i < kin__array_len(objects); i++) {
        kin_value value = kin_value_get(kin_object_root(objects[i]), kin_str_of("spec"));
        char *text;

        assert_code(kin_value_to_json(&text, NULL, value, KIN_JSON_COMPACT, NULL), 0);
        assert_string_equal(text, spec);
        kin_free(text);
        kin_object_unref(objects[i]);
    }
    assert_empty();
}

/* A value of a document that goes on living through another one. */
static void a_part_outlives_the_document_that_it_came_with(void **state)
{
    static const char spec[] =
        "{\"text\":\"one, two, three, four, five, six, seven\",\"n\":[1,2,3]}";
    const kin_object *last = NULL;
    kin_decoder *decoder;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned i = 0; i < 50; i++) {
        char name[16];

        snprintf(name, sizeof(name), "pod-%u", i);
        const kin_object *next = decode(decoder, name, spec);
        kin_object_unref(last);
        last = next;
    }
    kin_decoder_free(decoder);
    kin_value value = kin_value_get(kin_object_root(last), kin_str_of("spec"));
    char *text;
    assert_code(kin_value_to_json(&text, NULL, value, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(text, spec);
    kin_free(text);
    kin_object_unref(last);
    assert_empty();
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_is_found_by_its_content),
        cmocka_unit_test(a_value_that_was_never_added_is_just_a_block),
        cmocka_unit_test(some_values_may_have_one_hash),
        cmocka_unit_test(a_crowd_with_one_hash_is_not_searched),
        cmocka_unit_test(tables_grow_and_go),
        cmocka_unit_test(a_long_chain_is_freed_without_recursion),
        cmocka_unit_test(what_others_hold_stays),
        cmocka_unit_test(without_memory_a_value_stays_alone),
        cmocka_unit_test(without_memory_a_table_stays_small),
        cmocka_unit_test(alike_parts_of_documents_are_held_once),
        cmocka_unit_test(a_part_outlives_the_document_that_it_came_with),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
