/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timestamps, without the C library's time functions: those depend on the time zone and
 * some on the locale, and take locks.
 *
 * Reading follows Go's time.Parse(time.RFC3339), oddities included, because that decides
 * what an API server accepts and so what can turn up in an object. A field is checked for
 * its range where it stands, the day at last, when year and month are known.
 */
#include "kinform/time.h"

#include "base/assert.h"
#include "base/error.h"
#include "object/calendar.h"

/* 0000-01-01T00:00:00Z and the last second of the year 9999. */
#define FIRST_SECOND INT64_C(-62167219200)
#define LAST_SECOND INT64_C(253402300799)
#define NS_PER_SECOND 1000000000

/* --- reading --- */

struct reader {
    kin_str text;
    size_t at;
    kin_error *err;
};

static bool digit_at(const struct reader *r, size_t at)
{
    return at < r->text.len && r->text.data[at] >= '0' && r->text.data[at] <= '9';
}

/* The next byte; 0, which no timestamp has, at the end. */
static char peek(const struct reader *r)
{
    if (r->at >= r->text.len)
        return '\0';
    return r->text.data[r->at];
}

/* A number of `min_digits` to `max_digits`, both ends of `range` included. */
static int read_field(struct reader *r, int *ret, size_t min_digits, size_t max_digits,
                      const int range[2], const char *what)
{
    size_t start = r->at;
    int value = 0;

    while (r->at - start < max_digits && digit_at(r, r->at))
        value = value * 10 + (r->text.data[r->at++] - '0');
    if (r->at - start < min_digits)
        return kin__error_parse(r->err, r->at, "a digit of the %s is missing", what);
    if (value < range[0] || value > range[1])
        return kin__error_parse(r->err, start, "the %s is out of range", what);
    *ret = value;
    return 0;
}

static int read_char(struct reader *r, char c)
{
    if (peek(r) != c)
        return kin__error_parse(r->err, r->at, "expected '%c'", c);
    r->at++;
    return 0;
}

static int read_date(struct reader *r, kin__date *ret)
{
    static const int years[] = {0, 9999};
    static const int months[] = {1, 12};
    static const int any_day[] = {0, 99};
    int year = 0;
    int month = 1;
    int day = 1;
    int code = read_field(r, &year, 4, 4, years, "year");

    if (code == 0)
        code = read_char(r, '-');
    if (code == 0)
        code = read_field(r, &month, 2, 2, months, "month");
    if (code == 0)
        code = read_char(r, '-');
    size_t start = r->at;
    if (code == 0)
        code = read_field(r, &day, 2, 2, any_day, "day");
    *ret = (kin__date){(unsigned)year, (unsigned)month, (unsigned)day};
    if (code == 0 && (ret->day < 1 || ret->day > kin__date_days_in(ret->year, ret->month)))
        code = kin__error_parse(r->err, start, "the month has no such day");
    return code;
}

static int read_time_of_day(struct reader *r, int *ret_seconds)
{
    static const int hours[] = {0, 23};
    static const int sixty[] = {0, 59};
    int hour = 0;
    int minute = 0;
    int second = 0;
    int code = read_field(r, &hour, 1, 2, hours, "hour");

    if (code == 0)
        code = read_char(r, ':');
    if (code == 0)
        code = read_field(r, &minute, 2, 2, sixty, "minute");
    if (code == 0)
        code = read_char(r, ':');
    if (code == 0)
        code = read_field(r, &second, 2, 2, sixty, "second");
    if (code == 0)
        *ret_seconds = (hour * 60 + minute) * 60 + second;
    return code;
}

/* A point or comma without a digit behind it is left for read_offset() to refuse. */
static int32_t read_fraction(struct reader *r)
{
    int32_t nanoseconds = 0;
    int32_t unit = NS_PER_SECOND / 10;

    if ((peek(r) != '.' && peek(r) != ',') || !digit_at(r, r->at + 1))
        return 0;
    for (r->at++; digit_at(r, r->at); r->at++) {
        nanoseconds += (r->text.data[r->at] - '0') * unit;
        unit /= 10;
    }
    return nanoseconds;
}

static int read_offset(struct reader *r, int *ret_seconds)
{
    static const int hours[] = {0, 24};
    static const int minutes[] = {0, 60};
    char sign = peek(r);
    int hour = 0;
    int minute = 0;

    if (sign == 'Z') {
        r->at++;
        *ret_seconds = 0;
        return 0;
    }
    if (sign != '+' && sign != '-')
        return kin__error_parse(r->err, r->at, "expected 'Z' or an offset from UTC");
    r->at++;
    int code = read_field(r, &hour, 2, 2, hours, "offset's hour");
    if (code == 0)
        code = read_char(r, ':');
    if (code == 0)
        code = read_field(r, &minute, 2, 2, minutes, "offset's minute");
    if (code == 0)
        *ret_seconds = (hour * 60 + minute) * (sign == '-' ? -60 : 60);
    return code;
}

int kin_time_parse(kin_time *ret, kin_str text, kin_error *err)
{
    if (!ret)
        return kin__error_null(err, "ret");

    struct reader r = {text, 0, err};
    kin__date date;
    int time_of_day = 0;
    int offset = 0;
    int32_t nanoseconds = 0;
    int code = read_date(&r, &date);

    if (code == 0)
        code = read_char(&r, 'T');
    if (code == 0)
        code = read_time_of_day(&r, &time_of_day);
    if (code == 0) {
        nanoseconds = read_fraction(&r);
        code = read_offset(&r, &offset);
    }
    if (code == 0 && r.at < text.len)
        code = kin__error_parse(err, r.at, "text behind the timestamp");
    if (code < 0)
        return code;
    ret->seconds = (int64_t)kin__date_to_days(date) * KIN__SECONDS_PER_DAY + time_of_day - offset;
    ret->nanoseconds = nanoseconds;
    return 0;
}

/* --- writing --- */

struct writer {
    char data[KIN_TIME_TEXT_SIZE];
    size_t len;
};

static void put_char(struct writer *w, char c)
{
    kin__assert(w->len < sizeof(w->data));
    w->data[w->len++] = c;
}

/* The first `digits` of a number that has `width` of them. */
static void put_number(struct writer *w, int value, unsigned width, unsigned digits)
{
    int unit = 1;

    for (unsigned i = 1; i < width; i++)
        unit *= 10;
    for (unsigned i = 0; i < digits; i++) {
        put_char(w, (char)('0' + value / unit % 10));
        unit /= 10;
    }
}

static void put_date(struct writer *w, kin__date date)
{
    put_number(w, (int)date.year, 4, 4);
    put_char(w, '-');
    put_number(w, (int)date.month, 2, 2);
    put_char(w, '-');
    put_number(w, (int)date.day, 2, 2);
}

static void put_time_of_day(struct writer *w, int seconds)
{
    put_number(w, seconds / 3600, 2, 2);
    put_char(w, ':');
    put_number(w, seconds / 60 % 60, 2, 2);
    put_char(w, ':');
    put_number(w, seconds % 60, 2, 2);
}

static bool can_write(kin_time t, unsigned fraction_digits)
{
    return t.seconds >= FIRST_SECOND && t.seconds <= LAST_SECOND && t.nanoseconds >= 0 &&
           t.nanoseconds < NS_PER_SECOND && fraction_digits <= 9 && fraction_digits % 3 == 0;
}

size_t kin_time_format(char *buf, size_t size, kin_time t, unsigned fraction_digits)
{
    struct writer w = {{0}, 0};

    if (!can_write(t, fraction_digits))
        return 0;
    /* Counted from the first second, so that dividing rounds down. */
    int64_t since_first = t.seconds - FIRST_SECOND;
    int64_t days = since_first / KIN__SECONDS_PER_DAY + FIRST_SECOND / KIN__SECONDS_PER_DAY;
    put_date(&w, kin__date_from_days((int32_t)days));
    put_char(&w, 'T');
    put_time_of_day(&w, (int)(since_first % KIN__SECONDS_PER_DAY));
    if (fraction_digits > 0) {
        put_char(&w, '.');
        put_number(&w, t.nanoseconds, 9, fraction_digits);
    }
    put_char(&w, 'Z');
    if (size > 0) {
        size_t n = w.len < size ? w.len : size - 1;

        memcpy(buf, w.data, n);
        buf[n] = '\0';
    }
    return w.len;
}

int kin_time_compare(kin_time a, kin_time b)
{
    if (a.seconds != b.seconds)
        return a.seconds < b.seconds ? -1 : 1;
    return (a.nanoseconds > b.nanoseconds) - (a.nanoseconds < b.nanoseconds);
}
