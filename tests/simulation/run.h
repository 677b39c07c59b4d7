/* SPDX-License-Identifier: Apache-2.0 */
#ifndef KIN_SIMULATION_RUN_H
#define KIN_SIMULATION_RUN_H

#include "server.h"

/* Simulate a plan in this process, which must not have done so before. Writes the history into the world. */
void sim_run(sim_world *world);

#endif
