/* SPDX-License-Identifier: Apache-2.0 */
#include "dial.h"

#include "load.h"

bool kin_bench_server_is_given(const struct kin_bench_server *server)
{
    return server->kubeconfig ? !server->url && !server->ca : server->url != NULL;
}

kin_encoding kin_bench_server_encoding(const struct kin_bench_server *server)
{
    return server->json ? KIN_ENCODING_JSON : KIN_ENCODING_PROTOBUF;
}

kin_config *kin_bench_config_new(const struct kin_bench_server *server)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;
    int rc;

    options.kubeconfig = server->kubeconfig;
    options.server = server->url;
    options.ca_file = server->ca;
    options.no_compression = !server->gzip;
    rc = server->kubeconfig ? kin_config_load(&config, &options, &err)
                            : kin_config_new(&config, &options, &err);
    if (rc < 0)
        kin_bench_die("%s", err.message);
    return config;
}

kin_client *kin_bench_client_new(const struct kin_bench_server *server)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    options.config = kin_bench_config_new(server);
    options.qps = -1;
    options.timeout_ms = -1;
    options.encoding = kin_bench_server_encoding(server);
    if (kin_client_new(&client, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    kin_config_unref(options.config);
    return client;
}

kin_resource *kin_bench_resource_new(const char *group, const char *resource, const char *kind)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_resource *made = NULL;

    spec.group = group;
    spec.version = "v1";
    spec.resource = resource;
    spec.kind = kind;
    if (kin_resource_new(&made, &spec, &err) < 0)
        kin_bench_die("%s", err.message);
    return made;
}
