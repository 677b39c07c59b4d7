/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unfolding gzip, in pieces of all sizes.
 */
#include "kin_test.h"

#include <string.h>
#include <zlib.h>

#include "alloc.h"
#include "client/gunzip.h"
#include "oom.h"

#define TEXT_SIZE 5000

static char text[TEXT_SIZE];
static unsigned char packed[2 * TEXT_SIZE];
static size_t packed_len;

/* The text into `packed`. */
static void pack(void)
{
    z_stream stream = {.next_in = (unsigned char *)text,
                       .avail_in = sizeof(text),
                       .next_out = packed,
                       .avail_out = sizeof(packed)};

    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    packed_len = sizeof(packed) - stream.avail_out;
    deflateEnd(&stream);
}

/* Feed it in pieces and take it in pieces; the code of the end, and all that came out. */
static int unfold(const unsigned char *in, size_t len, size_t piece_in, size_t piece_out, char *out,
                  size_t *ret_len, bool *ret_complete)
{
    kin__gunzip *gunzip = kin__gunzip_new();
    size_t n = 0;
    int code = gunzip ? 0 : KIN_ENOMEM;

    *ret_len = 0;
    for (size_t at = 0; code == 0 && at < len; at += n) {
        size_t got = 1;

        n = len - at < piece_in ? len - at : piece_in;
        kin__gunzip_give(gunzip, kin_str_make((const char *)in + at, n));
        while (code == 0 && got > 0) {
            code = kin__gunzip_take(gunzip, out + *ret_len, piece_out, &got);
            if (code == 0)
                *ret_len += got;
        }
    }
    *ret_complete = gunzip && kin__gunzip_is_complete(gunzip);
    kin__gunzip_free(gunzip);
    return code;
}

static void unfolds_pieces_of_any_size(void **state)
{
    static const size_t sizes[] = {1, 2, 3, 7, 100, TEXT_SIZE};
    char out[3 * TEXT_SIZE];
    size_t len;
    bool complete;

    (void)state;
    for (size_t i = 0; i < 6; i++) {
        for (size_t j = 0; j < 6; j++) {
            assert_code(unfold(packed, packed_len, sizes[i], sizes[j], out, &len, &complete), 0);
            assert_true(complete);
            assert_int_equal(len, TEXT_SIZE);
            assert_memory_equal(out, text, len);
        }
    }
}

static void takes_several_members(void **state)
{
    unsigned char twice[2 * sizeof(packed)];
    char out[4 * TEXT_SIZE];
    size_t len;
    bool complete;

    (void)state;
    memcpy(twice, packed, packed_len);
    memcpy(twice + packed_len, packed, packed_len);
    assert_code(unfold(twice, 2 * packed_len, 11, 1000, out, &len, &complete), 0);
    assert_true(complete);
    assert_int_equal(len, 2 * TEXT_SIZE);
    assert_memory_equal(out + TEXT_SIZE, text, TEXT_SIZE);
}

static void notices_every_cut(void **state)
{
    char out[3 * TEXT_SIZE];
    size_t len;
    bool complete;

    (void)state;
    for (size_t cut = 0; cut < packed_len; cut++) {
        assert_code(unfold(packed, cut, 64, 1000, out, &len, &complete), 0);
        assert_false(complete);
    }
}

static void notices_damage(void **state)
{
    unsigned char bad[sizeof(packed)];
    char out[3 * TEXT_SIZE];
    size_t len;
    bool complete;

    (void)state;
    assert_code(unfold((const unsigned char *)"plain text", 10, 10, 10, out, &len, &complete),
                KIN_EPROTOCOL);
    memcpy(bad, packed, packed_len);
    bad[packed_len - 6] ^= 1; /* the checksum */
    assert_code(unfold(bad, packed_len, 100, 1000, out, &len, &complete), KIN_EPROTOCOL);
    memcpy(bad, packed, packed_len);
    memcpy(bad + packed_len, "behind it", 9);
    assert_code(unfold(bad, packed_len + 9, 100, 1000, out, &len, &complete), KIN_EPROTOCOL);
}

static int unfold_all(void *arg, kin_error *err)
{
    char out[3 * TEXT_SIZE];
    size_t len;
    bool complete;
    int code = unfold(packed, packed_len, 100, 1000, out, &len, &complete);

    (void)arg;
    return code == 0 ? 0 : kin_error_set(err, code, "no memory");
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(unfold_all, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unfolds_pieces_of_any_size), cmocka_unit_test(takes_several_members),
        cmocka_unit_test(notices_every_cut),          cmocka_unit_test(notices_damage),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    for (size_t i = 0; i < TEXT_SIZE; i++)
        text[i] = (char)('a' + (i * i >> 5) % 26);
    pack();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
