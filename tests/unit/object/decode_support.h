/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For the tests of the decoder.
 */
#ifndef KIN_TEST_DECODE_SUPPORT_H
#define KIN_TEST_DECODE_SUPPORT_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "kinform/json.h"
#include "kinform/memory.h"

#define ROUNDS 15 /* past the last threshold at which something is kept in another way */

static inline kin_str bytes(const char *text, size_t len)
{
    return kin_str_make(text, len);
}

static inline const kin_object *decode(kin_decoder *decoder, kin_str text)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = decoder ? kin_decoder_decode(decoder, &object, text, &err)
                       : kin_object_from_json(&object, text, NULL, &err);

    if (code != 0)
        fail_msg("%s at %llu: %s, in %.200s", kin_error_name(code), (unsigned long long)err.offset,
                 err.message, text.data);
    return object;
}

static inline kin_decoder *new_decoder(const kin_decode_options *options)
{
    kin_decoder *decoder = NULL;

    assert_code(kin_decoder_new(&decoder, options, NULL), 0);
    return decoder;
}

static inline void assert_pool_is_empty(void)
{
    kin_pool_stats stats = KIN_POOL_STATS_INIT;

    kin_pool_stats_get(&stats);
    assert_int_equal(stats.values, 0);
    assert_int_equal(stats.bytes, 0);
}

static inline void assert_encodes_as(const kin_object *object, const char *expected)
{
    char *text;

    assert_code(kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, NULL), 0);
    assert_string_equal(text, expected);
    kin_free(text);
}

#endif
