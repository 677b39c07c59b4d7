/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of a configuration: which server, and who we are. Const once it is made.
 *
 * Strings are terminated, OWNED, and NULL where nothing is set. Files are read by whoever needs
 * them (client/credentials.h), again and again, since they change under a running process; what
 * came inline is here.
 */
#ifndef KIN_CLIENT_CONFIG_H
#define KIN_CLIENT_CONFIG_H

#include <stdbool.h>

#include "base/ref.h"
#include "client/secret.h"
#include "kinform/config.h"

/* Whether an exec plugin may talk to the person at the terminal. */
enum kin__interactive {
    KIN__INTERACTIVE_IF_AVAILABLE,
    KIN__INTERACTIVE_NEVER,
    KIN__INTERACTIVE_ALWAYS,
};

typedef struct kin__exec_env {
    char *name;
    kin__secret value;
} kin__exec_env;

/* A program that tells who we are: "exec" of a user in a kubeconfig. */
typedef struct kin__exec_config {
    char *api_version; /* client.authentication.k8s.io/v1 or v1beta1 */
    char *command;     /* with a slash: a path, resolved; without: looked for in $PATH */
    char **args;
    size_t n_args;
    kin__exec_env *env; /* on top of our own environment */
    size_t n_env;
    char *install_hint;   /* for people, when the command is not there */
    char *cluster_config; /* JSON that is the plugin's own, with provide_cluster_info */
    bool provide_cluster_info;
    enum kin__interactive interactive;
} kin__exec_config;

typedef struct kin__impersonate_extra {
    char *name;
    char **values;
    size_t n_values;
} kin__impersonate_extra;

struct kin_config {
    kin__ref ref;
    char *server; /* "https://host:6443/prefix", without a slash at its end; "unix:///path" */
    char *tls_server_name;
    char *proxy_url; /* may hold a password: wiped */
    char *ca_file;
    kin__secret ca_data; /* PEM */
    bool insecure;       /* the server's certificate is not verified */
    bool no_compression;
    bool plain_credentials; /* credentials are sent without TLS, too: the user said so */
    char *namespace_;

    char *certificate_file;
    char *key_file;
    kin__secret certificate_data; /* PEM */
    kin__secret key_data;         /* PEM */
    kin__secret token;
    char *token_file; /* wins over `token` once it was read */
    char *username;
    kin__secret password;
    kin__exec_config *exec;

    char *impersonate_user;
    char *impersonate_uid;
    char **impersonate_groups;
    size_t n_impersonate_groups;
    kin__impersonate_extra *impersonate_extra;
    size_t n_impersonate_extra;

    char *context; /* names in the kubeconfig, for messages */
    char *cluster;
    char *user;
};

/* One without anything, a reference of the caller's; NULL: no memory. */
kin_config *kin__config_alloc(void);

/*
 * Lists of strings. All may be NULL and 0; a copy of none is NULL. They are wiped: people write
 * tokens into the arguments of their plugins.
 */
void kin__texts_free(char **texts, size_t n);
int kin__texts_copy(char ***ret, const char *const *texts, size_t n); /* 0, KIN_ENOMEM */

void kin__exec_env_free(kin__exec_env *env, size_t n);
void kin__exec_config_free(kin__exec_config *exec);
void kin__impersonate_extra_free(kin__impersonate_extra *extra, size_t n);

/*
 * A text with all that could confuse a terminal spelled out, as U+001B: control characters but for
 * white space, and invisible ones that reorder or hide others. OWNED; NULL: no memory.
 */
char *kin__printable(kin_str text);

#endif
