/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfigs.
 *
 * The fields with one value are tables; what they have is kept as text, all of it wiped when it is
 * freed, for half of it is secret. Fields that nobody knows are ignored, as kubectl does; a known
 * one of another type is an error wherever it stands, as in client-go, since what was meant by it
 * cannot be known. Two entries of one name in one file are an error for the same reason.
 */
#include "client/kubeconfig.h"

#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/yaml_fields.h"

#define EXEC_EXTENSION "client.authentication.k8s.io/exec"

enum value_type { TEXT, BOOL, DATA };

struct field {
    const char *name;
    enum value_type type;
};

static const struct field cluster_fields[KIN__CLUSTER_FIELDS] = {
    [KIN__CLUSTER_SERVER] = {"server", TEXT},
    [KIN__CLUSTER_TLS_SERVER_NAME] = {"tls-server-name", TEXT},
    [KIN__CLUSTER_INSECURE] = {"insecure-skip-tls-verify", BOOL},
    [KIN__CLUSTER_CA_FILE] = {"certificate-authority", TEXT},
    [KIN__CLUSTER_CA_DATA] = {"certificate-authority-data", DATA},
    [KIN__CLUSTER_PROXY_URL] = {"proxy-url", TEXT},
    [KIN__CLUSTER_NO_COMPRESSION] = {"disable-compression", BOOL},
};

static const struct field user_fields[KIN__USER_FIELDS] = {
    [KIN__USER_CERTIFICATE_FILE] = {"client-certificate", TEXT},
    [KIN__USER_CERTIFICATE_DATA] = {"client-certificate-data", DATA},
    [KIN__USER_KEY_FILE] = {"client-key", TEXT},
    [KIN__USER_KEY_DATA] = {"client-key-data", DATA},
    [KIN__USER_TOKEN] = {"token", TEXT},
    [KIN__USER_TOKEN_FILE] = {"tokenFile", TEXT},
    [KIN__USER_USERNAME] = {"username", TEXT},
    [KIN__USER_PASSWORD] = {"password", TEXT},
    [KIN__USER_AS] = {"as", TEXT},
    [KIN__USER_AS_UID] = {"as-uid", TEXT},
};

static const struct field context_fields[KIN__CONTEXT_FIELDS] = {
    [KIN__CONTEXT_CLUSTER] = {"cluster", TEXT},
    [KIN__CONTEXT_USER] = {"user", TEXT},
    [KIN__CONTEXT_NAMESPACE] = {"namespace", TEXT},
};

static const struct field exec_fields[KIN__EXEC_FIELDS] = {
    [KIN__EXEC_API_VERSION] = {"apiVersion", TEXT},
    [KIN__EXEC_COMMAND] = {"command", TEXT},
    [KIN__EXEC_INSTALL_HINT] = {"installHint", TEXT},
    [KIN__EXEC_INTERACTIVE] = {"interactiveMode", TEXT},
    [KIN__EXEC_CLUSTER_INFO] = {"provideClusterInfo", BOOL},
};

static const struct kind {
    const char *list; /* in the file, and as the member of its items */
    const char *name;
    const struct field *fields;
    unsigned n_fields;
} kinds[KIN__KUBE_KINDS] = {
    [KIN__KUBE_CLUSTER] = {"clusters", "cluster", cluster_fields, KIN__CLUSTER_FIELDS},
    [KIN__KUBE_USER] = {"users", "user", user_fields, KIN__USER_FIELDS},
    [KIN__KUBE_CONTEXT] = {"contexts", "context", context_fields, KIN__CONTEXT_FIELDS},
};

const char *kin__kube_kind_name(enum kin__kube_kind kind)
{
    return kinds[kind].name;
}

const char *kin__kube_field_name(enum kin__kube_kind kind, unsigned field)
{
    return kinds[kind].fields[field].name;
}

/* --- releasing --- */

static void exec_free(kin__kube_exec *exec)
{
    if (!exec)
        return;
    for (size_t i = 0; i < KIN__EXEC_FIELDS; i++)
        kin__secret_done(&exec->values[i].text);
    kin__texts_free(exec->args, exec->n_args);
    kin__exec_env_free(exec->env, exec->n_env);
    kin__free(exec);
}

void kin__kube_entry_done(kin__kube_entry *entry)
{
    for (size_t i = 0; i < kin__array_len(entry->values); i++)
        kin__secret_done(&entry->values[i].text);
    kin__free(entry->name);
    kin__free(entry->file);
    kin__free(entry->exec_config);
    kin__free(entry->auth_provider);
    exec_free(entry->exec);
    kin__texts_free(entry->groups, entry->n_groups);
    kin__impersonate_extra_free(entry->extra, entry->n_extra);
    memset(entry, 0, sizeof(*entry));
}

void kin__kubeconfig_done(kin__kubeconfig *kubeconfig)
{
    for (size_t kind = 0; kind < KIN__KUBE_KINDS; kind++) {
        kin__kube_list *list = &kubeconfig->lists[kind];

        for (size_t i = 0; i < list->n; i++)
            kin__kube_entry_done(&list->entries[i]);
        kin__free(list->entries);
    }
    kin__free(kubeconfig->current_context);
    memset(kubeconfig, 0, sizeof(*kubeconfig));
}

/* --- values --- */

static int read_value(kin__fields *f, enum value_type type, uint32_t at, kin__kube_value *ret,
                      kin_error *err)
{
    bool is_true = false;
    int code;

    switch (type) {
    case TEXT:
        code = kin__fields_text(f, at, &ret->text, err);
        break;
    case DATA:
        code = kin__fields_data(f, at, &ret->text, err);
        break;
    default:
        code = kin__fields_bool(f, at, &is_true, err);
        if (!code && is_true && kin__secret_set(&ret->text, kin_str_of("true")))
            code = kin__error_no_memory(err);
    }
    ret->line = kin__fields_line(f, at);
    return code;
}

/* All fields of a table that a map has. */
static int read_values(kin__fields *f, uint32_t map, const struct field *table, unsigned n,
                       kin__kube_value *ret, kin_error *err)
{
    const char *names[KIN__USER_FIELDS] = {NULL};
    uint32_t found[KIN__USER_FIELDS];

    for (unsigned i = 0; i < n; i++)
        names[i] = table[i].name;
    int code = kin__fields_find(f, map, names, n, found, err);
    for (unsigned i = 0; i < n && !code; i++) {
        if (found[i] == KIN__FIELD_NONE)
            continue;
        size_t path = kin__fields_enter(f, ".%s", table[i].name);
        code = read_value(f, table[i].type, found[i], &ret[i], err);
        kin__fields_leave(f, path);
    }
    return code;
}

/* A list of strings that is being read. */
struct texts {
    char **texts;
    size_t n;
};

static int read_text_item(kin__fields *f, uint32_t item, uint32_t index, void *arg, kin_error *err)
{
    struct texts *texts = arg;
    int code = kin__fields_string(f, item, &texts->texts[index], err);

    texts->n += code == 0;
    return code;
}

static int read_texts(kin__fields *f, uint32_t at, char ***ret, size_t *ret_n, kin_error *err)
{
    struct texts texts = {kin__calloc(kin__fields_count(f, at) + 1, sizeof(char *)), 0};

    if (!texts.texts)
        return kin__error_no_memory(err);
    int code = kin__fields_items(f, at, KIN__KUBE_ITEMS_MAX, read_text_item, &texts, err);
    if (code || texts.n == 0) {
        kin__texts_free(texts.texts, texts.n);
        return code;
    }
    *ret = texts.texts;
    *ret_n = texts.n;
    return 0;
}

/* --- extensions --- */

struct extensions {
    struct texts names;
    char **exec_config; /* NULL: nobody asks */
};

static int read_extension(kin__fields *f, uint32_t item, uint32_t index, void *arg, kin_error *err)
{
    static const char *const names[] = {"name", "extension"};
    struct extensions *extensions = arg;
    uint32_t found[2] = {KIN__FIELD_NONE, KIN__FIELD_NONE};
    struct texts *seen = &extensions->names;
    char **name = &seen->texts[seen->n];
    int code = item == KIN__FIELD_NONE ? 0 : kin__fields_find(f, item, names, 2, found, err);

    (void)index;
    if (code)
        return code;
    size_t path = kin__fields_enter(f, ".name");
    code = kin__fields_string(f, found[0], name, err);
    if (code)
        return code;
    seen->n++;
    for (size_t i = 0; i + 1 < seen->n; i++) {
        if (strcmp(seen->texts[i], *name) == 0)
            return kin__fields_fail(f, item, KIN_EPARSE, err, "the name is there already");
    }
    kin__fields_leave(f, path);
    if (found[1] == KIN__FIELD_NONE) { /* one without content may come again, as in client-go */
        kin__free(*name);
        seen->n--;
        return 0;
    }
    if (!extensions->exec_config || strcmp(*name, EXEC_EXTENSION) != 0)
        return 0;
    kin__fields_enter(f, ".extension");
    return kin__fields_json(f, found[1], extensions->exec_config, err);
}

/* Extensions of anything; of a cluster those for exec plugins are kept. */
static int read_extensions(kin__fields *f, uint32_t map, char **ret_exec_config, kin_error *err)
{
    static const char *const names[] = {"extensions"};
    uint32_t list = KIN__FIELD_NONE;
    int code = kin__fields_find(f, map, names, 1, &list, err);

    if (code || list == KIN__FIELD_NONE)
        return code;
    struct extensions extensions = {
        {kin__calloc(kin__fields_count(f, list) + 1, sizeof(char *)), 0}, ret_exec_config};
    if (!extensions.names.texts)
        return kin__error_no_memory(err);
    size_t path = kin__fields_enter(f, ".extensions");
    code = kin__fields_items(f, list, KIN__KUBE_ITEMS_MAX, read_extension, &extensions, err);
    kin__fields_leave(f, path);
    kin__texts_free(extensions.names.texts, extensions.names.n);
    return code;
}

/* --- users --- */

static int read_variable(kin__fields *f, uint32_t item, uint32_t index, void *arg, kin_error *err)
{
    static const char *const names[] = {"name", "value"};
    kin__kube_exec *exec = arg;
    kin__exec_env *variable = &exec->env[index];
    uint32_t found[2] = {KIN__FIELD_NONE, KIN__FIELD_NONE};
    int code = item == KIN__FIELD_NONE ? 0 : kin__fields_find(f, item, names, 2, found, err);

    if (code)
        return code;
    exec->n_env = index + 1;
    size_t path = kin__fields_enter(f, ".name");
    code = kin__fields_string(f, found[0], &variable->name, err);
    if (code)
        return code;
    kin__fields_leave(f, path);
    kin__fields_enter(f, ".value");
    return kin__fields_text(f, found[1], &variable->value, err);
}

static int read_exec_lists(kin__fields *f, uint32_t map, kin__kube_exec *exec, kin_error *err)
{
    static const char *const names[] = {"args", "env"};
    uint32_t found[2];
    int code = kin__fields_find(f, map, names, 2, found, err);

    if (!code && found[0] != KIN__FIELD_NONE) {
        size_t path = kin__fields_enter(f, ".args");
        code = read_texts(f, found[0], &exec->args, &exec->n_args, err);
        kin__fields_leave(f, path);
    }
    if (!code && found[1] != KIN__FIELD_NONE) {
        exec->env = kin__calloc(kin__fields_count(f, found[1]) + 1, sizeof(*exec->env));
        if (!exec->env)
            return kin__error_no_memory(err);
        size_t path = kin__fields_enter(f, ".env");
        code = kin__fields_items(f, found[1], KIN__KUBE_ITEMS_MAX, read_variable, exec, err);
        kin__fields_leave(f, path);
    }
    return code;
}

static int read_exec(kin__fields *f, uint32_t map, kin__kube_entry *user, kin_error *err)
{
    kin__kube_exec *exec = kin__calloc(1, sizeof(*exec));

    if (!exec)
        return kin__error_no_memory(err);
    user->exec = exec;
    exec->line = kin__fields_line(f, map);
    int code = read_values(f, map, exec_fields, KIN__EXEC_FIELDS, exec->values, err);
    return code ? code : read_exec_lists(f, map, exec, err);
}

static int check_string_member(kin__fields *f, kin_str key, uint32_t value, void *arg,
                               kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    size_t path = kin__fields_enter(f, ".%" KIN_STR_FMT, KIN_STR_ARG(key));
    int code = kin__fields_text(f, value, &text, err);

    (void)arg;
    kin__secret_done(&text);
    kin__fields_leave(f, path);
    return code;
}

static int read_auth_provider(kin__fields *f, uint32_t map, kin__kube_entry *user, kin_error *err)
{
    static const char *const names[] = {"name", "config"};
    uint32_t found[2];
    int code = kin__fields_find(f, map, names, 2, found, err);

    if (code)
        return code;
    size_t path = kin__fields_enter(f, ".name");
    code = kin__fields_string(f, found[0], &user->auth_provider, err);
    kin__fields_leave(f, path);
    user->auth_provider_line = kin__fields_line(f, map);
    if (code || found[1] == KIN__FIELD_NONE)
        return code;
    kin__fields_enter(f, ".config");
    return kin__fields_members(f, found[1], check_string_member, NULL, err);
}

static int read_groups(kin__fields *f, uint32_t list, kin__kube_entry *user, kin_error *err)
{
    user->groups_line = kin__fields_line(f, list);
    return read_texts(f, list, &user->groups, &user->n_groups, err);
}

/* The place of a name: where it is already, or behind the others. NULL: no memory. */
static kin__impersonate_extra *extra_of(kin__kube_entry *user, kin_str name)
{
    for (size_t i = 0; i < user->n_extra; i++) {
        kin__impersonate_extra *extra = &user->extra[i];

        if (!kin_str_equal(kin_str_of(extra->name), name))
            continue;
        kin__texts_free(extra->values, extra->n_values);
        extra->values = NULL;
        extra->n_values = 0;
        return extra;
    }
    kin__impersonate_extra *extras =
        kin__realloc_array(user->extra, user->n_extra + 1, sizeof(*extras));
    if (!extras)
        return NULL;
    user->extra = extras;
    char *copy = kin__memdup_str(name);
    if (!copy)
        return NULL;
    extras[user->n_extra] = (kin__impersonate_extra){copy, NULL, 0};
    return &extras[user->n_extra++];
}

static int read_extra_member(kin__fields *f, kin_str key, uint32_t value, void *arg, kin_error *err)
{
    kin__kube_entry *user = arg;
    size_t path = kin__fields_enter(f, ".%" KIN_STR_FMT, KIN_STR_ARG(key));

    if (user->n_extra >= KIN__KUBE_ITEMS_MAX)
        return kin__fields_fail(f, value, KIN_ELIMIT, err, "more than %u of them",
                                KIN__KUBE_ITEMS_MAX);
    kin__impersonate_extra *extra = extra_of(user, key);
    if (!extra)
        return kin__error_no_memory(err);
    if (value != KIN__FIELD_NONE) {
        int code = read_texts(f, value, &extra->values, &extra->n_values, err);

        if (code)
            return code;
    }
    kin__fields_leave(f, path);
    return 0;
}

static int read_extra(kin__fields *f, uint32_t map, kin__kube_entry *user, kin_error *err)
{
    if (user->groups_line == 0)
        user->groups_line = kin__fields_line(f, map);
    return kin__fields_members(f, map, read_extra_member, user, err);
}

static int read_user(kin__fields *f, uint32_t map, kin__kube_entry *user, kin_error *err)
{
    static const char *const names[] = {"exec", "auth-provider", "as-groups", "as-user-extra"};
    static int (*const readers[])(kin__fields *, uint32_t, kin__kube_entry *, kin_error *) = {
        read_exec, read_auth_provider, read_groups, read_extra};
    uint32_t found[4];
    int code = kin__fields_find(f, map, names, 4, found, err);

    for (size_t i = 0; i < 4 && !code; i++) {
        if (found[i] == KIN__FIELD_NONE)
            continue;
        size_t path = kin__fields_enter(f, ".%s", names[i]);
        code = readers[i](f, found[i], user, err);
        kin__fields_leave(f, path);
    }
    return code;
}

/* --- entries --- */

struct reading {
    kin__kubeconfig *kubeconfig;
    enum kin__kube_kind kind;
};

/* The part of an entry that is of its kind: "cluster" of an item of "clusters". */
static int read_inner(kin__fields *f, uint32_t map, kin__kube_entry *entry, kin_error *err)
{
    const struct kind *kind = &kinds[entry->kind];
    size_t path = kin__fields_enter(f, ".%s", kind->name);
    bool is_cluster = entry->kind == KIN__KUBE_CLUSTER;
    int code = read_values(f, map, kind->fields, kind->n_fields, entry->values, err);

    if (!code && entry->kind == KIN__KUBE_USER)
        code = read_user(f, map, entry, err);
    if (!code)
        code = read_extensions(f, map, is_cluster ? &entry->exec_config : NULL, err);
    kin__fields_leave(f, path);
    return code;
}

static int read_entry_into(kin__fields *f, uint32_t item, const struct reading *reading,
                           kin__kube_entry *entry, kin_error *err)
{
    const char *const names[] = {"name", kinds[entry->kind].name};
    uint32_t found[2] = {KIN__FIELD_NONE, KIN__FIELD_NONE};
    int code = item == KIN__FIELD_NONE ? 0 : kin__fields_find(f, item, names, 2, found, err);

    entry->line = kin__fields_line(f, item);
    entry->file = kin__memdup_str(kin_str_of(f->file));
    if (!code && !entry->file)
        code = kin__error_no_memory(err);
    if (code)
        return code;
    size_t path = kin__fields_enter(f, ".name");
    code = kin__fields_string(f, found[0], &entry->name, err);
    if (!code && kin__kubeconfig_find(reading->kubeconfig, entry->kind, entry->name))
        code = kin__fields_fail(f, item, KIN_EPARSE, err, "the name is there already");
    kin__fields_leave(f, path);
    if (!code && found[1] != KIN__FIELD_NONE)
        code = read_inner(f, found[1], entry, err);
    return code;
}

static int list_add(kin__kube_list *list, const kin__kube_entry *entry)
{
    kin__kube_entry *entries =
        kin__grow_array(list->entries, &list->cap, list->n + 1, sizeof(*entries));

    if (!entries)
        return KIN_ENOMEM;
    list->entries = entries;
    entries[list->n++] = *entry;
    return 0;
}

static int read_entry(kin__fields *f, uint32_t item, uint32_t index, void *arg, kin_error *err)
{
    const struct reading *reading = arg;
    kin__kube_entry entry = {.kind = reading->kind, .index = index};
    int code = read_entry_into(f, item, reading, &entry, err);

    if (!code && list_add(&reading->kubeconfig->lists[reading->kind], &entry))
        code = kin__error_no_memory(err);
    if (code)
        kin__kube_entry_done(&entry);
    return code;
}

/* --- files --- */

static int expect_word(kin__fields *f, uint32_t at, const char *name, const char *word,
                       kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    size_t path = kin__fields_enter(f, ".%s", name);
    int code = kin__fields_text(f, at, &text, err);

    if (!code && text.data && strcmp(text.data, word) != 0)
        code =
            kin__fields_fail(f, at, KIN_EPARSE, err, "is not \"%s\": this is no kubeconfig", word);
    kin__fields_leave(f, path);
    kin__secret_done(&text);
    return code;
}

static int read_preferences(kin__fields *f, uint32_t map, kin_error *err)
{
    static const char *const names[] = {"colors"};
    uint32_t found = KIN__FIELD_NONE;
    bool colors = false;
    size_t path = kin__fields_enter(f, ".preferences");
    int code = kin__fields_find(f, map, names, 1, &found, err);

    if (!code)
        code = read_extensions(f, map, NULL, err);
    if (!code) {
        kin__fields_enter(f, ".colors");
        code = kin__fields_bool(f, found, &colors, err);
    }
    kin__fields_leave(f, path);
    return code;
}

static int read_lists(kin__fields *f, const uint32_t *found, kin__kubeconfig *ret, kin_error *err)
{
    int code = 0;

    for (unsigned kind = 0; kind < KIN__KUBE_KINDS && !code; kind++) {
        struct reading reading = {ret, (enum kin__kube_kind)kind};

        if (found[kind] == KIN__FIELD_NONE)
            continue;
        size_t path = kin__fields_enter(f, "%s", kinds[kind].list);
        code = kin__fields_items(f, found[kind], KIN__KUBE_ENTRIES_MAX, read_entry, &reading, err);
        kin__fields_leave(f, path);
    }
    return code;
}

static int read_root(kin__fields *f, kin__kubeconfig *ret, kin_error *err)
{
    const char *const names[] = {
        kinds[0].list, kinds[1].list, kinds[2].list, "current-context",
        "kind",        "apiVersion",  "preferences",
    };
    uint32_t found[kin__array_len(names)];
    int code = kin__fields_find(f, 0, names, kin__array_len(names), found, err);

    if (!code)
        code = expect_word(f, found[4], "kind", "Config", err);
    if (!code)
        code = expect_word(f, found[5], "apiVersion", "v1", err);
    if (!code && found[6] != KIN__FIELD_NONE)
        code = read_preferences(f, found[6], err);
    if (!code)
        code = read_extensions(f, 0, NULL, err);
    if (!code && found[3] != KIN__FIELD_NONE) {
        size_t path = kin__fields_enter(f, "current-context");
        code = kin__fields_string(f, found[3], &ret->current_context, err);
        kin__fields_leave(f, path);
    }
    return code ? code : read_lists(f, found, ret, err);
}

int kin__kubeconfig_parse(kin__kubeconfig *ret, const char *file, kin_str text, kin_error *err)
{
    kin__fields fields;

    memset(ret, 0, sizeof(*ret));
    int code = kin__fields_open(&fields, file, text, err);
    if (code)
        return code;
    if (!fields.is_empty)
        code = read_root(&fields, ret, err);
    kin__fields_close(&fields);
    if (code)
        kin__kubeconfig_done(ret);
    return code;
}

/* --- several --- */

const kin__kube_entry *kin__kubeconfig_find(const kin__kubeconfig *kubeconfig,
                                            enum kin__kube_kind kind, const char *name)
{
    const kin__kube_list *list = &kubeconfig->lists[kind];

    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->entries[i].name, name) == 0)
            return &list->entries[i];
    }
    return NULL;
}

static int merge_list(kin__kubeconfig *into, kin__kube_list *from, kin_error *err)
{
    for (size_t i = 0; i < from->n; i++) {
        kin__kube_entry *entry = &from->entries[i];
        kin__kube_list *list = &into->lists[entry->kind];

        if (kin__kubeconfig_find(into, entry->kind, entry->name))
            continue;
        if (list->n >= KIN__KUBE_ENTRIES_MAX)
            return kin_error_set(err, KIN_ELIMIT, "%s:%u: more than %u %ss in all files",
                                 entry->file, entry->line, KIN__KUBE_ENTRIES_MAX,
                                 kinds[entry->kind].name);
        if (list_add(list, entry))
            return kin__error_no_memory(err);
        memset(entry, 0, sizeof(*entry)); /* it moved */
    }
    return 0;
}

int kin__kubeconfig_merge(kin__kubeconfig *into, kin__kubeconfig *from, kin_error *err)
{
    int code = 0;

    for (size_t kind = 0; kind < KIN__KUBE_KINDS && !code; kind++)
        code = merge_list(into, &from->lists[kind], err);
    if (!into->current_context || !into->current_context[0]) {
        kin__free(into->current_context);
        into->current_context = from->current_context;
        from->current_context = NULL;
    }
    if (!code)
        kin__kubeconfig_done(from);
    return code;
}
