/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers of a client, against the embedded API server: ConfigMaps in a few namespaces, and handlers
 * that note what they are told.
 */
#ifndef KIN_TEST_CLUSTER_INFORMER_SUPPORT_H
#define KIN_TEST_CLUSTER_INFORMER_SUPPORT_H

#include <pthread.h>

#include "kin_test.h"
#include "kinform/apiserver.h"
#include "kinform/client.h"
#include "kinform/informer.h"

typedef struct informer_fixture {
    kin_apiserver *server;
    kin_client *client;
    kin_resource *maps;
    kin_logger *logger; /* says nothing */
    char folder[64];
    char kubeconfig[128];
} informer_fixture;

/* A server and a client of it. Both options may be NULL; the client's config is filled in. */
void informer_open(informer_fixture *f, const kin_apiserver_options *server,
                   const kin_client_options *client);
void informer_close(informer_fixture *f);
/* Another client; `config` may be NULL, its kubeconfig is filled in unless it names a server. */
kin_client *informer_client(informer_fixture *f, const kin_config_options *config,
                            const kin_client_options *options);
/* Options with the logger. */
kin_informer_options informer_options(const informer_fixture *f);

void informer_make_namespace(informer_fixture *f, const char *name);
/* Make a ConfigMap with a label app=NAME and another tier=TIER; or give it another tier. Its version. */
void informer_put(informer_fixture *f, const char *namespace_, const char *name, const char *tier,
                  char version[32]);
void informer_delete(informer_fixture *f, const char *namespace_, const char *name);
/* A CustomResourceDefinition of widgets.shop.example, short wd; and one of these. */
void informer_define_widgets(informer_fixture *f);

/*
 * What a handler was told: "+ns/name", "~ns/name", "-ns/name", "-ns/name?" by a tombstone; what merely comes again is
 * not in it.
 */
typedef struct informer_told {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char words[256][64]; /* (lock) */
    unsigned n;          /* (lock) */
} informer_told;

void informer_told_init(informer_told *told);
void informer_told_done(informer_told *told);
void informer_tell(const kin_event *event, void *told);
/* Wait until as many as expected were told, in any order, and compare; then forget them. */
void informer_assert_told(informer_told *told, const char *expected);

/* Start it, and wait until it has synced. */
void informer_start(kin_informer *informer);
/* Wait until the store has a version. */
void informer_await(kin_informer *informer, const char *version);

#endif
