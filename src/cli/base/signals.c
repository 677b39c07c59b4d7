/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base/signals.h"

#include <stdbool.h>
#include <stddef.h>

/* The command itself ignores none of those that it asks for here. */
static bool is_ignored(int number)
{
    struct sigaction action;

    return sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

void signal_catch(int number, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};

    if (!is_ignored(number))
        sigaction(number, &action, NULL);
}

void signal_add(sigset_t *set, int number)
{
    if (!is_ignored(number))
        sigaddset(set, number);
}

void signals_asking(sigset_t *set)
{
    sigemptyset(set);
    signal_add(set, SIGINT);
    signal_add(set, SIGTERM);
    signal_add(set, SIGHUP);
    signal_add(set, SIGQUIT);
}

void signals_ending(sigset_t *set)
{
    static const int others[] = {
        SIGALRM,   SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGIO,
#ifdef SIGPWR
        SIGPWR,
#endif
#ifdef SIGSTKFLT
        SIGSTKFLT,
#endif
    };

    signals_asking(set);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        signal_add(set, others[i]);
    for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
        signal_add(set, number);
}
