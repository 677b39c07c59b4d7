/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Configurations: which API server, and who we are to it.
 *
 * kin_config_load() finds its settings where kubectl finds them:
 *
 * 1. the kubeconfig of the options, which must exist and is the only one;
 * 2. the files of `$KUBECONFIG`, separated by colons, those that are missing skipped. Of clusters,
 *    users and contexts the first file that has a name wins, whole; of the current context the
 *    first file that sets one;
 * 3. `~/.kube/config`;
 * 4. where none of them leads to a cluster, and no option does: the service account of the pod.
 *
 * The options go on top of what was found. docs/client.md has all rules, docs/client-go.md what
 * differs from client-go.
 *
 * Secrets are never part of an error or of what kin_config_describe() says, and are wiped from
 * memory when the last reference goes.
 */
#ifndef KINFORM_CONFIG_H
#define KINFORM_CONFIG_H

#include <kinform/error.h>

KIN_BEGIN_DECLS

/** How to reach a server, and as whom. Const, SHARED. */
typedef struct kin_config kin_config;

/** Something else that is said about who is impersonated. COPIED. */
typedef struct kin_impersonate_extra {
    const char *name;          /**< BORROWED; not empty */
    const char *const *values; /**< BORROWED; `n_values` of them */
    size_t n_values;           /**< how many */
} kin_impersonate_extra;

/** Which exec plugins of a kubeconfig may be run. A kubeconfig can name any program. */
enum kin_exec_policy {
    KIN_EXEC_ALLOW_ALL = 0, /**< all */
    KIN_EXEC_DENY_ALL = 1,  /**< none */
    KIN_EXEC_ALLOW_LIST = 2 /**< those that the options list */
};

/**
 * Settings of the caller's; start with KIN_CONFIG_OPTIONS_INIT. All are COPIED. NULL and "" mean
 * not set.
 */
typedef struct kin_config_options {
    size_t size;            /**< sizeof(kin_config_options); set by KIN_CONFIG_OPTIONS_INIT */
    const char *kubeconfig; /**< this file and no other */
    const char *context;    /**< instead of the current context */
    const char *cluster;    /**< the name of another cluster than the context's */
    const char *user;       /**< the name of another user than the context's */
    const char *namespace_; /**< instead of the context's */

    /**
     * "https://host:6443/prefix", "http://…", "unix:///path" for HTTP over a socket, or
     * "host:port", which is HTTP. With it the tls_server_name of the kubeconfig does not count.
     */
    const char *server;
    const char *tls_server_name; /**< what the server's certificate has to be for */
    const char *proxy_url;       /**< http, https or socks5 */
    /** The three say how the server is verified: one of them, and those of the kubeconfig are out. */
    /** If set, only these CAs are trusted, not those of the system; as with ca_data. */
    const char *ca_file;
    const char *ca_data;    /**< certificates, PEM; not together with ca_file */
    bool insecure;          /**< the server's certificate is not verified */
    bool no_compression;    /**< never ask the server to compress */
    bool plain_credentials; /**< send credentials without TLS, too; to ourselves they always are */

    const char *token;            /**< a bearer token; it or token_file replace both */
    const char *token_file;       /**< where one is, read again and again */
    const char *username;         /**< for basic authentication; not together with a token */
    const char *password;         /**< for basic authentication */
    const char *certificate_file; /**< of the client, PEM; it or certificate_data replace both */
    const char *certificate_data; /**< of the client, PEM */
    const char *key_file;         /**< of the certificate, PEM; it or key_data replace both */
    const char *key_data;         /**< of the certificate, PEM */

    const char *impersonate_user;                   /**< act as this user */
    const char *impersonate_uid;                    /**< with this UID */
    const char *const *impersonate_groups;          /**< and in these groups */
    size_t n_impersonate_groups;                    /**< how many */
    const kin_impersonate_extra *impersonate_extra; /**< by name, on top of the kubeconfig's */
    size_t n_impersonate_extra;                     /**< how many */

    /** Where the service account is; NULL: "/var/run/secrets/kubernetes.io/serviceaccount". */
    const char *in_cluster_root;

    enum kin_exec_policy exec_policy; /**< for kubeconfigs that others have written */
    /**
     * With KIN_EXEC_ALLOW_LIST: absolute paths, or names that are looked for in `$PATH`. One fits if it
     * is the kubeconfig's command, or both are found to be the same file.
     */
    const char *const *exec_allowlist;
    size_t n_exec_allowlist; /**< how many */
} kin_config_options;

/* clang-format off */
/** Options of which none is set. */
#define KIN_CONFIG_OPTIONS_INIT {sizeof(kin_config_options), NULL, NULL, NULL, NULL, NULL, NULL,     \
    NULL, NULL, NULL, NULL, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,     \
    NULL, NULL, NULL, 0, NULL, 0, NULL, KIN_EXEC_ALLOW_ALL, NULL, 0}
/* clang-format on */

/**
 * Load a configuration, as kubectl does it.
 *
 * Looks at the environment: KUBECONFIG, HOME, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT,
 * POD_NAMESPACE, and PATH with an exec_allowlist; of a set-user-ID program it is ignored. Nobody may change the environment
 * meanwhile. What is wrong in a kubeconfig is told with file, line and field.
 *
 * Files of certificates, keys and tokens must be there; they are read when they are needed.
 *
 * @param[out] ret  SHARED; release with kin_config_unref(). Untouched on failure.
 * @param options   COPIED; NULL: none.
 * @return 0, KIN_ENOTFOUND (no configuration anywhere, or the kubeconfig, context, cluster or user
 *         that was asked for is not there), KIN_EPARSE (a kubeconfig that is malformed), KIN_EINVAL
 *         (settings that make no sense, alone or together), KIN_EDENIED (an exec plugin would be run
 *         that the options do not allow), KIN_ELIMIT (a kubeconfig of more than
 *         8 MiB, 64 levels, or 10,000 entries), KIN_ESYSTEM (a file cannot be read), KIN_ENOMEM.
 * @thread any    @blocks while files are read
 */
KIN_API int kin_config_load(kin_config **ret, const kin_config_options *options, kin_error *err);

/**
 * Make a configuration of options alone: no kubeconfig, no environment. `server` must be set;
 * `kubeconfig`, `context`, `cluster` and `user` must not.
 *
 * @param[out] ret  SHARED; release with kin_config_unref(). Untouched on failure.
 * @param options   COPIED.
 * @return 0, KIN_EINVAL, KIN_ESYSTEM (a file cannot be read), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_config_new(kin_config **ret, const kin_config_options *options, kin_error *err);

/**
 * Take another reference.
 *
 * @param config  may be NULL.
 * @return `config`.
 * @thread any
 */
KIN_API kin_config *kin_config_ref(kin_config *config);

/**
 * Drop a reference; the last one wipes the secrets and frees the configuration.
 *
 * @param config  may be NULL.
 * @thread any
 */
KIN_API void kin_config_unref(kin_config *config);

/**
 * The server: "https://host:6443/prefix" without a slash at its end, "http://…" or "unix:///path".
 *
 * @return BORROWED while `config` is held.
 * @thread any
 */
KIN_API const char *kin_config_server(const kin_config *config);

/**
 * The namespace that is meant where none is named: "default", unless something else was set.
 *
 * @return BORROWED while `config` is held.
 * @thread any
 */
KIN_API const char *kin_config_namespace(const kin_config *config);

/**
 * The name of the context.
 *
 * @return BORROWED while `config` is held; NULL without a context.
 * @thread any
 */
KIN_API const char *kin_config_context(const kin_config *config);

/**
 * The cluster's name in the kubeconfig.
 *
 * @return BORROWED while `config` is held; NULL without one.
 * @thread any
 */
KIN_API const char *kin_config_cluster(const kin_config *config);

/**
 * The user's name in the kubeconfig.
 *
 * @return BORROWED while `config` is held; NULL without one.
 * @thread any
 */
KIN_API const char *kin_config_user(const kin_config *config);

/**
 * All settings for people, one per line. Secrets are "(set)"; arguments and environment of an exec
 * plugin are counted.
 *
 * @param[out] ret  OWNED; free with kin_free(). Untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_config_describe(const kin_config *config, char **ret, kin_error *err);

KIN_END_DECLS

#endif
