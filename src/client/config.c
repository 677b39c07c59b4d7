/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Configurations: life, getters, and what is said of them to people.
 */
#include "client/config.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "base/utf8.h"

/* --- parts --- */

void kin__texts_free(char **texts, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin__secret_wipe(texts[i], texts[i] ? strlen(texts[i]) : 0);
        kin__free(texts[i]);
    }
    kin__free(texts);
}

int kin__texts_copy(char ***ret, const char *const *texts, size_t n)
{
    char **copies = NULL;

    if (n > 0) {
        copies = kin__calloc(n, sizeof(*copies));
        if (!copies)
            return KIN_ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        copies[i] = kin__memdup_str(kin_str_of(texts[i]));
        if (!copies[i]) {
            kin__texts_free(copies, i);
            return KIN_ENOMEM;
        }
    }
    *ret = copies;
    return 0;
}

void kin__exec_env_free(kin__exec_env *env, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin__free(env[i].name);
        kin__secret_done(&env[i].value);
    }
    kin__free(env);
}

void kin__exec_config_free(kin__exec_config *exec)
{
    if (!exec)
        return;
    kin__free(exec->api_version);
    kin__free(exec->command);
    kin__texts_free(exec->args, exec->n_args);
    kin__exec_env_free(exec->env, exec->n_env);
    kin__free(exec->install_hint);
    kin__free(exec->cluster_config);
    kin__free(exec);
}

void kin__impersonate_extra_free(kin__impersonate_extra *extra, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        kin__free(extra[i].name);
        kin__texts_free(extra[i].values, extra[i].n_values);
    }
    kin__free(extra);
}

/* --- life --- */

kin_config *kin__config_alloc(void)
{
    kin_config *config = kin__calloc(1, sizeof(*config));

    if (config)
        kin__ref_init(&config->ref);
    return config;
}

static void config_free(kin_config *config)
{
    if (config->proxy_url)
        kin__secret_wipe(config->proxy_url, strlen(config->proxy_url));
    kin__free(config->server);
    kin__free(config->tls_server_name);
    kin__free(config->proxy_url);
    kin__free(config->ca_file);
    kin__secret_done(&config->ca_data);
    kin__free(config->namespace_);
    kin__free(config->certificate_file);
    kin__free(config->key_file);
    kin__secret_done(&config->certificate_data);
    kin__secret_done(&config->key_data);
    kin__secret_done(&config->token);
    kin__free(config->token_file);
    kin__free(config->username);
    kin__secret_done(&config->password);
    kin__exec_config_free(config->exec);
    kin__free(config->impersonate_user);
    kin__free(config->impersonate_uid);
    kin__texts_free(config->impersonate_groups, config->n_impersonate_groups);
    kin__impersonate_extra_free(config->impersonate_extra, config->n_impersonate_extra);
    kin__free(config->context);
    kin__free(config->cluster);
    kin__free(config->user);
    kin__free(config);
}

kin_config *kin_config_ref(kin_config *config)
{
    if (config)
        kin__ref_get(&config->ref);
    return config;
}

void kin_config_unref(kin_config *config)
{
    if (config && kin__ref_put(&config->ref))
        config_free(config);
}

/* --- getters --- */

const char *kin_config_server(const kin_config *config)
{
    return config ? config->server : NULL;
}

const char *kin_config_namespace(const kin_config *config)
{
    return config ? config->namespace_ : NULL;
}

const char *kin_config_context(const kin_config *config)
{
    return config ? config->context : NULL;
}

const char *kin_config_cluster(const kin_config *config)
{
    return config ? config->cluster : NULL;
}

const char *kin_config_user(const kin_config *config)
{
    return config ? config->user : NULL;
}

/* --- for people --- */

/* The character at p, of `len` bytes, which is well-formed. */
static uint32_t code_point(const char *p, size_t len)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t c = (unsigned char)p[0] & masks[len];

    for (size_t i = 1; i < len; i++)
        c = c << 6 | ((unsigned char)p[i] & 0x3fu);
    return c;
}

/* Controls but for white space; soft hyphens, joiners, marks of direction, byte order marks. */
static bool is_confusing(uint32_t c)
{
    static const uint32_t ranges[][2] = {
        {0x00, 0x08},     {0x0e, 0x1f},     {0x7f, 0x9f},     {0xad, 0xad},     {0x200b, 0x200f},
        {0x202a, 0x202e}, {0x2060, 0x206f}, {0xfeff, 0xfeff}, {0xfff9, 0xfffb}, {0xe0000, 0xe007f},
    };

    for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++) {
        if (c >= ranges[i][0] && c <= ranges[i][1])
            return true;
    }
    return false;
}

static void append_printable(kin__buf *buf, kin_str text)
{
    for (size_t at = 0; at < text.len;) {
        size_t len = kin__utf8_char_len(text.data + at, text.len - at);
        uint32_t c = len ? code_point(text.data + at, len) : 0xfffd;

        if (len == 0 || is_confusing(c))
            kin__buf_appendf(buf, "U+%04X", (unsigned)c);
        else
            kin__buf_append(buf, kin_str_make(text.data + at, len));
        at += len ? len : 1;
    }
}

char *kin__printable(kin_str text)
{
    kin__buf buf;
    char *printable = NULL;
    size_t len = 0;

    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__buf_append(&buf, kin_str_make("", 0));
    append_printable(&buf, text);
    if (kin__buf_take(&buf, &printable, &len))
        printable = NULL;
    kin__buf_done(&buf);
    return printable;
}

/* "name: value", if there is one. */
static void line(kin__buf *buf, const char *name, const char *value)
{
    if (!value)
        return;
    kin__buf_appendf(buf, "%s: ", name);
    for (kin_str rest = kin_str_of(value), part; kin__str_cut(&rest, '\n', &part);) {
        append_printable(buf, part);
        if (rest.data)
            kin__buf_append_char(buf, ' '); /* one line per setting */
    }
    kin__buf_append_char(buf, '\n');
}

static void secret_line(kin__buf *buf, const char *name, const kin__secret *secret)
{
    if (secret->len > 0)
        line(buf, name, "(set)");
}

/* Without the user and password that may stand in it. */
static void proxy_line(kin__buf *buf, const char *url)
{
    const char *host = url ? strstr(url, "://") : NULL;

    if (!host)
        return;
    host += 3;
    size_t len = strcspn(host, "/?#");
    const char *at = memrchr(host, '@', len);
    if (!at) {
        line(buf, "proxy", url);
        return;
    }
    kin__buf_appendf(buf, "proxy: %.*s(set)", (int)(host - url), url);
    append_printable(buf, kin_str_of(at));
    kin__buf_append_char(buf, '\n');
}

static void exec_lines(kin__buf *buf, const kin__exec_config *exec)
{
    static const char *const modes[] = {
        [KIN__INTERACTIVE_IF_AVAILABLE] = "if available",
        [KIN__INTERACTIVE_NEVER] = "never",
        [KIN__INTERACTIVE_ALWAYS] = "always",
    };

    if (!exec)
        return;
    line(buf, "exec plugin", exec->command);
    line(buf, "exec plugin API", exec->api_version);
    kin__buf_appendf(buf, "exec plugin arguments: %zu\n", exec->n_args);
    kin__buf_appendf(buf, "exec plugin variables: %zu\n", exec->n_env);
    line(buf, "exec plugin asks people", modes[exec->interactive]);
    line(buf, "exec plugin is told of the cluster", exec->provide_cluster_info ? "yes" : "no");
}

static void impersonation_lines(kin__buf *buf, const kin_config *config)
{
    line(buf, "impersonated user", config->impersonate_user);
    line(buf, "impersonated UID", config->impersonate_uid);
    for (size_t i = 0; i < config->n_impersonate_groups; i++)
        line(buf, "impersonated group", config->impersonate_groups[i]);
    for (size_t i = 0; i < config->n_impersonate_extra; i++)
        line(buf, "impersonated extra", config->impersonate_extra[i].name);
}

int kin_config_describe(const kin_config *config, char **ret, kin_error *err)
{
    kin__buf buf;
    size_t len = 0;

    if (!config || !ret)
        return kin__error_null(err, !config ? "config" : "ret");
    kin__buf_init(&buf, SIZE_MAX - 1);
    line(&buf, "server", config->server);
    line(&buf, "context", config->context);
    line(&buf, "cluster", config->cluster);
    line(&buf, "user", config->user);
    line(&buf, "namespace", config->namespace_);
    line(&buf, "TLS server name", config->tls_server_name);
    line(&buf, "server certificate verified", config->insecure ? "no" : NULL);
    line(&buf, "certificate authority", config->ca_file);
    secret_line(&buf, "certificate authority data", &config->ca_data);
    proxy_line(&buf, config->proxy_url);
    line(&buf, "compression", config->no_compression ? "no" : NULL);
    line(&buf, "credentials without TLS", config->plain_credentials ? "yes" : NULL);
    line(&buf, "client certificate", config->certificate_file);
    secret_line(&buf, "client certificate data", &config->certificate_data);
    line(&buf, "client key", config->key_file);
    secret_line(&buf, "client key data", &config->key_data);
    secret_line(&buf, "token", &config->token);
    line(&buf, "token file", config->token_file);
    line(&buf, "user name", config->username);
    secret_line(&buf, "password", &config->password);
    exec_lines(&buf, config->exec);
    impersonation_lines(&buf, config);
    int code = kin__buf_take(&buf, ret, &len);
    kin__buf_done(&buf);
    return code ? kin__error_no_memory(err) : 0;
}
