/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who we are to a real server, and over what.
 */
#include "real_support.h"

#include <stdlib.h>
#include <string.h>

#include "certificates.h"
#include "transport_support.h"

static int list(kin_client *client, kin_error *err)
{
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *resource = NULL;
    real_seen seen;
    int code;

    spec.version = "v1";
    spec.resource = "configmaps";
    assert_code(kin_resource_new(&resource, &spec, NULL), 0);
    real_seen_init(&seen);
    kin_error_clear(err);
    code = kin_client_list(client, NULL, resource, "default", real_see_item, &seen, NULL, err);
    real_seen_done(&seen);
    kin_resource_unref(resource);
    return code;
}

/* What the server takes us for; BORROWED until the next call. */
static const char *whoami(kin_client *client)
{
    static char name[256];
    kin_resource_spec spec = KIN_RESOURCE_SPEC_INIT;
    kin_resource *reviews = NULL;
    kin_error err = KIN_ERROR_INIT;
    const kin_object *answer = NULL;
    const kin_object *question =
        real_object("{\"apiVersion\":\"authentication.k8s.io/v1\",\"kind\":\"SelfSubjectReview\"}");

    spec.group = "authentication.k8s.io";
    spec.version = "v1";
    spec.resource = "selfsubjectreviews";
    spec.cluster_wide = true;
    assert_code(kin_resource_new(&reviews, &spec, NULL), 0);
    assert_good(kin_client_create(client, &answer, reviews, NULL, question, NULL, &err), &err);
    snprintf(name, sizeof(name), "%s %s", real_text(answer, "status.userInfo.username"),
             real_text(answer, "status.userInfo.groups[0]"));
    kin_object_unref(answer);
    kin_object_unref(question);
    kin_resource_unref(reviews);
    return name;
}

static void certificates_and_tokens_say_who_we_are(void **state)
{
    static const char *const users[][2] = {{"admin", "admin system:masters"},
                                           {"token", "token system:masters"},
                                           {"nobody", "nobody nobodies"}};
    kin_client *client;

    (void)state;
    for (size_t i = 0; i < 3; i++) {
        client = real_client(users[i][0], NULL);
        assert_string_equal(whoami(client), users[i][1]);
        kin_client_free(client);
    }
}

static void a_token_that_nobody_knows_is_refused(void **state)
{
    kin_client *client = real_client("stranger", NULL);
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    assert_fails(list(client, &err), KIN_EDENIED, 401, "Unauthorized", &err);
    assert_string_equal(err.message, "Unauthorized");
    kin_client_free(client);
}

static void who_may_not_is_told_so(void **state)
{
    kin_client *client = real_client("nobody", NULL);
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin_resource *resource = NULL;
    kin_error err = KIN_ERROR_INIT;
    real_seen seen;

    (void)state;
    assert_fails(list(client, &err), KIN_EDENIED, 403, "Forbidden", &err);
    assert_non_null(strstr(err.message, "User \"nobody\" cannot list resource \"configmaps\""));
    /* What there is, everybody may know. */
    resource = real_resource(client, "configmaps");
    options.send_initial_events = true;
    real_seen_init(&seen);
    assert_fails(
        kin_client_watch(client, resource, "default", real_see_event, &seen, &options, &err),
        KIN_EDENIED, 403, "Forbidden", &err);
    real_seen_done(&seen);
    kin_resource_unref(resource);
    kin_client_free(client);
}

/* A client of a configuration that begins with the kubeconfig. */
static kin_client *client_of(kin_config_options *where)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client;

    where->kubeconfig = real_kubeconfig();
    assert_good(kin_config_load(&options.config, where, &err), &err);
    client = real_client(NULL, &options);
    kin_config_unref(options.config);
    return client;
}

static void we_act_as_others(void **state)
{
    static const char *const groups[] = {"guests", "system:authenticated"};
    static const char *const values[] = {"one", "Two Three"};
    kin_impersonate_extra extra = {"kin.example/why", values, 2};
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_client *client;

    (void)state;
    real_kubeconfig();
    where.impersonate_user = "guest";
    where.impersonate_groups = groups;
    where.n_impersonate_groups = 2;
    where.impersonate_extra = &extra;
    where.n_impersonate_extra = 1;
    client = client_of(&where);
    assert_string_equal(whoami(client), "guest guests");
    assert_fails(list(client, &err), KIN_EDENIED, 403, "Forbidden", &err);
    assert_non_null(strstr(err.message, "User \"guest\""));
    kin_client_free(client);
    where.context = "nobody";
    client = client_of(&where);
    assert_fails(list(client, &err), KIN_EDENIED, 403, "Forbidden", &err);
    assert_non_null(strstr(err.message, "impersonate"));
    kin_client_free(client);
}

static void certificates_of_others_are_not_taken(void **state)
{
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_test_pki *pki = NULL;
    kin_client *client;

    (void)state;
    real_kubeconfig();
    kin_test_pki_new(&pki);
    where.ca_data = pki->ca.certificate;
    client = client_of(&where);
    assert_code(list(client, &err), KIN_ETLS);
    kin_client_free(client);

    where = (kin_config_options)KIN_CONFIG_OPTIONS_INIT;
    where.tls_server_name = "other.example";
    client = client_of(&where);
    assert_code(list(client, &err), KIN_ETLS);
    kin_client_free(client);

    where = (kin_config_options)KIN_CONFIG_OPTIONS_INIT;
    where.insecure = true;
    client = client_of(&where);
    assert_good(list(client, &err), &err);
    kin_client_free(client);

    /* A certificate that the server does not know does not make us anybody. */
    where = (kin_config_options)KIN_CONFIG_OPTIONS_INIT;
    where.certificate_data = pki->client.certificate;
    where.key_data = pki->client.key;
    client = client_of(&where);
    assert_fails(list(client, &err), KIN_EDENIED, 401, "Unauthorized", &err);
    kin_client_free(client);
    kin_test_pki_free(pki);
}

static void requests_share_connections_of_http2(void **state)
{
    kin_test_certificate admin = {.certificate = NULL};
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin__identity identity = {.tls = NULL};
    transport_setup setup = {.url = NULL};
    kin_config *config = NULL;
    transport_fixture f = {.server = NULL};
    char *ca;

    (void)state;
    where.kubeconfig = real_kubeconfig();
    assert_code(kin_config_load(&config, &where, NULL), 0);
    ca = real_file("ca.crt");
    admin.certificate = real_file("admin.crt");
    admin.key = real_file("admin.key");
    setup.url = kin_config_server(config);
    transport_open_alone(&f, &setup);
    identity.tls = transport_material(1, ca, &admin);
    for (int i = 0; i < 2; i++) {
        kin__exchange_spec spec = transport_get(i == 0 ? "/api/v1/nodes"
                                                       : "/api/v1/nodes?watch=1"
                                                         "&timeoutSeconds=1");
        transport_result result;

        spec.identity = &identity;
        spec.kind = i == 1 ? KIN__LANE_WATCH : KIN__LANE_SHORT;
        transport_run(&f, &spec, &result);
        assert_code(result.code, 0);
        assert_int_equal(result.status, 200);
        assert_true(result.is_http2);
        assert_string_equal(result.content_type, "application/json");
        transport_result_done(&result);
    }
    transport_close(&f);
    kin__tls_material_unref(identity.tls);
    kin_config_unref(config);
    free(ca);
    free(admin.certificate);
    free(admin.key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(certificates_and_tokens_say_who_we_are),
        cmocka_unit_test(a_token_that_nobody_knows_is_refused),
        cmocka_unit_test(who_may_not_is_told_so),
        cmocka_unit_test(we_act_as_others),
        cmocka_unit_test(certificates_of_others_are_not_taken),
        cmocka_unit_test(requests_share_connections_of_http2),
    };

    return run_real_tests(tests);
}
