/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What contestants load objects with: the items of a list wherever they lie in it, and objects and
 * orders that are those of the Go peer.
 */
#include "bench_test.h"

#include "load.h"
#include "pods_fixture.h"
#include "protobuf_fixture.h"

#include <stdlib.h>
#include <string.h>

#include <kinform/metadata.h>
#include <kinform/path.h>

static void orders_are_those_of_the_peer(void **state)
{
    static const size_t first[] = {3, 1, 6, 2, 4, 0, 7, 5};
    static const size_t second[] = {4, 7, 2, 6, 1, 3, 5, 0};
    size_t *order = kin_bench_shuffled(8, KIN_BENCH_ORDER_SEED);

    (void)state;
    assert_memory_equal(order, first, sizeof(first));
    free(order);
    order = kin_bench_shuffled(8, KIN_BENCH_ORDER_SEED + 1);
    assert_memory_equal(order, second, sizeof(second));
    free(order);
    order = kin_bench_shuffled(1, KIN_BENCH_ORDER_SEED);
    assert_int_equal(order[0], 0);
    free(order);
}

static void assert_string_at(const kin_object *object, const char *path, const char *expected)
{
    kin_scratch scratch;
    kin_str text;

    assert_int_equal(kin_value_string(&text, kin_object_find(object, path), &scratch), 0);
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void slim_objects_are_those_of_the_peer(void **state)
{
    kin_decoder *decoder = kin_bench_decoder_new(NULL);
    const kin_object **objects = kin_bench_slim_objects(decoder, 500, 1000);

    (void)state;
    assert_string_equal(kin_object_key(objects[0]), "namespace-00/workload-000000-e220a839-dcdaf");
    assert_string_equal(kin_object_key(objects[77]), "namespace-27/workload-000077-6258cbe0-ff081");
    assert_string_at(objects[77], "spec.nodeName", "node-0007");
    assert_string_at(objects[77], "metadata.resourceVersion", "1077");
    assert_string_at(objects[77], "kind", "Pod");
    kin_bench_unref_all(objects, 500);
    free((void *)objects);

    /* The fewest nodes that there can be. */
    objects = kin_bench_slim_objects(decoder, 2, 1);
    assert_string_at(objects[1], "spec.nodeName", "node-0000");
    kin_bench_unref_all(objects, 2);
    free((void *)objects);
    kin_decoder_free(decoder);
    assert_int_equal(kin_bench_pool_values(), 0);
}

/* A list with all that could be taken for the beginning or the end of an item. */
static const char list_text[] =
    "{\"kind\":\"PodList\",\"note\":\"\\\"items\\\":[{\",\"metadata\":{\"items\":[{\"x\":1}]},\"items\": [\n"
    "  {\"metadata\":{\"name\":\"a]}\\\"\",\"namespace\":\"n\"},\"spec\":{\"l\":[[1],{}]}} ,\n"
    "  {\"metadata\":{\"name\":\"b\",\"namespace\":\"n\"}},{\"metadata\":{\"name\":\"c\"}}\n"
    "], \"more\":[{}]}\n";

static void load_list(struct kin_bench_items *items, char **dir)
{
    char *path;

    *dir = make_temp_dir();
    write_file(*dir, "list.json", list_text, sizeof(list_text) - 1);
    path = join_path(*dir, "list.json");
    kin_bench_items_load(items, path);
    free(path);
}

static void assert_text(kin_str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.data, expected, text.len);
}

static void items_are_found(void **state)
{
    struct kin_bench_items items;
    char *dir;

    (void)state;
    load_list(&items, &dir);
    assert_int_equal(items.n, 3);
    assert_text(items.texts[0], "{\"metadata\":{\"name\":\"a]}\\\"\",\"namespace\":\"n\"},"
                                "\"spec\":{\"l\":[[1],{}]}}");
    assert_text(items.texts[1], "{\"metadata\":{\"name\":\"b\",\"namespace\":\"n\"}}");
    assert_text(items.texts[2], "{\"metadata\":{\"name\":\"c\"}}");
    assert_int_equal(items.bytes, items.texts[0].len + items.texts[1].len + items.texts[2].len);
    kin_bench_items_forget_pages(&items);
    assert_text(items.texts[2], "{\"metadata\":{\"name\":\"c\"}}");
    kin_bench_items_done(&items);
    remove_dir(dir);
}

static void items_are_typed_in_an_order(void **state)
{
    static const size_t order[] = {2, 0, 1};
    struct kin_bench_items items;
    char *dir;

    (void)state;
    load_list(&items, &dir);
    kin_bench_items_type(&items, order);
    assert_int_equal(items.n, 3);
    assert_text(items.texts[0],
                "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"c\"}}");
    assert_text(items.texts[2], "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                                "\"b\",\"namespace\":\"n\"}}");
    assert_int_equal(items.bytes, items.texts[0].len + items.texts[1].len + items.texts[2].len);
    kin_bench_items_done(&items);
    remove_dir(dir);
}

/* Of a list in protobuf; decoded one by one, they are the objects of the same list in JSON. */
static void items_in_protobuf_are_those_in_json(void **state)
{
    enum { PODS = 30 };
    char *dir = make_pods_dir(PODS, 0, 1u << KIN_BENCH_FILE_PODS | 1u << KIN_BENCH_FILE_EVENTS);
    static size_t order[PODS];
    struct kin_bench_items items[2];
    kin_decoder *decoders[2];

    (void)state;
    make_protobuf_files(dir);
    for (size_t i = 0; i < PODS; i++)
        order[i] = PODS - 1 - i;
    for (size_t f = 0; f < 2; f++) {
        char *path = join_path(dir, f == 0 ? "pods.json" : "pods.pb");

        kin_bench_items_load(&items[f], path);
        assert_int_equal(items[f].encoding, f == 0 ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF);
        assert_int_equal(items[f].n, PODS);
        kin_bench_items_type(&items[f], order);
        decoders[f] = kin_bench_decoder_for(&items[f], NULL);
        free(path);
    }
    for (size_t i = 0; i < PODS; i++) {
        const kin_object *json = kin_bench_decode_one(decoders[0], items[0].texts[i]);
        const kin_object *protobuf = kin_bench_decode_one(decoders[1], items[1].texts[i]);

        /* Of the status, the fixture's writer leaves out what is null. */
        assert_true(kin_value_equal(kin_object_find(json, "metadata"),
                                    kin_object_find(protobuf, "metadata")));
        assert_true(
            kin_value_equal(kin_object_find(json, "spec"), kin_object_find(protobuf, "spec")));
        kin_object_unref(json);
        kin_object_unref(protobuf);
    }
    for (size_t f = 0; f < 2; f++) {
        kin_decoder_free(decoders[f]);
        kin_bench_items_done(&items[f]);
    }
    remove_dir(dir);
}

static void the_first_objects_are_decoded(void **state)
{
    kin_decoder *decoder = kin_bench_decoder_new(NULL);
    struct kin_bench_items items;
    const kin_object **objects;
    char *dir;

    (void)state;
    load_list(&items, &dir);
    objects = kin_bench_decode_all(decoder, &items, 2);
    assert_string_equal(kin_object_key(objects[0]), "n/a]}\"");
    assert_string_equal(kin_object_key(objects[1]), "n/b");
    /* Items of a list have no type of their own. */
    assert_string_at(objects[1], "apiVersion", "v1");
    assert_string_at(objects[1], "kind", "Pod");
    kin_bench_unref_all(objects, 2);
    free((void *)objects);
    kin_decoder_free(decoder);
    kin_bench_items_done(&items);
    remove_dir(dir);
    assert_int_equal(kin_bench_pool_values(), 0);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_are_those_of_the_peer),
        cmocka_unit_test(slim_objects_are_those_of_the_peer),
        cmocka_unit_test(items_are_found),
        cmocka_unit_test(items_are_typed_in_an_order),
        cmocka_unit_test(items_in_protobuf_are_those_in_json),
        cmocka_unit_test(the_first_objects_are_decoded),
    };

    return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
