/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates of all kinds, right and wrong, made when a test begins: nothing in the tree expires.
 * As texts and as files in a folder of their own, which goes away with them.
 */
#ifndef KIN_TEST_CERTIFICATES_H
#define KIN_TEST_CERTIFICATES_H

typedef struct kin_test_certificate {
    char *certificate; /* PEM */
    char *key;         /* PEM, not encrypted */
    char *certificate_file;
    char *key_file;
} kin_test_certificate;

/* Servers' certificates are for localhost, kin.example, 127.0.0.1 and ::1 where nothing else is
 * said, clients' have the subject that stands here. All keys are P-256 and differ. */
typedef struct kin_test_pki {
    char *folder;
    kin_test_certificate ca;
    kin_test_certificate server;
    kin_test_certificate rotated;        /* as server, with another key and number */
    kin_test_certificate expired;        /* since an hour */
    kin_test_certificate not_yet;        /* in an hour */
    kin_test_certificate wrong_host;     /* for other.example */
    kin_test_certificate self_signed;    /* known to nobody */
    kin_test_certificate intermediate;   /* a CA of the first one */
    kin_test_certificate chained;        /* of the intermediate one, which follows it in the text */
    kin_test_certificate client;         /* O = testers, CN = client */
    kin_test_certificate client_rotated; /* O = testers, CN = client-rotated */
    kin_test_certificate client_expired; /* O = testers, CN = client-expired */
    kin_test_certificate other_ca;
    kin_test_certificate other_server; /* of the other CA */
    kin_test_certificate other_client; /* of the other CA: O = testers, CN = other-client */
} kin_test_pki;

/* *ret is OWNED: kin_test_pki_free(). Ends the process if it cannot. */
void kin_test_pki_new(kin_test_pki **ret);
void kin_test_pki_free(kin_test_pki *pki);

/* Set-up and end of a group of tests that share one: it is here between the two. */
extern kin_test_pki *kin_test_group_pki;
int kin_test_pki_setup(void **state);
int kin_test_pki_teardown(void **state);

/* Another content for a file, as a whole (written beside and renamed): rotation. */
void kin_test_replace_file(const char *path, const char *text);

#endif
