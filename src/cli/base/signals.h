/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals that end the command, of those who have something to tidy up. What whoever started us has told us to
 * ignore (nohup, trap '' HUP) is never among them, and stays ignored.
 */
#ifndef KIN_CLI_BASE_SIGNALS_H
#define KIN_CLI_BASE_SIGNALS_H

#include <signal.h>

/* Have it handled, unless it is ignored. A system call that waits is interrupted, and not begun again. */
void signal_catch(int number, void (*handler)(int));
/* Add it to a set of those that are waited for, unless it is ignored: a signal that is blocked comes all the same. */
void signal_add(sigset_t *set, int number);

/* Those by which people and supervisors ask a program to end. */
void signals_asking(sigset_t *set);
/* Those, and all others that would end us, but for those that follow from a mistake of our own. */
void signals_ending(sigset_t *set);

#endif
