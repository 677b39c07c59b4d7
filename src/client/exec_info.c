/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing KUBERNETES_EXEC_INFO, member for member as client-go does: what is empty is left out,
 * but for the server and `interactive`.
 */
#include "base/memory.h"
#include "client/base64.h"
#include "client/exec_credential.h"

/* A text that grows and is wiped wherever it has been. */
struct text {
    kin__secret secret;
    size_t cap;
    bool failed;
};

static bool make_room(struct text *text, size_t n)
{
    size_t cap = text->cap > 512 ? text->cap : 512;

    if (text->failed || text->cap - text->secret.len > n)
        return !text->failed;
    while (cap < SIZE_MAX / 4 && cap - text->secret.len <= n)
        cap *= 2;
    char *data = cap < SIZE_MAX / 4 ? kin__malloc(cap) : NULL;
    if (!data) {
        text->failed = true;
        return false;
    }
    if (text->secret.len > 0)
        memcpy(data, text->secret.data, text->secret.len);
    kin__secret larger = {data, text->secret.len};
    kin__secret_done(&text->secret);
    text->secret = larger;
    text->cap = cap;
    return true;
}

static void put_text(struct text *text, kin_str s)
{
    if (s.len == 0 || !make_room(text, s.len))
        return;
    memcpy(text->secret.data + text->secret.len, s.data, s.len);
    text->secret.len += s.len;
    text->secret.data[text->secret.len] = '\0';
}

static void put_escape(struct text *text, char c)
{
    static const char hex[] = "0123456789abcdef";
    char escape[6] = {'\\', 'u', '0', '0', hex[(unsigned char)c >> 4], hex[(unsigned char)c & 15]};

    if (c == '"' || c == '\\') {
        escape[1] = c;
        put_text(text, kin_str_make(escape, 2));
    } else {
        put_text(text, kin_str_make(escape, sizeof(escape)));
    }
}

static void put_string(struct text *text, kin_str s)
{
    size_t from = 0;

    put_text(text, kin_str_of("\""));
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.data[i];

        if (c >= 0x20 && c != '"' && c != '\\')
            continue;
        put_text(text, kin_str_make(s.data + from, i - from));
        put_escape(text, s.data[i]);
        from = i + 1;
    }
    put_text(text, kin_str_make(s.data + from, s.len - from));
    put_text(text, kin_str_of("\""));
}

/* A member behind the first, if there is something to say. */
static void put_member(struct text *text, const char *key, kin_str value)
{
    if (value.len == 0)
        return;
    put_text(text, kin_str_of(","));
    put_string(text, kin_str_of(key));
    put_text(text, kin_str_of(":"));
    put_string(text, value);
}

static void put_true(struct text *text, const char *key, bool is_true)
{
    if (!is_true)
        return;
    put_text(text, kin_str_of(","));
    put_string(text, kin_str_of(key));
    put_text(text, kin_str_of(":true"));
}

static void put_cluster(struct text *text, const kin_config *config, kin_str ca)
{
    kin__secret encoded = KIN__SECRET_INIT;

    if (kin__base64_encode(&encoded, ca) < 0)
        text->failed = true;
    put_text(text, kin_str_of("\"cluster\":{\"server\":"));
    put_string(text, kin_str_of(config->server));
    put_member(text, "tls-server-name", kin_str_of(config->tls_server_name));
    put_true(text, "insecure-skip-tls-verify", config->insecure);
    put_member(text, "certificate-authority-data", kin__secret_str(&encoded));
    put_member(text, "proxy-url", kin_str_of(config->proxy_url));
    put_true(text, "disable-compression", config->no_compression);
    if (config->exec->cluster_config) {
        put_text(text, kin_str_of(",\"config\":"));
        put_text(text, kin_str_of(config->exec->cluster_config));
    }
    put_text(text, kin_str_of("},"));
    kin__secret_done(&encoded);
}

int kin__exec_info(kin__secret *ret, const kin_config *config, kin_str ca, bool interactive)
{
    struct text text = {KIN__SECRET_INIT, 0, false};

    put_text(&text, kin_str_of("{\"kind\":\"ExecCredential\",\"apiVersion\":"));
    put_string(&text, kin_str_of(config->exec->api_version));
    put_text(&text, kin_str_of(",\"spec\":{"));
    if (config->exec->provide_cluster_info)
        put_cluster(&text, config, ca);
    put_text(&text, kin_str_of(interactive ? "\"interactive\":true}}" : "\"interactive\":false}}"));
    if (text.failed) {
        kin__secret_done(&text.secret);
        return KIN_ENOMEM;
    }
    kin__secret_done(ret);
    *ret = text.secret;
    return 0;
}
