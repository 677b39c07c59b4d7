/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libcurl's codes become.
 */
#include "kin_test.h"

#include <string.h>

#include "base/compiler.h"
#include "client/curl_error.h"

static const struct {
    CURLcode curl_code;
    const char *detail;
    int code;
    const char *message;
} cases[] = {
    {CURLE_COULDNT_RESOLVE_HOST, "Could not resolve host: a", KIN_ECONNECT,
     "https://s: the name is unknown: Could not resolve host: a"},
    {CURLE_COULDNT_RESOLVE_PROXY, "", KIN_ECONNECT, "https://s: the proxy's name is unknown"},
    {CURLE_COULDNT_CONNECT, "refused ", KIN_ECONNECT, "https://s: no connection: refused"},
    {CURLE_OPERATION_TIMEDOUT, "x", KIN_ECONNECT, "https://s: no connection in time"},
    {CURLE_PARTIAL_FILE, "x", KIN_ECONNECT, "https://s: the connection was lost within the answer"},
    {CURLE_HTTP2, "x", KIN_ECONNECT, "https://s: the HTTP/2 connection broke down"},
    {CURLE_HTTP2_STREAM, "x", KIN_ECONNECT, "https://s: the server reset the HTTP/2 stream"},
    {CURLE_GOT_NOTHING, "", KIN_ECONNECT, "https://s: the connection was closed without an answer"},
    {CURLE_SEND_ERROR, "Send failure: Broken pipe", KIN_ECONNECT,
     "https://s: the connection was lost while sending"},
    {CURLE_SEND_FAIL_REWIND, "", KIN_ECONNECT, "https://s: the connection was lost while sending"},
    {CURLE_RECV_ERROR, "Recv failure: Connection reset by peer", KIN_ECONNECT,
     "https://s: the connection was lost"},
    {CURLE_RECV_ERROR,
     "OpenSSL SSL_read: error:0A00045C:SSL routines::tlsv13 alert certificate required, errno 0",
     KIN_ETLS,
     "https://s: the server refused the TLS connection: OpenSSL SSL_read: error:0A00045C:SSL "
     "routines::tlsv13 alert certificate required, errno 0"},
    {CURLE_RECV_ERROR, "Illegal or missing hexadecimal sequence in chunked-encoding", KIN_EPROTOCOL,
     "https://s: the answer's chunks are broken"},
    {CURLE_RECV_ERROR, "Too large response headers: 5 > 4", KIN_ELIMIT,
     "https://s: the answer's headers are too long"},
    {CURLE_SSL_CONNECT_ERROR, "error:0A000102:SSL routines::unsupported protocol", KIN_ETLS,
     "https://s: the TLS handshake failed: error:0A000102:SSL routines::unsupported protocol"},
    {CURLE_SSL_CONNECT_ERROR, "OpenSSL SSL_connect: Connection reset by peer in connection to a:1 ",
     KIN_ECONNECT, "https://s: the connection was lost in the TLS handshake"},
    {CURLE_SSL_CONNECT_ERROR, "Recv failure: Connection reset by peer", KIN_ECONNECT,
     "https://s: the connection was lost in the TLS handshake"},
    {CURLE_PEER_FAILED_VERIFICATION, "SSL certificate problem: certificate has expired", KIN_ETLS,
     "https://s: the certificate is not trusted: SSL certificate problem: certificate has expired"},
    {CURLE_SSL_CERTPROBLEM, "", KIN_ETLS, "https://s: our certificate or key is unusable"},
    {CURLE_SSL_CACERT_BADFILE, "", KIN_ETLS, "https://s: the CA certificates are unusable"},
    {CURLE_UNSUPPORTED_PROTOCOL, "Received HTTP/0.9 when not allowed", KIN_EPROTOCOL,
     "https://s: the answer is not HTTP"},
    {CURLE_WEIRD_SERVER_REPLY, "Invalid status line hush", KIN_EPROTOCOL,
     "https://s: the answer is not HTTP"},
    {CURLE_OUT_OF_MEMORY, "", KIN_ENOMEM, "https://s: out of memory"},
    {CURLE_URL_MALFORMAT, "hush", KIN_EINVAL, "https://s: not a usable URL"},
    {CURLE_LDAP_CANNOT_BIND, "hush", KIN_ESYSTEM, "https://s: LDAP: cannot bind"},
};

static void says_what_and_where(void **state)
{
    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(kin__curl_error(&err, cases[i].curl_code, cases[i].detail, 111, "https://s"),
                    cases[i].code);
        assert_code(err.code, cases[i].code);
        assert_string_equal(err.message, cases[i].message);
        assert_int_equal(err.os_error, 111);
        assert_code(kin__curl_error(NULL, cases[i].curl_code, cases[i].detail, 0, "https://s"),
                    cases[i].code);
    }
}

static void keeps_lost_connections_retriable(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin__curl_error(&err, CURLE_RECV_ERROR, "", 0, "s");
    assert_int_equal(err.flags, KIN_ERROR_RETRIABLE);
    kin__curl_error(&err, CURLE_PEER_FAILED_VERIFICATION, "", 0, "s");
    assert_int_equal(err.flags, KIN_ERROR_FATAL);
}

static void prints_what_came_from_elsewhere_in_one_line(void **state)
{
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    kin__curl_error(&err, CURLE_COULDNT_CONNECT, "a\r\nb\x1b[0m\xff", 0, "s");
    assert_string_equal(err.message, "s: no connection: a??b?[0m?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(says_what_and_where),
        cmocka_unit_test(keeps_lost_connections_retriable),
        cmocka_unit_test(prints_what_came_from_elsewhere_in_one_line),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
