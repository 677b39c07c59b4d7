/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfigs: what their text says, and several of them as one. No I/O, and nothing is decided
 * here: which entries count, and whether they make sense, is client/resolve.h's.
 */
#ifndef KIN_CLIENT_KUBECONFIG_H
#define KIN_CLIENT_KUBECONFIG_H

#include "client/config.h"

/* Clusters, users and contexts, each; all files together. */
#define KIN__KUBE_ENTRIES_MAX 10000u
/* Groups, arguments, variables, extensions of one entry. */
#define KIN__KUBE_ITEMS_MAX 1000u

enum kin__kube_kind {
    KIN__KUBE_CLUSTER,
    KIN__KUBE_USER,
    KIN__KUBE_CONTEXT,
    KIN__KUBE_KINDS,
};

/* Fields with one value. */
enum kin__kube_cluster_field {
    KIN__CLUSTER_SERVER,
    KIN__CLUSTER_TLS_SERVER_NAME,
    KIN__CLUSTER_INSECURE,
    KIN__CLUSTER_CA_FILE,
    KIN__CLUSTER_CA_DATA,
    KIN__CLUSTER_PROXY_URL,
    KIN__CLUSTER_NO_COMPRESSION,
    KIN__CLUSTER_FIELDS,
};
enum kin__kube_user_field {
    KIN__USER_CERTIFICATE_FILE,
    KIN__USER_CERTIFICATE_DATA,
    KIN__USER_KEY_FILE,
    KIN__USER_KEY_DATA,
    KIN__USER_TOKEN,
    KIN__USER_TOKEN_FILE,
    KIN__USER_USERNAME,
    KIN__USER_PASSWORD,
    KIN__USER_AS,
    KIN__USER_AS_UID,
    KIN__USER_FIELDS,
};
enum kin__kube_context_field {
    KIN__CONTEXT_CLUSTER,
    KIN__CONTEXT_USER,
    KIN__CONTEXT_NAMESPACE,
    KIN__CONTEXT_FIELDS,
};
enum kin__kube_exec_field {
    KIN__EXEC_API_VERSION,
    KIN__EXEC_COMMAND,
    KIN__EXEC_INSTALL_HINT,
    KIN__EXEC_INTERACTIVE,
    KIN__EXEC_CLUSTER_INFO,
    KIN__EXEC_FIELDS,
};

/* A string, the bytes of base64, or "true" for true. Empty: not set. */
typedef struct kin__kube_value {
    kin__secret text;
    uint32_t line; /* 0: not in the file */
} kin__kube_value;

typedef struct kin__kube_exec {
    uint32_t line;
    kin__kube_value values[KIN__EXEC_FIELDS];
    char **args;
    size_t n_args;
    kin__exec_env *env;
    size_t n_env;
} kin__kube_exec;

/* A cluster, user or context. */
typedef struct kin__kube_entry {
    enum kin__kube_kind kind;
    char *name;     /* never NULL */
    char *file;     /* where it stands */
    uint32_t line;  /* 0: not in a file */
    uint32_t index; /* in the file's list */
    kin__kube_value values[KIN__USER_FIELDS];
    /* of clusters */
    char *exec_config; /* JSON for exec plugins, or NULL */
    /* of users */
    kin__kube_exec *exec; /* or NULL */
    char *auth_provider;  /* its name; NULL: there is none */
    uint32_t auth_provider_line;
    uint32_t groups_line;
    char **groups;
    size_t n_groups;
    kin__impersonate_extra *extra;
    size_t n_extra;
} kin__kube_entry;

typedef struct kin__kube_list {
    kin__kube_entry *entries;
    size_t n;
    size_t cap;
} kin__kube_list;

/* All zero is an empty one. */
typedef struct kin__kubeconfig {
    kin__kube_list lists[KIN__KUBE_KINDS];
    char *current_context; /* or NULL */
} kin__kubeconfig;

void kin__kubeconfig_done(kin__kubeconfig *kubeconfig);
void kin__kube_entry_done(kin__kube_entry *entry);

/*
 * Read a text. `file` is COPIED. 0, KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM, KIN_ESYSTEM; then it is
 * empty.
 */
int kin__kubeconfig_parse(kin__kubeconfig *ret, const char *file, kin_str text, kin_error *err);

/*
 * Add what another one has and this one has not. `from` is empty then. 0, KIN_ELIMIT, KIN_ENOMEM;
 * then both are to be released all the same.
 */
int kin__kubeconfig_merge(kin__kubeconfig *into, kin__kubeconfig *from, kin_error *err);

/* The entry of a name, or NULL. */
const kin__kube_entry *kin__kubeconfig_find(const kin__kubeconfig *kubeconfig,
                                            enum kin__kube_kind kind, const char *name);

/* A field's value, or NULL if it is not set. */
static inline const char *kin__kube_text(const kin__kube_entry *entry, unsigned field)
{
    return entry ? entry->values[field].text.data : NULL;
}

/* The name of a kind, "cluster", and of a field in the file. */
const char *kin__kube_kind_name(enum kin__kube_kind kind);
const char *kin__kube_field_name(enum kin__kube_kind kind, unsigned field);

#endif
