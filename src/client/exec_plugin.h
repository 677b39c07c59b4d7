/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Running an exec plugin: a program of the user's that writes who we are to its standard output.
 */
#ifndef KIN_CLIENT_EXEC_PLUGIN_H
#define KIN_CLIENT_EXEC_PLUGIN_H

#include <stdatomic.h>

#include "base/wakeup.h"
#include "client/config.h"
#include "kinform/clock.h"
#include "kinform/log.h"

/* All BORROWED for the call. */
typedef struct kin__exec_run {
    const kin__exec_config *config;
    kin_str info;     /* the value of KUBERNETES_EXEC_INFO; terminated */
    bool interactive; /* it gets our standard input and standard error */
    kin_clock *clock;
    int64_t deadline; /* of the clock: it is ended then */
    kin_logger *logger;
    kin__wakeup *wakeup;     /* of nobody else; signalled after `stop` was set */
    const atomic_bool *stop; /* it is to be ended now */
    /* Called before each wait, and so whenever `wakeup` is signalled: until when to wait at most. */
    int64_t (*tick)(void *arg); /* NULL: nobody has anything to do meanwhile */
    void *tick_arg;
} kin__exec_run;

/*
 * Whether it may talk to the person at the terminal. 0, KIN_EDENIED: it must, and standard input is
 * none.
 */
int kin__exec_plugin_interactive(const kin__exec_config *config, bool *ret, kin_error *err);

/*
 * Run it and wait for its end. `ret` is what it wrote. 0, KIN_ECANCELED (stopped), KIN_EDENIED (not
 * there, failed, wrote too much or took too long; the message says which and has the install hint),
 * KIN_ENOMEM, KIN_ESYSTEM. Waits for no process but this one, and needs no SIGCHLD.
 */
int kin__exec_plugin_run(kin__secret *ret, const kin__exec_run *run, kin_error *err);

#endif
