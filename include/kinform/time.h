/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Points in time as Kubernetes writes them: `metadata.creationTimestamp` and the like.
 *
 * Kubernetes writes RFC 3339 in UTC, in whole seconds (metav1.Time) or with six digits
 * of a fraction (metav1.MicroTime), and reads any offset. Nothing here looks at the locale,
 * at the time zone of the process or at a clock (kinform/clock.h has those).
 */
#ifndef KINFORM_TIME_H
#define KINFORM_TIME_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** A buffer of this many bytes holds whatever kin_time_format() writes. */
#define KIN_TIME_TEXT_SIZE 32

/**
 * A point in time, in Unix time: without leap seconds, by the Gregorian calendar for all
 * years. Passed by value; its layout never changes.
 */
typedef struct kin_time {
    int64_t seconds;     /**< since 1970-01-01T00:00:00Z, negative before it */
    int32_t nanoseconds; /**< 0 to 999999999, counted forward from `seconds` */
} kin_time;

/**
 * Read a timestamp, `2006-01-02T15:04:05Z` or `2006-01-02T15:04:05.999+07:00`, by the rules
 * by which Kubernetes reads metav1.Time (Go's time.Parse with time.RFC3339).
 *
 * That is RFC 3339 with these differences. 'T' and 'Z' are upper case only. There is no
 * second 60. The hour may have one digit, the fraction may begin with a comma, and the
 * offset may be up to 24 hours and 60 minutes. A fraction has any number of digits; those
 * behind the ninth are dropped. The whole text must be the timestamp, without spaces around.
 *
 * @param[out] ret  untouched on failure.
 * @param text      BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE (err->offset is the byte that is wrong, or the first
 *         byte of a field that is out of range).
 * @thread any
 */
KIN_API int kin_time_parse(kin_time *ret, kin_str text, kin_error *err);

/**
 * Write a timestamp in UTC: `2006-01-02T15:04:05Z`, and with `fraction_digits` of a second.
 * kin_time_parse() reads what this writes.
 *
 * Like snprintf(): writes as much as fits and terminates it, and returns the length of the
 * whole text, which was cut if that is not less than `size`.
 *
 * @param buf              BORROWED for the call; may be NULL if `size` is 0.
 * @param fraction_digits  0 as metav1.Time has it, 6 as metav1.MicroTime, or 3 or 9. Digits
 *                         that are not asked for are dropped, not rounded.
 * @return the length without terminator; 0, and nothing is written, if the year is not one
 *         from 0000 to 9999, `nanoseconds` or `fraction_digits` not one of the above.
 * @thread any
 */
KIN_API size_t kin_time_format(char *buf, size_t size, kin_time t, unsigned fraction_digits);

/**
 * Order two points in time: -1 if `a` is before `b`, 0 if they are the same, 1 if after.
 *
 * @return 0, or `a` compared with `b` as above.
 * @thread any
 */
KIN_API int kin_time_compare(kin_time a, kin_time b);

KIN_END_DECLS

#endif
