/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The longer formats of Kubernetes: times, UUIDs and digests. Calendar arithmetic is done here
 * because gmtime() and strftime() depend on the time zone database and the locale.
 */
#include "text.h"

#include "rng.h"

void kin_bench__text_put_time(struct kin_bench__text *t, uint64_t seconds)
{
    uint64_t days = seconds / 86400;
    uint64_t rest = seconds % 86400;
    /* Days are counted from 1 March of year 0, so that a leap day ends its year. */
    uint64_t z = days + 719468;
    uint64_t era = z / 146097;
    uint64_t doe = z % 146097;
    uint64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    uint64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    uint64_t mp = (5 * doy + 2) / 153;
    uint64_t day = doy - (153 * mp + 2) / 5 + 1;
    uint64_t month = mp < 10 ? mp + 3 : mp - 9;
    uint64_t year = yoe + era * 400 + (month <= 2 ? 1 : 0);

    put_char(t, '"');
    put_digits(t, year, 4);
    put_char(t, '-');
    put_digits(t, month, 2);
    put_char(t, '-');
    put_digits(t, day, 2);
    put_char(t, 'T');
    put_digits(t, rest / 3600, 2);
    put_char(t, ':');
    put_digits(t, rest / 60 % 60, 2);
    put_char(t, ':');
    put_digits(t, rest % 60, 2);
    put_bytes(t, "Z\"", 2);
}

void kin_bench__text_put_uuid(struct kin_bench__text *t, uint64_t high, uint64_t low)
{
    put_hex(t, high >> 32, 8);
    put_char(t, '-');
    put_hex(t, high >> 16, 4);
    put_bytes(t, "-4", 2);
    put_hex(t, high, 3);
    put_char(t, '-');
    put_hex(t, 8 | (low >> 62), 1);
    put_hex(t, low >> 48, 3);
    put_char(t, '-');
    put_hex(t, low, 12);
}

void kin_bench__text_put_digest(struct kin_bench__text *t, uint64_t id)
{
    struct kin_bench__rng rng = {id};

    for (int i = 0; i < 4; i++)
        put_hex(t, kin_bench__rng_next(&rng), 16);
}
