/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of CURLcodes.
 *
 * Some of libcurl's codes stand for two things that differ for a caller who thinks of trying again:
 * a handshake that failed because the two sides do not get along, and one whose connection was lost.
 * libcurl tells them apart in its text only, so that is looked at. Where the text does not match, the
 * first meaning is taken: failing for good is noticed, retrying for ever is not.
 */
#include "client/curl_error.h"

#include <string.h>

#include "base/compiler.h"

/* libcurl's text is of some use for these; it has names of hosts and reasons of TLS. */
enum { OWN_TEXT, CURLS_TEXT };

static const struct known {
    CURLcode curl_code;
    int code;
    int text;
    const char *reason;
} known[] = {
    {CURLE_UNSUPPORTED_PROTOCOL, KIN_EPROTOCOL, OWN_TEXT, "the answer is not HTTP"},
    {CURLE_URL_MALFORMAT, KIN_EINVAL, OWN_TEXT, "not a usable URL"},
    {CURLE_COULDNT_RESOLVE_PROXY, KIN_ECONNECT, CURLS_TEXT, "the proxy's name is unknown"},
    {CURLE_COULDNT_RESOLVE_HOST, KIN_ECONNECT, CURLS_TEXT, "the name is unknown"},
    {CURLE_COULDNT_CONNECT, KIN_ECONNECT, CURLS_TEXT, "no connection"},
    {CURLE_WEIRD_SERVER_REPLY, KIN_EPROTOCOL, OWN_TEXT, "the answer is not HTTP"},
    {CURLE_HTTP2, KIN_ECONNECT, OWN_TEXT, "the HTTP/2 connection broke down"},
    {CURLE_HTTP2_STREAM, KIN_ECONNECT, OWN_TEXT, "the server reset the HTTP/2 stream"},
    {CURLE_PARTIAL_FILE, KIN_ECONNECT, OWN_TEXT, "the connection was lost within the answer"},
    {CURLE_OUT_OF_MEMORY, KIN_ENOMEM, OWN_TEXT, "out of memory"},
    {CURLE_OPERATION_TIMEDOUT, KIN_ECONNECT, OWN_TEXT, "no connection in time"},
    {CURLE_SSL_CONNECT_ERROR, KIN_ETLS, CURLS_TEXT, "the TLS handshake failed"},
    {CURLE_PEER_FAILED_VERIFICATION, KIN_ETLS, CURLS_TEXT, "the certificate is not trusted"},
    {CURLE_SSL_CERTPROBLEM, KIN_ETLS, CURLS_TEXT, "our certificate or key is unusable"},
    {CURLE_SSL_CIPHER, KIN_ETLS, CURLS_TEXT, "no cipher in common"},
    {CURLE_SSL_CACERT_BADFILE, KIN_ETLS, CURLS_TEXT, "the CA certificates are unusable"},
    {CURLE_SSL_ISSUER_ERROR, KIN_ETLS, CURLS_TEXT, "the issuer of the certificate is not trusted"},
    {CURLE_SSL_CRL_BADFILE, KIN_ETLS, CURLS_TEXT, "the revocation list is unusable"},
    {CURLE_SSL_INVALIDCERTSTATUS, KIN_ETLS, CURLS_TEXT, "the certificate's status is invalid"},
    {CURLE_SSL_PINNEDPUBKEYNOTMATCH, KIN_ETLS, CURLS_TEXT, "another public key"},
    {CURLE_SSL_CLIENTCERT, KIN_ETLS, CURLS_TEXT, "the server wants a client certificate"},
    {CURLE_USE_SSL_FAILED, KIN_ETLS, CURLS_TEXT, "no TLS"},
    {CURLE_SSL_ENGINE_NOTFOUND, KIN_ETLS, OWN_TEXT, "no TLS engine"},
    {CURLE_SSL_ENGINE_SETFAILED, KIN_ETLS, OWN_TEXT, "no TLS engine"},
    {CURLE_SSL_ENGINE_INITFAILED, KIN_ETLS, OWN_TEXT, "no TLS engine"},
    {CURLE_SEND_ERROR, KIN_ECONNECT, OWN_TEXT, "the connection was lost while sending"},
    {CURLE_SEND_FAIL_REWIND, KIN_ECONNECT, OWN_TEXT, "the connection was lost while sending"},
    {CURLE_RECV_ERROR, KIN_ECONNECT, OWN_TEXT, "the connection was lost"},
    {CURLE_GOT_NOTHING, KIN_ECONNECT, OWN_TEXT, "the connection was closed without an answer"},
    {CURLE_ABORTED_BY_CALLBACK, KIN_ECONNECT, OWN_TEXT,
     "the connection was lost, and the request may not be sent twice"},
    {CURLE_NO_CONNECTION_AVAILABLE, KIN_ECONNECT, OWN_TEXT, "no connection is free"},
    {CURLE_AGAIN, KIN_ECONNECT, OWN_TEXT, "the connection is not ready"},
    {CURLE_PROXY, KIN_ECONNECT, OWN_TEXT, "the proxy refused"},
    {CURLE_BAD_CONTENT_ENCODING, KIN_EPROTOCOL, OWN_TEXT, "the answer's encoding is broken"},
    {CURLE_RANGE_ERROR, KIN_EPROTOCOL, OWN_TEXT, "an answer to another question"},
    {CURLE_TOO_MANY_REDIRECTS, KIN_EPROTOCOL, OWN_TEXT, "redirected"},
    {CURLE_UNRECOVERABLE_POLL, KIN_ESYSTEM, OWN_TEXT, "waiting for sockets failed"},
};

static bool has(const char *detail, const char *text)
{
    return strstr(detail, text) != NULL;
}

static struct known find(CURLcode curl_code)
{
    for (size_t i = 0; i < kin__array_len(known); i++) {
        if (known[i].curl_code == curl_code)
            return known[i];
    }
    return (struct known){curl_code, KIN_ESYSTEM, OWN_TEXT, curl_easy_strerror(curl_code)};
}

/* The second meanings. */
static void look_closer(struct known *what, const char *detail)
{
    switch (what->curl_code) {
    case CURLE_SSL_CONNECT_ERROR:
        if (has(detail, "SSL_connect:") || has(detail, "unexpected eof") ||
            has(detail, "Recv failure") || has(detail, "Send failure")) {
            what->code = KIN_ECONNECT;
            what->text = OWN_TEXT;
            what->reason = "the connection was lost in the TLS handshake";
        }
        break;
    case CURLE_RECV_ERROR:
    case CURLE_SEND_ERROR:
        /* With TLS 1.3 a server refuses our certificate only when we have sent the request. */
        if (has(detail, "SSL routines") && has(detail, " alert ")) {
            what->code = KIN_ETLS;
            what->text = CURLS_TEXT;
            what->reason = "the server refused the TLS connection";
        } else if (has(detail, "chunked-encoding") || has(detail, "Chunked")) {
            what->code = KIN_EPROTOCOL;
            what->reason = "the answer's chunks are broken";
        } else if (has(detail, "proxy") || has(detail, "CONNECT tunnel")) {
            what->reason = "the proxy gave no tunnel";
        } else if (has(detail, "Too large response headers")) {
            what->code = KIN_ELIMIT;
            what->reason = "the answer's headers are too long";
        }
        break;
    default:
        break;
    }
}

/* libcurl's text may carry what the other side sent: one printable line of it. */
static void copy_printable(char *ret, size_t size, const char *text)
{
    size_t n = 0;

    for (; text[n] && n + 1 < size; n++) {
        ret[n] = '?';
        if (text[n] >= ' ' && text[n] < 0x7f)
            ret[n] = text[n];
    }
    while (n > 0 && ret[n - 1] == ' ')
        n--;
    ret[n] = '\0';
}

int kin__curl_error(kin_error *err, CURLcode curl_code, const char *detail, int os_error,
                    const char *server)
{
    struct known what = find(curl_code);
    char text[CURL_ERROR_SIZE];

    look_closer(&what, detail);
    copy_printable(text, sizeof(text), detail);
    if (what.text == CURLS_TEXT && text[0])
        kin_error_set(err, what.code, "%s: %s: %s", server, what.reason, text);
    else
        kin_error_set(err, what.code, "%s: %s", server, what.reason);
    if (err)
        err->os_error = os_error;
    return what.code;
}
