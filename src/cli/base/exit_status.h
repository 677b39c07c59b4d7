/* SPDX-License-Identifier: Apache-2.0 */
/* The exit statuses of `kinform`. */
#ifndef KIN_CLI_BASE_EXIT_STATUS_H
#define KIN_CLI_BASE_EXIT_STATUS_H

/*
 * How kinform ends: X(name, value, for --help and the manual). A signal that ends it gives 128 and its
 * number, as the shell has it: 130 is Ctrl-C.
 */
#define EXIT_MAP(X)                                                                                \
    X(EXIT_OK, 0, "all was done")                                                                  \
    X(EXIT_FAILED, 1, "something failed that is none of the others")                               \
    X(EXIT_USAGE, 2, "wrong usage: an option, an argument, an expression")                         \
    X(EXIT_NOT_FOUND, 3, "an object, a kind, a context or a file is not there")                    \
    X(EXIT_DENIED, 4, "the server does not let us")                                                \
    X(EXIT_UNREACHABLE, 5, "the server cannot be reached, or not trusted")                         \
    X(EXIT_TIMEOUT, 6, "the time was up before it was done")

enum exit_status {
#define EXIT_ENUM(name, value, what) name = (value),
    EXIT_MAP(EXIT_ENUM)
#undef EXIT_ENUM
};

#endif
