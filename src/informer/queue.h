/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues of informers, and queues that were given.
 */
#ifndef KIN_INFORMER_QUEUE_H
#define KIN_INFORMER_QUEUE_H

#include <stdatomic.h>

#include "kinform/informer.h"
#include "kinform/queue.h"

/*
 * One that is its own, of the kind that an informer asks for: `arg_free` is set. *ret begins as
 * KIN_QUEUE_INIT. The queue sets *renames once the transformer has changed a key, and reads it; NULL: it has a flag of its
 * own. 0, KIN_EINVAL, KIN_ENOMEM.
 */
int kin__queue_new(kin_queue *ret, kin_informer_queue kind, const kin_delta_fifo_options *options,
                   atomic_bool *renames, kin_error *err);

/* Whole, with how it is filled. `given` is COPIED, its `arg` still the caller's. 0, KIN_EINVAL, or its code. */
int kin__queue_take(kin_queue *ret, kin_reflector_store *ret_store, const kin_queue *given,
                    kin_error *err);

#endif
