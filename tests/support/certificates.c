/* SPDX-License-Identifier: Apache-2.0 */
#include "certificates.h"

#include <errno.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HOUR 3600L
#define HOSTS "DNS:localhost,DNS:kin.example,IP:127.0.0.1,IP:::1,IP:10.99.0.2"

/* What one is made with besides its key. */
struct recipe {
    const char *file; /* its name in the folder, without the end */
    const char *organization;
    const char *name;
    const char *hosts; /* NULL: a client's */
    bool is_ca;
    long begin, end; /* seconds from now */
};

static void die(const char *what)
{
    ERR_print_errors_fp(stderr);
    fprintf(stderr, "certificates of the test: %s: %s\n", what, strerror(errno));
    abort();
}

static char *copy(const char *text, size_t len)
{
    char *made = calloc(1, len + 1);

    if (!made)
        die("memory");
    memcpy(made, text, len);
    return made;
}

static char *bio_text(BIO *bio)
{
    char *data = NULL;
    long len = BIO_get_mem_data(bio, &data);
    char *text = copy(data, (size_t)len);

    BIO_free(bio);
    return text;
}

/* --- files --- */

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    if (!file || fputs(text, file) < 0 || fclose(file) != 0)
        die(path);
}

void kin_test_replace_file(const char *path, const char *text)
{
    char beside[512];

    snprintf(beside, sizeof(beside), "%s.new", path);
    write_file(beside, text);
    if (rename(beside, path) != 0)
        die(path);
}

static char *write_in(const char *folder, const char *name, const char *end, const char *text)
{
    char path[512];
    int len = snprintf(path, sizeof(path), "%s/%s%s", folder, name, end);

    write_file(path, text);
    return copy(path, (size_t)len);
}

/* --- certificates --- */

static void add_extension(X509 *made, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;

    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, made, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);

    if (!extension || X509_add_ext(made, extension, -1) != 1)
        die(value);
    X509_EXTENSION_free(extension);
}

static void add_name(X509_NAME *name, const char *type, const char *value)
{
    if (X509_NAME_add_entry_by_txt(name, type, MBSTRING_UTF8, (const unsigned char *)value, -1, -1,
                                   0) != 1)
        die(value);
}

static void fill_in(X509 *made, const struct recipe *recipe)
{
    static long serial = 1000; /* tests make theirs in one thread, before all else */
    X509_NAME *name = X509_get_subject_name(made);

    X509_set_version(made, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made), ++serial);
    X509_gmtime_adj(X509_getm_notBefore(made), recipe->begin);
    X509_gmtime_adj(X509_getm_notAfter(made), recipe->end);
    add_name(name, "O", recipe->organization);
    add_name(name, "CN", recipe->name);
}

static void extend(X509 *made, X509 *issuer, const struct recipe *recipe)
{
    add_extension(made, issuer, NID_subject_key_identifier, "hash");
    if (issuer != made)
        add_extension(made, issuer, NID_authority_key_identifier, "keyid");
    if (recipe->is_ca) {
        add_extension(made, issuer, NID_basic_constraints, "critical,CA:TRUE");
        add_extension(made, issuer, NID_key_usage, "critical,keyCertSign,cRLSign");
        return;
    }
    add_extension(made, issuer, NID_basic_constraints, "critical,CA:FALSE");
    add_extension(made, issuer, NID_key_usage, "critical,digitalSignature");
    add_extension(made, issuer, NID_ext_key_usage, recipe->hosts ? "serverAuth" : "clientAuth");
    if (recipe->hosts)
        add_extension(made, issuer, NID_subject_alt_name, recipe->hosts);
}

static X509 *read_certificate(const kin_test_certificate *from)
{
    BIO *bio = BIO_new_mem_buf(from->certificate, -1);
    X509 *certificate = PEM_read_bio_X509(bio, NULL, NULL, NULL);

    BIO_free(bio);
    if (!certificate)
        die("reading a certificate");
    return certificate;
}

static EVP_PKEY *read_key(const kin_test_certificate *from)
{
    BIO *bio = BIO_new_mem_buf(from->key, -1);
    EVP_PKEY *key = PEM_read_bio_PrivateKey(bio, NULL, NULL, NULL);

    BIO_free(bio);
    if (!key)
        die("reading a key");
    return key;
}

static void write_texts(kin_test_certificate *ret, X509 *made, EVP_PKEY *key, const char *chain)
{
    BIO *certificate_bio = BIO_new(BIO_s_mem());
    BIO *key_bio = BIO_new(BIO_s_mem());

    if (!certificate_bio || !key_bio || PEM_write_bio_X509(certificate_bio, made) != 1 ||
        BIO_puts(certificate_bio, chain) < 0 ||
        PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0, NULL, NULL) != 1)
        die("writing a certificate");
    ret->certificate = bio_text(certificate_bio);
    ret->key = bio_text(key_bio);
}

/* Signed by `issuer`, or by itself if that is NULL; `chain` follows it in the text. */
static void make(kin_test_certificate *ret, const char *folder, const struct recipe *recipe,
                 const kin_test_certificate *issuer, const char *chain)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    X509 *made = X509_new();

    if (!key || !made)
        die("a key");
    X509 *issuer_certificate = issuer ? read_certificate(issuer) : made;
    EVP_PKEY *issuer_key = issuer ? read_key(issuer) : key;

    fill_in(made, recipe);
    X509_set_pubkey(made, key);
    X509_set_issuer_name(made, X509_get_subject_name(issuer_certificate));
    extend(made, issuer_certificate, recipe);
    if (X509_sign(made, issuer_key, EVP_sha256()) == 0)
        die("signing");
    write_texts(ret, made, key, chain);
    ret->certificate_file = write_in(folder, recipe->file, ".crt", ret->certificate);
    ret->key_file = write_in(folder, recipe->file, ".key", ret->key);
    if (issuer) {
        X509_free(issuer_certificate);
        EVP_PKEY_free(issuer_key);
    }
    X509_free(made);
    EVP_PKEY_free(key);
}

static void make_server(kin_test_certificate *ret, const kin_test_pki *pki, const char *file,
                        long begin, long end)
{
    const struct recipe recipe = {file, "kinform tests", "server", HOSTS, false, begin, end};

    make(ret, pki->folder, &recipe, &pki->ca, "");
}

static void make_client(kin_test_certificate *ret, const kin_test_pki *pki, const char *name,
                        const kin_test_certificate *ca, long end)
{
    const struct recipe recipe = {name, "testers", name, NULL, false, -24 * HOUR, end};

    make(ret, pki->folder, &recipe, ca, "");
}

static void make_ca(kin_test_certificate *ret, const kin_test_pki *pki, const char *file,
                    const kin_test_certificate *issuer)
{
    const struct recipe recipe = {file, "kinform tests", file, NULL, true, -24 * HOUR, 24 * HOUR};

    make(ret, pki->folder, &recipe, issuer, "");
}

static void make_odd_servers(kin_test_pki *pki)
{
    const struct recipe wrong = {.file = "wrong-host",
                                 .organization = "kinform tests",
                                 .name = "other.example",
                                 .hosts = "DNS:other.example",
                                 .begin = -HOUR,
                                 .end = HOUR};
    struct recipe right = wrong;

    make(&pki->wrong_host, pki->folder, &wrong, &pki->ca, "");
    right.hosts = HOSTS;
    right.name = "server";
    right.file = "self-signed";
    make(&pki->self_signed, pki->folder, &right, NULL, "");
    right.file = "chained";
    make(&pki->chained, pki->folder, &right, &pki->intermediate, pki->intermediate.certificate);
    right.file = "other-server";
    make(&pki->other_server, pki->folder, &right, &pki->other_ca, "");
}

void kin_test_pki_new(kin_test_pki **ret)
{
    const char *tmp = getenv("TMPDIR");
    char folder[256];
    int len = snprintf(folder, sizeof(folder), "%s/kin-pki-XXXXXX", tmp ? tmp : "/tmp");
    kin_test_pki *pki = calloc(1, sizeof(*pki));

    if (!pki || !mkdtemp(folder))
        die(folder);
    pki->folder = copy(folder, (size_t)len);
    make_ca(&pki->ca, pki, "ca", NULL);
    make_ca(&pki->other_ca, pki, "other-ca", NULL);
    make_ca(&pki->intermediate, pki, "intermediate", &pki->ca);
    make_server(&pki->server, pki, "server", -HOUR, 24 * HOUR);
    make_server(&pki->rotated, pki, "rotated", -HOUR, 24 * HOUR);
    make_server(&pki->expired, pki, "expired", -2 * HOUR, -HOUR);
    make_server(&pki->not_yet, pki, "not-yet", HOUR, 2 * HOUR);
    make_odd_servers(pki);
    make_client(&pki->client, pki, "client", &pki->ca, 24 * HOUR);
    make_client(&pki->client_rotated, pki, "client-rotated", &pki->ca, 24 * HOUR);
    make_client(&pki->client_expired, pki, "client-expired", &pki->ca, -HOUR);
    make_client(&pki->other_client, pki, "other-client", &pki->other_ca, 24 * HOUR);
    *ret = pki;
}

static void certificate_done(kin_test_certificate *certificate)
{
    unlink(certificate->certificate_file);
    unlink(certificate->key_file);
    free(certificate->certificate);
    free(certificate->key);
    free(certificate->certificate_file);
    free(certificate->key_file);
}

void kin_test_pki_free(kin_test_pki *pki)
{
    if (!pki)
        return;
    kin_test_certificate *const all[] = {
        &pki->ca,       &pki->server,       &pki->rotated,        &pki->expired,
        &pki->not_yet,  &pki->wrong_host,   &pki->self_signed,    &pki->intermediate,
        &pki->chained,  &pki->client,       &pki->client_rotated, &pki->client_expired,
        &pki->other_ca, &pki->other_server, &pki->other_client,
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        certificate_done(all[i]);
    rmdir(pki->folder);
    free(pki->folder);
    free(pki);
}

kin_test_pki *kin_test_group_pki;

int kin_test_pki_setup(void **state)
{
    (void)state;
    kin_test_pki_new(&kin_test_group_pki);
    return 0;
}

int kin_test_pki_teardown(void **state)
{
    (void)state;
    kin_test_pki_free(kin_test_group_pki);
    kin_test_group_pki = NULL;
    return 0;
}
