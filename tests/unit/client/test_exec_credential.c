/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ExecCredential: what a plugin answered, what it is told, and that the secrets in it stay nowhere.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "client/exec_credential.h"
#include "credentials_support.h"
#include "kinform/json.h"
#include "kinform/path.h"
#include "oom.h"

#define HEAD "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1 "\","
#define ANSWER(status) HEAD "\"status\":" status "}"
/* As they stand in JSON. */
#define JSON_CERTIFICATE "-----BEGIN CERTIFICATE-----\\nQUJD\\n-----END CERTIFICATE-----\\n"
#define JSON_KEY "-----BEGIN PRIVATE KEY-----\\nhush\\n-----END PRIVATE KEY-----\\n"

static int parse(kin__exec_credential *ret, const char *json, kin_error *err)
{
    *ret = KIN__EXEC_CREDENTIAL_INIT;
    return kin__exec_credential_parse(ret, kin_str_of(json), V1, err);
}

static void reads_a_token(void **state)
{
    kin__exec_credential credential;

    (void)state;
    assert_code(parse(&credential, ANSWER("{\"token\":\"hush-1\"}"), NULL), 0);
    assert_string_equal(credential.token.data, "hush-1");
    assert_null(credential.certificate.data);
    assert_true(credential.expires == INT64_MAX);
    kin__exec_credential_done(&credential);
    assert_null(credential.token.data);
}

static void reads_a_certificate_its_key_and_when_it_expires(void **state)
{
    kin__exec_credential credential;

    (void)state;
    assert_code(parse(&credential,
                      ANSWER("{\"clientKeyData\":\"" JSON_KEY "\",\"clientCertificateData\":"
                             "\"" JSON_CERTIFICATE "\",\"token\":null,"
                             "\"expirationTimestamp\":\"1970-01-01T00:00:02.5Z\"}"),
                      NULL),
                0);
    assert_string_equal(credential.certificate.data, CERTIFICATE("QUJD"));
    assert_string_equal(credential.key.data, KEY("hush"));
    assert_null(credential.token.data);
    assert_true(credential.expires == INT64_C(2500000000));
    kin__exec_credential_done(&credential);
}

static void times_beyond_the_range_are_never_and_long_ago(void **state)
{
    kin__exec_credential credential;

    (void)state;
    assert_code(parse(&credential,
                      ANSWER("{\"token\":\"t\",\"expirationTimestamp\":\"9999-01-01T00:00:00Z\"}"),
                      NULL),
                0);
    assert_true(credential.expires == INT64_MAX);
    kin__exec_credential_done(&credential);
    assert_code(parse(&credential,
                      ANSWER("{\"token\":\"t\",\"expirationTimestamp\":\"0001-01-01T00:00:00Z\"}"),
                      NULL),
                0);
    assert_true(credential.expires == INT64_MIN);
    kin__exec_credential_done(&credential);
}

static void reads_json_however_it_is_spelled(void **state)
{
    static const struct {
        const char *json;
        const char *token;
    } cases[] = {
        {" \n{\"status\" :\t{ \"token\"\r\n: \"a\" } , \"apiVersion\":\"" V1
         "\",\"kind\":\"ExecCredential\",\"spec\":{\"x\":[\"y\",{\"token\":\"b\"},[]]}}\n",
         "a"},
        {ANSWER("{\"tok\\u0065n\":\"a\"}"), "a"},
        {ANSWER("{\"token\":\"a\",\"token\":\"b\"}"), "b"},
        {ANSWER("{\"token\":\"\\\"\\\\\\/x\\u0041\\u00e4\\u20AC\\ud83d\\ude00\"}"),
         "\"\\/xA\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"},
        {HEAD "\"status\":{\"token\":\"a\"},\"status\":{\"token\":\"c\"}}", "c"},
        {ANSWER("{\"token\":\"7\",\"kind\":\"2\",\"other\":\"\\q\"}"), "7"},
        {ANSWER("{\"token\":\"a \\\" b\"}"), "a \" b"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin__exec_credential credential;

        assert_code(parse(&credential, cases[i].json, NULL), 0);
        assert_string_equal(credential.token.data, cases[i].token);
        kin__exec_credential_done(&credential);
    }
}

static void says_what_is_wrong_and_nothing_of_the_text(void **state)
{
    static const struct {
        const char *json;
        const char *message;
    } cases[] = {
        {"", "not one JSON object"},
        {"hush", "not one JSON object"},
        {"[]", "not one JSON object"},
        {"{\"hush\"", "not one JSON object"},
        {"{\"token\":\"hush", "not one JSON object"},
        {"{\"token\":\"hush\\", "not one JSON object"},
        {ANSWER("{\"token\":\"hush\"}") "}", "not one JSON object"},
        {"{\"kind\":\"hush\",\"apiVersion\":\"" V1 "\",\"status\":{\"token\":\"hush\"}}",
         "kind is not ExecCredential"},
        {"{\"kin\\u0064\":\"ExecCredential\",\"apiVersion\":\"" V1 "\"}", "kind is not"},
        {"{\"kind\":\"ExecCredential\",\"apiVersion\":\"client.authentication.k8s.io/v1beta1\","
         "\"status\":{\"token\":\"hush\"}}",
         "apiVersion is not " V1},
        {HEAD "\"spec\":{}}", "no status"},
        {ANSWER("null"), "no status"},
        {ANSWER("\"hush\""), "no status"},
        {ANSWER("{}"), "neither a token nor"},
        {ANSWER("{\"token\":\"\"}"), "neither a token nor"},
        {ANSWER("{\"token\":17}"), "status.token is not a string"},
        {ANSWER("{\"token\":[\"hush\"]}"), "status.token is not a string"},
        {ANSWER("{\"token\":\"hush\\q\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\u12g4\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\u12\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\ud83d\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\ude00\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\ud83d\\u0041\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\x01\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\xff\"}"), "status.token is not a string of JSON"},
        {ANSWER("{\"token\":\"hush\\r\\nX-Evil: 1\"}"), "control characters"},
        {ANSWER("{\"token\":\"hush\\u0000\"}"), "control characters"},
        {ANSWER("{\"token\":\" hush\"}"), "control characters or spaces"},
        {ANSWER("{\"clientCertificateData\":\"" JSON_CERTIFICATE "\"}"), "only one of"},
        {ANSWER("{\"token\":\"hush\",\"clientKeyData\":\"" JSON_KEY "\"}"), "only one of"},
        {ANSWER("{\"clientCertificateData\":\"hush\",\"clientKeyData\":\"" JSON_KEY "\"}"),
         "clientCertificateData holds no certificate"},
        {ANSWER("{\"clientCertificateData\":\"" JSON_CERTIFICATE "\",\"clientKeyData\":\"hush\"}"),
         "clientKeyData holds no private key"},
        {ANSWER("{\"token\":\"hush\",\"expirationTimestamp\":\"tomorrow hush\"}"),
         "expirationTimestamp is not"},
        {ANSWER("{\"token\":\"hush\",\"expirationTimestamp\":17}"), "expirationTimestamp is not"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        kin__exec_credential credential;
        kin_error err = KIN_ERROR_INIT;

        assert_code(parse(&credential, cases[i].json, &err), KIN_EPARSE);
        if (!strstr(err.message, cases[i].message))
            fail_msg("%s: \"%s\" instead of \"%s\"", cases[i].json, err.message, cases[i].message);
        assert_null(strstr(err.message, "hush"));
        assert_null(credential.token.data);
        assert_null(credential.key.data);
    }
}

static void has_limits(void **state)
{
    size_t len = KIN__EXEC_OUTPUT_MAX + 1;
    char *json = malloc(len + 1);
    kin__exec_credential credential;

    (void)state;
    assert_non_null(json);
    memset(json, ' ', len);
    json[len] = '\0';
    memcpy(json, ANSWER("{\"token\":\"t\"}"), strlen(ANSWER("{\"token\":\"t\"}")));
    assert_code(parse(&credential, json, NULL), KIN_ELIMIT);
    json[len - 1] = '\0';
    assert_code(parse(&credential, json, NULL), 0);
    kin__exec_credential_done(&credential);

    /* Places of strings are longer than the shortest strings: there is room for them. */
    memset(json, ' ', len);
    json[len - 1] = '\0';
    size_t at = (size_t)snprintf(json, len, "%s", HEAD "\"status\":{\"token\":\"t\"},\"x\":[\"\"");
    json[at] = ' ';
    for (; at + 8 < len; at += 3)
        memcpy(json + at, ",\"\"", 3);
    memcpy(json + at, "]}", 2);
    assert_code(parse(&credential, json, NULL), 0);
    kin__exec_credential_done(&credential);

    memset(json, '[', len - 1);
    assert_true(parse(&credential, json, NULL) < 0);
    free(json);
}

/* Another word: memory that is used again may still hold what other tests gave to the decoder. */
#define QUIET_KEY "-----BEGIN PRIVATE KEY-----\\nquietKey\\n-----END PRIVATE KEY-----\\n"
static const char *const full = ANSWER("{\"token\":\"quiet-1\",\"clientKeyData\":\"" QUIET_KEY
                                       "\",\"clientCertificateData\":\"" JSON_CERTIFICATE
                                       "\",\"expirationTimestamp\":\"2030-01-01T00:00:00Z\"}");

static int parse_full(void *arg, kin_error *err)
{
    kin__exec_credential credential;
    int code = parse(&credential, full, err);

    (void)arg;
    kin__exec_credential_done(&credential);
    return code;
}

static void survives_without_memory_and_leaves_nothing(void **state)
{
    (void)state;
    kin_test_alloc_look_for("quiet");
    /* Often, so that a decoder that remembers would have seen it. */
    for (int i = 0; i < 10; i++)
        assert_code(parse_full(NULL, NULL), 0);
    kin_test_fail_each_allocation(parse_full, NULL);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

/* --- what it is told --- */

static const kin_object *info_of(const kin_config *config, const char *ca, bool interactive)
{
    kin__secret info = KIN__SECRET_INIT;
    const kin_object *object = NULL;

    assert_code(kin__exec_info(&info, config, kin_str_of(ca), interactive), 0);
    assert_int_equal(strlen(info.data), info.len);
    assert_code(kin_object_from_json(&object, kin__secret_str(&info), NULL, NULL), 0);
    kin__secret_done(&info);
    return object;
}

static void assert_text(const kin_object *object, const char *path, const char *expected)
{
    kin_scratch scratch;
    kin_str found;

    assert_code(kin_value_string(&found, kin_object_find(object, path), &scratch), 0);
    assert_true(kin_str_equal(found, kin_str_of(expected)));
}

static void tells_little_unless_it_is_asked_to(void **state)
{
    kin_config config = config_for("https://host");
    kin__secret info = KIN__SECRET_INIT;
    shell_plugin plugin;

    (void)state;
    shell_plugin_init(&plugin, "");
    config.exec = &plugin.exec;
    assert_code(kin__exec_info(&info, &config, kin_str_of("PEM"), false), 0);
    assert_string_equal(info.data, "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                                   "\",\"spec\":{\"interactive\":false}}");
    plugin.exec.provide_cluster_info = true;
    assert_code(kin__exec_info(&info, &config, kin_str_of(""), true), 0);
    assert_string_equal(info.data, "{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
                                   "\",\"spec\":{\"cluster\":{\"server\":\"https://host\"},"
                                   "\"interactive\":true}}");
    kin__secret_done(&info);
}

static void tells_of_the_cluster(void **state)
{
    kin_config config = config_for("https://host");
    shell_plugin plugin;

    (void)state;
    shell_plugin_init(&plugin, "");
    config.exec = &plugin.exec;
    config.tls_server_name = text("a\"b\\c\n\x01");
    config.proxy_url = text("http://u:p@proxy");
    config.insecure = true;
    config.no_compression = true;
    plugin.exec.provide_cluster_info = true;
    plugin.exec.cluster_config = text("{\"audience\":[1,2]}");
    const kin_object *object = info_of(&config, "foob", false);
    assert_text(object, "spec.cluster.server", "https://host");
    assert_text(object, "spec.cluster.tls-server-name", "a\"b\\c\n\x01");
    assert_text(object, "spec.cluster.proxy-url", "http://u:p@proxy");
    assert_text(object, "spec.cluster.certificate-authority-data", "Zm9vYg==");
    assert_int_equal(kin_value_type(kin_object_find(object, "spec.cluster.config.audience[1]")),
                     KIN_INTEGER);
    bool insecure = false;
    assert_code(
        kin_value_bool(&insecure, kin_object_find(object, "spec.cluster.insecure-skip-tls-verify")),
        0);
    assert_true(insecure);
    assert_code(
        kin_value_bool(&insecure, kin_object_find(object, "spec.cluster.disable-compression")), 0);
    kin_object_unref(object);
}

static int tell(void *arg, kin_error *err)
{
    kin__secret info = KIN__SECRET_INIT;
    int code = kin__exec_info(&info, arg, kin_str_of("hush-hush"), false);

    kin__secret_done(&info);
    return code == 0 ? 0 : kin_error_set(err, code, "no memory");
}

static void tells_without_memory_or_leaving_anything(void **state)
{
    char proxy[3000];
    char plugins_own[9000];
    kin_config config = config_for("https://host");
    shell_plugin plugin;

    (void)state;
    memset(proxy, 'p', sizeof(proxy));
    memcpy(proxy, "http://hush@", 12);
    proxy[sizeof(proxy) - 1] = '\0';
    /* Behind it, so that what was written before has to move. */
    memset(plugins_own, '1', sizeof(plugins_own));
    plugins_own[sizeof(plugins_own) - 1] = '\0';
    shell_plugin_init(&plugin, "");
    plugin.exec.cluster_config = plugins_own;
    config.exec = &plugin.exec;
    config.proxy_url = proxy;
    plugin.exec.provide_cluster_info = true;
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(tell, &config);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_a_token),
        cmocka_unit_test(reads_a_certificate_its_key_and_when_it_expires),
        cmocka_unit_test(times_beyond_the_range_are_never_and_long_ago),
        cmocka_unit_test(reads_json_however_it_is_spelled),
        cmocka_unit_test(says_what_is_wrong_and_nothing_of_the_text),
        cmocka_unit_test(has_limits),
        cmocka_unit_test(survives_without_memory_and_leaves_nothing),
        cmocka_unit_test(tells_little_unless_it_is_asked_to),
        cmocka_unit_test(tells_of_the_cluster),
        cmocka_unit_test(tells_without_memory_or_leaving_anything),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
