/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libmicrohttpd 0.9 parses a head in its read buffer: it terminates names, values and lines with NUL
 * bytes in place, and takes a NUL byte that was sent for the end of a string or, at the beginning of
 * a line, for the end of the head. It appends the second line of a folded header to the header's
 * name. So requests can look different to it than to a proxy in front of it.
 *
 * The strings that it passes on are in the buffer in the order in which they were received. The check
 * goes through them and requires that they follow each other with only separators between them.
 * Bytes that libmicrohttpd has skipped, and strings that it has moved, fail this check. A NUL byte
 * in place of the CR of a line's CRLF looks the same as the CR, and ends the line in the same place.
 */
#include "apiserver/http/http_head.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

#define ORIGIN "Origin"
#define SEC_FETCH_SITE "Sec-Fetch-Site"

/*
 * Since 1.0 libmicrohttpd refuses such heads itself, and edits its buffer in other ways. The loaded
 * library decides: 0.9 and 1.0 have the same soname.
 */
static bool is_parsed_in_place(void)
{
    return strncmp(MHD_get_version(), "0.", 2) == 0;
}

kin_str kin__http_header(struct MHD_Connection *mhd, const char *name)
{
    return kin__str_trim(kin_str_of(MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, name)));
}

static bool fail_head(kin__failure *failure, const char *message)
{
    return kin__fail(failure, 400, "BadRequest", "%s", message);
}

/* The headers, and how far they were found in the buffer. */
struct headers {
    const char *at;  /* the end of the string before */
    const char *end; /* of the head */
    bool is_contiguous;
    bool is_legal; /* names and values consist of the bytes that RFC 9110 allows */
    unsigned lengths;
    unsigned encodings;
    unsigned hosts;
    unsigned origins;
    unsigned sites;
};

static bool is_token(const char *text)
{
    static const char others[] = "!#$%&'*+-.^_`|~";

    if (!*text)
        return false;
    for (; *text; text++) {
        char lower = (char)(*text | 0x20);

        if ((lower < 'a' || lower > 'z') && (*text < '0' || *text > '9') && !strchr(others, *text))
            return false;
    }
    return true;
}

static bool is_value(const char *text)
{
    for (; *text; text++)
        if (((unsigned char)*text < ' ' && *text != '\t') || *text == 0x7f)
            return false;
    return true;
}

/* Whether there are from `least` to `most` bytes between the two, none of them other than NUL. */
static bool is_line_end(const char *from, const char *to, ptrdiff_t least, ptrdiff_t most)
{
    if (to - from < least || to - from > most)
        return false;
    while (from < to && *from == '\0')
        from++;
    return from == to;
}

/* Whether the value follows the name's terminator, after blanks at most. */
static bool is_value_of(const char *name, const char *value, const char *end)
{
    const char *at = name + strlen(name) + 1;

    if (value < at || value >= end)
        return false;
    while (at < value && (*at == ' ' || *at == '\t'))
        at++;
    return at == value;
}

static enum MHD_Result read_header(void *arg, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    struct headers *headers = arg;

    (void)kind;
    if (!value)
        value = "";
    headers->lengths += strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0;
    headers->encodings += strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0;
    headers->hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    headers->origins += strcasecmp(name, ORIGIN) == 0;
    headers->sites += strcasecmp(name, SEC_FETCH_SITE) == 0;
    headers->is_legal &= is_token(name) && is_value(value);
    headers->is_contiguous = headers->is_contiguous && is_line_end(headers->at, name, 1, 2) &&
                             is_value_of(name, value, headers->end);
    headers->at = value + strlen(value);
    return MHD_YES;
}

static void read_headers(struct headers *headers, const kin__http_head *head,
                         struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

    *headers = (struct headers){.at = head->version + strlen(head->version),
                                .end = head->method + (info ? info->header_size : 0),
                                .is_contiguous = true,
                                .is_legal = true};
    MHD_get_connection_values(mhd, MHD_HEADER_KIND, read_header, headers);
    headers->is_contiguous = headers->is_contiguous && is_line_end(headers->at, headers->end, 2, 4);
}

/*
 * The end of one body is the beginning of the next request, so that it must be unambiguous. Of an
 * encoding that it does not know libmicrohttpd thinks that the body lasts as long as the connection.
 */
static bool is_length_clear(const struct headers *headers, struct MHD_Connection *mhd)
{
    /* With the blanks after it, by which libmicrohttpd does not recognize "chunked". */
    const char *encoding =
        MHD_lookup_connection_value(mhd, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING);

    if (!encoding)
        return headers->lengths <= 1;
    return headers->encodings == 1 && headers->lengths == 0 && strcasecmp(encoding, "chunked") == 0;
}

static bool is_url(kin_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.data[i] <= ' ' || text.data[i] == 0x7f)
            return false;
    }
    return true;
}

/* Whether a terminator and blanks are all that is between the method and the URI. */
static bool is_method(const kin__http_head *head)
{
    return is_token(head->method) && is_value_of(head->method, head->url, head->version);
}

/* A URI that ends before the terminator in front of the version was cut by a NUL byte. */
static bool is_uri_whole(const kin__http_head *head)
{
    return head->version - head->url == (ptrdiff_t)head->uri_len + 1;
}

static bool check_bytes(const kin__http_head *head, const struct headers *headers,
                        kin__failure *failure)
{
    bool in_place = is_parsed_in_place();

    if (!is_url(head->path) || !is_url(head->query) || (in_place && !is_uri_whole(head)))
        return fail_head(failure, "the path holds bytes that no URL has");
    if (!headers->is_legal || (in_place && !headers->is_contiguous))
        return fail_head(failure, "a header is malformed");
    if (in_place && !is_method(head))
        return fail_head(failure, "the method is malformed");
    return true;
}

bool kin__http_head_check(const kin__http_head *head, struct MHD_Connection *mhd,
                          const kin__origin *own, kin__failure *failure)
{
    struct headers headers;

    read_headers(&headers, head, mhd);
    if (!check_bytes(head, &headers, failure))
        return false;
    if (!is_length_clear(&headers, mhd))
        return fail_head(failure, "the length of the body is not clear");
    /* HTTP/1.0 needs no Host. */
    if (headers.hosts == 0 && strcmp(head->version, MHD_HTTP_VERSION_1_0) != 0)
        return fail_head(failure, "missing required Host header");
    if (headers.hosts > 1)
        return fail_head(failure, "too many Host headers");
    if (headers.origins > 1 || headers.sites > 1)
        return fail_head(failure, "too many Origin or Sec-Fetch-Site headers");
    return kin__origin_check(own,
                             &(kin__origin_headers){kin__http_header(mhd, MHD_HTTP_HEADER_HOST),
                                                    kin__http_header(mhd, ORIGIN),
                                                    kin__http_header(mhd, SEC_FETCH_SITE)},
                             failure);
}
