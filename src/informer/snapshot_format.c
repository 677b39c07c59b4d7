/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Headers of snapshots and of their blocks: what is read is checked against what can be, so that
 * nothing behind it believes a number that a damaged file made up.
 */
#include "informer/snapshot_format.h"

#include <inttypes.h>

#include "base/error.h"
#include "kinform/json.h"
#include "kinform/snapshot.h"

/* Not text, and changed by whatever takes it for text: line ends, the eighth bit. */
static const uint8_t magic[KIN__SNAPSHOT_MAGIC_BYTES] = {0x89, 'K', 'I', 'N', '\r', '\n', 0x1a, 0};

enum { /* offsets in the header */
       AT_VERSION = 8,
       AT_INFO_BYTES = 12,
       AT_FILE_BYTES = 16,
       AT_OBJECTS = 24,
       AT_JSON_BYTES = 32,
       AT_BLOCKS = 40,
       AT_CHECKSUM = 48,
       AT_OWN_CHECKSUM = 56,
};

_Static_assert(AT_OWN_CHECKSUM + KIN__SNAPSHOT_CHECKSUM_BYTES == KIN__SNAPSHOT_HEADER_BYTES,
               "the header's checksum is its end");

void kin__snapshot_header_put(uint8_t *out, const kin__snapshot_header *header)
{
    memcpy(out, magic, sizeof(magic));
    kin__put_u32(out + AT_VERSION, KIN__SNAPSHOT_VERSION);
    kin__put_u32(out + AT_INFO_BYTES, header->info_bytes);
    kin__put_u64(out + AT_FILE_BYTES, header->file_bytes);
    kin__put_u64(out + AT_OBJECTS, header->objects);
    kin__put_u64(out + AT_JSON_BYTES, header->json_bytes);
    kin__put_u64(out + AT_BLOCKS, header->blocks);
    kin__put_u64(out + AT_CHECKSUM, header->checksum);
    kin__put_u64(out + AT_OWN_CHECKSUM, kin__snapshot_checksum(0, out, AT_OWN_CHECKSUM));
}

/* Whether the numbers go together: no more objects and blocks than a file of this size can have. */
static bool is_possible(const kin__snapshot_header *header)
{
    const uint64_t fixed =
        (uint64_t)KIN__SNAPSHOT_HEADER_BYTES + header->info_bytes + KIN__SNAPSHOT_CHECKSUM_BYTES;

    if (header->info_bytes > KIN_SNAPSHOT_INFO_BYTES_MAX || header->file_bytes < fixed)
        return false;
    const uint64_t rest = header->file_bytes - fixed;

    return header->blocks <= rest / (KIN__SNAPSHOT_HEAD_BYTES + KIN__SNAPSHOT_CHECKSUM_BYTES) &&
           header->json_bytes / KIN__SNAPSHOT_RATIO_MAX <= rest &&
           header->objects <= header->json_bytes / KIN__SNAPSHOT_OBJECT_BYTES_MIN &&
           header->blocks <= header->objects && (header->blocks > 0) == (rest > 0) &&
           (header->blocks > 0) == (header->objects > 0);
}

int kin__snapshot_header_get(kin__snapshot_header *ret, const uint8_t *in, uint64_t size,
                             const char *name, kin_error *err)
{
    if (size < sizeof(magic) || memcmp(in, magic, sizeof(magic)) != 0)
        return kin__error_parse(err, 0, "%s: not a snapshot", name);
    if (size < KIN__SNAPSHOT_HEADER_BYTES)
        return kin__error_parse(err, size, "%s: the header is cut off", name);
    /* A newer format may have another header: its version is looked at first. */
    if (kin__get_u32(in + AT_VERSION) != KIN__SNAPSHOT_VERSION)
        return kin__error_parse(err, AT_VERSION,
                                "%s: a snapshot of format %" PRIu32 ", but this is a reader of %u",
                                name, kin__get_u32(in + AT_VERSION), KIN__SNAPSHOT_VERSION);
    if (kin__get_u64(in + AT_OWN_CHECKSUM) != kin__snapshot_checksum(0, in, AT_OWN_CHECKSUM))
        return kin__error_parse(err, AT_OWN_CHECKSUM, "%s: the header is damaged", name);

    const kin__snapshot_header header = {.info_bytes = kin__get_u32(in + AT_INFO_BYTES),
                                         .file_bytes = kin__get_u64(in + AT_FILE_BYTES),
                                         .objects = kin__get_u64(in + AT_OBJECTS),
                                         .json_bytes = kin__get_u64(in + AT_JSON_BYTES),
                                         .blocks = kin__get_u64(in + AT_BLOCKS),
                                         .checksum = kin__get_u64(in + AT_CHECKSUM)};

    if (header.file_bytes > size)
        return kin__error_parse(err, size, "%s: cut off: %" PRIu64 " bytes are left of %" PRIu64,
                                name, size, header.file_bytes);
    if (header.file_bytes < size)
        return kin__error_parse(err, header.file_bytes, "%s: there is more behind its end", name);
    if (!is_possible(&header))
        return kin__error_parse(err, AT_INFO_BYTES, "%s: the header contradicts itself", name);
    *ret = header;
    return 0;
}

void kin__snapshot_head_put(uint8_t *out, const kin__snapshot_head *head)
{
    kin__put_u32(out, head->stored_bytes);
    kin__put_u32(out + 4, head->raw_bytes);
    kin__put_u32(out + 8, head->objects);
    kin__put_u32(out + 12, head->method);
}

static bool is_possible_size(const kin__snapshot_head *head)
{
    const uint64_t object = KIN__SNAPSHOT_PREFIX_BYTES + KIN__SNAPSHOT_OBJECT_BYTES_MIN;

    if (head->objects == 0 || head->raw_bytes < head->objects * object)
        return false;
    /* Larger ones have one object, which is larger. */
    if (head->objects > 1 && head->raw_bytes > KIN_SNAPSHOT_BLOCK_BYTES_MAX)
        return false;
    if (head->raw_bytes > KIN__SNAPSHOT_PREFIX_BYTES + (uint64_t)KIN_DECODE_MAX_BYTES_LIMIT)
        return false;
    if (head->method == KIN__SNAPSHOT_STORED)
        return head->stored_bytes == head->raw_bytes;
    return head->method == KIN__SNAPSHOT_ZSTD && head->stored_bytes < head->raw_bytes &&
           head->stored_bytes >= head->raw_bytes / KIN__SNAPSHOT_RATIO_MAX;
}

int kin__snapshot_head_get(kin__snapshot_head *ret, const uint8_t *in, uint64_t left, uint64_t at,
                           const char *name, kin_error *err)
{
    const kin__snapshot_head head = {.stored_bytes = kin__get_u32(in),
                                     .raw_bytes = kin__get_u32(in + 4),
                                     .objects = kin__get_u32(in + 8),
                                     .method = kin__get_u32(in + 12)};

    if (!is_possible_size(&head) ||
        left < (uint64_t)head.stored_bytes + KIN__SNAPSHOT_CHECKSUM_BYTES)
        return kin__error_parse(err, at, "%s: a block whose head makes no sense", name);
    *ret = head;
    return 0;
}
