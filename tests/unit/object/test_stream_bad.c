/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of lists and watches that cannot be read, and are skipped: wherever the text is cut, the same
 * objects come, and the same ones are told of as bad, in the same order.
 */
#include "kin_test.h"

#include <string.h>

#include "base/buf.h"
#include "kinform/stream.h"

struct notes {
    char text[1024];
    int code; /* what the function for bad ones returns */
    kin_list_decoder *to_free;
};

static void note(struct notes *notes, const char *word, const char *name)
{
    size_t len = strlen(notes->text);

    snprintf(notes->text + len, sizeof(notes->text) - len, "%s%s%s%s", len ? " " : "", word,
             name[0] ? ":" : "", name);
}

static int on_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    note(arg, "item", kin_object_key(object));
    return 0;
}

static int on_event(enum kin_watch_type type, const kin_object *object, void *arg, kin_error *err)
{
    (void)err;
    note(arg, kin_watch_type_name(type), kin_object_key(object));
    return 0;
}

static int on_bad(enum kin_watch_type type, kin_str key, const kin_error *why, void *arg,
                  kin_error *err)
{
    struct notes *notes = arg;
    char at[400];

    snprintf(at, sizeof(at), "%d@%d%s%" KIN_STR_FMT, why->code, (int)why->offset,
             key.len > 0 ? "=" : "", KIN_STR_ARG(key));
    note(notes, type ? kin_watch_type_name(type) : "bad", at);
    if (notes->to_free)
        kin_list_decoder_free(notes->to_free);
    return notes->code ? kin_error_set(err, notes->code, "enough") : 0;
}

static void make_options(kin_decode_options *options)
{
    *options = (kin_decode_options)KIN_DECODE_OPTIONS_INIT;
    options->max_bytes = 64;
    options->max_depth = 8;
}

/* In two pieces, cut at `cut`, then byte by byte if it is the whole length. */
static int feed_list_with(struct notes *notes, const char *text, size_t cut, size_t max_bytes,
                          kin_error *err)
{
    kin_decode_options options;
    kin_list_decoder *decoder = NULL;
    size_t len = strlen(text);
    size_t step = cut < len ? len : 1;
    int code;

    make_options(&options);
    options.max_bytes = max_bytes;
    notes->text[0] = '\0';
    assert_code(kin_list_decoder_new(&decoder, &options, on_item, notes, NULL, NULL), 0);
    assert_code(kin_list_decoder_on_bad(decoder, on_bad, NULL), 0);
    code = cut < len ? kin_list_decoder_feed(decoder, kin_str_make(text, cut), err) : 0;
    for (size_t i = cut < len ? cut : 0; i < len && code == 0; i += step)
        code = kin_list_decoder_feed(decoder,
                                     kin_str_make(text + i, step < len - i ? step : len - i), err);
    if (code == 0)
        code = kin_list_decoder_finish(decoder, NULL, err);
    kin_list_decoder_free(decoder);
    return code;
}

static int feed_list(struct notes *notes, const char *text, size_t cut, kin_error *err)
{
    return feed_list_with(notes, text, cut, 64, err);
}

static void bad_items_are_skipped_wherever_they_are_cut(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{\"items\":[{\"metadata\":{\"name\":\"a\"}},{\"a\":tru},{\"metadata\":{\"name\":\"b\"}}]}",
         "item:a bad:-4@41 item:b"},
        {"{\"items\":[{\"a\":01}]}", "bad:-4@16"},
        {"{\"items\":[{]},{\"metadata\":{\"name\":\"b\"}}]}", NULL},
        /* Not JSON at all. */
        {"{\"items\":[{\"a\":\"\x01\"},{\"metadata\":{\"name\":\"b\"}}]}", ""},
        {"{\"items\":[{\"a\":\"\xff\"},{\"a\":\"\\ud800\"},{\"metadata\":{\"name\":\"b\"}}]}",
         NULL},
        /* Too long, and too deep. */
        {"{\"items\":[{\"a\":\"0123456789012345678901234567890123456789012345678901234567890123456789"
         "\"},{\"metadata\":{\"name\":\"b\"}}],\"kind\":\"PodList\"}",
         NULL},
        {"{\"items\":[{\"a\":[[[[[[[[[[[[[[]]]]]]]]]]]]]]},{\"metadata\":{\"name\":\"b\"}}]}",
         NULL},
        /* Brackets in its strings. */
        {"{\"items\":[{\"a\":\"}]\\\"}\",\"b\":x},{\"metadata\":{\"name\":\"b\"}}]}", NULL},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct notes whole = {.code = 0};
        kin_error first = KIN_ERROR_INIT;
        size_t len = strlen(cases[i].text);
        int code = feed_list(&whole, cases[i].text, 0, &first);

        if (cases[i].expected)
            assert_string_equal(whole.text, cases[i].expected);
        assert_code(code, i == 2 || i == 3 ? KIN_EPARSE : 0);
        if (i > 3)
            assert_non_null(strstr(whole.text, "item:b"));
        for (size_t cut = 1; cut <= len; cut++) {
            struct notes notes = {.code = 0};
            kin_error err = KIN_ERROR_INIT;

            assert_code(feed_list(&notes, cases[i].text, cut, &err), code);
            assert_string_equal(notes.text, whole.text);
            if (code < 0)
                assert_string_equal(err.message, first.message);
        }
    }
}

/* What cannot be read may end the decoding all the same. */
static void the_function_may_say_that_it_is_enough(void **state)
{
    struct notes notes = {.code = KIN_ECANCELED};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(feed_list(&notes, "{\"items\":[{\"a\":tru},{}]}", 0, &err), KIN_ECANCELED);
    assert_string_equal(err.message, "enough");
    assert_string_equal(notes.text, "bad:-4@15");
}

/* Nothing behind it can be found: the list is not complete. */
static void an_item_without_an_end_ends_the_list(void **state)
{
    struct notes notes = {.code = 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(feed_list(&notes, "{\"items\":[{\"a\":tru,\"b\":{},{}]}", 0, &err), KIN_EPARSE);
    assert_code(feed_list(&notes, "{\"items\":[{\"a\":tru", 0, &err), KIN_EPARSE);
    assert_string_equal(notes.text, "");
}

static void the_function_may_free_the_decoder(void **state)
{
    kin_list_decoder *decoder = NULL;
    struct notes notes = {.code = 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_list_decoder_new(&decoder, NULL, on_item, &notes, NULL, NULL), 0);
    assert_code(kin_list_decoder_on_bad(decoder, on_bad, NULL), 0);
    notes.to_free = decoder;
    assert_code(kin_list_decoder_feed(decoder, kin_str_of("{\"items\":[{\"a\":tru},{}"), &err),
                KIN_ECLOSED);
    assert_code(kin_list_decoder_on_bad(NULL, on_bad, &err), KIN_EINVAL);
    assert_code(kin_watch_decoder_on_bad(NULL, on_bad, &err), KIN_EINVAL);
}

static int feed_watch(struct notes *notes, const char *text, size_t cut, kin_error *err)
{
    kin_decode_options options;
    kin_watch_decoder *decoder = NULL;
    size_t len = strlen(text);
    int code;

    make_options(&options);
    notes->text[0] = '\0';
    assert_code(kin_watch_decoder_new(&decoder, &options, on_event, notes, NULL, NULL), 0);
    assert_code(kin_watch_decoder_on_bad(decoder, on_bad, NULL), 0);
    code = kin_watch_decoder_feed(decoder, kin_str_make(text, cut), err);
    for (size_t i = cut; i < len && code == 0; i += cut ? cut : len)
        code = kin_watch_decoder_feed(
            decoder, kin_str_make(text + i, cut && cut < len - i ? cut : len - i), err);
    if (code == 0)
        code = kin_watch_decoder_finish(decoder, err);
    kin_watch_decoder_free(decoder);
    return code;
}

static void bad_events_are_skipped_wherever_they_are_cut(void **state)
{
    static const char text[] =
        "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"name\":\"a\"}}}\n"
        "{\"type\":\"MODIFIED\",\"object\":{\"metadata\":{\"name\":b}}}\n"
        "{\"object\":{\"a\":[1,]},\"type\":\"DELETED\"}\n"
        "{\"type\":\"ADDED\",\"object\":{\"a\":\"012345678901234567890123456789012345678901234567890"
        "12345678901234567890\"}}\n"
        "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"name\":\"c\"}}}\n";
    struct notes whole = {.code = 0};

    (void)state;
    assert_code(feed_watch(&whole, text, 0, NULL), 0);
    assert_non_null(strstr(whole.text, "ADDED:a MODIFIED:-4@"));
    assert_non_null(strstr(whole.text, " DELETED:-4@"));
    assert_non_null(strstr(whole.text, " ADDED:-3@"));
    assert_non_null(strstr(whole.text, " DELETED:c"));
    for (size_t cut = 1; cut < sizeof(text); cut++) {
        struct notes notes = {.code = 0};

        assert_code(feed_watch(&notes, text, cut, NULL), 0);
        assert_string_equal(notes.text, whole.text);
    }
}

/* --- whose they are --- */

static const struct {
    const char *text; /* of an item; '@' is where it goes wrong */
    const char *key;  /* "": it is not known */
} keys[] = {
    {"{\"metadata\":{\"name\":\"a\",\"namespace\":\"x\"},@}", "x/a"},
    {"{\"metadata\":{\"name\":\"a\"},@}", "a"},
    {"{ \"n\" : 1.5 , \"s\":\"\\\"}\", \"l\":[{}],\"metadata\" : {\"name\":\"a\"} , @}", "a"},
    {"{\"metadata\":{\"name\":\"\\u0061b\",\"l\":{\"}\":1}},@}", "ab"},
    /* What is not before it does not count, nor what is elsewhere. */
    {"{@,\"metadata\":{\"name\":\"a\"}}", ""},
    {"{\"n\":1@,\"metadata\":{\"name\":\"a\"}}", ""},
    {"{\"metadata\":{\"name\":\"a\"@}}", ""},
    {"{\"spec\":{\"metadata\":{\"name\":\"a\"}},@}", ""},
    {"{\"spec\":{\"metadata\":{\"name\":\"a\"},@}}", ""},
    {"{\"l\":[{\"metadata\":{\"name\":\"a\"}},@]}", ""},
    {"{\"metadata\":[\"name\",\"a\"],@}", ""},
    {"{\"metadata\":{\"name\":1},@}", ""},
    {"{\"metadata\":{\"name\":\"\"},@}", ""},
    {"{\"metadata\":{},@}", ""},
    {"{\"metadata\":null,@}", ""},
};

/* Wherever it is cut, the key is the same. */
static void the_key_of_what_cannot_be_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char text[512];
        char expected[64];
        size_t at = strcspn(keys[i].text, "@");
        int offset = (int)strlen("{\"items\":[") + (int)at;

        snprintf(text, sizeof(text), "{\"items\":[%s,{\"metadata\":{\"name\":\"z\"}}]}",
                 keys[i].text);
        *strchr(text, '@') = 'x'; /* which might be the beginning of a word */
        snprintf(expected, sizeof(expected), "bad:%d@%d%s%s item:z", KIN_EPARSE, offset,
                 keys[i].key[0] ? "=" : "", keys[i].key);
        for (size_t cut = 0; cut <= strlen(text); cut++) {
            struct notes notes = {.code = 0};
            kin_error err = KIN_ERROR_INIT;

            assert_code(feed_list_with(&notes, text, cut, 256, &err), 0);
            assert_string_equal(notes.text, expected);
        }
    }
}

/* One that is too long, or too deep, has its metadata before that, mostly. */
static void the_key_of_what_is_too_much(void **state)
{
    char text[1024];

    (void)state;
    for (size_t cut = 0; cut <= 330; cut++) {
        struct notes notes = {.code = 0};
        kin_error err = KIN_ERROR_INIT;

        snprintf(text, sizeof(text),
                 "{\"items\":[{\"metadata\":{\"name\":\"a\"},\"s\":\"%0300d\"}]}", 0);
        assert_code(feed_list_with(&notes, text, cut, 256, &err), 0);
        assert_non_null(strstr(notes.text, "=a"));
        snprintf(text, sizeof(text),
                 "{\"items\":[{\"metadata\":{\"name\":\"a\"},"
                 "\"d\":[[[[[[[[[[[[[[]]]]]]]]]]]]]]}]}");
        assert_code(feed_list_with(&notes, text, cut, 256, &err), 0);
        assert_non_null(strstr(notes.text, "=a"));
        snprintf(text, sizeof(text), "{\"items\":[{\"metadata\":{\"name\":\"%0330d\"},x}]}", 0);
        assert_code(feed_list_with(&notes, text, cut, 2048, &err), 0);
        assert_null(strchr(notes.text, '='));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_items_are_skipped_wherever_they_are_cut),
        cmocka_unit_test(the_function_may_say_that_it_is_enough),
        cmocka_unit_test(an_item_without_an_end_ends_the_list),
        cmocka_unit_test(the_function_may_free_the_decoder),
        cmocka_unit_test(bad_events_are_skipped_wherever_they_are_cut),
        cmocka_unit_test(the_key_of_what_cannot_be_read),
        cmocka_unit_test(the_key_of_what_is_too_much),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
