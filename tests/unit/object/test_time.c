/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timestamps. The calendar is checked day by day against a plain one that counts, over the
 * whole range; the rules of reading against a table made with Go's time.Parse.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "kinform/time.h"
#include "rng.h"

static int parse(kin_time *ret, const char *text, kin_error *err)
{
    /* Exactly as much memory as the text has bytes, so that ASan sees a read behind it. */
    size_t len = strlen(text);
    char *copy = malloc(len ? len : 1);

    assert_non_null(copy);
    memcpy(copy, text, len);
    int code = kin_time_parse(ret, kin_str_make(copy, len), err);
    free(copy);
    return code;
}

static void timestamps_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
        int32_t nanoseconds;
    } rows[] = {
        {"1970-01-01T00:00:00Z", 0, 0},
        {"1970-01-01T00:00:00+00:00", 0, 0},
        {"1970-01-01T00:00:00-00:00", 0, 0},
        {"1969-12-31T23:59:59Z", -1, 0},
        {"1969-12-31T23:59:59.25Z", -1, 250000000},
        {"2006-01-02T15:04:05Z", 1136214245, 0},
        {"2006-01-02T15:04:05+07:00", 1136189045, 0},
        {"2006-01-02T15:04:05-07:30", 1136241245, 0},
        {"2024-02-29T12:00:00Z", 1709208000, 0},
        {"2000-02-29T00:00:00Z", 951782400, 0},
        {"2023-06-01T10:20:30.123456Z", 1685614830, 123456000},
        {"2023-06-01T10:20:30.000000001Z", 1685614830, 1},
        {"2023-06-01T10:20:30.9999999999999Z", 1685614830, 999999999},
        {"2023-06-01T10:20:30.00000000099Z", 1685614830, 0},
        {"2023-06-01T10:20:30.5+23:59", 1685528490, 500000000},
        {"0000-01-01T00:00:00Z", -62167219200, 0},
        {"0000-02-29T00:00:00Z", -62162121600, 0},
        {"0000-01-01T00:00:00+24:60", -62167309200, 0},
        {"0001-01-01T00:00:00Z", -62135596800, 0},
        {"9999-12-31T23:59:59.999999999Z", 253402300799, 999999999},
        {"9999-12-31T23:59:59-24:60", 253402390799, 0},
        /* Not RFC 3339, but accepted where Kubernetes runs. */
        {"2006-01-02T5:04:05Z", 1136178245, 0},
        {"2006-01-02T15:04:05,5Z", 1136214245, 500000000},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_time t = {42, 42};

        if (parse(&t, rows[i].text, &err) != 0)
            fail_msg("%s: %s", rows[i].text, err.message);
        assert_int_equal(t.seconds, rows[i].seconds);
        assert_int_equal(t.nanoseconds, rows[i].nanoseconds);
        assert_int_equal(err.code, 0);
        assert_code(parse(&t, rows[i].text, NULL), 0);
    }
}

static void other_texts_are_refused_where_they_go_wrong(void **state)
{
    static const struct {
        const char *text;
        uint64_t offset;
    } rows[] = {
        {"", 0},
        {"now", 0},
        {"206-01-02T15:04:05Z", 3},
        {"12006-01-02T15:04:05Z", 4},
        {"-006-01-02T15:04:05Z", 0},
        {"2006/01-02T15:04:05Z", 4},
        {"2006-1-02T15:04:05Z", 6},
        {"2006-00-02T15:04:05Z", 5},
        {"2006-13-02T15:04:05Z", 5},
        {"2006-01/02T15:04:05Z", 7},
        {"2006-01-2T15:04:05Z", 9},
        {"2006-01-00T15:04:05Z", 8},
        {"2006-01-32T15:04:05Z", 8},
        {"2006-04-31T15:04:05Z", 8},
        {"2023-02-29T15:04:05Z", 8},
        {"1900-02-29T15:04:05Z", 8},
        {"2006-01-02", 10},
        {"2006-01-02t15:04:05Z", 10},
        {"2006-01-02 15:04:05Z", 10},
        {"2006-01-02T", 11},
        {"2006-01-02T:04:05Z", 11},
        {"2006-01-02T24:00:00Z", 11},
        {"2006-01-02T115:04:05Z", 13},
        {"2006-01-02T15-04:05Z", 13},
        {"2006-01-02T15:4:05Z", 15},
        {"2006-01-02T15:60:05Z", 14},
        {"2006-01-02T15:04Z", 16},
        {"2006-01-02T15:04:5Z", 18},
        {"2006-01-02T15:04:60Z", 17},
        {"2006-01-02T15:04:05", 19},
        {"2006-01-02T15:04:05z", 19},
        {"2006-01-02T15:04:05.Z", 19},
        {"2006-01-02T15:04:05.", 19},
        {"2006-01-02T15:04:05;5Z", 19},
        {"2006-01-02T15:04:05.5", 21},
        {"2006-01-02T15:04:05.5.5Z", 21},
        {"2006-01-02T15:04:05+7:00", 21},
        {"2006-01-02T15:04:05+0700", 22},
        {"2006-01-02T15:04:05+07", 22},
        {"2006-01-02T15:04:05+07:0", 24},
        {"2006-01-02T15:04:05+25:00", 20},
        {"2006-01-02T15:04:05-07:61", 23},
        {"2006-01-02T15:04:05Z ", 20},
        {"2006-01-02T15:04:05ZZ", 20},
        {"2006-01-02T15:04:05+07:00Z", 25},
        {" 2006-01-02T15:04:05Z", 0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        kin_error err = KIN_ERROR_INIT;
        kin_time t = {42, 43};

        if (parse(&t, rows[i].text, &err) != KIN_EPARSE)
            fail_msg("\"%s\" is accepted", rows[i].text);
        if (err.offset != rows[i].offset)
            fail_msg("\"%s\": offset %llu", rows[i].text, (unsigned long long)err.offset);
        assert_int_equal(err.code, KIN_EPARSE);
        assert_string_not_equal(err.message, "");
        assert_true(t.seconds == 42 && t.nanoseconds == 43);
        assert_code(parse(&t, rows[i].text, NULL), KIN_EPARSE);
    }
}

static void a_zero_byte_is_no_end(void **state)
{
    static const char text[] = "2006-01-02T15:04:05Z\0";
    kin_time t;

    (void)state;
    assert_code(kin_time_parse(&t, kin_str_make(text, sizeof(text) - 1), NULL), KIN_EPARSE);
    assert_code(kin_time_parse(&t, kin_str_make("2006\0", 5), NULL), KIN_EPARSE);
    assert_code(kin_time_parse(&t, kin_str_make(NULL, 0), NULL), KIN_EPARSE);
}

static void timestamps_are_written_in_utc(void **state)
{
    static const struct {
        kin_time t;
        unsigned fraction_digits;
        const char *text;
    } rows[] = {
        {{0, 0}, 0, "1970-01-01T00:00:00Z"},
        {{-1, 0}, 0, "1969-12-31T23:59:59Z"},
        {{-1, 999999999}, 0, "1969-12-31T23:59:59Z"},
        {{-1, 999999999}, 3, "1969-12-31T23:59:59.999Z"},
        {{1136214245, 123456789}, 0, "2006-01-02T15:04:05Z"},
        {{1136214245, 123456789}, 3, "2006-01-02T15:04:05.123Z"},
        {{1136214245, 123456789}, 6, "2006-01-02T15:04:05.123456Z"},
        {{1136214245, 123456789}, 9, "2006-01-02T15:04:05.123456789Z"},
        {{1136214245, 7}, 6, "2006-01-02T15:04:05.000000Z"},
        {{1136214245, 7}, 9, "2006-01-02T15:04:05.000000007Z"},
        {{951782400, 0}, 0, "2000-02-29T00:00:00Z"},
        {{-62167219200, 0}, 0, "0000-01-01T00:00:00Z"},
        {{253402300799, 999999999}, 9, "9999-12-31T23:59:59.999999999Z"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char text[KIN_TIME_TEXT_SIZE];

        assert_int_equal(kin_time_format(text, sizeof(text), rows[i].t, rows[i].fraction_digits),
                         strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void what_cannot_be_written_gives_nothing(void **state)
{
    static const struct {
        kin_time t;
        unsigned fraction_digits;
    } rows[] = {
        {{0, 0}, 1},         {{0, 0}, 2},          {{0, 0}, 12},           {{0, 0}, 4294967295u},
        {{0, -1}, 0},        {{0, 1000000000}, 0}, {{0, INT32_MIN}, 0},    {{-62167219201, 0}, 0},
        {{INT64_MAX, 0}, 0}, {{INT64_MIN, 0}, 0},  {{253402300800, 0}, 0},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        char text[KIN_TIME_TEXT_SIZE] = "?";

        assert_int_equal(kin_time_format(text, sizeof(text), rows[i].t, rows[i].fraction_digits),
                         0);
        assert_string_equal(text, "?");
    }
}

static void a_short_buffer_cuts_the_text(void **state)
{
    char text[12] = "???????????";
    kin_time t = {0, 0};

    (void)state;
    assert_int_equal(kin_time_format(NULL, 0, t, 0), 20);
    assert_int_equal(kin_time_format(text, 1, t, 0), 20);
    assert_string_equal(text, "");
    assert_int_equal(text[1], '?');
    assert_int_equal(kin_time_format(text, sizeof(text), t, 0), 20);
    assert_string_equal(text, "1970-01-01T");
}

/* A calendar that only counts. */
struct calendar {
    int year, month, day;
};

static void next_day(struct calendar *c)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = (c->year % 4 == 0 && c->year % 100 != 0) || c->year % 400 == 0;

    if (++c->day <= days[c->month - 1] + (c->month == 2 && leap))
        return;
    c->day = 1;
    if (++c->month <= 12)
        return;
    c->month = 1;
    c->year++;
}

static void every_day_of_ten_thousand_years_is_right(void **state)
{
    struct calendar c = {0, 1, 1};
    int64_t seconds = -62167219200;

    (void)state;
    for (; c.year <= 9999; next_day(&c), seconds += 86400) {
        char expected[40];
        char text[KIN_TIME_TEXT_SIZE];
        kin_time t = {seconds + 12345, 0};
        kin_time back;

        snprintf(expected, sizeof(expected), "%04d-%02d-%02dT03:25:45Z", c.year, c.month, c.day);
        kin_time_format(text, sizeof(text), t, 0);
        if (strcmp(text, expected) != 0)
            fail_msg("%s instead of %s", text, expected);
        if (kin_time_parse(&back, kin_str_of(text), NULL) != 0 || back.seconds != t.seconds)
            fail_msg("%s is read as %lld", text, (long long)back.seconds);
    }
    assert_int_equal(seconds, 253402300800);
}

static void what_is_written_is_read_back(void **state)
{
    kin_test_rng rng = {1};

    (void)state;
    for (int round = 0; round < 5000; round++) {
        kin_time t = {(int64_t)kin_test_below(&rng, 315569520000) - 62167219200,
                      (int32_t)kin_test_below(&rng, 1000000000)};
        char text[KIN_TIME_TEXT_SIZE];
        kin_time back;

        kin_time_format(text, sizeof(text), t, 9);
        assert_code(kin_time_parse(&back, kin_str_of(text), NULL), 0);
        assert_int_equal(kin_time_compare(t, back), 0);
        kin_time_format(text, sizeof(text), t, 6);
        assert_code(kin_time_parse(&back, kin_str_of(text), NULL), 0);
        assert_int_equal(back.nanoseconds, t.nanoseconds / 1000 * 1000);
    }
}

static void times_are_ordered(void **state)
{
    static const kin_time rows[] = {
        {INT64_MIN, 0}, {-2, 999999999},        {-1, 0}, {-1, 1}, {0, 0}, {0, 999999999}, {1, 0},
        {INT64_MAX, 0}, {INT64_MAX, 999999999},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++) {
        for (size_t j = 0; j < kin__array_len(rows); j++)
            assert_int_equal(kin_time_compare(rows[i], rows[j]), (i > j) - (i < j));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(timestamps_are_read),
        cmocka_unit_test(other_texts_are_refused_where_they_go_wrong),
        cmocka_unit_test(a_zero_byte_is_no_end),
        cmocka_unit_test(timestamps_are_written_in_utc),
        cmocka_unit_test(what_cannot_be_written_gives_nothing),
        cmocka_unit_test(a_short_buffer_cuts_the_text),
        cmocka_unit_test(every_day_of_ten_thousand_years_is_right),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(times_are_ordered),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
