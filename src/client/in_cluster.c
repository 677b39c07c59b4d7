/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In a pod: the kubelet puts a token, which it renews, and the cluster's CA into a folder, and the
 * server's address into the environment.
 */
#include "client/in_cluster.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/files.h"

#define NAMESPACE_MAX 4096u

static bool is_set(const char *text)
{
    return text && text[0];
}

/* root + "/" + name, OWNED; NULL: no memory. */
static char *path_in(const char *root, const char *name)
{
    kin__buf buf;
    char *path = NULL;
    size_t len = 0;

    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__buf_append(&buf, kin_str_of(root));
    kin__buf_append_char(&buf, '/');
    kin__buf_append(&buf, kin_str_of(name));
    if (kin__buf_take(&buf, &path, &len))
        path = NULL;
    kin__buf_done(&buf);
    return path;
}

int kin__in_cluster_missing(const char **ret, const char *root, kin_error *err)
{
    struct stat st;
    const char *missing = NULL;
    char *path = path_in(root, "token");

    if (!path)
        return kin__error_no_memory(err);
    if (!is_set(secure_getenv("KUBERNETES_SERVICE_HOST")))
        missing = "KUBERNETES_SERVICE_HOST is not set";
    else if (!is_set(secure_getenv("KUBERNETES_SERVICE_PORT")))
        missing = "KUBERNETES_SERVICE_PORT is not set";
    else if (stat(path, &st) != 0 || S_ISDIR(st.st_mode))
        missing = "there is no token of a service account";
    kin__free(path);
    *ret = missing;
    return 0;
}

static int set_value(kin__kube_entry *entry, unsigned field, const char *text)
{
    return text ? kin__secret_set(&entry->values[field].text, kin_str_of(text)) : KIN_ENOMEM;
}

static int set_server(kin__kube_entry *cluster)
{
    const char *host = secure_getenv("KUBERNETES_SERVICE_HOST");
    const char *port = secure_getenv("KUBERNETES_SERVICE_PORT");
    bool is_v6 = strchr(host, ':') != NULL;
    kin_str parts[] = {kin_str_of("https://"), kin_str_of(is_v6 ? "[" : ""), kin_str_of(host),
                       kin_str_of(is_v6 ? "]:" : ":"), kin_str_of(port)};

    return kin__secret_join(&cluster->values[KIN__CLUSTER_SERVER].text, parts, 5);
}

static int init_entry(kin__kube_entry *entry, enum kin__kube_kind kind, const char *root)
{
    *entry = (kin__kube_entry){.kind = kind};
    entry->name = kin__memdup_str(kin_str_of(""));
    entry->file = kin__memdup_str(kin_str_of(root));
    return entry->name && entry->file ? 0 : KIN_ENOMEM;
}

/* A CA that cannot be read is left out: whoever set up the pod knows why. */
static int set_ca(kin__kube_entry *cluster, const char *root)
{
    char *path = path_in(root, "ca.crt");
    int code = path ? 0 : KIN_ENOMEM;

    if (path && kin__file_check(path) == 0)
        code = set_value(cluster, KIN__CLUSTER_CA_FILE, path);
    kin__free(path);
    return code;
}

int kin__in_cluster_entries(kin__kube_entry *ret_cluster, kin__kube_entry *ret_user,
                            const char *root, kin_error *err)
{
    kin__kube_entry cluster = {.kind = KIN__KUBE_CLUSTER};
    kin__kube_entry user = {.kind = KIN__KUBE_USER};
    char *token = path_in(root, "token");
    bool failed = !token || init_entry(&cluster, KIN__KUBE_CLUSTER, root) ||
                  init_entry(&user, KIN__KUBE_USER, root) || set_server(&cluster) ||
                  set_ca(&cluster, root) || set_value(&user, KIN__USER_TOKEN_FILE, token);

    kin__free(token);
    if (failed) {
        kin__kube_entry_done(&cluster);
        kin__kube_entry_done(&user);
        return kin__error_no_memory(err);
    }
    *ret_cluster = cluster;
    *ret_user = user;
    return 0;
}

int kin__in_cluster_namespace(char **ret, const char *root, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    kin_str name = kin_str_of(secure_getenv("POD_NAMESPACE"));
    char *copy = NULL;

    if (name.len == 0) {
        char *path = path_in(root, "namespace");

        if (!path)
            return kin__error_no_memory(err);
        /* One that cannot be read says as much as none. */
        int code = kin__file_read(&text, path, NAMESPACE_MAX, NULL);
        kin__free(path);
        if (code == KIN_ENOMEM)
            return kin__error_no_memory(err);
        name = kin__str_trim(kin__secret_str(&text));
    }
    if (name.len > 0) {
        copy = kin__memdup_str(name);
        if (!copy) {
            kin__secret_done(&text);
            return kin__error_no_memory(err);
        }
    }
    kin__secret_done(&text);
    *ret = copy;
    return 0;
}
