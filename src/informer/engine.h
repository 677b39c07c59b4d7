/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What runs reflectors: workers and a clock. SHARED.
 *
 * A reflector over a client uses the client's workers, so that many of them need no threads of their
 * own. One over another source makes an engine, or is given one that others use, too. Its threads begin
 * with the first start.
 */
#ifndef KIN_INFORMER_ENGINE_H
#define KIN_INFORMER_ENGINE_H

#include "base/workers.h"
#include "kinform/list_watch.h"

typedef struct kin__engine kin__engine;

/* An engine of its own; `clock` NULL: the system's. 0, KIN_ENOMEM. */
int kin__engine_new(kin__engine **ret, kin_clock *clock, kin_error *err);

/*
 * The engine for a source: its client's, unless that goes by another clock than the one that is asked
 * for; NULL asks for none. 0, KIN_ENOMEM.
 */
int kin__engine_of(kin__engine **ret, kin_list_watch *source, kin_clock *clock, kin_error *err);

kin__engine *kin__engine_ref(kin__engine *engine);
/* The last one ends the threads, and waits for that unless it runs on one of them. May be NULL. */
void kin__engine_unref(kin__engine *engine);

/* BORROWED while the engine lives. */
kin__workers *kin__engine_workers(const kin__engine *engine);
kin_clock *kin__engine_clock(const kin__engine *engine);

#endif
