/* SPDX-License-Identifier: Apache-2.0 */
/* Work queues and rate limiters whose callbacks end in Go. A handle is a runtime/cgo.Handle. */
#ifndef KIN_CONFORMANCE_WORK_QUEUE_BRIDGE_H
#define KIN_CONFORMANCE_WORK_QUEUE_BRIDGE_H

#include <kinform.h>
#include <stdlib.h>

/* `handle` has the metrics; 0: none. */
int bridge_work_queue_new(kin_work_queue **ret, kin_clock *clock, kin_rate_limiter *limiter,
                          uintptr_t handle);
/* A limiter of Go's; the handle is released with it. */
int bridge_rate_limiter_new(kin_rate_limiter **ret, uintptr_t handle);

#endif
