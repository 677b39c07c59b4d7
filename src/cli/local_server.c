/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/local_server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/base/file.h"

#define AT(field) offsetof(struct simulation_settings, field)
enum { SIMULATED_MAX = 1000000, TOKEN_BYTES = 24 };

const struct option simulation_options[N_SIMULATION_OPTIONS] = {
    {"simulate", 0, OPTION_FLAG, AT(simulate), NULL,
     "as if there were a cluster, in which things happen", NULL, 0},
    {"nodes", 0, OPTION_COUNT, AT(nodes), "N", "so many nodes; default: 10", NULL, SIMULATED_MAX},
    {"deployments", 0, OPTION_COUNT, AT(deployments), "N", "so many Deployments; default: 12", NULL,
     SIMULATED_MAX},
    {"pods", 0, OPTION_COUNT, AT(pods), "N", "with so many Pods altogether; default: 100", NULL,
     SIMULATED_MAX},
    {"churn", 0, OPTION_TEXT, AT(churn), "N",
     "so many changes per second; default: 10; 0: only heartbeats", NULL, 0},
    {"seed", 0, OPTION_NUMBER, AT(seed), "N", "others than with another number; default: 0", NULL,
     4294967295},
};

int simulation_churn(unsigned *ret, const struct simulation_settings *settings, kin_error *err)
{
    const char *text = settings->churn;
    char *end = NULL;
    unsigned long number = text ? strtoul(text, &end, 10) : 10;

    if (text && (text[0] < '0' || text[0] > '9' || *end || number > CHURN_MAX))
        return kin_error_set(err, KIN_EINVAL, "--churn wants a number up to %d, not %s", CHURN_MAX,
                             text);
    *ret = (unsigned)number;
    return 0;
}

int simulation_begin(kin_apiserver *server, const struct simulation_settings *settings,
                     kin_error *err)
{
    kin_simulation_options options = KIN_SIMULATION_OPTIONS_INIT;
    int code = simulation_churn(&options.churn, settings, err);

    options.seed = (uint64_t)settings->seed;
    options.nodes = (unsigned)settings->nodes;
    options.deployments = (unsigned)settings->deployments;
    options.pods = (unsigned)settings->pods;
    return code < 0 ? code : kin_apiserver_simulate(server, &options, err);
}

const char *simulation_option_given(const struct simulation_settings *settings)
{
    return settings->nodes         ? "nodes"
           : settings->deployments ? "deployments"
           : settings->pods        ? "pods"
           : settings->churn       ? "churn"
           : settings->seed        ? "seed"
                                   : NULL;
}

static int make_token(char *ret, kin_error *err)
{
    unsigned char bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return kin_error_set(err, KIN_ESYSTEM, "getrandom: %s", strerror(errno));
    for (size_t i = 0; i < sizeof(bytes); i++)
        snprintf(ret + 2 * i, 3, "%02x", bytes[i]);
    explicit_bzero(bytes, sizeof(bytes));
    return 0;
}

int local_server_new(kin_apiserver **ret, const kin_apiserver_options *options, const char *token,
                     kin_error *err)
{
    kin_apiserver_options guarded = *options;
    char made[2 * TOKEN_BYTES + 1];
    kin_apiserver_token only = {token ? token : made, NULL, false};
    int code = token ? 0 : make_token(made, err);

    guarded.tls = true;
    guarded.tokens = &only;
    guarded.n_tokens = 1;
    if (code == 0)
        code = kin_apiserver_new(ret, &guarded, err);
    explicit_bzero(made, sizeof(made));
    return code;
}

int local_server_start(kin_apiserver *server, const char *address, int64_t port, kin_error *err)
{
    int code = kin_apiserver_start(server, err);
    int failure = err->os_error;

    if (code == 0)
        return 0;
    if (address && failure == EADDRNOTAVAIL)
        return kin_error_set(err, code, "--address %s: %s; it is none of this machine", address,
                             strerror(failure));
    if (port > 0 && (failure == EADDRINUSE || failure == EACCES))
        return kin_error_set(err, code, "port %lld: %s; choose another one with --port",
                             (long long)port, strerror(failure));
    return code;
}

/* --- kubeconfigs --- */

void add_shell_word(struct text *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "/._-+,:@%";

    if (word[0] && word[strspn(word, plain)] == '\0') {
        text_add_string(out, word);
        return;
    }
    text_add_char(out, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            text_add_string(out, "'\\''");
        else
            text_add_char(out, *word);
    }
    text_add_char(out, '\'');
}

int kubeconfig_write(struct text *ret_path, kin_apiserver *server, const char *path, kin_error *err)
{
    struct text target = TEXT_INIT;
    struct stat info;
    int code = file_absolute(ret_path, path, err);

    if (code == 0)
        code = file_resolve(&target, path, err);
    if (code == 0 && lstat(path, &info) == 0 && S_ISLNK(info.st_mode) &&
        access(text_string(&target), F_OK) < 0)
        code = kin_error_set(err, KIN_ENOTFOUND,
                             "--write-kubeconfig %s: it is a link to a file that does not exist",
                             path);
    if (code == 0)
        code = kin_apiserver_write_kubeconfig(server, text_string(&target), err);
    text_done(&target);
    return code;
}

int temporary_kubeconfig_write(struct temporary_kubeconfig *file, kin_apiserver *server,
                               kin_error *err)
{
    int code = file_temporary_folder(&file->folder, err);

    if (code < 0)
        return code;
    text_format(&file->path, "%s/kubeconfig", file->folder);
    code = kin_apiserver_write_kubeconfig(server, text_string(&file->path), err);
    if (code < 0)
        temporary_kubeconfig_remove(file);
    return code;
}

void temporary_kubeconfig_remove(struct temporary_kubeconfig *file)
{
    if (file->folder) {
        unlink(text_string(&file->path));
        rmdir(file->folder);
    }
    free(file->folder);
    file->folder = NULL;
    text_done(&file->path);
}
