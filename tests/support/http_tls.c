/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS of the scripted server. A handshake is held up where the client's hello has come: what is
 * to happen to it happens there, on the bare socket.
 */
#include <openssl/err.h>
#include <openssl/pem.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http_inside.h"

static void die_of_tls(const char *what)
{
    ERR_print_errors_fp(stderr);
    kin_test_http_die(what);
}

/* --- what a server is made of --- */

static BIO *text_bio(const char *text)
{
    BIO *bio = BIO_new_mem_buf(text, -1);

    if (!bio)
        die_of_tls("memory");
    return bio;
}

static void use_chain(SSL_CTX *tls, const char *pem)
{
    BIO *bio = text_bio(pem);
    X509 *own = PEM_read_bio_X509(bio, NULL, NULL, NULL);
    X509 *next = NULL;

    if (!own || SSL_CTX_use_certificate(tls, own) != 1)
        die_of_tls("the server's certificate");
    X509_free(own);
    while ((next = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL)
        SSL_CTX_add_extra_chain_cert(tls, next);
    ERR_clear_error(); /* the text's end counts as an error */
    BIO_free(bio);
}

static void use_key(SSL_CTX *tls, const char *pem)
{
    BIO *bio = text_bio(pem);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

    if (!key || SSL_CTX_use_PrivateKey(tls, key) != 1)
        die_of_tls("the server's key");
    EVP_PKEY_free(key);
    BIO_free(bio);
}

static void ask_for_client(SSL_CTX *tls, const kin_test_tls *options)
{
    BIO *bio = text_bio(options->client_ca);
    X509 *ca = NULL;

    while ((ca = PEM_read_bio_X509(bio, NULL, NULL, NULL)) != NULL) {
        X509_STORE_add_cert(SSL_CTX_get_cert_store(tls), ca);
        SSL_CTX_add_client_CA(tls, ca);
        X509_free(ca);
    }
    ERR_clear_error();
    BIO_free(bio);
    SSL_CTX_set_verify(
        tls,
        SSL_VERIFY_PEER |
            (options->require_client_certificate ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : 0),
        NULL);
}

/* --- the hello --- */

static void note_alpn_offered(SSL *ssl, kin_test_http_conn *conn)
{
    const unsigned char *list = NULL;
    size_t len = 0;
    char *out = conn->seen.alpn_offered;
    size_t room = sizeof(conn->seen.alpn_offered) - 1;

    if (SSL_client_hello_get0_ext(ssl, TLSEXT_TYPE_application_layer_protocol_negotiation, &list,
                                  &len) != 1)
        return;
    pthread_mutex_lock(&conn->server->lock);
    memset(out, 0, room + 1);
    /* Two bytes of length, then names with a byte of length each. */
    for (size_t at = 2; at < len && at + list[at] < len; at += 1 + (size_t)list[at]) {
        size_t used = strlen(out);

        if (used + list[at] + 1 > room)
            break;
        if (used > 0)
            out[used++] = ',';
        memcpy(out + used, list + at + 1, list[at]);
    }
    pthread_mutex_unlock(&conn->server->lock);
}

static int hello_came(SSL *ssl, int *alert, void *arg)
{
    kin_test_http_conn *conn = SSL_get_app_data(ssl);

    (void)arg;
    note_alpn_offered(ssl, conn);
    if (conn->fate == KIN_TEST_TLS_DONE)
        return SSL_CLIENT_HELLO_SUCCESS;
    if (conn->fate == KIN_TEST_TLS_REFUSED) {
        *alert = SSL_AD_HANDSHAKE_FAILURE;
        return SSL_CLIENT_HELLO_ERROR;
    }
    return SSL_CLIENT_HELLO_RETRY; /* the rest is done on the bare socket */
}

/* The one protocol that was set for the context, if the client offers it. */
static int choose_alpn(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                       const unsigned char *in, unsigned in_len, void *arg)
{
    const char *wanted = arg;
    size_t len = strlen(wanted);

    (void)ssl;
    for (unsigned at = 0; at < in_len; at += 1u + in[at]) {
        if (in[at] == len && at + len < in_len && memcmp(in + at + 1, wanted, len) == 0) {
            *ret = in + at + 1;
            *ret_len = (unsigned char)len;
            return SSL_TLSEXT_ERR_OK;
        }
    }
    return SSL_TLSEXT_ERR_NOACK;
}

SSL_CTX *kin_test_http_tls_new(const kin_test_tls *options)
{
    static const unsigned char id[] = "kin";
    const char *alpn = options->alpn ? options->alpn : "http/1.1";

    if (!options->certificate)
        return NULL;
    SSL_CTX *tls = SSL_CTX_new(TLS_server_method());

    if (!tls)
        die_of_tls("SSL_CTX_new");
    /* Old versions are spoken too, if that is asked for: the client is to refuse them. */
    SSL_CTX_set_security_level(tls, 0);
    SSL_CTX_set_min_proto_version(tls, options->min_version);
    SSL_CTX_set_max_proto_version(tls, options->max_version);
    SSL_CTX_set_mode(tls, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_id_context(tls, id, sizeof(id)); /* sessions with client certificates */
    SSL_CTX_set_client_hello_cb(tls, hello_came, NULL);
    if (alpn[0])
        SSL_CTX_set_alpn_select_cb(tls, choose_alpn, (void *)(uintptr_t)alpn);
    use_chain(tls, options->certificate);
    use_key(tls, options->key);
    if (options->client_ca)
        ask_for_client(tls, options);
    return tls;
}

/* --- the handshake --- */

static void copy_text(char *ret, size_t size, const char *text)
{
    snprintf(ret, size, "%s", text ? text : "");
}

static void note_subject(char *ret, size_t size, SSL *ssl)
{
    X509 *client = SSL_get1_peer_certificate(ssl);
    BIO *bio = BIO_new(BIO_s_mem());

    if (client && bio) {
        X509_NAME_print_ex(bio, X509_get_subject_name(client), 0, XN_FLAG_ONELINE);
        int n = BIO_read(bio, ret, (int)size - 1);

        ret[n > 0 ? n : 0] = '\0';
    }
    BIO_free(bio);
    X509_free(client);
}

static void note_success(kin_test_http_conn *conn)
{
    kin_test_http_connection seen = {0};
    const unsigned char *alpn = NULL;
    unsigned alpn_len = 0;
    SSL *ssl = conn->ssl;

    copy_text(seen.tls_version, sizeof(seen.tls_version), SSL_get_version(ssl));
    copy_text(seen.sni, sizeof(seen.sni), SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name));
    note_subject(seen.client_subject, sizeof(seen.client_subject), ssl);
    SSL_get0_alpn_selected(ssl, &alpn, &alpn_len);
    if (alpn_len < sizeof(seen.alpn) && alpn_len > 0)
        memcpy(seen.alpn, alpn, alpn_len);
    seen.session_reused = SSL_session_reused(ssl) == 1;
    seen.secure = true;
    pthread_mutex_lock(&conn->server->lock);
    seen.open = conn->seen.open;
    memcpy(seen.alpn_offered, conn->seen.alpn_offered, sizeof(seen.alpn_offered));
    conn->seen = seen;
    conn->server->counts.handshakes++;
    conn->server->counts.sessions_reused += seen.session_reused;
    pthread_cond_broadcast(&conn->server->changed);
    pthread_mutex_unlock(&conn->server->lock);
}

static void note_failure(kin_test_http_conn *conn, const char *why)
{
    pthread_mutex_lock(&conn->server->lock);
    copy_text(conn->seen.tls_error, sizeof(conn->seen.tls_error), why);
    copy_text(conn->seen.sni, sizeof(conn->seen.sni),
              SSL_get_servername(conn->ssl, TLSEXT_NAMETYPE_host_name));
    conn->server->counts.failed_handshakes++;
    pthread_cond_broadcast(&conn->server->changed);
    pthread_mutex_unlock(&conn->server->lock);
}

/* The hello has come, and this is what becomes of it. True: the handshake goes on. */
static bool meet_fate(kin_test_http_conn *conn)
{
    static const char garbage[] = "220 mail.example ready, and not at all a secure one\r\n";

    switch (conn->fate) {
    case KIN_TEST_TLS_STALLED:
        conn->fate = KIN_TEST_TLS_DONE;
        return kin_test_http_stall(conn);
    case KIN_TEST_TLS_GARBAGE:
        kin_test_http_send_plain(conn, garbage, sizeof(garbage) - 1);
        kin_test_http_close(conn);
        return false;
    case KIN_TEST_TLS_RESET:
        kin_test_http_reset(conn);
        return false;
    default:
        kin_test_http_close(conn);
        return false;
    }
}

static void fail_handshake(kin_test_http_conn *conn, int error)
{
    char why[200] = "the client left";
    unsigned long code = ERR_peek_last_error();

    if (error == SSL_ERROR_SSL && code != 0)
        ERR_error_string_n(code, why, sizeof(why));
    note_failure(conn, why);
    if (error != SSL_ERROR_SSL)
        kin_test_http_client_left(conn);
    else
        kin_test_http_close(conn); /* so that the client can read our alert */
}

bool kin_test_http_secure(kin_test_http_conn *conn, SSL_CTX *tls)
{
    conn->ssl = SSL_new(tls);
    if (!conn->ssl || SSL_set_fd(conn->ssl, conn->fd) != 1)
        die_of_tls("SSL_new");
    SSL_set_app_data(conn->ssl, conn);
    for (;;) {
        ERR_clear_error();
        int n = SSL_accept(conn->ssl);
        int error = SSL_get_error(conn->ssl, n);
        bool on = false;

        if (n == 1) {
            note_success(conn);
            return true;
        }
        if (error == SSL_ERROR_WANT_CLIENT_HELLO_CB) {
            on = meet_fate(conn);
        } else if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE) {
            on = kin_test_http_ready(conn, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
        } else {
            fail_handshake(conn, error);
            return false;
        }
        if (!on) {
            note_failure(conn, "ended by the server");
            return false;
        }
    }
}

/* --- bytes --- */

/* After a call that gave n <= 0: true, try again. */
static bool wait_for_tls(kin_test_http_conn *conn, int n)
{
    int error = SSL_get_error(conn->ssl, n);

    if (error != SSL_ERROR_WANT_READ && error != SSL_ERROR_WANT_WRITE) {
        /* A connection that failed has no goodbye, and OpenSSL must not be asked for one. */
        if (error != SSL_ERROR_ZERO_RETURN)
            kin_test_http_client_left(conn);
        return false;
    }
    return kin_test_http_ready(conn, error == SSL_ERROR_WANT_READ ? POLLIN : POLLOUT);
}

int kin_test_http_tls_read(kin_test_http_conn *conn, char *data, size_t size)
{
    int n = 0;

    do {
        ERR_clear_error();
        n = SSL_read(conn->ssl, data, (int)size);
    } while (n <= 0 && wait_for_tls(conn, n));
    return n;
}

int kin_test_http_tls_write(kin_test_http_conn *conn, const char *data, size_t len)
{
    int n = 0;

    do {
        ERR_clear_error();
        n = SSL_write(conn->ssl, data, (int)len);
    } while (n <= 0 && wait_for_tls(conn, n));
    return n;
}
