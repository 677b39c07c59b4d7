/* SPDX-License-Identifier: Apache-2.0 */
#include "pods.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Runs in the loop's thread, from kin_informer_dispatch(): what it uses needs no lock. */
static void print_event(const kin_event *event, void *arg)
{
    struct pods *pods = arg;

    pods->n_told++;
    printf("%s %s\n", kin_event_type_name(event->type), kin_object_key(event->object));
}

/* Runs in a thread of the library. Without it a program that may not list Pods would wait in silence. */
static void say_what_fails(kin_informer *informer, void *arg)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    (void)arg;
    if (kin_informer_get_status(informer, &status, NULL) == 0 &&
        status.state == KIN_INFORMER_WAITING)
        fprintf(stderr, "%s; it is tried again\n", status.last_error.message);
}

static int connect_and_start(struct pods *pods, const char *namespace_, kin_error *err)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_handler_options handler = KIN_HANDLER_OPTIONS_INIT;
    int code = kin_client_new(&pods->client, NULL, err);

    if (namespace_) {
        options.namespaces = &namespace_;
        options.n_namespaces = 1;
    }
    options.changed = say_what_fails;
    handler.name = "print";
    handler.delivery = KIN_DELIVER_LOOP;
    if (code == 0)
        code = kin_informer_new(&pods->informer, pods->client, "pods", &options, err);
    if (code == 0)
        code = kin_informer_add_handler(pods->informer, &pods->registration, print_event, pods,
                                        &handler, err);
    return code < 0 ? code : kin_informer_start(pods->informer, err);
}

/* The arguments; false if they are none that we know. */
static bool take_arguments(struct pods *pods, const char **ret_namespace, int argc, char **argv)
{
    int next = 1;

    if (argc > 1 && strcmp(argv[1], "--events") == 0) {
        char *end = NULL;

        errno = 0;
        pods->enough = argc > 2 ? strtoul(argv[2], &end, 10) : 0;
        if (!end || *end || errno || pods->enough == 0 || argv[2][0] == '-')
            return false;
        next = 3;
    }
    *ret_namespace = next < argc ? argv[next] : NULL;
    return argc <= next + 1 && (next >= argc || argv[next][0] != '-');
}

bool pods_open(struct pods *pods, int argc, char **argv)
{
    kin_error err = KIN_ERROR_INIT;
    const char *namespace_ = NULL;

    *pods = (struct pods){.n_told = 0};
    if (!take_arguments(pods, &namespace_, argc, argv)) {
        fprintf(stderr, "usage: %s [--events N] [NAMESPACE]\n", argv[0]);
        return false;
    }
    /* Events are seen when they happen, by whatever reads them. */
    setvbuf(stdout, NULL, _IOLBF, 0);
    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    if (connect_and_start(pods, namespace_, &err) == 0)
        return true;
    fprintf(stderr, "%s: %s\n", argv[0], err.message);
    return false;
}

bool pods_go_on(struct pods *pods)
{
    if (!pods->has_synced && kin_registration_has_synced(pods->registration)) {
        pods->has_synced = true;
        printf("synced: %zu pods\n", kin_store_len(kin_informer_store(pods->informer)));
    }
    return pods->enough == 0 || pods->n_told < pods->enough;
}

void pods_close(struct pods *pods)
{
    if (pods->informer)
        printf("stopped: %zu pods, %lu events\n", kin_store_len(kin_informer_store(pods->informer)),
               pods->n_told);
    kin_registration_unref(pods->registration);
    kin_informer_free(pods->informer);
    kin_client_free(pods->client);
}
