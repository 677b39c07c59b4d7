/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which threads the process has: whether something stays behind.
 */
#ifndef KIN_TEST_THREADS_H
#define KIN_TEST_THREADS_H

#include <stddef.h>

/*
 * Threads that run and whose name begins with this; "" for all. The kernel lists those that were joined for a
 * moment longer: they do not count. A new one has the name of its maker until it has set its own.
 */
size_t kin_test_count_threads(const char *prefix);

/* Until there are so many. It takes too long: the test has failed. */
void kin_test_await_threads(const char *prefix, size_t n);

#endif
