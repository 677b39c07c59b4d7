/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Heaps: objects by key, the least of which comes out first. client-go's Heap.
 *
 * Any number of threads put objects in and take them out. An object takes the place of an older
 * state under the same key, and moves to where it belongs. Objects of which neither is less than the
 * other come out in the order in which their keys came in.
 *
 * @code
 * static bool by_priority(const kin_object *a, const kin_object *b, void *arg)
 * {
 *     return priority(a) > priority(b);
 * }
 * kin_heap_options options = KIN_HEAP_OPTIONS_INIT;
 * kin_heap *heap = NULL;
 * options.less = by_priority;
 * if (kin_heap_new(&heap, &options, &err) < 0)
 *     return report(&err);
 * while (kin_heap_pop(heap, &pod, -1, &err) == 0) { // until it is closed and empty
 *     schedule(pod);
 *     kin_object_unref(pod);
 * }
 * kin_heap_free(heap);
 * @endcode
 */
#ifndef KINFORM_HEAP_H
#define KINFORM_HEAP_H

#include <kinform/clock.h>
#include <kinform/store.h>

KIN_BEGIN_DECLS

/** A heap. One owner, any number of threads. */
typedef struct kin_heap kin_heap;

/**
 * Whether an object comes out before another: client-go's LessFunc.
 *
 * A strict order: nothing is less than itself, and the answer for two objects is always the same.
 * Runs under the heap's lock, so it may read the two objects and must not call anything else of the
 * library.
 *
 * @param a  BORROWED during the call.
 * @param b  BORROWED during the call.
 * @thread any, one at a time per heap
 */
typedef bool kin_less_fn(const kin_object *a, const kin_object *b, void *arg);

/** How a heap is to be. COPIED. */
typedef struct kin_heap_options {
    size_t size;        /**< sizeof(kin_heap_options); set by the INIT macro */
    const char *name;   /**< for logs; NULL: "heap" */
    kin_logger *logger; /**< SHARED; NULL: the default logger */
    kin_clock *clock;   /**< by which kin_heap_pop() waits; SHARED; NULL: the system's */
    kin_key_fn *key;    /**< NULL: kin_object_key() */
    void *key_arg;      /**< handed to `key`; BORROWED while the heap lives */
    kin_less_fn *less;  /**< mandatory */
    void *less_arg;     /**< handed to `less`; BORROWED while the heap lives */
} kin_heap_options;

/* clang-format off */
/** The default options. */
#define KIN_HEAP_OPTIONS_INIT {sizeof(kin_heap_options), NULL, NULL, NULL, NULL, NULL, NULL, NULL}
/* clang-format on */

/**
 * Make an empty heap.
 *
 * @param[out] ret  OWNED; release with kin_heap_free().
 * @param options   COPIED.
 * @return 0, KIN_EINVAL (NULL, or `less` is missing), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_heap_new(kin_heap **ret, const kin_heap_options *options, kin_error *err);

/**
 * Free a heap and give back its objects. Nobody may be in one of its functions.
 *
 * @param heap  may be NULL.
 * @thread any
 */
KIN_API void kin_heap_free(kin_heap *heap);

/* --- putting in and taking out --- */

/**
 * Put an object in, or in the place of the one that has its key, and move it to where it belongs.
 * One that takes another's place keeps that one's turn among equals. Needs memory only for a key
 * that is new.
 *
 * @param heap    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is longer than KIN_KEY_BYTES_MAX),
 *         KIN_ECLOSED, KIN_ENOMEM, KIN_EFORKED, or the code of the key function. On failure nothing has
 *         changed.
 * @thread any
 */
KIN_API int kin_heap_add(kin_heap *heap, const kin_object *object, kin_error *err);

/**
 * The same as kin_heap_add(), for those who say what they mean.
 *
 * @param heap    BORROWED for the call.
 * @param object  SHARED: a reference is taken.
 * @return 0, KIN_EINVAL and others as kin_heap_add().
 * @thread any
 */
KIN_API int kin_heap_update(kin_heap *heap, const kin_object *object, kin_error *err);

/**
 * Put many in before anybody can take one out: client-go's BulkAdd. Of two with the same key the
 * later one counts.
 *
 * @param heap     BORROWED for the call.
 * @param objects  SHARED: a reference to each is taken. May be NULL if `n` is 0.
 * @return 0, KIN_EINVAL and others as kin_heap_add(): all are in, or none is.
 * @thread any
 */
KIN_API int kin_heap_bulk_add(kin_heap *heap, const kin_object *const *objects, size_t n,
                              kin_error *err);

/**
 * Put an object in unless its key is there.
 *
 * @param heap    BORROWED for the call.
 * @param object  SHARED: a reference is taken if it is put in.
 * @return 0, also if the key was there; KIN_EINVAL and others as kin_heap_add().
 * @thread any
 */
KIN_API int kin_heap_add_if_not_present(kin_heap *heap, const kin_object *object, kin_error *err);

/**
 * Take out what is under the key of an object, also after closing. Needs no memory.
 *
 * @param heap    BORROWED for the call.
 * @param object  BORROWED for the call: the object, another state of it, a tombstone or an explicit
 *                key.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long),
 *         KIN_EFORKED, or the code of the key function.
 * @thread any
 */
KIN_API int kin_heap_delete(kin_heap *heap, const kin_object *object, kin_error *err);

/**
 * Take out what is under a key, also after closing. Needs no memory.
 *
 * @param heap  BORROWED for the call.
 * @param key   BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (`heap` is NULL), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_heap_delete_key(kin_heap *heap, kin_str key, kin_error *err);

/**
 * Wait for an object and take out the least one. What a closed heap has left still comes out.
 *
 * @param heap        BORROWED for the call.
 * @param[out] ret    SHARED; release with kin_object_unref().
 * @param timeout_ms  by the heap's clock; -1 waits for ever, 0 polls.
 * @return 0, KIN_ETIMEOUT, KIN_ECLOSED (closed and empty), KIN_EINVAL (NULL), KIN_EFORKED.
 * @thread any    @blocks up to timeout_ms
 */
KIN_API int kin_heap_pop(kin_heap *heap, const kin_object **ret, int64_t timeout_ms,
                         kin_error *err);

/**
 * Let nothing more in, and wake all who wait. A second time does nothing.
 *
 * @param heap  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API void kin_heap_close(kin_heap *heap);

/* --- looking --- */

/**
 * Whether it was closed.
 *
 * @param heap  BORROWED for the call; NULL is closed, and so is every heap in a forked child.
 * @thread any
 */
KIN_API bool kin_heap_is_closed(kin_heap *heap);

/**
 * The number of objects.
 *
 * @param heap  BORROWED for the call; NULL has none, and a heap in a forked child shows none.
 * @thread any
 */
KIN_API size_t kin_heap_len(kin_heap *heap);

/**
 * Find the object under a key.
 *
 * @param heap      BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param key       BORROWED for the call.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (`heap` is NULL), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_heap_get_by_key(kin_heap *heap, const kin_object **ret, kin_str key,
                                kin_error *err);

/**
 * Find the object that has the key of another: client-go's Get.
 *
 * @param heap      BORROWED for the call.
 * @param[out] ret  SHARED; release with kin_object_unref(). May be NULL: only look.
 * @param object    BORROWED for the call: any state of it, a tombstone or an explicit key.
 * @return 0, KIN_ENOTFOUND, KIN_EINVAL (NULL, an empty key), KIN_ELIMIT (the key is too long),
 *         KIN_EFORKED, or the code of the key function.
 * @thread any
 */
KIN_API int kin_heap_get(kin_heap *heap, const kin_object **ret, const kin_object *object,
                         kin_error *err);

/**
 * All objects, in no particular order.
 *
 * @param heap      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_object_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_heap_list(kin_heap *heap, kin_object_list *ret, kin_error *err);

/**
 * All keys, in no particular order.
 *
 * @param heap      BORROWED for the call.
 * @param[out] ret  OWNED; release with kin_string_list_done().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_heap_list_keys(kin_heap *heap, kin_string_list *ret, kin_error *err);

KIN_END_DECLS

#endif
