/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A decoder that reads the same bytes again reuses the value that it has made of them. The same bytes in a message of another
 * type, or where a projection is open, are another value: one decoder gives what a new one gives.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/buf.h"
#include "base/compiler.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "object/json.h"
#include "object/protobuf_tables.h"
#include "protobuf_support.h"

/* Often enough for a subtree to be remembered, found, and found without a search. */
#define ROUNDS 20
#define CASES_MAX 16384
#define STEPS_MAX 2
#define X20 "xxxxxxxxxxxxxxxxxxxx"
#define X60 X20 X20 X20

struct one {
    const kin__pb_kind *kind;
    kin__buf bytes;
    char *text; /* of the first round */
};

struct all {
    struct one *cases;
    size_t n;
    const kin_projection *projection; /* SHARED or NULL */
};

static kin_decoder *new_decoder(const struct all *all)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;

    options.projection = all->projection;
    assert_code(kin_decoder_new(&decoder, &options, NULL), 0);
    return decoder;
}

static char *decode(kin_decoder *decoder, const struct one *one)
{
    const kin__protobuf_message message = {
        .number = one->kind->message,
        .bytes = kin__buf_str(&one->bytes),
        .type = {kin_str_of(kin__pb_name(one->kind->api_version)),
                 kin_str_of(kin__pb_name(one->kind->kind))},
    };
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;
    size_t len;

    if (kin__decoder_decode_message(decoder, &object, &message, &err) < 0)
        fail_msg("%s: %s", kin__pb_name(one->kind->kind), err.message);
    assert_code(kin_object_to_json(&text, &len, object, KIN_JSON_COMPACT, NULL), 0);
    kin_object_unref(object);
    return text;
}

static struct one *add(struct all *all, const kin__pb_kind *kind)
{
    struct one *one = &all->cases[all->n++];

    assert_true(all->n <= CASES_MAX);
    one->kind = kind;
    kin__buf_init(&one->bytes, KIN_TEST_PROTOBUF_MAX);
    return one;
}

static void add_words(struct all *all, const char *api_version, const char *kind, const char *words)
{
    const kin__protobuf_type type = {kin_str_of(api_version), kin_str_of(kind)};

    kin_test_pb_append(&add(all, kin__protobuf_find_kind(&type))->bytes, words);
}

static void begin(struct all *all)
{
    all->cases = calloc(CASES_MAX, sizeof(*all->cases));
    all->n = 0;
    all->projection = NULL;
    assert_non_null(all->cases);
}

static void compare(const struct one *one, char *text)
{
    if (strcmp(text, one->text) != 0)
        fail_msg("%s and %s", text, one->text);
    kin_free(text);
}

/* New decoders come last: before, the process would know the subtrees that repeat. */
static void check(struct all *all)
{
    kin_decoder *decoder = new_decoder(all);

    for (size_t i = 0; i < all->n; i++)
        all->cases[i].text = decode(decoder, &all->cases[i]);
    for (unsigned round = 1; round < ROUNDS; round++) {
        for (size_t i = 0; i < all->n; i++)
            compare(&all->cases[i], decode(decoder, &all->cases[i]));
    }
    kin_decoder_free(decoder);
    for (size_t i = 0; i < all->n; i++) {
        decoder = new_decoder(all);
        compare(&all->cases[i], decode(decoder, &all->cases[i]));
        kin_decoder_free(decoder);
        kin__buf_done(&all->cases[i].bytes);
        kin_free(all->cases[i].text);
    }
    free(all->cases);
    kin_projection_unref(all->projection);
    assert_int_equal(kin_test_alloc_live(), 0);
}

/* --- the same bytes in messages of many types --- */

/* Field 1 with a text: every message whose first field is a text can have it. */
static void append_payload(kin__buf *out, const kin__pb_field *const *steps, size_t n)
{
    kin__buf inner;

    if (n == 0) {
        kin_test_pb_append_message(out, 1, kin_str_of(X60));
        return;
    }
    kin__buf_init(&inner, KIN_TEST_PROTOBUF_MAX);
    append_payload(&inner, steps + 1, n - 1);
    kin_test_pb_append_message(out, steps[0]->number, kin__buf_str(&inner));
    kin__buf_done(&inner);
}

static bool begins_with_text(const kin__pb_message *message)
{
    const kin__pb_field *first = kin__pb_fields + message->first_field;

    return message->n_fields > 0 && first->number == 1 && first->type == KIN__PB_STRING &&
           !(first->flags & KIN__PB_REPEATED);
}

static void add_paths(struct all *all, const kin__pb_kind *kind, unsigned number,
                      const kin__pb_field **steps, size_t n)
{
    const kin__pb_message *message = &kin__pb_messages[number];

    if (n > 0 && begins_with_text(message))
        append_payload(&add(all, kind)->bytes, steps, n);
    for (unsigned i = 0; i < message->n_fields && n < STEPS_MAX; i++) {
        const kin__pb_field *field = &kin__pb_fields[message->first_field + i];

        if (field->type != KIN__PB_MESSAGE || (field->flags & (KIN__PB_MAP | KIN__PB_INLINE)) ||
            kin__pb_messages[field->message].form != KIN__PB_OBJECT)
            continue;
        steps[n] = field;
        add_paths(all, kind, field->message, steps, n + 1);
    }
}

static void messages_of_many_types(void **state)
{
    const kin__pb_field *steps[STEPS_MAX];
    struct all all;

    (void)state;
    begin(&all);
    for (size_t i = 1; i < kin__pb_n_kinds; i++)
        add_paths(&all, &kin__pb_kinds[i], kin__pb_kinds[i].message, steps, 0);
    assert_true(all.n > 500);
    check(&all);
}

/* The entries are the same bytes; the values are texts in one, and base64 in the other. */
static void maps_of_two_types(void **state)
{
    struct all all;

    (void)state;
    begin(&all);
    add_words(&all, "v1", "ConfigMap", "2{ 1:" X20 " 2:" X60 " }");
    add_words(&all, "v1", "Secret", "2{ 1:" X20 " 2:" X60 " }");
    check(&all);
}

/* --- with a projection --- */

/*
 * Lists of the same variables in many containers; also in other company, so that each is remembered by itself. The
 * process remembers subtrees of earlier calls: `id` makes the variables new.
 */
static void add_pods(struct all *all, unsigned id, bool in_other_company)
{
    char one[64];
    char both[192];
    char words[1024];

    snprintf(one, sizeof(one), "7{ 1:A%u_" X20 " 2:" X20 " }", id);
    snprintf(both, sizeof(both), "%s 7{ 1:B%u_" X20 " 2:" X20 " }", one, id);
    for (unsigned i = 0; i < 10; i++) {
        snprintf(words, sizeof(words), "2{ 2{ 1:c%u %s } 20{ 1:c%u %s } }", i, both, i, both);
        add_words(all, "v1", "Pod", words);
        if (!in_other_company)
            continue;
        snprintf(words, sizeof(words), "2{ 20{ 1:i%u %s 7{ 1:x%u } } }", i, one, i);
        add_words(all, "v1", "Pod", words);
        snprintf(words, sizeof(words), "2{ 2{ 1:i%u %s 7{ 1:x%u } } }", i, one, i);
        add_words(all, "v1", "Pod", words);
    }
    snprintf(words, sizeof(words), "2{ 2{ 2{ 1:c %s } 20{ 1:c %s } } }", both, both);
    add_words(all, "v1", "PodTemplate", words);
}

/* Containers are projected, and init containers are not, or the other way round. All have the same variables. */
static void a_projection_is_open(void **state)
{
    static const char *const dropped[] = {
        ".spec.containers[*].env[*].value",
        ".spec.containers[*].env",
        ".spec.initContainers[*].env[*].name,.spec.containers[*].name",
        ".spec.initContainers",
        ".metadata.managedFields",
    };

    (void)state;
    for (unsigned id = 0; id < 2 * kin__array_len(dropped); id++) {
        struct all all;

        begin(&all);
        assert_code(kin_projection_drop(&all.projection, kin_str_of(dropped[id / 2]), NULL), 0);
        add_pods(&all, id, id % 2);
        check(&all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_of_many_types),
        cmocka_unit_test(maps_of_two_types),
        cmocka_unit_test(a_projection_is_open),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
