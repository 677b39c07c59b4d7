/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys are on P-256: made and signed with in a fraction of a millisecond, where RSA takes a tenth of
 * a second and more.
 */
#include "apiserver/http/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "apiserver/http/origin.h"
#include "base/clock.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

#define HOUR_S 3600
#define YEAR_S ((time_t)365 * 24 * HOUR_S)
#define FILE_MAX (1 << 20)

void kin__tls_done(kin__tls *tls)
{
    if (tls->key)
        explicit_bzero(tls->key, strlen(tls->key));
    kin__free(tls->key);
    kin__free(tls->cert);
    kin__free(tls->ca);
    *tls = (kin__tls){.cert = NULL};
}

static int gnutls_failed(kin_error *err, int code, const char *what)
{
    if (code == GNUTLS_E_MEMORY_ERROR)
        return kin__error_no_memory(err);
    return kin_error_set(err, KIN_ETLS, "%s: %s", what, gnutls_strerror(code));
}

/* --- making --- */

/* One half of the pair that is being made. */
struct identity {
    gnutls_x509_privkey_t key;
    gnutls_x509_crt_t crt;
};

static void identity_done(struct identity *identity)
{
    if (identity->crt)
        gnutls_x509_crt_deinit(identity->crt);
    if (identity->key)
        gnutls_x509_privkey_deinit(identity->key);
}

static int set_serial(gnutls_x509_crt_t crt)
{
    unsigned char serial[16];
    int code = gnutls_rnd(GNUTLS_RND_NONCE, serial, sizeof(serial));

    serial[0] &= 0x7f; /* positive */
    serial[0] |= 0x40; /* and of full length */
    return code < 0 ? code : gnutls_x509_crt_set_serial(crt, serial, sizeof(serial));
}

static int set_key_id(gnutls_x509_crt_t crt, gnutls_x509_crt_t of, bool is_authority)
{
    unsigned char id[64];
    size_t size = sizeof(id);
    int code = gnutls_x509_crt_get_key_id(of, 0, id, &size);

    if (code < 0)
        return code;
    return is_authority ? gnutls_x509_crt_set_authority_key_id(crt, id, size)
                        : gnutls_x509_crt_set_subject_key_id(crt, id, size);
}

/* What both have. The first failure is returned; later steps are not done. */
static int begin_identity(struct identity *identity, const char *name)
{
    time_t now = (time_t)(kin_clock_unix_now(kin_clock_system()) / KIN__SECOND);
    int code = gnutls_x509_privkey_init(&identity->key);

    if (code >= 0)
        code = gnutls_x509_privkey_generate(identity->key, GNUTLS_PK_EC,
                                            GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), 0);
    if (code >= 0)
        code = gnutls_x509_crt_init(&identity->crt);
    if (code >= 0)
        code = gnutls_x509_crt_set_version(identity->crt, 3);
    if (code >= 0)
        code = gnutls_x509_crt_set_key(identity->crt, identity->key);
    if (code >= 0)
        code = set_serial(identity->crt);
    if (code >= 0)
        code = gnutls_x509_crt_set_dn_by_oid(identity->crt, GNUTLS_OID_X520_COMMON_NAME, 0, name,
                                             (unsigned)strlen(name));
    if (code >= 0)
        code = gnutls_x509_crt_set_activation_time(identity->crt, now - HOUR_S);
    if (code >= 0)
        code = gnutls_x509_crt_set_expiration_time(identity->crt, now + YEAR_S);
    if (code >= 0)
        code = set_key_id(identity->crt, identity->crt, false);
    return code;
}

static int sign(const struct identity *identity, const struct identity *ca)
{
    int code = set_key_id(identity->crt, ca->crt, true);

    return code < 0 ? code
                    : gnutls_x509_crt_sign2(identity->crt, ca->crt, ca->key, GNUTLS_DIG_SHA256, 0);
}

static int make_ca(struct identity *ca)
{
    int code = begin_identity(ca, "kinform-ca");

    if (code >= 0)
        code = gnutls_x509_crt_set_basic_constraints(ca->crt, 1, 0);
    if (code >= 0)
        code =
            gnutls_x509_crt_set_key_usage(ca->crt, GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN);
    return code < 0 ? code : sign(ca, ca);
}

static int add_name(gnutls_x509_crt_t crt, kin_str name)
{
    return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_DNSNAME, name.data,
                                                (unsigned)name.len, GNUTLS_FSAN_APPEND);
}

static int add_ip(gnutls_x509_crt_t crt, const void *bytes, unsigned size)
{
    return gnutls_x509_crt_set_subject_alt_name(crt, GNUTLS_SAN_IPADDRESS, bytes, size,
                                                GNUTLS_FSAN_APPEND);
}

/* The address, unless it is one of the two that every certificate has: 127.0.0.1 and ::1. */
static int add_address(gnutls_x509_crt_t crt, const kin__address *address)
{
    const void *storage = &address->storage;
    const struct in_addr *v4 = &((const struct sockaddr_in *)storage)->sin_addr;
    const struct in6_addr *v6 = &((const struct sockaddr_in6 *)storage)->sin6_addr;

    if (kin__address_is_any(address))
        return 0;
    if (address->storage.ss_family == AF_INET)
        return v4->s_addr == htonl(INADDR_LOOPBACK) ? 0 : add_ip(crt, v4, sizeof(*v4));
    return IN6_IS_ADDR_LOOPBACK(v6) ? 0 : add_ip(crt, v6, sizeof(*v6));
}

static int add_names(gnutls_x509_crt_t crt, const kin__address *address, kin_str names)
{
    static const unsigned char loopback4[4] = {127, 0, 0, 1};
    kin_str name;
    int code = 0;

    for (size_t i = 0; kin__own_names[i] && code >= 0; i++)
        code = add_name(crt, kin_str_of(kin__own_names[i]));
    while (code >= 0 && kin__str_cut(&names, ',', &name)) {
        name = kin__str_trim(name);
        code = name.len > 0 ? add_name(crt, name) : 0;
    }
    if (code >= 0)
        code = add_ip(crt, loopback4, sizeof(loopback4));
    if (code >= 0)
        code = add_ip(crt, &in6addr_loopback, sizeof(in6addr_loopback));
    return code < 0 ? code : add_address(crt, address);
}

static int make_server(struct identity *server, const struct identity *ca,
                       const kin__address *address, kin_str names)
{
    int code = begin_identity(server, "kinform-apiserver");

    if (code >= 0)
        code = gnutls_x509_crt_set_basic_constraints(server->crt, 0, -1);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_usage(server->crt, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (code >= 0)
        code = gnutls_x509_crt_set_key_purpose_oid(server->crt, GNUTLS_KP_TLS_WWW_SERVER, 0);
    if (code >= 0)
        code = add_names(server->crt, address, names);
    return code < 0 ? code : sign(server, ca);
}

/* Takes over what GnuTLS has allocated. */
static int take_pem(char **ret, gnutls_datum_t *pem)
{
    *ret = kin__memdup_str(kin_str_make((const char *)pem->data, pem->size));
    explicit_bzero(pem->data, pem->size);
    gnutls_free(pem->data);
    return *ret ? 0 : GNUTLS_E_MEMORY_ERROR;
}

static int export_pair(kin__tls *ret, const struct identity *server, const struct identity *ca)
{
    gnutls_datum_t pem = {NULL, 0};
    int code = gnutls_x509_crt_export2(server->crt, GNUTLS_X509_FMT_PEM, &pem);

    if (code >= 0)
        code = take_pem(&ret->cert, &pem);
    if (code >= 0)
        code = gnutls_x509_crt_export2(ca->crt, GNUTLS_X509_FMT_PEM, &pem);
    if (code >= 0)
        code = take_pem(&ret->ca, &pem);
    if (code >= 0)
        code = gnutls_x509_privkey_export2_pkcs8(server->key, GNUTLS_X509_FMT_PEM, NULL,
                                                 GNUTLS_PKCS_PLAIN, &pem);
    return code < 0 ? code : take_pem(&ret->key, &pem);
}

int kin__tls_make(kin__tls *ret, const kin__address *address, kin_str names, kin_error *err)
{
    struct identity ca = {.key = NULL};
    struct identity server = {.key = NULL};
    kin__tls made = {.cert = NULL};
    int code = make_ca(&ca);

    if (code >= 0)
        code = make_server(&server, &ca, address, names);
    if (code >= 0)
        code = export_pair(&made, &server, &ca);
    identity_done(&server);
    identity_done(&ca);
    if (code < 0) {
        kin__tls_done(&made);
        return gnutls_failed(err, code, "a certificate could not be made");
    }
    *ret = made;
    return 0;
}

/* --- reading --- */

static int read_all(int fd, char *text, size_t size, const char *path, kin_error *err)
{
    size_t len = 0;

    while (len < size) {
        ssize_t n = read(fd, text + len, size - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return kin__error_system(err, errno, path);
        if (n == 0)
            break;
        len += (size_t)n;
    }
    text[len] = '\0';
    if (strlen(text) < size)
        return kin_error_set(err, KIN_EPARSE, "%s is no PEM file", path);
    return 0;
}

/* In one piece, so that no half of a key stays behind in memory that was given back. */
static int read_open(char **ret, int fd, const char *path, kin_error *err)
{
    struct stat info;

    if (fstat(fd, &info) != 0)
        return kin__error_system(err, errno, path);
    if (!S_ISREG(info.st_mode))
        return kin__error_system(err, S_ISDIR(info.st_mode) ? EISDIR : EINVAL, path);
    if (info.st_size > FILE_MAX)
        return kin_error_set(err, KIN_ELIMIT, "%s is longer than %d bytes", path, FILE_MAX);
    size_t size = (size_t)info.st_size;
    char *text = kin__malloc(size + 1);
    if (!text)
        return kin__error_no_memory(err);
    int code = read_all(fd, text, size, path, err);
    if (code < 0) {
        explicit_bzero(text, size);
        kin__free(text);
        return code;
    }
    *ret = text;
    return 0;
}

/* OWNED; NULL: *code says why not. Nothing is done where it says so already. */
static char *read_file(const char *path, int *code, kin_error *err)
{
    char *text = NULL;

    if (*code < 0)
        return NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        *code = errno == ENOENT ? kin_error_set(err, KIN_ENOTFOUND, "there is no file %s", path)
                                : kin__error_system(err, errno, path);
        return NULL;
    }
    *code = read_open(&text, fd, path, err);
    close(fd);
    return text;
}

static gnutls_datum_t datum_of(char *text)
{
    return (gnutls_datum_t){(unsigned char *)text, (unsigned)strlen(text)};
}

/* Whether the key is that of the certificate, before anything listens. */
static int check_pair(const kin__tls *tls, const char *cert_file, const char *key_file,
                      kin_error *err)
{
    gnutls_certificate_credentials_t credentials = NULL;
    const gnutls_datum_t cert = datum_of(tls->cert);
    const gnutls_datum_t key = datum_of(tls->key);
    int code = gnutls_certificate_allocate_credentials(&credentials);

    if (code < 0)
        return gnutls_failed(err, code, "credentials");
    code = gnutls_certificate_set_x509_key_mem(credentials, &cert, &key, GNUTLS_X509_FMT_PEM);
    gnutls_certificate_free_credentials(credentials);
    if (code >= 0)
        return 0;
    if (code == GNUTLS_E_MEMORY_ERROR)
        return kin__error_no_memory(err);
    return kin_error_set(err, KIN_EPARSE, "%s and %s: %s", cert_file, key_file,
                         gnutls_strerror(code));
}

int kin__tls_read(kin__tls *ret, const char *cert_file, const char *key_file, const char *ca_file,
                  kin_error *err)
{
    kin__tls tls = {.cert = NULL};
    int code = 0;

    tls.cert = read_file(cert_file, &code, err);
    tls.key = read_file(key_file, &code, err);
    tls.ca = read_file(ca_file ? ca_file : cert_file, &code, err);
    if (tls.cert && tls.key && tls.ca)
        code = check_pair(&tls, cert_file, key_file, err);
    if (code < 0) {
        kin__tls_done(&tls);
        return code;
    }
    *ret = tls;
    return 0;
}
