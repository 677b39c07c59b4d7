/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolving settings.
 *
 * Every setting is picked from the options or from its entry, and remembers where it came from, so
 * that an error can tell it. Settings that belong together are picked together: with any of a group
 * in the options, those of the entry do not count. Then what was picked is checked as a whole, and
 * copied. Secrets are not part of messages; names, paths and versions are.
 */
#include "client/resolve.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "client/credentials_check.h"
#include "client/exec_policy.h"
#include "client/files.h"
#include "client/server_url.h"

enum setting_id {
    SERVER,
    TLS_SERVER_NAME,
    PROXY_URL,
    CA_FILE,
    CA_DATA,
    INSECURE,
    CERTIFICATE_FILE,
    CERTIFICATE_DATA,
    KEY_FILE,
    KEY_DATA,
    TOKEN,
    TOKEN_FILE,
    USERNAME,
    PASSWORD,
    AS,
    AS_UID,
    SETTINGS,
};

/* What was picked, BORROWED. */
struct setting {
    const char *text; /* NULL: not set */
    size_t len;
    const kin__kube_entry *entry; /* NULL: it is an option */
    uint8_t field;
};

struct resolution {
    const kin__resolve_input *in;
    struct setting all[SETTINGS];
    char *paths[SETTINGS]; /* those that are relative to a kubeconfig: OWNED, resolved */
};

static const char *const option_names[SETTINGS] = {
    [SERVER] = "server",
    [TLS_SERVER_NAME] = "tls_server_name",
    [PROXY_URL] = "proxy_url",
    [CA_FILE] = "ca_file",
    [CA_DATA] = "ca_data",
    [INSECURE] = "insecure",
    [CERTIFICATE_FILE] = "certificate_file",
    [CERTIFICATE_DATA] = "certificate_data",
    [KEY_FILE] = "key_file",
    [KEY_DATA] = "key_data",
    [TOKEN] = "token",
    [TOKEN_FILE] = "token_file",
    [USERNAME] = "username",
    [PASSWORD] = "password",
    [AS] = "impersonate_user",
    [AS_UID] = "impersonate_uid",
};

static const char *set_or_null(const char *text)
{
    return text && text[0] ? text : NULL;
}

/* --- errors --- */

static void place_in_entry(char *buf, size_t size, const kin__kube_entry *entry, uint32_t line,
                           const char *field)
{
    const char *kind = kin__kube_kind_name(entry->kind);

    if (entry->line == 0)
        snprintf(buf, size, "%s: %s", entry->file, field);
    else
        snprintf(buf, size, "%s:%u: %ss[%u].%s.%s", entry->file, line ? line : entry->line, kind,
                 entry->index, kind, field);
}

/* Where a setting came from. */
static void place_of(char *buf, size_t size, const struct resolution *r, enum setting_id id)
{
    const struct setting *setting = &r->all[id];

    if (setting->entry)
        place_in_entry(buf, size, setting->entry, setting->entry->values[setting->field].line,
                       kin__kube_field_name(setting->entry->kind, setting->field));
    else
        snprintf(buf, size, "option %s", option_names[id]);
}

static int fail(const struct resolution *r, enum setting_id id, int code, kin_error *err,
                const char *fmt, ...) KIN_PRINTF(5, 6);

/* Report what is wrong with a setting, with the place it came from in front. */
static int fail(const struct resolution *r, enum setting_id id, int code, kin_error *err,
                const char *fmt, ...)
{
    char place[320];
    char message[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);
    place_of(place, sizeof(place), r, id);
    return kin_error_set(err, code, "%s: %s", place, message);
}

static int fail_user(const kin__kube_entry *user, uint32_t line, const char *field, kin_error *err,
                     const char *message)
{
    char place[320];

    place_in_entry(place, sizeof(place), user, line, field);
    return kin_error_set(err, KIN_EINVAL, "%s: %s", place, message);
}

/* --- picking --- */

static void take_option(struct resolution *r, enum setting_id id, const char *text)
{
    text = set_or_null(text);
    r->all[id] = (struct setting){text, text ? strlen(text) : 0, NULL, 0};
}

static void take_entry(struct resolution *r, enum setting_id id, const kin__kube_entry *entry,
                       uint8_t field)
{
    if (entry)
        r->all[id] = (struct setting){entry->values[field].text.data, entry->values[field].text.len,
                                      entry, field};
}

static void pick(struct resolution *r, enum setting_id id, const char *option, bool is_option,
                 const kin__kube_entry *entry, uint8_t field)
{
    if (is_option || set_or_null(option))
        take_option(r, id, option);
    else
        take_entry(r, id, entry, field);
}

static bool either(const char *a, const char *b)
{
    return set_or_null(a) || set_or_null(b);
}

static void pick_cluster(struct resolution *r)
{
    const kin_config_options *o = r->in->options;
    const kin__kube_entry *c = r->in->cluster;
    bool trust = o->insecure || either(o->ca_file, o->ca_data);

    pick(r, SERVER, o->server, false, c, KIN__CLUSTER_SERVER);
    pick(r, PROXY_URL, o->proxy_url, false, c, KIN__CLUSTER_PROXY_URL);
    /* The name in the kubeconfig is that of the kubeconfig's server. */
    pick(r, TLS_SERVER_NAME, o->tls_server_name, set_or_null(o->server), c,
         KIN__CLUSTER_TLS_SERVER_NAME);
    pick(r, CA_FILE, o->ca_file, trust, c, KIN__CLUSTER_CA_FILE);
    pick(r, CA_DATA, o->ca_data, trust, c, KIN__CLUSTER_CA_DATA);
    pick(r, INSECURE, o->insecure ? "true" : NULL, trust, c, KIN__CLUSTER_INSECURE);
}

static void pick_user(struct resolution *r)
{
    const kin_config_options *o = r->in->options;
    const kin__kube_entry *u = r->in->user;
    bool certificate = either(o->certificate_file, o->certificate_data);
    bool key = either(o->key_file, o->key_data);
    bool token = either(o->token, o->token_file);

    pick(r, CERTIFICATE_FILE, o->certificate_file, certificate, u, KIN__USER_CERTIFICATE_FILE);
    pick(r, CERTIFICATE_DATA, o->certificate_data, certificate, u, KIN__USER_CERTIFICATE_DATA);
    pick(r, KEY_FILE, o->key_file, key, u, KIN__USER_KEY_FILE);
    pick(r, KEY_DATA, o->key_data, key, u, KIN__USER_KEY_DATA);
    pick(r, TOKEN, o->token, token, u, KIN__USER_TOKEN);
    pick(r, TOKEN_FILE, o->token_file, token, u, KIN__USER_TOKEN_FILE);
    pick(r, USERNAME, o->username, false, u, KIN__USER_USERNAME);
    pick(r, PASSWORD, o->password, false, u, KIN__USER_PASSWORD);
    pick(r, AS, o->impersonate_user, false, u, KIN__USER_AS);
    pick(r, AS_UID, o->impersonate_uid, false, u, KIN__USER_AS_UID);
}

/* Paths in a kubeconfig are relative to it. */
static int resolve_path(struct resolution *r, enum setting_id id, kin_error *err)
{
    struct setting *setting = &r->all[id];

    if (!setting->text || !setting->entry)
        return 0;
    int code = kin__file_resolve(&r->paths[id], setting->entry->file, setting->text, err);
    if (code)
        return code;
    setting->text = r->paths[id];
    setting->len = strlen(r->paths[id]);
    return 0;
}

static int resolve_paths(struct resolution *r, kin_error *err)
{
    static const enum setting_id ids[] = {CA_FILE, CERTIFICATE_FILE, KEY_FILE, TOKEN_FILE};
    int code = 0;

    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]) && !code; i++)
        code = resolve_path(r, ids[i], err);
    return code;
}

/* --- checking --- */

static bool has(const struct resolution *r, enum setting_id id)
{
    return r->all[id].text != NULL;
}

static int check_file(const struct resolution *r, enum setting_id id, kin_error *err)
{
    char place[320];
    char what[480];
    int os_error = has(r, id) ? kin__file_check(r->all[id].text) : 0;

    if (os_error == 0)
        return 0;
    place_of(place, sizeof(place), r, id);
    snprintf(what, sizeof(what), "%s: %s", place, r->all[id].text);
    return kin__error_system(err, os_error, what);
}

static int check_cluster(const struct resolution *r, kin_error *err)
{
    const char *defect = NULL;

    if (!has(r, SERVER))
        return fail(r, SERVER, KIN_EINVAL, err, "there is no server");
    if (has(r, PROXY_URL))
        defect = kin__proxy_url_defect(kin_str_make(r->all[PROXY_URL].text, r->all[PROXY_URL].len));
    if (defect)
        return fail(r, PROXY_URL, KIN_EINVAL, err, "not a valid URL: %s", defect);
    if (has(r, CA_FILE) && has(r, CA_DATA))
        return fail(r, CA_FILE, KIN_EINVAL, err, "set together with its data");
    if (has(r, INSECURE) && (has(r, CA_FILE) || has(r, CA_DATA)))
        return fail(r, INSECURE, KIN_EINVAL, err,
                    "set together with a certificate authority, which would not be used");
    return check_file(r, CA_FILE, err);
}

/* A key without a certificate is not used, so nobody looks at it. */
static int check_certificate(const struct resolution *r, kin_error *err)
{
    if (!has(r, CERTIFICATE_FILE) && !has(r, CERTIFICATE_DATA))
        return 0;
    enum setting_id certificate = has(r, CERTIFICATE_FILE) ? CERTIFICATE_FILE : CERTIFICATE_DATA;
    if (has(r, CERTIFICATE_FILE) && has(r, CERTIFICATE_DATA))
        return fail(r, CERTIFICATE_FILE, KIN_EINVAL, err, "set together with its data");
    if (has(r, KEY_FILE) && has(r, KEY_DATA))
        return fail(r, KEY_FILE, KIN_EINVAL, err, "set together with its data");
    if (!has(r, KEY_FILE) && !has(r, KEY_DATA))
        return fail(r, certificate, KIN_EINVAL, err, "set without a key");
    int code = check_file(r, CERTIFICATE_FILE, err);
    return code ? code : check_file(r, KEY_FILE, err);
}

static int check_exec(const kin__kube_entry *user, kin_error *err)
{
    const kin__kube_exec *exec = user->exec;
    const char *version = exec->values[KIN__EXEC_API_VERSION].text.data;
    const char *mode = exec->values[KIN__EXEC_INTERACTIVE].text.data;

    if (!exec->values[KIN__EXEC_COMMAND].text.data)
        return fail_user(user, exec->line, "exec.command", err, "there is none");
    if (!version)
        return fail_user(user, exec->line, "exec.apiVersion", err, "there is none");
    if (strcmp(version, "client.authentication.k8s.io/v1") != 0 &&
        strcmp(version, "client.authentication.k8s.io/v1beta1") != 0)
        return fail_user(user, exec->values[KIN__EXEC_API_VERSION].line, "exec.apiVersion", err,
                         "is not client.authentication.k8s.io/v1 or /v1beta1");
    for (size_t i = 0; i < exec->n_env; i++) {
        if (!exec->env[i].name[0] || strchr(exec->env[i].name, '='))
            return fail_user(user, exec->line, "exec.env", err, "a name is empty or has a '='");
    }
    if (!mode && strcmp(version, "client.authentication.k8s.io/v1") == 0)
        return fail_user(user, exec->line, "exec.interactiveMode", err, "must be set");
    if (mode && strcmp(mode, "Never") != 0 && strcmp(mode, "IfAvailable") != 0 &&
        strcmp(mode, "Always") != 0)
        return fail_user(user, exec->values[KIN__EXEC_INTERACTIVE].line, "exec.interactiveMode",
                         err, "is not Never, IfAvailable or Always");
    return 0;
}

static int check_plugins(const kin__kube_entry *user, kin_error *err)
{
    if (!user)
        return 0;
    if (user->auth_provider) {
        char message[160];

        snprintf(message, sizeof(message),
                 "\"%s\" is not supported; use an exec plugin in its place", user->auth_provider);
        return fail_user(user, user->auth_provider_line, "auth-provider", err, message);
    }
    return user->exec ? check_exec(user, err) : 0;
}

static int check_options_lists(const kin_config_options *o, kin_error *err)
{
    if (o->n_impersonate_groups > 0 && !o->impersonate_groups)
        return kin__error_null(err, "impersonate_groups");
    if (o->n_impersonate_extra > 0 && !o->impersonate_extra)
        return kin__error_null(err, "impersonate_extra");
    for (size_t i = 0; i < o->n_impersonate_groups; i++) {
        if (!o->impersonate_groups[i])
            return kin__error_null(err, "one of impersonate_groups");
    }
    for (size_t i = 0; i < o->n_impersonate_extra; i++) {
        const kin_impersonate_extra *extra = &o->impersonate_extra[i];

        if (!set_or_null(extra->name))
            return kin_error_set(err, KIN_EINVAL, "option impersonate_extra: a name is empty");
        for (size_t k = 0; k < extra->n_values; k++) {
            if (!extra->values || !extra->values[k])
                return kin__error_null(err, "one of impersonate_extra's values");
        }
    }
    return 0;
}

static int check_impersonation(const struct resolution *r, kin_error *err)
{
    const kin_config_options *o = r->in->options;
    const kin__kube_entry *user = r->in->user;
    static const char message[] = "set without a user to impersonate";

    if (has(r, AS))
        return 0;
    if (has(r, AS_UID))
        return fail(r, AS_UID, KIN_EINVAL, err, "%s", message);
    if (o->n_impersonate_groups > 0 || o->n_impersonate_extra > 0)
        return kin_error_set(err, KIN_EINVAL, "options impersonate_groups, impersonate_extra: %s",
                             message);
    if (user && user->n_groups > 0)
        return fail_user(user, user->groups_line, "as-groups", err, message);
    if (user && user->n_extra > 0)
        return fail_user(user, user->groups_line, "as-user-extra", err, message);
    return 0;
}

static int check_user(const struct resolution *r, kin_error *err)
{
    int code = check_certificate(r, err);

    if (!code && has(r, TOKEN) && (has(r, USERNAME) || has(r, PASSWORD)))
        code = fail(r, has(r, USERNAME) ? USERNAME : PASSWORD, KIN_EINVAL, err,
                    "set together with a token");
    if (!code)
        code = check_plugins(r->in->user, err);
    if (!code)
        code = check_impersonation(r, err);
    if (!code && !has(r, TOKEN))
        code = check_file(r, TOKEN_FILE, err);
    return code;
}

/* --- copying --- */

static int copy_setting(char **ret, const struct resolution *r, enum setting_id id)
{
    return kin__copy_text(ret, r->all[id].text);
}

static int copy_secret(kin__secret *ret, const struct resolution *r, enum setting_id id)
{
    return kin__secret_set(ret, kin_str_make(r->all[id].text, r->all[id].len));
}

static int copy_certificate(kin_config *config, const struct resolution *r)
{
    if (!has(r, CERTIFICATE_FILE) && !has(r, CERTIFICATE_DATA))
        return 0;
    return copy_setting(&config->certificate_file, r, CERTIFICATE_FILE) ||
                   copy_setting(&config->key_file, r, KEY_FILE) ||
                   copy_secret(&config->certificate_data, r, CERTIFICATE_DATA) ||
                   copy_secret(&config->key_data, r, KEY_DATA)
               ? KIN_ENOMEM
               : 0;
}

static int copy_settings(kin_config *config, const struct resolution *r)
{
    const kin__resolve_input *in = r->in;
    const char *namespace_ = set_or_null(in->namespace_);
    bool failed = copy_setting(&config->tls_server_name, r, TLS_SERVER_NAME) ||
                  copy_setting(&config->proxy_url, r, PROXY_URL) ||
                  copy_setting(&config->ca_file, r, CA_FILE) ||
                  copy_secret(&config->ca_data, r, CA_DATA) ||
                  kin__copy_text(&config->namespace_, namespace_ ? namespace_ : "default") ||
                  copy_certificate(config, r) || copy_secret(&config->token, r, TOKEN) ||
                  copy_setting(&config->token_file, r, TOKEN_FILE) ||
                  copy_setting(&config->username, r, USERNAME) ||
                  copy_secret(&config->password, r, PASSWORD) ||
                  copy_setting(&config->impersonate_user, r, AS) ||
                  copy_setting(&config->impersonate_uid, r, AS_UID) ||
                  kin__copy_text(&config->context, set_or_null(in->context)) ||
                  kin__copy_text(&config->cluster, set_or_null(in->cluster_name)) ||
                  kin__copy_text(&config->user, set_or_null(in->user_name));

    config->insecure = has(r, INSECURE);
    config->no_compression =
        in->options->no_compression || kin__kube_text(in->cluster, KIN__CLUSTER_NO_COMPRESSION);
    config->plain_credentials = in->options->plain_credentials;
    return failed ? KIN_ENOMEM : 0;
}

static int copy_groups(kin_config *config, const kin__resolve_input *in)
{
    const char *const *groups = in->options->impersonate_groups;
    size_t n = in->options->n_impersonate_groups;

    if (n == 0 && in->user) {
        groups = (const char *const *)in->user->groups;
        n = in->user->n_groups;
    }
    int code = kin__texts_copy(&config->impersonate_groups, groups, n);
    if (!code)
        config->n_impersonate_groups = n;
    return code;
}

/* Set one by name, in the place of another of that name. There is room. */
static int put_extra(kin_config *config, const char *name, const char *const *values, size_t n)
{
    kin__impersonate_extra *extra = config->impersonate_extra;
    size_t i = 0;
    char **copies = NULL;

    if (kin__texts_copy(&copies, values, n))
        return KIN_ENOMEM;
    while (i < config->n_impersonate_extra && strcmp(extra[i].name, name) != 0)
        i++;
    if (i == config->n_impersonate_extra) {
        char *copy = kin__memdup_str(kin_str_of(name));

        if (!copy) {
            kin__texts_free(copies, n);
            return KIN_ENOMEM;
        }
        extra[config->n_impersonate_extra++].name = copy;
    }
    kin__texts_free(extra[i].values, extra[i].n_values);
    extra[i].values = copies;
    extra[i].n_values = n;
    return 0;
}

static int copy_extra(kin_config *config, const kin__resolve_input *in)
{
    const kin_config_options *o = in->options;
    size_t n_user = in->user ? in->user->n_extra : 0;
    int code = 0;

    if (n_user + o->n_impersonate_extra == 0)
        return 0;
    config->impersonate_extra =
        kin__calloc(n_user + o->n_impersonate_extra, sizeof(*config->impersonate_extra));
    if (!config->impersonate_extra)
        return KIN_ENOMEM;
    for (size_t i = 0; i < n_user && !code; i++) {
        const kin__impersonate_extra *extra = &in->user->extra[i];

        code = put_extra(config, extra->name, (const char *const *)extra->values, extra->n_values);
    }
    for (size_t i = 0; i < o->n_impersonate_extra && !code; i++)
        code = put_extra(config, o->impersonate_extra[i].name, o->impersonate_extra[i].values,
                         o->impersonate_extra[i].n_values);
    return code;
}

static int copy_env(kin__exec_config *exec, const kin__kube_exec *from)
{
    if (from->n_env == 0)
        return 0;
    exec->env = kin__calloc(from->n_env, sizeof(*exec->env));
    if (!exec->env)
        return KIN_ENOMEM;
    for (; exec->n_env < from->n_env; exec->n_env++) {
        kin__exec_env *to = &exec->env[exec->n_env];
        const kin__exec_env *variable = &from->env[exec->n_env];

        if (kin__secret_set(&to->value, kin__secret_str(&variable->value)))
            return KIN_ENOMEM;
        to->name = kin__memdup_str(kin_str_of(variable->name));
        if (!to->name) {
            kin__secret_done(&to->value);
            return KIN_ENOMEM;
        }
    }
    return 0;
}

static enum kin__interactive interactive_of(const kin__kube_exec *exec)
{
    const char *mode = exec->values[KIN__EXEC_INTERACTIVE].text.data;

    if (mode && strcmp(mode, "Never") == 0)
        return KIN__INTERACTIVE_NEVER;
    return mode && strcmp(mode, "Always") == 0 ? KIN__INTERACTIVE_ALWAYS
                                               : KIN__INTERACTIVE_IF_AVAILABLE;
}

/* A command with a slash in it is a path. */
static int copy_command(kin__exec_config *exec, const kin__kube_entry *user, kin_error *err)
{
    const char *command = user->exec->values[KIN__EXEC_COMMAND].text.data;

    if (strchr(command, '/'))
        return kin__file_resolve(&exec->command, user->file, command, err);
    return kin__copy_text(&exec->command, command) ? kin__error_no_memory(err) : 0;
}

static int copy_exec_parts(kin__exec_config *exec, const kin__resolve_input *in)
{
    const kin__kube_exec *from = in->user->exec;
    const kin__secret *hint = &from->values[KIN__EXEC_INSTALL_HINT].text;

    if (kin__copy_text(&exec->api_version, from->values[KIN__EXEC_API_VERSION].text.data) ||
        kin__texts_copy(&exec->args, (const char *const *)from->args, from->n_args))
        return KIN_ENOMEM;
    exec->n_args = from->n_args;
    if (copy_env(exec, from) ||
        kin__copy_text(&exec->cluster_config, in->cluster ? in->cluster->exec_config : NULL))
        return KIN_ENOMEM;
    if (hint->len > 0) {
        exec->install_hint = kin__printable(kin__secret_str(hint));
        if (!exec->install_hint)
            return KIN_ENOMEM;
    }
    exec->provide_cluster_info = from->values[KIN__EXEC_CLUSTER_INFO].text.len > 0;
    exec->interactive = interactive_of(from);
    return 0;
}

static int copy_exec(kin_config *config, const kin__resolve_input *in, kin_error *err)
{
    if (!in->user || !in->user->exec)
        return 0;
    config->exec = kin__calloc(1, sizeof(*config->exec));
    if (!config->exec)
        return kin__error_no_memory(err);
    int code = copy_command(config->exec, in->user, err);
    if (!code && copy_exec_parts(config->exec, in))
        code = kin__error_no_memory(err);
    return code;
}

/* One that is not going to be run needs no leave. */
static int apply_exec_policy(kin_config *config, const kin__resolve_input *in, kin_error *err)
{
    char place[320];

    if (!kin__uses_plugin(config))
        return 0;
    int code = kin__exec_policy_apply(in->options, &config->exec->command);
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    if (code == 0)
        return 0;
    place_in_entry(place, sizeof(place), in->user, in->user->exec->values[KIN__EXEC_COMMAND].line,
                   "exec.command");
    return kin_error_set(err, code, "%s: option exec_policy does not allow %s", place,
                         config->exec->command);
}

static int set_server(kin_config *config, const struct resolution *r, kin_error *err)
{
    const char *why = NULL;
    kin_str text = kin_str_make(r->all[SERVER].text, r->all[SERVER].len);
    int code = kin__server_url(&config->server, text, &why);

    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return code ? fail(r, SERVER, code, err, "not a valid URL: %s", why) : 0;
}

/* --- all of it --- */

bool kin__resolve_names_cluster(const kin_config_options *o)
{
    return o->insecure || o->no_compression || either(o->server, o->tls_server_name) ||
           either(o->proxy_url, o->ca_file) || set_or_null(o->ca_data);
}

static int fill(kin_config *config, struct resolution *r, kin_error *err)
{
    int code = resolve_paths(r, err);

    if (!code)
        code = check_cluster(r, err);
    if (!code)
        code = set_server(config, r, err);
    if (!code)
        code = check_user(r, err);
    if (!code &&
        (copy_settings(config, r) || copy_groups(config, r->in) || copy_extra(config, r->in)))
        code = kin__error_no_memory(err);
    if (!code)
        code = copy_exec(config, r->in, err);
    return code ? code : apply_exec_policy(config, r->in, err);
}

int kin__resolve(kin_config **ret, const kin__resolve_input *input, kin_error *err)
{
    struct resolution r = {.in = input};
    int code = check_options_lists(input->options, err);

    if (!code)
        code = kin__exec_policy_check(input->options, err);
    if (code)
        return code;
    kin_config *config = kin__config_alloc();
    if (!config)
        return kin__error_no_memory(err);
    pick_cluster(&r);
    pick_user(&r);
    code = fill(config, &r, err);
    for (size_t i = 0; i < SETTINGS; i++)
        kin__free(r.paths[i]);
    if (code)
        kin_config_unref(config);
    else
        *ret = config;
    return code;
}
