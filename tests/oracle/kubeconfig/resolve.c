/* SPDX-License-Identifier: Apache-2.0 */
//go:build ignore

/*
 * The library's side of the kubeconfig oracle: the requests of README.md, one JSON object per line
 * in and one per line out. A configuration is opaque, so this looks inside.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/config.h"
#include "kinform/json.h"
#include "kinform/memory.h"
#include "kinform/value.h"
#include "side/lines.h"

#define LIST_MAX 16

/* Copies of a request's texts, freed with it. */
struct texts {
    char *all[512];
    size_t n;
};

/* --- requests --- */

static char *keep(struct texts *texts, kin_str text)
{
    char *copy = malloc(text.len + 1);

    if (!copy || texts->n == sizeof(texts->all) / sizeof(texts->all[0]))
        lines_die("too many texts", NULL);
    if (text.len)
        memcpy(copy, text.data, text.len);
    copy[text.len] = '\0';
    texts->all[texts->n++] = copy;
    return copy;
}

static const char *text_of(struct texts *texts, kin_value value)
{
    kin_scratch scratch;
    kin_str text = {NULL, 0};

    if (kin_value_type(value) == KIN_NONE)
        return NULL;
    if (kin_value_string(&text, value, &scratch) < 0)
        lines_die("a field of the request is no string", NULL);
    return keep(texts, text);
}

static const char *get(struct texts *texts, kin_value map, const char *name)
{
    return text_of(texts, kin_value_get(map, kin_str_of(name)));
}

static bool get_bool(kin_value map, const char *name)
{
    bool value = false;

    kin_value_bool(&value, kin_value_get(map, kin_str_of(name)));
    return value;
}

static size_t get_list(struct texts *texts, kin_value list, const char **ret)
{
    size_t n = 0;
    kin_iter it;

    if (kin_value_type(list) != KIN_ARRAY)
        return 0;
    kin_iter_init(&it, list);
    while (kin_iter_next(&it) && n < LIST_MAX)
        ret[n++] = text_of(texts, it.value);
    return n;
}

/* Room for lists of the options. */
struct lists {
    const char *groups[LIST_MAX];
    const char *values[LIST_MAX][LIST_MAX];
    kin_impersonate_extra extra[LIST_MAX];
};

static void get_extra(kin_config_options *o, struct lists *lists, struct texts *texts,
                      kin_value map)
{
    size_t n = 0;
    kin_iter it;

    if (kin_value_type(map) != KIN_MAP)
        return;
    kin_iter_init(&it, map);
    for (; n < LIST_MAX && kin_iter_next(&it); n++) {
        lists->extra[n].name = keep(texts, it.key);
        lists->extra[n].values = lists->values[n];
        lists->extra[n].n_values = get_list(texts, it.value, lists->values[n]);
    }
    o->impersonate_extra = lists->extra;
    o->n_impersonate_extra = n;
}

static void get_options(kin_config_options *o, struct lists *lists, struct texts *texts,
                        kin_value map)
{
    o->context = get(texts, map, "context");
    o->cluster = get(texts, map, "cluster");
    o->user = get(texts, map, "user");
    o->namespace_ = get(texts, map, "namespace");
    o->server = get(texts, map, "server");
    o->tls_server_name = get(texts, map, "tls_server_name");
    o->proxy_url = get(texts, map, "proxy_url");
    o->ca_file = get(texts, map, "ca_file");
    o->ca_data = get(texts, map, "ca_data");
    o->insecure = get_bool(map, "insecure");
    o->no_compression = get_bool(map, "no_compression");
    o->token = get(texts, map, "token");
    o->token_file = get(texts, map, "token_file");
    o->username = get(texts, map, "username");
    o->password = get(texts, map, "password");
    o->certificate_file = get(texts, map, "certificate_file");
    o->certificate_data = get(texts, map, "certificate_data");
    o->key_file = get(texts, map, "key_file");
    o->key_data = get(texts, map, "key_data");
    o->impersonate_user = get(texts, map, "as");
    o->impersonate_uid = get(texts, map, "as_uid");
    o->n_impersonate_groups =
        get_list(texts, kin_value_get(map, kin_str_of("as_groups")), lists->groups);
    o->impersonate_groups = lists->groups;
    get_extra(o, lists, texts, kin_value_get(map, kin_str_of("as_extra")));
}

/* --- answers --- */

static void put_string(const char *text)
{
    putchar('"');
    for (const char *p = text ? text : ""; *p; p++) {
        if (*p == '"' || *p == '\\')
            printf("\\%c", *p);
        else if ((unsigned char)*p < ' ')
            printf("\\u%04x", (unsigned)*p);
        else
            putchar(*p);
    }
    putchar('"');
}

static void put_field(const char *name, const char *text)
{
    printf(",\"%s\":", name);
    put_string(text);
}

static void put_bool(const char *name, bool value)
{
    printf(",\"%s\":%s", name, value ? "true" : "false");
}

static void put_texts(char *const *texts, size_t n)
{
    putchar('[');
    for (size_t i = 0; i < n; i++) {
        printf("%s", i ? "," : "");
        put_string(texts[i]);
    }
    putchar(']');
}

static void put_exec(const kin__exec_config *exec)
{
    static const char *const modes[] = {"IfAvailable", "Never", "Always"};

    if (!exec) {
        printf(",\"exec\":null");
        return;
    }
    printf(",\"exec\":{\"args\":");
    put_texts(exec->args, exec->n_args);
    put_field("api_version", exec->api_version);
    put_field("command", exec->command);
    put_field("install_hint", exec->install_hint);
    put_bool("cluster_info", exec->provide_cluster_info);
    put_field("interactive", modes[exec->interactive]);
    printf(",\"config\":%s,\"env\":[", exec->cluster_config ? exec->cluster_config : "null");
    for (size_t i = 0; i < exec->n_env; i++) {
        printf("%s[", i ? "," : "");
        put_string(exec->env[i].name);
        putchar(',');
        put_string(exec->env[i].value.data);
        putchar(']');
    }
    printf("]}");
}

static void put_config(const kin_config *c)
{
    printf("{\"ok\":true");
    put_field("server", c->server);
    put_field("tls_server_name", c->tls_server_name);
    put_field("proxy_url", c->proxy_url);
    put_field("ca_file", c->ca_file);
    put_field("ca_data", c->ca_data.data);
    put_bool("insecure", c->insecure);
    put_bool("no_compression", c->no_compression);
    put_field("namespace", c->namespace_);
    put_field("certificate_file", c->certificate_file);
    put_field("certificate_data", c->certificate_data.data);
    put_field("key_file", c->key_file);
    put_field("key_data", c->key_data.data);
    put_field("token", c->token.data);
    put_field("token_file", c->token_file);
    put_field("username", c->username);
    put_field("password", c->password.data);
    put_field("as", c->impersonate_user);
    put_field("as_uid", c->impersonate_uid);
    printf(",\"as_groups\":");
    put_texts(c->impersonate_groups, c->n_impersonate_groups);
    printf(",\"as_extra\":{");
    for (size_t i = 0; i < c->n_impersonate_extra; i++) {
        printf("%s", i ? "," : "");
        put_string(c->impersonate_extra[i].name);
        putchar(':');
        put_texts(c->impersonate_extra[i].values, c->impersonate_extra[i].n_values);
    }
    putchar('}');
    put_exec(c->exec);
    printf("}\n");
}

static void set_env(const char *name, const char *value)
{
    if (value && value[0])
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void answer(kin_value request)
{
    struct texts texts = {.n = 0};
    struct lists lists;
    kin_error err = KIN_ERROR_INIT;
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_config *config = NULL;

    options.kubeconfig = get(&texts, request, "kubeconfig");
    set_env("KUBECONFIG", get(&texts, request, "list"));
    set_env("HOME", get(&texts, request, "home"));
    kin_value given = kin_value_get(request, kin_str_of("options"));
    if (kin_value_type(given) == KIN_MAP)
        get_options(&options, &lists, &texts, given);
    if (kin_config_load(&config, &options, &err) == 0) {
        put_config(config);
    } else {
        printf("{\"ok\":false,\"code\":\"%s\"", kin_error_name(err.code));
        put_field("error", err.message);
        printf("}\n");
    }
    kin_config_unref(config);
    for (size_t i = 0; i < texts.n; i++)
        free(texts.all[i]);
}

int main(void)
{
    unsetenv("KUBERNETES_SERVICE_HOST");
    lines_serve_json(answer);
    return 0;
}
