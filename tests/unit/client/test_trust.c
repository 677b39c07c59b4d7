/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which CAs the client trusts, on a system whose store trusts an attacker.
 *
 * libcurl's default store is fixed when libcurl is built. The test gives every new handle another
 * default, a bundle and a hashed folder, exactly as libcurl initializes its own: before any option
 * of the client is set.
 */
#include <curl/curl.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <stdio.h>
#include <string.h>

#include "certificates.h"
#include "client_support.h"

static char store_folder[512];
static char store_bundle[512];

CURL *real_easy_init(void) __asm__("__real_curl_easy_init");
CURL *easy_init_with_store(void) __asm__("__wrap_curl_easy_init");

CURL *easy_init_with_store(void)
{
    CURL *easy = real_easy_init();

    if (easy && (curl_easy_setopt(easy, CURLOPT_CAINFO, store_bundle) != CURLE_OK ||
                 curl_easy_setopt(easy, CURLOPT_CAPATH, store_folder) != CURLE_OK ||
                 curl_easy_setopt(easy, CURLOPT_PROXY_CAINFO, store_bundle) != CURLE_OK ||
                 curl_easy_setopt(easy, CURLOPT_PROXY_CAPATH, store_folder) != CURLE_OK)) {
        curl_easy_cleanup(easy);
        return NULL;
    }
    return easy;
}

/* The name under which OpenSSL looks for a CA in a folder. */
static unsigned long hash_of(const char *pem)
{
    BIO *bio = BIO_new_mem_buf(pem, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    assert_non_null(certificate);
    unsigned long hash = X509_subject_name_hash(certificate);
    X509_free(certificate);
    BIO_free(bio);
    return hash;
}

/* The system's store is the folder of the certificates; it has the other CA in it. */
static int set_up(void **state)
{
    if (kin_test_pki_setup(state) != 0)
        return -1;
    const kin_test_certificate *attacker = &kin_test_group_pki->other_ca;
    char hashed[600];

    snprintf(store_folder, sizeof(store_folder), "%s", kin_test_group_pki->folder);
    snprintf(store_bundle, sizeof(store_bundle), "%s", attacker->certificate_file);
    snprintf(hashed, sizeof(hashed), "%s/%08lx.0", store_folder, hash_of(attacker->certificate));
    kin_test_replace_file(hashed, attacker->certificate);
    return 0;
}

static void open_with(client_fixture *f, const kin_test_certificate *server, const char *proxy_url,
                      const kin_test_certificate *ca, const kin_test_certificate *pair)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec pods = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;

    kin_test_http_start(
        &f->server,
        &(kin_test_http_options){.tls = {.certificate = server->certificate, .key = server->key}});
    config.server = proxy_url ? "https://kin.example" : kin_test_http_url(f->server);
    config.proxy_url = proxy_url ? kin_test_http_url(f->server) : NULL;
    config.token = "bearer-secret";
    config.ca_file = ca ? ca->certificate_file : NULL;
    config.certificate_file = pair ? pair->certificate_file : NULL;
    config.key_file = pair ? pair->key_file : NULL;
    assert_code(kin_config_new(&options.config, &config, &err), 0);
    options.qps = -1;
    assert_code(kin_client_new(&f->client, &options, &err), 0);
    kin_config_unref(options.config);
    pods.version = "v1";
    pods.resource = "pods";
    pods.kind = "Pod";
    assert_code(kin_resource_new(&f->pods, &pods, NULL), 0);
    client_route(f, "GET", "/api/v1/*", 200, POD);
    client_route(f, "CONNECT", NULL, 403, "no tunnel");
}

static int get(client_fixture *f, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *pod = NULL;

    options.timeout_ms = KIN_TEST_TIMEOUT_MS;
    int code = kin_client_get(f->client, &pod, f->pods, "ns", "web", &options, err);
    kin_object_unref(pod);
    return code;
}

static void a_configured_ca_is_the_only_one(void **state)
{
    client_fixture f = {0};
    kin_error err = KIN_ERROR_INIT;
    kin_resource *found = NULL;

    (void)state;
    open_with(&f, &kin_test_group_pki->other_server, NULL, &kin_test_group_pki->ca, NULL);
    assert_code(get(&f, &err), KIN_ETLS);
    assert_code(kin_client_resolve(f.client, &found, "deployments", &err), KIN_ETLS);
    assert_int_equal(kin_test_http_count(f.server).requests, 0);
    assert_int_equal(kin_test_http_count(f.server).handshakes, 0);
    client_close(&f);

    open_with(&f, &kin_test_group_pki->server, NULL, &kin_test_group_pki->ca, NULL);
    assert_code(get(&f, &err), 0);
    client_close(&f);
}

static void without_one_the_system_decides(void **state)
{
    client_fixture f = {0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    open_with(&f, &kin_test_group_pki->other_server, NULL, NULL, NULL);
    assert_code(get(&f, &err), 0);
    assert_string_equal(
        kin_test_http_field_of(kin_test_http_request_at(f.server, 0), "authorization"),
        "Bearer bearer-secret");
    client_close(&f);
    /* A client certificate alone does not say which CAs to trust. */
    open_with(&f, &kin_test_group_pki->other_server, NULL, NULL, &kin_test_group_pki->client);
    assert_code(get(&f, &err), 0);
    client_close(&f);
    open_with(&f, &kin_test_group_pki->server, NULL, NULL, NULL);
    assert_code(get(&f, &err), KIN_ETLS);
    client_close(&f);
}

/* Either store is enough for libcurl: each has to be left out. */
static void neither_folder_nor_bundle_is_trusted(void **state)
{
    client_fixture f = {0};
    kin_error err = KIN_ERROR_INIT;
    char folder[sizeof(store_folder)], bundle[sizeof(store_bundle)];

    (void)state;
    memcpy(folder, store_folder, sizeof(folder));
    memcpy(bundle, store_bundle, sizeof(bundle));
    for (int i = 0; i < 2; i++) {
        snprintf(store_folder, sizeof(store_folder), "%s", i ? folder : "/nonexistent");
        snprintf(store_bundle, sizeof(store_bundle), "%s",
                 i ? kin_test_group_pki->self_signed.certificate_file : bundle);
        open_with(&f, &kin_test_group_pki->other_server, NULL, NULL, NULL);
        assert_code(get(&f, &err), 0);
        client_close(&f);
        open_with(&f, &kin_test_group_pki->other_server, NULL, &kin_test_group_pki->ca, NULL);
        assert_code(get(&f, &err), KIN_ETLS);
        assert_int_equal(kin_test_http_count(f.server).handshakes, 0);
        client_close(&f);
    }
    memcpy(store_folder, folder, sizeof(folder));
    memcpy(store_bundle, bundle, sizeof(bundle));
}

/* As client-go: the CA of the configuration is that of a proxy with TLS, too. */
static void a_proxy_is_trusted_alike(void **state)
{
    client_fixture f = {0};
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    open_with(&f, &kin_test_group_pki->other_server, "proxy", &kin_test_group_pki->ca, NULL);
    assert_code(get(&f, &err), KIN_ETLS);
    assert_int_equal(kin_test_http_count(f.server).handshakes, 0);
    assert_int_equal(kin_test_http_count(f.server).requests, 0);
    client_close(&f);

    open_with(&f, &kin_test_group_pki->server, "proxy", &kin_test_group_pki->ca, NULL);
    assert_code(get(&f, &err), KIN_ECONNECT);
    assert_string_equal(kin_test_http_request_at(f.server, 0)->method, "CONNECT");
    client_close(&f);

    open_with(&f, &kin_test_group_pki->other_server, "proxy", NULL, NULL);
    assert_code(get(&f, &err), KIN_ECONNECT);
    assert_string_equal(kin_test_http_request_at(f.server, 0)->method, "CONNECT");
    client_close(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_configured_ca_is_the_only_one),
        cmocka_unit_test(without_one_the_system_decides),
        cmocka_unit_test(neither_folder_nor_bundle_is_trusted),
        cmocka_unit_test(a_proxy_is_trusted_alike),
    };

    return cmocka_run_group_tests(tests, set_up, kin_test_pki_teardown);
}
