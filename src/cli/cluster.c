/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cluster.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/base/text.h"
#include "kinform/log.h"
#include "kinform/selector.h"
#include "kinform/version.h"

#define AT(field) offsetof(struct cluster_settings, field)
const struct option cluster_options[N_CLUSTER_OPTIONS] = {
    {"kubeconfig", 0, OPTION_TEXT, AT(kubeconfig), "FILE",
     "the kubeconfig; default: $KUBECONFIG, ~/.kube/config, or the pod's service account", "<file>",
     0},
    {"context", 0, OPTION_TEXT, AT(context), "NAME", "another context than the current one", NULL,
     0},
    {"cluster", 0, OPTION_TEXT, AT(cluster), "NAME", "another cluster than the context's", NULL, 0},
    {"user", 0, OPTION_TEXT, AT(user), "NAME", "another user than the context's", NULL, 0},
    {"server", 's', OPTION_TEXT, AT(server), "URL", "another server than the cluster's", NULL, 0},
    {"token", 0, OPTION_TEXT, AT(token), "TOKEN|@FILE",
     "a bearer token, instead of the user's; others on the machine see TOKEN, not the contents of FILE",
     "<@file>", 0},
    {"certificate-authority", 0, OPTION_TEXT, AT(ca_file), "FILE",
     "whom to trust, instead of the cluster's", "<file>", 0},
    {"insecure-skip-tls-verify", 0, OPTION_FLAG, AT(insecure), NULL,
     "do not look whether the server is who it says", NULL, 0},
    {"as", 0, OPTION_TEXT, AT(as_user), "USER", "act as this user", NULL, 0},
    {"as-group", 0, OPTION_TEXTS, AT(as_groups), "GROUP",
     "act as a member of this group; may be given again", NULL, 0},
    {"request-timeout", 0, OPTION_DURATION, AT(request_timeout_ms), "TIME",
     "how long one request may take; default: 30s", NULL, 0},
    {"verbose", 'v', OPTION_FLAG, AT(verbose), NULL,
     "say what happens on the way: which cluster it is, and each request", NULL, 0},
};
#undef AT

#define AT(field) offsetof(struct selection_settings, field)
const struct option selection_options[N_SELECTION_OPTIONS] = {
    {"namespace", 'n', OPTION_TEXT, AT(namespace_), "NAME",
     "this namespace; default: the context's", NULL, 0},
    {"all-namespaces", 'A', OPTION_FLAG, AT(all_namespaces), NULL, "all namespaces", NULL, 0},
    {"selector", 'l', OPTION_TEXT, AT(label_selector), "SELECTOR",
     "objects with such labels: app=web,tier in (a,b),!canary", NULL, 0},
    {"field-selector", 0, OPTION_TEXT, AT(field_selector), "SELECTOR",
     "objects with such fields, as far as the server knows them: status.phase=Running", NULL, 0},
    {"where", 0, OPTION_TEXTS, AT(where), "CONDITION",
     "objects for which it holds: .status.phase==Running; may be given again", NULL, 0},
    {"fields", 0, OPTION_TEXT, AT(fields), "PATHS",
     "keep only these parts, which saves memory, and show them: spec.nodeName,status.phase", NULL,
     0},
};
#undef AT

/* On a thread of the client's. What a server says does not move a terminal's cursor. */
static void print_warning(kin_str text, void *arg)
{
    (void)arg;
    tell("Warning: %" KIN_STR_FMT, KIN_STR_ARG(text));
}

static int load_config(kin_config **ret, const struct cluster_settings *cluster,
                       const struct selection_settings *selection, kin_error *err)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;

    options.kubeconfig = cluster->kubeconfig;
    options.context = cluster->context;
    options.cluster = cluster->cluster;
    options.user = cluster->user;
    options.server = cluster->server;
    /* The library reads the file again when the token may have changed. */
    if (cluster->token && cluster->token[0] == '@')
        options.token_file = cluster->token + 1;
    else
        options.token = cluster->token;
    options.ca_file = cluster->ca_file;
    options.insecure = cluster->insecure;
    options.impersonate_user = cluster->as_user;
    options.impersonate_groups = cluster->as_groups.items;
    options.n_impersonate_groups = cluster->as_groups.len;
    options.namespace_ = selection->namespace_;
    return kin_config_load(ret, &options, err);
}

static int log_to_stderr(kin_error *err)
{
    kin_logger *logger = NULL;
    int code = kin_logger_new(&logger, KIN_LOG_DEBUG, kin_log_to_stderr, NULL, NULL, err);

    if (code == 0)
        code = kin_set_default_logger(logger, err);
    kin_logger_unref(logger);
    return code;
}

/* The library calls options as its callers do; users of the command know them by other names. */
static void name_option(kin_error *err)
{
    static const struct {
        const char *ours;
        const char *users;
    } names[] = {
        {"option server:", "--server:"},
        {"option ca_file:", "--certificate-authority:"},
        {"option insecure:", "--insecure-skip-tls-verify:"},
        {"option token:", "--token:"},
        {"option token_file:", "--token:"},
        {"option impersonate_user:", "--as:"},
    };
    char message[sizeof(err->message)];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        size_t len = strlen(names[i].ours);

        if (strncmp(err->message, names[i].ours, len) != 0)
            continue;
        snprintf(message, sizeof(message), "%s%s", names[i].users, err->message + len);
        memcpy(err->message, message, sizeof(message));
        return;
    }
}

static kin_log_field field(const char *key, const char *value)
{
    kin_log_field f = {.key = key, .type = KIN_LOG_STR};

    f.value.str = kin_str_of(value);
    return f;
}

/* Where the way leads, before the first step: most often that is what is wrong. No secrets. */
static void log_config(const kin_config *config, const struct cluster_settings *cluster)
{
    const char *from_environment = getenv("KUBECONFIG");
    const char *from = cluster->kubeconfig                       ? cluster->kubeconfig
                       : from_environment && from_environment[0] ? from_environment
                                                                 : "default";
    const kin_log_field fields[] = {
        field("kubeconfig", from),
        field("context", kin_config_context(config)),
        field("cluster", kin_config_cluster(config)),
        field("user", kin_config_user(config)),
        field("server", kin_config_server(config)),
        field("namespace", kin_config_namespace(config)),
    };
    kin_logger *logger = kin_default_logger();

    kin_logger_log(logger, KIN_LOG_DEBUG, "kinform", "the cluster", fields,
                   sizeof(fields) / sizeof(fields[0]));
    kin_logger_unref(logger);
}

/* What to do where a file, a context, a cluster or a user is not there. */
static int with_advice(const struct cluster_settings *cluster, kin_error *err)
{
    bool is_named = cluster->kubeconfig && cluster->kubeconfig[0];
    const char *todo =
        cluster->context || cluster->cluster || cluster->user
            ? "kubectl config view shows what there is"
        : !is_named
            ? "name a kubeconfig by --kubeconfig or KUBECONFIG, a context by --context, or a "
              "server by --server"
        : access(cluster->kubeconfig, F_OK) == 0 ? "use --context NAME"
                                                 : NULL;

    if (!todo)
        return err->code;
    return kin_error_set(err, err->code, "%s; %s", err->message, todo);
}

static int explain(const struct cluster_settings *cluster, kin_error *err)
{
    name_option(err);
    if (err->code == KIN_ENOTFOUND)
        return with_advice(cluster, err);
    /* A CA, say; whatever names it, it is a file that is not there. */
    if (err->code == KIN_ESYSTEM && err->os_error == ENOENT)
        err->code = KIN_ENOTFOUND;
    return err->code;
}

int cluster_connect(kin_client **ret, const struct cluster_settings *cluster,
                    const struct selection_settings *selection, kin_error *err)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    int code = cluster->verbose ? log_to_stderr(err) : 0;

    if (code == 0)
        code = load_config(&options.config, cluster, selection, err);
    if (code < 0)
        return explain(cluster, err);
    log_config(options.config, cluster);
    options.user_agent = "kinform/" KIN_VERSION_STRING;
    options.timeout_ms = cluster->request_timeout_ms;
    options.warning = print_warning;
    code = kin_client_new(ret, &options, err);
    kin_config_unref(options.config);
    return code;
}

int cluster_check(const struct cluster_settings *cluster, kin_error *err)
{
    if (cluster->as_groups.len > 0 && !cluster->as_user)
        return kin_error_set(err, KIN_EINVAL, "--as-group wants a user, too: --as USER");
    if (cluster->token && strcmp(cluster->token, "@") == 0)
        return kin_error_set(err, KIN_EINVAL, "--token @ wants the name of a file: --token @FILE");
    return 0;
}

int selection_check(const struct selection_settings *selection, kin_error *err)
{
    const kin_label_selector *labels = NULL;
    const kin_field_selector *fields = NULL;
    int code = 0;

    if (selection->label_selector &&
        kin_label_selector_parse(&labels, kin_str_of(selection->label_selector), err) < 0)
        code = kin_error_set(err, KIN_EINVAL, "-l %s: %s", selection->label_selector, err->message);
    if (code == 0 && selection->field_selector &&
        kin_field_selector_parse(&fields, kin_str_of(selection->field_selector), err) < 0)
        code = kin_error_set(err, KIN_EINVAL, "--field-selector %s: %s", selection->field_selector,
                             err->message);
    kin_label_selector_unref(labels);
    kin_field_selector_unref(fields);
    return code;
}

/* --- what is asked for --- */

/* What `all` is on servers that have no categories, in kubectl's order. */
static const char *const all[] = {
    "pods",
    "replicationcontrollers",
    "services",
    "daemonsets.apps",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "horizontalpodautoscalers.autoscaling",
    "cronjobs.batch",
    "jobs.batch",
};

static void add_wanted(struct wanted_list *list, kin_str kind, const char *name, bool is_optional)
{
    list->items = memory_resize(list->items, list->len + 1, sizeof(*list->items));
    list->items[list->len++] = (struct wanted){memory_copy(kind), name, is_optional};
}

/* `pods/web-0 svc/web` */
static int parse_pairs(struct wanted_list *list, const struct arguments *arguments, kin_error *err)
{
    for (size_t i = 0; i < arguments->len; i++) {
        const char *word = arguments->items[i];
        const char *slash = strchr(word, '/');

        if (!slash || slash == word || !slash[1] || strchr(slash + 1, '/'))
            return kin_error_set(err, KIN_EINVAL,
                                 "write KIND/NAME for all of them, or KIND NAME…, not %s", word);
        add_wanted(list, kin_str_make(word, (size_t)(slash - word)), slash + 1, false);
    }
    return 0;
}

/* One of `pods,services`, with all names that follow. */
static int add_kind(struct wanted_list *list, kin_str kind, const struct arguments *arguments,
                    kin_error *err)
{
    if (kin_str_equal(kind, kin_str_of("all")) && arguments->len > 1)
        return kin_error_set(err, KIN_EINVAL, "all has no names: say of which kind %s is",
                             arguments->items[1]);
    if (arguments->len == 1)
        add_wanted(list, kind, NULL, false);
    for (size_t i = 1; i < arguments->len; i++)
        add_wanted(list, kind, arguments->items[i], false);
    return 0;
}

int wanted_parse(struct wanted_list *ret, const struct arguments *arguments, kin_error *err)
{
    for (size_t i = 0; i < arguments->len; i++) {
        if (strchr(arguments->items[i], '/'))
            return parse_pairs(ret, arguments, err);
    }
    if (arguments->len == 0)
        return kin_error_set(err, KIN_EINVAL, "say of which kind: pods, deployments, nodes, …");
    for (const char *at = arguments->items[0];; at++) {
        size_t len = strcspn(at, ",");

        if (len == 0)
            return kin_error_set(err, KIN_EINVAL, "an empty kind in %s", arguments->items[0]);
        int code = add_kind(ret, kin_str_make(at, len), arguments, err);
        if (code < 0)
            return code;
        at += len;
        if (!*at)
            return 0;
    }
}

/* "deployments.v1.apps": that one, and none of another group. */
static void add_of_category(kin_resource *resource, void *arg)
{
    struct text name = TEXT_INIT;

    text_format(&name, "%s.%s.%s", kin_resource_name(resource), kin_resource_version(resource),
                kin_resource_group(resource));
    add_wanted(arg, text_view(&name), NULL, true);
    text_done(&name);
}

/* One that is asked for, or all that it is the category of. */
static int expand(struct wanted_list *into, kin_client *client, const struct wanted *wanted,
                  kin_error *err)
{
    bool is_all = strcmp(wanted->kind, "all") == 0;
    size_t before = into->len;
    int code = kin_client_category(client, wanted->kind, add_of_category, into, err);

    if (code < 0 && code != KIN_ENOTFOUND)
        return code;
    if (code == 0 && wanted->name)
        return kin_error_set(err, KIN_EINVAL, "%s are several kinds: say of which %s is",
                             wanted->kind, wanted->name);
    for (size_t i = 0; is_all && code < 0 && i < sizeof(all) / sizeof(all[0]); i++)
        add_wanted(into, kin_str_of(all[i]), NULL, true);
    if (into->len == before)
        add_wanted(into, kin_str_of(wanted->kind), wanted->name, false);
    return 0;
}

int wanted_expand(struct wanted_list *list, kin_client *client, kin_error *err)
{
    struct wanted_list expanded = {NULL, 0};
    int code = 0;

    for (size_t i = 0; i < list->len && code == 0; i++)
        code = expand(&expanded, client, &list->items[i], err);
    if (code < 0) {
        wanted_done(&expanded);
        return code;
    }
    wanted_done(list);
    *list = expanded;
    return 0;
}

int wanted_check(const struct wanted_list *list, const struct selection_settings *selection,
                 bool is_snapshot, kin_error *err)
{
    bool has_names = false;

    for (size_t i = 0; i < list->len; i++)
        has_names = has_names || list->items[i].name;
    if (has_names && selection->all_namespaces && !is_snapshot)
        return kin_error_set(err, KIN_EINVAL, "with a name say which namespace, not -A");
    if (has_names && (selection->label_selector || selection->field_selector))
        return kin_error_set(err, KIN_EINVAL, "objects are asked for by name or by selector");
    return 0;
}

void wanted_remove(struct wanted_list *list, size_t index)
{
    free(list->items[index].kind);
    list->len--;
    for (size_t i = index; i < list->len; i++)
        list->items[i] = list->items[i + 1];
}

void wanted_done(struct wanted_list *list)
{
    for (size_t i = 0; i < list->len; i++)
        free(list->items[i].kind);
    free(list->items);
    *list = (struct wanted_list){NULL, 0};
}
