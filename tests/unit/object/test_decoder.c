/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decoder: its options and limits, keys that come twice, large documents, and too little memory.
 */
#include "decode_support.h"

#include "alloc.h"
#include "base/compiler.h"
#include "object/json.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

/* --- options and limits --- */

static void options_are_checked(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.size = 0;
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    options.size = sizeof(options);
    options.max_bytes = (size_t)KIN_DECODE_MAX_BYTES_LIMIT + 1;
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_code(kin_object_from_json(&object, kin_str_of("{}"), &options, &err), KIN_EINVAL);
    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    options.max_depth = KIN_DEPTH_MAX + 1;
    assert_code(kin_decoder_new(&decoder, &options, NULL), KIN_EINVAL);
    assert_null(decoder);
    options.max_depth = KIN_DEPTH_MAX;
    options.api_version = "v1\xff";
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_string_equal(err.message, "api_version is not UTF-8");
    options.api_version = "v1";
    options.kind = "\xed\xa0\x80";
    assert_code(kin_decoder_new(&decoder, &options, &err), KIN_EINVAL);
    assert_string_equal(err.message, "kind is not UTF-8");
    assert_null(decoder);
    options.kind = "Caf\xc3\xa9";
    assert_code(kin_decoder_new(&decoder, &options, &err), 0);
    assert_int_equal(kin__decoder_max_bytes(decoder), KIN_DECODE_MAX_BYTES_LIMIT);
    kin_decoder_free(decoder);
    kin_decoder_free(NULL);
}

/* The code of decoding with options, its offset in *ret_offset. */
static int try_decode(const kin_decode_options *options, kin_str text, uint64_t *ret_offset)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin_object_from_json(&object, text, options, &err);

    *ret_offset = err.offset;
    if (code != 0)
        assert_int_equal(err.code, code);
    kin_object_unref(object);
    return code;
}

static void max_bytes_bounds_the_object_not_the_space_behind_it(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    uint64_t offset;

    (void)state;
    options.max_bytes = 10;
    assert_code(try_decode(&options, kin_str_of("{\"a\":1234}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":1234}   "), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":12345}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 10);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\xc3\xa9\xc3\xa9\xc3\xa9\"}"), &offset),
                KIN_ELIMIT);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\"}"), &offset), KIN_ELIMIT);
    assert_code(try_decode(&options, kin_str_of("            {}"), &offset), KIN_ELIMIT);
    /* What is wrong before the limit is wrong; what is cut is too long. */
    assert_code(try_decode(&options, kin_str_of("{\"a\" 1, \"b\":1}"), &offset), KIN_EPARSE);
    assert_int_equal(offset, 5);
}

static void strings_and_keys_are_bounded(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder;
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    uint64_t offset;

    (void)state;
    options.max_string_bytes = 4;
    assert_code(try_decode(&options, kin_str_of("{\"abcd\":\"efgh\"}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"abcd\":\"efghi\"}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 8);
    assert_code(try_decode(&options, kin_str_of("{\"abcde\":1}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 1);
    /* What counts is what the escapes stand for. */
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\\u0041\\u0041\\n\"}"), &offset),
                0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":\"\\u0041\\ud83d\\ude00\"}"), &offset),
                KIN_ELIMIT);
    /* The text of a number counts as it is written, unless it is a short integer. */
    assert_code(try_decode(&options, kin_str_of("{\"a\":1.25}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":1.250}"), &offset), KIN_ELIMIT);
    assert_int_equal(offset, 5);
    assert_code(try_decode(&options, kin_str_of("{\"a\":-1e9}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":-1e10}"), &offset), KIN_ELIMIT);
    assert_code(try_decode(&options, kin_str_of("{\"a\":-123456789012345678}"), &offset), 0);
    assert_code(try_decode(&options, kin_str_of("{\"a\":1234567890123456789}"), &offset),
                KIN_ELIMIT);
    /* Also a key that the decoder has come to expect. */
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    for (unsigned i = 0; i < 5; i++)
        assert_code(kin_decoder_decode(decoder, &object, kin_str_of("{\"metadata\":{}}"), &err),
                    KIN_ELIMIT);
    kin_decoder_free(decoder);
}

/* {"a":[[[…]]]}, of this depth altogether. */
static ref_text nested(unsigned depth, const char *open, const char *innermost, const char *close)
{
    ref_text text = {NULL, 0, 0};

    ref_append_str(&text, "{\"a\":");
    for (unsigned i = 1; i < depth; i++)
        ref_append_str(&text, open);
    ref_append_str(&text, innermost);
    for (unsigned i = 1; i < depth; i++)
        ref_append_str(&text, close);
    ref_append_str(&text, "}");
    return text;
}

static void assert_depth(kin_decoder *decoder, unsigned depth, unsigned limit, const char *open,
                         const char *close)
{
    ref_text text = nested(depth, open, "1", close);
    const kin_object *first = NULL;
    kin_error err = KIN_ERROR_INIT;

    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *object = NULL;

        assert_code(kin_decoder_decode(decoder, &object, bytes(text.data, text.len), &err),
                    depth > limit ? KIN_ELIMIT : 0);
        if (depth > limit) {
            assert_int_equal(err.offset, 5 + strlen(open) * (limit - 1));
            continue;
        }
        char *encoded;

        assert_code(kin_object_to_json(&encoded, NULL, object, KIN_JSON_COMPACT, NULL), 0);
        assert_string_equal(encoded, text.data);
        kin_free(encoded);
        assert_true(!first || kin_object_equal(first, object));
        assert_true(!first || kin_object_hash(first) == kin_object_hash(object));
        if (!first)
            first = object;
        else
            kin_object_unref(object);
    }
    kin_object_unref(first);
    free(text.data);
}

static void nesting_is_bounded(void **state)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    assert_depth(decoder, KIN_DEPTH_MAX, KIN_DEPTH_MAX, "[", "]");
    assert_depth(decoder, KIN_DEPTH_MAX, KIN_DEPTH_MAX, "{\"b\":", "}");
    assert_depth(decoder, KIN_DEPTH_MAX + 1, KIN_DEPTH_MAX, "[", "]");
    assert_depth(decoder, KIN_DEPTH_MAX + 1, KIN_DEPTH_MAX, "{\"b\":", "}");
    assert_depth(decoder, 100000, KIN_DEPTH_MAX, "[", "]");
    kin_decoder_free(decoder);

    options.max_depth = 3;
    decoder = new_decoder(&options);
    assert_depth(decoder, 3, 3, "[", "]");
    assert_depth(decoder, 4, 3, "[", "]");
    kin_decoder_free(decoder);
    options.max_depth = 1;
    decoder = new_decoder(&options);
    assert_depth(decoder, 1, 1, "[", "]");
    assert_depth(decoder, 2, 1, "[", "]");
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* A subtree that is known from elsewhere counts in full where it stands. */
static void what_is_shared_has_its_depth(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);
    ref_text inner = nested(300, "[", "\"a string of some length, to be shared\"", "]");
    ref_text outer = {NULL, 0, 0};
    const kin_object *object = NULL;
    const kin_object *deepest;
    random_keeper keeper = {{NULL}, 0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++)
        random_keep(&keeper, decode(decoder, bytes(inner.data, inner.len)));
    /* 212 levels around 300 are 512. */
    for (unsigned levels = 212; levels <= 213; levels++) {
        outer.len = 0;
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&outer, "{\"spec\":");
        ref_append(&outer, inner.data, inner.len);
        for (unsigned i = 0; i < levels; i++)
            ref_append_str(&outer, "}");
        for (unsigned i = 0; i < 5; i++) {
            int code = kin_decoder_decode(decoder, &object, bytes(outer.data, outer.len), &err);

            assert_code(code, levels == 212 ? 0 : KIN_ELIMIT);
            if (code == 0) {
                deepest = decode(NULL, bytes(outer.data, outer.len));
                assert_true(kin_object_equal(object, deepest));
                kin_object_unref(deepest);
                kin_object_unref(object);
            }
        }
    }
    free(outer.data);
    free(inner.data);
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

static void type_defaults_are_put_in_front_where_there_are_none(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\"}"},
        {"{\"a\":1}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"a\":1}"},
        {"{\"kind\":\"Pod\"}", "{\"apiVersion\":\"apps/v1\",\"kind\":\"Pod\"}"},
        {"{\"a\":{\"kind\":1},\"apiVersion\":\"v1\"}",
         "{\"kind\":\"Deployment\",\"a\":{\"kind\":1},\"apiVersion\":\"v1\"}"},
        {"{\"kind\":null,\"apiVersion\":\"\"}", "{\"kind\":null,\"apiVersion\":\"\"}"},
        {"{\"a\":{},\"b\":[]}",
         "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"a\":{},\"b\":[]}"},
        {"{\"spec\":{\"kind\":{\"x\":[1]}}}",
         "{\"apiVersion\":\"apps/v1\",\"kind\":\"Deployment\",\"spec\":{\"kind\":{\"x\":[1]}}}"},
    };
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    char kind[] = "Deployment";
    kin_decoder *decoder;

    (void)state;
    options.api_version = "apps/v1";
    options.kind = kind;
    decoder = new_decoder(&options);
    memset(kind, 'x', sizeof(kind) - 1); /* COPIED */
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = decode(decoder, kin_str_of(cases[i].text));

            assert_encodes_as(object, cases[i].expected);
            kin_object_unref(object);
        }
    }
    kin_decoder_free(decoder);
    options.api_version = "";
    options.kind = NULL;
    decoder = new_decoder(&options);
    const kin_object *object = decode(decoder, kin_str_of("{\"a\":1}"));
    assert_encodes_as(object, "{\"a\":1}");
    kin_object_unref(object);
    kin_decoder_free(decoder);
}

/* --- duplicates --- */

static void of_a_key_that_comes_twice_the_last_counts(void **state)
{
    static const struct {
        const char *text;
        const char *expected;
    } cases[] = {
        {"{\"a\":1,\"a\":2}", "{\"a\":2}"},
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}"},
        {"{\"a\":{\"x\":1},\"a\":{\"y\":2}}", "{\"a\":{\"y\":2}}"},
        {"{\"a\":[1,2],\"a\":null}", "{\"a\":null}"},
        {"{\"\":1,\"\":2}", "{\"\":2}"},
        {"{\"a\":1,\"\\u0061\":2}", "{\"a\":2}"},
        {"{\"metadata\":1,\"metadata\":{},\"metadata\":[{\"a\":1,\"a\":2}]}",
         "{\"metadata\":[{\"a\":2}]}"},
        {"{\"a\":{\"b\":1,\"b\":2,\"c\":{\"d\":1,\"d\":{}}}}",
         "{\"a\":{\"b\":2,\"c\":{\"d\":{}}}}"},
        /* Learnt in the middle of the map: spelled out at first, a number behind. */
        {"{\"neverSeen\":1,\"neverSeen\":2,\"neverSeen\":3,\"neverSeen\":4,\"neverSeen\":5}",
         "{\"neverSeen\":5}"},
    };
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(cases); i++) {
            const kin_object *object = decode(decoder, kin_str_of(cases[i].text));

            assert_encodes_as(object, cases[i].expected);
            kin_object_unref(object);
        }
    }
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* A map of 100,000 members, then the same again; quadratic time would not end. */
static void a_large_map_with_duplicates_takes_linear_time(void **state)
{
    enum { MEMBERS = 100000 };
    ref_text text = {NULL, 0, 0};
    kin_iter it;
    size_t i = 0;

    (void)state;
    ref_append_char(&text, '{');
    for (unsigned n = 0; n < 2 * MEMBERS; n++) {
        char member[48];

        snprintf(member, sizeof(member), "%s\"key-%u\":%u", n ? "," : "", n % MEMBERS, n);
        ref_append_str(&text, member);
    }
    ref_append_char(&text, '}');

    kin_decoder *decoder = new_decoder(NULL);

    for (unsigned round = 0; round < 3; round++) {
        const kin_object *object = decode(decoder, bytes(text.data, text.len));

        assert_int_equal(kin_value_len(kin_object_root(object)), MEMBERS);
        i = 0;
        for (kin_iter_init(&it, kin_object_root(object)); kin_iter_next(&it); i++) {
            char key[32];
            int64_t value = 0;

            snprintf(key, sizeof(key), "key-%zu", i);
            assert_true(kin_str_equal(it.key, kin_str_of(key)));
            assert_code(kin_value_int64(&value, it.value), 0);
            assert_int_equal(value, MEMBERS + i);
        }
        kin_object_unref(object);
    }
    kin_decoder_free(decoder);
    free(text.data);
    assert_pool_is_empty();
}

/*
 * What is looked through only to find where a map or array ends, beside the reading itself. The
 * linker puts count_skipped() in the place of the function that does it.
 */
const char *count_skipped(const char *p,
                          const char *end) __asm__("__wrap_kin__json_skip_container");
const char *skip_container(const char *p,
                           const char *end) __asm__("__real_kin__json_skip_container");

static size_t skipped_bytes;
static size_t skipped_most; /* in one call */

const char *count_skipped(const char *p, const char *end)
{
    const char *container_end = skip_container(p, end);
    size_t bytes_read = (size_t)((container_end ? container_end : end) - p);

    skipped_bytes += bytes_read;
    if (bytes_read > skipped_most)
        skipped_most = bytes_read;
    return container_end;
}

/* Of a large content inside so many arrays, read by a decoder that knows some texts already. */
static void skip_nested(unsigned levels, size_t *ret_len)
{
    ref_text text = {NULL, 0, 0};
    kin_decoder *decoder = new_decoder(NULL);
    random_keeper keeper = {{NULL}, 0};

    ref_append_str(&text, "{\"a\":");
    for (unsigned i = 0; i < levels; i++)
        ref_append_char(&text, '[');
    for (unsigned i = 0; i < 20000; i++)
        ref_append_str(&text, i ? ",\"some text, and some more\"" : "0");
    for (unsigned i = 0; i < levels; i++)
        ref_append_char(&text, ']');
    ref_append_char(&text, '}');
    /* So that there is something known to be looked for. */
    for (unsigned i = 0; i < ROUNDS; i++)
        random_keep(&keeper,
                    decode(decoder, kin_str_of("{\"b\":[\"a text that is long enough to be known "
                                               "when it comes again\",1,2,3,4]}")));
    skipped_bytes = 0;
    skipped_most = 0;
    kin_object_unref(decode(decoder, bytes(text.data, text.len)));
    *ret_len = text.len;
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    free(text.data);
}

/*
 * Nothing may look through the content once for each level around it. Of a level whose end is far
 * only so much is looked at as could be known.
 */
static void nesting_does_not_multiply_the_work(void **state)
{
    enum { LEVELS = 500, KNOWN_MAX = 65536 };
    size_t len = 0;

    (void)state;
    skip_nested(1, &len);
    assert_in_range(skipped_bytes, 1, KNOWN_MAX); /* that it is counted at all */
    assert_true(len > 8 * KNOWN_MAX);
    skip_nested(LEVELS, &len);
    assert_in_range(skipped_most, KNOWN_MAX, KNOWN_MAX);
    assert_in_range(skipped_bytes, LEVELS, (size_t)LEVELS * KNOWN_MAX);
    assert_pool_is_empty();
}

static void a_config_map_of_a_megabyte_is_read(void **state)
{
    ref_text text = {NULL, 0, 0};
    size_t content = 1024 * 1024;
    kin_decoder *decoder = new_decoder(NULL);

    (void)state;
    ref_append_str(&text, "{\"metadata\":{\"name\":\"big\"},\"data\":{\"plain\":\"");
    for (size_t i = 0; i < content / 2; i++)
        ref_append_char(&text, (char)('a' + i % 23));
    ref_append_str(&text, "\",\"lines\":\"");
    for (size_t i = 0; i < content / 4; i++)
        ref_append_str(&text, i % 50 ? "\xc3\xa9" : "\\n");
    ref_append_str(&text, "\"}}");

    ref_value *expected = ref_parse(text.data, text.len);

    for (unsigned i = 0; i < 4; i++) {
        const kin_object *object = decode(decoder, bytes(text.data, text.len));
        const char *problem = ref_check_object(expected, object);

        if (problem)
            fail_msg("%.100s", problem);
        kin_object_unref(object);
    }
    ref_free(expected);
    kin_decoder_free(decoder);
    free(text.data);
    assert_pool_is_empty();
}

/* Every length around those at which the form changes, long and short. */
static void strings_of_every_length_are_kept(void **state)
{
    kin_decoder *decoder = new_decoder(NULL);
    random_keeper keeper = {{NULL}, 0};

    (void)state;
    for (size_t len = 0; len < 70000; len += len < 300 ? 1 : len / 3) {
        ref_text text = {NULL, 0, 0};

        ref_append_str(&text, "{\"a\":\"");
        for (size_t i = 0; i < len; i++)
            ref_append_char(&text, (char)('a' + (i + len) % 26));
        ref_append_str(&text, "\",\"b\":[\"x\",\"");
        for (size_t i = 0; i < len; i++)
            ref_append_char(&text, (char)('a' + (i + len) % 26));
        ref_append_str(&text, "\"]}");
        for (unsigned round = 0; round < ROUNDS; round++) {
            const kin_object *object = decode(decoder, bytes(text.data, text.len));

            assert_encodes_as(object, text.data);
            random_keep(&keeper, object);
        }
        free(text.data);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
    assert_pool_is_empty();
}

/* --- without memory --- */

struct reading {
    const char *text;
    const kin_decode_options *options;
    unsigned times;
};

/* Reads a text several times with one decoder; what was read is kept until the end. */
static int read_often(void *arg, kin_error *err)
{
    const struct reading *reading = arg;
    const kin_object *objects[ROUNDS] = {NULL};
    kin_decoder *decoder;
    int code = kin_decoder_new(&decoder, reading->options, err);

    if (code < 0)
        return code;
    for (unsigned i = 0; code == 0 && i < reading->times; i++)
        code = kin_decoder_decode(decoder, &objects[i], kin_str_of(reading->text), err);
    kin_decoder_free(decoder);
    for (unsigned i = reading->times; i-- > 0;) {
        if (objects[i])
            assert_true(kin_object_equal(objects[0], objects[i]));
        kin_object_unref(objects[i]);
    }
    assert_pool_is_empty();
    return code;
}

static void without_memory_decoding_fails_and_leaves_nothing(void **state)
{
    static const char text[] =
        "{\"metadata\":{\"name\":\"n\",\"namespace\":\"team-a\",\"labels\":{\"app\":\"web\","
        "\"id\":\"0a0a0a0a-1111-2222-3333-444444444444\"}},"
        "\"spec\":{\"list\":[{\"a\":\"some text of some length\",\"b\":[1,2,3,4,5,6]},"
        "{\"a\":\"some text of some length\",\"b\":[1,2,3,4,5,6]},"
        "{\"\\u0061\":\"escaped \\n text\",\"b\":[1,2,3,4,5,6],\"b\":{\"c\":{}}}],"
        "\"selector\":{\"matchLabels\":{\"app\":\"web\","
        "\"id\":\"0a0a0a0a-1111-2222-3333-444444444444\"}}}}";
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    struct reading once = {text, NULL, 1};
    struct reading often = {text, NULL, ROUNDS};
    /* Without a name it is another object each time. */
    struct reading shared = {strchr(text, ',') + 1, NULL, ROUNDS};
    struct reading with_options = {text, &options, 3};
    char nameless[sizeof(text)];

    (void)state;
    snprintf(nameless, sizeof(nameless), "{\"metadata\":{%s", shared.text);
    shared.text = nameless;
    kin_test_fail_each_allocation(read_often, &once);
    kin_test_fail_each_allocation(read_often, &often);
    kin_test_fail_each_allocation(read_often, &shared);
    options.api_version = "v1";
    options.kind = "Pod";
    kin_test_fail_each_allocation(read_often, &with_options);
}

static int read_many_values(void *arg, kin_error *err)
{
    const ref_text *text = arg;
    const kin_object *object = NULL;
    int code = kin_object_from_json(&object, bytes(text->data, text->len), NULL, err);

    kin_object_unref(object);
    assert_pool_is_empty();
    return code;
}

/* Nodes, the arena and the table of keys grow while it is read. */
static void without_memory_a_growing_document_fails(void **state)
{
    ref_text text = {NULL, 0, 0};

    (void)state;
    ref_append_str(&text, "{\"\\u0061\":[");
    for (unsigned i = 0; i < 3000; i++)
        ref_append_str(&text, i ? ",\"\\u0062 escaped, and long enough\"" : "1");
    ref_append_str(&text, "],\"b\":{");
    for (unsigned i = 0; i < 1000; i++) {
        char member[32];

        snprintf(member, sizeof(member), "%s\"m%u\":null", i ? "," : "", i % 700);
        ref_append_str(&text, member);
    }
    ref_append_str(&text, "}}");
    kin_test_fail_each_allocation(read_many_values, &text);
    free(text.data);
}

static int read_value_text(void *arg, kin_error *err)
{
    const kin_object *holder = NULL;
    kin_value value;
    int code = kin__json_read_value(&holder, &value, kin_str_of(arg), err);

    kin_object_unref(holder);
    return code;
}

static void without_memory_a_value_fails(void **state)
{
    char text[] = "[{\"a\":\"\\u0061\"},2]";

    (void)state;
    kin_test_fail_each_allocation(read_value_text, text);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_are_checked),
        cmocka_unit_test(max_bytes_bounds_the_object_not_the_space_behind_it),
        cmocka_unit_test(strings_and_keys_are_bounded),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(what_is_shared_has_its_depth),
        cmocka_unit_test(type_defaults_are_put_in_front_where_there_are_none),
        cmocka_unit_test(of_a_key_that_comes_twice_the_last_counts),
        cmocka_unit_test(a_large_map_with_duplicates_takes_linear_time),
        cmocka_unit_test(nesting_does_not_multiply_the_work),
        cmocka_unit_test(a_config_map_of_a_megabyte_is_read),
        cmocka_unit_test(strings_of_every_length_are_kept),
        cmocka_unit_test(without_memory_decoding_fails_and_leaves_nothing),
        cmocka_unit_test(without_memory_a_growing_document_fails),
        cmocka_unit_test(without_memory_a_value_fails),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
