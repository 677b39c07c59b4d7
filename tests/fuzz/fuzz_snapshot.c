/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Snapshots that others made up. The first byte says how the rest is to be taken:
 *
 * - as it is: the checksums keep nearly all of it out, which is their work;
 * - with checksums that were made right, so that what is behind them is reached;
 * - as the text of objects that are written and read back.
 *
 * Nothing is read beyond the file, objects are called back for only as many as it says, and what
 * was accepted once is accepted again, with the same objects.
 */
#include <string.h>

#include "base/buf.h"
#include "fuzz.h"
#include "informer/snapshot_format.h"
#include "informer/snapshot_read.h"
#include "kinform/memory.h"

/* As large as a fuzzer's input can make it: nothing is folded more than this. */
#define MAX_BYTES ((size_t)1 << 20)

struct file {
    uint8_t *bytes;
    size_t len;
};

static int read_bytes(void *arg, void *buf, size_t len, uint64_t offset, kin_error *err)
{
    const struct file *file = arg;

    (void)err;
    FUZZ_CHECK(offset <= file->len && len <= file->len - offset);
    if (len > 0)
        memcpy(buf, file->bytes + offset, len);
    return 0;
}

struct seen {
    kin__buf text;
    uint64_t n;
};

static int see(const kin_object *object, void *arg, kin_error *err)
{
    struct seen *seen = arg;
    char *json;
    size_t len;

    FUZZ_CHECK(kin_object_to_json(&json, &len, object, KIN_JSON_COMPACT, err) == 0);
    kin__buf_append(&seen->text, kin_str_make(json, len));
    kin__buf_append_char(&seen->text, '\n');
    kin_free(json);
    seen->n++;
    return 0;
}

static int read_once(kin_snapshot *snapshot, struct seen *seen, kin_error *err)
{
    kin_decode_options options = KIN_DECODE_OPTIONS_INIT;

    options.max_bytes = MAX_BYTES;
    seen->n = 0;
    kin__buf_init(&seen->text, SIZE_MAX - 1);
    return kin_snapshot_read(snapshot, &options, see, seen, err);
}

static void check_info(const kin_snapshot_info *info, size_t file_bytes)
{
    size_t n = 0;

    FUZZ_CHECK(info->file_bytes == file_bytes);
    FUZZ_CHECK(info->objects <= info->json_bytes / 2);
    FUZZ_CHECK(info->json_bytes / 256 <= file_bytes);
    for (size_t i = 0; i < info->n_namespaces; i++)
        n += strlen(info->namespaces[i]) + 1;
    FUZZ_CHECK(n <= file_bytes);
    if (info->cluster)
        FUZZ_CHECK(strlen(info->cluster) <= file_bytes);
}

static void read_file(struct file *file)
{
    const kin__snapshot_source source = {"fuzz", file->len, read_bytes, file};
    kin_snapshot *snapshot = NULL;
    kin_error err = KIN_ERROR_INIT;
    struct seen first;
    struct seen second;
    int code = kin__snapshot_open_source(&snapshot, &source, &err);

    FUZZ_CHECK(code == 0 || (code == KIN_EPARSE && err.code == code && err.offset <= file->len));
    if (code < 0)
        return;
    check_info(kin_snapshot_get_info(snapshot), file->len);
    code = read_once(snapshot, &first, &err);
    FUZZ_CHECK(code == 0 || code == KIN_EPARSE || code == KIN_ELIMIT);
    FUZZ_CHECK(code < 0 || first.n == kin_snapshot_get_info(snapshot)->objects);
    FUZZ_CHECK(code == 0 || (err.code == code && err.offset <= file->len));
    FUZZ_CHECK(read_once(snapshot, &second, NULL) == code);
    FUZZ_CHECK(first.n == second.n);
    FUZZ_CHECK(kin_str_equal(kin__buf_str(&first.text), kin__buf_str(&second.text)));
    kin__buf_done(&first.text);
    kin__buf_done(&second.text);
    kin_snapshot_free(snapshot);
}

/* Make right what keeps changes out: the beginning, the length and the checksums. */
static void sign(struct file *file)
{
    static const uint8_t begin[] = {0x89, 'K', 'I', 'N', '\r', '\n', 0x1a, 0, 1, 0, 0, 0};
    uint8_t *bytes = file->bytes;
    uint64_t checksum;

    if (file->len < KIN__SNAPSHOT_HEADER_BYTES)
        return;
    memcpy(bytes, begin, sizeof(begin));
    kin__put_u64(bytes + 16, file->len);
    const size_t info_bytes = kin__get_u32(bytes + 12);
    size_t at = KIN__SNAPSHOT_HEADER_BYTES;

    if (info_bytes <= file->len - at && file->len - at - info_bytes >= 8) {
        checksum = kin__snapshot_checksum(0, bytes + at, info_bytes);
        kin__put_u64(bytes + at + info_bytes, checksum);
        at += info_bytes + 8;
        while (file->len - at >= KIN__SNAPSHOT_HEAD_BYTES + 8) {
            const size_t stored = kin__get_u32(bytes + at);
            const size_t len = KIN__SNAPSHOT_HEAD_BYTES + stored;

            if (file->len - at - 8 < len)
                break;
            checksum = kin__snapshot_checksum(checksum, bytes + at, len);
            kin__put_u64(bytes + at + len, checksum);
            at += len + 8;
        }
        kin__put_u64(bytes + 48, checksum);
    }
    kin__put_u64(bytes + 56, kin__snapshot_checksum(0, bytes, 56));
}

/* One object, stored: the decoder's part behind everything else. */
static void wrap(struct file *ret, const uint8_t *text, size_t len)
{
    static const char info[] = "{\"kind\":\"a\",\"namespaces\":[\"b\"]}";
    const kin__snapshot_head head = {(uint32_t)len + 4, (uint32_t)len + 4, 1, KIN__SNAPSHOT_STORED};
    const kin__snapshot_header header = {
        .info_bytes = sizeof(info) - 1, .objects = 1, .json_bytes = len, .blocks = 1};

    ret->len =
        KIN__SNAPSHOT_HEADER_BYTES + header.info_bytes + 8 + KIN__SNAPSHOT_HEAD_BYTES + 4 + len + 8;
    ret->bytes = calloc(1, ret->len);
    FUZZ_CHECK(ret->bytes != NULL);
    uint8_t *at = ret->bytes + KIN__SNAPSHOT_HEADER_BYTES;

    kin__snapshot_header_put(ret->bytes, &header);
    memcpy(at, info, header.info_bytes);
    at += header.info_bytes + 8;
    kin__snapshot_head_put(at, &head);
    kin__put_u32(at + KIN__SNAPSHOT_HEAD_BYTES, (uint32_t)len);
    if (len > 0)
        memcpy(at + KIN__SNAPSHOT_HEAD_BYTES + 4, text, len);
    sign(ret);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    const unsigned mode = fuzz_byte(&in) % 3;
    struct file file = {NULL, in.len};

    if (mode == 2) {
        wrap(&file, in.data, in.len);
    } else {
        file.bytes = malloc(in.len + (in.len == 0));
        FUZZ_CHECK(file.bytes != NULL);
        if (in.len > 0)
            memcpy(file.bytes, in.data, in.len);
        if (mode == 1)
            sign(&file);
    }
    read_file(&file);
    free(file.bytes);
    return 0;
}
