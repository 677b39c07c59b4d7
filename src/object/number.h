/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON numbers as text: checking, converting, comparing, hashing and writing them.
 *
 * A number of JSON has any length and any exponent. Nothing here rounds unless it says
 * so, nothing allocates, nothing depends on the locale, and everything takes time linear
 * in the length of the text. Except for kin__number_scan() all functions expect a text
 * that kin__number_scan() accepts; a text need not be terminated.
 */
#ifndef KIN_OBJECT_NUMBER_H
#define KIN_OBJECT_NUMBER_H

#include "kinform/common.h"

/* Room for any text that kin__number_format_double() writes, terminator included. */
#define KIN__NUMBER_DOUBLE_SIZE 32

/*
 * Whether the whole text is one number as RFC 8259 spells it. If not, *ret_bad_offset is
 * the first byte that cannot be (`len` where the text ends too early). If so,
 * *ret_is_integer tells whether it has neither a fraction nor an exponent; "-0" is such an
 * integer, though no int64_t keeps its sign. Either may be NULL.
 */
bool kin__number_scan(const char *text, size_t len, size_t *ret_bad_offset, bool *ret_is_integer);

/*
 * The exact value, if the text denotes an integer of that range in whatever spelling: 1e3,
 * 10.00, -0. False, and *ret untouched, if it does not.
 */
bool kin__number_to_int64(const char *text, size_t len, int64_t *ret);

/*
 * The nearest double, ties to even: what strtod() gives in the C locale. Keeps the sign of
 * a zero. Beyond the largest double it is an infinity, and *ret_overflow (may be NULL)
 * true.
 */
double kin__number_to_double(const char *text, size_t len, bool *ret_overflow);

/* Order by exact value: -1, 0, 1. 1.0 equals 1, 1e2 equals 100, -0 equals 0. */
int kin__number_compare(const char *a, size_t a_len, const char *b, size_t b_len);

/* Numbers that compare as equal have equal hashes. */
uint64_t kin__number_hash(uint64_t seed, const char *text, size_t len);

/*
 * The shortest digits that read back as the same double, laid out as Go's encoding/json
 * does: with an exponent below 1e-6 and from 1e21 on. Like snprintf(): returns the length
 * of the whole text, writes and terminates as much as fits. Returns 0 and writes nothing
 * for infinities and NaN, which JSON cannot say.
 */
size_t kin__number_format_double(char *buf, size_t size, double d);

#endif
