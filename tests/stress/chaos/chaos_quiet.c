/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What must hold when there is quiet: all have what the server has, and no more is held than before.
 */
#include <stdio.h>

#include "chaos.h"
#include "kin_test.h"

enum { TIMEOUT_MS = KIN_TEST_SANITIZED ? 240000 : 120000 };

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/*
 * As much as after the second phase, by and large: there are as many objects, and the server fills its
 * windows soon. Connections come and go, and threads with them.
 */
static bool look_at_what_is_held(chaos *c)
{
    const kin_test_holdings *first = &c->first;
    kin_test_holdings now;

    kin_test_hold(&now);
    if (c->phase == 1)
        c->first = now;
    if (c->phase >= 1)
        c->most =
            (kin_test_holdings){larger(c->most.fds, now.fds), larger(c->most.threads, now.threads),
                                larger(c->most.allocations, now.allocations)};
    if (c->options.is_verbose)
        printf("phase %u: %zu allocations, %zu descriptors, %zu threads\n", c->phase,
               now.allocations, now.fds, now.threads);
    if (c->phase < 2 || (now.allocations < 2 * first->allocations + 60000 &&
                         now.fds < 2 * first->fds + 50 && now.threads < first->threads + 20))
        return true;
    (void)snprintf(c->words, sizeof(c->words),
                   "%zu allocations (at first %zu), %zu descriptors (%zu), %zu threads (%zu)",
                   now.allocations, first->allocations, now.fds, first->fds, now.threads,
                   first->threads);
    return false;
}

bool chaos_quieten(chaos *c)
{
    return kin_test_quieten(&c->cluster, c->followers, c->options.informers, c->lies, TIMEOUT_MS,
                            c->words) &&
           look_at_what_is_held(c);
}
