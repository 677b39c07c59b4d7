/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The growing string: what it holds, what stops it, and whose memory it is.
 */
#include "kin_test.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "child.h"
#include "model.h"
#include "oom.h"

#define NO_LIMIT (SIZE_MAX - 1)

static void assert_text(const kin__buf *buf, const char *expected)
{
    assert_code(buf->failed, 0);
    assert_int_equal(buf->len, strlen(expected));
    assert_non_null(buf->data);
    assert_string_equal(buf->data, expected);
}

/* The text and the failure that stopped it. */
static void assert_failed(const kin__buf *buf, int code, const char *expected)
{
    assert_code(buf->failed, code);
    assert_int_equal(buf->len, strlen(expected));
    if (buf->data)
        assert_string_equal(buf->data, expected);
}

/* --- appending --- */

static void a_new_buffer_is_empty_and_costs_nothing(void **state)
{
    kin__buf buf;

    (void)state;
    memset(&buf, 0xa5, sizeof(buf));
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    kin__buf_init(&buf, 100);
    assert_int_equal(kin_test_alloc_count(), 0);
    assert_null(buf.data);
    assert_int_equal(buf.limit, 100);
    assert_code(buf.failed, 0);
    assert_int_equal(kin__buf_str(&buf).len, 0);
    kin__buf_done(&buf);
}

static void appends_come_one_behind_the_other(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_append(&buf, kin_str_make("podsx", 4));
    assert_text(&buf, "pods");
    kin__buf_append_char(&buf, '/');
    assert_text(&buf, "pods/");
    kin__buf_appendf(&buf, "%s-%d", "web", 7);
    assert_text(&buf, "pods/web-7");
    kin_str view = kin__buf_str(&buf);
    assert_ptr_equal(view.data, buf.data);
    assert_int_equal(view.len, 10);
    kin__buf_done(&buf);
}

static void appending_nothing_makes_an_empty_terminated_text(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_append(&buf, kin_str_make(NULL, 0));
    assert_text(&buf, "");
    kin__buf_append(&buf, kin_str_of("x"));
    kin__buf_append(&buf, kin_str_make(NULL, 0));
    kin__buf_appendf(&buf, "%s", "");
    assert_text(&buf, "x");
    kin__buf_done(&buf);
}

static void any_byte_can_be_held(void **state)
{
    kin__buf buf;
    char all[256];

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    for (int c = 0; c < 256; c++) {
        all[c] = (char)c;
        kin__buf_append_char(&buf, (char)c);
    }
    kin__buf_append(&buf, kin_str_make(all, sizeof(all)));
    kin__buf_appendf(&buf, "%c", 0);
    assert_code(buf.failed, 0);
    assert_int_equal(buf.len, 513);
    assert_memory_equal(buf.data, all, 256);
    assert_memory_equal(buf.data + 256, all, 256);
    assert_int_equal(buf.data[512], 0);
    assert_int_equal(buf.data[513], 0);
    kin__buf_done(&buf);
}

/* Every text length behind every prefix length: each way of meeting the end of the memory. */
static void formatted_text_is_whole_at_every_growth_boundary(void **state)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz";

    (void)state;
    for (size_t prefix = 0; prefix <= 40; prefix++) {
        for (size_t len = 0; len <= 40; len++) {
            kin__buf buf;
            char expected[128];

            kin__buf_init(&buf, NO_LIMIT);
            kin__buf_append(&buf, kin_str_make(letters, prefix));
            kin__buf_appendf(&buf, "%.*s", (int)len, letters);
            snprintf(expected, sizeof(expected), "%.*s%.*s", (int)prefix, letters, (int)len,
                     letters);
            assert_text(&buf, expected);
            assert_true(buf.cap > buf.len);
            kin__buf_done(&buf);
        }
    }
}

/* The arguments are read twice when the text did not fit at once. */
static void formatted_arguments_survive_growth(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_appendf(&buf, "%s %lld %d %s %.2f", "a long enough text to need room", (long long)-5,
                     42, "end", 0.25);
    assert_text(&buf, "a long enough text to need room -5 42 end 0.25");
    kin__buf_done(&buf);
}

static void appending_byte_by_byte_is_amortized(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    for (int i = 0; i < 100000; i++)
        kin__buf_append_char(&buf, 'x');
    assert_int_equal(buf.len, 100000);
    assert_in_range(kin_test_alloc_count(), 1, 17);
    kin__buf_done(&buf);
}

/* --- limits --- */

static void text_may_reach_the_limit(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 10);
    kin__buf_append(&buf, kin_str_of("12345"));
    kin__buf_appendf(&buf, "%d", 6789);
    kin__buf_append_char(&buf, '0');
    assert_text(&buf, "1234567890");
    kin__buf_append(&buf, kin_str_make(NULL, 0));
    kin__buf_appendf(&buf, "%s", "");
    assert_text(&buf, "1234567890");
    kin__buf_done(&buf);
}

static void one_byte_beyond_the_limit_fails_and_changes_nothing(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 5);
    kin__buf_append(&buf, kin_str_of("1234"));
    kin__buf_append(&buf, kin_str_of("56"));
    assert_failed(&buf, KIN_ELIMIT, "1234");

    kin__buf_reset(&buf);
    kin__buf_append(&buf, kin_str_of("1234"));
    kin__buf_appendf(&buf, "%d", 56);
    assert_failed(&buf, KIN_ELIMIT, "1234");

    kin__buf_reset(&buf);
    kin__buf_append(&buf, kin_str_of("12345"));
    kin__buf_append_char(&buf, '6');
    assert_failed(&buf, KIN_ELIMIT, "12345");
    kin__buf_done(&buf);
}

static void reserved_room_is_written_to_and_counted(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 8);
    char *room = kin__buf_reserve(&buf, 5);
    assert_non_null(room);
    memcpy(room, "12345", 5);
    kin__buf_added(&buf, 3); /* of what was reserved */
    assert_text(&buf, "123");
    room = kin__buf_reserve(&buf, 5); /* up to the limit */
    assert_ptr_equal(room, buf.data + 3);
    memcpy(room, "45678", 5);
    kin__buf_added(&buf, 5);
    assert_text(&buf, "12345678");
    assert_null(kin__buf_reserve(&buf, 1));
    assert_failed(&buf, KIN_ELIMIT, "12345678");
    assert_null(kin__buf_reserve(&buf, 0)); /* it sticks */
    kin__buf_done(&buf);
}

static void a_first_append_beyond_the_limit_fails(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 3);
    kin__buf_appendf(&buf, "%s", "1234");
    assert_failed(&buf, KIN_ELIMIT, "");
    kin__buf_done(&buf);
    kin__buf_append(&buf, kin_str_of("1234"));
    assert_failed(&buf, KIN_ELIMIT, "");
    kin__buf_done(&buf);
}

static void a_limit_of_0_allows_the_empty_text_only(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 0);
    kin__buf_append(&buf, kin_str_of(""));
    kin__buf_appendf(&buf, "%s", "");
    assert_text(&buf, "");
    kin__buf_append_char(&buf, 'x');
    assert_failed(&buf, KIN_ELIMIT, "");
    kin__buf_done(&buf);
}

/* Sizes whose sum with the length, or with the terminator, would wrap around. */
static void enormous_sizes_do_not_wrap_around(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_append(&buf, kin_str_of("abc"));
    kin__buf_append(&buf, kin_str_make("x", SIZE_MAX));
    assert_failed(&buf, KIN_ELIMIT, "abc");
    kin__buf_reset(&buf);
    kin__buf_append(&buf, kin_str_of("abc"));
    kin__buf_append(&buf, kin_str_make("x", SIZE_MAX - 3));
    assert_failed(&buf, KIN_ELIMIT, "abc");

    /* Within the limit, and more than there is. */
    kin__buf_reset(&buf);
    kin__buf_append(&buf, kin_str_of("abc"));
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    kin__buf_append(&buf, kin_str_make("x", SIZE_MAX - 4));
    assert_true(kin_test_alloc_disarm());
    assert_failed(&buf, KIN_ENOMEM, "abc");
    kin__buf_done(&buf);
}

#if KIN_DEBUG_CHECKS
static int init_without_room_for_the_terminator(void *arg)
{
    kin__buf buf;

    (void)arg;
    kin__buf_init(&buf, SIZE_MAX);
    return 0;
}

static void a_limit_of_size_max_is_a_mistake(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, init_without_room_for_the_terminator, NULL);
    assert_int_equal(child.signal, SIGABRT);
    assert_non_null(strstr(child.output, "limit < SIZE_MAX"));
}
#endif

/* --- failures --- */

static void append_in_every_way(kin__buf *buf)
{
    kin__buf_append(buf, kin_str_of("y"));
    kin__buf_append_char(buf, 'y');
    kin__buf_appendf(buf, "%s", "y");
    kin__buf_append(buf, kin_str_make(NULL, 0));
    kin__buf_appendf(buf, "%s", "");
}

static void a_failure_sticks(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 5);
    kin__buf_append(&buf, kin_str_of("x"));
    kin__buf_append(&buf, kin_str_of("123456"));
    append_in_every_way(&buf); /* each would fit */
    assert_failed(&buf, KIN_ELIMIT, "x");
    kin__buf_done(&buf);

    kin__buf_init(&buf, 100);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    kin__buf_append(&buf, kin_str_of("x"));
    append_in_every_way(&buf); /* there would be memory */
    assert_true(kin_test_alloc_disarm());
    assert_int_equal(kin_test_alloc_count(), 1);
    assert_failed(&buf, KIN_ENOMEM, "");
    kin__buf_done(&buf);
}

static void the_first_failure_is_the_one_that_is_kept(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 5);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    kin__buf_append(&buf, kin_str_of("x"));
    kin_test_alloc_disarm();
    kin__buf_append(&buf, kin_str_of("123456"));
    kin__buf_appendf(&buf, "%s", "123456");
    assert_failed(&buf, KIN_ENOMEM, "");
    kin__buf_done(&buf);
}

static void without_memory_the_text_stays_as_it_was(void **state)
{
    static const char more[] = "more than what is left in the memory that there is";

    (void)state;
    for (int formatted = 0; formatted < 2; formatted++) {
        kin__buf buf;

        kin__buf_init(&buf, NO_LIMIT);
        kin__buf_append(&buf, kin_str_of("kept"));
        kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
        if (formatted)
            kin__buf_appendf(&buf, "%s", more);
        else
            kin__buf_append(&buf, kin_str_of(more));
        assert_true(kin_test_alloc_disarm());
        assert_failed(&buf, KIN_ENOMEM, "kept");
        kin__buf_done(&buf);
    }
}

static void what_can_not_be_formatted_fails(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_append(&buf, kin_str_of("kept"));
    kin__buf_appendf(&buf, "ab%ls", L"\u20ac");
    assert_failed(&buf, KIN_ELIMIT, "kept");
    kin__buf_done(&buf);
}

/* --- reset, done, take --- */

static void reset_forgets_text_and_failure_and_keeps_the_memory(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 20);
    kin__buf_append(&buf, kin_str_of("1234567890"));
    kin__buf_append(&buf, kin_str_of("12345678901"));
    assert_code(buf.failed, KIN_ELIMIT);
    kin__buf_reset(&buf);
    assert_text(&buf, "");
    assert_int_equal(buf.limit, 20);
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin__buf_append(&buf, kin_str_of("0987654321"));
    kin_test_alloc_disarm();
    assert_int_equal(kin_test_alloc_count(), 0);
    assert_text(&buf, "0987654321");
    kin__buf_done(&buf);
}

static void reset_of_a_new_buffer_is_harmless(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 20);
    kin__buf_reset(&buf);
    assert_null(buf.data);
    kin__buf_append(&buf, kin_str_of("x"));
    assert_text(&buf, "x");
    kin__buf_done(&buf);
}

static void done_frees_and_leaves_a_new_buffer(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 5);
    kin__buf_append(&buf, kin_str_of("x"));
    kin__buf_append(&buf, kin_str_of("too long"));
    assert_int_equal(kin_test_alloc_live(), before + 1);
    kin__buf_done(&buf);
    assert_int_equal(kin_test_alloc_live(), before);
    assert_null(buf.data);
    assert_failed(&buf, 0, "");
    kin__buf_done(&buf);
    kin__buf_append(&buf, kin_str_of("123456"));
    assert_code(buf.failed, KIN_ELIMIT); /* the limit is still there */
    kin__buf_done(&buf);
}

static void take_hands_over_text_and_memory(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__buf buf;
    char *text = NULL;
    size_t len = 0;

    (void)state;
    kin__buf_init(&buf, 5);
    kin__buf_append(&buf, kin_str_make("a\0b", 3));
    assert_code(kin__buf_take(&buf, &text, &len), 0);
    assert_int_equal(len, 3);
    assert_memory_equal(text, "a\0b", 4);

    /* The buffer is as new, and its limit is still there. */
    assert_null(buf.data);
    assert_int_equal(buf.len, 0);
    kin__buf_append(&buf, kin_str_of("12345"));
    assert_text(&buf, "12345");
    kin__buf_append_char(&buf, '6');
    assert_code(buf.failed, KIN_ELIMIT);
    kin__buf_done(&buf);
    assert_memory_equal(text, "a\0b", 4);
    kin_free(text);
    assert_int_equal(kin_test_alloc_live(), before);
}

static void take_needs_no_length(void **state)
{
    kin__buf buf;
    char *text = NULL;

    (void)state;
    kin__buf_init(&buf, 5);
    kin__buf_append(&buf, kin_str_of("abc"));
    assert_code(kin__buf_take(&buf, &text, NULL), 0);
    assert_string_equal(text, "abc");
    kin_free(text);
}

static void take_of_an_empty_buffer_is_an_empty_text(void **state)
{
    kin__buf buf;
    char *text = NULL;
    size_t len = 9;

    (void)state;
    kin__buf_init(&buf, 0);
    assert_code(kin__buf_take(&buf, &text, &len), 0);
    assert_non_null(text);
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    kin_free(text);

    kin__buf_init(&buf, 10);
    kin__buf_append(&buf, kin_str_of("gone"));
    kin__buf_reset(&buf);
    assert_code(kin__buf_take(&buf, &text, &len), 0);
    assert_string_equal(text, "");
    assert_int_equal(len, 0);
    kin_free(text);
    kin__buf_done(&buf);
}

static void take_gives_the_failure_that_stuck(void **state)
{
    kin__buf buf;
    char untouched[1];
    char *text = untouched;
    size_t len = 9;

    (void)state;
    kin__buf_init(&buf, 3);
    kin__buf_append(&buf, kin_str_of("abc"));
    kin__buf_append_char(&buf, 'd');
    assert_code(kin__buf_take(&buf, &text, &len), KIN_ELIMIT);
    assert_ptr_equal(text, untouched);
    assert_int_equal(len, 9);
    assert_failed(&buf, KIN_ELIMIT, "abc"); /* still ours to free */
    kin__buf_done(&buf);

    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    assert_code(kin__buf_take(&buf, &text, &len), KIN_ENOMEM);
    kin_test_alloc_disarm();
    assert_ptr_equal(text, untouched);
    assert_int_equal(len, 9);
    kin__buf_done(&buf);
}

/* --- out of memory --- */

static int build_a_text(void *arg, kin_error *err)
{
    kin__buf buf;
    char *text = NULL;

    (void)arg;
    kin__buf_init(&buf, NO_LIMIT);
    kin__buf_append(&buf, kin_str_of("GET /api/v1/"));
    kin__buf_appendf(&buf, "namespaces/%s/%s", "default", "pods");
    kin__buf_append_char(&buf, '?');
    for (int i = 0; i < 20; i++)
        kin__buf_appendf(&buf, "label%d=value&", i);
    int code = kin__buf_take(&buf, &text, NULL);
    kin__buf_done(&buf);
    kin_free(text);
    return code == KIN_ENOMEM ? kin__error_no_memory(err) : code;
}

/* Grown, shortened, recycled and released, and once more after all of that. */
static void a_secret_leaves_nothing_behind(void **state)
{
    kin__buf buf;
    char *taken = NULL;

    (void)state;
    kin__buf_init_secret(&buf, NO_LIMIT);
    kin_test_alloc_look_for("hush");
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 1000; i++)
            kin__buf_appendf(&buf, "hush %d, ", i);
        kin__buf_truncate(&buf, 4);
        assert_text(&buf, "hush");
        kin__buf_recycle(&buf, 10);
        kin__buf_append(&buf, kin_str_of("hush"));
        kin__buf_reset(&buf);
        kin__buf_done(&buf);
        kin__buf_append(&buf, kin_str_of("hush"));
        assert_code(kin__buf_take(&buf, &taken, NULL), 0);
        assert_string_equal(taken, "hush");
        kin__free_wiped(taken, strlen(taken));
    }
    kin__buf_append(&buf, kin_str_of("hush"));
    kin_test_alloc_arm(1, KIN_TEST_FAIL_ONE);
    for (int i = 0; i < 1000; i++)
        kin__buf_append(&buf, kin_str_of("hush"));
    assert_true(kin_test_alloc_disarm());
    assert_code(buf.failed, KIN_ENOMEM);
    kin__buf_done(&buf);
    kin__free_wiped(NULL, 0);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(build_a_text, NULL);
}

/* --- model --- */

#define MODEL_LIMIT 60

struct model_state {
    kin__buf buf;
    char text[MODEL_LIMIT + 1];
    size_t len;
    int failed;
};

static void *model_new(uint64_t seed)
{
    struct model_state *s = calloc(1, sizeof(*s));

    (void)seed;
    if (s)
        kin__buf_init(&s->buf, MODEL_LIMIT);
    return s;
}

static void model_free(void *state)
{
    struct model_state *s = state;

    kin__buf_done(&s->buf);
    free(s);
}

static void model_append(struct model_state *s, const char *data, size_t len)
{
    if (s->failed)
        return;
    if (s->len + len > MODEL_LIMIT) {
        s->failed = KIN_ELIMIT;
        return;
    }
    memcpy(s->text + s->len, data, len);
    s->len += len;
}

static size_t random_text(kin_test_rng *rng, char *text, size_t max)
{
    size_t len = kin_test_below(rng, max + 1);

    for (size_t i = 0; i < len; i++)
        text[i] = (char)('a' + kin_test_below(rng, 26));
    text[len] = '\0';
    return len;
}

static const char *op_append(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    char text[32];
    size_t len = random_text(rng, text, 20);

    kin__buf_append(&s->buf, kin_str_make(text, len));
    model_append(s, text, len);
    return NULL;
}

static const char *op_append_char(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    char c = (char)kin_test_below(rng, 256);

    kin__buf_append_char(&s->buf, c);
    model_append(s, &c, 1);
    return NULL;
}

static const char *op_appendf(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    char text[32];
    char whole[64];

    random_text(rng, text, 20);
    int number = (int)kin_test_below(rng, 1000);
    kin__buf_appendf(&s->buf, "%s=%d", text, number);
    int n = snprintf(whole, sizeof(whole), "%s=%d", text, number);
    model_append(s, whole, (size_t)n);
    return NULL;
}

/* Whether it needs memory depends on the capacity; if it fails, nothing else changes. */
static const char *op_append_without_memory(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    char text[32];
    size_t len = random_text(rng, text, 20);
    size_t cap = s->buf.cap;

    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    kin__buf_append(&s->buf, kin_str_make(text, len));
    if (kin_test_alloc_disarm()) {
        if (s->buf.cap != cap)
            return "the capacity changed without memory";
        s->failed = KIN_ENOMEM;
    } else {
        model_append(s, text, len);
    }
    return NULL;
}

static const char *op_reset(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;

    (void)rng;
    kin__buf_reset(&s->buf);
    s->len = 0;
    s->failed = 0;
    return NULL;
}

static const char *op_take(void *state, kin_test_rng *rng)
{
    struct model_state *s = state;
    char *text = NULL;
    size_t len = 0;

    (void)rng;
    if (kin__buf_take(&s->buf, &text, &len) != s->failed)
        return "take gave another code";
    if (s->failed)
        return text ? "take failed and gave a text" : NULL;
    bool same = len == s->len && memcmp(text, s->text, len) == 0 && text[len] == '\0';
    kin_free(text);
    s->len = 0;
    return same ? NULL : "take gave another text";
}

static const char *model_check(void *state)
{
    struct model_state *s = state;
    kin_str text = kin__buf_str(&s->buf);

    if (s->buf.failed != s->failed)
        return "another failure";
    if (text.len != s->len || (s->len && memcmp(text.data, s->text, s->len) != 0))
        return "another text";
    if (text.data && text.data[text.len] != '\0')
        return "not terminated";
    if (text.data ? s->buf.cap <= text.len : s->buf.cap != 0)
        return "the capacity is wrong";
    return NULL;
}

static void buffer_behaves_like_a_plain_array(void **state)
{
    static const kin_test_op ops[] = {
        {"append", 10, op_append},   {"append_char", 5, op_append_char},
        {"appendf", 10, op_appendf}, {"append_without_memory", 2, op_append_without_memory},
        {"reset", 4, op_reset},      {"take", 4, op_take},
    };
    static const kin_test_model model = {
        .ops = ops,
        .n_ops = kin__array_len(ops),
        .state_new = model_new,
        .state_free = model_free,
        .check = model_check,
    };

    (void)state;
    kin_test_run_model(&model, 100, 300);
}

static void truncate_keeps_the_beginning_and_a_failure(void **state)
{
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 6);
    kin__buf_truncate(&buf, 0);
    assert_null(buf.data);
    kin__buf_append(&buf, kin_str_of("abcdef"));
    kin__buf_truncate(&buf, 6);
    assert_string_equal(buf.data, "abcdef");
    kin__buf_truncate(&buf, 2);
    assert_string_equal(buf.data, "ab");
    assert_int_equal(buf.len, 2);
    kin__buf_append(&buf, kin_str_of("cdefg"));
    assert_code(buf.failed, KIN_ELIMIT);
    kin__buf_truncate(&buf, 0);
    assert_string_equal(buf.data, "");
    assert_code(buf.failed, KIN_ELIMIT);
    kin__buf_done(&buf);
}

static void recycle_gives_back_what_is_too_much(void **state)
{
    size_t before = kin_test_alloc_live();
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 100);
    kin__buf_append(&buf, kin_str_of("abc"));
    kin__buf_recycle(&buf, buf.cap);
    assert_int_equal(kin_test_alloc_live(), before + 1);
    assert_string_equal(buf.data, "");
    kin__buf_append(&buf, kin_str_of("abc"));
    kin__buf_recycle(&buf, buf.cap - 1);
    assert_int_equal(kin_test_alloc_live(), before);
    assert_null(buf.data);
    assert_int_equal(buf.limit, 100);
    kin__buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_buffer_is_empty_and_costs_nothing),
        cmocka_unit_test(appends_come_one_behind_the_other),
        cmocka_unit_test(appending_nothing_makes_an_empty_terminated_text),
        cmocka_unit_test(any_byte_can_be_held),
        cmocka_unit_test(formatted_text_is_whole_at_every_growth_boundary),
        cmocka_unit_test(formatted_arguments_survive_growth),
        cmocka_unit_test(appending_byte_by_byte_is_amortized),
        cmocka_unit_test(text_may_reach_the_limit),
        cmocka_unit_test(one_byte_beyond_the_limit_fails_and_changes_nothing),
        cmocka_unit_test(reserved_room_is_written_to_and_counted),
        cmocka_unit_test(a_first_append_beyond_the_limit_fails),
        cmocka_unit_test(a_limit_of_0_allows_the_empty_text_only),
        cmocka_unit_test(enormous_sizes_do_not_wrap_around),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(a_limit_of_size_max_is_a_mistake),
#endif
        cmocka_unit_test(a_failure_sticks),
        cmocka_unit_test(the_first_failure_is_the_one_that_is_kept),
        cmocka_unit_test(without_memory_the_text_stays_as_it_was),
        cmocka_unit_test(what_can_not_be_formatted_fails),
        cmocka_unit_test(reset_forgets_text_and_failure_and_keeps_the_memory),
        cmocka_unit_test(truncate_keeps_the_beginning_and_a_failure),
        cmocka_unit_test(recycle_gives_back_what_is_too_much),
        cmocka_unit_test(reset_of_a_new_buffer_is_harmless),
        cmocka_unit_test(done_frees_and_leaves_a_new_buffer),
        cmocka_unit_test(take_hands_over_text_and_memory),
        cmocka_unit_test(take_needs_no_length),
        cmocka_unit_test(take_of_an_empty_buffer_is_an_empty_text),
        cmocka_unit_test(take_gives_the_failure_that_stuck),
        cmocka_unit_test(a_secret_leaves_nothing_behind),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(buffer_behaves_like_a_plain_array),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
