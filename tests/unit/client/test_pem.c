/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What passes for PEM, and what is said of the rest.
 */
#include "kin_test.h"

#include "client/pem.h"

#define BLOCK(label, body) "-----BEGIN " label "-----\n" body "-----END " label "-----\n"
#define CERTIFICATE BLOCK("CERTIFICATE", "QUJD\nREVG\n")

static void assert_defect(const char *text, enum kin__pem_kind kind, const char *expected)
{
    const char *defect = kin__pem_defect(kin_str_of(text), kind);

    if (!expected) {
        assert_null(defect);
    } else {
        assert_non_null(defect);
        assert_non_null(strstr(defect, expected));
    }
}

static void takes_certificates(void **state)
{
    (void)state;
    assert_defect(CERTIFICATE, KIN__PEM_CERTIFICATES, NULL);
    assert_defect("subject: x\n" CERTIFICATE "\r\n# next\r\n" CERTIFICATE, KIN__PEM_CERTIFICATES,
                  NULL);
    assert_defect("-----BEGIN CERTIFICATE-----\r\nQUI=\r\n-----END CERTIFICATE-----",
                  KIN__PEM_CERTIFICATES, NULL);
    assert_defect(BLOCK("X509 CRL", "QUJD\n") CERTIFICATE, KIN__PEM_CERTIFICATES, NULL);
    assert_defect(BLOCK("CERTIFICATE", "QQ==\n"), KIN__PEM_CERTIFICATES, NULL);
}

static void takes_keys(void **state)
{
    (void)state;
    assert_defect(BLOCK("PRIVATE KEY", "QUJD\n"), KIN__PEM_KEY, NULL);
    assert_defect(BLOCK("RSA PRIVATE KEY", "QUJD\n"), KIN__PEM_KEY, NULL);
    assert_defect(BLOCK("EC PARAMETERS", "QUJD\n") BLOCK("EC PRIVATE KEY", "QUJD\n"), KIN__PEM_KEY,
                  NULL);
}

static void refuses_the_rest(void **state)
{
    (void)state;
    assert_defect("", KIN__PEM_CERTIFICATES, "no certificate");
    assert_null(strstr(kin__pem_defect(kin_str_make(NULL, 0), KIN__PEM_KEY), "certificate"));
    assert_defect("hush", KIN__PEM_CERTIFICATES, "no certificate");
    assert_defect(CERTIFICATE, KIN__PEM_KEY, "no private key");
    assert_defect(BLOCK("PRIVATE KEY", "QUJD\n"), KIN__PEM_CERTIFICATES, "no certificate");
    assert_defect("-----BEGIN CERTIFICATE-----\nQUJD\n", KIN__PEM_CERTIFICATES, "without an end");
    assert_defect("-----BEGIN CERTIFICATE-----\nQUJD\n-----END PRIVATE KEY-----\n",
                  KIN__PEM_CERTIFICATES, "another kind");
    assert_defect(BLOCK("CERTIFICATE", ""), KIN__PEM_CERTIFICATES, "empty");
    assert_defect(BLOCK("CERTIFICATE", "QUJ\n"), KIN__PEM_CERTIFICATES, "not base64");
    assert_defect(BLOCK("CERTIFICATE", "QU=D\n"), KIN__PEM_CERTIFICATES, "not base64");
    assert_defect(BLOCK("CERTIFICATE", "Q===\n"), KIN__PEM_CERTIFICATES, "not base64");
    assert_defect(BLOCK("CERTIFICATE", "QU D\n"), KIN__PEM_CERTIFICATES, "not base64");
    assert_defect(BLOCK("CERTIFICATE", "QUJD\nName: x\n"), KIN__PEM_CERTIFICATES, "not base64");
    /* One good block does not make up for a bad one. */
    assert_defect(CERTIFICATE "-----BEGIN CERTIFICATE-----\nQU", KIN__PEM_CERTIFICATES,
                  "without an end");
}

static void refuses_keys_with_a_pass_phrase(void **state)
{
    (void)state;
    assert_defect(BLOCK("ENCRYPTED PRIVATE KEY", "QUJD\n"), KIN__PEM_KEY, "encrypted");
    assert_defect(
        BLOCK("RSA PRIVATE KEY", "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\nQUJD\n"),
        KIN__PEM_KEY, "encrypted");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_certificates),
        cmocka_unit_test(takes_keys),
        cmocka_unit_test(refuses_the_rest),
        cmocka_unit_test(refuses_keys_with_a_pass_phrase),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
