/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The streaming decoders: what lists and watches say, wherever they are cut, and what is refused at
 * which byte; real and random objects against the decoder of whole texts.
 */
#include "stream_support.h"

#include "alloc.h"
#include "object/json.h"

/* --- texts --- */

static void items_come_out_of_lists_wherever_they_are_cut(void **state)
{
    static const struct sample samples[] = {
        {"{}", "{}", 0},
        {" \t\r\n{ } \n", "{}", 0},
        {"{\"items\":[]}", "{}", 0},
        {"{\"items\":null}", "{}", 0},
        {"{\"items\" : [ ] }", "{}", 0},
        {"{\"items\":[{}]}", "{}\n{}", 0},
        {"{\"items\":[{},{}]}", "{}\n{}\n{}", 0},
        {"{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
         "\"items\":[{\"a\":1},{\"b\":[{}]}]}",
         "{\"a\":1}\n{\"b\":[{}]}\n"
         "{\"kind\":\"PodList\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"7\"}}",
         0},
        {"{\"items\":[{\"a\":1}],\"metadata\":{\"continue\":\"x\"},\"kind\":\"L\"}",
         "{\"a\":1}\n{\"metadata\":{\"continue\":\"x\"},\"kind\":\"L\"}", 0},
        {"{\"kind\":\"L\",\"items\":null,\"n\":null}", "{\"kind\":\"L\",\"n\":null}", 0},
        {" { \"n\" : 1.50 , \"items\" : [ { \"a\" : 1 } , { } ] , \"t\" : true } ",
         "{\"a\":1}\n{}\n{\"n\":1.50,\"t\":true}", 0},
        /* Brackets, quotes and commas in strings are text. */
        {"{\"x\":\"},{]\\\"\",\"items\":[{\"a\\\\\":\"}],\\\"\"}]}",
         "{\"a\\\\\":\"}],\\\"\"}\n{\"x\":\"},{]\\\"\"}", 0},
        /* The key can be spelled in other ways, and be found in other places. */
        {"{\"\\u0069t\\u0065ms\":[{\"a\":1}]}", "{\"a\":1}\n{}", 0},
        {"{\"\\u0069\":1,\"metadata\":{\"items\":[1]},\"item\":2,\"itemss\":3,\"Items\":[4]}",
         "{\"i\":1,\"metadata\":{\"items\":[1]},\"item\":2,\"itemss\":3,\"Items\":[4]}", 0},
        /* Of other members the last one counts. */
        {"{\"a\":1,\"b\":2,\"a\":3}", "{\"b\":2,\"a\":3}", 0},
        {"{\"items\":[{\"\xc3\xa4\":\"\xf0\x9f\x90\xb3 \\ud83d\\udc33\"}]}",
         "{\"\xc3\xa4\":\"\xf0\x9f\x90\xb3 \xf0\x9f\x90\xb3\"}\n{}", 0},
    };

    (void)state;
    check_samples(false, NULL, samples, kin__array_len(samples));
}

static void malformed_lists_are_refused_at_the_same_byte_wherever_they_are_cut(void **state)
{
#define ENDED(offset) "KIN_EPARSE: the text ended inside the list at byte " #offset
#define AT(offset, reason) "KIN_EPARSE: " reason " at byte " #offset
    static const struct sample samples[] = {
        {"", ENDED(0), 0},
        {" \n", ENDED(2), 0},
        {"{", ENDED(1), 0},
        {"{\"", ENDED(2), 0},
        {"{\"a", ENDED(3), 0},
        {"{\"items\"", ENDED(8), 0},
        {"{\"items\":", ENDED(9), 0},
        {"{\"items\":nul", ENDED(12), 0},
        {"{\"items\":[", ENDED(10), 0},
        {"{\"items\":[{", ENDED(11), 0},
        {"{\"items\":[{\"a\":[1,", ENDED(18), 0},
        {"{\"items\":[{\"a\":\"\\u00", ENDED(20), 0},
        {"{\"items\":[{\"a\":\"\xc3", ENDED(17), 0},
        {"{\"items\":[{}", "{}\n" ENDED(12), 0},
        {"{\"items\":[{}]", "{}\n" ENDED(13), 0},
        {"{\"a\":tru", ENDED(8), 0},
        {"{\"a\":1", ENDED(6), 0},
        {"[]", AT(0, "expected '{'"), 0},
        {"null", AT(0, "expected '{'"), 0},
        {"\xef\xbb\xbf{}", AT(0, "expected '{'"), 0},
        {"{} {}", AT(3, "text behind the list"), 0},
        {"{\"items\":[]}]", AT(12, "text behind the list"), 0},
        {"{}\0", AT(2, "text behind the list"), 3},
        /* Around the members. */
        {"{,", AT(1, "expected a key"), 0},
        {"{\"a\":1,}", AT(7, "expected a key"), 0},
        {"{1:2}", AT(1, "expected a key"), 0},
        {"{\"items\" []}", AT(9, "expected ':'"), 0},
        {"{\"items\":[] \"a\":1}", AT(12, "expected ',' or '}'"), 0},
        {"{\"items\":[]]", AT(11, "expected ',' or '}'"), 0},
        {"{\"items\":nullx}", AT(13, "expected ',' or '}'"), 0},
        {"{\"items\":nil}", AT(9, "not a value"), 0},
        {"{\"items\":NULL}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":{}}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":1}", AT(9, "expected an array of objects"), 0},
        {"{\"items\":[{\"a\":1}],\"items\":[]}", "{\"a\":1}\n" AT(19, "\"items\" twice"), 0},
        {"{\"items\":null,\"\\u0069tems\":[]}", AT(14, "\"items\" twice"), 0},
        /* Around the items. */
        {"{\"items\":[1]}", AT(10, "expected an object"), 0},
        {"{\"items\":[null]}", AT(10, "expected an object"), 0},
        {"{\"items\":[[]]}", AT(10, "expected an object"), 0},
        {"{\"items\":[,{}]}", AT(10, "expected an object"), 0},
        {"{\"items\":[}", AT(10, "expected an object"), 0},
        {"{\"items\":[{},]}", "{}\n" AT(13, "expected an object"), 0},
        {"{\"items\":[{}{}]}", "{}\n" AT(12, "expected ',' or ']'"), 0},
        {"{\"items\":[{}}", "{}\n" AT(12, "expected ',' or ']'"), 0},
        /* In members. The text goes on, or not. */
        {"{\"a\"}", AT(4, "expected ':'"), 0},
        {"{\"a\",\"b\":1}", AT(4, "expected ':'"), 0},
        {"{\"a\":}", AT(5, "not a value"), 0},
        {"{\"a\":,\"b\":1}", AT(5, "not a value"), 0},
        {"{\"a\":1 2}", AT(7, "expected ',' or '}'"), 0},
        {"{\"a\":1]", AT(6, "expected ',' or '}'"), 0},
        {"{\"a\":[1}]", AT(7, "expected ',' or ']'"), 0},
        {"{\"a\":[1}", AT(7, "expected ',' or ']'"), 0},
        {"{\"a\":01,\"b\":{", AT(6, "not a number"), 0},
        {"{\"a\":1.,\"b\":{", AT(7, "not a number"), 0},
        {"{\"a\":\"\\x\"}", AT(6, "unknown escape"), 0},
        {"{\"a\":\"\\u1\"}", AT(6, "\\u without four hex digits"), 0},
        {"{\"a\":\"\\ud800\\n\"}", AT(6, "first half of a surrogate pair alone"), 0},
        {"{\"a\":\"\xff\"}", AT(6, "not UTF-8"), 0},
        {"{\"a\":\"\n\"}", AT(6, "control character in a string"), 0},
        {"{\"\\u00\":1}", AT(2, "\\u without four hex digits"), 0},
        {"{\"\\ud800\":1}", AT(2, "first half of a surrogate pair alone"), 0},
        {"{\"a\xc3\":1}", AT(3, "not UTF-8"), 0},
        {"{\"k\":1,\"items\":[{}],\"a\":+1}", "{}\n" AT(24, "not a value"), 0},
        /* In items. Brackets that do not match keep the scan from finding the end. */
        {"{\"items\":[{\"a\":}]}", AT(15, "not a value"), 0},
        {"{\"items\":[{\"a\":1]]}", AT(16, "expected ',' or '}'"), 0},
        {"{\"items\":[{\"a\":[}]}", AT(16, "not a value"), 0},
        {"{\"items\":[{\"a\":[},{},{}]}", AT(16, "not a value"), 0},
        {"{\"items\":[{\"a\":1}},{\"b\":2}]}", "{\"a\":1}\n" AT(17, "expected ',' or ']'"), 0},
        {"{\"items\":[{\"a\" \"b\"}]}", AT(15, "expected ':'"), 0},
        {"{\"items\":[{\"a\":\"\n\"},{}]}", AT(16, "control character in a string"), 0},
        {"{\"items\":[{\"a\":\"x},{}]}", ENDED(23), 0},
        {"{\"items\":[{\"a\":\x01\"x},{}]}", AT(15, "not a value"), 0},
        {"{\"items\":[{},{\"a\":\"\\u12\"}]}", "{}\n" AT(19, "\\u without four hex digits"), 0},
        {"{\"items\":[{\"a\":\"\\u12\"}", AT(16, "\\u without four hex digits"), 0},
        {"{\"items\":[{\"a\":\"\\ud800\\n\"}", AT(16, "first half of a surrogate pair alone"), 0},
        {"{\"items\":[{\"a\":\"\\ud800\\u0041\"}]}", AT(16, "first half of a surrogate pair alone"),
         0},
        {"{\"items\":[{\"a\":\"\\udc00\"}]}", AT(16, "second half of a surrogate pair alone"), 0},
        {"{\"items\":[{\"a\":\"\xf0\x9f\x90\"}", AT(16, "not UTF-8"), 0},
        {"{\"items\":[{\"a\":\"\xed\xa0\x80\"}]}", AT(16, "not UTF-8"), 0},
        {"{\"items\":[{\"a\":-}]}", AT(16, "not a number"), 0},
        {"{\"items\":[{\"a\":1e}]}", AT(17, "not a number"), 0},
        {"{\"items\":[{\"a\":nulL}]}", AT(15, "not a value"), 0},
    };
#undef ENDED

    (void)state;
    check_samples(false, NULL, samples, kin__array_len(samples));
}

static void events_come_out_of_watches_wherever_they_are_cut(void **state)
{
    static const struct sample samples[] = {
        {"", "end", 0},
        {" \n ", "end", 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":1}}\n", "ADDED {\"a\":1}\nend", 0},
        {"{\"type\":\"MODIFIED\",\"object\":{}}{\"type\":\"DELETED\",\"object\":{}}",
         "MODIFIED {}\nDELETED {}\nend", 0},
        {"{\"object\":{\"b\":\"}\"},\"type\":\"BOOKMARK\"}", "BOOKMARK {\"b\":\"}\"}\nend", 0},
        {" { \"type\" : \"ERROR\" , \"object\" : { } } \r\n\t", "ERROR {}\nend", 0},
        {"{\"x\":[{\"type\":1}],\"type\":\"ADDED\",\"y\":null,\"object\":{},\"z\":\"\\n\",\"z\":2}",
         "ADDED {}\nend", 0},
        {"{\"\\u0074ype\":\"\\u0041DDED\",\"\\u006fbject\":{}}", "ADDED {}\nend", 0},
    };

    (void)state;
    check_samples(true, NULL, samples, kin__array_len(samples));
}

static void malformed_watches_are_refused_at_the_same_byte_wherever_they_are_cut(void **state)
{
#define ENDED(offset) "KIN_EPARSE: the stream ended inside an event at byte " #offset
    static const struct sample samples[] = {
        {"{", ENDED(1), 0},
        {"{\"type\":\"ADD", ENDED(12), 0},
        {"{\"type\":\"ADDED\",", ENDED(16), 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":", ENDED(30), 0},
        {"{\"type\":\"ADDED\",\"object\":{}", ENDED(27), 0},
        {"{\"type\":\"ADDED\",\"object\":{}} {", "ADDED {}\n" ENDED(30), 0},
        {"{}", AT(1, "an event without a type"), 0},
        {"{\"type\":\"ADDED\"}", AT(15, "an event without an object"), 0},
        {"{\"object\":{}}", AT(12, "an event without a type"), 0},
        {"{\"type\":\"added\",\"object\":{}}", AT(1, "an event of unknown type \"added\""), 0},
        {"{\"type\":\"\",\"object\":{}}", AT(1, "an event of unknown type \"\""), 0},
        {"{\"type\":null,\"object\":{}}", AT(1, "a type that is no string"), 0},
        {"{\"type\":{\"a\":1},\"object\":{}}", AT(1, "a type that is no string"), 0},
        {"{\"type\":\"ADDED\",\"type\":\"ADDED\"}", AT(16, "\"type\" twice"), 0},
        {"{\"type\":\"ADDED\", \"type\" : \"ADDED\"}", AT(17, "\"type\" twice"), 0},
        {"{\"object\":{},\"object\":{}}", AT(13, "\"object\" twice"), 0},
        {"{\"object\":null}", AT(10, "expected an object"), 0},
        {"{\"object\":[]}", AT(10, "expected an object"), 0},
        {"{\"type\":\"ADDED\"]", AT(15, "expected ',' or '}'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}}x", "ADDED {}\n" AT(28, "expected '{'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}},{}", "ADDED {}\n" AT(28, "expected '{'"), 0},
        {"{\"type\":\"ADDED\",\"object\":{}]", AT(27, "expected ',' or '}'"), 0},
        {"{\"x\":01,\"type\":\"ADDED\",\"object\":{}}", AT(6, "not a number"), 0},
        {"{\"type\":\"ADDED\",\"object\":{\"a\":tru}}", AT(30, "not a value"), 0},
    };
#undef ENDED
#undef AT

    (void)state;
    check_samples(true, NULL, samples, kin__array_len(samples));
}

static void an_unknown_type_is_shown_cut_at_a_character(void **state)
{
    kin__buf text;
    struct reader r;

    (void)state;
    kin__buf_init(&text, 1000);
    kin__buf_appendf(&text, "{\"type\":\"x");
    for (int i = 0; i < 40; i++)
        kin__buf_appendf(&text, "\xc3\xa4");
    kin__buf_appendf(&text, "\",\"object\":{}}");
    reader_init(&r, true, NULL);

    const char *transcript = transcript_cut(&r, kin__buf_str(&text), NULL, 0);

    assert_non_null(strstr(transcript, "unknown type \"x\xc3\xa4"));
    assert_non_null(strstr(transcript, "\xc3\xa4\" at byte 1"));
    assert_int_equal(strlen(transcript), strlen("KIN_EPARSE: an event of unknown type \"") + 63 +
                                             strlen("\" at byte 1"));
    reader_done(&r);
    kin__buf_done(&text);
}

static void types_have_names(void **state)
{
    (void)state;
    assert_string_equal(kin_watch_type_name(KIN_WATCH_ADDED), "ADDED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_MODIFIED), "MODIFIED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_DELETED), "DELETED");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_BOOKMARK), "BOOKMARK");
    assert_string_equal(kin_watch_type_name(KIN_WATCH_ERROR), "ERROR");
    assert_string_equal(kin_watch_type_name((enum kin_watch_type)0), "?");
    assert_string_equal(kin_watch_type_name((enum kin_watch_type)6), "?");
}

/* --- real objects, against the decoder of whole texts --- */

static char *read_data(const char *name, size_t *ret_len)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/objects/%s", KIN_TEST_DATA, name);
    FILE *f = fopen(path, "rb");
    if (!f)
        fail_msg("can not open %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    long size = ftell(f);
    assert_true(size > 0);
    rewind(f);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, f), (size_t)size);
    text[size] = '\0';
    fclose(f);
    *ret_len = (size_t)size;
    return text;
}

static void write_value(kin__buf *out, kin_value value)
{
    char *json;
    size_t len;

    assert_code(kin_value_to_json(&json, &len, value, KIN_JSON_COMPACT, NULL), 0);
    kin__buf_append(out, kin_str_make(json, len));
    kin_free(json);
}

/* The transcript of a list whose text was read as one document. */
static void expect_list(kin__buf *out, kin_str text)
{
    const kin_object *whole;
    const char *comma = "";
    kin_iter it;

    assert_code(kin_object_from_json(&whole, text, NULL, NULL), 0);
    kin_iter_init(&it, kin_value_get(kin_object_root(whole), kin_str_of("items")));
    while (kin_iter_next(&it)) {
        write_value(out, it.value);
        kin__buf_append_char(out, '\n');
    }
    kin__buf_append_char(out, '{');
    for (kin_iter_init(&it, kin_object_root(whole)); kin_iter_next(&it);) {
        if (kin_str_equal(it.key, kin_str_of("items")))
            continue;
        kin__buf_appendf(out, "%s\"%" KIN_STR_FMT "\":", comma, KIN_STR_ARG(it.key));
        write_value(out, it.value);
        comma = ",";
    }
    kin__buf_append_char(out, '}');
    kin_object_unref(whole);
}

/* The same with a line per event. */
static void expect_watch(kin__buf *out, char *lines)
{
    char *rest = NULL;

    for (char *line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        const kin_object *event;
        kin_scratch scratch;
        kin_str type;

        assert_code(kin_object_from_json(&event, kin_str_of(line), NULL, NULL), 0);
        kin_value root = kin_object_root(event);
        assert_code(kin_value_string(&type, kin_value_get(root, kin_str_of("type")), &scratch), 0);
        kin__buf_appendf(out, "%" KIN_STR_FMT " ", KIN_STR_ARG(type));
        write_value(out, kin_value_get(root, kin_str_of("object")));
        kin__buf_append_char(out, '\n');
        kin_object_unref(event);
    }
    kin__buf_appendf(out, "end");
}

static void check_sizes_of_pieces(struct reader *r, kin_str text, const char *expected)
{
    static const struct {
        size_t min;
        size_t max;
        unsigned times;
    } pieces[] = {{1, 1, 1},        {1, 3, 2},         {1, 100, 5},
                  {1000, 3000, 10}, {16384, 16384, 1}, {1, 40000, 20}};
    kin_test_rng rng = {42};

    assert_string_equal(transcript_cut(r, text, NULL, 0), expected);
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        for (unsigned n = 0; n < pieces[i].times; n++)
            assert_string_equal(transcript_random(r, text, &rng, pieces[i].min, pieces[i].max),
                                expected);
    }
}

static void a_list_of_pods_gives_what_the_whole_text_gives(void **state)
{
    size_t len;
    char *text = read_data("pod-list.json", &len);
    struct reader r;
    kin__buf expected;

    (void)state;
    kin__buf_init(&expected, SIZE_MAX - 1);
    expect_list(&expected, kin_str_make(text, len));
    reader_init(&r, false, NULL);
    check_sizes_of_pieces(&r, kin_str_make(text, len), expected.data);
    assert_int_equal(r.n_objects, 5);
    assert_non_null(strstr(expected.data, "\"remainingItemCount\":"));
    reader_done(&r);
    kin__buf_done(&expected);
    free(text);
}

static void a_watch_of_pods_gives_what_its_lines_give(void **state)
{
    size_t len;
    char *text = read_data("watch.jsonl", &len);
    char *lines = strdup(text);
    struct reader r;
    kin__buf expected;

    (void)state;
    assert_non_null(lines);
    kin__buf_init(&expected, SIZE_MAX - 1);
    expect_watch(&expected, lines);
    reader_init(&r, true, NULL);
    check_sizes_of_pieces(&r, kin_str_make(text, len), expected.data);
    assert_int_equal(r.n_objects, 5);
    reader_done(&r);
    kin__buf_done(&expected);
    free(lines);
    free(text);
}

static void random_item(kin__buf *out, kin_test_rng *rng, unsigned n)
{
    static const char *const spaces[] = {"", "", " ", "\n  "};
    size_t members = (size_t)kin_test_below(rng, 30);

    kin__buf_appendf(out, "{\"n\":%u", n);
    for (size_t i = 0; i < members; i++) {
        const char *space = spaces[kin_test_below(rng, kin__array_len(spaces))];

        kin__buf_appendf(out, "%s,%s\"m%zu\"%s:%s", space, space, i, space, space);
        switch (kin_test_below(rng, 4)) {
        case 0:
            random_string(out, rng);
            break;
        case 1:
            kin__buf_appendf(out, "[[],{},%u,", n);
            random_string(out, rng);
            kin__buf_appendf(out, "%s]", space);
            break;
        case 2:
            kin__buf_appendf(out, "{%s\"x\":{\"y\":true}}", space);
            break;
        default:
            kin__buf_appendf(out, "-%u.5e-7", n);
            break;
        }
    }
    kin__buf_append_char(out, '}');
}

static void random_lists_give_what_the_whole_text_gives(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        kin_test_rng rng = {seed};
        kin__buf text;
        kin__buf expected;
        struct reader r;

        kin__buf_init(&text, SIZE_MAX - 1);
        kin__buf_init(&expected, SIZE_MAX - 1);
        kin__buf_appendf(&text, "{\"kind\":\"L\",\"before\":");
        random_string(&text, &rng);
        kin__buf_appendf(&text, ",\"items\":[");
        for (unsigned i = 0; i < 60; i++) {
            kin__buf_appendf(&text, i > 0 ? ",\n" : "");
            random_item(&text, &rng, i);
        }
        kin__buf_appendf(&text, "],\"behind\":");
        random_item(&text, &rng, 0);
        kin__buf_appendf(&text, "}");
        expect_list(&expected, kin__buf_str(&text));
        reader_init(&r, false, NULL);
        check_sizes_of_pieces(&r, kin__buf_str(&text), expected.data);
        assert_int_equal(r.n_objects, 60);
        reader_done(&r);
        kin__buf_done(&expected);
        kin__buf_done(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_out_of_lists_wherever_they_are_cut),
        cmocka_unit_test(malformed_lists_are_refused_at_the_same_byte_wherever_they_are_cut),
        cmocka_unit_test(events_come_out_of_watches_wherever_they_are_cut),
        cmocka_unit_test(malformed_watches_are_refused_at_the_same_byte_wherever_they_are_cut),
        cmocka_unit_test(an_unknown_type_is_shown_cut_at_a_character),
        cmocka_unit_test(types_have_names),
        cmocka_unit_test(a_list_of_pods_gives_what_the_whole_text_gives),
        cmocka_unit_test(a_watch_of_pods_gives_what_its_lines_give),
        cmocka_unit_test(random_lists_give_what_the_whole_text_gives),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
