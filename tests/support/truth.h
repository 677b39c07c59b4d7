/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a server has, found out by another program (truth.py) that shares nothing with the library; and
 * what a process holds, to see whether something stays behind.
 */
#ifndef KIN_TEST_TRUTH_H
#define KIN_TEST_TRUTH_H

#include "replay.h"

/*
 * Fill in one world per path ("/api/v1/configmaps"). False, with words: the program has failed, or there is an object that nobody
 * has made. For one thread.
 */
bool kin_test_truth(kin_test_world *ret, const char *url, const char *const *paths, size_t n,
                    char *ret_text, size_t size);

/* POST to a path, by the same means. Whether it was answered with 2xx. */
bool kin_test_post(const char *url, const char *path, const char *body);

/* What a process holds: descriptors, threads, and allocations of the library. */
typedef struct kin_test_holdings {
    size_t fds, threads, allocations;
} kin_test_holdings;

void kin_test_hold(kin_test_holdings *ret);
/* Whether it is the same as before; failing that, both in words. */
bool kin_test_holds_same(const kin_test_holdings *before, char *ret_text, size_t size);

#endif
