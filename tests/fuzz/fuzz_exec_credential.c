/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What plugins answer: whatever it is, it is read or refused; what is read is usable; and the strings
 * that are read apart from the decoder are those that the decoder reads.
 */
#include <string.h>

#include "client/exec_credential.h"
#include "client/pem.h"
#include "fuzz.h"
#include "kinform/json.h"
#include "kinform/path.h"

#define V1 "client.authentication.k8s.io/v1"

/* The decoder's reading of the same text, secrets and all. */
static void check_secret(const kin_object *object, const char *path, const kin__secret *secret)
{
    kin_value value = kin_object_find(object, path);
    kin_scratch scratch;
    kin_str text;

    if (kin_value_string(&text, value, &scratch) < 0)
        text = kin_str_make(NULL, 0);
    FUZZ_CHECK(kin_str_equal(text, kin__secret_str(secret)));
    FUZZ_CHECK(secret->len == 0 || secret->data[secret->len] == '\0');
}

static void check(kin_str text)
{
    kin__exec_credential credential = KIN__EXEC_CREDENTIAL_INIT;
    kin_error err = KIN_ERROR_INIT;
    int code = kin__exec_credential_parse(&credential, text, V1, &err);

    if (code < 0) {
        FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ELIMIT);
        FUZZ_CHECK(err.code == code && credential.token.len == 0 && credential.key.len == 0);
        return;
    }
    FUZZ_CHECK(credential.token.len > 0 || credential.key.len > 0);
    FUZZ_CHECK(credential.token.len == 0 ||
               kin__token_is_usable(kin__secret_str(&credential.token)));
    FUZZ_CHECK((credential.key.len > 0) == (credential.certificate.len > 0));
    FUZZ_CHECK(credential.key.len == 0 ||
               !kin__pem_defect(kin__secret_str(&credential.key), KIN__PEM_KEY));

    const kin_object *object = NULL;
    /* The decoder looks into all strings, so it may refuse one that nobody asked for. */
    if (kin_object_from_json(&object, text, NULL, NULL) == 0) {
        check_secret(object, "status.token", &credential.token);
        check_secret(object, "status.clientKeyData", &credential.key);
        check_secret(object, "status.clientCertificateData", &credential.certificate);
        kin_object_unref(object);
    }
    kin__exec_credential_done(&credential);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char head[] = "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\",\"status\":";
    kin_str text = kin_str_make((const char *)data, size);

    check(text);
    kin__pem_defect(text, KIN__PEM_CERTIFICATES);
    kin__pem_defect(text, KIN__PEM_KEY);

    /* The same as a status of an answer that is right as far as it goes. */
    char *answer = malloc(sizeof(head) + size + 1);
    FUZZ_CHECK(answer != NULL);
    memcpy(answer, head, sizeof(head) - 1);
    if (size > 0)
        memcpy(answer + sizeof(head) - 1, data, size);
    answer[sizeof(head) - 1 + size] = '}';
    check(kin_str_make(answer, sizeof(head) + size));
    free(answer);
    return 0;
}
