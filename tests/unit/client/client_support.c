/* SPDX-License-Identifier: Apache-2.0 */
#include "client_support.h"

#include <string.h>

#include "kinform/json.h"

void client_open(client_fixture *f, const kin_client_options *options,
                 const kin_test_http_options *server)
{
    kin_client_options all = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec pods = KIN_RESOURCE_SPEC_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (options)
        all = *options;
    kin_test_http_start(&f->server, server ? server : &(kin_test_http_options){0});
    config.server = kin_test_http_url(f->server);
    if (!all.config)
        assert_code(kin_config_new(&all.config, &config, &err), 0);
    if (!all.qps)
        all.qps = -1;
    assert_code(kin_client_new(&f->client, &all, &err), 0);
    if (!options || !options->config)
        kin_config_unref(all.config);
    pods.version = "v1";
    pods.resource = "pods";
    pods.kind = "Pod";
    assert_code(kin_resource_new(&f->pods, &pods, NULL), 0);
}

void client_close(client_fixture *f)
{
    kin_client_free(f->client);
    kin_resource_unref(f->pods);
    kin_test_http_stop(f->server);
}

void client_route(client_fixture *f, const char *method, const char *target, int status,
                  const char *body)
{
    kin_test_http_add_route(
        f->server,
        &(kin_test_http_route){.method = method, .target = target, .status = status, .body = body});
}

const kin_object *client_object(const char *json)
{
    const kin_object *object = NULL;
    kin_error err = KIN_ERROR_INIT;

    assert_code(kin_object_from_json(&object, kin_str_of(json), NULL, &err), 0);
    return object;
}

static int see(client_seen *seen, const char *type, const kin_object *object, kin_error *err)
{
    size_t len = strlen(seen->text);

    snprintf(seen->text + len, sizeof(seen->text) - len, "%s%s%s%s", len ? " " : "", type,
             *type ? ":" : "", kin_object_key(object));
    if (++seen->n == seen->stop_at)
        return kin_error_set(err, KIN_ERANGE, "enough");
    return 0;
}

int client_see_item(const kin_object *object, void *seen, kin_error *err)
{
    return see(seen, "", object, err);
}

int client_see_event(enum kin_watch_type type, const kin_object *object, void *seen, kin_error *err)
{
    return see(seen, kin_watch_type_name(type), object, err);
}
