/* SPDX-License-Identifier: Apache-2.0 */
#include "client/credentials_check.h"

#include <arpa/inet.h>
#include <strings.h>

#include "base/error.h"
#include "base/str.h"
#include "client/certificates.h"
#include "client/exec_credential.h"
#include "client/pem.h"

static bool has_scheme(const kin_config *config, const char *scheme)
{
    return kin__str_starts_with(kin_str_of(config->server), kin_str_of(scheme));
}

bool kin__uses_tls(const kin_config *config)
{
    return has_scheme(config, "https://");
}

bool kin__uses_plugin(const kin_config *config)
{
    return config->exec && config->token.len == 0 && !config->token_file && !config->username &&
           !kin__has_certificate(config);
}

/* The host of "http://user@host:port/path". */
static kin_str host_of(const char *server)
{
    kin_str host = kin_str_of(server + strlen("http://"));

    host.len = strcspn(host.data, "/?#");
    const char *at = memrchr(host.data, '@', host.len);
    if (at)
        host = kin_str_make(at + 1, host.len - (size_t)(at + 1 - host.data));
    if (host.len > 0 && host.data[0] == '[')
        return kin_str_make(host.data + 1, kin__str_find(host, ']') - 1);
    host.len = kin__str_find(host, ':');
    return host;
}

/* By its address, or localhost: a name that begins with 127 is somebody's name. */
static bool is_loopback(kin_str host)
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr six;
    struct in_addr four;

    if (host.len >= sizeof(text))
        return false;
    memcpy(text, host.data, host.len);
    text[host.len] = '\0';
    if (inet_pton(AF_INET, text, &four) == 1)
        return ntohl(four.s_addr) >> 24 == 127;
    if (inet_pton(AF_INET6, text, &six) == 1)
        return IN6_IS_ADDR_LOOPBACK(&six);
    return strcasecmp(text, "localhost") == 0;
}

static bool is_secure(const kin_config *config)
{
    if (kin__uses_tls(config) || has_scheme(config, "unix://"))
        return true;
    return !config->proxy_url && is_loopback(host_of(config->server));
}

/* What would be sent in the clear; certificates never are. */
static bool has_something_to_send(const kin_config *config)
{
    return config->token.len > 0 || config->token_file || config->username ||
           kin__uses_plugin(config);
}

static int check_connection(const kin_config *config, kin_error *err)
{
    if (!config->server)
        return kin_error_set(err, KIN_EINVAL, "the configuration has no server");
    if (!kin__uses_tls(config) && !has_scheme(config, "http://") && !has_scheme(config, "unix://"))
        return kin_error_set(err, KIN_EINVAL,
                             "the server's address must begin with https://, http:// or unix://");
    if (has_something_to_send(config) && !is_secure(config) && !config->plain_credentials)
        return kin_error_set(
            err, KIN_EINVAL,
            "credentials would be sent in the clear: use https:// for the server%s%s, or set "
            "plain_credentials if you mean it",
            config->cluster ? " of cluster " : "", config->cluster ? config->cluster : "");
    return 0;
}

static int check_data(const kin__secret *data, enum kin__pem_kind kind, const char *what,
                      kin_error *err)
{
    const char *defect = data->len > 0 ? kin__pem_defect(kin__secret_str(data), kind) : NULL;

    return defect ? kin_error_set(err, KIN_EINVAL, "%s: the configuration %s", what, defect) : 0;
}

static int check_certificates(const kin_config *config, kin_error *err)
{
    bool has_key = config->key_data.len > 0 || config->key_file;
    int code;

    if (kin__has_certificate(config) != has_key)
        return kin_error_set(err, KIN_EINVAL,
                             "a client certificate and its key go together; %s is missing",
                             has_key ? "the certificate" : "the key");
    if (config->insecure && (config->ca_data.len > 0 || config->ca_file))
        return kin_error_set(err, KIN_EINVAL,
                             "the server's certificate is not to be verified, and there is a "
                             "certificate authority to verify it with: remove one");
    code = check_data(&config->certificate_data, KIN__PEM_CERTIFICATES, "client certificate", err);
    if (code == 0)
        code = check_data(&config->key_data, KIN__PEM_KEY, "client key", err);
    if (code == 0)
        code = check_data(&config->ca_data, KIN__PEM_CERTIFICATES, "certificate authority", err);
    return code;
}

static int check_texts(const kin_config *config, kin_error *err)
{
    if (config->username && (config->token.len > 0 || config->token_file))
        return kin_error_set(err, KIN_EINVAL,
                             "there is a token and a user name: only one can be sent");
    if (config->username && strchr(config->username, ':'))
        return kin_error_set(err, KIN_EINVAL, "a user name must not have a colon in it");
    if (config->token.len > 0 && !kin__token_is_usable(kin__secret_str(&config->token)))
        return kin_error_set(err, KIN_EINVAL,
                             "the token has control characters or spaces around it");
    return 0;
}

static bool is_known_version(const char *api_version)
{
    return api_version && (strcmp(api_version, "client.authentication.k8s.io/v1") == 0 ||
                           strcmp(api_version, "client.authentication.k8s.io/v1beta1") == 0);
}

static int check_plugin(const kin__exec_config *exec, kin_error *err)
{
    if (!exec->command || exec->command[0] == '\0')
        return kin_error_set(err, KIN_EINVAL, "the exec plugin has no command");
    if (!is_known_version(exec->api_version))
        return kin_error_set(
            err, KIN_EINVAL,
            "exec plugin %s: apiVersion must be client.authentication.k8s.io/v1 or "
            "client.authentication.k8s.io/v1beta1",
            exec->command);
    for (size_t i = 0; i < exec->n_env; i++) {
        if (!exec->env[i].name || exec->env[i].name[0] == '\0' || strchr(exec->env[i].name, '='))
            return kin_error_set(err, KIN_EINVAL,
                                 "exec plugin %s: variable %zu has a name that cannot be set",
                                 exec->command, i);
    }
    return 0;
}

int kin__credentials_check(const kin_config *config, kin_error *err)
{
    int code = check_connection(config, err);

    if (code == 0)
        code = check_certificates(config, err);
    if (code == 0)
        code = check_texts(config, err);
    if (code == 0 && kin__uses_plugin(config))
        code = check_plugin(config->exec, err);
    return code;
}
