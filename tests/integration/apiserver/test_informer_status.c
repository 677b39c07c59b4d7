/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an informer of several namespaces says of itself: each of them is listed and watched on its own, by
 * several threads, and one is told at a time.
 */
#include "client_support.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "folder.h"
#include "kinform/apiserver.h"
#include "kinform/informer.h"

enum { NAMESPACES = 16 };

struct watcher {
    atomic_uint n_inside;
    atomic_uint max_inside;
    atomic_uint n_calls;
    kin_test_latch watching;
    bool was_watching; /* the callback's */
};

static void on_changed(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    struct watcher *w = arg;
    unsigned n = atomic_fetch_add(&w->n_inside, 1) + 1;

    if (n > atomic_load(&w->max_inside))
        atomic_store(&w->max_inside, n);
    atomic_fetch_add(&w->n_calls, 1);
    /* Whoever else would come has time to. */
    for (int i = 0; i < 100; i++)
        sched_yield();
    kin_informer_get_status(informer, &status, NULL);
    if (!w->was_watching && status.is_synced && status.state == KIN_INFORMER_WATCHING) {
        w->was_watching = true;
        kin_test_latch_raise(&w->watching);
    }
    atomic_fetch_sub(&w->n_inside, 1);
}

static void one_is_told_at_a_time(void **state)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_client_options client_options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_fault end = KIN_FAULT_INIT(KIN_FAULT_WATCH_ERROR);
    kin_apiserver *server = NULL;
    kin_client *client = NULL;
    kin_informer *informer = NULL;
    char folder[] = "/tmp/kin-status-XXXXXX";
    char kubeconfig[64];
    char names[NAMESPACES][16];
    const char *namespaces[NAMESPACES];
    struct watcher w = {.was_watching = false};

    (void)state;
    kin_test_latch_init(&w.watching);
    assert_non_null(mkdtemp(folder));
    snprintf(kubeconfig, sizeof(kubeconfig), "%s/kubeconfig", folder);
    assert_code(kin_apiserver_new(&server, NULL, NULL), 0);
    assert_code(kin_apiserver_start(server, NULL), 0);
    assert_code(kin_apiserver_write_kubeconfig(server, kubeconfig, NULL), 0);
    config.kubeconfig = kubeconfig;
    client_options.qps = -1;
    assert_code(kin_config_load(&client_options.config, &config, NULL), 0);
    assert_code(kin_client_new(&client, &client_options, NULL), 0);
    for (size_t i = 0; i < NAMESPACES; i++) {
        snprintf(names[i], sizeof(names[i]), "n%zu", i);
        namespaces[i] = names[i];
    }
    /* Each is listed again once, and so has more to tell. */
    end.times = NAMESPACES;
    assert_code(kin_apiserver_inject(server, &end, NULL, NULL), 0);
    options.namespaces = namespaces;
    options.n_namespaces = NAMESPACES;
    options.changed = on_changed;
    options.changed_arg = &w;
    assert_code(kin_informer_new(&informer, client, "configmaps", &options, NULL), 0);
    assert_code(kin_informer_start(informer, NULL), 0);
    kin_test_latch_wait(&w.watching, 1);
    kin_informer_free(informer);
    assert_int_equal(atomic_load(&w.max_inside), 1);
    assert_true(atomic_load(&w.n_calls) >= 2);
    kin_client_free(client);
    kin_config_unref(client_options.config);
    kin_apiserver_free(server);
    assert_int_equal(kin_test_folder_remove(folder), 0);
    kin_test_latch_done(&w.watching);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_is_told_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
