/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a snapshot, without I/O; docs/snapshot.md describes them for others.
 *
 *     header | info, checksum | block … block
 *     block:  head | objects, mostly compressed | checksum
 *
 * Numbers are little-endian, whatever the machine. Each checksum is XXH3 of all that stands in its
 * section before it, seeded with the checksum before, so that it vouches for all sections up to its
 * own: a block that is lost, doubled or moved does not fit. The header has the last of them, and one of
 * its own. XXH3 is defined by its values, not by a machine's order of bytes.
 */
#ifndef KIN_INFORMER_SNAPSHOT_FORMAT_H
#define KIN_INFORMER_SNAPSHOT_FORMAT_H

#include <stdint.h>

#include "base/hash.h"
#include "kinform/error.h"

#define KIN__SNAPSHOT_VERSION 1u
#define KIN__SNAPSHOT_MAGIC_BYTES 8u
#define KIN__SNAPSHOT_HEADER_BYTES 64u
#define KIN__SNAPSHOT_HEAD_BYTES 16u
#define KIN__SNAPSHOT_CHECKSUM_BYTES 8u
/* Before each object's text, its length. */
#define KIN__SNAPSHOT_PREFIX_BYTES 4u
/* The shortest object is {}. */
#define KIN__SNAPSHOT_OBJECT_BYTES_MIN 2u
/*
 * A block is never compressed to less than this part of it: what would be is stored as it is. So what
 * a file can make a reader hold and do is known from its size.
 */
#define KIN__SNAPSHOT_RATIO_MAX 256u

typedef struct kin__snapshot_header {
    uint32_t info_bytes;
    uint64_t file_bytes;
    uint64_t objects;
    uint64_t json_bytes; /* of all objects, without their lengths */
    uint64_t blocks;
    uint64_t checksum; /* the last block's, or the info's */
} kin__snapshot_header;

enum kin__snapshot_method {
    KIN__SNAPSHOT_STORED = 0,
    KIN__SNAPSHOT_ZSTD = 1,
};

typedef struct kin__snapshot_head {
    uint32_t stored_bytes; /* as they stand in the file */
    uint32_t raw_bytes;    /* when they are unfolded */
    uint32_t objects;
    uint32_t method;
} kin__snapshot_head;

static inline void kin__put_u32(uint8_t *out, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++)
        out[i] = (uint8_t)(value >> 8 * i);
}

static inline void kin__put_u64(uint8_t *out, uint64_t value)
{
    kin__put_u32(out, (uint32_t)value);
    kin__put_u32(out + 4, (uint32_t)(value >> 32));
}

static inline uint32_t kin__get_u32(const uint8_t *in)
{
    return (uint32_t)in[0] | (uint32_t)in[1] << 8 | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24;
}

static inline uint64_t kin__get_u64(const uint8_t *in)
{
    return kin__get_u32(in) | (uint64_t)kin__get_u32(in + 4) << 32;
}

/* The checksum of a section that comes behind one with the checksum `before`; 0 for the first. */
static inline uint64_t kin__snapshot_checksum(uint64_t before, const void *data, size_t len)
{
    return kin__hash(before, data, len);
}

void kin__snapshot_header_put(uint8_t *out, const kin__snapshot_header *header);
/*
 * Read the header of a file of `size` bytes, of which `in` has the first, and at most as many as a
 * header has. What it says is possible then. 0, KIN_EPARSE. `name` is for the message.
 */
int kin__snapshot_header_get(kin__snapshot_header *ret, const uint8_t *in, uint64_t size,
                             const char *name, kin_error *err);

void kin__snapshot_head_put(uint8_t *out, const kin__snapshot_head *head);
/*
 * Read a block's head: `left` is what the file has behind it. What it says is possible then; whether
 * one object is longer than the reader wants is for the reader. 0, KIN_EPARSE with the offset `at`.
 */
int kin__snapshot_head_get(kin__snapshot_head *ret, const uint8_t *in, uint64_t left, uint64_t at,
                           const char *name, kin_error *err);

#endif
