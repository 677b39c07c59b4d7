/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the simulator's writes go: the API, without HTTP in between. Who changes what besides is
 * learned from the state.
 */
#ifndef KIN_APISERVER_API_SINK_H
#define KIN_APISERVER_API_SINK_H

#include "apiserver/simulator/simulator.h"
#include "apiserver/verbs/api.h"

typedef struct kin__api_sink kin__api_sink;

/* `api` and `state`, which is the API's, BORROWED until it is freed. 0, KIN_ENOMEM. */
int kin__api_sink_new(kin__api_sink **ret, kin__api *api, kin__state *state, kin_error *err);
/* Nobody uses or listens to it any more. NULL is fine. */
void kin__api_sink_free(kin__api_sink *sink);
/* BORROWED while the sink lives. One thread at a time. */
kin__simulator_sink *kin__api_sink_base(kin__api_sink *sink);

#endif
