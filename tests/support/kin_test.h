/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every test includes: cmocka, and assertions that print codes by name.
 */
#ifndef KIN_TEST_H
#define KIN_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "kinform/error.h"

/* Generous: a test that waits this long has failed. Real milliseconds. */
#define KIN_TEST_TIMEOUT_MS 100000

/* Sanitizers bring an allocator and larger stack frames: what is measured there says nothing. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define KIN_TEST_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KIN_TEST_SANITIZED 1
#endif
#endif
#ifndef KIN_TEST_SANITIZED
#define KIN_TEST_SANITIZED 0
#endif

/* The expression returns this code; failing that, both are printed by name. */
#define assert_code(expression, expected)                                                          \
    kin_test_assert_code((expression), (expected), #expression, __FILE__, __LINE__)

void kin_test_assert_code(int actual, int expected, const char *expression, const char *file,
                          int line);

/* When who waits from now on has waited too long: KIN_TEST_TIMEOUT_MS. */
int64_t kin_test_deadline(void);

/*
 * Wait for what other threads get to without telling anybody: let them run, and look again. False: it takes
 * too long. The limit is a time and no number of turns, which would say nothing of how much of their
 * work the others could do meanwhile: beside a busy neighbour none, for thousands of turns.
 */
bool kin_test_wait_turn(int64_t deadline);

#endif
