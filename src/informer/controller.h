/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a plain informer needs of its controller.
 */
#ifndef KIN_INFORMER_CONTROLLER_H
#define KIN_INFORMER_CONTROLLER_H

#include "kinform/controller.h"

/* As kin_controller_new(). `store`, BORROWED, is told up to which version all is in it; NULL: none is. */
int kin__controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                        const kin_controller_options *options, kin_store *store, kin_error *err);

/* The key function of its objects, which gaps are counted by; before it is started. */
void kin__controller_set_key(kin_controller *controller, kin_key_fn *key, void *key_arg);

/* Whether one of its callbacks has freed it: nothing more is to be told. (strand) */
bool kin__controller_is_freed(kin_controller *controller);

#endif
