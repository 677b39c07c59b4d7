/* SPDX-License-Identifier: Apache-2.0 */
/* The server as its users have it. */
#include "kin_test.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "apiserver/http/tls.h"
#include "apiserver/kubeconfig_write.h"
#include "child.h"
#include "http_client.h"
#include "kinform/apiserver.h"
#include "kinform/memory.h"
#include "oom.h"
#include "server_support.h"

static kin_apiserver *start(const kin_apiserver_options *options)
{
    kin_apiserver *server = NULL;
    kin_error err = KIN_ERROR_INIT;

    if (kin_apiserver_new(&server, options, &err) < 0 || kin_apiserver_start(server, &err) < 0)
        fail_msg("%s", err.message);
    return server;
}

static CURL *easy_for(const kin_apiserver *server, const char *path)
{
    char url[256];
    CURL *easy = curl_easy_init();

    assert_non_null(easy);
    snprintf(url, sizeof(url), "%s%s", kin_apiserver_url(server), path);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)KIN_TEST_TIMEOUT_MS);
    return easy;
}

static void expect(const kin_apiserver *server, const char *path, long status)
{
    CURL *easy = easy_for(server, path);
    struct got got = easy_get(easy);

    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.status, status);
    got_done(&got);
    curl_easy_cleanup(easy);
}

static void test_life(void **state)
{
    kin_apiserver *server = NULL;
    char *text = NULL;

    (void)state;
    assert_code(kin_apiserver_new(NULL, NULL, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_new(&server, NULL, NULL), 0);
    assert_string_equal(kin_apiserver_url(server), "");
    assert_int_equal(kin_apiserver_port(server), 0);
    assert_code(kin_apiserver_kubeconfig(server, &text, NULL), KIN_EINVAL);
    kin_apiserver_stop(server);
    assert_code(kin_apiserver_start(server, NULL), 0);
    assert_code(kin_apiserver_start(server, NULL), KIN_EBUSY);
    assert_int_not_equal(kin_apiserver_port(server), 0);
    expect(server, "/healthz", 200);
    expect(server, "/livez", 200);
    expect(server, "/readyz", 200);
    expect(server, "/version", 200);
    expect(server, "/metrics", 200);
    expect(server, "/nothing", 404);
    kin_apiserver_stop(server);
    assert_code(kin_apiserver_start(server, NULL), 0);
    expect(server, "/version", 200);
    kin_apiserver_free(server);
    kin_apiserver_free(NULL);
    kin_apiserver_stop(NULL);
}

/* Nobody else gets the port meanwhile: it may be started again at any time. */
static void test_the_port_is_kept(void **state)
{
    kin_apiserver *server = start(NULL);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                                  .sin_port = htons(kin_apiserver_port(server))};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    (void)state;
    assert_true(fd >= 0);
    kin_apiserver_stop(server);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), -1);
    assert_int_equal(errno, ECONNREFUSED);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), -1);
    assert_int_equal(errno, EADDRINUSE);
    close(fd);
    assert_code(kin_apiserver_start(server, NULL), 0);
    assert_int_equal(kin_apiserver_port(server), ntohs(address.sin_port));
    expect(server, "/version", 200);
    kin_apiserver_free(server);
}

static void test_several(void **state)
{
    enum { N = 8 };
    kin_apiserver *servers[N];

    (void)state;
    for (int i = 0; i < N; i++)
        servers[i] = start(NULL);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++)
            assert_int_not_equal(kin_apiserver_port(servers[i]), kin_apiserver_port(servers[j]));
        expect(servers[i], "/version", 200);
    }
    /* A port that is taken. */
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver *other = NULL;
    options.port = kin_apiserver_port(servers[0]);
    assert_code(kin_apiserver_new(&other, &options, NULL), 0);
    assert_code(kin_apiserver_start(other, NULL), KIN_ESYSTEM);
    kin_apiserver_free(other);
    for (int i = 0; i < N; i++)
        kin_apiserver_free(servers[i]);
}

static void test_exposure(void **state)
{
    static const kin_apiserver_token token = {"secret", NULL, false};
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver *server = NULL;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    options.address = "0.0.0.0";
    assert_code(kin_apiserver_new(&server, &options, &err), KIN_EINVAL);
    assert_non_null(strstr(err.message, "allow_anonymous"));
    options.address = "::";
    assert_code(kin_apiserver_new(&server, &options, NULL), KIN_EINVAL);
    options.allow_anonymous = true;
    server = start(&options);
    expect(server, "/version", 200);
    kin_apiserver_free(server);
    options.allow_anonymous = false;
    options.address = "0.0.0.0";
    options.tokens = &token;
    options.n_tokens = 1;
    server = start(&options);
    expect(server, "/version", 401);
    kin_apiserver_free(server);
    options.address = "::1";
    options.n_tokens = 0;
    server = start(&options);
    assert_non_null(strstr(kin_apiserver_url(server), "http://[::1]:"));
    expect(server, "/version", 200);
    kin_apiserver_free(server);
}

static void test_wrong_options(void **state)
{
    kin_apiserver *server = NULL;

    (void)state;
    for (int i = 0; i < 8; i++) {
        kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

        options.size = i == 0 ? 0 : sizeof(options);
        options.address = i == 1 ? "nowhere" : NULL;
        options.idle_timeout_ms = i == 2 ? -1 : 0;
        options.threads = i == 3 ? 100000 : 0;
        options.max_header_bytes = i == 4 ? 10 : 0;
        options.cert_file = i == 5 || i == 6 ? "/x" : NULL;
        options.key_file = i == 6 ? "/x" : NULL;
        options.n_tokens = i == 7 ? 1 : 0;
        assert_code(kin_apiserver_new(&server, &options, NULL), KIN_EINVAL);
    }
    assert_null(server);
    assert_code(kin_apiserver_start(NULL, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_inject(NULL, NULL, NULL, NULL), KIN_EINVAL);
    assert_string_equal(kin_apiserver_url(NULL), "");
}

/* Sums and products with these would overflow. */
static void test_options_beyond_limits(void **state)
{
    kin_apiserver *server = NULL;

    (void)state;
    for (int i = 0; i < 5; i++) {
        kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

        options.max_body_bytes = i == 0 ? SIZE_MAX : 0;
        options.send_timeout_ms = i == 1 ? INT64_MAX : 0;
        options.bookmark_ms = i == 2 ? INT64_MAX : 0;
        options.watch_timeout_ms = i == 3 ? -1 : 0;
        options.first_version = i == 4 ? UINT64_MAX : 0;
        assert_code(kin_apiserver_new(&server, &options, NULL), KIN_EINVAL);
    }
}

/* --- TLS --- */

/* The CA that a kubeconfig holds, as a file that the caller removes. */
static void write_ca_of(const kin_apiserver *server, char *path)
{
    gnutls_datum_t pem = {NULL, 0};
    char *text = NULL;

    assert_code(kin_apiserver_kubeconfig(server, &text, NULL), 0);
    char *data = strstr(text, "certificate-authority-data: ");
    assert_non_null(data);
    data += strlen("certificate-authority-data: ");
    data[strcspn(data, "\n")] = '\0';
    const gnutls_datum_t base64 = {(unsigned char *)data, (unsigned)strlen(data)};
    assert_int_equal(gnutls_base64_decode2(&base64, &pem), 0);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, pem.data, pem.size), pem.size);
    close(fd);
    gnutls_free(pem.data);
    kin_free(text);
}

static void test_tls(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    static const long versions[] = {CURL_SSLVERSION_TLSv1_2 | CURL_SSLVERSION_MAX_TLSv1_2,
                                    CURL_SSLVERSION_TLSv1_3};

    (void)state;
    options.tls = true;
    kin_apiserver *server = start(&options);
    assert_non_null(strstr(kin_apiserver_url(server), "https://127.0.0.1:"));
    char ca[] = "/tmp/kin-apiserver-ca-XXXXXX";
    write_ca_of(server, ca);
    for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
        CURL *easy = easy_for(server, "/version");

        curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
        curl_easy_setopt(easy, CURLOPT_SSLVERSION, versions[i]);
        struct got got = easy_get(easy);
        assert_int_equal(got.code, CURLE_OK);
        assert_int_equal(got.status, 200);
        got_done(&got);
        curl_easy_cleanup(easy);
    }
    unlink(ca);

    /* Clients that do not trust it, speak something older, or no TLS at all. */
    CURL *easy = easy_for(server, "/version");
    struct got got = easy_get(easy);
    assert_int_equal(got.code, CURLE_PEER_FAILED_VERIFICATION);
    got_done(&got);
    curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT@SECLEVEL=0");
    curl_easy_setopt(easy, CURLOPT_SSLVERSION,
                     (long)CURL_SSLVERSION_TLSv1_1 | CURL_SSLVERSION_MAX_TLSv1_1);
    got = easy_get(easy);
    assert_int_equal(got.code, CURLE_SSL_CONNECT_ERROR);
    got_done(&got);
    curl_easy_cleanup(easy);
    int fd = kin_test_connect_port(kin_apiserver_port(server));
    char *rest = NULL;
    raw_send(fd, "GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n");
    raw_read_all(fd, &rest);
    assert_null(strstr(rest, "HTTP/1.1"));
    free(rest);
    close(fd);
    /* A handshake that never comes to its end does not hold up the end. */
    fd = kin_test_connect_port(kin_apiserver_port(server));
    raw_send(fd, "\x16\x03\x01");
    kin_apiserver_free(server);
    close(fd);
}

static void test_own_certificate(void **state)
{
    char folder[] = "/tmp/kin-apiserver-own-XXXXXX";
    char cert[64];
    char key[64];
    char ca[64];
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver *server = NULL;
    kin__address address;
    kin__tls tls;

    (void)state;
    options.tls = true;
    options.cert_file = "/nonexistent/cert";
    options.key_file = "/nonexistent/key";
    assert_code(kin_apiserver_new(&server, &options, NULL), KIN_ENOTFOUND);
    assert_non_null(mkdtemp(folder));
    snprintf(cert, sizeof(cert), "%s/cert", folder);
    snprintf(key, sizeof(key), "%s/key", folder);
    snprintf(ca, sizeof(ca), "%s/ca", folder);
    assert_code(kin__address_parse(&address, "127.0.0.1", 0, NULL), 0);
    assert_code(kin__tls_make(&tls, &address, kin_str_of(NULL), NULL), 0);
    assert_code(kin__file_replace(cert, kin_str_of(tls.cert), NULL), 0);
    assert_code(kin__file_replace(key, kin_str_of(tls.key), NULL), 0);
    assert_code(kin__file_replace(ca, kin_str_of(tls.ca), NULL), 0);
    options.cert_file = cert;
    options.key_file = key;
    options.ca_file = ca;
    server = start(&options);
    CURL *easy = easy_for(server, "/version");
    curl_easy_setopt(easy, CURLOPT_CAINFO, ca);
    struct got got = easy_get(easy);
    assert_int_equal(got.code, CURLE_OK);
    assert_int_equal(got.status, 200);
    got_done(&got);
    curl_easy_cleanup(easy);
    kin_apiserver_free(server);
    kin__tls_done(&tls);
    unlink(cert);
    unlink(key);
    unlink(ca);
    assert_int_equal(rmdir(folder), 0);
}

/* --- tokens and the kubeconfig --- */

static void test_kubeconfig_file(void **state)
{
    static const kin_apiserver_token tokens[] = {{"s3cret", NULL, false}, {"other", NULL, true}};
    char path[] = "/tmp/kin-apiserver-kubeconfig-XXXXXX";
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    char text[4096] = {0};

    (void)state;
    options.tokens = tokens;
    options.n_tokens = 2;
    kin_apiserver *server = start(&options);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    assert_code(kin_apiserver_write_kubeconfig(server, path, NULL), 0);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, text, sizeof(text) - 1) > 0);
    close(fd);
    unlink(path);
    assert_non_null(strstr(text, kin_apiserver_url(server)));
    assert_non_null(strstr(text, "token: \"s3cret\""));
    assert_null(strstr(text, "other"));
    expect(server, "/version", 401);
    kin_apiserver_free(server);
}

struct lines {
    pthread_mutex_t lock;
    char text[65536];
};

static void keep_line(const kin_log_record *record, void *arg)
{
    struct lines *lines = arg;
    size_t len = 0;

    pthread_mutex_lock(&lines->lock);
    len = strlen(lines->text);
    kin_log_format(record, lines->text + len, sizeof(lines->text) - len);
    pthread_mutex_unlock(&lines->lock);
}

static void test_tokens_are_never_logged(void **state)
{
    static const kin_apiserver_token token = {"s3cret", NULL, false};
    struct lines lines = {.lock = PTHREAD_MUTEX_INITIALIZER};
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_logger *logger = NULL;

    (void)state;
    assert_code(kin_logger_new(&logger, KIN_LOG_TRACE, keep_line, &lines, NULL, NULL), 0);
    options.logger = logger;
    options.tokens = &token;
    options.n_tokens = 1;
    kin_apiserver *server = start(&options);
    CURL *easy = easy_for(server, "/version");
    struct curl_slist *headers = curl_slist_append(NULL, "Authorization: Bearer s3cret");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    struct got got = easy_get(easy);
    assert_int_equal(got.status, 200);
    got_done(&got);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
    /* Nor with a request that makes no sense. */
    int fd = kin_test_connect_port(kin_apiserver_port(server));
    char *rest = NULL;
    raw_send(fd, "GET /x HTTP/1.1\r\nAuthorization: Bearer s3cret\r\nno colon\r\n\r\n");
    raw_read_all(fd, &rest);
    free(rest);
    close(fd);
    kin_apiserver_free(server);
    kin_logger_unref(logger);
    assert_non_null(strstr(lines.text, "listening"));
    assert_null(strstr(lines.text, "s3cret"));
}

/* --- requests and faults --- */

static bool count(const kin_request_record *record, void *arg)
{
    assert_non_null(record->path);
    ++*(size_t *)arg;
    return true;
}

/* Copies the value out of the header's line. */
static size_t keep_etag(char *data, size_t size, size_t n, void *arg)
{
    char *etag = arg;

    if (strncmp(data, "ETag: ", 6) == 0)
        snprintf(etag, 128, "%.*s", (int)strcspn(data + 6, "\r\n"), data + 6);
    return size * n;
}

/* Who has a document of discovery is not sent it again. */
static void test_etags(void **state)
{
    kin_apiserver *server = start(NULL);
    struct curl_slist *headers = curl_slist_append(
        NULL, "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    char etag[128] = "";
    char known[256];

    (void)state;
    for (int i = 0; i < 2; i++) {
        CURL *easy = easy_for(server, "/apis");

        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, keep_etag);
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, etag);
        struct got got = easy_get(easy);
        assert_int_equal(got.code, CURLE_OK);
        assert_int_equal(got.status, i == 0 ? 200 : 304);
        got_done(&got);
        curl_easy_cleanup(easy);
        assert_int_equal(etag[0], '"');
        snprintf(known, sizeof(known), "If-None-Match: %s", etag);
        headers = curl_slist_append(headers, known);
    }
    curl_slist_free_all(headers);
    kin_apiserver_free(server);
}

static void test_requests_and_faults(void **state)
{
    kin_apiserver *server = start(NULL);
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;
    kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STATUS);
    uint64_t id = 0;
    uint64_t hits = 0;
    size_t n = 0;

    (void)state;
    fault.status = 503;
    fault.path = "/version";
    assert_code(kin_apiserver_inject(server, &fault, &id, NULL), 0);
    expect(server, "/version", 503);
    expect(server, "/version", 200);
    assert_code(kin_apiserver_remove_fault(server, id, &hits, NULL), 0);
    assert_int_equal(hits, 1);
    assert_code(kin_apiserver_clear_faults(server, NULL), 0);
    filter.path = "/version";
    assert_code(kin_apiserver_wait_for_request(server, &filter, 2, KIN_TEST_TIMEOUT_MS, NULL), 0);
    assert_code(kin_apiserver_wait_for_request(server, &filter, 3, 0, NULL), KIN_ETIMEOUT);
    assert_code(kin_apiserver_wait_for_request(server, &filter, 3, -2, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_requests(server, &filter, count, &n, NULL), 0);
    assert_int_equal(n, 2);
    assert_code(kin_apiserver_requests(server, NULL, NULL, NULL, NULL), KIN_EINVAL);
    kin_apiserver_free(server);
}

static void post(const kin_apiserver *server, const char *path, long status)
{
    CURL *easy = easy_for(server, path);

    struct curl_slist *headers = curl_slist_append(NULL, "Content-Type: application/json");

    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, "");
    struct got got = easy_get(easy);
    assert_int_equal(got.status, status);
    got_done(&got);
    curl_slist_free_all(headers);
    curl_easy_cleanup(easy);
}

static void expect_refused(kin_apiserver *server, const char *rules, int code, const char *message)
{
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_apiserver_inject_json(server, kin_str_of(rules), &err), code);
    if (!strstr(err.message, message))
        fail_msg("%s: %s", rules, err.message);
}

static void test_faults_as_json(void **state)
{
    kin_apiserver *server = start(NULL);

    (void)state;
    assert_code(kin_apiserver_inject_json(
                    server, kin_str_of("{\"type\": \"Status\", \"status\": 418}"), NULL),
                0);
    expect(server, "/api", 418);
    expect(server, "/api", 200);
    assert_code(kin_apiserver_inject_json(
                    server,
                    kin_str_of("{\"faults\": [{\"type\": \"Status\", \"status\": 503}, "
                               "{\"type\": \"Status\", \"status\": 502}]}"),
                    NULL),
                0);
    expect(server, "/api", 503);
    expect(server, "/api", 502);
    expect(server, "/api", 200);
    expect_refused(server, "[]", KIN_EPARSE, "");
    expect_refused(server, "{\"type\": \"Sulk\"}", KIN_EINVAL, "Sulk");
    expect_refused(server, "{\"faults\": {}}", KIN_EINVAL, "array");
    assert_code(kin_apiserver_inject_json(NULL, kin_str_of("{}"), NULL), KIN_EINVAL);
    kin_apiserver_free(server);
}

static void test_the_past(void **state)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;

    (void)state;
    options.control = true;
    kin_apiserver *server = start(&options);
    assert_code(kin_apiserver_compact(server, NULL), 0);
    assert_code(kin_apiserver_compact(NULL, NULL), KIN_EINVAL);
    assert_code(kin_apiserver_rewind(server, 1000000, NULL), KIN_ERANGE);
    post(server, "/_kinform/compact", 200);
    post(server, "/_kinform/rewind?version=1000000", 400);
    post(server, "/_kinform/rewind?version=x", 400);
    post(server, "/_kinform/rewind", 400);
    post(server, "/_kinform/nonsense", 404);
    kin_apiserver_free(server);
}

/* --- a good guest --- */

static int use_in_child(void *arg)
{
    kin_apiserver *server = arg;
    kin_apiserver *own = NULL;
    char *text = NULL;
    const kin_fault fault = KIN_FAULT_INIT(KIN_FAULT_STALL);

    if (kin_apiserver_start(server, NULL) != KIN_EFORKED)
        return 1;
    if (kin_apiserver_kubeconfig(server, &text, NULL) != KIN_EFORKED)
        return 2;
    if (kin_apiserver_inject(server, &fault, NULL, NULL) != KIN_EFORKED)
        return 3;
    if (kin_apiserver_wait_for_request(server, NULL, 1, -1, NULL) != KIN_EFORKED)
        return 4;
    kin_apiserver_stop(server);
    kin_apiserver_free(server);
    /* Sanitizers do not let the child of many threads make threads of its own. */
    if (!KIN_TEST_SANITIZED &&
        (kin_apiserver_new(&own, NULL, NULL) < 0 || kin_apiserver_start(own, NULL) < 0))
        return 5;
    kin_apiserver_free(own);
    _exit(0); /* what the parent's threads had is leaked here */
}

static void test_fork(void **state)
{
    kin_apiserver *server = start(NULL);
    kin_test_child child;

    (void)state;
    expect(server, "/version", 200);
    kin_test_run_child(&child, use_in_child, server);
    assert_int_equal(child.signal, 0);
    assert_int_equal(child.exit_code, 0);
    expect(server, "/version", 200);
    kin_apiserver_free(server);
}

static void test_signals_and_descriptors(void **state)
{
    struct sigaction before;
    struct sigaction after;
    sigset_t mask_before;
    sigset_t mask_after;
    bool was_open[64];

    (void)state;
    for (int fd = 0; fd < 64; fd++)
        was_open[fd] = fcntl(fd, F_GETFD) >= 0;
    sigaction(SIGPIPE, NULL, &before);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_before);
    kin_apiserver *server = start(NULL);
    expect(server, "/version", 200);
    for (int fd = 0; fd < 64; fd++) {
        int flags = fcntl(fd, F_GETFD);

        assert_true(flags < 0 || was_open[fd] || (flags & FD_CLOEXEC));
    }
    kin_apiserver_free(server);
    sigaction(SIGPIPE, NULL, &after);
    pthread_sigmask(SIG_SETMASK, NULL, &mask_after);
    assert_true(before.sa_handler == after.sa_handler);
    for (int number = 1; number < 32; number++)
        assert_int_equal(sigismember(&mask_before, number), sigismember(&mask_after, number));
}

/* The whole life with a few requests, in which any allocation of ours may fail. */
static int live(void *arg, kin_error *err)
{
    static const kin_apiserver_token token = {"t", NULL, false};
    static const char request[] =
        "POST /_kinform/faults HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n"
        "Content-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"type\":\"Garbage\",\"path\":\"/vers*\"}"
        "GET /version HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n"
        "GET /version HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_apiserver *server = NULL;
    char *text = NULL;

    (void)arg;
    options.threads = 1;
    options.control = true;
    options.tokens = &token;
    options.n_tokens = 1;
    options.stop_timeout_ms = 10;
    options.host_names = "a.example,b.example";
    int code = kin_apiserver_new(&server, &options, err);
    if (code == 0)
        code = kin_apiserver_start(server, err);
    if (code == 0)
        code = kin_apiserver_restart(server, true, err);
    if (code == 0)
        code = kin_apiserver_kubeconfig(server, &text, err);
    kin_free(text);
    if (code == 0) {
        int fd = kin_test_connect_port(kin_apiserver_port(server));

        (void)!send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL);
        raw_read_all(fd, &text); /* until the end, whatever it is */
        free(text);
        close(fd);
    }
    kin_apiserver_free(server);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(live, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_life),
        cmocka_unit_test(test_the_port_is_kept),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_exposure),
        cmocka_unit_test(test_wrong_options),
        cmocka_unit_test(test_options_beyond_limits),
        cmocka_unit_test(test_tls),
        cmocka_unit_test(test_own_certificate),
        cmocka_unit_test(test_kubeconfig_file),
        cmocka_unit_test(test_tokens_are_never_logged),
        cmocka_unit_test(test_etags),
        cmocka_unit_test(test_requests_and_faults),
        cmocka_unit_test(test_faults_as_json),
        cmocka_unit_test(test_the_past),
        cmocka_unit_test(test_fork),
        cmocka_unit_test(test_signals_and_descriptors),
        cmocka_unit_test(test_no_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
