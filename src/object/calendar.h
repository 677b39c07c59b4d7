/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates and days, for years from 0000 on, without the C library's time functions.
 *
 * Days are counted in eras of 400 years, which all have the same number of days, and in years that
 * begin in March, so that the leap day is the last of a year and the lengths of the months before
 * it do not depend on it.
 */
#ifndef KIN_OBJECT_CALENDAR_H
#define KIN_OBJECT_CALENDAR_H

#include <stdbool.h>
#include <stdint.h>

#define KIN__SECONDS_PER_DAY 86400
#define KIN__DAYS_PER_ERA 146097
/* From 0000-03-01 to 1970-01-01. */
#define KIN__DAYS_TO_1970 719468

typedef struct kin__date {
    unsigned year;
    unsigned month; /* 1 to 12 */
    unsigned day;   /* 1 to 31 */
} kin__date;

static inline bool kin__date_is_leap(unsigned year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Of a month that there is. */
static inline unsigned kin__date_days_in(unsigned year, unsigned month)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

    return days[month - 1] + (month == 2 && kin__date_is_leap(year));
}

/* How many days of a year that begins in March are before month `m` of it (0: March). */
static inline unsigned kin__date_days_before(unsigned m)
{
    /* Five months from March on have 153 days, and so have the next five. */
    return (153 * m + 2) / 5;
}

/* Days since 1970 of a date that there is. */
static inline int32_t kin__date_to_days(kin__date date)
{
    /* One era ahead, because January of the year 0000 belongs to the year before it. */
    unsigned year = date.year + 400 - (date.month <= 2);
    unsigned era = year / 400;
    unsigned year_of_era = year % 400;
    unsigned m = date.month <= 2 ? date.month + 9 : date.month - 3;
    unsigned day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
                          kin__date_days_before(m) + date.day - 1;

    return (int32_t)(era * KIN__DAYS_PER_ERA + day_of_era) - KIN__DAYS_PER_ERA - KIN__DAYS_TO_1970;
}

/* The inverse. */
static inline kin__date kin__date_from_days(int32_t days)
{
    uint32_t shifted = (uint32_t)(days + KIN__DAYS_TO_1970 + KIN__DAYS_PER_ERA);
    uint32_t era = shifted / KIN__DAYS_PER_ERA;
    uint32_t day_of_era = shifted % KIN__DAYS_PER_ERA;
    /* Takes out the leap days of 4, 100 and 400 years: what is left has 365 days a year. */
    uint32_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint32_t m = (5 * day_of_year + 2) / 153;
    kin__date date;

    date.day = day_of_year - kin__date_days_before(m) + 1;
    date.month = m < 10 ? m + 3 : m - 9;
    date.year = era * 400 + year_of_era - 400 + (date.month <= 2);
    return date;
}

#endif
