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

/* Whether one of its callbacks has freed it: nothing more is to be told. (strand) */
bool kin__controller_is_freed(kin_controller *controller);

#endif
