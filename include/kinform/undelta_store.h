/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Stores that tell everything: after each write, a function gets all objects that the store then has.
 * client-go's UndeltaStore.
 *
 * For those who want the whole state rather than what changed: a configuration that is written from
 * all objects, for instance.
 *
 * Writers take turns, and a turn lasts until the function has returned. So the n-th call shows the
 * store after the n-th write: there is one call per write, none shows an older state than one before
 * it, and when a write returns, its call has been made. Readers wait for nobody and make no call.
 */
#ifndef KINFORM_UNDELTA_STORE_H
#define KINFORM_UNDELTA_STORE_H

#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A store that tells everything. SHARED. */
typedef struct kin_undelta_store kin_undelta_store;

/**
 * Is told what the store has after a write: client-go's PushFunc.
 *
 * It may use the store, and give its last reference back. A write from within it makes its own call
 * before it returns. It must not wait for another thread that writes to the store: that one waits for
 * its turn.
 *
 * @param objects  all of them, in no particular order; BORROWED during the call.
 * @thread the one that writes, one at a time; no lock is held
 */
typedef void kin_push_fn(const kin_object_list *objects, void *arg);

/** How a store is to be. COPIED. */
typedef struct kin_undelta_store_options {
    size_t size;        /**< sizeof(kin_undelta_store_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "undelta store" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_key_fn *key;    /**< NULL: kin_object_key() */
    void *key_arg;      /**< handed to `key`; BORROWED while the store lives */
    kin_push_fn *push;  /**< mandatory */
    void *push_arg;     /**< handed to `push`; BORROWED while the store lives */
} kin_undelta_store_options;

/* clang-format off */
/** The default options. */
#define KIN_UNDELTA_STORE_OPTIONS_INIT \
    {sizeof(kin_undelta_store_options), NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Make an empty store.
 *
 * @param[out] ret  SHARED, one reference; release with kin_undelta_store_unref().
 * @param options   COPIED.
 * @return 0, KIN_EINVAL (NULL, or `push` is missing), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_undelta_store_new(kin_undelta_store **ret, const kin_undelta_store_options *options,
                                  kin_error *err);

/**
 * Take another reference.
 *
 * @param store  may be NULL.
 * @return `store`, SHARED.
 * @thread any
 */
KIN_API kin_undelta_store *kin_undelta_store_ref(kin_undelta_store *store);

/**
 * Give a reference back; the last one frees the store and gives back its objects.
 *
 * @param store  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_undelta_store_unref(kin_undelta_store *store);

/* --- writing: each makes one call if it succeeds, and none if it fails --- */

/**
 * Put an object under its key, whether the key is there or not.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is longer than KIN_KEY_BYTES_MAX),
 *         KIN_ENOMEM, KIN_EBUSY (called by a key function or destructor while this store is written),
 *         KIN_EFORKED, or the code of the key function. On failure nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_undelta_store_add(kin_undelta_store *store, const kin_object *object,
                                  kin_error *err);

/**
 * The same as kin_undelta_store_add(), for those who say what they mean.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_undelta_store_add().
 * @thread any    @blocks while others write
 */
KIN_API int kin_undelta_store_update(kin_undelta_store *store, const kin_object *object,
                                     kin_error *err);

/**
 * Take out what is under the key of an object. Nothing is taken out if there is nothing, but the call
 * is made, and the store's resource version becomes the object's.
 *
 * @param store   BORROWED for the call.
 * @param object  BORROWED for the call: the object, another state of it, a tombstone or an explicit
 *                key.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_ENOMEM (for the list
 *         of what is left), KIN_EBUSY (as kin_undelta_store_add()), KIN_EFORKED, or the code of the key
 *         function. On failure nothing has changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_undelta_store_delete(kin_undelta_store *store, const kin_object *object,
                                     kin_error *err);

/**
 * Begin to replace everything. The commit makes the call.
 *
 * @param store     BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_undelta_store_replace_begin(kin_undelta_store *store, kin_replace **ret,
                                            kin_error *err);

/**
 * Replace everything at once: begin, add, commit. One call.
 *
 * @param store             BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  of the list, may be empty; COPIED.
 * @return 0, KIN_EINVAL and others as kin_replace_add() and kin_replace_commit(); then nothing has
 *         changed.
 * @thread any    @blocks while others write
 */
KIN_API int kin_undelta_store_replace(kin_undelta_store *store, const kin_object *const *objects,
                                      size_t n, kin_str resource_version, kin_error *err);

/* --- without a call --- */

/**
 * Note that the store is up to date at a resource version, without a change: client-go's Bookmark.
 *
 * @param store             BORROWED for the call.
 * @param resource_version  COPIED.
 * @return 0, KIN_EINVAL (`store` is NULL), KIN_ELIMIT (it is longer than
 *         KIN_RESOURCE_VERSION_BYTES_MAX), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_undelta_store_bookmark(kin_undelta_store *store, kin_str resource_version,
                                       kin_error *err);

/**
 * Nothing: what there is was told already.
 *
 * @param store  BORROWED for the call.
 * @return 0, KIN_EINVAL (`store` is NULL).
 * @thread any
 */
KIN_API int kin_undelta_store_resync(kin_undelta_store *store, kin_error *err);

/**
 * Find the object under a key.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param key       BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (`store` is NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_undelta_store_get(kin_undelta_store *store, const kin_object **ret, kin_str key,
                                  kin_error *err);

/**
 * Find the object that has the key of another: client-go's Get.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param object    BORROWED for the call: any state of it, a tombstone or an explicit key.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long),
 *         KIN_ENOMEM, KIN_EFORKED, or the code of the key function.
 * @thread any
 */
KIN_API int kin_undelta_store_get_object(kin_undelta_store *store, const kin_object **ret,
                                         const kin_object *object, kin_error *err);

/**
 * The number of objects.
 *
 * @param store  BORROWED for the call; NULL has none.
 * @thread any
 */
KIN_API size_t kin_undelta_store_len(kin_undelta_store *store);

/**
 * All objects, in no particular order.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_undelta_store_list(kin_undelta_store *store, kin_object_list *ret, kin_error *err);

/**
 * All keys, in no particular order.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_undelta_store_list_keys(kin_undelta_store *store, kin_string_list *ret,
                                        kin_error *err);

/**
 * The resource version of the last write, list or bookmark: the last, not the highest.
 *
 * @param store     BORROWED for the call; NULL has none.
 * @param[out] buf  terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version, 0 if there is none; at most
 *         KIN_RESOURCE_VERSION_BYTES_MAX.
 * @thread any
 */
KIN_API size_t kin_undelta_store_resource_version(kin_undelta_store *store, char *buf, size_t size);

KIN_END_DECLS

#endif
