/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2 servers written in Go (tests/integration/h2, where README.md says what they answer and
 * which commands they know), built when they are first needed and run as a child.
 */
#ifndef KIN_TEST_H2_SERVER_H
#define KIN_TEST_H2_SERVER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct kin_test_h2 kin_test_h2;

typedef struct kin_test_h2_options {
    const char *certificate_file;
    const char *key_file;
    /* Go's own server, as API servers use it, instead of the one that writes frames as told. */
    bool standard;
    unsigned streams; /* at once on a connection; 0: 250 */
} kin_test_h2_options;

/*
 * NULL; or why there is none, for the test to be skipped: Go is missing. With KIN_STRICT=1 that
 * fails the test. *ret is OWNED: kin_test_h2_stop().
 */
const char *kin_test_h2_start(kin_test_h2 **ret, const kin_test_h2_options *options);
void kin_test_h2_stop(kin_test_h2 *h2);
/* BORROWED until it is stopped: "https://127.0.0.1:4711". */
const char *kin_test_h2_url(const kin_test_h2 *h2);

/* A command, printf-like; it was followed when this returns. */
void kin_test_h2_order(kin_test_h2 *h2, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int64_t kin_test_h2_count(kin_test_h2 *h2, const char *what);
/* Until there are at least n. */
void kin_test_h2_await(kin_test_h2 *h2, const char *what, int64_t n);

#endif
