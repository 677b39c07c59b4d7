/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Loading configurations: which files are read, which of their entries count, and when the pod's
 * service account does. The order of things is kubectl's.
 */
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/options.h"
#include "base/str.h"
#include "client/files.h"
#include "client/in_cluster.h"
#include "client/resolve.h"

#define KUBECONFIG_MAX 8388608u /* 8 MiB */
#define FILES_MAX 1000u
/* Contexts that an error tells by name. */
#define CONTEXTS_TOLD 5

/* All that a load holds. */
struct loading {
    kin_config_options options;
    kin__kubeconfig kubeconfig;
    kin__buf looked;            /* the files that were looked at, for people */
    kin__kube_entry cluster;    /* the pod's, if they count */
    kin__kube_entry user;       /* the same */
    char *in_cluster_namespace; /* or NULL */
};

static bool is_set(const char *text)
{
    return text && text[0];
}

static const char *root_of(const struct loading *l)
{
    return is_set(l->options.in_cluster_root) ? l->options.in_cluster_root : KIN__IN_CLUSTER_ROOT;
}

/* --- files --- */

static int parse_file(struct loading *l, const char *path, kin_str text, kin_error *err)
{
    kin__kubeconfig one;
    int code = kin__kubeconfig_parse(&one, path, text, err);

    if (code)
        return code;
    code = kin__kubeconfig_merge(&l->kubeconfig, &one, err);
    kin__kubeconfig_done(&one);
    return code;
}

static int load_file(struct loading *l, const char *path, bool must_exist, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    int code = kin__file_read(&text, path, KUBECONFIG_MAX, err);
    bool is_missing = code == KIN_ENOTFOUND;

    kin__buf_appendf(&l->looked, "%s%s%s", l->looked.len ? ", " : "", path,
                     is_missing ? " (not there)" : "");
    if (is_missing && !must_exist)
        return 0;
    if (!code && text.len > 0)
        code = parse_file(l, path, kin__secret_str(&text), err);
    kin__secret_done(&text);
    return code;
}

/* Whether a part of a list stands before its place already. */
static bool is_repeated(const char *list, kin_str part)
{
    kin_str rest = kin_str_make(list, (size_t)(part.data - list));
    kin_str other;

    while (kin__str_cut(&rest, ':', &other) && rest.data) {
        if (kin_str_equal(other, part))
            return true;
    }
    return false;
}

static int load_list(struct loading *l, const char *list, kin_error *err)
{
    kin_str rest = kin_str_of(list);
    kin_str part;
    unsigned n = 0;
    int code = 0;

    while (!code && kin__str_cut(&rest, ':', &part)) {
        if (part.len == 0 || is_repeated(list, part))
            continue;
        if (++n > FILES_MAX)
            return kin_error_set(err, KIN_ELIMIT, "KUBECONFIG: more than %u files", FILES_MAX);
        char *path = kin__memdup_str(part);
        code = path ? load_file(l, path, false, err) : kin__error_no_memory(err);
        kin__free(path);
    }
    return code;
}

static int load_home(struct loading *l, kin_error *err)
{
    const char *home = secure_getenv("HOME");
    kin__buf path;

    if (!is_set(home)) {
        kin__buf_append(&l->looked, kin_str_of("~/.kube/config (HOME is not set)"));
        return 0;
    }
    kin__buf_init(&path, SIZE_MAX - 1);
    kin__buf_append(&path, kin_str_of(home));
    kin__buf_append(&path, kin_str_of("/.kube/config"));
    int code = path.failed ? kin__error_no_memory(err) : load_file(l, path.data, false, err);
    kin__buf_done(&path);
    return code;
}

static int load_files(struct loading *l, kin_error *err)
{
    const char *list = secure_getenv("KUBECONFIG");

    if (is_set(l->options.kubeconfig))
        return load_file(l, l->options.kubeconfig, true, err);
    return is_set(list) ? load_list(l, list, err) : load_home(l, err);
}

/* --- entries --- */

static int fail_missing(enum kin__kube_kind kind, const char *name, const kin__kube_entry *context,
                        const struct loading *l, kin_error *err)
{
    const char *what = kin__kube_kind_name(kind);

    if (context)
        return kin_error_set(err, KIN_ENOTFOUND,
                             "%s:%u: contexts[%u].context.%s: there is no %s \"%s\"", context->file,
                             context->line, context->index, what, what, name);
    return kin_error_set(err, KIN_ENOTFOUND, "there is no %s \"%s\" in %s", what, name,
                         l->looked.failed ? "the kubeconfig" : l->looked.data);
}

/* The entry of a name that an option or the context tells; none is fine if no name is told. */
static int find_named(const kin__kube_entry **ret, const char **ret_name, const struct loading *l,
                      enum kin__kube_kind kind, const char *option, const kin__kube_entry *context,
                      const char *from_context, kin_error *err)
{
    const char *name = is_set(option) ? option : from_context;
    const kin__kube_entry *found = kin__kubeconfig_find(&l->kubeconfig, kind, name ? name : "");

    if (is_set(name) && !found)
        return fail_missing(kind, name, is_set(option) ? NULL : context, l, err);
    *ret = found;
    *ret_name = name;
    return 0;
}

static int find_entries(kin__resolve_input *in, const struct loading *l, kin_error *err)
{
    const kin_config_options *o = &l->options;
    const kin__kube_entry *context = NULL;
    int code = find_named(&context, &in->context, l, KIN__KUBE_CONTEXT, o->context, NULL,
                          l->kubeconfig.current_context, err);

    if (code)
        return code;
    code = find_named(&in->cluster, &in->cluster_name, l, KIN__KUBE_CLUSTER, o->cluster, context,
                      kin__kube_text(context, KIN__CONTEXT_CLUSTER), err);
    if (!code)
        code = find_named(&in->user, &in->user_name, l, KIN__KUBE_USER, o->user, context,
                          kin__kube_text(context, KIN__CONTEXT_USER), err);
    in->namespace_ =
        is_set(o->namespace_) ? o->namespace_ : kin__kube_text(context, KIN__CONTEXT_NAMESPACE);
    return code;
}

/* --- in the cluster --- */

/* Which contexts could have been chosen, if there are few; of many how many. */
static void append_contexts(kin__buf *buf, const struct loading *l)
{
    const kin__kube_list *contexts = &l->kubeconfig.lists[KIN__KUBE_CONTEXT];

    if (contexts->n == 0)
        return;
    kin__buf_append(buf, kin_str_of(" (there is no current-context, but "));
    if (contexts->n > CONTEXTS_TOLD)
        kin__buf_appendf(buf, "%zu contexts", contexts->n);
    for (size_t i = 0; i < contexts->n && contexts->n <= CONTEXTS_TOLD; i++)
        kin__buf_appendf(buf, "%s\"%s\"", i > 0 ? ", " : "", contexts->entries[i].name);
    kin__buf_append_char(buf, ')');
}

/* The pod's service account where nothing else says which cluster. */
static int use_in_cluster(kin__resolve_input *in, struct loading *l, const char *missing,
                          kin_error *err)
{
    if (missing) {
        if (!is_set(in->context))
            append_contexts(&l->looked, l);
        return kin_error_set(err, KIN_ENOTFOUND,
                             "no configuration: no cluster is chosen in %s, and we are not in a "
                             "pod: %s",
                             l->looked.failed ? "any kubeconfig" : l->looked.data, missing);
    }
    int code = kin__in_cluster_entries(&l->cluster, &l->user, root_of(l), err);
    if (code)
        return code;
    in->cluster = &l->cluster;
    in->user = &l->user;
    in->cluster_name = NULL;
    in->user_name = NULL;
    return 0;
}

/* In a pod its namespace counts where none is named, whatever cluster is talked to. */
static int use_in_cluster_namespace(kin__resolve_input *in, struct loading *l, kin_error *err)
{
    int code = kin__in_cluster_namespace(&l->in_cluster_namespace, root_of(l), err);

    in->namespace_ = l->in_cluster_namespace;
    return code;
}

static int load(kin_config **ret, struct loading *l, kin_error *err)
{
    kin__resolve_input in = {.options = &l->options};
    int code = load_files(l, err);

    if (!code)
        code = find_entries(&in, l, err);
    if (code)
        return code;
    const char *missing = NULL;
    code = kin__in_cluster_missing(&missing, root_of(l), err);
    if (!code && !in.cluster && !kin__resolve_names_cluster(&l->options))
        code = use_in_cluster(&in, l, missing, err);
    if (!code && !missing && !is_set(in.namespace_))
        code = use_in_cluster_namespace(&in, l, err);
    return code ? code : kin__resolve(ret, &in, err);
}

int kin_config_load(kin_config **ret, const kin_config_options *options, kin_error *err)
{
    struct loading l = {.options = KIN_CONFIG_OPTIONS_INIT};

    if (!ret)
        return kin__error_null(err, "ret");
    int code =
        kin__options_take(&l.options, sizeof(l.options), options, "KIN_CONFIG_OPTIONS_INIT", err);
    if (code)
        return code;
    kin__buf_init(&l.looked, SIZE_MAX - 1);
    code = load(ret, &l, err);
    kin__kubeconfig_done(&l.kubeconfig);
    kin__kube_entry_done(&l.cluster);
    kin__kube_entry_done(&l.user);
    kin__free(l.in_cluster_namespace);
    kin__buf_done(&l.looked);
    return code;
}

int kin_config_new(kin_config **ret, const kin_config_options *options, kin_error *err)
{
    kin_config_options taken = KIN_CONFIG_OPTIONS_INIT;
    kin__resolve_input in = {.options = &taken};

    if (!ret || !options)
        return kin__error_null(err, !ret ? "ret" : "options");
    int code = kin__options_take(&taken, sizeof(taken), options, "KIN_CONFIG_OPTIONS_INIT", err);
    if (code)
        return code;
    if (is_set(taken.kubeconfig) || is_set(taken.context) || is_set(taken.cluster) ||
        is_set(taken.user))
        return kin_error_set(err, KIN_EINVAL,
                             "options kubeconfig, context, cluster, user: only kin_config_load() "
                             "reads kubeconfigs");
    in.namespace_ = taken.namespace_;
    return kin__resolve(ret, &in, err);
}
