/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Objects from texts.
 */
#include "load.h"

kin_decode_options kin_bench_decode_options(const kin_projection *projection, kin_encoding encoding)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    options.projection = projection;
    options.encoding = encoding;
    options.api_version = "v1";
    options.kind = "Pod";
    return options;
}

static kin_decoder *decoder_of(const kin_projection *projection, kin_encoding encoding)
{
    kin_decode_options options = kin_bench_decode_options(projection, encoding);
    kin_decoder *decoder;
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_new(&decoder, &options, &err) < 0)
        kin_bench_die("no decoder: %s", err.message);
    return decoder;
}

kin_decoder *kin_bench_decoder_new(const kin_projection *projection)
{
    return decoder_of(projection, KIN_ENCODING_JSON);
}

kin_decoder *kin_bench_decoder_for(const struct kin_bench_items *items,
                                   const kin_projection *projection)
{
    return decoder_of(projection, items->encoding);
}

const kin_object *kin_bench_decode_one(kin_decoder *decoder, kin_str text)
{
    const kin_object *object;
    kin_error err = KIN_ERROR_INIT;

    if (kin_decoder_decode(decoder, &object, text, &err) < 0)
        kin_bench_die("cannot decode an item: %s", err.message);
    return object;
}

const kin_object **kin_bench_decode_all(kin_decoder *decoder, const struct kin_bench_items *items,
                                        size_t n)
{
    const kin_object **objects = kin_bench_alloc(n, sizeof(const kin_object *));

    for (size_t i = 0; i < n; i++)
        objects[i] = kin_bench_decode_one(decoder, items->texts[i]);
    return objects;
}

void kin_bench_unref_all(const kin_object **objects, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
}

uint64_t kin_bench_pool_values(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    return stats.values;
}
