/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kubeconfigs: any text is read or refused, with a message that begins with file and line. What was
 * read is merged with itself, which changes nothing, and resolved with each of its contexts; a
 * configuration that comes out has a server and a namespace, and can be described. The URLs in it
 * are not changed by being resolved again.
 */
#include <string.h>

#include "client/kubeconfig.h"
#include "client/resolve.h"
#include "client/server_url.h"
#include "fuzz.h"
#include "kinform/memory.h"

static const kin__kube_entry *entry_of(const kin__kubeconfig *k, enum kin__kube_kind kind,
                                       const char *name)
{
    return kin__kubeconfig_find(k, kind, name ? name : "");
}

static void check_config(const kin_config *config)
{
    char *text = NULL;
    char *again = NULL;
    const char *why = NULL;

    FUZZ_CHECK(kin_config_server(config)[0] && kin_config_namespace(config)[0]);
    FUZZ_CHECK(kin__server_url(&again, kin_str_of(config->server), &why) == 0);
    FUZZ_CHECK(strcmp(again, config->server) == 0 || strncmp(again, "unix:", 5) == 0);
    kin_free(again);
    FUZZ_CHECK(kin_config_describe(config, &text, NULL) == 0);
    FUZZ_CHECK(strncmp(text, "server: ", 8) == 0);
    kin_free(text);
    FUZZ_CHECK(!config->exec || (config->exec->command && config->exec->api_version));
    FUZZ_CHECK(config->impersonate_user ||
               (!config->impersonate_uid && config->n_impersonate_groups == 0));
}

static void resolve(const kin__kubeconfig *k, const kin__kube_entry *context)
{
    kin_config_options options = KIN_CONFIG_OPTIONS_INIT;
    kin__resolve_input in = {.options = &options};
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;

    in.cluster = entry_of(k, KIN__KUBE_CLUSTER, kin__kube_text(context, KIN__CONTEXT_CLUSTER));
    in.user = entry_of(k, KIN__KUBE_USER, kin__kube_text(context, KIN__CONTEXT_USER));
    in.namespace_ = kin__kube_text(context, KIN__CONTEXT_NAMESPACE);
    int code = kin__resolve(&config, &in, &err);
    if (code) {
        FUZZ_CHECK(code == KIN_EINVAL || code == KIN_ESYSTEM);
        FUZZ_CHECK(err.code == code && err.message[0]);
        return;
    }
    check_config(config);
    kin_config_unref(config);
}

static void check_refusal(int code, const kin_error *err)
{
    const char *at = err->message + strlen("/no/such/k:");

    FUZZ_CHECK(code == KIN_EPARSE || code == KIN_ELIMIT);
    FUZZ_CHECK(err->code == code);
    FUZZ_CHECK(strncmp(err->message, "/no/such/k:", strlen("/no/such/k:")) == 0);
    FUZZ_CHECK(*at >= '1' && *at <= '9');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__kubeconfig k;
    kin__kubeconfig same;
    kin_error err = KIN_ERROR_INIT;
    kin_str text = kin_str_make((const char *)data, size);
    int code = kin__kubeconfig_parse(&k, "/no/such/k", text, &err);

    if (code) {
        check_refusal(code, &err);
        return 0;
    }
    size_t n = k.lists[0].n + k.lists[1].n + k.lists[2].n;
    FUZZ_CHECK(kin__kubeconfig_parse(&same, "/no/such/k", text, &err) == 0);
    FUZZ_CHECK(kin__kubeconfig_merge(&k, &same, &err) == 0);
    FUZZ_CHECK(k.lists[0].n + k.lists[1].n + k.lists[2].n == n);
    resolve(&k, NULL);
    for (size_t i = 0; i < k.lists[KIN__KUBE_CONTEXT].n && i < 8; i++)
        resolve(&k, &k.lists[KIN__KUBE_CONTEXT].entries[i]);
    kin__kubeconfig_done(&k);
    return 0;
}
