/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS: who is trusted, who we are, and what happens when certificates are renewed.
 */
#include "transport_support.h"

#include <openssl/ssl.h>
#include <string.h>

#include "base/compiler.h"

static kin_test_tls tls_of(const kin_test_certificate *certificate)
{
    return (kin_test_tls){.certificate = certificate->certificate, .key = certificate->key};
}

static void open_tls(transport_fixture *f, transport_setup setup)
{
    transport_open(f, &setup);
    kin_test_http_add_route(f->server, &(kin_test_http_route){.body = "secret"});
}

/* One GET with this material. */
static void expect_with(transport_fixture *f, kin__tls_material *material, int code,
                        const char *text)
{
    kin__identity identity = {.tls = material};
    kin__exchange_spec spec = transport_get("/");

    spec.identity = &identity;
    transport_expect(f, &spec, code, text);
}

static void run_with(transport_fixture *f, kin__tls_material *material)
{
    kin__identity identity = {.tls = material};
    kin__exchange_spec spec = transport_get("/");
    transport_result result;

    spec.identity = &identity;
    transport_run(f, &spec, &result);
    if (result.code)
        print_error("%s\n", result.err.message);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "secret");
    transport_result_done(&result);
}

static void trusts_the_given_ca(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);

    (void)state;
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->server)});
    run_with(&f, material);
    kin_test_http_connection connection = kin_test_http_connection_at(f.server, 0);
    assert_string_equal(connection.tls_version, "TLSv1.3");
    assert_string_equal(connection.alpn_offered, "h2,http/1.1");
    transport_close(&f);
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->chained)});
    run_with(&f, material);
    transport_close(&f);
    kin__tls_material_unref(material);
}

static void refuses_certificates_that_prove_nothing(void **state)
{
    const struct {
        const kin_test_certificate *certificate;
        const char *text;
    } cases[] = {
        {&kin_test_group_pki->expired, "certificate has expired"},
        {&kin_test_group_pki->not_yet, "certificate is not yet valid"},
        {&kin_test_group_pki->wrong_host, "the certificate is not trusted"},
        {&kin_test_group_pki->self_signed, "self-signed certificate"},
        {&kin_test_group_pki->other_server, "unable to get local issuer certificate"},
    };
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);

    (void)state;
    for (size_t i = 0; i < kin__array_len(cases); i++) {
        open_tls(&f, (transport_setup){.server.tls = tls_of(cases[i].certificate)});
        expect_with(&f, material, KIN_ETLS, cases[i].text);
        expect_with(&f, material, KIN_ETLS, kin_test_http_url(f.server));
        assert_int_equal(kin_test_http_count(f.server).requests, 0);
        transport_close(&f);
    }
    /* The system's CAs know none of them. */
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->server)});
    expect_with(&f, NULL, KIN_ETLS, "the certificate is not trusted");
    transport_close(&f);
    kin__tls_material_unref(material);
}

static void believes_anything_when_told_so(void **state)
{
    transport_fixture f = {0};

    (void)state;
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->wrong_host),
                                   .insecure = true});
    run_with(&f, NULL);
    transport_close(&f);
}

static void verifies_another_name_when_told_so(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);

    (void)state;
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->wrong_host),
                                   .tls_server_name = "other.example"});
    run_with(&f, material);
    assert_string_equal(kin_test_http_connection_at(f.server, 0).sni, "other.example");
    assert_string_equal(kin_test_http_field_of(kin_test_http_request_at(f.server, 0), "host"),
                        kin_test_http_host(f.server));
    transport_close(&f);
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->server),
                                   .tls_server_name = "other.example"});
    expect_with(&f, material, KIN_ETLS, "other.example");
    transport_close(&f);
    kin__tls_material_unref(material);
}

static void speaks_nothing_older_than_1_2(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    kin_test_tls old = tls_of(&kin_test_group_pki->server);

    (void)state;
    old.max_version = TLS1_2_VERSION;
    open_tls(&f, (transport_setup){.server.tls = old});
    run_with(&f, material);
    assert_string_equal(kin_test_http_connection_at(f.server, 0).tls_version, "TLSv1.2");
    transport_close(&f);
    old.max_version = TLS1_1_VERSION;
    open_tls(&f, (transport_setup){.server.tls = old});
    expect_with(&f, material, KIN_ETLS, "TLS handshake failed");
    transport_close(&f);
    kin__tls_material_unref(material);
}

static void shows_its_certificate(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *none = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    kin__tls_material *ours =
        transport_material(2, kin_test_group_pki->ca.certificate, &kin_test_group_pki->client);
    kin__tls_material *other = transport_material(3, kin_test_group_pki->ca.certificate,
                                                  &kin_test_group_pki->other_client);
    kin__tls_material *bad = transport_material(4, kin_test_group_pki->ca.certificate, NULL);
    kin_test_tls tls = tls_of(&kin_test_group_pki->server);

    (void)state;
    tls.client_ca = kin_test_group_pki->ca.certificate;
    tls.require_client_certificate = true;
    for (int version = TLS1_2_VERSION; version <= TLS1_3_VERSION; version++) {
        tls.max_version = version;
        open_tls(&f, (transport_setup){.server.tls = tls});
        expect_with(&f, none, KIN_ETLS, "");
        expect_with(&f, other, KIN_ETLS, "");
        run_with(&f, ours);
        unsigned last = kin_test_http_count(f.server).connections - 1;
        assert_non_null(
            strstr(kin_test_http_connection_at(f.server, last).client_subject, "CN = client"));
        transport_close(&f);
    }
    /* A key of somebody else's certificate. */
    assert_code(
        kin__secret_set(&bad->certificate, kin_str_of(kin_test_group_pki->client.certificate)), 0);
    assert_code(kin__secret_set(&bad->key, kin_str_of(kin_test_group_pki->server.key)), 0);
    open_tls(&f, (transport_setup){.server.tls = tls});
    expect_with(&f, bad, KIN_ETLS, "our certificate or key is unusable");
    transport_close(&f);
    kin__tls_material_unref(none);
    kin__tls_material_unref(ours);
    kin__tls_material_unref(other);
    kin__tls_material_unref(bad);
}

static void tells_a_failed_handshake_from_a_lost_connection(void **state)
{
    static const struct {
        kin_test_tls_fate fate;
        int code;
    } fates[] = {
        {KIN_TEST_TLS_REFUSED, KIN_ETLS},
        {KIN_TEST_TLS_GARBAGE, KIN_ETLS},
        {KIN_TEST_TLS_CLOSED, KIN_ECONNECT},
        {KIN_TEST_TLS_RESET, KIN_ECONNECT},
    };
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);

    (void)state;
    for (size_t i = 0; i < kin__array_len(fates); i++) {
        kin_test_tls tls = tls_of(&kin_test_group_pki->server);

        tls.fate = fates[i].fate;
        open_tls(&f, (transport_setup){.server.tls = tls});
        expect_with(&f, material, fates[i].code, "TLS handshake");
        transport_close(&f);
    }
    kin__tls_material_unref(material);
}

static void leaves_old_certificates_behind(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *old =
        transport_material(1, kin_test_group_pki->ca.certificate, &kin_test_group_pki->client);
    kin__tls_material *new = transport_material(2, kin_test_group_pki->ca.certificate,
                                                &kin_test_group_pki->client_rotated);
    kin_test_tls tls = tls_of(&kin_test_group_pki->server);
    kin__identity identity = {.tls = old};
    kin__exchange_spec watch = transport_get("/watch");
    kin__exchange_spec list = transport_get("/list");
    kin__exchange *watching[2];
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    tls.client_ca = kin_test_group_pki->ca.certificate;
    transport_open(&f, &(transport_setup){.server.tls = tls});
    kin_test_http_add_route(f.server, &(kin_test_http_route){
                                          .target = "/watch",
                                          .shape = KIN_TEST_HTTP_STALL_IN_BODY,
                                          .body = "w",
                                      });
    kin_test_http_add_route(f.server, &(kin_test_http_route){
                                          .target = "/list",
                                          .shape = KIN_TEST_HTTP_STALL_FIRST,
                                          .body = "l",
                                      });
    kin_test_http_add_route(f.server, &(kin_test_http_route){.target = "/", .body = "secret"});
    watch.identity = &identity;
    list.identity = &identity;
    for (size_t i = 0; i < kin__array_len(watching); i++) {
        watch.kind = i ? KIN__LANE_WATCH_LIST : KIN__LANE_WATCH;
        watching[i] = transport_start(&f, &watch);
    }
    list.kind = KIN__LANE_LIST;
    kin__exchange *listing = transport_start(&f, &list);
    kin_test_http_await_stalled(f.server, 3);

    run_with(&f, new); /* not a connection of before */
    assert_int_equal(kin_test_http_count(f.server).connections, 4);
    assert_non_null(
        strstr(kin_test_http_connection_at(f.server, 3).client_subject, "CN = client-rotated"));
    /* What lasts is ended, the rest may end by itself. */
    for (size_t i = 0; i < kin__array_len(watching); i++) {
        assert_code(transport_await_end(watching[i], &err), KIN_ECONNECT);
        assert_non_null(strstr(err.message, "renewed"));
        kin__exchange_unref(watching[i]);
    }
    kin_test_http_release_all(f.server);
    transport_result result;
    transport_finish(&f, listing, &result);
    assert_code(result.code, 0);
    assert_string_equal(result.body, "l");
    transport_result_done(&result);
    kin_test_http_await_open(f.server, 1);
    transport_close(&f);
    kin__tls_material_unref(old);
    kin__tls_material_unref(new);
}

/* The first one makes the connection; what becomes of it becomes of those who wait for it. */
static void shares_the_fate_of_a_connection(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    kin__identity identity = {.tls = material};
    kin__exchange_spec spec = transport_get("/");
    kin__exchange *exchanges[10];
    kin_test_tls tls = tls_of(&kin_test_group_pki->server);

    (void)state;
    tls.fate = KIN_TEST_TLS_STALLED;
    spec.identity = &identity;
    transport_open(
        &f, &(transport_setup){.server.tls = tls, .options.connect_timeout_ns = 100 * 1000 * 1000});
    for (size_t i = 0; i < kin__array_len(exchanges); i++)
        exchanges[i] = transport_start(&f, &spec);
    for (size_t i = 0; i < kin__array_len(exchanges); i++) {
        kin_error err = KIN_ERROR_INIT;

        assert_code(transport_await_end(exchanges[i], &err), KIN_ECONNECT);
        assert_non_null(strstr(err.message, "no connection in time"));
        kin__exchange_unref(exchanges[i]);
    }
    assert_int_equal(kin_test_http_count(f.server).connections, 1);
    transport_close(&f);
    kin__tls_material_unref(material);
}

/* One that is cancelled while it makes the connection leaves that to the next. */
static void hands_on_its_place_in_line(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    kin__identity identity = {.tls = material};
    kin__exchange_spec spec = transport_get("/");
    kin_test_tls tls = tls_of(&kin_test_group_pki->server);
    transport_result result;

    (void)state;
    tls.fate = KIN_TEST_TLS_STALLED;
    spec.identity = &identity;
    open_tls(&f, (transport_setup){.server.tls = tls});
    kin__exchange *first = transport_start(&f, &spec);
    kin__exchange *second = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 1);
    kin_test_http_set_tls(f.server,
                          &(kin_test_tls){.certificate = kin_test_group_pki->server.certificate,
                                          .key = kin_test_group_pki->server.key});
    kin__exchange_cancel(first);
    transport_finish(&f, second, &result);
    assert_code(result.code, 0);
    transport_result_done(&result);
    kin__exchange_unref(first);
    transport_close(&f);
    kin__tls_material_unref(material);
}

/* Whoever comes late with an old certificate gets its own connection, which goes with it. */
static void serves_those_who_are_late(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *old =
        transport_material(1, kin_test_group_pki->ca.certificate, &kin_test_group_pki->client);
    kin__tls_material *new = transport_material(2, kin_test_group_pki->ca.certificate,
                                                &kin_test_group_pki->client_rotated);
    kin_test_tls tls = tls_of(&kin_test_group_pki->server);

    (void)state;
    tls.client_ca = kin_test_group_pki->ca.certificate;
    open_tls(&f, (transport_setup){.server.tls = tls});
    run_with(&f, new);
    run_with(&f, old);
    kin_test_http_await_closed(f.server, 1);
    run_with(&f, new);
    assert_int_equal(kin_test_http_count(f.server).connections, 2);
    assert_int_equal(kin_test_http_count(f.server).open, 1);
    transport_close(&f);
    kin__tls_material_unref(old);
    kin__tls_material_unref(new);
}

/* However many are late, they have no more connections than others. */
static void bounds_those_who_are_late(void **state)
{
    transport_fixture f = {0};
    kin__tls_material *old =
        transport_material(1, kin_test_group_pki->ca.certificate, &kin_test_group_pki->client);
    kin__tls_material *new = transport_material(2, kin_test_group_pki->ca.certificate,
                                                &kin_test_group_pki->client_rotated);
    kin__identity identity = {.tls = old};
    kin__exchange_spec spec = transport_get("/stalled");
    kin__exchange *exchanges[10];

    (void)state;
    spec.identity = &identity;
    open_tls(&f, (transport_setup){.server.tls = tls_of(&kin_test_group_pki->server),
                                   .options.max_connections = 2});
    run_with(&f, new);
    kin_test_http_clear_routes(f.server);
    kin_test_http_add_route(f.server, &(kin_test_http_route){.shape = KIN_TEST_HTTP_STALL_FIRST});
    for (size_t i = 0; i < kin__array_len(exchanges); i++)
        exchanges[i] = transport_start(&f, &spec);
    kin_test_http_await_stalled(f.server, 2);
    kin_test_http_release_all(f.server);
    for (size_t i = 0; i < kin__array_len(exchanges); i++) {
        transport_result result;

        transport_finish(&f, exchanges[i], &result);
        assert_code(result.code, 0);
        transport_result_done(&result);
    }
    assert_in_range(kin_test_http_count(f.server).connections, 2, 3);
    kin_test_http_await_open(f.server, 1);
    transport_close(&f);
    kin__tls_material_unref(old);
    kin__tls_material_unref(new);
}

/* What a server says when it closes is found only by looking; libcurl takes it for a sign of life. */
static void writes_over_a_connection_that_is_there(void **state)
{
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    kin__identity identity = {.tls = material};
    transport_fixture f = {0};

    (void)state;
    transport_open(&f, &(transport_setup){.server.tls = tls_of(&kin_test_group_pki->server)});
    kin_test_http_add_route(f.server, &(kin_test_http_route){.body = "secret"});
    for (unsigned i = 0; i < 5; i++) {
        kin__exchange_spec spec = transport_get("/");
        kin__exchange *exchanges[3];
        transport_result result;

        spec.identity = &identity;
        spec.method = "POST";
        spec.body = kin_str_of("{}");
        /* Several: whoever finds one connection dead may find others so. */
        for (size_t k = 0; k < kin__array_len(exchanges); k++)
            exchanges[k] = transport_start(&f, &spec);
        for (size_t k = 0; k < kin__array_len(exchanges); k++) {
            transport_finish(&f, exchanges[k], &result);
            if (result.code)
                print_error("%s\n", result.err.message);
            assert_code(result.code, 0);
            assert_string_equal(result.body, "secret");
            transport_result_done(&result);
        }
        kin_test_http_close_connections(f.server);
        kin_test_http_await_open(f.server, 0);
    }
    assert_int_equal(kin_test_http_count(f.server).requests, 15);
    transport_close(&f);
    kin__tls_material_unref(material);
}

/* A connection that is kept, and that the server ends, is not kept any longer. */
static void lets_go_of_a_connection_that_was_ended(void **state)
{
    kin__tls_material *material = transport_material(1, kin_test_group_pki->ca.certificate, NULL);
    transport_fixture f = {0};
    size_t sockets;

    (void)state;
    for (int i = 0; i < 4; i++) {
        kin_test_tls tls = {.certificate = NULL};

        if (i % 2)
            tls = tls_of(&kin_test_group_pki->server);
        open_tls(&f, (transport_setup){.server.tls = tls});
        sockets = transport_count_sockets();
        run_with(&f, material);
        assert_int_equal(transport_count_sockets(), sockets + 2);
        if (i < 2)
            kin_test_http_close_connections(f.server);
        else
            kin_test_http_reset_connections(f.server);
        transport_await_sockets(sockets);
        run_with(&f, material);
        assert_int_equal(kin_test_http_count(f.server).connections, 2);
        transport_close(&f);
    }
    kin__tls_material_unref(material);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trusts_the_given_ca),
        cmocka_unit_test(refuses_certificates_that_prove_nothing),
        cmocka_unit_test(believes_anything_when_told_so),
        cmocka_unit_test(verifies_another_name_when_told_so),
        cmocka_unit_test(speaks_nothing_older_than_1_2),
        cmocka_unit_test(shows_its_certificate),
        cmocka_unit_test(tells_a_failed_handshake_from_a_lost_connection),
        cmocka_unit_test(leaves_old_certificates_behind),
        cmocka_unit_test(shares_the_fate_of_a_connection),
        cmocka_unit_test(hands_on_its_place_in_line),
        cmocka_unit_test(serves_those_who_are_late),
        cmocka_unit_test(bounds_those_who_are_late),
        cmocka_unit_test(writes_over_a_connection_that_is_there),
        cmocka_unit_test(lets_go_of_a_connection_that_was_ended),
    };

    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
