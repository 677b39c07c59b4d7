/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What fuzz targets share: taking structured input off the fuzzer's bytes, and a check
 * that is never compiled out.
 */
#ifndef KIN_FUZZ_H
#define KIN_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "kinform/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A property that must hold for every input. */
#define FUZZ_CHECK(cond)                                                                           \
    do {                                                                                           \
        if (!(cond)) {                                                                             \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #cond);              \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* The rest of the input. Reading behind its end gives zeros. */
typedef struct fuzz_input {
    const uint8_t *data;
    size_t len;
} fuzz_input;

static inline uint8_t fuzz_byte(fuzz_input *in)
{
    if (in->len == 0)
        return 0;
    in->len--;
    return *in->data++;
}

/* A number from one to eight bytes, so that short inputs reach large values too. */
static inline uint64_t fuzz_number(fuzz_input *in)
{
    unsigned n = fuzz_byte(in) % 9;
    uint64_t value = 0;

    while (n-- > 0)
        value = value << 8 | fuzz_byte(in);
    return value;
}

/* Up to 255 bytes, length first. */
static inline kin_str fuzz_str(fuzz_input *in)
{
    size_t len = fuzz_byte(in);

    if (len > in->len)
        len = in->len;
    kin_str s = kin_str_make((const char *)in->data, len);
    in->data += len;
    in->len -= len;
    return s;
}

#endif
