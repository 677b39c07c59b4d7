/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What becomes shared and what does not. That nothing is lost by it is what test_json_decode.c and
 * the fuzzer are for.
 */
#include "kin_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "oom.h"

#define OBJECTS_MAX 64

/* Objects that live together, and their decoder. */
struct world {
    kin_decoder *decoder;
    const kin_object *objects[OBJECTS_MAX];
    size_t len;
};

static void world_init(struct world *w)
{
    memset(w, 0, sizeof(*w));
    assert_code(kin_decoder_new(&w->decoder, NULL, NULL), 0);
}

static void world_done(struct world *w)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    for (size_t i = 0; i < w->len; i++)
        kin_object_unref(w->objects[i]);
    kin_decoder_free(w->decoder);
    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
}

static const kin_object *add(struct world *w, const char *text)
{
    kin_error err = KIN_ERROR_INIT;

    assert_true(w->len < OBJECTS_MAX);
    assert_code(kin_decoder_decode(w->decoder, &w->objects[w->len], kin_str_of(text), &err), 0);
    return w->objects[w->len++];
}

static uint64_t pool_values(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    return stats.values;
}

/* A Pod-like object whose template is that of its workload. */
static const char *pod(char *text, size_t size, const char *workload, const char *name)
{
    snprintf(
        text, size,
        "{\"metadata\":{\"name\":\"%s\"},\"spec\":{\"template\":{\"command\":[\"run\",\"--of\",\"%s\"],"
        "\"image\":\"registry.example.com/%s/application:v1.2.3\",\"args\":[\"a\",\"b\",\"c\",\"d\"]},"
        "\"nodeName\":\"node-of-%s\"}}",
        name, workload, workload, name);
    return text;
}

static void templates_are_shared_from_the_second_object_on(void **state)
{
    struct world w;
    char text[512];

    (void)state;
    world_init(&w);
    size_t first = kin_object_size(add(&w, pod(text, sizeof(text), "one", "one-a")));
    assert_int_equal(pool_values(), 0);
    size_t second = kin_object_size(add(&w, pod(text, sizeof(text), "one", "one-b")));
    assert_true(pool_values() > 0);
    assert_true(second < first);
    uint64_t values = pool_values();
    assert_true(kin_object_size(add(&w, pod(text, sizeof(text), "one", "one-c"))) <= second);
    assert_int_equal(pool_values(), values);
    world_done(&w);
}

/* The same object again is its next version, or another list: nobody to share with. */
static void an_object_shares_nothing_with_itself(void **state)
{
    struct world w;
    char text[512];

    (void)state;
    world_init(&w);
    for (unsigned i = 0; i < 30; i++)
        add(&w, pod(text, sizeof(text), "two", "two-a"));
    assert_int_equal(pool_values(), 0);
    world_done(&w);
}

/* Nor is a name that was generated for one object, and stands in it several times, worth sharing. */
static void what_repeats_in_one_object_only_is_not_shared(void **state)
{
    struct world w;
    char text[1024];

    (void)state;
    world_init(&w);
    for (unsigned i = 0; i < 30; i++) {
        snprintf(
            text, sizeof(text),
            "{\"metadata\":{\"name\":\"own-%u\"},\"v\":[{\"name\":\"kube-api-access-%05u\",\"path\":"
            "\"/var/run/%05u\"},{\"name\":\"kube-api-access-%05u\",\"path\":\"/var/run/%05u\"},"
            "{\"name\":\"kube-api-access-%05u\",\"path\":\"/var/run/%05u\"}]}",
            i, i, i, i, i, i, i);
        add(&w, text);
    }
    assert_int_equal(pool_values(), 0);
    world_done(&w);
}

/*
 * White space makes texts that are equal in content and known by different parts. They can be taken for
 * different, but do not pile up.
 */
static void equal_contents_do_not_pile_up(void **state)
{
    struct world w;
    uint64_t before = 0;

    (void)state;
    world_init(&w);
    for (unsigned round = 0; round < 4096; round++) {
        char text[2048];
        size_t n = (size_t)snprintf(text, sizeof(text),
                                    "{\"metadata\":{\"name\":\"p%u\"},\"outer\":{", round);

        for (unsigned i = 0; i < 12; i++)
            n += (size_t)snprintf(
                text + n, sizeof(text) - n,
                "%s\"m%u\":{\"some\":\"content that is long enough to be shared\",%s"
                "\"and\":\"some more of number %u to be different\"}",
                i ? "," : "", i, round >> i & 1 ? " " : "", i);
        snprintf(text + n, sizeof(text) - n, "}}");
        if (w.len == OBJECTS_MAX)
            kin_object_unref(w.objects[--w.len]);
        add(&w, text);
        if (round == 1000)
            before = pool_values();
    }
    assert_true(before > 0);
    assert_true(pool_values() < before + 200);
    world_done(&w);
}

/* Whatever fails, the next object is the next object. */
static int decode_twice(void *arg, kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;
    kin_decoder *decoder = NULL;
    const kin_object *object = NULL;
    int code;

    (void)arg;
    options.api_version = "v1";
    options.kind = "Pod";
    code = kin_decoder_new(&decoder, &options, err);
    for (unsigned i = 0; decoder && i < 8; i++) {
        char name[16];
        char text[512];
        int result;

        snprintf(name, sizeof(name), "three-%u", i);
        result = kin_decoder_decode(decoder, &object,
                                    kin_str_of(pod(text, sizeof(text), "three", name)), err);
        if (result == 0) {
            assert_string_equal(kin_object_key(object), name);
            kin_object_unref(object);
        } else {
            code = result;
        }
    }
    kin_decoder_free(decoder);
    assert_int_equal(pool_values(), 0);
    return code;
}

static void a_decoder_goes_on_after_a_failure(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(decode_twice, NULL);
}

int main(void)
{
    kin_test_alloc_install();

    const struct CMUnitTest tests[] = {
        cmocka_unit_test(templates_are_shared_from_the_second_object_on),
        cmocka_unit_test(an_object_shares_nothing_with_itself),
        cmocka_unit_test(what_repeats_in_one_object_only_is_not_shared),
        cmocka_unit_test(equal_contents_do_not_pile_up),
        cmocka_unit_test(a_decoder_goes_on_after_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
