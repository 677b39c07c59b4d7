/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Mutation caches: own writes, before the watch brings them. client-go's MutationCache.
 *
 * Who writes an object to the API server has its new state in the answer, and the store that a watch
 * feeds has it a moment later. In between, a mutation cache shows the newer of the two, by their
 * resource versions. What was written is forgotten when the store has caught up, after a time, and
 * when there is too much of it: the cache never promises to have it, only never to show something older
 * than the store.
 *
 * An object that the store does not have was never seen by it, or is deleted; the cache cannot know
 * which, and does not show it. With `include_adds` it does. Then the handlers of the informer should
 * call kin_mutation_cache_on_add_or_update() and kin_mutation_cache_on_delete(), so that what was
 * deleted is not shown until its time is over.
 *
 * @code
 * if (kin_object_from_json(&pod, answer, NULL, &err) == 0)
 *     kin_mutation_cache_mutation(cache, pod, &err);
 * @endcode
 */
#ifndef KINFORM_MUTATION_CACHE_H
#define KINFORM_MUTATION_CACHE_H

#include <kinform/clock.h>
#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A mutation cache. One owner, any number of threads. */
typedef struct kin_mutation_cache kin_mutation_cache;

/** How a mutation cache is to be. COPIED. */
typedef struct kin_mutation_cache_options {
    size_t size;        /**< sizeof(kin_mutation_cache_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "mutation cache" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_clock *clock;   /**< SHARED; NULL: the system's */
    int64_t ttl_ms;     /**< what was written is forgotten after this; 0: five minutes */
    size_t max_entries; /**< of more, the one not looked at for longest is forgotten; 0: 100 */
    bool include_adds;  /**< show also what the store does not have */
} kin_mutation_cache_options;

/* clang-format off */
/** The default options. */
#define KIN_MUTATION_CACHE_OPTIONS_INIT \
    {sizeof(kin_mutation_cache_options), NULL, NULL, NULL, 0, 0, false}
/* clang-format on */

/**
 * Make a mutation cache over a store, whose keys and indexes it uses.
 *
 * @param[out] ret  OWNED; release with kin_mutation_cache_free().
 * @param store     SHARED: a reference is taken.
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL (NULL, or a negative time), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_mutation_cache_new(kin_mutation_cache **ret, kin_store *store,
                                   const kin_mutation_cache_options *options, kin_error *err);

/**
 * Free a mutation cache. Nobody may be in one of its functions.
 *
 * @param cache  may be NULL.
 * @thread any
 */
KIN_API void kin_mutation_cache_free(kin_mutation_cache *cache);

/* --- what is known --- */

/**
 * Remember an object as it was written. It is not, and that is no error, if a newer state was
 * remembered, or if it is known to be deleted.
 *
 * @param cache   BORROWED for the call.
 * @param object  SHARED: a reference is taken if it is remembered.
 * @return 0, KIN_EINVAL (NULL, a tombstone, an empty key, or its resource version is no number),
 *         KIN_ELIMIT (the key is too long), KIN_ENOMEM, KIN_EFORKED, or the code of the store's key
 *         function. On failure nothing has changed.
 * @thread any
 */
KIN_API int kin_mutation_cache_mutation(kin_mutation_cache *cache, const kin_object *object,
                                        kin_error *err);

/**
 * The store has got an object: what was remembered of it is forgotten unless it is newer. For
 * handlers of additions and updates.
 *
 * @param cache   BORROWED for the call.
 * @param object  BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, a tombstone, an empty key, or its resource version is no number),
 *         KIN_ELIMIT (the key is too long), KIN_EFORKED, or the code of the store's key function.
 * @thread any
 */
KIN_API int kin_mutation_cache_on_add_or_update(kin_mutation_cache *cache, const kin_object *object,
                                                kin_error *err);

/**
 * The store has lost an object. What was remembered of it is forgotten if it has the same UID or is
 * not newer, and for as long as the cache remembers anything, older states and states with the same
 * UID will not be remembered. For handlers of deletions.
 *
 * A UID that is empty, as that of objects that are no documents, is the same as no other.
 *
 * @param cache   BORROWED for the call.
 * @param object  the last state, or a tombstone. SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key, or its resource version is no number), KIN_ELIMIT (the key
 *         is too long), KIN_ENOMEM, KIN_EFORKED, or the code of the store's key function. On failure
 *         nothing has changed.
 * @thread any
 */
KIN_API int kin_mutation_cache_on_delete(kin_mutation_cache *cache, const kin_object *object,
                                         kin_error *err);

/* --- looking --- */

/**
 * Find the newer of what the store has under a key and what was written.
 *
 * @param cache     BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param key       BORROWED for the call.
 * @return 0, KIN_ENOTFOUND (also if it is known to be deleted), KIN_EINVAL (`cache` is NULL; the
 *         resource version that the store has is no number), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_mutation_cache_get(kin_mutation_cache *cache, const kin_object **ret, kin_str key,
                                   kin_error *err);

/**
 * The objects that an index of the store has under a value, each in its newer state; whether that
 * state still has the value is not looked at. With `include_adds`, objects that were written and
 * have the value come behind them.
 *
 * @param cache     BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @param index     BORROWED for the call.
 * @param value     BORROWED for the call.
 * @return 0, KIN_ENOTFOUND (there is no such index), KIN_EINVAL (NULL; a resource version that the
 *         store has is no number), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_mutation_cache_by_index(kin_mutation_cache *cache, kin_object_list *ret,
                                        kin_str index, kin_str value, kin_error *err);

/**
 * How many objects are remembered, known deletions included, and those whose time is over and that
 * nobody asked for since.
 *
 * @param cache  BORROWED for the call; NULL has none, and a cache in a forked child shows none.
 * @thread any
 */
KIN_API size_t kin_mutation_cache_len(kin_mutation_cache *cache);

KIN_END_DECLS

#endif
