/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Stores whose objects expire: client-go's ExpirationCache and its TTL store.
 *
 * An object expires when it has been there for longer than a time, or when a function of the caller
 * says so. Whoever asks for an object that has expired does not find it, and with that it is gone.
 * Nothing happens on its own: kin_expiring_store_purge(), called now and then, takes out what
 * has expired and nobody asked for.
 *
 * @code
 * kin_expiring_store_options options = KIN_EXPIRING_STORE_OPTIONS_INIT;
 * kin_expiring_store *leases = NULL;
 * options.ttl_ms = 30000;
 * if (kin_expiring_store_new(&leases, &options, &err) < 0 ||
 *     kin_expiring_store_add(leases, lease, &err) < 0)
 *     report(&err);
 * kin_expiring_store_unref(leases);
 * @endcode
 */
#ifndef KINFORM_EXPIRING_STORE_H
#define KINFORM_EXPIRING_STORE_H

#include <kinform/clock.h>
#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A store whose objects expire. SHARED. */
typedef struct kin_expiring_store kin_expiring_store;

/**
 * Says whether an object has expired: client-go's ExpirationPolicy. Once it has said so, the object
 * is taken out, unless it was written anew meanwhile.
 *
 * @param object        BORROWED during the call.
 * @param stored_at_ns  when it was last written, in the time of kin_clock_now() of the store's clock.
 * @thread any, several at once; no lock is held
 */
typedef bool kin_expired_fn(const kin_object *object, int64_t stored_at_ns, void *arg);

/** How a store is to be. COPIED. */
typedef struct kin_expiring_store_options {
    size_t size;             /**< sizeof(kin_expiring_store_options); set by the INIT macro */
    kin_key_fn *key;         /**< NULL: kin_object_key() */
    void *key_arg;           /**< handed to `key`; BORROWED while the store lives */
    kin_clock *clock;        /**< SHARED; NULL: the system's */
    int64_t ttl_ms;          /**< objects older than this have expired; 0 or less: none has */
    kin_expired_fn *expired; /**< decides instead of `ttl_ms`, which must then be 0; may be NULL */
    void *expired_arg;       /**< handed to `expired`; BORROWED while the store lives */
} kin_expiring_store_options;

/* clang-format off */
/** The default options: nothing expires. */
#define KIN_EXPIRING_STORE_OPTIONS_INIT \
    {sizeof(kin_expiring_store_options), NULL, NULL, NULL, 0, NULL, NULL}
/* clang-format on */

/**
 * Make an empty store.
 *
 * @param[out] ret  SHARED, one reference; release with kin_expiring_store_unref().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL (`ret` is NULL; both a time and a function), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_expiring_store_new(kin_expiring_store **ret,
                                   const kin_expiring_store_options *options, kin_error *err);

/**
 * Take another reference.
 *
 * @param store  may be NULL.
 * @return `store`, SHARED.
 * @thread any
 */
KIN_API kin_expiring_store *kin_expiring_store_ref(kin_expiring_store *store);

/**
 * Give a reference back; the last one frees the store and gives back its objects.
 *
 * @param store  CONSUMED; may be NULL.
 * @thread any
 */
KIN_API void kin_expiring_store_unref(kin_expiring_store *store);

/* --- writing --- */

/**
 * Put an object under its key, whether the key is there or not. Its time begins anew.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is longer than KIN_KEY_BYTES_MAX),
 *         KIN_ENOMEM, KIN_EFORKED, or the code of the key function. On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_expiring_store_add(kin_expiring_store *store, const kin_object *object,
                                   kin_error *err);

/**
 * The same as kin_expiring_store_add(), for those who say what they mean.
 *
 * @param store   BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_expiring_store_add().
 * @thread any
 */
KIN_API int kin_expiring_store_update(kin_expiring_store *store, const kin_object *object,
                                      kin_error *err);

/**
 * Take out what is under the key of an object. Nothing happens if there is nothing, except that the
 * store's resource version becomes the object's. Needs no memory.
 *
 * @param store   BORROWED for the call.
 * @param object  BORROWED for the call: the object, another state of it, a tombstone or an explicit
 *                key.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long), KIN_EFORKED, or the code
 *         of the key function.
 * @thread any
 */
KIN_API int kin_expiring_store_delete(kin_expiring_store *store, const kin_object *object,
                                      kin_error *err);

/**
 * Begin to replace everything. All that is put aside has the same age, which begins with the commit.
 *
 * @param store     BORROWED until the replacement is committed or aborted.
 * @param[out] ret  OWNED; kin_replace_commit() or kin_replace_abort().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_replace_begin(kin_expiring_store *store, kin_replace **ret,
                                             kin_error *err);

/**
 * Replace everything at once: begin, add, commit.
 *
 * @param store             BORROWED for the call.
 * @param objects           SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @param resource_version  of the list, may be empty; COPIED.
 * @return 0, KIN_EINVAL and others as kin_replace_add() and kin_replace_commit(); then nothing has
 *         changed.
 * @thread any
 */
KIN_API int kin_expiring_store_replace(kin_expiring_store *store, const kin_object *const *objects,
                                       size_t n, kin_str resource_version, kin_error *err);

/**
 * Note that the store is up to date at a resource version, without a change: client-go's Bookmark.
 *
 * @param store             BORROWED for the call.
 * @param resource_version  COPIED.
 * @return 0, KIN_EINVAL (`store` is NULL), KIN_ELIMIT (it is longer than
 *         KIN_RESOURCE_VERSION_BYTES_MAX), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_bookmark(kin_expiring_store *store, kin_str resource_version,
                                        kin_error *err);

/**
 * Nothing: stores have nobody to tell.
 *
 * @param store  BORROWED for the call.
 * @return 0, KIN_EINVAL (`store` is NULL).
 * @thread any
 */
KIN_API int kin_expiring_store_resync(kin_expiring_store *store, kin_error *err);

/**
 * Take out all that has expired. To be called now and then where objects may come that nobody asks
 * for again. With a time to live it takes as long as there are objects to be taken out, and no memory;
 * with a function it asks about each object.
 *
 * @param store             BORROWED for the call.
 * @param[out] ret_removed  how many they were; may be NULL.
 * @return 0, KIN_EINVAL (`store` is NULL), KIN_ENOMEM (only with a function: nothing was taken out),
 *         KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_purge(kin_expiring_store *store, size_t *ret_removed,
                                     kin_error *err);

/* --- reading --- */

/**
 * Find the object under a key, unless it has expired.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param key       BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (`store` is NULL), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_get(kin_expiring_store *store, const kin_object **ret, kin_str key,
                                   kin_error *err);

/**
 * Find the object that has the key of another, unless it has expired: client-go's Get.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param object    BORROWED for the call: any state of it, a tombstone or an explicit key.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long),
 *         KIN_EFORKED, or the code of the key function.
 * @thread any
 */
KIN_API int kin_expiring_store_get_object(kin_expiring_store *store, const kin_object **ret,
                                          const kin_object *object, kin_error *err);

/**
 * The number of objects, with those that have expired and that nobody asked for since.
 *
 * @param store  BORROWED for the call; NULL has none, and a store in a forked child shows none.
 * @thread any
 */
KIN_API size_t kin_expiring_store_len(kin_expiring_store *store);

/**
 * All objects that have not expired, in no particular order. Those that have are taken out.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_list(kin_expiring_store *store, kin_object_list *ret,
                                    kin_error *err);

/**
 * All keys, in no particular order, with those of objects that have expired and that nobody asked
 * for since.
 *
 * @param store     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_expiring_store_list_keys(kin_expiring_store *store, kin_string_list *ret,
                                         kin_error *err);

/**
 * The resource version of the last write, list or bookmark: the last, not the highest.
 *
 * @param store     BORROWED for the call; NULL has none, and a store in a forked child shows none.
 * @param[out] buf  terminated; cut to `size - 1` bytes. May be NULL if `size` is 0.
 * @return the length of the whole version, 0 if there is none; at most
 *         KIN_RESOURCE_VERSION_BYTES_MAX.
 * @thread any
 */
KIN_API size_t kin_expiring_store_resource_version(kin_expiring_store *store, char *buf,
                                                   size_t size);

KIN_END_DECLS

#endif
