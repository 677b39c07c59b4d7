/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that a test starts and talks to: a line to its standard input, a line from its standard
 * output. It ends when its input does. All of this fails the test if it cannot be done, and no
 * answer is waited for longer than KIN_TEST_TIMEOUT_MS.
 */
#ifndef KIN_TEST_PROGRAM_H
#define KIN_TEST_PROGRAM_H

#include <sys/types.h>

typedef struct kin_test_program {
    pid_t pid;      /* 0 once it has ended */
    int to, from;   /* its input and output */
    char line[512]; /* the last answer */
} kin_test_program;

/* `arguments` begin with the file and end with NULL. */
void kin_test_program_start(kin_test_program *program, const char *const *arguments);
/* Close its input, let it go on if it was stopped, and wait for its end. */
void kin_test_program_stop(kin_test_program *program);
/* Until it has ended (0), has stopped (WUNTRACED) or goes on (WCONTINUED). */
void kin_test_program_wait(kin_test_program *program, int options);

/* A command and, if it is not NULL, what follows it. */
void kin_test_program_tell(kin_test_program *program, const char *command, const char *text);
/* The next line, without its end. BORROWED until the next call. */
const char *kin_test_program_hear(kin_test_program *program);
/* Tell, and hear "ok". */
void kin_test_program_order(kin_test_program *program, const char *command, const char *text);

#endif
