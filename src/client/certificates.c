/* SPDX-License-Identifier: Apache-2.0 */
#include "client/certificates.h"

#include "base/error.h"
#include "client/pem.h"
#include "client/secret_file.h"

/* Readings of a certificate and its key that are exchanged meanwhile. */
#define PAIR_TRIES 5

bool kin__has_certificate(const kin_config *config)
{
    return config->certificate_data.len > 0 || config->certificate_file;
}

bool kin__pair_is_in_files(const kin_config *config)
{
    return kin__has_certificate(config) &&
           (config->certificate_data.len == 0 || config->key_data.len == 0);
}

bool kin__ca_is_in_file(const kin_config *config)
{
    return config->ca_data.len == 0 && config->ca_file;
}

/* One part, from `data` or else from `path`. */
static int read_part(kin__secret *ret, const kin__secret *data, const char *path,
                     enum kin__pem_kind kind, const char *what, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    kin_error why = KIN_ERROR_INIT;
    int code;

    if (data->len > 0)
        code = kin__secret_set(&text, kin__secret_str(data));
    else
        code = kin__secret_file_read(&text, path, &why);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (code < 0)
        return kin_error_set(err, KIN_ETLS, "%s: %s", what, why.message);
    const char *defect = kin__pem_defect(kin__secret_str(&text), kind);
    if (defect) {
        kin__secret_done(&text);
        return kin_error_set(err, KIN_ETLS, "%s: %s %s", what,
                             data->len > 0 ? "the configuration" : path, defect);
    }
    kin__secret_done(ret);
    *ret = text;
    return 0;
}

static int read_certificate(kin__secret *ret, const kin_config *config, kin_error *err)
{
    return read_part(ret, &config->certificate_data, config->certificate_file,
                     KIN__PEM_CERTIFICATES, "client certificate", err);
}

/*
 * Both as they were at one time. They may be exchanged together, by one link, between one reading and
 * the other: so the certificate is read once more behind the key. *ret_is_one: whether it was the same.
 */
static int read_both(kin__secret *certificate, kin__secret *key, const kin_config *config,
                     bool *ret_is_one, kin_error *err)
{
    kin__secret again = KIN__SECRET_INIT;
    int code = read_certificate(certificate, config, err);

    if (code == 0)
        code = read_part(key, &config->key_data, config->key_file, KIN__PEM_KEY, "client key", err);
    if (code == 0)
        code = read_certificate(&again, config, err);
    *ret_is_one = code == 0 && kin__secret_equal(certificate, &again);
    kin__secret_done(&again);
    return code;
}

int kin__read_pair(kin__secret *ret_certificate, kin__secret *ret_key, const kin_config *config,
                   kin_error *err)
{
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    bool is_one = !kin__has_certificate(config);
    int code = 0;

    for (int i = 0; i < PAIR_TRIES && code == 0 && !is_one; i++)
        code = read_both(&certificate, &key, config, &is_one, err);
    if (code == 0 && !is_one)
        code = kin_error_set(err, KIN_ETLS, "client certificate: it changes all the time");
    if (code < 0) {
        kin__secret_done(&certificate);
        kin__secret_done(&key);
        return code;
    }
    kin__secret_done(ret_certificate);
    kin__secret_done(ret_key);
    *ret_certificate = certificate;
    *ret_key = key;
    return 0;
}

int kin__read_ca(kin__secret *ret, const kin_config *config, kin_error *err)
{
    if (config->ca_data.len == 0 && !config->ca_file) {
        kin__secret_done(ret);
        return 0;
    }
    return read_part(ret, &config->ca_data, config->ca_file, KIN__PEM_CERTIFICATES,
                     "certificate authority", err);
}
