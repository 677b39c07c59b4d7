/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading the headers of an answer.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "client/answer.h"
#include "oom.h"

static int give(kin__answer_reader *reader, const char *line)
{
    return kin__answer_reader_line(reader, kin_str_of(line));
}

static void reads_what_is_of_use(void **state)
{
    kin__answer_reader reader;

    (void)state;
    kin__answer_reader_init(&reader, 1000);
    assert_code(give(&reader, "HTTP/2 200 \r\n"), 0);
    assert_code(give(&reader, "CONTENT-type:  Application/JSON;stream=watch\r\n"), 0);
    assert_code(give(&reader, "Content-Encoding: GZIP\r\n"), 0);
    assert_code(give(&reader, "Retry-After: 3\r\n"), 0);
    assert_code(give(&reader, "Warning: 299 - \"x\"\r\n"), 0);
    assert_code(give(&reader, "no colon\r\n"), 0);
    assert_false(reader.complete);
    assert_code(give(&reader, "\r\n"), 0);
    assert_true(reader.complete);
    assert_true(reader.is_gzip);
    assert_true(reader.answer.is_http2);
    assert_int_equal(reader.answer.status, 200);
    assert_string_equal(reader.answer.content_type, "application/json");
    assert_int_equal(reader.answer.retry_after_ms, 3000);
    assert_int_equal(reader.answer.n_warnings, 1);
    assert_string_equal(reader.answer.warnings[0], "299 - \"x\"");
    /* Trailers change nothing. */
    assert_code(give(&reader, "Retry-After: 9\r\n"), 0);
    assert_int_equal(reader.answer.retry_after_ms, 3000);
    kin__answer_reader_done(&reader);
}

static void knows_whether_the_body_has_an_end_of_its_own(void **state)
{
    static const struct {
        const char *line;
        bool is_delimited;
    } cases[] = {
        {"Content-Length: 0\r\n", true},
        {"transfer-encoding: Chunked\r\n", true},
        {"Transfer-Encoding: gzip , chunked\r\n", true},
        {"Transfer-Encoding: chunked, gzip\r\n", false},
        {"Transfer-Encoding:\r\n", false},
        {"Connection: close\r\n", false},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__answer_reader reader;

        kin__answer_reader_init(&reader, 1000);
        assert_code(give(&reader, "HTTP/1.1 200 OK\r\n"), 0);
        assert_false(reader.answer.is_delimited);
        assert_code(give(&reader, cases[i].line), 0);
        assert_int_equal(reader.answer.is_delimited, cases[i].is_delimited);
        kin__answer_reader_done(&reader);
    }
}

static void forgets_interim_answers(void **state)
{
    kin__answer_reader reader;

    (void)state;
    kin__answer_reader_init(&reader, 1000);
    assert_code(give(&reader, "HTTP/1.1 103 Early Hints\r\n"), 0);
    assert_code(give(&reader, "Warning: 299 - \"x\"\r\n"), 0);
    assert_code(give(&reader, "Content-Type: a/b\r\n"), 0);
    assert_code(give(&reader, "\r\n"), 0);
    assert_false(reader.complete);
    assert_code(give(&reader, "HTTP/1.1 404 Not Found\r\n"), 0);
    assert_code(give(&reader, "\r\n"), 0);
    assert_true(reader.complete);
    assert_int_equal(reader.answer.status, 404);
    assert_int_equal(reader.answer.n_warnings, 0);
    assert_string_equal(reader.answer.content_type, "");
    assert_int_equal(reader.answer.retry_after_ms, -1);
    kin__answer_reader_done(&reader);
}

static void refuses_what_is_no_answer(void **state)
{
    static const char *const lines[] = {"HTTP/1.1\r\n", "HTTP/1.1 ok\r\n", "HTTP/1.1 99 x\r\n",
                                        "HTTP/1.1 1000 x\r\n", "Content-Type: a/b\r\n"};
    kin__answer_reader reader;

    (void)state;
    for (size_t i = 0; i < kin__array_len(lines); i++) {
        kin__answer_reader_init(&reader, 1000);
        assert_code(give(&reader, lines[i]), KIN_EPROTOCOL);
        kin__answer_reader_done(&reader);
    }
    kin__answer_reader_init(&reader, 1000);
    assert_code(give(&reader, "HTTP/1.1 200 OK\r\n"), 0);
    assert_code(give(&reader, "Content-Length: 5\r\n"), 0);
    assert_code(give(&reader, "Content-Length: 5\r\n"), 0);
    assert_code(give(&reader, "Content-Length: 6\r\n"), KIN_EPROTOCOL);
    kin__answer_reader_done(&reader);
}

static void counts_every_byte(void **state)
{
    kin__answer_reader reader;

    (void)state;
    kin__answer_reader_init(&reader, 17 + 3);
    assert_code(give(&reader, "HTTP/1.1 200 OK\r\n"), 0);
    assert_code(give(&reader, "A:b"), 0);
    assert_code(give(&reader, "\n"), KIN_ELIMIT);
    assert_code(give(&reader, ""), 0);
    kin__answer_reader_done(&reader);
}

static void bounds_what_it_keeps(void **state)
{
    kin__answer_reader reader;
    char line[KIN__ANSWER_WARNING_BYTES_MAX + 32];

    (void)state;
    kin__answer_reader_init(&reader, SIZE_MAX);
    assert_code(give(&reader, "HTTP/1.1 200 OK\r\n"), 0);
    memset(line, 'x', sizeof(line));
    memcpy(line, "Warning: ", 9);
    assert_code(
        kin__answer_reader_line(&reader, kin_str_make(line, 9 + KIN__ANSWER_WARNING_BYTES_MAX + 1)),
        0);
    assert_int_equal(reader.answer.n_warnings, 0);
    assert_code(
        kin__answer_reader_line(&reader, kin_str_make(line, 9 + KIN__ANSWER_WARNING_BYTES_MAX)), 0);
    assert_int_equal(reader.answer.n_warnings, 1);
    for (int i = 0; i < 2 * KIN__ANSWER_WARNINGS_MAX; i++)
        assert_code(give(&reader, "Warning: x"), 0);
    assert_int_equal(reader.answer.n_warnings, KIN__ANSWER_WARNINGS_MAX);
    memcpy(line, "Content-Type:", 13);
    assert_code(kin__answer_reader_line(&reader, kin_str_make(line, 1000)), 0);
    assert_int_equal(strlen(reader.answer.content_type), sizeof(reader.answer.content_type) - 1);
    assert_code(give(&reader, "Retry-After: 99999999999\r\n"), 0);
    assert_int_equal(reader.answer.retry_after_ms, 86400 * 1000);
    reader.answer.retry_after_ms = -1;
    assert_code(give(&reader, "Retry-After: -1\r\n"), 0);
    assert_code(give(&reader, "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n"), 0);
    assert_int_equal(reader.answer.retry_after_ms, -1);
    kin__answer_reader_done(&reader);
}

static void names_the_host_of_a_location(void **state)
{
    static const struct {
        const char *location;
        const char *host;
    } cases[] = {
        {"https://a.example/x", "a.example"},
        {"https://a.example:8443?x", "a.example:8443"},
        {"//b.example", "b.example"},
        {"https://me:hush@a.example/@x", "a.example"},
        {"https://me:hu@sh@a.example/", "a.example"},
        {"/only/a/path", ""},
        {"", ""},
        {"https://a\x01\xff", "a??"},
    };

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin__answer_reader reader;
        char host[64];

        kin__answer_reader_init(&reader, 1000);
        snprintf(reader.location, sizeof(reader.location), "%s", cases[i].location);
        kin__answer_location_host(&reader, host, sizeof(host));
        assert_string_equal(host, cases[i].host);
        kin__answer_location_host(&reader, host, 2);
        assert_true(strlen(host) < 2);
    }
}

static int read_warnings(void *arg, kin_error *err)
{
    kin__answer_reader reader;
    int code;

    (void)arg;
    kin__answer_reader_init(&reader, 1000);
    code = give(&reader, "HTTP/1.1 200 OK\r\n");
    for (int i = 0; i < 3 && code == 0; i++)
        code = give(&reader, "Warning: x");
    kin__answer_reader_done(&reader);
    return code == 0 ? 0 : kin_error_set(err, code, "no memory");
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(read_warnings, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_whether_the_body_has_an_end_of_its_own),
        cmocka_unit_test(reads_what_is_of_use),
        cmocka_unit_test(forgets_interim_answers),
        cmocka_unit_test(refuses_what_is_no_answer),
        cmocka_unit_test(counts_every_byte),
        cmocka_unit_test(bounds_what_it_keeps),
        cmocka_unit_test(names_the_host_of_a_location),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
