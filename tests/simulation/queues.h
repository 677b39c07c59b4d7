/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Queues that a program uses by themselves: a DeltaFIFO whose consumer fails at times, a work queue with two workers,
 * and a reconciler of the informer's objects. Each runs only in plans that have something for it to do.
 */
#ifndef KIN_SIMULATION_QUEUES_H
#define KIN_SIMULATION_QUEUES_H

#include "kinform/informer.h"
#include "server.h"

/* Start what the plan needs. */
void sim_queues_start(sim_world *world, kin_informer *informer);
/* An action that concerns a queue. */
void sim_queues_act(const sim_action *action);
/* No work fails from now on. */
void sim_queues_calm(void);
/* The end: before the informer's. */
void sim_queues_stop(void);

#endif
