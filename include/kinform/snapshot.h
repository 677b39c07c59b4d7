/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Snapshots: what a store holds, in a file, to begin with at the next start.
 *
 * A file is written beside the old one and takes its place when all of it is on the disk, so there is
 * always an old or a new one, whole. It is compressed, has checksums over every byte, and is the same
 * on all machines; docs/snapshot.md describes it. It holds what the store holds, Secrets too, and is
 * readable by its owner alone. The checksums find damage, not malice: whoever may write the file
 * decides what is read from it.
 *
 * Objects are read before the end of the file has been seen. Stage them, and commit when
 * kin_snapshot_read() has returned 0, which says that all of the file is good.
 *
 * @code
 * static int stage(const kin_object *object, void *arg, kin_error *err)
 * {
 *     return kin_replace_add(arg, object, err);
 * }
 * ...
 * if (kin_snapshot_open(&snapshot, path, &err) < 0)
 *     return list_instead(&err); // KIN_ENOTFOUND: there is none
 * info = kin_snapshot_get_info(snapshot); // Is it of this cluster, resource, selector?
 * if (kin_store_replace_begin(store, &replace, &err) < 0 ||
 *     kin_snapshot_read(snapshot, NULL, stage, replace, &err) < 0 ||
 *     kin_replace_commit(replace, kin_str_of(info->resource_version), &err) < 0)
 *     return list_instead(&err); // kin_replace_abort()
 * @endcode
 *
 * Not there if the library was built without KIN_SNAPSHOT.
 */
#ifndef KINFORM_SNAPSHOT_H
#define KINFORM_SNAPSHOT_H

#include <kinform/clock.h>
#include <kinform/stream.h>
#include <kinform/view.h>

KIN_BEGIN_DECLS

/** What kin_snapshot_options.block_bytes is unless set: 1 MiB. */
#define KIN_SNAPSHOT_BLOCK_BYTES 1048576
/** The most it can be set to: 16 MiB. */
#define KIN_SNAPSHOT_BLOCK_BYTES_MAX 16777216
/** The texts of a kin_snapshot_info together, as JSON, are refused with KIN_ELIMIT if longer: 1 MiB. */
#define KIN_SNAPSHOT_INFO_BYTES_MAX 1048576

/**
 * What a snapshot is of. All texts are UTF-8; one that is NULL is not in the file, and NULL again
 * when it is read. To compare, a reader asks for the same texts as the writer wrote.
 */
typedef struct kin_snapshot_info {
    size_t size;                   /**< sizeof(kin_snapshot_info); set by KIN_SNAPSHOT_INFO_INIT */
    const char *cluster;           /**< what tells this cluster from others; BORROWED */
    const char *api_version;       /**< of the objects: "apps/v1"; BORROWED */
    const char *kind;              /**< of the objects: "Deployment"; BORROWED */
    const char *resource;          /**< their name in paths: "deployments"; BORROWED */
    const char *const *namespaces; /**< where they are from; none: from all; BORROWED */
    size_t n_namespaces;           /**< how many `namespaces` there are */
    const char *label_selector;    /**< which of them; BORROWED */
    const char *field_selector;    /**< which of them; BORROWED */
    const char *projection;        /**< what was kept of them, in the writer's words; BORROWED */
    /**
     * From where a watch goes on. When writing, NULL: what the store has with its objects. Whoever
     * gives another gives one that is not newer than the objects. BORROWED
     */
    const char *resource_version;
    int64_t unix_ns;     /**< when it was written, ns since 1970; not looked at when writing */
    uint64_t objects;    /**< how many there are; not looked at when writing */
    uint64_t json_bytes; /**< their length as JSON; not looked at when writing */
    uint64_t file_bytes; /**< the length of the file; not looked at when writing */
    /**
     * If each namespace is watched on its own: from where, one for each of `namespaces`, in their order;
     * `resource_version` is then for nobody. BORROWED
     */
    const char *const *versions;
    size_t n_versions; /**< how many `versions` there are: none, or as many as namespaces */
    /** How the resource was asked for: "deploy". `resource` is then what it turned out to be. BORROWED */
    const char *asked_as;
    /**
     * When the list began that the objects are based on, ns since 1970; 0: not known, and not in the file. Of several
     * namespaces the oldest list. Watch events applied since then do not change it.
     */
    int64_t list_unix_ns;
} kin_snapshot_info;

/* clang-format off */
/** An empty kin_snapshot_info. */
#define KIN_SNAPSHOT_INFO_INIT \
    {sizeof(kin_snapshot_info), NULL, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, 0, 0, 0, 0, \
     NULL, 0, NULL, 0}
/* clang-format on */

/** How to write. Zero means the default. COPIED. */
typedef struct kin_snapshot_options {
    size_t size;        /**< sizeof(kin_snapshot_options); set by KIN_SNAPSHOT_OPTIONS_INIT */
    int level;          /**< of zstd, 1 to 19; default 1. 3 is somewhat smaller and slower. */
    size_t block_bytes; /**< of JSON that is compressed at once; default KIN_SNAPSHOT_BLOCK_BYTES */
    kin_clock *clock;   /**< whose time is noted; NULL: the system's. BORROWED for the call. */
} kin_snapshot_options;

/* clang-format off */
/** The default options. */
#define KIN_SNAPSHOT_OPTIONS_INIT {sizeof(kin_snapshot_options), 0, 0, NULL}
/* clang-format on */

/**
 * Write what a store holds, in one version, to a file.
 *
 * The file takes the place of what was at `path`, a symbolic link included, and has mode 0600. Until
 * then it is `path` with ".tmp" behind, locked, in the same folder. After a failure that is gone; after a crash
 * it is there, and the next write uses it. Beside the store it takes memory for one block, or for one
 * object if that is larger.
 *
 * @param path     COPIED.
 * @param store    BORROWED for the call; readers and writers are not held up.
 * @param info     BORROWED for the call.
 * @param options  COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL (NULL, a path that names no file, an option out of its range, a text that is
 *         not UTF-8), KIN_ETYPE (an object that is not a document), KIN_ELIMIT (the info, or an object
 *         with more than KIN_DECODE_MAX_BYTES_LIMIT), KIN_EBUSY (another process or thread writes it),
 *         KIN_EDENIED (the temporary file is somebody else's), KIN_ESYSTEM (`os_error` says why: no
 *         folder, no space, no right), KIN_ENOMEM, KIN_EFORKED. The old file is then there as it was; only if
 *         the folder could not be flushed to the disk, which is KIN_ESYSTEM, the new one is.
 * @thread any    @blocks while it is written and flushed to the disk
 */
KIN_API int kin_snapshot_write(const char *path, kin_store *store, const kin_snapshot_info *info,
                               const kin_snapshot_options *options, kin_error *err);

/**
 * Write what a view shows; otherwise as kin_snapshot_write().
 *
 * @param path     COPIED.
 * @param view     BORROWED for the call; is gone through from its beginning.
 * @param info     BORROWED for the call.
 * @param options  COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL and others as kin_snapshot_write().
 * @thread any, one at a time per view    @blocks while it is written and flushed to the disk
 */
KIN_API int kin_snapshot_write_view(const char *path, kin_view *view, const kin_snapshot_info *info,
                                    const kin_snapshot_options *options, kin_error *err);

/** A snapshot that is open for reading. One owner, one thread at a time. */
typedef struct kin_snapshot kin_snapshot;

/**
 * Open a snapshot and read what it is of. Whatever is written to `path` from then on, this one is read.
 *
 * @param[out] ret  OWNED; release with kin_snapshot_free().
 * @param path      COPIED.
 * @return 0, KIN_ENOTFOUND (there is no such file), KIN_EPARSE (no snapshot, one of a newer format,
 *         a damaged one, or one that is not as long as it should be; the message says what, and
 *         err->offset where), KIN_EINVAL (NULL), KIN_ESYSTEM, KIN_ENOMEM.
 * @thread any    @blocks while it is read
 */
KIN_API int kin_snapshot_open(kin_snapshot **ret, const char *path, kin_error *err);

/**
 * Close it.
 *
 * @param snapshot  CONSUMED; may be NULL. Not from within the callback of kin_snapshot_read().
 * @thread any, no other call on it at the same time
 */
KIN_API void kin_snapshot_free(kin_snapshot *snapshot);

/**
 * What it is of. Its parts that tell of the whole file are what the writer said, and are checked by
 * kin_snapshot_read().
 *
 * @return BORROWED while the snapshot lives.
 * @thread any
 */
KIN_API const kin_snapshot_info *kin_snapshot_get_info(const kin_snapshot *snapshot);

/**
 * Read all objects, in no particular order, and check every byte. May be called again.
 *
 * It takes memory for one block, or for one object if that is larger, and what `fn` keeps. A damaged
 * block is noticed before any of its objects is decoded.
 *
 * @param snapshot  BORROWED for the call.
 * @param options   how to decode; BORROWED for the call; NULL for the defaults. `max_bytes` limits
 *                  objects, and with them memory.
 * @param fn        receives the objects, of which none is to be believed before 0 was returned.
 * @param arg       handed to `fn`; BORROWED for the call.
 * @return 0 (that was all, and all of it is good), KIN_EPARSE (a damaged file; the message says what,
 *         and err->offset where), KIN_ELIMIT (an object is beyond a limit of the options), KIN_EINVAL
 *         (NULL, or the options), KIN_EBUSY (from within `fn`), KIN_ESYSTEM, KIN_ENOMEM, or what `fn`
 *         returned.
 * @thread any, one at a time per snapshot    @blocks while it is read
 */
KIN_API int kin_snapshot_read(kin_snapshot *snapshot, const kin_decode_options *options,
                              kin_list_item_fn *fn, void *arg, kin_error *err);

KIN_END_DECLS

#endif
