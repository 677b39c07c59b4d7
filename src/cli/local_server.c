/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/local_server.h"

#include <stdlib.h>
#include <unistd.h>

#include "cli/file.h"

#define AT(field) offsetof(struct simulation_settings, field)
enum { SIMULATED_MAX = 1000000 };

const struct option simulation_options[N_SIMULATION_OPTIONS] = {
    {"simulate", 0, OPTION_FLAG, AT(simulate), NULL,
     "as if there were a cluster, in which things happen", NULL, 0},
    {"nodes", 0, OPTION_NUMBER, AT(nodes), "N", "so many nodes; default: 10", NULL, SIMULATED_MAX},
    {"deployments", 0, OPTION_NUMBER, AT(deployments), "N", "so many Deployments; default: 12",
     NULL, SIMULATED_MAX},
    {"pods", 0, OPTION_NUMBER, AT(pods), "N", "with so many Pods altogether; default: 100", NULL,
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

int local_server_start(kin_apiserver *server, int64_t port, kin_error *err)
{
    int code = kin_apiserver_start(server, err);

    if (code < 0 && port > 0)
        kin_error_set(err, code, "port %lld: %s; choose another one with --port", (long long)port,
                      err->message);
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
