/* SPDX-License-Identifier: Apache-2.0 */
#include "edit_support.h"

#include "alloc.h"
#include "kinform/path.h"
#include "object/keys.h"
#include "object/path.h"
#include "oom.h"

static kin_path *parse(const char *text)
{
    kin_path *path = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_path_parse(&path, kin_str_of(text), &err) < 0)
        fail_msg("\"%s\": %s", text, err.message);
    return path;
}

static void assert_same_steps(const kin_path *a, const kin_path *b)
{
    assert_int_equal(a->len, b->len);
    for (size_t i = 0; i < a->len; i++) {
        assert_int_equal(a->steps[i].type, b->steps[i].type);
        assert_int_equal(a->steps[i].index, b->steps[i].index);
        assert_true(kin_str_equal(a->steps[i].key, b->steps[i].key));
    }
}

/* --- the grammar --- */

/* Steps as they are understood: keys in angle brackets, indexes in square ones. */
static void describe(char *buf, size_t size, const kin_path *path)
{
    size_t n = 0;

    buf[0] = '\0';
    for (size_t i = 0; i < path->len; i++) {
        const kin__step *s = &path->steps[i];

        if (s->type == KIN__STEP_KEY)
            n += (size_t)snprintf(buf + n, size - n, "<%" KIN_STR_FMT ">", KIN_STR_ARG(s->key));
        else if (s->type == KIN__STEP_INDEX)
            n += (size_t)snprintf(buf + n, size - n, "[%u]", (unsigned)s->index);
        else
            n += (size_t)snprintf(buf + n, size - n,
                                  s->type == KIN__STEP_ANY_KEY ? "<ANY>" : "[ANY]");
        assert_true(n < size);
    }
}

static const struct {
    const char *text;
    const char *steps;
    const char *printed;
} good[] = {
    {"", "", ""},
    {".", "", ""},
    {"spec", "<spec>", "spec"},
    {".spec", "<spec>", "spec"},
    {"spec.containers[0].image", "<spec><containers>[0]<image>", "spec.containers[0].image"},
    {".spec.containers[0]", "<spec><containers>[0]", "spec.containers[0]"},
    {"[0]", "[0]", "[0]"},
    {".[7]", "[7]", "[7]"},
    {"[1][20]", "[1][20]", "[1][20]"},
    {"a[4294967295]", "<a>[4294967295]", "a[4294967295]"},
    {"metadata.labels.app\\.kubernetes\\.io/name", "<metadata><labels><app.kubernetes.io/name>",
     "metadata.labels.app\\.kubernetes\\.io/name"},
    {"metadata.labels['app.kubernetes.io/name']", "<metadata><labels><app.kubernetes.io/name>",
     "metadata.labels.app\\.kubernetes\\.io/name"},
    {"metadata.labels[\"app.kubernetes.io/name\"]", "<metadata><labels><app.kubernetes.io/name>",
     "metadata.labels.app\\.kubernetes\\.io/name"},
    {"a.b\\.c\\.d\\.e\\.f", "<a><b.c.d.e.f>", "a['b.c.d.e.f']"}, /* shorter in quotes */
    {"a.b\\.c\\.d\\.e", "<a><b.c.d.e>", "a.b\\.c\\.d\\.e"},
    {"['a']", "<a>", "a"},
    {".['a'].b", "<a><b>", "a.b"},
    {"['']", "<>", "['']"},
    {"a['']['b']", "<a><><b>", "a[''].b"},
    {"\\[0\\]", "<[0]>", "\\[0\\]"},
    {"a\\\\b", "<a\\b>", "a\\\\b"},
    {"\\a\\b", "<ab>", "ab"},
    {"['it\\'s']", "<it's>", "it's"},
    {"[\"it's\"]", "<it's>", "it's"},
    {"['say \"x\" and \\\\']", "<say \"x\" and \\>", "say \"x\" and \\\\"},
    {"\\*", "<*>", "\\*"},
    {"['*']", "<*>", "\\*"},
    {"a*", "<a*>", "a*"},
    {"**.*a", "<**><*a>", "**.*a"},
    {"a b. c", "<a b>< c>", "a b. c"},
    {"0.1", "<0><1>", "0.1"},
    {"\xd0\xba\\\xd0\xbb", "<\xd0\xba\xd0\xbb>", "\xd0\xba\xd0\xbb"},
    {"$.a", "<$><a>", "$.a"},
};

static void paths_are_understood_and_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(good); i++) {
        kin_path *path = parse(good[i].text);
        char steps[256];
        char *printed = NULL;
        size_t len = 0;

        describe(steps, sizeof(steps), path);
        assert_string_equal(steps, good[i].steps);
        assert_code(kin_path_print(&printed, &len, path, NULL), 0);
        assert_string_equal(printed, good[i].printed);
        assert_int_equal(len, strlen(printed));
        kin_path *again = parse(printed);
        assert_same_steps(again, path);
        kin_path_free(again);
        kin_free(printed);
        kin_path_free(path);
    }
}

static const struct {
    const char *text;
    uint64_t offset;
} malformed[] = {
    {"..", 1},
    {"..a", 1},
    {"a.", 2},
    {"a..b", 2},
    {"a.[0]", 2},
    {"[", 1},
    {"[]", 1},
    {"[a]", 1},
    {"[-1]", 1},
    {"[+1]", 1},
    {"[ 0]", 1},
    {"[0 ]", 2},
    {"[0", 2},
    {"[01]", 1},
    {"[00]", 1},
    {"a[1]b", 4},
    {"a]", 1},
    {"]", 0},
    {"a[0]]", 4},
    {"[4294967296]", 1},
    {"*", 0},
    {"a.*", 2},
    {"a[*]", 2},
    {"*[0]", 0},
    {"['a]", 4},
    {"['a'", 4},
    {"['a'x]", 4},
    {"[\"a']", 5},
    {"a\\", 1},
    {"['a\\", 3},
    {"['a\\']", 6},
    {"a\xff", 1},
    {"a\\\xff", 2},
    {"['\xc3(']", 2},
    {"\xed\xa0\x80", 0},
    {"a.b\xc3", 3},
    {"[99999999999999999999]", 1},
};

static void malformed_paths_are_refused_at_the_byte(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(malformed); i++) {
        kin_path *path = NULL;
        kin_error err = KIN_ERROR_INIT;
        kin_value value = {NULL, NULL};
        int code = kin_path_parse(&path, kin_str_of(malformed[i].text), &err);

        if (code != KIN_EPARSE || err.offset != malformed[i].offset)
            fail_msg("\"%s\" gave %d at %u", malformed[i].text, code, (unsigned)err.offset);
        assert_int_equal(err.code, KIN_EPARSE);
        assert_null(path);
        kin_error_clear(&err);
        /* Lookups refuse the same, at the same byte. */
        assert_code(kin_value_find(&value, value, kin_str_of(malformed[i].text), &err), KIN_EPARSE);
        assert_int_equal(err.offset, malformed[i].offset);
    }
}

static void a_zero_byte_is_part_of_a_name(void **state)
{
    kin_path *path = NULL;
    char *printed = NULL;
    size_t len = 0;

    (void)state;
    assert_code(kin_path_parse(&path, kin_str_make("a\0b.c", 5), NULL), 0);
    assert_int_equal(path->len, 2);
    assert_true(kin_str_equal(path->steps[0].key, kin_str_make("a\0b", 3)));
    assert_code(kin_path_print(&printed, &len, path, NULL), 0);
    assert_int_equal(len, 5);
    assert_memory_equal(printed, "a\0b.c", 6);
    kin_free(printed);
    assert_code(kin_path_print(&printed, NULL, path, NULL), 0);
    kin_free(printed);
    kin_path_free(path);
}

static void patterns_have_wildcards(void **state)
{
    static const struct {
        const char *text;
        const char *steps;
        const char *printed;
    } rows[] = {
        {"spec.containers[*].image", "<spec><containers>[ANY]<image>", "spec.containers[*].image"},
        {"metadata.labels.*", "<metadata><labels><ANY>", "metadata.labels.*"},
        {"*", "<ANY>", "*"},
        {"[*]", "[ANY]", "[*]"},
        {"*.*[*][3]", "<ANY><ANY>[ANY][3]", "*.*[*][3]"},
        {"\\*['*']", "<*><*>", "\\*.\\*"},
        {"a*", "<a*>", "a*"},
    };
    kin_path *path = NULL;

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char steps[256];
        char *printed = NULL;

        assert_code(kin__path_parse(&path, kin_str_of(rows[i].text), true, NULL), 0);
        describe(steps, sizeof(steps), path);
        assert_string_equal(steps, rows[i].steps);
        assert_code(kin_path_print(&printed, NULL, path, NULL), 0);
        assert_string_equal(printed, rows[i].printed);
        kin_free(printed);
        kin_path_free(path);
    }
    assert_code(kin__path_parse(&path, kin_str_of("[**]"), true, NULL), KIN_EPARSE);
    assert_code(kin__path_parse(&path, kin_str_of("[*"), true, NULL), KIN_EPARSE);
}

/* --- limits --- */

static void the_length_is_limited(void **state)
{
    static char text[KIN_PATH_MAX_LENGTH + 1];
    kin_path *path = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_value value = {NULL, NULL};

    (void)state;
    memset(text, 'a', sizeof(text));
    assert_code(kin_path_parse(&path, kin_str_make(text, KIN_PATH_MAX_LENGTH), &err), 0);
    kin_path_free(path);
    path = NULL;
    assert_code(kin_path_parse(&path, kin_str_make(text, sizeof(text)), &err), KIN_ELIMIT);
    assert_null(path);
    assert_int_equal(err.offset, KIN_PATH_MAX_LENGTH);
    assert_code(kin_value_find(&value, value, kin_str_make(text, sizeof(text)), NULL), KIN_ELIMIT);
}

/* A name that takes twice its length without quotes, or with the wrong ones, is still printed. */
static void the_longest_path_can_be_printed(void **state)
{
    static char text[KIN_PATH_MAX_LENGTH];
    static const char fill[] = {'.', '\'', '"', '['};

    (void)state;
    for (size_t i = 0; i < kin__array_len(fill); i++) {
        char quote = fill[i] == '\'' ? '"' : '\'';
        kin_path *path = NULL;
        kin_path *again = NULL;
        char *printed = NULL;
        size_t len = 0;

        memset(text, fill[i], sizeof(text));
        memcpy(text, (char[]){'[', quote}, 2);
        memcpy(text + sizeof(text) - 2, (char[]){quote, ']'}, 2);
        assert_code(kin_path_parse(&path, kin_str_make(text, sizeof(text)), NULL), 0);
        assert_code(kin_path_print(&printed, &len, path, NULL), 0);
        assert_true(len <= sizeof(text));
        assert_code(kin_path_parse(&again, kin_str_make(printed, len), NULL), 0);
        assert_same_steps(path, again);
        kin_path_free(path);
        kin_path_free(again);
        kin_free(printed);
    }
}

static void the_number_of_steps_is_limited(void **state)
{
    char text[2 * KIN_PATH_MAX_STEPS + 2];
    kin_path *path = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    for (size_t i = 0; i < KIN_PATH_MAX_STEPS + 1; i++)
        memcpy(text + 2 * i, ".a", 2);
    assert_code(kin_path_parse(&path, kin_str_make(text, 2 * KIN_PATH_MAX_STEPS), &err), 0);
    assert_int_equal(path->len, KIN_PATH_MAX_STEPS);
    kin_path_free(path);
    assert_code(kin_path_parse(&path, kin_str_make(text, sizeof(text)), &err), KIN_ELIMIT);
    assert_int_equal(err.offset, 2 * KIN_PATH_MAX_STEPS);
}

/* --- lookups --- */

#define POD                                                                                        \
    "{'metadata':{'name':'p','labels':{'app.kubernetes.io/name':'web','':'empty','*':'star'}},"    \
    "'spec':{'containers':[{'image':'a'},{'image':'b'}],'none':null},'odd key':[[1,2],[3]]}"

static const struct {
    const char *path;
    const char *json; /* NULL: nothing is there */
} lookups[] = {
    {"metadata.name", "'p'"},
    {".metadata.name", "'p'"},
    {"spec.containers[1].image", "'b'"},
    {"spec.containers[1]", "{'image':'b'}"},
    {"metadata.labels.app\\.kubernetes\\.io/name", "'web'"},
    {"metadata.labels['app.kubernetes.io/name']", "'web'"},
    {"metadata.labels['']", "'empty'"},
    {"metadata.labels.\\*", "'star'"},
    {"odd key[0][1]", "2"},
    {"spec.none", "null"},
    {"spec.none.more", NULL},
    {"spec.containers[2]", NULL},
    {"spec.containers[4294967295]", NULL},
    {"spec.containers.image", NULL},
    {"spec[0]", NULL},
    {"metadata.name[0]", NULL},
    {"metadata.name.x", NULL},
    {"missing.more[3].still", NULL},
    {"metadata.labels.app.kubernetes.io/name", NULL},
};

static void check_value(kin_value value, const char *json)
{
    char *text = NULL;

    if (!json) {
        assert_int_equal(kin_value_type(value), KIN_NONE);
        return;
    }
    char *expected = quoted(json);
    assert_code(kin_value_to_json(&text, NULL, value, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
    free(expected);
}

static void all_lookups_find_the_same(void **state)
{
    const kin_object *pod = doc(POD);

    (void)state;
    for (size_t i = 0; i < kin__array_len(lookups); i++) {
        const char *text = lookups[i].path;
        kin_path *path = parse(text);
        kin_value found = {NULL, NULL};
        kin_error err = KIN_ERROR_INIT;

        check_value(kin_object_get(pod, path), lookups[i].json);
        check_value(kin_path_get(path, kin_object_root(pod)), lookups[i].json);
        check_value(kin_object_find(pod, text), lookups[i].json);
        assert_code(kin_value_find(&found, kin_object_root(pod), kin_str_of(text), &err),
                    lookups[i].json ? 0 : KIN_ENOTFOUND);
        assert_int_equal(err.code, lookups[i].json ? 0 : KIN_ENOTFOUND);
        check_value(found, lookups[i].json);
        kin_path_free(path);
    }
    kin_object_unref(pod);
}

static void the_empty_path_is_the_whole(void **state)
{
    const kin_object *pod = doc("{'a':1}");
    kin_path *path = parse("");

    (void)state;
    check_value(kin_object_get(pod, path), "{'a':1}");
    check_value(kin_object_find(pod, ""), "{'a':1}");
    check_value(kin_object_find(pod, "."), "{'a':1}");
    check_value(kin_object_find(pod, NULL), "{'a':1}");
    kin_path_free(path);
    kin_object_unref(pod);
}

static void lookups_begin_anywhere(void **state)
{
    const kin_object *pod = doc(POD);
    kin_value spec = kin_object_find(pod, "spec");
    kin_path *path = parse("containers[0].image");
    kin_value found;

    (void)state;
    check_value(kin_path_get(path, spec), "'a'");
    assert_code(kin_value_find(&found, spec, kin_str_of("containers[0].image"), NULL), 0);
    check_value(found, "'a'");
    kin_path_free(path);
    kin_object_unref(pod);
}

static void a_failed_find_touches_nothing(void **state)
{
    const kin_object *pod = doc(POD);
    kin_value before = kin_object_find(pod, "metadata.name");
    kin_value found = before;

    (void)state;
    assert_code(kin_value_find(&found, kin_object_root(pod), kin_str_of("x"), NULL), KIN_ENOTFOUND);
    assert_code(kin_value_find(&found, kin_object_root(pod), kin_str_of("x["), NULL), KIN_EPARSE);
    /* What is malformed is that, also when nothing is there long before. */
    assert_code(kin_value_find(&found, kin_object_root(pod), kin_str_of("x.y.z."), NULL),
                KIN_EPARSE);
    assert_ptr_equal(found.at, before.at);
    assert_ptr_equal(found.owner, before.owner);
    check_value(kin_object_find(pod, "metadata.name["), NULL);
    kin_object_unref(pod);
}

static void nothing_is_in_other_objects(void **state)
{
    const kin_object *key = NULL;
    kin_path *path = parse("a");

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("ns/name"), NULL), 0);
    check_value(kin_object_get(key, path), NULL);
    check_value(kin_object_find(key, "a"), NULL);
    check_value(kin_object_find(key, ""), NULL);
    kin_object_unref(key);
    kin_path_free(path);
}

/* A path that was compiled before the dictionary learnt its key finds it in all documents. */
static void keys_may_be_learnt_after_compiling(void **state)
{
    static const char key[] = "aKeyThatIsMetHereForTheFirstTime";
    const kin_object *docs[64];
    kin_path *path = parse(key);

    (void)state;
    assert_int_equal(path->steps[0].id, KIN__KEY_TEXT);
    for (size_t i = 0; i < kin__array_len(docs); i++)
        docs[i] = doc("{'aKeyThatIsMetHereForTheFirstTime':'yes'}");
    kin_path *late = parse(key);
    for (size_t i = 0; i < kin__array_len(docs); i++) {
        check_value(kin_object_get(docs[i], path), "'yes'");
        check_value(kin_object_get(docs[i], late), "'yes'");
        check_value(kin_object_find(docs[i], key), "'yes'");
        kin_object_unref(docs[i]);
    }
    kin_path_free(late);
    kin_path_free(path);
}

static void finding_by_text_allocates_nothing(void **state)
{
    const kin_object *pod = doc(POD);

    (void)state;
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    check_value(kin_object_find(pod, "metadata.labels.none\\.such"), NULL);
    kin_value found = kin_object_find(pod, "metadata.labels.app\\.kubernetes\\.io/name");
    assert_int_equal(kin_test_alloc_count(), 0);
    check_value(found, "'web'");
    kin_object_unref(pod);
}

/* --- typed getters --- */

#define FIELDS                                                                                     \
    "{'metadata':{'name':'web','uid':'8d5bd3f1-5a7b-4a52-9d0c-0242ac120002',"                      \
    "'creationTimestamp':'2024-05-06T07:08:09Z'},"                                                 \
    "'s':'abc','empty':'','quoted':'a\\n\\\"b','cut':'a\\u0000b','i':-7,'d':2.5,'huge':1e400,"     \
    "'big':9223372036854775808,'yes':true,'null':null,'cpu':'250m','map':{}}"

static void strings_are_copied(void **state)
{
    const kin_object *object = doc(FIELDS);
    char buf[64];

    (void)state;
    assert_code(kin_object_get_string(object, "s", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "abc");
    assert_code(kin_object_get_string(object, "empty", buf, 1), 0);
    assert_string_equal(buf, "");
    assert_code(kin_object_get_string(object, "quoted", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "a\n\"b");
    /* Both are stored in a compact form, without their text. */
    assert_code(kin_object_get_string(object, "metadata.uid", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "8d5bd3f1-5a7b-4a52-9d0c-0242ac120002");
    assert_code(kin_object_get_string(object, "metadata.creationTimestamp", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "2024-05-06T07:08:09Z");
    kin_object_unref(object);
}

static void a_string_that_cannot_be_copied_leaves_the_buffer(void **state)
{
    const kin_object *object = doc(FIELDS);
    char buf[8] = "default";

    (void)state;
    assert_code(kin_object_get_string(object, "s", buf, 4), 0);
    assert_memory_equal(buf, "abc\0ult", 8);
    memcpy(buf, "default", sizeof(buf));
    assert_code(kin_object_get_string(object, "s", buf, 3), KIN_ELIMIT);
    assert_code(kin_object_get_string(object, "empty", buf, 0), KIN_ELIMIT);
    assert_code(kin_object_get_string(object, "cut", buf, sizeof(buf)), KIN_ERANGE);
    assert_code(kin_object_get_string(object, "none.such", buf, sizeof(buf)), KIN_ENOTFOUND);
    assert_code(kin_object_get_string(object, "null", buf, sizeof(buf)), KIN_ETYPE);
    assert_code(kin_object_get_string(object, "i", buf, sizeof(buf)), KIN_ETYPE);
    assert_code(kin_object_get_string(object, "map", buf, sizeof(buf)), KIN_ETYPE);
    assert_code(kin_object_get_string(object, "s..s", buf, sizeof(buf)), KIN_EINVAL);
    assert_code(kin_object_get_string(object, NULL, buf, sizeof(buf)), KIN_EINVAL);
    assert_code(kin_object_get_string(NULL, "s", buf, sizeof(buf)), KIN_EINVAL);
    assert_code(kin_object_get_string(object, "s", NULL, 0), KIN_EINVAL);
    assert_string_equal(buf, "default");
    kin_object_unref(object);
}

static void numbers_and_booleans_are_read_by_path(void **state)
{
    const kin_object *object = doc(FIELDS);
    int64_t i = 99;
    double d = 99;
    bool b = false;

    (void)state;
    assert_code(kin_object_get_int64(object, "d", &i), KIN_ERANGE);
    assert_code(kin_object_get_int64(object, "big", &i), KIN_ERANGE);
    assert_code(kin_object_get_int64(object, "s", &i), KIN_ETYPE);
    assert_code(kin_object_get_int64(object, "x", &i), KIN_ENOTFOUND);
    assert_code(kin_object_get_int64(object, "i", NULL), KIN_EINVAL);
    assert_int_equal(i, 99);
    assert_code(kin_object_get_int64(object, "i", &i), 0);
    assert_int_equal(i, -7);
    assert_code(kin_object_get_double(object, "huge", &d), KIN_ERANGE);
    assert_code(kin_object_get_double(object, "yes", &d), KIN_ETYPE);
    assert_code(kin_object_get_double(object, "x[0]", &d), KIN_ENOTFOUND);
    assert_true(d == 99);
    assert_code(kin_object_get_double(object, "d", &d), 0);
    assert_true(d == 2.5);
    assert_code(kin_object_get_bool(object, "i", &b), KIN_ETYPE);
    assert_code(kin_object_get_bool(object, "x", &b), KIN_ENOTFOUND);
    assert_false(b);
    assert_code(kin_object_get_bool(object, "yes", &b), 0);
    assert_true(b);
    kin_object_unref(object);
}

static void times_and_quantities_are_read_by_path(void **state)
{
    const kin_object *object = doc(FIELDS);
    kin_time t = {99, 0};
    kin_quantity q = {.low = 99};
    int64_t milli = 0;

    (void)state;
    assert_code(kin_object_get_time(object, "s", &t), KIN_EPARSE);
    assert_code(kin_object_get_time(object, "i", &t), KIN_ETYPE);
    assert_code(kin_object_get_time(object, "x", &t), KIN_ENOTFOUND);
    assert_int_equal(t.seconds, 99);
    assert_code(kin_object_get_time(object, "metadata.creationTimestamp", &t), 0);
    assert_int_equal(t.seconds, 1714979289);
    assert_code(kin_object_get_quantity(object, "s", &q), KIN_EPARSE);
    assert_code(kin_object_get_quantity(object, "yes", &q), KIN_ETYPE);
    assert_code(kin_object_get_quantity(object, "x", &q), KIN_ENOTFOUND);
    assert_int_equal(q.low, 99);
    assert_code(kin_object_get_quantity(object, "cpu", &q), 0);
    assert_code(kin_quantity_milli_value(&milli, q, NULL), 0);
    assert_int_equal(milli, 250);
    assert_code(kin_object_get_quantity(object, "d", &q), 0);
    assert_code(kin_quantity_milli_value(&milli, q, NULL), 0);
    assert_int_equal(milli, 2500);
    kin_object_unref(object);
}

static void getters_read_the_last_state_of_a_tombstone(void **state)
{
    const kin_object *object = doc(FIELDS);
    const kin_object *tombstone = NULL;
    const kin_object *key = NULL;
    char buf[8] = "";

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("ns/web"), object, NULL), 0);
    assert_code(kin_explicit_key_new(&key, kin_str_of("ns/web"), NULL), 0);
    assert_code(kin_object_get_string(tombstone, "s", buf, sizeof(buf)), 0);
    assert_string_equal(buf, "abc");
    assert_code(kin_object_get_string(key, "s", buf, sizeof(buf)), KIN_ENOTFOUND);
    kin_object_unref(key);
    kin_object_unref(tombstone);
    kin_object_unref(object);
}

static void getters_allocate_nothing(void **state)
{
    const kin_object *object = doc(FIELDS);
    char buf[64];
    kin_quantity q;
    int64_t i;

    (void)state;
    kin_test_alloc_arm(0, KIN_TEST_FAIL_ONE);
    assert_code(kin_object_get_string(object, "metadata.uid", buf, sizeof(buf)), 0);
    assert_code(kin_object_get_quantity(object, "cpu", &q), 0);
    assert_code(kin_object_get_int64(object, "i", &i), 0);
    assert_int_equal(kin_test_alloc_count(), 0);
    kin_object_unref(object);
}

static void freeing_nothing_is_harmless(void **state)
{
    (void)state;
    kin_path_free(NULL);
}

/* --- at random --- */

/* Every value of a document is found where its path says, whatever its keys are. */
static void check_paths_of(const kin_object *object, kin_value value, kin__buf *path)
{
    kin_iter it;
    kin_value found = {NULL, NULL};
    size_t len = path->len;
    kin_path *compiled = NULL;

    assert_code(kin_value_find(&found, kin_object_root(object), kin__buf_str(path), NULL), 0);
    assert_ptr_equal(found.at, value.at);
    assert_code(kin_path_parse(&compiled, kin__buf_str(path), NULL), 0);
    assert_ptr_equal(kin_object_get(object, compiled).at, value.at);
    kin_path_free(compiled);
    for (kin_iter_init(&it, value); kin_iter_next(&it);) {
        if (kin_value_type(value) == KIN_MAP)
            kin__path_append_key(path, it.key);
        else
            kin__path_append_index(path, it.index);
        check_paths_of(object, it.value, path);
        path->len = len;
        path->data[len] = '\0';
    }
}

static void every_value_has_a_path(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        kin_test_rng rng = {seed};
        ref_value *r = random_map(&rng, 4, true);
        const kin_object *object = ref_doc(r);
        kin__buf path;

        kin__buf_init(&path, 65536);
        check_paths_of(object, kin_object_root(object), &path);
        kin__buf_done(&path);
        kin_object_unref(object);
        ref_free(r);
    }
}

/* Texts of the grammar's own characters: what is accepted is printed and read again. */
static void what_is_accepted_can_be_printed(void **state)
{
    static const char alphabet[] = ".[]'\"\\*0123ab\xc3\xa4";
    kin_test_rng rng = {5};
    unsigned accepted = 0;

    (void)state;
    for (int i = 0; i < 200000; i++) {
        char text[12];
        size_t len = kin_test_below(&rng, sizeof(text));
        bool pattern = kin_test_below(&rng, 2);
        kin_path *path = NULL;

        for (size_t j = 0; j < len; j++)
            text[j] = alphabet[kin_test_below(&rng, sizeof(alphabet) - 1)];
        if (kin__path_parse(&path, kin_str_make(text, len), pattern, NULL) == 0) {
            kin_path *again = NULL;
            char *printed = NULL;
            size_t printed_len = 0;

            accepted++;
            assert_code(kin_path_print(&printed, &printed_len, path, NULL), 0);
            assert_true(printed_len <= len);
            assert_code(kin__path_parse(&again, kin_str_make(printed, printed_len), pattern, NULL),
                        0);
            assert_same_steps(path, again);
            kin_path_free(again);
            kin_free(printed);
        }
        kin_path_free(path);
    }
    assert_true(accepted > 10000);
}

static int parse_and_print(void *arg, kin_error *err)
{
    kin_path *path = NULL;
    char *printed = NULL;
    int code = kin_path_parse(&path, kin_str_of("spec.a\\.b['x y'][3]"), err);

    (void)arg;
    if (code == 0)
        code = kin_path_print(&printed, NULL, path, err);
    kin_free(printed);
    kin_path_free(path);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(parse_and_print, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_understood_and_printed),
        cmocka_unit_test(malformed_paths_are_refused_at_the_byte),
        cmocka_unit_test(a_zero_byte_is_part_of_a_name),
        cmocka_unit_test(patterns_have_wildcards),
        cmocka_unit_test(the_length_is_limited),
        cmocka_unit_test(the_longest_path_can_be_printed),
        cmocka_unit_test(the_number_of_steps_is_limited),
        cmocka_unit_test(all_lookups_find_the_same),
        cmocka_unit_test(the_empty_path_is_the_whole),
        cmocka_unit_test(lookups_begin_anywhere),
        cmocka_unit_test(a_failed_find_touches_nothing),
        cmocka_unit_test(nothing_is_in_other_objects),
        cmocka_unit_test(keys_may_be_learnt_after_compiling),
        cmocka_unit_test(finding_by_text_allocates_nothing),
        cmocka_unit_test(strings_are_copied),
        cmocka_unit_test(a_string_that_cannot_be_copied_leaves_the_buffer),
        cmocka_unit_test(numbers_and_booleans_are_read_by_path),
        cmocka_unit_test(times_and_quantities_are_read_by_path),
        cmocka_unit_test(getters_read_the_last_state_of_a_tombstone),
        cmocka_unit_test(getters_allocate_nothing),
        cmocka_unit_test(freeing_nothing_is_harmless),
        cmocka_unit_test(every_value_has_a_path),
        cmocka_unit_test(what_is_accepted_can_be_printed),
        cmocka_unit_test(every_allocation_may_fail),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
