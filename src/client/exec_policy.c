/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Exec policies, as client-go has them: all plugins, none, or those of a list.
 *
 * An entry of the list fits if it is the command, letter by letter, or if both lead to the same path.
 * Of a command that is a name alone that path is kept, since $PATH may lead elsewhere when it is run.
 */
#include "client/exec_policy.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/str.h"

static bool is_path(const char *command)
{
    return strchr(command, '/') != NULL;
}

static bool has_part(const char *path, const char *part)
{
    kin_str rest = kin_str_of(path);

    for (kin_str each; kin__str_cut(&rest, '/', &each);) {
        if (kin_str_equal(each, kin_str_of(part)))
            return true;
    }
    return false;
}

/* What is not would never fit: the paths of commands are. */
static bool is_clean(const char *entry)
{
    size_t len = strlen(entry);

    if (!is_path(entry))
        return strcmp(entry, ".") != 0 && strcmp(entry, "..") != 0;
    return entry[0] == '/' && entry[len - 1] != '/' && !strstr(entry, "//") &&
           !has_part(entry, ".") && !has_part(entry, "..");
}

int kin__exec_policy_check(const kin_config_options *options, kin_error *err)
{
    size_t n = options->n_exec_allowlist;

    if (options->exec_policy != KIN_EXEC_ALLOW_ALL && options->exec_policy != KIN_EXEC_DENY_ALL &&
        options->exec_policy != KIN_EXEC_ALLOW_LIST)
        return kin_error_set(err, KIN_EINVAL, "option exec_policy: there is no policy %d",
                             (int)options->exec_policy);
    if (options->exec_policy != KIN_EXEC_ALLOW_LIST)
        return n == 0 ? 0
                      : kin_error_set(err, KIN_EINVAL,
                                      "option exec_allowlist: set without KIN_EXEC_ALLOW_LIST");
    if (n == 0)
        return kin_error_set(err, KIN_EINVAL,
                             "option exec_allowlist: it is empty; KIN_EXEC_DENY_ALL allows none");
    if (!options->exec_allowlist)
        return kin__error_null(err, "exec_allowlist");
    for (size_t i = 0; i < n; i++) {
        const char *entry = options->exec_allowlist[i];

        if (!entry || entry[0] == '\0' || !is_clean(entry))
            return kin_error_set(err, KIN_EINVAL,
                                 "option exec_allowlist: entry %zu is neither a name nor an "
                                 "absolute path without \"//\", \".\" and \"..\"",
                                 i);
    }
    return 0;
}

static bool can_be_run(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode) && access(path, X_OK) == 0;
}

int kin__exec_find(char **ret, const char *name)
{
    kin_str rest = kin_str_of(secure_getenv("PATH"));
    kin__buf path;
    int code = 0;

    *ret = NULL;
    kin__buf_init(&path, SIZE_MAX - 1);
    for (kin_str folder; code == 0 && !*ret && kin__str_cut(&rest, ':', &folder);) {
        if (folder.len == 0 || folder.data[0] != '/')
            continue;
        kin__buf_reset(&path);
        kin__buf_append(&path, folder);
        kin__buf_append_char(&path, '/');
        kin__buf_append(&path, kin_str_of(name));
        if (path.failed)
            code = KIN_ENOMEM;
        else if (can_be_run(path.data))
            code = kin__buf_take(&path, ret, NULL);
    }
    kin__buf_done(&path);
    return code;
}

/* Whether an entry fits the path of what would be run. 0, 1, KIN_ENOMEM. */
static int leads_to(const char *entry, const char *path)
{
    char *found = NULL;
    int code;

    if (is_path(entry))
        return strcmp(entry, path) == 0;
    code = kin__exec_find(&found, entry);
    if (code == 0 && found)
        code = strcmp(found, path) == 0;
    kin__free(found);
    return code;
}

static bool is_listed(const kin_config_options *options, const char *command)
{
    for (size_t i = 0; i < options->n_exec_allowlist; i++) {
        if (strcmp(options->exec_allowlist[i], command) == 0)
            return true;
    }
    return false;
}

static int apply_list(const kin_config_options *options, char **command)
{
    char *found = NULL;
    const char *path;
    int code = is_path(*command) ? 0 : kin__exec_find(&found, *command);
    bool fits = code == 0 && is_listed(options, *command);

    path = found ? found : *command;
    for (size_t i = 0; code == 0 && !fits && is_path(path) && i < options->n_exec_allowlist; i++) {
        code = leads_to(options->exec_allowlist[i], path);
        fits = code > 0;
        code = code < 0 ? code : 0;
    }
    if (fits && found) {
        kin__free(*command);
        *command = found;
        return 0;
    }
    kin__free(found);
    if (code < 0)
        return code;
    return fits ? 0 : KIN_EDENIED;
}

int kin__exec_policy_apply(const kin_config_options *options, char **command)
{
    if (options->exec_policy == KIN_EXEC_ALLOW_LIST)
        return apply_list(options, command);
    return options->exec_policy == KIN_EXEC_DENY_ALL ? KIN_EDENIED : 0;
}
