/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates that are made or read, and the kubeconfig. */
#include "kin_test.h"

#include <fcntl.h>
#include <gnutls/x509.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "apiserver/http/tls.h"
#include "apiserver/kubeconfig_write.h"
#include "base/memory.h"
#include "oom.h"

static char folder[] = "/tmp/kin-tls-XXXXXX";

static gnutls_x509_crt_t parse(const char *pem)
{
    gnutls_x509_crt_t crt = NULL;
    gnutls_datum_t text = {(unsigned char *)strdup(pem), (unsigned)strlen(pem)};

    assert_int_equal(gnutls_x509_crt_init(&crt), 0);
    assert_int_equal(gnutls_x509_crt_import(crt, &text, GNUTLS_X509_FMT_PEM), 0);
    free(text.data);
    return crt;
}

static void test_make(void **state)
{
    static const char *const hosts[] = {"localhost", "127.0.0.1", "::1", "kubernetes.default.svc",
                                        "192.0.2.7"};
    kin__address address;
    kin__tls tls;
    unsigned status = 0;

    (void)state;
    assert_code(kin__address_parse(&address, "192.0.2.7", 0, NULL), 0);
    assert_code(kin__tls_make(&tls, &address, kin_str_of(NULL), NULL), 0);
    gnutls_x509_crt_t crt = parse(tls.cert);
    gnutls_x509_crt_t ca = parse(tls.ca);
    assert_int_equal(gnutls_x509_crt_verify(crt, &ca, 1, 0, &status), 0);
    assert_int_equal(status, 0);
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
        assert_true(gnutls_x509_crt_check_hostname(crt, hosts[i]));
    assert_false(gnutls_x509_crt_check_hostname(crt, "example.com"));
    assert_false(gnutls_x509_crt_check_hostname(crt, "192.0.2.8"));
    time_t now = time(NULL);
    assert_true(gnutls_x509_crt_get_activation_time(crt) < now);
    assert_in_range(gnutls_x509_crt_get_expiration_time(crt), now + 364 * 86400, now + 366 * 86400);
    assert_int_equal(gnutls_x509_crt_get_pk_algorithm(crt, NULL), GNUTLS_PK_ECDSA);
    gnutls_x509_crt_deinit(crt);
    gnutls_x509_crt_deinit(ca);
    kin__tls_done(&tls);
}

/* Whatever it listens on, clients that ask for that find it in the certificate. */
static void test_certificate_is_for_the_address(void **state)
{
    static const char *const hosts[] = {"127.0.0.1", "127.0.0.2", "::1", "2001:db8::7"};

    (void)state;
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        kin__address address;
        kin__tls tls;

        assert_code(kin__address_parse(&address, hosts[i], 0, NULL), 0);
        assert_code(kin__tls_make(&tls, &address, kin_str_of(NULL), NULL), 0);
        gnutls_x509_crt_t crt = parse(tls.cert);
        assert_true(gnutls_x509_crt_check_hostname(crt, hosts[i]));
        assert_true(gnutls_x509_crt_check_hostname(crt, "127.0.0.1"));
        gnutls_x509_crt_deinit(crt);
        kin__tls_done(&tls);
    }
}

static void test_addresses(void **state)
{
    kin__address address;
    char host[64];

    (void)state;
    assert_code(kin__address_parse(&address, "[::1]", 80, NULL), 0);
    assert_true(kin__address_is_loopback(&address));
    assert_int_equal(kin__address_port(&address), 80);
    kin__address_host(&address, true, host, sizeof(host));
    assert_string_equal(host, "[::1]");
    assert_code(kin__address_parse(&address, "127.5.5.5", 0, NULL), 0);
    assert_true(kin__address_is_loopback(&address));
    assert_code(kin__address_parse(&address, "0.0.0.0", 0, NULL), 0);
    assert_false(kin__address_is_loopback(&address));
    assert_true(kin__address_is_any(&address));
    assert_code(kin__address_parse(&address, "::", 0, NULL), 0);
    assert_true(kin__address_is_any(&address));
    assert_code(kin__address_parse(&address, "localhost", 0, NULL), KIN_EINVAL);
    assert_code(kin__address_parse(&address, "", 0, NULL), KIN_EINVAL);
    assert_code(kin__address_parse(&address, "1.2.3", 0, NULL), KIN_EINVAL);
}

static const char *path_of(const char *name)
{
    static char paths[16][256];
    static unsigned next;
    char *path = paths[next++ % 16];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

static const char *write_file(const char *name, const char *text)
{
    const char *path = path_of(name);

    assert_code(kin__file_replace(path, kin_str_of(text), NULL), 0);
    return path;
}

static void test_read(void **state)
{
    kin__address address;
    kin__tls one;
    kin__tls two;
    kin__tls got;

    (void)state;
    assert_code(kin__address_parse(&address, "127.0.0.1", 0, NULL), 0);
    assert_code(kin__tls_make(&one, &address, kin_str_of(NULL), NULL), 0);
    assert_code(kin__tls_make(&two, &address, kin_str_of(NULL), NULL), 0);
    const char *cert = write_file("cert", one.cert);
    const char *key = write_file("key", one.key);
    assert_code(kin__tls_read(&got, cert, key, NULL, NULL), 0);
    assert_string_equal(got.cert, one.cert);
    assert_string_equal(got.ca, one.cert);
    kin__tls_done(&got);
    assert_code(kin__tls_read(&got, cert, write_file("other", two.key), NULL, NULL), KIN_EPARSE);
    assert_code(kin__tls_read(&got, cert, write_file("bad", "nonsense"), NULL, NULL), KIN_EPARSE);
    assert_code(kin__tls_read(&got, cert, path_of("none"), NULL, NULL), KIN_ENOTFOUND);
    assert_code(kin__tls_read(&got, cert, folder, NULL, NULL), KIN_ESYSTEM);
    kin__tls_done(&one);
    kin__tls_done(&two);
}

static void test_kubeconfig(void **state)
{
    char *text = NULL;

    (void)state;
    assert_code(kin__kubeconfig_make(&text, "https://127.0.0.1:1", "PEM", kin_str_of("a\"b"), NULL),
                0);
    assert_non_null(strstr(text, "    server: https://127.0.0.1:1\n"));
    assert_non_null(strstr(text, "    certificate-authority-data: UEVN\n"));
    assert_non_null(strstr(text, "    token: \"a\\\"b\"\n"));
    assert_null(strstr(text, "insecure"));
    kin__free(text);
    assert_code(kin__kubeconfig_make(&text, "http://127.0.0.1:1", NULL, kin_str_of(""), NULL), 0);
    assert_null(strstr(text, "token"));
    assert_non_null(strstr(text, "    insecure-skip-tls-verify: true\n"));
    assert_null(strstr(text, "certificate"));
    kin__free(text);
}

static void test_file(void **state)
{
    struct stat info;
    char text[10] = {0};

    (void)state;
    const char *path = write_file("config", "old");
    assert_int_equal(chmod(path, 0644), 0);
    write_file("config", "new");
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, text, sizeof(text)), 3);
    assert_string_equal(text, "new");
    close(fd);
    assert_code(kin__file_replace("/nonexistent/config", kin_str_of("x"), NULL), KIN_ESYSTEM);
    assert_code(kin__file_replace(folder, kin_str_of("x"), NULL), KIN_ESYSTEM);
    /* Root can make a file of another user. For others, root's file is one. */
    if (geteuid() == 0)
        assert_int_equal(chown(path, 65534, 65534), 0);
    assert_code(kin__file_replace(geteuid() == 0 ? path : "/etc/passwd", kin_str_of("x"), NULL),
                KIN_EDENIED);
    /* What is no file stays what it is. */
    path = path_of("pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_code(kin__file_replace(path, kin_str_of("x"), NULL), KIN_ESYSTEM);
    assert_int_equal(stat(path, &info), 0);
    assert_true(S_ISFIFO(info.st_mode));
    unlink(path);
}

static int use(void *arg, kin_error *err)
{
    kin__address address;
    kin__tls tls = {.cert = NULL};
    char *text = NULL;

    (void)arg;
    assert_code(kin__address_parse(&address, "127.0.0.1", 0, NULL), 0);
    int code = kin__tls_make(&tls, &address, kin_str_of(NULL), err);
    if (code == 0)
        code = kin__kubeconfig_make(&text, "https://x", tls.ca, kin_str_of("t"), err);
    if (code == 0)
        code = kin__file_replace(path_of("oom"), kin_str_of(text), err);
    kin__free(text);
    kin__tls_done(&tls);
    return code;
}

static void test_no_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(use, NULL);
}

static void test_key_is_wiped(void **state)
{
    (void)state;
    kin_test_alloc_look_for("PRIVATE KEY");
    use(NULL, NULL);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"cert", "key", "other", "bad", "config", "oom"};

    (void)state;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        unlink(path_of(names[i]));
    return rmdir(folder); /* nothing else was left behind */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_make),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_certificate_is_for_the_address),
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_kubeconfig),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_key_is_wiped),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
