/* SPDX-License-Identifier: Apache-2.0 */
#include "dial.h"

#include "load.h"

kin_config *kin_bench_config_new(const char *url, const char *ca)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    options.server = url;
    options.ca_file = ca;
    options.no_compression = true; /* the server has nothing compressed */
    if (kin_config_new(&config, &options, &err) < 0)
        kin_bench_die("%s", err.message);
    return config;
}

kin_client *kin_bench_client_new(const char *url, const char *ca)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client = NULL;

    options.config = kin_bench_config_new(url, ca);
    options.qps = -1;
    options.timeout_ms = -1;
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
