/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warnings of the server, to whoever wants them; to the log, each text once, if nobody does.
 */
#ifndef KIN_CLIENT_WARNINGS_H
#define KIN_CLIENT_WARNINGS_H

#include "base/map.h"
#include "base/mutex.h"
#include "kinform/client.h"

typedef struct kin__warnings {
    kin_warning_fn *fn; /* NULL: the log */
    void *arg;
    void (*arg_free)(void *arg);
    kin_logger *logger; /* SHARED */
    kin__mutex lock;    /* rank WARNINGS */
    kin__map seen;      /* (lock) texts that were logged */
} kin__warnings;

void kin__warnings_init(kin__warnings *warnings, const kin_client_options *options,
                        kin_logger *logger);
/* `forked`: in a child, where locks are not touched. */
void kin__warnings_done(kin__warnings *warnings, bool forked);

/* The value of a Warning header; no lock is held. */
void kin__warnings_take(kin__warnings *warnings, kin_str header);

#endif
