/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS of the scripted server, as libcurl sees it: good certificates are taken, each bad one is
 * refused for its own reason, and the server knows what the client showed.
 */
#include "kin_test.h"

#include <openssl/ssl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "certificates.h"
#include "http_client.h"

static void say_hello(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    (void)request;
    (void)arg;
    kin_test_http_answer(conn, 200, "text/plain", "hello");
}

static kin_test_http *start(kin_test_tls tls)
{
    kin_test_http *server = NULL;

    kin_test_http_start(&server, &(kin_test_http_options){.handler = say_hello, .tls = tls});
    return server;
}

static kin_test_tls with(const kin_test_certificate *certificate)
{
    return (kin_test_tls){.certificate = certificate->certificate, .key = certificate->key};
}

static CURL *trusting(const kin_test_http *server, const kin_test_certificate *ca)
{
    CURL *easy = easy_new(server, "/x");

    curl_easy_setopt(easy, CURLOPT_CAINFO, ca->certificate_file);
    return easy;
}

static void show(CURL *easy, const kin_test_certificate *client)
{
    curl_easy_setopt(easy, CURLOPT_SSLCERT, client->certificate_file);
    curl_easy_setopt(easy, CURLOPT_SSLKEY, client->key_file);
}

/* One request and the end of the handle. */
static struct got finish(CURL *easy)
{
    struct got got = easy_get(easy);

    curl_easy_cleanup(easy);
    return got;
}

/* --- certificates of servers --- */

static void each_certificate_is_judged_right(void **state)
{
    const struct {
        const kin_test_certificate *certificate;
        const kin_test_certificate *ca;
        CURLcode code;
        long verdict; /* OpenSSL's, where it has one */
    } cases[] = {
        {&kin_test_group_pki->server, &kin_test_group_pki->ca, CURLE_OK, X509_V_OK},
        {&kin_test_group_pki->rotated, &kin_test_group_pki->ca, CURLE_OK, X509_V_OK},
        {&kin_test_group_pki->chained, &kin_test_group_pki->ca, CURLE_OK, X509_V_OK},
        {&kin_test_group_pki->other_server, &kin_test_group_pki->other_ca, CURLE_OK, X509_V_OK},
        {&kin_test_group_pki->self_signed, &kin_test_group_pki->self_signed, CURLE_OK, X509_V_OK},
        {&kin_test_group_pki->expired, &kin_test_group_pki->ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_CERT_HAS_EXPIRED},
        {&kin_test_group_pki->not_yet, &kin_test_group_pki->ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_CERT_NOT_YET_VALID},
        /* The name is judged by libcurl itself, and OpenSSL is not asked any more. */
        {&kin_test_group_pki->wrong_host, &kin_test_group_pki->ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_UNSPECIFIED},
        {&kin_test_group_pki->self_signed, &kin_test_group_pki->ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT},
        {&kin_test_group_pki->other_server, &kin_test_group_pki->ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY},
        {&kin_test_group_pki->server, &kin_test_group_pki->other_ca, CURLE_PEER_FAILED_VERIFICATION,
         X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_http *server = start(with(cases[i].certificate));
        CURL *easy = trusting(server, cases[i].ca);
        struct got got = easy_get(easy);
        long verdict = 0;

        curl_easy_getinfo(easy, CURLINFO_SSL_VERIFYRESULT, &verdict);
        if (got.code != cases[i].code || verdict != cases[i].verdict)
            fail_msg("case %zu: %s, verdict %ld", i, curl_easy_strerror(got.code), verdict);
        curl_easy_cleanup(easy);
        got_done(&got);
        kin_test_http_await_open(server, 0);
        kin_test_http_counts counts = kin_test_http_count(server);

        /* A name that does not fit is seen by the client after the handshake. */
        assert_int_equal(counts.requests, cases[i].code == CURLE_OK ? 1 : 0);
        assert_int_equal(counts.handshakes + counts.failed_handshakes, 1);
        kin_test_http_stop(server);
    }
}

static void the_server_sees_name_and_protocol(void **state)
{
    char resolve[128];
    char url[128];
    kin_test_http *server = start(with(&kin_test_group_pki->server));
    CURL *easy = trusting(server, &kin_test_group_pki->ca);
    struct curl_slist *names = NULL;

    (void)state;
    snprintf(resolve, sizeof(resolve), "kin.example:%u:127.0.0.1", kin_test_http_port(server));
    snprintf(url, sizeof(url), "https://kin.example:%u/x", kin_test_http_port(server));
    names = curl_slist_append(NULL, resolve);
    curl_easy_setopt(easy, CURLOPT_RESOLVE, names);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    struct got got = finish(easy);

    assert_int_equal(got.code, CURLE_OK);
    kin_test_http_connection seen = kin_test_http_connection_at(server, 0);

    assert_true(seen.secure);
    assert_string_equal(seen.sni, "kin.example");
    assert_string_equal(seen.alpn, "http/1.1");
    assert_string_equal(seen.alpn_offered, "h2,http/1.1");
    assert_string_equal(seen.tls_version, "TLSv1.3");
    assert_string_equal(seen.client_subject, "");
    assert_string_equal(seen.tls_error, "");
    got_done(&got);
    curl_slist_free_all(names);
    kin_test_http_stop(server);
}

static void alpn_may_be_left_unanswered(void **state)
{
    kin_test_tls tls = with(&kin_test_group_pki->server);

    (void)state;
    tls.alpn = "";
    kin_test_http *server = start(tls);
    struct got got = finish(trusting(server, &kin_test_group_pki->ca));

    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(kin_test_http_connection_at(server, 0).alpn, "");
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- certificates of clients --- */

static void clients_are_asked_for_certificates(void **state)
{
    const struct {
        const kin_test_certificate *client;
        bool required;
        bool taken;
        const char *subject;
    } cases[] = {
        {&kin_test_group_pki->client, true, true, "O = testers, CN = client"},
        {&kin_test_group_pki->client_rotated, true, true, "O = testers, CN = client-rotated"},
        {&kin_test_group_pki->client, false, true, "O = testers, CN = client"},
        {NULL, false, true, ""},
        {NULL, true, false, ""},
        {&kin_test_group_pki->client_expired, true, false, ""},
        {&kin_test_group_pki->other_client, true, false, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_tls tls = with(&kin_test_group_pki->server);

        tls.client_ca = kin_test_group_pki->ca.certificate;
        tls.require_client_certificate = cases[i].required;
        kin_test_http *server = start(tls);
        CURL *easy = trusting(server, &kin_test_group_pki->ca);

        if (cases[i].client)
            show(easy, cases[i].client);
        struct got got = finish(easy);

        assert_int_equal(got.code == CURLE_OK, cases[i].taken);
        kin_test_http_await_open(server, 0);
        kin_test_http_connection seen = kin_test_http_connection_at(server, 0);

        assert_int_equal(seen.secure, cases[i].taken);
        assert_string_equal(seen.client_subject, cases[i].subject);
        assert_int_equal(seen.tls_error[0] != '\0', !cases[i].taken);
        got_done(&got);
        kin_test_http_stop(server);
    }
}

/* --- versions --- */

static void versions_are_as_asked_for(void **state)
{
    const struct {
        int min, max;
        long client; /* what it insists on at least */
        bool agreed;
        const char *version;
    } cases[] = {
        {0, TLS1_2_VERSION, CURL_SSLVERSION_TLSv1_2, true, "TLSv1.2"},
        {TLS1_3_VERSION, 0, CURL_SSLVERSION_TLSv1_2, true, "TLSv1.3"},
        {0, TLS1_2_VERSION, CURL_SSLVERSION_TLSv1_3, false, ""},
        {TLS1_VERSION, TLS1_1_VERSION, CURL_SSLVERSION_TLSv1_2, false, ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_tls tls = with(&kin_test_group_pki->server);

        tls.min_version = cases[i].min;
        tls.max_version = cases[i].max;
        kin_test_http *server = start(tls);
        CURL *easy = trusting(server, &kin_test_group_pki->ca);

        curl_easy_setopt(easy, CURLOPT_SSLVERSION, cases[i].client);
        struct got got = finish(easy);

        assert_int_equal(got.code, cases[i].agreed ? CURLE_OK : CURLE_SSL_CONNECT_ERROR);
        assert_string_equal(kin_test_http_connection_at(server, 0).tls_version, cases[i].version);
        got_done(&got);
        kin_test_http_stop(server);
    }
}

static void old_versions_are_spoken_if_asked_for(void **state)
{
    kin_test_tls tls = with(&kin_test_group_pki->server);

    (void)state;
    tls.min_version = TLS1_VERSION;
    tls.max_version = TLS1_1_VERSION;
    kin_test_http *server = start(tls);
    CURL *easy = trusting(server, &kin_test_group_pki->ca);

    curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_0);
    curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT:@SECLEVEL=0");
    struct got got = finish(easy);

    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(kin_test_http_connection_at(server, 0).tls_version, "TLSv1.1");
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- fates --- */

static void handshakes_end_as_they_are_told(void **state)
{
    static const struct {
        kin_test_tls_fate fate;
        CURLcode codes[2];
    } cases[] = {
        {KIN_TEST_TLS_REFUSED, {CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CONNECT_ERROR}},
        {KIN_TEST_TLS_CLOSED, {CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CONNECT_ERROR}},
        {KIN_TEST_TLS_RESET, {CURLE_SSL_CONNECT_ERROR, CURLE_RECV_ERROR}},
        {KIN_TEST_TLS_GARBAGE, {CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CONNECT_ERROR}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin_test_tls tls = with(&kin_test_group_pki->server);

        tls.fate = cases[i].fate;
        kin_test_http *server = start(tls);
        struct got got = finish(trusting(server, &kin_test_group_pki->ca));

        if (got.code != cases[i].codes[0] && got.code != cases[i].codes[1])
            fail_msg("case %zu: %d %s", i, (int)got.code, curl_easy_strerror(got.code));
        kin_test_http_await_closed(server, 1);
        assert_int_equal(kin_test_http_count(server).failed_handshakes, 1);
        assert_int_equal(kin_test_http_count(server).handshakes, 0);
        assert_string_equal(kin_test_http_connection_at(server, 0).alpn_offered, "h2,http/1.1");
        got_done(&got);
        kin_test_http_stop(server);
    }
}

static void *finish_in_thread(void *arg)
{
    struct got *got = malloc(sizeof(*got));

    if (got)
        *got = easy_get(arg);
    return got;
}

static void a_handshake_stalls_until_it_is_released(void **state)
{
    kin_test_tls tls = with(&kin_test_group_pki->server);
    pthread_t thread;
    void *result = NULL;

    (void)state;
    tls.fate = KIN_TEST_TLS_STALLED;
    kin_test_http *server = start(tls);
    CURL *easy = trusting(server, &kin_test_group_pki->ca);

    assert_int_equal(pthread_create(&thread, NULL, finish_in_thread, easy), 0);
    kin_test_http_await_stalled(server, 1);
    assert_int_equal(kin_test_http_count(server).handshakes, 0);
    kin_test_http_release(server, 1);
    pthread_join(thread, &result);
    struct got *got = result;

    assert_non_null(got);
    assert_int_equal(got->code, CURLE_OK);
    assert_string_equal(got->body, "hello");
    got_done(got);
    free(got);
    curl_easy_cleanup(easy);
    kin_test_http_stop(server);
}

static void a_stalled_handshake_is_left_by_the_client(void **state)
{
    kin_test_tls tls = with(&kin_test_group_pki->server);

    (void)state;
    tls.fate = KIN_TEST_TLS_STALLED;
    kin_test_http *server = start(tls);
    CURL *easy = trusting(server, &kin_test_group_pki->ca);

    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, 50L);
    struct got got = finish(easy);

    assert_int_equal(got.code, CURLE_OPERATION_TIMEDOUT);
    kin_test_http_await_open(server, 0);
    assert_true(kin_test_http_connection_at(server, 0).left_by_client);
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- Rotation, sessions, ends --- */

static void certificates_rotate(void **state)
{
    kin_test_http *server = start(with(&kin_test_group_pki->server));
    CURL *easy = trusting(server, &kin_test_group_pki->ca);
    kin_test_tls other = with(&kin_test_group_pki->other_server);
    struct got got = easy_get(easy);

    (void)state;
    assert_int_equal(got.code, CURLE_OK);
    got_done(&got);
    kin_test_http_set_tls(server, &other);
    got = easy_get(easy); /* the connection that is there goes on */
    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.connects, 0);
    got_done(&got);
    kin_test_http_close_connections(server);
    kin_test_http_await_open(server, 0);
    got = easy_get(easy);
    assert_int_equal(got.code, CURLE_PEER_FAILED_VERIFICATION);
    got_done(&got);
    curl_easy_setopt(easy, CURLOPT_CAINFO, kin_test_group_pki->other_ca.certificate_file);
    got = finish(easy);
    assert_int_equal(got.code, CURLE_OK);
    got_done(&got);
    kin_test_http_stop(server);
}

static void sessions_are_used_again(void **state)
{
    kin_test_http *server = start(with(&kin_test_group_pki->server));
    CURL *easy = trusting(server, &kin_test_group_pki->ca);

    (void)state;
    curl_easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
    for (int i = 0; i < 3; i++) {
        struct got got = easy_get(easy);

        assert_int_equal(got.code, CURLE_OK);
        got_done(&got);
    }
    curl_easy_cleanup(easy);
    assert_int_equal(kin_test_http_count(server).connections, 3);
    assert_int_equal(kin_test_http_count(server).sessions_reused, 2);
    assert_false(kin_test_http_connection_at(server, 0).session_reused);
    assert_true(kin_test_http_connection_at(server, 2).session_reused);
    kin_test_http_stop(server);
}

/* Without a length the end of the body is the end of the connection: with TLS it can be told. */
static void an_end_without_goodbye_is_a_truncation(void **state)
{
    static const char head[] = "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nsome";
    SSL_CTX *context = SSL_CTX_new(TLS_client_method());

    (void)state;
    for (int i = 0; i < 2; i++) {
        kin_test_http *server = start(with(&kin_test_group_pki->server));

        kin_test_http_add_route(
            server, &(kin_test_http_route){.body = "some",
                                           .content_type = "",
                                           .shape = i == 0 ? KIN_TEST_HTTP_UNTIL_CLOSE
                                                           : KIN_TEST_HTTP_SHORT_ABANDON});
        int fd = raw_connect(server);
        SSL *ssl = SSL_new(context);
        char bytes[512];
        size_t len = 0;
        int n = 0;

        SSL_set_fd(ssl, fd);
        assert_int_equal(SSL_connect(ssl), 1);
        assert_true(SSL_write(ssl, "GET / HTTP/1.1\r\n\r\n", 18) == 18);
        while ((n = SSL_read(ssl, bytes + len, (int)(sizeof(bytes) - len - 1))) > 0)
            len += (size_t)n;
        bytes[len] = '\0';
        if (i == 0)
            assert_string_equal(bytes, head);
        assert_int_equal(SSL_get_error(ssl, n), i == 0 ? SSL_ERROR_ZERO_RETURN : SSL_ERROR_SSL);
        SSL_free(ssl);
        close(fd);
        kin_test_http_stop(server);
    }
    SSL_CTX_free(context);
}

static void a_piece_is_a_record(void **state)
{
    kin_test_http *server = start(with(&kin_test_group_pki->server));
    CURL *easy = trusting(server, &kin_test_group_pki->ca);

    (void)state;
    kin_test_http_add_route(
        server, &(kin_test_http_route){.body = "0123456789", .split = 1, .target = "/x"});
    struct got got = finish(easy);

    assert_int_equal(got.code, CURLE_OK);
    assert_string_equal(got.body, "0123456789");
    assert_int_equal(got.writes, 10);
    got_done(&got);
    kin_test_http_stop(server);
}

/* --- files --- */

static void files_hold_the_texts_and_go_away(void **state)
{
    kin_test_pki *own = NULL;
    char folder[256];
    char text[8192] = "";

    (void)state;
    kin_test_pki_new(&own);
    snprintf(folder, sizeof(folder), "%s", own->folder);
    kin_test_replace_file(own->client.key_file, own->client_rotated.key);
    FILE *file = fopen(own->client.key_file, "re");

    assert_non_null(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, own->client_rotated.key);
    assert_string_not_equal(own->client.key, own->client_rotated.key);
    kin_test_pki_free(own);
    assert_int_equal(access(folder, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_certificate_is_judged_right),
        cmocka_unit_test(the_server_sees_name_and_protocol),
        cmocka_unit_test(alpn_may_be_left_unanswered),
        cmocka_unit_test(clients_are_asked_for_certificates),
        cmocka_unit_test(versions_are_as_asked_for),
        cmocka_unit_test(old_versions_are_spoken_if_asked_for),
        cmocka_unit_test(handshakes_end_as_they_are_told),
        cmocka_unit_test(a_handshake_stalls_until_it_is_released),
        cmocka_unit_test(a_stalled_handshake_is_left_by_the_client),
        cmocka_unit_test(certificates_rotate),
        cmocka_unit_test(sessions_are_used_again),
        cmocka_unit_test(an_end_without_goodbye_is_a_truncation),
        cmocka_unit_test(a_piece_is_a_record),
        cmocka_unit_test(files_hold_the_texts_and_go_away),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);

    curl_global_cleanup();
    return failed;
}
