/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program with informers, to be looked at from outside: what their handlers are told, and what
 * their caches have, as lines of JSON.
 *
 *     informer-side KUBECONFIG CONTEXT NAME=RESOURCE/MODE...
 *
 * MODE is "streaming", "pages" (lists in pages of three objects) or "ordered" (streaming, and the
 * other queue). CONTEXT may be "". Each event is a line when it is told:
 *
 *     {"informer":NAME,"event":"add","key":KEY,"initial":true,"object":{...}}
 *     {"informer":NAME,"event":"update","key":KEY,"old":VERSION,"object":{...}}
 *     {"informer":NAME,"event":"delete","key":KEY,"tombstone":false,"object":{...}}
 *
 * A line on standard input is an order. "dump" writes each cache, and "status" what became of each
 * informer, or of those whose names begin with the word behind it; both end with {"done":ORDER}. The
 * program ends when its input does.
 */
#include <kinform.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 3, INFORMERS_MAX = 64 };

struct side {
    char name[64];
    kin_informer *informer;
};

static struct side sides[INFORMERS_MAX];
static size_t n_sides;
/* Lines of several handlers must not mix. */
static pthread_mutex_t out_lock = PTHREAD_MUTEX_INITIALIZER;

static void die(const char *what, const kin_error *err)
{
    fprintf(stderr, "informer-side: %s: %s\n", what, err->message);
    exit(1);
}

/* OWNED: kin_free(). "null" of what has no state. */
static char *json_of(const kin_object *object)
{
    const kin_object *last = NULL;
    kin_error err = KIN_ERROR_INIT;
    char *text = NULL;

    if (kin_object_is_tombstone(object, &last))
        object = last;
    if (object && kin_object_to_json(&text, NULL, object, KIN_JSON_COMPACT, &err) < 0)
        die(kin_object_key(object), &err);
    return text;
}

/* --- what it tells --- */

static void tell(const kin_event *event, void *arg)
{
    const struct side *side = arg;
    kin_str old = {"", 0};
    char *text = json_of(event->object);

    if (event->old_object)
        old = kin_object_resource_version(event->old_object);
    pthread_mutex_lock(&out_lock);
    printf("{\"informer\":\"%s\",\"event\":\"%s\",\"key\":\"%s\",\"initial\":%s,\"sync\":%s,"
           "\"tombstone\":%s,\"old\":\"%" KIN_STR_FMT "\",\"object\":%s}\n",
           side->name, kin_event_type_name(event->type), kin_object_key(event->object),
           event->is_initial ? "true" : "false", event->is_sync ? "true" : "false",
           kin_object_is_tombstone(event->object, NULL) ? "true" : "false", KIN_STR_ARG(old),
           text ? text : "null");
    fflush(stdout);
    pthread_mutex_unlock(&out_lock);
    kin_free(text);
}

static void dump(const struct side *side)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (kin_store_list(kin_informer_store(side->informer), &list, &err) < 0)
        die(side->name, &err);
    for (size_t i = 0; i < list.len; i++) {
        char *text = json_of(list.items[i]);

        printf("{\"informer\":\"%s\",\"cached\":%s}\n", side->name, text);
        kin_free(text);
    }
    kin_object_list_done(&list);
}

static void tell_status(const struct side *side)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;
    kin_error err = KIN_ERROR_INIT;

    if (kin_informer_get_status(side->informer, &status, &err) < 0)
        die(side->name, &err);
    printf("{\"informer\":\"%s\",\"state\":\"%s\",\"synced\":%s,\"lists\":%llu,\"watches\":%llu,"
           "\"skipped\":%llu,\"last_status\":%d}\n",
           side->name, kin_informer_state_name(status.state), status.is_synced ? "true" : "false",
           (unsigned long long)status.lists, (unsigned long long)status.watches,
           (unsigned long long)status.skipped, status.last_error.http_status);
}

static void follow_order(const char *order)
{
    char what[16] = "";
    char names[64] = "";

    pthread_mutex_lock(&out_lock);
    sscanf(order, "%15s %63s", what, names);
    for (size_t i = 0; i < n_sides; i++) {
        if (strncmp(sides[i].name, names, strlen(names)) != 0)
            continue;
        if (strcmp(what, "dump") == 0)
            dump(&sides[i]);
        else
            tell_status(&sides[i]);
    }
    printf("{\"done\":\"%s\"}\n", order);
    fflush(stdout);
    pthread_mutex_unlock(&out_lock);
}

/* --- life --- */

static void begin(kin_client *client, const char *what)
{
    kin_informer_options options = KIN_INFORMER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    struct side *side = &sides[n_sides];
    char resource[128] = "";
    char mode[16] = "";

    if (n_sides == INFORMERS_MAX ||
        sscanf(what, "%63[^=]=%127[^/]/%15s", side->name, resource, mode) != 3) {
        fprintf(stderr, "informer-side: not NAME=RESOURCE/MODE: %s\n", what);
        exit(2);
    }
    options.name = side->name;
    options.no_streaming_list = strcmp(mode, "pages") == 0;
    options.page_size = options.no_streaming_list ? PAGE : 0;
    options.queue = strcmp(mode, "ordered") == 0 ? KIN_QUEUE_ORDERED : KIN_QUEUE_DELTA_FIFO;
    if (kin_informer_new(&side->informer, client, resource, &options, &err) < 0 ||
        kin_informer_add_handler(side->informer, NULL, tell, side, NULL, &err) < 0 ||
        kin_informer_start(side->informer, &err) < 0)
        die(what, &err);
    n_sides++;
}

static kin_client *connect_to(const char *kubeconfig, const char *context)
{
    kin_config_options where = KIN_CONFIG_OPTIONS_INIT;
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_config *config = NULL;
    kin_client *client = NULL;

    where.kubeconfig = kubeconfig;
    where.context = context[0] ? context : NULL;
    if (kin_config_load(&config, &where, &err) < 0)
        die(kubeconfig, &err);
    options.config = config;
    options.qps = -1;
    if (kin_client_new(&client, &options, &err) < 0)
        die(kubeconfig, &err);
    kin_config_unref(config);
    return client;
}

int main(int argc, char **argv)
{
    kin_client *client;
    char order[64];

    if (argc < 4) {
        fprintf(stderr, "usage: informer-side KUBECONFIG CONTEXT NAME=RESOURCE/MODE...\n");
        return 2;
    }
    client = connect_to(argv[1], argv[2]);
    for (int i = 3; i < argc; i++)
        begin(client, argv[i]);
    while (fgets(order, sizeof(order), stdin)) {
        order[strcspn(order, "\n")] = '\0';
        follow_order(order);
    }
    for (size_t i = 0; i < n_sides; i++)
        kin_informer_free(sides[i].informer);
    kin_client_free(client);
    return 0;
}
