/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Known texts: found only if every byte is the same, given back with all that they hold, bounded.
 */
#include "kin_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/error.h"
#include "object/raw_cache.h"
#include "oom.h"

static kin__raw_cache *new_cache(void)
{
    kin__raw_cache *cache = malloc(sizeof(*cache));

    assert_non_null(cache);
    kin__raw_cache_init(cache);
    return cache;
}

static void free_cache(kin__raw_cache *cache)
{
    kin__raw_cache_done(cache);
    free(cache);
}

/* A shared null, in the pool. */
static kin__shared *new_shared(uint32_t hash)
{
    kin__shared *shared = kin__shared_new(hash, 0, 1);

    assert_non_null(shared);
    *kin__tape_new_bytes(&shared->tape) = KIN__TAG_NULL;
    shared->packed = false;
    shared->height = 1;
    kin__shared_add(shared);
    return shared;
}

/* {"id":"…","pad":"…"} of `len` bytes. */
static void make_text(char *text, size_t len, unsigned id)
{
    int n = snprintf(text, len, "{\"id\":\"%08u\",\"pad\":\"", id);

    memset(text + n, 'p', len - (size_t)n);
    memcpy(text + len - 2, "\"}", 2);
}

static bool find(kin__raw_cache *cache, const char *text, size_t len, struct kin__raw_known *ret)
{
    return kin__raw_cache_find(cache, 7, text, text + len, ret);
}

static void a_text_is_found_whole_or_not_at_all(void **state)
{
    kin__raw_cache *cache = new_cache();
    kin__shared *shared = new_shared(1);
    struct kin__raw_known known;
    char text[200];

    (void)state;
    make_text(text, 100, 1);
    assert_false(find(cache, text, 100, &known));
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, 100, shared, 5);
    memset(text + 100, ' ', 100);
    assert_true(find(cache, text, 200, &known)); /* what follows does not matter */
    assert_ptr_equal(known.shared, shared);
    assert_int_equal(known.len, 100);
    assert_int_equal(known.height, 5);
    assert_true(find(cache, text, 100, &known));
    assert_false(find(cache, text, 99, &known)); /* a part is not the text */
    for (size_t i = 0; i < 100; i++) {
        char *changed = malloc(100);

        assert_non_null(changed);
        memcpy(changed, text, 100);
        changed[i] ^= 1;
        assert_false(find(cache, changed, 100, &known));
        free(changed);
    }
    kin__shared_unref(shared);
    free_cache(cache);
}

/* The same bytes in two forms are two values, also at places that share a score. */
static void forms_are_told_apart(void **state)
{
    enum { FIRST = KIN__RAW_JSON + 1, SECOND };
    kin__raw_cache *cache = new_cache();
    kin__shared *shared[2] = {new_shared(1), new_shared(2)};
    struct kin__raw_known known;
    char text[64];

    (void)state;
    make_text(text, sizeof(text), 1);
    kin__raw_cache_add(cache, FIRST, text, sizeof(text), shared[0], 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(kin__raw_cache_find_sized(cache, 7, FIRST, text, sizeof(text), &known));
        assert_ptr_equal(known.shared, shared[0]);
        assert_false(kin__raw_cache_find_sized(cache, 7, SECOND, text, sizeof(text), &known));
        assert_false(find(cache, text, sizeof(text), &known));
    }
    kin__raw_cache_add(cache, SECOND, text, sizeof(text), shared[1], 1);
    for (unsigned i = 0; i < 3; i++) {
        assert_true(kin__raw_cache_find_sized(cache, 7, FIRST, text, sizeof(text), &known));
        assert_ptr_equal(known.shared, shared[0]);
        assert_true(kin__raw_cache_find_sized(cache, 7 + KIN__RAW_SCORES, SECOND, text,
                                              sizeof(text), &known));
        assert_ptr_equal(known.shared, shared[1]);
        assert_false(kin__raw_cache_find_sized(cache, 7, SECOND, text, sizeof(text) - 1, &known));
    }
    kin__shared_unref(shared[0]);
    kin__shared_unref(shared[1]);
    free_cache(cache);
}

static void a_text_may_be_known_as_valid_only(void **state)
{
    kin__raw_cache *cache = new_cache();
    struct kin__raw_known known;
    char text[64];

    (void)state;
    make_text(text, sizeof(text), 3);
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, sizeof(text), NULL, 2);
    assert_true(find(cache, text, sizeof(text), &known));
    assert_null(known.shared);
    assert_int_equal(known.height, 2);
    free_cache(cache);
}

static void short_and_long_texts_are_not_kept(void **state)
{
    static char text[70000];
    kin__raw_cache *cache = new_cache();
    struct kin__raw_known known;

    (void)state;
    memset(text, ' ', sizeof(text));
    text[0] = '[';
    text[29] = ']';
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, 30, NULL, 1);
    assert_false(find(cache, text, 30, &known));
    text[29] = ' ';
    text[sizeof(text) - 1] = ']';
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, sizeof(text), NULL, 1);
    assert_false(find(cache, text, sizeof(text), &known));
    assert_int_equal(cache->bytes, 0);
    free_cache(cache);
}

static void it_is_bounded_and_gives_everything_back(void **state)
{
    kin__raw_cache *cache = new_cache();
    struct kin__shared_stats before;
    struct kin__shared_stats after;
    char *text = malloc(4096);

    (void)state;
    assert_non_null(text);
    kin__shared_stats(&before);
    for (unsigned id = 0; id < 3000; id++) {
        kin__shared *shared = new_shared(id);

        make_text(text, 4096, id);
        kin__raw_cache_add(cache, KIN__RAW_JSON, text, 4096, shared, 1);
        kin__shared_unref(shared);
        assert_true(cache->bytes <= 1048576);
    }
    kin__shared_stats(&after);
    assert_true(after.values > before.values);
    free_cache(cache);
    kin__shared_stats(&after);
    assert_int_equal(after.values, before.values);
    assert_int_equal(after.bytes, before.bytes);
    free(text);
}

/* Where nothing is ever found it is looked for seldom, and found again when it is there. */
static void it_looks_seldom_where_it_finds_nothing(void **state)
{
    kin__raw_cache *cache = new_cache();
    struct kin__raw_known known;
    unsigned found = 0;
    char text[64];

    (void)state;
    make_text(text, sizeof(text), 1);
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, sizeof(text), NULL, 1);
    for (unsigned id = 2; id < 100; id++) {
        make_text(text, sizeof(text), id);
        assert_false(find(cache, text, sizeof(text), &known));
    }
    make_text(text, sizeof(text), 1);
    for (unsigned i = 0; i < 2000; i++)
        found += find(cache, text, sizeof(text), &known);
    assert_true(found < 2000); /* the first chances were let pass */
    assert_true(found > 100);  /* once it was found it is looked for every time */
    free_cache(cache);
}

/* Without memory nothing is remembered, and nothing is lost. */
static int add_and_find(void *arg, kin_error *err)
{
    kin__raw_cache *cache = new_cache();
    struct kin__raw_known known;
    char text[64];

    (void)arg;
    make_text(text, sizeof(text), 1);
    kin__raw_cache_add(cache, KIN__RAW_JSON, text, sizeof(text), NULL, 1);

    int code = find(cache, text, sizeof(text), &known) ? 0 : kin__error_no_memory(err);

    free_cache(cache);
    return code;
}

static void it_does_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(add_and_find, NULL);
}

int main(void)
{
    kin_test_alloc_install();

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_text_is_found_whole_or_not_at_all),
        cmocka_unit_test(forms_are_told_apart),
        cmocka_unit_test(a_text_may_be_known_as_valid_only),
        cmocka_unit_test(short_and_long_texts_are_not_kept),
        cmocka_unit_test(it_is_bounded_and_gives_everything_back),
        cmocka_unit_test(it_looks_seldom_where_it_finds_nothing),
        cmocka_unit_test(it_does_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
