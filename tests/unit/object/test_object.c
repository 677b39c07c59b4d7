/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects of any class: references, keys, names, labels, explicit keys and tombstones; and what a
 * document is known by, whatever it looks like and however often it was read.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "child.h"
#include "kinform/json.h"
#include "kinform/object.h"
#include "kinform/value.h"
#include "object/object.h"
#include "oom.h"
#include "random_document.h"
#include "reference.h"

#define ROUNDS 15

static void assert_str(kin_str actual, const char *expected)
{
    if (!kin_str_equal(actual, kin_str_of(expected)))
        fail_msg("\"%.*s\", not \"%s\"", (int)actual.len, actual.data, expected);
}

static const kin_object *decode_with(kin_decoder *decoder, const char *text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = decoder ? kin_decoder_decode(decoder, &object, kin_str_of(text), &err)
                       : kin_object_from_json(&object, kin_str_of(text), NULL, &err);

    if (code != 0)
        fail_msg("%s: %s", text, err.message);
    return object;
}

static const kin_object *decode(const char *text)
{
    return decode_with(NULL, text);
}

/* --- a class of the test's own --- */

struct backend {
    kin_object base;
    unsigned *destroyed;
    char key[32];
};

static kin_str backend_key(const kin_object *object)
{
    return kin_str_of(((const struct backend *)(const void *)object)->key);
}

static void backend_destroy(kin_object *object)
{
    ++*((struct backend *)(void *)object)->destroyed;
}

static kin_str backend_namespace(const kin_object *object)
{
    (void)object;
    return kin_str_of("its own namespace");
}

static kin_str backend_name(const kin_object *object)
{
    (void)object;
    return kin_str_of("its own name");
}

static kin_str backend_version(const kin_object *object)
{
    (void)object;
    return kin_str_of("12");
}

static bool backend_label(const kin_object *object, kin_str key, kin_str *ret_value)
{
    (void)object;
    if (!kin_str_equal(key, kin_str_of("port")))
        return false;
    *ret_value = kin_str_of("80");
    return true;
}

static const kin_object_class plain_class = {
    .size = sizeof(kin_object_class),
    .name = "plain",
    .key = backend_key,
    .destroy = backend_destroy,
};

static const kin_object_class rich_class = {
    .size = sizeof(kin_object_class),
    .name = "rich",
    .key = backend_key,
    .get_namespace = backend_namespace,
    .get_name = backend_name,
    .resource_version = backend_version,
    .label = backend_label,
    .destroy = backend_destroy,
};

static void a_class_needs_its_mandatory_parts(void **state)
{
    kin_object_class broken = plain_class;
    kin_error err = KIN_ERROR_INIT;
    kin_object object = {NULL, 0, 0};

    (void)state;
    assert_code(kin_object_init(&object, NULL, &err), KIN_EINVAL);
    broken.size = 0;
    assert_code(kin_object_init(&object, &broken, &err), KIN_EINVAL);
    broken = plain_class;
    broken.key = NULL;
    assert_code(kin_object_init(&object, &broken, &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    broken = plain_class;
    broken.destroy = NULL;
    assert_code(kin_object_init(&object, &broken, NULL), KIN_EINVAL);
    assert_null(object.object_class);
}

static void an_own_struct_is_an_object(void **state)
{
    unsigned destroyed = 0;
    struct backend backend = {.destroyed = &destroyed, .key = "team-a/web"};
    kin_str value = kin_str_of("untouched");

    (void)state;
    assert_code(kin_object_init(&backend.base, &plain_class, NULL), 0);
    assert_ptr_equal(kin_object_get_class(&backend.base), &plain_class);
    assert_string_equal(kin_object_key(&backend.base), "team-a/web");
    assert_str(kin__object_key(&backend.base), "team-a/web");
    assert_str(kin_object_namespace(&backend.base), "team-a");
    assert_str(kin_object_name(&backend.base), "web");
    assert_int_equal(kin_object_resource_version(&backend.base).len, 0);
    assert_false(kin_object_label(&backend.base, kin_str_of("port"), &value));
    assert_str(value, "untouched");
    strcpy(backend.key, "web");
    assert_int_equal(kin_object_namespace(&backend.base).len, 0);
    assert_str(kin_object_name(&backend.base), "web");
    strcpy(backend.key, "");
    assert_str(kin_object_name(&backend.base), "");
    strcpy(backend.key, "a/b/c");
    assert_str(kin_object_namespace(&backend.base), "a");
    assert_str(kin_object_name(&backend.base), "b/c");
    assert_false(kin_object_is_tombstone(&backend.base, NULL));

    assert_ptr_equal(kin_object_ref(&backend.base), &backend.base);
    kin_object_unref(&backend.base);
    assert_int_equal(destroyed, 0);
    kin_object_unref(&backend.base);
    assert_int_equal(destroyed, 1);
}

static void a_class_may_answer_all_questions_itself(void **state)
{
    unsigned destroyed = 0;
    struct backend backend = {.destroyed = &destroyed, .key = "team-a/web"};
    kin_str value = {NULL, 0};

    (void)state;
    assert_code(kin_object_init(&backend.base, &rich_class, NULL), 0);
    assert_str(kin_object_namespace(&backend.base), "its own namespace");
    assert_str(kin_object_name(&backend.base), "its own name");
    assert_str(kin_object_resource_version(&backend.base), "12");
    assert_true(kin_object_label(&backend.base, kin_str_of("port"), &value));
    assert_str(value, "80");
    assert_true(kin_object_label(&backend.base, kin_str_of("port"), NULL));
    assert_false(kin_object_label(&backend.base, kin_str_of("host"), NULL));
    kin_object_unref(&backend.base);
    assert_int_equal(destroyed, 1);
}

static void nothing_is_an_object_too(void **state)
{
    (void)state;
    assert_null(kin_object_ref(NULL));
    kin_object_unref(NULL);
}

#if KIN_DEBUG_CHECKS
static int unref_too_often(void *arg)
{
    static unsigned destroyed;
    static struct backend backend = {.destroyed = &destroyed};

    (void)arg;
    kin_object_init(&backend.base, &plain_class, NULL);
    kin_object_unref(&backend.base);
    kin_object_unref(&backend.base);
    return 0;
}

static void giving_back_too_much_is_caught(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, unref_too_often, NULL);
    assert_int_not_equal(child.signal, 0);
}
#endif

/* --- explicit keys and tombstones --- */

static void an_explicit_key_has_a_key_and_no_more(void **state)
{
    const kin_object *key = NULL;
    kin_error err = KIN_ERROR_INIT;
    const char *text = NULL;

    (void)state;
    assert_code(kin_explicit_key_new(&key, kin_str_of("team-a/web"), &err), 0);
    assert_string_equal(kin_object_key(key), "team-a/web");
    assert_str(kin_object_namespace(key), "team-a");
    assert_str(kin_object_name(key), "web");
    assert_int_equal(kin_object_resource_version(key).len, 0);
    assert_false(kin_object_label(key, kin_str_of("a"), NULL));
    assert_false(kin_object_is_tombstone(key, NULL));
    assert_code(kin_meta_namespace_key(&text, key, &err), 0);
    assert_string_equal(text, "team-a/web");
    kin_object_unref(key);
    assert_code(kin_explicit_key_new(&key, kin_str_make(NULL, 0), &err), 0);
    assert_string_equal(kin_object_key(key), "");
    kin_object_unref(key);
    key = NULL;
    assert_code(kin_explicit_key_new(&key, kin_str_make("a\0b", 3), &err), KIN_EINVAL);
    assert_int_equal(err.code, KIN_EINVAL);
    assert_null(key);
}

static void a_tombstone_answers_for_what_is_gone(void **state)
{
    const kin_object *document =
        decode("{\"metadata\":{\"name\":\"web\",\"namespace\":\"team-a\","
               "\"resourceVersion\":\"77\",\"labels\":{\"app\":\"web\"}}}");
    const kin_object *tombstone = NULL;
    const kin_object *last = NULL;
    const char *text = "untouched";
    kin_str value;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("team-b/other"), document, &err), 0);
    kin_object_unref(document); /* it has a reference of its own */
    assert_string_equal(kin_object_key(tombstone), "team-b/other");
    assert_str(kin_object_namespace(tombstone), "team-b");
    assert_str(kin_object_name(tombstone), "other");
    assert_str(kin_object_resource_version(tombstone), "77");
    assert_true(kin_object_label(tombstone, kin_str_of("app"), &value));
    assert_str(value, "web");
    assert_false(kin_object_label(tombstone, kin_str_of("tier"), NULL));
    assert_true(kin_object_is_tombstone(tombstone, NULL));
    assert_true(kin_object_is_tombstone(tombstone, &last));
    assert_ptr_equal(last, document);
    assert_code(kin_meta_namespace_key(&text, tombstone, &err), KIN_ETYPE);
    assert_string_equal(text, "untouched");
    assert_int_equal(err.code, KIN_ETYPE);
    assert_int_equal(kin_value_type(kin_object_root(tombstone)), KIN_MAP);
    kin_object_unref(tombstone);
}

static void a_tombstone_needs_no_last_state(void **state)
{
    const kin_object *tombstone = NULL;
    const kin_object *last = (const kin_object *)(uintptr_t)8;

    (void)state;
    assert_code(kin_tombstone_new(&tombstone, kin_str_of("team-a/x"), NULL, NULL), 0);
    assert_true(kin_object_is_tombstone(tombstone, &last));
    assert_string_equal(kin_object_key(tombstone), "team-a/x");
    assert_str(kin_object_namespace(tombstone), "team-a");
    assert_str(kin_object_name(tombstone), "x");
    assert_null(last);
    assert_int_equal(kin_object_resource_version(tombstone).len, 0);
    assert_false(kin_object_label(tombstone, kin_str_of("a"), NULL));
    assert_int_equal(kin_value_type(kin_object_root(tombstone)), KIN_NONE);
    kin_object_unref(tombstone);
    tombstone = NULL;
    assert_code(kin_tombstone_new(&tombstone, kin_str_make("\0", 1), NULL, NULL), KIN_EINVAL);
    assert_null(tombstone);
}

static int make_both(void *arg, kin_error *err)
{
    const kin_object *key;
    const kin_object *tombstone;
    int code = kin_explicit_key_new(&key, kin_str_of("a/b"), err);

    (void)arg;
    if (code < 0)
        return code;
    code = kin_tombstone_new(&tombstone, kin_str_of("a/b"), key, err);
    kin_object_unref(key);
    if (code == 0)
        kin_object_unref(tombstone);
    return code;
}

static void without_memory_neither_is_made(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(make_both, NULL);
}

/* --- documents --- */

struct identity {
    const char *text;
    const char *key;
    const char *namespace_;
    const char *name;
    const char *version;
};

static const struct identity identities[] = {
    {"{}", "", "", "", ""},
    {"{\"metadata\":null}", "", "", "", ""},
    {"{\"metadata\":\"name\"}", "", "", "", ""},
    {"{\"metadata\":[{\"name\":\"n\"}]}", "", "", "", ""},
    {"{\"metadata\":{}}", "", "", "", ""},
    {"{\"metadata\":{\"name\":\"n\"}}", "n", "", "n", ""},
    {"{\"metadata\":{\"name\":\"n\",\"namespace\":\"\"}}", "n", "", "n", ""},
    {"{\"metadata\":{\"name\":\"n\",\"namespace\":\"s\"}}", "s/n", "s", "n", ""},
    {"{\"metadata\":{\"namespace\":\"s\",\"name\":\"n\"}}", "s/n", "s", "n", ""},
    {"{\"metadata\":{\"namespace\":\"s\"}}", "s/", "s", "", ""},
    {"{\"metadata\":{\"namespace\":\"same\",\"name\":\"same\"}}", "same/same", "same", "same", ""},
    {"{\"metadata\":{\"name\":1,\"namespace\":true}}", "", "", "", ""},
    {"{\"metadata\":{\"name\":null,\"namespace\":{\"name\":\"x\"}}}", "", "", "", ""},
    {"{\"metadata\":{\"name\":[\"n\"],\"namespace\":\"s\"}}", "s/", "s", "", ""},
    {"{\"name\":\"x\",\"spec\":{\"metadata\":{\"name\":\"y\"}}}", "", "", "", ""},
    {"{\"spec\":{\"metadata\":{\"name\":\"y\"}},\"metadata\":{\"name\":\"n\"}}", "n", "", "n", ""},
    {"{\"metadata\":{\"name\":\"a\"},\"metadata\":{\"name\":\"b\",\"namespace\":\"c\"}}", "c/b",
     "c", "b", ""},
    {"{\"metadata\":{\"name\":\"a\"},\"metadata\":null}", "", "", "", ""},
    {"{\"metadata\":{\"name\":\"a\",\"name\":\"b\"}}", "b", "", "b", ""},
    {"{\"m\\u0065tadata\":{\"n\\u0061me\":\"\\u0061\\/b\"}}", "a/b", "", "a/b", ""},
    /* names of forms that are packed elsewhere */
    {"{\"metadata\":{\"name\":\"0a0b0c0d-1111-2222-3333-444444444444\",\"namespace\":\"10.0.0.1\"}}",
     "10.0.0.1/0a0b0c0d-1111-2222-3333-444444444444", "10.0.0.1",
     "0a0b0c0d-1111-2222-3333-444444444444", ""},
    {"{\"metadata\":{\"name\":\"2026-01-31T12:00:00Z\",\"namespace\":"
     "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"}}",
     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef/2026-01-31T12:00:00Z",
     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", "2026-01-31T12:00:00Z",
     ""},
    {"{\"metadata\":{\"name\":\"Running\",\"namespace\":\"default\"},\"a\":[\"Running\",\"default\"]}",
     "default/Running", "default", "Running", ""},
    {"{\"metadata\":{\"name\":\"\xc3\xa9\xe2\x82\xac\"}}", "\xc3\xa9\xe2\x82\xac", "",
     "\xc3\xa9\xe2\x82\xac", ""},
    /* resource versions */
    {"{\"metadata\":{\"name\":\"n\",\"resourceVersion\":\"12345\"}}", "n", "", "n", "12345"},
    {"{\"metadata\":{\"name\":\"n\",\"resourceVersion\":12345}}", "n", "", "n", ""},
    {"{\"metadata\":{\"name\":\"n\",\"resourceVersion\":null}}", "n", "", "n", ""},
    {"{\"metadata\":{\"resourceVersion\":"
     "\"1234567890123456789012345678901234567890123456789012345678901234567890\"}}",
     "", "", "", "1234567890123456789012345678901234567890123456789012345678901234567890"},
    {"{\"metadata\":{\"resourceVersion\":\"0a0b0c0d-1111-2222-3333-444444444444\","
     "\"uid\":\"0a0b0c0d-1111-2222-3333-444444444444\"}}",
     "", "", "", "0a0b0c0d-1111-2222-3333-444444444444"},
    {"{\"metadata\":{\"uid\":\"10.0.0.1\",\"resourceVersion\":\"10.0.0.1\"},\"x\":\"10.0.0.1\"}",
     "", "", "", "10.0.0.1"},
};

static void assert_identity(const kin_object *object, const struct identity *expected)
{
    const char *key = NULL;
    kin_str version;

    if (strcmp(kin_object_key(object), expected->key) != 0)
        fail_msg("%s has the key %s", expected->text, kin_object_key(object));
    assert_str(kin__object_key(object), expected->key);
    assert_str(kin_object_namespace(object), expected->namespace_);
    assert_str(kin_object_name(object), expected->name);
    version = kin_object_resource_version(object);
    random_clobber_stack();
    assert_str(version, expected->version);
    assert_code(kin_meta_namespace_key(&key, object, NULL), 0);
    assert_string_equal(key, expected->key);
    assert_string_equal(kin_object_get_class(object)->name, "document");
}

static void documents_are_known_by_their_metadata(void **state)
{
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(identities); i++) {
            const kin_object *object = decode_with(decoder, identities[i].text);
            ref_value *expected = ref_parse(identities[i].text, strlen(identities[i].text));
            const char *problem = ref_check_object(expected, object);

            assert_identity(object, &identities[i]);
            if (problem)
                fail_msg("%s: %s", identities[i].text, problem);
            ref_free(expected);
            random_keep(&keeper, object);
        }
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void a_zero_byte_is_part_of_a_name(void **state)
{
    const kin_object *object =
        decode("{\"metadata\":{\"name\":\"a\\u0000b\",\"namespace\":\"s\"}}");
    kin_scratch scratch;
    kin_str name;

    (void)state;
    assert_true(kin_str_equal(kin_object_name(object), kin_str_make("a\0b", 3)));
    assert_true(kin_str_equal(kin__object_key(object), kin_str_make("s/a\0b", 5)));
    assert_code(kin_value_string(
                    &name,
                    kin_value_get(kin_value_get(kin_object_root(object), kin_str_of("metadata")),
                                  kin_str_of("name")),
                    &scratch),
                0);
    assert_true(kin_str_equal(name, kin_str_make("a\0b", 3)));
    kin_object_unref(object);
}

/* --- labels --- */

static const struct {
    const char *key;
    const char *value;
} labels[] = {
    {"app", "web"},
    {"empty", ""},
    {"id", "0a0b0c0d-1111-2222-3333-444444444444"},
    {"at", "2026-01-31T12:00:00Z"},
    {"exactly", "2026-01-31T12:00:00.123456Z"},
    {"ip", "10.0.0.1"},
    {"hash", "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    {"digest", "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"},
    {"word", "Running"},
    {"again", "0a0b0c0d-1111-2222-3333-444444444444"},
    {"app.kubernetes.io/name", "a value of more than a few bytes, to be shared"},
    {"\xc3\xa9", "\xe2\x82\xac"},
};

static void append_labels(ref_text *text)
{
    ref_append_char(text, '{');
    for (size_t i = 0; i < kin__array_len(labels); i++) {
        char member[256];

        snprintf(member, sizeof(member), "%s\"%s\":\"%s\"", i ? "," : "", labels[i].key,
                 labels[i].value);
        ref_append_str(text, member);
    }
    ref_append_char(text, '}');
}

static void assert_labels(const kin_object *object)
{
    /* All views at once: none is in room that the next call uses. */
    kin_str views[kin__array_len(labels)];

    for (size_t i = 0; i < kin__array_len(labels); i++)
        assert_true(kin_object_label(object, kin_str_of(labels[i].key), &views[i]));
    random_clobber_stack();
    for (size_t i = 0; i < kin__array_len(labels); i++)
        assert_str(views[i], labels[i].value);
    assert_false(kin_object_label(object, kin_str_of("ap"), NULL));
    assert_false(kin_object_label(object, kin_str_of(""), NULL));
}

static void labels_are_readable_in_place_whatever_they_look_like(void **state)
{
    static const char *const forms[] = {
        "{\"metadata\":{\"name\":\"n\",\"labels\":%s}}",
        "{\"spec\":{\"selector\":{\"matchLabels\":%s}},\"metadata\":{\"labels\":%s}}",
        "{\"metadata\":{\"annotations\":%s,\"labels\":%s},\"labels\":%s}",
        "{\"metadata\":{\"labels\":%s},\"spec\":{\"template\":{\"metadata\":{\"labels\":%s}}}}",
        "{\"spec\":{\"labels\":%s},\"metadata\":{\"labels\":%s}}",
    };
    kin_decoder *decoder;
    ref_text map = {NULL, 0, 0};
    const kin_object *objects[kin__array_len(forms)][ROUNDS];

    (void)state;
    append_labels(&map);
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < kin__array_len(forms); i++) {
            ref_text text = {NULL, 0, 0};

            for (const char *p = forms[i]; *p; p++) {
                if (*p != '%')
                    ref_append_char(&text, *p);
                else
                    ref_append(&text, map.data, map.len), p++;
            }
            ref_value *expected = ref_parse(text.data, text.len);
            objects[i][round] = decode_with(decoder, text.data);
            const char *problem = ref_check_object(expected, objects[i][round]);

            if (problem)
                fail_msg("%s", problem);
            assert_labels(objects[i][round]);
            ref_free(expected);
            free(text.data);
        }
    }
    kin_decoder_free(decoder);
    for (size_t i = 0; i < kin__array_len(forms); i++) {
        for (unsigned round = 0; round < ROUNDS; round++) {
            assert_labels(objects[i][round]);
            kin_object_unref(objects[i][round]);
        }
    }
    free(map.data);
}

/* A decoder that knows a text, having read it as a member of many documents. */
static kin_decoder *decoder_that_knows(random_keeper *keeper, const char *map)
{
    kin_decoder *decoder;
    char text[512];

    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    snprintf(text, sizeof(text), "{\"status\":%s}", map);
    for (unsigned round = 0; round < ROUNDS; round++)
        random_keep(keeper, decode_with(decoder, text));
    return decoder;
}

/* The document's own metadata are read all the same: they hold its name. */
static void metadata_of_a_known_text_have_a_name(void **state)
{
    static const char metadata[] =
        "{\"name\":\"a-name-of-some-length\",\"namespace\":\"team-a\",\"resourceVersion\":"
        "\"0a0b0c0d-1111-2222-3333-444444444444\",\"labels\":{\"at\":\"2026-01-31T12:00:00Z\"}}";
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder = decoder_that_knows(&keeper, metadata);
    char text[512];

    (void)state;
    snprintf(text, sizeof(text), "{\"metadata\":%s}", metadata);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *object = decode_with(decoder, text);
        kin_str version = kin_object_resource_version(object);
        kin_str label;

        assert_string_equal(kin_object_key(object), "team-a/a-name-of-some-length");
        assert_true(kin_object_label(object, kin_str_of("at"), &label));
        random_clobber_stack();
        assert_str(version, "0a0b0c0d-1111-2222-3333-444444444444");
        assert_str(label, "2026-01-31T12:00:00Z");
        random_keep(&keeper, object);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void labels_of_a_known_text_are_readable(void **state)
{
    static const char map[] = "{\"at\":\"2026-01-31T12:00:00Z\",\"ip\":\"10.0.0.1\",\"id\":"
                              "\"0a0b0c0d-1111-2222-3333-444444444444\"}";
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder = decoder_that_knows(&keeper, map);
    char text[512];

    (void)state;
    snprintf(text, sizeof(text), "{\"metadata\":{\"labels\":%s}}", map);
    for (unsigned round = 0; round < ROUNDS; round++) {
        const kin_object *object = decode_with(decoder, text);
        kin_str at;
        kin_str ip;

        assert_true(kin_object_label(object, kin_str_of("at"), &at));
        assert_true(kin_object_label(object, kin_str_of("ip"), &ip));
        random_clobber_stack();
        assert_str(at, "2026-01-31T12:00:00Z");
        assert_str(ip, "10.0.0.1");
        random_keep(&keeper, object);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

static void what_is_no_label_is_none(void **state)
{
    static const char *const texts[] = {
        "{}",
        "{\"metadata\":null}",
        "{\"metadata\":{}}",
        "{\"metadata\":{\"labels\":null}}",
        "{\"metadata\":{\"labels\":\"app\"}}",
        "{\"metadata\":{\"labels\":[\"app\"]}}",
        "{\"metadata\":{\"labels\":{}}}",
        "{\"metadata\":{\"labels\":{\"app\":1}}}",
        "{\"metadata\":{\"labels\":{\"app\":null}}}",
        "{\"metadata\":{\"labels\":{\"app\":{\"app\":\"x\"}}}}",
        "{\"labels\":{\"app\":\"x\"}}",
        "{\"metadata\":{\"labels\":{\"app\":\"x\"}},\"metadata\":{\"labels\":{}}}",
    };

    (void)state;
    for (unsigned round = 0; round < 5; round++) {
        for (size_t i = 0; i < kin__array_len(texts); i++) {
            const kin_object *object = decode(texts[i]);
            kin_str value = kin_str_of("untouched");

            if (kin_object_label(object, kin_str_of("app"), &value))
                fail_msg("%s has a label %.*s", texts[i], (int)value.len, value.data);
            assert_str(value, "untouched");
            kin_object_unref(object);
        }
    }
}

/* The member's string; empty if there is none. */
static kin_str string_of(const ref_value *map, const char *key)
{
    const ref_value *value = map ? ref_get(map, key, strlen(key)) : NULL;

    return value && value->type == KIN_STRING ? kin_str_make(value->text, value->text_len)
                                              : kin_str_make("", 0);
}

static void assert_random_identity(const ref_value *document, const kin_object *object)
{
    const ref_value *metadata = ref_get(document, "metadata", 8);
    const ref_value *map = metadata ? ref_get(metadata, "labels", 6) : NULL;
    kin_str version = kin_object_resource_version(object);

    random_clobber_stack();
    assert_true(kin_str_equal(version, string_of(metadata, "resourceVersion")));
    assert_true(kin_str_equal(kin_object_name(object), string_of(metadata, "name")));
    assert_true(kin_str_equal(kin_object_namespace(object), string_of(metadata, "namespace")));
    for (size_t i = 0; map && map->type == KIN_MAP && i < map->n_elements; i++) {
        const ref_value *label = map->elements[i];
        kin_str value = {"", 0};
        bool found = kin_object_label(object, kin_str_make(label->key, label->key_len), &value);

        random_clobber_stack();
        assert_true(found == (label->type == KIN_STRING));
        assert_true(!found || kin_str_equal(value, kin_str_make(label->text, label->text_len)));
    }
}

static void random_documents_have_the_identity_of_their_text(void **state)
{
    random_keeper keeper = {{NULL}, 0};
    kin_decoder *decoder;

    (void)state;
    assert_code(kin_decoder_new(&decoder, NULL, NULL), 0);
    for (uint64_t seed = 1; seed <= 300; seed++) {
        kin_test_rng rng = {seed};
        ref_value *document = random_document(&rng, 5);

        for (unsigned round = 0; round < ROUNDS; round++) {
            ref_text text;
            const kin_object *object = NULL;

            if (round > 3)
                random_rename(document, round);
            text = random_text(document, &rng, RANDOM_DUPLICATES);
            assert_code(
                kin_decoder_decode(decoder, &object, kin_str_make(text.data, text.len), NULL), 0);
            assert_random_identity(document, object);
            random_keep(&keeper, object);
            free(text.data);
        }
        ref_free(document);
    }
    random_keep_none(&keeper);
    kin_decoder_free(decoder);
}

/* --- fields --- */

static void fields_are_read_as_selectors_see_them(void **state)
{
    static const struct {
        const char *path;
        const char *value; /* NULL: there is none */
    } cases[] = {
        {"metadata.name", "n"},
        {"metadata.namespace", "s"},
        {"spec.nodeName", "node-1"},
        {"spec.replicas", "3"},
        {"spec.share", "0.50"},
        {"spec.on", "true"},
        {"spec.off", "false"},
        {"spec.uid", "0a0b0c0d-1111-2222-3333-444444444444"},
        {"spec.nothing", NULL},
        {"spec.map", NULL},
        {"spec.list", NULL},
        {"spec.missing", NULL},
        {"spec.missing.deeper", NULL},
        {"spec", NULL},
        {"", NULL},
        {".", NULL},
    };
    const kin_object *object = decode(
        "{\"metadata\":{\"name\":\"n\",\"namespace\":\"s\"},\"spec\":{\"nodeName\":\"node-1\","
        "\"replicas\":3,\"share\":0.50,\"on\":true,\"off\":false,\"nothing\":null,"
        "\"map\":{},\"list\":[],\"uid\":\"0a0b0c0d-1111-2222-3333-444444444444\"}}");

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_scratch scratch;
        kin_str value = {NULL, 0};
        bool found = kin__object_field(object, kin_str_of(cases[i].path), &scratch, &value);

        if (found != (cases[i].value != NULL))
            fail_msg("%s", cases[i].path);
        if (found)
            assert_str(value, cases[i].value);
    }
    kin_object_unref(object);
}

static void the_size_of_a_document_is_its_own(void **state)
{
    ref_text text = {NULL, 0, 0};
    random_keeper keeper = {{NULL}, 0};
    const kin_object *small = decode("{}");
    size_t smallest = SIZE_MAX;

    (void)state;
    ref_append_str(&text, "{\"a\":\"");
    for (unsigned i = 0; i < 5000; i++)
        ref_append_char(&text, (char)('a' + i * i % 26));
    ref_append_str(&text, "\"}");
    const kin_object *first = decode(text.data);
    assert_in_range(kin_object_size(small), 16, 100);
    assert_in_range(kin_object_size(first), 5000, 5200);
    /* When it was seen often enough, mostly the second time, the string is in the pool. */
    for (unsigned i = 0; i < ROUNDS; i++) {
        const kin_object *next = decode(text.data);

        if (kin_object_size(next) < smallest)
            smallest = kin_object_size(next);
        random_keep(&keeper, next);
    }
    assert_in_range(smallest, 16, 200);
    assert_int_equal(kin_object_size(NULL), 0);
    random_keep_none(&keeper);
    kin_object_unref(small);
    kin_object_unref(first);
    free(text.data);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_class_needs_its_mandatory_parts),
        cmocka_unit_test(an_own_struct_is_an_object),
        cmocka_unit_test(a_class_may_answer_all_questions_itself),
        cmocka_unit_test(nothing_is_an_object_too),
#if KIN_DEBUG_CHECKS
        cmocka_unit_test(giving_back_too_much_is_caught),
#endif
        cmocka_unit_test(an_explicit_key_has_a_key_and_no_more),
        cmocka_unit_test(a_tombstone_answers_for_what_is_gone),
        cmocka_unit_test(a_tombstone_needs_no_last_state),
        cmocka_unit_test(without_memory_neither_is_made),
        cmocka_unit_test(documents_are_known_by_their_metadata),
        cmocka_unit_test(a_zero_byte_is_part_of_a_name),
        cmocka_unit_test(labels_are_readable_in_place_whatever_they_look_like),
        cmocka_unit_test(metadata_of_a_known_text_have_a_name),
        cmocka_unit_test(labels_of_a_known_text_are_readable),
        cmocka_unit_test(what_is_no_label_is_none),
        cmocka_unit_test(random_documents_have_the_identity_of_their_text),
        cmocka_unit_test(fields_are_read_as_selectors_see_them),
        cmocka_unit_test(the_size_of_a_document_is_its_own),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
