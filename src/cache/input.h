/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stores and queues ask of the user about an object that comes in. No lock is held. Nobody is
 * asked about a tombstone: it has its key, and nothing to be transformed.
 */
#ifndef KIN_CACHE_INPUT_H
#define KIN_CACHE_INPUT_H

#include <stdatomic.h>

#include "kinform/store.h"

/* 0, KIN_EINVAL (empty), KIN_ELIMIT (too long). */
int kin__key_check(kin_str key, kin_error *err);

/*
 * The key of an object, by a key function or, if `fn` is NULL, the object's own. 0, KIN_EINVAL (no
 * object, an empty key), KIN_ELIMIT (too long), or the function's code.
 */
int kin__input_key(kin_key_fn *fn, void *arg, const kin_object *object, kin_str *ret,
                   kin_error *err);

/* The functions of the user that a store or queue calls for objects that come in. */
typedef struct kin__input_fns {
    kin_key_fn *key; /* NULL: the object's own */
    void *key_arg;
    kin_transform_fn *transform; /* NULL: none */
    void *transform_arg;
    atomic_bool *renames; /* set once the transformer has changed a key; NULL: not needed */
} kin__input_fns;

/*
 * The transformed object and its key. *ret is a reference, and keeps the bytes of the key. Without a transformer, and
 * for a tombstone, it is the object itself. 0, KIN_EINVAL (as above; the transformer gave nothing), KIN_ELIMIT, or a
 * function's code.
 */
int kin__input(const kin__input_fns *fns, const kin_object *object, const kin_object **ret,
               kin_str *ret_key, kin_error *err);

/*
 * The same for an object that was deleted. If the transformer rejects it, *ret is a tombstone with its key: the
 * deletion counts all the same. That is not possible once the transformer has changed keys; then the rejection is
 * the result.
 */
int kin__input_deleted(const kin__input_fns *fns, const kin_object *object, const kin_object **ret,
                       kin_str *ret_key, kin_error *err);

/*
 * The resource version that an object brings to a store; one that only tells of another brings none,
 * nor does one whose version is too long. Asks the object's class: no lock is held.
 */
kin_str kin__input_version(const kin_object *object);

/* 0, KIN_ELIMIT (too long). */
int kin__resource_version_check(kin_str resource_version, kin_error *err);

#endif
