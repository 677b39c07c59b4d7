/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tests of the benchmark programs share: a directory of their own, whole files, programs
 * as child processes, and a strict JSON checker with just enough access to look inside.
 */
#ifndef KIN_BENCH_TEST_H
#define KIN_BENCH_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <sys/types.h>

/* Generous: a test that waits this long has failed. */
#define BENCH_TEST_TIMEOUT_MS 60000

/* A piece of text; data is NULL if there is none. */
struct span {
    const char *data;
    size_t len;
};

/* Length of the JSON value at the start of the text, 0 if it is not valid. */
size_t json_value(const char *text, size_t len);
/* The text is one JSON value and nothing else. */
bool json_valid(struct span text);
/* Member of an object, element of an array, by a path as "metadata.labels" or "spec.args.0". */
struct span json_get(struct span value, const char *path);
/* Number of members or elements. */
size_t json_count(struct span value);
/* The path's value is the string. */
bool json_is(struct span value, const char *path, const char *string);
/* The digits of a string or number; fails the test if there are none. */
uint64_t json_number(struct span value, const char *path);

bool span_equal(struct span a, struct span b);
/* The next line of *rest without its end; false at the end of the text. */
bool next_line(struct span *rest, struct span *line);

/* A fresh directory, removed by remove_dir() with what is in it (no subdirectories). */
char *make_temp_dir(void);
void remove_dir(char *dir);
/* Number of entries of a directory. */
size_t count_entries(const char *dir);
char *join_path(const char *dir, const char *name);
bool file_exists(const char *dir, const char *name);
/* The file's bytes, for free_span(). Fails the test if there is no such file. */
struct span read_file(const char *dir, const char *name);
void free_span(struct span bytes);
void write_file(const char *dir, const char *name, const void *data, size_t len);

struct child {
    pid_t pid;
    int in;  /* its stdin, -1 when closed */
    int out; /* its stdout */
    int err; /* its stderr */
};

/* The program whose path is in the environment, or the default name on PATH. */
const char *program_path(const char *variable, const char *fallback);
void child_start(struct child *c, const char *program, const char *const *args, int out_fd);
void child_close_stdin(struct child *c);
/* Reads to the end, or to a newline; terminated. Fails the test when it takes too long. */
void child_read(int fd, char *buffer, size_t size, bool line);
/* Waits for the end: the exit code, or 1000 + the signal. Closes everything. */
int child_wait(struct child *c);

/* What a program that was run has left. */
struct result {
    int status;
    char out[16384];
    char err[4096];
};

/* Runs it to its end, with nothing to read. */
void run_to_end(struct result *r, const char *program, const char *const *args);
/* It ends with this status, prints nothing, and complains; with these words, if there are any. */
void expect_refused(const char *program, const char *const *args, int status, const char *says);
/* It ends with status 1 if nobody can read what it prints. Into `err`: what it complains of. */
void expect_unheard(const char *program, const char *const *args, char *err, size_t size);
/* The value of a measure that it printed; fails the test if it is not there. */
double value_of(const char *out, const char *name);
/* To a thousandth: measures have nine decimals. */
void assert_near(double got, double want);

/* Waits until a descriptor is readable; fails the test when it takes too long. */
void wait_readable(int fd);

#endif
