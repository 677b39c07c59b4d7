/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Code that is meant to end its process, or to fork: run it in a child and look at how
 * the child ended.
 */
#ifndef KIN_TEST_CHILD_H
#define KIN_TEST_CHILD_H

#include <stddef.h>

typedef struct kin_test_child {
    int exit_code;     /* -1 if it was ended by a signal */
    int signal;        /* 0 if it exited */
    char output[8192]; /* what it wrote to standard error, cut, terminated */
} kin_test_child;

/* Run fn(arg) in a forked child; its result is the exit code. Waits for the end. */
void kin_test_run_child(kin_test_child *ret, int (*fn)(void *arg), void *arg);

#endif
