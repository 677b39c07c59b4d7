/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From what is asked of a client to a call.
 */
#ifndef KIN_CLIENT_API_REQUEST_H
#define KIN_CLIENT_API_REQUEST_H

#include "client/call.h"

/*
 * The call that a request makes; it is not begun. `handlers` as kin__call_spec.
 * *ret is SHARED. 0, KIN_EINVAL (a request that makes no sense), KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__request_call(kin_call **ret, kin_client *client, const kin_request *request,
                      const kin_call_handlers *handlers, kin_error *err);

#endif
