/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See tls.h. OpenSSL encrypts straight from what it is given into its own buffer, a record at a time,
 * and each record is one write(): nothing is copied here.
 *
 * A certificate that was made lives in memory. Clients find it under /proc, as a file of this
 * process, so nothing is left behind however the process ends.
 */
#include "tls.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define LIFETIME_S (7L * 24 * 3600)
#define HOSTS "IP:127.0.0.1,IP:::1,DNS:localhost"

struct kin_bench_tls {
    SSL_CTX *context;
    int file; /* of the certificate that was made; -1 */
    char ca[4096];
};

struct kin_bench_tls_session {
    SSL *ssl;
    bool failed; /* there is nothing more to be said */
};

/* --- a certificate --- */

static bool add_extension(X509 *made, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, NULL, nid, value);
    bool added = extension && X509_add_ext(made, extension, -1) == 1;

    X509_EXTENSION_free(extension);
    return added;
}

static bool fill_in(X509 *made, EVP_PKEY *key)
{
    static const unsigned char name[] = "kin-bench-replay";
    X509_NAME *subject = X509_get_subject_name(made);

    return X509_set_version(made, X509_VERSION_3) == 1 &&
           ASN1_INTEGER_set(X509_get_serialNumber(made), (long)getpid()) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(made), -3600) &&
           X509_gmtime_adj(X509_getm_notAfter(made), LIFETIME_S) &&
           X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, name, -1, -1, 0) == 1 &&
           X509_set_issuer_name(made, subject) == 1 && X509_set_pubkey(made, key) == 1 &&
           add_extension(made, NID_basic_constraints, "critical,CA:TRUE") &&
           add_extension(made, NID_subject_alt_name, HOSTS) &&
           X509_sign(made, key, EVP_sha256()) > 0;
}

/* Into a file without a name, whose path is then tls->ca. */
static bool publish(struct kin_bench_tls *tls, X509 *made)
{
    BIO *bio = BIO_new(BIO_s_mem());
    char *text = NULL;
    long len = 0;
    bool done;

    tls->file = memfd_create("kin-bench-replay-ca", MFD_CLOEXEC);
    if (bio && PEM_write_bio_X509(bio, made) == 1)
        len = BIO_get_mem_data(bio, &text);
    done = tls->file >= 0 && len > 0 && write(tls->file, text, (size_t)len) == len;
    BIO_free(bio);
    (void)snprintf(tls->ca, sizeof(tls->ca), "/proc/%ld/fd/%d", (long)getpid(), tls->file);
    return done;
}

static bool use_made(struct kin_bench_tls *tls)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = X509_new();
    bool done = key && made && fill_in(made, key) &&
                SSL_CTX_use_certificate(tls->context, made) == 1 &&
                SSL_CTX_use_PrivateKey(tls->context, key) == 1 && publish(tls, made);

    X509_free(made);
    EVP_PKEY_free(key);
    return done;
}

static bool use_files(struct kin_bench_tls *tls, const char *certificate, const char *key)
{
    int n = snprintf(tls->ca, sizeof(tls->ca), "%s", certificate);

    return n >= 0 && (size_t)n < sizeof(tls->ca) &&
           SSL_CTX_use_certificate_chain_file(tls->context, certificate) == 1 &&
           SSL_CTX_use_PrivateKey_file(tls->context, key, SSL_FILETYPE_PEM) == 1 &&
           SSL_CTX_check_private_key(tls->context) == 1;
}

/* --- the server's side of all sessions --- */

static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                           const unsigned char *in, unsigned in_len, void *arg)
{
    static const unsigned char ours[] = "\x08http/1.1";
    unsigned char *chosen = NULL;

    (void)ssl;
    (void)arg;
    if (SSL_select_next_proto(&chosen, ret_len, ours, sizeof(ours) - 1, in, in_len) !=
        OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_NOACK;
    *ret = chosen;
    return SSL_TLSEXT_ERR_OK;
}

struct kin_bench_tls *kin_bench_tls_new(const char *certificate, const char *key, char *message,
                                        size_t message_size)
{
    struct kin_bench_tls *tls = calloc(1, sizeof(*tls));

    if (!tls) {
        (void)snprintf(message, message_size, "out of memory");
        return NULL;
    }
    tls->file = -1;
    tls->context = SSL_CTX_new(TLS_server_method());
    if (!tls->context || SSL_CTX_set_min_proto_version(tls->context, TLS1_2_VERSION) != 1 ||
        !(certificate ? use_files(tls, certificate, key) : use_made(tls))) {
        unsigned long code = ERR_get_error();

        (void)snprintf(message, message_size, "cannot set up TLS%s%s: %s",
                       certificate ? " with " : "", certificate ? certificate : "",
                       code ? ERR_reason_error_string(code) : "no memory");
        kin_bench_tls_free(tls);
        return NULL;
    }
    SSL_CTX_set_alpn_select_cb(tls->context, choose_protocol, NULL);
    return tls;
}

const char *kin_bench_tls_ca(const struct kin_bench_tls *tls)
{
    return tls->ca;
}

void kin_bench_tls_free(struct kin_bench_tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->context);
    if (tls->file >= 0)
        (void)close(tls->file);
    free(tls);
}

/* --- one session --- */

struct kin_bench_tls_session *kin_bench_tls_accept(struct kin_bench_tls *tls, int fd)
{
    struct kin_bench_tls_session *session = calloc(1, sizeof(*session));

    if (!session)
        return NULL;
    session->ssl = SSL_new(tls->context);
    if (session->ssl && SSL_set_fd(session->ssl, fd) == 1 && SSL_accept(session->ssl) == 1)
        return session;
    ERR_clear_error();
    kin_bench_tls_session_free(session);
    return NULL;
}

ssize_t kin_bench_tls_read(struct kin_bench_tls_session *session, char *data, size_t size)
{
    size_t n = 0;

    ERR_clear_error();
    if (SSL_read_ex(session->ssl, data, size, &n) == 1)
        return (ssize_t)n;
    if (SSL_get_error(session->ssl, 0) == SSL_ERROR_ZERO_RETURN)
        return 0;
    session->failed = true;
    return -1;
}

int kin_bench_tls_write(struct kin_bench_tls_session *session, const char *data, size_t size)
{
    size_t n = 0;

    ERR_clear_error();
    /* The socket blocks: either all is written or the session is over. */
    if (size == 0 || SSL_write_ex(session->ssl, data, size, &n) == 1)
        return 0;
    session->failed = true;
    return -1;
}

void kin_bench_tls_end(struct kin_bench_tls_session *session)
{
    ERR_clear_error();
    if (!session->failed)
        (void)SSL_shutdown(session->ssl);
    session->failed = true;
}

void kin_bench_tls_session_free(struct kin_bench_tls_session *session)
{
    if (!session)
        return;
    SSL_free(session->ssl);
    free(session);
}
