/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing YAML: the form of what is written, and that reading it gives the same document, for
 * random documents of nasty strings and numbers too. Documents are made without any text format.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/yaml.h"
#include "object/draft.h"
#include "oom.h"
#include "rng.h"

static kin__draft *new_draft(void)
{
    kin__draft *draft = malloc(sizeof(*draft));

    assert_non_null(draft);
    assert_code(kin__draft_init(draft, 0, NULL), 0);
    return draft;
}

static void free_draft(kin__draft *draft)
{
    kin__draft_done(draft);
    free(draft);
}

/* {"k": text} */
static const kin_object *object_of_string(kin_str text)
{
    kin__draft *draft = new_draft();
    const kin_object *object;

    assert_code(kin__draft_begin_map(draft, NULL), 0);
    assert_code(kin__draft_key(draft, kin_str_of("k"), NULL), 0);
    assert_code(kin__draft_string(draft, text, NULL), 0);
    assert_code(kin__draft_end(draft, NULL), 0);
    assert_code(kin__draft_finish(draft, &object, NULL), 0);
    free_draft(draft);
    return object;
}

static const kin_object *object_of_json(const char *json)
{
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;

    if (kin_object_from_json(&object, kin_str_of(json), NULL, &err) != 0)
        fail_msg("%s: %s", json, err.message);
    return object;
}

/* Reading what is written gives the same document, numbers by their text. */
static void assert_comes_back(const kin_object *object)
{
    const kin_object *back = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *yaml;
    char *before;
    char *after;
    size_t len = 0;

    assert_code(kin_object_to_yaml(&yaml, &len, object, NULL), 0);
    assert_int_equal(len, strlen(yaml));
    assert_int_equal(yaml[len - 1], '\n');
    if (kin_object_from_yaml(&back, kin_str_make(yaml, len), NULL, &err) != 0)
        fail_msg("%s\n%s", err.message, yaml);
    assert_code(kin_object_to_json(&before, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_code(kin_object_to_json(&after, NULL, back, KIN_JSON_COMPACT, NULL), 0);
    if (strcmp(before, after) != 0)
        fail_msg("%s\nbecame\n%s\nthrough\n%s", before, after, yaml);
    assert_true(kin_object_equal(object, back));
    kin_object_unref(back);
    kin_free(yaml);
    kin_free(before);
    kin_free(after);
}

static void assert_writes(const char *json, const char *expected)
{
    const kin_object *object = object_of_json(json);
    char *yaml;

    assert_code(kin_object_to_yaml(&yaml, NULL, object, NULL), 0);
    assert_string_equal(yaml, expected);
    kin_free(yaml);
    assert_comes_back(object);
    kin_object_unref(object);
}

/* --- the form --- */

static void documents_look_as_kubectl_prints_them(void **state)
{
    (void)state;
    assert_writes("{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{"
                  "\"creationTimestamp\":\"2024-05-01T10:00:00Z\",\"labels\":{\"app\":\"web\","
                  "\"on\":\"1\"},\"annotations\":{}},\"spec\":{\"containers\":[{\"args\":[\"-c\","
                  "\"a: b\",\"*\"],\"ports\":[{\"containerPort\":80,\"protocol\":\"TCP\"}],"
                  "\"image\":\"nginx:1.25\"}],\"tolerations\":[],\"x\":null,\"y\":true,"
                  "\"z\":-1.50e3}}",
                  "apiVersion: v1\n"
                  "kind: Pod\n"
                  "metadata:\n"
                  "  creationTimestamp: \"2024-05-01T10:00:00Z\"\n"
                  "  labels:\n"
                  "    app: web\n"
                  "    \"on\": \"1\"\n"
                  "  annotations: {}\n"
                  "spec:\n"
                  "  containers:\n"
                  "  - args:\n"
                  "    - -c\n"
                  "    - 'a: b'\n"
                  "    - '*'\n"
                  "    ports:\n"
                  "    - containerPort: 80\n"
                  "      protocol: TCP\n"
                  "    image: nginx:1.25\n"
                  "  tolerations: []\n"
                  "  x: null\n"
                  "  \"y\": true\n"
                  "  z: -1.50e3\n");
}

static void sequences_may_be_in_sequences(void **state)
{
    (void)state;
    assert_writes("{}", "{}\n");
    assert_writes("{\"a\":[[1,[2,3]],[],[{}],[{\"b\":[4],\"c\":[{\"d\":5}]}]]}", "a:\n"
                                                                                 "- - 1\n"
                                                                                 "  - - 2\n"
                                                                                 "    - 3\n"
                                                                                 "- []\n"
                                                                                 "- - {}\n"
                                                                                 "- - b:\n"
                                                                                 "    - 4\n"
                                                                                 "    c:\n"
                                                                                 "    - d: 5\n");
}

static void long_keys_have_a_line_of_their_own(void **state)
{
    char key[1400];
    char json[4000];
    char yaml[4000];

    (void)state;
    memset(key, 'k', sizeof(key));
    for (size_t len = 127; len <= 1390; len += len < 130 ? 1 : 630) {
        key[len] = '\0';
        snprintf(json, sizeof(json), "{\"%s\":{\"a\":1,\"b\":[2]}}", key);
        snprintf(yaml, sizeof(yaml),
                 len <= 128 ? "%s:\n  a: 1\n  b:\n  - 2\n" : "? %s\n: a: 1\n  b:\n  - 2\n", key);
        assert_writes(json, yaml);
        snprintf(json, sizeof(json), "{\"x\":[{\"%s\":[1,2],\"c\":\"d\\ne\"}]}", key);
        snprintf(yaml, sizeof(yaml),
                 len <= 128 ? "x:\n- %s:\n  - 1\n  - 2\n  c: |-\n    d\n    e\n"
                            : "x:\n- ? %s\n  : - 1\n    - 2\n  c: |-\n    d\n    e\n",
                 key);
        assert_writes(json, yaml);
        snprintf(json, sizeof(json), "{\"%s\":\"d\\ne\"}", key);
        snprintf(yaml, sizeof(yaml), len <= 128 ? "%s: |-\n  d\n  e\n" : "? %s\n: |-\n  d\n  e\n",
                 key);
        assert_writes(json, yaml);
        key[len] = 'k';
    }
}

struct form {
    const char *text;
    const char *yaml;
};

static void assert_forms(const struct form *forms, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const kin_object *object = object_of_string(kin_str_of(forms[i].text));
        char expected[256];
        char *yaml;

        snprintf(expected, sizeof(expected), "k: %s\n", forms[i].yaml);
        assert_code(kin_object_to_yaml(&yaml, NULL, object, NULL), 0);
        assert_string_equal(yaml, expected);
        kin_free(yaml);
        assert_comes_back(object);
        kin_object_unref(object);
    }
}

static void strings_are_quoted_where_they_must_be(void **state)
{
    static const struct form forms[] = {
        {"", "\"\""},
        {"a", "a"},
        {"two words", "two words"},
        {"a  b", "a  b"},
        {"true", "\"true\""},
        {"Yes", "\"Yes\""},
        {"n", "\"n\""},
        {"null", "\"null\""},
        {"~", "\"~\""},
        {"12", "\"12\""},
        {"0x1F", "\"0x1F\""},
        {"1_000", "\"1_000\""},
        {"1e3", "\"1e3\""},
        {".5", "\".5\""},
        {".inf", "\".inf\""},
        {"1:30", "\"1:30\""},
        {"2024-05-01", "\"2024-05-01\""},
        {"<<", "\"<<\""},
        {"=", "\"=\""},
        {"truely", "truely"},
        {"1.2.3", "1.2.3"},
        {"8080:80", "8080:80"},
        {"a: b", "'a: b'"},
        {"a:b", "a:b"},
        {"a:", "'a:'"},
        {"a #b", "'a #b'"},
        {"a#b", "a#b"},
        {"#a", "'#a'"},
        {" a", "' a'"},
        {"a ", "'a '"},
        {" ", "' '"},
        {"- a", "'- a'"},
        {"-", "'-'"},
        {"-a", "-a"},
        {"---", "'---'"},
        {"...", "'...'"},
        {"..", ".."},
        {"? a", "'? a'"},
        {"?", "'?'"},
        {"?a", "?a"},
        {": a", "': a'"},
        {":a", ":a"},
        {"[a]", "'[a]'"},
        {"]", "']'"},
        {"{a}", "'{a}'"},
        {"}", "'}'"},
        {",a", "',a'"},
        {"a,b", "a,b"},
        {"*a", "'*a'"},
        {"&a", "'&a'"},
        {"!a", "'!a'"},
        {"|", "'|'"},
        {">", "'>'"},
        {"%a", "'%a'"},
        {"@a", "'@a'"},
        {"`a", "'`a'"},
        {"'a", "'''a'"},
        {"it's", "it's"},
        {"a: it's", "'a: it''s'"},
        {"\"a", "'\"a'"},
        {"a\"b", "a\"b"},
        {"a\\b", "a\\b"},
        {"{\"a\": 1}", "'{\"a\": 1}'"},
        {"\xc3\xa9\xf0\x9f\x98\x80", "\xc3\xa9\xf0\x9f\x98\x80"},
        {"\xc2\xa0x", "\xc2\xa0x"},
    };

    (void)state;
    assert_forms(forms, kin__array_len(forms));
}

static void what_cannot_be_seen_is_escaped(void **state)
{
    static const struct form forms[] = {
        {"a\tb", "\"a\\tb\""},
        {"\a\b\v\f\r\x1b", "\"\\a\\b\\v\\f\\r\\e\""},
        {"\x01\x7f", "\"\\x01\\x7F\""},
        {"\xc2\x80\xc2\x85\xc2\x9f", "\"\\x80\\x85\\x9F\""},
        {"\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xa6", "\"\\u2028\\u2029\xe2\x80\xa6\""},
        {"\xef\xbb\xbf", "\"\\uFEFF\""},
        {"\xef\xbf\xbd\xef\xbf\xbe\xef\xbf\xbf", "\"\xef\xbf\xbd\\uFFFE\\uFFFF\""},
        {"\"\\\t", "\"\\\"\\\\\\t\""},
        {"a\r\nb", "\"a\\r\\nb\""},
        {"a\nb\x01", "\"a\\nb\\x01\""},
        {"\n", "\"\\n\""},
        {" \n\t\n", "\" \\n\\t\\n\""},
    };
    const kin_object *object;
    char *yaml;

    (void)state;
    assert_forms(forms, kin__array_len(forms));
    object = object_of_string(kin_str_make("a\0b", 3));
    assert_code(kin_object_to_yaml(&yaml, NULL, object, NULL), 0);
    assert_string_equal(yaml, "k: \"a\\0b\"\n");
    kin_free(yaml);
    assert_comes_back(object);
    kin_object_unref(object);
}

static void lines_are_literal_blocks(void **state)
{
    static const struct form forms[] = {
        {"a\nb\n", "|\n  a\n  b"},
        {"a\nb", "|-\n  a\n  b"},
        {"a\n\n", "|+\n  a\n"},
        {"a\n\n\n", "|+\n  a\n\n"},
        {"a\n", "|\n  a"},
        {"a\n\n\nb\n", "|\n  a\n\n\n  b"},
        {"\na", "|2-\n\n  a"},
        {"  a\nb\n", "|2\n    a\n  b"},
        {"\ta\nb\n", "|2\n  \ta\n  b"},
        {"a\n  b\n\tc\n", "|\n  a\n    b\n  \tc"},
        {"a \nb\n", "|\n  a \n  b"},
        {"a\n  ", "|-\n  a\n    "},
        {"a\n  \n", "|\n  a\n    "},
        {"true\n", "|\n  true"},
        {"# a\n---\n...\n", "|\n  # a\n  ---\n  ..."},
        {"a: 'b'\n- \"c\"\n", "|\n  a: 'b'\n  - \"c\""},
        {"\xc3\xa9\n\xf0\x9f\x98\x80\n", "|\n  \xc3\xa9\n  \xf0\x9f\x98\x80"},
    };

    (void)state;
    assert_forms(forms, kin__array_len(forms));
    /* Behind them goes on what went on before them; keys are never blocks. */
    assert_writes("{\"a\":[\"b\\n\\n\",\"c\",{\"d\":\"e\\nf\",\"g\":1}],\"h\\ni\":\"j\"}",
                  "a:\n"
                  "- |+\n"
                  "  b\n"
                  "\n"
                  "- c\n"
                  "- d: |-\n"
                  "    e\n"
                  "    f\n"
                  "  g: 1\n"
                  "\"h\\ni\": j\n");
}

static void keys_are_quoted_as_values_are(void **state)
{
    (void)state;
    assert_writes("{\"\":1,\"true\":2,\"12\":3,\"a: b\":4,\"<<\":{\"a\":1},\"#\":5,\"- \":6,"
                  "\"a b\":7,\"\\t\":8,\"~\":9,\"?\":10,\":\":11,\"-\":12,\"-a\":13,\"?a\":14,"
                  "\":a\":15,\"a:\":16}",
                  "\"\": 1\n\"true\": 2\n\"12\": 3\n'a: b': 4\n\"<<\":\n  a: 1\n'#': 5\n'- ': 6\n"
                  "a b: 7\n\"\\t\": 8\n\"~\": 9\n'?': 10\n':': 11\n'-': 12\n-a: 13\n?a: 14\n"
                  ":a: 15\n'a:': 16\n");
}

static void numbers_keep_their_text(void **state)
{
    (void)state;
    assert_writes("{\"a\":[0,-0,1.0,1.50,1e3,1E+05,1e-400,1e400,-123456789012345678901234567890,"
                  "9223372036854775807,-9223372036854775808,9223372036854775808]}",
                  "a:\n- 0\n- -0\n- 1.0\n- 1.50\n- 1e3\n- 1E+05\n- 1e-400\n- 1e400\n"
                  "- -123456789012345678901234567890\n- 9223372036854775807\n"
                  "- -9223372036854775808\n- 9223372036854775808\n");
}

static void long_lines_are_not_folded(void **state)
{
    kin__buf text;
    char *yaml;
    size_t len;

    (void)state;
    kin__buf_init(&text, 100000);
    for (unsigned i = 0; i < 5000; i++)
        kin__buf_append(&text, kin_str_of("word "));
    kin__buf_append_char(&text, '.');
    const kin_object *object = object_of_string(kin__buf_str(&text));
    assert_code(kin_object_to_yaml(&yaml, &len, object, NULL), 0);
    assert_int_equal(len, text.len + 4);
    assert_ptr_equal(strchr(yaml, '\n'), yaml + len - 1);
    kin_free(yaml);
    assert_comes_back(object);
    kin_object_unref(object);
    kin__buf_done(&text);
}

static void values_are_documents_of_their_own(void **state)
{
    static const char *const forms[][2] = {
        {"m", "a: 1\n"}, {"l", "- 1\n- - 2\n"}, {"s", "'a: b'\n"}, {"t", "|2\n   x\n  y\n"},
        {"n", "null\n"}, {"b", "false\n"},      {"e", "[]\n"},     {"i", "12\n"},
        {"f", "1.50\n"},
    };
    const kin_object *object =
        object_of_json("{\"m\":{\"a\":1},\"l\":[1,[2]],\"s\":\"a: b\",\"t\":\" x\\ny\\n\","
                       "\"n\":null,\"b\":false,\"e\":[],\"i\":12,\"f\":1.50}");
    kin_value root = kin_object_root(object);

    (void)state;
    for (size_t i = 0; i < kin__array_len(forms); i++) {
        char *yaml;
        size_t len;

        assert_code(
            kin_value_to_yaml(&yaml, &len, kin_value_get(root, kin_str_of(forms[i][0])), NULL), 0);
        assert_string_equal(yaml, forms[i][1]);
        assert_int_equal(len, strlen(yaml));
        kin_free(yaml);
    }
    kin_object_unref(object);
}

static void what_is_no_document_is_refused(void **state)
{
    const kin_object *object = object_of_json("{}");
    const kin_object *key;
    char *yaml = NULL;
    size_t len = 42;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_value_to_yaml(&yaml, &len,
                                  kin_value_get(kin_object_root(object), kin_str_of("a")), &err),
                KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_code(kin_explicit_key_new(&key, kin_str_of("a/b"), NULL), 0);
    assert_code(kin_object_to_yaml(&yaml, &len, key, &err), KIN_ETYPE);
    assert_int_equal(err.code, KIN_ETYPE);
    assert_null(yaml);
    assert_int_equal(len, 42);
    kin_object_unref(key);
    kin_object_unref(object);
}

static void the_deepest_document_is_written(void **state)
{
    kin__draft *draft = new_draft();
    const kin_object *object;

    (void)state;
    for (unsigned i = 0; i < KIN__DEPTH_MAX; i++) {
        if (i % 3 == 1) {
            assert_code(kin__draft_begin_array(draft, NULL), 0);
            continue;
        }
        assert_code(kin__draft_begin_map(draft, NULL), 0);
        assert_code(kin__draft_key(draft, kin_str_of("a"), NULL), 0);
    }
    assert_code(kin__draft_string(draft, kin_str_of("x\ny\n"), NULL), 0);
    for (unsigned i = 0; i < KIN__DEPTH_MAX; i++)
        assert_code(kin__draft_end(draft, NULL), 0);
    assert_code(kin__draft_finish(draft, &object, NULL), 0);
    assert_comes_back(object);
    kin_object_unref(object);
    free_draft(draft);
}

/* --- random documents --- */

/* Pieces that strings are put together from: whatever YAML has a meaning for. */
static const char *const pieces[] = {
    "a",          "b",          "word",       " ",      "  ",
    "\n",         "\n",         "\n\n",       "\t",     ":",
    ": ",         "#",          " #",         "-",      "- ",
    "---",        "...",        "?",          "? ",     ",",
    "[",          "]",          "{",          "}",      "&",
    "*",          "!",          "|",          ">",      "'",
    "\"",         "%",          "@",          "`",      "\\",
    "\\n",        "~",          "null",       "true",   "yes",
    "no",         "on",         "y",          "0",      "1",
    "12",         "0x",         "1_0",        ".",      "e5",
    "+",          "_",          ".inf",       ".nan",   "1:30",
    "=",          "<<",         "\r",         "\x1",    "\x7f",
    "\x1b",       "\xc2\x85",   "\xc2\xa0",   "\u2028", "\u2029",
    "\ufeff",     "\uffff",     "é",          "日本",   "\U0001f600",
    "2001-01-01", "T10:00:00Z", "\U0010ffff", "\uffee", "\xed\x9f\xbf",
};

static kin_str random_text(kin_test_rng *rng, kin__buf *buf)
{
    size_t len = kin_test_below(rng, 6);

    kin__buf_reset(buf);
    if (kin_test_below(rng, 50) == 0)
        len = kin_test_below(rng, 400);
    for (size_t i = 0; i < len; i++) {
        if (kin_test_below(rng, 40) == 0)
            kin__buf_append_char(buf, '\0');
        else
            kin__buf_append(buf, kin_str_of(pieces[kin_test_below(rng, kin__array_len(pieces))]));
    }
    return kin__buf_str(buf);
}

/* A text that the draft keeps. */
static kin_str keep(kin__draft *draft, kin_str text)
{
    char *copy = kin__draft_alloc(draft, text.len);

    assert_non_null(copy);
    if (text.len)
        memcpy(copy, text.data, text.len);
    return kin_str_make(copy, text.len);
}

static void add_number(kin_test_rng *rng, kin__draft *draft)
{
    static const char *const numbers[] = {
        "0.0",
        "-0",
        "1e5",
        "1E-5",
        "-1.50",
        "1e400",
        "0e0",
        "1.0e+07",
        "123456789012345678901234567890",
        "-99999999999999999999.5",
    };

    if (kin_test_below(rng, 2))
        assert_code(kin__draft_integer(draft, (int64_t)kin_test_random(rng), NULL), 0);
    else
        assert_code(
            kin__draft_number(
                draft, kin_str_of(numbers[kin_test_below(rng, kin__array_len(numbers))]), NULL),
            0);
}

static void add_scalar(kin_test_rng *rng, kin__draft *draft, kin__buf *buf)
{
    switch (kin_test_below(rng, 8)) {
    case 0:
        assert_code(kin__draft_null(draft, NULL), 0);
        break;
    case 1:
        assert_code(kin__draft_bool(draft, kin_test_below(rng, 2), NULL), 0);
        break;
    case 2:
        add_number(rng, draft);
        break;
    default:
        assert_code(kin__draft_string(draft, keep(draft, random_text(rng, buf)), NULL), 0);
        break;
    }
}

/* A map or array with whatever is in it. */
static void add_container(kin_test_rng *rng, kin__draft *draft, kin__buf *buf, unsigned depth)
{
    bool is_map = depth == 0 || kin_test_below(rng, 2);
    size_t len = kin_test_below(rng, 5);

    assert_code(is_map ? kin__draft_begin_map(draft, NULL) : kin__draft_begin_array(draft, NULL),
                0);
    for (size_t i = 0; i < len; i++) {
        if (is_map)
            assert_code(kin__draft_key(draft, keep(draft, random_text(rng, buf)), NULL), 0);
        if (depth < 6 && kin_test_below(rng, 3) == 0)
            add_container(rng, draft, buf, depth + 1);
        else
            add_scalar(rng, draft, buf);
    }
    assert_code(kin__draft_end(draft, NULL), 0);
}

static void every_document_comes_back(void **state)
{
    kin__draft *draft = new_draft();
    kin_test_rng rng = {0x7961616d6c};
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 1000000);
    for (unsigned round = 0; round < 3000; round++) {
        const kin_object *object;

        add_container(&rng, draft, &buf, 0);
        assert_code(kin__draft_finish(draft, &object, NULL), 0);
        assert_comes_back(object);
        kin_object_unref(object);
    }
    kin__buf_done(&buf);
    free_draft(draft);
}

static void every_string_of_two_pieces_comes_back(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(pieces); i++) {
        for (size_t j = 0; j < kin__array_len(pieces); j++) {
            char text[64];

            snprintf(text, sizeof(text), "%s%s", pieces[i], pieces[j]);
            const kin_object *object = object_of_string(kin_str_of(text));
            assert_comes_back(object);
            kin_object_unref(object);
        }
    }
}

/* --- memory --- */

static int write_one(void *arg, kin_error *err)
{
    char *yaml = NULL;
    size_t len = 0;
    int code = kin_object_to_yaml(&yaml, &len, arg, err);

    assert_true((code == 0) == (yaml != NULL));
    assert_true((code == 0) == (len > 0));
    kin_free(yaml);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    kin__buf json;

    (void)state;
    kin__buf_init(&json, 100000);
    kin__buf_append(&json, kin_str_of("{\"a\":[1,[2,[3,[4,[5,[6,[{\"b\":{\"c\":{\"d\":\"e\\nf\"}}}]"
                                      "]]]]]],\"g\":[\"\\u0001\",\"a: b\",\"\\\\\\t\"]"));
    for (unsigned i = 0; i < 200; i++)
        kin__buf_appendf(&json, ",\"key%u\":\"value\"", i);
    kin__buf_append_char(&json, '}');
    const kin_object *object = object_of_json(kin__buf_str(&json).data);
    kin_test_fail_each_allocation(write_one, (void *)(uintptr_t)object);
    kin_object_unref(object);
    kin__buf_done(&json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_look_as_kubectl_prints_them),
        cmocka_unit_test(sequences_may_be_in_sequences),
        cmocka_unit_test(long_keys_have_a_line_of_their_own),
        cmocka_unit_test(strings_are_quoted_where_they_must_be),
        cmocka_unit_test(what_cannot_be_seen_is_escaped),
        cmocka_unit_test(lines_are_literal_blocks),
        cmocka_unit_test(keys_are_quoted_as_values_are),
        cmocka_unit_test(numbers_keep_their_text),
        cmocka_unit_test(long_lines_are_not_folded),
        cmocka_unit_test(values_are_documents_of_their_own),
        cmocka_unit_test(what_is_no_document_is_refused),
        cmocka_unit_test(the_deepest_document_is_written),
        cmocka_unit_test(every_document_comes_back),
        cmocka_unit_test(every_string_of_two_pieces_comes_back),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
