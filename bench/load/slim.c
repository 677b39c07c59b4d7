/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects out of nothing: no file, and little memory where there are a million.
 */
#include "load.h"

#include <stdio.h>

#define NAMESPACES 50
#define WORKLOADS 9973
#define PODS_PER_NODE 50
#define MAX_NODES 2000
#define TEXT_SIZE 256

static size_t node_count(size_t pods)
{
    size_t nodes = pods / PODS_PER_NODE;

    if (nodes < 1)
        return 1;
    return nodes < MAX_NODES ? nodes : MAX_NODES;
}

static const kin_object *make_one(kin_decoder *decoder, size_t i, size_t n, size_t version)
{
    uint64_t state = i;
    uint64_t h = kin_bench_draw(&state);
    char text[TEXT_SIZE];
    int len = snprintf(
        text, sizeof(text),
        "{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"workload-%06zu-%08x-%05x\","
        "\"namespace\":\"namespace-%02zu\",\"resourceVersion\":\"%zu\"},"
        "\"spec\":{\"nodeName\":\"node-%04zu\"}}",
        i % WORKLOADS, (unsigned)(h >> 32), (unsigned)(h & 0xfffff), i % NAMESPACES, version,
        (size_t)(h % node_count(n)));

    return kin_bench_decode_one(decoder, kin_str_make(text, (size_t)len));
}

const kin_object **kin_bench_slim_objects(kin_decoder *decoder, size_t n, size_t version)
{
    const kin_object **objects = kin_bench_alloc(n, sizeof(const kin_object *));

    for (size_t i = 0; i < n; i++)
        objects[i] = make_one(decoder, i, n, version + i);
    return objects;
}
