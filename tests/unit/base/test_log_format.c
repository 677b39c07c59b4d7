/* SPDX-License-Identifier: Apache-2.0 */
/*
 * write() below takes the place of the C library's, so that tests can count the calls
 * that a line takes, and make them fail.
 */
#include "kin_test.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "alloc.h"
#include "base/compiler.h"
#include "base/log.h"
#include "base/utf8.h"
#include "child.h"
#include "rng.h"

/* --- a write() that can be watched --- */

static struct {
    bool on; /* standard error goes here; used by tests of one thread only */
    unsigned calls;
    unsigned failures; /* this many calls fail first, with this errno: */
    int os_error;
    size_t len;
    char data[16384];
} captured;

ssize_t write(int fd, const void *data, size_t len)
{
    if (fd != STDERR_FILENO || !captured.on)
        return syscall(SYS_write, fd, data, len);
    captured.calls++;
    if (captured.failures > 0) {
        captured.failures--;
        errno = captured.os_error;
        return -1;
    }
    memcpy(captured.data + captured.len, data, len);
    captured.len += len;
    return (ssize_t)len;
}

/* kin_log_to_stderr(), with the first calls of write() failing. */
static void capture_line(const kin_log_record *record, unsigned failures, int os_error)
{
    memset(&captured, 0, sizeof(captured));
    captured.failures = failures;
    captured.os_error = os_error;
    captured.on = true;
    kin_log_to_stderr(record, NULL);
    captured.on = false;
}

/* --- lines: the whole --- */

static kin_log_record record_of(const kin_log_field *fields, size_t n_fields)
{
    const kin_log_record record = {
        .size = sizeof(record),
        .level = KIN_LOG_WARN,
        .component = "reflector",
        .message = "watch ended early",
        .fields = fields,
        .n_fields = n_fields,
        .unix_ns = INT64_C(1794775800123456789),
    };

    return record;
}

#define LINE_START "2026-11-15T20:50:00.123456Z warn reflector: watch ended early"

static char formatted[1024];

static const char *format(const kin_log_record *record)
{
    size_t len = kin_log_format(record, formatted, sizeof(formatted));

    assert_true(len < sizeof(formatted));
    assert_int_equal(strlen(formatted), len);
    return formatted;
}

static void a_line_has_time_level_component_message_and_fields(void **state)
{
    const kin_log_field fields[] = {KIN__LOG_S("kind", "pods"), KIN__LOG_I("events", 0)};
    kin_log_record record = record_of(fields, 2);

    (void)state;
    assert_string_equal(format(&record), LINE_START " kind=pods events=0");
    record.n_fields = 1;
    assert_string_equal(format(&record), LINE_START " kind=pods");
}

static void a_line_needs_no_fields(void **state)
{
    kin_log_record record = record_of(NULL, 0);

    (void)state;
    assert_string_equal(format(&record), LINE_START);
}

static void a_line_names_its_level(void **state)
{
    static const char *const names[] = {"off", "error", "warn", "info", "debug", "trace", "?"};

    (void)state;
    for (unsigned level = 0; level < kin__array_len(names); level++) {
        kin_log_record record = record_of(NULL, 0);
        char expected[128];

        record.level = (kin_log_level)level;
        snprintf(expected, sizeof(expected),
                 "2026-11-15T20:50:00.123456Z %s reflector: watch ended early", names[level]);
        assert_string_equal(format(&record), expected);
    }
}

/* --- lines: values --- */

/* The text of one field's value. */
static const char *value_of(kin_log_field field)
{
    kin_log_record record = record_of(&field, 1);

    return format(&record) + strlen(LINE_START " k=");
}

static const char *text_of_double(double value)
{
    return value_of(KIN__LOG_D("k", value));
}

static const char *text_of_bytes(const char *data, size_t len)
{
    return value_of(KIN__LOG_V("k", kin_str_make(data, len)));
}

static void whole_numbers_are_written_over_their_whole_range(void **state)
{
    (void)state;
    assert_string_equal(value_of(KIN__LOG_I("k", 0)), "0");
    assert_string_equal(value_of(KIN__LOG_I("k", -1)), "-1");
    assert_string_equal(value_of(KIN__LOG_I("k", INT64_MAX)), "9223372036854775807");
    assert_string_equal(value_of(KIN__LOG_I("k", INT64_MIN)), "-9223372036854775808");
    assert_string_equal(value_of(KIN__LOG_U("k", 0)), "0");
    assert_string_equal(value_of(KIN__LOG_U("k", UINT64_MAX)), "18446744073709551615");
}

static void fractions_are_written_short(void **state)
{
    (void)state;
    assert_string_equal(text_of_double(0), "0");
    assert_string_equal(text_of_double(-0.0), "-0");
    assert_string_equal(text_of_double(0.1), "0.1");
    assert_string_equal(text_of_double(-2.5), "-2.5");
    assert_string_equal(text_of_double(1e100), "1e+100");
    assert_string_equal(text_of_double(0.123456789), "0.123456789");
    assert_string_equal(text_of_double(0.1234567891), "0.123456789");
    assert_string_equal(text_of_double(-DBL_MAX), "-1.79769313e+308");
    assert_string_equal(text_of_double(-DBL_TRUE_MIN), "-4.94065646e-324");
    assert_string_equal(text_of_double(INFINITY), "inf");
    assert_string_equal(text_of_double(-INFINITY), "-inf");
    assert_non_null(strstr(text_of_double(NAN), "nan"));
}

static void truth_values_are_words(void **state)
{
    (void)state;
    assert_string_equal(value_of(KIN__LOG_B("k", true)), "true");
    assert_string_equal(value_of(KIN__LOG_B("k", false)), "false");
}

/* Of a newer program, or forgotten. */
static void a_value_of_unknown_type_is_a_question_mark(void **state)
{
    kin_log_field field = KIN__LOG_I("k", 7);

    (void)state;
    field.type = (kin_log_type)0;
    assert_string_equal(value_of(field), "?");
    field.type = (kin_log_type)99;
    assert_string_equal(value_of(field), "?");
}

static void texts_are_quoted_and_escaped_where_needed(void **state)
{
    static const struct {
        const char *data;
        size_t len;
        const char *expected;
    } rows[] = {
#define ROW(data, expected) {data, sizeof(data) - 1, expected}
        ROW("", "\"\""),
        ROW("pods", "pods"),
        ROW("default/web-7:http.v1_2@x", "default/web-7:http.v1_2@x"),
        ROW("two words", "\"two words\""),
        ROW("a=b", "\"a=b\""),
        ROW("say \"hi\"", "\"say \\\"hi\\\"\""),
        ROW("a\\b", "\"a\\\\b\""),
        ROW("\"", "\"\\\"\""),
        ROW("a\nb", "\"a\\nb\""),
        ROW("a\tb", "\"a\\tb\""),
        ROW("a\rb", "\"a\\x0db\""),
        ROW("a\0b", "\"a\\x00b\""),
        ROW("\x1b[2J", "\"\\x1b[2J\""),
        ROW("\x1f", "\"\\x1f\""),
        ROW("\x7f", "\"\\x7f\""),
        /* Well-formed UTF-8 stands as it is ... */
        ROW("caf\xc3\xa9", "\"caf\xc3\xa9\""),
        ROW("\xc2\xa0", "\"\xc2\xa0\""),
        ROW("\xc3\x80", "\"\xc3\x80\""),
        ROW("\xe2\x82\xac", "\"\xe2\x82\xac\""),
        ROW("\xf0\x9f\x98\x80", "\"\xf0\x9f\x98\x80\""),
        /* ... but for the C1 control characters, and what is not well-formed does not. */
        ROW("\xc2\x80", "\"\\xc2\\x80\""),
        ROW("\xc2\x85", "\"\\xc2\\x85\""),
        ROW("\xc2\x9b\x32J", "\"\\xc2\\x9b2J\""),
        ROW("\xc2\x9f", "\"\\xc2\\x9f\""),
        /* hidden: overrides of the direction, marks, zero width, separators, tags */
        ROW("\xe2\x80\xae"
            "b\xe2\x80\xac",
            "\"\\xe2\\x80\\xaeb\\xe2\\x80\\xac\""),
        ROW("\xd8\x9c", "\"\\xd8\\x9c\""),
        ROW("a\xe2\x80\x8b", "\"a\\xe2\\x80\\x8b\""),
        ROW("\xe2\x80\xa8", "\"\\xe2\\x80\\xa8\""),
        ROW("\xef\xbb\xbf", "\"\\xef\\xbb\\xbf\""),
        ROW("\xf3\xa0\x81\x81", "\"\\xf3\\xa0\\x81\\x81\""),
        ROW("\xe2\x80\x90", "\"\xe2\x80\x90\""),
        ROW("\xff", "\"\\xff\""),
        ROW("\x80", "\"\\x80\""),
        ROW("\xe2\x82", "\"\\xe2\\x82\""),
        ROW("\xe2\x82x", "\"\\xe2\\x82x\""),
        ROW("\xc0\x8a", "\"\\xc0\\x8a\""),
        ROW("\xed\xa0\x80", "\"\\xed\\xa0\\x80\""),
        ROW("\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\""),
#undef ROW
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        assert_string_equal(text_of_bytes(rows[i].data, rows[i].len), rows[i].expected);
    assert_string_equal(text_of_bytes(NULL, 0), "\"\"");
}

static void every_single_byte_is_plain_or_quoted(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char byte = (char)c;
        bool plain = c > ' ' && c < 0x7f && c != '"' && c != '\\' && c != '=';
        const char *text = text_of_bytes(&byte, 1);

        if (plain) {
            assert_int_equal(strlen(text), 1);
            assert_int_equal(text[0], byte);
        } else {
            assert_true(strlen(text) >= 3);
            assert_int_equal(text[0], '"');
            assert_int_equal(text[strlen(text) - 1], '"');
        }
    }
}

/* --- lines: nothing is forged, nothing is lost --- */

/* Whether a terminal and a reader of lines are safe from the text. */
static bool is_harmless(const char *text)
{
    for (size_t n = strlen(text), i = 0; i < n;) {
        size_t len = kin__utf8_char_len(text + i, n - i);
        unsigned char c = (unsigned char)text[i];

        if (len == 0 || c < 0x20 || c == 0x7f)
            return false;
        if (c == 0xc2 && (unsigned char)text[i + 1] < 0xa0)
            return false;
        if (kin__utf8_is_hidden(text + i, len))
            return false;
        i += len;
    }
    return true;
}

static unsigned hex_digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Takes the quotes and escapes off again; the length of what was behind them. */
static size_t unquote(const char *text, char *out)
{
    size_t n = 0;

    if (text[0] != '"') {
        memcpy(out, text, strlen(text));
        return strlen(text);
    }
    for (const char *p = text + 1; *p != '"'; p++) {
        assert_true(*p != '\0');
        if (*p != '\\') {
            out[n++] = *p;
            continue;
        }
        switch (*++p) {
        case 'n':
            out[n++] = '\n';
            break;
        case 't':
            out[n++] = '\t';
            break;
        case 'x':
            out[n++] = (char)(hex_digit(p[1]) * 16 + hex_digit(p[2]));
            p += 2;
            break;
        default:
            out[n++] = *p;
            break;
        }
    }
    return n;
}

static void any_bytes_can_be_read_back_from_a_harmless_line(void **state)
{
    static const unsigned char likely[] = {
        0x00, 0x0a, 0x1b, ' ',  '"',  '\\', 'n',  'x',  '=',  0x7f,
        0x80, 0x85, 0x9f, 0xa0, 0xc2, 0xe2, 0x82, 0xac, 0xff, 0xae,
    };
    kin_test_rng rng = {17};

    (void)state;
    for (int i = 0; i < 20000; i++) {
        char data[12];
        char back[64];
        size_t len = kin_test_below(&rng, sizeof(data) + 1);

        for (size_t j = 0; j < len; j++)
            data[j] = (char)likely[kin_test_below(&rng, sizeof(likely))];
        const char *text = text_of_bytes(data, len);
        if (!is_harmless(formatted))
            fail_msg("not harmless: %s", text);
        assert_int_equal(unquote(text, back), len);
        assert_memory_equal(back, data, len);
    }
}

static void no_part_of_a_record_can_forge_a_line(void **state)
{
    const kin_log_field field = {
        "key\n\x1b", KIN_LOG_STR, {.str = {"value\n2026-01-01 error forged", 29}}};
    kin_log_record record = record_of(&field, 1);

    (void)state;
    record.component = "comp\nonent\xff";
    record.message = "mes\r\nsage \"quoted\" \\ \xc2\x85";
    assert_string_equal(format(&record), "2026-11-15T20:50:00.123456Z warn comp\\nonent\\xff: "
                                         "mes\\x0d\\nsage \\\"quoted\\\" \\\\ \\xc2\\x85 "
                                         "key\\n\\x1b=\"value\\n2026-01-01 error forged\"");
    assert_true(is_harmless(formatted));
}

/* --- lines: time --- */

static const char *time_of(int64_t unix_ns)
{
    kin_log_record record = record_of(NULL, 0);

    record.unix_ns = unix_ns;
    format(&record);
    char *end = strchr(formatted, ' ');
    assert_non_null(end);
    *end = '\0';
    return formatted;
}

#define SECOND INT64_C(1000000000)

static void time_is_written_in_utc_with_microseconds(void **state)
{
    static const struct {
        int64_t unix_ns;
        const char *expected;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000000Z"},
        /* What is less than a microsecond is cut off, never rounded up. */
        {1, "1970-01-01T00:00:00.000000Z"},
        {999, "1970-01-01T00:00:00.000000Z"},
        {1000, "1970-01-01T00:00:00.000001Z"},
        {1999, "1970-01-01T00:00:00.000001Z"},
        {999999999, "1970-01-01T00:00:00.999999Z"},
        {SECOND, "1970-01-01T00:00:01.000000Z"},
        /* Before 1970 as well: towards the past. */
        {-1, "1969-12-31T23:59:59.999999Z"},
        {-1000, "1969-12-31T23:59:59.999999Z"},
        {-1001, "1969-12-31T23:59:59.999998Z"},
        {-999999999, "1969-12-31T23:59:59.000000Z"},
        {-SECOND, "1969-12-31T23:59:59.000000Z"},
        {-SECOND - 1, "1969-12-31T23:59:58.999999Z"},
        {-86400 * SECOND, "1969-12-31T00:00:00.000000Z"},
        /* Leap days: in 2024 and 2000, not in 2100. */
        {1709164800 * SECOND, "2024-02-29T00:00:00.000000Z"},
        {1709251199 * SECOND + 999999999, "2024-02-29T23:59:59.999999Z"},
        {1709251200 * SECOND, "2024-03-01T00:00:00.000000Z"},
        {951782400 * SECOND, "2000-02-29T00:00:00.000000Z"},
        {4107542399 * SECOND, "2100-02-28T23:59:59.000000Z"},
        {4107542400 * SECOND, "2100-03-01T00:00:00.000000Z"},
        {1735689599 * SECOND, "2024-12-31T23:59:59.000000Z"},
        /* The ends of the range, but for the last second of the lower one. */
        {INT64_MAX, "2262-04-11T23:47:16.854775Z"},
        {-9223372036 * SECOND, "1677-09-21T00:12:44.000000Z"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(rows); i++)
        assert_string_equal(time_of(rows[i].unix_ns), rows[i].expected);
}

/* In a child: where UBSan watches, an overflow ends the process. */
static int format_the_first_instant(void *arg)
{
    (void)arg;
    return strcmp(time_of(INT64_MIN), "1677-09-21T00:12:43.145224Z") != 0;
}

static void the_first_instant_of_the_range_is_written(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, format_the_first_instant, NULL);
    if (child.exit_code != 0 || child.output[0])
        fail_msg("exit code %d, signal %d: %s", child.exit_code, child.signal, child.output);
}

/* The process's time zone is not ours to obey. */
static void time_does_not_depend_on_the_time_zone(void **state)
{
    const char *before = getenv("TZ");
    char saved[128];

    (void)state;
    snprintf(saved, sizeof(saved), "%s", before ? before : "");
    setenv("TZ", "XYZ-5:30", 1);
    const char *text = time_of(0);
    if (before)
        setenv("TZ", saved, 1);
    else
        unsetenv("TZ");
    assert_string_equal(text, "1970-01-01T00:00:00.000000Z");
}

/* --- lines: truncation --- */

/* Every size up to more than enough, in exactly as much memory, for ASan. */
static void a_cut_line_is_a_prefix_terminated_and_whole_characters(void **state)
{
    const kin_log_field fields[] = {
        KIN__LOG_S("city", "K\xc3\xb6ln"), KIN__LOG_S("price", "5 \xe2\x82\xac"),
        KIN__LOG_S("face", "\xf0\x9f\x98\x80\xf0\x9f\x98\x80"), KIN__LOG_B("ok", true)};
    kin_log_record record = record_of(fields, 4);
    char whole[256];
    size_t len = kin_log_format(&record, whole, sizeof(whole));

    (void)state;
    assert_int_equal(strlen(whole), len);
    for (size_t size = 1; size <= len + 3; size++) {
        char *buf = malloc(size);
        size_t expected = size > len ? len : size - 1;

        assert_non_null(buf);
        /* Back to the start of a character. */
        while (expected > 0 && ((unsigned char)whole[expected] & 0xc0) == 0x80)
            expected--;
        memset(buf, 0x5a, size);
        assert_int_equal(kin_log_format(&record, buf, size), len);
        assert_int_equal(strnlen(buf, size), expected);
        assert_memory_equal(buf, whole, expected);
        free(buf);
    }
}

static void without_a_buffer_the_length_is_told(void **state)
{
    kin_log_record record = record_of(NULL, 0);
    char buf[1] = {'x'};

    (void)state;
    assert_int_equal(kin_log_format(&record, NULL, 0), strlen(LINE_START));
    assert_int_equal(kin_log_format(&record, buf, 0), strlen(LINE_START));
    assert_int_equal(buf[0], 'x');
}

static void formatting_needs_no_memory(void **state)
{
    const kin_log_field field = KIN__LOG_D("k", 0.5);
    kin_log_record record = record_of(&field, 1);

    (void)state;
    kin_test_alloc_arm(1, KIN_TEST_FAIL_REST);
    format(&record);
    kin_test_alloc_disarm();
    assert_int_equal(kin_test_alloc_count(), 0);
}

/* --- standard error --- */

static void a_line_is_one_write_with_one_line_end(void **state)
{
    const kin_log_field field = KIN__LOG_S("kind", "po\nds");
    kin_log_record record = record_of(&field, 1);
    char expected[256];

    (void)state;
    snprintf(expected, sizeof(expected), "%s\n", format(&record));
    capture_line(&record, 0, 0);
    assert_int_equal(captured.calls, 1);
    assert_int_equal(captured.len, strlen(expected));
    assert_memory_equal(captured.data, expected, captured.len);
}

static void a_long_line_is_cut_and_still_ends(void **state)
{
    static const char *const characters[] = {"x", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"};

    (void)state;
    for (size_t c = 0; c < kin__array_len(characters); c++) {
        kin_log_record record = record_of(NULL, 0);
        size_t len = strlen(characters[c]);
        char message[8192];
        size_t n = 0;

        for (; n + len < sizeof(message); n += len)
            memcpy(message + n, characters[c], len);
        message[n] = '\0';
        record.message = message;
        capture_line(&record, 0, 0);
        assert_int_equal(captured.calls, 1);
        /* As much as a pipe takes in one piece, or nearly. */
        assert_in_range(captured.len, 4090, 4096);
        assert_ptr_equal(memchr(captured.data, '\n', captured.len),
                         captured.data + captured.len - 1);
        captured.data[captured.len - 1] = '\0';
        assert_int_equal(strlen(captured.data), captured.len - 1);
        assert_true(is_harmless(captured.data));
    }
}

/* The lengths around the limit: the line's end always finds its place. */
static void lines_around_the_limit_are_whole_or_cut(void **state)
{
    (void)state;
    for (size_t len = 4000; len < 4110; len++) {
        kin_log_record record = record_of(NULL, 0);
        char message[4200];

        memset(message, 'x', len);
        message[len] = '\0';
        record.message = message;
        size_t whole = kin_log_format(&record, NULL, 0);
        capture_line(&record, 0, 0);
        assert_int_equal(captured.len, whole + 1 < 4095 ? whole + 1 : 4095);
        assert_int_equal(captured.data[captured.len - 1], '\n');
        assert_int_equal(captured.data[captured.len - 2], 'x');
    }
}

static void an_interrupted_write_is_made_again(void **state)
{
    kin_log_record record = record_of(NULL, 0);

    (void)state;
    capture_line(&record, 3, EINTR);
    assert_int_equal(captured.calls, 4);
    assert_int_equal(captured.len, strlen(LINE_START "\n"));
    assert_memory_equal(captured.data, LINE_START "\n", captured.len);
}

static void a_line_that_can_not_be_written_is_dropped(void **state)
{
    kin_log_record record = record_of(NULL, 0);

    (void)state;
    capture_line(&record, 100, EAGAIN);
    assert_int_equal(captured.calls, 1);
    capture_line(&record, 100, EPIPE);
    assert_int_equal(captured.calls, 1);
}

static void logging_to_standard_error_keeps_errno(void **state)
{
    kin_log_record record = record_of(NULL, 0);

    (void)state;
    errno = E2BIG;
    capture_line(&record, 0, 0);
    assert_int_equal(errno, E2BIG);
    capture_line(&record, 1, EBADF);
    assert_int_equal(errno, E2BIG);
    capture_line(&record, 2, EINTR);
    assert_int_equal(errno, E2BIG);
}

static int log_two_lines(void *arg)
{
    kin_logger *logger;

    (void)arg;
    if (kin_logger_new(&logger, KIN_LOG_INFO, kin_log_to_stderr, NULL, NULL, NULL) < 0)
        return 1;
    kin__log(logger, KIN_LOG_INFO, "one", "first", KIN__LOG_I("n", 1));
    kin__log(logger, KIN_LOG_DEBUG, "one", "dropped", KIN__LOG_I("n", 2));
    kin__log(logger, KIN_LOG_ERROR, "two", "second", KIN__LOG_S("s", "a b"));
    kin_logger_unref(logger);
    return 0;
}

static void lines_reach_the_real_standard_error(void **state)
{
    kin_test_child child;

    (void)state;
    kin_test_run_child(&child, log_two_lines, NULL);
    assert_int_equal(child.exit_code, 0);
    char *second = strchr(child.output, '\n');
    assert_non_null(second);
    *second++ = '\0';
    assert_string_equal(strchr(child.output, ' '), " info one: first n=1");
    assert_string_equal(strchr(second, ' '), " error two: second s=\"a b\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_time_level_component_message_and_fields),
        cmocka_unit_test(a_line_needs_no_fields),
        cmocka_unit_test(a_line_names_its_level),
        cmocka_unit_test(whole_numbers_are_written_over_their_whole_range),
        cmocka_unit_test(fractions_are_written_short),
        cmocka_unit_test(truth_values_are_words),
        cmocka_unit_test(a_value_of_unknown_type_is_a_question_mark),
        cmocka_unit_test(texts_are_quoted_and_escaped_where_needed),
        cmocka_unit_test(every_single_byte_is_plain_or_quoted),
        cmocka_unit_test(any_bytes_can_be_read_back_from_a_harmless_line),
        cmocka_unit_test(no_part_of_a_record_can_forge_a_line),
        cmocka_unit_test(time_is_written_in_utc_with_microseconds),
        cmocka_unit_test(the_first_instant_of_the_range_is_written),
        cmocka_unit_test(time_does_not_depend_on_the_time_zone),
        cmocka_unit_test(a_cut_line_is_a_prefix_terminated_and_whole_characters),
        cmocka_unit_test(without_a_buffer_the_length_is_told),
        cmocka_unit_test(formatting_needs_no_memory),
        cmocka_unit_test(a_line_is_one_write_with_one_line_end),
        cmocka_unit_test(a_long_line_is_cut_and_still_ends),
        cmocka_unit_test(lines_around_the_limit_are_whole_or_cut),
        cmocka_unit_test(an_interrupted_write_is_made_again),
        cmocka_unit_test(a_line_that_can_not_be_written_is_dropped),
        cmocka_unit_test(logging_to_standard_error_keeps_errno),
        cmocka_unit_test(lines_reach_the_real_standard_error),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
