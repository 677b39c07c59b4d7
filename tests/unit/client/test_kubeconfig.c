/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfigs: what is read of a text, how several become one, and that no secret stays behind.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "client/kubeconfig.h"
#include "oom.h"

static const char full[] = "apiVersion: v1\n"
                           "kind: Config\n"
                           "preferences: {colors: true, extensions: [{name: a, extension: {}}]}\n"
                           "current-context: dev\n"
                           "clusters:\n"
                           "- name: one\n"
                           "  cluster:\n"
                           "    server: https://one.example:6443\n"
                           "    tls-server-name: one\n"
                           "    insecure-skip-tls-verify: yes\n"
                           "    certificate-authority: ca.crt\n"
                           "    certificate-authority-data: aHVzaC1jYQ==\n"
                           "    proxy-url: http://proxy:3128\n"
                           "    disable-compression: true\n"
                           "    extensions:\n"
                           "    - name: other\n"
                           "      extension: 1\n"
                           "    - name: client.authentication.k8s.io/exec\n"
                           "      extension: {b: [1, 0x10, null, ~], a: {x: \"y\\n\"}, a: {x: z}}\n"
                           "users:\n"
                           "- name: me\n"
                           "  user:\n"
                           "    client-certificate: me.crt\n"
                           "    client-certificate-data: aHVzaC1jcnQ=\n"
                           "    client-key: me.key\n"
                           "    client-key-data: aHVzaC1rZXk=\n"
                           "    token: hush-token\n"
                           "    tokenFile: token\n"
                           "    username: me\n"
                           "    password: hush-password\n"
                           "    as: you\n"
                           "    as-uid: '7'\n"
                           "    as-groups: [g1, g2]\n"
                           "    as-user-extra: {k1: [v1, v2], k2: []}\n"
                           "    auth-provider: {name: oidc, config: {id-token: hush-id}}\n"
                           "    exec:\n"
                           "      apiVersion: client.authentication.k8s.io/v1\n"
                           "      command: ./get-token\n"
                           "      args: [--cluster, one]\n"
                           "      env: [{name: A, value: hush-a}, {name: B}]\n"
                           "      installHint: install it\n"
                           "      interactiveMode: Never\n"
                           "      provideClusterInfo: true\n"
                           "contexts:\n"
                           "- name: dev\n"
                           "  context: {cluster: one, user: me, namespace: team}\n";

static void parse(kin__kubeconfig *ret, const char *file, const char *text)
{
    kin_error err = KIN_ERROR_INIT;
    int code = kin__kubeconfig_parse(ret, file, kin_str_of(text), &err);

    if (code)
        fail_msg("%s", err.message);
}

static void is(const kin__kube_value *value, const char *text, uint32_t line)
{
    assert_non_null(value->text.data);
    assert_string_equal(value->text.data, text);
    assert_int_equal(value->line, line);
}

static void all_fields_are_read_with_their_lines(void **state)
{
    kin__kubeconfig k;

    (void)state;
    parse(&k, "/k", full);
    assert_string_equal(k.current_context, "dev");
    const kin__kube_entry *c = kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, "one");
    assert_non_null(c);
    assert_string_equal(c->file, "/k");
    assert_int_equal(c->line, 6);
    is(&c->values[KIN__CLUSTER_SERVER], "https://one.example:6443", 8);
    is(&c->values[KIN__CLUSTER_TLS_SERVER_NAME], "one", 9);
    is(&c->values[KIN__CLUSTER_INSECURE], "true", 10);
    is(&c->values[KIN__CLUSTER_CA_FILE], "ca.crt", 11);
    is(&c->values[KIN__CLUSTER_CA_DATA], "hush-ca", 12);
    is(&c->values[KIN__CLUSTER_PROXY_URL], "http://proxy:3128", 13);
    is(&c->values[KIN__CLUSTER_NO_COMPRESSION], "true", 14);
    assert_string_equal(c->exec_config, "{\"b\":[1,16,null,null],\"a\":{\"x\":\"z\"}}");

    const kin__kube_entry *u = kin__kubeconfig_find(&k, KIN__KUBE_USER, "me");
    assert_non_null(u);
    is(&u->values[KIN__USER_CERTIFICATE_FILE], "me.crt", 23);
    is(&u->values[KIN__USER_CERTIFICATE_DATA], "hush-crt", 24);
    is(&u->values[KIN__USER_KEY_FILE], "me.key", 25);
    is(&u->values[KIN__USER_KEY_DATA], "hush-key", 26);
    is(&u->values[KIN__USER_TOKEN], "hush-token", 27);
    is(&u->values[KIN__USER_TOKEN_FILE], "token", 28);
    is(&u->values[KIN__USER_USERNAME], "me", 29);
    is(&u->values[KIN__USER_PASSWORD], "hush-password", 30);
    is(&u->values[KIN__USER_AS], "you", 31);
    is(&u->values[KIN__USER_AS_UID], "7", 32);
    assert_int_equal(u->n_groups, 2);
    assert_string_equal(u->groups[1], "g2");
    assert_int_equal(u->n_extra, 2);
    assert_string_equal(u->extra[0].name, "k1");
    assert_string_equal(u->extra[0].values[1], "v2");
    assert_int_equal(u->extra[1].n_values, 0);
    assert_string_equal(u->auth_provider, "oidc");
    assert_int_equal(u->auth_provider_line, 35);
    is(&u->exec->values[KIN__EXEC_API_VERSION], "client.authentication.k8s.io/v1", 37);
    is(&u->exec->values[KIN__EXEC_COMMAND], "./get-token", 38);
    is(&u->exec->values[KIN__EXEC_INSTALL_HINT], "install it", 41);
    is(&u->exec->values[KIN__EXEC_INTERACTIVE], "Never", 42);
    is(&u->exec->values[KIN__EXEC_CLUSTER_INFO], "true", 43);
    assert_int_equal(u->exec->n_args, 2);
    assert_string_equal(u->exec->args[0], "--cluster");
    assert_int_equal(u->exec->n_env, 2);
    assert_string_equal(u->exec->env[0].value.data, "hush-a");
    assert_string_equal(u->exec->env[1].name, "B");
    assert_null(u->exec->env[1].value.data);

    const kin__kube_entry *x = kin__kubeconfig_find(&k, KIN__KUBE_CONTEXT, "dev");
    assert_non_null(x);
    is(&x->values[KIN__CONTEXT_CLUSTER], "one", 46);
    is(&x->values[KIN__CONTEXT_USER], "me", 46);
    is(&x->values[KIN__CONTEXT_NAMESPACE], "team", 46);
    assert_null(kin__kubeconfig_find(&k, KIN__KUBE_CONTEXT, "de"));
    kin__kubeconfig_done(&k);
}

static void what_is_empty_or_null_is_nothing(void **state)
{
    static const char nulls[] = "clusters:\nusers: null\ncontexts: []\ncurrent-context: ~\n"
                                "preferences:\nkind:\napiVersion: ''\nextensions:";
    static const char *const texts[] = {"", "# nothing\n", "---\n", "null", "{}", nulls};
    kin__kubeconfig k;

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        parse(&k, "/k", texts[i]);
        assert_int_equal(k.lists[0].n + k.lists[1].n + k.lists[2].n, 0);
        assert_null(k.current_context);
        kin__kubeconfig_done(&k);
    }
    parse(&k, "/k",
          "clusters: [null]\nusers: [{user: }]\ncontexts: [{name: a, context: {user: }}]");
    assert_non_null(kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, ""));
    assert_non_null(kin__kubeconfig_find(&k, KIN__KUBE_USER, ""));
    assert_null(
        kin__kube_text(kin__kubeconfig_find(&k, KIN__KUBE_CONTEXT, "a"), KIN__CONTEXT_USER));
    kin__kubeconfig_done(&k);
}

static void json_is_read_too(void **state)
{
    kin__kubeconfig k;

    (void)state;
    parse(&k, "/k",
          "{\n\"kind\": \"Config\",\n\t\"clusters\": [{\"name\": \"a\",\n\"cluster\": "
          "{\"server\": \"https:\\/\\/a\"}}]}");
    is(&kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, "a")->values[KIN__CLUSTER_SERVER], "https://a",
       4);
    kin__kubeconfig_done(&k);
}

static void unknown_fields_are_ignored(void **state)
{
    kin__kubeconfig k;

    (void)state;
    parse(
        &k, "/k",
        "x: [1, {y: 2}]\nClusters: 7\nclusters: [{name: a, z: 1, cluster: {Server: 1, q: {}}}]\n");
    assert_null(
        kin__kube_text(kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, "a"), KIN__CLUSTER_SERVER));
    kin__kubeconfig_done(&k);
}

/* The last of several equal keys counts, a merged one where it stands. */
static void aliases_merges_and_repeated_keys(void **state)
{
    kin__kubeconfig k;

    (void)state;
    parse(&k, "/k",
          "base: &base {server: https://base, proxy-url: http://p}\n"
          "more: &more {<<: *base, tls-server-name: sni}\n"
          "clusters:\n"
          "- {name: a, cluster: *base}\n"
          "- {name: b, cluster: {server: https://b, <<: *base}}\n"
          "- {name: c, cluster: {<<: *more, server: https://c}}\n"
          "- {name: d, cluster: {<<: [{server: https://d}, *more]}}\n"
          "- {name: e, cluster: {server: https://1, server: https://2}}\n"
          "- {name: f, cluster: {server: https://1, server: null}}\n");
    const struct {
        const char *name;
        const char *server;
        const char *tls;
        const char *proxy;
    } cases[] = {
        {"a", "https://base", NULL, "http://p"}, {"b", "https://base", NULL, "http://p"},
        {"c", "https://c", "sni", "http://p"},   {"d", "https://d", "sni", "http://p"},
        {"e", "https://2", NULL, NULL},          {"f", NULL, NULL, NULL},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const kin__kube_entry *c = kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, cases[i].name);
        const char *const expected[] = {cases[i].server, cases[i].tls, cases[i].proxy};
        const unsigned fields[] = {KIN__CLUSTER_SERVER, KIN__CLUSTER_TLS_SERVER_NAME,
                                   KIN__CLUSTER_PROXY_URL};

        for (size_t n = 0; n < 3; n++) {
            const char *text = kin__kube_text(c, fields[n]);

            if (expected[n])
                assert_string_equal(text, expected[n]);
            else
                assert_null(text);
        }
    }
    kin__kubeconfig_done(&k);
}

static void repeated_names_in_an_entry(void **state)
{
    kin__kubeconfig k;

    (void)state;
    parse(&k, "/k",
          "clusters:\n"
          "- cluster:\n"
          "    extensions: [{name: client.authentication.k8s.io/exec}, {name: a}, {name: a},\n"
          "                 {name: client.authentication.k8s.io/exec, extension: 7}]\n"
          "users:\n"
          "- user: {as-user-extra: {k: [a], l: [b], k: [c, d]}}\n");
    assert_string_equal(kin__kubeconfig_find(&k, KIN__KUBE_CLUSTER, "")->exec_config, "7");
    const kin__kube_entry *user = kin__kubeconfig_find(&k, KIN__KUBE_USER, "");
    assert_int_equal(user->n_extra, 2);
    assert_int_equal(user->extra[0].n_values, 2);
    assert_string_equal(user->extra[0].values[0], "c");
    kin__kubeconfig_done(&k);
}

static void the_first_file_wins_entry_by_entry(void **state)
{
    kin__kubeconfig all = {0};
    kin__kubeconfig one;

    (void)state;
    parse(&one, "/1", "clusters: [{name: a, cluster: {server: https://a1}}]\ncurrent-context: ''");
    assert_code(kin__kubeconfig_merge(&all, &one, NULL), 0);
    parse(&one, "/2",
          "clusters:\n- {name: a, cluster: {server: https://a2, proxy-url: http://p}}\n"
          "- {name: b, cluster: {server: https://b2}}\ncurrent-context: two");
    assert_code(kin__kubeconfig_merge(&all, &one, NULL), 0);
    assert_int_equal(one.lists[KIN__KUBE_CLUSTER].n, 0);
    parse(&one, "/3", "users: [{name: b}]\ncurrent-context: three");
    assert_code(kin__kubeconfig_merge(&all, &one, NULL), 0);
    assert_string_equal(all.current_context, "two");
    const kin__kube_entry *a = kin__kubeconfig_find(&all, KIN__KUBE_CLUSTER, "a");
    assert_string_equal(kin__kube_text(a, KIN__CLUSTER_SERVER), "https://a1");
    assert_null(kin__kube_text(a, KIN__CLUSTER_PROXY_URL));
    const kin__kube_entry *b = kin__kubeconfig_find(&all, KIN__KUBE_CLUSTER, "b");
    assert_string_equal(b->file, "/2");
    assert_int_equal(all.lists[KIN__KUBE_CLUSTER].n, 2);
    assert_non_null(kin__kubeconfig_find(&all, KIN__KUBE_USER, "b"));
    kin__kubeconfig_done(&all);
}

static int parse_and_merge(void *arg, kin_error *err)
{
    kin__kubeconfig all = {0};
    kin__kubeconfig one = {0};
    int code = kin__kubeconfig_parse(&one, "/k", kin_str_of(full), err);

    (void)arg;
    if (!code)
        code = kin__kubeconfig_merge(&all, &one, err);
    kin__kubeconfig_done(&one);
    kin__kubeconfig_done(&all);
    return code;
}

static void reading_needs_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(parse_and_merge, NULL);
}

static void no_secret_stays_behind(void **state)
{
    (void)state;
    kin_test_alloc_look_for("hush");
    assert_code(parse_and_merge(NULL, NULL), 0);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for("aHVza"); /* "hush" in base64 */
    assert_code(parse_and_merge(NULL, NULL), 0);
    assert_int_equal(kin_test_alloc_found(), 0);
    /* Nor when memory runs out half-way. */
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(parse_and_merge, NULL);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_fields_are_read_with_their_lines),
        cmocka_unit_test(what_is_empty_or_null_is_nothing),
        cmocka_unit_test(json_is_read_too),
        cmocka_unit_test(unknown_fields_are_ignored),
        cmocka_unit_test(aliases_merges_and_repeated_keys),
        cmocka_unit_test(repeated_names_in_an_entry),
        cmocka_unit_test(the_first_file_wins_entry_by_entry),
        cmocka_unit_test(reading_needs_memory),
        cmocka_unit_test(no_secret_stays_behind),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
