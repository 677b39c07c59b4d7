/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The headers of an answer from any lines: what is kept is bounded and of the form that those who
 * read it rely on, however the lines end and however their names are written. What follows from them,
 * warnings and the time of another try, keeps to its bounds as well.
 *
 * The first byte says how much is taken at most, the second of which attempt it is the answer; the
 * rest is lines.
 */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/str.h"
#include "base/utf8.h"
#include "client/answer.h"
#include "client/headers.h"
#include "client/retry.h"
#include "client/warnings.h"
#include "fuzz.h"
#include "kinform/memory.h"

#define DAY_MS INT64_C(86400000)

/* --- lines, as they came and otherwise --- */

/* How a second reader is given them. */
enum manner { AS_THEY_ARE, WITHOUT_ENDS, IN_CAPITALS };

/* The length of the name in front of a colon; 0 in one that is, or would become, a status line. */
static size_t name_len(kin_str line)
{
    const char *colon = line.len ? memchr(line.data, ':', line.len) : NULL;
    bool is_status = line.len >= 5 && strncasecmp(line.data, "HTTP/", 5) == 0;

    return colon && !is_status ? (size_t)(colon - line.data) : 0;
}

/* One line in a block of its exact size. */
static int give(kin__answer_reader *reader, kin_str line, enum manner manner)
{
    char *block;
    int code;

    if (manner != AS_THEY_ARE)
        line = kin__str_trim(line);
    block = malloc(line.len + (line.len == 0));
    FUZZ_CHECK(block != NULL);
    if (line.len)
        memcpy(block, line.data, line.len);
    for (size_t i = 0; manner == IN_CAPITALS && i < name_len(line); i++)
        block[i] = (char)toupper((unsigned char)block[i]);
    code = kin__answer_reader_line(reader, kin_str_make(block, line.len));
    free(block);
    return code;
}

static kin_str next_line(fuzz_input *in)
{
    const uint8_t *end = in->len ? memchr(in->data, '\n', in->len) : NULL;
    size_t len = end ? (size_t)(end - in->data) + 1 : in->len;
    kin_str line = kin_str_make((const char *)in->data, len);

    in->data += len;
    in->len -= len;
    return line;
}

/* --- what holds after each line --- */

static void check_content_type(const char *type)
{
    size_t len = strnlen(type, sizeof(((kin__answer *)NULL)->content_type));

    FUZZ_CHECK(len < sizeof(((kin__answer *)NULL)->content_type));
    FUZZ_CHECK(!strchr(type, ';'));
    FUZZ_CHECK(len == 0 || (type[0] != ' ' && type[0] != '\t'));
    for (size_t i = 0; i < len; i++)
        FUZZ_CHECK(!(type[i] >= 'A' && type[i] <= 'Z'));
}

static void check_location(const kin__answer_reader *reader)
{
    char host[32];

    kin__answer_location_host(reader, host, sizeof(host));
    FUZZ_CHECK(strnlen(host, sizeof(host)) < sizeof(host));
    for (const char *p = host; *p; p++)
        FUZZ_CHECK(*p > ' ' && *p < 0x7f && *p != '@' && *p != '/');
    FUZZ_CHECK(reader->location[0] || !host[0]);
}

static void check_reader(const kin__answer_reader *reader)
{
    const kin__answer *answer = &reader->answer;

    FUZZ_CHECK(reader->bytes <= reader->max_bytes);
    FUZZ_CHECK(answer->status == 0 || (answer->status >= 100 && answer->status <= 999));
    FUZZ_CHECK(!reader->complete || answer->status >= 200 || answer->status == 101);
    FUZZ_CHECK(answer->retry_after_ms >= -1 && answer->retry_after_ms <= DAY_MS);
    FUZZ_CHECK(answer->retry_after_ms < 0 || answer->retry_after_ms % 1000 == 0);
    FUZZ_CHECK(reader->length >= -1);
    FUZZ_CHECK(answer->n_warnings <= KIN__ANSWER_WARNINGS_MAX);
    for (size_t i = 0; i < answer->n_warnings; i++)
        FUZZ_CHECK(strlen(answer->warnings[i]) <= KIN__ANSWER_WARNING_BYTES_MAX);
    check_content_type(answer->content_type);
    check_location(reader);
}

static void check_same(const kin__answer_reader *a, const kin__answer_reader *b)
{
    FUZZ_CHECK(a->answer.status == b->answer.status && a->complete == b->complete);
    FUZZ_CHECK(a->answer.is_http2 == b->answer.is_http2);
    FUZZ_CHECK(strcmp(a->answer.content_type, b->answer.content_type) == 0);
    FUZZ_CHECK(a->answer.retry_after_ms == b->answer.retry_after_ms && a->length == b->length);
    FUZZ_CHECK(a->is_gzip == b->is_gzip && a->is_encoded == b->is_encoded);
    FUZZ_CHECK(strcmp(a->location, b->location) == 0);
    FUZZ_CHECK(a->answer.n_warnings == b->answer.n_warnings);
    for (size_t i = 0; i < a->answer.n_warnings; i++)
        FUZZ_CHECK(strcmp(a->answer.warnings[i], b->answer.warnings[i]) == 0);
}

/* --- reading --- */

static int read_all(kin__answer_reader *reader, fuzz_input in, size_t max_bytes, enum manner manner)
{
    int code = 0;

    kin__answer_reader_init(reader, max_bytes);
    while (code == 0 && in.len > 0) {
        kin__answer_reader before = *reader;

        code = give(reader, next_line(&in), manner);
        FUZZ_CHECK(code == 0 || code == KIN_EPROTOCOL || code == KIN_ELIMIT);
        /* Trailers count, and say nothing. */
        if (before.complete) {
            FUZZ_CHECK(code != KIN_EPROTOCOL);
            check_same(&before, reader);
        }
        check_reader(reader);
    }
    return code;
}

/* --- what follows from it --- */

static void see_warning(kin_str text, void *arg)
{
    size_t *n = arg;

    FUZZ_CHECK(text.len <= 4096 && kin__utf8_check(text.data, text.len));
    ++*n;
}

static void tell_warnings(const kin__answer *answer, kin_warning_fn *fn, void *arg)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin__warnings warnings;

    options.warning = fn;
    options.warning_arg = arg;
    kin__warnings_init(&warnings, &options, NULL);
    for (size_t i = 0; i < answer->n_warnings; i++)
        kin__warnings_take(&warnings, kin_str_of(answer->warnings[i]));
    /* Told, each time, or remembered, each once. */
    FUZZ_CHECK(fn ? kin__map_len(&warnings.seen) == 0 : kin__map_len(&warnings.seen) <= 256);
    if (!fn)
        FUZZ_CHECK((kin__map_len(&warnings.seen) > 0) == (*(size_t *)arg > 0));
    if (!fn)
        FUZZ_CHECK(kin__map_len(&warnings.seen) <= *(size_t *)arg);
    kin__warnings_done(&warnings, false);
}

static void check_retry(const kin__answer *answer, uint8_t choice)
{
    kin__attempt attempt = {
        .verb = (enum kin_verb)(KIN_VERB_GET + choice % 8),
        .retries = choice >> 4,
        .max_retries = kin__retry_max((choice & 8) ? 3 : 0),
        .http_status = answer->status,
        .retry_after_ms = answer->retry_after_ms,
        .was_sent = true,
    };
    int64_t delay = kin__retry_delay_ns(&attempt);

    /* Only a server that says when is asked again, and exactly then. */
    FUZZ_CHECK(delay == -1 || delay == answer->retry_after_ms * KIN__MILLISECOND);
    FUZZ_CHECK(delay == -1 || answer->status == 429 || answer->status >= 500);
    FUZZ_CHECK(delay == -1 || attempt.retries < attempt.max_retries);
}

/* Any text as the name of an attribute: a header's name that has all of it. */
static void check_extra_name(const uint8_t *data, size_t size)
{
    static const char prefix[] = "Impersonate-Extra-";
    char *key = malloc(size + 1);
    char *name = NULL;
    size_t at = 0;

    FUZZ_CHECK(key != NULL);
    if (size)
        memcpy(key, data, size);
    key[size] = '\0';
    FUZZ_CHECK(kin__headers_extra_name(&name, key) == 0);
    FUZZ_CHECK(strncmp(name, prefix, sizeof(prefix) - 1) == 0);
    for (const char *p = name + sizeof(prefix) - 1; *p; p++, at++) {
        unsigned byte = (unsigned char)*p;

        FUZZ_CHECK(byte > ' ' && byte < 0x7f && !strchr("\"(),/:;<=>?@[\\]{}", *p));
        if (*p == '%') {
            FUZZ_CHECK(sscanf(p + 1, "%2x", &byte) == 1);
            p += 2;
        }
        FUZZ_CHECK((unsigned char)key[at] == byte);
    }
    FUZZ_CHECK(key[at] == '\0');
    kin_free(name);
    free(key);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    size_t max_bytes = (size_t)fuzz_byte(&in) * 256;
    uint8_t choice = fuzz_byte(&in);
    kin__answer_reader reader;
    kin__answer_reader other;
    size_t n_told = 0;
    int code = read_all(&reader, in, max_bytes, AS_THEY_ARE);

    for (enum manner manner = WITHOUT_ENDS; manner <= IN_CAPITALS; manner++) {
        int otherwise = read_all(&other, in, max_bytes, manner);

        /* Without line ends more of them fit. */
        if (code != KIN_ELIMIT) {
            FUZZ_CHECK(code == otherwise);
            check_same(&reader, &other);
        }
        kin__answer_reader_done(&other);
    }
    tell_warnings(&reader.answer, see_warning, &n_told);
    tell_warnings(&reader.answer, NULL, &n_told);
    check_retry(&reader.answer, choice);
    kin__answer_reader_done(&reader);
    check_extra_name(in.data, in.len);
    return 0;
}
