/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread that drives a simulator, in the time of a clock.
 */
#ifndef KIN_APISERVER_SIMULATOR_SIMULATOR_THREAD_H
#define KIN_APISERVER_SIMULATOR_SIMULATOR_THREAD_H

#include "apiserver/simulator/simulator.h"
#include "kinform/log.h"

typedef struct kin__simulator_thread kin__simulator_thread;

/*
 * Make a simulator and a thread, "kin-simulator", that steps it. The sink is called from that
 * thread only, with no lock held. Writes that fail are logged, at most one in ten seconds.
 * `options` as for kin__simulator_new(), of which it uses the clock on; `logger` SHARED, may be
 * NULL. 0, KIN_EINVAL, KIN_ENOMEM, KIN_ESYSTEM.
 */
int kin__simulator_thread_start(kin__simulator_thread **ret, const kin__simulator_options *options,
                                kin_logger *logger, kin_error *err);
/*
 * Waits for the step that is being made. Not from the sink. `thread` may be NULL. `ret_last`, which may be
 * NULL too, gets the statistics after the last step.
 */
void kin__simulator_thread_stop(kin__simulator_thread *thread, kin__simulator_stats *ret_last);

/*
 * Wait until all that it begins with has been written. 0, KIN_ETIMEOUT. Real time: the thread works
 * while a fake clock stands still.
 */
int kin__simulator_thread_await_populated(kin__simulator_thread *thread, int64_t timeout_ms);
/* As of the last step. Any thread. */
void kin__simulator_thread_get_stats(kin__simulator_thread *thread, kin__simulator_stats *ret);
void kin__simulator_thread_set_churn(kin__simulator_thread *thread, unsigned churn);
/*
 * See kin__simulator_notice(). Any thread, does not wait for steps; may be called under locks. When
 * there are too many at once some are forgotten: it finds out by itself, later.
 */
void kin__simulator_thread_notice(kin__simulator_thread *thread, enum kin__simulated kind,
                                  kin_str namespace_, kin_str name);

#endif
