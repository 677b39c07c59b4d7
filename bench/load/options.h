/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The arguments of contestants: a mode, and options with values, as a table of what they set.
 */
#ifndef KIN_BENCH_OPTIONS_H
#define KIN_BENCH_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

/* The exit status of wrong usage. */
#define KIN_BENCH_USAGE 2

/* What one option sets: exactly one of `text`, `number` and `flag`. */
struct kin_bench_option {
    const char *name;
    const char **text; /* the value, BORROWED from the arguments */
    size_t *number;    /* from 1 to `max` */
    size_t max;
    bool *flag; /* true; with `no` and `yes`: which of these words the value is */
    const char *no;
    const char *yes;
};

/*
 * Set what the arguments say. Returns the mode, the one argument that is no option; NULL: wrong usage.
 * A number out of range is told of and ends the program.
 */
const char *kin_bench_parse(const struct kin_bench_option *options, size_t n, int argc,
                            char **argv);

#endif
