/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Stores: objects by key and by index, for any number of readers beside a writer.
 *
 * What client-go has as Store, Indexer and ThreadSafeStore. A reader never waits for a writer and
 * never makes one wait; each call sees one version of the whole store, and a view (kinform/view.h)
 * holds one over many calls. Writers take turns.
 *
 * @code
 * kin_store *pods = NULL;
 * const kin_object *pod = NULL;
 * if (kin_store_new(&pods, NULL, &err) < 0 ||
 *     kin_store_add_index(pods, &(kin_index)KIN_INDEX_INIT(KIN_NAMESPACE_INDEX, kin_namespace_index),
 *                         &err) < 0 ||
 *     kin_store_add(pods, object, &err) < 0 ||
 *     kin_store_get(pods, &pod, kin_str_of("default/web-0"), &err) < 0)
 *     report(&err);
 * kin_object_unref(pod);
 * kin_store_unref(pods);
 * @endcode
 */
#ifndef KINFORM_STORE_H
#define KINFORM_STORE_H

#include <kinform/index.h>
#include <kinform/log.h>
#include <kinform/object_list.h>
#include <kinform/replace.h>

KIN_BEGIN_DECLS

/** A store. SHARED. */
typedef struct kin_store kin_store;

/** Longer keys are refused with KIN_ELIMIT. */
#define KIN_KEY_BYTES_MAX 65535
/** Longer resource versions are refused with KIN_ELIMIT, or, of an object, not noted. */
#define KIN_RESOURCE_VERSION_BYTES_MAX 127

/**
 * Gives an object its key: client-go's KeyFunc. It is not asked about tombstones, which have theirs.
 *
 * @param object    BORROWED during the call.
 * @param[out] ret  BORROWED while the object lives; the same for the object's whole life.
 * @return 0, KIN_EINVAL or another negative code, with which the write fails.
 * @thread any, several at once; no lock is held
 */
typedef int kin_key_fn(const kin_object *object, kin_str *ret, void *arg, kin_error *err);

/**
 * Changes an object on its way in: client-go's TransformFunc. Objects are immutable, so it makes
 * another, or gives the same back. Tombstones are not transformed. It may change the key: the object is
 * stored under that of the result.
 *
 * @param object    BORROWED during the call.
 * @param[out] ret  SHARED: a reference for the caller, kin_object_ref(object) if nothing changes. It
 *                  must not be NULL: a transformer is not a filter.
 * @return 0, KIN_EINVAL or another negative code, with which the write fails. Queues accept a deletion all the same,
 *         as a tombstone, unless the transformer has changed keys.
 * @thread any, several at once; no lock is held
 */
typedef int kin_transform_fn(const kin_object *object, const kin_object **ret, void *arg,
                             kin_error *err);

/** How a store is to be. COPIED. */
typedef struct kin_store_options {
    size_t size;                 /**< sizeof(kin_store_options); set by the INIT macro */
    const char *name;            /**< for logs; NULL: "store" */
    kin_logger *logger;          /**< SHARED; NULL: the default logger */
    kin_key_fn *key;             /**< NULL: kin_object_key() */
    void *key_arg;               /**< handed to `key`; BORROWED while the store lives */
    kin_transform_fn *transform; /**< run on what is added, updated or replaced; may be NULL */
    void *transform_arg;         /**< handed to `transform`; BORROWED while the store lives */
} kin_store_options;

/* clang-format off */
/** The default options. */
#define KIN_STORE_OPTIONS_INIT {sizeof(kin_store_options), NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Make an empty store.
 *
 * @param[out] ret  SHARED, one reference; release with kin_store_unref().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL, KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_store_new(kin_store **ret, const kin_store_options *options, kin_error *err);

/**
 * Take another reference.
 *
 * @param store  may be NULL.
 * @return `store`, SHARED.
 * @thread any
 */
KIN_API kin_store *kin_store_ref(kin_store *store);

/**
 * Give a reference back; the last one frees the store and gives back its objects.
 *
 * @param store  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_store_unref(kin_store *store);

/* --- writing --- */

/**
 * Put an object under its key, whether the key is there or not.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key, the transformer gave nothing),
 *         KIN_ELIMIT (the key is longer than KIN_KEY_BYTES_MAX), KIN_EBUSY (called by an index function of this store while an
 *         index is added), KIN_ENOMEM, KIN_EFORKED, or the code of the key function or the
 *         transformer. On failure nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_add(kin_store *store, const kin_object *object, kin_error *err);

/**
 * The same as kin_store_add(), for those who say what they mean.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_store_add().
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_update(kin_store *store, const kin_object *object, kin_error *err);

/**
 * Put an object under a key that the caller gives, whether the key is there or not: Add and Update of client-go's
 * ThreadSafeStore.
 *
 * The key function is not called, and a transformer does not change the key. Indexes, lists, visits and views show the
 * object and this key. Functions that compute a key do not find the object if its own key differs: kin_store_delete()
 * and kin_store_get_object() use the computed key, and kin_store_add() adds a second entry. Read it with
 * kin_store_get() and delete it with kin_store_delete_key(). A replacement deletes it unless the list has an object
 * with this key. Snapshots (kinform/snapshot.h) contain the object without this key.
 *
 * @param store   BORROWED for the call.
 * @param key     COPIED.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key, a zero byte in the key), KIN_ELIMIT (the key is too long) and others as
 *         kin_store_add(). On failure nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_put(kin_store *store, kin_str key, const kin_object *object, kin_error *err);

/**
 * Take out what is under the key of an object. Nothing happens if there is nothing, except that the
 * store's resource version becomes the object's. Never fails for lack of memory.
 *
 * @param store   BORROWED for the call.
 * @param object  BORROWED for the call: the object, another state of it, a tombstone or an explicit
 *                key.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_EBUSY, KIN_EFORKED,
 *         or the code of the key function.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_delete(kin_store *store, const kin_object *object, kin_error *err);

/**
 * Take out what is under a key. The store's resource version stays.
 *
 * @param store  BORROWED for the call.
 * @param key    BORROWED for the call.
 * @return 0, KIN_EINVAL (`store` is NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_EBUSY,
 *         KIN_EFORKED.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_delete_key(kin_store *store, kin_str key, kin_error *err);

/** What a write of a transaction does. */
typedef enum kin_write_type {
    KIN_WRITE_PUT = 1,   /**< as kin_store_add() */
    KIN_WRITE_DELETE = 2 /**< as kin_store_delete() */
} kin_write_type;

/** One write of a transaction. Its layout never changes: arrays of it are passed. */
typedef struct kin_write {
    kin_write_type type;
    const kin_object *object; /**< as in kin_store_add() or kin_store_delete(); BORROWED */
    int code;                 /**< set by kin_store_write(): 0 if it was done, else why not */
} kin_write;

/**
 * A transaction: many writes that readers see as one. They are done in their order. As in
 * client-go's Transaction, a write that is wrong (its type, its key, its transformer) is left out
 * and the others are done.
 *
 * @param store   BORROWED for the call.
 * @param writes  BORROWED for the call; each `code` is set.
 * @return 0 (all are done), KIN_ENOMEM, KIN_EINVAL (`store` or `writes` is NULL), KIN_EBUSY, KIN_EFORKED:
 *         nothing has changed, and each `code` says so; or the code of the first that was left out.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_write(kin_store *store, kin_write *writes, size_t n, kin_error *err);

/**
 * Begin to replace everything. Any number may be under way; each commit replaces all.
 *
 * @param store     BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_replace_begin(kin_store *store, kin_replace **ret, kin_error *err);

/**
 * Replace everything at once: begin, add, commit.
 *
 * @param store             BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  of the list, may be empty; COPIED.
 * @return 0, KIN_EINVAL, KIN_ENOMEM and others as kin_replace_add() and kin_replace_commit(); then
 *         nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_replace(kin_store *store, const kin_object *const *objects, size_t n,
                              kin_str resource_version, kin_error *err);

/**
 * Note that the store is up to date at a resource version, without a change: client-go's Bookmark.
 *
 * @param store             BORROWED for the call.
 * @param resource_version  COPIED.
 * @return 0, KIN_EINVAL (`store` is NULL), KIN_ELIMIT (it is too long), KIN_EBUSY, KIN_EFORKED.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_bookmark(kin_store *store, kin_str resource_version, kin_error *err);

/**
 * Nothing: stores have nobody to tell. Here because queues have it and stand in for stores.
 *
 * @param store  BORROWED for the call.
 * @return 0, KIN_EINVAL (`store` is NULL).
 * @thread any
 */
KIN_API int kin_store_resync(kin_store *store, kin_error *err);

/* --- indexes --- */

/**
 * Add an index, also while the store is in use: what it holds is indexed before anybody sees the
 * index. Writers wait meanwhile, readers don't.
 *
 * @param store  BORROWED for the call.
 * @param index  COPIED; its `arg` is CONSUMED if it has an `arg_free`.
 * @return 0, KIN_EINVAL (NULL, no name or function, or the name is taken), KIN_ENOMEM, KIN_ELIMIT (an
 *         object would have more than 65535 values in all indexes), KIN_EBUSY (called by an index
 *         function of this store), KIN_EFORKED. On failure nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_add_index(kin_store *store, const kin_index *index, kin_error *err);

/**
 * Add several indexes, all or none: client-go's AddIndexers.
 *
 * @param store    BORROWED for the call.
 * @param indexes  as in kin_store_add_index(). COPIED.
 * @return 0, KIN_EINVAL and others as kin_store_add_index().
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_add_indexes(kin_store *store, const kin_index *indexes, size_t n,
                                  kin_error *err);

/**
 * The names of the indexes, in the order in which they were added: client-go's GetIndexers.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_index_names(kin_store *store, kin_string_list *ret, kin_error *err);

/* --- reading: each call sees one version --- */

/**
 * Find the object under a key.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (`store` is NULL), KIN_EFORKED, KIN_ENOMEM (only if more read at
 *         the same time than ever before).
 * @thread any
 */
KIN_API int kin_store_get(kin_store *store, const kin_object **ret, kin_str key, kin_error *err);

/**
 * Find the object that has the key of another: client-go's Get.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param object    BORROWED for the call: any state of it, a tombstone or an explicit key.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_EFORKED,
 *         KIN_ENOMEM as in kin_store_get(), or the code of the key function.
 * @thread any
 */
KIN_API int kin_store_get_object(kin_store *store, const kin_object **ret, const kin_object *object,
                                 kin_error *err);

/**
 * The number of objects.
 *
 * @param store  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_store_len(const kin_store *store);

/**
 * All objects, in no particular order.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_list(kin_store *store, kin_object_list *ret, kin_error *err);

/**
 * All keys, in no particular order.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_list_keys(kin_store *store, kin_string_list *ret, kin_error *err);

/**
 * Is told of one object of a store after the other.
 *
 * @param key     BORROWED during the call; need not be terminated.
 * @param object  BORROWED during the call; kin_object_ref() keeps it.
 * @return 0 to go on, anything else ends the visit and is what the visiting function returns.
 * @thread the one that visits; no lock is held, any function may be called
 */
typedef int kin_visit_fn(kin_str key, const kin_object *object, void *arg);

/**
 * Visit all objects of one version, in no particular order. Changes made meanwhile, by the visitor
 * too, are not seen.
 *
 * @param store  BORROWED for the call.
 * @param visit  BORROWED for the call.
 * @param arg    BORROWED for the call.
 * @return 0, what the visitor returned, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_each(kin_store *store, kin_visit_fn *visit, void *arg, kin_error *err);

/**
 * The objects that an index has under a value: client-go's ByIndex. None is no error.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_ENOTFOUND (there is no such index), KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_by_index(kin_store *store, kin_object_list *ret, kin_str index, kin_str value,
                               kin_error *err);

/**
 * Find one object by a value of an index, such as the Pod with an IP address. Takes no lock and allocates nothing, as
 * kin_store_get(), so it can be called for each packet.
 *
 * If several objects have the value, the one with the smallest key, by bytes, is found: the same in each process and
 * after a restart. Takes time in proportion to their number. To choose by other rules, visit them with
 * kin_store_each_by_index(), which does not allocate either.
 *
 * @param store       BORROWED for the call.
 * @param[out] ret    SHARED; release with kin_object_unref(). Untouched on failure. May be NULL: only look.
 * @param[out] ret_n  how many objects have the value, 1 or more; untouched on failure. May be NULL.
 * @return 0, KIN_ENOTFOUND (no object has the value), KIN_EINVAL (`store` is NULL, or there is no such index),
 *         KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_get_by_index(kin_store *store, const kin_object **ret, size_t *ret_n,
                                   kin_str index, kin_str value, kin_error *err);

/**
 * Visit the objects that an index has under a value, of one version.
 *
 * @param store  BORROWED for the call.
 * @param visit  BORROWED for the call.
 * @param arg    BORROWED for the call.
 * @return 0, what the visitor returned, KIN_ENOTFOUND (there is no such index), KIN_EINVAL,
 *         KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_each_by_index(kin_store *store, kin_str index, kin_str value,
                                    kin_visit_fn *visit, void *arg, kin_error *err);

/**
 * The objects that share a value with an object, each once: client-go's Index.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @param object    BORROWED for the call; need not be in the store.
 * @return 0, KIN_ENOTFOUND (there is no such index), KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED, or the code of
 *         the index function.
 * @thread any
 */
KIN_API int kin_store_index(kin_store *store, kin_object_list *ret, kin_str index,
                            const kin_object *object, kin_error *err);

/**
 * The keys that an index has under a value, sorted by bytes: client-go's IndexKeys.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_ENOTFOUND (there is no such index), KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_index_keys(kin_store *store, kin_string_list *ret, kin_str index,
                                 kin_str value, kin_error *err);

/**
 * The values of an index that have objects, in no particular order: client-go's
 * ListIndexFuncValues. An index that does not exist has none.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL, KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_store_index_values(kin_store *store, kin_string_list *ret, kin_str index,
                                   kin_error *err);

/**
 * The resource version of the last write, list or bookmark: client-go's
 * LastStoreSyncResourceVersion. The last, not the highest.
 *
 * @param store     BORROWED for the call.
 * @param[out] buf  terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version, 0 if there is none; at most
 *         KIN_RESOURCE_VERSION_BYTES_MAX.
 * @thread any
 */
KIN_API size_t kin_store_resource_version(kin_store *store, char *buf, size_t size);

/** What a store can say of itself. */
typedef struct kin_store_stats {
    size_t size;           /**< sizeof(kin_store_stats); set by KIN_STORE_STATS_INIT */
    uint64_t version;      /**< counts publications */
    uint64_t objects;      /**< that it holds now */
    uint64_t old_states;   /**< that it keeps: views or readers may see them, or did a moment ago */
    uint64_t views;        /**< that are held now, visits included, but for those in a step */
    uint64_t index_errors; /**< times that an index function failed */
} kin_store_stats;

/* clang-format off */
/** Empty statistics. */
#define KIN_STORE_STATS_INIT {sizeof(kin_store_stats), 0, 0, 0, 0, 0}
/* clang-format on */

/**
 * Ask a store how it is.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  as many of its fields as its `size` has room for.
 * @return 0, KIN_EINVAL, KIN_EFORKED.
 * @thread any    @blocks while others write
 */
KIN_API int kin_store_get_stats(kin_store *store, kin_store_stats *ret, kin_error *err);

KIN_END_DECLS

#endif
