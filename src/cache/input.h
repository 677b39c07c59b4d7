/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What stores and queues ask of the user about an object that comes in. No lock is held. Nobody is
 * asked about a tombstone: it has its key, and nothing to be transformed.
 */
#ifndef KIN_CACHE_INPUT_H
#define KIN_CACHE_INPUT_H

#include "kinform/store.h"

/* 0, KIN_EINVAL (empty), KIN_ELIMIT (too long). */
int kin__key_check(kin_str key, kin_error *err);

/*
 * The key of an object, by a key function or, if `fn` is NULL, the object's own. 0, KIN_EINVAL (no
 * object, an empty key), KIN_ELIMIT (too long), or the function's code.
 */
int kin__input_key(kin_key_fn *fn, void *arg, const kin_object *object, kin_str *ret,
                   kin_error *err);

/*
 * The key, and what a transformer makes of the object: a reference. If `transform` is NULL, or the
 * object is a tombstone, that is the object itself. It keeps the bytes of the key. 0, KIN_EINVAL (as
 * above; the transformer gave nothing or changed the key), KIN_ELIMIT, or a function's code.
 */
int kin__input(kin_key_fn *key, void *key_arg, kin_transform_fn *transform, void *transform_arg,
               const kin_object *object, const kin_object **ret, kin_str *ret_key, kin_error *err);

/*
 * The resource version that an object brings to a store; one that only tells of another brings none,
 * nor does one whose version is too long. Asks the object's class: no lock is held.
 */
kin_str kin__input_version(const kin_object *object);

/* 0, KIN_ELIMIT (too long). */
int kin__resource_version_check(kin_str resource_version, kin_error *err);

#endif
