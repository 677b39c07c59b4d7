/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests whose HTTP/2 connection is lost in the middle of the answer. Some ways of losing it look like
 * the end of the answer to libcurl 7.88; reads notice all the same, and are sent again.
 */
#include "client_support.h"

#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "base/compiler.h"
#include "certificates.h"
#include "h2_server.h"

#define MANY 20

struct scene {
    client_fixture f; /* without its server */
    kin_test_h2 *server;
};

static void scene_open(struct scene *scene)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_config_options config = KIN_CONFIG_OPTIONS_INIT;
    kin_resource_spec pods = KIN_RESOURCE_SPEC_INIT;
    const char *why = kin_test_h2_start(
        &scene->server,
        &(kin_test_h2_options){.certificate_file = kin_test_group_pki->server.certificate_file,
                               .key_file = kin_test_group_pki->server.key_file});

    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    config.server = kin_test_h2_url(scene->server);
    config.ca_file = kin_test_group_pki->ca.certificate_file;
    options.qps = -1;
    assert_code(kin_config_new(&options.config, &config, NULL), 0);
    assert_code(kin_client_new(&scene->f.client, &options, NULL), 0);
    kin_config_unref(options.config);
    pods.version = "v1";
    pods.resource = "pods";
    assert_code(kin_resource_new(&scene->f.pods, &pods, NULL), 0);
}

static void scene_close(struct scene *scene)
{
    kin_client_free(scene->f.client);
    kin_resource_unref(scene->f.pods);
    kin_test_h2_stop(scene->server);
}

static const char *const orders[] = {"goaway drop", "goaway ENHANCE_YOUR_CALM", "close", "abort"};

static void reads_that_were_cut_off_are_sent_again(void **state)
{
    (void)state;
    for (size_t o = 0; o < kin__array_len(orders); o++) {
        struct scene scene;
        client_told told[MANY];

        print_message("%s\n", orders[o]);
        scene_open(&scene);
        for (int i = 0; i < MANY; i++) {
            client_told_init(&told[i]);
            kin_call_unref(client_start(&scene.f, KIN_VERB_GET, &told[i], NULL));
        }
        kin_test_h2_await(scene.server, "halves", MANY);
        kin_test_h2_order(scene.server, "%s", orders[o]);
        for (int i = 0; i < MANY; i++) {
            client_assert_ended(&told[i], 0);
            assert_string_equal(told[i].key, "ns/half");
            client_told_done(&told[i]);
        }
        scene_close(&scene);
    }
}

/* Whether it was done nobody knows. */
static void writes_that_were_cut_off_are_not(void **state)
{
    (void)state;
    for (size_t o = 0; o < kin__array_len(orders); o++) {
        struct scene scene;
        client_told told;

        print_message("%s\n", orders[o]);
        scene_open(&scene);
        client_told_init(&told);
        kin_call_unref(client_start(&scene.f, KIN_VERB_DELETE, &told, NULL));
        kin_test_h2_await(scene.server, "halves", 1);
        kin_test_h2_order(scene.server, "%s", orders[o]);
        client_assert_ended(&told, KIN_ECONNECT);
        assert_int_equal(kin_test_h2_count(scene.server, "streams"), 1);
        client_told_done(&told);
        scene_close(&scene);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(reads_that_were_cut_off_are_sent_again),
        client_test(writes_that_were_cut_off_are_not),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);
}
