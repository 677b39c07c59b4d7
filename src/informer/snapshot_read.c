/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading snapshots: header and info when one is opened, block by block when it is read.
 *
 * Nothing is believed before it was checked: the header by its checksum and against the file's size, a
 * block's head against what is left of the file, its content by the checksum before zstd sees it,
 * what zstd makes of it by its length. What is allocated is never more than the file's size times the
 * largest ratio, nor more than a block or the largest object may have.
 */
#include "informer/snapshot_read.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "base/error.h"
#include "base/memory.h"
#include "informer/snapshot_format.h"
#include "informer/snapshot_info.h"
#include "object/json.h"

struct kin_snapshot {
    kin__snapshot_source source;
    kin__snapshot_header header;
    kin__snapshot_info info;
    uint64_t info_checksum;
    bool busy; /* being read */
    int fd;    /* -1 if the source is not a file */
    char *path;
};

/* --- header and info --- */

static int read_header(kin_snapshot *s, kin_error *err)
{
    uint8_t bytes[KIN__SNAPSHOT_HEADER_BYTES] = {0};
    const uint64_t size = s->source.size;
    const size_t len = size < sizeof(bytes) ? (size_t)size : sizeof(bytes);
    int code = s->source.read(s->source.arg, bytes, len, 0, err);

    return code < 0 ? code : kin__snapshot_header_get(&s->header, bytes, size, s->source.name, err);
}

static int read_info(kin_snapshot *s, kin_error *err)
{
    const uint64_t at = KIN__SNAPSHOT_HEADER_BYTES;
    const size_t len = s->header.info_bytes;
    uint8_t *bytes = kin__malloc(len + KIN__SNAPSHOT_CHECKSUM_BYTES);
    int code;

    if (!bytes)
        return kin__error_no_memory(err);
    code = s->source.read(s->source.arg, bytes, len + KIN__SNAPSHOT_CHECKSUM_BYTES, at, err);
    if (code == 0) {
        s->info_checksum = kin__snapshot_checksum(0, bytes, len);
        if (s->info_checksum != kin__get_u64(bytes + len))
            code =
                kin__error_parse(err, at, "%s: what it says of itself is damaged", s->source.name);
    }
    if (code == 0)
        code = kin__snapshot_info_read(&s->info, kin_str_make((const char *)bytes, len), at,
                                       s->source.name, err);
    kin__free(bytes);
    s->info.info.objects = s->header.objects;
    s->info.info.json_bytes = s->header.json_bytes;
    s->info.info.file_bytes = s->header.file_bytes;
    return code;
}

/* Its source is set. On failure it is gone. */
static int open_snapshot(kin_snapshot **ret, kin_snapshot *s, kin_error *err)
{
    int code = read_header(s, err);

    if (code == 0)
        code = read_info(s, err);
    if (code < 0)
        kin_snapshot_free(s);
    else
        *ret = s;
    return code;
}

int kin__snapshot_open_source(kin_snapshot **ret, const kin__snapshot_source *source,
                              kin_error *err)
{
    kin_snapshot *s = kin__calloc(1, sizeof(*s));

    if (!s)
        return kin__error_no_memory(err);
    s->source = *source;
    s->fd = -1;
    return open_snapshot(ret, s, err);
}

void kin_snapshot_free(kin_snapshot *snapshot)
{
    if (!snapshot)
        return;
    if (snapshot->fd >= 0)
        close(snapshot->fd);
    kin__snapshot_info_done(&snapshot->info);
    kin__free(snapshot->path);
    kin__free(snapshot);
}

const kin_snapshot_info *kin_snapshot_get_info(const kin_snapshot *snapshot)
{
    return snapshot ? &snapshot->info.info : NULL;
}

/* --- blocks --- */

struct reader {
    kin_snapshot *snapshot;
    kin_decoder *decoder;
    size_t max_bytes; /* of an object */
    ZSTD_DCtx *zstd;
    kin_list_item_fn *fn;
    void *arg;
    uint8_t *stored; /* a block as it stands in the file */
    size_t stored_size;
    uint8_t *raw; /* unfolded */
    size_t raw_size;
    uint64_t at; /* where the next block begins */
    uint64_t checksum;
    uint64_t objects;
    uint64_t json_bytes;
};

static bool make_room(uint8_t **buf, size_t *size, size_t need)
{
    if (need <= *size)
        return true;
    kin__free(*buf);
    *buf = kin__malloc(need);
    *size = *buf ? need : 0;
    return *buf != NULL;
}

static int damaged_block(const struct reader *r, kin_error *err)
{
    return kin__error_parse(err, r->at, "%s: a damaged block", r->snapshot->source.name);
}

/*
 * A block whose object is larger than wanted. Whether that is so, or its head is damaged, the checksum
 * tells; it is made in pieces, since there is to be no memory for the whole.
 */
static int refuse_block(struct reader *r, const uint8_t *bytes, const kin__snapshot_head *head,
                        kin_error *err)
{
    const kin__snapshot_source *source = &r->snapshot->source;
    uint64_t at = r->at + KIN__SNAPSHOT_HEAD_BYTES;
    uint64_t left = head->stored_bytes;
    XXH3_state_t state;
    uint8_t piece[4096];
    int code = 0;

    memset(&state, 0, sizeof(state)); /* xxhash wants that of one that was not allocated by it */
    XXH3_64bits_reset_withSeed(&state, r->checksum);
    XXH3_64bits_update(&state, bytes, KIN__SNAPSHOT_HEAD_BYTES);
    while (code == 0 && left > 0) {
        const size_t len = left < sizeof(piece) ? (size_t)left : sizeof(piece);

        code = source->read(source->arg, piece, len, at, err);
        if (code == 0)
            XXH3_64bits_update(&state, piece, len);
        at += len;
        left -= len;
    }
    if (code == 0)
        code = source->read(source->arg, piece, KIN__SNAPSHOT_CHECKSUM_BYTES, at, err);
    if (code < 0)
        return code;
    if (XXH3_64bits_digest(&state) != kin__get_u64(piece))
        return damaged_block(r, err);
    return kin__error_input(err, KIN_ELIMIT, r->at, "%s: an object of more than %zu bytes",
                            source->name, r->max_bytes);
}

/* Read head and content into r->stored, and check them. */
static int read_block(struct reader *r, kin__snapshot_head *head, kin_error *err)
{
    const kin__snapshot_source *source = &r->snapshot->source;
    uint8_t bytes[KIN__SNAPSHOT_HEAD_BYTES];
    const uint64_t left = source->size - r->at;
    int code;

    if (left < sizeof(bytes))
        return kin__error_parse(err, r->at, "%s: blocks are missing", source->name);
    code = source->read(source->arg, bytes, sizeof(bytes), r->at, err);
    if (code == 0)
        code = kin__snapshot_head_get(head, bytes, left - sizeof(bytes), r->at, source->name, err);
    if (code < 0)
        return code;
    /* Blocks of several objects are bounded anyhow. */
    if (head->objects == 1 && head->raw_bytes - KIN__SNAPSHOT_PREFIX_BYTES > r->max_bytes)
        return refuse_block(r, bytes, head, err);

    const size_t len = sizeof(bytes) + (size_t)head->stored_bytes;

    if (!make_room(&r->stored, &r->stored_size, len + KIN__SNAPSHOT_CHECKSUM_BYTES))
        return kin__error_no_memory(err);
    memcpy(r->stored, bytes, sizeof(bytes));
    code = source->read(source->arg, r->stored + sizeof(bytes),
                        len - sizeof(bytes) + KIN__SNAPSHOT_CHECKSUM_BYTES, r->at + sizeof(bytes),
                        err);
    if (code < 0)
        return code;
    r->checksum = kin__snapshot_checksum(r->checksum, r->stored, len);
    return r->checksum == kin__get_u64(r->stored + len) ? 0 : damaged_block(r, err);
}

/* The objects of the block, one behind the other. */
static int unfold(struct reader *r, const kin__snapshot_head *head, const uint8_t **ret,
                  kin_error *err)
{
    const uint8_t *content = r->stored + KIN__SNAPSHOT_HEAD_BYTES;

    *ret = content;
    if (head->method == KIN__SNAPSHOT_STORED)
        return 0;
    if (!make_room(&r->raw, &r->raw_size, head->raw_bytes))
        return kin__error_no_memory(err);
    const size_t n =
        ZSTD_decompressDCtx(r->zstd, r->raw, head->raw_bytes, content, head->stored_bytes);

    /* The checksum was right: whoever wrote it wrote it so. */
    if (ZSTD_isError(n) || n != head->raw_bytes)
        return kin__error_parse(err, r->at, "%s: a block that is not what zstd writes",
                                r->snapshot->source.name);
    *ret = r->raw;
    return 0;
}

static int decode_object(struct reader *r, kin_str text, kin_error *err)
{
    const kin_object *object;
    kin_error said;
    int code;

    kin__error_begin(&said);
    code = kin_decoder_decode(r->decoder, &object, text, &said);
    if (code == KIN_EPARSE || code == KIN_ELIMIT)
        return kin__error_input(err, code, r->at, "%s: object %" PRIu64 ": %s, in the block",
                                r->snapshot->source.name, r->objects, said.message);
    if (code < 0)
        return kin__error_pass(err, code, &said);
    code = r->fn(object, r->arg, &said);
    kin_object_unref(object);
    return code < 0 ? kin__error_pass(err, code, &said) : 0;
}

/* Cut the next object off the content. */
static bool next_text(const uint8_t **content, size_t *left, kin_str *ret)
{
    if (*left < KIN__SNAPSHOT_PREFIX_BYTES)
        return false;
    const size_t len = kin__get_u32(*content);

    *content += KIN__SNAPSHOT_PREFIX_BYTES;
    *left -= KIN__SNAPSHOT_PREFIX_BYTES;
    if (len > *left)
        return false;
    *ret = kin_str_make((const char *)*content, len);
    *content += len;
    *left -= len;
    return true;
}

static int decode_block(struct reader *r, const uint8_t *content, const kin__snapshot_head *head,
                        kin_error *err)
{
    size_t left = head->raw_bytes;
    kin_str text;

    for (uint32_t i = 0; i < head->objects; i++) {
        int code;

        if (!next_text(&content, &left, &text))
            return kin__error_parse(err, r->at, "%s: objects that do not fit into their block",
                                    r->snapshot->source.name);
        code = decode_object(r, text, err);
        if (code < 0)
            return code;
        r->objects++;
        r->json_bytes += text.len;
    }
    if (left > 0)
        return kin__error_parse(err, r->at, "%s: a block with more than its objects",
                                r->snapshot->source.name);
    return 0;
}

static int read_and_decode(struct reader *r, kin_error *err)
{
    const uint8_t *content;
    kin__snapshot_head head = {.objects = 0};
    int code = read_block(r, &head, err);

    if (code == 0)
        code = unfold(r, &head, &content, err);
    if (code == 0)
        code = decode_block(r, content, &head, err);
    if (code == 0)
        r->at +=
            KIN__SNAPSHOT_HEAD_BYTES + (uint64_t)head.stored_bytes + KIN__SNAPSHOT_CHECKSUM_BYTES;
    return code;
}

static int read_all(struct reader *r, kin_error *err)
{
    const kin__snapshot_header *header = &r->snapshot->header;

    r->at =
        KIN__SNAPSHOT_HEADER_BYTES + (uint64_t)header->info_bytes + KIN__SNAPSHOT_CHECKSUM_BYTES;
    r->checksum = r->snapshot->info_checksum;
    for (uint64_t i = 0; i < header->blocks; i++) {
        int code = read_and_decode(r, err);

        if (code < 0)
            return code;
    }
    if (r->at != header->file_bytes || r->checksum != header->checksum ||
        r->objects != header->objects || r->json_bytes != header->json_bytes)
        return kin__error_parse(err, r->at, "%s: its header and its blocks do not fit together",
                                r->snapshot->source.name);
    return 0;
}

int kin_snapshot_read(kin_snapshot *snapshot, const kin_decode_options *options,
                      kin_list_item_fn *fn, void *arg, kin_error *err)
{
    struct reader r = {.snapshot = snapshot, .fn = fn, .arg = arg};
    int code;

    if (!snapshot || !fn)
        return kin__error_null(err, snapshot ? "fn" : "snapshot");
    if (snapshot->busy)
        return kin_error_set(err, KIN_EBUSY, "the snapshot is being read");
    code = kin_decoder_new(&r.decoder, options, err);
    if (code < 0)
        return code;
    r.max_bytes = kin__decoder_max_bytes(r.decoder);
    snapshot->busy = true;
    r.zstd = ZSTD_createDCtx();
    code = r.zstd ? read_all(&r, err) : kin__error_no_memory(err);
    snapshot->busy = false;
    ZSTD_freeDCtx(r.zstd);
    kin_decoder_free(r.decoder);
    kin__free(r.stored);
    kin__free(r.raw);
    return code;
}

/* --- files --- */

/* The size was asked for when it was opened: a file that has become shorter since is cut off. */
static int read_file(void *arg, void *buf, size_t len, uint64_t offset, kin_error *err)
{
    const kin_snapshot *s = arg;
    char *at = buf;

    while (len > 0) {
        ssize_t n = pread(s->fd, at, len, (off_t)offset);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kin__error_system(err, errno, s->path);
        if (n == 0)
            return kin__error_parse(err, offset, "%s: cut off while it was read", s->path);
        at += n;
        offset += (uint64_t)n;
        len -= (size_t)n;
    }
    return 0;
}

static int open_error(const char *path, kin_error *err)
{
    const int os_error = errno;

    if (os_error != ENOENT && os_error != ENOTDIR)
        return kin__error_system(err, os_error, path);
    return kin_error_set(err, KIN_ENOTFOUND, "%s: there is no such file", path);
}

/* A named pipe is not waited for, and a folder is told apart. */
static int open_file(kin_snapshot *s, kin_error *err)
{
    struct stat st;

    s->fd = open(s->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (s->fd < 0)
        return open_error(s->path, err);
    if (fstat(s->fd, &st) < 0)
        return kin__error_system(err, errno, s->path);
    if (!S_ISREG(st.st_mode))
        return kin__error_parse(err, 0, "%s: not a file", s->path);
    s->source = (kin__snapshot_source){s->path, (uint64_t)st.st_size, read_file, s};
    return 0;
}

int kin_snapshot_open(kin_snapshot **ret, const char *path, kin_error *err)
{
    kin_snapshot *s;
    int code;

    if (!ret || !path)
        return kin__error_null(err, ret ? "path" : "ret");
    s = kin__calloc(1, sizeof(*s));
    if (!s)
        return kin__error_no_memory(err);
    s->fd = -1;
    s->path = kin__memdup_str(kin_str_of(path));
    code = s->path ? open_file(s, err) : kin__error_no_memory(err);
    if (code < 0) {
        kin_snapshot_free(s);
        return code;
    }
    return open_snapshot(ret, s, err);
}
