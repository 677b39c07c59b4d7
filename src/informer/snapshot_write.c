/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing snapshots. The objects of a view become JSON, one behind the other, until a block is full;
 * the block is compressed, gets its checksum and goes to the file. At the end the header, which knows
 * how many there were, is written to the beginning.
 *
 * A block has several objects only if all of them fit into it: the one that does not begins the next. So
 * nothing but a single large object makes a large block.
 */
#include "kinform/snapshot.h"

#include <zstd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "informer/snapshot_file.h"
#include "informer/snapshot_format.h"
#include "informer/snapshot_info.h"
#include "object/json.h"

#define LEVEL 1
#define LEVEL_MAX 19
#define FRAME_BYTES (KIN__SNAPSHOT_HEAD_BYTES + KIN__SNAPSHOT_CHECKSUM_BYTES)

struct writer {
    kin__new_file file;
    kin__snapshot_header header; /* its checksum is that of what was written last */
    ZSTD_CCtx *zstd;
    size_t block_bytes;
    kin__buf raw;     /* the block under way */
    uint32_t objects; /* in it */
    uint8_t *out;     /* a block as it goes to the file */
    size_t out_size;
};

/* --- blocks --- */

static bool make_room(struct writer *w, size_t size)
{
    if (size <= w->out_size)
        return true;
    /* What it holds is not needed any more. */
    kin__free(w->out);
    w->out = kin__malloc(size);
    w->out_size = w->out ? size : 0;
    return w->out != NULL;
}

/* Memory that a large object took is not for the others, too. */
static void forget_large(struct writer *w)
{
    kin__buf_recycle(&w->raw, 4 * w->block_bytes);
    if (w->out_size > 4 * w->block_bytes) {
        kin__free(w->out);
        w->out = NULL;
        w->out_size = 0;
    }
}

/* Put the content behind the head; sets method and stored_bytes. */
static int fold(struct writer *w, kin__snapshot_head *head, kin_error *err)
{
    uint8_t *content = w->out + KIN__SNAPSHOT_HEAD_BYTES;
    const size_t room = w->out_size - FRAME_BYTES;
    const size_t n = ZSTD_compress2(w->zstd, content, room, w->raw.data, head->raw_bytes);

    /* Of all that can fail, with room enough, only memory is left. */
    if (ZSTD_isError(n))
        return kin_error_set(err, KIN_ENOMEM, "zstd: %s", ZSTD_getErrorName(n));
    head->method = KIN__SNAPSHOT_ZSTD;
    head->stored_bytes = (uint32_t)n;
    if (n < head->raw_bytes && n >= head->raw_bytes / KIN__SNAPSHOT_RATIO_MAX)
        return 0;
    memcpy(content, w->raw.data, head->raw_bytes);
    head->method = KIN__SNAPSHOT_STORED;
    head->stored_bytes = head->raw_bytes;
    return 0;
}

/* Write the first `raw_bytes` of what is under way, which are all objects but perhaps the last. */
static int write_block(struct writer *w, size_t raw_bytes, uint32_t objects, kin_error *err)
{
    kin__snapshot_head head = {.raw_bytes = (uint32_t)raw_bytes, .objects = objects};
    int code;

    if (!make_room(w, FRAME_BYTES + ZSTD_compressBound(raw_bytes)))
        return kin__error_no_memory(err);
    code = fold(w, &head, err);
    if (code < 0)
        return code;
    const size_t len = KIN__SNAPSHOT_HEAD_BYTES + (size_t)head.stored_bytes;

    kin__snapshot_head_put(w->out, &head);
    w->header.checksum = kin__snapshot_checksum(w->header.checksum, w->out, len);
    kin__put_u64(w->out + len, w->header.checksum);
    w->header.blocks++;
    w->header.file_bytes += len + KIN__SNAPSHOT_CHECKSUM_BYTES;
    return kin__new_file_append(&w->file, w->out, len + KIN__SNAPSHOT_CHECKSUM_BYTES, err);
}

/* Write what is complete; the object behind it, if there is one, begins the next block. */
static int flush(struct writer *w, size_t raw_bytes, uint32_t objects, kin_error *err)
{
    const size_t rest = w->raw.len - raw_bytes;
    int code = objects > 0 ? write_block(w, raw_bytes, objects, err) : 0;

    if (code < 0)
        return code;
    if (rest > 0)
        memmove(w->raw.data, w->raw.data + raw_bytes, rest);
    kin__buf_truncate(&w->raw, rest);
    w->objects -= objects;
    if (rest == 0)
        forget_large(w);
    return 0;
}

static int object_too_long(kin_str key, kin_error *err)
{
    return kin_error_set(err, KIN_ELIMIT, "%" KIN_STR_FMT ": longer than %d bytes as JSON",
                         KIN_STR_ARG(key), KIN_DECODE_MAX_BYTES_LIMIT);
}

static int append_object(struct writer *w, kin_str key, const kin_object *object, kin_error *err)
{
    static const char prefix[KIN__SNAPSHOT_PREFIX_BYTES];
    const kin_value root = kin_object_root(object);
    const size_t before = w->raw.len;

    if (!root.at)
        return kin_error_set(err, KIN_ETYPE, "%" KIN_STR_FMT ": not a document", KIN_STR_ARG(key));
    kin__buf_append(&w->raw, kin_str_make(prefix, sizeof(prefix)));
    kin__json_write(&w->raw, root, KIN_JSON_COMPACT);
    if (w->raw.failed == KIN_ENOMEM)
        return kin__error_no_memory(err);
    const size_t len = w->raw.len - before - sizeof(prefix);

    if (w->raw.failed < 0 || len > KIN_DECODE_MAX_BYTES_LIMIT)
        return object_too_long(key, err);
    kin__put_u32((uint8_t *)w->raw.data + before, (uint32_t)len);
    w->objects++;
    w->header.objects++;
    w->header.json_bytes += len;
    if (w->raw.len <= w->block_bytes)
        return 0;

    int code = flush(w, before, w->objects - 1, err);

    return code == 0 && w->raw.len > w->block_bytes ? flush(w, w->raw.len, 1, err) : code;
}

/* --- the file --- */

static int write_info(struct writer *w, const kin_snapshot_info *info, kin_error *err)
{
    static const char header[KIN__SNAPSHOT_HEADER_BYTES];
    uint8_t checksum[KIN__SNAPSHOT_CHECKSUM_BYTES];
    kin__buf buf;
    int code;

    kin__buf_init(&buf, KIN__SNAPSHOT_HEADER_BYTES + (size_t)KIN_SNAPSHOT_INFO_BYTES_MAX);
    kin__buf_append(&buf, kin_str_make(header, sizeof(header)));
    code = kin__snapshot_info_write(&buf, info, err);
    if (code == 0 && buf.failed == KIN_ELIMIT)
        code = kin_error_set(err, KIN_ELIMIT, "the info of a snapshot is longer than %d bytes",
                             KIN_SNAPSHOT_INFO_BYTES_MAX);
    else if (code == 0 && buf.failed < 0)
        code = kin__error_no_memory(err);
    if (code == 0)
        code = kin__new_file_append(&w->file, buf.data, buf.len, err);
    if (code == 0) {
        w->header.info_bytes = (uint32_t)(buf.len - sizeof(header));
        w->header.file_bytes = buf.len + sizeof(checksum);
        w->header.checksum =
            kin__snapshot_checksum(0, buf.data + sizeof(header), w->header.info_bytes);
        kin__put_u64(checksum, w->header.checksum);
        code = kin__new_file_append(&w->file, checksum, sizeof(checksum), err);
    }
    kin__buf_done(&buf);
    return code;
}

static int write_objects(struct writer *w, kin_view *view, kin_error *err)
{
    const kin_object *object;
    kin_str key;
    int code = 0;

    kin_view_rewind(view);
    while (code == 0 && kin_view_next(view, &key, &object))
        code = append_object(w, key, object, err);
    if (code == 0)
        code = flush(w, w->raw.len, w->objects, err);
    kin_view_rewind(view);
    return code;
}

static int write_header(struct writer *w, kin_error *err)
{
    uint8_t header[KIN__SNAPSHOT_HEADER_BYTES];

    kin__snapshot_header_put(header, &w->header);
    return kin__new_file_write_at(&w->file, header, sizeof(header), 0, err);
}

static int write_all(struct writer *w, kin_view *view, const kin_snapshot_info *info,
                     kin_error *err)
{
    int code = write_info(w, info, err);

    if (code == 0)
        code = write_objects(w, view, err);
    return code == 0 ? write_header(w, err) : code;
}

/* --- arguments --- */

static int take_options(kin_snapshot_options *ret, const kin_snapshot_options *options,
                        kin_error *err)
{
    int code = kin__options_take(ret, sizeof(*ret), options, "KIN_SNAPSHOT_OPTIONS_INIT", err);

    if (code < 0)
        return code;
    if (ret->level < 0 || ret->level > LEVEL_MAX)
        return kin_error_set(err, KIN_EINVAL, "level %d is not 1 to %d", ret->level, LEVEL_MAX);
    if (ret->block_bytes > KIN_SNAPSHOT_BLOCK_BYTES_MAX)
        return kin_error_set(err, KIN_EINVAL, "block_bytes is more than %d",
                             KIN_SNAPSHOT_BLOCK_BYTES_MAX);
    if (ret->level == 0)
        ret->level = LEVEL;
    if (ret->block_bytes == 0)
        ret->block_bytes = KIN_SNAPSHOT_BLOCK_BYTES;
    if (!ret->clock)
        ret->clock = kin_clock_system();
    return 0;
}

/* In a forked child a view shows nothing, which must not take the place of a snapshot. */
static int check_view(kin_view *view, kin_error *err)
{
    kin_error said;

    kin__error_begin(&said);
    int code = kin_view_get(view, NULL, kin_str_of("-"), &said);

    return code < 0 && code != KIN_ENOTFOUND ? kin__error_pass(err, code, &said) : 0;
}

static int writer_init(struct writer *w, const kin_snapshot_options *options, kin_error *err)
{
    memset(w, 0, sizeof(*w));
    w->block_bytes = options->block_bytes;
    kin__buf_init(&w->raw,
                  w->block_bytes + KIN__SNAPSHOT_PREFIX_BYTES + KIN_DECODE_MAX_BYTES_LIMIT);
    w->zstd = ZSTD_createCCtx();
    if (!w->zstd ||
        ZSTD_isError(ZSTD_CCtx_setParameter(w->zstd, ZSTD_c_compressionLevel, options->level)))
        return kin__error_no_memory(err);
    return 0;
}

static void writer_done(struct writer *w)
{
    ZSTD_freeCCtx(w->zstd);
    kin__buf_done(&w->raw);
    kin__free(w->out);
}

int kin_snapshot_write_view(const char *path, kin_view *view, const kin_snapshot_info *info,
                            const kin_snapshot_options *options, kin_error *err)
{
    kin_snapshot_options all_options = KIN_SNAPSHOT_OPTIONS_INIT;
    kin_snapshot_info all_info = KIN_SNAPSHOT_INFO_INIT;
    struct writer w;
    int code;

    if (!path || !view || !info)
        return kin__error_null(err, !path ? "path" : !view ? "view" : "info");
    code = check_view(view, err);
    if (code == 0)
        code = take_options(&all_options, options, err);
    if (code == 0)
        code = kin__options_take(&all_info, sizeof(all_info), info, "KIN_SNAPSHOT_INFO_INIT", err);
    if (code < 0)
        return code;
    all_info.unix_ns = kin_clock_unix_now(all_options.clock);
    if (!all_info.resource_version)
        all_info.resource_version = kin_view_resource_version(view);

    code = writer_init(&w, &all_options, err);
    if (code == 0)
        code = kin__new_file_begin(&w.file, path, err);
    if (code == 0) {
        code = write_all(&w, view, &all_info, err);
        if (code == 0)
            code = kin__new_file_commit(&w.file, err);
        else
            kin__new_file_abort(&w.file);
    }
    writer_done(&w);
    return code;
}

int kin_snapshot_write(const char *path, kin_store *store, const kin_snapshot_info *info,
                       const kin_snapshot_options *options, kin_error *err)
{
    kin_view *view = NULL;
    int code;

    if (!path || !store || !info)
        return kin__error_null(err, !path ? "path" : !store ? "store" : "info");
    code = kin_view_new(&view, store, err);
    if (code == 0)
        code = kin_snapshot_write_view(path, view, info, options, err);
    kin_view_free(view);
    return code;
}
