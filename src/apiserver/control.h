/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The control endpoint: faults, the log of requests and commands, by HTTP.
 *
 *     GET, POST, DELETE  /_kinform/faults        all rules; add one, or several; remove all
 *     DELETE             /_kinform/faults/ID
 *     GET                /_kinform/requests
 *     POST               /_kinform/COMMAND       what the service has: "compact", "rewind?version=N"
 *
 * Whoever uses it may write.
 */
#ifndef KIN_APISERVER_CONTROL_H
#define KIN_APISERVER_CONTROL_H

#include "apiserver/server.h"

bool kin__control_is_path(kin_str path);
/* Answers at once. */
void kin__control_serve(kin__server *server, kin__api_call *call);

#endif
