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

/* Run a transformer, or take a reference if `fn` is NULL. 0, KIN_EINVAL (it gave nothing), its code. */
int kin__input_transform(kin_transform_fn *fn, void *arg, const kin_object *object,
                         const kin_object **ret, kin_error *err);

/*
 * Both: the transformed object, a reference, and its key, whose bytes it keeps. The key must not
 * have changed (KIN_EINVAL).
 */
int kin__input(kin_key_fn *key, void *key_arg, kin_transform_fn *transform, void *transform_arg,
               const kin_object *object, const kin_object **ret, kin_str *ret_key, kin_error *err);

/* 0, KIN_ELIMIT (too long). */
int kin__resource_version_check(kin_str resource_version, kin_error *err);

#endif
