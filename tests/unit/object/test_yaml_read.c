/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading YAML: what a text means, where it is wrong, and what it may cost.
 *
 * libyaml's functions for memory are defined anew here and lead to the library's allocator, so that
 * the allocations of the parser fail in their turn too.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "kinform/json.h"
#include "kinform/yaml.h"
#include "object/limits.h"
#include "oom.h"

void *yaml_malloc(size_t size);
void *yaml_realloc(void *ptr, size_t size);
void yaml_free(void *ptr);
unsigned char *yaml_strdup(const unsigned char *text);

static size_t parser_allocations;

void *yaml_malloc(size_t size)
{
    parser_allocations++;
    return kin__malloc(size);
}

void *yaml_realloc(void *ptr, size_t size)
{
    return kin__realloc_array(ptr, size ? size : 1, 1);
}

void yaml_free(void *ptr)
{
    kin__free(ptr);
}

unsigned char *yaml_strdup(const unsigned char *text)
{
    return text ? (unsigned char *)kin__memdup_str(kin_str_of((const char *)text)) : NULL;
}

/* --- helpers --- */

/* Read a text that lies in memory of exactly its size. */
static int read_bare(const kin_object **ret, kin_str text, const kin_yaml_options *options,
                     kin_error *err)
{
    char *copy = malloc(text.len ? text.len : 1);

    assert_non_null(copy);
    if (text.len)
        memcpy(copy, text.data, text.len);
    int code = kin_object_from_yaml(ret, kin_str_make(copy, text.len), options, err);
    free(copy);
    return code;
}

static void assert_json(const kin_object *object, const char *expected)
{
    char *json;

    assert_code(kin_object_to_json(&json, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(json, expected);
    kin_free(json);
}

/* The text means this. */
static void assert_reads_with(kin_str text, const kin_yaml_options *options, const char *expected)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (read_bare(&object, text, options, &err) != 0)
        fail_msg("%.*s\n%s", (int)text.len, text.data, err.message);
    assert_json(object, expected);
    kin_object_unref(object);
}

static void assert_reads(const char *text, const char *expected)
{
    assert_reads_with(kin_str_of(text), NULL, expected);
}

/* The text is refused there, with these words; NULL: whatever they are. */
static void assert_refused_with(kin_str text, const kin_yaml_options *options, int code,
                                uint64_t offset, const char *words)
{
    static const kin_object *const untouched = (const kin_object *)&untouched;
    const kin_object *object = untouched;
    kin_error err = KIN_ERROR_INIT;

    if (read_bare(&object, text, options, &err) == 0)
        fail_msg("this was read: %.*s", (int)text.len, text.data);
    assert_int_equal(err.code, code);
    if (words && !strstr(err.message, words))
        fail_msg("\"%s\" does not say \"%s\"", err.message, words);
    if (err.offset != offset)
        fail_msg("offset %llu instead of %llu: %s", (unsigned long long)err.offset,
                 (unsigned long long)offset, err.message);
    assert_ptr_equal(object, untouched);
    /* Without a place for the details it fails just the same. */
    assert_code(read_bare(&object, text, options, NULL), code);
}

static void assert_refused(const char *text, uint64_t offset, const char *words)
{
    assert_refused_with(kin_str_of(text), NULL, KIN_EPARSE, offset, words);
}

struct meaning {
    const char *text;
    const char *means;
};

static void assert_all_read(const struct meaning *meanings, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_reads(meanings[i].text, meanings[i].means);
}

/* --- what a text means --- */

static void a_manifest_is_read_in_order(void **state)
{
    (void)state;
    assert_reads("# a pod\n"
                 "apiVersion: v1\n"
                 "kind: Pod\n"
                 "metadata:\n"
                 "  name: web   # behind a value\n"
                 "  labels: {app: web, \"tier\": 'front'}\n"
                 "spec:\n"
                 "  containers:\n"
                 "  - name: nginx\n"
                 "    image: nginx:1.25\n"
                 "    ports:\n"
                 "      - containerPort: 80\n"
                 "    args: [\"--a\", -b, 'c: d']\n"
                 "    command: []\n"
                 "    env: {}\n"
                 "    script: |\n"
                 "      one\n"
                 "        two\n"
                 "    folded: >-\n"
                 "      three\n"
                 "      four\n"
                 "  hostNetwork: yes\n"
                 "  priority: 1000\n"
                 "  nothing:\n",
                 "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web\","
                 "\"labels\":{\"app\":\"web\",\"tier\":\"front\"}},\"spec\":{\"containers\":[{"
                 "\"name\":\"nginx\",\"image\":\"nginx:1.25\",\"ports\":[{\"containerPort\":80}],"
                 "\"args\":[\"--a\",\"-b\",\"c: d\"],\"command\":[],\"env\":{},"
                 "\"script\":\"one\\n  two\\n\",\"folded\":\"three four\"}],"
                 "\"hostNetwork\":true,\"priority\":1000,\"nothing\":null}}");
}

static void plain_scalars_are_resolved_and_others_are_strings(void **state)
{
    static const struct meaning meanings[] = {
        {"a: [yes, No, on, 0x1F, 017, 0b11, 1_000, .5, +1.50, 1e3, ~, null, ]",
         "{\"a\":[true,false,true,31,15,3,1000,0.5,1.50,1e3,null,null]}"},
        {"a: ['yes', \"12\", 'null', \"\"]", "{\"a\":[\"yes\",\"12\",\"null\",\"\"]}"},
        {"a: |-\n  12", "{\"a\":\"12\"}"},
        {"a: >-\n  true", "{\"a\":\"true\"}"},
        {"a: 2001-12-14T21:59:43Z", "{\"a\":\"2001-12-14T21:59:43Z\"}"},
        {"a: 1:30", "{\"a\":\"1:30\"}"},
        {"a: -0", "{\"a\":-0}"},
        {"a: 9223372036854775808", "{\"a\":9223372036854775808}"},
        {"a: -123456789012345678901234567890", "{\"a\":-123456789012345678901234567890}"},
        {"a: 0xffffffffffffffff", "{\"a\":18446744073709551615}"},
        {"a: 1e999", "{\"a\":1e999}"},
        {"a: \"\\0\\x41\\u00e9\\U0001F600\\N\\_\\L\\P\\e\\/\"",
         "{\"a\":\"\\u0000A\xc3\xa9\xf0\x9f\x98\x80\xc2\x85\xc2\xa0\xe2\x80\xa8\xe2\x80\xa9"
         "\\u001b/\"}"},
        {"a: \xe6\x97\xa5\xe6\x9c\xac", "{\"a\":\"\xe6\x97\xa5\xe6\x9c\xac\"}"},
        {"a: <<", "{\"a\":\"<<\"}"},
    };

    (void)state;
    assert_all_read(meanings, kin__array_len(meanings));
}

static void integers_are_integers(void **state)
{
    const kin_object *object;
    int64_t value = 0;

    (void)state;
    assert_code(
        kin_object_from_yaml(&object, kin_str_of("a: 0x10\nb: 10\nc: -0\nd: 10.0\n"), NULL, NULL),
        0);
    kin_value root = kin_object_root(object);
    assert_int_equal(kin_value_type(kin_value_get(root, kin_str_of("a"))), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_get(root, kin_str_of("b"))), KIN_INTEGER);
    assert_int_equal(kin_value_type(kin_value_get(root, kin_str_of("d"))), KIN_NUMBER);
    assert_code(kin_value_int64(&value, kin_value_get(root, kin_str_of("a"))), 0);
    assert_int_equal(value, 16);
    kin_object_unref(object);
}

static void tags_decide(void **state)
{
    static const struct meaning meanings[] = {
        {"a: [!!str 12, !!str true, !!str , !!str ~]", "{\"a\":[\"12\",\"true\",\"\",\"~\"]}"},
        {"a: [!!int \"12\", !!int 0x10, !!int 1_0]", "{\"a\":[12,16,10]}"},
        {"a: [!!float 1, !!float \"1.5\", !!float 0x10]", "{\"a\":[1,1.5,16]}"},
        {"a: [!!bool \"yes\", !!bool off]", "{\"a\":[true,false]}"},
        {"a: [!!null \"\", !!null ~, !!null null]", "{\"a\":[null,null,null]}"},
        {"a: !!timestamp 2001-01-01", "{\"a\":\"2001-01-01\"}"},
        {"a: !!binary aGkh", "{\"a\":\"hi!\"}"},
        {"a: !!binary |\n  aG\n  kh\n", "{\"a\":\"hi!\"}"},
        {"a: [!foo 12, !!other true, ! 12, ! \"x\"]", "{\"a\":[\"12\",\"true\",\"12\",\"x\"]}"},
        {"a: !<tag:yaml.org,2002:int> \"12\"", "{\"a\":12}"},
        {"a: !!map {b: 1}\nc: !!set [1]", "{\"a\":{\"b\":1},\"c\":[1]}"},
        {"%TAG !k! tag:yaml.org,2002:\n---\na: !k!int \"3\"", "{\"a\":3}"},
    };

    (void)state;
    assert_all_read(meanings, kin__array_len(meanings));
    assert_refused("a: !!int x", 3, "`x` is no !!int");
    assert_refused("a: !!int 1.5", 3, "line 1, column 4: `1.5` is no !!int");
    assert_refused("a: !!int \"\"", 3, "is no !!int");
    assert_refused("a: !!float yes", 3, "`yes` is no !!float");
    assert_refused("a: !!bool 1", 3, "`1` is no !!bool");
    assert_refused("a: !!null x", 3, "`x` is no !!null");
    assert_refused("a: !!timestamp 5", 3, "`5` is no !!timestamp");
    assert_refused("a: !!binary aGk", 3, "not base64");
    assert_refused("a: !!binary gA==", 3, "not UTF-8");
    assert_refused("a: !!float .inf", 3, "no number .inf");
}

static void keys_become_strings(void **state)
{
    static const struct meaning meanings[] = {
        {"1: a\n-2: b\n0x10: c\n", "{\"1\":\"a\",\"-2\":\"b\",\"16\":\"c\"}"},
        {"on: a\nn: b\n", "{\"true\":\"a\",\"false\":\"b\"}"},
        {"1.10: a\n1e3: b\n1e20: c\n1234567.0: d\n.5: e\n",
         "{\"1.1\":\"a\",\"1000\":\"b\",\"1e+20\":\"c\",\"1.234567e+06\":\"d\",\"0.5\":\"e\"}"},
        {".inf: a\n-.Inf: b\n.NaN: c\n+.INF : d\n1e39: e\n1e999: f\n", NULL},
        {"-0: a\n-0.0: b\n08: c\n", "{\"0\":\"a\",\"-0\":\"b\",\"8\":\"c\"}"},
        {"!!float 12345678: a\n12345679: b\n", "{\"1.2345678e+07\":\"a\",\"12345679\":\"b\"}"},
        {"123456789012345678901234567890: a\n", "{\"123456789012345678901234567890\":\"a\"}"},
        {"2001-01-01: a\n", "{\"2001-01-01\":\"a\"}"},
        {"\"1\": a\n'yes': b\n\"\": c\n", "{\"1\":\"a\",\"yes\":\"b\",\"\":\"c\"}"},
        {"!!str 1.10: a\n!!binary aGk=: b\n", "{\"1.10\":\"a\",\"hi\":\"b\"}"},
        {"? a\n: b\n? |\n  c\n  d\n: e\n? f\n", "{\"a\":\"b\",\"c\\nd\\n\":\"e\",\"f\":null}"},
        {"&k 1: *k\n*k : 2\n", NULL},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(meanings); i++) {
        if (meanings[i].means)
            assert_reads(meanings[i].text, meanings[i].means);
    }
    assert_reads(".inf: a\n-.Inf: b\n.NaN: c\n", "{\".inf\":\"a\",\"-.inf\":\"b\",\".nan\":\"c\"}");
    assert_reads("1e39: e\n1e999: f\n", "{\".inf\":\"e\",\"1e999\":\"f\"}");
    assert_refused("~: a", 0, "a key is null");
    assert_refused("a: {null: b}", 4, "a key is null");
    assert_refused("? \n: a", 1, "a key is null");
    assert_refused("? [a]\n: b", 2, "a key is no scalar");
    assert_refused("a: 1\n{b: c}: d", 5, "a key is no scalar");
    assert_refused("a: &x [1]\nb: {? *x : 2}", 16, "a key is no scalar");
}

static void aliases_are_copies(void **state)
{
    static const struct meaning meanings[] = {
        {"a: &x {b: [1, 2]}\nc: *x\nd: [*x, *x]\n",
         "{\"a\":{\"b\":[1,2]},\"c\":{\"b\":[1,2]},\"d\":[{\"b\":[1,2]},{\"b\":[1,2]}]}"},
        {"a: &x 0x10\nb: *x\n", "{\"a\":16,\"b\":16}"},
        {"a: &x \"16\"\nb: *x\n", "{\"a\":\"16\",\"b\":\"16\"}"},
        {"&x a: *x\n", "{\"a\":\"a\"}"},
        {"&x on: *x\n", "{\"true\":true}"},
        {"a: &x on\nb: {*x : c}\n", "{\"a\":true,\"b\":{\"true\":\"c\"}}"},
        {"a: &x 1\nb: *x\nc: &x 2\nd: *x\n", "{\"a\":1,\"b\":1,\"c\":2,\"d\":2}"},
        {"a: &x [1, &y [2, *x2, *x2], &x2 3]\n", NULL},
        {"a: &x [&x 1, *x]\nb: *x\n", "{\"a\":[1,1],\"b\":1}"},
        {"a: &x [&x [1], *x]\nb: *x\n", "{\"a\":[[1],[1]],\"b\":[1]}"},
        {"a: &x\nb: *x\n", "{\"a\":null,\"b\":null}"},
        {"a: &x {}\nb: *x\nc: &y []\nd: *y\n", "{\"a\":{},\"b\":{},\"c\":[],\"d\":[]}"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(meanings); i++) {
        if (meanings[i].means)
            assert_reads(meanings[i].text, meanings[i].means);
    }
    assert_refused("a: *x\n", 3, "no anchor `x`");
    assert_refused("a: [&y 1, *x]\n", 10, "no anchor `x`");
    assert_refused("a: &x {b: *x}\n", 10, "`x` contains itself");
    assert_refused("&x a: &x [[*x]]\n", 11, "`x` contains itself");
    assert_refused("a: &x {<<: *x}\n", 11, "`x` contains itself");
    /* An anchor ends with its document. */
    assert_refused("~: 1", 0, NULL);
}

static void merge_keys_put_members_in_their_place(void **state)
{
    static const struct meaning meanings[] = {
        {"base: &b {a: 1, b: 2}\nx: {<<: *b, c: 3}\n",
         "{\"base\":{\"a\":1,\"b\":2},\"x\":{\"a\":1,\"b\":2,\"c\":3}}"},
        /* What comes later wins, as in Kubernetes. */
        {"x: {<<: {a: 1}, a: 2}\n", "{\"x\":{\"a\":2}}"},
        {"x: {a: 2, <<: {a: 1}}\n", "{\"x\":{\"a\":1}}"},
        {"x: {<<: [{a: 1}, {a: 2, b: 3}]}\n", "{\"x\":{\"b\":3,\"a\":1}}"},
        {"b: &b {a: 1}\nx: {<<: [*b, {a: 2, b: {c: 3}}], d: 4}\n",
         "{\"b\":{\"a\":1},\"x\":{\"b\":{\"c\":3},\"a\":1,\"d\":4}}"},
        {"x: {<<: {<<: {a: 1}, b: 2}, c: 3}\n", "{\"x\":{\"a\":1,\"b\":2,\"c\":3}}"},
        {"x: {<<: {a: 1}, <<: {b: 2}}\n", "{\"x\":{\"a\":1,\"b\":2}}"},
        {"x: {<<: [], a: 1}\n", "{\"x\":{\"a\":1}}"},
        {"x: {<<: {}}\n", "{\"x\":{}}"},
        {"<<: {a: 1}\n", "{\"a\":1}"},
        {"!!merge <<: {a: 1}\n", "{\"a\":1}"},
        {"\"<<\": {a: 1}\n", "{\"<<\":{\"a\":1}}"},
        {"!!str <<: {a: 1}\n", "{\"<<\":{\"a\":1}}"},
        {"&m <<: {a: 1}\nb: *m\n", "{\"a\":1,\"b\":\"<<\"}"},
        {"x: [<<, {<<: {a: [1, {b: 2}]}}]\n", "{\"x\":[\"<<\",{\"a\":[1,{\"b\":2}]}]}"},
    };

    (void)state;
    assert_all_read(meanings, kin__array_len(meanings));
    assert_refused("<<: 1", 4, "can be merged");
    assert_refused("<<: ", 3, "can be merged");
    assert_refused("<<: [{a: 1}, b]", 13, "can be merged");
    assert_refused("<<: [[{a: 1}]]", 5, "can be merged");
    assert_refused("a: &l [{b: 1}]\n<<: *l\n", 19, "can be merged");
    assert_refused("a: &l [1]\n<<: [*l]\n", 15, "can be merged");
}

static void a_key_may_be_written_once(void **state)
{
    kin_yaml_options lenient = KIN_YAML_OPTIONS_INIT;
    kin__buf buf;

    (void)state;
    lenient.allow_duplicate_keys = true;
    assert_refused("a: 1\nb: 2\na: 3\n", 10, "line 3, column 1: the key \"a\" is there already");
    assert_refused("x: [{a: 1, a: 1}]", 11, "the key \"a\"");
    assert_refused("1: x\n\"1\": y", 5, "the key \"1\"");
    assert_refused("y: x\ntrue: y", 5, "the key \"true\"");
    /* The maps that are merged are maps too; what replaces their members is no duplicate. */
    assert_refused("<<: {a: 1, a: 2}", 11, "the key \"a\"");
    assert_reads("<<: {a: 1}\na: 2\n", "{\"a\":2}");
    assert_reads_with(kin_str_of("a: 1\nb: 2\na: 3\n"), &lenient, "{\"b\":2,\"a\":3}");
    /* A text that is long is quoted in part. */
    assert_refused(
        "? \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "\xc3\xa9ZZ\"\n: 1\n? \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
        "aaaaaaaaaaaaaaaaa\xc3\xa9ZZ\"\n: 1\n",
        94, "aaa\" is there already");

    /* Maps of any number of members, those searched in the other way too. */
    for (unsigned members = 2; members < 40; members++) {
        kin__buf_init(&buf, 10000);
        for (unsigned i = 0; i < members; i++)
            kin__buf_appendf(&buf, "k%u: %u\n", i, i);
        size_t offset = buf.len;
        const kin_object *object;
        assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), 0);
        assert_int_equal(kin_value_len(kin_object_root(object)), members);
        kin_object_unref(object);
        kin__buf_appendf(&buf, "<<: {k1: x}\n<<: {k1: y}\nk%u: again\n", members / 2);
        assert_refused_with(kin__buf_str(&buf), NULL, KIN_EPARSE, offset + 24, "is there already");
        assert_code(read_bare(&object, kin__buf_str(&buf), &lenient, NULL), 0);
        assert_int_equal(kin_value_len(kin_object_root(object)), members);
        kin_object_unref(object);
        kin__buf_done(&buf);
    }
}

static void numbers_that_json_lacks_are_refused(void **state)
{
    (void)state;
    assert_refused("a: .inf", 3, "line 1, column 4: JSON has no number .inf");
    assert_refused("a: [1, -.INF]", 7, "-.INF");
    assert_refused("a: .nan", 3, ".nan");
    assert_refused("&x .nan: *x", 9, ".nan");
}

/* --- documents --- */

static void there_is_one_document(void **state)
{
    static const char *const alone[] = {
        "a: 1",
        "---\na: 1\n",
        "--- # comment\na: 1\n...\n",
        "---\n---\na: 1\n---\n",
        "# nothing\n---\n# nothing\n---\na: 1\n---\nnull\n---\n~\n",
        "--- {a: 1}",
        "%YAML 1.1\n---\na: 1\n",
        "%YAML 1.2\n---\na: 1\n",
        "\xef\xbb\xbf\x61: 1\n",
        "\r\na: 1\r\n",
        "{\"a\": 1}",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(alone); i++)
        assert_reads(alone[i], "{\"a\":1}");
    assert_refused("a: 1\n---\nb: 2\n", 9, "line 3, column 1: a second document");
    assert_refused("a: 1\n---\n- b\n", 9, "no map");
    assert_refused("a: 1\n---\n*x\n", 9, "no anchor");
    assert_refused("a: &x 1\n---\nb: *x\n", 15, "no anchor");
    assert_refused("", 0, "no document");
    assert_refused_with(kin_str_make(NULL, 0), NULL, KIN_EPARSE, 0, "no document");
    assert_refused("# only a comment\n", 0, "no document");
    assert_refused("---\n---\n", 0, "no document");
    assert_refused("- a\n", 0, "the document is no map");
    assert_refused("just text\n", 0, "the document is no map");
    assert_refused("---\n12\n", 4, "line 2, column 1: the document is no map");
}

static void a_reader_gives_one_document_after_the_other(void **state)
{
    static const char text[] = "# first\n"
                               "---\n"
                               "kind: A\n"
                               "x: &x 1\n"
                               "---\n"
                               "\n"
                               "---\n"
                               "kind: List\n"
                               "items: [{kind: B}, {kind: C}]\n"
                               "...\n"
                               "---\n"
                               "null\n"
                               "---\n"
                               "kind: D\n";
    static const char *const expected[] = {
        "{\"kind\":\"A\",\"x\":1}",
        "{\"kind\":\"List\",\"items\":[{\"kind\":\"B\"},{\"kind\":\"C\"}]}",
        "{\"kind\":\"D\"}",
    };
    kin_yaml_reader *reader;
    const kin_object *objects[3];
    const kin_object *object;

    (void)state;
    assert_code(kin_yaml_reader_new(&reader, kin_str_of(text), NULL, NULL), 0);
    for (size_t i = 0; i < kin__array_len(expected); i++)
        assert_code(kin_yaml_reader_next(reader, &objects[i], NULL), 0);
    /* The end comes as often as it is asked for. */
    for (unsigned i = 0; i < 3; i++) {
        object = objects[0];
        assert_code(kin_yaml_reader_next(reader, &object, NULL), 0);
        assert_null(object);
    }
    kin_yaml_reader_free(reader);
    for (size_t i = 0; i < kin__array_len(expected); i++) {
        assert_json(objects[i], expected[i]);
        kin_object_unref(objects[i]);
    }
}

static void a_failure_ends_the_reading(void **state)
{
    static const char *const broken[] = {"b: [", "b: {c: 1, c: 2}", "- b", "b: &x [*x]", "<<: 1"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(broken); i++) {
        char text[128];
        kin_yaml_reader *reader;
        const kin_object *object = NULL;
        kin_error err = KIN_ERROR_INIT;

        snprintf(text, sizeof(text), "a: 1\n---\n%s\n---\nc: 3\n", broken[i]);
        assert_code(kin_yaml_reader_new(&reader, kin_str_of(text), NULL, NULL), 0);
        assert_code(kin_yaml_reader_next(reader, &object, NULL), 0);
        assert_json(object, "{\"a\":1}");
        kin_object_unref(object);
        object = NULL;
        assert_code(kin_yaml_reader_next(reader, &object, &err), KIN_EPARSE);
        assert_in_range(err.offset, 9, strlen(text));
        assert_code(kin_yaml_reader_next(reader, &object, &err), KIN_ECLOSED);
        assert_int_equal(err.code, KIN_ECLOSED);
        assert_code(kin_yaml_reader_next(reader, &object, NULL), KIN_ECLOSED);
        assert_null(object);
        kin_yaml_reader_free(reader);
    }
}

static void a_reader_may_be_freed_at_any_time(void **state)
{
    kin_yaml_reader *reader;
    const kin_object *object;

    (void)state;
    kin_yaml_reader_free(NULL);
    for (unsigned documents = 0; documents < 3; documents++) {
        assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: &x [1]\n---\nb: &y [2]\n---\nc: 3"),
                                        NULL, NULL),
                    0);
        for (unsigned i = 0; i < documents; i++) {
            assert_code(kin_yaml_reader_next(reader, &object, NULL), 0);
            kin_object_unref(object);
        }
        kin_yaml_reader_free(reader);
    }
}

/* --- where a text is wrong --- */

static void errors_tell_line_column_and_byte(void **state)
{
    (void)state;
    assert_refused("a: b: c\n", 4, "line 1, column 5: mapping values are not allowed");
    assert_refused("a: 1\n b: 2\n", 7, "line 2, column 3");
    assert_refused("a: [1, 2\nb: 3\n", 10, "line 2, column 2");
    assert_refused("a: \"unfinished\n", 15, "while scanning a quoted scalar");
    assert_refused("a: 'x' y\n", 7, "line 1, column 8");
    assert_refused("a: \"\\q\"\n", 4, "unknown escape");
    assert_refused("a: \"\\ud83d\\ude00\"\n", 6, "Unicode");
    assert_refused("a:\n\tb: 1\n", 3, "line 2, column 1");
    assert_refused("a: @x\n", 3, "line 1, column 4");
    assert_refused("%FOO\na: 1", 4, "unknown directive");
    assert_refused("a: !x!y z\n", 3, "tag handle");
    /* Columns count characters, offsets bytes, those of a byte order mark too. */
    assert_refused("\xc3\xa9\xf0\x9f\x98\x80: [x, @]\n", 12, "line 1, column 9");
    assert_refused("\xef\xbb\xbf\xc3\xa9: *x\n", 7, "line 1, column 4");
    assert_refused("a: 1\r\nb: *x\r\n", 9, "line 2, column 4");
    assert_refused("a: \"\xe2\x80\xa8\"\nb: *x\n", 12, "line 3, column 4");
}

static void only_utf8_is_read(void **state)
{
    (void)state;
    assert_refused("a: \xff\n", 3, "line 1, column 4: invalid leading UTF-8 octet");
    assert_refused("a: 1\nb: \xc3(\n", 8, "line 2, column 4");
    assert_refused("a: \xed\xa0\x80\n", 3, "line 1, column 4");
    assert_refused("a: \xc0\x80\n", 3, NULL);
    assert_refused("a: \xf0\x9f\x98", 3, "incomplete");
    assert_refused("a: \x01\n", 3, "control characters");
    assert_refused("\xc3\xa9: \x7f\n", 4, "line 1, column 4: control characters");
    assert_refused("\xef\xbb\xbf\x61: \xff\n", 6, "line 1, column 4");
    assert_refused_with(kin_str_make("a: \0\n", 5), NULL, KIN_EPARSE, 3, "control characters");
    /* UTF-16, with its byte order mark. */
    assert_refused_with(kin_str_make("\xff\xfe\x61\x00:\x00 \x00\x31\x00", 10), NULL, KIN_EPARSE, 0,
                        NULL);
}

/* --- limits --- */

/* open × n, middle, close × n */
static void repeat(kin__buf *buf, const char *open, const char *middle, const char *close,
                   unsigned n)
{
    kin__buf_init(buf, 100u * 1024 * 1024);
    for (unsigned i = 0; i < n; i++)
        kin__buf_append(buf, kin_str_of(open));
    kin__buf_append(buf, kin_str_of(middle));
    for (unsigned i = 0; i < n; i++)
        kin__buf_append(buf, kin_str_of(close));
}

static void depth_is_bounded(void **state)
{
    static const char *const forms[][3] = {{"{a: ", "1", "}"}, {"a: [", "1", "]"}};
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;
    const kin_object *object;
    kin__buf buf;

    (void)state;
    options.max_depth = 10;
    repeat(&buf, forms[0][0], forms[0][1], forms[0][2], 10);
    assert_code(read_bare(&object, kin__buf_str(&buf), &options, NULL), 0);
    kin_object_unref(object);
    kin__buf_done(&buf);
    repeat(&buf, forms[0][0], forms[0][1], forms[0][2], 11);
    assert_refused_with(kin__buf_str(&buf), &options, KIN_ELIMIT, 40, "nested deeper than 10");
    kin__buf_done(&buf);

    repeat(&buf, forms[0][0], forms[0][1], forms[0][2], KIN__DEPTH_MAX);
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), 0);
    kin_object_unref(object);
    kin__buf_done(&buf);
    options.max_depth = KIN_DEPTH_MAX;
    repeat(&buf, forms[0][0], forms[0][1], forms[0][2], KIN__DEPTH_MAX + 1);
    assert_refused_with(kin__buf_str(&buf), &options, KIN_ELIMIT, 4 * KIN__DEPTH_MAX,
                        "nested deeper");
    kin__buf_done(&buf);

    /* Far beyond what anything recursive survives; unfinished, so nobody waits for the end. */
    repeat(&buf, forms[1][0], "", "", 1);
    for (unsigned i = 0; i < 1000000; i++)
        kin__buf_append_char(&buf, '[');
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), KIN_ELIMIT);
    kin__buf_done(&buf);
    repeat(&buf, "- ", "", "", 1000000);
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), KIN_ELIMIT);
    kin__buf_done(&buf);
}

/* A text of n values in a flow collection of this depth. */
static void make_flow(kin__buf *buf, unsigned depth, unsigned n)
{
    kin__buf_init(buf, SIZE_MAX - 1);
    kin__buf_append(buf, kin_str_of("a: "));
    for (unsigned i = 1; i < depth; i++)
        kin__buf_append_char(buf, '[');
    for (unsigned i = 0; i < n; i++)
        kin__buf_append(buf, kin_str_of("1,"));
    for (unsigned i = 1; i < depth; i++)
        kin__buf_append_char(buf, ']');
}

/* The work that is done for it is depth times values: either alone may be as large as it likes. */
static void values_in_deep_flows_are_bounded(void **state)
{
    const kin_object *object;
    kin_yaml_reader *reader;
    kin__buf buf;

    (void)state;
    make_flow(&buf, KIN__DEPTH_MAX, 100000);
    assert_refused_with(kin__buf_str(&buf), NULL, KIN_ELIMIT, 7064,
                        "deeply nested flow collections");
    kin__buf_done(&buf);
    make_flow(&buf, KIN__DEPTH_MAX, 1000);
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), 0);
    kin_object_unref(object);
    kin__buf_done(&buf);
    make_flow(&buf, 10, 100000);
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, NULL), 0);
    kin_object_unref(object);
    kin__buf_done(&buf);

    /* Many documents share the limit of their text. */
    kin__buf_init(&buf, SIZE_MAX - 1);
    for (unsigned i = 0; i < 100; i++) {
        kin__buf one;

        make_flow(&one, KIN__DEPTH_MAX, 1000);
        kin__buf_append(&buf, kin__buf_str(&one));
        kin__buf_append(&buf, kin_str_of("\n---\n"));
        kin__buf_done(&one);
    }
    assert_code(kin_yaml_reader_new(&reader, kin__buf_str(&buf), NULL, NULL), 0);
    int code = 0;
    unsigned n = 0;
    for (object = NULL; code == 0 && n < 100; n++) {
        code = kin_yaml_reader_next(reader, &object, NULL);
        if (code == 0)
            kin_object_unref(object);
    }
    assert_code(code, KIN_ELIMIT);
    assert_in_range(n, 2, 20);
    kin_yaml_reader_free(reader);
    kin__buf_done(&buf);
}

static void depth_through_aliases_is_bounded(void **state)
{
    static const char *const nestings[][2] = {{"[", "]"}, {"{x: ", "}"}, {"{<<: ", "}"}};

    (void)state;
    for (size_t i = 0; i < kin__array_len(nestings); i++) {
        const kin_object *object;
        kin_error err = KIN_ERROR_INIT;
        kin__buf buf;

        kin__buf_init(&buf, 1024 * 1024);
        kin__buf_append(&buf, kin_str_of("a0: &a0 {}\n"));
        /* The root, a0 and each of the others are one level each. */
        for (unsigned n = 1; n <= KIN__DEPTH_MAX - 2; n++)
            kin__buf_appendf(&buf, "a%u: &a%u %s*a%u%s\n", n, n, nestings[i][0], n - 1,
                             nestings[i][1]);
        assert_code(read_bare(&object, kin__buf_str(&buf), NULL, &err), 0);
        kin_object_unref(object);
        kin__buf_appendf(&buf, "z: %s*a%u%s\n", nestings[i][0], KIN__DEPTH_MAX - 2, nestings[i][1]);
        assert_code(read_bare(&object, kin__buf_str(&buf), NULL, &err), KIN_ELIMIT);
        assert_non_null(strstr(err.message, "nested deeper"));
        kin__buf_done(&buf);
    }
}

/* `levels` levels, each of which is ten times the one before. */
static void make_bomb(kin__buf *buf, unsigned levels, const char *seed)
{
    kin__buf_init(buf, 1024 * 1024);
    kin__buf_appendf(buf, "a0: &a0 %s\n", seed);
    for (unsigned i = 1; i <= levels; i++) {
        kin__buf_appendf(buf, "a%u: &a%u [", i, i);
        for (unsigned n = 0; n < 10; n++)
            kin__buf_appendf(buf, "%s*a%u", n ? ", " : "", i - 1);
        kin__buf_append(buf, kin_str_of("]\n"));
    }
}

static void bombs_are_refused_at_once(void **state)
{
    static const char *const seeds[] = {"x", "[x]", "{x: y}"};

    (void)state;
    for (size_t i = 0; i < kin__array_len(seeds); i++) {
        for (unsigned levels = 8; levels <= 400; levels *= 7) {
            const kin_object *object;
            kin_error err = KIN_ERROR_INIT;
            kin__buf buf;

            make_bomb(&buf, levels, seeds[i]);
            size_t before = kin_test_alloc_live();
            kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
            assert_code(read_bare(&object, kin__buf_str(&buf), NULL, &err), KIN_ELIMIT);
            /* Before anything was expanded, at an alias of one of the first levels. */
            assert_in_range(kin_test_alloc_count(), 1, 5000);
            assert_in_range(err.offset, 100, 500);
            assert_non_null(strstr(err.message, "aliases expand to too much"));
            assert_int_equal(kin_test_alloc_live(), before);
            kin__buf_done(&buf);
        }
    }
}

static void what_aliases_add_is_counted(void **state)
{
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;

    (void)state;
    /* x is two values, so the aliases add 2, 2, and with y again 2 + 2 + 3. */
    options.max_alias_values = 4;
    assert_reads_with(kin_str_of("a: &x [1]\nb: [*x, *x]\n"), &options,
                      "{\"a\":[1],\"b\":[[1],[1]]}");
    options.max_alias_values = 3;
    assert_refused_with(kin_str_of("a: &x [1]\nb: [*x, *x]\n"), &options, KIN_ELIMIT, 18,
                        "aliases expand");
    options.max_alias_values = 7;
    assert_reads_with(kin_str_of("a: &x [1]\nb: &y [*x, *x]\n<<: {c: *x}"), &options,
                      "{\"a\":[1],\"b\":[[1],[1]],\"c\":[1]}");
    assert_refused_with(kin_str_of("a: &x [1]\nb: &y [*x, *x]\nc: *y"), &options, KIN_ELIMIT, 28,
                        "aliases expand");
    options.max_alias_values = 9;
    assert_reads_with(kin_str_of("a: &x [1]\nb: &y [*x, *x]\nc: *y"), &options,
                      "{\"a\":[1],\"b\":[[1],[1]],\"c\":[[1],[1]]}");
    /* Scalars are values too. */
    options.max_alias_values = 1;
    assert_refused_with(kin_str_of("a: &x 1\nb: [*x, *x]"), &options, KIN_ELIMIT, 16, NULL);
    /* The count begins anew with each document. */
    kin_yaml_reader *reader;
    const kin_object *object;
    assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: &x 1\nb: *x\n---\na: &x 1\nb: *x\n"),
                                    &options, NULL),
                0);
    for (unsigned i = 0; i < 2; i++) {
        assert_code(kin_yaml_reader_next(reader, &object, NULL), 0);
        kin_object_unref(object);
    }
    kin_yaml_reader_free(reader);
    /* Texts may add as many bytes as the input may have. */
    options.max_alias_values = 0;
    options.max_bytes = 40;
    assert_reads_with(kin_str_of("a: &x 0123456789\nb: [*x, *x, *x, *x]\n"), &options,
                      "{\"a\":123456789,\"b\":[123456789,123456789,123456789,123456789]}");
    assert_refused_with(kin_str_of("a: &x z123456789\nb: [*x,*x,*x,*x,*x]\n"), &options, KIN_ELIMIT,
                        33, "aliases expand");
}

static void size_is_bounded(void **state)
{
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;
    const kin_object *object;
    kin_yaml_reader *reader = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.max_bytes = 5;
    assert_reads_with(kin_str_of("a: 1\n"), &options, "{\"a\":1}");
    assert_refused_with(kin_str_of("a: 12\n"), &options, KIN_ELIMIT, 5, "more than 5");
    assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: 12\n"), &options, &err), KIN_ELIMIT);
    assert_null(reader);
    /* Nobody reads what is too large: there need not be anything. */
    assert_code(
        kin_object_from_yaml(&object, kin_str_make("a", KIN_DECODE_MAX_BYTES + 1), NULL, &err),
        KIN_ELIMIT);
    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    assert_code(
        kin_object_from_yaml(&object, kin_str_make("a", (size_t)KIN__TEXT_MAX + 1), &options, &err),
        KIN_ELIMIT);
}

static void limits_beyond_what_is_possible_are_refused(void **state)
{
    kin_yaml_options options = KIN_YAML_OPTIONS_INIT;
    kin_yaml_reader *reader = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.max_bytes = (size_t)KIN_DECODE_MAX_BYTES_LIMIT + 1;
    assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: 1\n"), &options, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    options.max_bytes = KIN_DECODE_MAX_BYTES_LIMIT;
    options.max_depth = KIN_DEPTH_MAX + 1;
    assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: 1\n"), &options, &err), KIN_EINVAL);
    assert_null(reader);
    options.max_depth = KIN_DEPTH_MAX;
    assert_reads_with(kin_str_of("a: 1\n"), &options, "{\"a\":1}");
}

static void tag_directives_are_bounded(void **state)
{
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;
    kin__buf buf;

    (void)state;
    kin__buf_init(&buf, 100000);
    for (unsigned i = 0; i < 64; i++)
        kin__buf_appendf(&buf, "%%TAG !t%u! tag:x%u\n", i, i);
    size_t directives = buf.len;
    kin__buf_append(&buf, kin_str_of("---\na: \"%TAG %TAG\"\n%: 1"));
    buf.data[buf.len - 4] = 'b';
    kin__buf_append(&buf, kin_str_of("%TAG"));
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, &err), 0);
    kin_object_unref(object);
    buf.len = directives;
    kin__buf_append(&buf, kin_str_of("%TAG !x! tag:x\n---\na: 1\n"));
    assert_code(read_bare(&object, kin__buf_str(&buf), NULL, &err), KIN_ELIMIT);
    assert_non_null(strstr(err.message, "%TAG"));
    kin__buf_done(&buf);
}

static void options_need_their_size(void **state)
{
    kin_yaml_options options = {0, 0, 0, 0, false};
    kin_yaml_reader *reader = NULL;
    const kin_object *object = NULL;

    (void)state;
    assert_code(kin_object_from_yaml(&object, kin_str_of("a: 1"), &options, NULL), KIN_EINVAL);
    assert_code(kin_yaml_reader_new(&reader, kin_str_of("a: 1"), &options, NULL), KIN_EINVAL);
    assert_null(object);
    assert_null(reader);
    /* Those of a program that knows fewer fields: what it has no room for is not read. */
    options.size = offsetof(kin_yaml_options, max_depth);
    options.max_depth = 1;
    options.allow_duplicate_keys = true;
    assert_reads_with(kin_str_of("a: [1]"), &options, "{\"a\":[1]}");
    assert_refused_with(kin_str_of("a: 1\na: 2"), &options, KIN_EPARSE, 5, "already");
    /* And of one that knows more. */
    struct {
        kin_yaml_options known;
        char unknown[64];
    } newer = {{sizeof(newer), 0, 0, 0, true}, {1}};
    assert_reads_with(kin_str_of("a: 1\na: 2"), &newer.known, "{\"a\":2}");
}

/* --- memory --- */

static int read_everything(void *arg, kin_error *err)
{
    static const char text[] =
        "a: &x [1, 0x1F, yes, ~, 1.5, \"q\\u0041\", !!binary aGk=, {b: c}]\n"
        "? long key\n: |\n  lines\n  more\n"
        "1.5: &s text\n*s : *x\n"
        "m: {<<: [{a: 1}, {b: [*s, *x]}], k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, k6: 6, k7: 7, k8: 8}\n"
        "---\n---\nb: {c: &y [], d: *y}\n";
    kin_yaml_reader *reader;
    int code = kin_yaml_reader_new(&reader, kin_str_of(text), NULL, err);
    unsigned documents = 0;

    (void)arg;
    while (!code) {
        const kin_object *object = NULL;

        code = kin_yaml_reader_next(reader, &object, err);
        if (code || !object) {
            kin_yaml_reader_free(reader);
            break;
        }
        kin_object_unref(object);
        documents++;
    }
    if (!code)
        assert_int_equal(documents, 2);
    return code;
}

static int read_one(void *arg, kin_error *err)
{
    const kin_object *object = NULL;
    int code = kin_object_from_yaml(&object, kin_str_of((const char *)arg), NULL, err);

    kin_object_unref(object);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    static char with_tags[] = "%TAG !k! tag:yaml.org,2002:\n--- # c\na: !k!int &x \"3\"\nb: *x\n";
    static char after[] = "a: {b: c}\n---\n...\n";
    static char large[40100] = "a: 1.";

    (void)state;
    /* Texts too large for the memory that others left. */
    memset(large + 5, '1', 20000);
    snprintf(large + 20005, sizeof(large) - 20005, "\nb: !!binary ");
    memset(large + strlen(large), 'A', 20000);
    parser_allocations = 0;
    kin_test_fail_each_allocation(read_everything, NULL);
    kin_test_fail_each_allocation(read_one, with_tags);
    kin_test_fail_each_allocation(read_one, after);
    kin_test_fail_each_allocation(read_one, large);
    assert_in_range(parser_allocations, 100, SIZE_MAX); /* those of libyaml are among them */
}

static void what_fails_leaves_nothing_behind(void **state)
{
    static const char *const broken[] = {
        "a: &x [1, {b: *x}]", "a: &x [1]\nb: {c: [*x, *x, \"", "a: 1\n---\nb: 2",
        "a: {b: 1, b: 2}",    "a: &x {b: 1}\n<<: [*x, 1]",     "a: [1, 2, {c: !!int x}]",
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(broken); i++) {
        const kin_object *object;
        size_t before = kin_test_alloc_live();

        assert_code(read_bare(&object, kin_str_of(broken[i]), NULL, NULL), KIN_EPARSE);
        assert_int_equal(kin_test_alloc_live(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_manifest_is_read_in_order),
        cmocka_unit_test(plain_scalars_are_resolved_and_others_are_strings),
        cmocka_unit_test(integers_are_integers),
        cmocka_unit_test(tags_decide),
        cmocka_unit_test(keys_become_strings),
        cmocka_unit_test(aliases_are_copies),
        cmocka_unit_test(merge_keys_put_members_in_their_place),
        cmocka_unit_test(a_key_may_be_written_once),
        cmocka_unit_test(numbers_that_json_lacks_are_refused),
        cmocka_unit_test(there_is_one_document),
        cmocka_unit_test(a_reader_gives_one_document_after_the_other),
        cmocka_unit_test(a_failure_ends_the_reading),
        cmocka_unit_test(a_reader_may_be_freed_at_any_time),
        cmocka_unit_test(errors_tell_line_column_and_byte),
        cmocka_unit_test(only_utf8_is_read),
        cmocka_unit_test(depth_is_bounded),
        cmocka_unit_test(values_in_deep_flows_are_bounded),
        cmocka_unit_test(depth_through_aliases_is_bounded),
        cmocka_unit_test(bombs_are_refused_at_once),
        cmocka_unit_test(what_aliases_add_is_counted),
        cmocka_unit_test(size_is_bounded),
        cmocka_unit_test(limits_beyond_what_is_possible_are_refused),
        cmocka_unit_test(tag_directives_are_bounded),
        cmocka_unit_test(options_need_their_size),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(what_fails_leaves_nothing_behind),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
