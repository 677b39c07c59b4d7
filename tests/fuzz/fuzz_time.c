/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Timestamps: what is read is written and read again, and the calendar is that of the C
 * library.
 */
#include <string.h>
#include <time.h>

#include "fuzz.h"
#include "kinform/time.h"

static void check_calendar(kin_time t, const char *text)
{
    char expected[64];
    struct tm tm;
    time_t seconds = t.seconds;

    FUZZ_CHECK(gmtime_r(&seconds, &tm) != NULL);
    snprintf(expected, sizeof(expected), "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)t.nanoseconds);
    FUZZ_CHECK(strcmp(text, expected) == 0);
}

static void check_writing(kin_time t)
{
    static const unsigned digits[] = {0, 3, 6, 9};
    char text[KIN_TIME_TEXT_SIZE];
    kin_time back;

    for (size_t i = 0; i < 4; i++) {
        size_t len = kin_time_format(text, sizeof(text), t, digits[i]);

        if (len == 0) {
            FUZZ_CHECK(t.seconds < -62167219200 || t.seconds > 253402300799 || t.nanoseconds < 0 ||
                       t.nanoseconds > 999999999);
            return;
        }
        FUZZ_CHECK(strlen(text) == len && len == 20 + (digits[i] ? digits[i] + 1 : 0));
        FUZZ_CHECK(kin_time_parse(&back, kin_str_make(text, len), NULL) == 0);
        FUZZ_CHECK(back.seconds == t.seconds && back.nanoseconds <= t.nanoseconds);
    }
    FUZZ_CHECK(kin_time_compare(t, back) == 0);
    check_calendar(t, text);
}

static void check_reading(kin_str s)
{
    kin_error err = KIN_ERROR_INIT;
    kin_time t = {42, 43};
    int code = kin_time_parse(&t, s, &err);

    if (code == 0) {
        FUZZ_CHECK(err.code == 0 && t.nanoseconds >= 0 && t.nanoseconds <= 999999999);
        check_writing(t);
        /* The last byte belongs to the offset: without it there is no timestamp. */
        FUZZ_CHECK(s.len >= 19);
        FUZZ_CHECK(kin_time_parse(&t, kin_str_make(s.data, s.len - 1), NULL) == KIN_EPARSE);
    } else {
        FUZZ_CHECK(code == KIN_EPARSE && err.code == KIN_EPARSE && err.offset <= s.len);
        FUZZ_CHECK(t.seconds == 42 && t.nanoseconds == 43);
    }
}

/* A timestamp with some bytes replaced: what random bytes hardly ever are. */
static void check_changed(fuzz_input *in)
{
    char text[] = "2024-02-29T23:59:59.123456789+07:30";
    static const char letters[] = "0123456789-+:.,TZtz ";
    size_t len = sizeof(text) - 1;

    for (unsigned n = fuzz_byte(in) % 8; n > 0; n--) {
        size_t at = fuzz_byte(in) % len;

        text[at] = letters[fuzz_byte(in) % (sizeof(letters) - 1)];
    }
    check_reading(kin_str_make(text, len));
    /* Without the fraction, in Z. */
    text[19] = 'Z';
    check_reading(kin_str_make(text, 20));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};

    check_reading(fuzz_str(&in));
    check_changed(&in);
    kin_time t;
    t.seconds = (int64_t)fuzz_number(&in);
    t.nanoseconds = (int32_t)fuzz_number(&in);
    check_writing(t);
    return 0;
}
