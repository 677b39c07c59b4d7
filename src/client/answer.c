/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading headers.
 *
 * A status line begins an answer and forgets what an interim one (1xx) said. What is kept is bounded:
 * the bytes of all headers together by the caller's limit, the warnings by number and length.
 */
#include "client/answer.h"

#include <string.h>

#include "base/memory.h"
#include "base/str.h"

/* Longer waits are no use to anybody, and fit into every type behind this. */
#define RETRY_AFTER_MAX_S INT64_C(86400)

void kin__answer_reader_init(kin__answer_reader *reader, size_t max_bytes)
{
    memset(reader, 0, sizeof(*reader));
    reader->max_bytes = max_bytes;
    reader->answer.retry_after_ms = -1;
    reader->length = -1;
}

static void forget_warnings(kin__answer *answer)
{
    for (size_t i = 0; i < answer->n_warnings; i++)
        kin__free(answer->warnings[i]);
    kin__free(answer->warnings);
    answer->warnings = NULL;
    answer->n_warnings = 0;
}

void kin__answer_reader_done(kin__answer_reader *reader)
{
    forget_warnings(&reader->answer);
}

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

static bool equals_ignoring_case(kin_str s, const char *text)
{
    size_t i = 0;

    for (; i < s.len && text[i]; i++) {
        if (lower(s.data[i]) != text[i])
            return false;
    }
    return i == s.len && !text[i];
}

/* "HTTP/1.1 200 OK", "HTTP/2 200" */
static int read_status(kin__answer_reader *reader, kin_str line)
{
    kin_str version;
    kin_str number;
    int64_t status;
    size_t bytes = reader->bytes;

    kin__str_cut(&line, ' ', &version);
    if (!line.data)
        return KIN_EPROTOCOL;
    kin__str_cut(&line, ' ', &number);
    number = kin__str_trim(number);
    if (kin__str_to_i64(&status, number) < 0 || status < 100 || status > 999)
        return KIN_EPROTOCOL;

    forget_warnings(&reader->answer);
    kin__answer_reader_init(reader, reader->max_bytes);
    reader->bytes = bytes;
    reader->answer.status = (int)status;
    reader->answer.is_http2 = kin__str_starts_with(version, kin_str_of("HTTP/2"));
    return 0;
}

static void read_content_type(kin__answer *answer, kin_str value)
{
    kin_str type;

    kin__str_cut(&value, ';', &type);
    type = kin__str_trim(type);
    if (type.len >= sizeof(answer->content_type))
        type.len = sizeof(answer->content_type) - 1;
    for (size_t i = 0; i < type.len; i++)
        answer->content_type[i] = lower(type.data[i]);
    answer->content_type[type.len] = '\0';
}

/* Seconds; a date is as good as nothing, since the clocks of two machines differ. */
static void read_retry_after(kin__answer *answer, kin_str value)
{
    int64_t seconds;

    if (kin__str_to_i64(&seconds, value) < 0 || seconds < 0)
        return;
    if (seconds > RETRY_AFTER_MAX_S)
        seconds = RETRY_AFTER_MAX_S;
    answer->retry_after_ms = seconds * 1000;
}

static int read_warning(kin__answer *answer, kin_str value)
{
    if (answer->n_warnings == KIN__ANSWER_WARNINGS_MAX || value.len > KIN__ANSWER_WARNING_BYTES_MAX)
        return 0;
    char **all =
        kin__realloc_array(answer->warnings, answer->n_warnings + 1, sizeof(answer->warnings[0]));
    if (!all)
        return KIN_ENOMEM;
    answer->warnings = all;
    all[answer->n_warnings] = kin__memdup_str(value);
    if (!all[answer->n_warnings])
        return KIN_ENOMEM;
    answer->n_warnings++;
    return 0;
}

static void read_encoding(kin__answer_reader *reader, kin_str value)
{
    if (equals_ignoring_case(value, "gzip") || equals_ignoring_case(value, "x-gzip"))
        reader->is_gzip = true;
    else if (value.len > 0 && !equals_ignoring_case(value, "identity"))
        reader->is_encoded = true;
}

static void read_location(kin__answer_reader *reader, kin_str value)
{
    size_t len = value.len < sizeof(reader->location) ? value.len : sizeof(reader->location) - 1;

    if (len)
        memcpy(reader->location, value.data, len);
    reader->location[len] = '\0';
}

/* Two that differ make two answers of one, for whoever takes the other: nobody is to believe it. */
static int read_length(kin__answer_reader *reader, kin_str value)
{
    int64_t length;

    if (kin__str_to_i64(&length, value) < 0 || length < 0 ||
        (reader->length >= 0 && reader->length != length))
        return KIN_EPROTOCOL;
    reader->length = length;
    reader->answer.is_delimited = true;
    return 0;
}

/* Chunks are the last of several encodings, or they are not what ends the body. */
static void read_transfer_encoding(kin__answer *answer, kin_str value)
{
    kin_str part;

    while (value.data) {
        kin__str_cut(&value, ',', &part);
        answer->is_delimited = equals_ignoring_case(kin__str_trim(part), "chunked");
    }
}

static int read_header(kin__answer_reader *reader, kin_str line)
{
    kin_str name;

    kin__str_cut(&line, ':', &name);
    if (!line.data)
        return 0;
    kin_str value = kin__str_trim(line);

    if (equals_ignoring_case(name, "content-type"))
        read_content_type(&reader->answer, value);
    else if (equals_ignoring_case(name, "retry-after"))
        read_retry_after(&reader->answer, value);
    else if (equals_ignoring_case(name, "content-encoding"))
        read_encoding(reader, value);
    else if (equals_ignoring_case(name, "location"))
        read_location(reader, value);
    else if (equals_ignoring_case(name, "content-length"))
        return read_length(reader, value);
    else if (equals_ignoring_case(name, "transfer-encoding"))
        read_transfer_encoding(&reader->answer, value);
    else if (equals_ignoring_case(name, "warning"))
        return read_warning(&reader->answer, value);
    return 0;
}

int kin__answer_reader_line(kin__answer_reader *reader, kin_str line)
{
    if (line.len > reader->max_bytes - reader->bytes)
        return KIN_ELIMIT;
    reader->bytes += line.len;
    if (reader->complete)
        return 0;
    line = kin__str_trim(line);
    if (line.len == 0) {
        int status = reader->answer.status;

        reader->complete = status >= 200 || status == 101;
        return 0;
    }
    if (kin__str_starts_with(line, kin_str_of("HTTP/")))
        return read_status(reader, line);
    return reader->answer.status ? read_header(reader, line) : KIN_EPROTOCOL;
}

bool kin__answer_is_redirect(const kin__answer_reader *reader)
{
    switch (reader->answer.status) {
    case 301:
    case 302:
    case 303:
    case 307:
    case 308:
        return true;
    default:
        return false;
    }
}

void kin__answer_location_host(const kin__answer_reader *reader, char *ret, size_t size)
{
    const char *host = strstr(reader->location, "//");
    size_t n = 0;

    ret[0] = '\0';
    if (!host)
        return;
    host += 2;
    size_t len = strcspn(host, "/?#");
    /* A name and a password before the host are nobody's business. */
    for (size_t i = 0; i < len; i++) {
        if (host[i] == '@')
            n = i + 1;
    }
    host += n;
    len -= n;
    for (n = 0; n < len && n + 1 < size; n++) {
        ret[n] = '?';
        if (host[n] > ' ' && host[n] < 0x7f)
            ret[n] = host[n];
    }
    ret[n] = '\0';
}
