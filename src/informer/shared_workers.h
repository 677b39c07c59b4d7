/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workers and the clock that reflectors and process loops run on. SHARED.
 *
 * Over a client they are the client's, so that many informers need no threads of their own. Over another source a
 * reflector makes its own, or is given those that others use, too. Their threads begin with the first start.
 */
#ifndef KIN_INFORMER_SHARED_WORKERS_H
#define KIN_INFORMER_SHARED_WORKERS_H

#include "base/workers.h"
#include "kinform/list_watch.h"

typedef struct kin__shared_workers kin__shared_workers;

/* Workers of their own; `clock` NULL: the system's. 0, KIN_ENOMEM. */
int kin__shared_workers_new(kin__shared_workers **ret, kin_clock *clock, kin_error *err);

/*
 * The workers for a source: its client's, unless that goes by another clock than the one that is asked
 * for; NULL asks for none. 0, KIN_ENOMEM.
 */
int kin__shared_workers_of(kin__shared_workers **ret, kin_list_watch *source, kin_clock *clock,
                           kin_error *err);

kin__shared_workers *kin__shared_workers_ref(kin__shared_workers *shared_workers);
/* The last one ends the threads, and waits for that unless it runs on one of them. May be NULL. */
void kin__shared_workers_unref(kin__shared_workers *shared_workers);

/* BORROWED while the reference is held. */
kin__workers *kin__shared_workers_pool(const kin__shared_workers *shared_workers);
kin_clock *kin__shared_workers_clock(const kin__shared_workers *shared_workers);

#endif
